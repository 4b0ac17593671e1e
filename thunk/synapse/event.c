// SPDX-License-Identifier: MIT
/*
 * Events. Programs make millions that they never record, so what libgaudi has of one is
 * made when it is recorded first.
 */
#include <errno.h>

#include "syn_priv.h"

synStatus synEventCreate(synEventHandle *event, synDeviceId id,
			 uint32_t flags)
{
	struct gaudi_device *device;
	synStatus status;
	void *handle = NULL;

	if (!event || flags & ~(uint32_t)EVENT_COLLECT_TIME)
		return syn_fail(synInvalidArgument, "event: %s", event ?
				"unknown flags" : "the handle is NULL");
	status = syn_begin(id, &device);
	if (status)
		return status;
	status = syn_handle_new(SYN_EVENT, flags, NULL, &handle);
	if (!status || status == synAllResourcesTaken)
		*event = handle;
	syn_device_put();

	return status;
}

synStatus synEventDestroy(synEventHandle event)
{
	struct syn_slot *slot;
	synStatus status = syn_begin_with(SYN_EVENT, event, &slot);

	if (status)
		return status;
	if (!syn_handle_end(slot, event, false))
		status = synInvalidEventHandle;
	syn_end(slot);

	return status;
}

/* libgaudi's event of @slot, made if it is not there. */
static int event_of(struct syn_slot *slot, struct gaudi_event **event)
{
	bool timed = slot->flags & EVENT_COLLECT_TIME;
	void *was = NULL;
	int rc;

	*event = atomic_load(&slot->object);
	if (*event)
		return 0;
	rc = gaudi_event_create(syn_device_gaudi(),
				timed ? 0 : GAUDI_EVENT_NO_TIMING, event);
	if (rc)
		return rc;
	if (!atomic_compare_exchange_strong(&slot->object, &was,
					    (void *)*event)) {
		gaudi_event_destroy(*event);
		*event = was;
	}

	return 0;
}

/* A call with both. */
static synStatus begin_both(synEventHandle event, synStreamHandle stream,
			    struct syn_slot **event_slot,
			    struct syn_slot **stream_slot)
{
	synStatus status = syn_begin_with(SYN_EVENT, event, event_slot);

	if (status)
		return status;
	status = syn_begin_with(SYN_STREAM, stream, stream_slot);
	if (status)
		syn_end(*event_slot);

	return status;
}

synStatus synEventRecord(synEventHandle event, synStreamHandle stream)
{
	struct syn_slot *events, *streams;
	struct gaudi_event *made;
	synStatus status = begin_both(event, stream, &events, &streams);
	int rc;

	if (status)
		return status;
	rc = event_of(events, &made);
	if (!rc)
		rc = gaudi_event_record(made, streams->object);
	syn_end(streams);
	syn_end(events);

	return syn_status(rc);
}

synStatus synStreamWaitEvent(synStreamHandle stream, synEventHandle event,
			     uint32_t flags)
{
	struct syn_slot *events, *streams;
	struct gaudi_event *made;
	synStatus status;
	int rc = 0;

	if (flags)
		return syn_fail(synInvalidArgument, "wait: flags are not 0");
	status = begin_both(event, stream, &events, &streams);
	if (status)
		return status;
	made = atomic_load(&events->object);
	if (made)
		rc = gaudi_stream_wait_event(streams->object, made);
	syn_end(streams);
	syn_end(events);

	return syn_status(rc);
}

typedef int (*event_fn)(struct gaudi_event *event);

static synStatus with_event(synEventHandle event, event_fn fn)
{
	struct gaudi_event *made;
	struct syn_slot *slot;
	synStatus status = syn_begin_with(SYN_EVENT, event, &slot);

	if (status)
		return status;
	made = atomic_load(&slot->object);
	if (made)
		status = syn_status(fn(made));
	syn_end(slot);

	return status;
}

synStatus synEventQuery(synEventHandle event)
{
	return with_event(event, gaudi_event_query);
}

synStatus synEventSynchronize(synEventHandle event)
{
	return with_event(event, gaudi_event_synchronize);
}

/* What of an event's handle has a time; with a reference, even if it has none. */
static synStatus begin_timed(synEventHandle event, struct syn_slot **slot)
{
	synStatus status = syn_begin_with(SYN_EVENT, event, slot);

	if (status)
		return status;
	if (!((*slot)->flags & EVENT_COLLECT_TIME))
		status = syn_fail(synInvalidArgument,
				  "event %p does not collect the time",
				  (void *)event);
	else if (!atomic_load(&(*slot)->object))
		status = syn_fail(synObjectNotInitialized,
				  "event %p was never recorded", (void *)event);
	if (status)
		syn_end(*slot);

	return status;
}

static synStatus elapsed(uint64_t *nanoseconds, struct gaudi_event *start,
			 struct gaudi_event *end)
{
	int64_t ns;
	int rc = gaudi_event_elapsed_ns(start, end, &ns);

	/* A record that failed is none, which is all that can be wrong. */
	if (rc == -EINVAL)
		return synObjectNotInitialized;
	if (!rc)
		*nanoseconds = (uint64_t)ns;

	return syn_status(rc);
}

synStatus synEventElapsedTime(uint64_t *nanoseconds, synEventHandle start,
			      synEventHandle end)
{
	struct syn_slot *from, *to;
	synStatus status;

	if (!nanoseconds)
		return syn_fail(synInvalidArgument, "elapsed time: NULL");
	status = begin_timed(start, &from);
	if (status)
		return status;
	if (!end) {
		status = elapsed(nanoseconds, syn_epoch(), from->object);
	} else {
		status = begin_timed(end, &to);
		if (!status) {
			status = elapsed(nanoseconds, from->object, to->object);
			syn_end(to);
		}
	}
	syn_end(from);

	return status;
}
