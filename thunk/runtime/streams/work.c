// SPDX-License-Identifier: MIT
/*
 * Operations as packets. A stream collects packets for one queue; they become a
 * piece of work when the queue changes, when the buffer is full, or, outside of
 * batches, at the end of each operation.
 */
#include <errno.h>
#include <stdio.h>

#include "work.h"

/* So that no piece takes long by the driver's clock. */
#define MAX_DMA		(128 * MIB)

int gd_flush_open(struct gaudi_stream *stream)
{
	struct gaudi_device *device = stream->device;
	unsigned int q = stream->open_q;
	uint64_t n;
	int rc;

	rc = gd_submit(device, q, &stream->after, stream->open.mem,
		       stream->open.used, &n);
	if (rc)
		return rc;
	/* The piece waits for all that was before: it stands for them. */
	stream->after = (struct gd_point) {};
	gd_point_set(&stream->after, q, n);
	gd_open_submitted(stream, q, n);

	return 0;
}

void gd_open_submitted(struct gaudi_stream *stream, unsigned int q, uint64_t n)
{
	struct gaudi_device *device = stream->device;

	stream->open.used = 0;
	gd_count_open(stream);
	for (unsigned int i = 0; i < stream->open_range_count; i++) {
		gd_range_use(device, stream->open_ranges[i], q, n);
		gd_range_put(device, stream->open_ranges[i]);
	}
	stream->open_range_count = 0;
	if (!STAILQ_EMPTY(&stream->collected))
		gd_stream_collected_done(stream);
}

void gd_drop_open(struct gaudi_stream *stream)
{
	while (stream->open_range_count)
		gd_range_put(stream->device, stream->open_ranges
			     [--stream->open_range_count]);
	stream->open.used = 0;
	gd_count_open(stream);
}

/* What an operation that fails half way takes back. */
struct mark {
	size_t used;
	unsigned int ranges;
};

static void take_back(struct gaudi_stream *stream, const struct mark *mark)
{
	/* Flushed meanwhile: what is open is all the operation's. */
	size_t used = stream->open.used < mark->used ? 0 : mark->used;
	unsigned int ranges = stream->open.used < mark->used ? 0 : mark->ranges;

	stream->open.used = used;
	while (stream->open_range_count > ranges)
		gd_range_put(stream->device, stream->open_ranges
			     [--stream->open_range_count]);
}

/* Room for one more packet of an operation on queue @q. */
static int make_room(struct gaudi_stream *stream, unsigned int q,
		     struct gd_range *range)
{
	bool full = stream->open.size - stream->open.used <
		    sizeof(struct gaudi_packet_lin_dma);
	unsigned int i;
	int rc;

	if (stream->open.used && (full || stream->open_q != q)) {
		rc = gd_flush(stream);
		if (rc)
			return rc;
	}
	stream->open_q = q;
	if (!range)
		return 0;
	for (i = 0; i < stream->open_range_count; i++)
		if (stream->open_ranges[i] == range)
			return 0;
	if (i == GD_OPEN_RANGES) {
		rc = gd_flush(stream);
		if (rc)
			return rc;
	}
	gd_range_get_again(stream->device, range);
	stream->open_ranges[stream->open_range_count++] = range;

	return 0;
}

/* One packet; the first one of an operation waits for those before it. */
static int put_dma(struct gaudi_stream *stream, const struct gd_op *op,
		   uint64_t to, uint64_t from, uint32_t size, bool first)
{
	unsigned int q = (op->down ? GD_STREAMS : 0) + stream->hw_stream;
	uint32_t barriers;
	int rc = make_room(stream, q, op->range);

	if (rc)
		return rc;
	barriers = first && stream->open.used ? GAUDI_PKT_CTL_EB : 0;
	if (op->kind == GD_OP_FILL)
		pkt_memset(&stream->open, from, to, size, barriers);
	else
		pkt_lin_dma(&stream->open, from, to, size, barriers);

	return size == MAX_DMA ? gd_flush(stream) : 0;
}

static int run_rect(struct gaudi_stream *stream, const struct gd_op *op)
{
	const struct gd_rect *rect = &op->rect;
	struct mark mark = { stream->open.used, stream->open_range_count };
	bool is_fill = op->kind == GD_OP_FILL;
	bool first = true;
	int rc = 0;

	for (uint64_t row = 0; !rc && row < rect->height; row++) {
		uint64_t to = rect->to + row * rect->to_pitch;
		uint64_t from = rect->from + row * rect->from_pitch;

		for (uint64_t done = 0; !rc && done < rect->width;) {
			uint64_t size = rect->width - done;

			if (size > MAX_DMA)
				size = MAX_DMA;
			rc = put_dma(stream, op, to + done,
				     is_fill ? rect->from : from + done,
				     (uint32_t)size, first);
			first = false;
			done += size;
		}
	}
	if (!rc && !atomic_load(&stream->batch))
		rc = gd_flush(stream);
	if (rc)
		take_back(stream, &mark);
	gd_count_open(stream);

	return rc;
}

static int run_wait(struct gaudi_stream *stream, const struct gd_op *op)
{
	struct gaudi_device *other = op->event->device;
	struct gd_point point;
	int rc;

	rc = gd_flush(stream);
	if (rc)
		return rc;
	gd_record_await(op->event, op->record, &point);
	if (other == stream->device)
		gd_point_join(&stream->after, &point);
	else
		rc = gd_wait(other, &point);

	return rc || op->only_order ? rc :
	       gd_fate_await(stream, op->event, op->record);
}

/* Of the host function that this thread calls. */
static _Thread_local struct verdict {
	bool called;
	int error;
	char why[GD_WHY_SIZE];
} verdict;

int gaudi_host_fn_fail(int error, const char *why)
{
	if (!verdict.called || error >= 0 || !why)
		return gd_fail(-EINVAL, "gaudi_host_fn_fail: %s",
			       !verdict.called ? "no host function is called" :
			       why ? "the error is not below 0" : "why is NULL");
	if (verdict.error)
		return 0;
	verdict.error = error;
	snprintf(verdict.why, sizeof(verdict.why), "%s", why);

	return 0;
}

int gd_stream_call(struct gaudi_stream *stream, gaudi_host_fn fn, void *arg)
{
	struct verdict verdict_before = verdict;
	struct gaudi_device *before;
	int rc = gd_flush(stream);

	if (!rc)
		rc = gd_wait(stream->device, &stream->after);
	if (!rc)
		rc = atomic_load(&stream->error);
	before = gd_set_callback_of(stream->device);
	pthread_setname_np(pthread_self(), GD_THREAD_IN_CALL);
	verdict = (struct verdict) { .called = true };
	fn(arg, rc);
	if (!rc && verdict.error) {
		rc = gd_fail(verdict.error, "%s", verdict.why);
		gd_stream_fail(stream, rc, verdict.why);
	}
	verdict = verdict_before;
	pthread_setname_np(pthread_self(), GD_THREAD);
	gd_set_callback_of(before);

	return rc;
}

static int run_host_fn(struct gaudi_stream *stream, const struct gd_op *op)
{
	int rc = gd_stream_call(stream, op->fn, op->arg);

	if (op->release)
		op->release(op->arg);

	return rc;
}

int gd_op_run(struct gaudi_stream *stream, const struct gd_op *op)
{
	int rc;

	stream->step += op->kind == GD_OP_WAIT || op->job;
	switch (op->kind) {
	case GD_OP_RECT:
	case GD_OP_FILL:
		return run_rect(stream, op);
	case GD_OP_WAIT:
		return run_wait(stream, op);
	case GD_OP_RECORD:
		rc = gd_flush(stream);
		/* Who waits for a record must not wait for ever. */
		return rc ? (gd_record_store(op->event, op->record, stream,
					     &stream->after), rc)
			  : gd_record_store(op->event, op->record, stream,
					    &stream->after);
	case GD_OP_HOST_FN:
		return run_host_fn(stream, op);
	case GD_OP_LAUNCH:
	case GD_OP_LINK:
		return op->job->ops->run(stream, op->job);
	default:
		return -EINVAL;
	}
}
