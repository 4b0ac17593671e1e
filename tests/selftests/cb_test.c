// SPDX-License-Identifier: GPL-2.0-only
/* Proves: command buffers are made, mapped, counted and destroyed. */
#include "../../uapi/drm/gaudi_accel.h"
#include "lib/fixture.h"

/* In a handle of gaudi.ko, below the kind. */
#define NUMBER	((1ull << 43) - 1)

GAUDI_FIXTURE(cb)

TEST_F(cb, memory_is_zero_and_writable)
{
	unsigned char *p = self->cb.map;
	unsigned int i;

	for (i = 0; i < self->cb.size; i++)
		ASSERT_EQ(0, p[i]);
	memset(p, 0xa5, self->cb.size);
	EXPECT_EQ(0xa5, p[self->cb.size - 1]);
}

/* What a buffer held is not seen in the next ones, which may be the same pages. */
TEST_F(cb, memory_of_before_is_zeroed)
{
	static const uint32_t sizes[] = { 4096, 3 * 4096, 0x10000, 0x40000 };
	struct gt_cb cb[4] = { 0 };
	unsigned int i, k, used;
	uint32_t size, n;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size = sizes[i];
		for (k = 0; k < 4; k++) {
			ASSERT_EQ(0, gt_cb_create(self->fd, size, &cb[k]));
			/* The driver's copies are memory of before as well. */
			for (n = 0; n < size; n += 8)
				gt_pkt_nop((char *)cb[k].map + n, MB);
			cb[k].len = size;
			ASSERT_EQ(0, gt_run(self->fd, 0, &cb[k]));
		}
		for (k = 0; k < 4; k++)
			ASSERT_EQ(0, gt_cb_destroy(self->fd, &cb[k]));
		for (k = 0, used = 0; k < 4; k++) {
			unsigned char *p;

			ASSERT_EQ(0, gt_cb_create(self->fd, size, &cb[k]));
			for (p = cb[k].map; p < (uint8_t *)cb[k].map + size; p++)
				used += *p;
		}
		EXPECT_EQ(0, used);
		for (k = 0; k < 4; k++)
			ASSERT_EQ(0, gt_cb_destroy(self->fd, &cb[k]));
	}
}

/* A handle is of one kind; mainline mixes them up. */
TEST_F(cb, handle_of_another_kind)
{
	union hl_mem_args ts = { .in = { .op = HL_MEM_OP_TS_ALLOC,
					 .num_of_elements = 8 } };
	struct gt_cb cb = { .len = 8 };
	uint64_t seq;

	if (!gt_has(self->fd, GAUDI_CAP_HBM_ALLOC))
		SKIP(return, "handles have no kind here");
	ASSERT_EQ(0, gt_ioctl(self->fd, DRM_IOCTL_HL_MEMORY, &ts));
	cb.handle = ts.out.handle;
	EXPECT_EQ(-EINVAL, gt_submit(self->fd, 0, &cb, &seq));
	EXPECT_EQ(-EINVAL, gt_cb_destroy(self->fd, &cb));
	/* The number without the kind, as a buffer's. */
	cb.handle = (self->cb.handle & ~NUMBER) | (ts.out.handle & NUMBER);
	EXPECT_EQ(-EINVAL, gt_submit(self->fd, 0, &cb, &seq));
}

/* Nor has a number of another file's a meaning. */
TEST_F(cb, handle_of_another_file)
{
	struct gt_cb cb = { .handle = self->cb.handle, .len = 8 };
	int other = gt_open_once();
	uint64_t seq;

	if (other == -EBUSY)
		SKIP(return, "the card is not shared");
	ASSERT_GE(other, 0);
	self->cb.len = gt_pkt_nop(self->cb.map, 0);
	EXPECT_EQ(-EINVAL, gt_submit(other, 0, &cb, &seq));
	EXPECT_EQ(-EINVAL, gt_cb_destroy(other, &cb));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 4096, PROT_READ, MAP_SHARED, other,
				   (off_t)cb.handle));
	close(other);
	EXPECT_EQ(0, gt_run(self->fd, 0, &self->cb));
}

TEST_F(cb, refuses_too_large)
{
	struct gt_cb cb;

	EXPECT_EQ(-EINVAL, gt_cb_create(self->fd, HL_MAX_CB_SIZE + 1, &cb));
	ASSERT_EQ(0, gt_cb_create(self->fd, HL_MAX_CB_SIZE, &cb));
	EXPECT_EQ(0, gt_cb_destroy(self->fd, &cb));
}

TEST_F(cb, bad_handles)
{
	struct gt_cb cb = { .handle = 0x123456789000ull };
	union hl_cb_args args = { .in = { .op = HL_CB_OP_INFO,
					  .cb_handle = 0x4242424242ull } };

	EXPECT_EQ(-EINVAL, gt_cb_destroy(self->fd, &cb));
	EXPECT_EQ(-EINVAL, gt_ioctl(self->fd, DRM_IOCTL_HL_CB, &args));
	args.in.op = 77;
	EXPECT_EQ(-EINVAL, gt_ioctl(self->fd, DRM_IOCTL_HL_CB, &args));
}

TEST_F(cb, destroy_twice)
{
	struct gt_cb cb;

	ASSERT_EQ(0, gt_cb_create(self->fd, 4096, &cb));
	EXPECT_EQ(0, gt_cb_destroy(self->fd, &cb));
	EXPECT_EQ(-EINVAL, gt_cb_destroy(self->fd, &cb));
}

TEST_F(cb, mmap_of_a_bad_handle_fails)
{
	void *p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, self->fd,
		       (off_t)0x7777000);

	EXPECT_EQ(MAP_FAILED, p);
}

TEST_F(cb, mmap_of_a_wrong_size_fails)
{
	struct gt_cb cb;
	void *p;

	ASSERT_EQ(0, gt_cb_create(self->fd, 4096, &cb));
	munmap(cb.map, 4096);
	p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd,
		 (off_t)cb.handle);
	EXPECT_EQ(MAP_FAILED, p);
	cb.map = NULL;
	EXPECT_EQ(0, gt_cb_destroy(self->fd, &cb));
}

/* The stock driver takes it, and the kernel complains when it is unmapped. */
TEST_F(cb, mmap_of_a_private_copy_fails)
{
	union hl_mem_args ts = { .in = { .op = HL_MEM_OP_TS_ALLOC,
					 .num_of_elements = 512 } };
	struct gt_cb cb;

	if (!gt_has(self->fd, GAUDI_CAP_HBM_ALLOC))
		SKIP(return, "accepted here");
	ASSERT_EQ(0, gt_cb_create(self->fd, 4096, &cb));
	munmap(cb.map, 4096);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE, self->fd, (off_t)cb.handle));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 4096, PROT_READ, MAP_PRIVATE,
				   self->fd, (off_t)cb.handle));
	/* And is none the worse for it. */
	cb.map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd,
		      (off_t)cb.handle);
	ASSERT_NE(MAP_FAILED, cb.map);
	EXPECT_EQ(0, *(char *)cb.map);
	EXPECT_EQ(0, gt_cb_destroy(self->fd, &cb));

	ASSERT_EQ(0, gt_ioctl(self->fd, DRM_IOCTL_HL_MEMORY, &ts));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, self->fd,
				   (off_t)ts.out.handle));
	EXPECT_EQ(EINVAL, errno);
}

/* Pages of a part of it, and after it has moved, are those of the buffer. */
TEST_F(cb, parts_of_a_mapping)
{
	struct gt_cb cb;
	char *p, *q;
	int ret;

	ASSERT_EQ(0, gt_cb_create(self->fd, 16384, &cb));
	p = cb.map;
	p[8192] = 3;
	munmap(p, 16384);
	p = mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd,
		 (off_t)cb.handle);
	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(0, munmap(p, 8192));
	EXPECT_EQ(3, p[8192]);
	p[12288] = 4;
	q = mremap(p + 8192, 8192, 8192, MREMAP_MAYMOVE | MREMAP_FIXED, p);
	ASSERT_EQ(p, q);
	EXPECT_EQ(3, q[0]);
	EXPECT_EQ(4, q[4096]);
	munmap(q, 8192);
	cb.map = NULL;
	ret = gt_cb_destroy(self->fd, &cb);
	/* The stock driver counts the bytes that were moved as still mapped. */
	if (gt_has(self->fd, GAUDI_CAP_HBM_ALLOC))
		EXPECT_EQ(0, ret);
}

TEST_F(cb, mapping_outlives_the_handle)
{
	struct gt_cb cb;
	unsigned char *p;

	ASSERT_EQ(0, gt_cb_create(self->fd, 4096, &cb));
	p = cb.map;
	cb.map = NULL;
	p[5] = 17;
	EXPECT_EQ(0, gt_cb_destroy(self->fd, &cb));
	EXPECT_EQ(17, p[5]);
	EXPECT_EQ(0, munmap(p, 4096));
}

/*
 * Mainline copies a buffer for an external queue before it queues the job, so
 * that the user's own is free again when the submission returns.
 */
TEST_F(cb, usage_count)
{
	union hl_cb_args args = { .in = { .op = HL_CB_OP_INFO,
					  .cb_handle = self->cb.handle } };
	uint64_t seq;
	uint32_t status;

	self->cb.len = gt_pkt_nop(self->cb.map, 0);
	ASSERT_EQ(0, gt_submit(self->fd, GAUDI_QUEUE_ID_DMA_0_0, &self->cb,
			       &seq));
	ASSERT_EQ(0, gt_wait(self->fd, seq, 10000000, &status));
	args.out.usage_cnt = 77;
	args.in.op = HL_CB_OP_INFO;
	args.in.cb_handle = self->cb.handle;
	ASSERT_EQ(0, gt_ioctl(self->fd, DRM_IOCTL_HL_CB, &args));
	EXPECT_EQ(0, args.out.usage_cnt);
}

TEST_HARNESS_MAIN
