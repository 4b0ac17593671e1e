/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * MME: CTRL, ACC and SBAB blocks, four instances each, and the descriptor of
 * 136 words that the CTRL block of a master takes.
 *
 * Sources: asic_reg/mme0_ctrl_regs.h and gaudi_regs.h, Linux 6.12 (facts);
 * fields of the descriptor from the vendor's MIT-licensed headers (facts).
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
#define   MME_CTRL_ARCH_STATUS_WORKING	GENMASK(6, 0)
#define   MME_CTRL_ARCH_STATUS_SM_IDLE	BIT(11)
#define   MME_CTRL_ARCH_STATUS_SB_B_AXI_IDLE BIT(18)
#define   MME_CTRL_ARCH_STATUS_SB_A_AXI_IDLE BIT(20)
#define   MME_CTRL_ARCH_STATUS_ACCUM_FREE GENMASK(24, 22)
#define   MME_CTRL_ARCH_STATUS_QM_IDLE	BIT(30)
#define   MME_CTRL_ARCH_STATUS_QM_RDY	BIT(31)

/*
 * The descriptor, MME_CTRL_ARCH up to MME_CTRL_ARCH + 4 * MME_DESC_WORDS. The
 * operands are S (feeds both cores of a pair), L and O (one walk for each
 * core). Sizes, strides and offsets of dimension 0 count elements; those of
 * dimensions 1..4 are multiplied by the tensor's stride in elements already.
 */
#define MME_CTRL_ARCH			0x008
#define MME_DESC_WORDS			136
#define MME_OP_S			0
#define MME_OP_L			1
#define MME_OP_O			2
#define MME_CTRL_ARCH_BASE_ADDR_HIGH(op) (0x008 + 4 * (op))
#define MME_CTRL_ARCH_BASE_ADDR_LOW(op)	(0x014 + 4 * (op))

#define MME_CTRL_ARCH_HEADER_LOW	0x020
#define   MME_HEADER_TRANS_S		BIT(0)	/* dimension 0 is common */
#define   MME_HEADER_TRANS_L		BIT(1)
#define   MME_HEADER_TRANS_O		BIT(2)	/* rows are of L */
#define   MME_HEADER_ADVANCE_S		BIT(3)
#define   MME_HEADER_ADVANCE_L		BIT(4)
#define   MME_HEADER_ADVANCE_O		BIT(5)
#define   MME_HEADER_LOWER_L		BIT(6)
#define   MME_HEADER_LOWER_S		BIT(7)
#define   MME_HEADER_ACCUM_MASK		GENMASK(11, 8)	/* of loops 0..3 */
#define   MME_HEADER_ACC_STORE_INC_DISABLE BIT(12)
#define   MME_HEADER_ROUNDING		GENMASK(15, 13)
#define     MME_ROUND_NEAREST		0
#define     MME_ROUND_TO_ZERO		1
#define     MME_ROUND_UP		2
#define     MME_ROUND_DOWN		3
#define     MME_ROUND_STOCHASTIC	BIT(2)	/* conversion to bf16 only */
#define   MME_HEADER_TYPE_IN_FP32	BIT(16)	/* else bf16 */
#define   MME_HEADER_TYPE_OUT_FP32	BIT(17)
#define   MME_HEADER_ACCUM		BIT(18)
#define   MME_HEADER_STORE_EN		BIT(19)
#define   MME_HEADER_ROLL_ACCUMS	GENMASK(23, 20)
#define   MME_HEADER_SIGNAL_MASK	GENMASK(29, 24)	/* of loops */
#define   MME_HEADER_SIGNAL_EN		BIT(30)
#define   MME_HEADER_RELU_EN		BIT(31)

#define MME_CTRL_ARCH_HEADER_HIGH	0x024
/* loops, six bits each: S, L local, L remote, O local, O remote */
#define   MME_HEADER_PARTIAL_SHIFT(n)	(6 * (n))
#define   MME_HEADER_HIGH_ONES		(BIT(30) | BIT(31))

/* Loops: 0..3 convolution, tetris, outer; bits of masks in this order. */
#define MME_LOOP_TETRIS			4
#define MME_LOOP_OUTER			5
#define MME_NUM_LOOPS			6
#define MME_LOOP_MASK			GENMASK(5, 0)
#define MME_CTRL_ARCH_CONV_KERNEL_SIZE_MINUS_1 0x028	/* a byte per loop */
#define MME_CTRL_ARCH_CONV_ASSOCIATED_DIMS_LOW 0x02c	/* loops 0, 1 */
#define MME_CTRL_ARCH_CONV_ASSOCIATED_DIMS_HIGH 0x030	/* loops 2, 3 */
#define   MME_DIMS_SHIFT(op)		(3 * (op))
#define   MME_DIMS_MASK			7u
#define   MME_DIM_NONE			5	/* the loop moves nothing */
#define MME_CTRL_ARCH_NUM_ITERATIONS_MINUS_1 0x034
#define MME_CTRL_ARCH_OUTER_LOOP	0x038
#define   MME_OUTER_LOOP_SIZE_MINUS_1	GENMASK(23, 16)

#define MME_NUM_DIMS			5
#define MME_CTRL_ARCH_TENSOR_S		0x03c
#define MME_CTRL_ARCH_AGU_S		0x088
#define MME_CTRL_ARCH_TENSOR_L		0x0ac
#define MME_CTRL_ARCH_AGU_L_LOCAL	0x0f8
#define MME_CTRL_ARCH_AGU_L_REMOTE	0x11c
#define MME_CTRL_ARCH_TENSOR_O		0x140
#define MME_CTRL_ARCH_AGU_O_LOCAL	0x18c
#define MME_CTRL_ARCH_AGU_O_REMOTE	0x1b0
/* within a TENSOR; roi size has no dimension 4, spatial strides start at 1 */
#define MME_TENSOR_VALID_ELEMENTS(d)	(0x00 + 4 * (d))
#define MME_TENSOR_LOOP_STRIDE(d)	(0x14 + 4 * (d))
#define MME_TENSOR_ROI_SIZE(d)		(0x28 + 4 * (d))
#define MME_TENSOR_SPATIAL_STRIDE(d)	(0x38 + 4 * ((d) - 1))
#define MME_TENSOR_SPATIAL_SIZE_MINUS_1	0x48
/* within an AGU; start offsets start at dimension 1 */
#define MME_AGU_ROI_BASE_OFFSET(d)	(0x00 + 4 * (d))
#define MME_AGU_START_OFFSET(d)		(0x14 + 4 * ((d) - 1))

#define MME_CTRL_ARCH_DESC_SB_REPEAT	0x1d4	/* S, and L 16 bits above */
#define   MME_SB_REPEAT_MINUS_1		GENMASK(7, 0)
#define   MME_SB_REPEAT_LOOP_MASK	GENMASK(13, 8)
#define   MME_SB_REPEAT_LOAD		BIT(14)
#define   MME_SB_REPEAT_TE_EN		BIT(15)
#define   MME_SB_REPEAT_SHIFT(op)	(16 * (op))
#define MME_CTRL_ARCH_DESC_RATE_LIMITER	0x1d8
#define MME_CTRL_ARCH_DESC_SO_ADDR_LOW_LOCAL 0x1dc
#define MME_CTRL_ARCH_DESC_SO_ADDR_LOW_REMOTE 0x1e0
#define MME_CTRL_ARCH_DESC_SO_ADDR_HIGH	0x1e4
#define MME_CTRL_ARCH_DESC_SO_DATA	0x1e8	/* as a sync object's register */
#define MME_CTRL_ARCH_DESC_AXI_USER_DATA 0x1ec
#define   MME_AXI_USER_FIRST		GENMASK(8, 0)	/* reduction */
#define   MME_AXI_USER_STEADY		GENMASK(17, 9)
#define   MME_AXI_USER_MASK		GENMASK(23, 18)	/* of loops */
#define MME_CTRL_ARCH_DESC_PERF_EVT	0x1f0	/* five, as PARTIAL_SHIFT */
#define MME_CTRL_ARCH_DESC_PADDING_VALUE(op) (0x204 + 4 * (op))
#define MME_CTRL_ARCH_DESC_META_DATA	0x20c	/* five */
#define MME_CTRL_ARCH_DESC_PCU_RL_SATURATION 0x220
#define MME_CTRL_ARCH_DESC_DUMMY	0x224
/* Outputs of one step along a side of a core's array. */
#define MME_SIDE_BF16			64
#define MME_SIDE_FP32			32

#define MME_CTRL_CMD			0x280
#define   MME_CTRL_CMD_EXECUTE		BIT(0)
#define MME_CTRL_STATUS1		0x284
#define MME_CTRL_RESET			0x288
#define MME_CTRL_QM_STALL		0x28c
#define MME_CTRL_SYNC_OBJECT_FIFO_TH	0x290
#define MME_CTRL_EUS_ROLLUP_CNT_ADD	0x294
#define MME_CTRL_INTR_CAUSE		0x298
#define MME_CTRL_INTR_MASK		0x29c
/* Copies of the descriptors in flight: status, then at + 8 as from ARCH. */
#define MME_NUM_SHADOWS			4
#define MME_CTRL_SHADOW(n)		(0x400 + 0x280 * (n))

/* MME_ACC, from GAUDI_MME_ACC_BASE(n) */
#define MME_ACC_ACC_STALL		0x028
#define   MME_ACC_ACC_STALL_R		BIT(0)
#define MME_ACC_WBC			0x038	/* user bits of writes */
#define   MME_USER_ASID			GENMASK(9, 0)
#define   MME_USER_MMBP			BIT(10)
#define MME_ACC_PROT			0x050

/* MME_SBAB, from GAUDI_MME_SBAB_BASE(n) */
#define MME_SBAB_SB_STALL		0x02c
#define   MME_SBAB_SB_STALL_R		BIT(0)
#define MME_SBAB_ARUSER0		0x034	/* of reads, with MME_USER_* */
#define MME_SBAB_ARUSER1		0x038
#define MME_SBAB_PROT			0x050

#endif /* GAUDI_MME_REGS_H */
