/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * The table of the TPC's instructions, for what reads it: decoder, encoder,
 * assembler, disassembler.
 *
 * A row ("form") is one combination of operation, types and operands, in the
 * order in which text has the operands, with the places of the encoding that
 * they and the modifiers have.
 */
#ifndef GAUDI_TPC_ISA_TABLE_H
#define GAUDI_TPC_ISA_TABLE_H

#include "tpc_isa.h"

/* Places of the encoding; where a slot has them is in gaudi_tpc_fields. */
enum gaudi_tpc_at {
	GAUDI_TPC_AT_END,		/* no more operands */
	GAUDI_TPC_AT_OPCODE,
	GAUDI_TPC_AT_TYPE,
	GAUDI_TPC_AT_DEST,
	GAUDI_TPC_AT_A,
	GAUDI_TPC_AT_B,
	GAUDI_TPC_AT_C,
	GAUDI_TPC_AT_D,
	GAUDI_TPC_AT_SW,
	GAUDI_TPC_AT_POLARITY,
	GAUDI_TPC_AT_PRED,
	GAUDI_TPC_AT_FIELDS,
	/* Of operands only: */
	GAUDI_TPC_AT_IMM = GAUDI_TPC_AT_FIELDS,	/* the immediate; source B */
	GAUDI_TPC_AT_MASK,		/* text has SW_DIMS here */
	GAUDI_TPC_AT_FIXED,		/* text has this S register here */
};

struct gaudi_tpc_field {
	uint8_t first;			/* bit of the word */
	uint8_t width;			/* bits; 0: the slot has no such field */
};

#define GAUDI_TPC_IMM_FIRST	151	/* the immediate, 32 bits */
#define GAUDI_TPC_IMM_CODE	127	/* of an operand that is the immediate */

struct gaudi_tpc_place {
	uint8_t at;			/* enum gaudi_tpc_at */
	uint8_t arg;			/* CONST: bits; FIXED: the register */
	uint8_t when;			/* FIXED: if this switch is set */
	uint32_t kinds;			/* bit k: kind k may be here */
};

/* Values of gaudi_tpc_place_sw.def beyond any switch's. */
#define GAUDI_TPC_REQUIRED	0xff	/* text must have it */

struct gaudi_tpc_place_sw {
	uint8_t sw;			/* enum gaudi_tpc_switch */
	uint8_t at;			/* END ends a list */
	uint8_t shift;			/* bits into the field */
	uint8_t width;			/* bits */
	uint8_t def;			/* what it is if text has nothing */
};

#define GAUDI_TPC_PLACES	6	/* operands of a form, and an end */
#define GAUDI_TPC_NEEDS		2

struct gaudi_tpc_form {
	uint8_t op;
	uint8_t slot;
	uint16_t types;			/* bit t: type t; 0: text has no type */
	uint8_t code;			/* then, what the type field holds, */
	bool code_counts;		/* by which the form is known */
	bool type_in_b;			/* the type is in srcB, bits 7 to 4 */
	bool typeless;			/* switches are in the type's place */
	bool lanes_too;			/* LOAD: a VP may be the predicate */
	bool dest_in_a;			/* srcA repeats dest */
	bool b_in_imm;			/* the immediate repeats srcB */
	struct gaudi_tpc_place place[GAUDI_TPC_PLACES];
	const struct gaudi_tpc_place_sw *sw;	/* NULL: none */
	/* The form is for these values of switches only. */
	struct {
		uint8_t sw;
		uint8_t value;
	} need[GAUDI_TPC_NEEDS];
	uint8_t needs;
};

enum gaudi_tpc_how {			/* a switch is written */
	GAUDI_TPC_FLAG,
	GAUDI_TPC_NUMBER,
	GAUDI_TPC_OPTION,
	GAUDI_TPC_NAMES,
	GAUDI_TPC_BARE,
	GAUDI_TPC_MASK,
	GAUDI_TPC_HIDDEN,
};

struct gaudi_tpc_switch_text {
	const char *text;
	uint8_t how;			/* enum gaudi_tpc_how */
};

/* What values a switch has: 0 to count - 1; all that fit if count is 0. */
struct gaudi_tpc_names {
	unsigned int count;
	/* By value; NULL: no such value; "": not written. NULL: numbers. */
	const char *const *list;
};

extern const struct gaudi_tpc_form gaudi_tpc_forms[];
extern const unsigned int gaudi_tpc_form_count;
extern const struct gaudi_tpc_field
	gaudi_tpc_fields[GAUDI_TPC_SLOTS][GAUDI_TPC_AT_FIELDS];
extern const struct gaudi_tpc_switch_text
	gaudi_tpc_switches[GAUDI_TPC_SW_COUNT];
extern const struct gaudi_tpc_names gaudi_tpc_names[GAUDI_TPC_SW_COUNT];
extern const char *const gaudi_tpc_type_names[GAUDI_TPC_TYPES];
extern const char *const gaudi_tpc_hw_names[];
extern const unsigned int gaudi_tpc_hw_count;
extern const char *const gaudi_tpc_loop_cmps[GAUDI_TPC_LOOP_CMPS];

/* The opcode of op in slot, or -1. */
int gaudi_tpc_opcode(unsigned int slot, unsigned int op);

/* The operand that a place is of, or NULL: MASK and FIXED have none. */
struct gaudi_tpc_operand *gaudi_tpc_operand_at(struct gaudi_tpc_insn *insn,
					       unsigned int at);

#endif /* GAUDI_TPC_ISA_TABLE_H */
