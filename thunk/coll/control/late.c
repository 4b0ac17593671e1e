// SPDX-License-Identifier: MIT
/*
 * A rank's part of a call may end before another rank has come to its own: what was sent
 * waits in a mailbox, or in a buffer of libfabric's. So who does not call for as long as a
 * collective may take is told of, as if it were waited for.
 */
#include <stdio.h>

#include "control.h"
#include "watch.h"
#include "../base/net.h"

/* With the lock. */
static bool is_late(struct coll_comm *comm, struct coll_peer *peer, int64_t now)
{
	bool behind = peer->seq < comm->ended.seq ||
		      (peer->given < peer->sent &&
		       gaudi_event_query(peer->to.order) != GAUDI_ERR_NOT_READY);

	if (!behind || peer->seq != peer->late_seq ||
	    peer->given != peer->late_given) {
		peer->late_seq = peer->seq;
		peer->late_given = peer->given;
		peer->late_ms = now;
	}

	return behind && (peer->bye ||
			  now - peer->late_ms > comm->settings.timeout_ms);
}

/* What of rank @i is missed. */
static void say(const struct coll_comm *comm, uint32_t i, int64_t now,
		char text[COLL_MESSAGE_SIZE])
{
	const struct coll_peer *peer = &comm->peers[i];
	int seconds = comm->settings.timeout_ms / 1000;
	char what[COLL_MARK_TEXT] = "a send", link[COLL_LINK_TEXT];

	if (peer->seq < comm->ended.seq)
		coll_mark_text(&comm->ended, what);
	if (peer->bye)
		snprintf(text, COLL_MESSAGE_SIZE, "%s of rank %u has ended, and rank %u has left without it",
			 what, comm->rank, i);
	else
		snprintf(text, COLL_MESSAGE_SIZE, "%s of rank %u has ended %d s ago: rank %u %s%s",
			 what, comm->rank, seconds, i,
			 coll_is_silent(comm, i, now) ? "does not answer" :
							"has not called it",
			 coll_link_text(comm, i, link));
}

void coll_late_look(struct coll_comm *comm)
{
	char text[COLL_MESSAGE_SIZE];
	int64_t now = coll_now_ms();
	uint32_t late = comm->ranks;

	if (atomic_load(&comm->failed))
		return;
	pthread_mutex_lock(&comm->lock);
	for (uint32_t i = 0; i < comm->ranks; i++)
		if (i != comm->rank && is_late(comm, &comm->peers[i], now) &&
		    (late == comm->ranks || coll_is_silent(comm, i, now)))
			late = i;
	if (late < comm->ranks)
		say(comm, late, now, text);
	pthread_mutex_unlock(&comm->lock);
	if (late < comm->ranks)
		coll_comm_fail(comm, hcclSystemError, true, "%s", text);
}
