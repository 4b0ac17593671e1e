/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Command buffers that the card reads from host memory: a pool of coherent memory,
 * and the packets at a buffer's end. The caller that got one frees it, by
 * gaudi_kcb_free() or, if a process may still write to it, gaudi_kcb_destroy().
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

/**
 * gaudi_kcb_pool_init() - Make the pool of command buffers
 * @gdev: the card
 *
 * Context: Probe; freed with the DRM device.
 * Return: 0 or %-ENOMEM.
 */
int gaudi_kcb_pool_init(struct gaudi_device *gdev);

/**
 * gaudi_kcb_pool_drain() - Free what is idle in the pool
 * @gdev: the card
 *
 * At removal: all that there is.
 *
 * Context: May sleep.
 */
void gaudi_kcb_pool_drain(struct gaudi_device *gdev);

/**
 * gaudi_kcb_alloc() - A command buffer
 * @gdev: the card
 * @size: bytes that it has at least, up to 2 MiB
 * @gfp: says whether the process is charged if the pool has none
 *
 * It is not cleared.
 *
 * Context: May sleep if @gfp allows it.
 * Return: The buffer; %NULL: out of memory, or too large.
 */
struct gaudi_kcb *gaudi_kcb_alloc(struct gaudi_device *gdev, size_t size,
				  gfp_t gfp);

/**
 * gaudi_kcb_free() - Give a command buffer back to the pool
 * @gdev: the card
 * @kcb: the buffer; no process may write to it any more
 *
 * Context: May sleep.
 */
void gaudi_kcb_free(struct gaudi_device *gdev, struct gaudi_kcb *kcb);

/**
 * gaudi_kcb_destroy() - Free a command buffer
 * @gdev: the card
 * @kcb: the buffer
 *
 * Not back to the pool: a process may still be able to write to it.
 *
 * Context: May sleep.
 */
void gaudi_kcb_destroy(struct gaudi_device *gdev, struct gaudi_kcb *kcb);

/**
 * gaudi_cb_size_with_tail() - Bytes of a buffer with padding and tail
 * @size: bytes of its packets
 *
 * Return: All bytes.
 */
u32 gaudi_cb_size_with_tail(u32 size);

/**
 * gaudi_cb_add_tail() - End a command buffer of an external queue
 * @cb: the buffer
 * @used: bytes of its packets
 * @size: its bytes, from gaudi_cb_size_with_tail() or more
 * @cq_addr: where the completion goes
 * @value: what is written there
 * @eb: wait until the engine is idle
 *
 * Fills what is between with NOPs and puts the two completion packets behind:
 * @value to @cq_addr, then the interrupt.
 *
 * Context: Any context.
 */
void gaudi_cb_add_tail(void *cb, u32 used, u32 size, u64 cq_addr, u32 value,
		       bool eb);

#endif /* GAUDI_KCB_H */
