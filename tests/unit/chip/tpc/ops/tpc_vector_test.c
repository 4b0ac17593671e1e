// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations of the vector unit, element by element, against a scalar reference
 * that is written here from the facts and shares nothing with the interpreter;
 * words are encoded here as well. Then words at random: whatever they are, a
 * core ends or goes on, within its memory.
 */
#include <math.h>

#include "../exec/tpc_host.h"

enum { F32 = 0, BF16, I32, U32, I8, U8, BOOL, I16, U16, TYPES };

static const uint8_t bytes_of[TYPES] = { 4, 2, 4, 4, 1, 1, 0, 2, 2 };

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

/* dest <- A V1, B V2, C V3, D V4. */
static void vpu(uint8_t *word, unsigned int op, unsigned int type,
		unsigned int dest, unsigned int sw, unsigned int sources)
{
	nops(word);
	put(word, 43, 6, op);
	put(word, 49, 8, 1);
	if (sources > 1)
		put(word, 57, 8, 2);
	if (sources > 2) {
		put(word, 65, 8, 3);
		put(word, 73, 9, 4);
	}
	put(word, 82, 8, dest);
	put(word, 90, 3, sw);
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

/* Numbers of all kinds: edges of types, floats, what is no number. */
static uint32_t edgy(void)
{
	static const uint32_t edges[] = {
		0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000,
		0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x00000001,
		0x807fffff, 0x00800000, 0x7f7fffff, 0x80007fff, 0x7fff8000,
		0x3f803f80, 0x7f80ff80, 0x4b000000, 0x40490fdb,
	};
	uint32_t x = next_random();

	if (x % 3 == 0)
		return edges[next_random() % (sizeof(edges) / 4)];
	if (x % 3 == 1)	/* near each other */
		return 0x3f000000 + (next_random() & 0x81ffffff);
	return next_random() ^ x << 16;
}

static void random_regs(struct gaudi_tpc_regs *regs)
{
	uint32_t *w = (uint32_t *)(void *)regs->v;
	size_t i;

	memset(regs, 0, sizeof(*regs));
	for (i = 0; i < sizeof(regs->v) / 4; i++)
		w[i] = edgy();
	memset(&regs->vp[0], 0xff, sizeof(regs->vp[0]));
	regs->sp = 1;
}

static uint32_t lane(const gaudi_tpc_vec *v, unsigned int type, unsigned int i)
{
	uint32_t x = 0;

	memcpy(&x, v->b + i * bytes_of[type], bytes_of[type]);
	return x;
}

/* --- the reference: integers -------------------------------------------------- */

static int64_t number(uint32_t x, unsigned int type)
{
	switch (type) {
	case I32:
		return (int32_t)x;
	case I16:
		return (int16_t)x;
	case I8:
		return (int8_t)x;
	default:
		return x;
	}
}

static int64_t limited(int64_t v, unsigned int type)
{
	unsigned int bits = 8 * bytes_of[type];
	bool sign = type == I32 || type == I16 || type == I8;
	int64_t high = (1ll << (bits - sign)) - 1, low = sign ? -high - 1 : 0;

	return v < low ? low : v > high ? high : v;
}

/* False: no such operation here. */
static bool int_ref(unsigned int op, unsigned int sw, unsigned int type,
		    uint32_t ua, uint32_t ub, int64_t *r)
{
	int64_t a = number(ua, type), b = number(ub, type);
	unsigned int bits = 8 * bytes_of[type];

	switch (op) {
	case 0x02:
		*r = sw & 1 ? limited(a + b, type) : a + b;
		return true;
	case 0x03:
		*r = sw & 2 ? b - a : a - b;
		*r = sw & 1 ? limited(*r, type) : *r;
		return true;
	case 0x05:
		*r = a > b ? a : b;
		return true;
	case 0x06:
		*r = a < b ? a : b;
		return true;
	case 0x0f:
		*r = ua | ub;
		return true;
	case 0x10:
		*r = ua & ub;
		return true;
	case 0x11:
		*r = ua ^ ub;
		return true;
	case 0x13:
		*r = ub < bits ? ua >> ub : 0;
		return true;
	case 0x14:
		*r = ub < bits ? (uint64_t)ua << ub : 0;
		return true;
	case 0x15:
		b = (int8_t)ub;
		if (b == 31)
			*r = limited(a * (1ll << 31), type);
		else if (b >= 0)
			*r = limited(b < 31 ? a * (1ll << b) :
				     a ? (a < 0 ? INT64_MIN : INT64_MAX) : 0,
				     type);
		else
			*r = (int64_t)floor(ldexp(a, (int)b) +
					    (sw & 2 ? 0.5 : 0));
		return true;
	}
	return false;
}

/* --- the reference: floats ------------------------------------------------------ */

static float float_of(uint32_t x)
{
	float f;

	memcpy(&f, &x, 4);
	/* Sub-normal numbers are zero. */
	return fpclassify(f) == FP_SUBNORMAL ? copysignf(0, f) : f;
}

static uint32_t bits_of(float f)
{
	uint32_t x;

	if (isnan(f))
		return 0x7fffffff;
	if (fpclassify(f) == FP_SUBNORMAL)
		f = copysignf(0, f);
	memcpy(&x, &f, 4);
	return x;
}

static bool f32_ref(unsigned int op, unsigned int sw, uint32_t ua, uint32_t ub,
		    uint32_t old, uint32_t *r)
{
	float a = float_of(ua), b = float_of(ub);

	switch (op) {
	case 0x00:
		*r = bits_of(fmaf(sw & 2 ? -a : a, b, float_of(old)));
		return true;
	case 0x01:
		*r = bits_of(a * b);
		return true;
	case 0x02:
		*r = bits_of(a + b);
		return true;
	case 0x03:
		*r = bits_of(sw & 2 ? b - a : a - b);
		return true;
	case 0x05:
	case 0x06:
		if (isnan(a) || isnan(b))
			*r = bits_of(isnan(a) ? b : a);
		else if (a == b)
			*r = bits_of((op == 5) == !!signbit(a) ? b : a);
		else
			*r = bits_of((op == 5) == (a > b) ? a : b);
		return true;
	}
	return false;
}

/* --- comparing ----------------------------------------------------------------------- */

static void check_word(struct tpc_host *host, unsigned int op, unsigned int sw,
		       unsigned int type)
{
	static struct gaudi_tpc_regs regs;
	const gaudi_tpc_vec *is = &host->core->r.v[6];
	uint32_t a, b, want32 = 0, mask;
	uint8_t word[32];
	unsigned int i;
	int64_t want = 0;

	random_regs(&regs);
	vpu(word, op, type, 6, sw, 2);
	one_word(host, word, &regs);
	mask = bytes_of[type] == 4 ? ~0u : (1u << 8 * bytes_of[type]) - 1;
	for (i = 0; i < 256u / bytes_of[type]; i++) {
		a = lane(&regs.v[1], type, i);
		b = lane(&regs.v[2], type, i);
		if (type == F32 ? !f32_ref(op, sw, a, b, regs.v[6].w[i],
					   &want32) :
				  !int_ref(op, sw, type, a, b, &want))
			fail_msg("no reference for 0x%02x", op);
		want32 = type == F32 ? want32 : (uint32_t)want & mask;
		if (lane(is, type, i) != want32)
			fail_msg("op 0x%02x sw %u type %u: 0x%x, 0x%x is 0x%x, not 0x%x",
				 op, sw, type, a, b, lane(is, type, i),
				 want32);
	}
	/* Nothing else has changed. */
	assert_memory_equal(host->core->r.v, regs.v, 6 * 256);
	assert_memory_equal(&host->core->r.v[7], &regs.v[7], 33 * 256);
}

#define ROUNDS	40

static void each_alu(struct tpc_host *host,
		     void (*test)(struct tpc_host *host))
{
	static const char *const alu[] = { "portable", "avx2", "avx512" };
	unsigned int i, round;

	for (i = 0; i < 3; i++)
		for (round = 0; round < ROUNDS; round++)
			if (!gaudi_tpc_use_alu(host->core, alu[i]))
				test(host);
}

static void ints(struct tpc_host *host)
{
	static const uint8_t types[] = { I32, U32, I16, U16, I8, U8 };
	/* Operation and switches. */
	static const uint8_t ops[][2] = {
		{ 0x02, 0 }, { 0x02, 1 }, { 0x03, 0 }, { 0x03, 1 },
		{ 0x03, 2 }, { 0x03, 3 }, { 0x05, 0 }, { 0x06, 0 },
		{ 0x0f, 0 }, { 0x10, 0 }, { 0x11, 0 }, { 0x13, 0 },
		{ 0x14, 0 }, { 0x15, 1 }, { 0x15, 3 },
	};
	unsigned int t, o;

	for (t = 0; t < sizeof(types); t++)
		for (o = 0; o < sizeof(ops) / 2; o++)
			check_word(host, ops[o][0], ops[o][1], types[t]);
}

static void floats(struct tpc_host *host)
{
	static const uint8_t ops[][2] = {
		{ 0x00, 0 }, { 0x00, 2 }, { 0x01, 0 }, { 0x02, 0 },
		{ 0x03, 0 }, { 0x03, 2 }, { 0x05, 0 }, { 0x06, 0 },
	};
	unsigned int o;

	for (o = 0; o < sizeof(ops) / 2; o++)
		check_word(host, ops[o][0], ops[o][1], F32);
}

HOST_TEST(integers)
{
	each_alu(host, ints);
}

HOST_TEST(singles)
{
	each_alu(host, floats);
}

/* --- comparisons and choices ----------------------------------------------------------- */

static bool holds(unsigned int cmp, unsigned int type, uint32_t ua, uint32_t ub)
{
	double a = type == F32 ? float_of(ua) : (double)number(ua, type);
	double b = type == F32 ? float_of(ub) : (double)number(ub, type);

	switch (cmp) {
	case 0:
		return a == b;
	case 1:
		return a != b;
	case 2:
		return a < b;
	case 3:
		return a <= b;
	case 4:
		return a > b;
	default:
		return a >= b;
	}
}

static void choices(struct tpc_host *host)
{
	static const uint8_t types[] = { F32, I32, U32, I16, U16, I8, U8 };
	static struct gaudi_tpc_regs regs;
	unsigned int t, cmp, i, type, k;
	uint8_t word[32];
	bool yes;

	for (t = 0; t < sizeof(types); t++) {
		type = types[t];
		for (cmp = 0; cmp < 6; cmp++) {
			random_regs(&regs);
			vpu(word, 0x22 + cmp, type, 6, 0, 4);
			one_word(host, word, &regs);
			for (i = 0; i < 256u / bytes_of[type]; i++) {
				yes = holds(cmp, type,
					    lane(&regs.v[1], type, i),
					    lane(&regs.v[2], type, i));
				assert_int_equal(lane(&host->core->r.v[6],
						      type, i),
						 lane(&regs.v[yes ? 3 : 4],
						      type, i));
			}
			/* CMP into VP5: every bit of the element. */
			vpu(word, 0x09 + cmp, type, 245, 0, 2);
			one_word(host, word, &regs);
			for (i = 0; i < 256; i++) {
				k = i / bytes_of[type];
				yes = holds(cmp, type,
					    lane(&regs.v[1], type, k),
					    lane(&regs.v[2], type, k));
				assert_int_equal(host->core->r.vp[5].b[i] & 1,
						 yes);
			}
		}
	}
}

HOST_TEST(comparisons)
{
	each_alu(host, choices);
}

/*
 * The predicate of a MOV enables bytes whatever the type is: compilers write
 * type 0 for a choice among bf16, i16 and i8, too.
 */
static void moved_bytes(struct tpc_host *host)
{
	static struct gaudi_tpc_regs regs;
	unsigned int type, negate, i, moved;
	uint8_t word[32];

	for (type = 0; type < TYPES; type++) {
		if (type == BOOL)
			continue;
		for (negate = 0; negate < 2; negate++) {
			random_regs(&regs);
			for (i = 0; i < 256; i++)
				regs.vp[3].b[i] = next_random() & 1 ? 0xff : 0;
			vpu(word, 0x08, type, 6, 0, 1);
			put(word, 97, 1, negate);
			put(word, 98, 5, 16 + 3);
			one_word(host, word, &regs);
			for (i = 0; i < 256; i++) {
				moved = (regs.vp[3].b[i] & 1) != negate;
				assert_int_equal(host->core->r.v[6].b[i],
						 regs.v[moved ? 1 : 6].b[i]);
			}
		}
	}
}

HOST_TEST(predicated_moves)
{
	each_alu(host, moved_bytes);
}

/* --- too early or not --------------------------------------------------------------------- */

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
	vpu(first, 0x08, U32, 241, 0, 1);
	put(first, 49, 8, 127);
	put(first, 151, 32, 5);
	memcpy(second, first, 32);
	put(second, 57, 4, 1);
	assert_int_equal(two_words(host, first, second), GAUDI_TPC_HALT);
	assert_int_equal(host->core->r.vp[1].b[0] & 1, 1);
	assert_int_equal(host->core->r.vp[1].b[33] & 1, 0);
	assert_int_equal(host->core->r.vp[1].b[34] & 1, 1);
	/* mov VP2, VP1 reads it, and so does a lane's choice. */
	vpu(second, 0x08, BOOL, 242, 0, 1);
	put(second, 49, 8, 241);
	assert_int_equal(two_words(host, first, second), GAUDI_TPC_HAZARD);
	vpu(second, 0x08, F32, 6, 0, 1);
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
		vpu(i ? second : first, 0x16, F32, 6, 0, 1);
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

/* --- words at random ---------------------------------------------------------------------- */

HOST_TEST(any_word_ends_or_goes_on)
{
	static const char *const names[] = {
		"add_f32", "rowsum_f32", "divmod_i32", "cast_bf16_f32",
		"rmw_add_f32", "transpose_ldg_f32",
	};
	static const uint32_t size[5] = { 100, 3, 2, 1, 1 };
	unsigned int run, n, flips, why[GAUDI_TPC_WHYS] = { 0 };
	uint8_t code[8192];
	size_t len;

	for (run = 0; run < 20000; run++) {
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
