// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Transposition in a DMA core. The registers are published, what they do is
 * not, so all of this is inferred: TE_NUMROWS rows of SRC_TSIZE_0 bytes make a
 * tile (0: SRC_TSIZE_1 rows; linear: rows of what the size leaves for each);
 * its elements have two bytes, or four with DTYPE. Each tile is gathered from
 * the walk over the source, turned, and goes out along the walk over the
 * destination. Rows that are missing at the end make the last tile smaller.
 */
#include <stdlib.h>

#include "dma_core.h"

/* Much more than a real card has; bounds what a program can make us allocate */
#define TILE_BYTES		(16u << 20)

struct gaudi_dma_tile {
	struct gaudi_dma_walk in;	/* where the next source bytes go */
	struct gaudi_dma_walk out;	/* the next bytes of the result */
	bool turned;			/* out is valid */
	uint8_t *turned_bytes;
	uint8_t bytes[];
};

static unsigned int element(const struct gaudi_dma_desc *desc)
{
	return desc->commit & DMA_CORE_COMMIT_DTYPE ? 4 : 2;
}

static uint64_t tile_bytes(const struct gaudi_dma_desc *desc)
{
	return (uint64_t)desc->tile_rows * desc->tile_row;
}

const char *gaudi_dma_tile_check(const struct gaudi_dma_desc *desc)
{
	if (tile_bytes(desc) > TILE_BYTES)
		return "DMA transposition of more than 16 MiB";
	if (desc->tile_row % element(desc) ||
	    (desc->commit & DMA_CORE_COMMIT_LIN &&
	     tile_bytes(desc) != desc->size))
		return "DMA transposition of part of an element";
	return NULL;
}

static struct gaudi_dma_tile *tile_new(const struct gaudi_dma_desc *desc)
{
	uint32_t size = tile_bytes(desc);
	struct gaudi_dma_tile *tile = malloc(sizeof(*tile) + 2 * (size_t)size);

	if (!tile)
		return NULL;
	tile->turned = false;
	tile->turned_bytes = tile->bytes + size;
	gaudi_walk_buffer(&tile->in, tile->bytes, size);
	return tile;
}

void gaudi_dma_tile_free(struct gaudi_dma *dma)
{
	free(dma->tile);
	dma->tile = NULL;
}

/* Blocks of it stay in the host's cache. */
#define BLOCK			32u

static void turn_block(const struct gaudi_dma_tile *tile, uint32_t rows,
		       uint32_t columns, uint32_t r0, uint32_t c0,
		       unsigned int size)
{
	uint32_t r1 = r0 + BLOCK < rows ? r0 + BLOCK : rows;
	uint32_t c1 = c0 + BLOCK < columns ? c0 + BLOCK : columns;
	uint32_t r, c;

	for (c = c0; c < c1; c++)
		for (r = r0; r < r1; r++)
			memcpy(tile->turned_bytes +
			       ((size_t)c * rows + r) * size,
			       tile->bytes + ((size_t)r * columns + c) * size,
			       size);
}

/* Without the lock: the tile is this core's own while it works. */
static void transpose(struct gaudi_chip *chip, const struct gaudi_dma_desc *desc,
		 struct gaudi_dma_tile *tile)
{
	uint32_t columns = desc->tile_row / element(desc), rows, r, c;

	rows = tile->in.done ? desc->tile_rows :
			       tile->in.index[0] / desc->tile_row;
	gaudi_bulk_begin(chip);
	for (r = 0; r < rows; r += BLOCK)
		for (c = 0; c < columns; c += BLOCK)
			turn_block(tile, rows, columns, r, c, element(desc));
	gaudi_bulk_end(chip);
	gaudi_work_done(chip, (uint64_t)rows * desc->tile_row);
	gaudi_walk_buffer(&tile->out, tile->turned_bytes,
			  rows * desc->tile_row);
	tile->turned = true;
}

uint32_t gaudi_dma_tile_batch(struct gaudi_chip *chip, struct gaudi_dma *dma,
			      struct gaudi_dma_desc *desc)
{
	struct gaudi_dma_tile *tile = dma->tile;
	uint32_t error = 0;

	if (!tile) {
		tile = tile_new(desc);
		if (!tile)
			return DMA_CORE_ERR_CAUSE_HBW_RD;
		dma->tile = tile;
	}
	if (!tile->turned && !tile->in.done && !desc->src.done) {
		error = gaudi_dma_move(chip, dma, desc, &desc->src, &tile->in,
				       false);
	} else if (!tile->turned) {
		transpose(chip, desc, tile);
	} else if (!tile->out.done && !desc->dst.done) {
		error = gaudi_dma_move(chip, dma, desc, &tile->out, &desc->dst,
				       false);
	}
	if (tile->turned && (tile->out.done || desc->dst.done)) {
		tile->turned = false;
		gaudi_walk_buffer(&tile->in, tile->bytes, tile_bytes(desc));
		/* With nothing more to gather, this was the last one. */
		desc->dst.done |= desc->src.done;
	}
	return error;
}
