/* SPDX-License-Identifier: MIT */
/* A device that Synapse's calls have acquired, on the card of threads. */
#ifndef SYN_BED_H
#define SYN_BED_H

#include "../card.h"
#include "habanalabs/synapse_api.h"

#define SAYS(status, call)	assert_int_equal(call, status)

static int syn_set_up(void **state)
{
	synDeviceId id;

	if (card_set_up(state) || synInitialize())
		return -1;
	return synDeviceAcquire(&id, NULL);
}

static int syn_tear_down(void **state)
{
	synStatus status = synDestroy();

	return status && status != synUninitialized ? -1 :
						      card_tear_down(state);
}

/* One that has a device, id 0. */
#define SYN_TEST(fn)	TEST_WITH(fn, syn_set_up, syn_tear_down)

static inline synStreamHandle new_stream(void)
{
	synStreamHandle stream;

	WORKS(synStreamCreateGeneric(&stream, 0, 0));
	return stream;
}

static inline uint64_t new_memory(uint64_t size)
{
	uint64_t address;

	WORKS(synDeviceMalloc(0, size, 0, 0, &address));
	return address;
}

static inline uint64_t at(const void *memory)
{
	return (uintptr_t)memory;
}

#endif /* SYN_BED_H */
