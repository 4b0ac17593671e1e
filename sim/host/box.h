/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * A box whose cards several processes have: GAUDI_SIM_BOX is its name.
 *
 * Each process has a model of each card, and works with those that it has opened: while
 * it has, the card is its own, by the name of a fabric's box (gaudi_chip.h), which one
 * process at a time has, and which goes with it. Cables lead to the models of whoever
 * has the cards at the other ends. A card that is not open has its cables, too, as the
 * driver looks for them when it boots, but nobody is at their ends.
 */
#ifndef SIM_BOX_H
#define SIM_BOX_H

#include <stdbool.h>

struct gaudi_chip;

/* Whether there is one. */
bool sim_box_is_shared(void);
/* Before the driver sees the card. @want: how many there are. 0 or -errno. */
int sim_box_plug(unsigned int n, struct gaudi_chip *chip, unsigned int want);
/*
 * This process opens the card: 0; -EBUSY: another one has it; -errno. Once for each
 * time that it lets it go.
 */
int sim_box_claim(unsigned int n, struct gaudi_chip *chip, unsigned int want);
void sim_box_release(unsigned int n, struct gaudi_chip *chip, unsigned int want);

#endif /* SIM_BOX_H */
