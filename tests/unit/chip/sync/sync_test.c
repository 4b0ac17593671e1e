// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sync managers: sync objects, monitors, what they fire at, in all four.
 */
#include "../card.h"

static const uint32_t blocks[] = { SM_W_S, SM_E_S, SM_W_N, SM_E_N };

/* arm: group of 8 SOBs, mask (0: takes part), mode (1: equal), value */
static uint32_t arm(unsigned int sob, uint8_t mask, unsigned int equal,
		    unsigned int value)
{
	return value << 17 | equal << 16 | (uint32_t)mask << 8 | sob / 8;
}

CARD_TEST(sob_set_and_add)
{
	unsigned int b;

	for (b = 0; b < 4; b++) {
		uint32_t sm = blocks[b];

		wr(card, sm + SOB(0), 5);
		assert_int_equal(rd(card, sm + SOB(0)), 5);
		wr(card, sm + SOB(0), 0x80000003);
		assert_int_equal(rd(card, sm + SOB(0)), 8);
		wr(card, sm + SOB(2047), 0x7fff);
		assert_int_equal(rd(card, sm + SOB(2047)), 0x7fff);
		assert_int_equal(rd(card, sm + SOB(1)), 0);
		wr(card, sm + SOB(0), 0);
		assert_int_equal(rd(card, sm + SOB(0)), 0);
	}
}

/* 15 bits are added, whatever is in 30:15; the value has 15 bits and stops. */
CARD_TEST(sob_adds_15_bits)
{
	static const struct { uint32_t from, add, to; } c[] = {
		{ 5, 0x80000001, 6 },
		{ 0, 0x8000ffff, 0x7fff },
		{ 5, 0x8000ffff, 0x7fff },
		{ 5, 0x80008001, 6 },
		{ 5, 0xbfff8000, 5 },
		{ 5, 0xbfff8003, 8 },
		{ 0, 0x80007fff, 0x7fff },
		{ 1, 0x80007fff, 0x7fff },
		{ 0x7fff, 0x80000001, 0x7fff },
		{ 9, 0x80000000, 9 },
		{ 9, 0xc0000001, 10 },		/* bit 30: trace */
		{ 9, 0x7fff0003, 3 },		/* no addition */
		{ 9, 0x0000ffff, 0x7fff },	/* 15 bits are kept */
	};
	unsigned int i;

	for (i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		wr(card, SM_E_N + SOB(9), c[i].from);
		wr(card, SM_E_N + SOB(9), c[i].add);
		if (rd(card, SM_E_N + SOB(9)) != c[i].to)
			fail_msg("%x + %x is %x", c[i].from, c[i].add,
				 rd(card, SM_E_N + SOB(9)));
	}
}

/* Every way by which a value gets into an SOB. */
QUEUE_TEST(sob_written_by_all, queue_external(card, 0, 0x10000))
{
	const uint64_t comp = CFG + SM_W_N + SOB(12);
	struct cb cb = cb_host(card, 0x40000);
	uint32_t add = 0x80000010;

	wr(card, SM_W_N + SOB(12), 1);
	/* MSG_SHORT base 1 */
	wr(card, q.qm + 0x250, (uint32_t)(CFG + SM_W_N + 0x2000));
	wr(card, q.qm + 0x264, (CFG + SM_W_N + 0x2000) >> 32);
	put_msg_short(&cb, 1, 4 * 12, 0x80000002);
	put_msg_long(&cb, CFG + SM_W_N + SOB(12), 0x80000004);
	put_msg_prot(&cb, CFG + SM_W_N + SOB(12), 0x80000008);
	queue_run(card, &q, &cb);
	assert_int_equal(rd(card, SM_W_N + SOB(12)), 0xf);
	/* a copy into it, and its completion */
	memcpy(card_hbm(card) + USER_HBM, &add, 4);
	wr(card, DMA_CORE(0) + 0x7c, 0x80000020);
	wr64(card, DMA_CORE(0) + 0x80, comp);
	cb = cb_host(card, 0x40000);
	put_lin_dma(&cb, USER_HBM, comp, 4, 0x9);
	queue_run(card, &q, &cb);
	assert_int_equal(rd(card, SM_W_N + SOB(12)), 0x3f);
}

CARD_TEST(monitor_fires_at_or_above)
{
	unsigned int b;

	for (b = 0; b < 4; b++) {
		uint32_t sm = blocks[b];

		/* monitor 3 sets SOB 500 to 42 when SOB 16 reaches 3 */
		monitor_set(card, sm, 3, CFG + sm + SOB(500), 42);
		wr(card, sm + MON_ARM(3), arm(16, 0xfe, 0, 3));
		assert_true(rd(card, sm + MON_STATUS(3)) & 1);
		wr(card, sm + SOB(16), 0x80000001);
		wr_settle(card, sm + SOB(16), 0x80000001);
		assert_int_equal(rd(card, sm + SOB(500)), 0);
		wr_settle(card, sm + SOB(16), 0x80000002);
		assert_int_equal(rd(card, sm + SOB(500)), 42);
		/* once only */
		assert_false(rd(card, sm + MON_STATUS(3)) & 1);
		wr(card, sm + SOB(500), 0);
		wr_settle(card, sm + SOB(16), 0x80000001);
		assert_int_equal(rd(card, sm + SOB(500)), 0);
	}
}

CARD_TEST(monitor_fires_when_already_true)
{
	monitor_set(card, SM_W_S, 511, CFG + SM_W_S + SOB(2000), 7);
	wr(card, SM_W_S + SOB(72), 9);
	wr_settle(card, SM_W_S + MON_ARM(511), arm(72, 0xfe, 0, 9));
	assert_int_equal(rd(card, SM_W_S + SOB(2000)), 7);
}

CARD_TEST(monitor_equal_mode)
{
	monitor_set(card, SM_E_N, 0, CFG + SM_E_N + SOB(100), 1);
	wr(card, SM_E_N + SOB(8), 5);
	wr_settle(card, SM_E_N + MON_ARM(0), arm(8, 0xfe, 1, 4));
	assert_int_equal(rd(card, SM_E_N + SOB(100)), 0);
	wr_settle(card, SM_E_N + SOB(8), 6);
	assert_int_equal(rd(card, SM_E_N + SOB(100)), 0);
	wr_settle(card, SM_E_N + SOB(8), 4);
	assert_int_equal(rd(card, SM_E_N + SOB(100)), 1);
}

/* Mask bit clear: the SOB of the group takes part; all must hold. */
CARD_TEST(monitor_of_a_group)
{
	monitor_set(card, SM_W_N, 9, CFG + SM_W_N + SOB(300), 11);
	wr(card, SM_W_N + MON_ARM(9), arm(40, (uint8_t)~0x85, 0, 2));
	wr(card, SM_W_N + SOB(40), 2);
	wr(card, SM_W_N + SOB(42), 2);
	wr(card, SM_W_N + SOB(41), 2);		/* does not take part */
	card_settle(card);
	assert_int_equal(rd(card, SM_W_N + SOB(300)), 0);
	wr_settle(card, SM_W_N + SOB(47), 3);
	assert_int_equal(rd(card, SM_W_N + SOB(300)), 11);
}

CARD_TEST(monitor_disarms)
{
	monitor_set(card, SM_E_S, 1, CFG + SM_E_S + SOB(100), 1);
	wr(card, SM_E_S + MON_ARM(1), arm(0, 0xfe, 0, 1));
	wr(card, SM_E_S + MON_STATUS(1), 0);
	assert_false(rd(card, SM_E_S + MON_STATUS(1)) & 1);
	wr_settle(card, SM_E_S + SOB(0), 1);
	assert_int_equal(rd(card, SM_E_S + SOB(100)), 0);
}

/* A monitor may count another SOB up, which fires the next monitor ... */
CARD_TEST(monitors_chain)
{
	unsigned int i;

	for (i = 0; i < 100; i++) {
		monitor_set(card, SM_E_N, i, CFG + SM_E_N + SOB(8 * (i + 1)),
			    0x80000001);
		wr(card, SM_E_N + MON_ARM(i), arm(8 * i, 0xfe, 0, 1));
	}
	wr_settle(card, SM_E_N + SOB(0), 1);
	for (i = 0; i <= 100; i++)
		assert_int_equal(rd(card, SM_E_N + SOB(8 * i)), 1);
}

QUEUE_TEST(status_tells_what_is_missing, queue_external(card, 0, 0x10000))
{
	struct cb cb = cb_host(card, 0x40000);

	monitor_set(card, SM_W_S, 7, CFG + SM_W_S + SOB(100), 1);
	wr(card, SM_W_S + MON_ARM(7), arm(24, 0x3c, 0, 2));
	/* valid, pending 0, 1, 6, 7; the host's rights */
	assert_int_equal(rd(card, SM_W_S + MON_STATUS(7)), 0x200 | 0xc3 << 1 | 1);
	wr(card, SM_W_S + SOB(24), 5);
	wr(card, SM_W_S + SOB(31), 2);
	assert_int_equal(rd(card, SM_W_S + MON_STATUS(7)), 0x200 | 0x42 << 1 | 1);
	/* >= is looked at again: a value may sink before all are there */
	wr(card, SM_W_S + SOB(24), 1);
	assert_int_equal(rd(card, SM_W_S + MON_STATUS(7)), 0x200 | 0x43 << 1 | 1);
	put_msg_long(&cb, CFG + SM_W_S + MON_ARM(7), arm(24, 0x7f, 1, 2));
	put_msg_long(&cb, CFG + SM_W_S + MON_ARM(8), arm(24, 0xfe, 1, 2));
	queue_run(card, &q, &cb);
	assert_int_equal(rd(card, SM_W_S + MON_STATUS(7)), 0);
	assert_int_equal(rd(card, SM_W_S + SOB(100)), 1);
	assert_int_equal(rd(card, SM_W_S + MON_STATUS(8)), 1 << 1 | 1);
}

/* Armed anew, a monitor forgets the group that it waited for. */
CARD_TEST(rearming_moves_it)
{
	unsigned int i;

	monitor_set(card, SM_W_S, 0, CFG + SM_W_S + SOB(100), 0x80000001);
	for (i = 0; i < 255; i++)
		wr(card, SM_W_S + MON_ARM(0), arm(8 * i, 0xfe, 0, 1));
	for (i = 0; i < 254; i++)
		if (8 * i != 96)
			wr(card, SM_W_S + SOB(8 * i), 1);
	assert_int_equal(rd(card, SM_W_S + SOB(100)), 0);
	/* What the payload is counts when it fires. */
	monitor_set(card, SM_W_S, 0, CFG + SM_E_S + SOB(5), 77);
	wr_settle(card, SM_W_S + SOB(8 * 254), 1);
	assert_int_equal(rd(card, SM_W_S + SOB(100)), 0);
	assert_int_equal(rd(card, SM_E_S + SOB(5)), 77);
}

/* All 2,048 monitors of the card wait for one SOB each, and fire another. */
CARD_TEST(all_monitors_in_one_chain)
{
	unsigned int i;

	for (i = 0; i < 2048; i++) {
		uint32_t sm = blocks[i % 4], to = blocks[(i + 1) % 4];
		unsigned int mon = i / 4;

		monitor_set(card, sm, mon, CFG + to + SOB((i + 1) / 4),
			    0x80000001);
		wr(card, sm + MON_ARM(mon),
		   arm(mon, (uint8_t)~(1u << mon % 8), 0, 1));
	}
	for (i = 0; i < 2048; i++)
		assert_int_equal(rd(card, blocks[i % 4] + MON_STATUS(i / 4)) &
				 1, 1);
	wr_settle(card, SM_W_S + SOB(0), 1);
	for (i = 0; i < 2048; i++) {
		assert_int_equal(rd(card, blocks[i % 4] + SOB(i / 4)), 1);
		assert_int_equal(rd(card, blocks[i % 4] + MON_STATUS(i / 4)),
				 0);
	}
	assert_int_equal(rd(card, SM_W_S + SOB(512)), 1);
}

/* ... and all of them for the same one: each payload is written, once. */
CARD_TEST(all_monitors_at_once)
{
	unsigned int b, i;

	for (b = 0; b < 4; b++)
		for (i = 0; i < 512; i++) {
			monitor_set(card, blocks[b], i, CFG + SM_E_S +
				    SOB(1000 + b), 0x80000001);
			wr(card, blocks[b] + MON_ARM(i), arm(0, 0xfe, 0, 3));
		}
	for (b = 0; b < 4; b++)
		for (i = 0; i < 9; i++)
			wr(card, blocks[b] + SOB(0), 0x80000001);
	card_settle(card);
	for (b = 0; b < 4; b++)
		assert_int_equal(rd(card, SM_E_S + SOB(1000 + b)), 512);
}

/* ... and one that re-arms itself for ever must not stop the world. */
CARD_TEST(monitor_loop_is_bounded)
{
	uint32_t rearm = arm(0, 0xfe, 0, 0);

	monitor_set(card, SM_E_N, 0, CFG + SM_E_N + MON_ARM(0), rearm);
	wr(card, SM_E_N + MON_ARM(0), rearm);
	/* The access came back, and the loop goes on. Then break it. */
	assert_true(atomic_exchange(&card->kicked, false));
	gaudi_chip_run(card->chip);
	assert_true(card->kicked);
	monitor_set(card, SM_E_N, 0, CFG + SM_E_N + SOB(80), 1);
	card_settle(card);
	assert_int_equal(rd(card, SM_E_N + SOB(80)), rearm & 0x7fff);
	assert_int_equal(rd(card, SM_E_N + MON_STATUS(0)), 0);
}

static void dma_regs(struct card *card, unsigned int n, uint64_t src,
		     uint64_t dst, uint32_t size)
{
	dma_core_init(card, n);
	wr64(card, DMA_CORE(n) + 0x14, src);
	wr64(card, DMA_CORE(n) + 0x1c, dst);
	wr(card, DMA_CORE(n) + 0x74, size);
}

/*
 * A monitor starts a copy, whose completion arms the monitor, and so on. A
 * thousand writes to sync objects meanwhile must not each be followed by a few
 * hundred turns of that: all of it would be within one access of the guest.
 */
CARD_TEST(one_access_does_not_multiply)
{
	const uint64_t comp = CFG + SM_E_N + MON_ARM(0);
	uint32_t add = 0x80000001;
	unsigned int i;

	memcpy(card_hbm(card) + USER_HBM, &add, 4);
	dma_regs(card, 1, USER_HBM, CFG + SM_E_N + SOB(800), 4);
	wr(card, DMA_CORE(1) + 0x7c, arm(0, 0xfe, 0, 0));
	wr64(card, DMA_CORE(1) + 0x80, comp);
	monitor_set(card, SM_E_N, 0, CFG + DMA_CORE(1) + 0x78, 0x9);
	dma_regs(card, 0, USER_HBM + 0x1000, CFG + SM_W_S + SOB(1024), 4096);
	wr(card, SM_E_N + MON_ARM(0), arm(0, 0xfe, 0, 0));
	wr(card, DMA_CORE(0) + 0x78, 0x8);
	assert_in_range(rd(card, SM_E_N + SOB(800)), 0, 1000);
	/* It does go on, in turns of its own, until it is stopped. */
	for (i = 0; i < 10; i++) {
		assert_true(atomic_exchange(&card->kicked, false));
		gaudi_chip_run(card->chip);
	}
	assert_true(rd(card, SM_E_N + SOB(800)) > 100);
	assert_int_equal(rd(card, DMA_CORE(0) + 0x190), 0);
	monitor_set(card, SM_E_N, 0, CFG + SM_E_N + SOB(80), 1);
	card_settle(card);
}

CARD_TEST(monitor_writes_to_other_manager)
{
	monitor_set(card, SM_W_S, 100, CFG + SM_E_N + SOB(3), 0x80000004);
	wr(card, SM_E_N + SOB(3), 1);
	wr(card, SM_W_S + MON_ARM(100), arm(200, 0xfe, 0, 1));
	wr_settle(card, SM_W_S + SOB(200), 1);
	assert_int_equal(rd(card, SM_E_N + SOB(3)), 5);
}

CARD_TEST(monitor_raises_msi)
{
	monitor_set(card, SM_W_S, 80, CFG + 0xc04100, 1);
	wr(card, SM_W_S + MON_ARM(80), arm(144, 0xfe, 0, 1));
	assert_int_equal(card->msi[0], 0);
	wr_settle(card, SM_W_S + SOB(144), 1);
	assert_int_equal(card->msi[0], 1);
}

CARD_TEST(monitor_steps_fence)
{
	/* DMA3's fence 2, stream 1: RDATA, and its counter */
	monitor_set(card, SM_W_S, 90, CFG + DMA_QM(3) + 0x330 + 4, 1);
	wr(card, SM_W_S + MON_ARM(90), arm(152, 0xfe, 0, 1));
	wr_settle(card, SM_W_S + SOB(152), 1);
	assert_int_equal(rd(card, DMA_QM(3) + 0x380 + 4), 1);
	assert_int_equal(rd(card, DMA_QM(3) + 0x380), 0);
}

CARD_TEST(monitor_bad_address)
{
	monitor_set(card, SM_E_N, 0, 0x123456789000ull, 1);
	wr_settle(card, SM_E_N + MON_ARM(0), arm(0, 0xfe, 0, 0));
	monitor_set(card, SM_E_N, 1, CFG + SM_E_N + SOB(1) + 2, 1);
	wr_settle(card, SM_E_N + MON_ARM(1), arm(0, 0xfe, 0, 0));
	/* The manager still works. */
	monitor_set(card, SM_E_N, 2, CFG + SM_E_N + SOB(33), 6);
	wr_settle(card, SM_E_N + MON_ARM(2), arm(0, 0xfe, 0, 0));
	assert_int_equal(rd(card, SM_E_N + SOB(33)), 6);
}
