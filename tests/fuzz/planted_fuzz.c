// SPDX-License-Identifier: GPL-2.0-only
/*
 * A harness with an error in it, which the suite wants to be found: when a
 * monitor has raised an interrupt, it reads beyond the end of its memory.
 */
#include "ops.h"

const unsigned int harness_unit = sizeof(struct rec);

static op_fn * const ops[] = {
	op_monitor, op_reg_write, op_reg_read, op_run,
};

int harness_init(void)
{
	return 0;
}

void harness_run(const uint8_t *data, size_t size)
{
	uint64_t before = world.msis;
	volatile uint8_t *end = malloc(size + 1);

	run_ops(data, size, ops, ARRAY_LEN(ops));
	end[size] = 0;
	if (world.msis != before)
		end[size] = end[size + 1];
	free((void *)end);
}
