// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proves: a card that leaves its slot while two write to each other is a link that goes
 * down for the other one, and nothing else; the card that comes in its place can be
 * connected. The suite life unplugs and plugs, where files of this program say so.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fixture.h"
#include "lib/nic.h"

static int wait_for_file(const char *path)
{
	unsigned int try;

	for (try = 0; try < 60000; try++) {
		if (!access(path, F_OK))
			return 0;
		usleep(1000);
	}
	return -ETIMEDOUT;
}

/* The host does it now: a file in this folder says what, and with which card. */
static int ask(const char *what, const char *card)
{
	char path[64], go[64];
	FILE *f;

	snprintf(path, sizeof(path), "%s.new", what);
	f = fopen(path, "w");
	if (!f)
		return -errno;
	fputs(card, f);
	fclose(f);
	snprintf(go, sizeof(go), "%s.go", what);
	if (rename(path, go))
		return -errno;
	snprintf(path, sizeof(path), "%s.done", what);
	return wait_for_file(path);
}

/*
 * The guest is done with the card, and has turned off its slot and the slot's light: one
 * that comes earlier goes with the power.
 */
static bool is_gone(const char *device)
{
	char config[PATH_MAX + 16];
	uint16_t slot = 0;
	int fd;

	if (!access(device, F_OK))
		return false;
	/* Of the port, one folder above. */
	snprintf(config, sizeof(config), "%s", device);
	strcpy(strrchr(config, '/'), "/config");
	fd = open(config, O_RDONLY);
	if (fd < 0)
		return false;
	if (pread(fd, &slot, sizeof(slot), 0x6c) != sizeof(slot))
		slot = 0;
	close(fd);
	return (slot & 0x700) == 0x700;
}

static int wait_until_gone(const char *device)
{
	unsigned int try;

	for (try = 0; try < 60000; try++) {
		if (is_gone(device))
			return 0;
		usleep(1000);
	}
	return -ETIMEDOUT;
}

/* A card leaves its slot while both send; another one comes. */
FIXTURE(unplug)
{
	struct end a, b;
	uint32_t resets;
};

FIXTURE_VARIANT(unplug)
{
	const char *go, *come;
};

FIXTURE_VARIANT_ADD(unplug, politely)
{
	.go = "unplug", .come = "plug",
};

FIXTURE_VARIANT_ADD(unplug, by_surprise)
{
	.go = "pull", .come = "plug-again",
};

FIXTURE_SETUP(unplug)
{
	const char *why = NULL;

	ASSERT_EQ(0, pair_open(&self->a, &self->b, &why));
	ASSERT_EQ(NULL, why);
	self->resets = gt_resets(self->a.fd);
}

FIXTURE_TEARDOWN(unplug)
{
	end_close(&self->a);
	end_close(&self->b);
}

TEST_F_TIMEOUT(unplug, peer_is_unplugged_under_traffic, 300)
{
	struct end *a = &self->a, *b = &self->b;
	struct drm_gaudi_nic_port_info before, after;
	struct drm_gaudi_nic_error error = { 0 };
	struct hl_info_hw_ip_info ip;
	struct traffic t;
	char card[16], device[PATH_MAX];
	pid_t pid;

	ASSERT_NE(NULL, realpath("/sys/class/accel/accel1/device", device));
	ASSERT_EQ(0, gt_info(b->fd, HL_INFO_HW_IP_INFO, &ip, sizeof(ip)));
	snprintf(card, sizeof(card), "%u", ip.module_id);
	ASSERT_EQ(0, nic_port_info(a->fd, a->port, &before));
	pid = peer_start(a, b, &t);
	ASSERT_LT(0, pid);
	ASSERT_EQ(0, ask(variant->go, card));
	EXPECT_KILLED(pid);
	EXPECT_EQ(0, nic_wait_link(a->fd, a->port, false));
	EXPECT_EQ(0, nic_wait_error(a->fd, &error));
	EXPECT_EQ(a->conn, error.conn_id);
	EXPECT_EQ(GAUDI_NIC_ERR_REQUESTER, error.flags);
	EXPECT_EQ(0, traffic_stop(&t));
	EXPECT_EQ(self->resets, gt_resets(a->fd));

	ASSERT_EQ(0, wait_until_gone(device));
	ASSERT_EQ(0, ask(variant->come, card));
	ASSERT_EQ(0, wait_for_file("/dev/accel/accel1"));
	ASSERT_EQ(0, nic_wait_link(a->fd, a->port, true));
	ASSERT_EQ(0, connect_again(a, b));
	EXPECT_EQ(0, write_through(b, a, 10000, 2));
	ASSERT_EQ(0, nic_port_info(a->fd, a->port, &after));
	EXPECT_EQ(before.link_changes + 2, after.link_changes);
	EXPECT_EQ(self->resets, gt_resets(a->fd));
}

TEST_HARNESS_MAIN
