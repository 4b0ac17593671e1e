// SPDX-License-Identifier: MIT
/*
 * The six ioctls, and when they are tried again.
 *
 * A driver may write its answer over the argument even when it fails, so every
 * retry starts from a copy. EINTR is always retried. EAGAIN is retried for CS
 * only, where it means that a hardware queue is full, which passes; elsewhere
 * it means that the card's CPU does not answer, which may not.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "profile.h"

#define CS_RETRY_MIN_US		10
#define CS_RETRY_MAX_US		1000

void hlt_log(const char *fmt, ...)
{
	const char *level = secure_getenv("HLTHUNK_DEBUG_LEVEL");
	int saved_errno = errno;
	char line[256];
	va_list ap;

	if (!level || atoi(level) <= 0)
		return;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	fprintf(stderr, "hlthunk: %s\n", line);
	errno = saved_errno;
}

int hlt_ret(int rc)
{
	if (rc < 0)
		errno = -rc;

	return rc;
}

static int report(const char *what, uint32_t op, int fd, int rc)
{
	if (rc)
		hlt_log("fd %d: %s %u: %s", fd, what, op, strerror(-rc));

	return hlt_ret(rc);
}

/* @size bytes of argument, at most those of the largest of the six */
static int retry(int fd, unsigned long request, void *arg, size_t size)
{
	union {
		struct hl_info_args info;
		union hl_cb_args cb;
		union hl_cs_args cs;
		union hl_mem_args mem;
		struct hl_debug_args debug;
	} copy;
	int rc;

	memcpy(&copy, arg, size);
	while ((rc = hlt_os_ioctl(fd, request, arg)) == -EINTR)
		memcpy(arg, &copy, size);

	return rc;
}

int hlt_info(int fd, struct hl_info_args *args)
{
	uint32_t op = args->op;
	int rc = retry(fd, DRM_IOCTL_HL_INFO, args, sizeof(*args));

	return report("INFO", op, fd, rc);
}

int hlt_info_get(int fd, uint32_t op, void *out, uint32_t size)
{
	struct hl_info_args args = {
		.return_pointer = (uintptr_t)out,
		.return_size = size,
		.op = op,
	};

	memset(out, 0, size);

	return hlt_info(fd, &args);
}

int hlt_cb(int fd, union hl_cb_args *args)
{
	PROFILE_SPAN("ioctl CB", "op", args->in.op, NULL);
	uint32_t op = args->in.op;
	int rc = retry(fd, DRM_IOCTL_HL_CB, args, sizeof(*args));

	return report("CB", op, fd, rc);
}

int hlt_cs(int fd, union hl_cs_args *args)
{
	const union hl_cs_args copy = *args;
	unsigned int delay_us = CS_RETRY_MIN_US;
	int rc;

	PROFILE_SPAN("ioctl CS", "seq", 0, NULL);
	for (;;) {
		rc = retry(fd, DRM_IOCTL_HL_CS, args, sizeof(*args));
		if (rc != -EAGAIN)
			break;
		hlt_os_sleep_us(delay_us);
		if (delay_us < CS_RETRY_MAX_US)
			delay_us *= 2;
		*args = copy;
	}
	if (!rc)
		profile_span_.value = args->out.seq;
	if (__builtin_expect(profile_on, 0))
		hlt_profile_now_and_then(fd);

	return report("CS flags", copy.in.cs_flags, fd, rc);
}

int hlt_mem(int fd, union hl_mem_args *args)
{
	static const char * const names[] = {
		[HL_MEM_OP_ALLOC] = "ioctl MEMORY alloc",
		[HL_MEM_OP_FREE] = "ioctl MEMORY free",
		[HL_MEM_OP_MAP] = "ioctl MEMORY map",
		[HL_MEM_OP_UNMAP] = "ioctl MEMORY unmap",
	};
	uint32_t op = args->in.op;
	int rc;

	PROFILE_SPAN(op < ARRAY_SIZE(names) && names[op] ? names[op] :
		     "ioctl MEMORY", "op", op, NULL);
	rc = retry(fd, DRM_IOCTL_HL_MEMORY, args, sizeof(*args));
	if (__builtin_expect(profile_on, 0) && op <= HL_MEM_OP_FREE)
		hlt_profile_memory(fd);

	return report("MEMORY", op, fd, rc);
}

int hlt_debug(int fd, struct hl_debug_args *args)
{
	uint32_t op = args->op;
	int rc = retry(fd, DRM_IOCTL_HL_DEBUG, args, sizeof(*args));

	return report("DEBUG", op, fd, rc);
}

int hlt_wait(int fd, union hl_wait_cs_args *args, __u64 *timeout_us)
{
	union hl_wait_cs_args copy = *args;
	const uint64_t total = *timeout_us;
	uint64_t start = 0, passed;
	int rc;

	PROFILE_SPAN("ioctl WAIT_CS", "seq", args->in.seq, NULL);
	if (__builtin_expect(profile_on, 0))
		hlt_profile_now_and_then(fd);
	if (total)
		start = hlt_os_now_us();

	while ((rc = hlt_os_ioctl(fd, DRM_IOCTL_HL_WAIT_CS, args)) == -EINTR) {
		*args = copy;
		if (!total)
			continue;
		passed = hlt_os_now_us() - start;
		*timeout_us = passed < total ? total - passed : 0;
	}

	return report("WAIT_CS flags", copy.in.flags, fd, rc);
}
