// SPDX-License-Identifier: GPL-2.0-only
/*
 * Timeout detection and recovery (TDR): one timer for the submission whose time
 * ends first, and what happens then.
 *
 * The clock of the oldest submission runs. The clock of the oldest one with an
 * exported fence runs, too, since it may be behind one that is allowed to take
 * days; and that of one whose stream has stopped at an error, or of the oldest one
 * behind an engine's error, since it, or the oldest one, may be allowed to do so, and
 * wait for what will never come.
 */
#include <linux/ktime.h>
#include <linux/workqueue.h>

#include "../core/gaudi_ctx.h"
#include "../core/gaudi_device.h"
#include "../core/gaudi_gate.h"
#include "../core/gaudi_param.h"
#include "../core/gaudi_shared_ops.h"
#include "../errors/gaudi_errors.h"
#include "../errors/gaudi_reports.h"
#include "gaudi_cs.h"
#include "gaudi_cs_priv.h"
#include "gaudi_submission.h"

/*
 * Until a submission fails that can never end, if others may wait for other
 * cards: these are told before their own programs lose their patience.
 */
#define GAUDI_TDR_STOPPED_SECONDS	10

unsigned long gaudi_cs_default_timeout(struct gaudi_device *gdev)
{
	unsigned int seconds = READ_ONCE(gdev->tunables.timeout_s);

	if (!seconds)
		return MAX_SCHEDULE_TIMEOUT;
	return msecs_to_jiffies(min(seconds, UINT_MAX / 1000) * 1000);
}

bool gaudi_cs_must_end(const struct gaudi_cs *cs)
{
	struct gaudi_device *gdev = cs->ctx->gdev;

	return gaudi_cs_default_timeout(gdev) != MAX_SCHEDULE_TIMEOUT &&
	       !cs->skip_reset &&
	       (gaudi_is_shared(gdev) || gaudi_reset_on_lockup);
}

/* The clock that ends first, or NULL. The lock is held. */
static struct gaudi_cs_clock *gaudi_tdr_next_clock(struct gaudi_cs_mgr *mgr)
{
	struct gaudi_cs_clock *clocks[] = {
		&mgr->oldest, &mgr->oldest_out, &mgr->stopped_ext,
	};
	struct gaudi_cs_clock *next = NULL;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(clocks); i++)
		if (clocks[i]->cs &&
		    (!next || time_before(clocks[i]->deadline, next->deadline)))
			next = clocks[i];
	return next;
}

/* Have the timer fire when the next clock ends. The lock is held. */
static void gaudi_tdr_set_timer(struct gaudi_cs_mgr *mgr)
{
	struct gaudi_cs_clock *clock = gaudi_tdr_next_clock(mgr);
	unsigned long now = jiffies;

	/* A timer that fires early checks the deadline and starts again. */
	if (!clock || (mgr->timer_set &&
		       time_before_eq(mgr->timer_at, clock->deadline)))
		return;
	mgr->timer_set = true;
	mgr->timer_at = clock->deadline;
	mod_delayed_work(gaudi_wq, &mgr->tdr,
			 time_after(clock->deadline, now) ?
			 clock->deadline - now : 0);
}

/*
 * How long each older submission may run before a CS with an exported fence,
 * which must signal in finite time: also if the parameter has become 0 since.
 */
static unsigned long gaudi_tdr_export_timeout(const struct gaudi_cs *cs)
{
	unsigned long timeout = gaudi_cs_default_timeout(cs->ctx->gdev);

	return timeout == MAX_SCHEDULE_TIMEOUT ? cs->timeout :
						 max(timeout, cs->timeout);
}

static void gaudi_tdr_set_clock(struct gaudi_cs_clock *clock,
				struct gaudi_cs *cs, unsigned long timeout)
{
	if (clock->cs == cs)
		return;
	clock->cs = cs;
	clock->deadline = jiffies + timeout;
}

/* Choose those whose timeout runs. The lock is held. */
static void gaudi_tdr_rearm(struct gaudi_cs_mgr *mgr)
{
	struct gaudi_cs *cs = NULL, *out;

	if (gaudi_cs_default_timeout(mgr->gdev) != MAX_SCHEDULE_TIMEOUT)
		cs = list_first_entry_or_null(&mgr->timed, struct gaudi_cs,
					      tdr_node);
	out = list_first_entry_or_null(&mgr->exported, struct gaudi_cs,
				       out_node);
	gaudi_tdr_set_clock(&mgr->oldest, cs, cs ? cs->timeout : 0);
	gaudi_tdr_set_clock(&mgr->oldest_out, out,
			    out ? gaudi_tdr_export_timeout(out) : 0);
	gaudi_tdr_set_timer(mgr);
}

/* May it wait for other cards without limit? Then they wait for it, too. */
static bool gaudi_tdr_is_patient(const struct gaudi_cs *cs)
{
	return cs->timeout > gaudi_cs_default_timeout(cs->ctx->gdev);
}

/* The lock is held. */
static void gaudi_tdr_hurry(struct gaudi_cs_mgr *mgr)
{
	unsigned long soon = jiffies + GAUDI_TDR_STOPPED_SECONDS * HZ;

	if (time_before(soon, mgr->stopped_ext.deadline))
		mgr->stopped_ext.deadline = soon;
	gaudi_tdr_set_timer(mgr);
}

void gaudi_tdr_stopped(struct gaudi_cs_mgr *mgr, struct gaudi_cs *cs)
{
	unsigned long usual = gaudi_cs_default_timeout(mgr->gdev);
	struct gaudi_cs *other;

	if (usual == MAX_SCHEDULE_TIMEOUT)
		return;
	gaudi_tdr_set_clock(&mgr->stopped_ext, cs, usual);
	gaudi_tdr_set_timer(mgr);
	list_for_each_entry(other, &mgr->timed, tdr_node) {
		if (!gaudi_tdr_is_patient(other))
			continue;
		gaudi_tdr_hurry(mgr);
		break;
	}
}

/* What waits for an engine that has stopped comes to be the oldest. The lock is held. */
static void gaudi_tdr_suspect(struct gaudi_cs_mgr *mgr)
{
	struct gaudi_cs *cs = list_first_entry_or_null(&mgr->timed,
						       struct gaudi_cs,
						       tdr_node);

	if (mgr->engine_stopped && !mgr->stopped_ext.cs && cs)
		gaudi_tdr_stopped(mgr, cs);
}

void gaudi_cs_engine_stopped(struct gaudi_device *gdev)
{
	struct gaudi_cs_mgr *mgr = gdev->cs_mgr;

	if (!mgr)
		return;
	spin_lock(&mgr->lock);
	mgr->engine_stopped = true;
	gaudi_tdr_suspect(mgr);
	spin_unlock(&mgr->lock);
}

void gaudi_tdr_add(struct gaudi_cs_mgr *mgr, struct gaudi_cs *cs)
{
	/* A staged submission has the timeout of its first part. */
	if (cs->staged && !cs->staged_first)
		return;
	cs->tdr_num = mgr->num_timed++;
	list_add_tail(&cs->tdr_node, &mgr->timed);
	if (cs->out)
		list_add_tail(&cs->out_node, &mgr->exported);
	if (!mgr->oldest.cs || (cs->out && !mgr->oldest_out.cs))
		gaudi_tdr_rearm(mgr);
	gaudi_tdr_suspect(mgr);
	if (mgr->stopped_ext.cs && gaudi_tdr_is_patient(cs))
		gaudi_tdr_hurry(mgr);
}

void gaudi_tdr_remove(struct gaudi_cs_mgr *mgr, struct gaudi_cs *cs)
{
	struct gaudi_cs_clock *out = &mgr->oldest_out;

	if (list_empty(&cs->tdr_node))
		return;
	list_del_init(&cs->tdr_node);
	list_del_init(&cs->out_node);
	if (mgr->stopped_ext.cs == cs)
		mgr->stopped_ext.cs = NULL;
	gaudi_tdr_suspect(mgr);
	/* This one may have delayed it. */
	if (out->cs && cs->tdr_num < out->cs->tdr_num)
		out->deadline = jiffies + gaudi_tdr_export_timeout(out->cs);
	if (mgr->oldest.cs == cs || out->cs == cs)
		gaudi_tdr_rearm(mgr);
}

static void gaudi_tdr_expired(struct gaudi_cs_mgr *mgr, struct gaudi_cs *cs,
			      bool first, bool stopped)
{
	static const char * const names[] = {
		[GAUDI_CS_DEFAULT]	= "Command",
		[GAUDI_CS_SIGNAL]	= "Signal command",
		[GAUDI_CS_WAIT]		= "Wait command",
		[GAUDI_CS_COLLECTIVE]	= "Collective wait command",
	};
	struct gaudi_device *gdev = mgr->gdev;
	u64 events = first ? HL_NOTIFIER_EVENT_CS_TIMEOUT : 0;
	bool stuck = !cs->skip_reset;

	if (stopped)
		drm_err(&gdev->drm,
			"%s submission %llu cannot finish, as a stream or an engine has stopped at an error!\n",
			names[cs->type], cs->seq);
	else
		drm_err(&gdev->drm,
			"%s submission %llu has not finished in %u seconds!\n",
			names[cs->type], cs->seq,
			jiffies_to_msecs(cs->timeout) / 1000);
	gaudi_state_dump(gdev);
	if (gaudi_is_shared(gdev)) {
		/*
		 * Other contexts are not notified, and a reset is the last
		 * resort.
		 */
		gaudi_reports_notify_one(gdev, cs->ctx->notifier, events);
		if (stuck)
			gdev->shared->fail(cs->ctx);
		return;
	}
	if (stuck && gaudi_reset_on_lockup) {
		gaudi_reset_announce(gdev, GAUDI_RESET_TIMEOUT,
				     events | HL_NOTIFIER_EVENT_DEVICE_RESET);
		return;
	}
	if (stuck)
		gaudi_reset_needed(gdev);
	if (events)
		gaudi_reports_notify(gdev, events);
}

static bool gaudi_tdr_capture(struct gaudi_cs_timeout *rec,
			      const struct gaudi_cs *cs)
{
	if (rec->captured)
		return false;
	rec->captured = true;
	rec->seq = cs->seq;
	rec->time = ktime_get();
	return true;
}

static void gaudi_tdr_work(struct work_struct *work)
{
	struct gaudi_cs_mgr *mgr = container_of(to_delayed_work(work),
						struct gaudi_cs_mgr, tdr);
	struct gaudi_cs_clock *clock;
	struct gaudi_cs *cs = NULL;
	bool first, stopped;

	spin_lock(&mgr->lock);
	mgr->timer_set = false;
	clock = gaudi_tdr_next_clock(mgr);
	if (clock && time_before(jiffies, clock->deadline))
		gaudi_tdr_set_timer(mgr);
	else if (clock)
		cs = clock->cs;
	if (cs && !refcount_inc_not_zero(&cs->refs))
		cs = NULL;
	if (!cs) {
		spin_unlock(&mgr->lock);
		return;
	}
	stopped = clock == &mgr->stopped_ext;
	mgr->stopped_ext.cs = NULL;
	cs->timed_out = !cs->skip_reset;
	gaudi_tdr_capture(&mgr->timeout, cs);
	first = gaudi_tdr_capture(&cs->ctx->cs->timeout, cs);
	list_del_init(&cs->tdr_node);
	list_del_init(&cs->out_node);
	/* With a reset to come, one report is enough. */
	if (cs->skip_reset || !gaudi_reset_on_lockup ||
	    gaudi_is_shared(mgr->gdev))
		gaudi_tdr_rearm(mgr);
	else
		mgr->oldest.cs = mgr->oldest_out.cs = NULL;
	spin_unlock(&mgr->lock);
	gaudi_tdr_expired(mgr, cs, first, stopped);
	gaudi_cs_put(cs);
}

void gaudi_tdr_init(struct gaudi_cs_mgr *mgr)
{
	INIT_LIST_HEAD(&mgr->timed);
	INIT_LIST_HEAD(&mgr->exported);
	INIT_DELAYED_WORK(&mgr->tdr, gaudi_tdr_work);
}

void gaudi_tdr_stop(struct gaudi_cs_mgr *mgr)
{
	cancel_delayed_work_sync(&mgr->tdr);
}

void gaudi_cs_clear_timeout(struct gaudi_device *gdev)
{
	struct gaudi_cs_mgr *mgr = gdev->cs_mgr;

	spin_lock(&mgr->lock);
	mgr->timeout = (struct gaudi_cs_timeout){ };
	spin_unlock(&mgr->lock);
}
