// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows that no ordinary training has: masked, all equal, without any number, as
 * large as numbers get; nothing to sum; labels and indexes that there are not;
 * rates and probabilities at their ends.
 */
#include <math.h>

#include "run.h"

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))
#define INF		INFINITY

static const char *const types[] = { "f32", "bf16" };
static const uint32_t lengths[] = { 1, 2, 63, 64, 65, 300 };

enum kind { EQUAL, MASKED, SPREAD, INFINITE, NONE, EMPTY, ZEROS, LOW, KINDS };

/* Element i of n of a row. */
static float of_row(enum kind kind, uint32_t i, uint32_t n)
{
	switch (kind) {
	case EQUAL:
		return -3.25f;
	case MASKED:
		return i % 3 == 1 ? -INF : (float)(i % 5) / 4;
	case SPREAD:
		return i == n / 2 ? 3e38f : i % 2 ? -3e38f : 0;
	case INFINITE:
		return i == n - 1 ? INF : 1;
	case NONE:
		return i == n / 2 ? NAN : (float)i / 64;
	case EMPTY:
		return -INF;
	case ZEROS:
		return i % 3 ? i % 3 == 1 ? -0.0f : 1e-40f : 0;
	default:
		/* Far below the largest, and each as far. */
		return i ? -10.3125f : 0;
	}
}

static void expect(const struct run *r, uint32_t t, size_t i, double want,
		   double units, enum kind kind)
{
	double is = get(&r->t[t], i), off, unit;

	if (isnan(want) || isinf(want)) {
		if (isnan(want) ? !isnan(is) : is != want)
			fail_msg("%s, kind %d, element %zu: %g, not %g",
				 r->k->name, kind, i, is, want);
		return;
	}
	if (fabs(want) < 0x1p-126)
		want = 0;
	unit = ldexp(1, (want == 0 ? -126 : ilogb(want)) -
		     (r->t[t].type == GAUDI_TYPE_BF16 ? 7 : 23));
	off = fabs(is - want) / unit;
	if (!(off <= units))
		fail_msg("%s, kind %d, element %zu: %.9g, not %.9g, %.1f units",
			 r->k->name, kind, i, is, want, off);
}

/* Log of the sum of exp(x - *high), in which a NaN or an inf remains. */
static double log_sum(const struct run *r, size_t row, uint32_t n, double *high)
{
	double sum = 0, x;
	uint32_t i;

	*high = -INF;
	for (i = 0; i < n; i++)
		*high = fmax(*high, get(&r->t[0], row * n + i));
	for (i = 0; i < n; i++) {
		x = get(&r->t[0], row * n + i);
		sum += exp(x - *high);
	}
	return log(sum);
}

static void begin_rows(struct run *r, const char *stem, const char *type,
		       uint32_t n)
{
	const uint32_t dims[] = { n, KINDS }, one[] = { 1, KINDS };
	char name[64];
	uint32_t t, i;

	snprintf(name, sizeof(name), "%s_%s", stem, type);
	run_open(r, name);
	for (t = 0; t < r->k->num_tensors; t++)
		shape(&r->t[t], 2, r->k->tensors[t].rule == KERNEL_LIB_ROW ?
		      one : dims);
	run_begin(r);
	for (i = 0; i < n * KINDS; i++)
		set(&r->t[0], i, of_row(i / n, i % n, n));
}

static void one_softmax(const char *type, uint32_t n, bool log_of_it)
{
	double high, log_s, x, want;
	struct run r;
	uint32_t i, k;

	begin_rows(&r, log_of_it ? "log_softmax" : "softmax", type, n);
	run_parts(&r, 1);
	for (k = 0; k < KINDS; k++) {
		log_s = log_sum(&r, k, n, &high);
		for (i = 0; i < n; i++) {
			x = get(&r.t[0], k * n + i);
			want = log_of_it ? x - high - log_s :
					   exp(x - high - log_s);
			/* Beyond any f32. */
			if (want < -3.4028236e38)
				want = -INF;
			/* Of a log near zero, not all digits are there. */
			if (log_of_it && fabs(want) < 1 && want == want) {
				assert_true(fabs(get(&r.t[1], k * n + i) -
						 want) < 0x1p-8);
				continue;
			}
			expect(&r, 1, k * n + i, want, 8, k);
		}
	}
	run_close(&r);
}

TEST(softmaxes)
{
	size_t t, n;

	for (t = 0; t < COUNT(types); t++)
		for (n = 0; n < COUNT(lengths); n++) {
			one_softmax(types[t], lengths[n], false);
			one_softmax(types[t], lengths[n], true);
		}
}

/* Labels: of an element, and of none, to all sides. */
static void one_loss(const char *type, uint32_t n, int32_t label, bool grad)
{
	bool counts = label >= 0 && (uint32_t)label < n;
	double high, log_s, x, want;
	struct run r;
	uint32_t i, k;

	begin_rows(&r, grad ? "cross_entropy_grad" : "cross_entropy", type, n);
	for (k = 0; k < KINDS; k++)
		memcpy(r.t[1].p + 4 * k, &label, 4);
	r.scalars[0] = bits_of(2);
	run_parts(&r, 1);
	for (k = 0; k < KINDS; k++) {
		log_s = log_sum(&r, k, n, &high);
		x = counts ? get(&r.t[0], k * n + (uint32_t)label) : 0;
		want = counts ? log_s - (x - high) : 0;
		if (want > 3.4028236e38)
			want = INF;
		if (!grad && (fabs(want) >= 1 || want != want || !counts))
			expect(&r, 2, k, want, 8, k);
		for (i = 0; grad && i < n; i++) {
			x = get(&r.t[0], k * n + i);
			want = !counts ? 0 : 2 * (exp(x - high - log_s) -
						  (i == (uint32_t)label));
			if (want != want)
				assert_true(isnan(get(&r.t[2], k * n + i)));
			else
				assert_true(fabs(get(&r.t[2], k * n + i) -
						 want) < 0x1p-7);
		}
	}
	run_close(&r);
}

TEST(losses)
{
	static const int32_t labels[] = { 0, 1, 64, 299, -1, 300, 512,
					  INT32_MAX, INT32_MIN };
	size_t t, n, k;

	for (t = 0; t < COUNT(types); t++)
		for (n = 0; n < COUNT(lengths); n++)
			for (k = 0; k < COUNT(labels); k++) {
				one_loss(types[t], lengths[n], labels[k], false);
				one_loss(types[t], lengths[n], labels[k], true);
			}
}

/* --- sums ------------------------------------------------------------------ */

static double reduced(char op, enum kind kind, uint32_t n)
{
	double sum = 0, high = -INF, x;
	uint32_t i;

	for (i = 0; i < n; i++) {
		x = of_row(kind, i, n);
		if (fabs(x) < 0x1p-126)
			x = 0;
		sum += x;
		high = isnan(high) || x <= high ? high : x;
	}
	if (op == 's' && fabs(sum) > 3.4028236e38)
		sum = copysign(INF, sum);
	return op == 'm' ? sum / n : op == 's' ? sum : high;
}

static void one_reduction(const char *type, const char *stem, char op,
			  uint32_t n)
{
	const uint32_t dims[] = { n, KINDS }, one[] = { 1, KINDS };
	enum kind k;
	char name[64];
	struct run r;
	uint32_t i;

	snprintf(name, sizeof(name), "%s_%s", stem, type);
	run_open(&r, name);
	shape(&r.t[0], 2, dims);
	shape(&r.t[1], 2, one);
	run_begin(&r);
	for (i = 0; i < n * KINDS; i++)
		set(&r.t[0], i, of_row(i / n, i % n, n));
	run_parts(&r, 8);
	for (k = 0; k < KINDS; k++) {
		/* A sum of several 3e38 depends on the order. */
		if (k == SPREAD && op != 'x')
			continue;
		expect(&r, 1, k, reduced(op, k, n),
		       r.t[1].type == GAUDI_TYPE_BF16 ? 1 : 300, k);
	}
	run_close(&r);
}

TEST(sums)
{
	size_t t, n;

	for (t = 0; t < COUNT(types); t++) {
		for (n = 0; n < COUNT(lengths); n++) {
			one_reduction(types[t], "sum_rows", 's', lengths[n]);
			one_reduction(types[t], "max_rows", 'x', lengths[n]);
			one_reduction(types[t], "mean_rows", 'm', lengths[n]);
		}
		/* Of nothing. */
		one_reduction(types[t], "sum_rows", 's', 0);
		one_reduction(types[t], "max_rows", 'x', 0);
		one_reduction(types[t], "mean_rows", 'm', 0);
	}
}

/* --- norms ----------------------------------------------------------------- */

/* All equal: the difference from the mean is zero, whatever it is times. */
TEST(equal_rows)
{
	static const uint32_t row[] = { 130 }, dims[] = { 130, 3 };
	static const uint32_t one[] = { 1, 3 };
	struct run r;
	size_t i, t;

	run_open(&r, "layer_norm_f32");
	for (t = 0; t < 6; t++)
		shape(&r.t[t], t == 1 || t == 2 ? 1 : 2,
		      t == 1 || t == 2 ? row : t > 3 ? one : dims);
	run_begin(&r);
	for (i = 0; i < 390; i++)
		set(&r.t[0], i, 1.5f * (float)(i / 130));
	for (i = 0; i < 130; i++) {
		set(&r.t[1], i, 3);
		set(&r.t[2], i, (float)i);
	}
	r.scalars[0] = bits_of(0x1p-10f);
	run_parts(&r, 8);
	for (i = 0; i < 390; i++)
		assert_true(get(&r.t[3], i) == (float)(i % 130));
	for (i = 0; i < 3; i++) {
		assert_true(get(&r.t[4], i) == 1.5f * (float)i);
		assert_true(get(&r.t[5], i) == 32);
	}
	run_close(&r);
}

/* --- rates and probabilities ------------------------------------------------ */

static void one_update(const char *name, uint32_t n)
{
	struct run r;
	uint32_t t, i;

	run_open(&r, name);
	for (t = 0; t < r.k->num_tensors; t++)
		shape(&r.t[t], 1, r.k->tensors[t].rule == KERNEL_LIB_EIGHT ?
		      &(const uint32_t){ 8 } : &n);
	run_begin(&r);
	for (t = 0; t < r.k->num_tensors; t++)
		for (i = 0; i < r.t[t].count; i++)
			set(&r.t[t], i, r.k->tensors[t].rule ==
			    KERNEL_LIB_EIGHT ? i ? 0.5f : 0 :
			    (float)(i + 1) / 8);
	/* The rate is 0; momentum and decay are not. */
	r.scalars[1] = bits_of(0.5f);
	r.scalars[2] = bits_of(0.5f);
	run_parts(&r, 8);
	for (i = 0; i < n; i++)
		if (get(&r.t[0], i) != (float)(i + 1) / 8)
			fail_msg("%s: without a rate, P[%u] becomes %g", name, i,
				 get(&r.t[0], i));
	run_close(&r);
}

TEST(no_rate)
{
	static const char *const names[] = {
		"sgd_f32", "sgd_bf16", "momentum_f32", "momentum_bf16",
		"adamw_f32", "adamw_bf16",
	};
	size_t i;

	for (i = 0; i < COUNT(names); i++) {
		one_update(names[i], 1);
		one_update(names[i], 65);
		one_update(names[i], 700);
	}
}

static void one_dropout(const char *type, uint32_t drop, float scale)
{
	static const uint32_t dims[] = { 300, 7 }, one = 1;
	char name[32];
	struct run r;
	size_t i;

	snprintf(name, sizeof(name), "dropout_%s", type);
	run_open(&r, name);
	shape(&r.t[0], 2, dims);
	shape(&r.t[1], 1, &one);
	shape(&r.t[2], 2, dims);
	run_begin(&r);
	for (i = 0; i < r.t[0].count; i++)
		set(&r.t[0], i, (float)(i % 100) + 1);
	set(&r.t[1], 0, 4711);
	r.scalars[0] = drop;
	r.scalars[1] = bits_of(scale);
	run_parts(&r, 8);
	for (i = 0; i < r.t[2].count; i++)
		assert_true(get(&r.t[2], i) ==
			    (drop ? 0 : scale * get(&r.t[0], i)));
	run_close(&r);
}

TEST(all_or_nothing)
{
	size_t t;

	for (t = 0; t < COUNT(types); t++) {
		one_dropout(types[t], 0, 1);
		one_dropout(types[t], 0, 2);
		/* One of four thousand million hashes is not below it. */
		one_dropout(types[t], UINT32_MAX, 2);
	}
}

/* Rows that the table does not have, to all sides. */
static void one_index(const char *type, int32_t index)
{
	static const uint32_t table[] = { 70, 3 }, row[] = { 70, 1 };
	static const uint32_t one[] = { 1, 1 };
	bool there = index >= 0 && index < 3;
	char name[32];
	struct run r;
	size_t i;

	snprintf(name, sizeof(name), "gather_%s", type);
	run_open(&r, name);
	shape(&r.t[0], 2, table);
	shape(&r.t[1], 2, one);
	shape(&r.t[2], 2, row);
	run_begin(&r);
	for (i = 0; i < 210; i++)
		set(&r.t[0], i, (float)i + 1);
	memcpy(r.t[1].p, &index, 4);
	run_parts(&r, 1);
	for (i = 0; i < 70; i++)
		assert_true(get(&r.t[2], i) == (there ?
			    get(&r.t[0], (size_t)index * 70 + i) : 0));
	run_close(&r);
	snprintf(name, sizeof(name), "scatter_add_%s", type);
	run_open(&r, name);
	shape(&r.t[0], 2, row);
	shape(&r.t[1], 2, one);
	shape(&r.t[2], 2, table);
	run_begin(&r);
	for (i = 0; i < 70; i++)
		set(&r.t[0], i, 4);
	for (i = 0; i < 210; i++)
		set(&r.t[2], i, (float)i);
	memcpy(r.t[1].p, &index, 4);
	run_parts(&r, 8);
	for (i = 0; i < 210; i++)
		assert_true(get(&r.t[2], i) == (float)i +
			    (there && i / 70 == (size_t)index ? 4 : 0));
	run_close(&r);
}

TEST(indexes)
{
	static const int32_t all[] = { 0, 2, 3, -1, 64, 0x10000000, INT32_MAX,
				       INT32_MIN };
	size_t t, i;

	for (t = 0; t < COUNT(types); t++)
		for (i = 0; i < COUNT(all); i++)
			one_index(types[t], all[i]);
}
