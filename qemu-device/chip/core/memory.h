/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * SRAM and HBM themselves (memory.c): shared memory of this process, zeros and
 * patterns in bulk. A memory has a lock of its own, fill_lock, a leaf.
 *
 * Not here: what is at which device address; that is the bus's.
 */
#ifndef GAUDI_MEMORY_H
#define GAUDI_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lock.h"

struct gaudi_chip;
struct gaudi_reclaim;

/*
 * Zeros for state of which most cards use little: pages that are never written take none
 * of the host's memory. Nothing there owns what malloc() gave: who looks for leaks does
 * not look there. NULL: there is none.
 */
void *gaudi_zeros_new(size_t size);
/* size: as above; p may be NULL. */
void gaudi_zeros_free(void *p, size_t size);
bool gaudi_zeros_are(const void *p, size_t size);
/*
 * Zeros again: whole pages are the system's, and of the rest what is zero is not written. The
 * memory is this process's own, not shared.
 */
void gaudi_zeros_clear(void *p, size_t size);

/*
 * Chunks that are shared as a whole: of HBM's 1024, each costs the process a
 * mapping, and each pattern the memory of one.
 */
#define GAUDI_MEMORY_CHUNK	(32u << 20)
/* Places that copies have found data at. */
#define GAUDI_MEMORY_KNOWN	256

struct gaudi_memory {
	uint8_t *ptr;
	uint64_t size;
	const char *name;
	const int *advice;		/* for each mapping; see gaudi_config */
	int fd;				/* of another file after each reset */
	ino_t file;			/* ... its number, to know it by */
	struct gaudi_reclaim *reclaim;
	/* In pieces of 16 KiB, by number + 1; atomic. What is missing is asked for. */
	uint32_t known[GAUDI_MEMORY_KNOWN];
	struct gaudi_lock fill_lock;		/* guards what follows */
	bool has_file;		/* asked for, and shows all; atomic */
	bool *filled;		/* chunks that show a pattern; atomic */
	unsigned int num_filled;
	int fill_fd;			/* the last pattern's chunk, or -1 */
	ino_t fill_file;
	uint64_t fill_pattern;
};

/* All zeros, and no memory of the host; name and advice stay. 0 or -errno. */
int gaudi_memory_init(struct gaudi_memory *mem, const char *name,
		      uint64_t size, const int *advice);
void gaudi_memory_fini(struct gaudi_memory *mem);
/*
 * False: the program that the card is in has closed its file, and the number may be
 * another's. Memory stays as it is; a reset gives it another file.
 */
bool gaudi_memory_file_is_ours(const struct gaudi_memory *mem);
/*
 * Back to zeros; a thread gives the host its pages back. 0 or -errno: it keeps
 * its contents. No engine uses it meanwhile. The card's lock is not held, as it
 * waits when earlier resets have left more than the memory's size.
 */
int gaudi_memory_reset(struct gaudi_memory *mem);
/*
 * The file, which shows all that the memory holds from now on, or -errno. No
 * engine uses the memory meanwhile.
 */
int gaudi_memory_file(struct gaudi_memory *mem);
/*
 * The next place from *at on, up to *end, that may hold something: a piece of the file
 * between two holes, or a chunk filled with a pattern that the file does not have. False:
 * all that follows is zero. No engine uses the memory meanwhile.
 */
bool gaudi_memory_next(const struct gaudi_memory *mem, uint64_t *at,
		       uint64_t *end, bool *filled);

/*
 * len bytes, at least one, to offset at, by the file where that is possible: a page that is
 * first written by its address costs a fault, even if nobody looks at it again. No engine uses
 * the memory meanwhile.
 */
void gaudi_memory_write(struct gaudi_memory *mem, uint64_t at, const void *from, size_t len);

/* Direct memory for bulk work; ptr stays valid while the lock is dropped. */
struct gaudi_span {
	uint8_t *ptr;
	size_t len;
	bool host;		/* give back through ops->dma_unmap */
	bool write;
};

/*
 * Fill len bytes of a span with a pattern of eight bytes, of which phase have
 * gone before. Large parts of HBM and SRAM that become zero are given back to
 * the host; where HBM gets a pattern, whole chunks share their pages. Lock held
 * or not.
 */
void gaudi_bus_fill(struct gaudi_chip *chip, struct gaudi_span *span,
		    uint64_t pattern, uint32_t phase, size_t len);
/*
 * How many of the first len bytes of a span are filled in one way: cheaply, by
 * sharing or giving back, or by writing each.
 */
size_t gaudi_fill_step(struct gaudi_chip *chip, const struct gaudi_span *span,
		       uint64_t pattern, size_t len, bool *cheap);
/*
 * As memmove(). What is a hole in HBM or SRAM stays one, for pieces of 16 KiB or
 * more. Lock held or not.
 */
void gaudi_bus_copy(struct gaudi_chip *chip, struct gaudi_span *dst,
		    const struct gaudi_span *src, size_t len);
/* The pattern, written, to any memory. */
void gaudi_fill_words(uint8_t *dst, uint64_t pattern, uint32_t phase,
		      size_t len);

#endif /* GAUDI_MEMORY_H */
