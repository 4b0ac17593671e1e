// SPDX-License-Identifier: MIT
/*
 * On a terminal a bar while an epoch lasts, and a line when it ends; elsewhere lines.
 */
#include <stdio.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "train.h"

#define BAR	30u

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
