/* SPDX-License-Identifier: MIT */
/*
 * What each rank does in a collective, as data: pure functions of the call (schedule.c, and
 * a file for each algorithm). They know neither cards nor links, so that a model, the
 * executor and a simulation run the same. Which algorithm is taken is in settings.h, by what
 * each costs (cost.h). Nothing here is shared by threads, so there is no lock.
 *
 * A collective is cut into passes, so that what one peer sends to another at a time fits
 * into a row of the receiver's staging memory. A pass is a list of actions, done in order.
 * Sends and receives with the same number are one exchange: all of them at the same time.
 * What a peer sent lies in the row of that peer until the next exchange with it begins, in
 * which the peer is told that the row is free again: so a receiver always answers, and two
 * rows for each peer, in turn, are enough.
 */
#ifndef GAUDI_COLL_SCHEDULE_H
#define GAUDI_COLL_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#define COLL_MAX_RANKS		64u		/* of a communicator */

enum coll_kind {
	COLL_ALLREDUCE,
	COLL_REDUCE_SCATTER,
	COLL_ALLGATHER,
	COLL_BROADCAST,
	COLL_REDUCE,
	COLL_ALLTOALL,
	COLL_BARRIER,
	COLL_KINDS
};

enum coll_algorithm {
	COLL_DIRECT,		/* each with each, one or two exchanges */
	COLL_RING,		/* to the next rank, from the one before */
	COLL_HALVING,		/* recursive halving, and doubling back */
	COLL_TREE,		/* binomial, from or to the root */
	COLL_HIERARCHICAL,	/* direct in boxes; halving, a ring or a tree across them */
	COLL_ALGORITHMS
};

struct coll_call {
	enum coll_kind kind;
	enum coll_algorithm algorithm;
	uint32_t ranks, rank, root;
	/*
	 * Elements: of the buffer (allreduce, broadcast, reduce), or of each rank's part
	 * (reduce-scatter, allgather, alltoall).
	 */
	uint64_t count;
	uint64_t row;		/* elements that a row of staging memory has room for */
	uint64_t small;		/* allreduce, direct: up to so many in one exchange */
	/*
	 * Hierarchical: ranks of each box, which follow each other; or, if boxes differ, how many
	 * there are, and the first rank of each.
	 */
	uint32_t box;
	uint32_t boxes;
	const uint32_t *firsts;
	/* And which part of the buffer each of them has, if ranks are not numbered by box. */
	const uint32_t *by_box;
};

enum coll_space {
	COLL_SEND,		/* the caller's buffers */
	COLL_RECV,
	COLL_SLOT,		/* what @row, a rank, sent last */
	COLL_WORK,		/* a row of this rank's own */
};

struct coll_ref {
	enum coll_space space;
	uint32_t row;
	uint64_t at;		/* elements */
};

enum coll_action_kind {
	COLL_ACT_SEND,		/* @from to @peer's slot */
	COLL_ACT_RECEIVE,	/* to this rank's slot of @peer */
	COLL_ACT_COPY,		/* @from to @to */
	COLL_ACT_REDUCE,	/* @num_refs of the schedule's refs, in their order, to @to */
};

struct coll_action {
	enum coll_action_kind kind;
	uint32_t exchange;	/* SEND, RECEIVE: which one */
	uint32_t peer;
	struct coll_ref to, from;
	uint64_t count;
	uint32_t first_ref, num_refs;
};

struct coll_schedule {
	struct coll_action *actions;
	struct coll_ref *refs;
	uint32_t num_actions, num_refs;
	uint32_t max_actions, max_refs;
	uint32_t taken_refs;	/* by reductions so far */
	uint32_t exchange;
	bool failed;		/* no memory */
};

/* "allreduce", "direct"; NULL: no such one. */
const char *coll_kind_name(unsigned int kind);
const char *coll_algorithm_name(unsigned int algorithm);
/* Is there such a schedule? Barriers and alltoall are direct. */
bool coll_can(const struct coll_call *call);
/* Which box @rank is in; 0 if there is one. */
uint32_t coll_box_of(const struct coll_call *call, uint32_t rank);
/* Passes that @call takes; 0: there is nothing to do. */
uint64_t coll_passes(const struct coll_call *call);
/* What @call->rank does in a pass. -ENOMEM; -EINVAL: there is none. */
int coll_schedule_make(const struct coll_call *call, uint64_t pass,
		       struct coll_schedule *schedule);
void coll_schedule_free(struct coll_schedule *schedule);

#endif /* GAUDI_COLL_SCHEDULE_H */
