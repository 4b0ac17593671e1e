// SPDX-License-Identifier: MIT
/*
 * A recipe that turns a matrix, from the cache or made anew, and what is in it.
 * Needs no card. The argument is the folder of the cache.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gaudi_recipe.h>

static void check(int rc)
{
	if (rc < 0) {
		fprintf(stderr, "recipe: %s\n", gaudi_last_error(NULL));
		exit(1);
	}
}

/* [rows][columns] to [columns][rows]: the same bytes by other strides. */
static struct gaudi_recipe *build(uint64_t rows, uint64_t columns)
{
	struct gaudi_tensor_desc in = {
		.size = sizeof(in), .name = "in", .kind = GAUDI_TENSOR_INPUT,
		.type = GAUDI_TYPE_F32, .rank = 2,
		.dims = { columns, rows }, .strides = { 4, 4 * columns },
		.num_strides = 2,
	};
	struct gaudi_tensor_desc out = {
		.size = sizeof(out), .name = "out", .kind = GAUDI_TENSOR_OUTPUT,
		.type = GAUDI_TYPE_F32, .rank = 2, .dims = { columns, rows },
	};
	struct gaudi_builder *builder;
	struct gaudi_recipe *recipe;
	uint32_t from, to;

	check(gaudi_builder_create("turn", &builder));
	check(gaudi_builder_add_tensor(builder, &in, &from));
	check(gaudi_builder_add_tensor(builder, &out, &to));
	check(gaudi_builder_add_copy(builder, to, from, NULL));
	check(gaudi_builder_build(builder, &recipe));
	check(gaudi_builder_destroy(builder));

	return recipe;
}

int main(int argc, char **argv)
{
	static const char key[] = "turn 4x6";
	struct gaudi_recipe_info info = { .size = sizeof(info) };
	struct gaudi_recipe *recipe;
	struct gaudi_cache *cache;
	int rc;

	check(gaudi_cache_open(argc > 1 ? argv[1] : "", &cache));
	rc = gaudi_cache_get(cache, key, strlen(key), &recipe);
	if (rc) {
		recipe = build(4, 6);
		check(gaudi_cache_put(cache, key, strlen(key), recipe));
	}
	check(gaudi_recipe_get_info(recipe, &info));
	printf("%s: %s, %u engines, %llu bytes of packets\n", info.name,
	       rc ? "built" : "found", info.num_engines,
	       (unsigned long long)info.packets_size);
	for (uint32_t i = 0; i < info.num_tensors; i++) {
		struct gaudi_tensor_desc desc = { .size = sizeof(desc) };

		check(gaudi_recipe_get_tensor(recipe, i, &desc));
		printf("%s: %s %llux%llu\n", desc.name,
		       gaudi_type_name(desc.type),
		       (unsigned long long)desc.dims[0],
		       (unsigned long long)desc.dims[1]);
	}
	check(gaudi_recipe_release(recipe));
	check(gaudi_cache_close(cache));

	return 0;
}
