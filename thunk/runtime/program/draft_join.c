// SPDX-License-Identifier: MIT
/*
 * A program as a part of a draft, or as several drafts. Its streams are followed
 * as far as their waits let them: so nodes come in an order in which they could
 * run. What stands between two points at which a stream waits, or signals, or
 * lets the engine become idle, is a node; waits become edges.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/array.h"
#include "../base/base.h"
#include "gaudi.h"
#include "../mme/mme_desc.h"
#include "program_item.h"

#define NONE	UINT32_MAX
/* Of a part: half of what a draft takes. More of them are more parts. */
#define PART_NODES	(1u << 19)

struct list {
	uint32_t *at;
	size_t num, room;
};

/* Where a stream has come to. */
struct source {
	struct prog_cursor cursor;
	struct prog_item item;
	bool at_item;			/* @item is still to be done */
	bool open;			/* the last node may get more work */
	bool sums;			/* the engine keeps some for its next item */
	uint32_t last;			/* node, or NONE */
	uint64_t cost;			/* of the draft's, so far */
	struct list waits;		/* nodes that the next one comes after */
};

struct join {
	struct prog_draft *d;
	const struct program *p;
	uint32_t first_buffer;
	const uint32_t *after;
	uint32_t num_after;
	bool events;			/* as they are, or none */
	uint32_t num_nodes;
	struct source sources[PROG_NUM_ENGINES];
	/* By sync object: nodes with which its signals come, or NONE. */
	struct list *signals;
};

static int append(struct list *list, uint32_t node)
{
	if (!gd_grow((void **)&list->at, list->num, &list->room,
		     sizeof(*list->at)))
		return gd_fail(-ENOMEM, "host memory for a program in a program");
	list->at[list->num++] = node;

	return 0;
}

static int add_edges(struct prog_draft *d, const uint32_t *from, size_t num,
		     uint32_t to)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < num; i++)
		rc = prog_draft_edge(d, from[i], to);

	return rc;
}

static int begin_node(struct join *j, uint32_t stream, bool barrier)
{
	struct source *s = &j->sources[stream];
	uint32_t node;
	int rc;

	rc = prog_draft_node(j->d, j->p->streams[stream].engine, &node);
	if (!rc && s->last == NONE)
		rc = add_edges(j->d, j->after, j->num_after, node);
	else if (!rc && barrier)
		rc = prog_draft_edge(j->d, s->last, node);
	if (!rc)
		rc = add_edges(j->d, s->waits.at, s->waits.num, node);
	s->waits.num = 0;
	s->last = node;
	s->open = true;
	j->num_nodes++;

	return rc;
}

static int join_dma(struct join *j, uint32_t stream)
{
	struct source *s = &j->sources[stream];
	const struct prog_item *item = &s->item;
	struct prog_place to = {
		j->first_buffer + item->dst->buffer, item->dst->addend,
	};
	struct prog_place from = {};
	int rc = 0;

	if (!s->open || item->barrier)
		rc = begin_node(j, stream, item->barrier);
	if (rc)
		return rc;
	if (item->kind == PROG_ITEM_FILL)
		return prog_draft_fill(j->d, to, item->pattern, item->size);
	from.buffer = j->first_buffer + item->src->buffer;
	from.offset = item->src->addend;

	return prog_draft_copy(j->d, to, from, item->size);
}

static int join_launch(struct join *j, uint32_t stream)
{
	struct source *s = &j->sources[stream];
	const struct prog_item *item = &s->item;
	struct prog_launch l = {
		.tpc = item->kind == PROG_ITEM_TPC,
		.tables = item->form.tables,
	};
	uint32_t i;
	int rc = 0;

	if (!s->open || item->barrier)
		rc = begin_node(j, stream, item->barrier);
	if (rc)
		return rc;
	prog_launch_words(&j->p->streams[stream], item, l.words);
	for (i = 0; i < item->num_refs; i++) {
		if (item->refs[i].kind == PROG_PATCH_DONE)
			continue;
		l.refs[l.num_refs++] = (struct prog_launch_ref) {
			.kind = item->refs[i].kind,
			.slot = item->refs[i].object,
			.place = {
				j->first_buffer + item->refs[i].buffer,
				item->refs[i].addend,
			},
		};
	}

	return prog_draft_launch(j->d, &l);
}

/* 1: the signal has not come. */
static int join_wait(struct join *j, uint32_t stream)
{
	struct source *s = &j->sources[stream];
	const struct list *signals = &j->signals[s->item.object->object];
	uint32_t node;

	if (signals->num < s->item.value)
		return 1;
	s->open = false;
	node = signals->at[s->item.value - 1];

	return node == NONE ? 0 : append(&s->waits, node);
}

static int join_signal(struct join *j, uint32_t stream)
{
	struct source *s = &j->sources[stream];
	int rc = 0;

	/* For what it has waited for, even if it did nothing. */
	if (s->waits.num)
		rc = begin_node(j, stream, false);
	s->open = false;

	return rc ? rc : append(&j->signals[s->item.object->object], s->last);
}

static int join_event(struct join *j, uint32_t stream)
{
	struct source *s = &j->sources[stream];
	int rc = 0;

	if (!j->events)
		return 0;
	if (!s->open)
		rc = begin_node(j, stream, s->last != NONE);
	s->open = false;

	return rc ? rc : prog_draft_event(j->d, s->item.object->object);
}

/* 1: not now. */
static int join_item(struct join *j, uint32_t stream)
{
	switch (j->sources[stream].item.kind) {
	case PROG_ITEM_COPY:
	case PROG_ITEM_FILL:
		return join_dma(j, stream);
	case PROG_ITEM_MME:
	case PROG_ITEM_TPC:
		return join_launch(j, stream);
	case PROG_ITEM_WAIT:
		return join_wait(j, stream);
	case PROG_ITEM_SIGNAL:
		return join_signal(j, stream);
	case PROG_ITEM_EVENT:
		return join_event(j, stream);
	default:
		return 0;
	}
}

/* An item more of a stream: 1 if it has moved. */
static int step(struct join *j, uint32_t stream)
{
	struct source *s = &j->sources[stream];
	int rc;

	if (!s->at_item) {
		rc = prog_item_next(&j->p->streams[stream], &s->cursor,
				    &s->item);
		if (rc <= 0)
			return rc;
		s->at_item = true;
	}
	rc = join_item(j, stream);
	if (rc)
		return rc < 0 ? rc : 0;
	s->at_item = false;

	return 1;
}

/* A stream as far as it goes: 1 if it has moved. */
static int follow(struct join *j, uint32_t stream)
{
	int rc = step(j, stream), moved = rc;

	while (rc > 0)
		rc = step(j, stream);

	return rc ? rc : moved;
}

static int check_ended(const struct join *j)
{
	for (uint32_t i = 0; i < j->p->num_streams; i++)
		if (j->sources[i].at_item)
			return gd_fail(GAUDI_ERR_RECIPE,
				       "%s: offset %#x waits for ever",
				       prog_engine_info(j->p->streams[i].engine)->name,
				       j->sources[i].item.offset);

	return 0;
}

static int follow_all(struct join *j)
{
	bool moved;
	int rc;

	do {
		moved = false;
		for (uint32_t i = 0; i < j->p->num_streams; i++) {
			rc = follow(j, i);
			if (rc < 0)
				return rc;
			moved |= rc;
		}
	} while (moved);

	return check_ended(j);
}

static int find_ends(struct join *j, struct prog_ends *ends)
{
	uint32_t node;
	int rc;

	ends->num = 0;
	for (uint32_t i = 0; i < j->p->num_streams; i++)
		if (j->sources[i].last != NONE)
			ends->at[ends->num++] = j->sources[i].last;
	if (ends->num)
		return 0;
	/* An empty program: a node that does nothing, to wait for. */
	rc = prog_draft_node(j->d, PROG_LAST, &node);
	if (!rc)
		rc = add_edges(j->d, j->after, j->num_after, node);
	ends->at[ends->num++] = node;

	return rc;
}

static int join_begin(struct join *j)
{
	j->signals = calloc((size_t)j->p->num_sobs + 1, sizeof(*j->signals));
	if (!j->signals)
		return gd_fail(-ENOMEM, "host memory for a program in a program");
	for (uint32_t i = 0; i < j->p->num_streams; i++)
		j->sources[i].last = NONE;

	return 0;
}

static void join_end(struct join *j)
{
	for (uint32_t i = 0; i < j->p->num_streams; i++)
		free(j->sources[i].waits.at);
	for (uint32_t i = 0; j->signals && i < j->p->num_sobs; i++)
		free(j->signals[i].at);
	free(j->signals);
}

int prog_draft_program(struct prog_draft *d, const struct program *p,
		       uint32_t first_buffer, const uint32_t *after,
		       uint32_t num_after, struct prog_ends *ends)
{
	struct join j = {
		.d = d,
		.p = p,
		.first_buffer = first_buffer,
		.after = after,
		.num_after = num_after,
	};
	int rc = join_begin(&j);

	if (!rc)
		rc = follow_all(&j);
	if (!rc)
		rc = find_ends(&j, ends);
	join_end(&j);

	return rc;
}

/* --- one after the other --- */

/*
 * How long an item takes, about, in bytes that are copied, or numbers that are
 * multiplied: of one that was checked, less than 2^60.
 */
static uint64_t cost_of(const struct prog_stream *s, const struct prog_item *item)
{
	uint32_t words[PROG_TPC_WORDS];
	uint64_t bytes, sum = 0, side;

	switch (item->kind) {
	case PROG_ITEM_COPY:
	case PROG_ITEM_FILL:
		return item->size;
	case PROG_ITEM_MME:
		prog_launch_words(s, item, words);
		side = mme_side(mme_element(words, MME_OP_S) == 4);
		return mme_steps(words) * 2 * side * side;
	case PROG_ITEM_TPC:
		/* Those of one kernel each have all of its tensors. */
		prog_launch_words(s, item, words);
		for (unsigned int i = 0; i < item->num_refs; i++)
			if (item->refs[i].object < PROG_TPC_TENSORS &&
			    (item->refs[i].kind == PROG_PATCH_READ ||
			     item->refs[i].kind == PROG_PATCH_WRITE) &&
			    prog_tpc_reach(words, item->refs[i].object, &bytes))
				sum += bytes;
		return sum;
	default:
		return 0;
	}
}

int program_cost(const struct program *p, uint64_t *cost)
{
	struct prog_item item;
	uint64_t more;
	int rc = 0;

	*cost = 0;
	for (uint32_t i = 0; i < p->num_streams; i++) {
		struct prog_cursor cursor = {};

		do {
			rc = prog_item_next(&p->streams[i], &cursor, &item);
			more = rc > 0 ? cost_of(&p->streams[i], &item) : 0;
			if (__builtin_add_overflow(*cost, more, cost))
				*cost = UINT64_MAX;
		} while (rc > 0);
		if (rc)
			break;
	}

	return rc;
}

/* An item more of a stream, whose cost counts: 1 if it has moved. */
static int step_counted(struct join *j, uint32_t stream, uint64_t *cost)
{
	struct source *s = &j->sources[stream];
	uint32_t words[PROG_TPC_WORDS];
	uint64_t more;
	int rc;

	/* A draft adds to its last node only. */
	for (uint32_t i = 0; i < j->p->num_streams; i++)
		j->sources[i].open &= i == stream;
	rc = step(j, stream);
	if (rc <= 0)
		return rc;
	more = cost_of(&j->p->streams[stream], &s->item);
	s->cost += more;
	*cost += more;
	if (s->item.kind == PROG_ITEM_MME) {
		prog_launch_words(&j->p->streams[stream], &s->item, words);
		s->sums = !mme_stores(words);
	}

	return rc;
}

/*
 * The stream that has had least of those that can go on, by an item: so engines
 * that work side by side still do. 0: none can.
 */
static int step_least(struct join *j, uint64_t *cost)
{
	uint32_t tried = 0, least;
	int rc = 0;

	while (!rc) {
		least = NONE;
		for (uint32_t i = 0; i < j->p->num_streams; i++)
			if (!(tried & 1u << i) &&
			    (least == NONE || j->sources[i].cost <
					      j->sources[least].cost))
				least = i;
		if (least == NONE)
			break;
		tried |= 1u << least;
		rc = step_counted(j, least, cost);
	}

	return rc;
}

/*
 * The sums that an engine keeps are for the descriptor after: another part, which
 * may be of another stream, must not come between the two.
 */
static int step_sums(struct join *j, uint64_t *cost)
{
	int rc = 0;

	for (uint32_t i = 0; rc >= 0 && i < j->p->num_streams; i++)
		do {
			rc = j->sources[i].sums ? step_counted(j, i, cost) : 0;
		} while (rc > 0);

	return rc;
}

/* The next draft: what came before has ended, and is waited for no more. */
static int begin_draft(struct join *j)
{
	for (uint32_t i = 0; i < j->p->num_streams; i++) {
		j->sources[i].open = false;
		j->sources[i].sums = false;
		j->sources[i].last = NONE;
		j->sources[i].waits.num = 0;
		j->sources[i].cost = 0;
	}
	j->num_nodes = 0;
	for (uint32_t i = 0; i < j->p->num_sobs; i++)
		for (size_t k = 0; k < j->signals[i].num; k++)
			j->signals[i].at[k] = NONE;

	return prog_draft_create(j->p->num_buffers, j->p->num_events, &j->d);
}

/* The part has no streams if nothing was left to do. */
static int cut_one(struct join *j, uint64_t most, struct program *part,
		   bool *more)
{
	uint64_t cost = 0;
	int rc = begin_draft(j), moved = 1;

	if (rc)
		return rc;
	do {
		moved = step_least(j, &cost);
	} while (moved > 0 && cost < most && j->num_nodes < PART_NODES);
	*more = moved;
	if (moved > 0)
		rc = step_sums(j, &cost);
	else if (moved < 0)
		rc = moved;
	else
		rc = check_ended(j);
	if (!rc && j->num_nodes)
		rc = prog_draft_finish(j->d, part);
	prog_draft_destroy(j->d);

	return rc;
}

int program_cut(const struct program *p, uint64_t most, struct program **out,
		uint32_t *num)
{
	struct join j = { .p = p, .events = true };
	struct program *parts = NULL;
	size_t count = 0, room = 0;
	bool more = true;
	int rc = join_begin(&j);

	while (!rc && more) {
		if (!gd_grow((void **)&parts, count, &room, sizeof(*parts))) {
			rc = gd_fail(-ENOMEM, "host memory for parts of a program");
			break;
		}
		parts[count] = (struct program) {};
		rc = cut_one(&j, most, &parts[count], &more);
		count += !rc && parts[count].num_streams;
	}
	join_end(&j);
	if (rc) {
		while (count)
			program_free(&parts[--count]);
		free(parts);
		return rc;
	}
	*out = parts;
	*num = (uint32_t)count;

	return 0;
}
