// SPDX-License-Identifier: GPL-2.0-only
/*
 * The embedded CPU: boot protocol, images, commands, events. The first card
 * boots from flash, so that its commands are soon served; the second one has
 * the static loader.
 */
#include "ops.h"

const unsigned int harness_unit = sizeof(struct rec);

static op_fn * const ops[] = {
	op_boot_reg, op_image, op_cpu_queue, op_command, op_command,
	op_command, op_event, op_run, op_advance, op_reg_write, op_memory,
	op_command, op_cpu_queue, op_image, op_bus_master, op_reset,
};

int harness_init(void)
{
	world_firmware(1, 0);
	return load_images();
}

void harness_run(const uint8_t *data, size_t size)
{
	run_ops(data, size, ops, ARRAY_LEN(ops));
}
