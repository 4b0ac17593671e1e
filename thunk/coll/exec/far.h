/* SPDX-License-Identifier: MIT */
/*
 * Messages with ranks of other boxes as work of a stream (far.c). A batch is done by a
 * host function, which waits for the network: all begin at the same time, and the stream
 * goes on when those have ended that are to be awaited. Data are in pinned memory before,
 * and are copied from there behind it, by the card.
 *
 * A graph's batch is done with each launch. It keeps the communicator's memory, and its host
 * function knows whether the rest is gone.
 */
#ifndef GAUDI_COLL_FAR_H
#define GAUDI_COLL_FAR_H

#include "../comm/comm.h"

struct coll_batch;

/* Of the communicator's last call; for at most @most messages. NULL: no memory. */
struct coll_batch *coll_batch_create(struct coll_comm *comm, uint32_t most);
void coll_batch_free(struct coll_batch *batch);
/* Nothing is in it: there is nothing to be done. */
bool coll_batch_is_empty(const struct coll_batch *batch);
/*
 * Exchange number @number of collectives, to the peer or from it. (Graphs count when they are
 * launched, the same for all of a batch.)
 */
void coll_batch_exchange(struct coll_batch *batch, uint32_t peer, bool send,
			 uint64_t number, uint64_t bytes);
/* Mailbox @number of a send, which is not awaited, or of a receive. */
void coll_batch_mailbox(struct coll_batch *batch, uint32_t peer, bool send,
			uint64_t number, uint64_t bytes);
/* What was in the peer's mailbox @number before has been sent. */
void coll_batch_reuse(struct coll_batch *batch, uint32_t peer, uint64_t number);
/* It is the stream's, whatever comes back. */
int coll_batch_post(struct coll_batch *batch, struct gaudi_stream *stream);

/* Where the data are. */
char *coll_far_mailbox(const struct coll_far_lane *lane, bool send, uint64_t number);

#endif /* GAUDI_COLL_FAR_H */
