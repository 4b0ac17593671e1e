// SPDX-License-Identifier: MIT
/* Graphs: launching them, and what their nodes are. */
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gaudi_launch.h"
#include "nodes.h"
#include "../recipe/recipe.h"
#include "../base/sized.h"

int gd_graph_check(struct gaudi_graph *g)
{
	return g ? gd_device_check(g->device) :
	       gd_fail(-EINVAL, "the graph is NULL");
}

/* --- making --- */

static void describe(const struct gd_runner *runner, uint32_t buffer, char *text)
{
	gd_graph_describe(gd_graph_of(container_of(runner, struct gd_target,
						   runner)), buffer, text);
}

static uint32_t count_apart(const struct gaudi_graph *g)
{
	uint32_t num = 0;

	for (uint32_t n = 0; n < g->num_nodes; n++)
		num += gd_node_is_apart(&g->nodes[n]);

	return num;
}

static int graph_fill(struct gaudi_graph *g, struct gd_recording *c)
{
	int rc = gd_graph_make(g, c);
	uint32_t num_apart;

	if (rc)
		return rc;
	num_apart = count_apart(g);
	g->target.runner.device = g->device;
	g->target.runner.name = "graph";
	g->target.runner.program = &g->program;
	g->target.runner.buffers = g->buffers;
	g->target.runner.bound = g->bound;
	g->target.runner.describe = describe;

	if (num_apart)
		return gd_steps_make(g, num_apart);
	rc = gd_graph_program(g, NULL, 0, &g->program);

	return rc ? rc : gd_target_ready(&g->target);
}

static void graph_free(struct gaudi_graph *g)
{
	gd_steps_free(g);
	program_free(&g->program);
	gd_args_put(g->args);
	free(g->buffers);
	free(g->node_of);
	free(g->bound);
	gd_nodes_free(g->nodes, g->num_nodes);
	free(g->deps);
	free(g->ends.at);
	gd_target_exit(&g->target);
	pthread_mutex_destroy(&g->order);
	free(g);
}

/* Of its process. Each has a number, as graphs have no names. */
static void name_graph(struct gaudi_graph *g)
{
	static atomic_uint last;

	snprintf(g->name, sizeof(g->name), "graph %u", ++last);
}

int gd_graph_new(struct gaudi_device *device, struct gd_recording *c,
		 struct gaudi_graph **out)
{
	struct gd_error_state state;
	struct gaudi_graph *g = calloc(1, sizeof(*g));
	int rc;

	if (!g)
		return gd_fail(-ENOMEM, "no memory for a graph");
	g->device = device;
	name_graph(g);
	gd_target_init(&g->target);
	pthread_mutex_init(&g->order, NULL);
	rc = graph_fill(g, c);
	if (rc) {
		gd_error_save(&state);
		graph_free(g);
		gd_error_restore(&state);
		return rc;
	}
	pthread_mutex_lock(&device->lock);
	LIST_INSERT_HEAD(&device->graphs, g, link);
	pthread_mutex_unlock(&device->lock);
	*out = g;
	if (__builtin_expect(profile_on, 0))
		gd_graph_profile(g);

	return 0;
}

int gaudi_graph_destroy(struct gaudi_graph *g)
{
	struct gd_error_state state;
	int rc;

	if (!g)
		return 0;
	rc = gd_device_check_mine(g->device);
	if (!rc)
		rc = gd_may_block(g->device, "gaudi_graph_destroy");
	if (rc)
		return rc;
	gd_target_wait(&g->target);
	rc = g->steps ? gd_steps_end(g) : gd_target_end(&g->target);
	gd_error_save(&state);
	pthread_mutex_lock(&g->device->lock);
	LIST_REMOVE(g, link);
	pthread_mutex_unlock(&g->device->lock);
	graph_free(g);
	gd_error_restore(&state);

	return rc;
}

void gd_graphs_exit(struct gaudi_device *device)
{
	while (!LIST_EMPTY(&device->graphs))
		gaudi_graph_destroy(LIST_FIRST(&device->graphs));
}

/* --- launching --- */

/* Work of links would say so, too, but not before what comes before it was done. */
static int check_links(const struct gaudi_graph *g)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < g->num_steps; i++)
		if (g->nodes[g->steps[i].node].links)
			rc = gd_link_work_check(g->nodes[g->steps[i].node].links);

	return rc;
}

int gaudi_graph_launch(struct gaudi_graph *g, struct gaudi_stream *stream)
{
	struct gd_op op = { .kind = GD_OP_LAUNCH };
	struct gd_launch *launch;
	int rc = gd_graph_check(g);

	PROFILE_SPAN(__func__, NULL, 0, rc ? NULL : g->name);

	if (!rc)
		rc = gd_stream_check(stream);
	if (rc)
		return rc;
	if (stream->device != g->device)
		return gd_fail(-EINVAL, "a graph of card %u on a stream of card %u",
			       g->device->card.accel,
			       stream->device->card.accel);
	rc = check_links(g);
	if (rc)
		return rc;
	pthread_mutex_lock(&g->target.lock);
	launch = gd_launch_new(&g->target, g->args, 0);
	pthread_mutex_unlock(&g->target.lock);
	if (!launch)
		return -ENOMEM;
	op.job = &launch->job;
	/*
	 * Its own steps may be what a step waits for, for sync objects or a place in
	 * a queue, and these for a peer that the calling thread has to launch.
	 */
	launch->job.later = g->steps != NULL;
	rc = gd_launch_hold(launch);
	if (!rc)
		rc = gd_stream_do(stream, &op);
	gd_job_put(&launch->job);

	return rc;
}

/* --- nodes --- */

int gaudi_graph_get_node_count(struct gaudi_graph *g, uint32_t *count)
{
	int rc = gd_graph_check(g);

	if (rc)
		return rc;
	if (!count)
		return gd_fail(-EINVAL, "gaudi_graph_get_node_count: count is NULL");
	*count = g->num_nodes;

	return 0;
}

int gd_graph_check_node(const struct gaudi_graph *g, uint32_t number,
			const struct gaudi_graph_node *node)
{
	int rc = gd_sized_check(node, GD_LEAST_NODE, "gaudi_graph_node");

	if (rc)
		return rc;
	if (number >= g->num_nodes)
		return gd_fail(-EINVAL, "node %u of a graph of %u", number,
			       g->num_nodes);

	return 0;
}

int gaudi_graph_get_node(struct gaudi_graph *g, uint32_t number,
			 struct gaudi_graph_node *out)
{
	struct gaudi_graph_node full = {};
	const struct gd_arg *to, *from;
	const struct gd_node *node;
	int rc = gd_graph_check(g);

	if (!rc)
		rc = gd_graph_check_node(g, number, out);
	if (rc)
		return rc;
	node = &g->nodes[number];
	full = (struct gaudi_graph_node) {
		.kind = node->kind,
		.to_pitch = node->to.pitch,
		.from_pitch = node->from.pitch,
		.width = node->width,
		.height = node->height,
		.pattern = node->pattern,
		.recipe = node->recipe,
		.num_ops = node->links ? node->links->count : 0,
	};
	pthread_mutex_lock(&g->target.lock);
	if (gd_node_is_plain(node)) {
		to = &g->args->at[gd_node_to(node)];
		from = &g->args->at[gd_node_from(node)];
		full.to = to->memory ? 0 : to->address;
		full.from = from->memory ? 0 : from->address;
		full.to_memory = to->memory;
		full.from_memory = from->memory;
	}
	pthread_mutex_unlock(&g->target.lock);
	gd_sized_put(out, &full, sizeof(full));

	return 0;
}
