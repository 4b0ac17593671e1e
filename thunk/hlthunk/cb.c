// SPDX-License-Identifier: MIT
/* The CB ioctl: command buffers in host memory. */
#include <errno.h>

#include "internal.h"

static int create(int fd, uint32_t cb_size, uint32_t flags, uint64_t *cb_handle)
{
	union hl_cb_args args = {
		.in = {
			.op = HL_CB_OP_CREATE,
			.cb_size = cb_size,
			.flags = flags,
		},
	};
	int rc;

	if (!cb_handle)
		return hlt_ret(-EINVAL);
	rc = hlt_cb(fd, &args);
	if (!rc)
		*cb_handle = args.out.cb_handle;

	return rc;
}

int hlthunk_request_command_buffer(int fd, uint32_t cb_size,
				   uint64_t *cb_handle)
{
	return create(fd, cb_size, 0, cb_handle);
}

int hlthunk_request_mapped_command_buffer(int fd, uint32_t cb_size,
					  uint64_t *cb_handle)
{
	return create(fd, cb_size, HL_CB_FLAGS_MAP, cb_handle);
}

int hlthunk_destroy_command_buffer(int fd, uint64_t cb_handle)
{
	union hl_cb_args args = {
		.in = { .op = HL_CB_OP_DESTROY, .cb_handle = cb_handle },
	};

	return hlt_cb(fd, &args);
}

int hlthunk_get_mapped_cb_device_va_by_handle(int fd, uint64_t cb_handle,
					      uint64_t *device_va)
{
	union hl_cb_args args = {
		.in = {
			.op = HL_CB_OP_INFO,
			.cb_handle = cb_handle,
			.flags = HL_CB_FLAGS_GET_DEVICE_VA,
		},
	};
	int rc;

	if (!device_va)
		return hlt_ret(-EINVAL);
	rc = hlt_cb(fd, &args);
	if (!rc)
		*device_va = args.out.device_va;

	return rc;
}

int hlthunk_get_cb_usage_count(int fd, uint64_t cb_handle, uint32_t *usage_cnt)
{
	union hl_cb_args args = {
		.in = { .op = HL_CB_OP_INFO, .cb_handle = cb_handle },
	};
	int rc;

	if (!usage_cnt)
		return hlt_ret(-EINVAL);
	rc = hlt_cb(fd, &args);
	if (!rc)
		*usage_cnt = args.out.usage_cnt;

	return rc;
}
