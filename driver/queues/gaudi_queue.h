/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The room of queues: rings of physical queues (PQ) and completion queues (CQ),
 * doorbells, the interrupt, and the kernel's own command buffers (gaudi_kcb.h).
 *
 * It owns the rings' memory and indices, and the MSI vector.
 *
 * Locks: the queues' spinlock (gaudi_queues_lock()), which is outermost of all in a
 * submission; cq_lock, a mutex, around the emptying of completion queues. A job that
 * has completed is told to the room above by the function that it gave at
 * gaudi_queues_init(), with neither of them held.
 *
 * It offers push, doorbell, completions, and bring-up of the interrupt.
 */
#ifndef GAUDI_QUEUE_H
#define GAUDI_QUEUE_H

#include <linux/types.h>

struct gaudi_device;

enum gaudi_queue_type {
	GAUDI_QUEUE_NONE,	/* no such queue on this card */
	GAUDI_QUEUE_EXT,	/* DMA0, DMA1: host side, completes by CQ */
	GAUDI_QUEUE_INT,	/* other engines: no completion of their own */
	GAUDI_QUEUE_FW,		/* the embedded CPU's */
};

enum gaudi_queue_type gaudi_queue_type(struct gaudi_device *gdev, u32 qid);
/* CBs of the queue are kernel-allocated handles (EXT) or addresses (INT). */
u32 gaudi_queue_len(struct gaudi_device *gdev, u32 qid);
/* Base of the QMAN that serves the queue, relative to CFG; stream number. */
u32 gaudi_queue_qman_base(u32 qid);
unsigned int gaudi_queue_stream(u32 qid);
/*
 * job_done: the job that was pushed with this cookie ended. It is called by the
 * interrupt thread, or by a thread that submits or waits, without the queues'
 * lock. No call runs or comes after gaudi_queues_close_cq() for what was pushed
 * before.
 */
int gaudi_queues_init(struct gaudi_device *gdev,
		      void (*job_done)(struct gaudi_device *gdev, u32 qid,
				       void *cookie));
/* Zero all indices and memory; the QMANs are stopped. */
void gaudi_queues_reset(struct gaudi_device *gdev);
/*
 * A submission that spans queues takes the lock once, checks room in each, and
 * pushes. Nothing between lock and unlock sleeps. Unlock writes the doorbells,
 * once for each queue, or leaves them to a thread that is doing so.
 */
void gaudi_queues_lock(struct gaudi_device *gdev);
void gaudi_queues_unlock(struct gaudi_device *gdev);
/* Wait until the card knows of all that was pushed before. Sleeps. */
void gaudi_queues_sync(struct gaudi_device *gdev);
/* Free entries; the lock is held. EXT queues keep one CQ entry per PQ entry. */
u32 gaudi_queue_room(struct gaudi_device *gdev, u32 qid);
/*
 * The completion of the next push on an EXT queue: where the CB's tail must
 * write which dword. The lock is held; valid for the next push only.
 */
void gaudi_queue_next_completion(struct gaudi_device *gdev, u32 qid,
				 u64 *cq_dev_addr, u32 *cq_value);
/*
 * Put one buffer descriptor, for the doorbell at unlock. cookie comes back in
 * job_done() for EXT queues. The lock is held, room was checked.
 * An EXT buffer with a NULL cookie has no completion packet (the driver's own
 * jobs): it uses up no CQ entry, and the caller retires its PQ entry.
 *
 * no_irq: the buffer's end has no interrupt, which gaudi_queue_may_skip_irq()
 * allowed. None is needed if the job ends during the write of the doorbell, and
 * a thread polls (below). Else an interrupt CB, a buffer with an interrupt and
 * nothing else, is put behind it; it uses up an entry.
 */
void gaudi_queue_push(struct gaudi_device *gdev, u32 qid, u64 cb_dev_addr,
		      u32 cb_len, void *cookie, bool no_irq);
/* Only short jobs without interrupt before it, and room for an interrupt CB. */
bool gaudi_queue_may_skip_irq(struct gaudi_device *gdev, u32 qid);
/*
 * INT queues: the CS layer says how many entries have retired. Takes no lock
 * that is held while job_done() runs; the caller holds the queues'
 * lock.
 */
void gaudi_queue_int_retire(struct gaudi_device *gdev, u32 qid, u32 count);
/*
 * End all jobs that have completed, or leave them to a thread that is doing so.
 * False: there are more and more. Sleeps.
 */
bool gaudi_queues_handle_cq(struct gaudi_device *gdev);
/* The last time before gaudi_queues_reset(): later calls end no job. */
void gaudi_queues_close_cq(struct gaudi_device *gdev);
/*
 * Between begin and end a thread pushes jobs, or waits for some, and interrupts
 * need not wake the interrupt thread: end handles what completes before it
 * returns. Soon, and without a lock held.
 */
void gaudi_queues_poll_begin(struct gaudi_device *gdev);
void gaudi_queues_poll_end(struct gaudi_device *gdev);
/*
 * For the interrupt handler. Ready: there may be a completion that was not
 * handled. Polled: if so, a polling thread will.
 */
bool gaudi_queues_cq_ready(struct gaudi_device *gdev);
bool gaudi_queues_polled(struct gaudi_device *gdev);

/* Device address of the ring of an existing queue. */
u64 gaudi_queue_pq_addr(struct gaudi_device *gdev, u32 qid);
/* count entries that had no completion have ended (driver's own jobs). */
void gaudi_queue_retire(struct gaudi_device *gdev, u32 qid, u32 count);
/*
 * The external queues' engines are idle: jobs that have not completed by now
 * never will. End them as done.
 */
void gaudi_queues_complete_lost(struct gaudi_device *gdev);
/* Addresses of the CBs in the count entries before ci, newest first. */
u32 gaudi_queue_peek_bds(struct gaudi_device *gdev, u32 qid, u32 ci,
			 u64 *addrs, u32 count);

/* gaudi_irq.c: one MSI vector; off until enabled. */
int gaudi_irq_init(struct gaudi_device *gdev);
void gaudi_irq_fini(struct gaudi_device *gdev);
void gaudi_irq_enable(struct gaudi_device *gdev);
/* No handler runs any more when this returns. May sleep. */
void gaudi_irq_disable(struct gaudi_device *gdev);

#endif /* GAUDI_QUEUE_H */
