/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Products of panels on x86: blocks of outputs held in registers. Included once
 * for each kind of vector. To be defined before:
 *
 *	VEC		32-bit words in a vector, 8 or 16
 *	TARGET		attribute of functions that use the instructions
 *	FMA(a, b, c)	a * b + c of vectors
 *	SET1(p)		a vector of copies of the word at p
 *	ROWS, VECS	size of a block: 4 and 4, or an even number and 16 / VEC
 */
#include <immintrin.h>

#include "mme_impl.h"

/* Steps that are done at a time: their vectors stay in the L1 cache. */
#define CHUNK		128u

typedef float vec __attribute__((vector_size(VEC * 4)));
typedef uint32_t uvec __attribute__((vector_size(VEC * 4)));
typedef int32_t ivec __attribute__((vector_size(VEC * 4)));
typedef uint16_t hvec __attribute__((vector_size(VEC * 2)));

#define INLINE		TARGET inline __attribute__((always_inline))
#define NOINLINE	TARGET __attribute__((noinline))

/* From anywhere: rows of memory begin at any byte. */
static INLINE vec load(const void *p)
{
	vec v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static INLINE void store(float *p, vec v)
{
	memcpy(p, &v, sizeof(v));
}

/* --- multiply and add ------------------------------------------------- */

/* Some steps of one lane for some rows and columns */
struct block {
	const float *s;
	const float *l;
	size_t s_step;
	size_t l_step;
	size_t k;
	float *part;
	size_t part_step;
	unsigned int rounding;
	bool fresh;
};

static INLINE void block_steps(const struct block *b, const unsigned int rows,
			       const unsigned int vecs)
{
	const float *s = b->s, *l = b->l;
	vec sum[ROWS * VECS], right[VECS], left, zero = { 0 };
	unsigned int i, j;
	size_t k;

#pragma GCC unroll 16
	for (i = 0; i < rows; i++)
#pragma GCC unroll 16
		for (j = 0; j < vecs; j++)
			sum[i * vecs + j] = b->fresh ? zero :
				load(b->part + i * b->part_step + j * VEC);
	for (k = 0; k < b->k; k++) {
#pragma GCC unroll 16
		for (j = 0; j < vecs; j++)
			right[j] = load(l + j * VEC);
#pragma GCC unroll 16
		for (i = 0; i < rows; i++) {
			left = SET1(s + i);
#pragma GCC unroll 16
			for (j = 0; j < vecs; j++)
				sum[i * vecs + j] = FMA(left, right[j],
							sum[i * vecs + j]);
		}
		s += b->s_step;
		l += b->l_step;
	}
#pragma GCC unroll 16
	for (i = 0; i < rows; i++)
#pragma GCC unroll 16
		for (j = 0; j < vecs; j++)
			store(b->part + i * b->part_step + j * VEC,
			      sum[i * vecs + j]);
}

/* Not inlined: what the compiler moves must not pass a change of MXCSR. */
static NOINLINE void block_full(const struct block *b)
{
	block_steps(b, ROWS, VECS);
}

#if VECS == 4
static NOINLINE void block_half(const struct block *b)
{
	block_steps(b, 2 * ROWS, 2);
}

static NOINLINE void block_quarter(const struct block *b)
{
	block_steps(b, 4 * ROWS, 1);
}
#endif

#if VECS != 4
static NOINLINE void block_rows(const struct block *b, unsigned int rows)
{
	struct block pair = *b;

	for (; rows; rows -= 2) {
		block_steps(&pair, 2, VECS);
		pair.s += 2;
		pair.part += 2 * pair.part_step;
	}
}
#endif

static void block_run(const struct block *b, unsigned int rows,
		      unsigned int vecs)
{
	(void)rows;
	(void)vecs;
#if VECS == 4
	if (vecs == 2)
		block_half(b);
	else if (vecs == 1)
		block_quarter(b);
	else
		block_full(b);
#else
	if (rows < ROWS)
		block_rows(b, rows);
	else
		block_full(b);
#endif
}

/* The steps of a sum that is not split, for the columns of `vecs` vectors */
static void sum_columns(const struct gaudi_mme_sum *g, unsigned int col,
			unsigned int vecs, size_t steps)
{
	unsigned int most = ROWS * VECS / vecs, i, rows;
	size_t from = 0;

	do {
		struct block b = {
			.s = (const float *)g->s + from * g->s_step,
			.l = (const float *)g->l + from * g->l_step + col,
			.s_step = g->s_step,
			.l_step = g->l_step,
			.k = steps - from < CHUNK ? steps - from : CHUNK,
			.part = g->tile + col,
			.part_step = g->tile_step,
			.fresh = !g->add && !from,
		};

		for (i = 0; i < g->m; i += rows) {
			rows = g->m - i < most ? g->m - i : most;
			block_run(&b, rows, vecs);
			b.s += rows;
			b.part += rows * b.part_step;
		}
		from += CHUNK;
	} while (from < steps);
}

static NOINLINE void sum_steps(const struct gaudi_mme_sum *g, size_t steps)
{
	unsigned int col, vecs = VECS;

	for (col = 0; col < g->n; col += vecs * VEC) {
		while (g->n - col < vecs * VEC)
			vecs /= 2;
		sum_columns(g, col, vecs, steps);
	}
}
