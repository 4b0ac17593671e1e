// SPDX-License-Identifier: GPL-2.0-only
/*
 * The matrix engine's numbers: values known beforehand, and the host's own
 * fused multiply-add where it has one.
 */
#include <math.h>

#include "../../../unit.h"
#include "mme_values.h"

#define ONE	0x3f800000u
#define INF	0x7f800000u
#define MIN	0x00800000u
#define MAX	0x7f7fffffu
#define NEG	0x80000000u

TEST(fma_of_known_values)
{
	static const struct {
		uint32_t a, b, c, want[4];	/* nearest, zero, up, down */
	} t[] = {
		{ ONE, ONE, ONE, { 0x40000000, 0x40000000, 0x40000000,
				   0x40000000 } },
		/* 1 + 2^-24: a tie, to even */
		{ 0x39800000, 0x39800000, ONE,
		  { ONE, ONE, ONE + 1, ONE } },
		/* 1 + 2^-23 + 2^-24: a tie, to even, upwards */
		{ 0x39800000, 0x39800000, ONE + 1,
		  { ONE + 2, ONE + 1, ONE + 2, ONE + 1 } },
		/* (1 + 2^-23)^2 - (1 + 2^-22) = 2^-46: one rounding only */
		{ ONE + 1, ONE + 1, NEG | (ONE + 2),
		  { 0x28800000, 0x28800000, 0x28800000, 0x28800000 } },
		/* 1 - 2^-140, and its negative */
		{ 0x0c800000, 0x2c800000, ONE,
		  { ONE, ONE, ONE + 1, ONE } },
		{ NEG | 0x0c800000, 0x2c800000, ONE,
		  { ONE, ONE - 1, ONE, ONE - 1 } },
		/* x - x */
		{ ONE, ONE, NEG | ONE, { 0, 0, 0, NEG } },
		/* zeros */
		{ NEG, ONE, NEG, { NEG, NEG, NEG, NEG } },
		{ NEG, ONE, 0, { 0, 0, 0, NEG } },
		{ 0, 0, NEG | MIN, { NEG | MIN, NEG | MIN, NEG | MIN,
				     NEG | MIN } },
		/* 2^-127, and its negative */
		{ MIN, 0x3f000000, 0, { 0, 0, MIN, 0 } },
		{ NEG | MIN, 0x3f000000, 0, { NEG, NEG, NEG, NEG | MIN } },
		/* (1 - 2^-24) 2^-126 has 24 bits: still too small */
		{ MIN, ONE - 1, 0, { 0, 0, MIN, 0 } },
		/* (1 + 2^-23) (1 - 2^-23) 2^-126 is nearest to 2^-126 */
		{ MIN + 1, ONE - 2, 0, { MIN, 0, MIN, 0 } },
		/* operands that are denormals */
		{ 0x007fffff, 0x7f000000, ONE, { ONE, ONE, ONE, ONE } },
		{ NEG | 1, ONE, NEG, { NEG, NEG, NEG, NEG } },
		{ ONE, 0, NEG | 0x7fffff, { 0, 0, 0, NEG } },
		/* too big */
		{ MAX, 0x40000000, 0, { INF, MAX, INF, MAX } },
		{ NEG | MAX, 0x40000000, 0,
		  { NEG | INF, NEG | MAX, NEG | MAX, NEG | INF } },
		{ MAX, ONE, 0x73000000, { INF, MAX, INF, MAX } },
		{ MAX, ONE, 0x72ffffff, { MAX, MAX, INF, MAX } },
		/* infinities */
		{ INF, ONE, NEG | MAX, { INF, INF, INF, INF } },
		{ INF, NEG | ONE, NEG | INF, { NEG | INF, NEG | INF, NEG | INF,
					       NEG | INF } },
		{ MAX, MAX, NEG | INF, { NEG | INF, NEG | INF, NEG | INF,
					 NEG | INF } },
		/* no number: inf - inf, inf * 0, inf * a denormal, operands */
		{ INF, ONE, NEG | INF, { GAUDI_MME_NAN, GAUDI_MME_NAN,
					 GAUDI_MME_NAN, GAUDI_MME_NAN } },
		{ INF, 0, ONE, { GAUDI_MME_NAN, GAUDI_MME_NAN, GAUDI_MME_NAN,
				 GAUDI_MME_NAN } },
		{ 1, NEG | INF, ONE, { GAUDI_MME_NAN, GAUDI_MME_NAN,
				       GAUDI_MME_NAN, GAUDI_MME_NAN } },
		{ 0xff800001, 0, 0, { GAUDI_MME_NAN, GAUDI_MME_NAN,
				      GAUDI_MME_NAN, GAUDI_MME_NAN } },
		{ 0, 0x7fc00000, INF, { GAUDI_MME_NAN, GAUDI_MME_NAN,
					GAUDI_MME_NAN, GAUDI_MME_NAN } },
		{ INF, 0, 0xffc00000, { GAUDI_MME_NAN, GAUDI_MME_NAN,
					GAUDI_MME_NAN, GAUDI_MME_NAN } },
	};
	unsigned int i, mode;
	uint32_t got;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		for (mode = 0; mode < 4; mode++) {
			got = gaudi_mme_fma(t[i].a, t[i].b, t[i].c, mode);
			if (got != t[i].want[mode])
				fail_msg("%08x * %08x + %08x, mode %u: %08x instead of %08x",
					 t[i].a, t[i].b, t[i].c, mode, got,
					 t[i].want[mode]);
			assert_int_equal(got, gaudi_mme_fma(t[i].b, t[i].a,
							    t[i].c, mode));
		}
	}
}

#ifdef __x86_64__
#include <immintrin.h>

/* Denormals count as zeros for the host, too, in this thread. */
static __attribute__((target("fma"), noinline))
uint32_t host_fma(uint32_t a, uint32_t b, uint32_t c, unsigned int mode)
{
	static const unsigned int rc[] = { 0, 0x6000, 0x4000, 0x2000 };
	unsigned int csr = _mm_getcsr();
	volatile __m128 v, va, vb, vc;
	uint32_t bits;

	va = _mm_castsi128_ps(_mm_cvtsi32_si128(a));
	vb = _mm_castsi128_ps(_mm_cvtsi32_si128(b));
	vc = _mm_castsi128_ps(_mm_cvtsi32_si128(c));
	_mm_setcsr(0x1f80 | 0x8040 | rc[mode]);
	v = _mm_fmadd_ss(va, vb, vc);
	_mm_setcsr(csr);
	bits = _mm_cvtsi128_si32(_mm_castps_si128(v));
	return (bits & 0x7fffffff) > INF ? GAUDI_MME_NAN : bits;
}

static bool host_has_fma(void)
{
	return __builtin_cpu_supports("fma");
}
#else
static uint32_t host_fma(uint32_t a, uint32_t b, uint32_t c, unsigned int mode)
{
	(void)a;
	(void)b;
	(void)c;
	(void)mode;
	return 0;
}

static bool host_has_fma(void)
{
	return false;
}
#endif

/*
 * The host flushes to zero whatever the direction: there it says nothing about
 * results that the engine rounds up to the smallest normal number.
 */
TEST(fma_as_the_host_does_it)
{
	uint32_t a, b, c, got, want;
	struct values v = { 1 };
	unsigned int i, mode;

	if (!host_has_fma())
		skip();
	for (i = 0; i < 2000000; i++) {
		v.kind = i / 64;
		a = value(&v);
		b = value(&v);
		c = value(&v);
		if (i % 8 == 0)		/* next to cancellation */
			c = NEG ^ host_fma(a, b, 0, i / 8 % 2);
		mode = i % 4;
		got = gaudi_mme_fma(a, b, c, mode);
		want = host_fma(a, b, c, mode);
		if (mode == GAUDI_MME_UP && got == MIN && !want)
			continue;
		if (mode == GAUDI_MME_DOWN && got == (NEG | MIN) && want == NEG)
			continue;
		if (got != want)
			fail_msg("%08x * %08x + %08x, mode %u: %08x, the host says %08x",
				 a, b, c, mode, got, want);
	}
}

TEST(adding_is_ieee)
{
	struct values v = { 2 };
	unsigned int i;
	uint32_t a, b, want;
	float x, y;

	assert_int_equal(gaudi_mme_add(NEG, NEG, 0), NEG);
	assert_int_equal(gaudi_mme_add(NEG, 0, 0), 0);
	assert_int_equal(gaudi_mme_add(NEG, 0, GAUDI_MME_DOWN), NEG);
	for (i = 0; i < 200000; i++) {
		v.kind = i / 64;
		a = value(&v);
		b = value(&v);
		memcpy(&x, &a, 4);
		memcpy(&y, &b, 4);
		if (!isnormal(x) || !isnormal(y) || !isnormal(x + y))
			continue;
		x += y;
		memcpy(&want, &x, 4);
		assert_int_equal(gaudi_mme_add(a, b, 0), want);
	}
}

TEST(bf16_of_known_values)
{
	static const struct {
		uint32_t v;
		uint16_t want[4];	/* nearest, zero, up, down */
	} t[] = {
		{ 0, { 0, 0, 0, 0 } },
		{ NEG, { 0x8000, 0x8000, 0x8000, 0x8000 } },
		{ ONE, { 0x3f80, 0x3f80, 0x3f80, 0x3f80 } },
		{ 0x3f808000, { 0x3f80, 0x3f80, 0x3f81, 0x3f80 } },
		{ 0x3f808001, { 0x3f81, 0x3f80, 0x3f81, 0x3f80 } },
		{ 0x3f818000, { 0x3f82, 0x3f81, 0x3f82, 0x3f81 } },
		{ 0xbf808000, { 0xbf80, 0xbf80, 0xbf80, 0xbf81 } },
		{ 0xbf800001, { 0xbf80, 0xbf80, 0xbf80, 0xbf81 } },
		{ MAX, { 0x7f80, 0x7f7f, 0x7f80, 0x7f7f } },
		{ NEG | MAX, { 0xff80, 0xff7f, 0xff7f, 0xff80 } },
		{ INF, { 0x7f80, 0x7f80, 0x7f80, 0x7f80 } },
		{ GAUDI_MME_NAN, { 0x7fff, 0x7fff, 0x7fff, 0x7fff } },
		{ 0xff800001, { 0x7fff, 0x7fff, 0x7fff, 0x7fff } },
		{ 0x007fffff, { 0, 0, 0, 0 } },
		{ NEG | 1, { 0x8000, 0x8000, 0x8000, 0x8000 } },
	};
	unsigned int i, mode;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		for (mode = 0; mode < 4; mode++)
			assert_int_equal(gaudi_mme_to_bf16(t[i].v, mode, 0),
					 t[i].want[mode]);
}

/* Up as often as the part that is cut off says; never if nothing is cut off. */
TEST(stochastic_rounding_is_fair)
{
	static const uint32_t lows[] = { 0, 0x100, 0x4000, 0x8000, 0xffff };
	struct gaudi_mme_lfsr lfsr;
	unsigned int i, j, ups, draws = 100000;
	double share;
	uint16_t got;

	gaudi_mme_lfsr_init(&lfsr);
	for (j = 0; j < sizeof(lows) / sizeof(lows[0]); j++) {
		ups = 0;
		for (i = 0; i < draws; i++) {
			got = gaudi_mme_to_bf16(0xbf800000 | lows[j], 4,
						gaudi_mme_random(&lfsr, i));
			assert_in_range(got, 0xbf80, 0xbf81);
			ups += got & 1;
		}
		share = (double)ups / draws;
		assert_true(fabs(share - lows[j] / 65536.0) < 0.02);
		if (!lows[j])
			assert_int_equal(ups, 0);
	}
	assert_int_equal(gaudi_mme_to_bf16(INF, 4, 0), 0x7f80);
	assert_int_equal(gaudi_mme_to_bf16(GAUDI_MME_NAN, 4, 0), 0x7fff);
	assert_int_equal(gaudi_mme_to_bf16(MAX, 4, 1), 0x7f80);
	/* greater or equal, not greater */
	assert_int_equal(gaudi_mme_to_bf16(0x3f808000, 4, 0x80000000), 0x3f81);
	assert_int_equal(gaudi_mme_to_bf16(0x3f808000, 4, 0x80000001), 0x3f80);
}

/* The TPC's polynomial, 0x800002cc; that of the engine is not published. */
TEST(random_numbers_of_known_values)
{
	static const uint32_t want[] = {
		1, 0x800002cc, 0x40000166, 0x200000b3, 0x90000295, 0xc8000386,
	};
	struct gaudi_mme_lfsr lfsr;
	unsigned int i;

	gaudi_mme_lfsr_init(&lfsr);
	lfsr.state[0] = 1;
	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		assert_int_equal(gaudi_mme_random(&lfsr, 0), want[i]);
}

TEST(relu_of_known_values)
{
	assert_int_equal(gaudi_mme_relu(ONE), ONE);
	assert_int_equal(gaudi_mme_relu(NEG | ONE), 0);
	assert_int_equal(gaudi_mme_relu(NEG), 0);
	assert_int_equal(gaudi_mme_relu(0), 0);
	assert_int_equal(gaudi_mme_relu(INF), INF);
	assert_int_equal(gaudi_mme_relu(NEG | INF), 0);
	assert_int_equal(gaudi_mme_relu(GAUDI_MME_NAN), 0);
	assert_int_equal(gaudi_mme_relu(0xffc00000), 0);
}
