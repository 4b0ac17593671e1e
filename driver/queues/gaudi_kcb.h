/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Command buffers that the card reads from host memory: a pool of coherent memory,
 * and the packets at a buffer's end. Who got one frees it, with gaudi_kcb_put() or,
 * if a process may still write to it, gaudi_kcb_free().
 */
#ifndef GAUDI_KCB_H
#define GAUDI_KCB_H

#include <linux/list.h>
#include <linux/types.h>

struct gaudi_device;

/* A kernel command buffer: coherent memory from a pool. */
struct gaudi_kcb {
	struct list_head node;		/* in the pool */
	void *vaddr;
	dma_addr_t dma;
	unsigned int order;		/* log2 of its bytes */
};

/* Two MSG_PROT packets end each buffer of an external queue. */
#define GAUDI_CB_TAIL_SIZE	32u
/* The second one is the interrupt; a buffer that needs none ends before it. */
#define GAUDI_CB_IRQ_SIZE	16u
/* The tail never straddles a line of this size. */
#define GAUDI_CB_LINE_SIZE	128u

int gaudi_kcb_pool_init(struct gaudi_device *gdev);
/* Free what is idle. At removal: all that there is. */
void gaudi_kcb_pool_drain(struct gaudi_device *gdev);
void gaudi_kcb_pool_fini(struct gaudi_device *gdev);
/*
 * Of at least size bytes, up to 2 MiB, not cleared. gfp says whether the
 * process is charged if the pool has none. NULL: out of memory.
 */
struct gaudi_kcb *gaudi_kcb_get(struct gaudi_device *gdev, size_t size,
				gfp_t gfp);
void gaudi_kcb_put(struct gaudi_device *gdev, struct gaudi_kcb *kcb);
/* Not back to the pool: a process may still be able to write to it. */
void gaudi_kcb_free(struct gaudi_device *gdev, struct gaudi_kcb *kcb);

/* Bytes of a buffer of size bytes of packets, plus padding and tail. */
u32 gaudi_cb_size_with_tail(u32 size);
/*
 * Fill [used, size) with NOPs and the two completion packets: value to
 * cq_addr, then the interrupt. eb: wait until the engine is idle.
 */
void gaudi_cb_add_tail(void *cb, u32 used, u32 size, u64 cq_addr, u32 value,
		       bool eb);

#endif /* GAUDI_KCB_H */
