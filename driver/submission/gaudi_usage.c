// SPDX-License-Identifier: GPL-2.0-only
/*
 * Engine time: how long each QMAN worked for each context.
 *
 * The card does not measure. An engine's time is what passes between the push
 * of a job and its completion, less what was counted before for another: at
 * each completion, the time since the one before it goes to the context whose
 * job it was. So the sum over all contexts is never more than the time that
 * has passed; between streams that run side by side it is a guess. Jobs on
 * internal queues end, for this, when their submission does.
 */
#include "../core/gaudi_ctx.h"
#include "../core/gaudi_device.h"
#include "../hw/gaudi_blocks.h"
#include "gaudi_cs.h"
#include "gaudi_cs_priv.h"
#include "gaudi_submission.h"

void gaudi_usage_begin(struct gaudi_cs *cs)
{
	struct gaudi_usage *all = &cs->ctx->gdev->cs_mgr->usage;
	struct gaudi_ctx_usage *use = &cs->ctx->cs->usage;
	ktime_t now = ktime_get();
	u32 i;

	spin_lock(&all->lock);
	for (i = 0; i < cs->num_jobs; i++) {
		struct gaudi_job *job = &cs->jobs[i];
		const struct gaudi_qman_desc *qm = gaudi_qman_of_queue(job->qid);

		if (!qm)
			continue;
		job->engine = qm - gaudi_qmans;
		job->counted = true;
		if (!use->jobs[job->engine]++)
			use->since[job->engine] = now;
	}
	spin_unlock(&all->lock);
}

/*
 * Time of an engine that is not accounted to any context yet. The lock is held.
 */
static ktime_t gaudi_usage_unaccounted(struct gaudi_usage *all,
				       struct gaudi_ctx_usage *use,
				       unsigned int engine, ktime_t now)
{
	ktime_t from = max(use->since[engine], all->spent[engine]);

	lockdep_assert_held(&all->lock);
	return use->jobs[engine] ? max(ktime_sub(now, from), 0) : 0;
}

void gaudi_usage_end(struct gaudi_job *job, ktime_t now)
{
	struct gaudi_ctx *ctx = job->cs->ctx;
	struct gaudi_usage *all = &ctx->gdev->cs_mgr->usage;
	struct gaudi_ctx_usage *use = &ctx->cs->usage;
	unsigned int e = job->engine;

	if (!READ_ONCE(job->counted))
		return;
	spin_lock(&all->lock);
	if (job->counted) {
		job->counted = false;
		use->busy[e] += gaudi_usage_unaccounted(all, use, e, now);
		all->spent[e] = max(all->spent[e], now);
		use->jobs[e]--;
	}
	spin_unlock(&all->lock);
}

void gaudi_usage_read(struct gaudi_ctx *ctx, ktime_t *busy)
{
	struct gaudi_usage *all = &ctx->gdev->cs_mgr->usage;
	struct gaudi_ctx_usage *use = &ctx->cs->usage;
	ktime_t now = ktime_get();
	unsigned int i;

	spin_lock(&all->lock);
	for (i = 0; i < GAUDI_NUM_QMAN; i++)
		busy[i] = use->busy[i] +
			  gaudi_usage_unaccounted(all, use, i, now);
	spin_unlock(&all->lock);
}
