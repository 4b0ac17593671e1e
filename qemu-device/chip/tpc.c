// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * TPC_CFG: the control block of a tensor processor core. It stores what is
 * configured and answers as an idle core does.
 *
 * The core does not execute instructions yet. A kernel that is started fails at
 * once with the interrupt cause "illegal instruction", is named in the fidelity
 * report, and signals no completion.
 *
 * Source: Linux 6.12; reset values from the vendor's public register tables.
 */
#include "internal.h"
#include "../../uapi/regs/gaudi_tpc_regs.h"

#define NUM_TENSORS		16
#define TENSOR_SIZE		56
#define TENSOR_CONFIG		0x0c
/* The descriptor that runs, and the one that the queue prepares. */
#define KERNEL_TENSORS		0x400
#define KERNEL_CONFIG		0x7b8
#define QM_TENSORS		0xa00
#define QM_KERNEL_CONFIG	0xdb8

#define EXECUTE_START		BIT(0)
#define INTR_ILLEGAL_INSTRUCTION BIT(13)
/* The core's interrupt line to the embedded CPU. */
#define SPI_KRN_ERR(n)		(150u + 6 * (n))

static void tpc_reset(struct gaudi_chip *chip, unsigned int inst)
{
	static const struct { uint16_t off; uint32_t value; } resets[] = {
		{ TPC_CFG_STATUS, TPC_CFG_STATUS_IDLE },
		{ TPC_CFG_LFSR_POLYNOM, 0x800002cc },
		{ TPC_CFG_CFG_BASE_ADDRESS_HIGH, 0x7f },
		{ KERNEL_CONFIG, 0x60882 },
		{ QM_KERNEL_CONFIG, 0x60882 },
	};
	uint32_t base = GAUDI_TPC_CFG_BASE(inst), off;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(resets); i++)
		gaudi_store_write(chip, base + resets[i].off,
				  resets[i].value);
	for (i = 0; i < NUM_TENSORS; i++) {
		off = i * TENSOR_SIZE + TENSOR_CONFIG;
		gaudi_store_write(chip, base + KERNEL_TENSORS + off, 0x50000);
		gaudi_store_write(chip, base + QM_TENSORS + off, 0x50000);
	}
}

static void execute(struct gaudi_chip *chip, unsigned int inst)
{
	uint32_t base = GAUDI_TPC_CFG_BASE(inst);
	uint32_t mask = gaudi_store_read(chip, base + TPC_CFG_TPC_INTR_MASK);
	uint32_t cause = gaudi_store_read(chip, base + TPC_CFG_TPC_INTR_CAUSE);

	gaudi_report_use(chip, "feature", "TPC kernel execution",
			 GAUDI_UNIMPLEMENTED);
	gaudi_store_write(chip, base + TPC_CFG_TPC_INTR_CAUSE,
			  cause | INTR_ILLEGAL_INSTRUCTION);
	if (!(mask & INTR_ILLEGAL_INSTRUCTION))
		gaudi_cpu_spi(chip, SPI_KRN_ERR(inst));
}

static int tpc_write(struct gaudi_chip *chip, unsigned int inst, uint32_t off,
		     uint32_t value, const struct gaudi_txn *txn)
{
	uint32_t base = GAUDI_TPC_CFG_BASE(inst);

	(void)txn;
	switch (off) {
	case TPC_CFG_STATUS:
	case TPC_CFG_WQ_INFLIGHT_CNTR:
		break;
	case TPC_CFG_TPC_INTR_CAUSE:
		/* Zeros clear; software cannot raise one. */
		value &= gaudi_store_read(chip, base + off);
		gaudi_store_write(chip, base + off, value);
		break;
	case TPC_CFG_TPC_EXECUTE:
		if (value & EXECUTE_START)
			execute(chip, inst);
		break;
	default:
		gaudi_store_write(chip, base + off, value);
	}
	return 0;
}

const struct gaudi_block_ops gaudi_tpc_cfg_ops = {
	.name = "TPC_CFG",
	.reset = tpc_reset,
	.write = tpc_write,
};
