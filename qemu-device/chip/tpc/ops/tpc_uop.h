/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Code as the interpreter executes it: for each operation of a word the
 * function that does it, with its operands resolved. For tpc/ops/ and tpc/exec/
 * only.
 */
#ifndef GAUDI_TPC_UOP_H
#define GAUDI_TPC_UOP_H

#include "../alu/tpc_alu.h"
#include "tpc_state.h"

struct gaudi_tpc_uop;
typedef void gaudi_tpc_uop_fn(struct gaudi_tpc_core *core,
			      const struct gaudi_tpc_uop *op);

struct gaudi_tpc_uop {
	gaudi_tpc_uop_fn *run;
	gaudi_tpc_cold_fn *cold;	/* arithmetic, if it is not a hot one */
	struct gaudi_tpc_operand dest;
	struct gaudi_tpc_operand src[GAUDI_TPC_SRCS];
	uint32_t sw;			/* as the arithmetic wants them */
	uint32_t imm;
	uint16_t count;			/* index of core->count */
	uint8_t sp;			/* runs if this SP is not negate ... */
	uint8_t vp;			/* ... in lanes with this VP, if not 0 */
	bool negate;
	bool vnegate;
	uint8_t op;
	uint8_t slot;
	uint8_t hot;
	uint8_t quick;			/* enum gaudi_tpc_quick */
	uint8_t type;			/* of the operands */
	uint8_t elem;			/* bytes of an element of the result */
	uint8_t round;
	uint8_t from, to, lane;
	bool all;
	bool pair;			/* the result is two vectors */
	bool flag;			/* by operation */
	uint8_t dims;			/* bit d: dimension d */
};

/* What a word reads or writes, a bit for each register. */
struct gaudi_tpc_use {
	uint64_t v;
	uint64_t s;
	uint32_t i;
	uint16_t vp;
	uint16_t sp;
	uint8_t ad;
	uint8_t other;			/* GAUDI_TPC_USE_* */
};

#define GAUDI_TPC_USE_LFSR	0x01u
#define GAUDI_TPC_USE_S_LFSR	0x02u
#define GAUDI_TPC_USE_MEMORY	0x04u
#define GAUDI_TPC_USE_CARRY	0x08u
#define GAUDI_TPC_USE_S_CARRY	0x10u

enum gaudi_tpc_uword_kind {
	GAUDI_TPC_PLAIN,
	GAUDI_TPC_LOOP_WORD,
	GAUDI_TPC_BAD,
};

struct gaudi_tpc_uword {
	uint8_t kind;
	uint8_t count;			/* of op */
	bool cyclic;			/* each reads what another one writes */
	struct gaudi_tpc_uop op[GAUDI_TPC_SLOTS];
	struct gaudi_tpc_loop loop;
	char bad[120];			/* what is wrong with it */
	bool unmodelled;		/* it has an encoding, no known meaning */
	struct gaudi_tpc_use reads[GAUDI_TPC_SLOTS];	/* beside op */
	struct gaudi_tpc_use writes[GAUDI_TPC_SLOTS];
};

/* tpc_end.c: the kernel ends here. The first reason counts. */
void gaudi_tpc_end(struct gaudi_tpc_core *core, enum gaudi_tpc_why why,
		   uint64_t addr, const char *what);
/* A scalar operand; of an immediate, the raw bits. Read it once. */
uint32_t gaudi_tpc_scalar(struct gaudi_tpc_core *core,
			  const struct gaudi_tpc_operand *operand);
/* An operation's rounding, GAUDI_TPC_RHNE to RHAZ; the default is the launch's. */
uint8_t gaudi_tpc_round_mode(const struct gaudi_tpc_core *core,
			     const struct gaudi_tpc_uop *op);
/* Random bits: advances the registers. tpc_lfsr.c */
void gaudi_tpc_lfsr_step(struct gaudi_tpc_core *core);
uint32_t gaudi_tpc_s_lfsr_step(struct gaudi_tpc_core *core);
void gaudi_tpc_lfsr_reset(struct gaudi_tpc_core *core);
/* Are they as after a reset? */
bool gaudi_tpc_lfsr_is_new(const struct gaudi_tpc_core *core);

/* tpc_vpu.c: a source; tmp holds what is no register. */
const gaudi_tpc_vec *gaudi_tpc_source(struct gaudi_tpc_core *core,
				      const struct gaudi_tpc_operand *o,
				      unsigned int elem, gaudi_tpc_vec *tmp);
/* Results into a V, a pair of them, or a VP. */
void gaudi_tpc_write_v(struct gaudi_tpc_core *core,
		       const struct gaudi_tpc_uop *op, const gaudi_tpc_vec *r);
void gaudi_tpc_write_vp(struct gaudi_tpc_core *core,
			const struct gaudi_tpc_uop *op, const gaudi_tpc_vec *r);

/* Functions of operations, by file. */
gaudi_tpc_uop_fn gaudi_tpc_v_hot, gaudi_tpc_v_cold, gaudi_tpc_v_cmp,
	gaudi_tpc_v_sel, gaudi_tpc_v_sel2, gaudi_tpc_v_mov,
	gaudi_tpc_v_mov_vp, gaudi_tpc_v_convert, gaudi_tpc_v_logic_vp,
	gaudi_tpc_v_quick;
gaudi_tpc_uop_fn gaudi_tpc_s_hot, gaudi_tpc_s_cold, gaudi_tpc_s_cmp,
	gaudi_tpc_s_mov, gaudi_tpc_s_logic_sp, gaudi_tpc_s_index,
	gaudi_tpc_s_irf_dim, gaudi_tpc_s_udiv, gaudi_tpc_set_index,
	gaudi_tpc_permute_index;
gaudi_tpc_uop_fn gaudi_tpc_ld_tnsr, gaudi_tpc_st_tnsr, gaudi_tpc_gen_addr,
	gaudi_tpc_ld_g, gaudi_tpc_st_g, gaudi_tpc_ld_l, gaudi_tpc_st_l,
	gaudi_tpc_ld_l_v, gaudi_tpc_st_l_v, gaudi_tpc_lookup, gaudi_tpc_aso;
gaudi_tpc_cold_fn gaudi_tpc_lut_entry;

/* tpc_tensor.c: device memory. False: the kernel has ended. */
bool gaudi_tpc_load(struct gaudi_tpc_core *core, unsigned int window,
		    uint64_t addr, void *buf, size_t len);
void gaudi_tpc_load_tensors(struct gaudi_tpc_core *core);
void gaudi_tpc_forget(struct gaudi_tpc_core *core);

/* Predicates: 32 bytes of bits, and a byte for each bit. */
void gaudi_tpc_spread(uint8_t *r, const uint8_t *bits, size_t bytes);
void gaudi_tpc_gather(uint8_t *bits, const gaudi_tpc_vec *vp);

/* tpc_flags.c: causes of a word that is done; core->in is what was before. */
void gaudi_tpc_flags(struct gaudi_tpc_core *core,
		     const struct gaudi_tpc_uword *word);

#endif /* GAUDI_TPC_UOP_H */
