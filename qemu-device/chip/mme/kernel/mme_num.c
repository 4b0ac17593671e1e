// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * The numbers of the matrix engine, one at a time and by integer arithmetic
 * only: what the fast kernels must equal on every host.
 *
 * Denormal operands count as zeros of their sign. A result is rounded once, to
 * 24 bits and as if exponents had no lower end; if it is then below the
 * smallest normal number it becomes a zero of its sign or, rounding away from
 * zero, that number. There is one NaN.
 */
#include "mme_kernel.h"

#define SIGN		0x80000000u
#define INF		0x7f800000u
#define MIN_NORMAL	0x00800000u
#define MAX_FINITE	0x7f7fffffu

typedef unsigned __int128 u128;

struct num {
	bool neg;
	u128 mag;	/* 0, or the magnitude in units of 2^exp */
	int exp;
};

static bool is_nan(uint32_t v)
{
	return (v & ~SIGN) > INF;
}

static bool is_inf(uint32_t v)
{
	return (v & ~SIGN) == INF;
}

static uint32_t flush(uint32_t v)
{
	return v & INF ? v : v & SIGN;
}

/* v is finite */
static struct num decode(uint32_t v)
{
	struct num n = { .neg = v & SIGN };

	if (v & INF) {
		n.mag = (v & 0x7fffff) | MIN_NORMAL;
		n.exp = (int)(v >> 23 & 0xff) - 150;
	}
	return n;
}

/* Whether a number of this sign is rounded away from zero if anything is cut */
static bool away(bool neg, unsigned int rounding)
{
	return rounding == (neg ? GAUDI_MME_DOWN : GAUDI_MME_UP);
}

static unsigned int bit_length(u128 v)
{
	uint64_t high = v >> 64;

	return high ? 128 - __builtin_clzll(high)
		    : 64 - __builtin_clzll((uint64_t)v);
}

/* n.mag is not 0 */
static uint32_t encode(struct num n, unsigned int rounding)
{
	uint32_t sign = n.neg ? SIGN : 0, q;
	int cut = (int)bit_length(n.mag) - 24, exp;
	bool up = away(n.neg, rounding);

	if (cut > 0) {
		u128 rest = n.mag & (((u128)1 << cut) - 1);
		u128 half = (u128)1 << (cut - 1);

		q = n.mag >> cut;
		if (rounding == GAUDI_MME_NEAREST)
			q += rest > half || (rest == half && (q & 1));
		else
			q += up && rest;
	} else {
		q = n.mag << -cut;
	}
	exp = n.exp + cut + 150;
	if (q >> 24) {
		q >>= 1;
		exp++;
	}
	if (exp >= 255)
		return sign | (up || rounding == GAUDI_MME_NEAREST ?
			       INF : MAX_FINITE);
	if (exp <= 0)
		return sign | (up ? MIN_NORMAL : 0);
	return sign | (uint32_t)exp << 23 | (q & 0x7fffff);
}

/*
 * Sum of two numbers that are not 0. One that is too small to reach the last
 * bits of the other only says to which side of it the sum is.
 */
static uint32_t sum(struct num a, struct num b, unsigned int rounding)
{
	struct num t;

	if (a.exp < b.exp) {
		t = a;
		a = b;
		b = t;
	}
	if (a.exp - b.exp > 64) {
		a.mag <<= 5;
		a.exp -= 5;
		b.mag = 1;
	} else {
		a.mag <<= a.exp - b.exp;
		a.exp = b.exp;
	}
	if (a.neg == b.neg) {
		a.mag += b.mag;
	} else if (a.mag >= b.mag) {
		a.mag -= b.mag;
	} else {
		a.mag = b.mag - a.mag;
		a.neg = b.neg;
	}
	if (!a.mag)
		return rounding == GAUDI_MME_DOWN ? SIGN : 0;
	return encode(a, rounding);
}

uint32_t gaudi_mme_fma(uint32_t a, uint32_t b, uint32_t c,
		       unsigned int rounding)
{
	uint32_t sign = (a ^ b) & SIGN;
	struct num p, q;

	rounding &= 3;
	a = flush(a);
	b = flush(b);
	c = flush(c);
	if (is_nan(a) || is_nan(b) || is_nan(c))
		return GAUDI_MME_NAN;
	if (is_inf(a) || is_inf(b)) {
		if (!(a & ~SIGN) || !(b & ~SIGN) ||
		    (is_inf(c) && (c & SIGN) != sign))
			return GAUDI_MME_NAN;
		return sign | INF;
	}
	if (is_inf(c))
		return c;
	p = decode(a);
	q = decode(b);
	p.mag *= q.mag;
	p.exp += q.exp;
	p.neg = sign;
	q = decode(c);
	if (!p.mag && !q.mag) {
		if (p.neg == q.neg)
			return c;
		return rounding == GAUDI_MME_DOWN ? SIGN : 0;
	}
	if (!p.mag)
		return c;
	if (!q.mag)
		return encode(p, rounding);
	return sum(p, q, rounding);
}

uint32_t gaudi_mme_add(uint32_t a, uint32_t b, unsigned int rounding)
{
	return gaudi_mme_fma(a, 0x3f800000, b, rounding);
}

/* Whatever is not greater than zero, a NaN too, becomes +0. */
uint32_t gaudi_mme_relu(uint32_t v)
{
	return v & SIGN || is_nan(v) ? 0 : v;
}

uint16_t gaudi_mme_to_bf16(uint32_t v, unsigned int rounding, uint32_t random)
{
	uint32_t low;

	v = flush(v);
	if (is_nan(v))
		return GAUDI_MME_BF16_NAN;
	low = v << 16;
	v >>= 16;
	/* An exact value stays as it is, even if the random number is 0. */
	if (!low)
		return v;
	if (rounding & GAUDI_MME_STOCHASTIC)
		return v + (low >= random);
	if (rounding == GAUDI_MME_NEAREST)
		return v + (low > SIGN || (low == SIGN && (v & 1)));
	return v + away(v & 0x8000, rounding);
}

uint32_t gaudi_mme_random(struct gaudi_mme_lfsr *lfsr, unsigned int i)
{
	uint32_t *state = &lfsr->state[i % GAUDI_MME_LFSRS];
	uint32_t now = *state;

	*state = now >> 1 ^ (now & 1 ? lfsr->poly : 0);
	return now;
}

/*
 * Inferred: the hardware's seeds are not public, the driver leaves them alone,
 * and the vendor's tests take any. The polynomial is that of the TPC's LFSR;
 * every seed is different and none is 0, from which there is no way out.
 */
void gaudi_mme_lfsr_init(struct gaudi_mme_lfsr *lfsr)
{
	uint32_t seed = 0x9e3779b9;
	unsigned int i;

	lfsr->poly = 0x800002cc;
	for (i = 0; i < GAUDI_MME_LFSRS; i++) {
		lfsr->state[i] = seed;
		seed = seed * 1664525 + 1013904223;
	}
}
