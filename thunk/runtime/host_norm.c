// SPDX-License-Identifier: MIT
/*
 * Operations of the host on rows, which lie along dim 0: layer norm, the number of the
 * largest, sums of squares, the gradient of cross-entropy.
 */
#include <math.h>
#include <string.h>

#include "host_math.h"

static double get(const struct gaudi_host_tensor *t, uint64_t *at, uint64_t k)
{
	at[0] = k;

	return host_value(t, at);
}

static void put(const struct gaudi_host_tensor *t, uint64_t *at, uint64_t k,
		double value)
{
	at[0] = k;
	host_set(t, at, value);
}

/* The first index of each row: do { } while (host_next()). */
static void begin_rows(struct host_walk *w, const struct gaudi_host_tensor *t)
{
	host_begin(w, t);
	w->dims[0] = 1;
}

/* --- layer norm ------------------------------------------------------------------ */

static bool check_norm(const struct gaudi_host_call *call, uint32_t *access)
{
	const struct gaudi_host_tensor *t = call->tensors;

	return host_roles(call, "rrrwww", 0, 1, access) &&
	       host_same(&t[0], &t[3]) && host_spreads(&t[1], &t[0]) &&
	       host_spreads(&t[2], &t[0]) && host_is_row(&t[4], &t[0]) &&
	       host_is_row(&t[5], &t[0]);
}

static int run_norm(const struct gaudi_host_call *call, void *arg)
{
	const struct gaudi_host_tensor *t = call->tensors;
	double eps = host_scalar_or(call, 0, 1e-5);
	uint64_t n = host_dim(&t[0], 0), k;
	struct host_walk w;

	(void)arg;
	begin_rows(&w, &t[0]);
	do {
		double mean = 0, square = 0;

		for (k = 0; k < n; k++)
			mean += get(&t[0], w.at, k) / (double)n;
		for (k = 0; k < n; k++) {
			double d = get(&t[0], w.at, k) - mean;

			square += d * d / (double)n;
		}
		square = 1 / sqrt(square + eps);
		for (k = 0; k < n; k++) {
			double d = (get(&t[0], w.at, k) - mean) * square;

			put(&t[3], w.at, k, d * get(&t[1], w.at, k) +
					    get(&t[2], w.at, k));
		}
		put(&t[4], w.at, 0, mean);
		put(&t[5], w.at, 0, square);
	} while (host_next(&w));

	return 0;
}

static bool check_norm_grad(const struct gaudi_host_call *call,
			    uint32_t *access)
{
	const struct gaudi_host_tensor *t = call->tensors;

	return host_roles(call, "rrrrrww", 0, 0, access) &&
	       host_spreads(&t[1], &t[0]) && host_same(&t[2], &t[0]) &&
	       host_is_row(&t[3], &t[0]) && host_is_row(&t[4], &t[0]) &&
	       host_same(&t[5], &t[0]) && host_same(&t[6], &t[0]);
}

static int run_norm_grad(const struct gaudi_host_call *call, void *arg)
{
	const struct gaudi_host_tensor *t = call->tensors;
	uint64_t n = host_dim(&t[0], 0), k;
	struct host_walk w;

	(void)arg;
	begin_rows(&w, &t[0]);
	do {
		double mean = get(&t[3], w.at, 0), rstd = get(&t[4], w.at, 0);
		double a = 0, b = 0, x, g;

		for (k = 0; k < n; k++) {
			x = (get(&t[0], w.at, k) - mean) * rstd;
			g = get(&t[2], w.at, k) * get(&t[1], w.at, k);
			a += g / (double)n;
			b += g * x / (double)n;
		}
		for (k = 0; k < n; k++) {
			x = (get(&t[0], w.at, k) - mean) * rstd;
			g = get(&t[2], w.at, k);
			put(&t[6], w.at, k, x * g);
			g *= get(&t[1], w.at, k);
			put(&t[5], w.at, k, (g - a - x * b) * rstd);
		}
	} while (host_next(&w));

	return 0;
}

/* --- the largest ------------------------------------------------------------------- */

/* The first of the largest, or the first NaN. */
static uint64_t largest(const struct gaudi_host_tensor *t, uint64_t *at)
{
	uint64_t best = 0, k;
	double high = -(double)INFINITY;

	for (k = 0; k < host_dim(t, 0); k++) {
		double x = get(t, at, k);

		if (!host_first_max(high, x))
			continue;
		high = x;
		best = k;
	}

	return best;
}

static bool check_choice(const struct gaudi_host_call *call, uint32_t *access)
{
	const struct gaudi_host_tensor *t = call->tensors;

	if (!strcmp(call->op, "argmax_rows"))
		return host_roles(call, "rw", 0, 0, access) &&
		       host_is_int(t[1].type) && host_is_row(&t[1], &t[0]);

	return host_roles(call, "rrw", 0, 0, access) &&
	       host_is_int(t[1].type) && host_is_row(&t[1], &t[0]) &&
	       host_is_row(&t[2], &t[0]);
}

static int run_choice(const struct gaudi_host_call *call, void *arg)
{
	const struct gaudi_host_tensor *t = call->tensors;
	bool number = !strcmp(call->op, "argmax_rows");
	struct host_walk w;

	(void)arg;
	begin_rows(&w, &t[0]);
	do {
		uint64_t best = largest(&t[0], w.at), label;

		w.at[0] = 0;
		label = host_get(t[1].type, host_at(&t[1], w.at)).i;
		if (number)
			host_set(&t[1], w.at, (double)best);
		else
			host_set(&t[2], w.at, label == best);
	} while (host_next(&w));

	return 0;
}

/* --- others --------------------------------------------------------------------------- */

static bool check_squares(const struct gaudi_host_call *call, uint32_t *access)
{
	return host_roles(call, "rw", 0, 0, access) &&
	       host_is_row(&call->tensors[1], &call->tensors[0]);
}

static int run_squares(const struct gaudi_host_call *call, void *arg)
{
	const struct gaudi_host_tensor *t = call->tensors;
	struct host_walk w;
	uint64_t k;

	(void)arg;
	begin_rows(&w, &t[0]);
	do {
		double sum = 0;

		for (k = 0; k < host_dim(&t[0], 0); k++)
			sum += get(&t[0], w.at, k) * get(&t[0], w.at, k);
		put(&t[1], w.at, 0, sum);
		w.at[0] = 0;
	} while (host_next(&w));

	return 0;
}

static bool check_loss_grad(const struct gaudi_host_call *call,
			    uint32_t *access)
{
	const struct gaudi_host_tensor *t = call->tensors;

	return host_roles(call, "rrw", 0, 1, access) &&
	       host_is_int(t[1].type) && host_is_row(&t[1], &t[0]) &&
	       host_same(&t[2], &t[0]);
}

static int run_loss_grad(const struct gaudi_host_call *call, void *arg)
{
	const struct gaudi_host_tensor *t = call->tensors;
	double scale = host_scalar_or(call, 0, 1);
	uint64_t n = host_dim(&t[0], 0), k;
	struct host_walk w;

	(void)arg;
	begin_rows(&w, &t[0]);
	do {
		double all = host_log_sum(&t[0], w.at);
		uint64_t label;

		w.at[0] = 0;
		label = host_get(t[1].type, host_at(&t[1], w.at)).i;
		for (k = 0; k < n; k++) {
			double g = exp(get(&t[0], w.at, k) - all) - (k == label);

			/* A label that is none: no gradient. */
			put(&t[2], w.at, k, label < n ? g * scale : 0);
		}
		w.at[0] = 0;
	} while (host_next(&w));

	return 0;
}

const struct host_builtin host_norms[] = {
	{ "layer_norm", run_norm, check_norm },
	{ "layer_norm_grad", run_norm_grad, check_norm_grad },
	{ "argmax_rows", run_choice, check_choice },
	{ "correct_rows", run_choice, check_choice },
	{ "sum_squares_rows", run_squares, check_squares },
	{ "cross_entropy_grad", run_loss_grad, check_loss_grad },
	{},
};
