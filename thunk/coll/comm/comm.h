/* SPDX-License-Identifier: MIT */
/*
 * What a communicator consists of: connections to all other ranks, over which ranks tell
 * each other what they call and what has failed (../control), links to their cards
 * (../meet), and staging memory, into which peers write:
 *
 *	slots	2 rows for each rank: of collectives
 *	work	1 row: intermediate results
 *	out	1 row: what the kernel writes
 *	spare	2 rows: operands that have to lie next to each other
 *	...	all of these once more: of collectives that graphs have
 *	mailboxes	COLL_MAILBOXES of COLL_MAILBOX_BYTES for each rank: of sends to this one
 *	...	these once more, too: of sends that graphs have
 *
 * A pair of ranks has six links: one of collectives, and one for sends in each direction, whose
 * notifications the other way are free mailboxes; and as many for what graphs have. If they are in
 * different boxes, it has none: their data go through pinned memory of the host, of graphs
 * another part of it, by ../fabric.
 *
 * Locks: @run, of who enqueues work. With it, one of two others: that of the list of this
 * process's communicators (queues.c), or @lock, of what the thread of ../control shares.
 * libgaudi is called with each of them held. @lock is held for moments, but while a note waits
 * for a peer that reads none: for at most two seconds, once for each peer.
 */
#ifndef GAUDI_COLL_COMM_H
#define GAUDI_COLL_COMM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "gaudi.h"
#include "gaudi_link.h"
#include "marks.h"
#include "../base/error.h"
#include "../fabric/fabric.h"
#include "../schedule/settings.h"

#define COLL_MAILBOXES	4u
#define COLL_MAILBOX_BYTES	(256u << 10)
/* As many as an engine has hardware streams: none of them is behind another one. */
#define COLL_OWN_STREAMS	4u
/* Rows and mailboxes of what is called, and of what graphs have. */
#define COLL_LANES	2u
#define COLL_CHOICES	16u

enum coll_link_kind {
	COLL_LINK_ALL,		/* collectives */
	COLL_LINK_UP,		/* sends of the lower rank to the higher one */
	COLL_LINK_DOWN,
	COLL_LINK_CAPTURED,	/* from here on of graphs: collectives, */
	COLL_LINK_CAPTURED_UP,	/* sends */
	COLL_LINK_CAPTURED_DOWN,
	COLL_LINKS
};

enum coll_note_kind {
	COLL_NOTE_CALL = 1,	/* to the next rank: @mark */
	COLL_NOTE_ALIVE,	/* to all: @mark.seq is the last call */
	COLL_NOTE_ERROR,	/* to all: @mark.seq, @error, @text */
	COLL_NOTE_ABORT,	/* to all: this rank gives up */
	COLL_NOTE_BYE,		/* to all: no more work; @mark.count messages were not told of */
	COLL_NOTE_SENDS,	/* to the receiver: @mark.count of @sizes */
	COLL_NOTE_ASK,		/* to the sender: what has it sent? */
};

struct coll_note {
	uint32_t magic;
	uint32_t kind;
	uint32_t rank;
	int32_t error;
	struct coll_mark mark;
	uint64_t taken;			/* mailboxes of who is told, for which it called */
	union {
		char text[COLL_MESSAGE_SIZE];
		uint64_t sizes[COLL_MESSAGE_SIZE / sizeof(uint64_t)];
	};
};

/* Sends in one direction: each message is cut into pieces that fill mailboxes. */
struct coll_channel {
	uint64_t mailboxes;		/* sent, or received */
	uint64_t given_back;		/* sent, and known to be free again */
	uint64_t messages;		/* that were called, of bytes */
	struct gaudi_stream *stream;	/* the last one that had work with it */
	struct gaudi_event *order;	/* behind this work */
};

/* Of a peer in another box: pinned memory of this host. */
struct coll_far_lane {
	char *out, *in;		/* a row each, of collectives */
	char *mailboxes;	/* COLL_MAILBOXES for sends, and one for what is received */
	struct coll_message sent[COLL_MAILBOXES];	/* the last ones, by mailbox */
};

struct coll_far {
	struct coll_far_lane lanes[COLL_LANES];	/* the second one is the graphs' */
	/* Of graphs' messages so far: collectives' and mailboxes, received and sent. */
	uint32_t launched[2][2];
};

struct coll_peer {
	int fd;			/* -1: this rank itself */
	uint32_t box;
	struct coll_far *far;	/* NULL: it is in this one's box, and has links */
	uint32_t module_id;
	struct gaudi_link *links[COLL_LINKS];
	uint32_t port, peer_port;	/* of this card, and of its */
	int64_t down_ms;		/* when their wire was seen to be down; 0: it is up */
	uint64_t staging;	/* its address there */
	uint32_t exchanges;	/* of collectives */
	struct coll_channel to, from;	/* of sends */
	/* ../control's */
	struct coll_note in;
	size_t in_bytes;
	bool bye, gone, deaf;
	bool told_all;		/* and all that it has sent, before it left */
	uint64_t seq;		/* its last call that is known */
	int64_t heard_ms;
	uint64_t sent, taken;	/* mailboxes of calls that have been enqueued */
	uint64_t given;		/* of what was @sent, for which it has called */
	/*
	 * Sizes of messages: sent, of which it has not been told; from it, of which only the
	 * one or the other side's is known
	 */
	struct coll_marks untold, received, announced;
	uint64_t pairs;		/* messages from it that were compared */
	uint64_t compared, expected;	/* those with bytes; @expected have been enqueued */
	uint64_t late_seq, late_given;	/* @seq and @given at @late_ms, */
	int64_t late_ms;		/* when it was not behind, or less so */
};

/* A collective, or sends and receives, under way. */
struct coll_watch {
	TAILQ_ENTRY(coll_watch) link;
	const struct gaudi_stream *stream;	/* of those of one, the first one alone goes on */
	struct coll_mark mark;
	uint64_t peers;		/* of a transfer; 0: a collective */
	struct gaudi_event *begin, *end;
	int64_t begun_ms;	/* when it was seen to have begun; 0: not yet */
	bool ready;		/* its events have been recorded */
};

TAILQ_HEAD(coll_watches, coll_watch);

/* What was taken for a call. */
struct coll_choice {
	hcclRedOp_t op;
	struct coll_call call;
	uint32_t root;			/* its rank; the call may count ranks by box */
	uint32_t size;			/* of an element; 0: none yet */
};

struct coll_reducer;

struct coll_comm {
	struct gaudi_device *device;
	struct coll_comm *next_in_queues;	/* queues.c */
	uint32_t queue;
	uint32_t ranks, rank;
	struct coll_settings settings;
	struct coll_peer *peers;
	gaudi_ptr staging;
	uint64_t staging_bytes;
	struct coll_reducer *reducer;
	struct coll_schedule schedule;

	/* Several boxes */
	uint32_t boxes;
	bool here;			/* all of them are on this machine */
	uint32_t ip;			/* where this rank listens */
	uint32_t *by_box;		/* ranks, those of a box one after the other */
	struct coll_fabric *fabric;	/* NULL: there is one box */
	void *host;			/* all peers' pinned memory */
	/* With @lock: batches that were called, or that a graph's launch has under way; */
	uint32_t batches;		/* @changed, if there are less */
	uint32_t launched;		/* those of launches alone */
	uint64_t launched_ended;
	uint32_t awaited;		/* by the last one of them: a rank */
	bool gone;			/* only graphs have it */
	atomic_uint refs;		/* its own, and one for each batch that graphs have */

	pthread_mutex_t run;
	struct coll_choice choices[COLL_CHOICES];
	uint32_t next_choice;
	struct gaudi_stream *last_stream;
	struct gaudi_event *order;	/* behind the last collective */
	struct gaudi_event *fork;	/* where the last set of transfers began */
	struct gaudi_stream *own_streams[COLL_OWN_STREAMS];	/* of such sets; or NULL */
	atomic_bool any_order;
	bool finished;
	bool skewed;			/* pairs have had more exchanges than others */
	bool captures;			/* what is enqueued now */
	atomic_bool captured;		/* some were: graphs may have work at any time */

	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint64_t seq;
	struct coll_mark last, ended;	/* called, and ended here */
	struct coll_marks own, before;	/* marks of one not yet compared with the other's */
	struct coll_watches watches, spare;	/* in the order of calls; of what has ended */
	hcclResult_t error;
	char why[COLL_MESSAGE_SIZE + 64];
	atomic_bool failed;
	atomic_bool transfers;		/* there are some under way */
	atomic_bool moved;		/* there were some */
	atomic_bool active;		/* there was work since links were looked at */
	int64_t failed_ms;
	int64_t link_failed_ms;		/* when it was seen first; 0: none */
	uint64_t captured_sum;		/* of what links have done for graphs */
	int64_t captured_ms;		/* when it changed */

	pthread_t thread;
	bool has_thread;
	atomic_bool stop;
	int wake;			/* an eventfd */
	uint64_t asked, heard;		/* as of which question the thread has heard all */
};

/* A reference for a graph's work; the last one that is put, of those and the owner's, frees it. */
void coll_comm_get(struct coll_comm *comm);
void coll_comm_put(struct coll_comm *comm);
/* Of what is enqueued now. */
struct coll_far_lane *coll_far_lane(const struct coll_comm *comm, uint32_t peer);

/*
 * A port's work goes through few queues, each of which is in order: so two communicators
 * that take the same one must not come in another order on some card. Each takes the one that
 * the fewest of its card have for collectives, and the next ones for sends; what several have
 * in one queue comes one after the other (queues.c).
 */
#define COLL_QUEUES	3u

void coll_queue_enter(struct coll_comm *comm);
void coll_queue_leave(struct coll_comm *comm);
/* Of the links of a kind: 0 to COLL_QUEUES - 1. */
uint32_t coll_queue_of(const struct coll_comm *comm, enum coll_link_kind kind);
/*
 * What others have enqueued so far in the queues of @comm's links of @kinds (bits) comes before
 * what comes on @stream.
 */
int coll_queue_wait(struct coll_comm *comm, uint32_t kinds,
		    struct gaudi_stream *stream);

/* Where in staging memory what is (layout.c). */
uint64_t coll_staging_size(uint32_t ranks, uint32_t row_bytes);
uint64_t coll_slot_offset(const struct coll_comm *comm, uint32_t parity,
			  uint32_t rank);
uint64_t coll_work_offset(const struct coll_comm *comm);
uint64_t coll_out_offset(const struct coll_comm *comm);
uint64_t coll_spare_offset(const struct coll_comm *comm, uint32_t i);
uint64_t coll_mailbox_offset(const struct coll_comm *comm, uint32_t rank, uint64_t i);

#endif /* GAUDI_COLL_COMM_H */
