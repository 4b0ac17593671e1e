// SPDX-License-Identifier: GPL-2.0-only
/*
 * Command buffers: packets of every kind, in every queue, with registers that
 * change meanwhile.
 */
#include "ops.h"

const unsigned int harness_unit = sizeof(struct rec);

static op_fn * const ops[] = {
	op_packet, op_packet, op_packet, op_packet, op_submit, op_submit,
	op_raw_packet, op_packet, op_submit, op_run, op_advance, op_monitor,
	op_reg_write, op_memory, op_doorbell, op_reset,
};

int harness_init(void)
{
	return 0;
}

void harness_run(const uint8_t *data, size_t size)
{
	run_ops(data, size, ops, ARRAY_LEN(ops));
}
