// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* Calls with a descriptor. */
#include <sys/uio.h>
#include <sys/vfs.h>

#include "preload.h"

__thread bool inside __attribute__((tls_model("initial-exec")));

EXPORT ssize_t read(int fd, void *to, size_t size)
{
	return is_card(fd) ? CALL(gaudi_sim_read(fd, to, size, -1)) :
			     NEXT(read)(fd, to, size);
}

/* What a checked build calls. */
ssize_t __read_chk(int fd, void *to, size_t size, size_t room);
EXPORT ssize_t __read_chk(int fd, void *to, size_t size, size_t room)
{
	if (size > room)
		abort();
	return read(fd, to, size);
}

EXPORT ssize_t pread(int fd, void *to, size_t size, off_t offset)
{
	return is_card(fd) && offset >= 0 ?
	       CALL(gaudi_sim_read(fd, to, size, offset)) :
	       NEXT(pread)(fd, to, size, offset);
}

EXPORT ssize_t pread64(int fd, void *to, size_t size, off64_t offset)
{
	return pread(fd, to, size, offset);
}

ssize_t __pread_chk(int fd, void *to, size_t size, off_t offset, size_t room);
EXPORT ssize_t __pread_chk(int fd, void *to, size_t size, off_t offset,
			   size_t room)
{
	if (size > room)
		abort();
	return pread(fd, to, size, offset);
}

ssize_t __pread64_chk(int fd, void *to, size_t size, off_t offset, size_t room);
EXPORT ssize_t __pread64_chk(int fd, void *to, size_t size, off_t offset,
			     size_t room)
{
	return __pread_chk(fd, to, size, offset, room);
}

EXPORT ssize_t write(int fd, const void *from, size_t size)
{
	return is_card(fd) ? CALL(gaudi_sim_write(fd, from, size)) :
			     NEXT(write)(fd, from, size);
}

EXPORT ssize_t pwrite(int fd, const void *from, size_t size, off_t offset)
{
	return is_card(fd) ? CALL(gaudi_sim_write(fd, from, size)) :
			     NEXT(pwrite)(fd, from, size, offset);
}

EXPORT ssize_t pwrite64(int fd, const void *from, size_t size, off64_t offset)
{
	return pwrite(fd, from, size, offset);
}

/* Some write a text so; an attribute takes each piece. */
EXPORT ssize_t writev(int fd, const struct iovec *iov, int count)
{
	ssize_t n, all = 0;
	int i;

	if (!is_card(fd))
		return NEXT(writev)(fd, iov, count);
	for (i = 0; i < count; i++) {
		n = CALL(gaudi_sim_write(fd, iov[i].iov_base, iov[i].iov_len));
		if (n < 0)
			return all ?: n;
		all += n;
	}
	return all;
}

EXPORT int close(int fd)
{
	return is_card(fd) ? (int)CALL(gaudi_sim_close(fd)) : NEXT(close)(fd);
}

/* Descriptors of cards may have been among those that are closed now. */
EXPORT int dup2(int fd, int to)
{
	int rc = NEXT(dup2)(fd, to);

	if (!inside && rc >= 0 && fd != to)
		ASK((gaudi_sim_closed(), 0));
	return rc;
}

EXPORT int dup3(int fd, int to, int flags)
{
	int rc = NEXT(dup3)(fd, to, flags);

	if (!inside && rc >= 0)
		ASK((gaudi_sim_closed(), 0));
	return rc;
}

EXPORT int close_range(unsigned int first, unsigned int last, int flags)
{
	int rc = NEXT(close_range)(first, last, flags);

	if (!inside && !rc && !flags)
		ASK((gaudi_sim_closed(), 0));
	return rc;
}

EXPORT void closefrom(int first)
{
	NEXT(closefrom)(first);
	if (!inside)
		ASK((gaudi_sim_closed(), 0));
}

EXPORT int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	long rc = -EXDEV;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (!inside && fd >= 0)
		rc = ASK(gaudi_sim_ioctl(fd, request, arg));
	return rc == -EXDEV ? NEXT(ioctl)(fd, request, arg) : (int)answer(rc);
}

/* A device's node has no position, and does not mind. */
#define LSEEK(name, off)						\
EXPORT off name(int fd, off offset, int whence)				\
{									\
	struct stat st;							\
									\
	if (!inside && fd >= 0 && !ASK(gaudi_sim_fstat(fd, &st)) &&	\
	    S_ISCHR(st.st_mode))					\
		return 0;						\
	return NEXT(name)(fd, offset, whence);				\
}

LSEEK(lseek, off_t)
LSEEK(lseek64, off64_t)

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

EXPORT void *mremap(void *old, size_t old_size, size_t size, int flags, ...)
{
	va_list args;
	void *to, *at;

	va_start(args, flags);
	to = va_arg(args, void *);
	va_end(args);
	if (inside)
		return NEXT(mremap)(old, old_size, size, flags, to);
	inside = true;
	at = gaudi_sim_mremap(old, old_size, size, flags, to);
	inside = false;
	return at;
}

EXPORT int fstat(int fd, struct stat *st)
{
	return is_card(fd) ? (int)CALL(gaudi_sim_fstat(fd, st)) :
			     NEXT(fstat)(fd, st);
}

EXPORT int fstat64(int fd, struct stat64 *st)
{
	return is_card(fd) ? (int)CALL(gaudi_sim_fstat(fd, (struct stat *)st)) :
			     NEXT(fstat64)(fd, st);
}

/* Of programs that were built for a C library older than 2.33. */
int __fxstat(int version, int fd, struct stat *st);
EXPORT int __fxstat(int version, int fd, struct stat *st)
{
	(void)version;
	return fstat(fd, st);
}

int __fxstat64(int version, int fd, struct stat *st);
EXPORT int __fxstat64(int version, int fd, struct stat *st)
{
	(void)version;
	return fstat(fd, st);
}

#define SYSFS_MAGIC	0x62656572

EXPORT int fstatfs(int fd, struct statfs *st)
{
	if (!is_card(fd))
		return NEXT(fstatfs)(fd, st);
	*st = (struct statfs) { .f_type = SYSFS_MAGIC, .f_bsize = 4096 };
	return 0;
}

EXPORT int fstatfs64(int fd, struct statfs64 *st)
{
	return fstatfs(fd, (struct statfs *)st);
}
