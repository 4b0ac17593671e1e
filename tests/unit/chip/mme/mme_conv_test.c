// SPDX-License-Identifier: GPL-2.0-only
/*
 * Convolutions of images [batch][h][w][c] with filters [r][s][c][k]: the three
 * passes as descriptors, against the definition of each, with padding, strides
 * and dilation. The order of sums is the order in which the descriptor names
 * the terms; what padding adds are products with zero.
 */
#include "mme_gen.h"

#define X_AT	(USER_HBM + 0x0000000)
#define W_AT	(USER_HBM + 0x1000000)
#define Y_AT	(USER_HBM + 0x2000000)

struct conv {
	unsigned int batch, h, w, c, k;
	unsigned int r, s;		/* filter: rows, columns */
	unsigned int pad[2];		/* of h, of w */
	unsigned int stride[2];
	unsigned int dilation[2];
	bool fp32;
	bool swapped;		/* spatial positions on L, by all four cores */
	bool lower;			/* one filter column within the width */
};

static unsigned int out_h(const struct conv *v)
{
	return (v->h + 2 * v->pad[0] - v->dilation[0] * (v->r - 1) - 1) /
	       v->stride[0] + 1;
}

static unsigned int out_w(const struct conv *v)
{
	return (v->w + 2 * v->pad[1] - v->dilation[1] * (v->s - 1) - 1) /
	       v->stride[1] + 1;
}

static unsigned int array(const struct conv *v)
{
	return v->fp32 ? 32 : 64;
}

static unsigned int round_up(unsigned int v, unsigned int to)
{
	return (v + to - 1) / to * to;
}

static unsigned int tiles(unsigned int v, unsigned int of)
{
	return (v + of - 1) / of;
}

/* --- numbers -------------------------------------------------------------- */

struct data {
	uint8_t *x, *w, *y;
	bool fp32;
};

static struct data data_of(struct card *card, const struct conv *v)
{
	uint8_t *hbm = card_hbm(card);

	return (struct data) { hbm + X_AT, hbm + W_AT, hbm + Y_AT, v->fp32 };
}

static uint64_t x_index(const struct conv *v, unsigned int b, int h, int w,
			unsigned int c)
{
	return (((uint64_t)b * v->h + h) * v->w + w) * v->c + c;
}

static uint64_t w_index(const struct conv *v, unsigned int r, unsigned int s,
			unsigned int c, unsigned int k)
{
	return (((uint64_t)r * v->s + s) * v->c + c) * v->k + k;
}

static uint64_t y_index(const struct conv *v, unsigned int b, int h, int w,
			unsigned int k)
{
	return (((uint64_t)b * out_h(v) + h) * out_w(v) + w) * v->k + k;
}

/* 0 outside of the image */
static float get_x(const struct conv *v, const struct data *d, unsigned int b,
		   int h, int w, unsigned int c)
{
	if (h < 0 || w < 0 || h >= (int)v->h || w >= (int)v->w)
		return 0;
	return mme_get(d->x, x_index(v, b, h, w, c), d->fp32);
}

/* Four loops in one, the last index the fastest. */
struct pos {
	unsigned int i[4];
	unsigned int n[4];
};

static bool step(struct pos *p)
{
	unsigned int d;

	for (d = 4; d-- > 0; p->i[d] = 0)
		if (++p->i[d] < p->n[d])
			return true;
	return false;
}

/* The element of x that tap (r, s) multiplies for pixel (i, j) of y. */
static float tap_x(const struct conv *v, const struct data *d, unsigned int b,
		   unsigned int i, unsigned int j, unsigned int r,
		   unsigned int s, unsigned int c)
{
	return get_x(v, d, b, (int)(i * v->stride[0] + r * v->dilation[0]) -
			      (int)v->pad[0],
		     (int)(j * v->stride[1] + s * v->dilation[1]) -
		     (int)v->pad[1], c);
}

static void numbers(uint8_t *at, uint64_t count, bool fp32)
{
	uint32_t seed = count;

	for (; count; count--)
		mme_put(at, count - 1, fp32, mme_number(&seed));
}

static void same(const struct conv *v, const uint8_t *at, uint64_t index,
		 const struct mme_sum *sum)
{
	float is = mme_get(at, index, v->fp32);
	float should = mme_result(sum, false, v->fp32);

	if (memcmp(&is, &should, 4))
		fail_msg("element %llu: %a, not %a", (unsigned long long)index,
			 is, should);
}

static void start(struct card *card, unsigned int pair, struct mme_desc *d)
{
	mme_signal(d, 0x3f, 2 * pair);
	mme_start(card, 2 * pair, d);
}

static void finish(struct card *card, unsigned int was, unsigned int each)
{
	unsigned int i;

	card_settle(card);
	assert_int_equal(rd(card, MME(0) + MME_CAUSE), 0);
	assert_int_equal(rd(card, MME(2) + MME_CAUSE), 0);
	for (i = 0; i < 4; i++)
		assert_int_equal(sob(card, i), was + each);
}

static uint32_t header_of(const struct conv *v)
{
	return STORE | (v->fp32 ? IN_FP32 | OUT_FP32 : 0);
}

/* --- tensors -------------------------------------------------------------- */

/*
 * An image as the operand whose fastest dimension is op's dimension 0, moved
 * over `rows` x `cols` positions that are so far apart; an image for each of
 * the batch in dimension 4.
 */
struct image {
	unsigned int batch, h, w, c;
	unsigned int rows, cols;
	unsigned int apart[2];
};

static void put_image(struct mme_desc *d, unsigned int op,
		      const struct image *i, uint32_t roi0, int32_t loop0,
		      const int32_t *loop)
{
	uint32_t row = i->w * i->c, all = i->h * row;

	mme_dim(d, op, 0, i->c, roi0, loop0, 0);
	mme_dim(d, op, 1, row, i->cols * i->apart[1] * i->c, loop[1] * i->c,
		i->apart[1] * i->c);
	mme_dim(d, op, 2, all, i->rows * i->apart[0] * row, loop[0] * row,
		i->apart[0] * row);
	mme_dim(d, op, 3, all, all, 0, all);
	mme_dim(d, op, 4, i->batch * all, 0, 0, all);
}

/* Begins at position p of all, h and w further on than the first pixel. */
static void image_offset(struct mme_desc *d, unsigned int agu,
			 const struct image *i, unsigned int p, int h, int w)
{
	uint32_t row = i->w * i->c;
	unsigned int col = p % i->cols, line = p / i->cols % i->rows;

	mme_offset(d, agu, 1, w * (int)i->c, col * i->apart[1] * i->c);
	mme_offset(d, agu, 2, h * (int)row, line * i->apart[0] * row);
	mme_offset(d, agu, 3, 0, 0);
	mme_offset(d, agu, 4, 0, p / i->cols / i->rows * i->h * row);
}

/* --- forward -------------------------------------------------------------- */

/*
 * Loops 0, 1: filter; 3: tiles of k; tetris: of positions. Positions are spread
 * over two pairs, one after the other in turns, or k over all four cores.
 */
static void forward_desc(struct mme_desc *d, const struct conv *v,
			 unsigned int pair)
{
	unsigned int a = array(v), pixels = v->batch * out_h(v) * out_w(v);
	unsigned int cols = v->swapped ? a : 2 * a, ports = v->swapped ? 4 : 2;
	unsigned int img = v->swapped ? L : S, fil = v->swapped ? S : L, h;
	struct image x = { v->batch, v->h, v->w, v->c, out_h(v), out_w(v),
			   { v->stride[0], v->stride[1] } };
	struct image y = { v->batch, out_h(v), out_w(v), v->k, out_h(v),
			   out_w(v), { 1, 1 } };
	int32_t step[2] = { v->dilation[0], v->dilation[1] };
	int32_t none[2] = { 0, 0 };
	unsigned int agu, port;

	mme_init(d, header_of(v) | ACCUM_MASK(7) | TRANS(img) | ADVANCE(img) |
		 ADVANCE(O) | (v->swapped ? TRANS(O) : 0));
	mme_base(d, img, X_AT);
	mme_base(d, fil, W_AT);
	mme_base(d, O, Y_AT);
	put_image(d, img, &x, v->c, 0, step);
	mme_rows(d, img, a);
	put_image(d, O, &y, v->k, cols, none);
	/* what is too much for the last tile is outside of the batch */
	mme_rows(d, O, a);
	mme_dim(d, fil, 0, v->k, v->k, cols, 0);
	mme_dim(d, fil, 1, v->c * v->k, v->c * v->k, 0, v->k);
	mme_dim(d, fil, 2, v->s * v->c * v->k, 1, v->c * v->k, 0);
	mme_dim(d, fil, 3, v->r * v->s * v->c * v->k, 1, v->s * v->c * v->k, 0);
	mme_rows(d, fil, v->c);
	mme_loop(d, 0, v->s, img == S ? 1 : 2, img == L ? 1 : 2, 5);
	mme_loop(d, 1, v->r, img == S ? 2 : 3, img == L ? 2 : 3, 5);
	mme_loop(d, 3, tiles(v->k, cols), img == S ? 5 : 0, img == L ? 5 : 0, 0);
	mme_loop(d, 4, tiles(pixels, ports * a), 5, 5, 5);
	mme_repeat(d, img, tiles(v->k, cols), 8);
	if (v->lower) {
		*mme_at(d, 0x20) |= img == S ? LOWER_S : LOWER_L;
		mme_dim(d, img, 0, v->s * v->c, v->s * v->c, 0, 0);
		mme_repeat(d, img, tiles(v->k, cols), 9);
	}
	/* in turns: each port has every second or fourth position */
	for (h = 0; h < 2; h++) {
		port = v->swapped ? 2 * pair + h : pair;
		agu = img == S ? AGU_S : AGU_L + h;
		image_offset(d, agu, &x, port, -(int)v->pad[0],
			     -(int)v->pad[1]);
		image_offset(d, AGU_O + h, &y, port, 0, 0);
		if (!v->swapped) {
			mme_offset(d, AGU_L + h, 0, h * a, 0);
			mme_offset(d, AGU_O + h, 0, h * a, 0);
		}
	}
	*mme_at(d, (img == S ? 0x3c : 0xac) + 0x38) *= ports;
	*mme_at(d, 0x140 + 0x38) *= ports;
}

/* Interleaving needs rows of a multiple of the ports, or a carry above 1. */
static bool can_interleave(const struct conv *v)
{
	return out_w(v) % (v->swapped ? 4 : 2) == 0;
}

static void want_y(const struct conv *v, const struct data *d,
		   const unsigned int *y)
{
	struct pos t = { .n = { 1, v->r, v->s, v->c } };
	struct mme_sum sum = { { 0 } };

	do
		mme_add(&sum, tap_x(v, d, y[0], y[1], y[2], t.i[1], t.i[2],
				    t.i[3]),
			mme_get(d->w, w_index(v, t.i[1], t.i[2], t.i[3], y[3]),
				v->fp32));
	while (step(&t));
	same(v, d->y, y_index(v, y[0], y[1], y[2], y[3]), &sum);
}

static void forward(struct card *card, const struct conv *v)
{
	struct pos y = { .n = { v->batch, out_h(v), out_w(v), v->k } };
	struct data d = data_of(card, v);
	unsigned int p, was = sob(card, 0);
	struct mme_desc desc;

	assert_true(can_interleave(v));
	numbers(d.x, (uint64_t)v->batch * v->h * v->w * v->c, v->fp32);
	numbers(d.w, (uint64_t)v->r * v->s * v->c * v->k, v->fp32);
	for (p = 0; p < 2; p++) {
		forward_desc(&desc, v, p);
		start(card, p, &desc);
	}
	finish(card, was, 1);
	do
		want_y(v, &d, y.i);
	while (step(&y));
}

/* --- by data: dx of dy and w ------------------------------------------------ */

/*
 * For the pixels of x whose place modulo the stride is (ch, cw): the taps that
 * reach them come every `every`-th, from the highest one down.
 */
struct taps {
	unsigned int count, high, every;
	int first;		/* place in dy that the highest one reads */
};

static struct taps taps_of(const struct conv *v, unsigned int d,
			   unsigned int cls, unsigned int size)
{
	struct taps t = { .every = 1 };
	unsigned int i, dist;

	for (i = 0; i < size; i++) {
		dist = cls + v->pad[d] + v->stride[d] * size * v->dilation[d] -
		       i * v->dilation[d];
		if (dist % v->stride[d])
			continue;
		if (t.count)
			t.every = i - t.high;
		t.high = i;
		t.count++;
		t.first = (int)(dist / v->stride[d]) -
			  (int)(size * v->dilation[d]);
	}
	return t;
}

static unsigned int class_size(const struct conv *v, unsigned int d,
			       unsigned int cls)
{
	unsigned int size = d ? v->w : v->h;

	return cls < size ? (size - cls - 1) / v->stride[d] + 1 : 0;
}

static void data_desc(struct mme_desc *d, const struct conv *v,
		      const unsigned int *cls, unsigned int core_pair)
{
	struct taps t[2] = { taps_of(v, 0, cls[0], v->r),
			     taps_of(v, 1, cls[1], v->s) };
	unsigned int rows = class_size(v, 0, cls[0]);
	unsigned int cols = class_size(v, 1, cls[1]), a = array(v), h;
	struct image dy = { v->batch, out_h(v), out_w(v), v->k, rows, cols,
			    { 1, 1 } };
	struct image dx = { v->batch, v->h, v->w, v->c, rows, cols,
			    { v->stride[0], v->stride[1] } };
	/* from one tap to the one below it, further on in dy */
	int32_t step[2] = { t[0].every * v->dilation[0] / v->stride[0],
			    t[1].every * v->dilation[1] / v->stride[1] };
	int32_t none[2] = { 0, 0 }, tap = v->c * v->k, line = v->s * tap;

	mme_init(d, header_of(v) | ACCUM_MASK(7) | TRANS(S) | TRANS(L) |
		 ADVANCE(S) | ADVANCE(O));
	mme_base(d, S, Y_AT);
	mme_base(d, L, W_AT);
	mme_base(d, O, X_AT);
	put_image(d, S, &dy, v->k, 0, step);
	put_image(d, O, &dx, v->c, 4 * a, none);
	mme_rows(d, O, a);
	mme_dim(d, L, 0, v->k, v->k, 0, 0);
	mme_dim(d, L, 1, tap, round_up(v->c, 4 * a) * v->k + 1, 4 * a * v->k,
		v->k);
	mme_dim(d, L, 2, line, 1, -(int)t[1].every * tap, 0);
	mme_dim(d, L, 3, v->r * line, 1, -(int)t[0].every * line, 0);
	mme_loop(d, 0, t[1].count, 1, 2, 5);
	mme_loop(d, 1, t[0].count, 2, 3, 5);
	mme_loop(d, 3, tiles(v->c, 4 * a), 5, 1, 0);
	mme_loop(d, 4, tiles(v->batch * rows * cols, a), 5, 5, 5);
	mme_repeat(d, S, tiles(v->c, 4 * a), 8);
	image_offset(d, AGU_S, &dy, 0, t[0].first, t[1].first);
	for (h = 0; h < 2; h++) {
		mme_offset(d, AGU_L + h, 1, (2 * core_pair + h) * a * v->k, 0);
		mme_offset(d, AGU_L + h, 2, t[1].high * tap, 0);
		mme_offset(d, AGU_L + h, 3, t[0].high * line, 0);
		image_offset(d, AGU_O + h, &dx, 0, cls[0], cls[1]);
		mme_offset(d, AGU_O + h, 0, (2 * core_pair + h) * a, 0);
	}
	if (t[0].count && t[1].count)
		return;
	/* No tap reaches these: nothing is read, zeros are written. */
	mme_loop(d, 0, 1, 5, 5, 5);
	mme_loop(d, 1, 1, 5, 5, 5);
	for (h = 0; h < 5; h++) {
		*mme_at(d, 0x3c + 4 * h) = 0;
		*mme_at(d, 0xac + 4 * h) = 0;
	}
}

/* Where dy is that tap t of dimension d brings to x's place at; or nowhere. */
static bool tap_dy(const struct conv *v, unsigned int d, unsigned int at,
		   unsigned int t, unsigned int *to)
{
	unsigned int far = 1000, dist;

	dist = at + v->pad[d] + v->stride[d] * far - t * v->dilation[d];
	*to = dist / v->stride[d] - far;
	return dist % v->stride[d] == 0;
}

static void want_dx(const struct conv *v, const struct data *d,
		    const unsigned int *x)
{
	struct pos t = { .n = { 1, v->r, v->s, v->k } };
	struct mme_sum sum = { { 0 } };
	unsigned int r, s, k, i, j;
	float dy;

	do {
		r = v->r - 1 - t.i[1];
		s = v->s - 1 - t.i[2];
		k = t.i[3];
		if (!tap_dy(v, 0, x[1], r, &i) || !tap_dy(v, 1, x[2], s, &j))
			continue;
		dy = 0;
		if (i < out_h(v) && j < out_w(v))
			dy = mme_get(d->y, y_index(v, x[0], i, j, k), v->fp32);
		mme_add(&sum, dy, mme_get(d->w, w_index(v, r, s, x[3], k),
					  v->fp32));
	} while (step(&t));
	same(v, d->x, x_index(v, x[0], x[1], x[2], x[3]), &sum);
}

static void by_data(struct card *card, const struct conv *v)
{
	struct pos x = { .n = { v->batch, v->h, v->w, v->c } };
	unsigned int p, n = 0, cls[2], was = sob(card, 0);
	struct data d = data_of(card, v);
	struct mme_desc desc;

	numbers(d.y, (uint64_t)v->batch * out_h(v) * out_w(v) * v->k, v->fp32);
	numbers(d.w, (uint64_t)v->r * v->s * v->c * v->k, v->fp32);
	memset(d.x, 0xff, (size_t)v->batch * v->h * v->w * v->c * 4);
	for (cls[0] = 0; cls[0] < v->stride[0]; cls[0]++)
		for (cls[1] = 0; cls[1] < v->stride[1]; cls[1]++, n++) {
			for (p = 0; p < 2; p++) {
				data_desc(&desc, v, cls, p);
				start(card, p, &desc);
			}
			finish(card, was, n + 1);
		}
	do
		want_dx(v, &d, x.i);
	while (step(&x));
}

/* --- by weights: dw of x and dy --------------------------------------------- */

/* All pixels are summed; each tap is a tile of its own. */
static void weights_desc(struct mme_desc *d, const struct conv *v,
			 unsigned int pair)
{
	unsigned int a = array(v), pixels = v->batch * out_h(v) * out_w(v), h;
	struct image x = { v->batch, v->h, v->w, v->c, out_h(v), out_w(v),
			   { v->stride[0], v->stride[1] } };
	struct image dy = { v->batch, out_h(v), out_w(v), v->k, out_h(v),
			    out_w(v), { 1, 1 } };
	int32_t step[2] = { v->dilation[0], v->dilation[1] };
	int32_t none[2] = { 0, 0 }, tap = v->c * v->k;

	mme_init(d, header_of(v));
	mme_base(d, S, X_AT);
	mme_base(d, L, Y_AT);
	mme_base(d, O, W_AT);
	put_image(d, S, &x, v->c, a, step);
	put_image(d, L, &dy, v->k, 4 * a, none);
	mme_rows(d, S, pixels);
	mme_rows(d, L, pixels);
	mme_dim(d, O, 0, v->k, v->k, 4 * a, 0);
	mme_dim(d, O, 1, tap, round_up(v->c, a) * v->k + 1, a * v->k, v->k);
	mme_dim(d, O, 2, v->s * tap, 1, tap, 0);
	mme_dim(d, O, 3, v->r * v->s * tap, 1, v->s * tap, 0);
	mme_rows(d, O, a);
	mme_loop(d, 0, v->s, 1, 5, 2);
	mme_loop(d, 1, v->r, 2, 5, 3);
	mme_loop(d, 2, tiles(v->c, a), 0, 5, 1);
	mme_loop(d, 3, tiles(v->k, 4 * a), 5, 0, 0);
	/* dy is the same for all taps of a row */
	if (v->s > 1)
		mme_repeat(d, L, v->s, 1);
	image_offset(d, AGU_S, &x, 0, -(int)v->pad[0], -(int)v->pad[1]);
	for (h = 0; h < 2; h++) {
		image_offset(d, AGU_L + h, &dy, 0, 0, 0);
		mme_offset(d, AGU_L + h, 0, (2 * pair + h) * a, 0);
		mme_offset(d, AGU_O + h, 0, (2 * pair + h) * a, 0);
	}
}

static void want_dw(const struct conv *v, const struct data *d,
		    const unsigned int *w)
{
	struct pos y = { .n = { 1, v->batch, out_h(v), out_w(v) } };
	struct mme_sum sum = { { 0 } };

	do
		mme_add(&sum, tap_x(v, d, y.i[1], y.i[2], y.i[3], w[0], w[1],
				    w[2]),
			mme_get(d->y, y_index(v, y.i[1], y.i[2], y.i[3], w[3]),
				v->fp32));
	while (step(&y));
	same(v, d->w, w_index(v, w[0], w[1], w[2], w[3]), &sum);
}

static void by_weights(struct card *card, const struct conv *v)
{
	struct pos w = { .n = { v->r, v->s, v->c, v->k } };
	struct data d = data_of(card, v);
	unsigned int p, was = sob(card, 0);
	struct mme_desc desc;

	numbers(d.x, (uint64_t)v->batch * v->h * v->w * v->c, v->fp32);
	numbers(d.y, (uint64_t)v->batch * out_h(v) * out_w(v) * v->k, v->fp32);
	for (p = 0; p < 2; p++) {
		weights_desc(&desc, v, p);
		start(card, p, &desc);
	}
	finish(card, was, 1);
	do
		want_dw(v, &d, w.i);
	while (step(&w));
}

/* --- shapes --------------------------------------------------------------- */

#define ONE	{ 1, 1 }
static const struct conv convs[] = {
	{ 1, 8, 8, 3, 5, 1, 1, { 0, 0 }, ONE, ONE },
	{ 2, 10, 12, 7, 70, 3, 3, { 1, 1 }, ONE, ONE },
	{ 2, 9, 12, 70, 6, 3, 3, { 1, 1 }, ONE, ONE, .fp32 = true },
	{ 1, 17, 19, 5, 9, 5, 4, { 2, 1 }, { 2, 1 }, ONE },
	{ 3, 11, 16, 4, 8, 3, 3, { 1, 1 }, { 2, 2 }, ONE, .fp32 = true },
	{ 1, 14, 12, 6, 10, 3, 3, { 2, 2 }, ONE, { 2, 2 } },
	{ 2, 12, 16, 3, 4, 1, 1, { 0, 0 }, { 2, 2 }, ONE },
	{ 1, 13, 18, 8, 3, 3, 2, { 0, 1 }, { 3, 2 }, { 1, 2 }, .fp32 = true },
	{ 1, 6, 8, 2, 300, 2, 3, { 0, 1 }, ONE, ONE },
};

CARD_TEST(forward_passes)
{
	struct conv v;
	unsigned int i;

	for (i = 0; i < sizeof(convs) / sizeof(convs[0]); i++) {
		v = convs[i];
		if (can_interleave(&v))
			forward(card, &v);
		v.swapped = true;
		if (can_interleave(&v))
			forward(card, &v);
	}
}

/* The columns of the filter are one long row of the image. */
CARD_TEST(lowered_passes)
{
	struct conv v = { 2, 9, 12, 5, 70, 3, 3, { 1, 1 }, ONE, ONE,
			  .lower = true };

	forward(card, &v);
	v.swapped = true;
	forward(card, &v);
	v.pad[1] = 0;
	v.s = 5;
	v.fp32 = true;
	forward(card, &v);
}

CARD_TEST(passes_by_data)
{
	unsigned int i;

	for (i = 0; i < sizeof(convs) / sizeof(convs[0]); i++)
		by_data(card, &convs[i]);
}

CARD_TEST(passes_by_weights)
{
	unsigned int i;

	for (i = 0; i < sizeof(convs) / sizeof(convs[0]); i++)
		by_weights(card, &convs[i]);
}
