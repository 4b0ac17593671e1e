/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * System calls of the library's own, past the C library's functions: under gaudi-sim
 * those come back to this library, which holds a lock here. As those, with errno.
 */
#ifndef SIM_RAW_H
#define SIM_RAW_H

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline int raw_fstat(int fd, struct stat *st)
{
	return (int)syscall(SYS_fstat, fd, st);
}

static inline int raw_close(int fd)
{
	return (int)syscall(SYS_close, fd);
}

/*
 * The same file by a number of @from or above, where there is one: programs close low numbers,
 * and get them again. -1 stays -1.
 */
static inline int raw_move_up(int low, int from)
{
	int fd = low < 0 ? -1 : (int)syscall(SYS_fcntl, low, F_DUPFD_CLOEXEC,
					     from);

	if (fd < 0)
		return low;
	raw_close(low);
	return fd;
}

static inline ssize_t raw_read(int fd, void *to, size_t size)
{
	return syscall(SYS_read, fd, to, size);
}

static inline ssize_t raw_write(int fd, const void *from, size_t size)
{
	return syscall(SYS_write, fd, from, size);
}

static inline int raw_pipe(int ends[2])
{
	return (int)syscall(SYS_pipe2, ends, O_CLOEXEC);
}

static inline ssize_t raw_pread(int fd, void *to, size_t size, off_t offset)
{
	return syscall(SYS_pread64, fd, to, size, offset);
}

static inline ssize_t raw_pwrite(int fd, const void *from, size_t size,
				 off_t offset)
{
	return syscall(SYS_pwrite64, fd, from, size, offset);
}

static inline off_t raw_lseek(int fd, off_t offset, int whence)
{
	return syscall(SYS_lseek, fd, offset, whence);
}

static inline void *raw_mmap(void *addr, size_t size, int prot, int flags,
			     int fd, off_t offset)
{
	return (void *)syscall(SYS_mmap, addr, size, prot, flags, fd, offset);
}

static inline int raw_munmap(void *addr, size_t size)
{
	return (int)syscall(SYS_munmap, addr, size);
}

static inline void *raw_mremap(void *old, size_t old_size, size_t size,
			       int flags, void *to)
{
	return (void *)syscall(SYS_mremap, old, old_size, size, flags, to);
}

#endif /* SIM_RAW_H */
