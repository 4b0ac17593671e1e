// SPDX-License-Identifier: GPL-2.0-only
#include "page_tables.h"

static const unsigned int hop_shift[5] = { 48, 39, 30, 21, 12 };

uint64_t *pte_at(struct card *card, uint64_t table, unsigned int hop,
		 uint64_t va)
{
	unsigned int i = va >> hop_shift[hop] & (hop ? 511 : 3);

	return (uint64_t *)(card_hbm(card) + table) + i;
}

uint64_t *map(struct tables *t, unsigned int asid, uint64_t va, uint64_t pa,
	      unsigned int last)
{
	uint64_t table = HOP0(asid), *pte;
	unsigned int hop;

	for (hop = 0; hop < last; hop++) {
		pte = pte_at(t->card, table, hop, va);
		if (!(*pte & PRESENT)) {
			*pte = t->next | PRESENT;
			t->next += 0x1000;
		}
		table = *pte & ~0xfffull;
	}
	pte = pte_at(t->card, table, last, va);
	*pte = pa | PRESENT | LAST;
	return pte;
}

void set_hop0(struct card *card, unsigned int asid)
{
	wr(card, 0xc12004, asid);
	wr(card, 0xc12008, HOP0(asid) >> 12);
	wr(card, 0xc1200c, HOP0(asid) >> 44);
	wr_settle(card, 0xc12000, 0x80000000);
	assert_int_equal(rd(card, 0xc12000) >> 31, 0);
}

void mmu_init(struct card *card)
{
	set_hop0(card, 0);
	set_hop0(card, 1);
	wr(card, 0xc12014, 0x1bf00000 >> 8);
	wr(card, 0xc12050, 1);
	wr(card, 0xc1100c, 1);
	wr(card, 0xc1102c, 0xf);
	wr(card, 0xc12024, 0x30440);
}
