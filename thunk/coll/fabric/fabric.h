/* SPDX-License-Identifier: MIT */
/*
 * Messages between ranks of different boxes, by libfabric (fabric.c), which is looked for when
 * the first communicator needs it. A communicator has an endpoint of its own, and a thread
 * that alone calls libfabric: others hand it messages, and wait until these have ended.
 *
 * Each message has a tag that no other message of the two ranks has, so nothing is assumed
 * about their order. Functions return 0 or a negative errno, with a message (../base/error.h).
 *
 * One lock guards what is handed to the thread, and what has ended. With it held, libfabric is
 * not called, and no other lock is taken.
 */
#ifndef GAUDI_COLL_FABRIC_H
#define GAUDI_COLL_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct coll_fabric;

/* Where an endpoint is reached, as the other ranks get it. */
struct coll_fabric_address {
	char provider[48];
	uint32_t bytes;
	uint8_t name[204];
};

/* From, or into, memory that the fabric was opened with. */
struct coll_message {
	void *context[8];		/* libfabric's; first, so that it is the message's address */
	struct coll_message *next;
	void *at;
	uint64_t bytes;
	uint64_t tag;
	uint32_t peer;			/* its rank */
	bool send;			/* or receive */
	bool ended;
	int error;			/* if it has @ended */
};

/*
 * An endpoint for messages with other ones of @ranks. @ip, in the network's order, is the
 * address that the rank listens at: where a provider has several, that one is taken. @here:
 * all ranks are on this machine, whatever boxes they say they are in. -ENOTSUP: there is no
 * libfabric, or none of its providers will do. Peers are added before the start.
 */
int coll_fabric_open(void *memory, uint64_t bytes, uint32_t ranks, uint32_t ip,
		     bool here, struct coll_fabric **fabric,
		     struct coll_fabric_address *own);
int coll_fabric_add(struct coll_fabric *fabric, uint32_t rank,
		    const struct coll_fabric_address *address);
int coll_fabric_start(struct coll_fabric *fabric);
/* It is the fabric's until it has ended. Never waits. */
void coll_fabric_give(struct coll_fabric *fabric, struct coll_message *message);
/*
 * Blocks until it has ended. An error stops the fabric, so that then all messages are the
 * caller's again. -ECANCELED: it was stopped.
 */
int coll_fabric_await(struct coll_fabric *fabric, struct coll_message *message);
/* All that is under way ends, and what comes later. For any thread. */
void coll_fabric_stop(struct coll_fabric *fabric);
/* NULL is allowed. Nobody waits any more. */
void coll_fabric_close(struct coll_fabric *fabric);

#endif /* GAUDI_COLL_FABRIC_H */
