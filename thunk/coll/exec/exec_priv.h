/* SPDX-License-Identifier: MIT */
/* What the files of the room share; its locks are in exec.h. */
#ifndef GAUDI_COLL_EXEC_PRIV_H
#define GAUDI_COLL_EXEC_PRIV_H

#include "exec.h"

/* Why nothing more is taken, or 0. */
int coll_may_enqueue(const struct coll_comm *comm);
/* What could not be enqueued whole ends the communicator: ranks do not agree any more. */
void coll_enqueue_failed(struct coll_comm *comm, int error, const char *what);
/* A host function: what comes behind it is enqueued by the stream's own thread. */
void coll_nothing(void *arg, int error);

/* --- reduce.c --- */

/*
 * Have what a reduction like this takes. Who has it first may have to wait for the card: so
 * before an exchange, in which this rank waits for others.
 */
int coll_reduce_prepare(struct coll_reducer *reducer, hcclDataType_t type,
			hcclRedOp_t op, uint32_t rows, uint64_t count);
/* Does it write @count elements at @to, and no more? */
bool coll_reduce_is_exact(const struct coll_reducer *reducer,
			  hcclDataType_t type, uint64_t count, gaudi_ptr to);

#endif /* GAUDI_COLL_EXEC_PRIV_H */
