/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One user of the card: an open file of /dev/accel/accelN and its context,
 * shared by the files of the user side only.
 */
#ifndef GAUDI_USER_H
#define GAUDI_USER_H

#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/workqueue.h>

#include "../events/gaudi_events.h"
#include "../hw/gaudi_hw.h"
#include "../memory/gaudi_buf.h"
#include "../memory/gaudi_vm.h"
#include "../submission/gaudi_cs.h"
#include "../submission/gaudi_timeslice.h"

struct drm_device;
struct drm_file;
struct gaudi_device;
struct pid;

/*
 * Lives until the file is closed and the last submission has ended. The file
 * and each CS hold a reference.
 */
struct gaudi_ctx {
	struct kref refs;
	struct gaudi_device *gdev;
	struct list_head node;		/* gaudi_ctx_mgr.ctxs */
	bool closing;			/* file closed; under the manager's lock */
	unsigned int slot;		/* index; of its part of the card too */
	unsigned long opened_at;	/* jiffies */
	struct drm_file *file;		/* valid while the file is open */
	struct pid *pid;
	u32 asid;
	struct gaudi_notifier notifier;
	struct gaudi_bufs bufs;
	struct gaudi_vm vm;
	struct gaudi_cs_ctx cs;
	bool unplugged;			/* the card went away first */
	struct gaudi_timeslice_ctx slice;
	struct work_struct release_work;
};

/*
 * The contexts: one, or up to GAUDI_MAX_USERS in shared mode. And the counters
 * that INFO OPEN_STATS shows.
 */
struct gaudi_ctx_mgr {
	struct mutex lock;		/* everything below */
	struct list_head ctxs;		/* all that are not freed yet */
	unsigned long slots;		/* taken by them; bits */
	unsigned int num_closing;
	kuid_t uid;			/* of processes that may open */
	kuid_t memory_uid;		/* whose data HBM and SRAM may hold */
	kuid_t engines_uid;		/* ... and engines; invalid: none */
	u64 open_count;
	ktime_t opened_ktime;
	unsigned long last_session;	/* jiffies */
	struct mutex exports_lock;	/* outside of reservation locks */
	struct list_head exports;	/* dma-bufs of HBM; gaudi_dmabuf.c */
	/* A reset waits for the users to close, for a while. */
	bool watchdog_active;
	enum gaudi_reset_reason watchdog_reason;
	struct delayed_work watchdog;
	struct gaudi_device *gdev;
	struct mutex debug_lock;	/* debugger, trace units; outside lock */
	struct gaudi_ctx *debugger;	/* in DEBUG's debug mode */
};

/* The SRAM that is the context's; NULL: what users have altogether. */
void gaudi_ctx_sram(const struct gaudi_ctx *ctx, u64 *base, u64 *size);

static inline void gaudi_ctx_get(struct gaudi_ctx *ctx)
{
	kref_get(&ctx->refs);
}

/*
 * Drop a reference. The last one frees the context in a worker, because the
 * caller may be the interrupt thread. Returns true if it was the last.
 */
bool gaudi_ctx_put(struct gaudi_ctx *ctx);
/*
 * The context after prev (NULL: the first) with a reference, or NULL; prev's
 * reference is dropped.
 */
struct gaudi_ctx *gaudi_ctx_next(struct gaudi_device *gdev,
				 struct gaudi_ctx *prev);
/* A loop that is left early keeps the reference of ctx. */
#define gaudi_for_each_ctx(gdev, ctx)					\
	for ((ctx) = gaudi_ctx_next(gdev, NULL); (ctx);			\
	     (ctx) = gaudi_ctx_next(gdev, ctx))

/* drm ioctls */
int gaudi_info_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int gaudi_cs_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
/* gaudi_memory.c: maps a dma-buf */
int gaudi_import_ioctl(struct drm_device *drm, void *data,
		       struct drm_file *file);
/* gaudi_syncobj.c: a CS with fences in and out. */
int gaudi_cs_sync_ioctl(struct drm_device *drm, void *data,
			struct drm_file *file);
int gaudi_wait_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int gaudi_memory_ioctl(struct drm_device *drm, void *data,
		       struct drm_file *file);
/*
 * Fast path for ALLOC and FREE of HBM that was freed just before;
 * GAUDI_NOT_DONE: call gaudi_memory_ioctl().
 */
#define GAUDI_NOT_DONE	1
long gaudi_memory_ioctl_fast(struct drm_file *file, void __user *arg);

#endif /* GAUDI_USER_H */
