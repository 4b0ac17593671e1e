// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proves: all 64 internal queues (DMA2..7, MME and TPC, four streams each)
 * execute packets with their upper and lower command processors; queues of
 * different engines wait for each other; predicates and scalars select what
 * runs; arbiters choose among all who have come; a TPC runs a kernel up to its
 * end. (Mainline keeps NIC queues off.)
 */
#include "lib/fixture.h"

#define SLOT		0x400u		/* bytes of packets for a queue */
#define DONE		60		/* SOB: who has finished */
#define SOB_ADD(n)	(1u << 31 | (n))
#define LOAD		(1u << 8)	/* LOAD_AND_EXE: load, execute */
#define EXECUTE		(1u << 9)
#define UPPER		(1u << 10)	/* the packet at the third scalar */
#define SCALARS		1u
#define KERNEL		0x23000000ull	/* in HBM */

GAUDI_HOST_FIXTURE(queues, 0x400000,
	struct hl_cs_chunk chunk[4 * NUM_ENGINES + 1];
	unsigned int chunks;
)

typedef FIXTURE_DATA(queues) data;

static uint64_t fence2(const struct engine *e, unsigned int stream)
{
	return CFG_BASE + e->qman + 0x330 + 4 * stream;
}

/* Packets of bytes length at self->host + off become a job of queue. */
static void add_job(data *self, uint32_t queue, uint32_t off, uint32_t bytes)
{
	struct hl_cs_chunk *c = &self->chunk[self->chunks++];

	memset(c, 0, sizeof(*c));
	c->cb_handle = self->va + off;
	c->cb_size = bytes;
	c->queue_index = queue;
}

/*
 * Submit the jobs, and one on an external queue that ends when SOB DONE has
 * reached count. HL_WAIT_CS_STATUS_*, or a negative errno.
 */
static int run_jobs(data *self, uint32_t count)
{
	struct hl_cs_chunk *c = &self->chunk[self->chunks];
	char *p = self->cb.map;
	uint32_t status;
	uint64_t seq;
	int err;

	p += gt_pkt_monitor(p, 44, DONE, count, DMA_FENCE2(0, 0));
	p += gt_pkt_fence(p, 2, 1, 1);
	self->cb.len = p - (char *)self->cb.map;
	memset(c, 0, sizeof(*c));
	c->cb_handle = self->cb.handle;
	c->cb_size = self->cb.len;
	c->queue_index = GAUDI_QUEUE_ID_DMA_0_0;
	err = gt_submit_chunks(self->fd, self->chunk, self->chunks + 1, 0,
			       &seq);
	self->chunks = 0;
	if (!err)
		err = gt_wait(self->fd, seq, 20000000, &status);
	return err ? err : (int)status;
}

/* What SOB n is: monitors compare, so let a queue wait for just that value. */
static int sob_equals(data *self, unsigned int n, uint32_t value)
{
	const uint32_t equal = 1u << 16;
	char *p = self->cb.map;
	uint32_t status;
	uint64_t seq;
	int err;

	p += gt_pkt_monitor(p, 45, n, value, DMA_FENCE2(0, 1));
	*(uint32_t *)(p - 16) |= equal;
	p += gt_pkt_fence(p, 2, 1, 1);
	self->cb.len = p - (char *)self->cb.map;
	err = gt_submit(self->fd, GAUDI_QUEUE_ID_DMA_0_1, &self->cb, &seq);
	if (!err)
		err = gt_wait(self->fd, seq, 5000000, &status);
	return err ? err : status == HL_WAIT_CS_STATUS_COMPLETED;
}

/* Each queue by its upper and its lower command processor. */
TEST_F(queues, all_execute)
{
	unsigned int i, s, off = 0;
	uint32_t low;
	char *p, *start;

	for (i = 0; i < NUM_ENGINES; i++) {
		for (s = 0; s < 4; s++, off += SLOT) {
			p = start = self->host + off + 0x200;
			p += gt_pkt_nop(p, 0);
			p += gt_pkt_msg_long(p, SOB_E_N(61), SOB_ADD(1), 0);
			p += gt_pkt_msg_long(p, SOB_E_N(DONE), SOB_ADD(1), MB);
			low = p - start;
			p = start = self->host + off;
			p += gt_pkt_msg_long(p, SOB_E_N(DONE), SOB_ADD(1), MB);
			p += gt_pkt_cp_dma(p, self->va + off + 0x200, low);
			add_job(self, engines[i].queue + s, off, p - start);
		}
	}
	/* A monitor compares up to 15 bits. */
	ASSERT_EQ(HL_WAIT_CS_STATUS_COMPLETED,
		  run_jobs(self, 2 * 4 * NUM_ENGINES));
	EXPECT_EQ(1, sob_equals(self, 61, 4 * NUM_ENGINES));
}

/* A chain through all engines: each waits for the one before it. */
TEST_F(queues, wait_for_each_other)
{
	unsigned int i, off = 0;
	char *p, *start;

	for (i = 0; i < NUM_ENGINES; i++, off += SLOT) {
		p = start = self->host + off;
		if (i) {
			p += gt_pkt_monitor(p, 50 + i, 62, i,
					    fence2(&engines[i], i % 4));
			p += gt_pkt_fence(p, 2, 1, 1);
		}
		p += gt_pkt_msg_long(p, SOB_E_N(62), SOB_ADD(1), MB);
		if (i == NUM_ENGINES - 1)
			p += gt_pkt_msg_long(p, SOB_E_N(DONE), SOB_ADD(1), MB);
		add_job(self, engines[i].queue + i % 4, off, p - start);
	}
	ASSERT_EQ(HL_WAIT_CS_STATUS_COMPLETED, run_jobs(self, 1));
	EXPECT_EQ(1, sob_equals(self, 62, NUM_ENGINES));
}

static uint32_t load_and_exe(char *at, uint64_t addr, uint32_t flags)
{
	uint32_t bytes = gt_pkt_raw(at, 0xf, 4);

	((uint32_t *)at)[0] = flags;
	memcpy(at + 8, &addr, 8);
	return bytes;
}

static uint32_t wreg32(char *at, uint32_t off, uint32_t value)
{
	uint32_t bytes = gt_pkt_raw(at, 0x1, 2);

	((uint32_t *)at)[0] = value;
	((uint32_t *)at)[1] |= off << 8;
	return bytes;
}

/* Predicate 3 is true, 4 is not; then scalars as packets, one at a time. */
TEST_F(queues, predicates_and_scalars)
{
	const uint32_t map = 0x800, scalars = 0x900, shorts = 0x920;
	char *p = self->host, *start = p;

	memset(self->host + map, 0, 4 * 32);
	((uint32_t *)(self->host + map))[3] = 1;
	((uint32_t *)(self->host + map))[4] = 0xfffffffe;
	gt_pkt_msg_long(self->host + scalars, SOB_E_N(65), SOB_ADD(5), 0);
	/* base 1: the objects of manager E_N */
	((uint32_t *)(self->host + shorts))[0] = SOB_ADD(1);
	((uint32_t *)(self->host + shorts))[1] = 4u << 24 | 1u << 22 | 4 * 65;
	((uint32_t *)(self->host + shorts))[2] = SOB_ADD(6);
	((uint32_t *)(self->host + shorts))[3] = 4u << 24 | 1u << 22 | 4 * 65;

	p += load_and_exe(p, self->va + map, LOAD);
	p += gt_pkt_msg_long(p, SOB_E_N(63), SOB_ADD(1), 0);
	((uint32_t *)p)[-3] |= 3;
	p += gt_pkt_msg_long(p, SOB_E_N(64), SOB_ADD(1), 0);
	((uint32_t *)p)[-3] |= 4;
	p += load_and_exe(p, self->va + scalars, SCALARS | LOAD);
	p += load_and_exe(p, 0, SCALARS | EXECUTE);
	p += load_and_exe(p, self->va + shorts, SCALARS | LOAD | EXECUTE);
	p += load_and_exe(p, 0, SCALARS | EXECUTE | UPPER);
	p += gt_pkt_msg_long(p, SOB_E_N(DONE), SOB_ADD(1), MB);
	add_job(self, GAUDI_QUEUE_ID_TPC_5_2, 0, p - start);
	ASSERT_EQ(HL_WAIT_CS_STATUS_COMPLETED, run_jobs(self, 1));
	EXPECT_EQ(1, sob_equals(self, 63, 1));
	EXPECT_EQ(1, sob_equals(self, 64, 0));
	EXPECT_EQ(1, sob_equals(self, 65, 12));
}

/* --- the arbiter --- */

#define ARB_CFG_0	0x8a00
#define BY_PRIORITY	0x110u		/* enabled, master */
/* Sync objects and monitors of engine i. */
#define READY(i)	(100 + 4 * (i))
#define START(i)	(101 + 4 * (i))
#define ENDED(i)	(102 + 4 * (i))
#define LAST(i)		(103 + 4 * (i))
#define MON(i, s)	(100 + 4 * (i) + (s))

static uint32_t await(char *at, unsigned int i, unsigned int s, uint32_t sob,
		      uint32_t value)
{
	return gt_pkt_monitor(at, MON(i, s), sob, value,
			      fence2(&engines[i], s));
}

static uint32_t arb_point(char *at, uint32_t cfg)
{
	uint32_t bytes = gt_pkt_raw(at, 0xc, 2);

	*(uint32_t *)at = cfg;
	return bytes;
}

/* Lets the other two go when both have come, and cleans up behind them. */
static uint32_t put_gate(char *at, unsigned int i)
{
	char *p = at;

	p += wreg32(p, ARB_CFG_0, BY_PRIORITY);
	p += await(p, i, 1, READY(i), 2);
	p += gt_pkt_fence(p, 2, 1, 1);
	p += gt_pkt_msg_long(p, SOB_E_N(START(i)), 1, MB);
	p += await(p, i, 1, ENDED(i), 2);
	p += gt_pkt_fence(p, 2, 1, 1);
	p += wreg32(p, ARB_CFG_0, 0);
	p += gt_pkt_msg_long(p, SOB_E_N(READY(i)), 0, MB);
	p += gt_pkt_msg_long(p, SOB_E_N(START(i)), 0, MB);
	p += gt_pkt_msg_long(p, SOB_E_N(ENDED(i)), 0, MB);
	p += gt_pkt_msg_long(p, SOB_E_N(DONE), SOB_ADD(1), MB);
	return p - at;
}

static uint32_t put_rival(char *at, unsigned int i, unsigned int s,
			  uint32_t prio)
{
	char *p = at;

	p += await(p, i, s, START(i), 1);
	p += gt_pkt_msg_long(p, SOB_E_N(READY(i)), SOB_ADD(1), MB);
	p += gt_pkt_fence(p, 2, 1, 1);
	p += arb_point(p, prio);
	p += gt_pkt_msg_long(p, SOB_E_N(LAST(i)), prio, MB);
	p += arb_point(p, 1u << 31);
	p += gt_pkt_msg_long(p, SOB_E_N(ENDED(i)), SOB_ADD(1), MB);
	return p - at;
}

/*
 * Streams 0 and 3 of each QMAN are let go by one sync object: both have asked
 * before the arbiter chooses, so the lower priority is the last one.
 */
TEST_F(queues, priority_of_streams_let_go_together)
{
	unsigned int round, i, off;
	uint32_t high;

	for (round = 0; round < 2; round++) {
		high = round ? 9 : 2;
		for (i = 0, off = 0; i < NUM_ENGINES; i++, off += 3 * SLOT) {
			add_job(self, engines[i].queue, off,
				put_rival(self->host + off, i, 0, 11 - high));
			add_job(self, engines[i].queue + 3, off + SLOT,
				put_rival(self->host + off + SLOT, i, 3, high));
			add_job(self, engines[i].queue + 1, off + 2 * SLOT,
				put_gate(self->host + off + 2 * SLOT, i));
		}
		ASSERT_EQ(HL_WAIT_CS_STATUS_COMPLETED,
			  run_jobs(self, (round + 1) * NUM_ENGINES));
		for (i = 0; i < NUM_ENGINES; i++)
			EXPECT_EQ(1, sob_equals(self, LAST(i), 2))
				TH_LOG("engine %u, round %u", i, round);
	}
}

/* All eight cores run NOPs and HALT from HBM, and signal at their end. */
TEST_F(queues, tpc_kernel_signals)
{
	static const unsigned char halt[32] = {
		[0] = 0x20, [6] = 0x01, [14] = 0x80, [15] = 0x0f,
		[17] = 0xf0, [18] = 0x01,
	};
	unsigned char *word = (unsigned char *)self->host + 0x10000;
	unsigned int i, off = 0;
	char *p, *start;

	for (i = 0; i < 5; i++, word += 32) {
		memcpy(word, halt, 32);
		if (i == 4)
			break;
		word[0] = 0x3f;
		word[5] = 0xf8;
	}
	self->cb.len = gt_pkt_lin_dma(self->cb.map, self->va + 0x10000,
				       KERNEL, 0x1000, EB | MB);
	ASSERT_EQ(0, gt_run(self->fd, GAUDI_QUEUE_ID_DMA_0_0, &self->cb));
	for (i = 0; i < 8; i++, off += SLOT) {
		p = start = self->host + off + 0x200;
		p += wreg32(p, 0xd80, SOB_ADD(1));
		p += wreg32(p, 0xd84, (uint32_t)SOB_E_N(DONE));
		p += wreg32(p, 0xd88, (uint32_t)KERNEL);
		p += wreg32(p, 0xd8c, KERNEL >> 32);
		p += wreg32(p, 0x938, 1);
		/* The barrier waits for the kernel. */
		p += gt_pkt_msg_long(p, SOB_E_N(66), SOB_ADD(1), EB | MB);
		gt_pkt_cp_dma(self->host + off, self->va + off + 0x200,
			      p - start);
		add_job(self, GAUDI_QUEUE_ID_TPC_0_0 + 4 * i, off, 16);
	}
	ASSERT_EQ(HL_WAIT_CS_STATUS_COMPLETED, run_jobs(self, 8));
	EXPECT_EQ(1, sob_equals(self, 66, 8));
}

TEST_F(queues, nic_queues_are_off)
{
	struct hl_cs_chunk *c = &self->chunk[0];
	uint64_t seq;

	gt_pkt_nop(self->host, 0);
	add_job(self, GAUDI_QUEUE_ID_NIC_0_0, 0, 8);
	EXPECT_EQ(-EINVAL, gt_submit_chunks(self->fd, c, 1, 0, &seq));
}

TEST_HARNESS_MAIN
