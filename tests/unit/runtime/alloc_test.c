// SPDX-License-Identifier: MIT
/*
 * A full run, again and again, with one allocation after the other failing: each
 * call succeeds or says -ENOMEM, and nothing is left behind.
 */
#include <errno.h>

#include "card.h"
#include "../../runtime/recipes.h"
#include "gaudi_graph.h"
#include "gaudi_link.h"
#include "habanalabs/synapse_api.h"

static atomic_int fail_at = -1;
static atomic_int seen;

static bool fails(void)
{
	return atomic_fetch_add(&seen, 1) == atomic_load(&fail_at);
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
	return fails() ? NULL : __real_realloc(memory, size);
}

static bool check(int rc)
{
	if (rc && rc != -ENOMEM && rc != GAUDI_ERR_NOT_READY)
		fail_msg("%d: %s", rc, gaudi_last_error(NULL));
	if (rc == -ENOMEM)
		assert_string_not_equal(gaudi_last_error(NULL), "");

	return rc == 0;
}

static void nothing(void *arg, int error)
{
	(void)error;
	++*(int *)arg;
}

static uint8_t plain[600 * 1024];

static struct gaudi_recipe *recipe;

/* A part or nothing of it; twice, so that arrays grow. */
static void nested(struct gaudi_stream *stream, struct gaudi_graph *part)
{
	uint32_t num = 0, want = 0, count;
	struct gaudi_graph *graph;

	check(gaudi_graph_get_node_count(part, &num));
	if (!check(gaudi_stream_begin_capture(stream)))
		return;
	for (int i = 0; i < 5; i++)
		if (check(gaudi_graph_launch(part, stream)))
			want += num;
	if (!check(gaudi_stream_end_capture(stream, &graph)))
		return;
	if (check(gaudi_graph_get_node_count(graph, &count)))
		assert_int_equal(count, want);
	check(gaudi_graph_launch(graph, stream));
	check(gaudi_graph_destroy(graph));
}

/* It has an event bound, and a graph with another binding. */
static void captured(struct gaudi_stream *stream, struct gaudi_launcher *l)
{
	struct gaudi_graph *graph;

	if (!check(gaudi_stream_begin_capture(stream)))
		return;
	check(gaudi_launch(l, NULL, 0, stream));
	if (!check(gaudi_stream_end_capture(stream, &graph)))
		return;
	check(gaudi_graph_launch(graph, stream));
	nested(stream, graph);
	check(gaudi_graph_destroy(graph));
}

static void launches(struct gaudi_device *dev, struct gaudi_stream *stream,
		     struct gaudi_event *event)
{
	struct gaudi_launcher *l;
	void *host = NULL;
	gaudi_ptr copy = 0;

	if (!check(gaudi_launcher_create(dev, recipe, &l)))
		return;
	check(gaudi_launcher_bind_event(l, "done", event));
	check(gaudi_malloc(dev, WIDE_BYTES, &copy));
	if (check(gaudi_host_alloc(dev, 2 * WIDE_BYTES, &host)) && copy) {
		struct gaudi_binding all[] = {
			{ .name = "in", .memory = host },
			{ .name = "out", .memory = host + WIDE_BYTES },
			{ .name = "copy", .address = copy },
		};
		bool bound = check(gaudi_launcher_bind(l, all, 3));

		for (int i = 0; bound && i < 3; i++)
			check(gaudi_launch(l, i == 2 ? all : NULL,
					   i == 2 ? 3 : 0, stream));
		check(gaudi_event_synchronize(event));
		if (bound)
			captured(stream, l);
	}
	check(gaudi_stream_synchronize(stream));
	check(gaudi_launcher_destroy(l));
	check(gaudi_free(dev, copy));
	check(gaudi_host_free(dev, host));
}

/* Work on two streams; a graph, if all of it could be captured. */
static struct gaudi_graph *capture(struct gaudi_stream *stream,
				   struct gaudi_stream *other,
				   struct gaudi_event *event, gaudi_ptr a)
{
	struct gaudi_graph *graph;
	bool joined;

	if (!check(gaudi_stream_begin_capture(stream)))
		return NULL;
	check(gaudi_fill_async(stream, a, 1, 8, 8));
	joined = check(gaudi_event_record(event, stream)) &&
		 check(gaudi_stream_wait_event(other, event));
	if (joined)
		check(gaudi_fill_async(other, a + 64, 1, 8, 4));
	if (joined && (!check(gaudi_event_record(event, other)) ||
		       !check(gaudi_stream_wait_event(stream, event))))
		/* It would not be joined, which is another error. */
		gaudi_stream_query(stream);

	return gaudi_stream_end_capture(stream, &graph) ? NULL : graph;
}

static void graphs(struct gaudi_device *dev, struct gaudi_stream *stream,
		   struct gaudi_event *event)
{
	struct gaudi_graph *graph;
	struct gaudi_stream *other;
	gaudi_ptr a;

	if (!check(gaudi_malloc(dev, 100, &a)))
		return;
	if (check(gaudi_stream_create(dev, &other))) {
		graph = capture(stream, other, event, a);
		for (int i = 0; graph && i < 2; i++) {
			check(gaudi_graph_launch(graph, stream));
			check(gaudi_graph_replace(graph, a, a, 96));
		}
		if (graph)
			nested(stream, graph);
		check(gaudi_stream_synchronize(stream));
		check(gaudi_graph_destroy(graph));
		check(gaudi_stream_destroy(other));
	}
	check(gaudi_free(dev, a));
}

static void work(struct gaudi_device *dev, struct gaudi_stream *stream,
		 struct gaudi_event *event)
{
	int calls = 0, put = 0;
	int64_t ns;
	void *host = NULL;
	gaudi_ptr a = 0, b = 0;

	check(gaudi_malloc(dev, sizeof(plain), &a));
	check(gaudi_malloc_async(stream, 100, &b));
	check(gaudi_host_alloc(dev, 5000, &host));
	check(gaudi_host_register(dev, plain, 10));
	if (a && host) {
		check(gaudi_copy_to_device_async(stream, a, host, 5000));
		check(gaudi_event_record(event, stream));
		put += check(gaudi_stream_add_host_fn(stream, nothing, &calls));
		check(gaudi_copy_to_host_async(stream, host, a, 5000));
		check(gaudi_stream_wait_event(stream, event));
		check(gaudi_event_record(event, stream));
		/* The stream may have failed: wait for what it has done. */
		while (gaudi_device_synchronize(dev))
			;
		check(gaudi_copy_to_device(dev, a, plain, sizeof(plain)));
		check(gaudi_copy_to_host(dev, plain, a, sizeof(plain)));
	}
	check(gaudi_stream_synchronize(stream));
	assert_int_equal(calls, put);
	if (gaudi_event_query(event) == 0)
		gaudi_event_elapsed_ns(event, event, &ns);
	check(gaudi_free(dev, a));
	check(gaudi_free_async(stream, b));
	check(gaudi_host_free(dev, host));
}

static void run(void)
{
	struct gaudi_device *dev = NULL;
	struct gaudi_stream *stream;
	struct gaudi_event *event;
	uint32_t count;

	check(gaudi_device_count(&count));
	if (!check(gaudi_device_open(0, 0, &dev)))
		return;
	if (check(gaudi_stream_create(dev, &stream))) {
		if (check(gaudi_event_create(dev, 0, &event))) {
			work(dev, stream, event);
			launches(dev, stream, event);
			graphs(dev, stream, event);
			check(gaudi_event_destroy(event));
		}
		check(gaudi_stream_destroy(stream));
	}
	check(gaudi_device_close(dev));
}

/* Each, or every few of them (unit_rounds()). */
static void sweep(void (*what)(void))
{
	int total, step;

	what();
	atomic_store(&seen, 0);
	what();
	total = atomic_load(&seen);
	assert_true(total > 20);
	step = total / unit_rounds(total);
	for (int i = 0; i < total; i += step) {
		atomic_store(&seen, 0);
		atomic_store(&fail_at, i);
		what();
		atomic_store(&fail_at, -1);
	}
	print_message("# %d allocations\n", total);
}

CARD_TEST(every_allocation_fails_once)
{
	recipe = wide_recipe();
	sweep(run);
	gaudi_recipe_release(recipe);
}

/* Between two devices, each with a stream and memory. */
struct ends {
	struct gaudi_device *devs[2];
	struct gaudi_stream *streams[2];
	gaudi_ptr at[2];
};

/* Steps before and behind a write that nobody is told of. */
static void graph_of_links(struct ends *e, struct gaudi_link *link)
{
	struct gaudi_stream *stream = e->streams[0];
	struct gaudi_graph *graph;
	struct gaudi_link_op op;
	bool all;

	if (!check(gaudi_stream_begin_capture(stream)))
		return;
	all = check(gaudi_fill_async(stream, e->at[0], 1, 1, 100)) &&
	      check(gaudi_link_write_async(stream, link, e->at[1], e->at[0],
					   100, 0)) &&
	      check(gaudi_fill_async(stream, e->at[0], 2, 1, 100));
	if (!check(gaudi_stream_end_capture(stream, &graph)))
		return;
	if (all && check(gaudi_graph_get_link_op(graph, 1, 0, &op)))
		check(gaudi_graph_set_link_op(graph, 1, 0, &op));
	check(gaudi_graph_launch(graph, stream));
	check(gaudi_stream_synchronize(stream));
	check(gaudi_graph_destroy(graph));
}

static void use_link(struct ends *e, struct gaudi_link *links[2])
{
	struct gaudi_link_address address;

	for (unsigned int i = 0; i < 2; i++) {
		if (!check(gaudi_link_get_address(links[i], &address)) ||
		    !check(gaudi_link_connect(links[!i], &address)))
			return;
	}
	/* Nobody waits for what was not sent. */
	if (!check(gaudi_link_write_async(e->streams[0], links[0], e->at[1],
					  e->at[0], 100, GAUDI_LINK_NOTIFY)))
		return;
	check(gaudi_link_wait_async(e->streams[1], links[1], 1));
	graph_of_links(e, links[0]);
}

static void use_ends(struct ends *e)
{
	const struct gaudi_link_params params = { .size = sizeof(params) };
	struct gaudi_link *links[2];

	check(gaudi_copy_peer(e->devs[1], e->at[1], e->devs[0], e->at[0], 100));
	if (!check(gaudi_link_create(e->devs[0], &params, &links[0])))
		return;
	if (check(gaudi_link_create(e->devs[1], &params, &links[1]))) {
		use_link(e, links);
		for (unsigned int i = 0; i < 2; i++)
			check(gaudi_stream_synchronize(e->streams[i]));
		check(gaudi_link_destroy(links[1]));
	}
	check(gaudi_link_destroy(links[0]));
}

static void run_links(void)
{
	struct ends e = {};
	bool all = true;

	for (unsigned int i = 0; i < 2; i++)
		all &= check(gaudi_device_open(i, 0, &e.devs[i])) &&
		       check(gaudi_stream_create(e.devs[i], &e.streams[i])) &&
		       check(gaudi_malloc(e.devs[i], 100, &e.at[i]));
	if (all)
		use_ends(&e);
	for (unsigned int i = 0; i < 2; i++)
		check(gaudi_device_close(e.devs[i]));
}

CARD_TEST(every_allocation_for_links_fails_once)
{
	card.cards = 2;
	card.monitors = 128;
	sweep(run_links);
}

static bool took(synStatus status)
{
	if (status && status != synOutOfHostMemory &&
	    status != synOutOfDeviceMemory && status != synBusy)
		fail_msg("synStatus %d: %s", (int)status, gaudi_last_error(NULL));

	return status == synSuccess;
}

static void use_synapse(synStreamHandle stream, synEventHandle event)
{
	bool mapped = took(synHostMap(0, 100, plain));
	void *host = NULL;
	uint64_t a = 0;

	took(synHostMalloc(0, 100, 0, &host));
	took(synDeviceMalloc(0, 100, 0, 0, &a));
	if (a && mapped) {
		took(synMemsetD8Async(a, 1, 100, stream));
		took(synEventRecord(event, stream));
		took(synStreamWaitEvent(stream, event, 0));
		took(synMemCopyAsync(stream, a, 100, (uintptr_t)plain,
				     DRAM_TO_HOST));
	}
	took(synEventSynchronize(event));
	took(synStreamSynchronize(stream));
	if (mapped)
		took(synHostUnmap(0, plain));
	if (host)
		took(synHostFree(0, host, 0));
	if (a)
		took(synDeviceFree(0, a, 0));
}

static void run_synapse(void)
{
	synStreamHandle stream;
	synEventHandle event;
	synDeviceId id;

	took(synInitialize());
	if (took(synDeviceAcquire(&id, NULL))) {
		if (took(synStreamCreateGeneric(&stream, 0, 0))) {
			if (took(synEventCreate(&event, 0, 0))) {
				use_synapse(stream, event);
				took(synEventDestroy(event));
			}
			took(synStreamDestroy(stream));
		}
		took(synDeviceRelease(0));
	}
	took(synDestroy());
}

CARD_TEST(every_allocation_of_synapse_fails_once)
{
	sweep(run_synapse);
}
