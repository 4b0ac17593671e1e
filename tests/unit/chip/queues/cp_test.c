// SPDX-License-Identifier: GPL-2.0-only
/*
 * Command processors: every packet on every one of them, by each way in;
 * predicates, loops, backpressure, and what status registers show meanwhile.
 * What is inferred about the hardware is fixed here as it is documented, so
 * that a change of it is noticed.
 */
#include "../card.h"

#define RING	0x10000
#define CBUF	0x100000
#define LOWER_AT 0x180000
#define DATA	0x200000
#define OUT	0x300000

#define LOWER	4
/* ARB_WRR_WEIGHT_1 and _2, _3: registers of the queue that only store. */
#define WEIGHT1	0xa0c
#define LOCAL	0x8000

#define UNDEF	0x08u
#define RPT_VALID 0x1000000u

static const uint32_t rdata[] = { 0x308, 0x31c, 0x330, 0x344 };
static const uint32_t cnt[] = { 0x358, 0x36c, 0x380, 0x394 };

static void put_repeat(struct cb *cb, bool end, bool outer, uint32_t to)
{
	put_packet(cb, end | outer << 1 | to / 8 << 16, 0x06000000);
}

static uint32_t errors(struct card *card, uint32_t qm, unsigned int cp)
{
	return rd(card, qm + 0x40 + 4 * cp);
}

/* By registers alone: PTR, TSIZE, CTL. */
static void direct(struct card *card, uint32_t qm, unsigned int cp,
		   uint64_t ptr, uint32_t size, uint32_t ctl)
{
	wr64(card, qm + 0x174 + 16 * cp, ptr);
	wr(card, qm + 0x17c + 16 * cp, size);
	wr(card, qm + 0x180 + 16 * cp, ctl);
}

/* --- every packet, everywhere ---------------------------------------------- */

/*
 * One of each that every CP can execute: SOB 0 counts the steps, OUT is
 * written, and the queue's own registers. n: of the CP that runs it.
 */
static void put_all(struct card *card, struct cb *cb, uint32_t qm,
		    unsigned int n, unsigned int round)
{
	struct cb rf = cb_host(card, DATA);

	put_add(&rf, 1, 1);
	put_nop(cb);
	put_wreg(cb, LOCAL + WEIGHT1, round + 1);
	put32(cb, 1);					/* WREG_BULK */
	put32(cb, 0x02000000 | (LOCAL + WEIGHT1 + 4) << 8);
	put64(cb, (uint64_t)(round + 2) << 32 | (round + 3));
	put_add(cb, 0, 1);
	put_msg_short(cb, 1, 4 * 3, 0x80000001);	/* E_N, SOB 3 */
	put_msg_short(cb, 3, 4 * 4, 0x80000001);	/* W_S, SOB 4 */
	/* E_N monitor 2: SOB 3, in group 0, adds one to SOB 5 at once */
	put_msg_short(cb, 0, 4 * 2, (uint32_t)(CFG + SM_E_N + SOB(5)));
	put_msg_short(cb, 0, 0x800 + 4 * 2, (CFG + SM_E_N) >> 32);
	put_msg_short(cb, 0, 0x1000 + 4 * 2, 0x80000001);
	put_msg_short(cb, 0, 0x1800 + 4 * 2, 1 << 17 | 0xf7 << 8);
	put_msg_short(cb, 2, 0x1000 + 4 * 7, round);	/* W_S, monitor 7 */
	put_msg_prot(cb, CFG + SM_E_N + SOB(6), 0x80000001);
	/* Its own fences: open, then pass; 15 at most at a time. */
	put_msg_long(cb, CFG + qm + rdata[0] + 4 * n, 5);
	put_fence(cb, 0, 5, 5);
	put32(cb, 3u << 28 | 4 << 24 | 100);		/* WAIT, 4 to fence 3 */
	put32(cb, 0x0d000000);
	put_fence(cb, 3, 4, 4);
	put_arb(cb, 1, false);
	put_arb(cb, 0, true);
	put_repeat(cb, false, false, 0);
	put_add(cb, 0, 1);
	put_repeat(cb, true, false, 0);
	put_load_and_exe(cb, rf.addr, true, true, true, false);
	put32(cb, 0x80000001);				/* all barriers */
	put32(cb, 0x03000000 | EB | RB | MB);
	put64(cb, CFG + SM_E_N + SOB(0));
}

static void check_all(struct card *card, uint32_t qm, unsigned int n,
		      unsigned int round)
{
	unsigned int f;

	card_advance(card, 1000);
	assert_int_equal(errors(card, qm, n), 0);
	assert_int_equal(sob(card, 0), 3 * round);
	assert_int_equal(sob(card, 1), round);
	assert_int_equal(sob(card, 3), round);
	assert_int_equal(rd(card, SM_W_S + SOB(4)), round);
	assert_int_equal(sob(card, 5), round);
	assert_int_equal(sob(card, 6), round);
	assert_int_equal(rd(card, SM_W_S + MON_DATA(7)), round - 1);
	assert_int_equal(rd(card, qm + WEIGHT1), round);
	assert_int_equal(rd(card, qm + WEIGHT1 + 4), round + 2);
	assert_int_equal(rd(card, qm + WEIGHT1 + 8), round + 1);
	for (f = 0; f < 4; f++)
		assert_int_equal(rd(card, qm + cnt[f] + 4 * n), 0);
	assert_int_equal(rd(card, qm + 0x38), 0x3fff);
	assert_int_equal(rd(card, qm + 0xc74), 0x700);
}

/* Four upper CPs by their ring, and by their CQ's registers. */
static void all_packets_in_upper_cps(struct card *card, uint32_t qm,
				     unsigned int *round)
{
	struct queue q;
	unsigned int n;

	for (n = 0; n < 4; n++) {
		struct cb cb = cb_host(card, CBUF);

		q = queue_internal(card, qm, n, RING, 4);
		put_all(card, &cb, qm, n, *round);
		queue_run(card, &q, &cb);
		check_all(card, qm, n, ++*round);

		cb.len = 0;
		put_all(card, &cb, qm, n, *round);
		direct(card, qm, n, cb.addr, cb.len, 0);
		card_settle(card);
		check_all(card, qm, n, ++*round);
	}
}

/* The lower CP by CP_DMA of each stream, and by its CQ's registers. */
static void all_packets_in_lower_cp(struct card *card, uint32_t qm,
				    unsigned int *round)
{
	struct queue q;
	unsigned int n;

	for (n = 0; n < 4; n++) {
		struct cb low = cb_host(card, LOWER_AT);

		q = queue_internal(card, qm, n, RING, 4);
		put_all(card, &low, qm, LOWER, *round);
		queue_run_lower(card, &q, &low);
		check_all(card, qm, LOWER, ++*round);
		assert_int_equal(errors(card, qm, n), 0);

		low.len = 0;
		put_all(card, &low, qm, LOWER, *round);
		direct(card, qm, LOWER, low.addr, low.len, 0);
		card_settle(card);
		check_all(card, qm, LOWER, ++*round);
	}
}

CARD_TEST(all_packets_everywhere)
{
	unsigned int i, round = 0;

	for (i = 0; i < NUM_QMS; i++) {
		all_packets_in_upper_cps(card, all_qms[i], &round);
		all_packets_in_lower_cp(card, all_qms[i], &round);
	}
	assert_int_equal(round, NUM_QMS * 16);
}

/* LIN_DMA by an external queue's upper CP, and by the lower one, all cores. */
CARD_TEST(lin_dma_everywhere)
{
	unsigned int i, n;
	struct queue q;

	fill(card->ram + DATA, 4096, 3);
	for (i = 0; i < 8; i++)
		for (n = 0; n < 5; n++) {
			struct cb cb = cb_host(card, CBUF);
			uint64_t out = OUT + 0x1000 * (8 * n + i);

			if (n < 4) {
				q = queue_external(card, n, RING);
				q = queue_internal(card, DMA_QM(i), n, RING, 4);
				/* ... but with the engine's offsets */
				wr(card, q.qm + 0x2c8 + 4 * n, 0x74);
				wr(card, q.qm + 0x2e0 + 4 * n, 0x14);
			}
			put_lin_dma(&cb, ram_dev(DATA), ram_dev(out), 4096, 8);
			direct(card, DMA_QM(i), n, cb.addr, cb.len, 0);
			card_settle(card);
			assert_memory_equal(card->ram + DATA, card->ram + out,
					    4096);
			assert_int_equal(errors(card, DMA_QM(i), n), 0);
		}
}

/* What this CP cannot do: CP_DMA in the lower one, LIN_DMA without a core. */
JOB_TEST(packets_in_the_wrong_place,
	 queue_internal(card, TPC_QM(2), 0, RING, 4))
{
	struct cb low = cb_host(card, LOWER_AT);

	put_cp_dma(&low, cb.addr, 8);
	put_add(&low, 0, 1);
	direct(card, q.qm, LOWER, low.addr, low.len, 0);
	card_settle(card);
	assert_int_equal(errors(card, q.qm, LOWER), UNDEF);
	assert_int_equal(rd(card, q.qm + 0x3bc + 16), 8);
	assert_int_equal(rd(card, q.qm + 0x3d0 + 16), 0x05000000 | MB);
	put_lin_dma(&cb, USER_HBM, USER_HBM, 8, 8);
	put_add(&cb, 0, 1);
	queue_run(card, &q, &cb);
	assert_int_equal(errors(card, q.qm, 0), UNDEF);
	assert_int_equal(sob(card, 0), 0);
}

/* --- operations ------------------------------------------------------------ */

/* MSG op 1 is the time, what 2 and 3 are nobody says: refused by name. */
QUEUE_TEST(message_operations, queue_external(card, 0, RING))
{
	unsigned int op, kind;

	wr(card, 0xc49000, 1);			/* PSOC_TIMESTAMP: on */
	for (op = 0; op < 4; op++)
		for (kind = 0; kind < 3; kind++) {
			struct cb cb = cb_host(card, CBUF);
			unsigned int unimp = card->logs[GAUDI_LOG_UNIMP];

			wr(card, SM_E_N + SOB(3), 7);
			memset(card->ram + OUT, 0xff, 4);
			put32(&cb, 9);
			if (kind == 2) {
				/* MSG_SHORT, base 1, SOB 3 */
				put32(&cb, 0x04400000 | op << 20 | 12);
			} else {
				put32(&cb, (kind ? 0x07000000 : 0x03000000) |
				      op << 20);
				put64(&cb, ram_dev(OUT));
			}
			card_advance(card, 1000000000);
			queue_run(card, &q, &cb);
			assert_int_equal(errors(card, q.qm, 0),
					 op < 2 ? 0 : UNDEF);
			if (!op)
				assert_int_equal(kind == 2 ? sob(card, 3) :
						 ram32(card, OUT), 9);
			if (op == 1 && kind < 2)
				assert_in_range(ram32(card, OUT), 10,
						0xfffffffe);
			if (op > 1) {
				assert_int_equal(ram32(card, OUT), 0xffffffff);
				assert_int_equal(sob(card, 3), 7);
				assert_int_equal(card->logs[GAUDI_LOG_UNIMP],
						 unimp + !kind);
			}
			wr(card, q.qm + 0x40, 0xffff);
		}
}

/* WAIT: 1,000 cycles of 2 ns. */
JOB_TEST(wait_takes_its_time, queue_external(card, 0, RING))
{
	put_packet(&cb, 2u << 28 | 1 << 24 | 1000, 0x0d000000);
	put_fence(&cb, 2, 1, 1);
	put_add(&cb, 0, 1);
	queue_run(card, &q, &cb);
	card_advance(card, 1990);
	assert_int_equal(sob(card, 0), 0);
	card_advance(card, 20);
	assert_int_equal(sob(card, 0), 1);
}

/* Every packet that has a predicate is skipped by it, whole. */
JOB_TEST(predicates_skip, queue_internal(card, DMA_QM(3), 0, RING, 4))
{
	struct cb low = cb_host(card, LOWER_AT);
	struct cb map = cb_host(card, DATA);
	const unsigned int p = 31;

	put_predicates(&map, 0x7ffffffe);
	put_add(&low, 0, 1);
	put_load_and_exe(&cb, map.addr, false, true, false, false);
	put_packet(&cb, 1, 0x01000000 | (LOCAL + WEIGHT1) << 8 | p);
	put_packet(&cb, 1, 0x02000000 | (LOCAL + WEIGHT1) << 8 | p);
	put64(&cb, ~0ull);
	put_msg(&cb, 0x03000000 | p, CFG + SM_E_N + SOB(0), 0x80000001);
	put_msg(&cb, 0x07000000 | p, CFG + SM_E_N + SOB(0), 0x80000001);
	put_packet(&cb, low.len, 0x05000000 | p);
	put64(&cb, low.addr);
	put_packet(&cb, 1 << 16, 0x08000000 | p);
	put_packet(&cb, 1, 0x0c000000 | p);
	put_packet(&cb, 1 | 1 << 8, 0x0f000000 | p);
	put64(&cb, 0x7e00000000ull);		/* would fail */
	put_add(&cb, 1, 1);
	wr(card, q.qm + 0xa00, 0x100);		/* a slave: nobody chooses */
	queue_run(card, &q, &cb);
	assert_int_equal(errors(card, q.qm, 0), 0);
	assert_int_equal(sob(card, 0), 0);
	assert_int_equal(sob(card, 1), 1);
	assert_int_equal(rd(card, q.qm + WEIGHT1), 0);
	assert_int_equal(rd(card, q.qm + 0x38), 0x3fff);
}

/* --- loops ------------------------------------------------------------------ */

JOB_TEST(repeats, queue_external(card, 0, RING))
{
	uint32_t in, out;

	/* outer { SOB 0; inner { SOB 1 } } */
	put_repeat(&cb, false, true, 0);
	out = cb.len;
	put_add(&cb, 0, 1);
	put_repeat(&cb, false, false, 0);
	in = cb.len;
	put_add(&cb, 1, 1);
	put_repeat(&cb, true, false, in);
	put_repeat(&cb, true, true, out);
	put_add(&cb, 2, 1);
	direct(card, q.qm, 0, cb.addr, cb.len, RPT_VALID | 5);
	card_settle(card);
	assert_int_equal(sob(card, 0), 5);
	assert_int_equal(sob(card, 1), 25);
	assert_int_equal(sob(card, 2), 1);
	/* not valid, as in a driver's entries: once; and so is 0 */
	direct(card, q.qm, 0, cb.addr, cb.len, 5);
	direct(card, q.qm, 0, cb.addr, cb.len, RPT_VALID);
	card_settle(card);
	assert_int_equal(sob(card, 0), 7);
	assert_int_equal(sob(card, 1), 27);
	assert_int_equal(sob(card, 2), 3);
	assert_int_equal(errors(card, q.qm, 0), 0);
}

/* The count of an entry of the ring. */
JOB_TEST(repeats_from_the_ring, queue_internal(card, MME_QM2, 3, RING, 4))
{
	uint32_t ctl = RPT_VALID | 0xffff, start;

	put_repeat(&cb, false, false, 0);
	start = cb.len;
	put_msg_long(&cb, HOST + MMIO_BASE, 0);
	put_repeat(&cb, true, false, start);
	queue_put(card, &q, cb.addr, cb.len);
	memcpy(card->ram + RING + 12, &ctl, 4);
	queue_ring(card, &q);
	card_settle(card);
	assert_int_equal(card->posted, 0xffff);
	assert_int_equal(errors(card, q.qm, 3), 0);
	assert_int_equal(rd(card, q.qm + 0x200 + 12), ctl);
	assert_int_equal(rd(card, q.qm + 0x38), 0x3fff);
}

JOB_TEST(repeat_to_nowhere, queue_external(card, 0, RING))
{
	struct cb rf = cb_host(card, DATA);

	put_repeat(&cb, false, false, 0);
	put_repeat(&cb, true, false, 0x100);
	put_add(&cb, 0, 1);
	direct(card, q.qm, 0, cb.addr, cb.len, RPT_VALID | 2);
	card_settle(card);
	assert_int_equal(errors(card, q.qm, 0), UNDEF);
	wr(card, q.qm + 0x40, UNDEF);
	/* nor out of the scalars */
	cb.len = 0;
	put_repeat(&rf, true, false, 0);
	put_load_and_exe(&cb, rf.addr, true, true, true, false);
	direct(card, q.qm, 0, cb.addr, cb.len, RPT_VALID | 2);
	card_settle(card);
	assert_int_equal(errors(card, q.qm, 0), UNDEF);
	assert_int_equal(sob(card, 0), 0);
}

/* A loop that starts anew within itself costs time, and stops when told to. */
JOB_TEST(endless_loop_stops, queue_external(card, 0, RING))
{
	unsigned int before;

	put_repeat(&cb, false, false, 0);
	put_msg_long(&cb, HOST + MMIO_BASE, 0);
	put_repeat(&cb, true, false, 0);
	direct(card, q.qm, 0, cb.addr, cb.len, RPT_VALID | 2);
	gaudi_chip_run(card->chip);
	before = card->posted;
	assert_in_range(before, 100, 1000000);
	gaudi_chip_run(card->chip);
	assert_true(card->posted > before);
	assert_int_equal(rd(card, q.qm + 0x38) & 1 << 9, 0);
	wr_settle(card, q.qm + 4, 1 << 9);
	assert_int_equal(rd(card, q.qm + 0x38) >> 16, 1 << 9);
	before = card->posted;
	gaudi_chip_run(card->chip);
	assert_int_equal(card->posted, before);
	/* flushed, it is forgotten */
	wr(card, q.qm + 4, 1u << 25);
	assert_int_equal(rd(card, q.qm + 0x38), 0x3fff);
}

/* --- backpressure ----------------------------------------------------------- */

/* Writes of the host wait on the bus in front of a full CQ: none is lost. */
JOB_TEST(host_fills_a_cq, queue_external(card, 2, RING))
{
	unsigned int i;

	put_fence(&cb, 1, 1, 1);
	put_add(&cb, 0, 1);
	for (i = 0; i < 10; i++) {
		direct(card, q.qm, 2, cb.addr, cb.len, i);
		card_settle(card);
		/* one is executed, three are in the queue */
		assert_int_equal(rd(card, q.qm + 0x214 + 8), i < 3 ? i : 3);
	}
	for (i = 0; i < 10; i++) {
		assert_int_equal(sob(card, 0), i);
		assert_int_equal(rd(card, q.qm + 0x200 + 8), i);
		wr_settle(card, q.qm + rdata[1] + 8, 1);
	}
	assert_int_equal(sob(card, 0), 10);
	assert_int_equal(rd(card, q.qm + 0x38), 0x3fff);
}

/* Upper CPs that hand buffers to a CQ by WREG, BULK and MSG_LONG wait for it. */
CARD_TEST(packets_fill_a_cq)
{
	static const uint32_t target[] = { DMA_QM(2), TPC_QM(5) };
	unsigned int i, t, how;

	for (t = 0; t < 2; t++)
		for (how = 0; how < 3; how++) {
			struct queue q = queue_internal(card, DMA_QM(2), 1,
							RING, 4);
			struct cb cb = cb_host(card, CBUF);
			struct cb low = cb_host(card, LOWER_AT);
			uint32_t qm = target[t];

			if (t && how < 2)
				continue;	/* beyond its window */
			queue_internal(card, qm, 0, RING + 0x1000, 4);
			wr(card, SM_E_N + SOB(0), 0);
			put_fence(&low, 1, 1, 1);
			put_add(&low, 0, 1);
			wr64(card, qm + 0x1b4, low.addr);
			wr(card, qm + 0x1bc, low.len);
			for (i = 0; i < 9; i++) {
				if (how == 0) {
					put_wreg(&cb, LOCAL + 0x1c0, i);
				} else if (how == 1) {
					put32(&cb, 1);
					put32(&cb, 0x02000000 |
					      (LOCAL + 0x1bc) << 8);
					put32(&cb, low.len);
					put32(&cb, i);
				} else {
					put_msg_long(&cb, CFG + qm + 0x1c0, i);
				}
			}
			queue_run(card, &q, &cb);
			assert_int_equal(rd(card, qm + 0x224), 3);
			assert_int_equal(rd(card, DMA_QM(2) + 0x38) & 1 << 10,
					 0);
			for (i = 0; i < 9; i++) {
				assert_int_equal(sob(card, 0), i);
				assert_int_equal(rd(card, qm + 0x210), i);
				wr_settle(card, qm + rdata[1] + 16, 1);
			}
			assert_int_equal(sob(card, 0), 9);
			assert_int_equal(rd(card, DMA_QM(2) + 0x38), 0x3fff);
		}
}

/* --- status ----------------------------------------------------------------- */

/* At a fence in the midst of a buffer, and behind it in each unit. */
JOB_TEST(status_at_a_fence, queue_internal(card, TPC_QM(4), 2, RING, 4))
{
	uint32_t at, size;

	put_nop(&cb);
	at = cb.len;
	put_fence(&cb, 3, 2, 1);
	put_nop(&cb);
	size = cb.len;
	queue_put(card, &q, cb.addr, cb.len);
	queue_put(card, &q, cb.addr, cb.len);
	queue_ring(card, &q);
	card_settle(card);
	/* fetched: one of two */
	assert_int_equal(rd(card, q.qm + 0xb0 + 8), 1);
	assert_int_equal(rd(card, q.qm + 0x100 + 8), 0xc0000000);
	/* the CQ has read it all, and nothing waits in it */
	assert_int_equal(rd(card, q.qm + 0x160 + 8), 0);
	assert_int_equal(rd(card, q.qm + 0x214 + 8), 0);
	assert_int_equal(rd(card, q.qm + 0x1c4 + 8), (uint32_t)cb.addr + at);
	assert_int_equal(rd(card, q.qm + 0x1d8 + 8), cb.addr >> 32);
	assert_int_equal(rd(card, q.qm + 0x1ec + 8), size - at);
	/* what a driver prints as the buffer in execution */
	assert_int_equal(rd(card, q.qm + 0x174 + 32), (uint32_t)cb.addr);
	assert_int_equal(rd(card, q.qm + 0x17c + 32), size);
	/* CP_STS: at fence 3; engine, registers, messages are ready */
	assert_int_equal(rd(card, q.qm + 0x3a8 + 8), 0x770000);
	assert_int_equal(rd(card, q.qm + 0x3bc + 8), 3u << 30 | 2 << 16 | 1);
	assert_int_equal(rd(card, q.qm + 0x3d0 + 8), 0x08000000);
	/* CP_DBG_0: it stalls */
	assert_int_equal(rd(card, q.qm + 0x408 + 8) & 0xe0, 0x80);
	/* STS0: PQ fetcher 2 and CP 2 are busy; the clock is on */
	assert_int_equal(rd(card, q.qm + 0x38), 0x3fff & ~0x804);
	assert_int_equal(rd(card, q.qm + 0xc74) & 0x100, 0);
	/* another fence, too little of this one */
	wr(card, q.qm + rdata[2] + 8, 15);
	wr_settle(card, q.qm + rdata[3] + 8, 1);
	assert_int_equal(rd(card, q.qm + 0x3a8 + 8), 0x770000);
	wr_settle(card, q.qm + rdata[3] + 8, 2);
	/* 3 - 1 open the second one too */
	assert_int_equal(rd(card, q.qm + cnt[3] + 8), 1);
	assert_int_equal(rd(card, q.qm + 0x3a8 + 8), 0x070000);
	assert_int_equal(rd(card, q.qm + 0x100 + 8), 0x40000000);
	assert_int_equal(rd(card, q.qm + 0x160 + 8), 0x40000000);
	assert_int_equal(rd(card, q.qm + 0x38), 0x3fff);
}

/* GLBL_CFG1 stops each unit by itself; STS0 says so. */
JOB_TEST(units_stop_one_by_one, queue_internal(card, DMA_QM(5), 1, RING, 4))
{
	static const unsigned int unit[] = { 1, 5, 10 };
	unsigned int i;

	/* The bits that flush are acts, not states. */
	wr(card, q.qm + 4, 0x3fff3fff);
	assert_int_equal(rd(card, q.qm + 4), 0x3fff);
	wr(card, q.qm + 4, 0x3fff0000);
	assert_int_equal(rd(card, q.qm + 4), 0);
	put_add(&cb, 0, 1);
	for (i = 0; i < 3; i++) {
		wr(card, q.qm + 4, 1u << unit[i]);
		queue_run(card, &q, &cb);
		assert_int_equal(sob(card, 0), i);
		assert_int_equal(rd(card, q.qm + 0x38) >> 16, 1u << unit[i]);
		/* CP_STS: SW_STOP is the CP's */
		assert_int_equal(rd(card, q.qm + 0x3a8 + 4) >> 19 & 1, i == 2);
		/* the entry was fetched, unless it was the fetcher */
		assert_int_equal(rd(card, q.qm + 0xb0 + 4), i + !!i);
		wr_settle(card, q.qm + 4, 0);
		assert_int_equal(sob(card, 0), i + 1);
		assert_int_equal(rd(card, q.qm + 0x38), 0x3fff);
	}
}

/* An engine barrier and a full core: CP_STS is not engine ready meanwhile. */
JOB_TEST(status_at_an_engine_barrier, queue_external(card, 1, RING))
{
	wr(card, DMA_CORE(0) + 0x4, 1);		/* CFG_1: halted */
	put_lin_dma(&cb, USER_HBM, USER_HBM + 64, 8, 8);
	put_msg(&cb, 0x03000000 | EB, CFG + SM_E_N + SOB(0), 0x80000001);
	queue_run(card, &q, &cb);
	assert_int_equal(sob(card, 0), 0);
	assert_int_equal(rd(card, q.qm + 0x3a8 + 4), 0x060000);
	assert_int_equal(rd(card, q.qm + 0x408 + 4) & 0xe0, 0xc0);
	assert_int_equal(rd(card, q.qm + 0x3d0 + 4), 0x03000000 | EB);
	wr_settle(card, DMA_CORE(0) + 0x4, 0);
	assert_int_equal(sob(card, 0), 1);
	assert_int_equal(rd(card, q.qm + 0x3a8 + 4), 0x070000);
}
