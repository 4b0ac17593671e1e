// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proves: in shared mode each process has HBM and SRAM of its own, accounted to
 * it, which others can neither name nor keep; and a process of another user
 * stays out.
 *
 * Needs the module's shared=1, else it skips; for other drivers too.
 */
#include <sys/stat.h>

#include "lib/share.h"

#define HBM_USER_SIZE	0x7e0000000ull

static int account(int n)
{
	struct hl_info_dram_usage usage;
	struct hl_info_hw_ip_info hw;
	uint64_t addr;
	int fd = gt_open();

	MUST(fd >= 0);
	MUST(hbm_alloc(fd, (n + 1) << 20, &addr) >= 0);
	MUST(!gt_info(fd, HL_INFO_HW_IP_INFO, &hw, sizeof(hw)));
	board->slot[n].hbm = addr;
	board->slot[n].sram = hw.sram_base_address;
	/* The slots are next to each other; the first has a gap in front. */
	MUST(hw.sram_size <= (20 << 20) / 16);
	MUST(hw.sram_size >= 1 << 20);
	meet(MAX_USERS);
	MUST(!gt_info(fd, HL_INFO_DRAM_USAGE, &usage, sizeof(usage)));
	MUST(usage.ctx_dram_mem == (uint64_t)(n + 1) << 20);
	/* 1 + 2 + ... + 16 MiB */
	MUST(hw.dram_size - usage.dram_free_mem == 136ull << 20);
	MUST(gt_open_once() == -EBUSY);
	board->go++;
	while (board->go < MAX_USERS)
		usleep(1000);
	close(fd);
	return 0;
}

TEST_F_TIMEOUT(share, sixteen_and_what_each_has, 300)
{
	struct hl_open_stats_info stats;
	int i, k, fd;

	EXPECT_EQ(0, in_children(MAX_USERS, account));
	for (i = 0; i < MAX_USERS; i++) {
		for (k = 0; k < i; k++) {
			EXPECT_NE(board->slot[i].hbm, board->slot[k].hbm);
			EXPECT_NE(board->slot[i].sram, board->slot[k].sram);
		}
	}
	fd = gt_open();
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, gt_info(fd, HL_INFO_OPEN_STATS, &stats, sizeof(stats)));
	EXPECT_GE(stats.open_counter, MAX_USERS);
	EXPECT_EQ(1, stats.is_compute_ctx_active);
	close(fd);
}

static int of_another_user(int n)
{
	MUST(!setuid(65534));
	return gt_open_once() == -EBUSY ? 0 : 11;
}

TEST_F_TIMEOUT(share, another_user_stays_out, 300)
{
	int fd;

	if (getuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, chmod("/dev/accel/accel0", 0666));
	fd = gt_open();
	ASSERT_GE(fd, 0);
	EXPECT_EQ(0, in_children(1, of_another_user));
	close(fd);
}

/* HBM of another process cannot be named: not freed, mapped or exported. */
static int steal(int n)
{
	union hl_mem_args args = { .in = { .op = HL_MEM_OP_EXPORT_DMABUF_FD } };
	int fd = gt_open();

	MUST(fd >= 0);
	args.in.export_dmabuf_fd.addr = board->slot[0].hbm;
	args.in.export_dmabuf_fd.mem_size = 1 << 20;
	MUST(mem(fd, &args) == -EINVAL);
	args = (union hl_mem_args){ .in = { .op = HL_MEM_OP_FREE,
					    .free.handle = board->slot[0].sob } };
	MUST(mem(fd, &args) == -EINVAL);
	args = (union hl_mem_args){ .in = { .op = HL_MEM_OP_MAP,
					    .map_device.handle =
						board->slot[0].sob } };
	return mem(fd, &args) == -EINVAL ? 0 : 13;
}

TEST_F_TIMEOUT(share, hbm_of_others_has_no_name, 300)
{
	int fd = gt_open();
	int64_t handle;

	ASSERT_GE(fd, 0);
	handle = hbm_alloc(fd, 1 << 20, &board->slot[0].hbm);
	ASSERT_GT(handle, 0);
	board->slot[0].sob = handle;
	EXPECT_EQ(0, in_children(1, steal));
	close(fd);
}

/* What one has given back is there for another, at once and all of it. */
TEST_F_TIMEOUT(share, freed_hbm_is_for_all, 300)
{
	union hl_mem_args args = { .in = {
		.op = HL_MEM_OP_ALLOC, .alloc.mem_size = HBM_USER_SIZE } };
	struct hl_info_dram_usage usage;
	int a = gt_open(), b = gt_open();
	uint64_t addr;
	int64_t handle;

	ASSERT_GE(a, 0);
	ASSERT_GE(b, 0);
	handle = mem(a, &args);
	ASSERT_GT(handle, 0);
	EXPECT_EQ(-ENOMEM, hbm_alloc(b, 1, &addr));
	args = (union hl_mem_args){ .in = { .op = HL_MEM_OP_FREE,
					    .free.handle = handle } };
	EXPECT_GE(mem(a, &args), 0);
	EXPECT_EQ(0, gt_info(a, HL_INFO_DRAM_USAGE, &usage, sizeof(usage)));
	EXPECT_EQ(0, usage.ctx_dram_mem);
	EXPECT_EQ(HBM_USER_SIZE, usage.dram_free_mem);

	EXPECT_GT(hbm_alloc(b, HBM_USER_SIZE, &addr), 0);
	EXPECT_EQ(-ENOMEM, hbm_alloc(a, HBM_USER_SIZE, &addr));
	EXPECT_EQ(-ENOMEM, hbm_alloc(a, 1, &addr));
	args = (union hl_mem_args){ .in = { .op = HL_MEM_OP_MAP,
					    .map_device.handle = handle } };
	EXPECT_EQ(-EINVAL, mem(a, &args));
	close(b);
	close(a);
}

TEST_HARNESS_MAIN
