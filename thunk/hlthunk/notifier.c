// SPDX-License-Identifier: MIT
/*
 * Notifier: an eventfd that the driver raises when something happens to the
 * device, and the set of what happened.
 */
#include <errno.h>
#include <limits.h>

#include "internal.h"

int hlthunk_notifier_create(int fd)
{
	struct hl_info_args args = { .op = HL_INFO_REGISTER_EVENTFD };
	int handle = hlt_os_eventfd();
	int rc;

	if (handle < 0)
		return hlt_ret(handle);
	args.eventfd = (uint32_t)handle;
	rc = hlt_info(fd, &args);
	if (rc) {
		hlt_os_close(handle);
		return hlt_ret(rc);
	}

	return handle;
}

int hlthunk_notifier_release(int fd, int handle)
{
	struct hl_info_args args = {
		.op = HL_INFO_UNREGISTER_EVENTFD,
		.eventfd = (uint32_t)handle,
	};
	int rc = hlt_info(fd, &args);

	/* The handle goes even if the device has gone. -EINVAL: it was no handle. */
	if (rc == -EINVAL)
		return rc;

	return hlt_ret(hlt_os_close(handle) && !rc ? -EBADF : rc);
}

/* 1: raised, 0: time is over. Signals do not prolong the wait. */
static int wait_for(int handle, uint32_t timeout)
{
	uint64_t end = hlt_os_now_us() + timeout * 1000ull;
	uint64_t now, left;
	int ms, rc;

	for (;;) {
		now = hlt_os_now_us();
		left = now < end ? (end - now + 999) / 1000 : 0;
		ms = left > INT_MAX ? INT_MAX : (int)left;
		rc = hlt_os_poll(handle, timeout == UINT32_MAX ? -1 : ms);
		if (rc == -EINTR || (!rc && left > INT_MAX))
			continue;
		return rc;
	}
}

int hlthunk_notifier_recv(int fd, int handle, uint64_t *notifier_events,
			  uint64_t *notifier_cnt, uint32_t flags,
			  uint32_t timeout)
{
	uint64_t count = 0;
	ssize_t n;
	int rc;

	if (!notifier_events || !notifier_cnt || flags)
		return hlt_ret(-EINVAL);
	/* poll() would wait for nothing. */
	if (handle < 0)
		return hlt_ret(-EBADF);
	*notifier_events = 0;
	*notifier_cnt = 0;

	rc = wait_for(handle, timeout);
	if (rc <= 0)
		return hlt_ret(rc);
	n = hlt_os_read(handle, &count, sizeof(count));
	if (n == -EAGAIN)		/* another thread took it */
		return 0;
	if (n != sizeof(count))
		return hlt_ret(n < 0 ? (int)n : -EBADF);

	rc = hlt_info_get(fd, HL_INFO_GET_EVENTS, notifier_events,
			  sizeof(*notifier_events));
	if (!rc)
		*notifier_cnt = count;

	return rc;
}
