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

#include "../core/gaudi_ctx.h"
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

/* Pages that are pinned at once. */
#define PIN_BATCH	(SZ_2M / PAGE_SIZE)
/* The longest run fits into one segment, and ends where large pages do. */
#define MAX_RUN		(SZ_2G / PAGE_SIZE)
#define FIRST_RUNS	256

/* Pages that follow each other in memory, too. */
struct run {
	struct page *page;
	unsigned long npages;
};

struct runs {
	struct run *run;	/* in the scratch, or allocated */
	size_t num, room;
};

/*
 * Scratch memory for pinning. The last one is cached: some kernels clear what
 * they allocate, which takes longer than to pin a large page.
 */
struct gaudi_pin_scratch {
	struct page *pages[PIN_BATCH];
	struct run run[FIRST_RUNS];
};

static struct gaudi_pin_scratch *gaudi_userptr_get_scratch(struct gaudi_vm *vm)
{
	struct gaudi_pin_scratch *scratch = xchg(&vm->pin_scratch, NULL);

	return scratch ?: kmalloc(sizeof(*scratch), GFP_KERNEL_ACCOUNT);
}

static void gaudi_userptr_put_scratch(struct gaudi_vm *vm,
				      struct gaudi_pin_scratch *scratch)
{
	kfree(xchg(&vm->pin_scratch, scratch));
}

static void gaudi_userptr_runs_unpin(struct runs *r)
{
	size_t i;

	for (i = 0; i < r->num; i++)
		unpin_user_page_range_dirty_lock(r->run[i].page,
						 r->run[i].npages, false);
}

static void gaudi_userptr_runs_free(struct runs *r)
{
	if (r->room > FIRST_RUNS)
		kvfree(r->run);
}

/* Room for one more. The new part of the array is not cleared. */
static int gaudi_userptr_runs_grow(struct runs *r)
{
	size_t room = 4 * r->room;
	struct run *run;

	if (r->num < r->room)
		return 0;
	run = kvmalloc_array(room, sizeof(*run),
			     GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!run)
		return -ENOMEM;
	memcpy(run, r->run, r->num * sizeof(*run));
	gaudi_userptr_runs_free(r);
	r->run = run;
	r->room = room;
	return 0;
}

/* The pins become those of r, also if this fails. */
static int gaudi_userptr_runs_add(struct runs *r, struct page **pages,
				  unsigned int num)
{
	unsigned int i = 0;

	while (i < num) {
		struct run *last = r->num ? &r->run[r->num - 1] : NULL;
		unsigned long pfn = page_to_pfn(pages[i]);
		unsigned int n = 1;

		while (i + n < num && page_to_pfn(pages[i + n]) == pfn + n)
			n++;
		if (last && page_to_pfn(last->page) + last->npages == pfn &&
		    last->npages + n <= MAX_RUN) {
			last->npages += n;
		} else if (!gaudi_userptr_runs_grow(r)) {
			r->run[r->num++] = (struct run) { pages[i], n };
		} else {
			unpin_user_pages(pages + i, num - i);
			return -ENOMEM;
		}
		i += n;
	}
	return 0;
}

static int gaudi_userptr_pin_runs(struct gaudi_userptr *u, struct page **pages,
				  struct runs *r)
{
	unsigned long start = u->addr & PAGE_MASK, done = 0;

	while (done < u->npages) {
		int n = min(u->npages - done, PIN_BATCH);

		n = pin_user_pages_fast(start + done * PAGE_SIZE, n,
					FOLL_WRITE | FOLL_LONGTERM, pages);
		/*
		 * Mainline: an address that is bad from the start on is a
		 * fault, one that goes bad is out of memory.
		 */
		if (n <= 0)
			return done || !n ? -ENOMEM : n;
		if (gaudi_userptr_runs_add(r, pages, n))
			return -ENOMEM;
		done += n;
		cond_resched();
	}
	return 0;
}

/* All pages, a segment for each run. */
static int gaudi_userptr_build_sgt(struct gaudi_userptr *u,
				   const struct runs *r)
{
	u64 left = u->size;
	struct scatterlist *sg;
	unsigned int i;
	int rc;

	if (r->num > UINT_MAX)
		return -ENOMEM;
	rc = sg_alloc_table(&u->sgt, r->num, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (rc)
		return rc;
	for_each_sgtable_sg(&u->sgt, sg, i) {
		unsigned int off = i ? 0 : offset_in_page(u->addr);
		u64 len = min(left, r->run[i].npages * PAGE_SIZE - off);

		sg_set_page(sg, r->run[i].page, len, off);
		left -= len;
	}
	return 0;
}

static int gaudi_userptr_pin_pages(struct gaudi_vm *vm, struct gaudi_userptr *u)
{
	struct gaudi_pin_scratch *scratch = gaudi_userptr_get_scratch(vm);
	struct runs r = { .room = FIRST_RUNS };
	int rc;

	if (!scratch)
		return -ENOMEM;
	r.run = scratch->run;
	rc = gaudi_userptr_pin_runs(u, scratch->pages, &r);
	if (!rc)
		rc = gaudi_userptr_build_sgt(u, &r);
	if (rc)
		gaudi_userptr_runs_unpin(&r);
	gaudi_userptr_runs_free(&r);
	gaudi_userptr_put_scratch(vm, scratch);
	return rc;
}

static void gaudi_userptr_unpin_pages(struct gaudi_userptr *u, bool dirty)
{
	struct scatterlist *sg;
	unsigned int i;

	for_each_sgtable_sg(&u->sgt, sg, i)
		unpin_user_page_range_dirty_lock(sg_page(sg),
						 PFN_UP(sg->offset + sg->length),
						 dirty);
	sg_free_table(&u->sgt);
}

int gaudi_userptr_pin(struct gaudi_ctx *ctx, struct gaudi_userptr *u, u64 addr,
		      u64 size)
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
	rc = gaudi_userptr_pin_pages(ctx->vm, u);
	if (rc)
		gaudi_userptr_uncharge(u);
	return rc;
}

void gaudi_userptr_unpin(struct gaudi_userptr *u, bool dirty)
{
	gaudi_userptr_unpin_pages(u, dirty);
	gaudi_userptr_uncharge(u);
}

struct page *gaudi_userptr_page(const struct gaudi_userptr *u,
				unsigned long index)
{
	struct scatterlist *sg;
	unsigned int i;

	if (!u->mm)
		return NULL;
	for_each_sgtable_sg(&u->sgt, sg, i) {
		unsigned long n = PFN_UP(sg->offset + sg->length);

		if (index < n)
			return pfn_to_page(page_to_pfn(sg_page(sg)) + index);
		index -= n;
	}
	return NULL;
}
