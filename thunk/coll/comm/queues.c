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

int coll_queue_wait(struct coll_comm *comm, struct gaudi_stream *stream)
{
	int rc = 0;

	pthread_mutex_lock(&lock);
	for (struct coll_comm *c = all; !rc && c; c = c->next_in_queues)
		if (c != comm && c->device == comm->device &&
		    c->queue == comm->queue && atomic_load(&c->any_order) &&
		    !atomic_load(&c->failed))
			rc = gaudi_stream_wait_event(stream, c->order);
	pthread_mutex_unlock(&lock);

	return coll_gaudi(rc, "order");
}
