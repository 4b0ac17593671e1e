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

#define CPU_IF_ARUSER_OVR		0x104
#define CPU_IF_ARUSER_OVR_EN		0x108
#define CPU_IF_AWUSER_OVR		0x10c
#define CPU_IF_AWUSER_OVR_EN		0x110
#define CPU_IF_AXCACHE_OVR		0x114
#define CPU_IF_LOCK_OVR			0x118
#define CPU_IF_PROT_OVR			0x11c
#define CPU_IF_MAX_OUTSTANDING		0x120
#define CPU_IF_EARLY_BRESP_EN		0x124
#define CPU_IF_FORCE_RSP_OK		0x128
#define CPU_IF_CPU_MSB_ADDR		0x12c	/* device address bits 49:39 */
#define CPU_IF_AXI_SPLIT_INTR		0x130
#define CPU_IF_PF_PQ_PI			0x200
#define CPU_IF_PQ_BASE_ADDR_LOW		0x204
#define CPU_IF_PQ_BASE_ADDR_HIGH	0x208
#define CPU_IF_PQ_LENGTH		0x20c	/* bytes */
#define CPU_IF_CQ_BASE_ADDR_LOW		0x210
#define CPU_IF_CQ_BASE_ADDR_HIGH	0x214
#define CPU_IF_CQ_LENGTH		0x218
#define CPU_IF_EQ_BASE_ADDR_LOW		0x220
#define CPU_IF_EQ_BASE_ADDR_HIGH	0x224
#define CPU_IF_EQ_LENGTH		0x228
#define CPU_IF_EQ_RD_OFFS		0x22c
#define CPU_IF_QUEUE_INIT		0x230

/* GIC distributor, from GAUDI_GIC_BASE: raise the SPI that is written */
#define GIC_DISTRIBUTOR_GICD_SETSPI_NSR	0x040

#endif /* GAUDI_CPU_IF_REGS_H */
