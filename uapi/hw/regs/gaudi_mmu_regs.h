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

/* MMU_UP, from GAUDI_MMU_UP_BASE */
#define MMU_UP_MMU_ENABLE		0x00c
#define MMU_UP_FORCE_ORDERING		0x010
#define MMU_UP_FEATURE_ENABLE		0x014
#define MMU_UP_VA_ORDERING_MASK_31_7	0x018
#define MMU_UP_VA_ORDERING_MASK_49_32	0x01c
#define MMU_UP_LOG2_DDR_SIZE		0x020
#define MMU_UP_SCRAMBLER		0x024
#define MMU_UP_MEM_INIT_BUSY		0x028
#define MMU_UP_SPI_MASK			0x02c
#define MMU_UP_SPI_CAUSE		0x030
#define   MMU_UP_SPI_PAGE_FAULT		BIT(0)
#define   MMU_UP_SPI_PAGE_ACCESS	BIT(1)
#define MMU_UP_PAGE_ERROR_CAPTURE	0x034
#define   MMU_UP_PAGE_ERROR_VA_49_32	GENMASK(17, 0)
#define   MMU_UP_PAGE_ERROR_ENTRY_VALID	BIT(18)
#define MMU_UP_PAGE_ERROR_CAPTURE_VA	0x038
#define MMU_UP_ACCESS_ERROR_CAPTURE	0x03c
#define   MMU_UP_ACCESS_ERROR_VA_49_32	GENMASK(17, 0)
#define   MMU_UP_ACCESS_ERROR_ENTRY_VALID BIT(18)
#define MMU_UP_ACCESS_ERROR_CAPTURE_VA	0x040
#define MMU_UP_SPI_INTERRUPT_CLR	0x044
#define MMU_UP_SPI_INTERRUPT_MASK	0x048
#define MMU_UP_DBG_MEM_WRAP_RM		0x04c
#define MMU_UP_SPI_CAUSE_CLR		0x050
#define MMU_UP_SLICE_CREDIT		0x054
#define MMU_UP_PIPE_CREDIT		0x058
#define MMU_UP_RAZWI_WRITE_VLD		0x05c
#define MMU_UP_RAZWI_WRITE_ID		0x060
#define MMU_UP_RAZWI_READ_VLD		0x064
#define MMU_UP_RAZWI_READ_ID		0x068
#define   MMU_UP_RAZWI_ID_AXI		GENMASK(23, 20)
#define   MMU_UP_RAZWI_ID_X		GENMASK(27, 24)
#define   MMU_UP_RAZWI_ID_Y		GENMASK(30, 28)
#define MMU_UP_MMU_BYPASS		0x06c

/* STLB, from GAUDI_STLB_BASE; the first three from the driver's MMU_ names */
#define STLB_BUSY			0x000
#define   STLB_BUSY_SET			BIT(31)
#define STLB_ASID			0x004
#define STLB_HOP0_PA43_12		0x008
#define STLB_HOP0_PA49_44		0x00c
#define STLB_CACHE_INV			0x010
#define   STLB_CACHE_INV_PRODUCER_INDEX	GENMASK(7, 0)
#define   STLB_CACHE_INV_INDEX_MASK	GENMASK(15, 8)
#define STLB_CACHE_INV_BASE_39_8	0x014
#define STLB_CACHE_INV_BASE_49_40	0x018
#define STLB_STLB_FEATURE_EN		0x01c
#define STLB_STLB_AXI_CACHE		0x020
#define STLB_HOP_CONFIGURATION		0x024
#define STLB_LINK_LIST_LOOKUP_MASK_49_32 0x028
#define STLB_LINK_LIST_LOOKUP_MASK_31_0	0x02c
#define STLB_LINK_LIST			0x030
#define STLB_INV_ALL_START		0x034
#define STLB_INV_ALL_SET		0x038
#define STLB_INV_PS			0x03c
#define STLB_INV_CONSUMER_INDEX		0x040
#define STLB_INV_HIT_COUNT		0x044
#define STLB_INV_SET			0x048
#define STLB_SRAM_INIT			0x04c
#define STLB_MEM_CACHE_INVALIDATION	0x050
#define STLB_MEM_CACHE_INV_STATUS	0x054
#define STLB_MEM_CACHE_BASE_38_7	0x058
#define STLB_MEM_CACHE_BASE_49_39	0x05c
#define STLB_MEM_CACHE_CONFIG		0x060
#define STLB_SET_THRESHOLD_HOP(n)	(0x074 - 4 * (n))
#define STLB_MULTI_HIT_INTERRUPT_CLR	0x078
#define STLB_MULTI_HIT_INTERRUPT_MASK	0x07c
#define STLB_MEM_L0_CACHE_CFG		0x080
#define STLB_MEM_READ_ARPROT		0x084

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
