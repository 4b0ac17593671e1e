// SPDX-License-Identifier: MIT
/*
 * The handwritten digits of Debian's python3-sklearn: lines of 64 pixels, 0 to 16, and
 * a digit, packed by gzip. All that is random is whole numbers: the same everywhere.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "train.h"

#define MAX_SAMPLES	100000u

/* Weyl sequence, each number mixed. */
uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;

	return z ^ z >> 31;
}

static void shuffle(unsigned int *order, unsigned int count, uint64_t *random)
{
	for (unsigned int i = count; i > 1; i--) {
		unsigned int j = (unsigned int)(next_random(random) % i);
		unsigned int other = order[i - 1];

		order[i - 1] = order[j];
		order[j] = other;
	}
}

/* @row: pixels and the digit. */
static bool parse_line(const char *line, unsigned int row[PIXELS + 1])
{
	char *end;

	for (unsigned int i = 0; i <= PIXELS; i++) {
		row[i] = (unsigned int)strtoul(line, &end, 10);
		if (end == line || row[i] > (i < PIXELS ? 16 : CLASSES - 1))
			return false;
		if (i < PIXELS ? *end != ',' : *end != '\n' && *end)
			return false;
		line = end + 1;
	}

	return true;
}

static unsigned int *read_rows(const char *path, unsigned int *count)
{
	size_t row = PIXELS + 1, room = 0;
	unsigned int *rows = NULL;
	char line[1024];
	gzFile file;
	int error;

	file = gzopen(path, "rb");
	if (!file)
		die("%s cannot be opened", path);
	for (*count = 0; gzgets(file, line, sizeof(line)); ++*count) {
		if (*count == room) {
			room = room ? 2 * room : 2048;
			rows = realloc(rows, room * row * sizeof(*rows));
			if (!rows)
				die("no memory for the digits");
		}
		if (parse_line(line, rows + *count * row) &&
		    *count < MAX_SAMPLES)
			continue;
		/* The end of what is cut off looks like a line. */
		gzerror(file, &error);
		if (error == Z_OK)
			die("%s:%u: not 64 pixels and a digit", path,
			    *count + 1);
		break;
	}
	gzerror(file, &error);
	if (error != Z_OK || gzclose(file) != Z_OK)
		die("%s is damaged", path);
	if (*count < 2 * BATCH)
		die("%s: %u digits are too few", path, *count);

	return rows;
}

void digits_load(struct digits *digits, const char *path, unsigned int inputs,
		 uint64_t seed)
{
	unsigned int count, *rows = read_rows(path, &count);
	unsigned int *order = allocate(count, sizeof(*order));

	*digits = (struct digits){ .inputs = inputs, .random = seed };
	for (unsigned int i = 0; i < count; i++)
		order[i] = i;
	shuffle(order, count, &digits->random);
	digits->x = allocate((size_t)count * inputs, sizeof(float));
	digits->label = allocate(count, sizeof(int32_t));
	for (unsigned int i = 0; i < count; i++) {
		const unsigned int *row = rows + (size_t)order[i] * (PIXELS + 1);
		float *x = digits->x + (size_t)i * inputs;

		for (unsigned int p = 0; p < inputs; p++)
			x[p] = p < PIXELS ? (float)row[p] / 16 : 1;
		digits->label[i] = (int32_t)row[PIXELS];
	}
	free(rows);
	digits->held = count / 5;
	digits->learnt = count - digits->held;
	for (unsigned int i = 0; i < digits->learnt; i++)
		order[i] = digits->held + i;
	digits->order = order;
}

void digits_free(struct digits *digits)
{
	free(digits->x);
	free(digits->label);
	free(digits->order);
}

unsigned int digits_steps(const struct digits *digits)
{
	return digits->learnt / BATCH;
}

/* An image left, right, up or down by one; 0 comes in. */
static void move(float *image, unsigned int where)
{
	static const int down[] = { 0, 0, -1, 1 }, right[] = { -1, 1, 0, 0 };
	float from[PIXELS];

	if (where > 3)
		return;
	memcpy(from, image, sizeof(from));
	for (unsigned int i = 0; i < PIXELS; i++) {
		/* Wraps below 0, and is beyond the side then. */
		unsigned int row = i / SIDE - (unsigned int)down[where];
		unsigned int column = i % SIDE - (unsigned int)right[where];

		image[i] = row < SIDE && column < SIDE ?
			   from[row * SIDE + column] : 0;
	}
}

void digits_shuffle(struct digits *digits, float *x, int32_t *label)
{
	unsigned int count = digits_steps(digits) * BATCH;
	size_t inputs = digits->inputs;

	shuffle(digits->order, digits->learnt, &digits->random);
	for (unsigned int i = 0; i < count; i++) {
		size_t from = digits->order[i];

		memcpy(x + i * inputs, digits->x + from * inputs,
		       inputs * sizeof(float));
		move(x + i * inputs,
		     (unsigned int)(next_random(&digits->random) >> 61));
		label[i] = digits->label[from];
	}
}
