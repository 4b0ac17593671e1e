// SPDX-License-Identifier: GPL-2.0-only
/*
 * Convolutions of volumes [n][d][h][w][c] with filters [q][r][s][c][k] of random
 * shapes, in all the ways that descriptors have to say one: spread over the
 * engines by positions or by channels, positions on S or on L, tiles of k inside
 * or outside of those of positions, operands that are repeated, partial tiles by
 * masks or by the tensor's end, a common dimension that descriptors share by
 * partial sums or by accumulators, all types, rounding modes and reductions.
 * Against the definition, in the order of sums that the descriptor names.
 */
#include "mme_volume.h"

#define X_AT	(USER_HBM + 0x0000000)
#define W_AT	(USER_HBM + 0x1000000)
#define Y_AT	SRAM
#define SHAPES	250

struct shape {
	struct mme_conv conv;
	struct mme_how how;
	struct mme_parts parts;		/* of the channels of x */
	struct mme_spread spread;
	bool outer;			/* tiles of k by the outer loop */
	bool repeat, lower, masks;
	bool each_tile;			/* is signalled */
	/* what follows from these */
	uint32_t k_tiles, pixels, rows, steps;
};

static void random_shape(struct shape *v)
{
	struct mme_conv *c = &v->conv;
	struct mme_spread *s = &v->spread;

	memset(v, 0, sizeof(*v));
	mme_conv_random(c);
	c->c = 1 + mme_any(mme_any(4) ? 12 : 70);
	c->k = 1 + mme_any(mme_any(3) ? 40 : 300);
	mme_how_random(&v->how);
	mme_spread(s, mme_any(3), mme_how_side(&v->how));
	v->outer = mme_any(2);
	v->repeat = mme_any(2);
	v->masks = mme_any(2);
	v->each_tile = mme_any(2);
	v->k_tiles = mme_tiles(c->k, s->cols);
	v->pixels = c->n * mme_volume(c->out);
	v->rows = mme_tiles(v->pixels, s->ports);
	v->steps = mme_tiles(v->rows, s->side);
	mme_parts_random(&v->parts, c->c, v->steps * v->k_tiles, mme_any(3));
	v->lower = v->parts.num == 1 && c->dilation[0] == 1 && mme_any(3) == 0;
}

/* --- the descriptor --------------------------------------------------------- */

static void put_filter(struct mme_desc *d, const struct shape *v, uint32_t from,
		       uint32_t count)
{
	const struct mme_conv *c = &v->conv;
	unsigned int op = v->spread.col_op, i;
	uint32_t unit = c->k * c->c;

	mme_dim(d, op, 0, c->k, c->k, v->spread.cols, 0);
	mme_dim(d, op, 1, unit, unit, 0, c->k);
	for (i = 0; i < 3; i++) {
		mme_dim(d, op, 2 + i, unit * c->taps[i], 1, unit, 0);
		unit *= c->taps[i];
	}
	mme_rows(d, op, count);
	for (i = 0; i < 2; i++)
		mme_offset(d, mme_agu(op, i), 1, from * c->k, 0);
}

static void put_loops(struct mme_desc *d, const struct shape *v)
{
	unsigned int img = v->spread.row_op, fil = v->spread.col_op;
	unsigned int dim[3] = { 0 }, i, k_loop = v->outer ? 5 : 3;

	for (i = 0; i < 3; i++) {
		dim[img] = 1 + i;
		dim[fil] = 2 + i;
		mme_loop(d, i, v->conv.taps[i], dim[S], dim[L], 5);
	}
	dim[img] = 5;
	dim[fil] = 0;
	mme_loop(d, k_loop, v->k_tiles, dim[S], dim[L], 0);
	mme_loop(d, 4, v->steps, 5, 5, 5);
	if (v->repeat && !v->outer)
		mme_repeat(d, img, v->k_tiles, 8 | v->lower);
	else if (v->lower)
		mme_repeat(d, img, 1, 1);
	if (v->repeat && v->outer && v->steps <= 256)
		mme_repeat(d, fil, v->steps, 1 << 4);
}

static void put_places(struct mme_desc *d, const struct shape *v,
		       unsigned int pair)
{
	static const int32_t none[3];
	const struct mme_conv *c = &v->conv;
	const struct mme_spread *s = &v->spread;
	struct mme_places x = { c->c, c->n, c->in, { 0 }, { 0 }, s->ports };
	struct mme_places y = { c->k, c->n, c->out, { 0 }, { 1, 1, 1 },
				s->ports };
	int32_t step[3], back[3];
	uint32_t port, col;
	unsigned int h, i;

	for (i = 0; i < 3; i++) {
		x.apart[i] = c->stride[i];
		x.count[i] = c->out[i];
		y.count[i] = c->out[i];
		step[i] = c->dilation[i];
		back[i] = -(int32_t)c->pad[i];
	}
	mme_places_put(d, s->row_op, &x, step);
	mme_places_put(d, O, &y, none);
	for (h = 0; h < 2; h++) {
		port = mme_spread_port(s, pair, h);
		col = mme_spread_col(s, pair, h);
		mme_places_offset(d, mme_agu(s->row_op, h), &x, back, port);
		mme_places_offset(d, AGU_O + h, &y, none, port);
		mme_offset(d, AGU_O + h, 0, col, 0);
		if (col)
			mme_offset(d, mme_agu(s->col_op, h), 0, col, 0);
	}
}

/* Part i of the channels of x and w. */
static void make(struct mme_desc *d, const void *shape, unsigned int pair,
		 unsigned int i)
{
	const struct shape *v = shape;
	const struct mme_conv *c = &v->conv;
	const struct mme_spread *s = &v->spread;
	uint32_t from = v->parts.from[i], count = v->parts.from[i + 1] - from;
	uint32_t wide = v->lower ? c->taps[0] : 1;
	bool ends = v->masks && mme_spread_ends(s, c->k);
	unsigned int h;

	mme_init(d, mme_parts_header(&v->parts, i) | ACCUM_MASK(7) |
		 TRANS(s->row_op) | ADVANCE(s->row_op) | ADVANCE(O) |
		 (s->row_op == L ? TRANS(O) : 0) |
		 (v->lower ? s->row_op == S ? LOWER_S : LOWER_L : 0));
	mme_how_put(d, &v->how);
	mme_base(d, s->row_op, X_AT);
	mme_base(d, s->col_op, W_AT);
	mme_base(d, O, Y_AT);
	mme_dim(d, s->row_op, 0, c->c * wide, count * wide, 0, 0);
	mme_rows(d, s->row_op, v->masks ? v->rows : s->side);
	put_filter(d, v, from, count);
	mme_dim(d, O, 0, ends ? 0x7fffffff : c->k, c->k, s->cols, 0);
	mme_rows(d, O, (v->rows - 1) % s->side + 1);
	put_loops(d, v);
	put_places(d, v, pair);
	for (h = 0; h < 2; h++)
		mme_offset(d, mme_agu(s->row_op, h), 0, from, 0);
	if (v->masks) {
		mme_spread_masks(d, s, c->k, v->outer ? 5 : 3, pair);
		mme_partial(d, mme_agu(s->row_op, 0), 1 << 4);
		mme_partial(d, mme_agu(s->row_op, 1), 1 << 4);
	}
	mme_signal(d, v->each_tile ? 7 : 0x3f, 2 * pair);
}

/* --- the definition --------------------------------------------------------- */

struct want {
	const struct shape *v;
	const uint8_t *x, *w;
	uint32_t at[3], n, k;	/* the output */
};

static void add_tap(const struct want *t, struct mme_output *o,
		    const uint32_t *tap, uint32_t from, uint32_t to)
{
	const struct mme_conv *v = &t->v->conv;
	bool fp32 = t->v->how.fp32, inside;
	uint64_t x, w;
	uint32_t c;

	inside = mme_conv_reads(v, t->n, t->at, tap, &x);
	w = (tap[2] * (uint64_t)v->taps[1] + tap[1]) * v->taps[0] + tap[0];
	for (c = from; c < to; c++)
		mme_output_add(o, inside ? mme_get(t->x, x * v->c + c, fp32) : 0,
			       mme_get(t->w, (w * v->c + c) * v->k + t->k,
				       fp32));
}

static float want(const struct want *t)
{
	const struct mme_parts *p = &t->v->parts;
	const uint32_t *taps = t->v->conv.taps;
	struct mme_output o;
	uint32_t tap[3];
	unsigned int i;

	mme_output_begin(&o, &t->v->how);
	for (i = 0; i < p->num; i++) {
		for (tap[2] = 0; tap[2] < taps[2]; tap[2]++)
			for (tap[1] = 0; tap[1] < taps[1]; tap[1]++)
				for (tap[0] = 0; tap[0] < taps[0]; tap[0]++)
					add_tap(t, &o, tap, p->from[i],
						p->from[i + 1]);
		mme_output_part(&o, p, i);
	}
	return mme_output_end(&o);
}

/* --- tests ------------------------------------------------------------------ */

static void check(struct card *card, const struct shape *v, unsigned int n)
{
	struct want t = { v, card_hbm(card) + X_AT,
			  card_hbm(card) + W_AT, { 0 }, 0, 0 };
	const struct mme_conv *c = &v->conv;
	uint64_t i, all = mme_volume(c->out) * c->n * c->k, p;
	const uint8_t *y = card_sram(card);
	bool fp32 = v->how.out_fp32;
	float is, should;

	for (i = 0; i < all; i++) {
		t.k = i % c->k;
		p = i / c->k;
		t.at[0] = p % c->out[0];
		t.at[1] = p / c->out[0] % c->out[1];
		t.at[2] = p / c->out[0] / c->out[1] % c->out[2];
		t.n = p / mme_volume(c->out);
		is = mme_get(y, i, fp32);
		should = want(&t);
		if (!mme_output_is(&v->how, is, should, mme_before(i)))
			fail_msg("shape %u, element %llu: %a of %a, %u parts, geometry %u, rounding %u",
				 n, (unsigned long long)i, is, should,
				 v->parts.num, v->spread.geometry,
				 v->how.rounding);
	}
	/* nothing is behind it */
	for (; i < all + 64; i++)
		assert_true(mme_get(y, i, fp32) == mme_before(i));
}

static void one_shape(struct card *card, const struct shape *v, unsigned int n)
{
	const struct mme_conv *c = &v->conv;
	uint64_t all = mme_volume(c->out) * c->n * c->k, i;
	uint8_t *hbm = card_hbm(card);

	mme_numbers(hbm + X_AT, mme_volume(c->in) * c->n * c->c, v->how.fp32);
	mme_numbers(hbm + W_AT, mme_volume(c->taps) * c->c * c->k, v->how.fp32);
	for (i = 0; i < all + 64; i++)
		mme_put(card_sram(card), i, v->how.out_fp32, mme_before(i));
	mme_run_parts(card, make, v, &v->parts, v->each_tile);
	check(card, v, n);
}

CARD_TEST(random_shapes)
{
	unsigned int i, kept = 0, added = 0, geometries[3] = { 0 };
	struct shape v;

	mme_seed(20190617);
	for (i = 0; i < SHAPES; i++) {
		do
			random_shape(&v);
		while (mme_conv_work(&v.conv) > 800000);
		kept += v.parts.keep[0];
		added += v.parts.num > 1 && !v.parts.keep[0];
		geometries[v.spread.geometry]++;
		one_shape(card, &v, i);
	}
	assert_in_range(kept, 5, SHAPES);
	assert_in_range(added, 20, SHAPES);
	for (i = 0; i < 3; i++)
		assert_in_range(geometries[i], 20, SHAPES);
}
