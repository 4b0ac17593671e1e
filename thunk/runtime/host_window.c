// SPDX-License-Identifier: MIT
/* Pools of the host with windows of any size, steps and padding, and their gradients. */
#include <math.h>
#include <string.h>

#include "host_math.h"

#define MAX_WINDOW	32767

/* Of dims 1 and 2. */
struct windows {
	int64_t size[2], step[2], pad[2];
	bool max, grad, outside;
};

static int64_t whole(const struct gaudi_host_call *call, uint32_t i,
		     int64_t missing)
{
	uint32_t value;

	if (call->params_size <= i * sizeof(value))
		return missing;
	memcpy(&value, (const uint8_t *)call->params + i * sizeof(value),
	       sizeof(value));

	return value;
}

static bool parse(const struct gaudi_host_call *call, struct windows *p)
{
	uint32_t i;

	*p = (struct windows) {
		.max = call->op[0] == 'm', .grad = strlen(call->op) > 8,
		.outside = whole(call, 6, 1),
	};
	for (i = 0; i < 2; i++) {
		p->size[i] = whole(call, i, 0);
		p->step[i] = whole(call, 2 + i, 0);
		p->pad[i] = whole(call, 4 + i, 0);
		if (p->size[i] < 1 || p->size[i] > MAX_WINDOW ||
		    p->step[i] < 1 || p->step[i] > MAX_WINDOW ||
		    p->pad[i] >= p->size[i])
			return false;
	}

	return true;
}

/* As many as fit, or one more, if it begins inside. */
static bool is_count(const struct windows *p, uint32_t i, uint64_t plane,
		     uint64_t is)
{
	int64_t rest = (int64_t)plane + 2 * p->pad[i] - p->size[i], fit = 0;

	if (rest >= 0)
		fit = rest / p->step[i] + 1;
	if ((int64_t)is == fit)
		return true;

	return (int64_t)is == fit + 1 && rest % p->step[i] &&
	       fit * p->step[i] < (int64_t)plane + p->pad[i];
}

static bool is_pooled(const struct windows *p,
		      const struct gaudi_host_tensor *plane,
		      const struct gaudi_host_tensor *small)
{
	uint32_t d;

	for (d = 0; d < GAUDI_MAX_RANK; d++) {
		if (d - 1 < 2 ? !is_count(p, d - 1, host_dim(plane, d),
					  host_dim(small, d)) :
				host_dim(plane, d) != host_dim(small, d))
			return false;
	}

	return true;
}

static bool check(const struct gaudi_host_call *call, uint32_t *access)
{
	const struct gaudi_host_tensor *t = call->tensors;
	const char *roles;
	struct windows p;

	if (!parse(call, &p))
		return false;
	roles = !p.max ? "rw" : p.grad ? "rrw" : "rww";
	if (!host_roles(call, roles, 4, p.max ? 6 : 7, access))
		return false;
	if (!p.max)
		return is_pooled(&p, &t[p.grad], &t[!p.grad]);
	if (p.grad)
		return host_is_int(t[1].type) && host_same(&t[0], &t[1]) &&
		       is_pooled(&p, &t[2], &t[0]);

	return host_is_int(t[2].type) && host_same(&t[1], &t[2]) &&
	       is_pooled(&p, &t[0], &t[1]);
}

/* What of window @at is inside along a dim; how much that is. */
static int64_t inside(const struct windows *p, uint32_t i, uint64_t at,
		      uint64_t plane, int64_t *low)
{
	int64_t begin = (int64_t)at * p->step[i] - p->pad[i];
	int64_t end = begin + p->size[i];

	if (end > (int64_t)plane)
		end = (int64_t)plane;
	*low = begin > 0 ? begin : 0;

	return end > *low ? end - *low : 0;
}

static double count(const struct windows *p,
		    const struct gaudi_host_tensor *plane, const uint64_t *at)
{
	int64_t low;

	if (p->outside)
		return (double)(p->size[0] * p->size[1]);

	return (double)(inside(p, 0, at[1], host_dim(plane, 1), &low) *
			inside(p, 1, at[2], host_dim(plane, 2), &low));
}

static void run_forward(const struct gaudi_host_call *call,
			const struct windows *p)
{
	const struct gaudi_host_tensor *t = call->tensors;
	struct host_walk w;

	host_begin(&w, &t[1]);
	do {
		int64_t x, y, low[2], num[2], first;
		uint64_t at[GAUDI_MAX_RANK];
		double max = -(double)INFINITY, sum = 0, v;

		memcpy(at, w.at, sizeof(at));
		num[0] = inside(p, 0, at[1], host_dim(&t[0], 1), &low[0]);
		num[1] = inside(p, 1, at[2], host_dim(&t[0], 2), &low[1]);
		first = low[0] + (int64_t)host_dim(&t[0], 1) * low[1];
		for (y = low[1]; y < low[1] + num[1]; y++) {
			for (x = low[0]; x < low[0] + num[0]; x++) {
				at[1] = (uint64_t)x;
				at[2] = (uint64_t)y;
				v = host_value(&t[0], at);
				sum += v;
				if (!host_first_max(max, v))
					continue;
				max = v;
				first = x + (int64_t)host_dim(&t[0], 1) * y;
			}
		}
		host_set(&t[1], w.at, p->max ? max :
			 sum / count(p, &t[0], w.at));
		if (p->max)
			host_set(&t[2], w.at, (double)first);
	} while (host_next(&w));
}

/* Windows along a dim that have element @at: the first, and behind the last. */
static void having(const struct windows *p, uint32_t i, uint64_t at,
		   uint64_t num, uint64_t *first, uint64_t *end)
{
	int64_t from = (int64_t)at + p->pad[i], low = from - p->size[i] +
						      p->step[i];

	*first = low > 0 ? (uint64_t)(low / p->step[i]) : 0;
	*end = (uint64_t)(from / p->step[i]) + 1;
	if (*end > num)
		*end = num;
}

static void run_backward(const struct gaudi_host_call *call,
			 const struct windows *p)
{
	const struct gaudi_host_tensor *g = &call->tensors[0];
	const struct gaudi_host_tensor *from = &call->tensors[1];
	const struct gaudi_host_tensor *to = &call->tensors[1 + p->max];
	struct host_walk w;

	host_begin(&w, to);
	do {
		uint64_t at[GAUDI_MAX_RANK], x, y, ends[2];
		uint64_t own = w.at[1] + host_dim(to, 1) * w.at[2];
		double sum = 0;

		memcpy(at, w.at, sizeof(at));
		having(p, 1, w.at[2], host_dim(g, 2), &y, &ends[1]);
		for (; y < ends[1]; y++) {
			having(p, 0, w.at[1], host_dim(g, 1), &x, &ends[0]);
			for (; x < ends[0]; x++) {
				at[1] = x;
				at[2] = y;
				if (!p->max)
					sum += host_value(g, at) /
					       count(p, to, at);
				else if (host_get(from->type,
						  host_at(from, at)).i == own)
					sum += host_value(g, at);
			}
		}
		host_set(to, w.at, sum);
	} while (host_next(&w));
}

static int run(const struct gaudi_host_call *call, void *arg)
{
	struct windows p;

	(void)arg;
	if (!parse(call, &p))
		return -1;
	if (p.grad)
		run_backward(call, &p);
	else
		run_forward(call, &p);

	return 0;
}

const struct host_builtin host_windows[] = {
	{ "max_pool", run, check },
	{ "avg_pool", run, check },
	{ "max_pool_grad", run, check },
	{ "avg_pool_grad", run, check },
	{},
};
