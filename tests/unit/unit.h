/* SPDX-License-Identifier: MIT */
/*
 * What the unit tests share: each test is registered where it is defined, and
 * unit.c has the main() that runs those of a program in the order of their lines.
 *
 *	TEST(name) { ... }
 */
#ifndef TEST_UNIT_H
#define TEST_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

void unit_add(struct CMUnitTest test, int line);
void unit_group(CMFixtureFunction begin, CMFixtureFunction end);
/*
 * How many random cases a test has, of @n: a quarter, and all of them if GAUDI_LONG is set, as
 * it is by "make test-all". They are the same ones each time.
 */
unsigned int unit_rounds(unsigned int n);

#define UNIT_TEST(fn, params, args, begin, end)				\
	static void fn params;						\
	static void unit_run_##fn(void **state)				\
	{								\
		(void)state;						\
		fn args;						\
	}								\
	static void __attribute__((constructor)) unit_add_##fn(void)	\
	{								\
		unit_add((struct CMUnitTest){ #fn, unit_run_##fn, begin,	\
					      end, NULL }, __LINE__);	\
	}								\
	static void fn params

/* A test; one between begin and end; and one of what begin() leaves in *state. */
#define TEST(fn) UNIT_TEST(fn, (void), (), NULL, NULL)
#define TEST_WITH(fn, begin, end) UNIT_TEST(fn, (void), (), begin, end)
#define TEST_OF(fn, param, begin, end) \
	UNIT_TEST(fn, (param), (*state), begin, end)

/* What comes before all tests of the program, and what after them. */
#define GROUP(begin, end)						\
	static void __attribute__((constructor)) unit_add_group(void)	\
	{								\
		unit_group(begin, end);					\
	}

/* A call whose answer 0 is that all went well. */
#define WORKS(call)	assert_int_equal(call, 0)

#endif /* TEST_UNIT_H */
