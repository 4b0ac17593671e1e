/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * The instruction set of the TPC, generation 2 (Gaudi 1), in lists: what is
 * there and how it is written. Which operands and types each operation takes
 * is in the table of tpc_isa.c. Decoder, encoder, assembler, disassembler and
 * interpreter all come from these; nothing about an instruction is elsewhere.
 */
#ifndef GAUDI_TPC_ISA_OPS_H
#define GAUDI_TPC_ISA_OPS_H

/*
 * X(NAME, "mnemonic", opcode in LOAD, SPU, VPU, STORE); __ where the slot has
 * no such operation.
 */
#define GAUDI_TPC_OPS(X, __) \
	/* arithmetic */ \
	X(MAC, "mac", __, 0x00, 0x00, __) \
	X(MUL, "mul", __, 0x01, 0x01, __) \
	X(ADD, "add", __, 0x02, 0x02, __) \
	X(SUB, "sub", __, 0x03, 0x03, __) \
	X(MAX, "max", __, 0x05, 0x05, __) \
	X(MIN, "min", __, 0x06, 0x06, __) \
	X(ABS, "abs", __, 0x07, 0x07, __) \
	X(MOV, "mov", 0x05, 0x08, 0x08, __) \
	X(CMP_EQ, "cmp_eq", __, 0x09, 0x09, __) \
	X(CMP_NEQ, "cmp_neq", __, 0x0a, 0x0a, __) \
	X(CMP_LESS, "cmp_less", __, 0x0b, 0x0b, __) \
	X(CMP_LEQ, "cmp_leq", __, 0x0c, 0x0c, __) \
	X(CMP_GRT, "cmp_grt", __, 0x0d, 0x0d, __) \
	X(CMP_GEQ, "cmp_geq", __, 0x0e, 0x0e, __) \
	X(OR, "or", __, 0x0f, 0x0f, __) \
	X(AND, "and", __, 0x10, 0x10, __) \
	X(XOR, "xor", __, 0x11, 0x11, __) \
	X(NOT, "not", __, 0x12, 0x12, __) \
	X(SHR, "shr", __, 0x13, 0x13, __) \
	X(SHL, "shl", __, 0x14, 0x14, __) \
	X(ASH, "ash", __, 0x15, 0x15, __) \
	X(CONVERT, "convert", __, 0x16, 0x16, __) \
	X(CONVERT_INT32, "convert_int32", __, 0x17, 0x17, __) \
	X(CONVERT_UINT32, "convert_uint32", __, 0x18, 0x18, __) \
	X(CONVERT_INT16, "convert_int16", __, 0x04, 0x04, __) \
	X(CONVERT_UINT16, "convert_uint16", __, 0x1c, 0x1c, __) \
	X(CONVERT_UINT8, "convert_uint8", __, __, 0x36, __) \
	X(POPCNT, "popcnt", __, 0x19, 0x19, __) \
	X(FIND_FIRST, "find_first", __, 0x1a, 0x1a, __) \
	X(NEARBYINT, "nearbyint", __, 0x1b, 0x1b, __) \
	X(EXTRACT_EXP, "extract_exp", __, 0x1d, 0x1d, __) \
	X(FCLASS, "fclass", __, 0x1e, 0x1e, __) \
	X(BREV, "brev", __, 0x1f, 0x1f, __) \
	X(CALC_FP_SPECIAL, "calc_fp_special", __, 0x34, 0x34, __) \
	/* scalar unit */ \
	X(LOOP, "loop", __, 0x22, __, __) \
	X(JMPR, "jmpr", __, 0x24, __, __) \
	X(JMPA, "jmpa", __, 0x25, __, __) \
	X(MOV_IRF_DIM, "mov_irf_dim", __, 0x26, __, __) \
	X(SET_INDX, "set_indx", 0x04, 0x27, __, 0x04) \
	X(UDIV_4STEP, "udiv_4step", __, 0x28, __, __) \
	/* vector unit */ \
	X(SEL_EQ, "sel_eq", __, __, 0x22, __) \
	X(SEL_NEQ, "sel_neq", __, __, 0x23, __) \
	X(SEL_LESS, "sel_less", __, __, 0x24, __) \
	X(SEL_LEQ, "sel_leq", __, __, 0x25, __) \
	X(SEL_GRT, "sel_grt", __, __, 0x26, __) \
	X(SEL_GEQ, "sel_geq", __, __, 0x27, __) \
	X(SEL2_LESS, "sel2_less", __, __, 0x28, __) \
	X(SEL2_LEQ, "sel2_leq", __, __, 0x29, __) \
	X(SEL2_GRT, "sel2_grt", __, __, 0x2a, __) \
	X(SEL2_GEQ, "sel2_geq", __, __, 0x2b, __) \
	X(SHUFFLE, "shuffle", __, __, 0x2c, __) \
	X(PACK, "pack", __, __, 0x2d, __) \
	X(UNPACK, "unpack", __, __, 0x2e, __) \
	X(GET_LUT_ENTRY, "get_lut_entry_and_interval_start", \
	  __, __, 0x2f, __) \
	X(FORM_FP_NUM, "form_fp_num", __, __, 0x30, __) \
	X(MOV_DG, "mov_dg", __, __, 0x31, __) \
	X(MOV_G, "mov_g", __, __, 0x32, __) \
	/* memory */ \
	X(GEN_ADDR, "gen_addr", 0x00, __, __, 0x00) \
	X(PRMT_INDX, "prmt_indx", 0x03, __, __, 0x03) \
	X(LOOKUP, "lookup", 0x06, __, __, __) \
	X(LOOKUP_2C, "lookup_2c", 0x07, __, __, __) \
	X(LOOKUP_1C, "lookup_1c", 0x09, __, __, __) \
	X(LD_L, "ld_l", 0x0b, __, __, __) \
	X(LD_G, "ld_g", 0x0c, __, __, __) \
	X(PREFETCH, "prefetch", 0x0d, __, __, __) \
	X(LD_L_V, "ld_l_v", 0x0e, __, __, __) \
	X(LD_L_V_LOW, "ld_l_v_low", 0x0f, __, __, __) \
	X(LD_L_V_HIGH, "ld_l_v_high", 0x10, __, __, __) \
	X(LD_TNSR, "ld_tnsr", 0x11, __, __, __) \
	X(LD_TNSR_LOW, "ld_tnsr_low", 0x12, __, __, __) \
	X(LD_TNSR_HIGH, "ld_tnsr_high", 0x13, __, __, __) \
	X(ST_L, "st_l", __, __, __, 0x05) \
	X(ST_G, "st_g", __, __, __, 0x06) \
	X(ST_L_V, "st_l_v", __, __, __, 0x07) \
	X(ST_L_V_LOW, "st_l_v_low", __, __, __, 0x08) \
	X(ST_L_V_HIGH, "st_l_v_high", __, __, __, 0x09) \
	X(ASO, "aso", __, __, __, 0x0a) \
	X(ST_TNSR, "st_tnsr", __, __, __, 0x0b) \
	X(ST_TNSR_LOW, "st_tnsr_low", __, __, __, 0x0c) \
	X(ST_TNSR_HIGH, "st_tnsr_high", __, __, __, 0x0d) \
	X(CACHE_FLUSH, "cache_flush", __, __, __, 0x14) \
	X(CACHE_INVALIDATE, "cache_invalidate", __, __, __, 0x15) \
	/* any */ \
	X(HALT, "halt", __, 0x20, 0x20, __) \
	X(DBG, "dbg", __, 0x3e, 0x3e, __) \
	X(NOP, "nop", 0x1f, 0x3f, 0x3f, 0x1f)

/*
 * X(NAME, "text", how it is written): modifiers of an operation. FLAG: the
 * text sets it to 1, with =0 behind it to 0. NUMBER: text=k. OPTION: the same, left out if it is the
 * default. NAMES: one of a list of names, behind text= if text is not empty.
 * BARE: a number before the operands. MASK: b and five binary digits, dim 4
 * first, before the operands or as the second of them. HIDDEN: follows from the
 * operands.
 */
#define GAUDI_TPC_SWITCHES(X) \
	X(SAT, "st", FLAG)	/* saturate */ \
	X(NEG, "neg", FLAG)	/* MAC: subtract; SUB: negate the result */ \
	X(CARRY, "carry", FLAG)	/* ADD: with the carry flag */ \
	X(ACC_FP32, "acc_fp32", FLAG)	/* bf16: result in f32 */ \
	X(UPPER32, "upper32", FLAG)	/* MUL: the high half */ \
	X(DOUBLE_AND_ROUND32, "double_and_round32", FLAG) \
	X(MASK_EQ_ZERO, "mask_eq_zero", FLAG)	/* (a & b) == 0 */ \
	X(RHU, "rhu", FLAG)	/* ASH: round half up */ \
	X(BIASED, "biased", FLAG)	/* EXTRACT_EXP: the raw field */ \
	X(SET, "set", NUMBER)	/* POPCNT, FIND_FIRST: which bits */ \
	X(DIR, "", NAMES)	/* FIND_FIRST: 0 from LSB, 1 from MSB */ \
	X(RM, "", NAMES)	/* enum gaudi_tpc_rm */ \
	X(TARGET, "target_type", NAMES)	/* CONVERT: enum gaudi_tpc_type */ \
	X(LANE_SEL, "lane_sel", OPTION)	/* 0 to 3 */ \
	X(NUM_LANES, "", NAMES)	/* CONVERT: 0 all lanes, 1 a single one */ \
	X(TO_16, "", NAMES)	/* CONVERT_[U]INT32: 0 to 8 bits, 1 to 16 */ \
	X(DIMS, "", MASK)	/* I registers: bit d for dim d */ \
	X(DIM, "", BARE)	/* MOV_IRF_DIM: 0 to 4 */ \
	X(STEP, "", BARE)	/* UDIV_4STEP: 0 to 31 */ \
	X(STEP_REG, "step_reg", FLAG)	/* UDIV_4STEP: from DIV_STEP */ \
	X(FLAVOR, "", BARE)	/* MOV to VP: section 0 to 7, 8 all */ \
	X(HW_REG, "", HIDDEN)	/* MOV: from a hardware register */ \
	X(FUNC, "func", NAMES)	/* CALC_FP_SPECIAL: enum gaudi_tpc_func */ \
	X(VARIANT, "", NAMES)	/* GET_LUT_ENTRY: enum gaudi_tpc_variant */ \
	X(SOURCE_GROUP, "source_group", NUMBER)	/* PACK, UNPACK: 0 or 1 */ \
	X(STRIDE, "element_stride", NAMES)	/* the same: 0 is 2, 1 is 4 */ \
	X(GROUP_HALF, "group_half", NUMBER)	/* UNPACK: 0 or 1 */ \
	X(ADD_BIAS, "exp_add_bias", FLAG)	/* FORM_FP_NUM, and below */ \
	X(FORCE_SIGN0, "force_sign0", FLAG) \
	X(FORCE_SIGN1, "force_sign1", FLAG) \
	X(EXP_IS_NUM, "exp_is_num", FLAG) \
	X(SIGN_LSB, "sign_lsb", FLAG) \
	X(ALL, "all", FLAG)	/* MOV_DG: four moves, by SDGk and WEGk */ \
	X(SRC, "src", NUMBER)	/* MOV_DG: one move, dual group 0 to 3 */ \
	X(DST, "dst", NUMBER) \
	X(WR_LG, "wr_lg", NUMBER)	/* write the lower group */ \
	X(WR_UG, "wr_ug", NUMBER)	/* write the upper group */ \
	X(SDG0, "sdg0", NUMBER)	/* source of destination 0, and so on */ \
	X(SDG1, "sdg1", NUMBER) \
	X(SDG2, "sdg2", NUMBER) \
	X(SDG3, "sdg3", NUMBER) \
	X(WEG0, "weg0", NUMBER)	/* b0 lower group, b1 upper group */ \
	X(WEG1, "weg1", NUMBER) \
	X(WEG2, "weg2", NUMBER) \
	X(WEG3, "weg3", NUMBER) \
	X(G_EN, "g_en", NUMBER)	/* MOV_G: b0 write lower, b1 upper */ \
	X(DG_EN, "dg_en", NUMBER)	/* MOV_G: bit k for dual group k */ \
	X(MMIO, "mmio", FLAG)	/* LD_L, ST_L: a configuration register */ \
	X(PARTIAL, "partial", FLAG)	/* size and offset in S30 or S31 */ \
	X(RMW_SEL, "rmw_sel", FLAG)	/* ST_TNSR: parameters in S29 */ \
	X(PACKED, "pack", FLAG)	/* ST_TNSR: the 32 to 16 bit packing */ \
	X(TNSR_ID_REG, "", HIDDEN)	/* tensor number in S27 or S28 */ \
	X(BV16, "", NAMES)	/* LOOKUP: 0 32-bit table, 1 16-bit table */ \
	X(UPPER_HALF, "upper_half", FLAG)	/* LOOKUP */ \
	X(DEC, "dec", FLAG)	/* ASO: -1, not +1 */ \
	X(VPU, "vpu", FLAG)	/* ASO: at the stage of the VPU */

#endif /* GAUDI_TPC_ISA_OPS_H */
