// SPDX-License-Identifier: MIT
/*
 * Operations of the host that training needs: updates of parameters, bounded
 * gradients, dropout, rows of tables.
 */
#include <math.h>
#include <string.h>

#include "host_math.h"

static const uint64_t first[GAUDI_MAX_RANK];

/* Element @i of a vector. */
static double item(const struct gaudi_host_tensor *t, uint64_t i)
{
	const uint64_t at[GAUDI_MAX_RANK] = { i };

	return host_value(t, at);
}

static void set_item(const struct gaudi_host_tensor *t, uint64_t i, double value)
{
	const uint64_t at[GAUDI_MAX_RANK] = { i };

	host_set(t, at, value);
}

static bool has_dims(const struct gaudi_host_tensor *t, uint64_t columns,
		     uint64_t rows)
{
	uint32_t d;

	for (d = 2; d < GAUDI_MAX_RANK; d++)
		if (host_dim(t, d) != 1)
			return false;

	return host_dim(t, 0) == columns && host_dim(t, 1) == rows;
}

/* --- updates ------------------------------------------------------------------ */

/* P, G, what the update keeps, H, and W, a copy of P, if there is one. */
static bool check_update(const struct gaudi_host_call *call, uint32_t *access)
{
	const struct gaudi_host_tensor *t = call->tensors;
	bool adam = !strcmp(call->op, "adamw"), sgd = !strcmp(call->op, "sgd");
	uint32_t least = adam ? 0 : sgd ? 1 : 2, most = adam ? 0 : least + 1;
	uint32_t num = adam ? 5 : sgd ? 2 : 3, i;
	const char *roles = adam ? "brbbrw" : "brbw";

	if (sgd)
		roles = "brw";
	if (!host_roles(call, roles, least, most, access) &&
	    !host_roles(call, adam ? "brbbr" : sgd ? "br" : "brb", least, most,
			access))
		return false;
	for (i = 1; i < call->num_tensors; i++)
		if (!(adam && i == num - 1) && !host_same(&t[i], &t[0]))
			return false;

	return !adam || has_dims(&t[4], 8, 1);
}

static double momentum(const struct gaudi_host_call *call,
		       const struct host_walk *w, double p, double g)
{
	const struct gaudi_host_tensor *t = call->tensors;

	g += p * host_scalar_or(call, 2, 0);
	g += host_value(&t[2], w->at) * (double)host_scalar(call, 1);
	host_set(&t[2], w->at, g);

	return p - host_value(&t[2], w->at) * (double)host_scalar(call, 0);
}

static double adamw(const struct gaudi_host_call *call,
		    const struct host_walk *w, double p, double g)
{
	const struct gaudi_host_tensor *m = &call->tensors[2];
	const struct gaudi_host_tensor *v = &call->tensors[3];
	const struct gaudi_host_tensor *h = &call->tensors[4];
	double rate = item(h, 0), b1 = item(h, 1), b2 = item(h, 2), mean, square;

	host_set(m, w->at, host_value(m, w->at) * b1 + g * (1 - b1));
	host_set(v, w->at, host_value(v, w->at) * b2 + g * g * (1 - b2));
	mean = host_value(m, w->at) / (1 - item(h, 5));
	square = host_value(v, w->at) / (1 - item(h, 6));
	p -= p * rate * item(h, 4);

	return p - rate * mean / (sqrt(square) + item(h, 3));
}

static int run_update(const struct gaudi_host_call *call, void *arg)
{
	const struct gaudi_host_tensor *t = call->tensors;
	bool adam = !strcmp(call->op, "adamw"), sgd = !strcmp(call->op, "sgd");
	uint32_t num = adam ? 5 : sgd ? 2 : 3;
	struct host_walk w;

	(void)arg;
	host_begin(&w, &t[0]);
	do {
		double p = host_value(&t[0], w.at), g = host_value(&t[1], w.at);

		if (adam)
			p = adamw(call, &w, p, g);
		else if (sgd)
			p -= (g + p * host_scalar_or(call, 1, 0)) *
			     (double)host_scalar(call, 0);
		else
			p = momentum(call, &w, p, g);
		host_set(&t[0], w.at, p);
		if (call->num_tensors > num)
			host_set(&t[num], w.at, host_value(&t[0], w.at));
	} while (host_next(&w));

	return 0;
}

static bool check_step(const struct gaudi_host_call *call, uint32_t *access)
{
	return host_roles(call, "b", 0, 0, access) &&
	       has_dims(&call->tensors[0], 8, 1);
}

static int run_step(const struct gaudi_host_call *call, void *arg)
{
	const struct gaudi_host_tensor *h = call->tensors;

	(void)arg;
	set_item(h, 5, item(h, 5) * item(h, 1));
	set_item(h, 6, item(h, 6) * item(h, 2));

	return 0;
}

static bool check_clip(const struct gaudi_host_call *call, uint32_t *access)
{
	const struct gaudi_host_tensor *t = call->tensors;

	return host_roles(call, "rww", 1, 1, access) &&
	       host_is_row(&t[1], &t[0]) && host_same(&t[2], &t[1]);
}

static int run_clip(const struct gaudi_host_call *call, void *arg)
{
	const struct gaudi_host_tensor *t = call->tensors;
	double max = (double)host_scalar(call, 0);
	struct host_walk w;

	(void)arg;
	host_begin(&w, &t[1]);
	do {
		uint64_t at[GAUDI_MAX_RANK];
		double sum = 0;

		memcpy(at, w.at, sizeof(at));
		for (at[0] = 0; at[0] < host_dim(&t[0], 0); at[0]++)
			sum += host_value(&t[0], at);
		sum = sqrt(sum);
		host_set(&t[1], w.at, sum);
		host_set(&t[2], w.at, sum <= max ? 1 : max / sum);
	} while (host_next(&w));

	return 0;
}

/* --- dropout ------------------------------------------------------------------ */

static bool check_dropout(const struct gaudi_host_call *call, uint32_t *access)
{
	const struct gaudi_host_tensor *t = call->tensors;

	return host_roles(call, "rrw", 1, 2, access) &&
	       host_spreads(&t[0], &t[2]) && has_dims(&t[1], 1, 1) &&
	       t[1].type == GAUDI_TYPE_U32;
}

/* The kernel's (dropout.tpc): the same seed drops the same elements. */
static uint32_t hash(uint32_t x, const struct gaudi_host_tensor *t,
		     const uint64_t *at)
{
	uint32_t d = t->rank > 5 ? t->rank - 1 : 4;

	for (x += (uint32_t)at[d]; d-- > 0;)
		x = x * 0x9e3779b1u + (uint32_t)at[d];
	x ^= x >> 16;
	x *= 0x7feb352du;
	x ^= x >> 15;
	x *= 0x846ca68bu;

	return x ^ x >> 16;
}

static int run_dropout(const struct gaudi_host_call *call, void *arg)
{
	const struct gaudi_host_tensor *t = call->tensors;
	double scale = host_scalar_or(call, 1, 1);
	uint32_t seed = (uint32_t)host_get(t[1].type, host_at(&t[1], first)).i;
	uint32_t drop;
	struct host_walk w;

	(void)arg;
	memcpy(&drop, call->params, sizeof(drop));
	host_begin(&w, &t[2]);
	do {
		bool dropped = hash(seed, &t[2], w.at) < drop;

		host_set(&t[2], w.at,
			 host_value(&t[0], w.at) * (dropped ? 0 : scale));
	} while (host_next(&w));

	return 0;
}

/* --- rows of tables ------------------------------------------------------------- */

static uint64_t row_of(const struct gaudi_host_tensor *index, const uint64_t *at)
{
	uint64_t of[GAUDI_MAX_RANK];

	memcpy(of, at, sizeof(of));
	of[0] = 0;

	return host_get(index->type, host_at(index, of)).i;
}

static bool check_gather(const struct gaudi_host_call *call, uint32_t *access)
{
	const struct gaudi_host_tensor *t = call->tensors;

	return host_roles(call, "rrw", 0, 0, access) &&
	       host_is_int(t[1].type) && t[0].type == t[2].type &&
	       host_is_row(&t[1], &t[2]) &&
	       has_dims(&t[0], host_dim(&t[2], 0), host_dim(&t[0], 1));
}

static int run_gather(const struct gaudi_host_call *call, void *arg)
{
	const struct gaudi_host_tensor *t = call->tensors;
	uint32_t size = gaudi_type_size(t[0].type);
	struct host_walk w;

	(void)arg;
	host_begin(&w, &t[2]);
	do {
		uint64_t at[GAUDI_MAX_RANK] = { w.at[0], row_of(&t[1], w.at) };

		/* A row that the table does not have. */
		if (at[1] < host_dim(&t[0], 1))
			memcpy(host_at(&t[2], w.at), host_at(&t[0], at), size);
		else
			memset(host_at(&t[2], w.at), 0, size);
	} while (host_next(&w));

	return 0;
}

static bool check_scatter(const struct gaudi_host_call *call, uint32_t *access)
{
	const struct gaudi_host_tensor *t = call->tensors;

	return host_roles(call, "rrb", 0, 0, access) &&
	       host_is_int(t[1].type) && host_is_row(&t[1], &t[0]) &&
	       has_dims(&t[0], host_dim(&t[0], 0), host_dim(&t[0], 1)) &&
	       has_dims(&t[2], host_dim(&t[0], 0), host_dim(&t[2], 1));
}

static int run_scatter(const struct gaudi_host_call *call, void *arg)
{
	const struct gaudi_host_tensor *t = call->tensors;
	struct host_walk w;

	(void)arg;
	host_begin(&w, &t[0]);
	do {
		uint64_t at[GAUDI_MAX_RANK] = { w.at[0], row_of(&t[1], w.at) };

		if (at[1] < host_dim(&t[2], 1))
			host_set(&t[2], at, host_value(&t[2], at) +
					    host_value(&t[0], w.at));
	} while (host_next(&w));

	return 0;
}

const struct host_builtin host_training[] = {
	{ "sgd", run_update, check_update },
	{ "momentum", run_update, check_update },
	{ "adamw", run_update, check_update },
	{ "adamw_step", run_step, check_step },
	{ "clip_norm", run_clip, check_clip },
	{ "dropout", run_dropout, check_dropout },
	{ "gather", run_gather, check_gather },
	{ "scatter_add", run_scatter, check_scatter },
	{},
};
