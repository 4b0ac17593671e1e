// SPDX-License-Identifier: MIT
/* Links that fail, and those that have work of graphs: what no event tells. */
#include <stdio.h>
#include <unistd.h>

#include "control.h"
#include "watch.h"
#include "../base/net.h"

#define REASON_MS	200

const char *coll_link_text(const struct coll_comm *comm, uint32_t peer, char *text)
{
	const struct coll_peer *p = &comm->peers[peer];

	if (p->far)
		snprintf(text, COLL_LINK_TEXT, "; link: box %u to box %u",
			 comm->peers[comm->rank].box, p->box);
	else
		snprintf(text, COLL_LINK_TEXT, "; link: port %u of rank %u to port %u of rank %u",
			 p->port, comm->rank, p->peer_port, peer);

	return text;
}

uint32_t coll_link_under_way(const struct coll_comm *comm)
{
	struct gaudi_link_info info = { .size = sizeof(info) };

	for (uint32_t i = 0; i < comm->ranks; i++)
		for (unsigned int k = 0; i != comm->rank && k < COLL_LINK_CAPTURED; k++)
			if (comm->peers[i].links[k] &&
			    !gaudi_link_get_info(comm->peers[i].links[k], &info) &&
			    info.under_way)
				return i;

	return UINT32_MAX;
}

/*
 * Events say nothing of links that have failed: what waits for them goes on. UINT32_MAX: all
 * are well.
 */
static uint32_t failed_link(struct coll_comm *comm)
{
	/* What they have under way would take long to count. */
	struct gaudi_link_info info = {
		.size = offsetof(struct gaudi_link_info, writes),
	};
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

/*
 * A peer's wire that is down, and stays so; UINT32_MAX: there is none. Links would try for longer
 * than a collective may take.
 */
static uint32_t pulled_wire(struct coll_comm *comm)
{
	struct gaudi_port_info info = {
		.size = offsetof(struct gaudi_port_info, speed_mbps),
	};
	int64_t now = coll_now_ms();
	uint32_t pulled = UINT32_MAX;

	for (uint32_t i = 0; i < comm->ranks; i++) {
		struct coll_peer *peer = &comm->peers[i];
		bool up = i == comm->rank || peer->far ||
			  gaudi_port_get_info(comm->device, peer->port, &info) ||
			  info.flags & GAUDI_PORT_UP;

		pthread_mutex_lock(&comm->lock);
		if (up)
			peer->down_ms = 0;
		else if (!peer->down_ms)
			peer->down_ms = now;
		if (!up && pulled == UINT32_MAX &&
		    now - peer->down_ms > comm->settings.timeout_ms / 2)
			pulled = i;
		pthread_mutex_unlock(&comm->lock);
	}

	return pulled;
}

/* With the lock: what is under way by the link to @peer, or was called last. */
static void put_what(const struct coll_comm *comm, uint32_t peer, char what[COLL_MARK_TEXT])
{
	const struct coll_watch *watch;

	TAILQ_FOREACH(watch, &comm->watches, link)
		if (!watch->peers || watch->peers & 1ull << peer) {
			coll_mark_text(&watch->mark, what);
			return;
		}
	if (comm->seq)
		coll_mark_text(&comm->last, what);
}

/* With @why, of the link to @peer, what is called. */
static void fail_link(struct coll_comm *comm, uint32_t peer, const char *why)
{
	char what[COLL_MARK_TEXT] = "a send or receive", link[COLL_LINK_TEXT];

	pthread_mutex_lock(&comm->lock);
	put_what(comm, peer, what);
	coll_link_text(comm, peer, link);
	pthread_mutex_unlock(&comm->lock);
	coll_comm_fail(comm, hcclPortDown, true,
		       "%s: the link of rank %u to rank %u has failed%s%s", what,
		       comm->rank, peer, why, link);
}

bool coll_links_without_reason(struct coll_comm *comm)
{
	int64_t end = coll_now_ms() + REASON_MS;

	if (comm->has_thread && pthread_equal(pthread_self(), comm->thread)) {
		/* It is the one that hears. */
		if (!comm->link_failed_ms)
			comm->link_failed_ms = coll_now_ms();
		atomic_store(&comm->active, true);
		return coll_now_ms() - comm->link_failed_ms >= REASON_MS;
	}
	while (!atomic_load(&comm->failed) && coll_now_ms() < end)
		usleep(10000);

	return !atomic_load(&comm->failed);
}

void coll_links_look(struct coll_comm *comm)
{
	uint32_t peer;

	if (atomic_load(&comm->failed))
		return;
	peer = pulled_wire(comm);
	if (peer != UINT32_MAX) {
		fail_link(comm, peer, ", as its wire is down");
		return;
	}
	peer = failed_link(comm);
	if (peer != UINT32_MAX && coll_links_without_reason(comm))
		fail_link(comm, peer, "");
}

bool coll_transfers_go_on(const struct coll_comm *comm)
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
 * What graphs do has no events here: if links, or the network, have work of theirs, but end none
 * of it for too long, some rank has not launched its graph.
 */
void coll_links_look_at_captured(struct coll_comm *comm)
{
	struct gaudi_link_info info = { .size = sizeof(info) };
	const char *why = "has not launched it";
	char text[COLL_LINK_TEXT];
	uint64_t sum = 0, under_way = 0;
	uint32_t peer = 0;
	bool late;

	pthread_mutex_lock(&comm->lock);
	for (uint32_t i = 0; i < comm->ranks; i++)
		for (unsigned int k = COLL_LINK_CAPTURED; k < COLL_LINKS; k++) {
			struct gaudi_link *link = comm->peers[i].links[k];

			if (!link || gaudi_link_get_info(link, &info))
				continue;
			if (info.under_way)
				peer = i;
			under_way += info.under_way;
			sum += info.writes + info.waited - info.under_way;
		}
	/* What goes to other boxes, too. */
	if (comm->launched)
		peer = comm->awaited;
	under_way += comm->launched;
	sum += comm->launched_ended;
	if (!under_way || sum != comm->captured_sum || !comm->captured_ms)
		comm->captured_ms = coll_now_ms();
	comm->captured_sum = sum;
	late = coll_now_ms() - comm->captured_ms > comm->settings.timeout_ms;
	/* Who is waited for may itself wait for who does not answer. */
	for (uint32_t i = 0; late && i < comm->ranks; i++)
		if (coll_is_silent(comm, i, coll_now_ms())) {
			peer = i;
			why = "does not answer";
			break;
		}
	pthread_mutex_unlock(&comm->lock);
	if (late)
		coll_comm_fail(comm, hcclSystemError, true,
			       "a captured collective or send on rank %u has not ended in %d s: rank %u %s%s",
			       comm->rank, comm->settings.timeout_ms / 1000, peer, why,
			       coll_link_text(comm, peer, text));
}
