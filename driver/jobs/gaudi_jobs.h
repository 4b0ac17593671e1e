/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The room of the driver's own jobs: fills and copies by DMA 0, and what is done by
 * them: a test of queues, the TPCs' start-up kernel, the state of sync objects that
 * a user finds.
 *
 * It owns one command buffer with a fence behind it.
 *
 * Locks: gaudi_kjob.lock, a mutex, held while a job runs. In shared mode a job has
 * the card for itself (gaudi_timeslice_begin_driver()). All of it sleeps.
 *
 * It offers what bring-up and open call.
 */
#ifndef GAUDI_JOBS_H
#define GAUDI_JOBS_H

#include <linux/types.h>

struct gaudi_device;

/* gaudi_kjob.c */
int gaudi_kjob_init(struct gaudi_device *gdev);
void gaudi_kjob_reset(struct gaudi_device *gdev);

/* Driver's jobs on DMA0: whole packets, waits for the end. May sleep. */
int gaudi_kjob_memset(struct gaudi_device *gdev, u64 dev_addr, u64 pattern,
		      u64 len);
int gaudi_kjob_copy(struct gaudi_device *gdev, u64 dst, u64 src, u64 len);
/* count registers from cfg_off on become value. */
int gaudi_kjob_reg_fill(struct gaudi_device *gdev, u32 cfg_off, u32 value,
			u32 count);
/* Fill the users' part of SRAM and HBM. The card is not in use. Sleeps. */
int gaudi_device_scrub(struct gaudi_device *gdev, u64 pattern);
/* Runs one NOP-like CB on each EXT queue and waits for its fence. */
int gaudi_queues_test(struct gaudi_device *gdev);

/* gaudi_tpc.c: the start-up kernel that clears the TPCs' memories. */
int gaudi_tpc_load(struct gaudi_device *gdev);

/* gaudi_sync.c */
void gaudi_sync_init(struct gaudi_device *gdev);
/* All SOBs and monitors of a user to their reset state (at open). */
int gaudi_sync_restore(struct gaudi_device *gdev);

#endif /* GAUDI_JOBS_H */
