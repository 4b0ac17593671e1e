/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Buffers that a user reaches by a handle and by mmap(): command buffers and
 * timestamp buffers.
 *
 * A handle is also the offset for mmap(): bits 63..59 say the type, the bits
 * from PAGE_SHIFT on are the number of the buffer. The number space is one per
 * open file.
 *
 * Who drops the last reference frees the buffer (gaudi_buf_put()): the handle has one,
 * until DESTROY or the end of the file, each mmap() and each submission that copies it
 * another. When the device goes away, gaudi_bufs_unplug() gives back the memory of a
 * command buffer earlier, although handles and mappings keep their references.
 */
#ifndef GAUDI_BUF_H
#define GAUDI_BUF_H

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/xarray.h>

struct gaudi_ctx;
struct gaudi_kcb;
struct vm_area_struct;

#define GAUDI_BUF_TYPE_SHIFT	59

/* Values are mainline's; they are visible in handles. */
enum gaudi_buf_type {
	GAUDI_BUF_CB	= 0x02,		/* coherent DMA memory */
	GAUDI_BUF_BLOCK	= 0x04,		/* mmap of registers: not on Gaudi 1 */
	GAUDI_BUF_TS	= 0x10,		/* timestamps, CPU memory only */
};

/* The table of one open file. */
struct gaudi_bufs {
	struct gaudi_ctx *ctx;		/* whose file it is */
	struct xarray xa;		/* by number */
	u64 bytes;			/* of all in xa, under its lock */
	/* Around the end of memory, which the removal may bring about too. */
	struct mutex lock;
};

struct gaudi_buf {
	struct kref refs;		/* handle, mmap, CS that copies it */
	struct gaudi_bufs *owner;
	enum gaudi_buf_type type;
	u32 id;
	size_t size;			/* bytes, as asked for (CB: >= a page) */
	void *vaddr;			/* CB; NULL: freed at removal */
	struct page **pages;		/* TS */
	dma_addr_t dma;			/* CB */
	struct gaudi_kcb *kcb;		/* CB: where its memory is from the pool */
	bool pinnable;			/* pages may be held when the CB is gone */
	atomic_t mapped;		/* VMAs that show it */
	atomic_t destroyed;		/* the handle's reference is gone */
	atomic_t cs_count;		/* jobs that use it, INFO usage count */
	/* What a type keeps beside the memory, and how it lets go of it. */
	void (*on_release)(struct gaudi_buf *buf);
	void *private;
};

/**
 * gaudi_bufs_init() - Make the table of an open file
 * @bufs: the table
 * @ctx: the context
 *
 * Context: Process context.
 */
void gaudi_bufs_init(struct gaudi_bufs *bufs, struct gaudi_ctx *ctx);

/**
 * gaudi_bufs_fini() - Drop the handles' references
 * @bufs: the table
 *
 * No mmap and no ioctl is left by then.
 *
 * Context: May sleep.
 */
void gaudi_bufs_fini(struct gaudi_bufs *bufs);

/**
 * gaudi_bufs_unplug() - Give back the memory that the device can reach
 * @bufs: the table
 *
 * The device goes away. No ioctl runs and no page is mapped any more; handles
 * and VMAs stay.
 *
 * Context: May sleep; takes gaudi_bufs.lock.
 */
void gaudi_bufs_unplug(struct gaudi_bufs *bufs);

/**
 * gaudi_bufs_size() - Bytes of all buffers that have a handle
 * @bufs: the table
 *
 * Context: Process context. Does not sleep.
 * Return: The sum.
 */
u64 gaudi_bufs_size(struct gaudi_bufs *bufs);

/**
 * gaudi_buf_get() - Look a handle up
 * @bufs: the table
 * @handle: the handle
 * @type: which type it must have
 *
 * Context: Process context. Does not sleep.
 * Return: The buffer with a reference; %NULL if the handle is not one of a
 *	buffer of this type.
 */
struct gaudi_buf *gaudi_buf_get(struct gaudi_bufs *bufs, u64 handle,
				enum gaudi_buf_type type);

/**
 * gaudi_buf_put() - Drop a reference to a buffer
 * @buf: the buffer, which the last reference frees
 *
 * Context: May sleep.
 */
void gaudi_buf_put(struct gaudi_buf *buf);

/**
 * gaudi_buf_mmap() - Map a whole buffer
 * @bufs: the table
 * @vma: its vm_pgoff is the handle, shifted by PAGE_SHIFT
 *
 * A buffer has one mapping.
 *
 * Context: mmap()'s callback. May sleep.
 * Return: 0 or an errno.
 */
int gaudi_buf_mmap(struct gaudi_bufs *bufs, struct vm_area_struct *vma);

#endif /* GAUDI_BUF_H */
