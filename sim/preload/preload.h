/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * libgaudi-sim-preload.so, for LD_PRELOAD: system calls of any program reach the cards of
 * libgaudi-sim.so.0, by the paths and descriptors that are theirs. All other calls are the
 * C library's. The library makes such calls, too: those of a thread that is inside it pass.
 *
 *   fds.c     calls with a descriptor
 *   paths.c   calls with a path
 *   dirs.c    directories, and what looks for names in them
 */
#ifndef SIM_PRELOAD_H
#define SIM_PRELOAD_H

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../gaudi_sim.h"

#define EXPORT __attribute__((visibility("default")))
/* The C library's own function. */
#define NEXT(name)							\
({									\
	static __typeof__(name) *next;					\
	if (!next)							\
		next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name);	\
	next;								\
})

extern __thread bool inside __attribute__((tls_model("initial-exec")));

/* What a function of the library gives: a number, or -errno. */
#define ASK(call)							\
({									\
	long asked_;							\
	inside = true;							\
	asked_ = (call);						\
	inside = false;							\
	asked_;								\
})

/* The same as the C library says it. */
static inline long answer(long rc)
{
	if (rc >= 0)
		return rc;
	errno = (int)-rc;
	return -1;
}

#define CALL(call)	answer(ASK(call))

static inline bool is_card(int fd)
{
	return !inside && fd >= 0 && ASK(gaudi_sim_owns(fd));
}

/*
 * The path as the library wants it, if cards may have something there; NULL: it is
 * the C library's. buf: PATH_MAX bytes.
 */
const char *card_path(int dir, const char *path, char *buf);

#endif /* SIM_PRELOAD_H */
