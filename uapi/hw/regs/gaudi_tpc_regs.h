/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * TPC_CFG: one layout, eight instances. A descriptor (16 tensors, a kernel)
 * stands there twice: the one that runs, and the one that the queue prepares.
 *
 * Source: asic_reg/tpc0_cfg_regs.h and tpc0_cfg_masks.h, Linux 6.12 (facts).
 */
#ifndef GAUDI_TPC_REGS_H
#define GAUDI_TPC_REGS_H

#include "../gaudi_bits.h"
#include "gaudi_reg_offsets.h"

enum {
#include "gaudi_tpc_cfg.def"
};

#undef REG
#undef REGS

#define TPC_CFG_DESC_SIZE		0x440	/* bytes of a descriptor */
/* that runs, and that the queue prepares */
#define TPC_CFG_KERNEL			TPC_CFG_KERNEL_TENSOR_0_BASE_ADDR_LOW
#define TPC_CFG_QM			TPC_CFG_QM_TENSOR_0_BASE_ADDR_LOW
#define   TPC_CFG_STATUS_SCALAR_PIPE_EMPTY BIT(1)
#define   TPC_CFG_STATUS_VECTOR_PIPE_EMPTY BIT(2)
#define   TPC_CFG_STATUS_IQ_EMPTY	BIT(3)
#define   TPC_CFG_STATUS_SB_EMPTY	BIT(5)
#define   TPC_CFG_STATUS_QM_IDLE	BIT(6)
#define   TPC_CFG_STATUS_QM_RDY		BIT(7)
#define   TPC_CFG_STATUS_IDLE		0xeeu	/* all of the above */
#define   TPC_CFG_TPC_CMD_ICACHE_INVALIDATE	BIT(0)
#define   TPC_CFG_TPC_CMD_DCACHE_INVALIDATE	BIT(1)
#define   TPC_CFG_TPC_CMD_LCACHE_INVALIDATE	BIT(2)
#define   TPC_CFG_TPC_CMD_TCACHE_INVALIDATE	BIT(3)
#define   TPC_CFG_TPC_CMD_ICACHE_PREFETCH_64KB	BIT(4)
#define   TPC_CFG_TPC_CMD_ICACHE_PREFETCH_32KB	BIT(5)
#define   TPC_CFG_TPC_CMD_QMAN_STOP		BIT(6)
#define   TPC_CFG_TPC_STALL_V		BIT(0)
#define   TPC_CFG_MSS_CONFIG_ICACHE_FETCH_LINE_NUM GENMASK(9, 8)
/* TPC_CFG_TPC_INTR_CAUSE */
#define   TPC_CFG_INTR_ADDRESS_EXCEED_SLM	BIT(0)
#define   TPC_CFG_INTR_ASSERTIONS		BIT(12)
#define   TPC_CFG_INTR_ILLEGAL_INSTRUCTION	BIT(13)
#define   TPC_CFG_INTR_PC_WRAP_AROUND		BIT(14)
#define   TPC_CFG_INTR_QM_SW_ERR		BIT(15)
#define   TPC_CFG_INTR_HBW_RRESP_ERR		BIT(16)
#define   TPC_CFG_INTR_HBW_BRESP_ERR		BIT(17)
#define   TPC_CFG_INTR_LBW_RRESP_ERR		BIT(18)
#define   TPC_CFG_INTR_LBW_BRESP_ERR		BIT(19)
/* TPC_CFG_ARUSER_LO, AWUSER_LO */
#define   TPC_CFG_USER_ASID		GENMASK(9, 0)
#define   TPC_CFG_USER_MMBP		BIT(10)

#endif /* GAUDI_TPC_REGS_H */
