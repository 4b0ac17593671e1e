// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a word reads of its destination, and where its operands end; words are
 * encoded by hand. Then words at random: whatever they are, a core ends or goes
 * on, within its memory. What operations compute is in tpc_ref_test.
 */
#include "../exec/tpc_host.h"

enum { F32 = 0, BF16, I32, U32, I8, U8, BOOL, I16, U16 };

/* --- words by hand ---------------------------------------------------------- */

static void put(uint8_t *word, unsigned int first, unsigned int width,
		uint32_t value)
{
	unsigned int i;

	for (i = 0; i < width; i++) {
		word[(first + i) / 8] &= ~(1u << (first + i) % 8);
		word[(first + i) / 8] |= (value >> i & 1) << (first + i) % 8;
	}
}

static void nops(uint8_t *word)
{
	memset(word, 0, 32);
	put(word, 0, 6, 0x3f);
	put(word, 43, 6, 0x3f);
	put(word, 119, 5, 0x1f);
	put(word, 140, 5, 0x1f);
}

/* dest <- A V1. */
static void vpu(uint8_t *word, unsigned int op, unsigned int type,
		unsigned int dest)
{
	nops(word);
	put(word, 43, 6, op);
	put(word, 49, 8, 1);
	put(word, 82, 8, dest);
	put(word, 93, 4, type);
}

static void halt(uint8_t *word)
{
	nops(word);
	put(word, 0, 6, 0x20);
	put(word, 43, 6, 0x20);
}

/* Runs one word, with what the registers of the core hold. */
static void one_word(struct tpc_host *host, const uint8_t *word,
		     const struct gaudi_tpc_regs *regs)
{
	uint8_t code[64];

	memcpy(code, word, 32);
	halt(code + 32);
	tpc_host_code(host, code, sizeof(code));
	gaudi_tpc_launch(host->core, &host->launch);
	host->core->r = *regs;
	assert_int_equal(gaudi_tpc_execute(host->core, 10), GAUDI_TPC_HALT);
}

static uint64_t seed = 88172645463325252ull;

static uint32_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed >> 16;
}

/* --- too early or not -------------------------------------------------------- */

/* How a core ends that checks for hazards, after two words. */
static int two_words(struct tpc_host *host, const uint8_t *first,
		     const uint8_t *second)
{
	uint8_t code[96];

	memcpy(code, first, 32);
	memcpy(code + 32, second, 32);
	halt(code + 64);
	tpc_host_code(host, code, sizeof(code));
	gaudi_tpc_check_hazards(host->core, true);
	gaudi_tpc_launch(host->core, &host->launch);
	return gaudi_tpc_execute(host->core, 10);
}

/* What a word leaves of its destination is no source of it. */
HOST_TEST(predicates_in_parts)
{
	uint8_t first[32], second[32];

	/* mov 0 VP1, 5; mov 1 VP1, 5: sections of one predicate. */
	vpu(first, 0x08, U32, 241);
	put(first, 49, 8, 127);
	put(first, 151, 32, 5);
	memcpy(second, first, 32);
	put(second, 57, 4, 1);
	assert_int_equal(two_words(host, first, second), GAUDI_TPC_HALT);
	assert_int_equal(host->core->r.vp[1].b[0] & 1, 1);
	assert_int_equal(host->core->r.vp[1].b[33] & 1, 0);
	assert_int_equal(host->core->r.vp[1].b[34] & 1, 1);
	/* mov VP2, VP1 reads it, and so does a lane's choice. */
	vpu(second, 0x08, BOOL, 242);
	put(second, 49, 8, 241);
	assert_int_equal(two_words(host, first, second), GAUDI_TPC_HAZARD);
	vpu(second, 0x08, F32, 6);
	put(second, 98, 5, 16 + 1);
	assert_int_equal(two_words(host, first, second), GAUDI_TPC_HAZARD);
}

/* dest <- A, B; S by their numbers. */
static void spu(uint8_t *word, unsigned int op, unsigned int type,
		unsigned int dest, unsigned int a, unsigned int b)
{
	nops(word);
	put(word, 0, 6, op);
	put(word, 6, 7, a);
	put(word, 13, 7, b);
	put(word, 20, 7, dest);
	put(word, 27, 4, type);
}

/* What is written as a whole is not read, whatever it was before. */
HOST_TEST(parts_of_registers)
{
	static const struct { uint8_t op, type, b; bool reads; } row[] = {
		{ 0x16, F32, BF16, false },	/* convert */
		{ 0x16, I16, I8, false },
		{ 0x17, 0, 3, false },		/* convert_int32 to_8 */
		{ 0x18, 8, 3, false },		/* convert_uint32 to_16 */
		{ 0x04, 0, 3, false },		/* convert_int16 */
		{ 0x1c, 0, 3, false },
		{ 0x08, I32, 0, false },	/* mov */
		{ 0x00, F32, 3, true },		/* mac */
		{ 0x34, F32, 3, true },		/* calc_fp_special */
	};
	uint8_t first[32], second[32];
	unsigned int i;

	spu(first, 0x02, I32, 1, 2, 3);		/* add.i32 S1, S2, S3 */
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		spu(second, row[i].op, row[i].type, 1, 2, row[i].b);
		assert_int_equal(two_words(host, first, second),
				 row[i].reads ? GAUDI_TPC_HAZARD :
						GAUDI_TPC_HALT);
	}
	/* Lanes of one vector, one after the other. */
	for (i = 0; i < 2; i++) {
		vpu(i ? second : first, 0x16, F32, 6);
		put(i ? second : first, 57, 8, BF16 | i << 4 | 1 << 6);
	}
	assert_int_equal(two_words(host, first, second), GAUDI_TPC_HALT);
}

/*
 * The last elements of memory: nothing behind them is touched. Those of a page behind
 * which there is more, but elsewhere: the word is whole. With and without pointers.
 */
HOST_TEST(scalars_at_the_end_of_a_page)
{
	struct gaudi_tpc_regs regs = { .sp = 1 };
	unsigned int elem, before, map;
	uint8_t word[32];
	uint64_t want;

	memcpy(host->mem + HOST_BYTES - 8, "efghabcd", 8);
	nops(word);
	put(word, 119, 5, 0x0c);	/* ld_g S1, AD2 */
	put(word, 103, 8, 162);
	put(word, 111, 8, 64 + 1);
	for (map = 0; map < 8; map++)
		for (elem = 1; elem <= 2; elem++)
			for (before = elem; before <= 4; before++) {
				host->map = map & 1;
				host->map_max = map & 2 ? before : HOST_BYTES;
				regs.ad[2] = HOST_BASE + HOST_BYTES - before -
					     (map & 4);
				regs.ad_elem[2] = elem;
				one_word(host, word, &regs);
				want = map & 4 ? 0x6463626168676665 :
						 0x64636261;
				want >>= 8 * (4 - before);
				assert_int_equal(host->core->r.s[1],
						 (uint32_t)want);
			}
}

/* --- words at random --------------------------------------------------------- */

HOST_TEST(any_word_ends_or_goes_on)
{
	static const char *const names[] = {
		"add_f32", "rowsum_f32", "divmod_i32", "cast_bf16_f32",
		"rmw_add_f32", "transpose_ldg_f32",
	};
	static const uint32_t size[5] = { 100, 3, 2, 1, 1 };
	unsigned int run, n, flips, why[GAUDI_TPC_WHYS] = { 0 };
	unsigned int runs = unit_rounds(20000);
	uint8_t code[8192];
	size_t len;

	for (run = 0; run < runs; run++) {
		len = tpc_kernel(names[run % 6], code, sizeof(code));
		flips = 1 + next_random() % 12;
		for (n = 0; n < flips; n++)
			code[next_random() % len] ^= 1u << next_random() % 8;
		tpc_host_code(host, code, len);
		for (n = 0; n < 16; n++)
			tpc_host_tensor(host, n, HOST_DATA + n * 0x4000,
					next_random() % 8, size, 0);
		for (n = 0; n < 5; n++)
			host->launch.desc[0x394 / 4 + 2 * n] = 1 + n % 2;
		gaudi_tpc_check_hazards(host->core, run % 4 == 0);
		why[tpc_host_run(host, 3000)]++;
		assert_true(host->core->words <= 3000);
	}
	assert_true(why[GAUDI_TPC_HALT] > 100);
	assert_true(why[GAUDI_TPC_ILLEGAL] > 100);
	assert_true(why[GAUDI_TPC_BUDGET] > 10);
}
