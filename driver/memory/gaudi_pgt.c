// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page tables of the host MMU: five hops of 512 entries, in HBM.
 *
 * Owns the pool of hop tables, their shadow in host memory (what is written
 * again after a hard reset), and mapping and unmapping. Does not own virtual
 * addresses (gaudi_vm.c), hop 0's registers or invalidation (gaudi_mmu.c).
 *
 * The first tables are hop 0 of each ASID; the others come from the pool. One
 * that became empty is cached for the next mapping, as making it is most of the
 * work of a short-lived mapping: a page, and 512 entries to clear in HBM. It is
 * clear already, here and there.
 */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <drm/drm_drv.h>
#include <linux/dma-direction.h>
#include <linux/idr.h>
#include <linux/io.h>
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/list.h>
#include <linux/pci.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include <trace/events/habanalabs.h>

#include "../../uapi/hw/regs/gaudi_mmu_regs.h"
#include "../core/gaudi_device.h"
#include "../hw/gaudi_mmu.h"
#include "gaudi_pgt.h"
#include "gaudi_vm.h"

#define HOP_ENTRIES	GAUDI_MMU_HOP_ENTRIES
#define NUM_TABLES	(GAUDI_HBM_PGT_SIZE / GAUDI_MMU_HOP_SIZE)
/* Empty tables that are kept. */
#define MAX_CACHED	64

/* One hop table. */
struct hop {
	u64 *pte;		/* shadow of its entries, one page */
	u32 index;		/* place in the pool */
	u32 used;		/* entries that are present */
	bool stale;		/* HBM may differ from the shadow */
	struct list_head node;	/* in gaudi_pgt.empty, or cached */
};

struct gaudi_pgt {
	struct mutex lock;	/* tables, their shadow and their copy in HBM */
	bool live;		/* HBM can be written; false during a reset */
	struct ida ids;
	struct xarray hops;	/* by table number, empty ones as well */
	/*
	 * Tables that the MMU may have cached: not to be used before
	 * invalidation.
	 */
	struct list_head empty;
	struct list_head cached;	/* empty, after an invalidation */
	u32 num_cached;
};

/* The tables that lead to one entry, and to all others of the last one. */
struct walk {
	struct hop *hop[GAUDI_MMU_NUM_HOPS];
	u64 prefix;		/* of the addresses in the last one */
};

static u64 gaudi_pgt_hop_addr(u32 index)
{
	return GAUDI_HBM_PGT_BASE + (u64)index * GAUDI_MMU_HOP_SIZE;
}

u64 gaudi_pgt_hop0_addr(u32 asid)
{
	return gaudi_pgt_hop_addr(asid);
}

static u32 gaudi_pgt_entry_index(u64 va, unsigned int level)
{
	return (va >> GAUDI_MMU_HOP_SHIFT(level)) & GAUDI_MMU_HOP_MASK(level);
}

static unsigned int gaudi_pgt_last_level(u32 page_size)
{
	return page_size == SZ_2M ? 3 : 4;
}

/* What all addresses of one last table have in common. */
static u64 gaudi_pgt_prefix(u64 va, unsigned int last)
{
	return va >> GAUDI_MMU_HOP_SHIFT(last - 1);
}

/*
 * Copy entries from the shadow to the card. HBM is memory: any order will do, and
 * what follows is ordered by gaudi_pgt_flush().
 */
static void gaudi_pgt_hop_write(struct gaudi_device *gdev, struct hop *hop,
				u32 first, u32 count)
{
	if (!gdev->pgt->live || gaudi_offline(gdev)) {
		hop->stale = true;
		return;
	}
	__iowrite64_copy(gdev->hbm + gaudi_pgt_hop_addr(hop->index) +
				 first * sizeof(u64),
			 hop->pte + first, count);
	if (count == HOP_ENTRIES)
		hop->stale = false;
}

/* What was written so far is in HBM when this returns. */
static void gaudi_pgt_flush(struct gaudi_device *gdev)
{
	if (!gdev->pgt->live || gaudi_offline(gdev))
		return;
	wmb();	/* drain the write-combining buffers before the read */
	readq(gdev->hbm + gaudi_pgt_hop_addr(0));
}

static struct hop *gaudi_pgt_hop_create(struct gaudi_pgt *pgt, u32 index)
{
	struct hop *hop = kzalloc(sizeof(*hop), GFP_KERNEL_ACCOUNT);
	int rc;

	if (!hop)
		return NULL;
	hop->index = index;
	hop->stale = true;
	hop->pte = (u64 *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
	if (!hop->pte)
		goto free_hop;
	rc = xa_err(xa_store(&pgt->hops, index, hop, GFP_KERNEL));
	if (rc)
		goto free_page;
	return hop;

free_page:
	free_page((unsigned long)hop->pte);
free_hop:
	kfree(hop);
	return NULL;
}

static void gaudi_pgt_hop_free(struct gaudi_pgt *pgt, struct hop *hop)
{
	xa_erase(&pgt->hops, hop->index);
	free_page((unsigned long)hop->pte);
	kfree(hop);
}

/* Of the pool. */
static void gaudi_pgt_hop_destroy(struct gaudi_pgt *pgt, struct hop *hop)
{
	ida_free(&pgt->ids, hop->index);
	gaudi_pgt_hop_free(pgt, hop);
}

void gaudi_pgt_detach_empty(struct gaudi_device *gdev, struct list_head *empty)
{
	guard(mutex)(&gdev->pgt->lock);
	list_splice_tail_init(&gdev->pgt->empty, empty);
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_pgt_detach_empty);

void gaudi_pgt_reuse(struct gaudi_device *gdev, struct list_head *empty)
{
	struct gaudi_pgt *pgt = gdev->pgt;
	struct hop *hop, *next;

	guard(mutex)(&pgt->lock);
	list_for_each_entry_safe(hop, next, empty, node) {
		if (pgt->num_cached == MAX_CACHED) {
			gaudi_pgt_hop_destroy(pgt, hop);
			continue;
		}
		list_move(&hop->node, &pgt->cached);
		pgt->num_cached++;
	}
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_pgt_reuse);

void gaudi_pgt_trim(struct gaudi_device *gdev)
{
	struct gaudi_pgt *pgt = gdev->pgt;
	struct hop *hop, *next;

	guard(mutex)(&pgt->lock);
	list_for_each_entry_safe(hop, next, &pgt->cached, node)
		gaudi_pgt_hop_destroy(pgt, hop);
	INIT_LIST_HEAD(&pgt->cached);
	pgt->num_cached = 0;
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_pgt_trim);

static struct hop *gaudi_pgt_hop_new(struct gaudi_pgt *pgt)
{
	struct hop *hop;
	int index = ida_alloc_range(&pgt->ids, gaudi_num_asids(), NUM_TABLES - 1,
				    GFP_KERNEL);

	if (index < 0)
		return NULL;
	hop = gaudi_pgt_hop_create(pgt, index);
	if (!hop)
		ida_free(&pgt->ids, index);
	return hop;
}

static struct hop *gaudi_pgt_hop_alloc(struct gaudi_device *gdev)
{
	struct gaudi_pgt *pgt = gdev->pgt;
	struct hop *hop = list_first_entry_or_null(&pgt->cached, struct hop,
						   node);

	if (hop) {
		list_del(&hop->node);
		pgt->num_cached--;
	} else {
		hop = gaudi_pgt_hop_new(pgt);
		if (!hop)
			return NULL;
	}
	if (hop->stale)
		gaudi_pgt_hop_write(gdev, hop, 0, HOP_ENTRIES);
	return hop;
}

static struct hop *gaudi_pgt_hop_next(struct gaudi_pgt *pgt, u64 pte)
{
	return xa_load(&pgt->hops,
		       ((pte & GAUDI_PTE_PHYS) - gaudi_pgt_hop_addr(0)) /
			       GAUDI_MMU_HOP_SIZE);
}

/*
 * Remove tables of the walk that became empty, from the last level up. No entry
 * points to them any more, but the MMU may have read one before.
 */
static void gaudi_pgt_walk_prune(struct gaudi_device *gdev, struct walk *w,
				 u64 va, unsigned int last)
{
	struct gaudi_pgt *pgt = gdev->pgt;
	unsigned int level;

	for (level = last; level && !w->hop[level]->used; level--) {
		struct hop *up = w->hop[level - 1];
		u32 i = gaudi_pgt_entry_index(va, level - 1);

		up->pte[i] = 0;
		up->used--;
		gaudi_pgt_hop_write(gdev, up, i, 1);
		list_add_tail(&w->hop[level]->node, &pgt->empty);
	}
}

/*
 * Find the tables for va down to level last, unless w leads there already. With
 * create, missing ones are added; else -ENOENT. -EBUSY: a larger page is mapped
 * there.
 */
static int gaudi_pgt_walk(struct gaudi_device *gdev, u32 asid, u64 va,
			  unsigned int last, bool create, struct walk *w)
{
	struct gaudi_pgt *pgt = gdev->pgt;
	unsigned int level;

	/* As is the next range's, most often. */
	if (w->hop[last] && w->prefix == gaudi_pgt_prefix(va, last))
		return 0;
	w->hop[last] = NULL;
	w->hop[0] = xa_load(&pgt->hops, asid);
	for (level = 0; level < last; level++) {
		struct hop *hop = w->hop[level];
		u32 i = gaudi_pgt_entry_index(va, level);

		if (hop->pte[i] & GAUDI_PTE_LAST)
			return -EBUSY;
		if (hop->pte[i] & GAUDI_PTE_PRESENT) {
			w->hop[level + 1] =
				gaudi_pgt_hop_next(pgt, hop->pte[i]);
			continue;
		}
		if (!create)
			return -ENOENT;
		w->hop[level + 1] = gaudi_pgt_hop_alloc(gdev);
		if (!w->hop[level + 1]) {
			gaudi_pgt_walk_prune(gdev, w, va, level);
			return -ENOMEM;
		}
		hop->pte[i] = gaudi_pgt_hop_addr(w->hop[level + 1]->index) |
			      GAUDI_PTE_PRESENT;
		hop->used++;
		gaudi_pgt_hop_write(gdev, hop, i, 1);
	}
	w->prefix = gaudi_pgt_prefix(va, last);
	return 0;
}

/* Entries of one last-level table, from va on: at most count of them. */
static int gaudi_pgt_map_in_table(struct gaudi_device *gdev, u32 asid, u64 va,
				  u64 phys, u64 count, u32 page_size,
				  struct walk *w, u32 *done)
{
	unsigned int last = gaudi_pgt_last_level(page_size);
	u32 first = gaudi_pgt_entry_index(va, last), n, i;
	struct hop *hop;
	u64 *pte;
	int rc;

	rc = gaudi_pgt_walk(gdev, asid, va, last, true, w);
	if (rc)
		return rc;
	hop = w->hop[last];
	n = min_t(u64, count, HOP_ENTRIES - first);
	pte = hop->pte + first;
	phys |= GAUDI_PTE_LAST | GAUDI_PTE_PRESENT;
	for (i = 0; i < n && !pte[i]; i++, phys += page_size)
		pte[i] = phys;
	if (i < n)
		rc = -EBUSY;
	hop->used += i;
	gaudi_pgt_hop_write(gdev, hop, first, i);
	*done = i;
	if (rc && !i)
		gaudi_pgt_walk_prune(gdev, w, va, last);
	return rc;
}

/* *done: what is mapped, also if it fails. */
static int gaudi_pgt_map_range(struct gaudi_device *gdev, u32 asid, u64 va,
			       u64 phys, u64 len, u32 page_size, struct walk *w,
			       u64 *done)
{
	int rc = 0;

	*done = 0;
	while (!rc && *done < len) {
		u32 n = 0;

		rc = gaudi_pgt_map_in_table(gdev, asid, va + *done,
					    phys + *done,
					    (len - *done) / page_size,
					    page_size, w, &n);
		*done += (u64)n * page_size;
		cond_resched();
	}
	return rc;
}

static void gaudi_pgt_unmap_locked(struct gaudi_device *gdev, u32 asid, u64 va,
				   u64 len, u32 page_size)
{
	unsigned int last = gaudi_pgt_last_level(page_size);

	while (len) {
		struct walk w = {};
		u32 first = gaudi_pgt_entry_index(va, last), i, n;
		struct hop *hop;

		n = min_t(u64, len / page_size, HOP_ENTRIES - first);
		if (!gaudi_pgt_walk(gdev, asid, va, last, false, &w)) {
			hop = w.hop[last];
			for (i = first; i < first + n; i++)
				hop->used -= !!hop->pte[i];
			memset64(hop->pte + first, 0, n);
			gaudi_pgt_hop_write(gdev, hop, first, n);
			gaudi_pgt_walk_prune(gdev, &w, va, last);
		}
		va += (u64)n * page_size;
		len -= (u64)n * page_size;
		cond_resched();
	}
}

/* An event for each page; the last one says that all were flushed. */
static void gaudi_pgt_trace_pages(struct gaudi_device *gdev, u64 va, u64 phys,
				  u64 len, u32 page_size, bool map)
{
	struct device *dev = &gdev->pdev->dev;
	u64 off;

	for (off = 0; off < len; off += page_size) {
		bool last = len - off <= page_size;

		if (map)
			trace_habanalabs_mmu_map(dev, va + off, phys + off,
						 page_size, last);
		else
			trace_habanalabs_mmu_unmap(dev, va + off, 0, page_size,
						   last);
		cond_resched();
	}
}

/* What the card sees of a segment, in whole pages. */
static u64 gaudi_pgt_segment(struct scatterlist *sg, u32 page_size, u64 *len)
{
	u64 first = round_down(sg_dma_address(sg), page_size);

	*len = round_up(sg_dma_address(sg) + sg_dma_len(sg), page_size) - first;
	return gaudi_host_dev_addr(first);
}

static void gaudi_pgt_trace_segments(struct gaudi_device *gdev, u64 va,
				     struct sg_table *sgt, u32 page_size)
{
	struct scatterlist *sg;
	unsigned int i;

	for_each_sgtable_dma_sg(sgt, sg, i) {
		u64 len, phys = gaudi_pgt_segment(sg, page_size, &len);

		gaudi_pgt_trace_pages(gdev, va, phys, len, page_size, true);
		va += len;
	}
}

int gaudi_pgt_map_sgt(struct gaudi_device *gdev, u32 asid, u64 va,
		      struct sg_table *sgt, u32 page_size)
{
	struct scatterlist *sg;
	struct walk w = {};
	u64 done = 0;
	unsigned int i;
	int rc = 0, idx;

	if (!drm_dev_enter(&gdev->drm, &idx))
		return -ENODEV;
	mutex_lock(&gdev->pgt->lock);
	for_each_sgtable_dma_sg(sgt, sg, i) {
		u64 some, len, phys = gaudi_pgt_segment(sg, page_size, &len);

		rc = gaudi_pgt_map_range(gdev, asid, va + done, phys, len,
					 page_size, &w, &some);
		done += some;
		if (rc)
			break;
	}
	/* All is mapped, or nothing is. */
	if (rc)
		gaudi_pgt_unmap_locked(gdev, asid, va, done, page_size);
	gaudi_pgt_flush(gdev);
	if (!rc && trace_habanalabs_mmu_map_enabled())
		gaudi_pgt_trace_segments(gdev, va, sgt, page_size);
	mutex_unlock(&gdev->pgt->lock);
	drm_dev_exit(idx);
	return rc;
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_pgt_map_sgt);

int gaudi_pgt_map(struct gaudi_device *gdev, u32 asid, u64 va, u64 phys,
		  u32 len, u32 page_size)
{
	struct scatterlist sg;
	struct sg_table sgt = { .sgl = &sg, .nents = 1 };

	sg_init_table(&sg, 1);
	sg_dma_address(&sg) = phys - GAUDI_HOST_BASE;
	sg_dma_len(&sg) = len;
	return gaudi_pgt_map_sgt(gdev, asid, va, &sgt, page_size);
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_pgt_map);

void gaudi_pgt_unmap(struct gaudi_device *gdev, u32 asid, u64 va, u64 len,
		     u32 page_size)
{
	struct gaudi_pgt *pgt = gdev->pgt;
	int idx;

	/* The MMU of a card that is gone does not walk the tables any more. */
	if (!drm_dev_enter(&gdev->drm, &idx))
		return;
	mutex_lock(&pgt->lock);
	gaudi_pgt_unmap_locked(gdev, asid, va, len, page_size);
	gaudi_pgt_flush(gdev);
	if (trace_habanalabs_mmu_unmap_enabled())
		gaudi_pgt_trace_pages(gdev, va, 0, len, page_size, false);
	mutex_unlock(&pgt->lock);
	drm_dev_exit(idx);
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_pgt_unmap);

void gaudi_pgt_suspend(struct gaudi_device *gdev)
{
	guard(mutex)(&gdev->pgt->lock);
	gdev->pgt->live = false;
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_pgt_suspend);

bool gaudi_pgt_live(struct gaudi_device *gdev)
{
	guard(mutex)(&gdev->pgt->lock);
	return gdev->pgt->live;
}

void gaudi_pgt_restore(struct gaudi_device *gdev)
{
	struct gaudi_pgt *pgt = gdev->pgt;
	unsigned long index;
	struct hop *hop;

	guard(mutex)(&pgt->lock);
	pgt->live = true;
	xa_for_each(&pgt->hops, index, hop)
		gaudi_pgt_hop_write(gdev, hop, 0, HOP_ENTRIES);
	gaudi_pgt_flush(gdev);
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_pgt_restore);

void gaudi_pgt_fini(struct gaudi_device *gdev)
{
	struct gaudi_pgt *pgt = gdev->pgt;
	unsigned long index;
	struct hop *hop;

	if (!pgt)
		return;
	xa_for_each(&pgt->hops, index, hop)
		gaudi_pgt_hop_free(pgt, hop);
	xa_destroy(&pgt->hops);
	ida_destroy(&pgt->ids);
	mutex_destroy(&pgt->lock);
	kfree(pgt);
	gdev->pgt = NULL;
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_pgt_fini);

int gaudi_pgt_init(struct gaudi_device *gdev)
{
	struct gaudi_pgt *pgt = kzalloc(sizeof(*pgt), GFP_KERNEL);
	u32 asid;

	if (!pgt)
		return -ENOMEM;
	mutex_init(&pgt->lock);
	pgt->live = true;
	ida_init(&pgt->ids);
	xa_init(&pgt->hops);
	INIT_LIST_HEAD(&pgt->empty);
	INIT_LIST_HEAD(&pgt->cached);
	gdev->pgt = pgt;
	for (asid = 0; asid < gaudi_num_asids(); asid++)
		if (!gaudi_pgt_hop_create(pgt, asid)) {
			gaudi_pgt_fini(gdev);
			return -ENOMEM;
		}
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_pgt_init);
