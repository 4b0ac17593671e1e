/* SPDX-License-Identifier: MIT */
/* What gaudi-recipe list and kernels show. */
#ifndef GAUDI_RECIPE_SHOW_H
#define GAUDI_RECIPE_SHOW_H

#include <stdbool.h>

#include "gaudi_recipe.h"

/* Both 0, or -1 with a complaint. */
int show_text(struct gaudi_recipe *r);
int show_json(struct gaudi_recipe *r, const char *file);
/* kernels.c: what the library's own take; of all, if @num is 0. */
int show_kernels(char **names, uint32_t num, bool json);

#endif /* GAUDI_RECIPE_SHOW_H */
