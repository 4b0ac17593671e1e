// SPDX-License-Identifier: MIT
/*
 * Submission to the hardware queues. What becomes of it is in timeline.c.
 *
 * Piece n of a queue raises one of the queue's two sync objects to
 * (n - 1) % wrap + 1; the next wrap pieces raise the other one. What waits for it
 * on another queue has a monitor armed at that value, and a FENCE.
 *
 * This begins when something waits for the queue for the first time, or the queue
 * for something: many a program uses one stream, and a signal is half of what a
 * small piece makes the card do. For what was submitted until then, which waited
 * for nothing, stands one more piece, that raises the sync object from 0 to where
 * it would be.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "packets.h"
#include "queue_state.h"

/* Seconds of what waits without limit: some ten days. */
#define PATIENCE_S	1000000u
#define NEVER		UINT64_MAX

void gd_queues_exit(struct gaudi_device *device)
{
	for (unsigned int q = 0; device->queues && q < GD_QUEUES; q++) {
		for (unsigned int i = 0; i < GD_DEPTH; i++)
			gd_stamp_put(device->queues[q].pieces[i].stamp);
	}
	free(device->queues);
	for (unsigned int i = 0; i < ARRAY_SIZE(device->frames); i++)
		gd_cb_destroy(device, device->frames[i]);
	gd_cb_destroy(device, device->aside);
	gd_cbs_exit(device);
}

/* Which of the two sync objects piece @n raises, and to what. */
static unsigned int sob_of(const struct gaudi_device *device, uint64_t n)
{
	return (n - 1) >> device->wrap_shift & 1;
}

static uint32_t value_of(const struct gaudi_device *device, uint64_t n)
{
	return (uint32_t)((n - 1) & (device->wrap - 1)) + 1;
}

/* The piece of each @wrap that sets the queue's other sync object to 0. */
static bool is_middle(const struct gaudi_device *device, uint64_t n)
{
	return value_of(device, n) == device->wrap / 2;
}

/*
 * A sync object starts from 0 only after what raised it to its old values, and
 * what waits for these, has ended. And nothing waits for new values before it
 * has been set to 0, or it would find the old ones. Normally all of this has
 * been so for thousands of pieces.
 */
static int make_way(struct gaudi_device *device, unsigned int q, uint64_t n)
{
	struct gd_queue *queue = &device->queues[q];
	uint32_t half = device->wrap / 2;
	struct gd_point old = {};

	if (n <= half || n <= queue->signals_from)
		return 0;
	if (is_middle(device, n)) {
		for (unsigned int p = 0; p < GD_QUEUES; p++)
			gd_point_set(&old, p,
				     queue->waiters[!sob_of(device, n)][p]);
		if (old.n[q] < n - half)
			gd_point_set(&old, q, n - half);
	} else if (value_of(device, n) == 1) {
		gd_point_set(&old, q, n - 1 - device->wrap + half);
	} else {
		return 0;
	}

	return gd_wait(device, &old);
}

/* Of @after, what queue @q has to be held for. All these queues signal. */
static void find_waits(const struct gaudi_device *device, unsigned int q,
		       const struct gd_point *after, struct gd_point *waits)
{
	GD_FOR_EACH_QUEUE(p, after->set & ~(1u << q)) {
		const struct gd_queue *other = &device->queues[p];

		if (!gd_is_under_way(device, p, after->n[p]))
			continue;
		gd_point_set(waits, p, after->n[p] < other->signals_from ?
				       other->signals_from : after->n[p]);
	}
}

/* Packets that hold the queue until @waits. */
static void put_waits(struct gaudi_device *device, unsigned int q,
		      const struct gd_point *waits, struct pkt_buf *pb)
{
	const struct gd_queue *queue = &device->queues[q];

	GD_FOR_EACH_QUEUE(p, waits->set) {
		const struct gd_queue *other = &device->queues[p];
		uint64_t n = waits->n[p];

		pkt_monitor_again(pb, queue->monitor,
				  other->sob[sob_of(device, n)],
				  value_of(device, n));
		pkt_fence(pb, GD_FENCE, 1, 1, GAUDI_PKT_CTL_MB);
	}
}

static void note_waits(struct gaudi_device *device, unsigned int q, uint64_t n,
		       const struct gd_point *waits)
{
	GD_FOR_EACH_QUEUE(p, waits->set) {
		struct gd_queue *other = &device->queues[p];

		other->waiters[sob_of(device, waits->n[p])][q] = n;
	}
}

static int submit_cs(struct gaudi_device *device, struct hl_cs_chunk *chunks,
		     uint32_t num, bool patient, uint64_t *seq)
{
	struct hlthunk_cs_in in = {
		.chunks_execute = chunks,
		.num_chunks_execute = num,
		.flags = HL_CS_FLAGS_TIMESTAMP,
	};
	struct hlthunk_cs_out out = {};
	struct hl_cs_chunk few[4];
	int rc;

	/* A card in the process reads the stack as it is, and asks the kernel for all else. */
	if (num <= sizeof(few) / sizeof(few[0]))
		in.chunks_execute = memcpy(few, chunks, num * sizeof(few[0]));
	rc = patient ? hlthunk_command_submission_timeout(device->fd, &in, &out,
							  PATIENCE_S) :
		       hlthunk_command_submission(device->fd, &in, &out);
	if (rc == -EBUSY || rc == -ENODEV || rc == -EIO) {
		gd_device_lose(device, rc, "the driver takes no more work");
		return gd_device_is_lost(device);
	}
	if (rc)
		return gd_fail(rc, "card %u, queue %u: %u bytes of packets, %u buffers refused: %s",
			       device->card.accel, chunks->queue_index,
			       chunks->cb_size, num, gaudi_strerror(rc));
	*seq = out.seq;

	return 0;
}

static struct hl_cs_chunk chunk_of(const struct gd_queue *queue,
				   const struct gd_cb *cb, size_t size)
{
	return (struct hl_cs_chunk) {
		.cb_handle = cb->handle,
		.queue_index = queue->id,
		.cb_size = (uint32_t)size,
	};
}

/* As no piece of work, and wait for it. */
static int run_alone(struct gaudi_device *device, const struct gd_cb *cb,
		     size_t size)
{
	struct hl_cs_chunk chunk = chunk_of(&device->queues[0], cb, size);
	uint64_t seq, ns = 0;
	int rc = submit_cs(device, &chunk, 1, false, &seq);

	while (!rc && !ns)
		rc = gd_ask_driver(device, seq, GD_WAIT_US, &ns);

	return rc;
}

/* As many as fit in one small buffer. */
static int clear_some(struct gaudi_device *device, struct gd_cb *cb,
		      uint32_t first, uint32_t count)
{
	struct pkt_buf pb;

	pkt_init(&pb, cb->memory, cb->size);
	for (uint32_t i = 0; i < count; i++)
		pkt_sob_set(&pb, first + i, 0, GAUDI_PKT_CTL_MB);

	return run_alone(device, cb, pb.used);
}

int gd_sobs_clear(struct gaudi_device *device, uint32_t first, uint32_t count)
{
	const uint32_t most = GD_CB_SMALL / 8;
	struct gd_cb *cb;
	int rc = gd_cb_get(device, GD_CB_SMALL, &cb);

	if (rc)
		return rc;
	while (!rc && count) {
		uint32_t some = count < most ? count : most;

		rc = clear_some(device, cb, first, some);
		first += some;
		count -= some;
	}
	gd_cb_put(device, cb);

	return rc;
}

int gd_monitors_aim(struct gaudi_device *device, uint32_t first,
		    uint32_t count, const uint32_t *queues)
{
	struct pkt_buf pb;
	struct gd_cb *cb;
	int rc = gd_cb_get(device, GD_CB_SMALL, &cb);

	if (rc)
		return rc;
	pkt_init(&pb, cb->memory, cb->size);
	for (uint32_t i = 0; i < count; i++)
		pkt_monitor_payload(&pb, first + i,
				    pkt_fence_addr(queues[i], GD_FENCE), 1);
	rc = run_alone(device, cb, pb.used);
	gd_cb_put(device, cb);

	return rc;
}

/*
 * A submission needs a part of an external queue. Nobody waits for this one, so its buffer
 * is never used for anything else.
 */
static int make_aside(struct gaudi_device *device)
{
	struct pkt_buf pb;
	int rc = gd_cb_create(device, GD_CB_SMALL, &device->aside);

	if (rc)
		return rc;
	pkt_init(&pb, device->aside->memory, device->aside->size);
	pkt_nop(&pb, 0);

	return 0;
}

int gd_submit_aside(struct gaudi_device *device,
		    const struct hl_cs_chunk *chunk)
{
	struct hl_cs_chunk chunks[2] = { [1] = *chunk };
	uint64_t seq;
	int rc = device->aside ? 0 : make_aside(device);

	if (rc)
		return rc;
	chunks[0] = chunk_of(&device->queues[gd_queue_idle(device)],
			     device->aside, sizeof(struct gaudi_packet_nop));

	return submit_cs(device, chunks, 2, true, &seq);
}

unsigned int gd_queue_idle(const struct gaudi_device *device)
{
	for (unsigned int q = 0; q < GD_QUEUES; q++)
		if (!gd_is_under_way(device, q, gd_queue_submitted(&device->queues[q])))
			return q;

	return 0;
}

uint32_t gd_queue_id(const struct gaudi_device *device, unsigned int q)
{
	return device->queues[q].id;
}

uint32_t gd_queue_monitor(const struct gaudi_device *device, unsigned int q)
{
	return device->queues[q].monitor;
}

int gd_queues_init(struct gaudi_device *device)
{
	static const uint32_t ids[GD_QUEUES] = {
		GAUDI_QUEUE_ID_DMA_0_0, GAUDI_QUEUE_ID_DMA_0_1,
		GAUDI_QUEUE_ID_DMA_0_2, GAUDI_QUEUE_ID_DMA_0_3,
		GAUDI_QUEUE_ID_DMA_1_0, GAUDI_QUEUE_ID_DMA_1_1,
		GAUDI_QUEUE_ID_DMA_1_2, GAUDI_QUEUE_ID_DMA_1_3,
	};
	uint32_t sobs, monitors;
	int rc;

	device->queues = calloc(GD_QUEUES, sizeof(*device->queues));
	if (!device->queues)
		return gd_fail(-ENOMEM, "no memory for the queues of card %u",
			       device->card.accel);
	rc = gd_sobs_reserve(device, 2 * GD_QUEUES, &sobs);
	if (!rc)
		rc = gd_monitors_reserve(device, GD_QUEUES, &monitors);
	if (rc)
		return rc;
	for (unsigned int q = 0; q < GD_QUEUES; q++) {
		struct gd_queue *queue = &device->queues[q];

		queue->id = ids[q];
		queue->sob[0] = sobs + 2 * q;
		queue->sob[1] = sobs + 2 * q + 1;
		queue->monitor = monitors + q;
		queue->signals_from = NEVER;
	}

	rc = gd_monitors_aim(device, monitors, GD_QUEUES, ids);

	return rc ? rc : gd_sobs_clear(device, sobs, 2 * GD_QUEUES);
}

/*
 * The piece is under way. Nobody looks at its place before: what was there has
 * ended, and so is not looked at any more.
 */
static void piece_begin(struct gd_queue *queue, uint64_t n, uint64_t seq,
			const struct gd_point *waits)
{
	struct gd_piece *piece = gd_piece_of(queue, n);

	if (waits->set)
		piece->after = *waits;
	else
		piece->after.set = 0;
	piece->seq = seq;
	atomic_store_explicit(&queue->submitted, n, memory_order_release);
}

static void put_packets(struct pkt_buf *pb, const void *packets, size_t size)
{
	if (size)
		memcpy(pb->mem + pb->used, packets, size);
	pb->used += size;
}

/*
 * What a piece has around the work: waits and the work's packets in the first
 * buffer, the signal behind them, or in a last buffer if others come between.
 * Drivers copy the buffers of such queues when they take a submission, and so
 * the next one has the same, whose pages the processor still knows.
 */
struct frame {
	struct gd_cb *cb;
	struct gd_cb *tail;		/* or NULL */
};

/* Of a small frame it is always the same one: @submit is held. */
static int frame_get(struct gaudi_device *device, unsigned int i, size_t size,
		     struct gd_cb **cb)
{
	int rc;

	if (size > GD_CB_SMALL)
		return gd_cb_get(device, size, cb);
	if (!device->frames[i]) {
		rc = gd_cb_create(device, GD_CB_SMALL, &device->frames[i]);
		if (rc)
			return rc;
	}
	*cb = device->frames[i];

	return 0;
}

static void frame_put(struct gaudi_device *device, unsigned int i,
		      struct gd_cb *cb)
{
	if (cb != device->frames[i])
		gd_cb_put(device, cb);
}

/* What others wait for: the engine has done everything before it counts. */
static void put_signal(struct gaudi_device *device,
		       const struct gd_queue *queue, uint64_t n, bool first,
		       struct pkt_buf *pb)
{
	const uint32_t barriers = GAUDI_PKT_CTL_EB | GAUDI_PKT_CTL_MB;
	uint32_t sob = queue->sob[sob_of(device, n)];

	if (first)
		pkt_sob_set(pb, sob, value_of(device, n), barriers);
	else if (n > queue->signals_from)
		pkt_sob_add(pb, sob, 1, barriers);
	/* No buffer is empty. */
	else if (!pb->used)
		pkt_nop(pb, 0);
}

static int put_frame(struct gaudi_device *device, unsigned int q, uint64_t n,
		     const struct gd_point *waits, const struct gd_work *work,
		     struct frame *frame)
{
	struct gd_queue *queue = &device->queues[q];
	struct pkt_buf pb;
	int rc;

	rc = frame_get(device, 0, work->size + work->end_size + GD_CB_FRAME,
		       &frame->cb);
	if (!rc && work->tail)
		rc = frame_get(device, 1, work->end_size + GD_CB_FRAME,
			       &frame->tail);
	if (rc)
		return rc;
	pkt_init(&pb, frame->cb->memory, frame->cb->size);
	if (n > queue->signals_from && is_middle(device, n))
		pkt_sob_set(&pb, queue->sob[!sob_of(device, n)], 0,
			    GAUDI_PKT_CTL_MB);
	put_waits(device, q, waits, &pb);
	put_packets(&pb, work->packets, work->size);
	if (work->tail) {
		if (!pb.used)
			pkt_nop(&pb, 0);
		work->chunks[0] = chunk_of(queue, frame->cb, pb.used);
		pkt_init(&pb, frame->tail->memory, frame->tail->size);
	}
	put_packets(&pb, work->end, work->end_size);
	put_signal(device, queue, n, work->first_signal, &pb);
	if (work->tail)
		work->chunks[work->num_chunks - 1] =
			chunk_of(queue, frame->tail, pb.used);
	else
		work->chunks[0] = chunk_of(queue, frame->cb, pb.used);

	return 0;
}

/* With @submit held, and room in the queue. */
static int submit_locked(struct gaudi_device *device, unsigned int q,
			 const struct gd_point *after,
			 const struct gd_work *work, uint64_t *out_n)
{
	struct gd_queue *queue = &device->queues[q];
	uint64_t n = gd_queue_submitted(queue) + 1, seq;
	struct frame frame = {};
	struct gd_point waits;
	int rc;

	waits.set = 0;
	rc = make_way(device, q, n);
	find_waits(device, q, after, &waits);
	if (!rc)
		rc = put_frame(device, q, n, &waits, work, &frame);
	if (!rc)
		rc = submit_cs(device, work->chunks, work->num_chunks,
			       work->patient, &seq);
	frame_put(device, 0, frame.cb);
	frame_put(device, 1, frame.tail);
	if (rc)
		return rc;
	if (work->first_signal)
		queue->signals_from = n;
	note_waits(device, q, n, &waits);
	piece_begin(queue, n, seq, &waits);
	*out_n = n;

	return 0;
}

static bool is_full(const struct gd_queue *queue)
{
	return gd_queue_submitted(queue) - gd_queue_ended(queue) >= GD_DEPTH;
}

/* Room for one more piece; @submit is held, and dropped while it waits. */
static int make_room(struct gaudi_device *device, unsigned int q)
{
	struct gd_queue *queue = &device->queues[q];
	int rc = 0;

	while (!rc && is_full(queue)) {
		struct gd_point half = {};

		/* Half of them, so that this does not come each time. */
		gd_point_set(&half, q, gd_queue_submitted(queue) - GD_DEPTH / 2);
		pthread_mutex_unlock(&device->submit);
		rc = gd_wait(device, &half);
		pthread_mutex_lock(&device->submit);
	}

	return rc;
}

static inline int wait_for_room(struct gaudi_device *device, unsigned int q)
{
	return is_full(&device->queues[q]) ? make_room(device, q) : 0;
}

/* @submit is held, and dropped while this waits. */
static int begin_signal(struct gaudi_device *device, unsigned int q)
{
	static const struct gd_point nothing;
	struct gd_queue *queue = &device->queues[q];
	struct hl_cs_chunk chunk;
	const struct gd_work work = {
		.chunks = &chunk,
		.num_chunks = 1,
		.first_signal = true,
	};
	uint64_t n;
	int rc;

	if (queue->signals_from != NEVER)
		return 0;
	/* Its sync objects are 0, as they are before the first piece. */
	if (!gd_queue_submitted(queue)) {
		queue->signals_from = 0;
		return 0;
	}
	rc = wait_for_room(device, q);
	if (!rc && atomic_load(&device->lost))
		rc = gd_device_is_lost(device);
	/* Another thread may have been here meanwhile. */
	if (!rc && queue->signals_from == NEVER)
		rc = submit_locked(device, q, &nothing, &work, &n);

	return rc;
}

/*
 * Let all queues signal that @q is about to wait for, and @q itself, if it has to wait for them
 * or another card: who waits for an earlier piece of it must not wait for this one, too.
 */
static int begin_signals(struct gaudi_device *device, unsigned int q,
			 const struct gd_point *after, bool patient)
{
	bool waits = patient;
	int rc = 0;

	GD_FOR_EACH_QUEUE(p, after->set & ~(1u << q)) {
		if (!gd_is_under_way(device, p, after->n[p]))
			continue;
		waits = true;
		rc = begin_signal(device, p);
		if (rc)
			break;
	}

	return rc || !waits ? rc : begin_signal(device, q);
}

int gd_submit_work(struct gaudi_device *device, unsigned int q,
		   const struct gd_point *after, const struct gd_work *work,
		   uint64_t *n)
{
	struct gd_point all;
	int rc;

	pthread_mutex_lock(&device->submit);
	for (;;) {
		rc = begin_signals(device, q, after, work->patient);
		if (!rc)
			rc = wait_for_room(device, q);
		if (!rc && atomic_load(&device->lost))
			rc = gd_device_is_lost(device);
		if (!rc)
			rc = submit_locked(device, q, after, work, n);
		if (rc != -EAGAIN)
			break;
		/* The driver's rings may be full: not when all has ended. */
		gd_submitted(device, &all);
		if (gd_has_ended(device, &all))
			break;
		pthread_mutex_unlock(&device->submit);
		rc = gd_wait(device, &all);
		pthread_mutex_lock(&device->submit);
		if (rc)
			break;
	}
	pthread_mutex_unlock(&device->submit);

	return rc;
}
