// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * The words of a page as steps: an array of operations without the words between
 * them, each with what is known of its operands before it runs.
 */
#include <string.h>

#include "tpc_page.h"

/* --- vectors --------------------------------------------------------------- */

static bool is_vector(const struct gaudi_tpc_operand *o)
{
	return o->kind == GAUDI_TPC_K_V || o->kind == GAUDI_TPC_K_D;
}

static bool is_fixed(const struct gaudi_tpc_operand *o)
{
	return o->kind == GAUDI_TPC_K_IMM || o->kind == GAUDI_TPC_K_CONST;
}

/* What a vector operation reads: a register, or constant in all lanes. */
static bool vector_operand(const struct gaudi_tpc_operand *o,
			   unsigned int elem, gaudi_tpc_vec *constant,
			   uint8_t *num, const gaudi_tpc_vec **vec)
{
	if (is_vector(o)) {
		*num = o->num;
		return true;
	}
	if (!is_fixed(o) || !constant)
		return false;
	gaudi_tpc_alu_portable()->splat(constant, o->value, elem);
	*vec = constant;
	return true;
}

static bool overlaps(const struct gaudi_tpc_operand *o, unsigned int dest)
{
	return is_vector(o) && (o->num == dest || o->num == dest + 1);
}

static void vector_step(const struct gaudi_tpc_uop *op,
			struct gaudi_tpc_step *s, gaudi_tpc_vec *constant)
{
	const struct gaudi_tpc_operand *a = &op->src[0], *b = &op->src[1];

	if (b->kind == GAUDI_TPC_K_NONE)
		b = a;
	/* A pair is written while its operands are read. */
	if (op->vp || op->dest.num + op->pair >= GAUDI_TPC_V_COUNT ||
	    (op->pair && (overlaps(a, op->dest.num) ||
			  overlaps(b, op->dest.num))))
		return;
	s->elem = gaudi_tpc_type_size(op->type);
	s->arith = op->hot * GAUDI_TPC_TYPES + op->type;
	s->sw = op->sw;
	if (is_fixed(a) && is_fixed(b))
		return;
	if (!vector_operand(a, s->elem, constant, &s->a, &s->vec_a))
		return;
	if (b->kind == GAUDI_TPC_K_S) {
		s->b = b->num;
		s->kind = GAUDI_TPC_STEP_V_SPLAT;
	} else if (vector_operand(b, s->elem, constant, &s->b, &s->vec_b)) {
		s->kind = GAUDI_TPC_STEP_V;
	}
}

static void vector_mov_step(const struct gaudi_tpc_uop *op,
			    struct gaudi_tpc_step *s, gaudi_tpc_vec *constant)
{
	if (op->dest.kind == GAUDI_TPC_K_V && !op->vp && !op->pair &&
	    vector_operand(&op->src[0], op->elem, constant, &s->a, &s->vec_a))
		s->kind = GAUDI_TPC_STEP_V_MOV;
}

/* Registers alone. */
static void quick_step(const struct gaudi_tpc_uop *op, struct gaudi_tpc_step *s)
{
	const struct gaudi_tpc_operand *o = op->src;
	unsigned int i;

	if (op->dest.kind != GAUDI_TPC_K_V || op->vp || op->pair)
		return;
	for (i = 0; i < 3; i++)
		if (o[i].kind != GAUDI_TPC_K_V && o[i].kind != GAUDI_TPC_K_NONE)
			return;
	s->a = o[0].num;
	s->b = o[1].num;
	s->c = o[2].num;
	s->sw = op->sw;
	s->arith = op->quick;
	s->kind = op->quick == GAUDI_TPC_SHUFFLE_32 ? GAUDI_TPC_STEP_SHUFFLE :
						      GAUDI_TPC_STEP_V_QUICK;
}

/* --- tensors --------------------------------------------------------------- */

/* A vector, all of it unless it is partial, and a tensor that the word names. */
static bool is_plain_access(const struct gaudi_tpc_uop *op,
			    const struct gaudi_tpc_operand *reg)
{
	return reg->kind == GAUDI_TPC_K_V && !op->vp && !op->sw && !op->all &&
	       !op->pair &&
	       op->src[0].kind == GAUDI_TPC_K_I &&
	       op->src[1].kind == GAUDI_TPC_K_TENSOR &&
	       op->src[1].num < GAUDI_TPC_TENSORS;
}

static void tensor_step(const struct gaudi_tpc_uop *op,
			struct gaudi_tpc_step *s)
{
	bool load = op->run == gaudi_tpc_ld_tnsr;

	if (!is_plain_access(op, load ? &op->dest : &op->src[2]) ||
	    (load && op->flag))
		return;
	s->kind = load ? GAUDI_TPC_STEP_LD_TNSR : op->flag ?
		  GAUDI_TPC_STEP_ST_PARTIAL : GAUDI_TPC_STEP_ST_TNSR;
	s->tensor = op->src[1].num;
	s->a = op->src[0].num;
	s->b = op->src[2].num;
}

/* --- scalars --------------------------------------------------------------- */

/* The word has one immediate, but a CONST may stand beside it. */
static bool scalar_operand(const struct gaudi_tpc_operand *o,
			   struct gaudi_tpc_step *s, uint8_t *num, bool *fixed)
{
	if (o->kind == GAUDI_TPC_K_S) {
		*num = o->num;
		return true;
	}
	if (!is_fixed(o) || s->fixed_a)
		return false;
	s->imm = o->value;
	*fixed = true;
	return true;
}

static uint8_t scalar_kind(const struct gaudi_tpc_uop *op)
{
	static const uint8_t kinds[GAUDI_TPC_HOTS] = {
		[GAUDI_TPC_ADD] = GAUDI_TPC_STEP_S_ADD,
		[GAUDI_TPC_SUB] = GAUDI_TPC_STEP_S_SUB,
		[GAUDI_TPC_MUL] = GAUDI_TPC_STEP_S_MUL,
		[GAUDI_TPC_OR] = GAUDI_TPC_STEP_S_OR,
		[GAUDI_TPC_AND] = GAUDI_TPC_STEP_S_AND,
		[GAUDI_TPC_XOR] = GAUDI_TPC_STEP_S_XOR,
		[GAUDI_TPC_SHL] = GAUDI_TPC_STEP_S_SHL,
		[GAUDI_TPC_SHR] = GAUDI_TPC_STEP_S_SHR,
	};

	if (op->run != gaudi_tpc_s_hot || op->pair ||
	    (op->type != GAUDI_TPC_I32 && op->type != GAUDI_TPC_U32) ||
	    op->dest.kind != GAUDI_TPC_K_S)
		return 0;
	return kinds[op->hot];
}

static uint8_t compare_kind(const struct gaudi_tpc_uop *op)
{
	static const uint8_t kinds[GAUDI_TPC_HOTS] = {
		[GAUDI_TPC_CMP_EQ] = GAUDI_TPC_STEP_S_EQ,
		[GAUDI_TPC_CMP_NEQ] = GAUDI_TPC_STEP_S_NEQ,
		[GAUDI_TPC_CMP_LESS] = GAUDI_TPC_STEP_S_LESS,
		[GAUDI_TPC_CMP_LEQ] = GAUDI_TPC_STEP_S_LEQ,
		[GAUDI_TPC_CMP_GRT] = GAUDI_TPC_STEP_S_GRT,
		[GAUDI_TPC_CMP_GEQ] = GAUDI_TPC_STEP_S_GEQ,
	};

	/* SP0 is always true. */
	if (op->run != gaudi_tpc_s_cmp || op->type != GAUDI_TPC_I32 ||
	    op->dest.kind != GAUDI_TPC_K_SP || !op->dest.num)
		return 0;
	return kinds[op->hot];
}

static void scalar_step(const struct gaudi_tpc_uop *op,
			struct gaudi_tpc_step *s)
{
	uint8_t kind = op->run == gaudi_tpc_s_hot ? scalar_kind(op) :
						    compare_kind(op);

	s->sw = op->sw;
	if (kind && scalar_operand(&op->src[0], s, &s->a, &s->fixed_a) &&
	    scalar_operand(&op->src[1], s, &s->b, &s->fixed_b))
		s->kind = kind;
}

static void copy_step(const struct gaudi_tpc_uop *op, struct gaudi_tpc_step *s)
{
	bool index = op->run == gaudi_tpc_set_index;

	if ((index || op->dest.kind == GAUDI_TPC_K_S) &&
	    scalar_operand(&op->src[0], s, &s->a, &s->fixed_a))
		s->kind = index ? GAUDI_TPC_STEP_INDEX : GAUDI_TPC_STEP_S_MOV;
}

static void index_step(const struct gaudi_tpc_uop *op, struct gaudi_tpc_step *s)
{
	if (op->hot != GAUDI_TPC_ADD || op->src[0].kind != GAUDI_TPC_K_I ||
	    op->src[1].kind != GAUDI_TPC_K_I)
		return;
	s->kind = GAUDI_TPC_STEP_INDEX_ADD;
	s->a = op->src[0].num;
	s->b = op->src[1].num;
}

/* --- words ----------------------------------------------------------------- */

/* constant: NULL if it is taken. */
static void make_step(const struct gaudi_tpc_uop *op, struct gaudi_tpc_step *s,
		      unsigned int word, gaudi_tpc_vec *constant)
{
	s->op = op;
	s->word = word;
	s->sp = op->sp;
	s->negate = op->negate;
	s->guarded = op->sp || op->negate;
	s->r = op->dest.num;
	s->kind = GAUDI_TPC_STEP_ANY;
	if (op->run == gaudi_tpc_v_hot)
		vector_step(op, s, constant);
	else if (op->run == gaudi_tpc_v_quick)
		quick_step(op, s);
	else if (op->run == gaudi_tpc_v_mov)
		vector_mov_step(op, s, constant);
	else if (op->run == gaudi_tpc_ld_tnsr || op->run == gaudi_tpc_st_tnsr)
		tensor_step(op, s);
	else if (op->run == gaudi_tpc_s_hot || op->run == gaudi_tpc_s_cmp)
		scalar_step(op, s);
	else if (op->run == gaudi_tpc_s_mov || op->run == gaudi_tpc_set_index)
		copy_step(op, s);
	else if (op->run == gaudi_tpc_s_index)
		index_step(op, s);
	s->dims = op->dims;
}

static bool is_straight(const struct gaudi_tpc_uword *word)
{
	unsigned int i;

	if (word->kind != GAUDI_TPC_PLAIN)
		return false;
	for (i = 0; i < word->count; i++)
		if (word->op[i].run == gaudi_tpc_s_jump ||
		    word->op[i].run == gaudi_tpc_halt)
			return false;
	return true;
}

static unsigned int word_steps(struct gaudi_tpc_page *page, unsigned int w,
			       struct gaudi_tpc_step *s)
{
	const struct gaudi_tpc_uword *word = &page->word[w];
	gaudi_tpc_vec *constant = &page->constant[w];
	unsigned int i, n = 0;

	if (word->cyclic) {
		s->kind = GAUDI_TPC_STEP_WORD;
		s->word = w;
		s->all = word;
		return 1;
	}
	for (i = 0; i < word->count; i++) {
		if (word->op[i].run == gaudi_tpc_nothing)
			continue;
		make_step(&word->op[i], &s[n], w, constant);
		if (s[n].vec_a || s[n].vec_b)
			constant = NULL;
		n++;
	}
	return n;
}

void gaudi_tpc_make_steps(struct gaudi_tpc_page *page)
{
	unsigned int w, i, steps = 0, counts = 0;

	for (w = 0; w < page->words; w++) {
		page->first_step[w] = steps;
		page->first_count[w] = counts;
		if (!is_straight(&page->word[w]))
			continue;
		steps += word_steps(page, w, &page->step[steps]);
		for (i = 0; i < page->word[w].count; i++)
			page->count[counts++] = page->word[w].op[i].count;
	}
	page->first_step[w] = steps;
	page->first_count[w] = counts;
	while (w--)
		page->straight[w] = !is_straight(&page->word[w]) ? 0 :
			w + 1 < page->words ? page->straight[w + 1] + 1 : 1;
}
