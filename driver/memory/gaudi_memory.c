// SPDX-License-Identifier: GPL-2.0-only
/*
 * The MEMORY ioctl: arguments in, results out, in mainline's form. The work is
 * done in gaudi_vm.c, gaudi_dmabuf.c and gaudi_buf.c.
 */
#include <drm/drm_file.h>

#include "../../uapi/drm/gaudi_accel.h"
#include "../core/gaudi_ctx.h"
#include "../core/gaudi_device.h"
#include "gaudi_buf.h"
#include "gaudi_memory.h"
#include "gaudi_vm.h"

void gaudi_memory_sram(const struct gaudi_ctx *ctx, u64 *base, u64 *size)
{
	u64 start = 0, end = GAUDI_SRAM_SIZE;

	if (ctx) {
		end /= ctx->gdev->share->users;
		start = end * ctx->slot;
		end += start;
	}
	start = max(start, GAUDI_SRAM_USER_OFFSET);
	*base = GAUDI_SRAM_BASE + start;
	*size = end - start;
}

static int gaudi_memory_alloc(struct gaudi_ctx *ctx, union hl_mem_args *args)
{
	u64 size = args->in.alloc.mem_size;
	u64 page_size = args->in.alloc.page_size;
	u32 handle = 0;
	int rc;

	if (!size)
		return -EINVAL;
	rc = gaudi_vm_alloc_hbm(ctx, size, page_size, &handle);
	memset(args, 0, sizeof(*args));
	args->out.handle = handle;
	return rc;
}

static int gaudi_memory_map(struct gaudi_ctx *ctx, union hl_mem_args *args)
{
	const struct hl_mem_in *in = &args->in;
	u64 dev_addr = 0;
	int rc;

	if (in->flags & HL_MEM_USERPTR)
		rc = gaudi_vm_map_host(ctx, in->map_host.host_virt_addr,
				       in->map_host.mem_size,
				       in->map_host.hint_addr, in->flags,
				       &dev_addr);
	else
		rc = gaudi_vm_map_hbm(ctx, in->map_device.handle,
				      in->map_device.hint_addr, in->flags,
				      &dev_addr);
	memset(args, 0, sizeof(*args));
	args->out.device_virt_addr = dev_addr;
	return rc;
}

static int gaudi_memory_export(struct gaudi_ctx *ctx, union hl_mem_args *args)
{
	int fd = gaudi_dmabuf_export(ctx, args->in.export_dmabuf_fd.addr,
				     args->in.export_dmabuf_fd.mem_size,
				     args->in.export_dmabuf_fd.offset,
				     args->in.flags);

	memset(args, 0, sizeof(*args));
	args->out.fd = fd < 0 ? -EBADF : fd;
	return fd < 0 ? fd : 0;
}

static int gaudi_memory_alloc_ts(struct gaudi_ctx *ctx, union hl_mem_args *args)
{
	u32 num = args->in.num_of_elements;
	struct gaudi_buf *buf;
	u64 handle;
	int rc;

	if (num > TS_MAX_ELEMENTS_NUM)
		return -EINVAL;
	buf = gaudi_buf_create(ctx->bufs, GAUDI_BUF_TS, num * sizeof(u64));
	if (IS_ERR(buf))
		return PTR_ERR(buf);
	rc = gaudi_buf_publish(buf, &handle);
	if (!rc)
		args->out.handle = handle;
	return rc;
}

static int gaudi_memory_dispatch(struct gaudi_ctx *ctx, union hl_mem_args *args)
{
	switch (args->in.op) {
	case HL_MEM_OP_ALLOC:
		return gaudi_memory_alloc(ctx, args);
	case HL_MEM_OP_FREE:
		return gaudi_vm_free_hbm(ctx, args->in.free.handle);
	case HL_MEM_OP_MAP:
		return gaudi_memory_map(ctx, args);
	case HL_MEM_OP_UNMAP:
		return gaudi_vm_unmap(ctx, args->in.unmap.device_virt_addr);
	case HL_MEM_OP_MAP_BLOCK:
		/* No register block may be mapped on Gaudi 1. */
		args->out.block_handle = 0;
		args->out.block_size = 0;
		return -EPERM;
	case HL_MEM_OP_EXPORT_DMABUF_FD:
		return gaudi_memory_export(ctx, args);
	case HL_MEM_OP_TS_ALLOC:
		return gaudi_memory_alloc_ts(ctx, args);
	default:
		return -EINVAL;
	}
}

int gaudi_memory_ioctl(struct drm_device *drm, void *data,
		       struct drm_file *file)
{
	struct gaudi_ctx *ctx = file->driver_priv;
	union hl_mem_args *args = data;
	int rc, idx;

	if (!gaudi_device_operational(ctx->gdev))
		return -EBUSY;
	/* Pins the user's pages, which may have to come from anywhere. */
	if (args->in.op == HL_MEM_OP_MAP && args->in.flags & HL_MEM_USERPTR)
		return gaudi_memory_map(ctx, args);
	if (!gaudi_device_enter(ctx->gdev, &idx))
		return -ENODEV;
	rc = gaudi_memory_dispatch(ctx, args);
	gaudi_device_exit(ctx->gdev, idx);
	return rc;
}

int gaudi_import_ioctl(struct drm_device *drm, void *data,
		       struct drm_file *file)
{
	struct gaudi_ctx *ctx = file->driver_priv;
	struct drm_gaudi_import *args = data;
	int rc, idx;

	if (args->flags & ~GAUDI_IMPORT_FORCE_HINT)
		return -EINVAL;
	if (!gaudi_device_operational(ctx->gdev))
		return -EBUSY;
	if (!gaudi_device_enter(ctx->gdev, &idx))
		return -ENODEV;
	rc = gaudi_vm_map_dmabuf(ctx, args->fd, args->hint,
				 args->flags & GAUDI_IMPORT_FORCE_HINT ?
				 HL_MEM_FORCE_HINT : 0,
				 &args->dev_addr, &args->size);
	gaudi_device_exit(ctx->gdev, idx);
	return rc;
}
