// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * The matrix engine's arithmetic by panels: vectors are packed as the kernels
 * of mme_kernel.h want them, one kernel call for each core and block of steps.
 * gaudi_mme_exact gives the bits of mme_spec.c, gaudi_mme_fast those of
 * whatever mme_blas.h finds on this host.
 *
 * An operand that is repeated is packed once. Rows that are wholly inside the
 * tensor and in the card's memory are packed from where they are; others go
 * through a buffer.
 */
#include <stdlib.h>

#include "mme_exec.h"

/* Steps at a time: what is packed should stay in the second-level cache. */
#define BLOCK			512u
#define BUDGET			4096u
/* Vectors that are packed at a time; and of a group that is kept. */
#define PACK			256u
#define MAX_WHOLE		16384u

struct gaudi_mme_scratch {
	_Alignas(64) uint8_t out[GAUDI_MME_TILE * 4];
	/* PACK vectors of a side, or a side of PACK elements */
	_Alignas(64) uint8_t row[PACK * GAUDI_MME_MAX_SIDE * 4];
	const void *rows[PACK];
};

/* --- panels ------------------------------------------------------------- */

/* Vectors of a group; 0: hard to say. */
static uint64_t group_len(const struct gaudi_mme_desc *d,
			  const struct gaudi_mme_operand *op)
{
	uint64_t n = op->trans ? op->tensor.roi_size[0] :
				 op->tensor.spatial_size;
	unsigned int i;

	if (d->accum_mask & (d->accum_mask + 1))
		return 0;
	for (i = 0; i < MME_LOOP_TETRIS; i++)
		if (d->accum_mask & ~op->skip & 1u << i)
			n *= d->size[i];
	return n;
}

/* Vectors follow each other, bf16 ones perhaps in pairs, and have no lanes. */
static bool is_fast(const struct gaudi_mme_exec *x)
{
	return x->arith == &gaudi_mme_fast;
}

static unsigned int next_lane(const struct gaudi_mme_exec *x)
{
	return is_fast(x) ? 0 : x->steps % GAUDI_MME_LANES;
}

/* For how many vectors panel.step is */
static unsigned int vectors_a_step(const struct gaudi_mme_exec *x)
{
	if (!is_fast(x))
		return GAUDI_MME_LANES;
	return !x->desc.in_fp32 && x->blas.pairs ? 2 : 1;
}

/* Does the panel hold all of a group though it is not kept? */
static bool own_whole(const struct gaudi_mme_input *st)
{
	return st->walk.op->repeat > 1 && st->limit;
}

/* Vectors that such a panel has room for */
static uint64_t own_vectors(const struct gaudi_mme_input *st)
{
	return own_whole(st) ? st->limit : BLOCK;
}

/* Floats for so many vectors, which may begin in any lane; sets the layout. */
static size_t set_layout(const struct gaudi_mme_exec *x,
			 struct gaudi_mme_input *st, uint64_t vectors)
{
	size_t steps = vectors / GAUDI_MME_LANES + 2;

	if (is_fast(x)) {
		st->panel.step = x->side;
		return vectors * x->side;
	}
	st->panel.step = x->side;
	st->panel.lane = steps * x->side;
	return steps * GAUDI_MME_LANES * x->side;
}

static bool reserve(struct gaudi_mme_exec *x, struct gaudi_mme_input *st)
{
	uint64_t len = group_len(st->walk.desc, st->walk.op);
	size_t floats;
	float *p;

	st->limit = len <= MAX_WHOLE ? len : 0;
	st->held = 0;
	st->kept = NULL;
	gaudi_mme_cache_begin(&st->cache, &st->walk, x->keeps);
	floats = set_layout(x, st, own_vectors(st));
	if (floats <= st->capacity)
		return true;
	if (posix_memalign((void **)&p, 64, floats * sizeof(*p)))
		return false;
	free(st->own);
	st->own = p;
	st->capacity = floats;
	return true;
}

static void note(struct gaudi_mme_range *r, uint64_t addr, uint64_t len)
{
	if (addr + len < addr) {
		addr = 0;
		len = UINT64_MAX;
	}
	r->from = addr < r->from ? addr : r->from;
	r->to = addr + len > r->to ? addr + len : r->to;
}

/*
 * May panels of the descriptors before serve this one? Not if it may be meant to
 * see what changed since, or if they have written near what they have read.
 */
static void begin_reuse(struct gaudi_mme_exec *x)
{
	x->keeps = x->keeps && x->order == x->kept_order &&
		   (x->wrote.from >= x->read.to ||
		    x->read.from >= x->wrote.to) &&
		   !gaudi_fault_armed(x->mem.chip, GAUDI_FAULT_ACCESS);
	if (x->keeps)
		return;
	x->kept_order = x->order;
	x->read = (struct gaudi_mme_range) { UINT64_MAX, 0 };
	x->wrote = x->read;
}

static bool fast_begin(struct gaudi_mme_exec *x)
{
	begin_reuse(x);
	if (!x->kernel)
		x->kernel = gaudi_mme_kernel(NULL);
	if (is_fast(x) && !x->blas.kernel &&
	    gaudi_mme_blas_open(&x->blas, NULL, NULL))
		return false;
	if (!x->scratch &&
	    posix_memalign((void **)&x->scratch, 64, sizeof(*x->scratch)))
		return false;
	if (!reserve(x, &x->s) || !reserve(x, &x->l[0]) ||
	    !reserve(x, &x->l[1]))
		return false;
	x->keeps = true;
	return true;
}

/* Walks over a group that is packed already. */
static void skip_group(struct gaudi_mme_exec *x, struct gaudi_mme_input *st)
{
	while (!st->ended)
		gaudi_mme_input_skip(x, st, st->len - st->pos);
	st->ended = false;
}

/* A panel for the group; perhaps one that holds it already. */
static void choose_panel(struct gaudi_mme_exec *x, struct gaudi_mme_input *st)
{
	st->kept = NULL;
	if (st->cache.used && st->limit)
		st->kept = gaudi_mme_cache_find(&st->cache, &st->walk, st->lane,
						set_layout(x, st, st->limit));
	st->live = 0;
	if (st->kept) {
		st->whole = true;
		st->held = st->kept->held;
		st->live = st->kept->live;
		st->panel.p = st->kept->panel;
	} else {
		st->whole = own_whole(st);
		st->held = 0;
		st->panel.p = st->own;
		set_layout(x, st, own_vectors(st));
	}
}

static void fast_group(struct gaudi_mme_exec *x, struct gaudi_mme_input *st,
		       bool again)
{
	unsigned int lane = next_lane(x);
	bool same = again && st->whole && st->held && st->lane == lane;

	st->taken = 0;
	st->lane = lane;
	if (!same)
		choose_panel(x, st);
	if (st->held)
		skip_group(x, st);
}

/* --- packing ------------------------------------------------------------ */

/* Part of a row, n elements from e on; buf is there for it. NULL: padding. */
static const void *row_part(struct gaudi_mme_exec *x,
			    const struct gaudi_mme_input *st,
			    const struct gaudi_mme_row *row, uint64_t e,
			    unsigned int n, uint8_t *buf)
{
	const struct gaudi_mme_operand *op = st->walk.op;
	unsigned int size = gaudi_mme_size_in(&x->desc), i;
	uint64_t from = row->from > e ? row->from - e : 0, addr;
	uint64_t to = row->to > e ? row->to - e : 0;
	uint8_t *p;

	to = to < n ? to : n;
	if (from >= to)
		return NULL;
	addr = op->base + size * (row->offset + e);
	note(&x->read, addr + size * from, size * (to - from));
	if (!from && to == n) {
		p = gaudi_mme_map(&x->mem, st->port, addr, size * n);
		if (p)
			return p;
	}
	for (i = 0; i < n; i++)
		memcpy(buf + size * i, &op->padding, size);
	if (gaudi_mme_read(&x->mem, st->port, addr + size * from,
			   buf + size * from, size * (to - from)))
		x->error = GAUDI_MME_READ_ERROR;
	return buf;
}

/*
 * The rows of a run, n elements from e on, if they are wholly there and in the
 * card's memory; false: one by one.
 */
static bool run_parts(struct gaudi_mme_exec *x,
		      const struct gaudi_mme_input *st,
		      const struct gaudi_mme_row *row, uint64_t e,
		      unsigned int n, uint64_t run, const void **parts)
{
	const struct gaudi_mme_operand *op = st->walk.op;
	uint64_t size = gaudi_mme_size_in(&x->desc), i;
	uint64_t step = size * op->tensor.spatial_stride[1];
	uint64_t addr = op->base + size * (row->offset + e);
	uint64_t len = (run - 1) * step + size * n;
	const uint8_t *p;

	if (run < 2 || row->from > e || row->to < e + n)
		return false;
	p = gaudi_mme_map(&x->mem, st->port, addr, len);
	if (!p)
		return false;
	note(&x->read, addr, len);
	for (i = 0; i < run; i++)
		parts[i] = p + i * step;
	return true;
}

/*
 * Elements of the rows of the box, from e on, without those at their end that no row
 * has: in a panel what is beyond a row's end is zero, as padding mostly is.
 */
static unsigned int row_len(const struct gaudi_mme_input *st, uint64_t e,
			    unsigned int n)
{
	const struct gaudi_mme_operand *op = st->walk.op;
	int64_t left = (int64_t)(op->tensor.valid[0] - st->walk.roi[0] - e);

	if (op->padding || op->lower || (int64_t)st->walk.roi[0] < 0)
		return n;
	return left < 0 ? 0 : left < n ? left : n;
}

/*
 * Where the next rows are, of n elements from e on: at most max, which the cursor
 * goes over. How many.
 */
static uint64_t next_parts(struct gaudi_mme_exec *x, struct gaudi_mme_input *st,
			   uint64_t e, unsigned int n, uint64_t max,
			   const void **parts, uint8_t *buf)
{
	const struct gaudi_mme_walk *w = &st->walk;
	struct gaudi_mme_row row;
	uint64_t run;

	gaudi_mme_cursor_row(&st->cursor, w, &row);
	run = gaudi_mme_cursor_run(&st->cursor, w, max);
	if (!run_parts(x, st, &row, e, n, run, parts)) {
		run = 1;
		*parts = row_part(x, st, &row, e, n, buf);
	}
	gaudi_mme_cursor_skip(&st->cursor, w, run);
	return run;
}

/* Vectors of the panel have n elements, or rows in the scratch, of which the last may be none. */
static void note_live(const struct gaudi_mme_exec *x,
		      struct gaudi_mme_input *st, unsigned int n)
{
	const struct gaudi_mme_operand *op = st->walk.op;

	while (op->trans && n && !op->padding && !x->scratch->rows[n - 1])
		n--;
	st->live = n > st->live ? n : st->live;
}

/* n vectors of the box, from its position on, become numbers q.. of the panel. */
static void pack(struct gaudi_mme_exec *x, struct gaudi_mme_input *st,
		 uint64_t q, unsigned int n)
{
	const struct gaudi_mme_walk *w = &st->walk;
	struct gaudi_mme_scratch *t = x->scratch;
	bool trans = w->op->trans;
	unsigned int count = trans ? w->rows : n, r;
	unsigned int len = trans ? n : row_len(st, 0, w->width);
	uint64_t e = trans ? st->pos : 0;
	struct gaudi_mme_pack p = {
		.panel = st->panel,
		.q = q,
		.width = x->side,
		.bf16 = !x->desc.in_fp32,
		.pad = w->op->padding,
	};

	if (trans)
		gaudi_mme_cursor_begin(&st->cursor, w);
	if (!len)
		memset(t->rows, 0, count * sizeof(*t->rows));
	for (r = 0; r < count && len && !x->error;)
		r += next_parts(x, st, e, len, count - r, t->rows + r,
				t->row + (size_t)r * len * 4);
	if (x->error)
		return;
	note_live(x, st, trans ? count : len);
	if (is_fast(x) && trans)
		gaudi_mme_blas_pack_trans(&x->blas, &p, t->rows, count, n);
	else if (is_fast(x))
		gaudi_mme_blas_pack_rows(&x->blas, &p, t->rows, n, len);
	else if (trans)
		x->kernel->pack_trans(&p, t->rows, count, n);
	else
		x->kernel->pack_rows(&p, t->rows, n, len);
}

static uint64_t fill(struct gaudi_mme_exec *x, struct gaudi_mme_input *st,
		     uint64_t q, uint64_t max)
{
	uint64_t n, m;

	for (n = 0; n < max && !st->ended && !x->error; n += m) {
		m = st->len - st->pos;
		m = m < max - n ? m : max - n;
		m = m < PACK ? m : PACK;
		pack(x, st, q + n, m);
		gaudi_mme_input_skip(x, st, m);
	}
	return n;
}

static uint64_t fast_take(struct gaudi_mme_exec *x, struct gaudi_mme_input *st,
			  uint64_t max)
{
	uint64_t n;

	st->view = st->panel;
	if (!st->whole) {
		st->live = 0;
		return fill(x, st, next_lane(x), max);
	}
	if (!st->held) {
		st->held = fill(x, st, st->lane, st->limit);
		if (st->kept) {
			st->kept->held = st->held;
			st->kept->live = st->live;
		}
	}
	/* Blocks are even: they begin with a pair. */
	st->view.p += (st->lane + st->taken) / vectors_a_step(x) *
		      st->panel.step;
	n = st->held - st->taken;
	n = n < max ? n : max;
	st->taken += n;
	st->ended = st->taken == st->held;
	return n;
}

/* --- tiles -------------------------------------------------------------- */

static void transpose(float *tile, unsigned int side)
{
	unsigned int i, j;
	float t;

	for (i = 0; i < side; i++)
		for (j = 0; j < i; j++) {
			t = tile[i * side + j];
			tile[i * side + j] = tile[j * side + i];
			tile[j * side + i] = t;
		}
}

/*
 * Beyond the elements that a tensor has vectors are zero, so that these rows or columns of
 * the tile are all alike: the first of them is enough. How many that makes, as kernels want it.
 */
static unsigned int extent(const struct gaudi_mme_exec *x,
			   const struct gaudi_mme_input *st)
{
	unsigned int n = (st->live + 16) & ~15u;

	return n < x->side ? n : x->side;
}

/* m rows of n, a step apart, become high ones of wide beside each other, perhaps in their place. */
static void spread(float *to, const float *from, size_t step, unsigned int m,
		   unsigned int n, unsigned int high, unsigned int wide)
{
	unsigned int i, j;
	float *row;

	for (i = m; i--;) {
		row = to + i * wide;
		memmove(row, from + i * step, n * sizeof(*row));
		for (j = n; j < wide; j++)
			row[j] = row[n - 1];
	}
	for (i = m; i < high; i++)
		memcpy(to + i * wide, to + (m - 1) * wide, wide * sizeof(*to));
}

static void spread_sums(struct gaudi_mme_core *core, unsigned int m,
			unsigned int n)
{
	unsigned int lane;

	if (core->m == m && core->n == n)
		return;
	for (lane = GAUDI_MME_LANES; lane--;)
		spread(core->part + lane * m * n,
		       core->part + lane * core->m * core->n, core->n, core->m,
		       core->n, m, n);
	core->m = m;
	core->n = n;
}

void gaudi_mme_whole_sums(struct gaudi_mme_exec *x)
{
	unsigned int h;

	for (h = 0; h < GAUDI_MME_CORES; h++)
		if (x->steps && x->core[h].m)
			spread_sums(&x->core[h], x->side, x->side);
}

/* Rows are what is stored as rows; sums that are kept may be the other way. */
static void turn_sums(struct gaudi_mme_exec *x)
{
	bool swapped = x->desc.op[MME_OP_O].trans;
	unsigned int h, n;

	if (x->steps && x->part_swapped != swapped) {
		gaudi_mme_whole_sums(x);
		for (h = 0; h < GAUDI_MME_CORES; h++)
			for (n = 0; n < GAUDI_MME_LANES; n++)
				transpose(x->core[h].part +
					  n * x->side * x->side, x->side);
	}
	x->part_swapped = swapped;
}

/* For sums of m rows of n, beside those that are there. */
static void make_room(const struct gaudi_mme_exec *x,
		      struct gaudi_mme_core *core, unsigned int m,
		      unsigned int n)
{
	if (x->steps) {
		spread_sums(core, m > core->m ? m : core->m,
			    n > core->n ? n : core->n);
		return;
	}
	core->m = m;
	core->n = n;
}

static void exact_sum(struct gaudi_mme_exec *x, uint64_t n)
{
	bool swapped = x->desc.op[MME_OP_O].trans;
	struct gaudi_mme_gemm g = {
		.k = n,
		.first = x->steps % GAUDI_MME_LANES,
		.rounding = x->desc.rounding & 3,
		.fresh = !x->steps,
	};
	struct gaudi_mme_input *rows, *columns;
	struct gaudi_mme_core *core;
	unsigned int h;

	turn_sums(x);
	for (h = 0; h < GAUDI_MME_CORES; h++) {
		core = &x->core[h];
		rows = swapped ? &x->l[h] : &x->s;
		columns = swapped ? &x->s : &x->l[h];
		make_room(x, core, extent(x, rows), extent(x, columns));
		g.s = rows->view;
		g.l = columns->view;
		g.m = core->m;
		g.n = core->n;
		g.part = core->part;
		x->kernel->gemm(&g);
	}
}

/* Both cores have the same accumulator turned alike. */
static void turn_accumulator(struct gaudi_mme_exec *x)
{
	if (x->desc.accum && x->acc_swapped[x->acc] != x->part_swapped) {
		transpose(x->core[0].acc[x->acc], x->side);
		transpose(x->core[1].acc[x->acc], x->side);
	}
	x->acc_swapped[x->acc] = x->part_swapped;
}

static void exact_rollup(struct gaudi_mme_exec *x, struct gaudi_mme_core *core)
{
	float *acc = core->acc[x->acc];
	struct gaudi_mme_rollup r = {
		.part = core->part,
		.total = x->steps,
		.rounding = x->desc.rounding & 3,
		.add = x->desc.accum,
		.acc = acc,
		.acc_step = x->side,
	};

	turn_accumulator(x);
	if (r.add)
		spread_sums(core, x->side, x->side);
	r.m = core->m;
	r.n = core->n;
	x->kernel->rollup(&r);
	spread(acc, acc, x->side, r.m, r.n, x->side, x->side);
}

/*
 * One sum for each output: of a group that is there as a whole at once in the
 * accumulator, else in the place of the first lane's.
 */
static void fast_sum(struct gaudi_mme_exec *x, uint64_t n)
{
	bool swapped = x->desc.op[MME_OP_O].trans;
	struct gaudi_mme_sum g = {
		.s_step = x->side,
		.l_step = x->side,
		.m = x->side,
		.n = x->side,
		.k = n,
		.add = x->steps,
		.tile_step = x->side,
	};
	unsigned int h;

	turn_sums(x);
	x->rolled = !x->steps && x->s.ended && !x->desc.keep_partial;
	if (x->rolled) {
		turn_accumulator(x);
		g.add = x->desc.accum;
	}
	for (h = 0; h < GAUDI_MME_CORES; h++) {
		g.s = swapped ? x->l[h].view.p : x->s.view.p;
		g.l = swapped ? x->s.view.p : x->l[h].view.p;
		g.tile = x->rolled ? x->core[h].acc[x->acc] :
				     x->core[h].part;
		gaudi_mme_blas_sum(&x->blas, !x->desc.in_fp32, &g);
	}
}

static void fast_rollup(struct gaudi_mme_exec *x, struct gaudi_mme_core *core)
{
	unsigned int n = x->side * x->side, i;
	float *acc = core->acc[x->acc];

	if (x->rolled)
		return;
	turn_accumulator(x);
	if (!x->desc.accum)
		memcpy(acc, core->part, n * sizeof(*acc));
	else
		for (i = 0; i < n; i++)
			acc[i] += core->part[i];
}

/* Where the tile goes if all of it is one run in the card's memory, or NULL */
static void *whole_tile(struct gaudi_mme_exec *x, unsigned int h)
{
	const struct gaudi_mme_walk *w = &x->core[h].out;
	uint64_t size = gaudi_mme_size_out(&x->desc), addr, len;
	struct gaudi_mme_cursor c;
	struct gaudi_mme_row row;
	void *p;

	if (gaudi_mme_user(x, w))
		return NULL;
	gaudi_mme_cursor_begin(&c, w);
	gaudi_mme_cursor_row(&c, w, &row);
	if (row.from || row.to != w->width ||
	    gaudi_mme_cursor_run(&c, w, w->rows) != w->rows)
		return NULL;
	addr = w->op->base + size * row.offset;
	len = size * ((w->rows - 1) * w->op->tensor.spatial_stride[1] +
		      w->width);
	p = gaudi_mme_map(&x->mem, GAUDI_MME_WRITE_O + h, addr, len);
	if (p)
		note(&x->wrote, addr, len);
	return p;
}

static void store_rows(struct gaudi_mme_exec *x, unsigned int h)
{
	const struct gaudi_mme_walk *w = &x->core[h].out;
	unsigned int size = gaudi_mme_size_out(&x->desc);
	const uint8_t *from = x->scratch->out;
	struct gaudi_mme_cursor c;
	struct gaudi_mme_row row;
	uint64_t r, addr, len;

	gaudi_mme_cursor_begin(&c, w);
	for (r = 0; r < w->rows; r++) {
		gaudi_mme_cursor_row(&c, w, &row);
		if (row.from < row.to) {
			addr = w->op->base + size * (row.offset + row.from);
			len = size * (row.to - row.from);
			note(&x->wrote, addr, len);
			gaudi_mme_store_row(x, h, addr,
					    from + size * row.from, len);
		}
		gaudi_mme_cursor_next(&c, w);
		from += size * x->side;
	}
}

static void fast_store(struct gaudi_mme_exec *x, unsigned int h)
{
	struct gaudi_mme_core *core = &x->core[h];
	const struct gaudi_mme_walk *w = &core->out;
	unsigned int size = gaudi_mme_size_out(&x->desc);
	struct gaudi_mme_finish f = {
		.tile = core->acc[x->acc],
		.tile_step = x->side,
		.rows = w->rows,
		.cols = w->width,
		.out = whole_tile(x, h),
		.out_step = (size_t)size * w->op->tensor.spatial_stride[1],
		.bf16 = size == 2,
		.relu = x->desc.relu,
		.rounding = x->desc.rounding,
		.lfsr = &core->lfsr,
	};

	if (f.out) {
		x->kernel->finish(&f);
		return;
	}
	f.out = x->scratch->out;
	f.out_step = (size_t)size * x->side;
	x->kernel->finish(&f);
	store_rows(x, h);
}

const struct gaudi_mme_arith gaudi_mme_exact = {
	.block = BLOCK,
	.budget = BUDGET,
	.begin = fast_begin,
	.group = fast_group,
	.take = fast_take,
	.sum = exact_sum,
	.rollup = exact_rollup,
	.store = fast_store,
};

const struct gaudi_mme_arith gaudi_mme_fast = {
	.block = BLOCK,
	.budget = BUDGET,
	.begin = fast_begin,
	.group = fast_group,
	.take = fast_take,
	.sum = fast_sum,
	.rollup = fast_rollup,
	.store = fast_store,
};
