// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs the KUnit tests of the driver in this process, TAP on standard output. The number
 * of suites is an argument: a suite that is not built any more is missed.
 */
#include <stdarg.h>

#include "kunit.h"

static const struct kunit_suite *suites[16];
static unsigned int num_suites;
static struct kunit *current_test;

void sim_kunit_add(const struct kunit_suite *suite)
{
	suites[num_suites++] = suite;
}

struct kunit *kunit_get_current_test(void)
{
	return current_test;
}

void sim_kunit_failed(struct kunit *test, bool fatal, const char *file,
		      int line, const char *what, const char *fmt, ...)
{
	va_list args;

	printf("# %s:%d: %s ", file, line, what);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
	test->failed = true;
	if (fatal)
		longjmp(test->end, 1);
}

static bool passes(const struct kunit_suite *suite, const struct kunit_case *c)
{
	static struct kunit test;	/* lives on where an assertion goes to */
	int error;

	memset(&test, 0, sizeof(test));
	device_initialize(&test.dev);
	current_test = &test;
	if (!setjmp(test.end)) {
		error = suite->init ? suite->init(&test) : 0;
		if (error)
			sim_kunit_failed(&test, true, suite->name, 0, "init",
					 "%d", error);
		c->run_case(&test);
	}
	if (suite->exit && !setjmp(test.end))
		suite->exit(&test);
	put_device(&test.dev);
	current_test = NULL;
	return !test.failed;
}

int main(int argc, char **argv)
{
	unsigned int wanted = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned int i, tests = 0;
	bool failed = false, ok;
	const struct kunit_case *c;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 0; i < num_suites; i++) {
		for (c = suites[i]->test_cases; c->run_case; c++) {
			ok = passes(suites[i], c);
			printf("%s %u - %s.%s\n", ok ? "ok" : "not ok", ++tests,
			       suites[i]->name, c->name);
			failed |= !ok;
		}
	}
	ok = num_suites == wanted;
	printf("%s %u - %u suites, as many as driver/tests has\n",
	       ok ? "ok" : "not ok", ++tests, num_suites);
	printf("1..%u\n", tests);
	return failed || !ok;
}
