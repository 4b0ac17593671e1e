/* SPDX-License-Identifier: GPL-2.0-only */
/* What tests of random schedules share: numbers, and what the user may choose. */
#ifndef TEST_SCHEDULE_H
#define TEST_SCHEDULE_H

#include <stdint.h>
#include <stdlib.h>

/* xorshift32; *x is not 0. */
static inline uint32_t rnd(uint32_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 17;
	*x ^= *x << 5;
	return *x;
}

/* A number of the environment, or the normal one. */
static inline unsigned int from_env(const char *name, unsigned int normal)
{
	const char *s = getenv(name);

	return s ? strtoul(s, NULL, 0) : normal;
}

#endif /* TEST_SCHEDULE_H */
