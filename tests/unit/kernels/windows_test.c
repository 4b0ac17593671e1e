// SPDX-License-Identifier: GPL-2.0-only
/* Largest and mean of windows of any size, step and padding, forward and back. */
#include <math.h>

#include "reference.h"

/* Along dims 1 and 2. up: also a window of what is left at the end. */
struct window {
	uint32_t size[2], step[2], pad[2];
	bool up;
};

static const struct window all_windows[] = {
	{ { 1, 1 }, { 1, 1 }, { 0, 0 }, false },
	{ { 2, 2 }, { 2, 2 }, { 0, 0 }, false },
	{ { 2, 2 }, { 2, 2 }, { 0, 0 }, true },
	{ { 3, 3 }, { 2, 2 }, { 1, 1 }, false },
	{ { 3, 3 }, { 2, 2 }, { 1, 1 }, true },
	{ { 3, 2 }, { 1, 1 }, { 2, 1 }, false },
	{ { 2, 5 }, { 1, 3 }, { 1, 4 }, true },
	{ { 1, 2 }, { 3, 5 }, { 0, 0 }, false },	/* some are in none */
	{ { 7, 1 }, { 4, 1 }, { 3, 0 }, true },
};

/* Channels, width, height, images, and once more. */
static const uint32_t shapes[][5] = {
	{ 1, 1, 1, 1, 1 }, { 65, 7, 5, 2, 2 }, { 63, 8, 6, 1, 3 },
	{ 129, 5, 4, 3, 1 }, { 64, 2, 9, 2, 1 }, { 300, 3, 3, 1, 1 },
	{ 5, 13, 11, 2, 2 }, { 3, 4, 0, 2, 1 },
	{ 1, 5000, 1, 1, 1 }, { 1, 1, 5000, 1, 1 },
};

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

/* Few different values: windows have the largest more than once. */
static float number(size_t i, unsigned int which)
{
	uint32_t x = mix(i, which, 31337);

	if (!which && x % 53 == 0)
		return x & 256 ? -INFINITY : NAN;
	return ((int)(x % 9) - 6) / 4.0f;
}

/* How many windows there are along a dim; 0: none that is good. */
static uint32_t windows(const struct window *w, uint32_t d, uint32_t size)
{
	int64_t over = (int64_t)size + 2 * w->pad[d] - w->size[d];
	uint32_t n;

	if (over < 0)
		return 0;
	n = (uint32_t)(over / w->step[d]) + 1;
	if (w->up && over % w->step[d] && n * w->step[d] < size + w->pad[d])
		n++;
	return n;
}

/* First index of a window that is inside, and the one behind its last. */
static void inside(const struct window *w, uint32_t d, uint32_t at,
		   uint32_t size, uint32_t *from, uint32_t *to)
{
	int64_t low = (int64_t)at * w->step[d] - w->pad[d];
	int64_t high = low + w->size[d];

	*from = low < 0 ? 0 : (uint32_t)low;
	*to = high > size ? size : (uint32_t)high;
}

static void coords(const struct tensor *t, size_t i, uint32_t *c)
{
	uint32_t d;

	for (d = 0; d < 5; d++) {
		c[d] = (uint32_t)(i % t->dims[d]);
		i /= t->dims[d];
	}
}

static void scalars(struct run *r, const struct window *w, bool outside)
{
	uint32_t d;

	for (d = 0; d < 2; d++) {
		r->scalars[d] = w->size[d];
		r->scalars[2 + d] = w->step[d];
		r->scalars[4 + d] = w->pad[d];
	}
	r->scalars[6] = outside;
}

/* False: there is no window. */
static bool pooled(const struct window *w, const uint32_t *dims, uint32_t *to)
{
	memcpy(to, dims, 5 * sizeof(*to));
	to[1] = windows(w, 0, dims[1]);
	to[2] = windows(w, 1, dims[2]);
	return to[1] && to[2];
}

static void fill(struct tensor *t, unsigned int which)
{
	size_t i;

	for (i = 0; i < t->count; i++)
		set(t, i, number(i, which));
}

static const char *what_of(const struct window *w, const uint32_t *dims)
{
	static char text[128];

	snprintf(text, sizeof(text), ", %u x %u by windows of %u x %u, step %u %u, padding %u %u",
		 dims[1], dims[2], w->size[0], w->size[1], w->step[0],
		 w->step[1], w->pad[0], w->pad[1]);
	return text;
}

static void forward(const char *name, const uint32_t *dims,
		    const struct window *w, unsigned int parts, bool outside)
{
	uint32_t to[5];
	struct run r;

	if (!pooled(w, dims, to))
		return;
	run_open(&r, name);
	shape(&r.t[0], 5, dims);
	shape(&r.t[1], 5, to);
	shape(&r.t[2], 5, to);
	run_begin(&r);
	fill(&r.t[0], 0);
	scalars(&r, w, outside);
	if (r.t[1].count)
		as_in_c(&r, parts, what_of(w, dims));
	else
		run_parts(&r, parts);
	run_close(&r);
}

static void backward(const char *name, const uint32_t *dims,
		     const struct window *w, unsigned int parts, bool outside)
{
	uint32_t to[5], c[5], x0, x1, y0, y1, out;
	struct run r;
	size_t i;

	if (!pooled(w, dims, to))
		return;
	run_open(&r, name);
	out = r.k->num_tensors - 1;
	shape(&r.t[0], 5, to);
	shape(&r.t[1], 5, to);
	shape(&r.t[out], 5, dims);
	run_begin(&r);
	fill(&r.t[0], 1);
	for (i = 0; out == 2 && i < r.t[1].count; i++) {
		/* Some element of the window; what is beyond belongs to others. */
		coords(&r.t[1], i, c);
		inside(w, 0, c[1], dims[1], &x0, &x1);
		inside(w, 1, c[2], dims[2], &y0, &y1);
		set(&r.t[1], i, i % 11 ? (float)((y0 + i % (y1 - y0)) * dims[1] +
						 x0 + i / 3 % (x1 - x0)) : -1);
	}
	scalars(&r, w, outside);
	as_in_c(&r, parts, what_of(w, dims));
	run_close(&r);
}

static void each(void (*one)(const char *, const uint32_t *,
			     const struct window *, unsigned int, bool),
		 const char *f32, const char *bf16)
{
	size_t s, w;

	for (s = 0; s < COUNT(shapes); s++)
		for (w = 0; w < COUNT(all_windows); w++) {
			/* Nothing inside of a window: nothing to give to. */
			if (!shapes[s][2] && one == backward)
				continue;
			one(f32, shapes[s], &all_windows[w], 1, true);
			one(bf16, shapes[s], &all_windows[w], 8, false);
			one(f32, shapes[s], &all_windows[w], 8, false);
			one(bf16, shapes[s], &all_windows[w], 1, true);
		}
}

TEST(max_pool)
{
	each(forward, "max_pool_f32", "max_pool_bf16");
}

TEST(max_pool_grad)
{
	each(backward, "max_pool_grad_f32", "max_pool_grad_bf16");
}

TEST(avg_pool)
{
	each(forward, "avg_pool_f32", "avg_pool_bf16");
}

TEST(avg_pool_grad)
{
	each(backward, "avg_pool_grad_f32", "avg_pool_grad_bf16");
}
