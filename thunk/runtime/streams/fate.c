// SPDX-License-Identifier: MIT
/*
 * What becomes of streams. Work of the card does not fail, but it may be let go: then what
 * came behind it was done with data that never came. So a stream that fails takes along
 * those that have waited for what has failed, and theirs; and its records say so.
 *
 * A stream counts steps: whatever can fail or be waited for. What has ended before a failure
 * is good, whatever comes later.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "work.h"

/* What a stream has waited for and may still fail. */
struct gd_awaited {
	struct gd_fate *fate;		/* referenced */
	uint64_t step;			/* of that stream, which is good, */
	uint64_t at;			/* or this one's are not, from here on */
	struct gd_point point;
};

int gd_fate_begin(struct gaudi_stream *stream)
{
	struct gaudi_device *device = stream->device;
	struct gd_fate *fate = calloc(1, sizeof(*fate));

	if (!fate)
		return gd_no_memory("for a stream");
	atomic_init(&fate->refs, 1);
	fate->stream = stream;
	fate->failed_from = GD_NEVER;
	stream->fate = fate;
	pthread_mutex_lock(&device->lock);
	LIST_INSERT_HEAD(&device->fates, fate, link);
	pthread_mutex_unlock(&device->lock);

	return 0;
}

void gd_fate_get(struct gd_fate *fate)
{
	atomic_fetch_add(&fate->refs, 1);
}

void gd_fate_put(struct gd_fate *fate)
{
	if (!fate || atomic_fetch_sub(&fate->refs, 1) != 1)
		return;
	free(fate);
}

static void end(struct gaudi_device *device, struct gd_fate *fate)
{
	pthread_mutex_lock(&device->lock);
	fate->stream = NULL;
	LIST_REMOVE(fate, link);
	pthread_mutex_unlock(&device->lock);
	for (uint32_t i = 0; i < fate->num_awaited; i++)
		gd_fate_put(fate->awaited[i].fate);
	free(fate->awaited);
	fate->num_awaited = 0;
	gd_fate_put(fate);
}

void gd_fate_end(struct gaudi_stream *stream)
{
	end(stream->device, stream->fate);
}

int gd_fate_renew(struct gaudi_stream *stream)
{
	struct gd_fate *old = stream->fate;
	int rc = gd_fate_begin(stream);

	if (rc)
		return rc;
	end(stream->device, old);
	atomic_store(&stream->error, 0);

	return 0;
}

/* With the lock. */
static void fail(struct gaudi_device *device, struct gd_fate *fate, uint64_t step,
		 int error, const char *why)
{
	struct gd_fate *other;

	if (step >= fate->failed_from)
		return;
	if (fate->failed_from == GD_NEVER) {
		snprintf(fate->why, sizeof(fate->why), "%s", why);
		fate->error = error;
		if (fate->stream)
			atomic_store(&fate->stream->error, error);
	}
	fate->failed_from = step;
	LIST_FOREACH(other, &device->fates, link)
		for (uint32_t i = 0; i < other->num_awaited; i++)
			if (other->awaited[i].fate == fate &&
			    other->awaited[i].step >= step)
				fail(device, other, other->awaited[i].at, error, why);
}

void gd_fate_fail(struct gaudi_device *device, struct gd_fate *fate, uint64_t step,
		  int error, const char *why)
{
	pthread_mutex_lock(&device->lock);
	fail(device, fate, step, error, why);
	pthread_mutex_unlock(&device->lock);
}

void gd_stream_fail(struct gaudi_stream *stream, int error, const char *why)
{
	gd_fate_fail(stream->device, stream->fate, ++stream->step, error, why);
}

bool gd_fate_failed_before(struct gaudi_device *device, const struct gd_fate *fate,
			   uint64_t step)
{
	bool failed;

	pthread_mutex_lock(&device->lock);
	failed = fate->failed_from < step;
	pthread_mutex_unlock(&device->lock);

	return failed;
}

/* With the lock. Forget those that are good: what fails says so before it is let go. */
static void forget_ended(struct gaudi_device *device, struct gd_fate *fate)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < fate->num_awaited; i++) {
		struct gd_awaited *a = &fate->awaited[i];

		if (gd_has_ended(device, &a->point))
			gd_fate_put(a->fate);
		else
			fate->awaited[kept++] = *a;
	}
	fate->num_awaited = kept;
}

/* With the lock, and room for one more. */
static void await(struct gaudi_stream *stream, const struct gd_record *record)
{
	struct gd_fate *fate = stream->fate;
	struct gd_awaited *a = fate->awaited;

	while (a < fate->awaited + fate->num_awaited && a->fate != record->fate)
		a++;
	if (a == fate->awaited + fate->num_awaited) {
		fate->num_awaited++;
		*a = (struct gd_awaited) { .fate = record->fate, .at = stream->step };
		gd_fate_get(record->fate);
	}
	if (a->step < record->step)
		a->step = record->step;
	gd_point_join(&a->point, &record->point);
}

/* Its stream alone makes this longer. */
static int make_room(struct gaudi_device *device, struct gd_fate *fate)
{
	uint32_t max = 2 * fate->max_awaited + 4;
	struct gd_awaited *more, *old = fate->awaited;

	if (fate->num_awaited < fate->max_awaited)
		return 0;
	more = calloc(max, sizeof(*more));
	if (!more)
		return gd_no_memory("for a stream that waits");
	pthread_mutex_lock(&device->lock);
	if (fate->num_awaited)
		memcpy(more, old, fate->num_awaited * sizeof(*more));
	fate->awaited = more;
	fate->max_awaited = max;
	pthread_mutex_unlock(&device->lock);
	free(old);

	return 0;
}

int gd_fate_await(struct gaudi_stream *stream, struct gaudi_event *event,
		  struct gd_record *record)
{
	struct gaudi_device *device = stream->device;
	int rc = gd_record_check(event, record);

	if (!rc)
		rc = make_room(device, stream->fate);
	/* Of another device it has ended. */
	if (rc || event->device != device)
		return rc;
	pthread_mutex_lock(&device->lock);
	forget_ended(device, stream->fate);
	record = gd_record_effective(record);
	if (record && record->fate && record->fate != stream->fate) {
		await(stream, record);
		/* Since it was looked at. */
		if (record->fate->failed_from <= record->step)
			fail(device, stream->fate, stream->step, record->fate->error,
			     record->fate->why);
	}
	pthread_mutex_unlock(&device->lock);

	return 0;
}

int gd_record_check(struct gaudi_event *event, struct gd_record *record)
{
	char why[GD_WHY_SIZE];
	int error = 0;

	pthread_mutex_lock(&event->device->lock);
	record = gd_record_effective(record);
	if (record && record->fate && record->fate->failed_from <= record->step) {
		error = record->fate->error;
		memcpy(why, record->fate->why, sizeof(why));
	}
	pthread_mutex_unlock(&event->device->lock);

	return error ? gd_fail(error, "what the event recorded has failed: %s", why) : 0;
}
