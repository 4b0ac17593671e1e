// SPDX-License-Identifier: GPL-2.0-only
/*
 * Snapshots of a card whose engines are run by threads: saved while they are at work, it
 * is the state of one moment, and both cards come to the same end.
 */
#include "snapshot.h"

#define MOST_ROUNDS	1000
#define ROUNDS		8
#define CORES		4
#define BYTES		(12u << 20)
#define FROM		USER_HBM
#define TO(n)		(USER_HBM + (1 + (n)) * 0x1000000ull)

static void start(struct card *card, uint32_t seed)
{
	unsigned int n;

	for (n = 0; n < BYTES; n += 4096)
		fill(card_hbm(card) + FROM + n, 4096, seed + n);
	for (n = 0; n < CORES; n++) {
		memset(card_hbm(card) + TO(n), 0, BYTES);
		dma_start(card, 2 + n, FROM, TO(n), BYTES, 0x8);
	}
}

static void check(struct card *card)
{
	unsigned int n;

	assert_true(gaudi_chip_wait_idle(card->chip, 60000));
	for (n = 0; n < CORES; n++) {
		assert_int_equal(rd(card, DMA_CORE(2 + n) + 0x190) >> 31, 0);
		assert_memory_equal(card_hbm(card) + TO(n), card_hbm(card) + FROM,
				    BYTES);
	}
}

TEST(saved_at_work)
{
	const struct gaudi_config config = { .hbm_size = 1ull << 30 };
	struct card *card = card_new(&config, 2);
	struct card *twin = card_new_beside(card, &config);
	unsigned int n, round, under_way = 0;
	struct snapshot snap = { 0 };

	for (n = 0; n < 8; n++)
		dma_core_init(card, n);
	/* On a machine with other work, the card may be done by then many times. */
	for (round = 0; round < unit_rounds(ROUNDS) ||
			(!under_way && round < MOST_ROUNDS); round++) {
		start(card, round);
		WORKS(snapshot_save(&snap, card));
		under_way += !gaudi_chip_wait_idle(card->chip, 0);
		WORKS(snapshot_load(&snap, twin));
		check(twin);
		check(card);
	}
	print_message("# %u of %u at work\n", under_way, round);
	assert_int_not_equal(under_way, 0);
	snapshot_free(&snap);
	card_free(twin);
	card_free(card);
}
