// SPDX-License-Identifier: GPL-2.0-only
/* Submissions: how the program makes them, and the tests of what they do. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "thunk_api.h"

void cb_get(struct cb *cb)
{
	assert_int_equal(hlthunk_request_command_buffer(fd, CB, &cb->handle),
			 0);
	cb->mem = mmap(NULL, CB, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		       (off_t)cb->handle);
	assert_ptr_not_equal(cb->mem, MAP_FAILED);
	pkt_init(&cb->pb, cb->mem, CB);
}

void cb_put(struct cb *cb)
{
	munmap(cb->mem, CB);
	assert_int_equal(hlthunk_destroy_command_buffer(fd, cb->handle), 0);
}

int try_submit(const struct cb *cb, unsigned int queue, uint32_t flags,
	       uint64_t *seq)
{
	struct hl_cs_chunk chunk = {
		.cb_handle = cb->handle,
		.cb_size = (uint32_t)cb->pb.used,
		.queue_index = queue,
	};
	struct hlthunk_cs_in in = {
		.chunks_execute = &chunk,
		.num_chunks_execute = 1,
		.flags = flags,
	};
	struct hlthunk_cs_out out = {};
	int rc = hlthunk_command_submission(fd, &in, &out);

	*seq = out.seq;

	return rc;
}

uint64_t submit(const struct cb *cb, unsigned int queue)
{
	uint64_t seq;

	assert_int_equal(try_submit(cb, queue, 0, &seq), 0);

	return seq;
}

uint32_t wait_for(uint64_t seq, uint64_t us)
{
	uint32_t status = 99;

	assert_int_equal(hlthunk_wait_for_cs(fd, seq, us, &status), 0);

	return status;
}

void done(uint64_t seq)
{
	assert_int_equal(wait_for(seq, 10 * SECOND),
			 HL_WAIT_CS_STATUS_COMPLETED);
}

TEST(copy_and_compare)
{
	size_t size = 3 << 20;
	uint8_t *host = aligned_alloc(4096, 2 * size);
	uint64_t dev, hbm, handle, seq, ts = 0;
	uint32_t status;
	struct cb cb;

	for (size_t i = 0; i < size; i++)
		host[i] = (uint8_t)(i * 7 + i / 4096);
	memset(host + size, 0, size);
	dev = hlthunk_host_memory_map(fd, host, 0, 2 * size);
	assert_true(dev);
	handle = hlthunk_device_memory_alloc(fd, size, 0, true, false);
	hbm = hlthunk_device_memory_map(fd, handle, 0);
	cb_get(&cb);
	pkt_lin_dma(&cb.pb, dev, hbm, (uint32_t)size, 0);
	pkt_lin_dma(&cb.pb, hbm, dev + size, (uint32_t)size, GAUDI_PKT_CTL_EB);
	assert_int_equal(try_submit(&cb, GAUDI_QUEUE_ID_DMA_0_0,
				    HL_CS_FLAGS_TIMESTAMP, &seq), 0);
	assert_int_equal(hlthunk_wait_for_cs_with_timestamp(fd, seq,
						10 * SECOND, &status, &ts), 0);
	assert_int_equal(status, HL_WAIT_CS_STATUS_COMPLETED);
	assert_true(ts > 0);
	assert_memory_equal(host, host + size, size);
	/* Again, by another queue, after the first wait: it stays complete. */
	done(seq);
	cb_put(&cb);
	assert_int_equal(hlthunk_memory_unmap(fd, dev), 0);
	assert_int_not_equal(hlthunk_memory_unmap(fd, dev), 0);
	hlthunk_memory_unmap(fd, hbm);
	hlthunk_device_memory_free(fd, handle);
	free(host);
}

static void on_alarm(int sig)
{
	(void)sig;
}

/* A stream that stands at a fence until another one opens it. */
TEST(blocked_stream)
{
	const struct sigaction sa = { .sa_handler = on_alarm };
	uint64_t held_seq, seq;
	struct cb held, opener;

	cb_get(&held);
	pkt_fence(&held.pb, 1, 1, 1, 0);
	cb_get(&opener);
	pkt_msg_long(&opener.pb, pkt_fence_addr(GAUDI_QUEUE_ID_DMA_0_1, 1), 1,
		     0);
	held_seq = submit(&held, GAUDI_QUEUE_ID_DMA_0_1);
	assert_int_equal(wait_for(held_seq, 0), HL_WAIT_CS_STATUS_BUSY);
	assert_int_equal(wait_for(held_seq, 50000), HL_WAIT_CS_STATUS_BUSY);
	/* A signal does not end the wait. */
	sigaction(SIGALRM, &sa, NULL);
	ualarm(30000, 0);
	assert_int_equal(wait_for(held_seq, 200000), HL_WAIT_CS_STATUS_BUSY);
	seq = submit(&opener, GAUDI_QUEUE_ID_DMA_1_0);
	done(seq);
	done(held_seq);
	cb_put(&held);
	cb_put(&opener);
}

TEST(signal_and_wait)
{
	struct hlthunk_signal_in sig = { .queue_index =
					 GAUDI_QUEUE_ID_DMA_0_1 };
	struct hlthunk_wait_for_signal_data data = {
		.queue_index = GAUDI_QUEUE_ID_DMA_1_1,
		.signal_seq_nr = 1,
	};
	struct hlthunk_wait_in win = {
		.hlthunk_wait_for_signal = (uint64_t *)&data,
		.num_wait_for_signal = 1,
	};
	struct hlthunk_signal_out sout = {};
	struct hlthunk_wait_out wout = {};
	uint64_t held_seq;
	struct cb held, opener;

	/* The signal's queue is held, so that the wait is a real one. */
	cb_get(&held);
	pkt_fence(&held.pb, 1, 1, 1, 0);
	cb_get(&opener);
	pkt_msg_long(&opener.pb, pkt_fence_addr(GAUDI_QUEUE_ID_DMA_0_1, 1), 1,
		     0);
	held_seq = submit(&held, GAUDI_QUEUE_ID_DMA_0_1);
	assert_int_equal(hlthunk_signal_submission(fd, &sig, &sout), 0);
	data.signal_seq_arr = &sout.seq;
	assert_int_equal(hlthunk_wait_for_signal(fd, &win, &wout), 0);
	assert_int_not_equal(wout.seq, UINT64_MAX);
	assert_int_equal(wait_for(wout.seq, 50000), HL_WAIT_CS_STATUS_BUSY);
	done(submit(&opener, GAUDI_QUEUE_ID_DMA_1_0));
	done(held_seq);
	done(sout.seq);
	done(wout.seq);
	/* What has come already needs no submission. */
	assert_int_equal(hlthunk_wait_for_signal(fd, &win, &wout), 0);
	assert_int_equal(wout.seq, UINT64_MAX);
	cb_put(&held);
	cb_put(&opener);
}

TEST(many_at_once)
{
	struct hlthunk_wait_multi_cs_out out = {};
	struct hlthunk_wait_multi_cs_in in;
	uint64_t seqs[4];
	struct cb cb;

	cb_get(&cb);
	pkt_nop(&cb.pb, 0);
	for (int i = 0; i < 4; i++)
		seqs[i] = submit(&cb, GAUDI_QUEUE_ID_DMA_0_0 + (i & 1));
	in = (struct hlthunk_wait_multi_cs_in) {
		.seq = seqs, .timeout_us = 10 * SECOND, .seq_len = 4,
	};
	for (unsigned int seen = 0; seen != 0xf; seen = out.seq_set) {
		assert_int_equal(hlthunk_wait_for_multi_cs(fd, &in, &out), 0);
		assert_int_equal(out.status, HL_WAIT_CS_STATUS_COMPLETED);
		assert_true(out.completed > 0);
	}
	cb_put(&cb);
}

TEST(staged)
{
	struct hlthunk_cs_out out = {};
	struct hl_cs_chunk chunk;
	struct hlthunk_cs_in in = {
		.chunks_execute = &chunk, .num_chunks_execute = 1,
	};
	uint64_t first;
	struct cb cb;

	cb_get(&cb);
	pkt_nop(&cb.pb, 0);
	chunk = (struct hl_cs_chunk) {
		.cb_handle = cb.handle, .cb_size = (uint32_t)cb.pb.used,
		.queue_index = GAUDI_QUEUE_ID_DMA_0_0,
	};
	in.flags = HL_CS_FLAGS_STAGED_SUBMISSION_FIRST;
	assert_int_equal(hlthunk_staged_command_submission(fd, 0, &in, &out),
			 0);
	first = out.seq;
	assert_int_equal(wait_for(first, 20000), HL_WAIT_CS_STATUS_BUSY);
	in.flags = HL_CS_FLAGS_STAGED_SUBMISSION_LAST;
	assert_int_equal(hlthunk_staged_command_submission(fd, first, &in,
							   &out), 0);
	done(first);
	cb_put(&cb);
}

TEST(reserved_signals)
{
	struct hlthunk_sig_res_in in = {
		.queue_index = GAUDI_QUEUE_ID_DMA_0_2, .count = 3,
	};
	struct hlthunk_sig_res_out out = {};
	uint32_t status;

	assert_int_equal(hlthunk_reserve_encaps_signals(fd, &in, &out), 0);
	/* mainline: what the sync object will then have come to */
	assert_true(out.handle.count >= 3);
	assert_true(out.handle.sob_base_addr_offset >= 0x490000);
	assert_int_equal(hlthunk_unreserve_encaps_signals(fd, &out.handle,
							  &status), 0);
}

/* Work that raises both of the signals behind a fence; another fence follows. */
static uint64_t submit_with_signals(struct cb *work,
				    const struct hlthunk_sig_res_out *res)
{
	uint64_t sob = 0x7ffc000000 + res->handle.sob_base_addr_offset;
	struct hlthunk_cs_out out = {};
	struct hl_cs_chunk chunk;
	struct hlthunk_cs_in cs = {
		.chunks_execute = &chunk, .num_chunks_execute = 1,
		.flags = HL_CS_FLAGS_STAGED_SUBMISSION_LAST,
	};

	cb_get(work);
	pkt_fence(&work->pb, 1, 1, 1, 0);
	pkt_msg_long(&work->pb, sob, 1u << 31 | 1, GAUDI_PKT_CTL_MB);
	pkt_msg_long(&work->pb, sob, 1u << 31 | 1, GAUDI_PKT_CTL_MB);
	pkt_fence(&work->pb, 1, 1, 1, 0);
	chunk = (struct hl_cs_chunk) {
		.cb_handle = work->handle, .cb_size = (uint32_t)work->pb.used,
		.queue_index = GAUDI_QUEUE_ID_DMA_0_0,
	};
	assert_int_equal(hlthunk_staged_command_submission_encaps_signals(fd,
						res->handle.id, &cs, &out), 0);

	return out.seq;
}

/*
 * Signals that a staged submission raises itself, in the middle of its work: a
 * stream that waits for the second of them may go before the submission ends.
 */
TEST(encapsulated_signals)
{
	struct hlthunk_sig_res_in in = {
		.queue_index = GAUDI_QUEUE_ID_DMA_0_0, .count = 2,
	};
	struct hlthunk_wait_for_signal_data data = {
		.queue_index = GAUDI_QUEUE_ID_DMA_1_2,
	};
	struct hlthunk_wait_in win = {
		.hlthunk_wait_for_signal = (uint64_t *)&data,
		.num_wait_for_signal = 1,
	};
	struct hlthunk_sig_res_out res = {};
	struct hlthunk_wait_out wout = {};
	uint64_t *host = aligned_alloc(4096, 4096), dev, work_seq, copy_seq;
	struct cb work, opener, copy;

	memset(host, 0, 4096);
	host[0] = 0x1122334455667788;
	dev = hlthunk_host_memory_map(fd, host, 0, 4096);
	assert_true(dev);
	assert_int_equal(hlthunk_reserve_encaps_signals(fd, &in, &res), 0);
	work_seq = submit_with_signals(&work, &res);
	data.encaps_signal_seq = work_seq;
	data.encaps_signal_offset = 2;
	assert_int_equal(hlthunk_wait_for_reserved_encaps_signals(fd, &win,
								  &wout), 0);
	assert_int_not_equal(wout.seq, UINT64_MAX);
	cb_get(&copy);
	pkt_lin_dma(&copy.pb, dev, dev + 2048, 64, 0);
	copy_seq = submit(&copy, GAUDI_QUEUE_ID_DMA_1_2);
	assert_int_equal(wait_for(copy_seq, 50000), HL_WAIT_CS_STATUS_BUSY);
	assert_int_equal(host[256], 0);

	cb_get(&opener);
	pkt_msg_long(&opener.pb, pkt_fence_addr(GAUDI_QUEUE_ID_DMA_0_0, 1), 1,
		     0);
	done(submit(&opener, GAUDI_QUEUE_ID_DMA_1_0));
	done(wout.seq);
	done(copy_seq);
	assert_int_equal(host[256], host[0]);
	assert_int_equal(wait_for(work_seq, 0), HL_WAIT_CS_STATUS_BUSY);
	done(submit(&opener, GAUDI_QUEUE_ID_DMA_1_0));
	done(work_seq);
	/* They are used up. */
	assert_int_equal(hlthunk_unreserve_encaps_signals(fd, &res.handle,
							  NULL), -EINVAL);
	cb_put(&work);
	cb_put(&copy);
	cb_put(&opener);
	assert_int_equal(hlthunk_memory_unmap(fd, dev), 0);
	free(host);
}
