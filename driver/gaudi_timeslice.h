/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared mode: several contexts take turns on the card.
 *
 * The card as a whole belongs to one context at a time. An engine has one
 * ASID, and a queue's packets reach the registers of other engines, so host
 * memory is only safe if no engine works in another address space meanwhile;
 * and a submission may wait for a later one on another engine, so engines that
 * are taken one by one would end in a deadlock.
 *
 * A submission waits in its context's list until the context has its turn. A
 * turn ends when nothing of it runs any more, and others wait, or wait and the
 * time is over: then no more is admitted until the engines are idle.
 *
 * All functions do nothing (or what is said) when gdev->timeslice is NULL, which
 * is so unless the module was loaded with shared=1.
 */
#ifndef GAUDI_TIMESLICE_H
#define GAUDI_TIMESLICE_H

#include <linux/list.h>
#include <linux/types.h>

#include "../uapi/hw/gaudi_map.h"

struct gaudi_cs;
struct gaudi_ctx;
struct gaudi_device;

/* Part of a context; under the queues' lock. */
struct gaudi_timeslice_ctx {
	struct list_head node;		/* gaudi_timeslice.waiting */
	struct list_head pending;	/* struct gaudi_cs, in order */
	u32 num_pending;
	bool urgent;			/* somebody waits for its turn */
	u16 jobs[GAUDI_NUM_QUEUES];	/* pending and in the queues */
	u32 open_parts;			/* that wait for their last part */
	u32 pending_parts;		/* pending that may be it */
	bool closed;			/* the file is closed */
};

int gaudi_timeslice_init(struct gaudi_device *gdev);
void gaudi_timeslice_fini(struct gaudi_device *gdev);
void gaudi_timeslice_ctx_init(struct gaudi_ctx *ctx);
/* The card was brought up; no engine has an address space. */
void gaudi_timeslice_start(struct gaudi_device *gdev);
/* Engines are halted: nobody has a turn, nothing is pending. May sleep. */
void gaudi_timeslice_stop(struct gaudi_device *gdev);

/*
 * A context has no more than the queues hold, whoever's turn it is: -EAGAIN.
 * -ENOMEM: this will never fit. The queues' lock is held.
 */
int gaudi_timeslice_check_room(struct gaudi_cs *cs);
/* Take a submission that is on the manager's list. The lock is held. */
void gaudi_timeslice_add(struct gaudi_cs *cs);
/* Somebody waits for its work: an idle owner does not keep the card. */
void gaudi_timeslice_expedite(struct gaudi_ctx *ctx);
/* It ended, and its queue entries are free. */
void gaudi_timeslice_cs_done(struct gaudi_cs *cs);

/*
 * The context's work is to end now, one way or the other: what is pending is
 * dropped, what runs may end within ms, then its engines are freed from
 * whatever holds them. If that fails, the card is reset. May sleep.
 */
void gaudi_timeslice_close(struct gaudi_ctx *ctx, unsigned int ms);
/*
 * Engines that work for ctx are in error, or it took too long: what runs of it
 * ends with this error. False: it is not, or no longer, its turn.
 */
bool gaudi_timeslice_fail(struct gaudi_device *gdev, struct gaudi_ctx *ctx,
			  int error);
/* Whose turn it is, with a reference; or NULL. */
struct gaudi_ctx *gaudi_timeslice_owner(struct gaudi_device *gdev);
/*
 * For whom QMAN q works, or did last, with a reference; NULL: nobody who is
 * there. May sleep.
 */
struct gaudi_ctx *gaudi_timeslice_qman_user(struct gaudi_device *gdev,
					    unsigned int q);

/* A turn for the driver's own jobs. -EBUSY: the card does not come free. */
int gaudi_timeslice_begin_driver(struct gaudi_device *gdev);
void gaudi_timeslice_end_driver(struct gaudi_device *gdev);

#endif /* GAUDI_TIMESLICE_H */
