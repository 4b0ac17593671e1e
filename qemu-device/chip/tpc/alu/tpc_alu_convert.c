// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * A tensor core's conversions between types: from any to any other, in every
 * rounding mode. The few that kernels are full of are also in tpc_alu_hot_fp.h.
 *
 * Results beyond the target's range take its nearest value, also from a signed
 * to an unsigned type; a NaN becomes 0 as an integer (inferred, all of it).
 */
#include "tpc_alu.h"
#include "tpc_lane.h"

static bool is_float(uint8_t type)
{
	return type == GAUDI_TPC_F32 || type == GAUDI_TPC_BF16;
}

static int64_t low_of(uint8_t type)
{
	switch (type) {
	case GAUDI_TPC_I32:
		return INT32_MIN;
	case GAUDI_TPC_I16:
		return INT16_MIN;
	case GAUDI_TPC_I8:
		return INT8_MIN;
	default:
		return 0;
	}
}

static int64_t high_of(uint8_t type)
{
	switch (type) {
	case GAUDI_TPC_I32:
		return INT32_MAX;
	case GAUDI_TPC_U32:
		return UINT32_MAX;
	case GAUDI_TPC_I16:
		return INT16_MAX;
	case GAUDI_TPC_U16:
		return UINT16_MAX;
	case GAUDI_TPC_I8:
		return INT8_MAX;
	default:
		return UINT8_MAX;
	}
}

static int64_t integer_of(uint32_t x, uint8_t type)
{
	switch (type) {
	case GAUDI_TPC_I32:
		return (int32_t)x;
	case GAUDI_TPC_I16:
		return (int16_t)x;
	case GAUDI_TPC_U16:
		return (uint16_t)x;
	case GAUDI_TPC_I8:
		return (int8_t)x;
	case GAUDI_TPC_U8:
		return (uint8_t)x;
	default:
		return x;
	}
}

/* --- one lane -------------------------------------------------------------- */

static uint32_t float_to_int(uint32_t x, uint8_t to, uint8_t mode,
			     uint32_t random)
{
	bool negative = x & F32_SIGN;
	int exp = (int)(x >> 23 & 0xff) - 127 - 23;
	int64_t mag = (x & 0x7fffff) | 0x800000;

	if (f32_is_nan(x) || exp == -127 - 23)
		return 0;
	if (exp > 20)
		mag = INT64_MAX;
	else if (exp >= 0)
		mag <<= exp;
	else
		mag = shift_round(mag, -exp, mode, negative, random);
	return clamp64(negative ? -mag : mag, low_of(to), high_of(to));
}

/* The upper bits significant ones of a magnitude, as a float. */
static uint32_t int_to_float(int64_t v, unsigned int significant, uint8_t mode,
			     uint32_t random)
{
	uint64_t mag = v < 0 ? -(uint64_t)v : (uint64_t)v;
	unsigned int shift = 0;

	while (mag >> shift >> significant)
		shift++;
	mag = shift_round(mag, shift, mode, v < 0, random);
	return (v < 0 ? F32_SIGN : 0) | bits_of((float)(mag << shift));
}

static uint32_t float_to_bf16(uint32_t x, uint8_t mode, uint32_t random)
{
	uint32_t sign = x & F32_SIGN, mag;

	if (f32_is_nan(x))
		return BF16_NAN;
	x = f32_flush(x) & ~F32_SIGN;
	if (x == F32_INF)
		return (sign | x) >> 16;
	mag = shift_round(x, 16, mode, sign, random);
	return sign >> 16 | mag;
}

static uint32_t convert_one(uint32_t x, uint8_t from, uint8_t to, uint8_t mode,
			    uint32_t random)
{
	uint32_t f;
	int64_t v;

	if (is_float(from)) {
		f = from == GAUDI_TPC_BF16 ? x << 16 : x;
		if (to == GAUDI_TPC_F32)
			return f32_is_nan(f) ? F32_NAN : f32_flush(f);
		if (to == GAUDI_TPC_BF16)
			return float_to_bf16(f, mode, random);
		return float_to_int(f, to, mode, random);
	}
	v = integer_of(x, from);
	if (to == GAUDI_TPC_F32)
		return int_to_float(v, 24, mode, random);
	if (to == GAUDI_TPC_BF16)
		return int_to_float(v, 8, mode, random) >> 16;
	return clamp64(v, low_of(to), high_of(to));
}

/* --- vectors --------------------------------------------------------------- */

/* Random bits for lane i of a source, at the top. */
static uint32_t random_of(const struct gaudi_tpc_lanes *x, unsigned int elem,
			  unsigned int i)
{
	return gaudi_tpc_lane(x->random, elem, i) << (32 - 8 * elem);
}

static uint32_t one_lane(const struct gaudi_tpc_lanes *x,
			 const gaudi_tpc_vec *from, unsigned int i)
{
	unsigned int elem = gaudi_tpc_type_size(x->from);

	return convert_one(gaudi_tpc_lane(from, elem, i), x->from, x->to,
			   x->round, random_of(x, elem, i));
}

/*
 * To a wider type: from one lane of each group, or with a pair of results from
 * the even and the odd ones. To a narrower one: into a lane of each group.
 */
static void widen(const struct gaudi_tpc_lanes *x, unsigned int n,
		  unsigned int ratio)
{
	unsigned int to = gaudi_tpc_type_size(x->to), i;
	unsigned int lane = x->all ? 0 : x->lane % ratio;

	for (i = 0; i < n / ratio; i++) {
		gaudi_tpc_set_lane(x->r, to, i,
				   one_lane(x, x->a, i * ratio + lane));
		if (x->all)
			gaudi_tpc_set_lane(x->r + 1, to, i,
					   one_lane(x, x->a, i * ratio + 1));
	}
}

static void narrow(const struct gaudi_tpc_lanes *x, unsigned int n,
		   unsigned int ratio)
{
	unsigned int to = gaudi_tpc_type_size(x->to), i;
	unsigned int lane = x->all ? 0 : x->lane % ratio;

	*x->r = *x->old;
	for (i = 0; i < n; i++) {
		gaudi_tpc_set_lane(x->r, to, i * ratio + lane,
				   one_lane(x, x->a, i));
		if (x->all)
			gaudi_tpc_set_lane(x->r, to, i * ratio + 1,
					   one_lane(x, x->a + 1, i));
	}
}

void gaudi_tpc_convert(const struct gaudi_tpc_lanes *x, uint8_t type,
		       unsigned int n)
{
	unsigned int from = gaudi_tpc_type_size(x->from);
	unsigned int to = gaudi_tpc_type_size(x->to), i;

	(void)type;
	if (n == 1) {		/* scalars: no groups */
		x->r->w[0] = one_lane(x, x->a, 0);
	} else if (to > from) {
		widen(x, n, to / from);
	} else if (to < from) {
		narrow(x, n, from / to);
	} else {
		for (i = 0; i < n; i++)
			gaudi_tpc_set_lane(x->r, to, i, one_lane(x, x->a, i));
	}
}

/* --- with a shift ---------------------------------------------------------- */

/*
 * value / 2^shift, rounded, and as near as the target has it. The shift is the
 * low byte of an element, unsigned, to the right (inferred).
 */
void gaudi_tpc_convert_int(const struct gaudi_tpc_lanes *x, uint8_t type,
			   unsigned int n)
{
	unsigned int from = x->sw & GAUDI_TPC_CI_FROM16 ? 2 : 4, i;
	unsigned int to = gaudi_tpc_type_size(x->to), ratio = from / to;
	uint8_t source = x->sw & GAUDI_TPC_CI_UNSIGNED ?
			 (from == 2 ? GAUDI_TPC_U16 : GAUDI_TPC_U32) :
			 (from == 2 ? GAUDI_TPC_I16 : GAUDI_TPC_I32);
	int64_t v;

	(void)type;
	*x->r = *x->old;
	for (i = 0; i < n; i++) {
		v = integer_of(gaudi_tpc_lane(x->a, from, i), source);
		v = shift_round(v < 0 ? -v : v,
				gaudi_tpc_lane(x->b, from, i) & 0xff, x->round,
				v < 0, random_of(x, from, i)) *
		    (v < 0 ? -1ll : 1ll);
		v = clamp64(v, low_of(x->to), high_of(x->to));
		if (n == 1)
			x->r->w[0] = v;
		else
			gaudi_tpc_set_lane(x->r, to,
					   i * ratio + x->lane % ratio, v);
	}
}
