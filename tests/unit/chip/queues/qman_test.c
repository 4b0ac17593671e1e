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

CARD_TEST(ring_wraps)
{
	struct queue q = queue_internal(card, DMA_QM(2), 0, RING, 2);
	struct cb cb = cb_host(card, CBUF);
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

CARD_TEST(doorbell_waits_for_enable)
{
	struct queue q = queue_external(card, 0, RING);
	struct cb cb = cb_host(card, CBUF);

	put_msg_long(&cb, CFG + SM_E_N + SOB(0), 0x80000001);
	wr(card, q.qm + 0x0, 0);
	queue_run(card, &q, &cb);
	assert_int_equal(rd(card, SM_E_N + SOB(0)), 0);
	wr_settle(card, q.qm + 0x0, 0x1eff);
	assert_int_equal(rd(card, SM_E_N + SOB(0)), 1);
}

CARD_TEST(stopped_stream_goes_on)
{
	struct queue q = queue_external(card, 5, RING);
	struct cb cb = cb_host(card, CBUF);

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

CARD_TEST(fences_count)
{
	struct queue q = queue_external(card, 2, RING);
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

CARD_TEST(msg_short_bases)
{
	struct queue q = queue_external(card, 1, RING);
	struct cb cb = cb_host(card, CBUF);

	put_msg_short(&cb, 1, 4 * 9, 0x80000007);
	put_msg_short(&cb, 3, 4 * 10, 0x80000003);
	put_msg_short(&cb, 0, 0x1000 + 4 * 5, 0xabcd);
	put_msg_short(&cb, 2, 0x1000 + 4 * 6, 0x1234);
	queue_run(card, &q, &cb);
	assert_int_equal(rd(card, SM_E_N + SOB(9)), 7);
	assert_int_equal(rd(card, SM_W_S + SOB(10)), 3);
	assert_int_equal(rd(card, SM_E_N + MON_DATA(5)), 0xabcd);
	assert_int_equal(rd(card, SM_W_S + MON_DATA(6)), 0x1234);
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

CARD_TEST(packets_of_other_kinds)
{
	struct queue q = queue_external(card, 0, RING);
	struct cb cb = cb_host(card, CBUF);
	uint64_t stamp;

	put_nop(&cb);
	/* WREG_32 to the DMA core behind the queue: SRC_BASE_LO */
	put_packet(&cb, 0xcafe, 0x01000000 | 0x14 << 8);
	/* WREG_BULK: four registers from DST_BASE_LO on would be odd; two */
	put_packet(&cb, 1, 0x02000000 | 0x1c << 8);
	put64(&cb, 0x0000000100000002);
	/* MSG_LONG that writes the time */
	put_msg(&cb, 0x03000000 | 1 << 20, ram_dev(FENCE_AT), 0);
	/* WAIT 1000 cycles, then fence 1 += 2 */
	put_packet(&cb, 1u << 28 | 2 << 24 | 1000, 0x0d000000);
	put_fence(&cb, 1, 2, 2);
	put_msg_long(&cb, CFG + SM_E_N + SOB(0), 1);
	memset(card->ram + FENCE_AT, 0xff, 8);
	queue_run(card, &q, &cb);
	card_advance(card, 1000000);
	assert_int_equal(rd(card, DMA_CORE(0) + 0x14), 0xcafe);
	assert_int_equal(rd(card, DMA_CORE(0) + 0x1c), 2);
	assert_int_equal(rd(card, DMA_CORE(0) + 0x20), 1);
	stamp = ram32(card, FENCE_AT);
	assert_int_not_equal(stamp, 0xffffffff);
	assert_int_equal(rd(card, SM_E_N + SOB(0)), 1);
	assert_int_equal(errors(card, &q, 0), 0);
}

/* CP_DMA hands packets to the lower CP, which drives the DMA core. */
CARD_TEST(internal_queue)
{
	struct queue q = queue_internal(card, DMA_QM(2), 1, RING, 12);
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

CARD_TEST(internal_queue_of_compute_engines)
{
	static const uint32_t qms[] = {
		TPC_QM(0), TPC_QM(7), MME_QM0, MME_QM2, 0xce0000, 0xde2000,
	};
	unsigned int i;

	for (i = 0; i < 6; i++) {
		struct queue q = queue_internal(card, qms[i], i % 4, RING, 10);
		struct cb lower = cb_host(card, CBUF + 256);

		put_nop(&lower);
		put_msg_long(&lower, CFG + SM_E_N + SOB(i), i + 1);
		queue_run_lower(card, &q, &lower);
		assert_int_equal(rd(card, SM_E_N + SOB(i)), i + 1);
		assert_idle(card, qms[i]);
	}
}

/* An error: its bit, a message to the embedded CPU, and the stream stops. */
static void bad_packet(struct card *card, const struct cb *cb, uint32_t len,
		       uint32_t want)
{
	struct queue q = queue_external(card, 1, RING);
	struct queue other = queue_external(card, 2, RING2);
	struct cb good = cb_host(card, CBUF + 0x10000);

	queue_put(card, &q, cb->addr, len);
	queue_ring(card, &q);
	card_settle(card);
	assert_int_equal(errors(card, &q, 1) & want, want);
	/* The neighbour works on. */
	wr(card, SM_E_N + SOB(1), 0);
	put_msg_long(&good, CFG + SM_E_N + SOB(1), 1);
	queue_run(card, &other, &good);
	assert_int_equal(rd(card, SM_E_N + SOB(1)), 1);
	assert_int_equal(errors(card, &other, 2), 0);
}

CARD_TEST(undefined_opcode)
{
	struct cb cb = cb_host(card, CBUF);

	put32(&cb, 0);
	put32(&cb, 0x1f000000);
	bad_packet(card, &cb, cb.len, 1 << 3);
}

CARD_TEST(opcode_zero)
{
	struct cb cb = cb_host(card, CBUF);

	put64(&cb, 0);
	bad_packet(card, &cb, cb.len, 1 << 3);
}

CARD_TEST(stop_packet)
{
	struct cb cb = cb_host(card, CBUF);

	put_packet(&cb, 0, 0x0b000000);
	put_msg_long(&cb, CFG + SM_E_N + SOB(5), 1);
	bad_packet(card, &cb, cb.len, 1 << 4);
	assert_int_equal(rd(card, SM_E_N + SOB(5)), 0);
}

CARD_TEST(truncated_packet)
{
	struct cb cb = cb_host(card, CBUF);

	put_msg_long(&cb, CFG + SM_E_N + SOB(5), 1);
	bad_packet(card, &cb, 8, 0);
	assert_int_equal(rd(card, SM_E_N + SOB(5)), 0);
}

/*
 * A byte of an error register is cleared alone: what a write does not reach is
 * not read back and written as ones. Through the BAR, and by a DMA of 2 bytes.
 */
CARD_TEST(part_of_an_error_register)
{
	const uint32_t err_cause = DMA_CORE(1) + 0x164;
	struct queue q = queue_external(card, 0, RING);
	struct queue copy = queue_external(card, 4, RING2);
	struct cb cb = cb_host(card, CBUF);
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

CARD_TEST(message_to_nowhere)
{
	struct cb cb = cb_host(card, CBUF);

	put_msg_long(&cb, 0x7e00000000ull, 1);
	bad_packet(card, &cb, cb.len, 1 << 5);
}

/* A command buffer that is not there. */
CARD_TEST(bad_cb_address)
{
	struct cb cb = { NULL, 0, HOST + 0x100 };

	bad_packet(card, &cb, 64, 0);
	assert_true(errors(card, &(struct queue){ DMA_QM(0), 1 }, 1) & 0x7);
}

CARD_TEST(bad_ring_address)
{
	struct queue q = queue_external(card, 0, RING);

	wr(card, q.qm + 0x70, 0x1000);
	wr(card, q.qm + 0x80, 0x90);
	wr_settle(card, q.qm + 0xa0, 1);
	assert_true(errors(card, &q, 0) & 1);
}

/* Sizes that no driver would use come to an end all the same. */
CARD_TEST(huge_sizes)
{
	struct queue q = queue_external(card, 0, RING);
	struct queue in = queue_internal(card, DMA_QM(3), 0, RING2, 10);
	struct cb cb = cb_host(card, CBUF);

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

CARD_TEST(zero_length_entry)
{
	struct queue q = queue_external(card, 0, RING);
	struct cb cb = cb_host(card, CBUF);

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
CARD_TEST(yields_after_a_fetch)
{
	struct queue q = queue_external(card, 0, RING);
	struct cb cb = cb_host(card, CBUF);
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
CARD_TEST(long_command_buffer)
{
	struct queue q = queue_external(card, 6, RING);
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
CARD_TEST(completion_and_msi)
{
	struct queue q = queue_external(card, 7, RING);
	struct cb cb = cb_host(card, CBUF);

	put_msg_prot(&cb, ram_dev(FENCE_AT), 0xc0000123);
	put_msg_prot(&cb, CFG + 0xc04100, 1);
	queue_run(card, &q, &cb);
	assert_int_equal(ram32(card, FENCE_AT), 0xc0000123);
	assert_int_equal(card->msi[0], 1);
}

/* A message to a device that is no RAM is posted, not lost. */
CARD_TEST(message_to_mmio)
{
	struct queue q = queue_external(card, 7, RING);
	struct cb cb = cb_host(card, CBUF);

	put_msg_long(&cb, HOST + MMIO_BASE + 0x10, 0xfeed);
	queue_run(card, &q, &cb);
	assert_int_equal(card->posted, 1);
	assert_int_equal(card->posted_addr, MMIO_BASE + 0x10);
	assert_int_equal(card->posted_value, 0xfeed);
}

CARD_TEST(no_bus_mastering)
{
	struct queue q = queue_external(card, 0, RING);
	struct cb cb = cb_host(card, CBUF);

	put_msg_long(&cb, ram_dev(FENCE_AT), 1);
	card->no_bus = true;
	queue_run(card, &q, &cb);
	assert_int_equal(ram32(card, FENCE_AT), 0);
	assert_true(errors(card, &q, 0) & 1);
}
