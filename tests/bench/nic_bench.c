// SPDX-License-Identifier: GPL-2.0-only
/*
 * How fast the ports of cards in one process are: a link against memcpy() of the same
 * bytes, entries, a write to a peer's sync object, eight cards all to all.
 *
 * Prints one row per line, with --json as JSON objects.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "../unit/chip/nic/ports.h"
#include "rows.h"

#define MIB		(1ull << 20)
#define SRC		0x2c000000ull
#define DST		0x34000000ull
#define LINK_BYTES	(64 * MIB)
#define ALL_BYTES	(8 * MIB)	/* each pair, each way */
#define ROUNDS		7
#define CARDS		8
#define QP		5u
#define ENTRY		8192u
#define SECONDS		60

/* What goes one way over a link. */
struct flow {
	struct card *from, *to;
	unsigned int port;
	uint32_t pi, done;		/* entries */
};

/* --- links --------------------------------------------------------------- */

static void join(struct card *a, unsigned int port_a, struct card *b,
		    unsigned int port_b)
{
	if (gaudi_chip_connect(a->chip, port_a, b->chip, port_b))
		die("the ports cannot be joined");
}

static void open_port(struct card *card, unsigned int port)
{
	port_on(card, port);
	qp_open(card, port, QP);
}

/* All entries of a ring: so much from its own place to its own place. */
static void fill_ring(struct card *card, unsigned int port, uint64_t src,
		      uint64_t dst, uint32_t size, uint64_t area)
{
	struct wqe wqe = { .opcode = 2, .size = size, .sob = NO_SOB };
	unsigned int i;

	for (i = 0; i < WQ_ENTRIES; i++) {
		wqe.local = src + (uint64_t)i * size % area;
		wqe.remote = dst + (uint64_t)i * size % area;
		wqe.ack = i % 16 == 15;
		qp_put(card, port, QP, i, &wqe);
	}
}

/* The consumer index, bit 436 on: the ring is short enough for one load to get it. */
static uint32_t done_index(struct flow *f)
{
	const volatile uint16_t *word = req_ctx(f->from, f->port, QP);

	return word[436 / 16] >> 436 % 16;
}

/*
 * Keeps up to half a ring of entries under way until so many are done. An area that is
 * longer than the ring is written by entries that move on.
 */
static void pump(struct flow *f, unsigned int flows, uint32_t entries,
		 uint64_t src, uint64_t dst, bool moves)
{
	double end = wall() + SECONDS;
	unsigned int i, left = flows, n;
	bool rung;

	for (i = 0; i < flows; i++)
		f[i].pi = f[i].done = 0;
	while (left) {
		for (i = 0, left = 0, rung = false; i < flows; i++) {
			uint32_t base = f[i].done % WQ_ENTRIES;

			f[i].done += (done_index(&f[i]) + WQ_ENTRIES - base) %
				     WQ_ENTRIES;
			left += f[i].done < entries;
			if (f[i].pi == entries || f[i].pi - f[i].done > WQ_ENTRIES / 4)
				continue;
			for (n = 0; n < WQ_ENTRIES / 4 && f[i].pi < entries; n++, f[i].pi++) {
				uint8_t *at = card_hbm(f[i].from) + WQS(f[i].port) +
					(QP * WQ_ENTRIES + f[i].pi % WQ_ENTRIES) * 32ull;
				uint64_t off = (uint64_t)f[i].pi * ENTRY;

				if (!moves)
					continue;
				bits_set(at, 32, 50, src + off);
				bits_set(at, 96, 50, dst + off);
			}
			qp_ring(f[i].from, f[i].port, QP, f[i].pi % WQ_ENTRIES);
			rung = true;
		}
		/* The workers may need the core. */
		if (!rung && flows > 1)
			usleep(20);
		if (wall() > end)
			die("the link stands still");
	}
}

static void bench_link(struct card *a, struct card *b)
{
	struct flow f = { .from = a, .to = b, .port = PORT_A };
	double ours = 0, peer = 0, start, t;
	unsigned int i;

	fill_ring(a, PORT_A, SRC, DST, ENTRY, LINK_BYTES);
	fill(card_hbm(a) + SRC, LINK_BYTES, 7);
	memset(card_hbm(b) + DST, 0, LINK_BYTES);
	for (i = 0; i < ROUNDS; i++) {
		start = wall();
		memcpy(card_hbm(b) + DST, card_hbm(a) + SRC, LINK_BYTES);
		t = wall() - start;
		peer = t && LINK_BYTES / t > peer ? LINK_BYTES / t : peer;
		memset(card_hbm(b) + DST, 0, LINK_BYTES);
		start = wall();
		pump(&f, 1, LINK_BYTES / ENTRY, SRC, DST, true);
		t = wall() - start;
		ours = LINK_BYTES / t > ours ? LINK_BYTES / t : ours;
		if (memcmp(card_hbm(b) + DST, card_hbm(a) + SRC, LINK_BYTES))
			die("what has come differs");
	}
	row("one link, 64 MiB", ours / 1e9, peer / 1e9, "GB/s", 0.8);
}

/* Of all threads; the one that rings looks at memory meanwhile, and is not counted. */
static double entry_ns(struct card *a, struct card *b, uint32_t size)
{
	struct flow f = { .from = a, .to = b, .port = PORT_A };
	const uint32_t n = 1 << 16;
	double all, mine, best = 1e9;
	unsigned int i;

	fill_ring(a, PORT_A, SRC, DST, size, 64 << 10);
	for (i = 0; i < ROUNDS; i++) {
		all = cpu();
		mine = now();
		pump(&f, 1, n, 0, 0, false);
		all = cpu() - all;
		mine = now() - mine;
		if ((all - mine) * 1e9 / n < best)
			best = (all - mine) * 1e9 / n;
	}
	return best;
}

static double latency_us(struct card *a, struct card *b)
{
	struct wqe wqe = { .opcode = 2, .local = SRC, .remote = DST, .size = 64,
			   .sob = SM_E_N + SOB(20), .sob_data = 0x80000001 };
	double us[301], start, end = wall() + SECONDS;
	unsigned int i;
	uint32_t before;

	for (i = 0; i < WQ_ENTRIES; i++)
		qp_put(a, PORT_A, QP, i, &wqe);
	for (i = 0; i < 301; i++) {
		before = rd(b, SM_E_N + SOB(20));
		usleep(200);
		start = wall();
		qp_ring(a, PORT_A, QP, (i + 1) % WQ_ENTRIES);
		while (rd(b, SM_E_N + SOB(20)) == before)
			if (wall() > end)
				die("no sync object is written");
		us[i] = (wall() - start) * 1e6;
	}
	return median(us, 301);
}

/* Both are idle: the same as without ports, within what can be measured. */
static double idle_percent(void)
{
	double before = cpu();

	usleep(1000000);
	return (cpu() - before) * 100;
}

static void bench_pair(void)
{
	struct card *a = card_new(NULL, 2), *b = card_new_beside(a, NULL);

	join(a, PORT_A, b, PORT_B);
	open_port(a, PORT_A);
	open_port(b, PORT_B);
	usleep(10000);
	limit("idle ports, CPU of a core", idle_percent(), "%", 3);
	bench_link(a, b);
	/* The ring's indices start anew. */
	qp_open(a, PORT_A, QP);
	qp_open(b, PORT_B, QP);
	limit("entry of 4 KiB", entry_ns(a, b, 4096), "ns", 200);
	limit("entry of 64 bytes", entry_ns(a, b, 64), "ns", 200);
	qp_open(a, PORT_A, QP);
	qp_open(b, PORT_B, QP);
	limit("write to a peer's sync object", latency_us(a, b), "us", 5);
	card_free(b);
	card_free(a);
}

/* --- all to all ---------------------------------------------------------- */

struct copier {
	uint8_t *dst;
	const uint8_t *src;
	uint64_t bytes;
};

static void *copy(void *arg)
{
	struct copier *c = arg;
	uint64_t off;

	for (off = 0; off < c->bytes; off += ALL_BYTES)
		memcpy(c->dst + off % LINK_BYTES, c->src + off % LINK_BYTES,
		       ALL_BYTES);
	return NULL;
}

/* Seconds that two threads take for half of the bytes each. */
static double two_threads(struct card **card, uint64_t bytes)
{
	struct copier c[2];
	pthread_t thread[2];
	double start = wall();
	unsigned int i;

	for (i = 0; i < 2; i++) {
		c[i] = (struct copier) { card_hbm(card[i]) + DST,
					 card_hbm(card[i + 2]) + SRC, bytes / 2 };
		if (pthread_create(&thread[i], NULL, copy, &c[i]))
			die("no thread");
	}
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	return wall() - start;
}

static void bench_all(void)
{
	const uint64_t bytes = CARDS * (CARDS - 1) * ALL_BYTES;
	struct gaudi_cable cables[GAUDI_MAX_CABLES];
	unsigned int i, n = gaudi_cabling_hls1(cables);
	struct card *card[CARDS];
	struct flow f[CARDS * (CARDS - 1)];
	double ours = 0, peer = 0, t;

	card[0] = card_new(NULL, 2);
	for (i = 1; i < CARDS; i++)
		card[i] = card_new_beside(card[0], NULL);
	for (i = 0; i < n; i++) {
		struct gaudi_cable *c = &cables[i];
		struct card *a = card[c->module[0]], *b = card[c->module[1]];

		join(a, c->port[0], b, c->port[1]);
		f[2 * i] = (struct flow) { a, b, c->port[0], 0, 0 };
		f[2 * i + 1] = (struct flow) { b, a, c->port[1], 0, 0 };
	}
	for (i = 0; i < 2 * n; i++)
		open_port(f[i].from, f[i].port);
	for (i = 0; i < CARDS; i++) {
		fill(card_hbm(card[i]) + SRC, LINK_BYTES, i);
		memset(card_hbm(card[i]) + DST, 0, LINK_BYTES);
	}
	for (i = 0; i < 2 * n; i++)
		fill_ring(f[i].from, f[i].port, SRC, DST + f[i].port * ALL_BYTES,
			  ENTRY, ALL_BYTES);
	usleep(10000);
	for (i = 0; i < 3; i++) {
		t = two_threads(card, bytes);
		peer = bytes / t > peer ? bytes / t : peer;
		t = wall();
		pump(f, 2 * n, ALL_BYTES / ENTRY, 0, 0, false);
		t = wall() - t;
		ours = bytes / t > ours ? bytes / t : ours;
	}
	row("eight cards, all to all", ours / 1e9, peer / 1e9, "GB/s", 0.8);
	for (i = CARDS; i-- > 0;)
		card_free(card[i]);
}

int main(int argc, char **argv)
{
	json = argc > 1 && !strcmp(argv[1], "--json");
	bench_pair();
	bench_all();
	return 0;
}
