/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Snapshots of cards in a process, which gaudi_sim.h offers. A card that was loaded has no
 * driver: that is blocked, as for a suspend, until somebody opens the card.
 */
#ifndef SIM_SNAPSHOT_H
#define SIM_SNAPSHOT_H

#include "../kernel/base/types.h"

struct file;

/* sim_open_accel(), of a card that has booted; one that was loaded is reset before. */
int sim_snapshot_open(unsigned int n, struct file *file);

#endif /* SIM_SNAPSHOT_H */
