/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What one operation of a tensor core does, once more: lane by lane and in the
 * plainest way, from the facts alone. Nothing of the interpreter is used but
 * the shapes of its structures.
 */
#ifndef TEST_TPC_REF_H
#define TEST_TPC_REF_H

#include "../exec/tpc_host.h"

struct ref {
	struct gaudi_tpc_regs r;
	uint32_t slm[GAUDI_TPC_SLM / 4];
	uint8_t vlm[GAUDI_TPC_VLM];
	uint8_t *mem;			/* HOST_BYTES */
	uint32_t semaphore;
	uint64_t pc;			/* from the start of the kernel */
	bool halted;
	struct gaudi_tpc_launch launch;
	uint32_t reg_off, reg_value;	/* of a write by MMIO */
};

/* False: the facts give it no meaning. */
bool ref_step(struct ref *ref, const struct gaudi_tpc_insn *in);
/* All of a word: each reads what was there before it. It is no loop. */
bool ref_word(struct ref *ref, const struct gaudi_tpc_word *word);

/* tpc_ref_num.c */
unsigned int ref_size(unsigned int type);
int64_t ref_number(uint32_t x, unsigned int type);
int64_t ref_limited(int64_t v, unsigned int type);
double ref_float(uint32_t x, unsigned int type);	/* flushed */
uint32_t ref_bits(double v, unsigned int type);	/* nearest; flushed */
unsigned int ref_round_mode(const struct ref *ref,
			    const struct gaudi_tpc_insn *in);
/* v to a whole number; random: 2^32 of them are a unit. */
double ref_round(double v, unsigned int mode, uint32_t random);
uint32_t ref_convert(uint32_t x, unsigned int from, unsigned int to,
		     unsigned int mode, uint32_t random);
uint32_t ref_convert_shift(uint32_t x, unsigned int from, unsigned int to,
			   unsigned int shift, unsigned int mode,
			   uint32_t random);
/* One lane of arithmetic whose result is as wide as its operands. */
bool ref_lane(const struct ref *ref, const struct gaudi_tpc_insn *in,
	      const uint32_t *src, uint32_t old, uint32_t random, bool carry,
	      uint32_t *r, bool *carry_out);
/* A result of 32 bits of narrower operands. */
bool ref_wide(const struct gaudi_tpc_insn *in, uint32_t a, uint32_t b,
	      uint32_t old, uint32_t *r);
bool ref_compare(const struct gaudi_tpc_insn *in, unsigned int type,
		 uint32_t a, uint32_t b);
void ref_interval(const struct gaudi_tpc_insn *in, uint32_t x, uint32_t *entry,
		  uint32_t *start);

/* tpc_ref_mem.c: operations of LOAD and STORE. */
bool ref_memory(struct ref *ref, const struct ref *old,
		const struct gaudi_tpc_insn *in);

/* tpc_ref.c, for it. */
uint32_t ref_scalar(struct ref *ref, const struct ref *old,
		    const struct gaudi_tpc_operand *o);
void ref_write_s(struct ref *ref, const struct gaudi_tpc_operand *dest,
		 uint32_t value);
void ref_vector(struct ref *ref, const struct ref *old,
		const struct gaudi_tpc_operand *o, unsigned int size,
		uint8_t *to);
void ref_commit(struct ref *ref, const struct ref *old,
		const struct gaudi_tpc_insn *in, const uint8_t *out,
		unsigned int size);
/* Bits of a predicate, a byte 0 or 1 for each. */
void ref_commit_vp(struct ref *ref, const struct ref *old,
		   const struct gaudi_tpc_insn *in, const uint8_t *out);
uint32_t ref_get(const uint8_t *from, unsigned int size, unsigned int lane);
void ref_put(uint8_t *to, unsigned int size, unsigned int lane, uint32_t x);

#endif /* TEST_TPC_REF_H */
