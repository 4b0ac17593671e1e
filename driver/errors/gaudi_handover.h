/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared mode, register side: one QMAN with its engine is handed over from one
 * context to another, or freed from what it hangs at. q is an index of
 * gaudi_qmans.
 */
#ifndef GAUDI_HANDOVER_H
#define GAUDI_HANDOVER_H

#include <linux/types.h>

struct gaudi_device;

/*
 * What each context has of every sync manager: from n of its slot up to n + 1.
 */
#define GAUDI_SLOT_SOBS		128
#define GAUDI_SLOT_MONS		32
/* The first ones of W_S in each slot are the driver's. */
#define GAUDI_SLOT_DRV_SOBS	16
#define GAUDI_SLOT_DRV_MONS	8

/*
 * The engine, idle, works in this address space from now on. What a user's
 * queue may have set in it is as at open; write completions count in the
 * slot's sync objects.
 */
void gaudi_handover_engine(struct gaudi_device *gdev, unsigned int q, u32 asid,
			   unsigned int slot);
bool gaudi_handover_idle(struct gaudi_device *gdev, unsigned int q);
/* The engine itself is busy; a stream of the QMAN waits at a fence. */
bool gaudi_handover_busy(struct gaudi_device *gdev, unsigned int q);
bool gaudi_handover_waits_at_fence(struct gaudi_device *gdev, unsigned int q);
/*
 * Clear errors that stop it, and end waits for an arbiter's grant. Returns the
 * events to notify the owner of. gaudi_error_lock() is held.
 */
u64 gaudi_handover_clear_errors(struct gaudi_device *gdev, unsigned int q);
/* A number that changes whenever its command processors get any further. */
u32 gaudi_handover_progress(struct gaudi_device *gdev, unsigned int q);
/*
 * Raise the fences that command processors wait at, so that they go on. Only
 * while nothing moves and no monitor is armed: a fence that is raised later
 * would be left for the next owner.
 */
void gaudi_handover_signal_fences(struct gaudi_device *gdev, unsigned int q);
/* Are all fence counters 0? */
bool gaudi_handover_fences_clear(struct gaudi_device *gdev, unsigned int q);
/* Disarm the slot's monitors. */
void gaudi_handover_disarm_monitors(struct gaudi_device *gdev,
				    unsigned int slot);
/* All sync objects and monitors of the slot as after power-on. */
void gaudi_handover_reset_slot(struct gaudi_device *gdev, unsigned int slot);

#endif /* GAUDI_HANDOVER_H */
