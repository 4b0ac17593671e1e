/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers, words and counts of a TPC as text. */
#ifndef GAUDI_RUN_SHOW_H
#define GAUDI_RUN_SHOW_H

#include <stdio.h>

#include "run_machine.h"

/* A register, as in "v3:f32"; all of a file, "v"; or all there are, "all". */
struct run_print {
	uint8_t kind;			/* enum gaudi_tpc_kind, or RUN_SHOW_* */
	uint8_t num;			/* RUN_SHOW_FILE: all of the kind */
	int8_t type;			/* enum gaudi_npy_type, or -1: hex */
};

#define RUN_SHOW_FILE	0xff		/* num */
/* Kinds that operands have not. */
enum {
	RUN_SHOW_PC = 0x80,
	RUN_SHOW_CARRY,
	RUN_SHOW_S_CARRY,
	RUN_SHOW_SEMAPHORE,
	RUN_SHOW_DIV_STEP,
	RUN_SHOW_ALL,
};

/* 0, or -1: there is no such register or format. */
int run_print_parse(const char *text, struct run_print *print);
void run_print(FILE *to, const struct gaudi_tpc_core *core,
	       const struct run_print *print);
/* type: enum gaudi_npy_type, or -1: 32 bits in hex. */
void run_show_value(FILE *to, const uint8_t *p, int type);
/* "  0x00040  main+0x40  ..."; mark: "=> " or spaces before it. */
void run_show_word(FILE *to, const struct run_machine *m, uint64_t offset,
		   const char *mark);
/* Registers in which the two differ. */
void run_show_changes(FILE *to, const struct gaudi_tpc_core *core,
		      const struct gaudi_tpc_regs *old);
/* What arithmetic has told of a kernel, for --causes. */
void run_show_causes(FILE *to, const struct run_machine *m);
void run_show_stats(FILE *to, const struct run_machine *m, double seconds);

#endif /* GAUDI_RUN_SHOW_H */
