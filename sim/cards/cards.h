/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * The cards of this process: how many GAUDI_SIM says. Each is in a slot of its own, for
 * which the driver finds it. The driver probes them all when one is wanted.
 */
#ifndef SIM_CARDS_H
#define SIM_CARDS_H

#include <stdbool.h>

#define CARD_VENDOR	0x1da3
#define CARD_DEVICE	0x1000

/* What GAUDI_SIM says, 0 if it is no number of cards; none is made. */
unsigned int sim_wanted_cards(void);
/* False in a child of fork() that cannot have cards of its own. */
bool sim_cards_are_here(void);
/* 0: the driver has the card; or what its probe said. */
int sim_card_boot(unsigned int n);
/*
 * The card is about to be opened, and was closed: 0, or -EBUSY if another process of
 * its box has it.
 */
int sim_card_claim(unsigned int n);
void sim_card_release(unsigned int n);
/* The driver's, by its macro. */
int sim_module_init(void);
/* As in sysfs; 16 bytes. */
void sim_card_busid(unsigned int n, char busid[16]);

/* --- fork.c --- */

/* In a child: there are no cards any more. False: nothing was remembered. */
bool sim_fork_restore(void);
/* What else there is to do in a child once there are cards: the files'. */
extern void (*sim_in_child)(void);
/* In a child that cannot have any. */
void sim_cards_lose(void);

#endif /* SIM_CARDS_H */
