/* SPDX-License-Identifier: GPL-2.0-only */
/* The host MMU's hardware side. Page tables themselves: gaudi_pgt.h. */
#ifndef GAUDI_MMU_H
#define GAUDI_MMU_H

#include <linux/types.h>

#include "../../uapi/hw/gaudi_map.h"
#include "../core/gaudi_param.h"

struct gaudi_device;
struct gaudi_qman_desc;

/* The first user's address space id; 0 is the kernel's, and has no pages. */
#define GAUDI_USER_ASID		1

/**
 * gaudi_num_asids() - How many address spaces have page tables
 *
 * Context: Any context.
 * Return: Their number, which the parameter shared decides.
 */
static inline u32 gaudi_num_asids(void)
{
	return gaudi_shared ? GAUDI_USER_ASID + GAUDI_MAX_USERS :
			      GAUDI_NUM_ASID;
}

/**
 * gaudi_mmu_init() - Make the room's part of the device
 * @gdev: the card
 *
 * For probe; freed by devm.
 *
 * Return: 0 or %-ENOMEM.
 */
int gaudi_mmu_init(struct gaudi_device *gdev);

/**
 * gaudi_mmu_hw_init() - Program hop 0 of every ASID, and enable translation
 * @gdev: the card
 * @hop0_addr: the device address of an ASID's hop 0
 *
 * Context: Bring-up and reset. May sleep.
 * Return: 0, %-ETIMEDOUT or %-ENODEV.
 */
int gaudi_mmu_hw_init(struct gaudi_device *gdev, u64 (*hop0_addr)(u32 asid));

/**
 * gaudi_mmu_invalidate() - Drop cached translations
 * @gdev: the card
 *
 * After page table entries changed and hit memory.
 *
 * Context: May sleep; takes a mutex.
 * Return: 0, %-ETIMEDOUT or %-ENODEV.
 */
int gaudi_mmu_invalidate(struct gaudi_device *gdev);

/**
 * gaudi_mmu_set_engines_asid() - Point the user's engines at an address space
 * @gdev: the card
 * @asid: the address space
 *
 * What mainline calls mmu_prepare.
 */
void gaudi_mmu_set_engines_asid(struct gaudi_device *gdev, u32 asid);

/**
 * gaudi_mmu_set_nic_asid() - Point the queue managers of the ports at an address
 *	space
 * @gdev: the card
 * @asid: the address space
 *
 * The ports themselves know one only, %GAUDI_USER_ASID.
 */
void gaudi_mmu_set_nic_asid(struct gaudi_device *gdev, u32 asid);

/**
 * gaudi_mmu_set_qman_asid() - Point one queue manager and its engine at an
 *	address space
 * @gdev: the card
 * @qm: the queue manager
 * @i: the engine's number among those of its kind
 * @asid: the address space
 */
void gaudi_mmu_set_qman_asid(struct gaudi_device *gdev,
			     const struct gaudi_qman_desc *qm, unsigned int i,
			     u32 asid);

#endif /* GAUDI_MMU_H */
