/* SPDX-License-Identifier: MIT */
/*
 * Descriptors of the matrix engine: made from shapes (mme_gemm.c, mme_conv.c),
 * checked, and explained. Nothing here knows tensors or packets: operands are
 * places in three buffers, counted in elements. The room has no state and no locks.
 */
#ifndef GAUDI_RUNTIME_MME_DESC_H
#define GAUDI_RUNTIME_MME_DESC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "hw/regs/gaudi_mme_regs.h"

#define MME_NUM_OPS	3	/* MME_OP_S, L, O */
/* Two pairs of engines, each with a queue. */
#define MME_NUM_PAIRS	2
/* Vectors of the common dimension that an engine holds to use again. */
#define MME_HELD	512u
#define MME_MAX_REPEAT	240u
#define MME_ACCUMULATORS 16u
#define MME_CONV_LOOP	256u	/* the most steps of a loop but tetris */
/* Sizes and offsets of a descriptor are less than this. */
#define MME_MAX_ELEMENTS (1ull << 31)
/* Steps of the common dimension in one descriptor: no more is work, not play */
#define MME_MAX_STEPS	(1ull << 40)

/* Where the three come from: matmul's and convolution's names for them. */
enum mme_role { MME_ROLE_A, MME_ROLE_B, MME_ROLE_C };

struct mme_desc {
	/* As from MME_CTRL_ARCH on; base addresses are 0. */
	uint32_t words[MME_DESC_WORDS];
	/* Of each operand: whose it is, and elements before it. */
	enum mme_role role[MME_NUM_OPS];
	uint64_t first[MME_NUM_OPS];
	bool stores;		/* else O stands for nothing */
};

/* Descriptors for one pair, in order. */
struct mme_list {
	struct mme_desc *list;
	size_t num, room;
	uint64_t cost;		/* steps of the common dimension */
};

/* --- making (mme_desc.c) ----------------------------------------------- */

static inline void mme_put(struct mme_desc *d, uint32_t reg, uint32_t value)
{
	d->words[(reg - MME_CTRL_ARCH) / 4] = value;
}

static inline uint32_t mme_get(const uint32_t *words, uint32_t reg)
{
	return words[(reg - MME_CTRL_ARCH) / 4];
}

/* A dimension of an operand, in elements of memory. */
struct mme_dim {
	uint64_t size;		/* 0: nothing is there */
	uint64_t stride;
	uint64_t step;		/* strides from row to row; 0: rows stay */
	uint64_t count;		/* rows until the next dimension steps */
	int64_t begin;		/* strides before the first row; local */
	uint64_t start;		/* the row to start with; not of dimension 0 */
	int64_t remote;		/* the remote core's rows begin so much later */
	int64_t move;		/* strides by the loop that moves it */
};

struct mme_operand {
	enum mme_role role;
	uint64_t first;
	bool trans;
	bool advance;
	uint64_t width;		/* of dim 0, if trans: of the common dimension */
	uint64_t rows;		/* spatial size */
	struct mme_dim dim[MME_NUM_DIMS];
	uint8_t loop_dim[MME_NUM_LOOPS];	/* MME_DIM_NONE */
	uint32_t repeat;	/* 0 is 1 */
	uint32_t skip;		/* loops */
};

struct mme_work {
	struct mme_operand op[MME_NUM_OPS];
	uint64_t loops[MME_NUM_LOOPS];	/* 0 is 1 */
	uint32_t accum_mask;
	bool in_fp32, out_fp32;
	bool swapped;		/* O's rows are of L */
	bool relu, reduce;
	bool accum;		/* into the accumulators */
	bool keep;		/* there; do not store */
	uint32_t tiles;		/* of one that keeps */
};

void mme_operand_init(struct mme_operand *op, enum mme_role role);
static inline uint32_t mme_side(bool fp32)
{
	return fp32 ? MME_SIDE_FP32 : MME_SIDE_BF16;
}

/* -EOVERFLOW: a number that a descriptor has no room for; -ENOMEM. */
int mme_add(struct mme_list *list, const struct mme_work *work);
/* A convolution's work, in as many as let the engine use operands again. */
int mme_add_conv(struct mme_list *list, const struct mme_work *work);
void mme_list_free(struct mme_list *list);

/* --- matrices (mme_gemm.c) ---------------------------------------------- */

#define MME_MAX_BATCH	3

/* C[m][n] = sum of A[m][k] * B[k][n]; strides in elements. */
struct mme_gemm {
	uint64_t m, n, k;
	uint64_t a_m, a_k;	/* strides; one of them is 1 */
	uint64_t b_k, b_n;	/* the same */
	uint64_t c_m;		/* C's n is next to each other */
	struct {
		uint64_t size, a, b, c;
	} batch[MME_MAX_BATCH];	/* size 0 is 1; stride 0: the same again */
	uint64_t a, b, c;	/* first elements */
	bool in_fp32, out_fp32, relu, reduce;
};

/* lists[p] is for pair p, and may be empty. */
int mme_gemm(const struct mme_gemm *gemm, struct mme_list *lists);

/* --- convolution (mme_conv.c) ------------------------------------------- */

enum mme_conv_kind { MME_CONV_FORWARD, MME_CONV_DATA, MME_CONV_WEIGHTS };

/*
 * x[n][h][w][c], w[r][s][c][k], y[n][p][q][k]; the last ones' stride is 1. In
 * groups, c and k are those of one; x, y and w have them side by side.
 */
struct mme_conv {
	enum mme_conv_kind kind;
	uint64_t groups;	/* 0 is 1 */
	uint64_t n, h, w, c, k, r, s, p, q;
	uint64_t x_n, x_h, x_w;	/* strides, elements */
	uint64_t w_r, w_s, w_c;
	uint64_t y_n, y_p, y_q;
	uint64_t stride[2], pad[2], dilation[2];	/* down, right */
	bool in_fp32, out_fp32, relu, reduce;
};

/* Roles: what it reads first (x; dy; x), then (w; w; dy), what it writes. */
int mme_conv(const struct mme_conv *conv, struct mme_list *lists);

/* --- what is in a descriptor (mme_check.c) ------------------------------- */

/*
 * Of an operand, how many elements from its base on may be touched: 0 if none.
 * However the descriptor walks, what is outside of all dimensions' sizes is not
 * touched, and the rest is at most so far away.
 */
uint64_t mme_reach(const uint32_t *words, unsigned int op);
/*
 * Steps of the common dimension, which are what a descriptor costs: in each, both
 * engines of the pair multiply a whole tile, whatever is in it. UINT64_MAX:
 * more than that.
 */
uint64_t mme_steps(const uint32_t *words);
static inline bool mme_stores(const uint32_t *words)
{
	return mme_get(words, MME_CTRL_ARCH_HEADER_LOW) & MME_HEADER_STORE_EN;
}

/* Bytes of an element of an operand. */
static inline uint32_t mme_element(const uint32_t *words, unsigned int op)
{
	uint32_t low = mme_get(words, MME_CTRL_ARCH_HEADER_LOW);

	return low & (op == MME_OP_O ? MME_HEADER_TYPE_OUT_FP32 :
		      MME_HEADER_TYPE_IN_FP32) ? 4 : 2;
}

/* NULL, or what a program's descriptor must not have. */
const char *mme_check(const uint32_t *words);
/* Fields by name, lines that begin with @indent. */
void mme_print(FILE *f, const uint32_t *words, const char *indent);

#endif /* GAUDI_RUNTIME_MME_DESC_H */
