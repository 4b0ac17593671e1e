// SPDX-License-Identifier: MIT
/*
 * What was captured, made into a program. Each node has buffers of its own in it, so
 * each can be given other places.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nodes.h"
#include "../program/program_item.h"
#include "../recipe/recipe.h"

#define MAX_BUFFERS	(1u << 24)

static uint32_t count_buffers(const struct gd_node *node)
{
	return node->recipe ? node->recipe->num_tensors :
	       node->links ? 2 * node->links->count : node->call ? 0 : 2;
}

/* @rows rows from @row on, or bytes of the only one; as one node of the draft. */
struct piece {
	uint64_t row, rows;
	uint64_t at, width;
};

/* --- nodes into a draft --- */

struct making {
	const struct gaudi_graph *g;
	const uint32_t *step_of;	/* by node; NULL: all are in one */
	uint32_t step;
	struct prog_draft *d;
	struct prog_ends *ends;		/* by node */
	uint32_t *after;		/* nodes of the draft, for one node */
	size_t room_after;
};

static bool is_in(const struct making *m, uint32_t n)
{
	return !m->step_of || m->step_of[n] == m->step;
}

/* What node @n comes after, as nodes of the draft. Other steps have none in it. */
static int find_after(struct making *m, uint32_t n, uint32_t *num)
{
	const struct gd_node *node = &m->g->nodes[n];
	const uint32_t *deps = m->g->deps + node->first_dep;
	size_t room = (size_t)node->num_deps * PROG_NUM_ENGINES;

	*num = 0;
	if (room > m->room_after) {
		free(m->after);
		m->room_after = 0;
		m->after = calloc(room, sizeof(*m->after));
		if (!m->after)
			return gd_fail(-ENOMEM, "no memory for the order of %u nodes",
				       node->num_deps);
		m->room_after = room;
	}
	for (uint32_t i = 0; i < node->num_deps; i++) {
		const struct prog_ends *ends = &m->ends[deps[i]];

		for (uint32_t e = 0; e < ends->num; e++)
			m->after[(*num)++] = ends->at[e];
	}

	return 0;
}

/*
 * Engine @part of a piece of work within the device: the stream's own comes first,
 * so that what is small, and on one stream, needs no sync objects.
 */
static uint32_t engine_of(const struct gd_node *node, uint32_t part)
{
	uint32_t own = node->branch ? 1 + (node->branch - 1) % PROG_NUM_INNER : 0;
	uint32_t engine = (own + part) % PROG_MAX_PARTS;

	if (node->kind == GAUDI_NODE_COPY_TO_DEVICE)
		return PROG_TO_DEVICE;
	if (node->kind == GAUDI_NODE_COPY_TO_HOST)
		return PROG_TO_HOST;

	return engine ? PROG_DMA_2 + engine - 1 : PROG_TO_HOST;
}

static int draft_piece(struct making *m, const struct gd_node *node,
		       const struct piece *p)
{
	int rc = 0;

	for (uint64_t row = p->row; !rc && row < p->row + p->rows; row++) {
		struct prog_place to = {
			gd_node_to(node), row * node->to.pitch + p->at,
		};
		struct prog_place from = {
			gd_node_from(node), row * node->from.pitch + p->at,
		};

		rc = node->kind == GAUDI_NODE_FILL ?
		     prog_draft_fill(m->d, to, node->pattern, p->width) :
		     prog_draft_copy(m->d, to, from, p->width);
	}

	return rc;
}

static uint64_t step_of(const struct gd_node *node)
{
	uint64_t units = node->height > 1 ? node->height : node->width, step;
	uint32_t parts = 1;

	if (node->kind == GAUDI_NODE_COPY_DEVICE ||
	    node->kind == GAUDI_NODE_FILL)
		parts = prog_count_parts(node->width * node->height);
	step = (units + parts - 1) / parts;

	return node->height > 1 ? step : gd_round_up(step, PROG_PART_ALIGN);
}

/* Large work within the device goes to several engines, as recipes' does. */
static int draft_copy(struct making *m, uint32_t n, uint32_t num_after)
{
	const struct gd_node *node = &m->g->nodes[n];
	bool rows = node->height > 1;
	uint64_t units = rows ? node->height : node->width;
	uint64_t step = step_of(node);
	struct prog_ends *ends = &m->ends[n];
	int rc = 0;

	for (uint64_t at = 0; !rc && at < units; at += step) {
		uint64_t some = units - at < step ? units - at : step;
		const struct piece piece = {
			.row = rows ? at : 0,
			.rows = rows ? some : 1,
			.at = rows ? 0 : at,
			.width = rows ? node->width : some,
		};
		uint32_t number = 0;

		rc = prog_draft_node(m->d, engine_of(node, ends->num), &number);
		for (uint32_t i = 0; !rc && i < num_after; i++)
			rc = prog_draft_edge(m->d, m->after[i], number);
		if (!rc)
			rc = draft_piece(m, node, &piece);
		ends->at[ends->num++] = number;
	}

	return rc;
}

static int draft_node(struct making *m, uint32_t n)
{
	const struct gd_node *node = &m->g->nodes[n];
	uint32_t num_after;
	int rc = find_after(m, n, &num_after);

	if (rc)
		return rc;
	if (!node->recipe)
		return draft_copy(m, n, num_after);

	return prog_draft_program(m->d, &node->recipe->program,
				  node->first_buffer, m->after, num_after,
				  &m->ends[n]);
}

/* --- buffers --- */

static void list_buffers(const struct gaudi_graph *g,
			 struct prog_buffer *buffers)
{
	for (uint32_t n = 0; n < g->num_nodes; n++) {
		const struct gd_node *node = &g->nodes[n];
		struct prog_buffer *b = &buffers[node->first_buffer];

		if (gd_node_is_apart(node))
			continue;
		if (!node->recipe) {
			b[0].name = "to";
			b[0].size = node->to.arg.bytes;
			b[0].writable = true;
			b[1].name = "from";
			b[1].size = node->from.arg.bytes;
			continue;
		}
		for (uint32_t t = 0; t < node->recipe->num_tensors; t++) {
			const struct recipe_tensor *tensor =
				&node->recipe->tensors[t];

			b[t].name = tensor->name;
			b[t].size = tensor->bytes;
			b[t].writable = tensor->kind == GAUDI_TENSOR_OUTPUT ||
					tensor->kind == GAUDI_TENSOR_WORKSPACE;
		}
	}
}

/* The same check that recipes are given. */
static int check_program(const struct gaudi_graph *g, const struct program *p)
{
	struct prog_buffer *buffers;
	int rc;

	buffers = calloc((size_t)g->num_buffers + 1, sizeof(*buffers));
	if (!buffers)
		return gd_fail(-ENOMEM, "no memory to check a graph");
	list_buffers(g, buffers);
	rc = program_check(p, buffers);
	free(buffers);

	return rc;
}

int gd_graph_program(const struct gaudi_graph *g, const uint32_t *step_of,
		     uint32_t step, struct program *p)
{
	struct making m = { .g = g, .step_of = step_of, .step = step };
	int rc = prog_draft_create(g->num_buffers, 0, &m.d);

	if (rc)
		return rc;
	m.ends = calloc((size_t)g->num_nodes + 1, sizeof(*m.ends));
	if (!m.ends)
		rc = gd_fail(-ENOMEM, "no memory for the order of %u nodes",
			     g->num_nodes);
	for (uint32_t n = 0; !rc && n < g->num_nodes; n++)
		if (is_in(&m, n))
			rc = draft_node(&m, n);
	if (!rc)
		rc = prog_draft_finish(m.d, p);
	prog_draft_destroy(m.d);
	free(m.ends);
	free(m.after);

	return rc ? rc : check_program(g, p);
}

uint32_t gd_node_bound(const struct gd_node *node, uint32_t *bound)
{
	uint32_t num = 0;

	for (uint32_t i = 0; i < count_buffers(node); i++)
		if (node->recipe ? gd_is_bound(&node->recipe->tensors[i]) :
		    !node->links || i % 2)
			bound[num++] = node->first_buffer + i;

	return num;
}

static void bind_node(struct gaudi_graph *g, const struct gd_node *node,
		      uint64_t workspace)
{
	struct gd_runner *runner = &g->target.runner;
	uint32_t first = node->first_buffer;
	uint32_t num = count_buffers(node);

	for (uint32_t i = 0; i < num; i++)
		g->node_of[first + i] = (uint32_t)(node - g->nodes);
	runner->num_bound += gd_node_bound(node, g->bound + runner->num_bound);
	if (node->call)
		return;
	if (gd_node_is_plain(node)) {
		g->args->at[gd_node_to(node)] = node->to.arg;
		g->args->at[gd_node_from(node)] = node->from.arg;
		return;
	}
	if (node->recipe)
		gd_place_buffers(node->recipe, node->constants, workspace,
				 g->buffers + first);
	memcpy(&g->args->at[first], node->args->at, num * sizeof(struct gd_arg));
}

/*
 * Recipes that were launched on one stream run one after the other, and have one
 * workspace for all; those of other streams have others.
 */
static int bind_nodes(struct gaudi_graph *g)
{
	uint64_t *sizes = calloc((size_t)g->num_branches + 1, sizeof(*sizes));
	uint64_t total = 0;

	if (!sizes)
		return gd_fail(-ENOMEM, "no memory for a graph of %u streams",
			       g->num_branches);
	for (uint32_t n = 0; n < g->num_nodes; n++) {
		const struct gd_node *node = &g->nodes[n];

		if (node->recipe &&
		    sizes[node->branch] < node->recipe->workspace_size)
			sizes[node->branch] = node->recipe->workspace_size;
	}
	/* From sizes to where they begin. */
	for (uint32_t i = 0; i < g->num_branches; i++) {
		uint64_t size = gd_round_up(sizes[i], RECIPE_ALIGN);

		sizes[i] = total;
		total += size;
	}
	for (uint32_t n = 0; n < g->num_nodes; n++)
		bind_node(g, &g->nodes[n], sizes[g->nodes[n].branch]);
	free(sizes);
	g->target.runner.workspace_size = total;

	return 0;
}

static int number_buffers(struct gaudi_graph *g)
{
	uint64_t num = 0;

	for (uint32_t n = 0; n < g->num_nodes; n++) {
		g->nodes[n].first_buffer = (uint32_t)num;
		num += count_buffers(&g->nodes[n]);
		if (num > MAX_BUFFERS)
			return gd_fail(-EOVERFLOW, "a graph of more than %u places: %u nodes",
				       MAX_BUFFERS, g->num_nodes);
	}
	g->num_buffers = (uint32_t)num;
	g->buffers = calloc(num + 1, sizeof(*g->buffers));
	g->node_of = calloc(num + 1, sizeof(*g->node_of));
	g->bound = calloc(num + 1, sizeof(*g->bound));
	g->args = gd_args_new(g->num_buffers);
	if (!g->buffers || !g->node_of || !g->bound || !g->args)
		return gd_fail(-ENOMEM, "no memory for a graph of %u nodes",
			       g->num_nodes);

	return 0;
}

int gd_graph_make(struct gaudi_graph *g, struct gd_recording *c)
{
	int rc;

	g->nodes = c->nodes;
	g->num_nodes = c->num_nodes;
	g->deps = c->deps;
	g->num_deps = c->num_deps;
	g->ends = c->capture.ends;
	g->num_branches = c->capture.num_streams;
	c->nodes = NULL;
	c->num_nodes = 0;
	c->deps = NULL;
	c->capture.ends = (struct gd_tails) {};
	rc = number_buffers(g);

	return rc ? rc : bind_nodes(g);
}

static void profile_item(const struct gaudi_graph *g, const char *of,
			 const char *engine, const struct prog_item *item)
{
	const struct gd_node *node;
	uint32_t i = 0;

	/* Which sync object is told is no buffer. */
	while (i < item->num_refs && item->refs[i].kind == PROG_PATCH_DONE)
		i++;
	if (i == item->num_refs)
		return;
	node = &g->nodes[g->node_of[item->refs[i].buffer]];
	gd_profile_item(of, node->recipe, node->first_buffer, engine, item);
}

static void profile_program(const struct gaudi_graph *g, const char *of,
			    const struct program *p, uint32_t *left)
{
	for (uint32_t i = 0; i < p->num_streams; i++) {
		const struct prog_stream *s = &p->streams[i];
		struct prog_cursor cursor = {};
		struct prog_item item;

		while (gd_profiled_next(s, &cursor, &item, left))
			profile_item(g, of, prog_engine_info(s->engine)->name,
				     &item);
	}
}

void gd_graph_profile(const struct gaudi_graph *g)
{
	uint32_t left = GD_PROFILED;

	profile_program(g, g->name, &g->program, &left);
	for (uint32_t i = 0; i < g->num_steps; i++)
		profile_program(g, g->steps[i].name, &g->steps[i].program,
				&left);
}

void gd_graph_describe(const struct gaudi_graph *g, uint32_t buffer, char *text)
{
	uint32_t n = g->node_of[buffer];
	const struct gd_node *node = &g->nodes[n];
	uint32_t i = buffer - node->first_buffer;

	if (node->recipe)
		snprintf(text, GD_NAME, "node %u, tensor '%s'", n,
			 node->recipe->tensors[i].name);
	else if (node->links)
		snprintf(text, GD_NAME, "node %u, op %u, %s", n, i / 2,
			 i % 2 ? "from" : "to");
	else
		snprintf(text, GD_NAME, "node %u, %s", n, i ? "from" : "to");
}
