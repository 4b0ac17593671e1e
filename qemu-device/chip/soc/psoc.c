// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * PSOC: global configuration (scratchpads, reset), timestamp counter, PLLs.
 *
 * Not here: what the embedded CPU does with the scratchpads (cpu.c and the
 * firmware stub).
 */
#include "soc_state.h"
#include "../../../uapi/hw/regs/gaudi_psoc_regs.h"

#define GLOBAL_CONF(reg)	(GAUDI_PSOC_GLOBAL_CONF_BASE + (reg))
#define NSEC_PER_SEC		1000000000ull
#define TIMESTAMP(reg)		(GAUDI_PSOC_TIMESTAMP_BASE + (reg))

/* --- global configuration --------------------------------------------------- */

/* Flops that keep their value over a reset, as their names say. */
static uint32_t *kept_flop(struct gaudi_chip *chip, uint32_t off)
{
	if (off <= PSOC_NON_RST_FLOPS(3))
		return &chip->soc->kept_flops[off / 4];
	if (off >= PSOC_COLD_RST_FLOPS(0) && off <= PSOC_COLD_RST_FLOPS(3))
		return &chip->soc->kept_flops[4 + (off - PSOC_COLD_RST_FLOPS(0)) / 4];
	return NULL;
}

static uint32_t global_conf_read(struct gaudi_chip *chip, unsigned int inst,
				 uint32_t off)
{
	uint32_t *flop = kept_flop(chip, off);

	(void)inst;
	if (flop)
		return *flop;
	return gaudi_store_read(chip, GLOBAL_CONF(off));
}

/* What is done with a write besides keeping the value. */
enum conf_effect { EFFECT_FIRMWARE, EFFECT_RESET, EFFECT_SOFT_RESET };

static const struct {
	uint16_t off;
	uint8_t effect;
} conf_effects[] = {
	{ PSOC_HW_STATE, EFFECT_FIRMWARE },
	{ PSOC_KMD_MSG_TO_CPU, EFFECT_FIRMWARE },
	{ PSOC_SW_ALL_RST, EFFECT_RESET },
	{ PSOC_SOFT_RST, EFFECT_SOFT_RESET },
};

static int conf_effect(struct gaudi_chip *chip, uint32_t off, uint32_t value,
		       unsigned int effect)
{
	switch (effect) {
	case EFFECT_RESET:
		/* Clears itself. */
		if (value & PSOC_SW_ALL_RST_IND)
			gaudi_hard_reset_pend(chip, "SW_ALL_RST");
		return 0;
	case EFFECT_SOFT_RESET:
		gaudi_report_use(chip, "function", "SOFT_RST",
				 GAUDI_UNIMPLEMENTED);
		return 0;
	case EFFECT_FIRMWARE:
		gaudi_store_write(chip, GLOBAL_CONF(off), value);
		gaudi_cpu_reg_written(chip, GLOBAL_CONF(off), value);
		return 0;
	default:
		return 0;
	}
}

static int global_conf_write(struct gaudi_chip *chip, unsigned int inst,
			     uint32_t off, uint32_t value,
			     const struct gaudi_txn *txn)
{
	uint32_t *flop = kept_flop(chip, off);
	size_t i;

	(void)inst;
	(void)txn;
	if (flop) {
		*flop = value;
		return 0;
	}
	if (off >= PSOC_GIC_POLL(0) && off <= PSOC_GIC_POLL(7))
		return conf_effect(chip, off, value, EFFECT_FIRMWARE);
	for (i = 0; i < ARRAY_SIZE(conf_effects); i++)
		if (conf_effects[i].off == off)
			return conf_effect(chip, off, value,
					   conf_effects[i].effect);
	gaudi_store_write(chip, GLOBAL_CONF(off), value);
	return 0;
}

static void global_conf_values(struct gaudi_chip *chip, unsigned int inst)
{
	(void)inst;
	gaudi_store_write(chip, GLOBAL_CONF(PSOC_BOOT_STRAP_PINS),
			  FIELD_PREP(PSOC_BOOT_STRAP_CARD_LOCATION,
				     chip->config.module_id));
}

void gaudi_psoc_power_on(struct gaudi_chip *chip)
{
	memset(chip->soc->kept_flops, 0, sizeof(chip->soc->kept_flops));
}

/* --- timestamp --------------------------------------------------------------- */

/* Of the model of time, where there is one. */
static uint64_t clock_ns(struct gaudi_chip *chip)
{
	return chip->clock.on ? chip->clock.at_ps / 1000 : gaudi_now_ns(chip);
}

/* The counter runs at output 2 of the CPU PLL; the driver reads that rate. */
static uint64_t counter_now(struct gaudi_chip *chip)
{
	const struct gaudi_timestamp *ts = &chip->soc->timestamp;
	uint64_t ns;

	if (!ts->running)
		return ts->base;
	ns = clock_ns(chip);
	ns -= ts->start_ns < ns ? ts->start_ns : ns;
	return ts->base + ns / NSEC_PER_SEC * GAUDI_PSOC_CLK_HZ +
	       ns % NSEC_PER_SEC * GAUDI_PSOC_CLK_HZ / NSEC_PER_SEC;
}

void gaudi_psoc_state(struct gaudi_chip *chip, FILE *out)
{
	fprintf(out, "\"counter\": {\"value\": %llu, \"hz\": %u, \"ns\": %llu}, ",
		(unsigned long long)counter_now(chip), GAUDI_PSOC_CLK_HZ,
		(unsigned long long)gaudi_real_ns());
}

/* From now on the counter goes on from base. */
static void counter_set(struct gaudi_chip *chip, uint64_t base, bool running)
{
	chip->soc->timestamp.base = base;
	chip->soc->timestamp.start_ns = clock_ns(chip);
	chip->soc->timestamp.running = running;
}

static uint32_t timestamp_read(struct gaudi_chip *chip, unsigned int inst,
			       uint32_t off)
{
	(void)inst;
	switch (off) {
	case PSOC_TIMESTAMP_CNTCVL:
		return (uint32_t)counter_now(chip);
	case PSOC_TIMESTAMP_CNTCVU:
		return counter_now(chip) >> 32;
	}
	return gaudi_store_read(chip, TIMESTAMP(off));
}

static int timestamp_write(struct gaudi_chip *chip, unsigned int inst,
			   uint32_t off, uint32_t value,
			   const struct gaudi_txn *txn)
{
	uint64_t now = counter_now(chip);

	(void)inst;
	(void)txn;
	switch (off) {
	case PSOC_TIMESTAMP_CNTCR:
		counter_set(chip, now, value & PSOC_TIMESTAMP_CNTCR_EN);
		break;
	case PSOC_TIMESTAMP_CNTCVL:
		counter_set(chip, (now & ~0xffffffffull) | value,
			    chip->soc->timestamp.running);
		return 0;
	case PSOC_TIMESTAMP_CNTCVU:
		counter_set(chip, (now & 0xffffffffull) |
			    (uint64_t)value << 32, chip->soc->timestamp.running);
		return 0;
	}
	gaudi_store_write(chip, TIMESTAMP(off), value);
	return 0;
}

static void timestamp_reset(struct gaudi_chip *chip, unsigned int inst)
{
	(void)inst;
	counter_set(chip, 0, false);
}

/* --- PLLs --------------------------------------------------------------------- */

/*
 * A PLL runs at 50 MHz * (NF + 1) / ((NR + 1) * (OD + 1)); its outputs at that,
 * a half, a half and a quarter. The frequencies are those of the board
 * description in firmware-stub/board/.
 */
struct pll_values {
	uint8_t nf, od;
};

static const struct pll_values pll_values[] = {
	[GAUDI_PLL_DMA_W] = { 19, 0 },		/* 1000 MHz */
	[GAUDI_PLL_IF_W] = { 19, 0 },
	[GAUDI_PLL_IF_E] = { 19, 0 },
	[GAUDI_PLL_DMA_E] = { 19, 0 },
	[GAUDI_PLL_MESH_W] = { 19, 0 },
	[GAUDI_PLL_SRAM_W] = { 19, 0 },
	[GAUDI_PLL_MESH_E] = { 19, 0 },
	[GAUDI_PLL_SRAM_E] = { 19, 0 },
	[GAUDI_PLL_CPU] = { 31, 0 },		/* 1600 MHz */
	[GAUDI_PLL_MME] = { 62, 1 },		/* 1575 MHz */
	[GAUDI_PLL_PCI] = { 9, 0 },		/* 500 MHz */
	[GAUDI_PLL_TPC] = { 62, 1 },
	[GAUDI_PLL_HBM] = { 19, 0 },
	[GAUDI_PLL_NIC0] = { 16, 0 },		/* 850 MHz */
	[GAUDI_PLL_NIC1] = { 16, 0 },
	[GAUDI_PLL_NIC2_HBM] = { 19, 0 },
	[GAUDI_PLL_NIC2_MME] = { 62, 1 },
	[GAUDI_PLL_NIC2_TPC] = { 62, 1 },
};

static const uint8_t pll_factors[4] = { 0, 1, 1, 3 };

static void pll_values_set(struct gaudi_chip *chip, unsigned int inst)
{
	uint32_t base = gaudi_block_base(chip, &gaudi_pll_ops, inst);
	unsigned int i;

	gaudi_store_write(chip, base + PLL_NF, pll_values[inst].nf);
	gaudi_store_write(chip, base + PLL_OD, pll_values[inst].od);
	for (i = 0; i < ARRAY_SIZE(pll_factors); i++) {
		gaudi_store_write(chip, base + PLL_DIV_FACTOR(i),
				  pll_factors[i]);
		gaudi_store_write(chip, base + PLL_DIV_SEL(i),
				  pll_factors[i] ? PLL_DIV_SEL_DIVIDED_PLL :
						   PLL_DIV_SEL_PLL_CLK);
	}
}

const struct gaudi_block_ops gaudi_psoc_global_conf_ops = {
	.name = "PSOC_GLOBAL_CONF",
	.values = global_conf_values,
	.read = global_conf_read,
	.write = global_conf_write,
};

const struct gaudi_block_ops gaudi_psoc_timestamp_ops = {
	.name = "PSOC_TIMESTAMP",
	.reset = timestamp_reset,
	.read = timestamp_read,
	.write = timestamp_write,
};

const struct gaudi_block_ops gaudi_pll_ops = {
	.name = "PLL",
	.values = pll_values_set,
};
