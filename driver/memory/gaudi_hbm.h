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
 * Context: Probe.
 * Return: 0 or %-ENOMEM.
 */
int gaudi_hbm_init(struct gaudi_device *gdev);

/**
 * gaudi_hbm_fini() - Free the allocator
 * @gdev: the card
 *
 * Context: Nothing is allocated any more.
 */
void gaudi_hbm_fini(struct gaudi_device *gdev);

/**
 * gaudi_hbm_alloc() - Allocate HBM
 * @gdev: the card
 * @size: bytes, at least one
 * @page_size: what the address is to be a multiple of, too, if it is a power of
 *	two and not more than HBM
 *
 * The address is a multiple of the allocator's own pages.
 *
 * Context: Process context; may sleep.
 * Return: The block; ERR_PTR(-ENOMEM) if no range is large enough.
 */
struct gaudi_hbm_block *gaudi_hbm_alloc(struct gaudi_device *gdev, u64 size,
					u64 page_size);

/**
 * gaudi_hbm_free() - Free a block of HBM
 * @gdev: the card
 * @block: the block
 *
 * Context: Process context; may sleep.
 */
void gaudi_hbm_free(struct gaudi_device *gdev, struct gaudi_hbm_block *block);

/**
 * gaudi_hbm_used() - Bytes that users have asked for and not freed
 * @gdev: the card
 *
 * Context: Process context; may sleep.
 * Return: The sum.
 */
u64 gaudi_hbm_used(struct gaudi_device *gdev);

#endif /* GAUDI_HBM_H */
