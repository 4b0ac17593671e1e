/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * PSOC: global configuration (scratchpads of the boot protocol, reset), the
 * timestamp counter, and the PLL layout that several blocks share.
 *
 * Source: asic_reg/psoc_global_conf_regs.h, psoc_timestamp_regs.h,
 * psoc_cpu_pll_regs.h and include/gaudi/gaudi_reg_map.h, Linux 6.12 (facts).
 */
#ifndef GAUDI_PSOC_REGS_H
#define GAUDI_PSOC_REGS_H

#include "../gaudi_bits.h"
#include "gaudi_reg_offsets.h"

/* From GAUDI_PSOC_GLOBAL_CONF_BASE and so on, a PLL's from its block base */
enum {
#include "gaudi_psoc_efuse.def"
#include "gaudi_psoc_global_conf.def"
#include "gaudi_psoc_timestamp.def"
#include "gaudi_pll.def"
};

#undef REG
#undef REGS

#define PSOC_NON_RST_FLOPS(n)		GAUDI_NTH(PSOC_NON_RST_FLOPS_0, n)
#define   PSOC_BTM_FSM_STATE		GENMASK(3, 0)
#define PSOC_COLD_RST_FLOPS(n)		GAUDI_NTH(PSOC_COLD_RST_FLOPS_0, n)
#define PSOC_PREBOOT_PCIE_EN		PSOC_COLD_RST_FLOPS(1)
#define   PSOC_PREBOOT_PCIE_EN_VALUE	0xed7bd694u
#define PSOC_UPD_PENDING_STS		PSOC_COLD_RST_FLOPS(3)
#define PSOC_SCRATCHPAD(n)		GAUDI_NTH(PSOC_SCRATCHPAD_0, n)
#define PSOC_HW_STATE			PSOC_SCRATCHPAD(0)
#define   PSOC_HW_STATE_CLEAN		0
#define   PSOC_HW_STATE_DIRTY		1
#define PSOC_GIC_POLL(n)		PSOC_SCRATCHPAD(1 + (n))
#define PSOC_CPU_BOOT_DEV_STS0		PSOC_SCRATCHPAD(20)
#define PSOC_CPU_BOOT_DEV_STS1		PSOC_SCRATCHPAD(21)
#define PSOC_FUSE_VER_OFFSET		PSOC_SCRATCHPAD(22)
#define PSOC_CPU_CMD_STATUS_TO_HOST	PSOC_SCRATCHPAD(23)
#define PSOC_CPU_BOOT_ERR0		PSOC_SCRATCHPAD(24)
#define PSOC_CPU_BOOT_ERR1		PSOC_SCRATCHPAD(25)
#define PSOC_UPD_STS			PSOC_SCRATCHPAD(26)
#define PSOC_UPD_CMD			PSOC_SCRATCHPAD(27)
#define PSOC_PREBOOT_VER_OFFSET		PSOC_SCRATCHPAD(28)
#define PSOC_UBOOT_VER_OFFSET		PSOC_SCRATCHPAD(29)
#define PSOC_RDWR_TEST			PSOC_SCRATCHPAD(30)
#define PSOC_BTL_ID			PSOC_SCRATCHPAD(31)
#define PSOC_SEMAPHORE(n)		GAUDI_NTH(PSOC_SEMAPHORE_0, n)
#define   PSOC_BOOT_STRAP_CARD_LOCATION	GENMASK(24, 22)
#define   PSOC_SW_ALL_RST_IND		BIT(0)
#define   PSOC_TIMESTAMP_CNTCR_EN	BIT(0)

#define PLL_DIV_FACTOR(n)		GAUDI_NTH(PLL_DIV_FACTOR_0, n)
#define PLL_DIV_FACTOR_CMD(n)		GAUDI_NTH(PLL_DIV_FACTOR_CMD_0, n)
#define PLL_DIV_SEL(n)			GAUDI_NTH(PLL_DIV_SEL_0, n)
#define   PLL_DIV_SEL_REF_CLK		0
#define   PLL_DIV_SEL_PLL_CLK		1
#define   PLL_DIV_SEL_DIVIDED_REF	2
#define   PLL_DIV_SEL_DIVIDED_PLL	3
#define PLL_DIV_EN(n)			GAUDI_NTH(PLL_DIV_EN_0, n)

#endif /* GAUDI_PSOC_REGS_H */
