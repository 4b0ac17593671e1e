// SPDX-License-Identifier: GPL-2.0-only
/*
 * The things that a guest can do to a card, one function each: registers,
 * time, the bus. Packets and queues are in ops_queue.c, the embedded CPU in
 * ops_cpu.c.
 */
#include "../../uapi/hw/regs/gaudi_rtr_regs.h"
#include "ops.h"

/* --- addresses and registers ----------------------------------------------- */

/* Blocks with behaviour: base, distance, how many, bytes of each. */
static const struct {
	uint32_t base, stride, count, len;
} blocks[] = {
	{ GAUDI_DMA_QM_BASE(0), 0x20000, 8, 0x1000 },
	{ GAUDI_DMA_CORE_BASE(0), 0x20000, 8, 0x300 },
	{ GAUDI_SYNC_MNGR_W_S_BASE, 0x20000, 4, 0x7000 },
	{ GAUDI_TPC_QM_BASE(0), 0x40000, 8, 0x1000 },
	{ GAUDI_TPC_CFG_BASE(0), 0x40000, 8, 0x1000 },
	{ GAUDI_MME_QM_BASE(0), 0x100000, 2, 0x1000 },
	{ GAUDI_MME_CTRL_BASE(0), 0x80000, 4, 0x1000 },
	{ GAUDI_NIC_QM_BASE(0), 0x40000, 5, 0x1000 },
	{ GAUDI_NIC_QM_BASE(1), 0x40000, 5, 0x1000 },
	{ GAUDI_MMU_UP_BASE, 0x1000, 2, 0x1000 },
	{ GAUDI_CPU_IF_BASE, 0, 1, 0x300 },
	{ GAUDI_GIC_BASE, 0, 1, 0x80 },
	{ GAUDI_PSOC_GLOBAL_CONF_BASE, 0, 1, 0x1000 },
	{ GAUDI_PSOC_TIMESTAMP_BASE, 0, 1, 0x40 },
	{ GAUDI_PCIE_WRAP_BASE, 0x1000, 8, 0x1000 },
	{ GAUDI_PCIE_MSI_BASE, 0, 1, 0x1000 },
	{ GAUDI_PSOC_CPU_PLL_BASE, 0x1000, 5, 0x400 },
	{ GAUDI_SIF_RTR(0), 0x10000, 8, 0x1000 },
	{ GAUDI_NIF_RTR(0), 0x10000, 8, 0x7000 },
	{ GAUDI_DMA_IF_BASE(0), 0x20000, 4, 0xa000 },
	{ 0xcc0000, 0x40000, 5, 0x20000 },	/* NIC */
	{ 0x2c43000, 0x1000, 2, 0x1000 },	/* trace buffers */
	{ 0x2503000, 0x20000, 8, 0x1000 },
	{ 0, 0, 1, 0x4000000 },
};

uint32_t any_reg(unsigned int sel, uint64_t off)
{
	unsigned int b = sel % ARRAY_LEN(blocks);
	uint32_t inst = (off >> 32) % blocks[b].count;

	return blocks[b].base + inst * blocks[b].stride +
	       (uint32_t)off % blocks[b].len;
}

static uint64_t bar_addr(unsigned int sel, uint64_t off)
{
	const struct world_card *card = &world.card[sel / 4 % NUM_CARDS];

	switch (sel % 4) {
	case 0:
		return card->bar[0] + off % GAUDI_BAR_SRAM_SIZE;
	case 1:
		return card->bar[1] + GAUDI_BAR_CFG_REGS +
		       any_reg(sel >> 3, off);
	case 2:
		return card->bar[2] + off % HBM_SIZE;
	default:
		return card->bar[1] + off % GAUDI_BAR_CFG_SIZE;
	}
}

uint64_t any_bus_addr(unsigned int sel, uint64_t off)
{
	switch (sel % 4) {
	case 0:
		return RAM_BASE + off % RAM_SIZE;
	case 1:
		return RAM_BASE + RAM_SIZE - off % 4096;
	case 2:
		return bar_addr(sel >> 2, off);
	default:
		return off;
	}
}

uint64_t (*user_addr)(unsigned int sel, uint64_t off);

uint64_t any_addr(unsigned int sel, uint64_t off)
{
	if (user_addr)
		return user_addr(sel, off);
	switch (sel % 12) {
	case 0:
		return off % HBM_SIZE;
	case 1:
		return HBM_SIZE - off % 4096;
	case 2:
		return GAUDI_SRAM_BASE + off % (GAUDI_SRAM_SIZE + 4096);
	case 3:
		return GAUDI_CFG_BASE + any_reg(sel / 12, off);
	case 4:
	case 5:
		return world_dev(off);
	case 6:
	case 7:
		return GAUDI_HOST_BASE + bar_addr(sel / 12, off);
	case 8:
		return GAUDI_VA_HOST_START + off % 0x1000000;
	case 9:
		return GAUDI_CFG_BASE + GAUDI_SYNC_MNGR_E_N_BASE + 0x2000 +
		       off % 0x4800;
	case 10:
		return GAUDI_FLASH_BASE + off % 0x8000000;
	default:
		return off;
	}
}

/* --- registers ------------------------------------------------------------- */

void op_reg_write(struct world_card *card, const struct rec *r)
{
	unsigned int n = 1 + r->flags / 16, i;
	uint32_t off = any_reg(r->sel, r->addr) & ~3u;

	/* A run of registers: addresses and sizes come in pairs */
	for (i = 0; i < n; i++)
		engine_wr(card, (off + 4 * i) % GAUDI_CFG_SIZE,
		       r->value + i * (r->flags & 15));
}

void op_reg_read(struct world_card *card, const struct rec *r)
{
	reg_rd(card, any_reg(r->sel, r->addr) & ~3u);
}

static const unsigned int bar_numbers[] = { 2, 0, 4, 2, 2, 0, 4, 1 };

static uint64_t bar_off(const struct rec *r)
{
	if (r->flags & 0x40)
		return GAUDI_BAR_CFG_REGS + any_reg(r->sel, r->addr);
	if (r->flags & 0x20)
		return r->addr;
	return r->addr % (GAUDI_BAR_CFG_SIZE + 8);
}

void op_bar_write(struct world_card *card, const struct rec *r)
{
	card->used = true;
	gaudi_chip_bar_write(card->chip, bar_numbers[r->flags & 7], bar_off(r),
			     r->value * 0x100000001ull ^ (uint64_t)r->sel << 40,
			     1u << (r->flags >> 3 & 3));
}

void op_bar_read(struct world_card *card, const struct rec *r)
{
	card->used = true;
	gaudi_chip_bar_read(card->chip, bar_numbers[r->flags & 7], bar_off(r),
			    1u << (r->flags >> 3 & 3));
}

void op_elbi(struct world_card *card, const struct rec *r)
{
	unsigned int off = 0xff0 + (r->sel & 0xf & ~3u);

	card->used = true;
	if (r->flags & 1) {
		/* whole protocol: address, data, control */
		gaudi_chip_elbi_write(card->chip, 0xff0, (r->flags & 2) ?
				      r->value : 0xfc000000 +
				      any_reg(r->sel, r->addr));
		gaudi_chip_elbi_write(card->chip, 0xff4, r->value);
		gaudi_chip_elbi_write(card->chip, 0xff8, r->flags >> 2 & 3);
		gaudi_chip_elbi_read(card->chip, 0xffc);
	} else if (r->flags & 2) {
		gaudi_chip_elbi_write(card->chip, off, r->value);
	} else {
		gaudi_chip_elbi_read(card->chip, off);
	}
}

/* --- time, resets, the bus -------------------------------------------------- */

void op_run(struct world_card *card, const struct rec *r)
{
	(void)card;
	world_run(r->value % 512);
}

void op_advance(struct world_card *card, const struct rec *r)
{
	(void)card;
	world_advance(r->value % 4 ? r->value : r->addr % 100000000000ull);
}

/* Seldom: it takes longer than all the rest, and ends what went before. */
void op_reset(struct world_card *card, const struct rec *r)
{
	if (r->value & 7)
		return;
	card->used = true;
	if (r->flags & 1)
		gaudi_chip_power_on(card->chip);
	else
		reg_wr(card, GAUDI_PSOC_GLOBAL_CONF_BASE + 0x498, 1);
}

/* Also over RAM and over other BARs: the host decides what wins. */
void op_move_bar(struct world_card *card, const struct rec *r)
{
	world_move_bar(card, r->sel, any_bus_addr(r->flags, r->addr) &
		       ~0xfffull);
}

void op_bus_master(struct world_card *card, const struct rec *r)
{
	card->bus_master = r->flags & 1;
}

/* An inbound region of the iATU says what BAR 4 shows, or another BAR. */
void op_window(struct world_card *card, const struct rec *r)
{
	uint64_t target = any_addr(r->sel, r->addr);
	uint32_t region = GAUDI_PCIE_DBI_BASE + 0x100 + r->flags % 8 * 0x200;

	if (r->flags & 0x80)
		target &= ~0xfffull;
	reg_wr(card, GAUDI_PCIE_AUX_BASE + 0x490, 0x300000);
	reg_wr(card, region + 0x14, target);
	reg_wr(card, region + 0x18, target >> 32);
	reg_wr(card, region + 0x4, r->flags & 0x40 ? r->value : 0xc0000400);
	if (r->flags & 0x20)
		reg_wr(card, GAUDI_PCIE_AUX_BASE + 0x490, 0);
}

/* --- the list -------------------------------------------------------------- */

void run_ops(const uint8_t *data, size_t size, op_fn * const *ops,
	     unsigned int num_ops)
{
	struct rec r;
	size_t n;

	world_begin();
	queues_begin();
	cpu_begin();
	for (n = 0; n < MAX_RECORDS && size >= sizeof(r); n++) {
		memcpy(&r, data, sizeof(r));
		data += sizeof(r);
		size -= sizeof(r);
		ops[r.op % num_ops](&world.card[r.unit >> 7], &r);
	}
	world_end();
}
