// SPDX-License-Identifier: MIT
/*
 * Log lines, if environment variables ask for them; see gaudi_log(7). They are
 * read once, at the first line that there would be, and never by a program that
 * has more rights than who started it.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "base.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static enum gd_level threshold = GD_OFF;
static FILE *to_file;
static bool to_console;

static bool is_true(const char *value)
{
	return value && (!strcmp(value, "1") || !strcasecmp(value, "true"));
}

static void set_up(void)
{
	const char *level = secure_getenv("LOG_LEVEL_GAUDI");
	const char *dir = secure_getenv("HABANA_LOGS");
	char path[4096];

	if (!level)
		level = secure_getenv("LOG_LEVEL_ALL");
	if (!level || level[0] < '0' || level[0] > '6' || level[1])
		return;
	to_console = is_true(secure_getenv("ENABLE_CONSOLE"));
	if (dir && *dir &&
	    (size_t)snprintf(path, sizeof(path), "%s/gaudi.log", dir) <
	    sizeof(path))
		to_file = fopen(path, "ae");
	if (to_console || to_file)
		threshold = (enum gd_level)(level[0] - '0');
}

void gd_log(enum gd_level level, const char *fmt, ...)
{
	static const char * const names[] = {
		"trace", "debug", "info", "warning", "error", "critical", "",
	};
	struct timespec now;
	char line[512];
	va_list args;
	size_t used;

	pthread_once(&once, set_up);
	if (level < threshold || level >= GD_OFF)
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	used = (size_t)snprintf(line, sizeof(line), "[%lld.%06ld] [%d] [%s] ",
				(long long)now.tv_sec, now.tv_nsec / 1000,
				(int)getpid(), names[level]);
	va_start(args, fmt);
	vsnprintf(line + used, sizeof(line) - used, fmt, args);
	va_end(args);
	if (to_console)
		fprintf(stderr, "%s\n", line);
	if (to_file) {
		fprintf(to_file, "%s\n", line);
		fflush(to_file);
	}
}
