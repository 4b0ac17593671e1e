// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* What an operation reads and writes, for the order of a word and the checker. */
#include <string.h>

#include "tpc_page.h"

static void add_operand(struct gaudi_tpc_use *use,
			const struct gaudi_tpc_operand *o)
{
	switch (o->kind) {
	case GAUDI_TPC_K_V:
		use->v |= 1ull << o->num;
		break;
	case GAUDI_TPC_K_D:
		use->v |= 3ull << o->num;
		break;
	case GAUDI_TPC_K_VP:
		use->vp |= 1u << o->num;
		break;
	case GAUDI_TPC_K_S:
		use->s |= 1ull << o->num;
		break;
	case GAUDI_TPC_K_Z:
		use->s |= 3ull << o->num;
		break;
	case GAUDI_TPC_K_SP:
		use->sp |= 1u << o->num;
		break;
	case GAUDI_TPC_K_I:
		use->i |= 1u << o->num;
		break;
	case GAUDI_TPC_K_AD:
		use->ad |= 1u << o->num;
		break;
	case GAUDI_TPC_K_LFSR:
		use->other |= GAUDI_TPC_USE_LFSR;
		break;
	case GAUDI_TPC_K_S_LFSR:
		use->other |= GAUDI_TPC_USE_S_LFSR;
		break;
	}
}

static bool is_store(const struct gaudi_tpc_uop *op)
{
	return op->run == gaudi_tpc_st_tnsr || op->run == gaudi_tpc_st_g ||
	       op->run == gaudi_tpc_st_l || op->run == gaudi_tpc_st_l_v ||
	       op->run == gaudi_tpc_aso;
}

static bool is_load(const struct gaudi_tpc_uop *op)
{
	return op->run == gaudi_tpc_ld_tnsr || op->run == gaudi_tpc_ld_g ||
	       op->run == gaudi_tpc_ld_l || op->run == gaudi_tpc_ld_l_v ||
	       op->run == gaudi_tpc_lookup;
}

/* Does something of the destination remain, or go into the result? */
static bool reads_dest(const struct gaudi_tpc_uop *op)
{
	switch (op->op) {
	case GAUDI_TPC_OP_MAC:
	case GAUDI_TPC_OP_UDIV_4STEP:
	case GAUDI_TPC_OP_SHUFFLE:
	case GAUDI_TPC_OP_PACK:
	case GAUDI_TPC_OP_UNPACK:
	case GAUDI_TPC_OP_MOV_DG:
	case GAUDI_TPC_OP_MOV_G:
	case GAUDI_TPC_OP_CALC_FP_SPECIAL:
		return true;
	/* A narrow result is one lane of several; a scalar is all of S. */
	case GAUDI_TPC_OP_CONVERT_INT32:
	case GAUDI_TPC_OP_CONVERT_UINT32:
	case GAUDI_TPC_OP_CONVERT_INT16:
	case GAUDI_TPC_OP_CONVERT_UINT16:
		return op->slot == GAUDI_TPC_VPU;
	case GAUDI_TPC_OP_CONVERT:
		return op->slot == GAUDI_TPC_VPU && !op->all &&
		       gaudi_tpc_type_size(op->to) <
		       gaudi_tpc_type_size(op->from);
	case GAUDI_TPC_OP_MOV:
		return op->dest.kind == GAUDI_TPC_K_VP;
	default:
		return (is_load(op) && (op->sw == 1 || op->sw == 2)) ||
		       op->vp;
	}
}

/* Registers that no operand names. */
static void hidden(const struct gaudi_tpc_uop *op, struct gaudi_tpc_use *reads,
		   struct gaudi_tpc_use *writes)
{
	bool vector = op->slot == GAUDI_TPC_VPU;
	uint8_t carry = vector ? GAUDI_TPC_USE_CARRY : GAUDI_TPC_USE_S_CARRY;

	if (op->run == gaudi_tpc_ld_tnsr && op->flag)
		reads->s |= 1ull << 30;
	if (op->run == gaudi_tpc_st_tnsr && op->flag)
		reads->s |= 1ull << 31;
	if (op->run == gaudi_tpc_st_tnsr && op->all)
		reads->s |= 1ull << 29;
	if (op->op == GAUDI_TPC_OP_ADD && op->flag) {
		writes->other |= carry;
		if (op->hot == GAUDI_TPC_ADD_CARRY ||
		    op->hot == GAUDI_TPC_ADD_CARRY_SAT)
			reads->other |= carry;
	}
	if (op->round == GAUDI_TPC_SR || op->round == GAUDI_TPC_RM_DEFAULT) {
		reads->other |= vector ? GAUDI_TPC_USE_LFSR :
					 GAUDI_TPC_USE_S_LFSR;
		writes->other |= reads->other & ~carry;
	}
	if (is_load(op))
		reads->other |= GAUDI_TPC_USE_MEMORY;
	if (is_store(op))
		writes->other |= GAUDI_TPC_USE_MEMORY;
}

void gaudi_tpc_uses(const struct gaudi_tpc_uop *op, struct gaudi_tpc_use *reads,
		    struct gaudi_tpc_use *writes)
{
	unsigned int i;

	memset(reads, 0, sizeof(*reads));
	memset(writes, 0, sizeof(*writes));
	for (i = 0; i < GAUDI_TPC_SRCS; i++) {
		add_operand(reads, &op->src[i]);
		/* To read it is to step it. */
		if (op->src[i].kind == GAUDI_TPC_K_LFSR ||
		    op->src[i].kind == GAUDI_TPC_K_S_LFSR)
			add_operand(writes, &op->src[i]);
	}
	add_operand(writes, &op->dest);
	if (reads_dest(op))
		add_operand(reads, &op->dest);
	if (op->sp)
		reads->sp |= 1u << op->sp;
	if (op->vp)
		reads->vp |= 1u << (op->vp - 1);
	hidden(op, reads, writes);
}
