// SPDX-License-Identifier: GPL-2.0-only
/*
 * What may happen to a card in its slot, mostly while it works: resets of each
 * kind, power states, a machine that stops, removal, a lost link. The engine
 * that is at work writes the same megabyte of guest memory over and over, so a
 * write after the event shows as soon as the test has cleared some of it.
 */
#include "qemu/osdep.h"
#include "qobject/qdict.h"
#include "slot.h"

#define DST		0x1000000ull
#define BLOCK		(1u << 20)
#define JOBS		4095		/* the ring's: some tenths of a second */
#define SAMPLES		64
#define QUIET_US	60000

#define SW_ALL_RST	0xc4b498
#define CARD		"/machine/peripheral/card"

static uint64_t sample(unsigned int i)
{
	return DST + i * (BLOCK / SAMPLES) + 64;
}

static void clear_samples(struct slot *s)
{
	unsigned int i;

	for (i = 0; i < SAMPLES; i++)
		qtest_writel(s->qts, sample(i), 0);
}

/* The engine writes: what was cleared is there again. */
static void check_moving(struct slot *s)
{
	clear_samples(s);
	wait_memory(s, sample(SAMPLES - 1), 0x5a5a5a5a);
}

/* It does not: what was cleared stays so. */
static void check_quiet(struct slot *s)
{
	unsigned int i;

	clear_samples(s);
	g_usleep(QUIET_US);
	for (i = 0; i < SAMPLES; i++)
		g_assert_cmphex(qtest_readl(s->qts, sample(i)), ==, 0);
}

/* A copy whose completion commits the next one: for ever. */
static void start_endless(struct slot *s)
{
	const uint32_t core = DMA_CORE(1), commit = 9;	/* LIN, WR_COMP_EN */

	wr(s, core + 0xb8, 2);
	wr(s, core + 0xf0, 0x400);
	wr(s, core + 0xf4, 0x400);
	wr(s, core + 0x0, 1);
	wr(s, core + 0x14, USER_HBM);
	wr(s, core + 0x18, 0);
	wr(s, core + 0x1c, (uint32_t)(HOST + DST));
	wr(s, core + 0x20, (HOST + DST) >> 32);
	wr(s, core + 0x74, BLOCK);
	wr(s, core + 0x7c, commit);
	wr(s, core + 0x80, (uint32_t)(CFG + core + 0x78));
	wr(s, core + 0x84, (CFG + core + 0x78) >> 32);
	wr(s, core + 0x78, commit);
}

/* A queue full of jobs, and beside it what goes on when they are done. */
static void start_load(struct slot *s)
{
	unsigned int i;

	qtest_memset(s->qts, BAR4 + USER_HBM, 0x5a, BLOCK);
	queue_init(s);
	lin_dma(s, CBUF, USER_HBM, HOST + DST, BLOCK);
	for (i = 0; i < JOBS; i++) {
		qtest_writeq(s->qts, RING + 16 * i, HOST + CBUF);
		qtest_writeq(s->qts, RING + 16 * i + 8, 24);
	}
	wr(s, DMA_QM(0) + 0xa0, JOBS);
	start_endless(s);
	check_moving(s);
}

/* --- resets ---------------------------------------------------------------- */

static void test_flr_under_load(void)
{
	struct slot s = slot_start("", "");
	unsigned int i;

	slot_enable(&s);
	/* payload size 256, a read request size of 4 KiB, sticky AER mask */
	for (i = 0; i < 6; i++) {
		cfg_writew(&s, s.exp + 8, 0x583f);
		cfg_writel(&s, 0x108, 0x00100000);
		start_load(&s);
		cfg_writew(&s, s.exp + 8, 0x803f | 0x5820);
		check_quiet(&s);
		/* the payload size alone survives, and what is sticky */
		g_assert_cmphex(cfg_readw(&s, s.exp + 8), ==, 0x2830);
		g_assert_cmphex(cfg_readl(&s, 0x108), ==, 0x00100000);
		slot_enable(&s);
		/* reset when it returned, not some time later */
		g_assert_cmphex(rd(&s, DMA_QM(0)), ==, 0);
		g_assert_cmphex(rd(&s, DMA_QM(0) + 0xa0), ==, 0);
		g_assert_cmphex(qtest_readl(s.qts, BAR4 + USER_HBM), ==, 0);
	}
	slot_stop(&s);
}

/* By the register: the whole of configuration space stays as it is. */
static void test_hard_reset_keeps_config(void)
{
	struct slot s = slot_start("dsn=0x1122334455667788", "");
	uint32_t before[1024];
	unsigned int i, n;

	slot_enable(&s);
	enable_msi(&s, 5);
	cfg_writew(&s, s.exp + 8, 0x583f);
	cfg_writel(&s, 0x108, 0x00100000);
	cfg_writel(&s, 0x10c, 0x00062010);
	cfg_writel(&s, 0x114, 0x00001000);
	/* ELBI is registers, not configuration */
	for (i = 0; i < 0xff0 / 4; i++)
		before[i] = cfg_readl(&s, 4 * i);
	for (n = 0; n < 6; n++) {
		start_load(&s);
		wr(&s, 0xc4b100, 1);
		wr(&s, SW_ALL_RST, 1);
		/* writes while it goes on are not lost either */
		cfg_writew(&s, 0x3c, 0x10 + n);
		cfg_writew(&s, s.exp + 8, 0x283f ^ n << 12);
		slot_wait(&s, 0xc4b100, 0xffffffff, 0);
		slot_wait(&s, DMA_QM(0), 0xffffffff, 0);
		check_quiet(&s);
		g_assert_cmphex(cfg_readw(&s, 0x3c) & 0xff, ==, 0x10 + n);
		g_assert_cmphex(cfg_readw(&s, s.exp + 8), ==,
				0x283f ^ n << 12);
		cfg_writew(&s, 0x3c, before[0x3c / 4]);
		cfg_writew(&s, s.exp + 8, 0x583f);
		for (i = 0; i < 0xff0 / 4; i++)
			if (cfg_readl(&s, 4 * i) != before[i])
				g_error("0x%x is 0x%x, was 0x%x", 4 * i,
					cfg_readl(&s, 4 * i), before[i]);
		/* and interrupts arrive */
		qtest_writel(s.qts, MSI_AT, 0);
		wr(&s, 0xc13000 + 4 * 3, 1);
		g_assert_cmphex(qtest_readl(s.qts, MSI_AT), ==, 0x4143);
	}
	slot_stop(&s);
}

/* Secondary bus reset: all but sticky registers; a system reset: those too. */
static void test_bus_reset(void)
{
	struct slot s = port_start(GAUDI_PORT);
	uint32_t mask;

	port_plug(&s);
	mask = cfg_readl(&s, 0x108);
	cfg_writew(&s, s.exp + 8, 0x583f);
	cfg_writel(&s, 0x108, 0x00100000);
	start_load(&s);
	qtest_writew(s.qts, PORT + 0x3e, 0x40);
	check_quiet(&s);
	qtest_writew(s.qts, PORT + 0x3e, 0);
	g_assert_cmphex(cfg_readw(&s, 4), ==, 0);
	g_assert_cmphex(cfg_readl(&s, 0x18) & ~0xf, ==, 0);
	g_assert_cmphex(cfg_readw(&s, s.exp + 8), ==, 0x2810);
	g_assert_cmphex(cfg_readl(&s, 0x108), ==, 0x00100000);
	slot_enable(&s);
	g_assert_cmphex(rd(&s, DMA_QM(0)), ==, 0);
	start_load(&s);
	qtest_system_reset(s.qts);
	check_quiet(&s);
	qtest_outl(s.qts, 0xcf8, 0x80000060);
	qtest_outl(s.qts, 0xcfc, MMCONFIG | 1);
	qtest_writel(s.qts, PORT + 0x18, 0x00010100);
	g_assert_cmphex(cfg_readl(&s, 0x108), ==, mask);
	slot_stop(&s);
}

/* --- bus mastering, power states --------------------------------------------- */

static void test_bus_master_off_under_load(void)
{
	struct slot s = slot_start("", "");
	unsigned int i;

	slot_enable(&s);
	for (i = 0; i < 10; i++) {
		start_load(&s);
		cfg_writew(&s, 0x04, 0x2);
		check_quiet(&s);
		cfg_writew(&s, s.exp + 8, cfg_readw(&s, s.exp + 8) | 0x8000);
		slot_enable(&s);
	}
	slot_stop(&s);
}

static void test_d3hot(void)
{
	struct slot s = slot_start("", "");

	slot_enable(&s);
	enable_msi(&s, 0);
	wr(&s, 0xc4b110, 0x1234);
	start_load(&s);
	cfg_writew(&s, s.pm + 4, 3);
	check_quiet(&s);
	g_assert_cmphex(rd(&s, 0xc4b110), !=, 0x1234);
	g_assert_cmphex(cfg_readl(&s, 0), ==, 0x10001da3);
	elbi_write(&s, 0xfcc04100, 1);		/* no interrupt from D3 */
	g_assert_cmphex(qtest_readl(s.qts, MSI_AT), ==, 0);
	/* No_Soft_Reset: the same card, with what it had */
	g_assert_cmphex(cfg_readw(&s, s.pm + 4) & 0x8, ==, 8);
	cfg_writew(&s, s.pm + 4, 0);
	g_assert_cmphex(cfg_readw(&s, 4) & 6, ==, 6);
	g_assert_cmphex(rd(&s, 0xc4b110), ==, 0x1234);
	elbi_write(&s, 0xfcc04100, 1);
	g_assert_cmphex(qtest_readl(s.qts, MSI_AT), ==, 0x4140);
	slot_stop(&s);
}

/* --- the machine stops --------------------------------------------------------- */

static void test_stop_and_cont(void)
{
	struct slot s = slot_start("", "");
	unsigned int i;

	slot_enable(&s);
	start_load(&s);
	for (i = 0; i < 5; i++) {
		qtest_qmp_assert_success(s.qts, "{'execute': 'stop'}");
		check_quiet(&s);
		qtest_qmp_assert_success(s.qts, "{'execute': 'cont'}");
		check_moving(&s);
	}
	/* reset while it stands, and no deadlock */
	qtest_qmp_assert_success(s.qts, "{'execute': 'stop'}");
	cfg_writew(&s, s.exp + 8, cfg_readw(&s, s.exp + 8) | 0x8000);
	check_quiet(&s);
	qtest_qmp_assert_success(s.qts, "{'execute': 'cont'}");
	check_quiet(&s);
	slot_enable(&s);
	start_load(&s);
	slot_stop(&s);
}

/* In the machine that stands nothing is interrupted; afterwards it is. */
static void test_stop_holds_interrupts(void)
{
	struct slot s = slot_start("", "");

	slot_enable(&s);
	enable_msi(&s, 0);
	qtest_qmp_assert_success(s.qts, "{'execute': 'stop'}");
	wr(&s, 0xc04100, 1);
	g_usleep(QUIET_US);
	g_assert_cmphex(qtest_readl(s.qts, MSI_AT), ==, 0);
	qtest_qmp_assert_success(s.qts, "{'execute': 'cont'}");
	wait_memory(&s, MSI_AT, 0x4140);
	slot_stop(&s);
}

static void test_plug_into_stopped_machine(void)
{
	struct slot s = port_start(GAUDI_PORT);

	qtest_qmp_assert_success(s.qts, "{'execute': 'stop'}");
	port_plug(&s);
	queue_init(&s);
	msg_prot(&s, CBUF, HOST + FENCE_AT, 5);
	submit(&s, 1, CBUF, 16);
	g_usleep(QUIET_US);
	g_assert_cmphex(qtest_readl(s.qts, FENCE_AT), ==, 0);
	qtest_qmp_assert_success(s.qts, "{'execute': 'cont'}");
	wait_memory(&s, FENCE_AT, 5);
	slot_stop(&s);
}

/* --- messages to itself --------------------------------------------------------- */

/* The MSI's address is the register that asks for an MSI. */
static void test_msi_to_own_register(void)
{
	struct slot s = slot_start("", "");

	slot_enable(&s);
	enable_msi(&s, 0);
	cfg_writel(&s, s.msi + 4, REGS + 0xc04100);
	wr(&s, 0xc04100, 1);
	elbi_write(&s, 0xfcc04100, 1);
	queue_init(&s);
	msg_prot(&s, CBUF, CFG + 0xc04100, 1);
	msg_prot(&s, CBUF + 16, HOST + FENCE_AT, 9);
	submit(&s, 1, CBUF, 32);
	wait_memory(&s, FENCE_AT, 9);
	/* and its configuration space: a reset of itself */
	cfg_writel(&s, s.msi + 4, s.cfg + s.exp + 8);
	cfg_writew(&s, s.msi + 12, 0x8000);
	wr(&s, 0xc04100, 1);
	elbi_write(&s, 0xfcc04100, 1);
	g_assert_cmphex(cfg_readl(&s, 0), ==, 0x10001da3);
	slot_stop(&s);
}

/* --- removal, link --------------------------------------------------------------- */

static void check_absent(struct slot *s)
{
	g_assert_cmphex(cfg_readl(s, 0), ==, 0xffffffff);
	g_assert_cmphex(rd(s, DMA_QM(0) + 0x38), ==, 0xffffffff);
	g_assert_cmphex(qtest_readl(s->qts, BAR4 + USER_HBM), ==, 0xffffffff);
	g_assert_cmphex(qtest_readl(s->qts, BAR0), ==, 0xffffffff);
}

static void test_surprise_removal(void)
{
	struct slot s = port_start(GAUDI_PORT);
	unsigned int i;

	for (i = 0; i < 6; i++) {
		port_plug(&s);
		if (i % 3)
			start_load(&s);
		if (i % 3 == 2)
			wr(&s, SW_ALL_RST, 1);
		qtest_qom_set_bool(s.qts, CARD, "surprise-removal", true);
		if (i % 3)
			check_quiet(&s);
		port_wait_deleted(&s);
		check_absent(&s);
		/* nothing present, and that it changed; the link, too */
		g_assert_cmphex(qtest_readw(s.qts, port_exp(&s) + 0x1a) & 0x148,
				==, 0x108);
		g_assert_cmphex(qtest_readw(s.qts, port_exp(&s) + 0x12) &
				0x2000, ==, 0);
		qtest_writew(s.qts, port_exp(&s) + 0x1a, 0x108);
		g_assert_cmphex(qtest_readw(s.qts, port_exp(&s) + 0x1a) & 0x148,
				==, 0);
		port_power(&s, false);
	}
	slot_stop(&s);
}

static void refuse_removal(struct slot *s)
{
	QDict *r = qtest_qmp_assert_failure_ref(s->qts,
		"{'execute': 'qom-set', 'arguments': {'path': %s,"
		"'property': 'surprise-removal', 'value': true}}", CARD);

	qobject_unref(r);
}

/* Nor is a port that knows no such thing written to when the link is lost. */
static void test_removal_needs_a_port(void)
{
	struct slot s = slot_start("", "");
	uint32_t slot_regs;

	refuse_removal(&s);
	g_assert_cmphex(cfg_readl(&s, 0), ==, 0x10001da3);
	slot_stop(&s);
	s = port_start("pcie-root-port");
	port_plug(&s);
	refuse_removal(&s);
	slot_regs = qtest_readl(s.qts, port_exp(&s) + 0x18);
	qtest_qom_set_bool(s.qts, CARD, "link-up", false);
	g_assert_cmphex(cfg_readl(&s, 0), ==, 0xffffffff);
	g_assert_cmphex(qtest_readl(s.qts, port_exp(&s) + 0x18), ==, slot_regs);
	qtest_qom_set_bool(s.qts, CARD, "link-up", true);
	g_assert_cmphex(cfg_readl(&s, 0), ==, 0x10001da3);
	slot_stop(&s);
}

/* Data Link Layer State Changed, and nothing of presence: clears it. */
static void check_link_event(struct slot *s)
{
	g_assert_cmphex(qtest_readw(s->qts, port_exp(s) + 0x1a) & 0x148, ==,
			0x140);
	qtest_writew(s->qts, port_exp(s) + 0x1a, 0x100);
	g_assert_cmphex(qtest_readw(s->qts, port_exp(s) + 0x1a) & 0x148, ==,
			0x40);
}

static void test_link_down_and_up(void)
{
	struct slot s = port_start(GAUDI_PORT);
	uint16_t sltctl;
	unsigned int i;

	port_plug(&s);
	sltctl = qtest_readw(s.qts, port_exp(&s) + 0x18);
	qtest_writew(s.qts, port_exp(&s) + 0x18, sltctl | 0x1000);
	g_assert_cmphex(qtest_readw(s.qts, port_exp(&s) + 0x18), ==,
			sltctl | 0x1000);
	qtest_writew(s.qts, port_exp(&s) + 0x1a, 0x119);
	for (i = 0; i < 3; i++) {
		start_load(&s);
		qtest_qom_set_bool(s.qts, CARD, "link-up", false);
		check_quiet(&s);
		check_absent(&s);
		g_assert_cmphex(qtest_readw(s.qts, port_exp(&s) + 0x12) &
				0x2000, ==, 0);
		check_link_event(&s);
		qtest_qom_set_bool(s.qts, CARD, "link-up", true);
		check_link_event(&s);
		g_assert_cmphex(qtest_readw(s.qts, port_exp(&s) + 0x12) &
				0x2000, ==, 0x2000);
		/* it comes back reset */
		g_assert_cmphex(cfg_readl(&s, 0), ==, 0x10001da3);
		g_assert_cmphex(cfg_readw(&s, 4), ==, 0);
		slot_enable(&s);
		g_assert_cmphex(rd(&s, DMA_QM(0)), ==, 0);
		g_assert_cmphex(qtest_readl(s.qts, BAR4 + USER_HBM), ==, 0);
	}
	slot_stop(&s);
}

/* --- a plug that fails ------------------------------------------------------- */

static unsigned int open_files(struct slot *s)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/fd",
						(int)qtest_pid(s->qts));
	GDir *dir = g_dir_open(path, 0, NULL);
	unsigned int n = 0;

	while (g_dir_read_name(dir))
		n++;
	g_dir_close(dir);
	return n;
}

/*
 * The card is refused when it is nearly complete, with work for the main loop
 * on the way: the last of its faults does not exist. Nothing of it stays, and
 * what was on the way finds no slot any more.
 */
static void test_plug_that_fails(void)
{
	static const char faults[] = "link-down,ms=1\n"
		"aer-fatal,error=poisoned-tlp\naer-correctable,error=bad-tlp\n"
		"no-such-fault\n";
	struct slot s = port_start(GAUDI_PORT);
	g_autofree char *name = NULL;
	unsigned int files = open_files(&s), i;
	int fd = g_file_open_tmp("gaudi-faults-XXXXXX", &name, NULL);

	g_assert_cmpint(fd, >=, 0);
	close(fd);
	g_assert_true(g_file_set_contents(name, faults, -1, NULL));
	for (i = 0; i < 20; i++) {
		QDict *r = qtest_qmp_assert_failure_ref(s.qts,
			"{'execute': 'device_add', 'arguments': {"
			"'driver': 'gaudi', 'id': 'card', 'bus': 'rp',"
			"'hbm-size': 1073741824, 'fault-file': %s}}", name);

		g_assert_nonnull(strstr(qdict_get_str(r, "desc"),
					"no-such-fault"));
		qobject_unref(r);
		qtest_clock_step(s.qts, 10 * 1000 * 1000);
	}
	unlink(name);
	for (i = 0; i < 100 && open_files(&s) > files; i++)
		g_usleep(100000);
	g_assert_cmpuint(open_files(&s), ==, files);
	port_plug(&s);
	start_load(&s);
	slot_stop(&s);
}

void life_tests(void)
{
	qtest_add_func("gaudi/life/flr-under-load", test_flr_under_load);
	qtest_add_func("gaudi/life/hard-reset-keeps-config",
		       test_hard_reset_keeps_config);
	qtest_add_func("gaudi/life/bus-reset", test_bus_reset);
	qtest_add_func("gaudi/life/bus-master-off-under-load",
		       test_bus_master_off_under_load);
	qtest_add_func("gaudi/life/d3hot", test_d3hot);
	qtest_add_func("gaudi/life/stop-and-cont", test_stop_and_cont);
	qtest_add_func("gaudi/life/stop-holds-interrupts",
		       test_stop_holds_interrupts);
	qtest_add_func("gaudi/life/plug-into-stopped-machine",
		       test_plug_into_stopped_machine);
	qtest_add_func("gaudi/life/msi-to-own-register",
		       test_msi_to_own_register);
	qtest_add_func("gaudi/life/surprise-removal", test_surprise_removal);
	qtest_add_func("gaudi/life/removal-needs-a-port",
		       test_removal_needs_a_port);
	qtest_add_func("gaudi/life/link-down-and-up", test_link_down_and_up);
	qtest_add_func("gaudi/life/plug-that-fails", test_plug_that_fails);
}
