// SPDX-License-Identifier: GPL-2.0-only
/*
 * Products of matrices of random sizes, as compilers lay them out: each operand
 * as it is or transposed, in tensors whose rows and batches are apart and in any
 * order; up to three dimensions of batches, along which an operand may stay the
 * same; rows, columns and batches by any loops and spread over the engines in
 * any way; the common dimension in parts, of which the last one stores. All
 * types, rounding modes, ReLU and reductions, against the definition; by the
 * engine and by its specification, with workers, and in a hurry.
 */
#include <math.h>

#include "mme_want.h"

#define A_AT	(USER_HBM + 0x0000000)
#define B_AT	(USER_HBM + 0x1000000)
#define C_AT	(USER_HBM + 0x4000000)
#define SHAPES	300
#define BIG	0x7fffffff
#define BATCHES	3

/* A matrix for each of the batches; elements of a row follow each other. */
struct matrices {
	uint32_t rows, cols;
	uint32_t batch[BATCHES];	/* 1: the same for all */
	uint32_t pitch;			/* from row to row */
	uint32_t step[BATCHES];		/* from batch to batch */
	uint64_t all;			/* elements, gaps too */
};

struct shape {
	uint32_t m, n, k;
	uint32_t batch[BATCHES];
	bool trans_a, trans_b;		/* stored as [k][m], [n][k] */
	struct matrices a, b, c;
	struct mme_how how;
	struct mme_parts parts;
	struct mme_spread spread;
	bool pairs;			/* have every second batch each */
	bool interleave;		/* rows, in turns */
	bool advance;			/* rows by the tetris loop */
	bool masks, repeat, each_tile;
	bool fast;			/* the card is: in any order of sums */
	unsigned int loop[BATCHES + 2];	/* of batches, rows, columns */
	/* what follows */
	uint32_t tiles[BATCHES + 2];
};

/* --- shapes ----------------------------------------------------------------- */

static void shuffle(unsigned int *v, unsigned int num)
{
	unsigned int i, j, t;

	for (i = num - 1; i; i--) {
		j = mme_any(i + 1);
		t = v[i];
		v[i] = v[j];
		v[j] = t;
	}
}

/* Rows and batches in any order, some with gaps between them. */
static void lay_out(struct matrices *t, uint32_t rows, uint32_t cols,
		    const uint32_t *batch, bool may_stay)
{
	unsigned int order[1 + BATCHES] = { 0, 1, 2, 3 }, i, n;
	uint64_t step = cols + (mme_any(3) ? 0 : mme_any(9));

	t->rows = rows;
	t->cols = cols;
	for (i = 0; i < BATCHES; i++)
		t->batch[i] = may_stay && mme_any(3) == 0 ? 1 : batch[i];
	if (mme_any(2))
		shuffle(order, 1 + BATCHES);
	for (i = 0; i < 1 + BATCHES; i++) {
		n = order[i];
		if (n)
			t->step[n - 1] = step;
		else
			t->pitch = step;
		step *= n ? t->batch[n - 1] : rows;
		step += mme_any(4) ? 0 : mme_any(20);
	}
	t->all = step;
}

static void random_loops(struct shape *v)
{
	static const unsigned int loops[] = { 0, 1, 2, 3, 5 };

	memcpy(v->loop, loops, sizeof(loops));
	shuffle(v->loop, BATCHES + 2);
	if (v->advance)
		v->loop[BATCHES] = 4;
}

static void random_sizes(struct shape *v)
{
	unsigned int i;

	memset(v, 0, sizeof(*v));
	v->m = 1 + mme_any(mme_any(3) ? 40 : 300);
	v->n = 1 + mme_any(mme_any(3) ? 40 : 300);
	v->k = 1 + mme_any(mme_any(4) ? 40 : 700);
	for (i = 0; i < BATCHES; i++)
		v->batch[i] = mme_any(2) ? 1 : 1 + mme_any(4);
	v->trans_a = mme_any(2);
	v->trans_b = mme_any(2);
}

/* All that the sizes leave open */
static void random_layout(struct shape *v)
{
	struct mme_spread *s = &v->spread;
	uint32_t rows, all = 1;
	unsigned int i;

	lay_out(&v->a, v->trans_a ? v->k : v->m, v->trans_a ? v->m : v->k,
		v->batch, true);
	lay_out(&v->b, v->trans_b ? v->n : v->k, v->trans_b ? v->k : v->n,
		v->batch, true);
	lay_out(&v->c, v->m, v->n, v->batch, false);
	mme_how_random(&v->how);
	mme_spread(s, mme_any(5), mme_how_side(&v->how));
	v->pairs = s->geometry >= MME_2XW;
	v->interleave = mme_any(2);
	v->advance = !v->trans_a && mme_any(2);
	if (v->advance)
		v->interleave = true;
	/* Rows that are not K's are neighbours in memory. */
	if (v->trans_a)
		v->interleave = false;
	v->masks = mme_any(2);
	v->repeat = mme_any(2);
	v->each_tile = mme_any(2);
	random_loops(v);
	rows = mme_tiles(v->m, s->ports);
	for (i = 0; i < BATCHES; i++)
		v->tiles[i] = i || !v->pairs ? v->batch[i] :
					       mme_tiles(v->batch[i], 2);
	v->tiles[BATCHES] = mme_tiles(rows, s->side);
	v->tiles[BATCHES + 1] = mme_tiles(v->n, s->cols);
	for (i = 0; i < BATCHES + 2; i++)
		all *= v->tiles[i];
	mme_parts_random(&v->parts, v->k, all, mme_any(3));
}

static uint64_t work(const struct shape *v)
{
	return (uint64_t)v->m * v->n * v->k * v->batch[0] * v->batch[1] *
	       v->batch[2];
}

/* --- the descriptor --------------------------------------------------------- */

/* First row of a core, and how far its next one is. */
static uint32_t first_row(const struct shape *v, unsigned int pair,
			  unsigned int core)
{
	uint32_t port = mme_spread_port(&v->spread, pair, core);

	return v->interleave ? port : port * v->spread.side;
}

static uint32_t row_step(const struct shape *v)
{
	return v->interleave ? v->spread.ports : 1;
}

/* From tile to tile of rows */
static uint32_t tile_step(const struct shape *v)
{
	return v->spread.ports * v->spread.side;
}

/*
 * An operand with `len` places of the result, from tile to tile so many of them,
 * each so far from the next; and a part of the common dimension.
 */
static void put_input(struct mme_desc *d, unsigned int op,
		      const struct matrices *t, bool common_first, uint32_t len,
		      uint32_t step, uint32_t each)
{
	if (common_first) {
		mme_dim(d, op, 1, len * t->pitch, BIG, step * t->pitch,
			each * t->pitch);
	} else {
		mme_dim(d, op, 0, len, len, step, 0);
		mme_dim(d, op, 1, t->rows * t->pitch, BIG, 0, t->pitch);
	}
}

static void put_common(struct mme_desc *d, const struct shape *v,
		       unsigned int op, const struct matrices *t,
		       bool common_first, unsigned int part)
{
	uint32_t from = v->parts.from[part], h;
	uint32_t count = v->parts.from[part + 1] - from;

	if (common_first)
		mme_dim(d, op, 0, v->k, count, 0, 0);
	else
		mme_rows(d, op, count);
	for (h = 0; h < 2; h++)
		mme_offset(d, mme_agu(op, h), common_first ? 0 : 1,
			   common_first ? from : from * t->pitch, 0);
}

/* Where the places of the result begin for a core. */
static void place(struct mme_desc *d, unsigned int op, unsigned int core,
		  const struct matrices *t, bool common_first, uint32_t at)
{
	if (common_first)
		mme_offset(d, mme_agu(op, core), 1, at * t->pitch, 0);
	else
		mme_offset(d, mme_agu(op, core), 0, at, 0);
}

static void put_batches(struct mme_desc *d, const struct shape *v,
			unsigned int op, const struct matrices *t,
			unsigned int pair)
{
	unsigned int i, h;
	uint32_t each;

	for (i = 0; i < BATCHES; i++) {
		each = v->pairs && !i ? 2 : 1;
		mme_dim(d, op, 2 + i, v->batch[i] * t->step[i], BIG,
			each * t->step[i], 0);
		for (h = 0; h < 2; h++)
			if (each == 2 && t->batch[i] == v->batch[i])
				mme_offset(d, mme_agu(op, h), 2 + i,
					   pair * t->step[i], 0);
	}
}

static void put_loops(struct mme_desc *d, const struct shape *v)
{
	unsigned int rows = v->spread.row_op, cols = v->spread.col_op;
	unsigned int moved[2] = { 0 }, dim[3], i;
	uint32_t size[6] = { 1, 1, 1, 1, 1, 1 };
	bool a, b;

	for (i = 0; i < BATCHES + 2; i++) {
		a = i < BATCHES ? v->a.batch[i] == v->batch[i] : i == BATCHES;
		b = i < BATCHES ? v->b.batch[i] == v->batch[i] : i > BATCHES;
		dim[rows] = !a ? 5 : i < BATCHES ? 2 + i : v->trans_a ? 0 : 1;
		dim[cols] = !b ? 5 : i < BATCHES ? 2 + i : v->trans_b ? 1 : 0;
		dim[O] = i < BATCHES ? 2 + i : i == BATCHES;
		mme_loop(d, v->loop[i], v->tiles[i], dim[S], dim[L], dim[O]);
		size[v->loop[i]] = v->tiles[i];
		moved[rows] |= a << v->loop[i];
		moved[cols] |= b << v->loop[i];
	}
	for (i = S; i <= L && v->repeat; i++)
		mme_repeat_fastest(d, i, size, moved[i]);
}

/* The rows that are left for the last tile, where a core has some of them. */
static void put_row_masks(struct mme_desc *d, const struct shape *v,
			  unsigned int pair)
{
	uint32_t last = (v->tiles[BATCHES] - 1) * tile_step(v);
	unsigned int op = v->spread.row_op, h;
	uint32_t first;

	for (h = 0; h < 2; h++) {
		first = last + (v->interleave ? 0 : first_row(v, pair, h));
		if (!v->interleave &&
		    (v->m <= first || v->m - first >= v->spread.side))
			continue;
		if (op == L || !h)
			mme_partial(d, mme_agu(op, h), 1u << v->loop[BATCHES]);
	}
}

static void put_output(struct mme_desc *d, const struct shape *v)
{
	const struct mme_spread *s = &v->spread;
	uint32_t rows = mme_tiles(v->m, s->ports);
	bool ends = v->masks && mme_spread_ends(s, v->n);

	mme_base(d, O, C_AT);
	mme_dim(d, O, 0, ends ? BIG : v->n, v->n, s->cols, 0);
	mme_dim(d, O, 1, v->m * v->c.pitch, BIG, tile_step(v) * v->c.pitch,
		row_step(v) * v->c.pitch);
	mme_rows(d, O, v->advance ? (rows - 1) % s->side + 1 : s->side);
}

static void make(struct mme_desc *d, const void *shape, unsigned int pair,
		 unsigned int part)
{
	const struct shape *v = shape;
	const struct mme_spread *s = &v->spread;
	unsigned int a = s->row_op, b = s->col_op, h;
	uint32_t rows = mme_tiles(v->m, v->interleave ? s->ports : 1), at;

	mme_init(d, mme_parts_header(&v->parts, part) |
		 (v->trans_a ? 0 : TRANS(a)) | (v->trans_b ? TRANS(b) : 0) |
		 (a == L ? TRANS(O) : 0) |
		 (v->advance ? ADVANCE(a) | ADVANCE(O) : 0));
	mme_how_put(d, &v->how);
	mme_base(d, a, A_AT);
	mme_base(d, b, B_AT);
	put_input(d, a, &v->a, !v->trans_a, v->m, tile_step(v), row_step(v));
	put_input(d, b, &v->b, v->trans_b, v->n, s->cols, 1);
	if (!v->trans_a)
		mme_rows(d, a, v->masks ? rows : s->side);
	if (v->trans_b)
		mme_rows(d, b, v->masks ? v->n : s->side);
	put_common(d, v, a, &v->a, !v->trans_a, part);
	put_common(d, v, b, &v->b, v->trans_b, part);
	put_output(d, v);
	for (h = 0; h < 2; h++) {
		at = first_row(v, pair, h);
		place(d, a, h, &v->a, !v->trans_a, at);
		mme_offset(d, AGU_O + h, 1, at * v->c.pitch, 0);
		at = mme_spread_col(s, pair, h);
		place(d, b, h, &v->b, v->trans_b, at);
		mme_offset(d, AGU_O + h, 0, at, 0);
	}
	put_batches(d, v, a, &v->a, pair);
	put_batches(d, v, b, &v->b, pair);
	put_batches(d, v, O, &v->c, pair);
	put_loops(d, v);
	if (v->masks) {
		mme_spread_masks(d, s, v->n, v->loop[BATCHES + 1], pair);
		put_row_masks(d, v, pair);
	}
	mme_signal(d, v->each_tile ? 0 : 0x3f, 2 * pair);
}

/* --- the definition --------------------------------------------------------- */

struct want {
	const struct shape *v;
	const uint8_t *a, *b;
	uint32_t batch[BATCHES], i, j;
};

static uint64_t index_of(const struct matrices *t, const uint32_t *batch,
			 uint32_t row, uint32_t col)
{
	uint64_t at = (uint64_t)row * t->pitch + col;
	unsigned int i;

	for (i = 0; i < BATCHES; i++)
		at += (uint64_t)(t->batch[i] == 1 ? 0 : batch[i]) * t->step[i];
	return at;
}

/* Factor k of A or of B */
static float term(const struct want *t, uint32_t k, bool b)
{
	const struct shape *v = t->v;
	bool k_first = b ? !v->trans_b : v->trans_a;
	uint32_t at = b ? t->j : t->i;

	return mme_get(b ? t->b : t->a,
		       index_of(b ? &v->b : &v->a, t->batch, k_first ? k : at,
				k_first ? at : k), v->how.fp32);
}

static float want(const struct want *t)
{
	const struct shape *v = t->v;
	struct mme_output o;
	unsigned int i;
	uint32_t k;

	mme_output_begin(&o, &v->how);
	for (i = 0; i < v->parts.num; i++) {
		for (k = v->parts.from[i]; k < v->parts.from[i + 1]; k++)
			mme_output_add(&o, term(t, k, 0), term(t, k, 1));
		mme_output_part(&o, &v->parts, i);
	}
	return mme_output_end(&o);
}

/*
 * What a card that sums up in another order may be off: the bound that
 * mme_blas.h states for the sum, and half a unit of the output's last place.
 */
static bool is_near(const struct want *t, double is)
{
	const struct shape *v = t->v;
	double sum = 0, most = 0, p, bound;
	uint32_t k;

	for (k = 0; k < v->k; k++) {
		p = term(t, k, 0) * (double)term(t, k, 1);
		sum += p;
		most += fabs(p);
	}
	bound = ldexp(most * (v->k + 2), -24);
	if (!v->how.out_fp32)
		bound += ldexp(fabs(sum) + bound, -8);
	if (v->how.relu && sum < 0)
		sum = 0;
	return fabs(is - sum) <= bound;
}

/* --- tests ------------------------------------------------------------------ */

static void check_one(const struct want *t, uint8_t *c, unsigned int n)
{
	const struct shape *v = t->v;
	uint64_t at = index_of(&v->c, t->batch, t->i, t->j);
	float is = mme_get(c, at, v->how.out_fp32), should = want(t);

	if (v->fast ? !is_near(t, is) :
		      !mme_output_is(&v->how, is, should, mme_before(at)))
		fail_msg("shape %u, [%u][%u][%u][%u][%u]: %a of %a, trans %u %u, %u parts, geometry %u, rounding %u",
			 n, t->batch[2], t->batch[1], t->batch[0], t->i, t->j,
			 is, should, v->trans_a, v->trans_b, v->parts.num,
			 v->spread.geometry, v->how.rounding);
	/* Seen: what is left is what was there before. */
	mme_put(c, at, v->how.out_fp32, mme_before(at));
}

static void check(struct card *card, const struct shape *v, unsigned int n)
{
	uint8_t *hbm = card_hbm(card);
	struct want t = { v, hbm + A_AT, hbm + B_AT, { 0 }, 0, 0 };
	uint32_t all = v->batch[0] * v->batch[1] * v->batch[2], i;
	uint64_t at;

	for (i = 0; i < all; i++) {
		t.batch[0] = i % v->batch[0];
		t.batch[1] = i / v->batch[0] % v->batch[1];
		t.batch[2] = i / v->batch[0] / v->batch[1];
		for (t.i = 0; t.i < v->m; t.i++)
			for (t.j = 0; t.j < v->n; t.j++)
				check_one(&t, hbm + C_AT, n);
	}
	for (at = 0; at < v->c.all + 64; at++)
		assert_true(mme_get(hbm + C_AT, at, v->how.out_fp32) ==
			    mme_before(at));
}

static void one_shape(struct card *card, const struct shape *v, unsigned int n)
{
	uint8_t *hbm = card_hbm(card);
	uint64_t at;

	mme_numbers(hbm + A_AT, v->a.all, v->how.fp32);
	mme_numbers(hbm + B_AT, v->b.all, v->how.fp32);
	for (at = 0; at < v->c.all + 64; at++)
		mme_put(hbm + C_AT, at, v->how.out_fp32, mme_before(at));
	mme_run_parts(card, make, v, &v->parts, v->each_tile);
	check(card, v, n);
}

static void random_shape(struct shape *v)
{
	do {
		random_sizes(v);
		random_layout(v);
	} while (work(v) > 600000);
}

CARD_TEST(random_products)
{
	unsigned int i, parts = 0, geometries[5] = { 0 }, trans[4] = { 0 };
	struct shape v;

	mme_seed(20190617);
	for (i = 0; i < SHAPES; i++) {
		random_shape(&v);
		one_shape(card, &v, i);
		parts += v.parts.num > 1;
		geometries[v.spread.geometry]++;
		trans[v.trans_a * 2 + v.trans_b]++;
	}
	assert_in_range(parts, 50, SHAPES);
	for (i = 0; i < 5; i++)
		assert_in_range(geometries[i], 20, SHAPES);
	for (i = 0; i < 4; i++)
		assert_in_range(trans[i], 20, SHAPES);
}

/* In one part, without what depends on the order of sums, if it is fast. */
static void one_of(struct card *card, struct shape *v, bool fast)
{
	v->fast = fast;
	if (fast) {
		v->how.reduce = false;
		v->how.rounding = 0;
		mme_parts_random(&v->parts, v->k, v->parts.tiles, false);
	}
	one_shape(card, v, v->k);
}

/* The common dimension is longer than any buffer of the model. */
static void long_sums(struct card *card, bool fast)
{
	static const uint32_t sizes[][2] = { { 66, 20001 }, { 66, 20001 },
					     { 300, 16384 }, { 300, 16383 } };
	struct shape v;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		v = (struct shape){ .m = 3, .n = sizes[i][0], .k = sizes[i][1],
				    .batch = { 1, 1, 1 }, .trans_a = i,
				    .trans_b = i };
		random_layout(&v);
		one_of(card, &v, fast);
	}
}

CARD_TEST(long_products)
{
	mme_seed(20190617);
	long_sums(card, false);
}

/* On other cards: with workers, by the specification, in a hurry. */
static void on_a_card(unsigned int mme, unsigned int workers, unsigned int num)
{
	struct gaudi_config config = { .hbm_size = 1ull << 30, .mme = mme };
	struct card *card = card_new(&config, workers);
	bool fast = mme == GAUDI_MME_FAST;
	struct shape v;

	mme_seed(20190619);
	while (num--) {
		random_shape(&v);
		one_of(card, &v, fast);
	}
	if (fast)
		long_sums(card, true);
	card_free(card);
}

TEST(products_with_workers)
{
	on_a_card(0, 2, SHAPES / 2);
}

TEST(products_by_the_specification)
{
	on_a_card(1, 0, SHAPES / 20);
}

TEST(products_in_a_hurry)
{
	on_a_card(GAUDI_MME_FAST, 0, unit_rounds(SHAPES / 2));
}
