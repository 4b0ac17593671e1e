/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * SYNC_MNGR: sync objects and monitors. One layout, four instances.
 *
 * Source: asic_reg/gaudi_regs.h (first and last register of each array) and
 * gaudi_blocks.h, Linux 6.12; fields and the SM_ registers from the vendor's
 * MIT-licensed register structures (facts).
 */
#ifndef GAUDI_SYNC_MNGR_REGS_H
#define GAUDI_SYNC_MNGR_REGS_H

#include "../gaudi_bits.h"
#include "gaudi_reg_offsets.h"

enum {
#include "gaudi_sync_mngr.def"
};

#undef REG
#undef REGS

#define SYNC_MNGR_NUM_SOB		2048
#define SYNC_MNGR_NUM_MON		512

#define SYNC_MNGR_SM_SEI_MASK		SYNC_MNGR_GLBL_SM_SEI_MASK
#define SYNC_MNGR_SM_SEI_CAUSE		SYNC_MNGR_GLBL_SM_SEI_CAUSE
#define   SYNC_MNGR_SM_SEI_SO_OVERFLOW	BIT(0)
#define   SYNC_MNGR_SM_SEI_UNALIGN4B	BIT(1)
#define   SYNC_MNGR_SM_SEI_RSP_ERR	BIT(2)
#define   SYNC_MNGR_SM_SEI_CAUSES	GENMASK(2, 0)
#define   SYNC_MNGR_SM_SEI_CAUSE_LOG	GENMASK(31, 16)
#define SYNC_MNGR_SOB_OBJ(n)		GAUDI_NTH(SYNC_MNGR_OBJS_SOB_OBJ_0, n)
#define   SYNC_MNGR_SOB_OBJ_VAL		GENMASK(14, 0)
/* What a TPC's message adds, signed; of all others bits 29:15 are reserved. */
#define   SYNC_MNGR_SOB_OBJ_TPC_ADD	GENMASK(15, 0)
#define   SYNC_MNGR_SOB_OBJ_TRACE	BIT(30)
#define   SYNC_MNGR_SOB_OBJ_INC		BIT(31)	/* 0: set, 1: add */
#define SYNC_MNGR_MON_PAY_ADDRL(n)	GAUDI_NTH(SYNC_MNGR_OBJS_MON_PAY_ADDRL_0, n)
#define SYNC_MNGR_MON_PAY_ADDRH(n)	GAUDI_NTH(SYNC_MNGR_OBJS_MON_PAY_ADDRH_0, n)
#define SYNC_MNGR_MON_PAY_DATA(n)	GAUDI_NTH(SYNC_MNGR_OBJS_MON_PAY_DATA_0, n)
#define SYNC_MNGR_MON_ARM(n)		GAUDI_NTH(SYNC_MNGR_OBJS_MON_ARM_0, n)
#define   SYNC_MNGR_MON_ARM_SID		GENMASK(7, 0)	/* SOB / 8 */
#define   SYNC_MNGR_MON_ARM_MASK	GENMASK(15, 8)	/* 0: takes part */
#define   SYNC_MNGR_MON_ARM_SOP		BIT(16)	/* 0: >=, 1: == */
#define   SYNC_MNGR_MON_ARM_SOD		GENMASK(31, 17)
#define SYNC_MNGR_MON_STATUS(n)		GAUDI_NTH(SYNC_MNGR_OBJS_MON_STATUS_0, n)
#define   SYNC_MNGR_MON_STATUS_VALID	BIT(0)
#define   SYNC_MNGR_MON_STATUS_PENDING	GENMASK(8, 1)
#define   SYNC_MNGR_MON_STATUS_PROT	BIT(9)
#define SYNC_MNGR_SM_SEC(n)		GAUDI_NTH(SYNC_MNGR_OBJS_SM_SEC_0, n)

#endif /* GAUDI_SYNC_MNGR_REGS_H */
