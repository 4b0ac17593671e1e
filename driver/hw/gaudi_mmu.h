/* SPDX-License-Identifier: GPL-2.0-only */
/* The host MMU's hardware side. Page tables themselves: gaudi_pgt.c. */
#ifndef GAUDI_MMU_H
#define GAUDI_MMU_H

#include <linux/types.h>

#include "../../uapi/hw/gaudi_map.h"
#include "../module/gaudi_drv.h"

struct gaudi_device;
struct gaudi_qman_desc;
struct sg_table;

/* The first user's address space id; 0 is the kernel's, and has no pages. */
#define GAUDI_USER_ASID		1

/* How many address spaces have page tables. */
static inline u32 gaudi_num_asids(void)
{
	return gaudi_shared ? GAUDI_USER_ASID + GAUDI_MAX_USERS :
			      GAUDI_NUM_ASID;
}

/* Program hop 0 of every ASID, enable translation. At each boot. */
int gaudi_mmu_hw_init(struct gaudi_device *gdev);
/* Drop cached translations; after PTEs changed and hit memory. May sleep. */
int gaudi_mmu_invalidate(struct gaudi_device *gdev);
/* Point the user's engines at an ASID (mmu_prepare of mainline). */
void gaudi_mmu_set_engines_asid(struct gaudi_device *gdev, u32 asid);
/* The same for one QMAN and its engine, number i of its kind. */
void gaudi_mmu_set_qman_asid(struct gaudi_device *gdev,
			     const struct gaudi_qman_desc *qm, unsigned int i,
			     u32 asid);

/* gaudi_pgt.c: hop tables in HBM, mapping. One pgt per device. */
int gaudi_pgt_init(struct gaudi_device *gdev);
void gaudi_pgt_fini(struct gaudi_device *gdev);
/* HBM goes away (reset): only the shadow changes until gaudi_pgt_restore(). */
void gaudi_pgt_suspend(struct gaudi_device *gdev);
/* False while engines are halted and HBM is out of reach. */
bool gaudi_pgt_live(struct gaudi_device *gdev);
/* Write the shadow of all ASIDs' tables again (after a hard reset). */
void gaudi_pgt_restore(struct gaudi_device *gdev);
u64 gaudi_pgt_hop0_addr(u32 asid);
/*
 * Map len bytes at va to phys (a device address, host pages incl.
 * GAUDI_HOST_BASE) with pages of page_size (SZ_4K or SZ_2M); all multiples of
 * page_size. Flushes PTE writes, does not invalidate.
 */
int gaudi_pgt_map(struct gaudi_device *gdev, u32 asid, u64 va, u64 phys,
		  u64 len, u32 page_size);
/* The same for the DMA segments of a table, one after the other from va on. */
int gaudi_pgt_map_sgt(struct gaudi_device *gdev, u32 asid, u64 va,
		      struct sg_table *sgt, u32 page_size);
void gaudi_pgt_unmap(struct gaudi_device *gdev, u32 asid, u64 va, u64 len,
		     u32 page_size);
/*
 * Tables that became empty are not used again before an invalidation of the
 * MMU: detach them, invalidate, and give them to gaudi_pgt_reuse(). It caches
 * some, which gaudi_pgt_trim() frees.
 */
void gaudi_pgt_detach_empty(struct gaudi_device *gdev, struct list_head *empty);
void gaudi_pgt_reuse(struct gaudi_device *gdev, struct list_head *empty);
void gaudi_pgt_trim(struct gaudi_device *gdev);

#endif /* GAUDI_MMU_H */
