/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Snapshots: a card's state as a stream of parts, one of each room.
 *
 *   snap.c         fields, parts, the stream
 *   snap_memory.c  HBM and SRAM, of which only what is not zero is kept
 *
 * A room has one function for its part, by which it is both saved and loaded: it names
 * its fields one after the other, and looks at what has been loaded before it uses it.
 * Who changes what such a function names raises the version of the part, in the card's
 * table. Each part has a length and a checksum; that keeps out what is damaged, not what
 * is malicious, so every number that is an index, a length or a divisor is checked.
 *
 * Lock held, all; no actor runs.
 */
#ifndef GAUDI_SNAP_H
#define GAUDI_SNAP_H

#include "../core/core.h"

struct gaudi_snap {
	struct gaudi_chip *chip;
	const struct gaudi_stream *stream;
	bool load;
	bool dry;			/* looks only whether it could be saved */
	int err;			/* the first error: all fields are 0 from there on */
	char why[160];			/* ... in words */
	uint64_t now_ns;
	/* the part that is made or read */
	const char *part;
	uint32_t version;
	uint8_t *buf;
	size_t len, pos, room;
};

/* count numbers or bytes of this size. What is loaded may have any value. */
void gaudi_snap_field(struct gaudi_snap *s, void *value, size_t size,
		      size_t count);
#define GAUDI_SNAP(s, x)	gaudi_snap_field(s, &(x), sizeof(x), 1)
#define GAUDI_SNAP_ARRAY(s, a) \
	gaudi_snap_field(s, a, sizeof((a)[0]), ARRAY_SIZE(a))
/* What is loaded is one of the two. */
void gaudi_snap_bool(struct gaudi_snap *s, bool *value);
/* A moment of the card's clock, which is another one where it is loaded. */
void gaudi_snap_time(struct gaudi_snap *s, uint64_t *ns);
/* Is armed again when it is loaded. */
void gaudi_snap_timer(struct gaudi_snap *s, struct gaudi_timer *timer);

/* Saving: this cannot be saved now, or at all; says what it is. */
void gaudi_snap_refuse(struct gaudi_snap *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Loading: what was loaded must be so, else it is refused; false then. */
bool gaudi_snap_check(struct gaudi_snap *s, bool good, const char *what);

/* For the card. Around a room's part, either way. */
void gaudi_snap_begin(struct gaudi_snap *s, const char *part, uint32_t version);
void gaudi_snap_end(struct gaudi_snap *s);
/* The head of the stream. */
void gaudi_snap_head(struct gaudi_snap *s);
/* Parts of their own; the card's memory is all zeros before it is loaded. */
void gaudi_snap_memory(struct gaudi_snap *s);
void gaudi_snap_free(struct gaudi_snap *s);

#endif /* GAUDI_SNAP_H */
