// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queue managers: rings and doorbells, every packet, fences, stop and disable,
 * the lower command processor, and what goes wrong.
 */
#include "../card.h"

#define RING	0x10000
#define RING2	0x20000
#define CBUF	0x40000
#define FENCE_AT 0x200000

/* GLBL_STS0 idle bits and the clock manager's agent-idle bit */
static void assert_idle(struct card *card, uint32_t qm)
{
	assert_int_equal(rd(card, qm + 0x38) & 0x3fff, 0x3fff);
	assert_int_equal(rd(card, qm + 0xc74) & 0x100, 0x100);
}

static uint32_t ci(struct card *card, const struct queue *q)
{
	return rd(card, q->qm + 0xb0 + 4 * q->stream);
}

static uint32_t errors(struct card *card, const struct queue *q,
		       unsigned int cp)
{
	return rd(card, q->qm + 0x40 + 4 * cp);
}

/* What a driver checks at reset and before it says that a card is idle. */
CARD_TEST(idle_after_reset)
{
	unsigned int n;

	for (n = 0; n < 8; n++) {
		assert_idle(card, DMA_QM(n));
		assert_idle(card, TPC_QM(n));
		assert_int_equal(rd(card, DMA_CORE(n) + 0x190) >> 31, 0);
		assert_int_equal(rd(card, TPC_QM(n) - 0x2000 + 0x91c) & 0xee,
				 0xee);
		assert_int_equal(rd(card, TPC_QM(n) - 0x2000 + 0x9b8), 0);
	}
	for (n = 0; n < 4; n++)
		assert_int_equal(rd(card, 0x60000 + n * 0x80000) & 0x1180,
				 0x1180);
	assert_idle(card, MME_QM0);
	assert_idle(card, MME_QM2);
	for (n = 0; n < 10; n++)
		assert_idle(card, 0xce0000 + n / 2 * 0x40000 + n % 2 * 0x2000);
}

/* The driver's own test of its external queues. */
CARD_TEST(queue_test_packet)
{
	unsigned int id;

	for (id = 0; id < 8; id++) {
		struct queue q = queue_external(card, id, RING + id * 0x10000);
		struct cb cb = cb_host(card, 0xa0000 + id * 0x100);

		put_msg_prot(&cb, ram_dev(FENCE_AT + 8 * id), 0x72e91ab9);
		assert_int_equal(cb.len, 16);
		queue_run(card, &q, &cb);
		assert_int_equal(ram32(card, FENCE_AT + 8 * id), 0x72e91ab9);
		assert_int_equal(ram32(card, FENCE_AT + 8 * id + 4), 0);
		assert_int_equal(ci(card, &q), 1);
		assert_idle(card, q.qm);
	}
	assert_int_equal(card->msi[0], 0);
}

JOB_TEST(ring_wraps, queue_internal(card, DMA_QM(2), 0, RING, 2))
{
	unsigned int i;

	put_msg_long(&cb, CFG + SM_E_N + SOB(0), 0x80000001);
	/* 4 entries; indexes run modulo 8 */
	for (i = 1; i <= 19; i++) {
		queue_run(card, &q, &cb);
		assert_int_equal(rd(card, SM_E_N + SOB(0)), i);
		assert_int_equal(ci(card, &q), i % 8);
	}
	for (i = 0; i < 4; i++)
		queue_put(card, &q, cb.addr, cb.len);
	queue_ring(card, &q);
	card_settle(card);
	assert_int_equal(rd(card, SM_E_N + SOB(0)), 23);
}

JOB_TEST(doorbell_waits_for_enable, queue_external(card, 0, RING))
{
	put_msg_long(&cb, CFG + SM_E_N + SOB(0), 0x80000001);
	wr(card, q.qm + 0x0, 0);
	queue_run(card, &q, &cb);
	assert_int_equal(rd(card, SM_E_N + SOB(0)), 0);
	wr_settle(card, q.qm + 0x0, 0x1eff);
	assert_int_equal(rd(card, SM_E_N + SOB(0)), 1);
}

JOB_TEST(stopped_stream_goes_on, queue_external(card, 5, RING))
{
	put_msg_long(&cb, CFG + SM_E_N + SOB(0), 0x80000001);
	/* stop fetch (3:0), CQ (8:4), CP (13:9) of stream 1 */
	wr(card, q.qm + 0x4, 1 << 1 | 1 << 5 | 1 << 10);
	queue_run(card, &q, &cb);
	assert_int_equal(rd(card, SM_E_N + SOB(0)), 0);
	wr_settle(card, q.qm + 0x4, 0);
	assert_int_equal(rd(card, SM_E_N + SOB(0)), 1);
}

CARD_TEST(streams_are_independent)
{
	struct queue q0 = queue_external(card, 0, RING);
	struct queue q3 = queue_external(card, 3, RING2);
	struct cb wait = cb_host(card, CBUF), go = cb_host(card, CBUF + 256);

	put_fence(&wait, 0, 1, 1);
	put_msg_long(&wait, CFG + SM_E_N + SOB(0), 1);
	put_msg_long(&go, CFG + SM_E_N + SOB(1), 1);
	queue_run(card, &q0, &wait);
	queue_run(card, &q3, &go);
	assert_int_equal(rd(card, SM_E_N + SOB(0)), 0);
	assert_int_equal(rd(card, SM_E_N + SOB(1)), 1);
	/* waiting is not idle */
	assert_int_not_equal(rd(card, q0.qm + 0x38) & 0x3fff, 0x3fff);
	wr_settle(card, q0.qm + 0x308, 1);
	assert_int_equal(rd(card, SM_E_N + SOB(0)), 1);
	assert_idle(card, q0.qm);
}

static const uint32_t fence_rdata[] = { 0x308, 0x31c, 0x330, 0x344 };
static const uint32_t fence_cnt[] = { 0x358, 0x36c, 0x380, 0x394 };

QUEUE_TEST(fences_count, queue_external(card, 2, RING))
{
	unsigned int id;

	for (id = 0; id < 4; id++) {
		struct cb cb = cb_host(card, CBUF + 256 * id);
		uint32_t rdata = q.qm + fence_rdata[id] + 4 * q.stream;
		uint32_t cnt = q.qm + fence_cnt[id] + 4 * q.stream;

		wr(card, SM_E_N + SOB(id), 0);
		put_fence(&cb, id, 5, 3);
		put_msg_long(&cb, CFG + SM_E_N + SOB(id), 1);
		wr(card, rdata, 2);
		assert_int_equal(rd(card, cnt), 2);
		queue_run(card, &q, &cb);
		assert_int_equal(rd(card, SM_E_N + SOB(id)), 0);
		/* CP_STS: which fence, and that it waits */
		assert_int_equal(rd(card, q.qm + 0x3a8 + 8) >> 20 & 7, 4 | id);
		wr_settle(card, rdata, 4);
		assert_int_equal(rd(card, SM_E_N + SOB(id)), 1);
		assert_int_equal(rd(card, cnt), 3);
	}
	assert_idle(card, q.qm);
}

/* The kernel's signal and wait command buffers, between two queues. */
CARD_TEST(signal_and_wait)
{
	struct queue waiter = queue_external(card, 0, RING);
	struct queue signaller = queue_external(card, 4, RING2);
	struct cb wait = cb_host(card, CBUF);
	struct cb signal = cb_host(card, CBUF + 256);
	uint64_t fence2 = CFG + DMA_QM(0) + 0x330;

	put_msg_short(&wait, 2, 4 * 8, fence2);
	put_msg_short(&wait, 2, 0x800 + 4 * 8, fence2 >> 32);
	put_msg_short(&wait, 2, 0x1000 + 4 * 8, 1);
	/* group 2, SOB 16, at least 1 */
	put_msg_short(&wait, 2, 0x1800 + 4 * 8, 1 << 17 | 0xfe << 8 | 2);
	put_fence(&wait, 2, 1, 1);
	put_msg_long(&wait, ram_dev(FENCE_AT), 77);
	put_msg_short(&signal, 3, 4 * 16, 0x80000001);
	queue_run(card, &waiter, &wait);
	assert_int_equal(ram32(card, FENCE_AT), 0);
	queue_run(card, &signaller, &signal);
	assert_int_equal(ram32(card, FENCE_AT), 77);
}

/* CP_DMA hands packets to the lower CP, which drives the DMA core. */
QUEUE_TEST(internal_queue, queue_internal(card, DMA_QM(2), 1, RING, 12))
{
	struct cb upper = cb_host(card, CBUF);
	struct cb lower = cb_hbm(card, USER_HBM);
	uint8_t *hbm = card_hbm(card);

	fill(hbm + USER_HBM + 0x10000, 5000, 1);
	put_lin_dma(&lower, USER_HBM + 0x10000, SRAM + 0x4000, 5000, 8);
	put_msg_long(&lower, CFG + SM_E_N + SOB(0), 0x80000001);
	put_cp_dma(&upper, lower.addr, lower.len);
	put_cp_dma(&upper, lower.addr, lower.len);
	queue_run(card, &q, &upper);
	assert_int_equal(rd(card, SM_E_N + SOB(0)), 2);
	assert_memory_equal(card_sram(card) + 0x4000,
			    hbm + USER_HBM + 0x10000, 5000);
	assert_idle(card, q.qm);
}

/* Numbers of no packet; how the others go on is in qman_err_test. */
QUEUE_TEST(undefined_opcodes, queue_external(card, 1, RING))
{
	struct cb cb;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		cb = cb_host(card, CBUF);
		put_packet(&cb, 0, i ? 0x1f000000 : 0);
		queue_run(card, &q, &cb);
		assert_int_equal(errors(card, &q, 1), 1 << 3);
		wr_settle(card, q.qm + 0x44, 1 << 3);
	}
}

JOB_TEST(truncated_packet, queue_external(card, 1, RING))
{
	put_msg_long(&cb, CFG + SM_E_N + SOB(5), 1);
	queue_put(card, &q, cb.addr, 8);
	queue_ring(card, &q);
	card_settle(card);
	assert_int_equal(rd(card, SM_E_N + SOB(5)), 0);
}

/*
 * A byte of an error register is cleared alone: what a write does not reach is
 * not read back and written as ones. Through the BAR, and by a DMA of 2 bytes.
 */
JOB_TEST(part_of_an_error_register, queue_external(card, 0, RING))
{
	const uint32_t err_cause = DMA_CORE(1) + 0x164;
	struct queue copy = queue_external(card, 4, RING2);
	unsigned int i;

	/* fence 0 over and under its range: bits 8 and 12 */
	for (i = 0; i < 0x4000 / 15 + 1; i++)
		wr(card, q.qm + 0x308, 15);
	assert_int_equal(errors(card, &q, 0), 0x100);
	put_fence(&cb, 1, 0, 1);
	queue_run(card, &q, &cb);
	assert_int_equal(errors(card, &q, 0), 0x2100);
	gaudi_chip_bar_write(card->chip, 2, 0x4000000ull + q.qm + 0x40, 0xff,
			     1);
	assert_int_equal(errors(card, &q, 0), 0x2100);
	gaudi_chip_bar_write(card->chip, 2, 0x4000000ull + q.qm + 0x41, 0x01,
			     1);
	assert_int_equal(errors(card, &q, 0), 0x2000);

	cb = cb_host(card, CBUF);
	memset(card->ram + FENCE_AT, 0xff, 4);
	put_lin_dma(&cb, ram_dev(FENCE_AT), CFG + q.qm + 0x40, 1, 8);
	queue_run(card, &copy, &cb);
	assert_int_equal(errors(card, &q, 0), 0x2000);

	/* the DMA core's: more descriptors than it holds */
	wr(card, DMA_CORE(1) + 0x4, 1);
	for (i = 0; i < 6; i++)
		wr(card, DMA_CORE(1) + 0x78, 8);
	i = rd(card, err_cause);
	assert_int_not_equal(i & 0xff, 0);
	gaudi_chip_bar_write(card->chip, 2, 0x4000000ull + err_cause + 2,
			     0xffff, 2);
	assert_int_equal(rd(card, err_cause), i);
	/* others keep what is not written */
	wr(card, q.qm + 0x70, 0x11223344);
	gaudi_chip_bar_write(card->chip, 2, 0x4000000ull + q.qm + 0x71, 0xaabb,
			     2);
	assert_int_equal(rd(card, q.qm + 0x70), 0x11aabb44);
}

/* Sizes that no driver would use come to an end all the same. */
JOB_TEST(huge_sizes, queue_external(card, 0, RING))
{
	struct queue in = queue_internal(card, DMA_QM(3), 0, RING2, 10);

	queue_put(card, &q, ram_dev(RAM_SIZE - 64), 0xffffffff);
	queue_ring(card, &q);
	put_cp_dma(&cb, ram_dev(RAM_SIZE - 64), 0xffffffff);
	queue_put(card, &in, cb.addr, cb.len);
	queue_ring(card, &in);
	card_settle(card);
	/* Both found the end of the host's memory. */
	assert_int_equal(rd(card, q.qm + 0x40), 1 << 1);
	assert_int_equal(rd(card, in.qm + 0x50), 1 << 1);
	wr(card, q.qm + 0x90, 0xffffffff);	/* PQ_SIZE */
	wr_settle(card, q.qm + 0xa0, 0xffffffff);
	/* 2^20 entries, PI modulo twice that; what is there is fetched */
	assert_int_equal(rd(card, q.qm + 0xa0), 0x1fffff);
	assert_int_equal(rd(card, q.qm + 0xb0), 0x1fffff);
}

JOB_TEST(zero_length_entry, queue_external(card, 0, RING))
{
	queue_put(card, &q, cb.addr, 0);
	queue_ring(card, &q);
	card_settle(card);
	put_msg_long(&cb, CFG + SM_E_N + SOB(0), 3);
	queue_run(card, &q, &cb);
	assert_int_equal(rd(card, SM_E_N + SOB(0)), 3);
}

/*
 * A stream yields after 32 steps, of which an entry takes three: also when the
 * last one is a fetch. Empty buffers by hand, one step each, lead there.
 */
JOB_TEST(yields_after_a_fetch, queue_external(card, 0, RING))
{
	unsigned int n, empty;

	put_add(&cb, 0, 1);
	for (empty = 0; empty < 3; empty++) {
		wr(card, SM_E_N + SOB(0), 0);
		for (n = 0; n < 200; n++)
			queue_put(card, &q, cb.addr, cb.len);
		for (n = 0; n < empty; n++) {
			wr(card, q.qm + 0x17c, 0);
			wr(card, q.qm + 0x180, 0);
		}
		queue_ring(card, &q);
		gaudi_chip_run_some(card->chip, 1);
		assert_in_range(sob(card, 0), 1, 32);
		card_settle(card);
		assert_int_equal(sob(card, 0), 200);
	}
}

/* A command buffer that crosses pages and is unaligned to its cache lines. */
QUEUE_TEST(long_command_buffer, queue_external(card, 6, RING))
{
	struct cb cb = cb_host(card, CBUF + 0x18);
	unsigned int i;

	for (i = 0; i < 5000; i++)
		put_msg_long(&cb, CFG + SM_W_N + SOB(i % 2048), 0x80000001);
	queue_run(card, &q, &cb);
	assert_int_equal(rd(card, SM_W_N + SOB(0)), 3);
	assert_int_equal(rd(card, SM_W_N + SOB(903)), 3);
	assert_int_equal(rd(card, SM_W_N + SOB(904)), 2);
	assert_int_equal(rd(card, SM_W_N + SOB(2047)), 2);
}

/* Completion as a kernel driver asks for it: CQ entry, then the interrupt. */
JOB_TEST(completion_and_msi, queue_external(card, 7, RING))
{
	put_msg_prot(&cb, ram_dev(FENCE_AT), 0xc0000123);
	put_msg_prot(&cb, CFG + 0xc04100, 1);
	queue_run(card, &q, &cb);
	assert_int_equal(ram32(card, FENCE_AT), 0xc0000123);
	assert_int_equal(card->msi[0], 1);
}

/* A message to a device that is no RAM is posted, not lost. */
JOB_TEST(message_to_mmio, queue_external(card, 7, RING))
{
	put_msg_long(&cb, HOST + MMIO_BASE + 0x10, 0xfeed);
	queue_run(card, &q, &cb);
	assert_int_equal(card->posted, 1);
	assert_int_equal(card->posted_addr, MMIO_BASE + 0x10);
	assert_int_equal(card->posted_value, 0xfeed);
}

JOB_TEST(no_bus_mastering, queue_external(card, 0, RING))
{
	put_msg_long(&cb, ram_dev(FENCE_AT), 1);
	card->no_bus = true;
	queue_run(card, &q, &cb);
	assert_int_equal(ram32(card, FENCE_AT), 0);
	assert_true(errors(card, &q, 0) & 1);
}
