// SPDX-License-Identifier: GPL-2.0-only
/* Largest and mean of windows of two by two, forward and back. */
#include <math.h>

#include "run.h"

/* Channels, width, height, images. */
static const uint32_t shapes[][4] = {
	{ 1, 1, 1, 1 }, { 1, 2, 2, 1 }, { 16, 8, 8, 3 }, { 63, 5, 4, 2 },
	{ 64, 3, 7, 1 }, { 65, 4, 4, 2 }, { 127, 2, 3, 2 }, { 128, 6, 2, 1 },
	{ 129, 5, 5, 2 }, { 300, 2, 2, 1 }, { 7, 1, 9, 2 },
};

#define NUM_SHAPES	(sizeof(shapes) / sizeof(shapes[0]))

/* Few different values: windows have the largest more than once. */
static float value(size_t i, unsigned int which)
{
	return ((int)(mix(i, which, 31337) % 9) - 6) / 4.0f;
}

static size_t at(const struct tensor *t, uint32_t c, uint32_t w, uint32_t h,
		 uint32_t n)
{
	return c + (size_t)t->dims[0] * (w + (size_t)t->dims[1] *
					 (h + (size_t)t->dims[2] * n));
}

/* Element j of the window at w, h; -1: it is outside. */
static ssize_t of_window(const struct tensor *t, uint32_t c, uint32_t w,
			 uint32_t h, uint32_t n, uint32_t j)
{
	w = 2 * w + (j & 1);
	h = 2 * h + (j >> 1);
	return w < t->dims[1] && h < t->dims[2] ? (ssize_t)at(t, c, w, h, n) : -1;
}

/* The largest of a window is its element *best, the first one. */
static float largest(const struct tensor *t, uint32_t c, uint32_t w, uint32_t h,
		     uint32_t n, uint32_t *best)
{
	float high = -INFINITY;
	ssize_t i;
	uint32_t j;

	for (j = 0; j < 4; j++) {
		i = of_window(t, c, w, h, n, j);
		if (i >= 0 && get(t, i) > high) {
			high = get(t, i);
			*best = j;
		}
	}
	return high;
}

static float mean(const struct tensor *t, uint32_t c, uint32_t w, uint32_t h,
		  uint32_t n)
{
	float sum = 0;
	ssize_t i;
	uint32_t j;

	for (j = 0; j < 4; j++) {
		i = of_window(t, c, w, h, n, j);
		sum += i < 0 ? 0 : get(t, i);
	}
	return sum / 4;
}

/* up: windows for what is left at the end of a dim. */
static void windows(const uint32_t *of, uint32_t *to, bool up)
{
	to[0] = of[0];
	to[1] = (of[1] + up) / 2;
	to[2] = (of[2] + up) / 2;
	to[3] = of[3];
}

static void fill(struct tensor *t, unsigned int which)
{
	size_t i;

	for (i = 0; i < t->count; i++)
		set(t, i, value(i, which));
}

static void check(const struct run *r, uint32_t t, size_t i, float want)
{
	if (ulps(r->t[t].type, get(&r->t[t], i), want))
		fail_msg("%s: element %zu is %g, not %g", r->k->name, i,
			 get(&r->t[t], i), want);
}

static void forward(const char *name, const uint32_t *dims, bool up,
		    unsigned int parts)
{
	uint32_t to[4], c, w, h, n, best;
	struct run r;

	windows(dims, to, up);
	run_open(&r, name);
	shape(&r.t[0], 4, dims);
	shape(&r.t[1], 4, to);
	run_begin(&r);
	fill(&r.t[0], 0);
	run_parts(&r, parts);
	for (n = 0; n < to[3]; n++)
		for (h = 0; h < to[2]; h++)
			for (w = 0; w < to[1]; w++)
				for (c = 0; c < to[0]; c++)
					check(&r, 1, at(&r.t[1], c, w, h, n),
					      name[0] == 'm' ?
					      largest(&r.t[0], c, w, h, n, &best) :
					      mean(&r.t[0], c, w, h, n));
	run_close(&r);
}

/* What element i of OUT, at c, w, h, n gets. */
static float share(const struct run *r, const struct tensor *g, uint32_t c,
		   uint32_t w, uint32_t h, uint32_t n)
{
	uint32_t best = 4, j = (w & 1) | (h & 1) << 1;
	float all;

	if (w / 2 >= g->dims[1] || h / 2 >= g->dims[2])
		return 0;
	all = get(g, at(g, c, w / 2, h / 2, n));
	if (r->k->name[0] == 'a')
		return all / 4;
	largest(&r->t[0], c, w / 2, h / 2, n, &best);
	return best == j ? all : 0;
}

static void backward(const char *name, const uint32_t *dims, bool up,
		     unsigned int parts)
{
	uint32_t to[4], c, w, h, n, out;
	struct run r;

	windows(dims, to, up);
	run_open(&r, name);
	out = r.k->num_tensors - 1;
	shape(&r.t[0], 4, dims);
	shape(&r.t[out - 1], 4, to);
	shape(&r.t[out], 4, dims);
	run_begin(&r);
	if (out == 2)
		fill(&r.t[0], 0);
	fill(&r.t[out - 1], 1);
	run_parts(&r, parts);
	for (n = 0; n < dims[3]; n++)
		for (h = 0; h < dims[2]; h++)
			for (w = 0; w < dims[1]; w++)
				for (c = 0; c < dims[0]; c++)
					check(&r, out,
					      at(&r.t[out], c, w, h, n),
					      share(&r, &r.t[out - 1], c, w, h,
						    n));
	run_close(&r);
}

static void each(void (*one)(const char *, const uint32_t *, bool,
			     unsigned int), const char *f32, const char *bf16)
{
	size_t i;

	for (i = 0; i < NUM_SHAPES; i++) {
		one(f32, shapes[i], false, 1);
		one(f32, shapes[i], true, 8);
		one(bf16, shapes[i], false, 8);
		one(bf16, shapes[i], true, 1);
	}
}

TEST(max_pool)
{
	each(forward, "max_pool_2x2_f32", "max_pool_2x2_bf16");
}

TEST(max_pool_grad)
{
	each(backward, "max_pool_2x2_grad_f32", "max_pool_2x2_grad_bf16");
}

TEST(avg_pool)
{
	each(forward, "avg_pool_2x2_f32", "avg_pool_2x2_bf16");
}

TEST(avg_pool_grad)
{
	each(backward, "avg_pool_2x2_grad_f32", "avg_pool_2x2_grad_bf16");
}
