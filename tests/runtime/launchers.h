/* SPDX-License-Identifier: MIT */
/* For programs that launch recipes on one device. */
#ifndef RUNTIME_LAUNCHERS_H
#define RUNTIME_LAUNCHERS_H

#include "device.h"
#include "recipes.h"

/* It takes the recipe. */
static inline struct gaudi_launcher *launcher_of(struct gaudi_recipe *recipe)
{
	struct gaudi_launcher *l;

	GOOD(gaudi_launcher_create(dev, recipe, &l));
	GOOD(gaudi_recipe_release(recipe));

	return l;
}

static inline struct gaudi_binding on_device(const char *name,
					     gaudi_ptr address)
{
	return (struct gaudi_binding) { .name = name, .address = address };
}

static inline struct gaudi_binding on_host(const char *name, void *memory)
{
	return (struct gaudi_binding) { .name = name, .memory = memory };
}

#endif /* RUNTIME_LAUNCHERS_H */
