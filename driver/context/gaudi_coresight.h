/* SPDX-License-Identifier: GPL-2.0-only */
/* DEBUG: trace and profiling units. */
#ifndef GAUDI_CORESIGHT_H
#define GAUDI_CORESIGHT_H

struct drm_device;
struct drm_file;
struct gaudi_ctx;

/**
 * gaudi_debug_ioctl() - The DEBUG ioctl
 * @drm: the DRM device
 * @data: struct hl_debug_args
 * @file: the open file
 *
 * Context: DRM's callback. May sleep.
 * Return: 0 or an errno; %-EPERM in shared mode.
 */
int gaudi_debug_ioctl(struct drm_device *drm, void *data,
		      struct drm_file *file);

/**
 * gaudi_debug_leave() - A context goes
 * @ctx: the context
 *
 * Nothing of its trace may be written after this.
 *
 * Context: May sleep; takes debug_lock.
 */
void gaudi_debug_leave(struct gaudi_ctx *ctx);

#endif /* GAUDI_CORESIGHT_H */
