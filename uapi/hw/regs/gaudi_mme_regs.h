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
#include "gaudi_reg_offsets.h"

/* From GAUDI_MME_CTRL_BASE(n), GAUDI_MME_ACC_BASE(n), GAUDI_MME_SBAB_BASE(n) */
enum {
#include "gaudi_mme_ctrl.def"
#include "gaudi_mme_acc.def"
#include "gaudi_mme_sbab.def"
};

#undef REG
#undef REGS

#define   MME_CTRL_ARCH_STATUS_SB_A_EMPTY BIT(7)
#define   MME_CTRL_ARCH_STATUS_SB_B_EMPTY BIT(8)
#define   MME_CTRL_ARCH_STATUS_WBC_AXI_IDLE BIT(12)
#define   MME_CTRL_ARCH_STATUS_IDLE	0x1180u
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
#define MME_CTRL_ARCH			MME_CTRL_ARCH_BASE_ADDR_HIGH_S
#define MME_DESC_WORDS			136
#define MME_OP_S			0
#define MME_OP_L			1
#define MME_OP_O			2
#define MME_CTRL_ARCH_BASE_ADDR_HIGH(op) (MME_CTRL_ARCH_BASE_ADDR_HIGH_S + 4 * (op))
#define MME_CTRL_ARCH_BASE_ADDR_LOW(op)	(MME_CTRL_ARCH_BASE_ADDR_LOW_S + 4 * (op))

/* MME_CTRL_ARCH_HEADER_LOW */
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

/* MME_CTRL_ARCH_HEADER_HIGH: loops, six bits each: S, L local, L remote, O local, O remote */
#define   MME_HEADER_PARTIAL_SHIFT(n)	(6 * (n))
#define   MME_HEADER_HIGH_ONES		(BIT(30) | BIT(31))

/* Loops: 0..3 convolution, tetris, outer; bits of masks in this order. */
#define MME_LOOP_TETRIS			4
#define MME_LOOP_OUTER			5
#define MME_NUM_LOOPS			6
#define MME_LOOP_MASK			GENMASK(5, 0)
/* MME_CTRL_ARCH_CONV_ASSOCIATED_DIMS_LOW, HIGH */
#define   MME_DIMS_SHIFT(op)		(3 * (op))
#define   MME_DIMS_MASK			7u
#define   MME_DIM_NONE			5	/* the loop moves nothing */
/* MME_CTRL_ARCH_OUTER_LOOP */
#define   MME_OUTER_LOOP_SIZE_MINUS_1	GENMASK(23, 16)

#define MME_NUM_DIMS			5
#define MME_CTRL_ARCH_TENSOR_S		MME_CTRL_ARCH_TENSOR_S_VALID_ELEMENTS_0
#define MME_CTRL_ARCH_AGU_S		MME_CTRL_ARCH_AGU_S_ROI_BASE_OFFSET_0
#define MME_CTRL_ARCH_TENSOR_L		MME_CTRL_ARCH_TENSOR_L_VALID_ELEMENTS_0
#define MME_CTRL_ARCH_AGU_L_LOCAL	MME_CTRL_ARCH_AGU_L_LOCAL_ROI_BASE_OFFSET_0
#define MME_CTRL_ARCH_AGU_L_REMOTE	MME_CTRL_ARCH_AGU_L_REMOTE_ROI_BASE_OFFSET_0
#define MME_CTRL_ARCH_TENSOR_O		MME_CTRL_ARCH_TENSOR_O_VALID_ELEMENTS_0
#define MME_CTRL_ARCH_AGU_O_LOCAL	MME_CTRL_ARCH_AGU_O_LOCAL_ROI_BASE_OFFSET_0
#define MME_CTRL_ARCH_AGU_O_REMOTE	MME_CTRL_ARCH_AGU_O_REMOTE_ROI_BASE_OFFSET_0
/* within a TENSOR; roi size has no dimension 4, spatial strides start at 1 */
#define MME_TENSOR_VALID_ELEMENTS(d)	(0x00 + 4 * (d))
#define MME_TENSOR_LOOP_STRIDE(d)	(0x14 + 4 * (d))
#define MME_TENSOR_ROI_SIZE(d)		(0x28 + 4 * (d))
#define MME_TENSOR_SPATIAL_STRIDE(d)	(0x38 + 4 * ((d) - 1))
#define MME_TENSOR_SPATIAL_SIZE_MINUS_1	0x48
/* within an AGU; start offsets start at dimension 1 */
#define MME_AGU_ROI_BASE_OFFSET(d)	(0x00 + 4 * (d))
#define MME_AGU_START_OFFSET(d)		(0x14 + 4 * ((d) - 1))

/* MME_CTRL_ARCH_DESC_SB_REPEAT */
#define   MME_SB_REPEAT_MINUS_1		GENMASK(7, 0)
#define   MME_SB_REPEAT_LOOP_MASK	GENMASK(13, 8)
#define   MME_SB_REPEAT_LOAD		BIT(14)
#define   MME_SB_REPEAT_TE_EN		BIT(15)
#define   MME_SB_REPEAT_SHIFT(op)	(16 * (op))
#define MME_CTRL_ARCH_DESC_SO_ADDR_LOW_LOCAL MME_CTRL_ARCH_DESC_SYNC_OBJECT_ADDR_LOW_LOCAL
#define MME_CTRL_ARCH_DESC_SO_ADDR_LOW_REMOTE MME_CTRL_ARCH_DESC_SYNC_OBJECT_ADDR_LOW_REMOTE
#define MME_CTRL_ARCH_DESC_SO_ADDR_HIGH	MME_CTRL_ARCH_DESC_SYNC_OBJECT_ADDR_HIGH
/* as a sync object's register */
#define MME_CTRL_ARCH_DESC_SO_DATA	MME_CTRL_ARCH_DESC_SYNC_OBJECT_DATA
/* MME_CTRL_ARCH_DESC_AXI_USER_DATA */
#define   MME_AXI_USER_FIRST		GENMASK(8, 0)	/* reduction */
#define   MME_AXI_USER_STEADY		GENMASK(17, 9)
#define   MME_AXI_USER_MASK		GENMASK(23, 18)	/* of loops */
/* five, as PARTIAL_SHIFT */
#define MME_CTRL_ARCH_DESC_PERF_EVT	MME_CTRL_ARCH_DESC_PERF_EVT_S
#define MME_CTRL_ARCH_DESC_PADDING_VALUE(op) (MME_CTRL_ARCH_DESC_PADDING_VALUE_S + 4 * (op))
#define MME_CTRL_ARCH_DESC_META_DATA	MME_CTRL_ARCH_DESC_META_DATA_AGU_S	/* five */
/* Outputs of one step along a side of a core's array. */
#define MME_SIDE_BF16			64
#define MME_SIDE_FP32			32

#define   MME_CTRL_CMD_EXECUTE		BIT(0)
/* Copies of the descriptors in flight: status, then at + 8 as from ARCH. */
#define MME_NUM_SHADOWS			4
#define MME_CTRL_SHADOW(n)		GAUDI_NTH(MME_CTRL_SHADOW_0_STATUS, n)

#define   MME_ACC_ACC_STALL_R		BIT(0)
#define   MME_SBAB_SB_STALL_R		BIT(0)
/* MME_ACC_WBC, MME_SBAB_ARUSER0 and 1 */
#define   MME_USER_ASID			GENMASK(9, 0)
#define   MME_USER_MMBP			BIT(10)

#endif /* GAUDI_MME_REGS_H */
