/* SPDX-License-Identifier: MIT */
/*
 * What ranks tell each other while they work (control.c), and what takes too long
 * (watch.c).
 */
#ifndef GAUDI_COLL_CONTROL_H
#define GAUDI_COLL_CONTROL_H

#include "../comm/comm.h"

int coll_control_start(struct coll_comm *comm);
void coll_control_stop(struct coll_comm *comm);
/* It has failed, and all links are given up. @tell: the peers, too. */
void coll_comm_fail(struct coll_comm *comm, hcclResult_t error, bool tell,
		    const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* This rank calls; *@mark gets its number. */
void coll_control_call(struct coll_comm *comm, struct coll_mark *mark);
/* All peers: there is no more work. */
void coll_control_bye(struct coll_comm *comm);
/*
 * Those of other boxes have said so, too: what closes a connection of libfabric's may lose what
 * is on its way to the other side. As long as a collective may take.
 */
void coll_control_await_byes(struct coll_comm *comm);

int coll_watch_init(struct coll_comm *comm);
void coll_watch_exit(struct coll_comm *comm);
/* With @lock. NULL: too many are under way, so this one is not watched. */
struct coll_watch *coll_watch_add(struct coll_comm *comm,
				  const struct coll_mark *mark);
/* Has one failed, or taken too long? */
void coll_watch_look(struct coll_comm *comm);

#endif /* GAUDI_COLL_CONTROL_H */
