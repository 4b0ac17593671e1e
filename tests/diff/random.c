// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random sequences of well-formed and half-formed calls. What comes next depends
 * on the seed and on what the driver answered, and on nothing else; so two
 * drivers that answer alike get the same sequence.
 *
 * Left out is what is known to differ by intention, since all that follows would
 * differ with it: HBM with handles, CBs with a device address.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "steps.h"

#define NUM_QUEUES	8
#define POOL		12
#define PAGES		64
#define MAPPINGS	1024
#define ALIGN		0x200000ull
#define NUM_OF(a)	(sizeof(a) / sizeof((a)[0]))

struct pool {
	uint64_t v[POOL];
	unsigned int num;
};

static uint64_t rng;
static struct gt_cb nop, block;
static struct pool cbs, vas, seqs, signals, encaps, staged, reserved;
/* First addresses of what is mapped. */
static uint64_t mapped[MAPPINGS];
static unsigned int num_mapped;
static bool held[NUM_QUEUES];
static char *pages;
static char *scratch;

static uint32_t rnd(uint32_t n)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return (uint32_t)(rng >> 20) % n;
}

static bool one_in(uint32_t n)
{
	return !rnd(n);
}

static void keep(struct pool *p, uint64_t v)
{
	p->v[p->num++ % POOL] = v;
}

static uint64_t interesting(void)
{
	static const uint64_t list[] = {
		0, 1, 2, 3, 7, 8, 63, 64, 4095, 4096, 4097, 0x1fffe0,
		0x200000, 0x20000000, 0x7fffffff, 0x80000000, 0xffffffff,
		0x100000000, 0x7ff0010000, 0x1000000200000, 1ull << 62,
		1ull << 63, ~0ull - 1, ~0ull,
	};

	return list[rnd(NUM_OF(list))];
}

/* Mostly one of those that were given out, now and then none. */
static uint64_t pick(const struct pool *p)
{
	unsigned int n = p->num < POOL ? p->num : POOL;

	if (!n || one_in(10))
		return interesting();
	return p->v[rnd(n)];
}

/* Each queue that is not held up has done what it was given. */
static void settle(void)
{
	unsigned int q;
	uint32_t status;
	uint64_t seq;

	for (q = 0; q < NUM_QUEUES; q++) {
		if (held[q])
			continue;
		if (gt_submit(fd, q, &nop, &seq) ||
		    gt_wait(fd, seq, 2000000, &status) ||
		    status != HL_WAIT_CS_STATUS_COMPLETED)
			held[q] = true;
	}
}

static bool any_held(void)
{
	unsigned int q;

	for (q = 0; q < NUM_QUEUES; q++)
		if (held[q])
			return true;
	return false;
}

/* --- well-formed calls ---------------------------------------------------- */

static void cb_create(void)
{
	union hl_cb_args args = { .in = { .op = HL_CB_OP_CREATE,
		.cb_size = one_in(4) ? interesting() : rnd(20000) } };

	if (!step(&args, DRM_IOCTL_HL_CB, "cb create %#x", args.in.cb_size))
		keep(&cbs, args.out.cb_handle);
}

static void cb_destroy(void)
{
	uint64_t h = pick(&cbs);

	/* Numbers 1 and 2 are ours, whatever the other bits say. */
	if ((uint32_t)(h >> 12) == 1 || (uint32_t)(h >> 12) == 2)
		return;
	step(CB(.op = HL_CB_OP_DESTROY, .cb_handle = h), "cb destroy %#llx",
	     (unsigned long long)h);
}

static void cb_info(void)
{
	uint64_t h = pick(&cbs);
	uint32_t flags = one_in(3) ? interesting() : 0;

	settle();
	step(CB(.op = HL_CB_OP_INFO, .cb_handle = h, .flags = flags),
	     "cb info %#llx %#x", (unsigned long long)h, flags);
}

static void cb_mmap(void)
{
	uint64_t h = pick(&cbs) & ~0xfffull;
	size_t size = (1 + rnd(5)) * 4096;
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		       (off_t)h);

	say("mmap", "%#llx, %zu: %s", (unsigned long long)h, size,
	    p == MAP_FAILED ? errname(-errno) : "mapped");
	/* Some stay. */
	if (p != MAP_FAILED && !one_in(4))
		munmap(p, size);
}

/* Would it end where another mapping begins? */
static bool fills_a_gap(uint64_t hint, uint64_t len)
{
	unsigned int i;

	for (i = 0; i < num_mapped; i++)
		if ((mapped[i] & ~0xfffull) == hint + len)
			return true;
	return false;
}

static void mem_map(void)
{
	uint64_t off = one_in(3) ? rnd(PAGES * 4096) : rnd(PAGES) * 4096;
	uint64_t len = one_in(3) ? rnd(40000) : (1 + rnd(8)) * 4096;
	uint64_t hint = one_in(2) ? 0 : one_in(4) ? interesting() :
			0x1000010000000ull + rnd(64) * 4096;
	union hl_mem_args args = { .in = { .op = HL_MEM_OP_MAP,
		.flags = HL_MEM_USERPTR |
			 (hint && one_in(2) ? HL_MEM_FORCE_HINT : 0),
		.map_host = { .host_virt_addr = PTR(pages + off),
			      .mem_size = len } } };

	if (num_mapped == MAPPINGS)
		return;
	/* The stock driver does not follow a hint to the last byte of a gap. */
	if (fills_a_gap(hint, ((off & 4095) + len + 4095) & ~4095ull))
		hint = 0;
	args.in.map_host.hint_addr = hint;
	if (step(&args, DRM_IOCTL_HL_MEMORY, "map +%#llx %#llx hint %#llx %#x",
		 (unsigned long long)off, (unsigned long long)len,
		 (unsigned long long)hint, args.in.flags))
		return;
	keep(&vas, args.out.device_virt_addr);
	mapped[num_mapped++] = args.out.device_virt_addr;
}

static void mem_unmap(void)
{
	uint64_t va = pick(&vas);
	unsigned int i;
	int rc;

	rc = step(MEM(.op = HL_MEM_OP_UNMAP, .unmap.device_virt_addr = va),
		  "unmap %#llx", (unsigned long long)va);
	for (i = 0; !rc && i < num_mapped; i++)
		if (mapped[i] == va)
			mapped[i] = mapped[--num_mapped];
}

static void mem_other(void)
{
	/* Not TS_ALLOC: the stock driver takes its handles for CBs. */
	static const uint32_t ops[] = { 3, 4, 5, 7, 8 };
	union hl_mem_args args = { .in = { .op = ops[rnd(5)] } };

	args.in.export_dmabuf_fd.addr = interesting();
	args.in.export_dmabuf_fd.mem_size = interesting();
	args.in.export_dmabuf_fd.offset = one_in(4) ? interesting() : 0;
	args.in.num_of_elements = one_in(2) ? interesting() : rnd(5000);
	if (args.in.op == HL_MEM_OP_EXPORT_DMABUF_FD) {
		if (!step(&args, DRM_IOCTL_HL_MEMORY, "export"))
			close(args.out.fd);
		return;
	}
	step(&args, DRM_IOCTL_HL_MEMORY, "memory op %u", args.in.op);
}

static uint32_t some_queue(void)
{
	if (one_in(12))
		return interesting();
	return rnd(NUM_QUEUES);
}

static void fill_chunk(struct hl_cs_chunk *c)
{
	memset(c, 0, sizeof(*c));
	c->queue_index = some_queue();
	c->cb_handle = one_in(8) ? pick(&cbs) : nop.handle;
	c->cb_size = one_in(8) ? interesting() : 8 * (1 + rnd(4));
}

static uint32_t plain_flags(void)
{
	static const uint32_t list[] = {
		HL_CS_FLAGS_TIMESTAMP, HL_CS_FLAGS_CUSTOM_TIMEOUT,
		HL_CS_FLAGS_SKIP_RESET_ON_TIMEOUT, 0x10,
		HL_CS_FLAGS_FORCE_RESTORE, 0x80000000,
		HL_CS_FLAGS_ENCAP_SIGNALS,
	};
	uint32_t flags = 0;

	while (one_in(3))
		flags |= list[rnd(NUM_OF(list))];
	return flags;
}

static void cs_default(void)
{
	struct hl_cs_chunk c[4];
	union hl_cs_args args = { .in = { .chunks_execute = PTR(c),
					  .timeout = 200 } };
	unsigned int i;

	args.in.num_chunks_execute = 1 + rnd(4);
	args.in.cs_flags = plain_flags();
	for (i = 0; i < 4; i++)
		fill_chunk(&c[i]);
	if (!step(&args, DRM_IOCTL_HL_CS, "cs %u chunks, first on %#x, %#x",
		  args.in.num_chunks_execute, c[0].queue_index,
		  args.in.cs_flags))
		keep(&seqs, args.out.seq);
}

static void cs_block(void)
{
	uint32_t q = rnd(3);
	uint64_t seq;

	if (held[q])
		return;
	settle();
	seq = submit_one(q, &block, 0, "block");
	if (seq) {
		held[q] = true;
		keep(&seqs, seq);
	}
}

/* All that wait go on; queue 4 carries the message unless it waits itself. */
static void cs_unblock(void)
{
	struct gt_cb cb;
	uint32_t q, status;
	uint64_t seq;

	if (gt_cb_create(fd, 4096, &cb))
		return;
	for (q = 0; q < 3; q++) {
		if (!held[q])
			continue;
		cb.len = gt_pkt_msg_long(cb.map, BLOCK_RDATA(q),
					 1, 0);
		/* Queue 7 never waits: nothing but NOPs goes there. */
		if (!gt_submit(fd, 7, &cb, &seq))
			gt_wait(fd, seq, 5000000, &status);
	}
	memset(held, 0, sizeof(held));
	settle();
	gt_cb_destroy(fd, &cb);
	say("unblock", "held %d%d%d%d%d%d%d%d", held[0], held[1], held[2],
	    held[3], held[4], held[5], held[6], held[7]);
}

static void cs_signal(void)
{
	struct hl_cs_chunk c = { .queue_index = one_in(8) ? some_queue() :
						rnd(4) };
	union hl_cs_args args = { .in = {
		.chunks_execute = PTR(&c), .num_chunks_execute = 1,
		.cs_flags = HL_CS_FLAGS_SIGNAL, .timeout = 200 } };

	settle();
	if (one_in(4))
		args.in.cs_flags |= plain_flags() & ~HL_CS_FLAGS_FORCE_RESTORE;
	if (!step(&args, DRM_IOCTL_HL_CS, "signal on %#x, %#x", c.queue_index,
		  args.in.cs_flags)) {
		keep(&signals, args.out.seq);
		keep(&seqs, args.out.seq);
	}
}

static void cs_wait(void)
{
	uint64_t seq = one_in(6) ? pick(&seqs) : pick(&signals);
	struct hl_cs_chunk c = { .signal_seq_arr = PTR(&seq),
				 .num_signal_seq_arr = one_in(12) ? rnd(4) : 1,
				 .queue_index = 4 + rnd(3) };
	union hl_cs_args args = { .in = {
		.chunks_execute = PTR(&c), .num_chunks_execute = 1,
		.cs_flags = HL_CS_FLAGS_WAIT, .timeout = 200 } };

	settle();
	if (!step(&args, DRM_IOCTL_HL_CS, "wait for %llu on %u",
		  (unsigned long long)seq, c.queue_index))
		keep(&seqs, args.out.seq);
}

static void cs_wait_encaps(void)
{
	struct hl_cs_chunk c = { .encaps_signal_seq = pick(&encaps),
				 .encaps_signal_offset = rnd(6),
				 .queue_index = 4 + rnd(3) };
	union hl_cs_args args = { .in = {
		.chunks_execute = PTR(&c), .num_chunks_execute = 1,
		.cs_flags = HL_CS_FLAGS_WAIT | HL_CS_FLAGS_ENCAP_SIGNALS,
		.timeout = 200 } };

	settle();
	if (!step(&args, DRM_IOCTL_HL_CS, "wait for encaps %llu + %u on %u",
		  (unsigned long long)c.encaps_signal_seq,
		  c.encaps_signal_offset, c.queue_index))
		keep(&seqs, args.out.seq);
}

static void cs_reserve(void)
{
	union hl_cs_args args = { .in = {
		.encaps_signals_q_idx = one_in(6) ? some_queue() : rnd(4),
		.encaps_signals_count = one_in(6) ? interesting() : rnd(8),
		.cs_flags = HL_CS_FLAGS_RESERVE_SIGNALS_ONLY } };

	settle();
	if (!step(&args, DRM_IOCTL_HL_CS, "reserve %#x on %#x",
		  args.in.encaps_signals_count, args.in.encaps_signals_q_idx))
		keep(&reserved, args.out.handle_id);
}

/* What is sent may not be given back: the stock driver would use it freed. */
static void forget(struct pool *p, uint64_t v)
{
	unsigned int i;

	for (i = 0; i < POOL; i++)
		if (p->v[i] == v)
			p->v[i] = 0;
}

static void cs_unreserve(void)
{
	union hl_cs_args args = { .in = {
		.cs_flags = HL_CS_FLAGS_UNRESERVE_SIGNALS_ONLY } };

	settle();
	args.in.encaps_sig_handle_id = one_in(10) ? 1000 + rnd(1000) :
				       reserved.v[rnd(POOL)];
	step(&args, DRM_IOCTL_HL_CS, "unreserve %u",
	     args.in.encaps_sig_handle_id);
}

static void leave_held_queue(struct hl_cs_chunk *c)
{
	/* Queue 7 never waits. */
	if (c->queue_index < NUM_QUEUES && held[c->queue_index])
		c->queue_index = 7;
}

/* The stock driver knows no time of a staged submission's parts but the last. */
static uint32_t without_unknown_time(uint32_t flags)
{
	if ((flags & HL_CS_FLAGS_STAGED_SUBMISSION) &&
	    !(flags & HL_CS_FLAGS_STAGED_SUBMISSION_LAST))
		flags &= ~HL_CS_FLAGS_TIMESTAMP;
	return flags;
}

static void cs_staged(void)
{
	static const uint32_t kinds[] = { 0x40, 0xc0, 0x140, 0x1c0 };
	struct hl_cs_chunk c[2];
	union hl_cs_args args = { .in = { .chunks_execute = PTR(c),
		.num_chunks_execute = 1 + rnd(2), .timeout = 200 } };
	uint32_t flags = kinds[rnd(4)] |
			 (plain_flags() & ~HL_CS_FLAGS_FORCE_RESTORE);
	uint32_t id = 0;

	/* Whether an older one still is known depends on time. */
	settle();
	if (!(flags & HL_CS_FLAGS_STAGED_SUBMISSION_FIRST)) {
		args.in.seq = pick(&staged);
	} else if (flags & HL_CS_FLAGS_ENCAP_SIGNALS) {
		id = reserved.v[rnd(POOL)];
		args.in.encaps_sig_handle_id = id;
	}
	flags = without_unknown_time(flags);
	args.in.cs_flags = flags;
	fill_chunk(&c[0]);
	fill_chunk(&c[1]);
	/* The stock driver ends parts that still wait in a queue with the last. */
	if (!(flags & HL_CS_FLAGS_STAGED_SUBMISSION_LAST)) {
		leave_held_queue(&c[0]);
		leave_held_queue(&c[1]);
	}
	if (!step(&args, DRM_IOCTL_HL_CS, "staged %#x of %llu on %#x", flags,
		  (unsigned long long)args.in.seq, c[0].queue_index)) {
		keep(&seqs, args.out.seq);
		if (flags & HL_CS_FLAGS_STAGED_SUBMISSION_FIRST)
			keep(&staged, args.out.seq);
		if (flags & HL_CS_FLAGS_ENCAP_SIGNALS) {
			keep(&encaps, args.out.seq);
			forget(&reserved, id);
		}
	}
}

static void wait_one(void)
{
	uint64_t seq = pick(&seqs);
	static const uint64_t times[] = { 0, 1, 1000, 20000 };

	settle();
	hide_words(2);
	step(WAIT(.seq = seq, .timeout_us = times[rnd(4)]), "wait for %#llx",
	     (unsigned long long)seq);
}

static void wait_many(void)
{
	uint64_t list[40];
	uint32_t num = one_in(10) ? rnd(256) : rnd(8), i;

	for (i = 0; i < 40; i++)
		list[i] = pick(&seqs);
	settle();
	hide_words(2);
	step(WAIT(.seq = PTR(list), .seq_arr_len = num,
		  .timeout_us = rnd(2) * 10000,
		  .flags = HL_WAIT_CS_FLAGS_MULTI_CS), "wait for %u", num);
}

static void info(void)
{
	static const uint32_t list[] = {
		HL_INFO_HW_IDLE, HL_INFO_CS_COUNTERS, HL_INFO_DRAM_USAGE,
		HL_INFO_GET_EVENTS, HL_INFO_SYNC_MANAGER, HL_INFO_RESET_COUNT,
		HL_INFO_DEVICE_STATUS, HL_INFO_CS_TIMEOUT_EVENT,
	};
	uint32_t op = one_in(4) ? rnd(64) : list[rnd(NUM_OF(list))];
	uint32_t size = one_in(3) ? interesting() : 128;

	/* Random descriptors may be ours; these answer at length, or in time. */
	if (op == HL_INFO_REGISTER_EVENTFD || op == HL_INFO_ENGINE_STATUS)
		return;
	if (size > 0x4000)
		size = 0x4000;
	settle();
	memset(scratch, 0, 0x4000);
	step(&(struct hl_info_args){ .op = op, .return_size = size,
	     .return_pointer = one_in(10) ? 0 : PTR(scratch),
	     .pad = one_in(20), .dcore_id = rnd(9) }, DRM_IOCTL_HL_INFO,
	     "info %u, %#x", op, size);
	if (op == HL_INFO_CS_COUNTERS || op == HL_INFO_HW_IDLE ||
	    op == HL_INFO_SYNC_MANAGER || op == HL_INFO_GET_EVENTS)
		say("info: answer", "%llx %llx %llx %llx",
		    (unsigned long long)((uint64_t *)scratch)[1],
		    (unsigned long long)((uint64_t *)scratch)[3],
		    (unsigned long long)((uint64_t *)scratch)[5],
		    (unsigned long long)((uint64_t *)scratch)[11]);
}

static void debug(void)
{
	step(DEBUG(.op = one_in(3) ? rnd(10) : HL_DEBUG_OP_SET_MODE,
		   .enable = rnd(3)), "debug");
}

/* --- half-formed calls: any words ----------------------------------------- */

static void wild_cs(void)
{
	struct hl_cs_chunk c;
	union hl_cs_args args = { .in = { .chunks_execute = PTR(&c),
		.num_chunks_execute = 1, .timeout = 200 } };
	uint32_t flags = (1u << rnd(18)) | (1u << rnd(18)) |
			 (one_in(2) ? 1u << rnd(32) : 0);

	/* Restoring waits for what may be held up; ENCAP has its own. */
	if (any_held())
		flags &= ~HL_CS_FLAGS_FORCE_RESTORE;
	if (flags & HL_CS_FLAGS_UNRESERVE_SIGNALS_ONLY)
		return;
	settle();
	fill_chunk(&c);
	flags = without_unknown_time(flags);
	args.in.cs_flags = flags;
	args.in.seq = interesting();
	args.in.num_chunks_execute = one_in(4) ? interesting() % 600 : 1;
	if (args.in.num_chunks_execute > 1)
		args.in.chunks_execute = one_in(2) ? 0 : 0x1000;
	args.in.pad[rnd(4)] = one_in(10);
	if (!step(&args, DRM_IOCTL_HL_CS, "wild cs %#x on %#x", flags,
		  c.queue_index) && args.out.seq && !(flags & 0x7000))
		keep(&seqs, args.out.seq);
}

static void wild(void)
{
	union {
		uint64_t words[8];
		union hl_cb_args cb;
		union hl_wait_cs_args wait;
		union hl_mem_args mem;
		struct hl_debug_args debug;
	} u;
	unsigned int i, which = rnd(4);

	for (i = 0; i < 8; i++)
		u.words[i] = interesting() ^
			     (one_in(4) ? interesting() << 32 : 0);
	switch (which) {
	case 0:
		/* Not CREATE: it may be asked to map. */
		if (u.cb.in.op != HL_CB_OP_CREATE &&
		    (uint32_t)(u.cb.in.cb_handle >> 12) != 1 &&
		    (uint32_t)(u.cb.in.cb_handle >> 12) != 2)
			step(&u, DRM_IOCTL_HL_CB, "wild cb %#x", u.cb.in.op);
		return;
	case 1:
		u.wait.in.timeout_us = 0;
		settle();
		hide_words(2);
		step(&u, DRM_IOCTL_HL_WAIT_CS, "wild wait %#llx %#x",
		     (unsigned long long)u.wait.in.seq, u.wait.in.flags);
		return;
	case 2:
		if (u.mem.in.op != HL_MEM_OP_ALLOC &&
		    u.mem.in.op != HL_MEM_OP_FREE &&
		    u.mem.in.op != HL_MEM_OP_TS_ALLOC &&
		    u.mem.in.op != HL_MEM_OP_EXPORT_DMABUF_FD)
			step(&u, DRM_IOCTL_HL_MEMORY, "wild memory %#x %#x",
			     u.mem.in.op, u.mem.in.flags);
		return;
	default:
		if (u.debug.op >= HL_DEBUG_OP_SET_MODE)
			step(&u, DRM_IOCTL_HL_DEBUG, "wild debug %#x",
			     u.debug.op);
	}
}

static const struct {
	void (*run)(void);
	unsigned int weight;
} calls[] = {
	{ cb_create, 8 }, { cb_destroy, 6 }, { cb_info, 3 }, { cb_mmap, 4 },
	{ mem_map, 12 }, { mem_unmap, 8 }, { mem_other, 4 },
	{ cs_default, 14 }, { cs_block, 4 }, { cs_unblock, 4 },
	{ cs_signal, 6 }, { cs_wait, 6 }, { cs_reserve, 5 },
	{ cs_unreserve, 4 }, { cs_staged, 9 }, { cs_wait_encaps, 4 },
	{ wait_one, 12 }, { wait_many, 6 }, { info, 6 }, { debug, 2 },
	{ wild_cs, 8 }, { wild, 8 },
};

void random_script(unsigned long seed, unsigned long num)
{
	unsigned int total = 0, i, at;
	unsigned long n;

	rng = (seed + 1) * 0x9e3779b97f4a7c15ull | 1;
	nop = cb_new(4096, "NOPs");
	for (i = 0; i < 4096; i += 8)
		gt_pkt_nop((char *)nop.map + i, 0);
	nop.len = 8;
	block = cb_block("block");
	pages = mmap(NULL, ALIGN + (PAGES + 16) * 4096, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	scratch = gt_alloc(0x4000);
	if (pages == MAP_FAILED || !scratch)
		give_up("no memory");
	/* Device addresses follow the alignment of what is mapped. */
	pages += ALIGN - PTR(pages) % ALIGN;
	madvise(pages, (PAGES + 16) * 4096, MADV_NOHUGEPAGE);
	for (i = 0; i < NUM_OF(calls); i++)
		total += calls[i].weight;
	for (n = 0; n < num; n++) {
		at = rnd(total);
		for (i = 0; at >= calls[i].weight; i++)
			at -= calls[i].weight;
		calls[i].run();
	}
	cs_unblock();
	settle();
	say_drops("refused");
}
