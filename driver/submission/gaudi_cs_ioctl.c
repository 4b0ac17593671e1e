// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CS ioctl: which kinds of submission there are, what is checked before
 * anything reaches a queue, and mainline's results and side effects for each.
 */
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <drm/drm_file.h>

#include "../core/gaudi_ctx.h"
#include "../core/gaudi_device.h"
#include "../core/gaudi_gate.h"
#include "../hw/gaudi_blocks.h"
#include "../hw/gaudi_hw.h"
#include "../memory/gaudi_buf.h"
#include "../memory/gaudi_memory.h"
#include "../queues/gaudi_cb_check.h"
#include "../queues/gaudi_kcb.h"
#include "../queues/gaudi_queue.h"
#include "gaudi_cs.h"
#include "gaudi_cs_priv.h"
#include "gaudi_submission.h"

#define TYPE_FLAGS	(HL_CS_FLAGS_SIGNAL | HL_CS_FLAGS_WAIT |	     \
			 HL_CS_FLAGS_COLLECTIVE_WAIT |			     \
			 HL_CS_FLAGS_RESERVE_SIGNALS_ONLY |		     \
			 HL_CS_FLAGS_UNRESERVE_SIGNALS_ONLY |		     \
			 HL_CS_FLAGS_ENGINE_CORE_COMMAND |		     \
			 HL_CS_FLAGS_ENGINES_COMMAND |			     \
			 HL_CS_FLAGS_FLUSH_PCI_HBW_WRITES)
#define SYNC_FLAGS	(HL_CS_FLAGS_SIGNAL | HL_CS_FLAGS_WAIT |	     \
			 HL_CS_FLAGS_COLLECTIVE_WAIT)

/* What the ioctl hands back beside its return value. */
struct cs_result {
	u64 seq;
	u32 sob_addr;
	u16 sob_count;
	u32 handle_id;
	u32 count;
};

static bool gaudi_cs_range_is_within(u64 addr, u32 size, u64 start, u64 len)
{
	u64 end;

	if (!size || check_add_overflow(addr, (u64)size, &end))
		return false;
	return addr >= start && end <= start + len;
}

/* It exists, but the port behind it is not used. */
static bool gaudi_cs_is_idle_port(struct gaudi_device *gdev, u32 qid)
{
	int port = gaudi_nic_port_of_queue(qid);

	return port >= 0 && !(gdev->nic_ports & BIT(port));
}

/* A buffer of an internal queue: an address that such a queue may read. */
static int gaudi_cs_check_int_job(struct gaudi_ctx *ctx, struct gaudi_job *job)
{
	u64 sram, sram_size;

	if (gaudi_cs_is_idle_port(ctx->gdev, job->qid))
		return -EINVAL;
	gaudi_memory_sram(ctx, &sram, &sram_size);
	if (gaudi_cs_range_is_within(job->addr, job->size, sram, sram_size) ||
	    gaudi_cs_range_is_within(job->addr, job->size, GAUDI_HBM_USER_BASE,
				     GAUDI_HBM_SIZE - GAUDI_HBM_USER_BASE) ||
	    gaudi_cs_range_is_within(job->addr, job->size, GAUDI_VA_HOST_START,
				     GAUDI_VA_HOST_END + 1 -
					     GAUDI_VA_HOST_START))
		return 0;
	return -EFAULT;
}

/* Copy the user's buffer, so that it cannot change any more, and check that. */
static int gaudi_cs_check_ext_job(struct gaudi_ctx *ctx, struct gaudi_job *job,
				  struct gaudi_buf *buf)
{
	struct gaudi_device *gdev = ctx->gdev;

	/*
	 * The tail is in each part of a staged submission, unlike mainline: the
	 * last part may end on another queue before this copy has been read.
	 */
	job->size = gaudi_cb_size_with_tail(job->used);
	job->kcb = gaudi_kcb_alloc(gdev, job->size, GFP_KERNEL_ACCOUNT);
	if (!job->kcb)
		return -ENOMEM;
	memcpy(job->kcb->vaddr, buf->vaddr, job->used);
	return gaudi_cb_check(gdev, job->kcb->vaddr, job->used, &job->dma);
}

static int gaudi_cs_check_queue(struct gaudi_device *gdev, u32 qid, bool *ext)
{
	enum gaudi_queue_type type;

	*ext = false;
	if (gaudi_cs_is_idle_port(gdev, qid))
		return 0;
	if (qid >= GAUDI_NUM_QUEUES)
		return -EINVAL;
	type = gaudi_queue_type(gdev, qid);
	*ext = type == GAUDI_QUEUE_EXT;
	return *ext || type == GAUDI_QUEUE_INT ? 0 : -EINVAL;
}

static int gaudi_cs_init_ext_job(struct gaudi_ctx *ctx, struct gaudi_job *job,
				 const struct hl_cs_chunk *chunk)
{
	struct gaudi_buf *buf;
	int rc;

	buf = gaudi_buf_get(ctx->bufs, chunk->cb_handle, GAUDI_BUF_CB);
	if (!buf || chunk->cb_size < 8 || chunk->cb_size > buf->size) {
		if (buf)
			gaudi_buf_put(buf);
		gaudi_cs_count_drop(ctx, GAUDI_CS_DROP_VALIDATION);
		return -EINVAL;
	}
	job->used = chunk->cb_size;
	atomic_inc(&buf->cs_count);
	rc = gaudi_cs_check_ext_job(ctx, job, buf);
	atomic_dec(&buf->cs_count);
	gaudi_buf_put(buf);
	if (rc)
		gaudi_cs_count_drop(ctx, GAUDI_CS_DROP_PARSING);
	return rc;
}

static int gaudi_cs_init_job(struct gaudi_ctx *ctx, struct gaudi_job *job,
			     const struct hl_cs_chunk *chunk)
{
	int rc;

	rc = gaudi_cs_check_queue(ctx->gdev, chunk->queue_index, &job->ext);
	if (rc) {
		gaudi_cs_count_drop(ctx, GAUDI_CS_DROP_VALIDATION);
		return rc;
	}
	job->qid = chunk->queue_index;
	if (job->ext)
		return gaudi_cs_init_ext_job(ctx, job, chunk);
	job->addr = chunk->cb_handle;
	job->size = chunk->cb_size;
	rc = gaudi_cs_check_int_job(ctx, job);
	if (rc)
		gaudi_cs_count_drop(ctx, GAUDI_CS_DROP_PARSING);
	return rc;
}

static int gaudi_cs_init_jobs(struct gaudi_ctx *ctx, struct gaudi_cs *cs,
			      const struct hl_cs_chunk *chunks)
{
	bool int_only = true;
	u32 i;
	int rc;

	for (i = 0; i < cs->num_jobs; i++) {
		struct gaudi_job *job = &cs->jobs[i];

		rc = gaudi_cs_init_job(ctx, job, &chunks[i]);
		if (rc)
			return rc;
		if (job->ext) {
			int_only = false;
			cs->fence->stream_map |= BIT(job->qid);
		}
	}
	/* Internal queues report nothing: such a CS would never end. */
	if (int_only && gaudi_cs_completes(cs)) {
		gaudi_cs_count_drop(ctx, GAUDI_CS_DROP_VALIDATION);
		return -EINVAL;
	}
	return 0;
}

static bool gaudi_cs_continues_staged(u32 flags)
{
	return (flags & HL_CS_FLAGS_STAGED_SUBMISSION) &&
	       !(flags & HL_CS_FLAGS_STAGED_SUBMISSION_FIRST);
}

static void gaudi_cs_set_staged(struct gaudi_cs *cs, u64 user_seq, u32 flags,
				u32 res_id)
{
	if (!(flags & HL_CS_FLAGS_STAGED_SUBMISSION))
		return;
	cs->staged = true;
	cs->staged_first = flags & HL_CS_FLAGS_STAGED_SUBMISSION_FIRST;
	cs->staged_last = flags & HL_CS_FLAGS_STAGED_SUBMISSION_LAST;
	cs->staged_closed = cs->staged_first && cs->staged_last;
	cs->staged_seq = cs->staged_first ? cs->seq : user_seq;
	cs->uses_res = flags & HL_CS_FLAGS_ENCAP_SIGNALS;
	cs->res_id = res_id;
}

struct hl_cs_chunk *gaudi_cs_dup_chunks(struct gaudi_ctx *ctx, u64 user_chunks,
					u32 num)
{
	struct hl_cs_chunk *chunks = ERR_PTR(-EINVAL);

	if (num <= HL_MAX_JOBS_PER_CS)
		chunks = vmemdup_array_user(u64_to_user_ptr(user_chunks), num,
					    sizeof(*chunks));
	if (IS_ERR(chunks))
		gaudi_cs_count_drop(ctx, PTR_ERR(chunks) == -ENOMEM ?
				    GAUDI_CS_DROP_NO_MEMORY :
				    GAUDI_CS_DROP_VALIDATION);
	return chunks;
}

struct gaudi_cs *gaudi_cs_prepare(struct gaudi_ctx *ctx,
				  const struct hl_cs_chunk *chunks, u32 num,
				  u32 flags, unsigned long timeout)
{
	struct gaudi_cs *cs;
	int rc;

	cs = gaudi_cs_create(ctx, GAUDI_CS_DEFAULT, num, flags, timeout);
	if (IS_ERR(cs))
		return cs;
	rc = gaudi_cs_init_jobs(ctx, cs, chunks);
	if (rc) {
		gaudi_cs_put(cs);
		cs = ERR_PTR(rc);
	}
	return cs;
}

static int gaudi_cs_submit_chunks(struct gaudi_ctx *ctx,
				  const struct hl_cs_chunk *chunks, u32 num,
				  u64 user_seq, u32 flags, u32 res_id,
				  unsigned long timeout, u64 *seq)
{
	struct gaudi_cs *cs = gaudi_cs_create(ctx, GAUDI_CS_DEFAULT, num,
					      flags, timeout);
	u64 out_seq;
	int rc;

	if (IS_ERR(cs))
		return PTR_ERR(cs);
	gaudi_cs_set_staged(cs, user_seq, flags, res_id);
	rc = gaudi_cs_init_jobs(ctx, cs, chunks);
	out_seq = cs->staged ? cs->staged_seq : cs->seq;
	if (!rc)
		rc = gaudi_cs_submit(cs);
	if (!rc)
		*seq = out_seq;
	gaudi_cs_put(cs);
	return rc;
}

static int gaudi_cs_submit_default(struct gaudi_ctx *ctx, u64 user_chunks,
				   u32 num, u64 user_seq, u32 flags, u32 res_id,
				   unsigned long timeout, u64 *seq)
{
	struct hl_cs_chunk *chunks;
	int rc = -ENODEV, idx;

	*seq = U64_MAX;
	chunks = gaudi_cs_dup_chunks(ctx, user_chunks, num);
	if (IS_ERR(chunks))
		return PTR_ERR(chunks);
	if (gaudi_device_enter(ctx->gdev, &idx)) {
		rc = gaudi_cs_submit_chunks(ctx, chunks, num, user_seq, flags,
					    res_id, timeout, seq);
		gaudi_device_exit(ctx->gdev, idx);
	}
	kvfree(chunks);
	return rc;
}

/* Chunks that the user wants to be done before all others. */
static int gaudi_cs_submit_restore(struct gaudi_ctx *ctx,
				   const union hl_cs_args *args, u64 *seq)
{
	unsigned long timeout = gaudi_cs_default_timeout(ctx->gdev);
	u64 us = timeout == MAX_SCHEDULE_TIMEOUT ? U64_MAX :
						   jiffies_to_usecs(timeout);
	bool done, gone;
	s64 timestamp;
	int rc;

	if (!(args->in.cs_flags & HL_CS_FLAGS_FORCE_RESTORE) ||
	    !args->in.num_chunks_restore)
		return 0;
	rc = gaudi_cs_submit_default(ctx, args->in.chunks_restore,
				     args->in.num_chunks_restore, 0, 0, 0,
				     timeout, seq);
	if (rc)
		return rc;
	rc = gaudi_cs_wait(ctx, *seq, us, &done, &gone, &timestamp);
	return rc ? -ENOEXEC : 0;
}

static int gaudi_cs_check_args(struct gaudi_device *gdev,
			       const union hl_cs_args *args)
{
	u32 type = args->in.cs_flags & TYPE_FLAGS;

	if (memchr_inv(args->in.pad, 0, sizeof(args->in.pad)))
		return -EINVAL;
	if (!gaudi_device_operational(gdev))
		return -EBUSY;
	if (type && !is_power_of_2(type))
		return -EINVAL;
	if (!type && !args->in.num_chunks_execute)
		return -EINVAL;
	if ((type & SYNC_FLAGS) && args->in.num_chunks_execute != 1)
		return -EINVAL;
	return 0;
}

static enum gaudi_cs_type gaudi_cs_signal_type(u32 flag)
{
	switch (flag) {
	case HL_CS_FLAGS_SIGNAL:
		return GAUDI_CS_SIGNAL;
	case HL_CS_FLAGS_WAIT:
		return GAUDI_CS_WAIT;
	default:
		return GAUDI_CS_COLLECTIVE;
	}
}

static unsigned long gaudi_cs_get_timeout(struct gaudi_ctx *ctx,
					    const union hl_cs_args *args)
{
	if (!(args->in.cs_flags & HL_CS_FLAGS_CUSTOM_TIMEOUT))
		return gaudi_cs_default_timeout(ctx->gdev);
	return msecs_to_jiffies(min(args->in.timeout, INT_MAX / 1000u) * 1000);
}

/* What submits nothing, and reads none of the user's memory. */
static int gaudi_cs_dispatch_other(struct gaudi_ctx *ctx,
				   const union hl_cs_args *args,
				   struct cs_result *res)
{
	int rc, idx;

	if (!gaudi_device_enter(ctx->gdev, &idx))
		return -ENODEV;
	switch (args->in.cs_flags & TYPE_FLAGS) {
	case HL_CS_FLAGS_RESERVE_SIGNALS_ONLY:
		rc = gaudi_signals_reserve(ctx, args->in.encaps_signals_q_idx,
					   args->in.encaps_signals_count,
					   &res->handle_id, &res->sob_addr,
					   &res->count);
		break;
	case HL_CS_FLAGS_UNRESERVE_SIGNALS_ONLY:
		rc = gaudi_signals_unreserve(ctx,
					     args->in.encaps_sig_handle_id);
		break;
	case HL_CS_FLAGS_FLUSH_PCI_HBW_WRITES:
		rc = -EBUSY;
		if (gaudi_reset_enter(ctx->gdev))
			break;
		gaudi_flush_hbw(ctx->gdev);
		gaudi_reset_exit(ctx->gdev);
		rc = 0;
		break;
	default:
		/* Cores and engines of other chips. */
		rc = -EPERM;
	}
	gaudi_device_exit(ctx->gdev, idx);
	return rc;
}

static int gaudi_cs_dispatch(struct gaudi_ctx *ctx,
			     const union hl_cs_args *args,
			     struct cs_result *res)
{
	u32 flags = args->in.cs_flags, type = flags & TYPE_FLAGS;
	u64 user_seq = 0;

	switch (type) {
	case HL_CS_FLAGS_SIGNAL:
	case HL_CS_FLAGS_WAIT:
	case HL_CS_FLAGS_COLLECTIVE_WAIT:
		res->seq = U64_MAX;
		return gaudi_signals_ioctl(ctx, gaudi_cs_signal_type(type),
					   args,
					   gaudi_cs_get_timeout(ctx, args),
					   &res->seq, &res->sob_addr,
					   &res->sob_count);
	default:
		if (type)
			return gaudi_cs_dispatch_other(ctx, args, res);
		if (gaudi_cs_continues_staged(flags))
			user_seq = args->in.seq;
		return gaudi_cs_submit_default(ctx, args->in.chunks_execute,
					       args->in.num_chunks_execute,
					       user_seq, flags,
					       args->in.encaps_sig_handle_id,
					       gaudi_cs_get_timeout(ctx, args),
					       &res->seq);
	}
}

static void gaudi_cs_write_result(union hl_cs_args *args, u32 type,
				  const struct cs_result *res, int rc)
{
	memset(args, 0, sizeof(*args));
	args->out.seq = res->seq;
	if (type == HL_CS_FLAGS_RESERVE_SIGNALS_ONLY) {
		args->out.handle_id = res->handle_id;
		args->out.count = res->count;
		args->out.sob_base_addr_offset = res->sob_addr;
	} else if (type == HL_CS_FLAGS_SIGNAL) {
		args->out.sob_base_addr_offset = res->sob_addr;
		args->out.sob_count_before_submission = res->sob_count;
	}
	args->out.status = rc;
}

int gaudi_cs_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct gaudi_ctx *ctx = file->driver_priv;
	struct cs_result res = { .seq = U64_MAX };
	union hl_cs_args *args = data;
	u32 type = 0;
	int rc;

	rc = gaudi_cs_check_args(ctx->gdev, args);
	if (!rc)
		rc = gaudi_cs_submit_restore(ctx, args, &res.seq);
	if (!rc) {
		type = args->in.cs_flags & TYPE_FLAGS;
		/* What submits nothing gives back the number it was given. */
		if (gaudi_cs_continues_staged(args->in.cs_flags))
			res.seq = args->in.seq;
		rc = gaudi_cs_dispatch(ctx, args, &res);
	}
	/* With -EAGAIN the caller tries again with the same arguments. */
	if (rc != -EAGAIN)
		gaudi_cs_write_result(args, type, &res, rc);
	return rc;
}
