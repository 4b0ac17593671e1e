/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * Extensions of gaudi.ko to the mainline uAPI <drm/habanalabs_accel.h>.
 *
 * The mainline header is the base; nothing in it changes meaning here. Rules
 * by which this header grows:
 *
 * - Extension ioctls have command numbers from GAUDI_COMMAND_START on, which
 *   mainline leaves free. On a driver without them (habanalabs.ko, or an older
 *   gaudi.ko) they fail with EINVAL, as each unknown DRM ioctl does.
 * - A program asks with DRM_IOCTL_GAUDI_QUERY what there is before it uses it.
 *   Capabilities are bits; a bit is never reused and never goes away within a
 *   major version.
 * - Structures grow at the end only. DRM's ioctl code fills what an older
 *   caller did not pass with zeroes and cuts what a newer one passed, so zero
 *   means "as before" in each new field.
 * - All fields have fixed sizes and natural alignment; padding is named, and
 *   must be zero.
 */
#ifndef GAUDI_ACCEL_H
#define GAUDI_ACCEL_H

#include <drm/drm.h>
#include <linux/const.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* First driver-private command number of the extensions. */
#define GAUDI_COMMAND_START	0x40
#define GAUDI_IOCTL_QUERY	0x40

/* What can be asked for. */
enum drm_gaudi_query_id {
	/* Version of the extensions: major in bits 31..16, minor in 15..0. */
	GAUDI_QUERY_VERSION	= 0,
	/* GAUDI_CAP_* bits. */
	GAUDI_QUERY_CAPS	= 1,
};

#define GAUDI_ACCEL_VERSION_MAJOR	1
#define GAUDI_ACCEL_VERSION_MINOR	0

/*
 * HL_MEM_OP_ALLOC gives out real HBM with a handle, and HL_MEM_OP_MAP of the
 * handle its device address. (Mainline only counts bytes and returns handle 0.)
 */
#define GAUDI_CAP_HBM_ALLOC	_BITULL(0)
/* Command buffers can be mapped by mmap() behind a translating IOMMU. */
#define GAUDI_CAP_CB_MMAP_IOMMU	_BITULL(1)
/* HL_CB_FLAGS_MAP works: internal queues can read the CB where it is. */
#define GAUDI_CAP_CB_MAP	_BITULL(3)
/* WAIT_CS for several submissions has no limit of concurrent waiters. */
#define GAUDI_CAP_MULTI_WAIT	_BITULL(2)

/*
 * DRM_IOCTL_GAUDI_QUERY: id in, value out. EINVAL for an id that this driver
 * does not know, or for flags that are not zero.
 */
struct drm_gaudi_query {
	__u32 id;		/* enum drm_gaudi_query_id */
	__u32 flags;		/* must be zero */
	__u64 value;
};

#ifndef __cplusplus
_Static_assert(sizeof(struct drm_gaudi_query) == 16, "has a hole");
#endif

#define DRM_IOCTL_GAUDI_QUERY						\
	DRM_IOWR(DRM_COMMAND_BASE + GAUDI_IOCTL_QUERY, struct drm_gaudi_query)

#if defined(__cplusplus)
}
#endif

#endif /* GAUDI_ACCEL_H */
