// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the code of a kernel tells of how it must be launched.
 */
#include <string.h>

#include "../chip/tpc/isa/tpc_isa.h"
#include "tpc_asm.h"

#define MARCH_GAUDI		2

/* AD registers: the tensors that they point into, and which are read. */
struct addresses {
	uint16_t tensors[GAUDI_TPC_AD_COUNT];
	uint8_t read;
};

static void look(const struct gaudi_tpc_insn *insn, struct addresses *ad,
		 struct gaudi_tpc_metadata *metadata)
{
	const struct gaudi_tpc_operand *a = &insn->src[GAUDI_TPC_SRC_A];
	const struct gaudi_tpc_operand *b = &insn->src[GAUDI_TPC_SRC_B];

	switch (insn->op) {
	case GAUDI_TPC_OP_LOOKUP:
	case GAUDI_TPC_OP_LOOKUP_1C:
	case GAUDI_TPC_OP_LOOKUP_2C:
		metadata->special_functions = 1;
		break;
	case GAUDI_TPC_OP_LD_L:
	case GAUDI_TPC_OP_ST_L:
		metadata->mmio_used |= insn->sw[GAUDI_TPC_SW_MMIO];
		break;
	case GAUDI_TPC_OP_GEN_ADDR:
		ad->tensors[insn->dest.num] |= 1u << b->num;
		break;
	case GAUDI_TPC_OP_LD_G:
		ad->read |= 1u << a->num;
		break;
	case GAUDI_TPC_OP_ST_TNSR:
	case GAUDI_TPC_OP_ST_TNSR_LOW:
	case GAUDI_TPC_OP_ST_TNSR_HIGH:
		if (insn->sw[GAUDI_TPC_SW_RMW_SEL] &&
		    b->kind == GAUDI_TPC_K_TENSOR)
			metadata->rmw_stores |= 1u << b->num;
		break;
	}
}

void gaudi_tpc_metadata_of(const uint8_t *code, size_t words,
			   struct gaudi_tpc_metadata *metadata)
{
	struct addresses ad = { };
	struct gaudi_tpc_word word;
	unsigned int i;
	size_t n;

	memset(metadata, 0, sizeof(*metadata));
	metadata->march = MARCH_GAUDI;
	metadata->threads = 1;
	for (n = 0; n < words; n++) {
		if (gaudi_tpc_decode(code + n * GAUDI_TPC_WORD, &word, NULL))
			continue;
		for (i = 0; i < GAUDI_TPC_SLOTS; i++)
			look(&word.slot[i], &ad, metadata);
	}
	for (i = 0; i < GAUDI_TPC_AD_COUNT; i++)
		if (ad.read & 1u << i)
			metadata->scalar_loads |= ad.tensors[i];
}
