/* SPDX-License-Identifier: MIT */
/* For programs all of whose tests use one device. */
#ifndef RUNTIME_DEVICE_H
#define RUNTIME_DEVICE_H

#include "common.h"

static struct gaudi_device *dev;

static inline gaudi_ptr device_memory(size_t size)
{
	gaudi_ptr address;

	GOOD(gaudi_malloc(dev, size, &address));

	return address;
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
