// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms.h"

/* Chunks begin at whole vectors of the card's, whatever the type. */
#define CHUNK_ALIGN	64u

const char *coll_kind_name(unsigned int kind)
{
	static const char * const names[COLL_KINDS] = {
		"allreduce", "reducescatter", "allgather", "broadcast", "reduce",
		"alltoall", "barrier",
	};

	return kind < COLL_KINDS ? names[kind] : NULL;
}

const char *coll_algorithm_name(unsigned int algorithm)
{
	static const char * const names[COLL_ALGORITHMS] = {
		"direct", "ring", "halving", "tree", "hierarchical",
	};

	return algorithm < COLL_ALGORITHMS ? names[algorithm] : NULL;
}

uint32_t coll_box_of(const struct coll_call *call, uint32_t rank)
{
	uint32_t box = 0;

	if (!call->firsts)
		return call->box ? rank / call->box : 0;
	while (box + 1 < call->boxes && call->firsts[box + 1] <= rank)
		box++;

	return box;
}

uint32_t coll_first_of(const struct coll_call *call, uint32_t box)
{
	if (!call->firsts)
		return box * call->box;

	return box < call->boxes ? call->firsts[box] : call->ranks;
}

uint32_t coll_smallest_box(const struct coll_call *call)
{
	uint32_t least = call->ranks;

	if (!call->firsts)
		return call->box;
	for (uint32_t box = 0; box < call->boxes; box++) {
		uint32_t size = coll_first_of(call, box + 1) - call->firsts[box];

		least = size < least ? size : least;
	}

	return least;
}

/* Does each rank have a part of one of the buffers, as long as @call->count? */
static bool is_of_parts(const struct coll_call *call)
{
	return call->kind == COLL_REDUCE_SCATTER || call->kind == COLL_ALLGATHER;
}

/* Whole boxes. */
static bool can_by_boxes(const struct coll_call *call)
{
	uint32_t boxes = call->box ? call->ranks / call->box : 0;

	if (call->firsts ? call->boxes < 2 :
			   boxes < 2 || call->box < 2 || call->ranks % call->box)
		return false;

	return is_of_parts(call) || call->kind == COLL_BROADCAST ||
	       call->kind == COLL_ALLREDUCE;
}

bool coll_can(const struct coll_call *call)
{
	static const uint32_t rings = 1u << COLL_ALLREDUCE |
				      1u << COLL_REDUCE_SCATTER |
				      1u << COLL_ALLGATHER;
	static const uint32_t trees = 1u << COLL_ALLREDUCE | 1u << COLL_BROADCAST |
				      1u << COLL_REDUCE;
	bool power = !(call->ranks & (call->ranks - 1));

	if (!call->ranks || call->ranks > COLL_MAX_SCHEDULE || !call->row ||
	    call->rank >= call->ranks || call->root >= call->ranks ||
	    call->kind >= COLL_KINDS)
		return false;
	switch (call->algorithm) {
	case COLL_DIRECT:
		return true;
	case COLL_RING:
		return rings & 1u << call->kind;
	case COLL_HALVING:
		return call->kind == COLL_ALLREDUCE && power;
	case COLL_TREE:
		return trees & 1u << call->kind;
	case COLL_HIERARCHICAL:
		return can_by_boxes(call);
	default:
		return false;
	}
}

/* Elements of a buffer, or of each part, that a pass takes. */
static uint64_t pass_size(const struct coll_call *call)
{
	bool chunks = call->kind == COLL_ALLREDUCE || call->kind == COLL_REDUCE;

	if (call->algorithm == COLL_HIERARCHICAL && !is_of_parts(call))
		return call->row * coll_smallest_box(call);
	if (chunks && (call->algorithm == COLL_DIRECT ||
		       call->algorithm == COLL_RING))
		return call->row * call->ranks;

	return call->row;
}

uint64_t coll_passes(const struct coll_call *call)
{
	uint64_t size = pass_size(call);

	if (call->kind == COLL_BARRIER)
		return 1;

	return call->count / size + !!(call->count % size);
}

struct coll_part coll_pass_of(const struct coll_call *call, uint64_t pass)
{
	uint64_t size = pass_size(call), at = pass * size;
	uint64_t left = call->count - at;

	return (struct coll_part) { at, left < size ? left : size };
}

struct coll_part coll_chunk_of(const struct coll_call *call,
			       struct coll_part all, uint32_t i)
{
	uint64_t chunk = (all.count + call->ranks - 1) / call->ranks;
	uint64_t first, end;

	chunk = (chunk + CHUNK_ALIGN - 1) / CHUNK_ALIGN * CHUNK_ALIGN;
	if (chunk > call->row)
		chunk = call->row;
	first = chunk * i < all.count ? chunk * i : all.count;
	end = chunk * (i + 1) < all.count ? chunk * (i + 1) : all.count;

	return (struct coll_part) { all.at + first, end - first };
}

/*
 * Lists
 */
static bool has_room(struct coll_schedule *s, void **list, uint32_t num,
		     uint32_t *max, size_t size)
{
	void *more;

	if (num < *max)
		return true;
	more = realloc(*list, (num * 2 + 64) * size);
	if (!more) {
		s->failed = true;
		return false;
	}
	*list = more;
	*max = num * 2 + 64;

	return true;
}

static struct coll_action *add(struct coll_schedule *s,
			       enum coll_action_kind kind, uint64_t count)
{
	struct coll_action *action;

	if (!has_room(s, (void **)&s->actions, s->num_actions, &s->max_actions,
		      sizeof(*action)))
		return NULL;
	action = &s->actions[s->num_actions++];
	*action = (struct coll_action) {
		.kind = kind,
		.count = count,
		.exchange = s->exchange,
	};

	return action;
}

void coll_send(struct coll_schedule *s, uint32_t peer, struct coll_ref from,
	       uint64_t count)
{
	struct coll_action *action = add(s, COLL_ACT_SEND, count);

	if (!action)
		return;
	action->peer = peer;
	action->from = from;
}

void coll_receive(struct coll_schedule *s, uint32_t peer, uint64_t count)
{
	struct coll_action *action = add(s, COLL_ACT_RECEIVE, count);

	if (!action)
		return;
	action->peer = peer;
	action->to = coll_slot(peer);
}

void coll_copy(struct coll_schedule *s, struct coll_ref to, struct coll_ref from,
	       uint64_t count)
{
	struct coll_action *action = count ? add(s, COLL_ACT_COPY, count) : NULL;

	if (!action)
		return;
	action->to = to;
	action->from = from;
}

void coll_operand(struct coll_schedule *s, struct coll_ref from)
{
	if (has_room(s, (void **)&s->refs, s->num_refs, &s->max_refs,
		     sizeof(from)))
		s->refs[s->num_refs++] = from;
}

void coll_reduce(struct coll_schedule *s, struct coll_ref to, uint64_t count)
{
	struct coll_action *action;

	if (!count) {
		s->num_refs = s->taken_refs;
		return;
	}
	action = add(s, COLL_ACT_REDUCE, count);
	if (!action)
		return;
	action->to = to;
	action->first_ref = s->taken_refs;
	action->num_refs = s->num_refs - s->taken_refs;
	s->taken_refs = s->num_refs;
}

/* Nobody to talk to: a copy. */
static void make_alone(const struct coll_call *call, uint64_t pass,
		       struct coll_schedule *s)
{
	struct coll_part part = coll_pass_of(call, pass);

	if (call->kind != COLL_BARRIER)
		coll_copy(s, coll_at(COLL_RECV, part.at),
			  coll_at(COLL_SEND, part.at), part.count);
}

int coll_schedule_make(const struct coll_call *call, uint64_t pass,
		       struct coll_schedule *s)
{
	s->num_actions = 0;
	s->num_refs = 0;
	s->taken_refs = 0;
	s->exchange = 0;
	s->failed = false;
	if (!coll_can(call) || pass >= coll_passes(call))
		return -EINVAL;
	if (call->ranks == 1)
		make_alone(call, pass, s);
	else if (call->algorithm == COLL_RING)
		coll_make_ring(call, pass, s);
	else if (call->algorithm == COLL_HALVING)
		coll_make_halving(call, pass, s);
	else if (call->algorithm == COLL_TREE)
		coll_make_tree(call, pass, s);
	else if (call->algorithm == COLL_HIERARCHICAL)
		coll_make_hierarchical(call, pass, s);
	else
		coll_make_direct(call, pass, s);

	return s->failed ? -ENOMEM : 0;
}

void coll_schedule_free(struct coll_schedule *s)
{
	free(s->actions);
	free(s->refs);
	memset(s, 0, sizeof(*s));
}
