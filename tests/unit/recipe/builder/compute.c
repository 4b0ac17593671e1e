// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The recipe of a test of nodes that compute.
 */
#include "../../unit.h"
#include "compute.h"
#include "../program/machine.h"
#include "recipe/recipe.h"

#define MAX_TENSORS	16

struct gaudi_builder *b;
struct gaudi_recipe *r;
float *values[MAX_TENSORS];

int compute_begin(void **state)
{
	(void)state;
	memset(values, 0, sizeof(values));

	return gaudi_builder_create("compute", &b);
}

int compute_end(void **state)
{
	(void)state;
	gaudi_builder_destroy(b);
	gaudi_recipe_release(r);
	b = NULL;
	r = NULL;
	for (int i = 0; i < MAX_TENSORS; i++)
		free(values[i]);

	return 0;
}

uint32_t add(const char *name, uint32_t kind, uint32_t type, uint32_t rank,
	     uint64_t d0, uint64_t d1, uint64_t d2, uint64_t d3)
{
	struct gaudi_tensor_desc d = {
		.size = sizeof(d), .name = name, .kind = kind, .type = type,
		.rank = rank, .dims = { d0, d1, d2, d3 },
	};
	uint64_t num = 1, i;
	uint32_t t;

	WORKS(gaudi_builder_add_tensor(b, &d, &t));
	for (i = 0; i < rank; i++)
		num *= d.dims[i];
	if (kind > GAUDI_TENSOR_OUTPUT || type != GAUDI_TYPE_F32)
		return t;
	values[t] = malloc(num * sizeof(float));
	for (i = 0; i < num; i++)
		values[t][i] = kind == GAUDI_TENSOR_INPUT ?
			       (float)((i * 7 + t) % 11) - 5 : -1000;

	return t;
}

struct gaudi_kernel kernel_of(const struct object *o, uint32_t num_tensors)
{
	return (struct gaudi_kernel) {
		.size = sizeof(struct gaudi_kernel), .name = "twice",
		.object = o, .object_size = sizeof(*o),
		.num_tensors = num_tensors, .num_scalars = 1, .rank = 1,
		.index_space = { 8 },
	};
}

void build(void)
{
	struct gaudi_recipe *built;
	void *data;
	size_t size;

	WORKS(gaudi_builder_build(b, &built));
	WORKS(gaudi_recipe_to_memory(built, &data, &size));
	gaudi_recipe_release(built);
	if (gaudi_recipe_from_memory(data, size, &r))
		fail_msg("%s", gaudi_last_error(NULL));
	free(data);
}

void run(uint32_t seed)
{
	const char *wrong = machine_run_recipe(r, (uint8_t **)values, 0, seed);

	if (wrong)
		fail_msg("seed %u: %s", seed, wrong);
}
