// SPDX-License-Identifier: MIT
/* Memory that may not be used: work may still touch it, or there is none. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <unistd.h>

#include "../bed.h"
#include "streams/work.h"

/* Memory that work may still touch is nobody else's. */
BED_TEST(freed_memory_waits_for_work)
{
	struct gaudi_stream *other;
	gaudi_ptr a, b;

	GOOD(gaudi_stream_create(bed.dev, &other));
	GOOD(gaudi_malloc(bed.dev, 4096, &a));
	/* Without work it comes back at once. */
	GOOD(gaudi_free(bed.dev, a));
	GOOD(gaudi_malloc(bed.dev, 4096, &b));
	assert_int_equal(a, b);

	card_hold(ALL_STREAMS);
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
	card_hold(ALL_STREAMS);
	GOOD(gaudi_fill_async(bed.stream, a, 1, 1, 4096));
	GOOD(gaudi_free_async(bed.stream, a));
	GOOD(gaudi_malloc_async(other, 4096, &b));
	assert_int_not_equal(a, b);
	GOOD(gaudi_malloc_async(bed.stream, 4096, &b));
	assert_int_equal(a, b);
	card_release();
}

/* A stream knows the blocks of its last work, and forgets them in time. */
BED_TEST(known_blocks_are_checked)
{
	gaudi_ptr a, b;

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
}

/* Work behind a host function has not been given to the card: it counts too. */
BED_TEST(freed_memory_waits_for_deferred_work)
{
	gaudi_ptr a, b;
	int fds[2];

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
BED_TEST(freed_memory_waits_for_batches)
{
	gaudi_ptr a, b;
	int fds[2];

	GOOD(pipe(fds));
	GOOD(gaudi_malloc(bed.dev, 4096, &a));
	card_hold(ALL_STREAMS);
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
}

/* It was freed on the one stream, used there again, and freed on another one. */
BED_TEST(freed_memory_waits_for_all_its_owners)
{
	struct gaudi_stream *other;
	gaudi_ptr a, b;

	GOOD(gaudi_stream_create(bed.dev, &other));
	GOOD(gaudi_malloc(bed.dev, 4096, &a));
	card_hold(ALL_STREAMS);
	GOOD(gaudi_fill_async(bed.stream, a, 1, 1, 4096));
	GOOD(gaudi_free_async(bed.stream, a));
	GOOD(gaudi_malloc_async(bed.stream, 4096, &b));
	assert_int_equal(a, b);
	GOOD(gaudi_free_async(other, b));
	GOOD(gaudi_malloc(bed.dev, 4096, &b));
	assert_int_not_equal(a, b);
	card_release();
}

/* It was freed in the order of a stream that has nothing left to do, while another reads it. */
BED_TEST(freed_memory_waits_for_other_streams)
{
	struct gaudi_stream *other;
	gaudi_ptr a, b;

	GOOD(gaudi_stream_create(bed.dev, &other));
	GOOD(gaudi_malloc_async(other, 4096, &a));
	card_hold(ALL_STREAMS);
	GOOD(gaudi_fill_async(bed.stream, a, 1, 1, 4096));
	GOOD(gaudi_free_async(other, a));
	GOOD(gaudi_malloc(bed.dev, 4096, &b));
	assert_int_not_equal(a, b);
	GOOD(gaudi_malloc_async(other, 4096, &b));
	assert_int_equal(a, b);
	card_release();
}

/* The driver has no more, but work under way gives some back. */
CARD_TEST(short_memory_waits)
{
	struct gaudi_memory_stats stats = { .size = sizeof(stats) };
	struct gaudi_stream *stream;
	struct gaudi_device *dev;
	gaudi_ptr a, b;
	uint64_t total;
	char text[100];
	size_t most;

	GOOD(gaudi_device_open(0, 60000, &dev));
	GOOD(gaudi_stream_create(dev, &stream));
	GOOD(gaudi_memory_get_stats(dev, &stats));
	total = stats.device_total;
	most = (size_t)(total / 8 * 5);
	GOOD(gaudi_malloc(dev, most, &a));
	assert_int_equal(gaudi_malloc(dev, most, &b), -ENOMEM);
	snprintf(text, sizeof(text), "%zu of %" PRIu64 " bytes are in use", most, total);
	SAYS(text);
	card_hold(ALL_STREAMS);
	GOOD(gaudi_fill_async(stream, a, 1, 8, 8));
	GOOD(gaudi_free(dev, a));
	card.on_busy = card_release;
	GOOD(gaudi_malloc(dev, most, &b));
	assert_int_equal(a, b);
	GOOD(gaudi_memory_get_stats(dev, &stats));
	assert_int_equal(stats.failures, 1);
	assert_int_equal(stats.in_use, most);
	assert_int_equal(stats.device_total, total);
	assert_int_equal(gaudi_memory_get_stats(dev, NULL), -EINVAL);
	GOOD(gaudi_device_close(dev));
}

BED_TEST(no_pinning)
{
	uint8_t *in = malloc(9 * MIB), *out = malloc(9 * MIB);
	gaudi_ptr a;

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
}
