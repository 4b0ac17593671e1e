// SPDX-License-Identifier: GPL-2.0-only
/*
 * The arbiter of a queue manager: priorities, weights, a master with slaves
 * and its credits, the watchdog, and errors. What is inferred about the
 * hardware is fixed here as it is documented, so that a change is noticed.
 */
#include "../card.h"

#define RING	0x10000
#define CBUF	0x100000
#define ERR_AT	0x200000

#define QM	DMA_QM(0)
#define SLAVE	DMA_QM(1)

#define ARB_CFG_0	0xa00
#define PUSH		0xa04
#define WEIGHT(n)	(0xa08 + 4 * (n))
#define ARB_CFG_1	0xa18
#define AVAIL_CRED(n)	(0xa20 + 4 * (n))
#define CRED_INC	0xaa0
#define PUSH_OFST(n)	(0xaa4 + 4 * (n))
#define INC_CRED_OFST	0xb28
#define SLAVE_EN	0xb2c
#define QUIET_PER	0xb34
#define WDT		0xb38
#define SLV_ID		0xb3c
#define BASE_LO		0xb54
#define BASE_HI		0xb58
#define FULLNESS	0xb84
#define Q_HEAD		0xb8c
#define ERR_CAUSE	0xb9c
#define ERR_MSG_EN	0xba0
#define CRED_STS(n)	(0xbb0 + 4 * (n))

#define BY_PRIORITY	0x110u	/* enabled, master */
#define BY_WEIGHT	0x111u
#define FOLLOWS		0x100u	/* enabled, slave */
#define ARB_STOP	0x80000000u

/* Under the grant: says which stream it is. */
static void put_section(struct cb *cb, unsigned int stream, unsigned int prio)
{
	put_arb(cb, prio, false);
	put_msg_long(cb, HOST + MMIO_BASE, stream);
	put_arb(cb, 0, true);
}

/*
 * Stream 3 holds the grant until streams 0..2 ask for it, each as often as
 * sections[] says; who got it then, in turn, is in card->posted_log.
 */
static void contend(struct card *card, uint32_t cfg, const unsigned int *prio,
		    const unsigned int *sections)
{
	struct queue q[4];
	unsigned int n, i;

	for (n = 0; n < 4; n++)
		q[n] = queue_external(card, n, RING + 0x10000 * n);
	wr(card, QM + ARB_CFG_0, cfg);
	for (n = 4; n--;) {
		struct cb cb = cb_host(card, CBUF + 0x1000 * n);

		if (n == 3) {
			put_arb(&cb, 0, false);
			put_fence(&cb, 0, 1, 1);
			put_arb(&cb, 0, true);
		}
		for (i = 0; n < 3 && i < sections[n]; i++)
			put_section(&cb, n, prio[n]);
		queue_run(card, &q[n], &cb);
	}
	wr_settle(card, QM + 0x308 + 12, 1);
}

static void assert_order(struct card *card, const char *order)
{
	unsigned int i;

	assert_int_equal(card->posted, strlen(order));
	for (i = 0; order[i]; i++)
		assert_int_equal(card->posted_log[i], order[i] - '0');
}

CARD_TEST(by_priority)
{
	const unsigned int prio[] = { 1, 7, 3 }, sections[] = { 2, 3, 2 };

	contend(card, BY_PRIORITY, prio, sections);
	assert_order(card, "1112200");
}

/* Equal priorities take turns. */
CARD_TEST(priorities_are_equal)
{
	const unsigned int prio[] = { 5, 5, 5 }, sections[] = { 2, 2, 2 };

	contend(card, BY_PRIORITY, prio, sections);
	assert_order(card, "012012");
}

/* Weights 3, 1, 2; priorities do not count. */
CARD_TEST(by_weight)
{
	const unsigned int prio[] = { 0, 9, 4 }, sections[] = { 6, 2, 4 };
	const unsigned int weight[] = { 3, 1, 2 };
	unsigned int n;

	for (n = 0; n < 3; n++)
		wr(card, QM + WEIGHT(n), weight[n]);
	contend(card, BY_WEIGHT, prio, sections);
	assert_order(card, "000122000122");
}

/* Nobody waits for the weight of a stream that has nothing to do. */
CARD_TEST(weight_of_the_idle_is_not_kept)
{
	const unsigned int prio[] = { 0, 0, 0 }, sections[] = { 1, 5, 0 };

	wr(card, QM + WEIGHT(0), 100);
	contend(card, BY_WEIGHT, prio, sections);
	assert_order(card, "011111");
}

/* ARB_CFG_0 15:12: a stream that is left out waits until it is not. */
CARD_TEST(masked_stream)
{
	const unsigned int prio[] = { 1, 2, 3 }, sections[] = { 1, 1, 1 };

	contend(card, BY_PRIORITY | 4 << 12, prio, sections);
	assert_order(card, "10");
	wr_settle(card, QM + ARB_CFG_0, BY_PRIORITY);
	assert_order(card, "102");
}

/* --- quiet periods --------------------------------------------------------- */

/*
 * All streams wait for SOB 0 at fence 0, by a monitor each, then do so many
 * sections after so many packets of other work.
 */
static void start_together(struct card *card, uint32_t qm, uint32_t cfg,
			   const unsigned int *prio,
			   const unsigned int *sections,
			   const unsigned int *weight, unsigned int work)
{
	unsigned int n, i, w;
	struct queue q;

	gaudi_chip_power_on(card->chip);
	card_settle(card);
	card->posted = 0;
	for (n = 0; n < 4; n++) {
		struct cb cb = cb_host(card, CBUF + 0x1000 * n);

		q = queue_internal(card, qm, n, RING + 0x10000 * n, 4);
		put_fence(&cb, 0, 1, 1);
		for (i = 0; i < sections[n]; i++) {
			put_section(&cb, n, prio[n]);
			for (w = 0; w < work; w++)
				put_nop(&cb);
		}
		monitor_set(card, SM_E_N, n, CFG + qm + 0x308 + 4 * n, 1);
		wr(card, SM_E_N + MON_ARM(n), 1 << 17 | 0xfe << 8);
		queue_run(card, &q, &cb);
		wr(card, qm + WEIGHT(n), weight ? weight[n] : 0);
	}
	wr(card, qm + ARB_CFG_0, cfg);
	assert_int_equal(card->posted, 0);
	wr_settle(card, SM_E_N + SOB(0), 0x80000001);
}

/* On each QMAN; who got the grant then, in turn. */
static void assert_together(struct card *card, uint32_t cfg,
			    const unsigned int *prio,
			    const unsigned int *sections,
			    const unsigned int *weight, unsigned int work,
			    const char *order)
{
	unsigned int i;

	for (i = 0; i < NUM_QMS; i++) {
		start_together(card, all_qms[i], cfg, prio, sections, weight,
			       work);
		assert_order(card, order);
	}
}

/* What one event lets go has asked before anybody is chosen. */
CARD_TEST(released_by_one_event)
{
	const unsigned int prio[] = { 1, 4, 2, 8 }, once[] = { 1, 1, 1, 1 };
	const unsigned int rising[] = { 3, 2, 1, 0 };

	assert_together(card, BY_PRIORITY, prio, once, NULL, 0, "3120");
	assert_together(card, BY_PRIORITY, rising, once, NULL, 0, "0123");
}

/* Whoever gives the grant back and asks again is chosen from, too. */
CARD_TEST(asks_again_at_once)
{
	const unsigned int prio[] = { 1, 4, 2, 8 }, some[] = { 2, 3, 0, 2 };

	assert_together(card, BY_PRIORITY, prio, some, NULL, 0, "3311100");
	/* some other work between does not matter */
	assert_together(card, BY_PRIORITY, prio, some, NULL, 40, "3311100");
}

/* A weight is used up, though its stream gives back between two requests. */
CARD_TEST(weights_of_one_event)
{
	const unsigned int prio[] = { 9, 0, 0, 0 }, some[] = { 3, 3, 3, 3 };
	const unsigned int weight[] = { 1, 2, 3, 1 };

	/* Without one it counts as 1. */
	assert_together(card, BY_WEIGHT, prio, some, NULL, 0, "012301230123");
	assert_together(card, BY_WEIGHT, prio, some, weight, 0, "011222301303");
}

/* A long period is time: who asks within it takes part; 0 is none. */
CARD_TEST(quiet_period)
{
	struct queue q[2];
	struct cb cb[2];
	unsigned int n;

	for (n = 0; n < 2; n++) {
		cb[n] = cb_host(card, CBUF + 0x1000 * n);
		q[n] = queue_external(card, n, RING + 0x10000 * n);
		put_section(&cb[n], n, 1 + n);
	}
	wr(card, QM + QUIET_PER, 5000);
	wr(card, QM + ARB_CFG_0, BY_PRIORITY);
	queue_run(card, &q[0], &cb[0]);
	card_advance(card, 9000);
	assert_order(card, "");
	/* It begins anew. */
	queue_run(card, &q[1], &cb[1]);
	card_advance(card, 9000);
	assert_order(card, "");
	card_advance(card, 2000);
	/* ... and again when the grant is given back. */
	assert_order(card, "1");
	card_advance(card, 8000);
	assert_order(card, "1");
	card_advance(card, 2000);
	assert_order(card, "10");
	wr(card, QM + QUIET_PER, 0);
	queue_run(card, &q[0], &cb[0]);
	assert_order(card, "100");
}

JOB_TEST(off_lets_pass, queue_external(card, 0, RING))
{
	put_arb(&cb, 1, false);
	put_add(&cb, 0, 1);
	queue_run(card, &q, &cb);
	assert_int_equal(sob(card, 0), 1);
}

/* Turned off while streams wait: they pass. */
JOB_TEST(turned_off, queue_external(card, 0, RING))
{
	wr(card, QM + ARB_CFG_0, FOLLOWS);
	put_arb(&cb, 1, false);
	put_add(&cb, 0, 1);
	queue_run(card, &q, &cb);
	assert_int_equal(sob(card, 0), 0);
	wr_settle(card, QM + ARB_CFG_0, 0);
	assert_int_equal(sob(card, 0), 1);
}

/* --- master, slaves -------------------------------------------------------- */

static void make_slave(struct card *card, unsigned int id)
{
	wr(card, SLAVE + SLV_ID, id);
	wr(card, SLAVE + INC_CRED_OFST, QM + CRED_INC);
	wr(card, SLAVE + BASE_LO, (uint32_t)CFG);
	wr(card, SLAVE + BASE_HI, CFG >> 32);
	wr(card, SLAVE + ARB_CFG_0, FOLLOWS);
}

static void make_master(struct card *card, unsigned int id, uint32_t cfg)
{
	wr(card, QM + PUSH_OFST(id), SLAVE + PUSH);
	wr(card, QM + BASE_LO, (uint32_t)CFG);
	wr(card, QM + BASE_HI, CFG >> 32);
	wr(card, QM + SLAVE_EN, 1u << id);
	wr(card, QM + ARB_CFG_0, cfg);
}

/* A slave whose streams 0..3 have all asked; they say 8 + stream. */
static void slave_asks(struct card *card)
{
	struct queue q;
	unsigned int n;

	for (n = 0; n < 4; n++) {
		struct cb cb = cb_host(card, CBUF + 0x10000 + 0x1000 * n);

		q = queue_external(card, 4 + n, RING + 0x10000 * (4 + n));
		put_section(&cb, 8 + n, 0);
		queue_run(card, &q, &cb);
	}
}

/* What the log holds of the slave, or of the master. */
static void assert_order_of(struct card *card, bool slave, const char *order)
{
	unsigned int i;

	for (i = 0; i < card->posted; i++)
		if (slave == (card->posted_log[i] >= 8))
			assert_int_equal(card->posted_log[i] & 7,
					 *order++ - '0');
	assert_int_equal(*order, 0);
}

CARD_TEST(slave_follows)
{
	const unsigned int prio[] = { 2, 1, 3 }, sections[] = { 1, 1, 1 };

	make_slave(card, 9);
	slave_asks(card);
	assert_int_equal(card->posted, 0);
	make_master(card, 9, BY_PRIORITY);
	assert_int_equal(rd(card, QM + CRED_STS(9)), 0x40);
	contend(card, BY_PRIORITY, prio, sections);
	assert_order_of(card, false, "201");
	assert_order_of(card, true, "3201");
	assert_int_equal(rd(card, QM + CRED_STS(9)), 0x40);
	assert_int_equal(rd(card, SLAVE + FULLNESS), 0);
}

/* A slave with nothing to do takes no choices: the master's credits end. */
CARD_TEST(credits_run_out)
{
	const unsigned int prio[] = { 0, 0, 0 }, sections[] = { 2, 2, 2 };

	make_slave(card, 0);
	make_master(card, 0, BY_PRIORITY);
	wr(card, QM + AVAIL_CRED(0), 3);
	contend(card, BY_PRIORITY, prio, sections);
	/* one for stream 3, two for others */
	assert_order(card, "01");
	assert_int_equal(rd(card, QM + CRED_STS(0)), 0);
	assert_int_equal(rd(card, SLAVE + FULLNESS), 3);
	assert_int_equal(rd(card, SLAVE + Q_HEAD), 3);
	/* By hand: bit 0 is slave 0's. */
	wr_settle(card, QM + CRED_INC, 1);
	assert_order(card, "012");
	/* The slave takes 3, 0, 1, 2, and the rest follows. */
	slave_asks(card);
	assert_order_of(card, true, "3012");
	assert_order_of(card, false, "012012");
}

CARD_TEST(no_stall_without_credits)
{
	const unsigned int prio[] = { 0, 0, 0 }, sections[] = { 2, 2, 2 };

	make_slave(card, 0);
	make_master(card, 0, BY_PRIORITY);
	wr(card, QM + AVAIL_CRED(0), 1);
	contend(card, BY_PRIORITY | 1 << 16, prio, sections);
	assert_order(card, "012012");
	assert_int_equal(rd(card, SLAVE + FULLNESS), 7);
}

/* --- errors ------------------------------------------------------------------ */

/* The error message goes to host memory, where it can be seen. */
static void tell_errors(struct card *card, uint32_t qm, uint32_t enable)
{
	wr64(card, qm + 0xcd0, ram_dev(ERR_AT));
	wr(card, qm + 0xcd8, 432);
	wr(card, qm + ERR_MSG_EN, enable);
}

/* The driver's 0xEE6B27FF cycles are eight seconds. */
JOB_TEST(watchdog, queue_external(card, 0, RING))
{
	tell_errors(card, QM, 7);
	wr(card, QM + WDT, 0xee6b27ff);
	wr(card, QM + ARB_CFG_0, FOLLOWS);
	put_arb(&cb, 1, false);
	put_add(&cb, 0, 1);
	put_arb(&cb, 0, true);
	queue_run(card, &q, &cb);
	card_advance(card, 7990000000ull);
	assert_int_equal(rd(card, QM + ERR_CAUSE), 0);
	assert_int_equal(ram32(card, ERR_AT), 0);
	card_advance(card, 20000000);
	assert_int_equal(rd(card, QM + ERR_CAUSE), 2);
	assert_int_equal(ram32(card, ERR_AT), 432);
	/* It was not told to stop: a late choice is followed. */
	assert_int_equal(rd(card, QM + 0x38) & ARB_STOP, 0);
	wr_settle(card, QM + PUSH, 0);
	assert_int_equal(sob(card, 0), 1);
	wr(card, QM + ERR_CAUSE, 2);
	assert_int_equal(rd(card, QM + ERR_CAUSE), 0);
	card_advance(card, 10000000000ull);
	assert_int_equal(rd(card, QM + ERR_CAUSE), 0);
}

/* ERR_CFG bit 31: an error stops the arbiter; cleared, it goes on. */
JOB_TEST(stops_on_error, queue_external(card, 0, RING))
{
	tell_errors(card, QM, 0);
	wr(card, QM + 0xc, ARB_STOP);
	wr(card, QM + WDT, 1000);
	wr(card, QM + ARB_CFG_0, FOLLOWS);
	put_arb(&cb, 1, false);
	put_add(&cb, 0, 1);
	queue_run(card, &q, &cb);
	card_advance(card, 1990);
	assert_int_equal(rd(card, QM + ERR_CAUSE), 0);
	card_advance(card, 20);
	assert_int_equal(rd(card, QM + ERR_CAUSE), 2);
	assert_int_equal(rd(card, QM + 0x38) & ARB_STOP, ARB_STOP);
	wr_settle(card, QM + PUSH, 0);
	assert_int_equal(sob(card, 0), 0);
	wr_settle(card, QM + ERR_CAUSE, 2);
	assert_int_equal(rd(card, QM + 0x38) & ARB_STOP, 0);
	assert_int_equal(sob(card, 0), 1);
	/* messages were not enabled */
	assert_int_equal(ram32(card, ERR_AT), 0);
}

/* The choice queue holds 64; ARB_CFG_1 bit 0 empties it. */
CARD_TEST(choice_queue_overflows)
{
	unsigned int i;

	tell_errors(card, QM, 1);
	wr(card, QM + ARB_CFG_0, FOLLOWS);
	for (i = 0; i < 64; i++)
		wr(card, QM + PUSH, i + 2);
	assert_int_equal(rd(card, QM + FULLNESS), 64);
	assert_int_equal(rd(card, QM + Q_HEAD), 2);
	assert_int_equal(rd(card, QM + ERR_CAUSE), 0);
	wr_settle(card, QM + PUSH, 0);
	assert_int_equal(rd(card, QM + ERR_CAUSE), 1);
	assert_int_equal(ram32(card, ERR_AT), 432);
	wr(card, QM + ARB_CFG_1, 1);
	assert_int_equal(rd(card, QM + FULLNESS), 0);
}

/* Slaves are registers; what is elsewhere answers with an error. */
CARD_TEST(slave_is_nowhere)
{
	const unsigned int prio[] = { 0, 0, 0 }, sections[] = { 1, 1, 1 };

	tell_errors(card, QM, 4);
	make_master(card, 0, BY_PRIORITY);
	wr(card, QM + BASE_HI, 0);
	contend(card, BY_PRIORITY, prio, sections);
	assert_int_equal(rd(card, QM + ERR_CAUSE), 4);
	assert_int_equal(card->posted, 3);
}

/* Nothing of it survives a reset. */
CARD_TEST(reset_forgets)
{
	wr(card, QM + ARB_CFG_0, FOLLOWS);
	wr(card, QM + PUSH, 3);
	wr(card, QM + AVAIL_CRED(5), 7);
	gaudi_chip_power_on(card->chip);
	card_settle(card);
	assert_int_equal(rd(card, QM + ARB_CFG_0), 0);
	assert_int_equal(rd(card, QM + FULLNESS), 0);
	assert_int_equal(rd(card, QM + AVAIL_CRED(5)), 0x40);
	assert_int_equal(rd(card, QM + WDT), 0x4000);
}
