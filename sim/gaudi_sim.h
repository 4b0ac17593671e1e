/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * libgaudi-sim.so.0: Gaudi cards in this process, behind the files that a kernel with
 * the driver has. libhl-thunk loads it if GAUDI_SIM says how many cards there are.
 *
 * Functions return what the system call would, but -errno for an error. They are
 * thread-safe, as the calls are. Cards are the process's own: a child of fork() has the
 * descriptors, and each call with one of them is -ENODEV.
 */
#ifndef GAUDI_SIM_H
#define GAUDI_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#pragma GCC visibility push(default)

/*
 * A node or an attribute: /dev/accel/accelN, /dev/accel/accel_controlDN, and what is below
 * /sys/class/accel/accelN/device/ and /sys/module/gaudi/parameters/. The cards boot
 * when one of these is opened for the first time. An attribute's descriptor is an ordinary one, a
 * copy of the text; one to be written is the library's. -ENOENT: there is no such
 * file here. flags: O_CLOEXEC, O_WRONLY, O_RDWR.
 */
int gaudi_sim_open(const char *path, int flags);
/* Whether gaudi_sim_open() knows the path. Makes no card: a child may. */
bool gaudi_sim_exists(const char *path);
/* Whether it is a node's, of this library. */
bool gaudi_sim_owns(int fd);
int gaudi_sim_close(int fd);
/* To an attribute; for one that was opened to be written. */
ssize_t gaudi_sim_write(int fd, const void *from, size_t size);
int gaudi_sim_ioctl(int fd, unsigned long request, void *arg);
/* MAP_FAILED with errno. */
void *gaudi_sim_mmap(void *addr, size_t size, int prot, int flags, int fd,
		     off_t offset);
/* Any memory of the process. */
int gaudi_sim_munmap(void *addr, size_t size);
/* -ENOENT: the path is none of the library's. Terminated. */
ssize_t gaudi_sim_readlink(const char *path, char *buf, size_t size);
/* The numbers that stat() would show for a node. */
int gaudi_sim_devnum(int fd, unsigned int *major, unsigned int *minor);

#pragma GCC visibility pop

#endif /* GAUDI_SIM_H */
