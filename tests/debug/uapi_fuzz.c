// SPDX-License-Identifier: GPL-2.0-only
/*
 * Coverage-guided calls of the uAPI, in the guest: programs of a few calls are
 * mutated, and those that reach code of the driver that none has reached before
 * (KCOV) are kept, and mutated further. What calls answer does not matter; that
 * the kernel has nothing to say about it, and that the card works at the end,
 * does.
 *
 * uapi_fuzz SECONDS [SEED]
 *
 * Numbers are drawn from what earlier calls have returned as often as from
 * chance, since most calls take a handle. A child does the work, because a reset
 * of the card ends who has it open; what it knows is in shared memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <linux/kcov.h>

#include "gaudi_test.h"
#include "../../uapi/drm/gaudi_accel.h"

#define MAX_CALLS	12
#define NUM_WORDS	10
#define MAX_CORPUS	2048
#define COVER_WORDS	(64 * 1024)
#define SEEN_BITS	16
#define NUM_VALUES	32
#define ROUND_CALLS	64	/* programs until the file is opened anew */

enum kind {
	K_INFO, K_CB, K_CS, K_WAIT, K_MEMORY, K_DEBUG, K_QUERY, K_SYNC_CS,
	K_IMPORT, K_MMAP, NUM_KINDS
};

/* What a word of a call becomes. */
enum how { H_RAW, H_SMALL, H_VALUE, H_POINTER, H_SIZE, H_EDGE, NUM_HOW };

struct call {
	uint8_t kind;
	uint8_t how[NUM_WORDS];
	uint64_t word[NUM_WORDS];
};

struct program {
	uint32_t num;
	struct call call[MAX_CALLS];
};

static struct shared {
	struct program corpus[MAX_CORPUS];
	uint32_t num_corpus;
	uint8_t seen[1 << SEEN_BITS];
	uint32_t num_seen;
	struct program now;	/* for whoever looks at a crash */
	uint64_t runs, calls, good[NUM_KINDS], tried[NUM_KINDS];
	uint32_t rounds;
} *sh;

static uint64_t *cover;
static int kcov_fd = -1, fd = -1;
static uint64_t state;
static uint64_t values[NUM_VALUES];
static unsigned int next_value;
static uint8_t *arena;		/* memory that calls may read and write */

#define ARENA_SIZE	(1 << 20)
#define GUARD_SIZE	(1 << 16)

static uint32_t rnd(uint32_t below)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (state >> 33) % below;
}

static void learn(uint64_t value)
{
	if (value)
		values[next_value++ % NUM_VALUES] = value;
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
		return values[w % NUM_VALUES];
	case H_POINTER:
		return (uintptr_t)arena + w % (ARENA_SIZE / 2) / 64 * 64;
	case H_SIZE:
		return 8ull << w % 20;
	case H_EDGE:
		return edges[w % (sizeof(edges) / sizeof(edges[0]))];
	}
	return w;
}

/* Chunks of a submission, in the arena: half of them make sense. */
static uint64_t make_chunks(const uint64_t *w, uint32_t *num)
{
	struct hl_cs_chunk *chunks = (void *)arena;
	uint32_t i;

	*num = 1 + w[0] % 3;
	memset(chunks, 0, *num * sizeof(*chunks));
	for (i = 0; i < *num; i++) {
		chunks[i].cb_handle = w[1 + i];
		chunks[i].queue_index = w[4] >> 8 * i & 0x7f;
		chunks[i].cb_size = w[5] >> 8 * i & 0xf8;
		if (w[0] & 4)
			chunks[i].queue_index %= 8;
	}
	return (uintptr_t)chunks;
}

static int do_cs(uint64_t *w)
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
	uint32_t num;
	int ret;

	args.in.chunks_execute = make_chunks(w, &num);
	args.in.cs_flags = flags[w[6] % 16] | (w[7] & 15 ? 0 : (uint32_t)w[7]);
	args.in.num_chunks_execute =
		args.in.cs_flags & (HL_CS_FLAGS_SIGNAL | HL_CS_FLAGS_WAIT) ?
		1 : w[8] & 15 ? num : (uint32_t)w[8];
	if (args.in.cs_flags & HL_CS_FLAGS_FORCE_RESTORE) {
		args.in.chunks_restore = args.in.chunks_execute;
		args.in.num_chunks_restore = num;
	}
	if (args.in.cs_flags & HL_CS_FLAGS_WAIT &&
	    !(args.in.cs_flags & HL_CS_FLAGS_ENCAP_SIGNALS)) {
		struct hl_cs_chunk *chunk = (void *)arena;
		uint64_t *seq = (uint64_t *)(arena + 8192);

		*seq = w[9];
		chunk->signal_seq_arr = (uintptr_t)seq;
		chunk->num_signal_seq_arr = 1;
	}
	args.in.seq = w[9];
	ret = gt_ioctl(fd, DRM_IOCTL_HL_CS, &args);
	if (!ret) {
		learn(args.out.seq);
		learn(args.out.handle_id);
	}
	return ret;
}

static int do_sync_cs(uint64_t *w)
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
		learn(create.handle);
	memset(syncs, 0, 2 * sizeof(*syncs));
	syncs[0].handle = w[8] & 1 ? create.handle : w[9];
	syncs[0].point = w[8] & 2 ? w[8] >> 2 & 7 : 0;
	syncs[1] = syncs[0];
	args.in_syncs = args.out_syncs = (uintptr_t)syncs;
	args.num_in_syncs = w[8] >> 5 & 1;
	args.num_out_syncs = w[8] >> 6 & 3;
	ret = gt_ioctl(fd, DRM_IOCTL_GAUDI_CS, &args);
	if (!ret) {
		learn(args.seq);
		if (args.flags & GAUDI_CS_OUT_FENCE_FD)
			learn(args.out_fence_fd);
	}
	return ret;
}

static int do_wait(uint64_t *w)
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
	args.in.timeout_us = w[1] % 20000;
	return gt_ioctl(fd, DRM_IOCTL_HL_WAIT_CS, &args);
}

static int do_memory(uint64_t *w)
{
	union hl_mem_args args = { 0 };
	int ret;

	memcpy(&args.in, w, 24);
	args.in.op = w[3] % 9;
	args.in.flags = w[4];
	args.in.num_of_elements = w[5];
	if (args.in.op == HL_MEM_OP_MAP && w[6] & 3) {
		args.in.flags |= HL_MEM_USERPTR;
		args.in.map_host.host_virt_addr = (uintptr_t)arena +
						  (w[0] & 0xff000);
		args.in.map_host.mem_size &= 0x3ffff;
	}
	if (args.in.op == HL_MEM_OP_ALLOC)
		args.in.alloc.mem_size &= 0xffffffff;
	ret = gt_ioctl(fd, DRM_IOCTL_HL_MEMORY, &args);
	if (ret)
		return ret;
	switch (args.in.op) {
	case HL_MEM_OP_EXPORT_DMABUF_FD:
		close(args.out.fd);
		break;
	default:
		learn(args.out.handle);
	}
	return 0;
}

static int do_cb(uint64_t *w)
{
	union hl_cb_args args = { 0 };
	int ret;

	args.in.cb_handle = w[0];
	args.in.op = w[1] % 4;
	args.in.cb_size = w[2];
	args.in.flags = w[3];
	ret = gt_ioctl(fd, DRM_IOCTL_HL_CB, &args);
	if (!ret && args.in.op == HL_CB_OP_CREATE)
		learn(args.out.cb_handle);
	return ret;
}

/* Shows that there is a mapping, and fills a command buffer. */
static int do_mmap(uint64_t *w)
{
	size_t len = 4096ull << w[1] % 4;
	uint64_t *map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			     w[0]);

	if (map == MAP_FAILED)
		return -errno;
	if (w[2] & 1)
		memset(map, 0, 256);
	else
		memcpy(map, w, NUM_WORDS * 8);
	/* As the first packet: NOP, or whatever w[3] is. */
	if (w[2] & 2)
		map[0] = w[3];
	else
		gt_pkt_nop(map, 0);
	munmap(map, len);
	return 0;
}

static int do_info(uint64_t *w)
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

static int run_call(const struct call *c)
{
	struct hl_debug_args debug = { 0 };
	struct drm_gaudi_import import = { 0 };
	struct drm_gaudi_query query = { 0 };
	uint64_t w[NUM_WORDS];
	unsigned int i;

	for (i = 0; i < NUM_WORDS; i++)
		w[i] = resolve(c, i);
	switch (c->kind) {
	case K_INFO:
		return do_info(w);
	case K_CB:
		return do_cb(w);
	case K_CS:
		return do_cs(w);
	case K_WAIT:
		return do_wait(w);
	case K_MEMORY:
		return do_memory(w);
	case K_MMAP:
		return do_mmap(w);
	case K_SYNC_CS:
		return do_sync_cs(w);
	case K_DEBUG:
		debug.op = w[2] & 3 ? HL_DEBUG_OP_SET_MODE : w[0] % 9;
		debug.input_ptr = w[3] & 7 ? (uintptr_t)arena + 32768 : 0;
		debug.output_ptr = w[4] & 1 ? (uintptr_t)arena + 65536 : 0;
		debug.input_size = debug.output_size = w[5];
		debug.reg_idx = w[6] % 80;
		debug.enable = w[7] & 1;
		memcpy(arena + 32768, w, sizeof(w));
		return gt_ioctl(fd, DRM_IOCTL_HL_DEBUG, &debug);
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

static void random_call(struct call *c)
{
	unsigned int i;

	c->kind = rnd(NUM_KINDS);
	for (i = 0; i < NUM_WORDS; i++) {
		c->how[i] = rnd(NUM_HOW);
		c->word[i] = (uint64_t)rnd(1 << 30) << 34 ^ rnd(1 << 30);
	}
}

static void mutate(struct program *p)
{
	unsigned int i, n = 1 + rnd(4);

	while (n--) {
		switch (rnd(5)) {
		case 0:
			if (p->num < MAX_CALLS)
				random_call(&p->call[p->num++]);
			break;
		case 1:
			if (p->num == 1)
				break;
			p->num--;
			p->call[rnd(p->num + 1)] = p->call[p->num];
			break;
		case 2:
			i = rnd(p->num);
			p->call[i].how[rnd(NUM_WORDS)] = rnd(NUM_HOW);
			break;
		case 3:
			i = rnd(p->num);
			p->call[i].word[rnd(NUM_WORDS)] ^= 1ull << rnd(64);
			break;
		default:
			if (p->num < MAX_CALLS) {
				i = rnd(p->num);
				p->call[p->num++] = p->call[i];
			}
		}
	}
}

/* The beginning: a buffer, its mapping, and a submission of it. */
static void first_program(struct program *p)
{
	unsigned int i;

	memset(p, 0, sizeof(*p));
	p->num = 4;
	p->call[0] = (struct call) { .kind = K_CB, .word = { 0, 0, 4096 } };
	p->call[1] = (struct call) { .kind = K_MMAP };
	p->call[2] = (struct call) { .kind = K_CS, .word = { 4, 0, 0, 0, 0, 8 } };
	p->call[3] = (struct call) { .kind = K_WAIT, .word = { 0, 5000 } };
	for (i = 1; i < 4; i++)
		p->call[i].how[i == 2] = H_VALUE;
}

static bool run_program(const struct program *p)
{
	uint64_t n, i;
	bool fresh = false;

	sh->now = *p;
	__atomic_store_n(&cover[0], 0, __ATOMIC_RELAXED);
	for (i = 0; i < p->num; i++) {
		sh->tried[p->call[i].kind]++;
		sh->good[p->call[i].kind] += run_call(&p->call[i]) >= 0;
	}
	n = __atomic_load_n(&cover[0], __ATOMIC_RELAXED);
	for (i = 0; i < n && i < COVER_WORDS - 1; i++) {
		uint64_t h = cover[i + 1] * 0x9e3779b97f4a7c15ull;
		uint8_t *at = &sh->seen[h >> (64 - SEEN_BITS)];

		if (*at)
			continue;
		*at = 1;
		sh->num_seen++;
		fresh = true;
	}
	sh->runs++;
	sh->calls += p->num;
	return fresh;
}

static void child(time_t end)
{
	struct program p;
	unsigned int i;

	while (time(NULL) < end) {
		fd = gt_open();
		if (fd < 0)
			_exit(1);
		memset(values, 0, sizeof(values));
		for (i = 0; i < ROUND_CALLS && time(NULL) < end; i++) {
			p = sh->corpus[rnd(sh->num_corpus)];
			mutate(&p);
			if (!run_program(&p) || sh->num_corpus == MAX_CORPUS)
				continue;
			sh->corpus[sh->num_corpus] = p;
			sh->num_corpus++;
		}
		close(fd);
		/* What syncs and exports have left open. */
		for (i = kcov_fd + 1; i < 64; i++)
			close(i);
		sh->rounds++;
	}
	_exit(0);
}

static bool kcov_start(void)
{
	kcov_fd = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);
	if (kcov_fd < 0 || ioctl(kcov_fd, KCOV_INIT_TRACE, COVER_WORDS))
		return false;
	cover = mmap(NULL, COVER_WORDS * 8, PROT_READ | PROT_WRITE, MAP_SHARED,
		     kcov_fd, 0);
	return cover != MAP_FAILED && !ioctl(kcov_fd, KCOV_ENABLE, KCOV_TRACE_PC);
}

static bool card_works(void)
{
	struct gt_cb cb;

	fd = gt_wait_operational(300) ? -1 : gt_open();
	if (fd < 0 || gt_cb_create(fd, 4096, &cb))
		return false;
	cb.len = gt_pkt_nop(cb.map, 0);
	return !gt_run(fd, GAUDI_QUEUE_ID_DMA_0_0, &cb);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {
		"info", "cb", "cs", "wait", "memory", "debug", "query",
		"sync cs", "import", "mmap",
	};
	uint32_t seed = argc > 2 ? atoi(argv[2]) : time(NULL), deaths = 0, i;
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 60);
	pid_t pid;
	int status;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (access("/sys/kernel/debug/kcov", R_OK)) {
		printf("1..0 # SKIP no KCOV in this kernel\n");
		return 4;
	}
	sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE,
		  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	/*
	 * What is mapped from within the arena on must not reach what follows:
	 * the card writes where it may, and that would be our own memory.
	 */
	arena = mmap(NULL, ARENA_SIZE + GUARD_SIZE, PROT_NONE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (sh == MAP_FAILED || arena == MAP_FAILED ||
	    mprotect(arena, ARENA_SIZE, PROT_READ | PROT_WRITE))
		return 1;
	first_program(&sh->corpus[0]);
	sh->num_corpus = 1;
	printf("1..2\n# seed %u\n", seed);
	while (time(NULL) < end) {
		state = seed + deaths;
		pid = fork();
		if (!pid) {
			if (!kcov_start())
				_exit(2);
			child(end);
		}
		waitpid(pid, &status, 0);
		if (WIFEXITED(status) && WEXITSTATUS(status)) {
			printf("not ok 1 the card can be opened, and KCOV used\n");
			return 1;
		}
		deaths += WIFSIGNALED(status);
	}
	printf("# %lu programs, %lu calls, %u kept, %u places reached\n",
	       (unsigned long)sh->runs, (unsigned long)sh->calls,
	       sh->num_corpus, sh->num_seen);
	printf("# opened %u times, ended by a reset %u times\n", sh->rounds,
	       deaths);
	for (i = 0; i < NUM_KINDS; i++)
		printf("# %s: %lu of %lu calls were taken\n", names[i],
		       (unsigned long)sh->good[i], (unsigned long)sh->tried[i]);
	/* Else it has tested nothing but refusals. */
	status = sh->num_corpus > 20 && sh->good[K_CS] && sh->good[K_MEMORY];
	printf("%sok 1 programs reach the driver\n", status ? "" : "not ");
	deaths = card_works();
	printf("%sok 2 the card works at the end\n", deaths ? "" : "not ");
	return !(status && deaths);
}
