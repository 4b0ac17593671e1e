// SPDX-License-Identifier: MIT
/*
 * A graph: copies and a recipe that turns a matrix of floats, captured once and
 * launched for each of three inputs, with one submission each; then with other memory.
 */
#include <stdio.h>
#include <stdlib.h>

#include <gaudi_graph.h>

#define ROWS	2u
#define COLUMNS	3u
#define BYTES	(ROWS * COLUMNS * sizeof(float))

static void check(int rc)
{
	if (rc < 0) {
		fprintf(stderr, "graph: %s\n", gaudi_last_error(NULL));
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

/* Nothing of it is done now. Host memory of a graph is pinned. */
static struct gaudi_graph *capture(struct gaudi_stream *stream,
				   struct gaudi_launcher *launcher,
				   const struct gaudi_binding *bindings,
				   const float *in, float *out)
{
	struct gaudi_graph *graph;

	check(gaudi_stream_begin_capture(stream));
	check(gaudi_copy_to_device_async(stream, bindings[0].address, in,
					 BYTES));
	check(gaudi_launch(launcher, bindings, 2, stream));
	check(gaudi_copy_to_host_async(stream, out, bindings[1].address,
				       BYTES));
	check(gaudi_stream_end_capture(stream, &graph));

	return graph;
}

static void step(struct gaudi_graph *graph, struct gaudi_stream *stream,
		 float *in, const float *out, unsigned int number)
{
	for (unsigned int i = 0; i < ROWS * COLUMNS; i++)
		in[i] = (float)(10 * number + i);
	check(gaudi_graph_launch(graph, stream));
	check(gaudi_stream_synchronize(stream));
	for (unsigned int i = 0; i < ROWS * COLUMNS; i++)
		printf("%g%c", (double)out[i],
		       i + 1 == ROWS * COLUMNS ? '\n' : ' ');
}

int main(void)
{
	struct gaudi_binding bindings[] = { { .name = "in" }, { .name = "out" } };
	struct gaudi_recipe *recipe = build();
	struct gaudi_launcher *launcher;
	struct gaudi_stream *stream;
	struct gaudi_device *device;
	struct gaudi_graph *graph;
	gaudi_ptr other;
	void *in, *out;

	check(gaudi_device_open(0, 60000, &device));
	check(gaudi_stream_create(device, &stream));
	check(gaudi_launcher_create(device, recipe, &launcher));
	check(gaudi_recipe_release(recipe));
	check(gaudi_host_alloc(device, BYTES, &in));
	check(gaudi_host_alloc(device, BYTES, &out));
	check(gaudi_malloc(device, BYTES, &bindings[0].address));
	check(gaudi_malloc(device, BYTES, &bindings[1].address));
	graph = capture(stream, launcher, bindings, in, out);
	for (unsigned int i = 0; i < 3; i++)
		step(graph, stream, in, out, i);
	/* Each node that has it: the copy up, and the recipe's tensor. */
	check(gaudi_malloc(device, BYTES, &other));
	check(gaudi_graph_replace(graph, bindings[0].address, other, BYTES));
	check(gaudi_free(device, bindings[0].address));
	step(graph, stream, in, out, 3);
	check(gaudi_device_close(device));

	return 0;
}
