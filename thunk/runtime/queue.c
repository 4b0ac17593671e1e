// SPDX-License-Identifier: MIT
/*
 * Hardware queues: timelines, command buffers, submission, the end of work.
 *
 * Piece n of a queue raises one of the queue's two sync objects to
 * (n - 1) % wrap + 1; the next wrap pieces raise the other one. What waits for it
 * on another queue has a monitor armed at that value, and a FENCE.
 *
 * Both drivers end the pieces of one queue in order, so a question about piece n
 * answers for those before it, unless they are to be stamped.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define FENCE_ID	0
#define WAIT_US		(3600ull * 1000 * 1000)

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

static void cb_free(struct gaudi_device *device, struct gd_cb *cb)
{
	if (!cb)
		return;
	gd_os_unmap_cb(cb->memory, cb->size);
	hlthunk_destroy_command_buffer(device->fd, cb->handle);
	free(cb);
}

void gd_queues_exit(struct gaudi_device *device)
{
	for (unsigned int q = 0; q < GD_QUEUES; q++) {
		for (unsigned int i = 0; i < GD_DEPTH; i++) {
			struct gd_piece *piece = &device->queues[q].pieces[i];

			cb_free(device, piece->cb);
			gd_stamp_put(piece->stamp);
		}
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(device->cbs); i++) {
		while (!SLIST_EMPTY(&device->cbs[i])) {
			struct gd_cb *cb = SLIST_FIRST(&device->cbs[i]);

			SLIST_REMOVE_HEAD(&device->cbs[i], link);
			cb_free(device, cb);
		}
	}
}

static struct gd_cbs *cbs_of(struct gaudi_device *device, uint32_t size)
{
	return &device->cbs[size > GD_CB_SMALL];
}

/* An idle command buffer for @size bytes, or a new one. */
static int cb_get(struct gaudi_device *device, size_t size, struct gd_cb **out)
{
	uint32_t want = size > GD_CB_SMALL ? GD_CB_LARGE : GD_CB_SMALL;
	struct gd_cbs *list = cbs_of(device, want);
	struct gd_cb *cb;
	int rc;

	pthread_mutex_lock(&device->lock);
	cb = SLIST_FIRST(list);
	if (cb)
		SLIST_REMOVE_HEAD(list, link);
	pthread_mutex_unlock(&device->lock);
	if (cb) {
		*out = cb;
		return 0;
	}

	cb = calloc(1, sizeof(*cb));
	if (!cb)
		return gd_fail(-ENOMEM, "no memory for a command buffer");
	cb->size = want;
	rc = hlthunk_request_command_buffer(device->fd, want, &cb->handle);
	if (rc) {
		free(cb);
		return gd_fail(rc, "card %u: no command buffer of %u bytes: %s",
			       device->card.accel, want, gaudi_strerror(rc));
	}
	cb->memory = gd_os_map_cb(device->fd, cb->handle, want);
	if (!cb->memory) {
		rc = gd_errno();
		hlthunk_destroy_command_buffer(device->fd, cb->handle);
		free(cb);
		return gd_fail(rc, "card %u: cannot map a command buffer: %s",
			       device->card.accel, gaudi_strerror(rc));
	}
	*out = cb;

	return 0;
}

static void cb_put(struct gaudi_device *device, struct gd_cb *cb)
{
	pthread_mutex_lock(&device->lock);
	SLIST_INSERT_HEAD(cbs_of(device, cb->size), cb, link);
	pthread_mutex_unlock(&device->lock);
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
	while (more) {
		more = false;
		for (unsigned int q = 0; q < GD_QUEUES; q++) {
			queue = &device->queues[q];
			while (queue->followed < queue->implied) {
				const struct gd_piece *piece =
					piece_of(queue, ++queue->followed);

				more = true;
				for (unsigned int p = 0; p < GD_QUEUES; p++)
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
	SLIST_INSERT_HEAD(cbs_of(device, piece->cb->size), piece->cb, link);
	piece->cb = NULL;
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
			pthread_cond_wait(&device->changed, &device->lock);
			continue;
		}
		if (m < n && piece->stamp) {
			piece->asked = true;
			pthread_mutex_unlock(&device->lock);
			rc = ask_driver(device, piece->seq, 0, &when);
			pthread_mutex_lock(&device->lock);
			piece->asked = false;
			pthread_cond_broadcast(&device->changed);
			if (rc || ended(queue) >= m)
				continue;
			if (!when)
				when = ns;
		}
		piece_end(device, queue, when);
	}
	pthread_cond_broadcast(&device->changed);

	return rc;
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
			pthread_cond_wait(&device->changed, &device->lock);
			continue;
		}
		piece->asked = true;
		/* The driver knows in a moment. */
		block |= n <= queue->implied;
		pthread_mutex_unlock(&device->lock);
		rc = ask_driver(device, piece->seq, block ? WAIT_US : 0, &ns);
		pthread_mutex_lock(&device->lock);
		piece->asked = false;
		pthread_cond_broadcast(&device->changed);
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

	for (unsigned int q = 0; !rc && q < GD_QUEUES; q++)
		if (point->n[q] > ended(&device->queues[q]))
			rc = wait_piece(device, &device->queues[q],
					point->n[q], true);

	return rc;
}

int gd_poll(struct gaudi_device *device, const struct gd_point *point)
{
	int rc = 0;

	for (unsigned int q = 0; !rc && q < GD_QUEUES; q++)
		if (point->n[q] > ended(&device->queues[q]))
			rc = wait_piece(device, &device->queues[q],
					point->n[q], false);

	return rc;
}

bool gd_has_ended(struct gaudi_device *device, const struct gd_point *point)
{
	for (unsigned int q = 0; q < GD_QUEUES; q++)
		if (point->n[q] > ended(&device->queues[q]))
			return false;

	return true;
}

void gd_submitted(struct gaudi_device *device, struct gd_point *point)
{
	for (unsigned int q = 0; q < GD_QUEUES; q++)
		point->n[q] = submitted(&device->queues[q]);
}

void gd_point_join(struct gd_point *point, const struct gd_point *other)
{
	for (unsigned int q = 0; q < GD_QUEUES; q++)
		if (point->n[q] < other->n[q])
			point->n[q] = other->n[q];
}

/* Which of the two sync objects piece @n raises, and to what. */
static unsigned int sob_of(const struct gaudi_device *device, uint64_t n)
{
	return (n - 1) / device->wrap % 2;
}

static uint32_t value_of(const struct gaudi_device *device, uint64_t n)
{
	return (uint32_t)((n - 1) % device->wrap + 1);
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

	if (n <= half)
		return 0;
	if (is_middle(device, n)) {
		for (unsigned int p = 0; p < GD_QUEUES; p++)
			old.n[p] = queue->waiters[!sob_of(device, n)][p];
		if (old.n[q] < n - half)
			old.n[q] = n - half;
	} else if (value_of(device, n) == 1) {
		old.n[q] = n - 1 - device->wrap + half;
	} else {
		return 0;
	}

	return gd_wait(device, &old);
}

/* Packets that hold the queue until @after; the numbers are noted. */
static void put_waits(struct gaudi_device *device, unsigned int q,
		      const struct gd_point *after, struct pkt_buf *pb)
{
	const struct gd_queue *queue = &device->queues[q];

	for (unsigned int p = 0; p < GD_QUEUES; p++) {
		struct gd_queue *other = &device->queues[p];
		uint64_t n = after->n[p];

		if (p == q || n <= ended(other))
			continue;
		pkt_monitor(pb, queue->monitor,
			    other->sob[sob_of(device, n)],
			    value_of(device, n),
			    pkt_fence_addr(queue->id, FENCE_ID), 1);
		pkt_fence(pb, FENCE_ID, 1, 1, GAUDI_PKT_CTL_MB);
	}
}

static void note_waits(struct gaudi_device *device, unsigned int q, uint64_t n,
		       const struct gd_point *after)
{
	for (unsigned int p = 0; p < GD_QUEUES; p++) {
		uint64_t m = after->n[p];

		if (p != q && m)
			device->queues[p].waiters[sob_of(device, m)][q] = n;
	}
}

static int submit_cb(struct gaudi_device *device, const struct gd_queue *queue,
		     const struct gd_cb *cb, size_t size, uint64_t *seq)
{
	struct hl_cs_chunk chunk = {
		.cb_handle = cb->handle,
		.queue_index = queue->id,
		.cb_size = (uint32_t)size,
	};
	struct hlthunk_cs_in in = {
		.chunks_execute = &chunk,
		.num_chunks_execute = 1,
		.flags = HL_CS_FLAGS_TIMESTAMP,
	};
	struct hlthunk_cs_out out = {};
	int rc = hlthunk_command_submission(device->fd, &in, &out);

	if (rc == -EBUSY || rc == -ENODEV || rc == -EIO) {
		gd_device_lose(device, rc, "the driver takes no more work");
		return gd_device_is_lost(device);
	}
	if (rc)
		return gd_fail(rc, "card %u, queue %u: %zu bytes of packets refused: %s",
			       device->card.accel, queue->id, size,
			       gaudi_strerror(rc));
	*seq = out.seq;

	return 0;
}

/* Sync objects are as their last user left them. */
static int clear_sobs(struct gaudi_device *device, uint32_t first)
{
	uint64_t seq, ns = 0;
	struct pkt_buf pb;
	struct gd_cb *cb;
	int rc = cb_get(device, GD_CB_SMALL, &cb);

	if (rc)
		return rc;
	pkt_init(&pb, cb->memory, cb->size);
	for (uint32_t i = 0; i < 2 * GD_QUEUES; i++)
		pkt_sob_set(&pb, first + i, 0, GAUDI_PKT_CTL_MB);
	rc = submit_cb(device, &device->queues[0], cb, pb.used, &seq);
	while (!rc && !ns)
		rc = ask_driver(device, seq, WAIT_US, &ns);
	cb_put(device, cb);

	return rc;
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
	}

	return clear_sobs(device, sobs);
}

/* The piece is under way. */
static void piece_begin(struct gaudi_device *device, struct gd_queue *queue,
			uint64_t seq, struct gd_cb *cb,
			const struct gd_point *after)
{
	uint64_t n = submitted(queue) + 1;

	pthread_mutex_lock(&device->lock);
	*piece_of(queue, n) = (struct gd_piece) {
		.after = *after,
		.seq = seq,
		.cb = cb,
	};
	atomic_store_explicit(&queue->submitted, n, memory_order_release);
	pthread_mutex_unlock(&device->lock);
}

/* With @submit held, and room in the queue. */
static int submit_locked(struct gaudi_device *device, unsigned int q,
			 const struct gd_point *after, const void *packets,
			 size_t size, uint64_t *out_n)
{
	struct gd_queue *queue = &device->queues[q];
	uint64_t n = submitted(queue) + 1, seq = 0;
	unsigned int sob = sob_of(device, n);
	struct pkt_buf pb;
	struct gd_cb *cb = NULL;
	int rc;

	rc = make_way(device, q, n);
	if (!rc)
		rc = cb_get(device, size + GD_CB_FRAME, &cb);
	if (rc)
		return rc;
	pkt_init(&pb, cb->memory, cb->size);
	if (is_middle(device, n))
		pkt_sob_set(&pb, queue->sob[!sob], 0, GAUDI_PKT_CTL_MB);
	put_waits(device, q, after, &pb);
	memcpy(pb.mem + pb.used, packets, size);
	pb.used += size;
	/* The engine has done everything before it counts. */
	pkt_sob_add(&pb, queue->sob[sob], 1, GAUDI_PKT_CTL_EB | GAUDI_PKT_CTL_MB);
	rc = submit_cb(device, queue, cb, pb.used, &seq);
	if (rc) {
		cb_put(device, cb);
		return rc;
	}
	note_waits(device, q, n, after);
	piece_begin(device, queue, seq, cb, after);
	*out_n = n;

	return 0;
}

int gd_submit(struct gaudi_device *device, unsigned int q,
	      const struct gd_point *after, const void *packets, size_t size,
	      uint64_t *n)
{
	struct gd_queue *queue = &device->queues[q];
	int rc = 0;

	pthread_mutex_lock(&device->submit);
	while (!rc && submitted(queue) - ended(queue) >= GD_DEPTH) {
		struct gd_point half = {};

		/* Half of them, so that this does not come each time. */
		half.n[q] = submitted(queue) - GD_DEPTH / 2;
		pthread_mutex_unlock(&device->submit);
		rc = gd_wait(device, &half);
		pthread_mutex_lock(&device->submit);
	}
	if (!rc && atomic_load(&device->lost))
		rc = gd_device_is_lost(device);
	if (!rc)
		rc = submit_locked(device, q, after, packets, size, n);
	pthread_mutex_unlock(&device->submit);

	return rc;
}
