/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The room of submissions: what a launch meets first is gaudi_cs_ioctl(). It checks
 * the user's buffers (gaudi_cb_check.c), puts the jobs on their queues, or in a list
 * until the context has its time slice, and ends them with a dma_fence.
 *
 * It owns command submissions (CS), sync objects of signals, and timeouts.
 *
 * Locks, outermost first: the queues' lock (gaudi_queue.h), gaudi_cs_mgr.lock, that
 * of a context's reservations, gaudi_signals.lock, the fences' lock. Besides:
 * gaudi_collective.lock and gaudi_usage.lock, inside of the queues' lock;
 * gaudi_deferred.lock, outside of the fences' locks; gaudi_cs_ctx.lock. All are
 * spinlocks and taken in process context or in the interrupt thread, but for a
 * context's collective_lock, a mutex outside of all of them.
 *
 * It offers the CS and WAIT ioctls, a context's part, and what events, a reset and
 * the driver's own jobs need of submissions.
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
 * Context: Probe; freed with the DRM device.
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
 * The queues' cq_lock lets one call run at a time, so that gaudi_job.done needs no
 * lock of this room. No call may run during gaudi_cs_abort_all(), or come after it,
 * for what was pushed before: see gaudi_queues_close_cq().
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
 * @first_qid: the first of a QMAN's queues
 * @streams: bits of its streams that go on after a reset only
 *
 * Of internal queues: what has a job there ends with %-EIO for its process, and
 * no more is taken. The other jobs go on. What has a job on an
 * external one has the usual timeout, whatever its own is, and less if others
 * may wait for other cards.
 *
 * Context: Process context. Does not sleep.
 */
void gaudi_cs_fail_streams(struct gaudi_device *gdev, u32 first_qid,
			   unsigned long streams);

/**
 * gaudi_cs_engine_stopped() - An engine has stopped at an error
 * @gdev: the card, not in shared mode
 *
 * It goes on after a reset only, and so does what waits for its work, whichever that
 * is. Until then the oldest submission has the usual timeout, whatever its own is, and
 * less if others may wait for other cards.
 *
 * Context: Process context. Does not sleep.
 */
void gaudi_cs_engine_stopped(struct gaudi_device *gdev);

/**
 * gaudi_cs_any_stopped() - Whether a stream goes on after a reset only
 * @gdev: the card
 *
 * Context: Process context. Does not sleep.
 * Return: True if gaudi_cs_fail_streams() named one since the last reset.
 */
bool gaudi_cs_any_stopped(struct gaudi_device *gdev);

/**
 * gaudi_cs_clear_timeout() - Forget the first timeout, which INFO reports
 * @gdev: the card
 *
 * Context: Process context. Does not sleep.
 */
void gaudi_cs_clear_timeout(struct gaudi_device *gdev);

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
 * gaudi_usage_read() - What passed of each QMAN's time while it worked for a
 *	context
 * @ctx: the context
 * @busy: where the times are put, one for each of gaudi_qmans
 *
 * Context: Process context. Does not sleep.
 */
void gaudi_usage_read(struct gaudi_ctx *ctx, ktime_t *busy);

#endif /* GAUDI_SUBMISSION_H */
