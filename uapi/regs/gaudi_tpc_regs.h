/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * TPC_CFG: one layout, eight instances; status and control only. The tensor
 * and kernel registers come with the instruction set.
 *
 * Source: asic_reg/tpc0_cfg_regs.h and tpc0_cfg_masks.h, Linux 6.12 (facts).
 */
#ifndef GAUDI_TPC_REGS_H
#define GAUDI_TPC_REGS_H

#include "../gaudi_bits.h"

#define TPC_CFG_ROUND_CSR		0x8fc
#define TPC_CFG_PROT			0x900
#define TPC_CFG_SEMAPHORE		0x908
#define TPC_CFG_VFLAGS			0x90c
#define TPC_CFG_SFLAGS			0x910
#define TPC_CFG_LFSR_POLYNOM		0x918
#define TPC_CFG_STATUS			0x91c
#define   TPC_CFG_STATUS_SCALAR_PIPE_EMPTY BIT(1)
#define   TPC_CFG_STATUS_VECTOR_PIPE_EMPTY BIT(2)
#define   TPC_CFG_STATUS_IQ_EMPTY	BIT(3)
#define   TPC_CFG_STATUS_SB_EMPTY	BIT(5)
#define   TPC_CFG_STATUS_QM_IDLE	BIT(6)
#define   TPC_CFG_STATUS_QM_RDY		BIT(7)
#define   TPC_CFG_STATUS_IDLE		0xeeu	/* all of the above */
#define TPC_CFG_CFG_BASE_ADDRESS_HIGH	0x920
#define TPC_CFG_CFG_SUBTRACT_VALUE	0x924
#define TPC_CFG_SM_BASE_ADDRESS_HIGH	0x92c
#define TPC_CFG_TPC_CMD			0x930
#define   TPC_CFG_TPC_CMD_ICACHE_INVALIDATE	BIT(0)
#define   TPC_CFG_TPC_CMD_DCACHE_INVALIDATE	BIT(1)
#define   TPC_CFG_TPC_CMD_LCACHE_INVALIDATE	BIT(2)
#define   TPC_CFG_TPC_CMD_TCACHE_INVALIDATE	BIT(3)
#define   TPC_CFG_TPC_CMD_ICACHE_PREFETCH_64KB	BIT(4)
#define   TPC_CFG_TPC_CMD_ICACHE_PREFETCH_32KB	BIT(5)
#define   TPC_CFG_TPC_CMD_QMAN_STOP		BIT(6)
#define TPC_CFG_TPC_EXECUTE		0x938
#define TPC_CFG_TPC_STALL		0x93c
#define   TPC_CFG_TPC_STALL_V		BIT(0)
#define TPC_CFG_ICACHE_BASE_ADDERESS_LOW  0x940
#define TPC_CFG_ICACHE_BASE_ADDERESS_HIGH 0x944
#define TPC_CFG_RD_RATE_LIMIT		0x948
#define TPC_CFG_WR_RATE_LIMIT		0x950
#define TPC_CFG_MSS_CONFIG		0x954
#define   TPC_CFG_MSS_CONFIG_ICACHE_FETCH_LINE_NUM GENMASK(9, 8)
#define TPC_CFG_TPC_INTR_CAUSE		0x958
#define TPC_CFG_TPC_INTR_MASK		0x95c
#define TPC_CFG_WQ_CREDITS		0x960
#define TPC_CFG_ARUSER_LO		0x964
#define TPC_CFG_ARUSER_HI		0x968
#define TPC_CFG_AWUSER_LO		0x96c
#define TPC_CFG_AWUSER_HI		0x970
#define TPC_CFG_OPCODE_EXEC		0x974
#define TPC_CFG_TSB_CFG			0x99c
#define TPC_CFG_WQ_INFLIGHT_CNTR	0x9b8

#endif /* GAUDI_TPC_REGS_H */
