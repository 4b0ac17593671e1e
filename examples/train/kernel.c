// SPDX-License-Identifier: MIT
/* Kernels of the library, by its table, which is built into this program. */
#include <string.h>

#include "kernel.h"
#include "kernels.h"
#include "train.h"

#define MAX_TENSORS	64u

static struct {
	uint32_t rank;
	uint64_t dims[GAUDI_MAX_RANK];
} noted[MAX_TENSORS];

void note_tensor(uint32_t tensor, uint32_t rank, const uint64_t *dims)
{
	if (tensor >= MAX_TENSORS)
		die("more than %u tensors", MAX_TENSORS);
	noted[tensor].rank = rank;
	memcpy(noted[tensor].dims, dims, rank * sizeof(*dims));
}

void add_kernel(struct gaudi_builder *builder, const char *name,
		const uint32_t *tensors, uint32_t count, const float *scalars,
		uint32_t num_scalars)
{
	const struct kernel_lib *found = kernel_lib_find(name);
	struct gaudi_kernel kernel = {
		.size = sizeof(kernel), .name = name, .num_tensors = count,
		.num_scalars = num_scalars, .rank = 5,
	};
	uint32_t shape;

	if (!found || found->num_tensors != count ||
	    found->num_scalars != num_scalars)
		die("no kernel %s of %u tensors and %u scalars", name, count,
		    num_scalars);
	kernel.object = found->object;
	kernel.object_size = found->object_size;
	for (uint32_t i = 0; i < count; i++) {
		kernel.tensors[i].tensor = tensors[i];
		kernel.tensors[i].access = found->tensors[i].access;
		kernel.tensors[i].padding = found->tensors[i].padding;
	}
	memcpy(kernel.scalars, scalars ? scalars : (const float[]){ 0 },
	       num_scalars * sizeof(float));
	shape = tensors[found->space_tensor];
	if (kernel_lib_space(found, noted[shape].rank, noted[shape].dims,
			     kernel.index_space))
		die("%s: too large", name);
	need(gaudi_builder_add_kernel(builder, &kernel, NULL));
}
