// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * The tables of registers, as the model has them: names, values after power-on,
 * access, and how well each is modelled. The facts are in uapi/hw/regs/.
 */
#include "../core/core.h"
#include "reg_table.h"

/* What is kept without effect counts as approximate, too. */
enum {
	EXACT = GAUDI_EXACT, ROUGH = GAUDI_APPROXIMATE, KEPT = GAUDI_APPROXIMATE
};

#define ROW(name, off, count, stride, reset, access, fidelity) \
	{ name, reset, off, count, stride, GAUDI_ACCESS_##access, fidelity },
#define REG(name, off, reset, access, fidelity, ...) \
	ROW(#name, off, 1, 4, reset, access, fidelity)
#define REGS(before, after, off, count, stride, reset, access, fidelity, ...) \
	ROW(#before "#" #after, off, count, stride, reset, access, fidelity)

#define TABLE(proto, prefix)	{ proto, ARRAY_SIZE(proto), sizeof(prefix) - 1 }

static const struct gaudi_reg_row qman[] = {
#include "../../../uapi/hw/regs/gaudi_qman.def"
};
const struct gaudi_reg_table gaudi_qman_table = TABLE(qman, "QM_");

static const struct gaudi_reg_row dma_core[] = {
#include "../../../uapi/hw/regs/gaudi_dma_core.def"
};
const struct gaudi_reg_table gaudi_dma_core_table =
	TABLE(dma_core, "DMA_CORE_");

static const struct gaudi_reg_row sync_mngr[] = {
#include "../../../uapi/hw/regs/gaudi_sync_mngr.def"
};
const struct gaudi_reg_table gaudi_sync_mngr_table = TABLE(sync_mngr, "");

static const struct gaudi_reg_row tpc_cfg[] = {
#include "../../../uapi/hw/regs/gaudi_tpc_cfg.def"
};
const struct gaudi_reg_table gaudi_tpc_cfg_table = TABLE(tpc_cfg, "TPC_CFG_");

static const struct gaudi_reg_row mme_ctrl[] = {
#include "../../../uapi/hw/regs/gaudi_mme_ctrl.def"
};
const struct gaudi_reg_table gaudi_mme_ctrl_table =
	TABLE(mme_ctrl, "MME_CTRL_");

static const struct gaudi_reg_row mme_acc[] = {
#include "../../../uapi/hw/regs/gaudi_mme_acc.def"
};
const struct gaudi_reg_table gaudi_mme_acc_table = TABLE(mme_acc, "MME_ACC_");

static const struct gaudi_reg_row mme_sbab[] = {
#include "../../../uapi/hw/regs/gaudi_mme_sbab.def"
};
const struct gaudi_reg_table gaudi_mme_sbab_table =
	TABLE(mme_sbab, "MME_SBAB_");

static const struct gaudi_reg_row rtr[] = {
#include "../../../uapi/hw/regs/gaudi_rtr.def"
};
const struct gaudi_reg_table gaudi_rtr_table = TABLE(rtr, "RTR_");

static const struct gaudi_reg_row rtr_ctrl[] = {
#include "../../../uapi/hw/regs/gaudi_rtr_ctrl.def"
};
const struct gaudi_reg_table gaudi_rtr_ctrl_table =
	TABLE(rtr_ctrl, "RTR_CTRL_");

static const struct gaudi_reg_row dma_if[] = {
#include "../../../uapi/hw/regs/gaudi_dma_if.def"
};
const struct gaudi_reg_table gaudi_dma_if_table = TABLE(dma_if, "DMA_IF_");

static const struct gaudi_reg_row dma_if_dn[] = {
#include "../../../uapi/hw/regs/gaudi_dma_if_dn.def"
};
const struct gaudi_reg_table gaudi_dma_if_dn_table =
	TABLE(dma_if_dn, "DMA_IF_DN_");

static const struct gaudi_reg_row psoc_efuse[] = {
#include "../../../uapi/hw/regs/gaudi_psoc_efuse.def"
};
const struct gaudi_reg_table gaudi_psoc_efuse_table =
	TABLE(psoc_efuse, "PSOC_EFUSE_");

static const struct gaudi_reg_row psoc_global_conf[] = {
#include "../../../uapi/hw/regs/gaudi_psoc_global_conf.def"
};
const struct gaudi_reg_table gaudi_psoc_global_conf_table =
	TABLE(psoc_global_conf, "PSOC_");

static const struct gaudi_reg_row psoc_timestamp[] = {
#include "../../../uapi/hw/regs/gaudi_psoc_timestamp.def"
};
const struct gaudi_reg_table gaudi_psoc_timestamp_table =
	TABLE(psoc_timestamp, "PSOC_TIMESTAMP_");

static const struct gaudi_reg_row pll[] = {
#include "../../../uapi/hw/regs/gaudi_pll.def"
};
const struct gaudi_reg_table gaudi_pll_table = TABLE(pll, "PLL_");

static const struct gaudi_reg_row cpu_if[] = {
#include "../../../uapi/hw/regs/gaudi_cpu_if.def"
};
const struct gaudi_reg_table gaudi_cpu_if_table = TABLE(cpu_if, "CPU_IF_");

static const struct gaudi_reg_row gic[] = {
#include "../../../uapi/hw/regs/gaudi_gic.def"
};
const struct gaudi_reg_table gaudi_gic_table = TABLE(gic, "GIC_");

static const struct gaudi_reg_row stlb[] = {
#include "../../../uapi/hw/regs/gaudi_stlb.def"
};
const struct gaudi_reg_table gaudi_stlb_table = TABLE(stlb, "STLB_");

static const struct gaudi_reg_row mmu_up[] = {
#include "../../../uapi/hw/regs/gaudi_mmu_up.def"
};
const struct gaudi_reg_table gaudi_mmu_up_table = TABLE(mmu_up, "MMU_UP_");

static const struct gaudi_reg_row pcie_wrap[] = {
#include "../../../uapi/hw/regs/gaudi_pcie_wrap.def"
};
const struct gaudi_reg_table gaudi_pcie_wrap_table =
	TABLE(pcie_wrap, "PCIE_WRAP_");

static const struct gaudi_reg_row pcie_core[] = {
#include "../../../uapi/hw/regs/gaudi_pcie_core.def"
};
const struct gaudi_reg_table gaudi_pcie_core_table =
	TABLE(pcie_core, "PCIE_CORE_");

static const struct gaudi_reg_row pcie_aux[] = {
#include "../../../uapi/hw/regs/gaudi_pcie_aux.def"
};
const struct gaudi_reg_table gaudi_pcie_aux_table =
	TABLE(pcie_aux, "PCIE_AUX_");

static const struct gaudi_reg_row pcie_dbi[] = {
#include "../../../uapi/hw/regs/gaudi_pcie_dbi.def"
};
const struct gaudi_reg_table gaudi_pcie_dbi_table =
	TABLE(pcie_dbi, "PCIE_DBI_");

static const struct gaudi_reg_row pcie_msi[] = {
#include "../../../uapi/hw/regs/gaudi_pcie_msi.def"
};
const struct gaudi_reg_table gaudi_pcie_msi_table =
	TABLE(pcie_msi, "PCIE_MSI_");

static const struct gaudi_reg_row tmc[] = {
#include "../../../uapi/hw/regs/gaudi_tmc.def"
};
const struct gaudi_reg_table gaudi_tmc_table = TABLE(tmc, "TMC_");

static const struct gaudi_reg_row nic_qpc[] = {
#include "../../../uapi/hw/regs/gaudi_nic_qpc.def"
};
const struct gaudi_reg_table gaudi_nic_qpc_table = TABLE(nic_qpc, "NIC_QPC_");

static const struct gaudi_reg_row nic_rxe[] = {
#include "../../../uapi/hw/regs/gaudi_nic_rxe.def"
};
const struct gaudi_reg_table gaudi_nic_rxe_table = TABLE(nic_rxe, "NIC_RXE_");

static const struct gaudi_reg_row nic_txe[] = {
#include "../../../uapi/hw/regs/gaudi_nic_txe.def"
};
const struct gaudi_reg_table gaudi_nic_txe_table = TABLE(nic_txe, "NIC_TXE_");

static const struct gaudi_reg_row nic_stat[] = {
#include "../../../uapi/hw/regs/gaudi_nic_stat.def"
};
const struct gaudi_reg_table gaudi_nic_stat_table =
	TABLE(nic_stat, "NIC_STAT_");
