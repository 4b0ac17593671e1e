/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Float operations on lanes, for tpc_alu_hot.h.
 *
 * Comparisons with a NaN are false but for "not equal"; MAX and MIN give the
 * operand that is a number. Public sources say nothing of it.
 */
#ifndef GAUDI_TPC_ALU_HOT_FP_H
#define GAUDI_TPC_ALU_HOT_FP_H

#include "tpc_alu_hot_int.h"

/* A fused multiply-add of a host that has one. */
#ifdef GAUDI_TPC_ALU_FMA
#define FMA(a, b, c)	__builtin_fmaf(a, b, c)
#else
#define FMA(a, b, c)	fma_portable(a, b, c)
#endif

DEFINE_BINARY(add_f32, uint32_t, f32_out(f32_in(p) + f32_in(q)))
DEFINE_BINARY(mul_f32, uint32_t, f32_out(f32_in(p) * f32_in(q)))
DEFINE_BINARY(max_f32, uint32_t, f32_max(p, q))
DEFINE_BINARY(min_f32, uint32_t, f32_min(p, q))
DEFINE_UNARY(abs_f32, uint32_t, p & ~F32_SIGN)

DEFINE_BINARY(add_bf16, uint16_t, bf16_out(bf16_in(p) + bf16_in(q)))
DEFINE_BINARY(mul_bf16, uint16_t, bf16_out(bf16_in(p) * bf16_in(q)))
DEFINE_BINARY(max_bf16, uint16_t,
	      f32_max((uint32_t)p << 16, (uint32_t)q << 16) >> 16)
DEFINE_BINARY(min_bf16, uint16_t,
	      f32_min((uint32_t)p << 16, (uint32_t)q << 16) >> 16)
DEFINE_UNARY(abs_bf16, uint16_t, p & 0x7fff)

static inline ALWAYS void sub_f32(const struct gaudi_tpc_lanes *x,
				  unsigned int n)
{
	SRC(uint32_t, a, SUB_P(x));
	SRC(uint32_t, b, SUB_Q(x));
	DST(uint32_t, r, x->r);

	LANES(n)
		r[i] = f32_out(f32_in(a[i]) - f32_in(b[i]));
}
DEFINE_BOTH(sub_f32, uint32_t)

static inline ALWAYS void sub_bf16(const struct gaudi_tpc_lanes *x,
				   unsigned int n)
{
	SRC(uint16_t, a, SUB_P(x));
	SRC(uint16_t, b, SUB_Q(x));
	DST(uint16_t, r, x->r);

	LANES(n)
		r[i] = bf16_out(bf16_in(a[i]) - bf16_in(b[i]));
}
DEFINE_BOTH(sub_bf16, uint16_t)

DEFINE_CMP(eq_f32, uint32_t, uint32_t, f32_in(p) == f32_in(q))
DEFINE_CMP(neq_f32, uint32_t, uint32_t, f32_in(p) != f32_in(q))
DEFINE_CMP(less_f32, uint32_t, uint32_t, f32_in(p) < f32_in(q))
DEFINE_CMP(leq_f32, uint32_t, uint32_t, f32_in(p) <= f32_in(q))
DEFINE_CMP(grt_f32, uint32_t, uint32_t, f32_in(p) > f32_in(q))
DEFINE_CMP(geq_f32, uint32_t, uint32_t, f32_in(p) >= f32_in(q))
DEFINE_CMP(eq_bf16, uint16_t, uint16_t, bf16_in(p) == bf16_in(q))
DEFINE_CMP(neq_bf16, uint16_t, uint16_t, bf16_in(p) != bf16_in(q))
DEFINE_CMP(less_bf16, uint16_t, uint16_t, bf16_in(p) < bf16_in(q))
DEFINE_CMP(leq_bf16, uint16_t, uint16_t, bf16_in(p) <= bf16_in(q))
DEFINE_CMP(grt_bf16, uint16_t, uint16_t, bf16_in(p) > bf16_in(q))
DEFINE_CMP(geq_bf16, uint16_t, uint16_t, bf16_in(p) >= bf16_in(q))

/* --- multiply and accumulate ----------------------------------------------- */

#define DEFINE_MAC(name, type, expr)					\
static inline ALWAYS void name(const struct gaudi_tpc_lanes *x,		\
			       unsigned int n)				\
{									\
	SRC(type, a, x->a);						\
	SRC(type, b, x->b);						\
	SRC(type, old, x->old);						\
	DST(type, r, x->r);						\
									\
	LANES(n) {							\
		const type p = a[i], q = b[i], o = old[i];		\
									\
		r[i] = expr;						\
	}								\
}									\
DEFINE_BOTH(name, type)

DEFINE_MAC(mac_f32, uint32_t, f32_out(FMA(f32_in(p), f32_in(q), f32_in(o))))
DEFINE_MAC(macn_f32, uint32_t, f32_out(FMA(-f32_in(p), f32_in(q), f32_in(o))))
DEFINE_MAC(mac_bf16, uint16_t, bf16_fma(bf16_in(p), bf16_in(q), bf16_in(o)))
DEFINE_MAC(macn_bf16, uint16_t, bf16_fma(-bf16_in(p), bf16_in(q), bf16_in(o)))

/* Of scalars alone: 32 bits into 32 bits. */
DEFINE_MAC(macw_i32, uint32_t, o + p * q)
DEFINE_MAC(macw_u32, uint32_t, o + p * q)
DEFINE_MAC(macn_i32, uint32_t, o - p * q)
DEFINE_MAC(macn_u32, uint32_t, o - p * q)
DEFINE_MAC(macs_i32, uint32_t, mac_sat_i32(o, (int64_t)(int32_t)p * (int32_t)q))
DEFINE_MAC(macns_i32, uint32_t,
	   mac_sat_i32(o, -(int64_t)(int32_t)p * (int32_t)q))
DEFINE_MAC(macs_u32, uint32_t,
	   (uint64_t)p * q > ~o ? ~0u : (uint32_t)(o + p * q))
DEFINE_MAC(macns_u32, uint32_t,
	   (uint64_t)p * q > o ? 0 : (uint32_t)(o - p * q))

/* Products of bf16 are exact as floats: even lanes, and odd ones. */
static inline ALWAYS void mulw_bf16(const struct gaudi_tpc_lanes *x,
				    unsigned int n)
{
	SRC(uint16_t, a, x->a);
	SRC(uint16_t, b, x->b);
	DST(uint32_t, r0, x->r);
	DST(uint32_t, r1, x->r + 1);

	LANES((n + 1) / 2) {
		r0[i] = f32_out(bf16_in(a[2 * i]) * bf16_in(b[2 * i]));
		if (n > 1)
			r1[i] = f32_out(bf16_in(a[2 * i + 1]) *
					bf16_in(b[2 * i + 1]));
	}
}
DEFINE_BOTH(mulw_bf16, uint16_t)

#define DEFINE_MACW_BF16(name, sign)					\
static inline ALWAYS void name(const struct gaudi_tpc_lanes *x,		\
			       unsigned int n)				\
{									\
	SRC(uint16_t, a, x->a);						\
	SRC(uint16_t, b, x->b);						\
	SRC(uint32_t, o0, x->old);					\
	SRC(uint32_t, o1, x->old + 1);					\
	DST(uint32_t, r0, x->r);					\
	DST(uint32_t, r1, x->r + 1);					\
									\
	LANES((n + 1) / 2) {						\
		r0[i] = f32_out(FMA(sign bf16_in(a[2 * i]),		\
				    bf16_in(b[2 * i]), f32_in(o0[i])));	\
		if (n > 1)						\
			r1[i] = f32_out(FMA(sign bf16_in(a[2 * i + 1]),	\
					    bf16_in(b[2 * i + 1]),	\
					    f32_in(o1[i])));		\
	}								\
}									\
DEFINE_BOTH(name, uint16_t)

DEFINE_MACW_BF16(macw_bf16, +)
DEFINE_MACW_BF16(macwn_bf16, -)

/* --- the conversions that kernels are full of ------------------------------ */

/*
 * To the nearest, ties to even. Choices are masks: of others compilers make branches, lane by
 * lane.
 */
static inline uint32_t mask_of(bool it)
{
	return -(uint32_t)it;
}

/* The size of what has one, m, as a whole number, which it is from this exponent on. */
static inline uint32_t near_size(uint32_t m)
{
	const uint32_t near = bits_of((f32_of(m) + 8388608.0f) - 8388608.0f);
	const uint32_t whole = mask_of(m >= 0x4b000000);

	return (m & whole) | (near & ~whole);
}

/* A NaN becomes 0. */
static inline int32_t near_i32(uint32_t x)
{
	const uint32_t m = x & ~F32_SIGN & mask_of((x & F32_INF) != 0);
	const uint32_t sign = -(x >> 31), fits = mask_of(m < 0x4f000000);
	const uint32_t v = (int32_t)f32_of(near_size(m) & fits);

	return ((((v ^ sign) - sign) & fits) | ((0x7fffffff - sign) & ~fits)) &
	       mask_of(m <= F32_INF);
}

static inline uint32_t near_f32(uint32_t x)
{
	const uint32_t m = x & ~F32_SIGN & mask_of((x & F32_INF) != 0);
	const uint32_t nan = mask_of(m > F32_INF);

	return (F32_NAN & nan) | ((near_size(m) | (x & F32_SIGN)) & ~nan);
}

static inline ALWAYS void f32_to_i32(const struct gaudi_tpc_lanes *x)
{
	SRC(uint32_t, a, x->a);
	DST(int32_t, r, x->r);

	LANES(GAUDI_TPC_VBYTES / 4)
		r[i] = near_i32(a[i]);
}

static inline ALWAYS void i32_to_f32(const struct gaudi_tpc_lanes *x)
{
	SRC(int32_t, a, x->a);
	DST(uint32_t, r, x->r);

	LANES(GAUDI_TPC_VBYTES / 4)
		r[i] = bits_of((float)a[i]);
}

static inline ALWAYS void nearest_f32(const struct gaudi_tpc_lanes *x)
{
	SRC(uint32_t, a, x->a);
	DST(uint32_t, r, x->r);

	LANES(GAUDI_TPC_VBYTES / 4)
		r[i] = near_f32(a[i]);
}

/* From a pair of vectors, or into one lane of each two. */
static inline void f32_to_bf16(const struct gaudi_tpc_lanes *x)
{
	SRC(uint32_t, a0, x->a);
	SRC(uint32_t, a1, x->a + x->all);
	SRC(uint16_t, old, x->old);
	DST(uint16_t, r, x->r);
	unsigned int lane = x->lane;

	if (x->all) {
		LANES(GAUDI_TPC_VBYTES / 4) {
			r[2 * i] = bf16_near(f32_flush(a0[i]));
			r[2 * i + 1] = bf16_near(f32_flush(a1[i]));
		}
		return;
	}
	memcpy(r, old, GAUDI_TPC_VBYTES);
	LANES(GAUDI_TPC_VBYTES / 4)
		r[2 * i + lane] = bf16_near(f32_flush(a0[i]));
}

static inline uint32_t widen_bf16(uint16_t x)
{
	uint32_t w = (uint32_t)x << 16;

	return f32_is_nan(w) ? F32_NAN : f32_flush(w);
}

static inline void bf16_to_f32(const struct gaudi_tpc_lanes *x)
{
	SRC(uint16_t, a, x->a);
	DST(uint32_t, r0, x->r);
	DST(uint32_t, r1, x->r + 1);
	unsigned int lane = x->lane;

	if (!x->all) {
		LANES(GAUDI_TPC_VBYTES / 4)
			r0[i] = widen_bf16(a[2 * i + lane]);
		return;
	}
	LANES(GAUDI_TPC_VBYTES / 4) {
		r0[i] = widen_bf16(a[2 * i]);
		r1[i] = widen_bf16(a[2 * i + 1]);
	}
}

#endif /* GAUDI_TPC_ALU_HOT_FP_H */
