/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Host memory for the card, as the kernel's DMA API gives it, with mainline's
 * tracepoints: each names the function that asked.
 */
#ifndef GAUDI_DMA_H
#define GAUDI_DMA_H

#include <linux/types.h>

struct gaudi_device;
struct sg_table;

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

/**
 * gaudi_dma_map_caller() - Map pages for the card, for both directions
 * @gdev: the card
 * @sgt: table of the pages; gets the bus addresses
 * @caller: name of the function that asks, for the tracepoints
 *
 * Called as gaudi_dma_map(). The memory is made visible to the card.
 *
 * Return: 0, or what the DMA API said.
 */
int gaudi_dma_map_caller(struct gaudi_device *gdev, struct sg_table *sgt,
			 const char *caller);

/**
 * gaudi_dma_unmap_caller() - Undo gaudi_dma_map_caller()
 * @gdev: the card
 * @sgt: the table that was mapped
 * @caller: name of the function that asks, for the tracepoints
 *
 * Called as gaudi_dma_unmap(). What the card wrote is visible afterwards.
 */
void gaudi_dma_unmap_caller(struct gaudi_device *gdev, struct sg_table *sgt,
			    const char *caller);

#define gaudi_dma_alloc(gdev, size, dma, gfp) \
	gaudi_dma_alloc_caller(gdev, size, dma, gfp, __func__)
#define gaudi_dma_free(gdev, size, vaddr, dma) \
	gaudi_dma_free_caller(gdev, size, vaddr, dma, __func__)
#define gaudi_dma_map(gdev, sgt) \
	gaudi_dma_map_caller(gdev, sgt, __func__)
#define gaudi_dma_unmap(gdev, sgt) \
	gaudi_dma_unmap_caller(gdev, sgt, __func__)

#endif /* GAUDI_DMA_H */
