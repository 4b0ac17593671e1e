// SPDX-License-Identifier: MIT
/* Operations of the host along a dim: sums, means, the largest, softmax. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "host_math.h"

enum kind { SUM, MEAN, MAX };

static const struct {
	const char *name;
	enum kind kind;
	uint32_t dim;
} reductions[] = {
	{ "sum_rows", SUM, 0 }, { "sum_columns", SUM, 1 }, { "sum_dim2", SUM, 2 },
	{ "sum_dim3", SUM, 3 }, { "sum_dim4", SUM, 4 }, { "sum_dim5", SUM, 5 },
	{ "sum_dim6", SUM, 6 }, { "sum_dim7", SUM, 7 },
	{ "mean_rows", MEAN, 0 }, { "mean_columns", MEAN, 1 },
	{ "mean_dim2", MEAN, 2 }, { "mean_dim3", MEAN, 3 },
	{ "mean_dim4", MEAN, 4 }, { "mean_dim5", MEAN, 5 },
	{ "mean_dim6", MEAN, 6 }, { "mean_dim7", MEAN, 7 },
	{ "max_rows", MAX, 0 }, { "max_columns", MAX, 1 }, { "max_dim2", MAX, 2 },
	{ "max_dim3", MAX, 3 }, { "max_dim4", MAX, 4 }, { "max_dim5", MAX, 5 },
	{ "max_dim6", MAX, 6 }, { "max_dim7", MAX, 7 },
};

static size_t find(const char *name)
{
	size_t i = 0;

	while (i < sizeof(reductions) / sizeof(reductions[0]) &&
	       strcmp(reductions[i].name, name))
		i++;

	return i;
}

static bool check_reduce(const struct gaudi_host_call *call, uint32_t *access)
{
	const struct gaudi_host_tensor *t = call->tensors;
	size_t r = find(call->op);
	uint32_t d;

	if (r == sizeof(reductions) / sizeof(reductions[0]) ||
	    !host_takes(call, 2, 0, access))
		return false;
	for (d = 0; d < GAUDI_MAX_RANK; d++)
		if (host_dim(&t[1], d) != (d == reductions[r].dim ? 1 :
					   host_dim(&t[0], d)))
			return false;

	return true;
}

static bool is_more_int(uint32_t type, struct host_num a, struct host_num b)
{
	return host_is_signed(type) ? (int64_t)a.i > (int64_t)b.i : a.i > b.i;
}

static void take_max(uint32_t type, bool first, struct host_num n,
		     struct host_num *max)
{
	if (first || (host_is_int(type) && is_more_int(type, n, *max)))
		*max = n;
	else if (!host_is_int(type))
		max->f = host_max(max->f, n.f);
}

static int run_reduce(const struct gaudi_host_call *call, void *arg)
{
	const struct gaudi_host_tensor *a = &call->tensors[0];
	const struct gaudi_host_tensor *to = &call->tensors[1];
	uint32_t dim = reductions[find(call->op)].dim;
	enum kind kind = reductions[find(call->op)].kind;
	bool integer = host_all_int(call) && kind != MEAN;
	struct host_walk w;

	(void)arg;
	host_begin(&w, to);
	do {
		uint64_t at[GAUDI_MAX_RANK], k;
		struct host_num sum = {}, n;

		memcpy(at, w.at, sizeof(at));
		for (k = 0; k < host_dim(a, dim); k++) {
			at[dim] = k;
			n = host_get(a->type, host_at(a, at));
			if (kind == MAX) {
				take_max(a->type, !k, n, &sum);
				continue;
			}
			sum.f += n.f;
			sum.i += n.i;
		}
		if (kind == MEAN)
			sum.f /= (double)host_dim(a, dim);
		host_put(to->type, host_at(to, w.at), sum, integer);
	} while (host_next(&w));

	return 0;
}

/* --- rows: what lies along dim 0 -------------------------------------------- */

static double get(const struct gaudi_host_tensor *t, uint64_t *at, uint64_t k)
{
	at[0] = k;

	return host_get(t->type, host_at(t, at)).f;
}

static void put(const struct gaudi_host_tensor *t, uint64_t *at, uint64_t k,
		double value)
{
	struct host_num n = { .f = value };

	at[0] = k;
	host_put(t->type, host_at(t, at), n, false);
}

double host_log_sum(const struct gaudi_host_tensor *a, uint64_t *at)
{
	double max = -(double)INFINITY, sum = 0;
	uint64_t k;

	for (k = 0; k < host_dim(a, 0); k++)
		max = fmax(max, get(a, at, k));
	for (k = 0; k < host_dim(a, 0); k++)
		sum += exp(get(a, at, k) - max);

	return max + log(sum);
}

static bool check_softmax(const struct gaudi_host_call *call, uint32_t *access)
{
	return host_takes(call, 2, 0, access) &&
	       host_same(&call->tensors[0], &call->tensors[1]);
}

static int run_softmax(const struct gaudi_host_call *call, void *arg)
{
	const struct gaudi_host_tensor *a = &call->tensors[0];
	const struct gaudi_host_tensor *to = &call->tensors[1];
	bool logs = !strcmp(call->op, "log_softmax");
	struct host_walk w;
	uint64_t k;

	(void)arg;
	host_begin(&w, a);
	w.dims[0] = 1;
	do {
		uint64_t at[GAUDI_MAX_RANK];
		double all;

		memcpy(at, w.at, sizeof(at));
		all = host_log_sum(a, at);
		for (k = 0; k < host_dim(a, 0); k++) {
			double v = get(a, at, k) - all;

			put(to, at, k, logs ? v : exp(v));
		}
	} while (host_next(&w));

	return 0;
}

static bool check_grad(const struct gaudi_host_call *call, uint32_t *access)
{
	return host_takes(call, 3, 0, access) &&
	       host_same(&call->tensors[0], &call->tensors[2]) &&
	       host_same(&call->tensors[1], &call->tensors[2]);
}

static int run_grad(const struct gaudi_host_call *call, void *arg)
{
	const struct gaudi_host_tensor *y = &call->tensors[0];
	const struct gaudi_host_tensor *g = &call->tensors[1];
	const struct gaudi_host_tensor *to = &call->tensors[2];
	bool logs = !strcmp(call->op, "log_softmax_grad");
	struct host_walk w;
	uint64_t k;

	(void)arg;
	host_begin(&w, y);
	w.dims[0] = 1;
	do {
		uint64_t at[GAUDI_MAX_RANK];
		double sum = 0;

		memcpy(at, w.at, sizeof(at));
		for (k = 0; k < host_dim(y, 0); k++)
			sum += get(g, at, k) * (logs ? 1 : get(y, at, k));
		for (k = 0; k < host_dim(y, 0); k++) {
			double v = get(y, at, k), s = get(g, at, k);

			put(to, at, k, logs ? s - exp(v) * sum : v * (s - sum));
		}
	} while (host_next(&w));

	return 0;
}

/* --- cross-entropy ------------------------------------------------------------ */

static bool check_loss(const struct gaudi_host_call *call, uint32_t *access)
{
	const struct gaudi_host_tensor *t = call->tensors;
	uint32_t d, i;

	if (!host_takes(call, 3, 0, access) || !host_is_int(t[1].type))
		return false;
	for (i = 1; i < 3; i++)
		for (d = 0; d < GAUDI_MAX_RANK; d++)
			if (host_dim(&t[i], d) != (d ? host_dim(&t[0], d) : 1))
				return false;

	return true;
}

static int run_loss(const struct gaudi_host_call *call, void *arg)
{
	const struct gaudi_host_tensor *t = call->tensors;
	struct host_walk w;

	(void)arg;
	host_begin(&w, &t[2]);
	do {
		uint64_t at[GAUDI_MAX_RANK];
		struct host_num label;
		double all;

		memcpy(at, w.at, sizeof(at));
		label = host_get(t[1].type, host_at(&t[1], at));
		all = host_log_sum(&t[0], at);
		/* A label that is none: no loss. */
		if (label.i < host_dim(&t[0], 0))
			all -= get(&t[0], at, label.i);
		else
			all = 0;
		put(&t[2], at, 0, all);
	} while (host_next(&w));

	return 0;
}

#define REDUCE(name)	{ name, run_reduce, check_reduce }

const struct host_builtin host_rows[] = {
	REDUCE("sum_rows"), REDUCE("sum_columns"), REDUCE("sum_dim*"),
	REDUCE("mean_rows"), REDUCE("mean_columns"), REDUCE("mean_dim*"),
	REDUCE("max_rows"), REDUCE("max_columns"), REDUCE("max_dim*"),
	{ "softmax", run_softmax, check_softmax },
	{ "log_softmax", run_softmax, check_softmax },
	{ "softmax_grad", run_grad, check_grad },
	{ "log_softmax_grad", run_grad, check_grad },
	{ "cross_entropy", run_loss, check_loss },
	{},
};
