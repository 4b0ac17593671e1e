// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * SRAM and HBM: shared memory of this process, zeros and patterns in bulk.
 *
 * A driver clears all of HBM with a few memsets. The host must not pay for
 * that: zeroed pages are given back, and where whole chunks are filled with a
 * pattern, they become private views of one chunk that holds it, of which the
 * host copies a page at the first write to it. The file must hold all of them:
 * once it has been asked for, patterns are written.
 *
 * A reset takes as long whatever was used: where it was more than a little, it puts
 * another file in place, and reclaim.c gives back the old one meanwhile.
 *
 * Not here: what is at which device address (bus.c).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core.h"
#include "reclaim.h"

/* From this length on, zeroed memory is given back instead of written. */
#define MIN_DISCARD		(1u << 20)

/* So much is given back sooner than a thread begins to. */
#define EMPTY_AT_ONCE		(2u << 20)
/* Page tables are moved by their largest parts where both places agree in this. */
#define MOVE_ALIGN		(1ull << 30)
/* Whole pieces of a copy from this length on may be holes. */
#define MIN_HOLE		(16u << 10)

/*
 * The card may be in the process of a program that closes all descriptors of low numbers,
 * and then gets these for files of its own.
 */
#define FILES_FROM		700

/* --- zeros ------------------------------------------------------------------ */

/* Bytes that are looked at, and cleared if need be, at a time. */
#define ZEROS_STEP		1024

void *gaudi_zeros_new(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

void gaudi_zeros_free(void *p, size_t size)
{
	if (p)
		munmap(p, size);
}

bool gaudi_zeros_are(const void *p, size_t size)
{
	const uint8_t *at = p;

	/* The first one, and each as the one before it. */
	return !size || (!*at && !memcmp(at, at + 1, size - 1));
}

/* By parts, so that what is zero is not written. */
static void clear_by_parts(uint8_t *at, size_t size)
{
	size_t n;

	for (; size; at += n, size -= n) {
		n = size < ZEROS_STEP ? size : ZEROS_STEP;
		if (!gaudi_zeros_are(at, n))
			memset(at, 0, n);
	}
}

/* The whole pages within; false: there are none. */
static bool whole_pages(uint8_t *start, size_t len, uint8_t **from, uint8_t **to)
{
	uintptr_t page = sysconf(_SC_PAGESIZE);

	*from = (uint8_t *)(((uintptr_t)start + page - 1) & ~(page - 1));
	*to = (uint8_t *)(((uintptr_t)start + len) & ~(page - 1));
	return *from < *to;
}

void gaudi_zeros_clear(void *p, size_t size)
{
	uint8_t *start = p, *end = start + size;
	uint8_t *from, *to;

	/*
	 * Not even looked at: some systems give memory to what has only been read. They do not
	 * take back pages that are locked.
	 */
	if (!whole_pages(start, size, &from, &to) ||
	    madvise(from, to - from, MADV_DONTNEED)) {
		clear_by_parts(start, size);
		return;
	}
	clear_by_parts(start, from - start);
	clear_by_parts(to, end - to);
}

/* --- files ------------------------------------------------------------------ */

/* A file of zeros that takes none of the host's memory; or -errno. */
static int new_file(const char *name, uint64_t size)
{
	int fd = memfd_create(name, MFD_CLOEXEC), high, err;

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, size)) {
		err = -errno;
		close(fd);
		return err;
	}
	high = fcntl(fd, F_DUPFD_CLOEXEC, FILES_FROM);
	if (high < 0)
		return fd;
	close(fd);
	return high;
}

static ino_t file_number(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? 0 : st.st_ino;
}

bool gaudi_memory_file_is_ours(const struct gaudi_memory *mem)
{
	return mem->fd >= 0 && file_number(mem->fd) == mem->file;
}

/* Maps a file where the memory is, at first (ptr NULL) anywhere. 0 or -errno. */
static int map_at(struct gaudi_memory *mem, uint8_t *ptr, uint64_t len,
		  int flags, int fd, uint64_t off)
{
	void *at = mmap(ptr, len, PROT_READ | PROT_WRITE,
			flags | MAP_NORESERVE | (ptr ? MAP_FIXED : 0), fd, off);

	if (at == MAP_FAILED)
		return -errno;
	if (!ptr)
		mem->ptr = at;
	for (const int *advice = mem->advice; *advice; advice++)
		madvise(at, len, *advice);
	return 0;
}

int gaudi_memory_init(struct gaudi_memory *mem, const char *name,
		      uint64_t size, const int *advice)
{
	gaudi_lock_init(&mem->fill_lock, GAUDI_LOCK_FILL);
	mem->fill_fd = -1;
	mem->filled = calloc(size / GAUDI_MEMORY_CHUNK + 1, sizeof(*mem->filled));
	if (!mem->filled)
		return -ENOMEM;
	/* All of it once, and room for resets that follow soon. */
	mem->reclaim = gaudi_reclaim_new(size + size / 4);
	if (!mem->reclaim)
		return -ENOMEM;
	mem->name = name;
	mem->size = size;
	mem->advice = advice;
	mem->fd = new_file(name, size);
	if (mem->fd < 0)
		return mem->fd;
	mem->file = file_number(mem->fd);
	return map_at(mem, NULL, size, MAP_SHARED, mem->fd, 0);
}

void gaudi_memory_fini(struct gaudi_memory *mem)
{
	if (!gaudi_memory_file_is_ours(mem))
		mem->fd = -1;
	if (mem->reclaim && mem->ptr)
		gaudi_reclaim_add(mem->reclaim, mem->ptr, mem->size, mem->fd, 0);
	else if (mem->fd >= 0)
		close(mem->fd);
	gaudi_reclaim_put(mem->reclaim);
	if (mem->filled) {
		if (mem->fill_fd >= 0 &&
		    file_number(mem->fill_fd) == mem->fill_file)
			close(mem->fill_fd);
		gaudi_lock_destroy(&mem->fill_lock);
	}
	free(mem->filled);
}

/* --- what is known to be no hole ------------------------------------------ */

/* Places that are copied together are often powers of two apart. */
static uint32_t *known_at(struct gaudi_memory *mem, uint64_t piece)
{
	uint32_t hash = (uint32_t)piece * 2654435761u;

	return &mem->known[(hash >> 16) % GAUDI_MEMORY_KNOWN];
}

/* The first whole piece of a place; false: it has none. */
static bool first_piece(uint64_t off, size_t len, uint64_t *piece)
{
	*piece = (off + MIN_HOLE - 1) / MIN_HOLE;
	return (*piece + 1) * MIN_HOLE <= off + len;
}

/* Pages may have been taken out of the file. */
static void forget_known(struct gaudi_memory *mem)
{
	for (unsigned int i = 0; i < GAUDI_MEMORY_KNOWN; i++)
		__atomic_store_n(&mem->known[i], 0, __ATOMIC_RELAXED);
}

static void set_filled(struct gaudi_memory *mem, uint64_t chunk, bool filled)
{
	if (mem->filled[chunk] == filled)
		return;
	mem->num_filled += filled ? 1 : -1;
	__atomic_store_n(&mem->filled[chunk], filled, __ATOMIC_RELAXED);
}

/* A chunk shows the memory's own pages again. fill_lock held. */
static int chunk_restore(struct gaudi_memory *mem, uint64_t chunk)
{
	int err;

	if (!mem->filled[chunk])
		return 0;
	err = map_at(mem, mem->ptr + chunk * GAUDI_MEMORY_CHUNK,
		     GAUDI_MEMORY_CHUNK, MAP_SHARED, mem->fd,
		     chunk * GAUDI_MEMORY_CHUNK);
	if (!err)
		set_filled(mem, chunk, false);
	return err;
}

/* What a chunk shows, if that is a pattern, goes to the file. fill_lock held. */
static int chunk_store(struct gaudi_memory *mem, uint64_t chunk)
{
	uint64_t at = chunk * GAUDI_MEMORY_CHUNK, end = at + GAUDI_MEMORY_CHUNK;
	ssize_t n;

	if (!mem->filled[chunk])
		return 0;
	for (; at < end; at += n) {
		n = pwrite(mem->fd, mem->ptr + at, end - at, at);
		if (n < 0)
			return -errno;
	}
	return chunk_restore(mem, chunk);
}

int gaudi_memory_file(struct gaudi_memory *mem)
{
	int err = 0;

	gaudi_lock(&mem->fill_lock);
	__atomic_store_n(&mem->has_file, true, __ATOMIC_RELAXED);
	for (uint64_t i = 0; i < mem->size / GAUDI_MEMORY_CHUNK && !err; i++)
		err = chunk_store(mem, i);
	gaudi_unlock(&mem->fill_lock);
	return err ? err : mem->fd;
}

/* --- reset ---------------------------------------------------------------- */

/* The host's memory that is in use, or a little more. fill_lock held. */
static uint64_t bytes_used(const struct gaudi_memory *mem)
{
	struct stat st;

	if (!gaudi_memory_file_is_ours(mem) || fstat(mem->fd, &st))
		return mem->size;
	return 512ull * st.st_blocks + (uint64_t)mem->num_filled * GAUDI_MEMORY_CHUNK;
}

/* Bytes from at on that are one mapping, as far as we made them. */
static uint64_t mapping_at(const struct gaudi_memory *mem, uint64_t at,
			   bool *filled)
{
	uint64_t end = at - at % GAUDI_MEMORY_CHUNK + GAUDI_MEMORY_CHUNK;

	*filled = mem->filled[at / GAUDI_MEMORY_CHUNK];
	while (!*filled && end < mem->size && !mem->filled[end / GAUDI_MEMORY_CHUNK])
		end += GAUDI_MEMORY_CHUNK;
	return (end < mem->size ? end : mem->size) - at;
}

bool gaudi_memory_next(const struct gaudi_memory *mem, uint64_t *at,
		       uint64_t *end, bool *filled)
{
	off_t data, hole;

	for (; *at < mem->size; *at = *end) {
		*end = *at + mapping_at(mem, *at, filled);
		if (*filled)
			return true;
		data = lseek(mem->fd, *at, SEEK_DATA);
		if (data < 0 || (uint64_t)data >= *end)
			continue;
		hole = lseek(mem->fd, data, SEEK_HOLE);
		*at = data;
		if (hole >= 0 && (uint64_t)hole < *end)
			*end = hole;
		return true;
	}
	return false;
}

/*
 * Moves the page tables to another place, returned, of *size bytes; NULL: they
 * stay. To take out each page would take as long as there are pages. The place
 * itself stays mapped for whoever reads or writes there meanwhile. What cannot
 * be moved loses its pages later, when something else is mapped over it.
 */
static void *set_aside(struct gaudi_memory *mem, size_t *size)
{
	uint8_t *room, *to;
	uint64_t at, n;

	room = mmap(NULL, mem->size + MOVE_ALIGN, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (room == MAP_FAILED)
		return NULL;
	*size = mem->size + MOVE_ALIGN;
	to = room + ((uintptr_t)mem->ptr - (uintptr_t)room) % MOVE_ALIGN;
	for (at = 0; at < mem->size; at += n) {
		const int flags = MREMAP_MAYMOVE | MREMAP_FIXED |
				  MREMAP_DONTUNMAP;
		bool filled;

		n = mapping_at(mem, at, &filled);
		if (mremap(mem->ptr + at, n, n, flags, to + at) != MAP_FAILED ||
		    n <= GAUDI_MEMORY_CHUNK)
			continue;
		/* The host may have told the kernel more of some parts. */
		n = GAUDI_MEMORY_CHUNK;
		mremap(mem->ptr + at, n, n, flags, to + at);
	}
	return room;
}

/* Another file in place of what was used. fill_lock held. */
static int replace(struct gaudi_memory *mem, uint64_t used)
{
	int fd = new_file(mem->name, mem->size), old, err;
	bool ours = gaudi_memory_file_is_ours(mem);
	size_t size = 0;
	void *room;

	if (fd < 0)
		return fd;
	old = ours ? fcntl(mem->fd, F_DUPFD_CLOEXEC, FILES_FROM) : -1;
	if (ours && old < 0) {
		err = -errno;
		close(fd);
		return err;
	}
	room = set_aside(mem, &size);
	err = map_at(mem, mem->ptr, mem->size, MAP_SHARED, fd, 0);
	if (err) {
		close(old);
		gaudi_reclaim_add(mem->reclaim, room, size, fd, 0);
		return err;
	}
	for (uint64_t i = 0; i < mem->size / GAUDI_MEMORY_CHUNK; i++)
		set_filled(mem, i, false);
	forget_known(mem);
	mem->file = file_number(fd);
	/* Whoever knows the file by our number sees the new one. */
	if (ours) {
		dup3(fd, mem->fd, O_CLOEXEC);
		close(fd);
	} else {
		mem->fd = fd;
	}
	gaudi_reclaim_add(mem->reclaim, room, size, old, used);
	return 0;
}

/*
 * Takes pages out of the file, which has zeros there then. 0 or -errno. Not by advice, which
 * an emulator of processes may leave undone.
 */
static int punch(struct gaudi_memory *mem, uint64_t off, uint64_t len)
{
	int err;

	if (!gaudi_memory_file_is_ours(mem))
		return -EBADF;
	err = fallocate(mem->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			off, len) ? -errno : 0;
	forget_known(mem);
	return err;
}

/* Takes all pages out of the file, if they are few. fill_lock held. */
static bool empty(struct gaudi_memory *mem, uint64_t used)
{
	return used <= EMPTY_AT_ONCE && !mem->num_filled &&
	       !punch(mem, 0, mem->size);
}

int gaudi_memory_reset(struct gaudi_memory *mem)
{
	uint64_t used;
	int err = 0;

	gaudi_lock(&mem->fill_lock);
	used = bytes_used(mem);
	if (used && empty(mem, used))
		used = 0;
	gaudi_unlock(&mem->fill_lock);
	if (!used)
		return 0;
	gaudi_reclaim_wait(mem->reclaim, used);
	gaudi_lock(&mem->fill_lock);
	used = bytes_used(mem);
	if (used)
		err = replace(mem, used);
	gaudi_unlock(&mem->fill_lock);
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

	if (mem->fill_fd >= 0 && file_number(mem->fill_fd) != mem->fill_file)
		mem->fill_fd = -1;
	if (mem->fill_fd >= 0 && mem->fill_pattern == pattern)
		return mem->fill_fd;
	fd = new_file("gaudi-fill", GAUDI_MEMORY_CHUNK);
	if (fd < 0)
		return -1;
	ptr = mmap(NULL, GAUDI_MEMORY_CHUNK, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ptr == MAP_FAILED)
		goto err;
	gaudi_fill_words(ptr, pattern, 0, GAUDI_MEMORY_CHUNK);
	munmap(ptr, GAUDI_MEMORY_CHUNK);
	/* Chunks that show the one before keep it. */
	if (mem->fill_fd >= 0)
		close(mem->fill_fd);
	mem->fill_fd = fd;
	mem->fill_file = file_number(fd);
	mem->fill_pattern = pattern;
	return fd;
err:
	close(fd);
	return -1;
}

/* Zero or, without a user of the file, a pattern in a whole chunk. 0: done. */
static int chunk_fill(struct gaudi_memory *mem, uint64_t chunk,
		      uint64_t pattern)
{
	uint8_t *ptr = mem->ptr + chunk * GAUDI_MEMORY_CHUNK;
	int fd, err;

	gaudi_lock(&mem->fill_lock);
	err = chunk_restore(mem, chunk);
	if (!err && pattern && mem->has_file)
		err = -EBUSY;
	/* Its own pages go back to the host in any case. */
	if (!err)
		err = punch(mem, chunk * GAUDI_MEMORY_CHUNK, GAUDI_MEMORY_CHUNK);
	if (!err && pattern) {
		fd = pattern_file(mem, pattern);
		if (fd < 0 || map_at(mem, ptr, GAUDI_MEMORY_CHUNK, MAP_PRIVATE, fd, 0))
			err = -ENOMEM;
		else
			set_filled(mem, chunk, true);
	}
	gaudi_unlock(&mem->fill_lock);
	return err;
}

static bool holds(const struct gaudi_memory *mem, const uint8_t *ptr)
{
	return (uintptr_t)ptr - (uintptr_t)mem->ptr < mem->size;
}

/* Bytes from ptr to the next chunk of HBM; UINT64_MAX: not within HBM. */
static uint64_t to_chunk(const struct gaudi_memory *mem, const uint8_t *ptr)
{
	uint64_t off = (uintptr_t)ptr - (uintptr_t)mem->ptr;

	return off < mem->size ? -off % GAUDI_MEMORY_CHUNK : UINT64_MAX;
}

/* How many bytes from ptr on are whole chunks of HBM, or none of them is. */
static size_t fill_step(const struct gaudi_memory *mem, const uint8_t *ptr,
			size_t len, bool *chunks)
{
	uint64_t head = to_chunk(mem, ptr);

	*chunks = !head && len >= GAUDI_MEMORY_CHUNK;
	if (*chunks)
		return len / GAUDI_MEMORY_CHUNK * GAUDI_MEMORY_CHUNK;
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
	       !__atomic_load_n(&mem->filled[off / GAUDI_MEMORY_CHUNK], __ATOMIC_RELAXED);
}

size_t gaudi_fill_step(struct gaudi_chip *chip, const struct gaudi_span *span,
		       uint64_t pattern, size_t len, bool *cheap)
{
	size_t n;

	*cheap = false;
	if (span->host)
		return len;
	n = fill_step(&chip->hbm, span->ptr, len, cheap);
	if (pattern && __atomic_load_n(&chip->hbm.has_file, __ATOMIC_RELAXED))
		*cheap = false;
	if (!*cheap && !pattern)
		*cheap = n >= MIN_DISCARD && shows_itself(&chip->hbm, span->ptr);
	return n;
}

static void zero(struct gaudi_memory *mem, uint8_t *start, size_t len)
{
	uint8_t *end = start + len;
	uint8_t *from, *to;

	if (len < MIN_DISCARD || !whole_pages(start, len, &from, &to) ||
	    !holds(mem, start) || !shows_itself(mem, start) ||
	    punch(mem, from - mem->ptr, to - from)) {
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
		uint32_t rotate = phase % 8 * 8;
		uint64_t first = pattern;

		if (rotate)
			first = pattern >> rotate |
				pattern << (64 - rotate);
		n = fill_step(mem, ptr, len, &chunks);
		if (chunks)
			n = GAUDI_MEMORY_CHUNK;
		if (chunks && !chunk_fill(mem, (ptr - mem->ptr) / GAUDI_MEMORY_CHUNK, first))
			continue;
		if (first)
			gaudi_fill_words(ptr, first, 0, n);
		else
			zero(holds(&chip->hbm, ptr) ? &chip->hbm : &chip->sram,
			     ptr, n);
	}
}

void gaudi_memory_write(struct gaudi_memory *mem, uint64_t at, const void *from, size_t len)
{
	ssize_t n = 0;

	if (shows_itself(mem, mem->ptr + at) && shows_itself(mem, mem->ptr + at + len - 1) &&
	    gaudi_memory_file_is_ours(mem))
		n = pwrite(mem->fd, from, len, at);
	if (n < 0)
		n = 0;
	memcpy(mem->ptr + at + n, (const uint8_t *)from + n, len - n);
}

/* --- copies ---------------------------------------------------------------- */

/* Where the first data from off on are, before end; end: there are none. */
static uint64_t next_data(const struct gaudi_memory *mem, uint64_t off, uint64_t end)
{
	off_t data = lseek(mem->fd, off, SEEK_DATA);

	if (data < 0)
		return errno == ENXIO ? end : off;
	return (uint64_t)data < end ? (uint64_t)data : end;
}

/*
 * Is nothing of it in the file? Says no where it would have to wait. To ask for it takes as
 * long as to copy 16 KiB, so the answer is kept of what was copied last.
 */
static bool is_hole(struct gaudi_memory *mem, const uint8_t *ptr, size_t len)
{
	uint64_t off = (uintptr_t)ptr - (uintptr_t)mem->ptr, piece, after;
	bool whole = first_piece(off, len, &piece);

	if (!holds(mem, ptr) || !shows_itself(mem, ptr) ||
	    !shows_itself(mem, ptr + len - 1))
		return false;
	if (whole && __atomic_load_n(known_at(mem, piece), __ATOMIC_RELAXED) == piece + 1)
		return false;
	if (!gaudi_memory_file_is_ours(mem))
		return false;
	after = (piece + 1) * MIN_HOLE;
	if (whole && next_data(mem, piece * MIN_HOLE, after) < after) {
		__atomic_store_n(known_at(mem, piece), piece + 1, __ATOMIC_RELAXED);
		return false;
	}
	return next_data(mem, off, off + len) == off + len;
}

static bool span_is_hole(struct gaudi_chip *chip, const struct gaudi_span *span,
			 size_t len)
{
	return !span->host && (is_hole(&chip->hbm, span->ptr, len) ||
			       is_hole(&chip->sram, span->ptr, len));
}

void gaudi_bus_copy(struct gaudi_chip *chip, struct gaudi_span *dst,
		    const struct gaudi_span *src, size_t len)
{
	/* To read a page that is not there makes the host allocate it. */
	if (len < MIN_HOLE || !span_is_hole(chip, src, len))
		memmove(dst->ptr, src->ptr, len);
	else if (!span_is_hole(chip, dst, len))
		gaudi_bus_fill(chip, dst, 0, 0, len);
}
