// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffers with handles: allocation, lookup, reference counts, mmap(). What is
 * done with them is gaudi_cb.c's and gaudi_memory.c's.
 */
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "../core/gaudi_compat.h"
#include "../core/gaudi_ctx.h"
#include "../core/gaudi_device.h"
#include "../core/gaudi_dma.h"
#include "../queues/gaudi_kcb.h"
#include "gaudi_buf.h"
#include "gaudi_vm.h"

static u32 gaudi_buf_handle_id(u64 handle)
{
	return lower_32_bits(handle >> PAGE_SHIFT);
}

void gaudi_bufs_init(struct gaudi_bufs *bufs, struct gaudi_ctx *ctx)
{
	bufs->ctx = ctx;
	mutex_init(&bufs->lock);
	xa_init_flags(&bufs->xa, XA_FLAGS_ALLOC1);
}

void gaudi_bufs_fini(struct gaudi_bufs *bufs)
{
	struct gaudi_buf *buf;
	unsigned long id;

	xa_for_each(&bufs->xa, id, buf)
		gaudi_buf_put(buf);
	xa_destroy(&bufs->xa);
	mutex_destroy(&bufs->lock);
}

u64 gaudi_bufs_size(struct gaudi_bufs *bufs)
{
	u64 bytes;

	xa_lock(&bufs->xa);
	bytes = bufs->bytes;
	xa_unlock(&bufs->xa);
	return bytes;
}

static void gaudi_buf_free_ts(struct gaudi_buf *buf)
{
	unsigned long n = PAGE_ALIGN(buf->size) >> PAGE_SHIFT;

	while (n--)
		if (buf->pages[n])
			__free_page(buf->pages[n]);
	kvfree(buf->pages);
	buf->pages = NULL;
}

/*
 * Pages that the process is charged for. Over its limit it gets an error, and
 * the OOM killer is not called. Only the user writes them, so the kernel needs
 * no mapping.
 */
static int gaudi_buf_alloc_ts(struct gaudi_buf *buf)
{
	unsigned long i, n = PAGE_ALIGN(buf->size) >> PAGE_SHIFT;

	buf->pages = kvcalloc(n, sizeof(*buf->pages), GFP_KERNEL_ACCOUNT);
	if (!buf->pages)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		buf->pages[i] = alloc_page(GFP_USER | __GFP_ACCOUNT |
					   __GFP_ZERO | __GFP_RETRY_MAYFAIL |
					   __GFP_NOWARN);
		if (buf->pages[i])
			continue;
		gaudi_buf_free_ts(buf);
		return -ENOMEM;
	}
	return 0;
}

static int gaudi_buf_alloc_memory(struct gaudi_buf *buf)
{
	struct gaudi_device *gdev = buf->owner->ctx->gdev;

	if (buf->type == GAUDI_BUF_TS)
		return gaudi_buf_alloc_ts(buf);
	if (is_power_of_2(PAGE_ALIGN(buf->size))) {
		/* The pool does not clear; another process may have used it. */
		buf->kcb = gaudi_kcb_alloc(gdev, buf->size, GFP_KERNEL_ACCOUNT);
		if (!buf->kcb)
			return -ENOMEM;
		buf->vaddr = memset(buf->kcb->vaddr, 0, PAGE_ALIGN(buf->size));
		buf->dma = buf->kcb->dma;
	} else {
		buf->vaddr = gaudi_dma_alloc(gdev, buf->size, &buf->dma,
					     GFP_USER | __GFP_ACCOUNT |
					     __GFP_NOWARN);
	}
	return buf->vaddr ? 0 : -ENOMEM;
}

static void gaudi_buf_free_memory(struct gaudi_buf *buf)
{
	struct gaudi_device *gdev = buf->owner->ctx->gdev;

	if (buf->pages)
		gaudi_buf_free_ts(buf);
	if (!buf->vaddr)
		return;
	if (buf->kcb && buf->pinnable)
		gaudi_kcb_destroy(gdev, buf->kcb);
	else if (buf->kcb)
		gaudi_kcb_free(gdev, buf->kcb);
	else
		gaudi_dma_free(gdev, buf->size, buf->vaddr, buf->dma);
	buf->vaddr = NULL;
}

void gaudi_bufs_unplug(struct gaudi_bufs *bufs)
{
	struct gaudi_buf *buf;
	unsigned long id;

	guard(mutex)(&bufs->lock);
	xa_for_each(&bufs->xa, id, buf)
		if (buf->type == GAUDI_BUF_CB)
			gaudi_buf_free_memory(buf);
}

struct gaudi_buf *gaudi_buf_create(struct gaudi_bufs *bufs,
				   enum gaudi_buf_type type, size_t size)
{
	struct gaudi_buf *buf;

	if (!size)
		return ERR_PTR(-ENOMEM);
	buf = kzalloc(sizeof(*buf), GFP_KERNEL_ACCOUNT);
	if (!buf)
		return ERR_PTR(-ENOMEM);
	kref_init(&buf->refs);
	buf->owner = bufs;
	buf->type = type;
	buf->size = size;
	if (gaudi_buf_alloc_memory(buf)) {
		kfree(buf);
		return ERR_PTR(-ENOMEM);
	}
	return buf;
}

int gaudi_buf_publish(struct gaudi_buf *buf, u64 *handle)
{
	u64 type = (u64)buf->type << GAUDI_BUF_TYPE_SHIFT;
	u32 id;
	int rc;

	/*
	 * From here on others find it, and may destroy it. buf->id is set
	 * before that, under the lock that they take.
	 */
	xa_lock(&buf->owner->xa);
	rc = __xa_alloc(&buf->owner->xa, &buf->id, buf, xa_limit_31b,
			GFP_KERNEL);
	id = buf->id;
	if (!rc)
		buf->owner->bytes += buf->size;
	xa_unlock(&buf->owner->xa);
	if (rc) {
		buf->id = 0;
		gaudi_buf_put(buf);
		return rc;
	}
	*handle = type | ((u64)id << PAGE_SHIFT);
	return 0;
}

struct gaudi_buf *gaudi_buf_get(struct gaudi_bufs *bufs, u64 handle,
				enum gaudi_buf_type type)
{
	struct gaudi_buf *buf;

	xa_lock(&bufs->xa);
	buf = xa_load(&bufs->xa, gaudi_buf_handle_id(handle));
	if (buf && (buf->type != type || !kref_get_unless_zero(&buf->refs)))
		buf = NULL;
	xa_unlock(&bufs->xa);
	return buf;
}

static void gaudi_buf_release(struct kref *refs)
{
	struct gaudi_buf *buf = container_of(refs, struct gaudi_buf, refs);
	struct gaudi_bufs *bufs = buf->owner;

	if (buf->on_release)
		buf->on_release(buf);
	/* What is not in the table any more holds no memory. */
	scoped_guard(mutex, &bufs->lock) {
		gaudi_buf_free_memory(buf);
		if (buf->id) {
			xa_lock(&bufs->xa);
			__xa_erase(&bufs->xa, buf->id);
			bufs->bytes -= buf->size;
			xa_unlock(&bufs->xa);
		}
	}
	kfree(buf);
}

void gaudi_buf_put(struct gaudi_buf *buf)
{
	kref_put(&buf->refs, gaudi_buf_release);
}

int gaudi_buf_destroy(struct gaudi_bufs *bufs, u64 handle,
		      enum gaudi_buf_type type)
{
	struct gaudi_buf *buf = gaudi_buf_get(bufs, handle, type);
	int rc = 0;

	if (!buf)
		return -EINVAL;
	if (atomic_cmpxchg(&buf->destroyed, 0, 1))
		rc = -EINVAL;
	else
		gaudi_buf_put(buf);
	gaudi_buf_put(buf);
	return rc;
}

static void gaudi_buf_vm_open(struct vm_area_struct *vma)
{
	struct gaudi_buf *buf = vma->vm_private_data;

	kref_get(&buf->refs);
	atomic_inc(&buf->mapped);
}

static void gaudi_buf_vm_close(struct vm_area_struct *vma)
{
	struct gaudi_buf *buf = vma->vm_private_data;

	atomic_dec(&buf->mapped);
	gaudi_buf_put(buf);
}

static unsigned long gaudi_buf_page_frame(const void *vaddr)
{
	/* Behind an IOMMU it may be put together from pages. */
	return is_vmalloc_addr(vaddr) ? vmalloc_to_pfn(vaddr) :
					page_to_pfn(virt_to_page(vaddr));
}

/*
 * All of a CB's pages at once, and only here. Its memory goes with the device.
 * A removal cannot find the mapping of an mmap() that is under way, since it is
 * in no list yet; that of a fault is in the list.
 */
static vm_fault_t gaudi_buf_vm_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct gaudi_buf *buf = vma->vm_private_data;
	struct gaudi_device *gdev = buf->owner->ctx->gdev;
	vm_fault_t ret = VM_FAULT_SIGBUS;
	unsigned long addr;
	void *vaddr;
	int idx;

	if (!gaudi_device_enter(gdev, &idx))
		return ret;
	/* The mapping may be a part of what it was. */
	vaddr = buf->vaddr + ((u64)(u32)(vma->vm_pgoff - buf->id) << PAGE_SHIFT);
	for (addr = vma->vm_start; addr < vma->vm_end; addr += PAGE_SIZE) {
		ret = vmf_insert_pfn(vma, addr, gaudi_buf_page_frame(vaddr));
		if (ret != VM_FAULT_NOPAGE)
			break;
		vaddr += PAGE_SIZE;
	}
	gaudi_device_exit(gdev, idx);
	return ret;
}

static const struct vm_operations_struct gaudi_buf_vm_ops = {
	.open = gaudi_buf_vm_open,
	.close = gaudi_buf_vm_close,
};

/* For memory that has no reference count of its own. */
static const struct vm_operations_struct gaudi_buf_fault_vm_ops = {
	.open = gaudi_buf_vm_open,
	.close = gaudi_buf_vm_close,
	.fault = gaudi_buf_vm_fault,
};

static int gaudi_buf_map_memory(struct gaudi_buf *buf,
				struct vm_area_struct *vma)
{
	struct device *dev = buf->owner->ctx->gdev->drm.dev;
	unsigned long pgoff = vma->vm_pgoff;
	int rc;

	/* The offset is a handle; for the mapping itself it starts at 0. */
	vma->vm_pgoff = 0;
	if (buf->type == GAUDI_BUF_CB)
		rc = dma_mmap_coherent(dev, vma, buf->vaddr, buf->dma,
				       buf->size);
	else
		rc = vm_map_pages(vma, buf->pages,
				  PAGE_ALIGN(buf->size) >> PAGE_SHIFT);
	vma->vm_pgoff = pgoff;
	return rc;
}

int gaudi_buf_mmap(struct gaudi_bufs *bufs, struct vm_area_struct *vma)
{
	u64 handle = (u64)vma->vm_pgoff << PAGE_SHIFT;
	struct gaudi_buf *buf;
	int rc = -EINVAL;

	/* A copy of what the card reads, or of times, is of no use. */
	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	buf = gaudi_buf_get(bufs, handle, handle >> GAUDI_BUF_TYPE_SHIFT);
	if (!buf)
		return -EINVAL;
	if (vma->vm_end - vma->vm_start != PAGE_ALIGN(buf->size))
		goto put;
	if (atomic_cmpxchg(&buf->mapped, 0, 1))
		goto put;
	vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY);
	rc = gaudi_buf_map_memory(buf, vma);
	if (rc) {
		atomic_set(&buf->mapped, 0);
		goto put;
	}
	vma->vm_private_data = buf;
	vma->vm_ops = &gaudi_buf_vm_ops;
	if (vma->vm_flags & VM_PFNMAP) {
		/* The DMA API has said how; faults say when. */
		zap_vma_ptes(vma, vma->vm_start, vma->vm_end - vma->vm_start);
		vma->vm_ops = &gaudi_buf_fault_vm_ops;
	} else if (buf->type == GAUDI_BUF_CB) {
		/* Behind an IOMMU these are pages that others can pin. */
		buf->pinnable = true;
	}
	return 0;

put:
	gaudi_buf_put(buf);
	return rc;
}
