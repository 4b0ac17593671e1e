// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of other drivers in the device's address space, by dma-buf.
 *
 * The card cannot wait for a page that has moved: a fault ends with a reset. So
 * the buffer is pinned where it is for as long as it is mapped, and fences of
 * the exporter are waited for once, here. Later ones are the user's to pass on,
 * as sync_files (DMA_BUF_IOCTL_EXPORT_SYNC_FILE and DRM_IOCTL_GAUDI_CS).
 *
 * Mapped by an ioctl of ours and not by PRIME: a GEM handle would stand for
 * nothing here, since this uAPI knows host memory by its device address.
 */
#include <linux/dma-buf.h>
#include <linux/dma-resv.h>
#include <linux/slab.h>

#include "../core/gaudi_compat.h"
#include "../core/gaudi_device.h"
#include "../core/gaudi_gate.h"
#include "gaudi_memory.h"
#include "gaudi_vm.h"

struct gaudi_import {
	struct gaudi_device *gdev;
	struct dma_buf *dmabuf;
	struct dma_buf_attachment *attach;
	struct sg_table *sgt;
};

/*
 * Does not happen to what is pinned, unless the exporter's device is going away.
 * The card must not go on writing there, and this may not wait for it.
 */
static void gaudi_import_move_notify(struct dma_buf_attachment *attach)
{
	struct gaudi_import *imp = attach->importer_priv;

	dma_resv_assert_held(attach->dmabuf->resv);
	drm_err(&imp->gdev->drm, "imported memory was taken away\n");
	gaudi_reset_schedule(imp->gdev, GAUDI_RESET_EVENT);
}

static const struct dma_buf_attach_ops gaudi_import_ops = {
	.allow_peer2peer = true,
	.GAUDI_DMA_BUF_MOVED = gaudi_import_move_notify,
};

/* Page table entries are for whole pages, and for all of the buffer. */
static int gaudi_import_check_segments(const struct gaudi_import *imp)
{
	struct scatterlist *sg;
	u64 total = 0;
	unsigned int i;

	for_each_sgtable_dma_sg(imp->sgt, sg, i) {
		if (!PAGE_ALIGNED(sg_dma_address(sg) | sg_dma_len(sg)))
			return -EINVAL;
		total += sg_dma_len(sg);
	}
	return total && total == imp->dmabuf->size ? 0 : -EINVAL;
}

/*
 * The exporter may still be moving it. How long that takes is the exporter's
 * business, but no removal of the card waits for it.
 */
static int gaudi_import_wait_for_move(struct gaudi_import *imp)
{
	long left;

	do {
		left = dma_resv_wait_timeout(imp->dmabuf->resv,
					     DMA_RESV_USAGE_KERNEL, true,
					     HZ / 10);
	} while (!left && gaudi_device_operational(imp->gdev));
	if (left)
		return min(left, 0);
	return READ_ONCE(imp->gdev->status) == HL_DEVICE_STATUS_MALFUNCTION ?
	       -ENODEV : -EBUSY;
}

static int gaudi_import_pin_and_map(struct gaudi_import *imp)
{
	struct dma_resv *resv = imp->dmabuf->resv;
	int rc;

	rc = dma_resv_lock_interruptible(resv, NULL);
	if (rc)
		return rc;
	rc = dma_buf_pin(imp->attach);
	if (rc)
		goto unlock;
	imp->sgt = dma_buf_map_attachment(imp->attach, DMA_BIDIRECTIONAL);
	if (IS_ERR(imp->sgt)) {
		rc = PTR_ERR(imp->sgt);
		goto unpin;
	}
	rc = gaudi_import_wait_for_move(imp) ?: gaudi_import_check_segments(imp);
	if (rc)
		goto unmap;
	dma_resv_unlock(resv);
	return 0;

unmap:
	dma_buf_unmap_attachment(imp->attach, imp->sgt, DMA_BIDIRECTIONAL);
unpin:
	dma_buf_unpin(imp->attach);
unlock:
	dma_resv_unlock(resv);
	return rc;
}

static int gaudi_import_attach(struct gaudi_import *imp)
{
	int rc;

	/*
	 * A dma-buf of ours keeps its file open: two files that import from
	 * each other would never close.
	 */
	if (gaudi_dmabuf_is_ours(imp->dmabuf))
		return -EOPNOTSUPP;
	/* The MMU knows no read-only pages. */
	if (!(imp->dmabuf->file->f_mode & FMODE_WRITE))
		return -EACCES;
	imp->attach = dma_buf_dynamic_attach(imp->dmabuf, imp->gdev->drm.dev,
					     &gaudi_import_ops, imp);
	if (IS_ERR(imp->attach))
		return PTR_ERR(imp->attach);
	rc = gaudi_import_pin_and_map(imp);
	if (rc)
		dma_buf_detach(imp->dmabuf, imp->attach);
	return rc;
}

struct gaudi_import *gaudi_import_begin(struct gaudi_device *gdev, int fd,
					struct gaudi_userptr *host)
{
	struct gaudi_import *imp;
	int rc;

	might_sleep();
	imp = kzalloc(sizeof(*imp), GFP_KERNEL_ACCOUNT);
	if (!imp)
		return ERR_PTR(-ENOMEM);
	imp->gdev = gdev;
	imp->dmabuf = dma_buf_get(fd);
	if (IS_ERR(imp->dmabuf)) {
		rc = PTR_ERR(imp->dmabuf);
		goto free;
	}
	rc = gaudi_import_attach(imp);
	if (rc)
		goto put;
	/* The list stays the exporter's; this only finds it. */
	host->pages.sgt = *imp->sgt;
	host->size = imp->dmabuf->size;
	host->npages = host->size >> PAGE_SHIFT;
	return imp;

put:
	dma_buf_put(imp->dmabuf);
free:
	kfree(imp);
	return ERR_PTR(rc);
}

void gaudi_import_end(struct gaudi_import *imp)
{
	struct dma_resv *resv = imp->dmabuf->resv;

	dma_resv_lock(resv, NULL);
	dma_buf_unmap_attachment(imp->attach, imp->sgt, DMA_BIDIRECTIONAL);
	dma_buf_unpin(imp->attach);
	dma_resv_unlock(resv);
	dma_buf_detach(imp->dmabuf, imp->attach);
	dma_buf_put(imp->dmabuf);
	kfree(imp);
}
