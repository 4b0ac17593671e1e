// SPDX-License-Identifier: GPL-2.0-only
/*
 * The TPC's assembler: what text means, and what is said of text that means
 * nothing.
 */
#include "../unit.h"
#include "tpc_asm.h"
#include "../../../qemu-device/chip/tpc/isa/tpc_isa.h"
#include "tpc_lex.h"

#define COUNT(list)	(sizeof(list) / sizeof((list)[0]))

/* The first error or warning, as "line:column: text". */
static char said[400];

static void note(void *arg, unsigned int line, unsigned int column,
		 bool warning, const char *text)
{
	(void)arg;
	if (!*said)
		snprintf(said, sizeof(said), "%u:%u: %s%s", line, column,
			 warning ? "warning: " : "", text);
}

static int assemble(const char *text, struct gaudi_tpc_program *program)
{
	*said = '\0';
	return gaudi_tpc_assemble(text, strlen(text), program, note, NULL);
}

static void good(const char *text, struct gaudi_tpc_program *program)
{
	if (assemble(text, program))
		fail_msg("%s\n%s", text, said);
}

/* The only word of a text, decoded. */
static void one(const char *text, struct gaudi_tpc_word *word)
{
	struct gaudi_tpc_program program;

	good(text, &program);
	assert_int_equal(program.words, 1);
	assert_int_equal(gaudi_tpc_decode(program.code, word, NULL), 0);
	gaudi_tpc_program_free(&program);
}

/* Both texts are the same words. */
static void same(const char *a, const char *b)
{
	struct gaudi_tpc_program x, y;

	good(a, &x);
	good(b, &y);
	assert_int_equal(x.words, y.words);
	if (memcmp(x.code, y.code, x.words * GAUDI_TPC_WORD))
		fail_msg("these differ:\n%s\n%s", a, b);
	gaudi_tpc_program_free(&x);
	gaudi_tpc_program_free(&y);
}

static uint32_t immediate(const char *text)
{
	struct gaudi_tpc_word word;
	unsigned int i, k;

	one(text, &word);
	for (i = 0; i < GAUDI_TPC_SLOTS; i++)
		for (k = 0; k < GAUDI_TPC_SRCS; k++)
			if (word.slot[i].src[k].kind == GAUDI_TPC_K_IMM)
				return word.slot[i].src[k].value;
	fail_msg("%s has no immediate", text);
	return 0;
}

/* Text to the vendor's bytes; and what is printed of these, too. */
TEST(vectors)
{
	FILE *file = fopen(TPC_DATA "/vectors.txt", "r");
	uint8_t raw[GAUDI_TPC_WORD];
	char line[512], text[GAUDI_TPC_TEXT], *hex;
	struct gaudi_tpc_program program;
	struct gaudi_tpc_word word;
	unsigned int n = 0, i, byte;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		hex = strchr(line, '|');
		if (*line == '#' || !hex)
			continue;
		*hex = '\0';
		for (i = 0; i < sizeof(raw); i++) {
			byte = 0x100;
			if (sscanf(hex + 2 + 2 * i, "%2x", &byte) == 1)
				raw[i] = byte;
			assert_true(byte < 0x100);
		}
		good(line, &program);
		assert_int_equal(program.words, 1);
		assert_memory_equal(program.code, raw, sizeof(raw));
		gaudi_tpc_program_free(&program);
		assert_int_equal(gaudi_tpc_decode(raw, &word, NULL), 0);
		assert_in_range(gaudi_tpc_print(&word, text, sizeof(text)), 10,
				sizeof(text) - 1);
		good(text, &program);
		assert_memory_equal(program.code, raw, sizeof(raw));
		gaudi_tpc_program_free(&program);
		n++;
	}
	fclose(file);
	assert_true(n > 1900);
}

/* Many ways to write the same. */
TEST(forms)
{
	static const char *const pairs[][2] = {
		{ "add.f32 V1, V2, V3", "nop; nop; add.f32 V1, V2, V3; nop" },
		{ "mov.f32 V1, S2", "nop; nop; mov.f32 V1, S2; nop" },
		{ "st_tnsr 1, I2, V3; ld_tnsr V0, 0, I1; add.i32 S1, S2, 3",
		  "ld_tnsr V0, 0, I1; add.i32 S1, S2, 3; nop; st_tnsr 1, I2, V3"
		},
		{ "{\n ld_g S5, AD3\n nop;\n halt; nop\n}\n",
		  "ld_g S5, AD3; nop; halt; nop" },
		{ "mov.f32 V1, S2; mov.f32 V3, S4",
		  "mov.f32 V3, S4; nop; mov.f32 V1, S2; nop" },
		{ "add.f32 %V1, %V2, %S3, !%VP4", "add.f32 V1, V2, S3, !VP4" },
		{ "mac.bf16.acc_fp32.neg D4, V6, V7",
		  "mac.bf16 neg acc_fp32 D4, V6, V7" },
		{ "add.i32 sat V1, V2, V3", "add.i32.st V1, V2, V3" },
		{ "ash.i32 st=1 V1, V2, V3", "ash.i32 V1, V2, V3" },
		{ "sub.i32 neg=0 V1, V2, V3", "sub.i32 V1, V2, V3" },
		{ "add.i32 I1, I2, I3", "add.i32 b11111 I1, I2, I3" },
		{ "mov VP5, S2", "mov 8 VP5, S2" },
		{ "add.f32 V1, V2, V3, SP0", "add.f32 V1, V2, V3" },
		{ "aso, SP3", "nop; nop; nop; aso, SP3" },
		{ "a: nop\nb: jmpr a\njmpr b, !SP2",
		  "nop\njmpr -0x20\njmpr -32, !SP2" },
		{ "loop 0, S2, 1, <, end\nnop\nnop\nend: nop",
		  "loop 0x0, S2, 0x1, <, end=+0x40\nnop\nnop\nnop" },
		{ "/* a\n b */ nop // c\n# d\nnop", "nop\nnop\n" },
		{ ".text\n.globl main\nmain:\n.type main,@function\nnop", "nop" },
		{ "ADD.F32 V1, V2, V3", "add.f32 V1, V2, V3" },
		{ "SUB.I32.NEG ST V1, V2, V3", "sub.i32.neg st V1, V2, V3" },
		{ "CONVERT.F32 TARGET_TYPE=BF16 RZ V1, V2",
		  "convert.f32 target_type=bf16 rz V1, V2" },
		{ "convert.bf16 target_type=fp32 rhne num_lanes=0x40 %V1, %V2",
		  "convert.bf16 target_type=fp32 rhne single_lane V1, V2" },
		{ "{\n\tnop;\n\tset_indx\t%I2, b11111, 0x0, %SP0;\n\tnop;\n"
		  "\tnop\n}\n.LBB0_2:\n// %bb.1:\njmpr .LBB0_2, !%SP1",
		  "nop; set_indx I2, b11111, 0; nop; nop\njmpr 0, !SP1" },
		{ "popcnt.i32.set=1 V1, V2", "popcnt.i32 set=1 V1, V2" },
		{ "find_first.i32.set=1.start_msb S1, S2",
		  "find_first.i32 set=1 start_msb S1, S2" },
		{ "convert.f32.target_type=bf16.lane_sel=1.rz V1, V2",
		  "convert.f32 target_type=bf16 lane_sel=1 rz V1, V2" },
		{ "unpack.i8.source_group=1.element_stride=4 group_half=1 V1, V2",
		  "unpack.i8 source_group=1 element_stride=4 group_half=1 V1, V2" },
		{ "mov.b SP1, S2", "mov SP1, S2" },
		{ "mov.i32 b00101 I1, S2", "mov b00101 I1, S2" },
		{ "mov.u32 3 VP1, S2", "nop; nop; mov 3 VP1, S2; nop" },
		{ "mov.f32 V1, LFSR", "mov V1, LFSR" },
		{ ".set X = 1.5\n.set Y.Z, 2.5\nmov.f32 S1, X + Y.Z",
		  "mov.f32 S1, 4.0" },
		{ "add.i32 S1, S2, S3;", "add.i32 S1, S2, S3" },
		{ "nop; nop; add.f32 V1, V2, V3; nop;", "add.f32 V1, V2, V3" },
		/* Four that are not in the order of the slots. */
		{ "MOV S4, PC; NOP; NOP; NOP", "nop; mov S4, PC; nop; nop" },
		{ "nop; mov.f32 V1, V2; nop; nop",
		  "nop; nop; mov.f32 V1, V2; nop" },
		{ "mov.i32 S4, S5; mov.f32 V1, V2; nop; nop",
		  "nop; mov.i32 S4, S5; mov.f32 V1, V2; nop" },
		{ "nop; mov.i32 S4, S5", "mov.i32 S4, S5; nop; nop; nop" },
		{ "MOV S4, PC", "nop; mov S4, PC; nop; nop" },
		/* The tensor and its coordinates in any order. */
		{ "ld_tnsr V1, I3, 4", "ld_tnsr V1, 4, I3" },
		{ "ld_tnsr %V1, %I3, 0x4, %SP2", "ld_tnsr V1, 4, I3, SP2" },
		{ "ld_tnsr partial V1, I3, S27, S30",
		  "ld_tnsr partial V1, S27, I3, S30" },
		{ "ld_tnsr_low VP1, I3, 4", "ld_tnsr_low VP1, 4, I3" },
		{ "ld_tnsr_high I3, 4, V1", "ld_tnsr_high V1, 4, I3" },
		{ "st_tnsr V1, 4, I3", "st_tnsr 4, I3, V1" },
		{ "st_tnsr I3, 4, V1, !SP2", "st_tnsr 4, I3, V1, !SP2" },
		{ "st_tnsr 4, V1, I3", "st_tnsr 4, I3, V1" },
		{ "st_tnsr partial rmw_sel I3, S28, V1, S29, S31",
		  "st_tnsr partial rmw_sel S28, I3, V1, S29, S31" },
		{ "st_tnsr_low I3, 4, V1", "st_tnsr_low 4, I3, V1" },
		{ "st_tnsr_high V1, I3, 4", "st_tnsr_high 4, I3, V1" },
		{ "gen_addr AD1, I3, 4", "gen_addr AD1, 4, I3" },
		{ "mov_g g_en=0b0 dg_en=0b1010 V1, V2, 0xff",
		  "mov_g g_en=0 dg_en=10 V1, V2, 0xff" },
		{ "mov_g.g_en=0b11.dg_en=0B1111 V1, V2, 0xff",
		  "mov_g g_en=3 dg_en=15 V1, V2, 0xff" },
		{ ".define X V3\n.define Y add.f32 X,\nY V4, V5",
		  "add.f32 V3, V4, V5" },
	};
	struct gaudi_tpc_word word;
	unsigned int i;

	for (i = 0; i < COUNT(pairs); i++)
		same(pairs[i][0], pairs[i][1]);
	one(".word 3f00000000f80100000000000000800f00f00100000000000000000000000000",
	    &word);
	one("loop once 0, 4, 1, <, end=+0x40", &word);
	assert_true(word.is_loop && word.loop.once);
}

/*
 * What the encoding has and the vendor's assembler does not take, or takes in
 * another slot: there and back.
 */
TEST(rare_operands)
{
	static const char *const words[] = {
		"nop; add.i32 b11111 I1, I2, S3; nop; nop",
		"nop; sub.i32 b00001 I1, I2, 0x5; nop; nop",
		"nop; min.i32 b00011 I1, S2, S_LFSR; nop; nop",
		"nop; shl.i32 b11111 I1, S2, I3; nop; nop",
		"nop; shr.i32 b10000 I1, 0x80, S3; nop; nop",
		"nop; mov.f32 S_LFSR, 0x5; nop; nop",
		"nop; mov SP1, S_LFSR; nop; nop",
		"nop; nop; mov LFSR, S1; nop",
		"nop; nop; mov LFSR, 0x5; nop",
		"nop; nop; mov LFSR, V_LANE_ID_16; nop",
		"nop; nop; mov 3 VP1, S_LFSR; nop",
		"mov SP1, SP2; nop; nop; nop",
		"mov SP1, S_LFSR; nop; nop; nop",
		"mov.i16 V1, S_LFSR_NO_CHANGE; nop; nop; nop",
		"mov 8 VP1, S_LFSR; nop; nop; nop",
		"set_indx I1, b00100, S_LFSR; nop; nop; nop",
		"prmt_indx I1, I2, 0x53; nop; nop; nop",
		"nop; nop; nop; prmt_indx I1, I2, 0x53",
		"nop; nop; nop; set_indx I1, b00100, S_LFSR",
		"nop; nop; nop; st_l 0x10, 0x10",
		"nop; nop; nop; st_l S1, S_LFSR",
		"nop; nop; nop; st_g AD1, 0x5",
	};
	struct gaudi_tpc_word word;
	char text[GAUDI_TPC_TEXT];
	unsigned int i;

	for (i = 0; i < COUNT(words); i++) {
		one(words[i], &word);
		gaudi_tpc_print(&word, text, sizeof(text));
		assert_string_equal(text, words[i]);
	}
}

static void assembles(const char *text)
{
	struct gaudi_tpc_program program;

	good(text, &program);
	gaudi_tpc_program_free(&program);
}

/* What assembles, with a word about it. */
TEST(warnings)
{
	assembles("nop\njmpr -0x21");
	assert_string_equal(said, "2:1: warning: this jumps into the midst of "
			    "a word");
	assembles("nop\njmpr -0x20");
	assert_string_equal(said, "");
	assembles("loop 0, 9, 1, <, y\nnop\nloop 0, 9, 1, <, y\nnop\nnop\n"
		  "y: nop");
	assert_string_equal(said, "3:1: warning: this loop ends with the same "
			    "word as that of line 1: put a nop between their "
			    "ends");
	assembles("loop 0, 9, 1, <, y\nnop\nloop 0, 9, 1, <, x\nnop\nnop\n"
		  "x: nop\ny: nop");
	assert_string_equal(said, "");
}

TEST(numbers)
{
	assert_int_equal(immediate("mov.f32 V1, 1.0"), 0x3f800000);
	assert_int_equal(immediate("mov.f32 V1, -2.5e-1"), 0xbe800000);
	assert_int_equal(immediate("mov.f32 V1, 0x1p-3"), 0x3e000000);
	assert_int_equal(immediate("mov.f32 V1, 1.0f"), 0x3f800000);
	assert_int_equal(immediate("mov.f32 V1, 1.0 / 4 + 1"), 0x3fa00000);
	assert_int_equal(immediate("mov.bf16 V1, 1.0"), 0x3f80);
	/* 1 + 2^-8 is half way: to even. 1 + 3 * 2^-8: up. */
	assert_int_equal(immediate("mov.bf16 V1, 1.00390625"), 0x3f80);
	assert_int_equal(immediate("mov.bf16 V1, 1.01171875"), 0x3f82);
	assert_int_equal(immediate("mov.i32 V1, -1"), 0xffffffff);
	assert_int_equal(immediate("mov.i32 V1, 010"), 8);
	assert_int_equal(immediate("mov.i32 V1, 00"), 0);
	assert_int_equal(immediate("mov.i32 V1, 0b0"), 0);
	assert_int_equal(immediate("mov.i32 V1, -0B1010"), (uint32_t)-10);
	assert_int_equal(immediate("mov.i32 V1, 2 + 3 * 4"), 14);
	assert_int_equal(immediate("mov.i32 V1, (2 + 3) * 4"), 20);
	assert_int_equal(immediate("mov.i32 V1, 1 << 4 | 1"), 17);
	assert_int_equal(immediate("mov.i32 V1, ~0 & 0xff"), 255);
	assert_int_equal(immediate("mov.i32 V1, 7 - 2 - 1"), 4);
	assert_int_equal(immediate("mov.i32 V1, -8 >> 1"), (uint32_t)-4);
	assert_int_equal(immediate(".set n, 5\n.set m, n * 2\nmov.i32 V1, m"),
			 10);
	assert_int_equal(immediate("mov.i32 V1, 4294967295"), 0xffffffff);
	assert_int_equal(immediate("mov.f32 V1, 3"), 3);
	assert_string_equal(said, "1:13: warning: 3 is taken as bits; write 3.0"
			    " for the value, or 0x3");
	assert_int_equal(immediate("shl.f32 V1, V2, 3"), 3);
	assert_string_equal(said, "");
	assert_int_equal(immediate("mov.f32 V1, 0x3"), 3);
	assert_string_equal(said, "");
}

static const struct {
	const char *text, *said;
} bad[] = {
	{ "frob V1, V2", "1:1: there is no operation frob" },
	{ "nop\n  add.f32 V1, V2", "2:3: add: 3 operands are expected (and a predicate, if any), not 2" },
	{ "add.f33 V1, V2, V3", "1:1: add: .f33 is neither a type nor a modifier" },
	{ "add.b V1, V2, V3", "1:1: add has no type b here" },
	{ "add V1, V2, V3", "1:1: add needs a type: add.f32 or so" },
	{ "add.f32 V1, V40, V3", "1:13: there is no register V40" },
	{ "mac.i16 D3, V1, V2", "1:9: there is no register D3" },
	{ "mac.i16 V3, V1, V2", "1:9: S is expected here, not V3; or D (a pair of V) is expected here, not V3" },
	{ "add.f32 V1, V2, I3", "1:17: V, S or a number is expected here, not I3" },
	{ "add.f32 V1, V2, foo", "1:17: V, S or a number is expected here, not the name foo" },
	{ "ld_tnsr V1, 16, I3", "1:13: a tensor's number (0 to 15) is expected here, not the number 16" },
	{ "ld_tnsr partial V1, 1, I3, S29", "1:28: S30 is expected here" },
	{ "st_tnsr 1, I2, V3, VP4", NULL },
	{ "mov.i32 S1, 1.5", "1:13: a number with a fraction needs type f32 or bf16" },
	{ "mov.i32 S1, 0x123456789", "1:13: the number 4886718345 has no place in 32 bits" },
	{ "mov.i32 S32, 1", "1:1: SPU slot: mov cannot write this, it is for reading only" },
	{ "jmpr nowhere", "1:6: there is no label nowhere" },
	{ "a: nop\na: nop", "2:1: this label is there already" },
	{ "V1: nop", "1:1: a label cannot have the name of a register or a number" },
	{ "loop 0, 4, 1, <, end\nnop\nend: nop", "1:18: a loop has a delay slot and at least one word before its end" },
	{ "loop 0, 4, 1, end=+0x40", "1:1: loop takes start, boundary, step, comparison, label, and perhaps a predicate" },
	{ "loop 0, 4, 1, <, end=+0x41", NULL },
	{ "loop 0, 4, 1, <, end=+0x40, VP1", "1:29: SP is expected here, the predicate" },
	{ "nop; loop 0, 4, 1, <, end=+0x40; nop; nop", "1:6: a loop is a word of its own" },
	{ "mov.i32 S1, 5; mov.i32 V1, 6", "1:1: VPU slot: a word has one immediate; 0x6 is a second one" },
	{ "ld_tnsr V1, 0, I1, SP1; nop; nop; st_tnsr 1, I1, V2", "1:1: STORE slot: the slots LOAD and STORE share one predicate" },
	{ "sel_eq.f32 V1, V2, V3, V4, V5; st_tnsr 1, I1, V2", "1:1: STORE slot: another slot needs the bits of srcC for something else" },
	{ "add.i32 S1, S2, S3; sub.i32 S1, S2, S3", "1:21: sub has no slot left in this word" },
	{ "st_tnsr 1, I1, V2; st_tnsr foo, I1, V2", "1:28: a tensor's number (0 to 15) is expected here, not the name foo" },
	{ "aso; st_tnsr foo, >, end=+0xc0", "1:14: a tensor's number (0 to 15) is expected here, not the name foo" },
	{ "nop; nop; nop; nop; nop", "1:21: a word has four slots; this is a fifth operation" },
	{ "add.f32 V1, V2, V3;; ", "1:20: an operation is expected here" },
	{ "add.f32 V1, V2, V3 V4", "1:20: a comma or the end of the operation is expected here" },
	{ "add.f32 V1, V2,", "1:16: an operand is expected behind the comma" },
	{ "add.f32 V1, , V2", "1:13: an operand is expected here" },
	{ "{ nop", "1:6: } is expected here" },
	{ "popcnt.i32 V1, V2", "1:1: popcnt needs its modifier set=" },
	{ "popcnt.i32 set=2 V1, V2", "1:12: popcnt has no such modifier with these operands, or not with this value" },
	{ "add.i32 neg V1, V2, V3", NULL },
	{ "convert.f32 rz V1, V2", "1:1: convert needs its modifier target_type=" },
	{ "convert.bf16 target_type=fp32 V14, V2", NULL },
	{ "mov_irf_dim S1, I2", "1:1: mov_irf_dim needs its modifier 0 to 4, the dimension" },
	{ "mov_irf_dim 5 S1, I2", NULL },
	{ "set_indx I1, 3, S2", "1:14: a mask of dimensions is expected here, as b00011" },
	{ "add.f32 V1, V2, !V3", NULL },
	{ "mov.i32 V1, 08", NULL },
	{ "mov.i32 V1, 0b", NULL },
	{ "mov.i32 V1, 0b12", "1:13: a number is expected: 12, 0x1f, 0b101, 1.5, 2e-3" },
	{ "add.i32 S1, S2, S3; nop; nop; mov.i32 I1, S2, S3", "1:1: add is no operation of the LOAD slot" },
	{ "ld_tnsr V1, I2, I3", "1:13: a tensor's number (0 to 15) is expected here, not I2" },
	{ "st_tnsr 1, I2, V3, !VP1", "1:1: STORE slot: st_tnsr takes no VP as predicate" },
	{ "halt, SP1", NULL },
	{ ".word 12", "1:7: 64 hexadecimal digits are expected here" },
	{ ".frob 1", "1:1: there is no directive .frob; .define, .set, .metadata and .word are known" },
	{ ".metadata frob, 1", "1:11: .metadata: no such field; see the manual" },
	{ ".metadata scalars, 256", "1:20: scalars: a whole number from 0 to 255 is expected" },
	{ ".define V3", NULL },
	{ ".define X 1\n.define X 2", "2:9: that name is defined already" },
	{ "mov.i32 S1, 12abc", "1:13: a number is expected: 12, 0x1f, 0b101, 1.5, 2e-3" },
	{ "mov.i32 S1, 99999999999999999999", "1:13: a number that has no place in 64 bits" },
	{ "mov.i32 S1, 1/0", "1:16: division by zero" },
	{ "mov.i32 S1, (1", "1:15: ) is expected here" },
	{ "mov.i32 S1, 1 << 64", NULL },
	{ "mov.i32 S1, ?", "1:13: a character that means nothing here" },
	{ "/* nop", "1:1: a comment has no end" },
	{ ".file \"abc", "1:7: a string has no end" },
};

TEST(errors)
{
	struct gaudi_tpc_program program;
	unsigned int i, wrong = 0;

	for (i = 0; i < COUNT(bad); i++) {
		if (!strcmp(bad[i].text, ".define V3")) {
			/* A name for nothing is allowed. */
			assert_int_equal(assemble(bad[i].text, &program), 0);
			gaudi_tpc_program_free(&program);
			continue;
		}
		if (assemble(bad[i].text, &program) <= 0) {
			print_message("accepted: %s\n", bad[i].text);
			wrong++;
			gaudi_tpc_program_free(&program);
		} else if (!bad[i].said) {
			assert_true(strlen(said) > 10);
			print_message("%s -> %s\n", bad[i].text, said);
		} else if (strcmp(said, bad[i].said)) {
			print_message("%s\n  says  %s\n  wants %s\n",
				      bad[i].text, said, bad[i].said);
			wrong++;
		}
		assert_null(program.code);
	}
	assert_int_equal(wrong, 0);
}

/* All of them, not the first only; but not without end. */
TEST(many_errors)
{
	struct gaudi_tpc_program program;
	char text[4096] = "";
	unsigned int i;

	assert_int_equal(assemble("frob\nnop\nfrob\njmpr x\n", &program), 2);
	assert_int_equal(assemble("jmpr x\nnop\njmpr y\n", &program), 2);
	for (i = 0; i < 200; i++)
		strcat(text, "frob\n");
	assert_int_equal(assemble(text, &program), 50);
}

TEST(metadata)
{
	struct gaudi_tpc_program program;

	good("nop", &program);
	assert_int_equal(program.metadata.march, 2);
	assert_int_equal(program.metadata.threads, 1);
	assert_int_equal(program.metadata.special_functions, 0);
	assert_int_equal(program.metadata.mmio_used, 0);
	gaudi_tpc_program_free(&program);
	good(".metadata scalars, 3\n"
	     "gen_addr AD1, 5, I2\ngen_addr AD2, 6, I2\nld_g S1, AD1\n"
	     "st_tnsr rmw_sel 4, I1, V2, S29\nlookup_1c bv32 V1, V2, 5\n"
	     "ld_l.mmio S1, 0x400\n", &program);
	assert_int_equal(program.metadata.scalars, 3);
	assert_int_equal(program.metadata.scalar_loads, 1 << 5);
	assert_int_equal(program.metadata.rmw_stores, 1 << 4);
	assert_int_equal(program.metadata.special_functions, 1);
	assert_int_equal(program.metadata.mmio_used, 1);
	gaudi_tpc_program_free(&program);
	good(".metadata mmio_used 0\nld_l.mmio S1, 0x400", &program);
	assert_int_equal(program.metadata.mmio_used, 0);
	gaudi_tpc_program_free(&program);
}

/* Names that stand for more and more names. */
TEST(many_names)
{
	struct gaudi_tpc_program program;
	char text[4096], line[100];
	unsigned int i;

	strcpy(text, ".define a0 nop nop\n");
	for (i = 1; i < 40; i++) {
		snprintf(line, sizeof(line), ".define a%u a%u a%u a%u a%u\n", i,
			 i - 1, i - 1, i - 1, i - 1);
		strcat(text, line);
	}
	assert_int_not_equal(assemble(text, &program), 0);
}

/* What chance makes of words of the language is refused, or has bytes. */
TEST(any_text)
{
	static const char *const parts[] = {
		"add.f32 ", "mov ", "V1", "S2", ", ", "; ", "\n", "!", "SP1",
		"loop ", "<", "a:", "a", "jmpr ", "{", "}", "0x10", "1.5", "-",
		"(", ")", ".define ", ".set ", "x", "x ", "b00011 ", "=", "set",
		"ld_tnsr ", "I3", "st_tnsr ", "sel_eq.i32 ", "convert.f32 ",
		"target_type=bf16 ", "VP2", "end=", "+", "<<", "%", "/*", "*/",
		".word ", "mov_dg ", "src=1 ", ".metadata ", "scalars ", "\"",
	};
	struct gaudi_tpc_program program;
	unsigned int i, k, n, fine = 0;
	char text[1024];
	uint64_t x = 42;

	for (i = 0; i < 30000; i++) {
		*text = '\0';
		x = x * 6364136223846793005ull + 1442695040888963407ull;
		n = x >> 60;
		for (k = 0; k <= n; k++) {
			x = x * 6364136223846793005ull + 1442695040888963407ull;
			strcat(text, parts[(x >> 33) % COUNT(parts)]);
		}
		if (assemble(text, &program)) {
			assert_true(strlen(said) > 5);
			assert_null(program.code);
			continue;
		}
		fine++;
		gaudi_tpc_program_free(&program);
	}
	assert_true(fine > 10);
}
