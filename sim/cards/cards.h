/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * The cards of this process: how many GAUDI_SIM says. Each is in a slot of its own, for
 * which the driver finds it. The driver probes them all when one is wanted.
 */
#ifndef SIM_CARDS_H
#define SIM_CARDS_H

#include <stdbool.h>

struct gaudi_config;
struct pci_dev;
struct sim_image;

#define CARD_VENDOR	0x1da3
#define CARD_DEVICE	0x1000

/* What GAUDI_SIM says, 0 if it is no number of cards; none is made. */
unsigned int sim_wanted_cards(void);
/* Makes them, when called for the first time. */
unsigned int sim_num_cards(void);
/* False in a child of fork() that cannot have cards of its own. */
bool sim_cards_are_here(void);
/* The same, and there are some: none is made. */
bool sim_cards_are_ours(void);
/* 0: the driver has the card; or what its probe said. */
int sim_card_boot(unsigned int n);
/*
 * The card is about to be opened, and was closed: 0, or -EBUSY if another process of
 * its box has it.
 */
int sim_card_claim(unsigned int n);
void sim_card_release(unsigned int n);
/* How it is made: 0, or -errno with a line in the log. */
int sim_card_config(unsigned int n, struct gaudi_config *config);
/* Of a card that there is. */
struct pci_dev *sim_card_slot(unsigned int n);
/*
 * What it reaches of the host's memory from now on, without interrupts; NULL: the
 * process's, with them. What is under way may still have the one before.
 */
void sim_card_give(unsigned int n, struct sim_image *image);
/* The driver's, by its macro. */
int sim_module_init(void);
/* As in sysfs; 16 bytes. */
void sim_card_busid(unsigned int n, char busid[16]);

/* --- fork.c --- */

/* Before the first card is made. */
void sim_fork_remember(void);
/* In a child: there are no cards any more. False: nothing was remembered. */
bool sim_fork_restore(void);
/* What else there is to do in a child once there are cards: the files'. */
extern void (*sim_in_child)(void);
/* In a child that cannot have any. */
void sim_cards_lose(void);

/* --- wanted.c --- */

/* All cards are there, and have not booted: 0, or -errno with a line in the log. */
int sim_cards_begin(void);

#endif /* SIM_CARDS_H */
