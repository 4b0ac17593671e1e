// SPDX-License-Identifier: MIT
/*
 * Nodes of a builder into nodes of a program: which parts, on which engine,
 * after which others.
 *
 * Dependencies come from bytes: a reader comes after those who wrote any of its
 * bytes, a writer also after those who read them. Bytes are looked at in spaces:
 * each input, output and constant is one, and the workspace is one, in which
 * tensors may follow each other in the same place.
 *
 * Engines are chosen as the parts come: each takes the engine on which it could
 * begin first, by a rough model of how long copies take and what a wait costs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/array.h"
#include "builder.h"
#include "../base/base.h"

/* The model's unit is the time that a byte takes. */
#define COST_PACKET	4096u
#define COST_WAIT	32768u

struct access {
	uint64_t begin, end;
	uint32_t part;		/* node of the program */
	bool write;
};

struct space {
	struct access *list;
	size_t num, room;
};

/* A node of the program: a piece of a node of the builder. */
struct part {
	const struct build_node *node;
	uint64_t width;
	uint64_t dim;		/* steps of the outermost loop */
	uint64_t to, from;	/* offsets */
};

struct emit {
	const struct gaudi_builder *b;
	struct gaudi_recipe *r;
	struct prog_draft *draft;
	struct space *spaces;	/* by tensor; workspace: the last one */
	uint64_t ready[PROG_NUM_ENGINES];
	/* By node of the program. */
	uint64_t *finish;
	uint32_t *engine;
	size_t num_parts, room_finish, room_engine;
	uint32_t *first_part;	/* by node of the builder, and one more */
	uint32_t first_node;		/* of the part */
	struct build_order *orders;	/* by the node that comes then */
	size_t next_order;
	/* Nodes of the program that the part at hand comes after. */
	uint32_t *before;
	size_t num_before, room_before;
};

static struct space *space_of(const struct emit *e, uint32_t tensor,
			      uint64_t *base)
{
	const struct recipe_tensor *t = &e->r->tensors[tensor];

	*base = 0;
	if (t->kind != GAUDI_TENSOR_WORKSPACE)
		return &e->spaces[tensor];
	*base = t->offset;

	return &e->spaces[e->b->num_tensors];
}

/* The bytes from the first to the last that a part uses of a tensor. */
static void range_of(const struct part *p, const struct build_region *r,
		     uint64_t offset, uint64_t *begin, uint64_t *end)
{
	uint32_t i;

	*begin = offset;
	*end = offset + p->width;
	for (i = 0; i < p->node->rank; i++)
		*end += r->strides[i] *
			((i ? p->node->dims[i] : p->dim) - 1);
}

static int add_before(struct emit *e, uint32_t part)
{
	if (!gd_grow((void **)&e->before, e->num_before, &e->room_before,
		     sizeof(*e->before)))
		return gd_no_memory("for the program of '%s'", e->b->name);
	e->before[e->num_before++] = part;

	return 0;
}

/* It is never written, so its readers wait for nothing; only signals wait for them. */
static bool is_fixed(const struct emit *e, uint32_t tensor)
{
	uint32_t kind = e->r->tensors[tensor].kind;

	return kind == GAUDI_TENSOR_INPUT || kind == GAUDI_TENSOR_CONSTANT;
}

static int find_before(struct emit *e, uint32_t tensor, uint64_t begin,
		       uint64_t end, bool write)
{
	const struct space *s;
	uint64_t base;
	size_t i;
	int rc;

	if (is_fixed(e, tensor) && !write)
		return 0;
	s = space_of(e, tensor, &base);
	for (i = 0; i < s->num; i++) {
		const struct access *a = &s->list[i];

		if (a->begin >= base + end || base + begin >= a->end ||
		    !(write || a->write))
			continue;
		rc = add_before(e, a->part);
		if (rc)
			return rc;
	}

	return 0;
}

/*
 * Can access @a be forgotten, now that there is @new? It can if @new writes all of its
 * bytes: @new waits for @a, and all that would have to wait for @a waits for @new. A read
 * can also be forgotten for a later read on the same engine, as waiting for a node of an
 * engine is waiting for all before it. Parts of one node, from @first on, have no order.
 */
static bool is_behind(const struct emit *e, const struct access *new,
		      const struct access *a, uint32_t first, bool fixed)
{
	/* Signals, which come after all of a tensor, do not look at bytes. */
	if (a->part >= first ||
	    (!fixed && (a->begin < new->begin || a->end > new->end)))
		return false;

	return new->write ||
	       (!a->write && e->engine[a->part] == e->engine[new->part]);
}

static int add_access(struct emit *e, uint32_t tensor, struct access *new,
		      uint32_t first)
{
	struct space *s;
	uint64_t base;
	size_t i, kept = 0;

	s = space_of(e, tensor, &base);
	new->begin += base;
	new->end += base;
	for (i = 0; i < s->num; i++)
		if (!is_behind(e, new, &s->list[i], first,
			       is_fixed(e, tensor)))
			s->list[kept++] = s->list[i];
	s->num = kept;
	if (!gd_grow((void **)&s->list, s->num, &s->room, sizeof(*s->list)))
		return gd_no_memory("for the program of '%s'", e->b->name);
	s->list[s->num++] = *new;

	return 0;
}

/* --- parts ------------------------------------------------------------ */

static uint64_t rows_below(const struct build_node *n)
{
	uint64_t rows = 1;
	uint32_t i;

	for (i = 1; i < n->rank; i++)
		rows *= n->dims[i];

	return rows;
}

static bool on_host(const struct emit *e, uint32_t tensor)
{
	return e->r->tensors[tensor].place == GAUDI_PLACE_HOST;
}

/* Split into as many as engines can share: by bytes, or by the outermost loop. */
static uint32_t split(const struct emit *e, const struct build_node *n,
		      struct part *parts)
{
	uint64_t dim = n->rank ? n->dims[0] : 1;
	uint64_t total = n->width * dim * rows_below(n);
	uint64_t units = n->rank ? dim : n->width, step, at;
	uint32_t want = 1, num = 0;

	if (n->kind != BUILD_SIGNAL && !on_host(e, n->to.tensor) &&
	    !on_host(e, n->from.tensor))
		want = prog_count_parts(total);
	step = (units + want - 1) / want;
	if (!n->rank)
		step = (step + PROG_PART_ALIGN - 1) / PROG_PART_ALIGN *
		       PROG_PART_ALIGN;
	for (at = 0; at < units; at += step) {
		uint64_t some = units - at < step ? units - at : step;

		parts[num++] = (struct part) {
			.node = n,
			.width = n->rank ? n->width : some,
			.dim = n->rank ? some : 1,
			.to = n->to.offset +
			      at * (n->rank ? n->to.strides[0] : 1),
			.from = n->from.offset +
				at * (n->rank ? n->from.strides[0] : 1),
		};
	}

	return num;
}

static uint64_t start_on(const struct emit *e, uint32_t engine)
{
	uint64_t start = e->ready[engine];
	size_t i;

	for (i = 0; i < e->num_before; i++) {
		uint32_t p = e->before[i];
		uint64_t end = e->finish[p];

		if (e->engine[p] != engine)
			end += COST_WAIT;
		if (start < end)
			start = end;
	}

	return start;
}

static uint32_t choose_engine(const struct emit *e, const struct part *p)
{
	uint32_t engine, best = PROG_TO_HOST;
	uint64_t start, least;
	size_t i;

	if (p->node->kind == BUILD_SIGNAL) {
		/* Where the last of those before it ends. */
		for (i = 0, least = 0; i < e->num_before; i++) {
			if (e->finish[e->before[i]] < least)
				continue;
			least = e->finish[e->before[i]];
			best = e->engine[e->before[i]];
		}
		return best;
	}
	if (on_host(e, p->node->to.tensor))
		return PROG_TO_HOST;
	if (p->node->kind == BUILD_COPY && on_host(e, p->node->from.tensor))
		return PROG_TO_DEVICE;

	least = start_on(e, best);
	for (engine = PROG_DMA_2; engine < PROG_DMA_2 + PROG_NUM_INNER;
	     engine++) {
		start = start_on(e, engine);
		if (start < least) {
			least = start;
			best = engine;
		}
	}

	return best;
}

static int emit_rows(struct emit *e, const struct part *p)
{
	uint64_t index[GAUDI_MAX_RANK] = {}, dims[GAUDI_MAX_RANK];
	struct prog_place to = { p->node->to.tensor, p->to };
	struct prog_place from = { p->node->from.tensor, p->from };
	const struct build_node *n = p->node;
	uint32_t i;
	int rc;

	memcpy(dims, n->dims, sizeof(dims));
	dims[0] = p->dim;
	for (;;) {
		rc = n->kind == BUILD_COPY ?
		     prog_draft_copy(e->draft, to, from, p->width) :
		     prog_draft_fill(e->draft, to, n->pattern, p->width);
		if (rc)
			return rc;
		for (i = n->rank; i-- > 0;) {
			to.offset += n->to.strides[i];
			from.offset += n->from.strides[i];
			if (++index[i] < dims[i])
				break;
			to.offset -= n->to.strides[i] * dims[i];
			from.offset -= n->from.strides[i] * dims[i];
			index[i] = 0;
		}
		if (i == UINT32_MAX)
			return 0;
	}
}

/* A node of the program on @engine, which takes so long. */
static int add_part(struct emit *e, uint32_t engine, uint64_t cost,
		    uint32_t *number)
{
	uint64_t start = start_on(e, engine);
	size_t i;
	int rc;

	rc = prog_draft_node(e->draft, engine, number);
	if (rc)
		return rc;
	if (!gd_grow((void **)&e->finish, e->num_parts, &e->room_finish,
		     sizeof(*e->finish)) ||
	    !gd_grow((void **)&e->engine, e->num_parts, &e->room_engine,
		     sizeof(*e->engine)))
		return gd_no_memory("for the program of '%s'", e->b->name);
	for (i = 0; !rc && i < e->num_before; i++)
		rc = prog_draft_edge(e->draft, e->before[i], *number);
	if (rc)
		return rc;

	e->ready[engine] = start + cost;
	e->finish[e->num_parts] = e->ready[engine];
	e->engine[e->num_parts++] = engine;

	return 0;
}

static int new_part(struct emit *e, const struct part *p, uint32_t *number)
{
	uint64_t cost = 0;
	int rc;

	if (p->node->kind != BUILD_SIGNAL)
		cost = (p->width + COST_PACKET) * p->dim * rows_below(p->node);
	rc = add_part(e, choose_engine(e, p), cost, number);
	if (rc)
		return rc;

	return p->node->kind == BUILD_SIGNAL ?
	       prog_draft_event(e->draft, p->node->event) : emit_rows(e, p);
}

/* What @node was told to come after. */
static int find_orders(struct emit *e, uint32_t node)
{
	size_t i;
	int rc = 0;

	for (i = e->next_order; !rc && i < e->b->num_orders &&
	     e->orders[i].then == node; i++) {
		uint32_t first = e->orders[i].first, j;

		/* What is in an earlier part comes before in any case. */
		if (first < e->first_node)
			continue;
		for (j = e->first_part[first];
		     !rc && j < e->first_part[first + 1]; j++)
			rc = add_before(e, j);
	}

	return rc;
}

static int emit_part(struct emit *e, const struct part *p, uint32_t node,
		     uint32_t *number)
{
	const struct build_node *n = p->node;
	uint64_t begin, end;
	int rc;

	e->num_before = 0;
	range_of(p, &n->to, p->to, &begin, &end);
	rc = find_before(e, n->to.tensor, begin, end, true);
	if (!rc && n->kind == BUILD_COPY) {
		range_of(p, &n->from, p->from, &begin, &end);
		rc = find_before(e, n->from.tensor, begin, end, false);
	}
	if (!rc)
		rc = find_orders(e, node);

	return rc ? rc : new_part(e, p, number);
}

static int remember(struct emit *e, const struct part *p, uint32_t number,
		    uint32_t first)
{
	const struct build_node *n = p->node;
	struct access a = { .part = number, .write = true };
	int rc;

	if (n->kind == BUILD_SIGNAL)
		return 0;
	range_of(p, &n->to, p->to, &a.begin, &a.end);
	rc = add_access(e, n->to.tensor, &a, first);
	if (rc || n->kind != BUILD_COPY)
		return rc;
	a.write = false;
	range_of(p, &n->from, p->from, &a.begin, &a.end);

	return add_access(e, n->from.tensor, &a, first);
}

/* --- nodes that compute ------------------------------------------------ */

static uint32_t choose_from(const struct emit *e, uint32_t first, uint32_t num)
{
	uint32_t best = first, i;

	for (i = first + 1; i < first + num; i++)
		if (start_on(e, i) < start_on(e, best))
			best = i;

	return best;
}

static int compute_part(struct emit *e, const struct build_part *p,
			uint32_t *number)
{
	uint32_t engine = p->engine;
	size_t i;
	int rc;

	if (engine == BUILD_ANY_TPC)
		engine = choose_from(e, PROG_TPC_0, PROG_NUM_TPC);
	else if (engine == BUILD_ANY_MME)
		engine = choose_from(e, PROG_MME_0, 2);
	rc = add_part(e, engine, p->cost + COST_PACKET * p->num, number);
	for (i = 0; !rc && i < p->num; i++)
		rc = prog_draft_launch(e->draft, &p->launches[i]);

	return rc;
}

/* All parts come after the same nodes and use the same bytes. */
static int emit_compute(struct emit *e, uint32_t node)
{
	const struct build_compute *c = e->b->nodes[node].compute;
	uint32_t first = (uint32_t)e->num_parts, i, j, number;
	struct access a = {};
	int rc;

	e->num_before = 0;
	rc = find_orders(e, node);
	for (i = 0; !rc && i < c->num_uses; i++)
		rc = find_before(e, c->uses[i].tensor, 0,
				 e->r->tensors[c->uses[i].tensor].bytes,
				 c->uses[i].write);
	for (i = 0; !rc && i < c->num_parts; i++)
		rc = compute_part(e, &c->parts[i], &number);
	for (i = 0; !rc && i < c->num_uses; i++) {
		for (j = first; !rc && j < e->num_parts; j++) {
			a.begin = 0;
			a.end = e->r->tensors[c->uses[i].tensor].bytes;
			a.write = c->uses[i].write;
			a.part = j;
			rc = add_access(e, c->uses[i].tensor, &a, first);
		}
	}

	return rc;
}

static int emit_moves(struct emit *e, uint32_t node)
{
	const struct build_node *n = &e->b->nodes[node];
	uint32_t i, num, numbers[PROG_MAX_PARTS];
	struct part parts[PROG_MAX_PARTS];
	int rc = 0;

	num = split(e, n, parts);
	for (i = 0; !rc && i < num; i++)
		rc = emit_part(e, &parts[i], node, &numbers[i]);
	for (i = 0; !rc && i < num; i++)
		rc = remember(e, &parts[i], numbers[i], numbers[0]);

	return rc;
}


static int emit_node(struct emit *e, uint32_t node)
{
	int rc = e->b->nodes[node].kind == BUILD_COMPUTE ?
		 emit_compute(e, node) : emit_moves(e, node);

	e->first_part[node + 1] = (uint32_t)e->num_parts;
	while (e->next_order < e->b->num_orders &&
	       e->orders[e->next_order].then == node)
		e->next_order++;

	return rc;
}

static int by_then(const void *a, const void *b)
{
	const struct build_order *x = a, *y = b;

	return x->then < y->then ? -1 : x->then > y->then;
}

static int alloc_emit(struct emit *e)
{
	const struct gaudi_builder *b = e->b;

	e->spaces = calloc(b->num_tensors + 1, sizeof(*e->spaces));
	e->first_part = calloc(b->num_nodes + 1, sizeof(*e->first_part));
	e->orders = calloc(b->num_orders + 1, sizeof(*e->orders));
	if (!e->spaces || !e->first_part || !e->orders)
		return gd_no_memory("for the program of '%s'", e->b->name);
	if (b->num_orders) {
		memcpy(e->orders, b->orders,
		       b->num_orders * sizeof(*e->orders));
		qsort(e->orders, b->num_orders, sizeof(*e->orders), by_then);
	}

	return 0;
}

/* The program of nodes @first up to @end, into @r. */
static int emit_program(const struct gaudi_builder *b, struct gaudi_recipe *r,
			uint32_t num_events, uint32_t first, uint32_t end)
{
	struct emit e = { .b = b, .r = r, .first_node = first };
	uint32_t i;
	int rc;

	rc = prog_draft_create(r->num_tensors, num_events, &e.draft);
	if (rc)
		return rc;
	rc = alloc_emit(&e);
	for (i = 0; i < PROG_NUM_ENGINES; i++)
		e.ready[i] = i == PROG_LAST ? 0 : COST_WAIT;
	while (!rc && e.next_order < b->num_orders &&
	       e.orders[e.next_order].then < first)
		e.next_order++;
	for (i = first; !rc && i < end; i++)
		rc = emit_node(&e, i);
	if (!rc)
		rc = prog_draft_finish(e.draft, &r->program);

	for (i = 0; e.spaces && i <= b->num_tensors; i++)
		free(e.spaces[i].list);
	free(e.spaces);
	free(e.first_part);
	free(e.orders);
	free(e.finish);
	free(e.engine);
	free(e.before);
	prog_draft_destroy(e.draft);

	return rc;
}

int build_emit(const struct gaudi_builder *b, struct gaudi_recipe *r)
{
	struct gaudi_recipe *part = r;
	size_t first = 0, end;
	int rc = 0;

	for (uint32_t i = 0; !rc && i <= b->num_parts; i++) {
		if (i)
			rc = recipe_add_part(r, &part);
		end = i < b->num_parts ? b->part_end[i] : b->num_nodes;
		if (!rc)
			rc = emit_program(b, part, r->num_events,
					  (uint32_t)first, (uint32_t)end);
		first = end;
	}

	return rc;
}
