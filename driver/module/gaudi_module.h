/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The room of the module: probe and removal (gaudi_device.c), power management, and
 * the drivers' structures (gaudi_drv.c). All of them delegate.
 *
 * It owns the device from probe to removal. Locks: none; the kernel calls one of
 * these at a time. It offers nothing: no room is above.
 */
#ifndef GAUDI_MODULE_H
#define GAUDI_MODULE_H

#include <linux/pm.h>
#include <linux/types.h>

struct drm_driver;
struct gaudi_device;
struct pci_dev;

/* gaudi_device.c */
struct gaudi_device *gaudi_device_create(struct pci_dev *pdev,
					 const struct drm_driver *driver);
int gaudi_device_init(struct gaudi_device *gdev);
void gaudi_device_fini(struct gaudi_device *gdev);

extern const struct dev_pm_ops gaudi_pm_ops;
/* After probe: from now on the card may be suspended. */
void gaudi_pm_start(struct gaudi_device *gdev);
/* First thing at removal; the card is awake. */
void gaudi_pm_stop(struct gaudi_device *gdev);

#endif /* GAUDI_MODULE_H */
