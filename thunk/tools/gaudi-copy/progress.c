// SPDX-License-Identifier: MIT
/* Progress on stderr: a bar on a terminal, else a line now and then. */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "copy.h"
#include "text.h"

#define BAR_WIDTH	30
#define BAR_SECONDS	0.1
#define LINE_SECONDS	5.0	/* not on a terminal */

double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);

	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

void progress_begin(struct progress *p, uint64_t total, bool quiet)
{
	*p = (struct progress) {
		.tty = isatty(STDERR_FILENO),
		.quiet = quiet,
		.total = total,
		.start = now(),
	};
	p->last = p->start;
}

static int percent(const struct progress *p, uint64_t bytes)
{
	if (!p->total)
		return 0;

	return bytes < p->total ? (int)((double)bytes * 100 / (double)p->total)
				: 100;
}

static void bar(const struct progress *p, uint64_t bytes)
{
	char have[TEXT_LEN], total[TEXT_LEN], rate[TEXT_LEN];
	char marks[BAR_WIDTH + 1];
	int filled = percent(p, bytes) * BAR_WIDTH / 100;

	memset(marks, '.', BAR_WIDTH);
	memset(marks, '#', (size_t)filled);
	marks[BAR_WIDTH] = '\0';
	text_rate(bytes, now() - p->start, rate);
	if (p->total)
		fprintf(stderr, "\r[%s] %3d%%  %s of %s  %s\033[K", marks,
			percent(p, bytes), text_bytes(bytes, have),
			text_bytes(p->total, total), rate);
	else
		fprintf(stderr, "\r%s  %s\033[K", text_bytes(bytes, have),
			rate);
}

static void plain(const struct progress *p, uint64_t bytes)
{
	char have[TEXT_LEN], total[TEXT_LEN];

	if (p->total)
		fprintf(stderr, "%3d%%  %s of %s\n", percent(p, bytes),
			text_bytes(bytes, have), text_bytes(p->total, total));
	else
		fprintf(stderr, "%s\n", text_bytes(bytes, have));
}

void progress_show(struct progress *p, uint64_t bytes)
{
	double t = now();

	if (p->quiet || t - p->last < (p->tty ? BAR_SECONDS : LINE_SECONDS))
		return;
	if (p->tty)
		bar(p, bytes);
	else
		plain(p, bytes);
	p->last = t;
}

void progress_end(struct progress *p, uint64_t bytes)
{
	if (p->quiet)
		return;
	if (p->tty) {
		bar(p, bytes);
		fputc('\n', stderr);
	} else {
		plain(p, bytes);
	}
}
