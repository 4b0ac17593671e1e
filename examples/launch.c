// SPDX-License-Identifier: MIT
/* A recipe on the card: it turns a matrix of floats, twice with other memory. */
#include <stdio.h>
#include <stdlib.h>

#include <gaudi_launch.h>

#define ROWS	3u
#define COLUMNS	4u

static void check(int rc)
{
	if (rc < 0) {
		fprintf(stderr, "launch: %s\n", gaudi_last_error(NULL));
		exit(1);
	}
}

/* [rows][columns] to [columns][rows]: the same bytes by other strides. */
static struct gaudi_recipe *build(void)
{
	struct gaudi_tensor_desc in = {
		.size = sizeof(in), .name = "in", .kind = GAUDI_TENSOR_INPUT,
		.type = GAUDI_TYPE_F32, .rank = 2,
		.dims = { COLUMNS, ROWS }, .strides = { 4, 4 * COLUMNS },
		.num_strides = 2,
	};
	struct gaudi_tensor_desc out = {
		.size = sizeof(out), .name = "out", .kind = GAUDI_TENSOR_OUTPUT,
		.type = GAUDI_TYPE_F32, .rank = 2, .dims = { COLUMNS, ROWS },
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

int main(void)
{
	struct gaudi_launcher *launcher;
	struct gaudi_stream *stream;
	struct gaudi_device *device;
	struct gaudi_recipe *recipe = build();
	float in[ROWS * COLUMNS], out[COLUMNS * ROWS];

	check(gaudi_device_open(0, 60000, &device));
	check(gaudi_stream_create(device, &stream));
	check(gaudi_launcher_create(device, recipe, &launcher));
	check(gaudi_recipe_release(recipe));
	for (unsigned int round = 0; round < 2; round++) {
		struct gaudi_binding bindings[] = {
			{ .name = "in" }, { .name = "out" },
		};

		for (unsigned int i = 0; i < ROWS * COLUMNS; i++)
			in[i] = (float)(100 * round + i);
		check(gaudi_malloc(device, sizeof(in), &bindings[0].address));
		check(gaudi_malloc(device, sizeof(out), &bindings[1].address));
		check(gaudi_copy_to_device_async(stream, bindings[0].address,
						 in, sizeof(in)));
		check(gaudi_launch(launcher, bindings, 2, stream));
		check(gaudi_copy_to_host_async(stream, out, bindings[1].address,
					       sizeof(out)));
		check(gaudi_stream_synchronize(stream));
		for (unsigned int i = 0; i < COLUMNS * ROWS; i++)
			printf("%g%c", (double)out[i],
			       (i + 1) % ROWS ? ' ' : '\n');
		check(gaudi_free(device, bindings[0].address));
		check(gaudi_free(device, bindings[1].address));
	}
	check(gaudi_device_close(device));

	return 0;
}
