// SPDX-License-Identifier: GPL-2.0-only
/*
 * The life of a submission: sequence number and fence, the push onto the
 * queues, completion, and abort at a reset.
 *
 * What a user may submit is gaudi_cs_ioctl.c's; packets for signals are
 * gaudi_signal.c's; timeouts are gaudi_cs_timeout.c's. References of a CS: its
 * submitter; each job whose completion it waits for; and, for all but the last
 * part of a staged submission, the last part.
 */
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <drm/drm_managed.h>

#include "../core/gaudi_ctx.h"
#include "../core/gaudi_device.h"
#include "../core/gaudi_param.h"
#include "../core/gaudi_shared_ops.h"
#include "../core/gaudi_trace.h"
#include "../queues/gaudi_kcb.h"
#include "../queues/gaudi_queue.h"
#include "gaudi_cs.h"
#include "gaudi_cs_priv.h"
#include "gaudi_submission.h"

static const char *gaudi_fence_driver_name(struct dma_fence *fence)
{
	return GAUDI_DRV_NAME;
}

static const char *gaudi_fence_timeline_name(struct dma_fence *fence)
{
	return "cs";
}

static void gaudi_fence_release(struct dma_fence *fence)
{
	struct gaudi_fence *f = to_gaudi_fence(fence);

	/*
	 * Only fences for others are looked at under RCU, and may outlive the
	 * device: free after a grace period, keep the module.
	 */
	if (!f->own) {
		kfree(f);
		return;
	}
	dma_fence_put(&f->own->base);
	kfree_rcu(f, base.rcu);
	module_put(THIS_MODULE);
}

static const struct dma_fence_ops gaudi_fence_ops = {
	.get_driver_name = gaudi_fence_driver_name,
	.get_timeline_name = gaudi_fence_timeline_name,
	.release = gaudi_fence_release,
};

void gaudi_cs_count_drop(struct gaudi_ctx *ctx, enum gaudi_cs_drop why)
{
	atomic64_inc(&ctx->cs->drops[why]);
	atomic64_inc(&ctx->gdev->cs_mgr->drops[why]);
}

/* What a user may still ask of a fence that goes. The lock is held. */
static void gaudi_cs_save_outcome(struct gaudi_cs_ctx *c, struct dma_fence *f)
{
	if (!to_gaudi_fence(f)->timestamped)
		return;
	c->outcomes[c->num_outcomes++ % GAUDI_NUM_OUTCOMES] =
		(struct gaudi_outcome) {
			.seq = f->seqno,
			.time = ktime_to_ns(dma_fence_timestamp(f)),
			.status = dma_fence_get_status(f),
		};
}

bool gaudi_cs_outcome(struct gaudi_ctx *ctx, u64 seq,
		      struct gaudi_outcome *outcome)
{
	struct gaudi_cs_ctx *c = ctx->cs;
	bool found = false;
	u32 i;

	spin_lock(&c->lock);
	for (i = 0; i < GAUDI_NUM_OUTCOMES && !found; i++) {
		*outcome = c->outcomes[i];
		found = seq && outcome->seq == seq;
	}
	spin_unlock(&c->lock);
	return found;
}

/* Queues overtake each other: each fence is a timeline of its own. */
static void gaudi_fence_init(struct gaudi_fence *fence, u64 seq)
{
	spin_lock_init(&fence->lock);
	dma_fence_init(&fence->base, &gaudi_fence_ops, &fence->lock,
		       dma_fence_context_alloc(1), seq);
}

/* Give the CS its sequence number. */
static int gaudi_cs_assign_seq(struct gaudi_cs *cs)
{
	struct gaudi_cs_ctx *c = cs->ctx->cs;
	struct gaudi_fence *fence = cs->fence;
	struct dma_fence **slot, *old;

	spin_lock(&c->lock);
	slot = &c->pending[c->next_seq % GAUDI_MAX_PENDING_CS];
	old = *slot;
	if (old && !dma_fence_is_signaled(old)) {
		spin_unlock(&c->lock);
		return -EAGAIN;
	}
	if (old)
		gaudi_cs_save_outcome(c, old);
	cs->seq = c->next_seq++;
	gaudi_fence_init(fence, cs->seq);
	*slot = dma_fence_get(&fence->base);
	spin_unlock(&c->lock);
	dma_fence_put(old);
	return 0;
}

struct gaudi_cs *gaudi_cs_create(struct gaudi_ctx *ctx, enum gaudi_cs_type type,
				 u32 num_jobs, u32 flags, unsigned long timeout)
{
	struct gaudi_cs *cs;
	u32 i;

	cs = kvzalloc(struct_size(cs, jobs, num_jobs), GFP_KERNEL);
	if (!cs)
		goto no_memory;
	cs->num_jobs = num_jobs;
	cs->fence = kzalloc(sizeof(*cs->fence), GFP_KERNEL);
	if (!cs->fence)
		goto no_memory;
	refcount_set(&cs->refs, 1);
	cs->type = type;
	cs->ctx = ctx;
	cs->timeout = timeout;
	cs->skip_reset = flags & HL_CS_FLAGS_SKIP_RESET_ON_TIMEOUT ||
			 ctx->gdev->tunables.skip_reset_on_timeout;
	INIT_LIST_HEAD(&cs->node);
	INIT_LIST_HEAD(&cs->tdr_node);
	INIT_LIST_HEAD(&cs->out_node);
	INIT_LIST_HEAD(&cs->staged_node);
	INIT_LIST_HEAD(&cs->slice_node);
	for (i = 0; i < num_jobs; i++)
		cs->jobs[i].cs = cs;
	cs->fence->type = type;
	cs->fence->timestamped = flags & HL_CS_FLAGS_TIMESTAMP;
	if (gaudi_cs_assign_seq(cs)) {
		kfree(cs->fence);
		kvfree(cs);
		gaudi_cs_count_drop(ctx, GAUDI_CS_DROP_IN_FLIGHT);
		return ERR_PTR(-EAGAIN);
	}
	gaudi_ctx_get(ctx);
	return cs;

no_memory:
	kvfree(cs);
	gaudi_cs_count_drop(ctx, GAUDI_CS_DROP_NO_MEMORY);
	return ERR_PTR(-ENOMEM);
}

/* The first part of a staged submission, or NULL. The lock is held. */
static struct gaudi_cs *gaudi_cs_find_first(struct gaudi_cs_mgr *mgr,
					    struct gaudi_ctx *ctx, u64 seq)
{
	struct gaudi_cs *cs;

	list_for_each_entry_reverse(cs, &mgr->active, node)
		if (cs->staged_first && cs->seq == seq && cs->ctx == ctx)
			return cs;
	return NULL;
}

/* Add a part to its staged submission. The lock is held. */
static int gaudi_cs_join_staged(struct gaudi_cs_mgr *mgr, struct gaudi_cs *cs)
{
	struct gaudi_cs *first = gaudi_cs_find_first(mgr, cs->ctx,
						     cs->staged_seq);

	if (!first || first->staged_closed)
		return -EINVAL;
	if (first->run_error)
		return first->run_error;
	first->staged_closed = cs->staged_last;
	list_add_tail(&cs->staged_node, &first->staged_node);
	first->fence->stream_map |= cs->fence->stream_map;
	return 0;
}

/* Does it have a job on one of these internal, or external, queues? */
static bool gaudi_cs_uses(const struct gaudi_cs *cs, bool ext,
			  const unsigned long *qids)
{
	u32 i;

	for (i = 0; i < cs->num_jobs; i++)
		if (cs->jobs[i].ext == ext && test_bit(cs->jobs[i].qid, qids))
			return true;
	return false;
}

/* Make the CS one of those that run. */
static int gaudi_cs_activate(struct gaudi_cs_mgr *mgr, struct gaudi_cs *cs)
{
	int rc = 0;

	spin_lock(&mgr->lock);
	if (gaudi_cs_uses(cs, false, mgr->stopped))
		rc = -EIO;
	else if (cs->staged && !cs->staged_first)
		rc = gaudi_cs_join_staged(mgr, cs);
	else if (cs->uses_res)
		/* Nothing refuses the CS after this, which cannot be undone. */
		rc = gaudi_signals_attach(cs);
	if (!rc) {
		list_add_tail(&cs->node, &mgr->active);
		cs->held = !gaudi_cs_completes(cs);
		if (!cs->queued)
			gaudi_tdr_add(mgr, cs);
	}
	spin_unlock(&mgr->lock);
	return rc;
}

/* Is there room for all jobs? The queues' lock is held. */
static int gaudi_cs_check_room(struct gaudi_device *gdev, struct gaudi_cs *cs)
{
	struct gaudi_cs_mgr *mgr = gdev->cs_mgr;
	u16 count[GAUDI_NUM_QUEUES] = {};
	u32 i;

	for (i = 0; i < cs->num_jobs; i++) {
		u32 qid = cs->jobs[i].qid;

		if (++count[qid] <= gaudi_queue_room(gdev, qid) &&
		    (cs->deferred || !test_bit(qid, mgr->starved)))
			continue;
		/* More than the queue ever holds: trying again is no use. */
		if (!cs->jobs[i].ext && count[qid] > gaudi_queue_len(gdev, qid))
			return -ENOMEM;
		if (cs->deferred)
			__set_bit(qid, mgr->starved_next);
		return -EAGAIN;
	}
	return 0;
}

static void gaudi_job_push(struct gaudi_device *gdev, struct gaudi_job *job)
{
	u32 value;
	u64 addr = job->addr, cq_addr;

	if (job->ext) {
		addr = gaudi_host_dev_addr(job->kcb->dma);
		gaudi_queue_next_completion(gdev, job->qid, &cq_addr, &value);
		/* Before a time slice ends the engine must be idle. */
		gaudi_cb_add_tail(job->kcb->vaddr, job->used, job->size,
				  cq_addr, value,
				  job->dma || gaudi_is_shared(gdev));
	}
	gaudi_queue_push(gdev, job->qid, addr, job->size,
			 job->ext ? job : NULL);
}

void gaudi_cs_push(struct gaudi_cs *cs)
{
	struct gaudi_device *gdev = cs->ctx->gdev;
	struct gaudi_cs_mgr *mgr = gdev->cs_mgr;
	u32 i;

	if (cs->queued) {
		spin_lock(&mgr->lock);
		cs->queued = false;
		gaudi_tdr_add(mgr, cs);
		spin_unlock(&mgr->lock);
	}
	gaudi_usage_begin(cs);
	for (i = 0; i < cs->num_jobs; i++)
		gaudi_job_push(gdev, &cs->jobs[i]);
}

int gaudi_cs_submit(struct gaudi_cs *cs)
{
	struct gaudi_ctx *ctx = cs->ctx;
	struct gaudi_device *gdev = ctx->gdev;
	int extra = 0, rc;
	u32 i;

	/* Many jobs end before their push returns to the user. */
	gaudi_queues_poll_begin(gdev);
	gaudi_queues_lock(gdev);
	rc = gaudi_device_operational(gdev) ? 0 : -EPERM;
	if (rc) {
		gaudi_cs_count_drop(ctx, GAUDI_CS_DROP_IN_RESET);
		goto unlock;
	}
	rc = gaudi_is_shared(gdev) ? gdev->shared->check_room(cs) :
				     gaudi_cs_check_room(gdev, cs);
	if (rc) {
		/* A deferred CS is not refused, it tries again. */
		if (!cs->deferred)
			gaudi_cs_count_drop(ctx, GAUDI_CS_DROP_QUEUE_FULL);
		goto unlock;
	}
	if (cs->type != GAUDI_CS_DEFAULT)
		rc = gaudi_signals_prepare(cs);
	if (rc)
		goto unlock;
	for (i = 0; i < cs->num_jobs; i++)
		extra += cs->jobs[i].ext;
	if (!gaudi_cs_completes(cs))
		extra++;
	cs->queued = gaudi_is_shared(gdev);
	rc = gaudi_cs_activate(gdev->cs_mgr, cs);
	if (rc && cs->type == GAUDI_CS_COLLECTIVE)
		gaudi_collective_cancel(cs);
	if (rc)
		goto unlock;
	refcount_add(extra, &cs->refs);
	cs->submitted = true;
	if (gaudi_is_shared(gdev))
		gdev->shared->add(cs);
	else
		gaudi_cs_push(cs);
unlock:
	gaudi_queues_unlock(gdev);
	gaudi_queues_poll_end(gdev);
	return rc;
}

/* Retire entries that have no completion packet. */
static void gaudi_cs_retire(struct gaudi_device *gdev, struct gaudi_cs *cs)
{
	u32 i;

	for (i = 0; i < cs->num_jobs; i++)
		if (!cs->jobs[i].ext)
			gaudi_queue_retire(gdev, cs->jobs[i].qid, 1);
}

/*
 * Take over the last part's reference of another part. The lock is held. With a
 * reset while the last part ends only the first call gets it.
 */
static bool gaudi_cs_drop_part(struct gaudi_cs *cs)
{
	bool held = cs->held;

	cs->held = false;
	list_del_init(&cs->staged_node);
	return held;
}

/* The last part ended: drop what it holds of the others. */
static void gaudi_cs_put_parts(struct gaudi_cs_mgr *mgr, struct gaudi_cs *last)
{
	struct gaudi_cs *cs;
	bool held = false;

	for (;;) {
		spin_lock(&mgr->lock);
		cs = list_first_entry_or_null(&last->staged_node,
					      struct gaudi_cs, staged_node);
		if (cs)
			held = gaudi_cs_drop_part(cs);
		spin_unlock(&mgr->lock);
		if (!cs)
			return;
		if (held)
			gaudi_cs_put(cs);
	}
}

static void gaudi_cs_deactivate(struct gaudi_cs_mgr *mgr, struct gaudi_cs *cs)
{
	spin_lock(&mgr->lock);
	list_del_init(&cs->node);
	if (!cs->staged_last)
		list_del_init(&cs->staged_node);
	gaudi_tdr_remove(mgr, cs);
	spin_unlock(&mgr->lock);
	if (cs->staged_last)
		gaudi_cs_put_parts(mgr, cs);
}

static int gaudi_cs_error(const struct gaudi_cs *cs)
{
	if (cs->timed_out)
		return -ETIMEDOUT;
	if (cs->run_error)
		return cs->run_error;
	if (cs->aborted)
		return -EIO;
	return cs->submitted ? 0 : cs->error ?: -EBUSY;
}

static void gaudi_fence_signal(struct gaudi_fence *f, int error, ktime_t time)
{
	/* A wait may have ended earlier: see gaudi_cs_abort_waits(). */
	if (dma_fence_is_signaled(&f->base))
		return;
	if (error)
		dma_fence_set_error(&f->base, error);
	dma_fence_signal_timestamp(&f->base, time);
}

static void gaudi_cs_signal(struct gaudi_cs *cs)
{
	ktime_t time = cs->ended ?: ktime_get();
	int error = gaudi_cs_error(cs);

	/* What never ran has no time of its end. */
	if (!cs->submitted)
		cs->fence->timestamped = false;
	gaudi_fence_signal(cs->fence, error, time);
	if (!cs->out)
		return;
	gaudi_fence_signal(cs->out, error, time);
	dma_fence_put(&cs->out->base);
}

static void gaudi_cs_finish(struct gaudi_cs *cs)
{
	struct gaudi_ctx *ctx = cs->ctx;
	struct gaudi_device *gdev = ctx->gdev;
	u32 i;

	if (cs->submitted) {
		for (i = 0; i < cs->num_jobs; i++)
			gaudi_usage_end(&cs->jobs[i], cs->ended ?: ktime_get());
		if (!cs->queues_reset)
			gaudi_cs_retire(gdev, cs);
		gaudi_cs_deactivate(gdev->cs_mgr, cs);
	}
	for (i = 0; i < cs->num_jobs; i++)
		if (cs->jobs[i].kcb)
			gaudi_kcb_free(gdev, cs->jobs[i].kcb);
	gaudi_cs_signal(cs);
	gaudi_signals_cs_done(cs);
	dma_fence_put(&cs->fence->base);
	if (gaudi_is_shared(gdev) && cs->submitted && !cs->queues_reset)
		gdev->shared->cs_done(cs);
	kvfree(cs);
	gaudi_ctx_put(ctx);
}

int gaudi_cs_export(struct gaudi_cs *cs)
{
	struct gaudi_fence *out;

	if (!gaudi_cs_must_end(cs))
		return -EOPNOTSUPP;
	out = kzalloc(sizeof(*out), GFP_KERNEL_ACCOUNT);
	if (!out)
		return -ENOMEM;
	__module_get(THIS_MODULE);
	out->own = to_gaudi_fence(dma_fence_get(&cs->fence->base));
	cs->out = out;
	gaudi_fence_init(out, cs->seq);
	return 0;
}

struct dma_fence *gaudi_cs_own_fence(struct dma_fence *fence)
{
	if (fence->ops != &gaudi_fence_ops || !to_gaudi_fence(fence)->own)
		return fence;
	return &to_gaudi_fence(fence)->own->base;
}

void gaudi_cs_put(struct gaudi_cs *cs)
{
	if (refcount_dec_and_test(&cs->refs))
		gaudi_cs_finish(cs);
}

void gaudi_cs_job_done(struct gaudi_device *gdev, u32 qid, void *cookie)
{
	struct gaudi_job *job = cookie;
	struct gaudi_cs *cs = job->cs;

	if (WARN_ON_ONCE(job->qid != qid || job->done))
		return;
	job->done = true;
	cs->ended = ktime_get();
	trace_gaudi_job_done(&gdev->pdev->dev, qid, &cs->fence->base);
	gaudi_usage_end(job, cs->ended);
	gaudi_cs_put(cs);
}

/*
 * Does the CS wait for anything still? gaudi_cs_mgr.lock is held, and
 * gaudi_queues_close_cq() has seen to it that no job completes any more.
 */
static bool gaudi_cs_is_incomplete(struct gaudi_cs *cs)
{
	u32 i;

	for (i = 0; i < cs->num_jobs; i++)
		if (cs->jobs[i].ext && !cs->jobs[i].done)
			return true;
	return cs->held;
}

/*
 * End one CS whose jobs will never complete: the completion queues are closed, or
 * it was never pushed. So nobody else writes gaudi_job.done. A reference is held.
 */
static void gaudi_cs_abort(struct gaudi_cs_mgr *mgr, struct gaudi_cs *cs)
{
	bool held = false;
	u32 i;

	drm_dbg(&mgr->gdev->drm, "aborting submission %llu\n", cs->seq);
	if (!gaudi_cs_completes(cs)) {
		spin_lock(&mgr->lock);
		held = gaudi_cs_drop_part(cs);
		spin_unlock(&mgr->lock);
	}
	if (held)
		gaudi_cs_put(cs);
	for (i = 0; i < cs->num_jobs; i++) {
		if (!cs->jobs[i].ext || cs->jobs[i].done)
			continue;
		cs->jobs[i].done = true;
		gaudi_cs_put(cs);
	}
}

void gaudi_cs_abort_all(struct gaudi_device *gdev)
{
	struct gaudi_cs_mgr *mgr = gdev->cs_mgr;
	struct gaudi_ctx *ctx;
	struct gaudi_cs *cs;

	if (!mgr)
		return;
	if (gaudi_is_shared(gdev))
		gdev->shared->stop(gdev);
	/* Submissions that saw the device operational are pushed then. */
	gaudi_queues_sync(gdev);
	gaudi_deferred_cancel(gdev, NULL);
	for (;;) {
		spin_lock(&mgr->lock);
		cs = list_first_entry_or_null(&mgr->active, struct gaudi_cs,
					      node);
		if (!cs) {
			spin_unlock(&mgr->lock);
			break;
		}
		if (!refcount_inc_not_zero(&cs->refs)) {
			/* Another thread is ending it. */
			spin_unlock(&mgr->lock);
			cond_resched();
			continue;
		}
		cs->aborted = gaudi_cs_is_incomplete(cs);
		cs->queues_reset = true;
		list_del_init(&cs->node);
		gaudi_tdr_remove(mgr, cs);
		spin_unlock(&mgr->lock);
		gaudi_cs_abort(mgr, cs);
		gaudi_cs_put(cs);
	}
	scoped_guard(spinlock, &mgr->lock) {
		bitmap_zero(mgr->stopped, GAUDI_NUM_QUEUES);
		mgr->engine_stopped = false;
	}
	gaudi_for_each_ctx(gdev, ctx)
		gaudi_signals_drop_reservations(ctx);
	gaudi_signals_reset(gdev);
}

void gaudi_cs_cancel(struct gaudi_cs *cs)
{
	struct gaudi_cs_mgr *mgr = cs->ctx->gdev->cs_mgr;

	scoped_guard(spinlock, &mgr->lock) {
		if (list_empty(&cs->node))
			return;
		cs->aborted = true;
		/* It has not been in a queue. */
		cs->queues_reset = true;
		list_del_init(&cs->node);
	}
	gaudi_cs_abort(mgr, cs);
}

void gaudi_cs_fail_running(struct gaudi_ctx *ctx, int error)
{
	struct gaudi_cs_mgr *mgr = ctx->gdev->cs_mgr;
	struct gaudi_cs *cs, *held;

	do {
		held = NULL;
		spin_lock(&mgr->lock);
		list_for_each_entry(cs, &mgr->active, node) {
			if (cs->ctx != ctx || cs->queued)
				continue;
			cs->run_error = error;
			if (gaudi_cs_completes(cs) || !gaudi_cs_drop_part(cs))
				continue;
			held = cs;
			break;
		}
		spin_unlock(&mgr->lock);
		if (held)
			gaudi_cs_put(held);
	} while (held);
}

void gaudi_cs_abort_waits(struct gaudi_device *gdev)
{
	struct gaudi_cs_mgr *mgr = gdev->cs_mgr;
	struct gaudi_cs *cs;

	gaudi_deferred_cancel(gdev, NULL);
	spin_lock(&mgr->lock);
	/* Who ends a CS takes it off the list first: none signals meanwhile. */
	list_for_each_entry(cs, &mgr->active, node)
		gaudi_fence_signal(cs->fence, -EIO, ktime_get());
	spin_unlock(&mgr->lock);
}

void gaudi_cs_fail_streams(struct gaudi_device *gdev, u32 first_qid,
			   unsigned long streams)
{
	struct gaudi_cs_mgr *mgr = gdev->cs_mgr;
	struct gaudi_cs *cs, *part, *stopped = NULL;
	unsigned int s;

	if (!mgr)
		return;
	spin_lock(&mgr->lock);
	for_each_set_bit(s, &streams, GAUDI_NUM_STREAMS)
		__set_bit(first_qid + s, mgr->stopped);
	list_for_each_entry(cs, &mgr->active, node) {
		/* The last one: the first may have ended, and not be known to. */
		if (gaudi_cs_uses(cs, true, mgr->stopped) &&
		    !list_empty(&cs->tdr_node))
			stopped = cs;
		if (cs->run_error || !gaudi_cs_uses(cs, false, mgr->stopped))
			continue;
		cs->run_error = -EIO;
		gaudi_fence_signal(cs->fence, -EIO, ktime_get());
		/* The parts of a staged submission end together. */
		list_for_each_entry(part, &cs->staged_node, staged_node) {
			/* It is ending. */
			if (list_empty(&part->node))
				continue;
			part->run_error = -EIO;
			gaudi_fence_signal(part->fence, -EIO, ktime_get());
		}
	}
	if (stopped)
		gaudi_tdr_stopped(mgr, stopped);
	spin_unlock(&mgr->lock);
}

bool gaudi_cs_any_stopped(struct gaudi_device *gdev)
{
	struct gaudi_cs_mgr *mgr = gdev->cs_mgr;
	bool any;

	spin_lock(&mgr->lock);
	any = !bitmap_empty(mgr->stopped, GAUDI_NUM_QUEUES);
	spin_unlock(&mgr->lock);
	return any;
}

unsigned int gaudi_cs_num_active(struct gaudi_device *gdev)
{
	unsigned int num;

	spin_lock(&gdev->cs_mgr->lock);
	num = list_count_nodes(&gdev->cs_mgr->active);
	spin_unlock(&gdev->cs_mgr->lock);
	return num;
}

int gaudi_cs_ctx_init(struct gaudi_ctx *ctx)
{
	struct gaudi_cs_ctx *c = ctx->cs;

	c->pending = kvcalloc(GAUDI_MAX_PENDING_CS, sizeof(*c->pending),
			      GFP_KERNEL_ACCOUNT);
	c->outcomes = kvcalloc(GAUDI_NUM_OUTCOMES, sizeof(*c->outcomes),
			       GFP_KERNEL_ACCOUNT);
	if (!c->pending || !c->outcomes) {
		kvfree(c->pending);
		kvfree(c->outcomes);
		return -ENOMEM;
	}
	spin_lock_init(&c->lock);
	c->next_seq = 1;
	xa_init_flags(&c->reservations, XA_FLAGS_ALLOC1);
	mutex_init(&c->collective_lock);
	return 0;
}

void gaudi_cs_ctx_fini(struct gaudi_ctx *ctx)
{
	struct gaudi_cs_ctx *c = ctx->cs;
	u32 i;

	gaudi_signals_drop_reservations(ctx);
	xa_destroy(&c->reservations);
	gaudi_collective_ctx_fini(ctx);
	mutex_destroy(&c->collective_lock);
	for (i = 0; i < GAUDI_MAX_PENDING_CS; i++)
		dma_fence_put(c->pending[i]);
	kvfree(c->pending);
	kvfree(c->outcomes);
}

int gaudi_cs_mgr_init(struct gaudi_device *gdev)
{
	struct gaudi_cs_mgr *mgr = drmm_kzalloc(&gdev->drm, sizeof(*mgr),
						GFP_KERNEL);

	if (!mgr)
		return -ENOMEM;
	mgr->gdev = gdev;
	spin_lock_init(&mgr->lock);
	spin_lock_init(&mgr->usage.lock);
	INIT_LIST_HEAD(&mgr->active);
	gaudi_tdr_init(mgr);
	gdev->cs_mgr = mgr;
	return gaudi_kcb_pool_init(gdev) ?:
	       gaudi_signals_init(gdev) ?:
	       gaudi_deferred_init(gdev);
}

void gaudi_cs_mgr_unplug(struct gaudi_device *gdev)
{
	if (!gdev->cs_mgr)
		return;
	gaudi_tdr_stop(gdev->cs_mgr);
	gaudi_kcb_pool_drain(gdev);
}
