// SPDX-License-Identifier: MIT
/* Graphs: launching them, and other places for what their nodes use. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gaudi_launch.h"
#include "nodes.h"
#include "../recipe/recipe.h"
#include "../base/sized.h"

static int graph_check(struct gaudi_graph *g)
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

static int graph_fill(struct gaudi_graph *g, struct gd_recording *c)
{
	int rc = gd_graph_make(g, c);

	if (rc)
		return rc;
	g->target.runner.device = g->device;
	g->target.runner.name = "graph";
	g->target.runner.program = &g->program;
	g->target.runner.buffers = g->buffers;
	g->target.runner.bound = g->bound;
	g->target.runner.describe = describe;

	return gd_target_ready(&g->target);
}

static void graph_free(struct gaudi_graph *g)
{
	program_free(&g->program);
	gd_args_put(g->args);
	free(g->buffers);
	free(g->node_of);
	free(g->bound);
	gd_nodes_free(g->nodes, g->num_nodes);
	free(g->deps);
	free(g->ends.at);
	gd_target_exit(&g->target);
	free(g);
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
	gd_target_init(&g->target);
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
	rc = gd_target_end(&g->target);
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

int gaudi_graph_launch(struct gaudi_graph *g, struct gaudi_stream *stream)
{
	struct gd_op op = { .kind = GD_OP_LAUNCH };
	struct gd_launch *launch;
	int rc = graph_check(g);

	if (!rc)
		rc = gd_stream_check(stream);
	if (rc)
		return rc;
	if (stream->device != g->device)
		return gd_fail(-EINVAL, "a graph of card %u on a stream of card %u",
			       g->device->card.accel,
			       stream->device->card.accel);
	pthread_mutex_lock(&g->target.lock);
	launch = gd_launch_new(&g->target, g->args, 0);
	pthread_mutex_unlock(&g->target.lock);
	if (!launch)
		return -ENOMEM;
	op.job = &launch->job;
	rc = gd_launch_hold(launch);
	if (!rc)
		rc = gd_stream_do(stream, &op);
	gd_job_put(&launch->job);

	return rc;
}

/* --- nodes --- */

int gaudi_graph_get_node_count(struct gaudi_graph *g, uint32_t *count)
{
	int rc = graph_check(g);

	if (rc)
		return rc;
	if (!count)
		return gd_fail(-EINVAL, "gaudi_graph_get_node_count: count is NULL");
	*count = g->num_nodes;

	return 0;
}

/* The places and what is before them. */
#define LEAST_NODE	offsetof(struct gaudi_graph_node, to_pitch)

static int check_number(const struct gaudi_graph *g, uint32_t number,
			const struct gaudi_graph_node *node)
{
	int rc = gd_sized_check(node, LEAST_NODE, "gaudi_graph_node");

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
	int rc = graph_check(g);

	if (!rc)
		rc = check_number(g, number, out);
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
	};
	pthread_mutex_lock(&g->target.lock);
	if (!node->recipe) {
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

/* Another place of the same kind and size. */
static int move(struct gaudi_graph *g, uint32_t buffer, uint64_t address,
		void *memory, struct gd_args *args)
{
	struct gd_arg *arg = &args->at[buffer];
	struct gd_range *range;
	char text[GD_NAME];

	describe(&g->target.runner, buffer, text);
	/* The side that a node does not have has no address. */
	if (!!arg->memory != !!memory ||
	    (!arg->memory && !arg->address != !address) || (memory && address))
		return gd_fail(GAUDI_ERR_BINDING,
			       "%s: address %#" PRIx64 ", memory %p, but it is %s",
			       text, address, memory,
			       arg->memory ? "on the host" :
			       arg->address ? "on the device" : "not there");
	if (!memory && !address)
		return 0;
	if (!memory) {
		arg->address = address;
		return gd_range_check(g->device, address, arg->bytes,
				      NULL, &arg->owner);
	}
	range = gd_range_get(g->device, memory, arg->bytes);
	if (!range)
		return gd_fail(GAUDI_ERR_BINDING,
			       "%s: %" PRIu64 " bytes at %p are not in one range of pinned memory",
			       text, arg->bytes, memory);
	arg->memory = memory;
	arg->address = gd_range_address(range, memory);
	arg->owner = range->number;
	gd_range_put(g->device, range);

	return 0;
}

/* Is nothing of node @n in another's way? */
static int check_overlap(const struct gaudi_graph *g,
			 const struct gd_args *args, uint32_t n)
{
	const struct gd_node *node = &g->nodes[n];
	const struct gd_arg *to, *from;
	struct gd_rect rect;

	if (node->recipe)
		return gd_bindings_check(node->recipe,
					 &args->at[node->first_buffer]);
	to = &args->at[gd_node_to(node)];
	from = &args->at[gd_node_from(node)];
	rect = (struct gd_rect) {
		.to = to->address, .to_pitch = node->to.pitch,
		.from = from->address, .from_pitch = node->from.pitch,
		.width = node->width, .height = node->height,
	};
	if (node->kind != GAUDI_NODE_COPY_DEVICE || !gd_rect_overlaps(&rect))
		return 0;

	return gd_fail(GAUDI_ERR_BINDING,
		       "node %u: %" PRIu64 " bytes from %#" PRIx64 " to %#" PRIx64 " overlap",
		       n, to->bytes, from->address, to->address);
}

/* With the target's lock: args that can be written; the caller sets them. */
static struct gd_args *args_copy(const struct gaudi_graph *g)
{
	struct gd_args *args = gd_args_new(g->num_buffers);

	if (!args)
		gd_fail(-ENOMEM, "no memory for %u places", g->num_buffers);
	else
		memcpy(args->at, g->args->at,
		       g->num_buffers * sizeof(args->at[0]));

	return args;
}

static int args_set(struct gaudi_graph *g, struct gd_args *args, int rc)
{
	if (!rc) {
		gd_args_put(g->args);
		g->args = args;
	} else {
		gd_args_put(args);
	}

	return rc;
}

int gaudi_graph_set_node(struct gaudi_graph *g, uint32_t number,
			 const struct gaudi_graph_node *asked)
{
	struct gaudi_graph_node full, *node = &full;
	struct gd_args *args;
	int rc = graph_check(g);

	if (!rc)
		rc = check_number(g, number, asked);
	if (!rc)
		rc = gd_sized_get(&full, sizeof(full), asked, LEAST_NODE,
				  "gaudi_graph_node");
	if (rc)
		return rc;
	if (g->nodes[number].recipe)
		return gd_fail(-EINVAL, "node %u is a launch of '%s', whose tensors gaudi_graph_bind() binds",
			       number, g->nodes[number].recipe->name);
	pthread_mutex_lock(&g->target.lock);
	args = args_copy(g);
	rc = args ? move(g, gd_node_to(&g->nodes[number]), node->to,
			 node->to_memory, args) : -ENOMEM;
	if (!rc)
		rc = move(g, gd_node_from(&g->nodes[number]), node->from,
			  node->from_memory, args);
	if (!rc)
		rc = check_overlap(g, args, number);
	rc = args_set(g, args, rc);
	pthread_mutex_unlock(&g->target.lock);

	return rc;
}

int gaudi_graph_bind(struct gaudi_graph *g, uint32_t number,
		     const struct gaudi_binding *bindings, uint32_t count)
{
	const struct gd_node *node;
	struct gd_args *args;
	int rc = graph_check(g);

	if (rc)
		return rc;
	if (number >= g->num_nodes || !g->nodes[number].recipe)
		return gd_fail(-EINVAL, "node %u of %u is no launch of a recipe",
			       number, g->num_nodes);
	if (!count)
		return 0;
	if (!bindings)
		return gd_fail(-EINVAL, "gaudi_graph_bind: bindings is NULL");
	node = &g->nodes[number];
	pthread_mutex_lock(&g->target.lock);
	args = args_copy(g);
	rc = args ? 0 : -ENOMEM;
	for (uint32_t i = 0; !rc && i < count; i++)
		rc = gd_bind(g->device, node->recipe, &bindings[i],
			     &args->at[node->first_buffer]);
	if (!rc)
		rc = check_overlap(g, args, number);
	rc = args_set(g, args, rc);
	pthread_mutex_unlock(&g->target.lock);

	return rc;
}

/* What lies in @size bytes at @old, by the host's or the card's addresses. */
struct region {
	uint64_t old, to, size;
	bool host;
};

static int move_buffer(struct gaudi_graph *g, uint32_t buffer,
		       const struct region *region, struct gd_args *args,
		       uint32_t *found)
{
	const struct gd_arg *arg = &args->at[buffer];
	uint64_t at = region->host ? (uintptr_t)arg->memory : arg->address;
	const struct gd_node *node;
	uint64_t to;
	int rc;

	if (!arg->address || region->host != !!arg->memory ||
	    at >= region->old + region->size || region->old >= at + arg->bytes)
		return 0;
	if (at < region->old ||
	    arg->bytes > region->size - (at - region->old)) {
		char text[GD_NAME];

		describe(&g->target.runner, buffer, text);
		return gd_fail(GAUDI_ERR_BINDING,
			       "%.100s: %" PRIu64 " bytes at %#" PRIx64 " are in part in %" PRIu64 " at %#" PRIx64,
			       text, arg->bytes, at, region->size, region->old);
	}
	++*found;
	to = region->to + (at - region->old);
	rc = region->host ? move(g, buffer, 0, (void *)(uintptr_t)to, args) :
			    move(g, buffer, to, NULL, args);
	node = &g->nodes[g->node_of[buffer]];
	if (!rc && node->recipe)
		rc = gd_bind_aligned(&node->recipe->tensors
				     [buffer - node->first_buffer], arg);

	return rc;
}

static int replace(struct gaudi_graph *g, const struct region *region)
{
	struct gd_args *args;
	uint32_t found = 0;
	int rc = graph_check(g);

	if (rc)
		return rc;
	if (!region->old || !region->to || !region->size ||
	    region->old + region->size < region->old ||
	    region->to + region->size < region->to)
		return gd_fail(-EINVAL, "%" PRIu64 " bytes at %#" PRIx64 " in place of those at %#" PRIx64,
			       region->size, region->to, region->old);
	pthread_mutex_lock(&g->target.lock);
	args = args_copy(g);
	rc = args ? 0 : -ENOMEM;
	for (uint32_t i = 0; !rc && i < g->num_buffers; i++)
		rc = move_buffer(g, i, region, args, &found);
	for (uint32_t n = 0; !rc && n < g->num_nodes; n++)
		rc = check_overlap(g, args, n);
	if (!rc && !found)
		rc = gd_fail(-ENOENT, "no node has anything in the %" PRIu64 " bytes at %#" PRIx64,
			     region->size, region->old);
	rc = args_set(g, args, rc);
	pthread_mutex_unlock(&g->target.lock);

	return rc;
}

int gaudi_graph_replace(struct gaudi_graph *g, gaudi_ptr old, gaudi_ptr to,
			uint64_t size)
{
	const struct region region = { .old = old, .to = to, .size = size };

	return replace(g, &region);
}

int gaudi_graph_replace_host(struct gaudi_graph *g, const void *old, void *to,
			     uint64_t size)
{
	const struct region region = {
		.old = (uintptr_t)old,
		.to = (uintptr_t)to,
		.size = size,
		.host = true,
	};

	return replace(g, &region);
}
