/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared mode, register side: one QMAN with its engine passes from one context
 * to another, or is freed from what holds it. q is an index of gaudi_qmans.
 */
#ifndef GAUDI_HANDOVER_H
#define GAUDI_HANDOVER_H

#include <linux/types.h>

struct gaudi_device;

/* What each context has of every sync manager: n of its slot, to n + 1. */
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
/* The engine itself is at work; a queue of it waits at a fence. */
bool gaudi_handover_busy(struct gaudi_device *gdev, unsigned int q);
bool gaudi_handover_waits_at_fence(struct gaudi_device *gdev, unsigned int q);
/*
 * Clear errors that stop it; let go on who waits for a grant. Returns what the
 * owner is to be told. gaudi_error_lock() is held.
 */
u64 gaudi_handover_clear_errors(struct gaudi_device *gdev, unsigned int q);
/* A number that changes whenever its command processors get any further. */
u32 gaudi_handover_progress(struct gaudi_device *gdev, unsigned int q);
/*
 * Let go on who waits at a fence. Only while nothing moves and no monitor is
 * armed: what raises a fence after this is left for the next one.
 */
void gaudi_handover_signal_fences(struct gaudi_device *gdev, unsigned int q);
/* Is no fence raised that nobody waits at? */
bool gaudi_handover_fences_clear(struct gaudi_device *gdev, unsigned int q);
/* Disarm the slot's monitors. */
void gaudi_handover_disarm_monitors(struct gaudi_device *gdev,
				    unsigned int slot);
/* All sync objects and monitors of the slot as after power-on. */
void gaudi_handover_reset_slot(struct gaudi_device *gdev, unsigned int slot);

#endif /* GAUDI_HANDOVER_H */
