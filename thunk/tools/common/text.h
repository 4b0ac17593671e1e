/* SPDX-License-Identifier: MIT */
/* Numbers for people, and the other way round. */
#ifndef TOOLS_TEXT_H
#define TOOLS_TEXT_H

#include <stddef.h>
#include <stdint.h>

#define TEXT_LEN	32

/* "1.50 GiB"; returns @buf, which has TEXT_LEN bytes */
const char *text_bytes(uint64_t bytes, char *buf);
/* "1.50 GiB/s", "-" if no time passed */
const char *text_rate(uint64_t bytes, double seconds, char *buf);
/* "4096", "64K", "2MiB", "1g"; 0 or -EINVAL */
int text_to_bytes(const char *text, uint64_t *bytes);
/* A whole number in @min..@max; 0 or -EINVAL */
int text_to_int(const char *text, int min, int max, int *out);

/*
 * A line of standard error that is shown again and again, and its end. What
 * complain() says meanwhile stands in a line of its own.
 */
void text_keep_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void text_end_line(void);
/* Away with it: it will be written anew. */
void text_drop_line(void);
/* "PROGRAM: ..." and a newline, to stderr, by one write */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif /* TOOLS_TEXT_H */
