/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The room of the embedded CPU: its boot, the command queue (gaudi_cpucp.h), and
 * the ring of events that it fills.
 *
 * It owns the images, what firmware reported (gaudi_device.fw_sem protects what
 * users read of it), and the memory that both sides share.
 *
 * Locks: one for the command queue, held while one message travels (gaudi_cpucp.c).
 * The event queue's worker is ordered and has its state for itself. What is called
 * with an entry is the room's above: it gets the function at gaudi_eq_init().
 *
 * It offers boot and halt, messages, and the event queue.
 */
#ifndef GAUDI_FIRMWARE_H
#define GAUDI_FIRMWARE_H

#include <linux/types.h>

struct gaudi_device;
struct gaudi_eq_entry;

/**
 * gaudi_fw_wait_preboot() - Wait until the embedded CPU is in its preboot
 * @gdev: the card
 *
 * Reads the version and the status bits. A secured firmware is refused.
 *
 * Context: Bring-up and reset. May sleep.
 * Return: 0, %-ETIMEDOUT, %-ENODEV, %-EIO, or %-EOPNOTSUPP if it is secured.
 */
int gaudi_fw_wait_preboot(struct gaudi_device *gdev);

/**
 * gaudi_fw_load() - Load the firmware, and wait until its Linux is up
 * @gdev: the card
 *
 * By the dynamic loader, if the preboot has it.
 *
 * Context: Bring-up and reset. May sleep.
 * Return: 0 or an errno, which is in the log.
 */
int gaudi_fw_load(struct gaudi_device *gdev);

/**
 * gaudi_fw_halt() - Ask the embedded CPU to halt
 * @gdev: the card
 * @anywhere: it may be in its preboot as well as in its Linux, so both are
 *	asked
 *
 * Before the driver resets the card. Firmware that resets the card by itself
 * does so.
 *
 * Context: May sleep.
 */
void gaudi_fw_halt(struct gaudi_device *gdev, bool anywhere);

/**
 * gaudi_fw_update_status() - Read the boot status bits again
 * @gdev: the card
 *
 * Firmware may add some once it runs.
 *
 * Context: Bring-up and reset.
 * Return: 0, or %-ENODEV.
 */
int gaudi_fw_update_status(struct gaudi_device *gdev);

/**
 * gaudi_fw_resets_itself() - Whether firmware does the hard reset
 * @gdev: the card
 *
 * Return: True if its status bits say so.
 */
bool gaudi_fw_resets_itself(struct gaudi_device *gdev);

/**
 * gaudi_comms_reset() - Forget what a former boot announced
 * @gdev: the card
 *
 * Where commands and interrupts of the embedded CPU go is as after power-on.
 */
void gaudi_comms_reset(struct gaudi_device *gdev);

/**
 * gaudi_eq_init() - Make the event queue
 * @gdev: the card
 * @handle: called with each entry, by an ordered worker; may sleep
 *
 * Context: Probe; freed by devm.
 * Return: 0 or %-ENOMEM.
 */
int gaudi_eq_init(struct gaudi_device *gdev,
		  void (*handle)(struct gaudi_device *gdev,
				 const struct gaudi_eq_entry *entry));

/**
 * gaudi_eq_reset() - Zero the ring and the index
 * @gdev: the card
 *
 * The embedded CPU does not know the ring yet.
 *
 * Context: Bring-up and reset.
 */
void gaudi_eq_reset(struct gaudi_device *gdev);

/**
 * gaudi_eq_enable() - Let firmware post events
 * @gdev: the card
 *
 * Fatal ones may come from here on.
 */
void gaudi_eq_enable(struct gaudi_device *gdev);

/**
 * gaudi_eq_kick() - Schedule the handling of entries
 * @gdev: the card
 *
 * Does nothing if there is no new one, or the queue is stopped.
 *
 * Context: Any context; the interrupt's.
 */
void gaudi_eq_kick(struct gaudi_device *gdev);

/**
 * gaudi_eq_stop() - Wait for a handler that runs
 * @gdev: the card
 *
 * It will not run again before gaudi_eq_enable().
 *
 * Context: May sleep.
 */
void gaudi_eq_stop(struct gaudi_device *gdev);

#endif /* GAUDI_FIRMWARE_H */
