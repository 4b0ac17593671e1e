// SPDX-License-Identifier: GPL-2.0-only
/*
 * The allocator of user HBM: one drm_mm over what the driver and the embedded
 * CPU leave free. Handles are gaudi_vm_hbm.c's, mappings gaudi_vm.c's.
 */
#include <linux/log2.h>
#include <linux/slab.h>

#include <drm/drm_managed.h>

#include "../core/gaudi_device.h"
#include "gaudi_hbm.h"
#include "gaudi_vm.h"

struct gaudi_hbm {
	struct mutex lock;
	struct drm_mm mm;
	u64 used;		/* bytes that users have asked for */
};

/* A page larger than all of HBM is ignored, as mainline ignores all sizes. */
static u64 gaudi_hbm_alignment(u64 own, u64 page_size)
{
	if (!is_power_of_2(page_size) || page_size > GAUDI_HBM_USER_SIZE)
		return own;
	return max(page_size, own);
}

struct gaudi_hbm_block *gaudi_hbm_alloc(struct gaudi_device *gdev, u64 size,
					u64 page_size)
{
	struct gaudi_hbm *hbm = gdev->hbm_mm;
	u64 own = size < GAUDI_HBM_PAGE_SIZE ? PAGE_SIZE : GAUDI_HBM_PAGE_SIZE;
	u64 align = gaudi_hbm_alignment(own, page_size);
	struct gaudi_hbm_block *block;
	int rc;

	if (!size || size > GAUDI_HBM_USER_SIZE)
		return ERR_PTR(-ENOMEM);
	block = kzalloc(sizeof(*block), GFP_KERNEL_ACCOUNT);
	if (!block)
		return ERR_PTR(-ENOMEM);
	block->size = size;
	guard(mutex)(&hbm->lock);
	rc = drm_mm_insert_node_generic(&hbm->mm, &block->node,
					round_up(size, own), align, 0,
					DRM_MM_INSERT_BEST);
	if (rc) {
		kfree(block);
		return ERR_PTR(-ENOMEM);
	}
	hbm->used += size;
	return block;
}

void gaudi_hbm_free(struct gaudi_device *gdev, struct gaudi_hbm_block *block)
{
	struct gaudi_hbm *hbm = gdev->hbm_mm;

	guard(mutex)(&hbm->lock);
	drm_mm_remove_node(&block->node);
	hbm->used -= block->size;
	kfree(block);
}

u64 gaudi_hbm_used(struct gaudi_device *gdev)
{
	guard(mutex)(&gdev->hbm_mm->lock);
	return gdev->hbm_mm->used;
}

static void gaudi_hbm_fini(struct drm_device *drm, void *mm)
{
	drm_mm_takedown(mm);
}

int gaudi_hbm_init(struct gaudi_device *gdev)
{
	struct gaudi_hbm *hbm = drmm_kzalloc(&gdev->drm, sizeof(*hbm),
					     GFP_KERNEL);
	int rc;

	if (!hbm)
		return -ENOMEM;
	rc = drmm_mutex_init(&gdev->drm, &hbm->lock);
	if (rc)
		return rc;
	drm_mm_init(&hbm->mm, GAUDI_HBM_USER_BASE, GAUDI_HBM_USER_SIZE);
	gdev->hbm_mm = hbm;
	return drmm_add_action_or_reset(&gdev->drm, gaudi_hbm_fini, &hbm->mm);
}
