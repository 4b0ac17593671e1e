/* SPDX-License-Identifier: GPL-2.0-only */
/* Any kernel of the library on tensors of five dims, with fitting contents. */
#ifndef TEST_KERNELS_FIVE_H
#define TEST_KERNELS_FIVE_H

#include "run.h"

/* How tensors lie in memory. */
struct five_layout {
	uint8_t order[5];	/* dims, the one with the smallest steps first */
	uint32_t gap[5];	/* elements behind each of these */
	bool again;		/* of inputs: outer dims have the same memory */
	bool few;		/* outer dims are missing where they may */
	uint8_t guard;		/* what is in the gaps */
};

/* Opened and begun, filled, ready for run_parts(). layout: NULL: dense. */
void five_begin(struct run *r, const char *name,
		const struct five_layout *layout);
/*
 * The same, dense, of other dims: of the tensor that the index space goes by; of what is
 * summed along one, these are the dims before. No tensor has more dims than it needs.
 */
void five_sized(struct run *r, const char *name, const uint32_t *dims);
/* Of a dense tensor. */
size_t five_bytes(const struct run *r, uint32_t t);
/* The contents of dense tensors, one behind the other; to be freed. */
uint8_t *five_save(const struct run *r);
void five_restore(const struct run *r, const uint8_t *all);

#endif /* TEST_KERNELS_FIVE_H */
