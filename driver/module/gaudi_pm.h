/* SPDX-License-Identifier: GPL-2.0-only */
/* Power: system sleep, and runtime suspend of a card that is not open. */
#ifndef GAUDI_PM_H
#define GAUDI_PM_H

#include <linux/pm.h>
#include <linux/types.h>

struct gaudi_device;

extern const struct dev_pm_ops gaudi_pm_ops;

/* After probe: from now on the card may be suspended. */
void gaudi_pm_start(struct gaudi_device *gdev);
/* First thing at removal; the card is awake. */
void gaudi_pm_stop(struct gaudi_device *gdev);
/*
 * At an open: the card wakes up and stays awake until gaudi_pm_put(). May take
 * as long as a reset. -EPERM: it cannot be powered.
 */
int gaudi_pm_get(struct gaudi_device *gdev);
/* removed: the driver no longer has the device. */
void gaudi_pm_put(struct gaudi_device *gdev, bool removed);

#endif /* GAUDI_PM_H */
