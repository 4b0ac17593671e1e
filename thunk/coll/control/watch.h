/* SPDX-License-Identifier: MIT */
/* What watch.c asks links.c, and late.c beside it. */
#ifndef GAUDI_COLL_WATCH_H
#define GAUDI_COLL_WATCH_H

#include "../comm/comm.h"

/* Who has said nothing for so long may have been stopped. */
#define SILENT_MS	5000

/* With the lock: has rank @i, which has not left, said nothing for so long? */
static inline bool coll_is_silent(const struct coll_comm *comm, uint32_t i,
				  int64_t now)
{
	return i != comm->rank && !comm->peers[i].bye &&
	       now - comm->peers[i].heard_ms > SILENT_MS;
}

/* Has a rank not called what has ended here? */
void coll_late_look(struct coll_comm *comm);
/* Has one failed? */
void coll_links_look(struct coll_comm *comm);
/* Do graphs' collectives go on? */
void coll_links_look_at_captured(struct coll_comm *comm);
bool coll_transfers_go_on(const struct coll_comm *comm);

#endif /* GAUDI_COLL_WATCH_H */
