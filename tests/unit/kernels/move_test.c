// SPDX-License-Identifier: GPL-2.0-only
/* Kernels that move elements: other orders of dims, indexes for many. */
#include "reference.h"

static const struct shape_row {
	uint32_t rank, dims[5];
} shapes[] = {
	{ 1, { 1 } }, { 1, { 65 } }, { 2, { 0, 3 } }, { 2, { 1, 9 } },
	{ 2, { 7, 1 } }, { 2, { 63, 8 } }, { 2, { 64, 65 } }, { 2, { 65, 63 } },
	{ 2, { 130, 17 } }, { 2, { 129, 64 } }, { 3, { 66, 9, 3 } },
	{ 3, { 3, 2, 70 } }, { 4, { 5, 33, 2, 3 } }, { 5, { 3, 2, 17, 4, 2 } },
	{ 5, { 67, 2, 3, 5, 9 } }, { 2, { 600, 2 } },
	{ 5, { 19, 2, 1, 33, 2 } }, { 5, { 19, 1, 2, 2, 33 } },
};

#define NUM_SHAPES	(sizeof(shapes) / sizeof(shapes[0]))

/* All different in f32; in bf16, different enough. */
static void number(struct tensor *t)
{
	size_t i;

	for (i = 0; i < t->count; i++)
		set(t, i, (float)(t->type == GAUDI_TYPE_F32 ? i : i * 37 % 251));
}

static void check(struct run *r, unsigned int parts)
{
	number(&r->t[0]);
	if (r->t[1].count)
		as_in_c(r, parts, "");
	else
		run_parts(r, parts);
	run_close(r);
}

/* Dim d of OUT is dim order[d] of A. */
static void one_order(const char *name, const struct shape_row *s,
		      const uint32_t *order, unsigned int parts)
{
	uint32_t d, dims[5], rank = 1;
	struct run r;

	run_open(&r, name);
	shape(&r.t[0], s->rank, s->dims);
	for (d = 0; d < 5; d++) {
		dims[d] = r.t[0].dims[order[d]];
		if (order[d] < s->rank)
			rank = d + 1;
	}
	shape(&r.t[1], rank, dims);
	run_begin(&r);
	for (d = 0; d < 5; d++)
		r.scalars[0] |= order[d] << 3 * d;
	check(&r, parts);
}

static void both_types(const char *stem, const struct shape_row *s,
		       const uint32_t *order)
{
	static const char *const types[] = { "f32", "bf16" };
	char name[40];
	size_t t;

	for (t = 0; t < 2; t++) {
		snprintf(name, sizeof(name), "%s_%s", stem, types[t]);
		one_order(name, s, order, 1);
		one_order(name, s, order, 8);
	}
}

TEST(transposition)
{
	static const uint32_t order[5] = { 1, 0, 2, 3, 4 };
	size_t s;

	for (s = 0; s < NUM_SHAPES; s++)
		both_types("transpose", &shapes[s], order);
}

/* Of 120 orders each with some shapes, each shape with many orders. */
TEST(orders)
{
	uint32_t order[5], left[5], n, d, rest, i, at = 0;
	char stem[20];

	for (n = 0; n < 120; n++) {
		for (d = 0; d < 5; d++)
			left[d] = d;
		for (d = 0, rest = n; d < 5; d++) {
			i = rest % (5 - d);
			rest /= 5 - d;
			order[d] = left[i];
			left[i] = left[4 - d];
		}
		snprintf(stem, sizeof(stem), "permute%u", order[0]);
		for (i = 0; i < 3; i++)
			both_types(stem, &shapes[at++ % NUM_SHAPES], order);
		both_types(stem, &shapes[NUM_SHAPES - 2], order);
	}
}

/* Dims of A whose bit is in ones have one index only; above rank, none. */
static void one_broadcast(const char *name, const struct shape_row *s,
			  uint32_t ones, uint32_t rank, unsigned int parts)
{
	uint32_t dims[5], d;
	struct run r;

	run_open(&r, name);
	for (d = 0; d < 5; d++)
		dims[d] = ones >> d & 1 ? 1 : s->dims[d];
	shape(&r.t[0], rank, dims);
	shape(&r.t[1], s->rank, s->dims);
	run_begin(&r);
	check(&r, parts);
}

TEST(broadcasts)
{
	uint32_t ones, rank;
	size_t s;

	for (s = 0; s < NUM_SHAPES; s++)
		for (rank = 0; rank <= shapes[s].rank; rank++)
			for (ones = 0; ones < 1u << rank; ones++) {
				one_broadcast("broadcast_f32", &shapes[s], ones,
					      rank, 1 + (s & 1) * 7);
				one_broadcast("broadcast_bf16", &shapes[s],
					      ones, rank, 8 - (s & 1) * 7);
			}
}
