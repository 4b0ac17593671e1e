// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module: PCI driver, DRM driver, file operations, and the callbacks of PCI's
 * error recovery. All of them delegate.
 */
#include <drm/drm_accel.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_ioctl.h>
#include <linux/compat.h>
#include <linux/module.h>
#include <linux/pci.h>

#include "../context/gaudi_context.h"
#include "../core/gaudi_compat.h"
#include "../core/gaudi_device.h"
#include "../core/gaudi_param.h"
#include "../memory/gaudi_memory.h"
#include "../reset/gaudi_reset.h"
#include "../user/gaudi_user.h"
#include "gaudi_module.h"

static bool gaudi_ioctl_is_core(unsigned int cmd)
{
	unsigned int nr = DRM_IOCTL_NR(cmd);

	return nr < DRM_COMMAND_BASE || nr >= DRM_COMMAND_END;
}

/*
 * Two of them use the file's master without a check, and a file of an accel
 * node has none: the kernel would crash.
 */
static bool gaudi_ioctl_wants_master(unsigned int cmd)
{
	unsigned int nr = DRM_IOCTL_NR(cmd);

	return _IOC_TYPE(cmd) == DRM_IOCTL_BASE &&
	       (nr == DRM_IOCTL_NR(DRM_IOCTL_GET_UNIQUE) ||
		nr == DRM_IOCTL_NR(DRM_IOCTL_GET_MAGIC));
}

static long gaudi_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	cmd = gaudi_ioctl_current_cmd(cmd);
	if (gaudi_ioctl_wants_master(cmd))
		return -EACCES;
	return drm_ioctl(filp, cmd, arg);
}

#ifdef CONFIG_COMPAT
/* The card's ioctls are the same for 32 bits, some of DRM's own are not. */
static long gaudi_compat_ioctl(struct file *filp, unsigned int cmd,
			       unsigned long arg)
{
	/* drm_compat_ioctl() uses the number only. */
	if (_IOC_TYPE(cmd) == DRM_IOCTL_BASE && gaudi_ioctl_is_core(cmd) &&
	    !gaudi_ioctl_wants_master(cmd))
		return drm_compat_ioctl(filp, cmd, arg);
	return gaudi_ioctl(filp, cmd, (unsigned long)compat_ptr(arg));
}
#endif

static const struct file_operations gaudi_fops = {
	.owner = THIS_MODULE,
	.open = accel_open,
	.release = drm_release,
	.unlocked_ioctl = gaudi_ioctl,
#ifdef CONFIG_COMPAT
	.compat_ioctl = gaudi_compat_ioctl,
#endif
	.llseek = noop_llseek,
	.mmap = gaudi_mmap,
	.show_fdinfo = drm_show_fdinfo,
	/* Without it DRM refuses to open the node (since 6.12). */
	.fop_flags = FOP_UNSIGNED_OFFSET,
};

/* .num_ioctls comes from another file and is no constant here: set at module init. */
static struct drm_driver gaudi_drm = {
	.driver_features = DRIVER_COMPUTE_ACCEL | DRIVER_SYNCOBJ |
			   DRIVER_SYNCOBJ_TIMELINE,
	.open = gaudi_ctx_open,
	.postclose = gaudi_ctx_postclose,
	.fops = &gaudi_fops,
	.show_fdinfo = gaudi_show_fdinfo,
	.prime_handle_to_fd = gaudi_no_handle_to_fd,
	.prime_fd_to_handle = gaudi_no_fd_to_handle,
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
	gaudi_pm_start(gdev);
	return 0;
}

static void gaudi_remove(struct pci_dev *pdev)
{
	struct gaudi_device *gdev = pci_get_drvdata(pdev);

	gaudi_pm_stop(gdev);
	gaudi_device_fini(gdev);
}

static void gaudi_shutdown(struct pci_dev *pdev)
{
	struct gaudi_device *gdev = pci_get_drvdata(pdev);

	/* A new kernel must not find a card that still writes to memory. */
	gaudi_reset_block(gdev, HL_DEVICE_STATUS_MALFUNCTION, 0);
	pci_clear_master(pdev);
	drm_info(&gdev->drm, "halted for shutdown, bus mastering is off\n");
}

/* A function level reset that the PCI core does. */
static void gaudi_reset_prepare(struct pci_dev *pdev)
{
	gaudi_reset_block(pci_get_drvdata(pdev), HL_DEVICE_STATUS_IN_RESET,
			  GAUDI_RESET_USERS_MS);
}

static void gaudi_reset_done(struct pci_dev *pdev)
{
	gaudi_reset_unblock(pci_get_drvdata(pdev));
}

static pci_ers_result_t gaudi_error_detected(struct pci_dev *pdev,
					     pci_channel_state_t state)
{
	struct gaudi_device *gdev = pci_get_drvdata(pdev);

	if (state == pci_channel_io_normal) {
		/*
		 * The link works, but it lost a transaction of an unknown
		 * engine.
		 */
		gaudi_reset_schedule(gdev, GAUDI_RESET_PCI);
		return PCI_ERS_RESULT_CAN_RECOVER;
	}
	WRITE_ONCE(gdev->dead, state == pci_channel_io_perm_failure);
	gdev->link_failed = true;
	/*
	 * The card is not accessed until the link was reset, not even to halt
	 * it; see gaudi_offline(). But pages of users are given back before
	 * that, and AER, unlike other platforms, does not stop its DMA.
	 */
	pci_clear_master(pdev);
	gaudi_reset_block(gdev, HL_DEVICE_STATUS_IN_RESET,
			  GAUDI_RESET_USERS_MS);
	return state == pci_channel_io_perm_failure ?
	       PCI_ERS_RESULT_DISCONNECT : PCI_ERS_RESULT_NEED_RESET;
}

static pci_ers_result_t gaudi_slot_reset(struct pci_dev *pdev)
{
	/* With the link, the function was reset: BARs, memory, bus mastering. */
	pci_restore_state(pdev);
	return PCI_ERS_RESULT_RECOVERED;
}

static void gaudi_error_resume(struct pci_dev *pdev)
{
	struct gaudi_device *gdev = pci_get_drvdata(pdev);

	/* Else a reset of our own is under way, or done. */
	if (!gdev->link_failed)
		return;
	gdev->link_failed = false;
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
		.pm = pm_ptr(&gaudi_pm_ops),
		.probe_type = PROBE_PREFER_ASYNCHRONOUS,
	},
};

static int __init gaudi_init(void)
{
	int ret;

	gaudi_drm.num_ioctls = gaudi_num_ioctls;
	/* Its works signal fences, for which memory reclaim may wait. */
	gaudi_wq = alloc_workqueue(GAUDI_DRV_NAME, WQ_UNBOUND | WQ_MEM_RECLAIM,
				   0);
	if (!gaudi_wq)
		return -ENOMEM;
	ret = gaudi_control_module_init();
	if (ret)
		goto err_wq;
	ret = pci_register_driver(&gaudi_pci_driver);
	if (ret)
		goto err_control;
	return 0;

err_control:
	gaudi_control_module_exit();
err_wq:
	destroy_workqueue(gaudi_wq);
	return ret;
}

static void __exit gaudi_exit(void)
{
	pci_unregister_driver(&gaudi_pci_driver);
	gaudi_control_module_exit();
	/* The end of a context may be under way, in our code. */
	destroy_workqueue(gaudi_wq);
}

module_init(gaudi_init);
module_exit(gaudi_exit);

/* Tools read it in /sys/module: release, a dash, and what they show. */
MODULE_VERSION(GAUDI_DRV_VERSION);
MODULE_DESCRIPTION(GAUDI_DRV_DESC);
MODULE_LICENSE("GPL");
