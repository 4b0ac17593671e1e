/* SPDX-License-Identifier: GPL-2.0-only */
/* How far results are from exact ones, and what Documentation/kernels.rst says. */
#ifndef TEST_KERNELS_ACCURACY_H
#define TEST_KERNELS_ACCURACY_H

#include "run.h"

/* What bf16 may have: it is computed in f32, and rounded once. */
#define BOUND_BF16	0.52

/* Of the last place of x, at least of the smallest normal number. */
double unit_of(uint32_t type, double x);
/* The next of a random sequence; seed is not 0. */
uint32_t next_of(uint32_t *seed);
/* By bits alone: the same with every libm. Of sizes from low to high, all alike. */
float pick_of(float low, float high, bool both, uint32_t *seed);
/* False, and said: the page has no such line, or a result is beyond its bound. */
bool row_good(const char *name, const char *line, double is, double bound,
	      double half_is, double half_bound);

#endif /* TEST_KERNELS_ACCURACY_H */
