// SPDX-License-Identifier: GPL-2.0-only
/* Proves: waiting ends when the work does, when the time is up, or at once. */
#include <sys/wait.h>

#include "../../uapi/drm/gaudi_accel.h"
#include "lib/fixture.h"

GAUDI_FIXTURE(wait)

/* Blocks a stream until release(). */
static uint64_t block(int fd, struct gt_cb *cb, uint32_t stream)
{
	uint64_t seq;

	cb->len = gt_pkt_fence(cb->map, 2, 1, 1);
	return gt_submit(fd, GAUDI_QUEUE_ID_DMA_0_0 + stream, cb, &seq) ? 0 :
	       seq;
}

static int release(int fd, uint32_t stream)
{
	struct gt_cb cb;
	int ret = gt_cb_create(fd, 4096, &cb);

	if (ret)
		return ret;
	cb.len = gt_pkt_msg_long(cb.map, DMA_FENCE2(0, stream), 1, MB);
	ret = gt_run(fd, GAUDI_QUEUE_ID_DMA_1_0, &cb);
	gt_cb_destroy(fd, &cb);
	return ret;
}

TEST_F(wait, busy_then_completed)
{
	uint64_t seq = block(self->fd, &self->cb, 0);
	uint32_t status;

	ASSERT_NE(0, seq);
	ASSERT_EQ(0, gt_wait(self->fd, seq, 0, &status));
	EXPECT_EQ(HL_WAIT_CS_STATUS_BUSY, status);
	ASSERT_EQ(0, gt_wait(self->fd, seq, 20000, &status));
	EXPECT_EQ(HL_WAIT_CS_STATUS_BUSY, status);
	ASSERT_EQ(0, release(self->fd, 0));
	ASSERT_EQ(0, gt_wait(self->fd, seq, 10000000, &status));
	EXPECT_EQ(HL_WAIT_CS_STATUS_COMPLETED, status);
}

TEST_F(wait, a_future_sequence_is_refused)
{
	uint32_t status;

	EXPECT_EQ(-EINVAL, gt_wait(self->fd, 1ull << 40, 1000, &status));
	EXPECT_EQ(-EINVAL, gt_wait(self->fd, ~0ull, 1000, &status));
}

TEST_F(wait, an_old_sequence_is_complete)
{
	uint64_t first = 0, seq;
	uint32_t status;
	int i;

	self->cb.len = gt_pkt_nop(self->cb.map, 0);
	for (i = 0; i < 600; i++) {
		ASSERT_EQ(0, gt_submit(self->fd, 0, &self->cb, &seq));
		if (!i)
			first = seq;
		ASSERT_EQ(0, gt_wait(self->fd, seq, 10000000, &status));
	}
	ASSERT_EQ(0, gt_wait(self->fd, first, 0, &status));
	EXPECT_EQ(HL_WAIT_CS_STATUS_COMPLETED, status);
}

TEST_F(wait, timestamp)
{
	struct hl_cs_chunk chunk = { .cb_handle = self->cb.handle,
				     .cb_size = 8 };
	union hl_wait_cs_args args = { };
	uint64_t seq;

	gt_pkt_nop(self->cb.map, 0);
	ASSERT_EQ(0, gt_submit_chunks(self->fd, &chunk, 1,
				      HL_CS_FLAGS_TIMESTAMP, &seq));
	args.in.seq = seq;
	args.in.timeout_us = 10000000;
	ASSERT_EQ(0, gt_ioctl(self->fd, DRM_IOCTL_HL_WAIT_CS, &args));
	EXPECT_EQ(HL_WAIT_CS_STATUS_COMPLETED, args.out.status);
	EXPECT_NE(0, args.out.flags & HL_WAIT_CS_STATUS_FLAG_TIMESTAMP_VLD);
	EXPECT_GT(args.out.timestamp_nsec, 0);
}

/* status, flags and time in out. */
static int ask(int fd, uint64_t seq, union hl_wait_cs_args *args)
{
	memset(args, 0, sizeof(*args));
	args->in.seq = seq;
	args->in.timeout_us = 10000000;
	return gt_ioctl(fd, DRM_IOCTL_HL_WAIT_CS, args);
}

/* How many times of older ones are kept. */
#define NUM_OUTCOMES	256

/* The fences of 16,384 are kept; of those before them the times of the last ones. */
TEST_F_TIMEOUT(wait, timestamp_of_long_ago, 300)
{
	struct hl_cs_chunk chunk = { .cb_handle = self->cb.handle,
				     .cb_size = 8 };
	uint64_t timed[NUM_OUTCOMES + 2] = { 0 }, plain, seq, last = 0;
	union hl_wait_cs_args args;
	int i, ret;

	gt_pkt_nop(self->cb.map, 0);
	for (i = 0; i < NUM_OUTCOMES + 2; i++)
		ASSERT_EQ(0, gt_submit_chunks(self->fd, &chunk, 1,
					      HL_CS_FLAGS_TIMESTAMP, &timed[i]));
	ASSERT_EQ(0, gt_submit_chunks(self->fd, &chunk, 1, 0, &plain));
	/* One that is refused, as too much is in flight, takes a number, too. */
	for (i = 0; i < 16384; i++) {
		ret = gt_submit_chunks(self->fd, &chunk, 1, 0, &seq);
		if (!ret)
			last = seq;
		else
			ASSERT_EQ(-EAGAIN, ret);
		if (!ret && i % 64)
			continue;
		ASSERT_EQ(0, ask(self->fd, last, &args));
		ASSERT_EQ(HL_WAIT_CS_STATUS_COMPLETED, args.out.status);
	}
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, ask(self->fd, timed[i], &args));
		EXPECT_EQ(HL_WAIT_CS_STATUS_FLAG_GONE, args.out.flags);
	}
	for (; i < NUM_OUTCOMES + 2; i++) {
		ASSERT_EQ(0, ask(self->fd, timed[i], &args));
		EXPECT_EQ(HL_WAIT_CS_STATUS_COMPLETED, args.out.status);
		EXPECT_EQ(HL_WAIT_CS_STATUS_FLAG_TIMESTAMP_VLD, args.out.flags);
		EXPECT_GT(args.out.timestamp_nsec, 0);
	}
	ASSERT_EQ(0, ask(self->fd, plain, &args));
	EXPECT_EQ(HL_WAIT_CS_STATUS_COMPLETED, args.out.status);
	EXPECT_EQ(HL_WAIT_CS_STATUS_FLAG_GONE, args.out.flags);
}

TEST_F(wait, one_of_several)
{
	uint64_t seq[3], done;
	union hl_wait_cs_args args = { .in = {
		.seq = (uintptr_t)seq, .timeout_us = 5000000,
		.flags = HL_WAIT_CS_FLAGS_MULTI_CS, .seq_arr_len = 3 } };
	struct gt_cb b[2];
	uint32_t status;

	ASSERT_EQ(0, gt_cb_create(self->fd, 4096, &b[0]));
	ASSERT_EQ(0, gt_cb_create(self->fd, 4096, &b[1]));
	seq[0] = block(self->fd, &b[0], 0);
	seq[1] = block(self->fd, &b[1], 1);
	ASSERT_NE(0, seq[0]);
	ASSERT_NE(0, seq[1]);
	self->cb.len = gt_pkt_nop(self->cb.map, 0);
	ASSERT_EQ(0, gt_submit(self->fd, GAUDI_QUEUE_ID_DMA_0_2, &self->cb,
			       &done));
	seq[2] = done;
	ASSERT_EQ(0, gt_ioctl(self->fd, DRM_IOCTL_HL_WAIT_CS, &args));
	EXPECT_EQ(HL_WAIT_CS_STATUS_COMPLETED, args.out.status);
	EXPECT_EQ(1u << 2, args.out.cs_completion_map);
	ASSERT_EQ(0, release(self->fd, 0));
	ASSERT_EQ(0, release(self->fd, 1));
	ASSERT_EQ(0, gt_wait(self->fd, seq[0], 10000000, &status));
	EXPECT_EQ(HL_WAIT_CS_STATUS_COMPLETED, status);
	ASSERT_EQ(0, gt_wait(self->fd, seq[1], 10000000, &status));
	EXPECT_EQ(HL_WAIT_CS_STATUS_COMPLETED, status);
}

/* Nothing would end it. (The stock driver waits.) */
TEST_F(wait, for_none_is_refused)
{
	union hl_wait_cs_args args = { .in = {
		.timeout_us = 1000, .flags = HL_WAIT_CS_FLAGS_MULTI_CS } };

	if (!gt_has(self->fd, GAUDI_CAP_MULTI_WAIT))
		SKIP(return, "accepted here");
	EXPECT_EQ(-EINVAL, gt_ioctl(self->fd, DRM_IOCTL_HL_WAIT_CS, &args));
}

TEST_F(wait, streams_do_not_wait_for_each_other)
{
	uint64_t seq = block(self->fd, &self->cb, 3);
	struct gt_cb cb;
	uint32_t status;

	ASSERT_NE(0, seq);
	ASSERT_EQ(0, gt_cb_create(self->fd, 4096, &cb));
	cb.len = gt_pkt_nop(cb.map, 0);
	EXPECT_EQ(0, gt_run(self->fd, GAUDI_QUEUE_ID_DMA_0_1, &cb));
	EXPECT_EQ(0, gt_run(self->fd, GAUDI_QUEUE_ID_DMA_0_2, &cb));
	ASSERT_EQ(0, gt_wait(self->fd, seq, 0, &status));
	EXPECT_EQ(HL_WAIT_CS_STATUS_BUSY, status);
	ASSERT_EQ(0, release(self->fd, 3));
	ASSERT_EQ(0, gt_wait(self->fd, seq, 10000000, &status));
	EXPECT_EQ(HL_WAIT_CS_STATUS_COMPLETED, status);
	gt_cb_destroy(self->fd, &cb);
}

TEST_HARNESS_MAIN
