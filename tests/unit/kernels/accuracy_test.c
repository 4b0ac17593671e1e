// SPDX-License-Identifier: GPL-2.0-only
/*
 * How far the results of what works on rows, and of updates, are from the exact
 * ones, by long double: in units of the last place of the result, or of the sum of
 * its terms' sizes where these are of both signs. Prints the second table of
 * accuracy in Documentation/kernels.rst, which must have the same rows.
 */
#include <math.h>

#include "accuracy.h"

#define MOST	18000		/* elements of a result */
#define ROUNDS	8

typedef long double real;

/* What the result must be, and of what the unit is taken. */
struct exact {
	real want[MOST], size[MOST];
};

typedef void fn(const struct run *r, struct exact *e);

static real in(const struct run *r, uint32_t t, size_t i)
{
	return get(&r->t[t], i);
}

static real scalar(const struct run *r, uint32_t i)
{
	return float_of(r->scalars[i]);
}

static size_t width(const struct run *r)
{
	return r->t[0].dims[0];
}

static size_t height(const struct run *r)
{
	return r->t[0].dims[1];
}

static void is(struct exact *e, size_t i, real want, real size)
{
	e->want[i] = want;
	e->size[i] = size;
}

/* --- reductions ------------------------------------------------------------ */

static void sum_of_rows(const struct run *r, struct exact *e, real by)
{
	size_t row, i, n = width(r);
	real sum;

	for (row = 0; row < height(r); row++) {
		for (sum = i = 0; i < n; i++)
			sum += in(r, 0, row * n + i);
		is(e, row, sum / by, sum / by);
	}
}

static void sum_rows(const struct run *r, struct exact *e)
{
	sum_of_rows(r, e, 1);
}

static void mean_rows(const struct run *r, struct exact *e)
{
	sum_of_rows(r, e, width(r));
}

static void sum_of_columns(const struct run *r, struct exact *e, real by)
{
	size_t row, i, n = width(r);
	real sum;

	for (i = 0; i < n; i++) {
		for (sum = row = 0; row < height(r); row++)
			sum += in(r, 0, row * n + i);
		is(e, i, sum / by, sum / by);
	}
}

static void sum_columns(const struct run *r, struct exact *e)
{
	sum_of_columns(r, e, 1);
}

static void mean_columns(const struct run *r, struct exact *e)
{
	sum_of_columns(r, e, height(r));
}

static void max_rows(const struct run *r, struct exact *e)
{
	size_t row, i, n = width(r);
	real high;

	for (row = 0; row < height(r); row++) {
		for (high = -INFINITY, i = 0; i < n; i++)
			high = fmaxl(high, in(r, 0, row * n + i));
		is(e, row, high, fabsl(high));
	}
}

static void max_columns(const struct run *r, struct exact *e)
{
	size_t row, i, n = width(r);
	real high;

	for (i = 0; i < n; i++) {
		for (high = -INFINITY, row = 0; row < height(r); row++)
			high = fmaxl(high, in(r, 0, row * n + i));
		is(e, i, high, fabsl(high));
	}
}

static void squares(const struct run *r, struct exact *e)
{
	size_t row, i, n = width(r);
	real sum;

	for (row = 0; row < height(r); row++) {
		for (sum = i = 0; i < n; i++)
			sum += in(r, 0, row * n + i) * in(r, 0, row * n + i);
		is(e, row, sum, sum);
	}
}

static real norm_of(const struct run *r)
{
	real sum = 0;
	size_t i;

	for (i = 0; i < width(r); i++)
		sum += in(r, 0, i);
	return sqrtl(sum);
}

static void clip_norm(const struct run *r, struct exact *e)
{
	is(e, 0, norm_of(r), norm_of(r));
}

static void clip_factor(const struct run *r, struct exact *e)
{
	real f = fminl(1, scalar(r, 0) / norm_of(r));

	is(e, 0, f, f);
}

/* --- softmax and what follows ---------------------------------------------- */

static real log_sum(const struct run *r, size_t row)
{
	size_t i, n = width(r);
	real sum = 0;

	for (i = 0; i < n; i++)
		sum += expl(in(r, 0, row * n + i));
	return logl(sum);
}

static void cross_entropy(const struct run *r, struct exact *e)
{
	size_t row, n = width(r);
	real want;

	for (row = 0; row < height(r); row++) {
		want = log_sum(r, row) -
		       in(r, 0, row * n + get_raw(&r->t[1], row));
		is(e, row, want, fmaxl(want, 1));
	}
}

static void cross_entropy_grad(const struct run *r, struct exact *e)
{
	size_t row, i, n = width(r);
	real y, log;
	bool hit;

	for (row = 0; row < height(r); row++) {
		log = log_sum(r, row);
		for (i = 0; i < n; i++) {
			y = expl(in(r, 0, row * n + i) - log);
			hit = get_raw(&r->t[1], row) == i;
			is(e, row * n + i, scalar(r, 0) * (y - hit),
			   scalar(r, 0) * (y + hit));
		}
	}
}

static void softmax_grad(const struct run *r, struct exact *e)
{
	size_t row, i, n = width(r);
	real sum, size, y, g;

	for (row = 0; row < height(r); row++) {
		for (sum = size = i = 0; i < n; i++) {
			y = in(r, 0, row * n + i) * in(r, 1, row * n + i);
			sum += y;
			size += fabsl(y);
		}
		for (i = 0; i < n; i++) {
			y = in(r, 0, row * n + i);
			g = in(r, 1, row * n + i);
			is(e, row * n + i, y * (g - sum),
			   y * (fabsl(g) + size));
		}
	}
}

static void log_softmax_grad(const struct run *r, struct exact *e)
{
	size_t row, i, n = width(r);
	real sum, size, y, g;

	for (row = 0; row < height(r); row++) {
		for (sum = size = i = 0; i < n; i++) {
			sum += in(r, 1, row * n + i);
			size += fabsl(in(r, 1, row * n + i));
		}
		for (i = 0; i < n; i++) {
			y = expl(in(r, 0, row * n + i));
			g = in(r, 1, row * n + i);
			is(e, row * n + i, g - y * sum, fabsl(g) + y * size);
		}
	}
}

/* --- layer norm ------------------------------------------------------------ */

struct norm {
	real mean, size, rstd;		/* size: the mean of sizes */
};

static struct norm norm_row(const struct run *r, size_t row, real eps)
{
	size_t i, n = width(r);
	struct norm m = { 0 };
	real var = 0, x;

	for (i = 0; i < n; i++) {
		m.mean += in(r, 0, row * n + i) / n;
		m.size += fabsl(in(r, 0, row * n + i)) / n;
	}
	for (i = 0; i < n; i++) {
		x = in(r, 0, row * n + i) - m.mean;
		var += x * x / n;
	}
	m.rstd = 1 / sqrtl(var + eps);
	return m;
}

static void norm_mean(const struct run *r, struct exact *e)
{
	struct norm m;
	size_t row;

	for (row = 0; row < height(r); row++) {
		m = norm_row(r, row, scalar(r, 0));
		is(e, row, m.mean, m.size);
	}
}

static void norm_rstd(const struct run *r, struct exact *e)
{
	struct norm m;
	size_t row;

	for (row = 0; row < height(r); row++) {
		m = norm_row(r, row, scalar(r, 0));
		is(e, row, m.rstd, m.rstd);
	}
}

static void norm_out(const struct run *r, struct exact *e)
{
	size_t row, i, n = width(r);
	struct norm m;
	real x, by;

	for (row = 0; row < height(r); row++) {
		m = norm_row(r, row, scalar(r, 0));
		for (i = 0; i < n; i++) {
			x = in(r, 0, row * n + i);
			by = m.rstd * in(r, 1, i);
			is(e, row * n + i, (x - m.mean) * by + in(r, 2, i),
			   (fabsl(x) + m.size) * fabsl(by) +
			   fabsl(in(r, 2, i)));
		}
	}
}

/* By the MEAN and RSTD that it is given. */
static real xhat(const struct run *r, size_t row, size_t i)
{
	return (in(r, 0, row * width(r) + i) - in(r, 3, row)) * in(r, 4, row);
}

static void grad_xhat(const struct run *r, struct exact *e)
{
	size_t row, i, n = width(r);
	real want;

	for (row = 0; row < height(r); row++)
		for (i = 0; i < n; i++) {
			want = xhat(r, row, i) * in(r, 2, row * n + i);
			is(e, row * n + i, want, fabsl(want));
		}
}

static void grad_out(const struct run *r, struct exact *e)
{
	real a, b, a_size, b_size, g, x;
	size_t row, i, n = width(r);

	for (row = 0; row < height(r); row++) {
		for (a = b = a_size = b_size = i = 0; i < n; i++) {
			g = in(r, 2, row * n + i) * in(r, 1, i);
			x = xhat(r, row, i);
			a += g / n;
			b += g * x / n;
			a_size += fabsl(g) / n;
			b_size += fabsl(g * x) / n;
		}
		for (i = 0; i < n; i++) {
			g = in(r, 2, row * n + i) * in(r, 1, i);
			x = xhat(r, row, i);
			is(e, row * n + i, in(r, 4, row) * (g - a - x * b),
			   in(r, 4, row) * (fabsl(g) + a_size +
					    fabsl(x) * b_size));
		}
	}
}

/* --- updates --------------------------------------------------------------- */

/* Scalars: LR, WD; or LR, MU, WD. */
static void sgd(const struct run *r, struct exact *e)
{
	real p, g, lr = scalar(r, 0), wd = scalar(r, 1);
	size_t i;

	for (i = 0; i < r->t[0].count; i++) {
		p = in(r, 0, i);
		g = in(r, 1, i);
		is(e, i, p - lr * (g + wd * p),
		   fabsl(p) + lr * (fabsl(g) + wd * fabsl(p)));
	}
}

static void momentum_v(const struct run *r, struct exact *e)
{
	real p, g, v, mu = scalar(r, 1), wd = scalar(r, 2);
	size_t i;

	for (i = 0; i < r->t[0].count; i++) {
		p = in(r, 0, i);
		g = in(r, 1, i);
		v = in(r, 2, i);
		is(e, i, mu * v + g + wd * p,
		   mu * fabsl(v) + fabsl(g) + wd * fabsl(p));
	}
}

static void momentum_p(const struct run *r, struct exact *e)
{
	real p, lr = scalar(r, 0);
	size_t i;

	momentum_v(r, e);
	for (i = 0; i < r->t[0].count; i++) {
		p = in(r, 0, i);
		is(e, i, p - lr * e->want[i], fabsl(p) + lr * e->size[i]);
	}
}

/* Tensors P, G, M, V, H: rate, betas, epsilon, decay, powers of the betas. */
static void adamw_m(const struct run *r, struct exact *e)
{
	real beta = in(r, 4, 1), m, g;
	size_t i;

	for (i = 0; i < r->t[0].count; i++) {
		g = in(r, 1, i);
		m = in(r, 2, i);
		is(e, i, beta * m + (1 - beta) * g,
		   beta * fabsl(m) + (1 - beta) * fabsl(g));
	}
}

static void adamw_v(const struct run *r, struct exact *e)
{
	real beta = in(r, 4, 2), want;
	size_t i;

	for (i = 0; i < r->t[0].count; i++) {
		want = beta * in(r, 3, i) +
		       (1 - beta) * in(r, 1, i) * in(r, 1, i);
		is(e, i, want, want);
	}
}

static void adamw_p(const struct run *r, struct exact *e)
{
	static struct exact m, v;
	real by, p, rate = in(r, 4, 0), decay = in(r, 4, 4);
	size_t i;

	adamw_m(r, &m);
	adamw_v(r, &v);
	for (i = 0; i < r->t[0].count; i++) {
		p = in(r, 0, i);
		by = rate / (1 - in(r, 4, 5)) /
		     (sqrtl(v.want[i] / (1 - in(r, 4, 6))) + in(r, 4, 3));
		is(e, i, p - rate * decay * p - by * m.want[i],
		   fabsl(p) * (1 + rate * decay) + by * m.size[i]);
	}
}

/* --- the table ------------------------------------------------------------- */

/* half: what of the bf16 kernel is measured, or NULL: the same; "": there is none. */
static const struct row {
	const char *name, *out, *half;
	uint32_t width, height;
	fn *exact;
	bool both;		/* arguments of both signs */
	float high;		/* from 1/1000 of it */
	double bound;
	const char *remark;
} rows[] = {
	{ "sum_rows", "OUT", NULL, 4099, 4, sum_rows, false, 1, 4, "" },
	{ "mean_rows", "OUT", NULL, 4099, 4, mean_rows, false, 1, 4, "" },
	{ "max_rows", "OUT", NULL, 4099, 4, max_rows, true, 8, 0, "" },
	{ "sum_columns", "OUT", NULL, 150, 110, sum_columns, false, 1, 12,
	  "of 110" },
	{ "mean_columns", "OUT", NULL, 150, 110, mean_columns, false, 1, 12,
	  "of 110" },
	{ "max_columns", "OUT", NULL, 150, 110, max_columns, true, 8, 0, "" },
	{ "sum_squares_rows", "OUT", NULL, 4099, 4, squares, true, 8, 4,
	  "result is f32" },
	{ "clip_norm", "NORM", "", 4099, 1, clip_norm, false, 1, 3, "" },
	{ "clip_norm", "FACTOR", "", 4099, 1, clip_factor, false, 1, 4, "" },
	{ "cross_entropy", "OUT", NULL, 128, 128, cross_entropy, true, 20, 4,
	  "of 1 at least; result is f32" },
	{ "cross_entropy_grad", "OUT", NULL, 128, 128, cross_entropy_grad,
	  true, 20, 8, "terms" },
	{ "softmax_grad", "OUT", NULL, 128, 128, softmax_grad, true, 4, 4,
	  "terms" },
	{ "log_softmax_grad", "OUT", NULL, 128, 128, log_softmax_grad, true, 4,
	  4, "terms" },
	{ "layer_norm", "OUT", NULL, 300, 50, norm_out, true, 8, 4, "terms" },
	{ "layer_norm", "MEAN", NULL, 300, 50, norm_mean, true, 8, 2,
	  "terms; result is f32" },
	{ "layer_norm", "RSTD", NULL, 300, 50, norm_rstd, true, 8, 4,
	  "result is f32" },
	{ "layer_norm_grad", "OUT", NULL, 300, 40, grad_out, true, 8, 4,
	  "terms" },
	{ "layer_norm_grad", "XHAT", NULL, 300, 40, grad_xhat, true, 8, 4,
	  "" },
	{ "sgd", "P", "W", 300, 50, sgd, true, 4, 2, "terms; bf16: W" },
	{ "momentum", "P", "W", 300, 50, momentum_p, true, 4, 2,
	  "terms; bf16: W" },
	{ "momentum", "V", NULL, 300, 50, momentum_v, true, 4, 2,
	  "terms; result is f32" },
	{ "adamw", "P", "W", 300, 50, adamw_p, true, 4, 4, "terms; bf16: W" },
	{ "adamw", "M", NULL, 300, 50, adamw_m, true, 4, 2,
	  "terms; result is f32" },
	{ "adamw", "V", NULL, 300, 50, adamw_v, true, 4, 3,
	  "result is f32" },
};

#define NUM_ROWS	(sizeof(rows) / sizeof(rows[0]))

static uint32_t number_of(const struct run *r, const char *name)
{
	uint32_t t;

	for (t = 0; t < r->k->num_tensors; t++)
		if (!strcmp(r->k->tensors[t].name, name))
			return t;
	fail_msg("%s has no %s", r->k->name, name);
	return 0;
}

static void shapes(struct run *r, const struct row *row)
{
	uint32_t t, d, dims[2];

	for (t = 0; t < r->k->num_tensors; t++) {
		uint32_t rule = r->k->tensors[t].rule;

		dims[0] = row->width;
		dims[1] = row->height;
		if (rule == KERNEL_LIB_ROW)
			dims[0] = 1;
		if (rule == KERNEL_LIB_EIGHT)
			dims[0] = 8;
		/* Of reductions: what is left. */
		for (d = 0; d < 2; d++)
			if (r->k->tensors[0].rule == KERNEL_LIB_ALONG && t &&
			    d == r->k->tensors[0].of)
				dims[d] = 1;
		shape(&r->t[t], rule == KERNEL_LIB_EIGHT ||
		      rule == KERNEL_LIB_FEWER ? 1 : 2, dims);
	}
}

/* Y of the gradients is what softmax gives, MEAN and RSTD what layer_norm does. */
static void fill_results(struct run *r)
{
	bool log = !strncmp(r->k->name, "log_softmax_grad", 16);
	size_t row, i, n = width(r);
	struct norm m;
	real sum;

	for (row = 0; row < height(r); row++) {
		if (!strncmp(r->k->name, "layer_norm_grad", 15)) {
			m = norm_row(r, row, 1e-5L);
			set(&r->t[3], row, m.mean);
			set(&r->t[4], row, m.rstd);
		}
		if (strcmp(r->k->tensors[0].name, "Y"))
			continue;
		sum = log_sum(r, row);
		for (i = 0; i < n; i++) {
			real y = in(r, 0, row * n + i) - sum;

			set(&r->t[0], row * n + i, log ? y : expl(y));
		}
	}
}

static void fill(struct run *r, const struct row *row, uint32_t *seed)
{
	static const float rates[8] = { 0.01f, 0.9f, 0.999f, 1e-8f, 0.01f,
					0.729f, 0.997f, 0 };
	bool adamw = !strncmp(row->name, "adamw", 5), both;
	uint32_t t, x;
	size_t i;

	for (t = 0; t < r->k->num_tensors; t++) {
		const struct kernel_lib_tensor *kt = &r->k->tensors[t];

		if (!(kt->access & GAUDI_KERNEL_READS))
			continue;
		both = row->both && !(adamw && !strcmp(kt->name, "V"));
		for (i = 0; i < r->t[t].count; i++) {
			x = next_of(seed);
			if (!strcmp(kt->name, "LABEL"))
				set_raw(&r->t[t], i, x % row->width);
			else if (kt->rule == KERNEL_LIB_EIGHT)
				set(&r->t[t], i, rates[i]);
			else
				set(&r->t[t], i, pick_of(row->high / 1000,
							 row->high, both,
							 seed));
		}
	}
	fill_results(r);
}

static void scalars(struct run *r)
{
	static const struct {
		const char *name;
		float value;
	} known[] = {
		{ "EPS", 1e-5f }, { "SCALE", 0.0078125f }, { "LR", 0.1f },
		{ "WD", 0.01f }, { "MU", 0.9f }, { "MAX", 1 },
	};
	uint32_t i, k, found = 0;

	for (i = 0; i < r->k->num_scalars; i++)
		for (k = 0; k < sizeof(known) / sizeof(known[0]); k++)
			if (!strcmp(r->k->scalars[i].name, known[k].name)) {
				r->scalars[i] = bits_of(known[k].value);
				found++;
			}
	assert_int_equal(found, r->k->num_scalars);
}

/* *type: of the result. */
static double worst_of(const struct row *row, const char *kind, const char *out,
		       uint32_t *type)
{
	static struct exact e;
	uint32_t seed = 2024, t, round;
	double worst = 0, off;
	struct run r;
	char name[64];
	size_t i;

	snprintf(name, sizeof(name), "%s_%s", row->name, kind);
	for (round = 0; round < ROUNDS; round++) {
		run_open(&r, name);
		t = number_of(&r, out);
		shapes(&r, row);
		run_begin(&r);
		*type = r.t[t].type;
		scalars(&r);
		fill(&r, row, &seed);
		assert_true(r.t[t].count <= MOST);
		row->exact(&r, &e);
		run_parts(&r, 8);
		for (i = 0; i < r.t[t].count; i++) {
			off = fabsl(get(&r.t[t], i) - e.want[i]) /
			      unit_of(*type, e.size[i]);
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
	char name[40], range[40], half[12] = "";

	snprintf(name, sizeof(name), "%s %s", row->name, row->out);
	snprintf(range, sizeof(range), "%s%g to %g", row->both ? "+-" : "",
		 row->high / 1000, row->high);
	if (!row->half || *row->half)
		snprintf(half, sizeof(half), "%.2f", bf16);
	snprintf(text, size, "%-22s %-13s %-6.2f %-6s %3g   %s", name, range,
		 f32, *half ? half : "--", row->bound, row->remark);
	while (*text && text[strlen(text) - 1] == ' ')
		text[strlen(text) - 1] = 0;
}

static bool wanted(const char *name)
{
	char full[64];

	snprintf(full, sizeof(full), "%s_f32", name);
	if (run_wanted(full))
		return true;
	snprintf(full, sizeof(full), "%s_bf16", name);
	return run_wanted(full);
}

TEST(accuracy_of_rows)
{
	double f32, bf16, bound;
	uint32_t type;
	char text[160];
	bool bad = false;
	size_t i;

	for (i = 0; i < NUM_ROWS; i++) {
		if (!wanted(rows[i].name))
			continue;
		f32 = worst_of(&rows[i], "f32", rows[i].out, &type);
		bf16 = 0;
		if (!rows[i].half || *rows[i].half)
			bf16 = worst_of(&rows[i], "bf16", rows[i].half ?
					rows[i].half : rows[i].out, &type);
		bound = type == GAUDI_TYPE_BF16 ? BOUND_BF16 : rows[i].bound;
		row_text(&rows[i], f32, bf16, text, sizeof(text));
		bad |= !row_good(rows[i].name, text, f32, rows[i].bound, bf16,
				 bound);
	}
	assert_false(bad);
}
