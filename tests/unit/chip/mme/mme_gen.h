/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Descriptors of the matrix engine for tests: made as a compiler for the
 * hardware makes them, with offsets written by hand from the facts.
 */
#ifndef TEST_MME_GEN_H
#define TEST_MME_GEN_H

#include "../card.h"

#define MME(n)		(0x60000u + (n) * 0x80000u)
#define MME_ACC(n)	(0x20000u + (n) * 0x80000u)
#define MME_SBAB(n)	(0x40000u + (n) * 0x80000u)
#define MME_CMD		0x280
#define MME_CAUSE	0x298
#define MME_IDLE_STATUS	0xc1141980u

enum { S, L, O };
/* AGU of an operand: S, L local, L remote, O local, O remote */
enum { AGU_S, AGU_L, AGU_L_REMOTE, AGU_O, AGU_O_REMOTE };

/* Bits of HEADER_LOW. */
#define TRANS(op)	(1u << (op))
#define ADVANCE(op)	(8u << (op))
#define LOWER_S		(1u << 7)
#define LOWER_L		(1u << 6)
#define ACCUM_MASK(m)	((m) << 8)
#define KEEP_PARTIAL	(1u << 12)
#define ROUNDING(r)	((r) << 13)
#define IN_FP32		(1u << 16)
#define OUT_FP32	(1u << 17)
#define ACCUM		(1u << 18)
#define STORE		(1u << 19)
#define ROLL(n)		((n) << 20)
#define SIGNAL_MASK(m)	((m) << 24)
#define SIGNAL		(1u << 30)
#define RELU		(1u << 31)

struct mme_desc {
	uint32_t word[136];	/* from offset 8 on */
};

static inline uint32_t *mme_at(struct mme_desc *d, uint32_t off)
{
	return &d->word[(off - 8) / 4];
}

/* Nothing moves, all sizes are 1, both operands are loaded once. */
void mme_init(struct mme_desc *d, uint32_t header);
void mme_base(struct mme_desc *d, unsigned int op, uint64_t addr);
/* Dimension d of an operand: all in elements, with the tensor's stride. */
void mme_dim(struct mme_desc *d, unsigned int op, unsigned int dim,
	     uint32_t valid, uint32_t roi, int32_t loop, uint32_t spatial);
void mme_rows(struct mme_desc *d, unsigned int op, uint32_t rows);
/* Of one AGU. */
void mme_offset(struct mme_desc *d, unsigned int agu, unsigned int dim,
		int32_t roi_base, uint32_t start);
/* Loop 0..5 and what dimensions it moves. */
void mme_loop(struct mme_desc *d, unsigned int loop, uint32_t size,
	      unsigned int s, unsigned int l, unsigned int o);
void mme_repeat(struct mme_desc *d, unsigned int op, unsigned int times,
		unsigned int mask);
void mme_partial(struct mme_desc *d, unsigned int agu, unsigned int mask);
/* Adds 1 to SOBs n (local) and n + 1 (remote) of manager E_N. */
void mme_signal(struct mme_desc *d, unsigned int mask, unsigned int n);

/* A product of matrices of bf16 by one pair, in fp32: C = A B, m x n, of k steps. */
struct mme_product {
	uint64_t a, b, c;		/* addresses */
	unsigned int m, n, k;
};

/* Only the first @steps of them; signals SOBs @sob and @sob + 1. */
void mme_product_desc(struct mme_desc *d, const struct mme_product *p,
		      uint32_t header, uint32_t steps, unsigned int sob);
/* Numbers into A and B; no result in C. */
void mme_product_inputs(struct card *card, const struct mme_product *p,
			uint32_t seed);

/* Writes it to the registers of master 0 or 2, and starts it. */
void mme_start(struct card *card, unsigned int master, struct mme_desc *d);
/* The same, until all is done. */
void mme_run(struct card *card, unsigned int master, struct mme_desc *d);

/* --- numbers ------------------------------------------------------------- */

/* One element of memory, fp32 or bf16. */
float mme_get(const uint8_t *mem, uint64_t index, bool fp32);
void mme_put(uint8_t *mem, uint64_t index, bool fp32, float v);
/* Small numbers with few bits, and some that round. */
float mme_number(uint32_t *seed);

/* Sums as the engine adds them up, by the host's own arithmetic. */
struct mme_sum {
	float lane[4];
	uint32_t n;
};

void mme_add(struct mme_sum *s, float a, float b);
float mme_result(const struct mme_sum *s, bool relu, bool fp32);

#endif /* TEST_MME_GEN_H */
