/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * HBM that users ask the driver for.
 *
 * HBM is outside the MMU of this chip: an allocation is a contiguous range of
 * device addresses, and mainline's driver only counts bytes. The counters here
 * have mainline's meaning (bytes asked for); behind them stands a real
 * allocator.
 */
#ifndef GAUDI_HBM_H
#define GAUDI_HBM_H

#include <drm/drm_mm.h>
#include <linux/sizes.h>
#include <linux/types.h>

#include "../../uapi/hw/gaudi_map.h"

struct gaudi_device;

#define GAUDI_HBM_USER_SIZE	(GAUDI_HBM_SIZE - GAUDI_HBM_USER_BASE)
#define GAUDI_HBM_PAGE_SIZE	SZ_2M

/* One allocation. What changes is under the lock of gaudi_vm_hbm.c. */
struct gaudi_hbm_block {
	struct drm_mm_node node;	/* device addresses */
	u64 size;			/* bytes that the user asked for */
	u32 handle;
	u32 maps;			/* times mapped */
};

/**
 * gaudi_hbm_init() - Make the allocator of HBM
 * @gdev: the card
 *
 * Context: Probe; freed with the DRM device.
 * Return: 0 or %-ENOMEM.
 */
int gaudi_hbm_init(struct gaudi_device *gdev);

/**
 * gaudi_hbm_used() - Bytes that users have asked for and not freed
 * @gdev: the card
 *
 * Context: Process context; may sleep.
 * Return: The sum.
 */
u64 gaudi_hbm_used(struct gaudi_device *gdev);

#endif /* GAUDI_HBM_H */
