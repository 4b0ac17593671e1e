// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>

#include "kernels.h"

/* The table is in the order of names. */
const struct kernel_lib *kernel_lib_find(const char *name)
{
	size_t from = 0, to = gaudi_kernel_lib_count, at;
	int order;

	while (from < to) {
		at = from + (to - from) / 2;
		order = strcmp(name, gaudi_kernel_lib[at].name);
		if (!order)
			return &gaudi_kernel_lib[at];
		if (order < 0)
			to = at;
		else
			from = at + 1;
	}

	return NULL;
}

int kernel_lib_space(const struct kernel_lib *kernel, uint32_t rank,
		     const uint64_t *dims, uint32_t space[5])
{
	uint64_t size, step;
	uint32_t d;

	if (rank > 5)
		return -EINVAL;
	for (d = 0; d < 5; d++) {
		size = d < rank ? dims[rank - 1 - d] : 1;
		if (size > INT32_MAX)
			return -EINVAL;
		step = kernel->step[d];
		if (step)
			space[d] = (uint32_t)((size + step - 1) / step);
		else
			space[d] = size > 0;
	}

	return 0;
}
