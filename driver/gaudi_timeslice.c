// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shared mode: whose turn it is, and what is admitted to the queues.
 *
 * Invariants, under the queues' lock:
 *  1. Queues hold submissions of the owner only, and running counts them.
 *  2. asid[q] is what QMAN q and its engine were set to. One that is neither
 *     0 nor the owner's belongs to a QMAN that was found idle when its turn
 *     ended, and is replaced before the owner's first submission is pushed.
 *     When its context goes it becomes ASID_UNKNOWN: the next one may have the
 *     same number, and needs a hand-over all the same.
 *  3. The owner is not on the waiting list.
 */
#include <linux/delay.h>
#include <linux/jhash.h>
#include <linux/kref.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <drm/drm_managed.h>

#include "gaudi_blocks.h"
#include "gaudi_cs.h"
#include "gaudi_device.h"
#include "gaudi_drv.h"
#include "gaudi_handover.h"
#include "gaudi_hw.h"
#include "gaudi_queue.h"
#include "gaudi_queue_priv.h"
#include "gaudi_timeslice.h"
#include "gaudi_user.h"

/* How long a turn lasts while others wait. */
#define TURN_US			2000
/* Submissions that a context may have in the queues. */
#define MAX_RUNNING		64
/*
 * An idle owner keeps the card so long if nobody waits for what others have
 * submitted, and that is less than this: a hand-over costs more than a short
 * submission.
 */
#define LINGER_US		50
#define LINGER_PENDING		(MAX_RUNNING / 2)
/* How often to look whether what runs waits for what is pending. */
#define NUDGE_MS		10
/* After this time without an end, it may, in ways that cannot be seen. */
#define BLIND_NUDGE_MS		500
/* Engines that get no further in this time will not by themselves. */
#define RECOVER_MS		3000
/* So many looks in a row at engines that wait: nothing else moves. */
#define STILL_LOOKS		4
/* No context has this address space: what the engine is set to is unknown. */
#define ASID_UNKNOWN		U32_MAX
/* Register reads until idle engines must look idle. */
#define IDLE_READS		16
#define OWN_TIMEOUT_MS		30000

struct gaudi_timeslice {
	struct gaudi_device *gdev;
	/* Down to error: under the queues' lock. */
	struct list_head waiting;	/* struct gaudi_timeslice_ctx */
	struct gaudi_ctx *owner;
	u32 turn;			/* count of turns */
	u32 running;
	ktime_t end;			/* of the turn, if others wait */
	ktime_t progress;		/* when something last ended */
	ktime_t earned;			/* ... not nudged in; or others came */
	u32 nudge;			/* admit so many more */
	bool lingering;			/* the owner is idle, a tick comes */
	bool own;			/* the driver wants the card */
	bool stopped;
	bool recovering;
	bool look_again;		/* an error came meanwhile */
	int error;			/* for what runs, if recovering */
	u32 asid[GAUDI_NUM_USED_QMANS];

	struct mutex own_lock;		/* one driver's turn at a time */
	wait_queue_head_t wait;		/* the owner changed */
	struct delayed_work tick;
	struct work_struct recover;
};

static bool others_wait(const struct gaudi_timeslice *t)
{
	return t->own || !list_empty(&t->waiting);
}

/*
 * Somebody else is about to want the card. If he is the first, the owner has kept
 * it from nobody so far, whether he worked or was idle.
 */
static void is_wanted_now(struct gaudi_timeslice *t)
{
	if (!others_wait(t))
		t->earned = ktime_get();
}

static bool may_be_last(const struct gaudi_cs *cs)
{
	return cs->staged && !cs->staged_first;
}

static void take_pending(struct gaudi_cs *cs)
{
	list_del_init(&cs->slice_node);
	cs->ctx->slice.num_pending--;
	cs->ctx->slice.pending_parts -= may_be_last(cs);
}

static struct gaudi_cs *first_pending(struct gaudi_ctx *ctx)
{
	return list_first_entry_or_null(&ctx->slice.pending, struct gaudi_cs,
					slice_node);
}

static u32 qmans_of(const struct gaudi_cs *cs)
{
	u32 mask = 0, i;

	for (i = 0; i < cs->num_jobs; i++)
		mask |= BIT(gaudi_qman_of_queue(cs->jobs[i].qid) -
			    gaudi_qmans);
	return mask;
}

/* The QMANs in mask become the owner's; those that are a former one's, not. */
static void hand_over(struct gaudi_timeslice *t, u32 mask)
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

static bool owner_idle(struct gaudi_timeslice *t)
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

static bool may_admit(struct gaudi_timeslice *t)
{
	if (t->stopped || t->recovering)
		return false;
	if (t->nudge ||
	    (t->owner->slice.open_parts && t->owner->slice.pending_parts))
		return true;
	if (t->running >= MAX_RUNNING)
		return false;
	return !others_wait(t) || ktime_before(ktime_get(), t->end);
}

/*
 * A context may have as many jobs as the queue has entries, but the driver's
 * bell takes one. If so there are jobs before it, and this is asked again when
 * they end.
 */
static bool has_room(struct gaudi_timeslice *t, const struct gaudi_cs *cs)
{
	u32 i;

	for (i = 0; i < cs->num_jobs; i++)
		if (cs->jobs[i].ext &&
		    gaudi_queue_room(t->gdev, cs->jobs[i].qid) < cs->num_jobs)
			return false;
	return true;
}

/* Put the owner's pending submissions onto the queues. */
static void admit(struct gaudi_timeslice *t)
{
	struct gaudi_cs *cs;

	while ((cs = first_pending(t->owner)) && may_admit(t) &&
	       has_room(t, cs)) {
		if (t->nudge) {
			t->nudge--;
			cs->extra = true;
		}
		take_pending(cs);
		hand_over(t, qmans_of(cs));
		cs->slice = t->turn;
		t->running++;
		if (!gaudi_cs_completes(cs))
			t->owner->slice.open_parts++;
		gaudi_cs_push(cs);
	}
}

static void tick_in(struct gaudi_timeslice *t, unsigned int ms)
{
	queue_delayed_work(gaudi_wq, &t->tick, msecs_to_jiffies(ms));
}

/* Nothing of the owner runs. False: its engines do. */
static bool end_turn(struct gaudi_timeslice *t)
{
	struct gaudi_ctx *ctx = t->owner;

	if (!t->stopped && !owner_idle(t)) {
		tick_in(t, 1);
		return false;
	}
	t->owner = NULL;
	t->nudge = 0;
	/* Who waited for a submission of this turn may wait for the next one. */
	if (list_empty(&ctx->slice.pending))
		ctx->slice.urgent = false;
	else
		list_add_tail(&ctx->slice.node, &t->waiting);
	wake_up_all(&t->wait);
	return true;
}

/* Others wait, but the idle owner is likely to come back first. */
static bool linger(struct gaudi_timeslice *t)
{
	struct gaudi_ctx *ctx;
	ktime_t now;

	if (t->own || t->stopped || t->owner->slice.closed ||
	    first_pending(t->owner))
		return false;
	list_for_each_entry(ctx, &t->waiting, slice.node)
		if (ctx->slice.urgent ||
		    ctx->slice.num_pending >= LINGER_PENDING)
			return false;
	now = ktime_get();
	if (ktime_after(now, t->end) ||
	    ktime_us_delta(now, t->progress) >= LINGER_US)
		return false;
	if (!t->lingering)
		mod_delayed_work(gaudi_wq, &t->tick, 1);
	t->lingering = true;
	return true;
}

static void begin_turn(struct gaudi_timeslice *t)
{
	t->owner = list_first_entry(&t->waiting, struct gaudi_ctx, slice.node);
	list_del_init(&t->owner->slice.node);
	t->turn++;
	t->running = 0;
	t->lingering = false;
	t->progress = ktime_get();
	t->earned = t->progress;
	t->end = ktime_add_us(t->progress, TURN_US);
}

/* Do what can be done now. The queues' lock is held. */
static void run(struct gaudi_timeslice *t)
{
	for (;;) {
		if (t->recovering)
			return;
		if (t->owner)
			admit(t);
		if (t->owner && t->running) {
			if (others_wait(t) || first_pending(t->owner))
				tick_in(t, NUDGE_MS);
			return;
		}
		if (t->owner && !others_wait(t) && !t->owner->slice.closed)
			return;
		if (t->owner && (linger(t) || !end_turn(t)))
			return;
		if (t->own || t->stopped || list_empty(&t->waiting))
			return;
		begin_turn(t);
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
		if (cs->ctx->slice.jobs[qid] + count[qid] >
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

	list_add_tail(&cs->slice_node, &ctx->slice.pending);
	ctx->slice.num_pending++;
	ctx->slice.pending_parts += may_be_last(cs);
	for (i = 0; i < cs->num_jobs; i++)
		ctx->slice.jobs[cs->jobs[i].qid]++;
	if (t->owner != ctx && list_empty(&ctx->slice.node)) {
		is_wanted_now(t);
		list_add_tail(&ctx->slice.node, &t->waiting);
	}
	/* Who waits for a fence does not say so. */
	ctx->slice.urgent |= cs->deferred || cs->out;
	run(t);
}

void gaudi_timeslice_expedite(struct gaudi_ctx *ctx)
{
	struct gaudi_timeslice *t = ctx->gdev->timeslice;

	if (!t)
		return;
	gaudi_queues_lock(ctx->gdev);
	/* Also of the owner: what his turn leaves is waited for in the next. */
	if (first_pending(ctx)) {
		ctx->slice.urgent = true;
		run(t);
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
	if (t->owner == ctx && cs->slice == t->turn && t->running) {
		t->running--;
		for (i = 0; i < cs->num_jobs; i++)
			ctx->slice.jobs[cs->jobs[i].qid]--;
		if (!gaudi_cs_completes(cs) && ctx->slice.open_parts)
			ctx->slice.open_parts--;
		t->progress = ktime_get();
		if (!cs->extra)
			t->earned = t->progress;
		run(t);
	}
	gaudi_queues_unlock(t->gdev);
}

/* --- Who does not get any further --- */

static void recover_later(struct gaudi_timeslice *t, int error)
{
	if (t->recovering)
		t->look_again = true;
	if (t->recovering || t->stopped || !t->owner)
		return;
	t->recovering = true;
	t->look_again = false;
	t->error = error;
	queue_work(gaudi_wq, &t->recover);
}

/* Does the owner only wait, for something that may be pending? */
static bool owner_waits(struct gaudi_timeslice *t)
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

static void tick_work(struct work_struct *work)
{
	struct gaudi_timeslice *t = container_of(to_delayed_work(work),
						 struct gaudi_timeslice, tick);
	ktime_t now = ktime_get();

	gaudi_queues_lock(t->gdev);
	t->lingering = false;
	if (t->owner && !t->recovering && !t->stopped) {
		bool wanted = others_wait(t) || t->owner->slice.closed;
		s64 ms = ktime_ms_delta(now, t->progress);

		if (wanted && gaudi_shared_hold &&
		    ktime_ms_delta(now, t->earned) >
		    gaudi_shared_hold * 1000ll) {
			drm_err(&t->gdev->drm,
				"process %d holds the card without getting further\n",
				pid_nr(t->owner->pid));
			recover_later(t, -ETIMEDOUT);
		} else if (t->running && ms >= NUDGE_MS &&
			   first_pending(t->owner) &&
			   (ms >= BLIND_NUDGE_MS || owner_waits(t))) {
			t->nudge = MAX_RUNNING;
		}
	}
	run(t);
	gaudi_queues_unlock(t->gdev);
}

/* What recovery knows of the owner's engines. */
struct recovery {
	u32 progress;		/* changes when any of them gets further */
	unsigned int idle;	/* looks in a row: they are idle, ... */
	unsigned int still;	/* ... or all that is not waits at a fence */
};

/* One look at all of the owner's engines, taking away errors that stop them. */
static void look(struct gaudi_timeslice *t, struct gaudi_ctx *ctx,
		 struct recovery *r)
{
	bool idle = true, works = false, waits = false;
	u32 progress = 0;
	unsigned int q;
	u64 notify = 0;

	gaudi_events_begin_for(t->gdev, &ctx->notifier);
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
	gaudi_events_notify_one(t->gdev, &ctx->notifier, notify);
	r->idle = idle ? r->idle + 1 : 0;
	r->still = waits && !works && progress == r->progress ?
		   r->still + 1 : 0;
	r->progress = progress;
}

/*
 * What they wait for will not come. Monitors that are armed are for these waits;
 * one that fired later would raise a fence at which nobody waits any more.
 */
static void feed(struct gaudi_timeslice *t, struct gaudi_ctx *ctx,
		 struct recovery *r)
{
	unsigned int q;

	gaudi_handover_disarm_monitors(t->gdev, ctx->slot);
	for (q = 0; q < GAUDI_NUM_USED_QMANS; q++)
		if (READ_ONCE(t->asid[q]) == ctx->asid)
			gaudi_handover_signal_fences(t->gdev, q);
	r->still = 0;
}

/*
 * A fence that stays raised lets the next one who waits there through too early. It
 * may be one that was fed, or any other: a monitor whose address got lost on the
 * way raises the one that it had before. Nothing but a reset lowers it.
 */
static bool left_clean(struct gaudi_timeslice *t)
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
static bool recover_owner(struct gaudi_timeslice *t, struct gaudi_ctx *ctx)
{
	struct gaudi_device *gdev = t->gdev;
	struct recovery r = {};
	ktime_t since, last;
	bool done;

	/* A doorbell that comes later would find what is given up below. */
	gaudi_queues_sync(gdev);
	since = ktime_get();
	for (;;) {
		if (!gaudi_device_operational(gdev))
			return false;
		look(t, ctx, &r);
		gaudi_queues_lock(gdev);
		done = !t->running && !t->look_again;
		t->look_again = false;
		last = t->progress;
		gaudi_queues_unlock(gdev);
		if (r.idle && done)
			return left_clean(t);
		/* A bad packet may have taken the completion with it. */
		if (r.idle >= 4)
			gaudi_queues_complete_lost(gdev);
		if (r.still >= STILL_LOOKS)
			feed(t, ctx, &r);
		if (ktime_after(last, since))
			since = last;
		if (ktime_ms_delta(ktime_get(), since) > RECOVER_MS)
			return false;
		usleep_range(500, 1000);
	}
}

static void recover_work(struct work_struct *work)
{
	struct gaudi_timeslice *t = container_of(work, struct gaudi_timeslice,
						 recover);
	struct gaudi_device *gdev = t->gdev;
	struct gaudi_ctx *ctx = gaudi_timeslice_owner(gdev);
	bool ok = false;

	if (ctx && !gaudi_reset_enter(gdev)) {
		gaudi_cs_fail_running(ctx, t->error);
		ok = recover_owner(t, ctx);
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
	if (ok && t->look_again) {
		t->recovering = true;
		queue_work(gaudi_wq, &t->recover);
	} else if (ok) {
		t->end = ktime_get();
		t->earned = t->end;
		gaudi_signals_resync(ctx);
		run(t);
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
	bool his;

	gaudi_queues_lock(gdev);
	his = t->owner == ctx;
	if (his)
		recover_later(t, error);
	gaudi_queues_unlock(gdev);
	return his;
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
	u32 asid = READ_ONCE(gdev->timeslice->asid[q]);
	struct gaudi_ctx *ctx;

	if (gdev->ctx_mgr)
		gaudi_for_each_ctx(gdev, ctx)
			if (ctx->asid == asid)
				return ctx;
	return NULL;
}

/* --- The end of a context --- */

static void forget_asid(struct gaudi_timeslice *t, u32 asid)
{
	unsigned int q;

	gaudi_queues_lock(t->gdev);
	for (q = 0; q < GAUDI_NUM_USED_QMANS; q++)
		if (t->asid[q] == asid)
			t->asid[q] = ASID_UNKNOWN;
	gaudi_queues_unlock(t->gdev);
}

static bool has_turn(struct gaudi_timeslice *t, struct gaudi_ctx *ctx)
{
	bool has;

	gaudi_queues_lock(t->gdev);
	if (t->owner == ctx && !t->recovering)
		run(t);
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
	is_wanted_now(t);
	ctx->slice.closed = true;
	list_del_init(&ctx->slice.node);
	while ((cs = first_pending(ctx))) {
		take_pending(cs);
		/* What a reset ends is not on the list any more. */
		refcount_inc(&cs->refs);
		gaudi_queues_unlock(gdev);
		gaudi_cs_cancel(cs);
		gaudi_cs_put(cs);
		gaudi_queues_lock(gdev);
	}
	gaudi_queues_unlock(gdev);

	if (!wait_event_timeout(t->wait, !has_turn(t, ctx),
				msecs_to_jiffies(ms))) {
		gaudi_timeslice_fail(gdev, ctx, -EIO);
		/* Recovery, or a reset, takes it away. */
		if (!wait_event_timeout(t->wait, !has_turn(t, ctx),
					msecs_to_jiffies(OWN_TIMEOUT_MS)))
			drm_err(&gdev->drm, "process %d keeps the card busy\n",
				pid_nr(ctx->pid));
	}
	forget_asid(t, ctx->asid);
}

/* --- The driver's own turn, and reset --- */

static bool is_free(struct gaudi_timeslice *t)
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
	mutex_lock(&t->own_lock);
	gaudi_queues_lock(gdev);
	is_wanted_now(t);
	t->own = true;
	run(t);
	gaudi_queues_unlock(gdev);
	if (wait_event_timeout(t->wait, is_free(t),
			       msecs_to_jiffies(OWN_TIMEOUT_MS)))
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
	t->own = false;
	run(t);
	gaudi_queues_unlock(gdev);
	mutex_unlock(&t->own_lock);
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
		list_for_each_entry_safe(cs, next, &ctx->slice.pending,
					 slice_node)
			take_pending(cs);
		memset(ctx->slice.jobs, 0, sizeof(ctx->slice.jobs));
		ctx->slice.open_parts = 0;
		ctx->slice.urgent = false;
		list_del_init(&ctx->slice.node);
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
	INIT_LIST_HEAD(&ctx->slice.node);
	INIT_LIST_HEAD(&ctx->slice.pending);
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
	mutex_init(&t->own_lock);
	init_waitqueue_head(&t->wait);
	INIT_DELAYED_WORK(&t->tick, tick_work);
	INIT_WORK(&t->recover, recover_work);
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
