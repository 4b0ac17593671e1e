/* SPDX-License-Identifier: MIT */
/*
 * What long work shows on standard error: a bar on a terminal, which fits in its
 * line, else a line now and then.
 */
#ifndef TOOLS_PROGRESS_H
#define TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool tty;
	bool quiet;
	uint64_t total;			/* 0: unknown */
	const char *unit;		/* what is counted; NULL: bytes */
	double start;
	double last;			/* when something was shown */
};

double now(void);			/* seconds, CLOCK_MONOTONIC */
void progress_begin(struct progress *p, uint64_t total, bool quiet);
void progress_show(struct progress *p, uint64_t done);
void progress_end(struct progress *p, uint64_t done);
/* The same for what is mostly short: nothing if nothing was shown. */
void progress_end_shown(struct progress *p, uint64_t done);

#endif /* TOOLS_PROGRESS_H */
