// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* A journal's file, and the digests in it; see journal.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include <zlib.h>

#include "journal.h"

#define PAGE		4096
/* Longer than what any card asks its host for at once. */
#define MOST_DATA	(256u << 20)

struct gaudi_journal_file {
	gzFile gz;
	int err;
	void *data;
	size_t room;
};

static const struct {
	const char *name;
	unsigned int args;
	bool has_data;
} kinds[GAUDI_JOURNAL_KINDS] = {
	[GAUDI_CALL_NEW] = { "new", GAUDI_NEW_ARGS, true },
	[GAUDI_CALL_FREE] = { "free" },
	[GAUDI_CALL_POWER_ON] = { "power-on" },
	[GAUDI_CALL_HARD_RESET] = { "hard-reset" },
	[GAUDI_CALL_PAUSE] = { "pause" },
	[GAUDI_CALL_RESUME] = { "resume" },
	[GAUDI_CALL_BAR_READ] = { "bar-read", 3 },
	[GAUDI_CALL_BAR_WRITE] = { "bar-write", 4 },
	[GAUDI_CALL_BAR_COPY] = { "bar-copy", 2, true },
	[GAUDI_CALL_ELBI_READ] = { "elbi-read", 1 },
	[GAUDI_CALL_ELBI_WRITE] = { "elbi-write", 2 },
	[GAUDI_CALL_TIMER] = { "timer" },
	[GAUDI_CALL_RUN] = { "run", 1 },
	[GAUDI_CALL_CONNECT] = { "connect", 3 },
	[GAUDI_CALL_PLUG] = { "plug", 2 },
	[GAUDI_CALL_DISCONNECT] = { "disconnect" },
	[GAUDI_CALL_EVENT] = { "event", 1, true },
	[GAUDI_CALL_INJECT] = { "inject", 0, true },
	[GAUDI_CALL_FAULTS_CLEAR] = { "faults-clear" },
	[GAUDI_JOURNAL_RETURN] = { "return", 3 },
	[GAUDI_JOURNAL_DMA_READ] = { "dma-read", 3, true },
	[GAUDI_JOURNAL_DMA_WRITE] = { "dma-write", 4 },
	[GAUDI_JOURNAL_MSI] = { "msi", 1 },
	[GAUDI_JOURNAL_WINDOW] = { "window", 1 },
	[GAUDI_JOURNAL_TIME] = { "time", 1 },
	[GAUDI_JOURNAL_DEADLINE] = { "deadline", 1 },
	[GAUDI_JOURNAL_HOST_FAULT] = { "host-fault", 2 },
	[GAUDI_JOURNAL_RESETTING] = { "resetting", 1 },
	[GAUDI_JOURNAL_MEMORY] = { "memory", 2 },
	[GAUDI_JOURNAL_END] = { "end" },
};

const char *gaudi_journal_name(unsigned int kind)
{
	return kind < GAUDI_JOURNAL_KINDS ? kinds[kind].name : NULL;
}

unsigned int gaudi_journal_args(unsigned int kind)
{
	return kind < GAUDI_JOURNAL_KINDS ? kinds[kind].args : 0;
}

/* --- writing ---------------------------------------------------------------- */

/* Takes the descriptor. */
static struct gaudi_journal_file *file_new(int fd, const char *mode, int *err)
{
	struct gaudi_journal_file *file;

	if (fd < 0) {
		*err = -errno;
		return NULL;
	}
	file = calloc(1, sizeof(*file));
	if (file)
		file->gz = gzdopen(fd, mode);
	if (file && file->gz)
		return file;
	*err = -ENOMEM;
	close(fd);
	free(file);
	return NULL;
}

static void file_free(struct gaudi_journal_file *file)
{
	free(file->data);
	free(file);
}

static void put(struct gaudi_journal_file *file, const void *data, size_t len)
{
	if (!file->err && len && gzwrite(file->gz, data, len) != (int)len)
		file->err = -EIO;
}

static unsigned int pack(uint8_t *to, uint64_t value)
{
	unsigned int n = 0;

	for (; value >= 0x80; value >>= 7)
		to[n++] = value | 0x80;
	to[n++] = value;
	return n;
}

void gaudi_journal_write(struct gaudi_journal_file *file,
			 const struct gaudi_journal_entry *entry)
{
	uint8_t head[2 + 10 * (GAUDI_JOURNAL_ARGS + 1)] = { entry->kind,
							    entry->card };
	unsigned int n = 2, i;

	for (i = 0; i < kinds[entry->kind].args; i++)
		n += pack(head + n, entry->arg[i]);
	if (kinds[entry->kind].has_data)
		n += pack(head + n, entry->len);
	put(file, head, n);
	if (kinds[entry->kind].has_data)
		put(file, entry->data, entry->len);
}

struct gaudi_journal_file *gaudi_journal_create(const char *path, int *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	struct gaudi_journal_file *file;

	/* Nothing of another one that is being written is lost. */
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB)) {
		*err = errno == EWOULDBLOCK ? -EBUSY : -errno;
		close(fd);
		return NULL;
	}
	if (fd >= 0 && ftruncate(fd, 0) && errno != EINVAL) {
		*err = -errno;
		close(fd);
		return NULL;
	}
	/* As little work as it can be. */
	file = file_new(fd, "wb1", err);
	if (file)
		put(file, GAUDI_JOURNAL_MAGIC, strlen(GAUDI_JOURNAL_MAGIC));
	return file;
}

void gaudi_journal_flush(struct gaudi_journal_file *file)
{
	if (!file->err && gzflush(file->gz, Z_SYNC_FLUSH) != Z_OK)
		file->err = -EIO;
}

int gaudi_journal_close(struct gaudi_journal_file *file)
{
	int err = file->err, rc = gzclose(file->gz);

	if (!err && rc != Z_OK && rc != Z_BUF_ERROR)
		err = -EIO;
	file_free(file);
	return err;
}

/* --- reading ---------------------------------------------------------------- */

/* 1, or 0 if the file ends before. */
static int get(struct gaudi_journal_file *file, void *to, size_t len)
{
	return !len || gzread(file->gz, to, len) == (int)len;
}

static int get_number(struct gaudi_journal_file *file, uint64_t *value)
{
	unsigned int shift;
	uint8_t byte;

	*value = 0;
	for (shift = 0; shift < 64; shift += 7) {
		if (!get(file, &byte, 1))
			return 0;
		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return 1;
	}
	return -EINVAL;
}

static int get_data(struct gaudi_journal_file *file,
		    struct gaudi_journal_entry *entry)
{
	uint64_t len;
	void *more;
	int rc;

	rc = get_number(file, &len);
	if (rc <= 0)
		return rc;
	if (len > MOST_DATA)
		return -EINVAL;
	if (len > file->room) {
		more = realloc(file->data, len);
		if (!more)
			return -ENOMEM;
		file->data = more;
		file->room = len;
	}
	entry->data = file->data;
	entry->len = len;
	return get(file, file->data, len);
}

struct gaudi_journal_file *gaudi_journal_open(const char *path, int *err)
{
	struct gaudi_journal_file *file = file_new(open(path, O_RDONLY |
							O_CLOEXEC), "rb", err);
	char magic[sizeof(GAUDI_JOURNAL_MAGIC)] = "";

	if (file && (!get(file, magic, sizeof(magic) - 1) ||
		     strcmp(magic, GAUDI_JOURNAL_MAGIC))) {
		gaudi_journal_close(file);
		*err = -EINVAL;
		file = NULL;
	}
	return file;
}

int gaudi_journal_read(struct gaudi_journal_file *file,
		       struct gaudi_journal_entry *entry)
{
	uint8_t head[2];
	unsigned int i;
	int rc = 1;

	*entry = (struct gaudi_journal_entry) { 0 };
	if (!get(file, head, sizeof(head)))
		return 0;
	entry->kind = head[0];
	entry->card = head[1];
	if (!gaudi_journal_name(entry->kind) ||
	    entry->card >= GAUDI_JOURNAL_CARDS)
		return -EINVAL;
	for (i = 0; rc > 0 && i < kinds[entry->kind].args; i++)
		rc = get_number(file, &entry->arg[i]);
	if (rc > 0 && kinds[entry->kind].has_data)
		rc = get_data(file, entry);
	return rc;
}

/* --- digests ---------------------------------------------------------------- */

uint32_t gaudi_journal_digest(uint32_t digest, const void *data, size_t len)
{
	return crc32_z(digest, data, len);
}

uint32_t gaudi_journal_events(struct gaudi_chip *chip, uint64_t *from,
			      uint32_t digest)
{
	const struct gaudi_recorder *r = &chip->recorder;
	const struct gaudi_record *e;
	uint64_t i = *from, what[5];

	if (r->next - i > r->mask)
		i = r->next - r->mask;
	for (; r->mask && i < r->next; i++) {
		e = &r->ring[i & r->mask];
		/* Its address is the host's time. */
		if (e->kind == GAUDI_TRACE_TURN)
			continue;
		what[0] = e->kind;
		what[1] = e->unit;
		what[2] = e->addr;
		what[3] = e->value;
		what[4] = e->size;
		digest = gaudi_journal_digest(digest, what, sizeof(what));
	}
	*from = r->next;
	return digest;
}

/* Pages of memory from at to end that are not the same as this one. */
static uint32_t digest_pages(const struct gaudi_memory *mem, uint64_t at,
			     uint64_t end, const uint8_t *same, uint32_t digest)
{
	for (; at < end; at += PAGE) {
		if (!memcmp(mem->ptr + at, same, PAGE))
			continue;
		digest = gaudi_journal_digest(digest, &at, sizeof(at));
		digest = gaudi_journal_digest(digest, mem->ptr + at, PAGE);
	}
	return digest;
}

uint32_t gaudi_journal_memory(const struct gaudi_memory *mem)
{
	static const uint8_t zeros[PAGE];
	uint32_t digest = 0;
	uint64_t at, end;
	uint8_t first[PAGE];
	bool filled;

	for (at = 0; gaudi_memory_next(mem, &at, &end, &filled); at = end) {
		if (!filled) {
			digest = digest_pages(mem, at, end, zeros, digest);
			continue;
		}
		/* All pages are the same, but for those that were written since. */
		memcpy(first, mem->ptr + at, PAGE);
		digest = gaudi_journal_digest(digest, &at, sizeof(at));
		digest = gaudi_journal_digest(digest, first, PAGE);
		digest = digest_pages(mem, at, end, first, digest);
	}
	return digest;
}
