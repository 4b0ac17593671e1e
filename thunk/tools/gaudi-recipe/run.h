/* SPDX-License-Identifier: MIT */
/* gaudi-recipe run: a recipe launched on a card. */
#ifndef GAUDI_RECIPE_RUN_H
#define GAUDI_RECIPE_RUN_H

#include <stdbool.h>

#include "gaudi_recipe.h"

struct run_file {
	const char *tensor;
	const char *path;
};

struct run_settings {
	int device;			/* N of /dev/accel/accelN, -1: any */
	const char *pci;
	int repeat;
	bool json;
	bool quiet;
	struct run_file *inputs;
	uint32_t num_inputs;
	struct run_file *outputs;
	uint32_t num_outputs;
};

/* 0, or -1 with a complaint. */
int run_recipe(struct gaudi_recipe *recipe, const char *file,
	       const struct run_settings *settings);

#endif /* GAUDI_RECIPE_RUN_H */
