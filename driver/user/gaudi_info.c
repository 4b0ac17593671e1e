// SPDX-License-Identifier: GPL-2.0-only
/*
 * The INFO ioctl of both nodes: one table of opcodes, and those that the
 * driver answers from its own state. See gaudi_info_fw.c for the others.
 */
#include <linux/ktime.h>
#include <linux/pci.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/timex.h>
#include <linux/uaccess.h>

#include <drm/drm_file.h>

#include "../context/gaudi_context.h"
#include "../core/gaudi_ctx.h"
#include "../core/gaudi_device.h"
#include "../core/gaudi_gate.h"
#include "../errors/gaudi_reports.h"
#include "../hw/gaudi_blocks.h"
#include "../hw/gaudi_hw.h"
#include "../memory/gaudi_hbm.h"
#include "../memory/gaudi_memory.h"
#include "../submission/gaudi_cs.h"
#include "gaudi_info.h"

/* Number of "dcores" that mainline accepts in SYNC_MANAGER. */
#define NUM_DCORES		8
/* What "no interrupt", "no completion queue" look like. */
#define NONE_U16		0xffff

int gaudi_info_answer(struct gaudi_info *info, const void *data, size_t size)
{
	size_t len = min_t(size_t, size, info->args->return_size);

	if (!len || !info->args->return_pointer)
		return -EINVAL;
	info->answer = data;
	info->answer_len = len;
	return 0;
}

static int gaudi_info_hw_ip(struct gaudi_info *info)
{
	struct gaudi_device *gdev = info->gdev;
	const struct gaudi_cpucp_info *fw = &gdev->info;
	struct hl_info_hw_ip_info *ip = info->out;
	u64 sram_size;

	ip->device_id = gdev->pdev->device;
	ip->revision_id = gdev->pdev->revision;
	ip->security_enabled =
		gdev->pdev->device == GAUDI_PCI_DEVICE_ID_SEC;
	gaudi_memory_sram(info->ctx, &ip->sram_base_address, &sram_size);
	ip->sram_size = sram_size;
	ip->dram_base_address = GAUDI_HBM_USER_BASE;
	ip->dram_size = GAUDI_HBM_USER_SIZE;
	ip->dram_enabled = 1;
	ip->dram_page_size = GAUDI_HBM_PAGE_SIZE;
	ip->device_mem_alloc_default_page_size = GAUDI_HBM_PAGE_SIZE;
	ip->reserved_dram_size = GAUDI_HBM_USER_BASE - GAUDI_HBM_BASE;
	ip->tpc_enabled_mask = GENMASK(GAUDI_NUM_TPC - 1, 0);
	ip->tpc_enabled_mask_ext = ip->tpc_enabled_mask;
	ip->num_of_events = GAUDI_NUM_EVENTS;
	ip->first_available_interrupt_id = NONE_U16;
	ip->tpc_interrupt_id = NONE_U16;
	ip->server_type = HL_SERVER_TYPE_UNKNOWN;
	scoped_guard(rwsem_read, &gdev->fw_sem) {
		memcpy(ip->cpucp_version, fw->cpucp_version,
		       sizeof(ip->cpucp_version));
		memcpy(ip->card_name, fw->card_name, sizeof(ip->card_name));
		ip->cpld_version = le32_to_cpu(fw->cpld_version);
		ip->module_id = le32_to_cpu(fw->card_location);
	}
	ip->psoc_pci_pll_nr = gdev->psoc_pll.nr;
	ip->psoc_pci_pll_nf = gdev->psoc_pll.nf;
	ip->psoc_pci_pll_od = gdev->psoc_pll.od;
	ip->psoc_pci_pll_div_factor = gdev->psoc_pll.div_factor;
	return 0;
}

static int gaudi_info_device_status(struct gaudi_info *info)
{
	struct hl_info_device_status *out = info->out;

	out->status = READ_ONCE(info->gdev->status);
	return 0;
}

static int gaudi_info_dram_usage(struct gaudi_info *info)
{
	struct hl_info_dram_usage *out = info->out;

	out->dram_free_mem = GAUDI_HBM_USER_SIZE - gaudi_hbm_used(info->gdev);
	if (info->ctx)
		out->ctx_dram_mem = gaudi_vm_hbm_bytes(info->ctx);
	return 0;
}

static int gaudi_info_hw_idle(struct gaudi_info *info)
{
	struct hl_info_hw_idle *out = info->out;

	if (gaudi_reset_enter(info->gdev))
		return -EBUSY;
	out->is_idle = gaudi_engines_idle(info->gdev,
					  out->busy_engines_mask_ext,
					  HL_BUSY_ENGINES_MASK_EXT_SIZE, NULL);
	gaudi_reset_exit(info->gdev);
	out->busy_engines_mask = lower_32_bits(out->busy_engines_mask_ext[0]);
	return 0;
}

static int gaudi_info_reset_count(struct gaudi_info *info)
{
	struct hl_info_reset_count *out = info->out;

	out->hard_reset_cnt = gaudi_reset_count(info->gdev);
	return 0;
}

static int gaudi_info_time_sync(struct gaudi_info *info)
{
	struct hl_info_time_sync *out = info->out;

	if (gaudi_reset_enter(info->gdev))
		return -EBUSY;
	out->device_time = gaudi_device_time(info->gdev);
	out->host_time = ktime_get_raw_ns();
	out->tsc_time = get_cycles();
	gaudi_reset_exit(info->gdev);
	return 0;
}

static int gaudi_info_cs_counters(struct gaudi_info *info)
{
	struct hl_info_cs_counters *out = info->out;
	/* It alternates, total and context, in the order of enum gaudi_cs_drop. */
	u64 *pair = (u64 *)out;
	unsigned int i;

	static_assert(sizeof(*out) == 2 * GAUDI_CS_NUM_DROPS * sizeof(u64));
	for (i = 0; i < GAUDI_CS_NUM_DROPS; i++, pair += 2) {
		pair[0] = atomic64_read(&info->gdev->cs_mgr->drops[i]);
		if (info->ctx)
			pair[1] = atomic64_read(&info->ctx->cs->drops[i]);
	}
	return 0;
}

static int gaudi_info_clk_throttle(struct gaudi_info *info)
{
	gaudi_reports_clk_throttle(info->gdev, info->out);
	return 0;
}

static int gaudi_info_sync_manager(struct gaudi_info *info)
{
	const struct gaudi_share *share = info->gdev->share;
	struct hl_info_sync_manager *out = info->out;

	if (info->args->dcore_id >= NUM_DCORES)
		return -EINVAL;
	if (info->ctx) {
		out->first_available_sync_object =
			info->ctx->slot * share->sobs;
		out->first_available_monitor = info->ctx->slot * share->mons;
	}
	if (info->args->dcore_id == HL_GAUDI_WS_DCORE) {
		out->first_available_sync_object +=
			share->drv_sob + GAUDI_DRV_SOBS;
		out->first_available_monitor += share->drv_mon + GAUDI_DRV_MONS;
	}
	out->first_available_cq = NONE_U16;
	return 0;
}

static int gaudi_info_open_stats(struct gaudi_info *info)
{
	struct gaudi_ctx_mgr *mgr = info->gdev->ctx_mgr;
	struct hl_open_stats_info *out = info->out;

	guard(mutex)(&mgr->all.lock);
	out->open_counter = mgr->open_count;
	out->last_open_period_ms = jiffies_to_msecs(mgr->last_session);
	out->is_compute_ctx_active = !list_empty(&mgr->all.list);
	out->compute_ctx_in_release = !!mgr->num_closing;
	return 0;
}

static int gaudi_info_last_open_time(struct gaudi_info *info)
{
	struct hl_info_last_err_open_dev_time *out = info->out;
	struct gaudi_ctx_mgr *mgr = info->gdev->ctx_mgr;

	guard(mutex)(&mgr->all.lock);
	out->timestamp = ktime_to_ns(mgr->opened_ktime);
	return 0;
}

static int gaudi_info_cs_timeout_event(struct gaudi_info *info)
{
	struct hl_info_cs_timeout_event *out = info->out;
	struct gaudi_cs_mgr *mgr = info->gdev->cs_mgr;
	const struct gaudi_cs_timeout *rec = &mgr->timeout;

	if (info->ctx)
		rec = &info->ctx->cs->timeout;
	spin_lock(&mgr->lock);
	out->seq = rec->seq;
	out->timestamp = ktime_to_ns(rec->time);
	spin_unlock(&mgr->lock);
	return 0;
}

/* A file has records of its own. */
static bool gaudi_info_captured(struct gaudi_info *info,
				enum gaudi_captured kind)
{
	return gaudi_reports_captured(info->gdev, info->ctx ?
				      info->ctx->notifier : NULL, kind,
				      info->out);
}

static int gaudi_info_razwi_event(struct gaudi_info *info)
{
	return gaudi_info_captured(info, GAUDI_CAPTURED_RAZWI) ?
	       0 : GAUDI_INFO_NOTHING;
}

static int gaudi_info_undefined_opcode_event(struct gaudi_info *info)
{
	/* Mainline copies the record even when it is empty. */
	gaudi_info_captured(info, GAUDI_CAPTURED_UNDEF_OPCODE);
	return 0;
}

static int gaudi_info_page_fault_event(struct gaudi_info *info)
{
	return gaudi_info_captured(info, GAUDI_CAPTURED_PAGE_FAULT) ?
	       0 : GAUDI_INFO_NOTHING;
}

static int gaudi_info_page_sizes(struct gaudi_info *info)
{
	/* An empty bitmap: there is only the default page size. */
	return 0;
}

/* Error records that must be read whole. */
static int gaudi_info_error_event(struct gaudi_info *info,
				  enum gaudi_captured kind, size_t size)
{
	if (!info->args->return_pointer)
		return -EINVAL;
	if (!gaudi_info_captured(info, kind))
		return 0;
	if (info->args->return_size < size)
		return -ENOMEM;
	return gaudi_info_answer(info, info->out, size);
}

static int gaudi_info_hw_err_event(struct gaudi_info *info)
{
	return gaudi_info_error_event(info, GAUDI_CAPTURED_HW_ERR,
				      sizeof(struct hl_info_hw_err_event));
}

static int gaudi_info_fw_err_event(struct gaudi_info *info)
{
	return gaudi_info_error_event(info, GAUDI_CAPTURED_FW_ERR,
				      sizeof(struct hl_info_fw_err_event));
}

static int gaudi_info_engine_err_event(struct gaudi_info *info)
{
	/* Gaudi 1 raises none of these; mainline never captures one. */
	return info->args->return_pointer ? 0 : -EINVAL;
}

static int gaudi_info_hw_events(struct gaudi_info *info)
{
	bool aggregate = info->args->op == HL_INFO_HW_EVENTS_AGGREGATE;
	u32 *counters;

	if (!info->args->return_size || !info->args->return_pointer)
		return -EINVAL;
	counters = kcalloc(GAUDI_NUM_EVENTS, sizeof(*counters), GFP_KERNEL);
	if (!counters)
		return -ENOMEM;
	info->to_free = counters;
	gaudi_reports_counters(info->gdev, aggregate, counters);
	return gaudi_info_answer(info, counters,
				 GAUDI_NUM_EVENTS * sizeof(*counters));
}

static int gaudi_info_get_events(struct gaudi_info *info)
{
	u64 *mask = info->out;

	if (info->args->return_size < sizeof(*mask) ||
	    !info->args->return_pointer)
		return -EINVAL;
	*mask = gaudi_notifier_read(info->gdev, info->ctx->notifier);
	return gaudi_info_answer(info, mask, sizeof(*mask));
}

static int gaudi_info_register_eventfd(struct gaudi_info *info)
{
	return gaudi_notifier_set_eventfd(info->gdev, info->ctx->notifier,
					  info->args->eventfd);
}

static int gaudi_info_unregister_eventfd(struct gaudi_info *info)
{
	return gaudi_notifier_clear_eventfd(info->gdev, info->ctx->notifier);
}

/* The mappings of the user, once a page fault makes them interesting. */
static int gaudi_info_user_mappings(struct gaudi_info *info)
{
	struct gaudi_ctx *ctx = info->ctx;
	struct hl_user_mapping *list = NULL;
	u32 max = info->args->return_size / sizeof(*list), num = 0;
	int rc = 0;

	if (!info->args->return_pointer)
		return -EINVAL;
	/* The control node shows the user's, or the first one's. */
	if (ctx)
		gaudi_ctx_get(ctx);
	else
		ctx = gaudi_ctx_next(info->gdev, NULL);
	if (!ctx || !gaudi_info_captured(info, GAUDI_CAPTURED_PAGE_FAULT))
		goto put;
	num = gaudi_vm_list(ctx, NULL, 0);
	info->args->array_size = num;
	if (max < num) {
		rc = -ENOMEM;
		goto put;
	}
	list = kvcalloc(num, sizeof(*list), GFP_KERNEL);
	if (!list) {
		rc = -ENOMEM;
		goto put;
	}
	info->to_free = list;
	num = min(num, gaudi_vm_list(ctx, list, num));
	if (num)
		rc = gaudi_info_answer(info, list, num * sizeof(*list));
put:
	if (ctx)
		gaudi_ctx_put(ctx);
	return rc;
}

static int gaudi_info_engine_status(struct gaudi_info *info)
{
	u32 size = info->args->return_size;
	struct seq_file text = {};

	if (size < SZ_1K || size > HL_ENGINES_DATA_MAX_SIZE ||
	    !info->args->return_pointer)
		return -EINVAL;
	text.buf = kvzalloc(size, GFP_KERNEL);
	if (!text.buf)
		return -ENOMEM;
	info->to_free = text.buf;
	text.size = size;
	if (gaudi_reset_enter(info->gdev))
		return -EBUSY;
	gaudi_engines_idle(info->gdev, NULL, 0, &text);
	gaudi_reset_exit(info->gdev);
	if (seq_has_overflowed(&text))
		return -ENOMEM;
	info->args->user_buffer_actual_size = text.count;
	return text.count ? gaudi_info_answer(info, text.buf, text.count) : 0;
}

#define FILL(fn, type, anytime)						\
	{ .fill = fn, .size = sizeof(type), .always = anytime }
#define RUN(fn, anytime)	{ .run = fn, .always = anytime }

static const struct gaudi_info_op gaudi_info_ops[] = {
	[HL_INFO_HW_IP_INFO] =
		FILL(gaudi_info_hw_ip, struct hl_info_hw_ip_info, true),
	[HL_INFO_HW_EVENTS] = RUN(gaudi_info_hw_events, true),
	[HL_INFO_DRAM_USAGE] =
		FILL(gaudi_info_dram_usage, struct hl_info_dram_usage, true),
	[HL_INFO_HW_IDLE] =
		FILL(gaudi_info_hw_idle, struct hl_info_hw_idle, false),
	[HL_INFO_DEVICE_STATUS] = FILL(gaudi_info_device_status,
				       struct hl_info_device_status, true),
	[HL_INFO_DEVICE_UTILIZATION] = FILL(gaudi_info_utilization,
					    struct hl_info_device_utilization,
					    false),
	[HL_INFO_HW_EVENTS_AGGREGATE] = RUN(gaudi_info_hw_events, true),
	[HL_INFO_CLK_RATE] =
		FILL(gaudi_info_clk_rate, struct hl_info_clk_rate, false),
	[HL_INFO_RESET_COUNT] =
		FILL(gaudi_info_reset_count, struct hl_info_reset_count, true),
	[HL_INFO_TIME_SYNC] =
		FILL(gaudi_info_time_sync, struct hl_info_time_sync, false),
	[HL_INFO_CS_COUNTERS] =
		FILL(gaudi_info_cs_counters, struct hl_info_cs_counters, true),
	[HL_INFO_PCI_COUNTERS] = FILL(gaudi_info_pci_counters,
				      struct hl_info_pci_counters, false),
	[HL_INFO_CLK_THROTTLE_REASON] =
		FILL(gaudi_info_clk_throttle,
		     struct hl_info_clk_throttle, true),
	[HL_INFO_SYNC_MANAGER] = FILL(gaudi_info_sync_manager,
				      struct hl_info_sync_manager, true),
	[HL_INFO_TOTAL_ENERGY] =
		FILL(gaudi_info_total_energy, struct hl_info_energy, false),
	[HL_INFO_PLL_FREQUENCY] = FILL(gaudi_info_pll_frequency,
				       struct hl_pll_frequency_info, false),
	[HL_INFO_POWER] = FILL(gaudi_info_power, struct hl_power_info, false),
	[HL_INFO_OPEN_STATS] =
		FILL(gaudi_info_open_stats, struct hl_open_stats_info, true),
	[HL_INFO_DRAM_REPLACED_ROWS] =
		FILL(gaudi_info_replaced_rows, u64, false),
	[HL_INFO_DRAM_PENDING_ROWS] = FILL(gaudi_info_pending_rows, u32, false),
	[HL_INFO_LAST_ERR_OPEN_DEV_TIME] =
		FILL(gaudi_info_last_open_time,
		     struct hl_info_last_err_open_dev_time, true),
	[HL_INFO_CS_TIMEOUT_EVENT] = FILL(gaudi_info_cs_timeout_event,
					  struct hl_info_cs_timeout_event,
					  true),
	[HL_INFO_RAZWI_EVENT] =
		FILL(gaudi_info_razwi_event, struct hl_info_razwi_event, true),
	[HL_INFO_DEV_MEM_ALLOC_PAGE_SIZES] =
		FILL(gaudi_info_page_sizes,
		     struct hl_info_dev_memalloc_page_sizes, true),
	[HL_INFO_SECURED_ATTESTATION] = RUN(gaudi_info_attestation, false),
	[HL_INFO_REGISTER_EVENTFD] = RUN(gaudi_info_register_eventfd, false),
	[HL_INFO_UNREGISTER_EVENTFD] = RUN(gaudi_info_unregister_eventfd, true),
	[HL_INFO_GET_EVENTS] = RUN(gaudi_info_get_events, true),
	[HL_INFO_UNDEFINED_OPCODE_EVENT] =
		FILL(gaudi_info_undefined_opcode_event,
		     struct hl_info_undefined_opcode_event, true),
	[HL_INFO_ENGINE_STATUS] = RUN(gaudi_info_engine_status, false),
	[HL_INFO_PAGE_FAULT_EVENT] = FILL(gaudi_info_page_fault_event,
					  struct hl_page_fault_info, true),
	[HL_INFO_USER_MAPPINGS] = RUN(gaudi_info_user_mappings, true),
	[HL_INFO_FW_GENERIC_REQ] = RUN(gaudi_info_fw_generic, false),
	[HL_INFO_HW_ERR_EVENT] = RUN(gaudi_info_hw_err_event, true),
	[HL_INFO_FW_ERR_EVENT] = RUN(gaudi_info_fw_err_event, true),
	[HL_INFO_USER_ENGINE_ERR_EVENT] =
		RUN(gaudi_info_engine_err_event, true),
	[HL_INFO_DEV_SIGNED] = RUN(gaudi_info_dev_signed, false),
};

static_assert(sizeof(struct hl_info_hw_ip_info) <= GAUDI_INFO_MAX_SIZE);
static_assert(sizeof(struct hl_info_undefined_opcode_event) <=
	      GAUDI_INFO_MAX_SIZE);

static int gaudi_info_answer_op(struct gaudi_info *info,
				const struct gaudi_info_op *op)
{
	int rc;

	if (!info->args->return_size || !info->args->return_pointer)
		return -EINVAL;
	rc = op->fill(info);
	if (rc == GAUDI_INFO_NOTHING)
		return 0;
	return rc ?: gaudi_info_answer(info, info->out, op->size);
}

/* The device is entered. */
static int gaudi_info_dispatch(struct gaudi_info *info)
{
	const struct gaudi_info_op *op = NULL;
	u32 nr = info->args->op;

	if (info->args->pad)
		return -EINVAL;
	if (nr < ARRAY_SIZE(gaudi_info_ops))
		op = &gaudi_info_ops[array_index_nospec(nr, ARRAY_SIZE(gaudi_info_ops))];
	if (!(op && op->always) && !gaudi_device_operational(info->gdev))
		return -EBUSY;
	if (!op || (!op->fill && !op->run))
		return -EINVAL;
	return op->run ? op->run(info) : gaudi_info_answer_op(info, op);
}

static int gaudi_info_request(struct gaudi_device *gdev, struct gaudi_ctx *ctx,
			      struct hl_info_args *args)
{
	u64 out[GAUDI_INFO_MAX_SIZE / sizeof(u64)] = {};
	struct gaudi_info info = {
		.gdev = gdev, .ctx = ctx, .args = args, .out = out,
	};
	int rc, idx;

	if (!gaudi_device_enter(gdev, &idx))
		return -ENODEV;
	rc = gaudi_info_dispatch(&info);
	gaudi_device_exit(gdev, idx);
	if (!rc && info.answer &&
	    copy_to_user(u64_to_user_ptr(args->return_pointer), info.answer,
			 info.answer_len))
		rc = -EFAULT;
	kvfree(info.to_free);
	return rc;
}

int gaudi_info_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	return gaudi_info_request(to_gaudi_device(drm), file->driver_priv,
				  data);
}

int gaudi_info_ioctl_control(struct gaudi_device *gdev, void *arg)
{
	struct hl_info_args *args = arg;

	switch (args->op) {
	case HL_INFO_GET_EVENTS:
	case HL_INFO_REGISTER_EVENTFD:
	case HL_INFO_UNREGISTER_EVENTFD:
		/* Events belong to an open file of the compute node. */
		return -EOPNOTSUPP;
	default:
		return gaudi_info_request(gdev, NULL, args);
	}
}
