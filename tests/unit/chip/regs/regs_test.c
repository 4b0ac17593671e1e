// SPDX-License-Identifier: GPL-2.0-only
/*
 * The card against the tables of its registers: what a read shows after power-on
 * and after a reset, much of which the card works out at each read, and that
 * registers that are read-only stay what they are.
 *
 * Here the tables are not written again by hand: what single registers do is for
 * the tests of their blocks.
 */
#include "../card.h"

#define PROT_BITS	0xf80

enum access { RW, RO, WT, W1C, W0C };

struct row {
	const char *name;
	uint32_t off, count, stride, reset;
	enum access access;
};

#define REG(name, off, reset, access, ...) \
	{ #name, off, 1, 4, reset, access },
#define REGS(before, after, off, count, stride, reset, access, ...) \
	{ #before "#" #after, off, count, stride, reset, access },

static const struct row qman[] = {
#include "../../../../uapi/hw/regs/gaudi_qman.def"
};

static const struct row dma_core[] = {
#include "../../../../uapi/hw/regs/gaudi_dma_core.def"
};

static const struct row tpc_cfg[] = {
#include "../../../../uapi/hw/regs/gaudi_tpc_cfg.def"
};

static const struct row mme_ctrl[] = {
#include "../../../../uapi/hw/regs/gaudi_mme_ctrl.def"
};

static const struct row sync_mngr[] = {
#include "../../../../uapi/hw/regs/gaudi_sync_mngr.def"
};

static const struct row mmu_up[] = {
#include "../../../../uapi/hw/regs/gaudi_mmu_up.def"
};

static const struct row stlb[] = {
#include "../../../../uapi/hw/regs/gaudi_stlb.def"
};

static const struct row cpu_if[] = {
#include "../../../../uapi/hw/regs/gaudi_cpu_if.def"
};

static const struct row timestamp[] = {
#include "../../../../uapi/hw/regs/gaudi_psoc_timestamp.def"
};

static const struct row tmc[] = {
#include "../../../../uapi/hw/regs/gaudi_tmc.def"
};

#define ROWS(table)	table, sizeof(table) / sizeof(*(table))

/*
 * Not PLLs, whose values differ, the scratchpads, which firmware writes, nor
 * what no function answers for.
 */
static const struct {
	uint32_t base, stride, count;
	const struct row *row;
	size_t rows;
} blocks[] = {
	{ DMA_QM(0), 0x20000, 8, ROWS(qman) },
	{ TPC_QM(0), 0x40000, 8, ROWS(qman) },
	{ MME_QM0, 0x100000, 2, ROWS(qman) },
	{ 0xce0000, 0x40000, 5, ROWS(qman) },
	{ 0xce2000, 0x40000, 5, ROWS(qman) },
	{ DMA_CORE(0), 0x20000, 8, ROWS(dma_core) },
	{ 0xe06000, 0x40000, 8, ROWS(tpc_cfg) },
	{ 0x060000, 0x80000, 4, ROWS(mme_ctrl) },
	{ SM_W_S, 0x20000, 4, ROWS(sync_mngr) },
	{ 0xc11000, 0, 1, ROWS(mmu_up) },
	{ 0xc12000, 0, 1, ROWS(stlb) },
	{ 0x442000, 0, 1, ROWS(cpu_if) },
	{ 0xc49000, 0, 1, ROWS(timestamp) },
	{ 0x2c43000, 0, 1, ROWS(tmc) },
};

typedef void each_fn(struct card *card, uint32_t off, const struct row *row);

static void for_rows(struct card *card, each_fn *fn, uint32_t base,
		     const struct row *row, size_t rows)
{
	const struct row *end = row + rows;
	uint32_t i, off;

	for (; row < end; row++)
		for (i = 0; i < row->count; i++) {
			off = row->off + i * row->stride;
			/* A block's page ends in protection bits. */
			if (off < PROT_BITS || off >= 0x1000)
				fn(card, base + off, row);
		}
}

static void for_each(struct card *card, each_fn *fn)
{
	uint32_t n;
	size_t b;

	for (b = 0; b < sizeof(blocks) / sizeof(*blocks); b++)
		for (n = 0; n < blocks[b].count; n++)
			for_rows(card, fn,
				 blocks[b].base + n * blocks[b].stride,
				 blocks[b].row, blocks[b].rows);
}

static void check(struct card *card, uint32_t off, const struct row *row)
{
	uint32_t is = rd(card, off);

	if (is != row->reset)
		fail_msg("%s at %x is %x", row->name, off, is);
}

static void spoil(struct card *card, uint32_t off, const struct row *row)
{
	if (row->access != RO)
		return;
	wr(card, off, ~row->reset);
	gaudi_chip_bar_write(card->chip, 2, 0x4000000ull + off + 1, 0xa5, 1);
	check(card, off, row);
}

static void set(struct card *card, uint32_t off, const struct row *row)
{
	/* Values that are kept, whatever else they do. */
	if (row->access == RW)
		wr(card, off, row->reset ^ 0x100);
}

CARD_TEST(values_after_power_on)
{
	for_each(card, check);
}

CARD_TEST(read_only_registers)
{
	for_each(card, spoil);
	for_each(card, check);
}

CARD_TEST(values_after_a_reset)
{
	for_each(card, set);
	gaudi_chip_hard_reset(card->chip);
	card_settle(card);
	for_each(card, check);
}

/* What they hold after power-on is in the same memory, until it is written to. */
TEST(other_cards_keep_their_values)
{
	struct card *card = card_new(NULL, 0), *other = card_new(NULL, 0), *later;

	for_each(card, set);
	for_each(other, check);
	later = card_new(NULL, 0);
	for_each(later, check);
	gaudi_chip_hard_reset(card->chip);
	card_settle(card);
	for_each(card, check);
	card_free(later);
	card_free(other);
	card_free(card);
}
