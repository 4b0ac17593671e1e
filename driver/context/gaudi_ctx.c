// SPDX-License-Identifier: GPL-2.0-only
/*
 * Open files: who may open the card, what a user finds at open, and what
 * happens to all of it at close, however the process ended.
 *
 * The file holds a reference to its context, and so does each submission. If
 * the file closes while submissions run, they get a moment to end; then the
 * card is reset, as mainline does at once.
 */
#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/iopoll.h>
#include <linux/jiffies.h>
#include <linux/pci.h>
#include <linux/pm_runtime.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_managed.h>

#include "../core/gaudi_ctx.h"
#include "../core/gaudi_device.h"
#include "../core/gaudi_gate.h"
#include "../core/gaudi_param.h"
#include "../core/gaudi_shared_ops.h"
#include "../errors/gaudi_reports.h"
#include "../hw/gaudi_hw.h"
#include "../hw/gaudi_mmu.h"
#include "../jobs/gaudi_jobs.h"
#include "../memory/gaudi_buf.h"
#include "../memory/gaudi_hbm.h"
#include "../memory/gaudi_memory.h"
#include "../memory/gaudi_pgt.h"
#include "../nic/gaudi_ports.h"
#include "../submission/gaudi_cs.h"
#include "../submission/gaudi_submission.h"
#include "gaudi_context.h"
#include "gaudi_coresight.h"

/* Virtual addresses that mainline takes for itself at open. */
#define RESERVED_VA_SIZE	SZ_2M
/* Between the end of all submissions and SIGKILL; mainline's value. */
#define KILL_GRACE_MS		1000
/* How long close() lets submissions finish before it asks for a reset. */
#define DRAIN_MS		100

/* A context with its parts, one piece of memory. */
struct gaudi_open {
	struct gaudi_ctx ctx;
	struct gaudi_notifier notifier;
	struct gaudi_bufs bufs;
	struct gaudi_vm vm;
	struct gaudi_cs_ctx cs;
	struct gaudi_nic_ctx nic;
};

bool gaudi_ctx_any_open(struct gaudi_device *gdev)
{
	if (!gdev->ctx_mgr)
		return false;
	guard(mutex)(&gdev->ctx_mgr->all.lock);
	return !list_empty(&gdev->ctx_mgr->all.list);
}

static void gaudi_ctx_watchdog_work(struct work_struct *work)
{
	struct gaudi_ctx_mgr *mgr = container_of(to_delayed_work(work),
						 struct gaudi_ctx_mgr,
						 watchdog);

	gaudi_reset_schedule(mgr->gdev, mgr->watchdog_reason);
}

/*
 * Is there an open file with an eventfd, whose process may want to read what
 * happened before a reset? The lock is held.
 */
static bool gaudi_ctx_any_listener(struct gaudi_ctx_mgr *mgr)
{
	struct gaudi_ctx *ctx;

	list_for_each_entry(ctx, &mgr->all.list, node)
		if (!ctx->closing && (mgr->gdev->users_wait ||
				      READ_ONCE(ctx->notifier->eventfd)))
			return true;
	return false;
}

/* For gaudi_reset_announce(). */
static void gaudi_ctx_announce(struct gaudi_device *gdev,
			       enum gaudi_reset_reason reason, u64 events)
{
	struct gaudi_ctx_mgr *mgr = gdev->ctx_mgr;
	bool wait;

	scoped_guard(mutex, &mgr->all.lock) {
		wait = gaudi_device_operational(gdev) &&
		       gaudi_ctx_any_listener(mgr);
		if (wait && !gdev->users_wait) {
			mgr->watchdog_reason = reason;
			WRITE_ONCE(gdev->users_wait, true);
			queue_delayed_work(gaudi_wq, &mgr->watchdog,
					   gdev->tunables.release_timeout_s *
					   (unsigned long)HZ);
		}
	}
	if (events)
		gaudi_reports_notify(gdev, events);
	if (wait)
		gaudi_cs_abort_waits(gdev);
	else
		gaudi_reset_schedule(gdev, reason);
}

void gaudi_ctx_watchdog_stop(struct gaudi_device *gdev)
{
	struct gaudi_ctx_mgr *mgr = gdev->ctx_mgr;

	if (!mgr)
		return;
	/* A thread that saw the device operational has started it by now. */
	scoped_guard(mutex, &mgr->all.lock)
		WRITE_ONCE(gdev->users_wait, false);
	cancel_delayed_work_sync(&mgr->watchdog);
}

static bool gaudi_ctx_is_last(struct gaudi_ctx_mgr *mgr)
{
	guard(mutex)(&mgr->all.lock);
	return list_is_singular(&mgr->all.list);
}

/* Longer than a queue needs from its last completion until it is idle. */
#define GAUDI_IDLE_POLL_US	1000
#define GAUDI_IDLE_TIMEOUT_US	100000

/* Engines that are still busy must not be left to the next user. */
static void gaudi_ctx_check_idle(struct gaudi_device *gdev)
{
	u64 mask[HL_BUSY_ENGINES_MASK_EXT_SIZE] = {};
	bool idle;

	if (READ_ONCE(gdev->dead))
		return;
	/* Other contexts may still use the card. */
	if (!gaudi_ctx_is_last(gdev->ctx_mgr))
		return;
	/* A reset waits for the last close. */
	if (READ_ONCE(gdev->users_wait)) {
		gaudi_reset_schedule(gdev, gdev->ctx_mgr->watchdog_reason);
		return;
	}
	if (!gaudi_device_operational(gdev) || gaudi_reset_enter(gdev))
		return;
	/* Whoever saw the last completion may close before its queue is through. */
	read_poll_timeout(gaudi_engines_idle, idle, idle, GAUDI_IDLE_POLL_US,
			  GAUDI_IDLE_TIMEOUT_US, false, gdev, mask,
			  ARRAY_SIZE(mask), NULL);
	gaudi_reset_exit(gdev);
	/*
	 * An engine that stopped at an error looks idle, and accepts no work.
	 */
	idle = idle && !gaudi_cs_any_stopped(gdev);
	if (idle)
		return;
	drm_err(&gdev->drm,
		"device is not idle after user context is closed (mask %#llx)\n",
		mask[0]);
	gaudi_reset_schedule(gdev, GAUDI_RESET_RELEASE);
}

/* removed: the driver no longer has the device. */
static void gaudi_pm_put(struct gaudi_device *gdev, bool removed)
{
	struct device *dev = &gdev->pdev->dev;

	if (removed) {
		pm_runtime_put_noidle(dev);
		return;
	}
	pm_runtime_mark_last_busy(dev);
	pm_runtime_put_autosuspend(dev);
}

static void gaudi_ctx_free(struct gaudi_ctx *ctx)
{
	struct gaudi_device *gdev = ctx->gdev;
	struct gaudi_ctx_mgr *mgr = gdev->ctx_mgr;

	gaudi_cs_ctx_fini(ctx);
	gaudi_debug_leave(ctx);
	/* Peers write to this memory by themselves. */
	gaudi_nic_ctx_fini(ctx);
	/* Buffers with a device address too: no submission is left. */
	gaudi_bufs_fini(ctx->bufs);
	gaudi_vm_fini(ctx);
	gaudi_ctx_check_idle(gdev);
	if (!ctx->unplugged)
		gaudi_notifier_remove(gdev, ctx->notifier);
	mutex_lock(&mgr->all.lock);
	list_del(&ctx->node);
	__clear_bit(ctx->slot, &mgr->slots);
	mgr->num_closing--;
	mutex_unlock(&mgr->all.lock);
	put_pid(ctx->pid);
	gaudi_pm_put(gdev, ctx->unplugged);
	kfree(ctx->slice);
	kfree(container_of(ctx, struct gaudi_open, ctx));
	/* Paired with gaudi_ctx_create(); may free gdev. */
	drm_dev_put(&gdev->drm);
}

static void gaudi_ctx_release_work(struct work_struct *work)
{
	gaudi_ctx_free(container_of(work, struct gaudi_ctx, release_work));
}

static void gaudi_ctx_release_async(struct kref *refs)
{
	struct gaudi_ctx *ctx = container_of(refs, struct gaudi_ctx, refs);

	queue_work(gaudi_wq, &ctx->release_work);
}

static void gaudi_ctx_release(struct kref *refs)
{
	gaudi_ctx_free(container_of(refs, struct gaudi_ctx, refs));
}

static struct gaudi_ctx *gaudi_ctx_create(struct gaudi_device *gdev,
					  struct drm_file *file)
{
	struct gaudi_open *open = kzalloc(sizeof(*open), GFP_KERNEL_ACCOUNT);
	struct gaudi_ctx *ctx;
	int rc;

	if (!open)
		return ERR_PTR(-ENOMEM);
	ctx = &open->ctx;
	ctx->notifier = &open->notifier;
	ctx->bufs = &open->bufs;
	ctx->vm = &open->vm;
	ctx->cs = &open->cs;
	ctx->nic = &open->nic;
	kref_init(&ctx->refs);
	ctx->release = gaudi_ctx_release_async;
	ctx->gdev = gdev;
	ctx->file = file;
	ctx->slot = ffz(gdev->ctx_mgr->slots);
	ctx->asid = GAUDI_USER_ASID + ctx->slot;
	ctx->opened_at = jiffies;
	INIT_WORK(&ctx->release_work, gaudi_ctx_release_work);
	gaudi_bufs_init(ctx->bufs, ctx);
	rc = gaudi_cs_ctx_init(ctx);
	if (rc)
		goto free_ctx;
	gaudi_vm_init(ctx, RESERVED_VA_SIZE);
	/*
	 * All sync objects and monitors of the user become as after power-on.
	 */
	if (gaudi_is_shared(gdev))
		rc = gdev->shared->open(ctx);
	else if (gaudi_sync_restore(gdev))
		rc = -ENOMEM;
	if (rc)
		goto fini_vm;
	gaudi_signals_open(ctx);
	ctx->pid = get_pid(task_tgid(current));
	gaudi_notifier_add(gdev, ctx->notifier);
	gaudi_nic_ctx_init(ctx);
	drm_dev_get(&gdev->drm);
	return ctx;

fini_vm:
	gaudi_vm_fini(ctx);
	gaudi_cs_ctx_fini(ctx);
free_ctx:
	kfree(open);
	return ERR_PTR(rc);
}

/* Errors are mainline's. */
static int gaudi_ctx_may_open(struct gaudi_device *gdev)
{
	struct gaudi_ctx_mgr *mgr = gdev->ctx_mgr;
	int status = READ_ONCE(gdev->status);

	if (status == HL_DEVICE_STATUS_IN_RESET ||
	    status == HL_DEVICE_STATUS_IN_RESET_AFTER_DEVICE_RELEASE)
		return -EAGAIN;
	if (status != HL_DEVICE_STATUS_OPERATIONAL)
		return -EPERM;
	/* A reset waits for those to close that were there before it. */
	if (gdev->users_wait &&
	    (gaudi_is_shared(gdev) || list_empty(&mgr->all.list)))
		return -EAGAIN;
	if (list_empty(&mgr->all.list))
		return 0;
	if (uid_eq(mgr->uid, current_fsuid()) &&
	    hweight_long(mgr->slots) < gdev->share->users)
		return 0;
	return mgr->num_closing ? -EAGAIN : -EBUSY;
}

/*
 * State that a user leaves in engines is not for another user: descriptors,
 * fence counters, scalars and predicates of command processors, local memories
 * of the TPCs. Registers do not reach all of it, but a reset clears it.
 */
static bool gaudi_ctx_engines_need_reset(const struct gaudi_ctx_mgr *mgr,
					 kuid_t uid)
{
	return list_empty(&mgr->all.list) && uid_valid(mgr->engines_uid) &&
	       !uid_eq(mgr->engines_uid, uid);
}

void gaudi_ctx_engines_clean(struct gaudi_device *gdev)
{
	struct gaudi_ctx_mgr *mgr = gdev->ctx_mgr;

	if (!mgr)
		return;
	guard(mutex)(&mgr->all.lock);
	if (list_empty(&mgr->all.list))
		mgr->engines_uid = INVALID_UID;
}

int gaudi_ctx_scrub(struct gaudi_device *gdev, u64 pattern)
{
	int rc;

	/* Opens are locked out: their data would be overwritten. */
	guard(mutex)(&gdev->ctx_mgr->all.lock);
	if (!list_empty(&gdev->ctx_mgr->all.list))
		return -EBUSY;
	rc = gaudi_reset_enter(gdev);
	if (rc)
		return rc;
	rc = gaudi_kjob_scrub(gdev, pattern);
	gaudi_reset_exit(gdev);
	return rc;
}

/*
 * HBM and SRAM are not translated, and any user may have written anywhere: all
 * of it is overwritten before another user gets the card, and at the first open
 * after a probe. Resets do not clear memory.
 */
static int gaudi_ctx_scrub_for_user(struct gaudi_ctx_mgr *mgr, kuid_t uid)
{
	int rc;

	if (!list_empty(&mgr->all.list))
		return 0;
	if (uid_eq(mgr->memory_uid, uid) && !gaudi_memory_scrub)
		return 0;
	rc = gaudi_kjob_scrub(mgr->gdev, 0);
	if (!rc)
		mgr->memory_uid = uid;
	return rc;
}

/* mgr->all.lock is held. *reset: nothing was opened; try again after a reset. */
static int gaudi_ctx_open_locked(struct gaudi_device *gdev,
				 struct drm_file *file, bool *reset)
{
	struct gaudi_ctx_mgr *mgr = gdev->ctx_mgr;
	struct gaudi_ctx *ctx;
	int rc;

	rc = gaudi_ctx_may_open(gdev);
	*reset = !rc && gaudi_ctx_engines_need_reset(mgr, current_euid());
	if (*reset)
		return -EAGAIN;
	if (!rc)
		rc = gaudi_reset_enter(gdev);
	if (rc)
		return rc;
	rc = gaudi_ctx_scrub_for_user(mgr, current_euid());
	ctx = rc ? ERR_PTR(rc) : gaudi_ctx_create(gdev, file);
	gaudi_reset_exit(gdev);
	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	if (list_empty(&mgr->all.list)) {
		mgr->uid = current_fsuid();
		mgr->engines_uid = current_euid();
		gaudi_reports_clear_captured(gdev);
		gaudi_cs_clear_timeout(gdev);
	}
	list_add_tail(&ctx->node, &mgr->all.list);
	__set_bit(ctx->slot, &mgr->slots);
	mgr->open_count++;
	mgr->opened_ktime = ktime_get();
	file->driver_priv = ctx;
	return 0;
}

static int gaudi_ctx_open_or_reset(struct gaudi_device *gdev,
				   struct drm_file *file)
{
	bool reset;
	int rc;

	if (!gdev->ctx_mgr)
		return -EPERM;
	scoped_guard(mutex, &gdev->ctx_mgr->all.lock)
		rc = gaudi_ctx_open_locked(gdev, file, &reset);
	if (!reset)
		return rc;
	gaudi_reset_and_wait(gdev, GAUDI_RESET_NEXT_USER);
	/*
	 * If another process opened it first, this is as good as "try again".
	 */
	scoped_guard(mutex, &gdev->ctx_mgr->all.lock)
		rc = gaudi_ctx_open_locked(gdev, file, &reset);
	return rc;
}

/*
 * The card wakes up and stays awake until gaudi_pm_put(). May take as long as a
 * reset. -EPERM: it cannot be powered.
 */
static int gaudi_pm_get(struct gaudi_device *gdev)
{
	might_sleep();
	return pm_runtime_resume_and_get(&gdev->pdev->dev) ? -EPERM : 0;
}

int gaudi_ctx_open(struct drm_device *drm, struct drm_file *file)
{
	struct gaudi_device *gdev = to_gaudi_device(drm);
	int rc, idx;

	/* DRM checks whether the device is unplugged, but does not hold it. */
	if (!gaudi_device_enter(gdev, &idx))
		return -ENODEV;
	rc = gaudi_pm_get(gdev);
	if (!rc) {
		rc = gaudi_ctx_open_or_reset(gdev, file);
		/* Else the context has it. */
		if (rc)
			gaudi_pm_put(gdev, false);
	}
	gaudi_device_exit(gdev, idx);
	return rc;
}

/* Wait a moment for submissions that are about to end. */
static void gaudi_ctx_drain(struct gaudi_ctx *ctx)
{
	unsigned int refs;

	read_poll_timeout(kref_read, refs,
			  refs <= 1 || !gaudi_device_operational(ctx->gdev),
			  1000, DRAIN_MS * 1000, false, &ctx->refs);
}

void gaudi_ctx_postclose(struct drm_device *drm, struct drm_file *file)
{
	struct gaudi_device *gdev = to_gaudi_device(drm);
	struct gaudi_ctx_mgr *mgr = gdev->ctx_mgr;
	struct gaudi_ctx *ctx = file->driver_priv;
	unsigned int active;

	if (!ctx)
		return;
	mutex_lock(&mgr->all.lock);
	ctx->closing = true;
	mgr->num_closing++;
	mgr->last_session = jiffies - ctx->opened_at;
	mutex_unlock(&mgr->all.lock);
	/* No ioctl runs and no mmap is left, so nothing new is submitted. */
	gaudi_deferred_cancel(gdev, ctx);
	gaudi_signals_drop_reservations(ctx);
	if (gaudi_is_shared(gdev))
		gdev->shared->close(ctx, DRAIN_MS);
	else
		gaudi_ctx_drain(ctx);
	active = gaudi_cs_num_active(gdev);
	/* In shared mode nothing of it reaches the card any more. */
	if (kref_put(&ctx->refs, gaudi_ctx_release) || gaudi_is_shared(gdev))
		return;
	drm_notice(drm,
		   "User process closed FD but device still in use [%u active CS]\n",
		   active);
	if (!READ_ONCE(gdev->dead))
		gaudi_reset_schedule(gdev, READ_ONCE(gdev->users_wait) ?
					   mgr->watchdog_reason :
					   GAUDI_RESET_RELEASE);
}

void gaudi_ctx_wait_closed(struct gaudi_device *gdev)
{
	bool open;

	read_poll_timeout(gaudi_ctx_any_open, open, !open, 20000,
			  KILL_GRACE_MS * 1000, false, gdev);
}

void gaudi_ctx_kill_users(struct gaudi_device *gdev)
{
	struct gaudi_ctx_mgr *mgr = gdev->ctx_mgr;
	struct gaudi_ctx *ctx;

	if (!mgr)
		return;
	guard(mutex)(&mgr->all.lock);
	list_for_each_entry(ctx, &mgr->all.list, node) {
		if (ctx->closing)
			continue;
		drm_info(&gdev->drm, "Killing user process pid=%d\n",
			 pid_nr(ctx->pid));
		kill_pid(ctx->pid, SIGKILL, 1);
	}
}

static int gaudi_ctx_mgr_init(struct gaudi_device *gdev)
{
	struct gaudi_ctx_mgr *mgr = drmm_kzalloc(&gdev->drm, sizeof(*mgr),
						 GFP_KERNEL);
	int rc;

	if (!mgr)
		return -ENOMEM;
	rc = drmm_mutex_init(&gdev->drm, &mgr->all.lock) ?:
	     drmm_mutex_init(&gdev->drm, &mgr->debug_lock);
	if (rc)
		return rc;
	INIT_LIST_HEAD(&mgr->all.list);
	mgr->memory_uid = INVALID_UID;
	mgr->engines_uid = INVALID_UID;
	mgr->gdev = gdev;
	INIT_DELAYED_WORK(&mgr->watchdog, gaudi_ctx_watchdog_work);
	gdev->ctx_mgr = mgr;
	gdev->ctxs = &mgr->all;
	gdev->gate->announce = gaudi_ctx_announce;
	return 0;
}

/* Is a context without references still being freed? */
static bool gaudi_ctx_any_dying(struct gaudi_ctx_mgr *mgr)
{
	struct gaudi_ctx *ctx;

	guard(mutex)(&mgr->all.lock);
	list_for_each_entry(ctx, &mgr->all.list, node)
		if (!ctx->unplugged && !kref_read(&ctx->refs))
			return true;
	return false;
}

static void gaudi_ctx_unplug(struct gaudi_ctx *ctx)
{
	if (ctx->unplugged)
		return;
	gaudi_nic_ctx_fini(ctx);
	gaudi_collective_ctx_fini(ctx);
	gaudi_notifier_remove(ctx->gdev, ctx->notifier);
	gaudi_vm_unplug(ctx);
	gaudi_bufs_unplug(ctx->bufs);
	ctx->unplugged = true;
}

void gaudi_context_unplug(struct gaudi_device *gdev)
{
	struct gaudi_ctx_mgr *mgr = gdev->ctx_mgr;
	struct gaudi_ctx *ctx;

	if (!mgr)
		return;
	gaudi_ctx_watchdog_stop(gdev);
	for (;;) {
		gaudi_for_each_ctx(gdev, ctx)
			gaudi_ctx_unplug(ctx);
		if (!gaudi_ctx_any_dying(mgr))
			break;
		usleep_range(1000, 2000);
	}
	gaudi_cs_mgr_unplug(gdev);
}

static void gaudi_context_free_pgt(struct drm_device *drm, void *unused)
{
	gaudi_pgt_fini(to_gaudi_device(drm));
}

/*
 * All of it is freed with the last reference to the device: a file that is open when
 * the card goes away (in a process that got it by fork(), say) uses it at its close.
 */
int gaudi_context_init(struct gaudi_device *gdev)
{
	return gaudi_hbm_init(gdev) ?:
	       gaudi_pgt_init(gdev) ?:
	       drmm_add_action_or_reset(&gdev->drm, gaudi_context_free_pgt,
					NULL) ?:
	       gaudi_dmabuf_init(gdev) ?:
	       gaudi_cs_mgr_init(gdev) ?:
	       gaudi_ctx_mgr_init(gdev);
}
