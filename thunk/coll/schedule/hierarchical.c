// SPDX-License-Identifier: MIT
/*
 * Hierarchical: within a box, ranks talk to each other directly; across boxes, those of the
 * same place, each about its own chunk, so that all wires out of a box work at the same time.
 * If boxes differ, there are as many chunks as the smallest one has ranks; further ranks of a
 * box have none.
 *
 * A chunk is summed in the order of ranks within each box, by twos, and then as halving does,
 * with boxes in place of ranks; or as a ring does, if their number is no power of two.
 */
#include "schedule.h"

struct place {
	uint32_t box, boxes;		/* this rank's, and how many */
	uint32_t first, at, ranks;	/* first rank of it, this one's place in it, all */
	struct coll_call within;	/* for chunks of as many ranks as each box has */
};

static struct place place_of(const struct coll_call *call, uint32_t rank)
{
	struct place place = {
		.box = coll_box_of(call, rank),
		.within = *call,
	};

	if (call->firsts) {
		place.boxes = call->boxes;
		place.first = call->firsts[place.box];
		place.ranks = (place.box + 1 < place.boxes ?
			       call->firsts[place.box + 1] : call->ranks) - place.first;
	} else {
		place.boxes = call->ranks / call->box;
		place.first = place.box * call->box;
		place.ranks = call->box;
	}
	place.at = rank - place.first;
	place.within.ranks = coll_smallest_box(call);

	return place;
}

/* Does number @i of the box have a chunk? */
static bool has_chunk(const struct place *place, uint32_t i)
{
	return i < place->within.ranks;
}

static struct coll_part chunk(const struct place *place, struct coll_part all,
			      uint32_t i)
{
	return coll_chunk_of(&place->within, all, i);
}

/* All others of the box, by their places, beginning with the next one. */
#define FOR_EACH_NEIGHBOUR(place, i)					\
	for (uint32_t n_ = 1, i; n_ < (place)->ranks &&			\
	     (i = ((place)->at + n_) % (place)->ranks, true); n_++)
/* And those that have something for each other. */
#define FOR_EACH_PARTNER(place, i)					\
	FOR_EACH_NEIGHBOUR(place, i)					\
		if (has_chunk(place, i) || has_chunk(place, (place)->at))

/* The own chunk's sum over the box is where it is received. */
static void sum_in_box(const struct place *place, struct coll_part all,
		       struct coll_schedule *s)
{
	struct coll_part own = chunk(place, all, place->at);
	struct coll_ref to = coll_at(COLL_RECV, own.at);
	struct coll_ref mine = coll_at(COLL_SEND, own.at);

	coll_exchange(s);
	FOR_EACH_PARTNER(place, i) {
		struct coll_part part = chunk(place, all, i);

		coll_send(s, place->first + i, coll_at(COLL_SEND, part.at),
			  part.count);
		coll_receive(s, place->first + i, own.count);
	}
	if (place->ranks == 1)
		coll_copy(s, to, mine, own.count);
	/* In place, @mine is @to: it is kept until its turn has come. */
	if (place->at > 1) {
		coll_copy(s, coll_at(COLL_WORK, 0), mine, own.count);
		mine = coll_at(COLL_WORK, 0);
	}
	for (uint32_t i = 1; i < place->ranks; i++) {
		if (i > 1)
			coll_operand(s, to);
		else
			coll_operand(s, place->at ? coll_slot(place->first) : mine);
		coll_operand(s, place->at == i ? mine : coll_slot(place->first + i));
		coll_reduce(s, to, own.count);
	}
}

/* Each gives its chunk to all others of its box. */
static void gather_in_box(const struct place *place, struct coll_part all,
			  struct coll_schedule *s)
{
	struct coll_part own = chunk(place, all, place->at);

	coll_exchange(s);
	FOR_EACH_PARTNER(place, i) {
		coll_send(s, place->first + i, coll_at(COLL_RECV, own.at),
			  own.count);
		coll_receive(s, place->first + i, chunk(place, all, i).count);
	}
	FOR_EACH_NEIGHBOUR(place, i) {
		struct coll_part part = chunk(place, all, i);

		coll_copy(s, coll_at(COLL_RECV, part.at),
			  coll_slot(place->first + i), part.count);
	}
}

/* Each rank of the root's box gets its chunk. */
static void deal(const struct coll_call *call, const struct place *place,
		 struct coll_part all, struct coll_schedule *s)
{
	struct coll_part own = chunk(place, all, place->at);

	coll_exchange(s);
	if (call->rank != call->root) {
		if (!has_chunk(place, place->at))
			return;
		coll_receive(s, call->root, own.count);
		coll_copy(s, coll_at(COLL_RECV, own.at), coll_slot(call->root),
			  own.count);
		return;
	}
	FOR_EACH_NEIGHBOUR(place, i) {
		struct coll_part part = chunk(place, all, i);

		if (has_chunk(place, i))
			coll_send(s, place->first + i, coll_at(COLL_SEND, part.at),
				  part.count);
	}
	coll_copy(s, coll_at(COLL_RECV, all.at), coll_at(COLL_SEND, all.at),
		  all.count);
}

/* This rank's chunk, from and to those of its place in the other boxes. */
static void cross(const struct coll_call *call, const struct place *place,
		  struct coll_part own, struct coll_schedule *s)
{
	const struct coll_group group = {
		.first = place->at, .stride = call->box, .firsts = call->firsts,
		.ranks = place->boxes, .at = place->box,
	};

	if (call->kind == COLL_BROADCAST)
		coll_spread(&group, coll_box_of(call, call->root), own, s);
	else if (place->boxes & (place->boxes - 1))
		coll_round(call, &group, own, s);
	else
		coll_halve(&group, own, s);
}

void coll_make_hierarchical(const struct coll_call *call, uint64_t pass,
			    struct coll_schedule *s)
{
	struct coll_part all = coll_pass_of(call, pass);
	struct place place = place_of(call, call->rank);

	if (call->kind != COLL_BROADCAST)
		sum_in_box(&place, all, s);
	else if (place.box == coll_box_of(call, call->root))
		deal(call, &place, all, s);
	if (has_chunk(&place, place.at))
		cross(call, &place, chunk(&place, all, place.at), s);
	gather_in_box(&place, all, s);
}
