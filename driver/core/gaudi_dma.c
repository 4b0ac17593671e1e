// SPDX-License-Identifier: GPL-2.0-only
/*
 * The DMA API, traced. What is allocated once for as long as the driver is
 * bound (rings, the area shared with the embedded CPU) is not traced: the
 * tracepoint could not be enabled before, and the kernel frees it. As on
 * mainline, what is allocated is traced by the card's view of its address, and
 * what is mapped (gaudi_userptr.c) by the bus's.
 */
#include <linux/dma-mapping.h>

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
