// SPDX-License-Identifier: MIT
/* Streams captured, and graphs launched, on a card. */
#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gaudi_graph.h"
#include "streams.h"

/* Up, within, a fill on top, down: what is captured is done by launches only. */
static struct gaudi_graph *chain_graph(struct gaudi_stream *on, uint8_t *in,
				       uint8_t *out, gaudi_ptr a, gaudi_ptr b,
				       size_t size)
{
	struct gaudi_graph *graph;

	GOOD(gaudi_stream_begin_capture(on));
	GOOD(gaudi_copy_to_device_async(on, a, in, size));
	GOOD(gaudi_copy_device_async(on, b, a, size));
	GOOD(gaudi_fill_async(on, b + 8, 0x77, 1, 8));
	GOOD(gaudi_copy_to_host_async(on, out, b, size));
	GOOD(gaudi_stream_end_capture(on, &graph));

	return graph;
}

static int chain_is_right(const uint8_t *out, size_t size, uint64_t seed)
{
	uint8_t *want = malloc(size);
	int same;

	pattern(want, size, seed);
	memset(want + 8, 0x77, 8);
	same = !memcmp(want, out, size);
	free(want);

	return same;
}

TEST(a_chain)
{
	size_t size = 100 * KIB;
	uint8_t *in = pinned_memory(size), *out = pinned_memory(size);
	gaudi_ptr a = device_memory(size), b = device_memory(size);
	struct gaudi_graph *graph;
	bool capturing = true;
	uint32_t count;

	memset(out, 0x11, size);
	GOOD(gaudi_stream_is_capturing(stream, &capturing));
	assert_false(capturing);
	graph = chain_graph(stream, in, out, a, b, size);
	GOOD(gaudi_stream_is_capturing(stream, &capturing));
	assert_false(capturing);
	GOOD(gaudi_stream_synchronize(stream));
	for (size_t i = 0; i < size; i++)
		assert_int_equal(out[i], 0x11);
	GOOD(gaudi_graph_get_node_count(graph, &count));
	assert_int_equal(count, 4);
	for (unsigned int i = 0; i < 6; i++) {
		struct gaudi_stream *on = i % 2 ? stream : second;

		pattern(in, size, i);
		memset(out, 0, size);
		GOOD(gaudi_graph_launch(graph, on));
		GOOD(gaudi_stream_synchronize(on));
		assert_true(chain_is_right(out, size, i));
	}
	/* Not waited for by anybody. */
	pattern(in, size, 99);
	for (unsigned int i = 0; i < 30; i++)
		GOOD(gaudi_graph_launch(graph, stream));
	GOOD(gaudi_graph_destroy(graph));
	assert_true(chain_is_right(out, size, 99));
	GOOD(gaudi_graph_destroy(NULL));
	GOOD(gaudi_host_free(dev, in));
	GOOD(gaudi_host_free(dev, out));
	GOOD(gaudi_free(dev, a));
	GOOD(gaudi_free(dev, b));
}

/* Three streams: one deals out, two work, the first one collects. */
TEST(fork_and_join)
{
	size_t size = 64 * KIB;
	uint8_t *in = pinned_memory(size), *out = pinned_memory(2 * size);
	gaudi_ptr a = device_memory(size), b = device_memory(2 * size);
	struct gaudi_graph *graph;
	bool capturing;

	/* An old record of the event does not count in the capture. */
	GOOD(gaudi_event_record(fork_event, second));
	GOOD(gaudi_stream_begin_capture(stream));
	GOOD(gaudi_copy_to_device_async(stream, a, in, size));
	GOOD(gaudi_event_record(fork_event, stream));
	GOOD(gaudi_stream_wait_event(second, fork_event));
	GOOD(gaudi_stream_wait_event(third, fork_event));
	GOOD(gaudi_stream_is_capturing(third, &capturing));
	assert_true(capturing);
	GOOD(gaudi_copy_device_async(second, b, a, size));
	GOOD(gaudi_copy_device_2d_async(third, b + size, 512, a, 256, 256,
					size / 512));
	GOOD(gaudi_fill_async(third, b + size, 0x66, 1, 100));
	GOOD(gaudi_event_record(join_event, second));
	GOOD(gaudi_event_record(other_event, third));
	GOOD(gaudi_stream_wait_event(stream, join_event));
	GOOD(gaudi_stream_wait_event(stream, other_event));
	GOOD(gaudi_copy_to_host_async(stream, out, b, 2 * size));
	GOOD(gaudi_stream_end_capture(stream, &graph));
	GOOD(gaudi_stream_is_capturing(third, &capturing));
	assert_false(capturing);
	/* The events are as they were. */
	GOOD(gaudi_event_synchronize(fork_event));
	GOOD(gaudi_event_query(join_event));

	GOOD(gaudi_fill(dev, b, 0x22, 1, 2 * size));
	for (unsigned int i = 0; i < 10; i++) {
		uint8_t *want = malloc(2 * size);

		pattern(in, size, i);
		memset(want + size, 0x22, size);
		memcpy(want, in, size);
		for (size_t row = 0; row < size / 512; row++)
			memcpy(want + size + 512 * row, in + 256 * row, 256);
		memset(want + size, 0x66, 100);
		memset(out, 0, 2 * size);
		GOOD(gaudi_graph_launch(graph, stream));
		GOOD(gaudi_stream_synchronize(stream));
		assert_memory_equal(want, out, 2 * size);
		free(want);
	}
	GOOD(gaudi_graph_destroy(graph));
	GOOD(gaudi_host_free(dev, in));
	GOOD(gaudi_host_free(dev, out));
	GOOD(gaudi_free(dev, a));
	GOOD(gaudi_free(dev, b));
}

TEST(other_places)
{
	size_t size = 8 * KIB;
	uint8_t *in = pinned_memory(2 * size), *out = pinned_memory(3 * size);
	gaudi_ptr a = device_memory(4 * size), b = a + 2 * size;
	struct gaudi_graph *graph = chain_graph(stream, in, out, a, b, size);
	struct gaudi_graph_node node = { .size = sizeof(node) };

	GOOD(gaudi_graph_get_node(graph, 0, &node));
	assert_int_equal(node.kind, GAUDI_NODE_COPY_TO_DEVICE);
	assert_true(node.to == a && node.from_memory == in && !node.from &&
		    !node.to_memory);
	assert_true(node.width == size && node.height == 1);
	GOOD(gaudi_graph_get_node(graph, 2, &node));
	assert_int_equal(node.kind, GAUDI_NODE_FILL);
	assert_true(node.to == b + 8 && node.pattern == 0x7777777777777777);

	/* One node, then all that use a buffer. */
	GOOD(gaudi_graph_get_node(graph, 3, &node));
	node.to_memory = out + size + 3;
	GOOD(gaudi_graph_set_node(graph, 3, &node));
	pattern(in, size, 1);
	memset(out, 0, 3 * size);
	GOOD(gaudi_graph_launch(graph, stream));
	GOOD(gaudi_graph_replace(graph, b, a + 3 * size, size));
	GOOD(gaudi_graph_replace_host(graph, out + size, out, size + 4));
	GOOD(gaudi_graph_replace_host(graph, in, in + size, size));
	GOOD(gaudi_stream_synchronize(stream));
	assert_true(chain_is_right(out + size + 3, size, 1));
	pattern(in + size, size, 2);
	GOOD(gaudi_graph_launch(graph, stream));
	GOOD(gaudi_stream_synchronize(stream));
	assert_true(chain_is_right(out + 3, size, 2));
	GOOD(gaudi_copy_to_host(dev, out, a + 3 * size, size));
	assert_true(chain_is_right(out, size, 2));
	GOOD(gaudi_graph_get_node(graph, 2, &node));
	assert_true(node.to == a + 3 * size + 8);
	GOOD(gaudi_graph_destroy(graph));
	GOOD(gaudi_host_free(dev, in));
	GOOD(gaudi_host_free(dev, out));
	GOOD(gaudi_free(dev, a));
}

/* What is refused changes nothing. */
TEST(refuses_bad_places)
{
	size_t size = 8 * KIB;
	uint8_t *in = pinned_memory(size), *out = pinned_memory(size);
	gaudi_ptr a = device_memory(4 * size), b = a + 2 * size;
	gaudi_ptr c = a + 3 * size;
	struct gaudi_graph *graph = chain_graph(stream, in, out, a, c, size);
	struct gaudi_graph_node node = { .size = sizeof(node) };
	uint8_t plain[16];

	FAILS(gaudi_graph_replace(graph, a + size, b, size), -ENOENT);
	FAILS(gaudi_graph_replace(graph, a + 1, b, size), GAUDI_ERR_BINDING);
	says("in part");
	FAILS(gaudi_graph_replace(graph, a, c, size), GAUDI_ERR_BINDING);
	says("overlap");
	FAILS(gaudi_graph_replace(graph, a, 4096, size), GAUDI_ERR_ADDRESS);
	FAILS(gaudi_graph_replace(graph, a, 0, size), -EINVAL);
	FAILS(gaudi_graph_replace(graph, a, ~0ull, size), -EINVAL);
	FAILS(gaudi_graph_replace_host(graph, in, plain, size),
	      GAUDI_ERR_BINDING);
	GOOD(gaudi_graph_get_node(graph, 0, &node));
	node.to = c + 1;
	FAILS(gaudi_graph_set_node(graph, 0, &node), GAUDI_ERR_ADDRESS);
	node.to = 0;
	FAILS(gaudi_graph_set_node(graph, 0, &node), GAUDI_ERR_BINDING);
	node.to = a;
	node.from = a;
	FAILS(gaudi_graph_set_node(graph, 0, &node), GAUDI_ERR_BINDING);
	node.from = 0;
	node.from_memory = plain;
	FAILS(gaudi_graph_set_node(graph, 0, &node), GAUDI_ERR_BINDING);
	FAILS(gaudi_graph_set_node(graph, 4, &node), -EINVAL);
	FAILS(gaudi_graph_get_node(graph, 0, NULL), -EINVAL);
	FAILS(gaudi_graph_get_node_count(graph, NULL), -EINVAL);
	pattern(in, size, 2);
	memset(out, 0, size);
	GOOD(gaudi_graph_launch(graph, stream));
	GOOD(gaudi_stream_synchronize(stream));
	assert_true(chain_is_right(out, size, 2));
	GOOD(gaudi_graph_destroy(graph));
	GOOD(gaudi_host_free(dev, in));
	GOOD(gaudi_host_free(dev, out));
	GOOD(gaudi_free(dev, a));
}

TEST(memory_that_goes)
{
	size_t size = 8 * KIB;
	uint8_t *in = pinned_memory(size), *out = pinned_memory(size);
	gaudi_ptr a = device_memory(2 * size), b = a + size;
	struct gaudi_graph *graph = chain_graph(stream, in, out, a, b, size);

	GOOD(gaudi_graph_launch(graph, stream));
	GOOD(gaudi_stream_synchronize(stream));
	GOOD(gaudi_free(dev, a));
	FAILS(gaudi_graph_launch(graph, stream), GAUDI_ERR_ADDRESS);
	/* Its address alone is no right to what is somebody else's now. */
	allocate_again(a, 2 * size);
	FAILS(gaudi_graph_launch(graph, stream), GAUDI_ERR_ADDRESS);
	says("given out again");
	GOOD(gaudi_graph_replace(graph, a, a, 2 * size));
	GOOD(gaudi_graph_launch(graph, stream));
	GOOD(gaudi_free(dev, a));
	a = device_memory(size);
	b = device_memory(size);
	GOOD(gaudi_graph_destroy(graph));
	graph = chain_graph(stream, in, out, a, b, size);
	GOOD(gaudi_host_free(dev, in));
	FAILS(gaudi_graph_launch(graph, stream), GAUDI_ERR_BINDING);
	says("node 0, from");
	FAILS(gaudi_graph_launch(NULL, stream), -EINVAL);
	FAILS(gaudi_graph_launch(graph, NULL), -EINVAL);
	GOOD(gaudi_graph_destroy(graph));
	GOOD(gaudi_host_free(dev, out));
	GOOD(gaudi_free(dev, a));
	GOOD(gaudi_free(dev, b));
}

/* Between a copy down and one up, it adds one to each byte. */
struct adding {
	uint8_t *bytes;
	size_t size;
	int calls, errors, released;
};

static void add_one(void *arg, int error)
{
	struct adding *a = arg;

	a->calls++;
	a->errors += !!error;
	for (size_t i = 0; i < a->size; i++)
		a->bytes[i]++;
}

static void note_release(void *arg)
{
	((struct adding *)arg)->released++;
}

/* Down, the function, up. */
static void add_on_the_host(struct gaudi_stream *on, struct adding *a, gaudi_ptr at)
{
	GOOD(gaudi_copy_to_host_async(on, a->bytes, at, a->size));
	GOOD(gaudi_stream_add_owned_fn(on, add_one, a, note_release));
	GOOD(gaudi_copy_to_device_async(on, at, a->bytes, a->size));
}

static void is_all(gaudi_ptr at, uint8_t value, size_t size)
{
	uint8_t *got = malloc(size);

	GOOD(gaudi_copy_to_host(dev, got, at, size));
	for (size_t i = 0; i < size; i++)
		assert_int_equal(got[i], value);
	free(got);
}

/* Called with each launch, in its order, also of a graph that has the first one as a part. */
TEST(host_functions)
{
	struct gaudi_graph_node node = { .size = sizeof(node) };
	struct adding a = { .size = 3 * KIB };
	gaudi_ptr at = device_memory(a.size);
	struct gaudi_graph *graph, *twice;

	a.bytes = pinned_memory(a.size);
	GOOD(gaudi_fill(dev, at, 0, 1, a.size));
	GOOD(gaudi_stream_begin_capture(stream));
	add_on_the_host(stream, &a, at);
	GOOD(gaudi_stream_end_capture(stream, &graph));
	assert_int_equal(a.calls, 0);
	GOOD(gaudi_graph_get_node(graph, 1, &node));
	assert_int_equal(node.kind, GAUDI_NODE_HOST_FN);
	assert_true(!node.to && !node.from && !node.to_memory && !node.from_memory);
	FAILS(gaudi_graph_set_node(graph, 1, &node), -EINVAL);
	says("host function");
	for (int i = 0; i < 5; i++)
		GOOD(gaudi_graph_launch(graph, i % 2 ? second : stream));
	GOOD(gaudi_stream_synchronize(stream));
	GOOD(gaudi_stream_synchronize(second));
	assert_int_equal(a.calls, 5);

	GOOD(gaudi_fill(dev, at, 0, 1, a.size));
	GOOD(gaudi_stream_begin_capture(stream));
	GOOD(gaudi_graph_launch(graph, stream));
	GOOD(gaudi_graph_launch(graph, stream));
	GOOD(gaudi_stream_end_capture(stream, &twice));
	GOOD(gaudi_graph_destroy(graph));
	assert_int_equal(a.released, 0);
	for (int i = 0; i < 4; i++)
		GOOD(gaudi_graph_launch(twice, stream));
	/* Work of streams comes behind it. */
	GOOD(gaudi_fill_async(stream, at + a.size - 1, 8, 1, 1));
	GOOD(gaudi_stream_synchronize(stream));
	assert_int_equal(a.calls, 13);
	is_all(at, 8, a.size);
	GOOD(gaudi_graph_destroy(twice));
	assert_int_equal(a.released + a.errors, 1);
	GOOD(gaudi_host_free(dev, a.bytes));
	GOOD(gaudi_free(dev, at));
}

/* A stream that joined has it beside work of the first one, which does not come after it. */
TEST(host_functions_beside_work)
{
	struct adding a = { .size = 64 };
	gaudi_ptr at = device_memory(a.size), other = device_memory(2 * MIB);
	struct gaudi_graph *graph;

	a.bytes = pinned_memory(a.size);
	GOOD(gaudi_fill(dev, at, 0, 1, a.size));
	GOOD(gaudi_stream_begin_capture(stream));
	GOOD(gaudi_event_record(fork_event, stream));
	GOOD(gaudi_stream_wait_event(second, fork_event));
	add_on_the_host(second, &a, at);
	GOOD(gaudi_fill_async(stream, other, 5, 1, 2 * MIB));
	GOOD(gaudi_event_record(join_event, second));
	GOOD(gaudi_stream_wait_event(stream, join_event));
	add_on_the_host(stream, &a, at);
	GOOD(gaudi_stream_end_capture(stream, &graph));
	for (int i = 0; i < 3; i++) {
		GOOD(gaudi_fill(dev, other, 0, 1, 2 * MIB));
		GOOD(gaudi_graph_launch(graph, third));
		GOOD(gaudi_stream_synchronize(third));
		is_all(other, 5, 2 * MIB);
	}
	is_all(at, 6, a.size);
	GOOD(gaudi_graph_destroy(graph));
	assert_int_equal(a.released, 2);

	/* Those of a capture that has no graph, and of a stream, are released, too. */
	GOOD(gaudi_stream_begin_capture(stream));
	add_on_the_host(stream, &a, at);
	FAILS(gaudi_stream_query(stream), GAUDI_ERR_CAPTURE);
	FAILS(gaudi_stream_add_owned_fn(stream, add_one, &a, note_release),
	      GAUDI_ERR_CAPTURE_INVALID);
	assert_int_equal(a.released, 2);
	FAILS(gaudi_stream_end_capture(stream, &graph), GAUDI_ERR_CAPTURE_INVALID);
	assert_int_equal(a.released, 3);
	add_on_the_host(stream, &a, at);
	GOOD(gaudi_stream_synchronize(stream));
	assert_int_equal(a.released, 4);
	assert_int_equal(a.calls, 7);
	FAILS(gaudi_stream_add_owned_fn(stream, NULL, &a, note_release), -EINVAL);
	assert_int_equal(a.released, 4);
	GOOD(gaudi_host_free(dev, a.bytes));
	GOOD(gaudi_free(dev, at));
	GOOD(gaudi_free(dev, other));
}

static gaudi_ptr memory;
static uint8_t plain_bytes[100];

static int try_synchronize(void)
{
	return gaudi_stream_synchronize(stream);
}

static int try_query(void)
{
	return gaudi_stream_query(stream);
}

static int try_pageable_up(void)
{
	return gaudi_copy_to_device_async(stream, memory, plain_bytes, 100);
}

static int try_pageable_down(void)
{
	return gaudi_copy_to_host_async(stream, plain_bytes, memory, 100);
}

static int try_malloc(void)
{
	gaudi_ptr a;

	return gaudi_malloc_async(stream, 100, &a);
}

static int try_free(void)
{
	return gaudi_free_async(stream, memory);
}

static int try_wait_outside(void)
{
	return gaudi_stream_wait_event(stream, other_event);
}

static int try_event_query(void)
{
	return gaudi_event_query(fork_event);
}

static int try_event_synchronize(void)
{
	return gaudi_event_synchronize(fork_event);
}

static int try_event_elapsed(void)
{
	int64_t ns;

	return gaudi_event_elapsed_ns(fork_event, fork_event, &ns);
}

TEST(what_cannot_be_captured)
{
	static int (*const tries[])(void) = {
		try_synchronize, try_query, try_pageable_up, try_pageable_down,
		try_malloc, try_free, try_wait_outside, try_event_query,
		try_event_synchronize, try_event_elapsed,
	};
	struct gaudi_graph *graph = NULL;
	bool capturing;

	memory = device_memory(100);
	GOOD(gaudi_event_record(other_event, second));
	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		GOOD(gaudi_stream_begin_capture(stream));
		GOOD(gaudi_fill_async(stream, memory, 1, 1, 100));
		GOOD(gaudi_event_record(fork_event, stream));
		GOOD(gaudi_stream_wait_event(second, fork_event));
		FAILS(tries[i](), GAUDI_ERR_CAPTURE);
		says("cannot be captured");
		/* All of its streams say so, until it is ended. */
		FAILS(gaudi_fill_async(stream, memory, 1, 1, 100),
		      GAUDI_ERR_CAPTURE_INVALID);
		FAILS(gaudi_fill_async(second, memory, 1, 1, 100),
		      GAUDI_ERR_CAPTURE_INVALID);
		FAILS(gaudi_stream_synchronize(second),
		      GAUDI_ERR_CAPTURE_INVALID);
		FAILS(gaudi_stream_wait_event(third, fork_event),
		      GAUDI_ERR_CAPTURE_INVALID);
		GOOD(gaudi_stream_is_capturing(stream, &capturing));
		assert_true(capturing);
		/* Others are free. */
		GOOD(gaudi_fill_async(third, memory, 1, 1, 100));
		GOOD(gaudi_stream_synchronize(third));
		FAILS(gaudi_stream_end_capture(stream, &graph),
		      GAUDI_ERR_CAPTURE_INVALID);
		assert_null(graph);
		GOOD(gaudi_fill_async(stream, memory, 1, 1, 100));
		GOOD(gaudi_stream_synchronize(stream));
		GOOD(gaudi_stream_synchronize(second));
	}
	GOOD(gaudi_free(dev, memory));
}

TEST(how_captures_end)
{
	struct gaudi_graph *graph;
	gaudi_ptr a = device_memory(64);
	bool capturing;

	FAILS(gaudi_stream_end_capture(stream, &graph), -EINVAL);
	GOOD(gaudi_stream_begin_capture(stream));
	FAILS(gaudi_stream_begin_capture(stream), -EINVAL);
	FAILS(gaudi_stream_end_capture(stream, NULL), -EINVAL);
	GOOD(gaudi_event_record(fork_event, stream));
	GOOD(gaudi_stream_wait_event(second, fork_event));
	FAILS(gaudi_stream_end_capture(second, &graph), -EINVAL);
	says("joined");
	/* Nothing was done on it: there is nothing to wait for. */
	GOOD(gaudi_stream_end_capture(stream, &graph));
	GOOD(gaudi_graph_destroy(graph));

	/* What is not waited for. */
	GOOD(gaudi_stream_begin_capture(stream));
	GOOD(gaudi_event_record(fork_event, stream));
	GOOD(gaudi_stream_wait_event(second, fork_event));
	GOOD(gaudi_fill_async(second, a, 1, 8, 1));
	FAILS(gaudi_stream_end_capture(stream, &graph), GAUDI_ERR_CAPTURE);
	says("does not wait");
	GOOD(gaudi_stream_is_capturing(stream, &capturing));
	assert_false(capturing);
	GOOD(gaudi_free(dev, a));
}

TEST(captures_do_not_mix)
{
	struct gaudi_graph *graph;

	GOOD(gaudi_stream_begin_capture(stream));
	GOOD(gaudi_stream_begin_capture(second));
	GOOD(gaudi_event_record(fork_event, stream));
	FAILS(gaudi_stream_wait_event(second, fork_event), GAUDI_ERR_CAPTURE);
	FAILS(gaudi_stream_end_capture(stream, &graph),
	      GAUDI_ERR_CAPTURE_INVALID);
	FAILS(gaudi_stream_end_capture(second, &graph),
	      GAUDI_ERR_CAPTURE_INVALID);

	/* An event that is recorded elsewhere has left. */
	GOOD(gaudi_stream_begin_capture(stream));
	GOOD(gaudi_event_record(fork_event, stream));
	GOOD(gaudi_event_record(fork_event, third));
	GOOD(gaudi_event_synchronize(fork_event));
	FAILS(gaudi_stream_wait_event(stream, fork_event), GAUDI_ERR_CAPTURE);
	FAILS(gaudi_stream_end_capture(stream, &graph),
	      GAUDI_ERR_CAPTURE_INVALID);
}

TEST(objects_that_go_meanwhile)
{
	struct gaudi_stream *extra;
	struct gaudi_graph *graph;
	gaudi_ptr a = device_memory(64);

	GOOD(gaudi_stream_create(dev, &extra));
	GOOD(gaudi_stream_begin_capture(stream));
	GOOD(gaudi_event_record(fork_event, stream));
	GOOD(gaudi_stream_wait_event(extra, fork_event));
	GOOD(gaudi_stream_destroy(extra));
	FAILS(gaudi_stream_end_capture(stream, &graph),
	      GAUDI_ERR_CAPTURE_INVALID);
	GOOD(gaudi_stream_create(dev, &extra));
	GOOD(gaudi_stream_begin_capture(extra));
	GOOD(gaudi_event_record(fork_event, extra));
	GOOD(gaudi_stream_wait_event(second, fork_event));
	GOOD(gaudi_stream_destroy(extra));
	GOOD(gaudi_fill_async(second, a, 1, 8, 1));
	GOOD(gaudi_stream_synchronize(second));
	GOOD(gaudi_event_query(fork_event));
	GOOD(gaudi_event_create(dev, 0, &other_event));
	GOOD(gaudi_stream_begin_capture(stream));
	GOOD(gaudi_event_record(other_event, stream));
	GOOD(gaudi_event_destroy(other_event));
	GOOD(gaudi_stream_end_capture(stream, &graph));
	GOOD(gaudi_event_create(dev, 0, &other_event));
	GOOD(gaudi_graph_destroy(graph));
	GOOD(gaudi_free(dev, a));
}

static void read_byte(void *arg, int error)
{
	int *fds = arg;
	char c;

	(void)error;
	if (read(fds[0], &c, 1) != 1)
		abort();
}

TEST(behind_host_functions)
{
	size_t size = 4 * KIB;
	uint8_t *in = pinned_memory(size), *out = pinned_memory(size);
	gaudi_ptr a = device_memory(size), b = device_memory(size);
	struct gaudi_graph *graph;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	GOOD(gaudi_stream_add_host_fn(stream, read_byte, fds));
	/* Capture does not wait for what the stream has to do. */
	graph = chain_graph(stream, in, out, a, b, size);
	pattern(in, size, 4);
	GOOD(gaudi_graph_launch(graph, stream));
	GOOD(gaudi_event_record(fork_event, stream));
	FAILS(gaudi_event_query(fork_event), GAUDI_ERR_NOT_READY);
	assert_int_equal(write(fds[1], "x", 1), 1);
	GOOD(gaudi_event_synchronize(fork_event));
	assert_true(chain_is_right(out, size, 4));
	GOOD(gaudi_graph_destroy(graph));
	GOOD(gaudi_host_free(dev, in));
	GOOD(gaudi_host_free(dev, out));
	GOOD(gaudi_free(dev, a));
	GOOD(gaudi_free(dev, b));
	close(fds[0]);
	close(fds[1]);
}

/* A hundred small ones on one engine, and rows on top. */
TEST(many_nodes)
{
	uint8_t *out = pinned_memory(64 * KIB);
	gaudi_ptr a = device_memory(64 * KIB);
	struct gaudi_graph *graph;
	uint32_t count;

	GOOD(gaudi_stream_begin_capture(stream));
	for (unsigned int i = 0; i < 100; i++)
		GOOD(gaudi_fill_async(stream, a + i, i, 1, 1));
	for (unsigned int i = 0; i < 4000; i++)
		GOOD(gaudi_copy_device_async(stream, a + 100 + 8 * (i % 2),
					     a + i % 93, 8));
	GOOD(gaudi_copy_device_2d_async(stream, a + 200, 50, a, 10, 10, 10));
	GOOD(gaudi_copy_to_host_async(stream, out, a, 700));
	GOOD(gaudi_stream_end_capture(stream, &graph));
	GOOD(gaudi_graph_get_node_count(graph, &count));
	assert_int_equal(count, 4102);
	for (unsigned int round = 0; round < 3; round++) {
		memset(out, 0, 700);
		GOOD(gaudi_fill(dev, a, 0xff, 1, 64 * KIB));
		GOOD(gaudi_graph_launch(graph, stream));
		GOOD(gaudi_stream_synchronize(stream));
		for (unsigned int i = 0; i < 100; i++) {
			assert_int_equal(out[i], i);
			assert_int_equal(out[200 + i / 10 * 50 + i % 10], i);
		}
		assert_int_equal(out[100], 3998 % 93);
		assert_int_equal(out[108], 3999 % 93);
	}
	GOOD(gaudi_graph_destroy(graph));
	GOOD(gaudi_host_free(dev, out));
	GOOD(gaudi_free(dev, a));
}

/* Of rows, captured and moved: pitches below the width, and rows that meet. */
TEST(rows_apart)
{
	struct gaudi_graph_node node = { .size = sizeof(node) };
	gaudi_ptr a = device_memory(64);
	struct gaudi_graph *graph;

	GOOD(gaudi_stream_begin_capture(stream));
	FAILS(gaudi_copy_device_2d_async(stream, a, 7, a + 32, 8, 8, 2), -EINVAL);
	says("7 and 8 bytes apart");
	FAILS(gaudi_copy_device_2d_async(stream, a + 3, 16, a, 16, 4, 4), -EINVAL);
	says("overlap");
	GOOD(gaudi_copy_device_2d_async(stream, a + 4, 16, a, 16, 4, 4));
	GOOD(gaudi_stream_end_capture(stream, &graph));
	GOOD(gaudi_graph_get_node(graph, 0, &node));
	node.from = a + 13;
	FAILS(gaudi_graph_set_node(graph, 0, &node), GAUDI_ERR_ADDRESS);
	node.from = a + 8;
	GOOD(gaudi_graph_set_node(graph, 0, &node));
	node.from = a + 7;
	FAILS(gaudi_graph_set_node(graph, 0, &node), GAUDI_ERR_BINDING);
	says("overlap");
	FAILS(gaudi_graph_replace(graph, a + 8, a + 3, 52), GAUDI_ERR_BINDING);
	GOOD(gaudi_graph_destroy(graph));
	GOOD(gaudi_free(dev, a));
}

/* What is newer than the library is 0, and has to be. */
TEST(newer_programs)
{
	struct {
		struct gaudi_graph_node now;
		uint64_t later;
	} node = { .now = { .size = sizeof(node) }, .later = ~0ull };
	struct {
		struct gaudi_device_info now;
		uint64_t later;
	} info = { .now = { .size = sizeof(info) }, .later = ~0ull };
	struct {
		struct gaudi_memory_stats now;
		uint64_t later;
	} stats = { .now = { .size = sizeof(stats) }, .later = ~0ull };
	gaudi_ptr a = device_memory(64);
	struct gaudi_graph *graph;

	GOOD(gaudi_device_get_info(dev, &info.now));
	assert_true(!info.later && info.now.size == sizeof(info));
	GOOD(gaudi_memory_get_stats(dev, &stats.now));
	assert_true(!stats.later && stats.now.size == sizeof(stats));
	GOOD(gaudi_stream_begin_capture(stream));
	GOOD(gaudi_copy_device_async(stream, a, a + 32, 32));
	GOOD(gaudi_stream_end_capture(stream, &graph));
	GOOD(gaudi_graph_get_node(graph, 0, &node.now));
	assert_true(!node.later && node.now.size == sizeof(node));
	GOOD(gaudi_graph_set_node(graph, 0, &node.now));
	node.later = 1;
	FAILS(gaudi_graph_set_node(graph, 0, &node.now), -EINVAL);
	says("in this version");
	node.now.size = 1 << 20;
	FAILS(gaudi_graph_get_node(graph, 0, &node.now), -EINVAL);
	says("bad size");
	GOOD(gaudi_graph_destroy(graph));
	GOOD(gaudi_free(dev, a));
}

#define THREADS	16

/* Each captures its own, and launches it. */
static void *worker(void *arg)
{
	uint64_t seed = (uintptr_t)arg;
	size_t size = 3000 + seed;
	struct gaudi_graph *graph = NULL;
	struct gaudi_stream *mine;
	gaudi_ptr a = 0, b = 0;
	void *pinned = NULL;
	uint8_t *at;
	int rc;

	rc = gaudi_stream_create(dev, &mine);
	rc |= gaudi_host_alloc(dev, 2 * size, &pinned);
	rc |= gaudi_malloc(dev, size, &a);
	rc |= gaudi_malloc(dev, size, &b);
	at = pinned;
	rc |= gaudi_stream_begin_capture(mine);
	rc |= gaudi_copy_to_device_async(mine, a, at, size);
	rc |= gaudi_copy_device_async(mine, b, a, size);
	rc |= gaudi_copy_to_host_async(mine, at + size, b, size);
	rc |= gaudi_stream_end_capture(mine, &graph);
	for (uint64_t i = 0; !rc && i < 20; i++) {
		pattern(at, size, seed * 100 + i);
		memset(at + size, 0, size);
		rc |= gaudi_graph_launch(graph, mine);
		rc |= gaudi_stream_synchronize(mine);
		rc |= memcmp(at, at + size, size);
	}
	rc |= gaudi_graph_destroy(graph);
	rc |= gaudi_stream_destroy(mine);
	rc |= gaudi_host_free(dev, pinned);
	rc |= gaudi_free(dev, a);
	rc |= gaudi_free(dev, b);

	return (void *)(intptr_t)rc;
}

TEST(many_threads)
{
	pthread_t threads[THREADS];
	void *result;

	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, worker,
						(void *)i), 0);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &result);
		assert_null(result);
	}
}

TEST(refuses_a_child)
{
	struct gaudi_graph *graph;
	int status = -1;
	pid_t pid;

	GOOD(gaudi_stream_begin_capture(stream));
	GOOD(gaudi_stream_end_capture(stream, &graph));
	pid = fork();
	if (!pid) {
		int bad = gaudi_graph_launch(graph, stream) !=
			  GAUDI_ERR_FORKED;

		bad |= (gaudi_stream_begin_capture(stream) !=
			GAUDI_ERR_FORKED) << 1;
		bad |= (gaudi_graph_destroy(graph) != GAUDI_ERR_FORKED) << 2;
		_exit(bad);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	/* It goes with the device, as does a capture. */
	GOOD(gaudi_stream_begin_capture(third));
	GOOD(gaudi_event_record(fork_event, third));
}

GROUP(set_up_streams, tear_down_device)
