/* SPDX-License-Identifier: GPL-2.0-only */
/* Page tables of the host MMU: hop tables in HBM, one gaudi_pgt per device. */
#ifndef GAUDI_PGT_H
#define GAUDI_PGT_H

#include <linux/types.h>

struct gaudi_device;

/**
 * gaudi_pgt_init() - Make the page tables of all address spaces
 * @gdev: the card
 *
 * Context: Probe.
 * Return: 0 or %-ENOMEM.
 */
int gaudi_pgt_init(struct gaudi_device *gdev);

/**
 * gaudi_pgt_fini() - Free all page tables
 * @gdev: the card
 *
 * Context: The last reference to the device is gone.
 */
void gaudi_pgt_fini(struct gaudi_device *gdev);

/**
 * gaudi_pgt_suspend() - HBM goes away, in a reset
 * @gdev: the card
 *
 * Only the shadow changes until gaudi_pgt_restore().
 *
 * Context: May sleep; takes a mutex.
 */
void gaudi_pgt_suspend(struct gaudi_device *gdev);

/**
 * gaudi_pgt_restore() - Write the shadow of all address spaces' tables again
 * @gdev: the card
 *
 * After a hard reset.
 *
 * Context: May sleep; takes a mutex.
 */
void gaudi_pgt_restore(struct gaudi_device *gdev);

/**
 * gaudi_pgt_hop0_addr() - Where the first table of an address space is
 * @asid: the address space
 *
 * Context: Any context.
 * Return: The device address.
 */
u64 gaudi_pgt_hop0_addr(u32 asid);

#endif /* GAUDI_PGT_H */
