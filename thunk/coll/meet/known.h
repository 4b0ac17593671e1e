/* SPDX-License-Identifier: MIT */
/*
 * What a listener does with the id of the process's first one (known.c; how it is found is
 * in meet.h), and the launcher, as one that keeps it (pmix.c).
 */
#ifndef GAUDI_COLL_KNOWN_H
#define GAUDI_COLL_KNOWN_H

#include <stdbool.h>

#include "meet.h"

/* Nothing is done where there is neither a file nor a launcher for it. */
int coll_id_publish(const struct coll_id *id);
/* All have come, or none will. */
void coll_id_withdraw(const struct coll_id *id);

/* Was this process started by a launcher that speaks PMIx, and is there a library for it? */
bool coll_pmix_is_there(void);
int coll_pmix_put(const struct coll_id *id);
/* What the job's process 0 has put, or will put within @ms. */
int coll_pmix_get(int ms, struct coll_id *id);

#endif /* GAUDI_COLL_KNOWN_H */
