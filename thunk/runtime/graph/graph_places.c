// SPDX-License-Identifier: MIT
/* Other places for what the nodes of a graph use. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gaudi_launch.h"
#include "nodes.h"
#include "../recipe/recipe.h"
#include "../base/sized.h"

/* Another place of the same kind and size. */
static int move(struct gaudi_graph *g, uint32_t buffer, uint64_t address,
		void *memory, struct gd_args *args)
{
	struct gd_arg *arg = &args->at[buffer];
	struct gd_range *range;
	char text[GD_NAME];

	gd_graph_describe(g, buffer, text);
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

	if (gd_node_is_apart(node))
		return 0;
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
	int rc = gd_graph_check(g);

	if (!rc)
		rc = gd_graph_check_node(g, number, asked);
	if (!rc)
		rc = gd_sized_get(&full, sizeof(full), asked, GD_LEAST_NODE,
				  "gaudi_graph_node");
	if (rc)
		return rc;
	if (g->nodes[number].recipe)
		return gd_fail(-EINVAL, "node %u is a launch of '%s', whose tensors gaudi_graph_bind() binds",
			       number, g->nodes[number].recipe->name);
	if (g->nodes[number].links)
		return gd_fail(-EINVAL, "node %u is work of links, whose writes gaudi_graph_set_link_op() sets",
			       number);
	if (g->nodes[number].call)
		return gd_fail(-EINVAL, "node %u is a host function", number);
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

/* @op, or where it is to go, of a node of links. */
static int check_link_op(struct gaudi_graph *g, uint32_t number, uint32_t i,
			 const struct gaudi_link_op *op)
{
	int rc = gd_graph_check(g);

	if (rc)
		return rc;
	if (!op)
		return gd_fail(-EINVAL, "node %u: op is NULL", number);
	if (number >= g->num_nodes || !g->nodes[number].links)
		return gd_fail(-EINVAL, "node %u of %u is no work of links",
			       number, g->num_nodes);
	if (i >= g->nodes[number].links->count)
		return gd_fail(-EINVAL, "node %u: op %u of %u", number, i,
			       g->nodes[number].links->count);

	return 0;
}

int gaudi_graph_get_link_op(struct gaudi_graph *g, uint32_t number, uint32_t i,
			    struct gaudi_link_op *op)
{
	int rc = check_link_op(g, number, i, op);

	if (rc)
		return rc;
	pthread_mutex_lock(&g->target.lock);
	*op = gd_node_link_op(&g->nodes[number], i, g->args);
	pthread_mutex_unlock(&g->target.lock);

	return 0;
}

int gaudi_graph_set_link_op(struct gaudi_graph *g, uint32_t number, uint32_t i,
			    const struct gaudi_link_op *asked)
{
	struct gaudi_link_op op;
	struct gd_args *args;
	uint64_t owner = 0;
	int rc = check_link_op(g, number, i, asked);

	if (rc)
		return rc;
	op = g->nodes[number].links->ops[i];
	if (op.kind == GAUDI_LINK_WAIT)
		return gd_fail(-EINVAL, "node %u: op %u is a wait, which has no places",
			       number, i);
	op.to = asked->to;
	op.from = asked->from;
	op.bytes = asked->bytes;
	rc = gd_link_write_check(&op, &owner);
	if (rc)
		return rc;
	pthread_mutex_lock(&g->target.lock);
	args = args_copy(g);
	rc = args ? 0 : -ENOMEM;
	if (!rc)
		gd_node_link_put(&g->nodes[number], i, &op, owner, args);
	rc = args_set(g, args, rc);
	pthread_mutex_unlock(&g->target.lock);

	return rc;
}

int gaudi_graph_bind(struct gaudi_graph *g, uint32_t number,
		     const struct gaudi_binding *bindings, uint32_t count)
{
	const struct gd_node *node;
	struct gd_args *args;
	int rc = gd_graph_check(g);

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
	const struct gd_node *node = &g->nodes[g->node_of[buffer]];
	uint64_t to;
	int rc;

	/* This one is the peer's. */
	if (node->links && (buffer - node->first_buffer) % 2 == 0)
		return 0;
	if (!arg->address || region->host != !!arg->memory ||
	    at >= region->old + region->size || region->old >= at + arg->bytes)
		return 0;
	if (at < region->old ||
	    arg->bytes > region->size - (at - region->old)) {
		char text[GD_NAME];

		gd_graph_describe(g, buffer, text);
		return gd_fail(GAUDI_ERR_BINDING,
			       "%.100s: %" PRIu64 " bytes at %#" PRIx64 " are in part in %" PRIu64 " at %#" PRIx64,
			       text, arg->bytes, at, region->size, region->old);
	}
	++*found;
	to = region->to + (at - region->old);
	rc = region->host ? move(g, buffer, 0, (void *)(uintptr_t)to, args) :
			    move(g, buffer, to, NULL, args);
	if (!rc && node->recipe)
		rc = gd_bind_aligned(&node->recipe->tensors
				     [buffer - node->first_buffer], arg);

	return rc;
}

static int replace(struct gaudi_graph *g, const struct region *region)
{
	struct gd_args *args;
	uint32_t found = 0;
	int rc = gd_graph_check(g);

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
