/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the guest's init share: the run's configuration as
 * scripts/gaudi-vm wrote it into the initramfs, and the ports to the host.
 *
 * Configuration files are lists of NUL-terminated strings: /config holds
 * KEY=VALUE, /argv and /env the command. Keys may come several times.
 */
#ifndef GUEST_INIT_H
#define GUEST_INIT_H

#include <stddef.h>

/* A NULL-terminated vector of strings read from a file of the initramfs. */
char **read_strings(const char *path);

/* The i-th value of a key of the configuration, or NULL. */
const char *config(const char *key, unsigned int i);

/* A message for the kernel log, and out: the run ends with status 125. */
void fail(const char *fmt, ...)
	__attribute__((format(printf, 1, 2), noreturn));
/* A message for the kernel log. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

enum port { PORT_CTL, PORT_IN, PORT_OUT, PORT_ERR, N_PORTS };

/* Descriptors of the ports, non-blocking; -1 before ports_open(). */
extern int port_fd[N_PORTS];

/* Find and open the ports, and wait until the host listens on each. */
void ports_open(void);
/* Send one line to the host on the control port. */
void tell_host(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Mount the host's file system and the rest, and change root into it. */
void enter_host_root(void);
/* Mount the rest only: the initramfs holds all that is needed. */
void enter_ram_root(void);

/*
 * Run the command with its standard streams joined to the ports; returns its
 * status as a shell would give it. Bytes sent to the host are counted in
 * *out and *err.
 */
int run_command(char **argv, char **env, unsigned long long *out,
		unsigned long long *err);

#endif
