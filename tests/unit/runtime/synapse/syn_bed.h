/* SPDX-License-Identifier: MIT */
/* A device that Synapse's calls have acquired. */
#ifndef SYN_BED_H
#define SYN_BED_H

#include <errno.h>

#include "../card.h"
#include "habanalabs/synapse_api.h"
#include "synapse/syn_internal.h"

/* A call that answers what it should. */
#define SAYS(status, call)	assert_int_equal(call, status)

static inline int syn_set_up(void **state)
{
	return card_set_up(state) || synInitialize();
}

static inline int syn_tear_down(void **state)
{
	synStatus status = synDestroy();

	return status && status != synUninitialized ? -1 :
						      card_tear_down(state);
}

static inline int syn_set_up_device(void **state)
{
	synDeviceId id;

	return syn_set_up(state) || synDeviceAcquire(&id, NULL);
}

#define SYN_TEST(fn)	TEST_WITH(fn, syn_set_up, syn_tear_down)
/* One that has a device, id 0. */
#define DEVICE_TEST(fn)	TEST_WITH(fn, syn_set_up_device, syn_tear_down)

static inline synStreamHandle new_stream(void)
{
	synStreamHandle stream;

	WORKS(synStreamCreateGeneric(&stream, 0, 0));
	return stream;
}

static inline synEventHandle new_event(uint32_t flags)
{
	synEventHandle event;

	WORKS(synEventCreate(&event, 0, flags));
	return event;
}

static inline uint64_t new_memory(uint64_t size)
{
	uint64_t address;

	WORKS(synDeviceMalloc(0, size, 0, 0, &address));
	return address;
}

/* As copies have the host's side. */
static inline uint64_t at(const void *memory)
{
	return (uintptr_t)memory;
}

#endif /* SYN_BED_H */
