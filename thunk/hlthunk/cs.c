// SPDX-License-Identifier: MIT
/*
 * The CS ioctl: submissions of command buffers, and the requests to engines
 * that share it. Signals and waits are signal.c's.
 */
#include <errno.h>

#include "internal.h"

/* Fill the common members of @args from @in; @flags are added. */
static void prepare(union hl_cs_args *args, const struct hlthunk_cs_in *in,
		    uint32_t flags)
{
	*args = (union hl_cs_args) {
		.in = {
			.chunks_restore = (uintptr_t)in->chunks_restore,
			.chunks_execute = (uintptr_t)in->chunks_execute,
			.num_chunks_restore = in->num_chunks_restore,
			.num_chunks_execute = in->num_chunks_execute,
			.cs_flags = in->flags | flags,
		},
	};
}

static void set_timeout(union hl_cs_args *args, uint32_t seconds)
{
	args->in.timeout = seconds;
	args->in.cs_flags |= HL_CS_FLAGS_CUSTOM_TIMEOUT;
}

static int submit(int fd, union hl_cs_args *args, struct hlthunk_cs_out *out)
{
	int rc = hlt_cs(fd, args);

	if (rc)
		return rc;
	out->seq = args->out.seq;
	out->status = args->out.status;
	out->sob_count_before_submission =
		args->out.sob_count_before_submission;

	return 0;
}

int hlthunk_command_submission(int fd, struct hlthunk_cs_in *in,
			       struct hlthunk_cs_out *out)
{
	union hl_cs_args args;

	if (!in || !out)
		return hlt_ret(-EINVAL);
	prepare(&args, in, 0);

	return submit(fd, &args, out);
}

int hlthunk_command_submission_timeout(int fd, struct hlthunk_cs_in *in,
				       struct hlthunk_cs_out *out,
				       uint32_t timeout)
{
	union hl_cs_args args;

	if (!in || !out)
		return hlt_ret(-EINVAL);
	prepare(&args, in, 0);
	set_timeout(&args, timeout);

	return submit(fd, &args, out);
}

int hlthunk_staged_command_submission(int fd, uint64_t sequence,
				      struct hlthunk_cs_in *in,
				      struct hlthunk_cs_out *out)
{
	union hl_cs_args args;

	if (!in || !out)
		return hlt_ret(-EINVAL);
	prepare(&args, in, HL_CS_FLAGS_STAGED_SUBMISSION);
	args.in.seq = sequence;

	return submit(fd, &args, out);
}

int hlthunk_staged_command_submission_timeout(int fd, uint64_t sequence,
					      struct hlthunk_cs_in *in,
					      struct hlthunk_cs_out *out,
					      uint32_t timeout)
{
	union hl_cs_args args;

	if (!in || !out)
		return hlt_ret(-EINVAL);
	prepare(&args, in, HL_CS_FLAGS_STAGED_SUBMISSION);
	args.in.seq = sequence;
	set_timeout(&args, timeout);

	return submit(fd, &args, out);
}

int hlthunk_staged_command_submission_encaps_signals(int fd, uint64_t handle_id,
						     struct hlthunk_cs_in *in,
						     struct hlthunk_cs_out *out)
{
	union hl_cs_args args;

	if (!in || !out || handle_id > UINT32_MAX)
		return hlt_ret(-EINVAL);
	prepare(&args, in, HL_CS_FLAGS_STAGED_SUBMISSION |
			   HL_CS_FLAGS_STAGED_SUBMISSION_FIRST |
			   HL_CS_FLAGS_ENCAP_SIGNALS);
	args.in.encaps_sig_handle_id = (uint32_t)handle_id;

	return submit(fd, &args, out);
}

int hlthunk_cs_flush_pci_hbw_writes(int fd)
{
	union hl_cs_args args = {
		.in.cs_flags = HL_CS_FLAGS_FLUSH_PCI_HBW_WRITES,
	};

	return hlt_cs(fd, &args);
}

int hlthunk_engine_cores_set_mode(int fd, const uint32_t *core_ids,
				  uint32_t num_cores, uint32_t mode)
{
	union hl_cs_args args = {
		.in = {
			.engine_cores = (uintptr_t)core_ids,
			.num_engine_cores = num_cores,
			.core_command = mode,
			.cs_flags = HL_CS_FLAGS_ENGINE_CORE_COMMAND,
		},
	};

	return hlt_cs(fd, &args);
}

int hlthunk_engines_command(int fd, const uint32_t *engine_ids,
			    uint32_t num_engines,
			    enum hl_engine_command command)
{
	union hl_cs_args args = {
		.in = {
			.engines = (uintptr_t)engine_ids,
			.num_engines = num_engines,
			.engine_command = command,
			.cs_flags = HL_CS_FLAGS_ENGINES_COMMAND,
		},
	};

	return hlt_cs(fd, &args);
}
