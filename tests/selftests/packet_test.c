// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proves: every packet that a user may send works on every stream of every
 * internal queue, in the upper and in the lower command processor, and what
 * the kernel lets through on external queues does, too.
 *
 * A step that fails leaves a fence closed, and the job does not end; what the
 * packets write is in a mapped host buffer.
 */
#include "lib/fixture.h"

#define BUF_SIZE	0x4000
#define LOWER_OFF	0x1000		/* packets for the lower CP */
#define SCALARS_OFF	0x1f00
#define OUT_OFF		0x2000		/* what packets write */
#define COPY_OFF	0x3000
/* Sync objects and monitors that no driver keeps for itself. */
#define SOB		1000
#define MON		300
/* Within a queue's window. */
#define FENCE_RDATA(f, cp)	(0x8308 + 0x14 * (f) + 4 * (cp))
#define LOWER_CP	4
#define EXT_QUEUE	GAUDI_QUEUE_ID_DMA_1_0

GAUDI_HOST_FIXTURE(packet, BUF_SIZE)

/* --- packets ------------------------------------------------------------- */

static char *put(char *at, uint32_t first, uint32_t opcode, uint32_t ctl)
{
	uint32_t dw[2] = { first, opcode << 24 | ctl };

	memcpy(at, dw, sizeof(dw));
	return at + sizeof(dw);
}

static char *put64(char *at, uint64_t value)
{
	memcpy(at, &value, sizeof(value));
	return at + sizeof(value);
}

/* MSG_SHORT: base 0 is E_N's monitors, base 1 its SOBs, on every queue. */
static char *put_short(char *at, uint32_t base, uint32_t off, uint32_t value)
{
	return put(at, value, 0x04, base << 22 | off | MB);
}

static char *put_monitor(char *at, uint32_t m, uint64_t addr)
{
	at = put_short(at, 0, 4 * m, (uint32_t)addr);
	at = put_short(at, 0, 0x800 + 4 * m, (uint32_t)(addr >> 32));
	at = put_short(at, 0, 0x1000 + 4 * m, 1);
	/* one SOB, at least 1 */
	return put_short(at, 0, 0x1800 + 4 * m, 1u << 17 |
			 (0xffu & ~(1u << SOB % 8)) << 8 | SOB / 8);
}

static char *put_fence(char *at, uint32_t id, uint32_t n)
{
	return at + gt_pkt_fence(at, id, n, n);
}

/* What both kinds of command processor can do; out: where it writes. */
static char *put_common(char *at, uint64_t rdata, uint32_t cp, char *scalars,
			uint64_t scalars_va, uint64_t out)
{
	char *loop, *start = at;

	gt_pkt_msg_long(scalars, out, 0x11111111, 0);
	at = put(at, 0, 0x0a, RB | MB);				/* NOP */
	at = put(at, 3, 0x01, FENCE_RDATA(0, cp) << 8);		/* WREG_32 */
	at = put_fence(at, 0, 3);
	at = put(at, 1, 0x02, FENCE_RDATA(1, cp) << 8);		/* WREG_BULK */
	at = put64(at, 2);
	at = put_fence(at, 1, 2);
	at += gt_pkt_msg_long(at, rdata + 0x14 * 2, 5, EB);	/* MSG_LONG */
	at = put_fence(at, 2, 5);
	at = put_short(at, 1, 4 * SOB, 0);			/* MSG_SHORT */
	at = put_monitor(at, MON, rdata + 0x14 * 3);
	at = put_short(at, 1, 4 * SOB, 0x80000001);
	at = put_fence(at, 3, 1);
	at = put(at, 1u << 28 | 6u << 24 | 1000, 0x0d, 0);	/* WAIT */
	at = put_fence(at, 1, 6);
	at = put(at, 3, 0x0c, 0);				/* ARB_POINT */
	at = put(at, 1u << 31, 0x0c, 0);
	at = put(at, 0, 0x06, 0);				/* REPEAT, once */
	loop = at;
	at += gt_pkt_msg_long(at, out + 4, 0x22222222, 0);
	at = put(at, 1 | (uint32_t)(loop - start) / 8 << 16, 0x06, 0);
	at = put(at, 1 | 1 << 8 | 1 << 9, 0x0f, 0);		/* LOAD_AND_EXE */
	at = put64(at, scalars_va);
	at = put(at, 0x33333333, 0x07, EB | MB);		/* MSG_PROT */
	return put64(at, out + 8);
}

/* --- internal queues ----------------------------------------------------- */

static uint32_t make_lower(char *buf, uint64_t va, const struct engine *e)
{
	char *start = buf + LOWER_OFF, *at;

	at = put_common(start, CFG_BASE + e->qman + 0x308 + 4 * LOWER_CP,
			LOWER_CP, buf + SCALARS_OFF, va + SCALARS_OFF,
			va + OUT_OFF + 16);
	if (e < engines + NUM_DMA_ENGINES)
		at += gt_pkt_lin_dma(at, va + LOWER_OFF, va + COPY_OFF, 256,
				     EB | MB);
	return (uint32_t)(at - start);
}

static uint32_t make_upper(char *buf, uint64_t va, const struct engine *e,
			   uint32_t stream, uint32_t lower)
{
	char *at;

	at = put_common(buf, CFG_BASE + e->qman + 0x308 + 4 * stream, stream,
			buf + SCALARS_OFF + 64, va + SCALARS_OFF + 64,
			va + OUT_OFF);
	at += gt_pkt_cp_dma(at, va + LOWER_OFF, lower);
	/* after the lower CP and its engine */
	at += gt_pkt_msg_long(at, va + OUT_OFF + 12, 0x44444444, EB);
	at += gt_pkt_msg_long(at, DMA_FENCE2(1, 0), 1, EB);
	return (uint32_t)(at - buf);
}

TEST_F(packet, every_internal_stream)
{
	static const uint32_t want[8] = {
		0x11111111, 0x22222222, 0x33333333, 0x44444444,
		0x11111111, 0x22222222, 0x33333333, 0,
	};
	struct hl_cs_chunk chunks[2] = {
		{ .cb_handle = self->cb.handle, .queue_index = EXT_QUEUE },
		{ .cb_handle = self->va },
	};
	const struct engine *e;
	uint32_t s, status, size;
	uint64_t seq;

	for (e = engines; e < engines + NUM_ENGINES; e++)
		for (s = 0; s < 4; s++) {
			memset(self->host, 0, BUF_SIZE);
			size = make_lower(self->host, self->va, e);
			chunks[1].cb_size = make_upper(self->host, self->va,
						       e, s, size);
			chunks[1].queue_index = e->queue + s;
			chunks[0].cb_size = gt_pkt_fence(self->cb.map, 2, 1, 1);
			ASSERT_EQ(0, gt_submit_chunks(self->fd, chunks, 2, 0,
						      &seq));
			ASSERT_EQ(0, gt_wait(self->fd, seq, 10000000, &status));
			ASSERT_EQ(HL_WAIT_CS_STATUS_COMPLETED, status)
				TH_LOG("engine %d stream %u", (int)(e - engines), s);
			EXPECT_EQ(0, memcmp(want, self->host + OUT_OFF,
					    sizeof(want)))
				TH_LOG("engine %d stream %u", (int)(e - engines), s);
			if (e >= engines + NUM_DMA_ENGINES)
				continue;
			EXPECT_EQ(0, memcmp(self->host + LOWER_OFF,
					    self->host + COPY_OFF, 256));
		}
}

/* --- external queues ----------------------------------------------------- */

/* WREG_32, MSG_LONG, MSG_SHORT, FENCE, REPEAT, NOP, ARB_POINT, LIN_DMA */
TEST_F(packet, every_external_stream)
{
	uint32_t q, d, s, *out = (uint32_t *)(self->host + OUT_OFF);
	char *at, *loop, *start = self->cb.map;
	uint64_t rdata;

	for (q = 0; q < 8; q++) {
		d = q / 4;
		s = q % 4;
		rdata = CFG_BASE + 0x508308 + 0x20000 * d + 4 * s;
		memset(self->host, 0, BUF_SIZE);
		gt_fill(self->host, 256, q);
		at = start;
		at = put(at, 0, 0x0a, 0);
		at = put(at, 3, 0x01, FENCE_RDATA(0, s) << 8);
		at = put_fence(at, 0, 3);
		at += gt_pkt_msg_long(at, rdata + 0x14, 5, EB);
		at = put_fence(at, 1, 5);
		at = put_short(at, 1, 4 * SOB, 0);
		at = put_monitor(at, MON, rdata + 0x14 * 3);
		at = put_short(at, 1, 4 * SOB, 0x80000001);
		at = put_fence(at, 3, 1);
		at = put(at, 3, 0x0c, 0);
		at = put(at, 1u << 31, 0x0c, 0);
		at = put(at, 0, 0x06, 0);
		loop = at;
		at += gt_pkt_msg_long(at, self->va + OUT_OFF, 0x22222222, 0);
		at = put(at, 1 | (uint32_t)(loop - start) / 8 << 16, 0x06, 0);
		at += gt_pkt_lin_dma(at, self->va, self->va + COPY_OFF, 256,
				     EB | MB);
		at += gt_pkt_msg_long(at, self->va + OUT_OFF + 4, q, EB);
		self->cb.len = (uint32_t)(at - start);
		ASSERT_EQ(0, gt_run(self->fd, q, &self->cb)) TH_LOG("queue %u", q);
		EXPECT_EQ(0x22222222, out[0]);
		EXPECT_EQ(q, out[1]);
		EXPECT_EQ(-1, gt_check(self->host + COPY_OFF, 256, q));
	}
}

/* What only the kernel, or nobody, may put there. */
TEST_F(packet, refused_on_external_queues)
{
	static const struct { uint32_t opcode, dwords; int err; } bad[] = {
		{ 0x02, 4, -EPERM }, { 0x05, 4, -EPERM }, { 0x07, 4, -EPERM },
		{ 0x0b, 2, -EPERM }, { 0x0d, 2, -EINVAL }, { 0x00, 2, -EINVAL },
		{ 0x0e, 2, -EINVAL }, { 0x10, 2, -EINVAL }, { 0x1f, 2, -EINVAL },
		{ 0x03, 2, -EINVAL },		/* beyond the end */
		{ 0x0f, 4, -EPERM },		/* a command processor's */
	};
	char *at = self->cb.map;
	uint64_t seq;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		self->cb.len = gt_pkt_raw(self->cb.map, bad[i].opcode,
					  bad[i].dwords);
		((uint32_t *)at)[0] = bad[i].opcode == 0x0f;
		EXPECT_EQ(bad[i].err, gt_submit(self->fd, 0, &self->cb, &seq))
			TH_LOG("opcode 0x%x", bad[i].opcode);
		/* Hidden behind a good one as well. */
		memmove(at + 8, at, self->cb.len);
		self->cb.len += gt_pkt_nop(at, 0);
		EXPECT_EQ(bad[i].err, gt_submit(self->fd, 0, &self->cb, &seq))
			TH_LOG("opcode 0x%x", bad[i].opcode);
		self->cb.len = gt_pkt_nop(at, 0);
		EXPECT_EQ(0, gt_run(self->fd, 0, &self->cb));
	}
}

TEST_HARNESS_MAIN
