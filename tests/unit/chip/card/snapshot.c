// SPDX-License-Identifier: GPL-2.0-only
#include "snapshot.h"

struct card *small_card(void)
{
	static const struct gaudi_config config = { .hbm_size = 1ull << 30 };

	return card_new(&config, 0);
}

static int put(void *opaque, const void *buf, size_t len)
{
	struct snapshot *snap = opaque;

	while (snap->room < snap->len + len) {
		snap->room = snap->room ? 2 * snap->room : 1 << 20;
		snap->data = realloc(snap->data, snap->room);
		assert_non_null(snap->data);
	}
	memcpy(snap->data + snap->len, buf, len);
	snap->len += len;
	return 0;
}

static int get(void *opaque, void *buf, size_t len)
{
	struct snapshot *snap = opaque;

	if (len > snap->end - snap->pos)
		return -EPIPE;
	memcpy(buf, snap->data + snap->pos, len);
	snap->pos += len;
	return 0;
}

static struct gaudi_stream stream_of(struct snapshot *snap)
{
	return (struct gaudi_stream){ put, get, snap };
}

int snapshot_save(struct snapshot *snap, struct card *card)
{
	struct gaudi_stream stream = stream_of(snap);
	int err;

	snap->len = 0;
	err = gaudi_chip_save(card->chip, &stream, snap->why, sizeof(snap->why));
	snap->end = snap->len;
	/* An error has a reason, and nothing else has. */
	assert_int_equal(!err, !snap->why[0]);
	return err;
}

int snapshot_load(struct snapshot *snap, struct card *card)
{
	struct gaudi_stream stream = stream_of(snap);
	int err;

	snap->pos = 0;
	err = gaudi_chip_load(card->chip, &stream, snap->why, sizeof(snap->why));
	assert_int_equal(!err, !snap->why[0]);
	if (!err)
		assert_int_equal(snap->pos, snap->len);
	return err;
}

void snapshot_refused(struct card *card, const char *why)
{
	struct snapshot none = { 0 };
	char can[160];

	assert_int_equal(gaudi_chip_can_save(card->chip, can, sizeof(can)),
			 -EBUSY);
	assert_int_equal(snapshot_save(&none, card), -EBUSY);
	assert_string_equal(can, none.why);
	assert_int_equal(none.len, 0);
	snapshot_free(&none);
	if (!strstr(can, why))
		fail_msg("refused by \"%s\", not \"%s\"", can, why);
}

struct card *snapshot_twin(struct snapshot *snap, struct card *card)
{
	struct card *twin = small_card();

	twin->now = card->now;
	memcpy(twin->ram, card->ram, RAM_SIZE);
	if (snapshot_load(snap, twin))
		fail_msg("cannot be loaded: %s", snap->why);
	return twin;
}

void snapshot_free(struct snapshot *snap)
{
	free(snap->data);
	memset(snap, 0, sizeof(*snap));
}
