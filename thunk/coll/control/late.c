// SPDX-License-Identifier: MIT
/*
 * A rank's part of a call may end before another rank has come to its own: what was sent
 * waits in a box, or in a buffer of libfabric's. So who does not call for as long as a
 * collective may take is told of, as if it were waited for.
 */
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

void coll_late_look(struct coll_comm *comm)
{
	char what[COLL_MARK_TEXT] = "a send";
	const char *why = "has not called it";
	int64_t now = coll_now_ms();
	uint32_t i = 0;

	if (atomic_load(&comm->failed))
		return;
	pthread_mutex_lock(&comm->lock);
	while (i < comm->ranks &&
	       (i == comm->rank || !is_late(comm, &comm->peers[i], now)))
		i++;
	if (i < comm->ranks) {
		if (comm->peers[i].seq < comm->ended.seq)
			coll_mark_text(&comm->ended, what);
		if (comm->peers[i].bye)
			why = "has left without it";
		else if (now - comm->peers[i].heard_ms > SILENT_MS)
			why = "does not answer";
	}
	pthread_mutex_unlock(&comm->lock);
	if (i < comm->ranks)
		coll_comm_fail(comm, hcclSystemError, true,
			       "%s of rank %u has ended there only, in %d s: rank %u %s", what,
			       comm->rank, comm->settings.timeout_ms / 1000, i, why);
}
