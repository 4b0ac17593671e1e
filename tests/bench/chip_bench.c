// SPDX-License-Identifier: GPL-2.0-only
/*
 * How fast the card's library is, as QEMU builds it and listens to it, without
 * QEMU or a guest: bulk copies against memcpy() of the same bytes in the same
 * run, packets, doorbells, idleness.
 *
 * Prints one row per line: name, ours, peer, unit, ratio, goal, ok. With
 * --json rows are JSON objects, one per line. A row
 * whose goal is a ratio compares with the peer, one without a peer compares
 * with the goal itself. Exits 1 if a row misses its goal and --strict is given.
 * --copies TEXT measures only the copies with this in their names.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "../../qemu-device/chip/gaudi_chip.h"

#define MIB		(1ull << 20)
#define RAM_BASE	0x40000000ull
#define RAM_SIZE	(160 * MIB)
#define HOST		0x8000000000ull
#define CFG_IN_BAR	0x4000000ull
#define CFG		0x7ffc000000ull
#define DMA_CORE(n)	(0x500000u + (n) * 0x20000u)
#define DMA_QM(n)	(0x508000u + (n) * 0x20000u)
#define SW_ALL_RST	0xc4b498u
#define SOB_W_S		0x7ffc492000ull
/* Where things are in the host's RAM; bulk data starts at 16 MiB. */
#define PQ_OFF		0x0ull
#define DONE_OFF	0x20000ull
#define CB_OFF		0x100000ull
#define DATA_OFF	(16 * MIB)
#define DATA_SIZE	(64 * MIB)
#define PQ_LOG2		10
#define ROUNDS		7
#define COPIES		20

struct host {
	struct gaudi_chip *chip;
	uint8_t *ram;
	uint8_t *hbm;
	size_t page;		/* contiguous host memory; 0: all of it */
	uint32_t pi;
	uint32_t done;
	atomic_uint msi;
};

static bool json, strict, missed;
static const char *copies;	/* only these */

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void die(const char *what)
{
	fprintf(stderr, "chip_bench: %s\n", what);
	exit(2);
}

/* --- the slot --------------------------------------------------------- */

static uint8_t *at(struct host *h, uint64_t addr, size_t len)
{
	if (addr < RAM_BASE || addr - RAM_BASE > RAM_SIZE - len)
		die("the card left the host's RAM");
	return h->ram + (addr - RAM_BASE);
}

static int op_read(void *opaque, uint64_t addr, void *buf, size_t len)
{
	memcpy(buf, at(opaque, addr, len), len);
	return 0;
}

static int op_write(void *opaque, uint64_t addr, const void *buf, size_t len)
{
	uint8_t *p = at(opaque, addr, len);
	uint32_t v;

	if (len == 4) {
		memcpy(&v, buf, 4);
		__atomic_store_n((uint32_t *)(void *)p, v, __ATOMIC_RELEASE);
	} else {
		memcpy(p, buf, len);
	}
	return 0;
}

static void *op_map(void *opaque, uint64_t addr, size_t *len, bool write)
{
	struct host *h = opaque;
	size_t left;

	(void)write;
	if (h->page) {
		left = h->page - addr % h->page;
		*len = *len < left ? *len : left;
	}
	return at(h, addr, *len);
}

static void op_unmap(void *opaque, void *ptr, size_t len, bool write,
		     size_t accessed)
{
	(void)opaque;
	(void)ptr;
	(void)len;
	(void)write;
	(void)accessed;
}

static void op_msi(void *opaque, unsigned int vector)
{
	struct host *h = opaque;

	(void)vector;
	h->msi++;
}

static void op_window(void *opaque, uint64_t target)
{
	(void)opaque;
	(void)target;
}

static uint64_t op_now(void *opaque)
{
	(void)opaque;
	return now_ns();
}

static void op_timer(void *opaque, uint64_t deadline_ns)
{
	(void)opaque;
	(void)deadline_ns;
}

static void op_kick(void *opaque)
{
	(void)opaque;
}

static void op_log(void *opaque, enum gaudi_log_level level, const char *line)
{
	(void)opaque;
	if (level == GAUDI_LOG_GUEST_ERROR)
		fprintf(stderr, "card: %s\n", line);
}

/* As in QEMU, which listens when its user asks for it. */
static volatile uint32_t traced;

static uint32_t op_traced(void *opaque)
{
	(void)opaque;
	return traced;
}

static void op_trace(void *opaque, const struct gaudi_trace *event)
{
	(void)opaque;
	(void)event;
	die("the card traces what nobody listens to");
}

static const struct gaudi_host_ops ops = {
	.dma_read = op_read,
	.dma_write = op_write,
	.dma_map = op_map,
	.dma_unmap = op_unmap,
	.msi = op_msi,
	.hbm_window = op_window,
	.now_ns = op_now,
	.timer = op_timer,
	.kick = op_kick,
	.log = op_log,
	.traced = op_traced,
	.trace = op_trace,
};

/* --- driving a queue -------------------------------------------------- */

static void wr(struct host *h, uint32_t off, uint32_t value)
{
	gaudi_chip_bar_write(h->chip, 2, CFG_IN_BAR + off, value, 4);
}

static void queue_init(struct host *h)
{
	uint64_t pq = HOST + RAM_BASE + PQ_OFF;
	uint32_t qm = DMA_QM(0);

	wr(h, qm + 0x70, pq);
	wr(h, qm + 0x80, pq >> 32);
	wr(h, qm + 0x90, PQ_LOG2);
	wr(h, qm + 0xa0, 0);
	wr(h, qm + 0xb0, 0);
	wr(h, qm + 0x2c8, 0x74);
	wr(h, qm + 0x2e0, 0x14);
	wr(h, qm + 0x2f4, 0x1c);
	wr(h, qm + 0x2a0, (uint32_t)SOB_W_S);
	wr(h, qm + 0x2b4, SOB_W_S >> 32);
	wr(h, qm + 0x8, 0x5eff);
	wr(h, qm + 0x0, 0x1eff);
	wr(h, DMA_CORE(0) + 0xf0, 0x400);
	wr(h, DMA_CORE(0) + 0xf4, 0x400);
	wr(h, DMA_CORE(0) + 0x0, 1);
}

/* A command buffer under construction, in the host's RAM. */
struct cb {
	uint8_t *start;
	uint32_t len;
};

static void put32(struct cb *cb, uint32_t v)
{
	memcpy(cb->start + cb->len, &v, 4);
	cb->len += 4;
}

static void put64(struct cb *cb, uint64_t v)
{
	memcpy(cb->start + cb->len, &v, 8);
	cb->len += 8;
}

static void put_lin_dma(struct cb *cb, uint64_t src, uint64_t dst,
			uint32_t size)
{
	put32(cb, size);
	put32(cb, 0x09u << 24 | 1u << 3);
	put64(cb, src);
	put64(cb, dst);
}

/* The completion that the drivers use: a write to memory, after the engine. */
static void put_done(struct host *h, struct cb *cb)
{
	put32(cb, ++h->done);
	put32(cb, 0x07u << 24 | 1u << 29 | 1u << 31);
	put64(cb, HOST + RAM_BASE + DONE_OFF);
}

static void submit(struct host *h, const struct cb *cb)
{
	uint8_t *bd = h->ram + PQ_OFF + 16 * (h->pi & ((1u << PQ_LOG2) - 1));
	uint64_t ptr = HOST + RAM_BASE + (cb->start - h->ram);

	memcpy(bd, &ptr, 8);
	memcpy(bd + 8, &cb->len, 4);
	memset(bd + 12, 0, 4);
	h->pi = (h->pi + 1) & ((2u << PQ_LOG2) - 1);
	wr(h, DMA_QM(0) + 0xa0, h->pi);
}

static bool is_done(struct host *h)
{
	uint32_t *done = (uint32_t *)(void *)(h->ram + DONE_OFF);

	return __atomic_load_n(done, __ATOMIC_ACQUIRE) == h->done;
}

static void wait_done(struct host *h)
{
	uint64_t end = now_ns() + 20000000000ull;

	while (!is_done(h))
		if (now_ns() > end)
			die("a job did not end within 20 s");
}

/* --- rows ------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, unsigned int n)
{
	qsort(v, n, sizeof(*v), compare);
	return v[n / 2];
}

/* peer 0: the goal is an upper limit for ours. */
static void row(const char *name, double ours, double peer, const char *unit,
		double goal)
{
	double ratio = peer ? ours / peer : 0;
	bool ok = peer ? ratio >= goal : ours <= goal;

	missed |= !ok;
	if (json)
		printf("{\"name\": \"%s\", \"ours\": %.4g, \"peer\": %.4g, \"unit\": \"%s\", \"ratio\": %.3f, \"goal\": %.3g, \"ok\": %s}\n",
		       name, ours, peer, unit, ratio, goal,
		       ok ? "true" : "false");
	else
		printf("%-34s %10.4g %10.4g %-8s ratio %6.3f goal %-6.3g %s\n",
		       name, ours, peer, unit, ratio, goal,
		       ok ? "ok" : "MISSED");
	fflush(stdout);
}

static double greater(double a, double b)
{
	return a > b ? a : b;
}

/* Seconds for memcpy() of the data area in blocks of this size. */
static double time_memcpy(uint8_t *dst, const uint8_t *src, size_t block)
{
	uint64_t start = now_ns();
	size_t off;

	for (off = 0; off < DATA_SIZE; off += block)
		memcpy(dst + off, src + off, block);
	return (now_ns() - start) / 1e9;
}

static double time_dma(struct host *h, uint64_t src, uint64_t dst,
		       uint32_t block)
{
	struct cb cb = { .start = h->ram + CB_OFF };
	uint64_t start = now_ns();
	uint64_t off;

	for (off = 0; off < DATA_SIZE; off += block)
		put_lin_dma(&cb, src + off, dst + off, block);
	put_done(h, &cb);
	submit(h, &cb);
	/* Asleep, as a guest's CPU would be: the workers need the cores. */
	gaudi_chip_wait_idle(h->chip, 20000);
	wait_done(h);
	return (now_ns() - start) / 1e9;
}

/*
 * One leg: memcpy() between the same two areas, then the card, in turns, so
 * that both see the same neighbours. These only ever slow a copy down, and hit
 * a thread that has to wake up more than one that runs: the best are compared.
 */
static void bench_leg(struct host *h, const char *name, bool src_host,
		      bool dst_host, uint32_t block, double goal)
{
	const uint64_t hbm_src = 0x20000000, hbm_dst = 0x30000000;
	uint64_t src = src_host ? HOST + RAM_BASE + DATA_OFF : hbm_src;
	uint64_t dst = dst_host ? HOST + RAM_BASE + DATA_OFF + DATA_SIZE :
				  hbm_dst;
	uint8_t *psrc = src_host ? h->ram + DATA_OFF : h->hbm + hbm_src;
	uint8_t *pdst = dst_host ? h->ram + DATA_OFF + DATA_SIZE :
				   h->hbm + hbm_dst;
	double ours = 0, peer = 0;
	unsigned int i;

	if (copies && !strstr(name, copies))
		return;
	time_memcpy(pdst, psrc, block);
	time_dma(h, src, dst, block);
	memset(psrc, 0x5a, DATA_SIZE);
	memset(pdst, 0, DATA_SIZE);
	for (i = 0; i < COPIES; i++) {
		peer = greater(peer, DATA_SIZE / 1e9 /
			       time_memcpy(pdst, psrc, block));
		ours = greater(ours, DATA_SIZE / 1e9 /
			       time_dma(h, src, dst, block));
	}
	if (memcmp(psrc, pdst, DATA_SIZE))
		die("copied data differ");
	row(name, ours, peer, "GB/s", goal);
}

static void bench_copies(struct host *h)
{
	bench_leg(h, "hbm->hbm 1 MiB blocks", false, false, MIB, 0.8);
	bench_leg(h, "hbm->hbm 64 MiB block", false, false, 64 * MIB, 0.8);
	bench_leg(h, "host->hbm 1 MiB blocks", true, false, MIB, 0.7);
	bench_leg(h, "hbm->host 1 MiB blocks", false, true, MIB, 0.7);
	h->page = 4096;
	bench_leg(h, "host->hbm 1 MiB, 4 KiB pages", true, false, MIB, 0.7);
	bench_leg(h, "hbm->host 1 MiB, 4 KiB pages", false, true, MIB, 0.7);
	h->page = 0;
	bench_leg(h, "hbm->hbm 64 KiB blocks", false, false, 64 << 10, 0.3);
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/*
 * Nanoseconds per packet of a buffer that holds n of them; of CPU time, which
 * neighbours on a busy machine change little.
 */
static double time_packets(struct host *h, struct cb *cb, unsigned int n)
{
	double ns[ROUNDS];
	uint64_t start;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		cb->len -= i ? 16 : 0;
		put_done(h, cb);
		start = cpu_ns();
		submit(h, cb);
		gaudi_chip_wait_idle(h->chip, 20000);
		wait_done(h);
		ns[i] = (double)(cpu_ns() - start) / n;
	}
	return median(ns, ROUNDS);
}

/* --- packets: each puts number i of its kind --- */

static void put_head(struct cb *cb, uint32_t first, uint32_t opcode,
		     uint32_t ctl)
{
	put32(cb, first);
	put32(cb, opcode << 24 | ctl);
}

static void put_msg_long(struct cb *cb, unsigned int i)
{
	put_head(cb, i & 0x7fff, 0x03, 0);
	put64(cb, SOB_W_S + 4 * (144 + i % 64));
}

static void put_msg_host(struct cb *cb, unsigned int i)
{
	put_head(cb, i, 0x03, 0);
	put64(cb, HOST + RAM_BASE + DONE_OFF + 0x1000 + 4 * (i % 64));
}

static void put_msg_short(struct cb *cb, unsigned int i)
{
	put_head(cb, i & 0x7fff, 0x04, 3u << 22 | 4 * (144 + i % 64));
}

static void put_wreg(struct cb *cb, unsigned int i)
{
	put_head(cb, i, 0x01, 0x14 << 8);	/* SRC_BASE_LO */
}

static void put_fence(struct cb *cb, unsigned int i)
{
	(void)i;
	put_head(cb, 0, 0x08, 0);
}

/* In turns: a message opens a fence of this stream, which passes it. */
static void put_handshake(struct cb *cb, unsigned int i)
{
	if (i % 2) {
		put_head(cb, 1u << 16 | 1, 0x08, 0);
		return;
	}
	put_head(cb, 1, 0x03, 0);
	put64(cb, CFG + DMA_QM(0) + 0x308);
}

static void bench_packets(struct host *h)
{
	static const struct {
		const char *name;
		void (*put)(struct cb *cb, unsigned int i);
	} kind[] = {
		{ "MSG_LONG to a sync object", put_msg_long },
		{ "MSG_LONG to host memory", put_msg_host },
		{ "MSG_SHORT to a sync object", put_msg_short },
		{ "WREG_32 to the engine", put_wreg },
		{ "FENCE, already open", put_fence },
		{ "FENCE, and the MSG_LONG for it", put_handshake },
	};
	const unsigned int n = 100000;
	unsigned int i, k;

	for (k = 0; k < sizeof(kind) / sizeof(kind[0]); k++) {
		struct cb cb = { .start = h->ram + CB_OFF };

		for (i = 0; i < n; i++)
			kind[k].put(&cb, i);
		row(kind[k].name, time_packets(h, &cb, n), 0, "ns", 150);
	}
}

/* From a doorbell to the completion of an empty job, and of one copy. */
static void bench_doorbell(struct host *h, const char *name, uint32_t copy,
			   unsigned int pause_us, double goal)
{
	const unsigned int n = 301;
	struct cb cb = { .start = h->ram + CB_OFF };
	double us[301];
	uint64_t start;
	unsigned int i;

	for (i = 0; i < n; i++) {
		cb.len = 0;
		if (copy)
			put_lin_dma(&cb, 0x20000000, 0x30000000, copy);
		put_done(h, &cb);
		usleep(pause_us);
		start = now_ns();
		submit(h, &cb);
		wait_done(h);
		us[i] = (now_ns() - start) / 1e3;
	}
	row(name, median(us, n), 0, "us", goal);
}

/*
 * The longest that a register read takes while a hard reset gives back 1 GiB
 * of HBM: the guest's CPU stands still meanwhile.
 */
static void bench_reset(struct host *h)
{
	uint8_t *end = h->hbm + 0x3fffffff;
	double ms[ROUNDS], longest;
	uint64_t start;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		memset(h->hbm, 1, 0x40000000);
		longest = 0;
		wr(h, SW_ALL_RST, 1);
		do {
			start = now_ns();
			gaudi_chip_bar_read(h->chip, 2, CFG_IN_BAR, 4);
			longest = greater(longest, (now_ns() - start) / 1e6);
		} while (__atomic_load_n(end, __ATOMIC_RELAXED));
		gaudi_chip_wait_idle(h->chip, 20000);
		ms[i] = longest;
	}
	row("register read during a reset", median(ms, ROUNDS), 0, "ms", 50);
	/* QEMU's big lock is held over one that comes by the bus. */
	for (i = 0; i < ROUNDS; i++) {
		memset(h->hbm, 1, 0x40000000);
		start = now_ns();
		gaudi_chip_power_on(h->chip);
		ms[i] = (now_ns() - start) / 1e6;
	}
	row("reset with 1 GiB of HBM used", median(ms, ROUNDS), 0, "ms", 50);
}

static void bench_register(struct host *h)
{
	const unsigned int n = 200000;
	uint64_t start = cpu_ns();
	unsigned int i;

	for (i = 0; i < n; i++)
		wr(h, DMA_QM(1) + 0x70, i);
	row("register write", (double)(cpu_ns() - start) / n, 0, "ns", 150);
}

static double cpu_seconds(void)
{
	return cpu_ns() / 1e9;
}

static void bench_idle(void)
{
	double before = cpu_seconds();

	usleep(1000000);
	row("idle card, CPU of a core", (cpu_seconds() - before) * 100, 0, "%",
	    3);
}

/* Registers, packets and doorbells. */
static void bench_small(struct host *h)
{
	bench_register(h);
	bench_packets(h);
	bench_doorbell(h, "doorbell to completion, idle", 0, 200, 15);
	bench_doorbell(h, "doorbell, 4 KiB copy, idle", 4096, 200, 20);
	bench_doorbell(h, "doorbell, 256 KiB copy, idle", 256 << 10, 200, 100);
}

int main(int argc, char **argv)
{
	struct host h = { 0 };
	struct gaudi_pool *pool;
	uint64_t size;
	int i, err;

	for (i = 1; i < argc; i++) {
		json |= !strcmp(argv[i], "--json");
		strict |= !strcmp(argv[i], "--strict");
		if (!strcmp(argv[i], "--copies") && i + 1 < argc)
			copies = argv[++i];
	}
	h.ram = mmap(NULL, RAM_SIZE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (h.ram == MAP_FAILED)
		die("no memory");
	pool = gaudi_pool_new(0, NULL, NULL, &err);
	if (pool)
		h.chip = gaudi_chip_new(NULL, &ops, &h, pool, &err);
	if (!h.chip)
		die(strerror(-err));
	h.hbm = gaudi_chip_hbm(h.chip, &size, NULL);
	queue_init(&h);
	if (!copies)
		bench_small(&h);
	bench_copies(&h);
	if (!copies) {
		bench_idle();
		bench_reset(&h);
	}
	gaudi_chip_free(h.chip);
	gaudi_pool_free(pool);
	munmap(h.ram, RAM_SIZE);
	return strict && missed;
}
