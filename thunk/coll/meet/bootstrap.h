/* SPDX-License-Identifier: MIT */
/* What ranks and the listener tell each other (listener.c, bootstrap.c). */
#ifndef GAUDI_COLL_BOOTSTRAP_H
#define GAUDI_COLL_BOOTSTRAP_H

#include <stdint.h>

#include "../comm/comm.h"

#define COLL_MEET_MAGIC		0x7465656du	/* of all that is sent */
#define COLL_MEET_VERSION	4u

/* Where a process runs. */
struct coll_identity {
	uint8_t host[16];		/* the machine */
	char box[16];			/* of several that it is taken for: GAUDI_COLL_BOX */
	uint64_t process;		/* that has its cards in itself; 0: they are the machine's */
};

/* -EINVAL names the variable. */
int coll_identify(struct coll_identity *identity);

/* Of a rank, for all others. All ranks of a communicator run on the same machine type. */
struct coll_record {
	uint32_t magic;
	uint32_t version;
	uint64_t token;			/* of the id */
	uint32_t ranks, rank;
	uint32_t ip;			/* where it listens for its peers */
	uint16_t port;
	uint16_t reserved;
	uint32_t module_id;
	uint32_t row_bytes, small_bytes;
	int32_t algorithm;
	struct coll_identity identity;	/* the same for cards of one box */
};

/*
 * The listener's answers. -EAGAIN: there will be another one, and @text says whom it waits for; 0:
 * behind it come all records, in order.
 */
struct coll_answer {
	uint32_t magic;
	int32_t error;
	uint64_t session;		/* a secret of these ranks */
	char text[128];
};

/* To a peer, first of all. */
struct coll_greeting {
	uint32_t magic;
	uint32_t rank;
	uint64_t session;
};

/* boxes.c: who is in which box, as all have said */
int coll_boxes_find(struct coll_comm *comm, const struct coll_record *table);

#endif /* GAUDI_COLL_BOOTSTRAP_H */
