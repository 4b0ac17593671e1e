// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * libgaudi-sim-preload.so, for LD_PRELOAD: system calls of any program reach the cards of
 * libgaudi-sim.so.0, by the paths and descriptors that are theirs. All other calls are the
 * C library's. The library makes such calls, too: those of a thread that is inside it pass.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
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

static __thread bool inside;

/* What a function of the library gives, as the C library says it. */
#define CALL(call)							\
({									\
	long rc_;							\
	inside = true;							\
	rc_ = (call);							\
	inside = false;							\
	if (rc_ < 0)							\
		errno = (int)-rc_;					\
	rc_ < 0 ? -1 : rc_;						\
})

static bool is_card(int fd)
{
	bool is;

	if (inside || fd < 0)
		return false;
	inside = true;
	is = gaudi_sim_owns(fd);
	inside = false;
	return is;
}

/* Whoever has cards of their own is not asked for these, there or not. */
static bool is_path(const char *path)
{
	static const char * const ours[] = {
		"/dev/accel/", "/sys/class/accel/", "/sys/module/gaudi/",
	};
	size_t i;

	for (i = 0; !inside && path && i < sizeof(ours) / sizeof(ours[0]); i++)
		if (!strncmp(path, ours[i], strlen(ours[i])))
			return true;
	return false;
}

static int open_card(const char *path, int flags)
{
	return (int)CALL(gaudi_sim_open(path, flags));
}

#define OPEN(name)							\
EXPORT int name(const char *path, int flags, ...)			\
{									\
	va_list args;							\
	mode_t mode;							\
									\
	va_start(args, flags);						\
	mode = va_arg(args, mode_t);					\
	va_end(args);							\
	return is_path(path) ? open_card(path, flags) :			\
			       NEXT(name)(path, flags, mode);		\
}

OPEN(open)
OPEN(open64)

#define OPENAT(name)							\
EXPORT int name(int dir, const char *path, int flags, ...)		\
{									\
	va_list args;							\
	mode_t mode;							\
									\
	va_start(args, flags);						\
	mode = va_arg(args, mode_t);					\
	va_end(args);							\
	return is_path(path) ? open_card(path, flags) :			\
			       NEXT(name)(dir, path, flags, mode);	\
}

OPENAT(openat)
OPENAT(openat64)

/* What a checked build calls. */
int __open_2(const char *path, int flags);
EXPORT int __open_2(const char *path, int flags)
{
	return is_path(path) ? open_card(path, flags) :
			       NEXT(__open_2)(path, flags);
}

int __open64_2(const char *path, int flags);
EXPORT int __open64_2(const char *path, int flags)
{
	return is_path(path) ? open_card(path, flags) :
			       NEXT(__open64_2)(path, flags);
}

#define FOPEN(name)							\
EXPORT FILE *name(const char *path, const char *mode)			\
{									\
	int fd;								\
									\
	if (!is_path(path))						\
		return NEXT(name)(path, mode);				\
	fd = open_card(path, O_CLOEXEC);				\
	return fd < 0 ? NULL : fdopen(fd, mode);			\
}

FOPEN(fopen)
FOPEN(fopen64)

EXPORT int access(const char *path, int mode)
{
	int fd;

	if (!is_path(path))
		return NEXT(access)(path, mode);
	fd = (int)CALL(gaudi_sim_exists(path) ? 0 : -ENOENT);
	return fd;
}

EXPORT ssize_t readlink(const char *path, char *buf, size_t size)
{
	ssize_t n;

	if (!inside && path) {
		n = CALL(gaudi_sim_readlink(path, buf, size));
		if (n >= 0 || errno != ENOENT)
			return n;
	}
	return NEXT(readlink)(path, buf, size);
}

EXPORT ssize_t write(int fd, const void *from, size_t size)
{
	return is_card(fd) ? CALL(gaudi_sim_write(fd, from, size)) :
			     NEXT(write)(fd, from, size);
}

EXPORT int close(int fd)
{
	return is_card(fd) ? (int)CALL(gaudi_sim_close(fd)) : NEXT(close)(fd);
}

EXPORT int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	return is_card(fd) ? (int)CALL(gaudi_sim_ioctl(fd, request, arg)) :
			     NEXT(ioctl)(fd, request, arg);
}

#define MMAP(name)							\
EXPORT void *name(void *addr, size_t size, int prot, int flags, int fd,	\
		  off_t offset)						\
{									\
	void *at;							\
									\
	if ((flags & MAP_ANONYMOUS) || !is_card(fd))			\
		return NEXT(name)(addr, size, prot, flags, fd, offset);	\
	inside = true;							\
	at = gaudi_sim_mmap(addr, size, prot, flags, fd, offset);	\
	inside = false;							\
	return at;							\
}

MMAP(mmap)
MMAP(mmap64)

EXPORT int munmap(void *addr, size_t size)
{
	return inside ? NEXT(munmap)(addr, size) :
			(int)CALL(gaudi_sim_munmap(addr, size));
}
