// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page tables of any contents, accesses through them by DMA cores and queues,
 * invalidations, protection ranges.
 */
#include "ops.h"

const unsigned int harness_unit = sizeof(struct rec);

static op_fn * const ops[] = {
	op_pte, op_pte, op_pte, op_asid, op_dma, op_invalidate, op_packet,
	op_submit, op_memory, op_run, op_reg_write, op_window, op_pte, op_dma,
	op_packet, op_reset,
};

int harness_init(void)
{
	return 0;
}

void harness_run(const uint8_t *data, size_t size)
{
	run_ops(data, size, ops, ARRAY_LEN(ops));
}
