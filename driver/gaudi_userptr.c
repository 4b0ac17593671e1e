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
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "gaudi_device.h"
#include "gaudi_drv.h"
#include "gaudi_vm.h"

/*
 * Pages that cannot be reclaimed are those of the process (VmPin in its status).
 * The limit is not enforced unless asked for: mainline knows none.
 */
static int charge(struct gaudi_userptr *u)
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

static void uncharge(struct gaudi_userptr *u)
{
	atomic64_sub(u->npages, &u->mm->pinned_vm);
	mmdrop(u->mm);
}

static int pin_pages(struct gaudi_userptr *u)
{
	unsigned long start = u->addr & PAGE_MASK, done = 0;

	while (done < u->npages) {
		int n = min_t(unsigned long, u->npages - done, INT_MAX);

		n = pin_user_pages_fast(start + done * PAGE_SIZE, n,
					FOLL_WRITE | FOLL_LONGTERM,
					u->pages + done);
		if (n <= 0) {
			unpin_user_pages(u->pages, done);
			/* Mainline: an address that is bad from the start on
			 * is a fault, one that goes bad is out of memory.
			 */
			return done || !n ? -ENOMEM : n;
		}
		done += n;
	}
	return 0;
}

static int map_pages(struct gaudi_device *gdev, struct gaudi_userptr *u)
{
	int rc;

	rc = sg_alloc_table_from_pages(&u->sgt, u->pages, u->npages,
				       offset_in_page(u->addr), u->size,
				       GFP_KERNEL);
	if (rc)
		return rc;
	rc = dma_map_sgtable(gdev->drm.dev, &u->sgt, DMA_BIDIRECTIONAL, 0);
	if (rc)
		sg_free_table(&u->sgt);
	return rc;
}

int gaudi_userptr_pin(struct gaudi_device *gdev, struct gaudi_userptr *u,
		      u64 addr, u64 size)
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
	/* The size is the user's: no warning when it is absurd. */
	u->pages = kvmalloc_array(u->npages, sizeof(*u->pages),
				  GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!u->pages)
		return -ENOMEM;
	rc = charge(u);
	if (rc)
		goto free_pages;
	rc = pin_pages(u);
	if (rc)
		goto uncharge;
	rc = map_pages(gdev, u);
	if (rc)
		goto unpin;
	return 0;

unpin:
	unpin_user_pages(u->pages, u->npages);
uncharge:
	uncharge(u);
free_pages:
	kvfree(u->pages);
	return rc;
}

void gaudi_userptr_unpin(struct gaudi_device *gdev, struct gaudi_userptr *u)
{
	dma_unmap_sgtable(gdev->drm.dev, &u->sgt, DMA_BIDIRECTIONAL, 0);
	sg_free_table(&u->sgt);
	unpin_user_pages_dirty_lock(u->pages, u->npages, true);
	uncharge(u);
	kvfree(u->pages);
}
