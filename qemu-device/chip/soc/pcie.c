// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * PCIe from inside the card: ELBI (register access through configuration
 * space), the address translation unit behind the DBI window, and the registers
 * that request interrupts.
 *
 * Not here: configuration space itself and MSI routing, which are the host's.
 */
#include "soc_state.h"
#include "../bus/bus.h"
#include "../../../uapi/hw/regs/gaudi_pcie_regs.h"

/* ELBI carries the low half of a device address. */
#define ELBI_ADDR_HIGH		(GAUDI_CFG_BASE & ~0xffffffffull)

#define IATU_REGION_SIZE	0x200u
#define IATU_NUM_REGIONS	8

enum { ELBI_ADDR, ELBI_DATA, ELBI_CTRL, ELBI_STS, ELBI_REGS };

static const struct gaudi_txn elbi_txn = {
	.initiator = GAUDI_INIT_PCI,
	.secure = true,
	.bypass = true,
};

/* --- ELBI ---------------------------------------------------------------- */

static int elbi_access(struct gaudi_chip *chip, bool write)
{
	uint64_t addr = ELBI_ADDR_HIGH | chip->soc->pcie.elbi[ELBI_ADDR];

	if (addr & 3 || addr < GAUDI_PSOC_SCRATCHPAD_BASE)
		return -EFAULT;
	if (write)
		return gaudi_bus_write(chip, &elbi_txn, addr,
				       &chip->soc->pcie.elbi[ELBI_DATA], 4);
	return gaudi_bus_read(chip, &elbi_txn, addr,
			      &chip->soc->pcie.elbi[ELBI_DATA], 4);
}

static bool elbi_index(unsigned int off, unsigned int *index)
{
	if (off < PCI_CONFIG_ELBI_ADDR || off > PCI_CONFIG_ELBI_STS || off & 3)
		return false;
	*index = (off - PCI_CONFIG_ELBI_ADDR) / 4;
	return true;
}

uint32_t gaudi_chip_elbi_read(struct gaudi_chip *chip, unsigned int off)
{
	unsigned int i;
	uint32_t value;

	if (!elbi_index(off, &i))
		return 0;
	gaudi_call_begin(chip->calls, GAUDI_CALL_ELBI_READ, off, 0, 0, 0);
	gaudi_chip_lock(chip);
	value = chip->soc->pcie.elbi[i];
	gaudi_chip_unlock(chip);
	gaudi_call_end(chip->calls, value);
	return value;
}

void gaudi_chip_elbi_write(struct gaudi_chip *chip, unsigned int off,
			   uint32_t value)
{
	unsigned int i;
	int err;

	if (!elbi_index(off, &i))
		return;
	gaudi_call_begin(chip->calls, GAUDI_CALL_ELBI_WRITE, off, value, 0, 0);
	gaudi_chip_lock(chip);
	gaudi_actors_begin(chip);
	chip->soc->pcie.elbi[i] = value;
	if (i == ELBI_CTRL) {
		err = elbi_access(chip, value & PCI_CONFIG_ELBI_CTRL_WRITE);
		chip->soc->pcie.elbi[ELBI_STS] = PCI_CONFIG_ELBI_STS_DONE |
			(err ? PCI_CONFIG_ELBI_STS_ERR : 0);
	} else if (i == ELBI_STS) {
		chip->soc->pcie.elbi[ELBI_STS] = 0;
	}
	gaudi_actors_end(chip);
	gaudi_chip_unlock(chip);
	gaudi_call_end(chip->calls, 0);
}

/* --- iATU ---------------------------------------------------------------- */

static bool iatu_selected(struct gaudi_chip *chip)
{
	return gaudi_store_read(chip, GAUDI_PCIE_AUX_BASE + PCIE_AUX_DBI) ==
	       PCIE_AUX_DBI_IATU;
}

static void move_hbm_window(struct gaudi_chip *chip, uint64_t target)
{
	if (target == chip->hbm_window)
		return;
	if (target >= chip->hbm.size || target & (GAUDI_PAGE_SIZE - 1)) {
		gaudi_log(chip, GAUDI_LOG_GUEST_ERROR,
			  "iATU: BAR 4 cannot show device address 0x%llx",
			  (unsigned long long)target);
		return;
	}
	chip->hbm_window = target;
	chip->outbox.window = true;
}

/* An inbound region that matches a BAR says what the BAR shows. */
static void apply_inbound(struct gaudi_chip *chip, unsigned int n)
{
	const uint32_t *region = &chip->soc->pcie.iatu[IATU_INBOUND(n) / 4];
	uint32_t ctrl = region[IATU_REGION_CTRL_2 / 4];
	uint64_t target = (uint64_t)region[IATU_TARGET_HI / 4] << 32 |
			  region[IATU_TARGET_LO / 4];

	if (!(ctrl & IATU_CTRL_2_ENABLE) || !(ctrl & IATU_CTRL_2_MATCH_BAR))
		return;
	switch (FIELD_GET(IATU_CTRL_2_BAR, ctrl)) {
	case GAUDI_BAR_HBM:
		move_hbm_window(chip, target);
		break;
	case GAUDI_BAR_SRAM:
		if (target != GAUDI_BAR_SRAM_TARGET)
			gaudi_report_use(chip, "function", "IATU_MOVE_BAR0",
					 GAUDI_UNIMPLEMENTED);
		break;
	case GAUDI_BAR_CFG:
		if (target != GAUDI_BAR_CFG_TARGET)
			gaudi_report_use(chip, "function", "IATU_MOVE_BAR2",
					 GAUDI_UNIMPLEMENTED);
		break;
	}
}

static uint32_t dbi_read(struct gaudi_chip *chip, unsigned int inst,
			 uint32_t off)
{
	(void)inst;
	if (iatu_selected(chip))
		return chip->soc->pcie.iatu[off / 4];
	if (!off)
		return GAUDI_PCI_DEVICE_ID << 16 | GAUDI_PCI_VENDOR_ID;
	return gaudi_store_read(chip, GAUDI_PCIE_DBI_BASE + off);
}

static int dbi_write(struct gaudi_chip *chip, unsigned int inst, uint32_t off,
		     uint32_t value, const struct gaudi_txn *txn)
{
	unsigned int n = off / IATU_REGION_SIZE;
	uint32_t in_region = off % IATU_REGION_SIZE;

	(void)inst;
	(void)txn;
	if (!iatu_selected(chip)) {
		gaudi_report_use(chip, "function", "DBI_CONFIG_WRITE",
				 GAUDI_UNIMPLEMENTED);
		gaudi_store_write(chip, GAUDI_PCIE_DBI_BASE + off, value);
		return 0;
	}
	chip->soc->pcie.iatu[off / 4] = value;
	/*
	 * Drivers write CTRL_2 last. Following each write on the way there would
	 * show the host windows that no driver has asked for.
	 */
	if (n < IATU_NUM_REGIONS &&
	    in_region == IATU_INBOUND(0) + IATU_REGION_CTRL_2)
		apply_inbound(chip, n);
	return 0;
}

void gaudi_pcie_power_on(struct gaudi_chip *chip)
{
	bool moved = chip->hbm_window != GAUDI_BAR_HBM_TARGET;

	memset(&chip->soc->pcie, 0, sizeof(chip->soc->pcie));
	chip->hbm_window = GAUDI_BAR_HBM_TARGET;
	if (moved)
		chip->outbox.window = true;
}

/* --- interrupt requests ---------------------------------------------------- */

static int core_write(struct gaudi_chip *chip, unsigned int inst, uint32_t off,
		      uint32_t value, const struct gaudi_txn *txn)
{
	(void)inst;
	(void)txn;
	if (off == PCIE_CORE_MSI_REQ) {
		gaudi_msi_pend(chip, 0);
		return 0;
	}
	gaudi_store_write(chip, GAUDI_PCIE_CORE_BASE + off, value);
	return 0;
}

static int msi_write(struct gaudi_chip *chip, unsigned int inst, uint32_t off,
		     uint32_t value, const struct gaudi_txn *txn)
{
	(void)inst;
	(void)txn;
	if (off < PCIE_MSI_INTR(GAUDI_NUM_MSI)) {
		gaudi_msi_pend(chip, off / 4);
		return 0;
	}
	gaudi_store_write(chip, GAUDI_PCIE_MSI_BASE + off, value);
	return 0;
}

const struct gaudi_block_ops gaudi_pcie_wrap_ops = {
	.name = "PCIE_WRAP",
};

const struct gaudi_block_ops gaudi_pcie_aux_ops = {
	.name = "PCIE_AUX",
};

const struct gaudi_block_ops gaudi_pcie_dbi_ops = {
	.name = "PCIE_DBI",
	.no_prot_bits = true,
	.read = dbi_read,
	.write = dbi_write,
};

const struct gaudi_block_ops gaudi_pcie_core_ops = {
	.name = "PCIE_CORE",
	.write = core_write,
};

const struct gaudi_block_ops gaudi_pcie_msi_ops = {
	.name = "PCIE_MSI",
	.write = msi_write,
};
