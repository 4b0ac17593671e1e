// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Published register names: routers and DMA interfaces.
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

static const struct gaudi_reg_range rtr_range[] = {
	{ "LBW_RANGE_PROT_HIT_AW", 0x400, 1, 0, MODELLED },
	{ "LBW_RANGE_PROT_MIN_AW_#", 0x410, 16, 0x4, MODELLED },
	{ "LBW_RANGE_PROT_MAX_AW_#", 0x450, 16, 0x4, MODELLED },
	{ "LBW_RANGE_PROT_HIT_AR", 0x490, 1, 0, MODELLED },
	{ "LBW_RANGE_PROT_MIN_AR_#", 0x4a0, 16, 0x4, MODELLED },
	{ "LBW_RANGE_PROT_MAX_AR_#", 0x4e0, 16, 0x4, MODELLED },
};

const struct gaudi_reg_names gaudi_rtr_names = {
	rtr_range, ARRAY_SIZE(rtr_range),
};

/* The two channels of a DMA_IF_DOWN have the layout of a router, too. */
static const struct gaudi_reg_range rtr_ctrl_range[] = {
	{ "PERM_SEL", 0x108, 1, 0, STORED },
	{ "HBM_POLY_H3_#", 0x114, 28, 0x4, STORED },
	{ "SRAM_POLY_H3_#", 0x184, 15, 0x4, STORED },
	{ "SCRAM_SRAM_EN", 0x26c, 1, 0, STORED },
	{ "RL_HBM_EN", 0x274, 1, 0, STORED },
	{ "RL_HBM_SAT", 0x278, 1, 0, STORED },
	{ "RL_HBM_RST", 0x27c, 1, 0, STORED },
	{ "RL_HBM_TIMEOUT", 0x280, 1, 0, STORED },
	{ "SCRAM_HBM_EN", 0x284, 1, 0, STORED },
	{ "RL_PCI_EN", 0x288, 1, 0, STORED },
	{ "RL_PCI_SAT", 0x28c, 1, 0, STORED },
	{ "RL_PCI_RST", 0x290, 1, 0, STORED },
	{ "RL_PCI_TIMEOUT", 0x294, 1, 0, STORED },
	{ "RL_SRAM_EN", 0x29c, 1, 0, STORED },
	{ "RL_SRAM_SAT", 0x2a0, 1, 0, STORED },
	{ "RL_SRAM_RST", 0x2a4, 1, 0, STORED },
	{ "RL_SRAM_TIMEOUT", 0x2ac, 1, 0, STORED },
	{ "RL_SRAM_RED", 0x2b4, 1, 0, STORED },
	{ "E2E_HBM_EN", 0x2ec, 1, 0, STORED },
	{ "E2E_PCI_EN", 0x2f0, 1, 0, STORED },
	{ "E2E_HBM_WR_SIZE", 0x2f4, 1, 0, STORED },
	{ "E2E_PCI_WR_SIZE", 0x2f8, 1, 0, STORED },
	{ "E2E_AW_PCI_CTR_SET_EN", 0x404, 1, 0, STORED },
	{ "E2E_AW_PCI_CTR_SET", 0x408, 1, 0, STORED },
	{ "E2E_AW_PCI_CTR_WRAP", 0x40c, 1, 0, STORED },
	{ "E2E_AW_PCI_CTR_CNT", 0x410, 1, 0, STORED },
	{ "E2E_AW_HBM_CTR_SET_EN", 0x414, 1, 0, STORED },
	{ "E2E_AW_HBM_CTR_SET", 0x418, 1, 0, STORED },
	{ "E2E_HBM_RD_SIZE", 0x41c, 1, 0, STORED },
	{ "E2E_PCI_RD_SIZE", 0x420, 1, 0, STORED },
	{ "E2E_AR_PCI_CTR_SET_EN", 0x424, 1, 0, STORED },
	{ "E2E_AR_PCI_CTR_SET", 0x428, 1, 0, STORED },
	{ "E2E_AR_PCI_CTR_WRAP", 0x42c, 1, 0, STORED },
	{ "E2E_AR_PCI_CTR_CNT", 0x430, 1, 0, STORED },
	{ "E2E_AR_HBM_CTR_SET_EN", 0x434, 1, 0, STORED },
	{ "E2E_AR_HBM_CTR_SET", 0x438, 1, 0, STORED },
	{ "NL_HBM_SEL_#", 0x450, 2, 0x4, STORED },
	{ "NON_LIN_EN", 0x480, 1, 0, STORED },
	{ "NL_SRAM_BANK_#", 0x500, 5, 0x4, STORED },
	{ "NL_SRAM_OFFSET_#", 0x514, 2, 0xc, STORED },
	{ "NL_SRAM_OFFSET_2", 0x524, 1, 0, STORED },
	{ "NL_SRAM_OFFSET_3", 0x528, 1, 0, STORED },
	{ "NL_SRAM_OFFSET_4", 0x52c, 1, 0, STORED },
	{ "NL_SRAM_OFFSET_5", 0x530, 1, 0, STORED },
	{ "NL_SRAM_OFFSET_6", 0x534, 1, 0, STORED },
	{ "NL_SRAM_OFFSET_7", 0x538, 1, 0, STORED },
	{ "NL_SRAM_OFFSET_8", 0x53c, 1, 0, STORED },
	{ "NL_SRAM_OFFSET_9", 0x540, 1, 0, STORED },
	{ "NL_HBM_OFFSET_#", 0x550, 19, 0x4, STORED },
	{ "RANGE_SEC_BASE_LOW_AW_#", 0x5e4, 16, 0x4, MODELLED },
	{ "RANGE_SEC_BASE_HIGH_AW_#", 0x624, 16, 0x4, MODELLED },
	{ "RANGE_SEC_MASK_LOW_AW_#", 0x664, 16, 0x4, MODELLED },
	{ "RANGE_SEC_MASK_HIGH_AW_#", 0x6a4, 16, 0x4, MODELLED },
	{ "RANGE_PRIV_BASE_LOW_AW_#", 0x6e4, 16, 0x4, STORED },
	{ "RANGE_PRIV_BASE_HIGH_AW_#", 0x724, 16, 0x4, STORED },
	{ "RANGE_PRIV_MASK_LOW_AW_#", 0x764, 16, 0x4, STORED },
	{ "RANGE_PRIV_MASK_HIGH_AW_#", 0x7a4, 16, 0x4, STORED },
	{ "RANGE_SEC_BASE_LOW_AR_#", 0x824, 16, 0x4, MODELLED },
	{ "RANGE_SEC_BASE_HIGH_AR_#", 0x864, 16, 0x4, MODELLED },
	{ "RANGE_SEC_MASK_LOW_AR_#", 0x8a4, 16, 0x4, MODELLED },
	{ "RANGE_SEC_MASK_HIGH_AR_#", 0x8e4, 16, 0x4, MODELLED },
	{ "RANGE_PRIV_BASE_LOW_AR_#", 0x924, 16, 0x4, STORED },
	{ "RANGE_PRIV_BASE_HIGH_AR_#", 0x964, 16, 0x4, STORED },
	{ "RANGE_PRIV_MASK_LOW_AR_#", 0x9a4, 16, 0x4, STORED },
	{ "RANGE_PRIV_MASK_HIGH_AR_#", 0x9e4, 16, 0x4, STORED },
	{ "RANGE_SEC_HIT_AW", 0xa64, 1, 0, MODELLED },
	{ "RANGE_SEC_HIT_AR", 0xa68, 1, 0, MODELLED },
	{ "RANGE_PRIV_HIT_AW", 0xa6c, 1, 0, STORED },
	{ "RANGE_PRIV_HIT_AR", 0xa70, 1, 0, STORED },
	{ "RGL_CFG", 0xb64, 1, 0, STORED },
	{ "RGL_SHIFT", 0xb68, 1, 0, STORED },
	{ "RGL_EXPECTED_LAT_#", 0xb6c, 8, 0x4, STORED },
	{ "RGL_TOKEN_#", 0xbac, 8, 0x4, STORED },
	{ "RGL_BANK_ID_#", 0xbec, 8, 0x4, STORED },
	{ "RGL_WDT", 0xc2c, 1, 0, STORED },
	{ "E2E_AR_HBM#_CH0_CTR_WRAP", 0xc30, 4, 0x8, STORED },
	{ "E2E_AR_HBM#_CH1_CTR_WRAP", 0xc34, 4, 0x8, STORED },
	{ "E2E_AR_HBM#_CH0_CTR_CNT", 0xc50, 4, 0x8, STORED },
	{ "E2E_AR_HBM#_CH1_CTR_CNT", 0xc54, 4, 0x8, STORED },
	{ "E2E_AW_HBM#_CH0_CTR_WRAP", 0xc70, 4, 0x8, STORED },
	{ "E2E_AW_HBM#_CH1_CTR_WRAP", 0xc74, 4, 0x8, STORED },
	{ "E2E_AW_HBM#_CH0_CTR_CNT", 0xc90, 4, 0x8, STORED },
	{ "E2E_AW_HBM#_CH1_CTR_CNT", 0xc94, 4, 0x8, STORED },
	{ "NL_HBM_PC_SEL_#", 0xcb0, 4, 0x4, STORED },
};

const struct gaudi_reg_names gaudi_rtr_ctrl_names = {
	rtr_ctrl_range, ARRAY_SIZE(rtr_ctrl_range),
};

static const struct gaudi_reg_range dma_if_range[] = {
	{ "HBM#_WR_CRED_CNT", 0x000, 2, 0x4, STORED },
	{ "HBM#_RD_CRED_CNT", 0x008, 2, 0x4, STORED },
	{ "HBM_LIMITER_#", 0x030, 4, 0x4, STORED },
	{ "HBM_ALMOST_EN_#", 0x040, 2, 0x4, STORED },
	{ "HBM_CRED_EN_#", 0x050, 2, 0x4, STORED },
	{ "SOB_MIN_RPROT_#", 0x100, 16, 0x4, MODELLED },
	{ "SOB_MAX_RPROT_#", 0x140, 16, 0x4, MODELLED },
	{ "SOB_MIN_WPROT_#", 0x180, 16, 0x4, MODELLED },
	{ "SOB_MAX_WPROT_#", 0x1c0, 16, 0x4, MODELLED },
	{ "SOB_MIN_RPRIV_#", 0x200, 16, 0x4, STORED },
	{ "SOB_MAX_RPRIV_#", 0x240, 16, 0x4, STORED },
	{ "SOB_MIN_WPRIV_#", 0x280, 16, 0x4, STORED },
	{ "SOB_MAX_WPRIV_#", 0x2c0, 16, 0x4, STORED },
	{ "DMA0_MIN_RPROT_#", 0x300, 16, 0x4, MODELLED },
	{ "DMA0_MAX_RPROT_#", 0x340, 16, 0x4, MODELLED },
	{ "DMA0_MIN_WPROT_#", 0x380, 16, 0x4, MODELLED },
	{ "DMA0_MAX_WPROT_#", 0x3c0, 16, 0x4, MODELLED },
	{ "DMA0_MIN_RPRIV_#", 0x400, 16, 0x4, STORED },
	{ "DMA0_MAX_RPRIV_#", 0x440, 16, 0x4, STORED },
	{ "DMA0_MIN_WPRIV_#", 0x480, 16, 0x4, STORED },
	{ "DMA0_MAX_WPRIV_#", 0x4c0, 16, 0x4, STORED },
	{ "DMA1_MIN_RPROT_#", 0x500, 16, 0x4, MODELLED },
	{ "DMA1_MAX_RPROT_#", 0x540, 16, 0x4, MODELLED },
	{ "DMA1_MIN_WPROT_#", 0x580, 16, 0x4, MODELLED },
	{ "DMA1_MAX_WPROT_#", 0x5c0, 16, 0x4, MODELLED },
	{ "DMA1_MIN_RPRIV_#", 0x600, 16, 0x4, STORED },
	{ "DMA1_MAX_RPRIV_#", 0x640, 16, 0x4, STORED },
	{ "DMA1_MIN_WPRIV_#", 0x680, 16, 0x4, STORED },
	{ "DMA1_MAX_WPRIV_#", 0x6c0, 16, 0x4, STORED },
	{ "SOB_HIT_RPROT", 0x700, 1, 0, MODELLED },
	{ "SOB_HIT_WPROT", 0x704, 1, 0, MODELLED },
	{ "SOB_HIT_RPRIV", 0x70c, 1, 0, STORED },
	{ "SOB_HIT_WPRIV", 0x710, 1, 0, STORED },
	{ "DMA#_HIT_RPROT", 0x71c, 2, 0x14, MODELLED },
	{ "DMA#_HIT_WPROT", 0x720, 2, 0x14, MODELLED },
	{ "DMA#_HIT_RPRIV", 0x724, 2, 0x14, STORED },
	{ "DMA#_HIT_WPRIV", 0x728, 2, 0x14, STORED },
	{ "HBM_BIN", 0x800, 1, 0, STORED },
	{ "MME_BIN", 0x804, 1, 0, STORED },
	{ "TPC_BIN", 0x808, 1, 0, STORED },
	{ "DMA_BIN", 0x80c, 1, 0, STORED },
	{ "SOB_CG_EN", 0x810, 1, 0, STORED },
	{ "HBM_I2C_ADDR_#", 0x820, 5, 0x4, STORED },
	{ "HBM_MISC", 0x834, 1, 0, STORED },
};

const struct gaudi_reg_names gaudi_dma_if_names = {
	dma_if_range, ARRAY_SIZE(dma_if_range),
};

static const struct gaudi_reg_range dma_if_dn_range[] = {
	{ "RSP_MID_WGHT_#", 0x030, 2, 0x4, STORED },
};

const struct gaudi_reg_names gaudi_dma_if_dn_names = {
	dma_if_dn_range, ARRAY_SIZE(dma_if_dn_range),
};
