// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proves: HBM and SRAM that a user has written hold zeros when another user
 * gets the card, and are left alone when the same one comes back. Takes root.
 */
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "lib/fixture.h"

#include "../../uapi/gaudi_accel.h"

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

/* The same as another user; at most 255. */
static int visit_as_nobody(uint32_t seed, bool zeros, bool write_them)
{
	pid_t pid = fork();
	long bad;
	int status;

	if (!pid) {
		if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))
			_exit(254);
		bad = visit(seed, write_them, zeros);
		if (bad < 0)
			fprintf(stderr, "# as nobody: %ld\n", bad);
		_exit(bad < 0 ? 255 : bad > 250 ? 250 : bad);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
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
	ASSERT_EQ(0, visit(100, true, false));
	/* It was there, and stays for its owner. */
	ASSERT_EQ(0, visit(100, false, false));
	EXPECT_EQ(0, visit_as_nobody(0, true, false));
	/* The other way round too. */
	ASSERT_EQ(0, visit_as_nobody(200, false, true));
	EXPECT_EQ(0, visit(0, false, true));
}

TEST_F_TIMEOUT(scrub, a_reset_in_between_does_not_help, 300)
{
	ASSERT_EQ(0, visit(300, true, false));
	ASSERT_EQ(0, gt_sysfs_write("hard_reset", "1"));
	ASSERT_EQ(0, gt_wait_operational(120));
	EXPECT_EQ(0, visit_as_nobody(0, true, false));
}

TEST_HARNESS_MAIN
