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
 * The module may be built without it (make GAUDI_SHARED=n). Then, and unless it was
 * loaded with shared=1, gaudi_is_shared() is false: what is declared last is called
 * in shared mode only, and the rest does nothing, or what is said.
 */
#ifndef GAUDI_TIMESLICE_H
#define GAUDI_TIMESLICE_H

#include <linux/types.h>

#include "../core/gaudi_param.h"

struct gaudi_ctx;
struct gaudi_device;

#if GAUDI_SHARED

/**
 * gaudi_timeslice_init() - Make the card's part of shared mode
 * @gdev: the card
 *
 * Nothing unless the module's parameter shared is set.
 *
 * Context: Probe; freed with the device.
 * Return: 0 or %-ENOMEM.
 */
int gaudi_timeslice_init(struct gaudi_device *gdev);

/**
 * gaudi_timeslice_fini() - Stop what runs for shared mode
 * @gdev: the card
 *
 * Context: May sleep.
 */
void gaudi_timeslice_fini(struct gaudi_device *gdev);

/**
 * gaudi_timeslice_ctx_init() - Make a context's part
 * @ctx: the context
 *
 * Context: Process context.
 */
void gaudi_timeslice_ctx_init(struct gaudi_ctx *ctx);

/**
 * gaudi_timeslice_start() - The card was brought up; no engine has an address
 *	space
 * @gdev: the card
 *
 * Context: Process context; takes the queues' lock.
 */
void gaudi_timeslice_start(struct gaudi_device *gdev);

/**
 * gaudi_timeslice_begin_driver() - Get the card for the driver's own jobs
 * @gdev: the card
 *
 * Until gaudi_timeslice_end_driver(), if it succeeds.
 *
 * Context: May sleep; takes a mutex in shared mode.
 * Return: 0; %-EBUSY: it does not come free.
 */
int gaudi_timeslice_begin_driver(struct gaudi_device *gdev);

/**
 * gaudi_timeslice_end_driver() - Give the card back to contexts
 * @gdev: the card
 *
 * Context: Releases what gaudi_timeslice_begin_driver() took.
 */
void gaudi_timeslice_end_driver(struct gaudi_device *gdev);

#else

static inline int gaudi_timeslice_init(struct gaudi_device *gdev)
{
	return 0;
}

static inline void gaudi_timeslice_fini(struct gaudi_device *gdev) { }
static inline void gaudi_timeslice_ctx_init(struct gaudi_ctx *ctx) { }
static inline void gaudi_timeslice_start(struct gaudi_device *gdev) { }

static inline int gaudi_timeslice_begin_driver(struct gaudi_device *gdev)
{
	return 0;
}

static inline void gaudi_timeslice_end_driver(struct gaudi_device *gdev) { }

#endif /* GAUDI_SHARED */

/**
 * gaudi_timeslice_close() - End the work of a context
 * @ctx: the context
 * @ms: how long what runs may take to end
 *
 * Drops what is pending, and frees the engines from whatever they hang at when
 * the time is over. If that fails, the card is reset.
 *
 * Context: May sleep.
 */
void gaudi_timeslice_close(struct gaudi_ctx *ctx, unsigned int ms);

/**
 * gaudi_timeslice_fail() - Engines that work for a context are in error
 * @gdev: the card
 * @ctx: the context
 * @error: how its running submissions end
 *
 * Or it took too long.
 *
 * Context: Process context; takes the queues' lock. In shared mode only.
 * Return: False: it is not the owner, or no longer.
 */
bool gaudi_timeslice_fail(struct gaudi_device *gdev, struct gaudi_ctx *ctx,
			  int error);

/**
 * gaudi_timeslice_owner() - The context that has the time slice
 * @gdev: the card
 *
 * Context: Process context; takes the queues' lock.
 * Return: The context with a reference, or %NULL.
 */
struct gaudi_ctx *gaudi_timeslice_owner(struct gaudi_device *gdev);

/**
 * gaudi_timeslice_qman_user() - The context that a QMAN works for, or worked
 *	for last
 * @gdev: the card
 * @q: index of gaudi_qmans
 *
 * Context: May sleep. In shared mode only.
 * Return: The context with a reference; %NULL: none, or it is closed.
 */
struct gaudi_ctx *gaudi_timeslice_qman_user(struct gaudi_device *gdev,
					    unsigned int q);

#endif /* GAUDI_TIMESLICE_H */
