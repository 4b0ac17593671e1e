// SPDX-License-Identifier: GPL-2.0-only
#include "tpc_card.h"
#include "exec/tpc_host.h"

static const uint8_t halt[32] = {
	[0] = 0x20, [6] = 0x01, [14] = 0x80, [15] = 0x0f,
	[17] = 0xf0, [18] = 0x01,
};
static const uint8_t nop[32] = {
	[0] = 0x3f, [5] = 0xf8, [6] = 0x01, [14] = 0x80, [15] = 0x0f,
	[17] = 0xf0, [18] = 0x01,
};

void put_kernel(struct card *card, unsigned int words)
{
	uint8_t *p = card_hbm(card) + KERNEL;

	for (; words; words--, p += sizeof(nop))
		memcpy(p, nop, sizeof(nop));
	memcpy(p, halt, sizeof(halt));
}

void put_object(struct card *card, const char *name)
{
	uint8_t code[8192];
	size_t len = tpc_kernel(name, code, sizeof(code));

	memcpy(card_hbm(card) + KERNEL, code, len);
}

void put_tensor(struct card *card, uint32_t tpc, unsigned int t, uint64_t addr,
		uint32_t rows)
{
	const uint32_t words[14] = {
		(uint32_t)addr, addr >> 32, 0, 7 | 0x1f << 8 | 4 << 16,
		100, 1, rows, 100, 1, 100 * rows, 1, 100 * rows, 1, 100 * rows,
	};
	unsigned int i;

	for (i = 0; i < 14; i++)
		wr(card, tpc + 0xa00 + 56 * t + 4 * i, words[i]);
}

void set_bits(uint8_t *word, unsigned int first, unsigned int width,
	      uint32_t value)
{
	unsigned int i;

	for (i = first; i < first + width; i++, value >>= 1)
		word[i / 8] = (word[i / 8] & ~(1u << i % 8)) |
			      (value & 1) << i % 8;
}

void prepare(struct card *card, uint32_t tpc, uint64_t kernel, unsigned int n)
{
	wr(card, tpc + ARUSER, 1 << 10);
	wr(card, tpc + BASE_LO, (uint32_t)kernel);
	wr(card, tpc + BASE_HI, kernel >> 32);
	wr(card, tpc + SM_HIGH, (CFG + SM_E_N) >> 32);
	wr(card, tpc + SO_ADDR, (uint32_t)(CFG + SM_E_N + SOB(n)));
	wr(card, tpc + MESSAGE, 0x80000001);
}
