/* SPDX-License-Identifier: GPL-2.0-only */
/* Snapshots of a card in memory, and the card that is made of one. */
#ifndef TEST_SNAPSHOT_H
#define TEST_SNAPSHOT_H

#include <errno.h>

#include "../card.h"

struct snapshot {
	uint8_t *data;
	size_t len, room;
	size_t pos;			/* up to which it has been read */
	size_t end;			/* where it ends, if that is sooner */
	char why[160];			/* what the last call has said */
};

/* A card as card_setup() makes it. */
struct card *small_card(void);

/* Both: as the library's functions; what was saved before is gone. */
int snapshot_save(struct snapshot *snap, struct card *card);
int snapshot_load(struct snapshot *snap, struct card *card);
/* It cannot be saved, with these words among the reason. */
void snapshot_refused(struct card *card, const char *why);
/* A card with the same memory of the host around it, at the same time. */
struct card *snapshot_twin(struct snapshot *snap, struct card *card);
void snapshot_free(struct snapshot *snap);

#endif /* TEST_SNAPSHOT_H */
