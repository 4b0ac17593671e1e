// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The register space: which block answers at which offset, storage for every
 * register, and their published names.
 *
 * Not here: what the registers do; each block's own file has that.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../core/internal.h"

#define NAME_MAX_LEN		80

/*
 * Instances of a prototype at equal distances. '#' in the name stands for the
 * instance's number, first_index + step * n; the prototype's functions get
 * inst + inst_step * n.
 */
struct gaudi_family {
	const char *name;
	uint32_t base;
	uint32_t stride;
	uint16_t count;
	uint16_t pages;
	const struct gaudi_block_ops *ops;	/* NULL: storage */
	const struct gaudi_reg_names *names;	/* NULL: none published */
	uint8_t inst;
	uint8_t inst_step;
	uint8_t first_index;
};

#define NAMES(x)		(&gaudi_##x##_names)

static const struct gaudi_family families[] = {
	{ "MME#_ACC", 0x020000, 0x80000, 4, 1, &gaudi_mme_acc_ops,
	  NAMES(mme_acc), 0, 1 },
	{ "MME#_SBAB", 0x040000, 0x80000, 4, 1, &gaudi_mme_sbab_ops,
	  NAMES(mme_sbab), 0, 1 },
	{ "MME#_PRTN", 0x041000, 0x80000, 4, 1, NULL, NULL },
	{ "MME#_CTRL", 0x060000, 0x80000, 4, 1, &gaudi_mme_ctrl_ops,
	  NAMES(mme_ctrl), 0, 1 },
	{ "MME0_QM", 0x068000, 0, 1, 1, &gaudi_qman_ops, NAMES(qman),
	  GAUDI_QMAN_MME0 },
	{ "MME1_QM", 0x0e8000, 0, 1, 1, NULL, NAMES(qman) },
	{ "MME2_QM", 0x168000, 0, 1, 1, &gaudi_qman_ops, NAMES(qman),
	  GAUDI_QMAN_MME2 },
	{ "MME3_QM", 0x1e8000, 0, 1, 1, NULL, NAMES(qman) },
	{ "SRAM_Y0_X#_BANK", 0x200000, 0x8000, 8, 1, NULL, NULL },
	{ "SRAM_Y0_X#_RTR", 0x201000, 0x8000, 8, 1, NULL, NULL },
	{ "SRAM_Y1_X#_BANK", 0x240000, 0x8000, 8, 1, NULL, NULL },
	{ "SRAM_Y1_X#_RTR", 0x241000, 0x8000, 8, 1, NULL, NULL },
	{ "SRAM_Y2_X#_BANK", 0x280000, 0x8000, 8, 1, NULL, NULL },
	{ "SRAM_Y2_X#_RTR", 0x281000, 0x8000, 8, 1, NULL, NULL },
	{ "SRAM_Y3_X#_BANK", 0x2c0000, 0x8000, 8, 1, NULL, NULL },
	{ "SRAM_Y3_X#_RTR", 0x2c1000, 0x8000, 8, 1, NULL, NULL },
	{ "SIF_RTR_#", 0x300000, 0x10000, 8, 1, NULL, NAMES(rtr) },
	{ "SIF_RTR_CTRL_#", 0x306000, 0x10000, 8, 1, NULL, NAMES(rtr_ctrl) },
	{ "NIF_RTR_#", 0x380000, 0x10000, 8, 1, NULL, NAMES(rtr) },
	{ "NIF_RTR_CTRL_#", 0x386000, 0x10000, 8, 1, NULL, NAMES(rtr_ctrl) },
	{ "CPU_CA53_CFG", 0x441000, 0, 1, 1, NULL, NULL },
	{ "CPU_IF", 0x442000, 0, 1, 1, &gaudi_cpu_if_ops, NAMES(cpu_if) },
	{ "CPU_TIMESTAMP", 0x444000, 0, 1, 1, NULL, NULL },
	{ "DMA_IF_W_S", 0x480000, 0, 1, 1, NULL, NAMES(dma_if) },
	{ "DMA_IF_W_S_DOWN_CH#", 0x481000, 0x1000, 2, 1, NULL,
	  NAMES(rtr_ctrl) },
	{ "DMA_W_PLL", 0x487000, 0, 1, 1, &gaudi_pll_ops,
	  NAMES(pll), GAUDI_PLL_DMA_W },
	{ "IF_W_PLL", 0x488000, 0, 1, 1, &gaudi_pll_ops,
	  NAMES(pll), GAUDI_PLL_IF_W },
	{ "DMA_IF_W_S_DOWN", 0x489000, 0, 1, 1, NULL, NAMES(dma_if_dn) },
	{ "SYNC_MNGR_W_S", 0x490000, 0, 1, 7, &gaudi_sync_mngr_ops,
	  NAMES(sync_mngr), 0 },
	{ "DMA_IF_E_S", 0x4a0000, 0, 1, 1, NULL, NAMES(dma_if) },
	{ "DMA_IF_E_S_DOWN_CH#", 0x4a1000, 0x1000, 2, 1, NULL,
	  NAMES(rtr_ctrl) },
	{ "IF_E_PLL", 0x4a7000, 0, 1, 1, &gaudi_pll_ops,
	  NAMES(pll), GAUDI_PLL_IF_E },
	{ "DMA_E_PLL", 0x4a8000, 0, 1, 1, &gaudi_pll_ops,
	  NAMES(pll), GAUDI_PLL_DMA_E },
	{ "DMA_IF_E_S_DOWN", 0x4a9000, 0, 1, 1, NULL, NAMES(dma_if_dn) },
	{ "SYNC_MNGR_E_S", 0x4b0000, 0, 1, 7, &gaudi_sync_mngr_ops,
	  NAMES(sync_mngr), 1 },
	{ "DMA_IF_W_N", 0x4c0000, 0, 1, 1, NULL, NAMES(dma_if) },
	{ "DMA_IF_W_N_DOWN_CH#", 0x4c1000, 0x1000, 2, 1, NULL,
	  NAMES(rtr_ctrl) },
	{ "MESH_W_PLL", 0x4c7000, 0, 1, 1, &gaudi_pll_ops,
	  NAMES(pll), GAUDI_PLL_MESH_W },
	{ "SRAM_W_PLL", 0x4c8000, 0, 1, 1, &gaudi_pll_ops,
	  NAMES(pll), GAUDI_PLL_SRAM_W },
	{ "DMA_IF_W_N_DOWN", 0x4c9000, 0, 1, 1, NULL, NAMES(dma_if_dn) },
	{ "SYNC_MNGR_W_N", 0x4d0000, 0, 1, 7, &gaudi_sync_mngr_ops,
	  NAMES(sync_mngr), 2 },
	{ "DMA_IF_E_N", 0x4e0000, 0, 1, 1, NULL, NAMES(dma_if) },
	{ "DMA_IF_E_N_DOWN_CH#", 0x4e1000, 0x1000, 2, 1, NULL,
	  NAMES(rtr_ctrl) },
	{ "MESH_E_PLL", 0x4e7000, 0, 1, 1, &gaudi_pll_ops,
	  NAMES(pll), GAUDI_PLL_MESH_E },
	{ "SRAM_E_PLL", 0x4e8000, 0, 1, 1, &gaudi_pll_ops,
	  NAMES(pll), GAUDI_PLL_SRAM_E },
	{ "DMA_IF_E_N_DOWN", 0x4e9000, 0, 1, 1, NULL, NAMES(dma_if_dn) },
	{ "SYNC_MNGR_E_N", 0x4f0000, 0, 1, 7, &gaudi_sync_mngr_ops,
	  NAMES(sync_mngr), 3 },
	{ "DMA#_CORE", 0x500000, 0x20000, 8, 1, &gaudi_dma_core_ops,
	  NAMES(dma_core), 0, 1 },
	{ "DMA#_QM", 0x508000, 0x20000, 8, 1, &gaudi_qman_ops, NAMES(qman),
	  GAUDI_QMAN_DMA, 1 },
	{ "HBM#", 0x600000, 0x80000, 4, 128, NULL, NULL },
	{ "GIC", 0x800000, 0, 1, 16, &gaudi_gic_ops, NAMES(gic) },
	{ "PCIE_WRAP", 0xc01000, 0, 1, 1, &gaudi_pcie_wrap_ops,
	  NAMES(pcie_wrap) },
	{ "PCIE_DBI", 0xc02000, 0, 1, 2, &gaudi_pcie_dbi_ops,
	  NAMES(pcie_dbi) },
	{ "PCIE_CORE", 0xc04000, 0, 1, 1, &gaudi_pcie_core_ops,
	  NAMES(pcie_core) },
	{ "PCIE_AUX", 0xc07000, 0, 1, 1, &gaudi_pcie_aux_ops,
	  NAMES(pcie_aux) },
	{ "PCIE_PHY", 0xc10000, 0, 1, 1, NULL, NULL },
	{ "MMU_UP", 0xc11000, 0, 1, 1, &gaudi_mmu_up_ops, NAMES(mmu_up) },
	{ "STLB", 0xc12000, 0, 1, 1, &gaudi_stlb_ops, NAMES(stlb) },
	{ "PCIE_MSI", 0xc13000, 0, 1, 1, &gaudi_pcie_msi_ops,
	  NAMES(pcie_msi) },
	{ "PSOC_I2C_M#", 0xc40000, 0x1000, 2, 1, NULL, NULL },
	{ "PSOC_I2C_S", 0xc42000, 0, 1, 1, NULL, NULL },
	{ "PSOC_SPI", 0xc43000, 0, 1, 1, NULL, NULL },
	{ "PSOC_UART_#", 0xc45000, 0x1000, 2, 1, NULL, NULL },
	{ "PSOC_TIMER", 0xc47000, 0, 1, 1, NULL, NULL },
	{ "PSOC_WDOG", 0xc48000, 0, 1, 1, NULL, NULL },
	{ "PSOC_TIMESTAMP", 0xc49000, 0, 1, 1, &gaudi_psoc_timestamp_ops,
	  NAMES(psoc_timestamp) },
	{ "PSOC_EFUSE", 0xc4a000, 0, 1, 1, NULL, NAMES(psoc_efuse) },
	{ "PSOC_GLOBAL_CONF", 0xc4b000, 0, 1, 1, &gaudi_psoc_global_conf_ops,
	  NAMES(psoc_global_conf) },
	{ "PSOC_GPIO#", 0xc4c000, 0x1000, 2, 1, NULL, NULL },
	{ "PSOC_BTL", 0xc4e000, 0, 1, 1, NULL, NULL },
	{ "PSOC_CS_TRACE", 0xc4f000, 0, 1, 1, NULL, NULL },
	{ "PSOC_CPU_PLL", 0xc70000, 0, 1, 1, &gaudi_pll_ops,
	  NAMES(pll), GAUDI_PLL_CPU },
	{ "PSOC_MME_PLL", 0xc71000, 0, 1, 1, &gaudi_pll_ops,
	  NAMES(pll), GAUDI_PLL_MME },
	{ "PSOC_PCI_PLL", 0xc72000, 0, 1, 1, &gaudi_pll_ops,
	  NAMES(pll), GAUDI_PLL_PCI },
	{ "PSOC_TPC_PLL", 0xc73000, 0, 1, 1, &gaudi_pll_ops,
	  NAMES(pll), GAUDI_PLL_TPC },
	{ "PSOC_HBM_PLL", 0xc74000, 0, 1, 1, &gaudi_pll_ops,
	  NAMES(pll), GAUDI_PLL_HBM },
	{ "PSOC_PM", 0xc75000, 0, 1, 1, NULL, NULL },
	{ "PSOC_TS", 0xc76000, 0, 1, 1, NULL, NULL },
	{ "PSOC_PWM#", 0xc78000, 0x1000, 4, 1, NULL, NULL },
	{ "PCIE_PMA_#", 0xc80000, 0x10000, 4, 1, NULL, NULL },
	{ "NIC#_MAC_CH0", 0xcc0000, 0x40000, 5, 1, NULL, NULL },
	{ "NIC#_MAC_CH1", 0xcc1000, 0x40000, 5, 1, NULL, NULL },
	{ "NIC#_MAC_CH2", 0xcc2000, 0x40000, 5, 1, NULL, NULL },
	{ "NIC#_MAC_CH3", 0xcc3000, 0x40000, 5, 1, NULL, NULL },
	{ "NIC#_STAT", 0xcc4000, 0x40000, 5, 1, NULL, NULL },
	{ "NIC#_MAC_XPCS91", 0xcc5000, 0x40000, 5, 1, NULL, NULL },
	{ "NIC#_MAC_CORE", 0xcc8000, 0x40000, 5, 1, NULL, NULL },
	{ "NIC#_MAC_AUX", 0xcc9000, 0x40000, 5, 1, NULL, NULL },
	{ "NIC#_PHY", 0xcd8000, 0x40000, 5, 1, NULL, NULL },
	{ "NIC#_QM0", 0xce0000, 0x40000, 5, 1, &gaudi_qman_ops, NAMES(qman),
	  GAUDI_QMAN_NIC, 2 },
	{ "NIC#_QM1", 0xce2000, 0x40000, 5, 1, &gaudi_qman_ops, NAMES(qman),
	  GAUDI_QMAN_NIC + 1, 2 },
	{ "NIC#_QPC0", 0xce4000, 0x40000, 5, 1, NULL, NULL },
	{ "NIC#_QPC1", 0xce5000, 0x40000, 5, 1, NULL, NULL },
	{ "NIC#_RXB", 0xce8000, 0x40000, 5, 1, NULL, NULL },
	{ "NIC#_RXE0", 0xce9000, 0x40000, 5, 1, NULL, NULL },
	{ "NIC#_RXE1", 0xcea000, 0x40000, 5, 1, NULL, NULL },
	{ "NIC#_RX_GW", 0xceb000, 0x40000, 5, 1, NULL, NULL },
	{ "NIC#_TXS0", 0xcf0000, 0x40000, 5, 1, NULL, NULL },
	{ "NIC#_TXS1", 0xcf1000, 0x40000, 5, 1, NULL, NULL },
	{ "NIC#_TXE0", 0xcf2000, 0x40000, 5, 1, NULL, NULL },
	{ "NIC#_TXE1", 0xcf3000, 0x40000, 5, 1, NULL, NULL },
	{ "NIC#_TXB", 0xcf4000, 0x40000, 5, 1, NULL, NULL },
	{ "NIC#_TMR", 0xcf5000, 0x40000, 5, 1, NULL, NULL },
	{ "NIC#_TX_GW", 0xcf6000, 0x40000, 5, 1, NULL, NULL },
	{ "NIC#_TS", 0xcf8000, 0x40000, 2, 1, NULL, NULL },
	{ "NIC0_PLL", 0xcf9000, 0, 1, 1, &gaudi_pll_ops,
	  NAMES(pll), GAUDI_PLL_NIC0 },
	{ "NIC1_PLL", 0xd39000, 0, 1, 1, &gaudi_pll_ops,
	  NAMES(pll), GAUDI_PLL_NIC1 },
	{ "NIC#_PM", 0xcfa000, 0x40000, 2, 1, NULL, NULL },
	{ "NIC2_HBM_PLL", 0xd78000, 0, 1, 1, &gaudi_pll_ops,
	  NAMES(pll), GAUDI_PLL_NIC2_HBM },
	{ "NIC2_MME_PLL", 0xd79000, 0, 1, 1, &gaudi_pll_ops,
	  NAMES(pll), GAUDI_PLL_NIC2_MME },
	{ "NIC2_TPC_PLL", 0xd7a000, 0, 1, 1, &gaudi_pll_ops,
	  NAMES(pll), GAUDI_PLL_NIC2_TPC },
	{ "NIC3_TS", 0xdb8000, 0, 1, 1, NULL, NULL },
	{ "NIC3_PM", 0xdba000, 0, 1, 1, NULL, NULL },
	{ "TPC#_CFG", 0xe06000, 0x40000, 8, 1, &gaudi_tpc_cfg_ops,
	  NAMES(tpc_cfg), 0, 1 },
	{ "TPC#_E2E_CRED", 0xe07000, 0x40000, 8, 1, NULL, NULL },
	{ "TPC#_QM", 0xe08000, 0x40000, 8, 1, &gaudi_qman_ops, NAMES(qman),
	  GAUDI_QMAN_TPC, 1 },
	{ "MME#_ACC_ETF", 0x2023000, 0x80000, 4, 1, &gaudi_tmc_ops,
	  NAMES(tmc), 0, 1 },
	{ "MME#_SBAB_ETF", 0x2043000, 0x80000, 4, 1, &gaudi_tmc_ops,
	  NAMES(tmc), 4, 1 },
	{ "MME#_CTRL_ETF", 0x2063000, 0x80000, 4, 1, &gaudi_tmc_ops,
	  NAMES(tmc), 8, 1 },
	{ "DMA_IF_W_S_ETF", 0x2403000, 0, 1, 1, &gaudi_tmc_ops, NAMES(tmc), 12 },
	{ "DMA_IF_E_S_ETF", 0x2423000, 0, 1, 1, &gaudi_tmc_ops, NAMES(tmc), 13 },
	{ "DMA_IF_W_N_ETF", 0x2443000, 0, 1, 1, &gaudi_tmc_ops, NAMES(tmc), 14 },
	{ "DMA_IF_E_N_ETF", 0x2463000, 0, 1, 1, &gaudi_tmc_ops, NAMES(tmc), 15 },
	{ "DMA_CH_#_CS_ETF", 0x2503000, 0x20000, 8, 1, &gaudi_tmc_ops,
	  NAMES(tmc), 16, 1 },
	{ "PCIE_ETF", 0x2c02000, 0, 1, 1, &gaudi_tmc_ops, NAMES(tmc), 24 },
	{ "MMU_CS_ETF", 0x2c13000, 0, 1, 1, &gaudi_tmc_ops, NAMES(tmc), 25 },
	{ "PSOC_ETR", 0x2c43000, 0, 1, 1, &gaudi_tmc_ops, NAMES(tmc), 26 },
	{ "PSOC_ETF", 0x2c44000, 0, 1, 1, &gaudi_tmc_ops, NAMES(tmc), 27 },
	{ "TPC#_EML_ETF", 0x3002000, 0x200000, 8, 1, &gaudi_tmc_ops,
	  NAMES(tmc), 28, 1 },
	/* all the rest of it: the first row that has an address counts */
	{ "CORESIGHT", 0x2000000, 0, 1, 0x2000, NULL, NULL },
};

#define NUM_FAMILIES		ARRAY_SIZE(families)

/* --- the table made from it ------------------------------------------------ */

static void add_block(struct gaudi_chip *chip, const struct gaudi_family *f,
		      unsigned int n)
{
	struct gaudi_regs *regs = &chip->regs;
	struct gaudi_block *b = &regs->block[regs->num_blocks++];
	unsigned int i, page;

	b->family = f;
	b->ops = f->ops;
	b->base = f->base + n * f->stride;
	b->inst = f->inst + n * f->inst_step;
	b->index = f->first_index + n;
	page = b->base >> GAUDI_PAGE_SHIFT;
	for (i = 0; i < f->pages; i++)
		if (!regs->block_of[page + i])
			regs->block_of[page + i] = regs->num_blocks;
}

int gaudi_regs_init(struct gaudi_chip *chip)
{
	unsigned int n, total = 0;
	size_t f;

	for (f = 0; f < NUM_FAMILIES; f++)
		total += families[f].count;
	chip->regs.block = calloc(total, sizeof(*chip->regs.block));
	if (!chip->regs.block)
		return -ENOMEM;
	for (f = 0; f < NUM_FAMILIES; f++)
		for (n = 0; n < families[f].count; n++)
			add_block(chip, &families[f], n);
	return 0;
}

void gaudi_regs_fini(struct gaudi_chip *chip)
{
	unsigned int i;

	for (i = 0; i < GAUDI_CFG_PAGES; i++) {
		if (chip->regs.page[i])
			free(chip->regs.page[i]->initial);
		free(chip->regs.page[i]);
	}
	free(chip->regs.block);
}

static const struct gaudi_block *block_at(struct gaudi_chip *chip,
					  uint32_t cfg_off)
{
	uint16_t n = chip->regs.block_of[cfg_off >> GAUDI_PAGE_SHIFT];

	return n ? &chip->regs.block[n - 1] : NULL;
}

uint32_t gaudi_block_base(const struct gaudi_block_ops *ops, unsigned int inst)
{
	const struct gaudi_family *f;
	unsigned int n;

	for (f = families; f < families + NUM_FAMILIES; f++) {
		if (f->ops != ops || inst < f->inst)
			continue;
		n = f->inst_step ? (inst - f->inst) / f->inst_step : 0;
		if (n < f->count && f->inst + n * f->inst_step == inst)
			return f->base + n * f->stride;
	}
	return 0;
}

/* --- storage --------------------------------------------------------------- */

static unsigned int reg_index(uint32_t cfg_off)
{
	return (cfg_off & (GAUDI_PAGE_SIZE - 1)) / 4;
}

/* The words at the end of a block's page that guard its registers. */
static bool is_prot_bits(const struct gaudi_family *f, uint32_t off)
{
	return off >= GAUDI_PROT_BITS_OFFSET && off < GAUDI_PAGE_SIZE &&
	       f->ops != &gaudi_pcie_dbi_ops;
}

bool gaudi_has_prot_bits(struct gaudi_chip *chip, uint32_t cfg_off)
{
	const struct gaudi_block *b = block_at(chip, cfg_off);

	return b && is_prot_bits(b->family, (cfg_off | GAUDI_PROT_BITS_OFFSET) -
					    b->base);
}

/* Everything is 0 but the protection bits, which let everybody in. */
static uint32_t reset_value(struct gaudi_chip *chip, uint32_t cfg_off)
{
	if ((cfg_off & (GAUDI_PAGE_SIZE - 1)) >= GAUDI_PROT_BITS_OFFSET &&
	    gaudi_has_prot_bits(chip, cfg_off))
		return UINT32_MAX;
	return 0;
}

static void reset_page(struct gaudi_chip *chip, struct gaudi_reg_page *page,
		       uint32_t cfg_off)
{
	const uint32_t first = GAUDI_PROT_BITS_OFFSET / 4;

	page->written = false;
	if (page->initial) {
		memcpy(page->value, page->initial, sizeof(page->value));
		return;
	}
	memset(page->value, 0, sizeof(page->value));
	if (gaudi_has_prot_bits(chip, cfg_off))
		memset(page->value + first, 0xff,
		       (GAUDI_PAGE_REGS - first) * sizeof(*page->value));
}

/* NULL: no memory for the page, or nothing at this offset. */
static struct gaudi_reg_page *page_at(struct gaudi_chip *chip,
				      uint32_t cfg_off)
{
	struct gaudi_reg_page **page;

	if (cfg_off >= GAUDI_CFG_SIZE)
		return NULL;
	page = &chip->regs.page[cfg_off >> GAUDI_PAGE_SHIFT];
	if (!*page) {
		*page = calloc(1, sizeof(**page));
		if (*page)
			reset_page(chip, *page, cfg_off);
	}
	return *page;
}

uint32_t gaudi_store_read(struct gaudi_chip *chip, uint32_t cfg_off)
{
	struct gaudi_reg_page *page;

	if (cfg_off >= GAUDI_CFG_SIZE)
		return 0;
	page = chip->regs.page[cfg_off >> GAUDI_PAGE_SHIFT];
	return page ? page->value[reg_index(cfg_off)] :
		      reset_value(chip, cfg_off);
}

void gaudi_store_write(struct gaudi_chip *chip, uint32_t cfg_off,
		       uint32_t value)
{
	struct gaudi_reg_page *page = page_at(chip, cfg_off);
	struct gaudi_regs *regs = &chip->regs;

	if (!page)
		return;
	page->value[reg_index(cfg_off)] = value;
	if (page->written)
		return;
	page->written = true;
	regs->written[regs->num_written++] = cfg_off >> GAUDI_PAGE_SHIFT;
}

void gaudi_store_read_run(struct gaudi_chip *chip, uint32_t cfg_off,
			  uint32_t *values, unsigned int count)
{
	struct gaudi_reg_page *page = page_at(chip, cfg_off);
	unsigned int first = reg_index(cfg_off), i;

	if (page && count <= GAUDI_PAGE_REGS - first) {
		memcpy(values, page->value + first, count * sizeof(*values));
		return;
	}
	for (i = 0; i < count; i++)
		values[i] = gaudi_store_read(chip, cfg_off + 4 * i);
}

void gaudi_store_write_run(struct gaudi_chip *chip, uint32_t cfg_off,
			   const uint32_t *values, unsigned int count)
{
	struct gaudi_reg_page *page = page_at(chip, cfg_off);
	unsigned int first = reg_index(cfg_off), i;

	for (i = 0; i < count; i++) {
		gaudi_store_write(chip, cfg_off + 4 * i, values[i]);
		/* The page is known to be written now. */
		if (page && count <= GAUDI_PAGE_REGS - first) {
			memcpy(page->value + first, values,
			       count * sizeof(*values));
			return;
		}
	}
}

int gaudi_regs_values(struct gaudi_chip *chip)
{
	struct gaudi_regs *regs = &chip->regs;
	struct gaudi_reg_page *page;
	const struct gaudi_block *b;
	unsigned int i;

	for (i = 0; i < regs->num_blocks; i++) {
		b = &regs->block[i];
		if (!b->ops || !b->ops->values)
			continue;
		if (!page_at(chip, b->base))
			return -ENOMEM;
		b->ops->values(chip, b->inst);
	}
	while (regs->num_written) {
		page = regs->page[regs->written[--regs->num_written]];
		page->initial = malloc(sizeof(page->value));
		if (!page->initial)
			return -ENOMEM;
		memcpy(page->initial, page->value, sizeof(page->value));
		page->written = false;
	}
	return 0;
}

void gaudi_regs_reset(struct gaudi_chip *chip)
{
	struct gaudi_regs *regs = &chip->regs;
	const struct gaudi_block *b;
	unsigned int i;

	while (regs->num_written) {
		i = regs->written[--regs->num_written];
		reset_page(chip, regs->page[i], i << GAUDI_PAGE_SHIFT);
	}
	for (i = 0; i < regs->num_blocks; i++) {
		b = &regs->block[i];
		if (b->ops && b->ops->reset)
			b->ops->reset(chip, b->inst);
	}
}

/* --- names and counting ---------------------------------------------------- */

/* src with '#' replaced by n. */
static void put_name(char *buf, size_t len, const char *src, unsigned int n)
{
	const char *hash = strchr(src, '#');

	if (hash)
		snprintf(buf, len, "%.*s%u%s", (int)(hash - src), src, n,
			 hash + 1);
	else
		snprintf(buf, len, "%s", src);
}

static const struct gaudi_reg_range *find_range(const struct gaudi_family *f,
						uint32_t off, unsigned int *n)
{
	const struct gaudi_reg_range *r;
	size_t i;

	if (!f->names)
		return NULL;
	for (i = 0; i < f->names->count; i++) {
		r = &f->names->range[i];
		*n = r->stride ? (off - r->off) / r->stride : 0;
		if (off >= r->off && *n < r->count &&
		    off == r->off + *n * r->stride)
			return r;
	}
	return NULL;
}

static enum gaudi_fidelity range_fidelity(const struct gaudi_family *f,
					  const struct gaudi_reg_range *r)
{
	/* Queues of the MME slaves: the layout is there, the QMAN is not. */
	if (!f->ops && f->names == &gaudi_qman_names)
		return GAUDI_APPROXIMATE;
	return r->fidelity;
}

/* Fills in the name and says how well the register is modelled. */
static enum gaudi_fidelity describe(const struct gaudi_family *f,
				    unsigned int index, uint32_t off,
				    char *buf, size_t len)
{
	char block[NAME_MAX_LEN / 2], reg[NAME_MAX_LEN / 2];
	const struct gaudi_reg_range *r;
	unsigned int n;

	put_name(block, sizeof(block), f->name, index);
	r = find_range(f, off, &n);
	if (r) {
		put_name(reg, sizeof(reg), r->name, n);
		snprintf(buf, len, "%s_%s", block, reg);
		return range_fidelity(f, r);
	}
	if (is_prot_bits(f, off)) {
		snprintf(buf, len, "%s_PROT_BITS_%u", block,
			 (off - GAUDI_PROT_BITS_OFFSET) / 4);
		return GAUDI_APPROXIMATE;
	}
	snprintf(buf, len, "%s+0x%x", block, off);
	return GAUDI_UNIMPLEMENTED;
}

const char *gaudi_reg_name(uint32_t cfg_off, char *buf, size_t len)
{
	const struct gaudi_family *f;
	uint32_t n, off;
	size_t i;

	for (i = 0; i < NUM_FAMILIES; i++) {
		f = &families[i];
		if (cfg_off < f->base)
			continue;
		n = f->stride ? (cfg_off - f->base) / f->stride : 0;
		off = cfg_off - f->base - n * f->stride;
		if (n >= f->count || off >= f->pages * GAUDI_PAGE_SIZE)
			continue;
		describe(f, f->first_index + n, off, buf, len);
		return buf;
	}
	snprintf(buf, len, "CFG+0x%x", cfg_off);
	return buf;
}

/* First use of a register: is it one that we do not know? */
static void count_first(struct gaudi_chip *chip, const struct gaudi_block *b,
			uint32_t cfg_off)
{
	char name[NAME_MAX_LEN];

	if (b && describe(b->family, b->index, cfg_off - b->base, name,
			  sizeof(name)) != GAUDI_UNIMPLEMENTED)
		return;
	if (!b)
		snprintf(name, sizeof(name), "CFG+0x%x", cfg_off);
	/* Counted in its page, from which the report has it. */
	gaudi_log(chip, GAUDI_LOG_UNIMP, "register %s is not modelled", name);
}

static void count_use(struct gaudi_chip *chip, const struct gaudi_block *b,
		      uint32_t cfg_off)
{
	struct gaudi_reg_page *page = page_at(chip, cfg_off);
	uint32_t *used;

	if (!page)
		return;
	used = &page->used[reg_index(cfg_off)];
	if (!*used)
		count_first(chip, b, cfg_off);
	if (*used != UINT32_MAX)
		++*used;
}

/* Use of one name of a family, all instances together. */
struct usage {
	unsigned int registers;
	uint64_t count;
};

/* A register without a row in u: told by its own name. */
static void tell_unknown(const struct gaudi_block *b, uint32_t cfg_off,
			 uint32_t count, gaudi_used_fn *fn, void *arg)
{
	char name[NAME_MAX_LEN];

	if (b)
		describe(b->family, b->index, cfg_off - b->base, name,
			 sizeof(name));
	else
		snprintf(name, sizeof(name), "CFG+0x%x", cfg_off);
	fn(arg, name, 1, count, GAUDI_UNIMPLEMENTED);
}

static void collect_page(struct gaudi_chip *chip, const struct gaudi_block *b,
			 uint32_t page, struct usage *u, gaudi_used_fn *fn,
			 void *arg)
{
	const struct gaudi_reg_page *p = chip->regs.page[page];
	const struct gaudi_reg_range *r;
	uint32_t i, off;
	unsigned int n;

	if (b != block_at(chip, page << GAUDI_PAGE_SHIFT))
		return;
	for (i = 0; p && i < GAUDI_PAGE_REGS; i++) {
		if (!p->used[i])
			continue;
		off = page * GAUDI_PAGE_SIZE + 4 * i;
		r = b ? find_range(b->family, off - b->base, &n) : NULL;
		if (r) {
			n = 1 + (r - b->family->names->range);
		} else if (b && is_prot_bits(b->family, off - b->base)) {
			n = 0;
		} else {
			tell_unknown(b, off, p->used[i], fn, arg);
			continue;
		}
		u[n].registers++;
		u[n].count += p->used[i];
	}
}

/* Row 0 is the protection bits, row 1 + n the family's name n. */
static void tell_family(const struct gaudi_family *f, const struct usage *u,
			size_t rows, gaudi_used_fn *fn, void *arg)
{
	enum gaudi_fidelity fidelity = GAUDI_APPROXIMATE;
	char name[NAME_MAX_LEN];
	size_t n;

	for (n = 0; n < rows; n++) {
		if (!u[n].registers)
			continue;
		snprintf(name, sizeof(name), "%s_%s", f->name,
			 n ? f->names->range[n - 1].name : "PROT_BITS_#");
		if (n)
			fidelity = range_fidelity(f, &f->names->range[n - 1]);
		fn(arg, name, u[n].registers, u[n].count, fidelity);
	}
}

int gaudi_regs_report(struct gaudi_chip *chip, gaudi_used_fn *fn,
			     void *arg)
{
	const struct gaudi_regs *regs = &chip->regs;
	const struct gaudi_family *f = NULL;
	const struct gaudi_block *b, *end = regs->block + regs->num_blocks;
	struct usage *u;
	uint32_t p;
	size_t rows;

	for (b = regs->block; b < end;) {
		f = b->family;
		rows = 1 + (f->names ? f->names->count : 0);
		u = calloc(rows, sizeof(*u));
		if (!u)
			return -ENOMEM;
		for (; b < end && b->family == f; b++)
			for (p = 0; p < f->pages; p++)
				collect_page(chip, b,
					     (b->base >> GAUDI_PAGE_SHIFT) + p,
					     u, fn, arg);
		tell_family(f, u, rows, fn, arg);
		free(u);
	}
	for (p = 0; p < GAUDI_CFG_PAGES; p++)
		collect_page(chip, NULL, p, NULL, fn, arg);
	return 0;
}

/* --- access ---------------------------------------------------------------- */

uint32_t gaudi_reg_read(struct gaudi_chip *chip, uint32_t cfg_off,
			const struct gaudi_txn *txn)
{
	const struct gaudi_block *b;
	uint32_t value;

	gaudi_lock_at_most(GAUDI_LOCK_CARD);
	cfg_off &= ~3u;
	if (cfg_off >= GAUDI_CFG_SIZE)
		return 0;
	b = block_at(chip, cfg_off);
	count_use(chip, b, cfg_off);
	if (b && b->ops && b->ops->read)
		value = b->ops->read(chip, b->inst, cfg_off - b->base);
	else
		value = gaudi_store_read(chip, cfg_off);
	gaudi_trace(chip, GAUDI_TRACE_REG_READ, txn->initiator, cfg_off, value,
		    4);
	return value;
}

int gaudi_reg_write(struct gaudi_chip *chip, uint32_t cfg_off, uint32_t value,
		    const struct gaudi_txn *txn)
{
	const struct gaudi_block *b;

	gaudi_lock_at_most(GAUDI_LOCK_CARD);
	cfg_off &= ~3u;
	if (cfg_off >= GAUDI_CFG_SIZE)
		return -EINVAL;
	b = block_at(chip, cfg_off);
	count_use(chip, b, cfg_off);
	gaudi_trace(chip, GAUDI_TRACE_REG_WRITE, txn->initiator, cfg_off,
		    value, 4);
	if (b && b->ops && b->ops->write)
		return b->ops->write(chip, b->inst, cfg_off - b->base, value,
				     txn);
	gaudi_store_write(chip, cfg_off, value);
	return 0;
}

int gaudi_reg_write_part(struct gaudi_chip *chip, uint32_t cfg_off,
			 uint32_t value, uint32_t mask,
			 const struct gaudi_txn *txn)
{
	const struct gaudi_block *b;

	cfg_off &= ~3u;
	if (cfg_off >= GAUDI_CFG_SIZE)
		return -EINVAL;
	b = block_at(chip, cfg_off);
	value &= mask;
	if (~mask && !(b && b->ops && b->ops->w1c &&
		       b->ops->w1c(cfg_off - b->base)))
		value |= gaudi_reg_read(chip, cfg_off, txn) & ~mask;
	return gaudi_reg_write(chip, cfg_off, value, txn);
}
