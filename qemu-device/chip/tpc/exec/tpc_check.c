// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Finds code that this model executes but that hardware may not: registers
 * that are read before the pipeline has written them, and instructions that
 * exclude each other.
 *
 * Latencies are not published. What counts as too early is less than the
 * shortest distance that the open compiler leaves in the code it has made for
 * the tests of this model; so the checker knows a part only.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tpc_page.h"

/* Words from the one that writes to the first that may read. */
#define ALU_TO_ALU	4
#define LOAD_TO_VPU	4
#define TO_PREDICATE	2

struct gaudi_tpc_check {
	/* The word (counted from 1) from which on a register may be read. */
	uint64_t v[GAUDI_TPC_V_COUNT];		/* by the VPU, as a source */
	uint64_t s[GAUDI_TPC_S_COUNT];		/* by the SPU */
	uint64_t vp[GAUDI_TPC_VP_COUNT];
	uint64_t sp[GAUDI_TPC_SP_COUNT];
	/* Of the word before this one: */
	uint64_t products;			/* V that MAC or MUL wrote */
	bool looked_up;
	uint8_t half;				/* LD_TNSR_LOW or _HIGH, or 0 */
	bool waived;				/* the word that comes may do it */
};

int gaudi_tpc_check_hazards(struct gaudi_tpc_core *core, bool on)
{
	free(core->check);
	core->check = NULL;
	if (!on)
		return 0;
	core->check = calloc(1, sizeof(*core->check));
	return core->check ? 0 : -ENOMEM;
}

void gaudi_tpc_check_reset(struct gaudi_tpc_core *core)
{
	if (core->check)
		memset(core->check, 0, sizeof(*core->check));
}

bool gaudi_tpc_waive_hazard(struct gaudi_tpc_core *core)
{
	if (!core->ended || core->stop.why != GAUDI_TPC_HAZARD || !core->check)
		return false;
	core->check->waived = true;
	core->ended = false;
	core->stop.why = GAUDI_TPC_BUDGET;
	return true;
}

/* --- pairs within a word --------------------------------------------------- */

static bool is_lookup(uint8_t op)
{
	return op == GAUDI_TPC_OP_LOOKUP || op == GAUDI_TPC_OP_LOOKUP_1C ||
	       op == GAUDI_TPC_OP_LOOKUP_2C;
}

static bool is_local(gaudi_tpc_uop_fn *run)
{
	return run == gaudi_tpc_ld_l || run == gaudi_tpc_ld_l_v;
}

static const char *wrong_pair(const struct gaudi_tpc_uop *load,
			      const struct gaudi_tpc_uop *store)
{
	bool local = is_local(load->run) || is_lookup(load->op);

	if (local && (store->run == gaudi_tpc_st_l ||
		      store->run == gaudi_tpc_st_l_v))
		return "a local load or look-up beside a local store";
	if (load->run == gaudi_tpc_ld_g && store->run == gaudi_tpc_st_g)
		return "LD_G beside ST_G";
	if (store->op != GAUDI_TPC_OP_ASO)
		return NULL;
	if (load->run == gaudi_tpc_ld_tnsr || is_lookup(load->op) ||
	    (load->run == gaudi_tpc_ld_g &&
	     load->dest.kind == GAUDI_TPC_K_V))
		return "ASO beside a load of a vector";
	return NULL;
}

/* Index registers may be shared, by dimension. */
static const char *written_twice(const struct gaudi_tpc_uword *word,
				 unsigned int a, unsigned int b)
{
	const struct gaudi_tpc_use *x = &word->writes[a], *y = &word->writes[b];

	if (x->v & y->v || x->s & y->s || x->vp & y->vp ||
	    x->sp & y->sp || x->ad & y->ad)
		return "two slots write one register";
	if (x->i & y->i && word->op[a].dims & word->op[b].dims)
		return "two slots write one dimension";
	return NULL;
}

static const char *wrong_word(const struct gaudi_tpc_uword *word)
{
	const struct gaudi_tpc_uop *load = NULL, *store = NULL;
	const char *what = NULL;
	unsigned int a, b;

	for (a = 0; a < word->count; a++) {
		if (word->op[a].slot == GAUDI_TPC_LOAD)
			load = &word->op[a];
		if (word->op[a].slot == GAUDI_TPC_STORE)
			store = &word->op[a];
		for (b = 0; b < a && !what; b++)
			what = written_twice(word, a, b);
	}
	if (!what && load && store)
		what = wrong_pair(load, store);
	return what;
}

/* --- words that follow each other ------------------------------------------ */

static bool is_early(const uint64_t *ready, uint64_t regs, unsigned int count,
		     uint64_t now)
{
	unsigned int i;

	for (i = 0; i < count && regs >> i; i++)
		if (regs >> i & 1 && now < ready[i])
			return true;
	return false;
}

/* V registers that an operation reads as sources; its income comes later. */
static uint64_t sources(const struct gaudi_tpc_uop *op)
{
	uint64_t regs = 0;
	unsigned int i;

	for (i = 0; i < GAUDI_TPC_SRCS; i++)
		if (op->src[i].kind == GAUDI_TPC_K_V)
			regs |= 1ull << op->src[i].num;
		else if (op->src[i].kind == GAUDI_TPC_K_D)
			regs |= 3ull << op->src[i].num;
	return regs;
}

/* The same of vector predicates. */
static uint64_t predicates(const struct gaudi_tpc_uop *op)
{
	uint64_t regs = op->vp ? 1ull << (op->vp - 1) : 0;
	unsigned int i;

	for (i = 0; i < GAUDI_TPC_SRCS; i++)
		if (op->src[i].kind == GAUDI_TPC_K_VP)
			regs |= 1ull << op->src[i].num;
	return regs;
}

static const char *reads_early(const struct gaudi_tpc_check *c,
			       const struct gaudi_tpc_uop *op,
			       const struct gaudi_tpc_use *reads, uint64_t now)
{
	if (op->slot == GAUDI_TPC_VPU &&
	    is_early(c->v, sources(op), GAUDI_TPC_V_COUNT, now))
		return "a vector is read too early";
	if (op->slot == GAUDI_TPC_SPU &&
	    is_early(c->s, reads->s & 0xffffffff, GAUDI_TPC_S_COUNT, now))
		return "a scalar is read too early";
	if (is_early(c->vp, predicates(op), GAUDI_TPC_VP_COUNT, now) ||
	    is_early(c->sp, reads->sp, GAUDI_TPC_SP_COUNT, now))
		return "a predicate is read too early";
	return NULL;
}

/* Moves within vectors are read sooner than results of arithmetic. */
static bool is_move(uint8_t op)
{
	return op == GAUDI_TPC_OP_MOV || op == GAUDI_TPC_OP_MOV_DG ||
	       op == GAUDI_TPC_OP_MOV_G || op == GAUDI_TPC_OP_PACK ||
	       op == GAUDI_TPC_OP_UNPACK;
}

static void will_be_ready(uint64_t *ready, uint64_t regs, unsigned int count,
			  uint64_t when)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (regs >> i & 1)
			ready[i] = when;
}

static void note_writes(struct gaudi_tpc_check *c,
			const struct gaudi_tpc_uop *op,
			const struct gaudi_tpc_use *w, uint64_t now)
{
	uint64_t v = 0, s = 0;

	if (op->slot == GAUDI_TPC_VPU && !is_move(op->op))
		v = ALU_TO_ALU;
	else if (op->run == gaudi_tpc_ld_tnsr || op->run == gaudi_tpc_ld_l_v ||
		 is_lookup(op->op))
		v = LOAD_TO_VPU;
	if (op->slot == GAUDI_TPC_SPU)
		s = ALU_TO_ALU;
	will_be_ready(c->v, w->v, GAUDI_TPC_V_COUNT, now + v);
	will_be_ready(c->s, w->s, GAUDI_TPC_S_COUNT, now + s);
	will_be_ready(c->vp, w->vp, GAUDI_TPC_VP_COUNT, now + TO_PREDICATE);
	will_be_ready(c->sp, w->sp, GAUDI_TPC_SP_COUNT, now + TO_PREDICATE);
}

static const char *after_last(const struct gaudi_tpc_check *c,
			      const struct gaudi_tpc_uop *op,
			      const struct gaudi_tpc_use *writes)
{
	if (writes->v & c->products)
		return "the result of MAC or MUL is overwritten at once";
	if (op->slot == GAUDI_TPC_LOAD && c->looked_up)
		return "a load right behind a look-up";
	if (c->half && ((op->op == GAUDI_TPC_OP_LD_TNSR_LOW &&
			 c->half == GAUDI_TPC_OP_LD_TNSR_HIGH) ||
			(op->op == GAUDI_TPC_OP_LD_TNSR_HIGH &&
			 c->half == GAUDI_TPC_OP_LD_TNSR_LOW)))
		return "no word between LD_TNSR_LOW and LD_TNSR_HIGH";
	return NULL;
}

static bool is_float_product(const struct gaudi_tpc_uop *op)
{
	return op->slot == GAUDI_TPC_VPU &&
	       (op->op == GAUDI_TPC_OP_MAC || op->op == GAUDI_TPC_OP_MUL) &&
	       (op->type == GAUDI_TPC_F32 || op->type == GAUDI_TPC_BF16);
}

static void note_word(struct gaudi_tpc_check *c,
		      const struct gaudi_tpc_uword *word, uint64_t now)
{
	const struct gaudi_tpc_uop *op;
	unsigned int i;

	c->products = 0;
	c->looked_up = false;
	c->half = 0;
	for (i = 0; i < word->count; i++) {
		op = &word->op[i];
		note_writes(c, op, &word->writes[i], now);
		if (is_float_product(op))
			c->products |= word->writes[i].v;
		c->looked_up |= is_lookup(op->op);
		if (op->op == GAUDI_TPC_OP_LD_TNSR_LOW ||
		    op->op == GAUDI_TPC_OP_LD_TNSR_HIGH)
			c->half = op->op;
	}
}

bool gaudi_tpc_check_word(struct gaudi_tpc_core *core,
			  const struct gaudi_tpc_uword *word)
{
	struct gaudi_tpc_check *c = core->check;
	uint64_t now = core->words + 1;
	const char *what = NULL;
	unsigned int i;

	if (word->kind != GAUDI_TPC_PLAIN) {
		note_word(c, word, now);
		return true;
	}
	what = wrong_word(word);
	for (i = 0; i < word->count && !what; i++) {
		what = reads_early(c, &word->op[i], &word->reads[i], now);
		if (!what)
			what = after_last(c, &word->op[i], &word->writes[i]);
	}
	if (what && !c->waived) {
		gaudi_tpc_end(core, GAUDI_TPC_HAZARD, 0, what);
		return false;
	}
	c->waived = false;
	note_word(c, word, now);
	return true;
}
