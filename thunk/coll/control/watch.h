/* SPDX-License-Identifier: MIT */
/* What watch.c asks links.c, and late.c beside it. */
#ifndef GAUDI_COLL_WATCH_H
#define GAUDI_COLL_WATCH_H

#include "../comm/comm.h"

/* Who has said nothing for so long may have been stopped. */
#define SILENT_MS	5000

/* Has a rank not called what has ended here? */
void coll_late_look(struct coll_comm *comm);
/* Has one failed? */
void coll_links_look(struct coll_comm *comm);
/* Do graphs' collectives go on? */
void coll_links_look_at_captured(struct coll_comm *comm);
bool coll_transfers_go_on(const struct coll_comm *comm);

#endif /* GAUDI_COLL_WATCH_H */
