/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The room of what one user has in memory: HBM (gaudi_hbm.h), mapped host memory and
 * its virtual addresses, page tables (gaudi_pgt.h), buffers with a handle
 * (gaudi_buf.h), and dma-bufs of both directions.
 *
 * It owns all of these. Who may free a command buffer: gaudi_buf.h.
 *
 * Locks, each of one file: mutexes of a context's buffers, of its virtual addresses
 * (gaudi_vm.lock), of its HBM (blocks_lock), of page tables, of all HBM (inside of
 * blocks_lock), and of the list of exports, which is outside of the dma-bufs'
 * reservation locks. gaudi_vm.maps_lock is held for a few instructions.
 *
 * It offers the MEMORY and CB ioctls, a context's part (gaudi_vm_init()), and what
 * debugfs, fdinfo and INFO read of it.
 */
#ifndef GAUDI_MEMORY_H
#define GAUDI_MEMORY_H

#include <drm/drm_mm.h>
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

/**
 * gaudi_memory_ioctl() - The MEMORY ioctl
 * @drm: the DRM device
 * @data: union hl_mem_args
 * @file: the open file
 *
 * Context: DRM's callback. May sleep.
 * Return: 0 or an errno.
 */
int gaudi_memory_ioctl(struct drm_device *drm, void *data,
		       struct drm_file *file);

/**
 * gaudi_import_ioctl() - The IMPORT ioctl: map a dma-buf
 * @drm: the DRM device
 * @data: struct drm_gaudi_import
 * @file: the open file
 *
 * Context: DRM's callback. May sleep.
 * Return: 0 or an errno.
 */
int gaudi_import_ioctl(struct drm_device *drm, void *data,
		       struct drm_file *file);

/**
 * gaudi_cb_ioctl() - The CB ioctl
 * @drm: the DRM device
 * @data: union hl_cb_args
 * @file: the open file
 *
 * Context: DRM's callback. May sleep.
 * Return: 0 or an errno.
 */
int gaudi_cb_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

struct gaudi_vm {
	struct mutex lock;	/* va */
	struct drm_mm va;	/* device virtual addresses of host memory */
	spinlock_t maps_lock;	/* maps */
	struct rb_root maps;	/* struct gaudi_mapping by dev_addr */
	struct mutex blocks_lock;	/* the next two, and the blocks' fields */
	struct xarray blocks;	/* struct gaudi_hbm_block by handle */
	u64 hbm_bytes;		/* bytes of HBM asked for */
	atomic64_t pinned_pages;	/* host memory, by user address */
	atomic64_t imported_pages;	/* ... and by dma-buf */
};

/* Host memory that the device may reach: pinned and DMA-mapped. */
struct gaudi_userptr {
	u64 addr;		/* the user's address */
	u64 size;
	struct mm_struct *mm;	/* that is charged; NULL: memory of a dma-buf */
	unsigned long npages;
	struct sg_append_table pages;
};

/**
 * gaudi_userptr_page() - A page of pinned memory
 * @u: the memory
 * @index: which page
 *
 * Context: Any context.
 * Return: The page; %NULL: the memory is not the user's (a dma-buf's), or there
 *	is no such page.
 */
struct page *gaudi_userptr_page(const struct gaudi_userptr *u,
				unsigned long index);

/**
 * gaudi_vm_map_reserved() - Map the kernel's memory where no user's is mapped
 * @ctx: the context
 * @dma: bus address of coherent memory
 * @size: bytes, a multiple of the page size; not more than are reserved
 * @va: where its device virtual address is put
 *
 * One mapping at a time.
 *
 * Context: May sleep.
 * Return: 0 or an errno.
 */
int gaudi_vm_map_reserved(struct gaudi_ctx *ctx, dma_addr_t dma, u64 size,
			  u64 *va);

/**
 * gaudi_vm_unmap_reserved() - Undo gaudi_vm_map_reserved()
 * @ctx: the context
 * @size: its bytes
 *
 * The card does not reach the memory any more when this returns.
 *
 * Context: May sleep.
 */
void gaudi_vm_unmap_reserved(struct gaudi_ctx *ctx, u64 size);

/**
 * gaudi_vm_init() - Make a context's part
 * @ctx: the context
 * @reserved: the first bytes of virtual addresses, which stay unused
 *
 * Context: Process context.
 */
void gaudi_vm_init(struct gaudi_ctx *ctx, u64 reserved);

/**
 * gaudi_vm_fini() - Unmap and free all that is left
 * @ctx: the context
 *
 * The engines are idle or in reset.
 *
 * Context: Process context; may sleep.
 */
void gaudi_vm_fini(struct gaudi_ctx *ctx);

/**
 * gaudi_vm_unplug() - Unmap and unpin host memory, even if the file stays open
 * @ctx: the context
 *
 * The device goes away. Engines are halted, no ioctl runs, the caller has a
 * reference.
 *
 * Context: May sleep.
 */
void gaudi_vm_unplug(struct gaudi_ctx *ctx);

/**
 * gaudi_memory_sram() - The SRAM that is a context's
 * @ctx: the context
 * @base: where its device address is put
 * @size: where its bytes are put
 *
 * With a %NULL @ctx: what users have altogether.
 *
 * Context: Any context.
 */
void gaudi_memory_sram(const struct gaudi_ctx *ctx, u64 *base, u64 *size);

/**
 * gaudi_vm_hbm_bytes() - How much HBM a user has asked for
 * @ctx: the context
 *
 * Context: Process context. Does not sleep.
 * Return: Bytes.
 */
u64 gaudi_vm_hbm_bytes(struct gaudi_ctx *ctx);

/**
 * gaudi_vm_list() - List the mappings of host memory
 * @ctx: the context
 * @out: where they are put
 * @max: how many at most
 *
 * For INFO USER_MAPPINGS.
 *
 * Context: Process context. Does not sleep.
 * Return: How many there are.
 */
u32 gaudi_vm_list(struct gaudi_ctx *ctx, struct hl_user_mapping *out, u32 max);

/* Call fn for each mapping of host memory; it must not sleep. */
typedef void (*gaudi_vm_host_fn)(void *arg, u64 dev_addr,
				 const struct gaudi_userptr *host);

/**
 * gaudi_vm_walk_host() - Call a function for each mapping of host memory
 * @ctx: the context
 * @fn: the function; it must not sleep
 * @arg: for @fn
 *
 * Context: Process context; @fn is called with a spinlock held.
 */
void gaudi_vm_walk_host(struct gaudi_ctx *ctx, gaudi_vm_host_fn fn, void *arg);

/**
 * gaudi_dmabuf_init() - Make the device's list of exports of HBM
 * @gdev: the card
 *
 * Context: Probe; freed with the DRM device.
 * Return: 0 or %-ENOMEM.
 */
int gaudi_dmabuf_init(struct gaudi_device *gdev);

/**
 * gaudi_dmabuf_revoke() - What was exported of HBM may not be mapped any more
 * @gdev: the card
 *
 * Importers are told to unmap it.
 *
 * Context: May sleep; takes reservation locks.
 */
void gaudi_dmabuf_revoke(struct gaudi_device *gdev);

/**
 * gaudi_no_handle_to_fd() - DRM's PRIME call, without the locks that only GEM
 *	sets up
 * @drm: the DRM device
 * @file: the open file
 * @handle: no handle is one of GEM's
 * @flags: of the file
 * @fd: not written
 *
 * Return: %-ENOENT.
 */
int gaudi_no_handle_to_fd(struct drm_device *drm, struct drm_file *file,
			  u32 handle, u32 flags, int *fd);

/**
 * gaudi_no_fd_to_handle() - DRM's PRIME call, without the locks that only GEM
 *	sets up
 * @drm: the DRM device
 * @file: the open file
 * @fd: a dma-buf
 * @handle: not written
 *
 * Return: %-EINVAL, or the errno of a bad @fd.
 */
int gaudi_no_fd_to_handle(struct drm_device *drm, struct drm_file *file, int fd,
			  u32 *handle);

#endif /* GAUDI_MEMORY_H */
