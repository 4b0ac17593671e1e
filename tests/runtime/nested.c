// SPDX-License-Identifier: MIT
/* Graphs launched within captures, on a card: they become a part, by value. */
#include <errno.h>
#include <pthread.h>

#include "gaudi_graph.h"
#include "launchers.h"
#include "streams.h"

#define BYTES	(8 * (size_t)KIB)

static uint32_t nodes_of(struct gaudi_graph *graph)
{
	uint32_t count = 0;

	GOOD(gaudi_graph_get_node_count(graph, &count));

	return count;
}

static void run(struct gaudi_graph *graph, struct gaudi_stream *on)
{
	GOOD(gaudi_graph_launch(graph, on));
	GOOD(gaudi_stream_synchronize(on));
}

/* @to is @from, turned by @turn bytes. */
static struct gaudi_graph *turning_graph(gaudi_ptr to, gaudi_ptr from,
					 size_t turn)
{
	struct gaudi_graph *graph;

	GOOD(gaudi_stream_begin_capture(second));
	GOOD(gaudi_copy_device_async(second, to, from + turn, BYTES - turn));
	GOOD(gaudi_copy_device_async(second, to + BYTES - turn, from, turn));
	GOOD(gaudi_stream_end_capture(second, &graph));

	return graph;
}

static int is_turned(const uint8_t *out, const uint8_t *in, size_t turn)
{
	return !memcmp(out, in + turn, BYTES - turn) &&
	       !memcmp(out + BYTES - turn, in, turn);
}

/* Between copies, several times in a row; what it becomes later does not count. */
TEST(by_value)
{
	uint8_t *in = pinned_memory(BYTES), *out = pinned_memory(BYTES);
	gaudi_ptr a = device_memory(BYTES), b = device_memory(BYTES);
	gaudi_ptr c = device_memory(BYTES);
	struct gaudi_graph *there = turning_graph(b, a, 300), *all;
	struct gaudi_graph *back = turning_graph(a, b, 1000);
	struct gaudi_graph_node node = { .size = sizeof(node) };

	/* What it is now counts, not what it was captured as. */
	GOOD(gaudi_graph_replace(there, b, c, BYTES));
	GOOD(gaudi_graph_replace(back, b, c, BYTES));
	GOOD(gaudi_stream_begin_capture(stream));
	GOOD(gaudi_copy_to_device_async(stream, a, in, BYTES));
	for (int i = 0; i < 3; i++) {
		GOOD(gaudi_graph_launch(there, stream));
		GOOD(gaudi_graph_launch(back, stream));
	}
	GOOD(gaudi_copy_to_host_async(stream, out, a, BYTES));
	GOOD(gaudi_stream_end_capture(stream, &all));
	assert_int_equal(nodes_of(all), 14);
	assert_int_equal(nodes_of(there), 2);
	GOOD(gaudi_graph_get_node(all, 11, &node));
	assert_int_equal(node.kind, GAUDI_NODE_COPY_DEVICE);
	assert_true(node.to == a && node.from == c + 1000);
	assert_int_equal(node.width, BYTES - 1000);
	GOOD(gaudi_graph_replace(there, c, b, BYTES));
	GOOD(gaudi_graph_destroy(back));
	for (unsigned int i = 0; i < 4; i++) {
		pattern(in, BYTES, i);
		memset(out, 0, BYTES);
		run(all, i % 2 ? stream : third);
		assert_true(is_turned(out, in, 3900));
	}
	/* Nodes of the part are nodes; the graph that was launched is its own. */
	GOOD(gaudi_graph_replace(all, c, b, BYTES));
	GOOD(gaudi_free(dev, c));
	run(all, stream);
	assert_true(is_turned(out, in, 3900));
	GOOD(gaudi_graph_destroy(all));
	run(there, stream);
	GOOD(gaudi_copy_to_host(dev, out, b, BYTES));
	GOOD(gaudi_copy_to_host(dev, in, a, BYTES));
	assert_true(is_turned(out, in, 300));
	GOOD(gaudi_graph_destroy(there));
	GOOD(gaudi_free(dev, a));
	GOOD(gaudi_free(dev, b));
	GOOD(gaudi_host_free(dev, in));
	GOOD(gaudi_host_free(dev, out));
}

/*
 * Two halves of @size bytes up on two streams that begin beside each other, and
 * down, each by way of the other one's stream.
 */
static struct gaudi_graph *crossing_graph(uint8_t *out, uint8_t *in,
					  gaudi_ptr a, size_t size)
{
	struct gaudi_graph *graph;
	size_t half = size / 2;

	GOOD(gaudi_stream_begin_capture(stream));
	GOOD(gaudi_event_record(fork_event, stream));
	GOOD(gaudi_stream_wait_event(second, fork_event));
	GOOD(gaudi_copy_to_device_async(stream, a, in, half));
	GOOD(gaudi_copy_to_device_async(second, a + half, in + half, half));
	GOOD(gaudi_copy_device_async(stream, a + size, a, half));
	GOOD(gaudi_copy_device_async(second, a + size + half, a + half, half));
	GOOD(gaudi_event_record(fork_event, stream));
	GOOD(gaudi_event_record(join_event, second));
	GOOD(gaudi_stream_wait_event(second, fork_event));
	GOOD(gaudi_stream_wait_event(stream, join_event));
	GOOD(gaudi_copy_to_host_async(stream, out + half, a + size + half,
				      half));
	GOOD(gaudi_copy_to_host_async(second, out, a + size, half));
	GOOD(gaudi_event_record(join_event, second));
	GOOD(gaudi_stream_wait_event(stream, join_event));
	GOOD(gaudi_stream_end_capture(stream, &graph));

	return graph;
}

/* All that was before comes before, on both; all that follows comes after. */
TEST(with_several_streams)
{
	const size_t size = 256 * KIB;
	uint8_t *in = pinned_memory(size), *mid = pinned_memory(size);
	uint8_t *out = pinned_memory(size), *seen = pinned_memory(size);
	gaudi_ptr a = device_memory(2 * size), b = device_memory(2 * size);
	struct gaudi_graph *first = crossing_graph(mid, in, a, size);
	struct gaudi_graph *then = crossing_graph(out, mid, b, size), *all;

	GOOD(gaudi_stream_begin_capture(stream));
	GOOD(gaudi_copy_to_device_async(stream, b, in, size));
	GOOD(gaudi_copy_to_host_async(stream, seen, b, size));
	GOOD(gaudi_graph_launch(first, stream));
	GOOD(gaudi_event_record(fork_event, stream));
	GOOD(gaudi_stream_wait_event(third, fork_event));
	/* Beside each other: one goes on, one is looked at. */
	GOOD(gaudi_graph_launch(then, third));
	GOOD(gaudi_fill_async(stream, a, 0x11, 1, size));
	GOOD(gaudi_graph_launch(first, stream));
	GOOD(gaudi_event_record(join_event, third));
	GOOD(gaudi_stream_wait_event(stream, join_event));
	GOOD(gaudi_fill_async(stream, b + size, 0x22, 1, size));
	GOOD(gaudi_stream_end_capture(stream, &all));
	assert_int_equal(nodes_of(all), 2 + 6 + 6 + 1 + 6 + 1);
	GOOD(gaudi_graph_destroy(first));
	GOOD(gaudi_graph_destroy(then));
	for (unsigned int i = 0; i < 8; i++) {
		pattern(in, size, i);
		memset(seen, 0, size);
		memset(mid, 0, size);
		memset(out, 0, size);
		run(all, i % 2 ? second : stream);
		assert_memory_equal(seen, in, size);
		assert_memory_equal(mid, in, size);
		assert_memory_equal(out, in, size);
		GOOD(gaudi_copy_to_host(dev, out, b + size, size));
		assert_int_equal(out[0], 0x22);
		assert_int_equal(out[size - 1], 0x22);
	}
	GOOD(gaudi_graph_destroy(all));
	GOOD(gaudi_free(dev, a));
	GOOD(gaudi_free(dev, b));
	GOOD(gaudi_host_free(dev, in));
	GOOD(gaudi_host_free(dev, mid));
	GOOD(gaudi_host_free(dev, out));
	GOOD(gaudi_host_free(dev, seen));
}

/* Two launches of a recipe with workspace beside each other. */
static struct gaudi_graph *wide_graph(uint8_t *in, uint8_t *out, gaudi_ptr copy)
{
	struct gaudi_launcher *l = launcher_of(wide_recipe());
	struct gaudi_graph *graph;

	GOOD(gaudi_stream_begin_capture(second));
	GOOD(gaudi_event_record(fork_event, second));
	GOOD(gaudi_stream_wait_event(third, fork_event));
	for (size_t i = 0; i < 2; i++) {
		struct gaudi_binding bindings[] = {
			on_host("in", in + i * WIDE_BYTES),
			on_host("out", out + i * WIDE_BYTES),
			on_device("copy", copy + i * WIDE_BYTES),
		};

		GOOD(gaudi_launch(l, bindings, 3, i ? third : second));
	}
	GOOD(gaudi_event_record(join_event, third));
	GOOD(gaudi_stream_wait_event(second, join_event));
	GOOD(gaudi_stream_end_capture(second, &graph));
	GOOD(gaudi_launcher_destroy(l));

	return graph;
}

/* Bindings are by value, constants stay, and workspace does not grow. */
TEST(with_recipes)
{
	uint8_t *in = pinned_memory(2 * WIDE_BYTES);
	uint8_t *out = pinned_memory(2 * WIDE_BYTES);
	uint8_t *late = pinned_memory(WIDE_BYTES);
	gaudi_ptr copy = device_memory(2 * WIDE_BYTES);
	struct gaudi_graph *part = wide_graph(in, out, copy), *once, *often;
	struct gaudi_graph_node node = { .size = sizeof(node) };
	struct gaudi_binding b = on_host("out", late);
	uint64_t before = memory_in_use(), one;

	GOOD(gaudi_stream_begin_capture(stream));
	GOOD(gaudi_graph_launch(part, stream));
	GOOD(gaudi_stream_end_capture(stream, &once));
	one = memory_in_use() - before;
	assert_true(one > 0);
	GOOD(gaudi_stream_begin_capture(stream));
	for (int i = 0; i < 3; i++)
		GOOD(gaudi_graph_launch(part, stream));
	GOOD(gaudi_graph_bind(part, 0, &b, 1));
	GOOD(gaudi_stream_end_capture(stream, &often));
	assert_int_equal(memory_in_use() - before, 2 * one);
	assert_int_equal(nodes_of(often), 6);
	GOOD(gaudi_graph_destroy(once));
	GOOD(gaudi_graph_destroy(part));
	/* The last of the first's: the others still write to @out. */
	GOOD(gaudi_graph_bind(often, 4, &b, 1));
	GOOD(gaudi_graph_get_node(often, 5, &node));
	assert_int_equal(node.kind, GAUDI_NODE_LAUNCH);
	assert_non_null(node.recipe);
	for (unsigned int round = 0; round < 3; round++) {
		pattern(in, 2 * WIDE_BYTES, round);
		memset(out, 0, 2 * WIDE_BYTES);
		memset(late, 0, WIDE_BYTES);
		run(often, round % 2 ? second : stream);
		assert_true(wide_is_right(in, out));
		assert_true(wide_is_right(in, late));
		assert_true(wide_is_right(in + WIDE_BYTES, out + WIDE_BYTES));
	}
	GOOD(gaudi_graph_destroy(often));
	GOOD(gaudi_free(dev, copy));
	assert_true(memory_in_use() < before);
	GOOD(gaudi_host_free(dev, in));
	GOOD(gaudi_host_free(dev, out));
	GOOD(gaudi_host_free(dev, late));
}

/* Each in the next one: 2 to the 10th power of a node, each byte from the one before. */
TEST(within_each_other)
{
	gaudi_ptr a = device_memory(2 * KIB);
	struct gaudi_graph *graph, *next;
	uint8_t bytes[1030];

	GOOD(gaudi_fill(dev, a, 0xcc, 1, 2 * KIB));
	GOOD(gaudi_fill(dev, a, 0x5a, 1, 1));
	GOOD(gaudi_stream_begin_capture(stream));
	GOOD(gaudi_copy_device_async(stream, a + 1, a, 1));
	GOOD(gaudi_stream_end_capture(stream, &graph));
	for (uint32_t n = 1; n < 1024; n *= 2) {
		struct gaudi_graph_node node = { .size = sizeof(node) };

		GOOD(gaudi_stream_begin_capture(stream));
		GOOD(gaudi_graph_launch(graph, stream));
		GOOD(gaudi_graph_launch(graph, stream));
		GOOD(gaudi_stream_end_capture(stream, &next));
		GOOD(gaudi_graph_destroy(graph));
		graph = next;
		assert_int_equal(nodes_of(graph), 2 * n);
		for (uint32_t i = n; i < 2 * n; i++) {
			GOOD(gaudi_graph_get_node(graph, i, &node));
			node.to = a + 1 + i;
			node.from = a + i;
			GOOD(gaudi_graph_set_node(graph, i, &node));
		}
	}
	run(graph, stream);
	GOOD(gaudi_copy_to_host(dev, bytes, a, sizeof(bytes)));
	for (size_t i = 0; i < sizeof(bytes); i++)
		assert_int_equal(bytes[i], i <= 1024 ? 0x5a : 0xcc);
	GOOD(gaudi_graph_destroy(graph));
	GOOD(gaudi_free(dev, a));
}

/* What is refused leaves the capture as it was; what is empty, too. */
TEST(at_the_edges)
{
	gaudi_ptr a = device_memory(BYTES), b = device_memory(BYTES);
	struct gaudi_graph *part = turning_graph(b, a, 100), *empty, *all;
	struct gaudi_stream *joined;
	uint8_t bytes[8];

	GOOD(gaudi_stream_begin_capture(stream));
	GOOD(gaudi_stream_end_capture(stream, &empty));
	assert_int_equal(nodes_of(empty), 0);
	run(empty, stream);
	GOOD(gaudi_stream_create(dev, &joined));
	GOOD(gaudi_stream_begin_capture(stream));
	GOOD(gaudi_graph_launch(empty, stream));
	GOOD(gaudi_fill_async(stream, b, 1, 1, 8));
	GOOD(gaudi_graph_launch(empty, stream));
	GOOD(gaudi_event_record(fork_event, stream));
	GOOD(gaudi_stream_wait_event(joined, fork_event));
	GOOD(gaudi_graph_launch(empty, joined));
	GOOD(gaudi_fill_async(joined, b, 2, 1, 7));
	GOOD(gaudi_event_record(join_event, joined));
	GOOD(gaudi_stream_wait_event(stream, join_event));
	GOOD(gaudi_free(dev, a));
	FAILS(gaudi_graph_launch(part, stream), GAUDI_ERR_ADDRESS);
	says("was freed");
	GOOD(gaudi_fill_async(stream, b, 3, 1, 6));
	GOOD(gaudi_graph_destroy(part));
	GOOD(gaudi_stream_end_capture(stream, &all));
	assert_int_equal(nodes_of(all), 3);
	run(all, second);
	GOOD(gaudi_copy_to_host(dev, bytes, b, 8));
	assert_memory_equal(bytes, "\3\3\3\3\3\3\2\1", 8);
	GOOD(gaudi_graph_destroy(all));
	/* A capture that is invalid takes none; nor does one that is given up keep any. */
	GOOD(gaudi_stream_begin_capture(stream));
	GOOD(gaudi_graph_launch(empty, stream));
	FAILS(gaudi_stream_query(stream), GAUDI_ERR_CAPTURE);
	FAILS(gaudi_graph_launch(empty, stream), GAUDI_ERR_CAPTURE_INVALID);
	FAILS(gaudi_stream_end_capture(stream, &all),
	      GAUDI_ERR_CAPTURE_INVALID);
	GOOD(gaudi_graph_destroy(empty));
	GOOD(gaudi_stream_destroy(joined));
	GOOD(gaudi_free(dev, b));
}

#ifdef WITH_KNOBS
#define BOUND	(1u << 20)

/* As many nodes as a capture takes, and no more. */
TEST(not_too_many)
{
	gaudi_ptr a = device_memory(64);
	struct gaudi_graph *part, *more;
	uint32_t n = 4096;

	GOOD(gaudi_stream_begin_capture(stream));
	for (uint32_t i = 0; i < n; i++)
		GOOD(gaudi_fill_async(stream, a, i, 8, 1));
	GOOD(gaudi_stream_end_capture(stream, &part));
	GOOD(gaudi_stream_begin_capture(stream));
	for (uint32_t i = 0; i < BOUND / n; i++)
		GOOD(gaudi_graph_launch(part, stream));
	FAILS(gaudi_graph_launch(part, stream), GAUDI_ERR_CAPTURE);
	says("more than 1048576 nodes");
	FAILS(gaudi_stream_end_capture(stream, &more),
	      GAUDI_ERR_CAPTURE_INVALID);
	GOOD(gaudi_graph_destroy(part));
	GOOD(gaudi_free(dev, a));
}
#endif

#define THREADS	8

static struct gaudi_graph *shared;
static gaudi_ptr shared_from, shared_to;

/* Its captures have one of the two places that the other thread sets, never both. */
static void *captures_it(void *arg)
{
	struct gaudi_stream *mine;
	struct gaudi_graph *all;
	int rc = gaudi_stream_create(dev, &mine);

	(void)arg;
	for (int i = 0; !rc && i < 20; i++) {
		struct gaudi_graph_node one = { .size = sizeof(one) };
		struct gaudi_graph_node two = one;

		rc |= gaudi_stream_begin_capture(mine);
		rc |= gaudi_graph_launch(shared, mine);
		rc |= gaudi_stream_end_capture(mine, &all);
		if (rc)
			break;
		rc |= gaudi_graph_get_node(all, 0, &one);
		rc |= gaudi_graph_get_node(all, 1, &two);
		rc |= two.to - one.to != BYTES - 64;
		rc |= gaudi_graph_launch(all, mine);
		rc |= gaudi_stream_synchronize(mine);
		rc |= gaudi_graph_destroy(all);
	}
	rc |= gaudi_stream_destroy(mine);

	return (void *)(intptr_t)rc;
}

TEST(by_many_threads)
{
	pthread_t threads[THREADS];
	void *result;

	shared_from = device_memory(BYTES);
	shared_to = device_memory(2 * BYTES);
	shared = turning_graph(shared_to, shared_from, 64);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, captures_it,
						NULL), 0);
	for (int i = 0; i < 50; i++) {
		gaudi_ptr old = shared_to + i % 2 * BYTES;

		GOOD(gaudi_graph_replace(shared, old,
					 shared_to + (i + 1) % 2 * BYTES,
					 BYTES));
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &result);
		assert_null(result);
	}
	GOOD(gaudi_graph_destroy(shared));
	GOOD(gaudi_free(dev, shared_from));
	GOOD(gaudi_free(dev, shared_to));
}

GROUP(set_up_streams, tear_down_device)
