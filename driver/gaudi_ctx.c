// SPDX-License-Identifier: GPL-2.0-only
/*
 * Open files: who may open the card, what a user finds at open, and what
 * happens to all of it at close, however the process ended.
 *
 * The file holds a reference to its context, and so does each submission. If
 * the file closes while submissions run, they get a moment to end; then the
 * card is reset, as mainline does at once.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>

#include "gaudi_ctx.h"
#include "gaudi_device.h"
#include "gaudi_hbm.h"
#include "gaudi_hw.h"
#include "gaudi_mmu.h"
#include "gaudi_user.h"

/* Virtual addresses that mainline takes for itself at open. */
#define RESERVED_VA_SIZE	SZ_2M
/* Between the end of all submissions and SIGKILL; mainline's value. */
#define KILL_GRACE_MS		1000
/* How long a user with an eventfd may take to close before a reset. */
#define WATCHDOG_SECONDS	30
/* How long close() lets submissions finish before it asks for a reset. */
#define DRAIN_MS		100

struct gaudi_ctx *gaudi_ctx_current(struct gaudi_device *gdev)
{
	struct gaudi_ctx_mgr *mgr = gdev->ctx_mgr;

	guard(mutex)(&mgr->lock);
	if (mgr->ctx && kref_get_unless_zero(&mgr->ctx->refs))
		return mgr->ctx;
	return NULL;
}

bool gaudi_ctx_any_open(struct gaudi_device *gdev)
{
	guard(mutex)(&gdev->ctx_mgr->lock);
	return gdev->ctx_mgr->ctx;
}

static void watchdog_work(struct work_struct *work)
{
	struct gaudi_ctx_mgr *mgr = container_of(to_delayed_work(work),
						 struct gaudi_ctx_mgr,
						 watchdog);

	gaudi_reset_schedule(mgr->gdev, mgr->watchdog_reason);
}

void gaudi_ctx_cond_reset(struct gaudi_device *gdev,
			  enum gaudi_reset_reason reason, u64 events)
{
	struct gaudi_ctx_mgr *mgr = gdev->ctx_mgr;
	bool wait = false;

	if (!mgr) {
		/* Still in probe; it looks at this when it is done. */
		gaudi_reset_schedule(gdev, reason);
		return;
	}
	mutex_lock(&mgr->lock);
	if (mgr->ctx && !mgr->in_release && gaudi_device_operational(gdev) &&
	    (mgr->watchdog_active || READ_ONCE(mgr->ctx->notifier.eventfd))) {
		wait = true;
		if (!mgr->watchdog_active) {
			mgr->watchdog_reason = reason;
			WRITE_ONCE(mgr->watchdog_active, true);
			schedule_delayed_work(&mgr->watchdog,
					      WATCHDOG_SECONDS * HZ);
		}
	}
	mutex_unlock(&mgr->lock);
	if (events)
		gaudi_events_notify(gdev, events);
	if (wait)
		gaudi_cs_abort_waits(gdev);
	else
		gaudi_reset_schedule(gdev, reason);
}

void gaudi_ctx_watchdog_stop(struct gaudi_device *gdev)
{
	struct gaudi_ctx_mgr *mgr = gdev->ctx_mgr;

	/* Whoever saw the device operational has started it by now. */
	scoped_guard(mutex, &mgr->lock)
		WRITE_ONCE(mgr->watchdog_active, false);
	cancel_delayed_work_sync(&mgr->watchdog);
}

/* A user who left engines at work leaves them to nobody. */
static void check_idle(struct gaudi_device *gdev)
{
	u64 mask[HL_BUSY_ENGINES_MASK_EXT_SIZE] = {};
	bool idle;

	if (READ_ONCE(gdev->dead))
		return;
	/* Somebody waited for this moment. */
	if (READ_ONCE(gdev->ctx_mgr->watchdog_active)) {
		gaudi_reset_schedule(gdev, gdev->ctx_mgr->watchdog_reason);
		return;
	}
	if (!gaudi_device_operational(gdev) || gaudi_reset_enter(gdev))
		return;
	idle = gaudi_engines_idle(gdev, mask, ARRAY_SIZE(mask), NULL);
	gaudi_reset_exit(gdev);
	if (idle)
		return;
	drm_err(&gdev->drm,
		"device is not idle after user context is closed (mask %#llx)\n",
		mask[0]);
	gaudi_reset_schedule(gdev, GAUDI_RESET_RELEASE);
}

static void ctx_free(struct gaudi_ctx *ctx)
{
	struct gaudi_device *gdev = ctx->gdev;
	struct gaudi_ctx_mgr *mgr = gdev->ctx_mgr;

	gaudi_cs_ctx_fini(ctx);
	gaudi_vm_fini(ctx);
	check_idle(gdev);
	/* See gaudi_user_fini() for who may come this late. */
	if (!READ_ONCE(gdev->dead))
		gaudi_notifier_remove(gdev, &ctx->notifier);
	mutex_lock(&mgr->lock);
	mgr->ctx = NULL;
	mgr->in_release = false;
	mgr->in_debug = false;
	mutex_unlock(&mgr->lock);
	put_pid(ctx->pid);
	kfree(ctx);
	/* Paired with ctx_create(); may free gdev. */
	drm_dev_put(&gdev->drm);
}

static void release_work(struct work_struct *work)
{
	ctx_free(container_of(work, struct gaudi_ctx, release_work));
}

static void ctx_release_later(struct kref *refs)
{
	struct gaudi_ctx *ctx = container_of(refs, struct gaudi_ctx, refs);

	queue_work(system_unbound_wq, &ctx->release_work);
}

bool gaudi_ctx_put(struct gaudi_ctx *ctx)
{
	return kref_put(&ctx->refs, ctx_release_later);
}

static void ctx_release_now(struct kref *refs)
{
	ctx_free(container_of(refs, struct gaudi_ctx, refs));
}

static struct gaudi_ctx *ctx_create(struct gaudi_device *gdev,
				    struct drm_file *file)
{
	struct gaudi_ctx *ctx = kzalloc(sizeof(*ctx), GFP_KERNEL_ACCOUNT);
	int rc;

	if (!ctx)
		return ERR_PTR(-ENOMEM);
	kref_init(&ctx->refs);
	ctx->gdev = gdev;
	ctx->file = file;
	ctx->asid = GAUDI_USER_ASID;
	INIT_WORK(&ctx->release_work, release_work);
	gaudi_bufs_init(&ctx->bufs, gdev);
	rc = gaudi_cs_ctx_init(ctx);
	if (rc)
		goto free_ctx;
	rc = gaudi_vm_init(ctx, RESERVED_VA_SIZE);
	if (rc)
		goto fini_cs;
	/* The user finds all sync objects and monitors as after power-on. */
	if (gaudi_sync_restore(gdev)) {
		rc = -ENOMEM;
		goto fini_vm;
	}
	ctx->pid = get_pid(task_tgid(current));
	gaudi_notifier_add(gdev, &ctx->notifier);
	drm_dev_get(&gdev->drm);
	return ctx;

fini_vm:
	gaudi_vm_fini(ctx);
fini_cs:
	gaudi_cs_ctx_fini(ctx);
free_ctx:
	kfree(ctx);
	return ERR_PTR(rc);
}

/* Errors are mainline's. */
static int may_open(struct gaudi_device *gdev)
{
	struct gaudi_ctx_mgr *mgr = gdev->ctx_mgr;
	int status = READ_ONCE(gdev->status);

	if (status == HL_DEVICE_STATUS_IN_RESET ||
	    status == HL_DEVICE_STATUS_IN_RESET_AFTER_DEVICE_RELEASE)
		return -EAGAIN;
	if (status != HL_DEVICE_STATUS_OPERATIONAL)
		return -EPERM;
	if (mgr->in_release)
		return -EAGAIN;
	return mgr->ctx ? -EBUSY : 0;
}

static int ctx_open(struct gaudi_device *gdev, struct drm_file *file)
{
	struct gaudi_ctx_mgr *mgr = gdev->ctx_mgr;
	struct gaudi_ctx *ctx;
	int rc;

	if (!mgr)
		return -EPERM;
	guard(mutex)(&mgr->lock);
	rc = may_open(gdev);
	if (!rc)
		rc = gaudi_reset_enter(gdev);
	if (rc)
		return rc;
	ctx = ctx_create(gdev, file);
	gaudi_reset_exit(gdev);
	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	gaudi_events_clear_captured(gdev);
	spin_lock(&gdev->cs_mgr->lock);
	gdev->cs_mgr->timeout_captured = false;
	gdev->cs_mgr->timeout_seq = 0;
	gdev->cs_mgr->timeout_time = 0;
	spin_unlock(&gdev->cs_mgr->lock);
	mgr->ctx = ctx;
	mgr->open_count++;
	mgr->opened_at = jiffies;
	mgr->opened_ktime = ktime_get();
	file->driver_priv = ctx;
	return 0;
}

int gaudi_ctx_open(struct drm_device *drm, struct drm_file *file)
{
	struct gaudi_device *gdev = to_gaudi_device(drm);
	int rc, idx;

	/* DRM looks whether the device is unplugged, but does not hold it. */
	if (!gaudi_device_enter(gdev, &idx))
		return -ENODEV;
	rc = ctx_open(gdev, file);
	gaudi_device_exit(gdev, idx);
	return rc;
}

/* Let what was submitted end, if it is about to. */
static void drain(struct gaudi_ctx *ctx)
{
	unsigned long end = jiffies + msecs_to_jiffies(DRAIN_MS);

	while (kref_read(&ctx->refs) > 1 && time_before(jiffies, end) &&
	       gaudi_device_operational(ctx->gdev))
		usleep_range(500, 1000);
}

void gaudi_ctx_postclose(struct drm_device *drm, struct drm_file *file)
{
	struct gaudi_device *gdev = to_gaudi_device(drm);
	struct gaudi_ctx_mgr *mgr = gdev->ctx_mgr;
	struct gaudi_ctx *ctx = file->driver_priv;
	unsigned int active;

	if (!ctx)
		return;
	mutex_lock(&mgr->lock);
	mgr->in_release = true;
	mgr->last_session = jiffies - mgr->opened_at;
	mutex_unlock(&mgr->lock);
	/* No ioctl runs and no mmap is left: nobody makes new submissions. */
	gaudi_bufs_fini(&ctx->bufs);
	gaudi_signals_drop_reservations(ctx);
	drain(ctx);
	active = gaudi_cs_num_active(gdev);
	if (kref_put(&ctx->refs, ctx_release_now))
		return;
	drm_notice(drm,
		   "User process closed FD but device still in use [%u active CS]\n",
		   active);
	if (!READ_ONCE(gdev->dead))
		gaudi_reset_schedule(gdev, GAUDI_RESET_RELEASE);
}

void gaudi_ctx_kill_users(struct gaudi_device *gdev)
{
	unsigned long end = jiffies + msecs_to_jiffies(KILL_GRACE_MS);
	struct gaudi_ctx_mgr *mgr = gdev->ctx_mgr;

	if (!mgr)
		return;
	/* Whoever waits for a submission learns how it ended, and may close. */
	while (gaudi_ctx_any_open(gdev) && time_before(jiffies, end))
		msleep(20);
	guard(mutex)(&mgr->lock);
	if (!mgr->ctx || mgr->in_release)
		return;
	drm_info(&gdev->drm, "Killing user process pid=%d\n",
		 pid_nr(mgr->ctx->pid));
	kill_pid(mgr->ctx->pid, SIGKILL, 1);
}

static int ctx_mgr_init(struct gaudi_device *gdev)
{
	struct gaudi_ctx_mgr *mgr = kzalloc(sizeof(*mgr), GFP_KERNEL);

	if (!mgr)
		return -ENOMEM;
	mutex_init(&mgr->lock);
	mgr->gdev = gdev;
	INIT_DELAYED_WORK(&mgr->watchdog, watchdog_work);
	gdev->ctx_mgr = mgr;
	return 0;
}

static void ctx_mgr_fini(struct gaudi_device *gdev)
{
	struct gaudi_ctx_mgr *mgr = gdev->ctx_mgr;

	if (!mgr)
		return;
	gaudi_ctx_watchdog_stop(gdev);
	mutex_destroy(&mgr->lock);
	kfree(mgr);
	gdev->ctx_mgr = NULL;
}

/*
 * The user was killed and waited for. If the file is open all the same (in a
 * process that got it by fork(), say), then what its last close will touch must
 * stay: memory leaks then, and nothing else breaks.
 */
void gaudi_user_fini(struct gaudi_device *gdev)
{
	struct gaudi_ctx *ctx = gdev->ctx_mgr ? gaudi_ctx_current(gdev) : NULL;

	if (ctx) {
		drm_err(&gdev->drm, "still open; its memory is not freed\n");
		gaudi_notifier_remove(gdev, &ctx->notifier);
		gaudi_ctx_watchdog_stop(gdev);
		cancel_delayed_work_sync(&gdev->cs_mgr->tdr);
		gaudi_ctx_put(ctx);
		return;
	}
	ctx_mgr_fini(gdev);
	gaudi_cs_mgr_fini(gdev);
	gaudi_pgt_fini(gdev);
	gaudi_hbm_fini(gdev);
}

int gaudi_user_init(struct gaudi_device *gdev)
{
	int rc;

	rc = gaudi_hbm_init(gdev);
	if (!rc)
		rc = gaudi_pgt_init(gdev);
	if (!rc)
		rc = gaudi_cs_mgr_init(gdev);
	if (!rc)
		rc = ctx_mgr_init(gdev);
	if (rc)
		gaudi_user_fini(gdev);
	return rc;
}
