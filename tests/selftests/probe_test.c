// SPDX-License-Identifier: GPL-2.0-only
/* Proves: the driver bound to the card, and its files say what they must. */
#include <dirent.h>
#include <grp.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "lib/fixture.h"

TEST(status_is_operational)
{
	if (access("/dev/accel/accel0", F_OK))
		SKIP(return, "no Gaudi card");
	ASSERT_EQ(0, gt_wait_operational(20));
}

TEST(nodes_are_character_devices)
{
	struct stat st;

	if (access("/dev/accel/accel0", F_OK))
		SKIP(return, "no Gaudi card");
	ASSERT_EQ(0, stat("/dev/accel/accel0", &st));
	EXPECT_TRUE(S_ISCHR(st.st_mode));
	ASSERT_EQ(0, stat("/dev/accel/accel_controlD0", &st));
	EXPECT_TRUE(S_ISCHR(st.st_mode));
}

FIXTURE(attr) { char buf[4096]; };
FIXTURE_VARIANT(attr) { const char *name; const char *want; bool may_be_empty; };
#define ATTR(n, w, e) FIXTURE_VARIANT_ADD(attr, n) \
	{ .name = #n, .want = w, .may_be_empty = e }

ATTR(device_type, "GAUDI", false);
ATTR(status, "Operational", false);
ATTR(armcp_kernel_ver, NULL, false);
ATTR(armcp_ver, NULL, false);
ATTR(cpucp_kernel_ver, NULL, false);
ATTR(cpucp_ver, NULL, false);
ATTR(cpld_ver, NULL, false);
ATTR(fuse_ver, NULL, false);
ATTR(thermal_ver, NULL, false);
ATTR(fw_os_ver, NULL, true);
ATTR(uboot_ver, NULL, false);
ATTR(preboot_btl_ver, NULL, false);
ATTR(infineon_ver, NULL, false);
ATTR(pci_addr, NULL, false);
ATTR(parent_device, NULL, false);
ATTR(module_id, NULL, false);
ATTR(hard_reset_cnt, NULL, false);
ATTR(security_enabled, "0", false);
ATTR(clk_max_freq_mhz, NULL, false);
ATTR(clk_cur_freq_mhz, NULL, false);
ATTR(max_power, NULL, false);

FIXTURE_SETUP(attr)
{
	if (access("/dev/accel/accel0", F_OK))
		SKIP(return, "no Gaudi card");
	ASSERT_EQ(0, gt_wait_operational(20));
}

FIXTURE_TEARDOWN(attr) {}

TEST_F(attr, reads)
{
	ASSERT_EQ(0, gt_sysfs_read(variant->name, self->buf,
				   sizeof(self->buf)));
	if (!variant->may_be_empty)
		EXPECT_NE('\0', self->buf[0]);
	if (variant->want)
		EXPECT_STREQ(variant->want, self->buf);
}

GAUDI_FIXTURE(node)

TEST_F(node, second_open_is_busy)
{
	EXPECT_EQ(-EBUSY, gt_open_once());
}

TEST_F(node, control_node_answers_beside_a_user)
{
	struct hl_info_hw_ip_info hw;
	struct hl_info_device_status st;
	int fd = gt_open_control();

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, gt_info(fd, HL_INFO_HW_IP_INFO, &hw, sizeof(hw)));
	EXPECT_EQ(self->hw.device_id, hw.device_id);
	EXPECT_EQ(0, memcmp(self->hw.card_name, hw.card_name,
			    sizeof(hw.card_name)));
	ASSERT_EQ(0, gt_info(fd, HL_INFO_DEVICE_STATUS, &st, sizeof(st)));
	EXPECT_EQ(HL_DEVICE_STATUS_OPERATIONAL, st.status);
	close(fd);
}

TEST_F(node, control_node_submits_nothing)
{
	union hl_cb_args cb = { .in = { .op = HL_CB_OP_CREATE,
					.cb_size = 4096 } };
	int fd = gt_open_control();

	ASSERT_GE(fd, 0);
	EXPECT_EQ(-ENOTTY, gt_ioctl(fd, DRM_IOCTL_HL_CB, &cb));
	close(fd);
}

TEST_F(node, hardware_is_a_gaudi)
{
	EXPECT_EQ(0x1000, self->hw.device_id);
	EXPECT_EQ(0x7ff0000080ull, self->hw.sram_base_address);
	EXPECT_EQ(0x1400000u - 0x80, self->hw.sram_size);
	EXPECT_EQ(0x20000000ull, self->hw.dram_base_address);
	EXPECT_EQ(0x800000000ull - 0x20000000, self->hw.dram_size);
	EXPECT_EQ(0xff, self->hw.tpc_enabled_mask);
	EXPECT_EQ(1, self->hw.dram_enabled);
	EXPECT_NE('\0', self->hw.card_name[0]);
}

/* Every attribute of the card and its sensors; those that are written too. */
static int count_writable(const char *dir, unsigned int depth, int *bad)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char path[512];
	struct stat st;
	int n = 0;

	while (d && (e = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		if (e->d_name[0] == '.' || lstat(path, &st))
			continue;
		if (S_ISDIR(st.st_mode) && depth)
			n += count_writable(path, depth - 1, bad);
		if (!S_ISREG(st.st_mode) || !(st.st_mode & 0222))
			continue;
		n++;
		/* The kernel's own "remove" is the group's too. */
		if (st.st_uid || (st.st_mode & 0002) ||
		    (st.st_mode & 0020 && st.st_gid)) {
			ksft_print_msg("%s has mode %o\n", path, st.st_mode);
			(*bad)++;
		}
	}
	if (d)
		closedir(d);
	return n;
}

TEST(only_root_writes_attributes)
{
	int bad = 0;

	if (access("/dev/accel/accel0", F_OK))
		SKIP(return, "no Gaudi card");
	/* hard_reset, max_power, ...: the device, hwmon/ and hwmon/hwmonN/ */
	EXPECT_GE(count_writable("/sys/class/accel/accel0/device/", 2, &bad),
		  5);
	EXPECT_EQ(0, bad);
}

TEST(nobody_else_resets_the_card)
{
	pid_t pid;
	int status;

	if (access("/dev/accel/accel0", F_OK))
		SKIP(return, "no Gaudi card");
	if (geteuid())
		SKIP(return, "needs root");
	pid = fork();
	if (!pid) {
		if (setgroups(0, NULL) || setgid(65534) || setuid(65534))
			_exit(100);
		_exit(-gt_sysfs_write("hard_reset", "1"));
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_TRUE(WIFEXITED(status));
	EXPECT_EQ(EACCES, WEXITSTATUS(status));
}

TEST_HARNESS_MAIN
