// SPDX-License-Identifier: MIT
/*
 * Graphs with work of links or host functions, step by step: programs, jobs of links, and calls,
 * each after the steps that it comes after, and no other. Steps of different branches are on different
 * hardware streams, which no other stream has, if there are so many: a branch that waits for a peer
 * would hold up that stream, or stand behind what it waits for, in an order that no program asked for.
 *
 * Workspace is one for all steps, in which each branch has its part: its nodes come one after
 * the other, in whichever steps. So launches that use it come one after the other, too.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "nodes.h"

/* What the nodes of a program have to be told. */
static int list_bound(const struct gaudi_graph *g, const uint32_t *step_of,
		      uint32_t step)
{
	struct gd_step *s = &g->steps[step];
	struct gd_runner *runner = &s->target.runner;

	s->bound = calloc((size_t)g->num_buffers + 1, sizeof(*s->bound));
	if (!s->bound)
		return gd_no_memory("for a captured graph");
	for (uint32_t n = 0; n < g->num_nodes; n++)
		if (step_of[n] == step)
			runner->num_bound += gd_node_bound(&g->nodes[n],
							   s->bound + runner->num_bound);

	return 0;
}

static int make_step(struct gaudi_graph *g, const uint32_t *step_of,
		     uint32_t step)
{
	struct gd_step *s = &g->steps[step];
	int rc;

	snprintf(s->name, sizeof(s->name), "%.64s, step %u", g->name, step);
	gd_target_init(&s->target);
	s->target.runner = g->target.runner;
	s->target.runner.num_bound = 0;
	s->target.runner.workspace_size = 0;
	s->target.runner.program = &s->program;
	rc = list_bound(g, step_of, step);
	s->target.runner.bound = s->bound;
	if (!rc)
		rc = gd_graph_program(g, step_of, step, &s->program);
	if (!rc)
		rc = gd_target_ready(&s->target);
	s->ready = !rc;
	if (rc)
		gd_target_exit(&s->target);

	return rc;
}

static int place_workspace(struct gaudi_graph *g)
{
	uint64_t size = g->target.runner.workspace_size;
	int rc = size ? gaudi_malloc(g->device, size, &g->workspace) : 0;

	for (uint32_t i = 0; !rc && i < g->num_buffers; i++) {
		if (g->buffers[i].kind != GD_BUFFER_WORKSPACE)
			continue;
		g->buffers[i].kind = GD_BUFFER_FIXED;
		g->buffers[i].base += g->workspace;
	}

	return rc;
}

static int make_room_for_ops(struct gaudi_graph *g)
{
	uint32_t most = 0;

	for (uint32_t n = 0; n < g->num_nodes; n++)
		if (g->nodes[n].links && g->nodes[n].links->count > most)
			most = g->nodes[n].links->count;
	g->ops = calloc((size_t)most + 1, sizeof(*g->ops));

	return g->ops ? 0 : gd_no_memory("for a captured graph");
}

int gd_steps_make(struct gaudi_graph *g, uint32_t num_apart)
{
	uint32_t *step_of = NULL;
	int rc = gd_graph_cut(g, num_apart, &step_of);

	if (!rc)
		rc = make_room_for_ops(g);
	g->branches.num = g->num_branches;
	g->branches.at = calloc((size_t)g->num_branches + 1, sizeof(*g->branches.at));
	if (!rc && !g->branches.at)
		rc = gd_no_memory("for a captured graph");
	if (!rc)
		rc = place_workspace(g);
	for (uint32_t i = 0; !rc && i < g->num_steps; i++)
		if (!g->steps[i].apart)
			rc = make_step(g, step_of, i);
	free(step_of);
	g->target.run = gd_steps_run;

	return rc;
}

int gd_steps_end(struct gaudi_graph *g)
{
	/* If it fails the card is lost, and uses nothing any more. */
	int rc = gd_wait(g->device, &g->used), error;

	for (uint32_t i = 0; i < g->num_steps; i++) {
		struct gd_step *s = &g->steps[i];

		if (!s->ready)
			continue;
		error = gd_target_end(&s->target);
		rc = rc ? rc : error;
		gd_target_exit(&s->target);
		s->ready = false;
	}

	return rc;
}

void gd_steps_free(struct gaudi_graph *g)
{
	if (g->steps)
		gd_steps_end(g);
	for (uint32_t i = 0; i < g->num_steps; i++) {
		program_free(&g->steps[i].program);
		free(g->steps[i].after);
		free(g->steps[i].deps);
		free(g->steps[i].bound);
	}
	if (g->workspace)
		gd_pool_free(g->device, g->workspace);
	gd_branches_put(g->device, &g->branches);
	free(g->branches.at);
	free(g->steps);
	free(g->ops);
}

static int run_links(struct gaudi_graph *g, struct gaudi_stream *stream,
		     const struct gd_launch *launch, const struct gd_node *node,
		     unsigned int q)
{
	for (uint32_t i = 0; i < node->links->count; i++)
		g->ops[i] = gd_node_link_op(node, i, launch->args);

	return gd_link_work_run(node->links, g->ops, stream, q);
}

static int run_step(struct gaudi_graph *g, struct gaudi_stream *stream,
		    struct gd_launch *launch, struct gd_step *s,
		    const struct gd_point *begin)
{
	const struct gd_node *node = &g->nodes[s->node];
	uint32_t hw_stream = g->branches.at[node->branch];
	int rc;

	/* It may not be the thread that has launched the graph. */
	PROFILE_SPAN("gaudi_graph_step", NULL, 0, s->name);

	stream->after = s->num_deps ? (struct gd_point) {} : *begin;
	for (uint32_t i = 0; i < s->num_deps; i++)
		gd_point_join(&stream->after, &g->steps[s->deps[i]].end);
	if (node->call)
		rc = gd_stream_call(stream, node->call->fn, node->call->arg);
	else
		rc = s->apart ? run_links(g, stream, launch, node, hw_stream) :
		     gd_target_run(stream, launch, &s->target, hw_stream);
	s->end = stream->after;

	return rc;
}

int gd_steps_run(struct gaudi_stream *stream, struct gd_launch *launch)
{
	struct gaudi_graph *g = gd_graph_of(launch->target);
	struct gd_point begin, all;
	int rc = gd_flush(stream);

	if (rc)
		return rc;
	pthread_mutex_lock(&g->order);
	if (g->workspace)
		gd_point_join(&stream->after, &g->used);
	gd_branches_place(stream, &g->branches);
	begin = stream->after;
	all = begin;
	for (uint32_t i = 0; !rc && i < g->num_steps; i++) {
		rc = run_step(g, stream, launch, &g->steps[i], &begin);
		/* Also of what was done in part. */
		gd_point_join(&all, &g->steps[i].end);
	}
	gd_point_join(&g->used, &all);
	stream->after = all;
	pthread_mutex_unlock(&g->order);

	return rc;
}
