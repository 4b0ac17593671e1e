// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>

#include "accuracy.h"

double unit_of(uint32_t type, double x)
{
	int e = x ? ilogb(x) : -126;

	if (e < -126)
		e = -126;
	return ldexp(1, e - (type == GAUDI_TYPE_BF16 ? 7 : 23));
}

uint32_t next_of(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

float pick_of(float low, float high, bool both, uint32_t *seed)
{
	uint32_t from = bits_of(low), to = bits_of(high);
	float x = float_of(from + next_of(seed) % (to - from + 1));

	return both && next_of(seed) >> 16 & 1 ? -x : x;
}

static bool page_has(const char *row)
{
	FILE *page = fopen(KERNELS_PAGE, "r");
	char line[200];
	bool found = false;

	assert_non_null(page);
	while (!found && fgets(line, sizeof(line), page)) {
		line[strcspn(line, "\n")] = 0;
		found = !strcmp(line, row);
	}
	fclose(page);
	return found;
}

bool row_good(const char *name, const char *line, double is, double bound,
	      double half_is, double half_bound)
{
	bool good = true;

	printf("# %s\n", line);
	/* Not "greater than": no number must not pass. */
	if (!(is <= bound) || !(half_is <= half_bound)) {
		printf("# %s: beyond %g and %g\n", name, bound, half_bound);
		good = false;
	}
	if (!page_has(line)) {
		printf("# %s: not the row of Documentation/kernels.rst\n", name);
		good = false;
	}
	return good;
}
