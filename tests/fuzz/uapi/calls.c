// SPDX-License-Identifier: GPL-2.0-only
/* What becomes of the words of a call. What it answers does not matter. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gaudi_test.h"
#include "uapi_fuzz.h"
#include "../../../uapi/drm/gaudi_accel.h"
#include "../../../uapi/drm/gaudi_nic.h"

#define NUM_KEPT	16

uint8_t *arena;
unsigned int num_cards = 1;
int files[NUM_FILES] = { -1, -1, -1, -1 };

/* Threads share it, as a program does: each may find what another one has destroyed. */
static struct {
	uint64_t value[NUM_KEPT];
	unsigned int num;
} kept[NUM_VALUES];

/* Bytes of packets that a command buffer has, for the next submission of it. */
static struct { uint64_t handle; uint32_t bytes; } filled[NUM_KEPT];

void learn(enum value what, uint64_t value)
{
	if (!value)
		return;
	kept[what].value[kept[what].num++ % NUM_KEPT] = value;
	if (what != V_ANY)
		learn(V_ANY, value);
}

uint64_t learned(enum value what, uint64_t which)
{
	unsigned int num = kept[what].num;

	if (num > NUM_KEPT)
		num = NUM_KEPT;
	return num ? kept[what].value[which % num] : 0;
}

void forget_values(void)
{
	memset(kept, 0, sizeof(kept));
	memset(filled, 0, sizeof(filled));
}

enum value word_is_for(enum kind kind, unsigned int word)
{
	static const uint8_t is_for[NUM_KINDS][NUM_WORDS] = {
		[K_CB] = { V_CB },
		[K_CS] = { [1] = V_CB, V_CB, V_CB, [9] = V_SEQ },
		[K_WAIT] = { V_SEQ, [4] = V_SEQ },
		/* To be freed, unmapped or mapped; a hint. */
		[K_MEMORY] = { V_VA, V_HBM },
		[K_DEBUG] = { [8] = V_VA },
		[K_SYNC_CS] = { [1] = V_CB, V_CB, V_CB, [7] = V_FD, [9] = V_SYNC },
		[K_IMPORT] = { V_FD },
		[K_MMAP] = { V_CB },
		[K_PACKETS] = { V_CB },
		[K_NIC] = { [3] = V_VA },
	};

	return is_for[kind][word];
}

static uint64_t resolve(const struct call *c, unsigned int i)
{
	static const uint64_t edges[] = {
		0, 1, 0x7f, 0x80, 0xfff, 0x1000, 0x1001, 0x1ffff, 0x200000,
		0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
		0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff,
		0x20000000, 0x7ff0000000, 0x7ffc000000, 0x1000000000000,
	};
	uint64_t w = c->word[i];

	switch (c->how[i]) {
	case H_SMALL:
		return w % 48;
	case H_VALUE:
		return learned(w >> 60 ? word_is_for(c->kind, i) : V_ANY, w & 0xff);
	case H_POINTER:
		return (uintptr_t)arena + w % PACKETS_AT / 64 * 64;
	case H_SIZE:
		return 8ull << w % 20;
	case H_EDGE:
		return edges[w % (sizeof(edges) / sizeof(edges[0]))];
	}
	return w;
}

static uint32_t bytes_filled(uint64_t handle)
{
	unsigned int i;

	for (i = 0; i < NUM_KEPT; i++)
		if (filled[i].handle == handle && filled[i].bytes)
			return filled[i].bytes;
	return 8;
}

/*
 * Internal queues have their buffers by device addresses, as a rule where packets are, and
 * external ones by handles.
 */
static void make_chunk(struct hl_cs_chunk *c, const uint64_t *w, unsigned int i)
{
	uint64_t packets = learned((w[0] & 0x780) == 0x780 ? V_VA : V_PACKETS,
				   w[6] >> 8);
	/* Those for upper ones are the first two of four. */
	uint32_t page = (w[5] & 0xf) % NUM_PAGES & ~2u;

	c->cb_handle = w[1 + i];
	/* Without one that is mapped there is no internal queue. */
	c->queue_index = w[4] >> 8 * i & (packets ? 0x7f : 7);
	if ((w[0] & 0x78) == 0x78) {
		c->cb_size = w[5] >> 8 * i & 0xf8;
		return;
	}
	if (w[0] & 4)
		c->queue_index %= 8;
	c->cb_size = bytes_filled(w[1 + i]);
	if (c->queue_index > GAUDI_QUEUE_ID_CPU_PQ) {
		if (KIND_OF_PAGE(page) == Q_UPPER_DMA)
			c->queue_index = GAUDI_QUEUE_ID_DMA_2_0 + c->queue_index % 24;
		c->cb_handle = packets + page * 4096;
		c->cb_size = bytes_filled(page);
	}
}

/*
 * Chunks of a submission, in the arena: most make sense. The last one is for an external queue
 * then, since there must be one that tells of its end.
 */
static uint64_t make_chunks(const uint64_t *w, uint32_t *num)
{
	struct hl_cs_chunk *chunks = (void *)arena;
	uint64_t last[NUM_WORDS];
	uint32_t i;

	*num = 1 + w[0] % 3;
	memset(chunks, 0, 3 * sizeof(*chunks));
	for (i = 0; i < *num; i++)
		make_chunk(&chunks[i], w, i);
	if (chunks[*num - 1].queue_index < 8 || (w[0] & 0x7800) == 0x7800)
		return (uintptr_t)chunks;
	*num += *num < 3;
	memcpy(last, w, sizeof(last));
	last[0] = (last[0] & ~0x78ull) | 4;
	make_chunk(&chunks[*num - 1], last, *num - 1);
	return (uintptr_t)chunks;
}

/* Who waits for a signal names it in the chunk. */
static void name_signals(union hl_cs_args *args, uint64_t *w)
{
	struct hl_cs_chunk *chunk = (void *)arena;
	uint64_t *seq = (uint64_t *)(arena + 8192);

	*seq = w[5] & 1 ? w[9] : learned(V_SIGNAL, w[9]);
	if (args->in.cs_flags & HL_CS_FLAGS_ENCAP_SIGNALS) {
		chunk->encaps_signal_seq = w[9];
		chunk->encaps_signal_offset = w[7] & 3;
	} else {
		chunk->signal_seq_arr = (uintptr_t)seq;
		chunk->num_signal_seq_arr = 1;
	}
	if (!(args->in.cs_flags & HL_CS_FLAGS_COLLECTIVE_WAIT))
		return;
	/* Of the queues and engines that there are, few do. */
	chunk->collective_engine_id = w[7] & 0x1c0 ?
		(w[7] & 1 ? GAUDI_ENGINE_ID_DMA_5 : GAUDI_ENGINE_ID_TPC_7) : w[7] % 48;
	if (w[8] & 0x30)
		chunk->queue_index = GAUDI_QUEUE_ID_DMA_1_0 + chunk->queue_index % 4;
}

static int do_cs(int fd, uint64_t *w)
{
	static const uint32_t flags[] = {
		0, HL_CS_FLAGS_FORCE_RESTORE, HL_CS_FLAGS_SIGNAL,
		HL_CS_FLAGS_WAIT, HL_CS_FLAGS_COLLECTIVE_WAIT,
		HL_CS_FLAGS_TIMESTAMP,
		HL_CS_FLAGS_STAGED_SUBMISSION |
			HL_CS_FLAGS_STAGED_SUBMISSION_FIRST,
		HL_CS_FLAGS_STAGED_SUBMISSION,
		HL_CS_FLAGS_STAGED_SUBMISSION |
			HL_CS_FLAGS_STAGED_SUBMISSION_LAST,
		HL_CS_FLAGS_RESERVE_SIGNALS_ONLY,
		HL_CS_FLAGS_UNRESERVE_SIGNALS_ONLY,
		HL_CS_FLAGS_ENCAP_SIGNALS | HL_CS_FLAGS_STAGED_SUBMISSION |
			HL_CS_FLAGS_STAGED_SUBMISSION_FIRST,
		HL_CS_FLAGS_WAIT | HL_CS_FLAGS_ENCAP_SIGNALS,
		HL_CS_FLAGS_ENGINE_CORE_COMMAND,
		HL_CS_FLAGS_FLUSH_PCI_HBW_WRITES,
		HL_CS_FLAGS_SKIP_RESET_ON_TIMEOUT,
	};
	union hl_cs_args args = { 0 };
	uint32_t num, which = w[6] & 1 ? w[6] / 2 % 16 : 0;
	int ret;

	args.in.chunks_execute = make_chunks(w, &num);
	args.in.cs_flags = flags[which] | ((w[7] & 0x3f) == 0x3f ? (uint32_t)w[7] : 0);
	args.in.num_chunks_execute =
		args.in.cs_flags & (HL_CS_FLAGS_SIGNAL | HL_CS_FLAGS_WAIT |
				    HL_CS_FLAGS_COLLECTIVE_WAIT) ?
		1 : w[8] & 15 ? num : (uint32_t)w[8];
	if (args.in.cs_flags & HL_CS_FLAGS_FORCE_RESTORE) {
		args.in.chunks_restore = args.in.chunks_execute;
		args.in.num_chunks_restore = num;
	}
	if (args.in.cs_flags & (HL_CS_FLAGS_WAIT | HL_CS_FLAGS_COLLECTIVE_WAIT))
		name_signals(&args, w);
	args.in.seq = w[9];
	/* The same member, for signals that are reserved. */
	if (args.in.cs_flags & HL_CS_FLAGS_RESERVE_SIGNALS_ONLY) {
		args.in.encaps_signals_q_idx = w[4] & 7;
		args.in.encaps_signals_count = 1 + (w[5] & 15);
	}
	ret = gt_ioctl(fd, DRM_IOCTL_HL_CS, &args);
	if (!ret) {
		learn(flags[which] == HL_CS_FLAGS_SIGNAL ? V_SIGNAL : V_SEQ, args.out.seq);
		if (flags[which] & HL_CS_FLAGS_RESERVE_SIGNALS_ONLY)
			learn(V_SEQ, args.out.handle_id);
	}
	return ret;
}

static int do_sync_cs(int fd, uint64_t *w)
{
	struct drm_gaudi_sync *syncs = (void *)(arena + 16384);
	struct drm_syncobj_create create = { .flags = w[0] & 1 };
	struct drm_gaudi_cs args = { 0 };
	uint32_t num;
	int ret;

	args.chunks = make_chunks(w, &num);
	args.num_chunks = num;
	args.flags = w[6] & 7;
	args.in_fence_fd = w[7];
	if (w[8] & 1 && !gt_ioctl(fd, DRM_IOCTL_SYNCOBJ_CREATE, &create))
		learn(V_SYNC, create.handle);
	memset(syncs, 0, 2 * sizeof(*syncs));
	syncs[0].handle = w[8] & 1 ? create.handle : w[9];
	syncs[0].point = w[8] & 2 ? w[8] >> 2 & 7 : 0;
	syncs[1] = syncs[0];
	args.in_syncs = args.out_syncs = (uintptr_t)syncs;
	args.num_in_syncs = w[8] >> 5 & 1;
	args.num_out_syncs = w[8] >> 6 & 3;
	ret = gt_ioctl(fd, DRM_IOCTL_GAUDI_CS, &args);
	if (!ret) {
		learn(V_SEQ, args.seq);
		if (args.flags & GAUDI_CS_OUT_FENCE_FD)
			learn(V_FD, args.out_fence_fd);
	}
	return ret;
}

static int do_wait(int fd, uint64_t *w)
{
	union hl_wait_cs_args args = { 0 };
	uint64_t *seqs = (uint64_t *)(arena + 4096);

	args.in.seq = w[0];
	if (w[2] & 1) {
		args.in.flags = HL_WAIT_CS_FLAGS_MULTI_CS;
		args.in.seq = (uintptr_t)seqs;
		args.in.seq_arr_len = w[3] % 40;
		seqs[0] = w[0];
		seqs[1] = w[4];
	} else if (!(w[2] & 14)) {
		args.in.flags = w[5];
	}
	/* To sleep is not what it is for, and rare. */
	args.in.timeout_us = w[1] % 64 ? w[1] % 50 : w[1] / 64 % 20000;
	return gt_ioctl(fd, DRM_IOCTL_HL_WAIT_CS, &args);
}

/* Another device address of the same, for whoever maps what has packets. */
static void map_host(union hl_mem_args *args, const uint64_t *w)
{
	args->in.flags |= HL_MEM_USERPTR;
	args->in.map_host.host_virt_addr = (uintptr_t)arena +
		(w[6] & 4 ? PACKETS_AT : w[0] & 0x7f000);
	args->in.map_host.hint_addr = w[6] & 0x38 ? 0 : w[1];
	args->in.map_host.mem_size = w[6] & 4 ? ARENA_SIZE - PACKETS_AT : w[2] & 0x3ffff;
}

static int do_memory(int fd, uint64_t *w)
{
	union hl_mem_args args = { 0 };
	uint32_t op = w[3] % 9;		/* gone when the call is back */
	int ret;

	args.in.op = op;
	memcpy(&args.in, w, 24);
	args.in.flags = w[4];
	args.in.num_of_elements = w[5];
	if (op == HL_MEM_OP_MAP && w[6] & 3)
		map_host(&args, w);
	else if (op == HL_MEM_OP_MAP && w[6] & 0x38)
		args.in.map_device.hint_addr = 0;
	else if (op == HL_MEM_OP_FREE)
		args.in.free.handle = w[1];
	if (op == HL_MEM_OP_ALLOC) {
		args.in.alloc.mem_size = w[0] & 0xffffffff;
		args.in.alloc.page_size = w[6] & 3 ? 0 : w[2];
	}
	ret = gt_ioctl(fd, DRM_IOCTL_HL_MEMORY, &args);
	if (ret)
		return ret;
	switch (op) {
	case HL_MEM_OP_EXPORT_DMABUF_FD:
		close(args.out.fd);
		break;
	case HL_MEM_OP_ALLOC:
		learn(V_HBM, args.out.handle);
		break;
	case HL_MEM_OP_MAP:
		learn(V_VA, args.out.device_virt_addr);
		if (w[6] & 3 && w[6] & 4)
			learn(V_PACKETS, args.out.device_virt_addr);
		break;
	}
	return 0;
}

static int do_mmap(int fd, uint64_t *w)
{
	size_t len = 4096ull << w[1] % 4;
	uint64_t *map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			     w[0]);

	if (map == MAP_FAILED)
		return -errno;
	/* As the first packet: NOP, or whatever w[3] is. */
	memset(map, 0, 256);
	if (w[2] & 2)
		map[0] = w[3];
	else
		gt_pkt_nop(map, 0);
	if (w[2] & 4 && len > 4096)
		munmap(map, 4096);
	munmap(map, len);
	return 0;
}

static void remember_filled(uint64_t handle, uint32_t bytes)
{
	static unsigned int next;
	unsigned int i;

	for (i = 0; i < NUM_KEPT; i++)
		if (filled[i].handle == handle)
			break;
	if (i == NUM_KEPT)
		i = next++ % NUM_KEPT;
	filled[i].handle = handle;
	filled[i].bytes = bytes;
}

/* Packets into a command buffer. */
static int fill_buffer(int fd, uint64_t handle, uint64_t seed)
{
	void *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, handle);

	if (map == MAP_FAILED)
		return -errno;
	remember_filled(handle, make_packets(map, 4096, seed, Q_EXTERNAL));
	munmap(map, 4096);
	return 0;
}

/* The same, or where internal queues find them. */
static int do_packets(int fd, uint64_t *w)
{
	uint32_t page = (w[2] >> 1) % NUM_PAGES, at, bytes;
	uint8_t *to = arena + PACKETS_AT + page * 4096;
	enum queue_kind kind = KIND_OF_PAGE(page);

	if (!(w[2] & 1))
		return fill_buffer(fd, w[0], w[1]);
	bytes = make_packets(to, LOWER_BYTES, w[1], kind);
	for (at = bytes; kind >= Q_LOWER_DMA && at < LOWER_BYTES; at += 8)
		gt_pkt_nop(to + at, 0);
	remember_filled(page, bytes);
	return 0;
}

static int do_cb(int fd, uint64_t *w)
{
	union hl_cb_args args = { 0 };
	uint32_t op = w[1] % 4;
	int ret;

	args.in.cb_handle = w[0];
	args.in.op = op;
	args.in.cb_size = w[2];
	args.in.flags = w[3];
	ret = gt_ioctl(fd, DRM_IOCTL_HL_CB, &args);
	if (!ret && op == HL_CB_OP_CREATE) {
		learn(V_CB, args.out.cb_handle);
		if (w[4] & 3)
			fill_buffer(fd, args.out.cb_handle, w[5]);
	}
	if (!ret && op == HL_CB_OP_INFO && args.out.device_va)
		learn(V_VA, args.out.device_va);
	return ret;
}

static int do_info(int fd, uint64_t *w)
{
	struct hl_info_args args = { .op = w[0] % 48, .pad = w[5] & 15 ? 0 : w[5] };

	args.return_pointer = w[1] & 15 ? (uintptr_t)arena + 65536 : w[2];
	args.return_size = w[3] % 70000;
	args.dcore_id = w[4];
	/* A descriptor of ours would be learned by nobody else. */
	if (args.op == HL_INFO_REGISTER_EVENTFD)
		args.eventfd = w[4] % 16;
	return gt_ioctl(fd, DRM_IOCTL_HL_INFO, &args);
}

static int do_debug(int fd, uint64_t *w)
{
	struct hl_debug_args debug = { 0 };
	uint64_t *in = (uint64_t *)(arena + 32768);

	memcpy(in, w, NUM_WORDS * 8);
	debug.op = w[2] & 3 ? HL_DEBUG_OP_SET_MODE : w[0] % 9;
	debug.input_ptr = w[3] & 7 ? (uintptr_t)in : 0;
	debug.output_ptr = w[4] & 1 ? (uintptr_t)arena + 65536 : 0;
	debug.input_size = debug.output_size = w[5] & 7 ? w[5] & 0xff : w[5];
	debug.reg_idx = w[6] % 80;
	debug.enable = w[7] & 1;
	/* Where a trace goes. */
	if (debug.op == HL_DEBUG_OP_ETR) {
		in[0] = w[8];
		in[1] = 4096ull << (w[9] & 7);
	}
	return gt_ioctl(fd, DRM_IOCTL_HL_DEBUG, &debug);
}

/* The structures have the port first, or behind an address; numbers follow. */
static void fill_nic(uint32_t *in, const struct drm_gaudi_nic *args, const uint64_t *w)
{
	uint32_t port = w[1] % 4 ? 0 : w[1] / 4 % 11;	/* two cards have a cable there */

	memset(in, 0, 64);
	if (args->op == GAUDI_NIC_OP_USER_WQ_SET || args->op == GAUDI_NIC_OP_USER_CQ_SET) {
		memcpy(in, &w[3], 8);
		in[2] = port;
		/* Entries of a completion queue, or the type of work queues. */
		in[3] = args->in_size == 16 ? 16u << w[4] % 8 : w[4] & 1;
		in[4] = 2 + w[5] % 8;
		in[5] = 16u << w[4] / 2 % 6;
		return;
	}
	in[0] = port;
	in[1] = args->op == GAUDI_NIC_OP_ALLOC_CONN ? 0 : 1 + w[2] % 4;
	if (args->op == GAUDI_NIC_OP_SET_APP_PARAMS) {
		in[1] = (uint32_t)(w[4] & 0x0007070f) | 7u << 16;
		memcpy(in + 2, &w[3], 8);
	} else if (args->in_size >= 40) {
		/* A context: the peer's number, key and addresses. */
		in[2] = in[1];
		in[3] = w[4] & 15;
		in[4] = 0x0a000000 | (w[5] & 15);
		in[5] = 0x0a000000 | (w[6] & 15);
		in[6] = (uint32_t)w[7];
	}
}

static int do_nic(int fd, uint64_t *w)
{
	static const struct { uint16_t op, in, out; } ops[] = {
		{ GAUDI_NIC_OP_ALLOC_CONN, 8, 8 },
		{ GAUDI_NIC_OP_SET_REQ_CTX, 48, 0 },
		{ GAUDI_NIC_OP_SET_RES_CTX, 40, 8 },
		{ GAUDI_NIC_OP_DESTROY_CONN, 8, 0 },
		{ GAUDI_NIC_OP_USER_WQ_SET, 24, 0 },
		{ GAUDI_NIC_OP_USER_WQ_UNSET, 24, 0 },
		{ GAUDI_NIC_OP_USER_CQ_SET, 16, 0 },
		{ GAUDI_NIC_OP_USER_CQ_UNSET, 16, 0 },
		{ GAUDI_NIC_OP_USER_CQ_UPDATE_CI, 8, 0 },
		{ GAUDI_NIC_OP_SET_APP_PARAMS, 48, 0 },
		{ GAUDI_NIC_OP_GET_APP_PARAMS, 8, 48 },
		{ GAUDI_NIC_OP_DUMP_QP, 8, 104 },
		{ GAUDI_NIC_OP_PORT_INFO, 8, 96 },
		{ GAUDI_NIC_OP_GET_ERROR, 0, 32 },
	};
	unsigned int which = w[0] % (sizeof(ops) / sizeof(ops[0]));
	uint32_t *in = (uint32_t *)(arena + 24576);
	struct drm_gaudi_nic args = {
		.in_ptr = (uintptr_t)in, .out_ptr = (uintptr_t)arena + 65536,
		.in_size = ops[which].in, .out_size = ops[which].out,
		.op = ops[which].op, .ctx = w[8] & 63 ? 0 : w[8],
	};

	fill_nic(in, &args, w);
	if (!(w[9] & 7))
		in[w[9] / 8 % 12] ^= 1u << w[9] / 128 % 32;
	if (!(w[8] & 0x1c0))
		args.in_size = w[8] >> 16 & 63;
	return gt_ioctl(fd, DRM_IOCTL_GAUDI_NIC, &args);
}

/* Closed by whoever takes it out of its place. */
static void close_slot(unsigned int slot)
{
	int fd = __atomic_exchange_n(&files[slot], -1, __ATOMIC_SEQ_CST);

	if (fd >= 0)
		close(fd);
}

void close_files(void)
{
	unsigned int i;

	for (i = 0; i < NUM_FILES; i++)
		close_slot(i);
}

/* Slot 0 is left to whoever opened it. */
static int put_in_slot(unsigned int slot, int fd)
{
	if (fd < 0)
		return -errno;
	fd = __atomic_exchange_n(&files[slot], fd, __ATOMIC_SEQ_CST);
	if (fd >= 0)
		close(fd);
	return 0;
}

static int open_another(unsigned int slot, uint64_t *w)
{
	static const int flags[] = { O_RDWR, O_RDWR | O_CLOEXEC, O_RDONLY, O_WRONLY };
	char path[48];

	snprintf(path, sizeof(path), "/dev/accel/accel%s%u",
		 w[2] & 1 ? "_controlD" : "",
		 (unsigned int)(w[3] % (num_cards + !(w[4] & 7))));
	return put_in_slot(slot, open(path, flags[w[5] & 3]));
}

/* A child makes a call with a file of its parent's. */
static int call_in_child(int fd, uint64_t *w)
{
	pid_t child = fork();
	int status;

	if (!child) {
		/* Whoever else was in malloc() will not come back here. */
		alarm(5);
		do_cb(fd, w + 4);
		do_memory(fd, w);
		_exit(0);
	}
	if (child > 0 && waitpid(child, &status, 0) == child &&
	    WIFEXITED(status) && WEXITSTATUS(status))
		_exit(WEXITSTATUS(status));
	return 0;
}

static int do_file(int fd, uint64_t *w)
{
	static unsigned int closed;
	unsigned int slot = 1 + w[1] % (NUM_FILES - 1);
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLPRI };
	struct stat st;
	void *at;

	switch (w[0] % 12) {
	case 0:
	case 1:
	case 2:
		return open_another(slot, w);
	case 3:
		return put_in_slot(slot, dup(fd));
	case 4:
		/* Programs that do so are kept, and slot 0's takes long: it is not for each. */
		close_slot(++closed % 256 ? slot : 0);
		return 0;
	case 5:
		return poll(&p, 1, 0);
	case 6:
		return fstat(fd, &st);
	case 7:
		return read(fd, arena + 65536, w[2] & 0xffff) < 0 ? -errno : 0;
	case 8:
		return write(fd, arena, w[2] & 0xffff) < 0 ? -errno : 0;
	case 9:
		at = mmap(NULL, 4096ull << (w[2] & 3), PROT_READ, MAP_SHARED, fd, w[3]);
		if (at != MAP_FAILED)
			munmap(at, 4096ull << (w[2] & 3));
		return 0;
	case 10:
		return gt_ioctl(fd, w[2] & 1 ? w[3] : _IOC(w[4] & 3, 'd', w[5] & 0xff, w[6] & 127),
				arena + 65536);
	default:
		return w[2] & 31 ? 0 : call_in_child(fd, w);
	}
}

int run_call(const struct call *c)
{
	struct drm_gaudi_import import = { 0 };
	struct drm_gaudi_query query = { 0 };
	int fd = files[c->file % NUM_FILES];
	uint64_t w[NUM_WORDS];
	unsigned int i;

	if (fd < 0)
		fd = files[0];
	for (i = 0; i < NUM_WORDS; i++)
		w[i] = resolve(c, i);
	switch (c->kind) {
	case K_INFO:
		return do_info(fd, w);
	case K_CB:
		return do_cb(fd, w);
	case K_CS:
		return do_cs(fd, w);
	case K_WAIT:
		return do_wait(fd, w);
	case K_MEMORY:
		return do_memory(fd, w);
	case K_MMAP:
		return do_mmap(fd, w);
	case K_PACKETS:
		return do_packets(fd, w);
	case K_SYNC_CS:
		return do_sync_cs(fd, w);
	case K_DEBUG:
		return do_debug(fd, w);
	case K_NIC:
		return do_nic(fd, w);
	case K_FILE:
		return do_file(fd, w);
	case K_QUERY:
		query.id = w[0];
		query.flags = w[1] & 7 ? 0 : w[1];
		return gt_ioctl(fd, DRM_IOCTL_GAUDI_QUERY, &query);
	case K_IMPORT:
		import.fd = w[0];
		import.flags = w[1] & 3;
		import.hint = w[2];
		return gt_ioctl(fd, DRM_IOCTL_GAUDI_IMPORT, &import);
	}
	return 0;
}
