// SPDX-License-Identifier: GPL-2.0-only
/*
 * Descriptors of the matrix engines: words of any value around descriptors that
 * multiply.
 */
#include "ops.h"

/* Offsets from GAUDI_MME_CTRL_BASE() and the like, by hand. */
#define ARCH		0x008
#define WORDS		136
#define HEADER		0x020
#define CMD		0x280
#define OPERAND(n)	(0x03c + (n) * 0x70 + ((n) == 2 ? 0x24 : 0))

static uint32_t ctrl(const struct rec *r)
{
	return 0x60000 + (r->unit & 3) * 0x80000;
}

/* Numbers that a descriptor may have, and others. */
static uint32_t shaped(const struct rec *r)
{
	switch (r->flags % 6) {
	case 0:
		return r->value;
	case 1:
		return r->value % 16;
	case 2:
		return -(r->value % 300);
	case 3:
		return 1u << r->value % 32;
	case 4:
		return (1u << r->value % 32) - 1;
	default:
		return r->value % 2000;
	}
}

void op_mme_word(struct world_card *card, const struct rec *r)
{
	engine_wr(card, ctrl(r) + ARCH + r->sel % WORDS * 4, shaped(r));
}

void op_mme_base(struct world_card *card, const struct rec *r)
{
	uint64_t addr = any_addr(r->sel, r->addr);
	uint32_t op = r->value % 3 * 4;

	engine_wr(card, ctrl(r) + ARCH + op, addr >> 32);
	engine_wr(card, ctrl(r) + 0x14 + op, addr);
}

static void tensor(struct world_card *card, uint32_t at, uint32_t inner,
		   uint32_t rows)
{
	uint32_t i, stride[5] = { 1, inner, inner * rows, 1, 1 };

	for (i = 0; i < 5; i++) {
		engine_wr(card, at + 4 * i, i ? stride[i] * rows : inner);
		engine_wr(card, at + 0x14 + 4 * i, stride[i]);
		if (i < 4)
			engine_wr(card, at + 0x28 + 4 * i, stride[i] * inner);
		if (i)
			engine_wr(card, at + 0x38 + 4 * (i - 1), stride[i]);
	}
}

/* A product that can be done, of sizes in addr and with a header in value. */
void op_mme_product(struct world_card *card, const struct rec *r)
{
	uint32_t base = ctrl(r), i, k = 1 + (r->addr & 0x3f);
	uint32_t header = (r->value & ~(1u << 30)) | 1u << 19;

	for (i = 0; i < WORDS; i++)
		engine_wr(card, base + ARCH + 4 * i, 0);
	for (i = 0; i < 3; i++)
		engine_wr(card, base + 0x14 + 4 * i,
		       (uint32_t)(r->addr >> 16) % (HBM_SIZE / 2) +
		       0x20000 * i);
	engine_wr(card, base + HEADER, header);
	engine_wr(card, base + HEADER + 4, 3u << 30 | r->addr >> 40);
	engine_wr(card, base + 0x28, r->flags & 3);
	engine_wr(card, base + 0x2c, 0x016d016d);
	engine_wr(card, base + 0x30, 0x016d016d);
	engine_wr(card, base + 0x38, 0x16d);
	engine_wr(card, base + 0x1d4, 0xc000c000);
	tensor(card, base + OPERAND(0), k, 64);
	tensor(card, base + OPERAND(1), header & 2 ? k : 70, k);
	tensor(card, base + OPERAND(2), 70, 64);
	engine_wr(card, base + OPERAND(0) + 0x48, k - 1);
	engine_wr(card, base + OPERAND(1) + 0x48, k - 1);
	engine_wr(card, base + OPERAND(2) + 0x48, r->sel % 32);
	engine_wr(card, base + 0x28 + 0, r->sel & 1);
}

void op_mme_start(struct world_card *card, const struct rec *r)
{
	unsigned int i;

	for (i = 0; i <= r->flags % 6u; i++)
		engine_wr(card, ctrl(r) + CMD, 1);
}
