// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults on demand from one thread, accesses from another, and engines in
 * workers: for ThreadSanitizer, and for what is left of the card afterwards.
 */
#include <pthread.h>

#include "../card.h"

#define RING		0x10000
#define CBUF		0x40000
#define BUF		0x100000
#define SIZE		0x40000
#define LIN		0x8
#define ERR_CAUSE	0x164
#define GLBL_STS1	0x40

struct tester {
	struct card *card;
	atomic_bool stop;
	atomic_uint injected;
};

static void *inject_thread(void *arg)
{
	static const char *const specs[] = {
		"dma-slow,ms=1,count=3", "msi-double,count=5",
		"msi-late,ms=1,count=5", "dma-short,bytes=7,count=2",
		"access-refused,addr=0x20000000,size=0x100000,every=5,count=3",
		"msi-storm,vector=9,count=20", "mem-flip,addr=0x200c0000",
		"message-lost,every=3,count=4", "dma-error,queue=dma1",
		"stuck-fence,queue=dma0", "bad-opcode,queue=dma2,job=2",
		"completion-timeout,every=7", "link-down,ms=1",
		"hbm-ecc-single,addr=0x20000000,size=0x1000000,count=all",
		"mmio-all-ones,every=3", "razwi,queue=dma3,count=3",
		"event,id=600,count=all", "qman-error,queue=dma1,error=cp-wreg",
	};
	struct tester *t = arg;
	char why[512];
	unsigned int i;
	FILE *out;

	for (i = 0; !t->stop; i++) {
		if (!gaudi_chip_inject(t->card->chip, specs[i % 18], why,
				       sizeof(why)))
			t->injected++;
		if (i % 30 == 29)
			gaudi_chip_faults_clear(t->card->chip);
		if (i % 7)
			continue;
		out = fopen("/dev/null", "w");
		assert_int_equal(gaudi_chip_faults_print(t->card->chip, out),
				 0);
		fclose(out);
	}
	return NULL;
}

#define ROUNDS	32
#define QUEUES	3

/*
 * Each queue copies to memory of its own: two that write to the same place are
 * a race of the program's, not of the card's. For that reason the buffers are
 * written before anything runs, and the flipped bit lies beside the copies.
 */
static void write_copies(struct card *card, struct cb cb[ROUNDS][QUEUES])
{
	unsigned int n, i, j;
	uint64_t dst;

	for (n = 0; n < ROUNDS; n++)
		for (i = 0; i < QUEUES; i++) {
			cb[n][i] = cb_host(card, CBUF +
					   0x400 * (n * QUEUES + i));
			dst = USER_HBM + n * 0x100000 + i * SIZE;
			for (j = 0; j < 4; j++)
				put_lin_dma(&cb[n][i], ram_dev(BUF), dst,
					    SIZE, LIN);
			put_msg_long(&cb[n][i], CFG + SM_W_S + SOB(n),
				     0x80000001);
		}
}

static void copies_meanwhile(struct card *card, struct queue *q,
			     const struct cb *cb)
{
	unsigned int i;

	for (i = 0; i < QUEUES; i++)
		queue_put(card, &q[i], cb[i].addr, cb[i].len);
	for (i = 0; i < QUEUES; i++)
		queue_ring(card, &q[i]);
	/* What an error stopped goes on. */
	for (i = 0; i < QUEUES; i++) {
		wr(card, q[i].qm + GLBL_STS1, 0xffff);
		wr(card, q[i].qm - 0x8000 + ERR_CAUSE, 0xffff);
	}
}

TEST(faults_while_engines_work)
{
	struct card *card = card_new(NULL, 2);
	struct cb cb[ROUNDS][QUEUES];
	struct tester t = { card };
	struct queue q[QUEUES];
	pthread_t thread;
	unsigned int i;

	write_copies(card, cb);
	for (i = 0; i < QUEUES; i++)
		q[i] = queue_external(card, 4 * i, RING + 0x10000 * i);
	pthread_create(&thread, NULL, inject_thread, &t);
	/* However the two take turns, many faults are to meet many copies. */
	for (i = 0; i < 150 || (t.injected < 100 && i < 20000); i++) {
		copies_meanwhile(card, q, cb[i % ROUNDS]);
		if (i % 50 == 49)
			gaudi_chip_power_on(card->chip);
	}
	t.stop = true;
	pthread_join(thread, NULL);
	assert_true(t.injected >= 100);
	gaudi_chip_faults_clear(card->chip);
	gaudi_chip_power_on(card->chip);
	/* and then it still copies */
	q[0] = queue_external(card, 0, RING);
	fill(card->ram + BUF, SIZE, 5);
	queue_run(card, &q[0], &cb[0][0]);
	card_settle(card);
	assert_memory_equal(card_hbm(card) + USER_HBM, card->ram + BUF, SIZE);
	card_free(card);
}
