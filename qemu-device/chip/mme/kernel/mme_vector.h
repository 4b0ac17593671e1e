/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * The matrix engine's kernel for x86 processors with fused multiply-add,
 * included once for each kind of vector. To be defined before: what mme_block.h
 * names, and
 *
 *	TRANSPOSE(v)	transposes VEC vectors of VEC floats, in place
 *	NAME(x)		name of a function of this kernel
 *	KERNEL_NAME	the one to choose it by
 *
 * The processor flushes denormals as the engine does but for one thing: it
 * makes a zero even of what is to be rounded up to the smallest normal number.
 * It tells when it flushed; in the two modes for which it matters, blocks for
 * which it did are done again, one number at a time.
 */
#include "mme_block.h"

#define CSR_MASKED	0x1f80u		/* exceptions do not trap */
#define CSR_DAZ		0x0040u
#define CSR_FTZ		0x8000u
#define CSR_UNDERFLOW	0x0010u
#define CSR_ROUND	13

/* Rows that are asked for before they are packed */
#define AHEAD		8

#define SIGN		0x80000000u
#define INF		0x7f800000u
#define MIN_NORMAL	0x00800000u

/* MXCSR for the arithmetic of a mode */
static unsigned int control(unsigned int rounding, unsigned int flush)
{
	/* in the order of enum gaudi_mme_rounding */
	static const unsigned int rc[] = { 0, 3, 2, 1 };

	return CSR_MASKED | CSR_DAZ | flush | rc[rounding & 3] << CSR_ROUND;
}

static bool directed(unsigned int rounding)
{
	return (rounding & 3) == GAUDI_MME_UP ||
	       (rounding & 3) == GAUDI_MME_DOWN;
}

/* --- four sums -------------------------------------------------------- */

static void block_one_by_one(const struct block *b, unsigned int rows,
			     unsigned int cols)
{
	uint32_t sum, s, l;
	unsigned int i, j;
	float *part;
	size_t k;

	for (i = 0; i < rows; i++) {
		for (j = 0; j < cols; j++) {
			part = b->part + i * b->part_step + j;
			memcpy(&sum, part, 4);
			if (b->fresh)
				sum = 0;
			for (k = 0; k < b->k; k++) {
				memcpy(&s, b->s + k * b->s_step + i, 4);
				memcpy(&l, b->l + k * b->l_step + j, 4);
				sum = gaudi_mme_fma(s, l, sum, b->rounding);
			}
			memcpy(part, &sum, 4);
		}
	}
}

/* The block in a copy, which is only kept if nothing was flushed */
static void block_directed(const struct block *b, unsigned int rows,
			   unsigned int vecs)
{
	unsigned int i, width = vecs * VEC;
	float copy[ROWS * VECS * VEC];
	struct block c = *b;

	c.part = copy;
	c.part_step = width;
	for (i = 0; i < rows && !b->fresh; i++)
		memcpy(copy + i * width, b->part + i * b->part_step, width * 4);
	_mm_setcsr(control(b->rounding, CSR_FTZ));
	block_run(&c, rows, vecs);
	if (_mm_getcsr() & CSR_UNDERFLOW) {
		block_one_by_one(b, rows, width);
		return;
	}
	for (i = 0; i < rows; i++)
		memcpy(b->part + i * b->part_step, copy + i * width, width * 4);
}

/* All rows for some steps of one lane and the vectors of some columns */
static void column(struct block b, unsigned int m, unsigned int vecs)
{
	unsigned int most = ROWS * VECS / vecs, i, rows;

	for (i = 0; i < m; i += rows) {
		rows = m - i < most ? m - i : most;
		if (directed(b.rounding))
			block_directed(&b, rows, vecs);
		else
			block_run(&b, rows, vecs);
		b.s += rows;
		b.part += rows * b.part_step;
	}
}

/* Steps number `from` to `to` of a lane, counted within it */
static void lane_steps(const struct gaudi_mme_gemm *g, unsigned int lane,
		       unsigned int col, unsigned int vecs, size_t from,
		       size_t to, bool fresh)
{
	struct block b = {
		.s = g->s.p + lane * g->s.lane + from * g->s.step,
		.l = g->l.p + lane * g->l.lane + from * g->l.step + col,
		.s_step = g->s.step,
		.l_step = g->l.step,
		.k = to - from,
		.part = g->part + (size_t)lane * g->m * g->n + col,
		.part_step = g->n,
		.rounding = g->rounding,
		.fresh = fresh,
	};

	column(b, g->m, vecs);
}

/* The columns of `vecs` vectors, lane after lane */
static void columns(const struct gaudi_mme_gemm *g, unsigned int col,
		    unsigned int vecs)
{
	size_t end = g->first + g->k, from, row = 0, to;
	unsigned int lane;
	bool fresh;

	do {
		fresh = g->fresh && !row;
		for (lane = 0; lane < GAUDI_MME_LANES; lane++) {
			from = row ? row : lane < g->first;
			to = end > lane ? (end - lane + 3) / 4 : 0;
			to = to < row + CHUNK ? to : row + CHUNK;
			if (to < from)
				to = from;
			if (to > from || fresh)
				lane_steps(g, lane, col, vecs, from, to, fresh);
		}
		row += CHUNK;
	} while (row * 4 < end);
}

static NOINLINE void gemm_steps(const struct gaudi_mme_gemm *g)
{
	unsigned int col, vecs = VECS;

	for (col = 0; col < g->n; col += vecs * VEC) {
		while (g->n - col < vecs * VEC)
			vecs /= 2;
		columns(g, col, vecs);
	}
}

static void NAME(gemm)(const struct gaudi_mme_gemm *g)
{
	unsigned int csr = _mm_getcsr();

	_mm_setcsr(control(g->rounding, CSR_FTZ));
	gemm_steps(g);
	_mm_setcsr(csr);
}

static void NAME(sum)(const struct gaudi_mme_sum *g)
{
	unsigned int csr = _mm_getcsr();

	_mm_setcsr(control(GAUDI_MME_NEAREST, CSR_FTZ));
	sum_steps(g, g->k);
	_mm_setcsr(csr);
}

/* --- roll-up ---------------------------------------------------------- */

/*
 * The sum of two numbers. If it is a denormal it is exact, and the processor
 * flushes it, but towards zero whatever the mode: where that matters it keeps
 * the denormal and it is flushed here. `away`: the sign bit of those that
 * become the smallest normal number; 1 if the processor has flushed.
 */
static INLINE vec sum_of(vec a, vec b, uint32_t away)
{
	uvec v = (uvec)(a + b), sign = v & SIGN, tiny;

	if (away == 1)
		return (vec)v;
	tiny = (uvec)((v & ~SIGN) < MIN_NORMAL) & (uvec)((v & ~SIGN) != 0);
	sign |= (uvec)(sign == away) & MIN_NORMAL;
	return (vec)((tiny & sign) | (~tiny & v));
}

static INLINE vec one_nan(vec v)
{
	uvec nan = (uvec)(((uvec)v & ~SIGN) > INF);

	return (vec)((nan & GAUDI_MME_NAN) | (~nan & (uvec)v));
}

static INLINE void roll(const struct gaudi_mme_rollup *r, uint32_t away)
{
	size_t plane = (size_t)r->m * r->n, i;
	const float *p[GAUDI_MME_LANES], *acc_end;
	float *acc = r->acc;
	vec a, b;

	for (i = 0; i < GAUDI_MME_LANES; i++)
		p[i] = r->part + (r->total + i) % GAUDI_MME_LANES * plane;
	for (i = 0; i < plane; acc += r->acc_step - r->n) {
		for (acc_end = acc + r->n; acc < acc_end; acc += VEC) {
			a = sum_of(load(p[0] + i), load(p[1] + i), away);
			b = sum_of(load(p[2] + i), load(p[3] + i), away);
			i += VEC;
			a = sum_of(a, b, away);
			/* the engine adds +0: no -0 is left */
			a = (vec)((uvec)a & (uvec)((uvec)a != SIGN));
			if (r->add)
				a = sum_of(load(acc), a, away);
			store(acc, one_nan(a));
		}
	}
}

static NOINLINE void roll_flushed(const struct gaudi_mme_rollup *r)
{
	roll(r, 1);
}

static NOINLINE void roll_directed(const struct gaudi_mme_rollup *r)
{
	roll(r, (r->rounding & 3) == GAUDI_MME_UP ? 0 : SIGN);
}

static void NAME(rollup)(const struct gaudi_mme_rollup *r)
{
	unsigned int csr = _mm_getcsr();

	if (directed(r->rounding)) {
		_mm_setcsr(control(r->rounding, 0));
		roll_directed(r);
	} else {
		_mm_setcsr(control(r->rounding, CSR_FTZ));
		roll_flushed(r);
	}
	_mm_setcsr(csr);
}

/* --- to memory -------------------------------------------------------- */

static INLINE uvec relu(uvec v)
{
	return v & (uvec)((ivec)v > 0) & (uvec)((ivec)v <= (int32_t)INF);
}

/* In the upper halves; `random` counts if the mode is stochastic. */
static INLINE uvec to_bf16(uvec v, unsigned int rounding, uvec random)
{
	uvec nan = (uvec)((v & ~SIGN) > INF), low, high, more;

	v &= (uvec)((v & INF) != 0) | SIGN;
	low = v << 16;
	high = v >> 16;
	if (rounding & GAUDI_MME_STOCHASTIC)
		more = (uvec)(low >= random);
	else if (rounding == GAUDI_MME_NEAREST)
		more = (uvec)(low + (high & 1) > SIGN);
	else if (rounding == GAUDI_MME_UP)
		more = (uvec)((v & SIGN) == 0);
	else if (rounding == GAUDI_MME_DOWN)
		more = (uvec)((v & SIGN) != 0);
	else
		more = (uvec){ 0 };
	high -= more & (uvec)(low != 0);
	return (nan & GAUDI_MME_BF16_NAN) | (~nan & high);
}

/* The numbers of some columns; only `cols` of them count as drawn. */
static INLINE uvec draw(struct gaudi_mme_lfsr *lfsr, unsigned int col,
			unsigned int cols)
{
	uint32_t *state = lfsr->state + col % GAUDI_MME_LFSRS;
	uvec now, next;

	memcpy(&now, state, sizeof(now));
	next = now >> 1 ^ ((uvec)((now & 1) != 0) & lfsr->poly);
	memcpy(state, &next, cols * 4);
	return now;
}

static INLINE void finish_vector(const struct gaudi_mme_finish *f,
				 const float *from, uint8_t *to,
				 unsigned int col, unsigned int cols)
{
	uvec v = { 0 }, random = { 0 };
	hvec h;

	if (cols == VEC)
		memcpy(&v, from + col, sizeof(v));
	else
		memcpy(&v, from + col, cols * 4);
	if (f->relu)
		v = relu(v);
	if (!f->bf16) {
		if (cols == VEC)
			memcpy(to + col * 4, &v, sizeof(v));
		else
			memcpy(to + col * 4, &v, cols * 4);
		return;
	}
	if (f->rounding & GAUDI_MME_STOCHASTIC)
		random = draw(f->lfsr, col, cols);
	v = to_bf16(v, f->rounding, random);
	h = __builtin_convertvector(v, hvec);
	if (cols == VEC)
		memcpy(to + col * 2, &h, sizeof(h));
	else
		memcpy(to + col * 2, &h, cols * 2);
}

static TARGET void NAME(finish)(const struct gaudi_mme_finish *f)
{
	unsigned int i, col;
	const float *from;
	uint8_t *to;

	for (i = 0; i < f->rows; i++) {
		from = f->tile + i * f->tile_step;
		to = (uint8_t *)f->out + i * f->out_step;
		for (col = 0; col + VEC <= f->cols; col += VEC)
			finish_vector(f, from, to, col, VEC);
		if (col < f->cols)
			finish_vector(f, from, to, col, f->cols - col);
	}
}

/* --- packing ---------------------------------------------------------- */

static INLINE vec widened(const void *p)
{
	hvec h;

	memcpy(&h, p, sizeof(h));
	return (vec)(__builtin_convertvector(h, uvec) << 16);
}

static TARGET void NAME(pack_rows)(const struct gaudi_mme_pack *p,
				   const void *const *rows, size_t count,
				   unsigned int len)
{
	const vec pad = (vec)((uvec){} + gaudi_mme_element(p, NULL, 0));
	unsigned int elem = p->bf16 ? 2 : 4, j;
	uint32_t v;
	float *to;
	size_t i;

	for (i = 0; i < count; i++) {
		to = gaudi_mme_vector(&p->panel, p->q + i);
		/* They may be a page apart, which the processor does not foresee. */
		if (i + AHEAD < count && rows[i + AHEAD])
			for (j = 0; j < len * elem; j += 64)
				__builtin_prefetch((const uint8_t *)
						   rows[i + AHEAD] + j);
		j = 0;
		for (; rows[i] && j + VEC <= len; j += VEC)
			store(to + j, p->bf16 ?
			      widened((const uint8_t *)rows[i] + j * 2) :
			      load((const uint8_t *)rows[i] + j * 4));
		for (; !rows[i] && j + VEC <= len; j += VEC)
			store(to + j, pad);
		for (; j < len; j++) {
			v = gaudi_mme_element(p, rows[i], j);
			memcpy(to + j, &v, 4);
		}
		if (len < p->width)
			memset(to + len, 0, (p->width - len) * sizeof(float));
	}
}

/*
 * VEC rows and as many 32-bit words of each: an element, or a pair of bf16
 * ones, whose first is the lower half. `step` is 0 for a row that is padding.
 */
struct strip {
	const uint8_t *row[VEC];
	size_t step[VEC];
};

static INLINE void transpose_strip(struct strip *s, vec *v)
{
	unsigned int i;

#pragma GCC unroll 16
	for (i = 0; i < VEC; i++) {
		memcpy(&v[i], s->row[i], sizeof(vec));
		s->row[i] += s->step[i];
	}
	TRANSPOSE(v);
}

/* `vectors`, of at most VEC words, from vector q on at column `col` */
static INLINE void put_strip(const struct gaudi_mme_pack *p, const vec *v,
			     size_t q, unsigned int col, unsigned int vectors)
{
	unsigned int i;
	uvec w;

	for (i = 0; i < vectors; i++) {
		w = (uvec)v[p->bf16 ? i / 2 : i];
		if (p->bf16)
			w = i & 1 ? w & 0xffff0000 : w << 16;
		store(gaudi_mme_vector(&p->panel, q + i) + col, (vec)w);
	}
}

static void tail_strip(struct strip *s, uint8_t (*tail)[VEC * 4], size_t bytes)
{
	unsigned int i;

	for (i = 0; i < VEC; i++) {
		memset(tail[i], 0, VEC * 4);
		memcpy(tail[i], s->row[i], bytes);
		s->row[i] = tail[i];
	}
}

static TARGET void pack_strip(const struct gaudi_mme_pack *p, struct strip *s,
			      unsigned int col, size_t count)
{
	unsigned int elem = p->bf16 ? 2 : 4, most = VEC * 4 / elem;
	uint8_t tail[VEC][VEC * 4];
	vec v[VEC];
	size_t i;

	for (i = 0; i + most <= count; i += most) {
		transpose_strip(s, v);
		put_strip(p, v, p->q + i, col, most);
	}
	if (i < count) {
		tail_strip(s, tail, (count - i) * elem);
		transpose_strip(s, v);
		put_strip(p, v, p->q + i, col, count - i);
	}
}

static void NAME(pack_trans)(const struct gaudi_mme_pack *p,
			     const void *const *rows, unsigned int height,
			     size_t count)
{
	uint32_t pad[VEC], none[VEC] = { 0 };
	unsigned int col, i;
	struct strip s;

	for (i = 0; i < VEC; i++)
		pad[i] = p->bf16 ? (p->pad & 0xffff) * 0x10001 : p->pad;
	for (col = 0; col < p->width; col += VEC) {
		for (i = 0; i < VEC; i++) {
			s.step[i] = 0;
			if (col + i >= height) {
				s.row[i] = (uint8_t *)none;
			} else if (!rows[col + i]) {
				s.row[i] = (uint8_t *)pad;
			} else {
				s.row[i] = rows[col + i];
				s.step[i] = VEC * 4;
			}
		}
		pack_strip(p, &s, col, count);
	}
}

const struct gaudi_mme_kernel NAME(kernel) = {
	.name = KERNEL_NAME,
	.gemm = NAME(gemm),
	.sum = NAME(sum),
	.rollup = NAME(rollup),
	.finish = NAME(finish),
	.pack_rows = NAME(pack_rows),
	.pack_trans = NAME(pack_trans),
};
