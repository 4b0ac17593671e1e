// SPDX-License-Identifier: MIT
/*
 * Collectives, sends and receives under way: each has an event before and one behind it on its
 * stream. Its time begins when the first has ended, so that nobody is blamed for what the
 * stream does before.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control.h"
#include "watch.h"
#include "../base/net.h"

enum { GOES_ON, ENDED, IN_VAIN };

/* Streams of which it is known that their first one goes on. */
#define MOST_STREAMS	8u

/* A link that is given up lets its work go in less, whatever else the machine does. */
#define LEAST_REST_MS	10000
#define SETTLE_US	10000u

void coll_watch_init(struct coll_comm *comm)
{
	TAILQ_INIT(&comm->watches);
	TAILQ_INIT(&comm->spare);
}

static void free_watch(struct coll_watch *watch)
{
	gaudi_event_destroy(watch->begin);
	gaudi_event_destroy(watch->end);
	free(watch);
}

void coll_watch_exit(struct coll_comm *comm)
{
	struct coll_watch *watch;

	TAILQ_CONCAT(&comm->spare, &comm->watches, link);
	while ((watch = TAILQ_FIRST(&comm->spare))) {
		TAILQ_REMOVE(&comm->spare, watch, link);
		free_watch(watch);
	}
}

static struct coll_watch *new_watch(struct coll_comm *comm)
{
	struct coll_watch *watch = calloc(1, sizeof(*watch));
	int rc;

	if (!watch) {
		coll_fail(-ENOMEM, "no memory to watch what is called");
		return NULL;
	}
	rc = gaudi_event_create(comm->device, GAUDI_EVENT_NO_TIMING, &watch->begin);
	if (!rc)
		rc = gaudi_event_create(comm->device, GAUDI_EVENT_NO_TIMING, &watch->end);
	if (!coll_gaudi(rc, "events"))
		return watch;
	free_watch(watch);

	return NULL;
}

static struct coll_watch *take_spare(struct coll_comm *comm)
{
	struct coll_watch *watch;

	pthread_mutex_lock(&comm->lock);
	watch = TAILQ_FIRST(&comm->spare);
	if (watch)
		TAILQ_REMOVE(&comm->spare, watch, link);
	pthread_mutex_unlock(&comm->lock);

	return watch;
}

int coll_watch_begin(struct coll_comm *comm, const struct coll_mark *mark,
		     uint64_t peers, struct gaudi_stream *stream,
		     struct coll_watch **out)
{
	struct coll_watch *watch = take_spare(comm);

	*out = watch = watch ? watch : new_watch(comm);
	if (!watch)
		return -ENOMEM;
	watch->mark = *mark;
	watch->peers = peers;
	watch->stream = stream;
	watch->begun_ms = 0;
	watch->ready = false;
	pthread_mutex_lock(&comm->lock);
	TAILQ_INSERT_TAIL(&comm->watches, watch, link);
	pthread_mutex_unlock(&comm->lock);

	return coll_gaudi(gaudi_event_record(watch->begin, stream), "an event");
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

/* Has rank @i left, and not called it, so that it cannot end? */
static bool has_left(const struct coll_comm *comm, const struct coll_watch *watch, uint32_t i)
{
	const struct coll_peer *peer = &comm->peers[i];

	if (!peer->bye)
		return false;
	if (!watch->peers)
		return peer->seq < watch->mark.seq;

	return watch->peers & 1ull << i &&
	       (peer->given < peer->sent ||
		(peer->told_all && peer->compared < peer->expected));
}

/* The first such rank; @ranks: none. */
static uint32_t who_left(const struct coll_comm *comm, const struct coll_watch *watch)
{
	uint32_t i = 0;

	while (i < comm->ranks && !has_left(comm, watch, i))
		i++;

	return i;
}

/* Who keeps the others waiting, as far as it is known. */
static void blame(struct coll_comm *comm, const struct coll_watch *watch,
		  char text[COLL_MESSAGE_SIZE])
{
	char what[COLL_MARK_TEXT], peers[64], link[COLL_LINK_TEXT];
	const char *why = "does not answer";
	int64_t now = coll_now_ms();
	uint32_t i = who_left(comm, watch);
	int seconds = comm->settings.timeout_ms / 1000;

	coll_mark_text(&watch->mark, what);
	if (i < comm->ranks) {
		snprintf(text, COLL_MESSAGE_SIZE, "%s of rank %u cannot end: rank %u has left without it%s",
			 what, comm->rank, i, coll_link_text(comm, i, link));
		return;
	}
	put_peers(watch->peers, peers, sizeof(peers));
	/* Who does not call may wait for who does not answer. */
	i = 0;
	while (i < comm->ranks && !coll_is_silent(comm, i, now))
		i++;
	if (i == comm->ranks && !watch->peers) {
		why = "has not called it";
		for (i = 0; i < comm->ranks; i++)
			if (i != comm->rank && comm->peers[i].seq < watch->mark.seq)
				break;
	}
	if (i >= comm->ranks) {
		why = "is waited for, or whom it waits for itself";
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

/* 0: it goes on; or that it has ended, or takes too long or will for ever; or a failure. */
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

	return who_left(comm, watch) < comm->ranks ||
	       coll_now_ms() - watch->begun_ms > comm->settings.timeout_ms ?
	       IN_VAIN : GOES_ON;
}

/* Is it behind one of @streams' that goes on? If not, its stream is one of them from now on. */
static bool is_behind(const struct coll_watch *watch,
		      const struct gaudi_stream *streams[MOST_STREAMS], uint32_t *num)
{
	for (uint32_t i = 0; i < *num; i++)
		if (streams[i] == watch->stream)
			return true;
	if (*num < MOST_STREAMS)
		streams[(*num)++] = watch->stream;

	return false;
}

/* With the lock: the next one that has failed, or takes too long; rc says which. */
static struct coll_watch *find_bad(struct coll_comm *comm, int *rc)
{
	const struct gaudi_stream *streams[MOST_STREAMS];
	struct coll_watch *watch, *next;
	uint32_t num = 0;

	for (watch = TAILQ_FIRST(&comm->watches); watch; watch = next) {
		next = TAILQ_NEXT(watch, link);
		/* Links are looked at once more behind the end. */
		atomic_store(&comm->active, true);
		if (is_behind(watch, streams, &num))
			continue;
		*rc = watch->ready ? look(comm, watch) : GOES_ON;
		/* What failed by a link is told with its name. */
		if (*rc == GOES_ON || *rc == GAUDI_ERR_LINK)
			continue;
		if (*rc != ENDED)
			return watch;
		if (!watch->peers)
			comm->ended = watch->mark;
		TAILQ_REMOVE(&comm->watches, watch, link);
		TAILQ_INSERT_HEAD(&comm->spare, watch, link);
		/* The next one of its stream is the first now. */
		num -= num && streams[num - 1] == watch->stream;
	}

	return NULL;
}

const struct coll_mark *coll_watch_at(const struct coll_comm *comm)
{
	const struct coll_watch *watch;

	/* Nobody may have looked since those before it have ended. */
	TAILQ_FOREACH(watch, &comm->watches, link)
		if (!watch->ready || gaudi_event_query(watch->end))
			return &watch->mark;

	return NULL;
}

/* With the lock: the next one of which the card still has something to do. */
static struct coll_watch *find_open(struct coll_comm *comm)
{
	struct coll_watch *watch;

	TAILQ_FOREACH(watch, &comm->watches, link)
		if (watch->ready && gaudi_event_query(watch->end) == GAUDI_ERR_NOT_READY)
			break;

	return watch;
}

/* For how long one that goes on has done so, at most as of then. */
static int64_t open_ms(struct coll_watch *watch, int64_t since_ms)
{
	int64_t now = coll_now_ms();

	if (!watch->begun_ms && gaudi_event_query(watch->begin) != GAUDI_ERR_NOT_READY)
		watch->begun_ms = now;
	if (!watch->begun_ms)
		return 0;

	return now - (watch->begun_ms > since_ms ? watch->begun_ms : since_ms);
}

/*
 * Its links have been given up, so nothing of it waits for other ranks: what does not end in the
 * time of a whole collective has lost a message, or an engine, of its own card, and the driver
 * would wait for days. Whether there still is something that may end.
 */
static bool look_at_rest(struct coll_comm *comm, int64_t since_ms)
{
	int64_t limit = comm->settings.timeout_ms;
	char what[COLL_MARK_TEXT], why[160];
	struct coll_watch *watch;

	if (limit < LEAST_REST_MS)
		limit = LEAST_REST_MS;
	pthread_mutex_lock(&comm->lock);
	watch = find_open(comm);
	if (watch && open_ms(watch, since_ms) > limit) {
		snprintf(why, sizeof(why), "%s has failed on rank %u, and the card does not end its part of it in %d s",
			 coll_mark_text(&watch->mark, what), comm->rank,
			 (int)(limit / 1000));
		gaudi_device_give_up(comm->device, why);
	}
	pthread_mutex_unlock(&comm->lock);

	return watch;
}

void coll_watch_settle(struct coll_comm *comm)
{
	int64_t since_ms = comm->failed_ms ? comm->failed_ms : coll_now_ms();

	while (look_at_rest(comm, since_ms))
		usleep(SETTLE_US);
}

void coll_watch_look(struct coll_comm *comm)
{
	char text[COLL_MESSAGE_SIZE], what[COLL_MARK_TEXT];
	struct coll_watch *watch;
	int rc = GOES_ON;

	if (atomic_load(&comm->failed)) {
		look_at_rest(comm, comm->failed_ms);
		return;
	}
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
	if (watch && rc == IN_VAIN)
		blame(comm, watch, text);
	else if (watch)
		snprintf(text, sizeof(text), "%s on rank %u: %.120s",
			 coll_mark_text(&watch->mark, what), comm->rank,
			 gaudi_last_error(NULL));
	pthread_mutex_unlock(&comm->lock);
	if (watch)
		coll_comm_fail(comm, rc == IN_VAIN ? hcclSystemError :
						      hcclUnhandledSynapseError,
			       true, "%s", text);
}
