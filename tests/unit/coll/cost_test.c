// SPDX-License-Identifier: MIT
/* What collectives cost: by hand for simple ones, and the choice that follows from it. */
#include <errno.h>
#include <unistd.h>

#include "../unit.h"
#include "coll/base/error.h"
#include "coll/schedule/settings.h"

/* As if nothing but one constant cost anything, and cards shared nothing. */
static struct coll_costs free_costs(void)
{
	return (struct coll_costs) {
		.posts_together = 100 * COLL_MAX_RANKS,
		.bytes_together = 100 * COLL_MAX_RANKS,
	};
}

static struct coll_call sum_of(enum coll_algorithm algorithm, uint32_t ranks,
			       uint64_t count)
{
	return (struct coll_call) {
		.kind = COLL_ALLREDUCE, .algorithm = algorithm, .ranks = ranks,
		.count = count, .row = 1 << 18,
	};
}

static uint64_t cost_of(enum coll_algorithm algorithm, uint32_t ranks,
			uint64_t count, const struct coll_costs *costs)
{
	struct coll_call call = sum_of(algorithm, ranks, count);

	return coll_cost(&call, 4, costs);
}

TEST(exchanges_are_counted)
{
	struct coll_costs costs = free_costs();

	costs.exchange_ns = 1000;
	assert_int_equal(cost_of(COLL_DIRECT, 8, 8000, &costs), 2000);
	assert_int_equal(cost_of(COLL_RING, 8, 8000, &costs), 14000);
	assert_int_equal(cost_of(COLL_HALVING, 8, 8000, &costs), 6000);
	/*
	 * Up, rank 0 takes three, one after the other; down, so does what rank 7 gets, and a
	 * receiver answers each.
	 */
	assert_true(cost_of(COLL_TREE, 8, 8000, &costs) >= 6000);
	costs.write_ns = 10;
	assert_int_equal(cost_of(COLL_DIRECT, 8, 8000, &costs), 2140);
	/* A pass for each 8 rows. */
	assert_int_equal(cost_of(COLL_DIRECT, 8, 3ull << 21, &costs), 3 * 2140);
}

TEST(bytes_are_counted)
{
	struct coll_costs costs = free_costs();

	/* 8 chunks of 1024 elements. */
	costs.link_ps = 1000;
	assert_int_equal(cost_of(COLL_DIRECT, 8, 8192, &costs), 2 * 4096);
	assert_int_equal(cost_of(COLL_RING, 8, 8192, &costs), 14 * 4096);
	/* All links at once take longer than one. */
	costs.card_ps = 500;
	assert_int_equal(cost_of(COLL_DIRECT, 8, 8192, &costs), 7 * 4096);
	assert_int_equal(cost_of(COLL_RING, 8, 8192, &costs), 14 * 4096);
	/* Half: 4, 2 and 1 chunks, and back. */
	assert_int_equal(cost_of(COLL_HALVING, 8, 8192, &costs), 14 * 4096);
	costs = free_costs();
	costs.reduce_ps = 1000;
	assert_int_equal(cost_of(COLL_DIRECT, 8, 8192, &costs), 8 * 4096);
	assert_int_equal(cost_of(COLL_RING, 8, 8192, &costs), 7 * 2 * 4096);
}

/* Eight cards that two processors do the work of take four times as long. */
TEST(cards_share)
{
	struct coll_costs costs = free_costs();

	costs.exchange_ns = 1000;
	costs.posts_together = 200;
	assert_int_equal(cost_of(COLL_DIRECT, 8, 8000, &costs), 2 * 4 * 1000);
	costs.exchange_ns = 0;
	costs.link_ps = 1000;
	costs.bytes_together = 200;
	assert_int_equal(cost_of(COLL_DIRECT, 8, 8192, &costs), 2 * 4096 * 7 * 4 / 7);
}

TEST(other_boxes_are_far)
{
	struct coll_costs costs = free_costs();
	struct coll_call call = sum_of(COLL_DIRECT, 8, 8192);
	static const uint32_t firsts[] = { 0, 3 };

	costs.exchange_ns = 10;
	costs.far_ns = 1000;
	assert_int_equal(coll_cost(&call, 4, &costs), 20);
	call.box = 4;
	assert_int_equal(coll_cost(&call, 4, &costs), 2020);
	/* Within boxes, across them and back, within boxes. */
	call.algorithm = COLL_HIERARCHICAL;
	assert_int_equal(coll_cost(&call, 4, &costs), 2 * 10 + 2 * 1010);
	/* Three ranks, and five. */
	call.boxes = 2;
	call.firsts = firsts;
	assert_int_equal(coll_cost(&call, 4, &costs), 2 * 10 + 2 * 1010);
	costs.link_ps = 1000;
	costs.far_ps = 1000000;
	costs.exchange_ns = 0;
	costs.far_ns = 0;
	/* Chunks of 2,752 of 8,192 elements; half of one across, and back. */
	assert_int_equal(coll_cost(&call, 4, &costs),
			 4 * (2752 + 2 * 1376 * 1001 + 2752));
}

/* Between two boxes of four each part goes once, not to each of four: if that is slow, it pays. */
TEST(parts_cross_once)
{
	static const enum coll_kind kinds[] = { COLL_ALLGATHER, COLL_REDUCE_SCATTER };
	struct coll_settings settings = {
		.row_bytes = 1 << 20, .small_bytes = UINT32_MAX, .algorithm = -1,
		.costs = coll_costs_usual,
	};
	static const uint32_t sizes[] = { 4, 4 };

	coll_settings_boxes(&settings, sizes, 2);
	settings.costs.far_ps = 10000;
	for (unsigned int i = 0; i < 2; i++) {
		struct coll_costs costs = free_costs();
		struct coll_op op = {
			.kind = kinds[i], .type = hcclFloat32, .count = 1 << 18,
		};
		struct coll_call call = coll_choose(&settings, 8, &op);

		assert_int_equal(call.algorithm, COLL_HIERARCHICAL);
		costs.far_ps = 1000;
		assert_int_equal(coll_cost(&call, 4, &costs), 1 << 20);
		call.algorithm = COLL_DIRECT;
		assert_int_equal(coll_cost(&call, 4, &costs), 4 << 20);
		op.count = 16;
		assert_int_equal(coll_choose(&settings, 8, &op).algorithm, COLL_DIRECT);
	}
}

/* Of all that there are: each ends, and none is free. */
TEST(all_end)
{
	for (uint32_t ranks = 2; ranks <= 20; ranks++)
		for (int kind = 0; kind < COLL_KINDS; kind++)
			for (int a = 0; a < COLL_ALGORITHMS; a++) {
				struct coll_call call = {
					.kind = (enum coll_kind)kind,
					.algorithm = (enum coll_algorithm)a,
					.ranks = ranks, .root = ranks / 2,
					.count = 5000, .row = 512, .small = 100,
					.box = ranks % 4 ? 2 : ranks / 2,
				};
				uint64_t ns = coll_cost(&call, 4, &coll_costs_usual);

				assert_true(ns > 0);
				assert_true(coll_can(&call) == (ns != UINT64_MAX));
			}
	assert_true(cost_of(COLL_DIRECT, COLL_MAX_RANKS + 1, 1, &coll_costs_usual) ==
		    UINT64_MAX);
	assert_int_equal(cost_of(COLL_DIRECT, 8, 0, &coll_costs_usual), 0);
}

static struct coll_call chosen(const struct coll_costs *costs, uint32_t ranks,
			       uint64_t count)
{
	const struct coll_settings settings = {
		.row_bytes = 1 << 20, .small_bytes = UINT32_MAX, .algorithm = -1,
		.costs = *costs,
	};
	const struct coll_op op = {
		.kind = COLL_ALLREDUCE, .type = hcclFloat32, .count = count,
	};

	return coll_choose(&settings, ranks, &op);
}

TEST(what_costs_least_is_taken)
{
	struct coll_costs costs = free_costs();

	/* Exchanges are dear: the fewest. Writes are: few of them. */
	costs.exchange_ns = 1000;
	costs.link_ps = 1;
	assert_int_equal(chosen(&costs, 32, 1000).algorithm, COLL_DIRECT);
	assert_true(chosen(&costs, 32, 1000).small >= 1000);
	costs.exchange_ns = 0;
	costs.write_ns = 1000;
	assert_int_equal(chosen(&costs, 32, 1000).algorithm, COLL_HALVING);
	/* Not a power of two. */
	assert_int_equal(chosen(&costs, 31, 1000).algorithm, COLL_TREE);
	/* Bytes are: in two exchanges. */
	costs = free_costs();
	costs.exchange_ns = 1;
	costs.card_ps = 1000;
	assert_int_equal(chosen(&costs, 8, 1 << 18).algorithm, COLL_DIRECT);
	assert_int_equal(chosen(&costs, 8, 1 << 18).small, 0);
}

static int seen[3];
static uint64_t last_ps;

static void see(void *arg, const struct coll_event *e)
{
	assert_ptr_equal(arg, seen);
	assert_true(e->begin_ps <= e->end_ps && e->bytes);
	seen[e->kind == COLL_ACT_SEND ? 0 : e->kind == COLL_ACT_COPY ? 1 : 2]++;
	last_ps = e->end_ps > last_ps ? e->end_ps : last_ps;
}

TEST(events)
{
	struct coll_costs costs = free_costs();
	struct coll_call call = sum_of(COLL_RING, 4, 1024);

	costs.exchange_ns = 1;
	assert_int_equal(coll_cost_events(&call, 4, &costs, see, seen), 0);
	assert_int_equal(seen[0], 4 * 6);
	assert_int_equal(seen[1], 4 * 3);
	assert_int_equal(seen[2], 4 * 3);
	assert_int_equal(last_ps, 6000);
	call.count = 0;
	assert_true(coll_cost_events(&call, 4, &costs, see, seen) < 0);
}

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

TEST(files)
{
	char path[] = "/tmp/costs.XXXXXX";
	struct coll_costs out = coll_costs_usual, in = {};
	struct coll_settings settings;

	assert_true(close(mkstemp(path)) == 0);
	out.write_ns = 4711;
	assert_int_equal(coll_costs_write(path, &out), 0);
	assert_int_equal(coll_costs_read(path, &in), 0);
	assert_memory_equal(&in, &out, sizeof(in));
	setenv("GAUDI_COLL_TUNE", path, 1);
	assert_int_equal(coll_settings_read(&settings), 0);
	assert_int_equal(settings.costs.write_ns, 4711);
	assert_false(settings.measure);
	put(path, "link_ps 5\n");
	assert_int_equal(coll_settings_read(&settings), -EINVAL);
	assert_non_null(strstr(coll_message(), "no exchange_ns"));
	put(path, "link_ps five\n");
	assert_int_equal(coll_costs_read(path, &in), -EINVAL);
	put(path, "speed 5\n");
	assert_int_equal(coll_costs_read(path, &in), -EINVAL);
	/* Measured, and written, where there is none. */
	unlink(path);
	assert_int_equal(coll_settings_read(&settings), 0);
	assert_true(settings.measure);
	assert_string_equal(settings.tune_path, path);
	assert_true(coll_costs_write("/nowhere/costs", &out) < 0);
	setenv("GAUDI_COLL_TUNE", "often", 1);
	assert_int_equal(coll_settings_read(&settings), -EINVAL);
	setenv("GAUDI_COLL_TUNE", "measure", 1);
	assert_int_equal(coll_settings_read(&settings), 0);
	assert_true(settings.measure);
	assert_string_equal(settings.tune_path, "");
	unsetenv("GAUDI_COLL_TUNE");
}
