// SPDX-License-Identifier: MIT
/* Who still needs a communicator's memory: its owner, and graphs that have work of it. */
#include <stdlib.h>

#include "comm.h"

void coll_comm_get(struct coll_comm *comm)
{
	atomic_fetch_add(&comm->refs, 1);
}

void coll_comm_put(struct coll_comm *comm)
{
	if (atomic_fetch_sub(&comm->refs, 1) > 1)
		return;
	pthread_mutex_destroy(&comm->run);
	pthread_mutex_destroy(&comm->lock);
	pthread_cond_destroy(&comm->changed);
	free(comm->peers);
	free(comm);
}
