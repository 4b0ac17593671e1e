// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * A tensor core's operations on the parts of floats. A bf16 is the upper half
 * of a float here, and so is its result.
 */
#include <math.h>

#include "tpc_alu.h"
#include "tpc_lane.h"

#define NORMAL_EXP	0x7fu

/* Lane i as a float's bits. */
static uint32_t get(const gaudi_tpc_vec *v, uint8_t type, unsigned int i)
{
	return type == GAUDI_TPC_BF16 ? (uint32_t)v->h[i] << 16 : v->w[i];
}

static void put(gaudi_tpc_vec *v, uint8_t type, unsigned int i, uint32_t x)
{
	if (type == GAUDI_TPC_BF16)
		v->h[i] = x >> 16;
	else
		v->w[i] = x;
}

/* Random bits of a lane, at the top. */
static uint32_t random_of(const struct gaudi_tpc_lanes *x, uint8_t type,
			  unsigned int i)
{
	return type == GAUDI_TPC_BF16 ? (uint32_t)x->random->h[i] << 16 :
					x->random->w[i];
}

static uint32_t nearbyint_of(uint32_t x, uint8_t mode, uint32_t random)
{
	unsigned int exp = x >> 23 & 0xff;
	uint32_t sign = x & F32_SIGN;
	uint64_t mag;

	if (f32_is_nan(x))
		return F32_NAN;
	if (exp >= NORMAL_EXP + 23 || !exp)
		return exp ? x : sign;
	mag = shift_round((x & 0x7fffff) | 0x800000, NORMAL_EXP + 23 - exp,
			  mode, sign, random);
	return sign | bits_of((float)mag);
}

void gaudi_tpc_nearbyint(const struct gaudi_tpc_lanes *x, uint8_t type,
			 unsigned int n)
{
	unsigned int i;

	/* A whole number is one already. */
	if (type != GAUDI_TPC_F32 && type != GAUDI_TPC_BF16) {
		*x->r = *x->a;
		return;
	}
	/* What a bf16 has behind the point leaves room for a carry. */
	for (i = 0; i < n; i++)
		put(x->r, type, i, nearbyint_of(get(x->a, type, i), x->round,
						random_of(x, type, i)));
}

/* sw bit 0: as it is in the float. */
void gaudi_tpc_extract_exp(const struct gaudi_tpc_lanes *x, uint8_t type,
			   unsigned int n)
{
	unsigned int elem = gaudi_tpc_type_size(type), i;
	uint32_t exp;

	for (i = 0; i < n; i++) {
		exp = get(x->a, type, i) >> 23 & 0xff;
		gaudi_tpc_set_lane(x->r, elem, i,
				   x->sw & 1 ? exp : exp - NORMAL_EXP);
	}
}

/* --- classes --------------------------------------------------------------- */

void gaudi_tpc_fclass(const struct gaudi_tpc_lanes *x, uint8_t type,
		      unsigned int n)
{
	unsigned int elem = gaudi_tpc_type_size(type), i;

	for (i = 0; i < n; i++)
		gaudi_tpc_set_lane(x->r, elem, i,
				   f32_class(get(x->a, type, i)));
}

/* --- made of parts --------------------------------------------------------- */

/* sw: as the encoding of the switches. No flush to zero (inferred). */
enum {
	ADD_BIAS = 1 << 0, FORCE_SIGN0 = 1 << 1, FORCE_SIGN1 = 1 << 2,
	EXP_IS_NUM = 1 << 3, SIGN_LSB = 1 << 4,
};

void gaudi_tpc_form_fp_num(const struct gaudi_tpc_lanes *x, uint8_t type,
			   unsigned int n)
{
	unsigned int elem = gaudi_tpc_type_size(type), i;
	unsigned int frac = elem == 4 ? 23 : 7;
	uint32_t exp, sign, a, b, c;

	for (i = 0; i < n; i++) {
		a = gaudi_tpc_lane(x->a, elem, i);
		b = gaudi_tpc_lane(x->b, elem, i);
		c = gaudi_tpc_lane(x->c, elem, i);
		exp = x->sw & EXP_IS_NUM ? a : a >> frac;
		if (x->sw & ADD_BIAS)
			exp += NORMAL_EXP;
		sign = x->sw & SIGN_LSB ? b : b >> (elem * 8 - 1);
		if (x->sw & FORCE_SIGN0)
			sign = 0;
		if (x->sw & FORCE_SIGN1)
			sign = 1;
		gaudi_tpc_set_lane(x->r, elem, i,
				   (sign & 1) << (elem * 8 - 1) |
				   (exp & 0xff) << frac |
				   (c & ((1u << frac) - 1)));
	}
}

/* --- special operands ------------------------------------------------------ */

#define IS_NAN		(SIGNALLING | QUIET)
#define IS_ZERO		(NEG_ZERO | POS_ZERO | NEG_DENORMAL | POS_DENORMAL)
#define IS_INF		(NEG_INF | POS_INF)
#define IS_NEGATIVE	(NEG_INF | NEG_NORMAL | NEG_DENORMAL | NEG_ZERO)
#define F32_ONE		0x3f800000u

/* Of one operand: its class, and whether there is a result. */
static bool special_of_one(uint8_t func, uint32_t a, uint32_t *r)
{
	uint32_t sign = a & IS_NEGATIVE ? F32_SIGN : 0;
	bool below = a & (NEG_NORMAL | NEG_INF);

	*r = F32_NAN;
	if (a & IS_NAN)
		return true;
	switch (func) {
	case GAUDI_TPC_RECIP:
		*r = sign | (a & IS_ZERO ? F32_INF : 0);
		return a & (IS_ZERO | IS_INF);
	case GAUDI_TPC_RSQRT:
		if (!below)
			*r = a & IS_ZERO ? sign | F32_INF : 0;
		return below || a & (IS_ZERO | IS_INF);
	case GAUDI_TPC_SQRT:
		if (!below)
			*r = a & IS_ZERO ? sign : F32_INF;
		return below || a & (IS_ZERO | IS_INF);
	case GAUDI_TPC_LOG:
		if (!below)
			*r = a & IS_ZERO ? F32_SIGN | F32_INF : F32_INF;
		return below || a & (IS_ZERO | IS_INF);
	case GAUDI_TPC_EXP:
		*r = a & IS_ZERO ? F32_ONE : a & NEG_INF ? 0 : F32_INF;
		return a & (IS_ZERO | IS_INF);
	default:
		*r = sign | (a & IS_ZERO ? 0 : F32_ONE);
		return a & (IS_ZERO | IS_INF);
	}
}

static bool special_div(uint32_t a, uint32_t b, uint32_t *r)
{
	uint32_t sign = !(a & IS_NEGATIVE) != !(b & IS_NEGATIVE) ? F32_SIGN : 0;

	*r = F32_NAN;
	if ((a | b) & IS_NAN)
		return true;
	if ((a & IS_ZERO && b & IS_ZERO) || (a & IS_INF && b & IS_INF))
		return true;
	*r = sign | (a & IS_INF || b & IS_ZERO ? F32_INF : 0);
	return (a | b) & (IS_ZERO | IS_INF);
}

/*
 * As far as classes decide: whether an exponent is odd, or a base is above one,
 * they do not tell, and the lane keeps what it had.
 */
static bool special_pow(uint32_t a, uint32_t b, uint32_t *r)
{
	*r = F32_NAN;
	if ((a | b) & IS_NAN)
		return true;
	*r = F32_ONE;
	if (b & IS_ZERO)
		return true;
	if (a & IS_ZERO && b & (POS_NORMAL | POS_INF)) {
		*r = 0;
		return a & (POS_ZERO | POS_DENORMAL) || b & POS_INF;
	}
	if (a & IS_ZERO) {
		*r = F32_INF;
		return a & (POS_ZERO | POS_DENORMAL) || b & NEG_INF;
	}
	if (a & POS_INF) {
		*r = b & IS_NEGATIVE ? 0 : F32_INF;
		return true;
	}
	if (a & NEG_INF && b & IS_INF) {
		*r = b & NEG_INF ? 0 : F32_INF;
		return true;
	}
	return false;
}

/* No function but POW has anything special for numbers above zero. */
static bool all_usual(const struct gaudi_tpc_lanes *x)
{
	uint32_t seen = 0;
	unsigned int i;

	for (i = 0; i < GAUDI_TPC_VBYTES / 4; i++)
		seen |= x->a->w[i] | x->b->w[i];
	return seen == POS_NORMAL && x->sw != GAUDI_TPC_POW;
}

/* Operands are classes; lanes that need nothing special keep what they had. */
void gaudi_tpc_calc_fp_special(const struct gaudi_tpc_lanes *x, uint8_t type,
			       unsigned int n)
{
	unsigned int elem = gaudi_tpc_type_size(type), i;
	uint32_t a, b, r;
	bool special;

	*x->r = *x->old;
	if (n > 1 && elem == 4 && all_usual(x))
		return;
	for (i = 0; i < n; i++) {
		a = gaudi_tpc_lane(x->a, elem, i);
		b = gaudi_tpc_lane(x->b, elem, i);
		if (x->sw == GAUDI_TPC_DIV)
			special = special_div(a, b, &r);
		else if (x->sw == GAUDI_TPC_POW)
			special = special_pow(a, b, &r);
		else
			special = special_of_one(x->sw, a, &r);
		if (special)
			put(x->r, type, i, r);
	}
}
