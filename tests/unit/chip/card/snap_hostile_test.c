// SPDX-License-Identifier: GPL-2.0-only
/*
 * Streams that are no snapshot of this card: cut, damaged, of another card, and made up
 * with the right checksums. They are refused, or do no harm; the card works afterwards.
 */
#include <zlib.h>

#include "../schedule.h"
#include "snapshot.h"

#define RING		0x10000
#define CBUF		0x40000
#define HEAD		16		/* of the stream ... */
#define PART_HEAD	32		/* ... and of a part */
#define AT_LEN		20
#define AT_CRC		24
#define AT_HEAD_CRC	28
#define CUTS		200
#define FLIPS		400
#define MUTATIONS	600

/* Each engine has something to do, and a queue waits. */
static void busy(struct card *card)
{
	struct queue q = queue_external(card, 0, RING);
	struct cb cb = cb_host(card, CBUF);
	unsigned int n;

	for (n = 0; n < 8; n++)
		dma_core_init(card, n);
	for (n = 0; n < 4; n++) {
		monitor_set(card, SM_E_N, n, CFG + q.qm + 0x308, 1);
		wr(card, SM_E_N + MON_ARM(n), 3 << 17 | n << 16 | 0xfe << 8 | n);
	}
	fill(card_hbm(card) + USER_HBM, 0x10000, 1);
	dma_start(card, 3, 0x1122, USER_HBM + (1u << 25), 1u << 25, 0x18);
	card_settle(card);
	put_add(&cb, 2, 1);
	put_fence(&cb, 0, 1, 1);
	queue_put(card, &q, cb.addr, cb.len);
	queue_ring(card, &q);
	wr(card, 0xe06938, 1);			/* a TPC, which finds no code */
	dma_start(card, 4, USER_HBM, USER_HBM + (3u << 25), 1 << 16, 0x8);
	dma_start(card, 5, USER_HBM, ram_dev(0x100000), 16 << 20, 0x8);
	gaudi_chip_run_some(card->chip, 4);
}

/* As after power-on, and a queue works. */
static void check_new(struct card *card)
{
	struct queue q = queue_external(card, 1, RING + 0x10000);
	struct cb cb = cb_host(card, CBUF + 0x1000);

	assert_int_equal(sob(card, 2), 0);
	assert_int_equal(rd(card, DMA_CORE(5) + 0x190) >> 31, 0);
	assert_int_equal(card_hbm(card)[USER_HBM + 1], 0);
	put_add(&cb, 9, 1);
	queue_run(card, &q, &cb);
	assert_int_equal(sob(card, 9), 1);
	gaudi_chip_power_on(card->chip);
}

static void refused(struct snapshot *snap, struct card *card, const char *why)
{
	assert_int_not_equal(snapshot_load(snap, card), 0);
	if (why && !strstr(snap->why, why))
		fail_msg("refused by \"%s\", not \"%s\"", snap->why, why);
}

CARD_TEST(what_ends_early_is_refused)
{
	struct card *other = small_card();
	struct snapshot snap = { 0 };
	uint32_t seed = 5;
	unsigned int i;

	busy(card);
	WORKS(snapshot_save(&snap, card));
	for (i = 0; i < CUTS; i++) {
		snap.end = i < 80 ? i : rnd(&seed) % snap.len;
		refused(&snap, other, "ends early");
	}
	snap.end = snap.len - 1;
	refused(&snap, other, "ends early");
	check_new(other);
	/* And the whole one does it. */
	snap.end = snap.len;
	WORKS(snapshot_load(&snap, other));
	assert_int_equal(sob(other, 2), 1);
	snapshot_free(&snap);
	card_free(other);
}

CARD_TEST(each_bit_is_guarded)
{
	struct card *other = small_card();
	struct snapshot snap = { 0 };
	uint32_t seed = 6, at, bit;
	unsigned int i;

	busy(card);
	WORKS(snapshot_save(&snap, card));
	for (i = 0; i < unit_rounds(FLIPS); i++) {
		at = i < HEAD + PART_HEAD ? i : rnd(&seed) % snap.len;
		bit = 1u << rnd(&seed) % 8;
		snap.data[at] ^= bit;
		refused(&snap, other, NULL);
		snap.data[at] ^= bit;
	}
	check_new(other);
	snapshot_free(&snap);
	card_free(other);
}

CARD_TEST(other_cards_are_refused)
{
	static const struct {
		struct gaudi_config config;
		const char *why;
	} others[] = {
		{ { .hbm_size = 2ull << 30 }, "another size of HBM" },
		{ { .hbm_size = 1ull << 30, .module_id = 3 }, "module id" },
		{ { .hbm_size = 1ull << 30, .serial = "X" }, "serial number" },
		{ { .hbm_size = 1ull << 30, .comms = true }, "loader" },
		{ { .hbm_size = 1ull << 30, .mme = GAUDI_MME_FAST }, "mme" },
	};
	struct snapshot snap = { 0 };
	struct card *other;
	unsigned int i;

	busy(card);
	WORKS(snapshot_save(&snap, card));
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		other = card_new(&others[i].config, 0);
		refused(&snap, other, others[i].why);
		check_new(other);
		card_free(other);
	}
	snapshot_free(&snap);
}

/* --- made up ------------------------------------------------------------------ */

static uint32_t get32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return v;
}

static void set_crc(uint8_t *part)
{
	uint32_t crc = crc32(0, part + PART_HEAD, get32(part + AT_LEN));

	memcpy(part + AT_CRC, &crc, 4);
	crc = crc32(0, part, AT_HEAD_CRC);
	memcpy(part + AT_HEAD_CRC, &crc, 4);
}

/* Part n, or NULL. */
static uint8_t *part_at(struct snapshot *snap, unsigned int n)
{
	size_t at = HEAD;

	while (n-- && at < snap->len)
		at += PART_HEAD + get32(snap->data + at + AT_LEN);
	return at < snap->len ? snap->data + at : NULL;
}

CARD_TEST(another_version_is_refused)
{
	struct card *other = small_card();
	struct snapshot snap = { 0 };
	uint8_t *part;

	WORKS(snapshot_save(&snap, card));
	part = part_at(&snap, 3);
	assert_string_equal((char *)part, "queues");
	part[16]++;
	set_crc(part);
	refused(&snap, other, "part queues has version 2, not 1");
	snapshot_free(&snap);
	card_free(other);
}

/* What a driver might do next. */
static void use(struct card *card)
{
	unsigned int i;

	for (i = 0; i < 28; i++)
		wr(card, all_qms[i] + 0x308, 1);
	for (i = 0; i < 64; i++)
		wr(card, SM_E_N + SOB(8 * i), 3);
	gaudi_chip_run_some(card->chip, 300);
	card->now += 3000000000;
	gaudi_chip_timer(card->chip);
	gaudi_chip_run_some(card->chip, 300);
	for (i = 0; i < 0x1000; i += 4)
		rd(card, DMA_QM(i / 4 % 8) + i);
	free(card_report(card));
}

/* Bytes of one part are others, and the checksum is right. */
static void mutate(struct snapshot *snap, uint32_t *seed, struct card *card,
		   unsigned int *taken)
{
	uint8_t *part = part_at(snap, rnd(seed) % 12), *keep;
	uint32_t len = get32(part + AT_LEN), n = 1 + rnd(seed) % 8, at;

	if (!len)
		return;
	keep = malloc(len);
	memcpy(keep, part + PART_HEAD, len);
	while (n--) {
		at = rnd(seed) % len;
		part[PART_HEAD + at] = rnd(seed) % 3 ? rnd(seed) : 0xff;
	}
	set_crc(part);
	if (!snapshot_load(snap, card)) {
		++*taken;
		use(card);
	}
	memcpy(part + PART_HEAD, keep, len);
	set_crc(part);
	free(keep);
}

CARD_TEST(what_is_made_up_does_no_harm)
{
	struct card *other = small_card();
	struct snapshot snap = { 0 };
	unsigned int i, taken = 0;
	uint32_t seed = from_env("SNAP_SEED", 7);

	busy(card);
	WORKS(snapshot_save(&snap, card));
	memcpy(other->ram, card->ram, RAM_SIZE);
	for (i = 0; i < unit_rounds(MUTATIONS); i++)
		mutate(&snap, &seed, other, &taken);
	/* Some of both kinds. */
	print_message("# %u of %u taken\n", taken, unit_rounds(MUTATIONS));
	assert_true(taken && taken < unit_rounds(MUTATIONS));
	WORKS(snapshot_load(&snap, other));
	snapshot_free(&snap);
	card_free(other);
}
