// SPDX-License-Identifier: MIT
/* Work that is refused, fails, waits or is collected; and queues that are full. */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "../bed.h"
#include "device/queue_state.h"
#include "graph/nodes.h"
#include "streams/work.h"

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
CARD_TEST(lost_by_failed_work)
{
	struct bed bed = bed_make();
	struct called called = {};
	struct gaudi_event *event;
	gaudi_ptr other;

	GOOD(gaudi_event_create(bed.dev, 0, &event));
	card_hold(ALL_STREAMS);
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

static void *give_up(void *device)
{
	GOOD(gaudi_device_give_up(device, "nobody waits for it any more"));

	return NULL;
}

/* Work that does not end: who waits for it is let go. */
CARD_TEST(given_up)
{
	struct bed bed = bed_make();
	pthread_t thread;

	assert_int_equal(gaudi_device_give_up(NULL, "why"), -EINVAL);
	assert_int_equal(gaudi_device_give_up(bed.dev, NULL), -EINVAL);
	card_hold(ALL_STREAMS);
	GOOD(gaudi_copy_to_device_async(bed.stream, bed.mem, bed.host, 100));
	assert_int_equal(pthread_create(&thread, NULL, give_up, bed.dev), 0);
	assert_int_equal(gaudi_stream_synchronize(bed.stream), GAUDI_ERR_DEVICE_LOST);
	SAYS("is lost: nobody waits for it any more");
	assert_int_equal(pthread_join(thread, NULL), 0);
	GOOD(gaudi_device_give_up(bed.dev, "too late"));
	assert_int_equal(gaudi_device_synchronize(bed.dev), GAUDI_ERR_DEVICE_LOST);
	SAYS("nobody waits for it any more");
	card_release();
	GOOD(gaudi_free(bed.dev, bed.mem));
	GOOD(gaudi_host_free(bed.dev, bed.host));
	assert_int_equal(gaudi_stream_destroy(bed.stream), GAUDI_ERR_DEVICE_LOST);
	assert_int_equal(gaudi_device_close(bed.dev), GAUDI_ERR_DEVICE_LOST);
}

static void fail_call(void *arg, int error)
{
	int *said = arg;

	said[0] = error;
	said[1] = gaudi_host_fn_fail(0, "not below 0");
	said[2] = gaudi_host_fn_fail(-EIO, NULL);
	said[3] = gaudi_host_fn_fail(GAUDI_ERR_LINK, "its data never came");
	said[4] = gaudi_host_fn_fail(-EIO, "too late");
}

/* A host function says that it has failed: nothing is done with what it did not bring. */
BED_TEST(host_function_fails)
{
	const int expected[5] = { 0, -EINVAL, -EINVAL, 0, 0 };
	uint8_t byte = 0x41;
	int said[5] = {};

	assert_int_equal(gaudi_host_fn_fail(-EIO, "outside of one"), -EINVAL);
	GOOD(gaudi_copy_to_device(bed.dev, bed.mem, &byte, 1));
	GOOD(gaudi_stream_add_host_fn(bed.stream, fail_call, said));
	/* It may be known by now. */
	gaudi_fill_async(bed.stream, bed.mem, 0x42, 1, 1);
	assert_int_equal(gaudi_stream_synchronize(bed.stream), GAUDI_ERR_LINK);
	SAYS("its data never came");
	assert_memory_equal(said, expected, sizeof(said));
	assert_int_equal(gaudi_fill_async(bed.stream, bed.mem, 0x42, 1, 1), GAUDI_ERR_LINK);
	GOOD(gaudi_copy_to_host(bed.dev, &byte, bed.mem, 1));
	assert_int_equal(byte, 0x41);
	GOOD(gaudi_stream_recover(bed.stream));
	GOOD(gaudi_fill_async(bed.stream, bed.mem, 0x43, 1, 1));
	GOOD(gaudi_stream_synchronize(bed.stream));
	GOOD(gaudi_copy_to_host(bed.dev, &byte, bed.mem, 1));
	assert_int_equal(byte, 0x43);
}

/* A submission that was refused is as if it had not been tried. */
BED_TEST(refused_work_leaves_nothing)
{
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
}

BED_TEST(batches_are_few_submissions)
{
	unsigned int before;

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
CARD_TEST(large_work_of_graphs_is_divided)
{
	struct gaudi_stream *stream;
	struct gaudi_device *dev;

	GOOD(gaudi_device_open(0, 60000, &dev));
	GOOD(gaudi_stream_create(dev, &stream));
	assert_int_equal(engines_for(dev, stream, 100), 1);
	assert_int_equal(engines_for(dev, stream, MIB - 1), 1);
	assert_int_equal(engines_for(dev, stream, MIB), 4);
	assert_int_equal(engines_for(dev, stream, 5 * MIB + 1), 6);
	GOOD(gaudi_device_close(dev));
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
BED_TEST(synchronize_waits_for_batches)
{
	struct synchronizer s = { &bed };
	pthread_t thread;
	int fds[2];

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
}

CARD_TEST(streams_of_two_cards)
{
	struct gaudi_stream *sa, *sb;
	struct gaudi_device *da, *db;
	struct gaudi_event *event;
	void *memory;
	uint8_t *host;
	gaudi_ptr a, b;

	card.cards = 2;
	GOOD(gaudi_device_open(0, 60000, &da));
	GOOD(gaudi_device_open(1, 60000, &db));
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

static void *release_it(void *arg)
{
	unsigned int before = *(unsigned int *)arg;

	/* The queue is full when nothing is added any more. */
	for (unsigned int now; (now = counts.submissions) != before; before = now)
		usleep(20000);
	card_release();

	return NULL;
}

/* More than a queue holds, with a card that begins late. */
BED_TEST(full_queues)
{
	unsigned int before = counts.submissions - 1;
	pthread_t thread;

	card_hold(ALL_STREAMS);
	GOOD(pthread_create(&thread, NULL, release_it, &before));
	for (unsigned int i = 0; i < 4 * GD_DEPTH; i++)
		GOOD(gaudi_fill_async(bed.stream, bed.mem + i * 8, i, 8, 1));
	GOOD(gaudi_copy_to_host_async(bed.stream, bed.host, bed.mem,
				      GD_DEPTH * 32));
	GOOD(pthread_join(thread, NULL));
	GOOD(gaudi_stream_synchronize(bed.stream));
	for (unsigned int i = 0; i < 4 * GD_DEPTH; i++)
		assert_int_equal(((uint64_t *)bed.host)[i], i);
}

/*
 * Nothing signals until something waits for it: then one more submission stands
 * for all that the queue has had so far.
 */
BED_TEST(signals_begin_with_a_wait)
{
	struct gaudi_stream *other;
	struct gaudi_event *event;
	unsigned int before;

	GOOD(gaudi_stream_create(bed.dev, &other));
	GOOD(gaudi_event_create(bed.dev, 0, &event));
	for (unsigned int i = 0; i < 3; i++) {
		card_hold(ALL_STREAMS);
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
}

/* The fewest streams are on two of the hardware streams, and one is taken once. */
BED_TEST(streams_apart)
{
	struct gaudi_stream *more[8], *apart[4];
	uint32_t taken = 0;

	for (unsigned int i = 0; i < 8; i++)
		GOOD(gaudi_stream_create(bed.dev, &more[i]));
	for (unsigned int i = 0; i < 8; i++)
		if (more[i]->hw_stream < 2)
			GOOD(gaudi_stream_destroy(more[i]));
	GOOD(gaudi_stream_create_apart(bed.dev, 4, apart));
	for (unsigned int i = 0; i < 4; i++)
		taken |= 1u << apart[i]->hw_stream;
	assert_int_equal(taken, 0xf);
	assert_int_equal(gaudi_stream_create_apart(bed.dev, 0, apart), -EINVAL);
	SAYS("0 streams");
	assert_int_equal(gaudi_stream_create_apart(bed.dev, 5, apart), -EINVAL);
	SAYS("not 1 to 4");
	assert_int_equal(gaudi_stream_create_apart(bed.dev, 1, NULL), -EINVAL);
	SAYS("1 streams at");
}
