/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Between the files of this room: one QMAN with its engine is handed over from one
 * context to another, or freed from what it hangs at. q is an index of gaudi_qmans.
 */
#ifndef GAUDI_HANDOVER_H
#define GAUDI_HANDOVER_H

#include <linux/types.h>

struct gaudi_device;

/* What each context has of every sync manager, from those of its slot on. */
#define GAUDI_SLOT_SOBS		128
#define GAUDI_SLOT_MONS		32

/*
 * The engine, which is idle, works in another address space; 0 is the kernel's. What a
 * user's queue may have set in it is as at open, and write completions count in the
 * slot's sync objects.
 */
void gaudi_handover_engine(struct gaudi_device *gdev, unsigned int q, u32 asid,
			   unsigned int slot);
/* Are QMAN and engine idle? Is the engine itself busy? Does a stream wait at a fence? */
bool gaudi_handover_idle(struct gaudi_device *gdev, unsigned int q);
bool gaudi_handover_busy(struct gaudi_device *gdev, unsigned int q);
bool gaudi_handover_waits_at_fence(struct gaudi_device *gdev, unsigned int q);
/*
 * Clear errors, and end waits for an arbiter's grant. Returns the events to notify the
 * owner of. gaudi_errors.lock is held.
 */
u64 gaudi_handover_clear_errors(struct gaudi_device *gdev, unsigned int q);
/* A number that changes whenever the command processors get any further. */
u32 gaudi_handover_progress(struct gaudi_device *gdev, unsigned int q);
/*
 * Raise the fences that command processors wait at, so that they go on. Only while
 * nothing moves and no monitor is armed: a fence that is raised later would be left for
 * the next owner.
 */
void gaudi_handover_signal_fences(struct gaudi_device *gdev, unsigned int q);
/* Are all fence counters 0? */
bool gaudi_handover_fences_clear(struct gaudi_device *gdev, unsigned int q);
void gaudi_handover_disarm_monitors(struct gaudi_device *gdev,
				    unsigned int slot);
/* All sync objects and monitors of a slot as after power-on. */
void gaudi_handover_reset_slot(struct gaudi_device *gdev, unsigned int slot);

#endif /* GAUDI_HANDOVER_H */
