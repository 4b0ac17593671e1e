/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * CPU_IF: how the embedded CPU learns where the driver's queues are; and the
 * interrupt controller register that is its doorbell.
 *
 * Source: asic_reg/cpu_if_regs.h and gaudi_regs.h, Linux 6.12 (facts).
 */
#ifndef GAUDI_CPU_IF_REGS_H
#define GAUDI_CPU_IF_REGS_H

#include "../gaudi_bits.h"
#include "gaudi_reg_offsets.h"

enum {
#include "gaudi_cpu_if.def"
#include "gaudi_gic.def"
};

#undef REG
#undef REGS

/* GIC distributor, from GAUDI_GIC_BASE: raise the SPI that is written */
#define GIC_DISTRIBUTOR_GICD_SETSPI_NSR	GIC_DISTRIBUTOR__5_GICD_SETSPI_NSR

#endif /* GAUDI_CPU_IF_REGS_H */
