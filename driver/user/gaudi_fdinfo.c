// SPDX-License-Identifier: GPL-2.0-only
/*
 * /proc/PID/fdinfo of an open card: engine time and memory, in the keys of
 * Documentation/gpu/drm-usage-stats.rst, which standard tools read.
 *
 * The card does not measure. An engine's time is what passes between the push
 * of a job and its completion, less what was counted before for another: at
 * each completion, the time since the one before it goes to the context whose
 * job it was. So the sum over all contexts is never more than the time that
 * has passed; between streams that run side by side it is a guess. Jobs on
 * internal queues end, for this, when their submission does.
 */
#include <drm/drm_file.h>
#include <drm/drm_print.h>
#include <linux/sizes.h>

#include "../context/gaudi_user.h"
#include "../core/gaudi_device.h"
#include "gaudi_fdinfo.h"

static const char * const class_names[] = {
	[GAUDI_QMAN_PCI_DMA]	= "pci-dma",
	[GAUDI_QMAN_HBM_DMA]	= "hbm-dma",
	[GAUDI_QMAN_MME]	= "mme",
	[GAUDI_QMAN_TPC]	= "tpc",
};

void gaudi_usage_begin(struct gaudi_cs *cs)
{
	struct gaudi_usage *all = &cs->ctx->gdev->cs_mgr->usage;
	struct gaudi_ctx_usage *use = &cs->ctx->cs.usage;
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
	struct gaudi_ctx_usage *use = &ctx->cs.usage;
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

static void gaudi_fdinfo_show_engines(struct drm_printer *p,
				      struct gaudi_ctx *ctx)
{
	struct gaudi_usage *all = &ctx->gdev->cs_mgr->usage;
	struct gaudi_ctx_usage *use = &ctx->cs.usage;
	ktime_t busy[ARRAY_SIZE(class_names)] = {};
	u32 i, num[ARRAY_SIZE(class_names)] = {};
	ktime_t now = ktime_get();

	scoped_guard(spinlock, &all->lock) {
		for (i = 0; i < GAUDI_NUM_USED_QMANS; i++) {
			num[gaudi_qmans[i].kind]++;
			busy[gaudi_qmans[i].kind] += use->busy[i] +
				gaudi_usage_unaccounted(all, use, i, now);
		}
	}
	for (i = 0; i < ARRAY_SIZE(class_names); i++) {
		drm_printf(p, "drm-engine-%s:\t%lld ns\n", class_names[i],
			   ktime_to_ns(busy[i]));
		drm_printf(p, "drm-engine-capacity-%s:\t%u\n", class_names[i],
			   num[i]);
	}
}

/* Nothing is swapped out: what there is, is resident. */
static void gaudi_fdinfo_show_memory(struct drm_printer *p, const char *region,
				     u64 total, u64 shared)
{
	drm_printf(p, "drm-total-%s:\t%llu KiB\n", region,
		   DIV_ROUND_UP_ULL(total, SZ_1K));
	drm_printf(p, "drm-shared-%s:\t%llu KiB\n", region, shared / SZ_1K);
	drm_printf(p, "drm-resident-%s:\t%llu KiB\n", region,
		   DIV_ROUND_UP_ULL(total, SZ_1K));
}

void gaudi_show_fdinfo(struct drm_printer *p, struct drm_file *file)
{
	struct gaudi_device *gdev = to_gaudi_device(file->minor->dev);
	struct gaudi_ctx *ctx = file->driver_priv;
	u64 pinned, imported;
	int idx;

	if (!gaudi_device_enter(gdev, &idx))
		return;
	pinned = (u64)atomic64_read(&ctx->vm.pinned_pages) << PAGE_SHIFT;
	imported = (u64)atomic64_read(&ctx->vm.imported_pages) << PAGE_SHIFT;
	gaudi_fdinfo_show_engines(p, ctx);
	gaudi_fdinfo_show_memory(p, "hbm", gaudi_vm_hbm_bytes(ctx), 0);
	/* "memory" is the standard's name for the host's. */
	gaudi_fdinfo_show_memory(p, "memory", pinned + imported +
				 gaudi_bufs_size(&ctx->bufs), imported);
	gaudi_device_exit(gdev, idx);
}
