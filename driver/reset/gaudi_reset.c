// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hard reset, the only kind that Gaudi 1 has: requests, order of steps, and
 * what follows. Heartbeats too, since a lost one is a reason.
 *
 * Invariants:
 *  1. After probe only this file and core/gaudi_gate.c change gdev->status, under
 *     gaudi_gate.lock; the latter never to OPERATIONAL.
 *  2. Code between gaudi_reset_enter() and _exit() holds gaudi_gate.sem for
 *     reading. status leaves OPERATIONAL first, then the semaphore is taken
 *     and dropped for writing: after that no thread is inside, or gets in.
 *  3. One of gaudi_reset_work() and the owner of a block runs at a time: block
 *     refuses new resets and waits for the work.
 */
#include <drm/drm_managed.h>
#include <linux/iopoll.h>
#include <linux/pci.h>
#include <linux/rwsem.h>
#include <linux/workqueue.h>

#include "../context/gaudi_context.h"
#include "../core/gaudi_device.h"
#include "../core/gaudi_gate.h"
#include "../errors/gaudi_reports.h"
#include "../firmware/gaudi_cpucp.h"
#include "../firmware/gaudi_firmware.h"
#include "../hw/gaudi_hw.h"
#include "../memory/gaudi_memory.h"
#include "../memory/gaudi_pgt.h"
#include "../nic/gaudi_ports.h"
#include "../queues/gaudi_queue.h"
#include "../submission/gaudi_submission.h"
#include "gaudi_coredump.h"
#include "gaudi_reset.h"

#define GAUDI_HEARTBEAT_MS	10000

struct gaudi_reset {
	struct gaudi_gate gate;
	struct gaudi_device *gdev;
	struct delayed_work heartbeat;
	bool marked;			/* disabled by hand (debugfs); gate.lock */

	/* The work's own: does the same thing break again and again? */
	bool last_was_bad;
	enum gaudi_reset_reason last_reason;
};

static const char * const gaudi_reset_text[] = {
	[GAUDI_RESET_USER] = "on request",
	[GAUDI_RESET_TIMEOUT] = "a submission is stuck",
	[GAUDI_RESET_RELEASE] = "the user left work behind",
	[GAUDI_RESET_HEARTBEAT] = "firmware does not answer",
	[GAUDI_RESET_EVENT] = "firmware asked for it",
	[GAUDI_RESET_FATAL] = "fatal hardware error",
	[GAUDI_RESET_PCI] = "PCI error",
	[GAUDI_RESET_NEXT_USER] = "another user comes",
};

static void gaudi_set_status(struct gaudi_device *gdev, int status)
{
	spin_lock(&gdev->reset->gate.lock);
	WRITE_ONCE(gdev->status, status);
	spin_unlock(&gdev->reset->gate.lock);
}

/* --- Keeping out of each other's way --- */

/* A killed process that still holds the device after this will not leave. */
static void gaudi_reset_wait_users(struct gaudi_device *gdev,
				   unsigned int users_ms)
{
	bool open;

	gaudi_ctx_wait_closed(gdev);
	gaudi_ctx_kill_users(gdev);
	if (read_poll_timeout(gaudi_ctx_any_open, open, !open, 2000,
			      users_ms * USEC_PER_MSEC, false, gdev))
		drm_err(&gdev->drm,
			"a killed process still has the device open\n");
}

static void gaudi_reset_drain(struct gaudi_device *gdev)
{
	struct gaudi_reset *reset = gdev->reset;

	cancel_delayed_work_sync(&reset->heartbeat);
	down_write(&reset->gate.sem);
	up_write(&reset->gate.sem);
	/* Submissions check the status under this lock. */
	gaudi_queues_sync(gdev);
}

/* From a status that lets no thread in, to a card where nothing moves. */
static void gaudi_reset_quiesce(struct gaudi_device *gdev, bool tell_fw,
				unsigned int users_ms)
{
	/*
	 * Threads that wait for firmware would hold up what follows, for
	 * seconds.
	 */
	gaudi_cpucp_close(gdev);
	gaudi_reset_drain(gdev);
	gaudi_reports_notify(gdev, HL_NOTIFIER_EVENT_DEVICE_RESET |
				   HL_NOTIFIER_EVENT_DEVICE_UNAVAILABLE);
	if (tell_fw)
		gaudi_cpucp_pci_access(gdev, false);
	gaudi_device_halt(gdev);
	/*
	 * No interrupt from here on, so completions cannot race with this. What
	 * had ended before must not end as aborted.
	 */
	gaudi_queues_close_cq(gdev);
	gaudi_ctx_watchdog_stop(gdev);
	gaudi_cs_abort_all(gdev);
	gaudi_dmabuf_revoke(gdev);
	gaudi_pgt_suspend(gdev);
	if (users_ms)
		gaudi_reset_wait_users(gdev, users_ms);
}

static int gaudi_reset_try(struct gaudi_device *gdev, bool lost,
			   bool fw_anywhere)
{
	u64 busy[HL_BUSY_ENGINES_MASK_EXT_SIZE];
	int ret;

	ret = gaudi_device_hw_reset(gdev, fw_anywhere);
	if (ret)
		return ret;
	gdev->fw_was_lost = lost;
	/* It may have been taken from a card that would not stop. */
	pci_set_master(gdev->pdev);
	ret = gaudi_fw_wait_preboot(gdev) ?: gaudi_device_hw_init(gdev);
	if (ret)
		return ret;
	if (!gaudi_engines_idle(gdev, busy, ARRAY_SIZE(busy), NULL)) {
		drm_err(&gdev->drm, "engines %#llx are busy after reset\n",
			busy[0]);
		ret = -EIO;
		goto err_halt;
	}
	ret = gaudi_device_late_init(gdev);
	if (ret)
		goto err_halt;
	gaudi_pgt_restore(gdev);
	gaudi_ctx_engines_clean(gdev);
	return 0;

err_halt:
	gaudi_device_halt(gdev);
	return ret;
}

/*
 * What goes wrong once, a packet or an answer, may go well the next time. The
 * first time, firmware that was not lost is in its Linux; after a failed try it
 * may be anywhere.
 */
static int gaudi_reset_revive(struct gaudi_device *gdev, bool lost)
{
	int ret = gaudi_reset_try(gdev, lost, lost);

	if (!ret || gaudi_offline(gdev) || !pci_device_is_present(gdev->pdev))
		return ret;
	drm_warn(&gdev->drm, "bring-up failed (%d), resetting once more\n",
		 ret);
	return gaudi_reset_try(gdev, lost, true);
}

/* --- The work --- */

static bool gaudi_reset_is_wanted(enum gaudi_reset_reason reason)
{
	return reason == GAUDI_RESET_USER || reason == GAUDI_RESET_NEXT_USER;
}

/* Broken the same way as last time: then it is of no use to go on. */
static bool gaudi_reset_repeats(struct gaudi_reset *reset,
				enum gaudi_reset_reason reason)
{
	bool bad = reason == GAUDI_RESET_FATAL ||
		   reason == GAUDI_RESET_HEARTBEAT;
	bool repeats = bad && reset->last_was_bad &&
		       reset->last_reason == reason;

	reset->last_was_bad = bad;
	reset->last_reason = reason;
	return repeats;
}

static void gaudi_reset_work(struct work_struct *work)
{
	struct gaudi_reset *reset = container_of(work, struct gaudi_reset,
						 gate.work);
	struct gaudi_device *gdev = reset->gdev;
	const struct seq_file *dump = NULL;
	enum gaudi_reset_reason reason;
	bool lost, repeats;
	int ret;

	scoped_guard(spinlock, &reset->gate.lock)
		reason = reset->gate.reason;
	lost = reason == GAUDI_RESET_HEARTBEAT;
	repeats = gaudi_reset_repeats(reset, reason);
	if (gaudi_reset_is_wanted(reason))
		drm_info(&gdev->drm, "hard reset: %s\n",
			 gaudi_reset_text[reason]);
	else
		drm_warn(&gdev->drm, "hard reset: %s\n",
			 gaudi_reset_text[reason]);
	/*
	 * Users request a reset, or die with work running: there is no fault to
	 * debug.
	 */
	if (!gaudi_reset_is_wanted(reason) && reason != GAUDI_RESET_RELEASE)
		dump = gaudi_coredump_take(gdev, gaudi_reset_text[reason]);

	gaudi_reset_quiesce(gdev, !lost && reason != GAUDI_RESET_FATAL,
			    GAUDI_RESET_USERS_MS);
	if (dump)
		gaudi_coredump_hand_out(gdev, dump);
	ret = gaudi_reset_revive(gdev, lost);
	if (ret) {
		drm_err(&gdev->drm, "reset failed (%d), device is disabled\n",
			ret);
	} else if (repeats) {
		drm_err(&gdev->drm, "%s, twice in a row: device is disabled\n",
			gaudi_reset_text[reason]);
		gaudi_device_halt(gdev);
	}
	if (ret || repeats) {
		gaudi_set_status(gdev, HL_DEVICE_STATUS_MALFUNCTION);
		return;
	}
	scoped_guard(spinlock, &reset->gate.lock)
		reset->gate.count++;
	gaudi_reset_start(gdev);
	drm_notice(&gdev->drm, "hard reset is done\n");
}

static void gaudi_reset_heartbeat(struct work_struct *work)
{
	struct gaudi_reset *reset = container_of(to_delayed_work(work),
						 struct gaudi_reset, heartbeat);
	struct hl_info_fw_err_event rec = {
		.err_type = HL_INFO_FW_HEARTBEAT_ERR,
	};
	struct gaudi_device *gdev = reset->gdev;
	int ret;

	if (!gaudi_device_operational(gdev))
		return;
	ret = gaudi_cpucp_test(gdev);
	if (!ret) {
		queue_delayed_work(reset->gate.wq, &reset->heartbeat,
				   msecs_to_jiffies(GAUDI_HEARTBEAT_MS));
		return;
	}
	/* A reset that began meanwhile closes the queue. */
	if (!gaudi_device_operational(gdev))
		return;
	drm_err(&gdev->drm, "heartbeat failed: %d\n", ret);
	rec.timestamp = ktime_to_ns(ktime_get());
	gaudi_reports_capture(gdev, GAUDI_CAPTURED_FW_ERR, &rec);
	gaudi_reports_notify(gdev, HL_NOTIFIER_EVENT_CRITICL_FW_ERR);
	gaudi_reset_schedule(gdev, GAUDI_RESET_HEARTBEAT);
}

void gaudi_reset_set_disabled(struct gaudi_device *gdev, bool disabled)
{
	const int from = disabled ? HL_DEVICE_STATUS_OPERATIONAL :
				    HL_DEVICE_STATUS_MALFUNCTION;

	spin_lock(&gdev->reset->gate.lock);
	if (gdev->reset->marked != disabled && gdev->status == from) {
		gdev->reset->marked = disabled;
		WRITE_ONCE(gdev->status, disabled ?
			   HL_DEVICE_STATUS_MALFUNCTION :
			   HL_DEVICE_STATUS_OPERATIONAL);
		/* It stops when it finds the device disabled. */
		if (!disabled)
			mod_delayed_work(gdev->reset->gate.wq,
					 &gdev->reset->heartbeat,
					 msecs_to_jiffies(GAUDI_HEARTBEAT_MS));
	}
	spin_unlock(&gdev->reset->gate.lock);
}

/* --- Bring-up, and others that need the card for themselves --- */

void gaudi_reset_start(struct gaudi_device *gdev)
{
	struct gaudi_reset *reset = gdev->reset;
	bool pending;

	scoped_guard(spinlock, &reset->gate.lock) {
		WRITE_ONCE(gdev->status, HL_DEVICE_STATUS_OPERATIONAL);
		pending = reset->gate.pending;
		reset->gate.pending = false;
	}
	queue_delayed_work(reset->gate.wq, &reset->heartbeat,
			   msecs_to_jiffies(GAUDI_HEARTBEAT_MS));
	gaudi_eq_enable(gdev);
	gaudi_nic_start(gdev);
	if (pending)
		gaudi_reset_schedule(gdev, reset->gate.reason);
}

void gaudi_reset_block(struct gaudi_device *gdev, int status,
		       unsigned int users_ms)
{
	struct gaudi_reset *reset = gdev->reset;
	bool was_disabled;

	scoped_guard(spinlock, &reset->gate.lock)
		reset->gate.blocked = true;
	flush_work(&reset->gate.work);
	scoped_guard(spinlock, &reset->gate.lock) {
		was_disabled = gdev->status == HL_DEVICE_STATUS_MALFUNCTION &&
			       !reset->marked;
		reset->marked = false;
		WRITE_ONCE(gdev->status, status);
	}
	/* A disabled card is quiet; but users may have it open still. */
	gaudi_reset_quiesce(gdev, !was_disabled && !READ_ONCE(gdev->dead),
			    users_ms);
}

int gaudi_reset_unblock(struct gaudi_device *gdev)
{
	struct gaudi_reset *reset = gdev->reset;
	int ret;

	ret = gaudi_pci_restore(gdev);
	if (!ret) {
		/* Restoring uses it up; see gaudi_pci_init(). */
		pci_save_state(gdev->pdev);
		ret = gaudi_reset_revive(gdev, false);
	}
	scoped_guard(spinlock, &reset->gate.lock) {
		reset->gate.blocked = false;
		if (!ret)
			reset->gate.count++;
	}
	if (ret) {
		drm_err(&gdev->drm, "card did not come back (%d), device is disabled\n",
			ret);
		gaudi_set_status(gdev, HL_DEVICE_STATUS_MALFUNCTION);
		return ret;
	}
	gaudi_reset_start(gdev);
	return 0;
}

int gaudi_reset_init(struct gaudi_device *gdev)
{
	struct gaudi_reset *reset;

	/* Holders of a reference to the device may read its status. */
	reset = drmm_kzalloc(&gdev->drm, sizeof(*reset), GFP_KERNEL);
	if (!reset)
		return -ENOMEM;
	reset->gdev = gdev;
	init_rwsem(&reset->gate.sem);
	spin_lock_init(&reset->gate.lock);
	INIT_WORK(&reset->gate.work, gaudi_reset_work);
	INIT_DELAYED_WORK(&reset->heartbeat, gaudi_reset_heartbeat);
	/* Two at a time: a reset waits for the heartbeat. It ends fences. */
	reset->gate.wq = alloc_workqueue("gaudi-reset-%s",
				    WQ_UNBOUND | WQ_MEM_RECLAIM, 2,
				    dev_name(&gdev->pdev->dev));
	if (!reset->gate.wq)
		return -ENOMEM;
	gdev->gate = &reset->gate;
	gdev->reset = reset;
	return 0;
}

void gaudi_reset_fini(struct gaudi_device *gdev)
{
	/* Attributes may still ask for a reset: refused from here on. */
	scoped_guard(spinlock, &gdev->reset->gate.lock)
		gdev->reset->gate.blocked = true;
	cancel_delayed_work_sync(&gdev->reset->heartbeat);
	cancel_work_sync(&gdev->reset->gate.work);
	destroy_workqueue(gdev->reset->gate.wq);
}
