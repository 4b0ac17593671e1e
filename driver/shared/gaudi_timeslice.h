/* SPDX-License-Identifier: GPL-2.0-only */
/* Between gaudi_timeslice.c and gaudi_recover.c. */
#ifndef GAUDI_TIMESLICE_H
#define GAUDI_TIMESLICE_H

#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "../core/gaudi_ctx.h"
#include "../core/gaudi_device.h"
#include "../hw/gaudi_blocks.h"
#include "../submission/gaudi_cs.h"

/* Part of a context; under the queues' lock. */
struct gaudi_timeslice_ctx {
	struct gaudi_ctx *ctx;
	struct list_head node;		/* gaudi_timeslice.waiting */
	struct list_head pending;	/* struct gaudi_cs, in order */
	u32 num_pending;
	bool urgent;			/* waited for: an idle owner must go */
	u16 jobs[GAUDI_NUM_QUEUES];	/* pending and in the queues */
	u32 open_parts;			/* running; the last part is missing */
	u32 pending_parts;		/* pending that may be it */
	bool closed;			/* the file is closed */
};

struct gaudi_timeslice {
	struct gaudi_device *gdev;
	/* Down to error: under the queues' lock. */
	struct list_head waiting;	/* struct gaudi_timeslice_ctx */
	struct gaudi_ctx *owner;
	u32 slice;			/* number of the present one */
	u32 running;
	ktime_t end;			/* of the slice, if others wait */
	ktime_t progress;		/* when a submission last ended */
	ktime_t hold_start;		/* ... within the limit; others came */
	u32 extra;			/* admit so many beyond the limit */
	bool idle_hold;			/* the owner is idle, a tick comes */
	bool driver_waits;		/* the driver wants the card */
	bool stopped;
	bool recovering;
	bool check_again;		/* an error came meanwhile */
	int error;			/* for what runs, if recovering */
	u32 asid[GAUDI_NUM_USED_QMANS];

	struct mutex driver_lock;	/* held while driver_waits */
	wait_queue_head_t wait;		/* the owner changed */
	struct delayed_work tick;
	struct work_struct recover;
};

static inline struct gaudi_cs *
gaudi_timeslice_first_pending(struct gaudi_ctx *ctx)
{
	return list_first_entry_or_null(&ctx->slice->pending, struct gaudi_cs,
					slice_node);
}

/* Admit, end and begin slices, as far as possible. The queues' lock is held. */
void gaudi_timeslice_schedule(struct gaudi_timeslice *t);
/* The owner with a reference, or NULL. Takes the queues' lock. */
struct gaudi_ctx *gaudi_timeslice_owner(struct gaudi_device *gdev);

/*
 * gaudi_recover.c. What runs of the owner ends with this error, and its engines are
 * freed. The queues' lock is held.
 */
void gaudi_timeslice_start_recovery(struct gaudi_timeslice *t, int error);
void gaudi_timeslice_recover_work(struct work_struct *work);
/* gaudi_shared_ops.fail */
bool gaudi_timeslice_fail(struct gaudi_ctx *ctx);

#endif /* GAUDI_TIMESLICE_H */
