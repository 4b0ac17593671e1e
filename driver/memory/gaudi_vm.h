/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What one user has in the device's address space: HBM allocations, mapped
 * host memory, and the virtual addresses for it.
 */
#ifndef GAUDI_VM_H
#define GAUDI_VM_H

#include <drm/drm_mm.h>
#include <linux/bit_spinlock.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/scatterlist.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/xarray.h>
#include <uapi/drm/habanalabs_accel.h>

struct gaudi_ctx;
struct gaudi_device;
struct gaudi_hbm_block;
struct gaudi_import;
struct gaudi_pin_scratch;
struct dma_buf;
struct drm_device;
struct drm_file;

struct gaudi_vm {
	struct mutex lock;	/* va */
	struct drm_mm va;	/* device virtual addresses of host memory */
	spinlock_t maps_lock;	/* maps */
	struct rb_root maps;	/* struct gaudi_mapping by dev_addr */
	unsigned long blocks_lock;	/* the next three, and the blocks' fields */
	struct xarray blocks;	/* struct gaudi_hbm_block by handle */
	struct gaudi_hbm_block *recent;	/* the one that was freed last, or NULL */
	u64 hbm_bytes;		/* bytes of HBM asked for */
	atomic64_t pinned_pages;	/* host memory, by user address */
	atomic64_t imported_pages;	/* ... and by dma-buf */
	struct gaudi_pin_scratch *pin_scratch;	/* gaudi_userptr.c's, or NULL */
};

/*
 * A bit, because it is held for a few instructions only, there is hardly ever
 * contention, and a function call would be much of the time of an allocation.
 * Nothing sleeps below it; an xarray's lock is inside.
 */
static inline void gaudi_vm_blocks_lock(struct gaudi_vm *vm)
	__acquires(bitlock)
{
	bit_spin_lock(0, &vm->blocks_lock);
}

static inline void gaudi_vm_blocks_unlock(struct gaudi_vm *vm)
	__releases(bitlock)
{
	__bit_spin_unlock(0, &vm->blocks_lock);
}

/* Host memory that the device may reach: pinned and DMA-mapped. */
struct gaudi_userptr {
	u64 addr;		/* the user's address */
	u64 size;
	struct mm_struct *mm;	/* that is charged; NULL: memory of a dma-buf */
	unsigned long npages;
	struct sg_table sgt;
};

/*
 * gaudi_userptr.c. Errors are those of mainline's MAP. Sleeps for as long as the
 * user's pages take to come: the caller has not entered the device. DMA mappings
 * are the caller's. dirty: the device may have written.
 */
int gaudi_userptr_pin(struct gaudi_ctx *ctx, struct gaudi_userptr *u, u64 addr,
		      u64 size);
void gaudi_userptr_unpin(struct gaudi_userptr *u, bool dirty);
/* The page with this index; NULL: the memory is not the user's. */
struct page *gaudi_userptr_page(const struct gaudi_userptr *u,
				unsigned long index);

/* The first reserved bytes of virtual addresses stay unused. */
int gaudi_vm_init(struct gaudi_ctx *ctx, u64 reserved);
/* Unmaps and frees all that is left. The engines are idle or in reset. */
void gaudi_vm_fini(struct gaudi_ctx *ctx);
/*
 * The device goes away: unmap and unpin host memory, even if the file stays
 * open. Engines are halted, no ioctl runs, the caller has a reference.
 */
void gaudi_vm_unplug(struct gaudi_ctx *ctx);

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
/* Bytes of HBM that this user asked for. */
u64 gaudi_vm_hbm_bytes(struct gaudi_ctx *ctx);
/*
 * Mappings of host memory, for INFO USER_MAPPINGS: fills at most max entries,
 * returns how many there are.
 */
u32 gaudi_vm_list(struct gaudi_ctx *ctx, struct hl_user_mapping *out, u32 max);

/* Call fn for each mapping of host memory; it must not sleep. */
typedef void (*gaudi_vm_host_fn)(void *arg, u64 dev_addr,
				 const struct gaudi_userptr *host);
void gaudi_vm_walk_host(struct gaudi_ctx *ctx, gaudi_vm_host_fn fn, void *arg);

/* gaudi_vm_hbm.c, for gaudi_vm.c */
int gaudi_vm_init_hbm(struct gaudi_ctx *ctx);
void gaudi_vm_fini_hbm(struct gaudi_ctx *ctx);
/* The block of a handle becomes mapped: ERR_PTR(-EBUSY) if it is already. */
struct gaudi_hbm_block *gaudi_vm_block_map(struct gaudi_ctx *ctx, u64 handle);
void gaudi_vm_block_unmap(struct gaudi_ctx *ctx, struct gaudi_hbm_block *block);

/* gaudi_dmabuf.c: a dma-buf of a range of HBM. Returns a file descriptor. */
int gaudi_dmabuf_export(struct gaudi_ctx *ctx, u64 addr, u64 size, u64 offset,
			u32 flags);

/* DRM's PRIME calls, without the locks that only drivers with GEM set up. */
int gaudi_no_handle_to_fd(struct drm_device *drm, struct drm_file *file,
			  u32 handle, u32 flags, int *fd);
int gaudi_no_fd_to_handle(struct drm_device *drm, struct drm_file *file, int fd,
			  u32 *handle);
bool gaudi_dmabuf_is_ours(const struct dma_buf *dmabuf);

/*
 * gaudi_dmabuf_import.c: pins and DMA-maps a dma-buf. Fills in the sg table,
 * size and number of pages of host. ERR_PTR() on failure. May sleep.
 */
struct gaudi_import *gaudi_import_begin(struct gaudi_device *gdev, int fd,
					struct gaudi_userptr *host);
void gaudi_import_end(struct gaudi_import *imp);

#endif /* GAUDI_VM_H */
