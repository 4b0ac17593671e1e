// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every function of libhl-thunk without a card: descriptors that are none, then
 * pointers that lead nowhere. Each says so by a negative errno, or by 0 where it
 * returns an address, and sets errno; none crashes. Prints how many were called.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <hlthunk.h>

static unsigned int calls, bad;

static void check(const char *call, long long rc, int good)
{
	calls++;
	if (good && errno > 0)
		return;
	printf("%s returns %lld, errno %d\n", call, rc, errno);
	bad++;
}

#define ANSWER(call, good) do {						\
	long long rc;							\
									\
	errno = 0;							\
	rc = (long long)(call);						\
	check(#call, rc, good);						\
} while (0)
#define DRIVER(call)	ANSWER(call, rc < 0 && errno == -rc)
#define INVALID(call)	ANSWER(call, rc == -EINVAL && errno == EINVAL)
#define ADDRESS(call)	ANSWER(call, !rc)

#include "../unit/thunk/calls.h"

static void others_fail(int fd)
{
	static uint64_t u64[512];
	struct hlthunk_page_fault_info fault = {};
	struct hlthunk_debugfs debugfs;

	DRIVER(hlthunk_get_pci_bus_id_from_fd(fd, (char *)u64, 20));
	ADDRESS(hlthunk_get_device_id_from_fd(fd));
	ADDRESS(hlthunk_is_device_idle(fd));
	ADDRESS(hlthunk_get_device_name_from_fd(fd) != HLTHUNK_DEVICE_INVALID);
	DRIVER(hlthunk_debugfs_open(fd, &debugfs));
	DRIVER(hlthunk_profiler_start(fd));
	DRIVER(hlthunk_profiler_stop(fd));
	DRIVER(hlthunk_profiler_get_trace(fd, u64, u64, u64));
	DRIVER(hlthunk_notifier_release(fd, -1));
	DRIVER(hlthunk_notifier_recv(fd, -1, u64, u64 + 1, 0, 0));
	DRIVER(hlthunk_get_page_fault_info(fd, &fault, 1));
	ADDRESS(hlthunk_device_memory_alloc(fd, 4096, 3, true, false));
}

static void names(void)
{
	DRIVER(hlthunk_open(HLTHUNK_DEVICE_GAUDI, "no address"));
	DRIVER(hlthunk_open(HLTHUNK_DEVICE_GAUDI, "ffff:ff:1f.7"));
	DRIVER(hlthunk_open_by_module_id(UINT32_MAX));
	DRIVER(hlthunk_open_control(0, ""));
	DRIVER(hlthunk_open_control_by_name(HLTHUNK_DEVICE_GAUDI, "1"));
	DRIVER(hlthunk_open_control_by_module_id(UINT32_MAX));
	DRIVER(hlthunk_get_device_index_from_pci_bus_id("ffff:ff:1f.7"));
	DRIVER(hlthunk_close(-1));
}

static void all(int fd)
{
	submissions_fail(fd);
	waits_fail(fd);
	memory_fails(fd);
	information_fails(fd);
	records_fail(fd);
	others_fail(fd);
	null_submissions(fd);
	null_waits(fd);
	null_information(fd);
	null_memory(fd);
	null_names(fd);
}

int main(void)
{
	int file = open("/dev/null", O_RDWR);

	all(-1);
	all(file);
	names();
	/* What takes no card at all. */
	hlthunk_free(NULL);
	hlthunk_profiler_destroy();
	printf("%u\n", calls);
	close(file);

	return bad != 0;
}
