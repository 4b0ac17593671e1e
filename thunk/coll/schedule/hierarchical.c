// SPDX-License-Identifier: MIT
/*
 * Hierarchical: within a box, ranks talk to each other directly; across boxes, those of the
 * same place, each about its own chunk, so that all wires out of a box work at the same time.
 * If boxes differ, there are as many chunks as the smallest one has ranks; further ranks of a
 * box have none.
 *
 * A chunk is summed in the order of ranks within each box, by twos, and then as halving does,
 * with boxes in place of ranks; or as a ring does, if their number is no power of two.
 *
 * Where each rank has a part of its own (allgather, reduce-scatter), parts go round a ring of
 * boxes, and within each of them at the same time. Those of as many ranks of each box as the
 * smallest one has, go round at once; then those of the next ones. A part is summed in the
 * order of ranks within each box, by twos, and these sums from the next box on to its own.
 */
#include "algorithms.h"

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

	place.boxes = call->firsts ? call->boxes : call->ranks / call->box;
	place.first = coll_first_of(call, place.box);
	place.ranks = coll_first_of(call, place.box + 1) - place.first;
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

/* Number @i of what is summed by twos. */
static void add(struct coll_schedule *s, uint32_t i, struct coll_ref to,
		struct coll_ref from, uint64_t count)
{
	if (i > 1)
		coll_operand(s, to);
	coll_operand(s, from);
	if (i)
		coll_reduce(s, to, count);
}

/* What the others of the box sent, and @mine among it. */
static void sum_slots(const struct place *place, struct coll_ref to,
		      struct coll_ref mine, uint64_t count, struct coll_schedule *s)
{
	if (place->ranks == 1) {
		coll_copy(s, to, mine, count);
		return;
	}
	for (uint32_t i = 0; i < place->ranks; i++)
		add(s, i, to, i == place->at ? mine : coll_slot(place->first + i), count);
}

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
	/* In place, @mine is @to: it is kept until its turn has come. */
	if (place->at > 1) {
		coll_copy(s, coll_at(COLL_WORK, 0), mine, own.count);
		mine = coll_at(COLL_WORK, 0);
	}
	sum_slots(place, to, mine, own.count, s);
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

/*
 * Parts of ranks
 */
#define NONE		UINT32_MAX

static uint32_t box_size(const struct coll_call *call, uint32_t box)
{
	return coll_first_of(call, box + 1) - coll_first_of(call, box);
}

/* So many parts of a box go round one after the other. */
static uint32_t rounds_of(const struct coll_call *call, const struct place *place)
{
	uint32_t most = 0;

	for (uint32_t box = 0; call->firsts && box < place->boxes; box++)
		most = box_size(call, box) > most ? box_size(call, box) : most;

	return call->firsts ? (most + place->within.ranks - 1) / place->within.ranks : 1;
}

/* Who has number @i's part of box @of, as it comes by @box: in its own, that rank itself. */
static uint32_t carrier(const struct coll_call *call, const struct place *place,
			uint32_t box, uint32_t of, uint32_t i)
{
	return coll_first_of(call, box) + (box == of ? i : i % place->within.ranks);
}

/* Whose part of box @of number @i of this box has in a round: their number there, or NONE. */
static uint32_t carried(const struct coll_call *call, const struct place *place,
			uint32_t i, uint32_t of, uint32_t round)
{
	uint32_t part = round * place->within.ranks + i;

	if (of == place->box)
		return i / place->within.ranks == round ? i : NONE;

	return has_chunk(place, i) && part < box_size(call, of) ? part : NONE;
}

/* Where the part of number @i of box @of is, of a buffer of all parts. */
static struct coll_ref part_of(const struct coll_call *call, enum coll_space space,
			       uint32_t of, uint32_t i, uint64_t at)
{
	uint32_t rank = coll_first_of(call, of) + i;

	return coll_at(space, (call->by_box ? call->by_box[rank] : rank) * call->count + at);
}

/* A step of a ring: what this rank has goes to its box and to the next one. */
static void gather_step(const struct coll_call *call, const struct place *place,
			struct coll_part part, uint32_t round, uint32_t step,
			struct coll_schedule *s)
{
	uint32_t next = (place->box + 1) % place->boxes;
	uint32_t before = (place->box + place->boxes - 1) % place->boxes;
	uint32_t of = (place->box + place->boxes - step) % place->boxes;
	uint32_t then = (of + place->boxes - 1) % place->boxes;
	bool last = step + 1 == place->boxes;
	uint32_t mine = carried(call, place, place->at, of, round);
	uint32_t comes = last ? NONE : carried(call, place, place->at, then, round);
	struct coll_ref from = {};

	if (mine != NONE)
		from = part_of(call, COLL_RECV, of, mine, part.at);
	coll_exchange(s);
	FOR_EACH_NEIGHBOUR(place, i) {
		if (mine != NONE)
			coll_send(s, place->first + i, from, part.count);
		if (carried(call, place, i, of, round) != NONE)
			coll_receive(s, place->first + i, part.count);
	}
	if (mine != NONE && !last)
		coll_send(s, carrier(call, place, next, of, mine), from, part.count);
	if (comes != NONE)
		coll_receive(s, carrier(call, place, before, then, comes), part.count);
	FOR_EACH_NEIGHBOUR(place, i) {
		uint32_t theirs = carried(call, place, i, of, round);

		if (theirs != NONE)
			coll_copy(s, part_of(call, COLL_RECV, of, theirs, part.at),
				  coll_slot(place->first + i), part.count);
	}
	if (comes != NONE)
		coll_copy(s, part_of(call, COLL_RECV, then, comes, part.at),
			  coll_slot(carrier(call, place, before, then, comes)), part.count);
}

/* The same backwards: the box's sum, and what the boxes before it have in sum, go on. */
static void scatter_step(const struct coll_call *call, const struct place *place,
			 struct coll_part part, uint32_t round, uint32_t step,
			 struct coll_schedule *s)
{
	uint32_t next = (place->box + 1) % place->boxes;
	uint32_t before = (place->box + place->boxes - 1) % place->boxes;
	uint32_t of = (before + place->boxes - step) % place->boxes;
	uint32_t was = (of + 1) % place->boxes;
	uint32_t mine = carried(call, place, place->at, of, round);
	uint32_t goes = step ? carried(call, place, place->at, was, round) : NONE;
	struct coll_ref sum = coll_at(COLL_WORK, 0);

	coll_exchange(s);
	FOR_EACH_NEIGHBOUR(place, i) {
		uint32_t theirs = carried(call, place, i, of, round);

		if (theirs != NONE)
			coll_send(s, place->first + i,
				  part_of(call, COLL_SEND, of, theirs, part.at), part.count);
		if (mine != NONE)
			coll_receive(s, place->first + i, part.count);
	}
	if (goes != NONE)
		coll_send(s, carrier(call, place, next, was, goes), sum, part.count);
	if (mine == NONE)
		return;
	if (step)
		coll_receive(s, carrier(call, place, before, of, mine), part.count);
	sum_slots(place, sum, part_of(call, COLL_SEND, of, mine, part.at), part.count, s);
	if (!step)
		return;
	coll_operand(s, coll_slot(carrier(call, place, before, of, mine)));
	coll_operand(s, sum);
	coll_reduce(s, of == place->box ? coll_at(COLL_RECV, part.at) : sum, part.count);
}

static void make_parts(const struct coll_call *call, const struct place *place,
		       struct coll_part part, struct coll_schedule *s)
{
	bool gathers = call->kind == COLL_ALLGATHER;
	uint32_t rounds = rounds_of(call, place);

	if (gathers)
		coll_copy(s, part_of(call, COLL_RECV, place->box, place->at, part.at),
			  coll_at(COLL_SEND, part.at), part.count);
	for (uint32_t round = 0; round < rounds; round++)
		for (uint32_t step = 0; step < place->boxes; step++)
			if (gathers)
				gather_step(call, place, part, round, step, s);
			else
				scatter_step(call, place, part, round, step, s);
}

void coll_make_hierarchical(const struct coll_call *call, uint64_t pass,
			    struct coll_schedule *s)
{
	struct coll_part all = coll_pass_of(call, pass);
	struct place place = place_of(call, call->rank);

	if (call->kind == COLL_ALLGATHER || call->kind == COLL_REDUCE_SCATTER) {
		make_parts(call, &place, all, s);
		return;
	}
	if (call->kind != COLL_BROADCAST)
		sum_in_box(&place, all, s);
	else if (place.box == coll_box_of(call, call->root))
		deal(call, &place, all, s);
	if (has_chunk(&place, place.at))
		cross(call, &place, chunk(&place, all, place.at), s);
	gather_in_box(&place, all, s);
}
