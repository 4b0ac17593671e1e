/* SPDX-License-Identifier: MIT */
/* What watch.c asks links.c. */
#ifndef GAUDI_COLL_WATCH_H
#define GAUDI_COLL_WATCH_H

#include "../comm/comm.h"

/* Has one failed? */
void coll_links_look(struct coll_comm *comm);
/* Do graphs' collectives go on? */
void coll_links_look_at_captured(struct coll_comm *comm);
bool coll_transfers_go_on(const struct coll_comm *comm);

#endif /* GAUDI_COLL_WATCH_H */
