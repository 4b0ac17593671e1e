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
#include <linux/percpu.h>
#include <linux/sizes.h>
#include <linux/types.h>

#include "../core/gaudi_device.h"

#define GAUDI_HBM_USER_SIZE	(GAUDI_HBM_SIZE - GAUDI_HBM_USER_BASE)
#define GAUDI_HBM_PAGE_SIZE	SZ_2M

/* One allocation. What changes is under the lock of gaudi_vm_hbm.c. */
struct gaudi_hbm_block {
	struct drm_mm_node node;	/* device addresses */
	u64 size;			/* bytes that the user asked for */
	u32 handle;
	u32 maps;			/* times mapped */
	bool idle;			/* freed by the user, and cached */
};

int gaudi_hbm_init(struct gaudi_device *gdev);
void gaudi_hbm_fini(struct gaudi_device *gdev);
/*
 * Of bytes, at least one, at a multiple of the own pages, and of page_size if that is
 * a power of two and not more than HBM; ERR_PTR(-ENOMEM) if no range is large enough.
 */
struct gaudi_hbm_block *gaudi_hbm_alloc(struct gaudi_device *gdev, u64 size,
					u64 page_size);
void gaudi_hbm_free(struct gaudi_device *gdev, struct gaudi_hbm_block *block);
/* Count a block of a user's as given back, or as asked for again. */
static inline void gaudi_hbm_set_idle(struct gaudi_device *gdev,
				      struct gaudi_hbm_block *block, bool idle)
{
	block->idle = idle;
	this_cpu_add(*gdev->hbm_used, idle ? -block->size : block->size);
}

/* Bytes that users have asked for and not freed. */
u64 gaudi_hbm_used(struct gaudi_device *gdev);

#endif /* GAUDI_HBM_H */
