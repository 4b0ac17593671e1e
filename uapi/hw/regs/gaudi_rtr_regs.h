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
#include "gaudi_reg_offsets.h"

enum {
#include "gaudi_rtr_ctrl.def"
#include "gaudi_rtr.def"
#include "gaudi_dma_if.def"
#include "gaudi_dma_if_dn.def"
};

#undef REG
#undef REGS

#define GAUDI_NUM_RTR			8
#define GAUDI_NUM_DMA_IF		4

/* RTR_CTRL, from one of these */
#define GAUDI_SIF_RTR_CTRL(n)		(0x306000u + (n) * 0x10000u)
#define GAUDI_NIF_RTR_CTRL(n)		(0x386000u + (n) * 0x10000u)
#define GAUDI_DMA_IF_DOWN_CH(i, c)	(GAUDI_DMA_IF_BASE(i) + 0x1000u + \
					 (c) * 0x1000u)
#define RTR_CTRL_RANGE_SEC_BASE_LOW_AW(r) GAUDI_NTH(RTR_CTRL_RANGE_SEC_BASE_LOW_AW_0, r)
#define RTR_CTRL_RANGE_SEC_BASE_HIGH_AW(r) GAUDI_NTH(RTR_CTRL_RANGE_SEC_BASE_HIGH_AW_0, r)
#define RTR_CTRL_RANGE_SEC_MASK_LOW_AW(r) GAUDI_NTH(RTR_CTRL_RANGE_SEC_MASK_LOW_AW_0, r)
#define RTR_CTRL_RANGE_SEC_MASK_HIGH_AW(r) GAUDI_NTH(RTR_CTRL_RANGE_SEC_MASK_HIGH_AW_0, r)
#define RTR_CTRL_RANGE_SEC_BASE_LOW_AR(r) GAUDI_NTH(RTR_CTRL_RANGE_SEC_BASE_LOW_AR_0, r)
#define RTR_CTRL_RANGE_SEC_BASE_HIGH_AR(r) GAUDI_NTH(RTR_CTRL_RANGE_SEC_BASE_HIGH_AR_0, r)
#define RTR_CTRL_RANGE_SEC_MASK_LOW_AR(r) GAUDI_NTH(RTR_CTRL_RANGE_SEC_MASK_LOW_AR_0, r)
#define RTR_CTRL_RANGE_SEC_MASK_HIGH_AR(r) GAUDI_NTH(RTR_CTRL_RANGE_SEC_MASK_HIGH_AR_0, r)

/* RTR, from one of these */
#define GAUDI_SIF_RTR(n)		(0x300000u + (n) * 0x10000u)
#define GAUDI_NIF_RTR(n)		(0x380000u + (n) * 0x10000u)
#define RTR_LBW_RANGE_PROT_MIN_AW(r)	GAUDI_NTH(RTR_LBW_RANGE_PROT_MIN_AW_0, r)
#define RTR_LBW_RANGE_PROT_MAX_AW(r)	GAUDI_NTH(RTR_LBW_RANGE_PROT_MAX_AW_0, r)
#define RTR_LBW_RANGE_PROT_MIN_AR(r)	GAUDI_NTH(RTR_LBW_RANGE_PROT_MIN_AR_0, r)
#define RTR_LBW_RANGE_PROT_MAX_AR(r)	GAUDI_NTH(RTR_LBW_RANGE_PROT_MAX_AR_0, r)

/* DMA_IF: W_S, E_S, W_N, E_N */
#define GAUDI_DMA_IF_BASE(i)		(0x480000u + (i) * 0x20000u)
#define DMA_IF_HBM_WR_CRED_CNT(h)	GAUDI_NTH(DMA_IF_HBM0_WR_CRED_CNT, h)
#define DMA_IF_HBM_RD_CRED_CNT(h)	GAUDI_NTH(DMA_IF_HBM0_RD_CRED_CNT, h)
#define DMA_IF_HBM_CRED_EN(h)		GAUDI_NTH(DMA_IF_HBM_CRED_EN_0, h)
#define   DMA_IF_HBM_CRED_EN_READ	BIT(0)
#define   DMA_IF_HBM_CRED_EN_WRITE	BIT(1)
/* u: 0 SOB, 1 DMA0, 2 DMA1 */
#define DMA_IF_MIN_RPROT(u, r)		(GAUDI_NTH(DMA_IF_SOB_MIN_RPROT_0, r) + 0x200 * (u))
#define DMA_IF_MAX_RPROT(u, r)		(GAUDI_NTH(DMA_IF_SOB_MAX_RPROT_0, r) + 0x200 * (u))
#define DMA_IF_MIN_WPROT(u, r)		(GAUDI_NTH(DMA_IF_SOB_MIN_WPROT_0, r) + 0x200 * (u))
#define DMA_IF_MAX_WPROT(u, r)		(GAUDI_NTH(DMA_IF_SOB_MAX_WPROT_0, r) + 0x200 * (u))
#define DMA_IF_DMA_HIT_RPROT(d)		GAUDI_NTH(DMA_IF_DMA0_HIT_RPROT, d)
#define DMA_IF_DMA_HIT_WPROT(d)		GAUDI_NTH(DMA_IF_DMA0_HIT_WPROT, d)

#endif /* GAUDI_RTR_REGS_H */
