// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two cards in a machine, one of them behind a port, and a guest gone mad:
 * random registers, DMA from anywhere to anywhere (their own registers, each
 * other's, their configuration space, the interrupt controller), BARs that move
 * meanwhile, interrupts aimed at BARs, resets, unplugging. QEMU must survive,
 * answer, stay within bounds, and the cards work after a reset.
 *
 * Seeds are fixed. GAUDI_FUZZ_SEED chooses one, GAUDI_FUZZ_STEPS how long.
 */
#include "qemu/osdep.h"
#include "qobject/qdict.h"
#include "slot.h"

#define DEFAULT_STEPS	1000
#define SECONDS		120		/* until a session counts as hung */
/* Private memory: guest RAM, storage of all registers of both cards, QEMU. */
#define MAX_ANON_KIB	((256 + 2 * 160 + 200) * 1024)

struct side {
	uint64_t cfg;
	uint64_t home[3];		/* BAR 0, 2, 4 */
	uint64_t bar[3];		/* as they are now */
	bool present;
};

struct fuzz {
	QTestState *qts;
	GRand *rand;
	struct side side[2];
	uint8_t msi, exp, pm;
	uint64_t accesses;		/* of registers, at least */
};

static uint32_t rnd(struct fuzz *f)
{
	return g_rand_int(f->rand);
}

static uint32_t below(struct fuzz *f, uint32_t n)
{
	return rnd(f) % n;
}

static struct side *any_side(struct fuzz *f)
{
	return &f->side[below(f, 2)];
}

static struct side *any_present(struct fuzz *f)
{
	struct side *side = any_side(f);

	return side->present ? side : &f->side[0];
}

static void cfgl(struct fuzz *f, struct side *s, unsigned int off, uint32_t v)
{
	f->accesses++;
	qtest_writel(f->qts, s->cfg + off, v);
}

static void reg(struct fuzz *f, struct side *s, uint32_t off, uint32_t v)
{
	f->accesses++;
	qtest_writel(f->qts, s->bar[1] + 0x4000000 + off, v);
}

static void reg64(struct fuzz *f, struct side *s, uint32_t off, uint64_t v)
{
	reg(f, s, off, v);
	reg(f, s, off + 4, v >> 32);
}

/* --- addresses -------------------------------------------------------------- */

static const uint32_t blocks[] = {
	DMA_CORE(0), DMA_CORE(1), DMA_CORE(5), DMA_QM(0), DMA_QM(1), DMA_QM(5),
	0xe08000, 0x68000, 0xce0000, SM_E_N, SM_E_N + 0x2000, SM_E_N + 0x5000,
	0xc4b000, 0x442000, 0x800000, 0xc01000, 0xc02000, 0xc04000, 0xc07000,
	0xc11000, 0xc12000, 0xc13000, 0xe06000, 0x60000,
};

static uint32_t any_reg(struct fuzz *f)
{
	return blocks[below(f, ARRAY_SIZE(blocks))] + (rnd(f) & 0xffc);
}

/* What a bus address may hit. */
static uint64_t any_bus(struct fuzz *f)
{
	struct side *s = any_side(f);

	switch (below(f, 10)) {
	case 0:
		return s->bar[0] + below(f, 0x1500000);
	case 1:
		return s->bar[1] + 0x4000000 + any_reg(f);
	case 2:
		return s->bar[2] + below(f, 1u << 30);
	case 3:
		return s->cfg + (rnd(f) & 0xffc);
	case 4:
		return 0xfee00000 + (rnd(f) & 0xffffc);
	case 5:
		return (uint64_t)rnd(f) << 32 | rnd(f);
	default:
		return 0x100000 + below(f, 255u << 20);
	}
}

static uint64_t any_addr(struct fuzz *f)
{
	switch (below(f, 6)) {
	case 0:
		return USER_HBM + below(f, 1u << 28);
	case 1:
		return SRAM + below(f, 0x1400000);
	case 2:
		return CFG + any_reg(f);
	default:
		return HOST + any_bus(f);
	}
}

/* --- steps ------------------------------------------------------------------ */

static void place_bars(struct fuzz *f, struct side *s)
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		s->bar[i] = s->home[i];
		cfgl(f, s, 0x10 + 8 * i, s->bar[i]);
		cfgl(f, s, 0x14 + 8 * i, s->bar[i] >> 32);
	}
	qtest_writew(f->qts, s->cfg + 4, 6);
}

static void step_reg(struct fuzz *f)
{
	struct side *s = any_present(f);
	uint32_t v = below(f, 3) ? rnd(f) : below(f, 8);

	if (below(f, 4))
		reg(f, s, any_reg(f), v);
	else
		qtest_readl(f->qts, s->bar[1] + 0x4000000 + any_reg(f));
}

/* Neighbours, one after the other: what only some of them mean together. */
static void step_block(struct fuzz *f)
{
	struct side *s = any_present(f);
	uint64_t at = s->bar[1] + 0x4000000 + (any_reg(f) & ~0xffu);
	uint32_t words[4096], num = 64u << below(f, 7), i;
	uint32_t small = below(f, 3) ? 0 : 8;

	f->accesses += num;
	if (!below(f, 4)) {
		qtest_memread(f->qts, at, words, num * 4);
		return;
	}
	for (i = 0; i < num; i++)
		words[i] = small ? below(f, small) : rnd(f);
	qtest_bufwrite(f->qts, at, words, num * 4);
}

static void step_dma(struct fuzz *f)
{
	static const uint32_t sizes[] = { 4, 8, 64, 4096, 65536, 1000001 };
	struct side *s = any_present(f);
	uint32_t core = DMA_CORE(below(f, 8));

	reg(f, s, core + 0xb8, 2);
	reg(f, s, core + 0xf0, 0x400);
	reg(f, s, core + 0xf4, 0x400);
	reg(f, s, core + 0x0, 1);
	reg64(f, s, core + 0x14, any_addr(f));
	reg64(f, s, core + 0x1c, any_addr(f));
	reg(f, s, core + 0x74, sizes[below(f, ARRAY_SIZE(sizes))]);
	reg(f, s, core + 0x7c, rnd(f));
	reg64(f, s, core + 0x80, any_addr(f));
	/* linear; a completion; a memset now and then */
	reg(f, s, core + 0x78, 0x8 | below(f, 2) | (!below(f, 4)) << 4);
}

/* A completion of a copy that starts the same copy: for ever. */
static void step_loop(struct fuzz *f)
{
	struct side *s = any_present(f), *to = any_side(f);
	uint32_t core = DMA_CORE(below(f, 8));
	uint64_t commit = below(f, 2) ? CFG + core + 0x78 :
			  HOST + to->bar[1] + 0x4000000 + core + 0x78;

	reg(f, s, core + 0xb8, 2);
	reg(f, s, core + 0xf4, 0x400);
	reg(f, s, core + 0x0, 1);
	reg64(f, s, core + 0x14, USER_HBM);
	reg64(f, s, core + 0x1c, any_addr(f));
	reg(f, s, core + 0x74, 64);
	reg(f, s, core + 0x7c, 9);
	reg64(f, s, core + 0x80, commit);
	reg(f, s, core + 0x78, 9);
}

/* Monitors that raise interrupts, start copies, or wake each other. */
static void step_monitor(struct fuzz *f)
{
	struct side *s = any_present(f);
	unsigned int m = below(f, 512);
	uint64_t to = below(f, 3) ? CFG + any_reg(f) :
		      CFG + SM_E_N + 0x5800 + 4 * below(f, 512);

	reg(f, s, SM_E_N + 0x4000 + 4 * m, to);
	reg(f, s, SM_E_N + 0x4800 + 4 * m, to >> 32);
	reg(f, s, SM_E_N + 0x5000 + 4 * m, rnd(f));
	reg(f, s, SM_E_N + 0x5800 + 4 * m, 0xfe00 | below(f, 256));
}

/* Vectors of one card, or its message at all, at something it owns. */
static void step_msi(struct fuzz *f)
{
	struct side *s = any_present(f);
	uint64_t at = any_bus(f) & ~3ull;

	cfgl(f, s, f->msi + 4, at);
	cfgl(f, s, f->msi + 8, at >> 32);
	qtest_writew(f->qts, s->cfg + f->msi + 12, rnd(f));
	qtest_writew(f->qts, s->cfg + f->msi + 2, 1 | below(f, 6) << 4);
	reg(f, s, 0xc04100, 1);
	reg(f, s, 0xc13000 + 4 * below(f, 32), 1);
}

static void step_bar(struct fuzz *f)
{
	struct side *s = any_present(f);
	unsigned int i = below(f, 3);

	/* over RAM, over the other card, anywhere */
	s->bar[i] = any_bus(f) & ~((1ull << (i == 0 ? 26 : i == 1 ? 27 : 30)) -
				   1);
	cfgl(f, s, 0x10 + 8 * i, s->bar[i]);
	cfgl(f, s, 0x14 + 8 * i, s->bar[i] >> 32);
	step_dma(f);
	if (below(f, 2))
		place_bars(f, s);
}

static void step_config(struct fuzz *f)
{
	static const uint16_t sizes[] = { 1, 2, 4 };
	struct side *s = any_present(f);
	unsigned int off = rnd(f) & 0xffc;

	switch (sizes[below(f, 3)]) {
	case 1:
		qtest_writeb(f->qts, s->cfg + off + below(f, 4), rnd(f));
		break;
	case 2:
		qtest_writew(f->qts, s->cfg + off, rnd(f));
		break;
	default:
		cfgl(f, s, off, rnd(f));
	}
	qtest_readl(f->qts, s->cfg + (rnd(f) & 0xffc));
}

static void step_elbi(struct fuzz *f)
{
	struct side *s = any_present(f);

	cfgl(f, s, 0xff0, below(f, 4) ? 0xfc000000 + any_reg(f) : rnd(f));
	cfgl(f, s, 0xff4, rnd(f));
	cfgl(f, s, 0xff8, below(f, 2) << 31);
	qtest_readl(f->qts, s->cfg + 0xffc);
}

static void step_window(struct fuzz *f)
{
	struct side *s = any_present(f);
	uint64_t target = (uint64_t)rnd(f) << 12;

	if (below(f, 2))
		target %= 1u << 30;
	reg(f, s, 0xc07490, 0x300000);
	reg(f, s, 0xc02314, target);
	reg(f, s, 0xc02318, target >> 32);
	reg(f, s, 0xc02304, 0xc0000400);
}

static void step_memory(struct fuzz *f)
{
	struct side *s = any_present(f);
	unsigned int i = below(f, 2) * 2;

	qtest_writeq(f->qts, s->bar[i] + below(f, 0x4000000 - 8), rnd(f));
	qtest_readq(f->qts, s->bar[i] + below(f, 0x4000000 - 8));
}

static void step_reset(struct fuzz *f)
{
	struct side *s = any_present(f);

	switch (below(f, 4)) {
	case 0:		/* FLR */
		qtest_writew(f->qts, s->cfg + f->exp + 8, 0x8000);
		break;
	case 1:		/* D3hot and back */
		qtest_writew(f->qts, s->cfg + f->pm + 4, 3);
		qtest_writew(f->qts, s->cfg + f->pm + 4, 0);
		break;
	case 2:
		reg(f, s, 0xc4b498, 1);
		return;
	default:
		qtest_writew(f->qts, s->cfg + 4, below(f, 8));
		step_dma(f);
	}
	place_bars(f, s);
}

static void step_clock(struct fuzz *f)
{
	/* a step of nothing is an error to qtest */
	qtest_clock_step(f->qts, 1000000ull * (1 + below(f, 2000)));
}

static void plug(struct fuzz *f)
{
	struct slot port = { .qts = f->qts, .cfg = f->side[1].cfg };

	qtest_qmp_device_add(f->qts, "gaudi", "card",
			     "{'bus': 'rp', 'hbm-size': 1073741824}");
	qtest_writel(f->qts, PORT + 0x18, 0x00010100);
	qtest_writel(f->qts, PORT + 0x20, 0xcff0c000);
	qtest_writel(f->qts, PORT + 0x24, 0xfff10001);
	qtest_writel(f->qts, PORT + 0x28, 0x10);
	qtest_writel(f->qts, PORT + 0x2c, 0x17);
	qtest_writew(f->qts, PORT + 0x04, 0x6);
	port_power(&port, true);
	f->side[1].present = true;
	place_bars(f, &f->side[1]);
}

static void unplug(struct fuzz *f)
{
	struct slot port = { .qts = f->qts, .cfg = f->side[1].cfg };

	qtest_qmp_device_del_send(f->qts, "card");
	port_power(&port, false);
	port_wait_deleted(&port);
	f->side[1].present = false;
}

/* Seldom: the machine's reset, a halt, the second card comes or goes. */
static void step_machine(struct fuzz *f)
{
	if (below(f, 4))
		return;
	switch (below(f, 3)) {
	case 0:
		qtest_qmp_assert_success(f->qts, "{'execute': 'stop'}");
		step_dma(f);
		qtest_qmp_assert_success(f->qts, "{'execute': 'cont'}");
		break;
	default:
		step_dma(f);
		step_loop(f);
		if (f->side[1].present)
			unplug(f);
		else
			plug(f);
	}
}

/* --- sessions --------------------------------------------------------------- */

static void (*const steps[])(struct fuzz *f) = {
	step_reg, step_reg, step_block, step_block, step_dma, step_dma,
	step_dma, step_loop,
	step_monitor, step_monitor, step_msi, step_bar, step_config, step_elbi,
	step_window, step_memory, step_reset, step_clock, step_machine,
};

static uint64_t anon_kib(QTestState *qts)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/status",
						qtest_pid(qts));
	g_autofree char *text = NULL;
	const char *at;

	g_assert(g_file_get_contents(path, &text, NULL, NULL));
	at = strstr(text, "RssAnon:");
	g_assert_nonnull(at);
	return g_ascii_strtoull(at + 8, NULL, 10);
}

static void check_works(struct fuzz *f)
{
	struct slot a = { .qts = f->qts, .cfg = f->side[0].cfg };

	qtest_system_reset(f->qts);
	qtest_outl(f->qts, 0xcf8, 0x80000060);
	qtest_outl(f->qts, 0xcfc, MMCONFIG | 1);
	slot_enable(&a);
	g_assert_cmphex(rd(&a, DMA_QM(0) + 0x38), ==, 0x3fff);
	queue_init(&a);
	qtest_writel(f->qts, CBUF + 0x1000, 0);
	msg_prot(&a, CBUF, HOST + CBUF + 0x1000, 0x600dca4d);
	submit(&a, 1, CBUF, 16);
	wait_memory(&a, CBUF + 0x1000, 0x600dca4d);
}

static void too_long(int sig)
{
	static const char text[] = "QEMU does not answer any more\n";

	if (write(STDERR_FILENO, text, sizeof(text) - 1))
		abort();
	abort();
}

static unsigned int from_env(const char *name, unsigned int normal)
{
	const char *s = getenv(name);

	return s ? strtoul(s, NULL, 0) : normal;
}

static void session(const void *data)
{
	unsigned int seed = from_env("GAUDI_FUZZ_SEED", GPOINTER_TO_UINT(data));
	unsigned int i, n = from_env("GAUDI_FUZZ_STEPS", DEFAULT_STEPS);
	static const char *const kinds[] = {
		"", ",workers=1", ",deterministic=on", ",sched-seed=7",
	};
	struct fuzz f = {
		.rand = g_rand_new_with_seed(seed),
		.side = {
			{ .cfg = MMCONFIG + (4ull << 15), .present = true,
			  .home = { 0xd0000000, 0xd8000000, 0x3000000000 } },
			{ .cfg = MMCONFIG + (1 << 20),
			  .home = { BAR0, BAR2, BAR4 } },
		},
	};
	struct slot a = { 0 };

	f.qts = qtest_initf("-machine q35 -m 256M -nodefaults "
			    "-global ICH9-LPC.acpi-pci-hotplug-with-"
			    "bridge-support=off "
			    "-device pcie-root-port,id=rp,addr=3 "
			    "-device gaudi,id=first,addr=4,hbm-size=1G%s",
			    kinds[seed % ARRAY_SIZE(kinds)]);
	signal(SIGALRM, too_long);
	alarm(SECONDS + n / 10);
	qtest_outl(f.qts, 0xcf8, 0x80000060);
	qtest_outl(f.qts, 0xcfc, MMCONFIG | 1);
	a.qts = f.qts;
	a.cfg = f.side[0].cfg;
	slot_enable(&a);
	f.msi = a.msi;
	f.exp = a.exp;
	f.pm = a.pm;
	place_bars(&f, &f.side[0]);
	for (i = 0; i < n; i++) {
		steps[below(&f, ARRAY_SIZE(steps))](&f);
		if (i % 64 == 0)
			place_bars(&f, any_present(&f));
		if (i % 256 == 0)
			g_assert_cmpuint(anon_kib(f.qts), <, MAX_ANON_KIB);
	}
	g_assert_cmpuint(anon_kib(f.qts), <, MAX_ANON_KIB);
	check_works(&f);
	g_test_message("seed %u: %u steps, %" PRIu64 " accesses of registers",
		       seed, n, f.accesses);
	alarm(0);
	g_rand_free(f.rand);
	qtest_quit(f.qts);
}

void fuzz_tests(void)
{
	unsigned int seed;

	for (seed = 1; seed <= 4; seed++) {
		g_autofree char *name = g_strdup_printf("gaudi/fuzz/%u", seed);

		qtest_add_data_func(name, GUINT_TO_POINTER(seed), session);
	}
}
