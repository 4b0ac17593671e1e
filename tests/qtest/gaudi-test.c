// SPDX-License-Identifier: GPL-2.0-only
/*
 * The card as PCI sees it: configuration space, BARs, reset values and access
 * masks, interrupts, DMA into guest memory, FLR, hot unplug. More of
 * the last in life.c; random accesses in fuzz.c.
 */
#include "qemu/osdep.h"
#include "qobject/qdict.h"
#include "slot.h"

/* --- configuration space ------------------------------------------------- */

static void test_identity(void)
{
	struct slot s = slot_start("", "");

	g_assert_cmphex(cfg_readl(&s, 0x00), ==, 0x10001da3);
	g_assert_cmphex(cfg_readl(&s, 0x08), ==, 0x12000001);
	g_assert_cmphex(cfg_readl(&s, 0x2c) & 0xffff, ==, 0x1da3);
	g_assert_cmphex(cfg_readl(&s, 0x0c) >> 16 & 0x7f, ==, 0);
	slot_stop(&s);
}

static void test_capabilities(void)
{
	struct slot s = slot_start("dsn=0x1122334455667788", "");
	uint16_t flags;
	uint32_t cap;

	slot_enable(&s);
	g_assert_cmpuint(s.pm, !=, 0);
	g_assert_cmpuint(s.msi, !=, 0);
	g_assert_cmpuint(s.exp, !=, 0);
	/* 32 messages, 64-bit addresses */
	flags = cfg_readw(&s, s.msi + 2);
	g_assert_cmphex(flags & 0x8e, ==, 0x8a);
	/* on the root bus: root complex integrated endpoint */
	g_assert_cmphex(cfg_readw(&s, s.exp + 2) >> 4 & 0xf, ==, 9);
	/* function level reset */
	g_assert_cmphex(cfg_readl(&s, s.exp + 4) & 1 << 28, !=, 0);
	/* extended: advanced error reporting, serial number */
	cap = cfg_readl(&s, 0x100);
	g_assert_cmphex(cap & 0xffff, ==, 1);
	cap = cfg_readl(&s, cap >> 20);
	g_assert_cmphex(cap & 0xffff, ==, 3);
	slot_stop(&s);
}

static void test_behind_root_port(void)
{
	QTestState *qts = qtest_init("-machine q35 -nodefaults "
				     "-device pcie-root-port,id=rp,addr=3 "
				     "-device gaudi,bus=rp,hbm-size=1G");
	struct slot s = { qts };
	uint8_t pos;

	/* bus 1 behind 00:03.0 */
	qtest_outl(qts, 0xcf8, 0x80000060);
	qtest_outl(qts, 0xcfc, MMCONFIG | 1);
	qtest_writel(qts, MMCONFIG + (3 << 15) + 0x18, 0x00010100);
	s.cfg = MMCONFIG + (1 << 20);
	g_assert_cmphex(cfg_readl(&s, 0), ==, 0x10001da3);
	for (pos = cfg_readl(&s, 0x34); pos; pos = cfg_readl(&s, pos) >> 8)
		if ((cfg_readl(&s, pos) & 0xff) == 0x10)
			break;
	g_assert_cmpuint(pos, !=, 0);
	/* endpoint, x16, 16 GT/s */
	g_assert_cmphex(cfg_readw(&s, pos + 2) >> 4 & 0xf, ==, 0);
	g_assert_cmphex(cfg_readl(&s, pos + 0xc) & 0x3ff, ==, 0x104);
	qtest_quit(qts);
}

static uint64_t bar_size(struct slot *s, unsigned int off)
{
	uint64_t v;

	cfg_writel(s, off, 0xffffffff);
	cfg_writel(s, off + 4, 0xffffffff);
	v = cfg_readl(s, off) & ~0xfull;
	v |= (uint64_t)cfg_readl(s, off + 4) << 32;
	return -v;
}

static void test_bars(void)
{
	static const struct {
		const char *properties;
		uint64_t hbm_bar;
	} cards[] = {
		{ "hbm-size=1G", 1ull << 30 },
		{ "hbm-size=3G", 4ull << 30 },
		{ "hbm-size=32G", 32ull << 30 },
		{ "hbm-size=32G,hbm-bar-size=512M", 512ull << 20 },
	};
	unsigned int i, bar;

	for (i = 0; i < ARRAY_SIZE(cards); i++) {
		struct slot s = slot_start(cards[i].properties, "");

		for (bar = 0; bar <= 4; bar += 2)	/* 64 bit, prefetch */
			g_assert_cmphex(cfg_readl(&s, 0x10 + 4 * bar) & 0xf,
					==, 0xc);
		g_assert_cmphex(bar_size(&s, 0x10), ==, 0x4000000);
		g_assert_cmphex(bar_size(&s, 0x18), ==, 0x8000000);
		g_assert_cmphex(bar_size(&s, 0x20), ==, cards[i].hbm_bar);
		slot_stop(&s);
	}
}

/* Any access to any byte: answered, and what is read-only stays. */
static void test_all_config_space(void)
{
	struct slot s = slot_start("", "");
	uint32_t before[5] = { 0 };
	unsigned int off;

	before[0] = cfg_readl(&s, 0);
	before[2] = cfg_readl(&s, 8);
	for (off = 0; off < 0x1000; off++) {
		qtest_readb(s.qts, s.cfg + off);
		qtest_writeb(s.qts, s.cfg + off, off == 4 ? 6 : 0xff);
		qtest_writeb(s.qts, s.cfg + off, 0);
		if (off % 2 == 0)
			cfg_writew(&s, off, cfg_readw(&s, off) ^ 0xffff);
		if (off % 4 == 0)
			cfg_writel(&s, off, cfg_readl(&s, off) ^ 0xffffffff);
	}
	g_assert_cmphex(cfg_readl(&s, 0), ==, before[0]);
	g_assert_cmphex(cfg_readl(&s, 8), ==, before[2]);
	slot_stop(&s);
}

static void test_elbi(void)
{
	struct slot s = slot_start("boot-sts0=0x80020000", "");

	/* before any BAR is placed: what firmware offers */
	g_assert_cmphex(elbi_read(&s, 0xfcc4b150), ==, 0x80020000);
	elbi_write(&s, 0xfcc4b110, 0xcafef00d);
	g_assert_cmphex(elbi_read(&s, 0xfcc4b110), ==, 0xcafef00d);
	slot_enable(&s);
	g_assert_cmphex(rd(&s, 0xc4b110), ==, 0xcafef00d);
	/* bytes and words of the four registers */
	cfg_writel(&s, 0xff4, 0x11223344);
	g_assert_cmphex(qtest_readb(s.qts, s.cfg + 0xff5), ==, 0x33);
	g_assert_cmphex(cfg_readw(&s, 0xff6), ==, 0x1122);
	qtest_writeb(s.qts, s.cfg + 0xff7, 0xaa);
	g_assert_cmphex(cfg_readl(&s, 0xff4), ==, 0xaa223344);
	/* an address that is none: error, then fine again */
	cfg_writel(&s, 0xffc, 0);
	cfg_writel(&s, 0xff0, 0xfcc4b151);
	cfg_writel(&s, 0xff8, 0);
	g_assert_cmphex(cfg_readl(&s, 0xffc) & 0x40000000, ==, 0x40000000);
	elbi_read(&s, 0xfcc4b150);
	slot_stop(&s);
}

static void iatu(struct slot *s, uint32_t off, uint32_t value)
{
	elbi_write(s, 0xfcc07490, 0x00300000);
	elbi_write(s, 0xfcc02000 + off, value);
	elbi_write(s, 0xfcc07490, 0);
}

static void test_iatu_moves_bar4(void)
{
	struct slot s = slot_start("hbm-bar-size=512M", "");
	const uint64_t target = 0x20000000;

	slot_enable(&s);
	qtest_writeq(s.qts, BAR4 + 8, 0x1111);
	iatu(&s, 0x514, (uint32_t)target);
	iatu(&s, 0x518, target >> 32);
	iatu(&s, 0x500, 0);
	iatu(&s, 0x504, 0xc0080400);
	g_assert_cmphex(qtest_readq(s.qts, BAR4 + 8), ==, 0);
	qtest_writeq(s.qts, BAR4 + 8, 0x2222);
	/* the window's last part is HBM too, and back to the start */
	qtest_writeq(s.qts, BAR4 + 0x1ffffff8, 0x3333);
	g_assert_cmphex(qtest_readq(s.qts, BAR4 + 0x1ffffff8), ==, 0x3333);
	iatu(&s, 0x514, 0);
	iatu(&s, 0x504, 0xc0080400);
	g_assert_cmphex(qtest_readq(s.qts, BAR4 + 8), ==, 0x1111);
	slot_stop(&s);
}

/* --- registers ------------------------------------------------------------- */

static void test_reset_values(void)
{
	static const struct { uint32_t reg, value; } qman[] = {
		{ 0x000, 0 },		/* GLBL_CFG0 */
		{ 0x004, 0 },
		{ 0x010, 0x400 },	/* SECURE_PROPS: bypass */
		{ 0x020, 0x400 },
		{ 0x038, 0x3fff },	/* GLBL_STS0: all idle */
		{ 0x040, 0 },
		{ 0x0a0, 0 }, { 0x0b0, 0 },
		{ 0x358, 0 },		/* FENCE0_CNT */
		{ 0x3f4, 0x28 },	/* CP_BARRIER_CFG */
		{ 0xb38, 0x4000 },	/* ARB_SLV_CHOISE_WDT */
		{ 0xc78, 0x10 },	/* CGM_CFG1 */
	};
	static const uint32_t qms[] = {
		0x508000, 0x528000, 0x5e8000, 0xe08000, 0xfc8000, 0x68000,
		0x168000, 0xce0000, 0xde2000,
	};
	struct slot s = slot_start("", "");
	unsigned int i, j;

	slot_enable(&s);
	for (i = 0; i < ARRAY_SIZE(qms); i++) {
		for (j = 0; j < ARRAY_SIZE(qman); j++)
			if (rd(&s, qms[i] + qman[j].reg) != qman[j].value)
				g_error("0x%x is 0x%x, not 0x%x",
					qms[i] + qman[j].reg,
					rd(&s, qms[i] + qman[j].reg),
					qman[j].value);
		g_assert_cmphex(rd(&s, qms[i] + 0xc74) & 0x100, ==, 0x100);
	}
	for (i = 0; i < 8; i++) {
		g_assert_cmphex(rd(&s, DMA_CORE(i) + 0x190) >> 31, ==, 0);
		g_assert_cmphex(rd(&s, DMA_CORE(i) + 0x164), ==, 0);
		g_assert_cmphex(rd(&s, 0xe0691c + i * 0x40000), ==, 0xee);
		g_assert_cmphex(rd(&s, 0xe069b8 + i * 0x40000), ==, 0);
	}
	for (i = 0; i < 4; i++)
		g_assert_cmphex(rd(&s, 0x60000 + i * 0x80000) & 0x1180, ==,
				0x1180);
	g_assert_cmphex(rd(&s, 0xc4b100), ==, 0);	/* HW_STATE */
	g_assert_cmphex(rd(&s, 0xc4b028) & 0xf, ==, 0);	/* BTM_FSM */
	slot_stop(&s);
}

static void test_access_masks(void)
{
	static const struct { uint32_t reg, write, read; } masks[] = {
		{ SM_E_N + SOB(5), 0x7fffffff, 0x7fff },
		{ DMA_QM(0) + 0x38, 0, 0x3fff },	/* read-only */
		{ DMA_QM(0) + 0x358, 0, 0 },
		{ DMA_CORE(0) + 0x190, 0xffffffff, 0 },
		{ DMA_CORE(0) + 0x164, 0xffffffff, 0 },	/* W1C */
		{ 0xe0691c, 0, 0xee },
		{ 0xc01b48, 0x12345678, 0x12345678 },	/* storage */
		{ 0xc4b498, 0, 0 },
		{ DMA_QM(3) + 0x70, 0xfffffff8, 0xfffffff8 },
		{ DMA_QM(3) + 0x90, 12, 12 },
	};
	struct slot s = slot_start("", "");
	unsigned int i;

	slot_enable(&s);
	for (i = 0; i < ARRAY_SIZE(masks); i++) {
		wr(&s, masks[i].reg, masks[i].write);
		if (rd(&s, masks[i].reg) != masks[i].read)
			g_error("0x%x <- 0x%x reads 0x%x, not 0x%x",
				masks[i].reg, masks[i].write,
				rd(&s, masks[i].reg), masks[i].read);
	}
	slot_stop(&s);
}

static void test_bar_access_sizes(void)
{
	struct slot s = slot_start("", "");
	uint64_t reg = REGS + 0xc4b110;

	slot_enable(&s);
	qtest_writeq(s.qts, reg, 0x8877665544332211);
	g_assert_cmphex(qtest_readl(s.qts, reg + 4), ==, 0x88776655);
	g_assert_cmphex(qtest_readw(s.qts, reg + 2), ==, 0x4433);
	g_assert_cmphex(qtest_readb(s.qts, reg + 7), ==, 0x88);
	qtest_writeb(s.qts, reg + 1, 0xaa);
	qtest_writew(s.qts, reg + 2, 0xbbcc);
	g_assert_cmphex(qtest_readq(s.qts, reg), ==, 0x88776655bbccaa11);
	/* SRAM and HBM are memory; BAR 0 behind SRAM answers */
	qtest_writeq(s.qts, BAR0 + 0x13ffff8, 0x1234);
	g_assert_cmphex(qtest_readq(s.qts, BAR0 + 0x13ffff8), ==, 0x1234);
	qtest_readl(s.qts, BAR0 + 0x1400000);
	qtest_writel(s.qts, BAR0 + 0x3fffffc, 1);
	qtest_writeq(s.qts, BAR4 + 0x3ffffff8, 0x5678);
	g_assert_cmphex(qtest_readq(s.qts, BAR4 + 0x3ffffff8), ==, 0x5678);
	slot_stop(&s);
}

/* --- interrupts and DMA ------------------------------------------------------ */

static void test_msi(void)
{
	struct slot s = slot_start("", "");

	slot_enable(&s);
	wr(&s, 0xc04100, 1);			/* not enabled: nothing */
	enable_msi(&s, 0);
	g_assert_cmphex(qtest_readl(s.qts, MSI_AT), ==, 0);
	wr(&s, 0xc04100, 1);
	g_assert_cmphex(qtest_readl(s.qts, MSI_AT), ==, 0x4140);
	/* one vector is granted: all use it */
	qtest_writel(s.qts, MSI_AT, 0);
	wr(&s, 0xc13000 + 4 * 7, 1);
	g_assert_cmphex(qtest_readl(s.qts, MSI_AT), ==, 0x4140);
	/* all 32: the vector is in the message */
	enable_msi(&s, 5);
	wr(&s, 0xc13000 + 4 * 31, 1);
	g_assert_cmphex(qtest_readl(s.qts, MSI_AT), ==, 0x415f);
	slot_stop(&s);
}

static void dma_round_trip(const char *properties, const char *extra)
{
	struct slot s = slot_start(properties, extra);
	const uint32_t size = 300001;
	g_autofree uint8_t *data = g_malloc(size), *back = g_malloc(size);
	uint32_t i;

	slot_enable(&s);
	enable_msi(&s, 0);
	for (i = 0; i < size; i++)
		data[i] = i * 7 + (i >> 8);
	qtest_memwrite(s.qts, 0x800003, data, size);
	queue_init(&s);
	lin_dma(&s, CBUF, HOST + 0x800003, USER_HBM + 1, size);
	lin_dma(&s, CBUF + 24, USER_HBM + 1, SRAM + 0x10005, size);
	lin_dma(&s, CBUF + 48, SRAM + 0x10005, HOST + 0xa00007, size);
	msg_prot(&s, CBUF + 72, HOST + FENCE_AT, 0x72e91ab9);
	msg_prot(&s, CBUF + 88, CFG + 0xc04100, 1);
	submit(&s, 1, CBUF, 104);
	wait_memory(&s, FENCE_AT, 0x72e91ab9);
	wait_memory(&s, MSI_AT, 0x4140);
	qtest_memread(s.qts, 0xa00007, back, size);
	g_assert_cmpmem(data, size, back, size);
	/* the same bytes through the BARs */
	g_assert_cmphex(qtest_readb(s.qts, BAR0 + 0x10005 + 100), ==,
			data[100]);
	g_assert_cmphex(qtest_readb(s.qts, BAR4 + USER_HBM + 1 + 200), ==,
			data[200]);
	g_assert_cmphex(rd(&s, DMA_QM(0) + 0xb0), ==, 1);
	slot_stop(&s);
}

static void test_dma(void)
{
	dma_round_trip("", "");
}

static void test_dma_deterministic(void)
{
	dma_round_trip("deterministic=on", "");
}

/* The IOMMU passes all as long as no guest turns it on. */
static void test_dma_iommu(void)
{
	dma_round_trip("", "-device intel-iommu");
}

/* A message to another device: here, to the card's own BAR 2. */
static void test_posted_write(void)
{
	struct slot s = slot_start("", "");

	slot_enable(&s);
	queue_init(&s);
	msg_prot(&s, CBUF, HOST + REGS + 0xc4b114, 0x600df00d);
	submit(&s, 1, CBUF, 16);
	slot_wait(&s, 0xc4b114, 0xffffffff, 0x600df00d);
	slot_stop(&s);
}

static void test_no_bus_master(void)
{
	struct slot s = slot_start("", "");

	slot_enable(&s);
	queue_init(&s);
	msg_prot(&s, CBUF, HOST + FENCE_AT, 5);
	cfg_writew(&s, 0x04, 0x2);
	submit(&s, 1, CBUF, 16);
	slot_wait(&s, DMA_QM(0) + 0x40, 1, 1);	/* PQF_RD_ERR */
	g_assert_cmphex(qtest_readl(s.qts, FENCE_AT), ==, 0);
	slot_stop(&s);
}

/* --- resets and unplugging ---------------------------------------------------- */

static void test_flr(void)
{
	struct slot s = slot_start("", "");

	slot_enable(&s);
	iatu(&s, 0x008, 0xabcd0000);
	wr(&s, 0xc4b100, 1);
	wr(&s, SM_E_N + SOB(1), 7);
	cfg_writew(&s, s.exp + 8, cfg_readw(&s, s.exp + 8) | 0x8000);
	/* BARs and command are gone, as on any function */
	g_assert_cmphex(cfg_readw(&s, 0x04) & 6, ==, 0);
	g_assert_cmphex(cfg_readw(&s, s.exp + 8) & 0x8000, ==, 0);
	slot_enable(&s);
	slot_wait(&s, 0xc4b100, 0xffffffff, 0);
	slot_wait(&s, SM_E_N + SOB(1), 0xffffffff, 0);
	/* what the driver sets up once only is kept */
	elbi_write(&s, 0xfcc07490, 0x00300000);
	g_assert_cmphex(elbi_read(&s, 0xfcc02008), ==, 0xabcd0000);
	slot_stop(&s);
}

static void test_system_reset(void)
{
	struct slot s = slot_start("hbm-bar-size=512M", "");
	unsigned int i;

	for (i = 0; i < 5; i++) {
		slot_enable(&s);
		iatu(&s, 0x514, 0x10000000);
		iatu(&s, 0x504, 0xc0080400);
		queue_init(&s);
		lin_dma(&s, CBUF, HOST, USER_HBM, 128 << 20);
		submit(&s, 1, CBUF, 24);
		qtest_system_reset(s.qts);
		qtest_outl(s.qts, 0xcf8, 0x80000060);
		qtest_outl(s.qts, 0xcfc, MMCONFIG | 1);
		slot_enable(&s);
		g_assert_cmphex(rd(&s, DMA_QM(0)), ==, 0);
		g_assert_cmphex(rd(&s, DMA_QM(0) + 0x38), ==, 0x3fff);
		/* the window is at the start again */
		qtest_writel(s.qts, BAR4 + 0x100, 0x77);
		iatu(&s, 0x514, 0);
		iatu(&s, 0x504, 0xc0080400);
		g_assert_cmphex(qtest_readl(s.qts, BAR4 + 0x100), ==, 0x77);
	}
	slot_stop(&s);
}

/* /proc/<QEMU>/<name>; the caller frees it. */
static char *read_proc(QTestState *qts, const char *name)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/%s",
						(int)qtest_pid(qts), name);
	char *text;

	g_assert(g_file_get_contents(path, &text, NULL, NULL));
	return text;
}

/* "dd": not for a core dump. All mappings of the card's memory. */
static void check_not_dumped(QTestState *qts)
{
	g_autofree char *maps = read_proc(qts, "smaps");
	const char *at, *flags;
	unsigned int n = 0;

	for (at = maps; (at = strstr(at, "/memfd:gaudi-")); n++) {
		at = strstr(at, "VmFlags:");
		g_assert(at);
		flags = strstr(at, " dd");
		g_assert(flags && flags < strchr(at, '\n'));
	}
	g_assert_cmpuint(n, >=, 2);
}

/* A machine whose guest's memory is not dumped does not dump the card's. */
static void test_dump_guest_core_off(void)
{
	struct slot s = slot_start("", "-machine dump-guest-core=off");

	slot_enable(&s);
	check_not_dumped(s.qts);
	qtest_writel(s.qts, BAR4 + USER_HBM, 1);
	cfg_writew(&s, s.exp + 8, 0x8000);
	slot_enable(&s);
	g_assert_cmphex(qtest_readl(s.qts, BAR4 + USER_HBM), ==, 0);
	check_not_dumped(s.qts);
	slot_stop(&s);
}

/* Memory files that QEMU has open or mapped: a card's HBM and SRAM. */
static unsigned int count_memory_files(QTestState *qts)
{
	g_autofree char *maps = read_proc(qts, "maps");
	unsigned int n = 0;
	const char *at;

	for (at = maps; (at = strstr(at, "/memfd:")); at++)
		n++;
	return n;
}

/* Memory is given back in a thread that may outlive the card. */
static void wait_for_memory_files(QTestState *qts, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < 600 && count_memory_files(qts) > n; i++)
		g_usleep(100000);
	g_assert_cmpuint(count_memory_files(qts), ==, n);
}

/* Plugged and unplugged, idle and at work, several times. */
static void test_hot_unplug(void)
{
	struct slot s = port_start(GAUDI_PORT);
	unsigned int i, before = count_memory_files(s.qts);

	for (i = 0; i < 6; i++) {
		port_plug(&s);
		g_assert_cmpuint(count_memory_files(s.qts), >, before);
		queue_init(&s);
		lin_dma(&s, CBUF, HOST, USER_HBM, 200 << 20);
		if (i % 2)
			submit(&s, 1, CBUF, 24);
		qtest_qmp_device_del_send(s.qts, "card");
		port_power(&s, false);
		port_wait_deleted(&s);
		wait_for_memory_files(s.qts, before);
	}
	slot_stop(&s);
}

static void test_two_cards(void)
{
	struct slot a = slot_start("module-id=1", "-device gaudi,addr=5,"
				   "hbm-size=1G,module-id=2");
	struct slot b = a;

	b.cfg = MMCONFIG + (5 << 15);
	g_assert_cmphex(cfg_readl(&a, 0), ==, 0x10001da3);
	g_assert_cmphex(cfg_readl(&b, 0), ==, 0x10001da3);
	elbi_write(&a, 0xfcc4b110, 1);
	elbi_write(&b, 0xfcc4b110, 2);
	g_assert_cmphex(elbi_read(&a, 0xfcc4b110), ==, 1);
	g_assert_cmphex(elbi_read(&b, 0xfcc4b110), ==, 2);
	slot_stop(&a);
}

/* Properties that make no sense are refused with a message, not a crash. */
static void test_bad_properties(void)
{
	static const char *const bad[] = {
		"{'hbm-size': 1}", "{'hbm-size': 137438953472}",
		"{'hbm-bar-size': 1048576}", "{'hbm-bar-size': 805306368}",
		"{'module-id': 8}", "{'mme': 'abacus'}",
		"{'cabling': '/nowhere'}", "{'nic1': 'none'}",
		"{'fabric': 'no/name'}", "{'fabric': 'q', 'box': 16}",
		"{'fabric': 'q', 'fabric-cabling': '/nowhere'}",
		"{'fabric': 'q', 'fabric-fd': 9}",
	};
	QTestState *qts = qtest_init("-machine q35 -nodefaults "
				     "-device pcie-root-port,id=rp,addr=3");
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		g_autofree char *json = g_strdup_printf("{'execute':"
			"'device_add', 'arguments': {'driver': 'gaudi',"
			"'id': 'card', 'bus': 'rp', %s}", bad[i] + 1);
		g_autofree char *full = g_strdup_printf("%s}", json);
		QDict *r;

		g_strdelimit(full, "'", '"');
		qtest_qmp_send_raw(qts, "%s", full);
		r = qtest_qmp_receive(qts);
		g_assert(qdict_haskey(r, "error"));
		qobject_unref(r);
	}
	qtest_quit(qts);
}

static bool log_has(const char *path, const char *what)
{
	g_autofree char *text = NULL;

	g_assert(g_file_get_contents(path, &text, NULL, NULL));
	return strstr(text, what);
}

static void wait_log(const char *path, const char *what)
{
	gint64 end = g_get_monotonic_time() + 10 * G_USEC_PER_SEC;

	while (!log_has(path, what)) {
		g_assert_cmpint(g_get_monotonic_time(), <, end);
		g_usleep(1000);
	}
}

/* Trace events are switched on and off by the monitor while the card runs. */
static void set_trace(struct slot *s, const char *event, bool on)
{
	qtest_qmp_assert_success(s->qts, "{'execute': "
				 "'trace-event-set-state', 'arguments': "
				 "{'name': %s, 'enable': %i}}", event, on);
}

static void test_trace_events(void)
{
	char log[] = "gaudi-trace-XXXXXX";
	g_autofree char *extra = NULL;
	struct slot s;
	int fd = mkstemp(log);

	g_assert_cmpint(fd, >=, 0);
	close(fd);
	extra = g_strdup_printf("-D %s", log);
	s = slot_start("", extra);
	slot_enable(&s);
	queue_init(&s);
	msg_prot(&s, CBUF, HOST + FENCE_AT, 1);
	submit(&s, 1, CBUF, 16);
	wait_memory(&s, FENCE_AT, 1);
	g_assert(!log_has(log, "gaudi_"));
	set_trace(&s, "gaudi_packet", true);
	submit(&s, 2, CBUF, 16);
	wait_log(log, "gaudi_packet card: QMAN 0 CP 0");
	g_assert(!log_has(log, "gaudi_reg_"));
	set_trace(&s, "gaudi_reg_write", true);
	wr(&s, 0xc4b110, 0x1badf00d);
	g_assert(log_has(log, "gaudi_reg_write card: CFG 0xc4b110 <- "
			 "0x1badf00d"));
	set_trace(&s, "gaudi_reg_write", false);
	wr(&s, 0xc4b110, 0x600dcafe);
	g_assert(!log_has(log, "0x600dcafe"));
	slot_stop(&s);
	unlink(log);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	qtest_add_func("gaudi/identity", test_identity);
	qtest_add_func("gaudi/capabilities", test_capabilities);
	qtest_add_func("gaudi/behind-root-port", test_behind_root_port);
	qtest_add_func("gaudi/bars", test_bars);
	qtest_add_func("gaudi/all-config-space", test_all_config_space);
	qtest_add_func("gaudi/elbi", test_elbi);
	qtest_add_func("gaudi/iatu-moves-bar4", test_iatu_moves_bar4);
	qtest_add_func("gaudi/reset-values", test_reset_values);
	qtest_add_func("gaudi/access-masks", test_access_masks);
	qtest_add_func("gaudi/bar-access-sizes", test_bar_access_sizes);
	qtest_add_func("gaudi/msi", test_msi);
	qtest_add_func("gaudi/dma", test_dma);
	qtest_add_func("gaudi/dma-deterministic", test_dma_deterministic);
	qtest_add_func("gaudi/dma-iommu", test_dma_iommu);
	qtest_add_func("gaudi/posted-write", test_posted_write);
	qtest_add_func("gaudi/no-bus-master", test_no_bus_master);
	qtest_add_func("gaudi/flr", test_flr);
	qtest_add_func("gaudi/system-reset", test_system_reset);
	qtest_add_func("gaudi/dump-guest-core-off", test_dump_guest_core_off);
	qtest_add_func("gaudi/hot-unplug", test_hot_unplug);
	qtest_add_func("gaudi/trace-events", test_trace_events);
	qtest_add_func("gaudi/two-cards", test_two_cards);
	qtest_add_func("gaudi/bad-properties", test_bad_properties);
	life_tests();
	snapshot_tests();
	port_tests();
	icount_tests();
	fuzz_tests();
	return g_test_run();
}
