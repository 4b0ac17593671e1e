/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * The TPC's instructions: decoded form, decoder, encoder, text.
 *
 * A word is 32 bytes and holds an operation for each of four units ("slots"),
 * or is as a whole a hardware loop. Facts: the vendor's open TPC compiler, by
 * what its assembler makes of text; see Documentation/blocks/tpc.rst.
 *
 * Decoding checks everything that an encoding can have wrong, so that the
 * interpreter need not. Not here: what an operation does. Its tables are
 * constant, so there is no lock.
 */
#ifndef GAUDI_TPC_ISA_H
#define GAUDI_TPC_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tpc_isa_ops.h"

#define GAUDI_TPC_WORD		32	/* bytes of an instruction word */

#define GAUDI_TPC_V_COUNT	40
#define GAUDI_TPC_VP_COUNT	16
#define GAUDI_TPC_S_COUNT	32	/* S32.. are the loops' iterators */
#define GAUDI_TPC_LOOPS		4	/* iterators S32 to S35 */
#define GAUDI_TPC_SP_COUNT	16
#define GAUDI_TPC_I_COUNT	32
#define GAUDI_TPC_AD_COUNT	8
#define GAUDI_TPC_DIMS		5	/* of an I register */
#define GAUDI_TPC_TENSORS	16

enum gaudi_tpc_slot {
	GAUDI_TPC_LOAD,			/* in the order of the text */
	GAUDI_TPC_SPU,
	GAUDI_TPC_VPU,
	GAUDI_TPC_STORE,
	GAUDI_TPC_SLOTS,
};

/* GAUDI_TPC_OP_MAC ...; the same in each slot that has the operation. */
enum gaudi_tpc_op {
#define X(name, text, ld, spu, vpu, st) GAUDI_TPC_OP_##name,
	GAUDI_TPC_OPS(X, -1)
#undef X
	GAUDI_TPC_OP_COUNT,
};

/* GAUDI_TPC_SW_SAT ...: an index of struct gaudi_tpc_insn's sw[]. */
enum gaudi_tpc_switch {
#define X(name, text, how) GAUDI_TPC_SW_##name,
	GAUDI_TPC_SWITCHES(X)
#undef X
	GAUDI_TPC_SW_COUNT,
};

/* As encoded; also the value of SW_TARGET. */
enum gaudi_tpc_type {
	GAUDI_TPC_F32,
	GAUDI_TPC_BF16,
	GAUDI_TPC_I32,
	GAUDI_TPC_U32,
	GAUDI_TPC_I8,
	GAUDI_TPC_U8,
	GAUDI_TPC_BOOL,			/* predicates */
	GAUDI_TPC_I16,
	GAUDI_TPC_U16,
	GAUDI_TPC_TYPES,
	GAUDI_TPC_NO_TYPE = GAUDI_TPC_TYPES,	/* the operation has none */
};

enum gaudi_tpc_rm {			/* SW_RM */
	GAUDI_TPC_RHNE,			/* nearest, ties to even */
	GAUDI_TPC_RZ,			/* toward zero */
	GAUDI_TPC_RU,			/* up */
	GAUDI_TPC_RD,			/* down */
	GAUDI_TPC_SR,			/* stochastic */
	GAUDI_TPC_RM_DEFAULT,		/* as ROUND_CSR says */
	GAUDI_TPC_RHAZ,			/* nearest, ties away from zero */
	GAUDI_TPC_RM_COUNT,
};

enum gaudi_tpc_func {			/* SW_FUNC */
	GAUDI_TPC_RECIP,
	GAUDI_TPC_RSQRT,
	GAUDI_TPC_SQRT,
	GAUDI_TPC_LOG,
	GAUDI_TPC_EXP,
	GAUDI_TPC_TANH,
	GAUDI_TPC_DIV,
	GAUDI_TPC_POW,
};

enum gaudi_tpc_variant {		/* SW_VARIANT */
	GAUDI_TPC_LUT_GENERAL,
	GAUDI_TPC_LUT_TANH,
	GAUDI_TPC_LUT_SQRT_RSQRT,
	GAUDI_TPC_LUT_SIN_COS,
	GAUDI_TPC_LUT_LOG,
};

/* What an operand is. The decoder has checked that num is in range. */
enum gaudi_tpc_kind {
	GAUDI_TPC_K_NONE,			/* there is no such operand */
	GAUDI_TPC_K_V,			/* V num, 0 to 39 */
	GAUDI_TPC_K_D,			/* V num and V num + 1; num is even */
	GAUDI_TPC_K_VP,			/* VP num, 0 to 15 */
	GAUDI_TPC_K_S,			/* S num, 0 to 35; 0 to 31 if written */
	GAUDI_TPC_K_Z,			/* S num and S num + 1; num is even */
	GAUDI_TPC_K_SP,			/* SP num, 0 to 15 */
	GAUDI_TPC_K_I,			/* I num, 0 to 31 */
	GAUDI_TPC_K_AD,			/* AD num, 0 to 7 */
	GAUDI_TPC_K_IMM,			/* the word's immediate: value */
	GAUDI_TPC_K_CONST,		/* a number in the field: value */
	GAUDI_TPC_K_TENSOR,		/* tensor num, 0 to 15 (to 31: none) */
	GAUDI_TPC_K_LANE_ID,		/* lanes' numbers; num bits wide: 32.. */
	GAUDI_TPC_K_LFSR,			/* VPU's; num 1: do not advance it */
	GAUDI_TPC_K_S_LFSR,		/* SPU's; num 1: do not advance it */
	GAUDI_TPC_K_HW,			/* enum gaudi_tpc_hw_reg num */
	GAUDI_TPC_KINDS,
};

enum gaudi_tpc_hw_reg {			/* num of K_HW */
	GAUDI_TPC_HW_PC = 0,
	GAUDI_TPC_HW_DIV_STEP = 1,
	GAUDI_TPC_HW_M0 = 4,		/* to M3 = 7 */
	GAUDI_TPC_HW_LD_TNSR_ID = 8,
	GAUDI_TPC_HW_ST_TNSR_ID = 9,
	GAUDI_TPC_HW_RMW = 10,
	GAUDI_TPC_HW_LD_PARTIAL = 11,
	GAUDI_TPC_HW_ST_PARTIAL = 12,
};

struct gaudi_tpc_operand {
	uint8_t kind;			/* enum gaudi_tpc_kind */
	uint8_t num;			/* of the register; see the kind */
	uint32_t value;			/* IMM (raw 32 bits), CONST */
};

/* Where something acts: everywhere if kind is NONE. */
struct gaudi_tpc_pred {
	uint8_t kind;			/* NONE, SP (all or nothing), VP */
	uint8_t num;			/* 0 to 15 */
	bool negate;			/* act where it is 0 */
};

/* src[] by place in the encoding; text may have another order. */
enum gaudi_tpc_src {
	GAUDI_TPC_SRC_A,
	GAUDI_TPC_SRC_B,
	GAUDI_TPC_SRC_C,
	GAUDI_TPC_SRC_D,
	GAUDI_TPC_SRCS,
};

/*
 * One slot's operation. src[], by operation:
 *   arithmetic		A op B; one source: A; SEL: A cmp B ? C : D
 *   MOV_DG, MOV_G	A; the byte mask is B, IMM
 *   GET_LUT_ENTRY	A, shift B (CONST); LOOKUP*: A, function id B (CONST)
 *   LD_TNSR, GEN_ADDR	coordinate A (I), tensor B (TENSOR, or S 27)
 *   ST_TNSR		coordinate A (I), tensor B (TENSOR, or S 28), value C
 *   LD_L, LD_L_V	address A; ST_L, ST_L_V: address A, value C
 *   LD_G		A (AD); ST_G: A (AD), value C
 *   PRMT_INDX		A (I), B (S); SET_INDX: A
 *   JMPR, JMPA		A (S or IMM: bytes, signed)
 * dest of MAC and of whatever leaves lanes alone is a source, too (the income).
 */
struct gaudi_tpc_insn {
	uint8_t op;			/* enum gaudi_tpc_op */
	uint8_t slot;			/* enum gaudi_tpc_slot */
	uint8_t type;			/* enum gaudi_tpc_type, or NO_TYPE */
	uint16_t form;			/* row of the table in tpc_isa.c */
	struct gaudi_tpc_pred pred;
	struct gaudi_tpc_operand dest;	/* NONE if there is none */
	struct gaudi_tpc_operand src[GAUDI_TPC_SRCS];
	uint8_t sw[GAUDI_TPC_SW_COUNT];	/* 0 what the operation has not */
};

enum gaudi_tpc_loop_cmp {		/* iterator cmp boundary: go on */
	GAUDI_TPC_LOOP_GRT,
	GAUDI_TPC_LOOP_GEQ,
	GAUDI_TPC_LOOP_LESS,
	GAUDI_TPC_LOOP_LEQ,
	GAUDI_TPC_LOOP_EQ,
	GAUDI_TPC_LOOP_NEQ,
	GAUDI_TPC_LOOP_CMPS,
};

struct gaudi_tpc_loop {
	struct gaudi_tpc_operand start;	/* S or IMM, as the next two */
	struct gaudi_tpc_operand boundary;
	struct gaudi_tpc_operand step;
	uint8_t cmp;			/* enum gaudi_tpc_loop_cmp */
	bool once;			/* the body at most once */
	uint16_t end;			/* bytes from this word to the last */
	struct gaudi_tpc_pred pred;	/* NONE or SP */
};

/* A word. Its parts read the old state, then all are written. */
struct gaudi_tpc_word {
	bool is_loop;			/* loop counts; all slots are NOP */
	struct gaudi_tpc_loop loop;
	struct gaudi_tpc_insn slot[GAUDI_TPC_SLOTS];
};

/* What is wrong with a word, or with what is to become one. */
struct gaudi_tpc_error {
	uint8_t slot;			/* enum gaudi_tpc_slot */
	const char *field;		/* "opcode", "type", "srcA" ... */
	uint32_t value;			/* what that holds */
	char text[120];			/* all of it, in a sentence */
};

/* 0, or -1 and *err (which may be NULL). A word is 32 bytes. */
int gaudi_tpc_decode(const uint8_t *raw, struct gaudi_tpc_word *word,
		     struct gaudi_tpc_error *err);
/* Does a kernel end with this word? */
bool gaudi_tpc_is_halt(const uint8_t *raw);
/*
 * The reverse. Of an insn op, slot, form, type, dest, src, sw and pred count;
 * gaudi_tpc_find_form() finds form by the others. Slots that contend for a
 * field with different contents are an error.
 */
int gaudi_tpc_encode(const struct gaudi_tpc_word *word, uint8_t *raw,
		     struct gaudi_tpc_error *err);
int gaudi_tpc_find_form(struct gaudi_tpc_insn *insn,
			struct gaudi_tpc_error *err);

/* A word of four NOPs. */
void gaudi_tpc_nops(struct gaudi_tpc_word *word);

const char *gaudi_tpc_op_name(unsigned int op);
const char *gaudi_tpc_slot_name(unsigned int slot);
const char *gaudi_tpc_type_name(unsigned int type);

/*
 * The word as text that the assembler accepts, without a newline: the number
 * of characters, as snprintf(). GAUDI_TPC_TEXT are always enough.
 */
#define GAUDI_TPC_TEXT		512
int gaudi_tpc_print(const struct gaudi_tpc_word *word, char *text, size_t size);
/* The same, with target, if not NULL, for where a jump or a loop leads. */
int gaudi_tpc_print_to(const struct gaudi_tpc_word *word, const char *target,
		       char *text, size_t size);
/*
 * Where a word at byte pc of a kernel leads to by itself: the destination of a
 * jump by an immediate, what follows the last word of a loop. False if nowhere.
 */
bool gaudi_tpc_target(const struct gaudi_tpc_word *word, int64_t pc,
		      int64_t *target);

#endif /* GAUDI_TPC_ISA_H */
