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

/* gaudi_reset.c */
int gaudi_reset_init(struct gaudi_device *gdev);
void gaudi_reset_fini(struct gaudi_device *gdev);
/* Bring-up is over: the card is operational, and heartbeats start. */
void gaudi_reset_start(struct gaudi_device *gdev);
/* debugfs: show the card as disabled, or not; it works on. */
void gaudi_reset_set_disabled(struct gaudi_device *gdev, bool disabled);
/* After the status has left operational: wait for threads that are inside. */
void gaudi_reset_drain(struct gaudi_device *gdev);
/* For a card that comes back: its users should be gone by then. */
#define GAUDI_RESET_USERS_MS	30000
/*
 * Keep users and resets away until gaudi_reset_unblock(): suspend, function
 * level reset, removal. Engines, interrupts and firmware are quiet when it
 * returns, users are killed and have had users_ms to go; 0: they may live.
 */
void gaudi_reset_block(struct gaudi_device *gdev, int status,
		       unsigned int users_ms);
/* Bring the card back; 0, or it stays disabled. */
int gaudi_reset_unblock(struct gaudi_device *gdev);

/* Windows, and a card that waits for its firmware. */
int gaudi_device_find_card(struct gaudi_device *gdev);
/* Everything after preboot until the driver's own jobs can run. */
int gaudi_device_hw_init(struct gaudi_device *gdev);
/* Queue test, firmware information, page tables, TPC memories. */
int gaudi_device_late_init(struct gaudi_device *gdev);
/*
 * Hard reset: the card is as after power-on. Engines are halted before. Sleeps
 * for 2 s. fw_anywhere: see gaudi_fw_halt().
 */
int gaudi_device_hw_reset(struct gaudi_device *gdev, bool fw_anywhere);
/* Stop all that may touch host memory or raise interrupts. */
void gaudi_device_halt(struct gaudi_device *gdev);

int gaudi_coredump_init(struct gaudi_device *gdev);

#endif /* GAUDI_RESET_H */
