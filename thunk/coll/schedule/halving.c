// SPDX-License-Identifier: MIT
/*
 * Recursive halving and doubling, of a power of two of ranks: partners are half as far
 * away each time, and each keeps half of what both have. Sums are of the lower rank's part
 * and the higher one's, in this order.
 */
#include "algorithms.h"

#define MOST_STEPS	20u	/* log2 of COLL_MAX_SCHEDULE */

/* What is kept, and what the partner keeps. */
static void halve(struct coll_part all, bool upper, struct coll_part *kept,
		  struct coll_part *given)
{
	struct coll_part low = { all.at, all.count / 2 };
	struct coll_part high = { all.at + low.count, all.count - low.count };

	*kept = upper ? high : low;
	*given = upper ? low : high;
}

static uint32_t partner(const struct coll_group *group, uint32_t far)
{
	return coll_member(group, group->at ^ far);
}

void coll_halve(const struct coll_group *group, struct coll_part all,
		struct coll_schedule *s)
{
	struct coll_part kept[MOST_STEPS + 1], given[MOST_STEPS + 1];
	uint32_t steps = 0;

	kept[0] = all;
	for (uint32_t far = group->ranks / 2; far; far /= 2) {
		struct coll_ref mine;
		uint32_t peer = partner(group, far);
		bool upper = group->at & far;

		steps++;
		halve(kept[steps - 1], upper, &kept[steps], &given[steps]);
		mine = coll_at(COLL_RECV, kept[steps].at);
		coll_exchange(s);
		coll_send(s, peer, coll_at(COLL_RECV, given[steps].at),
			  given[steps].count);
		coll_receive(s, peer, kept[steps].count);
		coll_operand(s, upper ? coll_slot(peer) : mine);
		coll_operand(s, upper ? mine : coll_slot(peer));
		coll_reduce(s, mine, kept[steps].count);
	}
	for (uint32_t far = 1; far < group->ranks; far *= 2, steps--) {
		uint32_t peer = partner(group, far);

		coll_exchange(s);
		coll_send(s, peer, coll_at(COLL_RECV, kept[steps].at),
			  kept[steps].count);
		coll_receive(s, peer, given[steps].count);
		coll_copy(s, coll_at(COLL_RECV, given[steps].at),
			  coll_slot(peer), given[steps].count);
	}
}

void coll_make_halving(const struct coll_call *call, uint64_t pass,
		       struct coll_schedule *s)
{
	struct coll_part all = coll_pass_of(call, pass);
	const struct coll_group group = {
		.stride = 1, .ranks = call->ranks, .at = call->rank,
	};

	coll_copy(s, coll_at(COLL_RECV, all.at), coll_at(COLL_SEND, all.at),
		  all.count);
	coll_halve(&group, all, s);
}
