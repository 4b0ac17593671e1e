// SPDX-License-Identifier: GPL-2.0-only
/*
 * Submissions that wait for fences: of other drivers, or of other submissions.
 *
 * A callback on the fence wakes one worker, which submits. There is no
 * scheduler (drm_sched) under this: a CS spans several of the card's own
 * queues, has one fence for all of them, and timeouts and resets are those of
 * any CS; only the wait is missing, and this is it.
 *
 * The worker is part of how fences signal: nothing from here to the interrupt
 * thread allocates memory or takes a lock that is held during an allocation.
 * Every entry ends: its fence signals, or the file is closed, or a reset comes.
 */
#include <linux/dma-fence.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include <drm/drm_managed.h>

#include "../core/gaudi_ctx.h"
#include "../core/gaudi_device.h"
#include "../queues/gaudi_queue.h"
#include "gaudi_cs.h"
#include "gaudi_cs_priv.h"
#include "gaudi_submission.h"

/* Interval of trying again while queues are full. */
#define RETRY_MS	1

struct deferred_cs {
	struct list_head node;		/* waiting, then the worker's ready */
	struct llist_node signalled_node;
	struct gaudi_deferred *owner;
	struct gaudi_cs *cs;
	struct dma_fence *in;
	struct dma_fence_cb cb;
};

struct gaudi_deferred {
	struct gaudi_device *gdev;
	spinlock_t lock;		/* waiting; outside of fences' locks */
	struct list_head waiting;
	struct llist_head signalled;	/* of those, with a signalled fence */
	struct list_head ready;		/* the worker's: wait for room */
	struct workqueue_struct *wq;
	struct delayed_work work;
};

static void gaudi_deferred_end(struct deferred_cs *e, int error)
{
	e->cs->error = error;
	gaudi_cs_put(e->cs);
	dma_fence_put(e->in);
	kfree(e);
}

static void gaudi_deferred_wake_worker(struct deferred_cs *e)
{
	struct gaudi_deferred *d = e->owner;

	llist_add(&e->signalled_node, &d->signalled);
	/* From here on the worker may free it. */
	mod_delayed_work(d->wq, &d->work, 0);
}

/* Any context, with the fence's lock. */
static void gaudi_deferred_fence_signalled(struct dma_fence *in,
					   struct dma_fence_cb *cb)
{
	gaudi_deferred_wake_worker(container_of(cb, struct deferred_cs, cb));
}

int gaudi_deferred_add(struct gaudi_cs *cs, struct dma_fence *in)
{
	struct gaudi_device *gdev = cs->ctx->gdev;
	struct gaudi_deferred *d = gdev->cs_mgr->deferred;
	struct deferred_cs *e = kzalloc(sizeof(*e), GFP_KERNEL_ACCOUNT);

	if (!e)
		return -ENOMEM;
	e->owner = d;
	e->cs = cs;
	e->in = in;
	cs->deferred = true;
	spin_lock(&d->lock);
	/* gaudi_deferred_cancel() comes after the status has changed. */
	if (!gaudi_device_operational(gdev)) {
		spin_unlock(&d->lock);
		kfree(e);
		return -EPERM;
	}
	list_add_tail(&e->node, &d->waiting);
	if (dma_fence_add_callback(in, &e->cb, gaudi_deferred_fence_signalled))
		gaudi_deferred_wake_worker(e);
	spin_unlock(&d->lock);
	return 0;
}

/* 0, or an error that ends it without a submission. */
static int gaudi_deferred_check(struct deferred_cs *e)
{
	int status = dma_fence_get_status(e->in);

	if (status < 0)
		return status;
	if (READ_ONCE(e->cs->ctx->cs->closed))
		return -ECANCELED;
	/* See gaudi_cs_abort_waits(). */
	return READ_ONCE(e->owner->gdev->users_wait) ? -EIO : 0;
}

/* Submit what is ready, oldest first; what finds no room stays. */
static void gaudi_deferred_submit_ready(struct gaudi_deferred *d)
{
	struct gaudi_cs_mgr *mgr = d->gdev->cs_mgr;
	struct deferred_cs *e, *next;
	int rc;

	/*
	 * Then no queue is starved either. A file that is closed after the card
	 * has gone gets here, when the queues have gone too.
	 */
	if (list_empty(&d->ready))
		return;
	list_for_each_entry_safe(e, next, &d->ready, node) {
		rc = gaudi_deferred_check(e) ?: gaudi_cs_submit(e->cs);
		if (rc == -EAGAIN)
			continue;
		list_del(&e->node);
		gaudi_deferred_end(e, rc == -EPERM ? -EIO : rc);
	}
	guard(gaudi_queues)(d->gdev);
	bitmap_copy(mgr->starved, mgr->starved_next, GAUDI_NUM_QUEUES);
	bitmap_zero(mgr->starved_next, GAUDI_NUM_QUEUES);
}

static void gaudi_deferred_work(struct work_struct *work)
{
	struct gaudi_deferred *d = container_of(to_delayed_work(work),
						struct gaudi_deferred, work);
	struct llist_node *signalled;
	struct deferred_cs *e;
	bool cookie;

	cookie = dma_fence_begin_signalling();
	spin_lock(&d->lock);
	signalled = llist_reverse_order(llist_del_all(&d->signalled));
	llist_for_each_entry(e, signalled, signalled_node)
		list_move_tail(&e->node, &d->ready);
	spin_unlock(&d->lock);
	gaudi_deferred_submit_ready(d);
	if (!list_empty(&d->ready))
		queue_delayed_work(d->wq, &d->work,
				   msecs_to_jiffies(RETRY_MS));
	dma_fence_end_signalling(cookie);
}

void gaudi_deferred_cancel(struct gaudi_device *gdev, struct gaudi_ctx *ctx)
{
	struct gaudi_deferred *d = gdev->cs_mgr->deferred;
	struct deferred_cs *e, *next;
	LIST_HEAD(cancelled);

	if (ctx)
		WRITE_ONCE(ctx->cs->closed, true);
	spin_lock(&d->lock);
	list_for_each_entry_safe(e, next, &d->waiting, node) {
		if (ctx && e->cs->ctx != ctx)
			continue;
		/* Else the worker has it, and will see the same reason. */
		if (dma_fence_remove_callback(e->in, &e->cb))
			list_move_tail(&e->node, &cancelled);
	}
	spin_unlock(&d->lock);
	list_for_each_entry_safe(e, next, &cancelled, node)
		gaudi_deferred_end(e, ctx ? -ECANCELED : -EIO);
	mod_delayed_work(d->wq, &d->work, 0);
	flush_delayed_work(&d->work);
}

static void gaudi_deferred_fini(struct drm_device *drm, void *arg)
{
	struct gaudi_deferred *d = arg;

	cancel_delayed_work_sync(&d->work);
	destroy_workqueue(d->wq);
	drm_WARN_ON(drm, !list_empty(&d->waiting));
}

int gaudi_deferred_init(struct gaudi_device *gdev)
{
	struct gaudi_deferred *d = drmm_kzalloc(&gdev->drm, sizeof(*d),
						GFP_KERNEL);

	if (!d)
		return -ENOMEM;
	d->gdev = gdev;
	spin_lock_init(&d->lock);
	INIT_LIST_HEAD(&d->waiting);
	init_llist_head(&d->signalled);
	INIT_LIST_HEAD(&d->ready);
	INIT_DELAYED_WORK(&d->work, gaudi_deferred_work);
	/* Memory may be reclaimed when a fence has signalled, not before. */
	d->wq = alloc_ordered_workqueue("gaudi-fence-%s", WQ_MEM_RECLAIM,
					dev_name(&gdev->pdev->dev));
	if (!d->wq)
		return -ENOMEM;
	gdev->cs_mgr->deferred = d;
	return drmm_add_action_or_reset(&gdev->drm, gaudi_deferred_fini, d);
}
