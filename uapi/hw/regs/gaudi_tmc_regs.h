/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * Trace memory controllers of CoreSight: the buffers (ETF) beside the blocks,
 * and the one that writes to memory (ETR).
 *
 * Source: asic_reg/psoc_etr_regs.h and gaudi_coresight.c, Linux 6.12; the
 * registers are those of ARM's TMC (facts).
 */
#ifndef GAUDI_TMC_REGS_H
#define GAUDI_TMC_REGS_H

#include "../gaudi_bits.h"
#include "gaudi_reg_offsets.h"

enum {
#include "gaudi_tmc.def"
};

#undef REG
#undef REGS

#define   TMC_STS_READY			BIT(2)
#define   TMC_STS_EMPTY			BIT(4)
#define   TMC_CTL_ENABLE		BIT(0)
#define   TMC_AXICTL_NON_SECURE		BIT(1)
#define   TMC_AXICTL_BURST		GENMASK(11, 8)
#define   TMC_FFCR_FLUSH		BIT(6)
#define   TMC_FFCR_STOP			BIT(12)

#endif /* GAUDI_TMC_REGS_H */
