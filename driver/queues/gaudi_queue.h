/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The room of queues: rings of physical queues (PQ) and completion queues (CQ),
 * doorbells, the interrupt, the kernel's own command buffers (gaudi_kcb.h), and what
 * a user may put on an external queue (gaudi_cb_check.h).
 *
 * It owns the rings' memory and indices, and the MSI vector.
 *
 * Locks: the queues' spinlock (gaudi_queues_lock()), which is outermost of all in a
 * submission; cq_lock, a mutex, around the emptying of completion queues. A job that
 * has completed is told to the room above by the function that it gave at
 * gaudi_queues_init(), with cq_lock held.
 *
 * It offers push, doorbell, completions, and bring-up of the interrupt.
 */
#ifndef GAUDI_QUEUE_H
#define GAUDI_QUEUE_H

#include <linux/cleanup.h>
#include <linux/types.h>

struct gaudi_device;

enum gaudi_queue_type {
	GAUDI_QUEUE_NONE,	/* no such queue on this card */
	GAUDI_QUEUE_EXT,	/* DMA0, DMA1: host side, completes by CQ */
	GAUDI_QUEUE_INT,	/* other engines: no completion of their own */
	GAUDI_QUEUE_FW,		/* the embedded CPU's */
};

/**
 * gaudi_queue_type() - What kind of queue it is
 * @gdev: the card
 * @qid: the queue's id, which may be a bad one
 *
 * Users name CBs of EXT queues by handles, those of INT queues by addresses.
 *
 * Context: Any context.
 * Return: The kind; GAUDI_QUEUE_NONE if there is no such queue.
 */
enum gaudi_queue_type gaudi_queue_type(struct gaudi_device *gdev, u32 qid);

/**
 * gaudi_queue_len() - How many entries a queue has
 * @gdev: the card
 * @qid: the queue's id, which may be a bad one
 *
 * Context: Any context.
 * Return: The number; 0 if there is no such ring.
 */
u32 gaudi_queue_len(struct gaudi_device *gdev, u32 qid);

/**
 * gaudi_queues_init() - Make the rings
 * @gdev: the card
 * @job_done: the job that was pushed with this cookie ended
 *
 * @job_done is called by the interrupt thread, or by a thread that submits or
 * waits, without the queues' lock. No call runs or comes after
 * gaudi_queues_close_cq() for what was pushed before.
 *
 * Context: Probe; freed by devm.
 * Return: 0 or an errno.
 */
int gaudi_queues_init(struct gaudi_device *gdev,
		      void (*job_done)(struct gaudi_device *gdev, u32 qid,
				       void *cookie));

/**
 * gaudi_queues_add_nic() - Make the rings of the ports that are used
 * @gdev: the card
 *
 * Once they are known. Before that their queues do not exist.
 *
 * Context: Probe; freed by devm.
 * Return: 0 or %-ENOMEM.
 */
int gaudi_queues_add_nic(struct gaudi_device *gdev);

/**
 * gaudi_queues_reset() - Zero all indices and memory
 * @gdev: the card
 *
 * The QMANs are stopped.
 *
 * Context: May sleep; takes cq_lock and the queues' lock.
 */
void gaudi_queues_reset(struct gaudi_device *gdev);

/**
 * gaudi_queues_lock() - Take the queues' lock
 * @gdev: the card
 *
 * A submission that spans queues takes the lock once, checks room in each, and
 * pushes. Nothing between lock and unlock sleeps.
 *
 * Context: Process context or the interrupt thread. Takes a spinlock.
 */
void gaudi_queues_lock(struct gaudi_device *gdev);

/**
 * gaudi_queues_unlock() - Drop the queues' lock
 * @gdev: the card
 *
 * Writes the doorbells before, once for each queue.
 *
 * Context: Releases the queues' lock.
 */
void gaudi_queues_unlock(struct gaudi_device *gdev);

/* guard(gaudi_queues)(gdev): the lock, until the end of the scope. */
DEFINE_GUARD(gaudi_queues, struct gaudi_device *, gaudi_queues_lock(_T),
	     gaudi_queues_unlock(_T))

/**
 * gaudi_queues_sync() - Wait until the card knows of all that was pushed before
 * @gdev: the card
 *
 * Context: Takes the queues' lock.
 */
static inline void gaudi_queues_sync(struct gaudi_device *gdev)
{
	gaudi_queues_lock(gdev);
	gaudi_queues_unlock(gdev);
}

/**
 * gaudi_queue_room() - How many entries of a queue are free
 * @gdev: the card
 * @qid: the queue's id
 *
 * EXT queues keep one CQ entry per PQ entry.
 *
 * Context: The queues' lock is held.
 * Return: The number; 0 if there is no such queue.
 */
u32 gaudi_queue_room(struct gaudi_device *gdev, u32 qid);

/**
 * gaudi_queue_next_completion() - The completion of the next push on an EXT
 *	queue
 * @gdev: the card
 * @qid: the queue's id
 * @cq_dev_addr: where the CB's tail must write
 * @cq_value: which dword it must write
 *
 * Valid for the next push only.
 *
 * Context: The queues' lock is held.
 */
void gaudi_queue_next_completion(struct gaudi_device *gdev, u32 qid,
				 u64 *cq_dev_addr, u32 *cq_value);

/**
 * gaudi_queue_push() - Put one buffer descriptor, for the doorbell at unlock
 * @gdev: the card
 * @qid: the queue's id
 * @cb_dev_addr: the buffer
 * @cb_len: its bytes
 * @cookie: comes back in job_done() for EXT queues
 *
 * An EXT buffer with a %NULL @cookie has no completion packet (the driver's own
 * jobs): it uses up no CQ entry, and the caller retires its PQ entry.
 *
 * Context: The queues' lock is held, room was checked.
 */
void gaudi_queue_push(struct gaudi_device *gdev, u32 qid, u64 cb_dev_addr,
		      u32 cb_len, void *cookie);

/**
 * gaudi_queues_handle_cq() - End all jobs that have completed
 * @gdev: the card
 *
 * Context: May sleep; takes cq_lock.
 */
void gaudi_queues_handle_cq(struct gaudi_device *gdev);

/**
 * gaudi_queues_close_cq() - The last time that jobs end before
 *	gaudi_queues_reset()
 * @gdev: the card
 *
 * Later calls of gaudi_queues_handle_cq() end no job.
 *
 * Context: May sleep; takes cq_lock.
 */
void gaudi_queues_close_cq(struct gaudi_device *gdev);

/**
 * gaudi_queues_poll_begin() - A thread will push jobs, or wait for some
 * @gdev: the card
 *
 * Until gaudi_queues_poll_end() interrupts need not wake the interrupt thread.
 * It comes soon.
 *
 * Context: Any context.
 */
void gaudi_queues_poll_begin(struct gaudi_device *gdev);

/**
 * gaudi_queues_poll_end() - End what gaudi_queues_poll_begin() began
 * @gdev: the card
 *
 * Handles what has completed before it returns.
 *
 * Context: May sleep. No lock is held.
 */
void gaudi_queues_poll_end(struct gaudi_device *gdev);

/**
 * gaudi_queues_cq_ready() - Whether there may be a completion that was not
 *	handled
 * @gdev: the card
 *
 * Context: Any context; the interrupt handler's.
 * Return: True if so.
 */
bool gaudi_queues_cq_ready(struct gaudi_device *gdev);

/**
 * gaudi_queues_polled() - Whether a polling thread will handle completions
 * @gdev: the card
 *
 * Context: Any context; the interrupt handler's.
 * Return: True if so.
 */
bool gaudi_queues_polled(struct gaudi_device *gdev);

/**
 * gaudi_queue_pq_addr() - Where a queue's ring is
 * @gdev: the card
 * @qid: id of a queue that exists
 *
 * Context: Any context.
 * Return: The device address.
 */
u64 gaudi_queue_pq_addr(struct gaudi_device *gdev, u32 qid);

/**
 * gaudi_queue_retire() - Entries that had no completion have ended
 * @gdev: the card
 * @qid: the queue's id
 * @count: how many, from the oldest on
 *
 * For the driver's own jobs, and those of INT queues, which have no completions:
 * submissions say how many entries have retired.
 *
 * Context: Any context. Takes no lock.
 */
void gaudi_queue_retire(struct gaudi_device *gdev, u32 qid, u32 count);

/**
 * gaudi_queues_complete_lost() - End jobs that will never complete
 * @gdev: the card
 *
 * The external queues' engines are idle: jobs that have not completed by now
 * never will. They end as done.
 *
 * Context: May sleep.
 */
void gaudi_queues_complete_lost(struct gaudi_device *gdev);

/**
 * gaudi_queue_peek_bds() - Addresses of the CBs in entries of a queue
 * @gdev: the card
 * @qid: the queue's id
 * @ci: the first entry that is not looked at
 * @addrs: where they are put, newest first
 * @count: how many entries before @ci
 *
 * For what is shown of errors: the ring may change meanwhile.
 *
 * Context: Any context.
 * Return: How many addresses were put.
 */
u32 gaudi_queue_peek_bds(struct gaudi_device *gdev, u32 qid, u32 ci,
			 u64 *addrs, u32 count);

/**
 * gaudi_irq_init() - Get the MSI vector and its handlers
 * @gdev: the card
 *
 * It is off until gaudi_irq_enable().
 *
 * Context: Probe; freed by devm.
 * Return: 0 or an errno.
 */
int gaudi_irq_init(struct gaudi_device *gdev);

/**
 * gaudi_irq_enable() - Let interrupts come
 * @gdev: the card
 *
 * Does nothing if they do.
 *
 * Context: Bring-up and reset.
 */
void gaudi_irq_enable(struct gaudi_device *gdev);

/**
 * gaudi_irq_disable() - No interrupt is handled any more
 * @gdev: the card
 *
 * No handler runs when it returns.
 *
 * Context: May sleep.
 */
void gaudi_irq_disable(struct gaudi_device *gdev);

#endif /* GAUDI_QUEUE_H */
