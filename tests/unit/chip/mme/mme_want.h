/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What random shapes for the matrix engine have in common, whatever they
 * compute: numbers and types, a common dimension in parts, how the work is
 * spread over four engines, and what an output must be by the definition.
 */
#ifndef TEST_MME_WANT_H
#define TEST_MME_WANT_H

#include "mme_gen.h"

#define MME_MAX_PARTS	4u

void mme_seed(uint32_t seed);
uint32_t mme_any(uint32_t below);

static inline uint32_t mme_tiles(uint32_t v, uint32_t of)
{
	return (v + of - 1) / of;
}

/* --- numbers -------------------------------------------------------------- */

struct mme_how {
	bool fp32, out_fp32, relu;
	bool reduce;			/* add to what is in memory */
	unsigned int rounding;		/* 4: stochastic */
};

void mme_how_random(struct mme_how *h);
/* Side of the array. */
uint32_t mme_how_side(const struct mme_how *h);
/* Its bits of the header and, if it reduces, the user bits. */
void mme_how_put(struct mme_desc *d, const struct mme_how *h);

void mme_numbers(uint8_t *at, uint64_t count, bool fp32);
/* What element i of an output was before. */
float mme_before(uint64_t i);

/* --- parts of the common dimension ---------------------------------------- */

/* Each is a descriptor of its own; the last one stores. */
struct mme_parts {
	unsigned int num;
	uint32_t from[MME_MAX_PARTS + 1];
	bool keep[MME_MAX_PARTS];	/* goes on in the array, not added up */
	uint32_t tiles;			/* of each descriptor */
};

/* `total` steps for so many tiles; parts of it if `may` */
void mme_parts_random(struct mme_parts *p, uint32_t total, uint32_t tiles,
		      bool may);
/* What the header of part i says of it. */
uint32_t mme_parts_header(const struct mme_parts *p, unsigned int i);
/* How many messages all parts send: of each tile, or of each descriptor. */
uint32_t mme_parts_signals(const struct mme_parts *p, bool each_tile);

/* --- spread over the engines ---------------------------------------------- */

/*
 * One operand's tiles go side by side, the other one's are the rows below each
 * other. Columns by all four cores; by two, and rows by pairs; rows by all four,
 * which swaps S and L. Or pairs have nothing in common, and their cores share
 * columns, or rows.
 */
enum mme_geometry { MME_W4, MME_W2H2, MME_H4, MME_2XW, MME_2XH };

struct mme_spread {
	unsigned int row_op, col_op;	/* S or L */
	uint32_t ports;			/* that share rows */
	uint32_t cols;			/* of all that share columns */
	enum mme_geometry geometry;
	uint32_t side;
};

void mme_spread(struct mme_spread *s, enum mme_geometry g, uint32_t side);
uint32_t mme_spread_port(const struct mme_spread *s, unsigned int pair,
			 unsigned int core);
/* First column of a core. */
uint32_t mme_spread_col(const struct mme_spread *s, unsigned int pair,
			unsigned int core);
/* AGU of an operand in a core. */
unsigned int mme_agu(unsigned int op, unsigned int core);
/*
 * Masks that make the last of `tiles` tiles as narrow as `all` columns end, for
 * the core in which they do; by that loop.
 */
void mme_spread_masks(struct mme_desc *d, const struct mme_spread *s,
		      uint32_t all, unsigned int loop, unsigned int pair);
/* Do these masks alone say where it ends? Each core has a share of the end. */
bool mme_spread_ends(const struct mme_spread *s, uint32_t all);

/*
 * An operand that the fastest loops do not move is loaded just once for all
 * of their iterations. Sizes of all loops, and those that move it.
 */
void mme_repeat_fastest(struct mme_desc *d, unsigned int op,
			const uint32_t *size, unsigned int moved);

/* --- outputs -------------------------------------------------------------- */

/* One output, term after term, in the engine's order and rounding mode. */
struct mme_output {
	const struct mme_how *how;
	struct mme_sum part;
	float sum;
	bool more;			/* than one part, in sum */
};

void mme_output_begin(struct mme_output *o, const struct mme_how *h);
void mme_output_add(struct mme_output *o, float a, float b);
/* Part i is over. */
void mme_output_part(struct mme_output *o, const struct mme_parts *p,
		     unsigned int i);
/* As fp32, before it is converted. */
float mme_output_end(struct mme_output *o);
/* v as it is stored; not stochastic */
float mme_output_stored(const struct mme_how *h, float v);
/* a + b in memory, of the output's type */
float mme_output_reduced(const struct mme_how *h, float a, float b);
/* Is `is` what `should` becomes where `was` was? */
bool mme_output_is(const struct mme_how *h, float is, float should, float was);

/* --- a run ---------------------------------------------------------------- */

/* The descriptor of one part for a pair, of whatever the shape is. */
typedef void mme_make(struct mme_desc *d, const void *shape, unsigned int pair,
		      unsigned int part);
/* Starts all parts in both pairs, waits, and checks errors and messages. */
void mme_run_parts(struct card *card, mme_make *make, const void *shape,
		   const struct mme_parts *p, bool each_tile);

#endif /* TEST_MME_WANT_H */
