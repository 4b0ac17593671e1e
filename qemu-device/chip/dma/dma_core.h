/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * What the files of the DMA cores share; see dma.h. All with chip->lock held;
 * gaudi_dma_move() may drop it meanwhile.
 */
#ifndef GAUDI_DMA_CORE_H
#define GAUDI_DMA_CORE_H

#include "dma.h"
#include "../bus/bus.h"
#include "../queues/queues.h"
#include "../timing/timing.h"
#include "../../../uapi/hw/regs/gaudi_dma_core_regs.h"

#define GAUDI_DMA_DEPTH		4	/* descriptors a core holds */
#define GAUDI_DMA_DIMS		5

/* One side of a transfer: up to five dimensions, the first one in bytes. */
struct gaudi_dma_walk {
	uint64_t base;
	uint32_t size[GAUDI_DMA_DIMS];
	int32_t stride[GAUDI_DMA_DIMS];	/* bytes; [0] unused */
	uint8_t *ptr;		/* a buffer instead of device addresses */
	uint32_t index[GAUDI_DMA_DIMS];	/* position; [0]: byte in the row */
	bool done;
};

/* The registers of a transfer as they were when COMMIT was written. */
struct gaudi_dma_desc {
	uint32_t commit;
	struct gaudi_dma_walk src;
	struct gaudi_dma_walk dst;
	uint64_t size;			/* linear: bytes ... */
	uint64_t pos;			/* ... of which are done */
	uint64_t moved;			/* bytes, whatever shape they have */
	uint64_t pattern;
	uint64_t comp_addr;
	uint32_t comp_data;
	struct gaudi_txn txn;
	uint16_t reduce;		/* GAUDI_REDUCE_*; 0: plain writes */
	uint16_t ctx;			/* context id, for whoever looks */
	uint32_t tile_rows;		/* transposition: rows of a tile ... */
	uint32_t tile_row;		/* ... and bytes of each */
	uint32_t error;			/* fails with this: ERR_CAUSE */
	uint8_t owner;			/* CP that committed it, 5: the host */
};

struct gaudi_dma {
	struct gaudi_actor actor;
	uint8_t id;
	uint32_t base;			/* CFG offset */
	struct gaudi_dma_desc desc[GAUDI_DMA_DEPTH];	/* a ring */
	unsigned int head;
	unsigned int count;
	bool working;			/* on the oldest descriptor, now */
	bool failed;			/* stopped by an error */
	bool held;			/* by a fault, until gaudi_dma_release() */
	struct gaudi_jobs jobs;		/* in a model of time */
	uint32_t err_cause;
	uint32_t pending[GAUDI_NUM_CPS + 1];	/* descriptors by owner */
	struct gaudi_dma_tile *tile;	/* transposition under way */
	uint64_t in_flight;		/* bytes of the batch under way */
	/* requests of all times, for DBG_* */
	uint32_t ar_count;
	uint32_t aw_count;
	uint32_t lbw_aw_count;
	uint32_t desc_count;
};

struct gaudi_dma_tile;

struct gaudi_dmas {
	struct gaudi_dma core[GAUDI_NUM_DMA];
};

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

#endif /* GAUDI_DMA_CORE_H */
