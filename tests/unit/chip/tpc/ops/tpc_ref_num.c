// SPDX-License-Identifier: GPL-2.0-only
/* Numbers of one lane, for tpc_ref.c. */
#include <fenv.h>
#include <math.h>

#include "tpc_ref.h"

#define SW(name)	(in->sw[GAUDI_TPC_SW_##name])
#define OP(name)	GAUDI_TPC_OP_##name

unsigned int ref_size(unsigned int type)
{
	switch (type) {
	case GAUDI_TPC_BF16:
	case GAUDI_TPC_I16:
	case GAUDI_TPC_U16:
		return 2;
	case GAUDI_TPC_I8:
	case GAUDI_TPC_U8:
	case GAUDI_TPC_BOOL:
	case GAUDI_TPC_NO_TYPE:
		return 1;
	default:
		return 4;
	}
}

static bool is_float(unsigned int type)
{
	return type == GAUDI_TPC_F32 || type == GAUDI_TPC_BF16;
}

static bool is_signed(unsigned int type)
{
	return type == GAUDI_TPC_I32 || type == GAUDI_TPC_I16 ||
	       type == GAUDI_TPC_I8;
}

int64_t ref_number(uint32_t x, unsigned int type)
{
	unsigned int bits = 8 * ref_size(type);
	int64_t v = x & ((1ull << bits) - 1);

	return is_signed(type) && v >> (bits - 1) ? v - (1ll << bits) : v;
}

int64_t ref_limited(int64_t v, unsigned int type)
{
	unsigned int bits = 8 * ref_size(type) - is_signed(type);
	int64_t high = (1ll << bits) - 1, low = is_signed(type) ? -high - 1 : 0;

	return v < low ? low : v > high ? high : v;
}

/* --- floats ------------------------------------------------------------------ */

double ref_float(uint32_t x, unsigned int type)
{
	float f;

	if (type == GAUDI_TPC_BF16)
		x <<= 16;
	memcpy(&f, &x, 4);
	return fpclassify(f) == FP_SUBNORMAL ? copysign(0, f) : f;
}

static uint32_t raw_bits(double v, unsigned int type)
{
	float f = (float)v;
	uint32_t x;

	if (isnan(v))
		return type == GAUDI_TPC_BF16 ? 0x7fff : 0x7fffffff;
	if (fabs(v) < 0x1p-126)
		f = copysign(0, v);
	memcpy(&x, &f, 4);
	return type == GAUDI_TPC_BF16 ? x >> 16 : x;
}

/* To so many significant bits, as an IEEE format with 8 bits of exponent. */
static double rounded(double v, unsigned int bits, unsigned int mode,
		      uint32_t random)
{
	int exp, unit;

	if (!isfinite(v) || v == 0)
		return v;
	frexp(v, &exp);
	unit = exp - (int)bits;
	if (unit < -125 - (int)bits)
		unit = -125 - (int)bits;
	v = ldexp(ref_round(ldexp(v, -unit), mode, random), unit);
	return fabs(v) >= 0x1p128 ? copysign(INFINITY, v) : v;
}

uint32_t ref_bits(double v, unsigned int type)
{
	return raw_bits(rounded(v, type == GAUDI_TPC_BF16 ? 8 : 24, 0, 0),
			type);
}

/*
 * a + b as a double whose last bit says that something is missing: rounding it
 * once more to at most 51 bits is as good as rounding the sum.
 */
static double sum(double a, double b)
{
	volatile double p = a, q = b, s;
	uint64_t x;

	fesetround(FE_TOWARDZERO);
	feclearexcept(FE_ALL_EXCEPT);
	s = p + q;
	if (fetestexcept(FE_INEXACT) && isfinite(s)) {
		a = s;
		memcpy(&x, &a, 8);
		x |= 1;
		memcpy(&a, &x, 8);
		s = a;
	}
	fesetround(FE_TONEAREST);
	/* Toward zero x - x is +0, as to the nearest. */
	return s;
}

unsigned int ref_round_mode(const struct ref *ref,
			    const struct gaudi_tpc_insn *in)
{
	unsigned int mode = SW(RM);

	if (mode == GAUDI_TPC_RM_DEFAULT)
		mode = ref->launch.round_csr & 7;
	return mode == GAUDI_TPC_RM_DEFAULT || mode == 7 ? GAUDI_TPC_RHNE :
							   mode;
}

double ref_round(double v, unsigned int mode, uint32_t random)
{
	double low = floor(fabs(v)), part = fabs(v) - low, up;

	switch (mode) {
	case GAUDI_TPC_RZ:
		up = 0;
		break;
	case GAUDI_TPC_RU:
		up = part > 0 && !signbit(v);
		break;
	case GAUDI_TPC_RD:
		up = part > 0 && signbit(v);
		break;
	case GAUDI_TPC_SR:
		up = floor(ldexp(part, 32)) + random >= 0x1p32;
		break;
	case GAUDI_TPC_RHAZ:
		up = part >= 0.5;
		break;
	default:
		up = part > 0.5 || (part == 0.5 && fmod(low, 2) == 1);
	}
	return copysign(low + up, v);
}

uint32_t ref_convert(uint32_t x, unsigned int from, unsigned int to,
		     unsigned int mode, uint32_t random)
{
	double v = is_float(from) ? ref_float(x, from) :
				    (double)ref_number(x, from);

	if (is_float(to))
		return raw_bits(rounded(v, to == GAUDI_TPC_BF16 ? 8 : 24, mode,
					random), to);
	if (isnan(v))
		return 0;
	if (fabs(v) > 0x1p40)
		v = copysign(0x1p40, v);
	return ref_limited(ref_round(v, mode, random), to);
}

uint32_t ref_convert_shift(uint32_t x, unsigned int from, unsigned int to,
			   unsigned int shift, unsigned int mode,
			   uint32_t random)
{
	double v = ldexp((double)ref_number(x, from), -(int)shift);

	return ref_limited(ref_round(v, mode, random), to);
}

/* --- floats as arithmetic has them ------------------------------------------- */

static double larger(double a, double b, bool max)
{
	if (isnan(a) || isnan(b))
		return isnan(a) ? b : a;
	if (a == b)
		return !!signbit(a) == max ? b : a;
	return (a > b) == max ? a : b;
}

static uint32_t classes(uint32_t x, unsigned int type)
{
	unsigned int mant_bits = type == GAUDI_TPC_BF16 ? 7 : 23;
	uint32_t exp = x >> mant_bits & 0xff, mant = x & ((1u << mant_bits) - 1);
	bool neg = x >> (mant_bits + 8) & 1;

	if (exp == 0xff && mant)
		return mant >> (mant_bits - 1) ? 1 << 9 : 1 << 8;
	if (exp == 0xff)
		return neg ? 1 << 0 : 1 << 7;
	if (exp)
		return neg ? 1 << 1 : 1 << 6;
	if (mant)
		return neg ? 1 << 2 : 1 << 5;
	return neg ? 1 << 3 : 1 << 4;
}

#define MINUS		(0xfu)			/* -inf to -0 */
#define ZERO		(0xfu << 2)		/* with sub-normal ones */
#define INF		(1u | 1u << 7)
#define NANS		(3u << 8)

/* One operand. False: nothing special. */
static bool special_one(unsigned int func, uint32_t a, double *r)
{
	double sign = a & MINUS ? -1 : 1;

	if (a & NANS) {
		*r = NAN;
		return true;
	}
	if (!(a & (ZERO | INF))) {
		*r = NAN;
		return a & MINUS && (func == GAUDI_TPC_RSQRT ||
				     func == GAUDI_TPC_SQRT ||
				     func == GAUDI_TPC_LOG);
	}
	switch (func) {
	case GAUDI_TPC_RECIP:
		*r = copysign(a & ZERO ? INFINITY : 0, sign);
		break;
	case GAUDI_TPC_RSQRT:
		*r = a & ZERO ? copysign(INFINITY, sign) : sign < 0 ? NAN : 0;
		break;
	case GAUDI_TPC_SQRT:
		*r = a & ZERO ? copysign(0, sign) : sign < 0 ? NAN : INFINITY;
		break;
	case GAUDI_TPC_LOG:
		*r = a & ZERO ? -INFINITY : sign < 0 ? NAN : INFINITY;
		break;
	case GAUDI_TPC_EXP:
		*r = a & ZERO ? 1 : sign < 0 ? 0 : INFINITY;
		break;
	default:
		*r = copysign(a & ZERO ? 0 : 1, sign);
	}
	return true;
}

static bool special_div(uint32_t a, uint32_t b, double *r)
{
	double sign = !(a & MINUS) == !(b & MINUS) ? 1 : -1;

	if ((a | b) & NANS || (a & ZERO && b & ZERO) || (a & INF && b & INF))
		*r = NAN;
	else if (a & INF || b & ZERO)
		*r = copysign(INFINITY, sign);
	else if (a & ZERO || b & INF)
		*r = copysign(0, sign);
	else
		return false;
	return true;
}

/* Some numbers of a class. */
static unsigned int members(uint32_t class, double *v)
{
	static const double normal[] = { 0.5, 1, 2, 2.5, 3, 0x1p100 };
	double sign = class & MINUS ? -1 : 1;
	unsigned int i;

	v[0] = class & NANS ? NAN : class & INF ? sign * INFINITY :
	       copysign(0, sign);
	if (class & (NANS | INF | ZERO))
		return 1;
	for (i = 0; i < 6; i++)
		v[i] = sign * normal[i];
	return i;
}

/* What the C library's pow() says of all members alike; of a NaN always that. */
static bool special_pow(uint32_t a, uint32_t b, double *r)
{
	double va[6], vb[6], x;
	unsigned int na = members(a, va), nb = members(b, vb), i, k;

	*r = pow(va[0], vb[0]);
	if ((a | b) & NANS) {
		*r = NAN;
		return true;
	}
	for (i = 0; i < na; i++)
		for (k = 0; k < nb; k++) {
			x = pow(va[i], vb[k]);
			if (x != *r || signbit(x) != signbit(*r))
				return false;
		}
	return true;
}

static bool special(unsigned int func, uint32_t a, uint32_t b, double *r)
{
	if (func == GAUDI_TPC_POW)
		return special_pow(a, b, r);
	if (func == GAUDI_TPC_DIV)
		return special_div(a, b, r);
	return special_one(func, a, r);
}

static bool float_lane(const struct gaudi_tpc_insn *in, unsigned int type,
		       const uint32_t *src, uint32_t old, unsigned int mode,
		       uint32_t random, uint32_t *r)
{
	double a = ref_float(src[0], type), b = ref_float(src[1], type), v;
	uint32_t mant = type == GAUDI_TPC_BF16 ? 7 : 23;

	switch (in->op) {
	case OP(MAC):
		v = sum(SW(NEG) ? -a * b : a * b, ref_float(old, type));
		break;
	case OP(MUL):
		v = a * b;
		break;
	case OP(ADD):
		v = sum(a, b);
		break;
	case OP(SUB):
		v = SW(NEG) ? sum(b, -a) : sum(a, -b);
		break;
	case OP(MAX):
	case OP(MIN):
		v = larger(a, b, in->op == OP(MAX));
		break;
	case OP(ABS):
		*r = src[0] & ~(1u << (mant + 8));
		return true;
	case OP(NEARBYINT):
		v = isfinite(a) ? ref_round(a, mode, random) : a;
		break;
	case OP(EXTRACT_EXP):
		*r = (src[0] >> mant & 0xff) - (SW(BIASED) ? 0 : 127);
		return true;
	case OP(FCLASS):
		*r = classes(src[0], type);
		return true;
	case OP(CALC_FP_SPECIAL):
		*r = old;
		if (!special(SW(FUNC), src[0], src[1], &v))
			return true;
		break;
	case OP(FORM_FP_NUM):
		*r = (SW(EXP_IS_NUM) ? src[0] : src[0] >> mant) +
		     (SW(ADD_BIAS) ? 127 : 0);
		*r = (*r & 0xff) << mant | (src[2] & ((1u << mant) - 1));
		if (SW(SIGN_LSB) ? src[1] & 1 : src[1] >> (mant + 8) & 1)
			*r |= 1u << (mant + 8);
		if (SW(FORCE_SIGN0))
			*r &= ~(1u << (mant + 8));
		if (SW(FORCE_SIGN1))
			*r |= 1u << (mant + 8);
		return true;
	default:
		return false;
	}
	*r = ref_bits(v, type);
	return true;
}

/* --- integers ------------------------------------------------------------------ */

static int64_t shifted(int64_t a, int count, bool rhu, unsigned int type)
{
	double v = ldexp((double)a, count);

	if (count < 0)
		return floor(v + (rhu ? 0.5 : 0));
	return ref_limited(fabs(v) > 0x1p40 ? copysign(0x1p40, v) : v, type);
}

static bool bit_lane(const struct gaudi_tpc_insn *in, unsigned int bits,
		     const uint32_t *src, uint32_t *r)
{
	uint32_t a = src[0], b = src[1];
	unsigned int i, at;

	*r = 0;
	switch (in->op) {
	case OP(OR):
		*r = a | b;
		return true;
	case OP(AND):
		*r = a & b;
		return true;
	case OP(XOR):
		*r = a ^ b;
		return true;
	case OP(NOT):
		*r = ~a;
		return true;
	case OP(SHR):
		*r = b < bits ? a >> b : 0;
		return true;
	case OP(SHL):
		*r = b < bits ? a << b : 0;
		return true;
	case OP(POPCNT):
		for (i = 0; i < bits; i++)
			*r += (a >> i & 1) == SW(SET);
		return true;
	case OP(FIND_FIRST):
		for (i = 0; i < bits; i++) {
			at = SW(DIR) ? bits - 1 - i : i;
			if ((a >> at & 1) == SW(SET))
				break;
		}
		*r = i;
		return true;
	case OP(BREV):
		for (i = 0; i < bits; i++)
			*r |= (a >> i & 1) << (bits - 1 - i);
		return true;
	}
	return false;
}

static bool int_lane(const struct gaudi_tpc_insn *in, unsigned int type,
		     const uint32_t *src, bool carry, uint32_t *r,
		     bool *carry_out)
{
	int64_t a = ref_number(src[0], type), b = ref_number(src[1], type), v;
	unsigned int bits = 8 * ref_size(type);

	switch (in->op) {
	case OP(ADD):
		carry = carry && SW(CARRY);
		*carry_out = ((uint64_t)src[0] + src[1] + carry) >> bits;
		v = a + b + carry;
		v = SW(SAT) ? ref_limited(v, type) : v;
		break;
	case OP(SUB):
		v = SW(NEG) ? b - a : a - b;
		v = SW(SAT) ? ref_limited(v, type) : v;
		break;
	case OP(MAX):
		v = a > b ? a : b;
		break;
	case OP(MIN):
		v = a < b ? a : b;
		break;
	case OP(ABS):
		v = ref_limited(a < 0 ? -a : a, type);
		break;
	case OP(NEARBYINT):
		v = a;
		break;
	case OP(ASH):
		v = shifted(a, (int8_t)src[1], SW(RHU), type);
		break;
	case OP(MUL):
		if (bits != 32)
			return false;
		if (SW(DOUBLE_AND_ROUND32))
			v = is_signed(type) ?
			    ref_limited((a * b + (1 << 30)) >> 31, type) :
			    ref_limited(((uint64_t)src[0] * src[1] +
					 (1 << 30)) >> 31, type);
		else if (SW(UPPER32))
			v = is_signed(type) ? a * b >> 32 :
			    (int64_t)((uint64_t)src[0] * src[1] >> 32);
		else
			v = src[0] * src[1];
		break;
	default:
		return false;
	}
	*r = (uint32_t)v;
	return true;
}

bool ref_lane(const struct ref *ref, const struct gaudi_tpc_insn *in,
	      const uint32_t *src, uint32_t old, uint32_t random, bool carry,
	      uint32_t *r, bool *carry_out)
{
	unsigned int type = in->type;

	if (bit_lane(in, 8 * ref_size(in->type), src, r))
		return true;
	/* Types without a published meaning: bits of the other kind. */
	if (in->op == OP(EXTRACT_EXP) || in->op == OP(FCLASS))
		type = ref_size(type) == 4 ? GAUDI_TPC_F32 :
		       ref_size(type) == 2 ? GAUDI_TPC_BF16 : GAUDI_TPC_I8;
	if (in->op == OP(ASH) && is_float(type))
		type = type == GAUDI_TPC_F32 ? GAUDI_TPC_I32 : GAUDI_TPC_I16;
	if (is_float(type))
		return float_lane(in, type, src, old,
				  ref_round_mode(ref, in), random, r);
	return int_lane(in, type, src, carry, r, carry_out);
}

/* Scalars alone: 32 bits and a product of 64, in as many as it takes. */
static bool wide_32(const struct gaudi_tpc_insn *in, uint32_t a, uint32_t b,
		    uint32_t old, uint32_t *r)
{
	bool sign = is_signed(in->type);
	__int128 p = sign ? (__int128)(int32_t)a * (int32_t)b : (__int128)a * b;
	__int128 low = sign ? INT32_MIN : 0;
	__int128 high = sign ? INT32_MAX : UINT32_MAX;

	if (in->op != OP(MAC))
		return false;
	p = (sign ? (__int128)(int32_t)old : old) + (SW(NEG) ? -p : p);
	if (SW(SAT))
		p = p < low ? low : p > high ? high : p;
	*r = p;
	return true;
}

bool ref_wide(const struct gaudi_tpc_insn *in, uint32_t a, uint32_t b,
	      uint32_t old, uint32_t *r)
{
	int64_t p, v;
	unsigned int to = is_signed(in->type) ? GAUDI_TPC_I32 : GAUDI_TPC_U32;
	double f;

	if (in->type == GAUDI_TPC_BF16) {
		f = ref_float(a, in->type) * ref_float(b, in->type);
		if (in->op == OP(MAC))
			f = sum(SW(NEG) ? -f : f,
				ref_float(old, GAUDI_TPC_F32));
		*r = ref_bits(f, GAUDI_TPC_F32);
		return true;
	}
	if (ref_size(in->type) == 4)
		return wide_32(in, a, b, old, r);
	p = ref_number(a, in->type) * ref_number(b, in->type);
	v = in->op == OP(MUL) ? p : ref_number(old, to) + (SW(NEG) ? -p : p);
	*r = in->op == OP(MAC) && SW(SAT) ? ref_limited(v, to) : v;
	return true;
}

bool ref_compare(const struct gaudi_tpc_insn *in, unsigned int type,
		 uint32_t ua, uint32_t ub)
{
	double a = is_float(type) ? ref_float(ua, type) :
				    (double)ref_number(ua, type);
	double b = is_float(type) ? ref_float(ub, type) :
				    (double)ref_number(ub, type);

	if (SW(MASK_EQ_ZERO))
		return !(ua & ub);
	switch (in->op) {
	case OP(CMP_EQ):
	case OP(SEL_EQ):
		return a == b;
	case OP(CMP_NEQ):
	case OP(SEL_NEQ):
		return a != b;
	case OP(CMP_LESS):
	case OP(SEL_LESS):
	case OP(SEL2_LESS):
		return a < b;
	case OP(CMP_LEQ):
	case OP(SEL_LEQ):
	case OP(SEL2_LEQ):
		return a <= b;
	case OP(CMP_GRT):
	case OP(SEL_GRT):
	case OP(SEL2_GRT):
		return a > b;
	default:
		return a >= b;
	}
}

/* --- intervals of tables --------------------------------------------------------- */

void ref_interval(const struct gaudi_tpc_insn *in, uint32_t x, uint32_t *entry,
		  uint32_t *start)
{
	bool half = in->type == GAUDI_TPC_BF16;
	unsigned int mant = half ? 7 : 23, shift = in->src[1].value & 0x1f, m;
	int exp = (int)(x >> mant & 0xff) - 127;
	uint32_t sub = 0, index;
	double v = fabs(ref_float(x, in->type));

	if (in->type == GAUDI_TPC_I16 || in->type == GAUDI_TPC_I8) {
		*entry = x / (1ll << shift);
		*start = *entry << shift;
		return;
	}
	shift = shift < mant ? shift : mant;
	m = mant - shift;
	index = (x & ((1u << mant) - 1)) >> shift;
	*start = x >> shift << shift;
	switch (SW(VARIANT)) {
	case GAUDI_TPC_LUT_TANH:
		if (exp >= 3) {
			*entry = (4u << m) - 1;
			*start = ref_bits(copysign(8 - ldexp(4, -(int)m),
						   ref_float(x, in->type)),
					  in->type);
			return;
		}
		if (exp >= 0) {
			sub = exp + 1;
			break;
		}
		/* fallthrough */
	case GAUDI_TPC_LUT_SIN_COS:
		index = v < 1 ? floor(ldexp(v, m)) : ldexp(1, m) - 1;
		*entry = index;
		v = ldexp(index, -(int)m);
		*start = ref_bits(x >> (mant + 8) & 1 ? -v : v, in->type);
		return;
	case GAUDI_TPC_LUT_SQRT_RSQRT:
		sub = exp & 1;
		break;
	case GAUDI_TPC_LUT_LOG:
		sub = exp != 0;
		break;
	}
	*entry = (sub << m) + index;
}
