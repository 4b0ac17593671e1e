// SPDX-License-Identifier: MIT
/*
 * Products of matrices as descriptors.
 *
 * A descriptor makes tiles of side x 2 side elements: S gives one side, both
 * cores' L the other. Which of both matrices is S, and whether the pairs of
 * engines share rows, columns or batches, is decided by what is done in vain
 * at the edges: 4wx1h, 2wx2h and 1wx4h of the vendor's names are some of these.
 *
 * L's vectors stay in the engine while S walks, if they fit. A common dimension
 * that is longer is cut; what is summed so far stays in the accumulators, so
 * sixteen tiles are made at a time.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "../base/base.h"
#include "gaudi.h"
#include "mme_desc.h"

/* More than so many are not worth what is saved by cutting. */
#define MAX_CUTS	4096u

/* One side of the product: rows of A, or columns of B. */
struct input {
	enum mme_role role;
	uint64_t first;
	uint64_t rows, row_stride, k_stride;
	bool trans;		/* the common dimension is next to each other */
	unsigned int out_dim;	/* of O: 1 rows, 0 columns */
	uint64_t out_stride;
	uint64_t batch[MME_MAX_BATCH];
};

/* A piece of work: tiles of one or more batches, a part of the common one. */
struct piece {
	uint64_t s, num_s;	/* tiles */
	uint64_t l, num_l;
	uint64_t k, num_k;
	uint64_t at[MME_MAX_BATCH], num[MME_MAX_BATCH];
	bool accum, keep;
};

static uint64_t ceil_div(uint64_t n, uint64_t by)
{
	return (n + by - 1) / by;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t batch_size(const struct mme_gemm *g, unsigned int i)
{
	return g->batch[i].size ? g->batch[i].size : 1;
}

static uint64_t batches(const struct mme_gemm *g)
{
	return batch_size(g, 0) * batch_size(g, 1) * batch_size(g, 2);
}

/* Rows that are next to each other, or what they are made of; else -1. */
static int is_trans(uint64_t rows, uint64_t row_stride, uint64_t k,
		    uint64_t k_stride)
{
	if (k_stride == 1 || (k == 1 && row_stride != 1))
		return 1;

	return row_stride == 1 || rows == 1 ? 0 : -1;
}

static int get_inputs(const struct mme_gemm *g, struct input *a,
		      struct input *b)
{
	int ta = is_trans(g->m, g->a_m, g->k, g->a_k);
	int tb = is_trans(g->n, g->b_n, g->k, g->b_k);
	unsigned int i;

	if (ta < 0 || tb < 0)
		return gd_fail(-EINVAL, "matrix %c has strides %" PRIu64 " and %" PRIu64 ", neither is 1",
			       ta < 0 ? 'A' : 'B', ta < 0 ? g->a_m : g->b_k,
			       ta < 0 ? g->a_k : g->b_n);
	*a = (struct input) {
		.role = MME_ROLE_A, .first = g->a, .rows = g->m,
		.row_stride = g->a_m, .k_stride = g->a_k, .trans = ta,
		.out_dim = 1, .out_stride = g->c_m,
	};
	*b = (struct input) {
		.role = MME_ROLE_B, .first = g->b, .rows = g->n,
		.row_stride = g->b_n, .k_stride = g->b_k, .trans = tb,
		.out_dim = 0, .out_stride = 1,
	};
	for (i = 0; i < MME_MAX_BATCH; i++) {
		a->batch[i] = g->batch[i].a;
		b->batch[i] = g->batch[i].b;
	}

	return 0;
}

/* --- one descriptor ------------------------------------------------------- */

enum { LOOP_S, LOOP_L, LOOP_BATCH_0, LOOP_BATCH_1, LOOP_BATCH_2 = MME_LOOP_OUTER };

static const unsigned int batch_loop[MME_MAX_BATCH] = {
	LOOP_BATCH_0, LOOP_BATCH_1, LOOP_BATCH_2,
};

/* @tile rows in a tile, the second core's behind those of the first. */
static void put_input(struct mme_operand *op, const struct input *in,
		      const struct piece *p, uint64_t at, uint64_t rows,
		      uint32_t side, uint32_t tile)
{
	struct mme_dim *row = &op->dim[in->trans ? 1 : 0];
	struct mme_dim *k = &op->dim[in->trans ? 0 : 1];

	mme_operand_init(op, in->role);
	op->first = in->first + at * in->row_stride + p->k * in->k_stride;
	op->trans = in->trans;
	op->width = in->trans ? p->num_k : side;
	op->rows = in->trans ? side : p->num_k;
	row->size = rows;
	row->stride = rows > 1 ? in->row_stride : 1;
	row->count = side;
	row->move = tile;
	row->remote = side;
	k->size = p->num_k;
	k->stride = p->num_k > 1 ? in->k_stride : 1;
	k->count = p->num_k;
}

/* Rows of a tile that begin at @at, of all @rows. */
static uint64_t rows_of(const struct input *in, uint64_t at, uint64_t num)
{
	return least(in->rows - at, num);
}

static void put_batches(struct mme_work *w, const struct mme_gemm *g,
			const struct input *s, const struct input *l,
			const struct piece *p)
{
	unsigned int i, op, loop;

	for (i = 0; i < MME_MAX_BATCH; i++) {
		const uint64_t strides[MME_NUM_OPS] = {
			s->batch[i], l->batch[i], g->batch[i].c,
		};

		loop = batch_loop[i];
		w->loops[loop] = p->num[i];
		for (op = 0; op < MME_NUM_OPS; op++) {
			struct mme_dim *d = &w->op[op].dim[2 + i];

			w->op[op].first += p->at[i] * strides[op];
			if (p->num[i] == 1 || !strides[op])
				continue;
			w->op[op].loop_dim[loop] = (uint8_t)(2 + i);
			d->size = p->num[i];
			d->stride = strides[op];
			d->move = 1;
		}
	}
}

static void put_output(struct mme_work *w, const struct mme_gemm *g,
		       const struct input *s, const struct input *l,
		       uint64_t s_rows, uint64_t l_rows, uint32_t side)
{
	struct mme_operand *o = &w->op[MME_OP_O];
	struct mme_dim *ds = &o->dim[s->out_dim], *dl = &o->dim[l->out_dim];

	ds->size = s_rows;
	ds->move = side;
	dl->size = l_rows;
	dl->move = 2 * side;
	dl->remote = side;
	o->dim[1].stride = o->dim[1].size > 1 ? g->c_m : 1;
	o->dim[1].count = side;
	o->width = side;
	o->rows = side;
	o->loop_dim[LOOP_S] = (uint8_t)s->out_dim;
	o->loop_dim[LOOP_L] = (uint8_t)l->out_dim;
}

static int add_piece(const struct mme_gemm *g, const struct input *s,
		     const struct input *l, const struct piece *p,
		     struct mme_list *list)
{
	uint32_t side = mme_side(g->in_fp32);
	uint64_t s_at = p->s * side, l_at = p->l * 2 * side;
	uint64_t s_rows = rows_of(s, s_at, p->num_s * side);
	uint64_t l_rows = rows_of(l, l_at, p->num_l * 2 * side);
	struct mme_work w = {
		.in_fp32 = g->in_fp32, .out_fp32 = g->out_fp32,
		.swapped = s->role == MME_ROLE_B,
		.relu = g->relu, .reduce = g->reduce,
		.accum = p->accum, .keep = p->keep,
		.tiles = (uint32_t)(p->num_s * p->num_l),
	};
	struct mme_operand *op = w.op;

	put_input(&op[MME_OP_S], s, p, s_at, s_rows, side, side);
	put_input(&op[MME_OP_L], l, p, l_at, l_rows, side, 2 * side);
	mme_operand_init(&op[MME_OP_O], MME_ROLE_C);
	op[MME_OP_O].first = g->c + s_at * s->out_stride + l_at * l->out_stride;
	put_output(&w, g, s, l, s_rows, l_rows, side);
	op[MME_OP_S].loop_dim[LOOP_S] = op[MME_OP_S].trans ? 1 : 0;
	op[MME_OP_L].loop_dim[LOOP_L] = op[MME_OP_L].trans ? 1 : 0;
	w.loops[LOOP_S] = p->num_s;
	w.loops[LOOP_L] = p->num_l;
	put_batches(&w, g, s, l, p);
	if (p->num_k <= MME_HELD && p->num_s > 1 &&
	    p->num_s <= MME_MAX_REPEAT) {
		op[MME_OP_L].repeat = (uint32_t)p->num_s;
		op[MME_OP_L].skip = 1u << LOOP_S;
	} else if (p->num_k <= MME_HELD && p->num_s == 1 && p->num_l > 1 &&
		   p->num_l <= MME_MAX_REPEAT) {
		op[MME_OP_S].repeat = (uint32_t)p->num_l;
		op[MME_OP_S].skip = 1u << LOOP_L;
	}

	return mme_add(list, &w);
}

/* --- one pair --------------------------------------------------------------- */

struct job {
	const struct mme_gemm *g;
	struct input s, l;
	uint64_t num_s, num_l;	/* tiles */
	bool cut;
	struct mme_list *list;
};

/* All parts of the common dimension of up to sixteen tiles. */
static int add_cuts(const struct job *j, struct piece *p)
{
	int rc = 0;

	for (p->k = 0; !rc && p->k < j->g->k; p->k += MME_HELD) {
		p->num_k = least(MME_HELD, j->g->k - p->k);
		p->accum = p->k;
		p->keep = p->k + p->num_k < j->g->k;
		rc = add_piece(j->g, &j->s, &j->l, p, j->list);
	}
	p->k = 0;

	return rc;
}

/* All tiles of some batches. */
static int add_tiles(const struct job *j, struct piece *p)
{
	uint64_t max_s = j->cut ? MME_ACCUMULATORS : MME_MAX_REPEAT, max_l;
	int rc = 0;

	max_s = least(max_s, j->num_s);
	max_l = j->cut ? MME_ACCUMULATORS / max_s : MME_MAX_REPEAT;
	p->num_k = j->g->k;
	for (p->l = 0; !rc && p->l < j->num_l; p->l += max_l) {
		p->num_l = least(max_l, j->num_l - p->l);
		for (p->s = 0; !rc && p->s < j->num_s; p->s += max_s) {
			p->num_s = least(max_s, j->num_s - p->s);
			rc = j->cut ? add_cuts(j, p) :
			     add_piece(j->g, &j->s, &j->l, p, j->list);
		}
	}

	return rc;
}

static int add_batches(const struct job *j, struct piece *p, unsigned int i)
{
	uint64_t max = j->cut ? 1 : MME_CONV_LOOP;
	int rc = 0;

	if (i == MME_MAX_BATCH)
		return add_tiles(j, p);
	for (p->at[i] = 0; !rc && p->at[i] < batch_size(j->g, i);
	     p->at[i] += max) {
		p->num[i] = least(max, batch_size(j->g, i) - p->at[i]);
		rc = add_batches(j, p, i + 1);
	}

	return rc;
}

static void get_tiles(const struct mme_gemm *g, bool swapped, uint64_t *s,
		      uint64_t *l)
{
	uint32_t side = mme_side(g->in_fp32);

	*s = ceil_div(swapped ? g->n : g->m, side);
	*l = ceil_div(swapped ? g->m : g->n, 2 * side);
}

static int one_pair(const struct mme_gemm *g, bool swapped,
		    struct mme_list *list)
{
	struct job j = { .g = g, .list = list };
	struct piece p = {};
	int rc;

	rc = swapped ? get_inputs(g, &j.l, &j.s) : get_inputs(g, &j.s, &j.l);
	if (rc)
		return rc;
	get_tiles(g, swapped, &j.num_s, &j.num_l);
	j.cut = g->k > MME_HELD && j.num_s > 1 &&
		ceil_div(j.num_s * j.num_l, MME_ACCUMULATORS) *
		ceil_div(g->k, MME_HELD) * batches(g) <= MAX_CUTS;

	return add_batches(&j, &p, 0);
}

/* --- both pairs ---------------------------------------------------------- */

/* How the second pair's share begins: a batch dim, rows or columns. */
enum split { SPLIT_BATCH_0, SPLIT_BATCH_1, SPLIT_BATCH_2, SPLIT_ROWS,
	     SPLIT_COLUMNS, SPLIT_NONE, NUM_SPLITS };

static uint64_t cost_of(const struct mme_gemm *g, bool swapped)
{
	uint64_t s, l;

	get_tiles(g, swapped, &s, &l);

	return s * l * batches(g);
}

/* The first pair's half, of whole tiles. */
static uint64_t half(uint64_t size, uint64_t tile)
{
	return least(size, ceil_div(ceil_div(size, tile), 2) * tile);
}

static void do_split(const struct mme_gemm *g, enum split how, bool swapped,
		     struct mme_gemm *parts)
{
	uint32_t side = mme_side(g->in_fp32);
	uint64_t n;

	parts[0] = *g;
	parts[1] = *g;
	switch (how) {
	case SPLIT_NONE:
		parts[1].m = 0;
		break;
	case SPLIT_ROWS:
		n = half(g->m, swapped ? 2 * side : side);
		parts[0].m = n;
		parts[1].m = g->m - n;
		parts[1].a += n * g->a_m;
		parts[1].c += n * g->c_m;
		break;
	case SPLIT_COLUMNS:
		n = half(g->n, swapped ? side : 2 * side);
		parts[0].n = n;
		parts[1].n = g->n - n;
		parts[1].b += n * g->b_n;
		parts[1].c += n;
		break;
	default:
		n = half(batch_size(g, how), 1);
		parts[0].batch[how].size = n;
		parts[1].batch[how].size = batch_size(g, how) - n;
		parts[1].a += n * g->batch[how].a;
		parts[1].b += n * g->batch[how].b;
		parts[1].c += n * g->batch[how].c;
		if (batch_size(g, how) == n)
			parts[1].m = 0;
		break;
	}
}

int mme_gemm(const struct mme_gemm *g, struct mme_list *lists)
{
	struct mme_gemm parts[MME_NUM_PAIRS], best[MME_NUM_PAIRS];
	uint64_t cost, second, least_cost = UINT64_MAX;
	bool swapped = false;
	unsigned int how, i;
	int rc = 0;

	/* Of equal ones the first: batches are the most alike. */
	for (i = 0; i < 2 * NUM_SPLITS; i++) {
		how = i / 2;
		do_split(g, how, i % 2, parts);
		cost = cost_of(&parts[0], i % 2);
		second = parts[1].m && parts[1].n ?
			 cost_of(&parts[1], i % 2) : 0;
		if (second > cost)
			cost = second;
		if (cost >= least_cost)
			continue;
		least_cost = cost;
		swapped = i % 2;
		memcpy(best, parts, sizeof(best));
	}
	for (i = 0; !rc && i < MME_NUM_PAIRS; i++)
		if (best[i].m && best[i].n)
			rc = one_pair(&best[i], swapped, &lists[i]);

	return rc;
}
