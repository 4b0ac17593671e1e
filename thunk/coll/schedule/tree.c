// SPDX-License-Identifier: MIT
/*
 * A binomial tree, whose root is rank 0 when ranks are counted from the root on. Sums go up
 * by pairs: a rank adds what comes from a rank one further, two further, four further ...
 */
#include "algorithms.h"

static uint32_t rank_of(const struct coll_call *call, uint32_t root, uint32_t v)
{
	return (root + v) % call->ranks;
}

/* The sum is at the root at the end; where, comes back. */
static struct coll_ref up(const struct coll_call *call, uint32_t root,
			  struct coll_part part, struct coll_schedule *s)
{
	uint32_t v = (call->rank + call->ranks - root) % call->ranks;
	struct coll_ref sum = coll_at(COLL_SEND, part.at);

	for (uint32_t far = 1; far < call->ranks; far *= 2) {
		uint32_t peer;

		coll_exchange(s);
		if (v & far) {
			coll_send(s, rank_of(call, root, v - far), sum,
				  part.count);
			break;
		}
		if (v + far >= call->ranks)
			continue;
		peer = rank_of(call, root, v + far);
		coll_receive(s, peer, part.count);
		coll_operand(s, sum);
		coll_operand(s, coll_slot(peer));
		sum = coll_at(COLL_WORK, 0);
		coll_reduce(s, sum, part.count);
	}

	return sum;
}

void coll_spread(const struct coll_group *group, uint32_t root,
		 struct coll_part part, struct coll_schedule *s)
{
	uint32_t v = (group->at + group->ranks - root) % group->ranks, far = 1;

	while (far < group->ranks && !(v & far))
		far *= 2;
	if (v) {
		uint32_t peer = coll_member(group, (root + v - far) % group->ranks);

		coll_exchange(s);
		coll_receive(s, peer, part.count);
		coll_copy(s, coll_at(COLL_RECV, part.at), coll_slot(peer),
			  part.count);
	}
	/* One after the other: who has the most below it does not wait for the others' share. */
	for (far /= 2; far; far /= 2) {
		if (v + far >= group->ranks)
			continue;
		coll_exchange(s);
		coll_send(s, coll_member(group, (root + v + far) % group->ranks),
			  coll_at(COLL_RECV, part.at), part.count);
	}
}

/* @from is where the root has it; all have it where they receive at the end. */
static void down(const struct coll_call *call, uint32_t root,
		 struct coll_part part, struct coll_ref from,
		 struct coll_schedule *s)
{
	const struct coll_group group = {
		.stride = 1, .ranks = call->ranks, .at = call->rank,
	};

	if (call->rank == root)
		coll_copy(s, coll_at(COLL_RECV, part.at), from, part.count);
	coll_spread(&group, root, part, s);
}

void coll_make_tree(const struct coll_call *call, uint64_t pass,
		    struct coll_schedule *s)
{
	struct coll_part part = coll_pass_of(call, pass);
	struct coll_ref sum;

	if (call->kind == COLL_BROADCAST) {
		down(call, call->root, part, coll_at(COLL_SEND, part.at), s);
		return;
	}
	if (call->kind == COLL_ALLREDUCE) {
		sum = up(call, 0, part, s);
		down(call, 0, part, sum, s);
		return;
	}
	sum = up(call, call->root, part, s);
	if (call->rank == call->root)
		coll_copy(s, coll_at(COLL_RECV, part.at), sum, part.count);
}
