// SPDX-License-Identifier: MIT
/*
 * Ranks execute their schedules on clocks. An exchange begins when a rank comes to it, and
 * ends when its own writes and those of all its peers have ended. What all cards do in sum
 * takes its time, too, where they share processors: the longer one of both counts.
 */
#include <errno.h>
#include <stdlib.h>

#include "cost.h"

#define PS_PER_NS	1000u

/* What a rank has sent to another one: as in staging memory, at most one is not yet used. */
struct arrival {
	uint32_t sent, taken;
	uint64_t at_ps[2];
};

struct rank {
	struct coll_schedule schedule;
	uint32_t next;			/* action */
	bool posted;			/* the exchange at @next */
	uint64_t clock_ps;
};

struct walk {
	struct coll_call call;
	uint32_t size;
	const struct coll_costs *costs;
	struct rank *ranks;
	struct arrival *arrivals;	/* [to * ranks + from] */
	uint64_t posts_ps, bytes_ps;	/* of all ranks */
	coll_event_fn seen;		/* or NULL */
	void *arg;
};

static void tell(const struct walk *walk, uint32_t rank, uint32_t peer,
		 enum coll_action_kind kind, uint64_t bytes, uint64_t begin_ps)
{
	const struct coll_event event = {
		.kind = kind, .rank = rank, .peer = peer, .bytes = bytes,
		.begin_ps = begin_ps, .end_ps = walk->ranks[rank].clock_ps,
	};

	if (walk->seen && bytes)
		walk->seen(walk->arg, &event);
}

static void work(struct walk *walk, struct rank *rank, uint64_t ns,
		 uint64_t bytes_ps)
{
	rank->clock_ps += ns * PS_PER_NS + bytes_ps;
	walk->posts_ps += ns * PS_PER_NS;
	walk->bytes_ps += bytes_ps;
}

static bool is_far(const struct walk *walk, uint32_t a, uint32_t b)
{
	return coll_box_of(&walk->call, a) != coll_box_of(&walk->call, b);
}

/* As the executor does it: operands are brought next to each other before. */
static void local(struct walk *walk, uint32_t number,
		  const struct coll_action *action)
{
	struct rank *rank = &walk->ranks[number];
	const struct coll_costs *c = walk->costs;
	uint64_t bytes = action->count * walk->size, begin = rank->clock_ps;
	uint32_t copies = 1;

	if (action->kind == COLL_ACT_REDUCE) {
		copies = action->num_refs == walk->call.ranks ? 1 : 2;
		work(walk, rank, c->reduce_ns,
		     bytes * action->num_refs * c->reduce_ps);
	}
	work(walk, rank, (uint64_t)copies * c->copy_ns,
	     copies * bytes * c->copy_ps);
	tell(walk, number, number, action->kind, bytes, begin);
}

/* From the action at @first on. */
static uint32_t exchange_end(const struct coll_schedule *s, uint32_t first)
{
	uint32_t end = first;

	while (end < s->num_actions && s->actions[end].kind <= COLL_ACT_RECEIVE &&
	       s->actions[end].exchange == s->actions[first].exchange)
		end++;

	return end;
}

/* Each peer gets one write, whether it gets data or sends them. */
static void post(struct walk *walk, uint32_t number, uint32_t end)
{
	struct rank *rank = &walk->ranks[number];
	const struct coll_costs *c = walk->costs;
	uint64_t most = 0, all = 0, far_ns = 0, begin = rank->clock_ps;
	bool peers[COLL_MAX_RANKS] = {};
	uint32_t writes = 0;

	for (uint32_t i = rank->next; i < end; i++) {
		const struct coll_action *a = &rank->schedule.actions[i];
		bool far = is_far(walk, number, a->peer);
		uint64_t bytes = a->kind == COLL_ACT_SEND ?
				 a->count * walk->size : 0;
		uint64_t ps = bytes * (c->link_ps + (far ? c->far_ps : 0));

		writes += !peers[a->peer];
		peers[a->peer] = true;
		most = ps > most ? ps : most;
		all += bytes * (c->card_ps + (far ? c->far_ps : 0));
		far_ns = far ? c->far_ns : far_ns;
	}
	work(walk, rank, c->exchange_ns + far_ns + (uint64_t)writes * c->write_ns,
	     most > all ? most : all);
	for (uint32_t i = rank->next; i < end; i++) {
		const struct coll_action *a = &rank->schedule.actions[i];

		if (a->kind == COLL_ACT_SEND)
			tell(walk, number, a->peer, a->kind,
			     a->count * walk->size, begin);
	}
	for (uint32_t i = 0; i < walk->call.ranks; i++) {
		struct arrival *to = &walk->arrivals[i * walk->call.ranks + number];

		if (peers[i])
			to->at_ps[to->sent++ % 2] = rank->clock_ps;
	}
	rank->posted = true;
}

/* Have all peers of the exchange sent? Then it has ended, and takes effect. */
static bool take(struct walk *walk, uint32_t number, uint32_t end)
{
	struct rank *rank = &walk->ranks[number];
	struct arrival *in = &walk->arrivals[number * walk->call.ranks];
	bool peers[COLL_MAX_RANKS] = {};

	for (uint32_t i = rank->next; i < end; i++) {
		uint32_t peer = rank->schedule.actions[i].peer;

		if (in[peer].sent == in[peer].taken)
			return false;
		peers[peer] = true;
	}
	for (uint32_t i = 0; i < walk->call.ranks; i++) {
		uint64_t at;

		if (!peers[i])
			continue;
		at = in[i].at_ps[in[i].taken++ % 2];
		rank->clock_ps = at > rank->clock_ps ? at : rank->clock_ps;
	}
	rank->next = end;
	rank->posted = false;

	return true;
}

/* One action, or exchange. false: it waits, or has ended. */
static bool step(struct walk *walk, uint32_t number)
{
	struct rank *rank = &walk->ranks[number];
	const struct coll_schedule *s = &rank->schedule;
	const struct coll_action *action = &s->actions[rank->next];
	uint32_t end;

	if (rank->next == s->num_actions)
		return false;
	if (action->kind > COLL_ACT_RECEIVE) {
		local(walk, number, action);
		rank->next++;
		return true;
	}
	end = exchange_end(s, rank->next);
	if (!rank->posted)
		post(walk, number, end);

	return take(walk, number, end);
}

static uint64_t longest(const struct walk *walk)
{
	const struct coll_costs *c = walk->costs;
	uint64_t sum = walk->posts_ps / c->posts_together * 100 +
		       walk->bytes_ps / c->bytes_together * 100;

	for (uint32_t i = 0; i < walk->call.ranks; i++)
		if (walk->ranks[i].clock_ps > sum)
			sum = walk->ranks[i].clock_ps;

	return sum;
}

/* Picoseconds that a pass takes; UINT64_MAX: no memory, or it never ends. */
static uint64_t cost_of_pass(struct walk *walk, uint64_t pass)
{
	bool goes_on = true;

	for (uint32_t i = 0; i < walk->call.ranks; i++) {
		struct rank *rank = &walk->ranks[i];

		walk->call.rank = i;
		if (coll_schedule_make(&walk->call, pass, &rank->schedule))
			return UINT64_MAX;
		rank->next = 0;
		rank->clock_ps = 0;
	}
	walk->posts_ps = 0;
	walk->bytes_ps = 0;
	while (goes_on) {
		goes_on = false;
		for (uint32_t i = 0; i < walk->call.ranks; i++)
			while (step(walk, i))
				goes_on = true;
	}
	for (uint32_t i = 0; i < walk->call.ranks; i++)
		if (walk->ranks[i].next < walk->ranks[i].schedule.num_actions)
			return UINT64_MAX;

	return longest(walk);
}

/* false: there is no schedule, or no memory. */
static bool begin(struct walk *walk)
{
	uint32_t ranks = walk->call.ranks;

	walk->call.rank = 0;
	if (ranks > COLL_MAX_RANKS || !coll_can(&walk->call))
		return false;
	walk->ranks = calloc(ranks, sizeof(*walk->ranks));
	walk->arrivals = calloc((size_t)ranks * ranks, sizeof(*walk->arrivals));

	return walk->ranks && walk->arrivals;
}

static void end(struct walk *walk)
{
	for (uint32_t i = 0; walk->ranks && i < walk->call.ranks; i++)
		coll_schedule_free(&walk->ranks[i].schedule);
	free(walk->ranks);
	free(walk->arrivals);
}

uint64_t coll_cost(const struct coll_call *call, uint32_t size,
		   const struct coll_costs *costs)
{
	struct walk walk = { .call = *call, .size = size, .costs = costs };
	uint64_t passes, first = 0, last = UINT64_MAX;

	if (begin(&walk)) {
		passes = coll_passes(&walk.call);
		/* All but the last one are alike. */
		last = passes ? cost_of_pass(&walk, passes - 1) : 0;
		if (passes > 1 && last != UINT64_MAX)
			first = cost_of_pass(&walk, 0);
		if (first == UINT64_MAX)
			last = first;
		else if (passes && last != UINT64_MAX)
			last = ((passes - 1) * first + last) / PS_PER_NS;
	}
	end(&walk);

	return last;
}

int coll_cost_events(const struct coll_call *call, uint32_t size,
		     const struct coll_costs *costs, coll_event_fn fn, void *arg)
{
	struct walk walk = {
		.call = *call, .size = size, .costs = costs, .seen = fn,
		.arg = arg,
	};
	int rc = -EINVAL;

	if (begin(&walk) && coll_passes(&walk.call))
		rc = cost_of_pass(&walk, 0) == UINT64_MAX ? -ENOMEM : 0;
	end(&walk);

	return rc;
}
