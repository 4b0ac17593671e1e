// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * What a tensor core's arithmetic tells by interrupt causes: a division by
 * zero, a result beyond the range of an integer, a float that is no number, is
 * infinite, or is too small. Nothing stops for it.
 *
 * The causes' names are public, no more (Documentation/blocks/tpc.rst). Drivers
 * mask all of them, and it takes time, so it is looked for only if a launch
 * says so. The exact result of each lane is computed once more here.
 */
#include <string.h>

#include "../alu/tpc_lane.h"
#include "tpc_uop.h"

/* What an operation did, by its lanes. */
struct witness {
	const struct gaudi_tpc_uop *op;
	const struct gaudi_tpc_regs *was;	/* before the word */
	const struct gaudi_tpc_regs *is;
	unsigned int elem;		/* bytes of a lane of the sources */
};

static bool is_float(uint8_t type)
{
	return type == GAUDI_TPC_F32 || type == GAUDI_TPC_BF16;
}

static bool is_signed(uint8_t type)
{
	return type == GAUDI_TPC_I32 || type == GAUDI_TPC_I16 ||
	       type == GAUDI_TPC_I8;
}

/* Lane i of a source, as its bits. */
static uint32_t bits(const struct witness *w, unsigned int k, unsigned int i)
{
	const struct gaudi_tpc_operand *o = &w->op->src[k];
	uint32_t mask = ~0u >> (32 - 8 * w->elem);

	switch (o->kind) {
	case GAUDI_TPC_K_V:
	case GAUDI_TPC_K_D:
		return gaudi_tpc_lane(&w->was->v[o->num], w->elem, i);
	case GAUDI_TPC_K_LFSR:
		return gaudi_tpc_lane(&w->was->lfsr, w->elem, i);
	case GAUDI_TPC_K_LANE_ID:
		return i & mask;
	case GAUDI_TPC_K_S_LFSR:
		return w->was->s_lfsr & mask;
	case GAUDI_TPC_K_S:
		return w->was->s[o->num] & mask;
	case GAUDI_TPC_K_I:
		return w->was->i[o->num][i];
	default:
		return o->value & mask;
	}
}

static int64_t whole(const struct witness *w, uint32_t x)
{
	unsigned int unused = 64 - 8 * w->elem;

	return is_signed(w->op->type) ?
	       (int64_t)((uint64_t)x << unused) >> unused : x;
}

/* Is x no number of so many bytes and the type's sign? */
static bool beyond(const struct witness *w, __int128 x, unsigned int elem)
{
	__int128 end = (__int128)1 << 8 * elem;

	return is_signed(w->op->type) ? x < -end / 2 || x >= end / 2 :
					x < 0 || x >= end;
}

/* Which result belongs to lane i, and which lane of it. */
static uint32_t result(const struct witness *w, const struct gaudi_tpc_regs *r,
		       unsigned int i)
{
	const struct gaudi_tpc_uop *op = w->op;

	if (op->slot == GAUDI_TPC_SPU)
		return r->s[op->dest.num];
	if (op->pair)
		return r->v[op->dest.num + (i & 1)].w[i / 2];
	return gaudi_tpc_lane(&r->v[op->dest.num], op->elem, i);
}

static bool carried(const struct witness *w, unsigned int i)
{
	if (w->op->hot != GAUDI_TPC_ADD_CARRY &&
	    w->op->hot != GAUDI_TPC_ADD_CARRY_SAT)
		return false;
	return w->op->slot == GAUDI_TPC_SPU ? w->was->s_carry :
	       w->was->carry.b[i * w->elem] & 1;
}

/* --- lanes ----------------------------------------------------------------- */

static uint32_t of_integers(const struct witness *w, unsigned int i)
{
	const struct gaudi_tpc_uop *op = w->op;
	int64_t a = whole(w, bits(w, 0, i)), b = whole(w, bits(w, 1, i));
	uint32_t acc;
	__int128 p;

	switch (op->op) {
	case GAUDI_TPC_OP_MAC:
		acc = result(w, w->was, i);
		p = (__int128)a * b;
		p = (op->hot - GAUDI_TPC_MAC_WIDE) & 1 ? -p : p;
		p += is_signed(op->type) ? (int32_t)acc : (int64_t)acc;
		return beyond(w, p, 4) ? GAUDI_TPC_CAUSE_MAC : 0;
	case GAUDI_TPC_OP_ADD:
		return beyond(w, (__int128)a + b + carried(w, i), w->elem) ?
		       GAUDI_TPC_CAUSE_ADDSUB : 0;
	case GAUDI_TPC_OP_SUB:
		p = op->sw & 1 ? (__int128)b - a : (__int128)a - b;
		return beyond(w, p, w->elem) ? GAUDI_TPC_CAUSE_ADDSUB : 0;
	case GAUDI_TPC_OP_ABS:
		return beyond(w, a < 0 ? -(__int128)a : a, w->elem) ?
		       GAUDI_TPC_CAUSE_ABS : 0;
	}
	return 0;
}

static double real(const struct witness *w, uint32_t x)
{
	return w->op->type == GAUDI_TPC_BF16 ? bf16_in(x) : f32_in(x);
}

/* The exact result, or as good as that: see add_odd(). */
static double exact(const struct witness *w, unsigned int i, bool wide)
{
	const struct gaudi_tpc_uop *op = w->op;
	double a = real(w, bits(w, 0, i)), b = real(w, bits(w, 1, i)), c;
	uint32_t acc;

	switch (op->op) {
	case GAUDI_TPC_OP_MUL:
		return a * b;
	case GAUDI_TPC_OP_ADD:
		return add_odd(a, b);
	case GAUDI_TPC_OP_SUB:
		return op->sw & 1 ? add_odd(b, -a) : add_odd(a, -b);
	}
	acc = result(w, w->was, i);
	c = wide ? f32_in(acc) : real(w, acc);
	return add_odd(op->hot == GAUDI_TPC_MAC_NEG ||
		       op->hot == GAUDI_TPC_MAC_WIDE_NEG ? -a * b : a * b, c);
}

static uint32_t of_floats(const struct witness *w, unsigned int i)
{
	const struct gaudi_tpc_uop *op = w->op;
	bool wide = op->type == GAUDI_TPC_F32 || op->pair;
	uint32_t r;
	double x;

	if (op->op != GAUDI_TPC_OP_MAC && op->op != GAUDI_TPC_OP_MUL &&
	    op->op != GAUDI_TPC_OP_ADD && op->op != GAUDI_TPC_OP_SUB)
		return 0;
	r = result(w, w->is, i) << (wide ? 0 : 16);
	if ((r & F32_INF) == F32_INF)
		return GAUDI_TPC_CAUSE_NAN_INF;
	x = exact(w, i, wide);
	/* It was flushed, and was not zero. */
	return !(r << 1) && (x > 0 || x < 0) ? GAUDI_TPC_CAUSE_DENORM : 0;
}

/* --- operations ------------------------------------------------------------ */

static bool acts(const struct witness *w, unsigned int i)
{
	const struct gaudi_tpc_uop *op = w->op;

	if (op->dest.kind == GAUDI_TPC_K_I)
		return op->dims >> i & 1;
	if (!op->vp)
		return true;
	/* Of a wider result: the lane that it has there. */
	i = i * w->elem / op->elem * op->elem;
	return (w->was->vp[op->vp - 1].b[i] ^ op->vnegate) & 1;
}

static uint32_t causes_of(const struct witness *w)
{
	const struct gaudi_tpc_uop *op = w->op;
	unsigned int lanes = 1, i;
	uint32_t causes = 0;

	if (op->op == GAUDI_TPC_OP_UDIV_4STEP)
		return bits(w, 0, 0) ? 0 : GAUDI_TPC_CAUSE_DIV0;
	if (op->dest.kind == GAUDI_TPC_K_I)
		lanes = GAUDI_TPC_DIMS;
	else if (op->slot == GAUDI_TPC_VPU)
		lanes = GAUDI_TPC_VBYTES / w->elem;
	for (i = 0; i < lanes; i++)
		if (acts(w, i))
			causes |= is_float(op->type) ? of_floats(w, i) :
						       of_integers(w, i);
	return op->slot == GAUDI_TPC_VPU ?
	       causes << GAUDI_TPC_CAUSE_VPU : causes;
}

void gaudi_tpc_flags(struct gaudi_tpc_core *core,
		     const struct gaudi_tpc_uword *word)
{
	struct witness w = { .was = core->in, .is = &core->r };
	unsigned int n;
	uint32_t causes;

	for (n = 0; n < word->count; n++) {
		w.op = &word->op[n];
		w.elem = gaudi_tpc_type_size(w.op->type);
		if (w.op->type >= GAUDI_TPC_TYPES ||
		    !((w.was->sp >> w.op->sp ^ w.op->negate) & 1))
			continue;
		causes = causes_of(&w) & core->launch.causes;
		if (causes & ~core->causes)
			core->causes_pc = core->pc;
		core->causes |= causes;
	}
}
