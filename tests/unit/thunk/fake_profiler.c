// SPDX-License-Identifier: GPL-2.0-only
/* A profiler library for misc_test: recognisable answers. */
#include <stdint.h>

int hlthunk_profiler_start(int fd);
int hlthunk_profiler_stop(int fd);
int hlthunk_profiler_get_trace(int fd, void *buffer, uint64_t *size,
			       uint64_t *num_entries);
void hlthunk_profiler_destroy(void);

int hlthunk_profiler_start(int fd)
{
	return fd + 1;
}

int hlthunk_profiler_stop(int fd)
{
	return fd + 2;
}

int hlthunk_profiler_get_trace(int fd, void *buffer, uint64_t *size,
			       uint64_t *num_entries)
{
	(void)fd;
	(void)buffer;
	*size = 64;
	*num_entries = 2;

	return 0;
}

void hlthunk_profiler_destroy(void)
{
}
