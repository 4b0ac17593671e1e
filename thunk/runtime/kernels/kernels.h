/* SPDX-License-Identifier: MIT */
/*
 * The kernels that are built in: thunk/kernels/, made by make-kernels there.
 * What each computes is told in Documentation/kernels.rst. The room has no state; it
 * also reads the objects of others (tpc_object.h).
 */
#ifndef GAUDI_RUNTIME_KERNELS_H
#define GAUDI_RUNTIME_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "gaudi_recipe.h"

#define KERNEL_LIB_TENSORS	10u
#define KERNEL_LIB_SCALARS	8u

/*
 * Dims of a tensor. Most are by those of another one, its reference, or else the
 * space tensor; innermost first. A dim that is missing is 1.
 */
enum kernel_lib_rule {
	KERNEL_LIB_SAME,
	KERNEL_LIB_FEWER,	/* same, without outer ones */
	KERNEL_LIB_SPREAD,	/* some are 1 */
	KERNEL_LIB_ROW,		/* dim 0 is 1 */
	KERNEL_LIB_ONE,		/* one element */
	KERNEL_LIB_EIGHT,	/* dim 0 is 8, the others are 1 */
	KERNEL_LIB_TABLE,	/* same dim 0; any dim 1; the others are 1 */
	KERNEL_LIB_MATRIX,	/* dims 2 to 4 are 1 */
	KERNEL_LIB_ALONG,	/* one dim, number @of, is 1 in the reference */
	KERNEL_LIB_SWAPPED,	/* dims 0 and 1 changed places */
	KERNEL_LIB_ORDER,	/* as scalar 0 says, dim @of first */
	KERNEL_LIB_WINDOWS,	/* dims 1 and 2 halved, up or down, make it */
	KERNEL_LIB_POOLED,	/* the other way round */
	KERNEL_LIB_STRIDED,	/* as many in dims 1 and 2 as windows of scalars 0 to 5 */
	KERNEL_LIB_ANY,		/* same, but one dim, number @of, is any */
};

struct kernel_lib_tensor {
	const char *name;
	uint32_t access;		/* GAUDI_KERNEL_* */
	uint32_t type;			/* GAUDI_TYPE_* */
	uint32_t padding;		/* which the kernel relies on */
	uint32_t rule;			/* KERNEL_LIB_* */
	uint32_t of;			/* tensor, or dim */
};

struct kernel_lib {
	const char *name;
	const void *object;
	size_t object_size;
	uint32_t num_tensors;
	struct kernel_lib_tensor tensors[KERNEL_LIB_TENSORS];
	uint32_t num_scalars;
	const struct gaudi_kernel_scalar *scalars;
	/* For gaudi_kernel_describe(). */
	const struct gaudi_kernel_operand *operands;
	const char *computes;
	/*
	 * A point of the index space stands for so many elements of this tensor
	 * in each dim, innermost first; 0: for all of them.
	 */
	uint32_t space_tensor;
	uint32_t step[5];
};

extern const struct kernel_lib gaudi_kernel_lib[];
extern const size_t gaudi_kernel_lib_count;

/* NULL: there is none of this name. */
const struct kernel_lib *kernel_lib_find(const char *name);
/*
 * Index space for dims, outermost first, of the tensor space_tensor. Always five
 * dims, innermost first; zero if the tensor is empty. -EINVAL: more than five
 * dims, or a dim beyond 2^31 - 1.
 */
int kernel_lib_space(const struct kernel_lib *kernel, uint32_t rank,
		     const uint64_t *dims, uint32_t space[5]);

#endif /* GAUDI_RUNTIME_KERNELS_H */
