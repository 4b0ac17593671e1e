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
#include <linux/kref.h>
#include <linux/slab.h>

#include <drm/drm_managed.h>

#include "../core/gaudi_ctx.h"
#include "../core/gaudi_device.h"
#include "../core/gaudi_param.h"
#include "../core/gaudi_shared_ops.h"
#include "../hw/gaudi_blocks.h"
#include "../hw/gaudi_mmu.h"
#include "../queues/gaudi_queue.h"
#include "../submission/gaudi_cs.h"
#include "gaudi_handover.h"
#include "gaudi_shared.h"
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
/* No context has this address space: what the engine is set to is unknown. */
#define ASID_UNKNOWN		U32_MAX
/* Register reads until idle engines must look idle. */
#define IDLE_READS		16
#define CLOSE_TIMEOUT_MS	30000

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

void gaudi_timeslice_schedule(struct gaudi_timeslice *t)
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

static int gaudi_timeslice_check_room(struct gaudi_cs *cs)
{
	struct gaudi_device *gdev = cs->ctx->gdev;
	u16 count[GAUDI_NUM_QUEUES] = {};
	int rc = 0;
	u32 i;

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

static void gaudi_timeslice_add(struct gaudi_cs *cs)
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

static void gaudi_timeslice_expedite(struct gaudi_ctx *ctx)
{
	struct gaudi_timeslice *t = ctx->gdev->timeslice;

	if (!t)
		return;
	guard(gaudi_queues)(ctx->gdev);
	/* Of the owner, too: what is left is for its next slice. */
	if (gaudi_timeslice_first_pending(ctx)) {
		ctx->slice->urgent = true;
		gaudi_timeslice_schedule(t);
	}
}

static void gaudi_timeslice_cs_done(struct gaudi_cs *cs)
{
	struct gaudi_ctx *ctx = cs->ctx;
	struct gaudi_timeslice *t = ctx->gdev->timeslice;
	u32 i;

	if (!t)
		return;
	guard(gaudi_queues)(t->gdev);
	/* What a reset ended is not counted any more. */
	if (t->owner != ctx || cs->slice != t->slice || !t->running)
		return;
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

struct gaudi_ctx *gaudi_timeslice_owner(struct gaudi_device *gdev)
{
	struct gaudi_ctx *ctx;

	if (!gdev->timeslice)
		return NULL;
	guard(gaudi_queues)(gdev);
	ctx = gdev->timeslice->owner;
	return ctx && kref_get_unless_zero(&ctx->refs) ? ctx : NULL;
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

	guard(gaudi_queues)(t->gdev);
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
}

static struct gaudi_ctx *gaudi_timeslice_user(struct gaudi_device *gdev, int q)
{
	struct gaudi_ctx *ctx;

	if (q < 0)
		return gaudi_timeslice_owner(gdev);
	gaudi_for_each_ctx(gdev, ctx)
		if (ctx->asid == READ_ONCE(gdev->timeslice->asid[q]))
			break;
	return ctx;
}

/* --- The end of a context --- */

static void gaudi_timeslice_forget_asid(struct gaudi_timeslice *t, u32 asid)
{
	unsigned int q;

	guard(gaudi_queues)(t->gdev);
	for (q = 0; q < GAUDI_NUM_USED_QMANS; q++)
		if (t->asid[q] == asid)
			t->asid[q] = ASID_UNKNOWN;
}

static bool gaudi_timeslice_is_owner(struct gaudi_timeslice *t,
				     struct gaudi_ctx *ctx)
{
	guard(gaudi_queues)(t->gdev);
	if (t->owner == ctx && !t->recovering)
		gaudi_timeslice_schedule(t);
	return t->owner == ctx;
}

static void gaudi_timeslice_close(struct gaudi_ctx *ctx, unsigned int ms)
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
		gaudi_timeslice_fail(ctx);
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
	guard(gaudi_queues)(t->gdev);
	return !t->owner;
}

static void gaudi_timeslice_end_driver(struct gaudi_device *gdev)
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

static int gaudi_timeslice_begin_driver(struct gaudi_device *gdev)
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

static void gaudi_timeslice_start(struct gaudi_device *gdev)
{
	struct gaudi_timeslice *t = gdev->timeslice;

	if (!t)
		return;
	gaudi_mmu_set_engines_asid(gdev, 0);
	guard(gaudi_queues)(gdev);
	memset(t->asid, 0, sizeof(t->asid));
	t->stopped = false;
	t->recovering = false;
}

static void gaudi_timeslice_stop(struct gaudi_device *gdev)
{
	struct gaudi_timeslice *t = gdev->timeslice;
	struct gaudi_ctx *ctx;
	struct gaudi_cs *cs, *next;

	if (!t)
		return;
	scoped_guard(gaudi_queues, gdev)
		t->stopped = true;
	cancel_work_sync(&t->recover);
	cancel_delayed_work_sync(&t->tick);
	gaudi_for_each_ctx(gdev, ctx) {
		guard(gaudi_queues)(gdev);
		list_for_each_entry_safe(cs, next, &ctx->slice->pending,
					 slice_node)
			gaudi_timeslice_remove_pending(cs);
		memset(ctx->slice->jobs, 0, sizeof(ctx->slice->jobs));
		ctx->slice->open_parts = 0;
		ctx->slice->urgent = false;
		list_del_init(&ctx->slice->node);
	}
	gaudi_queues_lock(gdev);
	t->owner = NULL;
	t->running = 0;
	t->recovering = false;
	gaudi_queues_unlock(gdev);
	wake_up_all(&t->wait);
}

static int gaudi_timeslice_open(struct gaudi_ctx *ctx)
{
	ctx->slice = kzalloc(sizeof(*ctx->slice), GFP_KERNEL_ACCOUNT);
	if (!ctx->slice)
		return -ENOMEM;
	ctx->slice->ctx = ctx;
	INIT_LIST_HEAD(&ctx->slice->node);
	INIT_LIST_HEAD(&ctx->slice->pending);
	gaudi_handover_reset_slot(ctx->gdev, ctx->slot);
	return 0;
}

static const struct gaudi_shared_ops gaudi_timeslice_ops = {
	.open = gaudi_timeslice_open,
	.close = gaudi_timeslice_close,
	.check_room = gaudi_timeslice_check_room,
	.add = gaudi_timeslice_add,
	.cs_done = gaudi_timeslice_cs_done,
	.expedite = gaudi_timeslice_expedite,
	.fail = gaudi_timeslice_fail,
	.user = gaudi_timeslice_user,
	.clear_errors = gaudi_handover_clear_errors,
	.start = gaudi_timeslice_start,
	.stop = gaudi_timeslice_stop,
	.begin_driver = gaudi_timeslice_begin_driver,
	.end_driver = gaudi_timeslice_end_driver,
};

static const struct gaudi_share gaudi_timeslice_share = {
	.users = GAUDI_MAX_USERS,
	.sobs = GAUDI_SLOT_SOBS,
	.mons = GAUDI_SLOT_MONS,
};

int gaudi_shared_init(struct gaudi_device *gdev)
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
	gdev->shared = &gaudi_timeslice_ops;
	gdev->share = &gaudi_timeslice_share;
	return 0;
}

void gaudi_shared_fini(struct gaudi_device *gdev)
{
	struct gaudi_timeslice *t = gdev->timeslice;

	if (!t)
		return;
	cancel_work_sync(&t->recover);
	cancel_delayed_work_sync(&t->tick);
	gdev->timeslice = NULL;
}
