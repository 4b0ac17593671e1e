/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * The matrix engines, in pairs of a master and its slave.
 *
 *   mme.c       registers, descriptors in flight, status, errors
 *   mme_exec.c  the order of things: groups, tiles, accumulators, signals
 *   mme_snap.c  what a descriptor leaves behind, for a snapshot
 *   mme_mem.c   the engine's accesses to memory
 *   mme_spec.c  arithmetic element by element: the specification
 *   mme_fast.c  the same bits by panels and vector kernels, or faster sums
 *   walk/       the descriptor, and the addresses that it leads to
 *   kernel/     arithmetic on panels, without a card
 *
 * Under chip->lock, which is dropped while a pair computes.
 */
#ifndef GAUDI_MME_H
#define GAUDI_MME_H

#include "../core/core.h"
#include "../regs/regs.h"

extern const struct gaudi_block_ops gaudi_mme_ctrl_ops, gaudi_mme_acc_ops,
	gaudi_mme_sbab_ops;

int gaudi_mme_init(struct gaudi_chip *chip);
void gaudi_mme_fini(struct gaudi_chip *chip);
struct gaudi_snap;
/* The room's part of a snapshot. */
void gaudi_mme_snap(struct gaudi_snap *s);
/* As a member of a JSON object, with a comma behind it, for a record: pairs that have work. */
void gaudi_mme_state(struct gaudi_chip *chip, FILE *out);

#endif /* GAUDI_MME_H */
