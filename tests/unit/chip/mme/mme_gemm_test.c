// SPDX-License-Identifier: GPL-2.0-only
/*
 * Matrix products as a compiler spreads them over the four engines, against the
 * definition: one dot product for each element, in the engine's order of sums.
 */
#include <math.h>

#include "mme_gen.h"

#define A_AT	(USER_HBM + 0x0000000)
#define B_AT	(USER_HBM + 0x1000000)
#define C_AT	(USER_HBM + 0x2000000)
#define BIG	0x7fffffff

enum geometry { W4, W2H2, H4 };	/* 4wx1h, 2wx2h, 1wx4h */

struct gemm {
	unsigned int m, n, k;
	unsigned int batch[2];		/* 0: 1 */
	bool trans_a;			/* stored as [k][m] */
	bool trans_b;			/* stored as [n][k] */
	bool one_b;			/* B is the same for all batches */
	bool fp32, out_fp32;
	bool relu;
	bool n_first;			/* which tiles follow each other */
	bool advance;			/* rows by the tetris loop */
	bool n_last;			/* columns by the outer loop */
	enum geometry geometry;
	unsigned int rounding;
	bool fast;			/* the card is */
};

/* What a side of the result is for one core. */
struct side {
	unsigned int loop;
	uint32_t tiles;
	uint32_t block;		/* where its first tile begins */
	uint32_t step;		/* from tile to tile */
	uint32_t each;		/* from row to row, if interleaved */
};

static unsigned int batches(const struct gemm *g, unsigned int i)
{
	return g->batch[i] ? g->batch[i] : 1;
}

static unsigned int array(const struct gemm *g)
{
	return g->fp32 ? 32 : 64;
}

static struct side rows_of(const struct gemm *g, unsigned int pair,
			   unsigned int core)
{
	struct side s = { .each = 1 };
	unsigned int a = array(g);

	s.loop = g->advance ? 4 : g->n_first ? 3 : 2;
	s.step = a;
	if (g->geometry == W2H2) {
		s.step = 2 * a;
		s.block = pair * a;
		if (!g->trans_a) {
			s.block = pair;
			s.each = 2;
		}
	} else if (g->geometry == H4) {
		s.step = 4 * a;
		s.block = (2 * pair + core) * a;
	}
	s.tiles = (g->m + s.step - 1) / s.step;
	return s;
}

static struct side cols_of(const struct gemm *g, unsigned int pair,
			   unsigned int core)
{
	struct side s = { .each = 1 };
	unsigned int a = array(g);

	s.loop = g->n_last ? 5 : g->n_first ? 2 : 3;
	s.step = g->geometry == W4 ? 4 * a : g->geometry == W2H2 ? 2 * a : a;
	if (g->geometry == W4)
		s.block = (2 * pair + core) * a;
	else if (g->geometry == W2H2)
		s.block = core * a;
	s.tiles = (g->n + s.step - 1) / s.step;
	return s;
}

/* An operand whose fastest dimension in memory is the common one, or is not. */
static void input(struct mme_desc *d, const struct gemm *g, unsigned int op,
		  const struct side *s, bool common, uint32_t len)
{
	uint32_t size = len * g->k, rows = s->tiles * s->step;
	unsigned int i;

	if (common) {
		mme_dim(d, op, 0, g->k, g->k, 0, 0);
		mme_dim(d, op, 1, size, (rows + 1) * g->k, s->step * g->k,
			s->each * g->k);
		mme_rows(d, op, array(g));
	} else {
		mme_dim(d, op, 0, len, len, s->step, 0);
		mme_dim(d, op, 1, size, size, 0, len);
		mme_rows(d, op, g->k);
	}
	for (i = 0; i < 2; i++) {
		mme_dim(d, op, 2 + i, size * batches(g, i), BIG, size, 0);
		size *= batches(g, i);
	}
}

static void input_offset(struct mme_desc *d, const struct gemm *g,
			 unsigned int agu, const struct side *s, bool common)
{
	if (common)
		mme_offset(d, agu, 1, s->block * g->k, 0);
	else
		mme_offset(d, agu, 0, s->block, 0);
}

static void output(struct mme_desc *d, const struct gemm *g,
		   const struct side *r, const struct side *c)
{
	uint32_t size = g->m * g->n, i;

	mme_dim(d, O, 0, g->n, g->n, c->step, 0);
	mme_dim(d, O, 1, size, (r->tiles * r->step + 1) * g->n, r->step * g->n,
		r->each * g->n);
	mme_rows(d, O, array(g));
	for (i = 0; i < 2; i++) {
		mme_dim(d, O, 2 + i, size * batches(g, i), BIG, size, 0);
		size *= batches(g, i);
	}
}

/* Dimension that a loop over rows moves: dimension 1, or 0 if stored so. */
static void loops(struct mme_desc *d, const struct gemm *g,
		  const struct side *r, const struct side *c, unsigned int a_op)
{
	unsigned int dim_a = g->trans_a ? 0 : 1, dim_b = g->trans_b ? 1 : 0;
	unsigned int b_op = a_op == S ? L : S, i, dim[3], fast;

	for (i = 0; i < 2; i++) {
		dim[a_op] = 2 + i;
		dim[b_op] = g->one_b ? 5 : 2 + i;
		dim[O] = 2 + i;
		mme_loop(d, i, batches(g, i), dim[S], dim[L], dim[O]);
	}
	dim[a_op] = dim_a;
	dim[b_op] = 5;
	dim[O] = 1;
	mme_loop(d, r->loop, r->tiles, dim[S], dim[L], dim[O]);
	dim[a_op] = 5;
	dim[b_op] = dim_b;
	dim[O] = 0;
	mme_loop(d, c->loop, c->tiles, dim[S], dim[L], dim[O]);
	if (batches(g, 0) * batches(g, 1) > 1)
		return;
	/* What the fastest loop does not move is loaded once. */
	fast = r->tiles > 1 && r->loop < c->loop ? r->loop : c->loop;
	if (fast == c->loop)
		mme_repeat(d, a_op, c->tiles, 1u << fast);
	else
		mme_repeat(d, b_op, r->tiles, 1u << fast);
}

static void make(struct mme_desc *d, const struct gemm *g, unsigned int pair)
{
	unsigned int a_op = g->geometry == H4 ? L : S, b_op = a_op == S ? L : S;
	struct side r = rows_of(g, pair, 0), c = cols_of(g, pair, 0);
	uint32_t header = STORE | ROUNDING(g->rounding);
	unsigned int h;

	if (!g->trans_a)
		header |= TRANS(a_op);
	if (g->trans_b)
		header |= TRANS(b_op);
	header |= g->geometry == H4 ? TRANS(O) : 0;
	header |= g->fp32 ? IN_FP32 : 0;
	header |= g->out_fp32 ? OUT_FP32 : 0;
	header |= g->relu ? RELU : 0;
	header |= g->advance ? ADVANCE(a_op) | ADVANCE(O) : 0;
	mme_init(d, header);
	mme_base(d, a_op, A_AT);
	mme_base(d, b_op, B_AT);
	mme_base(d, O, C_AT);
	input(d, g, a_op, &r, !g->trans_a, g->m);
	input(d, g, b_op, &c, g->trans_b, g->n);
	output(d, g, &r, &c);
	loops(d, g, &r, &c, a_op);
	for (h = 0; h < 2; h++) {
		r = rows_of(g, pair, h);
		c = cols_of(g, pair, h);
		input_offset(d, g, a_op == L ? AGU_L + h : AGU_S, &r,
			     !g->trans_a);
		input_offset(d, g, b_op == L ? AGU_L + h : AGU_S, &c,
			     g->trans_b);
		mme_offset(d, AGU_O + h, 0, c.block, 0);
		mme_offset(d, AGU_O + h, 1, r.block * g->n, 0);
	}
	mme_signal(d, 0x3f, 2 * pair);
}

/* --- the definition ------------------------------------------------------- */

static float want(const struct gemm *g, const uint8_t *a, const uint8_t *b,
		  unsigned int batch, unsigned int i, unsigned int j)
{
	unsigned int bb = g->one_b ? 0 : batch, k;
	struct mme_sum s = { { 0 } };

	for (k = 0; k < g->k; k++)
		mme_add(&s,
			mme_get(a, batch * g->m * g->k +
				(g->trans_a ? k * g->m + i : i * g->k + k),
				g->fp32),
			mme_get(b, bb * g->n * g->k +
				(g->trans_b ? j * g->k + k : k * g->n + j),
				g->fp32));
	return mme_result(&s, g->relu, g->out_fp32);
}

/*
 * What a card that sums up in another order may be off: the bound that
 * mme_blas.h states for the sum, and half a unit of the output's last place.
 */
static void near(const struct gemm *g, const uint8_t *a, const uint8_t *b,
		 unsigned int batch, unsigned int i, unsigned int j, double is)
{
	unsigned int bb = g->one_b ? 0 : batch, k;
	double sum = 0, most = 0, p, bound;

	for (k = 0; k < g->k; k++) {
		p = (double)mme_get(a, batch * g->m * g->k +
				    (g->trans_a ? k * g->m + i : i * g->k + k),
				    g->fp32) *
		    mme_get(b, bb * g->n * g->k +
			    (g->trans_b ? j * g->k + k : k * g->n + j),
			    g->fp32);
		sum += p;
		most += fabs(p);
	}
	bound = ldexp(most * (g->k + 2), -24);
	if (!g->out_fp32)
		bound += ldexp(fabs(sum) + bound, -8);
	if (g->relu && sum < 0)
		sum = 0;
	if (!(fabs(is - sum) <= bound))
		fail_msg("[%u][%u][%u]: %a, not %a, bound %a", batch, i, j, is,
			 sum, bound);
}

static void check(struct card *card, const struct gemm *g)
{
	const uint8_t *a = card_hbm(card) + A_AT, *b = card_hbm(card) + B_AT;
	const uint8_t *c = card_hbm(card) + C_AT;
	unsigned int nb = batches(g, 0) * batches(g, 1), n, i, j;
	float is, should;
	uint64_t at;

	for (n = 0; n < nb; n++)
		for (i = 0; i < g->m; i++)
			for (j = 0; j < g->n; j++) {
				at = ((uint64_t)n * g->m + i) * g->n + j;
				is = mme_get(c, at, g->out_fp32);
				if (g->fast) {
					near(g, a, b, n, i, j, is);
					continue;
				}
				should = want(g, a, b, n, i, j);
				if (memcmp(&is, &should, 4))
					fail_msg("[%u][%u][%u]: %a, not %a",
						 n, i, j, is, should);
			}
	at = (uint64_t)nb * g->m * g->n * (g->out_fp32 ? 4 : 2);
	for (i = 0; i < 256; i++)
		assert_int_equal(c[at + i], 0x5a);
}

static void run(struct card *card, const struct gemm *g)
{
	unsigned int nb = batches(g, 0) * batches(g, 1), p, i;
	uint8_t *hbm = card_hbm(card);
	uint32_t seed = g->m * 31 + g->n * 7 + g->k, sobs = sob(card, 0);
	struct mme_desc d;

	for (i = 0; i < nb * g->m * g->k; i++)
		mme_put(hbm + A_AT, i, g->fp32, mme_number(&seed));
	for (i = 0; i < nb * g->n * g->k; i++)
		mme_put(hbm + B_AT, i, g->fp32, mme_number(&seed));
	memset(hbm + C_AT, 0x5a, (uint64_t)nb * g->m * g->n * 4 + 256);
	for (p = 0; p < 2; p++) {
		make(&d, g, p);
		mme_start(card, 2 * p, &d);
	}
	card_settle(card);
	assert_int_equal(rd(card, MME(0) + MME_CAUSE), 0);
	assert_int_equal(rd(card, MME(2) + MME_CAUSE), 0);
	for (i = 0; i < 4; i++)
		assert_int_equal(sob(card, i), sobs + 1);
	check(card, g);
}

/* Each of these in all geometries and all ways to store the operands. */
static const struct gemm shapes[] = {
	{ .m = 5, .n = 7, .k = 3 },
	{ .m = 64, .n = 64, .k = 64, .out_fp32 = true },
	{ .m = 70, .n = 130, .k = 37, .n_first = true },
	{ .m = 129, .n = 300, .k = 130, .relu = true },
	{ .m = 33, .n = 65, .k = 9, .batch = { 3, 2 }, .out_fp32 = true },
	{ .m = 40, .n = 20, .k = 21, .batch = { 2 }, .one_b = true },
	{ .m = 33, .n = 40, .k = 34, .fp32 = true, .out_fp32 = true },
	{ .m = 65, .n = 129, .k = 70, .fp32 = true, .n_first = true },
	{ .m = 300, .n = 17, .k = 12, .fp32 = true, .out_fp32 = true },
};

static void all(struct card *card, bool fast)
{
	struct gemm g;
	unsigned int i, v;

	for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		for (v = 0; v < 12; v++) {
			g = shapes[i];
			g.fast = fast;
			g.geometry = v / 4;
			g.trans_a = v & 1;
			g.trans_b = v & 2;
			run(card, &g);
			/* rows that follow each other without a gap */
			g.advance = !g.trans_a && g.geometry != H4;
			if (g.advance)
				run(card, &g);
			g.n_last = g.advance;
			if (g.n_last)
				run(card, &g);
		}
}

CARD_TEST(products)
{
	all(card, false);
}

/* Both pairs at once, on threads of their own. */
TEST(products_with_workers)
{
	struct gaudi_config config = { .hbm_size = 1ull << 30 };
	struct card *card = card_new(&config, 2);

	all(card, false);
	card_free(card);
}

TEST(products_by_the_specification)
{
	struct gaudi_config config = { .hbm_size = 1ull << 30, .mme = 1 };
	struct card *card = card_new(&config, 0);
	struct gemm g = shapes[2];

	run(card, &g);
	g = shapes[6];
	g.geometry = H4;
	run(card, &g);
	card_free(card);
}

/* The common dimension is longer than any buffer of the model. */
CARD_TEST(long_sums)
{
	struct gemm g = { .m = 3, .n = 66, .k = 20001, .out_fp32 = true };

	run(card, &g);
	g.trans_a = true;
	g.trans_b = true;
	run(card, &g);
	g.k = 16384;
	g.n = 300;
	run(card, &g);
}

TEST(products_in_a_hurry)
{
	struct gaudi_config config = {
		.hbm_size = 1ull << 30, .mme = GAUDI_MME_FAST,
	};
	struct gemm g = { .m = 3, .n = 66, .k = 20001, .out_fp32 = true,
			  .fast = true };
	struct card *card = card_new(&config, 0);

	all(card, true);
	run(card, &g);
	g.trans_a = true;
	g.trans_b = true;
	g.k = 16383;
	g.n = 300;
	run(card, &g);
	card_free(card);
}
