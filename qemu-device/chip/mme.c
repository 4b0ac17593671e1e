// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * MME_CTRL: the control block of a matrix engine. It stores descriptors and
 * answers as an idle engine does.
 *
 * The engine does not multiply yet. A descriptor that is started is named in
 * the fidelity report, stores nothing and signals nothing: whoever waits for
 * its sync object waits in vain.
 *
 * Source: Linux 6.12; reset values from the vendor's public register tables.
 */
#include "internal.h"
#include "../../uapi/regs/gaudi_mme_regs.h"

static void mme_values(struct gaudi_chip *chip, unsigned int inst)
{
	static const struct { uint16_t off; uint32_t value; } resets[] = {
		{ MME_CTRL_ARCH_STATUS, MME_CTRL_ARCH_STATUS_RESET },
		{ MME_CTRL_SYNC_OBJECT_FIFO_TH, 0x10 },
		{ MME_CTRL_EUS_ROLLUP_CNT_ADD, 2 },
		/* power control and protection: storage without effect */
		{ 0x2a4, 0x04101000 }, { 0x2a8, 0x02000200 },
		{ 0x2ac, 0x01990200 }, { 0x2b0, 0x3e800100 },
		{ 0x2b4, 0x3 }, { 0x2b8, 0x1f },
		{ 0x2bc, 0xaaaa5555 }, { 0x2c0, 0x77773333 },
		{ 0x2c4, 0xaaaaaaaa }, { 0x2c8, 0x55555555 },
		{ 0x2cc, 0xdddddddd }, { 0x2d0, 0xbbbbbbbb },
		{ 0x2d4, 0x2 }, { 0x2f0, 0xc0c }, { 0x2f4, 0x80001000 },
	};
	uint32_t base = GAUDI_MME_CTRL_BASE(inst);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(resets); i++)
		gaudi_store_write(chip, base + resets[i].off,
				  resets[i].value);
}

static int mme_write(struct gaudi_chip *chip, unsigned int inst, uint32_t off,
		     uint32_t value, const struct gaudi_txn *txn)
{
	(void)txn;
	switch (off) {
	case MME_CTRL_ARCH_STATUS:
	case MME_CTRL_STATUS1:
		break;
	case MME_CTRL_CMD:
		if (value & MME_CTRL_CMD_EXECUTE)
			gaudi_report_use(chip, "feature",
					 "MME descriptor execution",
					 GAUDI_UNIMPLEMENTED);
		break;
	default:
		gaudi_store_write(chip, GAUDI_MME_CTRL_BASE(inst) + off,
				  value);
	}
	return 0;
}

const struct gaudi_block_ops gaudi_mme_ctrl_ops = {
	.name = "MME_CTRL",
	.values = mme_values,
	.write = mme_write,
};
