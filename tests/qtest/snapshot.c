// SPDX-License-Identifier: GPL-2.0-only
/*
 * A machine with a card that is saved to a file, and goes on in another QEMU: its
 * configuration space, BARs, memory, and a queue that waits. What cannot be saved.
 */
#include "qemu/osdep.h"
#include "qobject/qdict.h"
#include "slot.h"

#define STOP		(DMA_QM(0) + 0x4)
#define CP_0		(1u << 9)

/* Until the migration is over, which way it may be. */
static void wait_migration(struct slot *s, const char *end)
{
	gint64 until = g_get_monotonic_time() + 30 * G_USEC_PER_SEC;
	QDict *r;
	bool there;

	do {
		g_assert_cmpint(g_get_monotonic_time(), <, until);
		g_usleep(1000);
		r = qtest_qmp_assert_success_ref(s->qts,
						 "{'execute': 'query-migrate'}");
		there = !g_strcmp0(qdict_get_try_str(r, "status"), end);
		qobject_unref(r);
	} while (!there);
}

static void save(struct slot *s, const char *file, const char *end)
{
	g_autofree char *uri = g_strdup_printf("file:%s", file);

	qtest_qmp_assert_success(s->qts,
		"{'execute': 'migrate', 'arguments': {'uri': %s}}", uri);
	wait_migration(s, end);
}

static struct slot load(const struct slot *from, const char *file)
{
	g_autofree char *uri = g_strdup_printf("file:%s", file);
	struct slot s = slot_start("", "-incoming defer");

	s.msi = from->msi;
	s.exp = from->exp;
	s.pm = from->pm;
	qtest_qmp_assert_success(s.qts,
		"{'execute': 'migrate-incoming', 'arguments': {'uri': %s}}",
		uri);
	wait_migration(&s, "completed");
	return s;
}

static char *new_file(void)
{
	char *file;
	int fd = g_file_open_tmp("gaudi-XXXXXX", &file, NULL);

	g_assert_cmpint(fd, >=, 0);
	close(fd);
	return file;
}

static void test_save_and_load(void)
{
	struct slot s = slot_start("", ""), t;
	g_autofree char *file = new_file();

	slot_enable(&s);
	enable_msi(&s, 0);
	queue_init(&s);
	wr(&s, SM_E_N + SOB(7), 77);
	qtest_writel(s.qts, BAR0 + 0x1000, 0x11111111);
	qtest_writeq(s.qts, BAR4 + USER_HBM + 8, 0x2222222233333333);
	msg_prot(&s, CBUF, HOST + FENCE_AT, 0x4444);
	msg_prot(&s, CBUF + 16, CFG + SM_E_N + SOB(8), 0x80000005);
	/* It waits: its command processor is stopped. */
	wr(&s, STOP, CP_0);
	submit(&s, 1, CBUF, 32);
	save(&s, file, "completed");

	t = load(&s, file);
	unlink(file);
	slot_stop(&s);
	g_assert_cmphex(cfg_readl(&t, 0), ==, 0x10001da3);
	g_assert_cmphex(cfg_readw(&t, 4) & 6, ==, 6);
	g_assert_cmpuint(rd(&t, SM_E_N + SOB(7)), ==, 77);
	g_assert_cmphex(qtest_readl(t.qts, BAR0 + 0x1000), ==, 0x11111111);
	g_assert_cmphex(qtest_readq(t.qts, BAR4 + USER_HBM + 8), ==,
			0x2222222233333333);
	g_assert_cmpuint(qtest_readl(t.qts, FENCE_AT), ==, 0);
	wr(&t, STOP, 0);
	wait_memory(&t, FENCE_AT, 0x4444);
	slot_wait(&t, SM_E_N + SOB(8), UINT32_MAX, 5);
	/* An interrupt, with the address that was set up before. */
	wr(&t, 0xc04100, 1);
	wait_memory(&t, MSI_AT, 0x4140);
	slot_stop(&t);
}

/* The machine goes on, and can be saved when there is nothing in the way. */
static void test_what_cannot_be_saved(void)
{
	struct slot s = slot_start("", "");
	g_autofree char *file = new_file();

	slot_enable(&s);
	qtest_qmp_assert_success(s.qts, "{'execute': 'qom-set', 'arguments': "
		"{'path': 'card', 'property': 'inject', "
		"'value': 'msi-lost,count=1'}}");
	save(&s, file, "failed");
	wr(&s, SM_E_N + SOB(7), 77);
	g_assert_cmpuint(rd(&s, SM_E_N + SOB(7)), ==, 77);
	qtest_qmp_assert_success(s.qts, "{'execute': 'qom-set', 'arguments': "
		"{'path': 'card', 'property': 'clear-faults', 'value': true}}");
	save(&s, file, "completed");
	unlink(file);
	slot_stop(&s);
}

void snapshot_tests(void)
{
	qtest_add_func("gaudi/snapshot/save-and-load", test_save_and_load);
	qtest_add_func("gaudi/snapshot/what-cannot-be-saved",
		       test_what_cannot_be_saved);
}
