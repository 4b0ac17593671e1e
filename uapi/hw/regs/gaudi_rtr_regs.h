/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * Routers and DMA interfaces: range protection, end-to-end credits and address
 * scramblers. Three layouts:
 *
 * RTR_CTRL   24 instances: the 8 southern and 8 northern routers, and two
 *            channels of each of the 4 DMA interfaces ("DMA_IF_x_DOWN_CHn").
 * RTR        16 instances: low-bandwidth side of the routers.
 * DMA_IF     4 instances, each with three low-bandwidth range checkers (SOB,
 *            DMA0, DMA1) and the HBM credits.
 *
 * Source: asic_reg/{sif,nif}_rtr_ctrl_*_regs.h, dma_if_*_regs.h and
 * gaudi_regs.h, Linux 6.12 (facts).
 */
#ifndef GAUDI_RTR_REGS_H
#define GAUDI_RTR_REGS_H

#include "../gaudi_bits.h"

#define GAUDI_NUM_RTR			8
#define GAUDI_NUM_DMA_IF		4

/* RTR_CTRL, from one of these */
#define GAUDI_SIF_RTR_CTRL(n)		(0x306000u + (n) * 0x10000u)
#define GAUDI_NIF_RTR_CTRL(n)		(0x386000u + (n) * 0x10000u)
#define GAUDI_DMA_IF_DOWN_CH(i, c)	(GAUDI_DMA_IF_BASE(i) + 0x1000u + \
					 (c) * 0x1000u)
#define RTR_CTRL_SCRAM_SRAM_EN		0x26c
#define RTR_CTRL_SCRAM_HBM_EN		0x284
#define RTR_CTRL_E2E_HBM_EN		0x2ec
#define RTR_CTRL_E2E_PCI_EN		0x2f0
#define RTR_CTRL_E2E_HBM_WR_SIZE	0x2f4	/* in units of 8 */
#define RTR_CTRL_E2E_PCI_WR_SIZE	0x2f8
#define RTR_CTRL_E2E_HBM_RD_SIZE	0x41c	/* in units of 8 */
#define RTR_CTRL_E2E_PCI_RD_SIZE	0x420
#define RTR_CTRL_RANGE_SEC_BASE_LOW_AW(r)  (0x5e4 + 4 * (r))
#define RTR_CTRL_RANGE_SEC_BASE_HIGH_AW(r) (0x624 + 4 * (r))
#define RTR_CTRL_RANGE_SEC_MASK_LOW_AW(r)  (0x664 + 4 * (r))
#define RTR_CTRL_RANGE_SEC_MASK_HIGH_AW(r) (0x6a4 + 4 * (r))
#define RTR_CTRL_RANGE_SEC_BASE_LOW_AR(r)  (0x824 + 4 * (r))
#define RTR_CTRL_RANGE_SEC_BASE_HIGH_AR(r) (0x864 + 4 * (r))
#define RTR_CTRL_RANGE_SEC_MASK_LOW_AR(r)  (0x8a4 + 4 * (r))
#define RTR_CTRL_RANGE_SEC_MASK_HIGH_AR(r) (0x8e4 + 4 * (r))
#define RTR_CTRL_RANGE_SEC_HIT_AW	0xa64	/* one enable bit per range */
#define RTR_CTRL_RANGE_SEC_HIT_AR	0xa68

/* RTR, from one of these */
#define GAUDI_SIF_RTR(n)		(0x300000u + (n) * 0x10000u)
#define GAUDI_NIF_RTR(n)		(0x380000u + (n) * 0x10000u)
#define RTR_LBW_RANGE_PROT_HIT_AW	0x400
#define RTR_LBW_RANGE_PROT_MIN_AW(r)	(0x410 + 4 * (r))
#define RTR_LBW_RANGE_PROT_MAX_AW(r)	(0x450 + 4 * (r))
#define RTR_LBW_RANGE_PROT_HIT_AR	0x490
#define RTR_LBW_RANGE_PROT_MIN_AR(r)	(0x4a0 + 4 * (r))
#define RTR_LBW_RANGE_PROT_MAX_AR(r)	(0x4e0 + 4 * (r))

/* DMA_IF: W_S, E_S, W_N, E_N */
#define GAUDI_DMA_IF_BASE(i)		(0x480000u + (i) * 0x20000u)
#define DMA_IF_HBM_WR_CRED_CNT(h)	(0x000 + 4 * (h))
#define DMA_IF_HBM_RD_CRED_CNT(h)	(0x008 + 4 * (h))
#define DMA_IF_HBM_CRED_EN(h)		(0x050 + 4 * (h))
#define   DMA_IF_HBM_CRED_EN_READ	BIT(0)
#define   DMA_IF_HBM_CRED_EN_WRITE	BIT(1)
/* u: 0 SOB, 1 DMA0, 2 DMA1 */
#define DMA_IF_MIN_RPROT(u, r)		(0x100 + 0x200 * (u) + 4 * (r))
#define DMA_IF_MAX_RPROT(u, r)		(0x140 + 0x200 * (u) + 4 * (r))
#define DMA_IF_MIN_WPROT(u, r)		(0x180 + 0x200 * (u) + 4 * (r))
#define DMA_IF_MAX_WPROT(u, r)		(0x1c0 + 0x200 * (u) + 4 * (r))
#define DMA_IF_SOB_HIT_RPROT		0x700
#define DMA_IF_SOB_HIT_WPROT		0x704
#define DMA_IF_DMA_HIT_RPROT(d)		(0x71c + 0x14 * (d))
#define DMA_IF_DMA_HIT_WPROT(d)		(0x720 + 0x14 * (d))

#endif /* GAUDI_RTR_REGS_H */
