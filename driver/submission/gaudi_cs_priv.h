/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files of this room. */
#ifndef GAUDI_CS_PRIV_H
#define GAUDI_CS_PRIV_H

#include <linux/types.h>

#include "../../uapi/hw/regs/gaudi_sync_mngr_regs.h"
#include "gaudi_cs.h"

struct hl_cs_chunk;

/* Submissions whose fences a context keeps; a power of two. */
#define GAUDI_MAX_PENDING_CS	SZ_16K
/* Outcomes of older submissions that a context keeps, if they asked for the time. */
#define GAUDI_NUM_OUTCOMES	256

/* The outcome of a submission whose fence was replaced by a newer one. */
struct gaudi_outcome {
	u64 seq;			/* 0: none */
	s64 time;			/* in ns */
	int status;			/* as dma_fence_get_status() */
};

static inline struct gaudi_fence *to_gaudi_fence(struct dma_fence *fence)
{
	return container_of(fence, struct gaudi_fence, base);
}

/* A sync object counts up to one less. */
#define GAUDI_SOB_END		(SYNC_MNGR_SOB_OBJ_VAL + 1)

void gaudi_cs_count_drop(struct gaudi_ctx *ctx, enum gaudi_cs_drop why);

/*
 * gaudi_cs_timeout.c. A CS is added when it is on a queue, and removed when it
 * ended; gaudi_cs_mgr.lock is held.
 */
void gaudi_tdr_init(struct gaudi_cs_mgr *mgr);
/* No timer from now on. Sleeps. */
void gaudi_tdr_stop(struct gaudi_cs_mgr *mgr);
void gaudi_tdr_add(struct gaudi_cs_mgr *mgr, struct gaudi_cs *cs);
void gaudi_tdr_remove(struct gaudi_cs_mgr *mgr, struct gaudi_cs *cs);
/* It has a job on an external stream that has stopped, so it does not end. */
void gaudi_tdr_stopped(struct gaudi_cs_mgr *mgr, struct gaudi_cs *cs);
/* Default timeout in jiffies; MAX_SCHEDULE_TIMEOUT: none. */
unsigned long gaudi_cs_default_timeout(struct gaudi_device *gdev);
/* Does a timeout end it? Module parameters may turn that off. */
bool gaudi_cs_must_end(const struct gaudi_cs *cs);

/*
 * A CS with a sequence number and num_jobs empty jobs. Owned by the caller
 * until gaudi_cs_submit() and gaudi_cs_put(). -EAGAIN: too many in flight.
 */
struct gaudi_cs *gaudi_cs_create(struct gaudi_ctx *ctx, enum gaudi_cs_type type,
				 u32 num_jobs, u32 flags,
				 unsigned long timeout);
/* Push all jobs, or none. -EAGAIN: no room; -EPERM: in reset. */
int gaudi_cs_submit(struct gaudi_cs *cs);
/*
 * Export a fence, cs->out, which holds a reference to the module. It signals
 * when all jobs on external queues have stopped, even if the process gets an
 * error earlier. Before submission. -EOPNOTSUPP: that may never happen;
 * -ENOMEM.
 */
int gaudi_cs_export(struct gaudi_cs *cs);
/*
 * For a fence that gaudi_cs_export() made, the internal one of the process: it
 * signals an error at once, and else at the same time. Any other fence is
 * returned as it is. No reference is taken.
 */
struct dma_fence *gaudi_cs_own_fence(struct dma_fence *fence);

/*
 * gaudi_cs_ioctl.c. The user's chunks, to be freed by kvfree(); ERR_PTR() else. The
 * caller has not entered the device.
 */
struct hl_cs_chunk *gaudi_cs_dup_chunks(struct gaudi_ctx *ctx, u64 user_chunks,
					u32 num);
/* A CS of these chunks, checked and ready to submit; ERR_PTR() else. */
struct gaudi_cs *gaudi_cs_prepare(struct gaudi_ctx *ctx,
				  const struct hl_cs_chunk *chunks, u32 num,
				  u32 flags, unsigned long timeout);

/* gaudi_deferred.c: submissions that wait for fences of others. */
int gaudi_deferred_init(struct gaudi_device *gdev);
/*
 * Submit the CS when the fence has signalled, unless with an error: then it
 * ends with that error and never runs. Takes over both references, unless it
 * fails. -EPERM: in reset.
 */
int gaudi_deferred_add(struct gaudi_cs *cs, struct dma_fence *in);

/* gaudi_signal.c */

#define GAUDI_SIGNAL_CB_SIZE	8u
#define GAUDI_WAIT_CB_SIZE	40u

/* Sync objects of W_S from a multiple of 8 on (one bit: any), and what they reach. */
struct gaudi_sob_wait {
	u16 sob;
	u8 mask;
	u32 val;
};

/* Packets, as mainline has them; they return their end. */
void *gaudi_signals_add_wait(void *at, u32 qid, u16 mon,
			     const struct gaudi_sob_wait *wait);
void *gaudi_signals_add_signal(void *at, u16 sob, u32 barriers);
int gaudi_signals_init(struct gaudi_device *gdev);
void gaudi_signals_reset(struct gaudi_device *gdev);
/*
 * With the queues' lock: write the packets. -EINVAL: no SOB is free, or (wait)
 * the signal was not submitted; -EALREADY: (wait) it was sent already.
 */
int gaudi_signals_prepare(struct gaudi_cs *cs);
/* With gaudi_cs_mgr.lock: a staged CS takes over its reservation. */
int gaudi_signals_attach(struct gaudi_cs *cs);
/* After the fence signalled. */
void gaudi_signals_cs_done(struct gaudi_cs *cs);
int gaudi_signals_ioctl(struct gaudi_ctx *ctx, enum gaudi_cs_type type,
			const union hl_cs_args *args, unsigned long timeout,
			u64 *seq, u32 *sob_addr, u16 *sob_count);
int gaudi_signals_reserve(struct gaudi_ctx *ctx, u32 qid, u32 count, u32 *id,
			  u32 *sob_addr, u32 *next_val);
int gaudi_signals_unreserve(struct gaudi_ctx *ctx, u32 id);

/*
 * gaudi_collective.c. A port is used, and the engine is one that reduces.
 */
bool gaudi_collective_supported(struct gaudi_device *gdev, u32 engine_id);
/* ERR_PTR() else; -EAGAIN: too many are in flight. */
struct gaudi_cs *gaudi_collective_create(struct gaudi_ctx *ctx, u32 qid,
					 u32 engine_id, u32 flags,
					 unsigned long timeout);
/* With the queues' lock: write the packets, which wait for the user's signal. */
int gaudi_collective_prepare(struct gaudi_cs *cs,
			     const struct gaudi_sob_wait *user);
/* What was prepared is not pushed; the queues' lock was not dropped since. */
void gaudi_collective_cancel(struct gaudi_cs *cs);
/* After the fence signalled. */
void gaudi_collective_cs_done(struct gaudi_cs *cs);
void gaudi_collective_reset(struct gaudi_device *gdev);
/* Another file begins. */
void gaudi_collective_open(struct gaudi_device *gdev);
int gaudi_collective_init(struct gaudi_device *gdev);

/*
 * The outcome of seq, whose fence was replaced; false if it is not kept any
 * more.
 */
bool gaudi_cs_outcome(struct gaudi_ctx *ctx, u64 seq,
		      struct gaudi_outcome *outcome);

/*
 * gaudi_wait.c. The fence of seq with a reference; NULL: ended long ago;
 * ERR_PTR(-EINVAL): not given out yet.
 */
struct dma_fence *gaudi_cs_get_fence(struct gaudi_ctx *ctx, u64 seq);
/*
 * Wait for a CS. 0: *done says whether; -ETIMEDOUT, -EIO: how it ended;
 * -ERESTARTSYS: a signal came. The caller has not entered the device.
 */
int gaudi_cs_wait(struct gaudi_ctx *ctx, u64 seq, u64 timeout_us, bool *done,
		  bool *gone, s64 *timestamp);

/* All jobs of the CS go to their queues. */
void gaudi_usage_begin(struct gaudi_cs *cs);
/* A job that may have begun has ended; once or more often. */
void gaudi_usage_end(struct gaudi_job *job, ktime_t now);

#endif /* GAUDI_CS_PRIV_H */
