// SPDX-License-Identifier: MIT
/*
 * CS ioctls that signal, wait for signals, or reserve signals for a staged
 * submission. They carry one chunk per queue, which describes no command
 * buffer but the signals.
 */
#include <errno.h>
#include <stdlib.h>

#include "internal.h"

static void set_timeout(union hl_cs_args *args, const uint32_t *seconds)
{
	if (!seconds)
		return;
	args->in.timeout = *seconds;
	args->in.cs_flags |= HL_CS_FLAGS_CUSTOM_TIMEOUT;
}

static int signal_cs(int fd, const struct hlthunk_signal_in *in,
		     struct hlthunk_signal_out *out, const uint32_t *timeout)
{
	struct hl_cs_chunk chunk = {};
	union hl_cs_args args = {};
	int rc;

	if (!in || !out)
		return hlt_ret(-EINVAL);

	chunk.queue_index = in->queue_index;
	args.in.chunks_restore = (uintptr_t)in->chunks_restore;
	args.in.num_chunks_restore = in->num_chunks_restore;
	args.in.chunks_execute = (uintptr_t)&chunk;
	args.in.num_chunks_execute = 1;
	args.in.cs_flags = in->flags | HL_CS_FLAGS_SIGNAL;
	set_timeout(&args, timeout);

	rc = hlt_cs(fd, &args);
	if (rc)
		return rc;
	out->seq = args.out.seq;
	out->status = args.out.status;
	out->sob_base_addr_offset = args.out.sob_base_addr_offset;
	out->sob_count_before_submission =
		args.out.sob_count_before_submission;

	return 0;
}

int hlthunk_signal_submission(int fd, struct hlthunk_signal_in *in,
			      struct hlthunk_signal_out *out)
{
	return signal_cs(fd, in, out, NULL);
}

int hlthunk_signal_submission_timeout(int fd, struct hlthunk_signal_in *in,
				      struct hlthunk_signal_out *out,
				      uint32_t timeout)
{
	return signal_cs(fd, in, out, &timeout);
}

static void wait_chunk(struct hl_cs_chunk *chunk,
		       const struct hlthunk_wait_for_signal_data *data,
		       bool encaps)
{
	*chunk = (struct hl_cs_chunk) {
		.queue_index = data->queue_index,
		.cs_chunk_flags = data->flags,
		.collective_engine_id = data->collective_engine_id,
	};
	if (encaps) {
		chunk->encaps_signal_seq = data->encaps_signal_seq;
		chunk->encaps_signal_offset = data->encaps_signal_offset;
	} else {
		chunk->signal_seq_arr = (uintptr_t)data->signal_seq_arr;
		chunk->num_signal_seq_arr = data->signal_seq_nr;
	}
}

static int wait_cs(int fd, const struct hlthunk_wait_in *in,
		   struct hlthunk_wait_out *out, uint32_t flags,
		   const uint32_t *timeout)
{
	const struct hlthunk_wait_for_signal_data *data;
	struct hl_cs_chunk *chunks;
	union hl_cs_args args = {};
	int rc;

	if (!in || !out || !in->hlthunk_wait_for_signal ||
	    !in->num_wait_for_signal ||
	    in->num_wait_for_signal > HL_MAX_JOBS_PER_CS)
		return hlt_ret(-EINVAL);

	chunks = calloc(in->num_wait_for_signal, sizeof(*chunks));
	if (!chunks)
		return hlt_ret(-ENOMEM);
	data = (const void *)in->hlthunk_wait_for_signal;
	for (uint32_t i = 0; i < in->num_wait_for_signal; i++)
		wait_chunk(&chunks[i], &data[i],
			   flags & HL_CS_FLAGS_ENCAP_SIGNALS);

	args.in.chunks_restore = (uintptr_t)in->chunks_restore;
	args.in.num_chunks_restore = in->num_chunks_restore;
	args.in.chunks_execute = (uintptr_t)chunks;
	args.in.num_chunks_execute = in->num_wait_for_signal;
	args.in.cs_flags = in->flags | flags;
	set_timeout(&args, timeout);

	rc = hlt_cs(fd, &args);
	free(chunks);
	if (rc)
		return hlt_ret(rc);
	out->seq = args.out.seq;
	out->status = args.out.status;

	return 0;
}

int hlthunk_wait_for_signal(int fd, struct hlthunk_wait_in *in,
			    struct hlthunk_wait_out *out)
{
	return wait_cs(fd, in, out, HL_CS_FLAGS_WAIT, NULL);
}

int hlthunk_wait_for_signal_timeout(int fd, struct hlthunk_wait_in *in,
				    struct hlthunk_wait_out *out,
				    uint32_t timeout)
{
	return wait_cs(fd, in, out, HL_CS_FLAGS_WAIT, &timeout);
}

int hlthunk_wait_for_collective_signal(int fd, struct hlthunk_wait_in *in,
				       struct hlthunk_wait_out *out)
{
	return wait_cs(fd, in, out, HL_CS_FLAGS_COLLECTIVE_WAIT, NULL);
}

int hlthunk_wait_for_collective_signal_timeout(int fd,
					       struct hlthunk_wait_in *in,
					       struct hlthunk_wait_out *out,
					       uint32_t timeout)
{
	return wait_cs(fd, in, out, HL_CS_FLAGS_COLLECTIVE_WAIT, &timeout);
}

int hlthunk_wait_for_reserved_encaps_signals(int fd,
					     struct hlthunk_wait_in *in,
					     struct hlthunk_wait_out *out)
{
	return wait_cs(fd, in, out,
		       HL_CS_FLAGS_WAIT | HL_CS_FLAGS_ENCAP_SIGNALS, NULL);
}

int hlthunk_wait_for_reserved_encaps_collective_signals(int fd,
						struct hlthunk_wait_in *in,
						struct hlthunk_wait_out *out)
{
	return wait_cs(fd, in, out, HL_CS_FLAGS_COLLECTIVE_WAIT |
				    HL_CS_FLAGS_ENCAP_SIGNALS, NULL);
}

int hlthunk_reserve_encaps_signals(int fd, struct hlthunk_sig_res_in *in,
				   struct hlthunk_sig_res_out *out)
{
	union hl_cs_args args = {
		.in.cs_flags = HL_CS_FLAGS_RESERVE_SIGNALS_ONLY,
	};
	int rc;

	if (!in || !out)
		return hlt_ret(-EINVAL);
	args.in.encaps_signals_q_idx = in->queue_index;
	args.in.encaps_signals_count = in->count;
	rc = hlt_cs(fd, &args);
	if (rc)
		return rc;
	out->handle.id = args.out.handle_id;
	out->handle.sob_base_addr_offset = args.out.sob_base_addr_offset;
	out->handle.count = args.out.count;
	out->status = args.out.status;

	return 0;
}

int hlthunk_unreserve_encaps_signals(int fd, struct reserve_sig_handle *handle,
				     uint32_t *status)
{
	union hl_cs_args args = {
		.in.cs_flags = HL_CS_FLAGS_UNRESERVE_SIGNALS_ONLY,
	};
	int rc;

	if (!handle)
		return hlt_ret(-EINVAL);
	args.in.encaps_sig_handle_id = handle->id;
	rc = hlt_cs(fd, &args);
	if (!rc && status)
		*status = args.out.status;

	return rc;
}
