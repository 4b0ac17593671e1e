// SPDX-License-Identifier: GPL-2.0-only
/*
 * /proc/PID/fdinfo of an open card: engine time and memory, in the keys of
 * Documentation/gpu/drm-usage-stats.rst, which standard tools read.
 */
#include <drm/drm_file.h>
#include <drm/drm_print.h>
#include <linux/sizes.h>

#include "../core/gaudi_ctx.h"
#include "../core/gaudi_device.h"
#include "../hw/gaudi_blocks.h"
#include "../memory/gaudi_buf.h"
#include "../memory/gaudi_memory.h"
#include "../submission/gaudi_submission.h"
#include "gaudi_user.h"

static const char * const gaudi_class_names[] = {
	[GAUDI_QMAN_PCI_DMA]	= "pci-dma",
	[GAUDI_QMAN_HBM_DMA]	= "hbm-dma",
	[GAUDI_QMAN_MME]	= "mme",
	[GAUDI_QMAN_TPC]	= "tpc",
	[GAUDI_QMAN_NIC]	= "nic",
};

static void gaudi_fdinfo_show_engines(struct drm_printer *p,
				      struct gaudi_ctx *ctx)
{
	ktime_t spent[GAUDI_NUM_QMAN], busy[ARRAY_SIZE(gaudi_class_names)] = {};
	u32 i, num[ARRAY_SIZE(gaudi_class_names)] = {};

	gaudi_usage_read(ctx, spent);
	for (i = 0; i < GAUDI_NUM_QMAN; i++) {
		num[gaudi_qmans[i].kind]++;
		busy[gaudi_qmans[i].kind] += spent[i];
	}
	num[GAUDI_QMAN_NIC] = hweight_long(ctx->gdev->nic_ports);
	for (i = 0; i < ARRAY_SIZE(gaudi_class_names); i++) {
		if (!num[i])
			continue;
		drm_printf(p, "drm-engine-%s:\t%lld ns\n", gaudi_class_names[i],
			   ktime_to_ns(busy[i]));
		drm_printf(p, "drm-engine-capacity-%s:\t%u\n", gaudi_class_names[i],
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
	pinned = (u64)atomic64_read(&ctx->vm->pinned_pages) << PAGE_SHIFT;
	imported = (u64)atomic64_read(&ctx->vm->imported_pages) << PAGE_SHIFT;
	gaudi_fdinfo_show_engines(p, ctx);
	gaudi_fdinfo_show_memory(p, "hbm", gaudi_vm_hbm_bytes(ctx), 0);
	/* "memory" is the standard's name for the host's. */
	gaudi_fdinfo_show_memory(p, "memory", pinned + imported +
				 gaudi_bufs_size(ctx->bufs), imported);
	gaudi_device_exit(gdev, idx);
}
