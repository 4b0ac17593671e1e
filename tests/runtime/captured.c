// SPDX-License-Identifier: MIT
/* Recipes launched within captures, and large work of graphs, on a card. */
#include <errno.h>

#include "gaudi_graph.h"
#include "launchers.h"
#include "streams.h"

#define SMALL	(64 * (size_t)KIB)

/* A launch between two copies: it comes after the one, and before the other. */
TEST(between_copies)
{
	struct gaudi_launcher *l = launcher_of(simple_recipe(SMALL));
	uint8_t *in = pinned_memory(SMALL), *out = pinned_memory(SMALL);
	gaudi_ptr a = device_memory(SMALL), b = device_memory(SMALL);
	struct gaudi_binding bindings[] = {
		on_device("in", a), on_device("out", b),
	};
	struct gaudi_graph_node node = { .size = sizeof(node) };
	struct gaudi_graph *graph;
	bool capturing;
	uint32_t count;

	memset(out, 0x11, SMALL);
	GOOD(gaudi_fill(dev, b, 0x22, 1, SMALL));
	GOOD(gaudi_stream_begin_capture(stream));
	GOOD(gaudi_copy_to_device_async(stream, a, in, SMALL));
	/* What cannot be launched is not captured, and is no end of it. */
	FAILS(gaudi_launch(l, bindings, 1, stream), GAUDI_ERR_BINDING);
	says("'out' of 'simple' is not bound");
	GOOD(gaudi_launch(l, bindings, 2, stream));
	GOOD(gaudi_stream_is_capturing(stream, &capturing));
	assert_true(capturing);
	GOOD(gaudi_copy_to_host_async(stream, out, b, SMALL));
	GOOD(gaudi_stream_end_capture(stream, &graph));
	GOOD(gaudi_stream_synchronize(stream));
	assert_int_equal(out[0], 0x11);
	GOOD(gaudi_graph_get_node_count(graph, &count));
	assert_int_equal(count, 3);
	GOOD(gaudi_graph_get_node(graph, 1, &node));
	assert_int_equal(node.kind, GAUDI_NODE_LAUNCH);
	assert_true(node.recipe && !node.to && !node.from && !node.width);
	GOOD(gaudi_recipe_find_tensor(node.recipe, "out", &count));
	/* The launcher is not needed for that. */
	GOOD(gaudi_launcher_destroy(l));
	for (unsigned int i = 0; i < 20; i++) {
		pattern(in, SMALL, i);
		GOOD(gaudi_graph_launch(graph, i % 2 ? stream : second));
		GOOD(gaudi_stream_synchronize(i % 2 ? stream : second));
		assert_true(is_pattern(out, SMALL, i));
	}
	GOOD(gaudi_graph_destroy(graph));
	GOOD(gaudi_free(dev, a));
	GOOD(gaudi_free(dev, b));
	GOOD(gaudi_host_free(dev, in));
	GOOD(gaudi_host_free(dev, out));
}

/* All engines, workspace, constants: two beside each other, one behind them. */
TEST(several_wide_ones)
{
	struct gaudi_launcher *l = launcher_of(wide_recipe());
	uint8_t *in = pinned_memory(3 * WIDE_BYTES);
	uint8_t *out = pinned_memory(3 * WIDE_BYTES);
	gaudi_ptr copy = device_memory(3 * WIDE_BYTES);
	uint64_t before = memory_in_use();
	struct gaudi_graph *graph;

	GOOD(gaudi_stream_begin_capture(stream));
	GOOD(gaudi_event_record(fork_event, stream));
	GOOD(gaudi_stream_wait_event(second, fork_event));
	for (size_t i = 0; i < 3; i++) {
		struct gaudi_binding bindings[] = {
			on_host("in", in + i * WIDE_BYTES),
			on_host("out", out + i * WIDE_BYTES),
			on_device("copy", copy + i * WIDE_BYTES),
		};

		GOOD(gaudi_launch(l, bindings, 3, i == 1 ? second : stream));
	}
	GOOD(gaudi_event_record(join_event, second));
	GOOD(gaudi_stream_wait_event(stream, join_event));
	GOOD(gaudi_stream_end_capture(stream, &graph));
	GOOD(gaudi_launcher_destroy(l));
	for (unsigned int round = 0; round < 3; round++) {
		pattern(in, 3 * WIDE_BYTES, round);
		memset(out, 0, 3 * WIDE_BYTES);
		GOOD(gaudi_graph_launch(graph, stream));
		GOOD(gaudi_stream_synchronize(stream));
		for (size_t i = 0; i < 3; i++)
			if (!wide_is_right(in + i * WIDE_BYTES,
					   out + i * WIDE_BYTES))
				fail_msg("round %u: launch %zu is wrong", round,
					 i);
		GOOD(gaudi_copy_to_host(dev, out, copy, 3 * WIDE_BYTES));
		assert_memory_equal(in, out, 3 * WIDE_BYTES);
	}
	/* Several under way, each with a workspace of its own. */
	for (unsigned int i = 0; i < 12; i++)
		GOOD(gaudi_graph_launch(graph, stream));
	GOOD(gaudi_graph_destroy(graph));
	assert_true(wide_is_right(in + WIDE_BYTES, out + WIDE_BYTES));
	/* Constants and workspace have gone with the last who had them. */
	assert_true(memory_in_use() < before);
	GOOD(gaudi_free(dev, copy));
	GOOD(gaudi_host_free(dev, in));
	GOOD(gaudi_host_free(dev, out));
}

/* A bound event orders other streams of the capture, and is free behind it. */
TEST(bound_events)
{
	struct gaudi_launcher *l = launcher_of(wide_recipe());
	uint8_t *in = pinned_memory(WIDE_BYTES), *out = pinned_memory(WIDE_BYTES);
	uint8_t *down = pinned_memory(SMALL);
	gaudi_ptr copy = device_memory(WIDE_BYTES);
	struct gaudi_binding bindings[] = {
		on_host("in", in), on_host("out", out), on_device("copy", copy),
	};
	struct gaudi_graph *graph;

	GOOD(gaudi_launcher_bind_event(l, "done", fork_event));
	GOOD(gaudi_stream_begin_capture(stream));
	GOOD(gaudi_launch(l, bindings, 3, stream));
	GOOD(gaudi_stream_wait_event(second, fork_event));
	GOOD(gaudi_copy_to_host_async(second, down, copy, SMALL));
	GOOD(gaudi_event_record(join_event, second));
	GOOD(gaudi_stream_wait_event(stream, join_event));
	GOOD(gaudi_stream_end_capture(stream, &graph));
	for (unsigned int i = 0; i < 5; i++) {
		pattern(in, WIDE_BYTES, i);
		memset(down, 0, SMALL);
		GOOD(gaudi_graph_launch(graph, second));
		GOOD(gaudi_stream_synchronize(second));
		assert_memory_equal(in, down, SMALL);
		assert_true(wide_is_right(in, out));
	}
	/* As ever, once it is launched for itself; even in the middle of a capture. */
	GOOD(gaudi_stream_begin_capture(second));
	GOOD(gaudi_event_record(fork_event, second));
	GOOD(gaudi_launch(l, bindings, 3, stream));
	GOOD(gaudi_event_synchronize(fork_event));
	GOOD(gaudi_graph_destroy(graph));
	GOOD(gaudi_stream_end_capture(second, &graph));
	GOOD(gaudi_graph_destroy(graph));
	GOOD(gaudi_launcher_destroy(l));
	GOOD(gaudi_free(dev, copy));
	GOOD(gaudi_host_free(dev, in));
	GOOD(gaudi_host_free(dev, out));
	GOOD(gaudi_host_free(dev, down));
}

/* One with elements of four bytes: "in" and "out" on the host. */
static struct gaudi_graph *turn_graph(uint32_t *in, uint32_t *out, uint32_t num)
{
	struct gaudi_launcher *l = launcher_of(turn_recipe(num));
	struct gaudi_binding bindings[] = {
		on_host("in", in), on_host("out", out),
	};
	struct gaudi_graph *graph;

	GOOD(gaudi_stream_begin_capture(stream));
	GOOD(gaudi_launch(l, bindings, 2, stream));
	GOOD(gaudi_stream_end_capture(stream, &graph));
	GOOD(gaudi_launcher_destroy(l));

	return graph;
}

static void turn(struct gaudi_graph *graph, const uint32_t *in,
		 const uint32_t *out, uint32_t num)
{
	GOOD(gaudi_graph_launch(graph, stream));
	GOOD(gaudi_stream_synchronize(stream));
	assert_memory_equal(in, out, num * sizeof(*in));
}

TEST(other_memory)
{
	enum { NUM = 20 };
	uint32_t *all = pinned_memory(64 * KIB);
	uint32_t *in = all, *out = all + 1000, *next = all + 2000;
	struct gaudi_graph *graph = turn_graph(in, out, NUM);
	struct gaudi_graph_node node = { .size = sizeof(node) };
	struct gaudi_binding b;

	pattern(all, 64 * KIB, 1);
	memset(out, 0, 100);
	turn(graph, in, out, NUM);
	b = on_host("out", next);
	GOOD(gaudi_graph_bind(graph, 0, &b, 1));
	turn(graph, in, next, NUM);
	GOOD(gaudi_graph_replace_host(graph, in, in + 500, 400));
	turn(graph, in + 500, next, NUM);
	/* By number; and what is refused changes nothing. */
	b = (struct gaudi_binding) { .tensor = 1, .memory = out };
	GOOD(gaudi_graph_bind(graph, 0, &b, 1));
	turn(graph, in + 500, out, NUM);
	b = on_host("out", in + 501);
	FAILS(gaudi_graph_bind(graph, 0, &b, 1), GAUDI_ERR_BINDING);
	says("overlap");
	b = on_host("out", (char *)next + 1);
	FAILS(gaudi_graph_bind(graph, 0, &b, 1), GAUDI_ERR_BINDING);
	says("not a multiple");
	b = on_host("middle", next);
	FAILS(gaudi_graph_bind(graph, 0, &b, 1), -ENOENT);
	b = on_host("mid", next);
	FAILS(gaudi_graph_bind(graph, 0, &b, 1), GAUDI_ERR_BINDING);
	says("workspace");
	FAILS(gaudi_graph_bind(graph, 1, &b, 1), -EINVAL);
	FAILS(gaudi_graph_bind(graph, 0, NULL, 1), -EINVAL);
	FAILS(gaudi_graph_bind(NULL, 0, &b, 1), -EINVAL);
	GOOD(gaudi_graph_bind(graph, 0, NULL, 0));
	FAILS(gaudi_graph_replace_host(graph, in + 500, (char *)next + 2, 400),
	      GAUDI_ERR_BINDING);
	says("not a multiple");
	FAILS(gaudi_graph_replace_host(graph, in + 500, out, 400),
	      GAUDI_ERR_BINDING);
	says("overlap");
	GOOD(gaudi_graph_get_node(graph, 0, &node));
	FAILS(gaudi_graph_set_node(graph, 0, &node), -EINVAL);
	says("gaudi_graph_bind");
	turn(graph, in + 500, out, NUM);
	GOOD(gaudi_host_free(dev, all));
	FAILS(gaudi_graph_launch(graph, stream), GAUDI_ERR_BINDING);
	says("node 0, tensor 'in'");
	GOOD(gaudi_graph_destroy(graph));
}

/* Nodes of other kinds are not bound; device memory that goes is noticed. */
TEST(memory_that_goes)
{
	struct gaudi_launcher *l = launcher_of(simple_recipe(SMALL));
	gaudi_ptr a = device_memory(SMALL), b = device_memory(SMALL);
	gaudi_ptr c = device_memory(SMALL);
	struct gaudi_binding bindings[] = {
		on_device("in", a), on_device("out", b),
	};
	struct gaudi_graph *graph;
	uint8_t *bytes = malloc(SMALL);

	GOOD(gaudi_launcher_bind(l, bindings, 2));
	GOOD(gaudi_stream_begin_capture(stream));
	GOOD(gaudi_fill_async(stream, a, 0x33, 1, SMALL));
	GOOD(gaudi_launch(l, NULL, 0, stream));
	GOOD(gaudi_stream_end_capture(stream, &graph));
	FAILS(gaudi_graph_bind(graph, 0, bindings, 1), -EINVAL);
	/* What the launcher is bound to later is nothing to the graph. */
	bindings[1].address = c;
	GOOD(gaudi_launcher_bind(l, bindings, 2));
	GOOD(gaudi_graph_launch(graph, stream));
	GOOD(gaudi_stream_synchronize(stream));
	GOOD(gaudi_copy_to_host(dev, bytes, b, SMALL));
	for (size_t i = 0; i < SMALL; i++)
		assert_int_equal(bytes[i], 0x33);
	GOOD(gaudi_free(dev, b));
	FAILS(gaudi_graph_launch(graph, stream), GAUDI_ERR_ADDRESS);
	GOOD(gaudi_graph_bind(graph, 1, bindings + 1, 1));
	GOOD(gaudi_graph_launch(graph, stream));
	GOOD(gaudi_stream_synchronize(stream));
	GOOD(gaudi_copy_to_host(dev, bytes, c, SMALL));
	assert_int_equal(bytes[SMALL - 1], 0x33);
	free(bytes);
	GOOD(gaudi_graph_destroy(graph));
	/* A capture that is given up gives back what its nodes had. */
	GOOD(gaudi_stream_begin_capture(stream));
	GOOD(gaudi_launch(l, NULL, 0, stream));
	FAILS(gaudi_stream_synchronize(stream), GAUDI_ERR_CAPTURE);
	FAILS(gaudi_launch(l, NULL, 0, stream), GAUDI_ERR_CAPTURE_INVALID);
	FAILS(gaudi_stream_end_capture(stream, &graph),
	      GAUDI_ERR_CAPTURE_INVALID);
	GOOD(gaudi_launcher_destroy(l));
	GOOD(gaudi_free(dev, a));
	GOOD(gaudi_free(dev, c));
}

/* What is divided among engines is whole, and in order. */
TEST(large_work)
{
	const size_t size = 5 * MIB + 77, pitch = 8192, rows = size / pitch;
	uint8_t *out = pinned_memory(size), *want = malloc(size);
	uint8_t *in = pinned_memory(size);
	gaudi_ptr a = device_memory(size), b = device_memory(size);
	struct gaudi_graph *graph;

	GOOD(gaudi_stream_begin_capture(stream));
	GOOD(gaudi_copy_to_device_async(stream, a, in, size));
	GOOD(gaudi_copy_device_async(stream, b, a, size));
	GOOD(gaudi_fill_async(stream, a, 0x0123456789abcdef, 8, 200000));
	GOOD(gaudi_copy_device_2d_async(stream, b, pitch, a, pitch, 3000,
					rows));
	GOOD(gaudi_event_record(fork_event, stream));
	GOOD(gaudi_stream_wait_event(second, fork_event));
	GOOD(gaudi_copy_device_async(second, a, b, size));
	GOOD(gaudi_event_record(join_event, second));
	GOOD(gaudi_stream_wait_event(stream, join_event));
	GOOD(gaudi_copy_to_host_async(stream, out, a, size));
	GOOD(gaudi_stream_end_capture(stream, &graph));
	for (unsigned int round = 0; round < 3; round++) {
		uint8_t *filled = malloc(size);

		pattern(in, size, round);
		memcpy(want, in, size);
		memcpy(filled, in, size);
		for (size_t i = 0; i < 200000; i++)
			memcpy(filled + 8 * i,
			       &(uint64_t) { 0x0123456789abcdef }, 8);
		for (size_t row = 0; row < rows; row++)
			memcpy(want + row * pitch, filled + row * pitch, 3000);
		free(filled);
		memset(out, 0, size);
		GOOD(gaudi_graph_launch(graph, second));
		GOOD(gaudi_stream_synchronize(second));
		assert_memory_equal(out, want, size);
	}
	free(want);
	GOOD(gaudi_graph_destroy(graph));
	GOOD(gaudi_free(dev, a));
	GOOD(gaudi_free(dev, b));
	GOOD(gaudi_host_free(dev, in));
	GOOD(gaudi_host_free(dev, out));
}

/* A hundred launches in one, each with what the one before it made. */
TEST(many_launches)
{
	struct gaudi_launcher *l = launcher_of(chain_recipe(10));
	gaudi_ptr a = device_memory(64), b = device_memory(64);
	struct gaudi_graph *graph;
	uint8_t bytes[64];

	GOOD(gaudi_stream_begin_capture(stream));
	for (unsigned int i = 0; i < 100; i++) {
		struct gaudi_binding bindings[] = {
			on_device("in", i % 2 ? b : a),
			on_device("out", i % 2 ? a : b),
		};

		GOOD(gaudi_launch(l, bindings, 2, stream));
		GOOD(gaudi_fill_async(stream, (i % 2 ? a : b) + i % 64, i, 1,
				      1));
	}
	GOOD(gaudi_stream_end_capture(stream, &graph));
	GOOD(gaudi_fill(dev, a, 0xee, 1, 64));
	GOOD(gaudi_graph_launch(graph, stream));
	GOOD(gaudi_stream_synchronize(stream));
	GOOD(gaudi_copy_to_host(dev, bytes, a, 64));
	for (unsigned int i = 0; i < 64; i++)
		assert_int_equal(bytes[i], i < 36 ? i + 64 : i);
	GOOD(gaudi_graph_destroy(graph));
	GOOD(gaudi_launcher_destroy(l));
	GOOD(gaudi_free(dev, a));
	GOOD(gaudi_free(dev, b));
}

GROUP(set_up_streams, tear_down_device)
