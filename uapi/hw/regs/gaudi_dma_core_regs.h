/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * DMA_CORE: one layout, eight instances. Offsets from the instance base.
 *
 * Source: asic_reg/dma0_core_regs.h and dma0_core_masks.h, Linux 6.12 (facts).
 */
#ifndef GAUDI_DMA_CORE_REGS_H
#define GAUDI_DMA_CORE_REGS_H

#include "../gaudi_bits.h"
#include "gaudi_reg_offsets.h"

enum {
#include "gaudi_dma_core.def"
};

#undef REG
#undef REGS

#define   DMA_CORE_CFG_0_EN		BIT(0)
#define DMA_CORE_CFG_1			GAUDI_NTH(DMA_CORE_CFG_0, 1)
#define   DMA_CORE_CFG_1_HALT		BIT(0)
#define   DMA_CORE_CFG_1_FLUSH		BIT(1)
#define   DMA_CORE_CFG_1_SB_FORCE_MISS	BIT(2)
#define   DMA_CORE_DST_BASE_HI_CTX_ID	GENMASK(31, 24)
#define DMA_CORE_SRC_TSIZE(d)	((d) ? DMA_CORE_SRC_TSIZE_1 + 8 * ((d) - 1) : \
					 DMA_CORE_SRC_TSIZE_0)
#define DMA_CORE_SRC_STRIDE(d)		(DMA_CORE_SRC_STRIDE_1 + 8 * ((d) - 1))	/* d: 1..4 */
#define DMA_CORE_DST_TSIZE(d)	((d) ? DMA_CORE_DST_TSIZE_1 + 8 * ((d) - 1) : \
					 DMA_CORE_DST_TSIZE_0)
#define DMA_CORE_DST_STRIDE(d)		(DMA_CORE_DST_STRIDE_1 + 8 * ((d) - 1))
#define   DMA_CORE_COMMIT_WR_COMP_EN	BIT(0)
#define   DMA_CORE_COMMIT_TRANSPOSE	BIT(1)
#define   DMA_CORE_COMMIT_DTYPE		BIT(2)
#define   DMA_CORE_COMMIT_LIN		BIT(3)
#define   DMA_CORE_COMMIT_MEM_SET	BIT(4)
#define   DMA_CORE_COMMIT_COMPRESS	BIT(5)
#define   DMA_CORE_COMMIT_DECOMPRESS	BIT(6)
#define   DMA_CORE_COMMIT_CTX_ID	GENMASK(23, 16)
#define   DMA_CORE_PROT_VAL		BIT(0)
#define   DMA_CORE_PROT_ERR_VAL		BIT(1)
/* DMA_CORE_SECURE_PROPS, NON_SECURE_PROPS */
#define   DMA_CORE_PROPS_ASID		GENMASK(9, 0)
#define   DMA_CORE_PROPS_MMBP		BIT(10)
#define   DMA_CORE_WR_AWUSER_REDUCE	GENMASK(10, 2)	/* user bits 21:13 */
#define DMA_CORE_RD_RATE_LIM_CFG(n)	GAUDI_NTH(DMA_CORE_RD_RATE_LIM_CFG_0, n)
#define DMA_CORE_WR_RATE_LIM_CFG(n)	GAUDI_NTH(DMA_CORE_WR_RATE_LIM_CFG_0, n)
#define   DMA_CORE_ERR_CFG_ERR_MSG_EN	BIT(0)
#define   DMA_CORE_ERR_CFG_STOP_ON_ERR	BIT(1)
#define   DMA_CORE_ERR_CAUSE_HBW_RD	BIT(0)
#define   DMA_CORE_ERR_CAUSE_HBW_WR	BIT(1)
#define   DMA_CORE_ERR_CAUSE_LBW_WR	BIT(2)
#define   DMA_CORE_ERR_CAUSE_DESC_OVF	BIT(3)
#define   DMA_CORE_STS0_RD_REQ_CNT	GENMASK(14, 0)
#define   DMA_CORE_STS0_WR_REQ_CNT	GENMASK(30, 16)
#define   DMA_CORE_STS0_BUSY		BIT(31)
#define DMA_CORE_STS1			GAUDI_NTH(DMA_CORE_STS0, 1)
#define   DMA_CORE_STS1_IS_HALT		BIT(0)
#define   DMA_CORE_DBG_STS_RD_CTX_FULL	BIT(0)
#define   DMA_CORE_DBG_STS_WR_CTX_FULL	BIT(1)
#define   DMA_CORE_DBG_STS_WR_COMP_FULL	BIT(2)
#define   DMA_CORE_DBG_STS_RD_CTX_EMPTY	BIT(3)
#define   DMA_CORE_DBG_STS_WR_CTX_EMPTY	BIT(4)
#define   DMA_CORE_DBG_STS_WR_COMP_EMPTY BIT(5)
#define   DMA_CORE_DBG_STS_TE_EMPTY	BIT(6)
#define   DMA_CORE_DBG_STS_TE_BUSY	BIT(7)
#define   DMA_CORE_DBG_STS_GSKT_EMPTY	BIT(8)
#define   DMA_CORE_DBG_STS_GSKT_FULL	BIT(9)
#define   DMA_CORE_DBG_STS_RDBUF_FULLNESS GENMASK(30, 20)

#endif /* GAUDI_DMA_CORE_REGS_H */
