/* SPDX-License-Identifier: MIT */
/*
 * Collectives on libgaudi's devices and streams: communicators from the beginning to the
 * end. hccl/ has the vendor's names for it.
 *
 * Functions return 0, a negative errno or a code of libgaudi, with a message
 * (coll_message() in base/error.h). A communicator may be used by several threads; who
 * destroys it must be the last one. The room has no lock of its own: coll_comm_finish() takes
 * @run (comm.h), so it comes behind calls that enqueue work; coll_comm_abort() and
 * coll_comm_error() do not wait for them.
 */
#ifndef GAUDI_COLL_COLL_H
#define GAUDI_COLL_COLL_H

#include "../exec/exec.h"
#include "../meet/meet.h"

/* Blocks until all ranks have come. All of them have the same settings. */
int coll_comm_create(struct gaudi_device *device, const struct coll_id *id,
		     uint32_t ranks, uint32_t rank,
		     const struct coll_settings *settings,
		     struct coll_comm **comm);
/* Blocks until its work has ended. */
int coll_comm_finish(struct coll_comm *comm);
/* Without waiting for its work, which fails if it has not ended. */
void coll_comm_abort(struct coll_comm *comm);
/* Behind one of these two. */
void coll_comm_free(struct coll_comm *comm);
uint32_t coll_comm_ranks(const struct coll_comm *comm);
uint32_t coll_comm_rank(const struct coll_comm *comm);
struct gaudi_device *coll_comm_device(const struct coll_comm *comm);
/* hcclSuccess, or why it has failed; @text is valid as long as it is. */
hcclResult_t coll_comm_error(struct coll_comm *comm, const char **text);

#endif /* GAUDI_COLL_COLL_H */
