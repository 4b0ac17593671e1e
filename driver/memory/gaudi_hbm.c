// SPDX-License-Identifier: GPL-2.0-only
/*
 * The allocator of user HBM: one drm_mm over what the driver and the embedded
 * CPU leave free. Handles are gaudi_vm_hbm.c's, mappings gaudi_vm.c's.
 */
#include <linux/log2.h>
#include <linux/overflow.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include "../core/gaudi_device.h"
#include "gaudi_hbm.h"

struct gaudi_hbm {
	struct mutex lock;	/* mm */
	struct drm_mm mm;
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
	mutex_lock(&hbm->lock);
	rc = drm_mm_insert_node_generic(&hbm->mm, &block->node,
					round_up(size, own), align, 0,
					DRM_MM_INSERT_BEST);
	mutex_unlock(&hbm->lock);
	if (rc) {
		kfree(block);
		return ERR_PTR(-ENOMEM);
	}
	this_cpu_add(*gdev->hbm_used, size);
	return block;
}

void gaudi_hbm_free(struct gaudi_device *gdev, struct gaudi_hbm_block *block)
{
	struct gaudi_hbm *hbm = gdev->hbm_mm;

	mutex_lock(&hbm->lock);
	drm_mm_remove_node(&block->node);
	mutex_unlock(&hbm->lock);
	if (!block->idle)
		this_cpu_sub(*gdev->hbm_used, block->size);
	kfree(block);
}

u64 gaudi_hbm_used(struct gaudi_device *gdev)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(gdev->hbm_used, cpu));
	/* The sum is not a snapshot: other CPUs add and subtract meanwhile. */
	return clamp((s64)sum, 0ll, (s64)GAUDI_HBM_USER_SIZE);
}

int gaudi_hbm_init(struct gaudi_device *gdev)
{
	struct gaudi_hbm *hbm = kzalloc(sizeof(*hbm), GFP_KERNEL);

	if (!hbm)
		return -ENOMEM;
	gdev->hbm_used = alloc_percpu(u64);
	if (!gdev->hbm_used) {
		kfree(hbm);
		return -ENOMEM;
	}
	mutex_init(&hbm->lock);
	drm_mm_init(&hbm->mm, GAUDI_HBM_USER_BASE, GAUDI_HBM_USER_SIZE);
	gdev->hbm_mm = hbm;
	return 0;
}

void gaudi_hbm_fini(struct gaudi_device *gdev)
{
	struct gaudi_hbm *hbm = gdev->hbm_mm;

	if (!hbm)
		return;
	drm_mm_takedown(&hbm->mm);
	mutex_destroy(&hbm->lock);
	free_percpu(gdev->hbm_used);
	kfree(hbm);
	gdev->hbm_mm = NULL;
}
