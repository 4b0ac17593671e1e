// SPDX-License-Identifier: MIT
/* Progress on stderr: a bar on a terminal, else a line now and then. */
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "progress.h"
#include "text.h"

#define BAR_WIDTH	30
#define BAR_LEAST	5
#define COLUMNS		80		/* if the terminal does not say */
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

static const char *amount(const struct progress *p, uint64_t done, char *text)
{
	if (!p->unit)
		return text_bytes(done, text);
	snprintf(text, TEXT_LEN, "%llu", (unsigned long long)done);

	return text;
}

static const char *speed(const struct progress *p, uint64_t done, char *text)
{
	double seconds = now() - p->start;

	if (!p->unit)
		return text_rate(done, seconds, text);
	snprintf(text, TEXT_LEN, "%.0f %.15s/s",
		 seconds > 0 ? (double)done / seconds : 0, p->unit);

	return text;
}

static int columns(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		return COLUMNS;

	return size.ws_col;
}

/* A line that is too long would go on in the next one, and stay there. */
static void bar(const struct progress *p, uint64_t done)
{
	char have[TEXT_LEN], total[TEXT_LEN], rate[TEXT_LEN];
	char marks[BAR_WIDTH + 1], text[4 * TEXT_LEN];
	int room = columns() - 1, width, length;

	speed(p, done, rate);
	amount(p, done, have);
	if (!p->total)
		length = snprintf(text, sizeof(text), "%s  %s", have, rate);
	else
		length = snprintf(text, sizeof(text), "%3d%%  %s of %s  %s",
				  percent(p, done), have,
				  amount(p, p->total, total), rate);
	width = room - length - (int)strlen("[] ");
	if (width > BAR_WIDTH)
		width = BAR_WIDTH;
	if (!p->total || width < BAR_LEAST) {
		text_keep_line("\r%.*s\033[K", room, text);
		return;
	}
	memset(marks, '.', sizeof(marks));
	memset(marks, '#', (size_t)(percent(p, done) * width / 100));
	text_keep_line("\r[%.*s] %s\033[K", width, marks, text);
}

static void plain(const struct progress *p, uint64_t done)
{
	char have[TEXT_LEN], total[TEXT_LEN];

	if (p->total)
		fprintf(stderr, "%3d%%  %s of %s\n", percent(p, done),
			amount(p, done, have), amount(p, p->total, total));
	else
		fprintf(stderr, "%s\n", amount(p, done, have));
}

void progress_show(struct progress *p, uint64_t done)
{
	double t = now();

	if (p->quiet || t - p->last < (p->tty ? BAR_SECONDS : LINE_SECONDS))
		return;
	if (p->tty)
		bar(p, done);
	else
		plain(p, done);
	p->last = t;
}

void progress_end(struct progress *p, uint64_t done)
{
	if (p->quiet)
		return;
	if (p->tty) {
		bar(p, done);
		text_end_line();
	} else {
		plain(p, done);
	}
}

void progress_end_shown(struct progress *p, uint64_t done)
{
	if (p->last > p->start)
		progress_end(p, done);
}
