// SPDX-License-Identifier: MIT
/*
 * Hardware queues: timelines, command buffers, submission, the end of work.
 *
 * Piece n of a queue raises one of the queue's two sync objects to
 * (n - 1) % wrap + 1; the next wrap pieces raise the other one. What waits for it
 * on another queue has a monitor armed at that value, and a FENCE.
 *
 * This begins when something waits for the queue for the first time: many a
 * program uses one stream, and a signal is half of what a small piece makes the
 * card do. For what was submitted until then stands one more piece, that raises
 * the sync object from 0 to where it would be.
 *
 * Both drivers end the pieces of one queue in order, so a question about piece n
 * answers for those before it, unless they are to be stamped.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "packets.h"
#include "queue_state.h"

#define FENCE_ID	0
#define WAIT_US		(3600ull * 1000 * 1000)
/* How long the driver is asked at a time while pieces are watched; with failures. */
#define WATCH_US	(50ull * 1000)
#define HURRY_US	1000ull
/* Seconds of what waits without limit: some ten days. */
#define PATIENCE_S	1000000u
#define NEVER		UINT64_MAX

static struct gd_piece *piece_of(struct gd_queue *queue, uint64_t n)
{
	return &queue->pieces[n % GD_DEPTH];
}

static uint64_t submitted(const struct gd_queue *queue)
{
	return atomic_load_explicit(&queue->submitted, memory_order_acquire);
}

static uint64_t ended(const struct gd_queue *queue)
{
	return atomic_load_explicit(&queue->ended, memory_order_acquire);
}

/* Is piece @n of queue @q under way? 0 is none. */
static bool under_way(const struct gaudi_device *device, unsigned int q,
		      uint64_t n)
{
	return n > ended(&device->queues[q]);
}

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

void gd_stamp_put(struct gd_stamp *stamp)
{
	if (stamp && atomic_fetch_sub(&stamp->refs, 1) == 1)
		free(stamp);
}

int gd_stamp_get(struct gaudi_device *device, unsigned int q, uint64_t n,
		 struct gd_stamp **stamp)
{
	struct gd_queue *queue = &device->queues[q];
	struct gd_stamp *fresh = calloc(1, sizeof(*fresh));
	struct gd_piece *piece = piece_of(queue, n);

	if (!fresh)
		return gd_fail(-ENOMEM, "no memory for a time stamp");
	*stamp = NULL;
	pthread_mutex_lock(&device->lock);
	if (n > ended(queue)) {
		if (!piece->stamp) {
			atomic_store(&fresh->refs, 1);
			piece->stamp = fresh;
			fresh = NULL;
		}
		atomic_fetch_add(&piece->stamp->refs, 1);
		*stamp = piece->stamp;
	}
	pthread_mutex_unlock(&device->lock);
	free(fresh);

	return 0;
}

/* Ask the driver about one piece. *@ns is its end, 0 if it has not ended. */
static int ask_driver(struct gaudi_device *device, uint64_t seq,
		      uint64_t timeout_us, uint64_t *ns)
{
	uint32_t status = HL_WAIT_CS_STATUS_BUSY;
	int rc;

	*ns = 0;
	rc = hlthunk_wait_for_cs_with_timestamp(device->fd, seq, timeout_us,
						&status, ns);
	if (rc) {
		gd_device_lose(device, rc, "work of the card failed");
		return gd_fail(rc, "card %u: submission %llu failed: %s",
			       device->card.accel, (unsigned long long)seq,
			       rc == -ETIMEDOUT ? "not done in time" :
						  gaudi_strerror(rc));
	}
	if (status != HL_WAIT_CS_STATUS_COMPLETED) {
		*ns = 0;
		return 0;
	}
	if (!*ns)
		*ns = gd_os_now_ns();

	return 0;
}

/* Piece @n has ended, so what it waited for has, and so on; lock held. */
static void follow(struct gaudi_device *device, struct gd_queue *queue,
		   uint64_t n)
{
	bool more = queue->implied < n;

	if (more)
		queue->implied = n;
	/* Nearly always: the next one, and it waited for nothing. */
	if (queue->followed + 1 == n && !piece_of(queue, n)->after.set)
		more = ++queue->followed < queue->implied;
	while (more) {
		more = false;
		for (unsigned int q = 0; q < GD_QUEUES; q++) {
			queue = &device->queues[q];
			while (queue->followed < queue->implied) {
				const struct gd_piece *piece =
					piece_of(queue, ++queue->followed);

				more = true;
				GD_FOR_EACH_QUEUE(p, piece->after.set)
					if (device->queues[p].implied <
					    piece->after.n[p])
						device->queues[p].implied =
							piece->after.n[p];
			}
		}
	}
}

/* Note the end of the oldest piece; the lock is held. */
static void piece_end(struct gaudi_device *device, struct gd_queue *queue,
		      uint64_t ns)
{
	uint64_t n = ended(queue) + 1;
	struct gd_piece *piece = piece_of(queue, n);

	follow(device, queue, n);
	if (piece->stamp) {
		atomic_store(&piece->stamp->ns, ns);
		gd_stamp_put(piece->stamp);
		piece->stamp = NULL;
	}
	atomic_store_explicit(&queue->ended, n, memory_order_release);
}

/*
 * Piece @n is known to have ended at @ns. Those before it have as well; of
 * those that are to be stamped the driver knows when. Lock held, and dropped.
 */
static int end_up_to(struct gaudi_device *device, struct gd_queue *queue,
		     uint64_t n, uint64_t ns)
{
	int rc = 0;

	while (!rc && ended(queue) < n) {
		uint64_t m = ended(queue) + 1, when = ns;
		struct gd_piece *piece = piece_of(queue, m);

		if (m < n && piece->asked) {
			gd_changed_wait(device);
			continue;
		}
		if (m < n && piece->stamp) {
			piece->asked = true;
			pthread_mutex_unlock(&device->lock);
			rc = ask_driver(device, piece->seq, 0, &when);
			pthread_mutex_lock(&device->lock);
			piece->asked = false;
			gd_changed(device);
			if (rc || ended(queue) >= m)
				continue;
			if (!when)
				when = ns;
		}
		piece_end(device, queue, when);
	}
	gd_changed(device);

	return rc;
}

static uint64_t wait_us(struct gaudi_device *device)
{
	if (!atomic_load(&device->watched))
		return WAIT_US;

	return atomic_load(&device->hurry) ? HURRY_US : WATCH_US;
}

/*
 * Wait for piece @n of @queue, or only ask. One thread at a time asks about a
 * piece, since a driver may tell about its failure, or its time, only once.
 */
static int wait_piece(struct gaudi_device *device, struct gd_queue *queue,
		      uint64_t n, bool block)
{
	struct gd_piece *piece = piece_of(queue, n);
	uint64_t ns;
	int rc = 0;

	pthread_mutex_lock(&device->lock);
	while (!rc && ended(queue) < n) {
		if (atomic_load(&device->lost)) {
			pthread_mutex_unlock(&device->lock);
			return gd_device_is_lost(device);
		}
		if (piece->asked) {
			if (!block)
				break;
			gd_changed_wait(device);
			continue;
		}
		piece->asked = true;
		/* The driver knows in a moment. */
		block |= n <= queue->implied;
		pthread_mutex_unlock(&device->lock);
		rc = ask_driver(device, piece->seq,
				block ? wait_us(device) : 0, &ns);
		/* What it waits for may have to be helped. */
		if (!rc && !ns && atomic_load(&device->watched))
			device->watch(device);
		pthread_mutex_lock(&device->lock);
		piece->asked = false;
		gd_changed(device);
		if (!rc && ns)
			rc = end_up_to(device, queue, n, ns);
		if (!block)
			break;
	}
	if (!rc && ended(queue) < n)
		rc = GAUDI_ERR_NOT_READY;
	pthread_mutex_unlock(&device->lock);

	return rc;
}

int gd_wait(struct gaudi_device *device, const struct gd_point *point)
{
	int rc = 0;

	GD_FOR_EACH_QUEUE(q, point->set) {
		if (under_way(device, q, point->n[q]))
			rc = wait_piece(device, &device->queues[q],
					point->n[q], true);
		if (rc)
			break;
	}

	return rc;
}

int gd_poll(struct gaudi_device *device, const struct gd_point *point)
{
	int rc = 0;

	GD_FOR_EACH_QUEUE(q, point->set) {
		if (under_way(device, q, point->n[q]))
			rc = wait_piece(device, &device->queues[q],
					point->n[q], false);
		if (rc)
			break;
	}

	return rc;
}

bool gd_has_ended(struct gaudi_device *device, const struct gd_point *point)
{
	GD_FOR_EACH_QUEUE(q, point->set)
		if (under_way(device, q, point->n[q]))
			return false;

	return true;
}

void gd_submitted(struct gaudi_device *device, struct gd_point *point)
{
	*point = (struct gd_point) {};
	for (unsigned int q = 0; q < GD_QUEUES; q++)
		gd_point_set(point, q, submitted(&device->queues[q]));
}

void gd_point_join(struct gd_point *point, const struct gd_point *other)
{
	GD_FOR_EACH_QUEUE(q, other->set)
		if (point->n[q] < other->n[q])
			gd_point_set(point, q, other->n[q]);
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

		if (!under_way(device, p, after->n[p]))
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

		pkt_monitor(pb, queue->monitor,
			    other->sob[sob_of(device, n)],
			    value_of(device, n),
			    pkt_fence_addr(queue->id, FENCE_ID), 1);
		pkt_fence(pb, FENCE_ID, 1, 1, GAUDI_PKT_CTL_MB);
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
	int rc = patient ? hlthunk_command_submission_timeout(device->fd, &in,
							      &out, PATIENCE_S) :
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

/* As many as fit in one small buffer. */
static int clear_some(struct gaudi_device *device, struct gd_cb *cb,
		      uint32_t first, uint32_t count)
{
	struct hl_cs_chunk chunk;
	uint64_t seq, ns = 0;
	struct pkt_buf pb;
	int rc;

	pkt_init(&pb, cb->memory, cb->size);
	for (uint32_t i = 0; i < count; i++)
		pkt_sob_set(&pb, first + i, 0, GAUDI_PKT_CTL_MB);
	chunk = chunk_of(&device->queues[0], cb, pb.used);
	rc = submit_cs(device, &chunk, 1, false, &seq);
	while (!rc && !ns)
		rc = ask_driver(device, seq, WAIT_US, &ns);

	return rc;
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

int gd_submit_aside(struct gaudi_device *device,
		    const struct hl_cs_chunk *chunk)
{
	struct hl_cs_chunk chunks[2] = { [1] = *chunk };
	struct pkt_buf pb;
	uint64_t seq;
	int rc = 0;

	/*
	 * A submission needs a part of an external queue. Nobody waits for this one, so
	 * its buffer is never used for anything else.
	 */
	if (!device->aside)
		rc = gd_cb_create(device, GD_CB_SMALL, &device->aside);
	if (rc)
		return rc;
	pkt_init(&pb, device->aside->memory, device->aside->size);
	pkt_nop(&pb, 0);
	chunks[0] = chunk_of(&device->queues[gd_queue_idle(device)],
			     device->aside, pb.used);

	return submit_cs(device, chunks, 2, true, &seq);
}

unsigned int gd_queue_idle(const struct gaudi_device *device)
{
	for (unsigned int q = 0; q < GD_QUEUES; q++)
		if (!under_way(device, q, submitted(&device->queues[q])))
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
	rc = gd_sobs_take(device, 2 * GD_QUEUES, &sobs);
	if (!rc)
		rc = gd_monitors_take(device, GD_QUEUES, &monitors);
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

	return gd_sobs_clear(device, sobs, 2 * GD_QUEUES);
}

/*
 * The piece is under way. Nobody looks at its place before: what was there has
 * ended, and so is not looked at any more.
 */
static void piece_begin(struct gd_queue *queue, uint64_t n, uint64_t seq,
			const struct gd_point *waits)
{
	struct gd_piece *piece = piece_of(queue, n);

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
	uint64_t n = submitted(queue) + 1, seq;
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
	return submitted(queue) - ended(queue) >= GD_DEPTH;
}

/* Room for one more piece; @submit is held, and dropped while it waits. */
static int make_room(struct gaudi_device *device, unsigned int q)
{
	struct gd_queue *queue = &device->queues[q];
	int rc = 0;

	while (!rc && is_full(queue)) {
		struct gd_point half = {};

		/* Half of them, so that this does not come each time. */
		gd_point_set(&half, q, submitted(queue) - GD_DEPTH / 2);
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

/*
 * Let all queues signal that @q is about to wait for; @submit is held, and
 * dropped while this waits.
 */
static int begin_signals(struct gaudi_device *device, unsigned int q,
			 const struct gd_point *after)
{
	static const struct gd_point nothing;
	struct hl_cs_chunk chunk;
	const struct gd_work work = {
		.chunks = &chunk,
		.num_chunks = 1,
		.first_signal = true,
	};
	uint64_t n;
	int rc = 0;

	GD_FOR_EACH_QUEUE(p, after->set & ~(1u << q)) {
		struct gd_queue *other = &device->queues[p];

		if (other->signals_from != NEVER ||
		    !under_way(device, p, after->n[p]))
			continue;
		rc = wait_for_room(device, p);
		if (!rc && atomic_load(&device->lost))
			rc = gd_device_is_lost(device);
		/* Another thread may have been here meanwhile. */
		if (!rc && other->signals_from == NEVER)
			rc = submit_locked(device, p, &nothing, &work, &n);
		if (rc)
			break;
	}

	return rc;
}

int gd_submit_work(struct gaudi_device *device, unsigned int q,
		   const struct gd_point *after, const struct gd_work *work,
		   uint64_t *n)
{
	struct gd_point all;
	int rc;

	pthread_mutex_lock(&device->submit);
	for (;;) {
		rc = begin_signals(device, q, after);
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
