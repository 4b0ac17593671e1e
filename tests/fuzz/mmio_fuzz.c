// SPDX-License-Identifier: GPL-2.0-only
/*
 * Accesses of the host: BARs in all sizes, ELBI, registers of every block, the
 * HBM window, resets, time.
 */
#include "ops.h"

const unsigned int harness_unit = sizeof(struct rec);

static op_fn * const ops[] = {
	op_reg_write, op_reg_read, op_bar_write, op_bar_read, op_elbi,
	op_reg_write, op_window, op_run, op_advance, op_reset, op_monitor,
	op_doorbell, op_dma, op_memory, op_reg_write, op_bar_write,
};

int harness_init(void)
{
	return 0;
}

void harness_run(const uint8_t *data, size_t size)
{
	run_ops(data, size, ops, ARRAY_LEN(ops));
}
