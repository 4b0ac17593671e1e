// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a TPC does with the words of a kernel: fetch, decode, execute.
 *
 * So far a core knows the words that hold no arithmetic: NOP and HALT. With
 * them the kernel that drivers run to set up a core ends as on the card. Any
 * other instruction is named in the fidelity report and ends the kernel by the
 * interrupt "illegal instruction"; nothing is signalled then, so that nobody
 * takes it for success.
 *
 * Encoding: words of 256 bits with a slot each for the scalar unit, the vector
 * unit, loads and stores; from the assembler of the vendor's open compiler.
 */
#include "internal.h"
#include "../../uapi/regs/gaudi_tpc_regs.h"

#define WORD			32u	/* bytes */
#define WORDS_A_TURN		64

/* Opcodes, by slot. */
#define OP_HALT			0x20u
#define OP_NOP			0x3fu
#define OP_LOAD_NOP		0x1fu

static const struct slot {
	const char *name;
	uint16_t bit;			/* of the word */
	uint8_t width;
	uint8_t nop;
} slots[] = {
	{ "SPU", 0, 6, OP_NOP },
	{ "VPU", 43, 6, OP_NOP },
	{ "LOAD", 119, 5, OP_LOAD_NOP },
	{ "STORE", 140, 5, OP_LOAD_NOP },
};

enum { SPU, VPU };

static uint32_t opcode(const uint8_t *word, const struct slot *slot)
{
	const uint8_t *p = word + slot->bit / 8;
	uint32_t bits = p[0] | (uint32_t)p[1] << 8;

	return bits >> slot->bit % 8 & ((1u << slot->width) - 1);
}

void gaudi_tpc_core_start(struct gaudi_chip *chip, struct gaudi_tpc *tpc)
{
	uint32_t lo = gaudi_store_read(chip, tpc->base +
				       TPC_CFG_KERNEL_KERNEL_BASE_ADDRESS_LOW);
	uint64_t hi = gaudi_store_read(chip, tpc->base +
				       TPC_CFG_KERNEL_KERNEL_BASE_ADDRESS_HIGH);

	tpc->pc = hi << 32 | lo;
}

/* An instruction that is not modelled: true if there was one. */
static bool refuse(struct gaudi_chip *chip, struct gaudi_tpc *tpc,
		   const uint8_t *word)
{
	const struct slot *slot;
	char name[32];
	unsigned int i;
	uint32_t op;
	bool halt;

	halt = opcode(word, &slots[SPU]) == OP_HALT &&
	       opcode(word, &slots[VPU]) == OP_HALT;
	for (i = 0; i < ARRAY_SIZE(slots); i++) {
		slot = &slots[i];
		op = opcode(word, slot);
		if (op == slot->nop || (halt && i <= VPU))
			continue;
		snprintf(name, sizeof(name), "TPC %s opcode 0x%02x",
			 slot->name, op);
		gaudi_report_use(chip, "instruction", name,
				 GAUDI_UNIMPLEMENTED);
		gaudi_log(chip, GAUDI_LOG_GUEST_ERROR,
			  "TPC%u: illegal instruction at 0x%llx: %s opcode 0x%02x",
			  tpc->id, (unsigned long long)tpc->pc, slot->name, op);
		gaudi_tpc_interrupt(chip, tpc,
				    TPC_CFG_INTR_ILLEGAL_INSTRUCTION);
		return true;
	}
	return false;
}

enum gaudi_tpc_result gaudi_tpc_core_run(struct gaudi_chip *chip,
					 struct gaudi_tpc *tpc)
{
	uint8_t word[WORD];
	struct gaudi_txn txn;
	unsigned int i;

	gaudi_tpc_txn(chip, tpc, false, &txn);
	for (i = 0; i < WORDS_A_TURN; i++) {
		if (gaudi_bus_read(chip, &txn, tpc->pc, word, sizeof(word))) {
			gaudi_tpc_interrupt(chip, tpc,
					    TPC_CFG_INTR_HBW_RRESP_ERR);
			return GAUDI_TPC_FAILED;
		}
		if (refuse(chip, tpc, word))
			return GAUDI_TPC_FAILED;
		if (opcode(word, &slots[SPU]) == OP_HALT) {
			gaudi_report_use(chip, "instruction", "TPC HALT",
					 GAUDI_EXACT);
			return GAUDI_TPC_HALTED;
		}
		tpc->pc += WORD;
	}
	return GAUDI_TPC_GOES_ON;
}
