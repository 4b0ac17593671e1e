// SPDX-License-Identifier: GPL-2.0-only
/* Nothing to sum; rows of equals; rates and probabilities at their ends. */
#include <math.h>

#include "run.h"

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

static const char *const types[] = { "f32", "bf16" };
/* Of none along dim. */
static void nothing(const char *name, uint32_t dim, float want)
{
	uint32_t dims[] = { 8, 8 }, one[] = { 8, 8 };
	struct run r;
	size_t i;

	dims[dim] = 0;
	one[dim] = 1;
	run_open(&r, name);
	shape(&r.t[0], 2, dims);
	shape(&r.t[1], 2, one);
	run_begin(&r);
	run_parts(&r, 8);
	for (i = 0; i < 8; i++)
		assert_int_equal(ulps(r.t[1].type, get(&r.t[1], i), want), 0);
	run_close(&r);
}

TEST(sums_of_nothing)
{
	nothing("sum_rows_f32", 0, 0);
	nothing("sum_rows_bf16", 0, 0);
	nothing("max_rows_f32", 0, -INFINITY);
	nothing("max_rows_bf16", 0, -INFINITY);
	nothing("mean_rows_f32", 0, NAN);
	nothing("mean_rows_bf16", 0, NAN);
	nothing("min_rows_f32", 0, INFINITY);
	nothing("min_rows_bf16", 0, INFINITY);
	nothing("prod_rows_f32", 0, 1);
	nothing("prod_rows_bf16", 0, 1);
	nothing("sum_rows_i32", 0, 0);
	nothing("max_rows_i32", 0, -0x1p31f);
	nothing("min_rows_i32", 0, 0x1p31f);
	nothing("sum_columns_i32", 1, 0);
	nothing("max_columns_i32", 1, -0x1p31f);
	nothing("min_columns_i32", 1, 0x1p31f);
	nothing("max_columns_u32", 1, 0);
	nothing("min_columns_u32", 1, 0x1p32f);
	nothing("min_columns_f32", 1, INFINITY);
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
