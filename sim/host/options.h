/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * What the environment says of the cards besides their number: GAUDI_SIM_BOARD, the
 * profile of their box (firmware-stub/board/profiles, compiled); GAUDI_SIM_RECORD_EVENTS,
 * how many events of each card a record has; GAUDI_SIM_TIMING, whether the cards have a
 * model of time. ../watch has GAUDI_SIM_RECORD, GAUDI_SIM_TPC_GDB and GAUDI_SIM_JOURNAL,
 * and ../cards/wanted.c GAUDI_SIM_INJECT, faults, a line each, and GAUDI_SIM_FIDELITY,
 * where reports go at the end.
 */
#ifndef SIM_OPTIONS_H
#define SIM_OPTIONS_H

#include "../../qemu-device/chip/gaudi_chip.h"

/* NULL: it says nothing. */
const char *sim_option(const char *name);
/* Card @n, before it is made: 0, or -errno with a line in the log. */
int sim_option_board(unsigned int n, struct gaudi_config *config);
int sim_option_record_events(struct gaudi_config *config);
/* Not with what the clock of such a card does not reach. The same. */
int sim_option_timing(struct gaudi_config *config);

#endif /* SIM_OPTIONS_H */
