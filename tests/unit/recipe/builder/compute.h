/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recipe of a test of nodes that compute: built, through a file and back, and
 * run on a machine of threads' orders with the card's walk for matrix engines.
 */
#ifndef COMPUTE_H
#define COMPUTE_H

#include <stdint.h>

#include "gaudi_recipe.h"
#include "../object.h"

#define IN	GAUDI_TENSOR_INPUT
#define OUT	GAUDI_TENSOR_OUTPUT
#define WORK	GAUDI_TENSOR_WORKSPACE
#define F32	GAUDI_TYPE_F32

/* Of the test that runs. */
extern struct gaudi_builder *b;
extern struct gaudi_recipe *r;		/* from build() on */
extern float *values[];			/* by tensor: of f32 that are bound */

/* Before and behind each test. */
int compute_begin(void **state);
int compute_end(void **state);
#define COMPUTE_TEST(fn) TEST_WITH(fn, compute_begin, compute_end)

/* A dense tensor; inputs have some whole numbers from -5 to 5. */
uint32_t add(const char *name, uint32_t kind, uint32_t type, uint32_t rank,
	     uint64_t d0, uint64_t d1, uint64_t d2, uint64_t d3);
/* A kernel of this object: one scalar, one dim of 8 indices; tensors to be set. */
struct gaudi_kernel kernel_of(const struct object *o, uint32_t num_tensors);
/* Through a file, and back. */
void build(void);
/* Once, with turns taken as @seed says. */
void run(uint32_t seed);

#define SAYS(call, text) do { \
		assert_int_equal(call, -EINVAL); \
		if (!strstr(gaudi_last_error(NULL), text)) \
			fail_msg("%s", gaudi_last_error(NULL)); \
	} while (0)

#endif /* COMPUTE_H */
