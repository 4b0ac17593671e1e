// SPDX-License-Identifier: MIT
/*
 * What an engine holds to use again, and convolutions in pieces that it can hold.
 *
 * The innermost of the loops that do not move an operand use it again, if a tile's
 * common dimension is no longer than what fits. A longer one is cut, along depth
 * and taps or, by weights, along pixels; what is summed so far stays in the
 * accumulators, so sixteen tiles are made at a time.
 */
#include "mme_desc.h"

/* More than so many are not worth what is saved by cutting. */
#define MAX_CUTS	4096u

/* Axes of the work: its loops but the outer one, and a common dimension. */
enum { AXIS_S, AXIS_R, AXIS_C, AXIS_K, AXIS_TILES, AXIS_COMMON, NUM_AXES };

#define TAPS		(1u << AXIS_S | 1u << AXIS_R | 1u << AXIS_C)

struct cut {
	const struct mme_work *w;
	uint32_t sum;			/* axes along which tiles are summed */
	uint64_t size[NUM_AXES], most[NUM_AXES], at[NUM_AXES];
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t steps(const struct mme_work *w, unsigned int loop)
{
	return w->loops[loop] ? w->loops[loop] : 1;
}

static uint64_t taps_of(const struct mme_work *w)
{
	return steps(w, AXIS_S) * steps(w, AXIS_R) * steps(w, AXIS_C);
}

/* How many vectors are summed for a tile. */
static uint64_t group_of(const struct mme_work *w)
{
	return w->accum_mask ? w->op[MME_OP_S].width * taps_of(w) :
			       w->op[MME_OP_S].rows;
}

static void repeat(struct mme_operand *op, uint64_t times, uint32_t loops)
{
	if (times > MME_MAX_REPEAT)
		return;
	op->repeat = (uint32_t)times;
	op->skip = loops;
}

static void hold(struct mme_work *w)
{
	uint64_t columns = steps(w, AXIS_K), taps = taps_of(w);
	uint64_t tiles = steps(w, AXIS_TILES);
	bool sums = w->accum_mask;

	if (group_of(w) > MME_HELD)
		return;
	if (!sums && taps > 1)
		repeat(&w->op[MME_OP_L], taps, TAPS);
	else if (columns > 1)
		repeat(&w->op[MME_OP_S], columns, 1u << AXIS_K);
	else if (sums && tiles > 1)
		repeat(&w->op[MME_OP_L], tiles, 1u << AXIS_TILES);
}

/* --- pieces ------------------------------------------------------------- */

/* So many steps of a loop, from that one on. */
static void cut_loop(struct mme_work *w, unsigned int loop, uint64_t at,
		     uint64_t num)
{
	unsigned int op, d;

	for (op = 0; op < MME_NUM_OPS; op++) {
		d = w->op[op].loop_dim[loop];
		if (d != MME_DIM_NONE)
			w->op[op].dim[d].begin += (int64_t)at *
						  w->op[op].dim[d].move;
	}
	w->loops[loop] = num;
}

static void start_at(struct mme_operand *op, uint64_t row)
{
	unsigned int i;

	for (i = 1; i < MME_NUM_DIMS - 1; i++) {
		op->dim[i].start = row % op->dim[i].count;
		row /= op->dim[i].count;
	}
}

static void cut_depth(struct mme_operand *op, uint64_t at, uint64_t num)
{
	struct mme_dim *d = &op->dim[op->trans ? 0 : 1];

	op->first += at * d->stride;
	d->size = least(d->size, num);
	if (op->trans) {
		op->width = num;
	} else {
		op->rows = num;
		d->count = num;
	}
}

static void cut_pixels(struct mme_operand *op, uint64_t at, uint64_t num)
{
	start_at(op, at);
	op->rows = num;
}

static int add_piece(const struct cut *c, struct mme_list *list)
{
	struct mme_work w = *c->w;
	uint64_t num[NUM_AXES], side = mme_side(w.in_fp32);
	struct mme_operand *s = &w.op[MME_OP_S], *l = &w.op[MME_OP_L];
	struct mme_operand *o = &w.op[MME_OP_O];
	unsigned int i;

	w.tiles = 1;
	for (i = 0; i < NUM_AXES; i++) {
		num[i] = least(c->most[i], c->size[i] - c->at[i]);
		if (!(c->sum & 1u << i)) {
			w.tiles *= (uint32_t)num[i];
			continue;
		}
		w.accum |= c->at[i] > 0;
		w.keep |= c->at[i] + num[i] < c->size[i];
	}
	for (i = 0; i < AXIS_TILES; i++)
		cut_loop(&w, i, c->at[i], num[i]);
	if (w.accum_mask) {
		cut_depth(s, c->at[AXIS_COMMON], num[AXIS_COMMON]);
		cut_depth(l, c->at[AXIS_COMMON], num[AXIS_COMMON]);
		start_at(s, c->at[AXIS_TILES] * side);
		start_at(o, c->at[AXIS_TILES] * side);
		w.loops[AXIS_TILES] = num[AXIS_TILES];
		if (c->at[AXIS_TILES] + num[AXIS_TILES] < c->size[AXIS_TILES])
			o->rows = side;
	} else {
		cut_pixels(s, c->at[AXIS_COMMON], num[AXIS_COMMON]);
		cut_pixels(l, c->at[AXIS_COMMON], num[AXIS_COMMON]);
	}
	hold(&w);

	return mme_add(list, &w);
}

/* --- how to cut ----------------------------------------------------------- */

/* Tiles that use the same pixels or the same filter again. */
static void set_most(struct cut *c)
{
	uint64_t *most = c->most, *size = c->size;

	most[AXIS_COMMON] = least(size[AXIS_COMMON], MME_HELD);
	most[AXIS_S] = least(size[AXIS_S], c->w->accum_mask ?
			     MME_HELD / most[AXIS_COMMON] : MME_ACCUMULATORS);
	most[AXIS_R] = 1;
	most[AXIS_C] = 1;
	most[AXIS_K] = 1;
	most[AXIS_TILES] = 1;
	if (c->w->accum_mask) {
		if (most[AXIS_S] == size[AXIS_S])
			most[AXIS_R] = least(size[AXIS_R], MME_HELD /
					     (most[AXIS_COMMON] *
					      most[AXIS_S]));
		if (size[AXIS_K] > size[AXIS_TILES])
			most[AXIS_K] = least(size[AXIS_K], MME_ACCUMULATORS);
		else
			most[AXIS_TILES] = least(size[AXIS_TILES],
						 MME_ACCUMULATORS);
		return;
	}
	most[AXIS_R] = least(size[AXIS_R], MME_ACCUMULATORS / most[AXIS_S]);
	most[AXIS_C] = least(size[AXIS_C], MME_ACCUMULATORS /
			     (most[AXIS_S] * most[AXIS_R]));
	if (taps_of(c->w) == 1)
		most[AXIS_K] = least(size[AXIS_K], MME_ACCUMULATORS);
}

static bool is_worth_it(const struct cut *c)
{
	uint64_t tiles = 1, pieces = 1;
	unsigned int i;

	for (i = 0; i < NUM_AXES; i++) {
		if (!(c->sum & 1u << i))
			tiles *= c->most[i];
		if (__builtin_mul_overflow(pieces, (c->size[i] + c->most[i] -
						    1) / c->most[i], &pieces) ||
		    pieces > MAX_CUTS)
			return false;
	}

	return tiles > 1;
}

/* The next along these axes; false: that was all. */
static bool next(struct cut *c, uint32_t axes)
{
	unsigned int i;

	for (i = 0; i < NUM_AXES; i++) {
		if (!(axes & 1u << i))
			continue;
		c->at[i] += c->most[i];
		if (c->at[i] < c->size[i])
			return true;
		c->at[i] = 0;
	}

	return false;
}

int mme_add_conv(struct mme_list *list, const struct mme_work *work)
{
	struct mme_work w = *work;
	struct cut c = { .w = work, .sum = 1u << AXIS_COMMON };
	unsigned int i;
	int rc;

	for (i = 0; i < AXIS_COMMON; i++)
		c.size[i] = steps(work, i);
	c.size[AXIS_COMMON] = work->op[MME_OP_S].rows;
	if (work->accum_mask) {
		c.size[AXIS_COMMON] = work->op[MME_OP_S].width;
		c.sum |= TAPS;
	}
	set_most(&c);
	if (group_of(work) <= MME_HELD || !is_worth_it(&c)) {
		hold(&w);
		return mme_add(list, &w);
	}
	do {
		do {
			rc = add_piece(&c, list);
			if (rc)
				return rc;
		} while (next(&c, c.sum));
	} while (next(&c, ~c.sum));

	return 0;
}
