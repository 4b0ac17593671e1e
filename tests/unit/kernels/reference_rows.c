// SPDX-License-Identifier: GPL-2.0-only
/*
 * Along a dim: sums, means, the largest. Of rows, which lie along dim 0: softmax,
 * cross-entropy, layer norm, the number of the largest.
 */
#include <math.h>

#include "reference.h"

/* sum_rows, mean_columns, max_dim2 */
static void reduce(struct run *r, const char *name)
{
	const struct tensor *a = &r->t[0];
	const char *along = strchr(name, '_') + 1;
	uint32_t dim = *along == 'r' ? 0 : *along == 'c' ? 1 : along[3] - '0';
	bool max = !strncmp(name, "max", 3), mean = !strncmp(name, "mean", 4);
	bool min = !strncmp(name, "min", 3);
	uint32_t at[5] = {}, from[5];
	double sum, v;

	do {
		memcpy(from, at, sizeof(from));
		sum = max ? -INFINITY : min ? INFINITY : 0;
		for (from[dim] = 0; from[dim] < a->dims[dim]; from[dim]++) {
			v = value(a, from);
			sum = max ? max_of(sum, v) :
			      min ? -max_of(-sum, -v) : sum + v;
		}
		/* Whole numbers run over. */
		if (a->type == GAUDI_TYPE_I32)
			sum = (int32_t)(uint32_t)(int64_t)sum;
		put(&r->t[1], at, mean ? sum / a->dims[dim] : sum);
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
	double high;

	do {
		best = 0;
		high = -INFINITY;
		for (k = 0; k < a->dims[0]; k++)
			if (is_first_max(high, item(a, row, k))) {
				high = item(a, row, k);
				best = k;
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
	{ "sum_squares_rows", squares }, { "sum_*", reduce },
	{ "mean_*", reduce }, { "max_rows", reduce }, { "max_columns", reduce },
	{ "min_columns", reduce },
	{ "max_dim*", reduce }, { "softmax", softmax },
	{ "log_softmax", softmax }, { "softmax_grad", softmax_grad },
	{ "log_softmax_grad", softmax_grad }, { "cross_entropy", loss },
	{ "cross_entropy_grad", loss_grad }, { "layer_norm", norm },
	{ "layer_norm_grad", norm_grad }, { "argmax_rows", choice },
	{ "correct_rows", choice }, {},
};
