// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proves: HBM and SRAM that a user has written hold zeros when another user
 * gets the card, and are left alone when the same one comes back; and nothing
 * that the first one left in the engines' registers is left. Takes root.
 */
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "lib/fixture.h"

#include "../../uapi/drm/gaudi_accel.h"

#define LEN	8192u
#define NOBODY	65534
#define HBM_END	0x800000000ull

/* Places far from each other, allocated by nobody. */
static uint64_t place(const struct hl_info_hw_ip_info *hw, int i)
{
	switch (i) {
	case 0: return hw->dram_base_address;
	case 1: return hw->dram_base_address + 0x123456000;
	case 2: return HBM_END - LEN;
	case 3: return hw->sram_base_address;
	case 4: return hw->sram_base_address + hw->sram_size - LEN;
	}
	return 0;
}

/* Write them all (seed), or read them: the number of bytes that are not want. */
static long visit(uint32_t seed, bool write_them, bool zeros)
{
	struct hl_info_hw_ip_info hw = {};
	int fd = gt_open(), i, ret = 0;
	struct gt_cb cb = {};
	char *p = gt_alloc(LEN);
	uint64_t va, addr;
	long bad = 0;
	unsigned int b;

	if (fd < 0 || !p)
		return -1000 + fd;
	if (gt_info(fd, HL_INFO_HW_IP_INFO, &hw, sizeof(hw)) ||
	    gt_map_host(fd, p, LEN, &va) || gt_cb_create(fd, 4096, &cb))
		return -2000;
	for (i = 0; !ret && (addr = place(&hw, i)); i++) {
		if (write_them)
			gt_fill(p, LEN, seed + i);
		else
			memset(p, 0xee, LEN);
		cb.len = write_them ?
			gt_pkt_lin_dma(cb.map, va, addr, LEN, EB) :
			gt_pkt_lin_dma(cb.map, addr, va, LEN, EB);
		/* Down on DMA 0, up on DMA 1. */
		ret = gt_run(fd, write_them ? GAUDI_QUEUE_ID_DMA_0_0 :
			     GAUDI_QUEUE_ID_DMA_1_0, &cb);
		if (write_them)
			continue;
		if (!zeros)
			bad += gt_check(p, LEN, seed + i) >= 0;
		else
			for (b = 0; b < LEN; b++)
				bad += p[b] != 0;
	}
	/* Its mapping would keep the file open. */
	gt_cb_destroy(fd, &cb);
	munmap(p, LEN);
	close(fd);
	return ret ? -3000 + ret : bad;
}

/* Registers of engines that users may write; what they hold is read back. */
static const struct trace {
	uint32_t at, read_at;	/* of CFG */
	uint32_t value;
} traces[] = {
	{ 0x4f5000 + 4 * 400, 0x4f5000 + 4 * 400, 0x5ec2e701 },	/* MON_PAY_DATA */
	{ 0x4b4000 + 4 * 401, 0x4b4000 + 4 * 401, 0x5ec2e704 },	/* MON_PAY_ADDRL */
	{ 0xec6a00, 0xec6a00, 0x5ec2e702 },	/* TPC 3: a tensor's address */
	{ 0xf467c0, 0xf467c0, 0x5ec2e703 },	/* TPC 5: a kernel's argument */
	{ 0x060010, 0x060010, 0x5ec2e705 },	/* MME 0: descriptor */
	{ 0x580014, 0x580014, 0x5ec2e706 },	/* DMA 4: source address */
	{ 0x5c8b54, 0x5c8b54, 0x5ec2e708 },	/* DMA_QM 6: arbiter's messages */
	{ 0xe48334, 0xe48384, 7 },		/* TPC_QM 1: a fence counter */
};

#define NUM_TRACES	(sizeof(traces) / sizeof(traces[0]))

/* Leave them (with -1000 and below: it failed), or count those that are there. */
static long leave_or_find(bool leave)
{
	char *p = gt_alloc(4096);
	struct gt_cb cb = {};
	long found = 0;
	int fd = gt_open(), ret;
	unsigned int i;
	uint64_t va;

	if (fd < 0 || !p)
		return -1000 + fd;
	if (gt_map_host(fd, p, 4096, &va) || gt_cb_create(fd, 4096, &cb))
		return -2000;
	memset(p, 0xee, 4096);
	for (i = 0; i < NUM_TRACES; i++)
		cb.len += leave ?
			gt_pkt_msg_long(cb.map + cb.len,
					CFG_BASE + traces[i].at,
					traces[i].value, MB) :
			gt_pkt_lin_dma(cb.map + cb.len,
				       CFG_BASE + traces[i].read_at,
				       va + 4 * i, 4, EB);
	ret = gt_run(fd, leave ? GAUDI_QUEUE_ID_DMA_0_0 :
		     GAUDI_QUEUE_ID_DMA_1_0, &cb);
	for (i = 0; i < NUM_TRACES && !leave; i++) {
		uint32_t val = ((uint32_t *)p)[i];

		/* What was not read is no proof of anything. */
		if (val == 0xeeeeeeee)
			ret = -EIO;
		else if (val == traces[i].value)
			found++;
		else if (val)
			fprintf(stderr, "# %#x: %#x\n", traces[i].read_at, val);
	}
	gt_cb_destroy(fd, &cb);
	munmap(p, 4096);
	close(fd);
	return ret ? -3000 + ret : found;
}

/* What, as another user; at most 250. */
static int as_nobody(long (*what)(const void *arg), const void *arg)
{
	pid_t pid = fork();
	int status;
	long ret;

	if (!pid) {
		if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))
			_exit(254);
		ret = what(arg);
		if (ret < 0)
			fprintf(stderr, "# as nobody: %ld\n", ret);
		_exit(ret < 0 ? 255 : ret > 250 ? 250 : ret);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static long read_zeros(const void *unused)
{
	return visit(0, false, true);
}

static long write_seed(const void *seed)
{
	return visit(*(const uint32_t *)seed, true, false);
}

static long leave(const void *unused)
{
	return leave_or_find(true);
}

static long find(const void *unused)
{
	return leave_or_find(false);
}

static uint32_t resets(void)
{
	int fd = open("/dev/accel/accel_controlD0", O_RDONLY);
	uint32_t n = gt_resets(fd);

	close(fd);
	return n;
}

FIXTURE(scrub) { };
FIXTURE_SETUP(scrub)
{
	struct drm_gaudi_query args = { .id = GAUDI_QUERY_VERSION };
	int fd = gt_open();

	if (fd == -ENODEV)
		SKIP(return, "no Gaudi card");
	ASSERT_GE(fd, 0);
	/* The stock driver scrubs with memory_scrub=1 only. */
	if (gt_ioctl(fd, DRM_IOCTL_GAUDI_QUERY, &args)) {
		close(fd);
		SKIP(return, "this driver leaves memory as it is");
	}
	close(fd);
	if (geteuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, chmod("/dev/accel/accel0", 0666));
}

FIXTURE_TEARDOWN(scrub)
{
	chmod("/dev/accel/accel0", 0600);
}

TEST_F_TIMEOUT(scrub, another_user_finds_zeros, 300)
{
	const uint32_t seed = 200;

	ASSERT_EQ(0, visit(100, true, false));
	/* It was there, and stays for its owner. */
	ASSERT_EQ(0, visit(100, false, false));
	EXPECT_EQ(0, as_nobody(read_zeros, NULL));
	/* The other way round too. */
	ASSERT_EQ(0, as_nobody(write_seed, &seed));
	EXPECT_EQ(0, visit(0, false, true));
}

TEST_F_TIMEOUT(scrub, another_user_finds_clean_engines, 300)
{
	uint32_t before;

	ASSERT_EQ(0, leave_or_find(true));
	before = resets();
	/* They are there, and stay for their owner. */
	ASSERT_EQ(NUM_TRACES, leave_or_find(false));
	ASSERT_EQ(before, resets());
	EXPECT_EQ(0, as_nobody(find, NULL));
	EXPECT_EQ(before + 1, resets());
	ASSERT_EQ(0, as_nobody(leave, NULL));
	EXPECT_EQ(before + 1, resets());
	EXPECT_EQ(0, leave_or_find(false));
	EXPECT_EQ(before + 2, resets());
}

/* After a reset for any reason there is nothing to clean. */
TEST_F_TIMEOUT(scrub, clean_engines_are_not_reset_again, 300)
{
	uint32_t before;

	ASSERT_EQ(0, leave_or_find(true));
	ASSERT_EQ(0, gt_sysfs_write("hard_reset", "1"));
	ASSERT_EQ(0, gt_wait_operational(120));
	before = resets();
	EXPECT_EQ(0, as_nobody(find, NULL));
	EXPECT_EQ(before, resets());
}

TEST_F_TIMEOUT(scrub, a_reset_in_between_does_not_help, 300)
{
	ASSERT_EQ(0, visit(300, true, false));
	ASSERT_EQ(0, gt_sysfs_write("hard_reset", "1"));
	ASSERT_EQ(0, gt_wait_operational(120));
	EXPECT_EQ(0, as_nobody(read_zeros, NULL));
}

TEST_HARNESS_MAIN
