// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Published register names: CPU interface, MMU, PSOC and PCIe.
 *
 * Offsets from the instance base, and whether the model does something with a
 * register or only keeps its value.
 *
 * Source: asic_reg/ of mainline's habanalabs driver, Linux 6.12 (facts).
 */
#include "../core/core.h"
#include "reg_names.h"

#define MODELLED		GAUDI_EXACT
#define STORED			GAUDI_APPROXIMATE

static const struct gaudi_reg_range psoc_global_conf_range[] = {
	{ "NON_RST_FLOPS_#", 0x000, 4, 0x4, MODELLED },
	{ "PCI_FW_FSM", 0x020, 1, 0, STORED },
	{ "BOOT_SEQ_RE_START", 0x024, 1, 0, STORED },
	{ "BTM_FSM", 0x028, 1, 0, MODELLED },
	{ "SW_BTM_FSM", 0x030, 1, 0, STORED },
	{ "SW_BOOT_SEQ_FSM", 0x034, 1, 0, STORED },
	{ "BOOT_SEQ_TIMEOUT", 0x038, 1, 0, STORED },
	{ "SPI_MEM_EN", 0x040, 1, 0, STORED },
	{ "PRSTN", 0x044, 1, 0, STORED },
	{ "PCIE_EN", 0x048, 1, 0, STORED },
	{ "PCIE_PRSTN_INTR", 0x04c, 1, 0, STORED },
	{ "SPI_IMG_STS", 0x050, 1, 0, STORED },
	{ "BOOT_SEQ_FSM", 0x054, 1, 0, STORED },
	{ "BOOT_SEQ_EXT_LD", 0x058, 1, 0, STORED },
	{ "PHY_STABLE", 0x060, 1, 0, STORED },
	{ "PRSTN_OVR", 0x064, 1, 0, STORED },
	{ "ETR_FLUSH", 0x068, 1, 0, STORED },
	{ "COLD_RST_FLOPS_#", 0x070, 4, 0x4, MODELLED },
	{ "DIS_RAZWI_ERR", 0x080, 1, 0, STORED },
	{ "PCIE_PHY_RST_N", 0x084, 1, 0, STORED },
	{ "RAZWI", 0x088, 1, 0, STORED },
	{ "PROT", 0x090, 1, 0, STORED },
	{ "ADC", 0x094, 1, 0, STORED },
	{ "BOOT_SEQ_TO", 0x098, 1, 0, STORED },
	{ "SCRATCHPAD_#", 0x100, 32, 0x4, MODELLED },
	{ "SEMAPHORE_#", 0x200, 32, 0x4, STORED },
	{ "CPU_BOOT_STATUS", 0x300, 1, 0, MODELLED },
	{ "KMD_MSG_TO_CPU", 0x304, 1, 0, MODELLED },
	{ "SPL_SOURCE", 0x308, 1, 0, STORED },
	{ "I2C_MSTR1_DBG", 0x30c, 1, 0, STORED },
	{ "I2C_SLV", 0x310, 1, 0, STORED },
	{ "I2C_SLV_INTR_MASK", 0x314, 1, 0, STORED },
	{ "TRACE_ADDR", 0x320, 1, 0, STORED },
	{ "ARUSER", 0x330, 1, 0, STORED },
	{ "AWUSER", 0x334, 1, 0, STORED },
	{ "TRACE_AWUSER", 0x338, 1, 0, STORED },
	{ "TRACE_ARUSER", 0x33c, 1, 0, STORED },
	{ "BTL_STS", 0x340, 1, 0, STORED },
	{ "TIMEOUT_INTR", 0x350, 1, 0, STORED },
	{ "COMB_TIMEOUT_INTR", 0x354, 1, 0, STORED },
	{ "PERIPH_INTR", 0x358, 1, 0, STORED },
	{ "COMB_PERIPH_INTR", 0x35c, 1, 0, STORED },
	{ "AXI_ERR_INTR", 0x360, 1, 0, STORED },
	{ "TARGETID", 0x400, 1, 0, STORED },
	{ "EMMC_INT_VOL_STABLE", 0x420, 1, 0, STORED },
	{ "BOOT_STRAP_PINS", 0x430, 1, 0, MODELLED },
	{ "MEM_REPAIR_DIV", 0x44c, 1, 0, STORED },
	{ "MEM_REPAIR_CTRL", 0x450, 1, 0, STORED },
	{ "MEM_REPAIR_STS", 0x454, 1, 0, STORED },
	{ "OUTSTANT_TRANS", 0x458, 1, 0, STORED },
	{ "MASK_REQ", 0x45c, 1, 0, STORED },
	{ "WD_RST_CFG_L", 0x460, 1, 0, STORED },
	{ "WD_RST_CFG_H", 0x464, 1, 0, STORED },
	{ "MNL_RST_CFG_L", 0x470, 1, 0, STORED },
	{ "MNL_RST_CFG_H", 0x474, 1, 0, STORED },
	{ "PRSTN_RST_CFG_L", 0x480, 1, 0, STORED },
	{ "PRSTN_RST_CFG_H", 0x484, 1, 0, STORED },
	{ "SW_ALL_RST_CFG_L", 0x490, 1, 0, STORED },
	{ "SW_ALL_RST_CFG_H", 0x494, 1, 0, STORED },
	{ "SW_ALL_RST", 0x498, 1, 0, MODELLED },
	{ "SOFT_RST", 0x4a0, 1, 0, STORED },
	{ "SOFT_RST_CFG_L", 0x4a4, 1, 0, STORED },
	{ "SOFT_RST_CFG_H", 0x4a8, 1, 0, STORED },
	{ "UNIT_RST_N", 0x4b0, 1, 0, STORED },
	{ "UNIT_RST_N_L", 0x4b4, 1, 0, STORED },
	{ "UNIT_RST_N_H", 0x4b8, 1, 0, STORED },
	{ "BTL_IMG", 0x4e0, 1, 0, STORED },
	{ "PRSTN_MASK", 0x4e4, 1, 0, STORED },
	{ "WD_MASK", 0x4e8, 1, 0, STORED },
	{ "RST_SRC", 0x4f0, 1, 0, STORED },
	{ "BOOT_STATE", 0x4f4, 1, 0, STORED },
	{ "PAD_1V8_CFG_#", 0x500, 90, 0x4, STORED },
	{ "PAD_3V3_CFG_#", 0x690, 12, 0x4, STORED },
	{ "PAD_1V8_INPUT_#", 0x6c0, 8, 0x4, STORED },
	{ "BNK3V3_MS", 0x710, 1, 0, STORED },
	{ "ADC_CLK_FREQ", 0x720, 1, 0, STORED },
	{ "ADC_DELAY_FROM_START", 0x724, 1, 0, STORED },
	{ "ADC_DATA_SAMPLES", 0x728, 1, 0, STORED },
	{ "ADC_TPH_CS", 0x72c, 1, 0, STORED },
	{ "ADC_LSB_NMSB", 0x730, 1, 0, STORED },
	{ "ADC_ONE_NCONTIUES", 0x734, 1, 0, STORED },
	{ "ADC_BLOCK_ENABLE", 0x738, 1, 0, STORED },
	{ "ADC_CFG_DATA", 0x73c, 1, 0, STORED },
	{ "ADC_TDV_CSDO", 0x740, 1, 0, STORED },
	{ "ADC_TSU_CSCK", 0x744, 1, 0, STORED },
	{ "PAD_DEFAULT_#", 0x800, 103, 0x4, STORED },
	{ "PAD_SEL_#", 0xa00, 103, 0x4, STORED },
	{ "RST_CTRL_#", 0xc00, 54, 0x4, STORED },
};

const struct gaudi_reg_names gaudi_psoc_global_conf_names = {
	psoc_global_conf_range, ARRAY_SIZE(psoc_global_conf_range),
};

static const struct gaudi_reg_range psoc_timestamp_range[] = {
	{ "CNTCR", 0x000, 1, 0, MODELLED },
	{ "CNTSR", 0x004, 1, 0, STORED },
	{ "CNTCVL", 0x008, 1, 0, MODELLED },
	{ "CNTCVU", 0x00c, 1, 0, MODELLED },
	{ "CNTFID0", 0x020, 1, 0, MODELLED },
	{ "PIDR4", 0xfd0, 1, 0, STORED },
	{ "PIDR5", 0xfd4, 1, 0, STORED },
	{ "PIDR6", 0xfd8, 1, 0, STORED },
	{ "PIDR7", 0xfdc, 1, 0, STORED },
	{ "PIDR#", 0xfe0, 4, 0x4, STORED },
	{ "CIDR#", 0xff0, 4, 0x4, STORED },
};

const struct gaudi_reg_names gaudi_psoc_timestamp_names = {
	psoc_timestamp_range, ARRAY_SIZE(psoc_timestamp_range),
};

static const struct gaudi_reg_range pll_range[] = {
	{ "NR", 0x100, 1, 0, STORED },
	{ "NF", 0x104, 1, 0, STORED },
	{ "OD", 0x108, 1, 0, STORED },
	{ "NB", 0x10c, 1, 0, STORED },
	{ "CFG", 0x110, 1, 0, STORED },
	{ "LOSE_MASK", 0x120, 1, 0, STORED },
	{ "LOCK_INTR", 0x128, 1, 0, STORED },
	{ "LOCK_BYPASS", 0x12c, 1, 0, STORED },
	{ "DATA_CHNG", 0x130, 1, 0, STORED },
	{ "RST", 0x134, 1, 0, STORED },
	{ "SLIP_WD_CNTR", 0x150, 1, 0, STORED },
	{ "DIV_FACTOR_#", 0x200, 4, 0x4, STORED },
	{ "DIV_FACTOR_CMD_#", 0x220, 4, 0x4, STORED },
	{ "DIV_SEL_#", 0x280, 4, 0x4, STORED },
	{ "DIV_EN_#", 0x2a0, 4, 0x4, STORED },
	{ "DIV_FACTOR_BUSY_#", 0x2c0, 4, 0x4, STORED },
	{ "CLK_GATER", 0x300, 1, 0, STORED },
	{ "CLK_RLX_#", 0x310, 4, 0x4, STORED },
	{ "REF_CNTR_PERIOD", 0x400, 1, 0, STORED },
	{ "REF_LOW_THRESHOLD", 0x410, 1, 0, STORED },
	{ "REF_HIGH_THRESHOLD", 0x420, 1, 0, STORED },
	{ "PLL_NOT_STABLE", 0x430, 1, 0, STORED },
	{ "FREQ_CALC_EN", 0x440, 1, 0, STORED },
	{ "RLX_BITMAP_CFG", 0x500, 1, 0, STORED },
	{ "RLX_BITMAP_#", 0x510, 4, 0x4, STORED },
};

const struct gaudi_reg_names gaudi_pll_names = {
	pll_range, ARRAY_SIZE(pll_range),
};

static const struct gaudi_reg_range cpu_if_range[] = {
	{ "ARUSER_OVR", 0x104, 1, 0, STORED },
	{ "ARUSER_OVR_EN", 0x108, 1, 0, STORED },
	{ "AWUSER_OVR", 0x10c, 1, 0, STORED },
	{ "AWUSER_OVR_EN", 0x110, 1, 0, STORED },
	{ "AXCACHE_OVR", 0x114, 1, 0, STORED },
	{ "LOCK_OVR", 0x118, 1, 0, STORED },
	{ "PROT_OVR", 0x11c, 1, 0, STORED },
	{ "MAX_OUTSTANDING", 0x120, 1, 0, STORED },
	{ "EARLY_BRESP_EN", 0x124, 1, 0, STORED },
	{ "FORCE_RSP_OK", 0x128, 1, 0, STORED },
	{ "CPU_MSB_ADDR", 0x12c, 1, 0, MODELLED },
	{ "AXI_SPLIT_INTR", 0x130, 1, 0, STORED },
	{ "TOTAL_WR_CNT", 0x140, 1, 0, STORED },
	{ "INFLIGHT_WR_CNT", 0x144, 1, 0, STORED },
	{ "TOTAL_RD_CNT", 0x150, 1, 0, STORED },
	{ "INFLIGHT_RD_CNT", 0x154, 1, 0, STORED },
	{ "PF_PQ_PI", 0x200, 1, 0, MODELLED },
	{ "PQ_BASE_ADDR_LOW", 0x204, 1, 0, MODELLED },
	{ "PQ_BASE_ADDR_HIGH", 0x208, 1, 0, MODELLED },
	{ "PQ_LENGTH", 0x20c, 1, 0, MODELLED },
	{ "CQ_BASE_ADDR_LOW", 0x210, 1, 0, MODELLED },
	{ "CQ_BASE_ADDR_HIGH", 0x214, 1, 0, MODELLED },
	{ "CQ_LENGTH", 0x218, 1, 0, MODELLED },
	{ "EQ_BASE_ADDR_LOW", 0x220, 1, 0, MODELLED },
	{ "EQ_BASE_ADDR_HIGH", 0x224, 1, 0, MODELLED },
	{ "EQ_LENGTH", 0x228, 1, 0, MODELLED },
	{ "EQ_RD_OFFS", 0x22c, 1, 0, MODELLED },
	{ "QUEUE_INIT", 0x230, 1, 0, MODELLED },
	{ "TPC_SERR_INTR_STS", 0x300, 1, 0, STORED },
	{ "TPC_SERR_INTR_CLR", 0x304, 1, 0, STORED },
	{ "TPC_SERR_INTR_MASK", 0x308, 1, 0, STORED },
	{ "TPC_DERR_INTR_STS", 0x310, 1, 0, STORED },
	{ "TPC_DERR_INTR_CLR", 0x314, 1, 0, STORED },
	{ "TPC_DERR_INTR_MASK", 0x318, 1, 0, STORED },
	{ "DMA_SERR_INTR_STS", 0x320, 1, 0, STORED },
	{ "DMA_SERR_INTR_CLR", 0x324, 1, 0, STORED },
	{ "DMA_SERR_INTR_MASK", 0x328, 1, 0, STORED },
	{ "DMA_DERR_INTR_STS", 0x330, 1, 0, STORED },
	{ "DMA_DERR_INTR_CLR", 0x334, 1, 0, STORED },
	{ "DMA_DERR_INTR_MASK", 0x338, 1, 0, STORED },
	{ "SRAM_SERR_INTR_STS", 0x340, 1, 0, STORED },
	{ "SRAM_SERR_INTR_CLR", 0x344, 1, 0, STORED },
	{ "SRAM_SERR_INTR_MASK", 0x348, 1, 0, STORED },
	{ "SRAM_DERR_INTR_STS", 0x350, 1, 0, STORED },
	{ "SRAM_DERR_INTR_CLR", 0x354, 1, 0, STORED },
	{ "SRAM_DERR_INTR_MASK", 0x358, 1, 0, STORED },
	{ "NIC_SERR_INTR_STS", 0x360, 1, 0, STORED },
	{ "NIC_SERR_INTR_CLR", 0x364, 1, 0, STORED },
	{ "NIC_SERR_INTR_MASK", 0x368, 1, 0, STORED },
	{ "NIC_DERR_INTR_STS", 0x370, 1, 0, STORED },
	{ "NIC_DERR_INTR_CLR", 0x374, 1, 0, STORED },
	{ "NIC_DERR_INTR_MASK", 0x378, 1, 0, STORED },
	{ "DMA_IF_SERR_INTR_STS", 0x380, 1, 0, STORED },
	{ "DMA_IF_SERR_INTR_CLR", 0x384, 1, 0, STORED },
	{ "DMA_IF_SERR_INTR_MASK", 0x388, 1, 0, STORED },
	{ "DMA_IF_DERR_INTR_STS", 0x390, 1, 0, STORED },
	{ "DMA_IF_DERR_INTR_CLR", 0x394, 1, 0, STORED },
	{ "DMA_IF_DERR_INTR_MASK", 0x398, 1, 0, STORED },
	{ "HBM_SERR_INTR_STS", 0x3a0, 1, 0, STORED },
	{ "HBM_SERR_INTR_CLR", 0x3a4, 1, 0, STORED },
	{ "HBM_SERR_INTR_MASK", 0x3a8, 1, 0, STORED },
	{ "HBM_DERR_INTR_STS", 0x3b0, 1, 0, STORED },
	{ "HBM_DERR_INTR_CLR", 0x3b4, 1, 0, STORED },
	{ "HBM_DERR_INTR_MASK", 0x3b8, 1, 0, STORED },
	{ "PLL_SEI_INTR_STS", 0x400, 1, 0, STORED },
	{ "PLL_SEI_INTR_CLR", 0x404, 1, 0, STORED },
	{ "PLL_SEI_INTR_MASK", 0x408, 1, 0, STORED },
	{ "NIC_SEI_INTR_STS", 0x410, 1, 0, STORED },
	{ "NIC_SEI_INTR_CLR", 0x414, 1, 0, STORED },
	{ "NIC_SEI_INTR_MASK", 0x418, 1, 0, STORED },
	{ "DMA_SEI_INTR_STS", 0x420, 1, 0, STORED },
	{ "DMA_SEI_INTR_CLR", 0x424, 1, 0, STORED },
	{ "DMA_SEI_INTR_MASK", 0x428, 1, 0, STORED },
	{ "DMA_IF_SEI_INTR_STS", 0x430, 1, 0, STORED },
	{ "DMA_IF_SEI_INTR_CLR", 0x434, 1, 0, STORED },
	{ "DMA_IF_SEI_INTR_MASK", 0x438, 1, 0, STORED },
};

const struct gaudi_reg_names gaudi_cpu_if_names = {
	cpu_if_range, ARRAY_SIZE(cpu_if_range),
};

static const struct gaudi_reg_range gic_range[] = {
	{ "DISTRIBUTOR__5_GICD_SETSPI_NSR", 0x040, 1, 0, MODELLED },
};

const struct gaudi_reg_names gaudi_gic_names = {
	gic_range, ARRAY_SIZE(gic_range),
};

static const struct gaudi_reg_range stlb_range[] = {
	{ "MMU_BUSY", 0x000, 1, 0, MODELLED },
	{ "MMU_ASID", 0x004, 1, 0, MODELLED },
	{ "MMU_HOP0_PA43_12", 0x008, 1, 0, MODELLED },
	{ "MMU_HOP0_PA49_44", 0x00c, 1, 0, MODELLED },
	{ "CACHE_INV", 0x010, 1, 0, MODELLED },
	{ "CACHE_INV_BASE_39_8", 0x014, 1, 0, STORED },
	{ "CACHE_INV_BASE_49_40", 0x018, 1, 0, STORED },
	{ "STLB_FEATURE_EN", 0x01c, 1, 0, STORED },
	{ "STLB_AXI_CACHE", 0x020, 1, 0, STORED },
	{ "HOP_CONFIGURATION", 0x024, 1, 0, STORED },
	{ "LINK_LIST_LOOKUP_MASK_49_32", 0x028, 1, 0, STORED },
	{ "LINK_LIST_LOOKUP_MASK_31_0", 0x02c, 1, 0, STORED },
	{ "LINK_LIST", 0x030, 1, 0, STORED },
	{ "INV_ALL_START", 0x034, 1, 0, MODELLED },
	{ "INV_ALL_SET", 0x038, 1, 0, STORED },
	{ "INV_PS", 0x03c, 1, 0, MODELLED },
	{ "INV_CONSUMER_INDEX", 0x040, 1, 0, MODELLED },
	{ "INV_HIT_COUNT", 0x044, 1, 0, STORED },
	{ "INV_SET", 0x048, 1, 0, STORED },
	{ "SRAM_INIT", 0x04c, 1, 0, STORED },
	{ "MEM_CACHE_INVALIDATION", 0x050, 1, 0, STORED },
	{ "MEM_CACHE_INV_STATUS", 0x054, 1, 0, STORED },
	{ "MEM_CACHE_BASE_38_7", 0x058, 1, 0, STORED },
	{ "MEM_CACHE_BASE_49_39", 0x05c, 1, 0, STORED },
	{ "MEM_CACHE_CONFIG", 0x060, 1, 0, STORED },
	{ "SET_THRESHOLD_HOP4", 0x064, 1, 0, STORED },
	{ "SET_THRESHOLD_HOP3", 0x068, 1, 0, STORED },
	{ "SET_THRESHOLD_HOP2", 0x06c, 1, 0, STORED },
	{ "SET_THRESHOLD_HOP1", 0x070, 1, 0, STORED },
	{ "SET_THRESHOLD_HOP0", 0x074, 1, 0, STORED },
	{ "MULTI_HIT_INTERRUPT_CLR", 0x078, 1, 0, STORED },
	{ "MULTI_HIT_INTERRUPT_MASK", 0x07c, 1, 0, STORED },
	{ "MEM_L0_CACHE_CFG", 0x080, 1, 0, STORED },
	{ "MEM_READ_ARPROT", 0x084, 1, 0, STORED },
};

const struct gaudi_reg_names gaudi_stlb_names = {
	stlb_range, ARRAY_SIZE(stlb_range),
};

static const struct gaudi_reg_range mmu_up_range[] = {
	{ "MMU_ENABLE", 0x00c, 1, 0, MODELLED },
	{ "FORCE_ORDERING", 0x010, 1, 0, STORED },
	{ "FEATURE_ENABLE", 0x014, 1, 0, STORED },
	{ "VA_ORDERING_MASK_31_7", 0x018, 1, 0, STORED },
	{ "VA_ORDERING_MASK_49_32", 0x01c, 1, 0, STORED },
	{ "LOG2_DDR_SIZE", 0x020, 1, 0, STORED },
	{ "SCRAMBLER", 0x024, 1, 0, STORED },
	{ "MEM_INIT_BUSY", 0x028, 1, 0, STORED },
	{ "SPI_MASK", 0x02c, 1, 0, STORED },
	{ "SPI_CAUSE", 0x030, 1, 0, STORED },
	{ "PAGE_ERROR_CAPTURE", 0x034, 1, 0, MODELLED },
	{ "PAGE_ERROR_CAPTURE_VA", 0x038, 1, 0, MODELLED },
	{ "ACCESS_ERROR_CAPTURE", 0x03c, 1, 0, MODELLED },
	{ "ACCESS_ERROR_CAPTURE_VA", 0x040, 1, 0, MODELLED },
	{ "SPI_INTERRUPT_CLR", 0x044, 1, 0, STORED },
	{ "SPI_INTERRUPT_MASK", 0x048, 1, 0, STORED },
	{ "DBG_MEM_WRAP_RM", 0x04c, 1, 0, STORED },
	{ "SPI_CAUSE_CLR", 0x050, 1, 0, STORED },
	{ "SLICE_CREDIT", 0x054, 1, 0, STORED },
	{ "PIPE_CREDIT", 0x058, 1, 0, STORED },
	{ "RAZWI_WRITE_VLD", 0x05c, 1, 0, MODELLED },
	{ "RAZWI_WRITE_ID", 0x060, 1, 0, MODELLED },
	{ "RAZWI_READ_VLD", 0x064, 1, 0, MODELLED },
	{ "RAZWI_READ_ID", 0x068, 1, 0, MODELLED },
	{ "MMU_BYPASS", 0x06c, 1, 0, STORED },
};

const struct gaudi_reg_names gaudi_mmu_up_names = {
	mmu_up_range, ARRAY_SIZE(mmu_up_range),
};

static const struct gaudi_reg_range pcie_wrap_range[] = {
	{ "RR_ELBI_RD_SEC_REG_CTRL", 0x208, 1, 0, STORED },
	{ "MAX_OUTSTAND", 0xb20, 1, 0, STORED },
	{ "RSP_OK", 0xb28, 1, 0, STORED },
	{ "LBW_PROT_OVR", 0xb48, 1, 0, STORED },
	{ "HBW_DRAIN_CFG", 0xd54, 1, 0, STORED },
	{ "LBW_DRAIN_CFG", 0xd5c, 1, 0, STORED },
};

const struct gaudi_reg_names gaudi_pcie_wrap_names = {
	pcie_wrap_range, ARRAY_SIZE(pcie_wrap_range),
};

static const struct gaudi_reg_range pcie_core_range[] = {
	{ "MSI_REQ", 0x100, 1, 0, MODELLED },
};

const struct gaudi_reg_names gaudi_pcie_core_names = {
	pcie_core_range, ARRAY_SIZE(pcie_core_range),
};

static const struct gaudi_reg_range pcie_aux_range[] = {
	{ "FLR_CTRL", 0x394, 1, 0, STORED },
	{ "DBI", 0x490, 1, 0, MODELLED },
};

const struct gaudi_reg_names gaudi_pcie_aux_names = {
	pcie_aux_range, ARRAY_SIZE(pcie_aux_range),
};

static const struct gaudi_reg_range pcie_dbi_range[] = {
	{ "DEVICE_ID_VENDOR_ID_REG", 0x000, 1, 0, MODELLED },
	/* while PCIE_AUX_DBI selects the iATU; our names, none published */
	{ "IATU_OUTBOUND_#_CTRL_2", 0x004, 8, 0x200, STORED },
	{ "IATU_OUTBOUND_#_BASE_LO", 0x008, 8, 0x200, STORED },
	{ "IATU_OUTBOUND_#_BASE_HI", 0x00c, 8, 0x200, STORED },
	{ "IATU_OUTBOUND_#_LIMIT", 0x010, 8, 0x200, STORED },
	{ "IATU_OUTBOUND_#_TARGET_LO", 0x014, 8, 0x200, STORED },
	{ "IATU_OUTBOUND_#_TARGET_HI", 0x018, 8, 0x200, STORED },
	{ "IATU_OUTBOUND_#_LIMIT_HI", 0x020, 8, 0x200, STORED },
	{ "IATU_INBOUND_#_CTRL_1", 0x100, 8, 0x200, STORED },
	{ "IATU_INBOUND_#_CTRL_2", 0x104, 8, 0x200, MODELLED },
	{ "IATU_INBOUND_#_BASE_LO", 0x108, 8, 0x200, STORED },
	{ "IATU_INBOUND_#_BASE_HI", 0x10c, 8, 0x200, STORED },
	{ "IATU_INBOUND_#_LIMIT", 0x110, 8, 0x200, STORED },
	{ "IATU_INBOUND_#_TARGET_LO", 0x114, 8, 0x200, MODELLED },
	{ "IATU_INBOUND_#_TARGET_HI", 0x118, 8, 0x200, MODELLED },
	{ "IATU_INBOUND_#_LIMIT_HI", 0x120, 8, 0x200, STORED },
};

const struct gaudi_reg_names gaudi_pcie_dbi_names = {
	pcie_dbi_range, ARRAY_SIZE(pcie_dbi_range),
};

static const struct gaudi_reg_range pcie_msi_range[] = {
	{ "INTR_#", 0x000, 32, 0x4, MODELLED },
};

const struct gaudi_reg_names gaudi_pcie_msi_names = {
	pcie_msi_range, ARRAY_SIZE(pcie_msi_range),
};

static const struct gaudi_reg_range psoc_efuse_range[] = {
	{ "READ", 0x000, 1, 0, STORED },
	{ "DATA_#", 0x080, 1, 0x4, STORED },
};

const struct gaudi_reg_names gaudi_psoc_efuse_names = {
	psoc_efuse_range, ARRAY_SIZE(psoc_efuse_range),
};

static const struct gaudi_reg_range tmc_range[] = {
	{ "RSZ", 0x004, 1, 0, STORED },
	{ "STS", 0x00c, 1, 0, MODELLED },
	{ "RRD", 0x010, 1, 0, STORED },
	{ "RRP", 0x014, 1, 0, STORED },
	{ "RWP", 0x018, 1, 0, MODELLED },
	{ "TRG", 0x01c, 1, 0, STORED },
	{ "CTL", 0x020, 1, 0, STORED },
	{ "RWD", 0x024, 1, 0, STORED },
	{ "MODE", 0x028, 1, 0, STORED },
	{ "LBUFLEVEL", 0x02c, 1, 0, STORED },
	{ "CBUFLEVEL", 0x030, 1, 0, STORED },
	{ "BUFWM", 0x034, 1, 0, STORED },
	{ "RRPHI", 0x038, 1, 0, STORED },
	{ "RWPHI", 0x03c, 1, 0, MODELLED },
	{ "AXICTL", 0x110, 1, 0, STORED },
	{ "DBALO", 0x118, 1, 0, STORED },
	{ "DBAHI", 0x11c, 1, 0, STORED },
	{ "FFSR", 0x300, 1, 0, STORED },
	{ "FFCR", 0x304, 1, 0, MODELLED },
	{ "PSCR", 0x308, 1, 0, STORED },
	{ "LAR", 0xfb0, 1, 0, STORED },
};

const struct gaudi_reg_names gaudi_tmc_names = {
	tmc_range, ARRAY_SIZE(tmc_range),
};
