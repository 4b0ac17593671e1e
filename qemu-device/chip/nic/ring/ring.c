// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Rings in shared memory; see ring.h.
 *
 * Indices count bytes and never wrap. A record is a head of 64 bytes, its first
 * four being the length of the data, and the data, filled up to 64. A head is never
 * cut in two by the ring's end, data may be.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "past_caches.h"
#include "ring.h"

#define HEAD		64u
#define DATA_AT		4096u
#define TOTAL		(DATA_AT + 2 * GAUDI_RING_BYTES)
#define SEALS		(F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

/* One way. Who writes what stands in lines of its own. */
struct way {
	alignas(64) atomic_uint_least64_t written;	/* the sender's */
	alignas(64) atomic_uint_least64_t read;		/* the receiver's */
	alignas(64) atomic_uint starved;	/* the sender waits for room */
	alignas(64) atomic_uint asleep;		/* the receiver, for records */
};

struct shared {
	struct {
		alignas(64) atomic_uint_least64_t state;
	} side[2];
	struct way way[2];			/* from side 0, and from side 1 */
};

_Static_assert(sizeof(struct shared) <= DATA_AT, "words fit in a page");

struct gaudi_ring {
	struct shared *shared;
	unsigned int side;
	struct {
		struct way *way;
		uint8_t *data;
		uint64_t at;		/* behind the last record */
		uint64_t read;		/* the receiver's, as last seen */
	} tx;
	struct {
		struct way *way;
		const uint8_t *data;
		uint64_t at;		/* of the next record */
		uint64_t last;		/* of the one before it */
		uint64_t end;		/* the sender's, as last seen */
		atomic_uint_fast64_t done;	/* what the sender has been told */
	} rx;
};

static struct gaudi_ring *ring_map(int fd, unsigned int side, int *err)
{
	struct gaudi_ring *ring = calloc(1, sizeof(*ring));
	uint8_t *at;

	if (!ring) {
		*err = -ENOMEM;
		return NULL;
	}
	at = mmap(NULL, TOTAL, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED) {
		*err = -errno;
		free(ring);
		return NULL;
	}
	ring->shared = (struct shared *)(void *)at;
	ring->side = side;
	ring->tx.way = &ring->shared->way[side];
	ring->rx.way = &ring->shared->way[!side];
	ring->tx.data = at + DATA_AT + side * GAUDI_RING_BYTES;
	ring->rx.data = at + DATA_AT + !side * GAUDI_RING_BYTES;
	return ring;
}

struct gaudi_ring *gaudi_ring_new(int *fd, int *err)
{
	struct gaudi_ring *ring = NULL;

	*fd = memfd_create("gaudi-wire", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (*fd < 0) {
		*err = -errno;
		return NULL;
	}
	if (ftruncate(*fd, TOTAL) || fcntl(*fd, F_ADD_SEALS, SEALS))
		*err = -errno;
	else
		ring = ring_map(*fd, 0, err);
	if (!ring) {
		close(*fd);
		*fd = -1;
	}
	return ring;
}

struct gaudi_ring *gaudi_ring_open(int fd, int *err)
{
	/* Of files with other systems behind them nothing more is asked. */
	int seals = fcntl(fd, F_GET_SEALS);
	struct statfs system;
	struct stat file;

	if (seals < 0 || fstatfs(fd, &system) || fstat(fd, &file)) {
		*err = -EINVAL;
		return NULL;
	}
	if (!(seals & F_SEAL_SHRINK)) {
		*err = -EPERM;
		return NULL;
	}
	/* Huge pages may be lacking when they are touched, these are not. */
	if (system.f_type != TMPFS_MAGIC || file.st_size != TOTAL) {
		*err = -EINVAL;
		return NULL;
	}
	return ring_map(fd, 1, err);
}

void gaudi_ring_free(struct gaudi_ring *ring)
{
	if (!ring)
		return;
	munmap(ring->shared, TOTAL);
	free(ring);
}

/* --- state -------------------------------------------------------------- */

void gaudi_ring_say(struct gaudi_ring *ring, uint64_t state)
{
	atomic_store(&ring->shared->side[ring->side].state, state);
}

uint64_t gaudi_ring_hear(struct gaudi_ring *ring)
{
	return atomic_load(&ring->shared->side[!ring->side].state);
}

/*
 * One side has changed something, the other has said that it waits for that, and
 * only then looked once more: one of us sees the other.
 */
static bool has_asked(atomic_uint *flag)
{
	return atomic_load(flag) && atomic_exchange(flag, 0);
}

/* --- sending ------------------------------------------------------------ */

int gaudi_ring_room(struct gaudi_ring *ring, uint32_t bytes)
{
	uint64_t used = ring->tx.at - ring->tx.read, read;

	if (GAUDI_RING_BYTES - used >= bytes)
		return 0;
	read = atomic_load(&ring->tx.way->read);
	/* It has only what was there, and does not unread. */
	if (read - ring->tx.read > used || read % HEAD)
		return -EPROTO;
	ring->tx.read = read;
	used = ring->tx.at - read;
	return GAUDI_RING_BYTES - used >= bytes ? 0 : -ENOSPC;
}

int gaudi_ring_await_room(struct gaudi_ring *ring, uint32_t bytes)
{
	int err = gaudi_ring_room(ring, bytes);

	if (err != -ENOSPC)
		return err;
	atomic_store(&ring->tx.way->starved, 1);
	return gaudi_ring_room(ring, bytes);
}

/*
 * The lines of the ring were last in the receiver's cache. Where two cores share
 * none, to fetch them from there takes three times as long as to write past the
 * caches; where they do, that is a fifth slower than it could be.
 */
static void copy_in(struct gaudi_ring *ring, uint64_t at, const uint8_t *src,
		    uint32_t len)
{
	uint32_t off = at & (GAUDI_RING_BYTES - 1);
	uint32_t first = GAUDI_RING_BYTES - off;

	if (first > len)
		first = len;
	gaudi_copy_past_caches(ring->tx.data + off, src, first);
	if (len > first)
		gaudi_copy_past_caches(ring->tx.data, src + first,
				       len - first);
}

int gaudi_ring_put(struct gaudi_ring *ring,
		   const struct gaudi_ring_record *record)
{
	uint32_t len = record->part_len[0] + record->part_len[1];
	uint64_t at = ring->tx.at;
	uint8_t head[HEAD] = { 0 };
	unsigned int i;
	int err;

	err = gaudi_ring_room(ring, GAUDI_RING_RECORD(len));
	if (err)
		return err;
	memcpy(head, &len, sizeof(len));
	memcpy(head + HEAD - GAUDI_RING_HEAD, record->head, GAUDI_RING_HEAD);
	memcpy(ring->tx.data + (at & (GAUDI_RING_BYTES - 1)), head, HEAD);
	at += HEAD;
	for (i = 0; i < 2; i++) {
		if (record->part_len[i])
			copy_in(ring, at, record->part[i], record->part_len[i]);
		at += record->part_len[i];
	}
	ring->tx.at += GAUDI_RING_RECORD(len);
	return 0;
}

bool gaudi_ring_flush(struct gaudi_ring *ring)
{
	gaudi_past_caches_end();
	atomic_store(&ring->tx.way->written, ring->tx.at);
	return has_asked(&ring->tx.way->asleep);
}

/* --- receiving ---------------------------------------------------------- */

int gaudi_ring_look(struct gaudi_ring *ring)
{
	uint64_t end = gaudi_ring_written(ring);

	/* No more than fits, and nothing is taken back. */
	if (end - ring->rx.end > GAUDI_RING_BYTES ||
	    end - ring->rx.at > GAUDI_RING_BYTES || end % HEAD)
		return -EPROTO;
	ring->rx.end = end;
	return 0;
}

/* Each word is read once: what is checked is what is used. */
static void copy_head(uint64_t *to, const uint8_t *from)
{
	const volatile uint64_t *word = (const volatile uint64_t *)from;
	unsigned int i;

	for (i = 0; i < HEAD / 8; i++)
		to[i] = word[i];
}

int gaudi_ring_get(struct gaudi_ring *ring, struct gaudi_ring_record *record)
{
	uint64_t left = ring->rx.end - ring->rx.at, head[HEAD / 8];
	uint32_t off, len;

	if (!left)
		return 0;
	copy_head(head, ring->rx.data +
			(ring->rx.at & (GAUDI_RING_BYTES - 1)));
	memcpy(&len, head, sizeof(len));
	if (len > GAUDI_RING_MAX_DATA || GAUDI_RING_RECORD(len) > left)
		return -EPROTO;
	memcpy(record->head, (uint8_t *)head + HEAD - GAUDI_RING_HEAD,
	       GAUDI_RING_HEAD);
	off = (ring->rx.at + HEAD) & (GAUDI_RING_BYTES - 1);
	record->part[0] = ring->rx.data + off;
	record->part_len[0] = GAUDI_RING_BYTES - off < len ?
				      GAUDI_RING_BYTES - off : len;
	record->part[1] = ring->rx.data;
	record->part_len[1] = len - record->part_len[0];
	ring->rx.last = ring->rx.at;
	ring->rx.at += GAUDI_RING_RECORD(len);
	return 1;
}

void gaudi_ring_unget(struct gaudi_ring *ring)
{
	ring->rx.at = ring->rx.last;
}

void gaudi_ring_skip(struct gaudi_ring *ring)
{
	ring->rx.at = ring->rx.end;
}

/* A sender that waits is woken once there is room for much. */
bool gaudi_ring_done(struct gaudi_ring *ring)
{
	atomic_store(&ring->rx.done, ring->rx.at);
	atomic_store(&ring->rx.way->read, ring->rx.at);
	return ring->rx.end - ring->rx.at <= GAUDI_RING_BYTES / 2 &&
	       has_asked(&ring->rx.way->starved);
}

bool gaudi_ring_is_empty(const struct gaudi_ring *ring)
{
	return ring->rx.at == ring->rx.end;
}

bool gaudi_ring_has_more(const struct gaudi_ring *ring)
{
	return gaudi_ring_written(ring) != ring->rx.end;
}

uint64_t gaudi_ring_written(const struct gaudi_ring *ring)
{
	return atomic_load(&ring->rx.way->written);
}

bool gaudi_ring_has_done(const struct gaudi_ring *ring, uint64_t written)
{
	return (int64_t)(atomic_load(&ring->rx.done) - written) >= 0;
}

bool gaudi_ring_sleep(struct gaudi_ring *ring)
{
	atomic_store(&ring->rx.way->asleep, 1);
	return !gaudi_ring_has_more(ring);
}
