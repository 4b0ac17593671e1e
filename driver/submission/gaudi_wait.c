// SPDX-License-Identifier: GPL-2.0-only
/*
 * The WAIT_CS ioctl: for one submission, or for any of up to 32.
 */
#include <linux/jiffies.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include <drm/drm_file.h>

#include "../core/gaudi_ctx.h"
#include "../core/gaudi_device.h"
#include "../core/gaudi_shared_ops.h"
#include "../queues/gaudi_queue.h"
#include "gaudi_cs.h"
#include "gaudi_cs_priv.h"
#include "gaudi_submission.h"

static long gaudi_wait_jiffies(u64 us)
{
	u64 j;

	if (us >= U64_MAX / NSEC_PER_USEC)
		return MAX_SCHEDULE_TIMEOUT - 1;
	j = nsecs_to_jiffies64(us * NSEC_PER_USEC) + 1;
	return min_t(u64, j, MAX_SCHEDULE_TIMEOUT - 1);
}

struct dma_fence *gaudi_cs_get_fence(struct gaudi_ctx *ctx, u64 seq)
{
	struct gaudi_cs_ctx *c = ctx->cs;
	struct dma_fence *fence = ERR_PTR(-EINVAL);

	spin_lock(&c->lock);
	if (seq < c->next_seq) {
		fence = c->pending[seq % GAUDI_MAX_PENDING_CS];
		if (fence && fence->seqno == seq)
			dma_fence_get(fence);
		else
			fence = NULL;
	}
	spin_unlock(&c->lock);
	return fence;
}

/* The time that the user gets: only if the CS was submitted with the flag. */
static s64 gaudi_wait_fence_time(struct dma_fence *fence)
{
	if (!to_gaudi_fence(fence)->timestamped)
		return 0;
	return ktime_to_ns(dma_fence_timestamp(fence));
}

/*
 * What a finished CS, of this dma_fence_get_status(), makes of a wait. CS that
 * were refused count as done; those that were accepted, and then given up with
 * what they waited for, do not.
 */
static int gaudi_wait_result(int error)
{
	if (error >= 0 || error == -EBUSY)
		return 0;
	return error == -ETIMEDOUT ? error : -EIO;
}

/*
 * Before a wait: handle completions, and let time slices of others end soon.
 * The wait itself is outside: it ends with the last submissions when the device
 * goes.
 */
static void gaudi_wait_poll_once(struct gaudi_ctx *ctx)
{
	struct gaudi_device *gdev = ctx->gdev;
	int idx;

	if (!gaudi_device_enter(gdev, &idx))
		return;
	gaudi_queues_poll_begin(gdev);
	if (gaudi_is_shared(gdev))
		gdev->shared->expedite(ctx);
	gaudi_queues_poll_end(gdev);
	gaudi_device_exit(gdev, idx);
}

int gaudi_cs_wait(struct gaudi_ctx *ctx, u64 seq, u64 timeout_us, bool *done,
		  bool *gone, s64 *timestamp)
{
	struct dma_fence *fence = gaudi_cs_get_fence(ctx, seq);
	struct gaudi_outcome outcome;
	long left;
	int rc = 0;

	*timestamp = 0;
	*gone = !fence && !gaudi_cs_outcome(ctx, seq, &outcome);
	*done = true;
	if (IS_ERR(fence) || *gone)
		return PTR_ERR_OR_ZERO(fence);
	if (!fence) {
		*timestamp = outcome.time;
		return gaudi_wait_result(outcome.status);
	}
	/* The interrupt may not have been handled yet. */
	if (!dma_fence_is_signaled(fence))
		gaudi_wait_poll_once(ctx);
	if (dma_fence_is_signaled(fence))
		left = 1;
	else if (!timeout_us)
		left = 0;
	else
		left = dma_fence_wait_timeout(fence, true,
					      gaudi_wait_jiffies(timeout_us));
	if (left < 0) {
		rc = left;
	} else if (!left) {
		*done = false;
	} else {
		rc = gaudi_wait_result(dma_fence_get_status(fence));
		*timestamp = gaudi_wait_fence_time(fence);
	}
	dma_fence_put(fence);
	return rc;
}

static int gaudi_wait_one_cs(struct gaudi_ctx *ctx, union hl_wait_cs_args *args)
{
	bool done, gone;
	s64 timestamp;
	int rc;

	rc = gaudi_cs_wait(ctx, args->in.seq, args->in.timeout_us, &done, &gone,
			   &timestamp);
	if (rc == -ERESTARTSYS)
		return -EINTR;
	memset(args, 0, sizeof(*args));
	if (rc) {
		if (rc == -ETIMEDOUT)
			args->out.status = HL_WAIT_CS_STATUS_TIMEDOUT;
		else if (rc == -EIO)
			args->out.status = HL_WAIT_CS_STATUS_ABORTED;
		return rc;
	}
	if (timestamp) {
		args->out.flags |= HL_WAIT_CS_STATUS_FLAG_TIMESTAMP_VLD;
		args->out.timestamp_nsec = timestamp;
	}
	if (gone)
		args->out.flags |= HL_WAIT_CS_STATUS_FLAG_GONE;
	args->out.status = done ? HL_WAIT_CS_STATUS_COMPLETED :
				  HL_WAIT_CS_STATUS_BUSY;
	return 0;
}

/* The submissions of one multi-CS wait. */
struct multi {
	u32 num;
	u64 seq[HL_WAIT_MULTI_CS_LIST_MAX_LEN];
	struct dma_fence *fence[HL_WAIT_MULTI_CS_LIST_MAX_LEN]; /* or NULL */
	u32 map;		/* which have ended */
	bool gone;		/* one whose fence was replaced */
	s64 timestamp;		/* of the first to end; 0: unknown */
};

static void gaudi_wait_multi_put(struct multi *m)
{
	u32 i;

	for (i = 0; i < m->num; i++)
		dma_fence_put(m->fence[i]);
}

static int gaudi_wait_multi_get(struct gaudi_ctx *ctx, struct multi *m)
{
	u32 i;

	for (i = 0; i < m->num; i++) {
		struct dma_fence *fence = gaudi_cs_get_fence(ctx, m->seq[i]);

		if (IS_ERR(fence)) {
			m->num = i;
			gaudi_wait_multi_put(m);
			return PTR_ERR(fence);
		}
		m->fence[i] = fence;
	}
	return 0;
}

/* See which have ended. The error of one is the error of the wait. */
static int gaudi_wait_multi_poll(struct multi *m)
{
	s64 first = S64_MAX;
	u32 i;
	int rc;

	for (i = 0; i < m->num; i++) {
		struct dma_fence *fence = m->fence[i];

		if (!fence) {
			m->gone = true;
			m->map |= BIT(i);
			continue;
		}
		if (!dma_fence_is_signaled(fence))
			continue;
		rc = gaudi_wait_result(dma_fence_get_status(fence));
		if (rc)
			return rc;
		m->map |= BIT(i);
		first = min(first, gaudi_wait_fence_time(fence));
	}
	m->timestamp = m->gone || first == S64_MAX ? 0 : first;
	return 0;
}

static int gaudi_wait_multi_fences(struct gaudi_ctx *ctx, struct multi *m,
				   u64 timeout_us)
{
	long left = gaudi_wait_jiffies(timeout_us);
	int rc;

	rc = gaudi_wait_multi_poll(m);
	if (rc || m->map)
		return rc;
	gaudi_wait_poll_once(ctx);
	if (!timeout_us)
		return gaudi_wait_multi_poll(m);
	left = dma_fence_wait_any_timeout(m->fence, m->num, true, left, NULL);
	if (left < 0)
		return left;
	return gaudi_wait_multi_poll(m);
}

static int gaudi_wait_multi_cs(struct gaudi_ctx *ctx,
			       union hl_wait_cs_args *args)
{
	struct multi m = { .num = args->in.seq_arr_len };
	int rc;

	/* Nothing ends a wait for nothing. */
	if (memchr_inv(args->in.pad, 0, sizeof(args->in.pad)) || !m.num ||
	    m.num > HL_WAIT_MULTI_CS_LIST_MAX_LEN)
		return -EINVAL;
	if (copy_from_user(m.seq, u64_to_user_ptr(args->in.seq),
			   m.num * sizeof(m.seq[0])))
		return -EFAULT;
	/* That may have taken any time. */
	if (READ_ONCE(ctx->gdev->gone))
		return -ENODEV;
	rc = gaudi_wait_multi_get(ctx, &m);
	if (rc)
		return rc;
	rc = gaudi_wait_multi_fences(ctx, &m, args->in.timeout_us);
	gaudi_wait_multi_put(&m);
	if (rc)
		return rc == -ERESTARTSYS ? -EINTR : rc;

	memset(args, 0, sizeof(*args));
	args->out.status = HL_WAIT_CS_STATUS_BUSY;
	if (!m.map)
		return 0;
	args->out.status = HL_WAIT_CS_STATUS_COMPLETED;
	args->out.cs_completion_map = m.map;
	args->out.timestamp_nsec = m.timestamp;
	/* Mainline says "gone" whenever it has no time to give. */
	args->out.flags = m.timestamp ? HL_WAIT_CS_STATUS_FLAG_TIMESTAMP_VLD :
					HL_WAIT_CS_STATUS_FLAG_GONE;
	return 0;
}

int gaudi_wait_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct gaudi_ctx *ctx = file->driver_priv;
	union hl_wait_cs_args *args = data;

	/* Also when the card only waits for its users to close. */
	if (!gaudi_device_operational(ctx->gdev) ||
	    READ_ONCE(ctx->gdev->users_wait))
		return -EBUSY;
	/* Gaudi 1 has no interrupts that belong to users. */
	if (args->in.flags & HL_WAIT_CS_FLAGS_INTERRUPT)
		return -EPERM;
	if (args->in.flags & HL_WAIT_CS_FLAGS_MULTI_CS)
		return gaudi_wait_multi_cs(ctx, args);
	return gaudi_wait_one_cs(ctx, args);
}
