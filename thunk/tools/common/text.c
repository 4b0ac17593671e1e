// SPDX-License-Identifier: MIT
/* Numbers for people, and the other way round; complaints. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "text.h"

const char *text_bytes(uint64_t bytes, char *buf)
{
	static const char * const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	double val = (double)bytes;
	size_t unit = 0;

	while (val >= 1024 && unit + 1 < sizeof(units) / sizeof(units[0])) {
		val /= 1024;
		unit++;
	}
	if (unit)
		snprintf(buf, TEXT_LEN, "%.2f %s", val, units[unit]);
	else
		snprintf(buf, TEXT_LEN, "%llu B", (unsigned long long)bytes);

	return buf;
}

const char *text_rate(uint64_t bytes, double seconds, char *buf)
{
	if (seconds <= 0) {
		snprintf(buf, TEXT_LEN, "-");
		return buf;
	}
	text_bytes((uint64_t)((double)bytes / seconds), buf);
	strncat(buf, "/s", TEXT_LEN - strlen(buf) - 1);

	return buf;
}

int text_to_bytes(const char *text, uint64_t *bytes)
{
	static const char units[] = "kmgt";
	unsigned long long n;
	const char *unit;
	char *end;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	n = strtoull(text, &end, 0);
	if (errno)
		return -EINVAL;
	unit = *end ? strchr(units, tolower((unsigned char)*end)) : NULL;
	if (unit) {
		unsigned int shift = 10 * (unsigned int)(unit - units + 1);

		if (n > UINT64_MAX >> shift)
			return -EINVAL;
		n <<= shift;
		end++;
		if (!strcasecmp(end, "ib"))
			end += 2;
	}
	if (*end)
		return -EINVAL;
	*bytes = n;

	return 0;
}

int text_to_int(const char *text, int min, int max, int *out)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 0);
	if (errno || end == text || *end || n < min || n > max)
		return -EINVAL;
	*out = (int)n;

	return 0;
}

/* Guarded by stderr's own lock. */
static bool line_is_kept;

void text_keep_line(const char *fmt, ...)
{
	va_list ap;

	flockfile(stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	line_is_kept = true;
	funlockfile(stderr);
}

void text_end_line(void)
{
	flockfile(stderr);
	if (line_is_kept)
		fputc('\n', stderr);
	line_is_kept = false;
	funlockfile(stderr);
}

void text_drop_line(void)
{
	flockfile(stderr);
	if (line_is_kept)
		fputs("\r\033[K", stderr);
	line_is_kept = false;
	funlockfile(stderr);
}

void complain(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	fflush(stdout);
	flockfile(stderr);
	text_end_line();
	/* At once, so that lines of several processes do not get mixed. */
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, text ? text : fmt);
	funlockfile(stderr);
	free(text);
}
