// SPDX-License-Identifier: MIT
/*
 * Streams. Operations are done at once by the calling thread, unless they come
 * after a host function, or wait for something that the card cannot wait for (a
 * record that has not been done, another card), or are jobs that may. Then they are deferred, in
 * order, and the stream's own thread does them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "work.h"

/* A stream weighs more than all branches of graphs, where it is another stream that looks. */
#define MORE_THAN_BRANCHES	(1u << 16)

int gd_stream_fault(struct gaudi_stream *stream)
{
	int rc;

	if (!stream)
		return gd_fail(-EINVAL, "the stream is NULL");
	rc = gd_device_check(stream->device);
	if (rc)
		return rc;
	rc = atomic_load(&stream->error);
	if (rc)
		return gd_fail(rc, "stream %u: %s", stream->number,
			       stream->fate->why);

	return 0;
}

static void op_free(struct gaudi_device *device, struct gd_op *op)
{
	if (op->range)
		gd_range_put(device, op->range);
	gd_record_put(op->record);
	if (op->event)
		gd_event_put(op->event);
	if (op->job)
		gd_job_put(op->job);
	free(op);
}

/* Deferred work may have failed: what comes after it is not done. */
static void note(struct gaudi_stream *stream, int rc)
{
	if (!rc || atomic_load(&stream->device->lost))
		return;
	gd_log(GD_ERROR, "stream %u: deferred work failed: %s", stream->number,
	       gaudi_last_error(NULL));
	gd_stream_fail(stream, rc, "what it waited for failed earlier");
}

void gd_stream_collected_done(struct gaudi_stream *stream)
{
	struct gaudi_device *device = stream->device;
	struct gd_op *op;

	pthread_mutex_lock(&device->lock);
	STAILQ_FOREACH(op, &stream->collected, link)
		gd_defer_end(device, &op->deferred);
	gd_changed(device);
	pthread_mutex_unlock(&device->lock);
	while ((op = STAILQ_FIRST(&stream->collected))) {
		STAILQ_REMOVE_HEAD(&stream->collected, link);
		op_free(device, op);
	}
}

/*
 * The first deferred op has been done; as long as its packets are only collected
 * its ticket is not. Who sees the stream idle sees that its tickets are.
 */
static void op_done(struct gaudi_stream *stream, struct gd_op *op)
{
	int rc;

	pthread_mutex_lock(&stream->lock);
	if (!STAILQ_NEXT(op, link)) {
		rc = gd_flush(stream);
		note(stream, rc);
		if (rc)
			gd_drop_open(stream);
	}
	STAILQ_REMOVE_HEAD(&stream->ops, link);
	STAILQ_INSERT_TAIL(&stream->collected, op, link);
	if (!stream->open.used)
		gd_stream_collected_done(stream);
	pthread_cond_broadcast(&stream->changed);
	pthread_mutex_unlock(&stream->lock);
}

static void run_deferred(struct gaudi_stream *stream, struct gd_op *op)
{
	bool work = op->kind != GD_OP_RECORD && op->kind != GD_OP_HOST_FN;
	int rc = 0;

	if (!work || !atomic_load(&stream->error))
		rc = gd_op_run(stream, op);
	note(stream, rc);
}

static void *thread_main(void *arg)
{
	struct gaudi_stream *stream = arg;
	struct gd_op *op;

	pthread_setname_np(pthread_self(), GD_THREAD);
	pthread_mutex_lock(&stream->lock);
	for (;;) {
		op = STAILQ_FIRST(&stream->ops);
		if (!op && stream->stop)
			break;
		if (!op) {
			pthread_cond_wait(&stream->changed, &stream->lock);
			continue;
		}
		pthread_mutex_unlock(&stream->lock);
		run_deferred(stream, op);
		op_done(stream, op);
		pthread_mutex_lock(&stream->lock);
	}
	pthread_mutex_unlock(&stream->lock);

	return NULL;
}

/* Can the calling thread do it, without waiting? */
static bool can_run_now(struct gaudi_stream *stream, const struct gd_op *op)
{
	struct gd_point point;

	if (!gd_stream_idle(stream) || op->kind == GD_OP_HOST_FN ||
	    (op->job && op->job->later))
		return false;
	if (op->kind != GD_OP_WAIT)
		return true;

	return gd_record_load(op->event, op->record, &point) &&
	       (op->event->device == stream->device ||
		gd_has_ended(op->event->device, &point));
}

/* The stream's lock is held. */
static int defer(struct gaudi_stream *stream, const struct gd_op *op)
{
	struct gaudi_device *device = stream->device;
	struct gd_op *copy = malloc(sizeof(*copy));
	int rc;

	if (!copy)
		return gd_fail(-ENOMEM, "no memory for work to be done later");
	if (!stream->has_thread) {
		rc = pthread_create(&stream->thread, NULL, thread_main, stream);
		if (rc) {
			free(copy);
			return gd_fail(-rc, "stream %u: no thread for host functions: %s",
				       stream->number, gaudi_strerror(-rc));
		}
		stream->has_thread = true;
	}
	*copy = *op;
	if (copy->range)
		gd_range_get_again(device, copy->range);
	if (copy->event)
		gd_event_get(copy->event);
	if (copy->record)
		gd_record_get(copy->record);
	if (copy->job)
		gd_job_get(copy->job);
	gd_defer(device, &copy->deferred);
	stream->last_ticket = copy->deferred.ticket;
	STAILQ_INSERT_TAIL(&stream->ops, copy, link);
	pthread_cond_broadcast(&stream->changed);

	return 0;
}

/* The stream's lock is held. */
static inline int run_or_defer(struct gaudi_stream *stream,
			       const struct gd_op *op)
{
	return can_run_now(stream, op) ? gd_op_run(stream, op) :
					 defer(stream, op);
}

static int record(struct gaudi_stream *stream, const struct gd_op *op)
{
	struct gd_op copy = *op;
	int rc;

	copy.record = gd_event_announce(op->event);
	if (!copy.record)
		return -ENOMEM;
	rc = run_or_defer(stream, &copy);
	if (rc)
		gd_record_store(op->event, copy.record, NULL, NULL);
	gd_record_put(copy.record);

	return rc;
}

int gd_stream_do(struct gaudi_stream *stream, const struct gd_op *op)
{
	int rc = 0;

	if (atomic_load(&stream->capture)) {
		rc = gd_capture_op(stream, op);
		if (rc <= 0)
			return rc;
		rc = 0;
	}
	if (op->kind == GD_OP_RECORD)
		gd_capture_forget_event(op->event);
	pthread_mutex_lock(&stream->lock);
	if (op->job && op->job->ops->announce)
		rc = op->job->ops->announce(op->job);
	if (!rc)
		rc = op->kind == GD_OP_RECORD ? record(stream, op) :
						run_or_defer(stream, op);
	pthread_mutex_unlock(&stream->lock);

	return rc;
}

int gd_stream_drain(struct gaudi_stream *stream, struct gd_point *point)
{
	int rc;

	pthread_mutex_lock(&stream->lock);
	while (!gd_stream_idle(stream))
		pthread_cond_wait(&stream->changed, &stream->lock);
	rc = gd_flush(stream);
	*point = stream->after;
	pthread_mutex_unlock(&stream->lock);
	if (!rc)
		rc = gd_stream_check(stream);

	return rc;
}

static int flush_streams(struct gaudi_device *device, uint64_t *ticket)
{
	struct gaudi_stream *stream;
	int rc = 0;

	pthread_mutex_lock(&device->streams_lock);
	LIST_FOREACH(stream, &device->streams, link) {
		pthread_mutex_lock(&stream->lock);
		/* Else its thread does it. */
		if (!rc && gd_stream_idle(stream))
			rc = gd_flush(stream);
		if (*ticket < gd_stream_ticket(stream))
			*ticket = gd_stream_ticket(stream);
		pthread_mutex_unlock(&stream->lock);
	}
	pthread_mutex_unlock(&device->streams_lock);

	return rc;
}

static void stream_free(struct gaudi_stream *stream)
{
	pthread_cond_destroy(&stream->changed);
	pthread_mutex_destroy(&stream->lock);
	free(stream->open.mem);
	free(stream);
}

/*
 * What waits for another card holds up what is behind it in the same queue, so streams share
 * queues only if there are more of them; and branches of graphs only if there are more of both. One that
 * is not among @taken, which are bits, unless all are. The device's lock is held.
 */
static uint32_t least_used(const struct gaudi_device *device, uint32_t streams_weigh,
			   uint32_t taken)
{
	uint32_t least = 0, fewest = UINT32_MAX;

	for (uint32_t i = 0; i < GD_STREAMS; i++) {
		uint32_t users = device->users[i].streams * streams_weigh +
				 device->users[i].branches;

		if (users >= fewest || taken & 1u << i)
			continue;
		least = i;
		fewest = users;
	}

	return fewest != UINT32_MAX ? least : least_used(device, streams_weigh, 0);
}

void gd_branches_put(struct gaudi_device *device, struct gd_branches *branches)
{
	pthread_mutex_lock(&device->lock);
	for (uint32_t i = 1; i < branches->placed; i++)
		device->users[branches->at[i]].branches--;
	pthread_mutex_unlock(&device->lock);
	branches->placed = 0;
}

void gd_branches_place(struct gaudi_stream *stream, struct gd_branches *branches)
{
	struct gaudi_device *device = stream->device;
	uint32_t taken = 1u << stream->hw_stream;

	gd_branches_put(device, branches);
	branches->at[0] = (uint8_t)stream->hw_stream;
	pthread_mutex_lock(&device->lock);
	for (uint32_t i = 1; i < branches->num; i++) {
		uint32_t hw_stream = least_used(device, 1, taken);

		branches->at[i] = (uint8_t)hw_stream;
		device->users[hw_stream].branches++;
		taken |= 1u << hw_stream;
	}
	pthread_mutex_unlock(&device->lock);
	branches->placed = branches->num;
}

/* On none of the hardware streams that are @taken, which are bits, unless all are. */
static int create(struct gaudi_device *device, uint32_t taken, struct gaudi_stream **out)
{
	struct gaudi_stream *stream;
	void *open;
	int rc;

	stream = calloc(1, sizeof(*stream));
	open = malloc(GD_OPEN_SIZE);
	if (!stream || !open) {
		free(stream);
		free(open);
		return gd_fail(-ENOMEM, "no memory for a stream");
	}
	pkt_init(&stream->open, open, GD_OPEN_SIZE);
	stream->device = device;
	STAILQ_INIT(&stream->ops);
	STAILQ_INIT(&stream->collected);
	pthread_mutex_init(&stream->lock, NULL);
	pthread_cond_init(&stream->changed, NULL);
	stream->freed = gd_freed_new();
	if (!stream->freed) {
		stream_free(stream);
		return gd_fail(-ENOMEM, "no memory for a stream");
	}
	rc = gd_fate_begin(stream);
	if (rc) {
		gd_freed_end(device, stream->freed);
		stream_free(stream);
		return rc;
	}
	pthread_mutex_lock(&device->streams_lock);
	stream->number = device->stream_count++;
	pthread_mutex_lock(&device->lock);
	stream->hw_stream = least_used(device, MORE_THAN_BRANCHES, taken);
	device->users[stream->hw_stream].streams++;
	pthread_mutex_unlock(&device->lock);
	LIST_INSERT_HEAD(&device->streams, stream, link);
	pthread_mutex_unlock(&device->streams_lock);
	*out = stream;

	return 0;
}

int gaudi_stream_create(struct gaudi_device *device,
			struct gaudi_stream **stream)
{
	int rc = gd_device_check(device);

	if (rc)
		return rc;

	return stream ? create(device, 0, stream) :
			gd_fail(-EINVAL, "gaudi_stream_create: stream is NULL");
}

int gaudi_stream_create_apart(struct gaudi_device *device, uint32_t count,
			      struct gaudi_stream **streams)
{
	uint32_t made = 0, taken = 0;
	int rc = gd_device_check(device);

	if (rc)
		return rc;
	if (!count || count > GD_STREAMS || !streams)
		return gd_fail(-EINVAL, "gaudi_stream_create_apart: %u streams at %p, not 1 to %u",
			       count, (void *)streams, GD_STREAMS);
	for (; !rc && made < count; made += !rc) {
		rc = create(device, taken, &streams[made]);
		if (!rc)
			taken |= 1u << streams[made]->hw_stream;
	}
	while (rc && made) {
		gaudi_stream_destroy(streams[--made]);
		streams[made] = NULL;
	}

	return rc;
}

/* Its host functions are called, whatever becomes of the work. */
static int stream_end(struct gaudi_stream *stream)
{
	struct gaudi_device *device = stream->device;
	struct gd_point point;
	int rc = gd_stream_drain(stream, &point);

	if (!rc)
		rc = gd_wait(device, &point);
	if (!rc)
		rc = gd_stream_check(stream);
	pthread_mutex_lock(&stream->lock);
	stream->stop = true;
	pthread_cond_broadcast(&stream->changed);
	pthread_mutex_unlock(&stream->lock);
	if (stream->has_thread)
		pthread_join(stream->thread, NULL);
	/* Who flushes all streams still finds it. */
	pthread_mutex_lock(&stream->lock);
	gd_drop_open(stream);
	pthread_mutex_unlock(&stream->lock);
	gd_freed_end(device, stream->freed);

	return rc;
}

int gaudi_stream_destroy(struct gaudi_stream *stream)
{
	struct gd_error_state state;
	int rc;

	if (!stream)
		return 0;
	rc = gd_device_check_mine(stream->device);
	if (!rc)
		rc = gd_may_block(stream->device, "gaudi_stream_destroy");
	if (rc)
		return rc;
	gd_capture_forget_stream(stream);
	rc = stream_end(stream);
	gd_error_save(&state);
	pthread_mutex_lock(&stream->device->streams_lock);
	LIST_REMOVE(stream, link);
	pthread_mutex_unlock(&stream->device->streams_lock);
	pthread_mutex_lock(&stream->device->lock);
	stream->device->users[stream->hw_stream].streams--;
	pthread_mutex_unlock(&stream->device->lock);
	gd_fate_end(stream);
	stream_free(stream);
	gd_error_restore(&state);

	return rc;
}

int gaudi_stream_recover(struct gaudi_stream *stream)
{
	struct gd_error_state state;
	struct gd_point point;
	int rc;

	if (!stream)
		return gd_fail(-EINVAL, "gaudi_stream_recover: the stream is NULL");
	rc = gd_device_check(stream->device);
	if (!rc)
		rc = gd_may_block(stream->device, "gaudi_stream_recover");
	if (rc || !atomic_load(&stream->error))
		return rc;
	gd_error_save(&state);
	/* Of which it says that it has failed. */
	rc = gd_stream_drain(stream, &point);
	if (rc && rc != atomic_load(&stream->error))
		return rc;
	gd_error_restore(&state);
	rc = gd_wait(stream->device, &point);
	if (rc)
		return rc;
	pthread_mutex_lock(&stream->lock);
	rc = gd_fate_renew(stream);
	pthread_mutex_unlock(&stream->lock);

	return rc;
}

void gd_streams_exit(struct gaudi_device *device)
{
	while (!LIST_EMPTY(&device->streams))
		gaudi_stream_destroy(LIST_FIRST(&device->streams));
}

int gd_streams_init(struct gaudi_device *device)
{
	device->flush_streams = flush_streams;

	return gd_stages_init(device);
}

void gd_streams_free(struct gaudi_device *device)
{
	gd_events_exit(device);
	gd_stages_exit(device);
}

int gd_own_stream(struct gaudi_device *device, struct gaudi_stream **stream)
{
	int rc = 0;

	pthread_mutex_lock(&device->own_lock);
	if (!device->own)
		rc = gaudi_stream_create(device, &device->own);
	*stream = device->own;
	pthread_mutex_unlock(&device->own_lock);

	return rc;
}

int gaudi_stream_synchronize(struct gaudi_stream *stream)
{
	PROFILE_CALL();
	struct gd_point point;
	int rc = gd_stream_check(stream);

	if (!rc)
		rc = gd_may_block(stream->device, "gaudi_stream_synchronize");
	if (!rc)
		rc = gd_capture_refuse(stream, NULL, "waiting for a stream");
	if (!rc)
		rc = gd_stream_drain(stream, &point);
	if (!rc)
		rc = gd_wait(stream->device, &point);

	/* What it waited for may have ended without having been done. */
	return rc ? rc : gd_stream_check(stream);
}

int gaudi_stream_query(struct gaudi_stream *stream)
{
	struct gd_point point = {};
	int rc = gd_stream_check(stream);

	if (!rc)
		rc = gd_capture_refuse(stream, NULL, "asking about a stream");
	if (rc)
		return rc;
	pthread_mutex_lock(&stream->lock);
	if (gd_stream_idle(stream)) {
		rc = gd_flush(stream);
		point = stream->after;
	} else {
		/* What it comes after is its thread's now. */
		rc = GAUDI_ERR_NOT_READY;
	}
	pthread_mutex_unlock(&stream->lock);

	if (!rc)
		rc = gd_poll(stream->device, &point);

	return rc ? rc : gd_stream_check(stream);
}

int gaudi_stream_add_owned_fn(struct gaudi_stream *stream, gaudi_host_fn fn,
			      void *arg, gaudi_release_fn release)
{
	const struct gd_op op = {
		.kind = GD_OP_HOST_FN,
		.fn = fn,
		.arg = arg,
		.release = release,
	};
	int rc = gd_stream_check(stream);

	if (rc)
		return rc;
	if (!fn)
		return gd_fail(-EINVAL, "stream %u: a host function is NULL",
			       stream->number);

	return gd_stream_do(stream, &op);
}

int gaudi_stream_add_host_fn(struct gaudi_stream *stream, gaudi_host_fn fn,
			     void *arg)
{
	return gaudi_stream_add_owned_fn(stream, fn, arg, NULL);
}

int gaudi_stream_begin_batch(struct gaudi_stream *stream)
{
	PROFILE_CALL();
	int rc = gd_stream_check(stream);

	if (rc)
		return rc;
	atomic_fetch_add(&stream->batch, 1);

	return 0;
}

int gaudi_stream_end_batch(struct gaudi_stream *stream)
{
	PROFILE_CALL();
	int rc = gd_stream_check(stream);

	if (rc)
		return rc;
	pthread_mutex_lock(&stream->lock);
	if (!atomic_load(&stream->batch))
		rc = gd_fail(-EINVAL, "stream %u: no batch was begun",
			     stream->number);
	else if (atomic_fetch_sub(&stream->batch, 1) == 1 && gd_stream_idle(stream))
		rc = gd_flush(stream);
	pthread_mutex_unlock(&stream->lock);

	return rc;
}
