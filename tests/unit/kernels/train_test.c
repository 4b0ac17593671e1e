// SPDX-License-Identifier: GPL-2.0-only
/* What a training needs beside its layers: bounded gradients, right answers. */
#include <math.h>

#include "run.h"

static float value(size_t i, unsigned int which)
{
	return ((int)(mix(i, which, 4711) % 4001) - 2000) / 256.0f;
}

static void near(const char *name, size_t i, double is, double want,
		 double bound)
{
	if (!(fabs(is - want) <= bound))
		fail_msg("%s: element %zu is %.9g, not %.9g", name, i, is, want);
}

static void one_clip(uint32_t n, float max, float huge)
{
	const uint32_t one = 1;
	double sum = 0, norm;
	struct run r;
	uint32_t i;

	run_open(&r, "clip_norm_f32");
	shape(&r.t[0], 1, &n);
	shape(&r.t[1], 1, &one);
	shape(&r.t[2], 1, &one);
	run_begin(&r);
	for (i = 0; i < n; i++)
		set(&r.t[0], i, fabsf(value(i, 0)));
	if (n)
		set(&r.t[0], n / 2, huge);
	for (i = 0; i < n; i++)
		sum += get(&r.t[0], i);
	r.scalars[0] = bits_of(max);
	run_parts(&r, 8);
	norm = sqrt(sum);
	if (isnan(norm)) {
		assert_true(isnan(get(&r.t[1], 0)));
		assert_true(isnan(get(&r.t[2], 0)));
	} else if (isinf(norm)) {
		assert_true(get(&r.t[1], 0) == INFINITY);
		assert_true(get(&r.t[2], 0) == 0);
	} else {
		near("clip_norm, norm", 0, get(&r.t[1], 0), norm, norm * 1e-6);
		if (norm <= max)
			assert_true(get(&r.t[2], 0) == 1);
		else
			near("clip_norm, factor", 0, get(&r.t[2], 0),
			     max / norm, max / norm * 1e-6);
	}
	run_close(&r);
}

TEST(clip)
{
	static const uint32_t counts[] = { 0, 1, 63, 64, 65, 127, 129, 1000 };
	size_t i;

	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		one_clip(counts[i], 1, 2);
		one_clip(counts[i], 0.25f, 0);
		one_clip(counts[i], 1e6f, 3);
		one_clip(counts[i], 1, INFINITY);
		one_clip(counts[i], 1, NAN);
	}
}

static void one_scale(const char *name, const uint32_t *dims, float factor,
		      unsigned int parts)
{
	const uint32_t one = 1;
	struct run r;
	float want;
	size_t i;

	run_open(&r, name);
	shape(&r.t[0], 5, dims);
	shape(&r.t[1], 1, &one);
	shape(&r.t[2], 5, dims);
	run_begin(&r);
	for (i = 0; i < r.t[0].count; i++)
		set(&r.t[0], i, value(i, 1));
	set(&r.t[1], 0, factor);
	run_parts(&r, parts);
	for (i = 0; i < r.t[0].count; i++) {
		want = get(&r.t[0], i) * factor;
		if (ulps(r.t[2].type, get(&r.t[2], i), want))
			fail_msg("%s: element %zu is %g, not %g", name, i,
				 get(&r.t[2], i), want);
	}
	run_close(&r);
}

TEST(scale)
{
	static const uint32_t dims[][5] = {
		{ 1, 1, 1, 1, 1 }, { 63, 2, 1, 1, 1 }, { 64, 1, 1, 1, 1 },
		{ 65, 3, 1, 2, 1 }, { 1000, 1, 1, 1, 1 }, { 257, 2, 2, 2, 2 },
		{ 0, 1, 1, 1, 1 },
	};
	size_t i;

	for (i = 0; i < sizeof(dims) / sizeof(dims[0]); i++) {
		one_scale("scale_f32", dims[i], 0.3f, 1 + i);
		one_scale("scale_bf16", dims[i], 0.3f, 8 - i);
		one_scale("scale_f32", dims[i], 1, 8);
	}
}

/* The first of the largest, or the first NaN. */
static uint32_t argmax(const struct tensor *t, uint32_t n, uint32_t row)
{
	float high = -INFINITY, x;
	uint32_t i, best = n;

	for (i = 0; i < n; i++) {
		x = get(t, row * n + i);
		if (x > high || (best == n && x == high) ||
		    (isnan(x) && !isnan(high))) {
			high = x;
			best = i;
		}
	}
	return best == n ? 0 : best;
}

/* Row 2 has no number, row 5 two NaNs, row 3 only the least one, row 4 the same everywhere. */
static void one_choice(const char *name, uint32_t n, unsigned int parts)
{
	bool correct = !strncmp(name, "correct", 7);
	const uint32_t dims[] = { n, 3, 3 }, single[] = { 1, 3, 3 };
	uint32_t row, i, best, out = correct ? 2 : 1;
	struct run r;

	run_open(&r, name);
	shape(&r.t[0], 3, dims);
	shape(&r.t[1], 3, single);
	shape(&r.t[out], 3, single);
	run_begin(&r);
	for (i = 0; i < r.t[0].count; i++) {
		row = i / n;
		set(&r.t[0], i, row == 2 || (row == 5 && i % n / 2 == n / 4) ?
		    NAN : row == 3 ? -INFINITY :
		    row == 4 ? 5 : (int)(value(i, 2) * 4));
	}
	for (row = 0; correct && row < 9; row++)
		set(&r.t[1], row, row % 2 ? n - 1 - argmax(&r.t[0], n, row) :
				  argmax(&r.t[0], n, row));
	run_parts(&r, parts);
	for (row = 0; row < 9; row++) {
		best = argmax(&r.t[0], n, row);
		if (correct)
			near(name, row, get(&r.t[2], row),
			     get(&r.t[1], row) == (float)best, 0);
		else
			near(name, row, get(&r.t[1], row), best, 0);
	}
	run_close(&r);
}

TEST(choice)
{
	static const uint32_t lengths[] = {
		1, 2, 10, 63, 64, 65, 127, 128, 129, 1000,
	};
	size_t i;

	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		one_choice("argmax_rows_f32", lengths[i], 1);
		one_choice("argmax_rows_bf16", lengths[i], 8);
		one_choice("correct_rows_f32", lengths[i], 8);
		one_choice("correct_rows_bf16", lengths[i], 1);
	}
}
