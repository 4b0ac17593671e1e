// SPDX-License-Identifier: GPL-2.0-only
/*
 * Machine set-up and accessors of slot.h.
 */
#include "qemu/osdep.h"
#include "slot.h"

#define CARD_DEVFN	(4 << 3)

static void pio_config_writel(QTestState *qts, unsigned int devfn,
			      unsigned int off, uint32_t value)
{
	qtest_outl(qts, 0xcf8, 0x80000000 | devfn << 8 | off);
	qtest_outl(qts, 0xcfc, value);
}

struct slot slot_start(const char *card_properties, const char *extra)
{
	struct slot slot = { 0 };

	slot.qts = qtest_initf("-machine q35 -m 256M -nodefaults %s "
			       "-device gaudi,id=card,addr=4,hbm-size=1G%s%s",
			       extra, *card_properties ? "," : "",
			       card_properties);
	/* MMCONFIG: PCIEXBAR of the memory controller, 256 MiB, enabled */
	pio_config_writel(slot.qts, 0, 0x64, 0);
	pio_config_writel(slot.qts, 0, 0x60, MMCONFIG | 1);
	slot.cfg = MMCONFIG + ((uint64_t)CARD_DEVFN << 12);
	return slot;
}

void slot_stop(struct slot *slot)
{
	qtest_quit(slot->qts);
}

uint32_t cfg_readl(struct slot *slot, unsigned int off)
{
	return qtest_readl(slot->qts, slot->cfg + off);
}

void cfg_writel(struct slot *slot, unsigned int off, uint32_t value)
{
	qtest_writel(slot->qts, slot->cfg + off, value);
}

uint16_t cfg_readw(struct slot *slot, unsigned int off)
{
	return qtest_readw(slot->qts, slot->cfg + off);
}

void cfg_writew(struct slot *slot, unsigned int off, uint16_t value)
{
	qtest_writew(slot->qts, slot->cfg + off, value);
}

static void find_capabilities(struct slot *slot)
{
	uint8_t pos = cfg_readl(slot, 0x34);
	unsigned int n = 0;

	while (pos) {
		uint32_t cap = cfg_readl(slot, pos);

		g_assert_cmpuint(n++, <, 48);
		if ((cap & 0xff) == 0x01)
			slot->pm = pos;
		else if ((cap & 0xff) == 0x05)
			slot->msi = pos;
		else if ((cap & 0xff) == 0x10)
			slot->exp = pos;
		pos = cap >> 8 & 0xff;
	}
}

void slot_enable(struct slot *slot)
{
	find_capabilities(slot);
	cfg_writel(slot, 0x10, BAR0);
	cfg_writel(slot, 0x14, 0);
	cfg_writel(slot, 0x18, BAR2);
	cfg_writel(slot, 0x1c, 0);
	cfg_writel(slot, 0x20, (uint32_t)BAR4);
	cfg_writel(slot, 0x24, BAR4 >> 32);
	cfg_writew(slot, 0x04, 0x6);
}

uint32_t rd(struct slot *slot, uint32_t reg)
{
	return qtest_readl(slot->qts, REGS + reg);
}

void wr(struct slot *slot, uint32_t reg, uint32_t value)
{
	qtest_writel(slot->qts, REGS + reg, value);
}

void slot_wait(struct slot *slot, uint32_t reg, uint32_t mask, uint32_t value)
{
	gint64 end = g_get_monotonic_time() + 10 * G_USEC_PER_SEC;

	while ((rd(slot, reg) & mask) != value) {
		if (g_get_monotonic_time() > end)
			g_error("register 0x%x is 0x%x, not 0x%x (mask 0x%x)",
				reg, rd(slot, reg), value, mask);
		qtest_clock_step(slot->qts, 1000000);
		g_usleep(100);
	}
}

static void elbi_go(struct slot *slot, uint32_t addr, uint32_t ctrl)
{
	cfg_writel(slot, 0xff0, addr);
	cfg_writel(slot, 0xff8, ctrl);
	g_assert_cmphex(cfg_readl(slot, 0xffc) & 0xc0000000, ==, 0x80000000);
}

uint32_t elbi_read(struct slot *slot, uint32_t addr)
{
	cfg_writel(slot, 0xffc, 0);
	g_assert_cmphex(cfg_readl(slot, 0xffc), ==, 0);
	elbi_go(slot, addr, 0);
	return cfg_readl(slot, 0xff4);
}

void elbi_write(struct slot *slot, uint32_t addr, uint32_t value)
{
	cfg_writel(slot, 0xffc, 0);
	cfg_writel(slot, 0xff4, value);
	elbi_go(slot, addr, 0x80000000);
}
