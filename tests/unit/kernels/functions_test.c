// SPDX-License-Identifier: GPL-2.0-only
/*
 * How far functions are from the exact value, in units of the last place:
 * against libm in double precision. Prints the table of Documentation/kernels.rst,
 * which must have the same rows.
 */
#include <math.h>

#include "accuracy.h"
#include "reference.h"

#define COUNT	16384
#define ROUNDS	8

typedef double fn(double a, double b);

static double f_exp(double a, double b) { (void)b; return exp(a); }
static double f_log(double a, double b) { (void)b; return log(a); }
static double f_sqrt(double a, double b) { (void)b; return sqrt(a); }
static double f_tanh(double a, double b) { (void)b; return tanh(a); }
static double f_div(double a, double b) { return a / b; }
static double sigma(double a) { return 1 / (1 + exp(-a)); }
static double f_sigmoid(double a, double b) { (void)b; return sigma(a); }

static double f_gelu(double a, double b)
{
	(void)b;
	return a * sigma(2 * sqrt(2 / M_PI) * (a + 0.044715 * a * a * a));
}

static double normal(double a) { return erfc(-a / sqrt(2)) / 2; }
static double f_gelu_erf(double a, double b) { (void)b; return a * normal(a); }

static double f_gelu_erf_grad(double a, double b)
{
	return b * (normal(a) + a * exp(-a * a / 2) / sqrt(2 * M_PI));
}

static double f_gelu_grad(double a, double b)
{
	double k = 2 * sqrt(2 / M_PI), s = sigma(k * (a + 0.044715 * a * a * a));

	return b * (s + a * s * (1 - s) * k * (1 + 3 * 0.044715 * a * a));
}

static double f_sigmoid_grad(double a, double b) { return b * (a - a * a); }
static double f_tanh_grad(double a, double b) { return b * (1 - a * a); }

static void softmax(const double *x, double *y, size_t n)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += exp(x[i]);
	for (i = 0; i < n; i++)
		y[i] = exp(x[i]) / sum;
}

static void log_softmax(const double *x, double *y, size_t n)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += exp(x[i]);
	for (i = 0; i < n; i++)
		y[i] = x[i] - log(sum);
}

/*
 * Inputs between low and high by their size, of both signs if so; results
 * nearer to zero than tiny are compared as if they had its unit.
 */
static const struct row {
	const char *name;
	fn *f;			/* of elements, or of a row; else reference_function() */
	void (*of_row)(const double *x, double *y, size_t n);
	float low, high;
	bool both;
	double tiny;
	double ulps;		/* the bound */
} rows[] = {
	{ "exp", f_exp, NULL, 1e-6, 87.3, true, 0, 2 },
	{ "log", f_log, NULL, 1.2e-38, 3.3e38, false, 0, 2 },
	{ "sqrt", f_sqrt, NULL, 1.2e-38, 3.3e38, false, 0, 1 },
	{ "div", f_div, NULL, 1e-18, 1e18, true, 0, 1 },
	{ "sigmoid", f_sigmoid, NULL, 1e-6, 80, true, 0, 4 },
	{ "tanh", f_tanh, NULL, 1e-6, 20, true, 0, 3 },
	{ "gelu", f_gelu, NULL, 1e-6, 8, true, 0, 8 },
	{ "gelu_grad", f_gelu_grad, NULL, 1e-3, 8, true, 1, 8 },
	{ "gelu_erf", f_gelu_erf, NULL, 1e-6, 13, true, 0, 8 },
	{ "gelu_erf_grad", f_gelu_erf_grad, NULL, 1e-3, 13, true, 1, 10 },
	{ "sigmoid_grad", f_sigmoid_grad, NULL, 1e-6, 1, false, 1, 2 },
	{ "tanh_grad", f_tanh_grad, NULL, 1e-6, 1, true, 1, 2 },
	{ "reciprocal", NULL, NULL, 1e-18, 1e18, true, 0, 1 },
	{ "rsqrt", NULL, NULL, 1.2e-38, 3.3e38, false, 0, 2 },
	{ "exp2", NULL, NULL, 1e-06, 125, true, 0, 2 },
	{ "expm1", NULL, NULL, 1e-06, 80, true, 0, 5 },
	{ "log1p", NULL, NULL, 1e-06, 3.3e38, false, 0, 3 },
	{ "log2", NULL, NULL, 1.2e-38, 3.3e38, false, 0, 2 },
	{ "log10", NULL, NULL, 1.2e-38, 3.3e38, false, 0, 2 },
	{ "sin", NULL, NULL, 1e-06, 100000, true, 0, 3 },
	{ "cos", NULL, NULL, 1e-06, 100000, true, 0, 3 },
	{ "tan", NULL, NULL, 1e-06, 100000, true, 0, 5 },
	{ "asin", NULL, NULL, 1e-06, 1, true, 0, 4 },
	{ "acos", NULL, NULL, 1e-06, 1, true, 0, 4 },
	{ "atan", NULL, NULL, 1e-06, 1e06, true, 0, 4 },
	{ "atan2", NULL, NULL, 0.001, 1000, true, 0, 5 },
	{ "sinh", NULL, NULL, 1e-06, 88, true, 0, 6 },
	{ "cosh", NULL, NULL, 1e-06, 88, true, 0, 6 },
	{ "asinh", NULL, NULL, 1e-06, 1e18, true, 0, 5 },
	{ "acosh", NULL, NULL, 1, 1e18, false, 0, 6 },
	{ "atanh", NULL, NULL, 1e-06, 1, true, 0, 5 },
	{ "erf", NULL, NULL, 1e-06, 5, true, 0, 4 },
	{ "erfc", NULL, NULL, 1e-06, 9, true, 0, 10 },
	{ "erfinv", NULL, NULL, 1e-06, 0.999, true, 0, 10 },
	{ "silu", NULL, NULL, 1e-06, 80, true, 0, 5 },
	{ "silu_grad", NULL, NULL, 0.001, 20, true, 1, 8 },
	{ "softplus", NULL, NULL, 1e-06, 80, true, 0, 5 },
	{ "pow", NULL, NULL, 0.1, 20, true, 0, 3 },
	{ "floor_div", NULL, NULL, 0.001, 1e06, true, 0, 3 },
	{ "fmod", NULL, NULL, 1.2e-38, 3.3e38, true, 0, 0 },
	{ "remainder", NULL, NULL, 1e-30, 3.3e38, true, 0, 1 },
	{ "softmax", NULL, softmax, 1e-3, 20, true, 0, 8 },
	{ "log_softmax", NULL, log_softmax, 1e-3, 20, true, 1, 4 },
};

#define NUM_ROWS	(sizeof(rows) / sizeof(rows[0]))
#define ROW		128
#define WIDE		512	/* more than one step of a kernel */

static void exact(const struct row *row, const struct run *r, double *want)
{
	fn *f = row->f || row->of_row ? row->f : reference_function(row->name);
	double x[COUNT];
	size_t i;

	for (i = 0; i < COUNT; i++) {
		x[i] = get(&r->t[0], i);
		if (f)
			want[i] = f(x[i], r->k->num_tensors > 2 ?
				    get(&r->t[1], i) : 0);
	}
	for (i = 0; row->of_row && i < COUNT; i += ROW)
		row->of_row(x + i, want + i, ROW);
}

static double worst_of(const struct row *row, const char *type)
{
	const uint32_t width = row->of_row ? ROW : WIDE;
	const uint32_t dims[] = { width, COUNT / width };
	static double want[COUNT];
	uint32_t seed = 12345, t, out, round;
	double worst = 0, off;
	struct run r;
	char name[64];
	size_t i;

	snprintf(name, sizeof(name), "%s_%s", row->name, type);
	for (round = 0; round < ROUNDS; round++) {
		run_open(&r, name);
		out = r.k->num_tensors - 1;
		for (t = 0; t <= out; t++)
			shape(&r.t[t], 2, dims);
		run_begin(&r);
		for (t = 0; t < out; t++)
			for (i = 0; i < COUNT; i++)
				set(&r.t[t], i, pick_of(row->low, row->high,
							row->both, &seed));
		run_parts(&r, 8);
		exact(row, &r, want);
		for (i = 0; i < COUNT; i++) {
			off = fabs(get(&r.t[out], i) - want[i]) /
			      unit_of(r.t[out].type, fmax(fabs(want[i]), row->tiny));
			if (fabs(want[i]) < 0x1.1p-126 && row->tiny == 0)
				continue;
			if (want[i] == get(&r.t[out], i) ||
			    (isnan(want[i]) && isnan(get(&r.t[out], i))))
				continue;
			if (off > worst || off != off)
				worst = off;
		}
		run_close(&r);
	}
	return worst;
}

/* The row of the table in Documentation/kernels.rst. */
static void row_text(const struct row *row, double f32, double bf16, char *text,
		     size_t size)
{
	char range[40], tiny[40] = "";

	snprintf(range, sizeof(range), "%s%g to %g", row->both ? "+-" : "",
		 row->low, row->high);
	if (row->tiny)
		snprintf(tiny, sizeof(tiny), row->tiny < 1 ?
			 "units of 1/%g at least" : "units of %g at least",
			 row->tiny < 1 ? 1 / row->tiny : row->tiny);
	snprintf(text, size, "%-14s %-21s %-6.2f %-6.2f %3g   %s", row->name,
		 range, f32, bf16, row->ulps, tiny);
	while (*text && text[strlen(text) - 1] == ' ')
		text[strlen(text) - 1] = 0;
}

TEST(accuracy)
{
	bool bad = false;
	double f32, bf16;
	char text[160];
	size_t i;

	for (i = 0; i < NUM_ROWS; i++) {
		f32 = worst_of(&rows[i], "f32");
		bf16 = worst_of(&rows[i], "bf16");
		row_text(&rows[i], f32, bf16, text, sizeof(text));
		bad |= !row_good(rows[i].name, text, f32, rows[i].ulps, bf16,
				 BOUND_BF16);
	}
	assert_false(bad);
}

static void one_special(const char *name, float a, float b, float want)
{
	static const uint32_t dims[] = { 300 };
	struct run r;
	uint32_t t;
	size_t i;

	run_open(&r, name);
	for (t = 0; t < r.k->num_tensors; t++)
		shape(&r.t[t], 1, dims);
	run_begin(&r);
	for (i = 0; i < 300; i++) {
		set(&r.t[0], i, a);
		if (r.k->num_tensors > 2)
			set(&r.t[1], i, b);
	}
	run_parts(&r, 1);
	t = r.k->num_tensors - 1;
	for (i = 0; i < 300; i++)
		if (ulps(r.t[t].type, get(&r.t[t], i), want))
			fail_msg("%s of %g and %g: %g, not %g", name, a, b,
				 get(&r.t[t], i), want);
	run_close(&r);
}

/* Where there is no ordinary result. */
static const struct {
	const char *name;
	float a, b, want;
} special_cases[] = {
	{ "exp_f32", INFINITY, 0, INFINITY },
	{ "exp_f32", -INFINITY, 0, 0 },
	{ "exp_f32", NAN, 0, NAN },
	{ "exp_f32", 0, 0, 1 },
	{ "exp_f32", 88.8f, 0, INFINITY },
	{ "exp_f32", 1e30f, 0, INFINITY },
	{ "exp_f32", -87.4f, 0, 0 },
	{ "exp_f32", -1e30f, 0, 0 },
	{ "log_f32", 0, 0, -INFINITY },
	{ "log_f32", -1, 0, NAN },
	{ "log_f32", INFINITY, 0, INFINITY },
	{ "log_f32", NAN, 0, NAN },
	{ "log_f32", 1, 0, 0 },
	{ "sqrt_f32", 0, 0, 0 },
	{ "sqrt_f32", -1, 0, NAN },
	{ "sqrt_f32", INFINITY, 0, INFINITY },
	{ "sqrt_f32", NAN, 0, NAN },
	{ "div_f32", 1, 0, INFINITY },
	{ "div_f32", -1, 0, -INFINITY },
	{ "div_f32", 0, 0, NAN },
	{ "div_f32", 0, 3, 0 },
	{ "div_f32", INFINITY, INFINITY, NAN },
	{ "div_f32", 5, -INFINITY, -0.0f },
	{ "div_f32", NAN, 1, NAN },
	{ "div_f32", 1e-38f * 2, 1e38f, 0 },
	{ "div_f32", 1e38f, 2e-38f, INFINITY },
	{ "div_f32", 3e38f, 3e38f, 1 },
	{ "sigmoid_f32", INFINITY, 0, 1 },
	{ "sigmoid_f32", -INFINITY, 0, 0 },
	{ "sigmoid_f32", NAN, 0, NAN },
	{ "gelu_erf_f32", INFINITY, 0, INFINITY },
	{ "gelu_erf_f32", -INFINITY, 0, 0 },
	{ "gelu_erf_f32", 1e30f, 0, 1e30f },
	{ "gelu_erf_f32", -1e30f, 0, 0 },
	{ "gelu_erf_f32", 0, 0, 0 },
	{ "gelu_erf_f32", NAN, 0, NAN },
	{ "gelu_erf_grad_f32", INFINITY, 2, 2 },
	{ "gelu_erf_grad_f32", -INFINITY, 2, 0 },
	{ "gelu_erf_grad_f32", 0, 2, 1 },
	{ "gelu_erf_grad_f32", NAN, 2, NAN },
	{ "tanh_f32", INFINITY, 0, 1 },
	{ "tanh_f32", -INFINITY, 0, -1 },
	{ "tanh_f32", 0, 0, 0 },
	{ "tanh_f32", NAN, 0, NAN },
	{ "gelu_f32", INFINITY, 0, INFINITY },
	{ "gelu_f32", -INFINITY, 0, 0 },
	{ "gelu_f32", 1e30f, 0, 1e30f },
	{ "gelu_f32", -1e30f, 0, 0 },
	{ "gelu_f32", NAN, 0, NAN },
	{ "gelu_f32", 0, 0, 0 },
	{ "gelu_grad_f32", INFINITY, 2, 2 },
	{ "gelu_grad_f32", -INFINITY, 2, 0 },
	{ "gelu_grad_f32", 1e30f, 2, 2 },
	{ "gelu_grad_f32", -1e30f, 2, 0 },
	{ "gelu_grad_f32", NAN, 2, NAN },
	{ "gelu_grad_f32", 0, 2, 1 },
	{ "sigmoid_f32", 88, 0, 1 },
	{ "sigmoid_f32", -88, 0, 0 },
	{ "sigmoid_f32", 0, 0, 0.5f },
	{ "exp_f32", 1e-40f, 0, 1 },
	{ "log_f32", 1e-40f, 0, -INFINITY },
	{ "sqrt_f32", 1e-40f, 0, 0 },
	{ "sqrt_f32", -0.0f, 0, -0.0f },
	{ "div_f32", -0.0f, 3, -0.0f },
	{ "div_f32", 1, -0.0f, -INFINITY },
	{ "tanh_f32", -0.0f, 0, -0.0f },
	{ "sigmoid_grad_f32", INFINITY, 0, NAN },
	{ "sin_f32", -0.0f, 0, -0.0f }, { "sin_f32", INFINITY, 0, NAN },
	{ "cos_f32", -INFINITY, 0, NAN }, { "cos_f32", 0, 0, 1 },
	{ "tan_f32", -0.0f, 0, -0.0f }, { "tan_f32", INFINITY, 0, NAN },
	{ "asin_f32", -0.0f, 0, -0.0f }, { "asin_f32", 1.5f, 0, NAN },
	{ "acos_f32", 1, 0, 0 }, { "acos_f32", -1.5f, 0, NAN },
	{ "acos_f32", -1, 0, M_PI }, { "asin_f32", -1, 0, -M_PI / 2 },
	{ "atan_f32", -INFINITY, 0, -M_PI / 2 },
	{ "atan_f32", -0.0f, 0, -0.0f },
	{ "atan2_f32", 0, -0.0f, M_PI }, { "atan2_f32", -0.0f, 0, -0.0f },
	{ "atan2_f32", INFINITY, -INFINITY, 3 * M_PI / 4 },
	{ "atan2_f32", 1, -INFINITY, M_PI },
	{ "atan2_f32", -2, 0, -M_PI / 2 }, { "atan2_f32", 0, NAN, NAN },
	{ "sinh_f32", -INFINITY, 0, -INFINITY },
	{ "sinh_f32", -0.0f, 0, -0.0f },
	{ "cosh_f32", -INFINITY, 0, INFINITY }, { "cosh_f32", 0, 0, 1 },
	{ "cosh_f32", 90, 0, INFINITY },
	{ "asinh_f32", -INFINITY, 0, -INFINITY },
	{ "asinh_f32", -0.0f, 0, -0.0f },
	{ "acosh_f32", INFINITY, 0, INFINITY },
	{ "acosh_f32", 0.5f, 0, NAN }, { "acosh_f32", 1, 0, 0 },
	{ "atanh_f32", 1, 0, INFINITY }, { "atanh_f32", 2, 0, NAN },
	{ "atanh_f32", -1, 0, -INFINITY },
	{ "exp2_f32", 10, 0, 1024 }, { "exp2_f32", INFINITY, 0, INFINITY },
	{ "exp2_f32", -INFINITY, 0, 0 }, { "exp2_f32", 128, 0, INFINITY },
	{ "expm1_f32", -0.0f, 0, -0.0f },
	{ "expm1_f32", -INFINITY, 0, -1 },
	{ "expm1_f32", INFINITY, 0, INFINITY },
	{ "log1p_f32", -1, 0, -INFINITY }, { "log1p_f32", -2, 0, NAN },
	{ "log1p_f32", -0.0f, 0, -0.0f },
	{ "log1p_f32", INFINITY, 0, INFINITY },
	{ "log2_f32", 1024, 0, 10 }, { "log2_f32", 0, 0, -INFINITY },
	{ "log2_f32", -1, 0, NAN }, { "log10_f32", 1000, 0, 3 },
	{ "log10_f32", INFINITY, 0, INFINITY },
	{ "erf_f32", INFINITY, 0, 1 }, { "erf_f32", -INFINITY, 0, -1 },
	{ "erf_f32", -0.0f, 0, -0.0f }, { "erfc_f32", -INFINITY, 0, 2 },
	{ "erfc_f32", INFINITY, 0, 0 }, { "erfc_f32", 0, 0, 1 },
	{ "erfinv_f32", 1, 0, INFINITY }, { "erfinv_f32", 2, 0, NAN },
	{ "erfinv_f32", -1, 0, -INFINITY },
	{ "reciprocal_f32", -0.0f, 0, -INFINITY },
	{ "rsqrt_f32", 0, 0, INFINITY }, { "rsqrt_f32", INFINITY, 0, 0 },
	{ "round_f32", 2.5f, 0, 2 }, { "round_f32", -0.5f, 0, -0.0f },
	{ "sign_f32", NAN, 0, 0 }, { "floor_f32", -0.5f, 0, -1 },
	{ "silu_f32", INFINITY, 0, INFINITY },
	{ "softplus_f32", INFINITY, 0, INFINITY },
	{ "softplus_f32", -INFINITY, 0, 0 },
	{ "pow_f32", NAN, 0, 1 }, { "pow_f32", 1, NAN, 1 },
	{ "pow_f32", -1, INFINITY, 1 }, { "pow_f32", -2, 3, -8 },
	{ "pow_f32", -2, 2, 4 }, { "pow_f32", -2, 0.5f, NAN },
	{ "pow_f32", -0.0f, -3, -INFINITY }, { "pow_f32", -0.0f, 3, -0.0f },
	{ "pow_f32", -0.0f, 2, 0 }, { "pow_f32", 0, -0.5f, INFINITY },
	{ "pow_f32", -INFINITY, 3, -INFINITY },
	{ "pow_f32", -INFINITY, 0.5f, INFINITY },
	{ "pow_f32", INFINITY, -1, 0 }, { "pow_f32", 0.5f, -INFINITY, INFINITY },
	{ "pow_f32", 0.5f, INFINITY, 0 }, { "pow_f32", 10, 38, 1e38f },
	{ "pow_f32", 10, 39, INFINITY }, { "pow_f32", -1e30f, 1, -1e30f },
	{ "fmod_f32", 5, INFINITY, 5 }, { "fmod_f32", INFINITY, 3, NAN },
	{ "fmod_f32", 1, 0, NAN }, { "fmod_f32", -6, 3, -0.0f },
	{ "fmod_f32", -8.4375f, 0x1p-126f, -0.0f },
	{ "fmod_f32", 0x1.8p127f, 0x1.4p-120f, 0x1.8p-121f },
	{ "fmod_f32", 0x1p100f, 3, 1 }, { "fmod_f32", NAN, 3, NAN },
	{ "fmod_f32", 3, NAN, NAN }, { "fmod_f32", -0.0f, 3, -0.0f },
	{ "remainder_f32", -8.4375f, 0x1p-126f, -0.0f },
	{ "floor_div_f32", -8.4375f, 0x1p-126f, -INFINITY },
	{ "floor_div_f32", 8.4375f, 0x1p-126f, INFINITY },
	{ "floor_div_f32", 7, 2, 3 }, { "floor_div_f32", -7, 2, -4 },
	{ "floor_div_f32", -0.0f, 2, -0.0f }, { "floor_div_f32", 1, -2, -1 },
	{ "floor_div_f32", 1, 2, 0 }, { "floor_div_f32", 1, 0, INFINITY },
	{ "floor_div_f32", 0, 0, NAN }, { "floor_div_f32", INFINITY, 2, NAN },
	{ "floor_div_f32", 5, -INFINITY, -1 }, { "floor_div_f32", 5, NAN, NAN },
	{ "remainder_f32", -1, 3, 2 }, { "remainder_f32", 1, -3, -2 },
	{ "remainder_f32", -1, INFINITY, INFINITY },
	{ "remainder_f32", NAN, 3, NAN },
	{ "tanh_grad_f32", 1, 5, 0 },
};

TEST(special)
{
	size_t c;

	for (c = 0; c < sizeof(special_cases) / sizeof(special_cases[0]); c++) {
		char half[64];

		one_special(special_cases[c].name, special_cases[c].a, special_cases[c].b,
			    special_cases[c].want);
		snprintf(half, sizeof(half), "%.*s_bf16",
			 (int)strlen(special_cases[c].name) - 4, special_cases[c].name);
		one_special(half, special_cases[c].a, special_cases[c].b, special_cases[c].want);
	}
}
