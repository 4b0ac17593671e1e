/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The gate: which threads may be inside while the card is not in a reset, and
 * requests for one. The reset itself is above, and leaves its work here.
 *
 * Code between gaudi_reset_enter() and _exit() holds gaudi_gate.sem for reading.
 * The status leaves OPERATIONAL first, then the semaphore is taken and dropped for
 * writing: after that no thread is inside, or gets in.
 */
#ifndef GAUDI_GATE_H
#define GAUDI_GATE_H

#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct gaudi_device;

enum gaudi_reset_reason {
	GAUDI_RESET_USER,		/* sysfs hard_reset */
	GAUDI_RESET_TIMEOUT,		/* a job did not end */
	GAUDI_RESET_RELEASE,		/* the user left work behind */
	GAUDI_RESET_HEARTBEAT,
	GAUDI_RESET_EVENT,		/* firmware asks, or lost track */
	GAUDI_RESET_FATAL,		/* memory or clock errors */
	GAUDI_RESET_PCI,		/* AER, not fatal */
	GAUDI_RESET_NEXT_USER,		/* the last one's traces go */
};

struct gaudi_gate {
	struct rw_semaphore sem;
	struct workqueue_struct *wq;
	struct work_struct work;	/* the reset */
	/*
	 * The users are to be told of a reset, and may have time to close. NULL
	 * in probe.
	 */
	void (*announce)(struct gaudi_device *gdev,
			 enum gaudi_reset_reason reason, u64 events);

	/* Protects the rest, and writes of gdev->status. */
	spinlock_t lock;
	bool blocked;
	bool pending;			/* asked for before probe was over */
	enum gaudi_reset_reason reason;
	u32 count;
};

/**
 * gaudi_reset_schedule() - Request a hard reset
 * @gdev: the card
 * @reason: why
 *
 * Several requests become one. In probe it is done when the probe is over.
 * Nothing happens while resets are blocked or the link is down: whoever blocks
 * them resets the card.
 *
 * Context: Process context; takes gaudi_gate.lock. Does not sleep.
 */
void gaudi_reset_schedule(struct gaudi_device *gdev,
			  enum gaudi_reset_reason reason);

/**
 * gaudi_reset_and_wait() - Request a hard reset, and wait for it
 * @gdev: the card
 * @reason: why
 *
 * Waits until it is over, whatever came of it.
 *
 * Context: May sleep.
 */
void gaudi_reset_and_wait(struct gaudi_device *gdev,
			  enum gaudi_reset_reason reason);

/**
 * gaudi_reset_announce() - Notify users, and reset the card
 * @gdev: the card
 * @reason: why
 * @events: HL_NOTIFIER_EVENT_* bits for the users
 *
 * A user with an eventfd gets 30 s to collect information and to close; until
 * then its waits end with %-EIO and new ones fail.
 *
 * Context: May sleep.
 */
void gaudi_reset_announce(struct gaudi_device *gdev,
			  enum gaudi_reset_reason reason, u64 events);

/**
 * gaudi_reset_needed() - Refuse work until a reset is requested
 * @gdev: the card
 *
 * For reset_on_lockup=0: the status becomes NEEDS_RESET if it was OPERATIONAL.
 *
 * Context: Process context; takes gaudi_gate.lock. Does not sleep.
 */
void gaudi_reset_needed(struct gaudi_device *gdev);

/**
 * gaudi_reset_count() - How many resets there were
 * @gdev: the card
 *
 * For INFO RESET_COUNT and sysfs. Gaudi 1 knows hard resets only.
 *
 * Context: Any context.
 * Return: The count since probe.
 */
u32 gaudi_reset_count(struct gaudi_device *gdev);

/**
 * gaudi_reset_enter() - Block resets for a while
 * @gdev: the card
 *
 * For the paths of ioctls. Only if it succeeds is gaudi_reset_exit() to be
 * called.
 *
 * Context: Process context. Holds gaudi_gate.sem for reading on success.
 * Return: 0; %-EAGAIN while a reset runs or is needed; %-ENODEV if the card is
 *	disabled.
 */
int gaudi_reset_enter(struct gaudi_device *gdev);

/**
 * gaudi_reset_exit() - End what gaudi_reset_enter() began
 * @gdev: the card
 *
 * Context: Releases gaudi_gate.sem.
 */
void gaudi_reset_exit(struct gaudi_device *gdev);

#endif /* GAUDI_GATE_H */
