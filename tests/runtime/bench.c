// SPDX-License-Identifier: MIT
/*
 * What libgaudi costs on a card, beside the same done by libhl-thunk alone, as
 * diagnostics of TAP. It passes if all of it works.
 */
#include <errno.h>
#include <sys/mman.h>

#include "common.h"
#include "hlthunk.h"
#include "packets.h"

static struct gaudi_device *dev;
static struct gaudi_stream *stream;

static double seconds_of(void (*fn)(size_t), size_t size, int rounds)
{
	double best = 1e9;

	for (int i = 0; i < rounds; i++) {
		double begin = now(), took;

		fn(size);
		took = now() - begin;
		if (took < best)
			best = took;
	}

	return best;
}

static gaudi_ptr device_memory;
static void *pinned, *plain;
static uint64_t pinned_address;

struct raw {
	uint64_t handle;
	void *memory;
};

static struct raw raw;

static void raw_submit(uint32_t queue, struct pkt_buf *pb)
{
	struct hl_cs_chunk chunk = {
		.cb_handle = raw.handle,
		.queue_index = queue,
		.cb_size = (uint32_t)pb->used,
	};
	struct hlthunk_cs_in in = {
		.chunks_execute = &chunk,
		.num_chunks_execute = 1,
	};
	struct hlthunk_cs_out out = {};
	uint32_t status;

	if (hlthunk_command_submission(gaudi_device_fd(dev), &in, &out) ||
	    hlthunk_wait_for_cs(gaudi_device_fd(dev), out.seq, 60000000,
				&status))
		abort();
}

static void raw_up(size_t size)
{
	struct pkt_buf pb;

	pkt_init(&pb, raw.memory, 4096);
	pkt_lin_dma(&pb, pinned_address, device_memory, (uint32_t)size, 0);
	raw_submit(GAUDI_QUEUE_ID_DMA_0_0, &pb);
}

static void raw_down(size_t size)
{
	struct pkt_buf pb;

	pkt_init(&pb, raw.memory, 4096);
	pkt_lin_dma(&pb, device_memory, pinned_address, (uint32_t)size, 0);
	raw_submit(GAUDI_QUEUE_ID_DMA_1_0, &pb);
}

static void raw_empty(size_t count)
{
	struct pkt_buf pb;

	for (size_t i = 0; i < count; i++) {
		pkt_init(&pb, raw.memory, 4096);
		pkt_nop(&pb, 0);
		raw_submit(GAUDI_QUEUE_ID_DMA_1_0, &pb);
	}
}

static void small(size_t count)
{
	for (size_t i = 0; i < count; i++) {
		GOOD(gaudi_fill_async(stream, device_memory, 0, 8, 1));
		GOOD(gaudi_stream_synchronize(stream));
	}
}

static void raw_flood(size_t count)
{
	struct hl_cs_chunk chunk = {
		.cb_handle = raw.handle,
		.queue_index = GAUDI_QUEUE_ID_DMA_1_0,
	};
	struct hlthunk_cs_in in = {
		.chunks_execute = &chunk,
		.num_chunks_execute = 1,
	};
	struct hlthunk_cs_out out = {};
	struct pkt_buf pb;
	uint32_t status;

	pkt_init(&pb, raw.memory, 4096);
	pkt_memset(&pb, 0, device_memory, 8, 0);
	chunk.cb_size = (uint32_t)pb.used;
	for (size_t i = 0; i < count; i++)
		if (hlthunk_command_submission(gaudi_device_fd(dev), &in, &out))
			abort();
	hlthunk_wait_for_cs(gaudi_device_fd(dev), out.seq, 60000000, &status);
}

static void flood(size_t count)
{
	for (size_t i = 0; i < count; i++)
		GOOD(gaudi_fill_async(stream, device_memory, 0, 8, 1));
	GOOD(gaudi_stream_synchronize(stream));
}

static void batch(size_t count)
{
	GOOD(gaudi_stream_begin_batch(stream));
	flood(count);
	GOOD(gaudi_stream_end_batch(stream));
}

static void pinned_up(size_t size)
{
	GOOD(gaudi_copy_to_device_async(stream, device_memory, pinned, size));
	GOOD(gaudi_stream_synchronize(stream));
}

static void pinned_down(size_t size)
{
	GOOD(gaudi_copy_to_host_async(stream, pinned, device_memory, size));
	GOOD(gaudi_stream_synchronize(stream));
}

static void plain_up(size_t size)
{
	GOOD(gaudi_copy_to_device(dev, device_memory, plain, size));
}

static void plain_down(size_t size)
{
	GOOD(gaudi_copy_to_host(dev, plain, device_memory, size));
}

static void host_memcpy(size_t size)
{
	memcpy(plain, pinned, size);
}

static void host_map(size_t size)
{
	uint64_t va = hlthunk_host_memory_map(gaudi_device_fd(dev), plain, 0,
					      size);

	if (!va || hlthunk_memory_unmap(gaudi_device_fd(dev), va))
		abort();
}

static void allocations(size_t count)
{
	static gaudi_ptr at[64];

	for (size_t i = 0; i < count; i++) {
		if (at[i % 64])
			GOOD(gaudi_free(dev, at[i % 64]));
		GOOD(gaudi_malloc(dev, 512 * (i % 37 + 1), &at[i % 64]));
	}
}

static void rate(const char *name, void (*fn)(size_t), size_t size, int rounds)
{
	printf("# %s_%zum %.3f GB/s\n", name, size / (size_t)MIB,
	       (double)size / 1e9 / seconds_of(fn, size, rounds));
	fflush(stdout);
}

static void each(const char *name, void (*fn)(size_t), size_t count)
{
	printf("# %s %.3f us\n", name, seconds_of(fn, count, 5) /
	       (double)count * 1e6);
	fflush(stdout);
}

int main(void)
{
	static const size_t sizes[] = { 4 * MIB, 16 * MIB, 64 * MIB };
	size_t most = 64 * MIB;

	GOOD(gaudi_device_open(0, 60000, &dev));
	GOOD(gaudi_stream_create(dev, &stream));
	GOOD(gaudi_host_alloc(dev, most, &pinned));
	GOOD(gaudi_host_get_device_address(dev, pinned, &pinned_address));
	GOOD(gaudi_malloc(dev, most, &device_memory));
	plain = malloc(most);
	memset(plain, 1, most);
	memset(pinned, 1, most);
	if (hlthunk_request_command_buffer(gaudi_device_fd(dev), 4096,
					   &raw.handle))
		return 1;
	raw.memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED,
			  gaudi_device_fd(dev), (off_t)raw.handle);
	if (raw.memory == MAP_FAILED)
		return 1;
	for (size_t i = 0; i < 3; i++) {
		rate("raw_up", raw_up, sizes[i], 9);
		rate("pinned_up", pinned_up, sizes[i], 9);
		rate("plain_up", plain_up, sizes[i], 9);
		rate("raw_down", raw_down, sizes[i], 9);
		rate("pinned_down", pinned_down, sizes[i], 9);
		rate("plain_down", plain_down, sizes[i], 9);
		rate("memcpy", host_memcpy, sizes[i], 9);
		rate("map", host_map, sizes[i], 9);
	}
	each("raw_wait", raw_empty, 200);
	each("small_wait", small, 200);
	each("raw_flood", raw_flood, 500);
	each("flood", flood, 500);
	each("batch", batch, 500);
	each("malloc_free", allocations, 20000);

	GOOD(gaudi_device_close(dev));
	puts("1..1\nok 1 - everything was measured");

	return 0;
}
