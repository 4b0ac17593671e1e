// SPDX-License-Identifier: GPL-2.0-only
/* Proves: host memory is mapped, used, unmapped, and wrong requests refused. */
#include "lib/fixture.h"

GAUDI_FIXTURE(memory)

TEST_F(memory, map_and_unmap)
{
	void *p = gt_alloc(0x10000);
	uint64_t va;

	ASSERT_NE(NULL, p);
	ASSERT_EQ(0, gt_map_host(self->fd, p, 0x10000, &va));
	EXPECT_GE(va, 0x1000000000000ull);
	EXPECT_LE(va, 0x27fbfffffffffull);
	EXPECT_EQ(0, gt_unmap(self->fd, va));
}

TEST_F(memory, unmap_twice_fails)
{
	void *p = gt_alloc(4096);
	uint64_t va;

	ASSERT_EQ(0, gt_map_host(self->fd, p, 4096, &va));
	ASSERT_EQ(0, gt_unmap(self->fd, va));
	EXPECT_EQ(-EINVAL, gt_unmap(self->fd, va));
}

/* One mapping is as good as the other, and does not end with it. */
TEST_F(memory, same_memory_twice)
{
	uint32_t *p = gt_alloc(0x2000);
	uint64_t first, second;
	struct gt_cb cb;

	ASSERT_NE(NULL, p);
	ASSERT_EQ(0, gt_map_host(self->fd, p, 0x2000, &first));
	ASSERT_EQ(0, gt_map_host(self->fd, p, 0x2000, &second));
	EXPECT_NE(first, second);
	EXPECT_EQ(0, gt_unmap(self->fd, first));
	p[0] = 0x600df00d;
	ASSERT_EQ(0, gt_cb_create(self->fd, 4096, &cb));
	cb.len = gt_pkt_lin_dma(cb.map, second, SRAM_BASE + 0x10000, 4, EB);
	ASSERT_EQ(0, gt_run(self->fd, GAUDI_QUEUE_ID_DMA_0_0, &cb));
	cb.len = gt_pkt_lin_dma(cb.map, SRAM_BASE + 0x10000, second + 0x1000, 4,
				EB);
	ASSERT_EQ(0, gt_run(self->fd, GAUDI_QUEUE_ID_DMA_1_0, &cb));
	EXPECT_EQ(0x600df00d, p[0x400]);
	EXPECT_EQ(0, gt_unmap(self->fd, second));
}

TEST_F(memory, offset_in_page_is_kept)
{
	char *p = gt_alloc(0x3000);
	uint64_t va;

	ASSERT_EQ(0, gt_map_host(self->fd, p + 0x123, 0x1800, &va));
	EXPECT_EQ(0x123, va & 0xfff);
	EXPECT_EQ(0, gt_unmap(self->fd, va));
}

TEST_F(memory, refuses_nonsense)
{
	char *p = gt_alloc(4096);
	uint64_t va;

	EXPECT_EQ(-EINVAL, gt_map_host(self->fd, p, 0, &va));
	EXPECT_NE(0, gt_map_host(self->fd, NULL, 4096, &va));
	EXPECT_EQ(-EFAULT, gt_map_host(self->fd, (void *)0x7ff000000000, 4096,
				       &va));
	EXPECT_EQ(-EINVAL, gt_map_host(self->fd, p, ~0ull - 100, &va));
	EXPECT_EQ(-EINVAL, gt_unmap(self->fd, 0x1234000));
	EXPECT_EQ(-EINVAL, gt_unmap(self->fd, ~0ull));
}

TEST_F(memory, bad_opcode)
{
	union hl_mem_args args = { .in = { .op = 99 } };

	EXPECT_EQ(-EINVAL, gt_ioctl(self->fd, DRM_IOCTL_HL_MEMORY, &args));
}

TEST_F(memory, zero_allocation_is_refused)
{
	union hl_mem_args args = { .in = { .op = HL_MEM_OP_ALLOC } };

	EXPECT_EQ(-EINVAL, gt_ioctl(self->fd, DRM_IOCTL_HL_MEMORY, &args));
}

TEST_F(memory, allocation_is_accounted)
{
	struct hl_info_dram_usage before, after;
	union hl_mem_args args = { .in = {
		.alloc = { .mem_size = 64 << 20 },
		.op = HL_MEM_OP_ALLOC, .flags = HL_MEM_CONTIGUOUS } };

	ASSERT_EQ(0, gt_info(self->fd, HL_INFO_DRAM_USAGE, &before,
			     sizeof(before)));
	ASSERT_EQ(0, gt_ioctl(self->fd, DRM_IOCTL_HL_MEMORY, &args));
	ASSERT_EQ(0, gt_info(self->fd, HL_INFO_DRAM_USAGE, &after,
			     sizeof(after)));
	EXPECT_EQ(64u << 20, after.ctx_dram_mem - before.ctx_dram_mem);
	EXPECT_EQ(64u << 20, before.dram_free_mem - after.dram_free_mem);
}

TEST_F(memory, thousand_mappings)
{
	char *p = gt_alloc(1000 * 4096);
	uint64_t va[1000];
	int i;

	for (i = 0; i < 1000; i++)
		ASSERT_EQ(0, gt_map_host(self->fd, p + 4096 * i, 4096,
					 &va[i]));
	for (i = 999; i >= 0; i -= 2)
		ASSERT_EQ(0, gt_unmap(self->fd, va[i]));
	for (i = 0; i < 1000; i += 2)
		ASSERT_EQ(0, gt_unmap(self->fd, va[i]));
}

TEST_F(memory, close_cleans_up_what_leaked)
{
	char *p = gt_alloc(1 << 20);
	uint64_t va;

	/* A mapped command buffer would keep the file open. */
	ASSERT_EQ(0, gt_cb_destroy(self->fd, &self->cb));
	ASSERT_EQ(0, gt_map_host(self->fd, p, 1 << 20, &va));
	close(self->fd);
	self->fd = gt_open();
	ASSERT_GE(self->fd, 0);
	EXPECT_EQ(-EINVAL, gt_unmap(self->fd, va));
	ASSERT_EQ(0, gt_cb_create(self->fd, 0x4000, &self->cb));
}

TEST_F(memory, hardware_block_is_not_mappable)
{
	union hl_mem_args args = { .in = {
		.map_block = { .block_addr = CFG_BASE + 0x500000 },
		.op = HL_MEM_OP_MAP_BLOCK } };

	EXPECT_EQ(-EPERM, gt_ioctl(self->fd, DRM_IOCTL_HL_MEMORY, &args));
}

TEST_HARNESS_MAIN
