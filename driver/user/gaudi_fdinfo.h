/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Engine time: how long each QMAN worked for each context. For
 * /proc/PID/fdinfo.
 */
#ifndef GAUDI_FDINFO_H
#define GAUDI_FDINFO_H

#include <linux/ktime.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "../hw/gaudi_blocks.h"

struct drm_file;
struct drm_printer;
struct gaudi_cs;
struct gaudi_job;

/* The card's part. An engine's time is given to one context only. */
struct gaudi_usage {
	spinlock_t lock;		/* this, and all contexts' parts */
	/* Up to here the time of each engine has been accounted. */
	ktime_t spent[GAUDI_NUM_USED_QMANS];
};

/* A context's part. */
struct gaudi_ctx_usage {
	ktime_t busy[GAUDI_NUM_USED_QMANS];
	ktime_t since[GAUDI_NUM_USED_QMANS];	/* if any job is there */
	u32 jobs[GAUDI_NUM_USED_QMANS];
};

/* All jobs of the CS go to their queues. */
void gaudi_usage_begin(struct gaudi_cs *cs);
/* A job that may have begun has ended; once or more often. */
void gaudi_usage_end(struct gaudi_job *job, ktime_t now);

/* drm_driver callback: the kernel's standard keys for one open file. */
void gaudi_show_fdinfo(struct drm_printer *p, struct drm_file *file);

#endif /* GAUDI_FDINFO_H */
