/* SPDX-License-Identifier: GPL-2.0-only */
/* Recipes for the tests. */
#ifndef DEMO_H
#define DEMO_H

#include "gaudi_recipe.h"

enum demo {
	DEMO_EMPTY,		/* no node, no tensor */
	DEMO_ONE,		/* one copy, one engine */
	DEMO_CONSTANT,		/* a constant to an output */
	DEMO_HOST,		/* host, device, host: three engines */
	DEMO_WIDE,		/* all engines, workspace reused, an event */
	DEMO_STRIDED,		/* a transposition, rows, fills */
	DEMO_CHAIN,		/* many small nodes between two engines */
	DEMO_COMPUTE,		/* products, a convolution, a kernel */
	DEMO_LINKS,		/* two waits, a copy, two writes */
	DEMO_PARTS,		/* three: links between them, an event, workspace */
	NUM_DEMOS,
};

const char *demo_name(enum demo demo);
/* 0, or the library's error. */
int demo_build(enum demo demo, struct gaudi_recipe **recipe);

#endif /* DEMO_H */
