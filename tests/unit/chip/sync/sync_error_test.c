// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a sync manager does about errors: notes the first one, and firmware
 * makes an event of it.
 */
#include "../fw.h"

#define SEI_MASK	0x0
#define SEI_CAUSE	0x4
#define OVERFLOW_SOB	0x1
#define UNALIGNED	0x2
#define RESPONSE	0x4

#define READY		0x80000000u

static const uint32_t blocks[] = { SM_W_S, SM_E_S, SM_W_N, SM_E_N };

static void fire(struct card *card, uint32_t sm, unsigned int mon,
		 uint64_t addr)
{
	monitor_set(card, sm, mon, addr, 1);
	wr_settle(card, sm + MON_ARM(mon), 0xff00);
}

static void overflow(struct card *card, uint32_t sob)
{
	wr(card, sob, 0x7fff);
	wr(card, sob, 0x80000001);
}

CARD_TEST(out_of_range)
{
	unsigned int b;

	for (b = 0; b < 4; b++) {
		uint32_t sm = blocks[b];

		wr(card, sm + SOB(1003), 0x7ffe);
		wr(card, sm + SOB(1003), 0x80000001);
		assert_int_equal(rd(card, sm + SEI_CAUSE), 0);
		wr(card, sm + SOB(1003), 0x80000001);
		assert_int_equal(rd(card, sm + SEI_CAUSE), 125 << 16 | OVERFLOW_SOB);
		/* The first one stays until it is cleared. */
		overflow(card, sm + SOB(2047));
		assert_int_equal(rd(card, sm + SEI_CAUSE), 125 << 16 | OVERFLOW_SOB);
		wr(card, sm + SEI_CAUSE, 0);
		overflow(card, sm + SOB(2047));
		assert_int_equal(rd(card, sm + SEI_CAUSE), 255 << 16 | OVERFLOW_SOB);
	}
}

CARD_TEST(bad_payload_addresses)
{
	static const uint64_t no_register[] = {
		0, USER_HBM, SRAM, 0x7ff7fffffcull, HOST, 0x123456789000ull,
		~3ull,
	};
	unsigned int i, b;

	for (b = 0; b < 4; b++) {
		uint32_t sm = blocks[b];

		fire(card, sm, 3, CFG + SM_E_N + SOB(1) + 2);
		assert_int_equal(rd(card, sm + SEI_CAUSE), 0x2006 << 16 | UNALIGNED);
		assert_int_equal(rd(card, SM_E_N + SOB(1)), 0);
		assert_int_equal(rd(card, sm + MON_STATUS(3)), 0);
		/* Another cause is added, the details are the first one's. */
		fire(card, sm, 300, HOST + RAM_BASE);
		assert_int_equal(rd(card, sm + SEI_CAUSE), 0x2006 << 16 | UNALIGNED | RESPONSE);
		wr(card, sm + SEI_CAUSE, 0);
	}
	for (i = 0; i < sizeof(no_register) / sizeof(no_register[0]); i++) {
		memset(card_hbm(card) + USER_HBM, 0x33, 4);
		fire(card, SM_W_N, 300, no_register[i]);
		assert_int_equal(rd(card, SM_W_N + SEI_CAUSE), 300 << 16 | RESPONSE);
		assert_int_equal(card_hbm(card)[USER_HBM], 0x33);
		wr(card, SM_W_N + SEI_CAUSE, 0);
	}
}

/* A register that the one who armed it may not reach. */
QUEUE_TEST(refused_payload, queue_external(card, 0, 0x10000))
{
	struct cb cb = cb_host(card, 0x40000);

	wr(card, 0x4a0000 + 0x180, 0xc4a000);
	wr(card, 0x4a0000 + 0x1c0, 0xc4c000);
	wr(card, 0x4a0000 + 0x704, 1);
	put_monitor(&cb, SM_E_S, 9, 0x7ffcc4b200, 99);
	put_msg_long(&cb, CFG + SM_E_S + MON_ARM(9), 0xff00);
	queue_run(card, &q, &cb);
	assert_int_equal(rd(card, 0xc4b200), 0);
	assert_int_equal(rd(card, SM_E_S + SEI_CAUSE), 9 << 16 | 4);
	/* X 9, Y 1, AXI id 2: the interface where the manager sits */
	assert_int_equal(rd(card, 0xc11060), 1 << 28 | 9 << 24 | 2 << 20);
}

/* --- events ---------------------------------------------------------------- */

/* Takes entry i of the event queue: its number, or 0. */
static unsigned int event(struct card *card, unsigned int i, uint64_t *data)
{
	uint32_t ctl;

	card_advance(card, 1000000);
	ctl = ram32(card, CPU_EQ + 64 * i + 4);
	*data = ram64(card, CPU_EQ + 64 * i + 8);
	return ctl & READY ? ctl >> 16 & 0xfff : 0;
}

static int setup_running(void **state)
{
	int err = card_setup(state);

	if (!err) {
		boot(*state);
		cpu_queues_init(*state);
		cpu_enable_events(*state);
		card_advance(*state, 1000000000);
	}
	return err;
}

#define RUNNING_TEST(fn) TEST_OF(fn, struct card *card, setup_running, card_teardown)

RUNNING_TEST(every_manager_has_its_event)
{
	uint64_t data;
	unsigned int b;

	for (b = 0; b < 4; b++) {
		assert_int_equal(rd(card, blocks[b] + SEI_MASK), 7);
		overflow(card, blocks[b] + SOB(80 + b * 8));
		assert_int_equal(event(card, b, &data), 277 + b);
		assert_int_equal(data, 10 + b);
		assert_int_equal(rd(card, blocks[b] + SEI_CAUSE), 0);
	}
	assert_int_equal(event(card, 4, &data), 0);
}

RUNNING_TEST(each_cause_is_told)
{
	uint64_t data;

	fire(card, SM_E_S, 1, CFG + 0xc4b203);
	assert_int_equal(event(card, 0, &data), 278);
	assert_int_equal(data, 1ull << 32 | 0xb203);
	/* Not before the driver asks for more: then what was noted first. */
	fire(card, SM_E_S, 44, USER_HBM);
	overflow(card, SM_E_S + SOB(0));
	assert_int_equal(event(card, 1, &data), 0);
	assert_int_equal(cpu_send(card, 0x10, 278, 0).rc, 0);
	assert_int_equal(event(card, 1, &data), 278);
	assert_int_equal(data >> 32, 0);
	assert_int_equal(cpu_send(card, 0x10, 278, 0).rc, 0);
	assert_int_equal(event(card, 2, &data), 278);
	assert_int_equal(data, 2ull << 32 | 44);
	assert_int_equal(cpu_send(card, 0x10, 278, 0).rc, 0);
	assert_int_equal(event(card, 3, &data), 0);
}

/* An error in a loop is one event, whatever happens to the driver. */
RUNNING_TEST(no_storm)
{
	uint64_t data;
	unsigned int i;

	for (i = 0; i < 100000; i++)
		overflow(card, SM_W_N + SOB(0));
	assert_int_equal(event(card, 0, &data), 279);
	assert_int_equal(event(card, 1, &data), 0);
	/* and none if it is masked in the manager */
	wr(card, SM_W_S + SEI_MASK, 6);
	overflow(card, SM_W_S + SOB(0));
	assert_int_equal(rd(card, SM_W_S + SEI_CAUSE), 1);
	assert_int_equal(event(card, 1, &data), 0);
}
