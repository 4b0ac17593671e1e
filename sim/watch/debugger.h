/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * A debugger of the cards' TPCs, at the port or socket that GAUDI_SIM_TPC_GDB names: the
 * first process that has cards has it. Documentation/tpc-gdb.rst.
 */
#ifndef SIM_DEBUGGER_H
#define SIM_DEBUGGER_H

/* The cards have been made. */
void sim_debugger_begin(void);
/* The process ends: a client is told. */
void sim_debugger_end(void);

#endif /* SIM_DEBUGGER_H */
