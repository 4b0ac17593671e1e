/* SPDX-License-Identifier: MIT */
/* For programs all of whose tests use one device. */
#ifndef RUNTIME_DEVICE_H
#define RUNTIME_DEVICE_H

#ifdef WITH_KNOBS
#include "card.h"
#endif
#include "common.h"

static struct gaudi_device *dev;

static inline int set_up_device(void **state)
{
#ifdef WITH_KNOBS
	card_set_up(state);
#endif
	(void)state;

	return gaudi_device_open(0, 60000, &dev);
}

static inline int tear_down_device(void **state)
{
	(void)state;

	return gaudi_device_close(dev);
}

static inline uint64_t memory_in_use(void)
{
	struct gaudi_memory_stats stats = { .size = sizeof(stats) };

	GOOD(gaudi_memory_get_stats(dev, &stats));

	return stats.in_use;
}

static inline gaudi_ptr device_memory(size_t size)
{
	gaudi_ptr address;

	GOOD(gaudi_malloc(dev, size, &address));

	return address;
}

/* The block at @address, which has been freed, as somebody else's. */
static inline void allocate_again(gaudi_ptr address, size_t size)
{
	gaudi_ptr blocks[64];
	unsigned int n = 0;

	GOOD(gaudi_device_synchronize(dev));
	do {
		assert_true(n < 64);
		blocks[n] = device_memory(size);
	} while (blocks[n++] != address);
	while (--n)
		GOOD(gaudi_free(dev, blocks[n - 1]));
}

static inline void *pinned_memory(size_t size)
{
	void *memory;

	GOOD(gaudi_host_alloc(dev, size, &memory));

	return memory;
}

/* The library's last message has @text in it. */
static inline void says(const char *text)
{
	if (!strstr(gaudi_last_error(NULL), text))
		fail_msg("'%s' is not in '%s'", text, gaudi_last_error(NULL));
}

#endif /* RUNTIME_DEVICE_H */
