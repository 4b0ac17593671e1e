// SPDX-License-Identifier: GPL-2.0-only
/*
 * Along a dim: sums, means, the largest. Of rows, which lie along dim 0: softmax,
 * cross-entropy, layer norm, the number of the largest.
 */
#include <math.h>

#include "reference.h"

static float half_value(uint32_t h)
{
	float m = (float)(h & 0x3ff);
	int e = h >> 10 & 31;
	float v = e == 31 ? (m ? NAN : INFINITY) :
		  e ? ldexpf(m + 1024, e - 25) : ldexpf(m, -24);

	return h & 0x8000 ? -v : v;
}

static uint32_t half_of(float f)
{
	uint32_t sign = signbit(f) ? 0x8000 : 0;
	double v = fabs(f), m;
	int e;

	if (isnan(f))
		return 0x7e00;
	if (v >= 65520)
		return sign | 0x7c00;
	frexp(v, &e);
	e = v == 0 || e - 1 < -14 ? -14 : e - 1;
	/* A carry goes into the exponent. */
	m = nearbyint(ldexp(v, 10 - e)) + ldexp(e + 14, 10);

	return sign | (uint32_t)m;
}

static float flushed(float f)
{
	return fabsf(f) < 0x1p-126f ? copysignf(0, f) : f;
}

static float half_step(const char *name, float a, float b)
{
	if (!strncmp(name, "max", 3))
		return (float)max_of(a, b);
	if (!strncmp(name, "min", 3))
		return (float)-max_of(-a, -b);

	return flushed(*name == 'p' ? a * b : a + b);
}

/* Of words of two: one after the other in f32, which is rounded once. */
static void reduce_halves(struct run *r, const char *name)
{
	uint32_t at[5] = {}, from[5], out, bits;
	float v;

	do {
		out = 0;
		for (uint32_t shift = 0; shift < 32; shift += 16) {
			v = !strncmp(name, "max", 3) ? -INFINITY :
			    !strncmp(name, "min", 3) ? INFINITY : *name == 'p';
			memcpy(from, at, sizeof(from));
			for (from[1] = 0; from[1] < r->t[0].dims[1]; from[1]++) {
				bits = word(&r->t[0], from) >> shift & 0xffff;
				v = half_step(name, v, half_value(bits));
			}
			if (!strncmp(name, "mean", 4))
				v = v / (float)r->t[0].dims[1];
			out |= half_of(v) << shift;
		}
		put(&r->t[1], at, out);
	} while (next(&r->t[1], at));
}

/* Of words of four bytes, which run over. */
static void reduce_bytes(struct run *r, const char *name, bool is_signed)
{
	bool max = !strncmp(name, "max", 3), min = !strncmp(name, "min", 3);
	uint32_t at[5] = {}, from[5], out;

	do {
		out = 0;
		for (uint32_t shift = 0; shift < 32; shift += 8) {
			int sum = max ? -128 : min ? 255 : 0, v;

			memcpy(from, at, sizeof(from));
			for (from[1] = 0; from[1] < r->t[0].dims[1]; from[1]++) {
				v = word(&r->t[0], from) >> shift & 0xff;
				v = is_signed ? (int8_t)v : v;
				sum = max ? (v > sum ? v : sum) :
				      min ? (v < sum ? v : sum) : sum + v;
			}
			out |= ((uint32_t)sum & 0xff) << shift;
		}
		put(&r->t[1], at, out);
	} while (next(&r->t[1], at));
}

static void narrow(struct run *r, const char *name)
{
	const char *type = strrchr(name, '_') + 1;

	if (*type == 'f')
		reduce_halves(r, name);
	else
		reduce_bytes(r, name, *type == 'i');
}

/* sum_rows, mean_columns, max_dim2 */
static void reduce(struct run *r, const char *name)
{
	const struct tensor *a = &r->t[0];
	const char *along = strchr(name, '_') + 1;
	uint32_t dim = *along == 'r' ? 0 : *along == 'c' ? 1 : along[3] - '0';
	bool max = !strncmp(name, "max", 3), mean = !strncmp(name, "mean", 4);
	bool min = !strncmp(name, "min", 3), prod = *name == 'p';
	uint32_t at[5] = {}, from[5];
	double sum, v;

	do {
		memcpy(from, at, sizeof(from));
		sum = max ? -INFINITY : min ? INFINITY : prod;
		for (from[dim] = 0; from[dim] < a->dims[dim]; from[dim]++) {
			v = value(a, from);
			sum = max ? max_of(sum, v) :
			      min ? -max_of(-sum, -v) :
			      prod && !dim ? sum * v : prod ?
			      flushed((float)sum * (float)v) : sum + v;
		}
		/* Whole numbers run over. */
		if (a->type == GAUDI_TYPE_I32)
			sum = (int32_t)(uint32_t)(int64_t)sum;
		put(&r->t[1], at, mean ? sum / a->dims[dim] : sum);
	} while (next(&r->t[1], at));
}

/* One after the other, each rounded as the card does. */
static void cumulate(struct run *r, const char *name)
{
	bool prod = name[3] == 'p', whole = r->t[0].type == GAUDI_TYPE_I32;
	uint32_t at[5] = {}, from[5], n;
	float v;

	do {
		memcpy(from, at, sizeof(from));
		v = prod;
		n = prod;
		for (from[1] = 0; from[1] <= at[1]; from[1]++) {
			n = prod ? n * word(&r->t[0], from) :
				   n + word(&r->t[0], from);
			v = flushed(prod ? v * (float)value(&r->t[0], from) :
					   v + (float)value(&r->t[0], from));
		}
		if (whole)
			set_raw(&r->t[1], number_of(&r->t[1], at), n);
		else
			put(&r->t[1], at, v);
	} while (next(&r->t[1], at));
}

static double item(const struct tensor *t, const uint32_t *row, uint32_t k)
{
	const uint32_t at[5] = { k, row[1], row[2], row[3], row[4] };

	return value(t, at);
}

static void put_item(struct tensor *t, const uint32_t *row, uint32_t k, double v)
{
	const uint32_t at[5] = { k, row[1], row[2], row[3], row[4] };

	put(t, at, v);
}

double log_sum(const struct tensor *t, const uint32_t *row)
{
	double max = -INFINITY, sum = 0;
	uint32_t k;

	for (k = 0; k < t->dims[0]; k++)
		max = fmax(max, item(t, row, k));
	for (k = 0; k < t->dims[0]; k++)
		sum += exp(item(t, row, k) - max);
	return max + log(sum);
}

static void softmax(struct run *r, const char *name)
{
	uint32_t row[5] = {}, k;
	double all, v;

	do {
		all = log_sum(&r->t[0], row);
		for (k = 0; k < r->t[0].dims[0]; k++) {
			v = item(&r->t[0], row, k) - all;
			put_item(&r->t[1], row, k, name[0] == 'l' ? v : exp(v));
		}
	} while (next_row(&r->t[0], row));
}

static void softmax_grad(struct run *r, const char *name)
{
	const struct tensor *y = &r->t[0], *g = &r->t[1];
	bool logs = name[0] == 'l';
	uint32_t row[5] = {}, k;
	double sum, v, s;

	do {
		sum = 0;
		for (k = 0; k < y->dims[0]; k++)
			sum += item(g, row, k) * (logs ? 1 : item(y, row, k));
		for (k = 0; k < y->dims[0]; k++) {
			v = item(y, row, k);
			s = item(g, row, k);
			put_item(&r->t[2], row, k, logs ? s - exp(v) * sum :
							  v * (s - sum));
		}
	} while (next_row(y, row));
}

/* A label that is none: no loss. */
static void loss(struct run *r, const char *name)
{
	uint32_t row[5] = {}, label;
	double all;

	(void)name;
	do {
		label = word(&r->t[1], row);
		all = 0;
		if (label < r->t[0].dims[0])
			all = log_sum(&r->t[0], row) -
			      item(&r->t[0], row, label);
		put(&r->t[2], row, all);
	} while (next_row(&r->t[2], row));
}

/* A label that is none: no gradient. */
static void loss_grad(struct run *r, const char *name)
{
	uint32_t n = r->t[0].dims[0], row[5] = {}, label, k;
	double all, g;

	(void)name;
	do {
		all = log_sum(&r->t[0], row);
		row[0] = 0;
		label = word(&r->t[1], row);
		for (k = 0; k < n; k++) {
			g = exp(item(&r->t[0], row, k) - all) - (k == label);
			put_item(&r->t[2], row, k, label < n ? g * scalar(r, 0) : 0);
		}
	} while (next_row(&r->t[0], row));
}

static void norm(struct run *r, const char *name)
{
	const struct tensor *x = &r->t[0];
	uint32_t n = x->dims[0], row[5] = {}, k;
	double mean, square, v;

	(void)name;
	do {
		mean = square = 0;
		for (k = 0; k < n; k++)
			mean += item(x, row, k) / n;
		for (k = 0; k < n; k++) {
			v = item(x, row, k) - mean;
			square += v * v / n;
		}
		square = 1 / sqrt(square + scalar(r, 0));
		for (k = 0; k < n; k++) {
			v = (item(x, row, k) - mean) * square;
			put_item(&r->t[3], row, k, v * item(&r->t[1], row, k) +
						   item(&r->t[2], row, k));
		}
		put_item(&r->t[4], row, 0, mean);
		put_item(&r->t[5], row, 0, square);
	} while (next_row(x, row));
}

static void norm_grad(struct run *r, const char *name)
{
	const struct tensor *t = r->t;
	uint32_t n = t[0].dims[0], row[5] = {}, k;
	double mean, rstd, a, b, x, g;

	(void)name;
	do {
		mean = item(&t[3], row, 0);
		rstd = item(&t[4], row, 0);
		a = b = 0;
		for (k = 0; k < n; k++) {
			x = (item(&t[0], row, k) - mean) * rstd;
			g = item(&t[2], row, k) * item(&t[1], row, k);
			a += g / n;
			b += g * x / n;
		}
		for (k = 0; k < n; k++) {
			x = (item(&t[0], row, k) - mean) * rstd;
			g = item(&t[2], row, k);
			put_item(&r->t[6], row, k, x * g);
			g *= item(&t[1], row, k);
			put_item(&r->t[5], row, k, (g - a - x * b) * rstd);
		}
	} while (next_row(&t[0], row));
}

/* The number of the first of the largest, or of the first NaN; or whether it is LABEL. */
static void choice(struct run *r, const char *name)
{
	const struct tensor *a = &r->t[0];
	uint32_t row[5] = {}, best, k;
	double high, v, sign = strstr(name, "min") ? -1 : 1;

	do {
		best = 0;
		high = -INFINITY;
		for (k = 0; k < a->dims[0]; k++) {
			v = sign * item(a, row, k);
			if (is_first_max(high, v)) {
				high = v;
				best = k;
			}
		}
		row[0] = 0;
		if (name[0] == 'a')
			put(&r->t[1], row, best);
		else
			put(&r->t[2], row, word(&r->t[1], row) == best);
	} while (next_row(a, row));
}

static void squares(struct run *r, const char *name)
{
	const struct tensor *a = &r->t[0];
	uint32_t row[5] = {}, k;
	double sum, v;

	(void)name;
	do {
		sum = 0;
		for (k = 0; k < a->dims[0]; k++) {
			v = item(a, row, k);
			sum += v * v;
		}
		put_item(&r->t[1], row, 0, sum);
	} while (next_row(a, row));
}

const struct reference reference_rows[] = {
	{ "sum_squares_rows", squares },
	{ "sum_columns_f16", narrow }, { "max_columns_f16", narrow },
	{ "min_columns_f16", narrow }, { "mean_columns_f16", narrow },
	{ "prod_columns_f16", narrow }, { "sum_columns_i8", narrow },
	{ "max_columns_i8", narrow }, { "min_columns_i8", narrow },
	{ "max_columns_u8", narrow }, { "min_columns_u8", narrow },
	{ "prod_*", reduce }, { "sum_*", reduce },
	{ "mean_*", reduce }, { "max_rows", reduce }, { "max_columns", reduce },
	{ "min_columns", reduce }, { "min_rows", reduce },
	{ "min_dim*", reduce }, { "max_dim*", reduce }, { "softmax", softmax },
	{ "log_softmax", softmax }, { "softmax_grad", softmax_grad },
	{ "log_softmax_grad", softmax_grad }, { "cross_entropy", loss },
	{ "cross_entropy_grad", loss_grad }, { "layer_norm", norm },
	{ "layer_norm_grad", norm_grad }, { "argm*", choice },
	{ "cum*", cumulate }, { "correct_rows", choice }, {},
};
