// SPDX-License-Identifier: MIT
/* Communicators of this process, and which queues of the ports they take (comm.h). */
#include "comm.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct coll_comm *all;

void coll_queue_enter(struct coll_comm *comm)
{
	uint32_t users[COLL_QUEUES] = {};

	pthread_mutex_lock(&lock);
	for (const struct coll_comm *c = all; c; c = c->next_in_queues)
		if (c->device == comm->device)
			users[c->queue]++;
	comm->queue = 0;
	for (uint32_t i = 1; i < COLL_QUEUES; i++)
		if (users[i] < users[comm->queue])
			comm->queue = i;
	comm->next_in_queues = all;
	all = comm;
	pthread_mutex_unlock(&lock);
}

void coll_queue_leave(struct coll_comm *comm)
{
	struct coll_comm **at = &all;

	pthread_mutex_lock(&lock);
	while (*at && *at != comm)
		at = &(*at)->next_in_queues;
	if (*at)
		*at = comm->next_in_queues;
	pthread_mutex_unlock(&lock);
}

uint32_t coll_queue_of(const struct coll_comm *comm, enum coll_link_kind kind)
{
	return (comm->queue + (uint32_t)kind) % COLL_QUEUES;
}

/* An event that was never recorded is not waited for. */
static int wait_for_transfers(const struct coll_comm *c, bool up, bool down,
			      struct gaudi_stream *stream)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < c->ranks; i++) {
		/* What goes to a higher rank goes up, and comes from a lower one. */
		if (i > c->rank ? up : down)
			rc = gaudi_stream_wait_order(stream, c->peers[i].to.order);
		if (!rc && (i < c->rank ? up : down))
			rc = gaudi_stream_wait_order(stream, c->peers[i].from.order);
	}

	return rc;
}

int coll_queue_wait(struct coll_comm *comm, uint32_t kinds,
		    struct gaudi_stream *stream)
{
	uint32_t queues = 0;
	int rc = 0;

	for (uint32_t kind = 0; kind < COLL_LINKS; kind++)
		if (kinds & 1u << kind)
			queues |= 1u << coll_queue_of(comm, kind);
	pthread_mutex_lock(&lock);
	for (struct coll_comm *c = all; !rc && c; c = c->next_in_queues) {
		if (c == comm || c->device != comm->device ||
		    atomic_load(&c->failed))
			continue;
		if (atomic_load(&c->any_order) &&
		    queues & 1u << coll_queue_of(c, COLL_LINK_ALL))
			rc = gaudi_stream_wait_order(stream, c->order);
		if (!rc && atomic_load(&c->moved))
			rc = wait_for_transfers(c,
						queues & 1u << coll_queue_of(c, COLL_LINK_UP),
						queues & 1u << coll_queue_of(c, COLL_LINK_DOWN),
						stream);
	}
	pthread_mutex_unlock(&lock);

	return coll_gaudi(rc, "order");
}
