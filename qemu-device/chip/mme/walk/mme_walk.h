/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * How an address generator (AGU) walks over an operand: the loops of the
 * descriptor give one box of rows after the other, a cursor the rows of a box.
 * In the same room: the descriptor (mme_desc.h), and groups of vectors that are
 * kept (mme_cache.h). Nothing locks: a walk, and a cache, belong to one caller at
 * a time.
 */
#ifndef GAUDI_CHIP_MME_WALK_H
#define GAUDI_CHIP_MME_WALK_H

#include "mme_desc.h"

/*
 * Offsets are kept modulo 2^64 and compared as signed, so that no descriptor
 * overflows anything.
 */
struct gaudi_mme_walk {
	const struct gaudi_mme_desc *desc;
	const struct gaudi_mme_operand *op;
	unsigned int core;
	bool output;
	uint64_t size[MME_NUM_LOOPS];
	/* state */
	uint64_t count[MME_NUM_LOOPS];
	uint64_t roi[MME_NUM_DIMS];
	uint64_t start[MME_NUM_DIMS];	/* [0] is 0 */
	uint64_t next_start[MME_NUM_DIMS];
	uint8_t reset;			/* loops that begin anew */
	uint8_t first;			/* loops in their first iteration */
	uint8_t last;			/* ... in their last one */
	bool done;			/* there is no further box */
	/* the box */
	uint64_t rows;
	uint64_t width;			/* of a row, elements */
};

/* A row of a box: where it is, and which of its elements are in the tensor. */
struct gaudi_mme_row {
	uint64_t offset;	/* of its first element, elements */
	/* elements from..to - 1 of the row exist */
	uint64_t from;
	uint64_t to;
};

struct gaudi_mme_cursor {
	uint64_t cur[MME_NUM_DIMS];	/* [0] unused */
};

void gaudi_mme_walk_begin(struct gaudi_mme_walk *w,
			  const struct gaudi_mme_desc *d, unsigned int op,
			  unsigned int core);
/* Goes to the next box; only if not done. */
void gaudi_mme_walk_next(struct gaudi_mme_walk *w);

/* The first row of the box; the next one. */
void gaudi_mme_cursor_begin(struct gaudi_mme_cursor *c,
			    const struct gaudi_mme_walk *w);
void gaudi_mme_cursor_next(struct gaudi_mme_cursor *c,
			   const struct gaudi_mme_walk *w);
/*
 * How many rows, at least 1 and at most max, from this one on are like it: the
 * same elements exist, and each is spatial_stride[1] after the one before.
 */
uint64_t gaudi_mme_cursor_run(const struct gaudi_mme_cursor *c,
			      const struct gaudi_mme_walk *w, uint64_t max);
/* Goes on by n rows of such a run. */
void gaudi_mme_cursor_skip(struct gaudi_mme_cursor *c,
			   const struct gaudi_mme_walk *w, uint64_t n);
void gaudi_mme_cursor_row(const struct gaudi_mme_cursor *c,
			  const struct gaudi_mme_walk *w,
			  struct gaudi_mme_row *row);

#endif /* GAUDI_CHIP_MME_WALK_H */
