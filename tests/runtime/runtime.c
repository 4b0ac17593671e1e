// SPDX-License-Identifier: MIT
/* libgaudi on a card: devices, memory, copies, streams, events, host functions. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device.h"

static int set_up(void **state)
{
#ifdef WITH_KNOBS
	setenv("DRIVER", "gaudi", 0);
#endif
	return set_up_device(state);
}

TEST(opens_by_each_name)
{
	struct gaudi_device_info info = { .size = sizeof(info) }, again;
	struct gaudi_device *other;
	uint32_t count = 0;

	GOOD(gaudi_device_count(&count));
	assert_true(count >= 1);
	GOOD(gaudi_device_get_info(dev, &info));
	assert_int_equal(info.index, 0);
	assert_true(info.memory_size > 0 && info.sram_size > 0);
	assert_string_equal(info.driver, getenv("DRIVER"));
	FAILS(gaudi_device_open(count, 0, &other), -ENODEV);
	assert_non_null(strstr(gaudi_last_error(NULL), "index"));
	FAILS(gaudi_device_open_by_module_id(4711, 0, &other), -ENODEV);
	FAILS(gaudi_device_open_by_pci_address("x", 0, &other), -EINVAL);
	FAILS(gaudi_device_open_by_pci_address("0000:ff:1f.7", 0, &other),
	      -ENODEV);

	GOOD(gaudi_device_close(dev));
	GOOD(gaudi_device_open_by_module_id(info.module_id, 60000, &dev));
	GOOD(gaudi_device_close(dev));
	GOOD(gaudi_device_open_by_pci_address(info.pci_address, 60000, &dev));
	GOOD(gaudi_device_close(dev));
	GOOD(gaudi_device_open_by_pci_address(info.pci_address + 5, 60000,
					      &dev));
	again.size = sizeof(again);
	GOOD(gaudi_device_get_info(dev, &again));
	assert_memory_equal(&info, &again, sizeof(info));
}

TEST(sees_what_the_environment_says)
{
	struct gaudi_device_info info = { .size = sizeof(info) };
	char text[32];
	uint32_t count;

	GOOD(gaudi_device_get_info(dev, &info));
	setenv("HABANA_VISIBLE_MODULES", "4711", 1);
	GOOD(gaudi_device_count(&count));
	assert_int_equal(count, 0);
	snprintf(text, sizeof(text), "4711,%u", info.module_id);
	setenv("HABANA_VISIBLE_MODULES", text, 1);
	GOOD(gaudi_device_count(&count));
	assert_int_equal(count, 1);
	setenv("HABANA_VISIBLE_DEVICES", "200", 1);
	GOOD(gaudi_device_count(&count));
	assert_int_equal(count, 0);
	setenv("HABANA_VISIBLE_DEVICES", "0,", 1);
	FAILS(gaudi_device_count(&count), -EINVAL);
	setenv("HABANA_VISIBLE_DEVICES", "all", 1);
	GOOD(gaudi_device_count(&count));
	assert_int_equal(count, 1);
	unsetenv("HABANA_VISIBLE_DEVICES");
	unsetenv("HABANA_VISIBLE_MODULES");
}

/* Sizes and offsets around what packets, pages and buffers are. */
static const size_t sizes[] = {
	1, 3, 7, 8, 127, 128, 4095, 4096, 4097, 65536, 524287, 524288,
	1 * MIB + 13, 4 * MIB, 5 * MIB + 4099, 35 * MIB + 1,
};

static void round_trip(struct gaudi_stream *stream, uint8_t *in, uint8_t *out,
		       gaudi_ptr a, gaudi_ptr b, size_t size, uint64_t seed)
{
	pattern(in, size, seed);
	memset(out, 0x5a, size + 2);
	GOOD(gaudi_copy_to_device_async(stream, a, in, size));
	GOOD(gaudi_copy_device_async(stream, b, a, size));
	GOOD(gaudi_copy_to_host_async(stream, out + 1, b, size));
	GOOD(gaudi_stream_synchronize(stream));
	assert_true(out[0] == 0x5a && out[size + 1] == 0x5a);
	assert_true(is_pattern(out + 1, size, seed));
}

static void copies(uint8_t *in, uint8_t *out)
{
	struct gaudi_stream *stream;
	gaudi_ptr a, b;

	GOOD(gaudi_stream_create(dev, &stream));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t size = sizes[i];

		GOOD(gaudi_malloc(dev, size + 5, &a));
		GOOD(gaudi_malloc(dev, size + 5, &b));
		round_trip(stream, in, out, a, b, size, i);
		round_trip(stream, in + 3, out, a + 5, b + 1, size, i + 100);
		GOOD(gaudi_free(dev, a));
		GOOD(gaudi_free(dev, b));
	}
	GOOD(gaudi_stream_destroy(stream));
}

#define LARGEST	(40 * MIB)

TEST(copies_pinned)
{
	void *in, *out;

	GOOD(gaudi_host_alloc(dev, LARGEST, &in));
	GOOD(gaudi_host_alloc(dev, LARGEST, &out));
	copies(in, out);
	GOOD(gaudi_host_free(dev, in));
	GOOD(gaudi_host_free(dev, out));
	FAILS(gaudi_host_free(dev, out), -EINVAL);
}

/* Any byte tells of the whole; those in front and behind tell of nothing. */
static void pinned_range(uint8_t *memory, size_t bytes)
{
	void *start;
	size_t size;

	for (size_t at = 0; at < bytes; at += bytes / 2) {
		start = NULL;
		size = 0;
		GOOD(gaudi_host_get_range(dev, memory + at, &start, &size));
		assert_ptr_equal(start, memory);
		assert_int_equal(size, bytes);
	}
	GOOD(gaudi_host_get_range(dev, memory + bytes - 1, NULL, NULL));
	FAILS(gaudi_host_get_range(dev, memory - 1, &start, &size),
	      GAUDI_ERR_ADDRESS);
	FAILS(gaudi_host_get_range(dev, memory + bytes, &start, &size),
	      GAUDI_ERR_ADDRESS);
	FAILS(gaudi_host_get_range(dev, NULL, &start, &size),
	      GAUDI_ERR_ADDRESS);
}

TEST(blocks_tell_of_themselves)
{
	gaudi_ptr a, start = 0;
	uint64_t size = 0;

	GOOD(gaudi_malloc(dev, 1000, &a));
	GOOD(gaudi_memory_get_range(dev, a, &start, &size));
	assert_int_equal(start, a);
	assert_int_equal(size, 1000);
	start = 0;
	GOOD(gaudi_memory_get_range(dev, a + 999, &start, NULL));
	assert_int_equal(start, a);
	GOOD(gaudi_memory_get_range(dev, a + 1, NULL, &size));
	/* The block has 1024 bytes, of which 1000 were asked for. */
	FAILS(gaudi_memory_get_range(dev, a + 1000, &start, &size),
	      GAUDI_ERR_ADDRESS);
	FAILS(gaudi_memory_get_range(dev, 0, &start, &size),
	      GAUDI_ERR_ADDRESS);
	GOOD(gaudi_free(dev, a));
	FAILS(gaudi_memory_get_range(dev, a, &start, &size),
	      GAUDI_ERR_ADDRESS);
	assert_int_equal(start, a);
	assert_int_equal(size, 1000);
}

TEST(copies_registered)
{
	uint8_t *in = malloc(LARGEST), *out = malloc(LARGEST);
	gaudi_ptr address, next;

	/* Of no alignment. */
	GOOD(gaudi_host_register(dev, in + 13, LARGEST - 13));
	GOOD(gaudi_host_register(dev, out + 1, LARGEST - 1));
	FAILS(gaudi_host_register(dev, in + 100, 1), -EEXIST);
	GOOD(gaudi_host_get_device_address(dev, in + 13, &address));
	GOOD(gaudi_host_get_device_address(dev, in + 14, &next));
	assert_int_equal(next, address + 1);
	FAILS(gaudi_host_get_device_address(dev, in + 12, &address),
	      GAUDI_ERR_ADDRESS);
	pinned_range(in + 13, LARGEST - 13);
	copies(in + 13, out + 1);
	GOOD(gaudi_host_unregister(dev, in + 13));
	GOOD(gaudi_host_unregister(dev, out + 1));
	FAILS(gaudi_host_unregister(dev, out + 1), -EINVAL);
	free(in);
	free(out);
}

TEST(copies_pageable)
{
	uint8_t *in = malloc(LARGEST), *out = malloc(LARGEST);

	copies(in, out);
	free(in);
	free(out);
}

/* What cannot be pinned can be copied all the same. */
TEST(copies_read_only)
{
	size_t size = 9 * MIB;
	uint8_t *in = mmap(NULL, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *out = malloc(size);
	gaudi_ptr a;

	pattern(in, size, 77);
	mprotect(in, size, PROT_READ);
	GOOD(gaudi_malloc(dev, size, &a));
	GOOD(gaudi_copy_to_device(dev, a, in, size));
	GOOD(gaudi_copy_to_host(dev, out, a, size));
	assert_memory_equal(in, out, size);
	GOOD(gaudi_free(dev, a));
	munmap(in, size);
	free(out);
}

/* Rows, by the card and, for comparison, by hand. */
static void rect(uint8_t *host, uint8_t *back, size_t width, size_t height,
		 size_t pitch, size_t dev_pitch)
{
	size_t host_size = pitch * height, dev_size = dev_pitch * height;
	struct gaudi_stream *stream;
	uint8_t *image = malloc(dev_size);
	gaudi_ptr a, b;

	GOOD(gaudi_stream_create(dev, &stream));
	GOOD(gaudi_malloc(dev, dev_size, &a));
	GOOD(gaudi_malloc(dev, dev_size, &b));
	pattern(host, host_size, width);
	memset(back, 0x11, host_size);
	GOOD(gaudi_fill_async(stream, a, 0x22, 1, dev_size));
	GOOD(gaudi_fill_async(stream, b, 0x33, 1, dev_size));
	GOOD(gaudi_copy_to_device_2d_async(stream, a, dev_pitch, host, pitch,
					   width, height));
	GOOD(gaudi_copy_device_2d_async(stream, b, dev_pitch, a, dev_pitch,
					width, height));
	GOOD(gaudi_copy_to_host_2d_async(stream, back, pitch, b, dev_pitch,
					 width, height));
	GOOD(gaudi_stream_synchronize(stream));
	for (size_t row = 0; row < height; row++) {
		assert_memory_equal(back + row * pitch, host + row * pitch,
				    width);
		for (size_t i = width; i < pitch; i++)
			assert_int_equal(back[row * pitch + i], 0x11);
	}
	GOOD(gaudi_copy_to_host(dev, image, b, dev_size));
	for (size_t row = 0; row < height; row++)
		for (size_t i = width; i < dev_pitch; i++)
			assert_int_equal(image[row * dev_pitch + i], 0x33);
	GOOD(gaudi_free(dev, a));
	GOOD(gaudi_free(dev, b));
	GOOD(gaudi_stream_destroy(stream));
	free(image);
}

TEST(copies_rows)
{
	void *in, *out;
	size_t size = 8 * MIB;

	GOOD(gaudi_host_alloc(dev, size, &in));
	GOOD(gaudi_host_alloc(dev, size, &out));
	for (int i = 0; i < 2; i++) {
		rect(in, out, 17, 300, 40, 23);
		rect(in, out, 3, 5000, 3, 8);
		rect(in, out, 100, 50, 100, 100);
		rect(in, out, 700 * KIB + 1, 3, 1 * MIB, 800 * KIB);
		if (!i) {
			GOOD(gaudi_host_free(dev, in));
			GOOD(gaudi_host_free(dev, out));
			in = malloc(size);
			out = malloc(size);
		}
	}
	free(in);
	free(out);
}

TEST(fills)
{
	uint8_t host[1000], want[1000];
	gaudi_ptr a;

	GOOD(gaudi_malloc(dev, 2 * MIB, &a));
	for (uint32_t size = 1; size <= 8; size *= 2) {
		for (unsigned int at = 0; at < 9; at++) {
			uint64_t value = 0x8899aabbccddeeff;

			memset(want, 0xee, sizeof(want));
			for (unsigned int i = 0; i < 111; i++)
				memcpy(want + at + i * size, &value, size);
			GOOD(gaudi_fill(dev, a, 0xee, 1, 1000));
			GOOD(gaudi_fill(dev, a + at, value, size, 111));
			GOOD(gaudi_copy_to_host(dev, host, a, 1000));
			assert_memory_equal(host, want, sizeof(want));
		}
	}
	FAILS(gaudi_fill(dev, a, 0, 3, 1), -EINVAL);
	FAILS(gaudi_fill(dev, a, 0, 8, SIZE_MAX / 4), -EOVERFLOW);
	FAILS(gaudi_fill(dev, a, 0, 8, MIB), GAUDI_ERR_ADDRESS);
	GOOD(gaudi_fill(dev, 0, 0, 8, 0));
	GOOD(gaudi_free(dev, a));
}

TEST(refuses_bad_ranges)
{
	uint8_t host[64] = {};
	struct gaudi_stream *stream;
	gaudi_ptr a;

	GOOD(gaudi_stream_create(dev, &stream));
	GOOD(gaudi_malloc(dev, 64, &a));
	FAILS(gaudi_copy_to_device(dev, a + 1, host, 64), GAUDI_ERR_ADDRESS);
	assert_non_null(strstr(gaudi_last_error(NULL), "64 bytes"));
	FAILS(gaudi_copy_to_device(dev, a - 1, host, 1), GAUDI_ERR_ADDRESS);
	FAILS(gaudi_copy_to_device(dev, 0x1000, host, 1), GAUDI_ERR_ADDRESS);
	FAILS(gaudi_copy_to_device(dev, a, NULL, 1), -EINVAL);
	FAILS(gaudi_copy_device(dev, a, a + 8, 16), -EINVAL);
	FAILS(gaudi_copy_to_device_2d_async(stream, a, 8, host, 7, 8, 2),
	      -EINVAL);
	FAILS(gaudi_copy_to_device_2d_async(stream, a, SIZE_MAX / 2, host, 8,
					    8, 4), -EOVERFLOW);
	FAILS(gaudi_copy_to_host_2d_async(stream, host, 7, a, 8, 8, 2), -EINVAL);
	FAILS(gaudi_copy_device_2d_async(stream, a, 7, a + 32, 8, 8, 2), -EINVAL);
	assert_non_null(strstr(gaudi_last_error(NULL), "7 and 8 bytes apart"));
	/* Columns beside each other are good, those that meet anywhere are not. */
	GOOD(gaudi_copy_device_2d_async(stream, a + 4, 16, a, 16, 4, 4));
	GOOD(gaudi_copy_device_2d_async(stream, a + 2, 3, a, 30, 1, 3));
	FAILS(gaudi_copy_device_2d_async(stream, a + 3, 16, a, 16, 4, 4), -EINVAL);
	FAILS(gaudi_copy_device_2d_async(stream, a, 16, a + 16, 16, 4, 3), -EINVAL);
	FAILS(gaudi_copy_device_2d_async(stream, a + 35, 1, a + 1, 18, 1, 3),
	      -EINVAL);
	assert_non_null(strstr(gaudi_last_error(NULL), "3 rows of 1 bytes"));
	FAILS(gaudi_copy_to_device(NULL, a, host, 1), -EINVAL);
	GOOD(gaudi_copy_to_device(dev, 0, NULL, 0));
	GOOD(gaudi_free(dev, a));
	FAILS(gaudi_copy_to_device(dev, a, host, 1), GAUDI_ERR_ADDRESS);
	FAILS(gaudi_free(dev, a), GAUDI_ERR_ADDRESS);
	GOOD(gaudi_stream_destroy(stream));
}

/*
 * A value goes round: one stream to the next, by events, over all queues. Each
 * station copies it on, so a wait that is lost shows in the data.
 */
#define STATIONS	7
#define ROUNDS		40

TEST(events_order_streams)
{
	struct gaudi_stream *streams[STATIONS];
	struct gaudi_event *events[STATIONS];
	size_t size = 256 * KIB;
	uint8_t *host;
	gaudi_ptr at[STATIONS];
	void *memory;

	GOOD(gaudi_host_alloc(dev, 2 * size, &memory));
	host = memory;
	for (int i = 0; i < STATIONS; i++) {
		GOOD(gaudi_stream_create(dev, &streams[i]));
		GOOD(gaudi_event_create(dev, GAUDI_EVENT_NO_TIMING * (i % 2),
					&events[i]));
		GOOD(gaudi_malloc(dev, size, &at[i]));
	}
	for (int round = 0; round < ROUNDS; round++) {
		pattern(host, size, (uint64_t)round);
		memset(host + size, 0, size);
		GOOD(gaudi_copy_to_device_async(streams[0], at[0], host, size));
		GOOD(gaudi_event_record(events[0], streams[0]));
		for (int i = 1; i < STATIONS; i++) {
			GOOD(gaudi_stream_wait_event(streams[i],
						     events[i - 1]));
			GOOD(gaudi_copy_device_async(streams[i], at[i],
						     at[i - 1], size));
			GOOD(gaudi_event_record(events[i], streams[i]));
		}
		GOOD(gaudi_stream_wait_event(streams[0],
					     events[STATIONS - 1]));
		GOOD(gaudi_copy_to_host_async(streams[0], host + size,
					      at[STATIONS - 1], size));
		GOOD(gaudi_stream_synchronize(streams[0]));
		assert_true(is_pattern(host + size, size, (uint64_t)round));
	}
	for (int i = 0; i < STATIONS; i++) {
		GOOD(gaudi_event_query(events[i]));
		GOOD(gaudi_event_destroy(events[i]));
		GOOD(gaudi_stream_destroy(streams[i]));
		GOOD(gaudi_free(dev, at[i]));
	}
	GOOD(gaudi_host_free(dev, memory));
}

TEST(events_tell_time)
{
	struct gaudi_event *start, *end, *none;
	struct gaudi_stream *stream;
	size_t size = 32 * MIB;
	double begin, seconds;
	int64_t ns = -1;
	gaudi_ptr a, b;
	int rc;

	GOOD(gaudi_stream_create(dev, &stream));
	GOOD(gaudi_event_create(dev, 0, &start));
	GOOD(gaudi_event_create(dev, 0, &end));
	GOOD(gaudi_event_create(dev, GAUDI_EVENT_NO_TIMING, &none));
	GOOD(gaudi_malloc(dev, size, &a));
	GOOD(gaudi_malloc(dev, size, &b));
	GOOD(gaudi_event_query(start));
	FAILS(gaudi_event_elapsed_ns(start, end, &ns), -EINVAL);
	begin = now();
	GOOD(gaudi_event_record(start, stream));
	GOOD(gaudi_event_record(none, stream));
	GOOD(gaudi_copy_device_async(stream, b, a, size));
	GOOD(gaudi_event_record(end, stream));
	rc = gaudi_event_elapsed_ns(start, end, &ns);
	assert_true(rc == 0 || rc == GAUDI_ERR_NOT_READY);
	GOOD(gaudi_event_synchronize(end));
	seconds = now() - begin;
	GOOD(gaudi_event_elapsed_ns(start, end, &ns));
	assert_true(ns > 0 && (double)ns / 1e9 <= seconds);
	GOOD(gaudi_event_elapsed_ns(end, end, &ns));
	assert_int_equal(ns, 0);
	FAILS(gaudi_event_elapsed_ns(none, end, &ns), -EINVAL);
	FAILS(gaudi_event_create(dev, 8, &none), -EINVAL);
	GOOD(gaudi_free(dev, a));
	GOOD(gaudi_free(dev, b));
	GOOD(gaudi_event_destroy(start));
	GOOD(gaudi_event_destroy(end));
	GOOD(gaudi_stream_destroy(stream));
	/* @none belongs to the device, which ends it. */
}

struct call {
	uint8_t *seen;
	int count, error, inside;
	struct gaudi_stream *stream;
	atomic_bool go;			/* the function may end */
};

static void wait_for_flag(void *arg, int error)
{
	(void)error;
	while (!atomic_load((atomic_bool *)arg))
		usleep(1000);
}

static void count_call(void *arg, int error)
{
	struct call *call = arg;

	call->count++;
	call->error = error;
	call->inside = gaudi_stream_synchronize(call->stream);
	/* Not before the work that it comes after. */
	call->error |= call->seen[0] != 0x41;
	wait_for_flag(&call->go, error);
	/* What does not wait for it is done by then. */
	usleep(20000);
	call->seen[0] = 0x42;
}

TEST(host_functions_are_in_order)
{
	struct gaudi_stream *stream, *other;
	struct call call = {};
	struct gaudi_event *event;
	uint8_t *host;
	void *memory;
	gaudi_ptr a;

	GOOD(gaudi_stream_create(dev, &stream));
	GOOD(gaudi_stream_create(dev, &other));
	GOOD(gaudi_event_create(dev, 0, &event));
	GOOD(gaudi_host_alloc(dev, 4096, &memory));
	GOOD(gaudi_malloc(dev, 4096, &a));
	host = memory;
	call.seen = host;
	call.stream = stream;
	for (int round = 0; round < 5; round++) {
		host[0] = 0;
		atomic_store(&call.go, false);
		GOOD(gaudi_fill_async(stream, a, 0x41, 1, 4096));
		GOOD(gaudi_copy_to_host_async(stream, host, a, 1));
		GOOD(gaudi_stream_add_host_fn(stream, count_call, &call));
		FAILS(gaudi_stream_query(stream), GAUDI_ERR_NOT_READY);
		/* Reads what the function wrote. */
		GOOD(gaudi_copy_to_device_async(stream, a + 8, host, 1));
		GOOD(gaudi_event_record(event, stream));
		FAILS(gaudi_event_query(event), GAUDI_ERR_NOT_READY);
		GOOD(gaudi_stream_wait_event(other, event));
		GOOD(gaudi_copy_to_host_async(other, host + 1, a + 8, 1));
		atomic_store(&call.go, true);
		GOOD(gaudi_stream_synchronize(other));
		assert_int_equal(host[1], 0x42);
		assert_int_equal(call.count, round + 1);
		assert_int_equal(call.error, 0);
		assert_int_equal(call.inside, -EDEADLK);
	}
	GOOD(gaudi_event_synchronize(event));
	GOOD(gaudi_stream_add_host_fn(stream, count_call, &call));
	GOOD(gaudi_host_unregister(dev, memory) == -EINVAL ? 0 : 1);
	GOOD(gaudi_stream_destroy(stream));
	assert_int_equal(call.count, 6);
	GOOD(gaudi_stream_destroy(other));
	GOOD(gaudi_host_free(dev, memory));
	GOOD(gaudi_free(dev, a));
}

/* What waits for a record waits for that one, also if a later one is done first. */
TEST(records_overtake)
{
	struct gaudi_stream *late, *waiting, *quick;
	atomic_bool open = false;
	struct gaudi_event *event;
	uint32_t seen = 0;
	gaudi_ptr a;
	int rc;

	GOOD(gaudi_stream_create(dev, &late));
	GOOD(gaudi_stream_create(dev, &waiting));
	GOOD(gaudi_stream_create(dev, &quick));
	GOOD(gaudi_event_create(dev, 0, &event));
	GOOD(gaudi_malloc(dev, 8, &a));
	GOOD(gaudi_fill(dev, a, 1, 4, 1));
	GOOD(gaudi_stream_add_host_fn(late, wait_for_flag, &open));
	GOOD(gaudi_fill_async(late, a, 2, 4, 1));
	GOOD(gaudi_event_record(event, late));
	GOOD(gaudi_stream_wait_event(waiting, event));
	GOOD(gaudi_copy_device_async(waiting, a + 4, a, 4));
	GOOD(gaudi_event_record(event, quick));
	GOOD(gaudi_event_synchronize(event));
	/* If it did not wait it would have ended by then. */
	usleep(100000);
	rc = gaudi_stream_query(waiting);
	atomic_store(&open, true);
	GOOD(gaudi_stream_destroy(waiting));
	GOOD(gaudi_stream_destroy(late));
	GOOD(gaudi_stream_destroy(quick));
	GOOD(gaudi_event_destroy(event));
	GOOD(gaudi_copy_to_host(dev, &seen, a + 4, 4));
	GOOD(gaudi_free(dev, a));
	assert_int_equal(rc, GAUDI_ERR_NOT_READY);
	assert_int_equal(seen, 2);
}

TEST(batches)
{
	struct gaudi_stream *stream, *other;
	struct gaudi_event *event;
	uint32_t *host;
	void *memory;
	gaudi_ptr a;

	GOOD(gaudi_stream_create(dev, &stream));
	GOOD(gaudi_stream_create(dev, &other));
	GOOD(gaudi_event_create(dev, 0, &event));
	GOOD(gaudi_host_alloc(dev, 64 * KIB, &memory));
	GOOD(gaudi_malloc(dev, 64 * KIB, &a));
	host = memory;
	memset(host, 0, 64 * KIB);
	FAILS(gaudi_stream_end_batch(stream), -EINVAL);
	GOOD(gaudi_stream_begin_batch(stream));
	GOOD(gaudi_stream_begin_batch(stream));
	/* More packets than a buffer has room for, each after the last one. */
	for (uint32_t i = 0; i < 6000; i++)
		GOOD(gaudi_fill_async(stream, a + i % 4 * 4, i, 4, 1));
	GOOD(gaudi_copy_to_host_async(stream, host, a, 16));
	GOOD(gaudi_stream_end_batch(stream));
	/* Who waits gets it submitted. */
	GOOD(gaudi_event_record(event, stream));
	GOOD(gaudi_stream_wait_event(other, event));
	GOOD(gaudi_copy_to_host_async(other, host + 16, a, 16));
	GOOD(gaudi_stream_synchronize(other));
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(host[i], 5996 + i);
		assert_int_equal(host[16 + i], 5996 + i);
	}
	GOOD(gaudi_fill_async(stream, a, 7, 4, 1));
	GOOD(gaudi_copy_to_host_async(stream, host, a, 4));
	GOOD(gaudi_device_synchronize(dev));
	assert_int_equal(host[0], 7);
	GOOD(gaudi_copy_to_host_async(stream, host + 4, a, 4));
	/* Memory that stands in an open batch. */
	GOOD(gaudi_host_free(dev, memory));
	GOOD(gaudi_stream_end_batch(stream));
	GOOD(gaudi_stream_destroy(stream));
	GOOD(gaudi_stream_destroy(other));
	GOOD(gaudi_free(dev, a));
}

TEST(pool_keeps_its_book)
{
	struct gaudi_memory_stats stats = { .size = sizeof(stats) }, before;
	struct gaudi_stream *stream;
	gaudi_ptr a[200], b;

	GOOD(gaudi_stream_create(dev, &stream));
	GOOD(gaudi_memory_get_stats(dev, &stats));
	before = stats;
	for (int i = 0; i < 200; i++) {
		GOOD(gaudi_malloc(dev, 1 + (size_t)i * 997, &a[i]));
		assert_int_equal(a[i] % 128, 0);
		for (int j = 0; j < i; j++)
			assert_true(a[i] + 1 + (size_t)i * 997 <= a[j] ||
				    a[j] + 1 + (size_t)j * 997 <= a[i]);
	}
	GOOD(gaudi_memory_get_stats(dev, &stats));
	assert_int_equal(stats.in_use, 200 + 997 * 199 * 100);
	assert_true(stats.allocated >= stats.in_use &&
		    stats.reserved >= stats.allocated);
	assert_true(stats.pool_hits - before.pool_hits >= 190);
	for (int i = 0; i < 200; i += 2)
		GOOD(gaudi_free(dev, a[i]));
	for (int i = 1; i < 200; i += 2)
		GOOD(gaudi_free(dev, a[i]));
	GOOD(gaudi_memory_trim(dev, 0));
	GOOD(gaudi_memory_get_stats(dev, &stats));
	assert_int_equal(stats.in_use, 0);
	assert_int_equal(stats.allocated, 0);
	assert_int_equal(stats.reserved, 0);
	assert_int_equal(stats.frees - before.frees, 200);
	assert_true(stats.in_use_peak > 0);
	GOOD(gaudi_memory_reset_peak(dev));
	FAILS(gaudi_malloc(dev, SIZE_MAX, &b), -ENOMEM);
	FAILS(gaudi_malloc(dev, 0, &b), -EINVAL);
	/* In a stream's order: at once again. */
	GOOD(gaudi_malloc_async(stream, 64 * KIB, &a[0]));
	GOOD(gaudi_malloc_async(stream, 3 * MIB, &a[1]));
	assert_int_equal(a[1] % 4096, 0);
	GOOD(gaudi_fill_async(stream, a[1], 1, 8, 3 * MIB / 8));
	GOOD(gaudi_free_async(stream, a[1]));
	GOOD(gaudi_malloc_async(stream, 3 * MIB, &b));
	assert_int_equal(a[1], b);
	GOOD(gaudi_free_async(stream, b));
	GOOD(gaudi_stream_destroy(stream));
	GOOD(gaudi_free(dev, a[0]));
}

/* All of the memory, freed with work under way, and again. */
TEST(memory_comes_back)
{
	struct gaudi_memory_stats stats = { .size = sizeof(stats) };
	struct gaudi_stream *stream;
	gaudi_ptr big;

	GOOD(gaudi_stream_create(dev, &stream));
	GOOD(gaudi_memory_trim(dev, 0));
	GOOD(gaudi_memory_get_stats(dev, &stats));
	for (int i = 0; i < 3; i++) {
		GOOD(gaudi_malloc(dev, stats.device_free / 4 * 3, &big));
		GOOD(gaudi_fill_async(stream, big, 1, 8, 2 * MIB));
		GOOD(gaudi_free(dev, big));
		GOOD(gaudi_malloc(dev, stats.device_free / 8 * 5, &big));
		GOOD(gaudi_free(dev, big));
	}
	FAILS(gaudi_malloc(dev, stats.device_total + 1, &big), -ENOMEM);
	GOOD(gaudi_stream_destroy(stream));
	GOOD(gaudi_memory_trim(dev, 0));
}

TEST(refuses_a_child)
{
	struct gaudi_stream *stream;
	int status = -1;
	gaudi_ptr a;
	pid_t pid;

	GOOD(gaudi_stream_create(dev, &stream));
	pid = fork();
	if (!pid) {
		int bad = gaudi_malloc(dev, 1, &a) != GAUDI_ERR_FORKED;

		bad |= (gaudi_stream_synchronize(stream) !=
			GAUDI_ERR_FORKED) << 1;
		bad |= (gaudi_stream_destroy(stream) != GAUDI_ERR_FORKED) << 2;
		bad |= (gaudi_device_close(dev) != GAUDI_ERR_FORKED) << 3;
		bad |= !strstr(gaudi_last_error(NULL), "parent") << 4;
		_exit(bad);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	GOOD(gaudi_malloc(dev, 1, &a));
	GOOD(gaudi_free(dev, a));
	GOOD(gaudi_stream_destroy(stream));
}

#define THREADS	16

/* Everything at once; each thread's data must stay its own. */
static void *thread_main(void *arg)
{
	uint64_t seed = (uintptr_t)arg;
	struct gaudi_stream *stream;
	struct gaudi_event *event;
	size_t size = 100 * KIB + 17 * seed;
	uint8_t *plain = malloc(size);
	gaudi_ptr a, b;
	void *pinned;
	int rc = 0;

	rc |= gaudi_stream_create(dev, &stream);
	rc |= gaudi_event_create(dev, 0, &event);
	rc |= gaudi_host_alloc(dev, size, &pinned);
	for (uint64_t i = 0; !rc && i < 20; i++) {
		pattern(plain, size, seed * 100 + i);
		rc |= gaudi_malloc(dev, size, &a);
		rc |= gaudi_malloc_async(stream, size, &b);
		rc |= gaudi_copy_to_device_async(stream, a, plain, size);
		rc |= gaudi_copy_device_async(stream, b, a, size);
		rc |= gaudi_event_record(event, stream);
		rc |= gaudi_copy_to_host_async(stream, pinned, b, size);
		rc |= i % 2 ? gaudi_stream_synchronize(stream) :
			      gaudi_device_synchronize(dev);
		rc |= memcmp(pinned, plain, size);
		rc |= gaudi_event_query(event);
		memset(plain, 0, size);
		rc |= gaudi_copy_to_host(dev, plain, a, size);
		rc |= memcmp(pinned, plain, size);
		rc |= gaudi_free(dev, a);
		rc |= gaudi_free_async(stream, b);
	}
	rc |= gaudi_host_free(dev, pinned);
	rc |= gaudi_event_destroy(event);
	rc |= gaudi_stream_destroy(stream);
	free(plain);

	return (void *)(intptr_t)rc;
}

TEST(many_threads)
{
	pthread_t threads[THREADS];
	void *result;
	int bad = 0;

	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, thread_main,
						(void *)i), 0);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &result);
		bad |= result != NULL;
	}
	assert_int_equal(bad, 0);
}

GROUP(set_up, tear_down_device)
