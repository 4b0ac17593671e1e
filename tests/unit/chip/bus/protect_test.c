// SPDX-License-Identifier: GPL-2.0-only
/*
 * Protection: ranges of memory and registers that unprivileged engines may not
 * reach, protection bits of registers, and how a refusal is told.
 */
#include "../card.h"

#define RING	0x10000
#define CBUF	0x40000
#define DATA	0x1000000
#define LIN	0x8

/* Interfaces that carry DMA 0..7, and the channel in them. */
static const uint32_t dma_if[8] = {
	0x480000, 0x4a0000, 0x480000, 0x4a0000,
	0x4c0000, 0x4e0000, 0x4c0000, 0x4e0000,
};

static const unsigned int dma_channel[8] = { 0, 0, 1, 1, 0, 0, 1, 1 };

#define RAZWI_WRITE_VLD	0xc1105c
#define RAZWI_WRITE_ID	0xc11060
#define RAZWI_READ_VLD	0xc11064
#define RAZWI_READ_ID	0xc11068
#define ERR_CAUSE(n)	(DMA_CORE(n) + 0x164)
#define QM_STS1(n, s)	(DMA_QM(n) + 0x40 + 4 * (s))

/* Range i of one high-bandwidth set, as the stock driver writes it. */
static void hbw_range(struct card *card, uint32_t set, unsigned int i,
		      uint64_t base, uint64_t mask)
{
	static const uint32_t first[2] = { 0x5e4, 0x824 };	/* AW, AR */
	unsigned int rw;

	for (rw = 0; rw < 2; rw++) {
		wr(card, set + first[rw] + 4 * i, base);
		wr(card, set + first[rw] + 0x40 + 4 * i, base >> 32);
		wr(card, set + first[rw] + 0x80 + 4 * i, mask);
		wr(card, set + first[rw] + 0xc0 + 4 * i, mask >> 32);
	}
}

static uint32_t hbw_set(unsigned int dma)
{
	return dma_if[dma] + 0x1000 + 0x1000 * dma_channel[dma];
}

/* The first 512 MiB of HBM; and 128 bytes of SRAM, for writes only. */
static void protect_memory(struct card *card, unsigned int dma)
{
	uint32_t set = hbw_set(dma);

	hbw_range(card, set, 0, 0, 0x3ffffe0000000);
	hbw_range(card, set, 1, SRAM, 0x3ffffffffff80);
	wr(card, set + 0xa64, 0x3);
	wr(card, set + 0xa68, 0x1);
}

static void copy(struct card *card, unsigned int dma, uint64_t src,
		 uint64_t dst, uint32_t size)
{
	dma_start(card, dma, src, dst, size, LIN);
	card_settle(card);
}

CARD_TEST(low_hbm_is_for_the_driver)
{
	dma_core_init(card, 2);
	protect_memory(card, 2);
	fill(card_hbm(card) + 0x10000000, 4096, 1);
	fill(card_hbm(card) + USER_HBM, 4096, 2);

	copy(card, 2, USER_HBM, ram_dev(DATA), 4096);
	assert_memory_equal(card->ram + DATA, card_hbm(card) + USER_HBM, 4096);
	assert_int_equal(rd(card, ERR_CAUSE(2)), 0);
	assert_int_equal(rd(card, RAZWI_READ_VLD), 0);

	copy(card, 2, 0x10000000, ram_dev(DATA), 4096);
	assert_memory_equal(card->ram + DATA, card_hbm(card) + USER_HBM, 4096);
	assert_int_equal(rd(card, ERR_CAUSE(2)) & 1, 1);
	assert_int_equal(rd(card, RAZWI_READ_VLD), 1);
	/* AXI id 2 (DMA), X 0, Y 2: DMA 0 or 2, which ERR_CAUSE tells apart. */
	assert_int_equal(rd(card, RAZWI_READ_ID), 2 << 20 | 2 << 28);
	assert_int_equal(rd(card, RAZWI_WRITE_VLD), 0);
}

CARD_TEST(the_driver_itself_may)
{
	dma_core_init(card, 0);
	protect_memory(card, 0);
	wr(card, DMA_CORE(0) + 0xb8, 3);
	fill(card_hbm(card) + 0x10000000, 4096, 1);
	copy(card, 0, 0x10000000, ram_dev(DATA), 4096);
	assert_memory_equal(card->ram + DATA, card_hbm(card) + 0x10000000,
			    4096);
	assert_int_equal(rd(card, RAZWI_READ_VLD), 0);
	/* The host's own accesses are not asked. */
	gaudi_chip_bar_write(card->chip, 4, 0x10000000, 0x1234, 4);
	assert_int_equal(gaudi_chip_bar_read(card->chip, 4, 0x10000000, 4),
			 0x1234);
}

CARD_TEST(a_range_may_be_for_writes_only)
{
	dma_core_init(card, 3);
	protect_memory(card, 3);
	memset(card_sram(card), 0x5a, 256);
	copy(card, 3, SRAM, USER_HBM, 256);
	assert_int_equal(card_hbm(card)[USER_HBM + 200], 0x5a);
	assert_int_equal(rd(card, ERR_CAUSE(3)), 0);

	memset(card_hbm(card) + USER_HBM, 0x11, 256);
	copy(card, 3, USER_HBM, SRAM + 64, 64);
	assert_int_equal(card_sram(card)[64], 0x5a);
	assert_int_equal(rd(card, ERR_CAUSE(3)) & 2, 2);
	assert_int_equal(rd(card, RAZWI_WRITE_VLD), 1);
	assert_int_equal(rd(card, RAZWI_WRITE_ID), 2 << 20 | 9 << 24 | 2 << 28);
}

/* A transfer that runs into a protected range stops at its edge. */
CARD_TEST(the_edge_is_exact)
{
	uint32_t set = hbw_set(4);

	dma_core_init(card, 4);
	hbw_range(card, set, 5, USER_HBM + 0x100000, 0x3fffffff00000);
	wr(card, set + 0xa64, 1 << 5);
	memset(card_hbm(card) + USER_HBM + 0xff000, 0, 0x2000);
	fill(card->ram + DATA, 0x2000, 3);
	copy(card, 4, ram_dev(DATA), USER_HBM + 0xff000, 0x2000);
	assert_int_equal(card_hbm(card)[USER_HBM + 0x100000], 0);
	assert_int_equal(rd(card, ERR_CAUSE(4)) & 2, 2);
}

CARD_TEST(each_core_has_its_own_ranges)
{
	unsigned int i, n;

	for (n = 0; n < 8; n++) {
		protect_memory(card, n);
		for (i = 0; i < 8; i++) {
			dma_core_init(card, i);
			wr(card, ERR_CAUSE(i), 0xf);
			copy(card, i, 0x10000000, USER_HBM, 64);
			assert_int_equal(rd(card, ERR_CAUSE(i)) & 1, i <= n);
			wr(card, ERR_CAUSE(i), 0xf);
		}
	}
}

/* A message by the queue of DMA 1; did the register take it? */
static bool message(struct card *card, struct queue *q, uint32_t off,
		    bool privileged)
{
	uint32_t old = rd(card, off);
	struct cb cb = cb_host(card, CBUF);

	if (privileged)
		put_msg_prot(&cb, CFG + off, old + 1);
	else
		put_msg_long(&cb, CFG + off, old + 1);
	queue_run(card, q, &cb);
	return rd(card, off) == old + 1;
}

QUEUE_TEST(registers_in_a_range, queue_external(card, 4, RING))
{
	assert_true(message(card, &q, 0xc11020, false));
	/* Range 2 of DMA 1: 0x600000..0xc48fff, the bounds are outside it. */
	wr(card, 0x4a0000 + 0x388, 0x5fffff);
	wr(card, 0x4a0000 + 0x3c8, 0xc49000);
	wr(card, 0x4a0000 + 0x720, 1 << 2);
	assert_true(message(card, &q, 0xc11020, true));
	assert_true(message(card, &q, 0x4f2000, false));
	assert_false(message(card, &q, 0xc11020, false));
	assert_int_equal(rd(card, QM_STS1(1, 0)) & 1 << 5, 1 << 5);
	assert_int_equal(rd(card, RAZWI_WRITE_VLD), 1);
}

QUEUE_TEST(protection_bits, queue_external(card, 4, RING))
{
	const uint32_t kept = 0xc4b200, guarded = 0xc4b204;

	/* Reset: everybody may. */
	assert_int_equal(rd(card, 0xc4bf80), 0xffffffff);
	assert_true(message(card, &q, guarded, false));
	/* One bit per register, one word per 32 registers. */
	wr(card, 0xc4bf80 + (0x204 >> 7) * 4, ~(1u << 1));
	assert_true(message(card, &q, kept, false));
	assert_true(message(card, &q, guarded, true));
	assert_true(message(card, &q, 0xc4b284, false));
	wr(card, guarded, 77);
	assert_int_equal(rd(card, guarded), 77);
	assert_false(message(card, &q, guarded, false));
	assert_int_equal(rd(card, guarded), 77);

	wr_settle(card, 0xc4b498, 1);
	assert_int_equal(rd(card, 0xc4bf80 + (0x204 >> 7) * 4), 0xffffffff);
}

/*
 * Users put WREG packets into the queues of their engines. The bits decide what
 * they may change there; what starts the engine is not their write.
 */
JOB_TEST(protection_bits_of_the_own_engine, queue_external(card, 4, RING))
{
	const uint32_t prot = DMA_CORE(1) + 0xb8, cfg1 = DMA_QM(1) + 4;

	wr(card, DMA_CORE(1) + 0xf80 + (0xb8 >> 7) * 4, ~(1u << 0x38 / 4));
	wr(card, DMA_CORE(1) + 0xf80, 0);	/* SRC, DST, COMMIT, ... */
	wr(card, DMA_QM(1) + 0xf80, ~(1u << 1));
	put_packet(&cb, 3, 0x01000000 | 0xb8 << 8);
	put_packet(&cb, 1, 0x01000000 | 0x8004 << 8);
	put_packet(&cb, 77, 0x01000000 | 0xbc << 8);
	memset(card_hbm(card) + USER_HBM, 0x5a, 64);
	put_lin_dma(&cb, USER_HBM, USER_HBM + 4096, 64, 8);
	queue_run(card, &q, &cb);
	assert_int_equal(rd(card, prot), 2);
	assert_int_equal(rd(card, cfg1), 0);
	assert_int_equal(rd(card, DMA_CORE(1) + 0xbc), 77);
	assert_int_equal(rd(card, QM_STS1(1, 0)), 1 << 6);
	assert_int_equal(rd(card, RAZWI_WRITE_VLD), 0);
	assert_int_equal(card_hbm(card)[USER_HBM + 4096 + 63], 0x5a);
}

/* A monitor has the rights of who armed it. */
JOB_TEST(monitors_lend_no_rights, queue_external(card, 4, RING))
{
	wr(card, 0x4e0000 + 0x180, 0xc4a000);
	wr(card, 0x4e0000 + 0x1c0, 0xc4c000);
	wr(card, 0x4e0000 + 0x704, 1);
	put_monitor(&cb, SM_E_N, 7, 0x7ffcc4b200, 99);
	put_msg_long(&cb, CFG + SM_E_N + MON_ARM(7), 0xfe00);
	queue_run(card, &q, &cb);
	assert_int_equal(rd(card, 0xc4b200), 0);
	assert_int_equal(rd(card, RAZWI_WRITE_VLD), 1);

	wr_settle(card, SM_E_N + MON_ARM(7), 0xfe00);
	assert_int_equal(rd(card, 0xc4b200), 99);
}
