// SPDX-License-Identifier: MIT
/*
 * Events: the point in time that a stream had reached when it was recorded. A
 * record that comes after a host function is done later, and another one may be
 * done meanwhile: so each is something of its own, that lives as long as anybody
 * waits for it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "work.h"

static int event_check(struct gaudi_event *event)
{
	return event ? gd_device_check(event->device) :
	       gd_fail(-EINVAL, "the event is NULL");
}

void gd_event_get(struct gaudi_event *event)
{
	atomic_fetch_add(&event->refs, 1);
}

void gd_event_put(struct gaudi_event *event)
{
	struct gaudi_device *device = event->device;

	if (atomic_fetch_sub(&event->refs, 1) != 1)
		return;
	gd_capture_forget_event(event);
	pthread_mutex_lock(&device->lock);
	LIST_REMOVE(event, link);
	pthread_mutex_unlock(&device->lock);
	gd_record_put(event->last);
	free(event);
}

void gd_events_exit(struct gaudi_device *device)
{
	while (!LIST_EMPTY(&device->events)) {
		struct gaudi_event *event = LIST_FIRST(&device->events);

		atomic_store(&event->refs, 1);
		gd_event_put(event);
	}
}

int gaudi_event_create(struct gaudi_device *device, uint32_t flags,
		       struct gaudi_event **out)
{
	struct gaudi_event *event;
	int rc = gd_device_check(device);

	if (rc)
		return rc;
	if (!out || flags & ~GAUDI_EVENT_NO_TIMING)
		return gd_fail(-EINVAL, "gaudi_event_create: %s",
			       out ? "unknown flags" : "event is NULL");
	event = calloc(1, sizeof(*event));
	if (!event)
		return gd_fail(-ENOMEM, "no memory for an event");
	event->device = device;
	event->flags = flags;
	atomic_init(&event->refs, 1);
	pthread_mutex_lock(&device->lock);
	LIST_INSERT_HEAD(&device->events, event, link);
	pthread_mutex_unlock(&device->lock);
	*out = event;

	return 0;
}

int gaudi_event_destroy(struct gaudi_event *event)
{
	int rc;

	if (!event)
		return 0;
	rc = gd_device_check_mine(event->device);
	if (!rc)
		gd_event_put(event);

	return rc;
}

void gd_record_get(struct gd_record *record)
{
	atomic_fetch_add(&record->refs, 1);
}

void gd_record_put(struct gd_record *record)
{
	while (record && atomic_fetch_sub(&record->refs, 1) == 1) {
		struct gd_record *before = record->before;

		for (unsigned int q = 0; q < GD_QUEUES; q++)
			gd_stamp_put(record->stamps[q]);
		gd_fate_put(record->fate);
		free(record);
		record = before;
	}
}

struct gd_record *gd_record_effective(struct gd_record *record)
{
	while (record && record->failed)
		record = record->before;

	return record;
}

struct gd_record *gd_event_announce(struct gaudi_event *event)
{
	struct gd_record *record = calloc(1, sizeof(*record)), *old;

	if (!record) {
		gd_fail(-ENOMEM, "no memory to record an event");
		return NULL;
	}
	/* The caller's, and the event's. */
	atomic_init(&record->refs, 2);
	pthread_mutex_lock(&event->device->lock);
	/* Those that failed are of no more use. */
	old = event->last;
	record->before = gd_record_effective(old);
	if (record->before)
		gd_record_get(record->before);
	event->last = record;
	pthread_mutex_unlock(&event->device->lock);
	gd_record_put(old);

	return record;
}

/* The last one, referenced for the caller; NULL: there is none. */
static struct gd_record *last_record(struct gaudi_event *event)
{
	struct gd_record *record;

	pthread_mutex_lock(&event->device->lock);
	record = event->last;
	if (record)
		gd_record_get(record);
	pthread_mutex_unlock(&event->device->lock);

	return record;
}

/* Stamps for what of @point has not ended; *@idle_ns if there is none. */
static int take_stamps(struct gaudi_device *device,
		       const struct gd_point *point,
		       struct gd_stamp *stamps[GD_QUEUES], uint64_t *idle_ns)
{
	bool any = false;
	int rc = gd_poll(device, point);

	if (rc == GAUDI_ERR_NOT_READY)
		rc = 0;
	for (unsigned int q = 0; !rc && q < GD_QUEUES; q++) {
		if (point->set & 1u << q)
			rc = gd_stamp_get(device, q, point->n[q], &stamps[q]);
		any |= stamps[q] != NULL;
	}
	*idle_ns = any ? 0 : gd_os_now_ns();

	return rc;
}

int gd_record_store(struct gaudi_event *event, struct gd_record *record,
		    struct gaudi_stream *stream, const struct gd_point *point)
{
	struct gaudi_device *device = event->device;
	struct gd_stamp *stamps[GD_QUEUES] = {};
	struct gd_record *before = NULL;
	uint64_t idle_ns = 0;
	int rc = 0;

	if (point && !(event->flags & GAUDI_EVENT_NO_TIMING))
		rc = take_stamps(device, point, stamps, &idle_ns);
	pthread_mutex_lock(&device->lock);
	if (!point) {
		record->failed = !record->done;
	} else if (!record->done && !record->failed) {
		record->done = true;
		before = record->before;
		record->before = NULL;
		record->point = *point;
		gd_fate_get(stream->fate);
		record->fate = stream->fate;
		record->step = stream->step;
		record->idle_ns = idle_ns;
		memcpy(record->stamps, stamps, sizeof(stamps));
		memset(stamps, 0, sizeof(stamps));
	}
	gd_changed(device);
	pthread_mutex_unlock(&device->lock);
	gd_record_put(before);
	for (unsigned int q = 0; q < GD_QUEUES; q++)
		gd_stamp_put(stamps[q]);

	return rc;
}

static bool load(struct gd_record *record, struct gd_point *point)
{
	record = gd_record_effective(record);
	if (record && !record->done)
		return false;
	*point = record ? record->point : (struct gd_point) {};

	return true;
}

bool gd_record_load(struct gaudi_event *event, struct gd_record *record,
		    struct gd_point *point)
{
	bool done;

	pthread_mutex_lock(&event->device->lock);
	done = load(record, point);
	pthread_mutex_unlock(&event->device->lock);

	return done;
}

void gd_record_await(struct gaudi_event *event, struct gd_record *record,
		     struct gd_point *point)
{
	struct gaudi_device *device = event->device;

	pthread_mutex_lock(&device->lock);
	while (!load(record, point))
		gd_changed_wait(device);
	pthread_mutex_unlock(&device->lock);
}

int gaudi_event_record(struct gaudi_event *event, struct gaudi_stream *stream)
{
	PROFILE_CALL();
	const struct gd_op op = { .kind = GD_OP_RECORD, .event = event };
	int rc = event_check(event);

	if (!rc)
		rc = gd_stream_check(stream);
	if (rc)
		return rc;
	if (event->device != stream->device)
		return gd_fail(-EINVAL, "an event of card %u recorded on a stream of card %u",
			       event->device->card.accel,
			       stream->device->card.accel);

	return gd_stream_do(stream, &op);
}

static int wait_event(struct gaudi_stream *stream, struct gaudi_event *event,
		      bool only_order)
{
	struct gd_op op = {
		.kind = GD_OP_WAIT,
		.event = event,
		.only_order = only_order,
	};
	int rc = event_check(event);

	if (!rc)
		rc = gd_stream_check(stream);
	if (rc)
		return rc;
	op.record = last_record(event);
	rc = gd_capture_wait(stream, event, op.record);
	if (rc > 0)
		rc = op.record ? gd_stream_do(stream, &op) : 0;
	gd_record_put(op.record);

	return rc;
}

int gaudi_stream_wait_event(struct gaudi_stream *stream,
			    struct gaudi_event *event)
{
	PROFILE_CALL();
	return wait_event(stream, event, false);
}

int gaudi_stream_wait_order(struct gaudi_stream *stream,
			    struct gaudi_event *event)
{
	return wait_event(stream, event, true);
}

int gaudi_event_query(struct gaudi_event *event)
{
	struct gd_record *last;
	struct gd_point point;
	int rc = event_check(event);

	if (!rc)
		rc = gd_capture_refuse(NULL, event, "asking about an event");
	if (rc)
		return rc;
	last = last_record(event);
	rc = gd_record_load(event, last, &point) ?
		gd_poll(event->device, &point) : GAUDI_ERR_NOT_READY;
	if (!rc)
		rc = gd_record_check(event, last);
	gd_record_put(last);

	return rc;
}

int gaudi_event_synchronize(struct gaudi_event *event)
{
	PROFILE_CALL();
	struct gd_record *last;
	struct gd_point point;
	int rc = event_check(event);

	if (!rc)
		rc = gd_may_block(event->device, "gaudi_event_synchronize");
	if (!rc)
		rc = gd_capture_refuse(NULL, event, "waiting for an event");
	if (rc)
		return rc;
	last = last_record(event);
	gd_record_await(event, last, &point);
	rc = gd_wait(event->device, &point);
	if (!rc)
		rc = gd_record_check(event, last);
	gd_record_put(last);

	return rc;
}

/* When what was recorded ended; lock held. 0: not known yet. */
static uint64_t end_of(const struct gaudi_event *event)
{
	struct gd_record *record = gd_record_effective(event->last);
	uint64_t end;

	if (!record || !record->done)
		return 0;
	end = record->idle_ns;
	for (unsigned int q = 0; q < GD_QUEUES; q++) {
		uint64_t ns;

		if (!record->stamps[q])
			continue;
		ns = atomic_load(&record->stamps[q]->ns);
		if (!ns)
			return 0;
		if (end < ns)
			end = ns;
	}

	return end;
}

static bool was_recorded(struct gaudi_event *event)
{
	bool was;

	pthread_mutex_lock(&event->device->lock);
	was = gd_record_effective(event->last);
	pthread_mutex_unlock(&event->device->lock);

	return was;
}

static int check_timing(struct gaudi_event *event, const char *which)
{
	int rc = event_check(event);

	if (!rc)
		rc = gd_capture_refuse(NULL, event, "the time of an event");
	if (rc)
		return rc;
	if (event->flags & GAUDI_EVENT_NO_TIMING)
		return gd_fail(-EINVAL, "the %s event was made without timing",
			       which);
	if (!was_recorded(event))
		return gd_fail(-EINVAL, "the %s event was never recorded",
			       which);

	return gaudi_event_query(event);
}

int gaudi_event_elapsed_ns(struct gaudi_event *start, struct gaudi_event *end,
			   int64_t *nanoseconds)
{
	uint64_t from, to;
	int rc;

	if (!nanoseconds)
		return gd_fail(-EINVAL, "gaudi_event_elapsed_ns: nanoseconds is NULL");
	rc = check_timing(start, "start");
	if (!rc)
		rc = check_timing(end, "end");
	if (rc)
		return rc;
	if (start->device != end->device)
		return gd_fail(-EINVAL, "events of cards %u and %u",
			       start->device->card.accel,
			       end->device->card.accel);
	pthread_mutex_lock(&start->device->lock);
	from = end_of(start);
	to = end_of(end);
	pthread_mutex_unlock(&start->device->lock);
	if (!from || !to)
		return GAUDI_ERR_NOT_READY;
	*nanoseconds = (int64_t)(to - from);

	return 0;
}
