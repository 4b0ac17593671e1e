// SPDX-License-Identifier: MIT
/* Descriptors of the matrix engine, from loops and dimensions to words. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/array.h"
#include "../base/base.h"
#include "gaudi.h"
#include "mme_desc.h"

#define MAX_DESCRIPTORS		16384u
/* What software is told to write there. */
#define RATE_LIMITER		0x00020404u
#define RL_SATURATION		0x00010000u
/* Reduction of writes, as user bits: add; type 7 is fp32, 6 bf16. */
#define REDUCE_EN		1u
#define REDUCE_TYPE(fp32)	((fp32) ? 7u << 1 : 6u << 1)

static const uint32_t tensor_at[MME_NUM_OPS] = {
	MME_CTRL_ARCH_TENSOR_S, MME_CTRL_ARCH_TENSOR_L, MME_CTRL_ARCH_TENSOR_O,
};
static const uint32_t agu_at[MME_NUM_OPS][2] = {
	{ MME_CTRL_ARCH_AGU_S },
	{ MME_CTRL_ARCH_AGU_L_LOCAL, MME_CTRL_ARCH_AGU_L_REMOTE },
	{ MME_CTRL_ARCH_AGU_O_LOCAL, MME_CTRL_ARCH_AGU_O_REMOTE },
};

void mme_operand_init(struct mme_operand *op, enum mme_role role)
{
	unsigned int i;

	memset(op, 0, sizeof(*op));
	op->role = role;
	memset(op->loop_dim, MME_DIM_NONE, sizeof(op->loop_dim));
	for (i = 0; i < MME_NUM_DIMS; i++)
		op->dim[i] = (struct mme_dim) { .size = 1, .stride = 1,
						.step = 1, .count = 1 };
}

void mme_list_free(struct mme_list *list)
{
	free(list->list);
	memset(list, 0, sizeof(*list));
}

static bool fits(uint64_t size, uint64_t stride, uint64_t *product)
{
	return !__builtin_mul_overflow(size, stride, product) &&
	       *product < MME_MAX_ELEMENTS;
}

static bool fits_signed(int64_t size, uint64_t stride, uint32_t *product)
{
	uint64_t n = 0;

	if (!fits(size < 0 ? 0 - (uint64_t)size : (uint64_t)size, stride, &n))
		return false;
	*product = (uint32_t)(size < 0 ? 0 - n : n);

	return true;
}

static void put_rows(struct mme_desc *desc, unsigned int op, unsigned int i,
		     uint32_t step, uint32_t start)
{
	mme_put(desc, tensor_at[op] + MME_TENSOR_SPATIAL_STRIDE(i), step);
	mme_put(desc, agu_at[op][0] + MME_AGU_START_OFFSET(i), start);
	if (op != MME_OP_S)
		mme_put(desc, agu_at[op][1] + MME_AGU_START_OFFSET(i), start);
}

/* One dimension; false: too large. */
static bool put_dim(struct mme_desc *desc, unsigned int op, unsigned int i,
		    const struct mme_dim *d)
{
	uint32_t t = tensor_at[op], move, begin, remote;
	uint64_t valid = 0, step, roi, start;

	if ((d->size && !fits(d->size - 1, d->stride, &valid)) ||
	    !fits(d->step, d->stride, &step) ||
	    !fits(step, d->count, &roi) || !fits(step, d->start, &start) ||
	    !fits_signed(d->move, d->stride, &move) ||
	    !fits_signed(d->begin, d->stride, &begin) ||
	    !fits_signed(d->begin + d->remote, d->stride, &remote))
		return false;
	/* The same row again and again does not lead into the next dimension. */
	if (!roi)
		roi = MME_MAX_ELEMENTS - 1;
	mme_put(desc, t + MME_TENSOR_VALID_ELEMENTS(i),
		d->size ? (uint32_t)valid + 1 : 0);
	mme_put(desc, t + MME_TENSOR_LOOP_STRIDE(i), move);
	if (i && i < MME_NUM_DIMS - 1)
		mme_put(desc, t + MME_TENSOR_ROI_SIZE(i), (uint32_t)roi);
	if (i)
		put_rows(desc, op, i, (uint32_t)step, (uint32_t)start);
	mme_put(desc, agu_at[op][0] + MME_AGU_ROI_BASE_OFFSET(i), begin);
	if (op != MME_OP_S)
		mme_put(desc, agu_at[op][1] + MME_AGU_ROI_BASE_OFFSET(i),
			remote);

	return true;
}

static int put_operand(struct mme_desc *d, unsigned int op,
		       const struct mme_operand *o)
{
	uint32_t t = tensor_at[op];
	unsigned int i;

	for (i = 0; i < MME_NUM_DIMS; i++)
		if (!put_dim(d, op, i, &o->dim[i]))
			return gd_fail(-EOVERFLOW,
				       "a matrix engine's operand %c: %" PRIu64 " elements with stride %" PRIu64 " in dim %u, limit 2^31",
				       "SLO"[op], o->dim[i].size,
				       o->dim[i].stride, i);
	if (o->width >= MME_MAX_ELEMENTS || o->rows - 1 >= MME_MAX_ELEMENTS)
		return gd_fail(-EOVERFLOW,
			       "a matrix engine's operand %c: %" PRIu64 " x %" PRIu64 " elements, limit 2^31",
			       "SLO"[op], o->rows, o->width);
	mme_put(d, t + MME_TENSOR_ROI_SIZE(0), (uint32_t)o->width);
	mme_put(d, t + MME_TENSOR_SPATIAL_SIZE_MINUS_1, (uint32_t)o->rows - 1);
	d->role[op] = o->role;
	d->first[op] = o->first;

	return 0;
}

static uint32_t dims_of(const struct mme_work *w, unsigned int loop)
{
	uint32_t dims = 0;
	unsigned int op;

	for (op = 0; op < MME_NUM_OPS; op++)
		dims |= (uint32_t)w->op[op].loop_dim[loop] << MME_DIMS_SHIFT(op);

	return dims;
}

static uint64_t loop_of(const struct mme_work *w, unsigned int loop)
{
	return w->loops[loop] ? w->loops[loop] : 1;
}

static int put_loops(struct mme_desc *d, const struct mme_work *w)
{
	uint32_t sizes = 0;
	unsigned int i;

	for (i = 0; i < MME_NUM_LOOPS; i++)
		if (loop_of(w, i) > (i == MME_LOOP_TETRIS ? MME_MAX_ELEMENTS :
							    MME_CONV_LOOP))
			return gd_fail(-EOVERFLOW,
				       "loop %u of a matrix engine: %" PRIu64 " steps",
				       i, loop_of(w, i));
	for (i = 0; i < MME_LOOP_TETRIS; i++)
		sizes |= (uint32_t)(loop_of(w, i) - 1) << 8 * i;
	mme_put(d, MME_CTRL_ARCH_CONV_KERNEL_SIZE_MINUS_1, sizes);
	mme_put(d, MME_CTRL_ARCH_CONV_ASSOCIATED_DIMS_LOW,
		dims_of(w, 0) | dims_of(w, 1) << 16);
	mme_put(d, MME_CTRL_ARCH_CONV_ASSOCIATED_DIMS_HIGH,
		dims_of(w, 2) | dims_of(w, 3) << 16);
	mme_put(d, MME_CTRL_ARCH_NUM_ITERATIONS_MINUS_1,
		(uint32_t)(loop_of(w, MME_LOOP_TETRIS) - 1));
	mme_put(d, MME_CTRL_ARCH_OUTER_LOOP,
		dims_of(w, MME_LOOP_OUTER) | (uint32_t)
		FIELD_PREP(MME_OUTER_LOOP_SIZE_MINUS_1,
			   loop_of(w, MME_LOOP_OUTER) - 1));

	return 0;
}

static uint32_t bit(bool set, uint64_t mask)
{
	return set ? (uint32_t)mask : 0;
}

static uint32_t repeat_of(const struct mme_operand *op)
{
	return (uint32_t)(FIELD_PREP(MME_SB_REPEAT_MINUS_1,
				     op->repeat ? op->repeat - 1 : 0) |
			  FIELD_PREP(MME_SB_REPEAT_LOOP_MASK, op->skip) |
			  MME_SB_REPEAT_LOAD | MME_SB_REPEAT_TE_EN);
}

static void put_header(struct mme_desc *d, const struct mme_work *w)
{
	const struct mme_operand *s = &w->op[MME_OP_S], *l = &w->op[MME_OP_L];
	uint32_t user = REDUCE_EN | REDUCE_TYPE(w->out_fp32);

	mme_put(d, MME_CTRL_ARCH_HEADER_LOW,
		bit(s->trans, MME_HEADER_TRANS_S) |
		bit(l->trans, MME_HEADER_TRANS_L) |
		bit(w->swapped, MME_HEADER_TRANS_O) |
		bit(s->advance, MME_HEADER_ADVANCE_S) |
		bit(l->advance, MME_HEADER_ADVANCE_L) |
		bit(w->op[MME_OP_O].advance, MME_HEADER_ADVANCE_O) |
		bit(w->in_fp32, MME_HEADER_TYPE_IN_FP32) |
		bit(w->out_fp32, MME_HEADER_TYPE_OUT_FP32) |
		bit(w->accum, MME_HEADER_ACCUM) |
		bit(!w->keep, MME_HEADER_STORE_EN) |
		bit(w->relu && !w->keep, MME_HEADER_RELU_EN) |
		/* The next one's tiles are in the same accumulators. */
		(uint32_t)FIELD_PREP(MME_HEADER_ROLL_ACCUMS, w->keep ?
				     (MME_ACCUMULATORS - w->tiles) %
				     MME_ACCUMULATORS : 0) |
		(uint32_t)FIELD_PREP(MME_HEADER_ACCUM_MASK, w->accum_mask));
	mme_put(d, MME_CTRL_ARCH_HEADER_HIGH, (uint32_t)MME_HEADER_HIGH_ONES);
	mme_put(d, MME_CTRL_ARCH_DESC_SB_REPEAT,
		repeat_of(s) | repeat_of(l) << MME_SB_REPEAT_SHIFT(MME_OP_L));
	mme_put(d, MME_CTRL_ARCH_DESC_RATE_LIMITER, RATE_LIMITER);
	mme_put(d, MME_CTRL_ARCH_DESC_PCU_RL_SATURATION, RL_SATURATION);
	if (w->reduce && !w->keep)
		mme_put(d, MME_CTRL_ARCH_DESC_AXI_USER_DATA, (uint32_t)
			(FIELD_PREP(MME_AXI_USER_FIRST, user) |
			 FIELD_PREP(MME_AXI_USER_STEADY, user)));
}

int mme_add(struct mme_list *list, const struct mme_work *w)
{
	struct mme_desc *d;
	unsigned int i;
	int rc = 0;

	if (list->num == MAX_DESCRIPTORS)
		return gd_fail(-EOVERFLOW, "more than %u descriptors of a matrix engine for one node",
			       MAX_DESCRIPTORS);
	if (!gd_grow((void **)&list->list, list->num, &list->room,
		     sizeof(*list->list)))
		return gd_fail(-ENOMEM, "host memory for %zu descriptors",
			       list->num);
	d = &list->list[list->num];
	memset(d, 0, sizeof(*d));
	for (i = 0; !rc && i < MME_NUM_OPS; i++)
		rc = put_operand(d, i, &w->op[i]);
	if (!rc)
		rc = put_loops(d, w);
	if (rc)
		return rc;
	put_header(d, w);
	d->stores = !w->keep;
	list->cost += mme_steps(d->words);
	list->num++;

	return 0;
}
