/* SPDX-License-Identifier: MIT */
/*
 * The kernel's header by the name that it had before 6.3. Headers of that time
 * have the include guard of today's, but not all that hlthunk.h needs.
 *
 * Sources with this name in them take HL_IOCTL_INFO for a whole request. Today it
 * is the number in one, and DRM_IOCTL_HL_INFO the request: here both are.
 */
#include <drm/habanalabs_accel.h>

#undef HL_IOCTL_INFO
#undef DRM_IOCTL_HL_INFO
#undef HL_IOCTL_CB
#undef DRM_IOCTL_HL_CB
#undef HL_IOCTL_CS
#undef DRM_IOCTL_HL_CS
#undef HL_IOCTL_WAIT_CS
#undef DRM_IOCTL_HL_WAIT_CS
#undef HL_IOCTL_MEMORY
#undef DRM_IOCTL_HL_MEMORY
#undef HL_IOCTL_DEBUG
#undef DRM_IOCTL_HL_DEBUG
#undef HL_COMMAND_START
#undef HL_COMMAND_END

#define HL_IOCTL_INFO		DRM_IOWR(DRM_COMMAND_BASE + 0, struct hl_info_args)
#define HL_IOCTL_CB		DRM_IOWR(DRM_COMMAND_BASE + 1, union hl_cb_args)
#define HL_IOCTL_CS		DRM_IOWR(DRM_COMMAND_BASE + 2, union hl_cs_args)
#define HL_IOCTL_WAIT_CS	DRM_IOWR(DRM_COMMAND_BASE + 3, union hl_wait_cs_args)
#define HL_IOCTL_MEMORY		DRM_IOWR(DRM_COMMAND_BASE + 4, union hl_mem_args)
#define HL_IOCTL_DEBUG		DRM_IOWR(DRM_COMMAND_BASE + 5, struct hl_debug_args)

#define DRM_IOCTL_HL_INFO	HL_IOCTL_INFO
#define DRM_IOCTL_HL_CB		HL_IOCTL_CB
#define DRM_IOCTL_HL_CS		HL_IOCTL_CS
#define DRM_IOCTL_HL_WAIT_CS	HL_IOCTL_WAIT_CS
#define DRM_IOCTL_HL_MEMORY	HL_IOCTL_MEMORY
#define DRM_IOCTL_HL_DEBUG	HL_IOCTL_DEBUG

#define HL_COMMAND_START	(DRM_COMMAND_BASE + 0)
#define HL_COMMAND_END		(DRM_COMMAND_BASE + 6)
