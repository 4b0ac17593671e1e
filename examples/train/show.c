// SPDX-License-Identifier: MIT
/*
 * On a terminal a bar while an epoch lasts, and a line when it ends; elsewhere lines.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include <png.h>

#include "train.h"

#define BAR	30u
#define WIDTH	600u
#define HEIGHT	300u
#define MARGIN	20u

void show_step(unsigned int done, unsigned int steps)
{
	if (!isatty(STDOUT_FILENO))
		return;
	printf("\r[");
	for (unsigned int i = 0; i < BAR; i++)
		putchar(i < BAR * done / steps ? '#' : '.');
	printf("] step %u of %u\033[K", done, steps);
	fflush(stdout);
}

void show_epoch(const struct options *options, unsigned int epoch, double loss,
		double right, double speed)
{
	if (isatty(STDOUT_FILENO))
		printf("\r\033[K");
	printf("epoch %u of %u: loss %.4f, %.1f %% right, %.0f steps/s\n",
	       epoch, options->epochs, loss, 100 * right, speed);
	fflush(stdout);
}

/* A line from each column's height to the next one's. */
static void draw(png_byte *image, const struct result *result)
{
	double last = result->epochs > 1 ? result->epochs - 1 : 1, top = 0;
	unsigned int before = 0;

	for (unsigned int i = 0; i < result->epochs; i++)
		top = fmax(top, result->loss[i]);
	for (unsigned int x = MARGIN; x < WIDTH - MARGIN; x++) {
		double at = last * (x - MARGIN) / (WIDTH - 2 * MARGIN - 1);
		unsigned int i = (unsigned int)at, y, from, to;
		unsigned int next = i + 1 < result->epochs ? i + 1 : i;
		double loss;

		if (i >= result->epochs)
			i = result->epochs - 1;
		loss = result->loss[i] +
		       (at - i) * (result->loss[next] - result->loss[i]);
		y = HEIGHT - MARGIN - 1;
		if (top > 0 && loss > 0)
			y -= (unsigned int)(loss / top * (HEIGHT - 2 * MARGIN - 1));
		if (x == MARGIN)
			before = y;
		from = y < before ? y : before;
		to = y < before ? before : y;
		for (unsigned int row = from; row <= to; row++)
			image[row * WIDTH + x] = 0;
		before = y;
	}
}

void write_png(const char *path, const struct result *result)
{
	png_image image = {
		.version = PNG_IMAGE_VERSION, .width = WIDTH, .height = HEIGHT,
		.format = PNG_FORMAT_GRAY,
	};
	png_byte *pixels = allocate(WIDTH, HEIGHT);

	memset(pixels, 255, (size_t)WIDTH * HEIGHT);
	for (unsigned int x = MARGIN; x < WIDTH - MARGIN; x++)
		pixels[(HEIGHT - MARGIN) * WIDTH + x] = 160;
	for (unsigned int y = MARGIN; y < HEIGHT - MARGIN; y++)
		pixels[y * WIDTH + MARGIN - 1] = 160;
	draw(pixels, result);
	if (!png_image_write_to_file(&image, path, 0, pixels, 0, NULL))
		die("%s: %s", path, image.message);
	free(pixels);
}

void write_json(const struct options *options, const struct result *result)
{
	cJSON *json = cJSON_CreateObject();
	char *text = NULL;
	FILE *file;

	if (json && cJSON_AddStringToObject(json, "model", options->model) &&
	    cJSON_AddStringToObject(json, "type", options->bf16 ? "bf16" : "f32") &&
	    cJSON_AddNumberToObject(json, "seed", (double)options->seed) &&
	    cJSON_AddNumberToObject(json, "rate", (double)options->rate) &&
	    cJSON_AddNumberToObject(json, "hidden", options->hidden) &&
	    cJSON_AddItemToObject(json, "losses", cJSON_CreateDoubleArray(
			result->loss, (int)result->epochs)) &&
	    cJSON_AddNumberToObject(json, "accuracy", result->right) &&
	    cJSON_AddNumberToObject(json, "speed", result->speed) &&
	    cJSON_AddNumberToObject(json, "crc", result->crc))
		text = cJSON_Print(json);
	if (!text)
		die("no memory for %s", options->json);
	file = fopen(options->json, "w");
	if (!file || fprintf(file, "%s\n", text) < 0 || fclose(file))
		die("%s cannot be written", options->json);
	cJSON_free(text);
	cJSON_Delete(json);
}
