// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random programs on two cards that share workers, while guest threads ring
 * doorbells, read registers, reset a card or free it: for ThreadSanitizer.
 * The schedule of each round is another one: its seed goes to the cards as
 * well. SCHEDULE_SEED and SCHEDULE_ROUNDS change what is run.
 */
#include <pthread.h>
#include <unistd.h>

#include "../card.h"
#include "../schedule.h"

#define RING	0x10000
#define CBUF	0x100000
#define DATA	0x1000000
#define WORDS	0x2000000	/* for messages: no copy touches them */
#define NUM_Q	6
#define GUESTS	2
#define ROUNDS	60

struct round {
	struct card *card[2];
	struct queue queue[2][NUM_Q];
	atomic_bool stop;
};

struct guest {
	struct round *round;
	uint32_t x;
	unsigned int accesses;
};

/* Memory that each queue has for itself: what races is the card's business. */
static uint64_t own_addr(uint32_t *x, unsigned int q)
{
	uint64_t off = q * 0x100000 + rnd(x) % 0x80000;

	switch (rnd(x) % 3) {
	case 0:
		return USER_HBM + off;
	case 1:
		return SRAM + q * 0x200000 + rnd(x) % 0x100000;
	default:
		return ram_dev(DATA + off);
	}
}

static void any_packet(struct cb *cb, uint32_t *x, unsigned int q)
{
	uint64_t sob = CFG + SM_E_N + SOB(rnd(x) % 16);

	switch (rnd(x) % 10) {
	case 0:
		put_nop(cb);
		break;
	case 1:
		put_msg_long(cb, sob, 0x80000001);
		break;
	case 2:
		put_msg_long(cb, ram_dev(WORDS + q * 0x1000 +
					 rnd(x) % 64 * 4), rnd(x));
		break;
	case 3:		/* waits for another queue's increment, or is reset */
		put_fence(cb, rnd(x) % 4, 1, 1);
		break;
	case 4:
		put_msg_long(cb, CFG + DMA_QM(rnd(x) % 2) + 0x23c, 1);
		break;
	case 5:
		put_msg_prot(cb, CFG + 0xc04100, 1);
		break;
	case 6:		/* a register of another engine */
		put_msg_long(cb, CFG + DMA_CORE(rnd(x) % 8) + 0x78, 9);
		break;
	default:
		put_lin_dma(cb, own_addr(x, q), own_addr(x, q),
			    rnd(x) % 0x20000, 8 | rnd(x) % 2 << 4);
	}
}

static void monitors(struct card *card, uint32_t *x)
{
	unsigned int m;

	for (m = 0; m < 16; m++) {
		uint64_t to = rnd(x) % 2 ? CFG + SM_E_N + SOB(rnd(x) % 16) :
			      CFG + DMA_QM(rnd(x) % 2) + 0x38 + 4 * (m % 4);

		monitor_set(card, SM_E_N, m, to, 0x80000001);
		wr(card, SM_E_N + MON_ARM(m), (rnd(x) % 8 + 1) << 17 |
		   0xfe00 | rnd(x) % 2);
	}
}

static void programs(struct round *r, unsigned int c, uint32_t *x)
{
	struct card *card = r->card[c];
	unsigned int q;

	for (q = 0; q < NUM_Q; q++) {
		uint64_t at = CBUF + q * 0x1000;
		struct cb cb = cb_host(card, at);

		r->queue[c][q] = q < 4 ?
			queue_external(card, q, RING + q * 0x10000) :
			queue_internal(card, DMA_QM(q), q % 4,
				       RING + q * 0x10000, 6);
		while (cb.len < 0x400)
			any_packet(&cb, x, q);
		for (cb.at = card->ram + at; rnd(x) % 8;)
			queue_put(card, &r->queue[c][q], cb.addr, cb.len);
	}
	monitors(card, x);
}

static void *guest_thread(void *arg)
{
	struct guest *g = arg;

	for (; !g->round->stop; g->accesses++) {
		unsigned int c = rnd(&g->x) % 2;
		struct card *card = g->round->card[c];
		const struct queue *q = &g->round->queue[c][g->x % NUM_Q];

		switch (rnd(&g->x) % 8) {
		case 0:
			wr(card, q->qm + 0xa0 + 4 * q->stream, q->pi);
			break;
		case 1:
			wr(card, SM_E_N + SOB(rnd(&g->x) % 16), 0x80000001);
			break;
		case 2:
			gaudi_chip_timer(card->chip);
			break;
		case 3:
			gaudi_chip_elbi_read(card->chip, 0xff4);
			break;
		case 4:
			wr(card, q->qm + 0x0, rnd(&g->x) % 4 ? 0x3fff : 0);
			break;
		default:
			rd(card, q->qm + 0x38);
			rd(card, DMA_CORE(rnd(&g->x) % 8) + 0x190);
		}
	}
	return NULL;
}

/* What happens meanwhile; the last one is a reset or nothing. */
static void disturb(struct round *r, uint32_t *x)
{
	struct card *card = r->card[rnd(x) % 2];

	usleep(rnd(x) % 3000);
	switch (rnd(x) % 4) {
	case 0:
		gaudi_chip_power_on(card->chip);
		break;
	case 1:
		wr(card, 0xc4b498, 1);
		break;
	case 2:
		wr(card, 0xc4b498, 1);
		gaudi_chip_power_on(card->chip);
		break;
	default:
		break;
	}
}

/* Returns how often the guests came to do something. */
static unsigned int run_round(uint32_t seed)
{
	const struct gaudi_config config = {
		.hbm_size = 1ull << 30,
		.sched_seed = seed % 3 ? seed : 0,
	};
	struct round r = { .card[0] = card_new(&config, 2) };
	struct guest guest[GUESTS];
	pthread_t thread[GUESTS];
	uint32_t x = seed * 2654435761u | 1;
	unsigned int i, c, accesses = 0;

	r.card[1] = card_new_beside(r.card[0], &config);
	for (c = 0; c < 2; c++)
		programs(&r, c, &x);
	for (i = 0; i < GUESTS; i++) {
		guest[i] = (struct guest){ &r, rnd(&x) | 1, 0 };
		pthread_create(&thread[i], NULL, guest_thread, &guest[i]);
	}
	for (c = 0; c < 2; c++)
		for (i = 0; i < NUM_Q; i++)
			queue_ring(r.card[c], &r.queue[c][i]);
	for (i = 0; i < 3; i++)
		disturb(&r, &x);
	r.stop = true;
	for (i = 0; i < GUESTS; i++) {
		pthread_join(thread[i], NULL);
		accesses += guest[i].accesses;
	}
	/* at any moment: no wait for the engines */
	card_free(r.card[1]);
	card_free(r.card[0]);
	return accesses;
}

TEST(random_schedules)
{
	unsigned int first = from_env("SCHEDULE_SEED", 1), i;
	unsigned int n = from_env("SCHEDULE_ROUNDS", ROUNDS);
	unsigned int accesses = 0;

	/* On a busy machine a thread may come too late for a round. */
	for (i = 0; i < n; i++)
		accesses += run_round(first + i);
	print_message("# %u rounds, %u accesses by guests\n", n, accesses);
	assert_true(accesses > n);
}

/* A card that is made and freed while another one in the pool works. */
TEST(cards_come_and_go)
{
	const struct gaudi_config config = { .hbm_size = 1ull << 30 };
	struct round r = { .card[0] = card_new(&config, 2) };
	uint32_t x = from_env("SCHEDULE_SEED", 1);
	unsigned int i, q;

	programs(&r, 0, &x);
	for (i = 0; i < ROUNDS; i++) {
		r.card[1] = card_new_beside(r.card[0], &config);
		programs(&r, 1, &x);
		for (q = 0; q < NUM_Q; q++) {
			queue_ring(r.card[0], &r.queue[0][q]);
			queue_ring(r.card[1], &r.queue[1][q]);
		}
		usleep(rnd(&x) % 2000);
		card_free(r.card[1]);
	}
	card_free(r.card[0]);
}
