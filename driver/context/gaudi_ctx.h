/* SPDX-License-Identifier: GPL-2.0-only */
/* Open files and contexts: what bring-up and reset call on the user side. */
#ifndef GAUDI_CTX_H
#define GAUDI_CTX_H

#include <drm/drm_ioctl.h>
#include <linux/types.h>

#include "../hw/gaudi_hw.h"

struct drm_file;
struct file;
struct gaudi_device;

/* drm_driver callbacks and ioctl table. */
int gaudi_ctx_open(struct drm_device *drm, struct drm_file *file);
void gaudi_ctx_postclose(struct drm_device *drm, struct drm_file *file);
int gaudi_mmap(struct file *filp, struct vm_area_struct *vma);
extern const struct drm_ioctl_desc gaudi_ioctls[];
extern const unsigned int gaudi_num_ioctls;

/*
 * The current number of an ioctl that binaries from before 6.7 use; any other
 * number as it is.
 */
unsigned int gaudi_ioctl_current_cmd(unsigned int cmd);

/* INFO on the control node: same argument, restricted opcodes. */
int gaudi_info_ioctl_control(struct gaudi_device *gdev, void *arg);

int gaudi_user_init(struct gaudi_device *gdev);	/* hbm, pgt, cs, ctx */
/*
 * The card goes away; no ioctl enters the device any more and no engine runs.
 * What the card could reach is unmapped, also for files that stay open. The
 * rest is freed with the last reference to the DRM device.
 */
void gaudi_user_unplug(struct gaudi_device *gdev);

/*
 * Reset, in this order: no new work; all CS end with -EIO; users are notified.
 */
void gaudi_cs_abort_all(struct gaudi_device *gdev);
/* What was exported of HBM may not be mapped any more. */
void gaudi_dmabuf_revoke(struct gaudi_device *gdev);
/* Waits for submissions have ended; give the processes 1 s to close. */
void gaudi_ctx_wait_closed(struct gaudi_device *gdev);
/* Kill the processes that have opened the device; returns at once. */
void gaudi_ctx_kill_users(struct gaudi_device *gdev);
/*
 * Notify users of events (HL_NOTIFIER_EVENT_*), and reset the card. A user with
 * an eventfd gets 30 s to collect information and to close; until then its
 * waits end with -EIO and new ones fail. May sleep.
 */
void gaudi_ctx_cond_reset(struct gaudi_device *gdev,
			  enum gaudi_reset_reason reason, u64 events);
/* A reset begins: do not wait for a close any more. */
void gaudi_ctx_watchdog_stop(struct gaudi_device *gdev);
bool gaudi_ctx_any_open(struct gaudi_device *gdev);
/* A reset is over: no engine holds anything of a user's. */
void gaudi_ctx_engines_clean(struct gaudi_device *gdev);
/* Overwrite the users' HBM and SRAM; -EBUSY while the card is open. */
int gaudi_ctx_scrub(struct gaudi_device *gdev, u64 pattern);

/*
 * The job that was pushed with this cookie ended. Called by the interrupt
 * thread, or by a thread that submits or waits, without the queues' lock. No
 * call may run or come after gaudi_cs_abort_all() for what was pushed before:
 * see gaudi_queues_close_cq().
 */
void gaudi_cs_job_done(struct gaudi_device *gdev, u32 qid, void *cookie);

#endif /* GAUDI_CTX_H */
