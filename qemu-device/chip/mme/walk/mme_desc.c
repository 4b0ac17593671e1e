// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * The descriptor of the matrix engine: from 136 words to names, and what of it
 * makes no sense.
 *
 * Sizes, strides and offsets may be anything: the walk (mme_walk.c) computes
 * modulo 2^64, and an address at which nothing is, is an error of the bus.
 */
#include <stddef.h>
#include <string.h>

#include "mme_desc.h"
#include "../../bus/bus.h"

static uint32_t word(const uint32_t *words, uint32_t off)
{
	return words[(off - MME_CTRL_ARCH) / 4];
}

static void get_tensor(const uint32_t *words, uint32_t off,
		       struct gaudi_mme_tensor *t)
{
	unsigned int i;

	for (i = 0; i < MME_NUM_DIMS; i++) {
		t->valid[i] = word(words, off + MME_TENSOR_VALID_ELEMENTS(i));
		t->loop_stride[i] = word(words,
					 off + MME_TENSOR_LOOP_STRIDE(i));
	}
	for (i = 0; i < MME_NUM_DIMS - 1; i++)
		t->roi_size[i] = word(words, off + MME_TENSOR_ROI_SIZE(i));
	for (i = 1; i < MME_NUM_DIMS; i++)
		t->spatial_stride[i] =
			word(words, off + MME_TENSOR_SPATIAL_STRIDE(i));
	t->spatial_size =
		word(words, off + MME_TENSOR_SPATIAL_SIZE_MINUS_1) + 1ull;
}

static void get_agu(const uint32_t *words, uint32_t off,
		    struct gaudi_mme_agu *agu)
{
	unsigned int i;

	for (i = 0; i < MME_NUM_DIMS; i++)
		agu->roi_base[i] = word(words, off + MME_AGU_ROI_BASE_OFFSET(i));
	for (i = 1; i < MME_NUM_DIMS; i++)
		agu->start[i] = word(words, off + MME_AGU_START_OFFSET(i));
}

/* Where the parts of an operand are. */
static const struct place {
	uint16_t tensor;
	uint16_t agu[GAUDI_MME_CORES];
	uint8_t partial[GAUDI_MME_CORES];	/* index in HEADER_HIGH */
	uint32_t trans, advance, lower;
} places[] = {
	[MME_OP_S] = {
		MME_CTRL_ARCH_TENSOR_S,
		{ MME_CTRL_ARCH_AGU_S, MME_CTRL_ARCH_AGU_S }, { 0, 0 },
		MME_HEADER_TRANS_S, MME_HEADER_ADVANCE_S, MME_HEADER_LOWER_S,
	},
	[MME_OP_L] = {
		MME_CTRL_ARCH_TENSOR_L,
		{ MME_CTRL_ARCH_AGU_L_LOCAL, MME_CTRL_ARCH_AGU_L_REMOTE },
		{ 1, 2 },
		MME_HEADER_TRANS_L, MME_HEADER_ADVANCE_L, MME_HEADER_LOWER_L,
	},
	[MME_OP_O] = {
		MME_CTRL_ARCH_TENSOR_O,
		{ MME_CTRL_ARCH_AGU_O_LOCAL, MME_CTRL_ARCH_AGU_O_REMOTE },
		{ 3, 4 },
		MME_HEADER_TRANS_O, MME_HEADER_ADVANCE_O, 0,
	},
};

static void get_operand(const uint32_t *words, unsigned int n,
			struct gaudi_mme_operand *op)
{
	const struct place *p = &places[n];
	uint32_t low = word(words, MME_CTRL_ARCH_HEADER_LOW);
	uint32_t high = word(words, MME_CTRL_ARCH_HEADER_HIGH);
	uint64_t hi = word(words, MME_CTRL_ARCH_BASE_ADDR_HIGH(n));
	uint32_t repeat;
	unsigned int h;

	op->base = hi << 32 | word(words, MME_CTRL_ARCH_BASE_ADDR_LOW(n));
	get_tensor(words, p->tensor, &op->tensor);
	for (h = 0; h < GAUDI_MME_CORES; h++) {
		get_agu(words, p->agu[h], &op->agu[h]);
		op->partial[h] = high >> MME_HEADER_PARTIAL_SHIFT(p->partial[h]) &
				 MME_LOOP_MASK;
	}
	op->trans = low & p->trans;
	op->advance = low & p->advance;
	op->lower = low & p->lower;
	if (n == MME_OP_O) {
		op->skip = FIELD_GET(MME_HEADER_ACCUM_MASK, low);
		return;
	}
	repeat = word(words, MME_CTRL_ARCH_DESC_SB_REPEAT) >>
		 MME_SB_REPEAT_SHIFT(n);
	op->repeat = FIELD_GET(MME_SB_REPEAT_MINUS_1, repeat) + 1;
	op->skip = FIELD_GET(MME_SB_REPEAT_LOOP_MASK, repeat);
	op->load = repeat & MME_SB_REPEAT_LOAD;
	op->padding = word(words, MME_CTRL_ARCH_DESC_PADDING_VALUE(n));
}

static void get_loops(const uint32_t *words, struct gaudi_mme_desc *d)
{
	uint32_t sizes = word(words, MME_CTRL_ARCH_CONV_KERNEL_SIZE_MINUS_1);
	uint32_t outer = word(words, MME_CTRL_ARCH_OUTER_LOOP), dims;
	unsigned int i, n;

	for (i = 0; i < MME_NUM_LOOPS; i++) {
		dims = outer;
		if (i < MME_LOOP_TETRIS) {
			dims = word(words, i < 2 ?
				    MME_CTRL_ARCH_CONV_ASSOCIATED_DIMS_LOW :
				    MME_CTRL_ARCH_CONV_ASSOCIATED_DIMS_HIGH);
			dims >>= 16 * (i % 2);
			d->size[i] = (sizes >> 8 * i & 0xff) + 1;
		}
		for (n = 0; n < 3; n++)
			d->op[n].dim[i] = i == MME_LOOP_TETRIS ? MME_DIM_NONE :
				dims >> MME_DIMS_SHIFT(n) & MME_DIMS_MASK;
	}
	d->size[MME_LOOP_TETRIS] =
		word(words, MME_CTRL_ARCH_NUM_ITERATIONS_MINUS_1) + 1ull;
	d->size[MME_LOOP_OUTER] =
		FIELD_GET(MME_OUTER_LOOP_SIZE_MINUS_1, outer) + 1;
}

void gaudi_mme_unpack(const uint32_t *words, struct gaudi_mme_desc *d)
{
	uint32_t low = word(words, MME_CTRL_ARCH_HEADER_LOW);
	uint32_t user = word(words, MME_CTRL_ARCH_DESC_AXI_USER_DATA);
	uint64_t so = word(words, MME_CTRL_ARCH_DESC_SO_ADDR_HIGH);
	unsigned int i;

	memset(d, 0, sizeof(*d));
	for (i = 0; i < 3; i++)
		get_operand(words, i, &d->op[i]);
	get_loops(words, d);
	d->accum_mask = FIELD_GET(MME_HEADER_ACCUM_MASK, low);
	d->keep_partial = low & MME_HEADER_ACC_STORE_INC_DISABLE;
	d->accum = low & MME_HEADER_ACCUM;
	d->store = low & MME_HEADER_STORE_EN && !d->keep_partial;
	d->relu = low & MME_HEADER_RELU_EN;
	d->signal = low & MME_HEADER_SIGNAL_EN;
	d->in_fp32 = low & MME_HEADER_TYPE_IN_FP32;
	d->out_fp32 = low & MME_HEADER_TYPE_OUT_FP32;
	d->signal_mask = FIELD_GET(MME_HEADER_SIGNAL_MASK, low);
	d->rounding = FIELD_GET(MME_HEADER_ROUNDING, low);
	d->roll = FIELD_GET(MME_HEADER_ROLL_ACCUMS, low);
	d->user_first = FIELD_GET(MME_AXI_USER_FIRST, user);
	d->user_steady = FIELD_GET(MME_AXI_USER_STEADY, user);
	d->user_mask = FIELD_GET(MME_AXI_USER_MASK, user);
	so <<= 32;
	d->so_addr[0] = so | word(words, MME_CTRL_ARCH_DESC_SO_ADDR_LOW_LOCAL);
	d->so_addr[1] = so | word(words, MME_CTRL_ARCH_DESC_SO_ADDR_LOW_REMOTE);
	d->so_data = word(words, MME_CTRL_ARCH_DESC_SO_DATA);
}

/* --- what makes no sense ---------------------------------------------- */

/* Rows that a walk which advances may step over at a time. */
#define MAX_ADVANCE		65536u

static const char *check_input(const struct gaudi_mme_desc *d,
			       const struct gaudi_mme_operand *op)
{
	unsigned int i;

	/* It does not walk. */
	if (!op->load)
		return NULL;
	for (i = 0; i < MME_NUM_LOOPS; i++)
		if (op->dim[i] > MME_DIM_NONE)
			return "MME associated dimension above 5";
	if (op->trans && !op->tensor.roi_size[0])
		return "MME operand of no width";
	if (op->advance && !op->trans && d->size[MME_LOOP_TETRIS] > 1 &&
	    op->tensor.spatial_size > MAX_ADVANCE)
		return "MME advance over more than 65536 rows";
	return NULL;
}

/* Another type than the output's is one to the memory, which sees bytes. */
static const char *check_reduction(uint16_t user)
{
	if (user & GAUDI_REDUCE_EN && !gaudi_reduce_size(user))
		return "MME reduction of an unknown type";
	return NULL;
}

const char *gaudi_mme_check(const struct gaudi_mme_desc *d)
{
	const struct gaudi_mme_operand *o = &d->op[MME_OP_O];
	const char *bad;
	unsigned int i;

	bad = check_input(d, &d->op[MME_OP_S]);
	if (!bad)
		bad = check_input(d, &d->op[MME_OP_L]);
	if (!bad && d->store)
		bad = check_reduction(d->user_first);
	if (!bad && d->store)
		bad = check_reduction(d->user_steady);
	if (bad || !d->store)
		return bad;
	for (i = 0; i < MME_NUM_LOOPS; i++)
		if (o->dim[i] > MME_DIM_NONE)
			return "MME associated dimension above 5";
	if (o->tensor.spatial_size > gaudi_mme_side(d))
		return "MME output with more rows than the array";
	return NULL;
}
