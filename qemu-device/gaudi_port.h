/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A root port that knows surprise removal and the loss of a link. All functions
 * under QEMU's big lock.
 */
#ifndef GAUDI_PORT_H
#define GAUDI_PORT_H

#include "hw/pci/pci_device.h"

#define TYPE_GAUDI_PORT "gaudi-root-port"

/* Is it such a port (NULL is none), in charge of the device's hot-plug? */
bool gaudi_port_has(PCIDevice *port, DeviceState *dev);
/*
 * Is the guest still at taking the power from the slot? While it is, there is no
 * telling it of a link that is up again: QEMU would take the power off for the
 * device_del that was asked for.
 */
bool gaudi_port_busy(PCIDevice *port);
/* The link to a card that is there was lost, or is up again: tells the guest. */
void gaudi_port_link(PCIDevice *port, bool up);
/* Unplugs the device now, and tells the guest that it is gone. */
void gaudi_port_pulled_out(PCIDevice *port, DeviceState *dev);

#endif /* GAUDI_PORT_H */
