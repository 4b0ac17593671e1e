/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Structures of submissions, as debugfs, INFO and fdinfo read them, and what shared
 * mode does with them. Each CS has a dma_fence; a user knows it by a sequence number,
 * from 1 on, one count per context.
 */
#ifndef GAUDI_CS_H
#define GAUDI_CS_H

#include <linux/bitmap.h>
#include <linux/dma-fence.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <uapi/drm/habanalabs_accel.h>

#include "../../uapi/hw/gaudi_map.h"

struct gaudi_collective;
struct gaudi_collective_pool;
struct gaudi_ctx;
struct gaudi_cs;
struct gaudi_deferred;
struct gaudi_device;
struct gaudi_kcb;
struct gaudi_outcome;
struct gaudi_reservation;
struct gaudi_signals;
struct gaudi_sob;

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
	GAUDI_CS_COLLECTIVE,		/* a wait on several queues */
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

struct gaudi_job {
	struct gaudi_cs *cs;
	u32 qid;
	bool ext;			/* external queue: completes by itself */
	bool done;			/* ended; see gaudi_cs_job_done() */
	bool counted;			/* its engine's time runs; gaudi_usage.c */
	u8 engine;			/* index of gaudi_qmans[] */
	bool dma;			/* external queue: the engine works */
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
	/* Of the room shared, under the queues' lock: */
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
	/* Collective: buffers of the slaves, and which group counts. */
	u16 place;
	u8 group;
	bool has_place, has_group;

	u32 num_jobs;
	struct gaudi_job jobs[] __counted_by(num_jobs);
};

/* The first timeout: INFO CS_TIMEOUT. Under gaudi_cs_mgr.lock. */
struct gaudi_cs_timeout {
	bool captured;
	u64 seq;
	ktime_t time;
};

/* The card's part. An engine's time is given to one context only. */
struct gaudi_usage {
	spinlock_t lock;		/* this, and all contexts' parts */
	/* Up to here the time of each engine has been accounted. */
	ktime_t spent[GAUDI_NUM_QMAN];
};

/* A context's part. */
struct gaudi_ctx_usage {
	ktime_t busy[GAUDI_NUM_QMAN];
	ktime_t since[GAUDI_NUM_QMAN];	/* if any job is there */
	u32 jobs[GAUDI_NUM_QMAN];
};

/* Part of a context. */
struct gaudi_cs_ctx {
	spinlock_t lock;		/* down to num_outcomes */
	u64 next_seq;
	struct dma_fence **pending;	/* by seq modulo GAUDI_MAX_PENDING_CS */
	struct gaudi_outcome *outcomes;	/* a ring; of those with a time */
	u32 num_outcomes;		/* ever */
	struct xarray reservations;
	struct mutex collective_lock;	/* around the making of the pool */
	struct gaudi_collective_pool *collective;	/* NULL until the first */
	bool closed;			/* the file is; nothing new may run */
	struct gaudi_ctx_usage usage;
	struct gaudi_cs_timeout timeout; /* since the file was opened */
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
	/* Of timed, on a stream that has stopped, or behind an engine's error. */
	struct gaudi_cs_clock stopped_ext;
	bool engine_stopped;		/* since the last reset */
	unsigned long timer_at;		/* jiffies; valid if timer_set */
	bool timer_set;
	struct delayed_work tdr;
	struct gaudi_cs_timeout timeout; /* since the device was opened */
	struct gaudi_signals *signals;
	struct gaudi_collective *collective;	/* NULL: no port is used */
	struct gaudi_deferred *deferred;
	struct gaudi_usage usage;
	/* Streams that have stopped; under lock. */
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

/**
 * gaudi_cs_put() - Drop a reference to a submission
 * @cs: the submission; one that was not submitted ends with cs->error
 *
 * Context: Does not sleep.
 */
void gaudi_cs_put(struct gaudi_cs *cs);

/**
 * gaudi_cs_push() - Push all jobs to their queues
 * @cs: the submission; gaudi_cs_submit() has checked that there is room
 *
 * Context: With the queues' lock.
 */
void gaudi_cs_push(struct gaudi_cs *cs);

/**
 * gaudi_cs_cancel() - End a submission that is pending with %-EIO
 * @cs: the submission; nothing is done if a reset ends it already
 *
 * Context: Process context.
 */
void gaudi_cs_cancel(struct gaudi_cs *cs);

/**
 * gaudi_cs_fail_running() - What a context has on the queues ends with an error
 * @ctx: the context
 * @error: the error
 *
 * As soon as its jobs are done; missing parts of staged submissions are not waited
 * for.
 *
 * Context: Process context.
 */
void gaudi_cs_fail_running(struct gaudi_ctx *ctx, int error);

/**
 * gaudi_signals_resync() - Count signals as if all that ran had signalled
 * @ctx: the context: nothing of it runs, but not all did what it should
 * @pending: its submissions that were not pushed, by their slice_node
 *
 * Context: With the queues' lock.
 */
void gaudi_signals_resync(struct gaudi_ctx *ctx,
			  const struct list_head *pending);

/**
 * gaudi_cs_completes() - Whether a submission ends what it is a part of
 * @cs: the submission
 *
 * Return: False for parts of a staged submission but the last one.
 */
static inline bool gaudi_cs_completes(const struct gaudi_cs *cs)
{
	return !cs->staged || cs->staged_last;
}

#endif /* GAUDI_CS_H */
