/* SPDX-License-Identifier: MIT */
/*
 * Hardware queues (queue.c, timeline.c) and command buffers (cb.c). A piece of work is
 * known by its queue and number, from 1 on. A point in time of the card is one number
 * for each queue: all pieces up to these have ended; 0 says nothing about the queue.
 */
#ifndef GAUDI_RUNTIME_QUEUE_H
#define GAUDI_RUNTIME_QUEUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "hlthunk.h"

struct gaudi_device;

/* External hardware queues: four of DMA_0, then four of DMA_1. */
#define GD_STREAMS	4
#define GD_QUEUES	(2 * GD_STREAMS)
/* Values of a sync object before a timeline takes its other one. */
#define GD_WRAP		16384u
/* Bytes of packets in one command buffer, those around the work included. */
#define GD_CB_SMALL	4096u
#define GD_CB_LARGE	65536u
/* What a piece may have around its work: waits, a reset, the signal. */
#define GD_CB_FRAME	512u
#define GD_OPEN_SIZE	(GD_CB_LARGE - GD_CB_FRAME)
/* The fence counter of each queue that is used. */
#define GD_FENCE	0

struct gd_point {
	uint64_t n[GD_QUEUES];
	uint32_t set;			/* bits: the others are 0 */
};

static inline void gd_point_set(struct gd_point *point, unsigned int q,
				uint64_t n)
{
	point->n[q] = n;
	point->set |= 1u << q;
}

/* All queues of a set of bits, the lowest first. */
#define GD_FOR_EACH_QUEUE(q, bits)					\
	for (unsigned int left_ = (bits), q;				\
	     left_ && (q = (unsigned int)__builtin_ctz(left_), true);	\
	     left_ &= left_ - 1)

/* When a piece ended. Shared by the piece and the events that look at it. */
struct gd_stamp {
	_Atomic uint64_t ns;		/* 0: not yet */
	atomic_uint refs;
};

struct gd_cb {
	SLIST_ENTRY(gd_cb) link;
	uint64_t handle;
	void *memory;
	uint64_t address;		/* the card's, of a mapped one */
	uint32_t size;
};

SLIST_HEAD(gd_cbs, gd_cb);

/* Work for queue @q, that may use several buffers, or several queues. */
struct gd_work {
	const void *packets;		/* of queue @q, before the others */
	size_t size;			/* both at most GD_OPEN_SIZE */
	const void *end;		/* of queue @q, behind the others */
	size_t end_size;
	/*
	 * The submission. The first chunk, and with @tail the last one, are
	 * left open, for waits and packets, and for the signal.
	 */
	struct hl_cs_chunk *chunks;
	uint32_t num_chunks;
	bool tail;
	bool patient;			/* it may wait for others without limit */
	bool first_signal;		/* queue.c's */
};

/* Submit it as one piece that begins after @after. *@n is its number. */
int gd_submit_work(struct gaudi_device *device, unsigned int q,
		   const struct gd_point *after, const struct gd_work *work,
		   uint64_t *n);
/* The same for @size bytes of packets. */
static inline int gd_submit(struct gaudi_device *device, unsigned int q,
			    const struct gd_point *after, const void *packets,
			    size_t size, uint64_t *n)
{
	struct hl_cs_chunk chunk;
	const struct gd_work work = {
		.packets = packets,
		.size = size,
		.chunks = &chunk,
		.num_chunks = 1,
	};

	return gd_submit_work(device, q, after, &work, n);
}

/*
 * The driver's number of a queue, and its monitor, for packets that wait on it: the monitor
 * raises the queue's GD_FENCE.
 */
uint32_t gd_queue_id(const struct gaudi_device *device, unsigned int q);
uint32_t gd_queue_monitor(const struct gaudi_device *device, unsigned int q);

/* A command buffer that is not the pool's. */
int gd_cb_create(struct gaudi_device *device, uint32_t size,
		 struct gd_cb **cb);
/* The same, which internal queues and engines can read at its address. */
int gd_cb_create_mapped(struct gaudi_device *device, uint32_t size,
			struct gd_cb **cb);
/* NULL is allowed. */
void gd_cb_destroy(struct gaudi_device *device, struct gd_cb *cb);
/*
 * @chunk of an internal queue, now, as no piece of work: for what must not wait behind
 * those that are stuck. It is beside all order, and nobody is told when it has run: the
 * memory of @chunk, and what it writes to, are the card's until something behind it on
 * its queue has. One caller at a time.
 */
int gd_submit_aside(struct gaudi_device *device,
		    const struct hl_cs_chunk *chunk);
/* A queue that has nothing to do, if there is one. */
unsigned int gd_queue_idle(const struct gaudi_device *device);
/*
 * Monitors from @first on raise the fence counter GD_FENCE of these queues, GAUDI_QUEUE_ID_*,
 * whenever they are armed: at most 64. As below.
 */
int gd_monitors_aim(struct gaudi_device *device, uint32_t first,
		    uint32_t count, const uint32_t *queues);
/* Set sync objects to 0. Waits for the card; nobody else submits meanwhile. */
int gd_sobs_clear(struct gaudi_device *device, uint32_t first, uint32_t count);
/* Wait until all of @point has ended. */
int gd_wait(struct gaudi_device *device, const struct gd_point *point);
/* 0, GAUDI_ERR_NOT_READY (no message), or a failure; asks the driver. */
int gd_poll(struct gaudi_device *device, const struct gd_point *point);
/* What is known to have ended, without asking. */
bool gd_has_ended(struct gaudi_device *device, const struct gd_point *point);
void gd_submitted(struct gaudi_device *device, struct gd_point *point);
void gd_point_join(struct gd_point *point, const struct gd_point *other);
/* Have the end of piece @n of @q written down; NULL: it has ended already. */
int gd_stamp_get(struct gaudi_device *device, unsigned int q, uint64_t n,
		 struct gd_stamp **stamp);
void gd_stamp_put(struct gd_stamp *stamp);

#endif /* GAUDI_RUNTIME_QUEUE_H */
