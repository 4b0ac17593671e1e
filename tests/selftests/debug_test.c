// SPDX-License-Identifier: GPL-2.0-only
/* DEBUG: who may, with what; what each refusal says. */
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "../../uapi/drm/gaudi_accel.h"
#include "lib/fixture.h"

GAUDI_FIXTURE(debug)

static int debug(int fd, uint32_t op, uint32_t unit, uint32_t enable, void *in,
		 uint32_t in_size, void *out, uint32_t out_size)
{
	struct hl_debug_args args = {
		.input_ptr = (uintptr_t)in, .input_size = in_size,
		.output_ptr = (uintptr_t)out, .output_size = out_size,
		.op = op, .reg_idx = unit, .enable = enable,
	};

	return gt_ioctl(fd, DRM_IOCTL_HL_DEBUG, &args);
}

static int mode(int fd, bool on)
{
	return debug(fd, HL_DEBUG_OP_SET_MODE, 0, on, NULL, 0, NULL, 0);
}

TEST_F(debug, mode_is_entered_and_left_once)
{
	EXPECT_EQ(-EFAULT, mode(self->fd, false));
	EXPECT_EQ(0, mode(self->fd, true));
	EXPECT_EQ(-EFAULT, mode(self->fd, true));
	EXPECT_EQ(0, mode(self->fd, false));
	EXPECT_EQ(-EFAULT, mode(self->fd, false));
}

/* By the number of binaries from before 6.7; habanalabs.ko has forgotten it. */
TEST_F(debug, mode_by_the_old_number)
{
	struct hl_debug_args args = { .op = HL_DEBUG_OP_SET_MODE, .enable = 1 };
	int want = gt_has(self->fd, GAUDI_CAP_SYNCOBJ) ? 0 : -ENOTTY;

	EXPECT_EQ(want, gt_ioctl(self->fd,
				 _IOWR('H', 6, struct hl_debug_args), &args));
	EXPECT_EQ(want ? -EFAULT : 0, mode(self->fd, false));
}

TEST_F(debug, nothing_works_outside_the_mode)
{
	uint32_t op;

	for (op = HL_DEBUG_OP_ETR; op <= HL_DEBUG_OP_TIMESTAMP; op++)
		EXPECT_EQ(-EFAULT, debug(self->fd, op, 0, 0, NULL, 0, NULL, 0));
	EXPECT_EQ(-EINVAL, debug(self->fd, HL_DEBUG_OP_SET_MODE + 1, 0, 0, NULL,
				 0, NULL, 0));
}

/* The mode does not outlive the file. */
TEST_F(debug, mode_ends_with_the_file)
{
	ASSERT_EQ(0, mode(self->fd, true));
	gt_cb_destroy(self->fd, &self->cb);
	munmap(self->cb.map, self->cb.size);
	close(self->fd);
	self->fd = gt_open();
	ASSERT_GE(self->fd, 0);
	EXPECT_EQ(0, mode(self->fd, true));
	EXPECT_EQ(0, gt_cb_create(self->fd, 0x4000, &self->cb));
}

TEST_F(debug, units_are_counted)
{
	static const struct {
		uint32_t op, units;
	} kinds[] = {
		{ HL_DEBUG_OP_ETF, 48 }, { HL_DEBUG_OP_STM, 46 },
		{ HL_DEBUG_OP_FUNNEL, 76 }, { HL_DEBUG_OP_BMON, 121 },
	};

	ASSERT_EQ(0, mode(self->fd, true));
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		EXPECT_EQ(0, debug(self->fd, kinds[i].op, kinds[i].units - 1, 0,
				   NULL, 0, NULL, 0));
		EXPECT_EQ(-EINVAL, debug(self->fd, kinds[i].op, kinds[i].units,
					 0, NULL, 0, NULL, 0));
		EXPECT_EQ(-EINVAL, debug(self->fd, kinds[i].op, ~0u, 0, NULL, 0,
					 NULL, 0));
	}
	EXPECT_EQ(0, debug(self->fd, HL_DEBUG_OP_TIMESTAMP, ~0u, 1, NULL, 0,
			   NULL, 0));
}

TEST_F(debug, enabling_wants_parameters)
{
	ASSERT_EQ(0, mode(self->fd, true));
	EXPECT_EQ(-EINVAL, debug(self->fd, HL_DEBUG_OP_STM, 0, 1, NULL, 0, NULL,
				 0));
	EXPECT_EQ(-EINVAL, debug(self->fd, HL_DEBUG_OP_BMON, 0, 1, NULL, 8,
				 NULL, 0));
	EXPECT_EQ(-EINVAL, debug(self->fd, HL_DEBUG_OP_SPMU, 0, 1, NULL, 0,
				 NULL, 0));
	EXPECT_EQ(-EFAULT, debug(self->fd, HL_DEBUG_OP_STM, 0, 1, (void *)8, 8,
				 NULL, 0));
	EXPECT_EQ(0, debug(self->fd, HL_DEBUG_OP_FUNNEL, 0, 1, NULL, 0, NULL,
			   0));
	EXPECT_EQ(0, debug(self->fd, HL_DEBUG_OP_FUNNEL, 0, 0, NULL, 0, NULL,
			   0));
}


/* Of the first DMA channel, and of the first MME. */
#define STM		(CFG_BASE + 0x2501000)
#define STM_INDEX	17
#define BMON		(CFG_BASE + 0x2027000)

/* A word at an address by debugfs's file of this name; ~0 if that does not work. */
static uint64_t word(const char *name, uint64_t addr, const uint64_t *write)
{
	char pattern[64], path[512], text[32];
	uint64_t val = ~0ull;
	FILE *f = NULL;
	glob_t g;

	snprintf(pattern, sizeof(pattern), "/sys/kernel/debug/accel/*/%s",
		 name);
	if (glob(pattern, 0, NULL, &g))
		return val;
	snprintf(path, sizeof(path), "%.*saddr",
		 (int)(strlen(g.gl_pathv[0]) - strlen(name)), g.gl_pathv[0]);
	snprintf(text, sizeof(text), "0x%" PRIx64, addr);
	if (gt_write_file(path, text)) {
		globfree(&g);
		return val;
	}
	if (write) {
		snprintf(text, sizeof(text), "0x%" PRIx64, *write);
		if (!gt_write_file(g.gl_pathv[0], text))
			val = 0;
	} else {
		f = fopen(g.gl_pathv[0], "r");
	}
	if (f) {
		if (fscanf(f, "%" SCNx64, &val) != 1)
			val = ~0ull;
		fclose(f);
	}
	globfree(&g);
	return val;
}

static uint32_t reg(uint64_t addr)
{
	return (uint32_t)word("data32", addr, NULL);
}

/* Memory at any address, registers of 32 bits at theirs. */
TEST_F(debug, words_at_odd_addresses)
{
	const uint64_t low = 0x0123456789abcdef, high = 0xfedcba9876543210;
	const uint64_t new32 = 0xaabbccdd, new64 = 0x1122334455667788;
	const uint64_t sobs = 7ull << 32 | 5, none = 0;
	const uint64_t places[] = {
		0x20000000 + (32 << 20), SRAM_BASE + (1 << 20),
	};
	int i;

	for (i = 0; i < 2; i++) {
		uint64_t at = places[i];

		EXPECT_EQ(0, word("data64", at, &low));
		EXPECT_EQ(0, word("data64", at + 8, &high));
		EXPECT_EQ(0x6789abcd, word("data32", at + 1, NULL));
		EXPECT_EQ(0x54321001, word("data32", at + 7, NULL));
		EXPECT_EQ(0x7654321001234567, word("data64", at + 4, NULL));
		EXPECT_EQ(0, word("data32", at + 3, &new32));
		EXPECT_EQ(0x01aabbccddabcdef, word("data64", at, NULL));
		EXPECT_EQ(0, word("data64", at + 5, &new64));
		EXPECT_EQ(0x667788ccddabcdef, word("data64", at, NULL));
		EXPECT_EQ(0xfedcba1122334455, word("data64", at + 8, NULL));
	}
	EXPECT_EQ(~0ull, word("data32", SOB_E_N(1001) + 2, NULL));
	EXPECT_EQ(~0ull, word("data64", SOB_E_N(1001) + 2, NULL));
	EXPECT_EQ(0, word("data64", SOB_E_N(1001), &sobs));
	EXPECT_EQ(5, reg(SOB_E_N(1001)));
	EXPECT_EQ(7, reg(SOB_E_N(1002)));
	EXPECT_EQ(sobs, word("data64", SOB_E_N(1001), NULL));
	EXPECT_EQ(0, word("data64", SOB_E_N(1001), &none));
}

TEST_F(debug, units_take_what_they_are_given)
{
	struct hl_debug_params_stm stm = {
		.he_mask = 0x1122334455667788, .sp_mask = 0x99aabbcc, .id = 5,
	};
	struct hl_debug_params_bmon bmon = {
		.start_addr0 = 0x123456789a, .addr_mask0 = 0xfedcba9876,
		.bw_win = 7, .win_capture = 9, .id = 3,
	};

	ASSERT_EQ(0, mode(self->fd, true));
	EXPECT_EQ(0, debug(self->fd, HL_DEBUG_OP_STM, STM_INDEX, 1, &stm,
			   sizeof(stm), NULL, 0));
	EXPECT_EQ(0x99aabbcc, reg(STM + 0xe00));
	EXPECT_EQ(0x11223344, reg(STM + 0xd00));
	EXPECT_EQ(0x50023, reg(STM + 0xe80));
	EXPECT_EQ(0xffff8005, reg(STM + 0xe68));
	EXPECT_EQ(0, debug(self->fd, HL_DEBUG_OP_STM, STM_INDEX, 0, NULL, 0,
			   NULL, 0));
	EXPECT_EQ(0, reg(STM + 0xe00));
	EXPECT_EQ(4, reg(STM + 0xe80));

	EXPECT_EQ(0, debug(self->fd, HL_DEBUG_OP_BMON, 0, 1, &bmon,
			   sizeof(bmon), NULL, 0));
	EXPECT_EQ(0x3456789a, reg(BMON + 0x200));
	EXPECT_EQ(0x12, reg(BMON + 0x204));
	EXPECT_EQ(0xfe, reg(BMON + 0x20c));
	EXPECT_EQ(1, reg(BMON + 0x304));
	EXPECT_EQ(0, debug(self->fd, HL_DEBUG_OP_BMON, 0, 0, NULL, 0, NULL,
			   0));
	EXPECT_EQ(0, reg(BMON + 0x200));
	EXPECT_EQ(0, reg(BMON + 0x304));
}

TEST_F(debug, counters_are_read_when_they_stop)
{
	struct hl_debug_params_spmu in = {
		.event_types = { 1, 2, 3, 4, 5, 6, 7 },
	};
	uint64_t out[9];

	ASSERT_EQ(0, mode(self->fd, true));
	in.event_types_num = 2;
	EXPECT_EQ(-EINVAL, debug(self->fd, HL_DEBUG_OP_SPMU, 39, 1, &in,
				 sizeof(in), NULL, 0));
	in.event_types_num = 7;
	EXPECT_EQ(-EINVAL, debug(self->fd, HL_DEBUG_OP_SPMU, 39, 1, &in,
				 sizeof(in), NULL, 0));
	in.event_types_num = 6;
	EXPECT_EQ(-EINVAL, debug(self->fd, HL_DEBUG_OP_SPMU, 40, 1, &in,
				 sizeof(in), NULL, 0));
	EXPECT_EQ(0, debug(self->fd, HL_DEBUG_OP_SPMU, 39, 1, &in, sizeof(in),
			   NULL, 0));
	EXPECT_EQ(-EINVAL, debug(self->fd, HL_DEBUG_OP_SPMU, 39, 0, NULL, 0,
				 NULL, 0));
	EXPECT_EQ(-EINVAL, debug(self->fd, HL_DEBUG_OP_SPMU, 39, 0, NULL, 0,
				 out, 2 * 8));
	EXPECT_EQ(-EINVAL, debug(self->fd, HL_DEBUG_OP_SPMU, 39, 0, NULL, 0,
				 out, 9 * 8));
	memset(out, 0xff, sizeof(out));
	EXPECT_EQ(0, debug(self->fd, HL_DEBUG_OP_SPMU, 39, 0, NULL, 0, out,
			   8 * 8));
	/* Counters have 32 bits, the overflow flags are clear. */
	for (int i = 0; i < 6; i++)
		EXPECT_EQ(0, out[i] >> 32);
	EXPECT_EQ(0, out[6]);
	EXPECT_EQ(~0ull, out[8]);
	EXPECT_EQ(-EFAULT, debug(self->fd, HL_DEBUG_OP_SPMU, 39, 0, NULL, 0,
				 (void *)8, 3 * 8));
}

/* Where trace may go: what the user owns, and nothing else. */
TEST_F(debug, trace_goes_to_user_memory_only)
{
	static const struct {
		uint64_t addr, size;
	} bad[] = {
		{ 0x30000000, 0 },
		{ 0x1fffffff, 0x1000 },		/* the driver's HBM */
		{ 0x0, 0x1000 },
		{ 0x7ffffffff, 0x1000 },	/* past HBM */
		{ SRAM_BASE, 0x40 },		/* the driver's SRAM */
		{ CFG_BASE, 0x1000 },		/* registers */
		{ 0x8000000000, 0x1000 },	/* the host, as the card sees it */
		{ 1ull << 50, 0x1000 },
		{ 0x30000000, ~0ull },
		{ ~0ull, 2 },
	};
	struct hl_debug_params_etr in = { };

	ASSERT_EQ(0, mode(self->fd, true));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		in.buffer_address = bad[i].addr;
		in.buffer_size = bad[i].size;
		EXPECT_EQ(-EINVAL, debug(self->fd, HL_DEBUG_OP_ETR, 0, 1, &in,
					 sizeof(in), NULL, 0))
			TH_LOG("0x%llx", (unsigned long long)bad[i].addr);
	}
	EXPECT_EQ(-EINVAL, debug(self->fd, HL_DEBUG_OP_ETR, 0, 1, NULL, 0, NULL,
				 0));
	/* It is off, so there is nothing to say. */
	EXPECT_EQ(0, debug(self->fd, HL_DEBUG_OP_ETR, 0, 0, NULL, 0, NULL, 0));
}

TEST_HARNESS_MAIN
