// SPDX-License-Identifier: MIT
/*
 * Links on cards that say no, are lost, or do not answer; and numbers that begin anew.
 * What works, tests/runtime/links.c has, which runs on these cards as well.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "../card.h"
#define WITH_KNOBS
#include "../../../runtime/links.h"
#include "gaudi_graph.h"
#include "gaudi_sim.h"
#include "hw/regs/gaudi_nic_regs.h"
#include "link/links.h"

static int links_set_up(void **state)
{
	return set_up_links(state);
}

static int links_tear_down(void **state)
{
	return tear_down_links(state) | card_tear_down(state);
}

#define LINKS_TEST(fn) TEST_WITH(fn, links_set_up, links_tear_down)

/* Of a driver without ports, and of one without such calls. */
CARD_TEST(no_ports)
{
	struct gaudi_link_params params = { .size = sizeof(params) };
	struct gaudi_port_info info = { .size = sizeof(info) };
	struct gaudi_stream *stream;
	struct gaudi_device *dev;
	struct gaudi_link *link;
	uint32_t mask = 1;

	for (unsigned int old = 0; old < 2; old++) {
		card.old_driver = old;
		card.no_ports = !old;
		GOOD(gaudi_device_open(0, 60000, &dev));
		GOOD(gaudi_stream_create(dev, &stream));
		GOOD(gaudi_device_get_ports(dev, &mask));
		assert_int_equal(mask, 0);
		FAILS(gaudi_link_create(dev, &params, &link),
		      GAUDI_ERR_UNSUPPORTED);
		says("no ports");
		FAILS(gaudi_port_open(dev, 0, NULL), GAUDI_ERR_UNSUPPORTED);
		FAILS(gaudi_link_post_async(stream, NULL, 0),
		      GAUDI_ERR_UNSUPPORTED);
		/* What is off can still be looked at. */
		if (old)
			FAILS(gaudi_port_get_info(dev, 0, &info),
			      GAUDI_ERR_UNSUPPORTED);
		else
			GOOD(gaudi_port_get_info(dev, 0, &info));
		GOOD(gaudi_device_close(dev));
	}
}

/* Of any card, whether there is one or not. */
CARD_TEST(peers_without_a_card)
{
	uint32_t module = 99, port = 99;

	GOOD(gaudi_cabling_get_peer(2, 7, &module, &port));
	assert_int_equal(module, 5);
	assert_int_equal(port, 7);
	FAILS(gaudi_cabling_get_peer(2, 1, &module, &port), -ENOENT);
	FAILS(gaudi_cabling_get_peer(8, 0, &module, &port), -ENOENT);
	FAILS(gaudi_cabling_get_peer(0, 0, NULL, &port), -EINVAL);
	setenv("GAUDI_CABLING", "what", 1);
	FAILS(gaudi_cabling_get_peer(2, 7, &module, &port), -EINVAL);
	unsetenv("GAUDI_CABLING");
	assert_int_equal(module, 5);
}

/* Each call of the driver's fails once: nothing is left, and the next try works. */
LINKS_TEST(the_driver_refuses)
{
	const struct gaudi_link_params params = { .size = sizeof(params) };
	struct gaudi_link *link;
	unsigned int calls;
	int rc = 1;

	for (calls = 0; rc; calls++) {
		card.nic_error = -EPERM;
		card.nic_skip = calls;
		rc = gaudi_link_create(devs[0], &params, &link);
		if (rc)
			FAILS(rc, -EPERM);
	}
	card.nic_error = 0;
	assert_in_range(calls, 4, 8);
	card.nic_error = -ENXIO;
	card.nic_skip = 0;
	FAILS(gaudi_port_get_info(devs[0], 2, &(struct gaudi_port_info) {
		.size = sizeof(struct gaudi_port_info) }), -ENXIO);
	GOOD(gaudi_link_destroy(link));
}

/* What is off, and limits of the port. */
LINKS_TEST(bad_ports)
{
	struct gaudi_link_params params = { .size = sizeof(params), .port = 1 };
	struct gaudi_port_params open = { .size = sizeof(open) };
	struct gaudi_link *link;

	FAILS(gaudi_link_create(devs[0], &params, &link), -ENXIO);
	says("port 1");
	FAILS(gaudi_port_open(devs[0], 1, NULL), -ENXIO);
	open.entries = 100;
	FAILS(gaudi_port_open(devs[0], 0, &open), -EINVAL);
	open.entries = 1 << 20;
	FAILS(gaudi_port_open(devs[0], 0, &open), -EINVAL);
	open.entries = 0;
	open.max_links = 1024;
	FAILS(gaudi_port_open(devs[0], 0, &open), -EINVAL);
	open.max_links = 0;
	open.nack_retries = 256;
	FAILS(gaudi_port_open(devs[0], 0, &open), -EINVAL);
	open.nack_retries = 3;
	GOOD(gaudi_port_open(devs[0], 0, &open));
}

/* A submission that was refused is as if it had not been tried. */
LINKS_TEST(refused_work_leaves_nothing)
{
	struct pair pair = new_pair();
	gaudi_ptr from = memory_of(0, 64), to = memory_of(1, 64);
	struct gaudi_link_op ops[2] = {
		{
			.link = pair.at[0],
			.kind = GAUDI_LINK_WRITE,
			.flags = GAUDI_LINK_NOTIFY,
			.from = from,
			.to = to,
			.bytes = 64,
		}, {
			.link = pair.at[0],
			.kind = GAUDI_LINK_WAIT,
			.count = 1,
		},
	};

	put_pattern(0, from, 64, 1);
	card.submit_error = -ENOMEM;
	FAILS(gaudi_link_post_async(streams[0], ops, 2), -ENOMEM);
	assert_int_equal(info_of(pair.at[0]).writes, 0);
	assert_int_equal(info_of(pair.at[0]).notified, 0);
	assert_int_equal(info_of(pair.at[0]).under_way, 0);
	for (unsigned int i = 0; i < 3; i++) {
		GOOD(gaudi_link_post_async(streams[0], ops, 2));
		GOOD(gaudi_link_write_async(streams[1], pair.at[1], 0, 0, 0,
					    GAUDI_LINK_NOTIFY));
		GOOD(gaudi_link_wait_async(streams[1], pair.at[1], 1));
	}
	GOOD(gaudi_stream_synchronize(streams[1]));
	GOOD(gaudi_stream_synchronize(streams[0]));
	assert_true(has_pattern(1, to, 64, 1));
	end_pair(&pair);
}

/* In a batch; and if that submission is refused, they are done without it. */
LINKS_TEST(copies_go_with_the_write_behind_them)
{
	struct pair pair = new_pair();
	gaudi_ptr from = memory_of(0, 64), between = memory_of(0, 64);
	gaudi_ptr to = memory_of(1, 64);
	unsigned int before;

	put_pattern(0, from, 64, 1);
	GOOD(gaudi_stream_begin_batch(streams[0]));
	before = counts.submissions;
	GOOD(gaudi_copy_device_async(streams[0], between, from, 64));
	GOOD(gaudi_link_write_async(streams[0], pair.at[0], to, between, 64,
				    GAUDI_LINK_NOTIFY));
	assert_int_equal(counts.submissions - before, 1);
	GOOD(gaudi_link_wait_async(streams[1], pair.at[1], 1));
	GOOD(gaudi_stream_synchronize(streams[1]));
	assert_true(has_pattern(1, to, 64, 1));
	put_pattern(0, from, 64, 2);
	GOOD(gaudi_copy_device_async(streams[0], between, from, 64));
	card.submit_error = -ENOMEM;
	FAILS(gaudi_link_write_async(streams[0], pair.at[0], to, between, 64,
				     GAUDI_LINK_NOTIFY), -ENOMEM);
	GOOD(gaudi_stream_end_batch(streams[0]));
	GOOD(gaudi_stream_synchronize(streams[0]));
	assert_true(has_pattern(0, between, 64, 2));
	assert_true(has_pattern(1, to, 64, 1));
	end_pair(&pair);
}

/* In a command buffer, or in pages if that is too small. */
LINKS_TEST(queues_of_any_size)
{
	struct gaudi_port_params open = {
		.size = sizeof(open),
		.max_links = 2,
		.entries = 65536,
	};
	struct gaudi_link_params params = { .size = sizeof(params), .port = 3 };
	unsigned int maps = counts.maps;
	struct gaudi_link *link;

	GOOD(gaudi_link_create(devs[0], &params, &link));
	assert_int_equal(counts.maps, maps);
	GOOD(gaudi_link_destroy(link));
	params.port = 2;
	GOOD(gaudi_port_open(devs[0], 2, &open));
	GOOD(gaudi_link_create(devs[0], &params, &link));
	assert_int_equal(counts.maps, maps + 1);
	GOOD(gaudi_link_destroy(link));
}

/*
 * Few values of each sync object, so that they take turns often. And more pieces than
 * the goes of one have values.
 */
TEST_WITH(notifications_begin_anew, NULL, NULL)
{
	struct pair pair;
	unsigned int sent = 0, got = 0;

	setenv("GAUDI_TEST_WRAP", "8", 1);
	GOOD(set_up_links(NULL));
	unsetenv("GAUDI_TEST_WRAP");
	pair = new_pair();
	while (got < 2 * GD_GO_WRAP + 200) {
		/* Up to 4 ahead, in steps of 1 to 3. */
		while (sent < got + 4) {
			GOOD(gaudi_link_write_async(streams[0], pair.at[0], 0, 0,
						    0, GAUDI_LINK_NOTIFY));
			sent++;
		}
		for (unsigned int n = got % 3 + 1; n; n = 0) {
			GOOD(gaudi_link_wait_async(streams[1], pair.at[1], n));
			GOOD(gaudi_stream_synchronize(streams[1]));
			got += n;
		}
	}
	GOOD(gaudi_link_wait_async(streams[1], pair.at[1], sent - got));
	GOOD(gaudi_stream_synchronize(streams[1]));
	/* None is left. */
	GOOD(gaudi_link_wait_async(streams[1], pair.at[1], 1));
	assert_int_equal(gaudi_stream_query(streams[1]), GAUDI_ERR_NOT_READY);
	GOOD(gaudi_link_write_async(streams[0], pair.at[0], 0, 0, 0,
				    GAUDI_LINK_NOTIFY));
	GOOD(gaudi_stream_synchronize(streams[1]));
	FAILS(gaudi_link_wait_async(streams[1], pair.at[1], 5), -EINVAL);
	end_pair(&pair);
	GOOD(tear_down_links(NULL));
}

/* Who asks for the state alone gets it, also of a link that fails with work under way. */
LINKS_TEST(the_state_alone)
{
	struct pair pair = new_pair();
	struct gaudi_link_info info = {
		.size = offsetof(struct gaudi_link_info, writes),
		.writes = 77,
		.under_way = 77,
	};
	struct gaudi_stream *stream;

	GOOD(gaudi_stream_create(devs[0], &stream));
	GOOD(gaudi_link_wait_async(stream, pair.at[0], 1));
	GOOD(gaudi_link_get_info(pair.at[0], &info));
	assert_int_equal(info.state, GAUDI_LINK_CONNECTED);
	GOOD(gaudi_link_abort(pair.at[0]));
	GOOD(gaudi_link_get_info(pair.at[0], &info));
	assert_int_equal(info.state, GAUDI_LINK_FAILED);
	assert_int_equal(info.writes, 77);
	assert_int_equal(info.under_way, 77);
	FAILS(gaudi_stream_destroy(stream), GAUDI_ERR_LINK);
	end_pair(&pair);
}

/* Asking is enough for work of a link that has failed. */
static void all_ended(struct gaudi_link *link)
{
	while (info_of(link).under_way)
		;
}

/*
 * More writes than a link may have under way, to a peer that does not answer: all of
 * them end, whoever waits for what, and what is beside them goes on.
 */
LINKS_TEST(nobody_answers)
{
	struct pair bad = new_pair(), good = new_pair();
	gaudi_ptr from = memory_of(0, 64), to = memory_of(1, 64);
	struct gaudi_stream *others[3];
	unsigned int given = 0;
	int rc = 0;

	for (unsigned int i = 0; i < 3; i++)
		GOOD(gaudi_stream_create(devs[0], &others[i]));
	/* This one waits for what will come in the end. */
	GOOD(gaudi_link_wait_async(others[0], good.at[0], 1));
	card_deafen(true);
	for (; !rc && given < 1000; given++)
		rc = gaudi_link_write_async(others[given % 2 + 1], bad.at[0],
					    to, from, 64, 0);
	/* At once, or when there is no room for another. */
	FAILS(rc, GAUDI_ERR_LINK);
	for (unsigned int i = 1; i < 3; i++)
		if (gaudi_stream_synchronize(others[i]))
			says("does not answer (syndrome 0x40)");
	assert_int_equal(info_of(bad.at[0]).syndrome, 0x40);
	all_ended(bad.at[0]);
	assert_int_equal(gaudi_stream_query(others[0]), GAUDI_ERR_NOT_READY);
	assert_int_equal(info_of(good.at[0]).state, GAUDI_LINK_CONNECTED);
	card_deafen(false);
	GOOD(gaudi_link_write_async(streams[1], good.at[1], to, to, 64,
				    GAUDI_LINK_NOTIFY));
	GOOD(gaudi_stream_synchronize(others[0]));
	end_pair(&bad);
	end_pair(&good);
}

static void *destroy(void *link)
{
	GOOD(gaudi_link_destroy(link));

	return NULL;
}

/* What a link had given to its port's queue is there until the queue has passed it. */
LINKS_TEST(behind_another_link)
{
	struct pair bad = new_pair(), spare[2], good;
	gaudi_ptr from = memory_of(0, 64), to = memory_of(1, 64);
	struct gaudi_stream *other;
	unsigned int before;
	pthread_t thread;

	/* Every third one has the same queue. */
	spare[0] = new_pair();
	spare[1] = new_pair();
	good = new_pair();
	assert_int_equal(bad.at[0]->queue, good.at[0]->queue);
	GOOD(gaudi_stream_create(devs[0], &other));
	put_pattern(0, from, 64, 5);
	card_hold(1u << streams[0]->hw_stream);
	GOOD(gaudi_link_write_async(streams[0], good.at[0], to, from, 64, 0));
	for (unsigned int i = 0; i < 5; i++)
		GOOD(gaudi_link_write_async(other, bad.at[0], to, from, 1, 0));
	pthread_mutex_lock(&devs[0]->links->lock);
	gd_link_fail(bad.at[0], NIC_SYN_TX_BAD_QP, true, "as if the card had said so");
	pthread_mutex_unlock(&devs[0]->links->lock);
	FAILS(gaudi_stream_destroy(other), GAUDI_ERR_LINK);
	all_ended(bad.at[0]);
	before = counts.submissions;
	assert_int_equal(pthread_create(&thread, NULL, destroy, bad.at[0]), 0);
	while (counts.submissions == before)
		sched_yield();
	card_release();
	pthread_join(thread, NULL);
	GOOD(gaudi_stream_synchronize(streams[0]));
	assert_true(has_pattern(1, to, 64, 5));
	GOOD(gaudi_link_destroy(bad.at[1]));
	end_pair(&spare[0]);
	end_pair(&spare[1]);
	end_pair(&good);
}

/* Pieces that are held while their link is given up: none is forgotten. */
LINKS_TEST(aborted_before_it_begins)
{
	struct pair pair = new_pair();
	struct gaudi_stream *held[4];
	unsigned int failed = 0;

	for (unsigned int i = 0; i < 4; i++)
		GOOD(gaudi_stream_create(devs[0], &held[i]));
	card_hold(0xf);
	for (unsigned int i = 0; i < 40; i++) {
		if (i % 3)
			GOOD(gaudi_link_write_async(held[i % 4], pair.at[0], 0,
						    0, 0, GAUDI_LINK_NOTIFY));
		else
			GOOD(gaudi_link_wait_async(held[i % 4], pair.at[0], 2));
	}
	GOOD(gaudi_link_abort(pair.at[0]));
	GOOD(gaudi_link_abort(pair.at[0]));
	card_release();
	for (unsigned int i = 0; i < 4; i++)
		failed += gaudi_stream_destroy(held[i]) == GAUDI_ERR_LINK;
	assert_int_equal(failed, 4);
	all_ended(pair.at[0]);
	end_pair(&pair);
}

/* Who waits for its stream is told why, whoever knew. The first reason stays. */
LINKS_TEST(aborted_with_a_reason)
{
	struct pair pair = new_pair();
	struct gaudi_stream *stream;

	GOOD(gaudi_stream_create(devs[0], &stream));
	GOOD(gaudi_link_wait_async(stream, pair.at[0], 1));
	FAILS(gaudi_link_abort_because(pair.at[0], NULL), -EINVAL);
	FAILS(gaudi_link_abort_because(NULL, "nothing"), -EINVAL);
	assert_int_equal(info_of(pair.at[0]).state, GAUDI_LINK_CONNECTED);
	GOOD(gaudi_link_abort_because(pair.at[0], "rank 1 has left for lunch"));
	GOOD(gaudi_link_abort(pair.at[0]));
	FAILS(gaudi_stream_synchronize(stream), GAUDI_ERR_LINK);
	says("rank 1 has left for lunch");
	FAILS(gaudi_link_wait_async(streams[0], pair.at[0], 1), GAUDI_ERR_LINK);
	says("rank 1 has left for lunch");
	FAILS(gaudi_stream_destroy(stream), GAUDI_ERR_LINK);
	end_pair(&pair);
}

/* A stream whose work of a link has ended goes on without it. */
LINKS_TEST(aborted_when_done)
{
	struct pair pair = new_pair();
	gaudi_ptr at = memory_of(0, 100);

	GOOD(gaudi_link_write_async(streams[0], pair.at[0], 0, 0, 0, GAUDI_LINK_NOTIFY));
	/* By another queue, whose end says that of the write. */
	GOOD(gaudi_fill_async(streams[0], at, 0, 1, 100));
	GOOD(gaudi_stream_synchronize(streams[0]));
	GOOD(gaudi_link_abort(pair.at[0]));
	GOOD(gaudi_fill_async(streams[0], at, 0, 1, 100));
	GOOD(gaudi_stream_synchronize(streams[0]));
	end_pair(&pair);
}

/*
 * What has failed by a link, and what waited for it, works again when the program says so. What
 * was recorded behind the failure still says that it failed; what is recorded from now on is good.
 */
LINKS_TEST(recovered)
{
	struct pair pair = new_pair(), good = new_pair();
	gaudi_ptr from = memory_of(0, 64), to = memory_of(1, 64);
	struct gaudi_event *old = event_of(0), *event = event_of(0);
	struct gaudi_stream *s = streams[0], *waits;

	GOOD(gaudi_stream_create(devs[0], &waits));
	GOOD(gaudi_stream_recover(s));
	GOOD(gaudi_link_wait_async(s, pair.at[0], 1));
	GOOD(gaudi_event_record(old, s));
	GOOD(gaudi_stream_wait_event(waits, old));
	GOOD(gaudi_link_abort(pair.at[0]));
	FAILS(gaudi_stream_synchronize(s), GAUDI_ERR_LINK);
	FAILS(gaudi_stream_synchronize(waits), GAUDI_ERR_LINK);
	GOOD(gaudi_stream_recover(s));
	FAILS(gaudi_event_synchronize(old), GAUDI_ERR_LINK);
	FAILS(gaudi_fill_async(waits, from, 0, 1, 64), GAUDI_ERR_LINK);
	GOOD(gaudi_stream_recover(waits));
	put_pattern(0, from, 64, 3);
	GOOD(gaudi_link_write_async(s, good.at[0], to, from, 64, 0));
	GOOD(gaudi_event_record(event, s));
	GOOD(gaudi_stream_wait_event(waits, event));
	GOOD(gaudi_fill_async(waits, from, 0, 1, 64));
	GOOD(gaudi_stream_synchronize(waits));
	assert_true(has_pattern(1, to, 64, 3));
	/* And may fail again. */
	FAILS(gaudi_stream_wait_event(waits, old), GAUDI_ERR_LINK);
	GOOD(gaudi_link_wait_async(s, good.at[0], 1));
	GOOD(gaudi_link_abort(good.at[0]));
	FAILS(gaudi_stream_synchronize(s), GAUDI_ERR_LINK);
	GOOD(gaudi_stream_recover(s));
	FAILS(gaudi_stream_recover(NULL), -EINVAL);
	end_pair(&pair);
	end_pair(&good);
}

static int lost_tear_down(void **state)
{
	int rc = gaudi_device_close(devs[0]) != GAUDI_ERR_DEVICE_LOST;

	card.wait_error = 0;

	return rc | gaudi_device_close(devs[1]) | card_tear_down(state);
}

/* A card is lost while links have work: all ends, and says so. */
TEST_WITH(lost, links_set_up, lost_tear_down)
{
	struct pair pair = new_pair();
	gaudi_ptr at = memory_of(0, 64);

	GOOD(gaudi_link_wait_async(streams[0], pair.at[0], 1));
	card.submit_error = -EIO;
	FAILS(gaudi_fill_async(streams[0], at, 0, 1, 64),
	      GAUDI_ERR_DEVICE_LOST);
	FAILS(gaudi_stream_synchronize(streams[0]), GAUDI_ERR_DEVICE_LOST);
	FAILS(gaudi_link_wait_async(streams[0], pair.at[0], 1),
	      GAUDI_ERR_DEVICE_LOST);
	FAILS(gaudi_link_get_info(pair.at[0], &(struct gaudi_link_info) {
		.size = sizeof(struct gaudi_link_info) }),
	      GAUDI_ERR_DEVICE_LOST);
	FAILS(gaudi_link_destroy(pair.at[0]), GAUDI_ERR_DEVICE_LOST);
	card.wait_error = 0;
	GOOD(gaudi_link_destroy(pair.at[1]));
}

/* Links of the library's own: made anew when they have failed. */
LINKS_TEST(a_copy_mends_its_link)
{
	gaudi_ptr a = memory_of(0, 4096), b = memory_of(1, 4096);
	struct gaudi_stream *bad;

	put_pattern(0, a, 4096, 3);
	GOOD(gaudi_copy_peer(devs[1], b, devs[0], a, 4096));
	card_deafen(true);
	GOOD(gaudi_stream_create(devs[0], &bad));
	GOOD(gaudi_copy_peer_async(bad, devs[1], b, a, 4096));
	FAILS(gaudi_stream_synchronize(bad), GAUDI_ERR_LINK);
	card_deafen(false);
	FAILS(gaudi_stream_destroy(bad), GAUDI_ERR_LINK);
	put_pattern(0, a, 4096, 4);
	GOOD(gaudi_copy_peer_async(streams[0], devs[1], b, a, 4096));
	GOOD(gaudi_stream_synchronize(streams[0]));
	assert_true(has_pattern(1, b, 4096, 4));
}

static struct gaudi_graph *captured_copy(gaudi_ptr to, gaudi_ptr from)
{
	struct gaudi_graph *graph;

	GOOD(gaudi_stream_begin_capture(streams[0]));
	GOOD(gaudi_copy_peer_async(streams[0], devs[1], to, from, 4096));
	GOOD(gaudi_stream_end_capture(streams[0], &graph));

	return graph;
}

static void launch_copy(struct gaudi_graph *graph, gaudi_ptr to, gaudi_ptr from,
			uint8_t pattern)
{
	put_pattern(0, from, 4096, pattern);
	GOOD(gaudi_graph_launch(graph, streams[0]));
	GOOD(gaudi_stream_synchronize(streams[0]));
	assert_true(has_pattern(1, to, 4096, pattern));
}

/* The link that a captured copy has is there as long as the graph, but not mended. */
LINKS_TEST(a_captured_copy)
{
	gaudi_ptr a = memory_of(0, 4096), b = memory_of(1, 4096);
	struct gaudi_graph *graph = captured_copy(b, a), *later;
	struct gaudi_link_op op, new;
	struct gaudi_stream *bad;

	launch_copy(graph, b, a, 3);
	launch_copy(graph, b, a, 4);
	GOOD(gaudi_graph_get_link_op(graph, 0, 0, &op));
	assert_int_equal(op.to, b);
	FAILS(gaudi_link_destroy(op.link), -EBUSY);
	says("libgaudi's own");
	card_deafen(true);
	GOOD(gaudi_stream_create(devs[0], &bad));
	GOOD(gaudi_graph_launch(graph, bad));
	FAILS(gaudi_stream_synchronize(bad), GAUDI_ERR_LINK);
	card_deafen(false);
	FAILS(gaudi_stream_destroy(bad), GAUDI_ERR_LINK);
	FAILS(gaudi_graph_launch(graph, streams[0]), GAUDI_ERR_LINK);
	/* Others get a new link meanwhile. */
	later = captured_copy(b, a);
	GOOD(gaudi_graph_get_link_op(later, 0, 0, &new));
	assert_ptr_not_equal(new.link, op.link);
	launch_copy(later, b, a, 5);
	FAILS(gaudi_graph_launch(graph, streams[0]), GAUDI_ERR_LINK);
	GOOD(gaudi_graph_destroy(graph));
	GOOD(gaudi_copy_peer_async(streams[0], devs[1], b, a, 4096));
	/* It reads what is written next, and that is no work of its stream. */
	GOOD(gaudi_stream_synchronize(streams[0]));
	launch_copy(later, b, a, 6);
	GOOD(gaudi_graph_destroy(later));
}

LINKS_TEST(no_wire_is_known)
{
	gaudi_ptr a = memory_of(0, 4096), b = memory_of(1, 4096);

	setenv("GAUDI_CABLING", "none", 1);
	FAILS(gaudi_copy_peer_async(streams[0], devs[1], b, a, 4096),
	      GAUDI_ERR_UNSUPPORTED);
	says("no wire");
	setenv("GAUDI_CABLING", "/nowhere", 1);
	FAILS(gaudi_copy_peer_async(streams[0], devs[1], b, a, 4096), -ENOENT);
	unsetenv("GAUDI_CABLING");
	GOOD(gaudi_sim_card_plug(gaudi_sim_card(0), ports[0], false));
	FAILS(gaudi_copy_peer_async(streams[0], devs[1], b, a, 4096),
	      GAUDI_ERR_LINK);
	says("is down");
	GOOD(gaudi_sim_card_plug(gaudi_sim_card(0), ports[0], true));
}

static bool ends_in_time(struct gaudi_stream *stream)
{
	double end = now() + 20;

	while (gaudi_stream_query(stream) == GAUDI_ERR_NOT_READY && now() < end)
		usleep(1000);

	return !gaudi_stream_query(stream);
}

/*
 * A stream waits for an event of another one, which goes on to wait for the peer, which waits
 * for the first one: only what was before the event is waited for.
 */
LINKS_TEST(events_before_waits)
{
	struct gaudi_event *event = event_of(0);
	struct gaudi_stream *other = stream_of(0);
	struct pair there = new_pair(), back = new_pair();

	card_hold(0xf);
	notify(streams[0], there.at[0]);
	GOOD(gaudi_event_record(event, streams[0]));
	GOOD(gaudi_link_wait_async(streams[0], back.at[0], 1));
	GOOD(gaudi_stream_wait_event(other, event));
	notify(other, there.at[0]);
	GOOD(gaudi_link_wait_async(streams[1], there.at[1], 2));
	notify(streams[1], back.at[1]);
	card_release();
	assert_true(ends_in_time(streams[0]));
	GOOD(gaudi_stream_synchronize(other));
	GOOD(gaudi_stream_synchronize(streams[1]));
	end_pair(&there);
	end_pair(&back);
}

/* A stream that waits for the peer holds up no other one, whatever came and went between. */
LINKS_TEST(few_streams_share_no_queue)
{
	struct pair back = new_pair();
	gaudi_ptr at = memory_of(0, 64);
	struct gaudi_stream *other;

	GOOD(gaudi_link_wait_async(streams[0], back.at[0], 1));
	for (unsigned int i = 0; i < 8; i++) {
		other = stream_of(0);
		GOOD(gaudi_fill_async(other, at, i, 1, 64));
		assert_true(ends_in_time(other));
		GOOD(gaudi_stream_destroy(other));
	}
	notify(streams[1], back.at[1]);
	GOOD(gaudi_stream_synchronize(streams[0]));
	end_pair(&back);
}

/* The other device is closed first: its links, and those to it, end with it. */
CARD_TEST(either_is_closed_first)
{
	for (unsigned int first = 0; first < 2; first++) {
		struct gaudi_graph *graph;
		gaudi_ptr a, b;

		GOOD(set_up_links(NULL));
		a = memory_of(0, 64);
		b = memory_of(1, 64);
		GOOD(gaudi_copy_peer(devs[1], b, devs[0], a, 64));
		GOOD(gaudi_copy_peer(devs[0], a, devs[1], b, 64));
		/* The device has a graph by its link. */
		GOOD(gaudi_stream_begin_capture(streams[0]));
		GOOD(gaudi_copy_peer_async(streams[0], devs[1], b, a, 64));
		GOOD(gaudi_stream_end_capture(streams[0], &graph));
		GOOD(gaudi_device_close(devs[first]));
		GOOD(gaudi_device_close(devs[!first]));
	}
}

/* Three cards: all pairs at once. */
CARD_TEST(three_cards)
{
	struct gaudi_device *cards[3];
	struct gaudi_stream *own[3];
	uint8_t in[96], out[96];
	gaudi_ptr at[3];

	card.cards = 3;
	card.monitors = 128;
	pattern(in, 96, 5);
	for (unsigned int i = 0; i < 3; i++) {
		GOOD(gaudi_device_open(i, 60000, &cards[i]));
		GOOD(gaudi_stream_create(cards[i], &own[i]));
		GOOD(gaudi_malloc(cards[i], 96, &at[i]));
		GOOD(gaudi_copy_to_device(cards[i], at[i] + 32 * i, in + 32 * i,
					  32));
	}
	for (unsigned int i = 0; i < 3; i++)
		for (unsigned int j = 0; j < 3; j++)
			if (i != j)
				GOOD(gaudi_copy_peer_async(own[i], cards[j],
							   at[j] + 32 * i,
							   at[i] + 32 * i, 32));
	for (unsigned int i = 0; i < 3; i++)
		GOOD(gaudi_stream_synchronize(own[i]));
	for (unsigned int i = 0; i < 3; i++) {
		GOOD(gaudi_copy_to_host(cards[i], out, at[i], 96));
		assert_memory_equal(in, out, 96);
	}
	for (unsigned int i = 0; i < 3; i++)
		GOOD(gaudi_device_close(cards[i]));
}
