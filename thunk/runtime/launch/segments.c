// SPDX-License-Identifier: MIT
/*
 * Programs that could take longer than the driver lets a submission take: they
 * are run in segments, each of which is one. The driver's time begins when a
 * submission is the oldest that has not ended, so that it is the segments', not that
 * of all of them. Workspace lasts from segment to segment, and so is the target's: its
 * launches come one after the other.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "segments.h"
#include "../recipe/recipe.h"

/*
 * What a card does in a second at the least, by program_cost(): the device model
 * on a busy machine. A card of silicon does thousands of times as much.
 */
#define LEAST_PER_SECOND	(1ull << 28)

struct gd_segments {
	uint32_t num, num_ready;
	struct program *programs;
	struct gd_runner *runners;
	struct gd_buffer *buffers;
	uint32_t *signals;		/* by segment, and its events */
	pthread_mutex_t lock;
	gaudi_ptr workspace;		/* 0: none */
	struct gd_point used;		/* with the lock: until then by the card */
};

static uint64_t most_of(const struct gaudi_device *device)
{
	/* A test makes many segments of little. */
	const char *text = secure_getenv("GAUDI_TEST_PART");
	uint32_t seconds;

	if (text)
		return strtoull(text, NULL, 10);
	seconds = gd_os_timeout_s(device->extended);

	return seconds ? seconds * LEAST_PER_SECOND : UINT64_MAX;
}

static void count_signals(struct gd_segments *segments, uint32_t i)
{
	const struct program *p = &segments->programs[i];
	uint32_t *signals = &segments->signals[(size_t)i * p->num_events];

	for (uint32_t s = 0; s < p->num_streams; s++)
		for (uint32_t j = 0; j < p->streams[s].num_patches; j++)
			if (p->streams[s].patches[j].kind == PROG_PATCH_EVENT)
				signals[p->streams[s].patches[j].object]++;
}

static int segment_init(struct gd_segments *segments, const struct gd_runner *front,
		     uint32_t i)
{
	struct gd_runner *r = &segments->runners[i];

	count_signals(segments, i);
	*r = (struct gd_runner) {
		.device = front->device,
		.name = front->name,
		.program = &segments->programs[i],
		.buffers = segments->buffers,
		.bound = front->bound,
		.num_bound = front->num_bound,
		.describe = front->describe,
	};

	return gd_runner_init(r);
}

static int segments_fill(struct gd_segments *segments, const struct gd_runner *front,
		      uint64_t most)
{
	const struct program *p = front->program;
	int rc = program_cut(p, most, &segments->programs, &segments->num);

	if (rc)
		return rc;
	segments->runners = calloc(segments->num, sizeof(*segments->runners));
	segments->buffers = calloc((size_t)p->num_buffers + 1,
				sizeof(*segments->buffers));
	segments->signals = calloc((size_t)segments->num * p->num_events + 1,
				sizeof(*segments->signals));
	if (!segments->runners || !segments->buffers || !segments->signals)
		return gd_fail(-ENOMEM, "no memory for %u segments of '%s'",
			       segments->num, front->name);
	if (front->workspace_size)
		rc = gaudi_malloc(front->device, front->workspace_size,
				  &segments->workspace);
	for (uint32_t i = 0; !rc && i < p->num_buffers; i++) {
		segments->buffers[i] = front->buffers[i];
		if (segments->buffers[i].kind != GD_BUFFER_WORKSPACE)
			continue;
		segments->buffers[i].kind = GD_BUFFER_FIXED;
		segments->buffers[i].base += segments->workspace;
	}
	for (uint32_t i = 0; !rc && i < segments->num; i++) {
		rc = segment_init(segments, front, i);
		segments->num_ready += !rc;
	}

	return rc;
}

static int segments_free(struct gd_segments *segments, struct gaudi_device *device)
{
	int rc = 0, error;

	for (uint32_t i = 0; i < segments->num_ready; i++) {
		error = gd_runner_exit(&segments->runners[i]);
		rc = rc ? rc : error;
	}
	if (segments->workspace)
		gd_pool_free(device, segments->workspace);
	for (uint32_t i = 0; i < segments->num; i++)
		program_free(&segments->programs[i]);
	pthread_mutex_destroy(&segments->lock);
	free(segments->programs);
	free(segments->runners);
	free(segments->buffers);
	free(segments->signals);
	free(segments);

	return rc;
}

int gd_target_ready(struct gd_target *t)
{
	const struct gd_runner *front = &t->runner;
	uint64_t most = most_of(front->device), cost;
	struct gd_error_state state;
	struct gd_segments *segments;
	int rc = program_cost(front->program, &cost);

	if (rc)
		return rc;
	if (cost <= most)
		return gd_runner_init(&t->runner);
	segments = calloc(1, sizeof(*segments));
	if (!segments)
		return gd_fail(-ENOMEM, "no memory for segments of '%s'",
			       front->name);
	pthread_mutex_init(&segments->lock, NULL);
	rc = segments_fill(segments, front, most);
	if (!rc) {
		gd_log(GD_INFO, "'%s' is launched in %u segments", front->name,
		       segments->num);
		t->segments = segments;
		return 0;
	}
	gd_error_save(&state);
	segments_free(segments, front->device);
	gd_error_restore(&state);

	return rc;
}

int gd_target_end(struct gd_target *t)
{
	return t->segments ? segments_free(t->segments, t->runner.device) :
			  gd_runner_exit(&t->runner);
}

/* An event is recorded with the last of its signals. */
static bool is_last(const struct gd_segments *segments, uint32_t segment,
		    uint32_t num_events, uint32_t event)
{
	if (!segments->signals[(size_t)segment * num_events + event])
		return false;
	while (++segment < segments->num)
		if (segments->signals[(size_t)segment * num_events + event])
			return false;

	return true;
}

int gd_segments_run(struct gaudi_stream *stream, struct gd_launch *launch,
		    struct gd_segments *segments, uint32_t hw_stream)
{
	uint32_t num_events = segments->programs[0].num_events;
	bool watched[RECIPE_MAX_EVENTS];
	int rc = gd_flush(stream);

	if (rc)
		return rc;
	pthread_mutex_lock(&segments->lock);
	gd_point_join(&stream->after, &segments->used);
	for (uint32_t i = 0; !rc && i < segments->num; i++) {
		memset(watched, 0, sizeof(watched));
		for (uint32_t k = 0; k < launch->num_watched; k++) {
			struct gd_watched *w = &launch->watched[k];

			watched[w->number] = is_last(segments, i, num_events,
						     w->number);
			if (watched[w->number])
				w->signals = segments->signals
					[(size_t)i * num_events + w->number];
		}
		rc = gd_launch_step(stream, launch, &segments->runners[i],
				    watched, hw_stream);
	}
	if (segments->workspace)
		segments->used = stream->after;
	pthread_mutex_unlock(&segments->lock);

	return rc;
}
