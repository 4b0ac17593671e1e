// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proves: sync objects, monitors and fences order queues; internal queues run
 * command buffers from device memory; kernel signal and wait submissions work.
 */
#include "../../uapi/drm/gaudi_accel.h"
#include "lib/fixture.h"

GAUDI_FIXTURE(sync)

TEST_F(sync, monitor_releases_a_fence)
{
	struct gt_cb signal;
	uint32_t status;
	uint64_t seq;
	char *p = self->cb.map;

	/* Stream 0 waits until SOB 9 is at least 3. */
	p += gt_pkt_monitor(p, 5, 9, 3, DMA_FENCE2(0, 0));
	p += gt_pkt_fence(p, 2, 1, 1);
	self->cb.len = p - (char *)self->cb.map;
	ASSERT_EQ(0, gt_submit(self->fd, GAUDI_QUEUE_ID_DMA_0_0, &self->cb,
			       &seq));

	ASSERT_EQ(0, gt_cb_create(self->fd, 4096, &signal));
	signal.len = gt_pkt_msg_long(signal.map, SOB_E_N(9), 1u << 31 | 2, MB);
	ASSERT_EQ(0, gt_run(self->fd, GAUDI_QUEUE_ID_DMA_1_0, &signal));
	ASSERT_EQ(0, gt_wait(self->fd, seq, 50000, &status));
	EXPECT_EQ(HL_WAIT_CS_STATUS_BUSY, status);
	signal.len = gt_pkt_msg_long(signal.map, SOB_E_N(9), 1u << 31 | 1, MB);
	ASSERT_EQ(0, gt_run(self->fd, GAUDI_QUEUE_ID_DMA_1_0, &signal));
	ASSERT_EQ(0, gt_wait(self->fd, seq, 10000000, &status));
	EXPECT_EQ(HL_WAIT_CS_STATUS_COMPLETED, status);
	gt_cb_destroy(self->fd, &signal);
}

TEST_F(sync, condition_already_true_fires_at_once)
{
	char *p = self->cb.map;

	p += gt_pkt_msg_long(p, SOB_E_N(16), 7, MB);
	p += gt_pkt_monitor(p, 6, 16, 7, DMA_FENCE2(0, 2));
	p += gt_pkt_fence(p, 2, 1, 1);
	self->cb.len = p - (char *)self->cb.map;
	EXPECT_EQ(0, gt_run(self->fd, GAUDI_QUEUE_ID_DMA_0_2, &self->cb));
}

/*
 * An internal queue gets no completion: the upper CP hands a lower CB to the
 * DMA core, which copies and then raises a SOB that an external queue awaits.
 */
GAUDI_HOST_FIXTURE(internal, 0x400000)

FIXTURE_VARIANT(internal) { uint32_t queue; uint64_t cb_addr; };
#define INTERNAL(n, q, a) FIXTURE_VARIANT_ADD(internal, n) \
	{ .queue = q, .cb_addr = a }

INTERNAL(dma2_cb_in_sram, GAUDI_QUEUE_ID_DMA_2_0, SRAM_BASE + 0x8000);
INTERNAL(dma3_cb_in_hbm, GAUDI_QUEUE_ID_DMA_3_1, 0x20100000ull);
INTERNAL(dma5_cb_in_sram, GAUDI_QUEUE_ID_DMA_5_2, SRAM_BASE + 0x9000);
INTERNAL(dma7_cb_in_host, GAUDI_QUEUE_ID_DMA_7_3, 0);

TEST_F(internal, copy_and_signal)
{
	const uint64_t from = 0x21000000, to = 0x22000000;
	const uint32_t size = 0x100000;
	uint64_t cb_addr = variant->cb_addr ? variant->cb_addr :
			   self->va + 0x300000;
	struct hl_cs_chunk chunks[2];
	char *cbs = self->host + 0x300000, *p;
	uint32_t lower, status;
	uint64_t seq;

	/* Lower CB at +0x100: copy, then SOB 33 += 1. Upper CB: CP_DMA. */
	p = cbs + 0x100;
	p += gt_pkt_lin_dma(p, from, to, size, EB);
	p += gt_pkt_msg_long(p, SOB_E_N(33), 1u << 31 | 1, EB | MB);
	lower = p - (cbs + 0x100);
	gt_pkt_cp_dma(cbs, cb_addr + 0x100, lower);

	/* Data and both CBs to the device. */
	gt_fill(self->host, size, 5);
	p = self->cb.map;
	p += gt_pkt_lin_dma(p, self->va, from, size, EB);
	if (variant->cb_addr)
		p += gt_pkt_lin_dma(p, self->va + 0x300000, cb_addr, 0x200,
				    EB | MB);
	self->cb.len = p - (char *)self->cb.map;
	ASSERT_EQ(0, gt_run(self->fd, GAUDI_QUEUE_ID_DMA_0_0, &self->cb));

	p = self->cb.map;
	p += gt_pkt_monitor(p, 40, 33, 1, DMA_FENCE2(0, 0));
	p += gt_pkt_fence(p, 2, 1, 1);
	p += gt_pkt_lin_dma(p, to, self->va + 0x100000, size, EB | MB);
	self->cb.len = p - (char *)self->cb.map;

	memset(chunks, 0, sizeof(chunks));
	chunks[0].cb_handle = cb_addr;
	chunks[0].cb_size = 16;
	chunks[0].queue_index = variant->queue;
	chunks[1].cb_handle = self->cb.handle;
	chunks[1].cb_size = self->cb.len;
	chunks[1].queue_index = GAUDI_QUEUE_ID_DMA_0_0;
	ASSERT_EQ(0, gt_submit_chunks(self->fd, chunks, 2, 0, &seq));
	ASSERT_EQ(0, gt_wait(self->fd, seq, 20000000, &status));
	EXPECT_EQ(HL_WAIT_CS_STATUS_COMPLETED, status);
	EXPECT_EQ(-1, gt_check(self->host + 0x100000, size, 5));
}

/*
 * A thousand monitors armed at once, in three sync managers: each steps the SOB
 * that the next one waits for, the last one lets the job end.
 */
#define LINKS		1200
#define MNGR(n)		(CFG_BASE + 0x4b0000 + 0x20000 * ((n) % 3))

TEST_F(sync, chain_of_monitors)
{
	uint64_t sm, to;
	unsigned int i, sob, mon;
	struct gt_cb cb;
	char *p;

	ASSERT_EQ(0, gt_cb_create(self->fd, 0x40000, &cb));
	p = cb.map;
	for (i = 0; i < LINKS; i++) {
		sm = MNGR(i);
		mon = 100 + i / 3;
		sob = 500 + i / 3;
		to = i == LINKS - 1 ? DMA_FENCE2(0, 1) :
		     MNGR(i + 1) + 0x2000 + 4 * (500 + (i + 1) / 3);
		p += gt_pkt_msg_long(p, sm + 0x2000 + 4 * sob, 0, 0);
		p += gt_pkt_msg_long(p, sm + 0x4000 + 4 * mon, to, 0);
		p += gt_pkt_msg_long(p, sm + 0x4800 + 4 * mon, to >> 32, 0);
		p += gt_pkt_msg_long(p, sm + 0x5000 + 4 * mon,
				     i == LINKS - 1 ? 1 : 1u << 31 | 1, 0);
		p += gt_pkt_msg_long(p, sm + 0x5800 + 4 * mon,
				     1u << 17 | (0xff & ~(1u << sob % 8)) << 8 |
				     sob / 8, 0);
	}
	p += gt_pkt_msg_long(p, MNGR(0) + 0x2000 + 4 * 500, 1, MB);
	p += gt_pkt_fence(p, 2, 1, 1);
	cb.len = p - (char *)cb.map;
	EXPECT_EQ(0, gt_run(self->fd, GAUDI_QUEUE_ID_DMA_0_1, &cb));
	gt_cb_destroy(self->fd, &cb);
}

/* The kernel's own: a wait ends when the signal has come, and not before. */
static const char *signal_and_wait(int fd, struct gt_cb *cb)
{
	struct hl_cs_chunk chunk = { .queue_index = GAUDI_QUEUE_ID_DMA_0_0 };
	uint64_t blocked, sig, waiter;
	struct gt_cb go;
	uint32_t status;

	/* Hold the signalling stream so that the wait really waits. */
	cb->len = gt_pkt_fence(cb->map, 0, 1, 1);
	if (gt_cb_create(fd, 4096, &go) ||
	    gt_submit(fd, GAUDI_QUEUE_ID_DMA_0_0, cb, &blocked) ||
	    gt_submit_chunks(fd, &chunk, 1, HL_CS_FLAGS_SIGNAL, &sig))
		return "no signal";
	chunk = (struct hl_cs_chunk){
		.queue_index = GAUDI_QUEUE_ID_DMA_1_1,
		.signal_seq_arr = (uintptr_t)&sig, .num_signal_seq_arr = 1 };
	if (gt_submit_chunks(fd, &chunk, 1, HL_CS_FLAGS_WAIT, &waiter) ||
	    waiter == ~0ull)
		return "no wait";
	if (gt_wait(fd, waiter, 50000, &status) ||
	    status != HL_WAIT_CS_STATUS_BUSY)
		return "it does not wait";
	/* FENCE0_RDATA of DMA0 stream 0 */
	go.len = gt_pkt_msg_long(go.map, CFG_BASE + 0x508308, 1, MB);
	if (gt_run(fd, GAUDI_QUEUE_ID_DMA_1_0, &go))
		return "the stream is held for ever";
	if (gt_wait(fd, waiter, 10000000, &status) ||
	    status != HL_WAIT_CS_STATUS_COMPLETED)
		return "it waits for ever";
	if (gt_wait(fd, sig, 10000000, &status) ||
	    status != HL_WAIT_CS_STATUS_COMPLETED)
		return "the signal does not end";
	gt_cb_destroy(fd, &go);
	return NULL;
}

TEST_F(sync, kernel_signal_and_wait)
{
	EXPECT_EQ(NULL, signal_and_wait(self->fd, &self->cb));
}

static int reserve(int fd, uint32_t count, uint32_t *id)
{
	union hl_cs_args args = { .in = {
		.encaps_signals_count = count,
		.cs_flags = HL_CS_FLAGS_RESERVE_SIGNALS_ONLY } };
	int ret = gt_ioctl(fd, DRM_IOCTL_HL_CS, &args);

	*id = args.out.handle_id;
	return ret;
}

/*
 * Reservations use a sync object even if they are of no signal; so many that a
 * count of its users would overflow are refused. Mainline has no limit.
 */
TEST_F(sync, reservations_have_an_end)
{
	union hl_cs_args args = { .in = {
		.cs_flags = HL_CS_FLAGS_UNRESERVE_SIGNALS_ONLY } };
	uint32_t id, last = 0, n;
	int ret = 0;

	if (!access("/sys/module/habanalabs", F_OK))
		SKIP(return, "the stock driver has no limit");
	for (n = 0; n < 0x10004; n++) {
		ret = reserve(self->fd, 0, &id);
		if (ret)
			break;
		last = id;
	}
	EXPECT_EQ(-EINVAL, ret);
	EXPECT_EQ(16384, n);
	/* All are there still: the other sync object is not taken twice. */
	args.in.encaps_sig_handle_id = last;
	EXPECT_EQ(0, gt_ioctl(self->fd, DRM_IOCTL_HL_CS, &args));
	EXPECT_EQ(0, reserve(self->fd, 0x7ffe, &id));
	args.in.encaps_sig_handle_id = last - 1;
	EXPECT_EQ(-EINVAL, gt_ioctl(self->fd, DRM_IOCTL_HL_CS, &args));
}

/* What was reserved and not sent is nothing that the next user waits for. */
TEST_F(sync, reservations_end_with_the_file)
{
	uint32_t id;

	ASSERT_EQ(0, reserve(self->fd, 5, &id));
	/* A mapping would keep the file. */
	ASSERT_EQ(0, gt_cb_destroy(self->fd, &self->cb));
	close(self->fd);
	self->fd = gt_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, gt_cb_create(self->fd, 0x4000, &self->cb));
	EXPECT_EQ(NULL, signal_and_wait(self->fd, &self->cb));
}

/* Without trying again. */
static int submit_once(int fd, struct hl_cs_chunk *chunk, uint32_t flags,
		       uint64_t *seq)
{
	union hl_cs_args args = { .in = { .chunks_execute = (uintptr_t)chunk,
					  .num_chunks_execute = 1,
					  .cs_flags = flags } };
	int ret = gt_ioctl(fd, DRM_IOCTL_HL_CS, &args);

	*seq = args.out.seq;
	return ret;
}

/*
 * A wait CS that finds its queue full is refused like any other. (The stock driver
 * drops it, and says that the signal has come.)
 */
TEST_F(sync, wait_on_a_full_queue)
{
	struct hl_cs_chunk chunk = { .queue_index = GAUDI_QUEUE_ID_DMA_0_1 };
	uint64_t seq, last, sig, waiter = 0;
	struct gt_cb nop;
	uint32_t status;
	int ret;

	if (!gt_has(self->fd, GAUDI_CAP_HBM_ALLOC))
		SKIP(return, "dropped here");
	ASSERT_EQ(0, gt_cb_create(self->fd, 4096, &nop));
	nop.len = gt_pkt_nop(nop.map, 0);
	self->cb.len = gt_pkt_fence(self->cb.map, 0, 1, 1);
	ASSERT_EQ(0, gt_submit(self->fd, GAUDI_QUEUE_ID_DMA_0_0, &self->cb,
			       &seq));
	ASSERT_EQ(0, gt_submit(self->fd, GAUDI_QUEUE_ID_DMA_0_1, &self->cb,
			       &seq));
	ASSERT_EQ(0, gt_submit_chunks(self->fd, &chunk, 1, HL_CS_FLAGS_SIGNAL,
				      &sig));
	chunk = (struct hl_cs_chunk){ .cb_handle = nop.handle,
				      .cb_size = nop.len };
	do {
		last = seq;
		ret = submit_once(self->fd, &chunk, 0, &seq);
	} while (!ret);
	ASSERT_EQ(-EAGAIN, ret);
	chunk = (struct hl_cs_chunk){
		.queue_index = GAUDI_QUEUE_ID_DMA_0_0,
		.signal_seq_arr = (uintptr_t)&sig, .num_signal_seq_arr = 1 };
	EXPECT_EQ(-EAGAIN, submit_once(self->fd, &chunk, HL_CS_FLAGS_WAIT,
				       &waiter));
	ASSERT_EQ(0, gt_wait(self->fd, sig, 0, &status));
	EXPECT_EQ(HL_WAIT_CS_STATUS_BUSY, status);

	/* Both go on, and then there is room. */
	nop.len = gt_pkt_msg_long(nop.map, CFG_BASE + 0x508308, 1, MB);
	ASSERT_EQ(0, gt_run(self->fd, GAUDI_QUEUE_ID_DMA_1_0, &nop));
	nop.len = gt_pkt_msg_long(nop.map, CFG_BASE + 0x50830c, 1, MB);
	ASSERT_EQ(0, gt_run(self->fd, GAUDI_QUEUE_ID_DMA_1_0, &nop));
	EXPECT_EQ(0, gt_submit_chunks(self->fd, &chunk, 1, HL_CS_FLAGS_WAIT,
				      &waiter));
	if (waiter != ~0ull) {
		ASSERT_EQ(0, gt_wait(self->fd, waiter, 10000000, &status));
		EXPECT_EQ(HL_WAIT_CS_STATUS_COMPLETED, status);
	}
	ASSERT_EQ(0, gt_wait(self->fd, last, 10000000, &status));
	gt_cb_destroy(self->fd, &nop);
}

TEST_HARNESS_MAIN
