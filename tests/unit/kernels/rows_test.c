// SPDX-License-Identifier: GPL-2.0-only
/* Reductions, softmax and cross-entropy; updates of parameters. */
#include <math.h>

#include "run.h"

#define MAX_DIM	1000

static const struct shape_row {
	uint32_t rank, dims[5];
} shapes[] = {
	{ 2, { 1, 1 } }, { 2, { 10, 37 } }, { 2, { 63, 3 } }, { 2, { 64, 9 } },
	{ 2, { 65, 2 } }, { 2, { 127, 5 } }, { 2, { 1000, 4 } },
	{ 2, { 5, 0 } }, { 3, { 129, 2, 3 } }, { 5, { 7, 2, 1, 3, 2 } },
	{ 5, { 130, 3, 2, 1, 2 } }, { 5, { 65, 3, 2, 4, 5 } },
	{ 4, { 257, 2, 9, 3 } },
};

#define NUM_SHAPES	(sizeof(shapes) / sizeof(shapes[0]))

static float value(size_t i, unsigned int which)
{
	return ((int)(mix(i, which, 99991) % 4001) - 2000) / 256.0f;
}

static void near(const char *name, size_t i, uint32_t type, double is,
		 double want, double bound)
{
	if (type == GAUDI_TYPE_BF16)
		bound += fabs(want) / 256;
	if (!(fabs(is - want) <= bound))
		fail_msg("%s: element %zu is %.9g, not %.9g", name, i, is, want);
}

/* What the row beginning at p, of n elements a stride apart, comes to. */
static double reduce(const struct tensor *t, size_t p, size_t n, size_t stride,
		     const char *name)
{
	bool squares = !strncmp(name, "sum_squares", 11);
	double sum = 0, high = -INFINITY, low = INFINITY, x;
	size_t i;

	for (i = 0; i < n; i++) {
		x = get(t, p + i * stride);
		sum += squares ? x * x : x;
		high = fmax(high, x);
		low = fmin(low, x);
	}
	/* What a kernel begins with, where there is nothing. */
	if (!n && t->type == GAUDI_TYPE_I32)
		high = -(low = 0x1p31);
	if (!n && t->type == GAUDI_TYPE_U32)
		high = 0, low = 0x1p32;
	if (!strncmp(name, "min", 3))
		return low;
	if (!strncmp(name, "max", 3))
		return high;
	return strncmp(name, "mean", 4) ? sum : sum / n;
}

static void one_reduction(const char *name, unsigned int dim,
			  const struct shape_row *s, unsigned int parts)
{
	size_t i, n, inner = 1;
	struct shape_row to = *s;
	struct run r;
	uint32_t d;

	to.dims[dim] = 1;
	run_open(&r, name);
	shape(&r.t[0], s->rank, s->dims);
	shape(&r.t[1], to.rank, to.dims);
	n = r.t[0].dims[dim];
	for (d = 0; d < dim; d++)
		inner *= r.t[0].dims[d];
	run_begin(&r);
	for (i = 0; i < r.t[0].count; i++)
		set(&r.t[0], i, value(i, 0));
	run_parts(&r, parts);
	for (i = 0; i < r.t[1].count && r.t[0].count; i++)
		near(name, i, r.t[1].type, get(&r.t[1], i),
		     reduce(&r.t[0], i / inner * inner * n + i % inner, n,
			    inner, name), n * 8 * 0x1p-24 * 4 *
		     (strncmp(name, "sum_squares", 11) ? 1 : 8));
	run_close(&r);
}

TEST(reductions)
{
	static const struct {
		const char *name;
		unsigned int dim;
	} rows[] = {
		{ "sum_columns", 1 }, { "max_columns", 1 },
		{ "min_columns", 1 }, { "mean_columns", 1 },
		{ "sum_rows", 0 }, { "max_rows", 0 }, { "mean_rows", 0 }, { "sum_dim2", 2 }, { "max_dim2", 2 },
		{ "mean_dim2", 2 }, { "sum_dim3", 3 }, { "max_dim3", 3 },
		{ "mean_dim3", 3 }, { "sum_dim4", 4 }, { "max_dim4", 4 },
		{ "mean_dim4", 4 }, { "sum_squares_rows", 0 },
	};
	static const char *const types[] = { "f32", "bf16", "i32", "u32" };
	const size_t whole = 3;		/* rows that have these, too */
	size_t i, s, t;
	char name[40];

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (t = 0; t < (i < whole ? 4 : 2); t++)
			for (s = 0; s < NUM_SHAPES; s++) {
				/* Sums of both kinds of whole numbers are the same. */
				if (t == 3 && !i)
					continue;
				snprintf(name, sizeof(name), "%s_%s",
					 rows[i].name, types[t]);
				one_reduction(name, rows[i].dim, &shapes[s], 1);
				one_reduction(name, rows[i].dim, &shapes[s], 8);
			}
}

/* softmax, log_softmax, cross_entropy and its gradient, by its first letters. */
static void one_softmax(const char *name, const struct shape_row *s,
			unsigned int parts)
{
	bool label = !strncmp(name, "cross", 5), grad = strstr(name, "grad");
	uint32_t n = s->dims[0], out = label ? 2 : 1, row, i, y;
	struct shape_row single = *s;
	double high, sum, x, want;
	struct run r;

	single.dims[0] = 1;
	run_open(&r, name);
	shape(&r.t[0], s->rank, s->dims);
	if (label)
		shape(&r.t[1], s->rank, single.dims);
	shape(&r.t[out], s->rank, label && !grad ? single.dims : s->dims);
	run_begin(&r);
	for (i = 0; i < r.t[0].count; i++)
		set(&r.t[0], i, value(i, 1));
	for (row = 0; label && row < r.t[1].count; row++)
		set(&r.t[1], row, (row * 7 + n / 2) % n);
	r.scalars[0] = bits_of(0.25f);
	run_parts(&r, parts);
	for (row = 0; row < r.t[0].count / n; row++) {
		high = reduce(&r.t[0], row * n, n, 1, "max");
		for (sum = 0, i = 0; i < n; i++)
			sum += exp(get(&r.t[0], row * n + i) - high);
		y = label ? (uint32_t)get(&r.t[1], row) : n;
		if (label && !grad)
			near(name, row, GAUDI_TYPE_F32, get(&r.t[2], row),
			     high + log(sum) - get(&r.t[0], row * n + y), 4e-6);
		for (i = 0; i < n && (!label || grad); i++) {
			x = get(&r.t[0], row * n + i) - high;
			want = !strncmp(name, "log", 3) ? x - log(sum) :
				grad ? (exp(x) / sum - (i == y)) * 0.25 :
				exp(x) / sum;
			near(name, row * n + i, r.t[out].type,
			     get(&r.t[out], row * n + i), want,
			     fabs(want) * 2e-6 +
			     (strncmp(name, "log", 3) ? 1e-9 : 2e-6));
		}
	}
	run_close(&r);
}

TEST(softmaxes)
{
	static const char *const names[] = {
		"softmax_f32", "log_softmax_f32", "cross_entropy_f32",
		"cross_entropy_grad_f32", "softmax_bf16", "log_softmax_bf16",
		"cross_entropy_bf16", "cross_entropy_grad_bf16",
	};
	size_t i, s;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		for (s = 0; s < NUM_SHAPES; s++) {
			one_softmax(names[i], &shapes[s], 1);
			one_softmax(names[i], &shapes[s], 8);
		}
}

static void begin_update(struct run *r, const char *name, uint32_t count)
{
	uint32_t dims[1] = { count }, t, i;

	run_open(r, name);
	for (t = 0; t < r->k->num_tensors; t++) {
		dims[0] = strcmp(r->k->tensors[t].name, "H") ? count : 8;
		shape(&r->t[t], 1, dims);
	}
	run_begin(r);
	for (t = 0; t < r->k->num_tensors; t++)
		for (i = 0; i < r->t[t].count; i++)
			set(&r->t[t], i, value(i, t));
}

/* Of the parameters, by the type of gradients: a copy in bf16 is their last. */
static void check_copy(const struct run *r)
{
	uint32_t w = r->k->num_tensors - 1;
	size_t i;

	if (strcmp(r->k->tensors[w].name, "W"))
		return;
	for (i = 0; i < r->t[w].count; i++)
		if (ulps(GAUDI_TYPE_BF16, get(&r->t[w], i), get(&r->t[0], i)))
			fail_msg("%s: element %zu of the copy is %g, of the parameters %g",
				 r->k->name, i, get(&r->t[w], i),
				 get(&r->t[0], i));
}

static void one_sgd(const char *name, uint32_t count, unsigned int parts)
{
	struct run r;
	size_t i;

	begin_update(&r, name, count);
	r.scalars[0] = bits_of(0.125f);
	r.scalars[1] = bits_of(0.01f);
	run_parts(&r, parts);
	for (i = 0; i < count; i++)
		near(name, i, GAUDI_TYPE_F32, get(&r.t[0], i),
		     value(i, 0) - 0.125 * (get(&r.t[1], i) +
					    0.01 * value(i, 0)), 2e-6);
	check_copy(&r);
	run_close(&r);
}

static void one_momentum(const char *name, uint32_t count, unsigned int parts)
{
	struct run r;
	double g, v;
	size_t i;

	begin_update(&r, name, count);
	r.scalars[0] = bits_of(0.125f);
	r.scalars[1] = bits_of(0.9f);
	r.scalars[2] = bits_of(0.01f);
	run_parts(&r, parts);
	for (i = 0; i < count; i++) {
		g = get(&r.t[1], i) + 0.01 * value(i, 0);
		v = 0.9 * value(i, 2) + g;
		near(name, i, GAUDI_TYPE_F32, get(&r.t[2], i), v, 4e-6);
		near(name, i, GAUDI_TYPE_F32, get(&r.t[0], i),
		     value(i, 0) - 0.125 * v, 4e-6);
	}
	check_copy(&r);
	run_close(&r);
}

TEST(updates)
{
	static const uint32_t counts[] = { 0, 1, 63, 64, 65, 127, 129, 1000 };
	size_t c;

	for (c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
		one_sgd("sgd_f32", counts[c], c % 2 ? 8 : 1);
		one_sgd("sgd_bf16", counts[c], c % 2 ? 8 : 1);
		one_momentum("momentum_f32", counts[c], c % 2 ? 8 : 1);
		one_momentum("momentum_bf16", counts[c], c % 2 ? 8 : 1);
	}
}

static const float hyper[8] = {
	0.001f, 0.9f, 0.999f, 1e-8f, 0.01f, 0.81f, 0.998001f, 7,
};

static void one_adamw(const char *name, uint32_t count, unsigned int parts)
{
	double g, m, v, p;
	struct run r;
	size_t i;

	begin_update(&r, name, count);
	for (i = 0; i < count; i++)
		set(&r.t[3], i, fabsf(value(i, 3)));
	for (i = 0; i < 8; i++)
		set(&r.t[4], i, hyper[i]);
	run_parts(&r, parts);
	for (i = 0; i < count; i++) {
		g = get(&r.t[1], i);
		m = 0.9 * value(i, 2) + 0.1 * g;
		v = (double)0.999f * fabsf(value(i, 3)) +
		    (1 - (double)0.999f) * g * g;
		near("adamw, m", i, GAUDI_TYPE_F32, get(&r.t[2], i), m, 2e-6);
		near("adamw, v", i, GAUDI_TYPE_F32, get(&r.t[3], i), v, 2e-6);
		p = value(i, 0) * (1 - 0.001 * 0.01) -
		    0.001 * (m / 0.19) / (sqrt(v / (1 - (double)0.998001f)) +
					  1e-8);
		near("adamw, p", i, GAUDI_TYPE_F32, get(&r.t[0], i), p, 2e-6);
	}
	check_copy(&r);
	run_close(&r);
}

TEST(adamw)
{
	static const uint32_t counts[] = { 1, 63, 64, 65, 129, 1000 };
	struct run r;
	size_t i;

	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		one_adamw("adamw_f32", counts[i], 8 - i % 2 * 7);
		one_adamw("adamw_bf16", counts[i], 8 - i % 2 * 7);
	}
	begin_update(&r, "adamw_step_f32", 8);
	for (i = 0; i < 8; i++)
		set(&r.t[0], i, hyper[i]);
	run_parts(&r, 1);
	for (i = 0; i < 8; i++)
		assert_true(get(&r.t[0], i) == hyper[i] *
			    (i == 5 ? hyper[1] : i == 6 ? hyper[2] : 1));
	run_close(&r);
}
