// SPDX-License-Identifier: GPL-2.0-only
/*
 * Host memory of the user, pinned and DMA-mapped for as long as the device may
 * reach it. Device virtual addresses are gaudi_vm.c's.
 */
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/overflow.h>
#include <linux/uaccess.h>
#include <trace/events/habanalabs.h>

#include "../core/gaudi_device.h"
#include "../core/gaudi_param.h"
#include "gaudi_memory.h"
#include "gaudi_vm.h"

/*
 * Pages that cannot be reclaimed are those of the process (VmPin in its status).
 * The limit is not enforced unless asked for: mainline knows none.
 */
static int gaudi_userptr_charge(struct gaudi_userptr *u)
{
	struct mm_struct *mm = current->mm;
	u64 limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	u64 pinned = atomic64_add_return(u->npages, &mm->pinned_vm);

	if (READ_ONCE(gaudi_enforce_memlock) && pinned > limit &&
	    !capable(CAP_IPC_LOCK)) {
		atomic64_sub(u->npages, &mm->pinned_vm);
		return -ENOMEM;
	}
	mmgrab(mm);
	u->mm = mm;
	return 0;
}

static void gaudi_userptr_uncharge(struct gaudi_userptr *u)
{
	atomic64_sub(u->npages, &u->mm->pinned_vm);
	mmdrop(u->mm);
}

/* Pages that are pinned at once: an array of a page says which. */
#define PIN_BATCH	(PAGE_SIZE / sizeof(struct page *))
/* A segment ends where large pages do. */
#define MAX_SEGMENT	SZ_2G

static void gaudi_userptr_unpin_pages(struct gaudi_userptr *u, bool dirty)
{
	struct scatterlist *sg;
	unsigned int i;

	for_each_sgtable_sg(&u->pages.sgt, sg, i)
		unpin_user_page_range_dirty_lock(sg_page(sg),
						 PFN_UP(sg->offset + sg->length),
						 dirty);
	sg_free_append_table(&u->pages);
}

/* The next pages, up to those that follow each other in memory as one segment. */
static long gaudi_userptr_pin_batch(struct gaudi_userptr *u, struct page **pages,
				    unsigned long done)
{
	unsigned long start = (u->addr & PAGE_MASK) + done * PAGE_SIZE;
	unsigned int off = done ? 0 : offset_in_page(u->addr);
	long n = min(u->npages - done, PIN_BATCH);
	int rc;

	n = pin_user_pages_fast(start, n, FOLL_WRITE | FOLL_LONGTERM, pages);
	/*
	 * Mainline: an address that is bad from the start on is a fault, one that
	 * goes bad is out of memory.
	 */
	if (n <= 0)
		return done || !n ? -ENOMEM : n;
	rc = sg_alloc_append_table_from_pages(&u->pages, pages, n, off,
					      min(n * PAGE_SIZE - off,
						  u->addr + u->size - start - off),
					      MAX_SEGMENT, u->npages - done - n,
					      GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!rc)
		return n;
	unpin_user_pages(pages, n);
	return rc;
}

static int gaudi_userptr_pin_pages(struct gaudi_userptr *u)
{
	struct page **pages = (void *)__get_free_page(GFP_KERNEL_ACCOUNT);
	unsigned long done = 0;
	long n = 0;

	if (!pages)
		return -ENOMEM;
	u->pages = (struct sg_append_table) { };
	for (; done < u->npages; done += n) {
		n = gaudi_userptr_pin_batch(u, pages, done);
		if (n < 0)
			break;
		cond_resched();
	}
	free_page((unsigned long)pages);
	if (n >= 0)
		return 0;
	gaudi_userptr_unpin_pages(u, false);
	return n;
}

int gaudi_userptr_pin(struct gaudi_userptr *u, u64 addr, u64 size)
{
	u64 end;
	int rc;

	if (!size || check_add_overflow(addr, size, &end) ||
	    PAGE_ALIGN(end) < end)
		return -EINVAL;
	if (!access_ok(u64_to_user_ptr(addr), size))
		return -EFAULT;
	u->addr = addr;
	u->size = size;
	u->npages = (PAGE_ALIGN(end) - (addr & PAGE_MASK)) >> PAGE_SHIFT;
	/* Mainline asks for an array of pointers to them. */
	if (u->npages > INT_MAX / sizeof(struct page *))
		return -ENOMEM;
	rc = gaudi_userptr_charge(u);
	if (rc)
		return rc;
	rc = gaudi_userptr_pin_pages(u);
	if (rc)
		gaudi_userptr_uncharge(u);
	return rc;
}

void gaudi_userptr_unpin(struct gaudi_userptr *u, bool dirty)
{
	gaudi_userptr_unpin_pages(u, dirty);
	gaudi_userptr_uncharge(u);
}

int gaudi_userptr_map(struct gaudi_device *gdev, struct gaudi_userptr *u)
{
	struct sg_table *sgt = &u->pages.sgt;
	struct device *dev = gdev->drm.dev;
	struct scatterlist *sg;
	unsigned int i;
	int rc;

	/*
	 * A user may map the same memory more than once, which the DMA API only
	 * takes if it need not keep the mappings in step: done by hand.
	 */
	rc = dma_map_sgtable(dev, sgt, DMA_BIDIRECTIONAL,
			     DMA_ATTR_SKIP_CPU_SYNC);
	if (rc)
		return rc;
	dma_sync_sgtable_for_device(dev, sgt, DMA_BIDIRECTIONAL);
	if (!trace_habanalabs_dma_map_page_enabled())
		return 0;
	for_each_sgtable_dma_sg(sgt, sg, i)
		trace_habanalabs_dma_map_page(dev, page_to_phys(sg_page(sg)),
					      sg_dma_address(sg),
					      sg_dma_len(sg),
					      DMA_BIDIRECTIONAL, __func__);
	return 0;
}

void gaudi_userptr_unmap(struct gaudi_device *gdev, struct gaudi_userptr *u)
{
	struct sg_table *sgt = &u->pages.sgt;
	struct device *dev = gdev->drm.dev;
	struct scatterlist *sg;
	unsigned int i;

	if (trace_habanalabs_dma_unmap_page_enabled())
		for_each_sgtable_dma_sg(sgt, sg, i)
			trace_habanalabs_dma_unmap_page(dev,
							page_to_phys(sg_page(sg)),
							sg_dma_address(sg),
							sg_dma_len(sg),
							DMA_BIDIRECTIONAL,
							__func__);
	dma_sync_sgtable_for_cpu(dev, sgt, DMA_BIDIRECTIONAL);
	dma_unmap_sgtable(dev, sgt, DMA_BIDIRECTIONAL, DMA_ATTR_SKIP_CPU_SYNC);
	gaudi_userptr_unpin(u, true);
}

struct page *gaudi_userptr_page(const struct gaudi_userptr *u,
				unsigned long index)
{
	struct scatterlist *sg;
	unsigned int i;

	if (!u->mm)
		return NULL;
	for_each_sgtable_sg(&u->pages.sgt, sg, i) {
		unsigned long n = PFN_UP(sg->offset + sg->length);

		if (index < n)
			return pfn_to_page(page_to_pfn(sg_page(sg)) + index);
		index -= n;
	}
	return NULL;
}
