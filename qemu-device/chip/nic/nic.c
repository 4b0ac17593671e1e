// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * NIC ports: what their queues can reach. A NIC QMAN's command processor rings
 * the doorbell of its port's send queues by a write at offset 0 of its window.
 *
 * There is no wire yet: a doorbell is refused, which the queue reports as a
 * failed register write, and is named in the fidelity report.
 */
#include <stdio.h>

#include "nic.h"
#include "../queues/queues.h"

#define DOORBELL		0x0u

static int nic_write(struct gaudi_chip *chip, unsigned int port, uint32_t off,
		     uint32_t value)
{
	char name[32];

	(void)value;
	if (off == DOORBELL || off == DOORBELL + 4)
		snprintf(name, sizeof(name), "NIC%u doorbell", port);
	else
		snprintf(name, sizeof(name), "NIC%u window+0x%x", port, off);
	gaudi_report_use(chip, "feature", name, GAUDI_UNIMPLEMENTED);
	return -EINVAL;
}

static const struct gaudi_engine_ops engine_ops = {
	.write = nic_write,
};

int gaudi_nic_init(struct gaudi_chip *chip)
{
	unsigned int i;

	for (i = 0; i < GAUDI_QMAN_TPC - GAUDI_QMAN_NIC; i++)
		gaudi_qman_attach(chip, GAUDI_QMAN_NIC + i, &engine_ops, i);
	return 0;
}

void gaudi_nic_fini(struct gaudi_chip *chip)
{
	(void)chip;
}
