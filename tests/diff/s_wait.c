// SPDX-License-Identifier: GPL-2.0-only
/* WAIT_CS: one, many, interrupts; and what a timeout leaves behind. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "steps.h"

static int multi(const uint64_t *seqs, uint32_t num, uint64_t timeout,
		 const char *what)
{
	hide_words(2);
	return step(WAIT(.seq = PTR(seqs), .timeout_us = timeout,
			 .seq_arr_len = num, .flags = HL_WAIT_CS_FLAGS_MULTI_CS),
		    "%s", what);
}

static void wait_script(void)
{
	struct gt_cb block = cb_block("block"), cb = cb_new(4096, "buffer");
	uint64_t a, b, c;
	unsigned int i;

	cb.len = gt_pkt_nop(cb.map, 0);
	wait_for(0, 0, "0 before any");
	wait_for(1, 0, "1 before any");
	wait_for(~0ull, 0, "-1");
	a = submit_one(0, &cb, 0, "A");
	wait_for(a, 5000000, "A");
	wait_for(a, 0, "A again");
	wait_for(a, ~0ull, "A, for ever");
	wait_for(0, 0, "0");
	wait_for(a + 1, 1000, "the next");
	b = submit_one(0, &cb, HL_CS_FLAGS_TIMESTAMP, "B with a time");
	wait_for(b, 5000000, "B");
	wait_for(b, 5000000, "B again");
	c = submit_one(0, &block, HL_CS_FLAGS_TIMESTAMP, "C waits");
	wait_for(c, 0, "C, poll");
	wait_for(c, 1, "C, 1 us");
	wait_for(c, 300000, "C, 0.3 s");
	for (i = 0; i < 32; i++) {
		/* Those of MULTI_CS and INTERRUPT have their own script. */
		if (i == 1 || i == 2)
			continue;
		hide_words(2);
		step(WAIT(.seq = a, .flags = 1u << i), "flag %u", i);
	}
	hide_words(2);
	step(WAIT(.seq = a, .ctx_id = 5), "context id");
	hide_words(2);
	step(WAIT(.seq = a, .pad = { 1 }), "pad");
	hide_words(2);
	step(WAIT(.seq = a, .seq_arr_len = 5, .timestamp_offset = 5,
		  .timestamp_handle = 5, .cq_counters_offset = 5),
	     "fields of others");
	unblock(0, "let C go on");
	wait_for(c, 5000000, "C");
	/* A refused one has a number all the same. */
	cb.handle = 0;
	submit_one(0, &cb, 0, "refused");
	wait_for(c + 2, 1000, "the refused one");
	wait_for(c + 3, 1000, "the one behind");
}

/* A: a CS that has ended. */
static void multi_arguments(uint64_t a)
{
	uint64_t s[64];
	unsigned int i;

	for (i = 0; i < 64; i++)
		s[i] = a;
	multi(s, 0, 1000, "none");
	multi(s, 0, 0, "none, poll");
	multi(s, 1, 1000, "A");
	multi(s, 2, 1000, "A twice");
	multi(s, 32, 1000, "A, 32 times");
	multi(s, 33, 1000, "33");
	multi(s, 255, 1000, "255");
	multi(NULL, 1, 1000, "null");
	multi((uint64_t *)0x1000, 1, 1000, "nowhere");
	multi((uint64_t *)(PTR(s) + 1), 1, 0, "at an odd address");
	s[0] = a + 100;
	multi(s, 1, 0, "the future");
	multi(s, 2, 0, "the future and A");
	s[0] = 0;
	multi(s, 1, 0, "0");
	multi(s, 2, 0, "0 and A");
	s[0] = ~0ull;
	multi(s, 1, 0, "-1");
	hide_words(2);
	step(WAIT(.seq = PTR(s), .seq_arr_len = 1, .pad = { 0, 1 },
		  .flags = HL_WAIT_CS_FLAGS_MULTI_CS), "pad");
	hide_words(2);
	s[0] = a;
	step(WAIT(.seq = PTR(s), .seq_arr_len = 1,
		  .flags = HL_WAIT_CS_FLAGS_MULTI_CS | 8), "unknown flag");
}

static void multi_script(void)
{
	struct gt_cb block = cb_block("block"), block2 = cb_block("block 2"),
		     cb = cb_new(4096, "buffer");
	uint64_t s[64], a, b, c;

	cb.len = gt_pkt_nop(cb.map, 0);
	a = submit_one(1, &cb, HL_CS_FLAGS_TIMESTAMP, "A");
	wait_for(a, 5000000, "A");
	multi_arguments(a);
	b = submit_one(0, &block, HL_CS_FLAGS_TIMESTAMP, "B waits");
	c = submit_one(2, &block2, HL_CS_FLAGS_TIMESTAMP, "C waits");
	s[0] = b;
	s[1] = c;
	s[2] = a;
	multi(s, 1, 0, "B, poll");
	multi(s, 2, 0, "B and C, poll");
	multi(s, 2, 300000, "B and C, 0.3 s");
	multi(s, 3, 0, "B, C and A, poll");
	multi(s, 3, 1000000, "B, C and A");
	unblock(2, "let C go on");
	wait_for(c, 5000000, "C");
	multi(s, 2, 5000000, "B and C then");
	s[0] = c;
	s[1] = b;
	multi(s, 2, 5000000, "C and B");
	unblock(0, "let B go on");
	wait_for(b, 5000000, "B");
	multi(s, 2, 5000000, "both");
	/* Without times. */
	a = submit_one(1, &cb, 0, "D");
	wait_for(a, 5000000, "D");
	s[0] = a;
	s[1] = b;
	multi(s, 1, 0, "D, no time");
	multi(s, 2, 0, "D and B");
	/* Signals and refused ones. */
	a = submit_one(0, &cb, HL_CS_FLAGS_SIGNAL, "signal");
	wait_for(a, 5000000, "signal");
	s[0] = a;
	multi(s, 1, 0, "the signal");
	cb.handle = 0;
	submit_one(0, &cb, 0, "refused");
	s[0] = a + 1;
	multi(s, 1, 0, "the refused one");
}

static void interrupt_script(void)
{
	static const uint32_t more[] = {
		0, HL_WAIT_CS_FLAGS_ANY_CQ_INTERRUPT,
		HL_WAIT_CS_FLAGS_ANY_DEC_INTERRUPT, 0x100000, 0x7ff00000,
		HL_WAIT_CS_FLAGS_INTERRUPT_KERNEL_CQ,
		HL_WAIT_CS_FLAGS_REGISTER_INTERRUPT,
		HL_WAIT_CS_FLAGS_MULTI_CS, 8, 0x30, 0x34,
	};
	static const uint64_t addrs[] = { 0, 0x1000, ~0ull };
	unsigned int i, j;

	for (i = 0; i < sizeof(more) / sizeof(more[0]); i++)
		for (j = 0; j < 3; j++)
			step(WAIT(.addr = addrs[j],
				  .target = 1,
				  .interrupt_timeout_us = 1000,
				  .flags = HL_WAIT_CS_FLAGS_INTERRUPT |
					   more[i]), "interrupt %#x at %#llx",
			     more[i], (unsigned long long)addrs[j]);
	for (i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
		if (!(more[i] & 0x30))
			continue;
		step(WAIT(.seq = 0, .flags = more[i]), "without its flag %#x",
		     more[i]);
	}
}

static void on_alarm(int sig)
{
	(void)sig;
}

/* A signal that comes while we wait; with and without restart. */
static void interrupted(int flags, const char *what, uint64_t seq, bool many)
{
	struct sigaction act = { .sa_handler = on_alarm, .sa_flags = flags };
	struct itimerval soon = { .it_value = { 0, 300000 } }, off = { 0 };

	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	if (many)
		multi(&seq, 1, 60000000, what);
	else
		wait_for(seq, 60000000, what);
	setitimer(ITIMER_REAL, &off, NULL);
}

static void signals_script(void)
{
	struct gt_cb block = cb_block("block");
	uint64_t a = submit_one(0, &block, 0, "A");

	interrupted(0, "interrupted", a, false);
	interrupted(SA_RESTART, "interrupted, restart", a, false);
	interrupted(0, "interrupted, of many", a, true);
	interrupted(SA_RESTART, "interrupted, restart, of many", a, true);
	unblock(0, "let it go on");
	wait_for(a, 5000000, "A ends");
}

struct waiter {
	pthread_t thread;
	uint64_t seq, timeout;
	bool many;
	int rc;
	union hl_wait_cs_args args;
};

static void *waiter_thread(void *arg)
{
	struct waiter *w = arg;

	w->args = (union hl_wait_cs_args){ .in = {
		.seq = w->many ? PTR(&w->seq) : w->seq,
		.timeout_us = w->timeout, .seq_arr_len = w->many,
		.flags = w->many ? HL_WAIT_CS_FLAGS_MULTI_CS : 0 } };
	w->rc = gt_ioctl(fd, DRM_IOCTL_HL_WAIT_CS, &w->args);
	return NULL;
}

static void wait_together(uint64_t seq, unsigned int num, bool many,
			  const char *what)
{
	struct waiter w[16];
	unsigned int i, done = 0, busy = 0, refused = 0;

	for (i = 0; i < num; i++) {
		w[i] = (struct waiter){ .seq = seq, .timeout = 10000000,
					.many = many };
		pthread_create(&w[i].thread, NULL, waiter_thread, &w[i]);
	}
	usleep(500000);
	unblock(0, what);
	for (i = 0; i < num; i++) {
		pthread_join(w[i].thread, NULL);
		if (w[i].rc)
			refused++;
		else if (w[i].args.out.status == HL_WAIT_CS_STATUS_COMPLETED)
			done++;
		else
			busy++;
	}
	say("waiters", "%u done, %u busy, %u refused", done, busy, refused);
}

static void together_script(void)
{
	struct gt_cb block = cb_block("block");

	wait_together(submit_one(0, &block, 0, "A"), 8, false, "eight");
	wait_together(submit_one(0, &block, 0, "B"), 2, true, "two of many");
}

/* More waiters at once than mainline has room for: see the table. */
static void together_many_script(void)
{
	struct gt_cb block = cb_block("block");

	wait_together(submit_one(0, &block, 0, "A"), 8, true, "eight of many");
}

static uint64_t stuck(uint32_t queue, uint32_t flags, uint32_t seconds,
		      struct gt_cb *cb, const char *what)
{
	struct hl_cs_chunk c = { .cb_handle = cb->handle, .cb_size = cb->len,
				 .queue_index = queue };
	union hl_cs_args args = { .in = {
		.chunks_execute = PTR(&c), .num_chunks_execute = 1,
		.cs_flags = flags | HL_CS_FLAGS_CUSTOM_TIMEOUT,
		.timeout = seconds } };

	return step(&args, DRM_IOCTL_HL_CS, "%s", what) ? 0 : args.out.seq;
}

static void timeout_event(const char *what)
{
	struct hl_info_cs_timeout_event ev = { 0 };
	int rc = gt_info(fd, HL_INFO_CS_TIMEOUT_EVENT, &ev, sizeof(ev));

	say(what, "%s seq %llu %s", errname(rc), (unsigned long long)ev.seq,
	    ev.timestamp ? "with a time" : "no time");
}

/* Timeouts that only report: the card and its user go on. */
static void skip_script(void)
{
	struct gt_cb block = cb_block("block"), cb = cb_new(4096, "buffer");
	int efd = eventfd(0, EFD_NONBLOCK);
	uint64_t a, b, count = 0;

	cb.len = gt_pkt_nop(cb.map, 0);
	say("eventfd", "%s", errname(gt_ioctl(fd, DRM_IOCTL_HL_INFO,
	    &(struct hl_info_args){ .op = HL_INFO_REGISTER_EVENTFD,
				    .eventfd = efd })));
	timeout_event("no timeout yet");
	a = stuck(0, HL_CS_FLAGS_SKIP_RESET_ON_TIMEOUT |
		  HL_CS_FLAGS_TIMESTAMP, 1, &block, "A, 1 s");
	b = stuck(0, HL_CS_FLAGS_SKIP_RESET_ON_TIMEOUT, 1, &cb,
		  "B behind it, 1 s");
	sleep(4);
	say_events("told");
	say_events("told once");
	say("eventfd counts", "%s", read(efd, &count, 8) == 8 ? "some" :
	    "none");
	timeout_event("the first");
	wait_for(a, 0, "A, poll");
	wait_for(b, 0, "B, poll");
	unblock(0, "let A go on");
	wait_for(a, 5000000, "A");
	wait_for(b, 5000000, "B");
	wait_for(a, 0, "A again");
	timeout_event("still the first");
	a = stuck(0, HL_CS_FLAGS_SKIP_RESET_ON_TIMEOUT, 1, &block, "C, 1 s");
	sleep(3);
	say_events("told of C, or not");
	timeout_event("the first remains");
	unblock(0, "let C go on");
	wait_for(a, 5000000, "C");
	/* A long timeout, and the longest. */
	a = stuck(0, 0, 0x7fffffff, &cb, "timeout 0x7fffffff");
	wait_for(a, 5000000, "it");
}

/* The card is reset, and the user with it. */
static void timeout_script(void)
{
	struct gt_cb block = cb_block("block");
	uint64_t a;

	a = stuck(0, 0, 1, &block, "A, 1 s");
	wait_for(a, 20000000, "A");
	sleep(20);
	say("alive", "yes");
}

/* A user with an eventfd gets the time to look. */
static void timeout_told_script(void)
{
	struct gt_cb block = cb_block("block"), cb = cb_new(4096, "buffer");
	int efd = eventfd(0, EFD_NONBLOCK);
	char *p = gt_alloc(4096);
	uint64_t a, va, count = 0;

	cb.len = gt_pkt_nop(cb.map, 0);
	say("eventfd", "%s", errname(gt_ioctl(fd, DRM_IOCTL_HL_INFO,
	    &(struct hl_info_args){ .op = HL_INFO_REGISTER_EVENTFD,
				    .eventfd = efd })));
	a = stuck(0, 0, 1, &block, "A, 1 s");
	wait_for(a, 20000000, "A");
	say("eventfd counts", "%s", read(efd, &count, 8) == 8 ? "some" :
	    "none");
	say_events("told");
	timeout_event("the timeout");
	wait_for(a, 0, "A again");
	submit_one(1, &cb, 0, "another submission");
	wait_for(a, 0, "A at last");
	say("map", "%s", errname(gt_map_host(fd, p, 4096, &va)));
	step(CB(.op = HL_CB_OP_CREATE, .cb_size = 4096), "create");
	step(CS(.cs_flags = HL_CS_FLAGS_FLUSH_PCI_HBW_WRITES), "flush");
	/* The close makes the reset. */
}

/* A queue's undefined opcode, by an internal queue. */
static void opcode_script(void)
{
	struct hl_info_undefined_opcode_event ev = { 0 };
	struct gt_cb cb = cb_new(4096, "buffer");
	char *p = gt_alloc(4096);
	int efd = eventfd(0, EFD_NONBLOCK);
	struct hl_cs_chunk c[2] = {
		{ .cb_handle = cb.handle, .cb_size = 8, .queue_index = 1 },
		{ .queue_index = GAUDI_QUEUE_ID_DMA_2_1, .cb_size = 8 },
	};
	uint64_t va, a;
	int i, rc;

	cb.len = gt_pkt_nop(cb.map, 0);
	gt_pkt_raw(p, 0x0e, 2);
	gt_ioctl(fd, DRM_IOCTL_HL_INFO, &(struct hl_info_args){
		.op = HL_INFO_REGISTER_EVENTFD, .eventfd = efd });
	if (gt_map_host(fd, p, 4096, &va))
		give_up("map");
	c[1].cb_handle = va;
	a = submit(c, 2, 0, "two jobs, the second bad");
	wait_ended(a, "wait");
	for (i = 0; i < 100; i++) {
		rc = gt_info(fd, HL_INFO_UNDEFINED_OPCODE_EVENT, &ev,
			     sizeof(ev));
		if (rc || ev.timestamp)
			break;
		usleep(50000);
	}
	/* The record is there a moment before the news of it. */
	poll(&(struct pollfd){ .fd = efd, .events = POLLIN }, 1, 20000);
	say("record", "%s engine %u stream %u cq %s size %u len %u %s",
	    errname(rc), ev.engine_id, ev.stream_id,
	    ev.cq_addr == va ? "ours" : "another", ev.cq_size,
	    ev.cb_addr_streams_len, ev.timestamp ? "time" : "no time");
	say_events("told");
	a = submit_one(2, &cb, 0, "another queue");
	wait_for(a, 5000000, "which works");
	gt_info(fd, HL_INFO_UNDEFINED_OPCODE_EVENT, &ev, sizeof(ev));
	say("record again", "%s", ev.timestamp ? "time" : "no time");
}

/* A read of what nobody mapped, and a write to what users may not reach. */
static void fault_script(uint64_t src, uint64_t dst, const char *what)
{
	struct hl_page_fault_info pf = { 0 };
	struct hl_info_razwi_event rz = { 0 };
	struct gt_cb cb = cb_new(4096, "buffer");
	int efd = eventfd(0, EFD_NONBLOCK), i;
	struct hl_user_mapping maps[8] = { { 0 } };
	struct hl_info_args args = {
		.op = HL_INFO_USER_MAPPINGS, .return_pointer = PTR(maps),
		.return_size = sizeof(maps),
	};
	char *p = gt_alloc(8192);
	uint64_t va, a;
	int rc;

	madvise(p, 8192, MADV_NOHUGEPAGE);
	gt_ioctl(fd, DRM_IOCTL_HL_INFO, &(struct hl_info_args){
		.op = HL_INFO_REGISTER_EVENTFD, .eventfd = efd });
	say("map", "%s", errname(gt_map_host(fd, p, 8192, &va)));
	cb.len = gt_pkt_lin_dma(cb.map, src, dst, 4096, 0);
	a = submit_one(0, &cb, 0, what);
	wait_for(a, 1000000, "wait");
	for (i = 0; i < 60 && !pf.timestamp && !rz.timestamp; i++) {
		gt_info(fd, HL_INFO_PAGE_FAULT_EVENT, &pf, sizeof(pf));
		gt_info(fd, HL_INFO_RAZWI_EVENT, &rz, sizeof(rz));
		usleep(50000);
	}
	/* The other one, and the news of both, on a busy machine. */
	sleep(2);
	gt_info(fd, HL_INFO_PAGE_FAULT_EVENT, &pf, sizeof(pf));
	gt_info(fd, HL_INFO_RAZWI_EVENT, &rz, sizeof(rz));
	say("page fault", "%s at %#llx engine %#x",
	    pf.timestamp ? "time" : "none", (unsigned long long)pf.addr,
	    pf.engine_id);
	say("razwi", "%s at %#llx engines %u: %#x %#x flags %#x",
	    rz.timestamp ? "time" : "none", (unsigned long long)rz.addr,
	    rz.num_of_possible_engines, rz.engine_id[0], rz.engine_id[1],
	    rz.flags);
	rc = gt_ioctl(fd, DRM_IOCTL_HL_INFO, &args);
	say("mappings", "%s %u: %#llx +%#llx", errname(rc), args.array_size,
	    (unsigned long long)maps[0].dev_va,
	    (unsigned long long)maps[0].size);
	args.return_size = 8;
	rc = gt_ioctl(fd, DRM_IOCTL_HL_INFO, &args);
	say("mappings, too small", "%s %u", errname(rc), args.array_size);
	say_events("told");
}

static void page_fault_script(void)
{
	fault_script(0x1000300000000ull, 0x20000000, "read of nothing");
}

static void razwi_script(void)
{
	fault_script(0x20000000, CFG_BASE + 0x4a0000, "write to registers");
}

const struct script s_wait[] = {
	{ "wait", wait_script, true },
	{ "wait-multi", multi_script, true },
	{ "wait-interrupt", interrupt_script, true },
	{ "wait-signals", signals_script, true },
	{ "wait-together", together_script, true },
	{ "wait-together-many", together_many_script, true },
	{ "timeout-skip", skip_script, true },
	{ "timeout", timeout_script, true },
	{ "timeout-told", timeout_told_script, true },
	{ "event-opcode", opcode_script, true },
	{ "event-page-fault", page_fault_script, true },
	{ "event-razwi", razwi_script, true },
	{ .name = NULL },
};
