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

/* What each context has of every sync manager, from those of its slot on. */
#define GAUDI_SLOT_SOBS		128
#define GAUDI_SLOT_MONS		32

/**
 * gaudi_handover_engine() - Let an engine work in another address space
 * @gdev: the card
 * @q: index of gaudi_qmans
 * @asid: the address space; 0 is the kernel's
 * @slot: the context's slot
 *
 * The engine is idle. What a user's queue may have set in it is as at open;
 * write completions count in the slot's sync objects.
 */
void gaudi_handover_engine(struct gaudi_device *gdev, unsigned int q, u32 asid,
			   unsigned int slot);

/**
 * gaudi_handover_idle() - Whether a QMAN and its engine are idle
 * @gdev: the card
 * @q: index of gaudi_qmans
 *
 * Return: True if so.
 */
bool gaudi_handover_idle(struct gaudi_device *gdev, unsigned int q);

/**
 * gaudi_handover_busy() - Whether the engine itself is busy
 * @gdev: the card
 * @q: index of gaudi_qmans
 *
 * Return: True if so.
 */
bool gaudi_handover_busy(struct gaudi_device *gdev, unsigned int q);

/**
 * gaudi_handover_waits_at_fence() - Whether a stream of the QMAN waits at a
 *	fence
 * @gdev: the card
 * @q: index of gaudi_qmans
 *
 * Return: True if so.
 */
bool gaudi_handover_waits_at_fence(struct gaudi_device *gdev, unsigned int q);

/**
 * gaudi_handover_clear_errors() - Free a QMAN from what stops it
 * @gdev: the card
 * @q: index of gaudi_qmans
 *
 * Clears errors, and ends waits for an arbiter's grant.
 *
 * Context: gaudi_errors.lock is held.
 * Return: The events to notify the owner of.
 */
u64 gaudi_handover_clear_errors(struct gaudi_device *gdev, unsigned int q);

/**
 * gaudi_handover_progress() - How far the command processors of a QMAN are
 * @gdev: the card
 * @q: index of gaudi_qmans
 *
 * Return: A number that changes whenever they get any further.
 */
u32 gaudi_handover_progress(struct gaudi_device *gdev, unsigned int q);

/**
 * gaudi_handover_signal_fences() - Raise the fences that command processors
 *	wait at
 * @gdev: the card
 * @q: index of gaudi_qmans
 *
 * So that they go on. Only while nothing moves and no monitor is armed: a fence
 * that is raised later would be left for the next owner.
 */
void gaudi_handover_signal_fences(struct gaudi_device *gdev, unsigned int q);

/**
 * gaudi_handover_fences_clear() - Whether all fence counters of a QMAN are 0
 * @gdev: the card
 * @q: index of gaudi_qmans
 *
 * Return: True if so.
 */
bool gaudi_handover_fences_clear(struct gaudi_device *gdev, unsigned int q);

/**
 * gaudi_handover_disarm_monitors() - Disarm the monitors of a slot
 * @gdev: the card
 * @slot: the slot
 */
void gaudi_handover_disarm_monitors(struct gaudi_device *gdev,
				    unsigned int slot);

/**
 * gaudi_handover_reset_slot() - All sync objects and monitors of a slot as
 *	after power-on
 * @gdev: the card
 * @slot: the slot
 */
void gaudi_handover_reset_slot(struct gaudi_device *gdev, unsigned int slot);

#endif /* GAUDI_HANDOVER_H */
