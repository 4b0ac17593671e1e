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

void *gaudi_dma_alloc_caller(struct gaudi_device *gdev, size_t size,
			     dma_addr_t *dma, gfp_t gfp, const char *caller);
void gaudi_dma_free_caller(struct gaudi_device *gdev, size_t size, void *vaddr,
			   dma_addr_t dma, const char *caller);
/* Both directions. */
int gaudi_dma_map_caller(struct gaudi_device *gdev, struct sg_table *sgt,
			 const char *caller);
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
