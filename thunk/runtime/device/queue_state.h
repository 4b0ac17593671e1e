/* SPDX-License-Identifier: MIT */
/* What the files of the room share about queues. */
#ifndef GAUDI_RUNTIME_QUEUE_STATE_H
#define GAUDI_RUNTIME_QUEUE_STATE_H

#include "device.h"

/* Pieces of work that a queue may have under way. */
#define GD_DEPTH	128u

struct gd_piece {
	struct gd_point after;		/* what it waited for, of other queues */
	uint64_t seq;
	struct gd_stamp *stamp;		/* or NULL */
	bool asked;			/* a thread asks the driver for its end */
};

struct gd_queue {
	_Atomic uint64_t submitted;	/* written with @submit held */
	_Atomic uint64_t ended;		/* that this process knows of */
	uint32_t id;			/* the driver's */
	uint32_t sob[2];
	uint32_t monitor;
	/* With @submit held: pieces from this one on raise a sync object */
	uint64_t signals_from;
	/* Last piece of each queue that waits for a value of each sync object */
	uint64_t waiters[2][GD_QUEUES];
	/*
	 * With the device's lock: pieces up to @implied have ended, since others
	 * that waited for them have, though the driver has not said so yet;
	 * those up to @followed have told what they imply.
	 */
	uint64_t implied, followed;
	struct gd_piece pieces[GD_DEPTH];
};

static inline struct gd_piece *gd_piece_of(struct gd_queue *queue, uint64_t n)
{
	return &queue->pieces[n % GD_DEPTH];
}

static inline uint64_t gd_queue_submitted(const struct gd_queue *queue)
{
	return atomic_load_explicit(&queue->submitted, memory_order_acquire);
}

static inline uint64_t gd_queue_ended(const struct gd_queue *queue)
{
	return atomic_load_explicit(&queue->ended, memory_order_acquire);
}

/* Is piece @n of queue @q under way? 0 is none. */
static inline bool gd_is_under_way(const struct gaudi_device *device,
				   unsigned int q, uint64_t n)
{
	return n > gd_queue_ended(&device->queues[q]);
}

/* queue.c */
int gd_queues_init(struct gaudi_device *device);
void gd_queues_exit(struct gaudi_device *device);

/*
 * timeline.c: ask the driver about one piece, by its sequence number. *@ns is its end, 0 if
 * it has not ended after @timeout_us.
 */
/* So long at a time: then who waits learns that somebody has given the card up. */
#define GD_WAIT_US		(1000ull * 1000)
int gd_ask_driver(struct gaudi_device *device, uint64_t seq,
		  uint64_t timeout_us, uint64_t *ns);

/* cb.c: one for @size bytes, an idle one or a new one. @cb may be NULL. */
int gd_cb_get(struct gaudi_device *device, size_t size, struct gd_cb **out);
void gd_cb_put(struct gaudi_device *device, struct gd_cb *cb);
void gd_cbs_exit(struct gaudi_device *device);

#endif /* GAUDI_RUNTIME_QUEUE_STATE_H */
