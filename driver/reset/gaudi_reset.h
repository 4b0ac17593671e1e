/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The room of bring-up and reset: the order of steps from power-on to a card that
 * works, and back (gaudi_bringup.c); requests, heartbeats and what becomes of users
 * meanwhile (gaudi_reset.c).
 *
 * It owns the card's status after probe, and device core dumps.
 *
 * Locks: gaudi_gate.lock and .sem (gaudi_gate.h). A reset and the owner of a block
 * run one at a time.
 *
 * It offers the steps to probe and removal, and a block to power management and PCI
 * recovery. Requests are the gate's.
 */
#ifndef GAUDI_RESET_H
#define GAUDI_RESET_H

#include <linux/types.h>

struct gaudi_device;

/**
 * gaudi_reset_init() - Make the gate and the workers
 * @gdev: the card
 *
 * Context: Probe.
 * Return: 0 or %-ENOMEM.
 */
int gaudi_reset_init(struct gaudi_device *gdev);

/**
 * gaudi_reset_fini() - Refuse resets, and stop the workers
 * @gdev: the card
 *
 * Context: May sleep.
 */
void gaudi_reset_fini(struct gaudi_device *gdev);

/**
 * gaudi_reset_start() - Bring-up is over: the card is operational
 * @gdev: the card
 *
 * Heartbeats start, and firmware may post events. A reset that was requested in
 * probe comes now.
 *
 * Context: Process context; takes gaudi_gate.lock.
 */
void gaudi_reset_start(struct gaudi_device *gdev);

/**
 * gaudi_reset_set_disabled() - Show the card as disabled, or not; it works on
 * @gdev: the card
 * @disabled: which of them
 *
 * For debugfs.
 *
 * Context: Process context; takes gaudi_gate.lock.
 */
void gaudi_reset_set_disabled(struct gaudi_device *gdev, bool disabled);

/* For a card that comes back: its users should be gone by then. */
#define GAUDI_RESET_USERS_MS	30000

/**
 * gaudi_reset_block() - Keep users and resets away
 * @gdev: the card
 * @status: what users are told meanwhile
 * @users_ms: how long killed users have to go; 0: they may live
 *
 * Until gaudi_reset_unblock(): suspend, function level reset, removal. Engines,
 * interrupts and firmware are quiet when it returns.
 *
 * Context: May sleep; one at a time.
 */
void gaudi_reset_block(struct gaudi_device *gdev, int status,
		       unsigned int users_ms);

/**
 * gaudi_reset_unblock() - Bring the card back
 * @gdev: the card
 *
 * Context: May sleep.
 * Return: 0, or an errno: it stays disabled.
 */
int gaudi_reset_unblock(struct gaudi_device *gdev);

/**
 * gaudi_device_find_card() - Set up the windows, and wait for the card's
 *	preboot
 * @gdev: the card
 *
 * A card that was left in use, or hangs in its boot, is reset.
 *
 * Context: Probe. May sleep.
 * Return: 0 or an errno.
 */
int gaudi_device_find_card(struct gaudi_device *gdev);

/**
 * gaudi_device_hw_init() - Everything after preboot until the driver's own jobs
 *	can run
 * @gdev: the card
 *
 * Context: Bring-up and reset. May sleep.
 * Return: 0 or an errno.
 */
int gaudi_device_hw_init(struct gaudi_device *gdev);

/**
 * gaudi_device_late_init() - Queue test, firmware information, page tables, TPC
 *	memories
 * @gdev: the card
 *
 * Context: Bring-up and reset. May sleep.
 * Return: 0 or an errno.
 */
int gaudi_device_late_init(struct gaudi_device *gdev);

/**
 * gaudi_device_hw_reset() - Hard reset: the card is as after power-on
 * @gdev: the card
 * @fw_anywhere: see gaudi_fw_halt()
 *
 * Engines are halted before.
 *
 * Context: Sleeps for 2 s.
 * Return: 0, or an errno: it did not come back.
 */
int gaudi_device_hw_reset(struct gaudi_device *gdev, bool fw_anywhere);

/**
 * gaudi_device_halt() - Stop all that may touch host memory or raise interrupts
 * @gdev: the card
 *
 * Context: May sleep.
 */
void gaudi_device_halt(struct gaudi_device *gdev);

#endif /* GAUDI_RESET_H */
