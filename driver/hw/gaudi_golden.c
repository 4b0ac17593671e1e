// SPDX-License-Identifier: GPL-2.0-only
/*
 * Constants that the card needs before its engines run: address scramblers,
 * end-to-end and HBM credits, and a few engine defaults.
 *
 * Firmware that sets some of them itself says so in its boot status, and then
 * they are left alone. Source: gaudi_init_e2e, gaudi_init_hbm_cred and
 * neighbours in mainline's gaudi.c, Linux 6.12 (facts: the values).
 */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/io.h>

#include "../../uapi/hw/regs/gaudi_mme_regs.h"
#include "../../uapi/hw/regs/gaudi_rtr_regs.h"
#include "../../uapi/hw/regs/gaudi_tpc_regs.h"
#include "../core/gaudi_device.h"
#include "gaudi_hw.h"
#include "gaudi_reg_io.h"

struct gaudi_e2e {
	u32 base;
	/* As the registers hold them: HBM sizes in units of 8. */
	u8 hbm_wr, hbm_rd;
	u16 pci_wr, pci_rd;
};

#define DMA_IF_E2E(i, c)	{ GAUDI_DMA_IF_DOWN_CH(i, c), 43, 125, 162, 338 }

static const struct gaudi_e2e gaudi_e2e[] = {
	{ GAUDI_SIF_RTR_CTRL(0), 30,  98, 49, 101 },
	{ GAUDI_SIF_RTR_CTRL(1), 34,  76,  1,  39 },
	{ GAUDI_SIF_RTR_CTRL(2),  1,   1,  1,  32 },
	{ GAUDI_SIF_RTR_CTRL(3), 22,   4, 19,  32 },
	{ GAUDI_SIF_RTR_CTRL(4), 22,   4, 19,  32 },
	{ GAUDI_SIF_RTR_CTRL(5),  1,   1,  1,  32 },
	{ GAUDI_SIF_RTR_CTRL(6), 34,  76,  1,  39 },
	{ GAUDI_SIF_RTR_CTRL(7), 37, 113, 19,  19 },
	{ GAUDI_NIF_RTR_CTRL(0), 39, 119, 79, 163 },
	{ GAUDI_NIF_RTR_CTRL(1), 34,  76,  1,  39 },
	{ GAUDI_NIF_RTR_CTRL(2),  1,   1,  1,  32 },
	{ GAUDI_NIF_RTR_CTRL(3), 22,   4, 19,  32 },
	{ GAUDI_NIF_RTR_CTRL(4), 22,   4, 19,  32 },
	{ GAUDI_NIF_RTR_CTRL(5),  1,   1,  1,  32 },
	{ GAUDI_NIF_RTR_CTRL(6), 34,  76,  1,  39 },
	{ GAUDI_NIF_RTR_CTRL(7), 39, 119, 79,  79 },
	DMA_IF_E2E(0, 0), DMA_IF_E2E(0, 1), DMA_IF_E2E(1, 0), DMA_IF_E2E(1, 1),
	DMA_IF_E2E(2, 0), DMA_IF_E2E(2, 1), DMA_IF_E2E(3, 0), DMA_IF_E2E(3, 1),
};

/* Credits per HBM port of a DMA interface: writes, reads. */
static const u32 gaudi_hbm_cred[2][2] = {
	{ 0x33333333, 0x77777777 },
	{ 0x55555555, 0xdddddddd },
};

/* TPC: all arithmetic interrupts off, but not the watch on the QMAN. */
#define GAUDI_TPC_INTR_MASK		0x8ffe
#define GAUDI_TPC_ICACHE_16_LINES	2
#define GAUDI_MME_EUS_ROLLUP_CNT	3

static bool gaudi_fw_does(struct gaudi_device *gdev, u32 bit)
{
	return gdev->boot_sts0 & bit;
}

static void gaudi_golden_scrambler(struct gaudi_device *gdev, u32 reg)
{
	unsigned int i;

	/* The same 24 instances carry the credits. */
	for (i = 0; i < ARRAY_SIZE(gaudi_e2e); i++)
		gaudi_wr(gdev, gaudi_e2e[i].base + reg, 1);
}

void gaudi_golden_hbm_scrambler(struct gaudi_device *gdev)
{
	if (!gaudi_fw_does(gdev, GAUDI_BOOT_STS0_DRAM_SCR_EN))
		gaudi_golden_scrambler(gdev, RTR_CTRL_SCRAM_HBM_EN);
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_golden_hbm_scrambler);

static void gaudi_golden_e2e(struct gaudi_device *gdev)
{
	const struct gaudi_e2e *e;

	for (e = gaudi_e2e; e < gaudi_e2e + ARRAY_SIZE(gaudi_e2e); e++) {
		gaudi_wr(gdev, e->base + RTR_CTRL_E2E_HBM_WR_SIZE, e->hbm_wr);
		gaudi_wr(gdev, e->base + RTR_CTRL_E2E_HBM_RD_SIZE, e->hbm_rd);
		gaudi_wr(gdev, e->base + RTR_CTRL_E2E_PCI_WR_SIZE, e->pci_wr);
		gaudi_wr(gdev, e->base + RTR_CTRL_E2E_PCI_RD_SIZE, e->pci_rd);
	}
	/* Sizes everywhere first, then on. */
	for (e = gaudi_e2e; e < gaudi_e2e + ARRAY_SIZE(gaudi_e2e); e++) {
		gaudi_wr(gdev, e->base + RTR_CTRL_E2E_HBM_EN, 1);
		gaudi_wr(gdev, e->base + RTR_CTRL_E2E_PCI_EN, 1);
	}
}

static void gaudi_golden_hbm_cred(struct gaudi_device *gdev)
{
	unsigned int i, h;

	for (i = 0; i < GAUDI_NUM_DMA_IF; i++) {
		u32 base = GAUDI_DMA_IF_BASE(i);

		for (h = 0; h < ARRAY_SIZE(gaudi_hbm_cred); h++) {
			gaudi_wr(gdev, base + DMA_IF_HBM_WR_CRED_CNT(h),
				 gaudi_hbm_cred[h][0]);
			gaudi_wr(gdev, base + DMA_IF_HBM_RD_CRED_CNT(h),
				 gaudi_hbm_cred[h][1]);
		}
		for (h = 0; h < ARRAY_SIZE(gaudi_hbm_cred); h++)
			gaudi_wr(gdev, base + DMA_IF_HBM_CRED_EN(h),
				 DMA_IF_HBM_CRED_EN_READ |
				 DMA_IF_HBM_CRED_EN_WRITE);
	}
}

void gaudi_golden_init(struct gaudi_device *gdev)
{
	unsigned int i;

	/* The SRAM scrambler waits until firmware runs from HBM. */
	if (!gaudi_fw_does(gdev, GAUDI_BOOT_STS0_SRAM_SCR_EN))
		gaudi_golden_scrambler(gdev, RTR_CTRL_SCRAM_SRAM_EN);
	if (!gaudi_fw_does(gdev, GAUDI_BOOT_STS0_E2E_CRED_EN))
		gaudi_golden_e2e(gdev);
	if (!gaudi_fw_does(gdev, GAUDI_BOOT_STS0_HBM_CRED_EN))
		gaudi_golden_hbm_cred(gdev);

	for (i = 0; i < GAUDI_NUM_TPC; i++) {
		u32 base = GAUDI_TPC_CFG_BASE(i);

		gaudi_wr(gdev, base + TPC_CFG_TPC_INTR_MASK,
			 GAUDI_TPC_INTR_MASK);
		gaudi_rmw(gdev, base + TPC_CFG_MSS_CONFIG,
			  TPC_CFG_MSS_CONFIG_ICACHE_FETCH_LINE_NUM,
			  FIELD_PREP(TPC_CFG_MSS_CONFIG_ICACHE_FETCH_LINE_NUM,
				     GAUDI_TPC_ICACHE_16_LINES));
	}

	/* Tensor DMA pads with what it reads here. */
	for (i = 0; i < GAUDI_SRAM_USER_OFFSET; i += 8)
		writeq(0, gdev->sram + i);

	for (i = 0; i < GAUDI_NUM_MME; i++)
		gaudi_wr(gdev, GAUDI_MME_CTRL_BASE(i) +
			 MME_CTRL_EUS_ROLLUP_CNT_ADD, GAUDI_MME_EUS_ROLLUP_CNT);
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_golden_init);
