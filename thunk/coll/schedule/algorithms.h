/* SPDX-License-Identifier: MIT */
/*
 * For algorithms, and of them: how schedule.c has them make a pass, and the parts of which
 * they make it.
 */
#ifndef GAUDI_COLL_ALGORITHMS_H
#define GAUDI_COLL_ALGORITHMS_H

#include "schedule.h"

#define COLL_MAX_SCHEDULE	(1u << 20)	/* ranks of a schedule */

/* The first rank of @box; of the one behind the last: how many ranks there are. */
uint32_t coll_first_of(const struct coll_call *call, uint32_t box);
/* How many ranks the smallest box has. */
uint32_t coll_smallest_box(const struct coll_call *call);

struct coll_part {
	uint64_t at, count;
};

/* What is sent and received from here on is another exchange. */
static inline void coll_exchange(struct coll_schedule *s)
{
	s->exchange++;
}

void coll_send(struct coll_schedule *s, uint32_t peer, struct coll_ref from,
	       uint64_t count);
void coll_receive(struct coll_schedule *s, uint32_t peer, uint64_t count);
void coll_copy(struct coll_schedule *s, struct coll_ref to, struct coll_ref from,
	       uint64_t count);
/* The operands are the refs that were added since the last one. */
void coll_operand(struct coll_schedule *s, struct coll_ref from);
void coll_reduce(struct coll_schedule *s, struct coll_ref to, uint64_t count);
/* Of a buffer's pass: the whole of it, and rank @i's chunk. */
struct coll_part coll_pass_of(const struct coll_call *call, uint64_t pass);
struct coll_part coll_chunk_of(const struct coll_call *call,
			       struct coll_part all, uint32_t i);

static inline struct coll_ref coll_at(enum coll_space space, uint64_t at)
{
	return (struct coll_ref) { .space = space, .at = at };
}

static inline struct coll_ref coll_slot(uint32_t peer)
{
	return (struct coll_ref) { .space = COLL_SLOT, .row = peer };
}

void coll_make_direct(const struct coll_call *call, uint64_t pass,
		      struct coll_schedule *s);
void coll_make_ring(const struct coll_call *call, uint64_t pass,
		    struct coll_schedule *s);
void coll_make_halving(const struct coll_call *call, uint64_t pass,
		       struct coll_schedule *s);
void coll_make_tree(const struct coll_call *call, uint64_t pass,
		    struct coll_schedule *s);
void coll_make_hierarchical(const struct coll_call *call, uint64_t pass,
			    struct coll_schedule *s);

/*
 * Every @stride-th rank from @first on, or that of each box if there are @firsts; @ranks of
 * them; this one is number @at.
 */
struct coll_group {
	uint32_t first, stride, ranks, at;
	const uint32_t *firsts;
};

static inline uint32_t coll_member(const struct coll_group *group, uint32_t i)
{
	return group->first + (group->firsts ? group->firsts[i] : i * group->stride);
}

/* What number @root has in @part of COLL_RECV gets there, down a binomial tree. */
void coll_spread(const struct coll_group *group, uint32_t root,
		 struct coll_part part, struct coll_schedule *s);
/*
 * The sum of what each has in @all of COLL_RECV gets there, by halving and doubling: a power
 * of two of ranks.
 */
void coll_halve(const struct coll_group *group, struct coll_part all,
		struct coll_schedule *s);
/* The same round a ring, of any number of ranks. */
void coll_round(const struct coll_call *call, const struct coll_group *group,
		struct coll_part all, struct coll_schedule *s);

#endif /* GAUDI_COLL_ALGORITHMS_H */
