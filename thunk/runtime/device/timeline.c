// SPDX-License-Identifier: MIT
/*
 * Timelines: which pieces of the hardware queues have ended, and when.
 *
 * Both drivers end the pieces of one queue in order, so a question about piece n
 * answers for those before it, unless they are to be stamped.
 */
#include <errno.h>
#include <stdlib.h>

#include "queue_state.h"

/* A wait that takes longer may have no end (profile_wait()). */
#define PATIENCE_US	1000u

/* How long the driver is asked at a time while pieces are watched; with failures. */
#define WATCH_US	(50ull * 1000)
#define HURRY_US	1000ull

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
	struct gd_piece *piece = gd_piece_of(queue, n);

	if (!fresh)
		return gd_fail(-ENOMEM, "no memory for a time stamp");
	*stamp = NULL;
	pthread_mutex_lock(&device->lock);
	if (n > gd_queue_ended(queue)) {
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

int gd_ask_driver(struct gaudi_device *device, uint64_t seq,
		  uint64_t timeout_us, uint64_t *ns)
{
	uint64_t first_us = profile_on && timeout_us > PATIENCE_US ? PATIENCE_US : timeout_us;
	uint32_t status = HL_WAIT_CS_STATUS_BUSY;
	int rc;

	*ns = 0;
	rc = hlthunk_wait_for_cs_with_timestamp(device->fd, seq, first_us,
						&status, ns);
	if (!rc && status != HL_WAIT_CS_STATUS_COMPLETED && first_us < timeout_us) {
		profile_wait();
		rc = hlthunk_wait_for_cs_with_timestamp(device->fd, seq, timeout_us - first_us,
							&status, ns);
	}
	if (rc) {
		gd_device_lose(device, rc, "work of the card failed");
		return gd_fail(rc, "card %u is lost: submission %llu failed: %s",
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
	if (queue->followed + 1 == n && !gd_piece_of(queue, n)->after.set)
		more = ++queue->followed < queue->implied;
	while (more) {
		more = false;
		for (unsigned int q = 0; q < GD_QUEUES; q++) {
			queue = &device->queues[q];
			while (queue->followed < queue->implied) {
				const struct gd_piece *piece =
					gd_piece_of(queue, ++queue->followed);

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
	uint64_t n = gd_queue_ended(queue) + 1;
	struct gd_piece *piece = gd_piece_of(queue, n);

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

	while (!rc && gd_queue_ended(queue) < n) {
		uint64_t m = gd_queue_ended(queue) + 1, when = ns;
		struct gd_piece *piece = gd_piece_of(queue, m);

		if (m < n && piece->asked) {
			gd_changed_wait(device);
			continue;
		}
		if (m < n && piece->stamp) {
			piece->asked = true;
			pthread_mutex_unlock(&device->lock);
			rc = gd_ask_driver(device, piece->seq, 0, &when);
			pthread_mutex_lock(&device->lock);
			piece->asked = false;
			gd_changed(device);
			if (rc || gd_queue_ended(queue) >= m)
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
		return GD_WAIT_US;

	return atomic_load(&device->hurry) ? HURRY_US : WATCH_US;
}

/*
 * Wait for piece @n of @queue, or only ask. One thread at a time asks about a
 * piece, since a driver may tell about its failure, or its time, only once.
 */
static int wait_piece(struct gaudi_device *device, struct gd_queue *queue,
		      uint64_t n, bool block)
{
	struct gd_piece *piece = gd_piece_of(queue, n);
	uint64_t ns;
	int rc = 0;

	pthread_mutex_lock(&device->lock);
	while (!rc && gd_queue_ended(queue) < n) {
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
		rc = gd_ask_driver(device, piece->seq,
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
	if (!rc && gd_queue_ended(queue) < n)
		rc = GAUDI_ERR_NOT_READY;
	pthread_mutex_unlock(&device->lock);

	return rc;
}

int gd_wait(struct gaudi_device *device, const struct gd_point *point)
{
	int rc = 0;

	GD_FOR_EACH_QUEUE(q, point->set) {
		if (gd_is_under_way(device, q, point->n[q]))
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
		if (gd_is_under_way(device, q, point->n[q]))
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
		if (gd_is_under_way(device, q, point->n[q]))
			return false;

	return true;
}

void gd_submitted(struct gaudi_device *device, struct gd_point *point)
{
	*point = (struct gd_point) {};
	for (unsigned int q = 0; q < GD_QUEUES; q++)
		gd_point_set(point, q, gd_queue_submitted(&device->queues[q]));
}

void gd_point_join(struct gd_point *point, const struct gd_point *other)
{
	GD_FOR_EACH_QUEUE(q, other->set)
		if (point->n[q] < other->n[q])
			gd_point_set(point, q, other->n[q]);
}
