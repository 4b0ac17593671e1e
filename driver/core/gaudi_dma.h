/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Host memory for the card, as the kernel's DMA API gives it, with mainline's
 * tracepoints: each names the function that asked.
 */
#ifndef GAUDI_DMA_H
#define GAUDI_DMA_H

#include <linux/types.h>

struct gaudi_device;

/**
 * gaudi_dma_alloc_caller() - Coherent memory for the card
 * @gdev: the card
 * @size: bytes
 * @dma: where its bus address is put
 * @gfp: flags of the allocation
 * @caller: name of the function that asks, for the tracepoint
 *
 * Called as gaudi_dma_alloc().
 *
 * Context: May sleep if @gfp allows it.
 * Return: The memory, or %NULL.
 */
void *gaudi_dma_alloc_caller(struct gaudi_device *gdev, size_t size,
			     dma_addr_t *dma, gfp_t gfp, const char *caller);

/**
 * gaudi_dma_free_caller() - Free what gaudi_dma_alloc_caller() gave
 * @gdev: the card
 * @size: bytes
 * @vaddr: the memory
 * @dma: its bus address
 * @caller: name of the function that asks, for the tracepoint
 *
 * Called as gaudi_dma_free().
 */
void gaudi_dma_free_caller(struct gaudi_device *gdev, size_t size, void *vaddr,
			   dma_addr_t dma, const char *caller);

#define gaudi_dma_alloc(gdev, size, dma, gfp) \
	gaudi_dma_alloc_caller(gdev, size, dma, gfp, __func__)
#define gaudi_dma_free(gdev, size, vaddr, dma) \
	gaudi_dma_free_caller(gdev, size, vaddr, dma, __func__)

#endif /* GAUDI_DMA_H */
