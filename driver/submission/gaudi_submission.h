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

/**
 * gaudi_cs_ioctl() - The CS ioctl
 * @drm: the DRM device
 * @data: union hl_cs_args
 * @file: the open file
 *
 * Context: DRM's callback. May sleep.
 * Return: 0 or an errno; with %-EAGAIN the arguments are as they were.
 */
int gaudi_cs_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

/**
 * gaudi_cs_sync_ioctl() - A CS with fences in and out
 * @drm: the DRM device
 * @data: struct drm_gaudi_cs
 * @file: the open file
 *
 * Context: DRM's callback. May sleep.
 * Return: 0 or an errno.
 */
int gaudi_cs_sync_ioctl(struct drm_device *drm, void *data,
			struct drm_file *file);

/**
 * gaudi_wait_ioctl() - The WAIT ioctl
 * @drm: the DRM device
 * @data: union hl_wait_cs_args
 * @file: the open file
 *
 * Context: DRM's callback. May sleep.
 * Return: 0 or an errno.
 */
int gaudi_wait_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

/**
 * gaudi_cs_mgr_init() - Make the card's part
 * @gdev: the card
 *
 * Context: Probe.
 * Return: 0 or an errno.
 */
int gaudi_cs_mgr_init(struct gaudi_device *gdev);

/**
 * gaudi_cs_mgr_unplug() - The device goes away: no timer, no DMA memory
 * @gdev: the card
 *
 * All submissions have ended.
 *
 * Context: May sleep.
 */
void gaudi_cs_mgr_unplug(struct gaudi_device *gdev);

/**
 * gaudi_cs_mgr_fini() - Free the card's part
 * @gdev: the card
 *
 * Context: The last reference to the device is gone.
 */
void gaudi_cs_mgr_fini(struct gaudi_device *gdev);

/**
 * gaudi_cs_ctx_init() - Make a context's part
 * @ctx: the context
 *
 * Context: Process context; may sleep.
 * Return: 0 or %-ENOMEM.
 */
int gaudi_cs_ctx_init(struct gaudi_ctx *ctx);

/**
 * gaudi_cs_ctx_fini() - Free a context's part
 * @ctx: the context
 *
 * Context: Process context. All of its submissions have ended.
 */
void gaudi_cs_ctx_fini(struct gaudi_ctx *ctx);

/**
 * gaudi_cs_job_done() - The job that was pushed with this cookie ended
 * @gdev: the card
 * @qid: the queue's id
 * @cookie: of gaudi_queue_push()
 *
 * No call may run or come after gaudi_cs_abort_all() for what was pushed
 * before: see gaudi_queues_close_cq().
 *
 * Context: The interrupt thread, or a thread that submits or waits, without the
 *	queues' lock.
 */
void gaudi_cs_job_done(struct gaudi_device *gdev, u32 qid, void *cookie);

/**
 * gaudi_cs_abort_all() - End all submissions with -EIO
 * @gdev: the card
 *
 * For a reset, when there is no new work.
 *
 * Context: May sleep.
 */
void gaudi_cs_abort_all(struct gaudi_device *gdev);

/**
 * gaudi_cs_abort_waits() - End all waits with -EIO
 * @gdev: the card
 *
 * A reset will come, and users are to be notified. Running jobs go on, and so
 * do the exported fences; deferred submissions are cancelled.
 *
 * Context: May sleep.
 */
void gaudi_cs_abort_waits(struct gaudi_device *gdev);

/**
 * gaudi_cs_fail_streams() - Streams have stopped at an error
 * @gdev: the card
 * @first_qid: the first of a QMAN's internal queues
 * @streams: bits of its streams that go on after a reset only
 *
 * What has a job there ends with %-EIO for its process, and no more is taken.
 * The other jobs go on.
 *
 * Context: Process context. Does not sleep.
 */
void gaudi_cs_fail_streams(struct gaudi_device *gdev, u32 first_qid,
			   unsigned long streams);

/**
 * gaudi_cs_num_active() - How many submissions have not ended
 * @gdev: the card
 *
 * Context: Process context. Does not sleep.
 * Return: Their number, of all contexts.
 */
unsigned int gaudi_cs_num_active(struct gaudi_device *gdev);

/**
 * gaudi_deferred_cancel() - Cancel what is deferred
 * @gdev: the card
 * @ctx: whose file is closed (-ECANCELED); %NULL: all of it (-EIO), before a
 *	reset
 *
 * Context: May sleep.
 */
void gaudi_deferred_cancel(struct gaudi_device *gdev, struct gaudi_ctx *ctx);

/**
 * gaudi_signals_open() - A new context finds its streams unused
 * @ctx: the context
 *
 * Whatever an earlier context in the same slot reserved and did not send. The
 * card is not in a reset.
 *
 * Context: Process context. Does not sleep.
 */
void gaudi_signals_open(struct gaudi_ctx *ctx);

/**
 * gaudi_signals_drop_reservations() - Drop reservations that no CS sends
 * @ctx: the context
 *
 * Context: Process context. Does not sleep.
 */
void gaudi_signals_drop_reservations(struct gaudi_ctx *ctx);

/**
 * gaudi_collective_ctx_fini() - Give back what a context's collectives have
 * @ctx: the context
 *
 * None of its submissions is left; for the end of the context, and before it when
 * the card goes away.
 *
 * Context: May sleep.
 */
void gaudi_collective_ctx_fini(struct gaudi_ctx *ctx);

/**
 * gaudi_timeslice_init() - Make the card's part of shared mode
 * @gdev: the card
 *
 * Nothing unless the module's parameter shared is set.
 *
 * Context: Probe; freed with the device.
 * Return: 0 or %-ENOMEM.
 */
int gaudi_timeslice_init(struct gaudi_device *gdev);

/**
 * gaudi_timeslice_fini() - Stop what runs for shared mode
 * @gdev: the card
 *
 * Context: May sleep.
 */
void gaudi_timeslice_fini(struct gaudi_device *gdev);

/**
 * gaudi_timeslice_ctx_init() - Make a context's part
 * @ctx: the context
 *
 * Context: Process context.
 */
void gaudi_timeslice_ctx_init(struct gaudi_ctx *ctx);

/**
 * gaudi_timeslice_start() - The card was brought up; no engine has an address
 *	space
 * @gdev: the card
 *
 * Context: Process context; takes the queues' lock.
 */
void gaudi_timeslice_start(struct gaudi_device *gdev);

/**
 * gaudi_timeslice_close() - End the work of a context
 * @ctx: the context
 * @ms: how long what runs may take to end
 *
 * Drops what is pending, and frees the engines from whatever they hang at when
 * the time is over. If that fails, the card is reset.
 *
 * Context: May sleep.
 */
void gaudi_timeslice_close(struct gaudi_ctx *ctx, unsigned int ms);

/**
 * gaudi_timeslice_fail() - Engines that work for a context are in error
 * @gdev: the card
 * @ctx: the context
 * @error: how its running submissions end
 *
 * Or it took too long.
 *
 * Context: Process context; takes the queues' lock. In shared mode only.
 * Return: False: it is not the owner, or no longer.
 */
bool gaudi_timeslice_fail(struct gaudi_device *gdev, struct gaudi_ctx *ctx,
			  int error);

/**
 * gaudi_timeslice_owner() - The context that has the time slice
 * @gdev: the card
 *
 * Context: Process context; takes the queues' lock.
 * Return: The context with a reference, or %NULL.
 */
struct gaudi_ctx *gaudi_timeslice_owner(struct gaudi_device *gdev);

/**
 * gaudi_timeslice_qman_user() - The context that a QMAN works for, or worked
 *	for last
 * @gdev: the card
 * @q: index of gaudi_qmans
 *
 * Context: May sleep. In shared mode only.
 * Return: The context with a reference; %NULL: none, or it is closed.
 */
struct gaudi_ctx *gaudi_timeslice_qman_user(struct gaudi_device *gdev,
					    unsigned int q);

/**
 * gaudi_timeslice_begin_driver() - Get the card for the driver's own jobs
 * @gdev: the card
 *
 * Until gaudi_timeslice_end_driver(), if it succeeds.
 *
 * Context: May sleep; takes a mutex in shared mode.
 * Return: 0; %-EBUSY: it does not come free.
 */
int gaudi_timeslice_begin_driver(struct gaudi_device *gdev);

/**
 * gaudi_timeslice_end_driver() - Give the card back to contexts
 * @gdev: the card
 *
 * Context: Releases what gaudi_timeslice_begin_driver() took.
 */
void gaudi_timeslice_end_driver(struct gaudi_device *gdev);

/**
 * gaudi_usage_read() - What passed of each QMAN's time while it worked for a
 *	context
 * @ctx: the context
 * @busy: where the times are put, one for each of gaudi_qmans
 *
 * Context: Process context. Does not sleep.
 */
void gaudi_usage_read(struct gaudi_ctx *ctx, ktime_t *busy);

#endif /* GAUDI_SUBMISSION_H */
