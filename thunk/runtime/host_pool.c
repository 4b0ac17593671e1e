// SPDX-License-Identifier: MIT
/*
 * Pools of any windows, side by side: max_pool_3x2, of three rows (dim 2) and two
 * columns (dim 1). The size of the result says what becomes of a rest.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host_math.h"

struct pool {
	uint64_t size[2];	/* columns, rows: of dims 1 and 2 */
	bool max, grad;
};

static bool parse(const char *op, struct pool *p)
{
	unsigned int rows, columns;
	int end = -1;

	if (strlen(op) < 9 ||
	    sscanf(op + 9, "%5ux%5u%n", &rows, &columns, &end) != 2 ||
	    end < 0 || !rows || !columns)
		return false;
	*p = (struct pool) {
		.size = { columns, rows }, .max = op[0] == 'm',
		.grad = !strcmp(op + 9 + end, "_grad"),
	};

	return p->grad || !op[9 + end];
}

/* Of the windows of @big are the elements of @small. */
static bool is_pooled(const struct pool *p, const struct gaudi_host_tensor *big,
		      const struct gaudi_host_tensor *small)
{
	uint32_t d;

	for (d = 0; d < GAUDI_MAX_RANK; d++) {
		uint64_t is = host_dim(small, d), from = host_dim(big, d);
		uint64_t by = d == 1 || d == 2 ? p->size[d - 1] : 1;

		if (is != from / by && is != (from + by - 1) / by)
			return false;
	}

	return true;
}

static bool check(const struct gaudi_host_call *call, uint32_t *access)
{
	const struct gaudi_host_tensor *t = call->tensors;
	struct pool p;

	if (!parse(call->op, &p) ||
	    !host_takes(call, p.grad && p.max ? 3 : 2, 0, access))
		return false;
	if (!p.grad)
		return is_pooled(&p, &t[0], &t[1]);
	if (!p.max)
		return is_pooled(&p, &t[1], &t[0]);

	return host_same(&t[0], &t[2]) && is_pooled(&p, &t[0], &t[1]);
}

/* The first of the largest, or the first NaN, of a window, and its sum; false: nothing is in it. */
static bool look(const struct pool *p, const struct gaudi_host_tensor *a,
		 const uint64_t *window, uint64_t *first, double *max,
		 double *sum)
{
	uint64_t at[GAUDI_MAX_RANK], x, y;
	bool any = false;

	memcpy(at, window, sizeof(at));
	memcpy(first, window, sizeof(at));
	*sum = 0;
	*max = -(double)INFINITY;
	for (y = 0; y < p->size[1]; y++) {
		for (x = 0; x < p->size[0]; x++) {
			double v;

			at[1] = window[1] * p->size[0] + x;
			at[2] = window[2] * p->size[1] + y;
			if (at[1] >= host_dim(a, 1) || at[2] >= host_dim(a, 2))
				continue;
			v = host_get(a->type, host_at(a, at)).f;
			*sum += v;
			if (any && !host_first_max(*max, v))
				continue;
			any = true;
			*max = v;
			memcpy(first, at, sizeof(at));
		}
	}

	return any;
}

static void run_forward(const struct gaudi_host_call *call,
			const struct pool *p)
{
	const struct gaudi_host_tensor *t = call->tensors;
	double area = (double)(p->size[0] * p->size[1]), max, sum;
	uint64_t first[GAUDI_MAX_RANK];
	struct host_walk w;

	host_begin(&w, &t[1]);
	do {
		struct host_num n;

		look(p, &t[0], w.at, first, &max, &sum);
		n = p->max ? host_get(t[0].type, host_at(&t[0], first)) :
			     (struct host_num) { .f = sum / area };
		host_put(t[1].type, host_at(&t[1], w.at), n,
			 p->max && host_all_int(call));
	} while (host_next(&w));
}

static void run_backward(const struct gaudi_host_call *call,
			 const struct pool *p)
{
	const struct gaudi_host_tensor *g = &call->tensors[p->max];
	const struct gaudi_host_tensor *to = &call->tensors[p->max + 1];
	double area = (double)(p->size[0] * p->size[1]), max, sum;
	struct host_walk w;

	host_begin(&w, to);
	do {
		uint64_t at[GAUDI_MAX_RANK], first[GAUDI_MAX_RANK];
		struct host_num n = {};

		memcpy(at, w.at, sizeof(at));
		at[1] /= p->size[0];
		at[2] /= p->size[1];
		/* What is in no window has no gradient. */
		if (at[1] < host_dim(g, 1) && at[2] < host_dim(g, 2)) {
			n.f = host_get(g->type, host_at(g, at)).f;
			if (!p->max)
				n.f /= area;
			else if (!look(p, call->tensors, at, first, &max,
				       &sum) ||
				 memcmp(first, w.at, sizeof(first)))
				n.f = 0;
		}
		host_put(to->type, host_at(to, w.at), n, false);
	} while (host_next(&w));
}

static int run(const struct gaudi_host_call *call, void *arg)
{
	struct pool p;

	(void)arg;
	if (!parse(call->op, &p))
		return -1;
	if (p.grad)
		run_backward(call, &p);
	else
		run_forward(call, &p);

	return 0;
}

const struct host_builtin host_pools[] = {
	{ "max_pool_*", run, check },
	{ "avg_pool_*", run, check },
	{},
};
