/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The room of the driver's own jobs: fills and copies by DMA 0, and what is done by
 * them: a test of queues, the TPCs' start-up kernel, the state of sync objects that
 * a user finds.
 *
 * It owns one command buffer with a fence behind it.
 *
 * Locks: gaudi_kjob.lock, a mutex, held while a job runs. In shared mode a job has
 * the card for itself (gaudi_shared_ops.begin_driver). All of it sleeps.
 *
 * It offers what bring-up and open call.
 */
#ifndef GAUDI_JOBS_H
#define GAUDI_JOBS_H

#include <linux/types.h>

struct gaudi_device;

/**
 * gaudi_kjob_init() - Make the command buffer and its fence
 * @gdev: the card
 *
 * Context: Probe; freed by devm.
 * Return: 0 or %-ENOMEM.
 */
int gaudi_kjob_init(struct gaudi_device *gdev);

/**
 * gaudi_kjob_reset() - A reset: a job that hung is forgotten
 * @gdev: the card
 *
 * Context: May sleep; takes gaudi_kjob.lock.
 */
void gaudi_kjob_reset(struct gaudi_device *gdev);

/**
 * gaudi_kjob_memset() - Fill memory of the device by DMA 0, and wait for it
 * @gdev: the card
 * @dev_addr: where
 * @pattern: with what
 * @len: bytes
 *
 * Context: May sleep; takes gaudi_kjob.lock.
 * Return: 0 or an errno.
 */
int gaudi_kjob_memset(struct gaudi_device *gdev, u64 dev_addr, u64 pattern,
		      u64 len);

/**
 * gaudi_kjob_scrub() - Fill the users' part of SRAM and HBM
 * @gdev: the card
 * @pattern: with what
 *
 * The card is not in use.
 *
 * Context: May sleep; takes gaudi_kjob.lock.
 * Return: 0 or an errno.
 */
int gaudi_kjob_scrub(struct gaudi_device *gdev, u64 pattern);

/**
 * gaudi_kjob_test_queues() - Run an empty CB on each EXT queue, and wait for
 *	its fence
 * @gdev: the card
 *
 * Context: May sleep; takes gaudi_kjob.lock.
 * Return: 0 or an errno.
 */
int gaudi_kjob_test_queues(struct gaudi_device *gdev);

/**
 * gaudi_tpc_load() - Run the start-up kernel that clears the TPCs' memories
 * @gdev: the card
 *
 * Context: Bring-up and reset. May sleep.
 * Return: 0 or an errno.
 */
int gaudi_tpc_load(struct gaudi_device *gdev);

/**
 * gaudi_sync_init() - Zero the sync objects that the driver uses
 * @gdev: the card
 *
 * Context: Bring-up and reset.
 */
void gaudi_sync_init(struct gaudi_device *gdev);

/**
 * gaudi_sync_restore() - All SOBs and monitors of a user to their reset state
 * @gdev: the card
 *
 * At open.
 *
 * Context: May sleep; takes gaudi_kjob.lock.
 * Return: 0 or an errno.
 */
int gaudi_sync_restore(struct gaudi_device *gdev);

#endif /* GAUDI_JOBS_H */
