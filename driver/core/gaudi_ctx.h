/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One user of the card: an open file of /dev/accel/accelN. Rooms keep their parts
 * of it behind pointers; the room context makes and frees it (gaudi_context.h).
 */
#ifndef GAUDI_CTX_H
#define GAUDI_CTX_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct drm_file;
struct gaudi_bufs;
struct gaudi_cs_ctx;
struct gaudi_device;
struct gaudi_nic_ctx;
struct gaudi_notifier;
struct gaudi_timeslice_ctx;
struct gaudi_vm;
struct pid;

/*
 * What a context has of the card, which differs by mode: of each sync manager and
 * of SRAM the part of its slot. Parts are equal, and in the order of slots.
 */
struct gaudi_share {
	u32 users;			/* open files at a time: slots */
	u32 sobs, mons;			/* in a part of a sync manager */
	u32 drv_sob, drv_mon;		/* the driver's first in a part of W_S */
};

/* So many in it are the driver's; the user's follow. */
#define GAUDI_DRV_SOBS		16
#define GAUDI_DRV_MONS		8

/*
 * Lives until the file is closed and the last submission has ended. The file
 * and each CS hold a reference.
 */
struct gaudi_ctx {
	struct kref refs;
	/* At the last reference, which may be the interrupt thread's. */
	void (*release)(struct kref *refs);
	struct gaudi_device *gdev;
	struct list_head node;		/* gaudi_ctxs.list */
	bool closing;			/* file closed; under gaudi_ctxs.lock */
	unsigned int slot;		/* index; of its part of the card too */
	unsigned long opened_at;	/* jiffies */
	struct drm_file *file;		/* valid while the file is open */
	struct pid *pid;
	u32 asid;
	/* Each room's part, which no room below it follows. */
	struct gaudi_notifier *notifier;
	struct gaudi_bufs *bufs;
	struct gaudi_vm *vm;
	struct gaudi_cs_ctx *cs;
	struct gaudi_nic_ctx *nic;
	struct gaudi_timeslice_ctx *slice;
	bool unplugged;			/* the card went away first */
	struct work_struct release_work;
};

/**
 * gaudi_ctx_get() - Take another reference to a context
 * @ctx: the context
 *
 * The caller has one.
 *
 * Context: Any context.
 */
static inline void gaudi_ctx_get(struct gaudi_ctx *ctx)
{
	kref_get(&ctx->refs);
}

/**
 * gaudi_ctx_put() - Drop a reference to a context
 * @ctx: the context
 *
 * The last one frees the context in a worker, because the caller may be the
 * interrupt thread.
 *
 * Context: Does not sleep.
 * Return: True if it was the last.
 */
static inline bool gaudi_ctx_put(struct gaudi_ctx *ctx)
{
	return kref_put(&ctx->refs, ctx->release);
}

/* All that are not freed yet, up to gaudi_share.users. */
struct gaudi_ctxs {
	struct mutex lock;
	struct list_head list;
};

/**
 * gaudi_ctx_next() - The next context of a card
 * @gdev: the card
 * @prev: where to go on, with a reference, which is dropped; %NULL: from the
 *	first one
 *
 * Context: Takes gaudi_ctxs.lock, a mutex.
 * Return: The context with a reference; %NULL: @prev was the last.
 */
struct gaudi_ctx *gaudi_ctx_next(struct gaudi_device *gdev,
				 struct gaudi_ctx *prev);
/* A loop that is left early keeps the reference of ctx. */
#define gaudi_for_each_ctx(gdev, ctx)					\
	for ((ctx) = gaudi_ctx_next(gdev, NULL); (ctx);			\
	     (ctx) = gaudi_ctx_next(gdev, ctx))

#endif /* GAUDI_CTX_H */
