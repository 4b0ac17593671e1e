// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Programs that are cut into parts: what an item is thought to cost, and what a
 * part must not leave behind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compute.h"
#include "mme_desc.h"
#include "program_item.h"
#include "recipe.h"

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
static void parts_keep_no_sums(void **state)
{
	uint32_t x, w, y, num, i, s, whole = 0, cut = 0;
	struct program *parts;
	bool stores;

	(void)state;
	x = add("x", IN, F32, 2, 300, 1100, 0, 0);
	w = add("w", IN, F32, 2, 1100, 300, 0, 0);
	y = add("y", OUT, F32, 2, 300, 300, 0, 0);
	assert_int_equal(gaudi_builder_add_matmul(b, y, x, w, 0, NULL), 0);
	build();
	assert_int_equal(program_cut(&r->program, 1, &parts, &num), 0);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		compute_test(parts_keep_no_sums),
	};

	return cmocka_run_group_tests_name("parts", tests, NULL, NULL);
}
