// SPDX-License-Identifier: GPL-2.0-only
/*
 * How fast the tensor cores are on one core of the host: kernels of the library
 * by the eight TPCs of a card without a worker, so all of it is one thread, and
 * the same by loops that the compiler has vectorised, on the same memory, in one
 * thread, in turns. Each goes through more memory than caches hold. And how many
 * instruction words a second the interpreter executes, on data in the cache.
 *
 * Prints one row per line: name, ours, peer, unit, ratio, goal, ok. With
 * --json rows are JSON objects, one per line. Other arguments: only rows that
 * have one of them in their name.
 */
#define _GNU_SOURCE
#include <math.h>

#include "../unit/chip/card.h"
#include "../unit/chip/tpc/exec/tpc_host.h"
#include "kernels/kernels.h"
#include "tpc_peers.h"
#include "rows.h"

#define ROUNDS		9
#define ROW		4096u
#define ROWS		4096u		/* of 64 MiB, of floats */
#define CODE_AT		(USER_HBM + 0x1000000)
#define A_AT		(USER_HBM + 0x4000000)
#define AREA		0x8000000u	/* to the next tensor */
#define CORES		8u
#define TPC(n)		(0xe06000u + (n) * 0x40000u)
#define DESC		0xa00u
#define EXECUTE		0x938u

struct work {
	const char *name;
	const char *kernel;
	void (*peer)(void *out, const void *a, const void *b, size_t n);
	double goal;
	uint32_t rows;
	bool sums;			/* of rows: one result for each */
	bool function;			/* the result has a tolerance */
};

static void rate_row(const char *name, double ours, double goal)
{
	if (json)
		printf("{\"name\": \"%s\", \"ours\": %.4g, \"peer\": null, \"unit\": \"Mwords/s\", \"ratio\": null, \"less\": false, \"goal\": %.3g, \"ok\": %s}\n",
		       name, ours, goal, ours >= goal ? "true" : "false");
	else
		printf("%-38s %8.4g          Mwords/s              goal %-6.3g %s\n",
		       name, ours, goal, ours >= goal ? "ok" : "MISSED");
	fflush(stdout);
}

static const struct kernel_lib *find(const char *name)
{
	const struct kernel_lib *k = kernel_lib_find(name);

	if (!k)
		die("a kernel is not there");
	return k;
}

/* --- kernels on the card ------------------------------------------------- */

static uint8_t *tensor(struct card *card, unsigned int n)
{
	return card_hbm(card) + A_AT + (size_t)n * AREA;
}

static void put_tensor(uint32_t *desc, unsigned int n, uint32_t type,
		       uint32_t cols, uint32_t rows, uint32_t padding)
{
	uint64_t addr = A_AT + (uint64_t)n * AREA;
	unsigned int d;

	desc += GAUDI_TPC_D_TENSOR(n);
	desc[GAUDI_TPC_D_BASE_LO] = (uint32_t)addr;
	desc[GAUDI_TPC_D_BASE_HI] = addr >> 32;
	desc[GAUDI_TPC_D_PADDING] = padding;
	desc[GAUDI_TPC_D_CONFIG] = (type == GAUDI_TYPE_BF16 ? 6 : 7) |
				   GAUDI_TPC_T_DIMS(3) | GAUDI_TPC_T_LAST(4);
	for (d = 0; d < GAUDI_TPC_DIMS; d++) {
		desc[GAUDI_TPC_D_SIZE(d)] = d == 0 ? cols : d == 1 ? rows : 1;
		desc[GAUDI_TPC_D_STRIDE(d)] = d == 0 ? 1 : d == 1 ? cols : 0;
	}
}

/* Rows are spread over the cores. */
static void launch(struct card *card, const struct work *w,
		   const struct kernel_lib *k)
{
	uint32_t desc[(GAUDI_TPC_DESC_END - GAUDI_TPC_DESC) / 4] = { 0 };
	uint64_t dims[2] = { w->rows, w->sums ? 1 : ROW };
	uint32_t space[5], i, n, d;

	if (kernel_lib_space(k, 2, dims, space))
		die("no index space");
	for (i = 0; i < k->num_tensors; i++)
		put_tensor(desc, i, k->tensors[i].type,
			   w->sums && i == k->space_tensor ? 1 : ROW, w->rows,
			   k->tensors[i].padding);
	desc[GAUDI_TPC_D_KERNEL] = CODE_AT;
	for (n = 0; n < CORES; n++) {
		for (d = 0; d < 5; d++) {
			desc[GAUDI_TPC_D_TID_BASE(d)] = 0;
			desc[GAUDI_TPC_D_TID_SIZE(d)] = space[d];
		}
		desc[GAUDI_TPC_D_TID_BASE(1)] = w->rows / CORES * n;
		desc[GAUDI_TPC_D_TID_SIZE(1)] = w->rows / CORES;
		desc[0x380 / 4] = 0x80000001;
		desc[0x384 / 4] = (uint32_t)(CFG + SM_E_N + SOB(n));
		/* As drivers mask it: arithmetic tells no causes. */
		wr(card, TPC(n) + 0x95c, 0x8ffe);
		wr(card, TPC(n) + 0x92c, (CFG + SM_E_N) >> 32);
		wr(card, TPC(n) + 0x964, 1 << 10);
		wr(card, TPC(n) + 0x96c, 1 << 10);
		/* As drivers do: nobody looks for overflows. */
		wr(card, TPC(n) + 0x95c, 0xffe);
		for (i = 0; i < sizeof(desc) / 4; i++)
			wr(card, TPC(n) + DESC + 4 * i, desc[i]);
	}
}

static double seconds_of(struct card *card)
{
	double start = now();
	unsigned int n;

	for (n = 0; n < CORES; n++) {
		wr(card, SM_E_N + SOB(n), 0);
		wr(card, TPC(n) + EXECUTE, 1);
	}
	card_settle(card);
	start = now() - start;
	for (n = 0; n < CORES; n++)
		if (sob(card, n) != 1)
			die("a kernel did not end");
	return start;
}

static double number(const uint8_t *p, bool bf16, size_t i)
{
	uint32_t x = 0;
	float f;

	memcpy((uint8_t *)&x + (bf16 ? 2 : 0), p + i * (bf16 ? 2 : 4),
	       bf16 ? 2 : 4);
	memcpy(&f, &x, 4);
	return f;
}

/* The peer's results are in copy. */
static void compare(const struct work *w, const uint8_t *copy,
		    const uint8_t *out, bool bf16)
{
	size_t n = w->sums ? w->rows : (size_t)w->rows * ROW, i;
	double got, want, bound;

	for (i = 0; i < n; i++) {
		got = number(out, bf16, i);
		want = number(copy, bf16, i);
		bound = w->sums ? 0.01 : w->function ?
			1e-5 * fabs(want) + 1e-6 : 0;
		if (!(fabs(got - want) <= bound)) {
			fprintf(stderr, "%s: %zu: %.9g, not %.9g\n", w->name,
				i, got, want);
			die("a result is wrong");
		}
	}
}

/* The best of each, in turns: neighbours only ever slow a core down. */
static void bench(struct card *card, const struct work *w)
{
	const struct kernel_lib *k = find(w->kernel);
	unsigned int outs = k->num_tensors - 1, i;
	bool bf16 = k->tensors[0].type == GAUDI_TYPE_BF16;
	size_t n = (size_t)w->rows * ROW, size = bf16 ? 2 : 4;
	double ours = 1e9, peers = 1e9, t, bytes;
	uint8_t code[0x10000], *out = tensor(card, outs);

	memcpy(card_hbm(card) + CODE_AT, code,
	       tpc_text(k->object, code, sizeof(code)));
	bytes = (double)n * size * (w->sums ? 1 : k->num_tensors);
	launch(card, w, k);
	for (i = 0; i < ROUNDS; i++) {
		t = now();
		w->peer(i ? out : tensor(card, 3), tensor(card, 0),
			tensor(card, 1), n);
		t = now() - t;
		peers = t < peers ? t : peers;
		if (!i)
			memset(out, 0xff, n * size);
		t = seconds_of(card);
		ours = t < ours ? t : ours;
		if (!i)
			compare(w, tensor(card, 3), out, bf16);
	}
	row(w->name, bytes / ours / 1e9, bytes / peers / 1e9, "GB/s", w->goal);
}

/* Numbers from -4 to 4, which bf16 has, too. */
static void fill_numbers(struct card *card, bool bf16)
{
	uint32_t seed = 1, i, n, x;
	float f;

	for (n = 0; n < 2; n++) {
		for (i = 0; i < ROW * ROWS * (bf16 ? 2 : 1); i++) {
			seed = seed * 1664525 + 1013904223;
			f = ((int)(seed >> 24) - 128) / 32.0f;
			memcpy(&x, &f, 4);
			x >>= bf16 ? 16 : 0;
			memcpy(tensor(card, n) + (size_t)i * (bf16 ? 2 : 4), &x,
			       bf16 ? 2 : 4);
		}
	}
}

/* --- words ----------------------------------------------------------------- */

static struct tpc_host *host_with(const struct kernel_lib *k)
{
	static uint8_t code[0x10000];
	struct tpc_host *host = tpc_host_new();

	tpc_host_code(host, code, tpc_text(k->object, code, sizeof(code)));
	return host;
}

/* The best of some launches of about a million words. */
static double words_of(struct tpc_host *host)
{
	double best = 0, t;
	unsigned int i;

	for (i = 0; i < 3 * ROUNDS; i++) {
		t = now();
		if (tpc_host_run(host, 1u << 30) != GAUDI_TPC_HALT)
			die("a kernel did not halt");
		t = host->core->words / (now() - t) / 1e6;
		best = t > best ? t : best;
	}
	return best;
}

static void bench_vector(const char *name, const char *kernel)
{
	const struct kernel_lib *k = find(kernel);
	struct tpc_host *host = host_with(k);
	const uint32_t sizes[5] = { 1024, 16, 1, 1, 1 };
	uint32_t *desc = host->launch.desc, i;

	for (i = 0; i < k->num_tensors; i++)
		tpc_host_tensor(host, i, HOST_DATA + i * 0x10000,
				k->tensors[i].type == GAUDI_TYPE_BF16 ? 6 : 7,
				sizes, 0);
	/* Each row is computed many times: its stride is 0. */
	for (i = 0; i < k->num_tensors; i++) {
		desc[GAUDI_TPC_D_TENSOR(i) + GAUDI_TPC_D_SIZE(2)] = 1000;
		desc[GAUDI_TPC_D_TENSOR(i) + GAUDI_TPC_D_STRIDE(2)] = 0;
	}
	for (i = 0; i < 5; i++)
		desc[GAUDI_TPC_D_TID_SIZE(i)] = i == 0 ? 4 : i == 1 ? 16 :
						i == 2 ? 1000 : 1;
	rate_row(name, words_of(host), 15);
	tpc_host_free(host);
}

static uint32_t scalar_result(uint32_t times)
{
	uint32_t x = 1, i;

	for (i = 0; i < times; i++) {
		x ^= x << 5;
		x += x >> 7;
		x = (x ^ i) * 0x2545f491u;
		if ((int32_t)x < 0)
			x++;
	}
	return x;
}

static void bench_scalar(const char *name)
{
	struct tpc_host *host = host_with(find("words_scalar"));
	const uint32_t sizes[5] = { 1, 1, 1, 1, 1 }, times = 50000;
	uint32_t got;

	tpc_host_tensor(host, 0, HOST_DATA, 2, sizes, 0);
	host->launch.desc[GAUDI_TPC_D_SRF(0)] = times;
	rate_row(name, words_of(host), 15);
	memcpy(&got, host->mem + (HOST_DATA - HOST_BASE), 4);
	if (got != scalar_result(times))
		die("the scalar loop's result is wrong");
	tpc_host_free(host);
}

static bool wanted(int argc, char **argv, const char *name)
{
	int i, from = 1 + json;

	for (i = from; i < argc; i++)
		if (strstr(name, argv[i]))
			return true;
	return argc == from;
}

int main(int argc, char **argv)
{
	static const struct work work[] = {
		{ "add fp32, 64 MiB", "add_f32", peer_add_f32, 0.35, ROWS,
		  false, false },
		{ "sums of rows fp32, 64 MiB", "sum_rows_f32", peer_sum_rows,
		  0.12, ROWS, true, false },
		{ "exp fp32, 64 MiB", "exp_f32", peer_exp, 0.035, ROWS,
		  false, true },
		{ "gelu fp32, 64 MiB", "gelu_f32", peer_gelu, 0.018, ROWS,
		  false, true },
		{ "add bf16, 64 MiB", "add_bf16", peer_add_bf16, 0.12, 2 * ROWS,
		  false, false },
	};
	struct gaudi_config config = { .hbm_size = 2ull << 30 };
	struct card *card = card_new(&config, 0);
	bool bf16 = false;
	unsigned int i;

	json = argc > 1 && !strcmp(argv[1], "--json");
	card->real_time = true;
	fill_numbers(card, false);
	for (i = 0; i < sizeof(work) / sizeof(work[0]); i++) {
		if (!wanted(argc, argv, work[i].name))
			continue;
		if (!bf16 && strstr(work[i].name, "bf16"))
			fill_numbers(card, bf16 = true);
		bench(card, &work[i]);
	}
	card_free(card);
	if (wanted(argc, argv, "words, add fp32 in the cache"))
		bench_vector("words, add fp32 in the cache", "add_f32");
	if (wanted(argc, argv, "words, gelu fp32 in the cache"))
		bench_vector("words, gelu fp32 in the cache", "gelu_f32");
	if (wanted(argc, argv, "words, a scalar loop"))
		bench_scalar("words, a scalar loop");
	return 0;
}
