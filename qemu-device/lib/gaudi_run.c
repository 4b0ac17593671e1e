// SPDX-License-Identifier: GPL-2.0-or-later
/* One TPC beside memory of the caller's; see gaudi_run.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../chip/tpc/isa/tpc_isa_table.h"
#include "gaudi_run_core.h"

#define CACHE_BYTES	(16u << 20)

struct memory {
	uint64_t addr;
	uint8_t *bytes;
	size_t size;
	bool write;
	uint8_t *marks;			/* the caller's, one for each byte; or NULL */
};

struct gaudi_run {
	struct gaudi_tpc_launch launch;
	struct gaudi_tpc_cache *cache;
	struct gaudi_tpc_core *core;
	struct memory *memory;
	size_t memories;
	uint64_t *coverage;		/* the caller's, one for each word; or NULL */
	size_t covered;
};

/* --- memory ---------------------------------------------------------------- */

static const struct memory *memory_at(const struct gaudi_run *run, uint64_t addr,
				      bool write)
{
	const struct memory *m;

	for (m = run->memory; m < run->memory + run->memories; m++)
		if (addr - m->addr < m->size && (!write || m->write))
			return m;
	return NULL;
}

/* len bytes at addr, marked if they are wanted to be; NULL: not all are there. */
static uint8_t *touch(const struct gaudi_run *run, uint64_t addr, size_t len,
		      bool write)
{
	const struct memory *m = memory_at(run, addr, write);
	uint64_t from;
	size_t i;

	if (!m)
		return NULL;
	from = addr - m->addr;
	if (len > m->size - from)
		return NULL;
	for (i = 0; m->marks && i < len; i++)
		m->marks[from + i] |= write ? GAUDI_RUN_WRITTEN : GAUDI_RUN_READ;
	return m->bytes + from;
}

static int host_read(void *opaque, uint64_t addr, void *buf, size_t len)
{
	uint8_t *p = touch(opaque, addr, len, false);

	if (!p)
		return -1;
	memcpy(buf, p, len);
	return 0;
}

static int host_write(void *opaque, uint64_t addr, const void *buf, size_t len)
{
	uint8_t *p = touch(opaque, addr, len, true);

	if (!p)
		return -1;
	memcpy(p, buf, len);
	return 0;
}

static uint8_t *host_map(void *opaque, uint64_t addr, size_t *len, bool write)
{
	const struct memory *m = memory_at(opaque, addr, write);

	/* What is mapped is reached without a word to us. */
	if (!m || m->marks)
		return NULL;
	*len = m->size - (addr - m->addr);
	return m->bytes + (addr - m->addr);
}

static size_t host_there(void *opaque, uint64_t addr, size_t len, bool write)
{
	const struct memory *m = memory_at(opaque, addr, write);

	if (!m)
		return 0;
	return m->size - (addr - m->addr) < len ? m->size - (addr - m->addr) : len;
}

static const struct gaudi_tpc_host host = {
	.read = host_read,
	.write = host_write,
	.map = host_map,
	.there = host_there,
};

struct gaudi_run *gaudi_run_new(void)
{
	struct gaudi_run *run = calloc(1, sizeof(*run));

	if (!run)
		return NULL;
	run->cache = gaudi_tpc_cache_new(CACHE_BYTES);
	if (run->cache)
		run->core = gaudi_tpc_core_new(&host, run, run->cache);
	if (run->core)
		return run;
	gaudi_run_free(run);
	return NULL;
}

void gaudi_run_free(struct gaudi_run *run)
{
	if (run->core)
		gaudi_tpc_core_free(run->core);
	if (run->cache)
		gaudi_tpc_cache_free(run->cache);
	free(run->memory);
	free(run);
}

int gaudi_run_memory(struct gaudi_run *run, uint64_t addr, void *bytes,
		     size_t size, bool write)
{
	struct memory *more = reallocarray(run->memory, run->memories + 1,
					   sizeof(*more));

	if (!more)
		return -ENOMEM;
	more[run->memories++] = (struct memory){ addr, bytes, size, write, NULL };
	run->memory = more;
	return 0;
}

int gaudi_run_marks(struct gaudi_run *run, uint64_t addr, uint8_t *marks)
{
	struct memory *m;

	for (m = run->memory; m < run->memory + run->memories; m++) {
		if (m->addr != addr)
			continue;
		m->marks = marks;
		return 0;
	}
	return -ENOENT;
}

struct gaudi_tpc_core *gaudi_core_of_run(const struct gaudi_run *run)
{
	return run->core;
}

/* --- launches -------------------------------------------------------------- */

void gaudi_run_kernel(struct gaudi_run *run, uint64_t addr,
		      const uint32_t *scalars, unsigned int count,
		      bool small_vlm)
{
	uint32_t *desc = run->launch.desc;

	desc[GAUDI_TPC_D_KERNEL] = (uint32_t)addr;
	desc[GAUDI_TPC_D_KERNEL + 1] = addr >> 32;
	desc[GAUDI_TPC_D_KCONFIG] =
		GAUDI_TPC_KC_SRFS(count) |
		(small_vlm ? GAUDI_TPC_KC_SMALL_VLM : 0);
	memcpy(&desc[GAUDI_TPC_D_SRF(0)], scalars, count * sizeof(*scalars));
}

void gaudi_run_tensor(struct gaudi_run *run, unsigned int n, uint64_t addr,
		      unsigned int type, uint32_t padding,
		      const uint32_t *sizes)
{
	uint32_t *desc = &run->launch.desc[GAUDI_TPC_D_TENSOR(n)];
	uint32_t stride = 1;
	unsigned int d;

	desc[GAUDI_TPC_D_BASE_LO] = (uint32_t)addr;
	desc[GAUDI_TPC_D_BASE_HI] = addr >> 32;
	desc[GAUDI_TPC_D_PADDING] = padding;
	desc[GAUDI_TPC_D_CONFIG] = type | GAUDI_TPC_T_DIMS(0x1f) |
				   GAUDI_TPC_T_LAST(GAUDI_TPC_DIMS - 1);
	for (d = 0; d < GAUDI_TPC_DIMS; d++) {
		desc[GAUDI_TPC_D_SIZE(d)] = sizes[d];
		desc[GAUDI_TPC_D_STRIDE(d)] = stride;
		stride *= sizes[d];
	}
}

void gaudi_run_lut(struct gaudi_run *run, unsigned int n, uint64_t addr)
{
	run->launch.lut[n] = addr;
}

int gaudi_run_round(struct gaudi_run *run, const char *mode)
{
	const struct gaudi_tpc_names *names = &gaudi_tpc_names[GAUDI_TPC_SW_RM];
	unsigned int i;

	for (i = 0; i < names->count; i++) {
		if (i == GAUDI_TPC_RM_DEFAULT || strcmp(mode, names->list[i]))
			continue;
		run->launch.round_csr = i;
		return 0;
	}
	return -EINVAL;
}

void gaudi_run_causes(struct gaudi_run *run, bool on)
{
	run->launch.causes = on ? GAUDI_TPC_CAUSES : 0;
}

int gaudi_run_hazards(struct gaudi_run *run, bool on)
{
	return gaudi_tpc_check_hazards(run->core, on);
}

void gaudi_run_launch(struct gaudi_run *run, const uint32_t *from,
		      const uint32_t *sizes)
{
	unsigned int d;

	for (d = 0; d < GAUDI_TPC_DIMS; d++) {
		run->launch.desc[GAUDI_TPC_D_TID_BASE(d)] = from[d];
		run->launch.desc[GAUDI_TPC_D_TID_SIZE(d)] = sizes[d];
	}
	gaudi_tpc_core_reset(run->core);
	gaudi_tpc_launch(run->core, &run->launch);
}

void gaudi_run_poison(struct gaudi_run *run, uint64_t seed)
{
	gaudi_tpc_poison(run->core, seed);
}

int gaudi_result_of_run(enum gaudi_tpc_why why)
{
	switch (why) {
	case GAUDI_TPC_BUDGET:
		return GAUDI_RUN_GOES_ON;
	case GAUDI_TPC_HALT:
		return GAUDI_RUN_ENDED;
	case GAUDI_TPC_BREAK:
		return GAUDI_RUN_BREAK;
	case GAUDI_TPC_READ:
	case GAUDI_TPC_WRITE:
		return GAUDI_RUN_NO_MEMORY;
	case GAUDI_TPC_HAZARD:
		return GAUDI_RUN_HAZARD;
	default:
		return GAUDI_RUN_ERROR;
	}
}

void gaudi_run_coverage(struct gaudi_run *run, uint64_t *counts, size_t words)
{
	run->coverage = counts;
	run->covered = words;
}

/* One by one, to count them. */
static enum gaudi_tpc_why execute_covered(struct gaudi_run *run, uint64_t words)
{
	struct gaudi_tpc_core *core = run->core;
	enum gaudi_tpc_why why = GAUDI_TPC_BUDGET;
	uint64_t word, before;

	while (words-- && why == GAUDI_TPC_BUDGET) {
		word = (core->pc - core->base) / GAUDI_TPC_WORD;
		before = core->words;
		why = gaudi_tpc_execute(core, 1);
		if (word < run->covered)
			run->coverage[word] += core->words - before;
	}
	return why;
}

static enum gaudi_tpc_why execute(struct gaudi_run *run, uint64_t words)
{
	return run->coverage ? execute_covered(run, words) :
			       gaudi_tpc_execute(run->core, words);
}

/* The interpreter stops at a breakpoint also if it begins there: one word first. */
int gaudi_run_execute(struct gaudi_run *run, uint64_t words,
		      const uint64_t *breaks, size_t count)
{
	enum gaudi_tpc_why why = GAUDI_TPC_BUDGET;

	if (words) {
		gaudi_tpc_breakpoints(run->core, NULL, 0);
		why = execute(run, 1);
	}
	if (why != GAUDI_TPC_BUDGET || words < 2)
		return gaudi_result_of_run(why);
	gaudi_tpc_breakpoints(run->core, breaks, count);
	return gaudi_result_of_run(execute(run, words - 1));
}

void gaudi_run_why(const struct gaudi_run *run, char *text, size_t size)
{
	gaudi_tpc_stop_text(run->core, text, size);
}

/* --- registers ------------------------------------------------------------- */

#define PART(name, field) \
	{ name, offsetof(struct gaudi_tpc_core, field), \
	  sizeof(((struct gaudi_tpc_core *)0)->field) }

void *gaudi_run_part(struct gaudi_run *run, const char *name, size_t *size)
{
	static const struct {
		const char *name;
		size_t offset, size;
	} parts[] = {
		PART("v", r.v), PART("vp", r.vp), PART("lfsr", r.lfsr),
		PART("carry", r.carry), PART("s", r.s), PART("sp", r.sp),
		PART("i", r.i), PART("ad", r.ad), PART("s_lfsr", r.s_lfsr),
		PART("div_step", r.div_step), PART("s_carry", r.s_carry),
		PART("semaphore", semaphore), PART("pc", pc),
		PART("words", words), PART("slm", slm), PART("vlm", vlm),
		PART("vlm_bytes", vlm_size), PART("causes", causes),
		PART("causes_pc", causes_pc), PART("stop_addr", stop.addr),
		PART("stop_pc", stop.pc),
		{ "count", offsetof(struct gaudi_tpc_core, count),
		  GAUDI_TPC_KNOWN * sizeof(uint64_t) },
	};
	unsigned int i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (strcmp(name, parts[i].name))
			continue;
		*size = parts[i].size;
		return (uint8_t *)run->core + parts[i].offset;
	}
	return NULL;
}

const char *gaudi_run_slot_name(unsigned int slot)
{
	return slot < GAUDI_TPC_SLOTS ? gaudi_tpc_slot_name(slot) : NULL;
}

const char *gaudi_run_op_name(unsigned int op)
{
	return op < GAUDI_TPC_OP_COUNT ? gaudi_tpc_op_name(op) : NULL;
}

/* --- words ----------------------------------------------------------------- */

int gaudi_run_decode(const uint8_t *code, int64_t offset, const char *target,
		     struct gaudi_run_word *word, char *text, size_t size)
{
	const struct gaudi_tpc_operand *b;
	struct gaudi_tpc_error err;
	struct gaudi_tpc_word w;
	unsigned int i;

	*word = (struct gaudi_run_word){ .leads = -1, .loop_end = -1 };
	if (gaudi_tpc_decode(code, &w, &err)) {
		snprintf(text, size, "%s", err.text);
		return -EINVAL;
	}
	gaudi_tpc_print_to(&w, target, text, size);
	if (!gaudi_tpc_target(&w, offset, &word->leads) || word->leads < 0)
		word->leads = -1;
	if (w.is_loop)
		word->loop_end = w.loop.end;
	for (i = 0; i < GAUDI_TPC_SLOTS; i++) {
		b = &w.slot[i].src[GAUDI_TPC_SRC_B];
		if (b->kind == GAUDI_TPC_K_TENSOR)
			word->tensors |= 1u << b->num;
	}
	return 0;
}
