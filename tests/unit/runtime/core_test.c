// SPDX-License-Identifier: MIT
/* libgaudi where a real card would not do: errors, memory that may not be used. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "card.h"
#include "device/queue_state.h"
#include "graph/nodes.h"
#include "streams/work.h"

#define GOOD(call)	assert_int_equal(call, 0)
#define SAYS(text)	assert_non_null(strstr(gaudi_last_error(NULL), text))

/* A device with a stream, and pinned memory. */
struct bed {
	struct gaudi_device *dev;
	struct gaudi_stream *stream;
	uint8_t *host;
	gaudi_ptr mem;
};

static struct bed bed_make(void)
{
	struct bed bed;
	void *host;

	GOOD(gaudi_device_open(0, 0, &bed.dev));
	GOOD(gaudi_stream_create(bed.dev, &bed.stream));
	GOOD(gaudi_host_alloc(bed.dev, 65536, &host));
	GOOD(gaudi_malloc(bed.dev, 65536, &bed.mem));
	bed.host = host;

	return bed;
}

static void visible_cards(void **state)
{
	struct gaudi_device_info info = { .size = sizeof(info) };
	struct gaudi_device *dev;
	uint32_t count;

	(void)state;
	card.cards = 4;
	GOOD(gaudi_device_count(&count));
	assert_int_equal(count, 4);
	/* accel1 is no Gaudi: they are 0, 2, 3, 4, of modules 7, 6, 5, 4. */
	setenv("HABANA_VISIBLE_DEVICES", "4,0,9", 1);
	GOOD(gaudi_device_count(&count));
	assert_int_equal(count, 2);
	GOOD(gaudi_device_open(0, 0, &dev));
	GOOD(gaudi_device_get_info(dev, &info));
	assert_int_equal(info.accel, 4);
	assert_int_equal(info.module_id, 4);
	assert_int_equal(info.index, 0);
	assert_string_equal(info.pci_address, "0000:13:00.0");
	assert_string_equal(info.driver, "gaudi");
	assert_int_equal(info.caps, GAUDI_DEVICE_SHARED | GAUDI_DEVICE_SYNCOBJ);
	GOOD(gaudi_device_close(dev));
	assert_int_equal(gaudi_device_open_by_module_id(6, 0, &dev), -ENODEV);
	SAYS("module id 6, 2 are visible");
	setenv("HABANA_VISIBLE_MODULES", "7,4", 1);
	GOOD(gaudi_device_open(1, 0, &dev));
	GOOD(gaudi_device_close(dev));
	for (const char * const *bad = (const char * const[]) { "x", "1,,2",
	     "-1", "1 2", "99999999999", ",", NULL }; *bad; bad++) {
		setenv("HABANA_VISIBLE_MODULES", *bad, 1);
		assert_int_equal(gaudi_device_count(&count), -EINVAL);
		SAYS("HABANA_VISIBLE_MODULES");
	}
	unsetenv("HABANA_VISIBLE_MODULES");
	unsetenv("HABANA_VISIBLE_DEVICES");
}

static void opening_waits_and_fails(void **state)
{
	struct gaudi_device *dev = NULL;

	(void)state;
	card.busy_opens = 3;
	assert_int_equal(gaudi_device_open(0, 0, &dev), -EAGAIN);
	SAYS("in reset");
	GOOD(gaudi_device_open(0, 60000, &dev));
	assert_int_equal(gaudi_device_open(0, 0, &dev), -EBUSY);
	SAYS("another process");
	GOOD(gaudi_device_close(dev));
	card.open_error = -EACCES;
	assert_int_equal(gaudi_device_open(0, -1, &dev), -EACCES);
	assert_int_equal(gaudi_device_open(0, -2, &dev), -EINVAL);
	assert_int_equal(gaudi_device_open(0, 0, NULL), -EINVAL);
	GOOD(gaudi_device_close(NULL));
}

static void info_of_other_sizes(void **state)
{
	struct bed bed = bed_make();
	struct {
		struct gaudi_device_info info;
		uint64_t more;
	} large = { .info.size = sizeof(large), .more = 5 };
	struct gaudi_device_info info;

	(void)state;
	GOOD(gaudi_device_get_info(bed.dev, &large.info));
	assert_int_equal(large.more, 0);
	memset(&info, 0x77, sizeof(info));
	info.size = offsetof(struct gaudi_device_info, module_id);
	GOOD(gaudi_device_get_info(bed.dev, &info));
	assert_int_equal(info.module_id, 0x77777777);
	info.size = 0;
	assert_int_equal(gaudi_device_get_info(bed.dev, &info), -EINVAL);
	GOOD(gaudi_device_close(bed.dev));
}

static void errors_in_words(void **state)
{
	int error = 1;

	(void)state;
	assert_string_equal(gaudi_strerror(GAUDI_ERR_NOT_READY),
			    "not done yet");
	for (int i = GAUDI_ERR_UNSUPPORTED; i <= GAUDI_ERR_NOT_READY; i++)
		assert_string_not_equal(gaudi_strerror(i), "unknown error");
	assert_string_not_equal(gaudi_strerror(GAUDI_ERR_ADDRESS),
				"unknown error");
	assert_string_equal(gaudi_strerror(-ENOMEM), "Cannot allocate memory");
	assert_string_equal(gaudi_strerror(0), "success");
	assert_string_equal(gaudi_strerror(77), "unknown error");
	assert_string_equal(gaudi_strerror(-99999), "unknown error");
	assert_int_equal(gaudi_device_count(NULL), -EINVAL);
	gaudi_last_error(&error);
	assert_int_equal(error, -EINVAL);
	assert_int_equal(gaudi_version(), 0x000100);
}

struct called {
	int times, error;
};

static void note_call(void *arg, int error)
{
	struct called *called = arg;

	called->times++;
	called->error = error;
}

/* A failure of the card: told once as it is, then the card is lost. */
static void lost_by_failed_work(void **state)
{
	struct bed bed = bed_make();
	struct called called = {};
	struct gaudi_event *event;
	gaudi_ptr other;

	(void)state;
	GOOD(gaudi_event_create(bed.dev, 0, &event));
	card.hold = ~0u;
	GOOD(gaudi_copy_to_device_async(bed.stream, bed.mem, bed.host, 100));
	GOOD(gaudi_event_record(event, bed.stream));
	GOOD(gaudi_stream_add_host_fn(bed.stream, note_call, &called));
	GOOD(gaudi_fill_async(bed.stream, bed.mem, 0, 8, 8));
	card.wait_error = -ETIMEDOUT;
	card_release();
	/* Its thread may be the one that is told. */
	assert_int_not_equal(gaudi_stream_synchronize(bed.stream), 0);
	assert_int_equal(gaudi_stream_synchronize(bed.stream),
			 GAUDI_ERR_DEVICE_LOST);
	SAYS("Connection timed out");
	assert_int_equal(gaudi_event_query(event), GAUDI_ERR_DEVICE_LOST);
	assert_int_equal(gaudi_malloc(bed.dev, 1, &other),
			 GAUDI_ERR_DEVICE_LOST);
	GOOD(gaudi_free(bed.dev, bed.mem));
	GOOD(gaudi_host_free(bed.dev, bed.host));
	assert_int_equal(gaudi_stream_destroy(bed.stream),
			 GAUDI_ERR_DEVICE_LOST);
	assert_int_equal(called.times, 1);
	assert_int_not_equal(called.error, 0);
	assert_int_equal(gaudi_device_close(bed.dev), GAUDI_ERR_DEVICE_LOST);
}

static void lost_by_the_driver(void **state)
{
	struct bed bed = bed_make();

	(void)state;
	card.submit_error = -EBUSY;
	assert_int_equal(gaudi_fill_async(bed.stream, bed.mem, 0, 1, 1),
			 GAUDI_ERR_DEVICE_LOST);
	SAYS("takes no more work");
	assert_int_equal(gaudi_fill_async(bed.stream, bed.mem, 0, 1, 1),
			 GAUDI_ERR_DEVICE_LOST);
	assert_int_equal(gaudi_device_close(bed.dev), GAUDI_ERR_DEVICE_LOST);
}

/* A submission that was refused is as if it had not been tried. */
static void refused_work_leaves_nothing(void **state)
{
	struct bed bed = bed_make();

	(void)state;
	memset(bed.host, 1, 100);
	GOOD(gaudi_copy_to_device_async(bed.stream, bed.mem, bed.host, 100));
	card.submit_error = -ENOMEM;
	assert_int_equal(gaudi_fill_async(bed.stream, bed.mem, 2, 1, 100),
			 -ENOMEM);
	SAYS("refused");
	GOOD(gaudi_copy_to_host_async(bed.stream, bed.host + 100, bed.mem,
				      100));
	GOOD(gaudi_stream_synchronize(bed.stream));
	assert_memory_equal(bed.host, bed.host + 100, 100);

	/* In a batch: what was collected before stays. */
	GOOD(gaudi_stream_begin_batch(bed.stream));
	GOOD(gaudi_fill_async(bed.stream, bed.mem, 3, 1, 50));
	card.submit_error = -ENOMEM;
	assert_int_equal(gaudi_copy_to_device_async(bed.stream, bed.mem,
						    bed.host, 50), -ENOMEM);
	GOOD(gaudi_copy_to_host_async(bed.stream, bed.host, bed.mem, 100));
	GOOD(gaudi_stream_end_batch(bed.stream));
	GOOD(gaudi_stream_synchronize(bed.stream));
	assert_int_equal(bed.host[0], 3);
	assert_int_equal(bed.host[49], 3);
	assert_int_equal(bed.host[50], 1);
	GOOD(gaudi_device_close(bed.dev));
}

static void batches_are_few_submissions(void **state)
{
	struct bed bed = bed_make();
	unsigned int before;

	(void)state;
	before = counts.submissions;
	GOOD(gaudi_stream_begin_batch(bed.stream));
	for (unsigned int i = 0; i < 1000; i++)
		GOOD(gaudi_fill_async(bed.stream, bed.mem + i * 8, i, 8, 1));
	assert_int_equal(counts.submissions - before, 0);
	GOOD(gaudi_stream_end_batch(bed.stream));
	assert_int_equal(counts.submissions - before, 1);
	GOOD(gaudi_copy_to_host_async(bed.stream, bed.host, bed.mem, 8000));
	GOOD(gaudi_stream_synchronize(bed.stream));
	for (unsigned int i = 0; i < 1000; i++)
		assert_int_equal(((uint64_t *)bed.host)[i], i);
	GOOD(gaudi_device_close(bed.dev));
}

/* How many engines copies of @bytes are on, as a graph. */
static uint32_t engines_for(struct gaudi_device *dev,
			    struct gaudi_stream *stream, size_t bytes)
{
	struct gaudi_graph *graph;
	uint32_t engines;
	gaudi_ptr a, b;

	GOOD(gaudi_malloc(dev, bytes, &a));
	GOOD(gaudi_malloc(dev, bytes, &b));
	GOOD(gaudi_stream_begin_capture(stream));
	GOOD(gaudi_fill_async(stream, a, 1, 1, bytes));
	GOOD(gaudi_copy_device_async(stream, b, a, bytes));
	GOOD(gaudi_stream_end_capture(stream, &graph));
	engines = graph->program.num_streams;
	GOOD(gaudi_graph_destroy(graph));
	GOOD(gaudi_free(dev, a));
	GOOD(gaudi_free(dev, b));

	return engines;
}

/* As recipes' is; small work of one stream needs only one engine. */
static void large_work_of_graphs_is_divided(void **state)
{
	struct gaudi_stream *stream;
	struct gaudi_device *dev;

	(void)state;
	GOOD(gaudi_device_open(0, 0, &dev));
	GOOD(gaudi_stream_create(dev, &stream));
	assert_int_equal(engines_for(dev, stream, 100), 1);
	assert_int_equal(engines_for(dev, stream, MIB - 1), 1);
	assert_int_equal(engines_for(dev, stream, MIB), 4);
	assert_int_equal(engines_for(dev, stream, 5 * MIB + 1), 6);
	GOOD(gaudi_device_close(dev));
}

/* Memory that work may still touch is nobody else's. */
static void freed_memory_waits_for_work(void **state)
{
	struct bed bed = bed_make();
	struct gaudi_stream *other;
	gaudi_ptr a, b;

	(void)state;
	GOOD(gaudi_stream_create(bed.dev, &other));
	GOOD(gaudi_malloc(bed.dev, 4096, &a));
	/* Without work it comes back at once. */
	GOOD(gaudi_free(bed.dev, a));
	GOOD(gaudi_malloc(bed.dev, 4096, &b));
	assert_int_equal(a, b);

	card.hold = ~0u;
	GOOD(gaudi_fill_async(bed.stream, a, 1, 1, 4096));
	GOOD(gaudi_free(bed.dev, a));
	GOOD(gaudi_malloc(bed.dev, 4096, &b));
	assert_int_not_equal(a, b);
	GOOD(gaudi_malloc_async(bed.stream, 4096, &b));
	assert_int_not_equal(a, b);
	card_release();
	GOOD(gaudi_device_synchronize(bed.dev));
	GOOD(gaudi_malloc(bed.dev, 4096, &b));
	assert_int_equal(a, b);

	/* In a stream's order: the stream's at once, others' later. */
	card.hold = ~0u;
	GOOD(gaudi_fill_async(bed.stream, a, 1, 1, 4096));
	GOOD(gaudi_free_async(bed.stream, a));
	GOOD(gaudi_malloc_async(other, 4096, &b));
	assert_int_not_equal(a, b);
	GOOD(gaudi_malloc_async(bed.stream, 4096, &b));
	assert_int_equal(a, b);
	card_release();
	GOOD(gaudi_device_close(bed.dev));
}

/* A stream knows the blocks of its last work, and forgets them in time. */
static void known_blocks_are_checked(void **state)
{
	struct bed bed = bed_make();
	gaudi_ptr a, b;

	(void)state;
	GOOD(gaudi_malloc(bed.dev, 4096, &a));
	GOOD(gaudi_malloc(bed.dev, 4096, &b));
	for (int i = 0; i < 2; i++) {
		GOOD(gaudi_fill_async(bed.stream, a + 4088, 1, 8, 1));
		assert_int_equal(gaudi_fill_async(bed.stream, a + 4088, 1, 8, 2),
				 GAUDI_ERR_ADDRESS);
		assert_int_equal(gaudi_fill_async(bed.stream, a - 8, 1, 8, 2),
				 GAUDI_ERR_ADDRESS);
		GOOD(gaudi_copy_device_async(bed.stream, b, a, 4096));
		assert_int_equal(gaudi_copy_device_async(bed.stream, b, a, 4097),
				 GAUDI_ERR_ADDRESS);
		assert_true(gd_pool_knows(bed.dev, &bed.stream->to, b, 4096));
		assert_true(gd_pool_knows(bed.dev, &bed.stream->from, a, 4096));
	}
	GOOD(gaudi_stream_synchronize(bed.stream));
	GOOD(gaudi_free(bed.dev, a));
	assert_false(gd_pool_knows(bed.dev, &bed.stream->from, a, 1));
	assert_int_equal(gaudi_copy_device_async(bed.stream, b, a, 8),
			 GAUDI_ERR_ADDRESS);
	SAYS("freed");
	/* The same place as a smaller block. */
	GOOD(gaudi_malloc(bed.dev, 512, &a));
	GOOD(gaudi_fill_async(bed.stream, a, 1, 8, 64));
	assert_int_equal(gaudi_fill_async(bed.stream, a, 1, 8, 65),
			 GAUDI_ERR_ADDRESS);
	GOOD(gaudi_free_async(bed.stream, b));
	assert_int_equal(gaudi_fill_async(bed.stream, b, 1, 8, 1),
			 GAUDI_ERR_ADDRESS);
	GOOD(gaudi_device_close(bed.dev));
}

static void block_it(void *arg, int error)
{
	char byte;

	assert_int_equal(error, 0);
	assert_int_equal(read(*(int *)arg, &byte, 1), 1);
}

/* Work behind a host function has not been given to the card: it counts too. */
static void freed_memory_waits_for_deferred_work(void **state)
{
	struct bed bed = bed_make();
	gaudi_ptr a, b;
	int fds[2];

	(void)state;
	GOOD(pipe(fds));
	GOOD(gaudi_malloc(bed.dev, 4096, &a));
	GOOD(gaudi_stream_add_host_fn(bed.stream, block_it, &fds[0]));
	GOOD(gaudi_fill_async(bed.stream, a, 1, 1, 4096));
	GOOD(gaudi_free(bed.dev, a));
	GOOD(gaudi_malloc(bed.dev, 4096, &b));
	assert_int_not_equal(a, b);
	assert_int_equal(write(fds[1], "", 1), 1);
	GOOD(gaudi_stream_synchronize(bed.stream));
	GOOD(gaudi_malloc(bed.dev, 4096, &b));
	assert_int_equal(a, b);
	close(fds[0]);
	close(fds[1]);
	GOOD(gaudi_device_close(bed.dev));
}

/* Work behind a host function that waits for the pipe: @bed's @at to its host. */
static void copy_in_a_batch(struct bed *bed, int *pipe_end, gaudi_ptr at)
{
	GOOD(gaudi_stream_begin_batch(bed->stream));
	GOOD(gaudi_stream_add_host_fn(bed->stream, block_it, pipe_end));
	GOOD(gaudi_copy_to_host_async(bed->stream, bed->host, at, 4096));
}

/* More than a batch's buffer has room for. */
static void add_more(struct bed *bed)
{
	for (unsigned int i = 0; i < 5000; i++)
		GOOD(gaudi_copy_to_host_async(bed->stream, bed->host + 8192,
					      bed->mem, 8));
}

static bool is_idle(struct gaudi_stream *stream)
{
	bool idle;

	pthread_mutex_lock(&stream->lock);
	idle = gd_stream_idle(stream);
	pthread_mutex_unlock(&stream->lock);

	return idle;
}

/* What a batch has only collected has not been given to the card either. */
static void freed_memory_waits_for_batches(void **state)
{
	struct bed bed = bed_make();
	gaudi_ptr a, b;
	int fds[2];

	(void)state;
	GOOD(pipe(fds));
	GOOD(gaudi_malloc(bed.dev, 4096, &a));
	card.hold = ~0u;
	copy_in_a_batch(&bed, &fds[0], a);
	GOOD(gaudi_free(bed.dev, a));
	add_more(&bed);
	assert_int_equal(write(fds[1], "", 1), 1);
	while (!is_idle(bed.stream)) {
		GOOD(gaudi_malloc(bed.dev, 4096, &b));
		assert_int_not_equal(a, b);
		GOOD(gaudi_free(bed.dev, b));
	}
	card_release();
	GOOD(gaudi_stream_end_batch(bed.stream));
	GOOD(gaudi_device_synchronize(bed.dev));
	GOOD(gaudi_malloc(bed.dev, 4096, &b));
	assert_int_equal(a, b);
	close(fds[0]);
	close(fds[1]);
	GOOD(gaudi_device_close(bed.dev));
}

/* It was freed on the one stream, used there again, and freed on another one. */
static void freed_memory_waits_for_all_its_owners(void **state)
{
	struct bed bed = bed_make();
	struct gaudi_stream *other;
	gaudi_ptr a, b;

	(void)state;
	GOOD(gaudi_stream_create(bed.dev, &other));
	GOOD(gaudi_malloc(bed.dev, 4096, &a));
	card.hold = ~0u;
	GOOD(gaudi_fill_async(bed.stream, a, 1, 1, 4096));
	GOOD(gaudi_free_async(bed.stream, a));
	GOOD(gaudi_malloc_async(bed.stream, 4096, &b));
	assert_int_equal(a, b);
	GOOD(gaudi_free_async(other, b));
	GOOD(gaudi_malloc(bed.dev, 4096, &b));
	assert_int_not_equal(a, b);
	card_release();
	GOOD(gaudi_device_close(bed.dev));
}

struct synchronizer {
	struct bed *bed;
	uint8_t seen;			/* when it returned */
};

static void *synchronize(void *arg)
{
	struct synchronizer *s = arg;

	if (!gaudi_device_synchronize(s->bed->dev))
		s->seen = s->bed->host[0];

	return NULL;
}

static bool is_waiting(struct gaudi_device *dev)
{
	bool waiting;

	pthread_mutex_lock(&dev->lock);
	waiting = dev->waiting;
	pthread_mutex_unlock(&dev->lock);

	return waiting;
}

/* Another thread adds to the batch that it waits for. */
static void synchronize_waits_for_batches(void **state)
{
	struct bed bed = bed_make();
	struct synchronizer s = { &bed };
	pthread_t thread;
	int fds[2];

	(void)state;
	GOOD(pipe(fds));
	GOOD(gaudi_fill(bed.dev, bed.mem, 0x11, 1, 4096));
	copy_in_a_batch(&bed, &fds[0], bed.mem);
	GOOD(pthread_create(&thread, NULL, synchronize, &s));
	while (!is_waiting(bed.dev))
		usleep(100);
	add_more(&bed);
	assert_int_equal(write(fds[1], "", 1), 1);
	add_more(&bed);
	GOOD(pthread_join(thread, NULL));
	assert_int_equal(s.seen, 0x11);
	GOOD(gaudi_stream_end_batch(bed.stream));
	close(fds[0]);
	close(fds[1]);
	GOOD(gaudi_device_close(bed.dev));
}

/* The driver has no more, but work under way gives some back. */
static void short_memory_waits(void **state)
{
	struct gaudi_memory_stats stats = { .size = sizeof(stats) };
	struct gaudi_stream *stream;
	struct gaudi_device *dev;
	gaudi_ptr a, b;

	(void)state;
	card.hbm = 96 * MIB;
	GOOD(gaudi_device_open(0, 0, &dev));
	GOOD(gaudi_stream_create(dev, &stream));
	GOOD(gaudi_malloc(dev, 60 * MIB, &a));
	assert_int_equal(gaudi_malloc(dev, 60 * MIB, &b), -ENOMEM);
	SAYS("62914560 of 100663296 bytes are in use");
	card.delay_us = 20000;
	GOOD(gaudi_fill_async(stream, a, 1, 8, 8));
	GOOD(gaudi_free(dev, a));
	GOOD(gaudi_malloc(dev, 60 * MIB, &b));
	assert_int_equal(a, b);
	GOOD(gaudi_memory_get_stats(dev, &stats));
	assert_int_equal(stats.failures, 1);
	assert_int_equal(stats.in_use, 60 * MIB);
	assert_int_equal(stats.device_total, 96 * MIB);
	assert_int_equal(gaudi_memory_get_stats(dev, NULL), -EINVAL);
	GOOD(gaudi_device_close(dev));
}

static void streams_of_two_cards(void **state)
{
	struct gaudi_stream *sa, *sb;
	struct gaudi_device *da, *db;
	struct gaudi_event *event;
	void *memory;
	uint8_t *host;
	gaudi_ptr a, b;

	(void)state;
	card.cards = 2;
	card.delay_us = 2000;
	GOOD(gaudi_device_open(0, 0, &da));
	GOOD(gaudi_device_open(1, 0, &db));
	GOOD(gaudi_stream_create(da, &sa));
	GOOD(gaudi_stream_create(db, &sb));
	GOOD(gaudi_event_create(da, 0, &event));
	GOOD(gaudi_host_alloc(da, 4096, &memory));
	GOOD(gaudi_host_register(db, memory, 4096));
	GOOD(gaudi_malloc(da, 64, &a));
	GOOD(gaudi_malloc(db, 64, &b));
	host = memory;
	for (int i = 0; i < 20; i++) {
		GOOD(gaudi_fill_async(sa, a, (uint64_t)i, 1, 64));
		GOOD(gaudi_copy_to_host_async(sa, host, a, 64));
		GOOD(gaudi_event_record(event, sa));
		GOOD(gaudi_stream_wait_event(sb, event));
		GOOD(gaudi_copy_to_device_async(sb, b, host, 64));
		GOOD(gaudi_copy_to_host_async(sb, host + 64, b, 64));
		GOOD(gaudi_stream_synchronize(sb));
		assert_int_equal(host[64], i);
	}
	assert_int_equal(gaudi_event_record(event, sb), -EINVAL);
	GOOD(gaudi_host_unregister(db, memory));
	GOOD(gaudi_device_close(db));
	GOOD(gaudi_device_close(da));
}

/* More than a queue holds, with a card that is slow. */
static void full_queues(void **state)
{
	struct bed bed = bed_make();

	(void)state;
	card.delay_us = 50;
	for (unsigned int i = 0; i < 4 * GD_DEPTH; i++)
		GOOD(gaudi_fill_async(bed.stream, bed.mem + i * 8, i, 8, 1));
	GOOD(gaudi_copy_to_host_async(bed.stream, bed.host, bed.mem,
				      GD_DEPTH * 32));
	GOOD(gaudi_stream_synchronize(bed.stream));
	for (unsigned int i = 0; i < 4 * GD_DEPTH; i++)
		assert_int_equal(((uint64_t *)bed.host)[i], i);
	GOOD(gaudi_device_close(bed.dev));
}

/*
 * Nothing signals until something waits for it: then one more submission stands
 * for all that the queue has had so far.
 */
static void signals_begin_with_a_wait(void **state)
{
	struct bed bed = bed_make();
	struct gaudi_stream *other;
	struct gaudi_event *event;
	unsigned int before;

	(void)state;
	GOOD(gaudi_stream_create(bed.dev, &other));
	GOOD(gaudi_event_create(bed.dev, 0, &event));
	for (unsigned int i = 0; i < 3; i++) {
		card.hold = ~0u;
		before = atomic_load(&counts.submissions);
		GOOD(gaudi_fill_async(bed.stream, bed.mem, i + 1, 8, 1));
		GOOD(gaudi_event_record(event, bed.stream));
		GOOD(gaudi_fill_async(bed.stream, bed.mem + 8, i, 8, 1));
		GOOD(gaudi_stream_wait_event(other, event));
		GOOD(gaudi_copy_device_async(other, bed.mem + 16, bed.mem,
					     8));
		assert_int_equal(atomic_load(&counts.submissions) - before,
				 i ? 3 : 4);
		card_release();
		GOOD(gaudi_stream_synchronize(other));
		GOOD(gaudi_copy_to_host(bed.dev, bed.host, bed.mem + 16, 8));
		assert_int_equal(*(uint64_t *)bed.host, i + 1);
	}
	GOOD(gaudi_event_destroy(event));
	GOOD(gaudi_device_close(bed.dev));
}

static void no_pinning(void **state)
{
	struct bed bed = bed_make();
	uint8_t *in = malloc(9 * MIB), *out = malloc(9 * MIB);
	gaudi_ptr a;

	(void)state;
	/* The buffers are there before nothing can be pinned any more. */
	GOOD(gaudi_copy_to_device(bed.dev, bed.mem, in, 100));
	card.pin_error = -EFAULT;
	for (unsigned int i = 0; i < 9 * MIB; i++)
		in[i] = (uint8_t)(i * 7 + i / 4099);
	GOOD(gaudi_malloc(bed.dev, 9 * MIB, &a));
	GOOD(gaudi_copy_to_device(bed.dev, a, in, 9 * MIB));
	GOOD(gaudi_copy_to_host(bed.dev, out, a, 9 * MIB));
	assert_memory_equal(in, out, 9 * MIB);
	assert_int_equal(gaudi_host_register(bed.dev, in, 100), -EFAULT);
	SAYS("cannot pin 100 bytes");
	free(in);
	free(out);
	GOOD(gaudi_device_close(bed.dev));
}

/* What the library prints in a child, with these variables. */
static size_t printed(const char *level, const char *console, char *text,
		      size_t size)
{
	int fds[2];
	ssize_t n;
	pid_t pid;

	GOOD(pipe(fds));
	pid = fork();
	if (!pid) {
		dup2(fds[1], 2);
		setenv("LOG_LEVEL_GAUDI", level, 1);
		setenv("ENABLE_CONSOLE", console, 1);
		gaudi_device_count(NULL);
		_exit(0);
	}
	close(fds[1]);
	n = read(fds[0], text, size - 1);
	close(fds[0]);
	waitpid(pid, NULL, 0);
	text[n > 0 ? n : 0] = '\0';

	return strlen(text);
}

static void logs_when_asked(void **state)
{
	char text[500];

	(void)state;
	assert_true(printed("0", "true", text, sizeof(text)) > 0);
	assert_non_null(strstr(text, "count is NULL"));
	assert_non_null(strstr(text, "[debug]"));
	assert_int_equal(printed("0", "0", text, sizeof(text)), 0);
	assert_int_equal(printed("4", "1", text, sizeof(text)), 0);
	assert_int_equal(printed("7", "1", text, sizeof(text)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		card_test(logs_when_asked),
		card_test(visible_cards),
		card_test(opening_waits_and_fails),
		card_test(info_of_other_sizes),
		card_test(errors_in_words),
		card_test(lost_by_failed_work),
		card_test(lost_by_the_driver),
		card_test(refused_work_leaves_nothing),
		card_test(batches_are_few_submissions),
		card_test(large_work_of_graphs_is_divided),
		card_test(freed_memory_waits_for_work),
		card_test(known_blocks_are_checked),
		card_test(freed_memory_waits_for_deferred_work),
		card_test(freed_memory_waits_for_batches),
		card_test(freed_memory_waits_for_all_its_owners),
		card_test(synchronize_waits_for_batches),
		card_test(short_memory_waits),
		card_test(streams_of_two_cards),
		card_test(full_queues),
		card_test(signals_begin_with_a_wait),
		card_test(no_pinning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
