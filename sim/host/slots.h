/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* Which card is in which slot, for all that looks at cards. */
#ifndef SIM_SLOTS_H
#define SIM_SLOTS_H

struct gaudi_chip;

/* NULL: there is none, or none yet. */
struct gaudi_chip *sim_card_chip(unsigned int n);
/* When all have been made; NULL takes it out again. */
void sim_slot_set(unsigned int n, struct gaudi_chip *chip);

#endif /* SIM_SLOTS_H */
