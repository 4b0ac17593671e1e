// SPDX-License-Identifier: GPL-2.0-only
/*
 * Protection as the stock driver sets it up, against every queue of the card:
 * what it keeps from users stays as it is however a user's command buffer
 * reaches for it, what it leaves open works.
 *
 * The table says what gaudi_init_security() leaves in the registers.
 */
#include "../card.h"

#define RING		0x10000
#define CBUF		0x100000
#define LOWER		0x400000
#define DATA		0x1000000
#define TPC_CFG(n)	(0xe06000u + (n) * 0x40000u)
#define NIC_QM(n)	(0xce0000u + (n) / 2 * 0x40000u + (n) % 2 * 0x2000u)
#define MME_CTRL(n)	(0x60000u + (n) * 0x80000u)

#define RAZWI_WRITE_VLD	0xc1105c
#define RAZWI_WRITE_ID	0xc11060
#define RAZWI_READ_VLD	0xc11064
#define RAZWI_READ_ID	0xc11068
#define AT(x, y, axi)	((y) << 28 | (x) << 24 | (axi) << 20)

#define NUM_QUEUES	28

/* --- what the driver writes -------------------------------------------------- */

/* Closed ranges of registers: the first and the last that users cannot reach. */
static const uint32_t lbw[10][2] = {
	{ 0x0e8000, 0x11ffff }, { 0x1e8000, 0x48ffff },
	{ 0x600000, 0xc48fff }, { 0xc4a000, 0xcdffff },
	{ 0xce4000, 0xd1ffff }, { 0xd24000, 0xd5ffff },
	{ 0xd64000, 0xd9ffff }, { 0xda4000, 0xddffff },
	{ 0xde4000, 0xe05fff }, { 0xfc9000, 0x3fffffe },
};

static const struct { uint64_t base, mask; } hbw[5] = {
	{ 0, 0x3ffffe0000000 },			/* HBM: 512 MiB */
	{ SRAM, 0x3ffffffffff80 },		/* SRAM: 128 bytes, to write */
	{ 0x7ffbfe0000, 0x3ffffffff0000 },	/* scratchpad */
	{ 0x7ffbff0000, 0x3ffffffff8000 },	/* PCIe firmware SRAM */
	{ 0x7ff8000000, 0x3fffffe000000 },	/* flash */
};

/* Blocks that are closed altogether. */
static const uint32_t closed[] = {
	0x4a7000, 0x4c7000, 0x4c8000, 0x4e7000, 0x4e8000, 0x4a0000, 0x4a1000,
	0x4a2000, 0x4a8000, 0x4a9000, 0x4c0000, 0x4c1000, 0x4c2000, 0x4c9000,
	0x4e0000, 0x4e1000, 0x4e2000, 0x4e9000,
	0x20000, 0x40000, 0x41000, 0xa0000, 0xc0000, 0xc1000,
	0x120000, 0x140000, 0x141000, 0x1a0000, 0x1c0000, 0x1c1000,
	0xe07000, 0xe47000, 0xe87000, 0xec7000, 0xf07000, 0xf47000, 0xf87000,
	0xfc7000,
};

/* Words of protection bits; the others stay at all ones. */
struct bits {
	uint8_t word;
	uint32_t value;
};

static const struct bits qm_bits[] = {
	{ 0, 0x0a008000 }, { 1, 0 }, { 2, 0x1087fff0 }, { 3, 0x0001e000 },
	{ 4, 0 }, { 5, 0x00800000 }, { 6, 0xfffffffc }, { 7, 0x1e0003ff },
	{ 8, 0xfffe000f }, { 20, 0xbf }, { 21, 0xffffff00 },
	{ 22, 0xffe1bfff }, { 23, 0xa70 }, { 24, 0x8ffff000 },
	{ 25, 0xff8f0c0c }, { 26, 0xfffffffe }, { 31, 0 },
};

static const struct bits dma_bits[] = {
	{ 0, 0xfffffff8 }, { 1, 0xcfffbfff }, { 2, 0x8c0fc8c8 },
	{ 3, 0xffffffcf }, { 4, 0xffff80e0 }, { 31, 0 },
};

static const struct bits mme_bits[] = {
	{ 5, 3 }, { 8, 0xfffffffe }, { 31, 0 },
};

static const struct bits tpc_bits[] = {
	{ 17, 0x7fffffff }, { 18, 0xc0097ce6 }, { 19, 0xc00bf }, { 31, 0 },
};

static uint32_t qm_base(unsigned int n)
{
	if (n < 8)
		return DMA_QM(n);
	if (n < 10)
		return n == 8 ? MME_QM0 : MME_QM2;
	return n < 20 ? NIC_QM(n - 10) : TPC_QM(n - 20);
}

/* Where the driver's names for initiators put the engine of a queue. */
static const uint32_t place[NUM_QUEUES] = {
	AT(0, 1, 2), AT(9, 1, 2), AT(0, 2, 2), AT(9, 2, 2),	/* DMA 0.. */
	AT(0, 3, 2), AT(9, 3, 2), AT(0, 4, 2), AT(9, 4, 2),
	AT(3, 1, 0), AT(3, 6, 0),				/* MME 0, 2 */
	AT(1, 1, 3), AT(1, 1, 3), AT(1, 6, 3), AT(1, 6, 3),	/* NIC 0.. */
	AT(1, 6, 8), AT(1, 6, 8), AT(8, 6, 3), AT(8, 6, 3),
	AT(8, 6, 8), AT(8, 6, 8),
	AT(1, 1, 1), AT(2, 1, 1), AT(7, 1, 1), AT(8, 1, 1),	/* TPC 0.. */
	AT(1, 6, 1), AT(2, 6, 1), AT(7, 6, 1), AT(8, 6, 1),
};

static void ranges_lbw(struct card *card, uint32_t hit, uint32_t min)
{
	unsigned int i;

	wr(card, hit, 0x3ff);
	for (i = 0; i < 10; i++) {
		wr(card, min + 4 * i, lbw[i][0] - 1);
		wr(card, min + 0x40 + 4 * i, lbw[i][1] + 1);
	}
}

static void ranges_hbw(struct card *card, uint32_t block)
{
	static const uint32_t first[2] = { 0x5e4, 0x824 };	/* AW, AR */
	unsigned int i, rw;

	wr(card, block + 0xa64, 0x1f);
	wr(card, block + 0xa68, 0x1d);
	for (i = 0; i < 5; i++)
		for (rw = 0; rw < 2; rw++) {
			wr(card, block + first[rw] + 4 * i, hbw[i].base);
			wr(card, block + first[rw] + 0x40 + 4 * i,
			   hbw[i].base >> 32);
			wr(card, block + first[rw] + 0x80 + 4 * i, hbw[i].mask);
			wr(card, block + first[rw] + 0xc0 + 4 * i,
			   hbw[i].mask >> 32);
		}
}

static void set_bits(struct card *card, uint32_t block,
		     const struct bits *bits, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		wr(card, block + 0xf80 + 4 * bits[i].word, bits[i].value);
}

#define BITS(card, block, b) \
	set_bits(card, block, b, sizeof(b) / sizeof((b)[0]))

static void protect(struct card *card)
{
	uint32_t b, n;

	for (n = 0; n < 16; n++) {
		b = 0x300000 + n % 8 * 0x10000 + n / 8 * 0x80000;
		ranges_lbw(card, b + 0x400, b + 0x410);
		ranges_lbw(card, b + 0x490, b + 0x4a0);
		ranges_hbw(card, b + 0x6000);
	}
	for (n = 0; n < 4; n++) {
		b = 0x480000 + n * 0x20000;
		ranges_lbw(card, b + 0x704, b + 0x180);
		ranges_lbw(card, b + 0x700, b + 0x100);
		ranges_lbw(card, b + 0x720, b + 0x380);
		ranges_lbw(card, b + 0x71c, b + 0x300);
		ranges_lbw(card, b + 0x734, b + 0x580);
		ranges_lbw(card, b + 0x730, b + 0x500);
		ranges_hbw(card, b + 0x1000);
		ranges_hbw(card, b + 0x2000);
	}
	for (n = 0; n < sizeof(closed) / sizeof(closed[0]); n++)
		for (b = 0xf80; b < 0x1000; b += 4)
			wr(card, closed[n] + b, 0);
	for (n = 0; n < NUM_QUEUES; n++)
		BITS(card, qm_base(n), qm_bits);
	for (n = 0; n < 8; n++) {
		BITS(card, DMA_CORE(n), dma_bits);
		/* the queues' cores may use bit 12 of it */
		if (n > 1)
			wr(card, DMA_CORE(n) + 0xf88, 0x8c0fd8c8);
		BITS(card, TPC_CFG(n), tpc_bits);
	}
	for (n = 0; n < 4; n++)
		BITS(card, MME_CTRL(n), mme_bits);
}

/* --- a queue under test ------------------------------------------------------- */

struct user {
	struct card *card;
	struct queue q;
	bool lower;		/* by the lower CP */
	struct cb cb;
};

static void user_begin(struct user *u)
{
	u->cb = cb_host(u->card, LOWER);
}

static void user_run(struct user *u)
{
	struct cb upper = cb_host(u->card, CBUF);

	if (!u->lower) {
		queue_run(u->card, &u->q, &u->cb);
		return;
	}
	put_cp_dma(&upper, u->cb.addr, u->cb.len);
	queue_run(u->card, &u->q, &upper);
}

/* Queue n of a card as the driver leaves it: users' packets have no rights. */
static struct user user_of(struct card *card, unsigned int n, bool lower)
{
	struct user u = {
		.card = card,
		.q = queue_internal(card, qm_base(n), n % 4, RING, 10),
		.lower = lower,
	};

	wr(card, u.q.qm + 0x10 + 4 * u.q.stream, 0x400);
	wr(card, u.q.qm + 0x24 + 4 * u.q.stream, 0x400);
	wr(card, u.q.qm + 0x24 + 16, 0x400);
	return u;
}

static bool has_lower(unsigned int n)
{
	return n < 10 || n >= 20;
}

static bool is_closed(uint32_t off)
{
	unsigned int i;

	for (i = 0; i < 10; i++)
		if (off >= lbw[i][0] && off <= lbw[i][1])
			return true;
	return false;
}

/* Calls fn for registers that are closed to users; seed varies the choice. */
static void each_closed(struct card *card, unsigned int seed,
			void (*fn)(struct user *, uint32_t), struct user *u)
{
	static const uint32_t pages[] = {
		0x0e8000, 0x1e8000, 0x201000, 0x300000, 0x306000, 0x3f6000,
		0x441000, 0x442000, 0x480000, 0x481000, 0x600000, 0x77f000,
		0x800000, 0xc01000, 0xc02000, 0xc04000, 0xc07000, 0xc11000,
		0xc12000, 0xc13000, 0xc48000, 0xc4a000, 0xc4b000, 0xc70000,
		0xcc0000, 0xcdf000, 0xce4000, 0xd1f000, 0xd24000, 0xda4000,
		0xde4000, 0xe05000, 0xfc9000, 0x2c43000,
	};
	const uint32_t guarded[] = {
		DMA_QM(seed % 8), DMA_QM((seed + 3) % 8), MME_QM2,
		NIC_QM(seed % 10), TPC_QM((seed + 1) % 8),
		DMA_CORE(seed % 8), DMA_CORE((seed + 5) % 8),
		MME_CTRL(seed % 4), TPC_CFG(seed % 8),
		closed[seed % 38], closed[(seed + 13) % 38],
	};
	uint32_t i, off, word;

	for (i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
		for (off = seed * 4 % 0x40; off < 0x1000; off += 0x40) {
			assert_true(is_closed(pages[i] + off));
			fn(u, pages[i] + off);
		}
	for (i = 0; i < sizeof(guarded) / sizeof(guarded[0]); i++)
		for (off = 0; off < 0x1000; off += 4) {
			word = rd(card, guarded[i] + 0xf80 + off / 128 * 4);
			if (!(word & 1u << off % 128 / 4))
				fn(u, guarded[i] + off);
		}
}

/* --- the tests ------------------------------------------------------------------ */

static uint32_t old[16 * 1024];
static uint32_t target[16 * 1024];
static unsigned int num_targets;

static void add_message(struct user *u, uint32_t off)
{
	assert_true(num_targets < 16 * 1024);
	target[num_targets] = off;
	old[num_targets] = rd(u->card, off);
	put_msg_long(&u->cb, CFG + off, 0x5eed0000 | num_targets);
	num_targets++;
}

/* Did one of them change? Registers of the queue's own engine do, by its work. */
static void check_targets(struct card *card, uint32_t qm)
{
	uint32_t now, own = qm & ~0xffffu;
	unsigned int i;

	for (i = 0; i < num_targets; i++) {
		now = rd(card, target[i]);
		if (now == (0x5eed0000 | i) ||
		    (now != old[i] && (target[i] & ~0xffffu) != own &&
		     (target[i] & ~0xfffu) != 0xc11000))
			fail_msg("queue %x: register %x was %x, is %x", qm,
				 target[i], old[i], now);
	}
}

/* Queue n of a card that nothing was done with. */
static struct user fresh_user(struct card *card, unsigned int n, bool lower)
{
	struct user u;

	gaudi_chip_power_on(card->chip);
	protect(card);
	u = user_of(card, n, lower);
	user_begin(&u);
	num_targets = 0;
	return u;
}

/* What it has put does nothing; and all of it was looked at. */
static void run_in_vain(struct card *card, struct user *u, unsigned int n)
{
	user_run(u);
	check_targets(card, u->q.qm);
	user_begin(u);
	put_msg_long(&u->cb, CFG + SM_W_N + SOB(n), 7);
	user_run(u);
	assert_int_equal(rd(card, SM_W_N + SOB(n)), 7);
}

CARD_TEST(messages_of_every_queue)
{
	unsigned int n, lower;
	struct user u;

	for (n = 0; n < NUM_QUEUES; n++)
		for (lower = 0; lower <= has_lower(n); lower++) {
			u = fresh_user(card, n, lower);
			each_closed(card, n, add_message, &u);
			assert_true(num_targets > 2000);
			run_in_vain(card, &u, n);
			assert_int_equal(rd(card, RAZWI_WRITE_VLD), 1);
			assert_int_equal(rd(card, RAZWI_WRITE_ID), place[n]);
		}
}

static void add_wreg(struct user *u, uint32_t off)
{
	uint32_t window = off & 0xffff;

	if ((off & ~0xffffu) != (u->q.qm & ~0xffffu))
		return;
	if ((off & ~0xfffu) == u->q.qm)
		window = 0x8000 + (off & 0xfff);
	target[num_targets] = off;
	old[num_targets] = rd(u->card, off);
	put32(&u->cb, 0x5eed0000 | num_targets);
	put32(&u->cb, 0x01000000 | window << 8);
	num_targets++;
}

/* Users write into their own engine by WREG_32, which passes no range. */
CARD_TEST(engine_registers_of_every_queue)
{
	unsigned int n, lower, seed;
	struct user u;

	for (n = 0; n < NUM_QUEUES; n++)
		for (lower = 0; lower <= has_lower(n); lower++) {
			u = fresh_user(card, n, lower);
			for (seed = 0; seed < 8; seed++)
				each_closed(card, seed, add_wreg, &u);
			if (n < 10 || n >= 20)
				assert_true(num_targets > 100);
			run_in_vain(card, &u, n);
		}
}

/* Registers that users work with; mask: the bits that it keeps. */
static const struct { uint32_t off, mask; } open_regs[] = {
	{ SM_W_S + SOB(100), 0x7fff }, { SM_E_N + SOB(2047), 0x7fff },
	{ SM_E_S + MON_ADDRL(511), ~0u }, { SM_W_N + MON_DATA(0), ~0u },
	{ DMA_CORE(1) + 0x14, ~0u }, { DMA_CORE(6) + 0x74, ~0u },
	{ TPC_CFG(7) + 0x400, ~0u }, { TPC_CFG(0) + 0xa00, ~0u },
	{ MME_CTRL(0) + 0x100, ~0u }, { MME_CTRL(2) + 0x28, ~0u },
};

CARD_TEST(open_registers_of_every_queue)
{
	unsigned int n, lower, i;
	struct user u;

	protect(card);
	for (n = 0; n < NUM_QUEUES; n++)
		for (lower = 0; lower <= has_lower(n); lower++) {
			u = user_of(card, n, lower);
			user_begin(&u);
			for (i = 0; i < sizeof(open_regs) / 8; i++)
				put_msg_long(&u.cb, CFG + open_regs[i].off,
					     0x10 * n + lower + 1);
			/* fence 1 of every queue: RDATA, stream 3 */
			for (i = 0; i < NUM_QUEUES; i++)
				put_msg_long(&u.cb, CFG + qm_base(i) + 0x324, 1);
			user_run(&u);
			for (i = 0; i < sizeof(open_regs) / 8; i++)
				if (rd(card, open_regs[i].off) !=
				    ((0x10 * n + lower + 1) & open_regs[i].mask))
					fail_msg("queue %u: register %x", n,
						 open_regs[i].off);
			assert_int_equal(rd(card, RAZWI_WRITE_VLD), 0);
			assert_int_equal(rd(card, u.q.qm + 0x40 + 4 *
					    (lower ? 4 : u.q.stream)), 0);
		}
}

/* Command buffers in memory of the driver are not read for users. */
CARD_TEST(buffers_in_closed_memory)
{
	unsigned int n;
	struct user u;

	protect(card);
	for (n = 0; n < NUM_QUEUES; n++) {
		if (!has_lower(n))
			continue;
		u = user_of(card, n, true);
		wr(card, SM_W_N + SOB(n), 0);
		u.cb = cb_hbm(card, 0x1fff0000);
		put_msg_long(&u.cb, CFG + SM_W_N + SOB(n), 1);
		user_run(&u);
		assert_int_equal(rd(card, SM_W_N + SOB(n)), 0);
		assert_int_equal(rd(card, RAZWI_READ_VLD), 1);
		assert_int_equal(rd(card, RAZWI_READ_ID), place[n]);
		wr(card, RAZWI_READ_VLD, 0);
		u = user_of(card, n, true);
		u.cb = cb_hbm(card, 0x20000000);
		put_msg_long(&u.cb, CFG + SM_W_N + SOB(n), 2);
		user_run(&u);
		assert_int_equal(rd(card, SM_W_N + SOB(n)), 2);
	}
}

static uint32_t dma(struct card *card, unsigned int n, uint64_t src,
		    uint64_t dst, uint32_t size)
{
	uint32_t core = DMA_CORE(n), err;

	dma_start(card, n, src, dst, size, 0x8);
	card_settle(card);
	err = rd(card, core + 0x164);
	wr(card, core + 0x164, 0xf);
	return err & 7;
}

/* What ERR_CAUSE says: 1 the read, 2 the write, 4 a write to registers. */
CARD_TEST(memory_of_every_core)
{
	static const struct { uint64_t src, dst; uint32_t err; } c[] = {
		{ 0x10000000, USER_HBM, 1 }, { USER_HBM, 0x10000000, 2 },
		{ 0, USER_HBM, 1 }, { USER_HBM, 0x1fffffc0, 2 },
		{ SRAM + 64, USER_HBM, 0 }, { USER_HBM, SRAM + 64, 2 },
		{ USER_HBM, SRAM + 128, 0 },
		{ 0x7ffbfe0000, USER_HBM, 1 }, { USER_HBM, 0x7ffbfe0000, 4 },
		{ 0x7ffbff0000, USER_HBM, 1 }, { USER_HBM, 0x7ffbff0000, 4 },
		{ 0x7ff8000000, USER_HBM, 1 }, { USER_HBM, 0x7ff9ffffc0, 4 },
		{ CFG + 0xc4b000, USER_HBM, 1 }, { USER_HBM, CFG + 0xc4b200, 4 },
		{ CFG + DMA_CORE(3), USER_HBM, 1 },
		{ CFG + SM_E_N + SOB(64), USER_HBM, 0 },
		{ USER_HBM, CFG + SM_E_N + SOB(64), 0 },
		{ USER_HBM, USER_HBM + 4096, 0 },
		{ HOST + RAM_BASE + DATA, USER_HBM, 0 },
		{ USER_HBM, HOST + RAM_BASE + DATA, 0 },
	};
	unsigned int n, i;
	uint32_t err;

	protect(card);
	for (n = 0; n < 8; n++) {
		dma_core_init(card, n);
		for (i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
			err = dma(card, n, c[i].src, c[i].dst, 64);
			if (err != c[i].err)
				fail_msg("core %u, case %u: %u", n, i, err);
			if (err == 1)
				assert_int_equal(rd(card, RAZWI_READ_ID),
						 place[n]);
			if (err & 6)
				assert_int_equal(rd(card, RAZWI_WRITE_ID),
						 place[n]);
			assert_int_equal(rd(card, RAZWI_READ_VLD), err & 1);
			assert_int_equal(rd(card, RAZWI_WRITE_VLD), err > 1);
			wr(card, RAZWI_READ_VLD, 0);
			wr(card, RAZWI_WRITE_VLD, 0);
		}
	}
}

/* Nor does the message at the end of a transfer. */
CARD_TEST(completion_of_every_core)
{
	static const uint32_t to[] = {
		0xc4b200, 0x4a0704, DMA_QM(3), DMA_CORE(5), 0xe07010, 0x20000,
		0xc04100, SM_E_N + SOB(64),
	};
	unsigned int n, i;
	uint32_t was;

	protect(card);
	for (n = 0; n < 8; n++) {
		dma_core_init(card, n);
		for (i = 0; i < sizeof(to) / sizeof(to[0]); i++) {
			bool open = i == 7;

			was = open ? 0x77 : rd(card, to[i]);
			wr(card, DMA_CORE(n) + 0x7c, open ? 0x77 : was ^ 0x5a);
			wr(card, DMA_CORE(n) + 0x80, (uint32_t)(CFG + to[i]));
			wr(card, DMA_CORE(n) + 0x84, 0x7f);
			dma(card, n, USER_HBM, USER_HBM + 4096, 64);
			wr_settle(card, DMA_CORE(n) + 0x78, 0x9);
			wr(card, DMA_CORE(n) + 0x164, 0xf);
			assert_int_equal(rd(card, to[i]), was);
			assert_int_equal(rd(card, RAZWI_WRITE_VLD), !open);
			if (!open)
				assert_int_equal(rd(card, RAZWI_WRITE_ID),
						 place[n]);
			wr(card, RAZWI_WRITE_VLD, 0);
		}
		assert_int_equal(card->msi[0], 0);
	}
}

static void add_payload(struct user *u, uint32_t off)
{
	const uint32_t sm[] = { SM_W_S, SM_E_S, SM_W_N, SM_E_N };
	unsigned int m = num_targets;

	if (m >= 2048 || off % 12)
		return;
	target[m] = off;
	old[m] = rd(u->card, off);
	num_targets++;
	put_msg_long(&u->cb, CFG + sm[m % 4] + MON_ADDRL(m / 4),
		     (uint32_t)(CFG + off));
	put_msg_long(&u->cb, CFG + sm[m % 4] + MON_ADDRH(m / 4), 0x7f);
	put_msg_long(&u->cb, CFG + sm[m % 4] + MON_DATA(m / 4),
		     0x5eed0000 | m);
	put_msg_long(&u->cb, CFG + sm[m % 4] + MON_ARM(m / 4), 0xff00);
}

/* A monitor does not lend its rights to the user who arms it. */
CARD_TEST(payloads_of_every_manager)
{
	static const uint32_t at[4] = {
		AT(0, 1, 2), AT(9, 1, 2), AT(0, 3, 2), AT(9, 3, 2),
	};
	const uint32_t sm[] = { SM_W_S, SM_E_S, SM_W_N, SM_E_N };
	unsigned int n, seed;
	struct user u;

	protect(card);
	u = user_of(card, 27, true);
	for (seed = 0; seed < 4; seed++) {
		user_begin(&u);
		num_targets = 0;
		each_closed(card, seed, add_payload, &u);
		assert_true(num_targets > 900);
		user_run(&u);
		check_targets(card, u.q.qm);
	}
	for (n = 0; n < 4; n++) {
		wr(card, RAZWI_WRITE_VLD, 0);
		user_begin(&u);
		put_msg_long(&u.cb, CFG + sm[n] + MON_ADDRL(0), 0xfcc4b200);
		put_msg_long(&u.cb, CFG + sm[n] + MON_ARM(0), 0xff00);
		user_run(&u);
		assert_int_equal(rd(card, RAZWI_WRITE_VLD), 1);
		assert_int_equal(rd(card, RAZWI_WRITE_ID), at[n]);
		assert_int_equal(rd(card, 0xc4b200), 0);
	}
}
