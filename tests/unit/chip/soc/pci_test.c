// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a driver does before it has a BAR: ELBI and the address translation
 * unit; and what survives a hard reset. BAR access sizes, interrupts on
 * request.
 */
#include "../card.h"

#define ELBI_ADDR	0xff0
#define ELBI_DATA	0xff4
#define ELBI_CTRL	0xff8
#define ELBI_STS	0xffc
#define DONE		0x80000000u
#define ERR		0x40000000u

static uint32_t elbi_access(struct card *card, uint32_t addr, uint32_t ctrl)
{
	gaudi_chip_elbi_write(card->chip, ELBI_STS, 0);
	assert_int_equal(gaudi_chip_elbi_read(card->chip, ELBI_STS), 0);
	gaudi_chip_elbi_write(card->chip, ELBI_ADDR, addr);
	gaudi_chip_elbi_write(card->chip, ELBI_CTRL, ctrl);
	return gaudi_chip_elbi_read(card->chip, ELBI_STS);
}

static uint32_t elbi_rd(struct card *card, uint32_t addr)
{
	assert_int_equal(elbi_access(card, addr, 0) & (DONE | ERR), DONE);
	return gaudi_chip_elbi_read(card->chip, ELBI_DATA);
}

static void elbi_wr(struct card *card, uint32_t addr, uint32_t value)
{
	gaudi_chip_elbi_write(card->chip, ELBI_STS, 0);
	gaudi_chip_elbi_write(card->chip, ELBI_ADDR, addr);
	gaudi_chip_elbi_write(card->chip, ELBI_DATA, value);
	gaudi_chip_elbi_write(card->chip, ELBI_CTRL, 0x80000000);
	assert_int_equal(gaudi_chip_elbi_read(card->chip, ELBI_STS) &
			 (DONE | ERR), DONE);
}

/* The first access of all: capability bits of the firmware. */
CARD_TEST(elbi_reads_boot_caps)
{
	uint32_t sts0 = elbi_rd(card, 0xfcc4b150);

	assert_int_equal(sts0, rd(card, 0xc4b150));
	/* Counts only with bit 31; security must not be claimed. */
	assert_true(!sts0 || sts0 & 0x80000000);
	assert_false(sts0 & 1);
}

CARD_TEST(elbi_writes_registers)
{
	elbi_wr(card, 0xfcc01b48, 0x1234abcd);	/* LBW_PROT_OVR: storage */
	assert_int_equal(rd(card, 0xc01b48), 0x1234abcd);
	assert_int_equal(elbi_rd(card, 0xfcc01b48), 0x1234abcd);
	wr(card, 0xc01b48, 5);
	assert_int_equal(elbi_rd(card, 0xfcc01b48), 5);
}

CARD_TEST(elbi_bad_address)
{
	uint32_t sts = elbi_access(card, 0xfcc4b151, 0);

	assert_int_equal(sts & ERR, ERR);
	/* and the next good one works */
	elbi_rd(card, 0xfcc4b150);
}

CARD_TEST(elbi_other_offsets)
{
	gaudi_chip_elbi_write(card->chip, 0xfec, 0xffffffff);
	gaudi_chip_elbi_write(card->chip, 0x1000, 0xffffffff);
	assert_int_equal(gaudi_chip_elbi_read(card->chip, 0xfec), 0);
	assert_int_equal(gaudi_chip_elbi_read(card->chip, 0x1000), 0);
}

static void iatu_wr(struct card *card, uint32_t off, uint32_t value)
{
	elbi_wr(card, 0xfcc07490, 0x00300000);
	elbi_wr(card, 0xfcc02000 + off, value);
}

static void inbound(struct card *card, unsigned int n, unsigned int bar,
		    uint64_t target)
{
	uint32_t base = 0x100 + 0x200 * n;

	iatu_wr(card, base + 0x14, target);
	iatu_wr(card, base + 0x18, target >> 32);
	iatu_wr(card, base + 0x0, 0);
	iatu_wr(card, base + 0x4, 0xc0080000 | bar << 8);
	elbi_wr(card, 0xfcc07490, 0);
}

CARD_TEST(iatu_moves_hbm_window)
{
	uint8_t *hbm = card_hbm(card);

	inbound(card, 0, 0, 0x7ff0000000);
	inbound(card, 1, 2, 0x7ff8000000);
	inbound(card, 2, 4, 0);
	assert_true(card->windows == 0 || card->window == 0);
	inbound(card, 2, 4, 0x10000000);
	assert_int_equal(card->window, 0x10000000);

	hbm[0x10000004] = 0x5a;
	assert_int_equal(gaudi_chip_bar_read(card->chip, 4, 4, 1), 0x5a);
	gaudi_chip_bar_write(card->chip, 4, 8, 0x1122334455667788, 8);
	assert_int_equal(hbm[0x10000008], 0x88);
	assert_int_equal(hbm[0x1000000f], 0x11);

	/* Out of the card: refused, the window stays. */
	inbound(card, 2, 4, 1ull << 40);
	assert_int_equal(card->window, 0x10000000);
}

CARD_TEST(iatu_reads_back)
{
	iatu_wr(card, 0x008, 0x12340000);
	assert_int_equal(elbi_rd(card, 0xfcc02008), 0x12340000);
	/* Without the selector the window is configuration space. */
	elbi_wr(card, 0xfcc07490, 0);
	assert_int_equal(elbi_rd(card, 0xfcc02000), 0x10001da3);
	iatu_wr(card, 0x00c, 0x80);
	assert_int_equal(elbi_rd(card, 0xfcc02008), 0x12340000);
	elbi_wr(card, 0xfcc07490, 0);
}

static void hard_reset(struct card *card)
{
	wr(card, 0xc4b498, 1);
	card_advance(card, 2000000000);
}

CARD_TEST(hard_reset_keeps_pci)
{
	inbound(card, 2, 4, 0x4000000);
	wr(card, 0xc4b100, 1);		/* HW_STATE: dirty */
	wr(card, SM_E_N + SOB(7), 99);
	wr(card, DMA_QM(3) + 0x0, 0x3fff);
	hard_reset(card);
	assert_int_equal(rd(card, 0xc4b100), 0);
	assert_int_equal(rd(card, SM_E_N + SOB(7)), 0);
	assert_int_equal(rd(card, DMA_QM(3) + 0x0), 0);
	assert_int_equal(rd(card, 0xc4b498), 0);	/* self-clearing */
	assert_int_equal(rd(card, 0xc4b028) & 0xf, 0);	/* BTM_FSM */
	assert_int_equal(card->window, 0x4000000);
	elbi_wr(card, 0xfcc07490, 0x00300000);
	assert_int_equal(elbi_rd(card, 0xfcc02000 + 0x514), 0x4000000);
	elbi_wr(card, 0xfcc07490, 0);
}

CARD_TEST(power_on_resets_pci)
{
	inbound(card, 2, 4, 0x4000000);
	gaudi_chip_power_on(card->chip);
	card_settle(card);
	assert_int_equal(card->window, 0);
	elbi_wr(card, 0xfcc07490, 0x00300000);
	assert_int_equal(elbi_rd(card, 0xfcc02000 + 0x514), 0);
}

CARD_TEST(msi_on_request)
{
	unsigned int i, others = 0;

	wr_settle(card, 0xc04100, 1);
	assert_int_equal(card->msi[0], 1);
	wr_settle(card, 0xc04100, 0);
	assert_int_equal(card->msi[0], 2);
	wr_settle(card, 0xc13000 + 4 * 5, 1);
	assert_int_equal(card->msi[5], 1);
	for (i = 1; i < 32; i++)
		others += card->msi[i];
	assert_int_equal(others, 1);
}

CARD_TEST(bar_access_sizes)
{
	uint64_t scratch = 0x4000000ull + 0xc4b110;	/* scratchpads */
	unsigned int i;

	gaudi_chip_bar_write(card->chip, 2, scratch, 0x8877665544332211, 8);
	assert_int_equal(rd(card, 0xc4b110), 0x44332211);
	assert_int_equal(rd(card, 0xc4b114), 0x88776655);
	for (i = 0; i < 8; i++)
		assert_int_equal(gaudi_chip_bar_read(card->chip, 2,
						     scratch + i, 1),
				 0x11 * (i + 1));
	assert_int_equal(gaudi_chip_bar_read(card->chip, 2, scratch + 2, 2),
			 0x4433);
	gaudi_chip_bar_write(card->chip, 2, scratch + 1, 0xaa, 1);
	assert_int_equal(rd(card, 0xc4b110), 0x4433aa11);
	gaudi_chip_bar_write(card->chip, 2, scratch + 2, 0xbbcc, 2);
	assert_int_equal(rd(card, 0xc4b110), 0xbbccaa11);
}

CARD_TEST(sram_through_bar0)
{
	uint8_t *sram = card_sram(card);

	gaudi_chip_bar_write(card->chip, 0, 0x1000, 0x0102030405060708, 8);
	assert_int_equal(sram[0x1000], 8);
	assert_int_equal(sram[0x1007], 1);
	assert_int_equal(gaudi_chip_bar_read(card->chip, 0, 0x1004, 4),
			 0x01020304);
}

/* Every byte of every BAR, its end, and beyond: an answer, no crash. */
CARD_TEST(bars_are_total)
{
	static const struct { unsigned int bar; uint64_t size; } bars[] = {
		{ 0, 0x4000000 }, { 2, 0x8000000 }, { 4, 1ull << 30 },
	};
	unsigned int b, size;
	uint64_t off;

	for (b = 0; b < 3; b++) {
		for (off = 0; off < bars[b].size; off += 0x10000 - 8)
			gaudi_chip_bar_read(card->chip, bars[b].bar,
					    off & ~7ull, 8);
		for (size = 1; size <= 8; size *= 2) {
			off = bars[b].size - size;
			gaudi_chip_bar_write(card->chip, bars[b].bar, off, 0,
					     size);
			gaudi_chip_bar_read(card->chip, bars[b].bar, off, size);
			/* straddling the end, and far beyond */
			gaudi_chip_bar_read(card->chip, bars[b].bar,
					    bars[b].size - 1, size);
			gaudi_chip_bar_read(card->chip, bars[b].bar,
					    bars[b].size + 64, size);
			gaudi_chip_bar_write(card->chip, bars[b].bar,
					     UINT64_MAX - 7, 0, size);
		}
	}
	gaudi_chip_bar_read(card->chip, 1, 0, 4);
	gaudi_chip_bar_write(card->chip, 77, 0, 0, 4);
}

/* What nobody listens to costs no call; who begins to listen, hears at once. */
QUEUE_TEST(traced_kinds_only, queue_external(card, 0, 0x10000))
{
	struct cb cb = cb_host(card, 0x100000);
	unsigned int before;

	put_nop(&cb);
	put_add(&cb, 1, 1);
	put_lin_dma(&cb, USER_HBM, SRAM, 64, 9);
	queue_run(card, &q, &cb);
	rd(card, DMA_CORE(0));
	gaudi_chip_power_on(card->chip);
	assert_int_equal(card->traces, 0);
	q = queue_external(card, 0, 0x10000);
	card->traced = 1 << GAUDI_TRACE_PACKET;
	queue_run(card, &q, &cb);
	assert_int_equal(card->traces, 3);
	card->traced |= 1 << GAUDI_TRACE_REG_READ;
	rd(card, DMA_CORE(0));
	assert_int_equal(card->traces, 4);
	card->traced = 1 << GAUDI_TRACE_DMA;
	queue_run(card, &q, &cb);
	assert_int_equal(card->traces, 5);
	before = card->traces;
	card->traced = 0;
	queue_run(card, &q, &cb);
	wr(card, DMA_CORE(0), 1);
	assert_int_equal(card->traces, before);
}
