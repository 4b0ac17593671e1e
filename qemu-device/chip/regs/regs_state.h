/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* For regs.c: what is behind chip->regs. */
#ifndef GAUDI_REGS_STATE_H
#define GAUDI_REGS_STATE_H

#include "regs.h"

#define GAUDI_CFG_PAGES		(GAUDI_CFG_SIZE >> GAUDI_PAGE_SHIFT)
#define GAUDI_PAGE_REGS		(GAUDI_PAGE_SIZE / 4)

/* Accesses of registers that are side by side are counted together. */
#define GAUDI_USED_GROUP	64

/* Storage of one 4 KiB page of registers, made at the first access. */
struct gaudi_reg_page {
	uint32_t value[GAUDI_PAGE_REGS];
	/* Accesses, saturating; NULL: there were none. */
	uint32_t *used[GAUDI_PAGE_REGS / GAUDI_USED_GROUP];
	uint32_t read_only[GAUDI_PAGE_REGS / 32];	/* a bit for each */
	uint32_t *initial;		/* after power-on; NULL: as the table says */
	bool written;				/* since the last reset */
};

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

#endif /* GAUDI_REGS_STATE_H */
