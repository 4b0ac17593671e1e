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

/* gaudi_fw.c: the embedded CPU from power-on to its Linux. */
int gaudi_fw_wait_preboot(struct gaudi_device *gdev);
int gaudi_fw_load(struct gaudi_device *gdev);
/*
 * Ask the embedded CPU to halt, before the driver resets the card. anywhere: it
 * may be in its preboot as well as in its Linux, so both are asked.
 */
void gaudi_fw_halt(struct gaudi_device *gdev, bool anywhere);
/* Boot status bits again; firmware may add some once it runs. */
int gaudi_fw_update_status(struct gaudi_device *gdev);
bool gaudi_fw_resets_itself(struct gaudi_device *gdev);
/* gaudi_comms.c: the dynamic loader. Forget what a former boot announced. */
void gaudi_comms_reset(struct gaudi_device *gdev);

/* handle: one entry; called by an ordered worker. May sleep. */
int gaudi_eq_init(struct gaudi_device *gdev,
		  void (*handle)(struct gaudi_device *gdev,
				 const struct gaudi_eq_entry *entry));
void gaudi_eq_fini(struct gaudi_device *gdev);
/* Zero ring and index; the embedded CPU does not know the ring yet. */
void gaudi_eq_reset(struct gaudi_device *gdev);
/* Let firmware post events. Fatal ones may come from here on. */
void gaudi_eq_enable(struct gaudi_device *gdev);
/* From the interrupt: schedule the handling of entries. */
void gaudi_eq_kick(struct gaudi_device *gdev);
/* Wait for a handler that runs; it will not run again before enable. */
void gaudi_eq_stop(struct gaudi_device *gdev);

#endif /* GAUDI_FIRMWARE_H */
