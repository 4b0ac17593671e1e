// SPDX-License-Identifier: GPL-2.0-only
/*
 * All kernels of the library on sizes at which vectors, blocks and parts of the index
 * space end, as plain C computes them: with numbers of which no two are alike, and with
 * few, of which several are the largest. Also rows that no ordinary training has, and
 * labels and indexes that there are not.
 */
#include <math.h>

#include "five.h"
#include "reference.h"

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

/* Few different ones, none negative: their sums are exact, and there are equals. */
static float few(size_t i, uint32_t t)
{
	return (float)(mix(i, t, 31337) % 9) / 4;
}

/* Of all sizes, so that results are too large, or too small. */
static float wide(size_t i, uint32_t t)
{
	static const float odd[] = {
		0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1.0f, -1.0f, 1e38f,
		-1e38f, 2e-38f, 0.5f, 3.0f, 3.4e38f, -3.4e38f, 1e-40f,
	};
	uint32_t x = mix(i, t, 12345);

	if (x % 7 == 0)
		return odd[x / 7 % COUNT(odd)];
	if (x % 7 < 3)
		return ((int)(x / 7 % 40001) - 20000) * (x % 7 ? 1e5f : 0x1p-8f);
	/* More digits than bf16 has. */
	return ((int)(x / 7 % 2001) - 1000) / 64.0f * (t % 2 ? 1 : 1.0001f);
}

static void set_all(struct run *r, float (*number)(size_t i, uint32_t t))
{
	struct tensor *a;
	uint32_t t;
	size_t i;

	for (t = 0; t < r->k->num_tensors; t++)
		for (a = &r->t[t], i = 0; i < a->count; i++)
			if (r->k->tensors[t].access & GAUDI_KERNEL_READS &&
			    r->k->tensors[t].rule != KERNEL_LIB_EIGHT &&
			    a->type != GAUDI_TYPE_I32)
				set(a, i, number(i, t));
}

static bool is_empty(const struct run *r)
{
	uint32_t t;

	for (t = 0; t < r->k->num_tensors; t++)
		if (!r->t[t].count)
			return true;
	return false;
}

static void sizes_of(const struct kernel_lib *k, float (*number)(size_t i, uint32_t t))
{
	static const uint32_t dims[][5] = {
		{ 0, 3, 1, 1, 1 }, { 5, 0, 1, 1, 1 }, { 1, 3, 0, 2, 1 },
		{ 1, 1, 1, 1, 1 }, { 2, 9, 1, 1, 1 }, { 10, 37, 1, 1, 1 },
		{ 63, 8, 1, 1, 1 }, { 64, 65, 1, 1, 1 }, { 65, 3, 2, 4, 1 },
		{ 65, 63, 1, 1, 1 }, { 127, 5, 4, 1, 1 }, { 128, 17, 1, 1, 1 },
		{ 129, 2, 3, 1, 1 }, { 257, 9, 1, 1, 1 }, { 600, 2, 1, 1, 1 },
		{ 1000, 4, 1, 1, 1 }, { 1300, 1, 1, 1, 1 },
		{ 3, 2, 17, 4, 2 }, { 67, 2, 3, 5, 2 }, { 19, 2, 1, 33, 2 },
		{ 19, 1, 2, 2, 33 }, { 130, 1, 2, 3, 2 },
	};
	char what[64];
	struct run r;
	size_t i, step;

	/*
	 * A part of the sizes, for the next kernel the next part. With GAUDI_LONG all, but
	 * of other numbers than the usual ones a third is enough.
	 */
	step = COUNT(dims) / unit_rounds(number ? COUNT(dims) / 3 : COUNT(dims));
	for (i = (size_t)(k - gaudi_kernel_lib) % step; i < COUNT(dims); i += step) {
		five_sized(&r, k->name, dims[i]);
		if (number)
			set_all(&r, number);
		snprintf(what, sizeof(what), ", %u %u %u %u %u", dims[i][0],
			 dims[i][1], dims[i][2], dims[i][3], dims[i][4]);
		if (is_empty(&r))
			run_parts(&r, 8);
		else
			as_in_c(&r, i % 2 ? 8 : 1, what);
		run_close(&r);
	}
}

/* Their sizes are those of windows_test. */
static bool has_windows(const struct kernel_lib *k)
{
	return k->num_scalars > 5;
}

/* Each element by itself, by one operation. */
static bool has_one_operation(const struct kernel_lib *k)
{
	static const char *const stems[] = {
		"add_", "sub_", "rsub_", "mul_", "max_", "min_", "copy_",
		"fill_", "relu_", "cast_", "div_scalar_", "rdiv_scalar_",
	};
	uint32_t t;
	size_t i;

	for (t = 0; t < k->num_tensors; t++)
		if (k->tensors[t].rule != KERNEL_LIB_SAME &&
		    k->tensors[t].rule != KERNEL_LIB_FEWER)
			return false;
	for (i = 0; i < COUNT(stems); i++)
		if (!strncmp(k->name, stems[i], strlen(stems[i])))
			return true;
	return false;
}

static void all(float (*number)(size_t i, uint32_t t))
{
	const struct kernel_lib *k = gaudi_kernel_lib;

	for (; k < gaudi_kernel_lib + gaudi_kernel_lib_count; k++)
		if (run_wanted(k->name) && !has_windows(k) &&
		    (number != wide || has_one_operation(k)))
			sizes_of(k, number);
}

TEST(sizes)
{
	all(NULL);
}

TEST(few_numbers)
{
	all(few);
}

TEST(numbers_of_all_sizes)
{
	all(wide);
}

/* --- rows that are odd ------------------------------------------------------ */

enum kind { EQUAL, MASKED, SPREAD, INFINITE, NONE, EMPTY, ZEROS, LOW, KINDS };

/* Element i of n of a row. */
static float of_row(enum kind kind, uint32_t i, uint32_t n)
{
	switch (kind) {
	case EQUAL:
		return -3.25f;
	case MASKED:
		return i % 3 == 1 ? -INFINITY : (float)(i % 5) / 4;
	case SPREAD:
		return i == n / 2 ? 3e38f : i % 2 ? -3e38f : 0;
	case INFINITE:
		return i == n - 1 ? INFINITY : 1;
	case NONE:
		return i == n / 2 ? NAN : (float)i / 64;
	case EMPTY:
		return -INFINITY;
	case ZEROS:
		return i % 3 ? i % 3 == 1 ? -0.0f : 1e-40f : 0;
	default:
		/* Far below the largest, and each as far. */
		return i ? -10.3125f : 0;
	}
}

/* label: of each row, where it has one; it may be none. */
static void one_row(const char *name, uint32_t n, enum kind kind, int32_t label)
{
	const uint32_t dims[5] = { n, 3, 1, 1, 1 };
	char what[64];
	struct run r;
	size_t i;

	five_sized(&r, name, dims);
	for (i = 0; i < r.t[0].count; i++)
		set(&r.t[0], i, of_row(kind, i % n, n));
	for (i = 0; i < 3 && r.t[1].type == GAUDI_TYPE_I32; i++)
		set_raw(&r.t[1], i, (uint32_t)label);
	snprintf(what, sizeof(what), ", rows of %u, kind %d, label %d", n, kind,
		 label);
	as_in_c(&r, 1, what);
	run_close(&r);
}

static const uint32_t lengths[] = { 1, 2, 63, 64, 65, 300 };

TEST(odd_rows)
{
	static const char *const names[] = {
		"softmax_f32", "softmax_bf16", "log_softmax_f32",
		"log_softmax_bf16", "sum_rows_f32", "sum_rows_bf16",
		"max_rows_f32", "max_rows_bf16", "mean_rows_f32",
		"mean_rows_bf16", "argmax_rows_f32", "argmax_rows_bf16",
		"min_rows_f32", "min_rows_bf16", "argmin_rows_f32",
		"argmin_rows_bf16",
	};
	size_t i, n;
	int k;

	for (i = 0; i < COUNT(names); i++)
		for (n = 0; n < COUNT(lengths) * KINDS; n++) {
			k = n % KINDS;
			/* A sum of several 3e38 depends on the order. */
			if (k == SPREAD && (!strncmp(names[i], "sum", 3) ||
					    !strncmp(names[i], "mean", 4)))
				continue;
			one_row(names[i], lengths[n / KINDS], k, 0);
		}
}

TEST(odd_labels)
{
	static const char *const names[] = {
		"cross_entropy_f32", "cross_entropy_bf16",
		"cross_entropy_grad_f32", "cross_entropy_grad_bf16",
		"correct_rows_f32", "correct_rows_bf16",
	};
	static const int32_t labels[] = { 0, 1, 64, 299, -1, 300, 512,
					  INT32_MAX, INT32_MIN };
	size_t i, n, k;

	for (i = 0; i < COUNT(names); i++)
		for (n = 0; n < COUNT(lengths); n++)
			for (k = 0; k < COUNT(labels) * KINDS; k++)
				one_row(names[i], lengths[n], k % KINDS,
					labels[k / KINDS]);
}

static const int32_t odd[] = { 0, 2, 8, 9, -1, 64, 0x10000000, INT32_MAX,
			       INT32_MIN };

/* Rows that the table does not have, to all sides. */
TEST(odd_indexes)
{
	static const char *const names[] = { "gather_f32", "gather_bf16",
					     "scatter_add_f32",
					     "scatter_add_bf16" };
	const uint32_t dims[5] = { 70, COUNT(odd), 1, 1, 1 };
	struct run r;
	size_t i, k;

	for (i = 0; i < COUNT(names); i++) {
		five_sized(&r, names[i], dims);
		assert_int_equal(r.t[1].count, COUNT(odd));
		for (k = 0; k < COUNT(odd); k++)
			set_raw(&r.t[1], k, (uint32_t)odd[k]);
		as_in_c(&r, 8, ", odd indexes");
		run_close(&r);
	}
}

/* What is outside of both ends, the largest of them without a sign. */
TEST(outside)
{
	const uint32_t dims[5] = { 1, COUNT(odd), 1, 1, 1 };
	struct run r;
	size_t i, k;

	five_sized(&r, "outside_i32", dims);
	r.scalars[0] = -8u;
	r.scalars[1] = 8;
	r.scalars[2] = INT32_MIN;
	for (k = 0; k < r.t[1].count; k++) {
		set_raw(&r.t[1], k, 0);
		/* One of them in each row, the last ones beyond a vector. */
		for (i = 0; i < r.t[0].dims[0]; i++)
			set_raw(&r.t[0], k * r.t[0].dims[0] + i,
				i + 1 == r.t[0].dims[0] ? (uint32_t)odd[k] : i % 9);
	}
	as_in_c(&r, 8, ", outside");
	for (k = 0; k < r.t[1].count; k++)
		assert_int_equal(get_raw(&r.t[1], k),
				 odd[k] == INT32_MIN || (odd[k] >= -8 && odd[k] <= 8) ?
				 0 : (uint32_t)odd[k]);
	run_close(&r);
}

/* Elements that a row does not have. */
TEST(odd_elements)
{
	static const char *const names[] = {
		"gather_elements_f32", "gather_elements_bf16",
		"gather_elements_i32", "scatter_elements_f32",
		"scatter_elements_bf16", "scatter_elements_i32",
		"scatter_add_elements_f32", "scatter_add_elements_i32",
	};
	const uint32_t dims[5] = { 70, 5, 1, 1, 1 };
	struct run r;
	size_t i, k;

	for (i = 0; i < COUNT(names); i++) {
		five_sized(&r, names[i], dims);
		for (k = 0; k < r.t[1].count; k++)
			set_raw(&r.t[1], k, (uint32_t)odd[k % COUNT(odd)]);
		as_in_c(&r, 3, ", odd elements");
		run_close(&r);
	}
}
