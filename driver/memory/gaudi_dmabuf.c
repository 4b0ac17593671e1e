// SPDX-License-Identifier: GPL-2.0-only
/*
 * HBM as a dma-buf, for other devices on the bus (peer to peer). The importer
 * sees the range through the HBM BAR; there are no struct pages behind it.
 *
 * HBM never moves, but it goes: at a reset its owner is killed, at a removal
 * the BAR may become another device's. Then importers are notified that it has
 * moved, and mapping it again fails.
 */
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/pci-p2pdma.h>
#include <linux/slab.h>

#include <drm/drm_file.h>
#include <drm/drm_managed.h>

#include "../core/gaudi_compat.h"
#include "../core/gaudi_ctx.h"
#include "../core/gaudi_device.h"
#include "gaudi_memory.h"
#include "gaudi_vm.h"

GAUDI_IMPORT_DMA_BUF;

struct gaudi_exports {
	struct mutex lock;	/* outside of reservation locks */
	struct list_head list;	/* struct export */
};

/* An exported range. Holds the context, and the file so that it closes last. */
struct export {
	struct gaudi_ctx *ctx;
	struct file *filp;
	u64 addr;		/* device address */
	struct dma_buf *dmabuf;
	struct list_head node;	/* gaudi_exports.list */
	bool revoked;		/* under the reservation lock */
};

static int gaudi_dmabuf_attach(struct dma_buf *dmabuf,
			       struct dma_buf_attachment *attach)
{
	struct export *ex = dmabuf->priv;

	if (pci_p2pdma_distance(ex->ctx->gdev->pdev, attach->dev, true) < 0)
		attach->peer2peer = false;
	return 0;
}

/*
 * It never moves. Importers that cannot do without pinning (RDMA) cannot use a
 * move notification; they only get no new mapping.
 */
static int gaudi_dmabuf_pin(struct dma_buf_attachment *attach)
{
	struct export *ex = attach->dmabuf->priv;

	dma_resv_assert_held(attach->dmabuf->resv);
	return ex->revoked ? -ENODEV : 0;
}

static void gaudi_dmabuf_unpin(struct dma_buf_attachment *attach)
{
}

static void gaudi_dmabuf_unmap_segments(struct device *dev,
					struct sg_table *sgt,
					enum dma_data_direction dir)
{
	struct scatterlist *sg;
	unsigned int i;

	for_each_sgtable_dma_sg(sgt, sg, i)
		if (sg_dma_len(sg))
			dma_unmap_resource(dev, sg_dma_address(sg),
					   sg_dma_len(sg), dir,
					   DMA_ATTR_SKIP_CPU_SYNC);
	/* The table was allocated with this many. */
	sgt->orig_nents = sgt->nents;
	sg_free_table(sgt);
	kfree(sgt);
}

static int gaudi_dmabuf_map_segments(struct device *dev, struct sg_table *sgt,
				     u64 bus, u64 size, u64 max,
				     enum dma_data_direction dir)
{
	struct scatterlist *sg;
	unsigned int i;

	for_each_sgtable_dma_sg(sgt, sg, i) {
		u64 len = min(size, max);
		dma_addr_t addr = dma_map_resource(dev, bus, len, dir,
						   DMA_ATTR_SKIP_CPU_SYNC);

		if (dma_mapping_error(dev, addr))
			return -ENOMEM;
		sg_set_page(sg, NULL, len, 0);
		sg_dma_address(sg) = addr;
		sg_dma_len(sg) = len;
		bus += len;
		size -= len;
	}
	/* No CPU list: there are no pages for importers. */
	sgt->orig_nents = 0;
	return 0;
}

static struct sg_table *gaudi_dmabuf_map(struct dma_buf_attachment *attach,
					 enum dma_data_direction dir)
{
	struct dma_buf *dmabuf = attach->dmabuf;
	struct export *ex = dmabuf->priv;
	u64 max = ALIGN_DOWN(dma_get_max_seg_size(attach->dev), PAGE_SIZE);
	struct sg_table *sgt;
	int rc;

	dma_resv_assert_held(dmabuf->resv);
	if (ex->revoked)
		return ERR_PTR(-ENODEV);
	if (!attach->peer2peer)
		return ERR_PTR(-EPERM);
	if (!max)
		return ERR_PTR(-EINVAL);
	sgt = kzalloc(sizeof(*sgt), GFP_KERNEL);
	if (!sgt)
		return ERR_PTR(-ENOMEM);
	rc = sg_alloc_table(sgt, DIV_ROUND_UP_ULL(dmabuf->size, max),
			    GFP_KERNEL);
	if (rc) {
		kfree(sgt);
		return ERR_PTR(rc);
	}
	rc = gaudi_dmabuf_map_segments(attach->dev, sgt,
				       ex->ctx->gdev->hbm_bar_start + ex->addr,
				       dmabuf->size, max, dir);
	if (rc) {
		gaudi_dmabuf_unmap_segments(attach->dev, sgt, dir);
		return ERR_PTR(rc);
	}
	return sgt;
}

static void gaudi_dmabuf_unmap(struct dma_buf_attachment *attach,
			       struct sg_table *sgt,
			       enum dma_data_direction dir)
{
	gaudi_dmabuf_unmap_segments(attach->dev, sgt, dir);
}

static void gaudi_dmabuf_release(struct dma_buf *dmabuf)
{
	struct export *ex = dmabuf->priv;

	scoped_guard(mutex, &ex->ctx->gdev->exports->lock)
		list_del_init(&ex->node);
	gaudi_ctx_put(ex->ctx);
	fput(ex->filp);
	kfree(ex);
}

static const struct dma_buf_ops gaudi_dmabuf_ops = {
	.attach = gaudi_dmabuf_attach,
	.pin = gaudi_dmabuf_pin,
	.unpin = gaudi_dmabuf_unpin,
	.map_dma_buf = gaudi_dmabuf_map,
	.unmap_dma_buf = gaudi_dmabuf_unmap,
	.release = gaudi_dmabuf_release,
};

bool gaudi_dmabuf_is_ours(const struct dma_buf *dmabuf)
{
	return dmabuf->ops == &gaudi_dmabuf_ops;
}

int gaudi_no_handle_to_fd(struct drm_device *drm, struct drm_file *file,
			  u32 handle, u32 flags, int *fd)
{
	return -ENOENT;
}

int gaudi_no_fd_to_handle(struct drm_device *drm, struct drm_file *file, int fd,
			  u32 *handle)
{
	struct dma_buf *dmabuf = dma_buf_get(fd);

	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	dma_buf_put(dmabuf);
	return -EINVAL;
}

/* HBM is not translated, so addr is physical and offset has no meaning. */
static int gaudi_dmabuf_check_range(struct gaudi_device *gdev, u64 addr,
				    u64 size, u64 offset)
{
	u64 end;

	if (offset || !size || !PAGE_ALIGNED(addr) || !PAGE_ALIGNED(size))
		return -EINVAL;
	if (check_add_overflow(addr, size, &end) ||
	    addr < GAUDI_HBM_USER_BASE || end > GAUDI_HBM_SIZE ||
	    end > gdev->hbm_bar_size)
		return -EINVAL;
	return 0;
}

/* After gaudi_dmabuf_revoke() there must be no new one of an old user. */
static int gaudi_dmabuf_add_export(struct export *ex)
{
	struct gaudi_device *gdev = ex->ctx->gdev;

	guard(mutex)(&gdev->exports->lock);
	if (!gaudi_device_operational(gdev))
		return -EBUSY;
	list_add(&ex->node, &gdev->exports->list);
	return 0;
}

void gaudi_dmabuf_revoke(struct gaudi_device *gdev)
{
	struct gaudi_exports *exports = gdev->exports;
	struct export *ex;

	if (!exports)
		return;
	guard(mutex)(&exports->lock);
	list_for_each_entry(ex, &exports->list, node) {
		dma_resv_lock(ex->dmabuf->resv, NULL);
		if (!ex->revoked) {
			ex->revoked = true;
			dma_buf_move_notify(ex->dmabuf);
		}
		dma_resv_unlock(ex->dmabuf->resv);
	}
}

int gaudi_dmabuf_export(struct gaudi_ctx *ctx, u64 addr, u64 size, u64 offset,
			u32 flags)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);
	struct dma_buf *dmabuf;
	struct export *ex;
	int rc;

	rc = gaudi_dmabuf_check_range(ctx->gdev, addr, size, offset);
	if (rc)
		return rc;
	/* Not the memory of other contexts, even if any engine reaches it. */
	if (gaudi_is_shared(ctx->gdev) && !gaudi_vm_owns_hbm(ctx, addr, size))
		return -EINVAL;
	ex = kzalloc(sizeof(*ex), GFP_KERNEL_ACCOUNT);
	if (!ex)
		return -ENOMEM;
	ex->ctx = ctx;
	ex->addr = addr;
	ex->filp = get_file(ctx->file->filp);
	gaudi_ctx_get(ctx);
	INIT_LIST_HEAD(&ex->node);
	info.ops = &gaudi_dmabuf_ops;
	info.size = size;
	info.flags = flags & (O_ACCMODE | O_NONBLOCK);
	info.priv = ex;
	dmabuf = dma_buf_export(&info);
	if (IS_ERR(dmabuf)) {
		gaudi_ctx_put(ctx);
		fput(ex->filp);
		kfree(ex);
		return PTR_ERR(dmabuf);
	}
	ex->dmabuf = dmabuf;
	rc = gaudi_dmabuf_add_export(ex) ?:
	     dma_buf_fd(dmabuf, flags & O_CLOEXEC);
	if (rc < 0)
		dma_buf_put(dmabuf);
	return rc;
}

int gaudi_dmabuf_init(struct gaudi_device *gdev)
{
	gdev->exports = drmm_kzalloc(&gdev->drm, sizeof(*gdev->exports),
				     GFP_KERNEL);
	if (!gdev->exports)
		return -ENOMEM;
	INIT_LIST_HEAD(&gdev->exports->list);
	return drmm_mutex_init(&gdev->drm, &gdev->exports->lock);
}
