/* SPDX-License-Identifier: GPL-2.0-only */
/* Page tables of the host MMU: hop tables in HBM, one gaudi_pgt per device. */
#ifndef GAUDI_PGT_H
#define GAUDI_PGT_H

#include <linux/types.h>

struct gaudi_device;
struct list_head;
struct sg_table;

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

#endif /* GAUDI_PGT_H */
