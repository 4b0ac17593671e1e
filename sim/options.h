/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * What the environment says of the cards besides their number: GAUDI_SIM_BOARD, the
 * profile of their box (firmware-stub/board/profiles, compiled); GAUDI_SIM_INJECT, faults,
 * a line each; GAUDI_SIM_FIDELITY, where reports go at the end; GAUDI_SIM_RECORD_EVENTS,
 * how many events of each card a record has; GAUDI_SIM_TIMING, whether the cards have a
 * model of time; record.h has GAUDI_SIM_RECORD, debugger.h
 * GAUDI_SIM_TPC_GDB, and journal.h GAUDI_SIM_JOURNAL.
 */
#ifndef SIM_OPTIONS_H
#define SIM_OPTIONS_H

#include "../qemu-device/chip/gaudi_chip.h"

/* NULL: it says nothing. */
const char *sim_option(const char *name);
/* Card @n, before it is made: 0, or -errno with a line in the log. */
int sim_option_board(unsigned int n, struct gaudi_config *config);
int sim_option_record_events(struct gaudi_config *config);
/* Not with what the clock of such a card does not reach. The same. */
int sim_option_timing(struct gaudi_config *config);
/* All cards are there, and have not booted. */
int sim_option_inject(void);

#endif /* SIM_OPTIONS_H */
