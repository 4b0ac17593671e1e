/* SPDX-License-Identifier: MIT */
/* A device with a stream and memory, for tests of any room. */
#ifndef BED_H
#define BED_H

#include "card.h"

#define GOOD(call)	assert_int_equal(call, 0)
#define SAYS(text)	assert_non_null(strstr(gaudi_last_error(NULL), text))

/* A device with a stream, and pinned memory. */
struct bed {
	struct gaudi_device *dev;
	struct gaudi_stream *stream;
	uint8_t *host;
	gaudi_ptr mem;
};

struct bed bed_make(void);
/* A test of one, whose device is closed behind it. */
int bed_set_up(void **state);
int bed_tear_down(void **state);
#define BED_TEST(fn) \
	UNIT_TEST(fn, (struct bed bed), (*(struct bed *)*state), bed_set_up, \
		  bed_tear_down)

/* A host function: waits until a byte is in the pipe whose end @arg points to. */
void block_it(void *arg, int error);
/* Work behind a host function that waits for the pipe: @bed's @at to its host. */
void copy_in_a_batch(struct bed *bed, int *pipe_end, gaudi_ptr at);
/* More than a batch's buffer has room for. */
void add_more(struct bed *bed);

#endif /* BED_H */
