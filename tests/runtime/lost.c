// SPDX-License-Identifier: MIT
/*
 * A submission that does not end, so that the driver resets the card: what the
 * library says, and that the card can be opened again. The driver's timeout is to
 * be short.
 */
#include <sys/mman.h>

#include "common.h"
#include "hlthunk.h"
#include "packets.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reset_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
