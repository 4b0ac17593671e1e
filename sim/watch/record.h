/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Records of what passed through the cards: in the file that GAUDI_SIM_RECORD names, which
 * is new at any time, so that a program that hangs and is killed leaves one.
 */
#ifndef SIM_RECORD_H
#define SIM_RECORD_H

#include <stdio.h>

/* The cards have been made. */
void sim_record_begin(void);
/* This process opens a card for work. */
void sim_record_opened(unsigned int n);
/* All cards that this process has opened, as they are now: 0 or -errno. */
int sim_record_write(FILE *out);
/* The process ends, or is going to be killed. */
void sim_record_end(void);

#endif /* SIM_RECORD_H */
