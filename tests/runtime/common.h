/* SPDX-License-Identifier: MIT */
/* What the programs that use libgaudi on a card share. */
#ifndef RUNTIME_COMMON_H
#define RUNTIME_COMMON_H

#include <time.h>

#include "../unit/unit.h"
#include "gaudi.h"

#ifndef MIB
#define KIB	1024ull
#define MIB	(1024 * KIB)
#endif

/* A call that has to succeed; says what the library says. */
#define GOOD(call) do {							\
	int rc_ = (call);						\
									\
	if (rc_)							\
		fail_msg("%s: %d: %s", #call, rc_, gaudi_last_error(NULL)); \
} while (0)

#define FAILS(call, want) do {						\
	int rc_ = (call);						\
									\
	if (rc_ != (int)(want))						\
		fail_msg("%s: %d, not %d: %s", #call, rc_, (int)(want),	\
			 gaudi_last_error(NULL));			\
} while (0)

/* Bytes that differ for each @seed and offset. */
static inline uint64_t mix(uint64_t x)
{
	x ^= x >> 31;
	x *= 0x9e3779b97f4a7c15u;
	x ^= x >> 29;

	return x;
}

static inline void pattern(void *memory, size_t size, uint64_t seed)
{
	uint8_t *bytes = memory;
	size_t i = 0;

	for (; i + 8 <= size; i += 8) {
		uint64_t word = mix(seed * 1000003 + i);

		memcpy(bytes + i, &word, 8);
	}
	for (; i < size; i++)
		bytes[i] = (uint8_t)mix(seed * 1000003 + i);
}

static inline int is_pattern(const void *memory, size_t size, uint64_t seed)
{
	uint8_t *want = malloc(size + 1);
	int same;

	pattern(want, size, seed);
	same = !memcmp(memory, want, size);
	free(want);

	return same;
}

/* All tests, or those whose names match $ONLY. */
#define RUN_TESTS(tests, set_up, tear_down) ({				\
	if (getenv("ONLY"))						\
		cmocka_set_test_filter(getenv("ONLY"));			\
	cmocka_run_group_tests(tests, set_up, tear_down);		\
})

static inline double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);

	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

#endif /* RUNTIME_COMMON_H */
