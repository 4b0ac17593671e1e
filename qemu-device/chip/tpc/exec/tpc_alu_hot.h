/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * The table of operations that are compiled for several kinds of host. A file
 * includes it once, after it has said for which host it is compiled.
 */
#ifndef GAUDI_TPC_ALU_HOT_H
#define GAUDI_TPC_ALU_HOT_H

#include "../alu/tpc_alu_hot_fp.h"
#include "../alu/tpc_alu_hot_parts.h"
#include "tpc_alu_step.h"

static inline void alu_blend(gaudi_tpc_vec *r, const gaudi_tpc_vec *a,
			     const gaudi_tpc_vec *pred, unsigned int elem,
			     bool inv)
{
	if (elem == 4)
		blend_32(r, a, pred, inv);
	else if (elem == 2)
		blend_16(r, a, pred, inv);
	else
		blend_8(r, a, pred, inv);
}

static inline void alu_choose(gaudi_tpc_vec *r, const gaudi_tpc_vec *c,
			      const gaudi_tpc_vec *d, const gaudi_tpc_vec *pred,
			      unsigned int elem)
{
	if (elem == 4)
		choose_32(r, c, d, pred);
	else if (elem == 2)
		choose_16(r, c, d, pred);
	else
		choose_8(r, c, d, pred);
}

static inline void alu_splat(gaudi_tpc_vec *r, uint32_t value,
			     unsigned int elem)
{
	if (elem == 4)
		splat_32(r, value);
	else if (elem == 2)
		splat_16(r, value);
	else
		splat_8(r, value);
}

#define ROW_ALL(f, b, i4, u4, i2, u2, i1, u1, s) {			\
	[GAUDI_TPC_F32] = f##s, [GAUDI_TPC_BF16] = b##s,		\
	[GAUDI_TPC_I32] = i4##s, [GAUDI_TPC_U32] = u4##s,		\
	[GAUDI_TPC_I16] = i2##s, [GAUDI_TPC_U16] = u2##s,		\
	[GAUDI_TPC_I8] = i1##s, [GAUDI_TPC_U8] = u1##s }
#define ROW(op, s) ROW_ALL(op##_f32, op##_bf16, op##_i32, op##_u32,	\
			   op##_i16, op##_u16, op##_i8, op##_u8, s)
/* Integers by type, or by their width alone. */
#define ROW_INT(op, s) {						\
	[GAUDI_TPC_I32] = op##_i32##s, [GAUDI_TPC_U32] = op##_u32##s,	\
	[GAUDI_TPC_I16] = op##_i16##s, [GAUDI_TPC_U16] = op##_u16##s,	\
	[GAUDI_TPC_I8] = op##_i8##s, [GAUDI_TPC_U8] = op##_u8##s }
#define ROW_WIDTH(op, s) {						\
	[GAUDI_TPC_I32] = op##_32##s, [GAUDI_TPC_U32] = op##_32##s,	\
	[GAUDI_TPC_I16] = op##_16##s, [GAUDI_TPC_U16] = op##_16##s,	\
	[GAUDI_TPC_I8] = op##_8##s, [GAUDI_TPC_U8] = op##_8##s }
#define ROW_BITS(op, s) ROW_ALL(op##_32, op##_16, op##_32, op##_32,	\
				op##_16, op##_16, op##_8, op##_8, s)
#define ROW_ANY(op, s) ROW_ALL(op, op, op, op, op, op, op, op, s)

#define ROW_ADD(s) ROW_ALL(add_f32, add_bf16, add_32, add_32,		\
			   add_16, add_16, add_8, add_8, s)
#define ROW_SUB(s) ROW_ALL(sub_f32, sub_bf16, sub_32, sub_32,		\
			   sub_16, sub_16, sub_8, sub_8, s)
#define ROW_ABS(s) ROW_ALL(abs_f32, abs_bf16, abs_i32, copy_32,		\
			   abs_i16, copy_32, abs_i8, copy_32, s)
#define ROW_MUL(s) {							\
	[GAUDI_TPC_F32] = mul_f32##s, [GAUDI_TPC_BF16] = mul_bf16##s,	\
	[GAUDI_TPC_I32] = mul_32##s, [GAUDI_TPC_U32] = mul_32##s }
#define ROW_MULW(s) {							\
	[GAUDI_TPC_BF16] = mulw_bf16##s,				\
	[GAUDI_TPC_I32] = mulp_i32##s, [GAUDI_TPC_U32] = mulp_u32##s,	\
	[GAUDI_TPC_I16] = mulw_i16##s, [GAUDI_TPC_U16] = mulw_u16##s,	\
	[GAUDI_TPC_I8] = mulw_i8##s, [GAUDI_TPC_U8] = mulw_u8##s }
#define ROW_TWO(i, u, s) {						\
	[GAUDI_TPC_I32] = i##s, [GAUDI_TPC_U32] = u##s }
#define ROW_FP(f, b, s) {						\
	[GAUDI_TPC_F32] = f##s, [GAUDI_TPC_BF16] = b##s }
#define ROW_MACW(b, op, s) {						\
	[GAUDI_TPC_BF16] = b##s,					\
	[GAUDI_TPC_I32] = op##_i32##s, [GAUDI_TPC_U32] = op##_u32##s,	\
	[GAUDI_TPC_I16] = op##_i16##s, [GAUDI_TPC_U16] = op##_u16##s,	\
	[GAUDI_TPC_I8] = op##_i8##s, [GAUDI_TPC_U8] = op##_u8##s }

#define TABLE(s) {							\
	[GAUDI_TPC_ADD] = ROW_ADD(s),					\
	[GAUDI_TPC_ADD_SAT] = ROW_INT(adds, s),				\
	[GAUDI_TPC_ADD_CARRY] = ROW_WIDTH(addc, s),			\
	[GAUDI_TPC_ADD_CARRY_SAT] = ROW_INT(addsc, s),			\
	[GAUDI_TPC_SUB] = ROW_SUB(s),					\
	[GAUDI_TPC_SUB_SAT] = ROW_INT(subs, s),				\
	[GAUDI_TPC_MAX] = ROW(max, s),					\
	[GAUDI_TPC_MIN] = ROW(min, s),					\
	[GAUDI_TPC_ABS] = ROW_ABS(s),					\
	[GAUDI_TPC_CMP_EQ] = ROW(eq, s),				\
	[GAUDI_TPC_CMP_NEQ] = ROW(neq, s),				\
	[GAUDI_TPC_CMP_LESS] = ROW(less, s),				\
	[GAUDI_TPC_CMP_LEQ] = ROW(leq, s),				\
	[GAUDI_TPC_CMP_GRT] = ROW(grt, s),				\
	[GAUDI_TPC_CMP_GEQ] = ROW(geq, s),				\
	[GAUDI_TPC_CMP_MASK] = ROW_BITS(mask, s),			\
	[GAUDI_TPC_OR] = ROW_ANY(or_32, s),				\
	[GAUDI_TPC_AND] = ROW_ANY(and_32, s),				\
	[GAUDI_TPC_XOR] = ROW_ANY(xor_32, s),				\
	[GAUDI_TPC_NOT] = ROW_ANY(not_32, s),				\
	[GAUDI_TPC_SHR] = ROW_BITS(shr, s),				\
	[GAUDI_TPC_SHL] = ROW_BITS(shl, s),				\
	[GAUDI_TPC_ASH] = ROW_INT(ash, s),				\
	[GAUDI_TPC_MUL] = ROW_MUL(s),					\
	[GAUDI_TPC_MUL_WIDE] = ROW_MULW(s),				\
	[GAUDI_TPC_MUL_ROUND] = ROW_TWO(mulr_i32, mulr_u32, s),		\
	[GAUDI_TPC_MUL_UPPER] = ROW_TWO(mulu_i32, mulu_u32, s),		\
	[GAUDI_TPC_MAC] = ROW_FP(mac_f32, mac_bf16, s),			\
	[GAUDI_TPC_MAC_NEG] = ROW_FP(macn_f32, macn_bf16, s),		\
	[GAUDI_TPC_MAC_WIDE] = ROW_MACW(macw_bf16, macw, s),		\
	[GAUDI_TPC_MAC_WIDE_NEG] = ROW_MACW(macwn_bf16, macn, s),	\
	[GAUDI_TPC_MAC_WIDE_SAT] = ROW_INT(macs, s),			\
	[GAUDI_TPC_MAC_WIDE_NEG_SAT] = ROW_INT(macns, s),		\
}

#define GAUDI_TPC_ALU_TABLE(title) {					\
	.name = title,							\
	.vec = TABLE(_vec),						\
	.one = TABLE(_one),						\
	.blend = alu_blend,						\
	.choose = alu_choose,						\
	.splat = alu_splat,						\
	.quick = {							\
		[GAUDI_TPC_SHUFFLE_32] = shuffle_32,			\
		[GAUDI_TPC_SHUFFLE_16] = shuffle_16,			\
		[GAUDI_TPC_EXPONENT_F32] = exponent_f32,		\
		[GAUDI_TPC_CLASS_F32] = class_f32,			\
		[GAUDI_TPC_FORM_F32] = form_f32,			\
	},								\
	.step = STEPS,							\
	.f32_to_i32 = f32_to_i32,					\
	.i32_to_f32 = i32_to_f32,					\
	.f32_to_bf16 = f32_to_bf16,					\
	.bf16_to_f32 = bf16_to_f32,					\
	.nearest_f32 = nearest_f32,					\
}

#endif /* GAUDI_TPC_ALU_HOT_H */
