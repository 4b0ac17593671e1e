/* SPDX-License-Identifier: GPL-2.0-only */
/* Page tables of the host MMU: hop tables in HBM, one gaudi_pgt per device. */
#ifndef GAUDI_PGT_H
#define GAUDI_PGT_H

#include <linux/types.h>

struct gaudi_device;
struct list_head;
struct sg_table;

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

/**
 * gaudi_pgt_map() - Map a range of device addresses
 * @gdev: the card
 * @asid: the address space
 * @va: the virtual address
 * @phys: a device address; of host pages with GAUDI_HOST_BASE
 * @len: bytes
 * @page_size: SZ_4K or SZ_2M; all others are multiples of it
 *
 * Flushes writes of page table entries, does not invalidate.
 *
 * Context: May sleep; takes a mutex.
 * Return: 0; an errno: nothing is mapped.
 */
int gaudi_pgt_map(struct gaudi_device *gdev, u32 asid, u64 va, u64 phys,
		  u64 len, u32 page_size);

/**
 * gaudi_pgt_map_sgt() - Map the DMA segments of a table, one after the other
 * @gdev: the card
 * @asid: the address space
 * @va: the virtual address of the first one
 * @sgt: the table
 * @page_size: SZ_4K or SZ_2M
 *
 * Flushes writes of page table entries, does not invalidate.
 *
 * Context: May sleep; takes a mutex.
 * Return: 0; an errno: nothing is mapped.
 */
int gaudi_pgt_map_sgt(struct gaudi_device *gdev, u32 asid, u64 va,
		      struct sg_table *sgt, u32 page_size);

/**
 * gaudi_pgt_unmap() - Unmap a range
 * @gdev: the card
 * @asid: the address space
 * @va: the virtual address
 * @len: bytes
 * @page_size: with which it was mapped
 *
 * Flushes writes of page table entries, does not invalidate.
 *
 * Context: May sleep; takes a mutex.
 */
void gaudi_pgt_unmap(struct gaudi_device *gdev, u32 asid, u64 va, u64 len,
		     u32 page_size);

/**
 * gaudi_pgt_detach_empty() - Take the tables that became empty
 * @gdev: the card
 * @empty: the list that they are put on
 *
 * They are not used again before an invalidation of the MMU: detach them,
 * invalidate, and give them to gaudi_pgt_reuse().
 *
 * Context: May sleep; takes a mutex.
 */
void gaudi_pgt_detach_empty(struct gaudi_device *gdev, struct list_head *empty);

/**
 * gaudi_pgt_reuse() - Give empty tables back
 * @gdev: the card
 * @empty: the list from gaudi_pgt_detach_empty()
 *
 * The MMU has forgotten them. Some are cached, which gaudi_pgt_trim() frees.
 *
 * Context: May sleep; takes a mutex.
 */
void gaudi_pgt_reuse(struct gaudi_device *gdev, struct list_head *empty);

/**
 * gaudi_pgt_trim() - Free the tables that are cached
 * @gdev: the card
 *
 * Context: May sleep; takes a mutex.
 */
void gaudi_pgt_trim(struct gaudi_device *gdev);

#endif /* GAUDI_PGT_H */
