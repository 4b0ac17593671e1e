// SPDX-License-Identifier: MIT
#include <unistd.h>

#include "bed.h"

struct bed bed_make(void)
{
	struct bed bed;
	void *host;

	GOOD(gaudi_device_open(0, 60000, &bed.dev));
	GOOD(gaudi_stream_create(bed.dev, &bed.stream));
	GOOD(gaudi_host_alloc(bed.dev, 65536, &host));
	GOOD(gaudi_malloc(bed.dev, 65536, &bed.mem));
	bed.host = host;

	return bed;
}

int bed_set_up(void **state)
{
	static struct bed bed;

	if (card_set_up(state))
		return -1;
	bed = bed_make();
	*state = &bed;
	return 0;
}

int bed_tear_down(void **state)
{
	struct bed *bed = *state;

	GOOD(gaudi_device_close(bed->dev));
	return card_tear_down(state);
}

void block_it(void *arg, int error)
{
	char byte;

	assert_int_equal(error, 0);
	assert_int_equal(read(*(int *)arg, &byte, 1), 1);
}

void copy_in_a_batch(struct bed *bed, int *pipe_end, gaudi_ptr at)
{
	GOOD(gaudi_stream_begin_batch(bed->stream));
	GOOD(gaudi_stream_add_host_fn(bed->stream, block_it, pipe_end));
	GOOD(gaudi_copy_to_host_async(bed->stream, bed->host, at, 4096));
}

void add_more(struct bed *bed)
{
	for (unsigned int i = 0; i < 5000; i++)
		GOOD(gaudi_copy_to_host_async(bed->stream, bed->host + 8192,
					      bed->mem, 8));
}
