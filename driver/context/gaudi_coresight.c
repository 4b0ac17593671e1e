// SPDX-License-Identifier: GPL-2.0-only
/*
 * DEBUG: the card's CoreSight units. Trace sources (STM, bus monitors),
 * counters (SPMU), funnels, buffers (ETF), and the one that writes to memory
 * (ETR). The user names a unit by its index among those of its kind; tables
 * say where each one is and what its modes write, in mainline's order.
 *
 * One context at a time is in debug mode, and only that one configures. The
 * units are halted before its memory goes.
 *
 * Sources of numbers: gaudi_coresight.[ch] and asic_reg/ of mainline's driver,
 * Linux 6.12 (facts).
 */
#include <drm/drm_file.h>
#include <linux/nospec.h>
#include <linux/uaccess.h>

#include "../../uapi/hw/regs/gaudi_psoc_regs.h"
#include "../../uapi/hw/regs/gaudi_tmc_regs.h"
#include "../core/gaudi_ctx.h"
#include "../core/gaudi_device.h"
#include "../core/gaudi_gate.h"
#include "../hw/gaudi_reg_io.h"
#include "gaudi_context.h"
#include "gaudi_coresight.h"

#define CORESIGHT_LAR		0xfb0
#define CORESIGHT_UNLOCK	0xc5acce55
#define CORESIGHT_TIMEOUT_US	100000

#define ETR_BASE		0x2c43000u
#define ETR_RSZ_RESET		0x400
#define TRACE_ADDR		(GAUDI_PSOC_GLOBAL_CONF_BASE + 0x320)
#define   TRACE_ADDR_MSB	GENMASK(9, 0)
#define ETR_ADDR_BITS		50

#define STM_TCSR		0xe80
#define   STM_TCSR_BUSY		BIT(23)

#define SPMU_MIN_EVENTS		3
#define SPMU_MAX_EVENTS		6

/* --- Where they are --- */

/* groups times units; a unit's offset in its group is in pages of 4 KiB. */
struct gaudi_dbg_units {
	u32 base, step;
	u8 groups, units;
	u8 page[5];
};

#define ONE(addr)		{ addr, 0, 1, 1, { 0 } }
#define EACH(n, addr, step)	{ addr, step, n, 1, { 0 } }
#define MMES(addr)		{ addr, 0x80000, 4, 3, { 0, 0x20, 0x40 } }
#define NIC_PAIRS(addr)		{ addr, 0x40000, 5, 2, { 0, 0x10 } }

static const struct gaudi_dbg_units gaudi_stms[] = {
	MMES(0x2021000), EACH(4, 0x2401000, 0x20000), ONE(0x2486000),
	EACH(8, 0x2501000, 0x20000), ONE(0x2c01000), ONE(0x2c11000),
	ONE(0x2c41000), NIC_PAIRS(0x2cc1000), EACH(8, 0x3003000, 0x200000),
	{ }
};

static const struct gaudi_dbg_units gaudi_etfs[] = {
	MMES(0x2023000), EACH(4, 0x2403000, 0x20000),
	EACH(2, 0x2481000, 0x1000), ONE(0x2488000),
	EACH(8, 0x2503000, 0x20000), ONE(0x2c02000), ONE(0x2c13000),
	ONE(0x2c44000), NIC_PAIRS(0x2cc3000), EACH(8, 0x3002000, 0x200000),
	{ }
};

static const struct gaudi_dbg_units gaudi_funnels[] = {
	EACH(4, 0x2030000, 0x80000), EACH(32, 0x2201000, 0x8000),
	EACH(16, 0x2301000, 0x10000), EACH(4, 0x240f000, 0x20000),
	ONE(0x2485000), EACH(2, 0x2600000, 0x80000),
	EACH(2, 0x2700000, 0x80000), ONE(0x2c06000), ONE(0x2c42000),
	EACH(5, 0x2ce1000, 0x40000), EACH(8, 0x3006000, 0x200000),
	{ }
};

static const struct gaudi_dbg_units gaudi_bmons[] = {
	{ 0x2027000, 0x80000, 4, 5, { 0, 0x20, 0x21, 0x40, 0x41 } },
	{ 0x2407000, 0x20000, 4, 5, { 4, 0, 1, 2, 3 } },
	EACH(2, 0x2489000, 0x1000),
	{ 0x2507000, 0x20000, 8, 2, { 0, 1 } },
	EACH(4, 0x2c07000, 0x1000), EACH(2, 0x2c17000, 0x1000),
	{ 0x2cd7000, 0x40000, 5, 5, { 0, 1, 2, 3, 4 } },
	{ 0x3007000, 0x200000, 8, 4, { 0, 1, 2, 3 } },
	{ }
};

static const struct gaudi_dbg_units gaudi_spmus[] = {
	MMES(0x2024000), EACH(8, 0x2504000, 0x20000), ONE(0x2c04000),
	ONE(0x2c14000), NIC_PAIRS(0x2cc4000), EACH(8, 0x3001000, 0x200000),
	{ }
};

/* The register offset of a unit; 0: there is no such unit. */
static u32 gaudi_dbg_base(const struct gaudi_dbg_units *u, u32 index)
{
	for (; u->groups; u++) {
		u32 num = u->groups * u->units;

		if (index < num) {
			index = array_index_nospec(index, num);
			return u->base + index / u->units * u->step +
			       u->page[index % u->units] * SZ_4K;
		}
		index -= num;
	}
	return 0;
}

/* --- What their modes write --- */

struct gaudi_dbg_write {
	u16 off;
	u32 val;
};

static void gaudi_dbg_write_all(struct gaudi_device *gdev, u32 base,
			       const struct gaudi_dbg_write *writes,
			       unsigned int num)
{
	unsigned int i;

	for (i = 0; i < num; i++)
		gaudi_wr(gdev, base + writes[i].off, writes[i].val);
}

static int gaudi_dbg_wait(struct gaudi_device *gdev, u32 off, u32 bit, bool up)
{
	return gaudi_wait_reg(gdev, off, bit, up ? bit : 0,
			      CORESIGHT_TIMEOUT_US, NULL) ? -EFAULT : 0;
}

static bool gaudi_dbg_is_dma_channel(u32 base)
{
	return base >= 0x2501000 && base <= 0x25e1000;
}

static int gaudi_dbg_stm_enable(struct gaudi_device *gdev, u32 base,
			       const struct hl_debug_params_stm *in)
{
	const struct gaudi_dbg_write writes[] = {
		{ STM_TCSR, 0x80004 },
		{ 0xd64, 7 },
		{ 0xd60, 0 }, { 0xd00, lower_32_bits(in->he_mask) },
		{ 0xd60, 1 }, { 0xd00, upper_32_bits(in->he_mask) },
		{ 0xe70, 0x10 }, { 0xe60, 0 },
		{ 0xe00, lower_32_bits(in->sp_mask) },
		{ 0xef4, in->id }, { 0xdf4, 0x80 },
		{ 0xe8c, gdev->psoc_pll.timestamp_mhz ?: in->frequency },
		{ 0xe90, 0x1f00 },
	};

	gaudi_dbg_write_all(gdev, base, writes, ARRAY_SIZE(writes));
	/* Hardware bug SW-2176. */
	if (gaudi_dbg_is_dma_channel(base)) {
		gaudi_wr(gdev, base + 0xe68, 0xffff8005);
		gaudi_wr(gdev, base + 0xe6c, 0);
	}
	gaudi_wr(gdev, base + STM_TCSR, 0x23 | in->id << 16);
	return 0;
}

static int gaudi_dbg_stm_disable(struct gaudi_device *gdev, u32 base)
{
	static const struct gaudi_dbg_write writes[] = {
		{ STM_TCSR, 4 }, { 0xd64, 0 }, { 0xd60, 1 }, { 0xd00, 0 },
		{ 0xd20, 0 }, { 0xd60, 0 }, { 0xe20, 0 }, { 0xe00, 0 },
		{ 0xdf4, 0x80 }, { 0xe70, 0 }, { 0xe60, 0 }, { 0xe64, 0 },
		{ 0xe8c, 0 },
	};
	int ret;

	gaudi_dbg_write_all(gdev, base, writes, ARRAY_SIZE(writes));
	ret = gaudi_dbg_wait(gdev, base + STM_TCSR, STM_TCSR_BUSY, false);
	if (!ret)
		gaudi_wr(gdev, base + STM_TCSR, 4);
	return ret;
}

static int gaudi_dbg_stm(struct gaudi_device *gdev, u32 base,
			const struct hl_debug_args *args,
			const struct hl_debug_params_stm *in)
{
	gaudi_wr(gdev, base + CORESIGHT_LAR, CORESIGHT_UNLOCK);
	if (!args->enable)
		return gaudi_dbg_stm_disable(gdev, base);
	return in ? gaudi_dbg_stm_enable(gdev, base, in) : -EINVAL;
}

/*
 * Unlock, and flush what a buffer holds before its mode changes. 1: it is in
 * the mode already.
 */
static int gaudi_dbg_tmc_flush(struct gaudi_device *gdev, u32 base, bool enable)
{
	u32 val;
	int ret;

	gaudi_wr(gdev, base + CORESIGHT_LAR, CORESIGHT_UNLOCK);
	if (!!gaudi_rd(gdev, base + TMC_CTL) == enable)
		return 1;
	val = gaudi_rd(gdev, base + TMC_FFCR) | TMC_FFCR_STOP;
	gaudi_wr(gdev, base + TMC_FFCR, val);
	gaudi_wr(gdev, base + TMC_FFCR, val | TMC_FFCR_FLUSH);
	ret = gaudi_dbg_wait(gdev, base + TMC_FFCR, TMC_FFCR_FLUSH, false);
	if (!ret)
		ret = gaudi_dbg_wait(gdev, base + TMC_STS, TMC_STS_READY, true);
	if (!ret)
		gaudi_wr(gdev, base + TMC_CTL, 0);
	return ret;
}

static int gaudi_dbg_etf(struct gaudi_device *gdev, u32 base,
			const struct hl_debug_args *args,
			const struct hl_debug_params_etf *in)
{
	static const struct gaudi_dbg_write off[] = {
		{ TMC_BUFWM, 0 }, { TMC_MODE, 0 }, { TMC_FFCR, 0 },
	};
	int ret;

	ret = gaudi_dbg_tmc_flush(gdev, base, args->enable);
	if (ret)
		return ret < 0 ? ret : 0;
	if (!args->enable) {
		gaudi_dbg_write_all(gdev, base, off, ARRAY_SIZE(off));
	} else if (in) {
		const struct gaudi_dbg_write on[] = {
			{ TMC_BUFWM, 0x3ffc }, { TMC_MODE, in->sink_mode },
			{ TMC_FFCR, 0x4001 }, { TMC_PSCR, 0xa }, { TMC_CTL, 1 },
		};

		gaudi_dbg_write_all(gdev, base, on, ARRAY_SIZE(on));
	} else {
		return -EINVAL;
	}
	return 0;
}

/* Whether a user may have trace written there. */
static bool gaudi_dbg_etr_may(u64 addr, u64 size, bool *host)
{
	const struct {
		u64 first, last;
		bool host;
	} ranges[] = {
		{ GAUDI_VA_HOST_START, GAUDI_VA_HOST_END, true },
		{ GAUDI_HBM_USER_BASE, GAUDI_HBM_BASE + GAUDI_HBM_SIZE - 1 },
		{ GAUDI_SRAM_BASE + GAUDI_SRAM_USER_OFFSET,
		  GAUDI_SRAM_BASE + GAUDI_SRAM_SIZE - 1 },
	};
	unsigned int i;

	if (!size || addr >> ETR_ADDR_BITS || addr + size < addr)
		return false;
	for (i = 0; i < ARRAY_SIZE(ranges); i++) {
		if (addr >= ranges[i].first && addr <= ranges[i].last &&
		    size <= ranges[i].last - addr + 1) {
			*host = ranges[i].host;
			return true;
		}
	}
	return false;
}

static int gaudi_dbg_etr_enable(struct gaudi_device *gdev,
			       const struct hl_debug_params_etr *in)
{
	u64 addr;
	bool host;

	if (!in || !gaudi_dbg_etr_may(in->buffer_address, in->buffer_size,
				     &host))
		return -EINVAL;
	addr = in->buffer_address;
	gaudi_wr(gdev, TRACE_ADDR, (addr >> 40) & TRACE_ADDR_MSB);
	gaudi_wr(gdev, ETR_BASE + TMC_BUFWM, 0x3ffc);
	gaudi_wr(gdev, ETR_BASE + TMC_RSZ, in->buffer_size);
	gaudi_wr(gdev, ETR_BASE + TMC_MODE, in->sink_mode);
	/* Hardware bug HW-2075: short bursts to the host. */
	gaudi_wr(gdev, ETR_BASE + TMC_AXICTL, TMC_AXICTL_NON_SECURE |
		 FIELD_PREP(TMC_AXICTL_BURST, host ? 0 : 7));
	gaudi_wr_lo_hi(gdev, ETR_BASE + TMC_DBALO, ETR_BASE + TMC_DBAHI, addr);
	gaudi_wr(gdev, ETR_BASE + TMC_FFCR, 3);
	gaudi_wr(gdev, ETR_BASE + TMC_PSCR, 0xa);
	gaudi_wr(gdev, ETR_BASE + TMC_CTL, 1);
	return 0;
}

/* Where the trace ends: 32 bits, 8 bits, and 10 in a global register. */
static u64 gaudi_dbg_etr_end(struct gaudi_device *gdev)
{
	u32 lo = gaudi_rd(gdev, ETR_BASE + TMC_RWP);
	u32 hi = gaudi_rd(gdev, ETR_BASE + TMC_RWPHI) & 0xff;
	u32 msb = gaudi_rd(gdev, TRACE_ADDR) & TRACE_ADDR_MSB;

	return (u64)msb << 40 | (u64)hi << 32 | lo;
}

/* out, if not NULL: one word. */
static int gaudi_dbg_etr(struct gaudi_device *gdev,
			const struct hl_debug_args *args,
			const struct hl_debug_params_etr *in, u64 *out)
{
	static const struct gaudi_dbg_write off[] = {
		{ TMC_BUFWM, 0 }, { TMC_RSZ, ETR_RSZ_RESET }, { TMC_DBALO, 0 },
		{ TMC_DBAHI, 0 }, { TMC_PSCR, 0 }, { TMC_MODE, 0 },
		{ TMC_FFCR, 0 },
	};
	int ret;

	ret = gaudi_dbg_tmc_flush(gdev, ETR_BASE, args->enable);
	if (ret)
		return ret < 0 ? ret : 0;
	if (args->enable)
		return gaudi_dbg_etr_enable(gdev, in);
	gaudi_dbg_write_all(gdev, ETR_BASE, off, ARRAY_SIZE(off));
	if (out)
		*out = gaudi_dbg_etr_end(gdev);
	return 0;
}

static int gaudi_dbg_funnel(struct gaudi_device *gdev, u32 base,
			   const struct hl_debug_args *args)
{
	gaudi_wr(gdev, base + CORESIGHT_LAR, CORESIGHT_UNLOCK);
	gaudi_wr(gdev, base, args->enable ? 0x33f : 0);
	return 0;
}

static void gaudi_dbg_bmon_set(struct gaudi_device *gdev, u32 base, bool enable,
			      const struct hl_debug_params_bmon *p)
{
	const struct gaudi_dbg_write writes[] = {
		{ 0x200, lower_32_bits(p->start_addr0) },
		{ 0x204, upper_32_bits(p->start_addr0) },
		{ 0x208, lower_32_bits(p->addr_mask0) },
		{ 0x20c, upper_32_bits(p->addr_mask0) },
		{ 0x240, lower_32_bits(p->start_addr1) },
		{ 0x244, upper_32_bits(p->start_addr1) },
		{ 0x248, lower_32_bits(p->addr_mask1) },
		{ 0x24c, upper_32_bits(p->addr_mask1) },
		{ 0x224, enable ? 0 : U32_MAX },
		{ 0x234, enable ? 0 : 0x1070f },
		{ 0x30c, p->bw_win }, { 0x308, p->win_capture },
		{ 0x700, 0xa000b00 | p->id << 12 },
		{ 0x708, 0xa000a00 | p->id << 12 },
		{ 0x70c, 0xa000c00 | p->id << 12 },
		{ 0x100, enable ? 0x11 : 1 },
		{ 0x304, enable },
	};

	gaudi_dbg_write_all(gdev, base, writes, ARRAY_SIZE(writes));
}

static int gaudi_dbg_bmon(struct gaudi_device *gdev, u32 base,
			 const struct hl_debug_args *args,
			 const struct hl_debug_params_bmon *in)
{
	static const struct hl_debug_params_bmon none = {
		.addr_mask0 = U64_MAX, .addr_mask1 = U64_MAX,
		.win_capture = 0xffff,
	};

	gaudi_wr(gdev, base + 0x104, 1);
	if (args->enable && !in)
		return -EINVAL;
	gaudi_dbg_bmon_set(gdev, base, args->enable, args->enable ? in : &none);
	if (!args->enable)
		gaudi_wr(gdev, base + 0x104, 0);
	return 0;
}

static int gaudi_dbg_spmu_enable(struct gaudi_device *gdev, u32 base,
				const struct hl_debug_params_spmu *in)
{
	u32 i;

	if (!in || in->event_types_num < SPMU_MIN_EVENTS ||
	    in->event_types_num > SPMU_MAX_EVENTS)
		return -EINVAL;
	gaudi_wr(gdev, base + 0xe04, 0x41013046);
	gaudi_wr(gdev, base + 0xe04, 0x41013040);
	for (i = 0; i < in->event_types_num; i++)
		gaudi_wr(gdev, base + 0x400 + 4 * i, in->event_types[i]);
	gaudi_wr(gdev, base + 0xe04, 0x41013041);
	gaudi_wr(gdev, base + 0xc00, 0x8000003f);
	return 0;
}

/* out: num words, the last two for overflow and cycles. */
static int gaudi_dbg_spmu(struct gaudi_device *gdev, u32 base,
			 const struct hl_debug_args *args,
			 const struct hl_debug_params_spmu *in, u64 *out,
			 u32 num)
{
	u32 i;

	if (args->enable)
		return gaudi_dbg_spmu_enable(gdev, base, in);
	if (!out || num < SPMU_MIN_EVENTS || num > SPMU_MAX_EVENTS + 2)
		return -EINVAL;
	gaudi_wr(gdev, base + 0xe04, 0x41013040);
	for (i = 0; i < num - 2; i++)
		out[i] = gaudi_rd(gdev, base + 8 * i);
	out[i++] = gaudi_rd(gdev, base + 0xcc0);
	out[i] = (u64)gaudi_rd(gdev, base + 0xfc) << 32;
	out[i] |= gaudi_rd(gdev, base + 0xf8);
	gaudi_wr(gdev, base + 0xcc0, 0);
	return 0;
}

/* --- The ioctl --- */

union gaudi_dbg_input {
	struct hl_debug_params_etr etr;
	struct hl_debug_params_etf etf;
	struct hl_debug_params_stm stm;
	struct hl_debug_params_bmon bmon;
	struct hl_debug_params_spmu spmu;
};

static const struct {
	const struct gaudi_dbg_units *units;	/* NULL: there is no choice */
	u8 input_size;
} gaudi_dbg_ops[] = {
	[HL_DEBUG_OP_ETR] = { NULL, sizeof(struct hl_debug_params_etr) },
	[HL_DEBUG_OP_ETF] = { gaudi_etfs, sizeof(struct hl_debug_params_etf) },
	[HL_DEBUG_OP_STM] = { gaudi_stms, sizeof(struct hl_debug_params_stm) },
	[HL_DEBUG_OP_FUNNEL] = { gaudi_funnels, 0 },
	[HL_DEBUG_OP_BMON] = { gaudi_bmons, sizeof(struct hl_debug_params_bmon) },
	[HL_DEBUG_OP_SPMU] = { gaudi_spmus, sizeof(struct hl_debug_params_spmu) },
	[HL_DEBUG_OP_TIMESTAMP] = { NULL, 0 },
};

/* base: of the unit. in: the op's structure, or NULL. */
static int gaudi_dbg_unit(struct gaudi_device *gdev, u32 base,
			  const struct hl_debug_args *args, const void *in,
			  u64 *out, u32 num)
{
	switch (args->op) {
	case HL_DEBUG_OP_ETR:
		return gaudi_dbg_etr(gdev, args, in, num ? out : NULL);
	case HL_DEBUG_OP_ETF:
		return gaudi_dbg_etf(gdev, base, args, in);
	case HL_DEBUG_OP_STM:
		return gaudi_dbg_stm(gdev, base, args, in);
	case HL_DEBUG_OP_FUNNEL:
		return gaudi_dbg_funnel(gdev, base, args);
	case HL_DEBUG_OP_BMON:
		return gaudi_dbg_bmon(gdev, base, args, in);
	case HL_DEBUG_OP_SPMU:
		return gaudi_dbg_spmu(gdev, base, args, in, out, num);
	default:
		return 0;
	}
}

static int gaudi_dbg_run(struct gaudi_device *gdev,
			const struct hl_debug_args *args, const void *in, u64 *out, u32 num)
{
	const struct gaudi_dbg_units *units = gaudi_dbg_ops[args->op].units;
	u32 base = units ? gaudi_dbg_base(units, args->reg_idx) : ETR_BASE;
	int ret = -EINVAL;

	if (base)
		ret = gaudi_dbg_unit(gdev, base, args, in, out, num);
	/* Posted writes have arrived. */
	gaudi_rd(gdev, GAUDI_PSOC_GLOBAL_CONF_BASE + PSOC_HW_STATE);
	return ret;
}

/* What the user gives, and gets: read before, and written after all else. */
struct gaudi_dbg_call {
	union gaudi_dbg_input in;
	bool has_in;
	u64 out[SPMU_MAX_EVENTS + 2];
	u32 out_size;
};

static int gaudi_dbg_copy_in(struct gaudi_dbg_call *call,
			     const struct hl_debug_args *args)
{
	u32 in_size = min_t(u32, args->input_size,
			    gaudi_dbg_ops[args->op].input_size);

	call->has_in = args->input_ptr && in_size;
	call->out_size = args->output_ptr ? args->output_size : 0;
	if (call->has_in &&
	    copy_from_user(&call->in, u64_to_user_ptr(args->input_ptr),
			   in_size))
		return -EFAULT;
	return 0;
}

/* All that was asked for; zero where there is nothing to say. */
static int gaudi_dbg_copy_out(const struct gaudi_dbg_call *call,
			      const struct hl_debug_args *args)
{
	void __user *out = u64_to_user_ptr(args->output_ptr);
	u32 used = min_t(u32, call->out_size, sizeof(call->out));

	if (!call->out_size)
		return 0;
	if (copy_to_user(out, call->out, used) ||
	    clear_user(out + used, call->out_size - used))
		return -EFAULT;
	return 0;
}

static int gaudi_dbg_configure(struct gaudi_device *gdev,
			       struct gaudi_dbg_call *call,
			       const struct hl_debug_args *args)
{
	int ret;

	if (gaudi_reset_enter(gdev))
		return -EBUSY;
	ret = gaudi_dbg_run(gdev, args, call->has_in ? &call->in : NULL,
			    call->out_size ? call->out : NULL,
			    call->out_size / sizeof(u64));
	gaudi_reset_exit(gdev);
	return ret;
}

/* Nothing writes trace any more. */
static void gaudi_dbg_halt(struct gaudi_device *gdev)
{
	static const struct hl_debug_args args = { };
	u32 i, base;
	int ret = 0;

	for (i = 0; (base = gaudi_dbg_base(gaudi_etfs, i)); i++)
		ret = gaudi_dbg_etf(gdev, base, &args, NULL) ?: ret;
	ret = gaudi_dbg_etr(gdev, &args, NULL, NULL) ?: ret;
	if (ret)
		drm_err(&gdev->drm, "trace buffers do not halt: %d\n", ret);
}

static void gaudi_debug_end(struct gaudi_ctx *ctx)
{
	struct gaudi_device *gdev = ctx->gdev;

	lockdep_assert_held(&gdev->ctx_mgr->debug_lock);
	gdev->ctx_mgr->debugger = NULL;
	/* A reset halts them as well. */
	if (ctx->unplugged || READ_ONCE(gdev->dead) || gaudi_reset_enter(gdev))
		return;
	gaudi_dbg_halt(gdev);
	gaudi_reset_exit(gdev);
}

void gaudi_debug_leave(struct gaudi_ctx *ctx)
{
	struct gaudi_ctx_mgr *mgr = ctx->gdev->ctx_mgr;

	guard(mutex)(&mgr->debug_lock);
	if (mgr->debugger == ctx)
		gaudi_debug_end(ctx);
}

static int gaudi_debug_set_mode(struct gaudi_ctx *ctx, bool enable)
{
	struct gaudi_ctx_mgr *mgr = ctx->gdev->ctx_mgr;

	if (enable && mgr->debugger)
		return -EFAULT;
	if (!enable && mgr->debugger != ctx)
		return -EFAULT;
	if (enable)
		mgr->debugger = ctx;
	else
		gaudi_debug_end(ctx);
	return 0;
}

static int gaudi_debug_run(struct gaudi_ctx *ctx, struct gaudi_dbg_call *call,
			   const struct hl_debug_args *args)
{
	struct gaudi_ctx_mgr *mgr = ctx->gdev->ctx_mgr;

	guard(mutex)(&mgr->debug_lock);
	if (args->op == HL_DEBUG_OP_SET_MODE)
		return gaudi_debug_set_mode(ctx, args->enable);
	if (mgr->debugger != ctx)
		return -EFAULT;
	return gaudi_dbg_configure(ctx->gdev, call, args);
}

int gaudi_debug_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	const struct hl_debug_args *args = data;
	struct gaudi_ctx *ctx = file->driver_priv;
	struct gaudi_dbg_call call = { };
	int ret = 0, idx;

	if (!gaudi_device_operational(ctx->gdev))
		return -EBUSY;
	/* Traces would show one process what the others do. */
	if (gaudi_is_shared(ctx->gdev))
		return -EPERM;
	if (args->op > HL_DEBUG_OP_SET_MODE)
		return -EINVAL;
	if (args->op != HL_DEBUG_OP_SET_MODE)
		ret = gaudi_dbg_copy_in(&call, args);
	if (ret)
		return ret;
	if (!gaudi_device_enter(ctx->gdev, &idx))
		return -ENODEV;
	ret = gaudi_debug_run(ctx, &call, args);
	gaudi_device_exit(ctx->gdev, idx);
	return ret ?: gaudi_dbg_copy_out(&call, args);
}
