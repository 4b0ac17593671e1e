/* SPDX-License-Identifier: GPL-2.0-only */
/* Page tables of the host MMU, in HBM. */
#ifndef TEST_PAGE_TABLES_H
#define TEST_PAGE_TABLES_H

#include "../card.h"

#define PT_BASE		0x10000000ull
#define HOP0(asid)	(PT_BASE + (asid) * 0x1000)
#define PT_POOL		0x10100000ull
#define PRESENT		1ull
#define LAST		0x800ull

struct tables {
	struct card *card;
	uint64_t next;		/* free table, from PT_POOL on */
};

/* Two address spaces, 0 and 1, with nothing in them. */
void mmu_init(struct card *card);
void set_hop0(struct card *card, unsigned int asid);
/* last: hop of the leaf; 4: 4 KiB, 3: 2 MiB. Returns the leaf. */
uint64_t *map(struct tables *t, unsigned int asid, uint64_t va, uint64_t pa,
	      unsigned int last);
uint64_t *pte_at(struct card *card, uint64_t table, unsigned int hop,
		 uint64_t va);

#endif /* TEST_PAGE_TABLES_H */
