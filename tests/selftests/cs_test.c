// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proves: command submissions run on every external stream, wrong ones are
 * refused before they reach the card, and what was refused had no effect.
 */
#include "lib/fixture.h"

GAUDI_FIXTURE(cs)

TEST_F(cs, nop_on_every_external_stream)
{
	uint32_t q;

	self->cb.len = gt_pkt_nop(self->cb.map, 0);
	for (q = GAUDI_QUEUE_ID_DMA_0_0; q <= GAUDI_QUEUE_ID_DMA_1_3; q++)
		ASSERT_EQ(0, gt_run(self->fd, q, &self->cb))
			TH_LOG("queue %u", q);
}

TEST_F(cs, many_jobs_in_one_submission)
{
	struct hl_cs_chunk chunks[64];
	uint32_t status, i;
	uint64_t seq;

	self->cb.len = gt_pkt_nop(self->cb.map, 0);
	memset(chunks, 0, sizeof(chunks));
	for (i = 0; i < 64; i++) {
		chunks[i].cb_handle = self->cb.handle;
		chunks[i].cb_size = self->cb.len;
		chunks[i].queue_index = i % 8;
	}
	ASSERT_EQ(0, gt_submit_chunks(self->fd, chunks, 64, 0, &seq));
	ASSERT_EQ(0, gt_wait(self->fd, seq, 10000000, &status));
	EXPECT_EQ(HL_WAIT_CS_STATUS_COMPLETED, status);
}

/* Under the debug kernel it takes longer than the usual 30 s. */
TEST_F_TIMEOUT(cs, thousands_in_a_row, 300)
{
	uint64_t seq = 0, last = 0;
	uint32_t status;
	int i;

	self->cb.len = gt_pkt_nop(self->cb.map, 0);
	for (i = 0; i < 3000; i++) {
		ASSERT_EQ(0, gt_submit(self->fd, i % 8, &self->cb, &seq));
		if (i)
			ASSERT_EQ(last + 1, seq);
		last = seq;
		if (i % 32 == 31)
			ASSERT_EQ(0, gt_wait(self->fd, seq, 10000000,
					     &status));
	}
	ASSERT_EQ(0, gt_wait(self->fd, seq, 10000000, &status));
	EXPECT_EQ(HL_WAIT_CS_STATUS_COMPLETED, status);
}

TEST_F(cs, whole_command_buffer_of_nops)
{
	struct gt_cb cb;

	/* The tail that the driver adds must fit somewhere, too. */
	ASSERT_EQ(0, gt_cb_create(self->fd, 0x100000, &cb));
	while (cb.len < 0x100000)
		cb.len += gt_pkt_nop((char *)cb.map + cb.len, 0);
	EXPECT_EQ(0, gt_run(self->fd, GAUDI_QUEUE_ID_DMA_0_1, &cb));
	gt_cb_destroy(self->fd, &cb);
}

/* The driver's own packets follow a user's, and may cross no line of 128 bytes. */
TEST_F(cs, every_length)
{
	for (uint32_t len = 8; len <= 3 * 128; len += 8) {
		self->cb.len = 0;
		while (self->cb.len < len)
			self->cb.len += gt_pkt_nop((char *)self->cb.map +
						   self->cb.len, 0);
		EXPECT_EQ(0, gt_run(self->fd, GAUDI_QUEUE_ID_DMA_1_2,
				    &self->cb))
			TH_LOG("%u bytes", len);
	}
}

TEST_F(cs, refuses_bad_requests)
{
	struct hl_cs_chunk chunk = { .cb_handle = self->cb.handle,
				     .cb_size = 8 };
	union hl_cs_args args = { .in = { .num_chunks_execute = 1,
		.chunks_execute = (uintptr_t)&chunk } };
	uint64_t seq;

	gt_pkt_nop(self->cb.map, 0);
	EXPECT_EQ(-EINVAL, gt_submit_chunks(self->fd, &chunk, 0, 0, &seq));
	EXPECT_EQ(-EINVAL, gt_submit_chunks(self->fd, &chunk,
					    HL_MAX_JOBS_PER_CS + 1, 0, &seq));
	EXPECT_EQ(-EFAULT, gt_submit_chunks(self->fd, (void *)0x1000, 1, 0,
					    &seq));
	chunk.queue_index = GAUDI_QUEUE_ID_SIZE;
	EXPECT_EQ(-EINVAL, gt_submit_chunks(self->fd, &chunk, 1, 0, &seq));
	chunk.queue_index = GAUDI_QUEUE_ID_CPU_PQ;
	EXPECT_EQ(-EINVAL, gt_submit_chunks(self->fd, &chunk, 1, 0, &seq));
	chunk.queue_index = 0;
	chunk.cb_handle = 0x4242424242ull;
	EXPECT_EQ(-EINVAL, gt_submit_chunks(self->fd, &chunk, 1, 0, &seq));
	chunk.cb_handle = self->cb.handle;
	chunk.cb_size = 0;
	EXPECT_EQ(-EINVAL, gt_submit_chunks(self->fd, &chunk, 1, 0, &seq));
	chunk.cb_size = self->cb.size + 8;
	EXPECT_EQ(-EINVAL, gt_submit_chunks(self->fd, &chunk, 1, 0, &seq));
	chunk.cb_size = 8;
	args.in.pad[2] = 1;
	EXPECT_EQ(-EINVAL, gt_ioctl(self->fd, DRM_IOCTL_HL_CS, &args));
	self->cb.len = 8;
	EXPECT_EQ(0, gt_run(self->fd, 0, &self->cb));
}

TEST_F(cs, two_types_at_once)
{
	struct hl_cs_chunk chunk = { .queue_index = 0 };
	uint64_t seq;

	EXPECT_EQ(-EINVAL, gt_submit_chunks(self->fd, &chunk, 1,
					    HL_CS_FLAGS_SIGNAL |
					    HL_CS_FLAGS_WAIT, &seq));
}

TEST_F(cs, flush)
{
	union hl_cs_args args = { .in = {
		.cs_flags = HL_CS_FLAGS_FLUSH_PCI_HBW_WRITES } };

	EXPECT_EQ(0, gt_ioctl(self->fd, DRM_IOCTL_HL_CS, &args));
}

TEST_F(cs, internal_queue_checks_the_address)
{
	struct hl_cs_chunk chunks[2] = {
		{ .cb_handle = 0x10000000, .cb_size = 16,
		  .queue_index = GAUDI_QUEUE_ID_DMA_2_0 },
		{ .cb_handle = self->cb.handle, .cb_size = 8,
		  .queue_index = GAUDI_QUEUE_ID_DMA_0_0 },
	};
	uint64_t seq;

	/* Page tables, registers, the end of HBM. */
	gt_pkt_nop(self->cb.map, 0);
	EXPECT_EQ(-EFAULT, gt_submit_chunks(self->fd, chunks, 2, 0, &seq));
	chunks[0].cb_handle = CFG_BASE;
	EXPECT_EQ(-EFAULT, gt_submit_chunks(self->fd, chunks, 2, 0, &seq));
	chunks[0].cb_handle = 0x800000000ull - 8;
	EXPECT_EQ(-EFAULT, gt_submit_chunks(self->fd, chunks, 2, 0, &seq));
	chunks[0].cb_handle = SRAM_BASE;
	EXPECT_EQ(-EFAULT, gt_submit_chunks(self->fd, chunks, 2, 0, &seq));
}

TEST_F(cs, internal_jobs_alone_are_refused)
{
	struct hl_cs_chunk chunk = { .cb_handle = 0x20000000, .cb_size = 16,
				     .queue_index = GAUDI_QUEUE_ID_DMA_2_0 };
	uint64_t seq;

	EXPECT_EQ(-EINVAL, gt_submit_chunks(self->fd, &chunk, 1, 0, &seq));
}

TEST_F(cs, packet_that_crosses_the_end)
{
	uint64_t seq;

	gt_pkt_lin_dma(self->cb.map, 0, 0x20000000, 64, 0);
	self->cb.len = 16;
	EXPECT_EQ(-EINVAL, gt_submit(self->fd, 0, &self->cb, &seq));
}

/* A buffer that is written to once it is submitted changes nothing any more. */
TEST_F(cs, what_runs_is_a_copy)
{
	const uint32_t sob = 1501;
	struct gt_cb other = { 0 };
	uint64_t seq, va;
	uint32_t status, *p;
	char *at;

	p = gt_alloc(4096);
	ASSERT_NE(NULL, p);
	ASSERT_EQ(0, gt_map_host(self->fd, p, 4096, &va));
	ASSERT_EQ(0, gt_cb_create(self->fd, 4096, &other));

	/* It waits, so that all of it is still to run when we write to it. */
	at = self->cb.map;
	at += gt_pkt_fence(at, 2, 1, 1);
	at += gt_pkt_msg_long(at, SOB_E_N(sob), 5, MB);
	self->cb.len = at - (char *)self->cb.map;
	ASSERT_EQ(0, gt_submit(self->fd, GAUDI_QUEUE_ID_DMA_1_0, &self->cb,
			       &seq));
	at -= 16;
	gt_pkt_msg_long(at, SOB_E_N(sob), 6, MB);

	other.len = gt_pkt_msg_long(other.map, DMA_FENCE2(1, 0), 1, MB);
	ASSERT_EQ(0, gt_run(self->fd, GAUDI_QUEUE_ID_DMA_0_0, &other));
	ASSERT_EQ(0, gt_wait(self->fd, seq, 20000000, &status));
	ASSERT_EQ(HL_WAIT_CS_STATUS_COMPLETED, status);
	/* Back from the device to the host. */
	other.len = gt_pkt_lin_dma(other.map, SOB_E_N(sob), va, 4, EB);
	ASSERT_EQ(0, gt_run(self->fd, GAUDI_QUEUE_ID_DMA_1_0, &other));
	EXPECT_EQ(5, p[0]);
	ASSERT_EQ(0, gt_cb_destroy(self->fd, &other));
}

TEST_HARNESS_MAIN
