/* SPDX-License-Identifier: MIT */
/*
 * Collectives on libgaudi's devices and streams. hccl.c has the vendor's names for it.
 *
 * Functions return 0, a negative errno or a code of libgaudi, with a message
 * (coll_message() in error.h). A communicator may be used by several threads; who destroys it
 * must be the last one.
 */
#ifndef GAUDI_COLL_H
#define GAUDI_COLL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gaudi.h"
#include "habanalabs/hccl_types.h"
#include "schedule.h"

struct coll_comm;

/*
 * Listeners (bootstrap.c)
 */

/* Where ranks meet. Numbers in the network's order; a @token of 0: any. */
struct coll_id {
	uint32_t magic;
	uint32_t ip;
	uint16_t port;
	uint16_t reserved[3];
	uint64_t token;
};

/*
 * A thread of this process waits for ranks that come with @id, until all of a communicator
 * have come. @first: at HCCL_COMM_ID, if that is set.
 */
int coll_listener_start(bool first, struct coll_id *id);

/*
 * Communicators (comm.c)
 */
#define COLL_TIMEOUT_MS		30000

struct coll_settings {
	uint32_t row_bytes;		/* of staging memory: what a peer sends at once */
	uint32_t small_bytes;		/* allreduce in one exchange up to so many */
	int timeout_ms;			/* of a collective that has begun */
	int init_ms;			/* of each step until all ranks have met */
	int algorithm;			/* enum coll_algorithm, -1: chosen for each call */
};

/* As the environment says; -EINVAL names the variable. */
int coll_settings_read(struct coll_settings *settings);
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

/*
 * Work (exec.c, p2p.c): on a stream of the communicator's device
 */
struct coll_op {
	enum coll_kind kind;
	hcclDataType_t type;
	hcclRedOp_t op;			/* of those that reduce */
	uint32_t root;
	uint64_t count;			/* as struct coll_call's */
	gaudi_ptr send, recv;
};

/* Bytes of an element; 0: this type is not sent. */
uint32_t coll_type_size(hcclDataType_t type);
const char *coll_type_name(hcclDataType_t type);
/* Can elements of this type be reduced so? */
bool coll_can_reduce(hcclDataType_t type, hcclRedOp_t op);
int coll_run(struct coll_comm *comm, struct gaudi_stream *stream,
	     const struct coll_op *op);
/* @op as rank 0's call, with the algorithm that is taken for it. */
struct coll_call coll_choose(const struct coll_settings *settings,
			     uint32_t ranks, const struct coll_op *op);

struct coll_transfer {
	bool send;			/* or receive */
	uint32_t peer;
	gaudi_ptr at;
	uint64_t bytes;
};

/* All of them at the same time. */
int coll_transfer(struct coll_comm *comm, struct gaudi_stream *stream,
		  const struct coll_transfer *transfers, uint32_t count);

#endif /* GAUDI_COLL_H */
