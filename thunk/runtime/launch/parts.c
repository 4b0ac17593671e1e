// SPDX-License-Identifier: MIT
/*
 * Programs that could take longer than the driver lets a submission take: they
 * are run in parts, each of which is one. The driver's time begins when a
 * submission is the oldest that has not ended, so that it is the parts', not that
 * of all of them. Workspace lasts from part to part, and so is the target's: its
 * launches come one after the other.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "parts.h"
#include "../recipe/recipe.h"

/*
 * What a card does in a second at the least, by program_cost(): the device model
 * on a busy machine. A card of silicon does thousands of times as much.
 */
#define LEAST_PER_SECOND	(1ull << 28)

struct gd_parts {
	uint32_t num, num_ready;
	struct program *programs;
	struct gd_runner *runners;
	struct gd_buffer *buffers;
	uint32_t *signals;		/* by part, and its events */
	pthread_mutex_t lock;
	gaudi_ptr workspace;		/* 0: none */
	struct gd_point used;		/* with the lock: until then by the card */
};

static uint64_t most_of(const struct gaudi_device *device)
{
	/* A test makes many parts of little. */
	const char *text = secure_getenv("GAUDI_TEST_PART");
	uint32_t seconds;

	if (text)
		return strtoull(text, NULL, 10);
	seconds = gd_os_timeout_s(device->extended);

	return seconds ? seconds * LEAST_PER_SECOND : UINT64_MAX;
}

static void count_signals(struct gd_parts *parts, uint32_t i)
{
	const struct program *p = &parts->programs[i];
	uint32_t *signals = &parts->signals[(size_t)i * p->num_events];

	for (uint32_t s = 0; s < p->num_streams; s++)
		for (uint32_t j = 0; j < p->streams[s].num_patches; j++)
			if (p->streams[s].patches[j].kind == PROG_PATCH_EVENT)
				signals[p->streams[s].patches[j].object]++;
}

static int part_init(struct gd_parts *parts, const struct gd_runner *front,
		     uint32_t i)
{
	struct gd_runner *r = &parts->runners[i];

	count_signals(parts, i);
	*r = (struct gd_runner) {
		.device = front->device,
		.name = front->name,
		.program = &parts->programs[i],
		.buffers = parts->buffers,
		.bound = front->bound,
		.num_bound = front->num_bound,
		.describe = front->describe,
	};

	return gd_runner_init(r);
}

static int parts_fill(struct gd_parts *parts, const struct gd_runner *front,
		      uint64_t most)
{
	const struct program *p = front->program;
	int rc = program_cut(p, most, &parts->programs, &parts->num);

	if (rc)
		return rc;
	parts->runners = calloc(parts->num, sizeof(*parts->runners));
	parts->buffers = calloc((size_t)p->num_buffers + 1,
				sizeof(*parts->buffers));
	parts->signals = calloc((size_t)parts->num * p->num_events + 1,
				sizeof(*parts->signals));
	if (!parts->runners || !parts->buffers || !parts->signals)
		return gd_fail(-ENOMEM, "no memory for %u parts of '%s'",
			       parts->num, front->name);
	if (front->workspace_size)
		rc = gaudi_malloc(front->device, front->workspace_size,
				  &parts->workspace);
	for (uint32_t i = 0; !rc && i < p->num_buffers; i++) {
		parts->buffers[i] = front->buffers[i];
		if (parts->buffers[i].kind != GD_BUFFER_WORKSPACE)
			continue;
		parts->buffers[i].kind = GD_BUFFER_FIXED;
		parts->buffers[i].base += parts->workspace;
	}
	for (uint32_t i = 0; !rc && i < parts->num; i++) {
		rc = part_init(parts, front, i);
		parts->num_ready += !rc;
	}

	return rc;
}

static int parts_free(struct gd_parts *parts, struct gaudi_device *device)
{
	int rc = 0, error;

	for (uint32_t i = 0; i < parts->num_ready; i++) {
		error = gd_runner_exit(&parts->runners[i]);
		rc = rc ? rc : error;
	}
	if (parts->workspace)
		gd_pool_give(device, parts->workspace);
	for (uint32_t i = 0; i < parts->num; i++)
		program_free(&parts->programs[i]);
	pthread_mutex_destroy(&parts->lock);
	free(parts->programs);
	free(parts->runners);
	free(parts->buffers);
	free(parts->signals);
	free(parts);

	return rc;
}

int gd_target_ready(struct gd_target *t)
{
	const struct gd_runner *front = &t->runner;
	uint64_t most = most_of(front->device), cost;
	struct gd_error_state state;
	struct gd_parts *parts;
	int rc = program_cost(front->program, &cost);

	if (rc)
		return rc;
	if (cost <= most)
		return gd_runner_init(&t->runner);
	parts = calloc(1, sizeof(*parts));
	if (!parts)
		return gd_fail(-ENOMEM, "no memory for parts of '%s'",
			       front->name);
	pthread_mutex_init(&parts->lock, NULL);
	rc = parts_fill(parts, front, most);
	if (!rc) {
		gd_log(GD_INFO, "'%s' is launched in %u parts", front->name,
		       parts->num);
		t->parts = parts;
		return 0;
	}
	gd_error_save(&state);
	parts_free(parts, front->device);
	gd_error_restore(&state);

	return rc;
}

int gd_target_end(struct gd_target *t)
{
	return t->parts ? parts_free(t->parts, t->runner.device) :
			  gd_runner_exit(&t->runner);
}

/* An event is recorded with the last of its signals. */
static bool is_last(const struct gd_parts *parts, uint32_t part,
		    uint32_t num_events, uint32_t event)
{
	if (!parts->signals[(size_t)part * num_events + event])
		return false;
	while (++part < parts->num)
		if (parts->signals[(size_t)part * num_events + event])
			return false;

	return true;
}

int gd_parts_run(struct gaudi_stream *stream, struct gd_launch *launch)
{
	struct gd_parts *parts = launch->target->parts;
	uint32_t num_events = launch->target->runner.program->num_events;
	bool watched[RECIPE_MAX_EVENTS];
	int rc = gd_flush(stream);

	if (rc)
		return rc;
	pthread_mutex_lock(&parts->lock);
	gd_point_join(&stream->after, &parts->used);
	for (uint32_t i = 0; !rc && i < parts->num; i++) {
		memset(watched, 0, sizeof(watched));
		for (uint32_t k = 0; k < launch->num_watched; k++) {
			struct gd_watched *w = &launch->watched[k];

			watched[w->number] = is_last(parts, i, num_events,
						     w->number);
			if (watched[w->number])
				w->signals = parts->signals
					[(size_t)i * num_events + w->number];
		}
		rc = gd_launch_step(stream, launch, &parts->runners[i],
				    watched);
	}
	if (parts->workspace)
		parts->used = stream->after;
	pthread_mutex_unlock(&parts->lock);

	return rc;
}
