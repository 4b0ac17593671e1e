// SPDX-License-Identifier: MIT
/*
 * The main() of the unit tests: all of them, or those whose names match $ONLY.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>

#include "unit.h"

#define MOST_TESTS	64

/* cmocka passes over those without a name. */
static struct CMUnitTest tests[MOST_TESTS];
static int lines[MOST_TESTS];
static unsigned int num_tests;
static CMFixtureFunction group_begin, group_end;

/* Constructors come in any order. */
void unit_add(struct CMUnitTest test, int line)
{
	unsigned int i = num_tests++;

	if (num_tests > MOST_TESTS)
		abort();
	for (; i && lines[i - 1] > line; i--) {
		tests[i] = tests[i - 1];
		lines[i] = lines[i - 1];
	}
	tests[i] = test;
	lines[i] = line;
}

void unit_group(CMFixtureFunction begin, CMFixtureFunction end)
{
	group_begin = begin;
	group_end = end;
}

unsigned int unit_rounds(unsigned int n)
{
	return getenv("GAUDI_LONG") ? n : (n + 3) / 4;
}

int main(void)
{
	if (getenv("ONLY"))
		cmocka_set_test_filter(getenv("ONLY"));

	return cmocka_run_group_tests_name(program_invocation_short_name, tests,
					   group_begin, group_end);
}
