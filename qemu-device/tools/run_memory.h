/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory of a TPC as text, and what tells when it changes. */
#ifndef GAUDI_RUN_MEMORY_H
#define GAUDI_RUN_MEMORY_H

#include <stdio.h>

#include "run_machine.h"

/*
 * A place in memory, as in "slm+0x10", "vlm+256:f32", "t1+8", "t1(3,0)" or
 * "0x2000100000:u8". 0, or -1 and why.
 */
int run_at_parse(struct run_machine *m, const char *text, struct run_at *at,
		 char *why, size_t size);
/* "[PLACE [COUNT]]": elements of the place's type; what is wrong is told. */
void run_memory_show(FILE *to, struct run_machine *m, const char *text);

/* 0, or -1 and why. */
int run_watch(struct run_machine *m, const char *text, char *why, size_t size);
/* Without number k, from 1; all of them if it is 0. -1: there is none. */
int run_unwatch(struct run_machine *m, unsigned int k);
void run_watch_list(FILE *to, const struct run_machine *m);
/* What run_machine_go() has found to be changed, once; false if nothing. */
bool run_watch_tell(FILE *to, struct run_machine *m);

#endif /* GAUDI_RUN_MEMORY_H */
