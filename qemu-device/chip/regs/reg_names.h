/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Published names of registers, by prototype (reg_names_*.c). */
#ifndef GAUDI_REG_NAMES_H
#define GAUDI_REG_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* Registers of a prototype; '#' in a name counts from 0 */
struct gaudi_reg_range {
	const char *name;
	uint16_t off;
	uint16_t count;
	uint16_t stride;
	uint16_t fidelity;	/* enum gaudi_fidelity */
};

struct gaudi_reg_names {
	const struct gaudi_reg_range *range;
	size_t count;
};

extern const struct gaudi_reg_names gaudi_qman_names, gaudi_dma_core_names,
	gaudi_sync_mngr_names, gaudi_tpc_cfg_names, gaudi_mme_ctrl_names,
	gaudi_mme_acc_names, gaudi_mme_sbab_names, gaudi_psoc_efuse_names,
	gaudi_psoc_global_conf_names, gaudi_psoc_timestamp_names,
	gaudi_pll_names, gaudi_cpu_if_names, gaudi_gic_names,
	gaudi_stlb_names, gaudi_mmu_up_names, gaudi_pcie_wrap_names,
	gaudi_pcie_core_names, gaudi_pcie_aux_names, gaudi_pcie_dbi_names,
	gaudi_pcie_msi_names, gaudi_tmc_names, gaudi_rtr_names, gaudi_rtr_ctrl_names,
	gaudi_dma_if_names, gaudi_dma_if_dn_names;

#endif /* GAUDI_REG_NAMES_H */
