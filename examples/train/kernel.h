/* SPDX-License-Identifier: MIT */
#ifndef TRAIN_KERNEL_H
#define TRAIN_KERNEL_H

#include <gaudi_recipe.h>

/* Told of each tensor, whose dims an index space comes from. */
void note_tensor(uint32_t tensor, uint32_t rank, const uint64_t *dims);
/* A kernel of thunk/kernels by its name. */
void add_kernel(struct gaudi_builder *builder, const char *name,
		const uint32_t *tensors, uint32_t count, const float *scalars,
		uint32_t num_scalars);

#endif /* TRAIN_KERNEL_H */
