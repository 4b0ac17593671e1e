/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* For regs.c and regs_store.c: what is behind chip->regs. */
#ifndef GAUDI_REGS_STATE_H
#define GAUDI_REGS_STATE_H

#include "regs.h"

#define GAUDI_CFG_PAGES		(GAUDI_CFG_SIZE >> GAUDI_PAGE_SHIFT)
#define GAUDI_PAGE_REGS		(GAUDI_PAGE_SIZE / 4)

/* What a page holds after power-on: one for all cards of the process, and for ever. */
struct gaudi_reg_image {
	const uint32_t *piece[GAUDI_PIECES];
	uint32_t read_only[GAUDI_PAGE_REGS / 32];	/* a bit for each */
};

/* Storage of one 4 KiB page of registers, made at the first access. */
struct gaudi_reg_page {
	/* The image's pieces, but for those that were written: see own. */
	struct gaudi_reg_values values;
	/* Accesses, saturating, of each register of a piece; NULL: there were none. */
	uint32_t *used[GAUDI_PIECES];
	const struct gaudi_reg_image *image;
	const uint32_t *read_only;	/* the image's; NULL: there is none such */
	uint16_t own;			/* pieces that are this page's: bits */
	bool written;			/* since the last reset */
};

_Static_assert(GAUDI_PIECES <= 16, "a bit of own for each");

/* An instance of a block, as the table of families expands to. */
struct gaudi_block {
	const struct gaudi_family *family;
	const struct gaudi_block_ops *ops;	/* NULL: storage */
	uint32_t base;
	uint16_t inst;				/* number given to ops */
	uint16_t index;				/* number in the name */
};

struct gaudi_regs {
	struct gaudi_reg_page *page[GAUDI_CFG_PAGES];
	uint16_t written[GAUDI_CFG_PAGES];	/* pages, in that order */
	unsigned int num_written;
	uint16_t block_of[GAUDI_CFG_PAGES];	/* index + 1; 0: none */
	const struct gaudi_family *family;
	size_t num_families;
	struct gaudi_block *block;
	unsigned int num_blocks;
};

static inline const struct gaudi_block *gaudi_block_at(const struct gaudi_chip *chip,
						       uint32_t cfg_off)
{
	uint16_t n = chip->regs->block_of[cfg_off >> GAUDI_PAGE_SHIFT];

	return n ? &chip->regs->block[n - 1] : NULL;
}

static inline unsigned int gaudi_reg_index(uint32_t cfg_off)
{
	return (cfg_off & (GAUDI_PAGE_SIZE - 1)) / 4;
}

/* How many registers from this one on, count at most, are in one piece. */
static inline unsigned int gaudi_in_piece(uint32_t cfg_off, unsigned int count)
{
	unsigned int n = GAUDI_REG_PIECE -
			 gaudi_reg_index(cfg_off) % GAUDI_REG_PIECE;

	return n < count ? n : count;
}

/* --- regs_store.c ----------------------------------------------------------- */

/* The words at the end of a block's page that guard its registers. */
bool gaudi_is_prot_bits(const struct gaudi_family *f, uint32_t off);
/* The row of a register, and which of those that it stands for; NULL: none. */
const struct gaudi_reg_row *gaudi_find_row(const struct gaudi_family *f,
					   uint32_t off, unsigned int *n);
/* The first access to it; NULL: no memory. */
struct gaudi_reg_page *gaudi_reg_page_new(struct gaudi_chip *chip,
					  uint32_t cfg_off);

/* NULL: no memory for the page, or nothing at this offset. */
static inline struct gaudi_reg_page *gaudi_reg_page_at(struct gaudi_chip *chip,
						       uint32_t cfg_off)
{
	struct gaudi_reg_page *page;

	if (cfg_off >= GAUDI_CFG_SIZE)
		return NULL;
	page = chip->regs->page[cfg_off >> GAUDI_PAGE_SHIFT];
	return page ? page : gaudi_reg_page_new(chip, cfg_off);
}

void gaudi_reg_page_free(struct gaudi_reg_page *page);
/* What all pages hold now is what they hold after power-on. 0 or -ENOMEM. */
int gaudi_regs_keep(struct gaudi_chip *chip);

#endif /* GAUDI_REGS_STATE_H */
