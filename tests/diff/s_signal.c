// SPDX-License-Identifier: GPL-2.0-only
/* CS: signals, waits for signals, reserved signals. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "steps.h"

#define STAGED	HL_CS_FLAGS_STAGED_SUBMISSION
#define FIRST	(STAGED | HL_CS_FLAGS_STAGED_SUBMISSION_FIRST)
#define LAST	(STAGED | HL_CS_FLAGS_STAGED_SUBMISSION_LAST)

static uint64_t sync_cs(uint32_t type, uint32_t queue, uint64_t seq,
			uint32_t num, const char *what)
{
	struct hl_cs_chunk c = { .queue_index = queue };
	union hl_cs_args args = { .in = {
		.chunks_execute = PTR(&c), .num_chunks_execute = 1,
		.cs_flags = type, .timeout = 100 } };

	if (type & HL_CS_FLAGS_ENCAP_SIGNALS) {
		c.encaps_signal_seq = seq;
		c.encaps_signal_offset = num;
	} else {
		c.signal_seq_arr = PTR(&seq);
		c.num_signal_seq_arr = num;
	}
	return step(&args, DRM_IOCTL_HL_CS, "%s", what) ? 0 : args.out.seq;
}

static uint64_t sig(uint32_t queue, const char *what)
{
	return sync_cs(HL_CS_FLAGS_SIGNAL, queue, 0, 0, what);
}

static uint64_t wait_sig(uint32_t queue, uint64_t seq, const char *what)
{
	return sync_cs(HL_CS_FLAGS_WAIT, queue, seq, 1, what);
}

/* Of signal s, which has not come; w waits for it, d is a job. */
static void bad_waits(uint64_t s, uint64_t w, uint64_t d)
{
	wait_sig(0, s, "wait on the queue of the signal");
	wait_sig(8, s, "wait on queue 8");
	wait_sig(~0u, s, "wait on queue -1");
	wait_sig(5, w, "wait for a wait");
	wait_sig(5, d, "wait for a job");
	wait_sig(5, 0, "wait for 0");
	wait_sig(5, ~0ull, "wait for -1");
	wait_sig(5, s + 1000, "wait for the future");
	sync_cs(HL_CS_FLAGS_WAIT, 5, s, 0, "wait for none");
	sync_cs(HL_CS_FLAGS_WAIT, 5, s, 2, "wait for two");
	sync_cs(HL_CS_FLAGS_WAIT, 5, s, 0x10001, "wait for 65537");
	step(CS(.chunks_execute = PTR(&(struct hl_cs_chunk){
		.queue_index = 5, .num_signal_seq_arr = 1 }),
		.num_chunks_execute = 1, .cs_flags = HL_CS_FLAGS_WAIT),
	     "wait with a null array");
	step(CS(.chunks_execute = PTR(&(struct hl_cs_chunk){
		.queue_index = 5, .num_signal_seq_arr = 1,
		.signal_seq_arr = 0x1000 }),
		.num_chunks_execute = 1, .cs_flags = HL_CS_FLAGS_WAIT),
	     "wait with an array nowhere");
	step(CS(.chunks_execute = 0, .num_chunks_execute = 1,
		.cs_flags = HL_CS_FLAGS_WAIT), "wait with null chunks");
	step(CS(.chunks_execute = 0, .num_chunks_execute = 1,
		.cs_flags = HL_CS_FLAGS_SIGNAL), "signal with null chunks");
}

static void signal_script(void)
{
	struct gt_cb block = cb_block("block"), cb = cb_new(4096, "buffer");
	uint64_t s, w, d;
	char what[64];
	uint32_t q;

	cb.len = gt_pkt_nop(cb.map, 0);
	for (q = 0; q < 116; q++) {
		snprintf(what, sizeof(what), "signal on queue %u", q);
		sig(q, what);
	}
	sig(~0u, "signal on queue -1");
	say_drops("refused");
	s = sig(0, "signal");
	wait_for(s, 5000000, "signal ends");
	wait_sig(4, s, "wait for one that came");
	submit_one(0, &block, 0, "block queue 0");
	s = sig(0, "signal that is held up");
	w = wait_sig(4, s, "wait for it");
	wait_for(s, 0, "signal: poll");
	wait_for(w, 0, "wait: poll");
	d = submit_one(4, &cb, 0, "a job behind the wait");
	wait_for(d, 300000, "it waits too");
	bad_waits(s, w, d);
	say_drops("refused then");
	/* Queue 4 waits: the message goes by another queue of DMA 1. */
	{
		struct gt_cb open = cb_new(4096, "open");

		open.len = gt_pkt_msg_long(open.map, BLOCK_RDATA(0), 1, 0);
		d = submit_one(6, &open, 0, "let it go on");
		wait_for(d, 5000000, "the message");
	}
	wait_for(s, 5000000, "the signal comes");
	wait_for(w, 5000000, "the wait ends");
	sync_cs(HL_CS_FLAGS_SIGNAL | HL_CS_FLAGS_TIMESTAMP, 2, 0, 0,
		"signal with a time");
	sync_cs(HL_CS_FLAGS_SIGNAL | HL_CS_FLAGS_CUSTOM_TIMEOUT, 2, 0, 0,
		"signal with a timeout");
	s = sync_cs(HL_CS_FLAGS_SIGNAL | HL_CS_FLAGS_ENCAP_SIGNALS, 2, 0, 0,
		    "signal with ENCAP");
	wait_for(s, 5000000, "all have come");
	for (q = 0; q < 8; q++)
		wait_for(submit_one(q, &cb, 0, "a job on each queue"), 5000000,
			 "which ends");
}

/* A wait that finds its queue full, while the signal has not come. */
static void full_script(void)
{
	struct gt_cb block = cb_block("block"), block1 = cb_block("block 1"),
		     cb = cb_new(4096, "buffer");
	struct hl_cs_chunk c = { .cb_handle = cb.handle, .cb_size = 8 };
	uint64_t s, last = 0;
	int rc = 0;

	cb.len = gt_pkt_nop(cb.map, 0);
	submit_one(1, &block1, 0, "block queue 1");
	s = sig(1, "a signal behind it");
	submit_one(0, &block, 0, "block queue 0");
	while (!rc) {
		union hl_cs_args args = { .in = { .chunks_execute = PTR(&c),
						  .num_chunks_execute = 1 } };

		rc = gt_ioctl(fd, DRM_IOCTL_HL_CS, &args);
		if (!rc)
			last = args.out.seq;
	}
	say("queue 0 is full", "%s", errname(rc));
	wait_sig(0, s, "wait for the signal there");
	wait_for(s, 0, "it has not come");
	unblock(0, "let queue 0 go on");
	wait_for(last, 30000000, "its last");
	unblock(1, "let queue 1 go on");
	wait_for(s, 5000000, "the signal");
}

static void collective_script(void)
{
	uint64_t s = sig(0, "signal");
	uint32_t q;
	char what[64];

	wait_for(s, 5000000, "it comes");
	for (q = 0; q < 116; q += 1) {
		snprintf(what, sizeof(what), "collective wait on %u", q);
		sync_cs(HL_CS_FLAGS_COLLECTIVE_WAIT, q, s, 1, what);
	}
	sync_cs(HL_CS_FLAGS_COLLECTIVE_WAIT, ~0u, s, 1, "on queue -1");
	step(CS(.chunks_execute = 0, .num_chunks_execute = 1,
		.cs_flags = HL_CS_FLAGS_COLLECTIVE_WAIT), "null chunks");
	step(CS(.chunks_execute = 0, .num_chunks_execute = 2,
		.cs_flags = HL_CS_FLAGS_COLLECTIVE_WAIT), "two chunks");
	say_drops("refused");
}

static uint32_t reserve(uint32_t queue, uint32_t count, const char *what)
{
	union hl_cs_args args = { .in = {
		.encaps_signals_q_idx = queue, .encaps_signals_count = count,
		.cs_flags = HL_CS_FLAGS_RESERVE_SIGNALS_ONLY } };

	return step(&args, DRM_IOCTL_HL_CS, "%s", what) ? 0 :
	       args.out.handle_id;
}

static void unreserve(uint32_t id, const char *what)
{
	step(CS(.encaps_sig_handle_id = id,
		.cs_flags = HL_CS_FLAGS_UNRESERVE_SIGNALS_ONLY), "%s", what);
}

static void reserve_script(void)
{
	static const uint32_t counts[] = { 0, 1, 2, 100, 0x3fff, 0x7ffe };
	uint32_t q, a, b;
	char what[64];
	unsigned int i;

	for (q = 0; q < 116; q += (q < 12 ? 1 : 13)) {
		snprintf(what, sizeof(what), "1 on queue %u", q);
		a = reserve(q, 1, what);
		if (a)
			unreserve(a, "unreserve it");
	}
	reserve(~0u, 1, "1 on queue -1");
	reserve(0, 0x7fff, "0x7fff");
	reserve(0, 0x8000, "0x8000");
	reserve(0, 0x8001, "0x8001");
	reserve(0, ~0u, "-1");
	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		snprintf(what, sizeof(what), "reserve %#x", counts[i]);
		a = reserve(1, counts[i], what);
		snprintf(what, sizeof(what), "unreserve %#x", counts[i]);
		if (a)
			unreserve(a, what);
	}
	a = reserve(2, 3, "A");
	b = reserve(2, 4, "B");
	unreserve(a, "A is not the last");
	unreserve(b, "B");
	unreserve(a, "A");
	unreserve(a, "A again");
	unreserve(0, "0");
	unreserve(99, "99");
	unreserve(~0u, "-1");
	a = reserve(3, 5, "C");
	sig(3, "a signal in between");
	unreserve(a, "C is not the last");
	/* It stays: the close has to drop it. */
}

static uint64_t staged_encaps(uint32_t queue, struct gt_cb *cb, uint32_t id,
			      uint32_t flags, const char *what)
{
	struct hl_cs_chunk c = { .cb_handle = cb->handle, .cb_size = cb->len,
				 .queue_index = queue };
	union hl_cs_args args = { .in = {
		.chunks_execute = PTR(&c), .num_chunks_execute = 1,
		.cs_flags = flags | HL_CS_FLAGS_ENCAP_SIGNALS,
		.encaps_sig_handle_id = id } };

	return step(&args, DRM_IOCTL_HL_CS, "%s", what) ? 0 : args.out.seq;
}

/*
 * Not here: to unreserve what a submission sends, or to send it twice. The stock
 * driver does so, and uses what it has freed.
 */
static void encaps_script(void)
{
	struct gt_cb block = cb_block("block"), cb = cb_new(4096, "buffer");
	uint64_t a, w1, w2, w3;
	uint32_t id;

	cb.len = gt_pkt_nop(cb.map, 0);
	id = reserve(0, 4, "reserve 4");
	staged_encaps(0, &cb, 77, FIRST | LAST, "a handle that is not");
	staged_encaps(0, &cb, 0, FIRST | LAST, "handle 0");
	sync_cs(HL_CS_FLAGS_WAIT | HL_CS_FLAGS_ENCAP_SIGNALS, 5, 1, 1,
		"wait before anything sends them");
	sync_cs(HL_CS_FLAGS_WAIT | HL_CS_FLAGS_ENCAP_SIGNALS, 5, ~0ull, 1,
		"wait for -1");
	a = staged_encaps(0, &block, id, FIRST, "first, sends 4");
	w1 = sync_cs(HL_CS_FLAGS_WAIT | HL_CS_FLAGS_ENCAP_SIGNALS, 5, a, 0,
		     "wait, offset 0");
	w2 = sync_cs(HL_CS_FLAGS_WAIT | HL_CS_FLAGS_ENCAP_SIGNALS, 6, a, 1,
		     "wait, offset 1");
	w3 = sync_cs(HL_CS_FLAGS_WAIT | HL_CS_FLAGS_ENCAP_SIGNALS, 7, a, 4,
		     "wait, offset 4");
	sync_cs(HL_CS_FLAGS_WAIT | HL_CS_FLAGS_ENCAP_SIGNALS, 7, a, 5,
		"wait, offset 5");
	sync_cs(HL_CS_FLAGS_WAIT, 7, a, 1, "plain wait for it");
	step(CS(.chunks_execute = PTR((&(struct hl_cs_chunk){
		.cb_handle = cb.handle, .cb_size = 8 })),
		.num_chunks_execute = 1, .cs_flags = LAST, .seq = a),
	     "last part");
	wait_for(a, 0, "poll");
	wait_for(w1, 0, "poll wait 1");
	wait_for(w2, 0, "poll wait 2");
	wait_for(w3, 0, "poll wait 3");
	/* Nobody sends the signals: leave with work in flight. */
}

/* A staged submission that sends what it reserved. */
static void encaps_sends_script(void)
{
	struct gt_cb cb = cb_new(4096, "buffer"), block = cb_block("block"),
		     four = cb_new(4096, "four signals");
	union hl_cs_args args = { .in = {
		.encaps_signals_q_idx = 1, .encaps_signals_count = 4,
		.cs_flags = HL_CS_FLAGS_RESERVE_SIGNALS_ONLY } };
	uint64_t a, w, sob;
	uint32_t id, i;

	cb.len = gt_pkt_nop(cb.map, 0);
	step(&args, DRM_IOCTL_HL_CS, "reserve 4");
	id = args.out.handle_id;
	sob = CFG_BASE + args.out.sob_base_addr_offset;
	for (i = 0; i < 4; i++)
		four.len += gt_pkt_msg_long((char *)four.map + four.len, sob,
					    0x80000001, 0);
	submit_one(1, &block, 0, "block queue 1");
	a = staged_encaps(1, &four, id, FIRST | LAST, "first and last");
	w = sync_cs(HL_CS_FLAGS_WAIT | HL_CS_FLAGS_ENCAP_SIGNALS, 5, a, 4,
		    "wait for the fourth");
	wait_for(w, 200000, "it waits");
	unblock(1, "let them be sent");
	wait_for(a, 5000000, "they are sent");
	wait_for(w, 5000000, "the wait ends");
	sync_cs(HL_CS_FLAGS_WAIT | HL_CS_FLAGS_ENCAP_SIGNALS, 5, a, 2,
		"wait afterwards");
	unreserve(id, "unreserve afterwards");
	sig(1, "the next signal");
	id = reserve(1, 2, "the next two");
	staged_encaps(1, &cb, id, STAGED | HL_CS_FLAGS_STAGED_SUBMISSION_LAST,
		      "with the last part only");
	staged_encaps(1, &cb, id, 0, "not staged");
	unreserve(id, "still there");
}

/* The SOB of a queue counts to 2^15 - 1; then comes the other one. */
static void wrap_script(void)
{
	uint32_t id;

	id = reserve(0, 0x7ff0, "nearly all");
	unreserve(id, "give back");
	id = reserve(0, 0x7ff0, "nearly all again");
	sig(0, "a signal");
	reserve(0, 100, "over the end");
	reserve(0, 0x7ff0, "over the end again");
	unreserve(id, "what is in the other");
	sig(0, "a signal then");
}

/*
 * The last value that a SOB can take is a signal's. Not tried: to come back to the
 * first SOB, which a reservation has still. Mainline counts the last signal off
 * for that reservation when it ends, and answers by whether it has ended.
 */
static void wrap_last_script(void)
{
	reserve(2, 0x7ffe, "all but one");
	sig(2, "the last one");
	sig(2, "the first of the other");
	reserve(2, 0x7ffd, "all but one of the other");
}

const struct script s_signal[] = {
	{ "signal", signal_script, true, true },
	{ "signal-full", full_script, true, true },
	{ "signal-collective", collective_script, true, true },
	{ "signal-reserve", reserve_script, true, true },
	{ "signal-encaps", encaps_script, true, true },
	{ "signal-encaps-sends", encaps_sends_script, true, true },
	{ "signal-wrap", wrap_script, true, true },
	{ "signal-wrap-last", wrap_last_script, true, true },
	{ .name = NULL },
};
