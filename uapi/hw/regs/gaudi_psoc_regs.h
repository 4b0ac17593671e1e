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

/* PSOC_GLOBAL_CONF, from GAUDI_PSOC_GLOBAL_CONF_BASE */
#define PSOC_NON_RST_FLOPS(n)		(0x000 + 4 * (n))
#define PSOC_PCI_FW_FSM			0x020
#define PSOC_BOOT_SEQ_RE_START		0x024
#define PSOC_BTM_FSM			0x028
#define   PSOC_BTM_FSM_STATE		GENMASK(3, 0)
#define PSOC_SW_BTM_FSM			0x030
#define PSOC_SW_BOOT_SEQ_FSM		0x034
#define PSOC_COLD_RST_FLOPS(n)		(0x070 + 4 * (n))
#define PSOC_PREBOOT_PCIE_EN		PSOC_COLD_RST_FLOPS(1)
#define   PSOC_PREBOOT_PCIE_EN_VALUE	0xed7bd694u
#define PSOC_UPD_PENDING_STS		PSOC_COLD_RST_FLOPS(3)
#define PSOC_RAZWI			0x088
#define PSOC_PROT			0x090
#define PSOC_SCRATCHPAD(n)		(0x100 + 4 * (n))
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
#define PSOC_SEMAPHORE(n)		(0x200 + 4 * (n))
#define PSOC_CPU_BOOT_STATUS		0x300
#define PSOC_KMD_MSG_TO_CPU		0x304
#define PSOC_ARUSER			0x330
#define PSOC_AWUSER			0x334
#define PSOC_TRACE_AWUSER		0x338
#define PSOC_TRACE_ARUSER		0x33c
#define PSOC_BOOT_STRAP_PINS		0x430
#define   PSOC_BOOT_STRAP_CARD_LOCATION	GENMASK(24, 22)
#define PSOC_WD_RST_CFG_L		0x460
#define PSOC_WD_RST_CFG_H		0x464
#define PSOC_PRSTN_RST_CFG_L		0x480
#define PSOC_PRSTN_RST_CFG_H		0x484
#define PSOC_SW_ALL_RST_CFG_L		0x490
#define PSOC_SW_ALL_RST_CFG_H		0x494
#define PSOC_SW_ALL_RST			0x498
#define   PSOC_SW_ALL_RST_IND		BIT(0)
#define PSOC_SOFT_RST			0x4a0
#define PSOC_SOFT_RST_CFG_L		0x4a4
#define PSOC_SOFT_RST_CFG_H		0x4a8
#define PSOC_UNIT_RST_N			0x4b0
#define PSOC_UNIT_RST_N_L		0x4b4
#define PSOC_UNIT_RST_N_H		0x4b8
#define PSOC_RST_SRC			0x4f0
#define PSOC_BOOT_STATE			0x4f4

/* PSOC_TIMESTAMP, from GAUDI_PSOC_TIMESTAMP_BASE */
#define PSOC_TIMESTAMP_CNTCR		0x000
#define   PSOC_TIMESTAMP_CNTCR_EN	BIT(0)
#define PSOC_TIMESTAMP_CNTSR		0x004
#define PSOC_TIMESTAMP_CNTCVL		0x008
#define PSOC_TIMESTAMP_CNTCVU		0x00c
#define PSOC_TIMESTAMP_CNTFID0		0x020

/* A PLL, from its block base */
#define PLL_NR				0x100
#define PLL_NF				0x104
#define PLL_OD				0x108
#define PLL_NB				0x10c
#define PLL_CFG				0x110
#define PLL_DIV_FACTOR(n)		(0x200 + 4 * (n))
#define PLL_DIV_FACTOR_CMD(n)		(0x220 + 4 * (n))
#define PLL_DIV_SEL(n)			(0x280 + 4 * (n))
#define   PLL_DIV_SEL_REF_CLK		0
#define   PLL_DIV_SEL_PLL_CLK		1
#define   PLL_DIV_SEL_DIVIDED_REF	2
#define   PLL_DIV_SEL_DIVIDED_PLL	3
#define PLL_DIV_EN(n)			(0x2a0 + 4 * (n))

#endif /* GAUDI_PSOC_REGS_H */
