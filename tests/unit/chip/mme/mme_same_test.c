// SPDX-License-Identifier: GPL-2.0-only
/*
 * Panels and vector kernels against the specification, bit by bit: two cards
 * get the same random descriptors and the same numbers, NaN and denormals
 * among them. The descriptors mean nothing, but they end.
 */
#include "mme_gen.h"

#define IN_AT		(USER_HBM + 0x000000)
#define IN_SIZE		0x200000u
#define OUT_AT		(USER_HBM + 0x400000)
#define OUT_SIZE	0x400000u
#define ROUNDS		150
#define IN_A_ROUND	6	/* descriptors, which see each other's sums */

static uint32_t seed;

static uint32_t any(uint32_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed % below;
}

static bool one_in(uint32_t n)
{
	return !any(n);
}

/* --- numbers -------------------------------------------------------------- */

static uint32_t number(void)
{
	static const uint32_t special[] = {
		0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffffffff,
		0x00400000, 0x80010001, 0x7f7fffff, 0x00800000, 0x80800000,
		0x007f0000, 0x3f800000,
	};
	uint32_t exponent = one_in(30) ? any(256) : 118 + any(18);

	if (one_in(200))
		return special[any(sizeof(special) / sizeof(special[0]))];
	return any(2) << 31 | exponent << 23 | any(1 << 23);
}

static void fill_inputs(struct card *a, struct card *b, bool fp32, bool tame)
{
	uint8_t *p = card_hbm(a) + IN_AT;
	uint32_t i, v;

	for (i = 0; i < IN_SIZE; i += fp32 ? 4 : 2) {
		v = tame ? any(2) << 31 | (120 + any(10)) << 23 | any(1 << 23) :
			   number();
		if (fp32)
			memcpy(p + i, &v, 4);
		else
			memcpy(p + i, (uint8_t *)&v + 2, 2);
	}
	memcpy(card_hbm(b) + IN_AT, p, IN_SIZE);
}

/* --- descriptors ---------------------------------------------------------- */

struct plan {
	bool fp32;
	uint32_t size[6];
	unsigned int accum;		/* loops that are summed */
	uint32_t k;			/* steps of a box */
	bool lower_s;
};

static void tensor(struct mme_desc *d, unsigned int op, bool trans,
		   const struct plan *p, uint32_t k)
{
	uint32_t side = p->fp32 ? 32 : 64, stride = 1 + any(80), i;
	uint32_t roi0 = op == O ? 1 + any(100) : trans ? k : 1 + any(100);

	mme_dim(d, op, 0, one_in(10) ? 0 : any(150), roi0,
		(int32_t)any(9) - 4, 0);
	for (i = 1; i < 5; i++) {
		mme_dim(d, op, i, one_in(10) ? any(3) : 1 + any(3000),
			one_in(8) ? any(2) : 1 + any(stride * 30),
			((int32_t)any(5) - 2) * (int32_t)stride,
			one_in(8) ? 0 : stride * (1 + any(2)));
		stride = 1 + any(200);
	}
	if (op == O)
		mme_rows(d, op, 1 + any(side));
	else
		mme_rows(d, op, trans ? 1 + any(200) : k);
	mme_base(d, op, (op == O ? OUT_AT + OUT_SIZE / 2 : IN_AT + IN_SIZE / 2) +
		 any(64) * (op == O || one_in(2) ? 4 : 1));
}

static void offsets(struct mme_desc *d, unsigned int agu)
{
	unsigned int i;

	for (i = 0; i < 5; i++)
		mme_offset(d, agu, i, (int32_t)any(120) - 40, any(40));
	/* most begin in their tensor */
	if (!one_in(4))
		for (i = 0; i < 5; i++)
			mme_offset(d, agu, i, any(10), 0);
	mme_partial(d, agu, any(64) & any(64));
}

/* Loops; one operand may be loaded once for the fastest one. */
static void loops(struct mme_desc *d, struct plan *p)
{
	unsigned int i, tiles = 1, fast = 6, op;

	p->accum = one_in(2) ? 0 : one_in(3) ? any(16) : (2u << any(3)) - 1;
	for (i = 0; i < 6; i++) {
		p->size[i] = one_in(3) ? 1 + any(3) : 1;
		if (!(p->accum & 1u << i))
			tiles *= p->size[i];
		if (tiles > 4)
			p->size[i] = 1;
		mme_loop(d, i, p->size[i], any(6), any(6), any(6));
	}
	for (i = 0; i < 6 && fast == 6; i++)
		if (p->size[i] > 1 && !(p->accum & 1u << i))
			fast = i;
	if (fast < 6 && one_in(2)) {
		op = any(2) ? S : L;
		mme_repeat(d, op, p->size[fast], 1u << fast);
	}
	p->lower_s = p->size[0] > 1 && p->accum & 1 && one_in(2);
	/* What a loop would do is in the width of S. */
	if (p->lower_s)
		*mme_at(d, 0x1d4) |= 1 << 8;
}

/* The output's, or another one of the same width or a smaller one */
static uint32_t reduction_type(uint32_t header)
{
	static const uint8_t types[] = { 0, 1, 3, 6, 2, 7 };

	return any(2) ? header & OUT_FP32 ? 7 : 6 :
	       types[any(header & OUT_FP32 ? 6 : 4)];
}

static void make(struct mme_desc *d, bool fp32)
{
	struct plan p = { .fp32 = fp32 };
	uint32_t header = 0;
	unsigned int i;

	header |= any(2) ? TRANS(S) : 0;
	header |= any(2) ? TRANS(L) : 0;
	header |= any(2) ? TRANS(O) : 0;
	header |= any(8) * ADVANCE(0);
	header |= one_in(4) ? LOWER_L : 0;
	header |= one_in(4) ? LOWER_S : 0;
	header |= ROUNDING(any(8));
	header |= fp32 ? IN_FP32 : 0;
	header |= any(2) ? OUT_FP32 : 0;
	header |= one_in(3) ? ACCUM : 0;
	header |= one_in(6) ? 0 : STORE;
	header |= one_in(6) ? KEEP_PARTIAL : 0;
	header |= ROLL(any(16)) | (any(2) ? RELU : 0);
	mme_init(d, header);
	loops(d, &p);
	p.k = one_in(20) ? 500 + any(600) : 1 + any(30);
	if (p.k > 100 && !fp32)
		p.k /= 4;
	*mme_at(d, 0x20) |= ACCUM_MASK(p.accum);
	tensor(d, S, header & TRANS(S), &p, p.lower_s ? p.k * p.size[0] : p.k);
	tensor(d, L, header & TRANS(L), &p, one_in(40) ? p.k + 1 : p.k);
	tensor(d, O, false, &p, 0);
	for (i = 0; i < 5; i++)
		offsets(d, i);
	*mme_at(d, 0x204) = any(3) ? 0 : number();
	*mme_at(d, 0x208) = any(3) ? 0 : number();
	if (one_in(8))
		*mme_at(d, 0x1ec) = 0x201 * (1 | reduction_type(header) << 1 |
					     any(16) << 5) | any(64) << 18;
	/* kept from the last one that was loaded */
	if (one_in(15))
		*mme_at(d, 0x1d4) &= ~(1u << (any(2) ? 14 : 30));
	mme_signal(d, any(2) ? 0x3f : any(64), 0);
}

/* --- comparison ----------------------------------------------------------- */

static unsigned int stored, failed;

static void compare(struct card *spec, struct card *exact, unsigned int n)
{
	const uint8_t *a = card_hbm(spec) + OUT_AT;
	const uint8_t *b = card_hbm(exact) + OUT_AT;
	uint32_t cause = rd(spec, MME(0) + MME_CAUSE), i;

	assert_int_equal(rd(exact, MME(0) + MME_CAUSE), cause);
	for (i = 0; i < 2; i++)
		assert_int_equal(sob(spec, i), sob(exact, i));
	failed += !!cause;
	if (cause)
		assert_string_equal(spec->last_log, exact->last_log);
	wr(spec, MME(0) + MME_CAUSE, 0);
	wr(exact, MME(0) + MME_CAUSE, 0);
	if (memcmp(a, b, OUT_SIZE)) {
		for (i = 0; a[i] == b[i]; i++)
			;
		fail_msg("descriptor %u differs from byte 0x%x on", n, i);
	}
	for (i = 0; i < OUT_SIZE; i += 4096)
		if (memcmp(a + i, a + i + 1, 4095))
			break;
	stored += i < OUT_SIZE;
}

CARD_TEST(random_descriptors)
{
	struct gaudi_config config = { .hbm_size = 1ull << 30, .mme = 1 };
	struct card *spec = card_new(&config, 0), *exact = card;
	struct mme_desc d;
	unsigned int i, n, r, rounds = unit_rounds(ROUNDS);
	bool fp32;

	seed = 20190617;
	stored = 0;
	failed = 0;
	for (r = 0; r < rounds; r++) {
		fp32 = any(2);
		fill_inputs(spec, exact, fp32, r % 2);
		wr(spec, MME(0) + 0x288, 1);
		wr(exact, MME(0) + 0x288, 1);
		for (i = 0; i < IN_A_ROUND; i++) {
			n = r * IN_A_ROUND + i;
			memset(card_hbm(spec) + OUT_AT, 0x11 * n, OUT_SIZE);
			memset(card_hbm(exact) + OUT_AT, 0x11 * n, OUT_SIZE);
			make(&d, fp32);
			mme_start(spec, 0, &d);
			mme_start(exact, 0, &d);
			card_settle(spec);
			card_settle(exact);
			compare(spec, exact, n);
		}
	}
	/* they mean something after all */
	assert_in_range(stored, rounds * IN_A_ROUND / 4, ~0u);
	assert_in_range(failed, 1, rounds * IN_A_ROUND / 4);
	card_free(spec);
}
