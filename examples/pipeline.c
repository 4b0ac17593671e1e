// SPDX-License-Identifier: MIT
/*
 * Blocks of a large array go through the card on two streams side by side: one
 * takes them there, the other one takes back what the first has brought. Memory
 * is pinned, so nothing waits but the end.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <gaudi.h>

#define BLOCK	(1u << 20)
#define BLOCKS	16

static void check(int rc)
{
	if (rc < 0) {
		fprintf(stderr, "pipeline: %s\n", gaudi_last_error(NULL));
		exit(1);
	}
}

/* On a thread of the library's. */
static void count(void *arg, int error)
{
	if (!error)
		++*(unsigned int *)arg;
}

int main(void)
{
	struct gaudi_event *begun, *there[BLOCKS], *ended;
	struct gaudi_memory_stats stats = { .size = sizeof(stats) };
	struct gaudi_stream *up, *down;
	struct gaudi_device *device;
	unsigned int arrived = 0;
	uint64_t *in, *out, wrong = 0;
	int64_t ns;

	check(gaudi_device_open(0, 60000, &device));
	check(gaudi_stream_create(device, &up));
	check(gaudi_stream_create(device, &down));
	check(gaudi_host_alloc(device, BLOCKS * BLOCK, (void **)&in));
	check(gaudi_host_alloc(device, BLOCKS * BLOCK, (void **)&out));
	check(gaudi_event_create(device, 0, &begun));
	check(gaudi_event_create(device, 0, &ended));
	for (uint64_t i = 0; i < BLOCKS * BLOCK / 8; i++)
		in[i] = i;

	check(gaudi_event_record(begun, up));
	for (unsigned int i = 0; i < BLOCKS; i++) {
		uint64_t *from = in + (size_t)i * BLOCK / 8;
		uint64_t *to = out + (size_t)i * BLOCK / 8;
		gaudi_ptr block;

		check(gaudi_malloc_async(up, BLOCK, &block));
		check(gaudi_copy_to_device_async(up, block, from, BLOCK));
		check(gaudi_event_create(device, GAUDI_EVENT_NO_TIMING,
					 &there[i]));
		check(gaudi_event_record(there[i], up));
		check(gaudi_stream_wait_event(down, there[i]));
		check(gaudi_copy_to_host_async(down, to, block, BLOCK));
		check(gaudi_stream_add_host_fn(down, count, &arrived));
		check(gaudi_free_async(down, block));
	}
	check(gaudi_event_record(ended, down));
	check(gaudi_event_synchronize(ended));

	check(gaudi_event_elapsed_ns(begun, ended, &ns));
	check(gaudi_memory_get_stats(device, &stats));
	for (uint64_t i = 0; i < BLOCKS * BLOCK / 8; i++)
		wrong += out[i] != i;
	printf("%u blocks of %u KiB, %llu wrong, %llu allocations\n", arrived,
	       BLOCK / 1024, (unsigned long long)wrong,
	       (unsigned long long)stats.allocations);
	fprintf(stderr, "%.1f MiB/s\n",
		2.0 * BLOCKS * BLOCK / 1048576 / ((double)ns / 1e9));
	check(gaudi_device_close(device));

	return wrong != 0;
}
