/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What gaudi-tpc-run is told. */
#ifndef GAUDI_RUN_OPTIONS_H
#define GAUDI_RUN_OPTIONS_H

#include "run_show.h"

enum run_status {
	RUN_QUIT = -1,
	RUN_FILES = 1,
	RUN_USAGE,
	RUN_STOPPED,
	RUN_LIMIT,
	RUN_HAZARD,
};

#define RUN_PRINTS	32

struct run_options {
	uint32_t scalar[GAUDI_TPC_S_COUNT];
	unsigned int scalars;
	struct run_print print[RUN_PRINTS];
	unsigned int prints;
	const char *break_at[RUN_BREAKS - 1];
	unsigned int breaks;
	const char *watch_at[RUN_WATCHES];
	unsigned int watches;
	bool steps, trace, debug, hazards, stats;
};

/*
 * Fills both, with the tensors' contents. 0; -1: help was wanted; else an enum
 * run_status, and what is wrong was told. In any case run_machine_end().
 */
int run_options(int argc, char **argv, struct run_options *o,
		struct run_machine *m);

#endif /* GAUDI_RUN_OPTIONS_H */
