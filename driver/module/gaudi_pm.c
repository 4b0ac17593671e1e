// SPDX-License-Identifier: GPL-2.0-only
/*
 * System sleep, and runtime suspend.
 *
 * The card keeps no state in D3: resume is a reset and a boot, which take some
 * seconds. So it is suspended only when it is not open (a user has memory on
 * the card), and only if the administrator asks for that: the kernel's default
 * of power/control for PCI devices is "on". Heartbeats, events and sensors stop
 * meanwhile, and the status is that of a card in reset; reading an attribute
 * does not wake it, open() does.
 */
#include <linux/pci.h>
#include <linux/pm_runtime.h>

#include "../context/gaudi_context.h"
#include "../core/gaudi_device.h"
#include "../reset/gaudi_reset.h"
#include "gaudi_module.h"

#define AUTOSUSPEND_MS	5000

/*
 * Users are frozen, so there is no need to wait for them. They are killed when
 * they thaw, before they run, and meanwhile the card was reset.
 */
static int gaudi_suspend(struct device *dev)
{
	struct gaudi_device *gdev = dev_get_drvdata(dev);

	gaudi_reset_block(gdev, HL_DEVICE_STATUS_IN_RESET, 0);
	gaudi_ctx_kill_users(gdev);
	return 0;
}

static int gaudi_resume(struct device *dev)
{
	struct pci_dev *pdev = to_pci_dev(dev);

	pci_set_master(pdev);
	return gaudi_reset_unblock(dev_get_drvdata(dev));
}

static int gaudi_runtime_suspend(struct device *dev)
{
	struct gaudi_device *gdev = dev_get_drvdata(dev);
	int status = READ_ONCE(gdev->status);

	if (status != HL_DEVICE_STATUS_OPERATIONAL) {
		/* After a reset it is worth another try; else it is broken. */
		if (status == HL_DEVICE_STATUS_IN_RESET)
			pm_runtime_mark_last_busy(dev);
		return -EBUSY;
	}
	return gaudi_suspend(dev);
}

/* A card that does not come back is disabled; to power that is no error. */
static int gaudi_runtime_resume(struct device *dev)
{
	gaudi_resume(dev);
	return 0;
}

const struct dev_pm_ops gaudi_pm_ops = {
	SYSTEM_SLEEP_PM_OPS(gaudi_suspend, gaudi_resume)
	RUNTIME_PM_OPS(gaudi_runtime_suspend, gaudi_runtime_resume, NULL)
};

void gaudi_pm_start(struct gaudi_device *gdev)
{
	struct device *dev = &gdev->pdev->dev;

	pm_runtime_set_autosuspend_delay(dev, AUTOSUSPEND_MS);
	pm_runtime_use_autosuspend(dev);
	pm_runtime_mark_last_busy(dev);
	/* The PCI core took it for the probe. */
	pm_runtime_put_autosuspend(dev);
}

void gaudi_pm_stop(struct gaudi_device *gdev)
{
	struct device *dev = &gdev->pdev->dev;

	pm_runtime_get_noresume(dev);
	pm_runtime_dont_use_autosuspend(dev);
}
