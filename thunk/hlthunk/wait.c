// SPDX-License-Identifier: MIT
/* The WAIT_CS ioctl: submissions, one or several, and user interrupts. */
#include <errno.h>

#include "internal.h"

/*
 * Drivers write status and timestamp on failure too, but not for every
 * failure: then the argument still holds the input.
 */
static void put_result(const union hl_wait_cs_args *args, int rc,
		       uint32_t *status, uint64_t *timestamp)
{
	uint32_t s = args->out.status;
	bool stamped = args->out.flags & HL_WAIT_CS_STATUS_FLAG_TIMESTAMP_VLD;

	if (rc == -ETIMEDOUT)
		s = HL_WAIT_CS_STATUS_TIMEDOUT;
	else if (rc == -EIO)
		s = HL_WAIT_CS_STATUS_ABORTED;
	else if (rc)
		s = HL_WAIT_CS_STATUS_BUSY;
	if (status)
		*status = s;
	if (timestamp)
		*timestamp = !rc && stamped ? args->out.timestamp_nsec : 0;
}

int hlthunk_wait_for_cs(int fd, uint64_t seq, uint64_t timeout_us,
			uint32_t *status)
{
	return hlthunk_wait_for_cs_with_timestamp(fd, seq, timeout_us, status,
						  NULL);
}

int hlthunk_wait_for_cs_with_timestamp(int fd, uint64_t seq,
				       uint64_t timeout_us, uint32_t *status,
				       uint64_t *timestamp)
{
	union hl_wait_cs_args args = {};
	int rc;

	args.in.seq = seq;
	args.in.timeout_us = timeout_us;
	rc = hlt_wait(fd, &args, &args.in.timeout_us);
	put_result(&args, rc, status, timestamp);

	return rc;
}

int hlthunk_deprecated_func1(int fd, uint64_t seq, uint64_t timeout_us,
			     uint32_t *status, uint64_t *timestamp)
{
	return hlthunk_wait_for_cs_with_timestamp(fd, seq, timeout_us, status,
						  timestamp);
}

int hlthunk_wait_for_multi_cs(int fd, struct hlthunk_wait_multi_cs_in *in,
			      struct hlthunk_wait_multi_cs_out *out)
{
	return hlthunk_wait_for_multi_cs_with_timestamp(fd, in, out, NULL);
}

int hlthunk_wait_for_multi_cs_with_timestamp(int fd,
					     struct hlthunk_wait_multi_cs_in *in,
					     struct hlthunk_wait_multi_cs_out *out,
					     uint64_t *timestamp)
{
	union hl_wait_cs_args args = {};
	int rc;

	if (!in || !out || !in->seq || !in->seq_len ||
	    in->seq_len > HL_WAIT_MULTI_CS_LIST_MAX_LEN)
		return hlt_ret(-EINVAL);

	args.in.seq = (uintptr_t)in->seq;
	args.in.timeout_us = in->timeout_us;
	args.in.seq_arr_len = (uint8_t)in->seq_len;
	args.in.flags = HL_WAIT_CS_FLAGS_MULTI_CS;
	rc = hlt_wait(fd, &args, &args.in.timeout_us);
	put_result(&args, rc, &out->status, timestamp);
	out->seq_set = rc ? 0 : args.out.cs_completion_map;
	out->completed = (uint8_t)__builtin_popcount(out->seq_set);

	return rc;
}

static int wait_interrupt(int fd, union hl_wait_cs_args *args,
			  uint32_t interrupt_id, uint64_t timeout_us,
			  uint32_t *status, uint64_t *timestamp)
{
	const uint32_t shift = __builtin_ctz(HL_WAIT_CS_FLAGS_INTERRUPT_MASK);
	int rc;

	if (interrupt_id > HL_WAIT_CS_FLAGS_INTERRUPT_MASK >> shift)
		return hlt_ret(-EINVAL);
	args->in.flags |= HL_WAIT_CS_FLAGS_INTERRUPT | interrupt_id << shift;
	args->in.interrupt_timeout_us = timeout_us;
	rc = hlt_wait(fd, args, &args->in.interrupt_timeout_us);
	put_result(args, rc, status, timestamp);

	return rc;
}

int hlthunk_wait_for_interrupt(int fd, void *addr, uint64_t target_value,
			       uint32_t interrupt_id, uint64_t timeout_us,
			       uint32_t *status)
{
	return hlthunk_wait_for_interrupt_with_timestamp(fd, addr, target_value,
							 interrupt_id,
							 timeout_us, status,
							 NULL);
}

int hlthunk_wait_for_interrupt_with_timestamp(int fd, void *addr,
					      uint64_t target_value,
					      uint32_t interrupt_id,
					      uint64_t timeout_us,
					      uint32_t *status,
					      uint64_t *timestamp)
{
	union hl_wait_cs_args args = {};

	args.in.addr = (uintptr_t)addr;
	args.in.target = target_value;

	return wait_interrupt(fd, &args, interrupt_id, timeout_us, status,
			      timestamp);
}

int hlthunk_wait_for_interrupt_by_handle(int fd, uint64_t cq_counters_handle,
					 uint64_t cq_counters_offset,
					 uint64_t target_value,
					 uint32_t interrupt_id,
					 uint64_t timeout_us, uint32_t *status)
{
	return hlthunk_wait_for_interrupt_by_handle_with_timestamp(fd,
			cq_counters_handle, cq_counters_offset, target_value,
			interrupt_id, timeout_us, status, NULL);
}

int hlthunk_wait_for_interrupt_by_handle_with_timestamp(int fd,
					uint64_t cq_counters_handle,
					uint64_t cq_counters_offset,
					uint64_t target_value,
					uint32_t interrupt_id,
					uint64_t timeout_us, uint32_t *status,
					uint64_t *timestamp)
{
	union hl_wait_cs_args args = {};

	args.in.cq_counters_handle = cq_counters_handle;
	args.in.cq_counters_offset = cq_counters_offset;
	args.in.target = target_value;
	args.in.flags = HL_WAIT_CS_FLAGS_INTERRUPT_KERNEL_CQ;

	return wait_interrupt(fd, &args, interrupt_id, timeout_us, status,
			      timestamp);
}

int hlthunk_register_timestamp_interrupt(int fd, uint32_t interrupt_id,
					 uint64_t cq_counters_handle,
					 uint64_t cq_counters_offset,
					 uint64_t target_value,
					 uint64_t timestamps_handle,
					 uint64_t timestamps_offset)
{
	union hl_wait_cs_args args = {};

	args.in.cq_counters_handle = cq_counters_handle;
	args.in.cq_counters_offset = cq_counters_offset;
	args.in.target = target_value;
	args.in.timestamp_handle = timestamps_handle;
	args.in.timestamp_offset = timestamps_offset;
	args.in.flags = HL_WAIT_CS_FLAGS_INTERRUPT_KERNEL_CQ |
			HL_WAIT_CS_FLAGS_REGISTER_INTERRUPT;

	return wait_interrupt(fd, &args, interrupt_id, 0, NULL, NULL);
}

int hlthunk_deprecated_func2(int fd, uint32_t interrupt_id,
			     uint64_t cq_counters_handle,
			     uint64_t cq_counters_offset,
			     uint64_t target_value, uint64_t timestamp_handle,
			     uint64_t timestamp_offset)
{
	return hlthunk_register_timestamp_interrupt(fd, interrupt_id,
						    cq_counters_handle,
						    cq_counters_offset,
						    target_value,
						    timestamp_handle,
						    timestamp_offset);
}
