// SPDX-License-Identifier: GPL-2.0-only
/*
 * The flight recorder: the ring keeps the last events and counts the rest, the
 * file is complete and in order, and says the names of what is in it.
 */
#include <errno.h>

#include "../card.h"

#define EVENT_BYTES	32
#define SOB_OF_EVENT	5		/* an arbitrary object */

struct text {
	char *bytes;
	size_t size;
	const char *events;		/* behind the line */
};

static struct text record_of(struct card *card)
{
	struct text text = { 0 };
	FILE *out = open_memstream(&text.bytes, &text.size);

	assert_non_null(out);
	assert_int_equal(gaudi_chip_record(card->chip, out), 0);
	fclose(out);
	text.events = strchr(text.bytes, '\n');
	assert_non_null(text.events);
	text.events++;
	return text;
}

static uint64_t number(const struct text *text, const char *name)
{
	char key[32];
	const char *at;

	snprintf(key, sizeof(key), "\"%s\": ", name);
	at = strstr(text->bytes, key);
	assert_non_null(at);
	return strtoull(at + strlen(key), NULL, 10);
}

/* Field at byte of event n. */
static uint64_t field(const struct text *text, uint64_t n, unsigned int byte,
		      unsigned int size)
{
	uint64_t value = 0;

	memcpy(&value, text->events + n * EVENT_BYTES + byte, size);
	return value;
}

static struct card *card_of(uint32_t events)
{
	struct gaudi_config config = {
		.hbm_size = 1ull << 30, .record_events = events,
	};

	return card_new(&config, 0);
}

TEST(ring_keeps_the_last)
{
	struct card *card = card_of(5);		/* which is 8 */
	struct text text;
	uint64_t all, n;

	for (n = 0; n < 100; n++)
		wr(card, SM_E_N + SOB(SOB_OF_EVENT), n);
	text = record_of(card);
	assert_int_equal(number(&text, "events"), 8);
	all = number(&text, "lost") + 8;
	assert_true(all >= 200);
	assert_int_equal(text.bytes + text.size - text.events,
			 8 * EVENT_BYTES);
	/* A write, and what the object is then. */
	for (n = 0; n < 8; n++) {
		assert_int_equal(field(&text, n, 16, 8), 96 + n / 2);
		if (n)
			assert_true(field(&text, n, 0, 8) >=
				    field(&text, n - 1, 0, 8));
	}
	assert_int_equal(field(&text, 6, 8, 8), SM_E_N + SOB(SOB_OF_EVENT));
	assert_int_equal(field(&text, 7, 8, 8), SOB_OF_EVENT);
	assert_non_null(strstr(text.bytes, "\"SYNC_MNGR_E_N_"));
	free(text.bytes);
	card_free(card);
}

TEST(ring_can_be_left_out)
{
	struct card *card = card_of(1);
	struct text text;

	wr(card, SM_E_N + SOB(SOB_OF_EVENT), 1);
	text = record_of(card);
	assert_int_equal(number(&text, "events"), 0);
	assert_int_equal(text.bytes + text.size - text.events, 0);
	free(text.bytes);
	card_free(card);
}

TEST(ring_has_a_limit)
{
	struct gaudi_config config = { .record_events = (1u << 26) + 1 };
	static const struct gaudi_host_ops ops;
	int err = 0;

	assert_null(gaudi_chip_new(&config, &ops, NULL, NULL, &err));
	assert_int_equal(err, -EINVAL);
}

CARD_TEST(full_disk_is_said)
{
	FILE *out = fopen("/dev/full", "w");

	assert_non_null(out);
	setvbuf(out, NULL, _IONBF, 0);
	assert_int_equal(gaudi_chip_record(card->chip, out), -EIO);
	fclose(out);
}
