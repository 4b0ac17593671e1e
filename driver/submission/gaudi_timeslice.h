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
 */
#ifndef GAUDI_TIMESLICE_H
#define GAUDI_TIMESLICE_H

#include <linux/types.h>

struct gaudi_cs;
struct gaudi_ctx;
struct gaudi_device;

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

#endif /* GAUDI_TIMESLICE_H */
