/* SPDX-License-Identifier: MIT */
/*
 * How ranks meet: who waits for them (listener.c), connections between each two of them
 * (bootstrap.c), links between their cards (wires.c), and messages between boxes (boxes.c).
 *
 * No other thread knows a communicator while it is made here, so nothing is locked; only
 * coll_wires_abort() is for any thread, and takes its @lock (comm.h). A listener has a thread,
 * which alone has the connections of the ranks that come.
 */
#ifndef GAUDI_COLL_MEET_H
#define GAUDI_COLL_MEET_H

#include "../comm/comm.h"

#define COLL_ID_MAGIC		0x6c6c6f63u

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
 * have come, or all who came have left for longer than HCL_HLCP_OPS_TIMEOUT says. @first: at
 * HCCL_COMM_ID, if that is set.
 */
int coll_listener_start(bool first, struct coll_id *id);

/*
 * The id of the process's first listener for ranks that were not given it (known.c): in the file
 * GAUDI_COLL_FILE, or by PMIx, where a launcher has it. A listener publishes it
 * (known.h).
 */
bool coll_id_can_be_found(void);
/*
 * Be a process of the launcher's PMIx, as who publishes is: a launcher ends a job of which some
 * processes have been and others have not.
 */
void coll_join_launcher(void);
/* Waits up to @ms for it. */
int coll_id_find(int ms, struct coll_id *id);

/* Connections to all peers. */
int coll_meet(struct coll_comm *comm, const struct coll_id *id);
/* Each peer gets @size bytes, and sends as many, of which @in has all. */
int coll_swap(struct coll_comm *comm, const void *out, void *in, size_t size);

/* Nothing to do if there is one box. */
int coll_boxes_connect(struct coll_comm *comm);
void coll_boxes_free(struct coll_comm *comm);

int coll_wires_connect(struct coll_comm *comm);
/* Messages to other boxes, too. */
void coll_wires_abort(struct coll_comm *comm);
void coll_wires_free(struct coll_comm *comm);

#endif /* GAUDI_COLL_MEET_H */
