/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * The DMA cores: copies, memsets, reductions, transpositions.
 *
 *   dma.c       registers, descriptors, completions, errors
 *   dma_copy.c  batches of pieces: copy, memset, reduction
 *   dma_tile.c  transposition
 *
 * Under chip->lock, which is dropped around bulk copies.
 */
#ifndef GAUDI_DMA_H
#define GAUDI_DMA_H

#include "../core/core.h"
#include "../regs/regs.h"

extern const struct gaudi_block_ops gaudi_dma_core_ops;

int gaudi_dma_init(struct gaudi_chip *chip);
void gaudi_dma_fini(struct gaudi_chip *chip);
/* The core that a fault's dma_end held goes on. */
void gaudi_dma_release(struct gaudi_chip *chip, unsigned int core);
struct gaudi_snap;
/* The room's part of a snapshot. */
void gaudi_dma_snap(struct gaudi_snap *s);
/* As a member of a JSON object, with a comma behind it, for a record: cores that have work. */
void gaudi_dma_state(struct gaudi_chip *chip, FILE *out);

#endif /* GAUDI_DMA_H */
