/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Groups of vectors that operands come back to, packed: within a descriptor, and
 * from one to those that follow it. Where a group begins says what is in it:
 * no program changes an operand while it is read.
 */
#ifndef GAUDI_CHIP_MME_CACHE_H
#define GAUDI_CHIP_MME_CACHE_H

#include <stddef.h>

#include "mme_walk.h"

/* Operands whose groups are kept at a time */
#define GAUDI_MME_SOURCES	16u

/* What an operand is, apart from where its walk stands. */
struct gaudi_mme_source {
	struct gaudi_mme_operand op;
	uint64_t size[MME_NUM_LOOPS];
	uint32_t core;
	uint32_t side;
	uint64_t accum_mask;
};

struct gaudi_mme_group_key {
	uint64_t source;
	uint64_t roi[MME_NUM_DIMS];
	uint64_t start[MME_NUM_DIMS];
	uint64_t rows;		/* of the first box */
	uint64_t width;
	uint32_t partial;	/* loops that make all boxes smaller */
	uint32_t lane;		/* of the first vector */
};

struct gaudi_mme_kept {
	struct gaudi_mme_group_key key;
	float *panel;
	uint64_t held;		/* vectors in it; 0: not yet packed */
	unsigned int live;	/* elements of them that may not be zero */
};

struct gaudi_mme_cache {
	bool used;		/* this operand comes back to groups */
	struct gaudi_mme_source source[GAUDI_MME_SOURCES];
	unsigned int num_sources;
	unsigned int now;	/* the one that is read */
	float *mem;
	size_t taken;		/* floats of it */
	struct gaudi_mme_kept *kept;
	unsigned int num;
};

/*
 * For a new descriptor; forgets all unless it is to keep what there is. Operands
 * that come back to nothing and were not read before, or for which there is no
 * memory, have no use for it.
 */
void gaudi_mme_cache_begin(struct gaudi_mme_cache *c,
			   const struct gaudi_mme_walk *w, bool keep);
/*
 * The group that begins with the box of the walk, or room for so many floats,
 * aligned to 64 bytes; NULL: there is no room left.
 */
struct gaudi_mme_kept *gaudi_mme_cache_find(struct gaudi_mme_cache *c,
					    const struct gaudi_mme_walk *w,
					    unsigned int lane, size_t floats);
void gaudi_mme_cache_free(struct gaudi_mme_cache *c);

#endif /* GAUDI_CHIP_MME_CACHE_H */
