// SPDX-License-Identifier: GPL-2.0-only
/*
 * How fast the matrix engine's arithmetic is on one core: products of two
 * matrices of 1024 x 1024 by the kernels, tile by tile and with all packing, and
 * by descriptors on a card without a worker; a 3x3 convolution by descriptor.
 * The peer is OpenBLAS's sgemm of the same size, called directly, in the same
 * run and in turns.
 *
 * Prints one row per line: name, ours, peer, unit, ratio, goal, ok. With
 * --json rows are JSON objects, one per line.
 */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "../../qemu-device/chip/mme/kernel/mme_blas.h"
#include "../unit/chip/mme/mme_gen.h"
#include "rows.h"

#define N		1024u
#define ROUNDS		9
#define FLOP		(2.0 * N * N * N)
#define A_AT		(USER_HBM + 0x0000000)
#define B_AT		(USER_HBM + 0x1000000)
#define C_AT		(USER_HBM + 0x2000000)
/* The convolution: pixels, channels in and out */
#define SIDE		56u
#define CHANNELS	64u
#define FILTERS		128u

struct bench {
	gaudi_sgemm *sgemm;
	const struct gaudi_mme_kernel *kernel;
	struct gaudi_mme_blas blas;
	float *a, *b, *c;		/* N x N */
	uint16_t *half_a, *half_b;
	float *panel_a, *panel_b, *part, *tile;
	struct card *card;
};

static void *area(size_t size)
{
	void *p = aligned_alloc(64, size);

	if (!p)
		die("no memory");
	memset(p, 0, size);
	return p;
}

/* --- the peer ---------------------------------------------------------- */

/* With the kernels that it chooses itself, whatever the environment says */
static void open_peer(struct bench *b)
{
	void (*set_threads)(int num);
	void *lib;

	unsetenv("OPENBLAS_CORETYPE");
	unsetenv("OPENBLAS_L2_SIZE");
	lib = dlopen("libopenblas.so.0", RTLD_NOW);
	if (!lib)
		die("libopenblas.so.0 is not there; scripts/setup --tests packages installs it");
	b->sgemm = (gaudi_sgemm *)dlsym(lib, "cblas_sgemm");
	set_threads = (void (*)(int))dlsym(lib, "openblas_set_num_threads");
	if (!b->sgemm || !set_threads)
		die("libopenblas.so.0 has no cblas_sgemm");
	set_threads(1);
}

static void peer(struct bench *b)
{
	b->sgemm(101, 111, 111, N, N, N, 1.0f, b->a, N, b->b, N, 0.0f, b->c, N);
}

/* --- the kernels -------------------------------------------------------- */

struct shape {
	bool exact;
	bool bf16;
	unsigned int rows;	/* of a tile, and columns of both cores' */
	unsigned int cols;
};

/* All of a column of tiles is packed once, as descriptors pack an operand. */
static void pack(struct bench *b, const struct shape *s, bool left,
		 unsigned int from)
{
	unsigned int width = left ? s->rows : s->cols, i;
	size_t elem = s->bf16 ? 2 : 4;
	float *to = left ? b->panel_a : b->panel_b + (size_t)from * N;
	const uint8_t *mem = left ? (s->bf16 ? (void *)b->half_a : b->a) :
				    (s->bf16 ? (void *)b->half_b : b->b);
	struct gaudi_mme_pack p = {
		.panel = { .p = to, .step = width, .lane = N / 4 * width },
		.width = width, .bf16 = s->bf16,
	};
	const void *rows[N];

	for (i = 0; i < (left ? width : N); i++)
		rows[i] = mem + (left ? (from + i) * N : i * N + from) * elem;
	if (s->exact && left)
		b->kernel->pack_trans(&p, rows, width, N);
	else if (s->exact)
		b->kernel->pack_rows(&p, rows, N, width);
	else if (left)
		gaudi_mme_blas_pack_trans(&b->blas, &p, rows, width, N);
	else
		gaudi_mme_blas_pack_rows(&b->blas, &p, rows, N, width);
}

static void multiply(struct bench *b, const struct shape *s, unsigned int col)
{
	size_t lane_s = (size_t)N / 4 * s->rows, lane_l = N / 4 * s->cols;
	float *right = b->panel_b + (size_t)col * N;
	struct gaudi_mme_gemm g = {
		.s = { b->panel_a, s->rows, lane_s },
		.l = { right, s->cols, lane_l },
		.m = s->rows, .n = s->cols, .k = N, .fresh = true,
		.part = b->part,
	};
	struct gaudi_mme_rollup r = {
		.part = b->part, .m = s->rows, .n = s->cols, .total = N,
		.acc = b->tile, .acc_step = s->cols,
	};
	struct gaudi_mme_sum sum = {
		.s = b->panel_a, .l = right, .s_step = s->rows,
		.l_step = s->cols, .m = s->rows, .n = s->cols, .k = N,
		.tile = b->tile, .tile_step = s->cols,
	};

	if (s->exact) {
		b->kernel->gemm(&g);
		b->kernel->rollup(&r);
	} else {
		gaudi_mme_blas_sum(&b->blas, s->bf16, &sum);
	}
}

static void product(struct bench *b, const struct shape *s)
{
	unsigned int i, j;

	for (j = 0; j < N; j += s->cols)
		pack(b, s, false, j);
	for (i = 0; i < N; i += s->rows) {
		pack(b, s, true, i);
		for (j = 0; j < N; j += s->cols) {
			struct gaudi_mme_finish f = {
				.tile = b->tile, .tile_step = s->cols,
				.rows = s->rows, .cols = s->cols,
				.out = b->c + (size_t)i * N + j,
				.out_step = N * 4,
			};

			multiply(b, s, j);
			b->kernel->finish(&f);
		}
	}
}

static double seconds_of_peer(struct bench *b)
{
	double start = now();

	peer(b);
	return now() - start;
}

/* The best of each, in turns: neighbours only ever slow a core down. */
static void bench_kernel(struct bench *b, const char *name,
			 const struct shape *s, double goal)
{
	double ours = 1e9, peers = 1e9, t, want, got;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		t = seconds_of_peer(b);
		peers = t < peers ? t : peers;
		want = b->c[5 * N + 700];
		memset(b->c, 0, (size_t)N * N * 4);
		t = now();
		product(b, s);
		t = now() - t;
		ours = t < ours ? t : ours;
		got = b->c[5 * N + 700];
		/* the numbers are ones of bf16; terms are at most 1 */
		if (got - want > 0.01 || want - got > 0.01)
			die("a product is wrong");
	}
	row(name, FLOP / ours / 1e9, FLOP / peers / 1e9, "GFLOP/s", goal);
}

/* --- descriptors -------------------------------------------------------- */

/* Rows of C are interleaved over the pairs, columns spread over the cores. */
static void make_gemm(struct mme_desc *d, bool fp32, unsigned int pair)
{
	uint32_t a = fp32 ? 32 : 64, tiles = N / (2 * a), h;

	mme_init(d, STORE | OUT_FP32 | TRANS(S) | (fp32 ? IN_FP32 : 0));
	mme_base(d, S, A_AT);
	mme_base(d, L, B_AT);
	mme_base(d, O, C_AT);
	mme_dim(d, S, 0, N, N, 0, 0);
	mme_dim(d, S, 1, N * N, N * N, 2 * a * N, 2 * N);
	mme_rows(d, S, a);
	mme_offset(d, AGU_S, 1, 0, pair * N);
	mme_dim(d, L, 0, N, N, 2 * a, 0);
	mme_dim(d, L, 1, N * N, N * N, 0, N);
	mme_rows(d, L, N);
	mme_dim(d, O, 0, N, N, 2 * a, 0);
	mme_dim(d, O, 1, N * N, N * N, 2 * a * N, 2 * N);
	mme_rows(d, O, a);
	for (h = 0; h < 2; h++) {
		mme_offset(d, AGU_L + h, 0, h * a, 0);
		mme_offset(d, AGU_O + h, 0, h * a, 0);
		mme_offset(d, AGU_O + h, 1, 0, pair * N);
	}
	mme_loop(d, 2, tiles, 5, 0, 0);
	mme_loop(d, 3, tiles, 1, 5, 1);
	mme_repeat(d, S, tiles, 1 << 2);
	mme_signal(d, 0x3f, 2 * pair);
}

/*
 * Padded by one pixel on each side. Pixels are interleaved over the pairs;
 * filters spread over the cores, a tile's width each.
 */
static void make_conv(struct mme_desc *d, bool fp32, unsigned int pair)
{
	uint32_t a = fp32 ? 32 : 64, line = SIDE * CHANNELS, h;
	uint32_t tiles = (SIDE * SIDE / 2 + a - 1) / a, last;
	uint32_t taps = CHANNELS * FILTERS, out = SIDE * FILTERS;

	last = SIDE * SIDE / 2 - (tiles - 1) * a;
	mme_init(d, STORE | OUT_FP32 | TRANS(S) | (fp32 ? IN_FP32 : 0) |
		 ADVANCE(S) | ADVANCE(O) | ACCUM_MASK(3));
	mme_base(d, S, A_AT);
	mme_base(d, L, B_AT);
	mme_base(d, O, C_AT);
	mme_dim(d, S, 0, CHANNELS, CHANNELS, 0, 0);
	mme_dim(d, S, 1, line, line, CHANNELS, 2 * CHANNELS);
	mme_dim(d, S, 2, SIDE * line, SIDE * line, line, line);
	mme_rows(d, S, last);
	mme_partial(d, AGU_S, 1 << 4);
	mme_offset(d, AGU_S, 1, -(int32_t)CHANNELS, pair * CHANNELS);
	mme_offset(d, AGU_S, 2, -(int32_t)line, 0);
	mme_dim(d, L, 0, FILTERS, FILTERS, 2 * a, 0);
	mme_dim(d, L, 1, taps, taps, 0, FILTERS);
	mme_dim(d, L, 2, 3 * taps, 3 * taps, taps, 0);
	mme_dim(d, L, 3, 9 * taps, 9 * taps, 3 * taps, 0);
	mme_rows(d, L, CHANNELS);
	mme_dim(d, O, 0, FILTERS, FILTERS, 2 * a, 0);
	mme_dim(d, O, 1, out, out, 0, 2 * FILTERS);
	mme_dim(d, O, 2, SIDE * out, SIDE * out, 0, out);
	mme_rows(d, O, last);
	for (h = 0; h < 2; h++) {
		mme_offset(d, AGU_L + h, 0, h * a, 0);
		mme_offset(d, AGU_O + h, 0, h * a, 0);
		mme_offset(d, AGU_O + h, 1, 0, pair * FILTERS);
	}
	mme_loop(d, 0, 3, 1, 2, 5);
	mme_loop(d, 1, 3, 2, 3, 5);
	mme_loop(d, 3, FILTERS / (2 * a), 5, 0, 0);
	mme_loop(d, 4, tiles, 5, 5, 5);
	mme_signal(d, 0x3f, 2 * pair);
}

static double seconds_of(struct bench *b, struct mme_desc *d)
{
	double start = now();

	wr(b->card, SM_E_N + SOB(0), 0);
	mme_start(b->card, 0, &d[0]);
	mme_start(b->card, 2, &d[1]);
	card_settle(b->card);
	start = now() - start;
	if (sob(b->card, 0) != 1)
		die("a descriptor did not end");
	return start;
}

static void put_inputs(struct bench *b, bool fp32)
{
	uint8_t *hbm = card_hbm(b->card);
	size_t size = (size_t)N * N * (fp32 ? 4 : 2);

	memcpy(hbm + A_AT, fp32 ? (void *)b->a : b->half_a, size);
	memcpy(hbm + B_AT, fp32 ? (void *)b->b : b->half_b, size);
	memset(hbm + C_AT, 0, (size_t)N * N * 4);
}

static float output(struct bench *b, size_t index)
{
	float v;

	memcpy(&v, card_hbm(b->card) + C_AT + 4 * index, 4);
	return v;
}

/* What the convolution gives at pixel (x, y) for filter f */
static double convolved(const struct bench *b, int x, int y, unsigned int f)
{
	unsigned int c, tap;
	double sum = 0;
	int u, v;

	for (tap = 0; tap < 9; tap++) {
		u = x + (int)(tap % 3) - 1;
		v = y + (int)(tap / 3) - 1;
		if (u < 0 || v < 0 || u >= (int)SIDE || v >= (int)SIDE)
			continue;
		for (c = 0; c < CHANNELS; c++)
			sum += b->a[(v * SIDE + u) * CHANNELS + c] *
			       b->b[(tap * CHANNELS + c) * FILTERS + f];
	}
	return sum;
}

static void check_conv(struct bench *b)
{
	static const int at[][3] = {
		{ 0, 0, 3 }, { 55, 55, 127 }, { 20, 31, 64 }, { 55, 7, 32 },
	};
	double got, want;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		want = convolved(b, at[i][0], at[i][1], at[i][2]);
		got = output(b, (at[i][1] * SIDE + at[i][0]) * FILTERS +
			     at[i][2]);
		if (got - want > 0.01 || want - got > 0.01)
			die("a convolution is wrong");
	}
}

static void bench_gemm(struct bench *b, const char *name, bool fp32,
		       double goal)
{
	double ours = 1e9, peers = 1e9, t, error;
	struct mme_desc d[2];
	unsigned int i;

	put_inputs(b, fp32);
	make_gemm(&d[0], fp32, 0);
	make_gemm(&d[1], fp32, 1);
	for (i = 0; i < ROUNDS; i++) {
		t = seconds_of_peer(b);
		peers = t < peers ? t : peers;
		t = seconds_of(b, d);
		ours = t < ours ? t : ours;
	}
	for (i = 0; i < N * N; i += 777) {
		error = output(b, i) - b->c[i];
		if (error > 0.01 || error < -0.01)
			die("a product by descriptor is wrong");
	}
	row(name, FLOP / ours / 1e9, FLOP / peers / 1e9, "GFLOP/s", goal);
}

/* Beside the same type's product, by descriptors too. */
static void bench_conv(struct bench *b, const char *name, bool fp32)
{
	double flop = 2.0 * SIDE * SIDE * CHANNELS * FILTERS * 9;
	double ours = 1e9, gemm = 1e9, t;
	struct mme_desc d[2], g[2];
	unsigned int i;

	put_inputs(b, fp32);
	for (i = 0; i < 2; i++) {
		make_gemm(&g[i], fp32, i);
		make_conv(&d[i], fp32, i);
	}
	for (i = 0; i < ROUNDS; i++) {
		t = seconds_of(b, g);
		gemm = t < gemm ? t : gemm;
		t = seconds_of(b, d);
		ours = t < ours ? t : ours;
	}
	check_conv(b);
	row(name, flop / ours / 1e9, FLOP / gemm / 1e9, "GFLOP/s", 0.5);
}

static void fill_numbers(float *v, uint16_t *half)
{
	uint32_t seed = 1, i;

	for (i = 0; i < N * N; i++) {
		seed = seed * 1664525 + 1013904223;
		v[i] = ((int)(seed >> 24) - 128) / 128.0f;
		half[i] = ((uint8_t *)&v[i])[2] | ((uint8_t *)&v[i])[3] << 8;
	}
}

static struct card *new_card(enum gaudi_mme_mode mode)
{
	struct gaudi_config config = { .hbm_size = 1ull << 30, .mme = mode };
	struct card *card = card_new(&config, 0);

	card->real_time = true;
	return card;
}

static void init(struct bench *b)
{
	open_peer(b);
	b->kernel = gaudi_mme_kernel(NULL);
	if (gaudi_mme_blas_open(&b->blas, NULL, NULL))
		die("no fast sums");
	b->a = area(N * N * 4);
	b->b = area(N * N * 4);
	b->c = area(N * N * 4);
	b->half_a = area(N * N * 2);
	b->half_b = area(N * N * 2);
	b->panel_a = area(64 * N * 4);
	b->panel_b = area(N * N * 4);
	b->part = area(4 * 64 * 128 * 4);
	b->tile = area(64 * 128 * 4);
	fill_numbers(b->a, b->half_a);
	fill_numbers(b->b, b->half_b);
	b->card = new_card(GAUDI_MME_EXACT);
}

int main(int argc, char **argv)
{
	static const struct shape fp32 = { true, false, 32, 64 };
	static const struct shape bf16 = { true, true, 64, 128 };
	static const struct shape fast = { false, false, 32, 64 };
	static const struct shape fast_bf16 = { false, true, 64, 128 };
	struct bench b = { 0 };
	struct card *exact;

	json = argc > 1 && !strcmp(argv[1], "--json");
	init(&b);
	bench_kernel(&b, "kernel, exact fp32", &fp32, 0.75);
	bench_kernel(&b, "kernel, exact bf16", &bf16, 0.75);
	bench_kernel(&b, "kernel, fast fp32", &fast, 0.8);
	/* Without the instruction bf16 is as fast as fp32. */
	bench_kernel(&b, b.blas.pairs ? "kernel, fast bf16" :
		     "kernel, fast bf16 (no AVX512_BF16)", &fast_bf16,
		     b.blas.pairs ? 1.3 : 0.8);
	bench_gemm(&b, "descriptors, exact fp32", true, 0.6);
	bench_gemm(&b, "descriptors, exact bf16", false, 0.6);
	exact = b.card;
	b.card = new_card(GAUDI_MME_FAST);
	bench_gemm(&b, "descriptors, fast fp32", true, 0.8);
	bench_gemm(&b, b.blas.pairs ? "descriptors, fast bf16" :
		   "descriptors, fast bf16 (no AVX512_BF16)", false,
		   b.blas.pairs ? 1.3 : 0.8);
	card_free(b.card);
	b.card = exact;
	bench_conv(&b, "3x3 convolution by GEMM, fp32", true);
	bench_conv(&b, "3x3 convolution by GEMM, bf16", false);
	card_free(b.card);
	return 0;
}
