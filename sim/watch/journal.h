/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * A journal of the cards (gaudi_chip.h) in the file that GAUDI_SIM_JOURNAL names. Such
 * cards have no workers: one thread runs them all.
 */
#ifndef SIM_JOURNAL_H
#define SIM_JOURNAL_H

#include "../kernel/kernel.h"

struct gaudi_chip;
struct gaudi_journal;

/* No card has been made yet. 0; -errno with a line in the log. */
int sim_journal_begin(void);
/* NULL: there is none. */
struct gaudi_journal *sim_journal(void);
/* The process ends, or is going to be killed. */
void sim_journal_end(void);
/* Card @n has work; its lock may be held. */
void sim_journal_kick(unsigned int n);
/* What the driver writes into SRAM and HBM; @to is no register. */
void sim_journal_copy(void *to, const void *from, size_t size);

#endif /* SIM_JOURNAL_H */
