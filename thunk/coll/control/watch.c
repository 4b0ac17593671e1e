// SPDX-License-Identifier: MIT
/*
 * Collectives under way: each has an event before and one behind it on its stream. Its time
 * begins when the first has ended, so that nobody is blamed for what the stream does before.
 */
#include <stdio.h>
#include <string.h>

#include "control.h"
#include "../base/net.h"

/* Who has said nothing for so long may have been stopped. */
#define SILENT_MS	5000

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

struct coll_watch *coll_watch_add(struct coll_comm *comm,
				  const struct coll_mark *mark)
{
	struct coll_watch *watch;

	if (comm->watch_num == COLL_WATCHED)
		return NULL;
	watch = &comm->watch[(comm->watch_first + comm->watch_num++) %
			     COLL_WATCHED];
	watch->mark = *mark;
	watch->begun_ms = 0;
	watch->ready = false;

	return watch;
}

/* Who keeps the others waiting, as far as it is known. */
static void blame(struct coll_comm *comm, const struct coll_watch *watch,
		  char text[COLL_MESSAGE_SIZE])
{
	char what[COLL_MARK_TEXT];
	int64_t now = coll_now_ms();
	int seconds = comm->settings.timeout_ms / 1000;

	coll_mark_text(&watch->mark, what);
	for (uint32_t i = 0; i < comm->ranks; i++) {
		const struct coll_peer *peer = &comm->peers[i];

		if (i == comm->rank)
			continue;
		if (now - peer->heard_ms > SILENT_MS) {
			snprintf(text, COLL_MESSAGE_SIZE,
				 "%s has not ended in %d s: rank %u does not answer",
				 what, seconds, i);
			return;
		}
		if (peer->seq < watch->mark.seq) {
			snprintf(text, COLL_MESSAGE_SIZE,
				 "%s has not ended in %d s: rank %u has not called it",
				 what, seconds, i);
			return;
		}
	}
	snprintf(text, COLL_MESSAGE_SIZE, "%s has not ended in %d s on rank %u",
		 what, seconds, comm->rank);
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

/*
 * Events say nothing of links that have failed: what waits for them goes on. UINT32_MAX: all
 * are well.
 */
static uint32_t failed_link(struct coll_comm *comm)
{
	struct gaudi_link_info info = { .size = sizeof(info) };
	uint32_t failed = UINT32_MAX;

	pthread_mutex_lock(&comm->lock);
	for (uint32_t i = 0; i < comm->ranks; i++)
		for (unsigned int k = 0; i != comm->rank && k < COLL_LINKS; k++) {
			struct gaudi_link *link = comm->peers[i].links[k];

			if (failed == UINT32_MAX && link &&
			    (gaudi_link_get_info(link, &info) ||
			     info.state == GAUDI_LINK_FAILED))
				failed = i;
		}
	pthread_mutex_unlock(&comm->lock);

	return failed;
}

static void look_at_links(struct coll_comm *comm)
{
	char what[COLL_MARK_TEXT] = "a send or receive";
	uint32_t peer;

	if (atomic_load(&comm->failed))
		return;
	peer = failed_link(comm);
	if (peer == UINT32_MAX || atomic_load(&comm->failed))
		return;
	pthread_mutex_lock(&comm->lock);
	if (comm->seq)
		coll_mark_text(&comm->last, what);
	pthread_mutex_unlock(&comm->lock);
	coll_comm_fail(comm, hcclPortDown, true, "%s: the link of rank %u to rank %u has failed",
		       what, comm->rank, peer);
}

static bool transfers_go_on(const struct coll_comm *comm)
{
	for (uint32_t i = 0; i < comm->ranks; i++)
		if (gaudi_event_query(comm->peers[i].to.order) ==
		    GAUDI_ERR_NOT_READY ||
		    gaudi_event_query(comm->peers[i].from.order) ==
		    GAUDI_ERR_NOT_READY)
			return true;

	return false;
}

/*
 * What graphs do has no events here: if links have work of theirs, but end none of it for too
 * long, some rank has not launched its graph.
 */
static void look_at_captured(struct coll_comm *comm)
{
	struct gaudi_link_info info = { .size = sizeof(info) };
	uint64_t sum = 0, under_way = 0;
	uint32_t peer = 0;

	pthread_mutex_lock(&comm->lock);
	for (uint32_t i = 0; i < comm->ranks; i++) {
		struct gaudi_link *link = comm->peers[i].links[COLL_LINK_CAPTURED];

		if (!link || gaudi_link_get_info(link, &info))
			continue;
		if (info.under_way)
			peer = i;
		under_way += info.under_way;
		sum += info.writes + info.waited - info.under_way;
	}
	pthread_mutex_unlock(&comm->lock);
	if (!under_way || sum != comm->captured_sum || !comm->captured_ms)
		comm->captured_ms = coll_now_ms();
	comm->captured_sum = sum;
	if (coll_now_ms() - comm->captured_ms > comm->settings.timeout_ms)
		coll_comm_fail(comm, hcclSystemError, true,
			       "a captured collective on rank %u has not ended in %d s: rank %u has not launched it",
			       comm->rank, comm->settings.timeout_ms / 1000, peer);
}

void coll_watch_look(struct coll_comm *comm)
{
	char text[COLL_MESSAGE_SIZE], what[COLL_MARK_TEXT];
	hcclResult_t error = hcclSuccess;

	/* First: what has ended by now may have ended because of one of them. */
	if (atomic_exchange(&comm->active, false) || atomic_load(&comm->captured))
		look_at_links(comm);
	if (atomic_load(&comm->captured) && !atomic_load(&comm->failed))
		look_at_captured(comm);
	if (atomic_load(&comm->transfers)) {
		atomic_store(&comm->active, true);
		atomic_store(&comm->transfers, transfers_go_on(comm));
	}
	pthread_mutex_lock(&comm->lock);
	while (!error && comm->watch_num) {
		struct coll_watch *watch = &comm->watch[comm->watch_first];
		int rc = watch->ready ? look(comm, watch) : GOES_ON;

		/* Links are looked at once more behind the end. */
		atomic_store(&comm->active, true);
		if (rc == GOES_ON)
			break;
		if (rc == ENDED) {
			comm->watch_first = (comm->watch_first + 1) % COLL_WATCHED;
			comm->watch_num--;
			continue;
		}
		error = rc == TOO_LONG ? hcclSystemError :
			rc == GAUDI_ERR_LINK ? hcclPortDown :
			hcclUnhandledSynapseError;
		if (rc == TOO_LONG)
			blame(comm, watch, text);
		else
			snprintf(text, sizeof(text), "%s on rank %u: %.120s",
				 coll_mark_text(&watch->mark, what), comm->rank,
				 gaudi_last_error(NULL));
		comm->watch_num = 0;
	}
	pthread_mutex_unlock(&comm->lock);
	if (error)
		coll_comm_fail(comm, error, true, "%s", text);
}
