/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * Extensions of gaudi.ko to the mainline uAPI <drm/habanalabs_accel.h>.
 *
 * The mainline header is the base; nothing in it changes meaning here. Rules
 * by which this header grows:
 *
 * - Extension ioctls have command numbers from GAUDI_COMMAND_START on, which
 *   mainline leaves free (gaudi_nic.h says which one has not). On a driver without them (habanalabs.ko, or an older
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
#define GAUDI_IOCTL_CS		0x41	/* since 1.1 */
#define GAUDI_IOCTL_IMPORT	0x42	/* since 1.1 */

/* What can be asked for. */
enum drm_gaudi_query_id {
	/* Version of the extensions: major in bits 31..16, minor in 15..0. */
	GAUDI_QUERY_VERSION	= 0,
	/* GAUDI_CAP_* bits. */
	GAUDI_QUERY_CAPS	= 1,
	/*
	 * How many sync objects, and monitors, of each sync manager belong to
	 * this process, those of the driver included. INFO SYNC_MANAGER says
	 * which is the first that the process may use; the last one is the last
	 * before the next multiple of this number.
	 */
	GAUDI_QUERY_NUM_SYNC_OBJECTS = 16,
	GAUDI_QUERY_NUM_MONITORS = 17,
	/* Bits of the ports that are on, and of those that lead out of the box. */
	GAUDI_QUERY_NIC_PORTS = 32,
	GAUDI_QUERY_NIC_EXTERNAL_PORTS = 33,
};

#define GAUDI_ACCEL_VERSION_MAJOR	1
#define GAUDI_ACCEL_VERSION_MINOR	2

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
/* DRM_IOCTL_GAUDI_CS, and DRM's own ioctls for sync objects on this node. */
#define GAUDI_CAP_SYNCOBJ	_BITULL(4)
/* DRM_IOCTL_GAUDI_IMPORT. */
#define GAUDI_CAP_DMABUF_IMPORT	_BITULL(5)
/* DRM_IOCTL_GAUDI_NIC of gaudi_nic.h: ports are on, and this file may use them. */
#define GAUDI_CAP_NIC		_BITULL(6)

/*
 * The card is in shared mode: other processes may work on it as well. HBM is
 * to be used as ALLOC gives it, SRAM as INFO HW_IP_INFO, sync objects and
 * monitors as INFO SYNC_MANAGER say; what a submission sets in an engine's
 * registers may be gone in the next one.
 */
#define GAUDI_CAP_SHARED	_BITULL(16)

/*
 * DRM_IOCTL_GAUDI_QUERY: id in, value out. EINVAL for an id that this driver
 * does not know, or for flags that are not zero.
 */
struct drm_gaudi_query {
	__u32 id;		/* enum drm_gaudi_query_id */
	__u32 flags;		/* must be zero */
	__u64 value;
};

#define DRM_IOCTL_GAUDI_QUERY						\
	DRM_IOWR(DRM_COMMAND_BASE + GAUDI_IOCTL_QUERY, struct drm_gaudi_query)

/* A sync object of this file, or a point of one. */
struct drm_gaudi_sync {
	__u32 handle;
	__u32 flags;		/* must be zero */
	__u64 point;		/* of a timeline; 0: a binary one */
};

/* HL_WAIT_CS can tell when it ended, as with HL_CS_FLAGS_TIMESTAMP. */
#define GAUDI_CS_TIMESTAMP	(1 << 0)
/* in_fence_fd is a sync_file to wait for. */
#define GAUDI_CS_IN_FENCE_FD	(1 << 1)
/* Make a sync_file that signals at the end: out_fence_fd. */
#define GAUDI_CS_OUT_FENCE_FD	(1 << 2)

#define GAUDI_CS_MAX_SYNCS	1024

/*
 * DRM_IOCTL_GAUDI_CS: a submission of chunks, as by HL_CS without flags, that
 * begins when all fences of in_syncs and in_fence_fd have signalled, and whose
 * own fence signals out_syncs and out_fence_fd: when its jobs on external queues
 * have stopped, even if WAIT_CS has told of an error before.
 *
 * The call does not wait. A submission whose fences have not signalled yet has
 * a sequence number, for WAIT_CS, but its place in the queues it takes when
 * they have: later submissions may come before it. A fence that signals with an
 * error ends the submission with that error, unrun (WAIT_CS: EIO). So does a
 * reset of the card (EIO) and, for what still waits, close() (ECANCELED).
 *
 * ENOENT: no such sync object. EINVAL: a sync object, or point, that nobody has
 * been given to signal; no sync_file; unknown flags. EAGAIN: no room, try again
 * (only when nothing had to be waited for). EOPNOTSUPP: fences out, which must
 * end in bounded time, but the driver's parameters let a stuck job be (not in
 * shared mode: reset_on_lockup). Others are those of HL_CS. On an error no sync
 * object has changed.
 */
struct drm_gaudi_cs {
	__u64 chunks;		/* array of struct hl_cs_chunk */
	__u32 num_chunks;
	__u32 flags;		/* GAUDI_CS_* */
	__u64 in_syncs;		/* array of struct drm_gaudi_sync */
	__u64 out_syncs;
	__u32 num_in_syncs;
	__u32 num_out_syncs;
	__s32 in_fence_fd;
	__s32 out_fence_fd;	/* out */
	/*
	 * From when it is the oldest in the queues; 0, or too long: default.
	 * With fences out, it waits no longer than the default for any older one.
	 */
	__u32 timeout_ms;
	__u32 pad;		/* must be zero */
	__u64 seq;		/* out */
};

#define DRM_IOCTL_GAUDI_CS						\
	DRM_IOWR(DRM_COMMAND_BASE + GAUDI_IOCTL_CS, struct drm_gaudi_cs)

/* The hint is an order. */
#define GAUDI_IMPORT_FORCE_HINT	(1 << 0)

/*
 * DRM_IOCTL_GAUDI_IMPORT: map all of another driver's dma-buf, as HL_MEM_OP_MAP
 * maps host memory; HL_MEM_OP_UNMAP of dev_addr ends it. The buffer is pinned
 * meanwhile, and fd may be closed.
 *
 * EBADF, EINVAL: no dma-buf. EACCES: opened for reading only. EOPNOTSUPP:
 * exported by this driver (HBM has the address that it has). EINVAL: made of
 * less than whole pages, or unknown flags. ENOMEM: no room, or not at the hint.
 * EBUSY: a reset came while a fence was waited for; ENODEV: the card went.
 * Others are those of the exporter.
 */
struct drm_gaudi_import {
	__s32 fd;
	__u32 flags;		/* GAUDI_IMPORT_* */
	__u64 hint;		/* device virtual address, or 0 */
	__u64 size;		/* out */
	__u64 dev_addr;		/* out */
};

#define DRM_IOCTL_GAUDI_IMPORT						\
	DRM_IOWR(DRM_COMMAND_BASE + GAUDI_IOCTL_IMPORT, struct drm_gaudi_import)

#ifndef __cplusplus
_Static_assert(sizeof(struct drm_gaudi_query) == 16, "has a hole");
_Static_assert(sizeof(struct drm_gaudi_sync) == 16, "has a hole");
_Static_assert(sizeof(struct drm_gaudi_cs) == 64, "has a hole");
_Static_assert(sizeof(struct drm_gaudi_import) == 32, "has a hole");
#endif

#if defined(__cplusplus)
}
#endif

#endif /* GAUDI_ACCEL_H */
