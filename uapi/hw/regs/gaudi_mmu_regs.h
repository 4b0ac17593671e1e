/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * The host MMU: MMU_UP (enable, faults, range violations) and STLB (page walk
 * roots, invalidation).
 *
 * Source: asic_reg/mmu_up_regs.h, stlb_regs.h, gaudi_masks.h and
 * include/hw_ip/mmu, Linux 6.12 (facts). The bits of SPI_CAUSE are those that
 * gaudi2.c has for the successor.
 */
#ifndef GAUDI_MMU_REGS_H
#define GAUDI_MMU_REGS_H

#include "../gaudi_bits.h"
#include "gaudi_reg_offsets.h"

/* From GAUDI_MMU_UP_BASE and GAUDI_STLB_BASE */
enum {
#include "gaudi_mmu_up.def"
#include "gaudi_stlb.def"
};

#undef REG
#undef REGS

/* MMU_UP_SPI_CAUSE, and MASK */
#define   MMU_UP_SPI_PAGE_FAULT		BIT(0)
#define   MMU_UP_SPI_PAGE_ACCESS	BIT(1)
/* MMU_UP_PAGE_ERROR_CAPTURE */
#define   MMU_UP_PAGE_ERROR_VA_49_32	GENMASK(17, 0)
#define   MMU_UP_PAGE_ERROR_ENTRY_VALID	BIT(18)
/* MMU_UP_ACCESS_ERROR_CAPTURE */
#define   MMU_UP_ACCESS_ERROR_VA_49_32	GENMASK(17, 0)
#define   MMU_UP_ACCESS_ERROR_ENTRY_VALID BIT(18)
/* MMU_UP_RAZWI_READ_ID */
#define   MMU_UP_RAZWI_ID_AXI		GENMASK(23, 20)
#define   MMU_UP_RAZWI_ID_X		GENMASK(27, 24)
#define   MMU_UP_RAZWI_ID_Y		GENMASK(30, 28)

/* shorter than the published names */
#define STLB_BUSY			STLB_MMU_BUSY
#define   STLB_BUSY_SET			BIT(31)
#define STLB_ASID			STLB_MMU_ASID
#define STLB_HOP0_PA43_12		STLB_MMU_HOP0_PA43_12
#define STLB_HOP0_PA49_44		STLB_MMU_HOP0_PA49_44
#define   STLB_CACHE_INV_PRODUCER_INDEX	GENMASK(7, 0)
#define   STLB_CACHE_INV_INDEX_MASK	GENMASK(15, 8)
#define STLB_SET_THRESHOLD_HOP(n)	(STLB_SET_THRESHOLD_HOP0 - 4 * (n))

/* Page tables: five hops of 512 little-endian 64-bit entries, 4 KiB each. */
#define GAUDI_MMU_NUM_HOPS		5
#define GAUDI_MMU_HOP_ENTRIES		512
#define GAUDI_MMU_HOP_SIZE		0x1000
#define GAUDI_MMU_HOP_SHIFT(hop)	(48 - 9 * (hop))
#define GAUDI_MMU_HOP_MASK(hop)		((hop) ? GENMASK_ULL(8, 0) : GENMASK_ULL(1, 0))
#define GAUDI_PTE_PRESENT		BIT_ULL(0)
#define GAUDI_PTE_SWAPPED		BIT_ULL(2)
#define GAUDI_PTE_LAST			BIT_ULL(11)
#define GAUDI_PTE_PHYS			GENMASK_ULL(63, 12)

#endif /* GAUDI_MMU_REGS_H */
