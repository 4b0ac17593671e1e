// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * What a tensor core's operations on scalars, scalar predicates and index
 * registers do; arithmetic is in tpc_alu*.c.
 */
#include <string.h>

#include "../alu/tpc_lane.h"
#include "tpc_uop.h"

/* To read the LFSR by its plain name is to step it, in every operation. */
uint32_t gaudi_tpc_scalar(struct gaudi_tpc_core *core,
			  const struct gaudi_tpc_operand *operand)
{
	uint32_t value;

	switch (operand->kind) {
	case GAUDI_TPC_K_S:
	case GAUDI_TPC_K_Z:
		return core->in->s[operand->num];
	case GAUDI_TPC_K_SP:
		return core->in->sp >> operand->num & 1;
	case GAUDI_TPC_K_S_LFSR:
		value = core->in->s_lfsr;
		if (!operand->num)
			gaudi_tpc_s_lfsr_step(core);
		return value;
	case GAUDI_TPC_K_IMM:
	case GAUDI_TPC_K_CONST:
		return operand->value;
	default:
		return 0;
	}
}

/* Narrow results fill the register by the sign of their type (inferred). */
static uint32_t extend(uint32_t value, uint8_t type)
{
	switch (type) {
	case GAUDI_TPC_I16:
		return (int16_t)value;
	case GAUDI_TPC_U16:
	case GAUDI_TPC_BF16:
		return (uint16_t)value;
	case GAUDI_TPC_I8:
		return (int8_t)value;
	case GAUDI_TPC_U8:
		return (uint8_t)value;
	default:
		return value;
	}
}

static void write_sp(struct gaudi_tpc_core *core, unsigned int n, bool value)
{
	if (!n)
		return;
	core->r.sp &= ~(1u << n);
	core->r.sp |= (uint16_t)value << n;
}

/* An S register or a predicate. */
static void write_s(struct gaudi_tpc_core *core,
		    const struct gaudi_tpc_operand *dest, uint32_t value)
{
	if (dest->kind == GAUDI_TPC_K_SP)
		write_sp(core, dest->num, value & 1);
	else if (dest->kind == GAUDI_TPC_K_S_LFSR)
		core->r.s_lfsr = value;
	else if (dest->kind == GAUDI_TPC_K_S)
		core->r.s[dest->num] = value;
}

/* --- arithmetic ------------------------------------------------------------ */

/* Only the first lane of these is used. */
struct scalars {
	gaudi_tpc_vec a, b, old[2], r[2], in, out;
};

static void set_lane(gaudi_tpc_vec *v, uint32_t value)
{
	v->w[0] = value;
}

void gaudi_tpc_s_hot(struct gaudi_tpc_core *core,
		     const struct gaudi_tpc_uop *op)
{
	struct scalars t;
	struct gaudi_tpc_lanes x = {
		.a = &t.a, .b = &t.b, .old = t.old, .r = t.r,
		.carry_in = &t.in, .carry = &t.out, .sw = op->sw,
	};

	set_lane(&t.a, gaudi_tpc_scalar(core, &op->src[0]));
	set_lane(&t.b, gaudi_tpc_scalar(core, &op->src[1]));
	set_lane(&t.old[0], core->in->s[op->dest.num]);
	set_lane(&t.in, core->in->s_carry ? ~0u : 0);
	set_lane(&t.out, 0);
	core->alu->one[op->hot][op->type](&x);
	/* A wide product or sum fills the register. */
	write_s(core, &op->dest, op->pair ? t.r[0].w[0] :
		extend(t.r[0].w[0], op->type));
	if (op->flag)
		core->r.s_carry = t.out.w[0] & 1;
}

void gaudi_tpc_s_cold(struct gaudi_tpc_core *core,
		      const struct gaudi_tpc_uop *op)
{
	gaudi_tpc_vec a, b, old, r[2], random;
	struct gaudi_tpc_lanes x = {
		.a = &a, .b = &b, .c = &a, .d = &a, .old = &old, .r = r,
		.random = &random, .sw = op->sw, .imm = op->imm,
		.from = op->from, .to = op->to,
		.round = gaudi_tpc_round_mode(core, op),
	};

	set_lane(&a, gaudi_tpc_scalar(core, &op->src[0]));
	set_lane(&b, gaudi_tpc_scalar(core, &op->src[1]));
	set_lane(&old, core->in->s[op->dest.num]);
	set_lane(&random, core->in->s_lfsr);
	/* Of a narrow lane all 16 bits are the upper ones. */
	if (gaudi_tpc_type_size(op->type) == 2)
		set_lane(&random, core->in->s_lfsr >> 16);
	if (x.round == GAUDI_TPC_SR)
		gaudi_tpc_s_lfsr_step(core);
	op->cold(&x, op->type, 1);
	write_s(core, &op->dest, extend(r[0].w[0], op->to));
}

void gaudi_tpc_s_cmp(struct gaudi_tpc_core *core,
		     const struct gaudi_tpc_uop *op)
{
	gaudi_tpc_vec a, b, r;
	struct gaudi_tpc_lanes x = { .a = &a, .b = &b, .r = &r };

	set_lane(&a, gaudi_tpc_scalar(core, &op->src[0]));
	set_lane(&b, gaudi_tpc_scalar(core, &op->src[1]));
	core->alu->one[op->hot][op->type](&x);
	write_sp(core, op->dest.num, r.b[0] & 1);
}

void gaudi_tpc_s_logic_sp(struct gaudi_tpc_core *core,
			  const struct gaudi_tpc_uop *op)
{
	uint32_t a = gaudi_tpc_scalar(core, &op->src[0]);
	uint32_t b = gaudi_tpc_scalar(core, &op->src[1]);

	switch (op->op) {
	case GAUDI_TPC_OP_OR:
		a |= b;
		break;
	case GAUDI_TPC_OP_AND:
		a &= b;
		break;
	case GAUDI_TPC_OP_XOR:
		a ^= b;
		break;
	default:
		a = ~a;
	}
	write_sp(core, op->dest.num, a & 1);
}

/* --- copies ---------------------------------------------------------------- */

void gaudi_tpc_s_mov(struct gaudi_tpc_core *core,
		     const struct gaudi_tpc_uop *op)
{
	const struct gaudi_tpc_operand *src = &op->src[0];
	uint32_t value = gaudi_tpc_scalar(core, src);

	/* The other hardware registers are those of later chips: 0. */
	if (src->kind == GAUDI_TPC_K_HW && src->num == GAUDI_TPC_HW_PC)
		value = core->pc - core->base;
	else if (src->kind == GAUDI_TPC_K_HW &&
		 src->num == GAUDI_TPC_HW_DIV_STEP)
		value = core->in->div_step;
	write_s(core, &op->dest, value);
}

void gaudi_tpc_s_irf_dim(struct gaudi_tpc_core *core,
			 const struct gaudi_tpc_uop *op)
{
	core->r.s[op->dest.num] = core->in->i[op->src[0].num][op->sw];
}

/* --- index registers ------------------------------------------------------- */

void gaudi_tpc_set_index(struct gaudi_tpc_core *core,
			 const struct gaudi_tpc_uop *op)
{
	const struct gaudi_tpc_operand *src = &op->src[0];
	int32_t *to = core->r.i[op->dest.num];
	uint32_t value = gaudi_tpc_scalar(core, src);
	unsigned int d;

	for (d = 0; d < GAUDI_TPC_DIMS; d++)
		if (op->dims >> d & 1)
			to[d] = src->kind == GAUDI_TPC_K_I ?
				core->in->i[src->num][d] : (int32_t)value;
}

/* Three bits of a scalar say for each dimension where it comes from. */
void gaudi_tpc_permute_index(struct gaudi_tpc_core *core,
			     const struct gaudi_tpc_uop *op)
{
	const int32_t *from = core->in->i[op->src[0].num];
	uint32_t order = gaudi_tpc_scalar(core, &op->src[1]);
	int32_t to[GAUDI_TPC_DIMS];
	unsigned int d, k;

	for (d = 0; d < GAUDI_TPC_DIMS; d++) {
		k = order >> 3 * d & 7;
		to[d] = k < GAUDI_TPC_DIMS ? from[k] : 0;
	}
	memcpy(core->r.i[op->dest.num], to, sizeof(to));
}

static void index_operand(struct gaudi_tpc_core *core,
			  const struct gaudi_tpc_operand *o, int32_t *value)
{
	unsigned int d;

	if (o->kind == GAUDI_TPC_K_I) {
		memcpy(value, core->in->i[o->num], sizeof(core->in->i[0]));
		return;
	}
	value[0] = gaudi_tpc_scalar(core, o);
	for (d = 1; d < GAUDI_TPC_DIMS; d++)
		value[d] = value[0];
}

/* The same arithmetic as scalars', in each dimension of the mask. */
void gaudi_tpc_s_index(struct gaudi_tpc_core *core,
		       const struct gaudi_tpc_uop *op)
{
	int32_t a[GAUDI_TPC_DIMS], b[GAUDI_TPC_DIMS], to[GAUDI_TPC_DIMS];
	struct scalars t;
	struct gaudi_tpc_lanes x = {
		.a = &t.a, .b = &t.b, .old = t.old, .r = t.r,
		.carry_in = &t.in, .carry = &t.out, .sw = op->sw,
	};
	unsigned int d;

	index_operand(core, &op->src[0], a);
	index_operand(core, &op->src[1], b);
	set_lane(&t.in, core->in->s_carry ? ~0u : 0);
	for (d = 0; d < GAUDI_TPC_DIMS; d++) {
		set_lane(&t.a, a[d]);
		set_lane(&t.b, b[d]);
		core->alu->one[op->hot][GAUDI_TPC_I32](&x);
		to[d] = t.r[0].w[0];
	}
	for (d = 0; d < GAUDI_TPC_DIMS; d++)
		if (op->dims >> d & 1)
			core->r.i[op->dest.num][d] = to[d];
}

/* --- division -------------------------------------------------------------- */

/*
 * Four steps of restoring division, from bit step downwards; what is behind bit
 * 0 is no step. With a divisor of zero every bit of the quotient becomes one,
 * and the numerator stays as the remainder. DIV_STEP, from which STEP_REG takes
 * the step, is where the last one has come to: five bits, so that 31 follows the
 * last step (inferred).
 */
void gaudi_tpc_s_udiv(struct gaudi_tpc_core *core,
		      const struct gaudi_tpc_uop *op)
{
	uint64_t divisor = extend(gaudi_tpc_scalar(core, &op->src[0]),
				  op->type);
	uint32_t *z = &core->r.s[op->dest.num];
	uint32_t rest = core->in->s[op->dest.num];
	uint32_t quotient = core->in->s[op->dest.num + 1];
	int step = op->flag ? core->in->div_step : op->sw, i;

	core->r.div_step = (step - 4) & 31;
	for (i = 0; i < 4 && step >= 0; i++, step--) {
		if (rest < divisor << step)
			continue;
		rest -= (uint32_t)(divisor << step);
		quotient |= 1u << step;
	}
	z[0] = rest;
	z[1] = quotient;
}
