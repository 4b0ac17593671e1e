/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Whole operations, with their operands, compiled for several kinds of host; for
 * tpc_alu_hot.h. What they do is what the functions in tpc_?pu.c and
 * tpc_tensor.c do, in the cases that tpc_step.c picks for them. They are used
 * where no operation of the word reads what another one has written.
 */
#ifndef GAUDI_TPC_ALU_STEP_H
#define GAUDI_TPC_ALU_STEP_H

#include "../alu/tpc_alu_hot_int.h"
#include "../alu/tpc_alu_hot_parts.h"
#include "tpc_page.h"

/* --- the rest -------------------------------------------------------------- */

static bool step_any(struct gaudi_tpc_core *core,
		     const struct gaudi_tpc_step *s)
{
	core->pc = core->origin + s->word * GAUDI_TPC_WORD;
	s->op->run(core, s->op);
	return !core->ended;
}

static bool step_word(struct gaudi_tpc_core *core,
		      const struct gaudi_tpc_step *s)
{
	core->pc = core->origin + s->word * GAUDI_TPC_WORD;
	gaudi_tpc_run_cyclic(core, s->all);
	return !core->ended;
}

/* --- vectors --------------------------------------------------------------- */

/* A quarter of a vector, anywhere in memory. */
typedef uint8_t quarter __attribute__((vector_size(GAUDI_TPC_VBYTES / 4),
				       aligned(1), may_alias));

static inline ALWAYS void copy_vector(void *to, const void *from)
{
	const quarter *p = from;
	quarter *r = to;

	r[0] = p[0];
	r[1] = p[1];
	r[2] = p[2];
	r[3] = p[3];
}

static bool step_v_mov(struct gaudi_tpc_core *core,
		       const struct gaudi_tpc_step *s)
{
	copy_vector(&core->r.v[s->r], s->vec_a ? s->vec_a : &core->r.v[s->a]);
	return true;
}

static inline ALWAYS struct gaudi_tpc_lanes registers(struct gaudi_tpc_core *core,
						      const struct gaudi_tpc_step *s)
{
	struct gaudi_tpc_regs *r = &core->r;

	return (struct gaudi_tpc_lanes){
		.a = &r->v[s->a], .b = &r->v[s->b], .c = &r->v[s->c],
		.old = &r->v[s->r], .r = &r->v[s->r], .sw = s->sw,
	};
}

static bool step_v_quick(struct gaudi_tpc_core *core,
			 const struct gaudi_tpc_step *s)
{
	const struct gaudi_tpc_lanes x = registers(core, s);

	core->alu->quick[s->arith](&x);
	return true;
}

static bool step_shuffle(struct gaudi_tpc_core *core,
			 const struct gaudi_tpc_step *s)
{
	const struct gaudi_tpc_lanes x = registers(core, s);

	shuffle_32(&x);
	return true;
}

static inline ALWAYS void arithmetic(struct gaudi_tpc_core *core,
				     const struct gaudi_tpc_step *s,
				     const gaudi_tpc_vec *a,
				     const gaudi_tpc_vec *b)
{
	const struct gaudi_tpc_lanes x = {
		.a = a, .b = b, .old = &core->r.v[s->r],
		.r = &core->r.v[s->r], .carry_in = &core->r.carry,
		.carry = &core->r.carry, .sw = s->sw,
	};

	(&core->alu->vec[0][0])[s->arith](&x);
}

static bool step_v(struct gaudi_tpc_core *core, const struct gaudi_tpc_step *s)
{
	arithmetic(core, s, s->vec_a ? s->vec_a : &core->r.v[s->a],
		   s->vec_b ? s->vec_b : &core->r.v[s->b]);
	return true;
}

static bool step_v_splat(struct gaudi_tpc_core *core,
			 const struct gaudi_tpc_step *s)
{
	gaudi_tpc_vec b;

	core->alu->splat(&b, core->r.s[s->b], s->elem);
	arithmetic(core, s, s->vec_a ? s->vec_a : &core->r.v[s->a], &b);
	return true;
}

/* --- tensors --------------------------------------------------------------- */

/*
 * Where elements lie of a tensor with neighbours beside each other and memory that
 * is at hand; else, or if the first is outside, NULL. *count is how many are asked for, and
 * how many the row has. A coordinate below zero is beyond any size, as a number without a
 * sign.
 */
static inline ALWAYS uint8_t *part(const struct gaudi_tpc_tensor *t,
				   const struct gaudi_tpc_window *w,
				   const int32_t *coord, unsigned int *count)
{
	uint64_t off = t->base - w->base;
	unsigned int d;

	if (t->stride[0] != t->elem ||
	    (uint32_t)coord[0] >= t->size[0] ||
	    (uint32_t)coord[1] >= t->size[1] ||
	    (uint32_t)coord[2] >= t->size[2] ||
	    (uint32_t)coord[3] >= t->size[3] ||
	    (uint32_t)coord[4] >= t->size[4])
		return NULL;
	for (d = 0; d < GAUDI_TPC_DIMS; d++) {
		off += (int64_t)coord[d] * t->stride[d];
		/*
		 * One by one: a vector of coordinates, of which one has just been written,
		 * would have to wait until that is in the cache.
		 */
		__asm__ ("" : "+r" (off));
	}
	if (*count > t->size[0] - (uint32_t)coord[0])
		*count = t->size[0] - (uint32_t)coord[0];
	if (off >= w->len || w->len - off < *count * t->elem)
		return NULL;
	return w->ptr + off;
}

/* Kernels store groups of 32 bytes, and quarters of vectors: no calls. */
static inline ALWAYS void copy_part(uint8_t *to, const uint8_t *from,
				    unsigned int len)
{
	if (len == GAUDI_TPC_VBYTES / 8)
		memcpy(to, from, GAUDI_TPC_VBYTES / 8);
	else if (len == GAUDI_TPC_VBYTES / 4)
		memcpy(to, from, GAUDI_TPC_VBYTES / 4);
	else
		memcpy(to, from, len);
}

/*
 * Kernels go through tensors in even steps, and too much is done between two
 * loads for the processor to see the next ones by itself. A step unlike the one
 * before goes to another row: there the vectors beside this one come next.
 */
#define AHEAD	8

static inline ALWAYS void prepare_next(struct gaudi_tpc_window *w, uint8_t *p,
				       bool write)
{
	uintptr_t step = (uintptr_t)(p - w->last), next;
	unsigned int i;

	next = (uintptr_t)p + AHEAD * (step == w->step ? step :
							 GAUDI_TPC_VBYTES);
	w->last = p;
	w->step = step;
	for (i = 0; i < GAUDI_TPC_VBYTES; i += 64) {
		if (write)
			__builtin_prefetch((void *)(next + i), 1);
		else
			__builtin_prefetch((void *)(next + i), 0);
	}
}

static bool step_ld_tnsr(struct gaudi_tpc_core *core,
			 const struct gaudi_tpc_step *s)
{
	struct gaudi_tpc_window *w = &core->window[s->tensor][0];
	const struct gaudi_tpc_tensor *t = &core->tensor[s->tensor];
	unsigned int count = t->lanes;
	uint8_t *from = part(t, w, core->r.i[s->a], &count);

	if (!from)
		return step_any(core, s);
	if (count < t->lanes) {
		copy_vector(&core->r.v[s->r], &t->padding);
		copy_part(core->r.v[s->r].b, from, count * t->elem);
		return true;
	}
	prepare_next(w, from, false);
	copy_vector(&core->r.v[s->r], from);
	return true;
}

static bool step_st_tnsr(struct gaudi_tpc_core *core,
			 const struct gaudi_tpc_step *s)
{
	const struct gaudi_tpc_tensor *t = &core->tensor[s->tensor];
	struct gaudi_tpc_window *w = &core->window[s->tensor][1];
	unsigned int count = t->lanes;
	uint8_t *to = part(t, w, core->r.i[s->a], &count);

	if (!to || t->rmw)
		return step_any(core, s);
	if (count < t->lanes) {
		copy_part(to, core->r.v[s->b].b, count * t->elem);
		return true;
	}
	prepare_next(w, to, true);
	copy_vector(to, &core->r.v[s->b]);
	return true;
}

/* S31: how many elements less one, and from which one of the vector. */
static bool step_st_partial(struct gaudi_tpc_core *core,
			    const struct gaudi_tpc_step *s)
{
	const struct gaudi_tpc_tensor *t = &core->tensor[s->tensor];
	const struct gaudi_tpc_window *w = &core->window[s->tensor][1];
	unsigned int count = (core->r.s[31] & 0xff) + 1;
	unsigned int from = core->r.s[31] >> 8 & 0xff;
	uint8_t *to;

	to = from + count > t->lanes || t->rmw ? NULL :
	     part(t, w, core->r.i[s->a], &count);
	if (!to)
		return step_any(core, s);
	copy_part(to, core->r.v[s->b].b + from * t->elem, count * t->elem);
	return true;
}

/* --- scalars --------------------------------------------------------------- */

static inline ALWAYS uint32_t scalar_a(const struct gaudi_tpc_core *core,
				       const struct gaudi_tpc_step *s)
{
	return s->fixed_a ? s->imm : core->r.s[s->a];
}

static inline ALWAYS uint32_t scalar_b(const struct gaudi_tpc_core *core,
				       const struct gaudi_tpc_step *s)
{
	return s->fixed_b ? s->imm : core->r.s[s->b];
}

static bool step_index(struct gaudi_tpc_core *core,
		       const struct gaudi_tpc_step *s)
{
	uint32_t value = scalar_a(core, s);
	unsigned int left;

	for (left = s->dims; left; left &= left - 1)
		core->r.i[s->r][__builtin_ctz(left)] = value;
	return true;
}

static bool step_index_add(struct gaudi_tpc_core *core,
			   const struct gaudi_tpc_step *s)
{
	const int32_t *a = core->r.i[s->a], *b = core->r.i[s->b];
	int32_t *to = core->r.i[s->r];
	unsigned int d;

	for (d = 0; d < GAUDI_TPC_DIMS; d++)
		if (s->dims >> d & 1)
			to[d] = (uint32_t)a[d] + (uint32_t)b[d];
	return true;
}

static bool step_s_mov(struct gaudi_tpc_core *core,
		       const struct gaudi_tpc_step *s)
{
	core->r.s[s->r] = scalar_a(core, s);
	return true;
}

static bool step_s_add(struct gaudi_tpc_core *core,
		       const struct gaudi_tpc_step *s)
{
	uint32_t a = scalar_a(core, s), sum = a + scalar_b(core, s);

	core->r.s[s->r] = sum;
	core->r.s_carry = sum < a;
	return true;
}

#define DEFINE_STEP_S(name, expr)					\
static bool step_s_##name(struct gaudi_tpc_core *core,			\
			  const struct gaudi_tpc_step *s)		\
{									\
	const uint32_t a = scalar_a(core, s), b = scalar_b(core, s);	\
									\
	core->r.s[s->r] = expr;						\
	return true;							\
}

DEFINE_STEP_S(sub, s->sw & 1 ? b - a : a - b)
DEFINE_STEP_S(mul, a * b)
DEFINE_STEP_S(or, a | b)
DEFINE_STEP_S(and, a & b)
DEFINE_STEP_S(xor, a ^ b)
DEFINE_STEP_S(shl, b < 32 ? a << (b & 31) : 0)
DEFINE_STEP_S(shr, b < 32 ? a >> (b & 31) : 0)

#define DEFINE_STEP_S_CMP(name, cmp)					\
static bool step_s_##name(struct gaudi_tpc_core *core,			\
			  const struct gaudi_tpc_step *s)		\
{									\
	const int32_t a = scalar_a(core, s), b = scalar_b(core, s);	\
	const uint16_t bit = 1u << s->r;				\
									\
	core->r.sp = (core->r.sp & ~bit) | (a cmp b ? bit : 0);		\
	return true;							\
}

DEFINE_STEP_S_CMP(eq, ==)
DEFINE_STEP_S_CMP(neq, !=)
DEFINE_STEP_S_CMP(less, <)
DEFINE_STEP_S_CMP(leq, <=)
DEFINE_STEP_S_CMP(grt, >)
DEFINE_STEP_S_CMP(geq, >=)

#define STEPS {								\
	[GAUDI_TPC_STEP_ANY] = step_any,				\
	[GAUDI_TPC_STEP_WORD] = step_word,				\
	[GAUDI_TPC_STEP_LD_TNSR] = step_ld_tnsr,			\
	[GAUDI_TPC_STEP_ST_TNSR] = step_st_tnsr,			\
	[GAUDI_TPC_STEP_ST_PARTIAL] = step_st_partial,			\
	[GAUDI_TPC_STEP_V] = step_v,					\
	[GAUDI_TPC_STEP_V_SPLAT] = step_v_splat,			\
	[GAUDI_TPC_STEP_V_MOV] = step_v_mov,				\
	[GAUDI_TPC_STEP_V_QUICK] = step_v_quick,			\
	[GAUDI_TPC_STEP_SHUFFLE] = step_shuffle,			\
	[GAUDI_TPC_STEP_INDEX] = step_index,				\
	[GAUDI_TPC_STEP_INDEX_ADD] = step_index_add,			\
	[GAUDI_TPC_STEP_S_MOV] = step_s_mov,				\
	[GAUDI_TPC_STEP_S_ADD] = step_s_add,				\
	[GAUDI_TPC_STEP_S_SUB] = step_s_sub,				\
	[GAUDI_TPC_STEP_S_MUL] = step_s_mul,				\
	[GAUDI_TPC_STEP_S_OR] = step_s_or,				\
	[GAUDI_TPC_STEP_S_AND] = step_s_and,				\
	[GAUDI_TPC_STEP_S_XOR] = step_s_xor,				\
	[GAUDI_TPC_STEP_S_SHL] = step_s_shl,				\
	[GAUDI_TPC_STEP_S_SHR] = step_s_shr,				\
	[GAUDI_TPC_STEP_S_EQ] = step_s_eq,				\
	[GAUDI_TPC_STEP_S_NEQ] = step_s_neq,				\
	[GAUDI_TPC_STEP_S_LESS] = step_s_less,				\
	[GAUDI_TPC_STEP_S_LEQ] = step_s_leq,				\
	[GAUDI_TPC_STEP_S_GRT] = step_s_grt,				\
	[GAUDI_TPC_STEP_S_GEQ] = step_s_geq,				\
}

#endif /* GAUDI_TPC_ALU_STEP_H */
