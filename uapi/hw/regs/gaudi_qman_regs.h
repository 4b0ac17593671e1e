/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * QMAN: one layout, 28 instances. Offsets from the instance base; n is the
 * stream 0..3, or 4 for the lower command processor where it has one.
 *
 * Source: asic_reg/dma0_qm_regs.h and dma0_qm_masks.h, Linux 6.12 (facts).
 */
#ifndef GAUDI_QMAN_REGS_H
#define GAUDI_QMAN_REGS_H

#include "../gaudi_bits.h"

#define QM_GLBL_CFG0			0x000
#define   QM_GLBL_CFG0_PQF_EN		GENMASK(3, 0)
#define   QM_GLBL_CFG0_CQF_EN		GENMASK(8, 4)
#define   QM_GLBL_CFG0_CP_EN		GENMASK(13, 9)
#define QM_GLBL_CFG1			0x004
#define   QM_GLBL_CFG1_PQF_STOP		GENMASK(3, 0)
#define   QM_GLBL_CFG1_CQF_STOP		GENMASK(8, 4)
#define   QM_GLBL_CFG1_CP_STOP		GENMASK(13, 9)
#define   QM_GLBL_CFG1_PQF_FLUSH	GENMASK(19, 16)
#define   QM_GLBL_CFG1_CQF_FLUSH	GENMASK(24, 20)
#define   QM_GLBL_CFG1_CP_FLUSH		GENMASK(29, 25)
#define QM_GLBL_PROT			0x008
#define   QM_GLBL_PROT_PQF		GENMASK(3, 0)
#define   QM_GLBL_PROT_CQF		GENMASK(8, 4)
#define   QM_GLBL_PROT_CP		GENMASK(13, 9)
#define   QM_GLBL_PROT_ERR		BIT(14)
#define   QM_GLBL_PROT_ARB		BIT(15)
#define QM_GLBL_ERR_CFG			0x00c
#define   QM_GLBL_ERR_CFG_PQF_MSG_EN	GENMASK(3, 0)
#define   QM_GLBL_ERR_CFG_CQF_MSG_EN	GENMASK(8, 4)
#define   QM_GLBL_ERR_CFG_CP_MSG_EN	GENMASK(13, 9)
#define   QM_GLBL_ERR_CFG_PQF_STOP	GENMASK(19, 16)
#define   QM_GLBL_ERR_CFG_CQF_STOP	GENMASK(24, 20)
#define   QM_GLBL_ERR_CFG_CP_STOP	GENMASK(29, 25)
#define   QM_GLBL_ERR_CFG_ARB_STOP	BIT(31)
#define QM_GLBL_SECURE_PROPS(n)		(0x010 + 4 * (n))
#define QM_GLBL_NON_SECURE_PROPS(n)	(0x024 + 4 * (n))
#define   QM_GLBL_PROPS_ASID		GENMASK(9, 0)
#define   QM_GLBL_PROPS_MMBP		BIT(10)
#define QM_GLBL_STS0			0x038
#define   QM_GLBL_STS0_PQF_IDLE		GENMASK(3, 0)
#define   QM_GLBL_STS0_CQF_IDLE		GENMASK(8, 4)
#define   QM_GLBL_STS0_CP_IDLE		GENMASK(13, 9)
#define   QM_GLBL_STS0_PQF_IS_STOP	GENMASK(19, 16)
#define   QM_GLBL_STS0_CQF_IS_STOP	GENMASK(24, 20)
#define   QM_GLBL_STS0_CP_IS_STOP	GENMASK(29, 25)
#define   QM_GLBL_STS0_ARB_IS_STOP	BIT(31)
#define QM_GLBL_STS1(n)			(0x040 + 4 * (n))
#define   QM_GLBL_STS1_PQF_RD_ERR	BIT(0)
#define   QM_GLBL_STS1_CQF_RD_ERR	BIT(1)
#define   QM_GLBL_STS1_CP_RD_ERR	BIT(2)
#define   QM_GLBL_STS1_CP_UNDEF_CMD_ERR	BIT(3)
#define   QM_GLBL_STS1_CP_STOP_OP	BIT(4)
#define   QM_GLBL_STS1_CP_MSG_WR_ERR	BIT(5)
#define   QM_GLBL_STS1_CP_WREG_ERR	BIT(6)
#define   QM_GLBL_STS1_CP_FENCE_OVF(f)	BIT(8 + (f))
#define   QM_GLBL_STS1_CP_FENCE_UDF(f)	BIT(12 + (f))
#define QM_GLBL_MSG_EN(n)		((n) < 4 ? 0x054 + 4 * (n) : 0x068)
#define QM_PQ_BASE_LO(n)		(0x070 + 4 * (n))
#define QM_PQ_BASE_HI(n)		(0x080 + 4 * (n))
#define QM_PQ_SIZE(n)			(0x090 + 4 * (n))	/* log2 entries */
#define QM_PQ_PI(n)			(0x0a0 + 4 * (n))	/* doorbell */
#define QM_PQ_CI(n)			(0x0b0 + 4 * (n))
#define QM_PQ_CFG0(n)			(0x0c0 + 4 * (n))
#define QM_PQ_CFG1(n)			(0x0d0 + 4 * (n))
#define QM_PQ_ARUSER_31_11(n)		(0x0e0 + 4 * (n))
#define QM_PQ_STS0(n)			(0x0f0 + 4 * (n))
#define QM_PQ_STS1(n)			(0x100 + 4 * (n))
#define QM_CQ_CFG0(n)			(0x110 + 4 * (n))
#define QM_CQ_CFG1(n)			(0x124 + 4 * (n))
#define QM_CQ_ARUSER_31_11(n)		(0x138 + 4 * (n))
#define QM_CQ_STS0(n)			(0x14c + 4 * (n))
#define QM_CQ_STS1(n)			(0x160 + 4 * (n))
#define QM_CQ_PTR_LO(n)			(0x174 + 16 * (n))
#define QM_CQ_PTR_HI(n)			(0x178 + 16 * (n))
#define QM_CQ_TSIZE(n)			(0x17c + 16 * (n))
#define QM_CQ_CTL(n)			(0x180 + 16 * (n))
#define QM_CQ_PTR_LO_STS(n)		(0x1c4 + 4 * (n))
#define QM_CQ_PTR_HI_STS(n)		(0x1d8 + 4 * (n))
#define QM_CQ_TSIZE_STS(n)		(0x1ec + 4 * (n))
#define QM_CQ_CTL_STS(n)		(0x200 + 4 * (n))
#define QM_CQ_IFIFO_CNT(n)		(0x214 + 4 * (n))
#define QM_CP_MSG_BASE_ADDR_LO(b, n)	(0x228 + 0x28 * (b) + 4 * (n))
#define QM_CP_MSG_BASE_ADDR_HI(b, n)	(0x23c + 0x28 * (b) + 4 * (n))
#define QM_CP_LDMA_TSIZE_OFFSET(n)	(0x2c8 + 4 * (n))
#define QM_CP_LDMA_SRC_BASE_LO_OFFSET(n) (0x2e0 + 4 * (n))
#define QM_CP_LDMA_DST_BASE_LO_OFFSET(n) (0x2f4 + 4 * (n))
#define QM_CP_FENCE_RDATA(f, n)		(0x308 + 0x14 * (f) + 4 * (n))
#define   QM_CP_FENCE_RDATA_INC		GENMASK(3, 0)
#define QM_CP_FENCE_CNT(f, n)		(0x358 + 0x14 * (f) + 4 * (n))
#define   QM_CP_FENCE_CNT_MAX		0x3fffu
#define QM_CP_STS(n)			(0x3a8 + 4 * (n))
#define   QM_CP_STS_MSG_INFLIGHT_CNT	GENMASK(15, 0)
#define   QM_CP_STS_ERDY		BIT(16)
#define   QM_CP_STS_RRDY		BIT(17)
#define   QM_CP_STS_MRDY		BIT(18)
#define   QM_CP_STS_SW_STOP		BIT(19)
#define   QM_CP_STS_FENCE_ID		GENMASK(21, 20)
#define   QM_CP_STS_FENCE_IN_PROGRESS	BIT(22)
#define QM_CP_CURRENT_INST_LO(n)	(0x3bc + 4 * (n))
#define QM_CP_CURRENT_INST_HI(n)	(0x3d0 + 4 * (n))
#define QM_CP_BARRIER_CFG(n)		(0x3f4 + 4 * (n))
#define QM_CP_DBG_0(n)			(0x408 + 4 * (n))
#define   QM_CP_DBG_0_EB_CNT_NOT_ZERO	BIT(4)
#define   QM_CP_DBG_0_BULK_CNT_NOT_ZERO	BIT(5)
#define   QM_CP_DBG_0_MREB_STALL	BIT(6)
#define   QM_CP_DBG_0_STALL		BIT(7)
#define QM_CP_ARUSER_31_11(n)		(0x41c + 4 * (n))
#define QM_CP_AWUSER_31_11(n)		(0x430 + 4 * (n))
#define QM_ARB_CFG_0			0xa00
#define   QM_ARB_CFG_0_TYPE		BIT(0)	/* 0: strict priority, 1: WRR */
#define   QM_ARB_CFG_0_IS_MASTER	BIT(4)
#define   QM_ARB_CFG_0_EN		BIT(8)
#define   QM_ARB_CFG_0_MASK		GENMASK(15, 12)
#define   QM_ARB_CFG_0_MST_MSG_NOSTALL	BIT(16)
#define QM_ARB_CHOISE_Q_PUSH		0xa04
#define QM_ARB_WRR_WEIGHT(n)		(0xa08 + 4 * (n))
#define QM_ARB_CFG_1			0xa18
#define QM_ARB_MST_AVAIL_CRED(n)	(0xa20 + 4 * (n))
#define QM_ARB_MST_CRED_INC		0xaa0
#define QM_ARB_MST_CHOISE_PUSH_OFST(n)	(0xaa4 + 4 * (n))
#define QM_ARB_SLV_MASTER_INC_CRED_OFST	0xb28
#define QM_ARB_MST_SLAVE_EN		0xb2c
#define QM_ARB_MST_QUIET_PER		0xb34
#define QM_ARB_SLV_CHOISE_WDT		0xb38
#define QM_ARB_SLV_ID			0xb3c
#define QM_ARB_MSG_MAX_INFLIGHT		0xb44
#define QM_ARB_MSG_AWUSER_31_11		0xb48
#define QM_ARB_MSG_AWUSER_SEC_PROP	0xb4c
#define QM_ARB_MSG_AWUSER_NON_SEC_PROP	0xb50
#define QM_ARB_BASE_LO			0xb54
#define QM_ARB_BASE_HI			0xb58
#define QM_ARB_STATE_STS		0xb80
#define QM_ARB_CHOISE_FULLNESS_STS	0xb84
#define QM_ARB_MSG_STS			0xb88
#define QM_ARB_SLV_CHOISE_Q_HEAD	0xb8c
#define QM_ARB_ERR_CAUSE		0xb9c
#define   QM_ARB_ERR_CAUSE_OVF		BIT(0)
#define   QM_ARB_ERR_CAUSE_WDT		BIT(1)
#define   QM_ARB_ERR_CAUSE_AXI_LBW	BIT(2)
#define QM_ARB_ERR_MSG_EN		0xba0
#define QM_ARB_ERR_STS_DRP		0xba8
#define QM_ARB_MST_CRED_STS(n)		(0xbb0 + 4 * (n))
#define QM_CGM_CFG			0xc70
#define QM_CGM_STS			0xc74
#define   QM_CGM_STS_AGENT_IDLE		BIT(8)
#define QM_CGM_CFG1			0xc78
#define QM_LOCAL_RANGE_BASE		0xc80
#define QM_LOCAL_RANGE_SIZE		0xc84
#define QM_CSMR_STRICT_PRIO_CFG		0xc90
#define QM_HBW_RD_RATE_LIM_CFG_1	0xc94
#define QM_LBW_WR_RATE_LIM_CFG_0	0xc98
#define QM_LBW_WR_RATE_LIM_CFG_1	0xc9c
#define QM_HBW_RD_RATE_LIM_CFG_0	0xca0
#define QM_GLBL_AXCACHE			0xca4
#define QM_IND_GW_APB_CFG		0xcb0
#define QM_IND_GW_APB_WDATA		0xcb4
#define QM_IND_GW_APB_RDATA		0xcb8
#define QM_IND_GW_APB_STATUS		0xcbc
#define QM_GLBL_ERR_ADDR_LO		0xcd0
#define QM_GLBL_ERR_ADDR_HI		0xcd4
#define QM_GLBL_ERR_WDATA		0xcd8
#define QM_GLBL_MEM_INIT_BUSY		0xd00

#endif /* GAUDI_QMAN_REGS_H */
