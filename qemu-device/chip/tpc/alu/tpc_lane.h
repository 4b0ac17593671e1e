/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Arithmetic of one lane. Floats are held as their bits.
 *
 * Sub-normal operands count as zero of their sign; so does a result that IEEE
 * arithmetic would have made sub-normal. A NaN that arithmetic makes has all
 * bits set but the sign.
 */
#ifndef GAUDI_TPC_LANE_H
#define GAUDI_TPC_LANE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define F32_NAN		0x7fffffffu
#define F32_INF		0x7f800000u
#define F32_SIGN	0x80000000u
#define BF16_NAN	0x7fffu

static inline float f32_of(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static inline uint32_t bits_of(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

static inline bool f32_is_nan(uint32_t x)
{
	return (x & ~F32_SIGN) > F32_INF;
}

/* FCLASS: those below zero, from -inf up; above; NaNs. */
enum f32_class {
	NEG_INF = 1 << 0, NEG_NORMAL = 1 << 1, NEG_DENORMAL = 1 << 2,
	NEG_ZERO = 1 << 3, POS_ZERO = 1 << 4, POS_DENORMAL = 1 << 5,
	POS_NORMAL = 1 << 6, POS_INF = 1 << 7, SIGNALLING = 1 << 8,
	QUIET = 1 << 9,
};

/* Without branches, so that a loop of it becomes vector code. */
static inline uint32_t f32_class(uint32_t x)
{
	uint32_t size = x & ~F32_SIGN;
	uint32_t above = (size > 0) + (size > 0x7fffff) + (size == F32_INF);
	uint32_t number = x & F32_SIGN ? NEG_ZERO >> above : POS_ZERO << above;

	return size <= F32_INF ? number : size & 0x400000 ? QUIET : SIGNALLING;
}

static inline uint32_t f32_flush(uint32_t x)
{
	return x & F32_INF ? x : x & F32_SIGN;
}

/* An operand. */
static inline float f32_in(uint32_t x)
{
	return f32_of(f32_flush(x));
}

/* A result. */
static inline uint32_t f32_out(float f)
{
	uint32_t x = bits_of(f);

	return f32_is_nan(x) ? F32_NAN : f32_flush(x);
}

static inline float bf16_in(uint16_t x)
{
	return f32_in((uint32_t)x << 16);
}

/* To the nearest bf16, of a float that may be sub-normal. */
static inline uint16_t bf16_near(uint32_t x)
{
	uint32_t r = (x + 0x7fff + (x >> 16 & 1)) >> 16;

	r = r & 0x7f80 ? r : r & 0x8000;
	return f32_is_nan(x) ? BF16_NAN : r;
}

static inline uint16_t bf16_out(float f)
{
	return bf16_near(bits_of(f));
}

/*
 * p + c without loss, as it were: rounded to odd, so that one more rounding to
 * at most 51 bits gives what a single one would have given.
 */
static inline double add_odd(double p, double c)
{
	double s = p + c, t = s - p, e = (p - (s - t)) + (c - t);
	uint64_t x;

	memcpy(&x, &s, sizeof(x));
	if ((e > 0 || e < 0) && !(x & 1))
		x += (e > 0) == (s > 0) ? 1 : -1;
	memcpy(&s, &x, sizeof(s));
	return s;
}

/* The same from double to float. */
static inline uint32_t f32_odd(double s)
{
	float f = s;
	double over = (double)f - s;
	uint32_t x = bits_of(f);
	bool negative = x & F32_SIGN;

	if ((over > 0 || over < 0) && !(x & 1))
		x += (over > 0) != negative ? -1 : 1;
	return x;
}

static inline float fma_portable(float a, float b, float c)
{
	return add_odd((double)a * b, c);
}

static inline uint16_t bf16_fma(float a, float b, float c)
{
	return bf16_near(f32_odd(add_odd((double)a * b, c)));
}

/* An integer in the order of the float; -0 is below +0. */
static inline int32_t f32_order(uint32_t x)
{
	return x ^ ((uint32_t)((int32_t)x >> 31) >> 1);
}

/*
 * The place of a number in that order, for MAX and MIN: a NaN gives way to any
 * number, since it is put below (above) all of them.
 */
static inline int32_t f32_place(uint32_t x, int32_t nan)
{
	int32_t order = f32_order(f32_flush(x));

	return f32_is_nan(x) ? nan : order;
}

/* Back to bits. */
static inline uint32_t f32_placed(int32_t order, int32_t nan)
{
	uint32_t x = f32_order(order);

	return order == nan ? F32_NAN : x;
}

static inline uint32_t f32_max(uint32_t a, uint32_t b)
{
	int32_t p = f32_place(a, INT32_MIN), q = f32_place(b, INT32_MIN);

	return f32_placed(p > q ? p : q, INT32_MIN);
}

static inline uint32_t f32_min(uint32_t a, uint32_t b)
{
	int32_t p = f32_place(a, INT32_MAX), q = f32_place(b, INT32_MAX);

	return f32_placed(p < q ? p : q, INT32_MAX);
}

/*
 * Should a magnitude be rounded away from zero? half: how what is cut off
 * compares with half of the last place kept (-1, 0, 1); exact: nothing is cut
 * off. up: what stochastic rounding has decided.
 */
static inline bool round_away(uint8_t mode, bool negative, bool odd, int half,
			      bool exact, bool up)
{
	if (exact)
		return false;
	switch (mode) {
	case 1:			/* GAUDI_TPC_RZ */
		return false;
	case 2:			/* GAUDI_TPC_RU */
		return !negative;
	case 3:			/* GAUDI_TPC_RD */
		return negative;
	case 4:			/* GAUDI_TPC_SR */
		return up;
	case 6:			/* GAUDI_TPC_RHAZ */
		return half >= 0;
	default:
		return half > 0 || (half == 0 && odd);
	}
}

/* mag / 2^shift, rounded; random: as much as 2^32 of a unit of the last place. */
static inline uint64_t shift_round(uint64_t mag, unsigned int shift,
				   uint8_t mode, bool negative,
				   uint32_t random)
{
	uint64_t kept, cut, half;

	if (!shift)
		return mag;
	if (shift > 63) {
		/* Less than half of a unit: only the exact modes may round. */
		return round_away(mode, negative, false, -1, !mag, false);
	}
	kept = mag >> shift;
	cut = mag & ((1ull << shift) - 1);
	half = 1ull << (shift - 1);
	return kept + round_away(mode, negative, kept & 1,
				 cut > half ? 1 : cut == half ? 0 : -1, !cut,
				 shift <= 32 ?
				 (cut + (random >> (32 - shift))) >> shift :
				 ((cut >> (shift - 32)) + random) >> 32);
}

static inline int64_t clamp64(int64_t v, int64_t low, int64_t high)
{
	return v < low ? low : v > high ? high : v;
}

#endif /* GAUDI_TPC_LANE_H */
