// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * From a decoded word to one that is executed: which function does it, with
 * which arithmetic, and in which order.
 */
#include <stdio.h>
#include <string.h>

#include "tpc_page.h"

static bool is_float(uint8_t type)
{
	return type == GAUDI_TPC_F32 || type == GAUDI_TPC_BF16;
}

/* --- arithmetic that is compiled for several hosts ------------------------- */

static uint8_t hot_add(const struct gaudi_tpc_insn *in,
		       struct gaudi_tpc_uop *op)
{
	if (is_float(in->type))
		return GAUDI_TPC_ADD;
	op->flag = true;	/* it makes a carry */
	return GAUDI_TPC_ADD + in->sw[GAUDI_TPC_SW_SAT] +
	       2 * in->sw[GAUDI_TPC_SW_CARRY];
}

static uint8_t hot_mul(const struct gaudi_tpc_insn *in,
		       struct gaudi_tpc_uop *op)
{
	bool narrow = in->type == GAUDI_TPC_I16 || in->type == GAUDI_TPC_U16 ||
		      in->type == GAUDI_TPC_I8 || in->type == GAUDI_TPC_U8;

	if (in->sw[GAUDI_TPC_SW_DOUBLE_AND_ROUND32])
		return GAUDI_TPC_MUL_ROUND;
	if (in->sw[GAUDI_TPC_SW_UPPER32])
		return GAUDI_TPC_MUL_UPPER;
	op->pair = in->dest.kind == GAUDI_TPC_K_D || narrow ||
		   in->sw[GAUDI_TPC_SW_ACC_FP32];
	return op->pair ? GAUDI_TPC_MUL_WIDE : GAUDI_TPC_MUL;
}

static uint8_t hot_mac(const struct gaudi_tpc_insn *in,
		       struct gaudi_tpc_uop *op)
{
	uint8_t neg = in->sw[GAUDI_TPC_SW_NEG];

	op->pair = !is_float(in->type) || in->sw[GAUDI_TPC_SW_ACC_FP32];
	if (!op->pair)
		return GAUDI_TPC_MAC + neg;
	if (is_float(in->type))
		return GAUDI_TPC_MAC_WIDE + neg;
	return GAUDI_TPC_MAC_WIDE + neg + 2 * in->sw[GAUDI_TPC_SW_SAT];
}

/* GAUDI_TPC_HOTS: it is none of them. */
static uint8_t hot_of(const struct gaudi_tpc_insn *in, struct gaudi_tpc_uop *op)
{
	static const uint8_t plain[GAUDI_TPC_OP_COUNT] = {
		[GAUDI_TPC_OP_MAX] = GAUDI_TPC_MAX,
		[GAUDI_TPC_OP_MIN] = GAUDI_TPC_MIN,
		[GAUDI_TPC_OP_ABS] = GAUDI_TPC_ABS,
		[GAUDI_TPC_OP_CMP_EQ] = GAUDI_TPC_CMP_EQ,
		[GAUDI_TPC_OP_CMP_NEQ] = GAUDI_TPC_CMP_NEQ,
		[GAUDI_TPC_OP_CMP_LESS] = GAUDI_TPC_CMP_LESS,
		[GAUDI_TPC_OP_CMP_LEQ] = GAUDI_TPC_CMP_LEQ,
		[GAUDI_TPC_OP_CMP_GRT] = GAUDI_TPC_CMP_GRT,
		[GAUDI_TPC_OP_CMP_GEQ] = GAUDI_TPC_CMP_GEQ,
		[GAUDI_TPC_OP_SEL_EQ] = GAUDI_TPC_CMP_EQ,
		[GAUDI_TPC_OP_SEL_NEQ] = GAUDI_TPC_CMP_NEQ,
		[GAUDI_TPC_OP_SEL_LESS] = GAUDI_TPC_CMP_LESS,
		[GAUDI_TPC_OP_SEL_LEQ] = GAUDI_TPC_CMP_LEQ,
		[GAUDI_TPC_OP_SEL_GRT] = GAUDI_TPC_CMP_GRT,
		[GAUDI_TPC_OP_SEL_GEQ] = GAUDI_TPC_CMP_GEQ,
		[GAUDI_TPC_OP_SEL2_LESS] = GAUDI_TPC_CMP_LESS,
		[GAUDI_TPC_OP_SEL2_LEQ] = GAUDI_TPC_CMP_LEQ,
		[GAUDI_TPC_OP_SEL2_GRT] = GAUDI_TPC_CMP_GRT,
		[GAUDI_TPC_OP_SEL2_GEQ] = GAUDI_TPC_CMP_GEQ,
		[GAUDI_TPC_OP_OR] = GAUDI_TPC_OR,
		[GAUDI_TPC_OP_AND] = GAUDI_TPC_AND,
		[GAUDI_TPC_OP_XOR] = GAUDI_TPC_XOR,
		[GAUDI_TPC_OP_NOT] = GAUDI_TPC_NOT,
		[GAUDI_TPC_OP_SHR] = GAUDI_TPC_SHR,
		[GAUDI_TPC_OP_SHL] = GAUDI_TPC_SHL,
		[GAUDI_TPC_OP_ASH] = GAUDI_TPC_ASH,
	};

	op->sw = 0;
	switch (in->op) {
	case GAUDI_TPC_OP_ADD:
		return hot_add(in, op);
	case GAUDI_TPC_OP_SUB:
		op->sw = in->sw[GAUDI_TPC_SW_NEG];
		return in->sw[GAUDI_TPC_SW_SAT] && !is_float(in->type) ?
		       GAUDI_TPC_SUB_SAT : GAUDI_TPC_SUB;
	case GAUDI_TPC_OP_MUL:
		return hot_mul(in, op);
	case GAUDI_TPC_OP_MAC:
		return hot_mac(in, op);
	case GAUDI_TPC_OP_ASH:
		op->sw = in->sw[GAUDI_TPC_SW_SAT] |
			 in->sw[GAUDI_TPC_SW_RHU] << 1;
		break;
	}
	if (in->sw[GAUDI_TPC_SW_MASK_EQ_ZERO])
		return GAUDI_TPC_CMP_MASK;
	return plain[in->op] ? plain[in->op] : GAUDI_TPC_HOTS;
}

/*
 * Types that the assembler takes and that nothing public gives a meaning: an
 * operation on floats takes an integer for the bits of one, one on integers a
 * float for an integer of its width (inferred).
 */
static uint8_t as_float(uint8_t type)
{
	switch (gaudi_tpc_type_size(type)) {
	case 4:
		return GAUDI_TPC_F32;
	case 2:
		return GAUDI_TPC_BF16;
	default:
		return GAUDI_TPC_NO_TYPE;	/* no float is so small */
	}
}

static void guessed(struct gaudi_tpc_uop *op, uint8_t type)
{
	op->type = type;
	op->count += GAUDI_TPC_KNOWN;
}

/* Does the arithmetic know the type? No public intrinsic has the others. */
static bool prep_hot(const struct gaudi_tpc_insn *in, struct gaudi_tpc_uop *op)
{
	bool spu = in->slot == GAUDI_TPC_SPU;

	op->hot = hot_of(in, op);
	if (op->hot == GAUDI_TPC_HOTS)
		return false;
	/* Predicates are compared as numbers; nothing public does it. */
	if (in->type == GAUDI_TPC_BOOL)
		op->type = spu ? GAUDI_TPC_U32 : GAUDI_TPC_U8;
	if (in->op == GAUDI_TPC_OP_ASH && is_float(in->type))
		guessed(op, in->type == GAUDI_TPC_F32 ? GAUDI_TPC_I32 :
							GAUDI_TPC_I16);
	op->elem = op->pair ? 4 : gaudi_tpc_type_size(op->type);
	/* SEL2: a pair of lanes as wide as those that are compared. */
	op->pair = op->pair || in->dest.kind == GAUDI_TPC_K_D;
	return gaudi_tpc_alu_portable()->one[op->hot][op->type];
}

static gaudi_tpc_uop_fn *hot_fn(const struct gaudi_tpc_insn *in)
{
	switch (in->dest.kind) {
	case GAUDI_TPC_K_I:
		return gaudi_tpc_s_index;
	case GAUDI_TPC_K_S:
		return gaudi_tpc_s_hot;
	case GAUDI_TPC_K_SP:
		return in->src[0].kind == GAUDI_TPC_K_SP ?
		       gaudi_tpc_s_logic_sp : gaudi_tpc_s_cmp;
	case GAUDI_TPC_K_VP:
		return in->src[0].kind == GAUDI_TPC_K_VP ?
		       gaudi_tpc_v_logic_vp : gaudi_tpc_v_cmp;
	}
	if (in->op >= GAUDI_TPC_OP_SEL_EQ && in->op <= GAUDI_TPC_OP_SEL_GEQ)
		return gaudi_tpc_v_sel;
	if (in->op >= GAUDI_TPC_OP_SEL2_LESS &&
	    in->op <= GAUDI_TPC_OP_SEL2_GEQ)
		return gaudi_tpc_v_sel2;
	return gaudi_tpc_v_hot;
}

/* --- the rest of arithmetic ------------------------------------------------ */

static uint32_t dual_groups(const struct gaudi_tpc_insn *in)
{
	const uint8_t *sw = in->sw;

	if (!sw[GAUDI_TPC_SW_ALL])
		return (uint32_t)(sw[GAUDI_TPC_SW_SRC] |
				  sw[GAUDI_TPC_SW_WR_LG] << 2 |
				  sw[GAUDI_TPC_SW_WR_UG] << 3) <<
		       4 * sw[GAUDI_TPC_SW_DST];
	return sw[GAUDI_TPC_SW_SDG0] | sw[GAUDI_TPC_SW_WEG0] << 2 |
	       sw[GAUDI_TPC_SW_SDG1] << 4 | sw[GAUDI_TPC_SW_WEG1] << 6 |
	       sw[GAUDI_TPC_SW_SDG2] << 8 | sw[GAUDI_TPC_SW_WEG2] << 10 |
	       sw[GAUDI_TPC_SW_SDG3] << 12 | sw[GAUDI_TPC_SW_WEG3] << 14;
}

static bool prep_convert(const struct gaudi_tpc_insn *in,
			 struct gaudi_tpc_uop *op)
{
	op->cold = gaudi_tpc_convert;
	op->from = in->type;
	op->to = in->sw[GAUDI_TPC_SW_TARGET];
	op->elem = gaudi_tpc_type_size(op->to);
	op->pair = in->dest.kind == GAUDI_TPC_K_D;
	op->all = op->pair || in->src[0].kind == GAUDI_TPC_K_D;
	return op->to < GAUDI_TPC_TYPES && op->to != GAUDI_TPC_BOOL;
}

static bool prep_convert_int(const struct gaudi_tpc_insn *in,
			     struct gaudi_tpc_uop *op)
{
	bool from16 = in->op == GAUDI_TPC_OP_CONVERT_INT16 ||
		      in->op == GAUDI_TPC_OP_CONVERT_UINT16;
	bool sign = in->op == GAUDI_TPC_OP_CONVERT_INT32 ||
		    in->op == GAUDI_TPC_OP_CONVERT_INT16;
	bool to16 = in->sw[GAUDI_TPC_SW_TO_16];

	op->cold = gaudi_tpc_convert_int;
	op->sw = (sign ? 0 : GAUDI_TPC_CI_UNSIGNED) |
		 (from16 ? GAUDI_TPC_CI_FROM16 : 0);
	op->type = from16 ? GAUDI_TPC_I16 : GAUDI_TPC_I32;
	op->to = to16 ? (sign ? GAUDI_TPC_I16 : GAUDI_TPC_U16) :
		 (sign ? GAUDI_TPC_I8 : GAUDI_TPC_U8);
	op->elem = to16 ? 2 : 1;
	return true;
}

static uint32_t form_switches(const uint8_t *sw)
{
	return sw[GAUDI_TPC_SW_ADD_BIAS] | sw[GAUDI_TPC_SW_FORCE_SIGN0] << 1 |
	       sw[GAUDI_TPC_SW_FORCE_SIGN1] << 2 |
	       sw[GAUDI_TPC_SW_EXP_IS_NUM] << 3 |
	       sw[GAUDI_TPC_SW_SIGN_LSB] << 4;
}

/* The parts of a float. */
static bool prep_parts(const struct gaudi_tpc_insn *in,
		       struct gaudi_tpc_uop *op, gaudi_tpc_cold_fn *cold)
{
	op->cold = cold;
	if (!is_float(in->type))
		guessed(op, as_float(in->type));
	return op->type != GAUDI_TPC_NO_TYPE;
}

/* False: it is not there, or not for the type. */
static bool prep_cold(const struct gaudi_tpc_insn *in, struct gaudi_tpc_uop *op)
{
	const uint8_t *sw = in->sw;

	op->to = in->type;
	op->elem = gaudi_tpc_type_size(in->type);
	switch (in->op) {
	case GAUDI_TPC_OP_CONVERT:
		return prep_convert(in, op);
	case GAUDI_TPC_OP_CONVERT_INT32:
	case GAUDI_TPC_OP_CONVERT_UINT32:
	case GAUDI_TPC_OP_CONVERT_INT16:
	case GAUDI_TPC_OP_CONVERT_UINT16:
		return prep_convert_int(in, op);
	case GAUDI_TPC_OP_POPCNT:
		op->cold = gaudi_tpc_popcnt;
		op->sw = sw[GAUDI_TPC_SW_SET];
		return true;
	case GAUDI_TPC_OP_FIND_FIRST:
		op->cold = gaudi_tpc_find_first;
		op->sw = sw[GAUDI_TPC_SW_SET] | sw[GAUDI_TPC_SW_DIR] << 1;
		return true;
	case GAUDI_TPC_OP_BREV:
		op->cold = gaudi_tpc_brev;
		return true;
	case GAUDI_TPC_OP_NEARBYINT:
		op->cold = gaudi_tpc_nearbyint;
		return true;
	case GAUDI_TPC_OP_EXTRACT_EXP:
		op->sw = sw[GAUDI_TPC_SW_BIASED];
		/* Scalars: a number with a sign. */
		op->to = op->elem == 2 ? GAUDI_TPC_I16 : GAUDI_TPC_I32;
		return prep_parts(in, op, gaudi_tpc_extract_exp);
	case GAUDI_TPC_OP_FCLASS:
		return prep_parts(in, op, gaudi_tpc_fclass);
	case GAUDI_TPC_OP_CALC_FP_SPECIAL:
		op->cold = gaudi_tpc_calc_fp_special;
		op->sw = sw[GAUDI_TPC_SW_FUNC];
		return true;
	case GAUDI_TPC_OP_SHUFFLE:
		op->cold = gaudi_tpc_shuffle;
		return true;
	case GAUDI_TPC_OP_PACK:
	case GAUDI_TPC_OP_UNPACK:
		op->cold = in->op == GAUDI_TPC_OP_PACK ? gaudi_tpc_pack :
							 gaudi_tpc_unpack;
		op->sw = sw[GAUDI_TPC_SW_SOURCE_GROUP] |
			 sw[GAUDI_TPC_SW_STRIDE] << 1 |
			 sw[GAUDI_TPC_SW_GROUP_HALF] << 2;
		return true;
	case GAUDI_TPC_OP_GET_LUT_ENTRY:
		op->cold = gaudi_tpc_lut_entry;
		op->sw = in->src[1].value | sw[GAUDI_TPC_SW_VARIANT] << 5;
		op->pair = true;
		if (!is_float(in->type))
			guessed(op, in->type);
		return true;
	case GAUDI_TPC_OP_FORM_FP_NUM:
		op->cold = gaudi_tpc_form_fp_num;
		op->sw = form_switches(sw);
		return true;
	case GAUDI_TPC_OP_MOV_DG:
		op->cold = gaudi_tpc_mov_dg;
		op->sw = dual_groups(in);
		return true;
	case GAUDI_TPC_OP_MOV_G:
		op->cold = gaudi_tpc_mov_g;
		op->sw = sw[GAUDI_TPC_SW_G_EN] | sw[GAUDI_TPC_SW_DG_EN] << 2;
		return true;
	}
	return false;
}

/* What of these has code of its own, if it is of whole vectors. */
static uint8_t quick_of(const struct gaudi_tpc_uop *op)
{
	unsigned int elem = gaudi_tpc_type_size(op->type);

	if (op->cold == gaudi_tpc_shuffle)
		return elem == 4 ? GAUDI_TPC_SHUFFLE_32 :
		       elem == 2 ? GAUDI_TPC_SHUFFLE_16 : GAUDI_TPC_SLOW;
	if (op->type != GAUDI_TPC_F32)
		return GAUDI_TPC_SLOW;
	if (op->cold == gaudi_tpc_extract_exp)
		return GAUDI_TPC_EXPONENT_F32;
	if (op->cold == gaudi_tpc_fclass)
		return GAUDI_TPC_CLASS_F32;
	/* Bit 1: FORCE_SIGN0. */
	if (op->cold == gaudi_tpc_form_fp_num && !(op->sw & ~2u))
		return GAUDI_TPC_FORM_F32;
	return GAUDI_TPC_SLOW;
}

/* --- what is not arithmetic ------------------------------------------------ */

static void prep_mov(const struct gaudi_tpc_insn *in, struct gaudi_tpc_uop *op)
{
	op->sw = in->sw[GAUDI_TPC_SW_FLAVOR];
	op->elem = gaudi_tpc_type_size(in->type);
	/* The encoding has a hardware register as the second source. */
	if (in->src[1].kind == GAUDI_TPC_K_HW)
		op->src[0] = in->src[1];
	switch (in->dest.kind) {
	case GAUDI_TPC_K_V:
	case GAUDI_TPC_K_LFSR:
		op->run = gaudi_tpc_v_mov;
		break;
	case GAUDI_TPC_K_VP:
		op->run = gaudi_tpc_v_mov_vp;
		break;
	case GAUDI_TPC_K_I:
		op->run = gaudi_tpc_set_index;
		break;
	default:
		op->run = gaudi_tpc_s_mov;
	}
}

/* Half of a vector: 0 none, 1 the low one, 2 the high one. */
static uint32_t half_of(uint8_t op)
{
	switch (op) {
	case GAUDI_TPC_OP_LD_TNSR_LOW:
	case GAUDI_TPC_OP_ST_TNSR_LOW:
	case GAUDI_TPC_OP_LD_L_V_LOW:
	case GAUDI_TPC_OP_ST_L_V_LOW:
		return 1;
	case GAUDI_TPC_OP_LD_TNSR_HIGH:
	case GAUDI_TPC_OP_ST_TNSR_HIGH:
	case GAUDI_TPC_OP_LD_L_V_HIGH:
	case GAUDI_TPC_OP_ST_L_V_HIGH:
		return 2;
	default:
		return 0;
	}
}

static void prep_lookup(const struct gaudi_tpc_insn *in,
			struct gaudi_tpc_uop *op)
{
	op->run = gaudi_tpc_lookup;
	op->sw = in->src[1].value;
	op->flag = in->sw[GAUDI_TPC_SW_BV16];
	op->all = in->sw[GAUDI_TPC_SW_UPPER_HALF];
	op->pair = in->op == GAUDI_TPC_OP_LOOKUP_2C;
	op->elem = op->flag ? 2 : 4;
}

static bool prep_memory(const struct gaudi_tpc_insn *in,
			struct gaudi_tpc_uop *op)
{
	op->sw = half_of(in->op);
	op->elem = 1;		/* a predicate acts on bytes */
	op->flag = in->sw[GAUDI_TPC_SW_PARTIAL];
	switch (in->op) {
	case GAUDI_TPC_OP_LD_TNSR:
	case GAUDI_TPC_OP_LD_TNSR_LOW:
	case GAUDI_TPC_OP_LD_TNSR_HIGH:
		op->run = gaudi_tpc_ld_tnsr;
		return true;
	case GAUDI_TPC_OP_ST_TNSR:
	case GAUDI_TPC_OP_ST_TNSR_LOW:
	case GAUDI_TPC_OP_ST_TNSR_HIGH:
		op->run = gaudi_tpc_st_tnsr;
		op->all = in->sw[GAUDI_TPC_SW_RMW_SEL];
		op->pair = in->sw[GAUDI_TPC_SW_PACKED];
		return true;
	case GAUDI_TPC_OP_LD_L_V:
	case GAUDI_TPC_OP_LD_L_V_LOW:
	case GAUDI_TPC_OP_LD_L_V_HIGH:
		op->run = gaudi_tpc_ld_l_v;
		return true;
	case GAUDI_TPC_OP_ST_L_V:
	case GAUDI_TPC_OP_ST_L_V_LOW:
	case GAUDI_TPC_OP_ST_L_V_HIGH:
		op->run = gaudi_tpc_st_l_v;
		return true;
	case GAUDI_TPC_OP_LD_L:
	case GAUDI_TPC_OP_ST_L:
		op->run = in->op == GAUDI_TPC_OP_LD_L ? gaudi_tpc_ld_l :
							gaudi_tpc_st_l;
		op->flag = in->sw[GAUDI_TPC_SW_MMIO];
		return true;
	case GAUDI_TPC_OP_LD_G:
		op->run = gaudi_tpc_ld_g;
		return true;
	case GAUDI_TPC_OP_ST_G:
		op->run = gaudi_tpc_st_g;
		return true;
	case GAUDI_TPC_OP_GEN_ADDR:
		op->run = gaudi_tpc_gen_addr;
		return true;
	case GAUDI_TPC_OP_LOOKUP:
	case GAUDI_TPC_OP_LOOKUP_1C:
	case GAUDI_TPC_OP_LOOKUP_2C:
		prep_lookup(in, op);
		return true;
	case GAUDI_TPC_OP_ASO:
		op->run = gaudi_tpc_aso;
		op->flag = in->sw[GAUDI_TPC_SW_DEC];
		return true;
	}
	return false;
}

static bool prep_other(const struct gaudi_tpc_insn *in,
		       struct gaudi_tpc_uop *op)
{
	op->flag = false;
	op->dims = in->sw[GAUDI_TPC_SW_DIMS];
	switch (in->op) {
	case GAUDI_TPC_OP_MOV:
		prep_mov(in, op);
		return true;
	case GAUDI_TPC_OP_SET_INDX:
		op->run = gaudi_tpc_set_index;
		return true;
	case GAUDI_TPC_OP_PRMT_INDX:
		op->run = gaudi_tpc_permute_index;
		return true;
	case GAUDI_TPC_OP_MOV_IRF_DIM:
		op->run = gaudi_tpc_s_irf_dim;
		op->sw = in->sw[GAUDI_TPC_SW_DIM];
		return true;
	case GAUDI_TPC_OP_UDIV_4STEP:
		op->run = gaudi_tpc_s_udiv;
		op->sw = in->sw[GAUDI_TPC_SW_STEP];
		op->flag = in->sw[GAUDI_TPC_SW_STEP_REG];
		return true;
	case GAUDI_TPC_OP_JMPR:
	case GAUDI_TPC_OP_JMPA:
		op->run = gaudi_tpc_s_jump;
		return true;
	case GAUDI_TPC_OP_HALT:
		op->run = gaudi_tpc_halt;
		return true;
	case GAUDI_TPC_OP_PREFETCH:
	case GAUDI_TPC_OP_CACHE_FLUSH:
	case GAUDI_TPC_OP_CACHE_INVALIDATE:
	case GAUDI_TPC_OP_DBG:
		op->run = gaudi_tpc_nothing;
		return true;
	}
	return false;
}

/* --- one operation --------------------------------------------------------- */

static bool prep_op(const struct gaudi_tpc_insn *in, struct gaudi_tpc_uop *op)
{
	bool spu = in->slot == GAUDI_TPC_SPU;

	memset(op, 0, sizeof(*op));
	op->op = in->op;
	op->slot = in->slot;
	op->type = in->type;
	op->count = in->slot * GAUDI_TPC_OP_COUNT + in->op;
	op->dest = in->dest;
	memcpy(op->src, in->src, sizeof(op->src));
	op->imm = in->src[1].value;
	op->round = in->sw[GAUDI_TPC_SW_RM];
	op->lane = in->sw[GAUDI_TPC_SW_LANE_SEL];
	if (in->pred.kind == GAUDI_TPC_K_SP) {
		op->sp = in->pred.num;
		op->negate = in->pred.negate;
	} else if (in->pred.kind == GAUDI_TPC_K_VP) {
		op->vp = in->pred.num + 1;
		op->vnegate = in->pred.negate;
	}
	if (prep_other(in, op) || prep_memory(in, op))
		return true;
	op->flag = false;
	op->sw = 0;
	if (prep_hot(in, op)) {
		op->run = hot_fn(in);
		return true;
	}
	op->flag = false;
	op->pair = false;
	if (op->hot != GAUDI_TPC_HOTS || !prep_cold(in, op))
		return false;
	if (in->op == GAUDI_TPC_OP_CONVERT || in->op == GAUDI_TPC_OP_NEARBYINT)
		op->run = spu ? gaudi_tpc_s_cold : gaudi_tpc_v_convert;
	else
		op->run = spu ? gaudi_tpc_s_cold : gaudi_tpc_v_cold;
	op->quick = spu ? GAUDI_TPC_SLOW : quick_of(op);
	if (op->quick)
		op->run = gaudi_tpc_v_quick;
	return true;
}

/* --- the order of a word --------------------------------------------------- */

static bool meets(const struct gaudi_tpc_use *a, const struct gaudi_tpc_use *b)
{
	return a->v & b->v || a->s & b->s || a->i & b->i || a->vp & b->vp ||
	       a->sp & b->sp || a->ad & b->ad || a->other & b->other;
}

/* Bit b of row a: a may not come before b. */
static void conflicts(const struct gaudi_tpc_uword *word, uint8_t *after)
{
	unsigned int a, b;

	for (a = 0; a < word->count; a++) {
		after[a] = 0;
		for (b = 0; b < word->count; b++)
			if (a != b && meets(&word->writes[a], &word->reads[b]))
				after[a] |= 1u << b;
	}
}

/* Next goes what no operation that is left must come before. */
static void put_in_order(struct gaudi_tpc_uword *word)
{
	struct gaudi_tpc_uword old = *word;
	uint8_t after[GAUDI_TPC_SLOTS], left = (1u << word->count) - 1;
	unsigned int a, n = 0;

	conflicts(word, after);
	while (left) {
		for (a = 0; a < old.count; a++)
			if (left >> a & 1 && !(after[a] & left & ~(1u << a)))
				break;
		if (a == old.count) {
			word->cyclic = true;
			for (a = 0; !(left >> a & 1); a++)
				;
		}
		word->op[n] = old.op[a];
		word->reads[n] = old.reads[a];
		word->writes[n++] = old.writes[a];
		left &= ~(1u << a);
	}
}

static void prepare_slots(const struct gaudi_tpc_word *decoded,
			  struct gaudi_tpc_uword *word)
{
	const struct gaudi_tpc_insn *in;
	const char *type;
	unsigned int slot;

	for (slot = 0; slot < GAUDI_TPC_SLOTS; slot++) {
		in = &decoded->slot[slot];
		if (in->op == GAUDI_TPC_OP_NOP)
			continue;
		if (!prep_op(in, &word->op[word->count])) {
			word->kind = GAUDI_TPC_BAD;
			word->unmodelled = true;
			type = gaudi_tpc_type_name(in->type);
			snprintf(word->bad, sizeof(word->bad),
				 "TPC %s %s%s%s",
				 gaudi_tpc_slot_name(slot),
				 gaudi_tpc_op_name(in->op), *type ? "." : "",
				 type);
			return;
		}
		gaudi_tpc_uses(&word->op[word->count],
			       &word->reads[word->count],
			       &word->writes[word->count]);
		word->count++;
	}
	put_in_order(word);
}

void gaudi_tpc_prepare(const uint8_t *raw, struct gaudi_tpc_uword *word)
{
	struct gaudi_tpc_word decoded;
	struct gaudi_tpc_error err;

	memset(word, 0, sizeof(*word));
	if (gaudi_tpc_decode(raw, &decoded, &err)) {
		word->kind = GAUDI_TPC_BAD;
		memcpy(word->bad, err.text, sizeof(word->bad));
		return;
	}
	if (!decoded.is_loop) {
		prepare_slots(&decoded, word);
		return;
	}
	word->kind = GAUDI_TPC_LOOP_WORD;
	word->loop = decoded.loop;
	word->op[0].count = GAUDI_TPC_SPU * GAUDI_TPC_OP_COUNT +
			    GAUDI_TPC_OP_LOOP;
}
