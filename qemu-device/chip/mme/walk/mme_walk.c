// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * The walk of an address generator. This is the specification of the model:
 * both ways to compute, element by element and in panels, go by it.
 *
 * Source: the vendor's MIT-licensed descriptor generator and reference (facts).
 * Inferred: a dimension whose region has size 0 wraps once at each step.
 */
#include <string.h>

#include "mme_walk.h"

void gaudi_mme_walk_begin(struct gaudi_mme_walk *w,
			  const struct gaudi_mme_desc *d, unsigned int op,
			  unsigned int core)
{
	unsigned int i;

	memset(w, 0, sizeof(*w));
	w->desc = d;
	w->op = &d->op[op];
	w->core = core;
	w->output = op == MME_OP_O;
	for (i = 0; i < MME_NUM_LOOPS; i++)
		w->size[i] = w->op->skip & 1u << i ? 1 : d->size[i];
	w->reset = MME_LOOP_MASK;
}

/* The part of a side that is left for a last iteration. */
static uint64_t rest(uint64_t size, unsigned int side)
{
	return size % side ? size % side : side;
}

static void set_box(struct gaudi_mme_walk *w)
{
	const struct gaudi_mme_tensor *t = &w->op->tensor;
	unsigned int side = gaudi_mme_side(w->desc);
	bool partial = w->last & w->op->partial[w->core];

	if (w->output) {
		w->rows = w->last & 1u << MME_LOOP_TETRIS ? t->spatial_size :
							   side;
		w->width = partial ? rest(t->roi_size[0], side) : side;
	} else if (w->op->trans) {
		w->rows = partial ? rest(t->spatial_size, side) : side;
		w->width = t->roi_size[0];
	} else {
		w->rows = t->spatial_size;
		w->width = partial ? rest(t->roi_size[0], side) : side;
	}
}

/* Where the cursor stands after all rows of the box. */
static void set_next_start(struct gaudi_mme_walk *w)
{
	struct gaudi_mme_cursor c;
	uint64_t r;
	unsigned int i;

	gaudi_mme_cursor_begin(&c, w);
	for (r = 0; r < w->rows; r++)
		gaudi_mme_cursor_next(&c, w);
	for (i = 1; i < MME_NUM_DIMS; i++)
		w->next_start[i] = c.cur[i] - w->roi[i];
}

/* Moves by what loop i means; true: that was the one that stepped. */
static bool move(struct gaudi_mme_walk *w, unsigned int i)
{
	unsigned int d = w->op->dim[i];
	bool begins = w->reset & 1u << i;

	if (d < MME_NUM_DIMS && begins)
		w->roi[d] = (int64_t)w->op->agu[w->core].roi_base[d];
	else if (d < MME_NUM_DIMS)
		w->roi[d] += (int64_t)w->op->tensor.loop_stride[d];
	return !begins;
}

static void count(struct gaudi_mme_walk *w)
{
	unsigned int i;

	for (i = 0; i < MME_NUM_LOOPS; i++) {
		if (++w->count[i] < w->size[i])
			return;
		w->count[i] = 0;
	}
}

static uint8_t trailing_ones(uint8_t mask)
{
	return mask & ~(mask + 1);
}

static void set_ends(struct gaudi_mme_walk *w)
{
	unsigned int i;

	w->first = 0;
	w->last = 0;
	for (i = 0; i < MME_NUM_LOOPS; i++) {
		if (!w->count[i])
			w->first |= 1u << i;
		if (w->count[i] == w->size[i] - 1)
			w->last |= 1u << i;
	}
}

void gaudi_mme_walk_next(struct gaudi_mme_walk *w)
{
	const struct gaudi_mme_agu *agu = &w->op->agu[w->core];
	bool first = w->reset == MME_LOOP_MASK, advance;
	uint64_t t;
	unsigned int i;

	set_ends(w);
	for (i = 0; first && i < MME_NUM_DIMS; i++)
		w->roi[i] = (int64_t)agu->roi_base[i];
	for (i = 0; i < MME_NUM_LOOPS && !move(w, i); i++)
		;
	/* A new step of the tetris loop. */
	advance = w->op->advance && (w->reset & 0xf) == 0xf;
	for (i = 1; i < MME_NUM_DIMS; i++) {
		if (w->reset & 1u << MME_LOOP_TETRIS) {
			w->start[i] = agu->start[i];
			w->next_start[i] = agu->start[i];
		} else if (advance) {
			t = w->start[i];
			w->start[i] = w->next_start[i];
			w->next_start[i] = t;
		}
	}
	set_box(w);
	/* Behind the last step there is none: START_OFFSET comes again. */
	if (advance && !(w->last & 1u << MME_LOOP_TETRIS))
		set_next_start(w);
	w->reset = trailing_ones(w->last);
	w->done = w->last == MME_LOOP_MASK;
	count(w);
}

/* --- rows --------------------------------------------------------------- */

void gaudi_mme_cursor_begin(struct gaudi_mme_cursor *c,
			    const struct gaudi_mme_walk *w)
{
	unsigned int i;

	c->cur[0] = 0;
	for (i = 1; i < MME_NUM_DIMS; i++)
		c->cur[i] = w->roi[i] + w->start[i];
}

void gaudi_mme_cursor_next(struct gaudi_mme_cursor *c,
			   const struct gaudi_mme_walk *w)
{
	const struct gaudi_mme_tensor *t = &w->op->tensor;
	uint64_t carry = 1, over;
	unsigned int i;

	for (i = 1; i < MME_NUM_DIMS && carry; i++) {
		c->cur[i] += carry * t->spatial_stride[i];
		/* The last dimension has no end. */
		over = c->cur[i] - (w->roi[i] + t->roi_size[i]);
		if (i == MME_NUM_DIMS - 1 || (int64_t)over < 0)
			return;
		carry = t->roi_size[i] ? over / t->roi_size[i] + 1 : 1;
		c->cur[i] -= carry * t->roi_size[i];
	}
}

/* Steps from `from` that stay below `end`, the first of which does */
static uint64_t steps_below(uint64_t from, uint64_t end, uint64_t step)
{
	return (end - from - 1) / step + 1;
}

uint64_t gaudi_mme_cursor_run(const struct gaudi_mme_cursor *c,
			      const struct gaudi_mme_walk *w, uint64_t max)
{
	const struct gaudi_mme_tensor *t = &w->op->tensor;
	uint64_t end = w->roi[1] + t->roi_size[1], n;

	if (w->op->lower || !t->spatial_stride[1] ||
	    c->cur[1] >= t->valid[1] || (int64_t)(end - c->cur[1]) <= 0)
		return 1;
	n = steps_below(c->cur[1], end, t->spatial_stride[1]);
	max = n < max ? n : max;
	n = steps_below(c->cur[1], t->valid[1], t->spatial_stride[1]);
	return n < max ? n : max;
}

void gaudi_mme_cursor_skip(struct gaudi_mme_cursor *c,
			   const struct gaudi_mme_walk *w, uint64_t n)
{
	c->cur[1] += (n - 1) * w->op->tensor.spatial_stride[1];
	gaudi_mme_cursor_next(c, w);
}

void gaudi_mme_cursor_row(const struct gaudi_mme_cursor *c,
			  const struct gaudi_mme_walk *w,
			  struct gaudi_mme_row *row)
{
	const uint32_t *valid = w->op->tensor.valid;
	bool lower = w->op->lower;
	uint64_t to = w->width;
	int64_t x0, x1;
	unsigned int i;

	row->offset = w->roi[0];
	for (i = 1; i < MME_NUM_DIMS; i++)
		row->offset += c->cur[i];
	row->from = 0;
	row->to = 0;
	for (i = lower ? 2 : 1; i < MME_NUM_DIMS; i++)
		if (c->cur[i] >= valid[i])
			return;
	x0 = w->roi[0] + (lower ? c->cur[1] : 0);
	x1 = lower ? (int64_t)(c->cur[1] + valid[0]) : (int64_t)valid[0];
	if (lower && x1 > (int64_t)valid[1])
		x1 = valid[1];
	/* Element e counts if 0 <= x0 + e < x1. */
	if (x1 <= 0 || x0 >= x1)
		return;
	if ((uint64_t)x1 - x0 < w->width)
		to = (uint64_t)x1 - x0;
	if (x0 >= 0 || -(uint64_t)x0 < to) {
		row->from = x0 < 0 ? -(uint64_t)x0 : 0;
		row->to = to;
	}
}
