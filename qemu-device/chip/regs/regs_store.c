// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Storage of registers; see regs.h. A card has some 40,000, of which a driver writes a
 * few thousand: what a page holds after power-on is there once for all cards of the
 * process, and a piece becomes a card's own when it is first written to.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "reg_table.h"
#include "regs_state.h"
#include "../snap/snap.h"

#define PIECE_BYTES		(4 * GAUDI_REG_PIECE)
#define LISTS			256

/* --- what is kept for all cards of the process -------------------------------- */

struct kept {
	struct kept *next;
	size_t size;
	uint64_t data[];
};

/*
 * By a hash of what they hold. They only grow, up to what tables and boards say: nothing
 * has to be locked, and fork() may come at any moment.
 */
static _Atomic(struct kept *) lists[LISTS];

static uint32_t hash_words(const uint32_t *word, size_t count)
{
	uint64_t hash = 0;

	while (count--)
		hash = (hash ^ *word++) * 0x9e3779b97f4a7c15ull;
	return hash >> 32;
}

/* What has these contents; NULL: no memory. Two threads may make the same thing twice. */
static const void *keep(const void *data, size_t size)
{
	unsigned int list = hash_words(data, size / 4) % LISTS;
	struct kept *first = atomic_load(&lists[list]), *k;

	for (k = first; k; k = k->next)
		if (k->size == size && !memcmp(k->data, data, size))
			return k->data;
	k = malloc(sizeof(*k) + size);
	if (!k)
		return NULL;
	k->size = size;
	memcpy(k->data, data, size);
	k->next = first;
	while (!atomic_compare_exchange_weak(&lists[list], &k->next, k))
		;
	return k->data;
}

/* NULL: no memory. */
static const struct gaudi_reg_image *keep_image(const uint32_t *value,
						const uint32_t *read_only)
{
	struct gaudi_reg_image image;
	unsigned int i;

	for (i = 0; i < GAUDI_PIECES; i++) {
		image.piece[i] = keep(value + i * GAUDI_REG_PIECE, PIECE_BYTES);
		if (!image.piece[i])
			return NULL;
	}
	memcpy(image.read_only, read_only, sizeof(image.read_only));
	return keep(&image, sizeof(image));
}

/* --- after power-on ----------------------------------------------------------- */

bool gaudi_is_prot_bits(const struct gaudi_family *f, uint32_t off)
{
	return off >= GAUDI_PROT_BITS_OFFSET && off < GAUDI_PAGE_SIZE &&
	       !(f->ops && f->ops->no_prot_bits);
}

bool gaudi_has_prot_bits(struct gaudi_chip *chip, uint32_t cfg_off)
{
	const struct gaudi_block *b = gaudi_block_at(chip, cfg_off);

	return b && gaudi_is_prot_bits(b->family,
				       (cfg_off | GAUDI_PROT_BITS_OFFSET) - b->base);
}

const struct gaudi_reg_row *gaudi_find_row(const struct gaudi_family *f,
					   uint32_t off, unsigned int *n)
{
	const struct gaudi_reg_row *r;
	size_t i;

	if (!f->table)
		return NULL;
	for (i = 0; i < f->table->count; i++) {
		r = &f->table->row[i];
		*n = (off - r->off) / r->stride;
		if (off >= r->off && *n < r->count &&
		    off == r->off + *n * r->stride)
			return r;
	}
	return NULL;
}

/*
 * Zero, but for what the block's table says, if the block is there at all, and
 * for the protection bits, which let everybody in.
 */
static uint32_t reset_value(struct gaudi_chip *chip, uint32_t cfg_off)
{
	const struct gaudi_block *b = gaudi_block_at(chip, cfg_off);
	const struct gaudi_reg_row *r;
	unsigned int n;

	if (!b)
		return 0;
	if (gaudi_is_prot_bits(b->family, cfg_off - b->base))
		return UINT32_MAX;
	r = b->ops ? gaudi_find_row(b->family, cfg_off - b->base, &n) : NULL;
	return r ? r->reset : 0;
}

/* What the table says of a page of zeros. */
static void apply_table(const struct gaudi_block *b, uint32_t page_off,
			uint32_t *value, uint32_t *read_only)
{
	const struct gaudi_reg_table *t = b->family->table;
	const struct gaudi_reg_row *r;
	unsigned int n;
	uint32_t i;

	for (r = t->row; r < t->row + t->count; r++) {
		if (!r->reset && r->access != GAUDI_ACCESS_RO)
			continue;
		for (n = 0; n < r->count; n++) {
			i = (r->off + n * r->stride - page_off) / 4;
			if (i >= GAUDI_PAGE_REGS)
				continue;
			value[i] = r->reset;
			if (r->access == GAUDI_ACCESS_RO)
				read_only[i / 32] |= 1u << i % 32;
		}
	}
}

static const struct gaudi_reg_image *image_at(struct gaudi_chip *chip,
					      uint32_t cfg_off)
{
	uint32_t value[GAUDI_PAGE_REGS] = {}, read_only[GAUDI_PAGE_REGS / 32] = {};
	const uint32_t first = GAUDI_PROT_BITS_OFFSET / 4;
	const struct gaudi_block *b = gaudi_block_at(chip, cfg_off);

	if (b && b->ops && b->family->table)
		apply_table(b, (cfg_off & ~(GAUDI_PAGE_SIZE - 1)) - b->base,
			    value, read_only);
	if (gaudi_has_prot_bits(chip, cfg_off))
		memset(value + first, 0xff,
		       (GAUDI_PAGE_REGS - first) * sizeof(*value));
	return keep_image(value, read_only);
}

/* --- pages ------------------------------------------------------------------- */

static void drop_own(struct gaudi_reg_page *page)
{
	unsigned int i;

	for (i = 0; i < GAUDI_PIECES; i++)
		if (page->own >> i & 1)
			free((uint32_t *)page->values.piece[i]);
	page->own = 0;
}

/* As after power-on. */
static void reset_page(struct gaudi_reg_page *page)
{
	drop_own(page);
	memcpy(page->values.piece, page->image->piece,
	       sizeof(page->values.piece));
	page->written = false;
}

void gaudi_reg_page_free(struct gaudi_reg_page *page)
{
	unsigned int i;

	if (!page)
		return;
	drop_own(page);
	for (i = 0; i < GAUDI_PIECES; i++)
		free(page->used[i]);
	free(page);
}

struct gaudi_reg_page *gaudi_reg_page_new(struct gaudi_chip *chip,
					  uint32_t cfg_off)
{
	static const uint32_t none[GAUDI_PAGE_REGS / 32];
	struct gaudi_reg_page *page = calloc(1, sizeof(*page));

	if (!page)
		return NULL;
	page->image = image_at(chip, cfg_off);
	if (!page->image) {
		free(page);
		return NULL;
	}
	if (memcmp(page->image->read_only, none, sizeof(none)))
		page->read_only = page->image->read_only;
	reset_page(page);
	chip->regs->page[cfg_off >> GAUDI_PAGE_SHIFT] = page;
	return page;
}

static bool is_own(const struct gaudi_reg_page *page, unsigned int i)
{
	return page->own >> i / GAUDI_REG_PIECE & 1;
}

/* Register i of the page, to be written only if it is in a piece of its own. */
static uint32_t *place(const struct gaudi_reg_page *page, unsigned int i)
{
	return (uint32_t *)page->values.piece[i / GAUDI_REG_PIECE] +
	       i % GAUDI_REG_PIECE;
}

/* The register's piece becomes the page's own. False: no memory. */
static bool make_own(struct gaudi_regs *regs, uint32_t cfg_off,
		     struct gaudi_reg_page *page)
{
	unsigned int i = gaudi_reg_index(cfg_off) / GAUDI_REG_PIECE;
	uint32_t *piece = malloc(PIECE_BYTES);

	if (!piece)
		return false;
	memcpy(piece, page->values.piece[i], PIECE_BYTES);
	page->values.piece[i] = piece;
	page->own |= 1u << i;
	if (!page->written)
		regs->written[regs->num_written++] = cfg_off >> GAUDI_PAGE_SHIFT;
	page->written = true;
	return true;
}

uint32_t gaudi_store_read(struct gaudi_chip *chip, uint32_t cfg_off)
{
	struct gaudi_reg_page *page;

	if (cfg_off >= GAUDI_CFG_SIZE)
		return 0;
	page = chip->regs->page[cfg_off >> GAUDI_PAGE_SHIFT];
	return page ? gaudi_page_reg(&page->values, cfg_off) :
		      reset_value(chip, cfg_off);
}

void gaudi_store_write(struct gaudi_chip *chip, uint32_t cfg_off,
		       uint32_t value)
{
	struct gaudi_reg_page *page = gaudi_reg_page_at(chip, cfg_off);
	unsigned int i = gaudi_reg_index(cfg_off);

	if (!page)
		return;
	if (is_own(page, i) ||
	    (gaudi_page_reg(&page->values, cfg_off) != value &&
	     make_own(chip->regs, cfg_off, page)))
		*place(page, i) = value;
}

void gaudi_store_read_run(struct gaudi_chip *chip, uint32_t cfg_off,
			  uint32_t *values, unsigned int count)
{
	const struct gaudi_reg_page *page;
	unsigned int n, i;

	for (; count; cfg_off += 4 * n, values += n, count -= n) {
		n = gaudi_in_piece(cfg_off, count);
		page = gaudi_reg_page_at(chip, cfg_off);
		i = gaudi_reg_index(cfg_off);
		if (page)
			memcpy(values, page->values.piece[i / GAUDI_REG_PIECE] +
			       i % GAUDI_REG_PIECE, n * sizeof(*values));
		else
			for (i = 0; i < n; i++)
				values[i] = gaudi_store_read(chip, cfg_off + 4 * i);
	}
}

const struct gaudi_reg_values *gaudi_store_page(struct gaudi_chip *chip,
						uint32_t cfg_off)
{
	const struct gaudi_reg_page *page = gaudi_reg_page_at(chip, cfg_off);

	return page ? &page->values : NULL;
}

bool gaudi_store_write_run(struct gaudi_chip *chip, uint32_t cfg_off,
			   const uint32_t *values, unsigned int count)
{
	struct gaudi_reg_page *page;
	bool all = true;
	unsigned int n, i;

	for (; count; cfg_off += 4 * n, values += n, count -= n) {
		n = gaudi_in_piece(cfg_off, count);
		page = gaudi_reg_page_at(chip, cfg_off);
		i = gaudi_reg_index(cfg_off);
		if (page && !is_own(page, i) &&
		    !memcmp(place(page, i), values, 4 * n))
			continue;
		if (page && (is_own(page, i) || make_own(chip->regs, cfg_off, page)))
			memcpy(place(page, i), values, 4 * n);
		else
			all = false;
	}
	return all;
}

static void all_values(struct gaudi_chip *chip, unsigned int page,
		       uint32_t value[GAUDI_PAGE_REGS])
{
	gaudi_store_read_run(chip, page << GAUDI_PAGE_SHIFT, value,
			     GAUDI_PAGE_REGS);
}

int gaudi_regs_keep(struct gaudi_chip *chip)
{
	const struct gaudi_reg_image *image;
	struct gaudi_regs *regs = chip->regs;
	uint32_t value[GAUDI_PAGE_REGS];
	struct gaudi_reg_page *page;
	unsigned int i;

	while (regs->num_written) {
		i = regs->written[--regs->num_written];
		page = regs->page[i];
		all_values(chip, i, value);
		image = keep_image(value, page->image->read_only);
		if (!image)
			return -ENOMEM;
		page->image = image;
		reset_page(page);
	}
	return 0;
}

int gaudi_regs_values(struct gaudi_chip *chip)
{
	const struct gaudi_regs *regs = chip->regs;
	const struct gaudi_block *b;
	unsigned int i;

	for (i = 0; i < regs->num_blocks; i++) {
		b = &regs->block[i];
		if (!b->ops || !b->ops->values)
			continue;
		if (!gaudi_reg_page_at(chip, b->base))
			return -ENOMEM;
		b->ops->values(chip, b->inst);
	}
	return gaudi_regs_keep(chip);
}

void gaudi_regs_reset(struct gaudi_chip *chip)
{
	struct gaudi_regs *regs = chip->regs;
	const struct gaudi_block *b;
	unsigned int i;

	while (regs->num_written)
		reset_page(regs->page[regs->written[--regs->num_written]]);
	for (i = 0; i < regs->num_blocks; i++) {
		b = &regs->block[i];
		if (b->ops && b->ops->reset)
			b->ops->reset(chip, b->inst);
	}
}

/* --- a snapshot ------------------------------------------------------------ */

/* The pages that were written since the reset; all others are as that left them. */
void gaudi_regs_snap(struct gaudi_snap *s)
{
	struct gaudi_regs *regs = s->chip->regs;
	uint32_t count = regs->num_written, i, value[GAUDI_PAGE_REGS];
	uint16_t n;

	GAUDI_SNAP(s, count);
	for (i = 0; i < count && !s->err; i++) {
		n = s->load ? 0 : regs->written[i];
		GAUDI_SNAP(s, n);
		if (!gaudi_snap_check(s, n < GAUDI_CFG_PAGES, "no such page") ||
		    !gaudi_snap_check(s, gaudi_reg_page_at(s->chip, n << GAUDI_PAGE_SHIFT),
				      "no memory for a page"))
			return;
		all_values(s->chip, n, value);
		GAUDI_SNAP_ARRAY(s, value);
		if (s->load)
			gaudi_snap_check(s, gaudi_store_write_run(s->chip,
					 n << GAUDI_PAGE_SHIFT, value, GAUDI_PAGE_REGS),
					 "no memory for a page");
	}
}
