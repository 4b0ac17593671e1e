// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * HBM and SRAM in a snapshot: pieces of what is not zero, and of HBM whole chunks that
 * show a pattern. To read a page that is not there would make the host take one, so holes
 * of the file are not looked at.
 */
#define _GNU_SOURCE
#include <unistd.h>

#include "snap.h"

#define VERSION		1u
#define PIECE		(64u << 10)

enum kind { DATA, PATTERN, END };

struct piece {
	uint32_t kind;			/* enum kind */
	uint32_t sram;			/* 1, or 0: HBM */
	uint64_t at;
	uint64_t pattern;
	uint32_t len;
};

static void piece_fields(struct gaudi_snap *s, struct piece *p)
{
	GAUDI_SNAP(s, p->kind);
	GAUDI_SNAP(s, p->sram);
	GAUDI_SNAP(s, p->at);
	GAUDI_SNAP(s, p->pattern);
	GAUDI_SNAP(s, p->len);
}

static struct gaudi_memory *memory_of(struct gaudi_snap *s, uint32_t sram)
{
	return sram ? &s->chip->sram : &s->chip->hbm;
}

/* --- saving ----------------------------------------------------------------- */

static void save_piece(struct gaudi_snap *s, struct piece p)
{
	struct gaudi_memory *mem = memory_of(s, p.sram);

	gaudi_snap_begin(s, "memory", VERSION);
	piece_fields(s, &p);
	if (p.kind == DATA)
		gaudi_snap_field(s, mem->ptr + p.at, 1, p.len);
	gaudi_snap_end(s);
}

static bool is_zero(const uint8_t *ptr, size_t len)
{
	return !len || (!*ptr && !memcmp(ptr, ptr + 1, len - 1));
}

/* What of from..to - 1 is not zero. */
static void save_data(struct gaudi_snap *s, uint32_t sram, uint64_t from,
		      uint64_t to)
{
	const uint8_t *mem = memory_of(s, sram)->ptr;
	struct piece p = { .kind = DATA, .sram = sram };

	for (p.at = from; p.at < to && !s->err; p.at += p.len) {
		p.len = PIECE - p.at % PIECE;
		if (p.len > to - p.at)
			p.len = to - p.at;
		if (!is_zero(mem + p.at, p.len))
			save_piece(s, p);
	}
}

static uint64_t word_at(const uint8_t *chunk, unsigned int quarter)
{
	uint64_t word;

	memcpy(&word, chunk + quarter * (GAUDI_MEMORY_CHUNK / 4), sizeof(word));
	return word;
}

/* What most of a chunk shows. If it is not, there is more to save, and no harm done. */
static uint64_t pattern_of(const uint8_t *chunk)
{
	uint64_t word = word_at(chunk, 1);

	return word == word_at(chunk, 3) ? word : word_at(chunk, 2);
}

/* Pages that were written since the chunk was filled; of them there are few. */
static void save_chunk(struct gaudi_snap *s, uint64_t at)
{
	const uint8_t *mem = s->chip->hbm.ptr;
	uint8_t page[GAUDI_PAGE_SIZE];
	struct piece p = { .kind = PATTERN, .at = at, .len = GAUDI_MEMORY_CHUNK,
			   .pattern = pattern_of(mem + at) };
	uint64_t end = at + GAUDI_MEMORY_CHUNK;

	save_piece(s, p);
	gaudi_fill_words(page, p.pattern, 0, sizeof(page));
	p.kind = DATA;
	p.len = sizeof(page);
	for (p.at = at; p.at < end && !s->err; p.at += p.len)
		if (memcmp(mem + p.at, page, p.len))
			save_piece(s, p);
}

static void save_memory(struct gaudi_snap *s, uint32_t sram)
{
	const struct gaudi_memory *mem = memory_of(s, sram);
	uint64_t at, end;
	bool filled;

	for (at = 0; !s->err && gaudi_memory_next(mem, &at, &end, &filled);
	     at = end) {
		if (filled)
			save_chunk(s, at);
		else
			save_data(s, sram, at, end);
	}
}

/* --- loading ---------------------------------------------------------------- */

static void load_data(struct gaudi_snap *s, const struct piece *p)
{
	uint8_t bytes[PIECE];
	uint64_t at = p->at, end = p->at + p->len;
	size_t n;

	for (; at < end && !s->err; at += n) {
		n = end - at < PIECE ? end - at : PIECE;
		gaudi_snap_field(s, bytes, 1, n);
		if (!s->err)
			gaudi_memory_write(memory_of(s, p->sram), at, bytes, n);
	}
}

static void load_piece(struct gaudi_snap *s, const struct piece *p)
{
	struct gaudi_memory *mem = memory_of(s, p->sram);
	struct gaudi_span span = { .len = p->len, .write = true };

	if (!gaudi_snap_check(s, p->sram <= 1 && p->kind < END && p->len &&
			      p->at < mem->size && p->len <= mem->size - p->at,
			      "a piece of no memory"))
		return;
	span.ptr = mem->ptr + p->at;
	if (p->kind == DATA)
		load_data(s, p);
	else if (gaudi_snap_check(s, !p->sram && p->len == GAUDI_MEMORY_CHUNK &&
				  p->at % GAUDI_MEMORY_CHUNK == 0, "a pattern that is no chunk"))
		gaudi_bus_fill(s->chip, &span, p->pattern, 0, p->len);
}

static void load_memory(struct gaudi_snap *s)
{
	struct piece p = { .kind = DATA };

	while (!s->err && p.kind != END) {
		gaudi_snap_begin(s, "memory", VERSION);
		piece_fields(s, &p);
		if (p.kind != END)
			load_piece(s, &p);
		gaudi_snap_end(s);
	}
}

void gaudi_snap_memory(struct gaudi_snap *s)
{
	if (s->load) {
		load_memory(s);
		return;
	}
	if (!gaudi_memory_file_is_ours(&s->chip->hbm) ||
	    !gaudi_memory_file_is_ours(&s->chip->sram))
		gaudi_snap_refuse(s, "the program has closed the files of its memory");
	if (s->dry)
		return;
	save_memory(s, 0);
	save_memory(s, 1);
	save_piece(s, (struct piece){ .kind = END });
}
