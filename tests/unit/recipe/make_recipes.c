// SPDX-License-Identifier: GPL-2.0-only
/* make_recipes DIR: the tests' recipes as files, for the tool and the fuzzer. */
#include <stdio.h>

#include "demo.h"

int main(int argc, char **argv)
{
	char path[4096];
	enum demo demo;

	for (demo = 0; argc == 2 && demo < NUM_DEMOS; demo++) {
		struct gaudi_recipe *r;

		snprintf(path, sizeof(path), "%s/%s.recipe", argv[1],
			 demo_name(demo));
		if (demo_build(demo, &r) || gaudi_recipe_save(r, path)) {
			fprintf(stderr, "%s: %s\n", path,
				gaudi_last_error(NULL));
			return 1;
		}
		gaudi_recipe_release(r);
	}

	return argc != 2;
}
