/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The room of what one user has in memory: HBM (gaudi_hbm.h), mapped host memory and
 * its virtual addresses, page tables (gaudi_pgt.h), buffers with a handle
 * (gaudi_buf.h), and dma-bufs of both directions.
 *
 * It owns all of these. A command buffer is freed by the last of its references: the
 * handle's, which DESTROY and the end of the file drop, a mapping's, and a
 * submission's that copies it. Nobody calls a free: gaudi_buf_put() does.
 *
 * Locks, each of one file: mutexes of a context's buffers, of its virtual addresses
 * (gaudi_vm.lock), of page tables, of HBM, and of the list of exports, which is
 * outside of the dma-bufs' reservation locks. The spinlocks of a gaudi_vm are held
 * for a few instructions.
 *
 * It offers the MEMORY and CB ioctls, a context's part (gaudi_vm_init()), and what
 * debugfs, fdinfo and INFO read of it.
 */
#ifndef GAUDI_MEMORY_H
#define GAUDI_MEMORY_H

#include <drm/drm_mm.h>
#include <linux/bit_spinlock.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/scatterlist.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/xarray.h>
#include <uapi/drm/habanalabs_accel.h>

struct drm_device;
struct drm_file;
struct gaudi_ctx;
struct gaudi_device;
struct gaudi_hbm_block;
struct gaudi_pin_scratch;

int gaudi_memory_ioctl(struct drm_device *drm, void *data,
		       struct drm_file *file);
/*
 * Fast path for ALLOC and FREE of HBM that was freed just before;
 * GAUDI_NOT_DONE: call gaudi_memory_ioctl().
 */
#define GAUDI_NOT_DONE	1
long gaudi_memory_ioctl_fast(struct drm_file *file, void __user *arg);
/* gaudi_memory.c: maps a dma-buf */
int gaudi_import_ioctl(struct drm_device *drm, void *data,
		       struct drm_file *file);
int gaudi_cb_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

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
/* The SRAM that is the context's; NULL: what users have altogether. */
void gaudi_ctx_sram(const struct gaudi_ctx *ctx, u64 *base, u64 *size);
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

/* The list of HBM's exports, of the whole device. */
int gaudi_dmabuf_init(struct gaudi_device *gdev);
void gaudi_dmabuf_fini(struct gaudi_device *gdev);
/* What was exported of HBM may not be mapped any more. */
void gaudi_dmabuf_revoke(struct gaudi_device *gdev);

/* DRM's PRIME calls, without the locks that only drivers with GEM set up. */
int gaudi_no_handle_to_fd(struct drm_device *drm, struct drm_file *file,
			  u32 handle, u32 flags, int *fd);
int gaudi_no_fd_to_handle(struct drm_device *drm, struct drm_file *file, int fd,
			  u32 *handle);

#endif /* GAUDI_MEMORY_H */
