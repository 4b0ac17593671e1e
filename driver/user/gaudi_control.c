// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/accel/accel_controlDN: INFO for monitoring tools, while a process has
 * the card open, or while it is in reset.
 */
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <linux/cdev.h>
#include <linux/compat.h>
#include <linux/fs.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "../core/gaudi_device.h"
#include "gaudi_info.h"
#include "gaudi_user.h"

#define GAUDI_CONTROL_MINORS	256

/* Lives until the last open file is closed, and holds a DRM reference. */
struct gaudi_control {
	struct device dev;
	struct cdev cdev;
	struct gaudi_device *gdev;
};

static dev_t gaudi_control_devt;

static long gaudi_control_info(struct gaudi_device *gdev, unsigned int cmd,
			       void __user *uarg)
{
	struct hl_info_args args = { };
	size_t size = min_t(size_t, _IOC_SIZE(cmd), sizeof(args));
	int ret;

	if (copy_from_user(&args, uarg, size))
		return -EFAULT;
	ret = gaudi_info_ioctl_control(gdev, &args);
	if (copy_to_user(uarg, &args, size))
		return -EFAULT;
	return ret;
}

static long gaudi_control_ioctl(struct file *filp, unsigned int cmd,
				unsigned long arg)
{
	struct gaudi_control *control = filp->private_data;

	cmd = gaudi_ioctl_current_cmd(cmd);
	if (_IOC_TYPE(cmd) != _IOC_TYPE(DRM_IOCTL_HL_INFO) ||
	    _IOC_NR(cmd) != _IOC_NR(DRM_IOCTL_HL_INFO))
		return -ENOTTY;
	return gaudi_control_info(control->gdev, cmd, (void __user *)arg);
}

static int gaudi_control_open(struct inode *inode, struct file *filp)
{
	struct gaudi_control *control =
		container_of(inode->i_cdev, struct gaudi_control, cdev);

	get_device(&control->dev);
	filp->private_data = control;
	return nonseekable_open(inode, filp);
}

static int gaudi_control_release(struct inode *inode, struct file *filp)
{
	struct gaudi_control *control = filp->private_data;

	put_device(&control->dev);
	return 0;
}

static const struct file_operations gaudi_control_fops = {
	.owner = THIS_MODULE,
	.open = gaudi_control_open,
	.release = gaudi_control_release,
	.unlocked_ioctl = gaudi_control_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static void gaudi_control_free(struct device *dev)
{
	struct gaudi_control *control =
		container_of(dev, struct gaudi_control, dev);

	drm_dev_put(&control->gdev->drm);
	kfree(control);
}

int gaudi_control_add(struct gaudi_device *gdev)
{
	struct device *accel = gdev->drm.accel->kdev;
	unsigned int index = gdev->drm.accel->index;
	struct gaudi_control *control;
	int ret;

	if (index >= GAUDI_CONTROL_MINORS)
		return -ENOSPC;
	control = kzalloc(sizeof(*control), GFP_KERNEL);
	if (!control)
		return -ENOMEM;
	device_initialize(&control->dev);
	control->gdev = gdev;
	drm_dev_get(&gdev->drm);
	control->dev.parent = &gdev->pdev->dev;
	control->dev.class = accel->class;
	control->dev.devt = gaudi_control_devt + index;
	control->dev.release = gaudi_control_free;
	cdev_init(&control->cdev, &gaudi_control_fops);
	control->cdev.owner = THIS_MODULE;

	ret = dev_set_name(&control->dev, "accel_controlD%u", index);
	if (!ret)
		ret = cdev_device_add(&control->cdev, &control->dev);
	if (ret) {
		put_device(&control->dev);
		return ret;
	}
	gdev->control_dev = &control->dev;
	return 0;
}

void gaudi_control_remove(struct gaudi_device *gdev)
{
	struct gaudi_control *control;

	if (!gdev->control_dev)
		return;
	control = container_of(gdev->control_dev, struct gaudi_control, dev);
	gdev->control_dev = NULL;
	cdev_device_del(&control->cdev, &control->dev);
	put_device(&control->dev);
}

int gaudi_control_module_init(void)
{
	return alloc_chrdev_region(&gaudi_control_devt, 0, GAUDI_CONTROL_MINORS,
				   "gaudi_control");
}

void gaudi_control_module_exit(void)
{
	unregister_chrdev_region(gaudi_control_devt, GAUDI_CONTROL_MINORS);
}
