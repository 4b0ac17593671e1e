/* SPDX-License-Identifier: GPL-2.0-only */
/* DEBUG: trace and profiling units. */
#ifndef GAUDI_CORESIGHT_H
#define GAUDI_CORESIGHT_H

struct drm_device;
struct drm_file;
struct gaudi_ctx;

int gaudi_debug_ioctl(struct drm_device *drm, void *data,
		      struct drm_file *file);
/* A context goes: nothing of its trace may be written after this. */
void gaudi_debug_leave(struct gaudi_ctx *ctx);

#endif /* GAUDI_CORESIGHT_H */
