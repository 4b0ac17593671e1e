/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* The tables of registers (uapi/hw/regs/gaudi_*.def), by prototype. */
#ifndef GAUDI_REG_TABLE_H
#define GAUDI_REG_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* What the host, and all others, can do with a register. */
enum gaudi_access {
	GAUDI_ACCESS_RW, GAUDI_ACCESS_RO, GAUDI_ACCESS_WT, GAUDI_ACCESS_W1C,
	GAUDI_ACCESS_W0C,
};

/* Registers of a prototype; '#' in a name counts from 0 */
struct gaudi_reg_row {
	const char *name;
	uint32_t reset;
	uint16_t off;
	uint16_t count;
	uint16_t stride;
	uint8_t access;		/* enum gaudi_access */
	uint8_t fidelity;	/* enum gaudi_fidelity */
};

struct gaudi_reg_table {
	const struct gaudi_reg_row *row;
	size_t count;
	size_t prefix;		/* of names, which the block's name stands for */
};

extern const struct gaudi_reg_table gaudi_qman_table, gaudi_dma_core_table,
	gaudi_sync_mngr_table, gaudi_tpc_cfg_table, gaudi_mme_ctrl_table,
	gaudi_mme_acc_table, gaudi_mme_sbab_table, gaudi_psoc_efuse_table,
	gaudi_psoc_global_conf_table, gaudi_psoc_timestamp_table,
	gaudi_pll_table, gaudi_cpu_if_table, gaudi_gic_table,
	gaudi_stlb_table, gaudi_mmu_up_table, gaudi_pcie_wrap_table,
	gaudi_pcie_core_table, gaudi_pcie_aux_table, gaudi_pcie_dbi_table,
	gaudi_pcie_msi_table, gaudi_tmc_table, gaudi_rtr_table,
	gaudi_rtr_ctrl_table, gaudi_dma_if_table, gaudi_dma_if_dn_table,
	gaudi_nic_qpc_table, gaudi_nic_rxe_table, gaudi_nic_txe_table,
	gaudi_nic_stat_table;

#endif /* GAUDI_REG_TABLE_H */
