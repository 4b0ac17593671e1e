// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * SRAM and HBM: shared memory of this process, zeros and patterns in bulk.
 *
 * A driver clears all of HBM with a few memsets. The host must not pay for
 * that: zeroed pages are given back, and where whole chunks are filled with a
 * pattern, they become private views of one chunk that holds it, of which the
 * host copies a page when somebody writes to it.
 *
 * Not here: what is at which device address (bus.c).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"

/*
 * Chunks that are shared as a whole: of HBM's 1024, each costs the process a
 * mapping, and each pattern the memory of one.
 */
#define CHUNK			(32u << 20)
/* From this length on, zeroed memory is given back instead of written. */
#define MIN_DISCARD		(1u << 20)

int gaudi_memory_init(struct gaudi_memory *mem, const char *name,
		      uint64_t size)
{
	void *ptr;

	gaudi_lock_init(&mem->fill_lock, GAUDI_LOCK_FILL);
	mem->fill_fd = -1;
	mem->filled = calloc(size / CHUNK + 1, sizeof(*mem->filled));
	if (!mem->filled)
		return -ENOMEM;
	mem->fd = memfd_create(name, MFD_CLOEXEC);
	if (mem->fd < 0)
		return -errno;
	if (ftruncate(mem->fd, size))
		return -errno;
	ptr = mmap(NULL, size, PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_NORESERVE, mem->fd, 0);
	if (ptr == MAP_FAILED)
		return -errno;
	mem->ptr = ptr;
	mem->size = size;
	return 0;
}

void gaudi_memory_fini(struct gaudi_memory *mem)
{
	if (mem->ptr)
		munmap(mem->ptr, mem->size);
	if (mem->fd >= 0)
		close(mem->fd);
	if (mem->filled) {
		if (mem->fill_fd >= 0)
			close(mem->fill_fd);
		gaudi_lock_destroy(&mem->fill_lock);
	}
	free(mem->filled);
}

/* A chunk shows the memory's own pages again. fill_lock held. */
static int chunk_restore(struct gaudi_memory *mem, uint64_t chunk)
{
	if (!mem->filled[chunk])
		return 0;
	if (mmap(mem->ptr + chunk * CHUNK, CHUNK, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_NORESERVE | MAP_FIXED, mem->fd,
		 chunk * CHUNK) == MAP_FAILED)
		return -errno;
	__atomic_store_n(&mem->filled[chunk], false, __ATOMIC_RELAXED);
	return 0;
}

int gaudi_memory_reset(struct gaudi_memory *mem)
{
	int err = 0;

	gaudi_lock(&mem->fill_lock);
	for (uint64_t i = 0; i < mem->size / CHUNK && !err; i++)
		err = chunk_restore(mem, i);
	gaudi_unlock(&mem->fill_lock);
	if (!err && madvise(mem->ptr, mem->size, MADV_REMOVE))
		err = -errno;
	return err;
}

/* --- patterns ------------------------------------------------------------- */

void gaudi_fill_words(uint8_t *dst, uint64_t pattern, uint32_t phase,
		      size_t len)
{
	size_t first = len < GAUDI_PAGE_SIZE ? len : GAUDI_PAGE_SIZE, i, n;

	phase = phase % 8 * 8;
	if (phase)
		pattern = pattern >> phase | pattern << (64 - phase);
	/* word by word up to a page, and that page over the rest */
	for (i = 0; i + 8 <= first; i += 8)
		memcpy(dst + i, &pattern, 8);
	memcpy(dst + i, &pattern, first - i);
	for (i = first; i < len; i += n) {
		n = len - i < first ? len - i : first;
		memcpy(dst + i, dst, n);
	}
}

/* A file of one chunk that holds the pattern, or -1. fill_lock held. */
static int pattern_file(struct gaudi_memory *mem, uint64_t pattern)
{
	uint8_t *ptr;
	int fd;

	if (mem->fill_fd >= 0 && mem->fill_pattern == pattern)
		return mem->fill_fd;
	fd = memfd_create("gaudi-fill", MFD_CLOEXEC);
	if (fd < 0)
		return -1;
	if (ftruncate(fd, CHUNK))
		goto err;
	ptr = mmap(NULL, CHUNK, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ptr == MAP_FAILED)
		goto err;
	gaudi_fill_words(ptr, pattern, 0, CHUNK);
	munmap(ptr, CHUNK);
	/* Chunks that show the one before keep it. */
	if (mem->fill_fd >= 0)
		close(mem->fill_fd);
	mem->fill_fd = fd;
	mem->fill_pattern = pattern;
	return fd;
err:
	close(fd);
	return -1;
}

/* Zero or a pattern in a whole chunk. 0: done. */
static int chunk_fill(struct gaudi_memory *mem, uint64_t chunk,
		      uint64_t pattern)
{
	uint8_t *ptr = mem->ptr + chunk * CHUNK;
	int fd, err;

	gaudi_lock(&mem->fill_lock);
	/* Its own pages go back to the host in any case. */
	err = chunk_restore(mem, chunk);
	if (!err && madvise(ptr, CHUNK, MADV_REMOVE))
		err = -errno;
	if (!err && pattern) {
		fd = pattern_file(mem, pattern);
		if (fd < 0 ||
		    mmap(ptr, CHUNK, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED, fd, 0) ==
		    MAP_FAILED)
			err = -ENOMEM;
		else
			__atomic_store_n(&mem->filled[chunk], true,
					 __ATOMIC_RELAXED);
	}
	gaudi_unlock(&mem->fill_lock);
	return err;
}

/* Bytes from ptr to the next chunk of HBM; UINT64_MAX: not within HBM. */
static uint64_t to_chunk(const struct gaudi_memory *mem, const uint8_t *ptr)
{
	uint64_t off = (uintptr_t)ptr - (uintptr_t)mem->ptr;

	return off < mem->size ? -off % CHUNK : UINT64_MAX;
}

/* How many bytes from ptr on are whole chunks of HBM, or none of them is. */
static size_t fill_step(const struct gaudi_memory *mem, const uint8_t *ptr,
			size_t len, bool *chunks)
{
	uint64_t head = to_chunk(mem, ptr);

	*chunks = !head && len >= CHUNK;
	if (*chunks)
		return len / CHUNK * CHUNK;
	return head && head < len ? head : len;
}

/*
 * Are the memory's own pages at ptr, which can be given back? Without waiting
 * for fill_lock, which is held while a chunk is written: a guess will do.
 */
static bool shows_itself(const struct gaudi_memory *mem, const uint8_t *ptr)
{
	uint64_t off = (uintptr_t)ptr - (uintptr_t)mem->ptr;

	return off >= mem->size ||
	       !__atomic_load_n(&mem->filled[off / CHUNK], __ATOMIC_RELAXED);
}

size_t gaudi_fill_step(struct gaudi_chip *chip, const struct gaudi_span *span,
		       uint64_t pattern, size_t len, bool *cheap)
{
	size_t n;

	*cheap = false;
	if (span->host)
		return len;
	n = fill_step(&chip->hbm, span->ptr, len, cheap);
	if (!*cheap && !pattern)
		*cheap = n >= MIN_DISCARD && shows_itself(&chip->hbm, span->ptr);
	return n;
}

static void zero(uint8_t *start, size_t len)
{
	uintptr_t page = sysconf(_SC_PAGESIZE);
	uint8_t *end = start + len;
	uint8_t *from, *to;

	if (len < MIN_DISCARD) {
		memset(start, 0, len);
		return;
	}
	from = (uint8_t *)(((uintptr_t)start + page - 1) & ~(page - 1));
	to = (uint8_t *)((uintptr_t)end & ~(page - 1));
	/* Refused where a pattern is shown. */
	if (madvise(from, to - from, MADV_REMOVE)) {
		memset(start, 0, len);
		return;
	}
	memset(start, 0, from - start);
	memset(to, 0, end - to);
}

void gaudi_bus_fill(struct gaudi_chip *chip, struct gaudi_span *span,
		    uint64_t pattern, uint32_t phase, size_t len)
{
	struct gaudi_memory *mem = &chip->hbm;
	uint8_t *ptr = span->ptr;
	bool chunks;
	size_t n;

	if (span->host) {
		gaudi_fill_words(ptr, pattern, phase, len);
		return;
	}
	for (; len; ptr += n, phase += n, len -= n) {
		uint32_t turn = phase % 8 * 8;
		uint64_t first = pattern;

		if (turn)
			first = pattern >> turn | pattern << (64 - turn);
		n = fill_step(mem, ptr, len, &chunks);
		if (chunks)
			n = CHUNK;
		if (chunks && !chunk_fill(mem, (ptr - mem->ptr) / CHUNK, first))
			continue;
		if (first)
			gaudi_fill_words(ptr, first, 0, n);
		else
			zero(ptr, n);
	}
}
