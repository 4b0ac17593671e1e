/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers, words and counts of a TPC as text. */
#ifndef GAUDI_RUN_SHOW_H
#define GAUDI_RUN_SHOW_H

#include <stdio.h>

#include "run_machine.h"

/* A register, as in "v3:f32". */
struct run_print {
	uint8_t kind;			/* enum gaudi_tpc_kind; HW: the PC */
	uint8_t num;
	int8_t type;			/* enum gaudi_npy_type, or -1: hex */
};

/* 0, or -1: there is no such register or format. */
int run_print_parse(const char *text, struct run_print *print);
void run_print(FILE *to, const struct gaudi_tpc_core *core,
	       const struct run_print *print);
/* "  0x00040  main+0x40  ..."; mark: "=> " or spaces before it. */
void run_show_word(FILE *to, const struct run_machine *m, uint64_t offset,
		   const char *mark);
/* Registers in which the two differ. */
void run_show_changes(FILE *to, const struct gaudi_tpc_core *core,
		      const struct gaudi_tpc_regs *old);
void run_show_stats(FILE *to, const struct run_machine *m, double seconds);

#endif /* GAUDI_RUN_SHOW_H */
