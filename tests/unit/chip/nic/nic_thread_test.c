// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cards that write to each other at the same time, by worker threads: all ports at
 * once, a reset, a pulled wire and faults in the midst of it, a card that is freed; and
 * by the threads that ring.
 * Built with ThreadSanitizer as well.
 */
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "../../../../qemu-device/chip/core/core.h"
#include "ports.h"

#define SRC		0x28000000ull
#define DST		0x2a000000ull
#define SIZE		12288u
#define BATCH		32u
#define PORTS		10u

static struct card *card[2];

/*
 * Two batches for each port of a card; an entry counts one at the other's end. They
 * are written once: the ring may still be read when its other half is rung.
 */
static void put_all(unsigned int c)
{
	struct wqe wqe = { .opcode = 2, .size = SIZE, .sob_data = 0x80000001 };
	unsigned int p, i;

	for (p = 0; p < PORTS; p++) {
		for (i = 0; i < WQ_ENTRIES; i++) {
			wqe.local = SRC + (p * BATCH + i % BATCH) * SIZE;
			wqe.remote = DST + (p * BATCH + i % BATCH) * SIZE;
			wqe.sob = REMOTE_SOB(p);
			qp_put(card[c], p, 1, i, &wqe);
		}
	}
}

static void ring(unsigned int c, unsigned int round)
{
	unsigned int p;

	for (p = 0; p < PORTS; p++)
		qp_ring(card[c], p, 1, (round + 1) % 2 * BATCH);
}

/* On a busy machine an answer may take as long as many tries. */
static void open_port(struct card *c, unsigned int p)
{
	port_on(c, p);
	wr(c, QPC(p) + 0x28, 0xffff);
	qp_open(c, p, 1);
}

static void make(void)
{
	unsigned int i, p;

	card[0] = card_new(NULL, 2);
	card[1] = card_new_beside(card[0], NULL);
	for (p = 0; p < PORTS; p++)
		assert_int_equal(gaudi_chip_connect(card[0]->chip, p,
						    card[1]->chip, 9 - p), 0);
	for (i = 0; i < 2; i++) {
		for (p = 0; p < PORTS; p++)
			open_port(card[i], p);
		fill(card_hbm(card[i]) + SRC, PORTS * BATCH * SIZE, i);
		put_all(i);
	}
	for (i = 0; i < 2; i++)
		card_settle(card[i]);
}

static void wait_for_links(void)
{
	unsigned int p, try;

	for (p = 0; p < PORTS; p++) {
		for (try = 0; !gaudi_chip_link_up(card[0]->chip, p) ||
			      !gaudi_chip_link_up(card[1]->chip, p); try++) {
			assert_true(try < 60000);
			usleep(1000);
		}
	}
}

static bool arrived(unsigned int c, uint32_t want)
{
	unsigned int p, try;

	for (p = 0; p < PORTS; p++) {
		for (try = 0; sob(card[c], p) != want; try++) {
			if (try == 60000)
				return false;
			usleep(1000);
		}
	}
	return true;
}

TEST(both_ways)
{
	unsigned int round;

	make();
	for (round = 0; round < 20; round++) {
		ring(0, round);
		ring(1, round);
		assert_true(arrived(0, (round + 1) * BATCH));
		assert_true(arrived(1, (round + 1) * BATCH));
	}
	card_settle(card[0]);
	card_settle(card[1]);
	assert_memory_equal(card_hbm(card[0]) + SRC, card_hbm(card[1]) + DST,
			    PORTS * BATCH * SIZE);
	assert_memory_equal(card_hbm(card[1]) + SRC, card_hbm(card[0]) + DST,
			    PORTS * BATCH * SIZE);
	card_free(card[1]);
	card_free(card[0]);
}

static atomic_bool stop;

static void *disturb(void *arg)
{
	static const char *const faults[] = {
		"nic-frame-lost,every=7,count=5", "nic-frame-doubled,count=9",
		"nic-frame-reordered,every=3,count=9", "nic-slow,us=300,count=99",
		"nic-frame-corrupted,every=5,count=5", "nic-bad-qp,every=9",
		"nic-link-down,unit=4,ms=1", "nic-peer-gone,unit=5,ms=2",
		"nic-cq-overrun", "nic-bad-key,every=50",
	};
	unsigned int i;
	char why[128];

	(void)arg;
	for (i = 0; !stop; i++) {
		usleep(2000);
		assert_int_equal(gaudi_chip_inject(card[i & 1]->chip,
						   faults[i % 10], why,
						   sizeof(why)), 0);
		if (i % 40 == 39)
			gaudi_chip_faults_clear(card[i & 1]->chip);
		if (i % 4 == 3) {
			gaudi_chip_hard_reset(card[1]->chip);
			continue;
		}
		gaudi_chip_plug(card[0]->chip, i % PORTS, i & 1);
	}
	return NULL;
}

/* Whatever happens to one end, the other goes on, and so do both when it is over. */
TEST(disturbed)
{
	pthread_t thread;
	unsigned int round, p;

	make();
	stop = false;
	assert_int_equal(pthread_create(&thread, NULL, disturb, NULL), 0);
	for (round = 0; round < 200; round++) {
		ring(0, round);
		usleep(500);
	}
	stop = true;
	pthread_join(thread, NULL);
	gaudi_chip_faults_clear(card[0]->chip);
	gaudi_chip_faults_clear(card[1]->chip);
	gaudi_chip_hard_reset(card[0]->chip);
	gaudi_chip_hard_reset(card[1]->chip);
	put_all(0);
	for (p = 0; p < PORTS; p++) {
		gaudi_chip_plug(card[0]->chip, p, true);
		for (unsigned int i = 0; i < 2; i++)
			open_port(card[i], p);
	}
	wait_for_links();
	ring(0, 0);
	assert_true(arrived(1, BATCH));
	/* Freed while packets come. */
	ring(0, 1);
	card_free(card[1]);
	card_free(card[0]);
}

/* --- the thread that rings sends ------------------------------------------------ */

static struct gaudi_actor sleeper;
static atomic_bool asleep, awake;

static bool sleeper_run(struct gaudi_chip *chip, struct gaudi_actor *actor)
{
	(void)actor;
	gaudi_bulk_begin(chip);
	asleep = true;
	while (!awake)
		usleep(100);
	gaudi_bulk_end(chip);
	return false;
}

/* What is short is there when the doorbell's write returns; what is not is left. */
TEST(rings_without_a_worker)
{
	struct wqe wqe = { .opcode = 2, .local = SRC, .remote = DST, .size = 64,
			   .sob = REMOTE_SOB(0), .sob_data = 0x80000001 };
	struct card *a = card_new(NULL, 1), *b = card_new_beside(a, NULL);
	struct card *c = card_new_beside(a, NULL);
	unsigned int i, try;

	assert_int_equal(gaudi_chip_connect(a->chip, 0, b->chip, 3), 0);
	open_port(a, 0);
	open_port(b, 3);
	for (i = 0; i < WQ_ENTRIES; i++) {
		qp_put(a, 0, 1, i, &wqe);
		qp_local(a, 0, 1, i, SM_E_N + SOB(1), 0x80000001, false);
	}
	card_settle(a);
	card_settle(b);
	card_settle(a);
	assert_true(gaudi_chip_link_up(a->chip, 0));
	assert_true(gaudi_chip_link_up(b->chip, 3));
	/* The only one has something else to do. */
	asleep = awake = false;
	gaudi_actor_init(c->chip, &sleeper, "sleeper", false, sleeper_run);
	gaudi_chip_lock(c->chip);
	gaudi_actor_kick(c->chip, &sleeper);
	gaudi_chip_unlock(c->chip);
	while (!asleep)
		usleep(100);
	for (i = 1; i <= WQ_ENTRIES / 2; i++) {
		qp_ring(a, 0, 1, i);
		assert_int_equal(sob(b, 0), i);
		assert_int_equal(sob(a, 1), i);
	}
	qp_ring(a, 0, 1, WQ_ENTRIES - 1);
	assert_in_range(sob(b, 0), WQ_ENTRIES / 2 + 1, WQ_ENTRIES - 2);
	awake = true;
	for (try = 0; sob(a, 1) < WQ_ENTRIES - 1; try++) {
		assert_true(try < 60000);
		usleep(1000);
	}
	assert_int_equal(sob(b, 0), WQ_ENTRIES - 1);
	card_free(c);
	card_free(b);
	card_free(a);
}

#define TRIPS	400u

/* Each rings when the other one's message is there. */
static void play(unsigned int c, unsigned int port, unsigned int from)
{
	unsigned int i;

	for (i = 0; i < TRIPS; i++) {
		/* The first one begins. */
		while (sob(card[c], from) < i + c)
			sched_yield();
		qp_ring(card[c], port, 1, (i + 1) % WQ_ENTRIES);
	}
	while (sob(card[c], from) < TRIPS)
		sched_yield();
}

static void *play_back(void *arg)
{
	(void)arg;
	play(1, 9, 0);
	return NULL;
}

TEST(to_and_fro)
{
	pthread_t thread;

	make();
	assert_int_equal(pthread_create(&thread, NULL, play_back, NULL), 0);
	play(0, 0, 9);
	pthread_join(thread, NULL);
	card_free(card[1]);
	card_free(card[0]);
}
