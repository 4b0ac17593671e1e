// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probe and removal: memory first, then the card, then its users; and all of it
 * in reverse. The steps of bring-up are gaudi_bringup.c's.
 */
#include <drm/drm_drv.h>
#include <drm/drm_managed.h>
#include <linux/mm.h>
#include <linux/pci.h>

#include "../../uapi/hw/regs/gaudi_sync_mngr_regs.h"
#include "../context/gaudi_context.h"
#include "../core/gaudi_ctx.h"
#include "../core/gaudi_device.h"
#include "../core/gaudi_param.h"
#include "../errors/gaudi_errors.h"
#include "../errors/gaudi_reports.h"
#include "../events/gaudi_events.h"
#include "../firmware/gaudi_cpucp.h"
#include "../firmware/gaudi_firmware.h"
#include "../hw/gaudi_blocks.h"
#include "../hw/gaudi_mmu.h"
#include "../jobs/gaudi_jobs.h"
#include "../nic/gaudi_ports.h"
#include "../queues/gaudi_queue.h"
#include "../reset/gaudi_reset.h"
#include "../shared/gaudi_shared.h"
#include "../submission/gaudi_submission.h"
#include "../user/gaudi_user.h"
#include "gaudi_module.h"

/* How long a removal waits for killed users; their memory is unmapped anyway. */
#define GAUDI_REMOVAL_USERS_MS	3000

/* What mainline overwrites memory with. */
#define GAUDI_SCRUB_PATTERN	0x1122334455667788ull
/* Seconds. The parameter's default means more on this card. */
#define GAUDI_TIMEOUT_PARAM_DEFAULT	30
#define GAUDI_TIMEOUT_DEFAULT		600
#define GAUDI_RELEASE_TIMEOUT		30

/*
 * One user has all of the card; but in shared mode. What stands before the driver's
 * objects in W_S is for collectives.
 */
static const struct gaudi_share gaudi_whole_card = {
	.users = 1,
	.sobs = SYNC_MNGR_NUM_SOB,
	.mons = SYNC_MNGR_NUM_MON,
	.drv_sob = GAUDI_FIRST_USER_SOB_W_S - GAUDI_DRV_SOBS,
	.drv_mon = GAUDI_FIRST_USER_MON_W_S - GAUDI_DRV_MONS,
};

static void gaudi_device_release(struct drm_device *drm, void *unused)
{
	cleanup_srcu_struct(&to_gaudi_device(drm)->users_srcu);
}

struct gaudi_device *gaudi_device_create(struct pci_dev *pdev,
					 const struct drm_driver *driver)
{
	struct gaudi_device *gdev;
	int ret;

	gdev = devm_drm_dev_alloc(&pdev->dev, driver, struct gaudi_device,
				  drm);
	if (IS_ERR(gdev))
		return gdev;
	ret = init_srcu_struct(&gdev->users_srcu) ?:
	      drmm_add_action_or_reset(&gdev->drm, gaudi_device_release, NULL);
	if (ret)
		return ERR_PTR(ret);
	init_rwsem(&gdev->fw_sem);
	gdev->pdev = pdev;
	gdev->share = &gaudi_whole_card;
	gdev->tunables = (struct gaudi_tunables) {
		.scrub_val = GAUDI_SCRUB_PATTERN,
		.timeout_s = gaudi_timeout_locked,
		.release_timeout_s = GAUDI_RELEASE_TIMEOUT,
		.stop_on_err = true,
	};
	if (gaudi_timeout_locked == GAUDI_TIMEOUT_PARAM_DEFAULT)
		gdev->tunables.timeout_s = GAUDI_TIMEOUT_DEFAULT;
	gdev->status = HL_DEVICE_STATUS_IN_DEVICE_CREATION;
	pci_set_drvdata(pdev, gdev);
	return gdev;
}

/* Host memory and software state. All but the last is freed with the device. */
static int gaudi_device_alloc(struct gaudi_device *gdev)
{
	return gaudi_reports_init(gdev) ?:
	       gaudi_error_init(gdev) ?:
	       gaudi_queues_init(gdev, gaudi_cs_job_done) ?:
	       gaudi_cpucp_init(gdev) ?:
	       gaudi_mmu_init(gdev) ?:
	       gaudi_shared_init(gdev) ?:
	       gaudi_kjob_init(gdev) ?:
	       gaudi_nic_init(gdev) ?:
	       gaudi_eq_init(gdev, gaudi_events_handle) ?:
	       gaudi_state_dump_init(gdev) ?:
	       gaudi_irq_init(gdev) ?:
	       gaudi_reset_init(gdev);
}

/*
 * All submissions and waits have ended. A thread that is still in an ioctl may
 * sleep there, in a page fault for example; when it goes on it finds that the
 * device has gone.
 */
static void gaudi_device_unplug(struct gaudi_device *gdev)
{
	drm_dev_unplug(&gdev->drm);
	WRITE_ONCE(gdev->gone, true);
	synchronize_srcu(&gdev->users_srcu);
	/* What faults have mapped; there are no new ones. */
	unmap_mapping_range(gdev->drm.anon_inode->i_mapping, 0, 0, 1);
}

static int gaudi_device_register(struct gaudi_device *gdev)
{
	int ret;

	ret = gaudi_sysfs_add(gdev);
	if (ret)
		return ret;
	ret = drm_dev_register(&gdev->drm, 0);
	if (ret)
		goto err_sysfs;
	ret = gaudi_control_add(gdev);
	if (ret)
		goto err_drm;
	ret = gaudi_hwmon_add(gdev);
	if (ret)
		goto err_control;
	gaudi_debugfs_add(gdev);
	return 0;

err_control:
	gaudi_control_remove(gdev);
err_drm:
	/* A process may have opened it already. */
	gaudi_reset_block(gdev, HL_DEVICE_STATUS_MALFUNCTION,
			  GAUDI_REMOVAL_USERS_MS);
	gaudi_device_unplug(gdev);
err_sysfs:
	gaudi_sysfs_remove(gdev);
	return ret;
}

int gaudi_device_init(struct gaudi_device *gdev)
{
	int ret;

	ret = gaudi_device_find_card(gdev) ?: gaudi_device_alloc(gdev);
	if (ret)
		return ret;
	ret = gaudi_device_hw_init(gdev);
	if (ret)
		goto err_reset;
	ret = gaudi_device_late_init(gdev) ?: gaudi_context_init(gdev);
	if (ret)
		goto err_halt;
	/*
	 * Operational before the node appears, since it may be opened at once.
	 */
	gaudi_reset_start(gdev);
	ret = gaudi_device_register(gdev);
	if (ret)
		goto err_user;
	return 0;

err_user:
	gaudi_reset_block(gdev, HL_DEVICE_STATUS_MALFUNCTION, 0);
	WRITE_ONCE(gdev->dead, true);
	gaudi_shared_fini(gdev);
	gaudi_context_unplug(gdev);
err_halt:
	gaudi_device_halt(gdev);
err_reset:
	/* Nothing of ours may be left running, or be found dirty. */
	gaudi_device_hw_reset(gdev, true);
	gaudi_reset_fini(gdev);
	return ret;
}

void gaudi_device_fini(struct gaudi_device *gdev)
{
	gaudi_sysfs_remove(gdev);
	gaudi_hwmon_remove(gdev);
	gaudi_control_remove(gdev);
	WRITE_ONCE(gdev->dead, !pci_device_is_present(gdev->pdev));
	/*
	 * Users go first: unplug waits for threads that are inside the device.
	 */
	gaudi_reset_block(gdev, HL_DEVICE_STATUS_MALFUNCTION,
			  GAUDI_REMOVAL_USERS_MS);
	gaudi_device_unplug(gdev);
	WRITE_ONCE(gdev->dead, true);
	if (pci_device_is_present(gdev->pdev))
		gaudi_device_hw_reset(gdev, false);
	/* Whatever the reset came to: what is unmapped now stays unharmed. */
	pci_clear_master(gdev->pdev);
	gaudi_shared_fini(gdev);
	gaudi_context_unplug(gdev);
	gaudi_reset_fini(gdev);
}
