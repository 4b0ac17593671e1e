// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ioctl table, the numbers of old binaries, mmap(), and our QUERY.
 */
#include <linux/fs.h>
#include <linux/mm.h>

#include <drm/drm_file.h>
#include <drm/drm_ioctl.h>
#include <uapi/drm/habanalabs_accel.h>

#include "../../uapi/drm/gaudi_accel.h"
#include "../context/gaudi_context.h"
#include "../core/gaudi_ctx.h"
#include "../core/gaudi_device.h"
#include "../memory/gaudi_buf.h"
#include "../memory/gaudi_memory.h"
#include "../nic/gaudi_ports.h"
#include "../submission/gaudi_submission.h"
#include "gaudi_info.h"
#include "gaudi_user.h"

static int gaudi_query_external(struct gaudi_device *gdev, u64 *value)
{
	int idx;

	if (!gaudi_device_enter(gdev, &idx))
		return -ENODEV;
	*value = gaudi_nic_external(gdev);
	gaudi_device_exit(gdev, idx);
	return 0;
}

static int gaudi_query_ioctl(struct drm_device *drm, void *data,
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
			      GAUDI_CAP_CB_MAP | GAUDI_CAP_MULTI_WAIT |
			      GAUDI_CAP_SYNCOBJ | GAUDI_CAP_DMABUF_IMPORT;
		if (gaudi_is_shared(to_gaudi_device(drm)))
			args->value |= GAUDI_CAP_SHARED;
		if (to_gaudi_device(drm)->nic_ports)
			args->value |= GAUDI_CAP_NIC;
		return 0;
	case GAUDI_QUERY_NUM_SYNC_OBJECTS:
		args->value = to_gaudi_device(drm)->share->sobs;
		return 0;
	case GAUDI_QUERY_NUM_MONITORS:
		args->value = to_gaudi_device(drm)->share->mons;
		return 0;
	case GAUDI_QUERY_NIC_PORTS:
		args->value = to_gaudi_device(drm)->nic_ports;
		return 0;
	case GAUDI_QUERY_NIC_EXTERNAL_PORTS:
		return gaudi_query_external(to_gaudi_device(drm), &args->value);
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
	DRM_IOCTL_DEF_DRV(HL_DEBUG, gaudi_debug_ioctl, 0),
	DRM_IOCTL_DEF_DRV(GAUDI_NIC, gaudi_nic_ioctl, 0),
	DRM_IOCTL_DEF_DRV(GAUDI_QUERY, gaudi_query_ioctl, 0),
	DRM_IOCTL_DEF_DRV(GAUDI_CS, gaudi_cs_sync_ioctl, 0),
	DRM_IOCTL_DEF_DRV(GAUDI_IMPORT, gaudi_import_ioctl, 0),
};

const unsigned int gaudi_num_ioctls = ARRAY_SIZE(gaudi_ioctls);

/* Up to 6.6 the ioctls were no DRM ones: a type of their own, from 1 on. */
#define LEGACY_TYPE		'H'
#define LEGACY_FIRST		0x01
#define LEGACY_END		(LEGACY_FIRST + HL_COMMAND_END - \
				 HL_COMMAND_START)

unsigned int gaudi_ioctl_current_cmd(unsigned int cmd)
{
	unsigned int nr = _IOC_NR(cmd);

	if (_IOC_TYPE(cmd) != LEGACY_TYPE ||
	    _IOC_DIR(cmd) != (_IOC_READ | _IOC_WRITE) ||
	    nr < LEGACY_FIRST || nr >= LEGACY_END)
		return cmd;
	/* Arguments only grew at their ends: the size stays the caller's. */
	return _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE,
		    HL_COMMAND_START + nr - LEGACY_FIRST, _IOC_SIZE(cmd));
}

int gaudi_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct drm_file *file = filp->private_data;
	struct gaudi_ctx *ctx = file->driver_priv;
	u64 handle = (u64)vma->vm_pgoff << PAGE_SHIFT;
	int rc, idx;

	if (!gaudi_device_enter(ctx->gdev, &idx))
		return -ENODEV;
	switch (handle >> GAUDI_BUF_TYPE_SHIFT) {
	case GAUDI_BUF_BLOCK:
		rc = -EPERM;
		break;
	case GAUDI_BUF_CB:
	case GAUDI_BUF_TS:
		rc = gaudi_buf_mmap(ctx->bufs, vma);
		break;
	default:
		rc = -EINVAL;
	}
	gaudi_device_exit(ctx->gdev, idx);
	return rc;
}
