// SPDX-License-Identifier: GPL-2.0-only
/* Command buffers of users: the CB ioctl. */
#include <linux/slab.h>

#include <drm/drm_file.h>

#include "../core/gaudi_ctx.h"
#include "../core/gaudi_device.h"
#include "gaudi_buf.h"
#include "gaudi_memory.h"
#include "gaudi_vm.h"

static void gaudi_cb_unmap(struct gaudi_buf *buf)
{
	gaudi_vm_unmap_coherent(buf->owner->ctx, buf->private);
	kfree(buf->private);
}

/*
 * Internal queues can read a CB at a virtual address. (External ones read a
 * copy, wherever it is.)
 */
static int gaudi_cb_map(struct gaudi_ctx *ctx, struct gaudi_buf *buf)
{
	struct drm_mm_node *va = kzalloc(sizeof(*va), GFP_KERNEL_ACCOUNT);
	int rc;

	if (!va)
		return -ENOMEM;
	rc = gaudi_vm_map_coherent(ctx, va, buf->dma, PAGE_ALIGN(buf->size));
	if (rc) {
		kfree(va);
		return rc;
	}
	buf->private = va;
	buf->on_release = gaudi_cb_unmap;
	return 0;
}

static int gaudi_cb_create(struct gaudi_ctx *ctx, u32 size, u32 flags,
			   u64 *handle)
{
	struct gaudi_buf *buf;
	int rc;

	*handle = 0;
	if (size > HL_MAX_CB_SIZE)
		return -EINVAL;
	buf = gaudi_buf_create(ctx->bufs, GAUDI_BUF_CB,
			       max_t(size_t, size, PAGE_SIZE));
	if (IS_ERR(buf))
		return PTR_ERR(buf);
	rc = flags & HL_CB_FLAGS_MAP ? gaudi_cb_map(ctx, buf) : 0;
	if (rc) {
		gaudi_buf_put(buf);
		return rc;
	}
	return gaudi_buf_publish(buf, handle);
}

static int gaudi_cb_info(struct gaudi_ctx *ctx, u64 handle, u32 flags,
			 struct hl_cb_out *out)
{
	struct gaudi_buf *buf = gaudi_buf_get(ctx->bufs, handle,
					      GAUDI_BUF_CB);
	struct drm_mm_node *va;
	int rc = 0;

	if (!buf)
		return -EINVAL;
	va = buf->private;
	memset(out, 0, sizeof(*out));
	if (!(flags & HL_CB_FLAGS_GET_DEVICE_VA))
		out->usage_cnt = atomic_read(&buf->cs_count);
	else if (va)
		out->device_va = va->start;
	else
		rc = -EINVAL;
	gaudi_buf_put(buf);
	return rc;
}

static int gaudi_cb_dispatch(struct gaudi_ctx *ctx, union hl_cb_args *args)
{
	struct hl_cb_out out;
	u64 handle;
	int rc;

	if (!gaudi_device_operational(ctx->gdev))
		return -EBUSY;
	switch (args->in.op) {
	case HL_CB_OP_CREATE:
		rc = gaudi_cb_create(ctx, args->in.cb_size, args->in.flags,
				     &handle);
		memset(args, 0, sizeof(*args));
		args->out.cb_handle = handle;
		return rc;
	case HL_CB_OP_DESTROY:
		return gaudi_buf_destroy(ctx->bufs, args->in.cb_handle,
					 GAUDI_BUF_CB);
	case HL_CB_OP_INFO:
		rc = gaudi_cb_info(ctx, args->in.cb_handle, args->in.flags,
				   &out);
		if (!rc)
			args->out = out;
		return rc;
	default:
		return -EINVAL;
	}
}

int gaudi_cb_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct gaudi_device *gdev = to_gaudi_device(drm);
	int rc, idx;

	if (!gaudi_device_enter(gdev, &idx))
		return -ENODEV;
	rc = gaudi_cb_dispatch(file->driver_priv, data);
	gaudi_device_exit(gdev, idx);
	return rc;
}
