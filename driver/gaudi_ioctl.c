// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ioctl table, mmap(), and the small ioctls: DEBUG and our QUERY.
 */
#include <linux/fs.h>
#include <linux/mm.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_ioctl.h>
#include <uapi/drm/habanalabs_accel.h>

#include "../uapi/gaudi_accel.h"
#include "gaudi_buf.h"
#include "gaudi_cb.h"
#include "gaudi_ctx.h"
#include "gaudi_device.h"
#include "gaudi_user.h"

/* Debug mode is one bit of the card; the user who set it may configure. */
static int set_debug_mode(struct gaudi_ctx *ctx, bool enable)
{
	struct gaudi_ctx_mgr *mgr = ctx->gdev->ctx_mgr;

	guard(mutex)(&mgr->lock);
	if (mgr->in_debug == enable)
		return -EFAULT;
	mgr->in_debug = enable;
	return 0;
}

/*
 * Debug mode can be entered and left. Trace and profiling units themselves are
 * not driven yet, and say so; outside debug mode the answer is mainline's.
 */
static int debug_ioctl(struct drm_device *drm, void *data,
		       struct drm_file *file)
{
	const struct hl_debug_args *args = data;
	struct gaudi_ctx *ctx = file->driver_priv;

	if (!gaudi_device_operational(to_gaudi_device(drm)))
		return -EBUSY;
	switch (args->op) {
	case HL_DEBUG_OP_ETR:
	case HL_DEBUG_OP_ETF:
	case HL_DEBUG_OP_STM:
	case HL_DEBUG_OP_FUNNEL:
	case HL_DEBUG_OP_BMON:
	case HL_DEBUG_OP_SPMU:
		return ctx->gdev->ctx_mgr->in_debug ? -EOPNOTSUPP : -EFAULT;
	case HL_DEBUG_OP_TIMESTAMP:
		/* Has no effect on any driver. */
		return ctx->gdev->ctx_mgr->in_debug ? 0 : -EFAULT;
	case HL_DEBUG_OP_SET_MODE:
		return set_debug_mode(ctx, args->enable);
	default:
		return -EINVAL;
	}
}

static int query_ioctl(struct drm_device *drm, void *data,
		       struct drm_file *file)
{
	struct drm_gaudi_query *args = data;

	if (args->flags)
		return -EINVAL;
	switch (args->id) {
	case GAUDI_QUERY_VERSION:
		args->value = GAUDI_ACCEL_VERSION_MAJOR << 16 |
			      GAUDI_ACCEL_VERSION_MINOR;
		return 0;
	case GAUDI_QUERY_CAPS:
		args->value = GAUDI_CAP_HBM_ALLOC | GAUDI_CAP_CB_MMAP_IOMMU |
			      GAUDI_CAP_CB_MAP | GAUDI_CAP_MULTI_WAIT;
		return 0;
	default:
		return -EINVAL;
	}
}

const struct drm_ioctl_desc gaudi_ioctls[] = {
	DRM_IOCTL_DEF_DRV(HL_INFO, gaudi_info_ioctl, 0),
	DRM_IOCTL_DEF_DRV(HL_CB, gaudi_cb_ioctl, 0),
	DRM_IOCTL_DEF_DRV(HL_CS, gaudi_cs_ioctl, 0),
	DRM_IOCTL_DEF_DRV(HL_WAIT_CS, gaudi_wait_ioctl, 0),
	DRM_IOCTL_DEF_DRV(HL_MEMORY, gaudi_memory_ioctl, 0),
	DRM_IOCTL_DEF_DRV(HL_DEBUG, debug_ioctl, 0),
	DRM_IOCTL_DEF_DRV(GAUDI_QUERY, query_ioctl, 0),
};

const unsigned int gaudi_num_ioctls = ARRAY_SIZE(gaudi_ioctls);

int gaudi_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct drm_file *file = filp->private_data;
	struct gaudi_ctx *ctx = file->driver_priv;
	u64 handle = (u64)vma->vm_pgoff << PAGE_SHIFT;

	if (drm_dev_is_unplugged(&ctx->gdev->drm))
		return -ENODEV;
	switch (handle >> GAUDI_BUF_TYPE_SHIFT) {
	case GAUDI_BUF_BLOCK:
		return -EPERM;
	case GAUDI_BUF_CB:
	case GAUDI_BUF_TS:
		return gaudi_buf_mmap(&ctx->bufs, vma);
	default:
		return -EINVAL;
	}
}
