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

/*
 * Reductions (reduce.c)
 */
int coll_reducer_create(struct gaudi_device *device, uint32_t row_bytes,
			struct coll_reducer **reducer);
void coll_reducer_free(struct coll_reducer *reducer);
/*
 * @rows rows at @from, a row of staging memory apart, to @to, in the order of rows. If it is
 * not exact, there must be room for a whole row.
 */
int coll_reduce_async(struct coll_reducer *reducer, struct gaudi_stream *stream,
		      hcclDataType_t type, hcclRedOp_t op, gaudi_ptr from,
		      uint32_t rows, gaudi_ptr to, uint64_t count);

#endif /* GAUDI_COLL_EXEC_H */
