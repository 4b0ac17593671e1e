// SPDX-License-Identifier: GPL-2.0-only
/*
 * The DMA API, traced. What is allocated once for as long as the driver is
 * bound (rings, the area shared with the embedded CPU) is not traced: the
 * tracepoint could not be enabled before, and the kernel frees it. As on
 * mainline, what is allocated is traced by the card's view of its address, and
 * what is mapped by the bus's.
 */
#include <linux/dma-mapping.h>
#include <linux/scatterlist.h>

#include <trace/events/habanalabs.h>

#include "gaudi_device.h"
#include "gaudi_dma.h"

void *gaudi_dma_alloc_caller(struct gaudi_device *gdev, size_t size,
			     dma_addr_t *dma, gfp_t gfp, const char *caller)
{
	void *vaddr = dma_alloc_coherent(gdev->drm.dev, size, dma, gfp);

	if (vaddr)
		trace_habanalabs_dma_alloc(gdev->drm.dev, (uintptr_t)vaddr,
					   gaudi_host_dev_addr(*dma), size,
					   caller);
	return vaddr;
}

void gaudi_dma_free_caller(struct gaudi_device *gdev, size_t size, void *vaddr,
			   dma_addr_t dma, const char *caller)
{
	trace_habanalabs_dma_free(gdev->drm.dev, (uintptr_t)vaddr,
				  gaudi_host_dev_addr(dma), size, caller);
	dma_free_coherent(gdev->drm.dev, size, vaddr, dma);
}

int gaudi_dma_map_caller(struct gaudi_device *gdev, struct sg_table *sgt,
			 const char *caller)
{
	struct scatterlist *sg;
	unsigned int i;
	int rc;

	/*
	 * A user may map the same memory more than once, which the DMA API only
	 * takes if it need not keep the mappings in step: done by hand.
	 */
	rc = dma_map_sgtable(gdev->drm.dev, sgt, DMA_BIDIRECTIONAL,
			     DMA_ATTR_SKIP_CPU_SYNC);
	if (rc)
		return rc;
	dma_sync_sgtable_for_device(gdev->drm.dev, sgt, DMA_BIDIRECTIONAL);
	if (!trace_habanalabs_dma_map_page_enabled())
		return 0;
	for_each_sgtable_dma_sg(sgt, sg, i)
		trace_habanalabs_dma_map_page(gdev->drm.dev,
					      page_to_phys(sg_page(sg)),
					      sg_dma_address(sg),
					      sg_dma_len(sg),
					      DMA_BIDIRECTIONAL, caller);
	return 0;
}

void gaudi_dma_unmap_caller(struct gaudi_device *gdev, struct sg_table *sgt,
			    const char *caller)
{
	struct scatterlist *sg;
	unsigned int i;

	if (trace_habanalabs_dma_unmap_page_enabled())
		for_each_sgtable_dma_sg(sgt, sg, i)
			trace_habanalabs_dma_unmap_page(gdev->drm.dev,
							page_to_phys(sg_page(sg)),
							sg_dma_address(sg),
							sg_dma_len(sg),
							DMA_BIDIRECTIONAL,
							caller);
	dma_sync_sgtable_for_cpu(gdev->drm.dev, sgt, DMA_BIDIRECTIONAL);
	dma_unmap_sgtable(gdev->drm.dev, sgt, DMA_BIDIRECTIONAL,
			  DMA_ATTR_SKIP_CPU_SYNC);
}
