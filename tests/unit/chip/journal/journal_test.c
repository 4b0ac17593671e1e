// SPDX-License-Identifier: GPL-2.0-only
/*
 * Journals, as far as gaudi-replay does not show it: what stands in them for what a host
 * has done, when the host is told, and what is refused.
 */
#include <errno.h>
#include <unistd.h>

#include "../../../../qemu-device/chip/journal/journal.h"
#include "../card.h"

#define MOST	4096

static char path[64];
static struct gaudi_journal_entry entry[MOST];
static unsigned int num;

static struct gaudi_journal *journal_new(void)
{
	struct gaudi_journal *journal;
	int fd, err = 0;

	strcpy(path, "/tmp/gaudi-journal-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	journal = gaudi_journal_new(path, &err);
	assert_non_null(journal);
	return journal;
}

/* Into entry[], without the data. */
static void read_all(void)
{
	struct gaudi_journal_file *file;
	int err, rc;

	file = gaudi_journal_open(path, &err);
	assert_non_null(file);
	for (num = 0; num < MOST; num++) {
		rc = gaudi_journal_read(file, &entry[num]);
		if (rc <= 0)
			break;
	}
	assert_int_equal(rc, 0);
	assert_int_equal(gaudi_journal_close(file), 0);
	unlink(path);
}

static struct card *with(struct gaudi_journal *journal)
{
	const struct gaudi_config config = {
		.hbm_size = 1ull << 30, .module_id = 3, .journal = journal,
	};

	return card_new(&config, 0);
}

static const struct gaudi_journal_entry *find(unsigned int kind,
					      unsigned int after)
{
	for (unsigned int i = after; i < num; i++)
		if (entry[i].kind == kind)
			return &entry[i];
	fail_msg("no %s behind %u", gaudi_journal_name(kind), after);
	return NULL;
}

TEST(calls_stand_in_it_with_what_they_returned)
{
	struct gaudi_journal *journal = journal_new();
	const struct gaudi_journal_entry *e;
	struct card *card = with(journal);
	const uint64_t word = 0x1122334455667788;
	unsigned int depth = 0;
	uint64_t value;

	gaudi_chip_bar_write(card->chip, GAUDI_BAR_HBM, 64, 0x77, 8);
	value = gaudi_chip_bar_read(card->chip, GAUDI_BAR_HBM, 64, 8);
	assert_int_equal(value, 0x77);
	assert_int_equal(gaudi_chip_bar_copy(card->chip, GAUDI_BAR_SRAM, 8, &word,
					     sizeof(word)), 0);
	assert_memory_equal(card_sram(card) + 8, &word, sizeof(word));
	assert_int_equal(gaudi_chip_bar_copy(card->chip, GAUDI_BAR_SRAM,
					     UINT64_MAX - 3, &word, 8), -EINVAL);
	assert_int_equal(gaudi_journal_end(journal), 0);
	/* The card goes on without it. */
	gaudi_chip_bar_write(card->chip, GAUDI_BAR_HBM, 64, 0x78, 8);
	card_free(card);
	gaudi_journal_free(journal);
	read_all();
	assert_int_equal(entry[0].kind, GAUDI_CALL_NEW);
	assert_int_equal(entry[0].arg[GAUDI_NEW_HBM_SIZE], 1ull << 30);
	assert_int_equal(entry[0].arg[GAUDI_NEW_MODULE_ID], 3);
	for (unsigned int i = 0; i < num; i++) {
		if (entry[i].kind < GAUDI_CALLS)
			depth++;
		else if (entry[i].kind == GAUDI_JOURNAL_RETURN)
			depth--;
		assert_in_range(depth, 0, 1);
	}
	e = find(GAUDI_CALL_BAR_READ, 0);
	assert_int_equal(e->arg[0], GAUDI_BAR_HBM);
	assert_int_equal(e->arg[1], 64);
	assert_int_equal(e->arg[2], 8);
	assert_int_equal(find(GAUDI_JOURNAL_RETURN, e - entry)->arg[0], 0x77);
	e = find(GAUDI_CALL_BAR_WRITE, 0);
	assert_int_equal(e->arg[3], 0x77);
	assert_int_equal(find(GAUDI_CALL_BAR_COPY, 0)->len, sizeof(word));
	assert_int_equal(entry[num - 2].kind, GAUDI_JOURNAL_MEMORY);
	assert_int_equal(entry[num - 1].kind, GAUDI_JOURNAL_END);
}

static bool was_told;

/* The card's host may take locks here, so no call is under way: this would be one more. */
static void on_msi(struct card *card)
{
	gaudi_chip_bar_read(card->chip, GAUDI_BAR_HBM, 0, 8);
	was_told = true;
}

TEST(hosts_are_told_when_the_call_has_ended)
{
	struct gaudi_journal *journal = journal_new();
	struct card *card = with(journal);
	char why[128];

	card->on_msi = on_msi;
	was_told = false;
	assert_int_equal(gaudi_chip_inject(card->chip, "msi-storm,vector=5,count=1",
					   why, sizeof(why)), 0);
	card_settle(card);
	assert_int_equal(card->msi[5], 1);
	assert_true(was_told);
	card_free(card);
	gaudi_journal_free(journal);
	read_all();
	assert_int_equal(find(GAUDI_JOURNAL_MSI, 0)->arg[0], 5);
	find(GAUDI_CALL_BAR_READ, find(GAUDI_JOURNAL_MSI, 0) - entry);
}

TEST(what_cannot_be_is_refused)
{
	struct gaudi_config config = { .hbm_size = 1ull << 30 };
	struct gaudi_journal *journal = journal_new();
	struct card *card = with(journal), *plain = card_new(NULL, 2);
	struct card *other;
	uint8_t mac[6] = { 2 };
	char why[128] = "";
	int err = 0;

	assert_null(gaudi_journal_new(path, &err));
	assert_int_equal(err, -EBUSY);
	assert_null(gaudi_journal_new("/nowhere/journal", &err));
	assert_int_equal(err, -ENOENT);
	config.journal = journal;
	assert_null(gaudi_chip_new(&config, card->chip->ops, card, plain->pool,
				   &err));
	assert_int_equal(err, -EINVAL);
	assert_int_equal(gaudi_chip_connect(card->chip, 0, plain->chip, 0),
			 -EINVAL);
	assert_int_equal(gaudi_chip_connect_network(card->chip, 0, mac, 1024),
			 -EINVAL);
	assert_int_equal(gaudi_chip_save(card->chip, NULL, why, sizeof(why)),
			 -EOPNOTSUPP);
	assert_string_equal(why, "the card has a journal");
	other = with(journal);
	assert_int_equal(gaudi_chip_connect(card->chip, 0, other->chip, 4), 0);
	card_free(other);
	card_free(card);
	card_free(plain);
	gaudi_journal_free(journal);
	read_all();
	assert_int_equal(find(GAUDI_CALL_CONNECT, 0)->arg[1], 1);
	assert_int_equal(entry[num - 1].kind, GAUDI_JOURNAL_END);
}
