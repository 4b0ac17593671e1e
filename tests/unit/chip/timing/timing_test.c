// SPDX-License-Identifier: GPL-2.0-only
/*
 * The model of time: how long copies, products, kernels and packets take by it, what
 * waits for what, and that none of it depends on the host. Rates are by hand, from
 * Documentation/timing.rst, which rates_are_documented compares with those of the card.
 */
#include "../../../../qemu-device/chip/timing/timing.h"
#include "../mme/mme_gen.h"
#include "../nic/ports.h"
#include "../tpc/tpc_card.h"

#define RING(n)		(0x10000 + 0x1000 * (n))
#define CBUF(n)		(0x100000 + 0x10000 * (n))
#define STAMPS		0x200000
#define MIB		(1ull << 20)
#define HBM(n)		(USER_HBM + (n) * 0x4000000ull)
#define FENCE(qm, n)	(CFG + (qm) + 0x308 + 4 * (n))
#define TIMESTAMP	0xc49000u
#define HZ		800000000ull
#define LINEAR		0x08
#define MEMSET		0x10
#define SIGNALS		0x01

static const struct gaudi_config timed = { .hbm_size = 1ull << 30, .timing = true };

static int timed_setup(void **state)
{
	struct card *card = card_new(&timed, 0);

	wr(card, TIMESTAMP, 1);
	*state = card;
	return 0;
}

#define TIMED_TEST(fn) TEST_OF(fn, struct card *card, timed_setup, card_teardown)

/* --- what a test asks ---------------------------------------------------- */

/* The card's counter goes to stamp n. barrier: behind what the engine was given. */
static void put_stamp(struct cb *cb, unsigned int n, bool barrier)
{
	put_packet(cb, 0, 0x03000000 | 1 << 20 | (barrier ? EB : 0));
	put64(cb, ram_dev(STAMPS + 4 * n));
}

static uint32_t stamp(struct card *card, unsigned int n)
{
	return ram32(card, STAMPS + 4 * n);
}

static uint64_t ns_between(struct card *card, unsigned int from, unsigned int to)
{
	return (stamp(card, to) - stamp(card, from)) * 1000000000ull / HZ;
}

/* As long as that, and packets and roundings, of which there is less than a tenth. */
static void check_ns(uint64_t ns, uint64_t want)
{
	if (ns < want || ns > want + want / 10 + 100)
		fail_msg("%llu ns, not %llu", (unsigned long long)ns,
			 (unsigned long long)want);
}

/* The queue waits until SOB n is so much. */
static void put_wait(struct cb *cb, const struct queue *q, unsigned int n,
		     unsigned int value)
{
	put_monitor(cb, SM_E_N, n, FENCE(q->qm, q->stream), 1);
	put_msg_long(cb, CFG + SM_E_N + MON_ARM(n), n / 8 |
		     (0xffu & ~(1u << n % 8)) << 8 | value << 17);
	put_fence(cb, 0, 1, 1);
}

/* How long a copy takes: MiB of it, by a core behind whose queue that is. */
static uint64_t copy_ns(struct card *card, struct queue *q, uint64_t src,
			uint64_t dst, unsigned int mib, uint32_t flags)
{
	struct cb cb = cb_host(card, CBUF(0));

	put_stamp(&cb, 0, false);
	put_lin_dma(&cb, src, dst, mib * MIB, LINEAR | flags);
	put_stamp(&cb, 1, true);
	queue_run(card, q, &cb);
	return ns_between(card, 0, 1);
}

/* --- engines --------------------------------------------------------------- */

TIMED_TEST(copies_take_their_time)
{
	struct queue q = queue_external(card, 0, RING(0));

	check_ns(copy_ns(card, &q, HBM(0), HBM(1), 16, 0), 16 * MIB / 128);
	check_ns(copy_ns(card, &q, HBM(0), HBM(1), 32, 0), 32 * MIB / 128);
	check_ns(copy_ns(card, &q, SRAM, HBM(1), 8, 0), 8 * MIB / 128);
	check_ns(copy_ns(card, &q, 0, HBM(1), 16, MEMSET), 16 * MIB / 128);
	check_ns(copy_ns(card, &q, ram_dev(0x400000), HBM(1), 16, 0),
		 16 * MIB * 1000 / 31508);
	check_ns(copy_ns(card, &q, HBM(1), ram_dev(0x400000), 16, 0),
		 16 * MIB * 1000 / 31508);
}

/* Without a barrier the queue is not behind the copy; four fit into the core. */
TIMED_TEST(a_full_core_holds_its_queue_up)
{
	struct queue q = queue_external(card, 0, RING(0));
	struct cb cb = cb_host(card, CBUF(0));
	unsigned int i;

	put_stamp(&cb, 0, false);
	for (i = 1; i <= 6; i++) {
		put_packet(&cb, MIB, 0x09000000 | LINEAR);
		put64(&cb, HBM(0));
		put64(&cb, HBM(1));
		put_stamp(&cb, i, false);
	}
	queue_run(card, &q, &cb);
	assert_true(ns_between(card, 0, 4) < 1000);
	check_ns(ns_between(card, 0, 5), MIB / 128);
	check_ns(ns_between(card, 0, 6), 2 * MIB / 128);
}

/* C = A B by the first pair, with sums of so many steps. */
static uint64_t product_ns(unsigned int k)
{
	const struct mme_product p = { HBM(0), HBM(1), HBM(2), 64, 128, k };
	struct card *card = card_new(&timed, 0);
	struct queue q = queue_external(card, 0, RING(0));
	struct cb cb = cb_host(card, CBUF(0));
	struct mme_desc d;
	uint64_t ns;

	wr(card, TIMESTAMP, 1);
	mme_product_inputs(card, &p, 1);
	mme_product_desc(&d, &p, STORE, k, 20);
	put_stamp(&cb, 0, false);
	put_wait(&cb, &q, 20, 1);
	put_stamp(&cb, 1, false);
	queue_run(card, &q, &cb);
	mme_run(card, 0, &d);
	ns = ns_between(card, 0, 1);
	card_free(card);
	return ns;
}

/* In the operands are vectors of 64: one for both cores and one for each. */
TEST(products_take_their_memory)
{
	check_ns(product_ns(4096), (4096 * 3 * 64 * 2 + 64 * 128 * 4) / 500);
	check_ns(product_ns(512), (512 * 3 * 64 * 2 + 64 * 128 * 4) / 500);
}

/* Operands that are not in HBM: a step is a cycle, and a tile is no less than 128. */
TEST(products_take_their_steps)
{
	struct card *card = card_new(&timed, 0);
	const struct mme_product p = { SRAM, SRAM + 0x100000, SRAM + 0x200000,
				       64, 128, 2048 };
	static const unsigned int steps[] = { 2048, 16 };
	struct queue q = queue_external(card, 0, RING(0));
	struct cb cb = cb_host(card, CBUF(0));
	struct mme_desc d;
	unsigned int i;

	wr(card, TIMESTAMP, 1);
	put_stamp(&cb, 0, false);
	for (i = 0; i < 2; i++) {
		put_wait(&cb, &q, 20, i + 1);
		put_stamp(&cb, i + 1, false);
	}
	queue_run(card, &q, &cb);
	for (i = 0; i < 2; i++) {
		mme_product_desc(&d, &p, STORE, steps[i], 20);
		mme_run(card, 0, &d);
	}
	check_ns(ns_between(card, 0, 1), 2048 * 556 / 1000);
	check_ns(ns_between(card, 1, 2) + 50, 128 * 556 / 1000);
	card_free(card);
}

static void kernel_on(struct card *card, unsigned int n, unsigned int words)
{
	put_kernel(card, words);
	prepare(card, TPC(n), KERNEL, 8);
	wr_settle(card, TPC(n) + EXECUTE, 1);
}

/* A word is a cycle; the two kernels of one core follow each other. */
TIMED_TEST(kernels_take_their_words)
{
	struct queue q = queue_external(card, 0, RING(0));
	struct cb cb = cb_host(card, CBUF(0));

	put_stamp(&cb, 0, false);
	put_wait(&cb, &q, 8, 1);
	put_stamp(&cb, 1, false);
	put_wait(&cb, &q, 8, 2);
	put_stamp(&cb, 2, false);
	queue_run(card, &q, &cb);
	kernel_on(card, 3, 20000);
	kernel_on(card, 3, 40000);
	check_ns(ns_between(card, 0, 1), 20000 * 635 / 1000);
	check_ns(ns_between(card, 1, 2), 40000 * 635 / 1000);
}

/* --- who waits for whom ---------------------------------------------------- */

/* Two cores at the same time take as long as one; the third is behind both. */
TIMED_TEST(what_waits_is_later)
{
	/* Of cores 0 and 1, and another one of core 0. */
	static const unsigned int stream[] = { 0, 4, 1 };
	struct queue q[3];
	struct cb cb[3];
	unsigned int i;

	for (i = 0; i < 3; i++) {
		q[i] = queue_external(card, stream[i], RING(i));
		cb[i] = cb_host(card, CBUF(i));
	}
	put_stamp(&cb[2], 0, false);
	put_wait(&cb[2], &q[2], 16, 2);
	put_stamp(&cb[2], 1, false);
	put_lin_dma(&cb[2], HBM(0), HBM(3), MIB, LINEAR);
	put_stamp(&cb[2], 2, true);
	for (i = 0; i < 2; i++) {
		put_lin_dma(&cb[i], HBM(i), HBM(i + 1), (i + 1) * 4 * MIB, LINEAR);
		put_packet(&cb[i], 0x80000001, 0x03000000 | EB);
		put64(&cb[i], CFG + SM_E_N + SOB(16));
	}
	for (i = 3; i--;)
		queue_put(card, &q[i], cb[i].addr, cb[i].len);
	for (i = 3; i--;)
		queue_ring(card, &q[i]);
	card_settle(card);
	check_ns(ns_between(card, 0, 1), 8 * MIB / 128);
	check_ns(ns_between(card, 1, 2), MIB / 128);
}

/* Who armed a monitor late was not kept waiting, and does not see the latest value. */
TIMED_TEST(a_value_was_there_when_it_was)
{
	struct queue q = queue_external(card, 0, RING(0));
	struct queue late = queue_external(card, 1, RING(1));
	struct cb cb = cb_host(card, CBUF(0)), other = cb_host(card, CBUF(1));
	unsigned int i;

	put_stamp(&cb, 0, false);
	for (i = 0; i < 4; i++) {
		put_lin_dma(&cb, HBM(0), HBM(1), MIB, LINEAR);
		put_packet(&cb, 0x80000001, 0x03000000 | EB);
		put64(&cb, CFG + SM_E_N + SOB(16));
	}
	queue_run(card, &q, &cb);
	assert_int_equal(sob(card, 16), 4);
	put_wait(&other, &late, 16, 2);
	put_stamp(&other, 1, false);
	queue_run(card, &late, &other);
	check_ns(ns_between(card, 0, 1), 2 * MIB / 128);
}

/* WAIT is of the model, and takes the host no time. */
TIMED_TEST(a_wait_is_as_long_as_it_says)
{
	struct queue q = queue_external(card, 0, RING(0));
	struct cb cb = cb_host(card, CBUF(0));

	put_stamp(&cb, 0, false);
	put_packet(&cb, 500000 | 1u << 24, 0x0d000000);
	put_fence(&cb, 0, 1, 1);
	put_stamp(&cb, 1, false);
	queue_run(card, &q, &cb);
	check_ns(ns_between(card, 0, 1), 1000000);
}

/* Behind the engine, a wait begins when that is idle, and so does what follows. */
TIMED_TEST(a_wait_behind_a_copy_is_after_it)
{
	struct queue q = queue_external(card, 0, RING(0));
	struct cb cb = cb_host(card, CBUF(0));

	put_stamp(&cb, 0, false);
	put_lin_dma(&cb, HBM(0), HBM(1), 16 * MIB, LINEAR);
	put_packet(&cb, 500 | 1u << 24, 0x0d000000 | EB);
	put_stamp(&cb, 1, false);
	put_fence(&cb, 0, 1, 1);
	put_stamp(&cb, 2, false);
	queue_run(card, &q, &cb);
	check_ns(ns_between(card, 0, 1), 16 * MIB / 128);
	check_ns(ns_between(card, 0, 2), 16 * MIB / 128 + 1000);
}

/* The host goes on when it was told: by the interrupt behind the first copy. */
TIMED_TEST(the_host_is_told_by_interrupts)
{
	struct queue q = queue_external(card, 0, RING(0));
	struct queue other = queue_external(card, 1, RING(1));
	struct cb cb = cb_host(card, CBUF(0)), next = cb_host(card, CBUF(1));

	put_stamp(&cb, 0, false);
	put_lin_dma(&cb, HBM(0), HBM(1), 8 * MIB, LINEAR);
	put_packet(&cb, 1, 0x07000000 | EB);
	put64(&cb, CFG + 0xc04100);		/* PCIE_CORE_MSI_REQ */
	queue_run(card, &q, &cb);
	put_stamp(&next, 1, false);
	queue_run(card, &other, &next);
	assert_int_equal(card->msi[0], 1);
	check_ns(ns_between(card, 0, 1), 8 * MIB / 128);
	/* By the registers it sees the counter then, too. */
	assert_in_range(rd(card, TIMESTAMP + 8), stamp(card, 1) - 100, stamp(card, 1));
}

/* --- HBM ------------------------------------------------------------------- */

/*
 * Eight cores want twice what HBM can do, and get what there is: who comes first is served
 * first, and the last one has more than it can use.
 */
TIMED_TEST(hbm_is_shared)
{
	struct queue q = queue_external(card, 0, RING(0));
	struct cb cb = cb_host(card, CBUF(0));
	unsigned int i;

	put_stamp(&cb, 0, false);
	for (i = 1; i <= 8; i++) {
		put_wait(&cb, &q, 16, i);
		put_stamp(&cb, i, false);
	}
	queue_run(card, &q, &cb);
	for (i = 0; i < 8; i++) {
		dma_core_init(card, i);
		wr(card, DMA_CORE(i) + 0x7c, 0x80000001);
		wr64(card, DMA_CORE(i) + 0x80, CFG + SM_E_N + SOB(16));
		dma_start(card, i, HBM(i), HBM(i) + 0x2000000, 16 * MIB,
			  LINEAR | SIGNALS);
	}
	card_settle(card);
	for (i = 1; i <= 8; i++)
		assert_true(ns_between(card, 0, i) >= 16 * MIB / 128);
	assert_in_range(ns_between(card, 0, 8), 2 * 8 * 16 * MIB / 1000,
			3 * 8 * 16 * MIB / 1000 - 1);
}

/* --- links ----------------------------------------------------------------- */

static struct pair *timed_pair(unsigned int workers)
{
	struct pair *pair = calloc(1, sizeof(*pair));

	assert_non_null(pair);
	pair->card[0] = card_new(&timed, workers);
	pair->card[1] = card_new_beside(pair->card[0], &timed);
	WORKS(gaudi_chip_connect(A(pair)->chip, PORT_A, B(pair)->chip, PORT_B));
	port_on(A(pair), PORT_A);
	port_on(B(pair), PORT_B);
	pair_settle(pair);
	pair_open(pair);
	wr(A(pair), TIMESTAMP, 1);
	wr(B(pair), TIMESTAMP, 1);
	return pair;
}

static void pair_free(struct pair *pair)
{
	card_free(pair->card[1]);
	card_free(pair->card[0]);
	free(pair);
}

/* Writes of 4 KiB, counted by B; its queue and one of A's wait for them. */
static void write_over(struct pair *pair, unsigned int n)
{
	struct queue there = queue_external(B(pair), 0, RING(0));
	struct queue here = queue_external(A(pair), 1, RING(0));
	struct cb cb = cb_host(B(pair), CBUF(0)), mine = cb_host(A(pair), CBUF(1));
	struct wqe wqe = wqe_counted(4096);
	unsigned int i;

	put_stamp(&cb, 0, false);
	put_wait(&cb, &there, 20, n);
	put_stamp(&cb, 1, false);
	queue_run(B(pair), &there, &cb);
	put_stamp(&mine, 0, false);
	put_wait(&mine, &here, 21, 1);
	put_stamp(&mine, 1, false);
	queue_run(A(pair), &here, &mine);
	for (i = 0; i < n; i++)
		qp_put(A(pair), PORT_A, PAIR_QP, i, &wqe);
	qp_local(A(pair), PORT_A, PAIR_QP, n - 1, REMOTE_SOB(21), 0x80000001, false);
	qp_ring(A(pair), PORT_A, PAIR_QP, n);
	pair_settle(pair);
}

/* Data, and what packets have besides, at 12.5 GB/s; a count is a packet, too. */
TEST(links_take_their_time)
{
	struct pair *pair = timed_pair(0);
	unsigned int n = 48;

	write_over(pair, n);
	check_ns(ns_between(B(pair), 0, 1), n * (4096 + 98 + 4 + 98) * 10 / 125);
	check_ns(ns_between(A(pair), 0, 1), n * (4096 + 98 + 4 + 98) * 10 / 125);
	pair_free(pair);
}

/* Nothing is sent twice because the host is slow; whoever never answers is given up. */
TEST(silence_ends_a_queue_pair)
{
	struct pair *pair = timed_pair(0);
	unsigned int i;

	bits_set(res_ctx(B(pair), PORT_B, PAIR_QP), 255, 1, 0);
	pair_do(pair, wqe_write(100));
	for (i = 0; i < 20; i++)
		pair_advance(pair, 10 * TIMER_NS);
	assert_int_equal(bits_get(req_ctx(A(pair), PORT_A, PAIR_QP), 510, 1), 0);
	pair_advance(pair, 10000000000ull);
	assert_int_equal(bits_get(req_ctx(A(pair), PORT_A, PAIR_QP), 510, 1), 1);
	pair_free(pair);
}

/* --- the host's business --------------------------------------------------- */

/* Two engines and two cards; what the host's threads do differs from run to run. */
static void some_work(uint32_t *result, unsigned int workers)
{
	struct pair *pair = timed_pair(workers);
	struct card *card = A(pair);
	struct queue q;
	unsigned int i;

	q = queue_external(card, 0, RING(1));
	for (i = 0; i < 3; i++)
		result[i] = copy_ns(card, &q, HBM(2), HBM(3), 1 + 7 * i, 0);
	write_over(pair, 40);
	for (i = 0; i < 2; i++) {
		result[3 + i] = stamp(A(pair), i);
		result[5 + i] = stamp(B(pair), i);
	}
	pair_free(pair);
}

TEST(runs_are_the_same)
{
	uint32_t first[7], again[7];
	unsigned int i;

	some_work(first, 0);
	for (i = 0; i < 10; i++) {
		some_work(again, i % 3);
		assert_memory_equal(first, again, sizeof(first));
	}
}

/* --- what cannot be together ----------------------------------------------- */

TIMED_TEST(a_wire_joins_cards_of_one_clock)
{
	struct card *other = card_new(NULL, 0);

	assert_int_equal(gaudi_chip_connect(card->chip, 0, other->chip, 0),
			 -EINVAL);
	assert_int_equal(gaudi_chip_connect_network(card->chip, 1,
						    (const uint8_t *)"\2card1",
						    4096), -EOPNOTSUPP);
	card_free(other);
}

/* --- parts of it ------------------------------------------------------------ */

/* An amount is reached by what came first, whoever was executed first. */
TEST(steps_are_by_time)
{
	struct gaudi_steps s = { 0 };
	unsigned int i;

	gaudi_steps_add(&s, 1, 300);
	gaudi_steps_add(&s, 2, 100);
	gaudi_steps_add(&s, 1, 200);
	assert_int_equal(gaudi_steps_reached(&s, 0), 0);
	assert_int_equal(gaudi_steps_reached(&s, 2), 100);
	assert_int_equal(gaudi_steps_reached(&s, 3), 200);
	assert_int_equal(gaudi_steps_reached(&s, 4), 300);
	assert_int_equal(gaudi_steps_reached(&s, 5), 300);
	gaudi_steps_take(&s, 3);
	assert_int_equal(gaudi_steps_reached(&s, 1), 300);
	gaudi_steps_set(&s, 7, 50);
	assert_int_equal(gaudi_steps_reached(&s, 7), 50);
	/* More than are kept: the first ones are taken together, none is lost. */
	for (i = 1; i <= 20; i++)
		gaudi_steps_add(&s, 1, 1000 * i);
	assert_int_equal(gaudi_steps_reached(&s, 27), 20000);
	assert_int_equal(gaudi_steps_reached(&s, 26), 19000);
}

TEST(doors_know_since_when)
{
	struct gaudi_door d = { 0 };
	unsigned int i;

	gaudi_door_ring(&d, 2, 100);
	gaudi_door_ring(&d, 3, 100);
	gaudi_door_ring(&d, 4, 250);
	for (i = 1; i <= 4; i++)
		assert_int_equal(gaudi_door_known(&d, i), i < 4 ? 100 : 250);
	assert_int_equal(gaudi_door_known(&d, 5), 0);
}

/* Each rate stands in the page, as a term and what it means. */
TEST(rates_are_documented)
{
	const struct gaudi_rate *r;
	char text[65536], want[512];
	FILE *in = fopen(TIMING_PAGE, "r");
	size_t len;

	assert_non_null(in);
	len = fread(text, 1, sizeof(text) - 1, in);
	text[len] = 0;
	fclose(in);
	for (r = gaudi_rates; r->name; r++) {
		snprintf(want, sizeof(want), "``%s``, %u %s\n    %s;\n    %s.\n",
			 r->name, r->value, r->unit, r->what, r->source);
		if (!strstr(text, want))
			fail_msg("%s has no:\n%s", TIMING_PAGE, want);
	}
}
