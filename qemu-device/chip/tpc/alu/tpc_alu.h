/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * The arithmetic of a tensor core: what an operation makes of its operands,
 * without registers, predicates or memory.
 *
 * An operation is a function of struct gaudi_tpc_lanes, for each type: one for
 * all lanes of a vector and one for the first lane only, which the scalar unit
 * uses. What kernels execute all the time is compiled several times, for more
 * than one kind of host (tpc_alu_hot_*.h); all give the same bits. It has no
 * state, and so no lock.
 */
#ifndef GAUDI_TPC_ALU_H
#define GAUDI_TPC_ALU_H

#include <stdbool.h>
#include <stdint.h>

#include "tpc_vec.h"
#include "../isa/tpc_isa.h"

struct gaudi_tpc_lanes {
	const gaudi_tpc_vec *a;
	const gaudi_tpc_vec *b;
	const gaudi_tpc_vec *c;
	const gaudi_tpc_vec *d;
	const gaudi_tpc_vec *old;	/* the destination's values: one or two */
	gaudi_tpc_vec *r;		/* result: one or two */
	const gaudi_tpc_vec *carry_in;
	gaudi_tpc_vec *carry;		/* out, as a predicate */
	const gaudi_tpc_vec *random;	/* for stochastic rounding */
	uint32_t sw;			/* switches and such, by operation */
	uint32_t imm;
	uint8_t round;
	uint8_t from;			/* conversions: type of the source ... */
	uint8_t to;			/* ... and of the result */
	uint8_t lane;			/* LANE_SEL */
	bool all;			/* ALL_LANES, with a pair of vectors */
};

typedef void gaudi_tpc_lanes_fn(const struct gaudi_tpc_lanes *x);

/* Operations that are compiled for several kinds of host. */
enum gaudi_tpc_hot {
	GAUDI_TPC_ADD, GAUDI_TPC_ADD_SAT, GAUDI_TPC_ADD_CARRY,
	GAUDI_TPC_ADD_CARRY_SAT,
	GAUDI_TPC_SUB, GAUDI_TPC_SUB_SAT,
	GAUDI_TPC_MAX, GAUDI_TPC_MIN, GAUDI_TPC_ABS,
	GAUDI_TPC_CMP_EQ, GAUDI_TPC_CMP_NEQ, GAUDI_TPC_CMP_LESS,
	GAUDI_TPC_CMP_LEQ, GAUDI_TPC_CMP_GRT, GAUDI_TPC_CMP_GEQ,
	GAUDI_TPC_CMP_MASK,
	GAUDI_TPC_OR, GAUDI_TPC_AND, GAUDI_TPC_XOR, GAUDI_TPC_NOT,
	GAUDI_TPC_SHR, GAUDI_TPC_SHL, GAUDI_TPC_ASH,
	GAUDI_TPC_MUL,			/* one result as wide as the operands */
	GAUDI_TPC_MUL_WIDE,		/* a pair of vectors */
	GAUDI_TPC_MUL_ROUND,		/* DOUBLE_AND_ROUND32 */
	GAUDI_TPC_MUL_UPPER,
	GAUDI_TPC_MAC, GAUDI_TPC_MAC_NEG,
	GAUDI_TPC_MAC_WIDE, GAUDI_TPC_MAC_WIDE_NEG,
	GAUDI_TPC_MAC_WIDE_SAT, GAUDI_TPC_MAC_WIDE_NEG_SAT,
	GAUDI_TPC_HOTS,
};

struct gaudi_tpc_core;
struct gaudi_tpc_step;

/* Whole operations that have code of their own: tpc/exec/tpc_alu_step.h. */
enum gaudi_tpc_step_kind {
	GAUDI_TPC_STEP_ANY,		/* by the operation's function */
	GAUDI_TPC_STEP_WORD,		/* all operations of a cyclic word */
	GAUDI_TPC_STEP_LD_TNSR,		/* all of a vector, as the next one */
	GAUDI_TPC_STEP_ST_TNSR,
	GAUDI_TPC_STEP_ST_PARTIAL,	/* the elements that S31 says */
	GAUDI_TPC_STEP_V,		/* arithmetic of vectors, in place */
	GAUDI_TPC_STEP_V_SPLAT,		/* ... with a scalar as B */
	GAUDI_TPC_STEP_V_MOV,
	GAUDI_TPC_STEP_V_QUICK,		/* enum gaudi_tpc_quick, in place */
	GAUDI_TPC_STEP_SHUFFLE,		/* ... of 32 bits */
	GAUDI_TPC_STEP_INDEX,		/* a scalar to dimensions */
	GAUDI_TPC_STEP_INDEX_ADD,	/* two index registers */
	GAUDI_TPC_STEP_S_MOV,
	/* 32 bits, by operation */
	GAUDI_TPC_STEP_S_ADD, GAUDI_TPC_STEP_S_SUB, GAUDI_TPC_STEP_S_MUL,
	GAUDI_TPC_STEP_S_OR, GAUDI_TPC_STEP_S_AND, GAUDI_TPC_STEP_S_XOR,
	GAUDI_TPC_STEP_S_SHL, GAUDI_TPC_STEP_S_SHR,
	GAUDI_TPC_STEP_S_EQ, GAUDI_TPC_STEP_S_NEQ, GAUDI_TPC_STEP_S_LESS,
	GAUDI_TPC_STEP_S_LEQ, GAUDI_TPC_STEP_S_GRT, GAUDI_TPC_STEP_S_GEQ,
	GAUDI_TPC_STEPS,
};

/* Operations on whole vectors that some hosts do at once. */
enum gaudi_tpc_quick {
	GAUDI_TPC_SLOW,			/* none of them */
	GAUDI_TPC_SHUFFLE_32, GAUDI_TPC_SHUFFLE_16, GAUDI_TPC_EXPONENT_F32,
	GAUDI_TPC_CLASS_F32, GAUDI_TPC_FORM_F32,
	GAUDI_TPC_QUICKS,
};

/* NULL: the operation does not exist for the type. */
struct gaudi_tpc_alu {
	const char *name;
	/* By operation and type. */
	void (*vec[GAUDI_TPC_HOTS][GAUDI_TPC_TYPES])(const struct gaudi_tpc_lanes *x);
	/* The same, of the first lane. */
	void (*one[GAUDI_TPC_HOTS][GAUDI_TPC_TYPES])(const struct gaudi_tpc_lanes *x);
	/* Of whole vectors. */
	void (*quick[GAUDI_TPC_QUICKS])(const struct gaudi_tpc_lanes *x);
	/* Whole operations. False: the kernel has ended. */
	bool (*step[GAUDI_TPC_STEPS])(struct gaudi_tpc_core *core,
				      const struct gaudi_tpc_step *step);
	/* Copy of lanes: r = a where the predicate c is true, else old. */
	void (*blend)(gaudi_tpc_vec *r, const gaudi_tpc_vec *a,
		      const gaudi_tpc_vec *pred, unsigned int elem, bool inv);
	/* r = c where the predicate is true, else d. */
	void (*choose)(gaudi_tpc_vec *r, const gaudi_tpc_vec *c,
		       const gaudi_tpc_vec *d, const gaudi_tpc_vec *pred,
		       unsigned int elem);
	void (*splat)(gaudi_tpc_vec *r, uint32_t value, unsigned int elem);
	gaudi_tpc_lanes_fn *f32_to_i32, *i32_to_f32, *f32_to_bf16,
			   *bf16_to_f32, *nearest_f32;
};

/* The others: n lanes of a type, compiled once. */
typedef void gaudi_tpc_cold_fn(const struct gaudi_tpc_lanes *x, uint8_t type,
			       unsigned int n);

gaudi_tpc_cold_fn gaudi_tpc_popcnt, gaudi_tpc_find_first, gaudi_tpc_brev,
	gaudi_tpc_nearbyint, gaudi_tpc_extract_exp, gaudi_tpc_fclass,
	gaudi_tpc_form_fp_num, gaudi_tpc_calc_fp_special, gaudi_tpc_convert,
	gaudi_tpc_convert_int, gaudi_tpc_shuffle, gaudi_tpc_pack,
	gaudi_tpc_unpack, gaudi_tpc_mov_dg, gaudi_tpc_mov_g;

/* Bytes of an element; 0 for none. */
unsigned int gaudi_tpc_type_size(uint8_t type);

/* Lane i of a vector, as its bits. */
static inline uint32_t gaudi_tpc_lane(const gaudi_tpc_vec *v, unsigned int elem,
				      unsigned int i)
{
	return elem == 4 ? v->w[i] : elem == 2 ? v->h[i] : v->b[i];
}

static inline void gaudi_tpc_set_lane(gaudi_tpc_vec *v, unsigned int elem,
				      unsigned int i, uint32_t value)
{
	if (elem == 4)
		v->w[i] = value;
	else if (elem == 2)
		v->h[i] = value;
	else
		v->b[i] = value;
}

/* Switches of CONVERT_INT*: in x->sw. */
#define GAUDI_TPC_CI_UNSIGNED	0x1u
#define GAUDI_TPC_CI_FROM16	0x2u
#define GAUDI_TPC_CI_TO16	0x4u

#endif /* GAUDI_TPC_ALU_H */
