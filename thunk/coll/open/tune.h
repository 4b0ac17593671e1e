/* SPDX-License-Identifier: MIT */
#ifndef GAUDI_COLL_TUNE_H
#define GAUDI_COLL_TUNE_H

#include "../exec/exec.h"

/*
 * All ranks of @comm measure, and have rank 0's constants afterwards; rank 0 writes them to
 * the file that its settings name.
 */
int coll_tune(struct coll_comm *comm);

#endif /* GAUDI_COLL_TUNE_H */
