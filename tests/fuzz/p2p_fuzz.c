// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cards that reach each other, and themselves, through the host's bus: DMA and
 * messages to BARs, while these move and the cards are reset.
 */
#include "ops.h"

const unsigned int harness_unit = sizeof(struct rec);

static op_fn * const ops[] = {
	op_packet, op_packet, op_submit, op_dma, op_dma, op_monitor,
	op_move_bar, op_bus_master, op_run, op_advance, op_window,
	op_reg_write, op_memory, op_submit, op_packet, op_reset,
};

int harness_init(void)
{
	return 0;
}

void harness_run(const uint8_t *data, size_t size)
{
	run_ops(data, size, ops, ARRAY_LEN(ops));
}
