// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * What of the driver is not in a process: other drivers' buffers and fences, and files
 * that only a kernel shows. Who asks for it is told, by name.
 */
#include "../../driver/core/gaudi_ctx.h"
#include "../../driver/core/gaudi_device.h"
#include "../../driver/memory/gaudi_memory.h"
#include "../../driver/memory/gaudi_vm.h"
#include "../../driver/submission/gaudi_submission.h"
#include "../../driver/user/gaudi_user.h"

/* A macro, so that each has its own limit of lines. */
#define refuse(gdev, what)						\
	({ drm_err_ratelimited(&(gdev)->drm,				\
			       what ": not on a card in a process\n");	\
	   -EOPNOTSUPP; })

int gaudi_dmabuf_export(struct gaudi_ctx *ctx, u64 addr, u64 size, u64 offset,
			u32 flags)
{
	return refuse(ctx->gdev, "export of memory as a dma-buf");
}

struct gaudi_import *gaudi_import_begin(struct gaudi_device *gdev, int fd,
					struct gaudi_userptr *host)
{
	return ERR_PTR(refuse(gdev, "import of a dma-buf"));
}

/* None has begun. */
void gaudi_import_end(struct gaudi_import *imp)
{
}

int gaudi_dmabuf_init(struct gaudi_device *gdev)
{
	return 0;
}

void gaudi_dmabuf_revoke(struct gaudi_device *gdev)
{
}

int gaudi_no_handle_to_fd(struct drm_device *drm, struct drm_file *file,
			  u32 handle, u32 flags, int *fd)
{
	return -EOPNOTSUPP;
}

int gaudi_no_fd_to_handle(struct drm_device *drm, struct drm_file *file, int fd,
			  u32 *handle)
{
	return -EOPNOTSUPP;
}

int gaudi_cs_sync_ioctl(struct drm_device *drm, void *data,
			struct drm_file *file)
{
	return refuse(to_gaudi_device(drm), "submission with fences of DRM");
}
