// SPDX-License-Identifier: GPL-2.0-only
/* CS: chunks, queues, packets, flags, staged submission. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "steps.h"

#define NUM_QUEUE_IDS	120
#define SRAM_USER	0x7ff0010000ull
#define HBM_USER	0x20000000ull

static void chunk(struct hl_cs_chunk *c, const char *what)
{
	uint64_t seq = submit(c, 1, 0, what);
	char name[128];

	if (!seq)
		return;
	snprintf(name, sizeof(name), "%s, wait", what);
	wait_for(seq, 5000000, name);
}

static void chunks_script(void)
{
	static const uint32_t sizes[] = { 0, 1, 4, 7, 8, 9, 12, 15, 16, 4088,
					  4095, 4096, 4097, 0x7fffffff,
					  0xffffffff };
	struct gt_cb cb = cb_new(4096, "buffer");
	struct hl_cs_chunk c = { .cb_handle = cb.handle, .cb_size = 8 };
	char what[64];
	unsigned int i;

	for (i = 0; i < 4096; i += 8)
		gt_pkt_nop((char *)cb.map + i, 0);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		snprintf(what, sizeof(what), "%#x bytes", sizes[i]);
		c.cb_size = sizes[i];
		chunk(&c, what);
	}
	c.cb_size = 8;
	c.cs_chunk_flags = HL_CS_CHUNK_FLAGS_USER_ALLOC_CB;
	chunk(&c, "USER_ALLOC_CB");
	c.cs_chunk_flags = ~1u;
	chunk(&c, "unknown chunk flags");
	c.cs_chunk_flags = 0;
	memset(c.pad, 0xff, sizeof(c.pad));
	chunk(&c, "pad");
	memset(c.pad, 0, sizeof(c.pad));
	c.collective_engine_id = 5;
	chunk(&c, "collective engine");
	c.cb_handle = 0;
	chunk(&c, "handle 0");
	c.cb_handle = cb.handle + 1;
	chunk(&c, "handle with low bits");
	c.cb_handle = ~0ull;
	chunk(&c, "handle -1");
	c.cb_handle = cb.handle + 4096;
	chunk(&c, "the next handle");
	say_drops("refused");
	step(CB(.op = HL_CB_OP_DESTROY, .cb_handle = cb.handle), "destroy");
	c.cb_handle = cb.handle;
	chunk(&c, "handle of a destroyed one");
	say_drops("refused then");
}

static void queues_script(void)
{
	struct gt_cb cb = cb_new(4096, "buffer");
	struct hl_cs_chunk c = { .cb_handle = cb.handle, .cb_size = 8 };
	static const uint32_t far[] = { 200, 255, 256, 0x10000, 0x7fffffff,
					0x80000000, 0xffffffff };
	char what[64];
	unsigned int i;

	gt_pkt_nop(cb.map, 0);
	for (i = 0; i < NUM_QUEUE_IDS; i++) {
		c.queue_index = i;
		snprintf(what, sizeof(what), "queue %u", i);
		chunk(&c, what);
	}
	for (i = 0; i < sizeof(far) / sizeof(far[0]); i++) {
		c.queue_index = far[i];
		snprintf(what, sizeof(what), "queue %#x", far[i]);
		chunk(&c, what);
	}
	say_drops("refused");
}

/* Until a page fault has been logged: it is recorded after that. */
static void wait_page_fault(void)
{
	struct hl_page_fault_info pf = { 0 };
	int i;

	for (i = 0; i < 600 && !pf.timestamp; i++) {
		if (i)
			usleep(50000);
		gt_info(fd, HL_INFO_PAGE_FAULT_EVENT, &pf, sizeof(pf));
	}
	say("page fault", "%s", pf.timestamp ? "recorded" : "none");
}

/* Addresses that internal queues may read; beside a job that completes. There are no
 * packets at them, so each has a stream of its own, which may stop. The last one is
 * mapped nowhere, and its submission may end before that is known.
 */
static void internal_script(void)
{
	static const struct {
		uint64_t addr;
		uint32_t size;
	} places[] = {
		{ SRAM_USER, 0 }, { SRAM_BASE, 8 }, { SRAM_USER - 8, 8 },
		{ SRAM_USER - 8, 16 }, { 0x7ff13ffff8, 8 },
		{ 0x7ff13ffff8, 16 }, { 0x7ff1400000, 8 },
		{ HBM_USER - 8, 8 }, { 0, 8 }, { 8, 8 },
		{ 0x7fffffff8, 16 }, { 0x800000000, 8 }, { CFG_BASE, 8 },
		{ 0xfffffffff8, 8 }, { 0xfffffffffffffff8, 8 },
		{ 0xfffffffffffffff8, 16 }, { 0x1000000000000 - 8, 8 },
		{ 0x1fffffffffff8, 8 }, { 0x2000000000000, 8 },
		{ SRAM_USER, 0xffffffff }, { HBM_USER, 0xffffffff },
		{ 0x8000000000, 8 },
	};
	struct gt_cb cb = cb_new(4096, "buffer");
	struct hl_cs_chunk c[2] = {
		{ .queue_index = GAUDI_QUEUE_ID_TPC_0_0 },
		{ .cb_handle = cb.handle, .cb_size = 8 },
	};
	char what[64];
	unsigned int i;
	uint64_t seq;

	gt_pkt_nop(cb.map, 0);
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		c[0].cb_handle = places[i].addr;
		c[0].cb_size = places[i].size;
		snprintf(what, sizeof(what), "%u at %#llx", places[i].size,
			 (unsigned long long)places[i].addr);
		seq = submit(c, 2, 0, what);
		if (seq)
			wait_ended(seq, "wait");
		c[0].queue_index++;
	}
	wait_page_fault();
	say_drops("refused");
	/* Alone it would never end. */
	c[0].cb_handle = SRAM_USER;
	c[0].cb_size = 8;
	submit(c, 1, 0, "internal alone");
	submit(c, 1, HL_CS_FLAGS_STAGED_SUBMISSION |
	       HL_CS_FLAGS_STAGED_SUBMISSION_FIRST |
	       HL_CS_FLAGS_STAGED_SUBMISSION_LAST, "alone, first and last");
	say_drops("refused then");
}

/* A job of an internal queue that runs NOPs from mapped host memory. */
static void internal_runs_script(void)
{
	struct gt_cb cb = cb_new(4096, "buffer");
	char *p = gt_alloc(4096);
	struct hl_cs_chunk c[4] = {
		{ .queue_index = GAUDI_QUEUE_ID_DMA_2_0, .cb_size = 64 },
		{ .cb_handle = cb.handle, .cb_size = 8 },
		{ .queue_index = GAUDI_QUEUE_ID_TPC_0_0, .cb_size = 64 },
		{ .queue_index = GAUDI_QUEUE_ID_MME_0_0, .cb_size = 64 },
	};
	struct hl_info_hw_idle idle;
	uint64_t va, seq;
	unsigned int i;

	madvise(p, 4096, MADV_NOHUGEPAGE);
	gt_pkt_nop(cb.map, 0);
	for (i = 0; i < 4096; i += 8)
		gt_pkt_nop(p + i, 0);
	if (gt_map_host(fd, p, 4096, &va))
		give_up("map");
	c[0].cb_handle = va;
	c[2].cb_handle = va;
	c[3].cb_handle = va;
	seq = submit(c, 4, 0, "three internal queues");
	wait_for(seq, 5000000, "wait");
	seq = submit(c, 2, HL_CS_FLAGS_TIMESTAMP, "with a time");
	wait_for(seq, 5000000, "wait with a time");
	for (i = 0; i < 200; i++) {
		if (gt_info(fd, HL_INFO_HW_IDLE, &idle, sizeof(idle)) ||
		    idle.is_idle)
			break;
		usleep(50000);
	}
	step(&(struct hl_info_args){ .op = HL_INFO_HW_IDLE,
	     .return_pointer = PTR(p), .return_size = 40 }, DRM_IOCTL_HL_INFO,
	     "idle");
	say("idle or not", "%u %#x", *(uint32_t *)p, *(uint32_t *)(p + 4));
}

/* The packet at the start, cut off by the end of the buffer; then a NOP. */
static void cut_packet(struct gt_cb *cb, uint32_t bytes, const char *name)
{
	char what[64], waits[64];
	uint64_t seq;
	uint32_t dw;

	gt_pkt_nop((char *)cb->map + bytes, 0);
	snprintf(waits, sizeof(waits), "%s: wait", name);
	for (dw = 1; dw <= bytes / 4 + 1; dw++) {
		cb->len = dw * 4;
		snprintf(what, sizeof(what), "%s in %u dwords", name, dw);
		seq = submit_one(1, cb, 0, what);
		if (seq)
			wait_for(seq, 5000000, waits);
	}
}

static void cut_packets(struct gt_cb *cb)
{
	gt_pkt_lin_dma(cb->map, HBM_USER, HBM_USER + 4096, 64, 0);
	cut_packet(cb, 24, "DMA");
	gt_pkt_msg_long(cb->map, SOB_E_N(200), 0, 0);
	cut_packet(cb, 16, "message");
}

/* Each opcode alone, cut off, and after another packet. */
static void packets_script(void)
{
	struct gt_cb cb = cb_new(4096, "buffer");
	char what[64], *p = cb.map;
	uint64_t seq;
	uint32_t op, dw;

	for (op = 0; op < 32; op++) {
		/* A fence waits, a DMA of 0 bytes is an error; see below. */
		if (op == 0x08 || op == 0x09 || op == 0x07)
			continue;
		for (dw = 2; dw <= 6; dw += 2) {
			uint32_t i, head[2] = { 0, op << 24 };

			for (i = 0; i < 64; i += 8)
				gt_pkt_nop(p + i, 0);
			/* A message to a SOB that nobody looks at. */
			if (op == 0x03)
				gt_pkt_msg_long(p, SOB_E_N(200), 0, 0);
			else if (op == 0x0f || op == 0x01 || op == 0x04 ||
				 op == 0x0c)
				memset(p + 8, 0, 16);
			if (op != 0x03)
				memcpy(p, head, 8);
			/* What runs is left out: it would do something. */
			if ((op == 0x01 || op == 0x04 || op == 0x0f) && dw != 2)
				continue;
			cb.len = dw * 4;
			snprintf(what, sizeof(what), "packet %#x in %u dwords",
				 op, dw);
			if (op == 0x01 || op == 0x04 || op == 0x0c)
				continue;
			seq = submit_one(1, &cb, 0, what);
			if (seq)
				wait_for(seq, 5000000, "its wait");
		}
	}
	say_drops("refused");
	cut_packets(&cb);
	/* A forbidden packet behind allowed ones. */
	for (op = 0; op < 32; op++) {
		cb.len = gt_pkt_nop(p, 0);
		cb.len += gt_pkt_raw(p + cb.len, op, 6);
		if (op != 0x02 && op != 0x05 && op != 0x07 && op != 0x0b &&
		    op != 0x0d && op != 0x0e && op < 0x10)
			continue;
		snprintf(what, sizeof(what), "NOP, then %#x", op);
		submit_one(1, &cb, 0, what);
	}
	/* LOAD_AND_EXE into the command processor. */
	cb.len = gt_pkt_raw(p, 0x0f, 4);
	*(uint32_t *)p = 1;
	submit_one(1, &cb, 0, "LOAD_AND_EXE with DST");
	say_drops("refused then");
}

/* Chunks that reach over the end of what is mapped. */
static void over_the_end(const struct hl_cs_chunk *c)
{
	char *two = gt_alloc(8192);

	munmap(two + 4096, 4096);
	memcpy(two + 4096 - 64, c, 64);
	step(CS(.chunks_execute = PTR(two + 4096 - 64),
		.num_chunks_execute = 1), "the last 64 bytes");
	step(CS(.chunks_execute = PTR(two + 4096 - 64),
		.num_chunks_execute = 2), "over the end");
	step(CS(.chunks_execute = PTR(two + 4096 - 32),
		.num_chunks_execute = 1), "half over the end");
}

static void arguments_script(void)
{
	struct gt_cb cb = cb_new(4096, "buffer");
	struct hl_cs_chunk *c = calloc(1024, sizeof(*c));
	union hl_cs_args args;
	unsigned int i;
	uint64_t seq;

	gt_pkt_nop(cb.map, 0);
	for (i = 0; i < 1024; i++)
		c[i] = (struct hl_cs_chunk){ .cb_handle = cb.handle,
					     .cb_size = 8,
					     .queue_index = i % 8 };
	step(CS(.chunks_execute = 0), "nothing");
	step(CS(.chunks_execute = 0, .num_chunks_execute = 1), "null chunks");
	step(CS(.chunks_execute = 0x1000, .num_chunks_execute = 1),
	     "chunks nowhere");
	step(CS(.chunks_execute = ~0ull, .num_chunks_execute = 1),
	     "chunks at -1");
	step(CS(.chunks_execute = 0xffff888000000000, .num_chunks_execute = 2),
	     "chunks in the kernel");
	step(CS(.chunks_execute = PTR(c), .num_chunks_execute = 513),
	     "513 chunks");
	step(CS(.chunks_execute = PTR(c), .num_chunks_execute = ~0u),
	     "-1 chunks");
	for (i = 0; i < 4; i++) {
		memset(&args, 0, sizeof(args));
		args.in.chunks_execute = PTR(c);
		args.in.num_chunks_execute = 1;
		args.in.pad[i] = 1;
		step(&args, DRM_IOCTL_HL_CS, "pad %u", i);
	}
	say_drops("refused");
	seq = submit(c, 512, 0, "512 chunks");
	wait_for(seq, 20000000, "512 chunks end");
	seq = submit((struct hl_cs_chunk *)((char *)memcpy(&c[1000], c, 64)
					    + 0), 1, 0, "one at the end");
	wait_for(seq, 5000000, "wait");
	memmove((char *)c + 1, c, 64);
	seq = submit((void *)((char *)c + 1), 1, 0, "at an odd address");
	wait_for(seq, 5000000, "odd: wait");
	memmove(c, (char *)c + 1, 64);
	step(CS(.chunks_execute = PTR(c), .num_chunks_execute = 1,
		.ctx_id = 9), "context id");
	step(CS(.chunks_execute = PTR(c), .num_chunks_execute = 1,
		.seq = 77), "a sequence number for nothing");
	step(CS(.chunks_execute = PTR(c), .num_chunks_execute = 1,
		.timeout = 5), "a timeout without its flag");
	step(CS(.chunks_execute = PTR(c), .num_chunks_execute = 1,
		.num_chunks_restore = 5), "restore chunks without the flag");
	over_the_end(c);
	say_drops("refused then");
}

/* Each single bit, then pairs of types. */
static void flags_script(void)
{
	struct gt_cb cb = cb_new(4096, "buffer");
	struct hl_cs_chunk c = { .cb_handle = cb.handle, .cb_size = 8 };
	unsigned int i, j;

	gt_pkt_nop(cb.map, 0);
	for (i = 0; i < 32; i++) {
		step(CS(.chunks_execute = PTR(&c), .num_chunks_execute = 1,
			.cs_flags = 1u << i, .timeout = 100), "flag %u", i);
		/* A submission that is not finished would fail this card. */
		if (i == 6)
			step(CS(.chunks_execute = PTR(&c),
				.num_chunks_execute = 1, .cs_flags = 0x1c0),
			     "flags 6 to 8");
		step(CS(.chunks_execute = 0, .num_chunks_execute = 0,
			.cs_flags = 1u << i), "flag %u, no chunks", i);
		if (i != 6 && i != 7 && i != 8)
			step(CS(.chunks_execute = PTR(&c),
				.num_chunks_execute = 2, .cs_flags = 1u << i,
				.timeout = 100), "flag %u, 2 chunks, bad", i);
	}
	for (i = 0; i < 17; i++)
		for (j = i + 1; j < 17; j++) {
			uint32_t flags = 1u << i | 1u << j;

			/* Opens a staged submission: see its script. */
			if (flags & 0x40)
				continue;
			step(CS(.chunks_execute = PTR(&c),
				.num_chunks_execute = 1, .cs_flags = flags,
				.timeout = 100, .seq = 3), "flags %#x", flags);
		}
	step(CS(.chunks_execute = PTR(&c), .num_chunks_execute = 1,
		.cs_flags = ~0u), "all flags");
	step(CS(.chunks_execute = PTR(&c), .num_chunks_execute = 1,
		.cs_flags = 0xfffe0000), "all unknown flags");
	say_drops("refused");
	wait_for(submit(&c, 1, 0, "the last"), 30000000, "all have ended");
}

static void restore_script(void)
{
	struct gt_cb cb = cb_new(4096, "buffer");
	struct hl_cs_chunk c = { .cb_handle = cb.handle, .cb_size = 8 };
	struct hl_cs_chunk b = { .cb_handle = 0, .cb_size = 8 };
	const uint32_t f = HL_CS_FLAGS_FORCE_RESTORE;
	uint64_t seq;

	gt_pkt_nop(cb.map, 0);
	step(CS(.chunks_restore = PTR(&c), .num_chunks_restore = 1,
		.chunks_execute = PTR(&c), .num_chunks_execute = 1,
		.cs_flags = f), "restore, execute");
	wait_for(2, 5000000, "the second of two");
	step(CS(.chunks_restore = PTR(&c), .num_chunks_restore = 1,
		.cs_flags = f), "restore only");
	step(CS(.chunks_execute = PTR(&c), .num_chunks_execute = 1,
		.cs_flags = f), "execute only, with the flag");
	step(CS(.chunks_restore = PTR(&b), .num_chunks_restore = 1,
		.chunks_execute = PTR(&c), .num_chunks_execute = 1,
		.cs_flags = f), "bad restore");
	step(CS(.chunks_restore = PTR(&c), .num_chunks_restore = 1,
		.chunks_execute = PTR(&b), .num_chunks_execute = 1,
		.cs_flags = f), "bad execute");
	step(CS(.chunks_restore = 0, .num_chunks_restore = 1,
		.chunks_execute = PTR(&c), .num_chunks_execute = 1,
		.cs_flags = f), "null restore");
	step(CS(.chunks_restore = PTR(&c), .num_chunks_restore = 513,
		.chunks_execute = PTR(&c), .num_chunks_execute = 1,
		.cs_flags = f), "513 to restore");
	step(CS(.chunks_restore = PTR(&c), .num_chunks_restore = 1,
		.chunks_execute = PTR(&c), .num_chunks_execute = 1,
		.cs_flags = f | HL_CS_FLAGS_SIGNAL), "restore, signal");
	step(CS(.chunks_restore = PTR(&c), .num_chunks_restore = 1,
		.chunks_execute = PTR(&c), .num_chunks_execute = 1,
		.cs_flags = f | HL_CS_FLAGS_FLUSH_PCI_HBW_WRITES),
	     "restore, flush");
	step(CS(.chunks_restore = PTR(&c), .num_chunks_restore = 1,
		.chunks_execute = PTR(&c), .num_chunks_execute = 1,
		.cs_flags = f | HL_CS_FLAGS_ENGINE_CORE_COMMAND),
	     "restore, engine cores");
	step(CS(.chunks_restore = PTR(&c), .num_chunks_restore = 1,
		.chunks_execute = PTR(&c), .num_chunks_execute = 1,
		.cs_flags = f | HL_CS_FLAGS_TIMESTAMP), "restore, time");
	seq = submit(&c, 1, 0, "what number is next");
	wait_for(seq, 5000000, "wait");
	say_drops("refused");
}

#define STAGED	HL_CS_FLAGS_STAGED_SUBMISSION
#define FIRST	(STAGED | HL_CS_FLAGS_STAGED_SUBMISSION_FIRST)
#define LAST	(STAGED | HL_CS_FLAGS_STAGED_SUBMISSION_LAST)

static uint64_t part(uint32_t queue, const struct gt_cb *cb, uint64_t seq,
		     uint32_t flags, const char *what)
{
	struct hl_cs_chunk c = { .cb_handle = cb->handle, .cb_size = cb->len,
				 .queue_index = queue };
	union hl_cs_args args = { .in = {
		.chunks_execute = PTR(&c), .num_chunks_execute = 1,
		.cs_flags = flags, .seq = seq, .timeout = 100 } };

	return step(&args, DRM_IOCTL_HL_CS, "%s", what) ? 0 : args.out.seq;
}

static void staged_script(void)
{
	struct gt_cb cb = cb_new(4096, "buffer"), block = cb_block("block");
	uint64_t a, b;

	cb.len = gt_pkt_nop(cb.map, 0);
	part(0, &cb, 1, STAGED, "the middle of nothing");
	part(0, &cb, 1, LAST, "the end of nothing");
	part(0, &cb, ~0ull, LAST, "the end of -1");
	a = part(0, &cb, 0, FIRST | LAST, "first and last");
	wait_for(a, 5000000, "first and last end");
	part(0, &cb, a, LAST, "the end of what ended");
	a = part(0, &block, 0, FIRST, "first");
	wait_for(a, 0, "poll it");
	part(1, &cb, a, STAGED, "middle");
	part(1, &cb, a + 1, STAGED, "middle of a middle");
	b = submit_one(2, &cb, 0, "another submission meanwhile");
	wait_for(b, 5000000, "which ends");
	part(2, &cb, a, STAGED | HL_CS_FLAGS_TIMESTAMP, "middle with a time");
	part(2, &cb, b, STAGED, "middle of one that is not staged");
	part(2, &cb, a, LAST, "last");
	part(2, &cb, a, STAGED, "middle after the last");
	part(2, &cb, a, LAST, "last after the last");
	/* What is going to end has ended by then. */
	sleep(2);
	wait_for(a, 0, "poll the first");
	wait_for(a + 1, 0, "poll the middle");
	unblock(0, "let it go on");
	wait_for(a, 5000000, "it ends");
	wait_for(a + 1, 5000000, "the middle ends");
	say_drops("refused");
	a = part(0, &block, 77, FIRST | HL_CS_FLAGS_TIMESTAMP,
		 "first with a number and a time");
	part(0, &cb, a, LAST | HL_CS_FLAGS_TIMESTAMP, "last with a time");
	unblock(0, "let the second go on");
	wait_for(a, 5000000, "it has a time");
	a = part(0, &cb, 0, FIRST | HL_CS_FLAGS_CUSTOM_TIMEOUT |
		 HL_CS_FLAGS_SKIP_RESET_ON_TIMEOUT, "first, own timeout");
	part(0, &cb, a, LAST | HL_CS_FLAGS_CUSTOM_TIMEOUT, "last, own timeout");
	wait_for(a, 5000000, "ends in time");
	/* Two at once. */
	a = part(0, &cb, 0, FIRST, "first of A");
	b = part(1, &cb, 0, FIRST, "first of B");
	part(2, &cb, b, LAST, "last of B");
	wait_for(b, 5000000, "B ends");
	wait_for(a, 0, "A does not");
	part(2, &cb, a, LAST, "last of A");
	wait_for(a, 5000000, "A ends");
	/* Nonsense of flags. */
	part(0, &cb, a, HL_CS_FLAGS_STAGED_SUBMISSION_FIRST, "FIRST alone");
	part(0, &cb, a, HL_CS_FLAGS_STAGED_SUBMISSION_LAST, "LAST alone");
	part(0, &cb, a, STAGED | HL_CS_FLAGS_SIGNAL, "staged signal");
	part(0, &cb, 55, STAGED | HL_CS_FLAGS_FLUSH_PCI_HBW_WRITES,
	     "staged flush");
	part(0, &cb, 55, STAGED | HL_CS_FLAGS_ENGINE_CORE_COMMAND,
	     "staged engine core");
	part(0, &cb, 55, FIRST | LAST | HL_CS_FLAGS_SIGNAL,
	     "first, last and signal");
	/* At the close nothing may be left, or it means a reset. */
	b = submit_one(0, &cb, 0, "behind all of it");
	wait_for(b, 5000000, "all of it has ended");
	say_drops("refused then");
}

/* One whose first part is its last as well. */
static void staged_whole_script(void)
{
	struct gt_cb cb = cb_new(4096, "buffer"), block = cb_block("block");
	uint64_t a;

	cb.len = gt_pkt_nop(cb.map, 0);
	a = part(0, &block, 0, FIRST | LAST, "first and last, blocked");
	part(1, &cb, a, STAGED, "middle of a whole one");
	part(1, &cb, a, LAST, "last of a whole one");
	wait_for(a, 0, "the whole one has not ended");
	unblock(0, "let the whole one go on");
	wait_for(a, 5000000, "the whole one ends");
	say_drops("refused");
}

/* A staged submission that never gets its last part. */
static void staged_open_script(void)
{
	struct gt_cb cb = cb_new(4096, "buffer");
	uint64_t a;

	cb.len = gt_pkt_nop(cb.map, 0);
	a = part(0, &cb, 0, FIRST, "first");
	part(1, &cb, a, STAGED, "middle");
	wait_for(a, 300000, "it does not end");
}

/* A part that is refused: is the rest usable? */
static void staged_bad_part_script(void)
{
	struct gt_cb cb = cb_new(4096, "buffer"), none = { 0 };
	uint64_t a;

	cb.len = gt_pkt_nop(cb.map, 0);
	none.len = 8;
	part(0, &none, 0, FIRST, "bad first");
	a = part(0, &cb, 0, FIRST, "first");
	part(0, &none, a, STAGED, "bad middle");
	part(0, &none, a, LAST, "bad last");
	part(99, &cb, a, LAST, "last on no queue");
	part(0, &cb, a, LAST, "last");
	wait_for(a, 5000000, "it ends");
	say_drops("refused");
}

static void engines_script(void)
{
	uint32_t list[4] = { 0, 1, 2, 3 };

	step(CS(.engine_cores = PTR(list), .num_engine_cores = 4,
		.core_command = HL_ENGINE_CORE_HALT,
		.cs_flags = HL_CS_FLAGS_ENGINE_CORE_COMMAND), "halt cores");
	step(CS(.engine_cores = 0, .num_engine_cores = 0, .core_command = 0,
		.cs_flags = HL_CS_FLAGS_ENGINE_CORE_COMMAND), "no cores");
	step(CS(.engine_cores = PTR(list), .num_engine_cores = 9999,
		.core_command = 77,
		.cs_flags = HL_CS_FLAGS_ENGINE_CORE_COMMAND), "many cores");
	step(CS(.engines = PTR(list), .num_engines = 4,
		.engine_command = HL_ENGINE_STALL,
		.cs_flags = HL_CS_FLAGS_ENGINES_COMMAND), "stall engines");
	step(CS(.engines = 0, .num_engines = 0, .engine_command = 0,
		.cs_flags = HL_CS_FLAGS_ENGINES_COMMAND), "no engines");
	step(CS(.cs_flags = HL_CS_FLAGS_FLUSH_PCI_HBW_WRITES), "flush");
	step(CS(.cs_flags = HL_CS_FLAGS_FLUSH_PCI_HBW_WRITES,
		.num_chunks_execute = 1), "flush with a chunk");
}

/*
 * Submits one chunk until it is refused, num times at most. Up to the sequence
 * number retry_to, EAGAIN only means later. Returns how many were taken; *rc
 * is why it ended, *last the number of the last one.
 */
static unsigned int submit_until_refused(const struct hl_cs_chunk *chunk,
					 unsigned int num, uint64_t retry_to,
					 uint64_t *last, int *rc)
{
	union hl_cs_args args;
	unsigned int i;

	for (i = 0; i < num; i++) {
		do {
			args = (union hl_cs_args){ .in = {
				.chunks_execute = PTR(chunk),
				.num_chunks_execute = 1 } };
			*rc = gt_ioctl(fd, DRM_IOCTL_HL_CS, &args);
			if (*rc == -EAGAIN && *last < retry_to)
				usleep(1000);
		} while (*rc == -EAGAIN && *last < retry_to);
		if (*rc)
			break;
		*last = args.out.seq;
	}
	return i;
}

/* A queue that is full, the usage count, and a buffer destroyed in use. */
static void full_script(void)
{
	struct gt_cb block = cb_block("block"), cb = cb_new(4096, "buffer");
	struct hl_cs_chunk c = { .cb_handle = cb.handle, .cb_size = 8 };
	uint64_t a, last = 0;
	unsigned int n;
	int rc;

	cb.len = gt_pkt_nop(cb.map, 0);
	a = submit_one(0, &block, 0, "block queue 0");
	n = submit_until_refused(&c, 6000, 0, &last, &rc);
	say("queue 0 takes", "%u, then %s, last %llu", n, errname(rc),
	    (unsigned long long)last);
	/* With EAGAIN the argument stays as it was. */
	step(CS(.chunks_execute = PTR(&c), .num_chunks_execute = 1),
	     "another");
	say_drops("refused");
	c.queue_index = 1;
	submit(&c, 1, 0, "on another queue");
	step(CB(.op = HL_CB_OP_INFO, .cb_handle = cb.handle), "usage");
	step(CB(.op = HL_CB_OP_DESTROY, .cb_handle = cb.handle),
	     "destroy in use");
	unblock(0, "let it go on");
	wait_for(a, 5000000, "the first ends");
	wait_for(last, 30000000, "the last ends");
}

/* 16 Ki submissions in flight: staged parts count as such. */
static void flight_script(void)
{
	struct gt_cb block = cb_block("block"), cb = cb_new(4096, "buffer");
	struct hl_cs_chunk c = { .cb_handle = cb.handle, .cb_size = 8,
				 .queue_index = 1 };
	uint64_t a, last = 0;
	int rc;

	cb.len = gt_pkt_nop(cb.map, 0);
	a = submit_one(0, &block, 0, "block queue 0");
	submit_until_refused(&c, 20000, 16000 + a, &last, &rc);
	say("while one waits", "%s, last %llu", errname(rc),
	    (unsigned long long)last);
	/* No message can go out any more: the close has to end it. */
}

/* More submissions than are remembered. */
static void gone_script(void)
{
	struct gt_cb cb = cb_new(4096, "buffer");
	uint64_t last[8] = { 0 };
	char what[32];
	unsigned int i;

	cb.len = gt_pkt_nop(cb.map, 0);
	for (i = 0; i < 16500; i++)
		if (gt_submit(fd, i % 8, &cb, &last[i % 8]))
			break;
	say("submissions", "%u", i);
	/* None is left at the close: that could mean a reset, or not. */
	for (i = 0; i < 8; i++) {
		snprintf(what, sizeof(what), "the last of queue %u", i);
		wait_for(last[i], 60000000, what);
	}
	wait_for(1, 0, "one that is long gone");
}

/* Several jobs of one CS on several queues; one of them waits. */
static void mixed_script(void)
{
	struct gt_cb block = cb_block("block"), cb = cb_new(4096, "buffer");
	struct hl_cs_chunk c[4] = {
		{ .cb_handle = cb.handle, .cb_size = 8, .queue_index = 1 },
		{ .cb_handle = block.handle, .cb_size = 8, .queue_index = 0 },
		{ .cb_handle = cb.handle, .cb_size = 8, .queue_index = 0 },
		{ .cb_handle = cb.handle, .cb_size = 8, .queue_index = 5 },
	};
	uint64_t a;

	cb.len = gt_pkt_nop(cb.map, 0);
	a = submit(c, 4, 0, "four jobs");
	wait_for(a, 300000, "it waits");
	unblock(0, "let it go on");
	wait_for(a, 5000000, "it ends");
	c[2].cb_handle = 0;
	submit(c, 4, 0, "the third is bad");
	c[2].cb_handle = cb.handle;
	c[3].queue_index = 8;
	submit(c, 4, 0, "the fourth is on no queue of ours");
	say_drops("refused");
	a = submit(c, 1, 0, "one more");
	wait_for(a, 5000000, "one more ends");
}

const struct script s_cs[] = {
	{ "cs-chunks", chunks_script, true },
	{ "cs-queues", queues_script, true },
	{ "cs-internal", internal_script, true },
	{ "cs-internal-runs", internal_runs_script, true },
	{ "cs-packets", packets_script, true },
	{ "cs-arguments", arguments_script, true },
	{ "cs-flags", flags_script, true, true },
	{ "cs-restore", restore_script, true },
	{ "cs-staged", staged_script, true },
	{ "cs-staged-whole", staged_whole_script, true },
	{ "cs-staged-open", staged_open_script, true },
	{ "cs-staged-bad", staged_bad_part_script, true },
	{ "cs-engines", engines_script, true },
	{ "cs-full", full_script, true },
	{ "cs-flight", flight_script, true },
	{ "cs-gone", gone_script, true },
	{ "cs-mixed", mixed_script, true },
	{ .name = NULL },
};
