// SPDX-License-Identifier: GPL-2.0-only
/*
 * Snapshots: a card with work done, under way and waiting is saved; another one goes on
 * with it, and both come to the same end. What cannot be saved is refused by name, and
 * the card goes on.
 */
#include "../fw.h"
#include "../mme/mme_gen.h"
#include "../nic/ports.h"
#include "../tpc/tpc_card.h"
#include "snapshot.h"

#define RING		0x10000
#define RING_1		0x20000
#define CBUF		0x40000
#define MATRICES	(USER_HBM + 0x1000000)
#define PATTERN_AT	0x30000000ull	/* whole chunks of 32 MiB */
#define COPY_AT		0x38000000ull
#define SW_ALL_RST	0xc4b498u
#define TIMESTAMP_CNTCR	0xc49000u
#define TIMESTAMP_CNTCVL 0xc49008u
#define FENCE_0		0x308
#define POWER_GET	0x20
#define CHECKED		0x3c000000ull	/* bytes of HBM that are compared */

static const struct mme_product product = {
	.a = MATRICES, .b = MATRICES + 0x100000, .c = MATRICES + 0x200000,
	.m = 64, .n = 64, .k = 512,
};

static void launch(struct card *card, unsigned int n)
{
	prepare(card, TPC(n), KERNEL, 10 + n);
	wr(card, TPC(n) + EXECUTE, 1);
}

/* Half of the sums, which stay in the engine; the other half is added in finish(). */
static void multiply(struct card *card, uint32_t header, unsigned int from)
{
	struct mme_product p = product;
	struct mme_desc d;

	p.a += 2 * from;
	p.b += 2ull * from * p.n;
	mme_product_desc(&d, &p, header, p.k / 2, 20);
	mme_start(card, 0, &d);
}

/*
 * One queue waits for a fence, which a monitor writes when SOB 5 gets to 3; another one for
 * SOB 6 by a monitor of its own. Both then write objects, memory of the host and an MSI.
 */
static void wait_in_queues(struct card *card)
{
	unsigned int n;

	for (n = 0; n < 2; n++) {
		struct queue q = queue_external(card, n, n ? RING_1 : RING);
		struct cb cb = cb_host(card, CBUF + n * 0x1000);

		monitor_set(card, SM_E_N, n, CFG + q.qm + FENCE_0 +
			    4 * q.stream, 1);
		wr(card, SM_E_N + MON_ARM(n), 3 << 17 | (~(0x20u << n) & 0xff) << 8);
		put_add(&cb, 30 + n, 7);
		put_fence(&cb, 0, 1, 1);
		put_add(&cb, 30 + n, 5);
		put_lin_dma(&cb, PATTERN_AT, ram_dev(0x200000 + n * 0x1000),
			    0x800, 9);
		put_msg_prot(&cb, ram_dev(0x210000 + 8 * n), 0x1234 + n);
		put_msg_prot(&cb, CFG + 0xc04100, 1);
		queue_put(card, &q, cb.addr, cb.len);
		queue_ring(card, &q);
	}
}

/* All but the engines that are under way at the end. */
static void begin(struct card *card)
{
	unsigned int n;

	boot(card);
	cpu_queues_init(card);
	cpu_enable_events(card);
	for (n = 0; n < 8; n++)
		dma_core_init(card, n);
	put_kernel(card, 40000);
	mme_product_inputs(card, &product, 7);
	/* Chunks that show a pattern, with other bytes here and there; and a copy. */
	dma_start(card, 2, 0x55667788, PATTERN_AT, 4u << 25, 0x18);
	card_settle(card);
	card_hbm(card)[PATTERN_AT + 5] = 0xaa;
	card_hbm(card)[PATTERN_AT + (3u << 25) - 1] = 0xbb;
	card_hbm(card)[PATTERN_AT + (2u << 25) + (1u << 23)] = 0xcc;
	memset(card_hbm(card) + PATTERN_AT + (1u << 25), 0, 0x5000);
	fill(card_sram(card) + 0x1000, 0x2000, 3);
	wait_in_queues(card);
	multiply(card, KEEP_PARTIAL | STORE, 0);
	card_settle(card);
	card_advance(card, 30000000);
	assert_true(cpu_send(card, POWER_GET, 0, 8 << 16).answered);
}

/* Engines in the middle of something. */
static void under_way(struct card *card)
{
	launch(card, 0);
	launch(card, 3);
	launch(card, 3);
	/* Longer than some turns; a copy within memory, and one to the host. */
	dma_start(card, 4, PATTERN_AT, COPY_AT, 24u << 20, 0x8);
	dma_start(card, 5, PATTERN_AT + 0x1000, ram_dev(0x1000000), 0x800000, 0x8);
	gaudi_chip_run_some(card->chip, 6);
	assert_int_not_equal(rd(card, DMA_CORE(4) + 0x190) >> 31, 0);
	assert_int_not_equal(rd(card, TPC(0) + 0x91c) & 0xee, 0xee);
	assert_int_equal(sob(card, 10), 0);
}

static void finish(struct card *card)
{
	card_settle(card);
	assert_int_equal(sob(card, 30), 7);
	wr_settle(card, SM_E_N + SOB(5), 3);
	wr_settle(card, SM_E_N + SOB(6), 3);
	multiply(card, STORE | SIGNAL, product.k / 2);
	card_settle(card);
	card_advance(card, 2000000000);
}

/* Both cards have come to the same end, which is the right one. */
static void check_same(struct card *a, struct card *b)
{
	unsigned int n;

	for (n = 0; n < 2; n++) {
		assert_int_equal(sob(b, 30 + n), 12);
		assert_int_equal(ram32(b, 0x210000 + 8 * n), 0x1234 + n);
	}
	assert_int_equal(sob(b, 10), 1);
	assert_int_equal(sob(b, 13), 2);
	assert_memory_equal(a->ram, b->ram, RAM_SIZE);
	assert_memory_equal(card_sram(a), card_sram(b), 20u << 20);
	assert_memory_equal(card_hbm(a), card_hbm(b), CHECKED);
	assert_memory_equal(card_hbm(b) + COPY_AT, card_hbm(b) + PATTERN_AT,
			    24u << 20);
	for (n = 0; n < 64; n++)
		assert_int_equal(sob(a, n), sob(b, n));
}

/* Saved again it is the same, to the byte: nothing is lost or made up by loading. */
static void check_again(struct snapshot *snap, struct card *twin)
{
	struct snapshot again = { 0 };

	WORKS(snapshot_save(&again, twin));
	assert_int_equal(again.len, snap->len);
	assert_memory_equal(again.data, snap->data, snap->len);
	snapshot_free(&again);
}

/* A command to the firmware, as the same next one of each card. */
static uint64_t power_of(struct card *card, uint32_t pi)
{
	struct cpu_reply r;

	cpu_pi = pi;
	r = cpu_send(card, POWER_GET, 0, 8 << 16);
	assert_true(r.answered);
	return r.result;
}

CARD_TEST(work_goes_on_in_another_card)
{
	struct snapshot snap = { 0 };
	unsigned int msis;
	struct card *twin;
	uint32_t pi;

	begin(card);
	under_way(card);
	WORKS(snapshot_save(&snap, card));
	/* What shows a pattern, or is zero, takes no room. */
	assert_true(snap.len < 10u << 20);
	twin = snapshot_twin(&snap, card);
	check_again(&snap, twin);
	msis = card->msi[0];
	pi = cpu_pi;
	finish(card);
	finish(twin);
	assert_int_equal(card->msi[0] - msis, twin->msi[0]);
	assert_int_not_equal(twin->msi[0], 0);
	check_same(card, twin);
	assert_int_equal(power_of(card, pi), power_of(twin, pi));
	snapshot_free(&snap);
	card_free(twin);
}

/* What was due in a while is due in as long, by another clock; and time goes on from there. */
CARD_TEST(time_goes_on_from_another_moment)
{
	const struct gaudi_config config = { .hbm_size = 1ull << 30,
					     .boot_delay_ms = 5 };
	struct card *late = card_new(&config, 0), *twin = card_new(&config, 0);
	struct snapshot snap = { 0 };
	uint32_t status, stamp;

	(void)card;
	card_advance(late, 7000000000);
	wr_settle(late, SW_ALL_RST, 1);
	wr(late, TIMESTAMP_CNTCR, 1);
	card_advance(late, 3000000);
	WORKS(snapshot_save(&snap, late));
	WORKS(snapshot_load(&snap, twin));
	stamp = rd(late, TIMESTAMP_CNTCVL);
	assert_int_equal(stamp, 3 * 800000);
	assert_int_equal(rd(twin, TIMESTAMP_CNTCVL), stamp);
	/* The firmware's first stage takes 5 ms. */
	status = rd(late, BOOT_STATUS);
	card_advance(twin, 1900000);
	assert_int_equal(rd(twin, BOOT_STATUS), status);
	card_advance(twin, 200000);
	assert_int_not_equal(rd(twin, BOOT_STATUS), status);
	card_advance(late, 2100000);
	assert_int_equal(rd(twin, BOOT_STATUS), rd(late, BOOT_STATUS));
	assert_int_equal(rd(twin, TIMESTAMP_CNTCVL), rd(late, TIMESTAMP_CNTCVL));
	snapshot_free(&snap);
	card_free(twin);
	card_free(late);
}

/* Loading ends what a card did before; it becomes the other one. */
CARD_TEST(a_used_card_becomes_the_other)
{
	struct card *other = small_card();
	struct snapshot snap = { 0 };

	begin(card);
	wr(card, SM_E_N + SOB(40), 77);
	WORKS(snapshot_save(&snap, card));
	begin(other);
	under_way(other);
	memset(card_hbm(other) + PATTERN_AT, 0x5a, 1 << 20);
	memset(card_hbm(other) + COPY_AT, 0x5a, 1 << 20);
	wr(other, SM_E_N + SOB(41), 78);
	other->now = card->now;
	WORKS(snapshot_load(&snap, other));
	assert_int_equal(sob(other, 40), 77);
	assert_int_equal(sob(other, 41), 0);
	assert_int_equal(rd(other, DMA_CORE(4) + 0x190) >> 31, 0);
	assert_memory_equal(card_hbm(card), card_hbm(other), CHECKED);
	under_way(card);
	finish(card);
	memcpy(other->ram, card->ram, RAM_SIZE);
	under_way(other);
	finish(other);
	check_same(card, other);
	snapshot_free(&snap);
	card_free(other);
}

/* What is paused stays so, and is as it was saved when it goes on. */
CARD_TEST(a_paused_card)
{
	struct snapshot snap = { 0 };
	struct card *twin;

	begin(card);
	under_way(card);
	gaudi_chip_pause(card->chip);
	WORKS(snapshot_save(&snap, card));
	twin = small_card();
	twin->now = card->now;
	memcpy(twin->ram, card->ram, RAM_SIZE);
	gaudi_chip_pause(twin->chip);
	WORKS(snapshot_load(&snap, twin));
	gaudi_chip_run(twin->chip);
	check_again(&snap, twin);
	gaudi_chip_resume(twin->chip);
	gaudi_chip_resume(card->chip);
	finish(card);
	finish(twin);
	check_same(card, twin);
	snapshot_free(&snap);
	card_free(twin);
}

/* --- what cannot be saved ------------------------------------------------- */

CARD_TEST(a_pending_reset_is_refused)
{
	char why[160];

	wr(card, SW_ALL_RST, 1);
	snapshot_refused(card, "about to be reset");
	card_settle(card);
	WORKS(gaudi_chip_can_save(card->chip, why, sizeof(why)));
}

CARD_TEST(faults_are_refused)
{
	struct snapshot snap = { 0 };
	char why[160];

	WORKS(gaudi_chip_inject(card->chip, "msi-lost,count=1", why, sizeof(why)));
	snapshot_refused(card, "the fault \"msi-lost,count=1\" is armed");
	gaudi_chip_faults_clear(card->chip);
	WORKS(snapshot_save(&snap, card));
	snapshot_free(&snap);
}

CARD_TEST(a_descriptor_under_way_is_refused)
{
	const struct gaudi_config config = { .hbm_size = 1ull << 30,
					     .mme = GAUDI_MME_SPEC };
	struct card *slow = card_new(&config, 0);
	struct snapshot snap = { 0 };
	struct mme_desc d;

	(void)card;
	mme_product_inputs(slow, &product, 7);
	mme_product_desc(&d, &product, STORE | SIGNAL, product.k, 20);
	mme_start(slow, 0, &d);
	gaudi_chip_run_some(slow->chip, 1);
	assert_int_equal(sob(slow, 20), 0);
	snapshot_refused(slow, "MME0 is within a descriptor");
	/* It goes on unharmed, and can be saved at its end. */
	card_settle(slow);
	assert_int_equal(sob(slow, 20), 1);
	WORKS(snapshot_save(&snap, slow));
	snapshot_free(&snap);
	card_free(slow);
}

/* --- ports ------------------------------------------------------------------ */

/* Entries that are sent and not yet acknowledged, and some that are not yet sent. */
PAIR_TEST(two_cards_and_their_wire)
{
	struct snapshot snap[2] = { 0 };
	struct wqe wqe = wqe_counted(16000);
	struct pair *twins;
	void *state;
	unsigned int i;

	pair_open(pair);
	pair_do(pair, wqe);
	for (i = 1; i < 9; i++)
		qp_put(A(pair), PORT_A, PAIR_QP, i, &wqe);
	qp_ring(A(pair), PORT_A, PAIR_QP, 9);
	gaudi_chip_run_some(A(pair)->chip, 2);
	gaudi_chip_run_some(B(pair)->chip, 1);
	for (i = 0; i < 2; i++)
		WORKS(snapshot_save(&snap[i], pair->card[i]));
	WORKS(pair_setup(&state));
	twins = state;
	for (i = 0; i < 2; i++) {
		twins->card[i]->now = pair->card[i]->now;
		memcpy(twins->card[i]->ram, pair->card[i]->ram, RAM_SIZE);
		WORKS(snapshot_load(&snap[i], twins->card[i]));
	}
	assert_true(gaudi_chip_link_up(A(twins)->chip, PORT_A));
	pair_settle(pair);
	pair_settle(twins);
	assert_true(gaudi_chip_link_up(A(twins)->chip, PORT_A));
	assert_true(gaudi_chip_link_up(B(twins)->chip, PORT_B));
	assert_int_equal(sob(B(pair), 20), 9);
	assert_int_equal(sob(B(twins), 20), 9);
	pair_check_data(twins, 0, 0, 16000);
	pair_check_idle(twins, 9);
	for (i = 0; i < 2; i++)
		snapshot_free(&snap[i]);
	pair_teardown(&state);
}

/* A link that was up needs a wire. */
PAIR_TEST(a_wire_that_is_not_there)
{
	struct snapshot snap = { 0 };
	struct card *alone = small_card();

	pair_open(pair);
	pair_do(pair, wqe_counted(4096));
	WORKS(snapshot_save(&snap, A(pair)));
	assert_int_equal(snapshot_load(&snap, alone), -EINVAL);
	assert_non_null(strstr(snap.why, "no wire"));
	snapshot_free(&snap);
	card_free(alone);
}
