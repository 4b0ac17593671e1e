/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * PCIe: the ELBI window in configuration space, the address translation unit
 * (iATU) behind the DBI window, and the wrapper, auxiliary and core registers.
 *
 * Source: asic_reg/gaudi_regs.h and common/pci/pci.c, Linux 6.12 (facts).
 */
#ifndef GAUDI_PCIE_REGS_H
#define GAUDI_PCIE_REGS_H

#include "../gaudi_bits.h"
#include "gaudi_reg_offsets.h"

/* From GAUDI_PCIE_WRAP_BASE, ..._CORE_BASE and so on */
enum {
#include "gaudi_pcie_wrap.def"
#include "gaudi_pcie_core.def"
#include "gaudi_pcie_aux.def"
#include "gaudi_pcie_dbi.def"
#include "gaudi_pcie_msi.def"
};

#undef REG
#undef REGS

/* ELBI: four dwords of PCI configuration space */
#define PCI_CONFIG_ELBI_ADDR		0xff0
#define PCI_CONFIG_ELBI_DATA		0xff4
#define PCI_CONFIG_ELBI_CTRL		0xff8
#define   PCI_CONFIG_ELBI_CTRL_WRITE	BIT(31)
#define PCI_CONFIG_ELBI_STS		0xffc
#define   PCI_CONFIG_ELBI_STS_ERR	BIT(30)
#define   PCI_CONFIG_ELBI_STS_DONE	BIT(31)

#define PCIE_MSI_INTR(n)		GAUDI_NTH(PCIE_MSI_INTR_0, n)

#define   PCIE_AUX_FLR_CTRL_HW_CTRL	BIT(0)
#define   PCIE_AUX_FLR_CTRL_INT_MASK	BIT(1)
#define   PCIE_AUX_DBI_IATU		0x300000u	/* window shows the iATU */

/* iATU regions within the DBI window while PCIE_AUX_DBI selects it */
#define IATU_OUTBOUND(n)		(0x000 + 0x200 * (n))
#define IATU_INBOUND(n)			GAUDI_NTH(PCIE_DBI_IATU_INBOUND_0_CTRL_1, n)
#define   IATU_REGION_CTRL_1		0x00
#define   IATU_REGION_CTRL_2		0x04
#define     IATU_CTRL_2_BAR		GENMASK(10, 8)
#define     IATU_CTRL_2_FUZZY_TYPE	BIT(27)
#define     IATU_CTRL_2_MATCH_BAR	BIT(30)
#define     IATU_CTRL_2_ENABLE		BIT(31)
#define   IATU_BASE_LO			0x08
#define   IATU_BASE_HI			0x0c
#define   IATU_LIMIT			0x10
#define   IATU_TARGET_LO		0x14
#define   IATU_TARGET_HI		0x18
#define   IATU_LIMIT_HI			0x20

#endif /* GAUDI_PCIE_REGS_H */
