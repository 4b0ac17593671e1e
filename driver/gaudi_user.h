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
#include <linux/workqueue.h>

#include "gaudi_buf.h"
#include "gaudi_cs.h"
#include "gaudi_events.h"
#include "gaudi_hw.h"
#include "gaudi_vm.h"

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
	struct drm_file *file;		/* valid while the file is open */
	struct pid *pid;
	u32 asid;
	struct gaudi_notifier notifier;
	struct gaudi_bufs bufs;
	struct gaudi_vm vm;
	struct gaudi_cs_ctx cs;
	struct work_struct release_work;
};

/* At most one user at a time; counters that INFO OPEN_STATS shows. */
struct gaudi_ctx_mgr {
	struct mutex lock;		/* everything below */
	struct gaudi_ctx *ctx;		/* the user; it may be closing */
	bool in_release;		/* file closed, context not yet free */
	bool in_debug;			/* DEBUG's SET_MODE */
	u64 open_count;
	unsigned long opened_at;	/* jiffies */
	ktime_t opened_ktime;
	unsigned long last_session;	/* jiffies */
	atomic_t dmabufs;		/* exported; for the log */
	/* A reset waits for the user to close, for a while. */
	bool watchdog_active;
	enum gaudi_reset_reason watchdog_reason;
	struct delayed_work watchdog;
	struct gaudi_device *gdev;
};

static inline void gaudi_ctx_get(struct gaudi_ctx *ctx)
{
	kref_get(&ctx->refs);
}

/*
 * Drop a reference. The last one frees the context in a worker, because the
 * caller may be the interrupt thread. Returns true if it was the last.
 */
bool gaudi_ctx_put(struct gaudi_ctx *ctx);
/* The user's context with a reference, or NULL. */
struct gaudi_ctx *gaudi_ctx_current(struct gaudi_device *gdev);

/* drm ioctls */
int gaudi_info_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int gaudi_cs_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int gaudi_wait_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int gaudi_memory_ioctl(struct drm_device *drm, void *data,
		       struct drm_file *file);

#endif /* GAUDI_USER_H */
