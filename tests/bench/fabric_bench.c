// SPDX-License-Identifier: GPL-2.0-only
/*
 * How fast cards of two processes write to each other: 64 MiB by one link, beside
 * memcpy() of as much by one thread; and from a doorbell to the acknowledgement of a
 * write at the other card's sync object. By the wall's clock, as two processes and
 * their threads are at it: the best of some, in turns.
 *
 * Prints one row per line, with --json as JSON objects.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit/chip/nic/ports.h"
#include "rows.h"

#define PORT		1u
#define QP		0u
#define BYTES		(64u << 20)
#define ENTRY		4096u
#define ENTRIES		(BYTES / ENTRY)
#define LOG		15		/* of the queue's entries */
#define ROUNDS		20
#define HOPS		300u
#define SRC		0x28000000ull
#define DST		0x30000000ull
#define DONE		8u		/* a sync object */
#define TRIP_LIMIT_US	150.0

static struct card *card;
static struct gaudi_fabric *fabric;
static uint32_t pi;

/* --- a box with a card ----------------------------------------------------- */

static void join(const char *name, int box)
{
	struct gaudi_fabric_cable cables[GAUDI_MAX_FABRIC_CABLES];
	struct gaudi_fabric_config config = {
		.name = name, .box = box, .listener = -1, .cables = cables,
	};
	char why[64];
	int err;

	config.num_cables = gaudi_fabric_cables("mesh", cables, why, 64);
	fabric = gaudi_fabric_new(&config, &err);
	card = card_new(NULL, 2);
	if (!fabric || gaudi_fabric_plug(fabric, card->chip) < 1)
		die("no fabric");
	fill(card_hbm(card) + SRC, BYTES, box);
	memset(card_hbm(card) + DST, 0, BYTES);
	qp_open(card, PORT, QP);
	/* No timer: nothing is lost here, and the host may be busy. */
	bits_set(req_ctx(card, PORT, QP), 248, 7, 0);
	bits_set(req_ctx(card, PORT, QP), 392, 22, (1u << LOG) - 1);
	port_on(card, PORT);
	wr(card, TXE(PORT) + 0x10, LOG - 2);
	wr(card, RXE(PORT) + 0x104, (LOG - 4) << 24);
	while (!gaudi_chip_link_up(card->chip, PORT))
		usleep(1000);
}

static void be_other(const char *name)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	join(name, 1);
	for (;;)
		pause();
}

static void put(const struct wqe *wqe)
{
	qp_put(card, PORT, QP, pi, wqe);
	pi = (pi + 1) & ((1u << LOG) - 1);
}

/* The last of some entries: DONE has this value when all are acknowledged. */
static void put_last(uint32_t done)
{
	const struct wqe wqe = {
		.opcode = 2, .sob = SM_E_N + SOB(DONE), .sob_data = 1,
	};
	/* The queue is longer than those of the tests. */
	uint8_t *at = card_hbm(card) + RECV_WQS(PORT) + 8 * pi;

	bits_set(at, 0, 32, done);
	bits_set(at, 32, 26, SM_E_N + SOB(DONE));
	bits_set(at, 63, 1, 1);
	put(&wqe);
}

/* Whoever looks all the time keeps others from a core, and from the card's lock. */
static double ring_and_wait(uint32_t done, unsigned int pause_us)
{
	double start = wall();
	unsigned int i;

	qp_ring(card, PORT, QP, pi);
	while (sob(card, DONE) != done) {
		if (pause_us)
			usleep(pause_us);
		for (i = 0; i < 1000; i++)
			__asm__ volatile("");
	}
	return wall() - start;
}

/* --- rows ------------------------------------------------------------------- */

static void row_of_trips(void)
{
	double s[HOPS];
	unsigned int i;

	for (i = 0; i < HOPS; i++) {
		usleep(300);
		put_last(ROUNDS + i + 1);
		s[i] = ring_and_wait(ROUNDS + i + 1, 0);
	}
	limit("write and its acknowledgement, idle", median(s, HOPS) * 1e6, "us",
	      TRIP_LIMIT_US);
}

static double seconds_of_link(uint32_t done)
{
	struct wqe wqe = { .opcode = 2, .size = ENTRY, .sob = NO_SOB };
	uint32_t i;

	for (i = 0; i < ENTRIES; i++) {
		wqe.local = SRC + (uint64_t)i * ENTRY;
		wqe.remote = DST + (uint64_t)i * ENTRY;
		put(&wqe);
	}
	put_last(done);
	return ring_and_wait(done, 200);
}

static void row_of_link(void)
{
	double link = 1e9, copy = 1e9, start, s;
	uint8_t *to = malloc(BYTES);
	uint32_t i;

	if (!to)
		die("no memory");
	memset(to, 1, BYTES);
	for (i = 0; i < ROUNDS; i++) {
		start = wall();
		memcpy(to, card_hbm(card) + SRC, BYTES);
		__asm__ volatile("" : : "r"(to) : "memory");
		s = wall() - start;
		copy = s < copy ? s : copy;
		s = seconds_of_link(i + 1);
		link = s < link ? s : link;
	}
	free(to);
	row("one link, 64 MiB", BYTES / link / 1e9, BYTES / copy / 1e9, "GB/s",
	    0.6);
}

int main(int argc, char **argv)
{
	char name[64];
	pid_t pid;

	json = argc > 1 && !strcmp(argv[1], "--json");
	snprintf(name, sizeof(name), "bench-%d", getpid());
	pid = fork();
	if (!pid)
		be_other(name);
	join(name, 0);
	row_of_link();
	row_of_trips();
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	card_free(card);
	gaudi_fabric_free(fabric);
	return 0;
}
