// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proves: a card that nobody has open is suspended if power/control says
 * "auto", and not before; open() wakes it, and it works; reset requests and
 * removal find it in either state.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "../../uapi/drm/gaudi_accel.h"
#include "lib/fixture.h"

FIXTURE(pm)
{
	char pci[64];
};

/* Wait until power/runtime_status is this. */
static int wait_for(const char *status)
{
	char now[32];
	int i;

	for (i = 0; i < 2400; i++) {
		if (!gt_sysfs_read("power/runtime_status", now, sizeof(now)) &&
		    !strcmp(now, status))
			return 0;
		usleep(50000);
	}
	return -ETIMEDOUT;
}

static int is(const char *status)
{
	char now[32];

	return gt_sysfs_read("power/runtime_status", now, sizeof(now)) ?
	       0 : !strcmp(now, status);
}

FIXTURE_SETUP(pm)
{
	int fd = gt_open();
	bool ours;

	if (fd == -ENODEV)
		SKIP(return, "no Gaudi card");
	ASSERT_GE(fd, 0);
	ours = gt_has(fd, GAUDI_CAP_HBM_ALLOC);
	close(fd);
	if (!ours)
		SKIP(return, "a driver without runtime suspend");
	ASSERT_EQ(0, gt_sysfs_read("pci_addr", self->pci, sizeof(self->pci)));
	ASSERT_EQ(0, gt_sysfs_write("power/autosuspend_delay_ms", "200"));
}

FIXTURE_TEARDOWN(pm)
{
	gt_sysfs_write("power/control", "on");
}

static int run_nop(int fd)
{
	struct gt_cb cb;
	int ret = gt_cb_create(fd, 4096, &cb);

	if (ret)
		return ret;
	cb.len = gt_pkt_nop(cb.map, 0);
	ret = gt_run(fd, 0, &cb);
	gt_cb_destroy(fd, &cb);
	return ret;
}

TEST_F_TIMEOUT(pm, open_wakes_it, 300)
{
	char text[64];
	int fd, i;

	/* The default: it stays awake. */
	ASSERT_EQ(0, gt_sysfs_read("power/control", text, sizeof(text)));
	EXPECT_STREQ("on", text);
	usleep(1000000);
	EXPECT_TRUE(is("active"));

	ASSERT_EQ(0, gt_sysfs_write("power/control", "auto"));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, wait_for("suspended"));
		/* Nobody reads registers of a card that sleeps. */
		EXPECT_NE(0, gt_sysfs_read("clk_cur_freq_mhz", text,
					   sizeof(text)));
		EXPECT_TRUE(is("suspended"));
		fd = gt_open_once();
		ASSERT_GE(fd, 0);
		EXPECT_TRUE(is("active"));
		EXPECT_EQ(0, run_nop(fd));
		/* In use, however long. */
		usleep(1000000);
		EXPECT_TRUE(is("active"));
		EXPECT_EQ(-EBUSY, gt_open_once());
		EXPECT_EQ(0, run_nop(fd));
		close(fd);
	}
	ASSERT_EQ(0, wait_for("suspended"));
	ASSERT_EQ(0, gt_sysfs_write("power/control", "on"));
	EXPECT_TRUE(is("active"));
	EXPECT_EQ(0, gt_wait_operational(60));
}

TEST_F_TIMEOUT(pm, reset_and_removal_while_it_sleeps, 300)
{
	char text[64];
	int fd;

	ASSERT_EQ(0, gt_sysfs_write("power/control", "auto"));
	ASSERT_EQ(0, wait_for("suspended"));
	/* Its next waking is a reset. */
	gt_sysfs_write("hard_reset", "1");
	EXPECT_TRUE(is("suspended"));
	fd = gt_open();
	ASSERT_GE(fd, 0);
	EXPECT_EQ(0, run_nop(fd));
	close(fd);

	ASSERT_EQ(0, wait_for("suspended"));
	ASSERT_EQ(0, gt_write_file("/sys/bus/pci/drivers/gaudi/unbind",
				   self->pci));
	ASSERT_EQ(0, gt_write_file("/sys/bus/pci/drivers/gaudi/bind",
				   self->pci));
	ASSERT_EQ(0, gt_wait_operational(60));
	ASSERT_EQ(0, gt_sysfs_write("power/autosuspend_delay_ms", "200"));
	ASSERT_EQ(0, wait_for("suspended"));

	/* The PCI core wakes it for a function level reset. */
	EXPECT_EQ(0, gt_sysfs_write("reset", "1"));
	fd = gt_open();
	ASSERT_GE(fd, 0);
	EXPECT_EQ(0, run_nop(fd));
	/* A reset while it is in use. */
	close(fd);
	ASSERT_EQ(0, gt_sysfs_write("power/control", "on"));
	EXPECT_EQ(0, gt_sysfs_write("hard_reset", "1"));
	ASSERT_EQ(0, gt_sysfs_write("power/control", "auto"));
	ASSERT_EQ(0, wait_for("suspended"));
	ASSERT_EQ(0, gt_sysfs_write("power/control", "on"));
	ASSERT_EQ(0, gt_wait_operational(60));
	EXPECT_EQ(0, gt_sysfs_read("clk_cur_freq_mhz", text, sizeof(text)));
}

TEST_HARNESS_MAIN
