/* SPDX-License-Identifier: GPL-2.0-only */
/* What the programs of the bench on the host have in common: time, rows, the end. */
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Rows are JSON objects, one per line, and not for people. */
static bool json;

static inline void die(const char *what)
{
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
	exit(2);
}

/* Everything runs in one thread: its own time leaves others out. */
static inline double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Beside a peer; more is better. */
static inline void row(const char *name, double ours, double peer,
		       const char *unit, double goal)
{
	double ratio = ours / peer;

	if (json)
		printf("{\"name\": \"%s\", \"ours\": %.4g, \"peer\": %.4g, \"unit\": \"%s\", \"ratio\": %.3f, \"goal\": %.3g, \"ok\": %s}\n",
		       name, ours, peer, unit, ratio, goal,
		       ratio >= goal ? "true" : "false");
	else
		printf("%-38s %8.4g %8.4g %-8s ratio %6.3f goal %-6.3g %s\n",
		       name, ours, peer, unit, ratio, goal,
		       ratio >= goal ? "ok" : "MISSED");
	fflush(stdout);
}

/* Without a peer; less is better. */
static inline void limit(const char *name, double ours, const char *unit,
			 double goal)
{
	if (json)
		printf("{\"name\": \"%s\", \"ours\": %.4g, \"peer\": null, \"unit\": \"%s\", \"goal\": %g}\n",
		       name, ours, unit, goal);
	else
		printf("%-38s %8.4g %8s %-8s limit %-14g %s\n", name, ours, "",
		       unit, goal, ours <= goal ? "ok" : "MISSED");
	fflush(stdout);
}

/* Of all threads. */
static inline double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Of what several threads or processes are at. */
static inline double wall(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static inline int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts them. */
static inline double median(double *v, unsigned int n)
{
	qsort(v, n, sizeof(*v), by_value);
	return v[n / 2];
}

#endif
