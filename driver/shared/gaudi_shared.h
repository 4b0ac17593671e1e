/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The room of shared mode: several contexts share the card by time slices.
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
 * It owns the slices, each context's part of them, and who an engine works for.
 *
 * Locks: the queues' lock for all of it, and a mutex while the driver has the card.
 *
 * It offers two calls to probe and removal. The other rooms call it by the table
 * gaudi_shared_ops (core). The module may be built without it (make GAUDI_SHARED=n).
 */
#ifndef GAUDI_SHARED_H
#define GAUDI_SHARED_H

#include "../core/gaudi_param.h"

struct gaudi_device;

#if GAUDI_SHARED

/**
 * gaudi_shared_init() - Make the card's part of shared mode
 * @gdev: the card
 *
 * Nothing unless the module's parameter shared is set.
 *
 * Context: Probe; freed with the device.
 * Return: 0 or %-ENOMEM.
 */
int gaudi_shared_init(struct gaudi_device *gdev);

/**
 * gaudi_shared_fini() - Stop what runs for shared mode
 * @gdev: the card
 *
 * Context: May sleep.
 */
void gaudi_shared_fini(struct gaudi_device *gdev);

#else

static inline int gaudi_shared_init(struct gaudi_device *gdev)
{
	return 0;
}

static inline void gaudi_shared_fini(struct gaudi_device *gdev) { }

#endif /* GAUDI_SHARED */

#endif /* GAUDI_SHARED_H */
