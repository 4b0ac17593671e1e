/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The room of submissions: what a launch meets first is gaudi_cs_ioctl(). It checks
 * the user's buffers (gaudi_cb_check.c), puts the jobs on their queues, or in a list
 * until the context has its time slice, and ends them with a dma_fence.
 *
 * It owns command submissions (CS), sync objects of signals, timeouts, and in shared
 * mode the time slices (gaudi_timeslice.c).
 *
 * Locks, outermost first: the queues' lock (gaudi_queue.h), gaudi_cs_mgr.lock, that
 * of a context's reservations, gaudi_signals.lock, the fences' lock. All are
 * spinlocks and taken in process context or in the interrupt thread.
 *
 * It offers the CS and WAIT ioctls, a context's part, and what events, a reset and
 * the driver's own jobs need of submissions and time slices. The functions of time
 * slices do nothing (or what is said) when gdev->timeslice is NULL, which is so
 * unless the module was loaded with shared=1.
 */
#ifndef GAUDI_SUBMISSION_H
#define GAUDI_SUBMISSION_H

#include <linux/ktime.h>
#include <linux/types.h>

struct drm_device;
struct drm_file;
struct gaudi_ctx;
struct gaudi_device;

int gaudi_cs_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
/* gaudi_syncobj.c: a CS with fences in and out. */
int gaudi_cs_sync_ioctl(struct drm_device *drm, void *data,
			struct drm_file *file);
int gaudi_wait_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

int gaudi_cs_mgr_init(struct gaudi_device *gdev);
/* The device goes away: no timer, no DMA memory. All submissions have ended. */
void gaudi_cs_mgr_unplug(struct gaudi_device *gdev);
void gaudi_cs_mgr_fini(struct gaudi_device *gdev);
int gaudi_cs_ctx_init(struct gaudi_ctx *ctx);
void gaudi_cs_ctx_fini(struct gaudi_ctx *ctx);

/*
 * The job that was pushed with this cookie ended. Called by the interrupt
 * thread, or by a thread that submits or waits, without the queues' lock. No
 * call may run or come after gaudi_cs_abort_all() for what was pushed before:
 * see gaudi_queues_close_cq().
 */
void gaudi_cs_job_done(struct gaudi_device *gdev, u32 qid, void *cookie);
/* A reset, when there is no new work: all CS end with -EIO. */
void gaudi_cs_abort_all(struct gaudi_device *gdev);
/*
 * A reset will come, and users are to be notified. End all waits with -EIO.
 * Running jobs go on, and so do the exported fences; deferred submissions are
 * cancelled. Sleeps.
 */
void gaudi_cs_abort_waits(struct gaudi_device *gdev);
/*
 * Streams of the internal queues from first_qid on (bits of streams) have
 * stopped at an error and go on after a reset only. What has a job there ends with -EIO
 * for its process, and no more is taken. The other jobs go on.
 */
void gaudi_cs_fail_streams(struct gaudi_device *gdev, u32 first_qid,
			   unsigned long streams);
unsigned int gaudi_cs_num_active(struct gaudi_device *gdev);
/*
 * Cancel what is deferred: of one context whose file is closed (-ECANCELED), or
 * (NULL) all of it, with -EIO, before a reset. Sleeps.
 */
void gaudi_deferred_cancel(struct gaudi_device *gdev, struct gaudi_ctx *ctx);
/*
 * A new context finds its streams unused, whatever an earlier context in the
 * same slot reserved and did not send. The card is not in a reset.
 */
void gaudi_signals_open(struct gaudi_ctx *ctx);
/* Drop reservations that no CS sends. */
void gaudi_signals_drop_reservations(struct gaudi_ctx *ctx);

int gaudi_timeslice_init(struct gaudi_device *gdev);
void gaudi_timeslice_fini(struct gaudi_device *gdev);
void gaudi_timeslice_ctx_init(struct gaudi_ctx *ctx);
/* The card was brought up; no engine has an address space. */
void gaudi_timeslice_start(struct gaudi_device *gdev);
/*
 * End the work of the context: drop what is pending, give what runs ms to end,
 * then free its engines from whatever they hang at. If that fails, the card is
 * reset. May sleep.
 */
void gaudi_timeslice_close(struct gaudi_ctx *ctx, unsigned int ms);
/*
 * Engines that work for ctx are in error, or it took too long: its running
 * submissions end with this error. False: it is not the owner, or no longer.
 */
bool gaudi_timeslice_fail(struct gaudi_device *gdev, struct gaudi_ctx *ctx,
			  int error);
/* The context that has the slice, with a reference; or NULL. */
struct gaudi_ctx *gaudi_timeslice_owner(struct gaudi_device *gdev);
/*
 * The context that QMAN q works for, or worked for last, with a reference;
 * NULL: none, or it is closed. May sleep.
 */
struct gaudi_ctx *gaudi_timeslice_qman_user(struct gaudi_device *gdev,
					    unsigned int q);

/* The card for the driver's own jobs. -EBUSY: it does not come free. */
int gaudi_timeslice_begin_driver(struct gaudi_device *gdev);
void gaudi_timeslice_end_driver(struct gaudi_device *gdev);

/* What passed of each QMAN's time while it worked for the context. */
void gaudi_usage_read(struct gaudi_ctx *ctx, ktime_t *busy);

#endif /* GAUDI_SUBMISSION_H */
