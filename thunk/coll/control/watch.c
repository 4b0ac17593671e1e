// SPDX-License-Identifier: MIT
/*
 * Collectives, sends and receives under way: each has an event before and one behind it on its
 * stream. Its time begins when the first has ended, so that nobody is blamed for what the
 * stream does before.
 */
#include <stdio.h>
#include <string.h>

#include "control.h"
#include "watch.h"
#include "../base/net.h"

enum { GOES_ON, ENDED, TOO_LONG };

int coll_watch_init(struct coll_comm *comm)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < COLL_WATCHED; i++) {
		rc = gaudi_event_create(comm->device, GAUDI_EVENT_NO_TIMING,
					&comm->watch[i].begin);
		if (!rc)
			rc = gaudi_event_create(comm->device,
						GAUDI_EVENT_NO_TIMING,
						&comm->watch[i].end);
	}

	return coll_gaudi(rc, "events");
}

void coll_watch_exit(struct coll_comm *comm)
{
	for (uint32_t i = 0; i < COLL_WATCHED; i++) {
		gaudi_event_destroy(comm->watch[i].begin);
		gaudi_event_destroy(comm->watch[i].end);
	}
}

int coll_watch_begin(struct coll_comm *comm, const struct coll_mark *mark,
		     uint64_t peers, struct gaudi_stream *stream,
		     struct coll_watch **out)
{
	struct coll_watch *watch = NULL;

	pthread_mutex_lock(&comm->lock);
	if (comm->watch_num < COLL_WATCHED) {
		watch = &comm->watch[(comm->watch_first + comm->watch_num++) %
				     COLL_WATCHED];
		watch->mark = *mark;
		watch->peers = peers;
		watch->begun_ms = 0;
		watch->ready = watch->ended = false;
	}
	pthread_mutex_unlock(&comm->lock);
	*out = watch;

	return watch ? coll_gaudi(gaudi_event_record(watch->begin, stream),
				  "an event") : 0;
}

int coll_watch_end(struct coll_comm *comm, struct coll_watch *watch,
		   struct gaudi_stream *stream, int error)
{
	atomic_store(&comm->active, true);
	if (!watch)
		return error;
	if (!error)
		error = coll_gaudi(gaudi_event_record(watch->end, stream),
				   "an event");
	pthread_mutex_lock(&comm->lock);
	watch->ready = true;
	pthread_mutex_unlock(&comm->lock);

	return error;
}

/* " with ranks 1, 3" */
static void put_peers(uint64_t peers, char *text, size_t size)
{
	size_t at = 0;

	*text = '\0';
	for (uint32_t i = 0; i < 64 && at < size; i++)
		if (peers & 1ull << i)
			at += (size_t)snprintf(text + at, size - at, "%s%u",
					       at ? ", " : " with rank ", i);
}

/* Who keeps the others waiting, as far as it is known. */
static void blame(struct coll_comm *comm, const struct coll_watch *watch,
		  char text[COLL_MESSAGE_SIZE])
{
	char what[COLL_MARK_TEXT], peers[64], link[COLL_LINK_TEXT];
	const char *why = "does not answer";
	int64_t now = coll_now_ms();
	uint32_t i = 0;
	int seconds = comm->settings.timeout_ms / 1000;

	coll_mark_text(&watch->mark, what);
	put_peers(watch->peers, peers, sizeof(peers));
	/* Who does not call may wait for who does not answer. */
	while (i < comm->ranks && !coll_is_silent(comm, i, now))
		i++;
	if (i == comm->ranks && !watch->peers) {
		why = "has not called it";
		for (i = 0; i < comm->ranks; i++)
			if (i != comm->rank && comm->peers[i].seq < watch->mark.seq)
				break;
	}
	if (i >= comm->ranks) {
		why = "is waited for";
		i = coll_link_under_way(comm);
	}
	if (i < comm->ranks)
		snprintf(text, COLL_MESSAGE_SIZE,
			 "%s%s has not ended in %d s: rank %u %s%s", what, peers,
			 seconds, i, why, coll_link_text(comm, i, link));
	else
		snprintf(text, COLL_MESSAGE_SIZE,
			 "%s%s has not ended in %d s on rank %u", what, peers,
			 seconds, comm->rank);
}

/* 0: it goes on; or that it has ended, or takes too long; or a failure. */
static int look(struct coll_comm *comm, struct coll_watch *watch)
{
	int rc = gaudi_event_query(watch->end);

	if (rc != GAUDI_ERR_NOT_READY)
		return rc ? rc : ENDED;
	if (!watch->begun_ms) {
		rc = gaudi_event_query(watch->begin);
		if (rc == GAUDI_ERR_NOT_READY)
			return GOES_ON;
		if (rc)
			return rc;
		watch->begun_ms = coll_now_ms();
	}

	return coll_now_ms() - watch->begun_ms > comm->settings.timeout_ms ?
	       TOO_LONG : GOES_ON;
}

/* With the lock: the next one that has failed, or takes too long; rc says which. */
static struct coll_watch *find_bad(struct coll_comm *comm, int *rc)
{
	for (uint32_t i = 0; i < comm->watch_num; i++) {
		struct coll_watch *watch = &comm->watch[(comm->watch_first + i) %
							COLL_WATCHED];

		if (watch->ended)
			continue;
		/* Links are looked at once more behind the end. */
		atomic_store(&comm->active, true);
		*rc = watch->ready ? look(comm, watch) : GOES_ON;
		watch->ended = *rc == ENDED;
		if (watch->ended && !watch->peers)
			comm->ended = watch->mark;
		/* What failed by a link is told with its name. */
		if (*rc != ENDED && *rc != GOES_ON && *rc != GAUDI_ERR_LINK)
			return watch;
	}
	while (comm->watch_num && comm->watch[comm->watch_first].ended) {
		comm->watch_first = (comm->watch_first + 1) % COLL_WATCHED;
		comm->watch_num--;
	}

	return NULL;
}

void coll_watch_look(struct coll_comm *comm)
{
	char text[COLL_MESSAGE_SIZE], what[COLL_MARK_TEXT];
	struct coll_watch *watch;
	int rc = GOES_ON;

	/* First: what has ended by now may have ended because of one of them. */
	if (atomic_exchange(&comm->active, false) || atomic_load(&comm->captured))
		coll_links_look(comm);
	if (atomic_load(&comm->captured) && !atomic_load(&comm->failed))
		coll_links_look_at_captured(comm);
	if (atomic_load(&comm->transfers)) {
		atomic_store(&comm->active, true);
		atomic_store(&comm->transfers, coll_transfers_go_on(comm));
	}
	pthread_mutex_lock(&comm->lock);
	watch = find_bad(comm, &rc);
	if (watch && rc == TOO_LONG)
		blame(comm, watch, text);
	else if (watch)
		snprintf(text, sizeof(text), "%s on rank %u: %.120s",
			 coll_mark_text(&watch->mark, what), comm->rank,
			 gaudi_last_error(NULL));
	if (watch)
		comm->watch_num = 0;
	pthread_mutex_unlock(&comm->lock);
	if (watch)
		coll_comm_fail(comm, rc == TOO_LONG ? hcclSystemError :
						      hcclUnhandledSynapseError,
			       true, "%s", text);
}
