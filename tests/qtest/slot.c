// SPDX-License-Identifier: GPL-2.0-only
/*
 * Machine set-up, accessors and jobs of slot.h.
 */
#include "qemu/osdep.h"
#include "qobject/qdict.h"
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

/* --- jobs ------------------------------------------------------------------ */

void enable_msi(struct slot *s, unsigned int log2_vectors)
{
	cfg_writel(s, s->msi + 4, MSI_AT);
	cfg_writel(s, s->msi + 8, 0);
	cfg_writew(s, s->msi + 12, 0x4140);
	cfg_writew(s, s->msi + 2, 1 | log2_vectors << 4);
	qtest_writel(s->qts, MSI_AT, 0);
}

void queue_init(struct slot *s)
{
	uint64_t ring = HOST + RING;

	wr(s, DMA_QM(0) + 0x70, ring);
	wr(s, DMA_QM(0) + 0x80, ring >> 32);
	wr(s, DMA_QM(0) + 0x90, 12);
	wr(s, DMA_QM(0) + 0xa0, 0);
	wr(s, DMA_QM(0) + 0xb0, 0);
	wr(s, DMA_QM(0) + 0x2c8, 0x74);
	wr(s, DMA_QM(0) + 0x2e0, 0x14);
	wr(s, DMA_QM(0) + 0x2f4, 0x1c);
	wr(s, DMA_QM(0) + 0x8, 0x5eff);
	wr(s, DMA_CORE(0) + 0xb8, 2);
	wr(s, DMA_CORE(0) + 0xf0, 0x400);
	wr(s, DMA_CORE(0) + 0x0, 1);
	wr(s, DMA_QM(0) + 0x0, 0x1eff);
}

void msg_prot(struct slot *s, uint64_t at, uint64_t addr, uint32_t v)
{
	qtest_writel(s->qts, at, v);
	qtest_writel(s->qts, at + 4, 0xa7000000);
	qtest_writeq(s->qts, at + 8, addr);
}

void lin_dma(struct slot *s, uint64_t at, uint64_t src, uint64_t dst,
		    uint32_t size)
{
	qtest_writel(s->qts, at, size);
	qtest_writel(s->qts, at + 4, 0xa9000008);
	qtest_writeq(s->qts, at + 8, src);
	qtest_writeq(s->qts, at + 16, dst);
}

void submit(struct slot *s, unsigned int pi, uint64_t cb, uint32_t len)
{
	uint64_t bd = RING + 16 * (pi - 1);

	qtest_writeq(s->qts, bd, HOST + cb);
	qtest_writel(s->qts, bd + 8, len);
	qtest_writel(s->qts, bd + 12, 0);
	wr(s, DMA_QM(0) + 0xa0, pi);
}

void wait_memory(struct slot *s, uint64_t addr, uint32_t value)
{
	gint64 end = g_get_monotonic_time() + 10 * G_USEC_PER_SEC;

	while (qtest_readl(s->qts, addr) != value) {
		if (g_get_monotonic_time() > end)
			g_error("0x%" PRIx64 " is 0x%x, not 0x%x", addr,
				qtest_readl(s->qts, addr), value);
		g_usleep(100);
	}
}

/* --- a port ---------------------------------------------------------------- */

struct slot port_start(const char *type)
{
	/* The port's own hot-plug: ACPI's needs a guest that runs its code. */
	struct slot s = {
		.qts = qtest_initf("-machine q35 -m 256M -nodefaults "
				   "-global ICH9-LPC.acpi-pci-hotplug-with-"
				   "bridge-support=off "
				   "-device %s,id=rp,addr=3", type),
		.cfg = MMCONFIG + (1 << 20),
	};

	return s;
}

uint64_t port_exp(struct slot *s)
{
	uint8_t pos = qtest_readb(s->qts, PORT + 0x34);

	while (qtest_readb(s->qts, PORT + pos) != 0x10) {
		pos = qtest_readb(s->qts, PORT + pos + 1);
		g_assert_cmpuint(pos, !=, 0);
	}
	return PORT + pos;
}

void port_power(struct slot *s, bool on)
{
	qtest_writew(s->qts, port_exp(s) + 0x18, on ? 0x1c0 : 0x7c0);
}

void port_plug(struct slot *s)
{
	qtest_qmp_device_add(s->qts, "gaudi", "card",
			     "{'bus': 'rp', 'hbm-size': 1073741824}");
	pio_config_writel(s->qts, 0, 0x60, MMCONFIG | 1);
	qtest_writel(s->qts, PORT + 0x18, 0x00010100);
	/* windows of the port: 0xc0000000.. and 64 GiB.. */
	qtest_writel(s->qts, PORT + 0x20, 0xcff0c000);
	qtest_writel(s->qts, PORT + 0x24, 0xfff10001);
	qtest_writel(s->qts, PORT + 0x28, 0x10);
	qtest_writel(s->qts, PORT + 0x2c, 0x17);
	qtest_writew(s->qts, PORT + 0x04, 0x6);
	port_power(s, true);
	slot_enable(s);
	g_assert_cmphex(rd(s, DMA_QM(0) + 0x38), ==, 0x3fff);
}

void port_wait_deleted(struct slot *s)
{
	for (;;) {
		QDict *event = qtest_qmp_eventwait_ref(s->qts, "DEVICE_DELETED");
		QDict *data = qdict_get_qdict(event, "data");
		bool ours = data && !g_strcmp0(qdict_get_try_str(data,
							"device"), "card");

		qobject_unref(event);
		if (ours)
			return;
	}
}
