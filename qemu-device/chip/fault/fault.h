/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Faults on demand, within the card.
 *
 *   fault_table.c  the catalogue: names, keys, what belongs together
 *   fault_spec.c   the text form of a fault, read and checked
 *   fault.c        what is armed: triggers, time, state
 *   fault_act.c    faults that happen by themselves: events, error reports
 *   fault_hook.c   faults in what the card does: the hooks of fault_site.h
 *   fault_port.c   faults of the NIC's ports, of both kinds
 *
 * A fault belongs to a site. At GAUDI_FAULT_NOW it happens by itself, at once
 * or at a time; at another site it strikes what passes there. Faults outlive
 * resets of the card, as broken hardware does.
 *
 * Everything here is called with the card's lock held. What arms and lists
 * faults is declared in gaudi_chip.h.
 */
#ifndef GAUDI_FAULT_H
#define GAUDI_FAULT_H

#include "../core/core.h"

int gaudi_fault_init(struct gaudi_chip *chip);
void gaudi_fault_fini(struct gaudi_chip *chip);
struct gaudi_snap;
/* Nothing of it is in a snapshot: none can be made while a fault is armed or goes on. */
void gaudi_fault_snap(struct gaudi_snap *s);
/* After a reset, which has stopped all timers. */
void gaudi_fault_rearm(struct gaudi_chip *chip);
/* The catalogue's rows, as a record's events name them. */
extern const size_t gaudi_fault_table_size;
const char *gaudi_fault_name(unsigned int row);

#endif /* GAUDI_FAULT_H */
