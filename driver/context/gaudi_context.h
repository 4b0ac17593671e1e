/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The room of open files: who may open the card, what a user finds at open, and what
 * becomes of all of it at close. And their trace units.
 *
 * It owns the contexts (gaudi_ctx.h), each with its parts in one piece of memory, and
 * the watchdog that gives users time before a reset.
 *
 * Locks: gaudi_ctxs.lock, a mutex, outside of all below; debug_lock outside of it.
 *
 * It offers opening and closing, the DEBUG ioctl, and what a reset asks of users.
 */
#ifndef GAUDI_CONTEXT_H
#define GAUDI_CONTEXT_H

#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/workqueue.h>

#include "../core/gaudi_ctx.h"
#include "../core/gaudi_gate.h"

struct drm_device;
struct drm_file;
struct gaudi_device;

/*
 * The contexts, up to gaudi_share.users, and the counters that INFO OPEN_STATS
 * shows.
 */
struct gaudi_ctx_mgr {
	struct gaudi_ctxs all;		/* its lock: everything below, too */
	unsigned long slots;		/* taken by them; bits */
	unsigned int num_closing;
	kuid_t uid;			/* of processes that may open */
	kuid_t memory_uid;		/* whose data HBM and SRAM may hold */
	kuid_t engines_uid;		/* ... and engines; invalid: none */
	u64 open_count;
	ktime_t opened_ktime;
	unsigned long last_session;	/* jiffies */
	/* While gdev->users_wait. */
	enum gaudi_reset_reason watchdog_reason;
	struct delayed_work watchdog;
	struct gaudi_device *gdev;
	struct mutex debug_lock;	/* debugger, trace units; outside lock */
	struct gaudi_ctx *debugger;	/* in DEBUG's debug mode */
};

/**
 * gaudi_ctx_open() - A file is opened
 * @drm: the DRM device
 * @file: the open file; gets the context
 *
 * The card is reset before if its engines may hold anything of another user's.
 *
 * Context: DRM's callback. May sleep.
 * Return: 0 or an errno.
 */
int gaudi_ctx_open(struct drm_device *drm, struct drm_file *file);

/**
 * gaudi_ctx_postclose() - A file was closed
 * @drm: the DRM device
 * @file: the open file
 *
 * What it has of the card ends, with a reset if need be.
 *
 * Context: DRM's callback. May sleep.
 */
void gaudi_ctx_postclose(struct drm_device *drm, struct drm_file *file);

/**
 * gaudi_context_init() - Make what users have of the card: HBM, page tables,
 *	dma-bufs, submissions, contexts
 * @gdev: the card
 *
 * Freed with the last reference to the DRM device.
 *
 * Context: Probe.
 * Return: 0 or an errno.
 */
int gaudi_context_init(struct gaudi_device *gdev);

/**
 * gaudi_context_unplug() - The card goes away
 * @gdev: the card
 *
 * No ioctl enters the device any more and no engine runs. What the card could
 * reach is unmapped, also for files that stay open. The rest is freed with the
 * last reference to the DRM device.
 *
 * Context: May sleep.
 */
void gaudi_context_unplug(struct gaudi_device *gdev);

/**
 * gaudi_ctx_wait_closed() - Give the processes 1 s to close
 * @gdev: the card
 *
 * Waits for submissions have ended.
 *
 * Context: May sleep.
 */
void gaudi_ctx_wait_closed(struct gaudi_device *gdev);

/**
 * gaudi_ctx_kill_users() - Kill the processes that have opened the device
 * @gdev: the card
 *
 * Does not wait for their end.
 *
 * Context: May sleep; takes gaudi_ctxs.lock.
 */
void gaudi_ctx_kill_users(struct gaudi_device *gdev);

/**
 * gaudi_ctx_watchdog_stop() - Do not wait for a close any more
 * @gdev: the card
 *
 * A reset begins.
 *
 * Context: May sleep; takes gaudi_ctxs.lock.
 */
void gaudi_ctx_watchdog_stop(struct gaudi_device *gdev);

/**
 * gaudi_ctx_any_open() - Whether there is any context
 * @gdev: the card
 *
 * Context: May sleep; takes gaudi_ctxs.lock.
 * Return: True if so.
 */
bool gaudi_ctx_any_open(struct gaudi_device *gdev);

/**
 * gaudi_ctx_engines_clean() - No engine holds anything of a user's
 * @gdev: the card
 *
 * A reset is over.
 *
 * Context: May sleep; takes gaudi_ctxs.lock.
 */
void gaudi_ctx_engines_clean(struct gaudi_device *gdev);

/**
 * gaudi_ctx_scrub() - Overwrite the users' HBM and SRAM
 * @gdev: the card
 * @pattern: with what
 *
 * Context: May sleep; takes gaudi_ctxs.lock.
 * Return: 0; %-EBUSY while the card is open; or an errno.
 */
int gaudi_ctx_scrub(struct gaudi_device *gdev, u64 pattern);

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

#endif /* GAUDI_CONTEXT_H */
