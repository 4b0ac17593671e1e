/* SPDX-License-Identifier: MIT */
/* What watch.c asks links.c, and late.c beside it. */
#ifndef GAUDI_COLL_WATCH_H
#define GAUDI_COLL_WATCH_H

#include "../comm/comm.h"

/*
 * Who has said nothing for so long may have been stopped; or for most of the time that a collective
 * may take, if that is less, but longer than from one word to the next.
 */
#define SILENT_MS	5000
#define LEAST_SILENT_MS	1500

/* With the lock: has rank @i, which has not left, said nothing for so long? */
static inline bool coll_is_silent(const struct coll_comm *comm, uint32_t i,
				  int64_t now)
{
	int64_t ms = comm->settings.timeout_ms / 2;

	if (ms > SILENT_MS)
		ms = SILENT_MS;
	if (ms < LEAST_SILENT_MS)
		ms = LEAST_SILENT_MS;

	return i != comm->rank && !comm->peers[i].bye &&
	       now - comm->peers[i].heard_ms > ms;
}

#define COLL_LINK_TEXT	64
/* The link to @peer, to be put behind what is said of it, into @text (COLL_LINK_TEXT): @text. */
const char *coll_link_text(const struct coll_comm *comm, uint32_t peer, char *text);

/* Has a rank not called what has ended here? */
void coll_late_look(struct coll_comm *comm);
/* With the lock: a rank for which links of this one have work under way; UINT32_MAX: there is none. */
uint32_t coll_link_under_way(const struct coll_comm *comm);
/* Has one failed? */
void coll_links_look(struct coll_comm *comm);
/* Do graphs' collectives go on? */
void coll_links_look_at_captured(struct coll_comm *comm);
bool coll_transfers_go_on(const struct coll_comm *comm);

#endif /* GAUDI_COLL_WATCH_H */
