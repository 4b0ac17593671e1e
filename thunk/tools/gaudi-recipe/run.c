// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "cards.h"
#include "gaudi_launch.h"
#include "json.h"
#include "progress.h"
#include "run.h"
#include "text.h"

#define OPEN_MS		10000		/* while others let go of the card */
#define FILE_STEP	(4u << 20)	/* bytes between two looks at the clock */

/* A tensor's memory: @host is pinned, and the tensor's own or a way to it. */
struct buffer {
	struct gaudi_tensor_desc desc;
	void *host;
	gaudi_ptr device;
};

struct session {
	struct gaudi_device *device;
	struct gaudi_stream *stream;
	struct gaudi_launcher *launcher;
	struct buffer *buffers;
	uint32_t num;
	double seconds;
	/* Of files that are read, or written. */
	struct progress progress;
	uint64_t moved;
};

static int failed(void)
{
	complain("%s", gaudi_last_error(NULL));

	return -1;
}

static int open_device(const struct run_settings *s, struct session *run)
{
	const struct card_choice choice = {
		.index = s->device,
		.module_id = -1,
		.busid = s->pci,
	};
	struct card *cards;
	size_t count;
	int rc;

	if (s->device < 0 && !s->pci)
		return gaudi_device_open(0, OPEN_MS, &run->device) ? failed() :
								     0;
	rc = cards_find(&cards, &count);
	if (rc) {
		complain("cannot look for cards: %s", strerror(-rc));
		return -1;
	}
	if (!cards_choose(cards, count, &choice)) {
		complain("no such card");
		rc = -1;
	} else if (gaudi_device_open_by_pci_address(cards[0].busid, OPEN_MS,
						    &run->device)) {
		rc = failed();
	}
	free(cards);

	return rc;
}

static bool is_bound(const struct buffer *b)
{
	return b->desc.kind == GAUDI_TENSOR_INPUT ||
	       b->desc.kind == GAUDI_TENSOR_OUTPUT;
}

/* Memory for inputs and outputs, all 0. */
static int make_buffers(struct gaudi_recipe *r, struct session *run)
{
	struct gaudi_recipe_info info = { .size = sizeof(info) };

	if (gaudi_recipe_get_info(r, &info))
		return failed();
	run->num = info.num_tensors;
	run->buffers = calloc(run->num + 1u, sizeof(*run->buffers));
	if (!run->buffers) {
		complain("no memory for %u tensors", run->num);
		return -1;
	}
	for (uint32_t i = 0; i < run->num; i++) {
		struct buffer *b = &run->buffers[i];

		b->desc.size = sizeof(b->desc);
		if (gaudi_recipe_get_tensor(r, i, &b->desc))
			return failed();
		if (!is_bound(b))
			continue;
		if (gaudi_host_alloc(run->device, b->desc.bytes, &b->host))
			return failed();
		memset(b->host, 0, b->desc.bytes);
		if (b->desc.place == GAUDI_PLACE_DEVICE &&
		    gaudi_malloc(run->device, b->desc.bytes, &b->device))
			return failed();
	}

	return 0;
}

static struct buffer *find(struct session *run, const char *name, uint32_t kind)
{
	for (uint32_t i = 0; i < run->num; i++)
		if (!strcmp(run->buffers[i].desc.name, name) &&
		    run->buffers[i].desc.kind == kind)
			return &run->buffers[i];
	complain("the recipe has no %s '%s'",
		 kind == GAUDI_TENSOR_INPUT ? "input" : "output", name);

	return NULL;
}

static size_t next_step(const struct buffer *b, size_t done)
{
	size_t left = b->desc.bytes - done;

	return left < FILE_STEP ? left : FILE_STEP;
}

/* All of the files of one kind are one piece of work. */
static void begin_files(const struct run_settings *s, struct session *run,
			const struct run_file *files, uint32_t num)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < num; i++)
		for (uint32_t t = 0; t < run->num; t++)
			if (!strcmp(run->buffers[t].desc.name, files[i].tensor))
				total += run->buffers[t].desc.bytes;
	run->moved = 0;
	progress_begin(&run->progress, total, s->quiet);
}

static void show_moved(struct session *run, size_t bytes)
{
	run->moved += bytes;
	progress_show(&run->progress, run->moved);
}

/* As many bytes as the tensor has, and no more. */
static int read_file(const char *path, const struct buffer *b,
		     struct session *run)
{
	size_t done = 0;
	ssize_t got = 1;
	char more;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		complain("%s: %s", path, strerror(errno));
		return -1;
	}
	while (got > 0 && done < b->desc.bytes) {
		got = read(fd, (char *)b->host + done, next_step(b, done));
		done += got > 0 ? (size_t)got : 0;
		show_moved(run, got > 0 ? (size_t)got : 0);
	}
	if (got > 0)
		got = read(fd, &more, 1);
	if (got < 0)
		complain("%s: %s", path, strerror(errno));
	else if (got || done < b->desc.bytes)
		complain("%s: %s the %" PRIu64 " bytes of input '%s'", path,
			 got ? "more than" : "less than", b->desc.bytes,
			 b->desc.name);
	close(fd);

	return got || done < b->desc.bytes ? -1 : 0;
}

static int write_file(const char *path, const struct buffer *b,
		      struct session *run)
{
	FILE *file = fopen(path, "we");
	size_t done = 0;
	bool bad = false;

	if (!file) {
		complain("%s: %s", path, strerror(errno));
		return -1;
	}
	while (!bad && done < b->desc.bytes) {
		size_t step = next_step(b, done);

		bad = fwrite((char *)b->host + done, 1, step, file) != step;
		done += step;
		show_moved(run, step);
	}
	bad |= fclose(file) != 0;
	if (bad)
		complain("%s: %s", path, strerror(errno));

	return bad ? -1 : 0;
}

static int put_inputs(const struct run_settings *s, struct session *run)
{
	begin_files(s, run, s->inputs, s->num_inputs);
	for (uint32_t i = 0; i < s->num_inputs; i++) {
		const struct run_file *file = &s->inputs[i];
		struct buffer *b = find(run, file->tensor, GAUDI_TENSOR_INPUT);

		if (!b || read_file(file->path, b, run))
			return -1;
	}
	progress_end_shown(&run->progress, run->moved);
	/* Before anything is done: a typing error may cost hours. */
	for (uint32_t i = 0; i < s->num_outputs; i++)
		if (!find(run, s->outputs[i].tensor, GAUDI_TENSOR_OUTPUT))
			return -1;
	for (uint32_t i = 0; i < run->num; i++) {
		struct buffer *b = &run->buffers[i];

		if (b->device && gaudi_copy_to_device(run->device, b->device,
						      b->host, b->desc.bytes))
			return failed();
	}

	return 0;
}

static int get_outputs(const struct run_settings *s, struct session *run)
{
	begin_files(s, run, s->outputs, s->num_outputs);
	for (uint32_t i = 0; i < s->num_outputs; i++) {
		const struct run_file *file = &s->outputs[i];
		struct buffer *b = find(run, file->tensor, GAUDI_TENSOR_OUTPUT);

		if (b->device && gaudi_copy_to_host(run->device, b->host,
						    b->device, b->desc.bytes))
			return failed();
		if (write_file(file->path, b, run))
			return -1;
	}
	progress_end_shown(&run->progress, run->moved);

	return 0;
}

/* All at once: each call costs as much as there are tensors. */
static int bind(struct session *run)
{
	struct gaudi_binding *bindings;
	uint32_t count = 0;
	int rc;

	bindings = calloc(run->num + 1u, sizeof(*bindings));
	if (!bindings) {
		complain("no memory for %u tensors", run->num);
		return -1;
	}
	for (uint32_t i = 0; i < run->num; i++) {
		const struct buffer *b = &run->buffers[i];

		if (is_bound(b))
			bindings[count++] = (struct gaudi_binding) {
				.tensor = i,
				.address = b->device,
				.memory = b->device ? NULL : b->host,
				.bytes = b->desc.bytes,
			};
	}
	rc = gaudi_launcher_bind(run->launcher, bindings, count);
	free(bindings);

	return rc ? failed() : 0;
}

static int launch(const struct run_settings *s, struct session *run)
{
	struct progress progress;
	double begin = now();

	progress_begin(&progress, (uint64_t)s->repeat, s->quiet);
	progress.unit = "launches";
	for (int i = 0; i < s->repeat; i++) {
		if (gaudi_launch(run->launcher, NULL, 0, run->stream))
			return failed();
		progress_show(&progress, (uint64_t)i);
	}
	if (gaudi_stream_synchronize(run->stream))
		return failed();
	run->seconds = now() - begin;
	if (s->repeat > 1)
		progress_end(&progress, (uint64_t)s->repeat);

	return 0;
}

static int report(const char *file, const struct run_settings *s,
		  const struct session *run)
{
	double each = run->seconds / s->repeat * 1e6;
	cJSON *root;

	if (!s->json) {
		printf("%d %s, %.1f us each\n", s->repeat,
		       s->repeat == 1 ? "launch" : "launches", each);
		return 0;
	}
	root = cJSON_CreateObject();
	cJSON_AddStringToObject(root, "file", file);
	cJSON_AddNumberToObject(root, "launches", s->repeat);
	cJSON_AddNumberToObject(root, "seconds", run->seconds);
	cJSON_AddNumberToObject(root, "us_per_launch", each);
	if (json_print(stdout, root)) {
		complain("no memory");
		return -1;
	}

	return 0;
}

int run_recipe(struct gaudi_recipe *recipe, const char *file,
	       const struct run_settings *s)
{
	struct session run = {};
	int rc = open_device(s, &run);

	if (!rc && gaudi_stream_create(run.device, &run.stream))
		rc = failed();
	if (!rc)
		rc = make_buffers(recipe, &run);
	if (!rc)
		rc = put_inputs(s, &run);
	if (!rc && gaudi_launcher_create(run.device, recipe, &run.launcher))
		rc = failed();
	if (!rc)
		rc = bind(&run);
	if (!rc)
		rc = launch(s, &run);
	if (!rc)
		rc = get_outputs(s, &run);
	if (!rc)
		rc = report(file, s, &run);
	/* With everything that was made on it. */
	if (run.device && gaudi_device_close(run.device) && !rc)
		rc = failed();
	free(run.buffers);

	return rc;
}
