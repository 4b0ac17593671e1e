// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proves: what gaudi.ko does beyond mainline is announced and works, and its
 * absence can be seen on a driver without it.
 */
#include "../../uapi/drm/gaudi_accel.h"
#include "lib/fixture.h"

#define HBM_USER	0x20000000ull
#define HBM_USER_SIZE	0x7e0000000ull
#define DMA2_QUEUE	9

GAUDI_FIXTURE(ext)

static int query(int fd, uint32_t id, uint64_t *value)
{
	struct drm_gaudi_query args = { .id = id };
	int ret = gt_ioctl(fd, DRM_IOCTL_GAUDI_QUERY, &args);

	*value = args.value;
	return ret;
}

static int hbm_alloc(int fd, uint64_t size, uint64_t *handle)
{
	union hl_mem_args args = { .in = { .op = HL_MEM_OP_ALLOC,
					   .alloc.mem_size = size } };
	int ret = gt_ioctl(fd, DRM_IOCTL_HL_MEMORY, &args);

	*handle = args.out.handle;
	return ret;
}

static int hbm_free(int fd, uint64_t handle)
{
	union hl_mem_args args = { .in = { .op = HL_MEM_OP_FREE,
					   .free.handle = handle } };

	return gt_ioctl(fd, DRM_IOCTL_HL_MEMORY, &args);
}

static int hbm_map(int fd, uint64_t handle, uint64_t *addr)
{
	union hl_mem_args args = { .in = { .op = HL_MEM_OP_MAP,
					   .map_device.handle = handle } };
	int ret = gt_ioctl(fd, DRM_IOCTL_HL_MEMORY, &args);

	*addr = args.out.device_virt_addr;
	return ret;
}

TEST_F(ext, query_or_einval)
{
	struct drm_gaudi_query bad = { .id = GAUDI_QUERY_VERSION, .flags = 1 };
	uint64_t value;
	int ret = query(self->fd, GAUDI_QUERY_VERSION, &value);

	EXPECT_EQ(-EINVAL, gt_ioctl(self->fd, DRM_IOCTL_GAUDI_QUERY, &bad));
	EXPECT_EQ(-EINVAL, query(self->fd, 0xffff, &value));
	if (ret) {
		EXPECT_EQ(-EINVAL, ret);
		SKIP(return, "a driver without extensions");
	}
	ASSERT_EQ(0, query(self->fd, GAUDI_QUERY_VERSION, &value));
	EXPECT_EQ(GAUDI_ACCEL_VERSION_MAJOR, value >> 16);
}

/* On mainline they crash the kernel: accel nodes have no master. */
TEST_F(ext, drm_calls_for_masters_are_refused)
{
	struct drm_unique unique = { };
	struct drm_auth auth = { };

	if (!gt_has(self->fd, GAUDI_CAP_HBM_ALLOC))
		SKIP(return, "they crash here");
	EXPECT_EQ(-EACCES, gt_ioctl(self->fd, DRM_IOCTL_GET_UNIQUE, &unique));
	EXPECT_EQ(-EACCES, gt_ioctl(self->fd, DRM_IOCTL_GET_MAGIC, &auth));
}

TEST_F(ext, hbm_has_an_owner)
{
	struct hl_info_dram_usage usage;
	uint64_t a, b, addr_a, addr_b, none;

	if (!gt_has(self->fd, GAUDI_CAP_HBM_ALLOC))
		SKIP(return, "no HBM allocator");
	ASSERT_EQ(0, hbm_alloc(self->fd, 3 << 20, &a));
	ASSERT_EQ(0, hbm_alloc(self->fd, 100, &b));
	ASSERT_EQ(0, hbm_map(self->fd, a, &addr_a));
	ASSERT_EQ(0, hbm_map(self->fd, b, &addr_b));
	EXPECT_GE(addr_a, HBM_USER);
	EXPECT_EQ(0, addr_a % (2 << 20));
	EXPECT_TRUE(addr_b >= addr_a + (3 << 20) || addr_b + 100 <= addr_a);
	EXPECT_EQ(0, gt_info(self->fd, HL_INFO_DRAM_USAGE, &usage,
			     sizeof(usage)));
	EXPECT_EQ((3 << 20) + 100, usage.ctx_dram_mem);

	EXPECT_EQ(-EBUSY, hbm_map(self->fd, a, &none));
	EXPECT_EQ(-EINVAL, hbm_free(self->fd, a));
	EXPECT_EQ(0, gt_unmap(self->fd, addr_a));
	EXPECT_EQ(-EINVAL, gt_unmap(self->fd, addr_a));
	EXPECT_EQ(0, hbm_free(self->fd, a));
	EXPECT_EQ(-EINVAL, hbm_free(self->fd, a));
	EXPECT_EQ(-EINVAL, hbm_map(self->fd, a, &none));
	/* Left to the kernel: b, and its mapping. */
}

static int hbm_map_at(int fd, uint64_t handle, uint64_t hint)
{
	union hl_mem_args args = { .in = {
		.op = HL_MEM_OP_MAP, .flags = HL_MEM_FORCE_HINT,
		.map_device = { .handle = handle, .hint_addr = hint } } };

	return gt_ioctl(fd, DRM_IOCTL_HL_MEMORY, &args);
}

/* The address is what it is; who wants another one gets none, and loses none. */
TEST_F(ext, hbm_at_a_hint)
{
	uint64_t a, addr;

	if (!gt_has(self->fd, GAUDI_CAP_HBM_ALLOC))
		SKIP(return, "no HBM allocator");
	ASSERT_EQ(0, hbm_alloc(self->fd, 4 << 20, &a));
	ASSERT_EQ(0, hbm_map(self->fd, a, &addr));
	ASSERT_EQ(0, gt_unmap(self->fd, addr));
	EXPECT_EQ(-ENOMEM, hbm_map_at(self->fd, a, addr + (2 << 20)));
	EXPECT_EQ(-ENOMEM, hbm_map_at(self->fd, a, 0));
	EXPECT_EQ(-EINVAL, gt_unmap(self->fd, addr));
	EXPECT_EQ(0, hbm_map_at(self->fd, a, addr));
	EXPECT_EQ(-EINVAL, hbm_free(self->fd, a));
	EXPECT_EQ(0, gt_unmap(self->fd, addr));
	EXPECT_EQ(0, hbm_free(self->fd, a));
}

/* What was freed is nobody's, and can be had again. */
TEST_F(ext, hbm_is_freed_at_once)
{
	struct hl_info_dram_usage before, after;
	uint64_t a, b, c, none;

	if (!gt_has(self->fd, GAUDI_CAP_HBM_ALLOC))
		SKIP(return, "no HBM allocator");
	ASSERT_EQ(0, gt_info(self->fd, HL_INFO_DRAM_USAGE, &before,
			     sizeof(before)));
	ASSERT_EQ(0, hbm_alloc(self->fd, 2 << 20, &a));
	ASSERT_EQ(0, hbm_alloc(self->fd, 6 << 20, &b));
	ASSERT_EQ(0, hbm_free(self->fd, a));
	ASSERT_EQ(0, hbm_free(self->fd, b));
	ASSERT_EQ(0, gt_info(self->fd, HL_INFO_DRAM_USAGE, &after,
			     sizeof(after)));
	EXPECT_EQ(0, after.ctx_dram_mem);
	EXPECT_EQ(before.dram_free_mem, after.dram_free_mem);
	EXPECT_EQ(-EINVAL, hbm_map(self->fd, b, &none));
	EXPECT_EQ(-EINVAL, hbm_free(self->fd, 6 << 20));
	/* Of the size that was freed last, and of another. */
	ASSERT_EQ(0, hbm_alloc(self->fd, 6 << 20, &c));
	EXPECT_EQ(0, hbm_map(self->fd, c, &none));
	ASSERT_EQ(0, hbm_alloc(self->fd, 2 << 20, &a));
	ASSERT_EQ(0, gt_info(self->fd, HL_INFO_DRAM_USAGE, &after,
			     sizeof(after)));
	EXPECT_EQ(8 << 20, after.ctx_dram_mem);
	EXPECT_EQ(8 << 20, before.dram_free_mem - after.dram_free_mem);
}

TEST_F(ext, hbm_ends)
{
	uint64_t all, more;

	if (!gt_has(self->fd, GAUDI_CAP_HBM_ALLOC))
		SKIP(return, "no HBM allocator");
	ASSERT_EQ(0, hbm_alloc(self->fd, HBM_USER_SIZE, &all));
	EXPECT_EQ(-ENOMEM, hbm_alloc(self->fd, 1, &more));
	/* By size, as programs for mainline do it. */
	EXPECT_EQ(0, hbm_free(self->fd, HBM_USER_SIZE));
	EXPECT_EQ(0, hbm_alloc(self->fd, 1, &more));
	EXPECT_EQ(-ENOMEM, hbm_alloc(self->fd, ~0ull, &all));
}

TEST_F(ext, internal_queue_runs_a_mapped_cb)
{
	union hl_cb_args args = { .in = { .op = HL_CB_OP_CREATE,
					  .cb_size = 4096,
					  .flags = HL_CB_FLAGS_MAP } };
	struct hl_cs_chunk chunks[2] = {
		{ .cb_handle = self->cb.handle, .queue_index = 4 },
		{ .queue_index = DMA2_QUEUE },
	};
	uint64_t handle, seq;
	uint32_t status;
	void *map;

	if (!gt_has(self->fd, GAUDI_CAP_CB_MAP))
		SKIP(return, "command buffers cannot be mapped");
	ASSERT_EQ(0, gt_ioctl(self->fd, DRM_IOCTL_HL_CB, &args));
	handle = args.out.cb_handle;
	map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd,
		   (off_t)handle);
	ASSERT_NE(MAP_FAILED, map);
	args = (union hl_cb_args){ .in = { .op = HL_CB_OP_INFO,
					   .cb_handle = handle,
					   .flags = HL_CB_FLAGS_GET_DEVICE_VA } };
	ASSERT_EQ(0, gt_ioctl(self->fd, DRM_IOCTL_HL_CB, &args));
	chunks[1].cb_handle = args.out.device_va;

	/* DMA 2 opens the fence that DMA 1 waits for. */
	chunks[1].cb_size = gt_pkt_msg_long(map, DMA_FENCE2(1, 0), 1, 0);
	chunks[0].cb_size = gt_pkt_fence(self->cb.map, 2, 1, 1);
	ASSERT_EQ(0, gt_submit_chunks(self->fd, chunks, 2, 0, &seq));
	EXPECT_EQ(0, gt_wait(self->fd, seq, 5000000, &status));
	EXPECT_EQ(HL_WAIT_CS_STATUS_COMPLETED, status);
	munmap(map, 4096);
}

TEST_HARNESS_MAIN
