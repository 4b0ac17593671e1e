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

/* How many address spaces have page tables. */
static inline u32 gaudi_num_asids(void)
{
	return gaudi_shared ? GAUDI_USER_ASID + GAUDI_MAX_USERS :
			      GAUDI_NUM_ASID;
}

/* gaudi_mmu.c */
int gaudi_mmu_init(struct gaudi_device *gdev);
/*
 * Program hop 0 of every ASID, which hop0_addr tells, and enable translation. At
 * each boot.
 */
int gaudi_mmu_hw_init(struct gaudi_device *gdev, u64 (*hop0_addr)(u32 asid));
/* Drop cached translations; after PTEs changed and hit memory. May sleep. */
int gaudi_mmu_invalidate(struct gaudi_device *gdev);
/* Point the user's engines at an ASID (mmu_prepare of mainline). */
void gaudi_mmu_set_engines_asid(struct gaudi_device *gdev, u32 asid);
/* The same for one QMAN and its engine, number i of its kind. */
void gaudi_mmu_set_qman_asid(struct gaudi_device *gdev,
			     const struct gaudi_qman_desc *qm, unsigned int i,
			     u32 asid);

#endif /* GAUDI_MMU_H */
