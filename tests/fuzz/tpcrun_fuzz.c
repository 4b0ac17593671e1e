// SPDX-License-Identifier: GPL-2.0-only
/*
 * The TPC's interpreter: an input is a launch and a kernel. Whatever they are,
 * the core ends or goes on; it asks its host for memory only, and what it was
 * given is all it touches. Each kernel runs twice, with pointers to memory and
 * without them, in turns of other lengths, and has to leave the same behind.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../qemu-device/chip/tpc/exec/tpc_exec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(what) do { \
	if (!(what)) \
		abort(); \
} while (0)

#define BASE	0x2000000000ull
#define BYTES	(64u << 10)
#define CODE	BYTES		/* behind the data; as long as the input */
#define WORDS	300u

struct world {
	uint8_t *mem;			/* data */
	uint8_t *code;			/* exactly so many bytes */
	size_t code_len;
	bool map;
	struct gaudi_tpc_core *core;
	struct gaudi_tpc_cache *cache;
};

static struct world worlds[2];

/* Another piece of memory for the sanitizer to watch than the data. */
static uint8_t *at(struct world *w, uint64_t addr, size_t *len)
{
	uint64_t off = addr - BASE, end;
	bool code = off >= CODE;
	uint8_t *from = code ? w->code : w->mem;

	if (code)
		off -= CODE;
	end = code ? w->code_len : BYTES;
	if (addr < BASE || off >= end)
		return NULL;
	if (*len > end - off)
		*len = end - off;
	return from + off;
}

static int fuzz_read(void *opaque, uint64_t addr, void *buf, size_t len)
{
	size_t got = len;
	uint8_t *p = at(opaque, addr, &got);

	if (!p || got < len)
		return -1;
	memcpy(buf, p, len);
	return 0;
}

/* Code is not written to: what has been decoded would differ from it. */
static int fuzz_write(void *opaque, uint64_t addr, const void *buf, size_t len)
{
	size_t got = len;
	uint8_t *p = at(opaque, addr, &got);

	if (!p || got < len || addr - BASE >= CODE)
		return -1;
	memcpy(p, buf, len);
	return 0;
}

static uint8_t *fuzz_map(void *opaque, uint64_t addr, size_t *len, bool write)
{
	struct world *w = opaque;

	if (!w->map || (write && addr - BASE >= CODE))
		return NULL;
	return at(w, addr, len);
}

static size_t fuzz_there(void *opaque, uint64_t addr, size_t len, bool write)
{
	return at(opaque, addr, &len) && !(write && addr - BASE >= CODE) ? len :
									   0;
}

static int fuzz_reg_read(void *opaque, uint32_t off, uint32_t *value)
{
	(void)opaque;
	CHECK(off % 4 == 0);
	*value = off;
	return off >= 0x1000;
}

static int fuzz_reg_write(void *opaque, uint32_t off, uint32_t value)
{
	(void)opaque;
	(void)value;
	CHECK(off % 4 == 0);
	return off >= 0x1000;
}

static const struct gaudi_tpc_host host = {
	.read = fuzz_read,
	.write = fuzz_write,
	.map = fuzz_map,
	.there = fuzz_there,
	.reg_read = fuzz_reg_read,
	.reg_write = fuzz_reg_write,
};

static void init(struct world *w, bool map)
{
	if (w->core) {
		gaudi_tpc_core_reset(w->core);
	} else {
		w->mem = malloc(BYTES);
		w->cache = gaudi_tpc_cache_new(4u << 20);
		CHECK(w->mem && w->cache);
		w->core = gaudi_tpc_core_new(&host, w, w->cache);
		CHECK(w->core);
	}
	w->map = map;
}

/* A small launch of any kind from eight bytes. */
static void make_launch(struct gaudi_tpc_launch *launch, const uint8_t *p)
{
	uint32_t *desc, seed, n, d;

	memset(launch, 0, sizeof(*launch));
	memcpy(&seed, p, 4);
	for (n = 0; n < GAUDI_TPC_TENSORS; n++) {
		desc = &launch->desc[GAUDI_TPC_D_TENSOR(n)];
		seed = seed * 1664525 + 1013904223;
		desc[GAUDI_TPC_D_BASE_LO] = seed >> 8 & (2 * BYTES - 1);
		desc[GAUDI_TPC_D_BASE_HI] = BASE >> 32;
		desc[GAUDI_TPC_D_PADDING] = seed;
		desc[GAUDI_TPC_D_CONFIG] = seed >> 3;
		for (d = 0; d < GAUDI_TPC_DIMS; d++) {
			seed = seed * 1664525 + 1013904223;
			desc[GAUDI_TPC_D_SIZE(d)] = seed >> (12 + p[4] % 16);
			desc[GAUDI_TPC_D_STRIDE(d)] =
				d ? seed >> (8 + p[5] % 24) : 1 + !(p[5] & 7);
		}
	}
	launch->desc[GAUDI_TPC_D_KERNEL] = CODE;
	launch->desc[GAUDI_TPC_D_KERNEL + 1] = BASE >> 32;
	launch->desc[GAUDI_TPC_D_KCONFIG] = p[6];
	launch->causes = p[6] & 0x40 ? GAUDI_TPC_CAUSES : 0;
	for (d = 0; d < GAUDI_TPC_DIMS; d++)
		launch->desc[GAUDI_TPC_D_TID_SIZE(d)] = 1 + p[7] % 4;
	for (n = 0; n < GAUDI_TPC_S_COUNT; n++) {
		seed = seed * 1664525 + 1013904223;
		launch->desc[GAUDI_TPC_D_SRF(n)] = seed >> seed % 32;
	}
	launch->round_csr = p[6];
	for (n = 0; n < 4; n++)
		launch->lut[n] = BASE + 0x2000 * n;
}

static enum gaudi_tpc_why run(struct world *w,
			      const struct gaudi_tpc_launch *launch,
			      unsigned int turn)
{
	enum gaudi_tpc_why why = GAUDI_TPC_BUDGET;
	uint64_t words = 0, before;
	char text[200] = "";
	unsigned int i;

	for (i = 0; i < BYTES / 4; i++)
		((uint32_t *)(void *)w->mem)[i] = i * 2654435761u;
	gaudi_tpc_launch(w->core, launch);
	for (; words < WORDS && why == GAUDI_TPC_BUDGET; words += turn) {
		before = w->core->words;
		why = gaudi_tpc_execute(w->core, turn);
		CHECK(w->core->words - before <= turn);
	}
	gaudi_tpc_stop_text(w->core, text, sizeof(text));
	CHECK(*text);
	return why;
}

/* A host that copies ends where one with pointers ends, with the same. */
static void compare(const struct world *a, const struct world *b)
{
	CHECK(!memcmp(&a->core->r, &b->core->r, sizeof(a->core->r)));
	CHECK(!memcmp(a->mem, b->mem, BYTES));
	CHECK(!memcmp(a->core->slm, b->core->slm, sizeof(a->core->slm)));
	CHECK(!memcmp(a->core->vlm, b->core->vlm, sizeof(a->core->vlm)));
	CHECK(a->core->words == b->core->words);
	CHECK(a->core->pc == b->core->pc);
	CHECK(a->core->semaphore == b->core->semaphore);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const alu[] = { "portable", "avx2", "avx512" };
	enum gaudi_tpc_why why[2];
	struct gaudi_tpc_launch launch;
	uint8_t *code;
	unsigned int i;

	if (size < 9 + GAUDI_TPC_WORD)
		return 0;
	make_launch(&launch, data);
	code = malloc(size - 9);
	CHECK(code);
	memcpy(code, data + 9, size - 9);
	for (i = 0; i < 2; i++) {
		init(&worlds[i], !i);
		worlds[i].code = code;
		worlds[i].code_len = size - 9;
		/* Where the host has it not, the other one is used again. */
		gaudi_tpc_use_alu(worlds[i].core, alu[(data[8] + i) % 3]);
		CHECK(!gaudi_tpc_check_hazards(worlds[i].core, data[8] & 64));
		why[i] = run(&worlds[i], &launch, i ? 50 : WORDS);
	}
	CHECK(why[0] == why[1]);
	/* A failed access leaves part of a result. */
	if (why[0] == GAUDI_TPC_HALT || why[0] == GAUDI_TPC_BUDGET)
		compare(&worlds[0], &worlds[1]);
	for (i = 0; i < 2; i++) {
		gaudi_tpc_core_reset(worlds[i].core);
		/* LeakSanitizer does not look into the memory of cores, which is no heap's. */
		gaudi_tpc_check_hazards(worlds[i].core, false);
	}
	free(code);
	return 0;
}
