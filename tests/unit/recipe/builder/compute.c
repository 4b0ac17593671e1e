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
	uint64_t sizes[MAX_TENSORS + 1], addresses[MAX_TENSORS + 1];
	uint8_t *memory[MAX_TENSORS + 1], *packets[PROG_NUM_ENGINES];
	uint32_t sobs[PROG_MAX_SOBS], counts[MACHINE_SOBS] = {}, i;
	const struct program *p = &r->program;
	struct machine_memory mm = { p->num_buffers + 1, memory, sizes,
				     addresses };
	struct prog_resources res = { .sobs = sobs };
	const char *wrong;

	for (i = 0; i <= p->num_buffers; i++) {
		addresses[i] = 0x40000000ull * (i + 1);
		memory[i] = i < p->num_buffers ? (uint8_t *)values[i] : NULL;
		sizes[i] = memory[i] ? r->tensors[i].bytes : 0;
	}
	memory[p->num_buffers] = malloc(r->workspace_size + 1);
	sizes[p->num_buffers] = r->workspace_size;
	for (i = 0; i < p->num_sobs; i++)
		sobs[i] = i * 3;
	for (i = 0; i < p->num_streams; i++) {
		res.monitors[i] = i;
		packets[i] = malloc(p->streams[i].size + 1);
		res.addresses[i] = (uintptr_t)packets[i];
		WORKS(program_instantiate(p, i, &res, packets[i]));
	}
	for (i = 0; i < p->num_buffers; i++)
		assert_int_equal(program_bind(p, i, r->tensors[i].kind == WORK ?
					      addresses[p->num_buffers] +
					      r->tensors[i].offset :
					      addresses[i], (void **)packets),
				 0);
	wrong = machine_run(p, 0, packets, &mm, counts, seed);
	if (wrong)
		fail_msg("seed %u: %s", seed, wrong);
	for (i = 0; i < MACHINE_SOBS; i++)
		assert_int_equal(counts[i], 0);
	free(memory[p->num_buffers]);
	for (i = 0; i < p->num_streams; i++)
		free(packets[i]);
}
