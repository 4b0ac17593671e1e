/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * What is around the engines.
 *
 *   cpu.c        CPU_IF and GIC: the embedded CPU's side, runs firmware-stub
 *   psoc.c       boot scratchpads, reset, timestamp, PLLs
 *   pcie.c       ELBI, iATU, MSI request registers
 *   coresight.c  trace buffers, always empty
 *   soc_snap.c   the room's part of a snapshot
 *
 * Under chip->lock, all. Engines ring the CPU by gaudi_cpu_spi() of the core.
 */
#ifndef GAUDI_SOC_H
#define GAUDI_SOC_H

#include "../core/core.h"
#include "../regs/regs.h"

extern const struct gaudi_block_ops gaudi_psoc_global_conf_ops,
	gaudi_psoc_timestamp_ops, gaudi_pll_ops, gaudi_cpu_if_ops,
	gaudi_gic_ops, gaudi_pcie_wrap_ops, gaudi_pcie_dbi_ops,
	gaudi_pcie_core_ops, gaudi_pcie_aux_ops, gaudi_pcie_msi_ops,
	gaudi_tmc_ops;

/* Instances of the PLL prototype. */
enum gaudi_pll {
	GAUDI_PLL_DMA_W, GAUDI_PLL_IF_W, GAUDI_PLL_IF_E, GAUDI_PLL_DMA_E,
	GAUDI_PLL_MESH_W, GAUDI_PLL_SRAM_W, GAUDI_PLL_MESH_E, GAUDI_PLL_SRAM_E,
	GAUDI_PLL_CPU, GAUDI_PLL_MME, GAUDI_PLL_PCI, GAUDI_PLL_TPC,
	GAUDI_PLL_HBM, GAUDI_PLL_NIC0, GAUDI_PLL_NIC1, GAUDI_PLL_NIC2_HBM,
	GAUDI_PLL_NIC2_MME, GAUDI_PLL_NIC2_TPC,
};

int gaudi_soc_init(struct gaudi_chip *chip);
void gaudi_soc_fini(struct gaudi_chip *chip);
/* What a hard reset leaves is as after power-on, too. */
void gaudi_soc_power_on(struct gaudi_chip *chip);
/* The embedded CPU's; blocks have their reset by the registers'. */
void gaudi_cpu_reset(struct gaudi_chip *chip);
/* 0, -EAGAIN, -ENOSPC as gaudi_chip_post_event(). */
int gaudi_cpu_post_event(struct gaudi_chip *chip, unsigned int event_id,
			 const uint64_t *payload, unsigned int words);
struct gaudi_snap;
/* The room's part of a snapshot, behind that of the registers. */
void gaudi_soc_snap(struct gaudi_snap *s);
/*
 * As members of a JSON object, with a comma behind each, for a record: the embedded CPU, and
 * the counter with the host's time.
 */
void gaudi_cpu_state(struct gaudi_chip *chip, FILE *out);
void gaudi_psoc_state(struct gaudi_chip *chip, FILE *out);
/* The firmware itself, for faults in it. */
struct gaudi_fw *gaudi_cpu_firmware(struct gaudi_chip *chip);

#endif /* GAUDI_SOC_H */
