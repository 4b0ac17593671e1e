// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proves: a collective wait ends when the signal has come and all slaves (each port,
 * and the engine that reduces) have seen it, and what is behind it on their queues
 * has not begun before.
 */
#include <stdio.h>
#include <string.h>

#include "lib/fixture.h"
#include "lib/nic.h"

#define SIGNAL_QUEUE	1	/* DMA 0, stream 1: held until it is let go */
#define MASTER_QUEUE	4	/* DMA 1, stream 0 */
#define DMA5_QUEUE	21
#define TPC7_QUEUE	69
/* FENCE0_RDATA of DMA 0, stream 1. */
#define SIGNAL_FENCE	(CFG_BASE + 0x50830c)
#define SLAVE_SOB	40

FIXTURE(collective)
{
	struct end a;
	uint64_t ports;
	struct gt_cb hold;
};

FIXTURE_SETUP(collective)
{
	struct drm_gaudi_query query = { .id = GAUDI_QUERY_NIC_PORTS };

	self->a.fd = card_open(0);
	if (self->a.fd == -ENOENT)
		SKIP(return, "no Gaudi card");
	ASSERT_GE(self->a.fd, 0);
	if (gt_ioctl(self->a.fd, DRM_IOCTL_GAUDI_QUERY, &query) ||
	    !query.value) {
		end_close(&self->a);
		SKIP(return, "the driver uses no ports");
	}
	self->ports = query.value;
	self->a.mem = gt_alloc(END_SIZE);
	ASSERT_NE(NULL, self->a.mem);
	ASSERT_EQ(0, gt_map_host(self->a.fd, self->a.mem, END_SIZE,
				 &self->a.va));
	ASSERT_EQ(0, gt_cb_create(self->a.fd, 4096, &self->a.cb));
	ASSERT_EQ(0, gt_cb_create(self->a.fd, 4096, &self->hold));
}

FIXTURE_TEARDOWN(collective)
{
	if (self->hold.map)
		gt_cb_destroy(self->a.fd, &self->hold);
	end_close(&self->a);
}

/* A signal that does not come until its queue is let go. */
static int held_signal(int fd, struct gt_cb *hold, uint64_t *sig)
{
	struct hl_cs_chunk chunk = { .queue_index = SIGNAL_QUEUE };
	uint64_t seq;
	int ret;

	hold->len = gt_pkt_fence(hold->map, 0, 1, 1);
	ret = gt_submit(fd, SIGNAL_QUEUE, hold, &seq);
	return ret ? ret :
	       gt_submit_chunks(fd, &chunk, 1, HL_CS_FLAGS_SIGNAL, sig);
}

static int let_go(struct end *e)
{
	e->cb.len = gt_pkt_msg_long(e->cb.map, SIGNAL_FENCE, 1, MB);
	return gt_run(e->fd, 7, &e->cb);
}

static int collective(int fd, uint32_t queue, uint32_t engine, uint64_t sig,
		      uint64_t *seq)
{
	struct hl_cs_chunk chunk = {
		.queue_index = queue, .signal_seq_arr = (uintptr_t)&sig,
		.num_signal_seq_arr = 1, .collective_engine_id = engine,
	};

	return gt_submit_chunks(fd, &chunk, 1, HL_CS_FLAGS_COLLECTIVE_WAIT, seq);
}

/* On the first stream of each slave: add one to sync object 40 of E_N. */
static int behind_slaves(struct end *e, uint64_t ports, uint32_t engine_queue,
			 uint32_t *n)
{
	struct hl_cs_chunk chunk[12] = { { .cb_handle = e->cb.handle } };
	uint32_t port, len;
	uint64_t seq;

	len = gt_pkt_msg_long(e->mem + BELL, SOB_E_N(SLAVE_SOB), SOB_ADD_1, MB);
	chunk[0].cb_size = gt_pkt_nop(e->cb.map, 0);
	*n = 1;
	for (port = 0; port < GAUDI_NIC_NUM_PORTS; port++)
		if (ports >> port & 1)
			chunk[(*n)++] = (struct hl_cs_chunk){
				.queue_index = NIC_QUEUE(port),
				.cb_handle = e->va + BELL, .cb_size = len };
	chunk[(*n)++] = (struct hl_cs_chunk){
		.queue_index = engine_queue, .cb_handle = e->va + BELL,
		.cb_size = len };
	/* Only the slaves count. */
	return gt_submit_chunks(e->fd, chunk, (*n)--, 0, &seq);
}

/* Sync object 40, by a DMA of four bytes. */
static uint32_t slaves_done(struct end *e)
{
	*(uint32_t *)(e->mem + DST) = ~0u;
	e->cb.len = gt_pkt_lin_dma(e->cb.map, SOB_E_N(SLAVE_SOB), e->va + DST,
				   4, EB | MB);
	return gt_run(e->fd, 7, &e->cb) ? ~0u : *(uint32_t *)(e->mem + DST);
}

static const char *run(struct end *e, uint64_t ports, struct gt_cb *hold,
		       uint32_t engine, uint32_t engine_queue)
{
	uint32_t status, n, before = slaves_done(e);
	uint64_t sig, seq;

	if (held_signal(e->fd, hold, &sig))
		return "no signal";
	if (collective(e->fd, MASTER_QUEUE, engine, sig, &seq) || seq == ~0ull)
		return "no collective";
	if (behind_slaves(e, ports, engine_queue, &n))
		return "nothing behind the slaves";
	if (gt_wait(e->fd, seq, 50000, &status) ||
	    status != HL_WAIT_CS_STATUS_BUSY)
		return "the master does not wait";
	if (slaves_done(e) != before)
		return "a slave does not wait";
	if (let_go(e))
		return "the signal is held for ever";
	if (gt_wait(e->fd, seq, 10 * SECOND_US, &status) ||
	    status != HL_WAIT_CS_STATUS_COMPLETED)
		return "the master waits for ever";
	if (wait_sob(e, SLAVE_SOB, before + n))
		return "a slave waits for ever";
	return slaves_done(e) == before + n ? NULL : "a slave goes on twice";
}

TEST_F(collective, with_dma_5)
{
	EXPECT_EQ(NULL, run(&self->a, self->ports, &self->hold,
			    GAUDI_ENGINE_ID_DMA_5, DMA5_QUEUE));
}

TEST_F(collective, with_tpc_7)
{
	EXPECT_EQ(NULL, run(&self->a, self->ports, &self->hold,
			    GAUDI_ENGINE_ID_TPC_7, TPC7_QUEUE));
}

/* One after the other, by both masters of a stream and by both engines. */
TEST_F(collective, again_and_again)
{
	unsigned int i;

	for (i = 0; i < 20; i++) {
		ASSERT_EQ(NULL, run(&self->a, self->ports, &self->hold,
				    i & 1 ? GAUDI_ENGINE_ID_TPC_7 :
					    GAUDI_ENGINE_ID_DMA_5,
				    i & 1 ? TPC7_QUEUE : DMA5_QUEUE));
	}
}

/* Many wait for one signal, on all masters; then all of them end. */
TEST_F(collective, as_many_as_there_is_room_for)
{
	uint64_t sig, seq[300];
	uint32_t status, i, n = 0;
	int ret = 0, fd = self->a.fd;
	union hl_cs_args args = { 0 };
	struct hl_cs_chunk chunk = { .num_signal_seq_arr = 1,
				     .signal_seq_arr = (uintptr_t)&sig };

	ASSERT_EQ(0, held_signal(fd, &self->hold, &sig));
	for (n = 0; n < 300; n++) {
		/* Queue 1 is held. */
		chunk.queue_index = n % 4 + 4;
		chunk.collective_engine_id = n & 4 ? GAUDI_ENGINE_ID_DMA_5 :
						     GAUDI_ENGINE_ID_TPC_7;
		args = (union hl_cs_args){ .in = {
			.chunks_execute = (uintptr_t)&chunk,
			.num_chunks_execute = 1,
			.cs_flags = HL_CS_FLAGS_COLLECTIVE_WAIT } };
		ret = gt_ioctl(fd, DRM_IOCTL_HL_CS, &args);
		if (ret)
			break;
		seq[n] = args.out.seq;
	}
	EXPECT_EQ(-EAGAIN, ret);
	EXPECT_EQ(256, n);
	self->a.cb.len = gt_pkt_msg_long(self->a.cb.map, SIGNAL_FENCE, 1, MB);
	ASSERT_EQ(0, gt_run(fd, 0, &self->a.cb));
	for (i = 0; i < n; i++) {
		ASSERT_EQ(0, gt_wait(fd, seq[i], 10 * SECOND_US, &status));
		ASSERT_EQ(HL_WAIT_CS_STATUS_COMPLETED, status);
	}
	EXPECT_EQ(NULL, run(&self->a, self->ports, &self->hold,
			    GAUDI_ENGINE_ID_DMA_5, DMA5_QUEUE));
}

/* Sync objects count to 32767; then their stream goes on with others. */
TEST_F_TIMEOUT(collective, more_than_a_sync_object_counts, 600)
{
	uint64_t sig, seq[128];
	uint32_t status, i, round;
	int fd = self->a.fd;

	for (round = 0; round < 33000 / 128; round++) {
		ASSERT_EQ(0, held_signal(fd, &self->hold, &sig));
		for (i = 0; i < 128; i++)
			ASSERT_EQ(0, collective(fd, MASTER_QUEUE,
						GAUDI_ENGINE_ID_DMA_5, sig,
						&seq[i]));
		ASSERT_EQ(0, let_go(&self->a));
		ASSERT_EQ(0, gt_wait(fd, seq[127], 10 * SECOND_US, &status));
		ASSERT_EQ(HL_WAIT_CS_STATUS_COMPLETED, status);
	}
	EXPECT_EQ(NULL, run(&self->a, self->ports, &self->hold,
			    GAUDI_ENGINE_ID_DMA_5, DMA5_QUEUE));
}

/* What has come is not waited for; and what mainline refuses. */
TEST_F(collective, arguments)
{
	uint64_t sig, seq = 1;
	int fd = self->a.fd;

	ASSERT_EQ(0, held_signal(fd, &self->hold, &sig));
	EXPECT_EQ(-EINVAL, collective(fd, 8, GAUDI_ENGINE_ID_DMA_5, sig, &seq));
	EXPECT_EQ(-EINVAL, collective(fd, 9, GAUDI_ENGINE_ID_DMA_5, sig, &seq));
	EXPECT_EQ(-EINVAL, collective(fd, NIC_QUEUE(0), GAUDI_ENGINE_ID_DMA_5,
				      sig, &seq));
	EXPECT_EQ(-EINVAL, collective(fd, ~0u, GAUDI_ENGINE_ID_DMA_5, sig, &seq));
	EXPECT_EQ(-EINVAL, collective(fd, MASTER_QUEUE, GAUDI_ENGINE_ID_DMA_2,
				      sig, &seq));
	EXPECT_EQ(-EINVAL, collective(fd, MASTER_QUEUE, ~0u, sig, &seq));
	EXPECT_EQ(-EINVAL, collective(fd, MASTER_QUEUE, GAUDI_ENGINE_ID_DMA_5,
				      sig + 1000, &seq));
	ASSERT_EQ(0, let_go(&self->a));
	ASSERT_EQ(0, gt_wait(fd, sig, 10 * SECOND_US, &(uint32_t){ 0 }));
	EXPECT_EQ(0, collective(fd, MASTER_QUEUE, GAUDI_ENGINE_ID_DMA_5, sig,
				&seq));
	EXPECT_EQ(~0ull, seq);
}

/* By a reservation, whose signals are in a user's command buffer. */
TEST_F(collective, encapsulated_signals)
{
	struct hl_cs_chunk chunk = { .queue_index = MASTER_QUEUE,
		.collective_engine_id = GAUDI_ENGINE_ID_DMA_5,
		.encaps_signal_offset = 2 };
	union hl_cs_args args = { .in = {
		.encaps_signals_q_idx = SIGNAL_QUEUE, .encaps_signals_count = 3,
		.cs_flags = HL_CS_FLAGS_RESERVE_SIGNALS_ONLY } };
	int fd = self->a.fd;
	uint64_t staged, seq;
	uint32_t status, sob;
	char *at;

	ASSERT_EQ(0, gt_ioctl(fd, DRM_IOCTL_HL_CS, &args));
	sob = args.out.sob_base_addr_offset;
	/* A fence before each of the first two signals; one more is missing. */
	at = self->hold.map;
	at += gt_pkt_fence(at, 0, 1, 1);
	at += gt_pkt_msg_long(at, CFG_BASE + sob, SOB_ADD_1, MB);
	at += gt_pkt_fence(at, 0, 1, 1);
	at += gt_pkt_msg_long(at, CFG_BASE + sob, SOB_ADD_1, MB);
	at += gt_pkt_msg_long(at, CFG_BASE + sob, SOB_ADD_1, MB);
	self->hold.len = (uint32_t)(at - (char *)self->hold.map);
	args = (union hl_cs_args){ .in = {
		.chunks_execute = (uintptr_t)&(struct hl_cs_chunk){
			.cb_handle = self->hold.handle,
			.cb_size = self->hold.len, .queue_index = SIGNAL_QUEUE },
		.num_chunks_execute = 1,
		.encaps_sig_handle_id = args.out.handle_id,
		.cs_flags = HL_CS_FLAGS_STAGED_SUBMISSION |
			    HL_CS_FLAGS_STAGED_SUBMISSION_FIRST |
			    HL_CS_FLAGS_STAGED_SUBMISSION_LAST |
			    HL_CS_FLAGS_ENCAP_SIGNALS } };
	ASSERT_EQ(0, gt_ioctl(fd, DRM_IOCTL_HL_CS, &args));
	staged = args.out.seq;
	chunk.encaps_signal_seq = staged;
	ASSERT_EQ(0, gt_submit_chunks(fd, &chunk, 1,
				      HL_CS_FLAGS_COLLECTIVE_WAIT |
					      HL_CS_FLAGS_ENCAP_SIGNALS, &seq));
	ASSERT_NE(~0ull, seq);
	ASSERT_EQ(0, let_go(&self->a));
	ASSERT_EQ(0, gt_wait(fd, seq, 50000, &status));
	EXPECT_EQ(HL_WAIT_CS_STATUS_BUSY, status);
	ASSERT_EQ(0, let_go(&self->a));
	ASSERT_EQ(0, gt_wait(fd, seq, 10 * SECOND_US, &status));
	EXPECT_EQ(HL_WAIT_CS_STATUS_COMPLETED, status);
	ASSERT_EQ(0, gt_wait(fd, staged, 10 * SECOND_US, &status));
	EXPECT_EQ(HL_WAIT_CS_STATUS_COMPLETED, status);
}

/* Closed in the middle of it, and the next file begins anew. */
TEST_F(collective, a_file_that_is_closed)
{
	uint64_t sig, seq;

	ASSERT_EQ(NULL, run(&self->a, self->ports, &self->hold,
			    GAUDI_ENGINE_ID_DMA_5, DMA5_QUEUE));
	ASSERT_EQ(0, held_signal(self->a.fd, &self->hold, &sig));
	ASSERT_EQ(0, collective(self->a.fd, MASTER_QUEUE, GAUDI_ENGINE_ID_DMA_5,
				sig, &seq));
	gt_cb_destroy(self->a.fd, &self->hold);
	/* Work that is left behind: the card is reset. */
	end_close(&self->a);
	self->a.fd = card_open(0);
	ASSERT_GE(self->a.fd, 0);
	self->a.mem = gt_alloc(END_SIZE);
	ASSERT_EQ(0, gt_map_host(self->a.fd, self->a.mem, END_SIZE,
				 &self->a.va));
	ASSERT_EQ(0, gt_cb_create(self->a.fd, 4096, &self->a.cb));
	ASSERT_EQ(0, gt_cb_create(self->a.fd, 4096, &self->hold));
	EXPECT_EQ(NULL, run(&self->a, self->ports, &self->hold,
			    GAUDI_ENGINE_ID_TPC_7, TPC7_QUEUE));
}

TEST_HARNESS_MAIN
