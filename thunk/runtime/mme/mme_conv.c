// SPDX-License-Identifier: MIT
/*
 * Convolutions as descriptors. The rows of the product are pixels, which S and O
 * walk with advancing starts, tile by tile (the tetris loop); the taps of the
 * filter are the innermost loops.
 *
 * By weights, pixels are the common dimension, and the taps move the output.
 * By data with steps, a pixel's place within a step decides which taps meet it:
 * each such class of pixels has a descriptor of its own, and one that no tap
 * meets is written with zeros.
 */
#include <errno.h>
#include <string.h>

#include "../base/base.h"
#include "gaudi.h"
#include "mme_desc.h"

enum { LOOP_S, LOOP_R, LOOP_C, LOOP_K };	/* the convolution loops */

#define SUM_TAPS	(1u << LOOP_S | 1u << LOOP_R | 1u << LOOP_C)

/* What of the output one pair makes. */
struct share {
	uint64_t n, num_n;	/* images */
	uint64_t row, num_rows;	/* of pixels */
	uint64_t out, num_out;	/* innermost: k, or c by data */
	uint64_t r, num_r;	/* by weights: rows of the filter */
};

/* Along one direction, by data: the pixels of a class, and the taps. */
struct class {
	uint64_t first, num;	/* pixels first + i * step */
	uint64_t tap, taps, tap_step;
	int64_t begin;		/* dy's pixel for the last tap */
	uint64_t back;		/* from tap to tap */
};

static uint64_t ceil_div(uint64_t n, uint64_t by)
{
	return (n + by - 1) / by;
}

static void set_dim(struct mme_dim *d, uint64_t size, uint64_t stride)
{
	d->size = size;
	d->stride = size > 1 ? stride : 1;
}

/* Dimensions 1 to 3 as rows of pixels, so many of each, steps apart. */
static void set_pixels(struct mme_operand *op, const uint64_t *sizes,
		       const uint64_t *strides, const uint64_t *steps,
		       const uint64_t *counts)
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		struct mme_dim *d = &op->dim[1 + i];

		set_dim(d, sizes[i], strides[i]);
		d->step = steps[i];
		d->count = counts[i];
	}
	op->dim[4].step = 1;
}

static void common(const struct mme_conv *v, struct mme_work *w)
{
	w->in_fp32 = v->in_fp32;
	w->out_fp32 = v->out_fp32;
	w->relu = v->relu;
	w->reduce = v->reduce;
}

/* Tiles of pixels, and what the last one has. */
static void set_tetris(struct mme_work *w, uint64_t pixels)
{
	uint32_t side = mme_side(w->in_fp32);
	uint64_t tiles = ceil_div(pixels, side);

	w->loops[MME_LOOP_TETRIS] = tiles;
	w->op[MME_OP_S].advance = true;
	w->op[MME_OP_S].rows = side;
	w->op[MME_OP_O].advance = true;
	w->op[MME_OP_O].width = side;
	w->op[MME_OP_O].rows = pixels - (tiles - 1) * side;
}

/* Columns of the output, of which each core makes a side in turn. */
static void set_columns(const struct mme_work *w, struct mme_operand *op,
			unsigned int dim, uint64_t num, uint64_t stride)
{
	uint32_t side = mme_side(w->in_fp32);

	set_dim(&op->dim[dim], num, stride);
	op->dim[dim].move = 2 * side;
	op->dim[dim].remote = side;
	op->loop_dim[LOOP_K] = (uint8_t)dim;
}

/* The dimensions that a step to the next tap moves, right and down. */
static void set_moves(struct mme_operand *op, unsigned int dim, int64_t right,
		      int64_t down)
{
	op->dim[dim].move = right;
	op->dim[dim + 1].move = down;
	op->loop_dim[LOOP_S] = (uint8_t)dim;
	op->loop_dim[LOOP_R] = (uint8_t)(dim + 1);
}

/* --- forward ------------------------------------------------------------ */

static int forward(const struct mme_conv *v, const struct share *sh,
		   struct mme_list *list)
{
	uint32_t side = mme_side(v->in_fp32);
	const uint64_t x_sizes[] = { v->w, v->h, sh->num_n };
	const uint64_t x_strides[] = { v->x_w, v->x_h, v->x_n };
	const uint64_t y_sizes[] = { v->q, sh->num_rows, sh->num_n };
	const uint64_t y_strides[] = { v->y_q, v->y_p, v->y_n };
	const uint64_t steps[] = { v->stride[1], v->stride[0], 1 };
	const uint64_t ones[] = { 1, 1, 1 };
	struct mme_work w = { .accum_mask = SUM_TAPS };
	struct mme_operand *x = &w.op[MME_OP_S], *f = &w.op[MME_OP_L];
	struct mme_operand *y = &w.op[MME_OP_O];

	common(v, &w);
	mme_operand_init(x, MME_ROLE_A);
	mme_operand_init(f, MME_ROLE_B);
	mme_operand_init(y, MME_ROLE_C);

	x->first = sh->n * v->x_n;
	x->trans = true;
	x->width = v->c;
	set_dim(&x->dim[0], v->c, 1);
	set_pixels(x, x_sizes, x_strides, steps, y_sizes);
	x->dim[1].begin = -(int64_t)v->pad[1];
	x->dim[2].begin = (int64_t)(sh->row * v->stride[0]) -
			  (int64_t)v->pad[0];
	set_moves(x, 1, (int64_t)v->dilation[1], (int64_t)v->dilation[0]);

	f->first = sh->out;
	f->width = side;
	f->rows = v->c;
	set_columns(&w, f, 0, sh->num_out, 1);
	set_dim(&f->dim[1], v->c, v->w_c);
	f->dim[1].count = v->c;
	set_dim(&f->dim[2], v->s, v->w_s);
	set_dim(&f->dim[3], v->r, v->w_r);
	set_moves(f, 2, 1, 1);

	y->first = sh->n * v->y_n + sh->row * v->y_p + sh->out;
	set_columns(&w, y, 0, sh->num_out, 1);
	set_pixels(y, y_sizes, y_strides, ones, y_sizes);

	w.loops[LOOP_S] = v->s;
	w.loops[LOOP_R] = v->r;
	w.loops[LOOP_K] = ceil_div(sh->num_out, 2 * side);
	set_tetris(&w, sh->num_n * sh->num_rows * v->q);

	return mme_add_conv(list, &w);
}

/* --- by data ------------------------------------------------------------ */

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}

	return a;
}

/* Pixels first, first + step, ... of @size, of which @from up to @to count. */
static void get_class(uint64_t first, uint64_t size, uint64_t step,
		      uint64_t pad, uint64_t dilation, uint64_t taps,
		      struct class *c)
{
	uint64_t g = gcd(dilation, step);
	int64_t at;

	*c = (struct class) {
		.first = first,
		.num = first < size ? ceil_div(size - first, step) : 0,
		.tap_step = step / g,
		.back = dilation / g,
	};
	for (; c->tap < taps; c->tap++) {
		at = (int64_t)(first + pad) - (int64_t)(c->tap * dilation);
		if (at % (int64_t)step)
			continue;
		c->taps = ceil_div(taps - c->tap, c->tap_step);
		c->begin = at / (int64_t)step -
			   (int64_t)((c->taps - 1) * c->back);
		return;
	}
	/* None: a tap of nothing. */
	c->tap = 0;
}

/* The filter backwards: its last tap of the class meets the first pixel. */
static void set_taps(struct mme_operand *f, unsigned int dim, uint64_t stride,
		     const struct class *c)
{
	set_dim(&f->dim[dim], (c->taps - 1) * c->tap_step + 1, stride);
	f->first += c->tap * stride;
	f->dim[dim].begin = (int64_t)((c->taps - 1) * c->tap_step);
}

static void empty(struct mme_operand *op)
{
	unsigned int i;

	for (i = 0; i < MME_NUM_DIMS; i++)
		op->dim[i].size = 0;
}

/* The filter as K by C of the taps of a class. */
static void set_filter(const struct mme_conv *v, const struct share *sh,
		       const struct class *down, const struct class *right,
		       struct mme_work *w)
{
	struct mme_operand *f = &w->op[MME_OP_L];
	uint32_t side = mme_side(v->in_fp32);

	mme_operand_init(f, MME_ROLE_B);
	f->first = sh->out * v->w_c;
	f->trans = true;
	f->width = v->k;
	f->rows = side;
	set_dim(&f->dim[0], v->k, 1);
	set_columns(w, f, 1, sh->num_out, v->w_c);
	f->dim[1].count = side;
	set_taps(f, 2, v->w_s, right);
	set_taps(f, 3, v->w_r, down);
	set_moves(f, 2, -(int64_t)right->tap_step, -(int64_t)down->tap_step);
}

static int one_class(const struct mme_conv *v, const struct share *sh,
		     struct class *down, struct class *right,
		     struct mme_list *list)
{
	bool none = !down->taps || !right->taps;
	const uint64_t y_sizes[] = { v->q, v->p, sh->num_n };
	const uint64_t y_strides[] = { v->y_q, v->y_p, v->y_n };
	const uint64_t sizes[] = { right->num, sh->num_rows, sh->num_n };
	const uint64_t x_strides[] = { v->x_w * v->stride[1],
				       v->x_h * v->stride[0], v->x_n };
	const uint64_t ones[] = { 1, 1, 1 };
	struct mme_work w = { .accum_mask = SUM_TAPS };
	struct mme_operand *y = &w.op[MME_OP_S], *f = &w.op[MME_OP_L];
	struct mme_operand *x = &w.op[MME_OP_O];

	if (none) {
		down->taps = 1;
		right->taps = 1;
	}
	common(v, &w);
	mme_operand_init(y, MME_ROLE_A);
	mme_operand_init(x, MME_ROLE_C);

	y->first = sh->n * v->y_n;
	y->trans = true;
	y->width = v->k;
	set_dim(&y->dim[0], v->k, 1);
	set_pixels(y, y_sizes, y_strides, ones, sizes);
	y->dim[1].begin = right->begin;
	y->dim[2].begin = down->begin + (int64_t)sh->row;
	set_moves(y, 1, (int64_t)right->back, (int64_t)down->back);

	set_filter(v, sh, down, right, &w);
	if (none) {
		empty(y);
		empty(f);
	}

	x->first = sh->n * v->x_n + sh->out + right->first * v->x_w +
		   (down->first + sh->row * v->stride[0]) * v->x_h;
	set_columns(&w, x, 0, sh->num_out, 1);
	set_pixels(x, sizes, x_strides, ones, sizes);

	w.loops[LOOP_S] = right->taps;
	w.loops[LOOP_R] = down->taps;
	w.loops[LOOP_K] = ceil_div(sh->num_out, 2 * mme_side(v->in_fp32));
	set_tetris(&w, sh->num_n * sh->num_rows * right->num);

	return mme_add_conv(list, &w);
}

/* The rows of a class that are in the share. */
static void clip(const struct share *sh, const struct mme_conv *v,
		 const struct class *c, struct share *out)
{
	uint64_t end = sh->row + sh->num_rows;

	*out = *sh;
	out->row = sh->row > c->first ?
		   ceil_div(sh->row - c->first, v->stride[0]) : 0;
	end = end > c->first ? ceil_div(end - c->first, v->stride[0]) : 0;
	out->num_rows = end > out->row ? end - out->row : 0;
}

static int by_data(const struct mme_conv *v, const struct share *sh,
		   struct mme_list *list)
{
	struct class down, right;
	struct share part;
	uint64_t i, j;
	int rc = 0;

	for (i = 0; !rc && i < v->stride[0]; i++) {
		for (j = 0; !rc && j < v->stride[1]; j++) {
			get_class(i, v->h, v->stride[0], v->pad[0],
				  v->dilation[0], v->r, &down);
			get_class(j, v->w, v->stride[1], v->pad[1],
				  v->dilation[1], v->s, &right);
			clip(sh, v, &down, &part);
			if (part.num_rows && right.num)
				rc = one_class(v, &part, &down, &right, list);
		}
	}

	return rc;
}

/* --- by weights ------------------------------------------------------------ */

/* The filter as C by K, which its own taps move. */
static void set_output_filter(const struct mme_conv *v, const struct share *sh,
			      struct mme_work *w)
{
	struct mme_operand *f = &w->op[MME_OP_O];
	uint32_t side = mme_side(v->in_fp32);

	mme_operand_init(f, MME_ROLE_C);
	f->first = sh->out + sh->r * v->w_r;
	f->width = side;
	f->rows = side;
	set_columns(w, f, 0, sh->num_out, 1);
	set_dim(&f->dim[1], v->c, v->w_c);
	f->dim[1].count = side;
	f->dim[1].move = side;
	set_dim(&f->dim[2], v->s, v->w_s);
	set_dim(&f->dim[3], sh->num_r, v->w_r);
	set_moves(f, 2, 1, 1);
	f->loop_dim[LOOP_C] = 1;
}

static int by_weights(const struct mme_conv *v, const struct share *sh,
		      struct mme_list *list)
{
	uint32_t side = mme_side(v->in_fp32);
	const uint64_t x_sizes[] = { v->w, v->h, v->n };
	const uint64_t x_strides[] = { v->x_w, v->x_h, v->x_n };
	const uint64_t y_sizes[] = { v->q, v->p, v->n };
	const uint64_t y_strides[] = { v->y_q, v->y_p, v->y_n };
	const uint64_t steps[] = { v->stride[1], v->stride[0], 1 };
	const uint64_t ones[] = { 1, 1, 1 };
	uint64_t pixels = v->n * v->p * v->q;
	struct mme_work w = {};
	struct mme_operand *x = &w.op[MME_OP_S], *y = &w.op[MME_OP_L];

	common(v, &w);
	mme_operand_init(x, MME_ROLE_A);
	mme_operand_init(y, MME_ROLE_B);
	set_output_filter(v, sh, &w);

	x->width = side;
	x->rows = pixels;
	set_dim(&x->dim[0], v->c, 1);
	x->dim[0].move = side;
	set_pixels(x, x_sizes, x_strides, steps, y_sizes);
	x->dim[1].begin = -(int64_t)v->pad[1];
	x->dim[2].begin = (int64_t)(sh->r * v->dilation[0]) -
			  (int64_t)v->pad[0];
	set_moves(x, 1, (int64_t)v->dilation[1], (int64_t)v->dilation[0]);
	x->loop_dim[LOOP_C] = 0;

	y->first = sh->out;
	y->width = side;
	y->rows = pixels;
	set_columns(&w, y, 0, sh->num_out, 1);
	set_pixels(y, y_sizes, y_strides, ones, y_sizes);

	w.loops[LOOP_S] = v->s;
	w.loops[LOOP_R] = sh->num_r;
	w.loops[LOOP_C] = ceil_div(v->c, side);
	w.loops[LOOP_K] = ceil_div(sh->num_out, 2 * side);

	return mme_add_conv(list, &w);
}

/* --- both pairs --------------------------------------------------------- */

/* Cut @size of all in two, in units; false: there is one. */
static bool cut(uint64_t *begin, uint64_t *num, uint64_t *begin_2,
		uint64_t *num_2, uint64_t unit)
{
	uint64_t first = (ceil_div(*num, unit) + 1) / 2 * unit;

	if (first >= *num)
		return false;
	*begin_2 = *begin + first;
	*num_2 = *num - first;
	*num = first;

	return true;
}

static struct share whole(const struct mme_conv *v)
{
	bool data = v->kind == MME_CONV_DATA;

	return (struct share) {
		.num_n = v->n,
		.num_rows = data ? v->h : v->p,
		.num_out = data ? v->c : v->k,
		.num_r = v->r,
	};
}

/* The shares of both pairs; how many there are. */
static unsigned int divide(const struct mme_conv *v, struct share *s)
{
	uint64_t tile = 2 * mme_side(v->in_fp32);
	bool weights = v->kind == MME_CONV_WEIGHTS;

	s[0] = whole(v);
	s[1] = s[0];
	if (!weights && cut(&s[0].n, &s[0].num_n, &s[1].n, &s[1].num_n, 1))
		return 2;
	if (cut(&s[0].out, &s[0].num_out, &s[1].out, &s[1].num_out, tile))
		return 2;
	if (weights)
		return cut(&s[0].r, &s[0].num_r, &s[1].r, &s[1].num_r, 1) ?
		       2 : 1;

	return cut(&s[0].row, &s[0].num_rows, &s[1].row, &s[1].num_rows, 1) ?
	       2 : 1;
}

static int one_share(const struct mme_conv *v, const struct share *sh,
		     struct mme_list *list)
{
	if (v->kind == MME_CONV_FORWARD)
		return forward(v, sh, list);
	if (v->kind == MME_CONV_DATA)
		return by_data(v, sh, list);

	return by_weights(v, sh, list);
}

/* Group @g, all of it, for one pair. */
static int one_group(const struct mme_conv *v, uint64_t g,
		     struct mme_list *list)
{
	uint64_t x = g * v->c, wy = g * v->k;
	const uint64_t first[] = {
		[MME_ROLE_A] = v->kind == MME_CONV_DATA ? wy : x,
		[MME_ROLE_B] = wy,
		[MME_ROLE_C] = v->kind == MME_CONV_DATA ? x : wy,
	};
	struct share sh = whole(v);
	size_t i = list->num;
	unsigned int op;
	int rc;

	rc = one_share(v, &sh, list);
	for (; i < list->num; i++)
		for (op = 0; op < MME_NUM_OPS; op++)
			list->list[i].first[op] +=
				first[list->list[i].role[op]];

	return rc;
}

int mme_conv(const struct mme_conv *v, struct mme_list *lists)
{
	struct share shares[MME_NUM_PAIRS];
	unsigned int i, num;
	uint64_t g;
	int rc = 0;

	for (g = 0; !rc && v->groups > 1 && g < v->groups; g++)
		rc = one_group(v, g, &lists[g % MME_NUM_PAIRS]);
	num = v->groups > 1 ? 0 : divide(v, shares);
	for (i = 0; !rc && i < num; i++)
		rc = one_share(v, &shares[i], &lists[i]);

	return rc;
}
