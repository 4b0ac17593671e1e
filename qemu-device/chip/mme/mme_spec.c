// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * The arithmetic of the matrix engine, element by element: what the fast way
 * must equal bit by bit. Slow, and meant to be read.
 *
 * Source: the vendor's MIT-licensed reference (facts). Inferred: that kept
 * partial sums go on in the lane where they were left, and that an accumulator
 * is added to in the descriptor's rounding mode.
 */
#include <stdlib.h>

#include "mme_exec.h"

#define BLOCK			16u

struct gaudi_mme_scratch {
	uint32_t s[BLOCK][GAUDI_MME_MAX_SIDE];
	uint32_t l[GAUDI_MME_CORES][BLOCK][GAUDI_MME_MAX_SIDE];
};

static uint32_t get(const float *f)
{
	uint32_t bits;

	memcpy(&bits, f, sizeof(bits));
	return bits;
}

static void put(float *f, uint32_t bits)
{
	memcpy(f, &bits, sizeof(bits));
}

static bool spec_begin(struct gaudi_mme_exec *x)
{
	if (!x->scratch)
		x->scratch = calloc(1, sizeof(*x->scratch));
	return x->scratch;
}

static void spec_group(struct gaudi_mme_exec *x, struct gaudi_mme_input *st,
		       bool again)
{
	(void)x;
	(void)st;
	(void)again;
}

/* --- operands ----------------------------------------------------------- */

/* Element e of a row, as the bits of an fp32 number. */
static uint32_t element(struct gaudi_mme_exec *x, struct gaudi_mme_input *st,
			const struct gaudi_mme_row *row, uint64_t e)
{
	const struct gaudi_mme_operand *op = st->walk.op;
	unsigned int size = gaudi_mme_size_in(&x->desc);
	uint64_t addr = op->base + size * (row->offset + e);
	uint32_t v = op->padding;

	if (e >= row->from && e < row->to) {
		v = 0;
		if (!x->error &&
		    gaudi_mme_read(&x->mem, st->port, addr, &v, size))
			x->error = GAUDI_MME_READ_ERROR;
	}
	return size == 2 ? v << 16 : v;
}

static void vector(struct gaudi_mme_exec *x, struct gaudi_mme_input *st,
		   uint32_t *to)
{
	struct gaudi_mme_cursor c;
	struct gaudi_mme_row row;
	uint64_t i;

	memset(to, 0, GAUDI_MME_MAX_SIDE * sizeof(*to));
	if (!st->walk.op->trans) {
		gaudi_mme_cursor_row(&st->cursor, &st->walk, &row);
		for (i = 0; i < st->walk.width; i++)
			to[i] = element(x, st, &row, i);
		gaudi_mme_cursor_next(&st->cursor, &st->walk);
		return;
	}
	gaudi_mme_cursor_begin(&c, &st->walk);
	for (i = 0; i < st->walk.rows; i++) {
		gaudi_mme_cursor_row(&c, &st->walk, &row);
		to[i] = element(x, st, &row, st->pos);
		gaudi_mme_cursor_next(&c, &st->walk);
	}
}

static uint64_t spec_take(struct gaudi_mme_exec *x, struct gaudi_mme_input *st,
			  uint64_t max)
{
	struct gaudi_mme_scratch *t = x->scratch;
	uint64_t n;

	for (n = 0; n < max && !st->ended && !x->error; n++) {
		vector(x, st, st == &x->s ? t->s[n] : t->l[st - x->l][n]);
		gaudi_mme_input_skip(x, st, 1);
	}
	return n;
}

/* --- sums --------------------------------------------------------------- */

static void spec_sum(struct gaudi_mme_exec *x, uint64_t n)
{
	const struct gaudi_mme_scratch *t = x->scratch;
	unsigned int side = x->side, h, i, j;
	float *p;
	uint64_t k;

	for (h = 0; h < GAUDI_MME_CORES; h++) {
		if (!x->steps)
			memset(x->core[h].part, 0, sizeof(x->core[h].part));
		for (k = 0; k < n; k++) {
			p = x->core[h].part;
			p += (x->steps + k) % GAUDI_MME_LANES * GAUDI_MME_TILE;
			for (i = 0; i < side; i++)
				for (j = 0; j < side; j++, p++)
					put(p, gaudi_mme_fma(t->s[k][i],
							     t->l[h][k][j],
							     get(p),
							     x->desc.rounding));
		}
	}
}

static void spec_rollup(struct gaudi_mme_exec *x, struct gaudi_mme_core *core)
{
	unsigned int mode = x->desc.rounding & 3, i, n, lane;
	float *acc = core->acc[x->acc];
	uint32_t p[GAUDI_MME_LANES], sum;

	for (i = 0; i < x->side * x->side; i++) {
		for (n = 0; n < GAUDI_MME_LANES; n++) {
			lane = (x->steps + n) % GAUDI_MME_LANES;
			p[n] = get(&core->part[lane * GAUDI_MME_TILE + i]);
		}
		sum = gaudi_mme_add(gaudi_mme_add(p[0], p[1], mode),
				    gaudi_mme_add(p[2], p[3], mode), mode);
		/* -0 becomes +0 */
		sum = gaudi_mme_add(sum, 0, GAUDI_MME_NEAREST);
		if (x->desc.accum)
			sum = gaudi_mme_add(get(&acc[i]), sum, mode);
		put(&acc[i], sum);
	}
}

/* --- results ------------------------------------------------------------ */

/* Element e of row r, as it is stored. */
static uint32_t result(struct gaudi_mme_exec *x, struct gaudi_mme_core *core,
		       uint64_t r, uint64_t e)
{
	const struct gaudi_mme_desc *d = &x->desc;
	uint32_t v, random = 0;

	v = get(&core->acc[x->acc][d->op[MME_OP_O].trans ? e * x->side + r :
							  r * x->side + e]);
	if (d->relu)
		v = gaudi_mme_relu(v);
	if (d->out_fp32)
		return v;
	if (d->rounding & GAUDI_MME_STOCHASTIC)
		random = gaudi_mme_random(&core->lfsr, e);
	return gaudi_mme_to_bf16(v, d->rounding, random);
}

/* Row by row: a reduction may be of elements that are wider than these. */
static void spec_store(struct gaudi_mme_exec *x, unsigned int h)
{
	struct gaudi_mme_core *core = &x->core[h];
	unsigned int size = gaudi_mme_size_out(&x->desc);
	uint8_t out[GAUDI_MME_MAX_SIDE * 4];
	struct gaudi_mme_cursor c;
	struct gaudi_mme_row row;
	uint64_t r, e;
	uint32_t v;

	gaudi_mme_cursor_begin(&c, &core->out);
	for (r = 0; r < core->out.rows; r++) {
		gaudi_mme_cursor_row(&c, &core->out, &row);
		for (e = 0; e < core->out.width; e++) {
			v = result(x, core, r, e);
			memcpy(out + size * e, &v, size);
		}
		if (row.from < row.to)
			gaudi_mme_store_row(x, h, x->desc.op[MME_OP_O].base +
					    size * (row.offset + row.from),
					    out + size * row.from,
					    size * (row.to - row.from));
		gaudi_mme_cursor_next(&c, &core->out);
	}
}

const struct gaudi_mme_arith gaudi_mme_spec = {
	.block = BLOCK,
	.budget = BLOCK,
	.begin = spec_begin,
	.group = spec_group,
	.take = spec_take,
	.sum = spec_sum,
	.rollup = spec_rollup,
	.store = spec_store,
};
