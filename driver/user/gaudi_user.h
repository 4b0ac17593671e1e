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

/**
 * gaudi_mmap() - Map a buffer by its handle
 * @filp: the open file
 * @vma: its vm_pgoff is the handle, shifted by PAGE_SHIFT
 *
 * Context: mmap()'s callback. May sleep.
 * Return: 0 or an errno.
 */
int gaudi_mmap(struct file *filp, struct vm_area_struct *vma);
extern const struct drm_ioctl_desc gaudi_ioctls[];
extern const unsigned int gaudi_num_ioctls;

/**
 * gaudi_ioctl_current_cmd() - The current number of an ioctl
 * @cmd: the number, perhaps one that binaries from before 6.7 use
 *
 * Context: Any context.
 * Return: The current one; any other number as it is.
 */
unsigned int gaudi_ioctl_current_cmd(unsigned int cmd);

/**
 * gaudi_show_fdinfo() - The kernel's standard keys for one open file
 * @p: where they are printed
 * @file: the open file
 *
 * Context: DRM's callback. May sleep.
 */
void gaudi_show_fdinfo(struct drm_printer *p, struct drm_file *file);

/**
 * gaudi_control_module_init() - Get numbers for the control nodes
 *
 * Context: Loading of the module.
 * Return: 0 or an errno.
 */
int gaudi_control_module_init(void);

/**
 * gaudi_control_module_exit() - Give the numbers back
 *
 * Context: Unloading of the module.
 */
void gaudi_control_module_exit(void);

/**
 * gaudi_control_add() - Add /dev/accel/accel_controlDN, INFO for monitoring
 *	tools
 * @gdev: the card
 *
 * Context: Probe.
 * Return: 0 or an errno.
 */
int gaudi_control_add(struct gaudi_device *gdev);

/**
 * gaudi_control_remove() - Remove the control node
 * @gdev: the card
 *
 * Files that are open stay open.
 *
 * Context: May sleep.
 */
void gaudi_control_remove(struct gaudi_device *gdev);

/**
 * gaudi_sysfs_add() - Add the attributes of sysfs
 * @gdev: the card
 *
 * Before the nodes appear.
 *
 * Context: Probe.
 * Return: 0 or an errno.
 */
int gaudi_sysfs_add(struct gaudi_device *gdev);

/**
 * gaudi_sysfs_remove() - Remove the attributes
 * @gdev: the card
 *
 * Context: May sleep.
 */
void gaudi_sysfs_remove(struct gaudi_device *gdev);

/**
 * gaudi_hwmon_add() - Add a hwmon device for the sensors that firmware reports
 * @gdev: the card
 *
 * Context: Probe. May sleep.
 * Return: 0, also if there are none; or an errno.
 */
int gaudi_hwmon_add(struct gaudi_device *gdev);

/**
 * gaudi_hwmon_remove() - Remove the hwmon device
 * @gdev: the card
 *
 * Context: May sleep.
 */
void gaudi_hwmon_remove(struct gaudi_device *gdev);

/**
 * gaudi_debugfs_add() - Add the files of debugfs
 * @gdev: the card
 *
 * They go with the DRM device's folder.
 *
 * Context: Probe.
 */
void gaudi_debugfs_add(struct gaudi_device *gdev);

#endif /* GAUDI_USER_H */
