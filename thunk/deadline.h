/* SPDX-License-Identifier: MIT */
/* When pthread_cond_timedwait() is to give up: all libraries and tools have it. */
#ifndef THUNK_DEADLINE_H
#define THUNK_DEADLINE_H

#include <time.h>

/* So many milliseconds from now, by the clock of conditions without attributes. */
static inline struct timespec deadline_in_ms(int ms)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += ms / 1000;
	until.tv_nsec += ms % 1000 * 1000000l;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}

	return until;
}

#endif /* THUNK_DEADLINE_H */
