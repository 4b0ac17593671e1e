// SPDX-License-Identifier: GPL-2.0-only
/*
 * Errors of queue managers: each one's bit in GLBL_STS1, the message to the
 * embedded CPU, which unit stops and which does not, and how it goes on.
 */
#include "../card.h"

#define RING	0x10000
#define RING2	0x20000
#define CBUF	0x100000
#define LOWER_AT 0x180000
#define ERR_AT	0x200000

#define NOWHERE	0x7e00000000ull
#define LOWER	4

#define PQF(n)	(1u << (n))
#define CQF(n)	(1u << (4 + (n)))
#define CP(n)	(1u << (9 + (n)))

/* --- how to provoke each one ------------------------------------------------- */

static void undefined(struct card *card, struct cb *cb)
{
	(void)card;
	put_packet(cb, 0x1234, 0x0e000000);
}

static void stop(struct card *card, struct cb *cb)
{
	(void)card;
	put_packet(cb, 0, 0x0b000000);
}

static void message(struct card *card, struct cb *cb)
{
	(void)card;
	put_msg_long(cb, NOWHERE, 1);
}

static void load(struct card *card, struct cb *cb)
{
	(void)card;
	put_packet(cb, 1 << 8, 0x0f000000);
	put64(cb, NOWHERE);
}

/* Behind the doorbell the window of a NIC has nothing. */
static void wreg(struct card *card, struct cb *cb)
{
	(void)card;
	put_packet(cb, 1, 0x01000800);
}

static void fence_underflow(struct card *card, struct cb *cb)
{
	(void)card;
	put_fence(cb, 2, 0, 3);
}

/* 16,384 in steps of 15: one too many. */
static void fence_overflow(struct card *card, struct cb *cb)
{
	unsigned int i;

	(void)card;
	for (i = 0; i < 1093; i++)
		put_msg_long(cb, CFG + 0xce0000 + 0x31c + 4, 15);
}

struct error {
	const char *name;
	uint32_t bit;
	void (*put)(struct card *card, struct cb *cb);
	bool drops;		/* the rest of the buffer is lost */
	bool stops;		/* whatever is configured */
};

static const struct error list[] = {
	{ "undefined", 1 << 3, undefined, true },
	{ "stop", 1 << 4, stop, false, true },
	{ "message", 1 << 5, message },
	{ "load", 1 << 2, load, true },
	{ "wreg", 1 << 6, wreg },
	{ "fence underflow", 1 << 14, fence_underflow },
	{ "fence overflow", 1 << 9, fence_overflow },
};

/* --- the course of an error --------------------------------------------------- */

/*
 * Of a WREG_BULK nothing behind a bad register is written before the error is
 * cleared: here GLBL_CFG0 to ERR_CFG behind an offset that is none.
 */
JOB_TEST(bulk_stops_where_it_fails, queue_internal(card, 0xe48000, 2, RING, 4))
{
	uint32_t stop = CP(2) << 16, prot = rd(card, q.qm + 8);

	wr(card, q.qm + 0xc, stop);
	put_packet(&cb, 3, 0x02000000 | 0x7ff8 << 8);
	put64(&cb, 5);
	put64(&cb, 0x3fff);
	put64(&cb, (uint64_t)(stop | 1) << 32 | prot);
	put_add(&cb, 0, 1);
	queue_run(card, &q, &cb);
	assert_int_equal(sts1(card, &q, 2), 1 << 6);
	assert_int_equal(rd(card, q.qm + 0xc), stop);
	assert_int_equal(sob(card, 0), 0);
	wr_settle(card, q.qm + 0x48, 1 << 6);
	assert_int_equal(rd(card, q.qm + 0xc), stop | 1);
	assert_int_equal(sob(card, 0), 1);
}

static void tell_errors(struct card *card, uint32_t qm, uint32_t cfg)
{
	memset(card->ram + ERR_AT, 0, 4);
	wr64(card, qm + 0xcd0, ram_dev(ERR_AT));
	wr(card, qm + 0xcd8, 0x1b0);
	wr(card, qm + 0xc, cfg);
}

/* Stream 1 of a NIC queue errs in CP n; streams 0, 2 and 3 do not notice. */
static void one_error(struct card *card, const struct error *e, unsigned int n,
		      uint32_t err_cfg)
{
	bool stopped = e->stops || err_cfg & CP(n) << 16;
	struct cb cb = cb_host(card, CBUF), up = cb_host(card, LOWER_AT);
	struct queue q, other;
	unsigned int i;

	/* Fence counters cannot be set back. */
	gaudi_chip_power_on(card->chip);
	card_settle(card);
	q = queue_internal(card, 0xce0000, 1, RING, 4);
	tell_errors(card, q.qm, err_cfg);
	e->put(card, &cb);
	put_add(&cb, 0, 1);
	if (n == LOWER) {
		put_cp_dma(&up, cb.addr, cb.len);
		queue_run(card, &q, &up);
	} else {
		queue_run(card, &q, &cb);
	}
	assert_int_equal(sts1(card, &q, n), e->bit);
	assert_int_equal(ram32(card, ERR_AT), err_cfg & CP(n) ? 0x1b0 : 0);
	assert_int_equal(rd(card, q.qm + 0x38) >> 16, stopped ? CP(n) : 0);
	assert_int_equal(sob(card, 0), !e->drops && !stopped);
	for (i = 0; i < 4; i++) {
		struct cb good = cb_host(card, CBUF + 0x10000);

		if (i == 1)
			continue;
		assert_int_equal(sts1(card, &q, i), 0);
		other = queue_internal(card, q.qm, i, RING2, 4);
		put_add(&good, 1, 1);
		queue_run(card, &other, &good);
	}
	assert_int_equal(sob(card, 1), 3);
	/* The bits go one by one, and the stream with the last. */
	wr_settle(card, q.qm + 0x40 + 4 * n, 0xffff & ~e->bit);
	assert_int_equal(sts1(card, &q, n), e->bit);
	assert_int_equal(rd(card, q.qm + 0x38) >> 16, stopped ? CP(n) : 0);
	wr_settle(card, q.qm + 0x40 + 4 * n, e->bit);
	assert_int_equal(rd(card, q.qm + 0x38), 0x3fff);
	assert_int_equal(sob(card, 0), !e->drops);
	/* and it works after that */
	cb = cb_host(card, CBUF);
	put_add(&cb, 0, 1);
	queue_run(card, &q, &cb);
	assert_int_equal(sob(card, 0), 1 + !e->drops);
	assert_int_equal(sts1(card, &q, n), 0);
}

CARD_TEST(errors_of_upper_cps)
{
	unsigned int i;

	for (i = 0; i < 7; i++) {
		one_error(card, &list[i], 1, 0);
		/* all messages, no stops: as the driver does it */
		one_error(card, &list[i], 1, 0x3fff);
		/* all of both */
		one_error(card, &list[i], 1, 0xbfff3fff);
		/* stops of others only */
		one_error(card, &list[i], 1, ~(CP(1) << 16));
	}
}

CARD_TEST(errors_of_lower_cps)
{
	unsigned int i;

	for (i = 0; i < 6; i++) {
		one_error(card, &list[i], LOWER, 0x3fff);
		one_error(card, &list[i], LOWER, 0xbfff3fff);
		one_error(card, &list[i], LOWER, ~(CP(LOWER) << 16));
	}
}

/* Offsets and addresses at which no block is. */
CARD_TEST(holes_between_blocks)
{
	static const struct { uint32_t qm, off; } hole[] = {
		{ DMA_QM(0), 0x1000 }, { DMA_QM(7), 0x7ffc },
		{ DMA_QM(3), 0xa000 }, { TPC_QM(0), 0x5ffc },
		{ MME_QM0, 0x4000 }, { 0xce0000, 0xc000 },
	};
	unsigned int i;

	for (i = 0; i < 6; i++) {
		struct queue q = queue_internal(card, hole[i].qm, 0, RING, 4);
		struct cb cb = cb_host(card, CBUF);

		put_packet(&cb, 1, 0x01000000 | hole[i].off << 8);
		put_msg_long(&cb, CFG + 0x900000 + 4 * i, 1);
		queue_run(card, &q, &cb);
		assert_int_equal(sts1(card, &q, 0), 1 << 5 | 1 << 6);
		assert_int_equal(rd(card, (hole[i].qm & ~0xffffu) +
				    hole[i].off), 0);
		assert_int_equal(rd(card, 0x900000 + 4 * i), 0);
	}
}

/* A message per new bit, not per error. */
JOB_TEST(message_once, queue_external(card, 0, RING))
{
	tell_errors(card, q.qm, 0x3fff);
	wr(card, q.qm + 0xcd0, MMIO_BASE);
	wr(card, q.qm + 0xcd4, (HOST + MMIO_BASE) >> 32);
	message(card, &cb);
	message(card, &cb);
	queue_run(card, &q, &cb);
	assert_int_equal(card->posted, 1);
	cb.len = 0;
	fence_underflow(card, &cb);
	queue_run(card, &q, &cb);
	assert_int_equal(card->posted, 2);
	assert_int_equal(sts1(card, &q, 0), 1 << 5 | 1 << 14);
	wr(card, q.qm + 0x40, 1 << 5);
	cb.len = 0;
	message(card, &cb);
	queue_run(card, &q, &cb);
	assert_int_equal(card->posted, 3);
	assert_int_equal(card->posted_value, 0x1b0);
}

/* --- fetchers ------------------------------------------------------------------ */

/* An entry that cannot be read is skipped, or stops the fetcher. */
static void ring_cannot_be_read(struct card *card, uint32_t cfg)
{
	const uint64_t good = ram_dev(RING);
	struct queue q = queue_internal(card, TPC_QM(6), 2, RING, 4);
	bool stopped = cfg & PQF(2) << 16;
	struct cb cb = cb_host(card, CBUF);

	wr(card, SM_E_N + SOB(0), 0);
	tell_errors(card, q.qm, cfg);
	put_add(&cb, 0, 1);
	wr(card, q.qm + 0x80 + 8, 0x7e);
	queue_run(card, &q, &cb);
	assert_int_equal(sts1(card, &q, 2), 1);
	assert_int_equal(ram32(card, ERR_AT), cfg & PQF(2) ? 0x1b0 : 0);
	assert_int_equal(rd(card, q.qm + 0x38) >> 16, stopped ? PQF(2) : 0);
	assert_int_equal(rd(card, q.qm + 0xb0 + 8), 1);
	wr(card, q.qm + 0x80 + 8, good >> 32);
	queue_run(card, &q, &cb);
	assert_int_equal(sob(card, 0), !stopped);
	assert_int_equal(rd(card, q.qm + 0xb0 + 8), stopped ? 1 : 2);
	wr_settle(card, q.qm + 0x40 + 8, 1);
	assert_int_equal(sob(card, 0), 1);
	assert_int_equal(rd(card, q.qm + 0x38), 0x3fff);
}

CARD_TEST(errors_of_pq_fetchers)
{
	ring_cannot_be_read(card, 0);
	ring_cannot_be_read(card, PQF(2));
	ring_cannot_be_read(card, PQF(2) | PQF(2) << 16);
	ring_cannot_be_read(card, ~(PQF(2) << 16));
}

static void buffer_cannot_be_read(struct card *card, uint32_t cfg)
{
	struct queue q = queue_internal(card, MME_QM0, 3, RING, 4);
	bool stopped = cfg & CQF(3) << 16;
	struct cb cb = cb_host(card, CBUF);

	wr(card, SM_E_N + SOB(0), 0);
	tell_errors(card, q.qm, cfg);
	put_add(&cb, 0, 1);
	queue_put(card, &q, NOWHERE, 64);
	queue_run(card, &q, &cb);
	assert_int_equal(sts1(card, &q, 3), 2);
	assert_int_equal(ram32(card, ERR_AT), cfg & CQF(3) ? 0x1b0 : 0);
	assert_int_equal(rd(card, q.qm + 0x38) >> 16, stopped ? CQF(3) : 0);
	assert_int_equal(sob(card, 0), !stopped);
	wr_settle(card, q.qm + 0x40 + 12, 2);
	assert_int_equal(sob(card, 0), 1);
	assert_int_equal(rd(card, q.qm + 0x38), 0x3fff);
}

CARD_TEST(errors_of_cq_fetchers)
{
	buffer_cannot_be_read(card, 0);
	buffer_cannot_be_read(card, CQF(3));
	buffer_cannot_be_read(card, CQF(3) | CQF(3) << 16);
	buffer_cannot_be_read(card, ~(CQF(3) << 16));
}

/* --- fences --------------------------------------------------------------------- */

/* Four counters of five CPs: 14 bits, clipped at both ends, each on its own. */
QUEUE_TEST(fence_counters, queue_internal(card, DMA_QM(6), 0, RING, 4))
{
	static const uint32_t rdata[] = { 0x308, 0x31c, 0x330, 0x344 };
	static const uint32_t cnt[] = { 0x358, 0x36c, 0x380, 0x394 };
	unsigned int f, n, i;

	for (n = 0; n < 5; n++)
		for (f = 0; f < 4; f++) {
			uint32_t at = q.qm + cnt[f] + 4 * n;

			for (i = 0; i < 1092; i++)
				wr(card, q.qm + rdata[f] + 4 * n, 0xff);
			assert_int_equal(rd(card, at), 16380);
			wr(card, q.qm + rdata[f] + 4 * n, 3);
			assert_int_equal(rd(card, at), 0x3fff);
			assert_int_equal(sts1(card, &q, n), 0);
			wr(card, q.qm + rdata[f] + 4 * n, 1);
			assert_int_equal(rd(card, at), 0x3fff);
			assert_int_equal(sts1(card, &q, n), 0x100 << f);
			wr(card, q.qm + 0x40 + 4 * n, 0x100 << f);
			/* the counter itself is read only */
			wr(card, at, 0);
			assert_int_equal(rd(card, at), 0x3fff);
		}
}

/* Down to nothing: clipped at 0, and an error. */
QUEUE_TEST(fence_below_zero, queue_external(card, 5, RING))
{
	unsigned int f;

	for (f = 0; f < 4; f++) {
		struct cb cb = cb_host(card, CBUF);

		wr(card, q.qm + 0x308 + 0x14 * f + 4, 4);
		put_fence(&cb, f, 4, 15);
		queue_run(card, &q, &cb);
		assert_int_equal(rd(card, q.qm + 0x358 + 0x14 * f + 4), 0);
		assert_int_equal(sts1(card, &q, 1), 0x1000 << f);
		wr(card, q.qm + 0x44, 0xffff);
	}
}
