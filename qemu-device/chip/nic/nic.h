/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NIC ports: what is behind their queues (nic.c). Under chip->lock; no state
 * yet, as there is no wire.
 */
#ifndef GAUDI_NIC_H
#define GAUDI_NIC_H

#include "../core/core.h"

int gaudi_nic_init(struct gaudi_chip *chip);
void gaudi_nic_fini(struct gaudi_chip *chip);

#endif /* GAUDI_NIC_H */
