/* SPDX-License-Identifier: MIT */
/*
 * The base: what every room uses, and nothing of cards or recipes. It has the
 * thread's last error (error.c) and where log lines go (log.c), both of which need no
 * lock, and spans of calls in a file (profile.h). Beside these it offers arrays that grow
 * (array.h) and structures that begin with their size (sized.h).
 */
#ifndef GAUDI_RUNTIME_BASE_H
#define GAUDI_RUNTIME_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "packets, recipes and the card's memory are little-endian, and so is the host"
#endif

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
/* The structure whose @member @ptr points to. */
#define container_of(ptr, type, member)					\
	((type *)((char *)(ptr) - offsetof(type, member)))
#define KIB		1024ull
#define MIB		(1024 * KIB)

static inline uint64_t gd_round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/* The thread's last error from now on. Returns @error, so that a failure is one line. */
int gd_fail(int error, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The host has no memory for what the text says, as "for a program". -ENOMEM */
#define gd_no_memory(...)	gd_fail(-ENOMEM, "host memory " __VA_ARGS__)
/* For what fails without being the caller's: the message is the old one. */
struct gd_error_state {
	int error;
	char text[400];
};

void gd_error_save(struct gd_error_state *state);
void gd_error_restore(const struct gd_error_state *state);
/* errno as the thunk's functions leave it, negative; never 0 */
int gd_errno(void);

enum gd_level {
	GD_TRACE,
	GD_DEBUG,
	GD_INFO,
	GD_WARN,
	GD_ERROR,
	GD_CRITICAL,
	GD_OFF,
};

void gd_log(enum gd_level level, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* GAUDI_RUNTIME_BASE_H */
