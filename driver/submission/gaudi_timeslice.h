/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared mode: several contexts share the card by time slices.
 *
 * The card as a whole belongs to one context at a time. An engine has one ASID,
 * and a queue's packets reach the registers of other engines, so host memory is
 * only safe if no engine works in another address space meanwhile; and a
 * submission may wait for a later one on another engine, so engines that are
 * taken one by one would end in a deadlock.
 *
 * A submission waits in its context's list until the context is the owner, the
 * one that has the time slice. When the slice is over and others wait, nothing
 * more is admitted. It ends when nothing of the owner runs any more, others
 * wait, and the engines are idle.
 *
 * All functions do nothing (or what is said) when gdev->timeslice is NULL,
 * which is so unless the module was loaded with shared=1.
 */
#ifndef GAUDI_TIMESLICE_H
#define GAUDI_TIMESLICE_H

#include <linux/list.h>
#include <linux/types.h>

#include "../../uapi/hw/gaudi_map.h"

struct gaudi_cs;
struct gaudi_ctx;
struct gaudi_device;

/* Part of a context; under the queues' lock. */
struct gaudi_timeslice_ctx {
	struct list_head node;		/* gaudi_timeslice.waiting */
	struct list_head pending;	/* struct gaudi_cs, in order */
	u32 num_pending;
	bool urgent;			/* waited for: an idle owner must go */
	u16 jobs[GAUDI_NUM_QUEUES];	/* pending and in the queues */
	u32 open_parts;			/* running; the last part is missing */
	u32 pending_parts;		/* pending that may be it */
	bool closed;			/* the file is closed */
};

int gaudi_timeslice_init(struct gaudi_device *gdev);
void gaudi_timeslice_fini(struct gaudi_device *gdev);
void gaudi_timeslice_ctx_init(struct gaudi_ctx *ctx);
/* The card was brought up; no engine has an address space. */
void gaudi_timeslice_start(struct gaudi_device *gdev);
/* Engines are halted: there is no owner, and nothing is pending. May sleep. */
void gaudi_timeslice_stop(struct gaudi_device *gdev);

/*
 * A context has no more than the queues hold, pending or running: -EAGAIN.
 * -ENOMEM: this will never fit. The queues' lock is held.
 */
int gaudi_timeslice_check_room(struct gaudi_cs *cs);
/* Add a submission that is on the manager's list. The lock is held. */
void gaudi_timeslice_add(struct gaudi_cs *cs);
/* A thread waits for work of ctx: an idle owner does not keep the card. */
void gaudi_timeslice_expedite(struct gaudi_ctx *ctx);
/* It ended, and its queue entries are free. */
void gaudi_timeslice_cs_done(struct gaudi_cs *cs);

/*
 * End the work of the context: drop what is pending, give what runs ms to end,
 * then free its engines from whatever they hang at. If that fails, the card is
 * reset. May sleep.
 */
void gaudi_timeslice_close(struct gaudi_ctx *ctx, unsigned int ms);
/*
 * Engines that work for ctx are in error, or it took too long: its running
 * submissions end with this error. False: it is not the owner, or no longer.
 */
bool gaudi_timeslice_fail(struct gaudi_device *gdev, struct gaudi_ctx *ctx,
			  int error);
/* The context that has the slice, with a reference; or NULL. */
struct gaudi_ctx *gaudi_timeslice_owner(struct gaudi_device *gdev);
/*
 * The context that QMAN q works for, or worked for last, with a reference;
 * NULL: none, or it is closed. May sleep.
 */
struct gaudi_ctx *gaudi_timeslice_qman_user(struct gaudi_device *gdev,
					    unsigned int q);

/* The card for the driver's own jobs. -EBUSY: it does not come free. */
int gaudi_timeslice_begin_driver(struct gaudi_device *gdev);
void gaudi_timeslice_end_driver(struct gaudi_device *gdev);

#endif /* GAUDI_TIMESLICE_H */
