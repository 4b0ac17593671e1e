/* SPDX-License-Identifier: MIT */
/*
 * What a communicator consists of: connections to all other ranks, over which ranks tell
 * each other what they call and what has failed (control.c), links to their cards
 * (wires.c), and staging memory, into which peers write:
 *
 *	slots	2 rows for each rank: of collectives
 *	work	1 row: intermediate results
 *	out	1 row: what the kernel writes
 *	spare	2 rows: operands that have to lie next to each other
 *	boxes	COLL_BOXES rows of COLL_BOX_BYTES for each rank: of sends to this one
 *
 * A pair of ranks has three links: one of collectives, and one for sends in each direction,
 * whose notifications the other way are free boxes.
 *
 * Locks: @run, of who enqueues work; then @lock, of what the thread of control.c shares
 * with it, which is held for moments.
 */
#ifndef GAUDI_COLL_COMM_H
#define GAUDI_COLL_COMM_H

#include <pthread.h>
#include <stdatomic.h>

#include "coll.h"
#include "error.h"
#include "gaudi_link.h"
#include "marks.h"

#define COLL_BOXES	4u
#define COLL_BOX_BYTES	(256u << 10)
#define COLL_WATCHED	32u

enum coll_link_kind {
	COLL_LINK_ALL,		/* collectives */
	COLL_LINK_UP,		/* sends of the lower rank to the higher one */
	COLL_LINK_DOWN,
	COLL_LINKS
};

enum coll_note_kind {
	COLL_NOTE_CALL = 1,	/* to the next rank: @mark */
	COLL_NOTE_ALIVE,	/* to all: @mark.seq is the last call */
	COLL_NOTE_ERROR,	/* to all: @mark.seq, @error, @text */
	COLL_NOTE_BYE,		/* to all: no more work */
};

struct coll_note {
	uint32_t magic;
	uint32_t kind;
	uint32_t rank;
	int32_t error;
	struct coll_mark mark;
	char text[COLL_MESSAGE_SIZE];
};

/* Sends in one direction: each message is cut into boxes. */
struct coll_channel {
	uint64_t boxes;			/* sent, or received */
	uint64_t given_back;		/* sent, and known to be free again */
	struct gaudi_stream *stream;	/* the last one that had work with it */
	struct gaudi_event *order;	/* behind this work */
};

struct coll_peer {
	int fd;			/* -1: this rank itself */
	uint32_t module_id;
	struct gaudi_link *links[COLL_LINKS];
	uint64_t staging;	/* its address there */
	uint32_t exchanges;	/* of collectives */
	struct coll_channel to, from;	/* of sends */
	/* control.c's */
	struct coll_note in;
	size_t in_bytes;
	bool bye, gone, deaf;
	uint64_t seq;		/* its last call that is known */
	int64_t heard_ms;
};

/* A collective that is under way. */
struct coll_watch {
	struct coll_mark mark;
	struct gaudi_event *begin, *end;
	int64_t begun_ms;	/* when it was seen to have begun; 0: not yet */
	bool ready;		/* its events have been recorded */
};

struct coll_reducer;

struct coll_comm {
	struct gaudi_device *device;
	uint32_t ranks, rank;
	struct coll_settings settings;
	struct coll_peer *peers;
	gaudi_ptr staging;
	uint64_t staging_bytes;
	struct coll_reducer *reducer;
	struct coll_schedule schedule;

	pthread_mutex_t run;
	struct gaudi_stream *last_stream;
	struct gaudi_event *order;	/* behind the last collective */
	bool any_order;
	bool finished;
	bool skewed;			/* pairs have had more exchanges than others */

	pthread_mutex_t lock;
	uint64_t seq;
	struct coll_mark last;
	struct coll_marks own, before;	/* marks of one not yet compared with the other's */
	struct coll_watch watch[COLL_WATCHED];
	uint32_t watch_first, watch_num;
	hcclResult_t error;
	char why[COLL_MESSAGE_SIZE + 64];
	atomic_bool failed;
	atomic_bool transfers;		/* there are some under way */
	atomic_bool active;		/* there was work since links were looked at */

	pthread_t thread;
	bool has_thread;
	atomic_bool stop;
	int wake;			/* an eventfd */
};

/* bootstrap.c: connections to all peers */
int coll_meet(struct coll_comm *comm, const struct coll_id *id);
/* Each peer gets @size bytes, and sends as many, of which @in has all. */
int coll_swap(struct coll_comm *comm, const void *out, void *in, size_t size);

/* wires.c */
int coll_wires_connect(struct coll_comm *comm);
void coll_wires_abort(struct coll_comm *comm);
void coll_wires_free(struct coll_comm *comm);

/* control.c */
int coll_control_start(struct coll_comm *comm);
void coll_control_stop(struct coll_comm *comm);
/* It has failed, and all links are given up. @tell: the peers, too. */
void coll_comm_fail(struct coll_comm *comm, hcclResult_t error, bool tell,
		    const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* This rank calls; *@mark gets its number. */
void coll_control_call(struct coll_comm *comm, struct coll_mark *mark);
/* All peers: there is no more work. */
void coll_control_bye(struct coll_comm *comm);

/* watch.c */
int coll_watch_init(struct coll_comm *comm);
void coll_watch_exit(struct coll_comm *comm);
/* With @lock. NULL: too many are under way, so this one is not watched. */
struct coll_watch *coll_watch_add(struct coll_comm *comm,
				  const struct coll_mark *mark);
/* Has one failed, or taken too long? */
void coll_watch_look(struct coll_comm *comm);

/* exec.c, p2p.c */

/* What could not be enqueued whole ends the communicator: ranks do not agree any more. */
void coll_enqueue_failed(struct coll_comm *comm, int error, const char *what);
int coll_check_stream(struct gaudi_stream *stream);
/* A host function: what comes behind it is enqueued by the stream's own thread. */
void coll_nothing(void *arg, int error);
/* All boxes that were sent have been given back, behind this. */
int coll_transfers_finish(struct coll_comm *comm, struct gaudi_stream *stream);
/* Where in staging memory what is. */
uint64_t coll_staging_size(uint32_t ranks, uint32_t row_bytes);
uint64_t coll_slot_offset(const struct coll_comm *comm, uint32_t parity,
			  uint32_t rank);
uint64_t coll_work_offset(const struct coll_comm *comm);
uint64_t coll_out_offset(const struct coll_comm *comm);
uint64_t coll_spare_offset(const struct coll_comm *comm, uint32_t i);
uint64_t coll_box_offset(const struct coll_comm *comm, uint32_t rank, uint64_t i);

/* reduce.c */
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
/* Does it write @count elements at @to, and no more? */
bool coll_reduce_is_exact(const struct coll_reducer *reducer,
			  hcclDataType_t type, uint64_t count, gaudi_ptr to);

#endif /* GAUDI_COLL_COMM_H */
