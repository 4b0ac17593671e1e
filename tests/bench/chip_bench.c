// SPDX-License-Identifier: GPL-2.0-only
/*
 * How fast the card's library is, as QEMU builds it and listens to it, without
 * QEMU or a guest: bulk copies against memcpy() of the same bytes in the same
 * run, packets, doorbells, idleness.
 *
 * Prints one row per line, with --json as JSON objects. --copies TEXT measures only
 * the copies with this in their names.
 */
#define _GNU_SOURCE
#include <string.h>
#include <unistd.h>

#include "../unit/chip/card/snapshot.h"
#include "rows.h"

#define MIB		(1ull << 20)
#define SW_ALL_RST	0xc4b498u
#define SOB_W_S		(CFG + SM_W_S + SOB(0))
/* Where things are in the host's RAM; bulk data starts at 16 MiB. */
#define RING		0x0ull
#define DONE_OFF	0x20000ull
#define CB_OFF		0x100000ull
#define DATA_OFF	(16 * MIB)
#define DATA_SIZE	(64 * MIB)
#define ROUNDS		7
#define COPIES		20

static struct card *card;
static struct queue q;
static uint32_t done;		/* jobs */
static const char *copies;	/* only these */

/* --- driving a queue -------------------------------------------------- */

static void put_copy(struct cb *cb, uint64_t src, uint64_t dst, uint32_t size)
{
	put_packet(cb, size, 0x09000000 | 1u << 3);
	put64(cb, src);
	put64(cb, dst);
}

/* The completion that the drivers use: a write to memory, after the engine. */
static void put_done(struct cb *cb)
{
	put_msg_prot(cb, ram_dev(DONE_OFF), ++done);
}

static void submit(const struct cb *cb)
{
	queue_put(card, &q, cb->addr, cb->len);
	queue_ring(card, &q);
}

static bool is_done(void)
{
	uint32_t *at = (uint32_t *)(void *)(card->ram + DONE_OFF);

	return __atomic_load_n(at, __ATOMIC_ACQUIRE) == done;
}

static void wait_done(void)
{
	double end = wall() + 20;

	while (!is_done())
		if (wall() > end)
			die("a job did not end within 20 s");
}

/* --- rows ------------------------------------------------------------- */

static double greater(double a, double b)
{
	return a > b ? a : b;
}

/* Seconds for memcpy() of the data area in blocks of this size. */
static double time_memcpy(uint8_t *dst, const uint8_t *src, size_t block)
{
	double start = wall();
	size_t off;

	for (off = 0; off < DATA_SIZE; off += block)
		memcpy(dst + off, src + off, block);
	return wall() - start;
}

static double time_dma(uint64_t src, uint64_t dst,
		       uint32_t block)
{
	struct cb cb = cb_host(card, CB_OFF);
	double start = wall();
	uint64_t off;

	for (off = 0; off < DATA_SIZE; off += block)
		put_copy(&cb, src + off, dst + off, block);
	put_done(&cb);
	submit(&cb);
	/* Asleep, as a guest's CPU would be: the workers need the cores. */
	gaudi_chip_wait_idle(card->chip, 20000);
	wait_done();
	return wall() - start;
}

/*
 * One leg: memcpy() between the same two areas, then the card, in turns, so
 * that both see the same neighbours. These only ever slow a copy down, and hit
 * a thread that has to wake up more than one that runs: the best are compared.
 */
static void bench_leg(const char *name, bool src_host,
		      bool dst_host, uint32_t block, double goal)
{
	const uint64_t hbm_src = 0x20000000, hbm_dst = 0x30000000;
	uint64_t src = src_host ? ram_dev(DATA_OFF) : hbm_src;
	uint64_t dst = dst_host ? ram_dev(DATA_OFF + DATA_SIZE) : hbm_dst;
	uint8_t *hbm = card_hbm(card), *ram = card->ram + DATA_OFF;
	uint8_t *psrc = src_host ? ram : hbm + hbm_src;
	uint8_t *pdst = dst_host ? ram + DATA_SIZE : hbm + hbm_dst;
	double ours = 0, peer = 0;
	unsigned int i;

	if (copies && !strstr(name, copies))
		return;
	time_memcpy(pdst, psrc, block);
	time_dma(src, dst, block);
	memset(psrc, 0x5a, DATA_SIZE);
	memset(pdst, 0, DATA_SIZE);
	for (i = 0; i < COPIES; i++) {
		peer = greater(peer, DATA_SIZE / 1e9 /
			       time_memcpy(pdst, psrc, block));
		ours = greater(ours, DATA_SIZE / 1e9 /
			       time_dma(src, dst, block));
	}
	if (memcmp(psrc, pdst, DATA_SIZE))
		die("copied data differ");
	row(name, ours, peer, "GB/s", goal);
}

static void bench_copies(void)
{
	bench_leg("hbm->hbm 1 MiB blocks", false, false, MIB, 0.8);
	bench_leg("hbm->hbm 64 MiB block", false, false, 64 * MIB, 0.8);
	bench_leg("host->hbm 1 MiB blocks", true, false, MIB, 0.7);
	bench_leg("hbm->host 1 MiB blocks", false, true, MIB, 0.7);
	card->page = 4096;
	bench_leg("host->hbm 1 MiB, 4 KiB pages", true, false, MIB, 0.7);
	bench_leg("hbm->host 1 MiB, 4 KiB pages", false, true, MIB, 0.7);
	card->page = 0;
	bench_leg("hbm->hbm 64 KiB blocks", false, false, 64 << 10, 0.3);
}

/*
 * Nanoseconds per packet of a buffer that holds n of them; of CPU time, which
 * neighbours on a busy machine change little.
 */
static double time_packets(struct cb *cb, unsigned int n)
{
	double ns[ROUNDS], start;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		cb->len -= i ? 16 : 0;
		put_done(cb);
		start = cpu();
		submit(cb);
		gaudi_chip_wait_idle(card->chip, 20000);
		wait_done();
		ns[i] = (cpu() - start) * 1e9 / n;
	}
	return median(ns, ROUNDS);
}

/* --- packets: each puts number i of its kind --- */

static void long_to_sob(struct cb *cb, unsigned int i)
{
	put_msg_long(cb, SOB_W_S + 4 * (144 + i % 64), i & 0x7fff);
}

static void long_to_host(struct cb *cb, unsigned int i)
{
	put_msg_long(cb, ram_dev(DONE_OFF + 0x1000 + 4 * (i % 64)), i);
}

static void short_to_sob(struct cb *cb, unsigned int i)
{
	put_packet(cb, i & 0x7fff, 0x04000000 | 3u << 22 | 4 * (144 + i % 64));
}

static void wreg(struct cb *cb, unsigned int i)
{
	put_wreg(cb, 0x14, i);		/* SRC_BASE_LO */
}

static void open_fence(struct cb *cb, unsigned int i)
{
	(void)i;
	put_fence(cb, 0, 0, 0);
}

/* In turns: a message opens a fence of this stream, which passes it. */
static void handshake(struct cb *cb, unsigned int i)
{
	if (i % 2)
		put_fence(cb, 0, 1, 1);
	else
		put_msg_long(cb, CFG + DMA_QM(0) + 0x308, 1);
}

static void bench_packets(void)
{
	static const struct {
		const char *name;
		void (*put)(struct cb *cb, unsigned int i);
	} kind[] = {
		{ "MSG_LONG to a sync object", long_to_sob },
		{ "MSG_LONG to host memory", long_to_host },
		{ "MSG_SHORT to a sync object", short_to_sob },
		{ "WREG_32 to the engine", wreg },
		{ "FENCE, already open", open_fence },
		{ "FENCE, and the MSG_LONG for it", handshake },
	};
	const unsigned int n = 100000;
	unsigned int i, k;

	for (k = 0; k < sizeof(kind) / sizeof(kind[0]); k++) {
		struct cb cb = cb_host(card, CB_OFF);

		for (i = 0; i < n; i++)
			kind[k].put(&cb, i);
		limit(kind[k].name, time_packets(&cb, n), "ns", 150);
	}
}

/* From a doorbell to the completion of an empty job, and of one copy. */
static void bench_doorbell(const char *name, uint32_t copy,
			   unsigned int pause_us, double goal)
{
	const unsigned int n = 301;
	struct cb cb = cb_host(card, CB_OFF);
	double us[301], start;
	unsigned int i;

	for (i = 0; i < n; i++) {
		cb.len = 0;
		if (copy)
			put_copy(&cb, 0x20000000, 0x30000000, copy);
		put_done(&cb);
		usleep(pause_us);
		start = wall();
		submit(&cb);
		wait_done();
		us[i] = (wall() - start) * 1e6;
	}
	limit(name, median(us, n), "us", goal);
}

/*
 * The longest that a register read takes while a hard reset gives back 1 GiB
 * of HBM: the guest's CPU stands still meanwhile.
 */
static void bench_reset(void)
{
	uint8_t *end = card_hbm(card) + 0x3fffffff;
	double ms[ROUNDS], longest, start;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		memset(card_hbm(card), 1, 0x40000000);
		longest = 0;
		wr(card, SW_ALL_RST, 1);
		do {
			start = wall();
			rd(card, 0);
			longest = greater(longest, (wall() - start) * 1e3);
		} while (__atomic_load_n(end, __ATOMIC_RELAXED));
		gaudi_chip_wait_idle(card->chip, 20000);
		ms[i] = longest;
	}
	limit("register read during a reset", median(ms, ROUNDS), "ms", 50);
	/* QEMU's big lock is held over one that comes by the bus. */
	for (i = 0; i < ROUNDS; i++) {
		memset(card_hbm(card), 1, 0x40000000);
		start = wall();
		gaudi_chip_power_on(card->chip);
		ms[i] = (wall() - start) * 1e3;
	}
	limit("reset with 1 GiB of HBM used", median(ms, ROUNDS), "ms", 50);
}

/* To and from memory, of a card at rest. What HBM never held takes nothing. */
static void bench_snapshot(void)
{
	struct snapshot snap = { 0 };
	double save[ROUNDS], load[ROUNDS], start, saved;
	unsigned int i;

	gaudi_chip_power_on(card->chip);
	memset(card_hbm(card), 1, 0x8000000);
	for (i = 0; i < ROUNDS; i++) {
		start = wall();
		if (snapshot_save(&snap, card))
			die(snap.why);
		saved = wall();
		if (snapshot_load(&snap, card))
			die(snap.why);
		save[i] = (saved - start) * 1e3;
		load[i] = (wall() - saved) * 1e3;
	}
	snapshot_free(&snap);
	limit("snapshot with 128 MiB of HBM used", median(save, ROUNDS), "ms", 300);
	limit("a card from it", median(load, ROUNDS), "ms", 300);
}

static void bench_register(void)
{
	const unsigned int n = 200000;
	double start = cpu();
	unsigned int i;

	for (i = 0; i < n; i++)
		wr(card, DMA_QM(1) + 0x70, i);
	limit("register write", (cpu() - start) * 1e9 / n, "ns", 150);
}

static void bench_idle(void)
{
	double before = cpu();

	usleep(1000000);
	limit("idle card, CPU of a core", (cpu() - before) * 100, "%", 3);
}

/* Registers, packets and doorbells. */
static void bench_small(void)
{
	bench_register();
	bench_packets();
	bench_doorbell("doorbell to completion, idle", 0, 200, 15);
	bench_doorbell("doorbell, 4 KiB copy, idle", 4096, 200, 20);
	bench_doorbell("doorbell, 256 KiB copy, idle", 256 << 10, 200, 100);
}

int main(int argc, char **argv)
{
	const struct gaudi_config whole = { 0 };
	int i;

	for (i = 1; i < argc; i++) {
		json |= !strcmp(argv[i], "--json");
		if (!strcmp(argv[i], "--copies") && i + 1 < argc)
			copies = argv[++i];
	}
	card = card_new(&whole, sysconf(_SC_NPROCESSORS_ONLN));
	q = queue_external(card, 0, RING);
	wr(card, DMA_CORE(0) + 0xf4, 0x400);	/* NON_SECURE_PROPS: bypass */
	if (!copies)
		bench_small();
	bench_copies();
	if (!copies) {
		bench_idle();
		bench_reset();
		bench_snapshot();
	}
	card_free(card);
	return 0;
}
