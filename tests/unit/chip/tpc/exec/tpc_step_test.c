// SPDX-License-Identifier: GPL-2.0-only
/*
 * Words in one go, and the same words one by one: registers, memories, counters,
 * and how and where a kernel ends, are the same. A core with a breakpoint, which
 * nothing reaches, goes word by word.
 */
#include "tpc_host.h"

#define RUNS	6000
#define WORDS	3000

static const char *const names[] = {
	"add_f32", "rowsum_f32", "divmod_i32", "cast_bf16_f32", "rmw_add_f32",
	"transpose_ldg_f32", "exp_poly_f32", "int_i32", "int_i16_mac",
	"nest5d_f32", "tail_pred_f32",
};

struct pair {
	struct tpc_host *quick, *slow;
	uint64_t never[1];
	uint32_t seed;
};

static uint32_t next_random(struct pair *p)
{
	p->seed ^= p->seed << 13;
	p->seed ^= p->seed >> 17;
	p->seed ^= p->seed << 5;
	return p->seed;
}

static int setup(void **state)
{
	struct pair *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	p->seed = 0x1234567;
	p->quick = tpc_host_new();
	p->slow = tpc_host_new();
	p->never[0] = 1;
	gaudi_tpc_breakpoints(p->slow->core, p->never, 1);
	*state = p;
	return 0;
}

static int teardown(void **state)
{
	struct pair *p = *state;

	tpc_host_free(p->quick);
	tpc_host_free(p->slow);
	free(p);
	return 0;
}

#define STEP_TEST(fn) TEST_OF(fn, struct pair *p, setup, teardown)

static void same(const struct pair *p, unsigned int run)
{
	const struct gaudi_tpc_core *a = p->quick->core, *b = p->slow->core;

#define SAME(what, field)						\
	do {								\
		if (memcmp(&a->field, &b->field, sizeof(a->field)))	\
			fail_msg("run %u, PC 0x%llx and 0x%llx: other %s", run, \
				 (unsigned long long)a->pc,		\
				 (unsigned long long)b->pc, what);	\
	} while (0)
	SAME("vectors", r.v);
	SAME("vector predicates", r.vp);
	SAME("carries", r.carry);
	SAME("scalars", r.s);
	SAME("predicates", r.sp);
	SAME("scalar carry", r.s_carry);
	SAME("index registers", r.i);
	SAME("addresses", r.ad);
	SAME("random bits", r.lfsr);
	SAME("vector memory", vlm);
	SAME("scalar memory", slm);
	SAME("counters", count);
	SAME("number of words", words);
	SAME("PC", pc);
	SAME("depth of loops", depth);
	SAME("end", stop.why);
	SAME("PC of the end", stop.pc);
	SAME("address of the end", stop.addr);
	assert_memory_equal(p->quick->mem, p->slow->mem, HOST_BYTES);
}

static void use_alu(struct pair *p, const char *name)
{
	if (!gaudi_tpc_use_alu(p->quick->core, name))
		assert_int_equal(gaudi_tpc_use_alu(p->slow->core, name), 0);
}

/* To the end, or so many words, in parts; both keep pace. */
static enum gaudi_tpc_why run_both(struct pair *p, unsigned int run)
{
	enum gaudi_tpc_why why = GAUDI_TPC_BUDGET;
	uint64_t left = WORDS, part;

	gaudi_tpc_launch(p->quick->core, &p->quick->launch);
	gaudi_tpc_launch(p->slow->core, &p->slow->launch);
	while (left && why == GAUDI_TPC_BUDGET) {
		part = run % 3 ? 1 + next_random(p) % 200 : left;
		part = part < left ? part : left;
		why = gaudi_tpc_execute(p->quick->core, part);
		assert_int_equal(gaudi_tpc_execute(p->slow->core, part), why);
		same(p, run);
		left -= part;
	}
	return why;
}

static void put_code(struct pair *p, const void *code, size_t len)
{
	tpc_host_code(p->quick, code, len);
	tpc_host_code(p->slow, code, len);
}

/* Compiled kernels, with some bits flipped, on tensors of all types. */
STEP_TEST(in_one_go_or_one_by_one)
{
	static const char *const alus[] = { "portable", "avx2", "avx512" };
	const uint32_t size[5] = { 100, 3, 2, 1, 1 };
	unsigned int run, n, why[GAUDI_TPC_WHYS] = { 0 };
	unsigned int runs = unit_rounds(RUNS);
	uint32_t type, *desc;
	uint8_t code[8192];
	size_t len;

	for (run = 0; run < runs; run++) {
		len = tpc_kernel(names[run % 11], code, sizeof(code));
		for (n = next_random(p) % 8; n; n--)
			code[next_random(p) % len] ^= 1u << next_random(p) % 8;
		put_code(p, code, len);
		for (n = 0; n < 16; n++) {
			type = run % 4 ? next_random(p) % 8 : 7;
			tpc_host_tensor(p->quick, n, HOST_DATA + n * 0x4000,
					type, size, 0);
		}
		desc = p->quick->launch.desc;
		for (n = 0; n < 5; n++)
			desc[0x394 / 4 + 2 * n] = 1 + n % 2;
		memcpy(p->slow->launch.desc, desc,
		       sizeof(p->slow->launch.desc));
		/* The memory ends in a tensor, or is not mapped at all. */
		p->quick->map = run % 5;
		p->slow->map = p->quick->map;
		use_alu(p, alus[run % 3]);
		why[run_both(p, run)]++;
	}
	assert_true(why[GAUDI_TPC_HALT] > runs / 60);
	assert_true(why[GAUDI_TPC_ILLEGAL] > runs / 60);
	assert_true(why[GAUDI_TPC_BUDGET] > runs / 600);
}

/*
 * The load of a loop's body leaves memory in its third turn: words, counters and
 * PC are those of that word, and what stands beside the load is done.
 */
STEP_TEST(ends_within_a_loop)
{
	const uint32_t size[5] = { 0x7fffffff, 1, 1, 1, 1 };
	unsigned int n, ends = 0;
	uint8_t code[8192];
	size_t len = tpc_kernel("add_f32", code, sizeof(code));
	uint32_t *desc = p->quick->launch.desc;

	put_code(p, code, len);
	for (n = 0; n < 3; n++)
		tpc_host_tensor(p->quick, n, HOST_DATA, 7, size, 0);
	for (n = 0; n < 5; n++)
		desc[0x394 / 4 + 2 * n] = n ? 1 : 1000000;
	/* Near the end of memory, at different places of the body. */
	for (n = 0; n < 40; n++) {
		desc[0] = (uint32_t)(HOST_BASE + HOST_BYTES - 1024 - 64 * n);
		memcpy(p->slow->launch.desc, desc,
		       sizeof(p->slow->launch.desc));
		ends += run_both(p, n) == GAUDI_TPC_READ;
		assert_true(p->quick->core->words > 10);
	}
	assert_int_equal(ends, 40);
}

/* What stands beside a load that fails is done. */
STEP_TEST(a_word_is_done_to_its_end)
{
	/*
	 * mov.i32 S1, 5
	 * ld_tnsr V0, 0, I4; add.i32 S2, S1, 64; nop; set_indx I5, b00001, S1
	 * halt
	 */
	static const uint8_t code[96] = {
		0xc8, 0x1f, 0x10, 0x10, 0x00, 0xf8, 0x01, 0x00,
		[14] = 0x80, 0x0f, 0x00, 0xf0, 0x81, 0x02,
		[32] = 0x42, 0xe0, 0x2f, 0x10, 0x00, 0xf8, 0x01, 0x00,
		0x0a, 0x01, 0x00, 0x00, 0x00, 0x42, 0x80, 0x18,
		0x44, 0x40, 0x00, 0x20,
		[64] = 0x20, [70] = 0x01, [78] = 0x80, 0x0f, 0x00, 0xf0, 0x01,
	};
	const uint32_t size[5] = { 100, 1, 1, 1, 1 };
	struct gaudi_tpc_core *core = p->quick->core;

	put_code(p, code, sizeof(code));
	tpc_host_tensor(p->quick, 0, HOST_BASE + HOST_BYTES, 7, size, 0);
	memcpy(p->slow->launch.desc, p->quick->launch.desc,
	       sizeof(p->slow->launch.desc));
	assert_int_equal(run_both(p, 0), GAUDI_TPC_READ);
	assert_int_equal(core->stop.pc, HOST_CODE + 32);
	assert_int_equal(core->words, 1);
	assert_int_equal(core->r.s[2], 69);
	assert_int_equal(core->r.i[5][0], 5);
}

#define CLEARED	0x1000

static bool has_stored(const uint8_t *cleared)
{
	unsigned int n = 0;

	while (n < CLEARED && cleared[n] == 0xff)
		n++;
	return n < CLEARED;
}

/* Parts of vectors, wherever they begin and end, at indexes that are added up. */
STEP_TEST(parts_of_vectors)
{
	/*
	 * set_indx I1, b11111, 0; nop; mov.i32 V0, V_LANE_ID_32; nop
	 * nop; nop; nop; set_indx I1, b00001, S1
	 * nop; nop; nop; set_indx I1, b00010, S2
	 * nop; nop; nop; set_indx I2, b11111, 0
	 * nop; nop; nop; set_indx I2, b00011, S3
	 * nop; add.i32 b11111 I1, I1, I2; nop; st_tnsr partial 0, I1, V0, S31
	 * nop; add.i32 b11101 I1, I1, I2; nop; st_tnsr partial 0, I1, V0, S31
	 * nop; add.i32 b00011 I3, I1, I1; nop; nop
	 * nop; nop; nop; st_tnsr partial 0, I3, V0, S31
	 * halt
	 */
	static const uint8_t code[320] = {
		0x3f, 0x00, 0x00, 0x00, 0x00, 0x40, 0x54, 0x00, 0x00, 0xf8,
		0x00, 0x40, 0x80, 0xbf, 0x40, 0x02, 0x00, 0xf0, 0x01,
		[32] = 0x3f, 0x00, 0x00, 0x00, 0x00, 0xf8, 0x01, 0x00, 0x02, 0x01,
		0x00, 0x00, 0x00, 0x00, 0x80, 0x1f, 0x44, 0x40,
		[64] = 0x3f, 0x00, 0x00, 0x00, 0x00, 0xf8, 0x01, 0x00, 0x02, 0x01,
		0x00, 0x00, 0x00, 0x00, 0x80, 0x2f, 0x84, 0x40,
		[96] = 0x3f, 0x00, 0x00, 0x00, 0x00, 0xf8, 0x01, 0x00, 0x04, 0x01,
		0x00, 0x00, 0x00, 0x00, 0x80, 0xff, 0xc7, 0x47,
		[128] = 0x3f, 0x00, 0x00, 0x00, 0x00, 0xf8, 0x01, 0x00, 0x04, 0x01,
		0x00, 0x00, 0x00, 0x00, 0x80, 0x3f, 0xc4, 0x40,
		[160] = 0x42, 0x50, 0x18, 0x14, 0xc0, 0xff, 0x01, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x80, 0x1f, 0x08, 0xb0, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x08,
		[192] = 0x42, 0x50, 0x18, 0x14, 0x40, 0xff, 0x01, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x80, 0x1f, 0x08, 0xb0, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x08,
		[224] = 0x42, 0x30, 0x38, 0x14, 0xc0, 0xf8, 0x01, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x80, 0x0f, 0x00, 0xf0, 0x01,
		[256] = 0x3f, 0x00, 0x00, 0x00, 0x00, 0xf8, 0x01, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x80, 0x3f, 0x08, 0xb0, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x08,
		[288] = 0x20, 0x00, 0x00, 0x00, 0x00, 0xf8, 0x01, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x80, 0x0f, 0x00, 0xf0, 0x01,
	};
	unsigned int run, runs = unit_rounds(RUNS), n, stored = 0;
	uint32_t *desc = p->quick->launch.desc, size[5];

	put_code(p, code, sizeof(code));
	for (run = 0; run < runs; run++) {
		for (n = 0; n < 5; n++)
			size[n] = 1 + next_random(p) % (n ? 3 : 200);
		tpc_host_tensor(p->quick, 0, HOST_DATA + 4 * (next_random(p) % 8),
				run % 4 ? 7 : next_random(p) % 8, size, 0);
		desc[0x3c0 / 4 + 1] = next_random(p) % 160 - 20;
		desc[0x3c0 / 4 + 2] = next_random(p) % 4 - 1;
		desc[0x3c0 / 4 + 3] = next_random(p) % 12 - 2;
		desc[0x3c0 / 4 + 31] = run % 2 ? next_random(p) :
				       (next_random(p) % 8) << 11 | 7;
		memcpy(p->slow->launch.desc, desc,
		       sizeof(p->slow->launch.desc));
		memset(p->quick->mem + HOST_DATA - HOST_BASE, 0xff, CLEARED);
		memset(p->slow->mem + HOST_DATA - HOST_BASE, 0xff, CLEARED);
		p->quick->map = p->slow->map = run % 5;
		assert_int_equal(run_both(p, run), GAUDI_TPC_HALT);
		stored += has_stored(p->quick->mem + HOST_DATA - HOST_BASE);
	}
	assert_in_range(stored, runs / 8, runs);
}
