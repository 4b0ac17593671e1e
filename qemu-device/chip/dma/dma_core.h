/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of the DMA cores share.
 *
 *   dma.c       registers, descriptors, completions, errors
 *   dma_copy.c  batches of pieces: copy, memset, reduction
 *   dma_tile.c  transposition
 *   reduce.c    arithmetic of reductions (internal.h)
 *
 * All with chip->lock held; gaudi_dma_move() may drop it meanwhile.
 */
#ifndef GAUDI_CHIP_DMA_H
#define GAUDI_CHIP_DMA_H

#include "../core/internal.h"
#include "../../../uapi/hw/regs/gaudi_dma_core_regs.h"

/* What the bus carries at a time; for the counters. */
#define DMA_AXI_BYTES		128u

static inline bool gaudi_dma_is_memset(const struct gaudi_dma_desc *desc)
{
	return desc->commit & DMA_CORE_COMMIT_MEM_SET;
}

static inline bool gaudi_dma_is_transposed(const struct gaudi_dma_desc *desc)
{
	return desc->commit & DMA_CORE_COMMIT_TRANSPOSE &&
	       !gaudi_dma_is_memset(desc);
}

/* Registers and small memories, behind the low-bandwidth fabric. */
static inline bool gaudi_dma_is_lbw(uint64_t addr)
{
	return addr >= GAUDI_FLASH_BASE && addr < GAUDI_HOST_BASE;
}

/* --- dma_copy.c --------------------------------------------------------- */

/* size bytes from device address base on, or of a buffer of ours. */
void gaudi_walk_linear(struct gaudi_dma_walk *w, uint64_t base, uint32_t size);
void gaudi_walk_buffer(struct gaudi_dma_walk *w, uint8_t *ptr, uint32_t size);
/* Joins dimensions that follow each other without a gap. */
void gaudi_walk_join(struct gaudi_dma_walk *w);
/*
 * Moves one batch from src (NULL: the pattern) to dst; both then stand behind
 * it. direct: does not let go of the lock. Returns bits of ERR_CAUSE.
 */
uint32_t gaudi_dma_move(struct gaudi_chip *chip, struct gaudi_dma *dma,
			struct gaudi_dma_desc *desc, struct gaudi_dma_walk *src,
			struct gaudi_dma_walk *dst, bool direct);
/* One batch of a descriptor that does not transpose. */
uint32_t gaudi_dma_batch(struct gaudi_chip *chip, struct gaudi_dma *dma,
			 struct gaudi_dma_desc *desc, bool direct);

/* --- dma_tile.c --------------------------------------------------------- */

/* Can this be transposed? NULL, or what it is that cannot. */
const char *gaudi_dma_tile_check(const struct gaudi_dma_desc *desc);
/* One batch of a descriptor that transposes; bits of ERR_CAUSE. */
uint32_t gaudi_dma_tile_batch(struct gaudi_chip *chip, struct gaudi_dma *dma,
			      struct gaudi_dma_desc *desc);
/* The descriptor ends, or is dropped. */
void gaudi_dma_tile_free(struct gaudi_dma *dma);

#endif /* GAUDI_CHIP_DMA_H */
