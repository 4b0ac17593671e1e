/* SPDX-License-Identifier: MIT */
/* The launcher, as one that keeps the id of the first listener (pmix.c); see meet.h. */
#ifndef GAUDI_COLL_KNOWN_H
#define GAUDI_COLL_KNOWN_H

#include <stdbool.h>

#include "meet.h"

/* Was this process started by a launcher that speaks PMIx, and is there a library for it? */
bool coll_pmix_is_there(void);
int coll_pmix_put(const struct coll_id *id);
/* What the job's process 0 has put, or will put within @ms. */
int coll_pmix_get(int ms, struct coll_id *id);

#endif /* GAUDI_COLL_KNOWN_H */
