/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* What the files of the room share; see cards.h. */
#ifndef SIM_CARDS_PRIV_H
#define SIM_CARDS_PRIV_H

#include "../kernel/base/types.h"
#include "cards.h"

struct gaudi_config;
struct gaudi_sim_card;
struct pci_dev;
struct sim_image;

/* --- card.c --- */

/* Makes them, when called for the first time. */
unsigned int sim_num_cards(void);
/* sim_cards_are_here(), and there are some: none is made. */
bool sim_cards_are_ours(void);
/* How it is made: 0, or -errno with a line in the log. */
int sim_card_config(unsigned int n, struct gaudi_config *config);
/* Of a card that there is. */
struct pci_dev *sim_card_slot(unsigned int n);
/*
 * What it reaches of the host's memory from now on, without interrupts; NULL: the
 * process's, with them. What is under way may still have the one before.
 */
void sim_card_give(unsigned int n, struct sim_image *image);

/* --- fork.c --- */

/* Before the first card is made. */
void sim_fork_remember(void);

/* --- wanted.c --- */

/* All cards are there, and have not booted: 0, or -errno with a line in the log. */
int sim_cards_begin(void);

/* --- snapshot.c --- */

/* Of the host's memory that a loaded card has; NULL: not all of it is there. */
void *sim_snapshot_memory(const struct gaudi_sim_card *card, u64 at,
			  size_t size);

#endif /* SIM_CARDS_PRIV_H */
