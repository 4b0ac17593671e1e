// SPDX-License-Identifier: GPL-2.0-only
/*
 * Submissions that take too long: one timer for the one whose time ends first,
 * and what happens then.
 */
#include <linux/ktime.h>
#include <linux/workqueue.h>

#include "gaudi_cs.h"
#include "gaudi_ctx.h"
#include "gaudi_device.h"
#include "gaudi_drv.h"
#include "gaudi_events.h"
#include "gaudi_turns.h"
#include "gaudi_user.h"

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
	       !cs->skip_reset && (gdev->turns || gaudi_reset_on_lockup);
}

/* Choose the CS whose timeout runs. The lock is held. */
static void tdr_rearm(struct gaudi_cs_mgr *mgr)
{
	struct gaudi_cs *cs;

	mgr->watched = NULL;
	if (gaudi_cs_default_timeout(mgr->gdev) == MAX_SCHEDULE_TIMEOUT)
		return;
	cs = list_first_entry_or_null(&mgr->timed, struct gaudi_cs, tdr_node);
	if (!cs)
		return;
	mgr->watched = cs;
	mgr->deadline = jiffies + mgr->watched->timeout;
	/* A timer that fires early looks at the deadline and starts again. */
	if (mgr->timer_set && time_before_eq(mgr->timer_at, mgr->deadline))
		return;
	mgr->timer_set = true;
	mgr->timer_at = mgr->deadline;
	mod_delayed_work(gaudi_wq, &mgr->tdr, mgr->watched->timeout);
}

void gaudi_tdr_add(struct gaudi_cs_mgr *mgr, struct gaudi_cs *cs)
{
	if (!gaudi_cs_has_timeout(cs))
		return;
	list_add_tail(&cs->tdr_node, &mgr->timed);
	if (!mgr->watched)
		tdr_rearm(mgr);
}

void gaudi_tdr_remove(struct gaudi_cs_mgr *mgr, struct gaudi_cs *cs)
{
	list_del_init(&cs->tdr_node);
	if (mgr->watched == cs)
		tdr_rearm(mgr);
}

static void tdr_expired(struct gaudi_cs_mgr *mgr, struct gaudi_cs *cs,
			bool first)
{
	static const char * const names[] = {
		[GAUDI_CS_DEFAULT]	= "Command",
		[GAUDI_CS_SIGNAL]	= "Signal command",
		[GAUDI_CS_WAIT]		= "Wait command",
	};
	struct gaudi_device *gdev = mgr->gdev;
	u64 events = first ? HL_NOTIFIER_EVENT_CS_TIMEOUT : 0;
	bool stuck = !cs->skip_reset;

	drm_err(&gdev->drm,
		"%s submission %llu has not finished in %u seconds!\n",
		names[cs->type], cs->seq, jiffies_to_msecs(cs->timeout) / 1000);
	gaudi_state_dump(gdev);
	if (gdev->turns) {
		/* Nobody else is told, and no reset unless nothing else helps. */
		gaudi_events_notify_one(gdev, &cs->ctx->notifier, events);
		if (stuck)
			gaudi_turns_fail(gdev, cs->ctx, -EIO);
		return;
	}
	if (stuck && gaudi_reset_on_lockup) {
		gaudi_ctx_cond_reset(gdev, GAUDI_RESET_TIMEOUT,
				     events | HL_NOTIFIER_EVENT_DEVICE_RESET);
		return;
	}
	if (stuck)
		gaudi_reset_needed(gdev);
	if (events)
		gaudi_events_notify(gdev, events);
}

static bool timeout_capture(struct gaudi_cs_timeout *rec,
			    const struct gaudi_cs *cs)
{
	if (rec->captured)
		return false;
	rec->captured = true;
	rec->seq = cs->seq;
	rec->time = ktime_get();
	return true;
}

static void tdr_work(struct work_struct *work)
{
	struct gaudi_cs_mgr *mgr = container_of(to_delayed_work(work),
						struct gaudi_cs_mgr, tdr);
	struct gaudi_cs *cs;
	bool first;

	spin_lock(&mgr->lock);
	mgr->timer_set = false;
	cs = mgr->watched;
	if (cs && time_before(jiffies, mgr->deadline)) {
		mgr->timer_set = true;
		mgr->timer_at = mgr->deadline;
		mod_delayed_work(gaudi_wq, &mgr->tdr,
				 mgr->deadline - jiffies);
		cs = NULL;
	}
	if (cs && !refcount_inc_not_zero(&cs->refs))
		cs = NULL;
	if (!cs) {
		spin_unlock(&mgr->lock);
		return;
	}
	cs->timed_out = !cs->skip_reset;
	first = timeout_capture(&mgr->timeout, cs);
	if (mgr->gdev->turns)
		first = timeout_capture(&cs->ctx->cs.timeout, cs);
	list_del_init(&cs->tdr_node);
	/* With a reset to come, one report is enough. */
	if (cs->skip_reset || !gaudi_reset_on_lockup || mgr->gdev->turns)
		tdr_rearm(mgr);
	else
		mgr->watched = NULL;
	spin_unlock(&mgr->lock);
	tdr_expired(mgr, cs, first);
	gaudi_cs_put(cs);
}

void gaudi_tdr_init(struct gaudi_cs_mgr *mgr)
{
	INIT_DELAYED_WORK(&mgr->tdr, tdr_work);
}

void gaudi_tdr_stop(struct gaudi_cs_mgr *mgr)
{
	cancel_delayed_work_sync(&mgr->tdr);
}
