// SPDX-License-Identifier: GPL-2.0-only
/*
 * gaudi_cb_check(): what a user may put on an external queue. The numbers of
 * packets, and their sizes, stand here as the chip has them.
 */
#include <linux/random.h>
#include <linux/slab.h>

#include "../../queues/gaudi_cb_check.h"
#include "../gaudi_kunit.h"

#define LIN_DMA		0x09
#define NOP		0x0a
#define STOP		0x0b
#define LOAD_AND_EXE	0x0f

static const struct {
	u8 size;		/* bytes; 0: no such packet */
	int verdict;
} wanted[32] = {
	[0x01] = { 8, 0 },		/* WREG_32 */
	[0x02] = { 8, -EPERM },		/* WREG_BULK */
	[0x03] = { 16, 0 },		/* MSG_LONG */
	[0x04] = { 8, 0 },		/* MSG_SHORT */
	[0x05] = { 16, -EPERM },	/* CP_DMA */
	[0x06] = { 8, 0 },		/* REPEAT */
	[0x07] = { 16, -EPERM },	/* MSG_PROT */
	[0x08] = { 8, 0 },		/* FENCE */
	[LIN_DMA] = { 24, 0 },
	[NOP] = { 8, 0 },
	[STOP] = { 8, -EPERM },
	[0x0c] = { 8, 0 },		/* ARB_POINT */
	[LOAD_AND_EXE] = { 16, 0 },
};

/* A copy of exactly size bytes, so that KASAN sees what is read beyond. */
static int gaudi_check(struct kunit *test, const void *cb, u32 size,
		       bool *dma)
{
	struct gaudi_device *gdev = test->priv;
	void *copy = kmalloc(size, GFP_KERNEL);
	int ret;

	KUNIT_ASSERT_TRUE(test, copy);
	memcpy(copy, cb, size);
	ret = gaudi_cb_check(gdev, copy, size, dma);
	kfree(copy);
	return ret;
}

static void gaudi_add_packet(void *cb, u32 off, u32 op)
{
	*(__le32 *)(cb + off + 4) = cpu_to_le32(op << 24 | 0xe0000000);
}

static int gaudi_kunit_cb_init(struct kunit *test)
{
	test->priv = gaudi_fake_device(test);
	return 0;
}

static void gaudi_each_opcode(struct kunit *test)
{
	u8 cb[24];
	bool dma;
	u32 op, size;

	for (op = 0; op < 32; op++) {
		memset(cb, 0, sizeof(cb));
		gaudi_add_packet(cb, 0, op);
		for (size = 0; size < (wanted[op].size ? wanted[op].size : 8);
		     size++) {
			int want = size ? -EINVAL : 0;

			KUNIT_EXPECT_EQ_MSG(test, want,
					    gaudi_check(test, cb, size, &dma),
					    "opcode %#x, %u bytes", op, size);
			KUNIT_EXPECT_FALSE(test, dma);
		}
		KUNIT_EXPECT_EQ_MSG(test, wanted[op].size ? wanted[op].verdict :
				    -EINVAL, gaudi_check(test, cb, size, &dma),
				    "opcode %#x", op);
		KUNIT_EXPECT_EQ_MSG(test, op == LIN_DMA, dma,
				    "opcode %#x", op);
	}
}

static void gaudi_last_packet_counts(struct kunit *test)
{
	u32 op, size;
	u8 cb[56];
	bool dma;

	for (op = 0; op < 32; op++) {
		memset(cb, 0, sizeof(cb));
		gaudi_add_packet(cb, 0, NOP);
		gaudi_add_packet(cb, 8, LIN_DMA);
		gaudi_add_packet(cb, 32, op);
		size = 32 + wanted[op].size;
		if (!wanted[op].size)
			size += 8;
		KUNIT_EXPECT_EQ_MSG(test, wanted[op].size ? wanted[op].verdict :
				    -EINVAL, gaudi_check(test, cb, size, &dma),
				    "opcode %#x", op);
		KUNIT_EXPECT_TRUE(test, dma);
	}
}

/* Nothing may be loaded into the command processor itself. */
static void gaudi_load_and_exe(struct kunit *test)
{
	u8 cb[16] = { 0 };
	u32 bit;
	bool dma;

	gaudi_add_packet(cb, 0, LOAD_AND_EXE);
	for (bit = 0; bit < 32; bit++) {
		*(__le32 *)cb = cpu_to_le32(1u << bit);
		KUNIT_EXPECT_EQ_MSG(test, bit == 0 ? -EPERM : 0,
				    gaudi_check(test, cb, 16, &dma), "bit %u", bit);
	}
}

/* Whatever it is given, it reads no further, and passes no packet unseen. */
static void gaudi_any_bytes(struct kunit *test)
{
	u32 round, size, off, op;
	u8 cb[256];
	bool dma;

	for (round = 0; round < 20000; round++) {
		size = get_random_u32_inclusive(1, sizeof(cb));
		get_random_bytes(cb, size);
		/* Mostly good packets, or it would always end at the first. */
		for (off = 0; off + 8 <= size; off += 8)
			if (get_random_u32_below(16))
				cb[off + 7] = get_random_u32_below(2) ? NOP :
					      get_random_u32_below(16);
		if (gaudi_check(test, cb, size, &dma))
			continue;
		for (off = 0; off < size; off += wanted[op].size) {
			op = cb[off + 7] & 0x1f;
			KUNIT_ASSERT_TRUE(test, wanted[op].size &&
					  !wanted[op].verdict);
		}
		KUNIT_ASSERT_EQ(test, off, size);
	}
}

static struct kunit_case gaudi_kunit_cb_cases[] = {
	KUNIT_CASE(gaudi_each_opcode),
	KUNIT_CASE(gaudi_last_packet_counts),
	KUNIT_CASE(gaudi_load_and_exe),
	KUNIT_CASE_SLOW(gaudi_any_bytes),
	{ }
};

static struct kunit_suite gaudi_kunit_cb_suite = {
	.name = "gaudi_cb_check",
	.init = gaudi_kunit_cb_init,
	.test_cases = gaudi_kunit_cb_cases,
};

kunit_test_suite(gaudi_kunit_cb_suite);
