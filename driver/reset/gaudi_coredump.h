/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Take it while there is something to see; this allocates nothing. Hand it out when
 * all fences have signalled, since allocations may wait for them.
 */
#ifndef GAUDI_COREDUMP_H
#define GAUDI_COREDUMP_H

struct gaudi_device;
struct seq_file;

const struct seq_file *gaudi_coredump_take(struct gaudi_device *gdev,
					   const char *reason);
void gaudi_coredump_hand_out(struct gaudi_device *gdev,
			     const struct seq_file *s);

#endif /* GAUDI_COREDUMP_H */
