// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module: PCI driver, DRM driver, file operations, parameters, and the
 * power and reset callbacks. All of them delegate.
 */
#include <drm/drm_accel.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_ioctl.h>
#include <linux/module.h>
#include <linux/pci.h>

#include "gaudi_compat.h"
#include "gaudi_ctx.h"
#include "gaudi_device.h"
#include "gaudi_drv.h"
#include "gaudi_hbm.h"
#include "gaudi_init.h"

unsigned int gaudi_timeout_locked = 30;
module_param_named(timeout_locked, gaudi_timeout_locked, uint, 0444);
MODULE_PARM_DESC(timeout_locked,
		 "Seconds until a submission counts as stuck, 0: never (30)");

int gaudi_reset_on_lockup = 1;
module_param_named(reset_on_lockup, gaudi_reset_on_lockup, int, 0444);
MODULE_PARM_DESC(reset_on_lockup,
		 "Reset the device when a submission is stuck (1)");

int gaudi_memory_scrub;
module_param_named(memory_scrub, gaudi_memory_scrub, int, 0444);
MODULE_PARM_DESC(memory_scrub,
		 "Overwrite device memory before a user gets it (0)");

ulong gaudi_boot_error_status_mask = ULONG_MAX;
module_param_named(boot_error_status_mask, gaudi_boot_error_status_mask, ulong,
		   0444);
MODULE_PARM_DESC(boot_error_status_mask,
		 "Bits of the firmware's boot errors that are looked at (all)");

static long gaudi_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	struct drm_file *file = filp->private_data;
	struct gaudi_device *gdev = to_gaudi_device(file->minor->dev);
	long ret;
	int idx;

	if (!gaudi_device_enter(gdev, &idx))
		return -ENODEV;
	ret = drm_ioctl(filp, cmd, arg);
	gaudi_device_exit(gdev, idx);
	return ret;
}

/* One user at a time, so what is allocated is that user's. */
static void gaudi_show_fdinfo(struct drm_printer *p, struct drm_file *file)
{
	struct gaudi_device *gdev = to_gaudi_device(file->minor->dev);
	int idx;

	if (!gaudi_device_enter(gdev, &idx))
		return;
	drm_printf(p, "drm-total-hbm:\t%llu KiB\n",
		   gaudi_hbm_used(gdev) / SZ_1K);
	gaudi_device_exit(gdev, idx);
}

static const struct file_operations gaudi_fops = {
	.owner = THIS_MODULE,
	.open = accel_open,
	.release = drm_release,
	.unlocked_ioctl = gaudi_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.poll = drm_poll,
	.read = drm_read,
	.llseek = noop_llseek,
	.mmap = gaudi_mmap,
	.show_fdinfo = drm_show_fdinfo,
	/* Without it DRM refuses to open the node (since 6.12). */
	.fop_flags = FOP_UNSIGNED_OFFSET,
};

/* .ioctls and .num_ioctls come from another file: filled in at module init. */
static struct drm_driver gaudi_drm = {
	.driver_features = DRIVER_COMPUTE_ACCEL,
	.open = gaudi_ctx_open,
	.postclose = gaudi_ctx_postclose,
	.fops = &gaudi_fops,
	.show_fdinfo = gaudi_show_fdinfo,
	.name = GAUDI_DRV_NAME,
	.desc = GAUDI_DRV_DESC,
	GAUDI_DRM_DRIVER_DATE
	.major = GAUDI_DRV_MAJOR,
	.minor = GAUDI_DRV_MINOR,
	.ioctls = gaudi_ioctls,
};

static int gaudi_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct gaudi_device *gdev;
	int ret;

	gdev = gaudi_device_create(pdev, &gaudi_drm);
	if (IS_ERR(gdev))
		return PTR_ERR(gdev);
	drm_info(&gdev->drm, "Gaudi [%04x:%04x] rev %u\n", pdev->vendor,
		 pdev->device, pdev->revision);
	ret = gaudi_device_init(gdev);
	if (ret)
		return dev_err_probe(&pdev->dev, ret, "probe failed\n");
	drm_notice(&gdev->drm, "%s, %llu GiB HBM, operational\n",
		   gdev->info.card_name, GAUDI_HBM_SIZE >> 30);
	return 0;
}

static void gaudi_remove(struct pci_dev *pdev)
{
	gaudi_device_fini(pci_get_drvdata(pdev));
}

static void gaudi_shutdown(struct pci_dev *pdev)
{
	/* A new kernel must not find a card that still writes to memory. */
	gaudi_reset_block(pci_get_drvdata(pdev), HL_DEVICE_STATUS_MALFUNCTION);
}

static int gaudi_suspend(struct device *dev)
{
	gaudi_reset_block(dev_get_drvdata(dev), HL_DEVICE_STATUS_IN_RESET);
	return 0;
}

static int gaudi_resume(struct device *dev)
{
	struct pci_dev *pdev = to_pci_dev(dev);

	pci_set_master(pdev);
	return gaudi_reset_unblock(dev_get_drvdata(dev));
}

static DEFINE_SIMPLE_DEV_PM_OPS(gaudi_pm_ops, gaudi_suspend, gaudi_resume);

/* A function level reset that somebody else asked for. */
static void gaudi_reset_prepare(struct pci_dev *pdev)
{
	gaudi_reset_block(pci_get_drvdata(pdev), HL_DEVICE_STATUS_IN_RESET);
}

static void gaudi_reset_done(struct pci_dev *pdev)
{
	gaudi_reset_unblock(pci_get_drvdata(pdev));
}

static pci_ers_result_t gaudi_error_detected(struct pci_dev *pdev,
					     pci_channel_state_t state)
{
	struct gaudi_device *gdev = pci_get_drvdata(pdev);

	if (state == pci_channel_io_normal)
		return PCI_ERS_RESULT_CAN_RECOVER;
	WRITE_ONCE(gdev->dead, state == pci_channel_io_perm_failure);
	gaudi_reset_block(gdev, HL_DEVICE_STATUS_IN_RESET);
	return state == pci_channel_io_perm_failure ?
	       PCI_ERS_RESULT_DISCONNECT : PCI_ERS_RESULT_NEED_RESET;
}

static pci_ers_result_t gaudi_slot_reset(struct pci_dev *pdev)
{
	if (pci_enable_device(pdev))
		return PCI_ERS_RESULT_DISCONNECT;
	pci_set_master(pdev);
	pci_restore_state(pdev);
	return PCI_ERS_RESULT_RECOVERED;
}

static void gaudi_error_resume(struct pci_dev *pdev)
{
	struct gaudi_device *gdev = pci_get_drvdata(pdev);

	if (!gaudi_device_operational(gdev))
		gaudi_reset_unblock(gdev);
}

static const struct pci_error_handlers gaudi_err_handler = {
	.error_detected = gaudi_error_detected,
	.slot_reset = gaudi_slot_reset,
	.resume = gaudi_error_resume,
	.reset_prepare = gaudi_reset_prepare,
	.reset_done = gaudi_reset_done,
};

static const struct pci_device_id gaudi_ids[] = {
	{ PCI_DEVICE(GAUDI_PCI_VENDOR_ID, GAUDI_PCI_DEVICE_ID) },
	{ }
};
MODULE_DEVICE_TABLE(pci, gaudi_ids);

static struct pci_driver gaudi_pci_driver = {
	.name = GAUDI_DRV_NAME,
	.id_table = gaudi_ids,
	.probe = gaudi_probe,
	.remove = gaudi_remove,
	.shutdown = gaudi_shutdown,
	.err_handler = &gaudi_err_handler,
	.driver = {
		.pm = pm_sleep_ptr(&gaudi_pm_ops),
		.probe_type = PROBE_PREFER_ASYNCHRONOUS,
	},
};

static int __init gaudi_init(void)
{
	int ret;

	gaudi_drm.num_ioctls = gaudi_num_ioctls;
	ret = gaudi_control_module_init();
	if (ret)
		return ret;
	ret = pci_register_driver(&gaudi_pci_driver);
	if (ret)
		gaudi_control_module_exit();
	return ret;
}

static void __exit gaudi_exit(void)
{
	pci_unregister_driver(&gaudi_pci_driver);
	gaudi_control_module_exit();
}

module_init(gaudi_init);
module_exit(gaudi_exit);

MODULE_DESCRIPTION(GAUDI_DRV_DESC);
MODULE_LICENSE("GPL");
