// SPDX-License-Identifier: MIT
/*
 * Launches on their way to the card: what they hold, until when, and the events
 * that they record. A launch may be deferred behind a host function for long, and has
 * all that was said when it was asked for.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "segments.h"
#include "../recipe/recipe.h"

void gd_target_init(struct gd_target *t)
{
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->changed, NULL);
}

void gd_target_wait(struct gd_target *t)
{
	pthread_mutex_lock(&t->lock);
	while (t->on_their_way)
		pthread_cond_wait(&t->changed, &t->lock);
	pthread_mutex_unlock(&t->lock);
}

void gd_target_exit(struct gd_target *t)
{
	pthread_cond_destroy(&t->changed);
	pthread_mutex_destroy(&t->lock);
}

/* Its memory is in use, and still whose it was when it was bound. */
static int check_owner(const struct gd_runner *r, const struct gd_arg *arg,
		       uint32_t buffer)
{
	char text[GD_NAME];
	uint64_t owner;
	int rc = gd_range_check(r->device, arg->address, arg->bytes, NULL,
				&owner);

	if (rc || owner == arg->owner)
		return rc;
	r->describe(r, buffer, text);

	return gd_fail(GAUDI_ERR_ADDRESS,
		       "%.200s: the memory at %#llx was freed, and given out again, since it was bound",
		       text, (unsigned long long)arg->address);
}

/* Device memory; looked at again if any was freed since. */
static int check_there(struct gd_launch *launch)
{
	const struct gd_runner *r = &launch->target->runner;
	uint64_t frees = atomic_load(&r->device->frees) + 1;
	struct gd_args *args = launch->args;
	int rc = 0;

	if (atomic_load(&args->frees) == frees)
		return 0;
	for (uint32_t i = 0; !rc && i < r->num_bound; i++) {
		const struct gd_arg *arg = &args->at[r->bound[i]];

		/* A write of a link's may have no bytes. */
		if (arg->address && arg->bytes && !arg->memory)
			rc = check_owner(r, arg, r->bound[i]);
	}
	if (!rc)
		atomic_store(&args->frees, frees);

	return rc;
}

static bool is_held(const struct gd_launch *launch, const struct gd_arg *arg)
{
	uintptr_t at = (uintptr_t)arg->memory;

	for (uint32_t i = launch->num_ranges; i-- > 0;) {
		const struct gd_range *range = launch->ranges[i];

		if (at >= range->start && at - range->start < range->size)
			return range->number == arg->owner;
		/* The rest is found again. */
		if (launch->num_ranges - i == 4)
			break;
	}

	return false;
}

/* Pinned memory that is the same as when it was bound. */
static int hold(struct gd_launch *launch, uint32_t buffer)
{
	const struct gd_arg *arg = &launch->args->at[buffer];
	const struct gd_runner *r = &launch->target->runner;
	struct gd_range *range;
	char text[GD_NAME];

	if (!launch->ranges)
		launch->ranges = calloc(r->num_bound, sizeof(*launch->ranges));
	if (!launch->ranges)
		return gd_fail(-ENOMEM, "no memory to launch '%s'", r->name);
	range = gd_range_get(r->device, arg->memory, arg->bytes);
	if (range)
		launch->ranges[launch->num_ranges++] = range;
	if (range && range->number == arg->owner)
		return 0;
	r->describe(r, buffer, text);

	return gd_fail(GAUDI_ERR_BINDING,
		       "%.200s: memory at %p is no longer pinned as it was when it was bound",
		       text, arg->memory);
}

int gd_launch_hold(struct gd_launch *launch)
{
	const struct gd_runner *r = &launch->target->runner;
	int rc = check_there(launch);

	for (uint32_t i = 0; !rc && i < r->num_bound; i++) {
		const struct gd_arg *arg = &launch->args->at[r->bound[i]];

		if (arg->memory && !is_held(launch, arg))
			rc = hold(launch, r->bound[i]);
	}

	return rc;
}

/* Goes on after a failure, so that all sync objects come to 0. */
static int record_events(struct gaudi_stream *stream, struct gd_launch *launch,
			 struct gd_runner *r, const bool *watched, struct gd_ran *ran)
{
	struct gd_point used = {};
	bool spoiled = false;
	int rc = 0;

	for (uint32_t i = 0; i < launch->num_watched; i++) {
		struct gd_watched *w = &launch->watched[i];
		struct gd_point point = {};
		int error;

		if (!watched[w->number])
			continue;
		error = gd_runner_watch(r, ran, w->number, w->signals, &point);
		spoiled |= error != 0;
		gd_point_join(&used, &point);
		if (!error)
			error = gd_record_store(w->event, w->record, stream,
						&point);
		if (!rc)
			rc = error;
	}
	gd_runner_ran(r, ran, &used, spoiled);

	return rc;
}

int gd_launch_step(struct gaudi_stream *stream, struct gd_launch *launch,
		   struct gd_runner *r, const bool *watched, uint32_t hw_stream)
{
	struct gd_ran ran = {};
	int rc = gd_flush(stream);

	if (!rc)
		rc = gd_runner_run(r, launch->args,
				   launch->num_watched ? watched : NULL,
				   hw_stream % GD_STREAMS, &stream->after, &ran);
	if (rc)
		return rc;
	/* It waits for all that was before: it stands for them. */
	stream->after = (struct gd_point) {};
	gd_point_set(&stream->after, ran.q, ran.n);
	for (uint32_t i = 0; i < launch->num_ranges; i++)
		gd_range_use(r->device, launch->ranges[i], ran.q, ran.n);

	return record_events(stream, launch, r, watched, &ran);
}

int gd_target_run(struct gaudi_stream *stream, struct gd_launch *launch,
		  struct gd_target *t, uint32_t hw_stream)
{
	bool watched[RECIPE_MAX_EVENTS];

	if (t->segments)
		return gd_segments_run(stream, launch, t->segments, hw_stream);
	if (launch->num_watched)
		memset(watched, 0, sizeof(watched));
	for (uint32_t i = 0; i < launch->num_watched; i++)
		watched[launch->watched[i].number] = true;

	return gd_launch_step(stream, launch, &t->runner, watched, hw_stream);
}

static int run(struct gaudi_stream *stream, struct gd_job *job)
{
	struct gd_launch *launch = gd_launch_of(job);
	struct gd_target *t = launch->target;

	return t->run ? t->run(stream, launch) :
	       gd_target_run(stream, launch, t, stream->hw_stream);
}

static void launch_free(struct gd_job *job)
{
	struct gd_launch *launch = gd_launch_of(job);
	struct gd_target *t = launch->target;

	for (uint32_t i = 0; i < launch->num_ranges; i++)
		gd_range_put(t->runner.device, launch->ranges[i]);
	for (uint32_t i = 0; i < launch->num_watched; i++) {
		struct gd_watched *w = &launch->watched[i];

		/* If it did not run: who waits must not wait for ever. */
		if (w->record)
			gd_record_store(w->event, w->record, NULL, NULL);
		gd_record_put(w->record);
		gd_event_put(w->event);
	}
	gd_args_put(launch->args);
	free(launch->ranges);
	free(launch);
	pthread_mutex_lock(&t->lock);
	t->on_their_way--;
	pthread_cond_broadcast(&t->changed);
	pthread_mutex_unlock(&t->lock);
}

static int announce(struct gd_job *job)
{
	struct gd_launch *launch = gd_launch_of(job);

	for (uint32_t i = 0; i < launch->num_watched; i++) {
		struct gd_watched *w = &launch->watched[i];

		/* It is no longer a capture's. */
		gd_capture_forget_event(w->event);
		w->record = gd_event_announce(w->event);
		if (!w->record)
			return -ENOMEM;
	}

	return 0;
}

static const struct gd_job_ops ops = {
	.announce = announce,
	.run = run,
	.free = launch_free,
};

struct gd_launch *gd_launch_new(struct gd_target *t, struct gd_args *args,
				uint32_t max_watched)
{
	struct gd_launch *launch;

	launch = calloc(1, sizeof(*launch) +
			   max_watched * sizeof(launch->watched[0]));
	if (!launch) {
		gd_fail(-ENOMEM, "no memory to launch '%s'", t->runner.name);
		return NULL;
	}
	launch->target = t;
	launch->job.ops = &ops;
	atomic_init(&launch->job.refs, 1);
	launch->args = gd_args_get(args);
	t->on_their_way++;

	return launch;
}
