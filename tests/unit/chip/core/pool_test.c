// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cards that share worker threads, guest threads that access them at the same
 * time, resets in the midst of work; and that a deterministic card repeats
 * itself. Built with ThreadSanitizer as well.
 */
#include <pthread.h>
#include <unistd.h>

#include "../card.h"
#include "../../../../qemu-device/chip/core/core.h"

#define RING	0x10000
#define CBUF	0x100000
#define DATA	0x1000000
#define LIN	0x8
#define MEMSET	0x10
#define NUM_Q	8

/* DMA through all eight external queues: RAM -> HBM -> RAM; counts a SOB. */
static void start_round(struct card *card, struct queue *q, unsigned int round)
{
	unsigned int id;

	for (id = 0; id < NUM_Q; id++) {
		struct cb cb = cb_host(card, CBUF + id * 0x1000);
		uint64_t hbm = USER_HBM + id * 0x100000;
		uint32_t size = 1000 + 4097 * id + round;

		put_lin_dma(&cb, ram_dev(DATA + id * 0x40000), hbm, size, LIN);
		put_lin_dma(&cb, hbm, ram_dev(2 * DATA + id * 0x40000), size,
			    LIN);
		put_msg_long(&cb, CFG + SM_E_N + SOB(id), 0x80000001);
		put_msg_prot(&cb, CFG + 0xc04100, 1);
		queue_put(card, &q[id], cb.addr, cb.len);
	}
	for (id = 0; id < NUM_Q; id++)
		queue_ring(card, &q[id]);
}

static void make_queues(struct card *card, struct queue *q)
{
	unsigned int id;

	for (id = 0; id < NUM_Q; id++)
		q[id] = queue_external(card, id, RING + id * 0x10000);
}

static void check_round(struct card *card, unsigned int round)
{
	unsigned int id;

	for (id = 0; id < NUM_Q; id++) {
		assert_int_equal(rd(card, SM_E_N + SOB(id)), round + 1);
		assert_memory_equal(card->ram + DATA + id * 0x40000,
				    card->ram + 2 * DATA + id * 0x40000,
				    1000 + 4097 * id + round);
	}
}

TEST(cards_share_workers)
{
	const struct gaudi_config config = { .hbm_size = 1ull << 30 };
	struct card *a = card_new(&config, 2);
	struct card *b = card_new_beside(a, &config);
	struct queue qa[NUM_Q], qb[NUM_Q];
	unsigned int round;

	make_queues(a, qa);
	make_queues(b, qb);
	for (round = 0; round < 30; round++) {
		fill(a->ram + DATA, NUM_Q * 0x40000, round);
		fill(b->ram + DATA, NUM_Q * 0x40000, round + 1000);
		start_round(a, qa, round);
		start_round(b, qb, round);
		card_settle(a);
		card_settle(b);
		check_round(a, round);
		check_round(b, round);
	}
	/* several requests may share an interrupt, but none is lost */
	assert_in_range(a->msi[0], 30, 30 * NUM_Q);
	assert_in_range(b->msi[0], 30, 30 * NUM_Q);
	card_free(b);
	card_free(a);
}

/* A guest thread that reads and writes registers all the while. */
struct guest {
	struct card *card;
	atomic_bool stop;
	unsigned int accesses;
};

static void *guest_thread(void *arg)
{
	struct guest *guest = arg;
	unsigned int i = 0;

	while (!guest->stop) {
		wr(guest->card, SM_W_S + SOB(i % 2048), 0x80000001);
		rd(guest->card, DMA_QM(i % 8) + 0x38);
		rd(guest->card, DMA_CORE(i % 8) + 0x190);
		if (i % 64 == 0)
			wr(guest->card, 0xc04100, 1);
		i++;
	}
	guest->accesses = i;
	return NULL;
}

TEST(guest_accesses_meanwhile)
{
	struct card *card = card_new(NULL, 2);
	struct guest guest[2] = { { card }, { card } };
	pthread_t thread[2];
	struct queue q[NUM_Q];
	unsigned int i, round;

	make_queues(card, q);
	for (i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, guest_thread, &guest[i]);
	for (round = 0; round < 50; round++) {
		fill(card->ram + DATA, NUM_Q * 0x40000, round);
		start_round(card, q, round);
		card_settle(card);
		check_round(card, round);
	}
	for (i = 0; i < 2; i++) {
		guest[i].stop = true;
		pthread_join(thread[i], NULL);
		assert_true(guest[i].accesses > 0);
	}
	card_free(card);
}

#define ADDS		400

/*
 * All queues and the guest count the same sync object up while each waits for
 * the sum by a monitor of its own: no addition is lost, each monitor fires once.
 */
TEST(sync_objects_are_atomic)
{
	const uint32_t sum = (NUM_Q + 1) * ADDS;
	struct card *card = card_new(NULL, 2);
	struct queue q[NUM_Q];
	unsigned int id, i;

	make_queues(card, q);
	for (id = 0; id < NUM_Q; id++) {
		struct cb cb = cb_host(card, DATA + id * 0x40000);
		uint64_t sob = CFG + SM_W_N + SOB(300);

		put_monitor(&cb, SM_E_N, id, sob, 0x80000001);
		put_msg_long(&cb, CFG + SM_E_N + MON_ARM(id),
			     sum << 17 | 0xfe << 8 | 104 / 8);
		for (i = 0; i < ADDS; i++)
			put_msg_long(&cb, CFG + SM_E_N + SOB(104), 0x80000001);
		queue_put(card, &q[id], cb.addr, cb.len);
	}
	for (id = 0; id < NUM_Q; id++)
		queue_ring(card, &q[id]);
	for (i = 0; i < ADDS; i++)
		wr(card, SM_E_N + SOB(104), 0x80000001);
	card_settle(card);
	assert_int_equal(rd(card, SM_E_N + SOB(104)), sum);
	assert_int_equal(rd(card, SM_W_N + SOB(300)), NUM_Q);
	card_free(card);
}

#define TURNS		100

/* "Go on" for the other one of two queues: fence 2 of DMA n, stream 0. */
static void put_signal(struct cb *cb, unsigned int mon, unsigned int n)
{
	const uint64_t fence = CFG + DMA_QM(n) + 0x330;

	put_monitor(cb, SM_E_N, mon, fence, 1);
	put_msg_long(cb, CFG + SM_E_N + SOB(8 * mon), 0);
	put_msg_long(cb, CFG + SM_E_N + MON_ARM(mon), 1 << 17 | 0xfe << 8 | mon);
	put_msg_long(cb, CFG + SM_E_N + SOB(8 * mon), 0x80000001);
}

/* A NOP that waits for the engine. */
static void put_wait(struct cb *cb)
{
	put_packet(cb, 0, 0x0a000000 | EB | MB);
}

/*
 * Two queues pass a block on, each after the other's signal, through HBM to host
 * memory: what was written before a signal is seen after it.
 */
TEST(signals_order_engines)
{
	struct card *card = card_new(NULL, 2);
	struct queue a = queue_external(card, 0, RING);
	struct queue b = queue_external(card, 4, RING + 0x10000);
	struct cb ca = cb_host(card, CBUF), cb = cb_host(card, CBUF + 0x10000);
	unsigned int i;

	fill(card->ram + DATA, TURNS * 4096, 5);
	for (i = 0; i < TURNS; i++) {
		put_lin_dma(&ca, ram_dev(DATA + i * 4096), USER_HBM, 4096, LIN);
		put_wait(&ca);
		put_signal(&ca, 1, 1);
		put_fence(&ca, 2, 1, 1);
		put_fence(&cb, 2, 1, 1);
		put_lin_dma(&cb, USER_HBM, ram_dev(2 * DATA + i * 4096), 4096,
			    LIN);
		put_wait(&cb);
		put_signal(&cb, 2, 0);
	}
	queue_put(card, &a, ca.addr, ca.len);
	queue_put(card, &b, cb.addr, cb.len);
	queue_ring(card, &a);
	queue_ring(card, &b);
	card_settle(card);
	assert_memory_equal(card->ram + DATA, card->ram + 2 * DATA,
			    TURNS * 4096);
	card_free(card);
}

TEST(reset_in_the_midst)
{
	struct card *card = card_new(NULL, 2);
	struct queue q[NUM_Q];
	unsigned int i;

	for (i = 0; i < 40; i++) {
		make_queues(card, q);
		start_round(card, q, i);
		usleep(i * 20);
		if (i % 2)
			gaudi_chip_power_on(card->chip);
		else
			wr_settle(card, 0xc4b498, 1);
		assert_int_equal(rd(card, DMA_QM(0) + 0x0), 0);
		assert_int_equal(rd(card, DMA_QM(0) + 0x38) & 0x3fff, 0x3fff);
	}
	/* and it works after all that */
	make_queues(card, q);
	fill(card->ram + DATA, NUM_Q * 0x40000, 1);
	start_round(card, q, 0);
	card_settle(card);
	check_round(card, 0);
	card_free(card);
}

TEST(freed_in_the_midst)
{
	const struct gaudi_config config = { .hbm_size = 1ull << 30 };
	struct card *first = card_new(&config, 2);
	unsigned int i;

	for (i = 0; i < 20; i++) {
		struct card *card = card_new_beside(first, &config);
		struct queue q[NUM_Q];

		make_queues(card, q);
		start_round(card, q, i);
		usleep(i * 30);
		card_free(card);
	}
	card_free(first);
}

static int by_value(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a;
	unsigned int y = *(const unsigned int *)b;

	return (x > y) - (x < y);
}

/*
 * A stream that never ends keeps a worker in control of the card: a register
 * read still gets through after a few packets, not when the mutex happens to be
 * free. Counted in packets, which a busy host does not stretch; most of the
 * reads, since the host may take a thread off its core before it asks.
 */
TEST(endless_stream_lets_the_guest_in)
{
	struct card *card = card_new(NULL, 2);
	struct queue q = queue_external(card, 0, RING);
	struct cb cb = cb_host(card, CBUF);
	unsigned int packets[501], i;

	/* A loop that starts anew within itself; the device range counts. */
	put_packet(&cb, 0, 0x06000000);
	put_msg_long(&cb, HOST + MMIO_BASE, 0);
	put_packet(&cb, 1, 0x06000000);
	wr64(card, q.qm + 0x174, cb.addr);
	wr(card, q.qm + 0x17c, cb.len);
	wr(card, q.qm + 0x180, 1u << 24 | 2);
	while (card->posted < 1000)
		usleep(1000);
	for (i = 0; i < 501; i++) {
		packets[i] = card->posted;
		assert_int_equal(rd(card, q.qm + 0x38) & 0x200, 0);
		packets[i] = 2 * (card->posted - packets[i]);
		usleep(50);
	}
	qsort(packets, 501, sizeof(packets[0]), by_value);
	print_message("# packets before a read: median %u, 95 %% %u, most %u\n",
		      packets[250], packets[475], packets[500]);
	assert_in_range(packets[475], 0, 256);
	wr_settle(card, q.qm + 0x4, 0x3fff);
	card_free(card);
}

/* FNV-1a over what a run leaves behind. */
static uint64_t hash(uint64_t h, const void *data, size_t len)
{
	const uint8_t *p = data;

	while (len--)
		h = (h ^ *p++) * 0x100000001b3ull;
	return h;
}

/*
 * Queues that race for one SOB's value and one memory cell: the outcome
 * depends on the order, so equal outcomes mean equal orders.
 */
static uint64_t race(uint64_t seed)
{
	const struct gaudi_config config = {
		.hbm_size = 1ull << 30,
		.sched_seed = seed,
	};
	struct card *card = card_new(&config, 0);
	struct queue q[NUM_Q];
	uint64_t h = 0xcbf29ce484222325ull;
	unsigned int id, i;
	uint32_t sob;

	make_queues(card, q);
	for (id = 0; id < NUM_Q; id++) {
		struct cb cb = cb_host(card, CBUF + id * 0x1000);

		for (i = 0; i < 8; i++) {
			put_msg_long(&cb, ram_dev(DATA + 8 * i), id);
			put_lin_dma(&cb, ram_dev(DATA + 8 * i),
				    USER_HBM + 64 * id + 8 * i, 8, LIN);
			put_msg_long(&cb, CFG + SM_E_N + SOB(0), id + 1);
		}
		queue_put(card, &q[id], cb.addr, cb.len);
	}
	for (id = 0; id < NUM_Q; id++)
		queue_ring(card, &q[id]);
	card_settle(card);
	h = hash(h, card->ram + DATA, 64);
	h = hash(h, card_hbm(card) + USER_HBM, 64 * NUM_Q);
	sob = rd(card, SM_E_N + SOB(0));
	h = hash(h, &sob, 4);
	card_free(card);
	return h;
}

TEST(deterministic_repeats)
{
	uint64_t plain = race(0), seeded = race(12345);
	bool differs = false;
	unsigned int i;

	for (i = 0; i < 5; i++) {
		assert_int_equal(race(0), plain);
		assert_int_equal(race(12345), seeded);
	}
	/* Seeds are there to find other orders. */
	for (i = 1; i < 20 && !differs; i++)
		differs = race(i) != plain;
	assert_true(differs);
}

/* The host's thread gets back from a run before a long copy is done. */
CARD_TEST(deterministic_run_is_bounded)
{
	uint32_t core = DMA_CORE(2), before = 0, after;
	unsigned int runs;

	dma_core_init(card, 2);
	wr(card, core + 0x14, USER_HBM);
	wr(card, core + 0x1c, USER_HBM + 0x10000000);
	wr(card, core + 0x74, 0x10000000);
	wr(card, core + 0x78, LIN);
	for (runs = 0; rd(card, core + 0x190); runs++) {
		gaudi_chip_run(card->chip);
		/* 128 bytes each: 64 MiB and no more */
		after = rd(card, core + 0x224);
		assert_in_range(after - before, 1, 0x80000);
		assert_true(after == 0x200000 || atomic_load(&card->kicked));
		before = after;
	}
	assert_in_range(runs, 4, 5);
	assert_int_equal(before, 0x200000);
}

/* Who counts turns gets the card back after so few of them. */
CARD_TEST(turns_are_counted)
{
	const uint64_t far = 32ull << 20;

	card_hbm(card)[far] = 0x5a;
	dma_core_init(card, 5);
	wr(card, DMA_CORE(5) + 0x1c, USER_HBM);
	wr(card, DMA_CORE(5) + 0x74, 64u << 20);
	wr(card, DMA_CORE(5) + 0x78, LIN);
	gaudi_chip_run_some(card->chip, 1000);
	assert_int_equal(card_hbm(card)[USER_HBM + far], 0);
	assert_true(card->kicked);
	card_settle(card);
	assert_int_equal(card_hbm(card)[USER_HBM + far], 0x5a);
}

/* Zeros from at on: 64 turns are enough for the first byte, not for 8 MiB. */
static void zeros_in_turns(struct card *card, uint64_t dst, uint32_t size,
			   uint32_t commit, const uint8_t *at, uint8_t before)
{
	uint32_t core = DMA_CORE(5);

	wr(card, core + 0x14, 0);
	wr64(card, core + 0x1c, dst);
	wr(card, core + 0x74, size);
	wr(card, core + 0x78, commit);
	gaudi_chip_run_some(card->chip, 64);
	assert_int_equal(at[0], 0);
	assert_int_equal(at[8 << 20], before);
	card_settle(card);
	assert_int_equal(at[8 << 20], 0);
}

/*
 * Zeros count as what they cost: little where pages are given back, but not in
 * the host's memory, nor where HBM shows a pattern's pages, nor in small rows.
 */
CARD_TEST(zeros_are_counted)
{
	uint8_t *hbm = card_hbm(card) + USER_HBM;
	uint32_t core = DMA_CORE(5);

	dma_core_init(card, 5);
	memset(card->ram, 0x5a, RAM_SIZE);
	zeros_in_turns(card, ram_dev(0), RAM_SIZE, LIN | MEMSET, card->ram,
		       0x5a);
	/* a whole chunk of 32 MiB, then most of it */
	wr(card, core + 0x14, 0x77777777);
	wr(card, core + 0x1c, USER_HBM);
	wr(card, core + 0x20, 0);
	wr(card, core + 0x74, 32 << 20);
	wr_settle(card, core + 0x78, LIN | MEMSET);
	zeros_in_turns(card, USER_HBM + 4096, 30 << 20, LIN | MEMSET,
		       hbm + 4096, 0x77);
	/* rows that are too short to be given back */
	memset(hbm + (64 << 20), 0x5a, 32 << 20);
	wr(card, core + 0x54, 32);
	wr(card, core + 0x58, 1 << 20);
	zeros_in_turns(card, USER_HBM + (64 << 20), (1 << 20) - 64, MEMSET,
		       hbm + (64 << 20), 0x5a);
}

/*
 * While the host stands still no engine works, neither for a queue nor for a
 * register that is written meanwhile; a reset then leaves nothing to do.
 */
QUEUE_TEST(pause_holds_engines, queue_external(card, 0, 0x10000))
{
	struct cb cb = cb_host(card, 0x40000);
	uint8_t *hbm = card_hbm(card) + USER_HBM;
	unsigned int round;

	put_msg_long(&cb, ram_dev(0x100), 0x12345678);
	for (round = 0; round < 2; round++) {
		memset(hbm, 0x5a, 64);
		dma_core_init(card, 5);
		wr(card, DMA_CORE(5) + 0x14, USER_HBM);
		wr(card, DMA_CORE(5) + 0x1c, USER_HBM + 32);
		wr(card, DMA_CORE(5) + 0x74, 16);
		gaudi_chip_pause(card->chip);
		memset(hbm, 0xa5, 16);
		wr(card, DMA_CORE(5) + 0x78, LIN);
		queue_put(card, &q, cb.addr, cb.len);
		queue_ring(card, &q);
		card_settle(card);
		assert_int_equal(hbm[32], 0x5a);
		assert_int_equal(ram32(card, 0x100), 0);
		if (round)
			gaudi_chip_hard_reset(card->chip);
		gaudi_chip_resume(card->chip);
		card_settle(card);
		assert_int_equal(hbm[32], round ? 0 : 0xa5);
		assert_int_equal(ram32(card, 0x100), round ? 0 : 0x12345678);
		memset(card->ram + 0x100, 0, 4);
	}
}

TEST(report_is_json)
{
	struct card *card = card_new(NULL, 0);
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	int depth = 0;
	size_t i;

	wr(card, 0xc4b498 - 0x10, 1);
	assert_int_equal(gaudi_chip_report(card->chip, out), 0);
	fclose(out);
	assert_true(len > 2 && text[0] == '{');
	for (i = 0; i < len; i++) {
		depth += text[i] == '{' || text[i] == '[';
		depth -= text[i] == '}' || text[i] == ']';
		assert_true(depth >= 0);
	}
	assert_int_equal(depth, 0);
	free(text);
	card_free(card);
}

/* --- what is told to the host ends with a reset ------------------------------ */

static atomic_bool in_msi, let_msi_go;

static void slow_msi(struct card *card)
{
	(void)card;
	in_msi = true;
	while (!let_msi_go)
		usleep(100);
}

static void *ring_for_msi(void *arg)
{
	wr(arg, 0xc04100, 1);
	return NULL;
}

struct resetter {
	struct card *card;
	atomic_bool back;
	unsigned int msis;	/* when it came back */
};

static void *reset_thread(void *arg)
{
	struct resetter *r = arg;

	gaudi_chip_hard_reset(r->card->chip);
	r->msis = r->card->msi[0];
	r->back = true;
	return NULL;
}

/* One thread is about to raise it when another one resets the card. */
TEST(no_msi_after_a_reset)
{
	struct card *card = card_new(NULL, 2);
	struct resetter r = { .card = card };
	pthread_t guest, reset;
	unsigned int i;

	in_msi = false;
	let_msi_go = false;
	card->on_msi = slow_msi;
	wr(card, SM_E_N + SOB(0), 5);
	assert_int_equal(pthread_create(&guest, NULL, ring_for_msi, card), 0);
	while (!in_msi)
		usleep(100);
	assert_int_equal(pthread_create(&reset, NULL, reset_thread, &r), 0);
	while (sob(card, 0))
		usleep(100);
	/* A reset that does not wait comes back by now. */
	for (i = 0; i < 200 && !r.back; i++)
		usleep(1000);
	let_msi_go = true;
	pthread_join(reset, NULL);
	pthread_join(guest, NULL);
	assert_int_equal(card->msi[0], r.msis);
	card->on_msi = NULL;
	card_free(card);
}

/* --- actors -------------------------------------------------------------------- */

static bool idle_run(struct gaudi_chip *chip, struct gaudi_actor *actor)
{
	(void)chip;
	(void)actor;
	return false;
}

CARD_TEST(actors_are_bounded)
{
	static struct gaudi_actor extra[GAUDI_MAX_ACTORS + 8];
	struct gaudi_sched *s = &card->chip->sched;
	unsigned int before = s->num_actors, i;

	assert_int_equal(s->refused, 0);
	for (i = 0; i < GAUDI_MAX_ACTORS + 8; i++)
		gaudi_actor_init(card->chip, &extra[i], "extra", true,
				 idle_run);
	assert_int_equal(s->num_actors, GAUDI_MAX_ACTORS);
	assert_int_equal(s->refused, before + 8);
	assert_ptr_equal(s->actor[GAUDI_MAX_ACTORS - 1],
			 &extra[GAUDI_MAX_ACTORS - 1 - before]);
}

/* --- cards share the workers' time ------------------------------------------------- */

/* A turn of busy takes two milliseconds, and there is always one more. */
static struct gaudi_actor busy, other;
static atomic_uint busy_turns;
static atomic_bool stop_busy, other_ran;
/* What busy had done when other ran. */
static unsigned int done_before;

static bool busy_run(struct gaudi_chip *chip, struct gaudi_actor *actor)
{
	uint64_t end = gaudi_real_ns() + 2000000;

	(void)actor;
	gaudi_bulk_begin(chip);
	while (gaudi_real_ns() < end)
		;
	busy_turns++;
	gaudi_bulk_end(chip);
	return !stop_busy;
}

static bool other_run(struct gaudi_chip *chip, struct gaudi_actor *actor)
{
	(void)chip;
	(void)actor;
	done_before = busy_turns;
	other_ran = true;
	return false;
}

/* Returns what busy has done then, however late this thread comes to see it. */
static unsigned int kick(struct card *card, struct gaudi_actor *actor)
{
	gaudi_chip_lock(card->chip);
	gaudi_actor_kick(card->chip, actor);
	gaudi_chip_unlock(card->chip);
	return busy_turns;
}

/* One worker: the other card's turn comes when that of the busy one ends. */
TEST(busy_card_lets_others_work)
{
	struct card *a = card_new(NULL, 1), *b = card_new_beside(a, NULL);
	unsigned int round, turns, kicked_at;

	stop_busy = false;
	busy_turns = 0;
	gaudi_actor_init(a->chip, &busy, "busy", false, busy_run);
	gaudi_actor_init(b->chip, &other, "other", true, other_run);
	kick(a, &busy);
	for (round = 0; round < 8; round++) {
		/* It is in the midst of a visit. */
		for (turns = busy_turns; busy_turns < turns + 3;)
			usleep(100);
		other_ran = false;
		kicked_at = kick(b, &other);
		while (!other_ran)
			usleep(100);
		assert_true((int)(done_before - kicked_at) <= 16);
	}
	stop_busy = true;
	card_free(b);
	card_free(a);
}
