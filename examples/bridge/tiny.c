// SPDX-License-Identifier: MIT
/* The framework: it joins matrices on a backend and looks at the result. */
#include <stdio.h>
#include <stdlib.h>

#include "tiny.h"

#define ROWS	64u
#define LEFT	96u
#define RIGHT	32u
#define STEPS	20u

static const struct tiny_backend *backend = &tiny_gaudi;
static struct tiny_card *card;

static void check(int rc)
{
	if (rc < 0) {
		fprintf(stderr, "tiny: %s: %s\n", backend->name,
			backend->error());
		exit(1);
	}
}

static struct tiny_tensor matrix(uint32_t rows, uint32_t columns)
{
	struct tiny_tensor t = { .rows = rows, .columns = columns };

	check(backend->alloc(card, tiny_bytes(&t), &t.memory));

	return t;
}

static float *host(uint32_t rows, uint32_t columns)
{
	void *memory;

	check(backend->host_alloc(card, sizeof(float) * rows * columns,
				  &memory));

	return memory;
}

/* What stands at a place of the result, in step @step. */
static float wanted(uint32_t step, uint32_t row, uint32_t column)
{
	return (float)(step * 1000000 + row * 1000 + column);
}

static unsigned int look(const float *out, uint32_t step)
{
	unsigned int wrong = 0;

	for (uint32_t r = 0; r < ROWS; r++)
		for (uint32_t c = 0; c < LEFT + RIGHT; c++)
			wrong += out[r * (LEFT + RIGHT) + c] !=
				 wanted(step, r, c);

	return wrong;
}

int main(int argc, char **argv)
{
	struct tiny_tensor left, right, out;
	float *from_left, *from_right, *to;
	unsigned int wrong = 0;
	int64_t ns;

	check(backend->open(argc > 1 ? (unsigned int)atoi(argv[1]) : 0, &card));
	from_left = host(ROWS, LEFT);
	from_right = host(ROWS, RIGHT);
	to = host(ROWS, LEFT + RIGHT);
	check(backend->begin(card));
	for (uint32_t step = 0; step < STEPS; step++) {
		left = matrix(ROWS, LEFT);
		right = matrix(ROWS, RIGHT);
		out = matrix(ROWS, LEFT + RIGHT);
		for (uint32_t r = 0; r < ROWS; r++) {
			for (uint32_t c = 0; c < LEFT; c++)
				from_left[r * LEFT + c] = wanted(step, r, c);
			for (uint32_t c = 0; c < RIGHT; c++)
				from_right[r * RIGHT + c] =
					wanted(step, r, LEFT + c);
		}
		check(backend->write(card, &left, from_left));
		check(backend->write(card, &right, from_right));
		check(backend->join(card, &out, &left, &right));
		check(backend->free(card, left.memory));
		check(backend->free(card, right.memory));
		check(backend->read(card, to, &out));
		check(backend->free(card, out.memory));
		check(backend->synchronize(card));
		wrong += look(to, step);
	}
	check(backend->end(card, &ns));
	printf("%s: %u steps, %u wrong\n", backend->name, STEPS, wrong);
	fprintf(stderr, "%.1f us a step\n", (double)ns / 1000 / STEPS);
	check(backend->host_free(card, from_left));
	check(backend->host_free(card, from_right));
	check(backend->host_free(card, to));
	check(backend->close(card));

	return wrong != 0;
}
