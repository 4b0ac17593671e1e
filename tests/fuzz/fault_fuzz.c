// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults on demand in cards that work: any text, in any order, with programs,
 * commands and a boot by the dynamic loader meanwhile.
 */
#include "ops.h"

const unsigned int harness_unit = sizeof(struct rec);

static op_fn * const ops[] = {
	op_fault, op_fault, op_fault, op_fault_text, op_packet, op_packet,
	op_submit, op_command, op_cpu_queue, op_advance, op_dma, op_reg_read,
	op_comms, op_comms, op_image, op_reset,
};

int harness_init(void)
{
	world_firmware(1, 2);
	return load_images();
}

void harness_run(const uint8_t *data, size_t size)
{
	run_ops(data, size, ops, ARRAY_LEN(ops));
}
