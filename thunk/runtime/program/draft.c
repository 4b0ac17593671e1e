// SPDX-License-Identifier: MIT
/*
 * Drafts: nodes and edges, and the program made of them.
 *
 * Waits are few: a node that comes after another engine's needs none if its engine
 * has already waited for that or for something later there, itself or by way of
 * a third engine. To know this each node has a clock: how many nodes of
 * each engine have surely ended when it begins.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/array.h"
#include "../base/base.h"
#include "gaudi.h"
#include "hw/gaudi_packets.h"
#include "program_item.h"

#define MAX_NODES	(1u << 20)
/* What is smaller is not divided, and parts are not smaller than this. */
#define SPLIT_MIN	(1u << 20)
#define PART_MIN	(256u << 10)

enum op_kind { OP_COPY, OP_FILL, OP_EVENT, OP_LAUNCH };

struct op {
	uint8_t kind;
	uint32_t event;
	struct prog_place to;
	struct prog_place from;
	uint64_t pattern;
	uint64_t size;
	struct prog_launch *launch;
};

struct node {
	uint32_t engine;
	uint32_t first_op;
	uint32_t num_ops;
};

struct edge {
	uint32_t first;
	uint32_t then;
};

struct prog_draft {
	uint32_t num_buffers;
	uint32_t num_events;
	struct node *nodes;
	size_t num_nodes, room_nodes;
	struct op *ops;
	size_t num_ops, room_ops;
	struct edge *edges;
	size_t num_edges, room_edges;
};

int prog_draft_create(uint32_t num_buffers, uint32_t num_events,
		      struct prog_draft **draft)
{
	struct prog_draft *d = calloc(1, sizeof(*d));

	if (!d)
		return gd_no_memory("for a program");
	d->num_buffers = num_buffers;
	d->num_events = num_events;
	*draft = d;

	return 0;
}

void prog_draft_destroy(struct prog_draft *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->num_ops; i++)
		free(d->ops[i].launch);
	free(d->nodes);
	free(d->ops);
	free(d->edges);
	free(d);
}

int prog_draft_node(struct prog_draft *d, uint32_t engine, uint32_t *node)
{
	if (d->num_nodes == MAX_NODES)
		return gd_fail(-EOVERFLOW, "more than %u nodes", MAX_NODES);
	if (!prog_engine_info(engine))
		return gd_fail(-EINVAL, "engine %u of %u", engine,
			       PROG_NUM_ENGINES);
	if (!gd_grow((void **)&d->nodes, d->num_nodes, &d->room_nodes,
		     sizeof(*d->nodes)))
		return gd_no_memory("for a program");
	d->nodes[d->num_nodes] = (struct node) {
		.engine = engine,
		.first_op = (uint32_t)d->num_ops,
	};
	*node = (uint32_t)d->num_nodes++;

	return 0;
}

static int add_op(struct prog_draft *d, const struct op *op)
{
	/* Also keeps indices of ops within 32 bits. */
	if (d->num_ops >= PROG_MAX_STREAM / 8)
		return gd_fail(-EOVERFLOW, "more than %u packets",
			       PROG_MAX_STREAM / 8);
	if (!gd_grow((void **)&d->ops, d->num_ops, &d->room_ops, sizeof(*d->ops)))
		return gd_no_memory("for a program");
	d->ops[d->num_ops++] = *op;
	d->nodes[d->num_nodes - 1].num_ops++;

	return 0;
}

int prog_draft_copy(struct prog_draft *d, struct prog_place to,
		    struct prog_place from, uint64_t size)
{
	const struct op op = {
		.kind = OP_COPY,
		.to = to,
		.from = from,
		.size = size,
	};

	return size ? add_op(d, &op) : 0;
}

int prog_draft_fill(struct prog_draft *d, struct prog_place to,
		    uint64_t pattern, uint64_t size)
{
	const struct op op = {
		.kind = OP_FILL,
		.to = to,
		.pattern = pattern,
		.size = size,
	};

	return size ? add_op(d, &op) : 0;
}

int prog_draft_event(struct prog_draft *d, uint32_t event)
{
	const struct op op = { .kind = OP_EVENT, .event = event };

	return add_op(d, &op);
}

int prog_draft_launch(struct prog_draft *d, const struct prog_launch *launch)
{
	struct op op = { .kind = OP_LAUNCH };
	int rc;

	op.launch = malloc(sizeof(*launch));
	if (!op.launch)
		return gd_no_memory("for a program");
	*op.launch = *launch;
	rc = add_op(d, &op);
	if (rc)
		free(op.launch);

	return rc;
}

int prog_draft_edge(struct prog_draft *d, uint32_t first, uint32_t then)
{
	if (first >= then || then >= d->num_nodes)
		return gd_fail(-EINVAL, "an edge from node %u to node %u of %zu",
			       first, then, d->num_nodes);
	if (!gd_grow((void **)&d->edges, d->num_edges, &d->room_edges,
		     sizeof(*d->edges)))
		return gd_no_memory("for a program");
	d->edges[d->num_edges++] = (struct edge) { first, then };

	return 0;
}

uint32_t prog_count_parts(uint64_t bytes)
{
	if (bytes < SPLIT_MIN)
		return 1;

	return bytes / PART_MIN < PROG_MAX_PARTS ? (uint32_t)(bytes / PART_MIN) :
						   PROG_MAX_PARTS;
}

/* --- which waits are needed ------------------------------------------- */

/* Of each engine: the nodes known to have ended, as a count. */
struct clock {
	uint32_t ended[PROG_NUM_ENGINES];
};

struct plan {
	const struct prog_draft *d;
	/* Edges that lead to node n: begin[n] up to begin[n + 1] in froms. */
	uint32_t *begin;
	uint32_t *froms;
	struct clock *clocks;	/* when the node begins */
	uint32_t *place;	/* of the node within its engine */
	uint32_t *signal;	/* number of its signal; 0: none */
	/* Waits of node n: wait_begin[n] up to wait_begin[n + 1]. */
	uint32_t *wait_begin;
	uint32_t *waits;	/* nodes */
	bool *drain;		/* an earlier one of the same engine must end */
	bool used[PROG_NUM_ENGINES];
};

static void plan_free(struct plan *plan)
{
	free(plan->begin);
	free(plan->froms);
	free(plan->clocks);
	free(plan->place);
	free(plan->signal);
	free(plan->wait_begin);
	free(plan->waits);
	free(plan->drain);
}

static int plan_alloc(struct plan *plan)
{
	const struct prog_draft *d = plan->d;
	size_t n = d->num_nodes + 1;

	plan->begin = calloc(n + 1, sizeof(*plan->begin));
	plan->froms = calloc(d->num_edges + 1, sizeof(*plan->froms));
	plan->clocks = calloc(n, sizeof(*plan->clocks));
	plan->place = calloc(n, sizeof(*plan->place));
	plan->signal = calloc(n, sizeof(*plan->signal));
	plan->wait_begin = calloc(n, sizeof(*plan->wait_begin));
	plan->waits = calloc(d->num_edges + 1, sizeof(*plan->waits));
	plan->drain = calloc(n, sizeof(*plan->drain));
	if (!plan->begin || !plan->froms || !plan->clocks || !plan->place ||
	    !plan->signal || !plan->wait_begin || !plan->waits || !plan->drain)
		return gd_no_memory("for a program");

	return 0;
}

static void sort_edges(struct plan *plan)
{
	const struct prog_draft *d = plan->d;
	size_t i;

	/* Count into the entry after next, so that filling moves them back. */
	for (i = 0; i < d->num_edges; i++)
		plan->begin[d->edges[i].then + 2]++;
	for (i = 2; i <= d->num_nodes + 1; i++)
		plan->begin[i] += plan->begin[i - 1];
	for (i = 0; i < d->num_edges; i++)
		plan->froms[plan->begin[d->edges[i].then + 1]++] =
			d->edges[i].first;
}

static void clock_join(struct clock *c, const struct clock *other)
{
	unsigned int e;

	for (e = 0; e < PROG_NUM_ENGINES; e++)
		if (c->ended[e] < other->ended[e])
			c->ended[e] = other->ended[e];
}

/*
 * The waits of node @n: for each engine the last of the nodes that it comes
 * after, and of those only what @c does not know. Later nodes know more, so
 * they are looked at first.
 */
static uint32_t find_waits(struct plan *plan, uint32_t n, struct clock *c,
			   uint32_t num)
{
	const struct node *nodes = plan->d->nodes;
	uint32_t latest[PROG_NUM_ENGINES] = {};	/* node + 1 */
	uint32_t e, i, best;

	for (i = plan->begin[n]; i < plan->begin[n + 1]; i++) {
		uint32_t from = plan->froms[i];

		if (latest[nodes[from].engine] < from + 1)
			latest[nodes[from].engine] = from + 1;
	}
	for (;;) {
		best = 0;
		for (e = 0; e < PROG_NUM_ENGINES; e++)
			if (latest[e] > best)
				best = latest[e];
		if (!best)
			return num;
		best--;
		e = nodes[best].engine;
		latest[e] = 0;
		if (c->ended[e] > plan->place[best])
			continue;
		if (e == nodes[n].engine) {
			plan->drain[n] = true;
			continue;
		}
		plan->waits[num++] = best;
		plan->signal[best] = 1;
		clock_join(c, &plan->clocks[best]);
		c->ended[e] = plan->place[best] + 1;
	}
}

static void plan_waits(struct plan *plan)
{
	struct clock now[PROG_NUM_ENGINES] = {};
	uint32_t count[PROG_NUM_ENGINES] = {};
	bool owed[PROG_NUM_ENGINES] = {};
	uint32_t n, e, num = 0;

	for (n = 0; n < plan->d->num_nodes; n++) {
		e = plan->d->nodes[n].engine;
		plan->used[e] = true;
		plan->place[n] = count[e];
		num = find_waits(plan, n, &now[e], num);
		/* The barrier is its first packet's, or that of the next one. */
		owed[e] |= plan->drain[n];
		plan->drain[n] = owed[e];
		if (owed[e] && plan->d->nodes[n].num_ops) {
			now[e].ended[e] = count[e];
			owed[e] = false;
		}
		plan->clocks[n] = now[e];
		plan->wait_begin[n + 1] = num;
		count[e]++;
	}
}

/* --- writing ---------------------------------------------------------- */

struct part {
	uint8_t *packets;
	uint32_t size;
	size_t room;
	struct prog_patch *patches;
	size_t num_patches;
	size_t patch_room;
};

struct out {
	const struct plan *plan;
	struct program *p;
	struct {
		struct prog_stream *stream;
		struct part upper, lower;
		uint32_t run;		/* where it begins in the lower part */
		uint32_t signals;
		uint32_t *sobs;		/* one for PROG_SOB_MAX signals */
		size_t num_sobs, sob_room;
		bool ends_with_signal;
		uint32_t joined;	/* signals PROG_LAST has waited for */
	} e[PROG_NUM_ENGINES];
};

/* Where work stands, and signals. */
static struct part *work_of(struct out *o, uint32_t engine)
{
	return prog_engine_info(engine)->external ? &o->e[engine].upper :
						    &o->e[engine].lower;
}

/* Room for @size bytes and @patches patches; the writer of them in @pb. */
static int begin_items(struct out *o, uint32_t engine, struct part *part,
		       uint32_t size, uint32_t patches, struct pkt_buf *pb)
{
	size_t room = part->room, i;

	if (o->e[engine].upper.size + o->e[engine].lower.size + size >
	    PROG_MAX_STREAM)
		return gd_fail(-EOVERFLOW, "%s: more than %u bytes of packets",
			       prog_engine_info(engine)->name,
			       PROG_MAX_STREAM);
	if (part->size + size > room) {
		uint8_t *packets;

		for (room = room ? room : 128; room < part->size + size;)
			room *= 2;
		packets = realloc(part->packets, room);
		if (!packets)
			return gd_no_memory("for a program");
		part->packets = packets;
		part->room = room;
	}
	for (i = 0; i < patches; i++)
		if (!gd_grow((void **)&part->patches, part->num_patches + i,
			     &part->patch_room, sizeof(*part->patches)))
			return gd_no_memory("for a program");
	pkt_init(pb, part->packets + part->size, size);
	o->e[engine].ends_with_signal = false;

	return 0;
}

static int begin_item(struct out *o, uint32_t engine, struct part *part,
		      uint32_t size, struct pkt_buf *pb)
{
	return begin_items(o, engine, part, size, 2, pb);
}

static void add_patch(struct part *part, unsigned int kind, uint32_t object,
		      const struct prog_place *place)
{
	part->patches[part->num_patches++] = (struct prog_patch) {
		.offset = part->size,
		.kind = (uint16_t)kind,
		.object = (uint16_t)object,
		.buffer = place ? place->buffer : 0,
		.addend = place ? place->offset : 0,
	};
}

/* The sync object of an engine's signal @number, counted from 1. */
static int sob_of(struct out *o, uint32_t engine, uint32_t number,
		  uint32_t *sob, uint32_t *value)
{
	size_t level = (number - 1) / PROG_SOB_MAX;

	if (level == o->e[engine].num_sobs) {
		if (o->p->num_sobs == PROG_MAX_SOBS)
			return gd_fail(-EOVERFLOW, "more than %u sync objects",
				       PROG_MAX_SOBS);
		if (!gd_grow((void **)&o->e[engine].sobs, level,
			     &o->e[engine].sob_room, sizeof(*o->e[engine].sobs)))
			return gd_no_memory("for a program");
		o->e[engine].sobs[level] = o->p->num_sobs++;
		o->e[engine].num_sobs++;
	}
	*sob = o->e[engine].sobs[level];
	*value = (number - 1) % PROG_SOB_MAX + 1;

	return 0;
}

static int put_signal(struct out *o, uint32_t engine)
{
	struct part *part = work_of(o, engine);
	uint32_t sob, value;
	struct pkt_buf pb;
	int rc;

	rc = sob_of(o, engine, o->e[engine].signals + 1, &sob, &value);
	if (!rc)
		rc = begin_item(o, engine, part, 8, &pb);
	if (rc)
		return rc;
	prog_put_signal(&pb);
	add_patch(part, PROG_PATCH_SIGNAL, sob, NULL);
	part->size += (uint32_t)pb.used;
	o->e[engine].signals++;
	o->e[engine].ends_with_signal = true;

	return 0;
}

/* Hand over what the lower part has got since the last run. */
static int put_run(struct out *o, uint32_t engine)
{
	struct part *upper = &o->e[engine].upper;
	struct prog_place place = { .offset = o->e[engine].run };
	bool ends_with_signal = o->e[engine].ends_with_signal;
	struct pkt_buf pb;
	int rc;

	if (o->e[engine].lower.size == o->e[engine].run)
		return 0;
	rc = begin_item(o, engine, upper, sizeof(struct gaudi_packet_cp_dma),
			&pb);
	if (rc)
		return rc;
	prog_put_run(&pb, o->e[engine].lower.size - o->e[engine].run);
	add_patch(upper, PROG_PATCH_RUN, 0, &place);
	upper->size += (uint32_t)pb.used;
	o->e[engine].run = o->e[engine].lower.size;
	o->e[engine].ends_with_signal = ends_with_signal;

	return 0;
}

/* Wait on @engine for signal @number of @other. */
static int put_wait(struct out *o, uint32_t engine, uint32_t other,
		    uint32_t number)
{
	struct part *upper = &o->e[engine].upper;
	uint32_t sob, value;
	struct pkt_buf pb;
	int rc;

	rc = sob_of(o, other, number, &sob, &value);
	if (!rc)
		rc = put_run(o, engine);
	if (!rc)
		rc = begin_item(o, engine, upper, PROG_WAIT_SIZE, &pb);
	if (rc)
		return rc;
	prog_put_wait(&pb, value);
	add_patch(upper, PROG_PATCH_WAIT, sob, NULL);
	upper->size += (uint32_t)pb.used;
	if (engine == PROG_LAST && o->e[other].joined < number)
		o->e[other].joined = number;

	return 0;
}

static int put_event(struct out *o, uint32_t engine, uint32_t event)
{
	struct part *part = work_of(o, engine);
	struct pkt_buf pb;
	int rc;

	rc = begin_item(o, engine, part, 8, &pb);
	if (rc)
		return rc;
	prog_put_signal(&pb);
	add_patch(part, PROG_PATCH_EVENT, event, NULL);
	part->size += (uint32_t)pb.used;

	return 0;
}

static int put_dma(struct out *o, uint32_t engine, const struct op *op,
		   bool *drain)
{
	struct part *part = work_of(o, engine);
	struct prog_place to = op->to, from = op->from;
	uint64_t left = op->size;
	struct pkt_buf pb;
	uint32_t size;
	int rc;

	while (left) {
		size = left < PROG_MAX_DMA ? (uint32_t)left : PROG_MAX_DMA;
		rc = begin_item(o, engine, part,
				sizeof(struct gaudi_packet_lin_dma), &pb);
		if (rc)
			return rc;
		if (op->kind == OP_COPY) {
			prog_put_copy(&pb, size, *drain);
			add_patch(part, PROG_PATCH_SRC, 0, &from);
		} else {
			prog_put_fill(&pb, op->pattern, size, *drain);
		}
		add_patch(part, PROG_PATCH_DST, 0, &to);
		part->size += (uint32_t)pb.used;
		*drain = false;
		to.offset += size;
		from.offset += size;
		left -= size;
	}

	return 0;
}

static int put_launch(struct out *o, uint32_t engine,
		      const struct prog_launch *l, bool *drain)
{
	const struct prog_form form = prog_form_of(l);
	uint32_t size = prog_launch_size(&form), i, sob, value;
	struct part *part = work_of(o, engine);
	struct pkt_buf pb;
	int rc;

	/* A sync object that a signal of the engine's will come to. */
	rc = sob_of(o, engine, o->e[engine].signals + 1, &sob, &value);
	if (!rc)
		rc = begin_items(o, engine, part, size, l->num_refs + 1, &pb);
	if (rc)
		return rc;
	prog_put_launch(&pb, &form, l->words, *drain || l->tpc);
	for (i = 0; i < l->num_refs; i++)
		add_patch(part, l->refs[i].kind, l->refs[i].slot,
			  &l->refs[i].place);
	if (l->tpc)
		add_patch(part, PROG_PATCH_DONE, sob, NULL);
	part->size += (uint32_t)pb.used;
	*drain = false;

	return 0;
}

/* Both parts of an engine into its stream. */
static int join_parts(struct out *o, uint32_t engine)
{
	struct part *u = &o->e[engine].upper, *l = &o->e[engine].lower;
	struct prog_stream *s = o->e[engine].stream;
	struct prog_patch *patch;
	size_t i;

	s->upper = u->size;
	s->size = u->size + l->size;
	s->num_patches = (uint32_t)(u->num_patches + l->num_patches);
	s->packets = malloc((size_t)s->size + 1);
	s->patches = calloc((size_t)s->num_patches + 1, sizeof(*s->patches));
	if (!s->packets || !s->patches)
		return gd_no_memory("for a program");
	if (u->size) {
		memcpy(s->packets, u->packets, u->size);
		memcpy(s->patches, u->patches,
		       u->num_patches * sizeof(*s->patches));
	}
	if (l->size) {
		memcpy(s->packets + u->size, l->packets, l->size);
		memcpy(s->patches + u->num_patches, l->patches,
		       l->num_patches * sizeof(*s->patches));
	}
	for (i = 0; i < s->num_patches; i++) {
		patch = &s->patches[i];
		if (i >= u->num_patches)
			patch->offset += u->size;
		else if (patch->kind == PROG_PATCH_RUN)
			patch->addend += u->size;
	}

	return 0;
}

static int put_node(struct out *o, uint32_t n, uint32_t *signal)
{
	const struct plan *plan = o->plan;
	const struct node *node = &plan->d->nodes[n];
	bool drain = plan->drain[n];
	uint32_t i, from;
	int rc = 0;

	for (i = plan->wait_begin[n]; !rc && i < plan->wait_begin[n + 1]; i++) {
		from = plan->waits[i];
		rc = put_wait(o, node->engine, plan->d->nodes[from].engine,
			      signal[from]);
	}
	for (i = 0; !rc && i < node->num_ops; i++) {
		const struct op *op = &plan->d->ops[node->first_op + i];

		if (op->kind == OP_EVENT)
			rc = put_event(o, node->engine, op->event);
		else if (op->kind == OP_LAUNCH)
			rc = put_launch(o, node->engine, op->launch, &drain);
		else
			rc = put_dma(o, node->engine, op, &drain);
	}
	if (!rc && signal[n]) {
		rc = put_signal(o, node->engine);
		signal[n] = o->e[node->engine].signals;
	}

	return rc;
}

/* Streams of the engines in use, each beginning as program.h says. */
static int begin_streams(struct out *o)
{
	struct program *p = o->p;
	uint32_t e;
	int rc = 0;

	for (e = 0; e < PROG_NUM_ENGINES; e++) {
		if (!o->plan->used[e] && e != PROG_LAST)
			continue;
		o->e[e].stream = &p->streams[p->num_streams++];
		o->e[e].stream->engine = e;
	}
	if (p->num_streams == 1)
		return 0;

	rc = put_signal(o, PROG_LAST);
	for (e = 0; !rc && e < PROG_NUM_ENGINES; e++)
		if (o->e[e].stream && e != PROG_LAST)
			rc = put_wait(o, e, PROG_LAST, 1);

	return rc;
}

static int put_reset(struct out *o, uint32_t sob)
{
	struct part *part = &o->e[PROG_LAST].upper;
	struct pkt_buf pb;
	int rc;

	rc = begin_item(o, PROG_LAST, part, 8, &pb);
	if (rc)
		return rc;
	prog_put_reset(&pb);
	add_patch(part, PROG_PATCH_RESET, sob, NULL);
	part->size += (uint32_t)pb.used;

	return 0;
}

static int end_streams(struct out *o)
{
	uint32_t e, sob;
	int rc = 0;

	for (e = 0; !rc && e < PROG_NUM_ENGINES; e++) {
		if (!o->e[e].stream || e == PROG_LAST)
			continue;
		if (!o->e[e].ends_with_signal)
			rc = put_signal(o, e);
		if (!rc)
			rc = put_run(o, e);
		if (!rc && o->e[e].joined < o->e[e].signals)
			rc = put_wait(o, PROG_LAST, e, o->e[e].signals);
	}
	for (sob = 0; !rc && sob < o->p->num_sobs; sob++)
		rc = put_reset(o, sob);
	for (e = 0; !rc && e < PROG_NUM_ENGINES; e++)
		if (o->e[e].stream)
			rc = join_parts(o, e);

	return rc;
}

int prog_draft_finish(const struct prog_draft *d, struct program *p)
{
	struct plan plan = { .d = d };
	struct out o = { .plan = &plan, .p = p };
	uint32_t n, e;
	int rc;

	memset(p, 0, sizeof(*p));
	p->num_buffers = d->num_buffers;
	p->num_events = d->num_events;
	rc = plan_alloc(&plan);
	if (!rc) {
		sort_edges(&plan);
		plan_waits(&plan);
	}
	if (!rc)
		rc = begin_streams(&o);
	for (n = 0; !rc && n < d->num_nodes; n++)
		rc = put_node(&o, n, plan.signal);
	if (!rc)
		rc = end_streams(&o);
	if (!rc)
		rc = program_index(p);

	for (e = 0; e < PROG_NUM_ENGINES; e++) {
		free(o.e[e].sobs);
		free(o.e[e].upper.packets);
		free(o.e[e].upper.patches);
		free(o.e[e].lower.packets);
		free(o.e[e].lower.patches);
	}
	plan_free(&plan);
	if (rc)
		program_free(p);

	return rc;
}
