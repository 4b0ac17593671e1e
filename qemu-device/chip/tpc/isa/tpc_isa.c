// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * The TPC's instruction set: where fields are, and one row for each combination
 * of operation, types and operands. See tpc_isa_table.h for what a row says.
 *
 * Of rows of one operation the first that fits an encoding, or a text, counts.
 */
#include "tpc_isa_table.h"

#define FIELD(name, first, width) \
	[GAUDI_TPC_AT_##name] = { first, width }

const struct gaudi_tpc_field
gaudi_tpc_fields[GAUDI_TPC_SLOTS][GAUDI_TPC_AT_FIELDS] = {
	[GAUDI_TPC_SPU] = {
		FIELD(OPCODE, 0, 6), FIELD(A, 6, 7), FIELD(B, 13, 7),
		FIELD(DEST, 20, 7), FIELD(TYPE, 27, 4), FIELD(POLARITY, 31, 1),
		FIELD(PRED, 32, 4), FIELD(SW, 36, 7),
	},
	[GAUDI_TPC_VPU] = {
		FIELD(OPCODE, 43, 6), FIELD(A, 49, 8), FIELD(B, 57, 8),
		FIELD(C, 65, 8), FIELD(D, 73, 9), FIELD(DEST, 82, 8),
		FIELD(SW, 90, 3), FIELD(TYPE, 93, 4), FIELD(POLARITY, 97, 1),
		FIELD(PRED, 98, 5),
	},
	/* srcB is VPU's srcD. */
	[GAUDI_TPC_LOAD] = {
		FIELD(A, 103, 8), FIELD(B, 73, 9), FIELD(DEST, 111, 8),
		FIELD(OPCODE, 119, 5), FIELD(SW, 183, 4),
		FIELD(POLARITY, 145, 1), FIELD(PRED, 146, 5),
	},
	/* srcC is VPU's srcC, and holds dest of what has one. */
	[GAUDI_TPC_STORE] = {
		FIELD(A, 124, 8), FIELD(B, 132, 8), FIELD(C, 65, 8),
		FIELD(DEST, 65, 8), FIELD(OPCODE, 140, 5), FIELD(SW, 187, 4),
		FIELD(POLARITY, 145, 1), FIELD(PRED, 146, 5),
	},
};

/* Names, by value. */
const char *const gaudi_tpc_type_names[GAUDI_TPC_TYPES] = {
	"f32", "bf16", "i32", "u32", "i8", "u8", "b", "i16", "u16",
};

const char *const gaudi_tpc_hw_names[] = {
	"PC", "DIV_STEP", NULL, NULL, "M0", "M1", "M2", "M3",
	"LD_TNSR_ID_REG", "ST_TNSR_ID_REG", "RMW_REG", "LD_PARTIAL_REG",
	"ST_PARTIAL_REG",
};
const unsigned int gaudi_tpc_hw_count =
	sizeof(gaudi_tpc_hw_names) / sizeof(gaudi_tpc_hw_names[0]);

const char *const gaudi_tpc_loop_cmps[GAUDI_TPC_LOOP_CMPS] = {
	">", ">=", "<", "<=", "==", "!=",
};

static const char *const dir_names[] = { "start_lsb", "start_msb" };
static const char *const rm_names[] = {
	"rhne", "rz", "ru", "rd", "sr", "default", "rhaz",
};
static const char *const target_names[] = {
	"fp32", "bf16", "int32", "uint32", "int8", "uint8", NULL, "int16",
	"uint16",
};
static const char *const lanes_names[] = { "all_lanes", "single_lane" };
static const char *const to_names[] = { "to_8", "to_16" };
static const char *const func_names[] = {
	"recip", "rsqrt", "sqrt", "log", "exp", "tanh", "div", "pow",
};
static const char *const variant_names[] = {
	"", "tanh", "sqrt_rsqrt", "sin_cos", "log",
};
static const char *const stride_names[] = { "2", "4" };
static const char *const table_names[] = { "bv32", "bv16" };

#define COUNT(list)	(sizeof(list) / sizeof((list)[0]))
#define LIST(sw, list) \
	[GAUDI_TPC_SW_##sw] = { COUNT(list), list }

const struct gaudi_tpc_names gaudi_tpc_names[GAUDI_TPC_SW_COUNT] = {
	LIST(DIR, dir_names), LIST(RM, rm_names), LIST(TARGET, target_names),
	LIST(NUM_LANES, lanes_names), LIST(TO_16, to_names),
	LIST(FUNC, func_names), LIST(VARIANT, variant_names),
	LIST(STRIDE, stride_names), LIST(BV16, table_names),
	/* Numbers that do not fill their field. */
	[GAUDI_TPC_SW_DIM] = { GAUDI_TPC_DIMS },
	[GAUDI_TPC_SW_FLAVOR] = { 9 },
};

const struct gaudi_tpc_switch_text gaudi_tpc_switches[GAUDI_TPC_SW_COUNT] = {
#define X(name, text, how) { text, GAUDI_TPC_##how },
	GAUDI_TPC_SWITCHES(X)
#undef X
};

/* Where modifiers are: SW(what, place, shift, width, default). */
#define SW(what, at, shift, width, def) \
	{ GAUDI_TPC_SW_##what, GAUDI_TPC_AT_##at, shift, width, def }
#define SWITCHES(name, ...) \
	static const struct gaudi_tpc_place_sw name[] = { __VA_ARGS__, { } }
#define MUST		GAUDI_TPC_REQUIRED
#define EVERY_DIM	0x1f

SWITCHES(mac_sw, SW(SAT, SW, 0, 1, 0), SW(NEG, SW, 1, 1, 0));
SWITCHES(mac_bf16_sw, SW(SAT, SW, 0, 1, 0), SW(NEG, SW, 1, 1, 0),
	 SW(ACC_FP32, SW, 2, 1, 0));
SWITCHES(mul_bf16_sw, SW(ACC_FP32, SW, 2, 1, 0));
SWITCHES(mul_spu_sw, SW(UPPER32, SW, 2, 1, 0));
SWITCHES(mul_vpu_sw, SW(DOUBLE_AND_ROUND32, SW, 1, 1, 0));
SWITCHES(add_sw, SW(SAT, SW, 0, 1, 0), SW(CARRY, SW, 1, 1, 0));
SWITCHES(add_dims_sw, SW(SAT, SW, 0, 1, 0), SW(DIMS, SW, 2, 5, EVERY_DIM));
SWITCHES(sub_sw, SW(SAT, SW, 0, 1, 0), SW(NEG, SW, 1, 1, 0));
SWITCHES(sub_dims_sw, SW(SAT, SW, 0, 1, 0), SW(NEG, SW, 1, 1, 0),
	 SW(DIMS, SW, 2, 5, EVERY_DIM));
SWITCHES(dims_sw, SW(DIMS, SW, 2, 5, EVERY_DIM));
SWITCHES(dims_b_sw, SW(DIMS, B, 2, 5, EVERY_DIM));
SWITCHES(eq_sw, SW(MASK_EQ_ZERO, SW, 0, 1, 0));
SWITCHES(ash_sw, SW(SAT, SW, 0, 1, 1), SW(RHU, SW, 1, 1, 0));
SWITCHES(popcnt_sw, SW(SET, SW, 0, 1, MUST));
SWITCHES(find_sw, SW(SET, SW, 0, 1, MUST), SW(DIR, SW, 1, 1, 0));
SWITCHES(round_sw, SW(RM, SW, 0, 3, GAUDI_TPC_RM_DEFAULT));
SWITCHES(exp_sw, SW(BIASED, SW, 0, 1, 0));
SWITCHES(func_sw, SW(FUNC, SW, 0, 3, MUST));
#define CONVERT_SW \
	SW(TARGET, B, 0, 4, MUST), SW(RM, SW, 0, 3, GAUDI_TPC_RM_DEFAULT)
SWITCHES(convert_spu_sw, CONVERT_SW);
SWITCHES(convert_sw, CONVERT_SW, SW(LANE_SEL, B, 4, 2, 0),
	 SW(NUM_LANES, B, 6, 2, 0));
SWITCHES(convert_one_sw, CONVERT_SW, SW(LANE_SEL, B, 4, 2, 0),
	 SW(NUM_LANES, B, 6, 2, 1));
SWITCHES(shift_spu_sw, SW(RM, TYPE, 0, 3, GAUDI_TPC_RHNE));
SWITCHES(shift_vpu_sw, SW(LANE_SEL, SW, 0, 2, 0),
	 SW(RM, TYPE, 0, 3, GAUDI_TPC_RHNE));
SWITCHES(shift32_spu_sw, SW(RM, TYPE, 0, 3, GAUDI_TPC_RHNE),
	 SW(TO_16, TYPE, 3, 1, MUST));
SWITCHES(shift32_vpu_sw, SW(LANE_SEL, SW, 0, 2, 0),
	 SW(RM, TYPE, 0, 3, GAUDI_TPC_RHNE), SW(TO_16, TYPE, 3, 1, MUST));
SWITCHES(hw_sw, SW(HW_REG, SW, 0, 1, 1));
SWITCHES(flavor_sw, SW(FLAVOR, B, 0, 4, 8));
SWITCHES(dim_sw, SW(DIM, SW, 0, 3, MUST));
SWITCHES(step_sw, SW(STEP, SW, 0, 5, MUST), SW(STEP_REG, SW, 5, 1, 0));
SWITCHES(pack_sw, SW(SOURCE_GROUP, B, 0, 1, MUST), SW(STRIDE, B, 1, 1, MUST));
SWITCHES(unpack_sw, SW(SOURCE_GROUP, B, 0, 1, MUST),
	 SW(STRIDE, B, 1, 1, MUST), SW(GROUP_HALF, B, 2, 1, 0));
SWITCHES(lut_sw, SW(VARIANT, B, 5, 3, 0));
SWITCHES(form_fp_sw, SW(ADD_BIAS, D, 0, 1, 0), SW(FORCE_SIGN0, D, 1, 1, 0),
	 SW(FORCE_SIGN1, D, 2, 1, 0), SW(EXP_IS_NUM, D, 3, 1, 0),
	 SW(SIGN_LSB, D, 4, 1, 0));
SWITCHES(mov_dg_sw, SW(ALL, SW, 0, 2, 0), SW(SRC, B, 0, 2, MUST),
	 SW(DST, B, 2, 2, MUST), SW(WR_LG, B, 4, 1, MUST),
	 SW(WR_UG, B, 5, 1, MUST));
SWITCHES(mov_dg_all_sw, SW(ALL, SW, 0, 2, 0), SW(SDG0, B, 0, 2, MUST),
	 SW(SDG1, B, 2, 2, MUST), SW(SDG2, B, 4, 2, MUST),
	 SW(SDG3, B, 6, 2, MUST), SW(WEG0, C, 0, 2, MUST),
	 SW(WEG1, C, 2, 2, MUST), SW(WEG2, C, 4, 2, MUST),
	 SW(WEG3, C, 6, 2, MUST));
SWITCHES(mov_g_sw, SW(G_EN, B, 0, 2, MUST), SW(DG_EN, B, 2, 4, MUST));
SWITCHES(lookup_sw, SW(BV16, SW, 0, 2, MUST), SW(UPPER_HALF, SW, 2, 1, 0));
SWITCHES(mmio_sw, SW(MMIO, B, 0, 1, 0));
SWITCHES(tensor_sw, SW(TNSR_ID_REG, SW, 3, 1, 0));
SWITCHES(tensor_reg_sw, SW(TNSR_ID_REG, SW, 3, 1, 1));
SWITCHES(ld_sw, SW(PARTIAL, SW, 0, 1, 0), SW(TNSR_ID_REG, SW, 3, 1, 0));
SWITCHES(ld_reg_sw, SW(PARTIAL, SW, 0, 1, 0), SW(TNSR_ID_REG, SW, 3, 1, 1));
#define ST_SW	SW(RMW_SEL, SW, 1, 1, 0), SW(PACKED, SW, 2, 1, 0)
SWITCHES(st_sw, SW(PARTIAL, SW, 0, 1, 0), ST_SW,
	 SW(TNSR_ID_REG, SW, 3, 1, 0));
SWITCHES(st_reg_sw, SW(PARTIAL, SW, 0, 1, 0), ST_SW,
	 SW(TNSR_ID_REG, SW, 3, 1, 1));
SWITCHES(st_half_sw, ST_SW, SW(TNSR_ID_REG, SW, 3, 1, 0));
SWITCHES(st_half_reg_sw, ST_SW, SW(TNSR_ID_REG, SW, 3, 1, 1));
SWITCHES(aso_sw, SW(DEC, A, 0, 1, 0), SW(VPU, A, 1, 1, 0));

/* Types. */
#define T(type)		(1u << GAUDI_TPC_##type)
#define FLOATS		(T(F32) | T(BF16))
#define INT32		(T(I32) | T(U32))
#define INT16		(T(I16) | T(U16))
#define INT8		(T(I8) | T(U8))
#define INTS		(INT32 | INT16 | INT8)
#define ALL		(FLOATS | INTS)
#define BOOLS		T(BOOL)
#define FILL(type)	.code = GAUDI_TPC_##type
#define CODE(type)	.code = GAUDI_TPC_##type, .code_counts = true

/* Operands. */
#define K(kind)		(1u << GAUDI_TPC_K_##kind)
#define V		K(V)
#define D		K(D)
#define VP		K(VP)
#define S		K(S)
#define Z		K(Z)
#define SP		K(SP)
#define I		K(I)
#define AD		K(AD)
#define IMM		K(IMM)
#define VX		(K(V) | K(LANE_ID) | K(LFSR))	/* a vector source */
#define SX		(K(S) | K(S_LFSR))	/* a scalar source */
#define VSI		(VX | SX | IMM)
#define SI		(SX | IMM)
#define ISI		(I | SX | IMM)

/* Places, in the order of the text. */
#define DEST(kinds_)	{ GAUDI_TPC_AT_DEST, .kinds = kinds_ }
#define A(kinds_)	{ GAUDI_TPC_AT_A, .kinds = kinds_ }
#define B(kinds_)	{ GAUDI_TPC_AT_B, .kinds = kinds_ }
#define C(kinds_)	{ GAUDI_TPC_AT_C, .kinds = kinds_ }
#define SRC_D(kinds_)	{ GAUDI_TPC_AT_D, .kinds = kinds_ }
#define NUMBER(bits)	{ GAUDI_TPC_AT_B, .arg = bits, .kinds = K(CONST) }
#define TENSOR		{ GAUDI_TPC_AT_B, .arg = 5, .kinds = K(TENSOR) }
#define BYTE_MASK	{ GAUDI_TPC_AT_IMM, .kinds = IMM }
#define DIMS		{ GAUDI_TPC_AT_MASK }
#define REG(reg, switch) \
	{ GAUDI_TPC_AT_FIXED, .arg = reg, .when = GAUDI_TPC_SW_##switch }
#define ID_REG(reg)	REG(reg, TNSR_ID_REG)

#define ROW(slot_, op_, ...) \
	{ .slot = GAUDI_TPC_##slot_, .op = GAUDI_TPC_OP_##op_, \
	  __VA_ARGS__ }
#define TYPES(mask)	.types = mask
#define WITH(list)	.sw = list
#define ARGS(...)	.place = { __VA_ARGS__ }
#define NEED(s1, v1)	.need = { { GAUDI_TPC_SW_##s1, v1 } }, .needs = 1
#define NEED2(s1, v1, s2, v2) \
	.need = { { GAUDI_TPC_SW_##s1, v1 }, { GAUDI_TPC_SW_##s2, v2 } }, \
	.needs = 2
#define LANES_TOO	.lanes_too = true

/* Families of rows: of two operands, of one, of I registers. */
#define SPU2(op, types, ...) \
	ROW(SPU, op, TYPES(types), ARGS(DEST(S), A(SI), B(SI)), __VA_ARGS__)
#define VPU2(op, types, ...) \
	ROW(VPU, op, TYPES(types), ARGS(DEST(V), A(VSI), B(VSI)), __VA_ARGS__)
#define VPU2_PAIR(op, types, ...) \
	ROW(VPU, op, TYPES(types), ARGS(DEST(D), A(VSI), B(VSI)), __VA_ARGS__)
#define BOTH2(op, types, ...) \
	SPU2(op, types, __VA_ARGS__), VPU2(op, types, __VA_ARGS__)
#define BOTH1(op, types, ...) \
	ROW(SPU, op, TYPES(types), ARGS(DEST(S), A(SI)), __VA_ARGS__), \
	ROW(VPU, op, TYPES(types), ARGS(DEST(V), A(VSI)), __VA_ARGS__)
#define DIMS2(op, list) \
	ROW(SPU, op, TYPES(T(I32)), WITH(list), \
	    ARGS(DEST(I), A(ISI), B(ISI)))
#define DIMS_SHIFT(op) \
	ROW(SPU, op, TYPES(T(I32)), WITH(dims_sw), \
	    ARGS(DEST(I), A(ISI), B(ISI)))
#define DIMS1(op) \
	ROW(SPU, op, TYPES(T(I32)), WITH(dims_sw), ARGS(DEST(I), A(ISI)))
#define COMPARE(op, list) \
	ROW(SPU, op, TYPES(ALL | BOOLS), WITH(list), \
	    ARGS(DEST(SP), A(SI), B(SI))), \
	ROW(VPU, op, TYPES(ALL | BOOLS), WITH(list), \
	    ARGS(DEST(VP), A(VSI), B(VSI)))
#define LOGIC(op) \
	BOTH2(op, ALL), DIMS2(op, dims_sw), \
	ROW(SPU, op, TYPES(BOOLS), ARGS(DEST(SP), A(SP), B(SP))), \
	ROW(VPU, op, TYPES(BOOLS), ARGS(DEST(VP), A(VP), B(VP)))
#define SELECT(op, list) \
	ROW(VPU, op, TYPES(ALL), WITH(list), \
	    ARGS(DEST(V), A(VSI), B(VSI), C(VSI), SRC_D(VSI)))
#define SELECT2(op) \
	ROW(VPU, op, TYPES(ALL), \
	    ARGS(DEST(D), A(VSI), B(VSI), C(VSI), SRC_D(VSI)))
#define CONVERT_SHIFT(op, spu, vpu) \
	ROW(SPU, op, .typeless = true, WITH(spu), \
	    ARGS(DEST(S), A(SI), B(SI))), \
	ROW(VPU, op, .typeless = true, WITH(vpu), \
	    ARGS(DEST(V), A(VSI), B(VSI)))
#define LOAD_TENSOR(op, list, list_reg) \
	ROW(LOAD, op, WITH(list), NEED(TNSR_ID_REG, 0), LANES_TOO, \
	    ARGS(DEST(V | VP), TENSOR, A(I), REG(30, PARTIAL))), \
	ROW(LOAD, op, WITH(list_reg), NEED(TNSR_ID_REG, 1), LANES_TOO, \
	    ARGS(DEST(V | VP), ID_REG(27), A(I), REG(30, PARTIAL)))
#define STORE_TENSOR(op, list, list_reg) \
	ROW(STORE, op, WITH(list), NEED(TNSR_ID_REG, 0), \
	    ARGS(TENSOR, A(I), C(V | VP), REG(29, RMW_SEL), \
		 REG(31, PARTIAL))), \
	ROW(STORE, op, WITH(list_reg), NEED(TNSR_ID_REG, 1), \
	    ARGS(ID_REG(28), A(I), C(V | VP), REG(29, RMW_SEL), \
		 REG(31, PARTIAL)))
#define LOAD_LOCAL(op) \
	ROW(LOAD, op, LANES_TOO, ARGS(DEST(V | VP), A(S | IMM)))
#define STORE_LOCAL(op) \
	ROW(STORE, op, ARGS(A(S | IMM), C(V | VP)))
#define PLAIN(slot, op)	ROW(slot, op)

const struct gaudi_tpc_form gaudi_tpc_forms[] = {
	/* Arithmetic. */
	SPU2(MAC, ALL & ~T(BF16), WITH(mac_sw)),
	SPU2(MAC, T(BF16), WITH(mac_bf16_sw)),
	VPU2(MAC, T(F32), WITH(mac_sw)),
	VPU2(MAC, T(BF16), WITH(mac_bf16_sw), NEED(ACC_FP32, 0)),
	VPU2_PAIR(MAC, T(BF16), WITH(mac_bf16_sw), NEED(ACC_FP32, 1)),
	VPU2_PAIR(MAC, INT16, WITH(mac_sw)),
	SPU2(MUL, T(F32) | INT16 | INT8),
	SPU2(MUL, T(BF16), WITH(mul_bf16_sw)),
	SPU2(MUL, INT32, WITH(mul_spu_sw)),
	DIMS2(MUL, dims_sw),
	VPU2(MUL, T(F32)),
	VPU2(MUL, T(BF16), WITH(mul_bf16_sw), NEED(ACC_FP32, 0)),
	VPU2_PAIR(MUL, T(BF16), WITH(mul_bf16_sw), NEED(ACC_FP32, 1)),
	VPU2_PAIR(MUL, INT32, WITH(mul_vpu_sw), NEED(DOUBLE_AND_ROUND32, 0)),
	VPU2(MUL, INT32, WITH(mul_vpu_sw), NEED(DOUBLE_AND_ROUND32, 1)),
	VPU2_PAIR(MUL, INT16),
	BOTH2(ADD, ALL, WITH(add_sw)),
	DIMS2(ADD, add_dims_sw),
	BOTH2(SUB, ALL, WITH(sub_sw)),
	DIMS2(SUB, sub_dims_sw),
	BOTH2(MAX, ALL),
	DIMS2(MAX, dims_sw),
	BOTH2(MIN, ALL),
	DIMS2(MIN, dims_sw),
	BOTH1(ABS, ALL),
	DIMS1(ABS),
	COMPARE(CMP_EQ, eq_sw),
	COMPARE(CMP_NEQ, NULL),
	COMPARE(CMP_LESS, NULL),
	COMPARE(CMP_LEQ, NULL),
	COMPARE(CMP_GRT, NULL),
	COMPARE(CMP_GEQ, NULL),
	LOGIC(OR),
	LOGIC(AND),
	LOGIC(XOR),
	BOTH1(NOT, ALL),
	DIMS1(NOT),
	ROW(SPU, NOT, TYPES(BOOLS), ARGS(DEST(SP), A(SP))),
	ROW(VPU, NOT, TYPES(BOOLS), ARGS(DEST(VP), A(VP))),
	BOTH2(SHR, ALL),
	DIMS_SHIFT(SHR),
	BOTH2(SHL, ALL),
	DIMS_SHIFT(SHL),
	BOTH2(ASH, ALL, WITH(ash_sw)),
	BOTH1(POPCNT, ALL, WITH(popcnt_sw)),
	BOTH1(FIND_FIRST, ALL, WITH(find_sw)),
	BOTH1(NEARBYINT, ALL, WITH(round_sw)),
	ROW(SPU, EXTRACT_EXP, TYPES(ALL), WITH(exp_sw), ARGS(DEST(S), A(SI))),
	ROW(VPU, EXTRACT_EXP, TYPES(ALL), WITH(exp_sw),
	    ARGS(DEST(V), A(VSI))),
	ROW(SPU, FCLASS, TYPES(ALL), ARGS(DEST(S), A(SI))),
	ROW(VPU, FCLASS, TYPES(ALL), ARGS(DEST(V), A(VSI))),
	BOTH1(BREV, ALL),
	ROW(SPU, CALC_FP_SPECIAL, TYPES(FLOATS), WITH(func_sw),
	    ARGS(DEST(S), A(SI), B(SI))),
	ROW(VPU, CALC_FP_SPECIAL, TYPES(FLOATS), WITH(func_sw),
	    ARGS(DEST(V), A(VSI), B(VSI))),

	/*
	 * Conversions. Between f32 and bf16 all lanes are a pair of vectors on
	 * the side of f32. Without a pair the vendor's assembler writes "all
	 * lanes" for bf16 to f32 as well; that can be told from a pair only
	 * where the register has an odd number.
	 */
	ROW(SPU, CONVERT, TYPES(ALL), WITH(convert_spu_sw),
	    ARGS(DEST(S), A(SI))),
	ROW(VPU, CONVERT, TYPES(T(F32)), WITH(convert_one_sw),
	    NEED2(TARGET, GAUDI_TPC_BF16, NUM_LANES, 1),
	    ARGS(DEST(V), A(VSI))),
	ROW(VPU, CONVERT, TYPES(T(F32)), WITH(convert_sw),
	    NEED2(TARGET, GAUDI_TPC_BF16, NUM_LANES, 0),
	    ARGS(DEST(V), A(D))),
	ROW(VPU, CONVERT, TYPES(T(BF16)), WITH(convert_sw),
	    NEED2(TARGET, GAUDI_TPC_F32, NUM_LANES, 0),
	    ARGS(DEST(D), A(VSI))),
	ROW(VPU, CONVERT, TYPES(ALL), WITH(convert_sw), ARGS(DEST(V), A(VSI))),
	CONVERT_SHIFT(CONVERT_INT32, shift32_spu_sw, shift32_vpu_sw),
	CONVERT_SHIFT(CONVERT_UINT32, shift32_spu_sw, shift32_vpu_sw),
	CONVERT_SHIFT(CONVERT_INT16, shift_spu_sw, shift_vpu_sw),
	CONVERT_SHIFT(CONVERT_UINT16, shift_spu_sw, shift_vpu_sw),
	/* The assembler has it; the unit of this generation has not. */
	ROW(VPU, CONVERT_UINT8, .typeless = true, WITH(shift_vpu_sw),
	    ARGS(DEST(V), A(VSI), B(VSI))),

	/* Moves. */
	ROW(SPU, MOV, WITH(hw_sw), NEED(HW_REG, 1), .dest_in_a = true,
	    ARGS(DEST(S), B(K(HW)))),
	ROW(SPU, MOV, TYPES(ALL), ARGS(DEST(S), A(SI))),
	ROW(SPU, MOV, TYPES(ALL), ARGS(DEST(K(S_LFSR)), A(SI))),
	ROW(SPU, MOV, CODE(I32), WITH(dims_sw), ARGS(DEST(I), A(ISI))),
	ROW(SPU, MOV, CODE(BOOL), ARGS(DEST(SP), A(SP | SX | IMM))),
	ROW(VPU, MOV, TYPES(ALL), ARGS(DEST(V), A(V | SX | IMM))),
	ROW(VPU, MOV, CODE(F32), ARGS(DEST(V), A(K(LFSR) | K(LANE_ID)))),
	ROW(VPU, MOV, TYPES(ALL), ARGS(DEST(V), A(K(LFSR) | K(LANE_ID)))),
	ROW(VPU, MOV, CODE(F32), ARGS(DEST(K(LFSR)), A(VSI))),
	ROW(VPU, MOV, CODE(I32), ARGS(DEST(VP), A(VP | SP))),
	ROW(VPU, MOV, TYPES(BOOLS), ARGS(DEST(VP), A(VP | SP))),
	ROW(VPU, MOV, CODE(U32), WITH(flavor_sw), ARGS(DEST(VP), A(SI))),
	ROW(LOAD, MOV, TYPES(ALL), .type_in_b = true, LANES_TOO,
	    ARGS(DEST(V), A(SI))),
	ROW(LOAD, MOV, TYPES(ALL), .type_in_b = true, ARGS(DEST(S), A(SI))),
	ROW(LOAD, MOV, LANES_TOO, ARGS(DEST(V), A(VX))),
	ROW(LOAD, MOV, LANES_TOO, ARGS(DEST(VP), A(VP | SP))),
	ROW(LOAD, MOV, WITH(flavor_sw), LANES_TOO, ARGS(DEST(VP), A(SI))),
	ROW(LOAD, MOV, ARGS(DEST(SP), A(SP | SX | IMM))),
	ROW(LOAD, MOV, WITH(dims_b_sw), ARGS(DEST(I), A(ISI))),
	ROW(SPU, MOV_IRF_DIM, WITH(dim_sw), ARGS(DEST(S), A(I))),
	ROW(SPU, SET_INDX, FILL(I32), WITH(dims_sw),
	    ARGS(DEST(I), DIMS, A(SI))),
	ROW(LOAD, SET_INDX, WITH(dims_b_sw), ARGS(DEST(I), DIMS, A(SI))),
	ROW(STORE, SET_INDX, WITH(dims_b_sw), ARGS(DEST(I), DIMS, A(SI))),
	ROW(LOAD, PRMT_INDX, ARGS(DEST(I), A(I), B(SI))),
	ROW(STORE, PRMT_INDX, ARGS(DEST(I), A(I), B(SI))),

	/* The scalar unit's own. A LOOP is a word; see tpc_code.c. */
	ROW(SPU, JMPR, ARGS(A(S | IMM))),
	ROW(SPU, JMPA, ARGS(A(S | IMM))),
	ROW(SPU, UDIV_4STEP, TYPES(T(U32) | T(U16) | T(U8)), WITH(step_sw),
	    ARGS(DEST(Z), A(SI))),

	/* The vector unit's own. */
	SELECT(SEL_EQ, eq_sw),
	SELECT(SEL_NEQ, NULL),
	SELECT(SEL_LESS, NULL),
	SELECT(SEL_LEQ, NULL),
	SELECT(SEL_GRT, NULL),
	SELECT(SEL_GEQ, NULL),
	SELECT2(SEL2_LESS),
	SELECT2(SEL2_LEQ),
	SELECT2(SEL2_GRT),
	SELECT2(SEL2_GEQ),
	ROW(VPU, SHUFFLE, TYPES(ALL), ARGS(DEST(V), A(VSI), B(VSI))),
	ROW(VPU, PACK, TYPES(ALL), WITH(pack_sw), ARGS(DEST(V), A(VSI))),
	ROW(VPU, UNPACK, TYPES(ALL), WITH(unpack_sw), ARGS(DEST(V), A(VSI))),
	ROW(VPU, GET_LUT_ENTRY, TYPES(FLOATS | T(I16) | T(I8)), WITH(lut_sw),
	    ARGS(DEST(D), A(VSI), NUMBER(5))),
	ROW(VPU, FORM_FP_NUM, TYPES(FLOATS), WITH(form_fp_sw),
	    ARGS(DEST(V), A(VSI), B(VSI), C(VSI))),
	ROW(VPU, MOV_DG, WITH(mov_dg_sw), NEED(ALL, 0),
	    ARGS(DEST(V), A(VSI), BYTE_MASK)),
	ROW(VPU, MOV_DG, WITH(mov_dg_all_sw), NEED(ALL, 1),
	    ARGS(DEST(V), A(VSI), BYTE_MASK)),
	ROW(VPU, MOV_G, WITH(mov_g_sw), ARGS(DEST(V), A(VSI), BYTE_MASK)),

	/* Memory. */
	ROW(LOAD, GEN_ADDR, ARGS(DEST(AD), TENSOR, A(I))),
	ROW(STORE, GEN_ADDR, ARGS(DEST(AD), TENSOR, A(I))),
	ROW(LOAD, LOOKUP, WITH(lookup_sw), NEED(BV16, 0), .b_in_imm = true,
	    ARGS(DEST(V), A(VX), NUMBER(9))),
	ROW(LOAD, LOOKUP_1C, WITH(lookup_sw), .b_in_imm = true,
	    ARGS(DEST(V), A(VX), NUMBER(9))),
	ROW(LOAD, LOOKUP_2C, WITH(lookup_sw), .b_in_imm = true,
	    ARGS(DEST(D), A(VX), NUMBER(9))),
	ROW(LOAD, LD_L, WITH(mmio_sw), ARGS(DEST(S | SP), A(S | IMM))),
	ROW(LOAD, LD_G, ARGS(DEST(S | SP | V), A(AD))),
	ROW(LOAD, PREFETCH, ARGS(A(AD))),
	LOAD_LOCAL(LD_L_V),
	LOAD_LOCAL(LD_L_V_LOW),
	LOAD_LOCAL(LD_L_V_HIGH),
	LOAD_TENSOR(LD_TNSR, ld_sw, ld_reg_sw),
	LOAD_TENSOR(LD_TNSR_LOW, tensor_sw, tensor_reg_sw),
	LOAD_TENSOR(LD_TNSR_HIGH, tensor_sw, tensor_reg_sw),
	ROW(STORE, ST_L, WITH(mmio_sw), ARGS(A(S | IMM), C(SP | SX | IMM))),
	ROW(STORE, ST_G, ARGS(A(AD), C(SP | SX | IMM))),
	STORE_LOCAL(ST_L_V),
	STORE_LOCAL(ST_L_V_LOW),
	STORE_LOCAL(ST_L_V_HIGH),
	ROW(STORE, ASO, WITH(aso_sw)),
	STORE_TENSOR(ST_TNSR, st_sw, st_reg_sw),
	STORE_TENSOR(ST_TNSR_LOW, st_half_sw, st_half_reg_sw),
	STORE_TENSOR(ST_TNSR_HIGH, st_half_sw, st_half_reg_sw),
	PLAIN(STORE, CACHE_FLUSH),
	PLAIN(STORE, CACHE_INVALIDATE),

	PLAIN(SPU, HALT),
	PLAIN(VPU, HALT),
	PLAIN(SPU, DBG),
	PLAIN(VPU, DBG),
	PLAIN(LOAD, NOP),
	PLAIN(SPU, NOP),
	PLAIN(VPU, NOP),
	PLAIN(STORE, NOP),
};

const unsigned int gaudi_tpc_form_count = COUNT(gaudi_tpc_forms);

static const struct {
	const char *name;
	int8_t opcode[GAUDI_TPC_SLOTS];
} ops[GAUDI_TPC_OP_COUNT] = {
#define X(name, text, ld, spu, vpu, st) { text, { ld, spu, vpu, st } },
	GAUDI_TPC_OPS(X, -1)
#undef X
};

int gaudi_tpc_opcode(unsigned int slot, unsigned int op)
{
	return ops[op].opcode[slot];
}

const char *gaudi_tpc_op_name(unsigned int op)
{
	return op < GAUDI_TPC_OP_COUNT ? ops[op].name : "?";
}

const char *gaudi_tpc_slot_name(unsigned int slot)
{
	static const char *const slots[GAUDI_TPC_SLOTS] = {
		"LOAD", "SPU", "VPU", "STORE",
	};

	return slot < GAUDI_TPC_SLOTS ? slots[slot] : "?";
}

const char *gaudi_tpc_type_name(unsigned int type)
{
	return type < GAUDI_TPC_TYPES ? gaudi_tpc_type_names[type] : "";
}

struct gaudi_tpc_operand *gaudi_tpc_operand_at(struct gaudi_tpc_insn *insn,
					       unsigned int at)
{
	switch (at) {
	case GAUDI_TPC_AT_DEST:
		return &insn->dest;
	case GAUDI_TPC_AT_A:
		return &insn->src[GAUDI_TPC_SRC_A];
	case GAUDI_TPC_AT_B:
	case GAUDI_TPC_AT_IMM:
		return &insn->src[GAUDI_TPC_SRC_B];
	case GAUDI_TPC_AT_C:
		return &insn->src[GAUDI_TPC_SRC_C];
	case GAUDI_TPC_AT_D:
		return &insn->src[GAUDI_TPC_SRC_D];
	}
	return NULL;
}
