/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The room of what users and administrators read: the table of ioctls, INFO, the
 * control node, sysfs, hwmon, debugfs and fdinfo.
 *
 * It owns the nodes and attributes, and nothing of the card.
 *
 * Locks: none of its own; it takes those of what it reads, for as long as it reads.
 *
 * It offers each interface's add and remove, and DRM's callbacks.
 */
#ifndef GAUDI_USER_H
#define GAUDI_USER_H

#include <drm/drm_ioctl.h>
#include <linux/types.h>

struct drm_file;
struct drm_printer;
struct file;
struct gaudi_device;
struct vm_area_struct;

int gaudi_mmap(struct file *filp, struct vm_area_struct *vma);
extern const struct drm_ioctl_desc gaudi_ioctls[];
extern const unsigned int gaudi_num_ioctls;
/*
 * The current number of an ioctl that binaries from before 6.7 use; any other
 * number as it is.
 */
unsigned int gaudi_ioctl_current_cmd(unsigned int cmd);
/* drm_driver callback: the kernel's standard keys for one open file. */
void gaudi_show_fdinfo(struct drm_printer *p, struct drm_file *file);

/* gaudi_control.c: /dev/accel/accel_controlDN, INFO for monitoring tools. */
int gaudi_control_module_init(void);
void gaudi_control_module_exit(void);
int gaudi_control_add(struct gaudi_device *gdev);
void gaudi_control_remove(struct gaudi_device *gdev);

/* Before the nodes appear; goes away with the driver. */
int gaudi_sysfs_add(struct gaudi_device *gdev);
void gaudi_sysfs_remove(struct gaudi_device *gdev);
/* gaudi_hwmon.c */
int gaudi_hwmon_add(struct gaudi_device *gdev);
void gaudi_hwmon_remove(struct gaudi_device *gdev);
/* gaudi_debugfs.c */
void gaudi_debugfs_add(struct gaudi_device *gdev);

#endif /* GAUDI_USER_H */
