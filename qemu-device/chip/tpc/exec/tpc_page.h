/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Code as it is found again and executed, by pages of words. What the files of
 * the interpreter share beyond tpc_exec.h and the operations.
 */
#ifndef GAUDI_TPC_PAGE_H
#define GAUDI_TPC_PAGE_H

#include "tpc_exec.h"
#include "../ops/tpc_uop.h"

/*
 * An operation on the way through words that follow each other: what of it is
 * needed then, and nothing else. Where alu->step has no code of its own for the
 * operation, its function is called.
 */
struct gaudi_tpc_step {
	uint8_t kind;			/* enum gaudi_tpc_step_kind */
	bool guarded;			/* runs if ... */
	uint8_t sp;			/* ... this SP is not ... */
	bool negate;
	uint8_t word;			/* of the page */
	uint8_t r, a, b, c;		/* registers */
	uint8_t tensor;
	uint8_t dims;
	uint8_t elem;
	bool fixed_a, fixed_b;		/* scalars: imm instead of the register */
	uint32_t sw;
	uint32_t imm;
	uint32_t arith;			/* index of alu->vec or alu->quick */
	const gaudi_tpc_vec *vec_a;	/* an immediate in all lanes, or NULL */
	const gaudi_tpc_vec *vec_b;
	const struct gaudi_tpc_uop *op;
	const struct gaudi_tpc_uword *all;	/* of a cyclic word */
};

/* Code is decoded, and found again, in pages of so many words. */
#define GAUDI_TPC_PAGE_WORDS	64u
#define GAUDI_TPC_PAGE_BYTES	(GAUDI_TPC_PAGE_WORDS * GAUDI_TPC_WORD)

struct gaudi_tpc_page {
	struct gaudi_tpc_page *next;	/* of the same hash */
	struct gaudi_tpc_page *older, *newer;	/* of those not in use */
	uint64_t hash;
	unsigned int users;
	unsigned int words;		/* that could be read */
	uint8_t raw[GAUDI_TPC_PAGE_BYTES];
	/*
	 * From a word on so many follow each other, without a loop, a jump or
	 * the end; their steps, and the counters of their operations, are those
	 * from first_step and first_count on.
	 */
	uint8_t straight[GAUDI_TPC_PAGE_WORDS];
	uint16_t first_step[GAUDI_TPC_PAGE_WORDS + 1];
	uint16_t first_count[GAUDI_TPC_PAGE_WORDS + 1];
	struct gaudi_tpc_step *step;
	uint16_t *count;
	gaudi_tpc_vec *constant;	/* one for each word */
	struct gaudi_tpc_uword word[];
};

/* tpc_step.c: the steps of a page whose words are prepared. */
void gaudi_tpc_make_steps(struct gaudi_tpc_page *page);
/* tpc_exec.c: a word whose operations read a copy of the registers. */
void gaudi_tpc_run_cyclic(struct gaudi_tpc_core *core,
			  const struct gaudi_tpc_uword *word);

/* tpc_prep.c: from bytes to what is executed. */
void gaudi_tpc_prepare(const uint8_t *raw, struct gaudi_tpc_uword *word);
/* What an operation reads and writes. */
void gaudi_tpc_uses(const struct gaudi_tpc_uop *op, struct gaudi_tpc_use *reads,
		    struct gaudi_tpc_use *writes);

/* tpc_cache.c. NULL: no memory. Each get is followed by a put. */
struct gaudi_tpc_page *gaudi_tpc_page_get(struct gaudi_tpc_cache *cache,
					  const uint8_t *raw,
					  unsigned int words);
void gaudi_tpc_page_put(struct gaudi_tpc_cache *cache,
			struct gaudi_tpc_page *page);

/* tpc_exec.c: operations that say where to go on. */
gaudi_tpc_uop_fn gaudi_tpc_s_jump, gaudi_tpc_halt, gaudi_tpc_nothing;

/* tpc_check.c: false: the kernel has ended. */
bool gaudi_tpc_check_word(struct gaudi_tpc_core *core,
			  const struct gaudi_tpc_uword *word);
void gaudi_tpc_check_reset(struct gaudi_tpc_core *core);

/* tpc_alu_*.c: the arithmetic of this host. */
/* NULL: this host cannot run it. */
const struct gaudi_tpc_alu *gaudi_tpc_alu_portable(void);
const struct gaudi_tpc_alu *gaudi_tpc_alu_avx2(void);
const struct gaudi_tpc_alu *gaudi_tpc_alu_avx512(void);

#endif /* GAUDI_TPC_PAGE_H */
