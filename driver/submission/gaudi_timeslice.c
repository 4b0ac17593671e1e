// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shared mode: which context has the card, and what is admitted to the queues.
 *
 * Invariants, under the queues' lock:
 *  1. Queues hold submissions of the owner only, and running counts them.
 *  2. asid[q] is what QMAN q and its engine were set to. One that is neither
 *     0 nor the owner's belongs to a QMAN that was idle when its slice ended,
 *     and is replaced before the owner's first submission is pushed. It becomes
 *     ASID_UNKNOWN when its context is closed: the next one may get the number.
 *  3. The owner is not on the waiting list.
 */
#include <linux/delay.h>
#include <linux/jhash.h>
#include <linux/kref.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <drm/drm_managed.h>

#include "../core/gaudi_ctx.h"
#include "../core/gaudi_device.h"
#include "../core/gaudi_gate.h"
#include "../core/gaudi_param.h"
#include "../errors/gaudi_handover.h"
#include "../errors/gaudi_reports.h"
#include "../hw/gaudi_blocks.h"
#include "../queues/gaudi_queue.h"
#include "gaudi_cs_priv.h"
#include "gaudi_submission.h"
#include "gaudi_timeslice.h"

/* Length of a slice while other contexts wait. */
#define SLICE_US		2000
/* Submissions that a context may have in the queues. */
#define MAX_RUNNING		64
/*
 * How long an idle owner keeps the card, unless something urgent, or so much,
 * is pending: a hand-over costs more than a short submission.
 */
#define IDLE_HOLD_US		50
#define IDLE_HOLD_PENDING	(MAX_RUNNING / 2)
/* Without an end for this time, what runs may wait for what is pending. */
#define STALL_MS		10
/* Without an end for this time, it may do so in ways that cannot be seen. */
#define BLIND_STALL_MS		500
/* Without progress for this time, recovery has failed. */
#define RECOVER_MS		3000
/* After so many checks in a row all that is not idle is stuck at fences. */
#define STILL_CHECKS		4
/* No context has this address space: what the engine is set to is unknown. */
#define ASID_UNKNOWN		U32_MAX
/* Register reads until idle engines must look idle. */
#define IDLE_READS		16
#define CLOSE_TIMEOUT_MS	30000

struct gaudi_timeslice {
	struct gaudi_device *gdev;
	/* Down to error: under the queues' lock. */
	struct list_head waiting;	/* struct gaudi_timeslice_ctx */
	struct gaudi_ctx *owner;
	u32 slice;			/* number of the present one */
	u32 running;
	ktime_t end;			/* of the slice, if others wait */
	ktime_t progress;		/* when a submission last ended */
	ktime_t hold_start;		/* ... within the limit; others came */
	u32 extra;			/* admit so many beyond the limit */
	bool idle_hold;			/* the owner is idle, a tick comes */
	bool driver_waits;		/* the driver wants the card */
	bool stopped;
	bool recovering;
	bool check_again;		/* an error came meanwhile */
	int error;			/* for what runs, if recovering */
	u32 asid[GAUDI_NUM_USED_QMANS];

	struct mutex driver_lock;	/* held while driver_waits */
	wait_queue_head_t wait;		/* the owner changed */
	struct delayed_work tick;
	struct work_struct recover;
};

/* Does another context, or the driver, wait for the card? */
static bool gaudi_timeslice_wanted(const struct gaudi_timeslice *t)
{
	return t->driver_waits || !list_empty(&t->waiting);
}

/*
 * Before a new waiter: how long the owner holds the card counts from the first.
 */
static void gaudi_timeslice_note_demand(struct gaudi_timeslice *t)
{
	if (!gaudi_timeslice_wanted(t))
		t->hold_start = ktime_get();
}

static bool gaudi_timeslice_may_be_last(const struct gaudi_cs *cs)
{
	return cs->staged && !cs->staged_first;
}

static void gaudi_timeslice_remove_pending(struct gaudi_cs *cs)
{
	list_del_init(&cs->slice_node);
	cs->ctx->slice->num_pending--;
	cs->ctx->slice->pending_parts -= gaudi_timeslice_may_be_last(cs);
}

static struct gaudi_cs *gaudi_timeslice_first_pending(struct gaudi_ctx *ctx)
{
	return list_first_entry_or_null(&ctx->slice->pending, struct gaudi_cs,
					slice_node);
}

static u32 gaudi_timeslice_qmans_of(const struct gaudi_cs *cs)
{
	u32 mask = 0, i;

	for (i = 0; i < cs->num_jobs; i++)
		mask |= BIT(gaudi_qman_of_queue(cs->jobs[i].qid) -
			    gaudi_qmans);
	return mask;
}

/* The QMANs in mask become the owner's; others are taken from former owners. */
static void gaudi_timeslice_hand_over(struct gaudi_timeslice *t, u32 mask)
{
	struct gaudi_ctx *ctx = t->owner;
	unsigned int q;

	for (q = 0; q < GAUDI_NUM_USED_QMANS; q++) {
		u32 asid = mask & BIT(q) ? ctx->asid : 0;

		if (t->asid[q] == ctx->asid || t->asid[q] == asid)
			continue;
		gaudi_handover_engine(t->gdev, q, asid, ctx->slot);
		t->asid[q] = asid;
	}
}

static bool gaudi_timeslice_owner_idle(struct gaudi_timeslice *t)
{
	unsigned int q, n;

	for (q = 0; q < GAUDI_NUM_USED_QMANS; q++) {
		if (t->asid[q] != t->owner->asid)
			continue;
		for (n = 0; !gaudi_handover_idle(t->gdev, q); n++)
			if (n == IDLE_READS)
				return false;
	}
	return true;
}

static bool gaudi_timeslice_may_admit(struct gaudi_timeslice *t)
{
	if (t->stopped || t->recovering)
		return false;
	if (t->extra ||
	    (t->owner->slice->open_parts && t->owner->slice->pending_parts))
		return true;
	if (t->running >= MAX_RUNNING)
		return false;
	return !gaudi_timeslice_wanted(t) || ktime_before(ktime_get(), t->end);
}

static void gaudi_timeslice_admit(struct gaudi_timeslice *t)
{
	struct gaudi_cs *cs;

	while ((cs = gaudi_timeslice_first_pending(t->owner)) &&
	       gaudi_timeslice_may_admit(t)) {
		if (t->extra) {
			t->extra--;
			cs->extra = true;
		}
		gaudi_timeslice_remove_pending(cs);
		gaudi_timeslice_hand_over(t, gaudi_timeslice_qmans_of(cs));
		cs->slice = t->slice;
		t->running++;
		if (!gaudi_cs_completes(cs))
			t->owner->slice->open_parts++;
		gaudi_cs_push(cs);
	}
}

static void gaudi_timeslice_tick_in(struct gaudi_timeslice *t, unsigned int ms)
{
	queue_delayed_work(gaudi_wq, &t->tick, msecs_to_jiffies(ms));
}

/* End the slice if nothing of the owner runs. False: engines are busy. */
static bool gaudi_timeslice_end(struct gaudi_timeslice *t)
{
	struct gaudi_ctx *ctx = t->owner;

	if (!t->stopped && !gaudi_timeslice_owner_idle(t)) {
		gaudi_timeslice_tick_in(t, 1);
		return false;
	}
	t->owner = NULL;
	t->extra = 0;
	/* A wait for a submission of this slice may go on in the next one. */
	if (list_empty(&ctx->slice->pending))
		ctx->slice->urgent = false;
	else
		list_add_tail(&ctx->slice->node, &t->waiting);
	wake_up_all(&t->wait);
	return true;
}

/* Others wait, but the idle owner is likely to submit again soon. */
static bool gaudi_timeslice_keep_idle(struct gaudi_timeslice *t)
{
	struct gaudi_timeslice_ctx *slice;
	ktime_t now;

	if (t->driver_waits || t->stopped || t->owner->slice->closed ||
	    gaudi_timeslice_first_pending(t->owner))
		return false;
	list_for_each_entry(slice, &t->waiting, node)
		if (slice->urgent || slice->num_pending >= IDLE_HOLD_PENDING)
			return false;
	now = ktime_get();
	if (ktime_after(now, t->end) ||
	    ktime_us_delta(now, t->progress) >= IDLE_HOLD_US)
		return false;
	if (!t->idle_hold)
		mod_delayed_work(gaudi_wq, &t->tick, 1);
	t->idle_hold = true;
	return true;
}

static void gaudi_timeslice_begin(struct gaudi_timeslice *t)
{
	t->owner = list_first_entry(&t->waiting, struct gaudi_timeslice_ctx,
				    node)->ctx;
	list_del_init(&t->owner->slice->node);
	t->slice++;
	t->running = 0;
	t->idle_hold = false;
	t->progress = ktime_get();
	t->hold_start = t->progress;
	t->end = ktime_add_us(t->progress, SLICE_US);
}

/* Admit, end and begin slices, as far as possible. The queues' lock is held. */
static void gaudi_timeslice_schedule(struct gaudi_timeslice *t)
{
	for (;;) {
		if (t->recovering)
			return;
		if (t->owner)
			gaudi_timeslice_admit(t);
		if (t->owner && t->running) {
			if (gaudi_timeslice_wanted(t) ||
			    gaudi_timeslice_first_pending(t->owner))
				gaudi_timeslice_tick_in(t, STALL_MS);
			return;
		}
		if (t->owner && !gaudi_timeslice_wanted(t) &&
		    !t->owner->slice->closed)
			return;
		if (t->owner &&
		    (gaudi_timeslice_keep_idle(t) || !gaudi_timeslice_end(t)))
			return;
		if (t->driver_waits || t->stopped || list_empty(&t->waiting))
			return;
		gaudi_timeslice_begin(t);
	}
}

int gaudi_timeslice_check_room(struct gaudi_cs *cs)
{
	struct gaudi_device *gdev = cs->ctx->gdev;
	u16 count[GAUDI_NUM_QUEUES] __uninitialized;
	int rc = 0;
	u32 i;

	gaudi_cs_clear_counts(cs, count);
	for (i = 0; i < cs->num_jobs; i++) {
		u32 qid = cs->jobs[i].qid;

		if (++count[qid] > gaudi_queue_len(gdev, qid))
			return -ENOMEM;
		if (cs->ctx->slice->jobs[qid] + count[qid] >
		    gaudi_queue_len(gdev, qid))
			rc = -EAGAIN;
	}
	return rc;
}

void gaudi_timeslice_add(struct gaudi_cs *cs)
{
	struct gaudi_ctx *ctx = cs->ctx;
	struct gaudi_timeslice *t = ctx->gdev->timeslice;
	u32 i;

	list_add_tail(&cs->slice_node, &ctx->slice->pending);
	ctx->slice->num_pending++;
	ctx->slice->pending_parts += gaudi_timeslice_may_be_last(cs);
	for (i = 0; i < cs->num_jobs; i++)
		ctx->slice->jobs[cs->jobs[i].qid]++;
	if (t->owner != ctx && list_empty(&ctx->slice->node)) {
		gaudi_timeslice_note_demand(t);
		list_add_tail(&ctx->slice->node, &t->waiting);
	}
	/* Waits for a fence are not seen. */
	ctx->slice->urgent |= cs->deferred || cs->out;
	gaudi_timeslice_schedule(t);
}

void gaudi_timeslice_expedite(struct gaudi_ctx *ctx)
{
	struct gaudi_timeslice *t = ctx->gdev->timeslice;

	if (!t)
		return;
	gaudi_queues_lock(ctx->gdev);
	/* Of the owner, too: what is left is for its next slice. */
	if (gaudi_timeslice_first_pending(ctx)) {
		ctx->slice->urgent = true;
		gaudi_timeslice_schedule(t);
	}
	gaudi_queues_unlock(ctx->gdev);
}

void gaudi_timeslice_cs_done(struct gaudi_cs *cs)
{
	struct gaudi_ctx *ctx = cs->ctx;
	struct gaudi_timeslice *t = ctx->gdev->timeslice;
	u32 i;

	if (!t)
		return;
	gaudi_queues_lock(t->gdev);
	/* What a reset ended is not counted any more. */
	if (t->owner == ctx && cs->slice == t->slice && t->running) {
		t->running--;
		for (i = 0; i < cs->num_jobs; i++)
			ctx->slice->jobs[cs->jobs[i].qid]--;
		if (!gaudi_cs_completes(cs) && ctx->slice->open_parts)
			ctx->slice->open_parts--;
		t->progress = ktime_get();
		if (!cs->extra)
			t->hold_start = t->progress;
		gaudi_timeslice_schedule(t);
	}
	gaudi_queues_unlock(t->gdev);
}

/* --- Recovery --- */

static void gaudi_timeslice_start_recovery(struct gaudi_timeslice *t, int error)
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

/* Do the owner's engines only wait, maybe for something that is pending? */
static bool gaudi_timeslice_owner_waits(struct gaudi_timeslice *t)
{
	bool waits = false;
	unsigned int q;

	for (q = 0; q < GAUDI_NUM_USED_QMANS; q++) {
		if (t->asid[q] != t->owner->asid)
			continue;
		if (gaudi_handover_busy(t->gdev, q))
			return false;
		waits |= gaudi_handover_waits_at_fence(t->gdev, q);
	}
	return waits;
}

static void gaudi_timeslice_tick_work(struct work_struct *work)
{
	struct gaudi_timeslice *t = container_of(to_delayed_work(work),
						 struct gaudi_timeslice, tick);
	ktime_t now = ktime_get();

	gaudi_queues_lock(t->gdev);
	t->idle_hold = false;
	if (t->owner && !t->recovering && !t->stopped) {
		bool wanted = gaudi_timeslice_wanted(t) ||
			      t->owner->slice->closed;
		s64 ms = ktime_ms_delta(now, t->progress);

		if (wanted && gaudi_shared_hold &&
		    ktime_ms_delta(now, t->hold_start) >
		    gaudi_shared_hold * 1000ll) {
			drm_err(&t->gdev->drm,
				"process %d holds the card without getting further\n",
				pid_nr(t->owner->pid));
			gaudi_timeslice_start_recovery(t, -ETIMEDOUT);
		} else if (t->running && ms >= STALL_MS &&
			   gaudi_timeslice_first_pending(t->owner) &&
			   (ms >= BLIND_STALL_MS ||
			    gaudi_timeslice_owner_waits(t))) {
			t->extra = MAX_RUNNING;
		}
	}
	gaudi_timeslice_schedule(t);
	gaudi_queues_unlock(t->gdev);
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

	gaudi_events_begin_for(t->gdev, ctx->notifier);
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
	gaudi_events_end_for(t->gdev);
	gaudi_events_notify_one(t->gdev, ctx->notifier, notify);
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

static void gaudi_timeslice_recover_work(struct work_struct *work)
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
		gaudi_signals_resync(ctx);
		gaudi_timeslice_schedule(t);
	}
	wake_up_all(&t->wait);
	gaudi_queues_unlock(gdev);
	if (ctx)
		gaudi_ctx_put(ctx);
}

bool gaudi_timeslice_fail(struct gaudi_device *gdev, struct gaudi_ctx *ctx,
			  int error)
{
	struct gaudi_timeslice *t = gdev->timeslice;
	bool is_owner;

	gaudi_queues_lock(gdev);
	is_owner = t->owner == ctx;
	if (is_owner)
		gaudi_timeslice_start_recovery(t, error);
	gaudi_queues_unlock(gdev);
	return is_owner;
}

struct gaudi_ctx *gaudi_timeslice_owner(struct gaudi_device *gdev)
{
	struct gaudi_ctx *ctx;

	if (!gdev->timeslice)
		return NULL;
	gaudi_queues_lock(gdev);
	ctx = gdev->timeslice->owner;
	if (ctx && !kref_get_unless_zero(&ctx->refs))
		ctx = NULL;
	gaudi_queues_unlock(gdev);
	return ctx;
}

struct gaudi_ctx *gaudi_timeslice_qman_user(struct gaudi_device *gdev,
					    unsigned int q)
{
	struct gaudi_ctx *ctx;

	gaudi_for_each_ctx(gdev, ctx)
		if (ctx->asid == READ_ONCE(gdev->timeslice->asid[q]))
			break;
	return ctx;
}

/* --- The end of a context --- */

static void gaudi_timeslice_forget_asid(struct gaudi_timeslice *t, u32 asid)
{
	unsigned int q;

	gaudi_queues_lock(t->gdev);
	for (q = 0; q < GAUDI_NUM_USED_QMANS; q++)
		if (t->asid[q] == asid)
			t->asid[q] = ASID_UNKNOWN;
	gaudi_queues_unlock(t->gdev);
}

static bool gaudi_timeslice_is_owner(struct gaudi_timeslice *t,
				     struct gaudi_ctx *ctx)
{
	bool has;

	gaudi_queues_lock(t->gdev);
	if (t->owner == ctx && !t->recovering)
		gaudi_timeslice_schedule(t);
	has = t->owner == ctx;
	gaudi_queues_unlock(t->gdev);
	return has;
}

void gaudi_timeslice_close(struct gaudi_ctx *ctx, unsigned int ms)
{
	struct gaudi_device *gdev = ctx->gdev;
	struct gaudi_timeslice *t = gdev->timeslice;
	struct gaudi_cs *cs;

	if (!t)
		return;
	gaudi_queues_lock(gdev);
	gaudi_timeslice_note_demand(t);
	ctx->slice->closed = true;
	list_del_init(&ctx->slice->node);
	while ((cs = gaudi_timeslice_first_pending(ctx))) {
		gaudi_timeslice_remove_pending(cs);
		/* What a reset ends is not on the list any more. */
		refcount_inc(&cs->refs);
		gaudi_queues_unlock(gdev);
		gaudi_cs_cancel(cs);
		gaudi_cs_put(cs);
		gaudi_queues_lock(gdev);
	}
	gaudi_queues_unlock(gdev);

	if (!wait_event_timeout(t->wait, !gaudi_timeslice_is_owner(t, ctx),
				msecs_to_jiffies(ms))) {
		gaudi_timeslice_fail(gdev, ctx, -EIO);
		/* Recovery, or a reset, ends the slice. */
		if (!wait_event_timeout(t->wait,
					!gaudi_timeslice_is_owner(t, ctx),
					msecs_to_jiffies(CLOSE_TIMEOUT_MS)))
			drm_err(&gdev->drm, "process %d keeps the card busy\n",
				pid_nr(ctx->pid));
	}
	gaudi_timeslice_forget_asid(t, ctx->asid);
}

/* --- The driver's own jobs, and reset --- */

static bool gaudi_timeslice_is_free(struct gaudi_timeslice *t)
{
	bool is;

	gaudi_queues_lock(t->gdev);
	is = !t->owner;
	gaudi_queues_unlock(t->gdev);
	return is;
}

int gaudi_timeslice_begin_driver(struct gaudi_device *gdev)
{
	struct gaudi_timeslice *t = gdev->timeslice;

	if (!t)
		return 0;
	mutex_lock(&t->driver_lock);
	gaudi_queues_lock(gdev);
	gaudi_timeslice_note_demand(t);
	t->driver_waits = true;
	gaudi_timeslice_schedule(t);
	gaudi_queues_unlock(gdev);
	if (wait_event_timeout(t->wait, gaudi_timeslice_is_free(t),
			       msecs_to_jiffies(CLOSE_TIMEOUT_MS)))
		return 0;
	gaudi_timeslice_end_driver(gdev);
	return -EBUSY;
}

void gaudi_timeslice_end_driver(struct gaudi_device *gdev)
{
	struct gaudi_timeslice *t = gdev->timeslice;

	if (!t)
		return;
	gaudi_queues_lock(gdev);
	t->driver_waits = false;
	gaudi_timeslice_schedule(t);
	gaudi_queues_unlock(gdev);
	mutex_unlock(&t->driver_lock);
}

void gaudi_timeslice_start(struct gaudi_device *gdev)
{
	struct gaudi_timeslice *t = gdev->timeslice;

	if (!t)
		return;
	gaudi_queues_lock(gdev);
	memset(t->asid, 0, sizeof(t->asid));
	t->stopped = false;
	t->recovering = false;
	gaudi_queues_unlock(gdev);
}

void gaudi_timeslice_stop(struct gaudi_device *gdev)
{
	struct gaudi_timeslice *t = gdev->timeslice;
	struct gaudi_ctx *ctx;
	struct gaudi_cs *cs, *next;

	if (!t)
		return;
	gaudi_queues_lock(gdev);
	t->stopped = true;
	gaudi_queues_unlock(gdev);
	cancel_work_sync(&t->recover);
	cancel_delayed_work_sync(&t->tick);
	gaudi_for_each_ctx(gdev, ctx) {
		gaudi_queues_lock(gdev);
		list_for_each_entry_safe(cs, next, &ctx->slice->pending,
					 slice_node)
			gaudi_timeslice_remove_pending(cs);
		memset(ctx->slice->jobs, 0, sizeof(ctx->slice->jobs));
		ctx->slice->open_parts = 0;
		ctx->slice->urgent = false;
		list_del_init(&ctx->slice->node);
		gaudi_queues_unlock(gdev);
	}
	gaudi_queues_lock(gdev);
	t->owner = NULL;
	t->running = 0;
	t->recovering = false;
	gaudi_queues_unlock(gdev);
	wake_up_all(&t->wait);
}

void gaudi_timeslice_ctx_init(struct gaudi_ctx *ctx)
{
	ctx->slice->ctx = ctx;
	INIT_LIST_HEAD(&ctx->slice->node);
	INIT_LIST_HEAD(&ctx->slice->pending);
}

int gaudi_timeslice_init(struct gaudi_device *gdev)
{
	struct gaudi_timeslice *t;

	if (!gaudi_shared)
		return 0;
	t = drmm_kzalloc(&gdev->drm, sizeof(*t), GFP_KERNEL);
	if (!t)
		return -ENOMEM;
	t->gdev = gdev;
	INIT_LIST_HEAD(&t->waiting);
	mutex_init(&t->driver_lock);
	init_waitqueue_head(&t->wait);
	INIT_DELAYED_WORK(&t->tick, gaudi_timeslice_tick_work);
	INIT_WORK(&t->recover, gaudi_timeslice_recover_work);
	gdev->timeslice = t;
	return 0;
}

void gaudi_timeslice_fini(struct gaudi_device *gdev)
{
	struct gaudi_timeslice *t = gdev->timeslice;

	if (!t)
		return;
	cancel_work_sync(&t->recover);
	cancel_delayed_work_sync(&t->tick);
	gdev->timeslice = NULL;
}
