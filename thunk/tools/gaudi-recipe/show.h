/* SPDX-License-Identifier: MIT */
/* What gaudi-recipe list shows. */
#ifndef GAUDI_RECIPE_SHOW_H
#define GAUDI_RECIPE_SHOW_H

#include "gaudi_recipe.h"

/* Both 0, or -1 with a complaint. */
int show_text(struct gaudi_recipe *r);
int show_json(struct gaudi_recipe *r, const char *file);

#endif /* GAUDI_RECIPE_SHOW_H */
