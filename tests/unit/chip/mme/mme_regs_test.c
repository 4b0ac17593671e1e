// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers of the matrix engines, all four of them, and fields of descriptors
 * one by one: whose address space an operand is in, padding, which loops are
 * summed, signalled, or change a reduction.
 */
#include "mme_gen.h"

#define A_AT	(USER_HBM + 0x00000)
#define B_AT	(USER_HBM + 0x10000)
#define C_AT	(USER_HBM + 0x20000)
#define FIRST	0x008	/* of the descriptor */
#define END	0x228
#define SHADOWS	0x400
#define SHADOWS_END (SHADOWS + 4 * 0x280)

#define M	3
#define N	70	/* both cores work */
#define K	5

static const struct mme_product sizes = { A_AT, B_AT, C_AT, M, N, K };

static void product(struct mme_desc *d, uint32_t header, unsigned int sobs)
{
	mme_product_desc(d, &sizes, STORE | header, K, sobs);
}

static void inputs(struct card *card)
{
	mme_product_inputs(card, &sizes, 5);
}

/* The common dimension `times` over; what lies outside B is `pad`. */
static float want(struct card *card, unsigned int i, unsigned int j,
		  unsigned int times, uint32_t columns, float pad)
{
	uint8_t *hbm = card_hbm(card);
	struct mme_sum s = { { 0 } };
	unsigned int k;

	for (k = 0; k < K * times; k++)
		mme_add(&s, mme_get(hbm + A_AT, i * K + k % K, false),
			j < columns ? mme_get(hbm + B_AT, k % K * N + j, false) :
				      pad);
	return mme_result(&s, false, true);
}

static void check(struct card *card, unsigned int times)
{
	float is, should;
	unsigned int i;

	for (i = 0; i < M * N; i++) {
		is = mme_get(card_hbm(card) + C_AT, i, true);
		should = want(card, i / N, i % N, times, N, 0);
		assert_memory_equal(&is, &should, 4);
	}
}

static void run(struct card *card, struct mme_desc *d)
{
	mme_run(card, 0, d);
	assert_int_equal(rd(card, MME(0) + MME_CAUSE), 0);
}

/* --- registers ------------------------------------------------------------ */

static const struct { uint32_t off, value; } resets[] = {
	{ 0x000, 0xc1141980 }, { 0x290, 0x10 }, { 0x294, 2 },
	{ 0x2a4, 0x04101000 }, { 0x2a8, 0x02000200 }, { 0x2ac, 0x01990200 },
	{ 0x2b0, 0x3e800100 }, { 0x2b4, 0x3 }, { 0x2b8, 0x1f },
	{ 0x2bc, 0xaaaa5555 }, { 0x2c0, 0x77773333 }, { 0x2c4, 0xaaaaaaaa },
	{ 0x2c8, 0x55555555 }, { 0x2cc, 0xdddddddd }, { 0x2d0, 0xbbbbbbbb },
	{ 0x2d4, 0x2 }, { 0x2f0, 0xc0c }, { 0x2f4, 0x80001000 },
};

static uint32_t reset_value(uint32_t off)
{
	unsigned int i;

	for (i = 0; i < sizeof(resets) / sizeof(resets[0]); i++)
		if (resets[i].off == off)
			return resets[i].value;
	return 0;
}

static void check_resets(struct card *card)
{
	uint32_t off, is;
	unsigned int n;

	for (n = 0; n < 4; n++)
		for (off = 0; off < SHADOWS_END; off += 4) {
			is = rd(card, MME(n) + off);
			if (is != reset_value(off))
				fail_msg("MME%u + %x is %x", n, off, is);
		}
}

/* What is no status, command or error, from the descriptor on. */
static bool keeps(uint32_t off)
{
	return (off >= FIRST && off < END) || off == 0x290 || off == 0x294 ||
	       off == 0x29c || (off >= 0x2a0 && off < 0x300);
}

CARD_TEST(registers_and_their_resets)
{
	uint32_t off, is, was;
	unsigned int n;

	check_resets(card);
	for (n = 0; n < 4; n++)
		for (off = 0; off < 0x300; off += 4)
			if (keeps(off))
				wr(card, MME(n) + off, off << 8 | n << 4 | 0xf);
	for (n = 0; n < 4; n++)
		for (off = 0; off < 0x300; off += 4) {
			is = rd(card, MME(n) + off);
			was = off << 8 | n << 4 | 0xf;
			if (is != (keeps(off) ? was : reset_value(off)))
				fail_msg("MME%u + %x is %x", n, off, is);
		}
	/* STATUS, STATUS1 and the shadows cannot be written. */
	for (n = 0; n < 4; n++) {
		wr(card, MME(n), 0);
		wr(card, MME(n) + 0x284, ~0u);
		for (off = SHADOWS; off < SHADOWS_END; off += 4)
			wr(card, MME(n) + off, ~0u);
		assert_int_equal(rd(card, MME(n)), MME_IDLE_STATUS);
		assert_int_equal(rd(card, MME(n) + 0x284), 0);
		for (off = SHADOWS; off < SHADOWS_END; off += 4)
			assert_int_equal(rd(card, MME(n) + off), 0);
	}
	gaudi_chip_hard_reset(card->chip);
	check_resets(card);
}

/* All that can be busy is, and nothing is idle or empty. */
CARD_TEST(status_of_a_busy_pair)
{
	struct mme_desc d;
	unsigned int i, n;

	inputs(card);
	for (i = 0; i < 2; i++) {
		product(&d, 0, 0);
		wr(card, MME_SBAB(2 * i + 1) + 0x2c, 1);
		mme_run(card, 2 * i, &d);
		for (n = 0; n < 4; n++)
			assert_int_equal(rd(card, MME(n)), n / 2 == i ?
					 0x8100007f : MME_IDLE_STATUS);
		assert_int_equal(rd(card, MME(2 * i) + SHADOWS), 1);
		assert_int_equal(rd(card, MME(2 * i + 1) + SHADOWS), 0);
		/* The registers are the next one's already. */
		wr(card, MME(2 * i) + 0x14, 0);
		wr_settle(card, MME_SBAB(2 * i + 1) + 0x2c, 0);
		assert_int_equal(rd(card, MME(2 * i)), MME_IDLE_STATUS);
		assert_int_equal(rd(card, MME(2 * i) + SHADOWS), 0);
		check(card, 1);
	}
}

/* --- address spaces ------------------------------------------------------- */

#define VA		0x1000000200000ull
#define HOP0(asid)	(0x10000000ull + (asid) * 0x1000)
#define TABLES		0x10100000ull

/* One page of 4 KiB, by tables of its own, and nothing else */
static void one_page(struct card *card, unsigned int asid, uint64_t va,
		     uint64_t pa)
{
	static const unsigned int shift[5] = { 48, 39, 30, 21, 12 };
	uint64_t table = HOP0(asid), next;
	unsigned int hop;

	for (hop = 0; hop < 5; hop++) {
		next = hop < 4 ? TABLES + (asid * 4 + hop) * 0x1000 :
				 pa | 0x800;
		*((uint64_t *)(card_hbm(card) + table) +
		  (va >> shift[hop] & (hop ? 511 : 3))) = next | 1;
		table = next;
	}
	wr(card, 0xc12004, asid);
	wr(card, 0xc12008, HOP0(asid) >> 12);
	wr(card, 0xc1200c, HOP0(asid) >> 44);
	wr_settle(card, 0xc12000, 0x80000000);
}

static void mmu_on(struct card *card)
{
	wr(card, 0xc12014, 0x1bf00000 >> 8);
	wr(card, 0xc12050, 1);
	wr(card, 0xc1100c, 1);
	wr(card, 0xc1102c, 0xf);
	wr(card, 0xc12024, 0x30440);
}

/* The register that says it for a port: S, L and O of both cores. */
static uint32_t user_register(unsigned int master, unsigned int agu)
{
	switch (agu) {
	case AGU_S:
		return MME_SBAB(master) + 0x34;
	case AGU_L:
	case AGU_L_REMOTE:
		return MME_SBAB(master + agu - AGU_L) + 0x38;
	default:
		return MME_ACC(master + agu - AGU_O) + 0x38;
	}
}

CARD_TEST(every_port_has_its_address_space)
{
	static const uint64_t at[5] = { A_AT, B_AT, B_AT, C_AT, C_AT };
	unsigned int master, agu, asid, wrong;
	struct mme_desc d;

	for (asid = 1; asid <= 10; asid++)
		one_page(card, asid, VA + at[(asid - 1) % 5],
			 at[(asid - 1) % 5]);
	mmu_on(card);
	for (master = 0; master <= 2; master += 2)
		for (agu = AGU_S; agu <= AGU_O_REMOTE; agu++)
			wr(card, user_register(master, agu),
			   1 + 5 * (master / 2) + agu);
	for (master = 0; master <= 2; master += 2) {
		inputs(card);
		product(&d, 0, 0);
		mme_base(&d, S, VA + A_AT);
		mme_base(&d, L, VA + B_AT);
		mme_base(&d, O, VA + C_AT);
		mme_run(card, master, &d);
		assert_int_equal(rd(card, MME(master) + MME_CAUSE), 0);
		assert_int_equal(sob(card, 1), master / 2 + 1);
		check(card, 1);
	}
	/* none of them can do with another one's */
	for (agu = AGU_S; agu <= AGU_O_REMOTE; agu++) {
		wrong = agu < AGU_O ? AGU_O : AGU_S;
		wr(card, user_register(2, agu), 6 + wrong);
		mme_run(card, 2, &d);
		assert_int_equal(rd(card, MME(2) + MME_CAUSE),
				 agu < AGU_O ? 2 : 4);
		wr(card, MME(2) + MME_CAUSE, 0);
		wr(card, user_register(2, agu), 6 + agu);
	}
	assert_int_equal(sob(card, 1), 2);
	/* No fact: messages are in none, though only the host's memory shows it. */
	*mme_at(&d, 0x1dc) = (uint32_t)ram_dev(0x100);
	*mme_at(&d, 0x1e0) = (uint32_t)ram_dev(0x104);
	*mme_at(&d, 0x1e4) = ram_dev(0x100) >> 32;
	*mme_at(&d, 0x1e8) = 0x1234;
	mme_run(card, 2, &d);
	assert_int_equal(ram32(card, 0x100), 0x1234);
	assert_int_equal(ram32(card, 0x104), 0x1234);
}

/* --- fields --------------------------------------------------------------- */

/* S and L have a value each; bf16 operands take its lower half. */
CARD_TEST(padding_of_l)
{
	struct mme_desc d;
	float is, should;
	unsigned int i;

	inputs(card);
	product(&d, 0, 0);
	*mme_at(&d, 0x204) = 0x40404040;
	*mme_at(&d, 0x208) = 0x4040bfc0;
	mme_dim(&d, L, 0, 9, N, 0, 0);
	run(card, &d);
	for (i = 0; i < M * N; i++) {
		is = mme_get(card_hbm(card) + C_AT, i, true);
		should = want(card, i / N, i % N, 1, 9, -1.5f);
		assert_memory_equal(&is, &should, 4);
	}
}

/* Of 1 GiB; behind it is nothing. */
#define HBM_END		0x40000000ull
#define BIG		0x7fffffff

/*
 * Operands end where the memory does, and only masks say so: of two loops, of
 * which one is always in its last iteration and the other is not at first.
 */
CARD_TEST(partial_tiles_read_no_further)
{
	uint8_t *hbm = card_hbm(card);
	struct mme_desc d;
	unsigned int op;

	for (op = S; op <= L; op++) {
		inputs(card);
		product(&d, 0, 0);
		mme_loop(&d, 0, 2, 5, 5, 5);
		if (op == S) {
			memcpy(hbm + HBM_END - 2 * M * K, hbm + A_AT,
			       2 * M * K);
			mme_base(&d, S, HBM_END - 2 * M * K);
			mme_dim(&d, S, 1, BIG, BIG, 0, K);
			mme_rows(&d, S, 64 + M);
		} else {
			memcpy(hbm + HBM_END - 2 * K * N, hbm + B_AT,
			       2 * K * N);
			mme_base(&d, L, HBM_END - 2 * K * N);
			mme_dim(&d, L, 0, BIG, N, 0, 0);
		}
		mme_partial(&d, op == S ? AGU_S : AGU_L_REMOTE, 1 | 2);
		run(card, &d);
		check(card, 1);
		/* not without them */
		*mme_at(&d, 0x24) = 3u << 30;
		mme_run(card, 0, &d);
		assert_int_equal(rd(card, MME(0) + MME_CAUSE), 2);
		wr(card, MME(0) + MME_CAUSE, 0);
	}
}

/* A vector ends with its own pixel's elements, though others follow it. */
CARD_TEST(lowered_vectors_have_an_end)
{
	struct mme_desc d;
	unsigned int i;

	inputs(card);
	product(&d, LOWER_S, 0);
	mme_dim(&d, S, 0, K - 1, K, 0, 0);
	run(card, &d);
	for (i = 0; i < M; i++)
		mme_put(card_hbm(card) + A_AT, i * K + K - 1, false, 0);
	check(card, 1);
}

/* Loops of two that move nothing: the fastest double the sums, others tiles. */
CARD_TEST(loops_that_are_summed)
{
	unsigned int mask, loop, times;
	struct mme_desc d;
	uint32_t was;

	for (mask = 0; mask < 16; mask = 2 * mask + 1) {
		inputs(card);
		product(&d, ACCUM_MASK(mask), 0);
		*mme_at(&d, 0x20) &= ~SIGNAL_MASK(0x3fu);
		for (loop = 0, times = 1; loop < 4; loop++) {
			mme_loop(&d, loop, 2, 5, 5, 5);
			times <<= mask >> loop & 1;
		}
		was = sob(card, 0);
		run(card, &d);
		assert_int_equal(sob(card, 0) - was, 16 / times);
		check(card, times);
	}
}

/* A tile is signalled in the last iteration of all loops of the mask. */
CARD_TEST(any_loops_are_signalled)
{
	static const uint32_t size[6] = { 2, 3, 1, 2, 2, 3 };
	unsigned int mask, accum, loop, core;
	uint32_t was[2], tiles;
	struct mme_desc d;

	inputs(card);
	for (accum = 0; accum < 16; accum += 5)
		for (mask = 0; mask < 64; mask++) {
			product(&d, ACCUM_MASK(accum), 0);
			/* there is a message without a store, too */
			if (mask & 1)
				*mme_at(&d, 0x20) &= ~STORE;
			*mme_at(&d, 0x20) &= ~SIGNAL_MASK(0x3fu);
			*mme_at(&d, 0x20) |= SIGNAL_MASK(mask);
			for (loop = 0, tiles = 1; loop < 6; loop++) {
				mme_loop(&d, loop, size[loop], 5, 5, 5);
				if (!((mask | accum) & 1u << loop))
					tiles *= size[loop];
			}
			for (core = 0; core < 2; core++)
				was[core] = sob(card, core);
			run(card, &d);
			for (core = 0; core < 2; core++)
				if (sob(card, core) - was[core] != tiles)
					fail_msg("accum %x, mask %x: %u of %u",
						 accum, mask,
						 sob(card, core) - was[core],
						 tiles);
		}
}

/* Sizes are eight bits wide, the tetris loop's 32. */
CARD_TEST(loops_of_many_iterations)
{
	unsigned int loop, size;
	struct mme_desc d;
	uint32_t was;

	inputs(card);
	for (loop = 0; loop < 6; loop++) {
		size = loop == 4 ? 300 : 256;
		product(&d, 0, 0);
		*mme_at(&d, 0x20) &= ~(SIGNAL_MASK(0x3fu) | STORE);
		mme_loop(&d, loop, size, 5, 5, 5);
		was = sob(card, 0);
		run(card, &d);
		assert_int_equal(sob(card, 0) - was, size);
	}
}

/* The addresses of both messages are the descriptor's, not neighbours. */
CARD_TEST(messages_go_where_they_should)
{
	struct mme_desc d;

	inputs(card);
	product(&d, 0, 0);
	*mme_at(&d, 0x1dc) += 4 * 20;
	*mme_at(&d, 0x1e0) += 4 * 9;
	/* set, not added to */
	*mme_at(&d, 0x1e8) = 0x1234;
	run(card, &d);
	assert_int_equal(sob(card, 20), 0x1234);
	assert_int_equal(sob(card, 10), 0x1234);
	assert_int_equal(sob(card, 0), 0);
	assert_int_equal(sob(card, 1), 0);
}

/* The first of three is stored and the others are added, by mask. */
CARD_TEST(reductions_after_the_first)
{
	unsigned int loop, mask, i;
	struct mme_desc d;
	volatile float sum;
	float is;

	for (loop = 0; loop < 6; loop++)
		for (mask = 0; mask < 6; mask++) {
			inputs(card);
			product(&d, 0, 0);
			mme_loop(&d, loop, 3, 5, 5, 5);
			*mme_at(&d, 0x1ec) = (1 | 7 << 1) << 9 |
					     1u << (18 + mask);
			run(card, &d);
			for (i = 0; i < M * N; i++) {
				sum = want(card, i / N, i % N, 1, N, 0);
				if (mask == loop) {
					is = sum;
					sum = sum + is;
					sum = sum + is;
				}
				is = mme_get(card_hbm(card) + C_AT, i, true);
				assert_true(is == sum);
			}
		}
}
