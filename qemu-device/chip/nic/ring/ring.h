/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * A wire in memory that two processes share: a ring of records each way, a word of
 * state of each side, and flags by which a side that sleeps asks to be woken.
 *
 * The other side may write anything anywhere into it, at any time. So whatever is
 * read from it is read once, and checked before it is used: indices, and the head
 * of a record, which is a copy. Data stay where they are and mean nothing here. The
 * memory is a memfd that cannot shrink, so that it cannot go away while it is used.
 *
 * Of one struct gaudi_ring one thread may send while another one receives; words of
 * state belong to whoever asks, from any thread.
 */
#ifndef GAUDI_RING_H
#define GAUDI_RING_H

#include <stdbool.h>
#include <stdint.h>

#define GAUDI_RING_BYTES	(1u << 20)	/* each way; a power of two */
#define GAUDI_RING_HEAD		56		/* bytes of the sender's own */
#define GAUDI_RING_MAX_DATA	4096u
/* What a record takes, with so much data. */
#define GAUDI_RING_RECORD(len)	(64u + (((len) + 63u) & ~63u))

struct gaudi_ring;

struct gaudi_ring_record {
	uint8_t head[GAUDI_RING_HEAD];
	const uint8_t *part[2];		/* received: in the shared memory */
	uint32_t part_len[2];
};

/* New memory, of which the other side is given *fd. NULL with *err = -errno. */
struct gaudi_ring *gaudi_ring_new(int *fd, int *err);
/*
 * Memory that the other side has made; fd stays the caller's. NULL with *err:
 * -EPERM: it is not sealed, or cannot be written; -EINVAL: not such memory.
 */
struct gaudi_ring *gaudi_ring_open(int fd, int *err);
void gaudi_ring_free(struct gaudi_ring *ring);

/* Of this side, and what the other one said last: 0 at first. */
void gaudi_ring_say(struct gaudi_ring *ring, uint64_t state);
uint64_t gaudi_ring_hear(struct gaudi_ring *ring);

/*
 * Sending. All return 0, or: -ENOSPC: there is no room; -EPROTO: the other side has
 * spoilt the ring, which is of no use any more.
 */
int gaudi_ring_room(struct gaudi_ring *ring, uint32_t bytes);
/* The same, and asks to be woken when there is more if it is -ENOSPC. */
int gaudi_ring_await_room(struct gaudi_ring *ring, uint32_t bytes);
/* At most GAUDI_RING_MAX_DATA; the other side does not see it yet. */
int gaudi_ring_put(struct gaudi_ring *ring,
		   const struct gaudi_ring_record *record);
/* Now it does. Returns whether it has to be woken for it. */
bool gaudi_ring_flush(struct gaudi_ring *ring);

/*
 * Receiving. look() finds what has come, get() takes the next record of that: 1, 0:
 * there is none, or -EPROTO. Its data last until done(), by which the other side
 * can use their place again; returns whether it has to be woken for it.
 */
int gaudi_ring_look(struct gaudi_ring *ring);
int gaudi_ring_get(struct gaudi_ring *ring, struct gaudi_ring_record *record);
/* The last one that get() took is the next one again. */
void gaudi_ring_unget(struct gaudi_ring *ring);
/* All that look() has found is thrown away. */
void gaudi_ring_skip(struct gaudi_ring *ring);
bool gaudi_ring_done(struct gaudi_ring *ring);
/* Is there nothing, as far as look() has seen? */
bool gaudi_ring_is_empty(const struct gaudi_ring *ring);
/* Has something come since? */
bool gaudi_ring_has_more(const struct gaudi_ring *ring);
/* How far the other side has written, and whether done() has come so far; any thread. */
uint64_t gaudi_ring_written(const struct gaudi_ring *ring);
bool gaudi_ring_has_done(const struct gaudi_ring *ring, uint64_t written);
/* Asks to be woken when more comes. false: there is something already. */
bool gaudi_ring_sleep(struct gaudi_ring *ring);

#endif /* GAUDI_RING_H */
