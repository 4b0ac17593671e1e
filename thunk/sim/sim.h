/* SPDX-License-Identifier: MIT */
/*
 * Cards in this process: libgaudi-sim.so.0 instead of a kernel with a driver, if
 * GAUDI_SIM is in the environment; nothing is loaded otherwise. For libhl-thunk's and
 * libgaudi's files of system calls.
 */
#ifndef THUNK_SIM_H
#define THUNK_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* As in the library's gaudi_sim.h: what the system call gives, or -errno. */
struct sim_calls {
	int (*open)(const char *path, int flags);
	bool (*owns)(int fd);
	int (*close)(int fd);
	void (*private)(int fd);
	ssize_t (*read)(int fd, void *to, size_t size, off_t offset);
	ssize_t (*write)(int fd, const void *from, size_t size);
	int (*ioctl)(int fd, unsigned long request, void *arg);
	void *(*mmap)(void *addr, size_t size, int prot, int flags, int fd,
		      off_t offset);
	int (*munmap)(void *addr, size_t size);
	ssize_t (*readlink)(const char *path, char *buf, size_t size);
	int (*devnum)(int fd, unsigned int *major_nr, unsigned int *minor_nr);
};

/* NULL: cards are the kernel's. Thread-safe. */
const struct sim_calls *sim_calls(void);
/*
 * From now on cards are those of this process: as many as GAUDI_SIM says, or @cards.
 * 0; -ELIBACC: there is no such library.
 */
int sim_begin(unsigned int cards);
/* The same, if another library of this process has begun it. */
void sim_follow(void);

#endif /* THUNK_SIM_H */
