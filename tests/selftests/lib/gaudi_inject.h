/* SPDX-License-Identifier: GPL-2.0-only */
/* Faults on demand (Documentation/faults.rst), by the guest's port to the host. */
#ifndef GAUDI_INJECT_H
#define GAUDI_INJECT_H

#include <stddef.h>

/* The port, or -ENODEV. One process at a time may use it. */
int gt_port_open(void);
/*
 * Ask for something about card gaudi<card>: "inject" a fault, "clear" all, or
 * "status" (JSON). The answer's lines, or why it was refused, go to text, cut to
 * len bytes. 0, -EINVAL: refused, -EIO: no answer.
 */
int gt_port_ask(int port, const char *what, unsigned int card,
		const char *fault, char *text, size_t len);

#endif /* GAUDI_INJECT_H */
