// SPDX-License-Identifier: MIT
/* All cards of a machine at once: two threads on each, and data handed round. */
#include <pthread.h>

#include "common.h"

#define MOST	8
#define SIZE	(1 * MIB + 24)
#define ROUNDS	5

static struct gaudi_device *devs[MOST];
static uint32_t count;

static void *worker(void *arg)
{
	uintptr_t n = (uintptr_t)arg;
	struct gaudi_device *dev = devs[n % count];
	uint8_t *in = malloc(SIZE), *out = malloc(SIZE);
	struct gaudi_stream *stream;
	gaudi_ptr a = 0, b = 0;
	int rc;

	rc = gaudi_stream_create(dev, &stream);
	for (int i = 0; !rc && i < ROUNDS; i++) {
		pattern(in, SIZE, n * 100 + (unsigned int)i);
		rc |= gaudi_malloc(dev, SIZE, &a);
		rc |= gaudi_malloc(dev, SIZE, &b);
		rc |= gaudi_copy_to_device_async(stream, a, in, SIZE);
		rc |= gaudi_copy_device_async(stream, b, a, SIZE);
		rc |= gaudi_copy_to_host_async(stream, out, b, SIZE);
		rc |= gaudi_stream_synchronize(stream);
		rc |= memcmp(in, out, SIZE);
		rc |= gaudi_free(dev, a);
		rc |= gaudi_free(dev, b);
	}
	rc |= gaudi_stream_destroy(stream);
	free(in);
	free(out);

	return (void *)(intptr_t)rc;
}

TEST(all_cards_at_once)
{
	pthread_t threads[2 * MOST];
	void *result;
	int bad = 0;

	for (uintptr_t i = 0; i < 2 * count; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, worker,
						(void *)i), 0);
	for (uint32_t i = 0; i < 2 * count; i++) {
		pthread_join(threads[i], &result);
		bad |= result != NULL;
	}
	assert_int_equal(bad, 0);
}

/* From card to card by memory that is pinned for all of them. */
TEST(events_across_cards)
{
	struct gaudi_stream *streams[MOST];
	struct gaudi_event *events[MOST];
	gaudi_ptr at[MOST];
	uint8_t *host = malloc((size_t)(count + 1) * SIZE);

	pattern(host, SIZE, 5);
	for (uint32_t i = 0; i < count; i++) {
		GOOD(gaudi_host_register(devs[i], host,
					 (size_t)(count + 1) * SIZE));
		GOOD(gaudi_stream_create(devs[i], &streams[i]));
		GOOD(gaudi_event_create(devs[i], 0, &events[i]));
		GOOD(gaudi_malloc(devs[i], SIZE, &at[i]));
	}
	for (uint32_t i = 0; i < count; i++) {
		if (i)
			GOOD(gaudi_stream_wait_event(streams[i],
						     events[i - 1]));
		GOOD(gaudi_copy_to_device_async(streams[i], at[i],
						host + (size_t)i * SIZE, SIZE));
		GOOD(gaudi_copy_to_host_async(streams[i],
					      host + (size_t)(i + 1) * SIZE,
					      at[i], SIZE));
		GOOD(gaudi_event_record(events[i], streams[i]));
	}
	GOOD(gaudi_event_synchronize(events[count - 1]));
	assert_true(is_pattern(host + (size_t)count * SIZE, SIZE, 5));
	for (uint32_t i = 0; i < count; i++) {
		GOOD(gaudi_stream_destroy(streams[i]));
		GOOD(gaudi_host_unregister(devs[i], host));
	}
	free(host);
}

static int set_up(void **state)
{
	int rc = gaudi_device_count(&count);

	(void)state;
	if (count < 2 || count > MOST)
		return -1;
	for (uint32_t i = 0; !rc && i < count; i++)
		rc = gaudi_device_open(i, 60000, &devs[i]);

	return rc;
}

static int tear_down(void **state)
{
	int rc = 0;

	(void)state;
	for (uint32_t i = 0; i < count; i++)
		rc |= gaudi_device_close(devs[i]);

	return rc;
}

GROUP(set_up, tear_down)
