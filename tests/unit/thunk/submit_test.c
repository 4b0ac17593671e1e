// SPDX-License-Identifier: GPL-2.0-only
/* CB, CS and WAIT_CS: exact arguments, retries, results. */
#include <errno.h>

#include "mock.h"

MOCK_TEST(command_buffers)
{
	union hl_cb_args mapped = { .in = { .op = HL_CB_OP_CREATE,
		.cb_size = 4096, .flags = HL_CB_FLAGS_MAP } };
	uint64_t handle = 0;
	uint32_t count = 0;

	expect_cb(IN(cb, .op = HL_CB_OP_CREATE, .cb_size = 4096), 0,
		  OUT(cb, .cb_handle = 0x8000000001000));
	WORKS(hlthunk_request_command_buffer(FD, 4096, &handle));
	assert_int_equal(handle, 0x8000000001000);
	expect_cb(&mapped, -EINTR, OUT(cb, .cb_handle = 2));
	expect_cb(&mapped, -ENOMEM, OUT(cb, .cb_handle = 2));
	handle = 1;
	assert_int_equal(hlthunk_request_mapped_command_buffer(FD, 4096,
							       &handle),
			 -ENOMEM);
	assert_int_equal(handle, 1);
	expect_cb(IN(cb, .op = HL_CB_OP_INFO, .cb_handle = 7), 0,
		  OUT(cb, .usage_cnt = 3));
	WORKS(hlthunk_get_cb_usage_count(FD, 7, &count));
	assert_int_equal(count, 3);
	expect_cb(IN(cb, .op = HL_CB_OP_INFO, .cb_handle = 7,
		     .flags = HL_CB_FLAGS_GET_DEVICE_VA),
		  0, OUT(cb, .device_va = 0x1000000400000));
	WORKS(hlthunk_get_mapped_cb_device_va_by_handle(FD, 7, &handle));
	assert_int_equal(handle, 0x1000000400000);
	expect_cb(IN(cb, .op = HL_CB_OP_DESTROY, .cb_handle = 7), -EINVAL, NULL);
	assert_int_equal(hlthunk_destroy_command_buffer(FD, 7), -EINVAL);
}

static struct hl_cs_chunk restore[2], execute[3];

static struct hlthunk_cs_in cs_in(uint32_t flags)
{
	return (struct hlthunk_cs_in) {
		.chunks_restore = restore,
		.chunks_execute = execute,
		.num_chunks_restore = 2,
		.num_chunks_execute = 3,
		.flags = flags,
	};
}

static union hl_cs_args cs_args(uint32_t flags)
{
	return (union hl_cs_args) {
		.in = {
			.chunks_restore = (uintptr_t)restore,
			.chunks_execute = (uintptr_t)execute,
			.num_chunks_restore = 2,
			.num_chunks_execute = 3,
			.cs_flags = flags,
		},
	};
}

static union hl_cs_args cs_result(uint64_t seq)
{
	return *OUT(cs, .seq = seq, .status = HL_CS_STATUS_SUCCESS,
		    .sob_count_before_submission = 5,
		    .sob_base_addr_offset = 0x492240);
}

MOCK_TEST(submissions)
{
	struct hlthunk_cs_in in = cs_in(HL_CS_FLAGS_TIMESTAMP);
	union hl_cs_args args = cs_args(HL_CS_FLAGS_TIMESTAMP);
	union hl_cs_args result = cs_result(11);
	struct hlthunk_cs_out out = {};

	expect_cs(&args, 0, &result);
	WORKS(hlthunk_command_submission(FD, &in, &out));
	assert_int_equal(out.seq, 11);
	assert_int_equal(out.sob_count_before_submission, 5);

	args.in.timeout = 7;
	args.in.cs_flags |= HL_CS_FLAGS_CUSTOM_TIMEOUT;
	expect_cs(&args, 0, &result);
	WORKS(hlthunk_command_submission_timeout(FD, &in, &out, 7));

	in.flags = HL_CS_FLAGS_STAGED_SUBMISSION_LAST;
	args = cs_args(HL_CS_FLAGS_STAGED_SUBMISSION |
		       HL_CS_FLAGS_STAGED_SUBMISSION_LAST);
	args.in.seq = 11;
	expect_cs(&args, 0, &result);
	WORKS(hlthunk_staged_command_submission(FD, 11, &in, &out));
	args.in.timeout = 3;
	args.in.cs_flags |= HL_CS_FLAGS_CUSTOM_TIMEOUT;
	expect_cs(&args, 0, &result);
	WORKS(hlthunk_staged_command_submission_timeout(FD, 11, &in, &out, 3));

	in.flags = 0;
	args = cs_args(HL_CS_FLAGS_STAGED_SUBMISSION |
		       HL_CS_FLAGS_STAGED_SUBMISSION_FIRST |
		       HL_CS_FLAGS_ENCAP_SIGNALS);
	args.in.encaps_sig_handle_id = 21;
	expect_cs(&args, 0, &result);
	WORKS(hlthunk_staged_command_submission_encaps_signals(FD, 21, &in,
							       &out));
}

MOCK_TEST(full_queues_are_waited_for)
{
	struct hlthunk_cs_in in = cs_in(0);
	union hl_cs_args args = cs_args(0);
	union hl_cs_args result = cs_result(12);
	union hl_cs_args scribble = cs_result(UINT64_MAX);
	struct hlthunk_cs_out out = { .seq = 1 };

	expect_cs(&args, -EAGAIN, &scribble);
	expect_cs(&args, -EINTR, &scribble);
	for (int i = 0; i < 10; i++)
		expect_cs(&args, -EAGAIN, NULL);
	expect_cs(&args, 0, &result);
	WORKS(hlthunk_command_submission(FD, &in, &out));
	assert_int_equal(out.seq, 12);
	assert_int_equal(mock_sleeps(), 11);

	expect_cs(&args, -EBUSY, &scribble);
	assert_int_equal(hlthunk_command_submission(FD, &in, &out), -EBUSY);
	assert_int_equal(out.seq, 12);
}

MOCK_TEST(engine_requests)
{
	const uint32_t ids[2] = { 1, 2 };

	expect_cs(IN(cs, .cs_flags = HL_CS_FLAGS_FLUSH_PCI_HBW_WRITES), 0, NULL);
	WORKS(hlthunk_cs_flush_pci_hbw_writes(FD));
	expect_cs(IN(cs, .cs_flags = HL_CS_FLAGS_ENGINE_CORE_COMMAND,
		     .engine_cores = (uintptr_t)ids, .num_engine_cores = 2,
		     .core_command = HL_ENGINE_CORE_HALT), -EINVAL, NULL);
	assert_int_equal(hlthunk_engine_cores_set_mode(FD, ids, 2,
						       HL_ENGINE_CORE_HALT),
			 -EINVAL);
	expect_cs(IN(cs, .cs_flags = HL_CS_FLAGS_ENGINES_COMMAND,
		     .engines = (uintptr_t)ids, .num_engines = 2,
		     .engine_command = HL_ENGINE_STALL), 0, NULL);
	WORKS(hlthunk_engines_command(FD, ids, 2, HL_ENGINE_STALL));
}

MOCK_TEST(signals)
{
	struct hlthunk_signal_in in = { .queue_index = 1, .flags =
		HL_CS_FLAGS_TIMESTAMP };
	const struct hl_cs_chunk chunk = { .queue_index = 1 };
	union hl_cs_args result = cs_result(30);
	struct hlthunk_signal_out out = {};
	union hl_cs_args args = {};

	args.in.num_chunks_execute = 1;
	args.in.cs_flags = HL_CS_FLAGS_SIGNAL | HL_CS_FLAGS_TIMESTAMP;
	expect_cs_chunks(&args, &chunk, 1, 0, &result);
	WORKS(hlthunk_signal_submission(FD, &in, &out));
	assert_int_equal(out.seq, 30);
	assert_int_equal(out.sob_base_addr_offset, 0x492240);
	assert_int_equal(out.sob_count_before_submission, 5);
	args.in.timeout = 2;
	args.in.cs_flags |= HL_CS_FLAGS_CUSTOM_TIMEOUT;
	expect_cs_chunks(&args, &chunk, 1, -EINVAL, &result);
	assert_int_equal(hlthunk_signal_submission_timeout(FD, &in, &out, 2),
			 -EINVAL);
}

typedef int (*wait_fn)(int fd, struct hlthunk_wait_in *in,
		       struct hlthunk_wait_out *out);

MOCK_TEST(waits_for_signals)
{
	static const struct {
		wait_fn fn;
		uint32_t flags;
	} variants[] = {
		{ hlthunk_wait_for_signal, HL_CS_FLAGS_WAIT },
		{ hlthunk_wait_for_collective_signal,
		  HL_CS_FLAGS_COLLECTIVE_WAIT },
		{ hlthunk_wait_for_reserved_encaps_signals,
		  HL_CS_FLAGS_WAIT | HL_CS_FLAGS_ENCAP_SIGNALS },
		{ hlthunk_wait_for_reserved_encaps_collective_signals,
		  HL_CS_FLAGS_COLLECTIVE_WAIT | HL_CS_FLAGS_ENCAP_SIGNALS },
	};
	uint64_t seqs[1] = { 30 };
	struct hlthunk_wait_for_signal_data data = {
		.queue_index = 4, .collective_engine_id = 9,
	};
	struct hlthunk_wait_in in = {
		.hlthunk_wait_for_signal = (uint64_t *)&data,
		.num_wait_for_signal = 1,
	};
	struct hl_cs_chunk chunk = { .queue_index = 4,
				     .collective_engine_id = 9 };
	union hl_cs_args result = cs_result(31);
	struct hlthunk_wait_out out = {};
	union hl_cs_args args = {};

	for (size_t i = 0; i < ARRAY_SIZE(variants); i++) {
		args = (union hl_cs_args) {
			.in = { .num_chunks_execute = 1,
				.cs_flags = variants[i].flags },
		};
		if (variants[i].flags & HL_CS_FLAGS_ENCAP_SIGNALS) {
			data.encaps_signal_seq = 44;
			data.encaps_signal_offset = 6;
			chunk.encaps_signal_seq = 44;
			chunk.encaps_signal_offset = 6;
		} else {
			data.signal_seq_arr = seqs;
			data.signal_seq_nr = 1;
			chunk.signal_seq_arr = (uintptr_t)seqs;
			chunk.num_signal_seq_arr = 1;
		}
		expect_cs_chunks(&args, &chunk, 1, 0, &result);
		assert_int_equal(variants[i].fn(FD, &in, &out), 0);
		assert_int_equal(out.seq, 31);
	}
	in.num_wait_for_signal = HL_MAX_JOBS_PER_CS + 1;
	assert_int_equal(hlthunk_wait_for_signal(FD, &in, &out), -EINVAL);
}

MOCK_TEST(reserved_signals)
{
	struct hlthunk_sig_res_in in = { .queue_index = 3, .count = 20 };
	union hl_cs_args result = cs_result(0);
	struct hlthunk_sig_res_out out = {};
	uint32_t status = 9;

	expect_cs(IN(cs, .encaps_signals_q_idx = 3, .encaps_signals_count = 20,
		     .cs_flags = HL_CS_FLAGS_RESERVE_SIGNALS_ONLY),
		  0, OUT(cs, .handle_id = 5, .count = 20,
			 .sob_base_addr_offset = 0x100));
	WORKS(hlthunk_reserve_encaps_signals(FD, &in, &out));
	assert_int_equal(out.handle.id, 5);
	assert_int_equal(out.handle.count, 20);
	assert_int_equal(out.handle.sob_base_addr_offset, 0x100);
	expect_cs(IN(cs, .encaps_sig_handle_id = 5,
		     .cs_flags = HL_CS_FLAGS_UNRESERVE_SIGNALS_ONLY), 0, &result);
	WORKS(hlthunk_unreserve_encaps_signals(FD, &out.handle, &status));
	assert_int_equal(status, 0);
}

static union hl_wait_cs_args wait_result(uint32_t status, uint32_t flags,
					 int64_t ts)
{
	return *OUT(wait_cs, .status = status, .flags = flags,
		    .timestamp_nsec = ts);
}

MOCK_TEST(waits)
{
	union hl_wait_cs_args args = *IN(wait_cs, .seq = 11, .timeout_us = 1000);
	union hl_wait_cs_args result;
	uint32_t status = 99;
	uint64_t ts = 99;

	result = wait_result(HL_WAIT_CS_STATUS_COMPLETED,
			     HL_WAIT_CS_STATUS_FLAG_TIMESTAMP_VLD, 12345);
	expect_wait(&args, 0, &result);
	WORKS(hlthunk_wait_for_cs(FD, 11, 1000, &status));
	assert_int_equal(status, HL_WAIT_CS_STATUS_COMPLETED);
	expect_wait(&args, 0, &result);
	WORKS(hlthunk_deprecated_func1(FD, 11, 1000, &status, &ts));
	assert_int_equal(ts, 12345);
	result.out.flags = 0;
	expect_wait(&args, 0, &result);
	WORKS(hlthunk_wait_for_cs_with_timestamp(FD, 11, 1000, &status, &ts));
	assert_int_equal(ts, 0);
	result = wait_result(HL_WAIT_CS_STATUS_BUSY, 0, 0);
	expect_wait(&args, 0, &result);
	WORKS(hlthunk_wait_for_cs(FD, 11, 1000, &status));
	assert_int_equal(status, HL_WAIT_CS_STATUS_BUSY);
	/* Errors, the input still in the argument (seq 11 is no status). */
	expect_wait(&args, -ETIMEDOUT, NULL);
	assert_int_equal(hlthunk_wait_for_cs(FD, 11, 1000, &status),
			 -ETIMEDOUT);
	assert_int_equal(status, HL_WAIT_CS_STATUS_TIMEDOUT);
	expect_wait(&args, -EIO, NULL);
	assert_int_equal(hlthunk_wait_for_cs(FD, 11, 1000, NULL), -EIO);
	expect_wait(&args, -EINVAL, NULL);
	assert_int_equal(hlthunk_wait_for_cs(FD, 11, 1000, &status), -EINVAL);
	assert_int_equal(status, HL_WAIT_CS_STATUS_BUSY);
}

MOCK_TEST(signals_do_not_prolong_waits)
{
	static const uint64_t left[] = { 1000, 600, 200, 0 };
	union hl_wait_cs_args result;
	uint32_t status;

	mock_clock_step(400);
	result = wait_result(HL_WAIT_CS_STATUS_BUSY, 0, 0);
	for (size_t i = 0; i < ARRAY_SIZE(left); i++)
		expect_wait(IN(wait_cs, .seq = 11, .timeout_us = left[i]),
			    left[i] ? -EINTR : 0, &result);
	WORKS(hlthunk_wait_for_cs(FD, 11, 1000, &status));
	assert_int_equal(status, HL_WAIT_CS_STATUS_BUSY);
}

MOCK_TEST(multi_waits)
{
	uint64_t seqs[3] = { 1, 2, 3 };
	struct hlthunk_wait_multi_cs_in in = {
		.seq = seqs, .timeout_us = 50, .seq_len = 3,
	};
	struct hlthunk_wait_multi_cs_out out = {};
	union hl_wait_cs_args args = *IN(wait_cs, .seq = (uintptr_t)seqs,
		.timeout_us = 50, .seq_arr_len = 3,
		.flags = HL_WAIT_CS_FLAGS_MULTI_CS);
	union hl_wait_cs_args result;
	uint64_t ts;

	result = wait_result(HL_WAIT_CS_STATUS_COMPLETED,
			     HL_WAIT_CS_STATUS_FLAG_TIMESTAMP_VLD, 7);
	result.out.cs_completion_map = 0x5;
	expect_wait(&args, 0, &result);
	WORKS(hlthunk_wait_for_multi_cs_with_timestamp(FD, &in, &out, &ts));
	assert_int_equal(out.status, HL_WAIT_CS_STATUS_COMPLETED);
	assert_int_equal(out.seq_set, 5);
	assert_int_equal(out.completed, 2);
	assert_int_equal(ts, 7);
	expect_wait(&args, -EINVAL, NULL);
	assert_int_equal(hlthunk_wait_for_multi_cs(FD, &in, &out), -EINVAL);
	assert_int_equal(out.seq_set, 0);
}

MOCK_TEST(interrupt_waits)
{
	union hl_wait_cs_args args = {}, result;
	uint64_t counter, ts;
	uint32_t status;

	result = wait_result(HL_WAIT_CS_STATUS_COMPLETED,
			     HL_WAIT_CS_STATUS_FLAG_TIMESTAMP_VLD, 77);
	args.in.addr = (uintptr_t)&counter;
	args.in.target = 6;
	args.in.interrupt_timeout_us = 50;
	args.in.flags = HL_WAIT_CS_FLAGS_INTERRUPT | 3u << 20;
	expect_wait(&args, 0, &result);
	WORKS(hlthunk_wait_for_interrupt_with_timestamp(FD, &counter, 6, 3, 50,
							&status, &ts));
	assert_int_equal(ts, 77);
	expect_wait(&args, -EPERM, NULL);
	assert_int_equal(hlthunk_wait_for_interrupt(FD, &counter, 6, 3, 50,
						    &status), -EPERM);
	memset(&args, 0, sizeof(args));
	args.in.cq_counters_handle = 0x1000;
	args.in.cq_counters_offset = 2;
	args.in.target = 6;
	args.in.interrupt_timeout_us = 50;
	args.in.flags = HL_WAIT_CS_FLAGS_INTERRUPT |
			HL_WAIT_CS_FLAGS_INTERRUPT_KERNEL_CQ |
			HL_WAIT_CS_FLAGS_ANY_CQ_INTERRUPT;
	expect_wait(&args, 0, &result);
	WORKS(hlthunk_wait_for_interrupt_by_handle(FD, 0x1000, 2, 6, 0xfff, 50,
						   &status));
	args.in.flags = HL_WAIT_CS_FLAGS_INTERRUPT |
			HL_WAIT_CS_FLAGS_INTERRUPT_KERNEL_CQ |
			HL_WAIT_CS_FLAGS_REGISTER_INTERRUPT | 4u << 20;
	args.in.interrupt_timeout_us = 0;
	args.in.timestamp_handle = 8;
	args.in.timestamp_offset = 9;
	expect_wait(&args, 0, &result);
	WORKS(hlthunk_register_timestamp_interrupt(FD, 4, 0x1000, 2, 6, 8, 9));
	expect_wait(&args, 0, &result);
	WORKS(hlthunk_deprecated_func2(FD, 4, 0x1000, 2, 6, 8, 9));
}
