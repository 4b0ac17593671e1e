// SPDX-License-Identifier: MIT
/*
 * Recursive halving and doubling, of a power of two of ranks: partners are half as far
 * away each time, and each keeps half of what both have. Sums are of the lower rank's part
 * and the higher one's, in this order.
 */
#include "schedule.h"

#define MOST_STEPS	6u	/* log2 of COLL_MAX_RANKS */

struct window {
	uint64_t at, count;
};

/* What is kept, and what the partner keeps. */
static void halve(struct window all, bool upper, struct window *kept,
		  struct window *given)
{
	struct window low = { all.at, all.count / 2 };
	struct window high = { all.at + low.count, all.count - low.count };

	*kept = upper ? high : low;
	*given = upper ? low : high;
}

void coll_make_halving(const struct coll_call *call, uint64_t pass,
		       struct coll_schedule *s)
{
	struct coll_part all = coll_pass_of(call, pass);
	struct window kept[MOST_STEPS + 1], given[MOST_STEPS + 1];
	uint32_t steps = 0;

	coll_copy(s, coll_at(COLL_RECV, all.at), coll_at(COLL_SEND, all.at),
		  all.count);
	kept[0] = (struct window) { all.at, all.count };
	for (uint32_t far = call->ranks / 2; far; far /= 2) {
		struct coll_ref mine;
		uint32_t peer = call->rank ^ far;
		bool upper = call->rank & far;

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
	for (uint32_t far = 1; far < call->ranks; far *= 2, steps--) {
		uint32_t peer = call->rank ^ far;

		coll_exchange(s);
		coll_send(s, peer, coll_at(COLL_RECV, kept[steps].at),
			  kept[steps].count);
		coll_receive(s, peer, given[steps].count);
		coll_copy(s, coll_at(COLL_RECV, given[steps].at),
			  coll_slot(peer), given[steps].count);
	}
}
