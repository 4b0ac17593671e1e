// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * What a tensor core's operations on vectors do to its registers; arithmetic
 * is in tpc_alu*.c.
 *
 * A vector predicate has a bit for each byte (inferred): a comparison writes
 * all bits of an element, and an element acts as its lowest bit says. But a MOV
 * has a write enable for each byte, whatever its type is: compilers rely on it.
 */
#include <string.h>

#include "tpc_uop.h"


static const gaudi_tpc_vec lane_id_32 = {
#define W4(n)	n, n + 1, n + 2, n + 3
#define W16(n)	W4(n), W4(n + 4), W4(n + 8), W4(n + 12)
	.w = { W16(0), W16(16), W16(32), W16(48) },
};

static const gaudi_tpc_vec lane_id_16 = {
#define W64(n)	W16(n), W16(n + 16), W16(n + 32), W16(n + 48)
	.h = { W64(0), W64(64) },
};

static const gaudi_tpc_vec lane_id_8 = {
	.b = { W64(0), W64(64), W64(128), W64(192) },
};

/* --- operands -------------------------------------------------------------- */

/* tmp holds a scalar in all lanes. */
static inline const gaudi_tpc_vec *source(struct gaudi_tpc_core *core,
					  const struct gaudi_tpc_operand *o,
					  unsigned int elem, gaudi_tpc_vec *tmp)
{
	switch (o->kind) {
	case GAUDI_TPC_K_V:
	case GAUDI_TPC_K_D:
		return &core->in->v[o->num];
	case GAUDI_TPC_K_VP:
		return &core->in->vp[o->num];
	case GAUDI_TPC_K_S:
	case GAUDI_TPC_K_S_LFSR:
	case GAUDI_TPC_K_IMM:
	case GAUDI_TPC_K_CONST:
		core->alu->splat(tmp, gaudi_tpc_scalar(core, o), elem);
		return tmp;
	case GAUDI_TPC_K_LANE_ID:
		return o->num == 32 ? &lane_id_32 : o->num == 16 ?
		       &lane_id_16 : &lane_id_8;
	case GAUDI_TPC_K_LFSR:
		*tmp = core->in->lfsr;
		if (!o->num)
			gaudi_tpc_lfsr_step(core);
		return tmp;
	case GAUDI_TPC_K_SP:
		memset(tmp, core->in->sp >> o->num & 1 ? 0xff : 0,
		       sizeof(*tmp));
		return tmp;
	default:
		return &lane_id_8;
	}
}

const gaudi_tpc_vec *gaudi_tpc_source(struct gaudi_tpc_core *core,
				      const struct gaudi_tpc_operand *o,
				      unsigned int elem, gaudi_tpc_vec *tmp)
{
	return source(core, o, elem, tmp);
}

/* --- results --------------------------------------------------------------- */

static void keep(struct gaudi_tpc_core *core, const struct gaudi_tpc_uop *op,
		 gaudi_tpc_vec *to, const gaudi_tpc_vec *r, unsigned int elem)
{
	if (op->vp)
		core->alu->blend(to, r, &core->in->vp[op->vp - 1], elem,
				 op->vnegate);
	else
		*to = *r;
}

void gaudi_tpc_write_v(struct gaudi_tpc_core *core,
		       const struct gaudi_tpc_uop *op, const gaudi_tpc_vec *r)
{
	keep(core, op, &core->r.v[op->dest.num], r, op->elem);
	if (op->pair)
		keep(core, op, &core->r.v[op->dest.num + 1], r + 1, op->elem);
}

void gaudi_tpc_write_vp(struct gaudi_tpc_core *core,
			const struct gaudi_tpc_uop *op, const gaudi_tpc_vec *r)
{
	if (op->dest.num)
		keep(core, op, &core->r.vp[op->dest.num], r, 1);
}

/* --- arithmetic ------------------------------------------------------------ */

static unsigned int lanes_of(uint8_t type)
{
	return GAUDI_TPC_VBYTES / gaudi_tpc_type_size(type);
}

void gaudi_tpc_v_hot(struct gaudi_tpc_core *core,
		     const struct gaudi_tpc_uop *op)
{
	unsigned int elem = gaudi_tpc_type_size(op->type);
	gaudi_tpc_vec a, b, r[2], carry;
	struct gaudi_tpc_lanes x;

	x.a = source(core, &op->src[0], elem, &a);
	x.b = op->src[1].kind ? source(core, &op->src[1], elem, &b) : x.a;
	x.old = &core->in->v[op->dest.num];
	x.carry_in = &core->in->carry;
	x.carry = op->vp ? &carry : &core->r.carry;
	x.sw = op->sw;
	/* Lane by lane: the destination may be a source, unless it is a pair. */
	x.r = op->vp || op->pair ? r : &core->r.v[op->dest.num];
	/* In place, carries are read and written by the same lane as well. */
	core->alu->vec[op->hot][op->type](&x);
	if (x.r == r)
		gaudi_tpc_write_v(core, op, r);
	if (op->vp && op->flag)
		core->alu->blend(&core->r.carry, &carry,
				 &core->in->vp[op->vp - 1], elem, op->vnegate);
}

void gaudi_tpc_v_cold(struct gaudi_tpc_core *core,
		      const struct gaudi_tpc_uop *op)
{
	unsigned int elem = gaudi_tpc_type_size(op->type);
	gaudi_tpc_vec tmp[4], r[2], random;
	struct gaudi_tpc_lanes x = {
		.old = &core->in->v[op->dest.num], .r = r, .sw = op->sw,
		.imm = op->imm, .lane = op->lane, .from = op->from,
		.to = op->to, .all = op->all,
	};

	x.round = gaudi_tpc_round_mode(core, op);
	x.a = source(core, &op->src[0], elem, &tmp[0]);
	x.b = source(core, &op->src[1], op->flag ? 1 : elem, &tmp[1]);
	x.c = source(core, &op->src[2], elem, &tmp[2]);
	x.d = source(core, &op->src[3], elem, &tmp[3]);
	x.random = &core->in->lfsr;
	if (x.round == GAUDI_TPC_SR && op->round != 0) {
		random = core->in->lfsr;
		x.random = &random;
		gaudi_tpc_lfsr_step(core);
	}
	op->cold(&x, op->type, lanes_of(op->type));
	gaudi_tpc_write_v(core, op, r);
}

void gaudi_tpc_v_quick(struct gaudi_tpc_core *core,
		       const struct gaudi_tpc_uop *op)
{
	unsigned int elem = gaudi_tpc_type_size(op->type);
	gaudi_tpc_vec tmp[3], r;
	struct gaudi_tpc_lanes x = {
		.old = &core->in->v[op->dest.num], .r = &r, .sw = op->sw,
	};

	x.a = source(core, &op->src[0], elem, &tmp[0]);
	x.b = source(core, &op->src[1], elem, &tmp[1]);
	x.c = source(core, &op->src[2], elem, &tmp[2]);
	/* All are read before they are written. */
	if (!op->vp)
		x.r = &core->r.v[op->dest.num];
	core->alu->quick[op->quick](&x);
	if (x.r == &r)
		gaudi_tpc_write_v(core, op, &r);
}

/* What kernels convert all the time has code of its own. */
static gaudi_tpc_lanes_fn *quick(const struct gaudi_tpc_core *core,
				 const struct gaudi_tpc_uop *op, uint8_t round)
{
	/* Stochastic rounding steps the LFSR, also where all is exact. */
	if (op->from == GAUDI_TPC_BF16 && op->to == GAUDI_TPC_F32 &&
	    round != GAUDI_TPC_SR)
		return core->alu->bf16_to_f32;
	if (round != GAUDI_TPC_RHNE)
		return NULL;
	if (op->op == GAUDI_TPC_OP_NEARBYINT)
		return op->type == GAUDI_TPC_F32 ? core->alu->nearest_f32 :
						   NULL;
	if (op->from == GAUDI_TPC_F32 && op->to == GAUDI_TPC_I32)
		return core->alu->f32_to_i32;
	if (op->from == GAUDI_TPC_I32 && op->to == GAUDI_TPC_F32)
		return core->alu->i32_to_f32;
	if (op->from == GAUDI_TPC_F32 && op->to == GAUDI_TPC_BF16 &&
	    op->lane < 2)
		return core->alu->f32_to_bf16;
	return NULL;
}

void gaudi_tpc_v_convert(struct gaudi_tpc_core *core,
			 const struct gaudi_tpc_uop *op)
{
	gaudi_tpc_lanes_fn *fn = quick(core, op, gaudi_tpc_round_mode(core, op));
	gaudi_tpc_vec tmp, r[2];
	struct gaudi_tpc_lanes x = {
		.old = &core->in->v[op->dest.num], .r = r, .lane = op->lane,
		.all = op->all,
	};

	if (!fn || (op->from == GAUDI_TPC_BF16 && op->lane > 1)) {
		gaudi_tpc_v_cold(core, op);
		return;
	}
	x.a = source(core, &op->src[0], gaudi_tpc_type_size(op->type), &tmp);
	fn(&x);
	gaudi_tpc_write_v(core, op, r);
}

/* --- comparisons and choices ----------------------------------------------- */

static void compare(struct gaudi_tpc_core *core,
		    const struct gaudi_tpc_uop *op, const gaudi_tpc_vec *a,
		    const gaudi_tpc_vec *b, gaudi_tpc_vec *mask)
{
	struct gaudi_tpc_lanes x = { .a = a, .b = b, .r = mask };

	core->alu->vec[op->hot][op->type](&x);
}

void gaudi_tpc_v_cmp(struct gaudi_tpc_core *core,
		     const struct gaudi_tpc_uop *op)
{
	unsigned int elem = gaudi_tpc_type_size(op->type);
	gaudi_tpc_vec ta, tb, mask;

	compare(core, op, source(core, &op->src[0], elem, &ta),
		source(core, &op->src[1], elem, &tb), &mask);
	gaudi_tpc_write_vp(core, op, &mask);
}

void gaudi_tpc_v_sel(struct gaudi_tpc_core *core,
		     const struct gaudi_tpc_uop *op)
{
	unsigned int elem = gaudi_tpc_type_size(op->type);
	gaudi_tpc_vec tmp[4], mask, r;
	gaudi_tpc_vec *to = op->vp ? &r : &core->r.v[op->dest.num];

	compare(core, op, source(core, &op->src[0], elem, &tmp[0]),
		source(core, &op->src[1], elem, &tmp[1]), &mask);
	core->alu->choose(to, source(core, &op->src[2], elem, &tmp[2]),
			  source(core, &op->src[3], elem, &tmp[3]), &mask,
			  elem);
	if (op->vp)
		gaudi_tpc_write_v(core, op, &r);
}

/* Both of the chosen pair (C, A) or (D, B). */
void gaudi_tpc_v_sel2(struct gaudi_tpc_core *core,
		      const struct gaudi_tpc_uop *op)
{
	unsigned int elem = gaudi_tpc_type_size(op->type);
	const gaudi_tpc_vec *src[4];
	gaudi_tpc_vec tmp[4], mask, r[2];
	unsigned int i;

	for (i = 0; i < 4; i++)
		src[i] = source(core, &op->src[i], elem, &tmp[i]);
	compare(core, op, src[0], src[1], &mask);
	r[0] = *src[3];
	r[1] = *src[1];
	core->alu->blend(&r[0], src[2], &mask, elem, false);
	core->alu->blend(&r[1], src[0], &mask, elem, false);
	gaudi_tpc_write_v(core, op, r);
}

/* --- copies ---------------------------------------------------------------- */

void gaudi_tpc_v_mov(struct gaudi_tpc_core *core,
		     const struct gaudi_tpc_uop *op)
{
	bool lfsr = op->dest.kind == GAUDI_TPC_K_LFSR;
	gaudi_tpc_vec tmp;
	const gaudi_tpc_vec *r = source(core, &op->src[0], op->elem, &tmp);

	/* The type says how wide a scalar is, not what the predicate enables. */
	keep(core, op, lfsr ? &core->r.lfsr : &core->r.v[op->dest.num], r, 1);
}

void gaudi_tpc_spread(uint8_t *r, const uint8_t *bits, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes * 8; i++)
		r[i] = bits[i / 8] >> i % 8 & 1 ? 0xff : 0;
}

void gaudi_tpc_gather(uint8_t *bits, const gaudi_tpc_vec *vp)
{
	unsigned int i;

	memset(bits, 0, GAUDI_TPC_VBYTES / 8);
	for (i = 0; i < GAUDI_TPC_VBYTES; i++)
		bits[i / 8] |= (vp->b[i] & 1) << i % 8;
}

#define FLAVOR_ALL	8u

/* From VP and SP all bits; from a scalar one of eight sections, or all. */
void gaudi_tpc_v_mov_vp(struct gaudi_tpc_core *core,
			const struct gaudi_tpc_uop *op)
{
	gaudi_tpc_vec r, part;
	uint8_t bits[4];
	unsigned int i;
	uint32_t value;

	if (op->src[0].kind == GAUDI_TPC_K_VP ||
	    op->src[0].kind == GAUDI_TPC_K_SP) {
		r = *source(core, &op->src[0], 1, &part);
		gaudi_tpc_write_vp(core, op, &r);
		return;
	}
	value = gaudi_tpc_scalar(core, &op->src[0]);
	for (i = 0; i < 4; i++)
		bits[i] = value >> 8 * i;
	gaudi_tpc_spread(part.b, bits, sizeof(bits));
	r = core->in->vp[op->dest.num];
	for (i = 0; i < 8; i++)
		if (op->sw == i || op->sw == FLAVOR_ALL)
			memcpy(r.b + 32 * i, part.b, 32);
	gaudi_tpc_write_vp(core, op, &r);
}

void gaudi_tpc_v_logic_vp(struct gaudi_tpc_core *core,
			  const struct gaudi_tpc_uop *op)
{
	gaudi_tpc_vec ta, tb, r;
	struct gaudi_tpc_lanes x = { .r = &r };

	x.a = source(core, &op->src[0], 1, &ta);
	x.b = source(core, &op->src[1], 1, &tb);
	core->alu->vec[op->hot][GAUDI_TPC_U8](&x);
	gaudi_tpc_write_vp(core, op, &r);
}
