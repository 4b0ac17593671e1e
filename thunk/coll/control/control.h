/* SPDX-License-Identifier: MIT */
/*
 * What ranks tell each other while they work (control.c), what takes too long (watch.c,
 * late.c), and links that fail (links.c). Each communicator has a thread for it, which hears
 * the peers, and looks at what is under way ten times a second.
 *
 * What this thread shares with others is under @lock (comm.h), which functions here take
 * themselves: none is called with it held.
 */
#ifndef GAUDI_COLL_CONTROL_H
#define GAUDI_COLL_CONTROL_H

#include "../comm/comm.h"

int coll_control_start(struct coll_comm *comm);
void coll_control_stop(struct coll_comm *comm);
/* It has failed, and all links are given up. @spread: the peers hear it. */
void coll_comm_fail(struct coll_comm *comm, hcclResult_t error, bool spread,
		    const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* This rank calls; *@mark gets its number. */
void coll_control_call(struct coll_comm *comm, struct coll_mark *mark);
/*
 * This rank sends, or receives, a message of @bytes, in the order of its messages with @peer;
 * before any of it is enqueued.
 */
void coll_control_message(struct coll_comm *comm, uint32_t peer, bool send,
			  uint64_t bytes);
/*
 * What the others have said by now has been heard; and of messages that have been received, that
 * they have the size that was sent.
 */
void coll_control_hear(struct coll_comm *comm);
/* This rank gives up: so it has failed, for all. */
void coll_control_abort(struct coll_comm *comm);
/* All peers: there is no more work. */
void coll_control_bye(struct coll_comm *comm);
/*
 * They have said so, too. An acknowledgement to a peer may have been lost: its card sends again,
 * and finds nobody if this link is gone. As long as a card does that. And what closes a
 * connection of libfabric's may lose what is on its way to the other side: with several boxes,
 * as long as a collective may take.
 */
void coll_control_await_byes(struct coll_comm *comm);

void coll_watch_init(struct coll_comm *comm);
void coll_watch_exit(struct coll_comm *comm);
/*
 * What is enqueued between these two is watched, for one thread at a time (@run). @peers: bits of
 * those that a transfer is with; 0: a collective, of all. @error, if what came between failed,
 * comes back.
 */
int coll_watch_begin(struct coll_comm *comm, const struct coll_mark *mark,
		     uint64_t peers, struct gaudi_stream *stream,
		     struct coll_watch **watch);
int coll_watch_end(struct coll_comm *comm, struct coll_watch *watch,
		   struct gaudi_stream *stream, int error);
/*
 * The other side's end of a link fails, too, when a rank gives up or ends, which that tells, or
 * its connection: so what fails by a link waits a moment for the reason. false: it has come,
 * or may still, if the control thread itself asks.
 */
bool coll_links_without_reason(struct coll_comm *comm);
/* With the lock: what the rank is at now; NULL: all that was called has ended. */
const struct coll_mark *coll_watch_at(const struct coll_comm *comm);
/*
 * Has one failed, or taken too long? Has a link failed? Once the communicator has failed: does
 * what is left of them end?
 */
void coll_watch_look(struct coll_comm *comm);
/* Behind the end of the links and of the thread: until nothing is left of them. */
void coll_watch_settle(struct coll_comm *comm);

#endif /* GAUDI_COLL_CONTROL_H */
