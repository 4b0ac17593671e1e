/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of libgaudi-chip.so.0 share, and no program sees. */
#ifndef GAUDI_RUN_CORE_H
#define GAUDI_RUN_CORE_H

#include "../chip/tpc/exec/tpc_exec.h"
#include "gaudi_run.h"

struct gaudi_tpc_core *gaudi_core_of_run(const struct gaudi_run *run);
/* As gaudi_run_execute() returns it. */
int gaudi_result_of_run(enum gaudi_tpc_why why);

#endif /* GAUDI_RUN_CORE_H */
