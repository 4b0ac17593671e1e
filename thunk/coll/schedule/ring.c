// SPDX-License-Identifier: MIT
/*
 * Ring: in each of ranks - 1 exchanges a chunk goes to the next rank, which adds its own.
 * Chunk c is summed in the order of ranks c + 1, c + 2, ... c, and rounded each time.
 */
#include "algorithms.h"

static uint32_t behind(const struct coll_call *call, uint32_t steps)
{
	return (call->rank + 2 * call->ranks - steps) % call->ranks;
}

/* Of the caller's buffer: chunks of a pass, or parts of a rank. */
static struct coll_part part_of(const struct coll_call *call, uint64_t pass,
				uint32_t i)
{
	struct coll_part part = coll_pass_of(call, pass);

	if (call->kind == COLL_ALLREDUCE)
		return coll_chunk_of(call, part, i);
	part.at += i * call->count;

	return part;
}

/* The rank's own chunk, summed, is in @to at the end. */
static void scatter(const struct coll_call *call, uint64_t pass,
		    struct coll_ref to, struct coll_schedule *s)
{
	uint32_t next = (call->rank + 1) % call->ranks, before = behind(call, 1);

	for (uint32_t step = 0; step + 1 < call->ranks; step++) {
		struct coll_part out = part_of(call, pass, behind(call, step + 1));
		struct coll_part in = part_of(call, pass, behind(call, step + 2));
		bool last = step + 2 == call->ranks;

		coll_exchange(s);
		coll_send(s, next, step ? coll_at(COLL_WORK, 0) :
				   coll_at(COLL_SEND, out.at), out.count);
		coll_receive(s, before, in.count);
		coll_operand(s, coll_slot(before));
		coll_operand(s, coll_at(COLL_SEND, in.at));
		coll_reduce(s, last ? to : coll_at(COLL_WORK, 0), in.count);
	}
}

/* The rank's own chunk is in @from; it goes round. */
static void gather(const struct coll_call *call, uint64_t pass,
		   struct coll_ref from, struct coll_schedule *s)
{
	uint32_t next = (call->rank + 1) % call->ranks, before = behind(call, 1);

	for (uint32_t step = 0; step + 1 < call->ranks; step++) {
		struct coll_part out = part_of(call, pass, behind(call, step));
		struct coll_part in = part_of(call, pass, behind(call, step + 1));

		coll_exchange(s);
		coll_send(s, next, step ? coll_at(COLL_RECV, out.at) : from,
			  out.count);
		coll_receive(s, before, in.count);
		coll_copy(s, coll_at(COLL_RECV, in.at), coll_slot(before),
			  in.count);
	}
}

/* The chunk that is @steps behind this member's own. */
static struct coll_part chunk_behind(const struct coll_call *of_group, uint32_t at,
				     struct coll_part all, uint32_t steps)
{
	return coll_chunk_of(of_group, all, (at + 2 * of_group->ranks - steps) %
					    of_group->ranks);
}

void coll_round(const struct coll_call *call, const struct coll_group *group,
		struct coll_part all, struct coll_schedule *s)
{
	uint32_t next = coll_member(group, (group->at + 1) % group->ranks);
	uint32_t before = coll_member(group, (group->at + group->ranks - 1) %
					     group->ranks);
	struct coll_call of_group = *call;

	of_group.ranks = group->ranks;
	for (uint32_t step = 1; step < 2 * group->ranks - 1; step++) {
		bool sums = step < group->ranks;
		/* What has been summed, then what is whole, goes on. */
		uint32_t far = sums ? step : step - group->ranks;
		struct coll_part out = chunk_behind(&of_group, group->at, all, far);
		struct coll_part in = chunk_behind(&of_group, group->at, all, far + 1);
		struct coll_ref mine = coll_at(COLL_RECV, in.at);

		coll_exchange(s);
		coll_send(s, next, coll_at(COLL_RECV, out.at), out.count);
		coll_receive(s, before, in.count);
		if (!sums) {
			coll_copy(s, mine, coll_slot(before), in.count);
			continue;
		}
		coll_operand(s, coll_slot(before));
		coll_operand(s, mine);
		coll_reduce(s, mine, in.count);
	}
}

void coll_make_ring(const struct coll_call *call, uint64_t pass,
		    struct coll_schedule *s)
{
	struct coll_part own = part_of(call, pass, call->rank);
	struct coll_part all = coll_pass_of(call, pass);
	struct coll_ref to = coll_at(COLL_RECV, own.at);

	if (call->kind == COLL_REDUCE_SCATTER) {
		scatter(call, pass, coll_at(COLL_RECV, all.at), s);
		return;
	}
	if (call->kind == COLL_ALLREDUCE) {
		scatter(call, pass, to, s);
		gather(call, pass, to, s);
		return;
	}
	coll_copy(s, to, coll_at(COLL_SEND, all.at), own.count);
	gather(call, pass, to, s);
}
