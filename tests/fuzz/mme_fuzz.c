// SPDX-License-Identifier: GPL-2.0-only
/*
 * Descriptors of the matrix engines, of any words and that multiply, while engines are stalled and reset and memory changes. The second
 * card computes element by element.
 */
#include "ops.h"

const unsigned int harness_unit = sizeof(struct rec);

/* Offsets from GAUDI_MME_CTRL_BASE() and the like, by hand. */
#define RESET		0x288
#define ACC_STALL	0x028
#define SB_STALL	0x02c

static uint32_t ctrl(const struct rec *r)
{
	return 0x60000 + (r->unit & 3) * 0x80000;
}

static void op_stop(struct world_card *card, const struct rec *r)
{
	uint32_t n = (r->unit & 3) * 0x80000;

	if (r->sel % 3 == 0)
		reg_wr(card, 0x20000 + n + ACC_STALL, r->value & 1);
	else if (r->sel % 3 == 1)
		reg_wr(card, 0x40000 + n + SB_STALL, r->value & 1);
	else
		reg_wr(card, ctrl(r) + RESET, r->value & 1);
}

/* In whose name: with an ASID, or around the MMU. */
static void op_user(struct world_card *card, const struct rec *r)
{
	uint32_t n = (r->unit & 3) * 0x80000;

	reg_wr(card, 0x40000 + n + 0x34 + 4 * (r->sel & 1), r->value & 0x7ff);
	reg_wr(card, 0x20000 + n + 0x38, r->value & 0x7ff);
}

static op_fn * const ops[] = {
	op_mme_word, op_mme_word, op_mme_word, op_mme_base, op_mme_product,
	op_mme_product, op_mme_start, op_mme_start, op_run, op_stop, op_user, op_memory, op_reg_write, op_reset,
	op_packet, op_submit,
};

int harness_init(void)
{
	world_specify(2);
	return 0;
}

void harness_run(const uint8_t *data, size_t size)
{
	run_ops(data, size, ops, ARRAY_LEN(ops));
}
