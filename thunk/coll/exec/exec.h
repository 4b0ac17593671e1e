/* SPDX-License-Identifier: MIT */
/*
 * Work on a stream of a communicator's device: collectives (exec.c), transfers (p2p.c), both
 * with ranks of other boxes, too (far.c), and reductions (reduce.c).
 *
 * coll_run() and coll_transfer() take @run (comm.h), so that all of a call is enqueued before
 * another one's; the rest here is called with it held, or while nobody else knows the
 * communicator. Host functions run without it.
 */
#ifndef GAUDI_COLL_EXEC_H
#define GAUDI_COLL_EXEC_H

#include "../comm/comm.h"

int coll_run(struct coll_comm *comm, struct gaudi_stream *stream,
	     const struct coll_op *op);

struct coll_transfer {
	bool send;			/* or receive */
	uint32_t peer;
	gaudi_ptr at;
	uint64_t bytes;
};

/* All of them at the same time. */
int coll_transfer(struct coll_comm *comm, struct gaudi_stream *stream,
		  const struct coll_transfer *transfers, uint32_t count);
/* All mailboxes that were sent have been given back, behind this. */
int coll_transfers_finish(struct coll_comm *comm, struct gaudi_stream *stream);

/* Why nothing more is taken, or 0. */
int coll_may_enqueue(const struct coll_comm *comm);
/* What could not be enqueued whole ends the communicator: ranks do not agree any more. */
void coll_enqueue_failed(struct coll_comm *comm, int error, const char *what);
/* A host function: what comes behind it is enqueued by the stream's own thread. */
void coll_nothing(void *arg, int error);

/*
 * Reductions (reduce.c)
 */
int coll_reducer_create(struct gaudi_device *device, uint32_t row_bytes,
			struct coll_reducer **reducer);
void coll_reducer_free(struct coll_reducer *reducer);
/*
 * Have what a reduction like this takes. Who has it first may have to wait for the card: so
 * before an exchange, in which this rank waits for others.
 */
int coll_reduce_prepare(struct coll_reducer *reducer, hcclDataType_t type,
			hcclRedOp_t op, uint32_t rows, uint64_t count);
/*
 * @rows rows at @from, a row of staging memory apart, to @to, in the order of rows. If it is
 * not exact, there must be room for a whole row.
 */
int coll_reduce_async(struct coll_reducer *reducer, struct gaudi_stream *stream,
		      hcclDataType_t type, hcclRedOp_t op, gaudi_ptr from,
		      uint32_t rows, gaudi_ptr to, uint64_t count);
/* Does it write @count elements at @to, and no more? */
bool coll_reduce_is_exact(const struct coll_reducer *reducer,
			  hcclDataType_t type, uint64_t count, gaudi_ptr to);

#endif /* GAUDI_COLL_EXEC_H */
