/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Integer operations on lanes, for tpc_alu_hot.h. Loops have a constant number
 * of lanes and no branches, so that compilers make vector code of them.
 */
#ifndef GAUDI_TPC_ALU_HOT_INT_H
#define GAUDI_TPC_ALU_HOT_INT_H

#include "tpc_alu.h"
#include "tpc_lane.h"

/* Vector code of these loops is what most of the time goes into. */
#ifndef __clang__
#pragma GCC optimize("O3")
#endif

/* Lanes depend on each other in no operation. */
#ifdef __clang__
#define LANES(n) \
	_Pragma("clang loop vectorize(assume_safety)") \
	for (unsigned int i = 0; i < (n); i++)
#else
#define LANES(n) \
	_Pragma("GCC ivdep") \
	for (unsigned int i = 0; i < (n); i++)
#endif

#define ALWAYS	__attribute__((always_inline))

/* As much as a vector holds, and the first lane only. */
#define DEFINE_BOTH(name, type)						\
static inline void name##_vec(const struct gaudi_tpc_lanes *x)		\
{									\
	name(x, GAUDI_TPC_VBYTES / sizeof(type));			\
}									\
									\
static inline void name##_one(const struct gaudi_tpc_lanes *x)		\
{									\
	name(x, 1);							\
}

#define SRC(type, name, vec)						\
	const __typeof__(type) *name =					\
		(const __typeof__(type) *)(const void *)(vec)
#define DST(type, name, vec)						\
	__typeof__(type) *name = (__typeof__(type) *)(void *)(vec)

/* expr of p and q. */
#define DEFINE_BINARY(name, type, expr)					\
static inline ALWAYS void name(const struct gaudi_tpc_lanes *x,		\
			       unsigned int n)				\
{									\
	SRC(type, a, x->a);						\
	SRC(type, b, x->b);						\
	DST(type, r, x->r);						\
									\
	LANES(n) {							\
		const type p = a[i], q = b[i];				\
									\
		r[i] = expr;						\
	}								\
}									\
DEFINE_BOTH(name, type)

#define DEFINE_UNARY(name, type, expr)					\
static inline ALWAYS void name(const struct gaudi_tpc_lanes *x,		\
			       unsigned int n)				\
{									\
	SRC(type, a, x->a);						\
	DST(type, r, x->r);						\
									\
	LANES(n) {							\
		const type p = a[i];					\
									\
		r[i] = expr;						\
	}								\
}									\
DEFINE_BOTH(name, type)

/* --- addition and subtraction ---------------------------------------------- */

/*
 * Carries are those of unsigned numbers. Every ADD makes them; which of them it
 * takes, and that SUB makes none, is inferred.
 */
#define DEFINE_ADD(name, utype, with)					\
static inline ALWAYS void name(const struct gaudi_tpc_lanes *x,		\
			       unsigned int n)				\
{									\
	SRC(utype, a, x->a);						\
	SRC(utype, b, x->b);						\
	SRC(utype, in, x->carry_in);					\
	DST(utype, out, x->carry);					\
	DST(utype, r, x->r);						\
									\
	LANES(n) {							\
		const utype p = a[i], q = b[i];				\
		const utype c = with ? in[i] & 1 : 0;			\
		const utype s = p + q + c;				\
									\
		r[i] = s;						\
		out[i] = s < p || (c && s == p) ? (utype)~(utype)0 : 0;	\
	}								\
}									\
DEFINE_BOTH(name, utype)

#define DEFINE_ADD_SAT(name, utype, wide, with, low)			\
static inline ALWAYS void name(const struct gaudi_tpc_lanes *x,		\
			       unsigned int n)				\
{									\
	SRC(utype, a, x->a);						\
	SRC(utype, b, x->b);						\
	SRC(utype, in, x->carry_in);					\
	DST(utype, out, x->carry);					\
	DST(utype, r, x->r);						\
									\
	LANES(n) {							\
		const utype p = a[i], q = b[i];				\
		const utype c = with ? in[i] & 1 : 0;			\
		const utype s = p + q + c;				\
		wide w = (wide)TO_##low(p) + TO_##low(q) + c;		\
									\
		w = w < MIN_##low ? MIN_##low : w;			\
		w = w > MAX_##low ? MAX_##low : w;			\
		r[i] = (utype)w;					\
		out[i] = s < p || (c && s == p) ? (utype)~(utype)0 : 0;	\
	}								\
}									\
DEFINE_BOTH(name, utype)

#define TO_i32(x)	((int32_t)(x))
#define TO_u32(x)	((uint32_t)(x))
#define TO_i16(x)	((int16_t)(x))
#define TO_u16(x)	((uint16_t)(x))
#define TO_i8(x)	((int8_t)(x))
#define TO_u8(x)	((uint8_t)(x))
#define MIN_i32		INT32_MIN
#define MAX_i32		INT32_MAX
#define MIN_u32		0
#define MAX_u32		UINT32_MAX
#define MIN_i16		INT16_MIN
#define MAX_i16		INT16_MAX
#define MIN_u16		0
#define MAX_u16		UINT16_MAX
#define MIN_i8		INT8_MIN
#define MAX_i8		INT8_MAX
#define MIN_u8		0
#define MAX_u8		UINT8_MAX

/* With a negated result: the operands change places before saturation. */
#define SUB_P(x)	((x)->sw & 1 ? (x)->b : (x)->a)
#define SUB_Q(x)	((x)->sw & 1 ? (x)->a : (x)->b)

#define DEFINE_SUB(name, utype)						\
static inline ALWAYS void name(const struct gaudi_tpc_lanes *x,		\
			       unsigned int n)				\
{									\
	SRC(utype, a, SUB_P(x));					\
	SRC(utype, b, SUB_Q(x));					\
	DST(utype, r, x->r);						\
									\
	LANES(n)							\
		r[i] = a[i] - b[i];					\
}									\
DEFINE_BOTH(name, utype)

#define DEFINE_SUB_SAT(name, utype, wide, low)				\
static inline ALWAYS void name(const struct gaudi_tpc_lanes *x,		\
			       unsigned int n)				\
{									\
	SRC(utype, a, SUB_P(x));					\
	SRC(utype, b, SUB_Q(x));					\
	DST(utype, r, x->r);						\
									\
	LANES(n) {							\
		wide w = (wide)TO_##low(a[i]) - TO_##low(b[i]);		\
									\
		w = w < MIN_##low ? MIN_##low : w;			\
		w = w > MAX_##low ? MAX_##low : w;			\
		r[i] = (utype)w;					\
	}								\
}									\
DEFINE_BOTH(name, utype)

/* --- comparisons ----------------------------------------------------------- */

#define DEFINE_CMP(name, type, utype, expr)				\
static inline ALWAYS void name(const struct gaudi_tpc_lanes *x,		\
			       unsigned int n)				\
{									\
	SRC(type, a, x->a);						\
	SRC(type, b, x->b);						\
	DST(utype, r, x->r);						\
									\
	LANES(n) {							\
		const type p = a[i], q = b[i];				\
									\
		r[i] = expr ? (utype)~(utype)0 : 0;			\
	}								\
}									\
DEFINE_BOTH(name, type)

#define DEFINE_CMPS(t, type, utype)					\
	DEFINE_CMP(eq_##t, type, utype, p == q)				\
	DEFINE_CMP(neq_##t, type, utype, p != q)			\
	DEFINE_CMP(less_##t, type, utype, p < q)			\
	DEFINE_CMP(leq_##t, type, utype, p <= q)			\
	DEFINE_CMP(grt_##t, type, utype, p > q)				\
	DEFINE_CMP(geq_##t, type, utype, p >= q)

/* --- shifts ---------------------------------------------------------------- */

/* As many places as an element has, or more, leave nothing. */
#define DEFINE_SHIFTS(w, utype)						\
	DEFINE_BINARY(shr_##w, utype,					\
		      q < (w) ? (utype)(p >> (q & ((w) - 1))) : 0)	\
	DEFINE_BINARY(shl_##w, utype,					\
		      q < (w) ? (utype)((uint32_t)p << (q & ((w) - 1))) : 0)

/*
 * By a signed count, the low byte of the element: to the left it saturates (or
 * wraps, without the switch, which nothing encodes), to the right it is
 * arithmetic for signed types; bit 1: half of the last place is added first.
 */
static inline ALWAYS int64_t ash_right(int64_t v, int count, bool up)
{
	int n = count > 40 ? 40 : count;

	return (v + (up && n ? 1ll << (n - 1) : 0)) >> n;
}

/* As far as it matters: beyond 31 places nothing is left, or all is too much. */
static inline ALWAYS int64_t ash_left(int64_t v, int count, bool saturate)
{
	if (count < 32)
		return (int64_t)((uint64_t)v << count);
	return saturate && v ? (v < 0 ? INT64_MIN : INT64_MAX) : 0;
}

#define DEFINE_ASH(t, type)						\
static inline ALWAYS void ash_##t(const struct gaudi_tpc_lanes *x,	\
				  unsigned int n)			\
{									\
	SRC(type, a, x->a);						\
	SRC(type, b, x->b);						\
	DST(type, r, x->r);						\
									\
	for (unsigned int i = 0; i < n; i++) {				\
		const int count = (int8_t)b[i];				\
		int64_t v = a[i];					\
									\
		if (count < 0)						\
			v = ash_right(v, -count, x->sw & 2);		\
		else							\
			v = ash_left(v, count, x->sw & 1);		\
		if (x->sw & 1)						\
			v = clamp64(v, MIN_##t, MAX_##t);		\
		r[i] = (type)v;						\
	}								\
}									\
DEFINE_BOTH(ash_##t, type)

/* --- products -------------------------------------------------------------- */

/* 64-bit products of 32-bit lanes: low halves, and high halves. */
#define DEFINE_MUL_PAIR(name, type, wide)				\
static inline ALWAYS void name(const struct gaudi_tpc_lanes *x,		\
			       unsigned int n)				\
{									\
	SRC(type, a, x->a);						\
	SRC(type, b, x->b);						\
	DST(uint32_t, low, x->r);					\
	DST(uint32_t, high, x->r + 1);					\
									\
	LANES(n) {							\
		const wide p = (wide)a[i] * b[i];			\
									\
		low[i] = (uint32_t)p;					\
		high[i] = (uint32_t)((uint64_t)p >> 32);		\
	}								\
}									\
DEFINE_BOTH(name, type)

/* The other widening products: even lanes, and odd ones. */
#define DEFINE_MUL_WIDE(name, type)					\
static inline ALWAYS void name(const struct gaudi_tpc_lanes *x,		\
			       unsigned int n)				\
{									\
	SRC(type, a, x->a);						\
	SRC(type, b, x->b);						\
	DST(uint32_t, r0, x->r);					\
	DST(uint32_t, r1, x->r + 1);					\
									\
	LANES((n + 1) / 2) {						\
		r0[i] = (uint32_t)a[2 * i] * (uint32_t)b[2 * i];	\
		if (n > 1)						\
			r1[i] = (uint32_t)a[2 * i + 1] *		\
				(uint32_t)b[2 * i + 1];			\
	}								\
}									\
DEFINE_BOTH(name, type)

#define DEFINE_MAC_WIDE(name, type, sign)				\
static inline ALWAYS void name(const struct gaudi_tpc_lanes *x,		\
			       unsigned int n)				\
{									\
	SRC(type, a, x->a);						\
	SRC(type, b, x->b);						\
	SRC(uint32_t, o0, x->old);					\
	SRC(uint32_t, o1, x->old + 1);					\
	DST(uint32_t, r0, x->r);					\
	DST(uint32_t, r1, x->r + 1);					\
									\
	LANES((n + 1) / 2) {						\
		r0[i] = o0[i] + (uint32_t)(sign) *			\
			(uint32_t)a[2 * i] * (uint32_t)b[2 * i];	\
		if (n > 1)						\
			r1[i] = o1[i] + (uint32_t)(sign) *		\
				(uint32_t)a[2 * i + 1] *		\
				(uint32_t)b[2 * i + 1];			\
	}								\
}									\
DEFINE_BOTH(name, type)

#define MAC_SAT(o, p, sign, low)					\
	((uint32_t)clamp64((int64_t)TO_##low(o) + (sign) * (p),		\
			   MIN_##low, MAX_##low))

static inline uint32_t mac_sat_i32(uint32_t o, int64_t product)
{
	return clamp64((int32_t)o + product, INT32_MIN, INT32_MAX);
}

#define DEFINE_MAC_WIDE_SAT(name, type, sign, low)			\
static inline ALWAYS void name(const struct gaudi_tpc_lanes *x,		\
			       unsigned int n)				\
{									\
	SRC(type, a, x->a);						\
	SRC(type, b, x->b);						\
	SRC(uint32_t, o0, x->old);					\
	SRC(uint32_t, o1, x->old + 1);					\
	DST(uint32_t, r0, x->r);					\
	DST(uint32_t, r1, x->r + 1);					\
									\
	LANES((n + 1) / 2) {						\
		r0[i] = MAC_SAT(o0[i], (int64_t)a[2 * i] * b[2 * i],	\
				sign, low);				\
		if (n > 1)						\
			r1[i] = MAC_SAT(o1[i],				\
					(int64_t)a[2 * i + 1] *		\
					b[2 * i + 1], sign, low);	\
	}								\
}									\
DEFINE_BOTH(name, type)

/* (2ab + 2^31) / 2^32, which is ab + 2^30 without its low 31 bits. */
static inline int32_t mul_round_i32(int32_t a, int32_t b)
{
	int64_t p = ((int64_t)a * b + (1 << 30)) >> 31;

	return p > INT32_MAX ? INT32_MAX : p;
}

static inline uint32_t mul_round_u32(uint32_t a, uint32_t b)
{
	uint64_t p = ((uint64_t)a * b + (1 << 30)) >> 31;

	return p > UINT32_MAX ? UINT32_MAX : p;
}

/* --- all of a type --------------------------------------------------------- */

#define DEFINE_INT(t, type, utype, wide)				\
	DEFINE_ADD_SAT(adds_##t, utype, wide, 0, t)			\
	DEFINE_ADD_SAT(addsc_##t, utype, wide, 1, t)			\
	DEFINE_SUB_SAT(subs_##t, utype, wide, t)			\
	DEFINE_BINARY(max_##t, type, p > q ? p : q)			\
	DEFINE_BINARY(min_##t, type, p < q ? p : q)			\
	DEFINE_CMPS(t, type, utype)					\
	DEFINE_ASH(t, type)

#define DEFINE_WIDTH(w, utype)						\
	DEFINE_ADD(add_##w, utype, 0)					\
	DEFINE_ADD(addc_##w, utype, 1)					\
	DEFINE_SUB(sub_##w, utype)					\
	DEFINE_CMP(mask_##w, utype, utype, !(p & q))			\
	DEFINE_SHIFTS(w, utype)

DEFINE_INT(i32, int32_t, uint32_t, int64_t)
DEFINE_INT(u32, uint32_t, uint32_t, int64_t)
DEFINE_INT(i16, int16_t, uint16_t, int32_t)
DEFINE_INT(u16, uint16_t, uint16_t, int32_t)
DEFINE_INT(i8, int8_t, uint8_t, int16_t)
DEFINE_INT(u8, uint8_t, uint8_t, int16_t)
DEFINE_WIDTH(32, uint32_t)
DEFINE_WIDTH(16, uint16_t)
DEFINE_WIDTH(8, uint8_t)

DEFINE_UNARY(abs_i32, uint32_t,
	     p == 0x80000000u ? 0x7fffffffu : (int32_t)p < 0 ? -p : p)
DEFINE_UNARY(abs_i16, uint16_t,
	     p == 0x8000 ? 0x7fff : (int16_t)p < 0 ? (uint16_t)-p : p)
DEFINE_UNARY(abs_i8, uint8_t,
	     p == 0x80 ? 0x7f : (int8_t)p < 0 ? (uint8_t)-p : p)
DEFINE_UNARY(copy_32, uint32_t, p)

DEFINE_BINARY(or_32, uint32_t, p | q)
DEFINE_BINARY(and_32, uint32_t, p & q)
DEFINE_BINARY(xor_32, uint32_t, p ^ q)
DEFINE_UNARY(not_32, uint32_t, ~p)

DEFINE_MUL_PAIR(mulp_i32, int32_t, int64_t)
DEFINE_MUL_PAIR(mulp_u32, uint32_t, uint64_t)
DEFINE_BINARY(mulr_i32, int32_t, mul_round_i32(p, q))
DEFINE_BINARY(mulr_u32, uint32_t, mul_round_u32(p, q))
DEFINE_BINARY(mul_32, uint32_t, p * q)
DEFINE_BINARY(mulu_i32, int32_t, (int32_t)((int64_t)p * q >> 32))
DEFINE_BINARY(mulu_u32, uint32_t, (uint32_t)((uint64_t)p * q >> 32))

#define DEFINE_PRODUCTS(t, type, low)					\
	DEFINE_MUL_WIDE(mulw_##t, type)					\
	DEFINE_MAC_WIDE(macw_##t, type, 1)				\
	DEFINE_MAC_WIDE(macn_##t, type, -1)				\
	DEFINE_MAC_WIDE_SAT(macs_##t, type, 1, low)			\
	DEFINE_MAC_WIDE_SAT(macns_##t, type, -1, low)

DEFINE_PRODUCTS(i16, int16_t, i32)
DEFINE_PRODUCTS(u16, uint16_t, u32)
DEFINE_PRODUCTS(i8, int8_t, i32)
DEFINE_PRODUCTS(u8, uint8_t, u32)

/* Lanes that a predicate lets through; the width of a copy is that of a lane. */
#define DEFINE_BLEND(w, utype)						\
static inline void blend_##w(union gaudi_tpc_vec *vr,			\
			     const union gaudi_tpc_vec *va,		\
			     const union gaudi_tpc_vec *vp, utype inv)	\
{									\
	SRC(utype, a, va);						\
	SRC(utype, m, vp);						\
	DST(utype, r, vr);						\
									\
	LANES(GAUDI_TPC_VBYTES / sizeof(utype)) {			\
		const utype k = (m[i] ^ inv) & 1;			\
									\
		r[i] = k ? a[i] : r[i];					\
	}								\
}									\
									\
static inline void choose_##w(union gaudi_tpc_vec *vr,			\
			      const union gaudi_tpc_vec *vc,		\
			      const union gaudi_tpc_vec *vd,		\
			      const union gaudi_tpc_vec *vp)		\
{									\
	SRC(utype, c, vc);						\
	SRC(utype, d, vd);						\
	SRC(utype, m, vp);						\
	DST(utype, r, vr);						\
									\
	LANES(GAUDI_TPC_VBYTES / sizeof(utype))				\
		r[i] = m[i] & 1 ? c[i] : d[i];				\
}									\
									\
static inline void splat_##w(union gaudi_tpc_vec *vr, uint32_t value)	\
{									\
	DST(utype, r, vr);						\
									\
	LANES(GAUDI_TPC_VBYTES / sizeof(utype))				\
		r[i] = (utype)value;					\
}

DEFINE_BLEND(32, uint32_t)
DEFINE_BLEND(16, uint16_t)
DEFINE_BLEND(8, uint8_t)

#endif /* GAUDI_TPC_ALU_HOT_INT_H */
