// SPDX-License-Identifier: GPL-2.0-only
/* Kernels that make each element of the same element of others. */
#include <math.h>

#include "run.h"

static const struct shape_row {
	uint32_t rank, dims[5];
} shapes[] = {
	{ 1, { 0 } }, { 1, { 1 } }, { 1, { 63 } }, { 1, { 64 } }, { 1, { 65 } },
	{ 1, { 127 } }, { 1, { 1000 } }, { 1, { 4099 } }, { 2, { 5, 3 } },
	{ 2, { 257, 9 } }, { 3, { 65, 2, 3 } }, { 4, { 1, 3, 0, 2 } },
	{ 4, { 129, 2, 1, 2 } }, { 5, { 3, 2, 1, 2, 4 } },
	{ 5, { 130, 1, 2, 3, 2 } }, { 0, {} },
};

/* Values of an input: numbers of all sizes, zeros, infinities, no number. */
static float value(size_t i, unsigned int which)
{
	static const float odd[] = {
		0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1.0f, -1.0f, 1e38f,
		-1e38f, 2e-38f, 0.5f, 3.0f, 3.4e38f, -3.4e38f, 1e-40f,
	};
	uint32_t x = (uint32_t)(i * 2654435761u + which * 40503u + 12345u);

	x ^= x >> 15;
	if (x % 7 == 0)
		return odd[x / 7 % (sizeof(odd) / sizeof(odd[0]))];
	if (x % 7 < 3)
		return ((int)(x / 7 % 40001) - 20000) / 256.0f;
	/* More digits than bf16 has. */
	return ((int)(x / 7 % 2001) - 1000) / 64.0f *
	       (which % 2 ? 1 : 1.0001f);
}

static float flush(float x)
{
	return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

typedef float fn(float a, float b, float s);

/* To bf16: away from zero, if what is left of the number says so. */
static float to_half(float a, uint32_t limit)
{
	uint32_t x = bits_of(a), rest = x & 0xffff;

	if (isnan(a) || isinf(a))
		return a;
	return float_of((x & 0xffff0000) + (rest >= limit ? 0x10000 : 0));
}

static float f_rz(float a, float b, float s)
{
	(void)b;
	(void)s;
	return to_half(a, 0x10000);
}

static float f_ru(float a, float b, float s)
{
	(void)b;
	(void)s;
	return to_half(a, signbit(a) ? 0x10000 : 1);
}

static float f_rd(float a, float b, float s)
{
	(void)b;
	(void)s;
	return to_half(a, signbit(a) ? 1 : 0x10000);
}

static float f_rhaz(float a, float b, float s)
{
	(void)b;
	(void)s;
	return to_half(a, 0x8000);
}

static float f_add(float a, float b, float s) { (void)s; return a + b; }
static float f_sub(float a, float b, float s) { (void)s; return a - b; }
static float f_mul(float a, float b, float s) { (void)s; return a * b; }
static float f_adds(float a, float b, float s) { (void)b; return a + s; }
static float f_subs(float a, float b, float s) { (void)b; return a - s; }
static float f_rsubs(float a, float b, float s) { (void)b; return s - a; }
static float f_muls(float a, float b, float s) { (void)b; return a * s; }

/* As IEEE 754-2019: a NaN of either is the result. */
static float f_max(float a, float b, float s)
{
	(void)s;
	return isunordered(a, b) ? NAN : fmaxf(a, b);
}

static float f_min(float a, float b, float s)
{
	(void)s;
	return isunordered(a, b) ? NAN : fminf(a, b);
}

static float f_maxs(float a, float b, float s) { (void)b; return f_max(a, s, 0); }
static float f_mins(float a, float b, float s) { (void)b; return f_min(a, s, 0); }
static float f_divs(float a, float b, float s) { (void)b; return a / s; }
static float f_rdivs(float a, float b, float s) { (void)b; return s / a; }
static float f_copy(float a, float b, float s) { (void)b; (void)s; return a; }
static float f_fill(float a, float b, float s) { (void)a; (void)b; return s; }
static float f_relu(float a, float b, float s)
{
	(void)b;
	(void)s;
	return isnan(a) ? a : fmaxf(a, 0);
}

static float f_relu_grad(float y, float g, float s)
{
	(void)s;
	return y <= 0 ? 0 : g;
}

static const struct row {
	const char *name;
	fn *f;
	uint32_t ulps;
} rows[] = {
	{ "add_f32", f_add }, { "sub_f32", f_sub }, { "mul_f32", f_mul },
	{ "max_f32", f_max }, { "min_f32", f_min }, { "add_bf16", f_add },
	{ "sub_bf16", f_sub }, { "mul_bf16", f_mul }, { "max_bf16", f_max },
	{ "min_bf16", f_min }, { "add_scalar_f32", f_adds },
	{ "sub_scalar_f32", f_subs }, { "rsub_scalar_f32", f_rsubs },
	{ "mul_scalar_f32", f_muls }, { "max_scalar_f32", f_maxs },
	{ "min_scalar_f32", f_mins }, { "add_scalar_bf16", f_adds },
	{ "sub_scalar_bf16", f_subs }, { "rsub_scalar_bf16", f_rsubs },
	{ "mul_scalar_bf16", f_muls }, { "max_scalar_bf16", f_maxs },
	{ "min_scalar_bf16", f_mins }, { "copy_f32", f_copy },
	{ "copy_bf16", f_copy }, { "fill_f32", f_fill },
	{ "fill_bf16", f_fill }, { "relu_f32", f_relu },
	{ "relu_bf16", f_relu }, { "relu_grad_f32", f_relu_grad },
	{ "relu_grad_bf16", f_relu_grad }, { "cast_f32_bf16", f_copy },
	{ "cast_f32_bf16_rz", f_rz }, { "cast_f32_bf16_ru", f_ru },
	{ "cast_f32_bf16_rd", f_rd }, { "cast_f32_bf16_rhaz", f_rhaz },
	{ "cast_bf16_f32", f_copy }, { "div_scalar_f32", f_divs, 1 },
	{ "div_scalar_bf16", f_divs, 1 }, { "rdiv_scalar_f32", f_rdivs, 1 },
	{ "rdiv_scalar_bf16", f_rdivs, 1 },
};

static void check(const struct run *r, const struct row *row, float scalar)
{
	uint32_t out = r->k->num_tensors - 1;
	const struct tensor *o = &r->t[out];
	float a, b, want, is;
	size_t i;

	for (i = 0; i < o->count; i++) {
		a = out > 0 ? flush(get(&r->t[0], i)) : 0;
		b = out > 1 ? flush(get(&r->t[1], i)) : 0;
		want = flush(row->f(a, b, scalar));
		is = get(o, i);
		if (ulps(o->type, is, want) > row->ulps)
			fail_msg("%s, element %zu of %zu: of %a and %a came %a, not %a",
				 row->name, i, o->count, a, b, is, want);
	}
}

static void one(const struct row *row, const struct shape_row *s,
		unsigned int parts)
{
	const float scalar = 1.375f;
	struct run r;
	uint32_t t;
	size_t i;

	run_open(&r, row->name);
	for (t = 0; t < r.k->num_tensors; t++)
		shape(&r.t[t], s->rank, s->dims);
	run_begin(&r);
	for (t = 0; t + 1 < r.k->num_tensors; t++)
		for (i = 0; i < r.t[t].count; i++)
			set(&r.t[t], i, value(i, t));
	r.scalars[0] = bits_of(scalar);
	run_parts(&r, parts);
	check(&r, row, scalar);
	run_close(&r);
}

TEST(each_kernel)
{
	size_t i, s;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!run_wanted(rows[i].name))
			continue;
		for (s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++) {
			one(&rows[i], &shapes[s], 1);
			one(&rows[i], &shapes[s], 8);
		}
	}
}

/* What a vector of fewer dims gives to each row. */
TEST(rows_share)
{
	static const uint32_t dims[] = { 130, 7, 3 };
	struct run r;
	size_t i;

	run_open(&r, "add_f32");
	shape(&r.t[0], 3, dims);
	shape(&r.t[1], 1, dims);
	shape(&r.t[2], 3, dims);
	run_begin(&r);
	for (i = 0; i < r.t[0].count; i++)
		set(&r.t[0], i, (float)i);
	for (i = 0; i < r.t[1].count; i++)
		set(&r.t[1], i, i / 128.0f);
	run_parts(&r, 8);
	for (i = 0; i < r.t[2].count; i++)
		assert_true(get(&r.t[2], i) == (float)i + i % 130 / 128.0f);
	run_close(&r);
}

/* Each way to round: x is between lo and hi, which are neighbours. */
TEST(rounding)
{
	static const struct {
		const char *name;
		float x, want;
	} cases[] = {
		{ "cast_f32_bf16_rz", 0x1.01fp0f, 0x1.00p0f },
		{ "cast_f32_bf16_rz", -0x1.01fp0f, -0x1.00p0f },
		{ "cast_f32_bf16_ru", 0x1.001p0f, 0x1.02p0f },
		{ "cast_f32_bf16_ru", -0x1.01fp0f, -0x1.00p0f },
		{ "cast_f32_bf16_rd", 0x1.01fp0f, 0x1.00p0f },
		{ "cast_f32_bf16_rd", -0x1.001p0f, -0x1.02p0f },
		{ "cast_f32_bf16", 0x1.01p0f, 0x1.00p0f },
		{ "cast_f32_bf16", 0x1.03p0f, 0x1.04p0f },
		{ "cast_f32_bf16_rhaz", 0x1.01p0f, 0x1.02p0f },
		{ "cast_f32_bf16_rhaz", -0x1.01p0f, -0x1.02p0f },
	};
	static const uint32_t dims[] = { 131 };
	struct run r;
	size_t c, i;

	for (c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		run_open(&r, cases[c].name);
		shape(&r.t[0], 1, dims);
		shape(&r.t[1], 1, dims);
		run_begin(&r);
		for (i = 0; i < 131; i++)
			set(&r.t[0], i, cases[c].x);
		run_parts(&r, 1);
		for (i = 0; i < 131; i++)
			if (get(&r.t[1], i) != cases[c].want)
				fail_msg("%s: %a becomes %a", cases[c].name,
					 cases[c].x, get(&r.t[1], i));
		run_close(&r);
	}
}

/* At random: to a neighbour, on average to where the number is. */
TEST(rounding_at_random)
{
	static const uint32_t dims[] = { 16384 };
	struct run r;
	size_t i, up = 0;
	float y;

	run_open(&r, "cast_f32_bf16_sr");
	shape(&r.t[0], 1, dims);
	shape(&r.t[1], 1, dims);
	run_begin(&r);
	for (i = 0; i < 16384; i++)
		set(&r.t[0], i, 0x1.008p0f);
	run_parts(&r, 1);
	for (i = 0; i < 16384; i++) {
		y = get(&r.t[1], i);
		assert_true(y == 0x1.00p0f || y == 0x1.02p0f);
		up += y > 1;
	}
	/* A quarter, within ten times what is likely. */
	assert_in_range(up, 4096 - 560, 4096 + 560);
	run_close(&r);
}

static int32_t whole(float x)
{
	if (isnan(x))
		return 0;
	if (x >= 0x1p31f)
		return INT32_MAX;
	return x < -0x1p31f ? INT32_MIN : (int32_t)x;
}

/* Bits of element i of tensor t; in and out may be the same. */
static int32_t word(const struct run *r, uint32_t t, size_t i)
{
	int32_t x;

	memcpy(&x, r->t[t].p + 4 * i, 4);
	return x;
}

/* From n words of all sizes; scalar is what fill writes. */
static void one_whole(const char *name, uint32_t n, unsigned int parts)
{
	const uint32_t dims[] = { n, 3 }, scalar = 0x81234567;
	struct run r;
	uint32_t out;
	int32_t in, want;
	size_t i;

	run_open(&r, name);
	out = r.k->num_tensors - 1;
	shape(&r.t[0], 2, dims);
	shape(&r.t[out], 2, dims);
	run_begin(&r);
	for (i = 0; out && i < r.t[0].count; i++) {
		in = r.t[0].type == GAUDI_TYPE_F32 ?
			(int32_t)bits_of(value(i, 0) * (i % 3 ? 1 : 1e6f)) :
			(int32_t)(i * 2654435761u) >> i % 31;
		memcpy(r.t[0].p + 4 * i, &in, 4);
	}
	r.scalars[0] = scalar;
	run_parts(&r, parts);
	for (i = 0; i < r.t[out].count; i++) {
		in = out ? word(&r, 0, i) : (int32_t)scalar;
		want = !strcmp(name, "cast_f32_i32") ? whole(float_of(in)) :
			!strcmp(name, "cast_i32_f32") ?
			(int32_t)bits_of((float)in) : in;
		if (word(&r, out, i) != want)
			fail_msg("%s: of %08x came %08x, not %08x", name, in,
				 word(&r, out, i), want);
	}
	run_close(&r);
}

TEST(whole_numbers)
{
	static const char *const names[] = {
		"copy_i32", "fill_i32", "cast_f32_i32", "cast_i32_f32",
	};
	static const uint32_t lengths[] = { 0, 1, 63, 64, 65, 257, 1000 };
	size_t i, k;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		for (k = 0; k < sizeof(lengths) / sizeof(lengths[0]); k++)
			one_whole(names[i], lengths[k], k % 2 ? 8 : 1);
}

TEST(by_name)
{
	size_t i;

	assert_null(kernel_lib_find("add"));
	assert_null(kernel_lib_find(""));
	assert_null(kernel_lib_find("zzz"));
	for (i = 0; i < gaudi_kernel_lib_count; i++)
		assert_ptr_equal(kernel_lib_find(gaudi_kernel_lib[i].name),
				 &gaudi_kernel_lib[i]);
}
