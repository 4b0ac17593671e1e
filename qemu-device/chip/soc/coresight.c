// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * CoreSight trace buffers (ETF, and the ETR that writes to memory): a driver
 * that leaves debug mode waits for them to flush. They never hold anything,
 * because nothing is traced yet; all other CoreSight blocks are storage.
 *
 * Source: gaudi_coresight.c and asic_reg/psoc_etr_regs.h of mainline's
 * habanalabs driver, Linux 6.12; the registers are those of ARM's TMC (facts).
 */
#include "soc_state.h"
#include "../../../uapi/hw/regs/gaudi_tmc_regs.h"

static int tmc_write(struct gaudi_chip *chip, unsigned int inst, uint32_t off,
		     uint32_t value, const struct gaudi_txn *txn)
{
	uint32_t base = gaudi_block_base(chip, &gaudi_tmc_ops, inst);

	(void)txn;
	switch (off) {
	case TMC_CTL:
		if (value & TMC_CTL_ENABLE)
			gaudi_report_use(chip, "feature", "trace capture",
					 GAUDI_UNIMPLEMENTED);
		break;
	case TMC_FFCR:
		/* Flushing nothing takes no time. */
		value &= ~TMC_FFCR_FLUSH;
		break;
	case TMC_DBALO:
		gaudi_store_write(chip, base + TMC_RWP, value);
		break;
	case TMC_DBAHI:
		gaudi_store_write(chip, base + TMC_RWPHI, value);
		break;
	}
	gaudi_store_write(chip, base + off, value);
	return 0;
}

const struct gaudi_block_ops gaudi_tmc_ops = {
	.name = "TMC",
	.write = tmc_write,
};
