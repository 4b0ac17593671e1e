/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Groups of vectors that a descriptor's operand comes back to, packed. Where a
 * group begins says what is in it: nobody changes an operand while it is read.
 */
#ifndef GAUDI_CHIP_MME_CACHE_H
#define GAUDI_CHIP_MME_CACHE_H

#include <stddef.h>

#include "mme_walk.h"

struct gaudi_mme_group_key {
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
};

struct gaudi_mme_cache {
	bool used;		/* this operand comes back to groups */
	float *mem;
	size_t taken;		/* floats of it */
	struct gaudi_mme_kept *kept;
	unsigned int num;
};

/*
 * For a new descriptor: forgets all. Operands that come back to nothing, or
 * for which there is no memory, have no use for it.
 */
void gaudi_mme_cache_begin(struct gaudi_mme_cache *c,
			   const struct gaudi_mme_walk *w);
/*
 * The group that begins with the box of the walk, or room for so many floats,
 * aligned to 64 bytes; NULL: there is no room left.
 */
struct gaudi_mme_kept *gaudi_mme_cache_find(struct gaudi_mme_cache *c,
					    const struct gaudi_mme_walk *w,
					    unsigned int lane, size_t floats);
void gaudi_mme_cache_free(struct gaudi_mme_cache *c);

#endif /* GAUDI_CHIP_MME_CACHE_H */
