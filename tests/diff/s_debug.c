// SPDX-License-Identifier: GPL-2.0-only
/*
 * DEBUG: each unit of each kind is set up and stopped, with parameters in all
 * their bits. What is written to the card is compared by the suite "driver",
 * which looks at the card; here is what the caller sees.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "steps.h"

static void enter(void)
{
	step(DEBUG(.op = HL_DEBUG_OP_SET_MODE, .enable = 1), "enter");
}

static void leave(void)
{
	step(DEBUG(.op = HL_DEBUG_OP_SET_MODE, .enable = 0), "leave");
}

/* out: how many words come back; they are a part of the step. */
static int unit(uint32_t op, uint32_t index, const char *kind, const void *in,
		uint32_t in_size, unsigned int out)
{
	uint64_t words[8];
	struct hl_debug_args args = {
		.op = op, .reg_idx = index, .enable = !!in,
		.input_ptr = PTR(in), .input_size = in_size,
		.output_ptr = out ? PTR(words) : 0, .output_size = out * 8,
	};
	char name[64], text[256] = "";
	unsigned int i, n = 0;
	int rc;

	memset(words, 0x5a, sizeof(words));
	rc = gt_ioctl(fd, DRM_IOCTL_HL_DEBUG, &args);
	for (i = 0; i < out; i++)
		n += snprintf(text + n, sizeof(text) - n, " %#llx",
			      (unsigned long long)words[i]);
	snprintf(name, sizeof(name), "%s %u %s", kind, index,
		 in ? "on" : "off");
	say(name, "%s%s", errname(rc), text);
	return rc;
}

#define EACH_MAX	160

/* Until there is no such unit. */
static void each(uint32_t op, const char *kind, const void *in,
		 uint32_t in_size, unsigned int out)
{
	uint32_t i;

	for (i = 0; i < EACH_MAX; i++)
		if (unit(op, i, kind, in, in_size, 0) == -EINVAL ||
		    unit(op, i, kind, NULL, 0, out) == -EINVAL)
			break;
}

static void stm_script(void)
{
	struct hl_debug_params_stm in = {
		.he_mask = 0x123456789abcdef0, .sp_mask = 0xfedcba9876543210,
		.id = 0x7e, .frequency = 0x2faf080,
	};

	enter();
	each(HL_DEBUG_OP_STM, "STM", &in, sizeof(in), 0);
	in.id = ~0u;
	unit(HL_DEBUG_OP_STM, 3, "STM, id", &in, sizeof(in), 0);
	unit(HL_DEBUG_OP_STM, 3, "STM, id", NULL, 0, 0);
	leave();
}

static void etf_script(void)
{
	struct hl_debug_params_etf in = { .sink_mode = 2 };
	uint32_t i;

	enter();
	each(HL_DEBUG_OP_ETF, "ETF", &in, sizeof(in), 0);
	for (i = 0; i < 5; i++) {
		in.sink_mode = i;
		unit(HL_DEBUG_OP_ETF, 5, "ETF, mode", &in, sizeof(in), 0);
		unit(HL_DEBUG_OP_ETF, 5, "ETF, mode", NULL, 0, 0);
	}
	/* What is on when the mode ends is stopped. */
	unit(HL_DEBUG_OP_ETF, 7, "ETF, left on", &in, sizeof(in), 0);
	leave();
}

static void funnel_script(void)
{
	uint32_t word = 0;

	enter();
	each(HL_DEBUG_OP_FUNNEL, "funnel", &word, sizeof(word), 0);
	leave();
}

static void bmon_script(void)
{
	struct hl_debug_params_bmon in = {
		.start_addr0 = 0x1122334455667788, .addr_mask0 = 0xa1a2a3a4a5a6a7a8,
		.start_addr1 = 0x8877665544332211, .addr_mask1 = 0xb1b2b3b4b5b6b7b8,
		.start_addr2 = 0xc1c2c3c4c5c6c7c8, .end_addr2 = 0xd1d2d3d4d5d6d7d8,
		.start_addr3 = 0xe1e2e3e4e5e6e7e8, .end_addr3 = 0xf1f2f3f4f5f6f7f8,
		.bw_win = 0x12345678, .win_capture = 0x9abcdef0, .id = 0x35,
		.control = 0x1b,
	};

	enter();
	each(HL_DEBUG_OP_BMON, "BMON", &in, sizeof(in), 0);
	in.id = ~0u;
	in.control = ~0u;
	unit(HL_DEBUG_OP_BMON, 9, "BMON, all ones", &in, sizeof(in), 0);
	unit(HL_DEBUG_OP_BMON, 9, "BMON, all ones", NULL, 0, 0);
	leave();
}

static void spmu_script(void)
{
	struct hl_debug_params_spmu in = {
		.event_types = { 0x11, 0x122, 0x3, 0x4444, 0x55, 0x66 },
		.event_types_num = 6,
		.pmtrc_val = 0x12, .trc_ctrl_host_val = 0x34,
		.trc_en_host_val = 0x56,
	};
	uint32_t num;

	enter();
	each(HL_DEBUG_OP_SPMU, "SPMU", &in, sizeof(in), 8);
	for (num = 2; num < 8; num++) {
		in.event_types_num = num;
		unit(HL_DEBUG_OP_SPMU, 21, "SPMU, events", &in, sizeof(in), 0);
		unit(HL_DEBUG_OP_SPMU, 21, "SPMU, events", NULL, 0, num + 2);
	}
	leave();
}

static void etr_script(void)
{
	static const struct {
		uint64_t addr, size;
	} bufs[] = {
		{ 0x30000000, 0x100000 }, { 0x20000000, 0x1000 },
		{ 0x7fff00000, 0x100000 }, { SRAM_BASE + 0x200000, 0x4000 },
		{ 0x30000000, 0x1003 }, { 0x30000001, 0x1000 },
	};
	struct hl_debug_params_etr in = { 0 };
	unsigned int i, mode;

	enter();
	for (i = 0; i < sizeof(bufs) / sizeof(bufs[0]); i++)
		for (mode = 0; mode < 4; mode++) {
			char name[64];

			in.buffer_address = bufs[i].addr;
			in.buffer_size = bufs[i].size;
			in.sink_mode = mode;
			snprintf(name, sizeof(name), "ETR %#llx mode %u",
				 (unsigned long long)in.buffer_address, mode);
			unit(HL_DEBUG_OP_ETR, 0, name, &in, sizeof(in), 0);
			unit(HL_DEBUG_OP_ETR, 0, name, NULL, 0, 1);
		}
	/* What is on when the file is closed is stopped. */
	in.sink_mode = 0;
	unit(HL_DEBUG_OP_ETR, 0, "ETR, left on", &in, sizeof(in), 0);
	step(DEBUG(.op = HL_DEBUG_OP_TIMESTAMP, .enable = 1), "timestamp on");
	step(DEBUG(.op = HL_DEBUG_OP_TIMESTAMP, .enable = 0), "timestamp off");
}

const struct script s_debug[] = {
	{ "debug-stm", stm_script, true },
	{ "debug-etf", etf_script, true },
	{ "debug-funnel", funnel_script, true },
	{ "debug-bmon", bmon_script, true },
	{ "debug-spmu", spmu_script, true },
	{ "debug-etr", etr_script, true },
	{ .name = NULL },
};
