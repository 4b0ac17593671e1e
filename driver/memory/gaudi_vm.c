// SPDX-License-Identifier: GPL-2.0-only
/*
 * A user's device address space: what is mapped, and host memory by virtual
 * address. HBM by handle is gaudi_vm_hbm.c's.
 *
 * HBM is not translated on this chip: its "mapping" is the physical address of
 * the allocation. Host memory gets a range of virtual addresses between
 * GAUDI_VA_HOST_START and _END and page table entries of 4 KiB, or of 2 MiB
 * where DMA addresses and lengths allow that for the whole of it.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/pci.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "../core/gaudi_ctx.h"
#include "../core/gaudi_device.h"
#include "../core/gaudi_gate.h"
#include "../hw/gaudi_mmu.h"
#include "gaudi_hbm.h"
#include "gaudi_memory.h"
#include "gaudi_vm.h"

/* Longest time from the decision to reset until nothing moves any more. */
#define HALT_TIMEOUT_MS		15000

struct gaudi_mapping {
	struct rb_node node;		/* in gaudi_vm.maps */
	u64 dev_addr;			/* what the user got */
	struct gaudi_hbm_block *block;	/* HBM, or NULL: host memory */
	struct drm_mm_node va;		/* host memory */
	u32 page_size;
	struct gaudi_userptr host;
	struct gaudi_import *import;	/* host memory of another driver */
};

#define to_mapping(rb)	rb_entry_safe(rb, struct gaudi_mapping, node)
/* In the order of addresses; the loop may not erase. */
#define for_each_mapping(map, vm)					\
	for (map = to_mapping(rb_first(&(vm)->maps)); map;		\
	     map = to_mapping(rb_next(&map->node)))

static int gaudi_mapping_compare(const void *key, const struct rb_node *node)
{
	u64 addr = *(const u64 *)key, other = to_mapping(node)->dev_addr;

	return addr < other ? -1 : addr > other;
}

static int gaudi_mapping_compare_node(struct rb_node *node,
				      const struct rb_node *other)
{
	return gaudi_mapping_compare(&to_mapping(node)->dev_addr, other);
}

/* From now on lookups find it, and another thread may end it. */
static int gaudi_mapping_add(struct gaudi_vm *vm, struct gaudi_mapping *map)
{
	bool there;

	spin_lock(&vm->maps_lock);
	there = rb_find_add(&map->node, &vm->maps, gaudi_mapping_compare_node);
	spin_unlock(&vm->maps_lock);
	return there ? -EBUSY : 0;
}

/*
 * Remove the mapping that begins there, so that only the caller has it; or
 * NULL.
 */
static struct gaudi_mapping *gaudi_mapping_remove(struct gaudi_vm *vm,
						  u64 dev_addr)
{
	struct rb_node *node;

	spin_lock(&vm->maps_lock);
	node = rb_find(&dev_addr, &vm->maps, gaudi_mapping_compare);
	if (node)
		rb_erase(node, &vm->maps);
	spin_unlock(&vm->maps_lock);
	return to_mapping(node);
}

/*
 * Pages of 2 MiB are possible if each DMA segment is made of whole ones. The
 * answer does not change while the memory is mapped.
 */
static u32 gaudi_vm_choose_page_size(struct sg_table *sgt)
{
	struct scatterlist *sg;
	unsigned int i;

	for_each_sgtable_dma_sg(sgt, sg, i)
		if (!IS_ALIGNED(sg_dma_address(sg) |
				PAGE_ALIGN((u64)sg_dma_len(sg)), SZ_2M))
			return SZ_4K;
	return SZ_2M;
}

/*
 * Choose a range: in the gap with the least room from its first aligned address
 * on, and of several such gaps the lowest, as on mainline, so that programs get
 * the addresses that they know.
 */
static bool gaudi_va_choose(struct gaudi_vm *vm, u64 size, u64 align, u64 *addr)
{
	u64 start, end, first, least = U64_MAX;
	struct drm_mm_node *pos;

	drm_mm_for_each_hole(pos, &vm->va, start, end) {
		first = round_up(start, align);
		if (first >= end || end - first < size || end - first > least)
			continue;
		if (end - first == least && first > *addr)
			continue;
		least = end - first;
		*addr = first;
	}
	return least != U64_MAX;
}

/* A range of virtual addresses; mainline's rules for hints. */
static int gaudi_va_alloc(struct gaudi_vm *vm, struct drm_mm_node *node,
			  u64 size, u64 align, u64 hint, bool force)
{
	guard(mutex)(&vm->lock);
	if (hint && IS_ALIGNED(hint, align)) {
		node->start = hint;
		node->size = size;
		if (hint >= GAUDI_VA_HOST_START &&
		    hint <= GAUDI_VA_HOST_END &&
		    size <= GAUDI_VA_HOST_END + 1 - hint &&
		    !drm_mm_reserve_node(&vm->va, node))
			return 0;
	}
	if (force)
		return -ENOMEM;
	memset(node, 0, sizeof(*node));
	node->size = size;
	if (!gaudi_va_choose(vm, size, align, &node->start) ||
	    drm_mm_reserve_node(&vm->va, node))
		return -ENOMEM;
	return 0;
}

static void gaudi_va_free(struct gaudi_vm *vm, struct drm_mm_node *node)
{
	guard(mutex)(&vm->lock);
	drm_mm_remove_node(node);
}

/* 0, -errno of the MMU, or -EAGAIN: a reset is on its way. */
static int gaudi_vm_try_invalidate(struct gaudi_device *gdev)
{
	int status, rc;

	/* PCI's error handling, which comes next, suspends the page tables. */
	if (gaudi_offline(gdev))
		return -EAGAIN;
	if (!gaudi_reset_enter(gdev)) {
		rc = gaudi_mmu_invalidate(gdev);
		gaudi_reset_exit(gdev);
		return rc;
	}
	/* No reset is under way; a card disabled by hand still runs. */
	status = READ_ONCE(gdev->status);
	if (status == HL_DEVICE_STATUS_NEEDS_RESET ||
	    status == HL_DEVICE_STATUS_MALFUNCTION)
		return gaudi_mmu_invalidate(gdev);
	return -EAGAIN;
}

/* 0, or an error: the card was, or is to be, reset. */
static int gaudi_vm_invalidate_or_reset(struct gaudi_device *gdev)
{
	unsigned long end = jiffies + msecs_to_jiffies(HALT_TIMEOUT_MS);
	int rc = 0;

	while (!READ_ONCE(gdev->dead) && gaudi_pgt_live(gdev)) {
		int now = rc ? -EAGAIN : gaudi_vm_try_invalidate(gdev);

		if (!now)
			return 0;
		if (now != -EAGAIN) {
			rc = now;
			gaudi_reset_schedule(gdev, GAUDI_RESET_EVENT);
		}
		if (time_after(jiffies, end)) {
			drm_err(&gdev->drm,
				"reset does not halt the card, no DMA for it\n");
			pci_clear_master(gdev->pdev);
			return -ETIMEDOUT;
		}
		usleep_range(1000, 2000);
	}
	return rc;
}

/*
 * Invalidate translations. When this returns, no engine reaches what was
 * unmapped: if the MMU does not answer, the card is reset; a reset that has
 * begun is waited for until it has halted the engines; and if it cannot, bus
 * mastering is turned off. Tables that had become empty before can be used
 * again.
 */
static int gaudi_vm_invalidate(struct gaudi_device *gdev)
{
	LIST_HEAD(empty);
	int rc;

	gaudi_pgt_detach_empty(gdev, &empty);
	rc = gaudi_vm_invalidate_or_reset(gdev);
	gaudi_pgt_reuse(gdev, &empty);
	return rc;
}

static void gaudi_vm_unmap_segments(struct gaudi_ctx *ctx,
				    struct gaudi_mapping *map)
{
	gaudi_pgt_unmap(ctx->gdev, ctx->asid, map->va.start, map->va.size,
			map->page_size);
}

/*
 * Virtual addresses and page tables for pinned memory. As soon as the mapping
 * can be found, another thread may end it.
 */
static int gaudi_vm_map_pinned(struct gaudi_ctx *ctx, struct gaudi_mapping *map,
			       u64 hint, u32 flags, u64 *dev_addr)
{
	bool force = flags & HL_MEM_FORCE_HINT;
	u64 align, offset;
	int rc;

	map->page_size = gaudi_vm_choose_page_size(&map->host.pages.sgt);
	offset = sg_dma_address(map->host.pages.sgt.sgl) & (map->page_size - 1);
	/* Small pages of memory that is aligned to large ones stay so. */
	align = IS_ALIGNED(map->host.addr, SZ_2M) ? SZ_2M : map->page_size;
	if (hint && offset && force)
		return -EINVAL;
	rc = gaudi_va_alloc(ctx->vm, &map->va, map->host.npages * PAGE_SIZE,
			    align, hint, force);
	if (rc)
		return rc;
	rc = gaudi_pgt_map_sgt(ctx->gdev, ctx->asid, map->va.start,
			       &map->host.pages.sgt, map->page_size);
	if (rc)
		goto forget;
	rc = gaudi_vm_invalidate(ctx->gdev);
	if (rc)
		goto unmap;
	map->dev_addr = map->va.start + offset;
	*dev_addr = map->dev_addr;
	rc = gaudi_mapping_add(ctx->vm, map);
	if (rc)
		goto unmap;
	return 0;

unmap:
	gaudi_vm_unmap_segments(ctx, map);
forget:
	/* The MMU may have cached entries while it was mapped. */
	gaudi_vm_invalidate(ctx->gdev);
	gaudi_va_free(ctx->vm, &map->va);
	return rc;
}

static atomic64_t *gaudi_vm_page_count(struct gaudi_ctx *ctx,
				       struct gaudi_mapping *map)
{
	return map->import ? &ctx->vm->imported_pages : &ctx->vm->pinned_pages;
}

/*
 * The device does not reach the memory any more: release it. Called a second
 * time if the device was removed.
 */
static void gaudi_vm_release_host(struct gaudi_ctx *ctx,
				  struct gaudi_mapping *map)
{
	if (!map->host.npages)
		return;
	atomic64_sub(map->host.npages, gaudi_vm_page_count(ctx, map));
	if (map->import)
		gaudi_import_end(map->import);
	else
		gaudi_userptr_unmap(ctx->gdev, &map->host);
	map->host.npages = 0;
}

/*
 * Map memory that is pinned and DMA-mapped; it is released, and map freed, if
 * this fails.
 */
static int gaudi_vm_map_held(struct gaudi_ctx *ctx, struct gaudi_mapping *map,
			     u64 hint, u32 flags, u64 *dev_addr)
{
	int rc;

	/* First: when it is mapped, another thread may end it. */
	atomic64_add(map->host.npages, gaudi_vm_page_count(ctx, map));
	rc = gaudi_vm_map_pinned(ctx, map, hint, flags, dev_addr);
	if (!rc)
		return 0;
	*dev_addr = 0;
	gaudi_vm_release_host(ctx, map);
	kfree(map);
	return rc;
}

int gaudi_vm_map_dmabuf(struct gaudi_ctx *ctx, int fd, u64 hint, u32 flags,
			u64 *dev_addr, u64 *size)
{
	struct gaudi_mapping *map = kzalloc(sizeof(*map), GFP_KERNEL_ACCOUNT);
	int rc;

	if (!map)
		return -ENOMEM;
	map->import = gaudi_import_begin(ctx->gdev, fd, &map->host);
	if (IS_ERR(map->import)) {
		rc = PTR_ERR(map->import);
		kfree(map);
		return rc;
	}
	*size = map->host.size;
	return gaudi_vm_map_held(ctx, map, hint, flags, dev_addr);
}

/*
 * DMA-map and map pinned memory; it is unpinned, and map freed, if this fails.
 */
static int gaudi_vm_dma_map_host(struct gaudi_ctx *ctx,
				 struct gaudi_mapping *map, u64 hint, u32 flags,
				 u64 *dev_addr)
{
	int rc = gaudi_userptr_map(ctx->gdev, &map->host);

	if (!rc)
		return gaudi_vm_map_held(ctx, map, hint, flags, dev_addr);
	gaudi_userptr_unpin(&map->host, false);
	kfree(map);
	return rc;
}

int gaudi_vm_map_host(struct gaudi_ctx *ctx, u64 addr, u64 size, u64 hint,
		      u32 flags, u64 *dev_addr)
{
	struct gaudi_mapping *map = kzalloc(sizeof(*map), GFP_KERNEL_ACCOUNT);
	int rc, idx;

	if (!map)
		return -ENOMEM;
	rc = gaudi_userptr_pin(&map->host, addr, size);
	if (rc) {
		kfree(map);
		return rc;
	}
	if (!gaudi_device_enter(ctx->gdev, &idx)) {
		gaudi_userptr_unpin(&map->host, false);
		kfree(map);
		return -ENODEV;
	}
	rc = gaudi_vm_dma_map_host(ctx, map, hint, flags, dev_addr);
	gaudi_device_exit(ctx->gdev, idx);
	return rc;
}

static void gaudi_vm_unmap_at(struct gaudi_ctx *ctx, u64 va, u64 size)
{
	gaudi_pgt_unmap(ctx->gdev, ctx->asid, va, size, SZ_4K);
	gaudi_vm_invalidate(ctx->gdev);
}

static int gaudi_vm_map_at(struct gaudi_ctx *ctx, u64 va, dma_addr_t dma,
			   u64 size)
{
	int rc = gaudi_pgt_map(ctx->gdev, ctx->asid, va,
			       gaudi_host_dev_addr(dma), size, SZ_4K);

	if (rc) {
		/* The MMU may have cached entries while it was mapped. */
		gaudi_vm_invalidate(ctx->gdev);
		return rc;
	}
	rc = gaudi_vm_invalidate(ctx->gdev);
	if (rc)
		gaudi_vm_unmap_at(ctx, va, size);
	return rc;
}

int gaudi_vm_map_coherent(struct gaudi_ctx *ctx, struct drm_mm_node *va,
			  dma_addr_t dma, u64 size)
{
	int rc = gaudi_va_alloc(ctx->vm, va, size, PAGE_SIZE, 0, false);

	if (rc)
		return rc;
	rc = gaudi_vm_map_at(ctx, va->start, dma, size);
	if (rc)
		gaudi_va_free(ctx->vm, va);
	return rc;
}

void gaudi_vm_unmap_coherent(struct gaudi_ctx *ctx, struct drm_mm_node *va)
{
	gaudi_vm_unmap_at(ctx, va->start, va->size);
	gaudi_va_free(ctx->vm, va);
}

int gaudi_vm_map_reserved(struct gaudi_ctx *ctx, dma_addr_t dma, u64 size,
			  u64 *va)
{
	*va = GAUDI_VA_HOST_START;
	return gaudi_vm_map_at(ctx, *va, dma, size);
}

void gaudi_vm_unmap_reserved(struct gaudi_ctx *ctx, u64 size)
{
	gaudi_vm_unmap_at(ctx, GAUDI_VA_HOST_START, size);
}

int gaudi_vm_map_hbm(struct gaudi_ctx *ctx, u64 handle, u64 hint, u32 flags,
		     u64 *dev_addr)
{
	struct gaudi_hbm_block *block;
	struct gaudi_mapping *map;
	u64 addr;
	int rc;

	block = gaudi_vm_block_map(ctx, handle);
	if (IS_ERR(block))
		return PTR_ERR(block);
	addr = block->node.start;
	rc = -ENOMEM;
	/* The address is what it is; a hint can only be right or wrong. */
	if ((flags & HL_MEM_FORCE_HINT) && hint != addr)
		goto unmap;
	map = kzalloc(sizeof(*map), GFP_KERNEL_ACCOUNT);
	if (!map)
		goto unmap;
	map->block = block;
	map->dev_addr = addr;
	rc = gaudi_mapping_add(ctx->vm, map);
	if (rc)
		goto free_map;
	*dev_addr = addr;
	return 0;

free_map:
	kfree(map);
unmap:
	gaudi_vm_block_unmap(ctx, block);
	return rc;
}

/* End a mapping that is no longer in vm->maps. */
static int gaudi_mapping_end(struct gaudi_ctx *ctx, struct gaudi_mapping *map)
{
	int rc = 0;

	if (map->block) {
		gaudi_vm_block_unmap(ctx, map->block);
	} else {
		gaudi_vm_unmap_segments(ctx, map);
		/* The card must not see the pages when they are unpinned. */
		rc = gaudi_vm_invalidate(ctx->gdev);
		gaudi_va_free(ctx->vm, &map->va);
		gaudi_vm_release_host(ctx, map);
	}
	kfree(map);
	return rc;
}

int gaudi_vm_unmap(struct gaudi_ctx *ctx, u64 dev_addr)
{
	struct gaudi_mapping *map = gaudi_mapping_remove(ctx->vm, dev_addr);

	return map ? gaudi_mapping_end(ctx, map) : -EINVAL;
}

u32 gaudi_vm_list(struct gaudi_ctx *ctx, struct hl_user_mapping *out, u32 max)
{
	struct gaudi_mapping *map;
	u32 num = 0;

	spin_lock(&ctx->vm->maps_lock);
	for_each_mapping(map, ctx->vm) {
		if (map->block)
			continue;
		if (num < max) {
			out[num].dev_va = map->dev_addr;
			out[num].size = map->host.size;
		}
		num++;
	}
	spin_unlock(&ctx->vm->maps_lock);
	return num;
}

void gaudi_vm_walk_host(struct gaudi_ctx *ctx, gaudi_vm_host_fn fn, void *arg)
{
	struct gaudi_mapping *map;

	spin_lock(&ctx->vm->maps_lock);
	for_each_mapping(map, ctx->vm)
		if (!map->block)
			fn(arg, map->dev_addr, &map->host);
	spin_unlock(&ctx->vm->maps_lock);
}

void gaudi_vm_init(struct gaudi_ctx *ctx, u64 reserved)
{
	struct gaudi_vm *vm = ctx->vm;
	u64 start = GAUDI_VA_HOST_START + reserved;

	mutex_init(&vm->lock);
	/* Mainline never gives out the last page. */
	drm_mm_init(&vm->va, start,
		    GAUDI_VA_HOST_END + 1 - PAGE_SIZE - start);
	spin_lock_init(&vm->maps_lock);
	vm->maps = RB_ROOT;
	gaudi_vm_init_hbm(ctx);
}

void gaudi_vm_unplug(struct gaudi_ctx *ctx)
{
	struct gaudi_mapping *map;

	for_each_mapping(map, ctx->vm)
		if (!map->block)
			gaudi_vm_release_host(ctx, map);
}

/* All page table entries first, one invalidation, then the memory. */
void gaudi_vm_fini(struct gaudi_ctx *ctx)
{
	struct gaudi_vm *vm = ctx->vm;
	struct gaudi_mapping *map, *next;
	bool any = false;

	for_each_mapping(map, vm) {
		if (map->block)
			continue;
		gaudi_vm_unmap_segments(ctx, map);
		any = true;
	}
	if (any)
		gaudi_vm_invalidate(ctx->gdev);
	/* This process may have been charged for them. */
	gaudi_pgt_trim(ctx->gdev);
	rbtree_postorder_for_each_entry_safe(map, next, &vm->maps, node) {
		if (!map->block) {
			drm_mm_remove_node(&map->va);
			gaudi_vm_release_host(ctx, map);
		}
		kfree(map);
	}
	gaudi_vm_fini_hbm(ctx);
	drm_mm_takedown(&vm->va);
	mutex_destroy(&vm->lock);
}
