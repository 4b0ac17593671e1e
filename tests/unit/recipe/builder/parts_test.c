// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Programs that are cut into parts: what an item is thought to cost, and what a
 * part must not leave behind.
 */
#include "../../unit.h"
#include "compute.h"
#include "mme/mme_desc.h"
#include "program/program_item.h"
#include "recipe/recipe.h"

/* Launches of a stream; of the last of a matrix engine: does it store? */
static uint32_t count_launches(const struct prog_stream *s, bool *stores)
{
	uint32_t words[PROG_TPC_WORDS], num = 0;
	struct prog_cursor cursor = {};
	struct prog_item item;

	*stores = true;
	while (prog_item_next(s, &cursor, &item) == 1) {
		if (item.kind != PROG_ITEM_MME)
			continue;
		prog_launch_words(s, &item, words);
		*stores = mme_stores(words);
		num++;
	}

	return num;
}

/* What is between two parts may be another's work, which has no sums to spare. */
COMPUTE_TEST(parts_keep_no_sums)
{
	uint32_t x, w, y, num, i, s, whole = 0, cut = 0;
	struct program *parts;
	bool stores;

	x = add("x", IN, F32, 2, 300, 1100, 0, 0);
	w = add("w", IN, F32, 2, 1100, 300, 0, 0);
	y = add("y", OUT, F32, 2, 300, 300, 0, 0);
	WORKS(gaudi_builder_add_matmul(b, y, x, w, 0, NULL));
	build();
	WORKS(program_cut(&r->program, 1, &parts, &num));
	assert_true(num > 1);
	for (s = 0; s < r->program.num_streams; s++)
		whole += count_launches(&r->program.streams[s], &stores);
	for (i = 0; i < num; i++) {
		for (s = 0; s < parts[i].num_streams; s++) {
			cut += count_launches(&parts[i].streams[s], &stores);
			assert_true(stores);
		}
		program_free(&parts[i]);
	}
	free(parts);
	assert_int_equal(cut, whole);
	assert_true(whole > num);
}

static uint64_t cost(void)
{
	uint64_t cost;

	build();
	WORKS(program_cost(&r->program, &cost));

	return cost;
}

/* What fills tiles costs as many products as there are. */
COMPUTE_TEST(product_costs_its_products)
{
	uint32_t x, w, y;

	x = add("x", IN, F32, 2, 512, 512, 0, 0);
	w = add("w", IN, F32, 2, 512, 512, 0, 0);
	y = add("y", OUT, F32, 2, 512, 512, 0, 0);
	WORKS(gaudi_builder_add_matmul(b, y, x, w, 0, NULL));
	assert_int_equal(cost(), 1u << 27);
}

/*
 * A convolution is many descriptors if it sums more than an engine holds, and each
 * may reach all of its tensors: they cost no more than the work there is, but for
 * what is left of tiles.
 */
COMPUTE_TEST(convolutions_cost_their_products)
{
	const uint64_t products = 26 * 26 * 3 * 3 * 512 * 64ull;
	struct gaudi_conv2d d = {
		.size = sizeof(d), .stride = { 1, 1 }, .dilation = { 1, 1 },
	};
	uint32_t x, w, y, way;
	uint64_t is;

	for (way = 0; way < 3; way++) {
		x = add("x", way == 1 ? OUT : IN, F32, 4, 1, 28, 28, 512);
		w = add("w", way == 2 ? OUT : IN, F32, 4, 3, 3, 512, 64);
		y = add("y", way == 0 ? OUT : IN, F32, 4, 1, 26, 26, 64);
		if (way == 0)
			gaudi_builder_add_conv2d(b, y, x, w, &d, 0, NULL);
		else if (way == 1)
			gaudi_builder_add_conv2d_data(b, x, y, w, &d, 0, NULL);
		else
			gaudi_builder_add_conv2d_weights(b, w, x, y, &d, 0, NULL);
		is = cost();
		assert_in_range(is, products, products * 3 / 2);
		compute_end(NULL);
		compute_begin(NULL);
	}
}

/*
 * Copies of two engines that have nothing to do with each other: each is a node of
 * its own in a part, where they take turns. They are more than a draft takes.
 */
TEST(short_copies_are_parts_too)
{
	enum { COPIES = 600000 };
	static const uint32_t engines[] = { PROG_TO_DEVICE, PROG_DMA_2 };
	struct prog_place to = { 0, 0 }, from = { 1, 0 };
	struct prog_draft *d;
	struct program p, *parts;
	uint64_t cost, sum = 0;
	uint32_t node, num, i;

	WORKS(prog_draft_create(2, 0, &d));
	for (i = 0; i < 2 * COPIES; i++) {
		if (!(i % COPIES))
			WORKS(prog_draft_node(d, engines[i / COPIES], &node));
		WORKS(prog_draft_copy(d, to, from, 8));
	}
	WORKS(prog_draft_finish(d, &p));
	prog_draft_destroy(d);
	WORKS(program_cut(&p, UINT64_MAX, &parts, &num));
	assert_true(num > 1);
	for (i = 0; i < num; i++) {
		WORKS(program_cost(&parts[i], &cost));
		sum += cost;
		program_free(&parts[i]);
	}
	assert_int_equal(sum, 2 * COPIES * 8);
	free(parts);
	program_free(&p);
}
