/* SPDX-License-Identifier: MIT */
/*
 * HCCL's calls: communicators by their handles (hccl.c), collectives and their checks
 * (hccl_ops.c), groups (hccl_group.c). It offers nothing to other rooms.
 *
 * One lock guards the handles (hccl.c); a communicator's locks (comm.h) may be taken with it
 * held, not the other way round. Who ends a communicator waits for the calls that have it. A
 * message and a group belong to one thread each.
 */
#ifndef GAUDI_COLL_HCCL_CALLS_H
#define GAUDI_COLL_HCCL_CALLS_H

#include "habanalabs/hccl.h"
#include "../open/coll.h"

/* What this thread's last call failed with; comes back. */
hcclResult_t hccl_fail(hcclResult_t result, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* It did not fail. */
hcclResult_t hccl_good(void);
/* What the core returned, as HCCL says it. */
hcclResult_t hccl_result(int error, const char *what);

/*
 * The communicator of a handle, which may be anything; it stays until it is put. NULL: it is
 * none.
 */
struct coll_comm *hccl_comm_get(hcclComm_t handle);
void hccl_comm_put(struct coll_comm *comm);

/* A checked call of a collective, or of a send or receive. */
struct hccl_call {
	const char *name;		/* of HCCL's call, which errors begin with */
	hcclComm_t comm;
	void *stream;
	bool is_transfer;
	struct coll_op op;
	struct coll_transfer transfer;
};

/* Now, or at the end of the group. */
hcclResult_t hccl_do(const struct hccl_call *call);

#endif /* GAUDI_COLL_HCCL_CALLS_H */
