// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the NIC ports are plugged into: cables between cards, QEMU's network, cards
 * of another QEMU.
 */
#include "qemu/osdep.h"
#include "qobject/qdict.h"

#include "slot.h"

#define BAR2_B		0xd0000000ull
#define REGS_B		(BAR2_B + 0x4000000)

/* Of port p; a port is on while it has a table of responders. */
#define MACRO(p)	(((p) / 2) * 0x40000u)
#define RES_BASE_HI(p)	(0xce4040u + MACRO(p) + ((p) & 1) * 0x1000u)
#define LINK(p)		(0xcc4000u + MACRO(p) + ((p) & 1) * 0x80u)
#define LINK_UP		1u

static struct slot two_cards(const char *properties, struct slot *b)
{
	g_autofree char *extra = g_strdup_printf(
		"-device gaudi,id=b,addr=5,hbm-size=1G,module-id=3%s",
		properties);
	g_autofree char *mine = g_strdup_printf("module-id=1%s", properties);
	struct slot a = slot_start(mine, extra);

	slot_enable(&a);
	*b = a;
	b->cfg = MMCONFIG + (5 << 15);
	cfg_writel(b, 0x18, (uint32_t)BAR2_B);
	cfg_writel(b, 0x1c, 0);
	cfg_writew(b, 0x04, 0x6);
	return a;
}

static void wr_b(struct slot *s, uint32_t reg, uint32_t value)
{
	qtest_writel(s->qts, REGS_B + reg, value);
}

static uint32_t rd_b(struct slot *s, uint32_t reg)
{
	return qtest_readl(s->qts, REGS_B + reg);
}

static void wait_b(struct slot *s, uint32_t reg, uint32_t value)
{
	gint64 end = g_get_monotonic_time() + 10 * G_USEC_PER_SEC;

	while (rd_b(s, reg) != value) {
		g_assert_cmpint(g_get_monotonic_time(), <, end);
		qtest_clock_step(s->qts, 100000);
	}
}

/* Modules 1 and 3 of an HLS-1: 1 ^ 3 is 2, port 2. */
static void test_cables(void)
{
	struct slot b, a = two_cards("", &b);

	wr(&a, RES_BASE_HI(2), 0x1c000000 >> 18);
	g_assert_cmphex(rd(&a, LINK(2)), ==, 0);
	wr_b(&b, RES_BASE_HI(2), 0x1c000000 >> 18);
	slot_wait(&a, LINK(2), LINK_UP, LINK_UP);
	wait_b(&b, LINK(2), LINK_UP);
	wr_b(&b, RES_BASE_HI(3), 0x1c000000 >> 18);
	wr(&a, RES_BASE_HI(3), 0x1c000000 >> 18);
	/* No cable joins these. */
	g_assert_cmphex(rd(&a, LINK(3)), ==, 0);
	g_assert_cmphex(rd_b(&b, LINK(3)), ==, 0);
	/* One loses its tables: the other sees it. */
	wr_b(&b, RES_BASE_HI(2), 0);
	slot_wait(&a, LINK(2), LINK_UP, 0);
	slot_stop(&a);
}

static void test_cabling_file(void)
{
	g_autofree char *file = g_strdup_printf("%s/cables-%d", g_get_tmp_dir(),
						getpid());
	g_autofree char *properties = g_strdup_printf(",cabling=%s", file);
	struct slot b, a;

	g_assert(g_file_set_contents(file, "# crossed\n3:9 1:0\n", -1, NULL));
	a = two_cards(properties, &b);
	unlink(file);
	wr(&a, RES_BASE_HI(0), 0x1c000000 >> 18);
	wr(&a, RES_BASE_HI(2), 0x1c000000 >> 18);
	wr_b(&b, RES_BASE_HI(2), 0x1c000000 >> 18);
	wr_b(&b, RES_BASE_HI(9), 0x1c000000 >> 18);
	slot_wait(&a, LINK(0), LINK_UP, LINK_UP);
	wait_b(&b, LINK(9), LINK_UP);
	g_assert_cmphex(rd(&a, LINK(2)), ==, 0);
	slot_stop(&a);
}

static void set_link(struct slot *s, const char *name, bool up)
{
	QDict *r = qtest_qmp(s->qts, "{'execute': 'set_link', 'arguments':"
			     "{'name': %s, 'up': %i}}", name, up);

	g_assert(qdict_haskey(r, "return"));
	qobject_unref(r);
}

/* The network is always there; its wire can be pulled by QMP. */
static void test_network(void)
{
	struct slot s = slot_start("nic1=net,mac1=02:00:00:00:00:07",
				   "-netdev hubport,id=net,hubid=0");

	slot_enable(&s);
	g_assert_cmphex(rd(&s, LINK(1)), ==, 0);
	wr(&s, RES_BASE_HI(1), 0x1c000000 >> 18);
	g_assert_cmphex(rd(&s, LINK(1)), ==, LINK_UP);
	set_link(&s, "net", false);
	g_assert_cmphex(rd(&s, LINK(1)), ==, 0);
	set_link(&s, "net", true);
	g_assert_cmphex(rd(&s, LINK(1)), ==, LINK_UP);
	slot_stop(&s);
}

static struct slot box_start(int box)
{
	g_autofree char *properties = g_strdup_printf(
		"fabric=qtest-%d,box=%d", getpid(), box);
	struct slot s = slot_start(properties, "");

	slot_enable(&s);
	wr(&s, RES_BASE_HI(1), 0x1c000000 >> 18);
	return s;
}

/* The other QEMU ends, and another one comes. */
static void test_fabric(void)
{
	struct slot a = box_start(0), b;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		g_assert_cmphex(rd(&a, LINK(1)), ==, 0);
		b = box_start(1);
		slot_wait(&b, LINK(1), LINK_UP, LINK_UP);
		slot_wait(&a, LINK(1), LINK_UP, LINK_UP);
		/* One loses its tables. */
		wr(&b, RES_BASE_HI(1), 0);
		slot_wait(&a, LINK(1), LINK_UP, 0);
		wr(&b, RES_BASE_HI(1), 0x1c000000 >> 18);
		slot_wait(&a, LINK(1), LINK_UP, LINK_UP);
		slot_stop(&b);
		slot_wait(&a, LINK(1), LINK_UP, 0);
	}
	slot_stop(&a);
}

/* A box's number, given by itself or not, is a property. */
static void test_boxes(void)
{
	g_autofree char *mine = g_strdup_printf("fabric=qtest-b-%d", getpid());
	g_autofree char *beside = g_strdup_printf(
		"-device gaudi,id=b,addr=5,hbm-size=1G,module-id=3,%s,box=0", mine);
	struct slot a = slot_start(mine, beside), b = slot_start(mine, "");
	QDict *r;

	r = qtest_qmp(b.qts, "{'execute': 'qom-get', 'arguments':"
		      "{'path': '/machine/peripheral/card', 'property': 'box'}}");
	g_assert_cmpint(qdict_get_int(r, "return"), ==, 1);
	qobject_unref(r);
	slot_stop(&b);
	slot_stop(&a);
}

void port_tests(void)
{
	qtest_add_func("gaudi/fabric", test_fabric);
	qtest_add_func("gaudi/boxes", test_boxes);
	qtest_add_func("gaudi/cables", test_cables);
	qtest_add_func("gaudi/cabling-file", test_cabling_file);
	qtest_add_func("gaudi/network", test_network);
}
