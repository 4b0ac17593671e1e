// SPDX-License-Identifier: GPL-2.0-only
/* Shared mode: ending the work of one context without a reset. */
#include <linux/delay.h>
#include <linux/jhash.h>

#include "../core/gaudi_gate.h"
#include "../core/gaudi_param.h"
#include "../errors/gaudi_reports.h"
#include "../queues/gaudi_queue.h"
#include "gaudi_handover.h"
#include "gaudi_timeslice.h"

/* Without progress for this time, recovery has failed. */
#define RECOVER_MS		3000
/* After so many checks in a row all that is not idle is stuck at fences. */
#define STILL_CHECKS		4

void gaudi_timeslice_start_recovery(struct gaudi_timeslice *t, int error)
{
	if (t->recovering)
		t->check_again = true;
	if (t->recovering || t->stopped || !t->owner)
		return;
	t->recovering = true;
	t->check_again = false;
	t->error = error;
	queue_work(gaudi_wq, &t->recover);
}

struct recovery {
	u32 progress;		/* changes when any of them progresses */
	unsigned int idle;	/* checks in a row: they are idle, ... */
	unsigned int still;	/* ... or all that is not waits at a fence */
};

/* Check all engines of the owner, and clear errors that stop them. */
static void gaudi_timeslice_check(struct gaudi_timeslice *t,
				  struct gaudi_ctx *ctx, struct recovery *r)
{
	bool idle = true, works = false, waits = false;
	u32 progress = 0;
	unsigned int q;
	u64 notify = 0;

	gaudi_reports_begin_for(t->gdev, ctx->notifier);
	for (q = 0; q < GAUDI_NUM_USED_QMANS; q++) {
		if (READ_ONCE(t->asid[q]) != ctx->asid)
			continue;
		notify |= gaudi_handover_clear_errors(t->gdev, q);
		idle &= gaudi_handover_idle(t->gdev, q);
		works |= gaudi_handover_busy(t->gdev, q);
		waits |= gaudi_handover_waits_at_fence(t->gdev, q);
		progress = jhash_1word(gaudi_handover_progress(t->gdev, q),
				       progress);
	}
	gaudi_reports_end_for(t->gdev);
	gaudi_reports_notify_one(t->gdev, ctx->notifier, notify);
	r->idle = idle ? r->idle + 1 : 0;
	r->still = waits && !works && progress == r->progress ?
		   r->still + 1 : 0;
	r->progress = progress;
}

/* Raise the fences that engines wait at; no monitor may do so later. */
static void gaudi_timeslice_unblock(struct gaudi_timeslice *t,
				    struct gaudi_ctx *ctx, struct recovery *r)
{
	unsigned int q;

	gaudi_handover_disarm_monitors(t->gdev, ctx->slot);
	for (q = 0; q < GAUDI_NUM_USED_QMANS; q++)
		if (READ_ONCE(t->asid[q]) == ctx->asid)
			gaudi_handover_signal_fences(t->gdev, q);
	r->still = 0;
}

/*
 * A fence counter that is not 0 ends a later wait too early, and only a reset
 * clears it. Recovery raised it, or a monitor with an old address.
 */
static bool gaudi_timeslice_fences_clear(struct gaudi_timeslice *t)
{
	unsigned int q;

	for (q = 0; q < GAUDI_NUM_USED_QMANS; q++) {
		if (gaudi_handover_fences_clear(t->gdev, q))
			continue;
		drm_err(&t->gdev->drm, "queue %u was left with a fence raised\n",
			gaudi_qmans[q].first_qid);
		return false;
	}
	return true;
}

/* Until all engines of the owner are idle and all that ran has ended. */
static bool gaudi_timeslice_recover_owner(struct gaudi_timeslice *t,
					  struct gaudi_ctx *ctx)
{
	struct gaudi_device *gdev = t->gdev;
	struct recovery r = {};
	ktime_t since, last;
	bool done;

	/* A later doorbell could start what is given up below. */
	gaudi_queues_sync(gdev);
	since = ktime_get();
	for (;;) {
		if (!gaudi_device_operational(gdev))
			return false;
		gaudi_timeslice_check(t, ctx, &r);
		gaudi_queues_lock(gdev);
		done = !t->running && !t->check_again;
		t->check_again = false;
		last = t->progress;
		gaudi_queues_unlock(gdev);
		if (r.idle && done)
			return gaudi_timeslice_fences_clear(t);
		/* A bad packet may have taken the completion with it. */
		if (r.idle >= 4)
			gaudi_queues_complete_lost(gdev);
		if (r.still >= STILL_CHECKS)
			gaudi_timeslice_unblock(t, ctx, &r);
		if (ktime_after(last, since))
			since = last;
		if (ktime_ms_delta(ktime_get(), since) > RECOVER_MS)
			return false;
		usleep_range(500, 1000);
	}
}

void gaudi_timeslice_recover_work(struct work_struct *work)
{
	struct gaudi_timeslice *t = container_of(work, struct gaudi_timeslice,
						 recover);
	struct gaudi_device *gdev = t->gdev;
	struct gaudi_ctx *ctx = gaudi_timeslice_owner(gdev);
	bool ok = false;

	if (ctx && !gaudi_reset_enter(gdev)) {
		gaudi_cs_fail_running(ctx, t->error);
		ok = gaudi_timeslice_recover_owner(t, ctx);
		if (ok)
			gaudi_handover_disarm_monitors(gdev, ctx->slot);
		gaudi_reset_exit(gdev);
		if (ok)
			drm_notice(&gdev->drm,
				   "work of process %d was ended, others go on\n",
				   pid_nr(ctx->pid));
		else if (gaudi_device_operational(gdev))
			drm_err(&gdev->drm,
				"engines of process %d do not come free\n",
				pid_nr(ctx->pid));
	}
	if (!ok)
		gaudi_reset_schedule(gdev, GAUDI_RESET_TIMEOUT);
	gaudi_queues_lock(gdev);
	/* With a reset to come, nothing is admitted before it. */
	t->recovering = !ok && !t->stopped;
	if (ok && t->check_again) {
		t->recovering = true;
		queue_work(gaudi_wq, &t->recover);
	} else if (ok) {
		t->end = ktime_get();
		t->hold_start = t->end;
		gaudi_signals_resync(ctx, &ctx->slice->pending);
		gaudi_timeslice_schedule(t);
	}
	wake_up_all(&t->wait);
	gaudi_queues_unlock(gdev);
	if (ctx)
		gaudi_ctx_put(ctx);
}

bool gaudi_timeslice_fail(struct gaudi_ctx *ctx)
{
	struct gaudi_device *gdev = ctx->gdev;
	struct gaudi_timeslice *t = gdev->timeslice;

	guard(gaudi_queues)(gdev);
	if (t->owner != ctx)
		return false;
	gaudi_timeslice_start_recovery(t, -EIO);
	return true;
}
