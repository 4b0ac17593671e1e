// SPDX-License-Identifier: MIT
/*
 * What a card in the process costs (GAUDI_SIM=1), by libgaudi. Prints lines of a name and a
 * number, which tests/bench/parts/sim makes rows of:
 *
 *   first     ms from the program's start, as its argument says it, to the first result
 *   wait      us of a small piece of work on an idle stream, and waiting for it
 *   launch    us of the caller's time for the launch of one TPC kernel
 *   adds      launches of an addition of 64 elements each second, waiting at the end
 *
 *	sim_bench START_NS	CLOCK_MONOTONIC
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "gaudi_launch.h"

#define ELEMENTS	64u
#define SAMPLES		2001u
#define BATCH		2000u
#define BATCHES		15u

static struct gaudi_device *device;
static struct gaudi_stream *stream;
static struct gaudi_launcher *adder;
static gaudi_ptr memory[3];

static void check(int rc)
{
	if (rc < 0) {
		fprintf(stderr, "sim_bench: %s\n", gaudi_last_error(NULL));
		exit(1);
	}
}

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void tell(const char *name, double *samples, unsigned int num)
{
	qsort(samples, num, sizeof(*samples), by_value);
	printf("%s %.3f\n", name, samples[num / 2]);
}

static void make_adder(void)
{
	static const char *const names[3] = { "a", "b", "c" };
	struct gaudi_builder *builder;
	struct gaudi_recipe *recipe;
	uint32_t tensors[3], i;

	check(gaudi_builder_create("add", &builder));
	for (i = 0; i < 3; i++) {
		const struct gaudi_tensor_desc desc = {
			.size = sizeof(desc), .name = names[i],
			.kind = i < 2 ? GAUDI_TENSOR_INPUT :
					GAUDI_TENSOR_OUTPUT,
			.type = GAUDI_TYPE_F32, .rank = 1,
			.dims = { ELEMENTS },
		};

		check(gaudi_builder_add_tensor(builder, &desc, &tensors[i]));
		check(gaudi_malloc(device, ELEMENTS * 4, &memory[i]));
	}
	check(gaudi_builder_add_library_kernel(builder, "add_f32", 3, tensors,
					       0, NULL, NULL));
	check(gaudi_builder_build(builder, &recipe));
	check(gaudi_builder_destroy(builder));
	check(gaudi_launcher_create(device, recipe, &adder));
	check(gaudi_recipe_release(recipe));
}

static void add(void)
{
	const struct gaudi_binding bindings[3] = {
		{ .name = "a", .address = memory[0] },
		{ .name = "b", .address = memory[1] },
		{ .name = "c", .address = memory[2] },
	};

	check(gaudi_launch(adder, bindings, 3, stream));
}

static void measure_wait(void)
{
	static double us[SAMPLES];
	unsigned int i;

	for (i = 0; i < SAMPLES; i++) {
		double begin = now_us();

		check(gaudi_fill_async(stream, memory[0], i, 4, 1));
		check(gaudi_stream_synchronize(stream));
		us[i] = now_us() - begin;
	}
	tell("wait", us, SAMPLES);
}

static void measure_adds(void)
{
	static double call[SAMPLES], rate[BATCHES];
	unsigned int i, b;

	for (i = 0; i < SAMPLES; i++) {
		double begin = now_us();

		add();
		call[i] = now_us() - begin;
		check(gaudi_stream_synchronize(stream));
	}
	tell("launch", call, SAMPLES);
	for (b = 0; b < BATCHES; b++) {
		double begin = now_us();

		for (i = 0; i < BATCH; i++)
			add();
		check(gaudi_stream_synchronize(stream));
		rate[b] = BATCH / ((now_us() - begin) / 1e6);
	}
	tell("adds", rate, BATCHES);
}

int main(int argc, char **argv)
{
	const float ones[ELEMENTS] = { 1, 1, 1 };
	float sum[ELEMENTS];

	check(gaudi_device_open(0, 60000, &device));
	check(gaudi_stream_create(device, &stream));
	make_adder();
	check(gaudi_copy_to_device(device, memory[0], ones, sizeof(ones)));
	check(gaudi_copy_to_device(device, memory[1], ones, sizeof(ones)));
	add();
	check(gaudi_stream_synchronize(stream));
	check(gaudi_copy_to_host(device, sum, memory[2], sizeof(sum)));
	if (argc > 1)
		printf("first %.3f\n",
		       now_us() / 1e3 - strtod(argv[1], NULL) / 1e6);
	if (sum[0] != 2 || sum[ELEMENTS - 1] != 0) {
		fprintf(stderr, "sim_bench: 1 + 1 is %g\n", (double)sum[0]);
		return 1;
	}
	measure_wait();
	measure_adds();
	check(gaudi_device_close(device));
	return 0;
}
