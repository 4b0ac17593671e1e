/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Arithmetic of the matrix engine: what one accumulation group of a descriptor
 * adds up to, on panels that the caller packed. Nothing here knows descriptors,
 * memory or the card, and nothing locks: what is written is the caller's.
 *
 * Every kernel gives the same bits as gaudi_mme_fma() and gaudi_mme_add()
 * called one element after the other; "portable" runs anywhere, the others
 * where the processor has the instructions.
 */
#ifndef GAUDI_MME_KERNEL_H
#define GAUDI_MME_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GAUDI_MME_LANES		4u	/* partial sums of one output */
#define GAUDI_MME_LFSRS		32u
#define GAUDI_MME_NAN		0x7fffffffu
#define GAUDI_MME_BF16_NAN	0x7fffu

/* roundingMode[1:0]; bit 2 makes the conversion to bf16 a stochastic one. */
enum gaudi_mme_rounding {
	GAUDI_MME_NEAREST,
	GAUDI_MME_TO_ZERO,
	GAUDI_MME_UP,
	GAUDI_MME_DOWN,
	GAUDI_MME_STOCHASTIC = 4,
};

/*
 * Vectors of one operand in the order in which the engine consumes them. Step
 * number i of a group that begins in lane `first` (0..3) has q = first + i; its
 * elements are the floats from p + (q % 4) * lane + q / 4 * step on.
 *
 * Fast: every lane a piece of its own, step = width, lane = width * steps of a
 * lane. Vectors that just follow each other: lane = width, step = 4 * width.
 */
struct gaudi_mme_panel {
	float *p;
	size_t step;
	size_t lane;
};

/*
 * part[lane][i][j] = fma(s[i], l[j], part[lane][i][j]) for every step.
 * A NaN in a partial sum may have any payload.
 */
struct gaudi_mme_gemm {
	struct gaudi_mme_panel s;	/* m floats a step */
	struct gaudi_mme_panel l;	/* n floats a step */
	unsigned int m;			/* rows, a multiple of 16 */
	unsigned int n;			/* columns, a multiple of 16 */
	size_t k;			/* steps */
	unsigned int first;		/* lane of the first step, 0..3 */
	unsigned int rounding;		/* only bits 1:0 count */
	bool fresh;			/* part is not read: zeros instead */
	float *part;			/* 4 * m * n, aligned to 64 bytes */
};

/*
 * What the engine does not do: tile[i][j] (+)= the sum of all steps, one after
 * the other, rounded to nearest. The vectors of step i are at i * step.
 */
struct gaudi_mme_sum {
	const void *s;			/* m floats, or pairs, a step */
	const void *l;			/* n floats, or pairs, a step */
	size_t s_step;			/* 32-bit words from step to step */
	size_t l_step;
	unsigned int m;			/* multiples of 16 */
	unsigned int n;
	size_t k;			/* vectors */
	bool add;			/* to the tile, instead of replacing it */
	float *tile;
	size_t tile_step;
};

/* acc (+)= (p[t] + p[t+1]) + (p[t+2] + p[t+3]), lanes modulo 4 */
struct gaudi_mme_rollup {
	const float *part;		/* 4 * m * n, aligned to 64 bytes */
	unsigned int m;
	unsigned int n;
	size_t total;			/* t: steps of the whole group */
	unsigned int rounding;
	bool add;			/* add to acc instead of replacing it */
	float *acc;			/* m * n, aligned to 64 bytes */
	size_t acc_step;		/* floats from row to row, >= n */
};

/* The random numbers of one core's stochastic rounding; one for each column. */
struct gaudi_mme_lfsr {
	uint32_t state[GAUDI_MME_LFSRS];
	uint32_t poly;
};

/* Rows of a rolled-up tile as they go to memory. */
struct gaudi_mme_finish {
	const float *tile;
	size_t tile_step;		/* floats from row to row */
	unsigned int rows;
	unsigned int cols;		/* any */
	void *out;
	size_t out_step;		/* bytes from row to row */
	bool bf16;
	bool relu;
	unsigned int rounding;		/* with GAUDI_MME_STOCHASTIC */
	struct gaudi_mme_lfsr *lfsr;	/* may be NULL if not stochastic */
};

/*
 * How an operand gets into its panel. Elements are fp32 or bf16 in memory (any
 * alignment), fp32 in the panel; what a vector has beyond its elements, up to
 * width, becomes zero. A row that is NULL is padding: all elements are `pad`,
 * for bf16 its low half.
 */
struct gaudi_mme_pack {
	struct gaudi_mme_panel panel;
	size_t q;			/* of the first vector, see above */
	unsigned int width;		/* floats a vector, a multiple of 16 */
	bool bf16;
	uint32_t pad;
};

struct gaudi_mme_kernel {
	const char *name;
	void (*gemm)(const struct gaudi_mme_gemm *g);
	void (*sum)(const struct gaudi_mme_sum *g);
	void (*rollup)(const struct gaudi_mme_rollup *r);
	void (*finish)(const struct gaudi_mme_finish *f);
	/* Vector i is the `len` elements at rows[i]. */
	void (*pack_rows)(const struct gaudi_mme_pack *p,
			  const void *const *rows, size_t count,
			  unsigned int len);
	/* Vector i is element i of each of the `height` rows. */
	void (*pack_trans)(const struct gaudi_mme_pack *p,
			   const void *const *rows, unsigned int height,
			   size_t count);
};

/*
 * "avx512", "avx2" or "portable"; NULL is the best this processor can run. NULL
 * comes back for a name that does not exist or cannot run here.
 */
const struct gaudi_mme_kernel *gaudi_mme_kernel(const char *name);

/* The arithmetic itself, on the bits of fp32 numbers. */
uint32_t gaudi_mme_fma(uint32_t a, uint32_t b, uint32_t c,
		       unsigned int rounding);
uint32_t gaudi_mme_add(uint32_t a, uint32_t b, unsigned int rounding);
uint32_t gaudi_mme_relu(uint32_t v);
/* `random` only counts if rounding has GAUDI_MME_STOCHASTIC. */
uint16_t gaudi_mme_to_bf16(uint32_t v, unsigned int rounding, uint32_t random);
/* The number of LFSR i as it is, and one step further. */
uint32_t gaudi_mme_random(struct gaudi_mme_lfsr *lfsr, unsigned int i);
/* State after power-on: the same each time. */
void gaudi_mme_lfsr_init(struct gaudi_mme_lfsr *lfsr);

#endif
