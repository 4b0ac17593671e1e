/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Sync managers: sync objects and monitors (sync.c). Others reach them by their
 * registers only. Under chip->lock.
 */
#ifndef GAUDI_SYNC_H
#define GAUDI_SYNC_H

#include "../core/core.h"
#include "../regs/regs.h"

extern const struct gaudi_block_ops gaudi_sync_mngr_ops;

int gaudi_sync_init(struct gaudi_chip *chip);
void gaudi_sync_fini(struct gaudi_chip *chip);
struct gaudi_snap;
/* The room's part of a snapshot. */
void gaudi_sync_snap(struct gaudi_snap *s);
/*
 * As a member of a JSON object, with a comma behind it: objects that are not 0, and
 * monitors that have somewhere to write to.
 */
void gaudi_sync_state(const struct gaudi_chip *chip, FILE *out);

#endif /* GAUDI_SYNC_H */
