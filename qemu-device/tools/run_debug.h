/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A debugger of TPC kernels that reads commands from standard input. */
#ifndef GAUDI_RUN_DEBUG_H
#define GAUDI_RUN_DEBUG_H

#include "run_machine.h"

enum run_debug_end {
	RUN_DEBUG_ENDED,		/* the kernel; see the core's stop */
	RUN_DEBUG_LIMIT,
	RUN_DEBUG_QUIT,			/* by command, or the input's end */
};

/* The kernel is launched, and no word executed. */
enum run_debug_end run_debug(struct run_machine *m);

#endif /* GAUDI_RUN_DEBUG_H */
