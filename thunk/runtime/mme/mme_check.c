// SPDX-License-Identifier: MIT
/*
 * What a descriptor of the matrix engine can do, whoever made it.
 *
 * The proof that it stays within its operands needs no walk: an element is
 * touched only if its offset in each dimension is at least 0 and less than the
 * dimension's size, so the sum of the sizes is as far as it gets.
 */
#include <inttypes.h>
#include <string.h>

#include "mme_desc.h"

static const uint32_t tensor_at[MME_NUM_OPS] = {
	MME_CTRL_ARCH_TENSOR_S, MME_CTRL_ARCH_TENSOR_L, MME_CTRL_ARCH_TENSOR_O,
};

uint64_t mme_reach(const uint32_t *words, unsigned int op)
{
	static const uint32_t lower[MME_NUM_OPS] = {
		MME_HEADER_LOWER_S, MME_HEADER_LOWER_L, 0,
	};
	uint64_t reach = 1;
	uint32_t valid;
	unsigned int i;

	/* In a lower triangle the end of a row is that of dimension 1, at the most. */
	i = (mme_get(words, MME_CTRL_ARCH_HEADER_LOW) & lower[op]) != 0;
	for (; i < MME_NUM_DIMS; i++) {
		valid = mme_get(words, tensor_at[op] +
				MME_TENSOR_VALID_ELEMENTS(i));
		if (!valid)
			return 0;
		reach += valid - 1;
	}

	return reach;
}

uint64_t mme_steps(const uint32_t *words)
{
	uint32_t low = mme_get(words, MME_CTRL_ARCH_HEADER_LOW);
	uint32_t sizes = mme_get(words, MME_CTRL_ARCH_CONV_KERNEL_SIZE_MINUS_1);
	uint64_t steps, loops;
	unsigned int i;

	steps = low & MME_HEADER_TRANS_S ?
		mme_get(words, MME_CTRL_ARCH_TENSOR_S + MME_TENSOR_ROI_SIZE(0)) :
		mme_get(words, MME_CTRL_ARCH_TENSOR_S +
			MME_TENSOR_SPATIAL_SIZE_MINUS_1) + 1ull;
	/* Of all loops but tetris: 256^5 at the most. */
	loops = FIELD_GET(MME_OUTER_LOOP_SIZE_MINUS_1,
			  mme_get(words, MME_CTRL_ARCH_OUTER_LOOP)) + 1;
	for (i = 0; i < MME_LOOP_TETRIS; i++)
		loops *= (sizes >> 8 * i & 0xff) + 1;
	if (__builtin_mul_overflow(steps, mme_get(words,
				   MME_CTRL_ARCH_NUM_ITERATIONS_MINUS_1) + 1ull,
				   &steps) ||
	    __builtin_mul_overflow(steps, loops, &steps))
		return UINT64_MAX;

	return steps;
}

static bool dims_known(const uint32_t *words)
{
	uint32_t dims[] = {
		mme_get(words, MME_CTRL_ARCH_CONV_ASSOCIATED_DIMS_LOW),
		mme_get(words, MME_CTRL_ARCH_CONV_ASSOCIATED_DIMS_LOW) >> 16,
		mme_get(words, MME_CTRL_ARCH_CONV_ASSOCIATED_DIMS_HIGH),
		mme_get(words, MME_CTRL_ARCH_CONV_ASSOCIATED_DIMS_HIGH) >> 16,
		mme_get(words, MME_CTRL_ARCH_OUTER_LOOP),
	};
	unsigned int i, op;

	for (i = 0; i < sizeof(dims) / sizeof(dims[0]); i++)
		for (op = 0; op < MME_NUM_OPS; op++)
			if ((dims[i] >> MME_DIMS_SHIFT(op) & MME_DIMS_MASK) >
			    MME_DIM_NONE)
				return false;
	return true;
}

static bool reduces_well(const uint32_t *words)
{
	uint32_t user = mme_get(words, MME_CTRL_ARCH_DESC_AXI_USER_DATA);
	uint32_t first = (uint32_t)FIELD_GET(MME_AXI_USER_FIRST, user);
	uint32_t want = mme_element(words, MME_OP_O) == 4 ? 0xf : 0xd;

	/* Nothing, or an addition of the output's type. */
	return !user || (first == want &&
			 FIELD_GET(MME_AXI_USER_STEADY, user) == want &&
			 !(user >> 18));
}

const char *mme_check(const uint32_t *words)
{
	uint32_t low = mme_get(words, MME_CTRL_ARCH_HEADER_LOW);
	uint32_t high = mme_get(words, MME_CTRL_ARCH_HEADER_HIGH);
	uint32_t repeat = mme_get(words, MME_CTRL_ARCH_DESC_SB_REPEAT);
	const uint32_t load = MME_SB_REPEAT_LOAD | MME_SB_REPEAT_LOAD << 16;

	if (low & MME_HEADER_SIGNAL_EN ||
	    mme_get(words, MME_CTRL_ARCH_DESC_SO_ADDR_LOW_LOCAL) ||
	    mme_get(words, MME_CTRL_ARCH_DESC_SO_ADDR_LOW_REMOTE) ||
	    mme_get(words, MME_CTRL_ARCH_DESC_SO_ADDR_HIGH) ||
	    mme_get(words, MME_CTRL_ARCH_DESC_SO_DATA))
		return "signals a sync object of its own choice";
	if (low & MME_HEADER_ACC_STORE_INC_DISABLE)
		return "keeps partial sums";
	if ((high & MME_HEADER_HIGH_ONES) != (uint32_t)MME_HEADER_HIGH_ONES)
		return "does not set the upper bits of its header";
	if ((repeat & load) != load)
		return "uses operands of another descriptor";
	if (!dims_known(words))
		return "has a loop of a dimension above 5";
	if (!reduces_well(words))
		return "writes with user bits that are no addition of its type";
	if (mme_steps(words) > MME_MAX_STEPS)
		return "has more than 2^40 steps";
	return NULL;
}

/* --- as text ------------------------------------------------------------ */

static void print_five(FILE *f, const uint32_t *words, uint32_t reg,
		       unsigned int num, const char *name)
{
	unsigned int i;

	fprintf(f, " %s", name);
	for (i = 0; i < num; i++)
		fprintf(f, "%c%" PRId32, i ? ',' : '=',
			(int32_t)mme_get(words, reg + 4 * i));
}

static void print_operand(FILE *f, const uint32_t *words, unsigned int op)
{
	uint32_t t = tensor_at[op];

	fprintf(f, "%c:", "SLO"[op]);
	print_five(f, words, t + MME_TENSOR_VALID_ELEMENTS(0), 5, "valid");
	print_five(f, words, t + MME_TENSOR_LOOP_STRIDE(0), 5, "loop");
	print_five(f, words, t + MME_TENSOR_ROI_SIZE(0), 4, "roi");
	print_five(f, words, t + MME_TENSOR_SPATIAL_STRIDE(1), 4, "step");
	fprintf(f, " rows=%llu\n",
		mme_get(words, t + MME_TENSOR_SPATIAL_SIZE_MINUS_1) + 1ull);
}

static void print_header(FILE *f, const uint32_t *words)
{
	static const struct {
		uint64_t bit;
		const char *name;
	} names[] = {
		{ MME_HEADER_TRANS_S, "transS" },
		{ MME_HEADER_TRANS_L, "transL" },
		{ MME_HEADER_TRANS_O, "transO" },
		{ MME_HEADER_ADVANCE_S, "advanceS" },
		{ MME_HEADER_ADVANCE_L, "advanceL" },
		{ MME_HEADER_ADVANCE_O, "advanceO" },
		{ MME_HEADER_LOWER_L, "lowerL" },
		{ MME_HEADER_LOWER_S, "lowerS" },
		{ MME_HEADER_ACCUM, "accum" },
		{ MME_HEADER_STORE_EN, "store" },
		{ MME_HEADER_RELU_EN, "relu" },
	};
	uint32_t low = mme_get(words, MME_CTRL_ARCH_HEADER_LOW);
	unsigned int i;

	fprintf(f, "in=%s out=%s",
		low & MME_HEADER_TYPE_IN_FP32 ? "f32" : "bf16",
		low & MME_HEADER_TYPE_OUT_FP32 ? "f32" : "bf16");
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (low & names[i].bit)
			fprintf(f, " %s", names[i].name);
	fprintf(f, " accumMask=%u rounding=%u roll=%u",
		(unsigned int)FIELD_GET(MME_HEADER_ACCUM_MASK, low),
		(unsigned int)FIELD_GET(MME_HEADER_ROUNDING, low),
		(unsigned int)FIELD_GET(MME_HEADER_ROLL_ACCUMS, low));
	if (mme_get(words, MME_CTRL_ARCH_DESC_AXI_USER_DATA))
		fprintf(f, " reduce");
	fprintf(f, "\n");
}

void mme_print(FILE *f, const uint32_t *words, const char *indent)
{
	uint32_t sizes = mme_get(words, MME_CTRL_ARCH_CONV_KERNEL_SIZE_MINUS_1);
	uint32_t repeat = mme_get(words, MME_CTRL_ARCH_DESC_SB_REPEAT);
	unsigned int i;

	fprintf(f, "%s", indent);
	print_header(f, words);
	fprintf(f, "%sloops=%u,%u,%u,%u tetris=%llu outer=%u", indent,
		(sizes & 0xff) + 1, (sizes >> 8 & 0xff) + 1,
		(sizes >> 16 & 0xff) + 1, (sizes >> 24) + 1,
		mme_get(words, MME_CTRL_ARCH_NUM_ITERATIONS_MINUS_1) + 1ull,
		(unsigned int)
		FIELD_GET(MME_OUTER_LOOP_SIZE_MINUS_1,
			  mme_get(words, MME_CTRL_ARCH_OUTER_LOOP)) + 1);
	fprintf(f, " repeatS=%u/%#x repeatL=%u/%#x\n", (repeat & 0xff) + 1,
		repeat >> 8 & 0x3f, (repeat >> 16 & 0xff) + 1,
		repeat >> 24 & 0x3f);
	for (i = 0; i < MME_NUM_OPS; i++) {
		fprintf(f, "%s", indent);
		print_operand(f, words, i);
	}
}
