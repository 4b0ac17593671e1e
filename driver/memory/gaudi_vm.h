/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files of this room: buffers, mappings, HBM blocks, dma-bufs. */
#ifndef GAUDI_VM_H
#define GAUDI_VM_H

#include <linux/types.h>

#include "gaudi_buf.h"

struct dma_buf;
struct drm_mm_node;
struct gaudi_ctx;
struct gaudi_device;
struct gaudi_hbm_block;
struct gaudi_import;
struct gaudi_userptr;
struct list_head;
struct sg_table;

/*
 * gaudi_buf.c: a buffer without a handle, or ERR_PTR(-ENOMEM). Its only reference is
 * the caller's, until gaudi_buf_publish() makes it the handle's; on an error of that,
 * the buffer is gone.
 */
struct gaudi_buf *gaudi_buf_create(struct gaudi_bufs *bufs,
				   enum gaudi_buf_type type, size_t size);
int gaudi_buf_publish(struct gaudi_buf *buf, u64 *handle);
/* Drop the handle's reference. -EINVAL: no such handle, or that happened before. */
int gaudi_buf_destroy(struct gaudi_bufs *bufs, u64 handle,
		      enum gaudi_buf_type type);

/*
 * gaudi_hbm.c: a block of at least one byte, or ERR_PTR(-ENOMEM). Its address is a
 * multiple of the allocator's pages, and of page_size if that is a power of two and
 * not more than HBM.
 */
struct gaudi_hbm_block *gaudi_hbm_alloc(struct gaudi_device *gdev, u64 size,
					u64 page_size);
void gaudi_hbm_free(struct gaudi_device *gdev, struct gaudi_hbm_block *block);

/*
 * gaudi_pgt.c. All of it sleeps and takes a mutex. Entries are flushed to HBM, but the
 * MMU is not invalidated. An errno of the first two: nothing is mapped. page_size is
 * SZ_4K or SZ_2M, of which the rest is a multiple; phys is a device address of host
 * memory. The DMA segments of a table follow each other from va on.
 */
int gaudi_pgt_map(struct gaudi_device *gdev, u32 asid, u64 va, u64 phys,
		  u32 len, u32 page_size);
int gaudi_pgt_map_sgt(struct gaudi_device *gdev, u32 asid, u64 va,
		      struct sg_table *sgt, u32 page_size);
void gaudi_pgt_unmap(struct gaudi_device *gdev, u32 asid, u64 va, u64 len,
		     u32 page_size);
/*
 * Tables that became empty are not used again before an invalidation: detach them,
 * invalidate, and give them back. Some are cached then, which trim frees.
 */
void gaudi_pgt_detach_empty(struct gaudi_device *gdev, struct list_head *empty);
void gaudi_pgt_reuse(struct gaudi_device *gdev, struct list_head *empty);
void gaudi_pgt_trim(struct gaudi_device *gdev);
/* Are they in HBM? Not while engines are halted and HBM is out of reach. */
bool gaudi_pgt_live(struct gaudi_device *gdev);

/*
 * gaudi_userptr.c. Errors are those of mainline's MAP. Sleeps for as long as the
 * user's pages take to come: the caller has not entered the device. dirty: the device
 * may have written.
 */
int gaudi_userptr_pin(struct gaudi_userptr *u, u64 addr, u64 size);
void gaudi_userptr_unpin(struct gaudi_userptr *u, bool dirty);
/* DMA-map what is pinned; and undo both. What each side wrote is visible to the other. */
int gaudi_userptr_map(struct gaudi_device *gdev, struct gaudi_userptr *u);
void gaudi_userptr_unmap(struct gaudi_device *gdev, struct gaudi_userptr *u);

int gaudi_vm_alloc_hbm(struct gaudi_ctx *ctx, u64 size, u64 page_size,
		       u32 *handle);
int gaudi_vm_free_hbm(struct gaudi_ctx *ctx, u64 handle_or_size);
int gaudi_vm_map_hbm(struct gaudi_ctx *ctx, u64 handle, u64 hint, u32 flags,
		     u64 *dev_addr);
/* Enters the device itself. */
int gaudi_vm_map_host(struct gaudi_ctx *ctx, u64 addr, u64 size, u64 hint,
		      u32 flags, u64 *dev_addr);
/* All of a dma-buf; its size too. */
int gaudi_vm_map_dmabuf(struct gaudi_ctx *ctx, int fd, u64 hint, u32 flags,
			u64 *dev_addr, u64 *size);
int gaudi_vm_unmap(struct gaudi_ctx *ctx, u64 dev_addr);
/*
 * Coherent memory of the kernel at a device virtual address: dma and size are
 * multiples of the page size.
 */
int gaudi_vm_map_coherent(struct gaudi_ctx *ctx, struct drm_mm_node *va,
			  dma_addr_t dma, u64 size);
void gaudi_vm_unmap_coherent(struct gaudi_ctx *ctx, struct drm_mm_node *va);
/* Is the range within one allocation of the context's? */
bool gaudi_vm_owns_hbm(struct gaudi_ctx *ctx, u64 addr, u64 size);

/* gaudi_vm_hbm.c, for gaudi_vm.c */
void gaudi_vm_init_hbm(struct gaudi_ctx *ctx);
void gaudi_vm_fini_hbm(struct gaudi_ctx *ctx);
/* The block of a handle becomes mapped: ERR_PTR(-EBUSY) if it is already. */
struct gaudi_hbm_block *gaudi_vm_block_map(struct gaudi_ctx *ctx, u64 handle);
void gaudi_vm_block_unmap(struct gaudi_ctx *ctx, struct gaudi_hbm_block *block);

/* gaudi_dmabuf.c: a dma-buf of a range of HBM. Returns a file descriptor. */
int gaudi_dmabuf_export(struct gaudi_ctx *ctx, u64 addr, u64 size, u64 offset,
			u32 flags);
bool gaudi_dmabuf_is_ours(const struct dma_buf *dmabuf);

/*
 * gaudi_dmabuf_import.c: pins and DMA-maps a dma-buf. Fills in the sg table,
 * size and number of pages of host. ERR_PTR() on failure. May sleep.
 */
struct gaudi_import *gaudi_import_begin(struct gaudi_device *gdev, int fd,
					struct gaudi_userptr *host);
void gaudi_import_end(struct gaudi_import *imp);

#endif /* GAUDI_VM_H */
