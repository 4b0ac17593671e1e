/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * libgaudi-sim.so.0: Gaudi cards in this process, behind the files that a kernel with
 * the driver has. libhl-thunk loads it if GAUDI_SIM says how many cards there are.
 *
 * Functions return what the system call would, but -errno for an error. They are
 * thread-safe, as the calls are. Cards are the process's own: a child of fork() has the
 * descriptors, and each call with one of them is -ENODEV.
 *
 * Paths are absolute: nodes in /dev/accel, slots in /sys/bus/pci, classes, attributes,
 * sensors, the module's parameters, and files of debugfs. -ENOENT: the directory is the
 * library's, and has no such entry. -EXDEV: the path is the kernel's. So are directories
 * that the kernel has as well, but not what cards have in them.
 */
#ifndef GAUDI_SIM_H
#define GAUDI_SIM_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#pragma GCC visibility push(default)

/*
 * A descriptor. The cards boot when a node, or what only their driver knows, is looked
 * at for the first time. One of an attribute holds its text as it was then;
 * gaudi_sim_read() has what it is now. /proc/self/fdinfo/N is there for nodes.
 */
int gaudi_sim_open(const char *path, int flags);
/* Whether it is a file's of this library, whoever has made the descriptor. */
bool gaudi_sim_owns(int fd);
int gaudi_sim_close(int fd);
/*
 * Descriptors have been closed by other means: cards that nobody has open any more
 * can be opened again. gaudi_sim_open() looks for itself.
 */
void gaudi_sim_closed(void);
/* offset -1: where the descriptor is, as read() does. */
ssize_t gaudi_sim_read(int fd, void *to, size_t size, off_t offset);
/* All of an attribute, wherever the descriptor is. */
ssize_t gaudi_sim_write(int fd, const void *from, size_t size);
/* -EXDEV: the descriptor is none of the library's. */
int gaudi_sim_ioctl(int fd, unsigned long request, void *arg);
/* MAP_FAILED with errno. */
void *gaudi_sim_mmap(void *addr, size_t size, int prot, int flags, int fd,
		     off_t offset);
/* Any memory of the process. */
int gaudi_sim_munmap(void *addr, size_t size);
void *gaudi_sim_mremap(void *old, size_t old_size, size_t size, int flags,
		       void *to);

int gaudi_sim_stat(const char *path, bool follow, struct stat *st);
int gaudi_sim_fstat(int fd, struct stat *st);
/* want: R_OK, W_OK and X_OK, or F_OK. */
int gaudi_sim_access(const char *path, int want);
/* Terminated. */
ssize_t gaudi_sim_readlink(const char *path, char *buf, size_t size);
int gaudi_sim_realpath(const char *path, char *buf, size_t size);
/*
 * Number n of what a directory has, "." and ".." first: 1, or 0 behind the last one. Also
 * of a directory of the kernel's: what cards have there.
 */
int gaudi_sim_list(const char *path, unsigned int n, struct dirent *out);
/* Where a file is that was opened. */
int gaudi_sim_path(int fd, char *buf, size_t size);
/* The numbers that stat() would show for a node. */
int gaudi_sim_devnum(int fd, unsigned int *major, unsigned int *minor);

#pragma GCC visibility pop

#endif /* GAUDI_SIM_H */
