/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Command submissions (CS): a set of jobs on queues that end together.
 *
 * Each CS has a dma_fence; a user knows it by a sequence number, from 1 on,
 * one count per context. Locks, outermost first: the queues' lock
 * (gaudi_queue.h), gaudi_cs_mgr.lock, that of a context's reservations,
 * gaudi_signals.lock, the fences' lock. All are spinlocks and taken in process
 * context or in the interrupt thread.
 */
#ifndef GAUDI_CS_H
#define GAUDI_CS_H

#include <linux/bitmap.h>
#include <linux/dma-fence.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <uapi/drm/habanalabs_accel.h>

#include "../../uapi/hw/gaudi_map.h"
#include "../memory/gaudi_cb.h"
#include "../user/gaudi_fdinfo.h"

struct gaudi_cs;
struct gaudi_ctx;
struct gaudi_deferred;
struct gaudi_device;
struct gaudi_kcb;
struct gaudi_kcb_pool;
struct gaudi_signals;
struct gaudi_sob;

/* Submissions whose fences a context keeps; a power of two. */
#define GAUDI_MAX_PENDING_CS	SZ_16K

/*
 * Outcomes of older submissions that a context keeps, if they asked for the
 * time.
 */
#define GAUDI_NUM_OUTCOMES	256

/* Why submissions were refused: INFO CS_COUNTERS. */
enum gaudi_cs_drop {
	GAUDI_CS_DROP_NO_MEMORY,
	GAUDI_CS_DROP_PARSING,
	GAUDI_CS_DROP_QUEUE_FULL,
	GAUDI_CS_DROP_IN_RESET,
	GAUDI_CS_DROP_IN_FLIGHT,
	GAUDI_CS_DROP_VALIDATION,
	GAUDI_CS_NUM_DROPS,
};

enum gaudi_cs_type {
	GAUDI_CS_DEFAULT,
	GAUDI_CS_SIGNAL,
	GAUDI_CS_WAIT,
};

struct gaudi_fence {
	struct dma_fence base;
	spinlock_t lock;		/* of base */
	enum gaudi_cs_type type;
	u32 stream_map;			/* external queues of the CS */
	bool timestamped;		/* the user asked for the time */
	struct gaudi_fence *own;	/* of a gaudi_cs.out: gaudi_cs.fence */
	/* The signal's sync object and value; set before the first push. */
	struct gaudi_sob *sob;
	u32 sob_val;
};

static inline struct gaudi_fence *to_gaudi_fence(struct dma_fence *fence)
{
	return container_of(fence, struct gaudi_fence, base);
}

/*
 * Signals that a user reserved to send them from command buffers of a staged
 * submission (encapsulated signals).
 */
struct gaudi_reservation {
	struct kref refs;		/* handle, wait CS */
	struct gaudi_ctx *ctx;
	struct gaudi_sob *sob;
	u32 id;				/* in gaudi_cs_ctx.reservations */
	u32 qid;
	u32 count;
	u32 first_val;			/* of the first signal */
	u64 cs_seq;			/* that sends them; U64_MAX: none yet */
};

/* The outcome of a submission whose fence was replaced by a newer one. */
struct gaudi_outcome {
	u64 seq;			/* 0: none */
	s64 time;			/* in ns */
	int status;			/* as dma_fence_get_status() */
};

struct gaudi_job {
	struct gaudi_cs *cs;
	u32 qid;
	bool ext;			/* external queue: completes by itself */
	bool done;			/* completed; under gaudi_cs_mgr.lock */
	bool counted;			/* its engine's time runs; gaudi_fdinfo.c */
	u8 engine;			/* index of gaudi_qmans[] */
	struct gaudi_cb_traits traits;
	u32 used;			/* bytes of packets */
	u32 size;			/* ... with padding and tail */
	u64 addr;			/* internal queue: device address */
	struct gaudi_kcb *kcb;		/* external queue: the checked copy */
};

struct gaudi_cs {
	refcount_t refs;		/* submitter, jobs, staged submission */
	enum gaudi_cs_type type;
	struct gaudi_ctx *ctx;
	struct gaudi_fence *fence;	/* what the process waits for */
	struct gaudi_fence *out;	/* exported; see gaudi_cs_export() */
	u64 seq;

	/* Under gaudi_cs_mgr.lock: */
	struct list_head node;		/* gaudi_cs_mgr.active */
	struct list_head staged_node;	/* ring of a staged submission */
	bool held;			/* the last part has a reference */
	bool staged_closed;		/* of the first part: has its last */

	bool staged, staged_first, staged_last;
	u64 staged_seq;			/* seq of the first */

	bool submitted;			/* reached the queues */
	bool deferred;			/* waits, or waited, for other fences */
	int error;			/* if it never runs; 0: -EBUSY */
	bool timed_out, aborted;
	bool queues_reset;		/* its entries went with them */
	int run_error;			/* how it ends although it ran; or 0 */
	/* Shared mode (gaudi_timeslice.c), under the queues' lock: */
	struct list_head slice_node;	/* pending, of the context */
	u32 slice;			/* number of the one it was pushed in */
	bool extra;			/* ... beyond the limit of a slice */
	bool queued;			/* not yet; under gaudi_cs_mgr.lock */
	bool skip_reset;		/* a timeout only reports */
	struct list_head tdr_node;	/* gaudi_cs_mgr.timed */
	struct list_head out_node;	/* gaudi_cs_mgr.exported */
	u64 tdr_num;			/* in the order of these */
	unsigned long timeout;		/* jiffies */
	ktime_t ended;			/* last completion seen */

	/* Signal and wait. */
	u32 sob_addr_offset;
	u16 sob_count_before;
	struct gaudi_fence *wait_for;	/* the signal's */
	struct gaudi_reservation *wait_res;
	u32 wait_offset;		/* of encapsulated signals, from 1 */
	u32 res_id;			/* staged first: reservation it sends */
	bool uses_res;
	struct gaudi_reservation *res;

	u32 num_jobs;
	struct gaudi_job jobs[] __counted_by(num_jobs);
};

/* The first timeout: INFO CS_TIMEOUT. Under gaudi_cs_mgr.lock. */
struct gaudi_cs_timeout {
	bool captured;
	u64 seq;
	ktime_t time;
};

/* Part of a context. */
struct gaudi_cs_ctx {
	spinlock_t lock;		/* down to num_outcomes */
	u64 next_seq;
	struct dma_fence **pending;	/* by seq modulo GAUDI_MAX_PENDING_CS */
	struct gaudi_outcome *outcomes;	/* a ring; of those with a time */
	u32 num_outcomes;		/* ever */
	struct gaudi_cs *cached;	/* of one job, for the next; by xchg() */
	struct xarray reservations;
	bool closed;			/* the file is; nothing new may run */
	struct gaudi_ctx_usage usage;
	struct gaudi_cs_timeout timeout; /* in shared mode */
	atomic64_t drops[GAUDI_CS_NUM_DROPS];
};

/* When the time of a CS is over; cs is NULL: no time runs. */
struct gaudi_cs_clock {
	struct gaudi_cs *cs;
	unsigned long deadline;		/* jiffies */
};

struct gaudi_cs_mgr {
	struct gaudi_device *gdev;
	spinlock_t lock;		/* down to timeout */
	struct list_head active;	/* submitted, in order */
	struct list_head timed;		/* those whose timeout may come */
	struct list_head exported;	/* of them, with an exported fence */
	u64 num_timed;			/* ever */
	struct gaudi_cs_clock oldest;	/* of timed */
	struct gaudi_cs_clock oldest_out; /* of exported */
	unsigned long timer_at;		/* jiffies; valid if timer_set */
	bool timer_set;
	struct delayed_work tdr;
	struct gaudi_cs_timeout timeout; /* since the device was opened */
	struct gaudi_kcb_pool *kcbs;
	struct gaudi_signals *signals;
	struct gaudi_deferred *deferred;
	struct gaudi_usage usage;
	/* Streams of internal queues that have stopped; under lock. */
	DECLARE_BITMAP(stopped, GAUDI_NUM_QUEUES);
	/*
	 * Queues that a deferred CS found full: entries that become free are
	 * kept for it. The second one is built for the next round. Under the
	 * queues' lock.
	 */
	DECLARE_BITMAP(starved, GAUDI_NUM_QUEUES);
	DECLARE_BITMAP(starved_next, GAUDI_NUM_QUEUES);
	atomic64_t drops[GAUDI_CS_NUM_DROPS];
};

int gaudi_cs_mgr_init(struct gaudi_device *gdev);
/* The device goes away: no timer, no DMA memory. All submissions have ended. */
void gaudi_cs_mgr_unplug(struct gaudi_device *gdev);
void gaudi_cs_mgr_fini(struct gaudi_device *gdev);
int gaudi_cs_ctx_init(struct gaudi_ctx *ctx);
void gaudi_cs_ctx_fini(struct gaudi_ctx *ctx);
void gaudi_cs_count_drop(struct gaudi_ctx *ctx, enum gaudi_cs_drop why);
/*
 * A reset will come, and users are to be notified. End all waits with -EIO.
 * Running jobs go on, and so do the exported fences; deferred submissions are
 * cancelled. Sleeps.
 */
void gaudi_cs_abort_waits(struct gaudi_device *gdev);
unsigned int gaudi_cs_num_active(struct gaudi_device *gdev);
/*
 * gaudi_cs_timeout.c. A CS is added when it is on a queue, and removed when it
 * ended; gaudi_cs_mgr.lock is held.
 */
void gaudi_tdr_init(struct gaudi_cs_mgr *mgr);
/* No timer from now on. Sleeps. */
void gaudi_tdr_stop(struct gaudi_cs_mgr *mgr);
void gaudi_tdr_add(struct gaudi_cs_mgr *mgr, struct gaudi_cs *cs);
void gaudi_tdr_remove(struct gaudi_cs_mgr *mgr, struct gaudi_cs *cs);
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
/* Drop a reference; a CS that was not submitted ends with cs->error. */
void gaudi_cs_put(struct gaudi_cs *cs);

/* For gaudi_timeslice.c, with the queues' lock: push all jobs. */
void gaudi_cs_push(struct gaudi_cs *cs);
/* End one that is pending with -EIO; not if a reset does so already. */
void gaudi_cs_cancel(struct gaudi_cs *cs);
/*
 * What the context has on the queues ends with this error, as soon as its jobs
 * are done; missing parts of staged submissions are not waited for.
 */
void gaudi_cs_fail_running(struct gaudi_ctx *ctx, int error);

/*
 * Streams of the internal queues from first_qid on (bits of streams) have
 * stopped at an error and go on after a reset only. What has a job there ends with -EIO
 * for its process, and no more is taken. The other jobs go on.
 */
void gaudi_cs_fail_streams(struct gaudi_device *gdev, u32 first_qid,
			   unsigned long streams);

static inline bool gaudi_cs_completes(const struct gaudi_cs *cs)
{
	return !cs->staged || cs->staged_last;
}

static inline bool gaudi_cs_has_timeout(const struct gaudi_cs *cs)
{
	return !cs->staged || cs->staged_first;
}

/* Counters by queue: those of the queues that the CS uses become 0. */
static inline void gaudi_cs_clear_counts(const struct gaudi_cs *cs, u16 *count)
{
	u32 i;

	for (i = 0; i < cs->num_jobs; i++)
		count[cs->jobs[i].qid] = 0;
}

/*
 * gaudi_cs_ioctl.c. The user's chunks, to be freed by kvfree(); ERR_PTR() else. The
 * caller has not entered the device.
 */
struct hl_cs_chunk *gaudi_cs_get_chunks(struct gaudi_ctx *ctx, u64 user_chunks,
					u32 num);
/* A CS of these chunks, checked and ready to submit; ERR_PTR() else. */
struct gaudi_cs *gaudi_cs_prepare(struct gaudi_ctx *ctx,
				  const struct hl_cs_chunk *chunks, u32 num,
				  u32 flags, unsigned long timeout);

/* gaudi_deferred.c: submissions that wait for fences of others. */
int gaudi_deferred_init(struct gaudi_device *gdev);
void gaudi_deferred_fini(struct gaudi_device *gdev);
/*
 * Submit the CS when the fence has signalled, unless with an error: then it
 * ends with that error and never runs. Takes over both references, unless it
 * fails. -EPERM: in reset.
 */
int gaudi_deferred_add(struct gaudi_cs *cs, struct dma_fence *in);
/*
 * Cancel what is deferred: of one context whose file is closed (-ECANCELED), or
 * (NULL) all of it, with -EIO, before a reset. Sleeps.
 */
void gaudi_deferred_cancel(struct gaudi_device *gdev, struct gaudi_ctx *ctx);

/* gaudi_signal.c */
int gaudi_signals_init(struct gaudi_device *gdev);
void gaudi_signals_fini(struct gaudi_device *gdev);
void gaudi_signals_reset(struct gaudi_device *gdev);
/*
 * A new context finds its streams unused, whatever an earlier context in the
 * same slot reserved and did not send. The card is not in a reset.
 */
void gaudi_signals_open(struct gaudi_ctx *ctx);
/*
 * With the queues' lock; nothing of the context runs, but not all that ran did
 * what it should: count as if it had.
 */
void gaudi_signals_resync(struct gaudi_ctx *ctx);
bool gaudi_signals_supported(u32 qid);
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
/* Drop reservations that no CS sends. */
void gaudi_signals_drop_reservations(struct gaudi_ctx *ctx);

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

#endif /* GAUDI_CS_H */
