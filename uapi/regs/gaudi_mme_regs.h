/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * MME: CTRL, ACC and SBAB blocks, four instances each; status and control
 * only. The descriptor registers come with the arithmetic.
 *
 * Source: asic_reg/mme0_ctrl_regs.h and gaudi_regs.h, Linux 6.12 (facts).
 */
#ifndef GAUDI_MME_REGS_H
#define GAUDI_MME_REGS_H

#include "../gaudi_bits.h"

/* MME_CTRL, from GAUDI_MME_CTRL_BASE(n) */
#define MME_CTRL_ARCH_STATUS		0x000
#define   MME_CTRL_ARCH_STATUS_SB_A_EMPTY BIT(7)
#define   MME_CTRL_ARCH_STATUS_SB_B_EMPTY BIT(8)
#define   MME_CTRL_ARCH_STATUS_WBC_AXI_IDLE BIT(12)
#define   MME_CTRL_ARCH_STATUS_IDLE	0x1180u
#define   MME_CTRL_ARCH_STATUS_RESET	0xc1141980u
#define MME_CTRL_ARCH_DESC_SO_ADDR_LOW_LOCAL 0x1dc
#define MME_CTRL_CMD			0x280
#define   MME_CTRL_CMD_EXECUTE		BIT(0)
#define MME_CTRL_STATUS1		0x284
#define MME_CTRL_RESET			0x288
#define MME_CTRL_QM_STALL		0x28c
#define MME_CTRL_SYNC_OBJECT_FIFO_TH	0x290
#define MME_CTRL_EUS_ROLLUP_CNT_ADD	0x294
#define MME_CTRL_INTR_CAUSE		0x298
#define MME_CTRL_INTR_MASK		0x29c

/* MME_ACC, from GAUDI_MME_ACC_BASE(n) */
#define MME_ACC_ACC_STALL		0x028
#define   MME_ACC_ACC_STALL_R		BIT(0)
#define MME_ACC_WBC			0x038
#define MME_ACC_PROT			0x050

/* MME_SBAB, from GAUDI_MME_SBAB_BASE(n) */
#define MME_SBAB_SB_STALL		0x02c
#define   MME_SBAB_SB_STALL_R		BIT(0)
#define MME_SBAB_ARUSER0		0x034
#define MME_SBAB_ARUSER1		0x038
#define MME_SBAB_PROT			0x050

#endif /* GAUDI_MME_REGS_H */
