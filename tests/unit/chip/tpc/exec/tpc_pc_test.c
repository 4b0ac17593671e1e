// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where a kernel is and what it can read of its core: the program counter and
 * its 32 bits, jumps, DIV_STEP, the flags, pages of code that are kept. Words by hand,
 * at any offset.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "tpc_host.h"

#define OP(name)	GAUDI_TPC_OP_##name
#define K(name)		GAUDI_TPC_K_##name
#define SW(name)	GAUDI_TPC_SW_##name
#define KERNEL		0x7000000020ull		/* no multiple of a page */
#define WORDS		8

/* Memory that is NOPs but for some words. */
struct code {
	struct gaudi_tpc_cache *cache;
	struct gaudi_tpc_core *core;
	struct gaudi_tpc_launch launch;
	unsigned int count;
	uint64_t at[WORDS];
	uint8_t raw[WORDS][GAUDI_TPC_WORD];
};

static int code_read(void *opaque, uint64_t addr, void *buf, size_t len)
{
	struct code *code = opaque;
	struct gaudi_tpc_word word;
	unsigned int i;

	assert_int_equal(len, GAUDI_TPC_WORD);
	assert_int_equal((addr - KERNEL) % GAUDI_TPC_WORD, 0);
	for (i = 0; i < code->count; i++)
		if (code->at[i] == addr - KERNEL) {
			memcpy(buf, code->raw[i], len);
			return 0;
		}
	gaudi_tpc_nops(&word);
	return gaudi_tpc_encode(&word, buf, NULL);
}

static int no_write(void *opaque, uint64_t addr, const void *buf, size_t len)
{
	(void)opaque;
	(void)addr;
	(void)buf;
	(void)len;
	return -1;
}

static const struct gaudi_tpc_host ops = {
	.read = code_read, .write = no_write,
};

/* A word of the SPU's operation only. */
static void put(struct code *code, uint64_t at,
		const struct gaudi_tpc_insn *insn)
{
	struct gaudi_tpc_word word;
	struct gaudi_tpc_error err;

	assert_true(code->count < WORDS);
	gaudi_tpc_nops(&word);
	word.slot[insn->slot] = *insn;
	if (gaudi_tpc_encode(&word, code->raw[code->count], &err))
		fail_msg("%s", err.text);
	code->at[code->count++] = at;
}

static void put_jump(struct code *code, uint64_t at, unsigned int op,
		     uint32_t by)
{
	const struct gaudi_tpc_insn insn = {
		.op = op, .slot = GAUDI_TPC_SPU, .type = GAUDI_TPC_NO_TYPE,
		.src = { { .kind = K(IMM), .value = by } },
	};

	put(code, at, &insn);
}

static void encode(uint8_t raw[GAUDI_TPC_WORD], bool halt)
{
	struct gaudi_tpc_word word;

	gaudi_tpc_nops(&word);
	if (halt) {
		word.slot[GAUDI_TPC_SPU].op = OP(HALT);
		word.slot[GAUDI_TPC_VPU].op = OP(HALT);
	}
	assert_int_equal(gaudi_tpc_encode(&word, raw, NULL), 0);
}

static void put_halt(struct code *code, uint64_t at)
{
	encode(code->raw[code->count], true);
	code->at[code->count++] = at;
}

/* Of NOPs but for the last word. */
static void put_kernel(uint8_t *raw, unsigned int words)
{
	unsigned int i;

	for (i = 0; i < words; i++)
		encode(raw + i * GAUDI_TPC_WORD, i == words - 1);
}

static void put_mov(struct code *code, uint64_t at, unsigned int dest,
		    unsigned int reg)
{
	struct gaudi_tpc_insn insn = {
		.op = OP(MOV), .slot = GAUDI_TPC_SPU,
		.type = GAUDI_TPC_NO_TYPE,
		.dest = { .kind = K(S), .num = dest },
		.src = { [1] = { .kind = K(HW), .num = reg } },
	};

	insn.sw[SW(HW_REG)] = 1;
	put(code, at, &insn);
}

/* Z by S of the same test. */
static void put_division(struct code *code, uint64_t at, int step)
{
	struct gaudi_tpc_insn insn = {
		.op = OP(UDIV_4STEP), .slot = GAUDI_TPC_SPU,
		.type = GAUDI_TPC_U32, .dest = { .kind = K(Z), .num = 4 },
		.src = { { .kind = K(S), .num = 1 } },
	};

	insn.sw[SW(STEP)] = step < 0 ? 0 : step;
	insn.sw[SW(STEP_REG)] = step < 0;
	put(code, at, &insn);
}

static enum gaudi_tpc_why run(struct code *code, uint64_t words)
{
	gaudi_tpc_launch(code->core, &code->launch);
	return gaudi_tpc_execute(code->core, words);
}

/* --- tests ----------------------------------------------------------------------- */

static void ended_at(const struct code *code, enum gaudi_tpc_why why,
		     uint64_t pc, uint64_t addr)
{
	const struct gaudi_tpc_stop *stop = &code->core->stop;

	assert_int_equal(stop->why, why);
	assert_int_equal(stop->pc - KERNEL, pc);
	assert_int_equal(stop->addr, KERNEL + addr);
}

static int setup(void **state)
{
	struct code *code = calloc(1, sizeof(*code));

	if (!code)
		return -1;
	code->cache = gaudi_tpc_cache_new(1u << 20);
	code->core = gaudi_tpc_core_new(&ops, code, code->cache);
	code->launch.desc[GAUDI_TPC_D_KERNEL] = (uint32_t)KERNEL;
	code->launch.desc[GAUDI_TPC_D_KERNEL + 1] = KERNEL >> 32;
	*state = code;
	return code->core ? 0 : -1;
}

static int teardown(void **state)
{
	struct code *code = *state;

	gaudi_tpc_core_free(code->core);
	gaudi_tpc_cache_free(code->cache);
	free(code);
	return 0;
}

#define PC_TEST(fn) TEST_OF(fn, struct code *code, setup, teardown)

/* Backwards out of the kernel, from its second word. */
PC_TEST(before_the_kernel)
{
	put_jump(code, 32, OP(JMPR), -64);
	run(code, 100);
	ended_at(code, GAUDI_TPC_WRAP, 32, -32);
	assert_int_equal(code->core->words, 1);
}

/* By two jumps to the end of what 32 bits reach, and on from there. */
PC_TEST(beyond_32_bits)
{
	uint64_t half = 0x7fffffe0;

	put_jump(code, 0, OP(JMPR), half);
	put_jump(code, half, OP(JMPR), half);
	run(code, 100);
	ended_at(code, GAUDI_TPC_WRAP, 1ull << 32, 1ull << 32);
	assert_int_equal(code->core->words, 2 + 2);
	put_jump(code, 0xffffffe0, OP(JMPR), 32);
	run(code, 100);
	ended_at(code, GAUDI_TPC_WRAP, 0xffffffe0, 1ull << 32);
	code->count--;
	put_halt(code, 0xffffffe0);
	assert_int_equal(run(code, 100), GAUDI_TPC_HALT);
}

PC_TEST(into_a_word)
{
	char text[200];

	put_jump(code, 64, OP(JMPR), 48);
	run(code, 100);
	ended_at(code, GAUDI_TPC_ILLEGAL, 64, 64 + 48);
	gaudi_tpc_stop_text(code->core, text, sizeof(text));
	assert_string_equal(text, "illegal instruction at 0x7000000060: "
			    "a jump into the midst of a word");
}

PC_TEST(counter_is_read)
{
	put_mov(code, 0x60, 3, GAUDI_TPC_HW_PC);
	put_jump(code, 0x80, OP(JMPA), 0x12340);
	put_mov(code, 0x12360, 4, GAUDI_TPC_HW_PC);
	put_halt(code, 0x12380);
	assert_int_equal(run(code, 100), GAUDI_TPC_HALT);
	assert_int_equal(code->core->r.s[3], 0x60);
	assert_int_equal(code->core->r.s[4], 0x12360);
}

/* From an explicit step on, the register says where the next four begin. */
PC_TEST(division_by_steps)
{
	unsigned int i;

	put_division(code, 0, 15);
	for (i = 1; i < 4; i++)
		put_division(code, 32 * i, -1);
	put_mov(code, 32 * 4, 8, GAUDI_TPC_HW_DIV_STEP);
	put_halt(code, 32 * 5);
	gaudi_tpc_launch(code->core, &code->launch);
	code->core->r.s[1] = 123;
	code->core->r.s[4] = 54321;
	assert_int_equal(gaudi_tpc_execute(code->core, 2), GAUDI_TPC_BUDGET);
	assert_int_equal(code->core->r.div_step, 7);
	assert_int_equal(gaudi_tpc_execute(code->core, 9), GAUDI_TPC_HALT);
	assert_int_equal(code->core->r.s[4], 54321 % 123);
	assert_int_equal(code->core->r.s[5], 54321 / 123);
	assert_int_equal(code->core->r.s[8], 31);
}

/* ld_l mmio of both flags, before and behind an ADD that makes a carry. */
PC_TEST(flags_show_carries)
{
	struct gaudi_tpc_insn load = {
		.op = OP(LD_L), .slot = GAUDI_TPC_LOAD,
		.type = GAUDI_TPC_NO_TYPE, .src = { { .kind = K(IMM) } },
	};
	const struct gaudi_tpc_insn add = {
		.op = OP(ADD), .slot = GAUDI_TPC_SPU, .type = GAUDI_TPC_U32,
		.dest = { .kind = K(S), .num = 9 },
		.src = { { .kind = K(S), .num = 1 }, { .kind = K(S), .num = 2 } },
	};
	struct gaudi_tpc_insn vector = add;
	unsigned int i;

	vector.slot = GAUDI_TPC_VPU;
	vector.dest.kind = K(V);
	vector.src[0].kind = K(V);
	vector.src[1].kind = K(V);
	load.sw[SW(MMIO)] = 1;
	for (i = 0; i < 4; i++) {
		load.src[0].value = i % 2 ? 0x910 : 0x90c;
		load.dest = (struct gaudi_tpc_operand) { K(S), 20 + i, 0 };
		put(code, 32 * (i + i / 2 * 2), &load);
	}
	put(code, 64, &add);
	put(code, 96, &vector);
	gaudi_tpc_launch(code->core, &code->launch);
	code->core->r.s[1] = 0xffffffff;
	code->core->r.s[2] = 1;
	code->core->r.v[1].w[50] = 0xffffffff;
	code->core->r.v[2].w[50] = 2;
	assert_int_equal(gaudi_tpc_execute(code->core, 6), GAUDI_TPC_BUDGET);
	assert_int_equal(code->core->r.s[20], 0);
	assert_int_equal(code->core->r.s[21], 0);
	assert_int_equal(code->core->r.s[22], 1);
	assert_int_equal(code->core->r.s[23], 1);
	assert_int_equal(gaudi_tpc_vflags(code->core), 1);
	assert_int_equal(gaudi_tpc_sflags(code->core), 1);
}

/* A core keeps pages from one launch to the next, and sees that they are others now. */
HOST_TEST(code_that_changed)
{
	uint8_t code[2][2 * GAUDI_TPC_WORD] = {};
	unsigned int i;

	for (i = 0; i < 2; i++)
		put_kernel(code[i], 2 - i);
	for (i = 0; i < 6; i++) {
		tpc_host_code(host, code[i % 2], sizeof(code[0]));
		assert_int_equal(tpc_host_run(host, 10), GAUDI_TPC_HALT);
		assert_int_equal(host->core->words, 2 - i % 2);
	}
}

/* The core reads where it likes, up to what may not be read. */
struct guarded {
	uint8_t *memory, *kernel;
	long page;
};

static uint8_t *guarded_map(void *opaque, uint64_t addr, size_t *len, bool write)
{
	struct guarded *guarded = opaque;

	assert_false(write);
	*len = 64 * GAUDI_TPC_WORD;
	return guarded->kernel + (addr - KERNEL);
}

static const struct gaudi_tpc_host guarded_ops = {
	.read = code_read, .write = no_write, .map = guarded_map,
};

/* Others write behind a kernel while it runs, and behind a shorter one where it was. */
TEST(nothing_behind_the_kernel_is_read)
{
	struct gaudi_tpc_cache *cache = gaudi_tpc_cache_new(1u << 20);
	struct gaudi_tpc_launch launch = {
		.desc[GAUDI_TPC_D_KERNEL] = (uint32_t)KERNEL,
		.desc[GAUDI_TPC_D_KERNEL + 1] = KERNEL >> 32,
	};
	struct guarded guarded = { .page = sysconf(_SC_PAGESIZE) };
	struct gaudi_tpc_core *core = gaudi_tpc_core_new(&guarded_ops, &guarded, cache);
	unsigned int words;

	guarded.memory = mmap(NULL, 2 * guarded.page, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(guarded.memory, MAP_FAILED);
	assert_int_equal(mprotect(guarded.memory + guarded.page, guarded.page, PROT_NONE), 0);
	for (words = 3; words; words--) {
		guarded.kernel = guarded.memory + guarded.page - words * GAUDI_TPC_WORD;
		put_kernel(guarded.kernel, words);
		gaudi_tpc_launch(core, &launch);
		assert_int_equal(gaudi_tpc_execute(core, 10), GAUDI_TPC_HALT);
		assert_int_equal(core->words, words);
	}
	munmap(guarded.memory, 2 * guarded.page);
	gaudi_tpc_core_free(core);
	gaudi_tpc_cache_free(cache);
}

/* More pages than a core keeps: none of them is the core's after the end. */
HOST_TEST(long_code_is_not_kept)
{
	enum { LONG = 5 * 64 };
	static uint8_t code[LONG * GAUDI_TPC_WORD];
	unsigned int i;

	put_kernel(code, LONG);
	for (i = 0; i < 2; i++) {
		tpc_host_code(host, code, sizeof(code));
		assert_int_equal(tpc_host_run(host, LONG), GAUDI_TPC_HALT);
		assert_int_equal(host->core->words, LONG);
		assert_int_equal(host->core->held, 0);
	}
}
