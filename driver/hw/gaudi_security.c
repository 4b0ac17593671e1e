// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a user's command buffers may touch: range registers in the routers and
 * DMA interfaces, and a protection bit per configuration register.
 *
 * All of it is constants in tables and a short loop; nothing here decides at
 * run time. User queues run unsecured, and an unsecured access to a secured
 * range or register is refused by the card.
 *
 * Source: gaudi_security.c of mainline's driver, Linux 6.12 (facts: which
 * registers are secured; those of the engines' blocks are in the tables of
 * registers). One difference, on purpose: in each of the 28 QMANs
 * mainline overwrites the word that secures CP_BARRIER_CFG_3..CP_DBG_0_1 with
 * the word for CP_DBG_0_2 and up, and so leaves the former four open.
 */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/bitmap.h>

#include "../../uapi/hw/regs/gaudi_dma_core_regs.h"
#include "../../uapi/hw/regs/gaudi_mme_regs.h"
#include "../../uapi/hw/regs/gaudi_rtr_regs.h"
#include "../core/gaudi_device.h"
#include "gaudi_hw.h"
#include "gaudi_reg_io.h"

/* --- Protection bits --- */

/* closed registers, from first on, are for secured access only. */
struct gaudi_prot_rule {
	u16 first;
	u16 stride;
	u16 closed;
};

/* A 4 KiB block: 992 registers, and 32 words of bits for all 1024. */
#define GAUDI_PROT_REGS		1024

/* The last column of the tables of registers; without it none is closed. */
#define REG(name, off, reset, access, fidelity, ...) \
	{ off, 4, __VA_ARGS__ + 0 },
#define REGS(before, after, off, count, stride, reset, access, fidelity, ...) \
	{ off, stride, __VA_ARGS__ + 0 },

static const struct gaudi_prot_rule gaudi_prot_qman[] = {
#include "../../uapi/hw/regs/gaudi_qman.def"
	{ }
};

static const struct gaudi_prot_rule gaudi_prot_dma_core[] = {
#include "../../uapi/hw/regs/gaudi_dma_core.def"
	{ }
};

/* DMA 2 to 7 may reduce into SRAM, for which users set WR_AWUSER. */
static const struct gaudi_prot_rule gaudi_prot_pci_dma_core[] = {
	{ DMA_CORE_WR_AWUSER_31_11, 4, 1 },
	{ }
};

static const struct gaudi_prot_rule gaudi_prot_mme_ctrl[] = {
#include "../../uapi/hw/regs/gaudi_mme_ctrl.def"
	{ }
};

static const struct gaudi_prot_rule gaudi_prot_tpc_cfg[] = {
#include "../../uapi/hw/regs/gaudi_tpc_cfg.def"
	{ }
};

#undef REG
#undef REGS

static const struct gaudi_prot_rule gaudi_prot_all[] = {
	{ 0, 4, GAUDI_PROT_REGS },
	{ }
};

struct gaudi_prot_blocks {
	u32 base;
	u32 stride;
	unsigned int count;
	const struct gaudi_prot_rule *rules[3];
};

#define PROT(_base, _stride, _count, ...) \
	{ .base = (_base), .stride = (_stride), .count = (_count), \
	  .rules = { __VA_ARGS__ } }

static const struct gaudi_prot_blocks gaudi_prot_blocks[] = {
	/* DMA interfaces, and the PLLs beside them */
	PROT(0x4a0000, 0x1000, 3, gaudi_prot_all),
	PROT(0x4a7000, 0x1000, 3, gaudi_prot_all),
	PROT(0x4c0000, 0x1000, 3, gaudi_prot_all),
	PROT(0x4c7000, 0x1000, 3, gaudi_prot_all),
	PROT(0x4e0000, 0x1000, 3, gaudi_prot_all),
	PROT(0x4e7000, 0x1000, 3, gaudi_prot_all),
	/* MME: accumulators, SBAB, PRTN as a whole */
	PROT(GAUDI_MME_ACC_BASE(0), 0x80000, GAUDI_NUM_MME, gaudi_prot_all),
	PROT(GAUDI_MME_SBAB_BASE(0), 0x80000, GAUDI_NUM_MME, gaudi_prot_all),
	PROT(GAUDI_MME_PRTN_BASE(0), 0x80000, GAUDI_NUM_MME, gaudi_prot_all),
	PROT(GAUDI_MME_CTRL_BASE(0), 0x80000, GAUDI_NUM_MME,
	     gaudi_prot_mme_ctrl),
	PROT(GAUDI_MME_QM_BASE(0), 0x100000, 2, gaudi_prot_qman),
	PROT(GAUDI_DMA_QM_BASE(0), 0x20000, GAUDI_NUM_DMA, gaudi_prot_qman),
	PROT(GAUDI_DMA_CORE_BASE(0), 0x20000, 2, gaudi_prot_dma_core,
	     gaudi_prot_pci_dma_core),
	PROT(GAUDI_DMA_CORE_BASE(2), 0x20000, 6, gaudi_prot_dma_core),
	PROT(GAUDI_NIC_QM_BASE(0), 0x40000, GAUDI_NUM_NIC_MACRO,
	     gaudi_prot_qman),
	PROT(GAUDI_NIC_QM_BASE(1), 0x40000, GAUDI_NUM_NIC_MACRO,
	     gaudi_prot_qman),
	PROT(GAUDI_TPC_QM_BASE(0), 0x40000, GAUDI_NUM_TPC, gaudi_prot_qman),
	PROT(GAUDI_TPC_CFG_BASE(0), 0x40000, GAUDI_NUM_TPC,
	     gaudi_prot_tpc_cfg),
	/* the TPCs' end-to-end credits */
	PROT(0xe07000, 0x40000, GAUDI_NUM_TPC, gaudi_prot_all),
};

static void gaudi_prot_write(struct gaudi_device *gdev, u32 base,
			     const unsigned long *secured)
{
	unsigned int word;

	/* Reset state is all ones: open. A zero bit secures its register. */
	for (word = 0; word < GAUDI_PROT_REGS / 32; word++) {
		u32 bits = bitmap_read(secured, word * 32, 32);

		if (bits)
			gaudi_wr(gdev, base + GAUDI_PROT_BITS_OFFSET + 4 * word,
				 ~bits);
	}
}

static void gaudi_prot_init(struct gaudi_device *gdev)
{
	DECLARE_BITMAP(secured, GAUDI_PROT_REGS);
	unsigned int i, j, n;

	for (i = 0; i < ARRAY_SIZE(gaudi_prot_blocks); i++) {
		const struct gaudi_prot_blocks *b = &gaudi_prot_blocks[i];

		bitmap_zero(secured, GAUDI_PROT_REGS);
		/* The bits themselves are secured in every block. */
		bitmap_set(secured, GAUDI_PROT_BITS_OFFSET / 4, 32);
		for (j = 0; j < ARRAY_SIZE(b->rules) && b->rules[j]; j++) {
			const struct gaudi_prot_rule *r;

			for (r = b->rules[j]; r->stride; r++)
				for (n = 0; n < r->closed; n++)
					__set_bit((r->first + n * r->stride) / 4,
						  secured);
		}
		for (n = 0; n < b->count; n++)
			gaudi_prot_write(gdev, b->base + n * b->stride,
					 secured);
	}
}

/* --- Low bandwidth: configuration registers, as offsets in CFG --- */

struct gaudi_lbw_range {
	u32 start, end;		/* closed to users, end inclusive */
};

static const struct gaudi_lbw_range gaudi_lbw_ranges[] = {
	{ 0x00e8000, 0x011ffff },	/* between MME 1 and 2 */
	{ 0x01e8000, 0x048ffff },	/* above MME 3, up to the first SM */
	{ 0x0600000, 0x0c48fff },	/* above DMA, up to the timestamp */
	{ 0x0c4a000, 0x0cdffff },	/* PSOC, up to NIC 0 */
	{ 0x0ce4000, 0x0d1ffff },
	{ 0x0d24000, 0x0d5ffff },
	{ 0x0d64000, 0x0d9ffff },
	{ 0x0da4000, 0x0ddffff },
	{ 0x0de4000, 0x0e05fff },	/* up to TPC 0 */
	{ 0x0fc9000, 0x3fffffe },
};

struct gaudi_lbw_checker {
	u16 hit_aw, hit_ar, min_aw, max_aw, min_ar, max_ar;
};

static const struct gaudi_lbw_checker gaudi_lbw_dma_if[] = {
	{ DMA_IF_SOB_HIT_WPROT, DMA_IF_SOB_HIT_RPROT,
	  DMA_IF_MIN_WPROT(0, 0), DMA_IF_MAX_WPROT(0, 0),
	  DMA_IF_MIN_RPROT(0, 0), DMA_IF_MAX_RPROT(0, 0) },
	{ DMA_IF_DMA_HIT_WPROT(0), DMA_IF_DMA_HIT_RPROT(0),
	  DMA_IF_MIN_WPROT(1, 0), DMA_IF_MAX_WPROT(1, 0),
	  DMA_IF_MIN_RPROT(1, 0), DMA_IF_MAX_RPROT(1, 0) },
	{ DMA_IF_DMA_HIT_WPROT(1), DMA_IF_DMA_HIT_RPROT(1),
	  DMA_IF_MIN_WPROT(2, 0), DMA_IF_MAX_WPROT(2, 0),
	  DMA_IF_MIN_RPROT(2, 0), DMA_IF_MAX_RPROT(2, 0) },
};

static const struct gaudi_lbw_checker gaudi_lbw_rtr = {
	RTR_LBW_RANGE_PROT_HIT_AW, RTR_LBW_RANGE_PROT_HIT_AR,
	RTR_LBW_RANGE_PROT_MIN_AW(0), RTR_LBW_RANGE_PROT_MAX_AW(0),
	RTR_LBW_RANGE_PROT_MIN_AR(0), RTR_LBW_RANGE_PROT_MAX_AR(0),
};

static void gaudi_lbw_init_checker(struct gaudi_device *gdev, u32 base,
				   const struct gaudi_lbw_checker *c)
{
	const u32 hit = GENMASK(ARRAY_SIZE(gaudi_lbw_ranges) - 1, 0);
	unsigned int i;

	gaudi_wr(gdev, base + c->hit_aw, hit);
	gaudi_wr(gdev, base + c->hit_ar, hit);
	for (i = 0; i < ARRAY_SIZE(gaudi_lbw_ranges); i++) {
		/* The comparators exclude both of their bounds. */
		u32 min = gaudi_lbw_ranges[i].start - 1;
		u32 max = gaudi_lbw_ranges[i].end + 1;

		gaudi_wr(gdev, base + c->min_aw + 4 * i, min);
		gaudi_wr(gdev, base + c->min_ar + 4 * i, min);
		gaudi_wr(gdev, base + c->max_aw + 4 * i, max);
		gaudi_wr(gdev, base + c->max_ar + 4 * i, max);
	}
}

static void gaudi_lbw_init(struct gaudi_device *gdev)
{
	unsigned int i, j;

	for (i = 0; i < GAUDI_NUM_DMA_IF; i++)
		for (j = 0; j < ARRAY_SIZE(gaudi_lbw_dma_if); j++)
			gaudi_lbw_init_checker(gdev, GAUDI_DMA_IF_BASE(i),
					       &gaudi_lbw_dma_if[j]);
	for (i = 0; i < GAUDI_NUM_RTR; i++) {
		gaudi_lbw_init_checker(gdev, GAUDI_SIF_RTR(i), &gaudi_lbw_rtr);
		gaudi_lbw_init_checker(gdev, GAUDI_NIF_RTR(i), &gaudi_lbw_rtr);
	}
}

/* --- High bandwidth: memory, as device addresses --- */

struct gaudi_hbw_range {
	u64 base;
	u32 mask_low;
	bool readable;
};

#define GAUDI_HBW_MASK_HIGH	0x3ffffu	/* address bits 49:32 */

static const struct gaudi_hbw_range gaudi_hbw_ranges[] = {
	{ GAUDI_HBM_BASE, ~(u32)(SZ_512M - 1), false },
	/* Zeroes that tensor DMA pads with. */
	{ GAUDI_SRAM_BASE, ~(u32)(GAUDI_SRAM_USER_OFFSET - 1), true },
	{ GAUDI_PSOC_SCRATCHPAD_BASE, ~(u32)(GAUDI_PSOC_SCRATCHPAD_SIZE - 1),
	  false },
	{ GAUDI_PCIE_FW_SRAM_BASE, ~(u32)(GAUDI_PCIE_FW_SRAM_SIZE - 1), false },
	{ GAUDI_FLASH_BASE, ~(u32)(SZ_32M - 1), false },
};

static void gaudi_hbw_init_checker(struct gaudi_device *gdev, u32 base)
{
	u32 hit_aw = 0, hit_ar = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(gaudi_hbw_ranges); i++) {
		hit_aw |= BIT(i);
		if (!gaudi_hbw_ranges[i].readable)
			hit_ar |= BIT(i);
	}
	gaudi_wr(gdev, base + RTR_CTRL_RANGE_SEC_HIT_AW, hit_aw);
	gaudi_wr(gdev, base + RTR_CTRL_RANGE_SEC_HIT_AR, hit_ar);

	for (i = 0; i < ARRAY_SIZE(gaudi_hbw_ranges); i++) {
		const struct gaudi_hbw_range *r = &gaudi_hbw_ranges[i];

		gaudi_wr_lo_hi(gdev, base + RTR_CTRL_RANGE_SEC_BASE_LOW_AW(i),
			       base + RTR_CTRL_RANGE_SEC_BASE_HIGH_AW(i),
			       r->base);
		gaudi_wr(gdev, base + RTR_CTRL_RANGE_SEC_MASK_LOW_AW(i),
			 r->mask_low);
		gaudi_wr(gdev, base + RTR_CTRL_RANGE_SEC_MASK_HIGH_AW(i),
			 GAUDI_HBW_MASK_HIGH);
		if (r->readable)
			continue;
		gaudi_wr_lo_hi(gdev, base + RTR_CTRL_RANGE_SEC_BASE_LOW_AR(i),
			       base + RTR_CTRL_RANGE_SEC_BASE_HIGH_AR(i),
			       r->base);
		gaudi_wr(gdev, base + RTR_CTRL_RANGE_SEC_MASK_LOW_AR(i),
			 r->mask_low);
		gaudi_wr(gdev, base + RTR_CTRL_RANGE_SEC_MASK_HIGH_AR(i),
			 GAUDI_HBW_MASK_HIGH);
	}
}

static void gaudi_hbw_init(struct gaudi_device *gdev)
{
	unsigned int i;

	for (i = 0; i < GAUDI_NUM_DMA_IF; i++) {
		gaudi_hbw_init_checker(gdev, GAUDI_DMA_IF_DOWN_CH(i, 0));
		gaudi_hbw_init_checker(gdev, GAUDI_DMA_IF_DOWN_CH(i, 1));
	}
	for (i = 0; i < GAUDI_NUM_RTR; i++) {
		gaudi_hbw_init_checker(gdev, GAUDI_SIF_RTR_CTRL(i));
		gaudi_hbw_init_checker(gdev, GAUDI_NIF_RTR_CTRL(i));
	}
}

/* PCIE_WRAP: answer 0 to what a range register refuses (mainline's choice). */
#define PCIE_WRAP_RR_ANSWER	0xc01b28

void gaudi_security_init(struct gaudi_device *gdev)
{
	unsigned int i;

	/* Erratum GAUDI0500: these two wake up privileged and secured. */
	for (i = 0; i < GAUDI_NUM_MME; i++) {
		gaudi_wr(gdev, GAUDI_MME_SBAB_BASE(i) + MME_SBAB_PROT, 0x2);
		gaudi_wr(gdev, GAUDI_MME_ACC_BASE(i) + MME_ACC_PROT, 0x2);
	}
	gaudi_wr(gdev, PCIE_WRAP_RR_ANSWER, 0x1);

	gaudi_lbw_init(gdev);
	gaudi_hbw_init(gdev);
	gaudi_prot_init(gdev);
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_security_init);
