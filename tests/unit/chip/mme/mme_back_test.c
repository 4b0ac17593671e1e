// SPDX-License-Identifier: GPL-2.0-only
/*
 * The backward passes of convolutions of volumes, of random shapes, as compilers
 * lay them out. By data: a descriptor for each class of places modulo the
 * strides, with the taps that reach them, the highest one first, and zeros where
 * none does. By weights: the taps are tiles, in any order with those of
 * channels; several taps side by side in the four cores; positions halved, and
 * the halves added up in memory. All with the common dimension in parts.
 */
#include "mme_volume.h"

#define X_AT	(USER_HBM + 0x0000000)	/* or dx */
#define W_AT	(USER_HBM + 0x1000000)	/* or dw */
#define Y_AT	(USER_HBM + 0x2000000)	/* dy */
#define SHAPES	150
#define BIG	0x7fffffff

/* How the engines share dw: as any product, by taps or by positions. */
enum share { TILES, UNROLLED, HALVED };

struct shape {
	struct mme_conv conv;
	struct mme_how how;
	struct mme_parts parts;
	struct mme_spread spread;
	bool outer, repeat, masks, each_tile;
	/* by data: one class */
	uint32_t cls[3];
	uint32_t count[3];		/* places of each class */
	uint32_t taps[3], every[3], high[3];
	int32_t first[3];		/* place in dy that the highest tap reads */
	/* by weights */
	enum share share;
	unsigned int loop[5];		/* of taps s, r, q, tiles of c, of k */
};

static void random_shape(struct shape *v)
{
	memset(v, 0, sizeof(*v));
	mme_conv_random(&v->conv);
	v->conv.c = 1 + mme_any(mme_any(4) ? 12 : 200);
	v->conv.k = 1 + mme_any(mme_any(4) ? 12 : 200);
	mme_how_random(&v->how);
	mme_spread(&v->spread, mme_any(3), mme_how_side(&v->how));
	v->outer = mme_any(2);
	v->repeat = mme_any(2);
	v->masks = mme_any(2);
	v->each_tile = mme_any(2);
}

static void output(struct card *card, uint64_t at, uint64_t count, bool fp32,
		   bool zero)
{
	uint64_t i;

	for (i = 0; i < count + 64; i++)
		mme_put(card_hbm(card) + at, i, fp32,
			zero && i < count ? 0 : mme_before(i));
}

static void operand(struct card *card, uint64_t at, uint64_t count, bool fp32)
{
	mme_numbers(card_hbm(card) + at, count, fp32);
}

static void differs(const struct shape *v, unsigned int n, uint64_t i, float is,
		    float should)
{
	fail_msg("shape %u, element %llu: %a of %a, %u parts, geometry %u, share %u, rounding %u",
		 n, (unsigned long long)i, is, should, v->parts.num,
		 v->spread.geometry, v->share, v->how.rounding);
}

/* --- by data: the descriptor ------------------------------------------------ */

/* Sets what a class has in dimension i. */
static void set_class(struct shape *v, unsigned int i)
{
	const struct mme_conv *c = &v->conv;
	uint32_t stride = c->stride[i], far = stride * 64, tap, dist;

	v->taps[i] = 0;
	v->every[i] = 1;
	v->high[i] = 0;
	v->first[i] = 0;
	v->count[i] = c->in[i] > v->cls[i] ?
		      (c->in[i] - v->cls[i] - 1) / stride + 1 : 0;
	for (tap = 0; tap < c->taps[i]; tap++) {
		dist = far + v->cls[i] + c->pad[i] - tap * c->dilation[i];
		if (dist % stride)
			continue;
		if (v->taps[i])
			v->every[i] = tap - v->high[i];
		v->taps[i]++;
		v->high[i] = tap;
		v->first[i] = (int32_t)(dist / stride) - 64;
	}
}

static uint32_t class_places(const struct shape *v)
{
	return v->conv.n * mme_volume(v->count);
}

static void put_reversed(struct mme_desc *d, const struct shape *v,
			 unsigned int pair, uint32_t from, uint32_t count)
{
	const struct mme_conv *c = &v->conv;
	const struct mme_spread *s = &v->spread;
	unsigned int op = s->col_op, i, h, agu;
	uint32_t unit = c->c * c->k;

	mme_dim(d, op, 0, c->k, count, 0, 0);
	mme_dim(d, op, 1, unit, BIG, s->cols * c->k, c->k);
	mme_rows(d, op, v->masks ? c->c : s->side);
	for (h = 0; h < 2; h++) {
		agu = mme_agu(op, h);
		mme_offset(d, agu, 0, from, 0);
		mme_offset(d, agu, 1, mme_spread_col(s, pair, h) * c->k, 0);
	}
	for (i = 0; i < 3; i++) {
		mme_dim(d, op, 2 + i, unit * c->taps[i], 1,
			-(int32_t)(v->every[i] * unit), 0);
		for (h = 0; h < 2; h++)
			mme_offset(d, mme_agu(op, h), 2 + i, v->high[i] * unit,
				   0);
		unit *= c->taps[i];
	}
}

static void put_data_places(struct mme_desc *d, const struct shape *v,
			    unsigned int pair, uint32_t from)
{
	static const int32_t none[3];
	const struct mme_conv *c = &v->conv;
	const struct mme_spread *s = &v->spread;
	struct mme_places y = { c->k, c->n, c->out, { 0 }, { 1, 1, 1 },
				s->ports };
	struct mme_places x = { c->c, c->n, c->in, { 0 }, { 0 }, s->ports };
	int32_t step[3], cls[3];
	unsigned int h, i;
	uint32_t port;

	for (i = 0; i < 3; i++) {
		y.count[i] = v->count[i];
		x.count[i] = v->count[i];
		x.apart[i] = c->stride[i];
		cls[i] = v->cls[i];
		step[i] = v->every[i] * c->dilation[i] / c->stride[i];
	}
	mme_places_put(d, s->row_op, &y, step);
	mme_places_put(d, O, &x, none);
	for (h = 0; h < 2; h++) {
		port = mme_spread_port(s, pair, h);
		mme_places_offset(d, mme_agu(s->row_op, h), &y, v->first, port);
		mme_places_offset(d, AGU_O + h, &x, cls, port);
		mme_offset(d, mme_agu(s->row_op, h), 0, from, 0);
		mme_offset(d, AGU_O + h, 0, mme_spread_col(s, pair, h), 0);
	}
}

static void put_data_loops(struct mme_desc *d, const struct shape *v,
			   uint32_t steps)
{
	unsigned int img = v->spread.row_op, fil = v->spread.col_op, i;
	uint32_t c_tiles = mme_tiles(v->conv.c, v->spread.cols), loop;
	unsigned int dim[3] = { 0 };

	for (i = 0; i < 3; i++) {
		dim[img] = 1 + i;
		dim[fil] = 2 + i;
		mme_loop(d, i, v->taps[i] ? v->taps[i] : 1, dim[S], dim[L], 5);
	}
	loop = v->outer ? 5 : 3;
	dim[img] = 5;
	dim[fil] = 1;
	mme_loop(d, loop, c_tiles, dim[S], dim[L], 0);
	mme_loop(d, 4, steps, 5, 5, 5);
	if (v->repeat && !v->outer)
		mme_repeat(d, img, c_tiles, 8);
	else if (v->repeat && steps <= 256)
		mme_repeat(d, fil, steps, 1 << 4);
}

/* No tap reaches these: nothing is read, zeros are written. */
static void put_zeros(struct mme_desc *d)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		mme_loop(d, i, 1, 5, 5, 5);
	for (i = 0; i < 5; i++) {
		*mme_at(d, 0x3c + 4 * i) = 0;
		*mme_at(d, 0xac + 4 * i) = 0;
	}
}

static void make_data(struct mme_desc *d, const void *shape, unsigned int pair,
		      unsigned int i)
{
	const struct shape *v = shape;
	const struct mme_spread *s = &v->spread;
	const struct mme_conv *c = &v->conv;
	uint32_t from = v->parts.from[i], count = v->parts.from[i + 1] - from;
	uint32_t rows = mme_tiles(class_places(v), s->ports);
	unsigned int h;

	mme_init(d, mme_parts_header(&v->parts, i) | ACCUM_MASK(7) | TRANS(S) |
		 TRANS(L) | ADVANCE(s->row_op) | ADVANCE(O) |
		 (s->row_op == L ? TRANS(O) : 0));
	mme_how_put(d, &v->how);
	mme_base(d, s->row_op, Y_AT);
	mme_base(d, s->col_op, W_AT);
	mme_base(d, O, X_AT);
	mme_dim(d, s->row_op, 0, c->k, count, 0, 0);
	mme_rows(d, s->row_op, v->masks ? rows : s->side);
	mme_dim(d, O, 0, c->c, c->c, s->cols, 0);
	mme_rows(d, O, (rows - 1) % s->side + 1);
	put_reversed(d, v, pair, from, count);
	put_data_loops(d, v, mme_tiles(rows, s->side));
	put_data_places(d, v, pair, from);
	if (v->masks) {
		mme_spread_masks(d, s, c->c, v->outer ? 5 : 3, pair);
		for (h = 0; h < 2; h++)
			mme_partial(d, mme_agu(s->row_op, h), 1 << 4);
	}
	if (!v->taps[0] || !v->taps[1] || !v->taps[2])
		put_zeros(d);
	mme_signal(d, v->each_tile ? 7 : 0x3f, 2 * pair);
}

/* --- by data: the definition ------------------------------------------------ */

struct want {
	const struct shape *v;
	const uint8_t *x, *w, *y;
	uint32_t n, c, k, at[3];	/* the output: place in x, or tap */
};

/* Where that tap brings dy to x's place; false: from between two. */
static bool brings(const struct want *t, unsigned int i, uint32_t tap,
		   int64_t *from)
{
	const struct mme_conv *c = &t->v->conv;
	int64_t dist = (int64_t)t->at[i] + c->pad[i] - tap * c->dilation[i];

	*from = dist / (int64_t)c->stride[i];
	return dist % (int64_t)c->stride[i] == 0;
}

static void add_reversed(const struct want *t, struct mme_output *o,
			 const uint32_t *tap, uint32_t from, uint32_t to)
{
	const struct mme_conv *c = &t->v->conv;
	uint64_t y = t->n, w = 0;
	bool inside = true;
	float dy;
	int64_t p;
	uint32_t k;
	int i;

	for (i = 2; i >= 0; i--) {
		if (!brings(t, i, tap[i], &p))
			return;
		inside = inside && p >= 0 && p < c->out[i];
		y = y * c->out[i] + p;
		w = w * c->taps[i] + tap[i];
	}
	for (k = from; k < to; k++) {
		dy = inside ? mme_get(t->y, y * c->k + k, t->v->how.fp32) : 0;
		mme_output_add(o, dy, mme_get(t->w, (w * c->c + t->c) * c->k + k,
					      t->v->how.fp32));
	}
}

static float want_dx(const struct want *t)
{
	const uint32_t *taps = t->v->conv.taps;
	const struct mme_parts *p = &t->v->parts;
	struct mme_output o;
	uint32_t tap[3];
	unsigned int i;

	mme_output_begin(&o, &t->v->how);
	for (i = 0; i < p->num; i++) {
		for (tap[2] = taps[2]; tap[2]--;)
			for (tap[1] = taps[1]; tap[1]--;)
				for (tap[0] = taps[0]; tap[0]--;)
					add_reversed(t, &o, tap, p->from[i],
						     p->from[i + 1]);
		mme_output_part(&o, p, i);
	}
	return mme_output_end(&o);
}

static void check_data(struct card *card, const struct shape *v, unsigned int n)
{
	const struct mme_conv *c = &v->conv;
	uint8_t *hbm = card_hbm(card);
	struct want t = { v, hbm + X_AT, hbm + W_AT, hbm + Y_AT, 0, 0, 0,
			  { 0 } };
	uint64_t i, p, all = mme_volume(c->in) * c->n * c->c;
	float is, should;

	for (i = 0; i < all; i++) {
		t.c = i % c->c;
		p = i / c->c;
		t.at[0] = p % c->in[0];
		t.at[1] = p / c->in[0] % c->in[1];
		t.at[2] = p / c->in[0] / c->in[1] % c->in[2];
		t.n = p / mme_volume(c->in);
		is = mme_get(t.x, i, v->how.out_fp32);
		should = want_dx(&t);
		if (!mme_output_is(&v->how, is, should, mme_before(i)))
			differs(v, n, i, is, should);
	}
	for (; i < all + 64; i++)
		assert_true(mme_get(t.x, i, v->how.out_fp32) == mme_before(i));
}

/* --- by data: tests --------------------------------------------------------- */

static void one_class(struct card *card, struct shape *v)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		set_class(v, i);
	if (!class_places(v))
		return;
	v->parts.tiles = mme_tiles(v->conv.c, v->spread.cols) *
			 mme_tiles(mme_tiles(class_places(v), v->spread.ports),
				   v->spread.side);
	mme_run_parts(card, make_data, v, &v->parts, v->each_tile);
}

/* The first class has most places: if its tiles may be shared, all may. */
static void split_data(struct shape *v)
{
	uint32_t all = v->conv.n, tiles;
	unsigned int i;

	for (i = 0; i < 3; i++)
		all *= mme_tiles(v->conv.in[i], v->conv.stride[i]);
	tiles = mme_tiles(v->conv.c, v->spread.cols) *
		mme_tiles(mme_tiles(all, v->spread.ports), v->spread.side);
	mme_parts_random(&v->parts, v->conv.k, tiles, mme_any(3));
}

static void one_by_data(struct card *card, struct shape *v, unsigned int n)
{
	const struct mme_conv *c = &v->conv;
	uint32_t *cls = v->cls;

	split_data(v);
	operand(card, Y_AT, mme_volume(c->out) * c->n * c->k, v->how.fp32);
	operand(card, W_AT, mme_volume(c->taps) * c->c * c->k, v->how.fp32);
	output(card, X_AT, mme_volume(c->in) * c->n * c->c, v->how.out_fp32,
	     false);
	for (cls[2] = 0; cls[2] < c->stride[2]; cls[2]++)
		for (cls[1] = 0; cls[1] < c->stride[1]; cls[1]++)
			for (cls[0] = 0; cls[0] < c->stride[0]; cls[0]++)
				one_class(card, v);
	check_data(card, v, n);
}

CARD_TEST(passes_by_data)
{
	struct shape v;
	unsigned int i, parts = 0, kept = 0;

	mme_seed(20200302);
	for (i = 0; i < SHAPES; i++) {
		do
			random_shape(&v);
		while (mme_volume(v.conv.in) * v.conv.n * v.conv.c * v.conv.k *
		       mme_volume(v.conv.taps) > 2000000);
		one_by_data(card, &v, i);
		parts += v.parts.num > 1;
		kept += v.parts.keep[0];
	}
	assert_in_range(parts, 20, SHAPES);
	assert_in_range(kept, 5, SHAPES);
}

/* --- by weights: the descriptor --------------------------------------------- */

/* Taps of the width that one descriptor's cores have side by side. */
static uint32_t unrolled(const struct shape *v)
{
	return v->share == UNROLLED ? 4 : 1;
}

/* Positions that are summed: in each dimension, and of all. */
static uint32_t summed(const struct shape *v, uint32_t *count)
{
	memcpy(count, v->conv.out, sizeof(v->conv.out));
	count[0] += (unrolled(v) - 1) * v->conv.dilation[0];
	return v->conv.n * mme_volume(count);
}

/* Which tile of k, of c and tap is a core's. */
static uint32_t k_block(const struct shape *v, unsigned int pair,
			unsigned int core)
{
	return v->share == UNROLLED ? 0 :
				      mme_spread_col(&v->spread, pair, core);
}

static uint32_t c_block(const struct shape *v, unsigned int pair,
			unsigned int core)
{
	return mme_spread_port(&v->spread, pair, core) * v->spread.side;
}

static uint32_t tap_of(const struct shape *v, unsigned int pair,
		       unsigned int core)
{
	return v->share == UNROLLED ? 2 * pair + core : 0;
}

static uint32_t k_step(const struct shape *v)
{
	return v->share == UNROLLED ? v->spread.side : v->spread.cols;
}

static uint32_t c_step(const struct shape *v)
{
	return v->spread.side * v->spread.ports;
}

static uint32_t sizes(const struct shape *v, uint32_t *size)
{
	size[0] = mme_tiles(v->conv.taps[0], unrolled(v));
	size[1] = v->conv.taps[1];
	size[2] = v->conv.taps[2];
	size[3] = mme_tiles(v->conv.c, c_step(v));
	size[4] = mme_tiles(v->conv.k, k_step(v));
	return size[0] * size[1] * size[2] * size[3] * size[4];
}

static void put_dw(struct mme_desc *d, const struct shape *v, unsigned int pair)
{
	const struct mme_conv *c = &v->conv;
	uint32_t unit = c->c * c->k;
	unsigned int i, h;

	mme_base(d, O, W_AT);
	mme_dim(d, O, 0, c->k, c->k, k_step(v), 0);
	mme_dim(d, O, 1, unit, BIG, c_step(v) * c->k, c->k);
	mme_rows(d, O, v->spread.side);
	for (h = 0; h < 2; h++) {
		mme_offset(d, AGU_O + h, 0, k_block(v, pair, h), 0);
		mme_offset(d, AGU_O + h, 1, c_block(v, pair, h) * c->k, 0);
		mme_offset(d, AGU_O + h, 2, tap_of(v, pair, h) * unit, 0);
	}
	for (i = 0; i < 3; i++) {
		mme_dim(d, O, 2 + i, unit * c->taps[i], 1,
			unit * (i ? 1 : unrolled(v)), 0);
		unit *= c->taps[i];
	}
}

/* Loops of the five things that make tiles; what stays may be repeated. */
static void put_weight_loops(struct mme_desc *d, const struct shape *v)
{
	unsigned int img = v->spread.row_op, fil = v->spread.col_op, i, dim[3];
	uint32_t of[5], size[6] = { [4] = 1 };
	unsigned int k_loop = v->loop[4];

	sizes(v, of);
	for (i = 0; i < 5; i++) {
		dim[img] = i < 3 ? 1 + i : i == 3 ? 0 : 5;
		dim[fil] = i == 4 ? 0 : 5;
		dim[O] = i < 3 ? 2 + i : i == 3 ? 1 : 0;
		mme_loop(d, v->loop[i], of[i], dim[S], dim[L], dim[O]);
		size[v->loop[i]] = of[i];
	}
	if (!v->repeat)
		return;
	mme_repeat_fastest(d, img, size, ~(1u << k_loop));
	mme_repeat_fastest(d, fil, size, 1u << k_loop);
}

static void put_weight_places(struct mme_desc *d, const struct shape *v,
			      unsigned int pair, uint32_t from)
{
	static const int32_t none[3];
	const struct mme_conv *c = &v->conv;
	const struct mme_spread *s = &v->spread;
	struct mme_places x = { c->c, c->n, c->in, { 0 }, { 0 }, 1 };
	struct mme_places y = { c->k, c->n, c->out, { 0 }, { 1, 1, 1 }, 1 };
	int32_t step[3], back[3], shift[3] = { 0 };
	unsigned int h, i;

	summed(v, x.count);
	summed(v, y.count);
	for (i = 0; i < 3; i++) {
		x.apart[i] = c->stride[i];
		step[i] = c->dilation[i] * (i ? 1 : unrolled(v));
		back[i] = -(int32_t)c->pad[i];
	}
	mme_places_put(d, s->row_op, &x, step);
	mme_places_put(d, s->col_op, &y, none);
	for (h = 0; h < 2; h++) {
		/* a tap further on is dy that many places back */
		shift[0] = -(int32_t)(tap_of(v, pair, h) * c->dilation[0]);
		mme_places_offset(d, mme_agu(s->row_op, h), &x, back, from);
		mme_places_offset(d, mme_agu(s->col_op, h), &y, shift, from);
		mme_offset(d, mme_agu(s->row_op, h), 0, c_block(v, pair, h), 0);
		mme_offset(d, mme_agu(s->col_op, h), 0, k_block(v, pair, h), 0);
	}
}

/* Positions of part i; a pair's half of them. */
static void part_of(const struct shape *v, unsigned int pair, unsigned int i,
		    uint32_t *from, uint32_t *count)
{
	uint32_t half;

	*from = v->parts.from[i];
	*count = v->parts.from[i + 1] - *from;
	if (v->share != HALVED)
		return;
	half = *count / 2;
	*from += pair ? half : 0;
	*count = pair ? *count - half : half;
}

static void make_weights(struct mme_desc *d, const void *shape,
			 unsigned int pair, unsigned int i)
{
	const struct shape *v = shape;
	const struct mme_spread *s = &v->spread;
	const struct mme_conv *c = &v->conv;
	uint32_t from, count;

	part_of(v, pair, i, &from, &count);
	mme_init(d, mme_parts_header(&v->parts, i) |
		 (s->row_op == L ? TRANS(O) : 0));
	mme_how_put(d, &v->how);
	mme_base(d, s->row_op, X_AT);
	mme_base(d, s->col_op, Y_AT);
	mme_dim(d, s->row_op, 0, c->c, c->c, c_step(v), 0);
	mme_dim(d, s->col_op, 0, c->k, c->k, k_step(v), 0);
	mme_rows(d, S, count);
	mme_rows(d, L, count);
	put_dw(d, v, pair);
	put_weight_loops(d, v);
	put_weight_places(d, v, pair, from);
	mme_signal(d, v->each_tile ? 0 : 0x3f, 2 * pair);
}

/* --- by weights: the definition --------------------------------------------- */

/* Position p of what is summed, for an unrolled tap so many places before it. */
static void add_position(const struct want *t, struct mme_output *o, uint32_t p,
			 uint32_t more)
{
	const struct mme_conv *c = &t->v->conv;
	uint32_t count[3], at[3], tap[3] = { t->at[0] - more, t->at[1],
					     t->at[2] };
	bool fp32 = t->v->how.fp32, inside;
	uint64_t x, y;
	uint32_t n;
	float a, b = 0;

	summed(t->v, count);
	at[0] = p % count[0];
	at[1] = p / count[0] % count[1];
	at[2] = p / count[0] / count[1] % count[2];
	n = p / count[0] / count[1] / count[2];
	inside = mme_conv_reads(c, n, at, tap, &x);
	a = inside ? mme_get(t->x, x * c->c + t->c, fp32) : 0;
	at[0] -= more * c->dilation[0];
	y = ((uint64_t)n * c->out[2] + at[2]) * c->out[1] + at[1];
	if (at[0] < c->out[0])
		b = mme_get(t->y, (y * c->out[0] + at[0]) * c->k + t->k, fp32);
	mme_output_add(o, a, b);
}

/* What a pair makes of an element */
static float want_dw(const struct want *t, unsigned int pair)
{
	const struct mme_parts *p = &t->v->parts;
	uint32_t more = t->at[0] % unrolled(t->v), from, count;
	struct mme_output o;
	unsigned int i;

	mme_output_begin(&o, &t->v->how);
	for (i = 0; i < p->num; i++) {
		part_of(t->v, pair, i, &from, &count);
		for (; count--; from++)
			add_position(t, &o, from, more);
		mme_output_part(&o, p, i);
	}
	return mme_output_end(&o);
}

static bool is_dw(const struct want *t, float is, uint64_t i, float *should)
{
	const struct mme_how *h = &t->v->how;

	*should = want_dw(t, 0);
	if (t->v->share != HALVED)
		return mme_output_is(h, is, *should, mme_before(i));
	/* Whichever came first, it was added to zero. */
	*should = mme_output_reduced(h, mme_output_stored(h, *should),
				     mme_output_stored(h, want_dw(t, 1)));
	return is == *should;
}

static void check_weights(struct card *card, const struct shape *v,
			  unsigned int n)
{
	const struct mme_conv *c = &v->conv;
	uint8_t *hbm = card_hbm(card);
	struct want t = { v, hbm + X_AT, hbm + W_AT, hbm + Y_AT, 0, 0, 0,
			  { 0 } };
	uint64_t i, p, all = mme_volume(c->taps) * c->c * c->k;
	float is, should;

	for (i = 0; i < all; i++) {
		t.k = i % c->k;
		t.c = i / c->k % c->c;
		p = i / c->k / c->c;
		t.at[0] = p % c->taps[0];
		t.at[1] = p / c->taps[0] % c->taps[1];
		t.at[2] = p / c->taps[0] / c->taps[1];
		is = mme_get(t.w, i, v->how.out_fp32);
		if (!is_dw(&t, is, i, &should))
			differs(v, n, i, is, should);
	}
	for (; i < all + 64; i++)
		assert_true(mme_get(t.w, i, v->how.out_fp32) == mme_before(i));
}

/* --- by weights: tests ------------------------------------------------------ */

/* How the engines share it, and in which order tiles follow each other. */
static void share_weights(struct shape *v)
{
	static const unsigned int loops[5] = { 0, 1, 2, 3, 5 };
	uint32_t size[5], count[3], n;
	unsigned int i, j, t;

	v->share = mme_any(3);
	if (v->share == UNROLLED && v->conv.stride[0] > 1)
		v->share = TILES;
	if (v->share == HALVED && summed(v, count) < 2)
		v->share = TILES;
	if (v->share == UNROLLED)
		mme_spread(&v->spread, MME_W4, v->spread.side);
	if (v->share == HALVED) {
		mme_spread(&v->spread, mme_any(2) ? MME_2XW : MME_2XH,
			   v->spread.side);
		v->how.reduce = true;
		if (v->how.rounding == 4)
			v->how.rounding = 0;
	}
	memcpy(v->loop, loops, sizeof(loops));
	for (i = 4; i; i--) {
		j = mme_any(i + 1);
		t = v->loop[i];
		v->loop[i] = v->loop[j];
		v->loop[j] = t;
	}
	n = summed(v, count);
	mme_parts_random(&v->parts, n, sizes(v, size),
			 mme_any(3) && v->share != HALVED);
}

static void one_by_weights(struct card *card, const struct shape *v,
			   unsigned int n)
{
	const struct mme_conv *c = &v->conv;

	operand(card, X_AT, mme_volume(c->in) * c->n * c->c, v->how.fp32);
	operand(card, Y_AT, mme_volume(c->out) * c->n * c->k, v->how.fp32);
	output(card, W_AT, mme_volume(c->taps) * c->c * c->k, v->how.out_fp32,
	     v->share == HALVED);
	mme_run_parts(card, make_weights, v, &v->parts, v->each_tile);
	check_weights(card, v, n);
}

CARD_TEST(passes_by_weights)
{
	unsigned int i, parts = 0, shares[3] = { 0 };
	struct shape v;

	mme_seed(20200303);
	for (i = 0; i < SHAPES; i++) {
		do
			random_shape(&v);
		while (mme_conv_work(&v.conv) > 1000000);
		share_weights(&v);
		one_by_weights(card, &v, i);
		parts += v.parts.num > 1;
		shares[v.share]++;
	}
	assert_in_range(parts, 20, SHAPES);
	for (i = 0; i < 3; i++)
		assert_in_range(shares[i], 10, SHAPES);
}
