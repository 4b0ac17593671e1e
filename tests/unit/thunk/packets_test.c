// SPDX-License-Identifier: GPL-2.0-only
/*
 * The packet writer, byte by byte. Expected words are written out by hand from
 * the facts (opcode in bits 28:24 of the second dword, EB 29, RB 30, MB 31;
 * E_N monitors and sync objects behind message bases 0 and 1; FENCE0 of a DMA
 * QMAN at 0x308), not with the macros that the writer uses.
 */
#include "../unit.h"
#include "packets.h"

#define EB	0x20000000u
#define MB	0x80000000u

static uint32_t words[64];
static struct pkt_buf pb;

static int begin(void **state)
{
	(void)state;
	memset(words, 0xee, sizeof(words));
	pkt_init(&pb, words, sizeof(words));

	return 0;
}

#define PACKETS_TEST(fn) TEST_WITH(fn, begin, NULL)

static void check(const uint32_t *want, size_t n)
{
	assert_false(pb.overflow);
	assert_int_equal(pb.used, n * 4);
	assert_memory_equal(words, want, n * 4);
	assert_int_equal(words[n], 0xeeeeeeee);
}

#define CHECK(...) do { \
	const uint32_t want[] = { __VA_ARGS__ }; \
	check(want, sizeof(want) / sizeof(want[0])); \
} while (0)

PACKETS_TEST(linear_dma)
{
	pkt_lin_dma(&pb, 0x1000000200000, 0x20000000, 0x1234, EB);
	CHECK(0x1234, 0x29000008, 0x00200000, 0x10000, 0x20000000, 0);
}

PACKETS_TEST(memory_set)
{
	pkt_memset(&pb, 0x1122334455667788, 0x7ff0000080, 64, 0);
	CHECK(64, 0x09000018, 0x55667788, 0x11223344, 0xf0000080, 0x7f);
}

PACKETS_TEST(messages)
{
	pkt_msg_long(&pb, 0x7ffc492240, 5, MB);
	pkt_msg_short(&pb, 3, 0x240, 0x80000001, EB | MB);
	pkt_nop(&pb, 0);
	CHECK(5, 0x83000000, 0xfc492240, 0x7f,
	      0x80000001, 0xa4c00240,
	      0, 0x0a000000);
}

PACKETS_TEST(lower_cp)
{
	pkt_cp_dma(&pb, 0x1000000201040, 56, 0);
	CHECK(56, 0x05000000, 0x00201040, 0x10000);
}

PACKETS_TEST(registers)
{
	const uint32_t values[] = { 1, 2, 3, 4 };

	pkt_wreg32(&pb, 0x280, 7, 0);
	pkt_wreg_bulk(&pb, 0xa00, values, 4, EB);
	CHECK(7, 0x01028000, 2, 0x220a0000, 1, 2, 3, 4);
}

PACKETS_TEST(fences)
{
	pkt_fence(&pb, 2, 1, 1, 0);
	pkt_fence(&pb, 0, 255, 15, MB);
	CHECK(0x80010001, 0x08000000, 0x00ff000f, 0x88000000);
}

PACKETS_TEST(sync_objects)
{
	pkt_sob_set(&pb, 10, 0xffff, 0);	/* 15 bits of value */
	pkt_sob_add(&pb, 2047, 1, EB);
	CHECK(0x7fff, 0x04400028, 0x80000001, 0x24401ffc);
}

PACKETS_TEST(monitors)
{
	pkt_monitor(&pb, 3, 21, 7, 0x7ffc50830cull, 1);
	CHECK(0xfc50830c, 0x0400000c,
	      0x7f, 0x0400080c,
	      1, 0x0400100c,
	      /* group 2, all masked but object 5 of it, >= 7 */
	      0x000edf02, 0x8400180c);
}

PACKETS_TEST(fence_addresses)
{
	assert_int_equal(pkt_fence_addr(0, 0), 0x7ffc508308);
	assert_int_equal(pkt_fence_addr(5, 0), 0x7ffc52830c);
	assert_int_equal(pkt_fence_addr(7, 2), 0x7ffc52833c);
	assert_int_equal(pkt_fence_addr(9, 0), 0x7ffc548308);
	assert_int_equal(pkt_fence_addr(32, 0), 0x7ffc5e8314);
	assert_int_equal(pkt_fence_addr(8, 0), 0);	/* the CPU's queue */
	assert_int_equal(pkt_fence_addr(33, 0), 0x7ffc168308);	/* MME2's */
	assert_int_equal(pkt_fence_addr(40, 1), 0x7ffc068328);	/* MME0's */
	assert_int_equal(pkt_fence_addr(41, 0), 0x7ffce08308);	/* TPC0's */
	assert_int_equal(pkt_fence_addr(72, 0), 0x7ffcfc8314);	/* TPC7's */
	assert_int_equal(pkt_fence_addr(73, 0), 0x7ffcce0308);	/* NIC0's */
	assert_int_equal(pkt_fence_addr(112, 0), 0x7ffcde2314);	/* NIC9's */
	assert_int_equal(pkt_fence_addr(113, 0), 0);
}

PACKETS_TEST(full_buffer)
{
	pkt_init(&pb, words, 40);
	pkt_lin_dma(&pb, 1, 2, 3, 0);
	pkt_lin_dma(&pb, 4, 5, 6, 0);
	assert_true(pb.overflow);
	assert_int_equal(pb.used, 24);
	assert_int_equal(words[6], 0xeeeeeeee);
	pkt_nop(&pb, 0);			/* no packet after a lost one */
	assert_int_equal(pb.used, 24);
}

/* Sizes by the facts' packet list; what is cut off or unknown has none. */
TEST(reading)
{
	static const uint8_t sizes[32] = {
		[0x1] = 8, [0x2] = 8, [0x3] = 16, [0x4] = 8, [0x5] = 16,
		[0x6] = 8, [0x7] = 16, [0x8] = 8, [0x9] = 24, [0xa] = 8,
		[0xb] = 8, [0xc] = 8, [0xd] = 8, [0xf] = 16,
	};
	uint32_t packet[6] = {};
	unsigned int i, opcode;

	for (i = 0; i < 32; i++) {
		packet[1] = i << 24 | 0xe0ffffff;
		assert_int_equal(pkt_length(packet, 24, &opcode), sizes[i]);
		assert_int_equal(opcode, i);
		assert_int_equal(!pkt_name(i), !sizes[i]);
		if (sizes[i])
			assert_int_equal(pkt_length(packet, sizes[i] - 1u,
						    &opcode), 0);
	}
	assert_int_equal(pkt_length(packet, 7, &opcode), 0);
	assert_string_equal(pkt_name(9), "LIN_DMA");
	assert_null(pkt_name(32));
	/* WREG_BULK has its values behind it. */
	packet[0] = 0xffff0002;
	packet[1] = 0x02000000;
	assert_int_equal(pkt_length(packet, 24, &opcode), 24);
	assert_int_equal(pkt_length(packet, 23, &opcode), 0);
}
