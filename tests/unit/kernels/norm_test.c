// SPDX-License-Identifier: GPL-2.0-only
/* Layer norm, gradients of rows, and rows by their numbers. */
#include <math.h>

#include "run.h"

static const uint32_t lengths[] = { 1, 10, 63, 64, 65, 127, 129, 1000 };

#define NUM_LENGTHS	(sizeof(lengths) / sizeof(lengths[0]))
#define ROWS		9u

static float value(size_t i, unsigned int which)
{
	return ((int)(mix(i, which, 777) % 1025) - 512) / 256.0f;
}

/* Tensors whose name is in the list have one element for each row. */
static void begin(struct run *r, const char *name, uint32_t n)
{
	uint32_t t, i;

	run_open(r, name);
	for (t = 0; t < r->k->num_tensors; t++) {
		const char *what = r->k->tensors[t].name;
		uint32_t dims[2] = { n, ROWS };
		bool one = !strcmp(what, "MEAN") || !strcmp(what, "RSTD");
		bool vector = !strcmp(what, "GAMMA") || !strcmp(what, "BETA");

		dims[0] = one ? 1 : n;
		shape(&r->t[t], vector ? 1 : 2, dims);
	}
	run_begin(r);
	for (t = 0; t < r->k->num_tensors; t++)
		for (i = 0; i < r->t[t].count; i++)
			set(&r->t[t], i, value(i, t));
}

static void near(const struct run *r, uint32_t t, size_t i, double want)
{
	double is = get(&r->t[t], i), bound = 2e-5 + fabs(want) * 1e-5;

	if (r->t[t].type == GAUDI_TYPE_BF16)
		bound += fabs(want) / 256;
	if (!(fabs(is - want) <= bound))
		fail_msg("%s: element %zu of %s, rows of %u: %.9g, not %.9g",
			 r->k->name, i, r->k->tensors[t].name, r->t[0].dims[0],
			 is, want);
}

static void one_norm(const char *name, uint32_t n, unsigned int parts)
{
	double mean, var, rstd;
	struct run r;
	uint32_t row, i;

	begin(&r, name, n);
	r.scalars[0] = bits_of(0.001f);
	run_parts(&r, parts);
	for (row = 0; row < ROWS; row++) {
		for (mean = 0, i = 0; i < n; i++)
			mean += get(&r.t[0], row * n + i) / n;
		for (var = 0, i = 0; i < n; i++)
			var += pow(get(&r.t[0], row * n + i) - mean, 2) / n;
		rstd = 1 / sqrt(var + 0.001);
		near(&r, 4, row, mean);
		near(&r, 5, row, rstd);
		for (i = 0; i < n; i++)
			near(&r, 3, row * n + i, get(&r.t[2], i) +
			     (get(&r.t[0], row * n + i) - mean) * rstd *
			     get(&r.t[1], i));
	}
	run_close(&r);
}

static void one_norm_grad(const char *name, uint32_t n, unsigned int parts)
{
	double a, b, x, v;
	struct run r;
	uint32_t row, i;

	begin(&r, name, n);
	run_parts(&r, parts);
	for (row = 0; row < ROWS; row++) {
		float m = get(&r.t[3], row), s = get(&r.t[4], row);

		for (a = 0, b = 0, i = 0; i < n; i++) {
			x = ((double)get(&r.t[0], row * n + i) - m) * s;
			v = (double)get(&r.t[1], i) * get(&r.t[2], row * n + i);
			a += v / n;
			b += v * x / n;
		}
		for (i = 0; i < n; i++) {
			x = ((double)get(&r.t[0], row * n + i) - m) * s;
			v = (double)get(&r.t[1], i) * get(&r.t[2], row * n + i);
			near(&r, 5, row * n + i, s * (v - a - x * b));
			near(&r, 6, row * n + i,
			     x * get(&r.t[2], row * n + i));
		}
	}
	run_close(&r);
}

static void one_soft_grad(const char *name, uint32_t n, unsigned int parts)
{
	bool logarithm = !strncmp(name, "log", 3);
	double sum, y, g;
	struct run r;
	uint32_t row, i;

	begin(&r, name, n);
	run_parts(&r, parts);
	for (row = 0; row < ROWS; row++) {
		for (sum = 0, i = 0; i < n; i++) {
			y = get(&r.t[0], row * n + i);
			sum += get(&r.t[1], row * n + i) * (logarithm ? 1 : y);
		}
		for (i = 0; i < n; i++) {
			y = get(&r.t[0], row * n + i);
			g = get(&r.t[1], row * n + i);
			near(&r, 2, row * n + i, logarithm ?
			     g - exp(y) * sum : y * (g - sum));
		}
	}
	run_close(&r);
}

static void each(void (*one)(const char *, uint32_t, unsigned int),
		 const char *f32, const char *bf16)
{
	size_t i;

	for (i = 0; i < NUM_LENGTHS; i++) {
		one(f32, lengths[i], 1);
		one(f32, lengths[i], 8);
		one(bf16, lengths[i], 1);
		one(bf16, lengths[i], 8);
	}
}

TEST(layer_norm)
{
	each(one_norm, "layer_norm_f32", "layer_norm_bf16");
}

TEST(layer_norm_grad)
{
	each(one_norm_grad, "layer_norm_grad_f32", "layer_norm_grad_bf16");
}

TEST(softmax_grads)
{
	each(one_soft_grad, "softmax_grad_f32", "softmax_grad_bf16");
	each(one_soft_grad, "log_softmax_grad_f32", "log_softmax_grad_bf16");
}

/* The table has 7 rows; 31 are taken. Rows that it does not have are zero. */
static void one_gather(const char *name, uint32_t n, unsigned int parts)
{
	const uint32_t table[] = { n, 7 }, rows[] = { n, 31 };
	const uint32_t index[] = { 1, 31 };
	struct run r;
	uint32_t i, k, row;

	run_open(&r, name);
	shape(&r.t[0], 2, table);
	shape(&r.t[1], 2, index);
	shape(&r.t[2], 2, rows);
	run_begin(&r);
	for (i = 0; i < r.t[0].count; i++)
		set(&r.t[0], i, value(i, 0));
	for (i = 0; i < 31; i++)
		set(&r.t[1], i, (float)(i * 5 % 9) - 1);
	run_parts(&r, parts);
	for (i = 0; i < 31; i++)
		for (k = 0; k < n; k++) {
			row = i * 5 % 9 - 1;
			assert_true(get(&r.t[2], i * n + k) ==
				    (row < 7 ? get(&r.t[0], row * n + k) : 0));
		}
	run_close(&r);
}

/* 31 rows are added to 7; those with other numbers to none. */
static void one_scatter(const char *name, uint32_t n, unsigned int parts)
{
	const uint32_t table[] = { n, 7 }, rows[] = { n, 31 };
	const uint32_t index[] = { 1, 31 };
	double want[7 * 131];
	struct run r;
	uint32_t i, k, row;

	run_open(&r, name);
	shape(&r.t[0], 2, rows);
	shape(&r.t[1], 2, index);
	shape(&r.t[2], 2, table);
	run_begin(&r);
	for (i = 0; i < 7 * n; i++) {
		set(&r.t[2], i, value(i, 2));
		want[i] = value(i, 2);
	}
	for (i = 0; i < 31; i++) {
		row = i * 3 % 9 - 1;
		set(&r.t[1], i, (int)row);
		for (k = 0; k < n; k++) {
			set(&r.t[0], i * n + k, value(i * n + k, 0));
			if (row < 7)
				want[row * n + k] += get(&r.t[0], i * n + k);
		}
	}
	run_parts(&r, parts);
	for (i = 0; i < 7 * n; i++)
		assert_true(get(&r.t[2], i) == want[i]);
	run_close(&r);
}

TEST(rows_by_number)
{
	static const uint32_t columns[] = { 1, 63, 64, 65, 127, 128, 129, 131 };
	size_t i;

	for (i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		one_gather("gather_f32", columns[i], 8);
		one_gather("gather_bf16", columns[i], 8 - i % 2 * 7);
		one_scatter("scatter_add_f32", columns[i], 8);
		one_scatter("scatter_add_bf16", columns[i], 8 - i % 2 * 7);
	}
}

static uint32_t hash(uint32_t x)
{
	x = (x ^ x >> 16) * 0x7feb352d;
	x = (x ^ x >> 15) * 0x846ca68b;
	return x ^ x >> 16;
}

/* A quarter of the elements is dropped; which ones is known, for both types. */
static void one_dropout(const char *name, const uint32_t *dims,
			unsigned int parts)
{
	const uint32_t k = 0x9e3779b1, seed = 77, one = 1;
	uint32_t i, x, row, zeros = 0;
	struct run r;

	run_open(&r, name);
	shape(&r.t[0], 5, dims);
	shape(&r.t[1], 1, &one);
	shape(&r.t[2], 5, dims);
	run_begin(&r);
	for (i = 0; i < r.t[0].count; i++)
		set(&r.t[0], i, i + 1.0f);
	set(&r.t[1], 0, seed);
	r.scalars[0] = 1u << 30;
	r.scalars[1] = bits_of(2);
	run_parts(&r, parts);
	for (i = 0; i < r.t[2].count; i++) {
		row = i / dims[0];
		x = (seed + row / dims[1] / dims[2] / dims[3]) * k;
		x += row / dims[1] / dims[2] % dims[3];
		x = (x * k + row / dims[1] % dims[2]) * k + row % dims[1];
		x = hash(x * k + i % dims[0]);
		zeros += x < 1u << 30;
		assert_true(get(&r.t[2], i) ==
			    (x < 1u << 30 ? 0 : 2 * get(&r.t[0], i)));
	}
	if (i > 1000)
		assert_in_range(zeros, i / 4 - i / 16, i / 4 + i / 16);
	run_close(&r);
}

TEST(dropout)
{
	static const uint32_t dims[][5] = {
		{ 300, 5, 3, 2, 2 }, { 1, 1, 1, 1, 1 }, { 63, 2, 1, 1, 3 },
		{ 64, 3, 1, 2, 1 }, { 65, 1, 2, 1, 1 }, { 257, 1, 1, 1, 1 },
	};
	size_t i;

	for (i = 0; i < sizeof(dims) / sizeof(dims[0]); i++) {
		one_dropout("dropout_f32", dims[i], 8);
		one_dropout("dropout_f32", dims[i], 1);
		one_dropout("dropout_bf16", dims[i], 8);
		one_dropout("dropout_bf16", dims[i], 1);
	}
}
