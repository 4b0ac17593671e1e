/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State of the engines: pool, QMANs, command processors, DMA cores, sync
 * managers, and the status of TPC, MME and NIC.
 */
#ifndef GAUDI_ENGINES_STATE_H
#define GAUDI_ENGINES_STATE_H

struct gaudi_engines {
	uint64_t ready[GAUDI_MAX_ACTORS / 64];
};

#endif /* GAUDI_ENGINES_STATE_H */
