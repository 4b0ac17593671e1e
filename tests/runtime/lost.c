// SPDX-License-Identifier: MIT
/*
 * A submission that does not end, so that the driver resets the card: what the
 * library says, and that the card can be opened again. The driver's timeout is to
 * be short. With a command in $LOSE, by which the card is lost, this is done while
 * launches go on.
 */
#include <sys/mman.h>

#include "gaudi_graph.h"
#include "hlthunk.h"
#include "packets.h"
#include "recipes.h"

static struct gaudi_device *dev;

/* A FENCE that nobody passes, on the queue that copies within the card. */
static void block_queue(void)
{
	int fd = gaudi_device_fd(dev);
	struct hl_cs_chunk chunk = { .queue_index = GAUDI_QUEUE_ID_DMA_1_0 };
	struct hlthunk_cs_in in = {
		.chunks_execute = &chunk,
		.num_chunks_execute = 1,
	};
	struct hlthunk_cs_out out = {};
	struct pkt_buf pb;
	uint64_t handle;
	void *memory;

	assert_int_equal(hlthunk_request_command_buffer(fd, 4096, &handle), 0);
	memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		      (off_t)handle);
	assert_true(memory != MAP_FAILED);
	pkt_init(&pb, memory, 4096);
	pkt_fence(&pb, 1, 1, 1, 0);
	chunk.cb_handle = handle;
	chunk.cb_size = (uint32_t)pb.used;
	assert_int_equal(hlthunk_command_submission(fd, &in, &out), 0);
	munmap(memory, 4096);
	hlthunk_destroy_command_buffer(fd, handle);
}

#define PIECE	(64 * MIB)

static struct gaudi_graph *graph_of(struct gaudi_stream *stream, gaudi_ptr a,
				    unsigned int copies)
{
	struct gaudi_graph *graph;

	GOOD(gaudi_stream_begin_capture(stream));
	for (unsigned int i = 0; i < copies; i++)
		GOOD(gaudi_copy_device_async(stream, a + (i + 1) % 2 * PIECE,
					     a + i % 2 * PIECE, PIECE));
	GOOD(gaudi_stream_end_capture(stream, &graph));

	return graph;
}

static double time_of(struct gaudi_graph *graph, struct gaudi_stream *stream)
{
	double begin = now();

	GOOD(gaudi_graph_launch(graph, stream));
	GOOD(gaudi_stream_synchronize(stream));

	return now() - begin;
}

/* All of it takes longer than a submission may, wherever this runs. */
static void long_graphs_are_cut(void **state)
{
	double timeout = strtod(getenv("TIMEOUT"), NULL);
	struct gaudi_stream *stream;
	struct gaudi_graph *graph;
	unsigned int copies = 4;
	double seconds;
	gaudi_ptr a;

	(void)state;
	GOOD(gaudi_device_open(0, 60000, &dev));
	GOOD(gaudi_stream_create(dev, &stream));
	GOOD(gaudi_malloc(dev, 2 * PIECE, &a));
	GOOD(gaudi_fill(dev, a, 0x5a, 1, 2 * PIECE));
	do {
		graph = graph_of(stream, a, copies);
		seconds = time_of(graph, stream);
		GOOD(gaudi_graph_destroy(graph));
		copies *= 2;
	} while (seconds < 1.5 * timeout);
	GOOD(gaudi_device_close(dev));
}

static void note(void *arg, int error)
{
	*(int *)arg = error ? error : 1;
}

static void a_reset_is_told(void **state)
{
	struct gaudi_stream *stream;
	struct gaudi_event *event;
	int rc, error = 0, called = 0;
	uint8_t back[64];
	gaudi_ptr a;

	(void)state;
	GOOD(gaudi_device_open(0, 60000, &dev));
	GOOD(gaudi_stream_create(dev, &stream));
	GOOD(gaudi_event_create(dev, 0, &event));
	GOOD(gaudi_malloc(dev, 4096, &a));
	block_queue();
	GOOD(gaudi_fill_async(stream, a, 1, 1, 4096));
	GOOD(gaudi_event_record(event, stream));
	FAILS(gaudi_event_query(event), GAUDI_ERR_NOT_READY);
	rc = gaudi_event_synchronize(event);
	assert_true(rc < 0 && rc != GAUDI_ERR_NOT_READY);
	assert_string_not_equal(gaudi_last_error(&error), "");
	assert_int_equal(error, rc);
	FAILS(gaudi_stream_add_host_fn(stream, note, &called),
	      GAUDI_ERR_DEVICE_LOST);
	FAILS(gaudi_stream_query(stream), GAUDI_ERR_DEVICE_LOST);
	FAILS(gaudi_malloc(dev, 1, &a), GAUDI_ERR_DEVICE_LOST);
	FAILS(gaudi_device_close(dev), GAUDI_ERR_DEVICE_LOST);
	assert_int_equal(called, 0);

	GOOD(gaudi_device_open(0, 120000, &dev));
	GOOD(gaudi_malloc(dev, 64, &a));
	GOOD(gaudi_fill(dev, a, 0x77, 1, 64));
	GOOD(gaudi_copy_to_host(dev, back, a, 64));
	for (int i = 0; i < 64; i++)
		assert_int_equal(back[i], 0x77);
	GOOD(gaudi_device_close(dev));
}

/* A recipe over all engines, and a graph with a copy and a launch of it. */
struct work {
	struct gaudi_stream *stream, *other;
	struct gaudi_launcher *launcher;
	struct gaudi_graph *graph;
	uint8_t *host;
	gaudi_ptr copy;
};

static struct work make_work(void)
{
	struct gaudi_recipe *recipe = wide_recipe();
	struct work w;
	void *host;

	GOOD(gaudi_device_open(0, 120000, &dev));
	/* Who is told of a reset is not killed by it. */
	assert_true(hlthunk_notifier_create(gaudi_device_fd(dev)) >= 0);
	GOOD(gaudi_stream_create(dev, &w.stream));
	GOOD(gaudi_stream_create(dev, &w.other));
	GOOD(gaudi_host_alloc(dev, 2 * WIDE_BYTES, &host));
	GOOD(gaudi_malloc(dev, WIDE_BYTES, &w.copy));
	GOOD(gaudi_launcher_create(dev, recipe, &w.launcher));
	GOOD(gaudi_recipe_release(recipe));
	w.host = host;
	{
		struct gaudi_binding bindings[] = {
			{ .name = "in", .memory = w.host },
			{ .name = "out", .memory = w.host + WIDE_BYTES },
			{ .name = "copy", .address = w.copy },
		};

		GOOD(gaudi_launcher_bind(w.launcher, bindings, 3));
	}
	GOOD(gaudi_stream_begin_capture(w.stream));
	GOOD(gaudi_fill_async(w.stream, w.copy, 1, 1, WIDE_BYTES));
	GOOD(gaudi_launch(w.launcher, NULL, 0, w.stream));
	GOOD(gaudi_stream_end_capture(w.stream, &w.graph));

	return w;
}

/* It is lost: everything says so, and everything can be given back. */
static void end_lost_work(struct work *w)
{
	FAILS(gaudi_graph_launch(w->graph, w->stream), GAUDI_ERR_DEVICE_LOST);
	assert_non_null(strstr(gaudi_last_error(NULL), "is lost"));
	FAILS(gaudi_launch(w->launcher, NULL, 0, w->other),
	      GAUDI_ERR_DEVICE_LOST);
	FAILS(gaudi_stream_synchronize(w->stream), GAUDI_ERR_DEVICE_LOST);
	gaudi_graph_destroy(w->graph);
	gaudi_launcher_destroy(w->launcher);
	GOOD(gaudi_host_free(dev, w->host));
	FAILS(gaudi_device_close(dev), GAUDI_ERR_DEVICE_LOST);
}

/* The card that the driver has set up anew does all of it. */
static void works_again(void)
{
	struct work w = make_work();

	for (unsigned int i = 0; i < 3; i++) {
		pattern(w.host, WIDE_BYTES, i);
		memset(w.host + WIDE_BYTES, 0, WIDE_BYTES);
		GOOD(gaudi_graph_launch(w.graph, w.stream));
		GOOD(gaudi_stream_synchronize(w.stream));
		assert_true(wide_is_right(w.host, w.host + WIDE_BYTES));
	}
	GOOD(gaudi_device_close(dev));
}

static void launches_behind_what_does_not_end(void **state)
{
	struct work w;
	int rc;

	(void)state;
	w = make_work();
	block_queue();
	GOOD(gaudi_graph_launch(w.graph, w.stream));
	GOOD(gaudi_launch(w.launcher, NULL, 0, w.other));
	/* More than can be under way. */
	for (rc = 0; !rc;)
		rc = gaudi_graph_launch(w.graph, w.stream);
	assert_string_not_equal(gaudi_last_error(NULL), "");
	end_lost_work(&w);
	works_again();
}

static void launches_while_the_card_is_lost(void **state)
{
	const char *command = getenv("LOSE");
	unsigned int n = 0;
	struct work w;
	int rc = 0;

	(void)state;
	assert_non_null(command);
	w = make_work();
	for (; !rc; n++) {
		if (n == 20)
			assert_int_equal(system(command), 0);
		rc = n % 2 ? gaudi_graph_launch(w.graph, w.stream) :
			     gaudi_launch(w.launcher, NULL, 0, w.other);
		if (!rc && n % 16 == 15)
			rc = gaudi_stream_synchronize(w.stream);
	}
	assert_true(n > 20);
	assert_string_not_equal(gaudi_last_error(NULL), "");
	end_lost_work(&w);
	works_again();
}

int main(void)
{
	const struct CMUnitTest resets[] = {
		cmocka_unit_test(long_graphs_are_cut),
		cmocka_unit_test(a_reset_is_told),
		cmocka_unit_test(launches_behind_what_does_not_end),
	};
	const struct CMUnitTest losses[] = {
		cmocka_unit_test(launches_while_the_card_is_lost),
	};

	if (getenv("LOSE"))
		return cmocka_run_group_tests(losses, NULL, NULL);

	return cmocka_run_group_tests(resets, NULL, NULL);
}
