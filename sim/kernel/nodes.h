/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* Between the kernel's part and the cards: nodes by number and name. */
#ifndef SIM_KERNEL_NODES_H
#define SIM_KERNEL_NODES_H

#include <sys/types.h>

struct file;

#define SIM_MAX_CARDS	16

/* Of this process, as getpid() says it each time. */
extern pid_t sim_pid;

/* 0 or a negative errno; then the file's functions can be called. */
int sim_open_accel(unsigned int index, struct file *file);
int sim_open_cdev(const char *name, struct file *file);

#endif /* SIM_KERNEL_NODES_H */
