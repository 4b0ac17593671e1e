// SPDX-License-Identifier: GPL-2.0-only
/*
 * All kernels of the library on tensors that are not dense: the same results, and
 * nothing of what lies between the elements is read or written.
 */
#include "five.h"

/* As a reference: dense, for which the other tests have the results. */
static void begin_dense(struct run *r, const struct run *like,
			const struct five_layout *l)
{
	struct five_layout dense = {
		.order = { 0, 1, 2, 3, 4 }, .few = l->few, .guard = 0x5a,
	};
	uint32_t t;
	size_t i;

	five_begin(r, like->k->name, &dense);
	for (t = 0; t < r->k->num_tensors; t++)
		for (i = 0; i < r->t[t].count; i++)
			if (r->k->tensors[t].access & GAUDI_KERNEL_READS)
				set_raw(&r->t[t], i, get_raw(&like->t[t], i));
}

static void compare(const struct run *is, const struct run *want)
{
	uint32_t t;
	size_t i;

	for (t = 0; t < is->k->num_tensors; t++) {
		assert_int_equal(is->t[t].count, want->t[t].count);
		for (i = 0; i < is->t[t].count; i++)
			if (get_raw(&is->t[t], i) != get_raw(&want->t[t], i))
				fail_msg("%s: element %zu of %s is 0x%x, of dense tensors 0x%x",
					 is->k->name, i,
					 is->k->tensors[t].name,
					 get_raw(&is->t[t], i),
					 get_raw(&want->t[t], i));
	}
}

/* An input is not written either, wherever it lies. */
static void one(const char *name, const struct five_layout *l)
{
	struct run r, dense;

	five_begin(&r, name, l);
	begin_dense(&dense, &r, l);
	run_parts(&r, 3);
	run_parts(&dense, 3);
	compare(&r, &dense);
	run_close(&r);
	run_close(&dense);
}

static void all(const struct five_layout *l)
{
	size_t i;

	for (i = 0; i < gaudi_kernel_lib_count; i++)
		if (run_wanted(gaudi_kernel_lib[i].name))
			one(gaudi_kernel_lib[i].name, l);
}

/* Gaps are full of what is no number. */
TEST(padded_rows)
{
	static const struct five_layout l = {
		.order = { 0, 1, 2, 3, 4 }, .gap = { 7, 3, 1, 130, 2 },
		.guard = 0xff,
	};

	all(&l);
}

/* Rows that are next to each other by another dim, and large numbers between. */
TEST(other_order)
{
	static const struct five_layout l = {
		.order = { 0, 3, 4, 1, 2 }, .gap = { 1, 0, 64, 5, 0 },
		.few = true, .guard = 0x4b,
	};

	all(&l);
}

/* Inputs whose outer dims all have the same elements. */
TEST(broadcast)
{
	static const struct five_layout l = {
		.order = { 0, 1, 4, 3, 2 }, .gap = { 64, 0, 9, 0, 3 },
		.again = true, .guard = 0xff,
	};

	all(&l);
}
