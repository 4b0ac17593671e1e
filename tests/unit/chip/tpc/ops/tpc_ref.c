// SPDX-License-Identifier: GPL-2.0-only
/* Registers, and operations on them; see tpc_ref.h. */
#include "tpc_ref.h"

#define SW(name)	(in->sw[GAUDI_TPC_SW_##name])
#define OP(name)	GAUDI_TPC_OP_##name
#define K(name)		GAUDI_TPC_K_##name
#define V		GAUDI_TPC_VBYTES

uint32_t ref_get(const uint8_t *from, unsigned int size, unsigned int lane)
{
	uint32_t x = 0;

	memcpy(&x, from + lane * size, size);
	return x;
}

void ref_put(uint8_t *to, unsigned int size, unsigned int lane, uint32_t x)
{
	memcpy(to + lane * size, &x, size);
}

static uint32_t stepped(const struct ref *ref, uint32_t x)
{
	uint32_t polynom = ref->launch.lfsr_polynom ?
			   ref->launch.lfsr_polynom : 0x800002cc;

	return x & 1 ? x >> 1 ^ polynom : x >> 1;
}

static void step_lanes(struct ref *ref)
{
	unsigned int i;

	for (i = 0; i < V / 4; i++)
		ref->r.lfsr.w[i] = stepped(ref, ref->r.lfsr.w[i]);
}

/* --- operands and results ---------------------------------------------------- */

uint32_t ref_scalar(struct ref *ref, const struct ref *old,
		    const struct gaudi_tpc_operand *o)
{
	switch (o->kind) {
	case K(S):
	case K(Z):
		return old->r.s[o->num];
	case K(SP):
		return old->r.sp >> o->num & 1;
	case K(S_LFSR):
		if (!o->num)
			ref->r.s_lfsr = stepped(ref, old->r.s_lfsr);
		return old->r.s_lfsr;
	case K(HW):
		return o->num == GAUDI_TPC_HW_PC ? old->pc :
		       o->num == GAUDI_TPC_HW_DIV_STEP ? old->r.div_step : 0;
	}
	return o->value;
}

void ref_write_s(struct ref *ref, const struct gaudi_tpc_operand *dest,
		 uint32_t value)
{
	if (dest->kind == K(S))
		ref->r.s[dest->num] = value;
	else if (dest->kind == K(S_LFSR))
		ref->r.s_lfsr = value;
	else if (dest->num)
		ref->r.sp = (ref->r.sp & ~(1u << dest->num)) |
			    (value & 1) << dest->num;
}

void ref_vector(struct ref *ref, const struct ref *old,
		const struct gaudi_tpc_operand *o, unsigned int size,
		uint8_t *to)
{
	unsigned int i;
	uint32_t x;

	switch (o->kind) {
	case K(V):
	case K(D):
		memcpy(to, old->r.v[o->num].b, V);
		return;
	case K(VP):
		for (i = 0; i < V; i++)
			to[i] = old->r.vp[o->num].b[i] & 1;
		return;
	case K(SP):
		memset(to, old->r.sp >> o->num & 1, V);
		return;
	case K(LANE_ID):
		for (i = 0; i < V * 8 / o->num; i++)
			ref_put(to, o->num / 8, i, i);
		return;
	case K(LFSR):
		memcpy(to, old->r.lfsr.b, V);
		if (!o->num)
			step_lanes(ref);
		return;
	case K(NONE):
		return;
	}
	x = ref_scalar(ref, old, o);
	for (i = 0; i < V / size; i++)
		ref_put(to, size, i, x);
}

/* Does the byte, the first one of an element, act? */
static bool acts(const struct ref *old, const struct gaudi_tpc_insn *in,
		 unsigned int byte)
{
	return in->pred.kind != K(VP) ||
	       (old->r.vp[in->pred.num].b[byte] & 1) != in->pred.negate;
}

void ref_commit(struct ref *ref, const struct ref *old,
		const struct gaudi_tpc_insn *in, const uint8_t *out,
		unsigned int size)
{
	unsigned int i, n = in->dest.kind == K(D) ? 2 * V : V;
	uint8_t *to = ref->r.v[in->dest.num].b;

	if (in->dest.kind == K(LFSR))
		to = ref->r.lfsr.b;
	for (i = 0; i < n; i++)
		if (acts(old, in, i % V / size * size))
			to[i] = out[i];
}

void ref_commit_vp(struct ref *ref, const struct ref *old,
		   const struct gaudi_tpc_insn *in, const uint8_t *out)
{
	unsigned int i;

	for (i = 0; i < V && in->dest.num; i++)
		if (acts(old, in, i))
			ref->r.vp[in->dest.num].b[i] = out[i] & 1 ? 0xff : 0;
}

/* --- the vector unit ------------------------------------------------------------ */

struct operands {
	uint8_t v[4][2 * V];		/* a pair as source has two */
	uint8_t random[V];
	uint8_t old[2 * V];
	uint8_t out[2 * V];
};

static uint32_t random_of(const struct operands *x, unsigned int size,
			  unsigned int lane)
{
	return ref_get(x->random, size, lane) << (32 - 8 * size);
}

static bool v_lanes(struct ref *ref, const struct ref *old,
		    const struct gaudi_tpc_insn *in, struct operands *x)
{
	unsigned int size = ref_size(in->type), i, k;
	uint32_t src[3], r = 0;
	bool carry, adds = in->op == OP(ADD) && in->type != GAUDI_TPC_F32 &&
			   in->type != GAUDI_TPC_BF16;

	for (i = 0; i < V / size; i++) {
		for (k = 0; k < 3; k++)
			src[k] = ref_get(x->v[k], size, i);
		if (!ref_lane(ref, in, src, ref_get(x->old, size, i),
			      random_of(x, size, i),
			      old->r.carry.b[i * size] & 1, &r, &carry))
			return false;
		ref_put(x->out, size, i, r);
		for (k = 0; adds && k < size; k++)
			if (acts(old, in, i * size))
				ref->r.carry.b[i * size + k] = carry ? 0xff : 0;
	}
	ref_commit(ref, old, in, x->out, size);
	return true;
}

/* Even lanes make the first vector, odd ones the second. */
static bool v_pair(struct ref *ref, const struct ref *old,
		   const struct gaudi_tpc_insn *in, struct operands *x)
{
	unsigned int size = ref_size(in->type), i, at;
	uint64_t p;
	uint32_t r;

	for (i = 0; i < V / size; i++) {
		uint32_t a = ref_get(x->v[0], size, i);
		uint32_t b = ref_get(x->v[1], size, i);

		if (size == 4) {
			p = in->type == GAUDI_TPC_I32 ?
			    (uint64_t)((int64_t)(int32_t)a * (int32_t)b) :
			    (uint64_t)a * b;
			ref_put(x->out, 4, i, p);
			ref_put(x->out + V, 4, i, p >> 32);
			continue;
		}
		at = (i % 2) * (V / 4) + i / 2;
		if (!ref_wide(in, a, b, ref_get(x->old, 4, at), &r))
			return false;
		ref_put(x->out, 4, at, r);
	}
	ref_commit(ref, old, in, x->out, 4);
	return true;
}

static bool v_compare(struct ref *ref, const struct ref *old,
		      const struct gaudi_tpc_insn *in, struct operands *x)
{
	/* A predicate: its bytes are compared. */
	unsigned int type = in->type == GAUDI_TPC_BOOL ? GAUDI_TPC_U8 :
							 in->type;
	unsigned int size = ref_size(type), i;

	for (i = 0; i < V; i++)
		x->out[i] = ref_compare(in, type,
					ref_get(x->v[0], size, i / size),
					ref_get(x->v[1], size, i / size));
	ref_commit_vp(ref, old, in, x->out);
	return true;
}

static bool v_select(struct ref *ref, const struct ref *old,
		     const struct gaudi_tpc_insn *in, struct operands *x)
{
	unsigned int size = ref_size(in->type), i;
	bool yes;

	for (i = 0; i < V / size; i++) {
		yes = ref_compare(in, in->type, ref_get(x->v[0], size, i),
				  ref_get(x->v[1], size, i));
		ref_put(x->out, size, i, ref_get(x->v[yes ? 2 : 3], size, i));
		ref_put(x->out + V, size, i,
			ref_get(x->v[yes ? 0 : 1], size, i));
	}
	ref_commit(ref, old, in, x->out, size);
	return true;
}

static bool v_convert(struct ref *ref, const struct ref *old,
		      const struct gaudi_tpc_insn *in, struct operands *x)
{
	unsigned int from = ref_size(in->type), to = ref_size(SW(TARGET));
	unsigned int mode = ref_round_mode(ref, in), i, lane, at;
	bool split = in->dest.kind == K(D), join = in->src[0].kind == K(D);
	uint32_t r[2 * V];

	for (i = 0; i < (join ? 2 : 1) * V / from; i++)
		r[i] = ref_convert(ref_get(x->v[0], from, i), in->type,
				   SW(TARGET), mode,
				   random_of(x, from, i % (V / from)));
	memcpy(x->out, x->old, sizeof(x->out));
	for (i = 0; i < (split ? 2 : 1) * V / to; i++) {
		if (split)
			ref_put(x->out, to, i,
				r[2 * (i % (V / to)) + i / (V / to)]);
		else if (join)
			ref_put(x->out, to, i, r[i / 2 + i % 2 * (V / from)]);
		else if (to >= from)
			ref_put(x->out, to, i,
				r[i * (to / from) + SW(LANE_SEL) % (to / from)]);
		else if (i < V / from) {
			lane = SW(LANE_SEL) % (from / to);
			at = i * (from / to) + lane;
			ref_put(x->out, to, at, r[i]);
		}
	}
	ref_commit(ref, old, in, x->out, to);
	return true;
}

static void shift_types(const struct gaudi_tpc_insn *in, unsigned int *from,
			unsigned int *to)
{
	bool sign = in->op == OP(CONVERT_INT32) || in->op == OP(CONVERT_INT16);

	if (in->op == OP(CONVERT_INT16) || in->op == OP(CONVERT_UINT16))
		*from = sign ? GAUDI_TPC_I16 : GAUDI_TPC_U16;
	else
		*from = sign ? GAUDI_TPC_I32 : GAUDI_TPC_U32;
	if (SW(TO_16))
		*to = sign ? GAUDI_TPC_I16 : GAUDI_TPC_U16;
	else
		*to = sign ? GAUDI_TPC_I8 : GAUDI_TPC_U8;
}

static bool v_convert_shift(struct ref *ref, const struct ref *old,
			    const struct gaudi_tpc_insn *in, struct operands *x)
{
	unsigned int from, to, size, step, i;

	shift_types(in, &from, &to);
	size = ref_size(from);
	step = size / ref_size(to);
	memcpy(x->out, x->old, V);
	for (i = 0; i < V / size; i++)
		ref_put(x->out, ref_size(to), i * step + SW(LANE_SEL) % step,
			ref_convert_shift(ref_get(x->v[0], size, i), from, to,
					  ref_get(x->v[1], size, i) & 0xff,
					  ref_round_mode(ref, in),
					  random_of(x, size, i)));
	ref_commit(ref, old, in, x->out, ref_size(to));
	return true;
}

/* --- lanes that move ---------------------------------------------------------- */

static void shuffle(const struct gaudi_tpc_insn *in, struct operands *x)
{
	unsigned int size = ref_size(in->type), i, dg, from;
	uint8_t how;

	for (i = 0; i < V / size; i++) {
		how = x->v[1][i * size];
		dg = i * size / 64;
		from = (how & 0x1f) % (32 / size) + (how >> 5 & 1) * (32 / size);
		if (how & 0x80)
			ref_put(x->out, size, i,
				ref_get(x->v[0] + 64 * dg, size, from));
	}
}

static void pack(const struct gaudi_tpc_insn *in, struct operands *x)
{
	unsigned int size = ref_size(in->type), s = SW(STRIDE) ? 4 : 2, g, j, k;
	unsigned int chunk = 32 / s;

	for (g = 0; g < 4; g++)
		for (j = 0; j < s; j++)
			for (k = 0; k < chunk / size; k++)
				ref_put(x->out + 64 * g + j * 2 * chunk +
					SW(SOURCE_GROUP) * chunk, size, k,
					ref_get(x->v[0] + 64 * g +
						32 * SW(SOURCE_GROUP), size,
						s * k));
}

static void unpack(const struct gaudi_tpc_insn *in, struct operands *x)
{
	unsigned int size = ref_size(in->type), s = SW(STRIDE) ? 4 : 2, g, j;
	const uint8_t *from = x->v[0] + 32 * SW(SOURCE_GROUP);

	if (s == 4)
		from += 16 * SW(GROUP_HALF);
	for (g = 0; g < 4; g++)
		for (j = 0; j < 64 / s / size; j++)
			ref_put(x->out + 64 * g, size, s * j,
				ref_get(from + 64 * g, size, j));
}

/* A group of 32 bytes, under the mask of the immediate. */
static void move_group(const struct gaudi_tpc_insn *in, struct operands *x,
		       unsigned int to, unsigned int from)
{
	unsigned int j;

	for (j = 0; j < 32; j++)
		if (in->src[1].value >> j & 1)
			x->out[32 * to + j] = x->v[0][32 * from + j];
}

static void mov_dg(const struct gaudi_tpc_insn *in, struct operands *x)
{
	const uint8_t *sdg = &in->sw[GAUDI_TPC_SW_SDG0];
	const uint8_t *weg = &in->sw[GAUDI_TPC_SW_WEG0];
	unsigned int k;

	for (k = 0; k < 4 && SW(ALL); k++) {
		if (weg[k] & 1)
			move_group(in, x, 2 * k, 2 * sdg[k]);
		if (weg[k] & 2)
			move_group(in, x, 2 * k + 1, 2 * sdg[k] + 1);
	}
	if (!SW(ALL) && SW(WR_LG))
		move_group(in, x, 2 * SW(DST), 2 * SW(SRC));
	if (!SW(ALL) && SW(WR_UG))
		move_group(in, x, 2 * SW(DST) + 1, 2 * SW(SRC) + 1);
}

static void mov_g(const struct gaudi_tpc_insn *in, struct operands *x)
{
	unsigned int k;

	for (k = 0; k < 4; k++) {
		if (SW(DG_EN) >> k & 1 && SW(G_EN) & 1)
			move_group(in, x, 2 * k, 2 * k + 1);
		if (SW(DG_EN) >> k & 1 && SW(G_EN) & 2)
			move_group(in, x, 2 * k + 1, 2 * k);
	}
}

static bool v_move(struct ref *ref, const struct ref *old,
		   const struct gaudi_tpc_insn *in, struct operands *x)
{
	memcpy(x->out, x->old, V);
	switch (in->op) {
	case OP(SHUFFLE):
		shuffle(in, x);
		break;
	case OP(PACK):
		pack(in, x);
		break;
	case OP(UNPACK):
		unpack(in, x);
		break;
	case OP(MOV_DG):
		mov_dg(in, x);
		break;
	case OP(MOV_G):
		mov_g(in, x);
		break;
	default:
		memcpy(x->out, x->v[0], V);
	}
	/* A move's predicate enables bytes. */
	ref_commit(ref, old, in, x->out,
		   in->op == OP(MOV) ? 1 : ref_size(in->type));
	return true;
}

static bool v_interval(struct ref *ref, const struct ref *old,
		       const struct gaudi_tpc_insn *in, struct operands *x)
{
	unsigned int size = ref_size(in->type), i;
	uint32_t entry, start;

	for (i = 0; i < V / size; i++) {
		ref_interval(in, ref_get(x->v[0], size, i), &entry, &start);
		ref_put(x->out, size, i, entry);
		ref_put(x->out + V, size, i, start);
	}
	ref_commit(ref, old, in, x->out, size);
	return true;
}

/* --- predicates of lanes --------------------------------------------------------- */

static bool to_vp(struct ref *ref, const struct ref *old,
		  const struct gaudi_tpc_insn *in)
{
	uint8_t a[V], b[V], out[V];
	unsigned int i;
	uint32_t x;

	if (in->op == OP(MOV) && in->src[0].kind != K(VP) &&
	    in->src[0].kind != K(SP)) {
		x = ref_scalar(ref, old, &in->src[0]);
		for (i = 0; i < V; i++)
			out[i] = SW(FLAVOR) == 8 || SW(FLAVOR) == i / 32 ?
				 x >> i % 32 & 1 :
				 old->r.vp[in->dest.num].b[i] & 1;
		ref_commit_vp(ref, old, in, out);
		return true;
	}
	ref_vector(ref, old, &in->src[0], 1, a);
	ref_vector(ref, old, &in->src[1], 1, b);
	for (i = 0; i < V; i++)
		out[i] = in->op == OP(MOV) ? a[i] :
			 in->op == OP(NOT) ? !a[i] :
			 in->op == OP(AND) ? a[i] & b[i] :
			 in->op == OP(OR) ? a[i] | b[i] : a[i] ^ b[i];
	ref_commit_vp(ref, old, in, out);
	return true;
}

static bool is_to_vp(const struct gaudi_tpc_insn *in)
{
	return in->dest.kind == K(VP) &&
	       (in->op == OP(MOV) || in->src[0].kind == K(VP));
}

static void v_operands(struct ref *ref, const struct ref *old,
		       const struct gaudi_tpc_insn *in, struct operands *x)
{
	unsigned int size = ref_size(in->type), k, from, to;

	if (in->op == OP(CONVERT_INT32) || in->op == OP(CONVERT_UINT32) ||
	    in->op == OP(CONVERT_INT16) || in->op == OP(CONVERT_UINT16)) {
		shift_types(in, &from, &to);
		size = ref_size(from);
	}
	memset(x, 0, sizeof(*x));
	for (k = 0; k < 4; k++)
		ref_vector(ref, old, &in->src[k], size, x->v[k]);
	if (in->src[0].kind == K(D))
		memcpy(x->v[0] + V, old->r.v[in->src[0].num + 1].b, V);
	memcpy(x->random, old->r.lfsr.b, V);
	if (in->dest.kind == K(D))
		memcpy(x->old, old->r.v[in->dest.num].b, 2 * V);
	else if (in->dest.kind == K(V))
		memcpy(x->old, old->r.v[in->dest.num].b, V);
}

static bool vector(struct ref *ref, const struct ref *old,
		   const struct gaudi_tpc_insn *in)
{
	struct operands x;

	if (is_to_vp(in))
		return to_vp(ref, old, in);
	v_operands(ref, old, in, &x);
	if ((in->op == OP(CONVERT) || in->op == OP(NEARBYINT) ||
	     (in->op >= OP(CONVERT_INT32) && in->op <= OP(CONVERT_UINT16))) &&
	    ref_round_mode(ref, in) == GAUDI_TPC_SR)
		step_lanes(ref);
	if (in->op >= OP(CMP_EQ) && in->op <= OP(CMP_GEQ))
		return v_compare(ref, old, in, &x);
	if (in->op >= OP(SEL_EQ) && in->op <= OP(SEL2_GEQ))
		return v_select(ref, old, in, &x);
	switch (in->op) {
	case OP(CONVERT):
		return v_convert(ref, old, in, &x);
	case OP(CONVERT_INT32):
	case OP(CONVERT_UINT32):
	case OP(CONVERT_INT16):
	case OP(CONVERT_UINT16):
		return v_convert_shift(ref, old, in, &x);
	case OP(SHUFFLE):
	case OP(PACK):
	case OP(UNPACK):
	case OP(MOV_DG):
	case OP(MOV_G):
	case OP(MOV):
		return v_move(ref, old, in, &x);
	case OP(GET_LUT_ENTRY):
		return v_interval(ref, old, in, &x);
	case OP(HALT):
		ref->halted = true;
		return true;
	case OP(DBG):
	case OP(NOP):
		return true;
	}
	if (in->dest.kind == K(D))
		return v_pair(ref, old, in, &x);
	return v_lanes(ref, old, in, &x);
}

/* --- the scalar unit ------------------------------------------------------------- */

static bool s_index(struct ref *ref, const struct ref *old,
		    const struct gaudi_tpc_insn *in)
{
	uint32_t src[3] = { 0 }, value[2], r = 0;
	unsigned int d, k;
	bool carry;

	for (k = 0; k < 2; k++)
		value[k] = ref_scalar(ref, old, &in->src[k]);
	for (d = 0; d < GAUDI_TPC_DIMS; d++) {
		for (k = 0; k < 2; k++)
			src[k] = in->src[k].kind == K(I) ?
				 (uint32_t)old->r.i[in->src[k].num][d] :
				 value[k];
		if (in->op == OP(MOV) || in->op == OP(SET_INDX))
			r = src[0];
		else if (!ref_lane(ref, in, src, 0, 0, false, &r, &carry))
			return false;
		if (SW(DIMS) >> d & 1)
			ref->r.i[in->dest.num][d] = r;
	}
	return true;
}

static void divide(struct ref *ref, const struct ref *old,
		   const struct gaudi_tpc_insn *in)
{
	uint64_t divisor = ref_number(ref_scalar(ref, old, &in->src[0]),
				      in->type);
	uint64_t rest = old->r.s[in->dest.num];
	uint32_t quotient = old->r.s[in->dest.num + 1];
	int s = SW(STEP_REG) ? (int)old->r.div_step : SW(STEP), n;

	ref->r.div_step = s < 4 ? s + 28 : s - 4;
	for (n = 0; n < 4 && s >= 0; n++, s--)
		if (rest >= divisor << s) {
			rest -= divisor << s;
			quotient |= 1u << s;
		}
	ref->r.s[in->dest.num] = rest;
	ref->r.s[in->dest.num + 1] = quotient;
}

/* A result fills the register by the sign of its type. */
static void s_result(struct ref *ref, const struct gaudi_tpc_insn *in,
		     uint32_t r, unsigned int type)
{
	ref_write_s(ref, &in->dest, ref_number(r, type));
}

static bool s_lanes(struct ref *ref, const struct ref *old,
		    const struct gaudi_tpc_insn *in, uint32_t *src)
{
	unsigned int bits = 8 * ref_size(in->type), k, type = in->type;
	uint32_t random = old->r.s_lfsr >> (32 - bits) << (32 - bits);
	uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1, r = 0;
	uint32_t income = old->r.s[in->dest.num];
	bool carry, narrow = bits < 32 && type != GAUDI_TPC_BF16;

	if (in->dest.kind == K(SP))
		type = GAUDI_TPC_U32;
	for (k = 0; k < 3; k++)
		src[k] &= mask;
	if ((in->op == OP(MAC) && (narrow || SW(ACC_FP32) || (bits == 32 && type != GAUDI_TPC_F32))) ||
	    (in->op == OP(MUL) && (narrow || SW(ACC_FP32)))) {
		if (!ref_wide(in, src[0], src[1], income, &r))
			return false;
		ref_write_s(ref, &in->dest, r);
		return true;
	}
	if (!ref_lane(ref, in, src, income & mask, random, old->r.s_carry, &r,
		      &carry))
		return false;
	if (in->op == OP(ADD) && (narrow || type == GAUDI_TPC_I32 ||
				  type == GAUDI_TPC_U32))
		ref->r.s_carry = carry;
	if (in->op == OP(EXTRACT_EXP) ||
	    (in->op == OP(ASH) && type == GAUDI_TPC_BF16))
		type = bits == 16 ? GAUDI_TPC_I16 : GAUDI_TPC_I32;
	s_result(ref, in, r, type);
	return true;
}

static bool s_convert(struct ref *ref, const struct ref *old,
		      const struct gaudi_tpc_insn *in, const uint32_t *src)
{
	unsigned int from = in->type, to = SW(TARGET), bits;
	uint32_t random = old->r.s_lfsr, r;
	bool shift = in->op != OP(CONVERT);

	if (shift)
		shift_types(in, &from, &to);
	bits = 8 * ref_size(from);
	random = random >> (32 - bits) << (32 - bits);
	r = shift ? ref_convert_shift(src[0], from, to, src[1] & 0xff,
				      ref_round_mode(ref, in), random) :
		    ref_convert(src[0] & (bits == 32 ? ~0u : (1u << bits) - 1),
				from, to, ref_round_mode(ref, in), random);
	s_result(ref, in, r, to);
	return true;
}

static bool s_predicate(struct ref *ref, const struct gaudi_tpc_insn *in,
			const uint32_t *src)
{
	uint32_t r = in->op == OP(NOT) ? ~src[0] :
		     in->op == OP(AND) ? src[0] & src[1] :
		     in->op == OP(OR) ? src[0] | src[1] :
		     in->op == OP(XOR) ? src[0] ^ src[1] : src[0];

	ref_write_s(ref, &in->dest, r);
	return true;
}

static bool s_compare(struct ref *ref, const struct gaudi_tpc_insn *in,
		      uint32_t *src)
{
	unsigned int type = in->type == GAUDI_TPC_BOOL ? GAUDI_TPC_U32 :
							 in->type;
	unsigned int bits = 8 * ref_size(type), k;

	for (k = 0; k < 2 && bits < 32; k++)
		src[k] &= (1u << bits) - 1;
	ref_write_s(ref, &in->dest, ref_compare(in, type, src[0], src[1]));
	return true;
}

static bool scalar(struct ref *ref, const struct ref *old,
		   const struct gaudi_tpc_insn *in)
{
	uint32_t src[3];
	unsigned int k;

	if (in->dest.kind == K(I))
		return s_index(ref, old, in);
	for (k = 0; k < 3; k++)
		src[k] = ref_scalar(ref, old, &in->src[in->op == OP(MOV) &&
						       SW(HW_REG) ? 1 : k]);
	if (in->op >= OP(CMP_EQ) && in->op <= OP(CMP_GEQ))
		return s_compare(ref, in, src);
	switch (in->op) {
	case OP(MOV_IRF_DIM):
		ref->r.s[in->dest.num] = old->r.i[in->src[0].num][SW(DIM)];
		return true;
	case OP(UDIV_4STEP):
		divide(ref, old, in);
		return true;
	case OP(JMPR):
		ref->pc = old->pc + (int32_t)src[0];
		return true;
	case OP(JMPA):
		ref->pc = (int32_t)src[0];
		return true;
	case OP(HALT):
		ref->halted = true;
		return true;
	case OP(DBG):
	case OP(NOP):
		return true;
	case OP(CONVERT):
	case OP(CONVERT_INT32):
	case OP(CONVERT_UINT32):
	case OP(CONVERT_INT16):
	case OP(CONVERT_UINT16):
	case OP(NEARBYINT):
		if (ref_round_mode(ref, in) == GAUDI_TPC_SR)
			ref->r.s_lfsr = stepped(ref, old->r.s_lfsr);
		if (in->op != OP(NEARBYINT))
			return s_convert(ref, old, in, src);
		break;
	case OP(MOV):
		ref_write_s(ref, &in->dest, src[0]);
		return true;
	}
	if (in->dest.kind == K(SP))
		return s_predicate(ref, in, src);
	return s_lanes(ref, old, in, src);
}

/* --- all of them ------------------------------------------------------------------ */

/* LOAD has moves of all kinds: as the unit that owns the register. */
static bool load_move(struct ref *ref, const struct ref *old,
		      const struct gaudi_tpc_insn *in)
{
	if (in->dest.kind == K(V) || in->dest.kind == K(VP))
		return vector(ref, old, in);
	return scalar(ref, old, in);
}

/* One of a word's operations; old: the state before the word. */
static bool one_slot(struct ref *ref, const struct ref *old,
		     const struct gaudi_tpc_insn *in)
{
	static struct ref before;
	bool off = in->pred.kind == K(SP) &&
		   (old->r.sp >> in->pred.num & 1) == in->pred.negate;
	bool known = true;

	before = *ref;
	if (in->slot == GAUDI_TPC_SPU)
		known = scalar(ref, old, in);
	else if (in->slot == GAUDI_TPC_VPU)
		known = vector(ref, old, in);
	if (off) {	/* what has no meaning is refused all the same */
		*ref = before;
		return known;
	}
	if (in->slot == GAUDI_TPC_SPU || in->slot == GAUDI_TPC_VPU)
		return known;
	if (in->op == OP(MOV) || in->op == OP(SET_INDX))
		return load_move(ref, old, in);
	return in->op == OP(NOP) || ref_memory(ref, old, in);
}

bool ref_word(struct ref *ref, const struct gaudi_tpc_word *word)
{
	static struct ref old;
	bool known = true;
	unsigned int i;

	old = *ref;
	ref->pc += GAUDI_TPC_WORD;
	/* Memory is what is no part of the copy: LOAD comes before STORE. */
	for (i = 0; i < GAUDI_TPC_SLOTS; i++)
		known &= one_slot(ref, &old, &word->slot[i]);
	return known;
}

bool ref_step(struct ref *ref, const struct gaudi_tpc_insn *in)
{
	static struct ref old;

	old = *ref;
	ref->pc += GAUDI_TPC_WORD;
	return one_slot(ref, &old, in);
}
