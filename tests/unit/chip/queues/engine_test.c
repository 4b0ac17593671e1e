// SPDX-License-Identifier: GPL-2.0-only
/*
 * Engines beyond the everyday path: predicates and scalars, strided copies,
 * full queues, programs that never end, and what the model refuses. What is
 * inferred about the hardware is fixed here as it is documented, so that a
 * change of it is noticed.
 */
#include <unistd.h>

#include "../card.h"

#define RING	0x10000
#define RING2	0x20000
#define CBUF	0x100000
#define DATA	0x200000
#define OUT	0x300000
#define HBM	USER_HBM

#define SRC	0x14
#define DST	0x1c
#define TSIZE	0x74
#define COMMIT	0x78
#define STS0	0x190
#define ERR_CAUSE 0x164
#define BUSY	0x80000000u
#define WREG_ERR 0x40u

/* --- predicates, scalars ----------------------------------------------------- */

JOB_TEST(predicates, queue_external(card, 0, RING))
{
	struct cb map = cb_host(card, DATA);

	put_predicates(&map, 0x8);
	put_load_and_exe(&cb, map.addr, false, true, false, false);
	put32(&cb, 0x80000001);
	put32(&cb, 0x03000003);			/* predicate 3 */
	put64(&cb, CFG + SM_E_N + SOB(3));
	put32(&cb, 0x80000001);
	put32(&cb, 0x03000004);			/* predicate 4: skipped */
	put64(&cb, CFG + SM_E_N + SOB(4));
	put32(&cb, 2);				/* a skipped WREG_BULK, ... */
	put32(&cb, 0x02000004 | SRC << 8);
	put64(&cb, ~0ull);			/* ... values and all */
	put64(&cb, ~0ull);
	put_add(&cb, 0, 1);			/* predicate 0: always */
	queue_run(card, &q, &cb);
	assert_int_equal(sob(card, 3), 1);
	assert_int_equal(sob(card, 4), 0);
	assert_int_equal(sob(card, 0), 1);
	assert_int_equal(rd(card, DMA_CORE(0) + SRC), 0);
	assert_int_equal(sts1(card, &q, 0), 0);
}

/* Each of the 32, in the last of two loads; number 0 is true nevertheless. */
QUEUE_TEST(every_predicate, queue_external(card, 0, RING))
{
	static const uint32_t maps[] = { 0xa5c3f00e, 0x5a3c0ff0 };
	struct cb cb, map;
	unsigned int i, m;

	for (m = 0; m < 2; m++) {
		cb = cb_host(card, CBUF);
		map = cb_host(card, DATA + 0x7c * m);
		put_predicates(&map, maps[m]);
		put_load_and_exe(&cb, map.addr, false, true, false, false);
		for (i = 0; i < 32; i++) {
			put_msg(&cb, 0x03000000 | i,
				CFG + SM_E_N + SOB(32 + i), 1u << 31 | 1u << m);
		}
		queue_run(card, &q, &cb);
	}
	for (i = 0; i < 32; i++)
		assert_int_equal(sob(card, 32 + i), !i ? 3 :
				 (maps[0] >> i & 1) | (maps[1] >> i & 1) << 1);
	assert_int_equal(sts1(card, &q, 0), 0);
}

/* Predicates of the packet that loads, and of one that is in the scalars. */
JOB_TEST(predicates_of_load_and_exe, queue_external(card, 0, RING))
{
	struct cb rf = cb_host(card, DATA);
	struct cb map = cb_host(card, DATA + 0x100);

	put_predicates(&map, 0x8);
	put32(&rf, 0x80000001);
	put32(&rf, 0x03000004);			/* predicate 4: false */
	put64(&rf, CFG + SM_E_N + SOB(1));
	put_load_and_exe(&cb, map.addr, false, true, false, false);
	put_load_and_exe(&cb, rf.addr, true, true, true, false);
	put_add(&cb, 0, 1);
	rf = cb_host(card, DATA + 0x40);
	put_add(&rf, 2, 1);
	put_packet(&cb, 1 | 1 << 8 | 1 << 9, 0x0f000004);
	put64(&cb, rf.addr);
	put_packet(&cb, 1 | 1 << 8 | 1 << 9, 0x0f000003);
	put64(&cb, rf.addr);
	put_add(&cb, 0, 1);
	queue_run(card, &q, &cb);
	assert_int_equal(sob(card, 0), 2);
	assert_int_equal(sob(card, 1), 0);
	assert_int_equal(sob(card, 2), 1);
	assert_int_equal(sts1(card, &q, 0), 0);
}

/* One packet at a time: a long one, or the lower or the upper short one. */
JOB_TEST(scalars_execute, queue_external(card, 0, RING))
{
	struct cb rf = cb_host(card, DATA);
	struct cb shorts = cb_host(card, DATA + 16);

	put_add(&rf, 1, 1);
	put_msg_short(&shorts, 1, 4 * 2, 0x80000001);
	put_msg_short(&shorts, 1, 4 * 3, 0x80000001);
	put_add(&shorts, 9, 1);			/* beyond the four scalars */
	put_load_and_exe(&cb, rf.addr, true, true, false, false);
	put_load_and_exe(&cb, 0, true, false, true, false);
	put_load_and_exe(&cb, shorts.addr, true, true, true, false);
	put_load_and_exe(&cb, 0, true, false, true, true);
	put_load_and_exe(&cb, 0, true, false, true, true);
	put_add(&cb, 0, 1);
	queue_run(card, &q, &cb);
	assert_int_equal(sob(card, 1), 1);
	assert_int_equal(sob(card, 2), 1);
	assert_int_equal(sob(card, 3), 2);
	assert_int_equal(sob(card, 9), 0);
	assert_int_equal(sob(card, 0), 1);
	assert_int_equal(sts1(card, &q, 0), 0);
}

/* Scalars are 16 bytes: what does not fit is not looked for elsewhere. */
JOB_TEST(scalars_end, queue_external(card, 0, RING))
{
	struct cb rf = cb_host(card, DATA);

	/* A WREG_BULK of one value fits, to ARB_WRR_WEIGHT_1 and 2; ... */
	put_packet(&rf, 1, 0x02000000 | 0x8a0c << 8);
	put64(&rf, 7ull << 32 | 6);
	put_load_and_exe(&cb, rf.addr, true, true, true, false);
	put_add(&cb, 0, 1);
	queue_run(card, &q, &cb);
	assert_int_equal(sts1(card, &q, 0), 0);
	assert_int_equal(sob(card, 0), 1);
	assert_int_equal(rd(card, q.qm + 0xa0c), 6);
	assert_int_equal(rd(card, q.qm + 0xa10), 7);
	/* ... of two does not, and takes none from the buffer ... */
	rf.at[0] = 2;
	cb = cb_host(card, CBUF);
	put_load_and_exe(&cb, rf.addr, true, true, true, false);
	put64(&cb, 9ull << 32 | 8);
	put_add(&cb, 0, 1);
	queue_run(card, &q, &cb);
	assert_int_equal(sts1(card, &q, 0), 8);
	assert_int_equal(sob(card, 0), 1);
	assert_int_equal(rd(card, q.qm + 0xa14), 0);
	wr(card, q.qm + 0x40, 8);
	/* ... nor do 16 bytes in the upper half. */
	cb = cb_host(card, CBUF);
	rf = cb_host(card, DATA);
	put_nop(&rf);
	put_packet(&rf, 0x80000001, 0x03000000);
	put_load_and_exe(&cb, rf.addr, true, true, true, true);
	put64(&cb, CFG + SM_E_N + SOB(0));
	queue_run(card, &q, &cb);
	assert_int_equal(sts1(card, &q, 0), 8);
	assert_int_equal(sob(card, 0), 1);
}

JOB_TEST(load_from_nowhere, queue_external(card, 0, RING))
{
	put_load_and_exe(&cb, 0x7000000000ull, true, true, true, false);
	put_add(&cb, 0, 1);
	queue_run(card, &q, &cb);
	assert_int_equal(sts1(card, &q, 0) & 4, 4);
}

/* Scalars that execute themselves: costs time, and stops when told to. */
JOB_TEST(endless_program_stops, queue_external(card, 0, RING))
{
	struct cb rf = cb_host(card, DATA);

	put_load_and_exe(&rf, 0, true, false, true, false);
	put_load_and_exe(&cb, rf.addr, true, true, true, false);
	queue_put(card, &q, cb.addr, cb.len);
	queue_ring(card, &q);
	gaudi_chip_run(card->chip);
	assert_int_equal(rd(card, q.qm + 0x38) & 0x200, 0);
	/* Others still get their turn. */
	cb = cb_host(card, CBUF + 0x1000);
	put_add(&cb, 5, 1);
	q = queue_external(card, 1, RING2);
	queue_put(card, &q, cb.addr, cb.len);
	queue_ring(card, &q);
	gaudi_chip_run(card->chip);
	assert_int_equal(sob(card, 5), 1);
	wr_settle(card, DMA_QM(0) + 0x4, 0x3fff);
	assert_int_equal(rd(card, DMA_QM(0) + 0x38) & 0x2000000, 0x2000000);
}

/* --- queues ------------------------------------------------------------------- */

/* More buffers for the lower CP than it holds; none is lost or overtaken. */
JOB_TEST(lower_queue_backs_up, queue_internal(card, DMA_QM(2), 0, RING, 8))
{
	struct cb low;
	unsigned int i;

	for (i = 0; i < 20; i++) {
		low = cb_host(card, DATA + 0x100 * i);
		put_fence(&low, 1, 1, 1);
		put_add(&low, 0, 1);
		put_cp_dma(&cb, low.addr, low.len);
	}
	/* EB: after everything that was handed down */
	put_msg(&cb, 0x03000000 | EB, CFG + SM_E_N + SOB(1), 0x80000001);
	queue_run(card, &q, &cb);
	for (i = 0; i < 20; i++) {
		assert_int_equal(sob(card, 0), i);
		assert_int_equal(sob(card, 1), 0);
		wr_settle(card, DMA_QM(2) + 0x31c + 16, 1);
	}
	assert_int_equal(sob(card, 0), 20);
	assert_int_equal(sob(card, 1), 1);
	assert_int_equal(rd(card, DMA_QM(2) + 0x38), 0x3fff);
}

/* A buffer handed to a CQ by registers alone. */
JOB_TEST(direct_command_buffer, queue_external(card, 1, RING))
{
	put_add(&cb, 0, 1);
	wr64(card, q.qm + 0x174 + 32, cb.addr);
	wr(card, q.qm + 0x17c + 32, cb.len);
	assert_int_equal(sob(card, 0), 0);
	wr_settle(card, q.qm + 0x180 + 32, 0);
	assert_int_equal(sob(card, 0), 1);
}

/* A whole descriptor by WREG_32 and WREG_BULK. */
JOB_TEST(wreg_programs_the_core, queue_external(card, 0, RING))
{
	dma_core_init(card, 0);
	fill(card->ram + DATA, 4096, 5);
	/* 0x14..0x23 in a row: source, destination */
	put_packet(&cb, 2, 0x02000000 | SRC << 8);
	put64(&cb, ram_dev(DATA));
	put64(&cb, ram_dev(OUT));
	put_wreg(&cb, TSIZE, 4096);
	put_wreg(&cb, COMMIT, 8);
	queue_run(card, &q, &cb);
	assert_memory_equal(card->ram + DATA, card->ram + OUT, 4096);
}

/* --- DMA --------------------------------------------------------------------------- */

/* 4 rows of 16 bytes, 64 apart, gathered; and the rows scattered again. */
CARD_TEST(strided_copy)
{
	uint32_t core = DMA_CORE(3);
	unsigned int i;

	dma_core_init(card, 3);
	fill(card->ram + DATA, 4096, 7);
	wr64(card, core + SRC, ram_dev(DATA));
	wr(card, core + DST, HBM);
	wr(card, core + DST + 4, 0);
	wr(card, core + 0x4c, 16);		/* SRC_TSIZE_0 */
	wr(card, core + 0x2c, 4);		/* SRC_TSIZE_1 */
	wr(card, core + 0x30, 64);		/* SRC_STRIDE_1 */
	wr(card, core + 0x74, 64);		/* DST_TSIZE_0 */
	wr_settle(card, core + COMMIT, 0);
	for (i = 0; i < 4; i++)
		assert_memory_equal(card_hbm(card) + HBM + 16 * i,
				    card->ram + DATA + 64 * i, 16);
	/* backwards: 2 x 2 blocks of 16, with a negative stride */
	wr(card, core + SRC, HBM);
	wr(card, core + SRC + 4, 0);
	wr(card, core + DST, ram_dev(OUT + 0x100));
	wr(card, core + DST + 4, ram_dev(OUT) >> 32);
	wr(card, core + 0x4c, 64);
	wr(card, core + 0x2c, 0);
	wr(card, core + 0x74, 16);
	wr(card, core + 0x54, 2);		/* DST_TSIZE_1 */
	wr(card, core + 0x58, -32);		/* DST_STRIDE_1 */
	wr(card, core + 0x5c, 2);		/* DST_TSIZE_2 */
	wr(card, core + 0x60, 0x400);		/* DST_STRIDE_2 */
	wr_settle(card, core + COMMIT, 0);
	for (i = 0; i < 4; i++)
		assert_memory_equal(card->ram + OUT + 0x100 - 32 * (i % 2) +
				    0x400 * (i / 2),
				    card->ram + DATA + 64 * i, 16);
	assert_int_equal(rd(card, core + ERR_CAUSE), 0);
	assert_int_equal(rd(card, core + STS0), 0);
}

/* What cannot be done is an error and no completion, and says its name. */
JOB_TEST(refuses_compression, queue_external(card, 0, RING))
{
	unsigned int unimp = card->logs[GAUDI_LOG_UNIMP];

	dma_core_init(card, 0);
	wr(card, DMA_CORE(0) + 0x160, 2);	/* stop on error */
	wr(card, DMA_CORE(0) + 0x7c, 0x80000001);
	wr(card, DMA_CORE(0) + 0x80, (uint32_t)(CFG + SM_E_N + SOB(0)));
	wr(card, DMA_CORE(0) + 0x84, (CFG + SM_E_N) >> 32);
	put_lin_dma(&cb, HBM, HBM + 0x1000, 64, 0x29);
	queue_run(card, &q, &cb);
	assert_int_equal(sob(card, 0), 0);
	assert_int_equal(rd(card, DMA_CORE(0) + ERR_CAUSE), 2);
	assert_int_equal(rd(card, DMA_CORE(0) + STS0) & BUSY, BUSY);
	assert_int_equal(card->logs[GAUDI_LOG_UNIMP], unimp + 1);
	/* Cleared, the core works again. */
	wr_settle(card, DMA_CORE(0) + ERR_CAUSE, 2);
	assert_int_equal(rd(card, DMA_CORE(0) + STS0), 0);
	cb.len = 0;
	put_lin_dma(&cb, HBM, HBM + 0x1000, 64, 9);
	queue_run(card, &q, &cb);
	assert_int_equal(sob(card, 0), 1);
}

/* A fifth descriptor does not fit; a queue waits for room instead. */
JOB_TEST(descriptors_overflow, queue_external(card, 4, RING))
{
	unsigned int i;

	dma_core_init(card, 1);
	wr(card, DMA_CORE(1) + 0x4, 1);		/* halted */
	wr(card, DMA_CORE(1) + TSIZE, 4);
	wr(card, DMA_CORE(1) + DST, HBM);
	for (i = 0; i < 5; i++)
		wr(card, DMA_CORE(1) + COMMIT, 8);
	assert_int_equal(rd(card, DMA_CORE(1) + ERR_CAUSE), 8);
	wr(card, DMA_CORE(1) + ERR_CAUSE, 8);
	for (i = 0; i < 10; i++)
		put_lin_dma(&cb, HBM, HBM + 0x100 * i, 16, 8);
	put_add(&cb, 0, 1);
	queue_run(card, &q, &cb);
	assert_int_equal(sob(card, 0), 0);
	wr_settle(card, DMA_CORE(1) + 0x4, 0);
	assert_int_equal(sob(card, 0), 1);
	assert_int_equal(rd(card, DMA_CORE(1) + ERR_CAUSE), 0);
	assert_int_equal(rd(card, DMA_CORE(1) + STS0), 0);
}

/* Completions and copies that commit again, for ever: no stack, and a stop. */
CARD_TEST(core_programs_itself)
{
	uint32_t core = DMA_CORE(5);
	unsigned int i;

	dma_core_init(card, 5);
	wr(card, core + TSIZE, 4);
	wr(card, core + SRC, HBM);
	wr(card, core + DST, HBM + 64);
	wr(card, core + 0x7c, 9);
	wr(card, core + 0x80, (uint32_t)(CFG + core + COMMIT));
	wr(card, core + 0x84, CFG >> 32);
	wr(card, core + COMMIT, 9);
	for (i = 0; i < 3; i++)
		gaudi_chip_run(card->chip);
	assert_int_equal(rd(card, core + STS0) & BUSY, BUSY);
	wr_settle(card, core + 0x84, 0);
	assert_int_equal(rd(card, core + STS0), 0);
	/* The same by the data: COMMIT is what is copied. */
	memset(card_hbm(card) + HBM, 0, 4);
	card_hbm(card)[HBM] = 8;
	wr(card, core + DST, (uint32_t)(CFG + core + COMMIT));
	wr(card, core + DST + 4, CFG >> 32);
	wr(card, core + COMMIT, 8);
	for (i = 0; i < 3; i++)
		gaudi_chip_run(card->chip);
	assert_int_equal(rd(card, core + STS0) & BUSY, BUSY);
	wr_settle(card, core + DST + 4, 0);
	assert_int_equal(rd(card, core + STS0), 0);
}

/* --- flush ------------------------------------------------------------------- */

#define FLUSH_CQF(n)	(1u << (16 + 4 + (n)))
#define FLUSH_CP(n)	(1u << (16 + 9 + (n)))

/* A buffer that ends in the middle of a packet leaves nothing to the next. */
JOB_TEST(flush_forgets_half_a_packet, queue_external(card, 0, RING))
{
	struct cb next = cb_host(card, DATA);
	unsigned int i;

	wr(card, DMA_CORE(0), 0);		/* the core does not start */
	for (i = 0; i < 3; i++)
		wr(card, DMA_CORE(0) + COMMIT, 8);
	put_packet(&cb, 4, 0x02000000 | TSIZE << 8);
	for (i = 0; i < 4; i++)
		put64(&cb, 0x800000000ull);	/* the first one fills the core */
	queue_run(card, &q, &cb);
	assert_int_equal(sob(card, 0), 0);
	wr(card, q.qm + 4, FLUSH_CQF(0) | FLUSH_CP(0));
	put_add(&next, 0, 1);
	queue_run(card, &q, &next);
	assert_int_equal(sob(card, 0), 1);
	assert_int_equal(sts1(card, &q, 0), 0);
}

/* An upper CP does not wait for buffers that the lower one has lost. */
JOB_TEST(flush_of_lower_queue, queue_internal(card, TPC_QM(1), 0, RING, 6))
{
	struct cb low = cb_host(card, DATA);

	put_fence(&low, 0, 1, 1);
	put_cp_dma(&cb, low.addr, low.len);
	put_cp_dma(&cb, low.addr, low.len);
	put_msg_long(&cb, CFG + SM_E_N + SOB(0), 1);
	cb.at[32 + 4 + 3] |= EB >> 24;
	queue_run(card, &q, &cb);
	assert_int_equal(sob(card, 0), 0);
	wr_settle(card, q.qm + 4, FLUSH_CQF(4) | FLUSH_CP(4));
	assert_int_equal(sob(card, 0), 1);
}

/* --- compute, network ----------------------------------------------------------- */

CARD_TEST(tpc_kernel_fails)
{
	unsigned int told = card->logs[GAUDI_LOG_GUEST_ERROR];
	uint32_t cfg = 0xe06000 + 0x40000;

	assert_int_equal(rd(card, cfg + 0x91c), 0xee);
	wr(card, cfg + 0x91c, 0);
	wr(card, cfg + 0x95c, 0x8ffe);
	wr_settle(card, cfg + 0x938, 1);
	assert_int_equal(rd(card, cfg + 0x91c), 0xee);
	assert_int_equal(rd(card, cfg + 0x9b8), 0);
	assert_int_equal(rd(card, cfg + 0x958), 1u << 13);
	wr(card, cfg + 0x958, 0);
	assert_int_equal(rd(card, cfg + 0x958), 0);
	assert_int_equal(card->logs[GAUDI_LOG_GUEST_ERROR], told + 1);
}

/* A queue reaches the engine behind it: offsets count from its block. */
QUEUE_TEST(windows_of_compute_engines,
	   queue_internal(card, TPC_QM(3), 0, RING, 6))
{
	struct cb low = cb_host(card, DATA);

	put_wreg(&low, 0x908, 0x55);		/* TPC_CFG_SEMAPHORE */
	queue_run_lower(card, &q, &low);
	assert_int_equal(rd(card, 0xe06000 + 3 * 0x40000 + 0x908), 0x55);
	q = queue_internal(card, MME_QM2, 1, RING2, 6);
	low = cb_host(card, DATA);
	put_wreg(&low, 0x8, 0x77);		/* ARCH_BASE_ADDR_HIGH_S */
	put_wreg(&low, 0x280, 1);		/* CMD */
	queue_run_lower(card, &q, &low);
	assert_int_equal(rd(card, 0x160000 + 0x8), 0x77);
	assert_int_equal(rd(card, 0x160000), 0xc1141980);
	assert_int_equal(rd(card, 0x160000 + 0x280), 0);
	assert_int_equal(sts1(card, &q, 4), 0);
}

/* Registers of an engine's block, written from an offset on by the queue before it. */
struct run {
	uint32_t qm, block;
	uint32_t first, values;		/* offset; of 64 bits each */
	uint32_t guarded;		/* offset of a register that is protected, or 0 */
};

static void write_run(struct card *card, const struct run *r, bool bulk,
		      uint32_t page[1024])
{
	struct cb low = cb_host(card, DATA);
	struct queue q;
	uint32_t i;

	gaudi_chip_power_on(card->chip);
	card_settle(card);
	q = queue_internal(card, r->qm, 0, RING, 6);
	if (r->guarded)
		wr(card, r->block + 0xf80 + r->guarded / 128 * 4,
		   ~(1u << r->guarded / 4 % 32));
	if (bulk)
		put_packet(&low, r->values, 0x02000000 | r->first << 8);
	for (i = 0; i < 2 * r->values; i++)
		if (bulk)
			put32(&low, 0x1000 + i);
		else
			put_wreg(&low, r->first + 4 * i, 0x1000 + i);
	queue_run_lower(card, &q, &low);
	assert_int_equal(sts1(card, &q, 4), r->guarded ? 1 << 6 : 0);
	for (i = 0; i < 1024; i++)
		page[i] = rd(card, r->block + 4 * i);
}

/*
 * What a WREG_BULK leaves is what WREG_32s would: of a descriptor, of registers beside it,
 * and where protection bits keep one of it as it is.
 */
CARD_TEST(bulk_is_as_one_by_one)
{
	const uint32_t tpc3 = 0xe06000 + 3 * 0x40000, mme2 = 0x160000;
	const struct run runs[] = {
		{ TPC_QM(3), tpc3, 0xa00, 1, 0 },
		{ TPC_QM(3), tpc3, 0xa00, 136, 0 },	/* all of it */
		{ TPC_QM(3), tpc3, 0xa08, 33, 0 },
		{ TPC_QM(3), tpc3, 0x9f0, 20, 0 },	/* from before it */
		{ TPC_QM(3), tpc3, 0xe20, 8, 0 },	/* to behind it */
		{ TPC_QM(3), tpc3, 0xa00, 136, 0xa00 },
		{ TPC_QM(3), tpc3, 0xa00, 136, 0xafc },
		{ TPC_QM(3), tpc3, 0xa04, 30, 0xa80 },
		{ MME_QM2, mme2, 0x8, 79, 0 },		/* up to CMD */
		{ MME_QM2, mme2, 0x20, 16, 0x5c },
	};
	uint32_t by_bulk[1024], by_one[1024];
	size_t i;

	for (i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		write_run(card, &runs[i], true, by_bulk);
		write_run(card, &runs[i], false, by_one);
		assert_memory_equal(by_bulk, by_one, sizeof(by_one));
		assert_int_equal(by_one[runs[i].first / 4 + 1], 0x1001);
	}
}

/* What a bad write names: packet, offset, register and why; once. */
CARD_TEST(bad_register_is_named)
{
	static const struct {
		uint32_t qm, ctl;
		const char *text;
	} bad[] = {
		{ TPC_QM(3), 0x02000000 | 0x6a00 << 8,
		  "TPC3_QM_GLBL_STS1_4: WREG_BULK cannot write offset 0x6a00, "
		  "register CFG+0xecca00: there is none" },
		{ TPC_QM(3), 0x01000000 | 0x6938 << 8,
		  "WREG_32 cannot write offset 0x6938, register CFG+0xecc938" },
		{ DMA_QM(3), 0x01000000 | 0x7000 << 8,
		  "DMA3_QM_GLBL_STS1_4: WREG_32 cannot write offset 0x7000, "
		  "register " },
		{ 0xce0000, 0x01000800, "register of its port: there is none" },
	};
	unsigned int i, told;
	struct cb cb, low;
	struct queue q;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		gaudi_chip_power_on(card->chip);
		card_settle(card);
		q = queue_internal(card, bad[i].qm, 0, RING, 6);
		cb = cb_host(card, CBUF);
		low = cb_host(card, DATA);
		put32(&low, 1);
		put32(&low, bad[i].ctl);
		put64(&low, 0);
		put_cp_dma(&cb, low.addr,
			   bad[i].ctl >> 24 == 2 ? low.len : 8);
		told = card->logs[GAUDI_LOG_GUEST_ERROR];
		queue_run(card, &q, &cb);
		assert_int_equal(sts1(card, &q, 4), WREG_ERR);
		assert_int_equal(rd(card, bad[i].qm + 0x3bc + 16), 1);
		assert_int_equal(rd(card, bad[i].qm + 0x3d0 + 16), bad[i].ctl);
		if (!strstr(card->last_log, bad[i].text))
			fail_msg("'%s' says nothing of '%s'", card->last_log,
				 bad[i].text);
		assert_int_equal(card->logs[GAUDI_LOG_GUEST_ERROR], told + 2);
		told += 2;
		queue_run(card, &q, &cb);
		assert_int_equal(card->logs[GAUDI_LOG_GUEST_ERROR], told);
	}
}

/* The doorbell of a port must not end up in the queue's own GLBL_CFG0. */
JOB_TEST(nic_doorbell_rings_the_port,
	 queue_internal(card, 0xce0000, 0, RING, 6))
{
	uint32_t cfg0 = rd(card, q.qm);

	put_packet(&cb, 1, 0x02000000);
	put64(&cb, 0x400001);
	put_add(&cb, 0, 1);
	queue_run(card, &q, &cb);
	assert_int_equal(rd(card, q.qm), cfg0);
	assert_int_equal(sts1(card, &q, 0) & WREG_ERR, 0);
	assert_int_equal(sob(card, 0), 1);
	/* Which has no queue pair of this number. */
	assert_non_null(strstr(card->last_log, "queue pair 1: syndrome 0x42"));
}
