// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proves: what goes wrong in a queue stops that stream, and the driver says
 * which queue and stream it was, and why; an undefined opcode is kept for its
 * user to read, and other queues work on.
 *
 * Errors come from internal queues, whose packets no driver looks at. Each one
 * gets a queue of its own, since a stopped stream stays so until the reset that
 * follows the close.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <linux/sync_file.h>

#include "../../uapi/drm/gaudi_accel.h"
#include "lib/fixture.h"

#define BUF_SIZE	0x8000
#define LOWER_OFF	0x1000
#define NOWHERE		0x7e00000000ull	/* no memory, no register */
#define EXT_QUEUE	GAUDI_QUEUE_ID_DMA_1_1
#define LOWER_CP	4
/* Of the queue's own window. */
#define GLBL_CFG0	0x8000
#define ARB_CFG_0	0x8a00
#define NO_REG		0x6a00		/* from TPC_CFG on */
#define WAITED_SOB	70
#define IDLE_QM		0xf88000	/* of TPC 6 */
/* FENCE0_RDATA of stream 1 of TPC 3's. */
#define TPC_GATE	(CFG_BASE + 0xec8000 + 0x308 + 4)
#define PATIENCE	20		/* seconds; the watchdog has 8 */

FIXTURE(queue_error)
{
	int fd, log;
	bool stock;
	struct gt_cb cb;
	char *buf;
	uint64_t va;
};

FIXTURE_SETUP(queue_error)
{
	self->fd = gt_open();
	if (self->fd == -ENODEV)
		SKIP(return, "no Gaudi card");
	ASSERT_GE(self->fd, 0);
	self->stock = !access("/sys/module/habanalabs", F_OK);
	self->log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	ASSERT_GE(self->log, 0);
	ASSERT_EQ(0, gt_cb_create(self->fd, 4096, &self->cb));
	self->buf = gt_alloc(BUF_SIZE);
	ASSERT_NE(NULL, self->buf);
	ASSERT_EQ(0, gt_map_host(self->fd, self->buf, BUF_SIZE, &self->va));
}

FIXTURE_TEARDOWN(queue_error)
{
	if (self->fd < 0)
		return;
	close(self->log);
	close(self->fd);
}

/* --- bad packets; each returns its end ------------------------------------ */

static char *put(char *at, uint32_t first, uint32_t opcode, uint32_t ctl)
{
	uint32_t dw[2] = { first, opcode << 24 | ctl };

	memcpy(at, dw, sizeof(dw));
	return at + sizeof(dw);
}

static char *undefined(char *at, uint64_t rdata)
{
	return put(at, 0, 0x0e, 0);
}

static char *stop(char *at, uint64_t rdata)
{
	return put(at, 0, 0x0b, 0);
}

static char *message(char *at, uint64_t rdata)
{
	return at + gt_pkt_msg_long(at, NOWHERE, 1, 0);
}

static char *underflow(char *at, uint64_t rdata)
{
	return at + gt_pkt_fence(at, 1, 0, 1);
}

/* 1,093 times 15 is more than 14 bits. */
static char *overflow(char *at, uint64_t rdata)
{
	int i;

	for (i = 0; i < 1093; i++)
		at += gt_pkt_msg_long(at, rdata, 15, 0);
	return at;
}

static char *privileged(char *at, uint64_t rdata)
{
	return put(at, 0, 0x01, GLBL_CFG0 << 8);
}

static char *buffer(char *at, uint64_t rdata)
{
	return at + gt_pkt_cp_dma(at, NOWHERE, 64);
}

static char *scalars(char *at, uint64_t rdata)
{
	const uint64_t addr = NOWHERE;

	at = put(at, 1 | 1 << 8, 0x0f, 0);
	memcpy(at, &addr, sizeof(addr));
	return at + sizeof(addr);
}

/* A slave of the arbiter, for whom no master ever chooses. */
static char *forsaken(char *at, uint64_t rdata)
{
	at = put(at, 0x100, 0x01, ARB_CFG_0 << 8);
	return put(at, 1, 0x0c, 0);
}

static const struct bad {
	uint32_t queue;
	uint32_t qm;
	bool lower;		/* the packets go to the lower CP */
	char *(*put)(char *at, uint64_t rdata);
	const char *stock;	/* what Debian's driver says, and ours */
	const char *ours;
} list[] = {
	{ GAUDI_QUEUE_ID_DMA_2_0, 0x548000, true, undefined,
	  "DMA_QM2 LowerCP. err cause: CP error due to undefined OPCODE",
	  "DMA_QM2 lower CP, 4: undefined opcode" },
	{ GAUDI_QUEUE_ID_TPC_1_2, 0xe48000, false, stop,
	  "TPC_QM1 stream2. err cause: CP encountered STOP OPCODE",
	  "TPC_QM1 stream 2: STOP packet" },
	{ GAUDI_QUEUE_ID_DMA_5_1, 0x5a8000, false, message,
	  "DMA_QM5 stream1. err cause: CP AXI LBW error",
	  "DMA_QM5 stream 1: CP message write error" },
	{ GAUDI_QUEUE_ID_MME_0_3, 0x168000, false, underflow,
	  "MME_QM2 stream3. err cause: FENCE 1 dec under min value and clipped",
	  "MME_QM2 stream 3: fence 1 underflow" },
	{ GAUDI_QUEUE_ID_TPC_7_0, 0xfc8000, true, overflow,
	  "TPC_QM7 LowerCP. err cause: FENCE 0 inc over max value and clipped",
	  "TPC_QM7 lower CP, 4: fence 0 overflow" },
	{ GAUDI_QUEUE_ID_MME_1_0, 0x068000, true, privileged,
	  "MME_QM0 LowerCP. err cause: CP WRREG32 or WRBULK returned error",
	  "MME_QM0 lower CP, 4: register write error" },
	{ GAUDI_QUEUE_ID_DMA_3_0, 0x568000, false, buffer,
	  "DMA_QM3 LowerCP. err cause: CQ AXI HBW error",
	  "DMA_QM3 lower CP, 4: CQ read error" },
	{ GAUDI_QUEUE_ID_TPC_4_1, 0xf08000, false, scalars,
	  "TPC_QM4 stream1. err cause: CP AXI HBW error",
	  "TPC_QM4 stream 1: CP read error" },
	{ GAUDI_QUEUE_ID_DMA_6_0, 0x5c8000, false, forsaken,
	  "DMA_QM6 ARB_ERR. err cause: Choice Q watchdog error",
	  "DMA_QM6 arbiter: choice watchdog" },
};

/* --- */

/* Waits for a line of the kernel's log; what was there before counts not. */
static bool log_says(int log, const char *text)
{
	char line[8192];
	time_t end = time(NULL) + PATIENCE;
	ssize_t n;

	while (time(NULL) < end) {
		n = read(log, line, sizeof(line) - 1);
		if (n <= 0) {
			usleep(20000);
			continue;
		}
		line[n] = 0;
		if (strstr(line, text))
			return true;
	}
	return false;
}

static int submit_bad(int fd, const struct bad *bad, char *buf, uint64_t va,
		      struct gt_cb *cb)
{
	uint64_t rdata = CFG_BASE + bad->qm + 0x308, seq;
	struct hl_cs_chunk chunks[2] = {
		{ .cb_handle = cb->handle, .queue_index = EXT_QUEUE },
		{ .cb_handle = va, .queue_index = bad->queue },
	};
	char *low = buf + LOWER_OFF, *at = buf;
	uint32_t status;
	int ret;

	if (bad->lower)
		at += gt_pkt_cp_dma(at, va + LOWER_OFF,
				    bad->put(low, rdata + 4 * LOWER_CP) - low);
	else
		at = bad->put(at, rdata);
	chunks[0].cb_size = gt_pkt_nop(cb->map, 0);
	chunks[1].cb_size = (uint32_t)(at - buf);
	ret = gt_submit_chunks(fd, chunks, 2, 0, &seq);
	if (ret)
		return ret;
	/* The job of the external queue ends; nobody waits for the other. */
	ret = gt_wait(fd, seq, 5000000, &status);
	/* On gaudi.ko it is given up with the other, if that is faster. */
	return ret == -EIO && gt_has(fd, GAUDI_CAP_HBM_ALLOC) ? 0 : ret;
}

/* TPC_CFG has no such register. */
static char *no_register(char *at)
{
	const uint64_t values[2] = { 1, 2 };

	at = put(at, 2, 0x02, NO_REG << 8);
	memcpy(at, values, sizeof(values));
	return at + sizeof(values);
}

/*
 * A job of an external queue that waits for a TPC's, and in the same submission
 * that: what is in buf up to at, and then the signal. Its fence goes to *fence.
 */
static int submit_waiting(int fd, uint32_t queue, char *buf, char *at,
			  uint64_t va, struct gt_cb *cb, uint64_t *seq,
			  int *fence)
{
	struct hl_cs_chunk chunks[2] = {
		{ .cb_handle = cb->handle, .queue_index = EXT_QUEUE },
		{ .cb_handle = va, .queue_index = queue },
	};
	struct drm_gaudi_cs cs = { .chunks = (uintptr_t)chunks, .num_chunks = 2,
				   .flags = GAUDI_CS_OUT_FENCE_FD |
					    GAUDI_CS_TIMESTAMP };
	int ret;

	at += gt_pkt_msg_long(at, SOB_E_N(WAITED_SOB), 1, MB);
	chunks[1].cb_size = (uint32_t)(at - buf);
	at = cb->map;
	at += gt_pkt_monitor(at, 46, WAITED_SOB, 1, DMA_FENCE2(1, 1));
	at += gt_pkt_fence(at, 2, 1, 1);
	chunks[0].cb_size = (uint32_t)(at - (char *)cb->map);
	ret = gt_ioctl(fd, DRM_IOCTL_GAUDI_CS, &cs);
	*seq = cs.seq;
	*fence = cs.out_fence_fd;
	return ret;
}

/* An empty job that waits for a fence, and gives one out. */
static int submit_follower(int fd, struct gt_cb *cb, int in,
			   struct drm_gaudi_cs *cs)
{
	struct hl_cs_chunk chunk = { .cb_handle = cb->handle,
				     .queue_index = EXT_QUEUE + 1,
				     .cb_size = gt_pkt_nop(cb->map, 0) };

	*cs = (struct drm_gaudi_cs){
		.chunks = (uintptr_t)&chunk, .num_chunks = 1,
		.flags = GAUDI_CS_IN_FENCE_FD | GAUDI_CS_OUT_FENCE_FD,
		.in_fence_fd = in };
	return gt_ioctl(fd, DRM_IOCTL_GAUDI_CS, cs);
}

/* The driver fills it in while it prints: wait for the last of 4 streams. */
static int captured(int fd, struct hl_info_undefined_opcode_event *undef)
{
	int i, ret = -ETIMEDOUT;

	for (i = 0; i < 50 * PATIENCE; i++) {
		ret = gt_info(fd, HL_INFO_UNDEFINED_OPCODE_EVENT, undef,
			      sizeof(*undef));
		if (ret || undef->cb_addr_streams_len == 4)
			break;
		usleep(20000);
	}
	return ret;
}

TEST_F_TIMEOUT(queue_error, each_is_named, 240)
{
	struct hl_info_undefined_opcode_event undef = { 0 };
	const struct bad *bad;
	uint64_t mask = 0;

	for (bad = list; bad < list + sizeof(list) / sizeof(list[0]); bad++) {
		const char *text = self->stock ? bad->stock : bad->ours;

		/* It leaves a fence raised: a shared card is reset. */
		if (bad->put == overflow && gt_has(self->fd, GAUDI_CAP_SHARED))
			continue;
		/*
		 * The driver says ten of them in five seconds, no more; the
		 * program before this one may have made it say ten.
		 */
		usleep(bad == list ? 6000000 : 600000);
		lseek(self->log, 0, SEEK_END);
		ASSERT_EQ(0, submit_bad(self->fd, bad, self->buf, self->va,
					&self->cb))
			TH_LOG("%s", text);
		EXPECT_TRUE(log_says(self->log, text))
			TH_LOG("nobody said: %s", text);
		if (bad != list)
			continue;
		/* whose it was, and where: the buffer of the lower CP */
		EXPECT_EQ(0, captured(self->fd, &undef));
		EXPECT_EQ(self->va + LOWER_OFF, undef.cq_addr);
		EXPECT_EQ(8, undef.cq_size);
		EXPECT_EQ(LOWER_CP, undef.stream_id);
		EXPECT_EQ(self->va, undef.cb_addr_streams[0][0]);
	}
	EXPECT_EQ(0, gt_info(self->fd, HL_INFO_GET_EVENTS, &mask,
			     sizeof(mask)));
	EXPECT_EQ(HL_NOTIFIER_EVENT_USER_ENGINE_ERR |
		  HL_NOTIFIER_EVENT_UNDEFINED_OPCODE,
		  mask & (HL_NOTIFIER_EVENT_USER_ENGINE_ERR |
			  HL_NOTIFIER_EVENT_UNDEFINED_OPCODE));
	/* External queues never noticed. */
	self->cb.len = gt_pkt_nop(self->cb.map, 0);
	EXPECT_EQ(0, gt_run(self->fd, EXT_QUEUE, &self->cb));
}

/*
 * The submission ends with an error, and so does one that comes too late, or that
 * follows it; others go on. Who else has its fence is told when its other job,
 * too, is over. On the stock driver it waits until its timeout, and the card is
 * reset.
 */
TEST_F_TIMEOUT(queue_error, who_waits_is_told, 120)
{
	struct sync_merge_data both = { .name = "both" };
	struct drm_gaudi_cs follower, last, late;
	char *at = self->buf;
	uint64_t seq;
	uint32_t status;
	int ret, fence, none;

	if (self->stock)
		SKIP(return, "the stock driver leaves it to the timeout");
	usleep(6000000);
	lseek(self->log, 0, SEEK_END);
	at += gt_pkt_fence(at, 0, 1, 1);
	ASSERT_EQ(0, submit_waiting(self->fd, GAUDI_QUEUE_ID_TPC_3_1, self->buf,
				    no_register(at), self->va, &self->cb, &seq,
				    &fence));
	ASSERT_EQ(0, submit_follower(self->fd, &self->cb, fence, &follower));
	both.fd2 = follower.out_fence_fd;
	ASSERT_EQ(0, gt_ioctl(fence, SYNC_IOC_MERGE, &both));
	ASSERT_EQ(0, submit_follower(self->fd, &self->cb, both.fence, &last));
	self->cb.len = gt_pkt_msg_long(self->cb.map, TPC_GATE, 1, 0);
	ASSERT_EQ(0, gt_run(self->fd, EXT_QUEUE + 1, &self->cb));
	EXPECT_EQ(-EIO, gt_wait(self->fd, seq, PATIENCE * 1000000ull, &status));
	EXPECT_EQ(-EIO, gt_wait(self->fd, follower.seq, PATIENCE * 1000000ull,
				&status));
	EXPECT_EQ(-EIO, gt_wait(self->fd, last.seq, PATIENCE * 1000000ull,
				&status));
	ASSERT_EQ(0, submit_follower(self->fd, &self->cb, fence, &late));
	EXPECT_EQ(-EIO, gt_wait(self->fd, late.seq, PATIENCE * 1000000ull,
				&status));
	EXPECT_TRUE(log_says(self->log,
			     "TPC_QM3 stream 1: register write error"));
	EXPECT_TRUE(log_says(self->log, "TPC_QM3: WREG_BULK to offset "
			     "0x6a00, register 0x7ffcecca00"));
	if (gt_has(self->fd, GAUDI_CAP_SHARED))
		return;
	EXPECT_EQ(0, gt_sync_file(fence, 0));
	ret = submit_waiting(self->fd, GAUDI_QUEUE_ID_TPC_3_1, self->buf,
			     self->buf, self->va, &self->cb, &seq, &none);
	EXPECT_EQ(-EIO, ret);
	self->cb.len = gt_pkt_msg_long(self->cb.map, SOB_E_N(WAITED_SOB), 1, 0);
	EXPECT_EQ(0, gt_run(self->fd, EXT_QUEUE + 1, &self->cb));
	EXPECT_EQ(-EIO, gt_sync_file(fence, PATIENCE * 1000));
}

/* Its fence has made room for another one's: see timestamp_of_long_ago. */
TEST_F_TIMEOUT(queue_error, error_of_long_ago, 300)
{
	struct hl_cs_chunk chunk = { .cb_handle = self->cb.handle,
				     .queue_index = EXT_QUEUE + 1,
				     .cb_size = 8 };
	uint64_t failed, seq, last = 0;
	uint32_t status;
	int i, ret, fence;

	if (self->stock)
		SKIP(return, "the stock driver leaves it to the timeout");
	if (gt_has(self->fd, GAUDI_CAP_SHARED))
		SKIP(return, "the card is reset at once");
	ASSERT_EQ(0, submit_waiting(self->fd, GAUDI_QUEUE_ID_TPC_3_1, self->buf,
				    no_register(self->buf), self->va, &self->cb,
				    &failed, &fence));
	EXPECT_EQ(-EIO, gt_wait(self->fd, failed, PATIENCE * 1000000ull,
				&status));
	/* Its other job ends, too. */
	self->cb.len = gt_pkt_msg_long(self->cb.map, SOB_E_N(WAITED_SOB), 1, 0);
	ASSERT_EQ(0, gt_run(self->fd, EXT_QUEUE + 1, &self->cb));
	EXPECT_EQ(-EIO, gt_sync_file(fence, PATIENCE * 1000));
	gt_pkt_nop(self->cb.map, 0);
	for (i = 0; i < 16384; i++) {
		ret = gt_submit_chunks(self->fd, &chunk, 1, 0, &seq);
		if (!ret)
			last = seq;
		else
			ASSERT_EQ(-EAGAIN, ret);
		if (!ret && i % 64)
			continue;
		ASSERT_EQ(0, gt_wait(self->fd, last, PATIENCE * 1000000ull,
				     &status));
	}
	EXPECT_GE(last, failed + 16384);
	EXPECT_EQ(-EIO, gt_wait(self->fd, failed, 0, &status));
}

/* The submission that sends the signals of a reservation. */
static int submit_reserved(int fd, struct hl_cs_chunk *chunks, uint32_t num,
			   uint32_t id)
{
	union hl_cs_args args = { .in = {
		.chunks_execute = (uintptr_t)chunks,
		.num_chunks_execute = num,
		.cs_flags = HL_CS_FLAGS_STAGED_SUBMISSION |
			    HL_CS_FLAGS_STAGED_SUBMISSION_FIRST |
			    HL_CS_FLAGS_STAGED_SUBMISSION_LAST |
			    HL_CS_FLAGS_ENCAP_SIGNALS,
		.encaps_sig_handle_id = id } };

	return gt_ioctl(fd, DRM_IOCTL_HL_CS, &args);
}

/* One that comes too late sends nothing: its signals are still to be sent. */
TEST_F_TIMEOUT(queue_error, reserved_signals_outlive_a_refusal, 120)
{
	union hl_cs_args reserve = { .in = {
		.encaps_signals_count = 1,
		.cs_flags = HL_CS_FLAGS_RESERVE_SIGNALS_ONLY } };
	struct hl_cs_chunk chunks[2] = {
		{ .cb_handle = self->cb.handle, .queue_index = EXT_QUEUE + 1 },
		{ .cb_handle = self->va, .queue_index = GAUDI_QUEUE_ID_TPC_3_1,
		  .cb_size = 8 },
	};
	uint64_t seq;
	uint32_t status;
	int fence;

	if (self->stock)
		SKIP(return, "the stock driver refuses none");
	if (gt_has(self->fd, GAUDI_CAP_SHARED))
		SKIP(return, "no stream stays stopped");
	ASSERT_EQ(0, submit_waiting(self->fd, GAUDI_QUEUE_ID_TPC_3_1, self->buf,
				    no_register(self->buf), self->va, &self->cb,
				    &seq, &fence));
	EXPECT_EQ(-EIO, gt_wait(self->fd, seq, PATIENCE * 1000000ull, &status));
	ASSERT_EQ(0, gt_ioctl(self->fd, DRM_IOCTL_HL_CS, &reserve));
	chunks[0].cb_size = gt_pkt_nop(self->cb.map, 0);
	EXPECT_EQ(-EIO, submit_reserved(self->fd, chunks, 2,
					reserve.out.handle_id));
	EXPECT_EQ(0, submit_reserved(self->fd, chunks, 1,
				     reserve.out.handle_id));
}

/* Waits until the driver has done what it does about an engine's error. */
static bool error_was_handled(int fd)
{
	time_t end = time(NULL) + PATIENCE;
	uint64_t mask = 0;

	while (time(NULL) < end) {
		if (gt_info(fd, HL_INFO_GET_EVENTS, &mask, sizeof(mask)))
			return false;
		if (mask & HL_NOTIFIER_EVENT_USER_ENGINE_ERR)
			return true;
		usleep(20000);
	}
	return false;
}

/*
 * A stream that stopped while it had nothing to do looks idle, but would take no
 * work of the next user: the card is reset for that one.
 */
TEST_F_TIMEOUT(queue_error, next_user_of_an_idle_stream, 120)
{
	uint32_t resets = gt_resets(self->fd), status;
	uint64_t seq;
	int fence;

	if (self->stock)
		SKIP(return, "the stock driver leaves it stopped");
	if (gt_has(self->fd, GAUDI_CAP_SHARED))
		SKIP(return, "no stream stays stopped");
	ASSERT_EQ(0, gt_cb_destroy(self->fd, &self->cb));
	ASSERT_EQ(0, gt_cb_create(self->fd, BUF_SIZE, &self->cb));
	self->cb.len = overflow(self->cb.map, CFG_BASE + IDLE_QM + 0x308) -
		       (char *)self->cb.map;
	ASSERT_EQ(0, gt_run(self->fd, EXT_QUEUE, &self->cb));
	ASSERT_TRUE(error_was_handled(self->fd));
	ASSERT_EQ(0, gt_cb_destroy(self->fd, &self->cb));
	close(self->fd);
	self->fd = gt_open();
	ASSERT_GE(self->fd, 0);
	EXPECT_EQ(resets + 1, gt_resets(self->fd));
	ASSERT_EQ(0, gt_cb_create(self->fd, 4096, &self->cb));
	ASSERT_EQ(0, gt_map_host(self->fd, self->buf, BUF_SIZE, &self->va));
	ASSERT_EQ(0, submit_waiting(self->fd, GAUDI_QUEUE_ID_TPC_6_0, self->buf,
				    self->buf, self->va, &self->cb, &seq,
				    &fence));
	EXPECT_EQ(0, gt_wait(self->fd, seq, PATIENCE * 1000000ull, &status));
	EXPECT_EQ(HL_WAIT_CS_STATUS_COMPLETED, status);
}

TEST_HARNESS_MAIN
