// SPDX-License-Identifier: GPL-2.0-only
/* What training needs: updates, bounded gradients, dropout, rows of tables; pools. */
#include <math.h>

#include "reference.h"

/* --- updates --------------------------------------------------------------- */

static double eighth(const struct tensor *t, uint32_t i)
{
	const uint32_t at[5] = { i };

	return value(t, at);
}

static double momentum(struct run *r, const uint32_t *at, double p, double g)
{
	g += p * scalar(r, 2) + value(&r->t[2], at) * scalar(r, 1);
	put(&r->t[2], at, g);
	return p - value(&r->t[2], at) * scalar(r, 0);
}

static double adamw(struct run *r, const uint32_t *at, double p, double g)
{
	struct tensor *m = &r->t[2], *v = &r->t[3], *h = &r->t[4];
	double rate = eighth(h, 0), b1 = eighth(h, 1), b2 = eighth(h, 2);
	double mean, square;

	put(m, at, value(m, at) * b1 + g * (1 - b1));
	put(v, at, value(v, at) * b2 + g * g * (1 - b2));
	mean = value(m, at) / (1 - eighth(h, 5));
	square = value(v, at) / (1 - eighth(h, 6));
	p -= p * rate * eighth(h, 4);
	return p - rate * mean / (sqrt(square) + eighth(h, 3));
}

/* P, G, what the update keeps, H, and W, a copy of P, if there is one. */
static void update(struct run *r, const char *name)
{
	bool adam = name[0] == 'a', sgd = name[0] == 's';
	uint32_t num = adam ? 5 : sgd ? 2 : 3, at[5] = {};
	double p, g;

	do {
		p = value(&r->t[0], at);
		g = value(&r->t[1], at);
		if (adam)
			p = adamw(r, at, p, g);
		else if (sgd)
			p -= (g + p * scalar(r, 1)) * scalar(r, 0);
		else
			p = momentum(r, at, p, g);
		put(&r->t[0], at, p);
		if (r->k->num_tensors > num)
			put(&r->t[num], at, value(&r->t[0], at));
	} while (next(&r->t[0], at));
}

static void adamw_step(struct run *r, const char *name)
{
	struct tensor *h = &r->t[0];
	const uint32_t b1[5] = { 5 }, b2[5] = { 6 };

	(void)name;
	put(h, b1, eighth(h, 5) * eighth(h, 1));
	put(h, b2, eighth(h, 6) * eighth(h, 2));
}

static void clip(struct run *r, const char *name)
{
	uint32_t row[5] = {}, at[5];
	double sum;

	(void)name;
	do {
		memcpy(at, row, sizeof(at));
		sum = 0;
		for (at[0] = 0; at[0] < r->t[0].dims[0]; at[0]++)
			sum += value(&r->t[0], at);
		sum = sqrt(sum);
		put(&r->t[1], row, sum);
		put(&r->t[2], row, sum <= scalar(r, 0) ? 1 :
						scalar(r, 0) / sum);
	} while (next(&r->t[1], row));
}

/* --- dropout, and rows of tables ------------------------------------------- */

/* As dropout.tpc has it: the same seed drops the same elements. */
static uint32_t hash(uint32_t x, const uint32_t *at)
{
	uint32_t d = 4;

	for (x += at[d]; d-- > 0;)
		x = x * 0x9e3779b1u + at[d];
	x ^= x >> 16;
	x *= 0x7feb352du;
	x ^= x >> 15;
	x *= 0x846ca68bu;
	return x ^ x >> 16;
}

static void dropout(struct run *r, const char *name)
{
	uint32_t seed = get_raw(&r->t[1], 0), at[5] = {};
	bool dropped;

	(void)name;
	do {
		dropped = hash(seed, at) < r->scalars[0];
		put(&r->t[2], at, value(&r->t[0], at) *
				  (dropped ? 0 : scalar(r, 1)));
	} while (next(&r->t[2], at));
}

/* A row that the table does not have is all 0, and nothing is added to it. */
static void gather(struct run *r, const char *name)
{
	uint32_t at[5] = {}, from[5] = {};

	(void)name;
	do {
		from[0] = at[0];
		from[1] = word(&r->t[1], at);
		set_raw(&r->t[2], number_of(&r->t[2], at),
			from[1] < r->t[0].dims[1] ? word(&r->t[0], from) : 0);
	} while (next(&r->t[2], at));
}

static void scatter(struct run *r, const char *name)
{
	struct tensor *table = &r->t[2];
	uint32_t at[5] = {}, to[5] = {};

	(void)name;
	do {
		to[0] = at[0];
		to[1] = word(&r->t[1], at);
		if (to[1] < table->dims[1])
			put(table, to, value(table, to) + value(&r->t[0], at));
	} while (next(&r->t[0], at));
}

const struct reference reference_training[] = {
	{ "sgd", update }, { "momentum", update }, { "adamw", update },
	{ "adamw_step", adamw_step }, { "clip_norm", clip },
	{ "dropout", dropout }, { "gather", gather },
	{ "scatter_add", scatter }, {},
};

/* --- pools ----------------------------------------------------------------- */

/* Of dims 1 and 2. */
struct windows {
	int64_t size[2], step[2], pad[2];
	bool max, outside;
};

static struct windows windows_of(const struct run *r, const char *name)
{
	const uint32_t *s = r->scalars;

	if (strstr(name, "2x2"))
		return (struct windows) { { 2, 2 }, { 2, 2 }, {},
					  name[0] == 'm', true };
	return (struct windows) {
		{ s[0], s[1] }, { s[2], s[3] }, { s[4], s[5] }, name[0] == 'm',
		r->k->num_scalars < 7 || s[6],
	};
}

/* What of window @at is inside along dim 1 + @i; how much that is. */
static int64_t inside(const struct windows *p, uint32_t i, uint32_t at,
		      const struct tensor *plane, int64_t *low)
{
	int64_t begin = at * p->step[i] - p->pad[i];
	int64_t end = begin + p->size[i], most = plane->dims[1 + i];

	end = end < most ? end : most;
	*low = begin > 0 ? begin : 0;
	return end > *low ? end - *low : 0;
}

static double count(const struct windows *p, const struct tensor *plane,
		    const uint32_t *at)
{
	int64_t low;

	if (p->outside)
		return (double)(p->size[0] * p->size[1]);
	return (double)(inside(p, 0, at[1], plane, &low) *
			inside(p, 1, at[2], plane, &low));
}

/* The largest of window @window, where the first of these is in the plane; the sum. */
static double look(const struct windows *p, const struct tensor *a,
		   const uint32_t *window, uint32_t *first, double *sum)
{
	uint32_t at[5];
	int64_t x, y, low[2], num[2];
	double max = -INFINITY, v;

	memcpy(at, window, sizeof(at));
	num[0] = inside(p, 0, at[1], a, &low[0]);
	num[1] = inside(p, 1, at[2], a, &low[1]);
	*first = (uint32_t)(low[0] + a->dims[1] * low[1]);
	*sum = 0;
	for (y = low[1]; y < low[1] + num[1]; y++)
		for (x = low[0]; x < low[0] + num[0]; x++) {
			at[1] = (uint32_t)x;
			at[2] = (uint32_t)y;
			v = value(a, at);
			*sum += v;
			if (!is_first_max(max, v))
				continue;
			max = v;
			*first = at[1] + a->dims[1] * at[2];
		}
	return max;
}

static void pool(struct run *r, const char *name)
{
	struct windows p = windows_of(r, name);
	uint32_t at[5] = {}, first;
	double max, sum;

	do {
		max = look(&p, &r->t[0], at, &first, &sum);
		put(&r->t[1], at, p.max ? max : sum / count(&p, &r->t[0], at));
		if (r->k->num_tensors > 2)
			put(&r->t[2], at, first);
	} while (next(&r->t[1], at));
}

/* Windows along dim 1 + @i that have element @at: the first, and behind the last. */
static void having(const struct windows *p, uint32_t i, uint32_t at,
		   const struct tensor *g, uint32_t *first, uint32_t *end)
{
	int64_t from = at + p->pad[i], low = from - p->size[i] + p->step[i];
	int64_t most = g->dims[1 + i], last = from / p->step[i] + 1;

	*first = (uint32_t)(low > 0 ? low / p->step[i] : 0);
	*end = (uint32_t)(last < most ? last : most);
}

/* Of G, and AT or A where the largest counts. */
static void pool_grad(struct run *r, const char *name)
{
	struct windows p = windows_of(r, name);
	bool again = p.max && strstr(name, "2x2");
	const struct tensor *g = &r->t[again];
	struct tensor *to = &r->t[1 + p.max];
	uint32_t at[5] = {}, w[5], ends[2], own, first;
	double sum, ignored;

	do {
		memcpy(w, at, sizeof(w));
		own = at[1] + to->dims[1] * at[2];
		sum = 0;
		having(&p, 1, at[2], g, &w[2], &ends[1]);
		for (; w[2] < ends[1]; w[2]++) {
			having(&p, 0, at[1], g, &w[1], &ends[0]);
			for (; w[1] < ends[0]; w[1]++) {
				if (again)
					look(&p, &r->t[0], w, &first, &ignored);
				else
					first = word(&r->t[1], w);
				if (!p.max)
					sum += value(g, w) / count(&p, to, w);
				else if (first == own)
					sum += value(g, w);
			}
		}
		put(to, at, sum);
	} while (next(to, at));
}

const struct reference reference_pools[] = {
	{ "max_pool", pool }, { "avg_pool", pool }, { "max_pool_2x2", pool },
	{ "avg_pool_2x2", pool }, { "max_pool_grad", pool_grad },
	{ "avg_pool_grad", pool_grad }, { "max_pool_2x2_grad", pool_grad },
	{ "avg_pool_2x2_grad", pool_grad }, {},
};
