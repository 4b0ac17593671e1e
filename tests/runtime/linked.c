// SPDX-License-Identifier: MIT
/* Work of links in captured graphs and in recipes, between two cards. */
#include <errno.h>

#include "links.h"
#include "gaudi_graph.h"
#include "recipes.h"

#define SIZE	(128 * (size_t)KIB + 5)

static uint32_t count_of(struct gaudi_graph *graph)
{
	uint32_t count;

	GOOD(gaudi_graph_get_node_count(graph, &count));

	return count;
}

static struct gaudi_graph *end_capture(struct gaudi_stream *stream)
{
	struct gaudi_graph *graph;

	GOOD(gaudi_stream_end_capture(stream, &graph));

	return graph;
}

/* What goes there and comes back, as two graphs. */
struct trip {
	struct pair pair;
	uint8_t *in, *out;
	gaudi_ptr at[2], back;
	struct gaudi_graph *graphs[2];
};

/* All of it once: up, over, moved within the other card, back, down. */
static void do_trip(struct trip *t, unsigned int side)
{
	struct gaudi_stream *s = streams[side];
	struct gaudi_link *link = t->pair.at[side];

	if (!side) {
		GOOD(gaudi_copy_to_device_async(s, t->at[0], t->in, SIZE));
		GOOD(gaudi_link_write_async(s, link, t->at[1], t->at[0], SIZE,
					    GAUDI_LINK_NOTIFY));
		GOOD(gaudi_link_wait_async(s, link, 1));
		GOOD(gaudi_copy_to_host_async(s, t->out, t->at[0], SIZE));
		GOOD(gaudi_fill_async(s, t->at[0], 0x55, 1, SIZE));
		return;
	}
	GOOD(gaudi_link_wait_async(s, link, 1));
	GOOD(gaudi_copy_device_async(s, t->back, t->at[1], SIZE));
	GOOD(gaudi_fill_async(s, t->at[1], 0x66, 1, SIZE));
	GOOD(gaudi_link_write_async(s, link, t->at[0], t->back, SIZE,
				    GAUDI_LINK_NOTIFY));
}

static struct trip new_trip(void)
{
	struct trip t = {
		.pair = new_pair(),
		.in = pinned(0, SIZE),
		.out = pinned(0, SIZE),
		.at = { memory_of(0, SIZE), memory_of(1, SIZE) },
		.back = memory_of(1, SIZE),
	};

	for (unsigned int side = 0; side < 2; side++) {
		GOOD(gaudi_stream_begin_capture(streams[side]));
		do_trip(&t, side);
		t.graphs[side] = end_capture(streams[side]);
		assert_int_equal(info_of(t.pair.at[side]).writes, 0);
		assert_int_equal(info_of(t.pair.at[side]).under_way, 0);
	}

	return t;
}

static void end_trip(struct trip *t)
{
	for (unsigned int side = 0; side < 2; side++) {
		GOOD(gaudi_graph_destroy(t->graphs[side]));
		GOOD(gaudi_free(devs[side], t->at[side]));
	}
	GOOD(gaudi_free(devs[1], t->back));
	GOOD(gaudi_host_free(devs[0], t->in));
	GOOD(gaudi_host_free(devs[0], t->out));
	end_pair(&t->pair);
}

/* As often as wanted, with the same work in between that nobody has captured. */
static void there_and_back(void **state)
{
	struct trip t = new_trip();

	(void)state;
	assert_int_equal(count_of(t.graphs[0]), 5);
	assert_int_equal(count_of(t.graphs[1]), 4);
	for (unsigned int i = 0; i < 24; i++) {
		pattern(t.in, SIZE, i);
		memset(t.out, 0, SIZE);
		for (unsigned int side = 0; side < 2; side++) {
			if (i % 3 == 2)
				do_trip(&t, side);
			else
				GOOD(gaudi_graph_launch(t.graphs[side],
							streams[side]));
		}
		GOOD(gaudi_stream_synchronize(streams[0]));
		assert_true(is_pattern(t.out, SIZE, i));
	}
	assert_int_equal(info_of(t.pair.at[0]).writes, 24);
	assert_int_equal(info_of(t.pair.at[1]).waited, 24);
	end_trip(&t);
}

/* Nobody waits in between, and others write by the same link meanwhile. */
static void many_under_way(void **state)
{
	struct trip t = new_trip();
	struct gaudi_stream *other = stream_of(0);
	gaudi_ptr from = memory_of(0, SIZE), to = memory_of(1, SIZE);

	(void)state;
	put_pattern(0, from, SIZE, 99);
	pattern(t.in, SIZE, 7);
	for (unsigned int i = 0; i < 40; i++) {
		GOOD(gaudi_graph_launch(t.graphs[i % 2], streams[i % 2]));
		if (i < 20)
			GOOD(gaudi_link_write_async(other, t.pair.at[0], to,
						    from, SIZE, 0));
	}
	for (unsigned int side = 0; side < 2; side++)
		GOOD(gaudi_stream_synchronize(streams[side]));
	GOOD(gaudi_stream_synchronize(other));
	assert_true(is_pattern(t.out, SIZE, 7));
	assert_true(has_pattern(1, to, SIZE, 99));
	assert_int_equal(info_of(t.pair.at[0]).writes, 40);
	assert_int_equal(info_of(t.pair.at[0]).waited, 20);
	GOOD(gaudi_free(devs[0], from));
	GOOD(gaudi_free(devs[1], to));
	GOOD(gaudi_stream_destroy(other));
	end_trip(&t);
}

/*
 * Two branches of one graph: what the second one sends is what the peer waits for before
 * it sends what the first one waits for. Whoever put both in one order would wait for
 * ever.
 */
static void no_branch_waits_for_another(void **state)
{
	struct pair waits = new_pair(), sends = new_pair();
	struct gaudi_event *fork = event_of(0), *join = event_of(0);
	struct gaudi_stream *second = stream_of(0), *peer = streams[1];
	gaudi_ptr a = memory_of(0, SIZE), b = memory_of(0, SIZE);
	struct gaudi_graph *graph;

	(void)state;
	GOOD(gaudi_stream_begin_capture(streams[0]));
	GOOD(gaudi_event_record(fork, streams[0]));
	GOOD(gaudi_stream_wait_event(second, fork));
	GOOD(gaudi_link_wait_async(streams[0], waits.at[0], 1));
	GOOD(gaudi_fill_async(streams[0], a, 1, 1, SIZE));
	for (unsigned int i = 2; i < 5; i++) {
		GOOD(gaudi_fill_async(second, b, i, 1, SIZE));
		notify(second, sends.at[0]);
	}
	GOOD(gaudi_fill_async(second, b, 0x77, 1, SIZE));
	GOOD(gaudi_event_record(join, second));
	GOOD(gaudi_stream_wait_event(streams[0], join));
	GOOD(gaudi_copy_device_async(streams[0], a + SIZE / 2, b, SIZE / 2));
	graph = end_capture(streams[0]);
	for (unsigned int i = 0; i < 4; i++) {
		uint8_t bytes[8];

		GOOD(gaudi_graph_launch(graph, streams[0]));
		GOOD(gaudi_link_wait_async(peer, sends.at[1], 3));
		notify(peer, waits.at[1]);
		GOOD(gaudi_stream_synchronize(streams[0]));
		GOOD(gaudi_copy_to_host(devs[0], bytes, a + SIZE / 2 - 4, 8));
		assert_memory_equal(bytes, "\1\1\1\1wwww", 8);
		GOOD(gaudi_fill(devs[0], a, 0, 1, SIZE));
	}
	GOOD(gaudi_graph_destroy(graph));
	GOOD(gaudi_stream_destroy(second));
	GOOD(gaudi_event_destroy(fork));
	GOOD(gaudi_event_destroy(join));
	GOOD(gaudi_free(devs[0], a));
	GOOD(gaudi_free(devs[0], b));
	end_pair(&waits);
	end_pair(&sends);
}

/*
 * What is sent does not wait for what it does not come after. A card has four queues for
 * streams, which take the one that the fewest have: the fifth has the first one's, in which
 * all is held up until the peer has got what the second one sends. (So there are no streams
 * of other tests.)
 */
static void what_is_sent_waits_for_no_other(void **state)
{
	struct gaudi_event *fork, *join;
	struct pair holds, sends;
	struct gaudi_graph *graph;
	struct gaudi_stream *s[5];
	gaudi_ptr a, b;
	uint8_t *out;

	GOOD(tear_down_links(state));
	GOOD(set_up_links(state));
	holds = new_pair();
	sends = new_pair();
	fork = event_of(0);
	join = event_of(0);
	a = memory_of(0, SIZE);
	b = memory_of(0, SIZE);
	out = pinned(0, 16);
	for (unsigned int i = 0; i < 5; i++)
		s[i] = stream_of(0);
	GOOD(gaudi_fill(devs[0], b, 0, 1, SIZE));
	GOOD(gaudi_stream_begin_capture(s[4]));
	GOOD(gaudi_event_record(fork, s[4]));
	GOOD(gaudi_fill_async(s[4], b, 2, 1, SIZE));
	GOOD(gaudi_stream_wait_event(s[1], fork));
	GOOD(gaudi_fill_async(s[1], a, 1, 1, SIZE));
	notify(s[1], sends.at[0]);
	GOOD(gaudi_event_record(join, s[1]));
	GOOD(gaudi_stream_wait_event(s[4], join));
	graph = end_capture(s[4]);
	GOOD(gaudi_link_wait_async(s[0], holds.at[0], 1));
	GOOD(gaudi_copy_to_host_async(s[0], out, a, 8));
	GOOD(gaudi_graph_launch(graph, s[4]));
	GOOD(gaudi_link_wait_async(streams[1], sends.at[1], 1));
	GOOD(gaudi_stream_synchronize(streams[1]));
	GOOD(gaudi_copy_to_host_async(s[2], out + 8, b, 8));
	GOOD(gaudi_stream_synchronize(s[2]));
	assert_memory_equal(out + 8, "\0\0\0\0\0\0\0\0", 8);
	notify(streams[1], holds.at[1]);
	GOOD(gaudi_stream_synchronize(s[4]));
	GOOD(gaudi_copy_to_host_async(s[4], out + 8, b, 8));
	GOOD(gaudi_stream_synchronize(s[4]));
	assert_memory_equal(out, "\1\1\1\1\1\1\1\1\2\2\2\2\2\2\2\2", 16);
	GOOD(gaudi_graph_destroy(graph));
	for (unsigned int i = 0; i < 5; i++)
		GOOD(gaudi_stream_destroy(s[i]));
	GOOD(gaudi_event_destroy(fork));
	GOOD(gaudi_event_destroy(join));
	GOOD(gaudi_host_free(devs[0], out));
	GOOD(gaudi_free(devs[0], a));
	GOOD(gaudi_free(devs[0], b));
	end_pair(&holds);
	end_pair(&sends);
}

/* Recipes before and behind work of links, with workspace, in a graph in a graph. */
static void with_recipes_and_nested(void **state)
{
	struct gaudi_recipe *recipe = wide_recipe();
	struct pair pair = new_pair();
	uint8_t *in = pinned(0, WIDE_BYTES), *out = pinned(0, WIDE_BYTES);
	uint8_t *got = pinned(1, WIDE_BYTES);
	gaudi_ptr copy = memory_of(0, WIDE_BYTES);
	gaudi_ptr to = memory_of(1, WIDE_BYTES);
	const struct gaudi_binding bindings[] = {
		{ .name = "in", .memory = in }, { .name = "out", .memory = out },
		{ .name = "copy", .address = copy },
	};
	struct gaudi_graph *inner, *outer;
	struct gaudi_launcher *launcher;

	(void)state;
	GOOD(gaudi_launcher_create(devs[0], recipe, &launcher));
	GOOD(gaudi_stream_begin_capture(streams[0]));
	GOOD(gaudi_launch(launcher, bindings, 3, streams[0]));
	GOOD(gaudi_link_write_async(streams[0], pair.at[0], to, copy,
				    WIDE_BYTES, GAUDI_LINK_NOTIFY));
	GOOD(gaudi_launch(launcher, bindings, 3, streams[0]));
	inner = end_capture(streams[0]);
	GOOD(gaudi_stream_begin_capture(streams[0]));
	for (unsigned int i = 0; i < 3; i++) {
		GOOD(gaudi_graph_launch(inner, streams[0]));
		GOOD(gaudi_link_wait_async(streams[0], pair.at[0], 1));
	}
	outer = end_capture(streams[0]);
	assert_int_equal(count_of(outer), 12);
	GOOD(gaudi_launcher_destroy(launcher));
	GOOD(gaudi_recipe_release(recipe));
	GOOD(gaudi_graph_destroy(inner));
	for (unsigned int i = 0; i < 4; i++) {
		pattern(in, WIDE_BYTES, i);
		GOOD(gaudi_graph_launch(outer, streams[0]));
		for (unsigned int k = 0; k < 3; k++) {
			GOOD(gaudi_link_wait_async(streams[1], pair.at[1], 1));
			GOOD(gaudi_copy_to_host_async(streams[1], got, to,
						      WIDE_BYTES));
			notify(streams[1], pair.at[1]);
		}
		GOOD(gaudi_stream_synchronize(streams[1]));
		GOOD(gaudi_stream_synchronize(streams[0]));
		assert_true(wide_is_right(in, out));
		GOOD(gaudi_copy_to_host(devs[0], out, copy, WIDE_BYTES));
		assert_memory_equal(out, got, WIDE_BYTES);
	}
	GOOD(gaudi_graph_destroy(outer));
	GOOD(gaudi_free(devs[0], copy));
	GOOD(gaudi_free(devs[1], to));
	GOOD(gaudi_host_free(devs[0], in));
	GOOD(gaudi_host_free(devs[0], out));
	GOOD(gaudi_host_free(devs[1], got));
	end_pair(&pair);
}

/* A node of two writes and a wait, and what spoils the memory that they read. */
struct places {
	struct pair pair;
	gaudi_ptr from, to;
	struct gaudi_link_op ops[3];
	struct gaudi_graph *graph;
};

static struct places new_places(void)
{
	struct pair pair = new_pair();
	gaudi_ptr from = memory_of(0, 2 * SIZE), to = memory_of(1, 2 * SIZE);
	struct places p = {
		.pair = pair,
		.from = from,
		.to = to,
		.ops = {
			{
				.link = pair.at[0], .kind = GAUDI_LINK_WRITE,
				.from = from, .to = to, .bytes = 1000,
			}, {
				.link = pair.at[0], .kind = GAUDI_LINK_WRITE,
				.flags = GAUDI_LINK_NOTIFY, .from = from + 1000,
				.to = to + 1000, .bytes = 24,
			}, {
				.link = pair.at[0], .kind = GAUDI_LINK_WAIT,
				.count = 1,
			},
		},
	};

	put_pattern(0, from, 2 * SIZE, 4);
	GOOD(gaudi_fill(devs[1], to, 0, 1, 2 * SIZE));
	GOOD(gaudi_stream_begin_capture(streams[0]));
	GOOD(gaudi_link_post_async(streams[0], p.ops, 3));
	GOOD(gaudi_fill_async(streams[0], from, 0, 1, 2 * SIZE));
	p.graph = end_capture(streams[0]);

	return p;
}

static void end_places(struct places *p)
{
	GOOD(gaudi_graph_destroy(p->graph));
	GOOD(gaudi_free(devs[0], p->from));
	GOOD(gaudi_free(devs[1], p->to));
	end_pair(&p->pair);
}

static void nodes_are_told(void **state)
{
	struct gaudi_graph_node node = { .size = sizeof(node) };
	struct places p = new_places();
	struct gaudi_link_op op;

	(void)state;
	GOOD(gaudi_graph_get_node(p.graph, 0, &node));
	assert_int_equal(node.kind, GAUDI_NODE_LINK);
	assert_int_equal(node.num_ops, 3);
	assert_true(!node.to && !node.from && !node.recipe);
	for (uint32_t i = 0; i < 3; i++) {
		GOOD(gaudi_graph_get_link_op(p.graph, 0, i, &op));
		assert_memory_equal(&op, &p.ops[i], sizeof(op));
	}
	FAILS(gaudi_graph_set_node(p.graph, 0, &node), -EINVAL);
	says("gaudi_graph_set_link_op");
	op = p.ops[0];
	op.from += 2 * SIZE - 999;
	FAILS(gaudi_graph_set_link_op(p.graph, 0, 0, &op), GAUDI_ERR_ADDRESS);
	op.from = p.from;
	op.to = 1ull << 50;
	FAILS(gaudi_graph_set_link_op(p.graph, 0, 0, &op), -EINVAL);
	FAILS(gaudi_graph_set_link_op(p.graph, 0, 2, &op), -EINVAL);
	says("is a wait");
	FAILS(gaudi_graph_set_link_op(p.graph, 0, 3, &op), -EINVAL);
	FAILS(gaudi_graph_set_link_op(p.graph, 0, 0, NULL), -EINVAL);
	FAILS(gaudi_graph_set_link_op(p.graph, 1, 0, &op), -EINVAL);
	says("no work of links");
	FAILS(gaudi_graph_get_link_op(p.graph, 2, 0, &op), -EINVAL);
	end_places(&p);
}

static void other_places(void **state)
{
	uint8_t *want = malloc(2 * SIZE), *all = malloc(2 * SIZE);
	struct places p = new_places();
	struct gaudi_link_op op = {
		.from = p.from + SIZE, .to = p.to + SIZE, .bytes = 1001,
	};
	gaudi_ptr other;

	(void)state;
	GOOD(gaudi_graph_set_link_op(p.graph, 0, 0, &op));
	GOOD(gaudi_graph_launch(p.graph, streams[0]));
	notify(streams[1], p.pair.at[1]);
	GOOD(gaudi_link_wait_async(streams[1], p.pair.at[1], 1));
	GOOD(gaudi_stream_synchronize(streams[1]));
	GOOD(gaudi_stream_synchronize(streams[0]));
	pattern(all, 2 * SIZE, 4);
	memset(want, 0, 2 * SIZE);
	memcpy(want + SIZE, all + SIZE, 1001);
	memcpy(want + 1000, all + 1000, 24);
	GOOD(gaudi_copy_to_host(devs[1], all, p.to, 2 * SIZE));
	assert_memory_equal(all, want, 2 * SIZE);
	/* All that is read elsewhere; what is the peer's stays. */
	other = memory_of(0, 2 * SIZE);
	GOOD(gaudi_graph_replace(p.graph, p.from, other, 2 * SIZE));
	GOOD(gaudi_graph_get_link_op(p.graph, 0, 0, &op));
	assert_int_equal(op.from, other + SIZE);
	assert_int_equal(op.to, p.to + SIZE);
	GOOD(gaudi_free(devs[0], other));
	FAILS(gaudi_graph_launch(p.graph, streams[0]), GAUDI_ERR_ADDRESS);
	free(want);
	free(all);
	end_places(&p);
}

/* Rows that are apart here; then shorter ones. */
static void rows_in_a_graph(void **state)
{
	struct pair pair = new_pair();
	gaudi_ptr from = memory_of(0, 700), to = memory_of(1, 700);
	struct gaudi_link_op op = {
		.link = pair.at[0],
		.kind = GAUDI_LINK_WRITE_STRIDED,
		.flags = GAUDI_LINK_STRIDE_FROM | GAUDI_LINK_NOTIFY,
		.from = from,
		.to = to,
		.bytes = 5,
		.count = 70,
		.stride = 10,
	};
	uint8_t in[700], want[700], out[700];
	struct gaudi_graph *graph;

	(void)state;
	pattern(in, 700, 3);
	GOOD(gaudi_copy_to_device(devs[0], from, in, 700));
	GOOD(gaudi_stream_begin_capture(streams[0]));
	GOOD(gaudi_link_post_async(streams[0], &op, 1));
	graph = end_capture(streams[0]);
	for (uint32_t bytes = 5; bytes >= 3; bytes -= 2) {
		op.bytes = bytes;
		GOOD(gaudi_graph_set_link_op(graph, 0, 0, &op));
		GOOD(gaudi_fill(devs[1], to, 0, 1, 700));
		GOOD(gaudi_graph_launch(graph, streams[0]));
		GOOD(gaudi_link_wait_async(streams[1], pair.at[1], 1));
		GOOD(gaudi_stream_synchronize(streams[1]));
		memset(want, 0, 700);
		for (uint32_t i = 0; i < 70; i++)
			memcpy(want + i * bytes, in + i * 10, bytes);
		GOOD(gaudi_copy_to_host(devs[1], out, to, 700));
		assert_memory_equal(out, want, 700);
	}
	/* The last row ends outside. */
	op.bytes = 10;
	op.from = from + 1;
	FAILS(gaudi_graph_set_link_op(graph, 0, 0, &op), GAUDI_ERR_ADDRESS);
	op.bytes = 11;
	op.from = from;
	FAILS(gaudi_graph_set_link_op(graph, 0, 0, &op), -EINVAL);
	says("10 apart");
	GOOD(gaudi_stream_synchronize(streams[0]));
	GOOD(gaudi_graph_destroy(graph));
	GOOD(gaudi_free(devs[0], from));
	GOOD(gaudi_free(devs[1], to));
	end_pair(&pair);
}

/* A link belongs to what was captured, until that is gone. */
static void links_are_held(void **state)
{
	struct gaudi_stream *dropped = stream_of(0);
	struct pair pair = new_pair();
	struct gaudi_graph *graph, *outer;

	(void)state;
	GOOD(gaudi_stream_begin_capture(dropped));
	notify(dropped, pair.at[0]);
	FAILS(gaudi_link_destroy(pair.at[0]), -EBUSY);
	says("has captured work");
	GOOD(gaudi_stream_destroy(dropped));
	GOOD(gaudi_stream_begin_capture(streams[0]));
	notify(streams[0], pair.at[0]);
	graph = end_capture(streams[0]);
	GOOD(gaudi_stream_begin_capture(streams[0]));
	GOOD(gaudi_graph_launch(graph, streams[0]));
	GOOD(gaudi_graph_launch(graph, streams[0]));
	outer = end_capture(streams[0]);
	FAILS(gaudi_link_destroy(pair.at[0]), -EBUSY);
	GOOD(gaudi_graph_destroy(graph));
	FAILS(gaudi_link_destroy(pair.at[0]), -EBUSY);
	GOOD(gaudi_graph_launch(outer, streams[0]));
	GOOD(gaudi_link_wait_async(streams[1], pair.at[1], 2));
	GOOD(gaudi_stream_synchronize(streams[1]));
	GOOD(gaudi_graph_destroy(outer));
	end_pair(&pair);
}

/* Copies to the other card, between what comes before and after them. */
static void copies_to_a_peer(void **state)
{
	gaudi_ptr at[2] = { memory_of(0, SIZE), memory_of(1, SIZE) };
	gaudi_ptr back = memory_of(0, SIZE);
	uint8_t *in = pinned(0, SIZE), *out = pinned(0, SIZE);
	struct gaudi_graph *there, *home;

	(void)state;
	GOOD(gaudi_stream_begin_capture(streams[0]));
	GOOD(gaudi_copy_to_device_async(streams[0], at[0], in, SIZE));
	GOOD(gaudi_copy_peer_async(streams[0], devs[1], at[1], at[0], SIZE));
	GOOD(gaudi_fill_async(streams[0], at[0], 0, 1, SIZE));
	there = end_capture(streams[0]);
	assert_int_equal(count_of(there), 3);
	GOOD(gaudi_stream_begin_capture(streams[1]));
	GOOD(gaudi_copy_peer_async(streams[1], devs[0], back, at[1], SIZE));
	home = end_capture(streams[1]);
	for (unsigned int i = 0; i < 3; i++) {
		pattern(in, SIZE, 30 + i);
		GOOD(gaudi_graph_launch(there, streams[0]));
		GOOD(gaudi_stream_synchronize(streams[0]));
		GOOD(gaudi_graph_launch(home, streams[1]));
		GOOD(gaudi_stream_synchronize(streams[1]));
		GOOD(gaudi_copy_to_host(devs[0], out, back, SIZE));
		assert_true(is_pattern(out, SIZE, 30 + i));
	}
	GOOD(gaudi_graph_destroy(there));
	GOOD(gaudi_graph_destroy(home));
	GOOD(gaudi_host_free(devs[0], in));
	GOOD(gaudi_host_free(devs[0], out));
	for (unsigned int i = 0; i < 2; i++)
		GOOD(gaudi_free(devs[i], at[i]));
	GOOD(gaudi_free(devs[0], back));
}

/*
 * Recipes that move "in" to "out" between a wait and a write, as @side does: 0 sends "out", 1
 * waits, and sends it back, 2 waits.
 */
static struct gaudi_launcher *launcher_of(unsigned int side)
{
	struct making m = begin_recipe("linked");
	uint32_t in = tensor(&m, "in", IN, DEVICE, SIZE, NULL);
	uint32_t out = tensor(&m, "out", OUT, DEVICE, SIZE, NULL);
	struct gaudi_launcher *launcher;
	struct gaudi_recipe *r;
	size_t size;
	void *file;

	GOOD(gaudi_builder_add_copy(m.b, out, in, NULL));
	if (side != 2)
		GOOD(gaudi_builder_add_link_write(m.b, "peer", 5, out, 5,
						  SIZE - 5, GAUDI_LINK_NOTIFY));
	if (side)
		GOOD(gaudi_builder_add_link_wait(m.b, "peer", 1));
	r = end_recipe(&m);
	/* As a file has it. */
	GOOD(gaudi_recipe_to_memory(r, &file, &size));
	GOOD(gaudi_recipe_release(r));
	GOOD(gaudi_recipe_from_memory(file, size, &r));
	free(file);
	assert_string_equal(gaudi_recipe_get_link(r, 0), "peer");
	assert_null(gaudi_recipe_get_link(r, 1));
	GOOD(gaudi_launcher_create(devs[side == 1], r, &launcher));
	GOOD(gaudi_recipe_release(r));

	return launcher;
}

static void bind_places(struct gaudi_launcher *launcher, gaudi_ptr in,
			gaudi_ptr out, struct gaudi_link *link, gaudi_ptr to)
{
	const struct gaudi_binding places[] = {
		{ .name = "in", .address = in },
		{ .name = "out", .address = out },
	};

	GOOD(gaudi_launcher_bind(launcher, places, 2));
	GOOD(gaudi_launcher_bind_link(launcher, "peer", link, to));
}

/* Four places in a row, of which a recipe moves from one to the next. */
static void recipes_write_to_each_other(void **state)
{
	gaudi_ptr at[2] = { memory_of(0, 4 * SIZE), memory_of(1, 4 * SIZE) };
	struct gaudi_launcher *l[3];
	struct gaudi_graph *graphs[2];
	struct pair pair = new_pair();
	uint8_t *bytes = malloc(SIZE), *want = malloc(SIZE);

	(void)state;
	for (unsigned int i = 0; i < 3; i++)
		l[i] = launcher_of(i);
	bind_places(l[0], at[0], at[0] + SIZE, pair.at[0], at[1]);
	bind_places(l[1], at[1], at[1] + SIZE, pair.at[1], at[0] + 2 * SIZE);
	bind_places(l[2], at[0] + 2 * SIZE, at[0] + 3 * SIZE, pair.at[0], 0);
	GOOD(gaudi_stream_begin_capture(streams[0]));
	GOOD(gaudi_launch(l[0], NULL, 0, streams[0]));
	GOOD(gaudi_launch(l[2], NULL, 0, streams[0]));
	graphs[0] = end_capture(streams[0]);
	assert_int_equal(count_of(graphs[0]), 4);
	GOOD(gaudi_stream_begin_capture(streams[1]));
	GOOD(gaudi_launch(l[1], NULL, 0, streams[1]));
	graphs[1] = end_capture(streams[1]);
	assert_int_equal(count_of(graphs[1]), 3);
	for (unsigned int i = 0; i < 8; i++) {
		put_pattern(0, at[0], SIZE, 60 + i);
		GOOD(gaudi_fill(devs[0], at[0] + 3 * SIZE, 0, 1, SIZE));
		if (i % 2) {
			GOOD(gaudi_graph_launch(graphs[0], streams[0]));
			GOOD(gaudi_graph_launch(graphs[1], streams[1]));
		} else {
			GOOD(gaudi_launch(l[0], NULL, 0, streams[0]));
			GOOD(gaudi_launch(l[1], NULL, 0, streams[1]));
			GOOD(gaudi_launch(l[2], NULL, 0, streams[0]));
		}
		GOOD(gaudi_stream_synchronize(streams[0]));
		GOOD(gaudi_copy_to_host(devs[0], bytes, at[0] + 3 * SIZE, SIZE));
		pattern(want, SIZE, 60 + i);
		assert_memory_equal(bytes + 5, want + 5, SIZE - 5);
	}
	GOOD(gaudi_stream_synchronize(streams[1]));
	for (unsigned int i = 0; i < 2; i++)
		GOOD(gaudi_graph_destroy(graphs[i]));
	for (unsigned int i = 0; i < 3; i++)
		GOOD(gaudi_launcher_destroy(l[i]));
	for (unsigned int i = 0; i < 2; i++)
		GOOD(gaudi_free(devs[i], at[i]));
	free(bytes);
	free(want);
	end_pair(&pair);
}

/* Nothing of a launch is done if its links cannot do their work. */
static void recipes_without_their_links(void **state)
{
	gaudi_ptr at = memory_of(0, 2 * SIZE);
	struct gaudi_launcher *l = launcher_of(0);
	struct pair pair = new_pair();
	struct gaudi_link *alone = new_link(0);
	uint8_t byte;

	(void)state;
	GOOD(gaudi_fill(devs[0], at, 7, 1, SIZE));
	GOOD(gaudi_fill(devs[0], at + SIZE, 8, 1, SIZE));
	FAILS(gaudi_launcher_bind_link(l, "nobody", pair.at[0], 0), -ENOENT);
	FAILS(gaudi_launcher_bind_link(l, "peer", pair.at[1], 0), -EINVAL);
	FAILS(gaudi_launcher_bind_link(l, NULL, pair.at[0], 0), -EINVAL);
	FAILS(gaudi_launcher_bind_link(NULL, "peer", pair.at[0], 0), -EINVAL);
	bind_places(l, at, at + SIZE, NULL, 0);
	FAILS(gaudi_launch(l, NULL, 0, streams[0]), GAUDI_ERR_BINDING);
	says("'peer'");
	GOOD(gaudi_launcher_bind_link(l, "peer", alone, at));
	FAILS(gaudi_launch(l, NULL, 0, streams[0]), -ENOTCONN);
	GOOD(gaudi_launcher_bind_link(l, "peer", pair.at[0], 0));
	GOOD(gaudi_launcher_bind_link(l, "peer", pair.at[0], 1ull << 50));
	FAILS(gaudi_launch(l, NULL, 0, streams[0]), -EINVAL);
	GOOD(gaudi_link_abort(pair.at[0]));
	FAILS(gaudi_launch(l, NULL, 0, streams[0]), GAUDI_ERR_LINK);
	GOOD(gaudi_stream_synchronize(streams[0]));
	GOOD(gaudi_copy_to_host(devs[0], &byte, at + SIZE, 1));
	assert_int_equal(byte, 8);
	GOOD(gaudi_launcher_destroy(l));
	GOOD(gaudi_link_destroy(alone));
	GOOD(gaudi_free(devs[0], at));
	end_pair(&pair);
}

/* A graph whose link fails: what waits ends, later launches are refused. */
static void failed_links(void **state)
{
	struct gaudi_stream *waits = stream_of(0), *other = stream_of(0);
	struct pair pair = new_pair();
	gaudi_ptr at = memory_of(0, SIZE);
	struct gaudi_graph *graph;

	(void)state;
	GOOD(gaudi_stream_begin_capture(waits));
	GOOD(gaudi_fill_async(waits, at, 1, 1, SIZE));
	GOOD(gaudi_link_wait_async(waits, pair.at[0], 1));
	GOOD(gaudi_fill_async(waits, at, 2, 1, SIZE));
	graph = end_capture(waits);
	for (unsigned int i = 0; i < 3; i++)
		GOOD(gaudi_graph_launch(graph, waits));
	/* The stream's thread is at work while it is asked. */
	do
		assert_int_equal(gaudi_stream_query(waits),
				 GAUDI_ERR_NOT_READY);
	while (info_of(pair.at[0]).under_way != 3);
	GOOD(gaudi_link_abort(pair.at[0]));
	FAILS(gaudi_stream_synchronize(waits), GAUDI_ERR_LINK);
	says("aborted");
	/* What comes behind the waits is done all the same. */
	GOOD(gaudi_device_synchronize(devs[0]));
	GOOD(gaudi_fill(devs[0], at, 3, 1, SIZE));
	FAILS(gaudi_graph_launch(graph, other), GAUDI_ERR_LINK);
	says("port");
	/* Nothing of it was done. */
	GOOD(gaudi_stream_synchronize(other));
	{
		uint8_t byte;

		GOOD(gaudi_copy_to_host(devs[0], &byte, at, 1));
		assert_int_equal(byte, 3);
	}
	FAILS(gaudi_stream_destroy(waits), GAUDI_ERR_LINK);
	GOOD(gaudi_graph_destroy(graph));
	GOOD(gaudi_stream_destroy(other));
	GOOD(gaudi_free(devs[0], at));
	end_pair(&pair);
}

static void count_it(void *arg, int error)
{
	if (!error)
		++*(int *)arg;
}

/* Launched by a stream's thread, behind a host function; and closed with all of it. */
static void deferred(void **state)
{
	struct trip t = new_trip();
	int counts[2] = { 0, 0 };

	(void)state;
	pattern(t.in, SIZE, 21);
	for (unsigned int i = 0; i < 4; i++)
		for (unsigned int side = 0; side < 2; side++) {
			GOOD(gaudi_stream_add_host_fn(streams[side], count_it,
						      &counts[side]));
			GOOD(gaudi_graph_launch(t.graphs[side], streams[side]));
		}
	GOOD(gaudi_stream_synchronize(streams[0]));
	assert_int_equal(counts[0], 4);
	assert_true(is_pattern(t.out, SIZE, 21));
	GOOD(gaudi_stream_synchronize(streams[1]));
	end_trip(&t);
}

/* The last one: what the program has not destroyed ends with the devices. */
static void left_behind(void **state)
{
	struct trip t = new_trip();

	(void)state;
	for (unsigned int side = 0; side < 2; side++)
		GOOD(gaudi_graph_launch(t.graphs[side], streams[side]));
	GOOD(gaudi_stream_begin_capture(streams[1]));
	notify(streams[1], t.pair.at[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(many_under_way),
		cmocka_unit_test(no_branch_waits_for_another),
		cmocka_unit_test(what_is_sent_waits_for_no_other),
		cmocka_unit_test(with_recipes_and_nested),
		cmocka_unit_test(nodes_are_told),
		cmocka_unit_test(other_places),
		cmocka_unit_test(rows_in_a_graph),
		cmocka_unit_test(copies_to_a_peer),
		cmocka_unit_test(links_are_held),
		cmocka_unit_test(recipes_write_to_each_other),
		cmocka_unit_test(recipes_without_their_links),
		cmocka_unit_test(failed_links),
		cmocka_unit_test(deferred),
		cmocka_unit_test(left_behind),
	};

	return RUN_TESTS(tests, set_up_links, tear_down_links);
}
