// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* Access of the host through the BARs: memory, and registers. */
#include "../core/core.h"
#include "../regs/regs.h"

static const struct gaudi_txn pci_txn = {
	.initiator = GAUDI_INIT_PCI,
	.secure = true,
	.bypass = true,
};

/* Registers are 32 bits wide: gather the bytes asked for from whole dwords. */
static uint64_t cfg_read(struct gaudi_chip *chip, uint64_t off,
			 unsigned int size)
{
	unsigned int first = off & 3, n = (first + size + 3) / 4, i;
	uint8_t buf[12] = { 0 };
	uint64_t value = 0;
	uint32_t reg;

	for (i = 0; i < n; i++) {
		reg = gaudi_reg_read(chip, (off & ~3ull) + 4 * i, &pci_txn);
		if (gaudi_fault_armed(chip, GAUDI_FAULT_REG_READ) &&
		    chip->fault_hooks->reg_read(chip, (off & ~3ull) + 4 * i))
			reg = UINT32_MAX;
		memcpy(buf + 4 * i, &reg, 4);
	}
	memcpy(&value, buf + first, size);
	return value;
}

static void cfg_write(struct gaudi_chip *chip, uint64_t off, uint64_t value,
		      unsigned int size)
{
	unsigned int first = off & 3, n = (first + size + 3) / 4, i;
	uint8_t buf[12] = { 0 }, written[12] = { 0 };
	uint32_t reg, mask;

	memcpy(buf + first, &value, size);
	memset(written + first, 0xff, size);
	for (i = 0; i < n; i++) {
		memcpy(&reg, buf + 4 * i, 4);
		memcpy(&mask, written + 4 * i, 4);
		gaudi_reg_write_part(chip, (off & ~3ull) + 4 * i, reg, mask,
				     &pci_txn);
	}
}

/* Where a BAR shows memory: a pointer with room for size bytes, or NULL. */
static uint8_t *bar_mem(struct gaudi_chip *chip, unsigned int bar,
			uint64_t off, uint64_t size)
{
	const uint64_t scratch = GAUDI_PSOC_SCRATCHPAD_BASE - GAUDI_FLASH_BASE;
	const uint64_t fw = GAUDI_PCIE_FW_SRAM_BASE - GAUDI_FLASH_BASE;
	uint64_t hbm;

	switch (bar) {
	case GAUDI_BAR_SRAM:
		if (size <= chip->sram.size && off <= chip->sram.size - size)
			return chip->sram.ptr + off;
		break;
	case GAUDI_BAR_CFG:
		if (size > GAUDI_PCIE_FW_SRAM_SIZE)
			break;
		if (off >= scratch &&
		    off - scratch <= GAUDI_PSOC_SCRATCHPAD_SIZE - size)
			return chip->scratchpad + (off - scratch);
		if (off >= fw && off - fw <= GAUDI_PCIE_FW_SRAM_SIZE - size)
			return chip->pcie_sram + (off - fw);
		break;
	case GAUDI_BAR_HBM:
		hbm = chip->hbm_window + off;
		if (hbm >= off && size <= chip->hbm.size &&
		    hbm <= chip->hbm.size - size)
			return chip->hbm.ptr + hbm;
		break;
	}
	return NULL;
}

static bool bar_is_cfg(unsigned int bar, uint64_t off, unsigned int size)
{
	return bar == GAUDI_BAR_CFG && off >= GAUDI_BAR_CFG_REGS &&
	       off <= GAUDI_BAR_CFG_SIZE - size;
}

static bool size_ok(unsigned int size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

uint64_t gaudi_chip_bar_read(struct gaudi_chip *chip, unsigned int bar,
			     uint64_t off, unsigned int size)
{
	/* What a bridge makes of a read without an answer. */
	uint64_t value = UINT64_MAX;
	uint8_t *mem;

	if (!size_ok(size))
		return value;
	gaudi_call_begin(chip->calls, GAUDI_CALL_BAR_READ, bar, off, size, 0);
	gaudi_chip_lock(chip);
	gaudi_clock_host(chip);
	mem = bar_mem(chip, bar, off, size);
	if (gaudi_fault_armed(chip, GAUDI_FAULT_LINK)) {
		/* no answer */
	} else if (mem) {
		value = 0;
		memcpy(&value, mem, size);
	} else if (bar_is_cfg(bar, off, size)) {
		value = cfg_read(chip, off - GAUDI_BAR_CFG_REGS, size);
	} else {
		gaudi_report_use(chip, "window", bar == GAUDI_BAR_CFG ?
				 "SPI_FLASH" : "BAR_UNBACKED",
				 GAUDI_UNIMPLEMENTED);
	}
	gaudi_chip_unlock(chip);
	gaudi_call_end(chip->calls, value);
	return value;
}

void gaudi_chip_bar_write(struct gaudi_chip *chip, unsigned int bar,
			  uint64_t off, uint64_t value, unsigned int size)
{
	uint8_t *mem;

	if (!size_ok(size))
		return;
	gaudi_call_begin(chip->calls, GAUDI_CALL_BAR_WRITE, bar, off, size,
			 value);
	gaudi_chip_lock(chip);
	gaudi_actors_begin(chip);
	mem = bar_mem(chip, bar, off, size);
	if (gaudi_fault_armed(chip, GAUDI_FAULT_LINK))
		;	/* no receiver */
	else if (mem)
		memcpy(mem, &value, size);
	else if (bar_is_cfg(bar, off, size))
		cfg_write(chip, off - GAUDI_BAR_CFG_REGS, value, size);
	else
		gaudi_report_use(chip, "window", bar == GAUDI_BAR_CFG ?
				 "SPI_FLASH" : "BAR_UNBACKED",
				 GAUDI_UNIMPLEMENTED);
	gaudi_access_end(chip);
	gaudi_chip_unlock(chip);
	gaudi_call_end(chip->calls, 0);
}

int gaudi_chip_bar_copy(struct gaudi_chip *chip, unsigned int bar, uint64_t off,
			const void *data, size_t len)
{
	uint8_t *mem;

	gaudi_call_data(chip->calls, GAUDI_CALL_BAR_COPY, bar, off, data, len);
	gaudi_chip_lock(chip);
	mem = len ? bar_mem(chip, bar, off, len) : NULL;
	if (mem)
		memcpy(mem, data, len);
	gaudi_chip_unlock(chip);
	gaudi_call_end(chip->calls, !mem);
	return mem ? 0 : -EINVAL;
}
