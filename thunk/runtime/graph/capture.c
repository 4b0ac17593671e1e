// SPDX-License-Identifier: MIT
/*
 * Streams into graphs: each operation of a stream that is captured becomes a node,
 * which comes after the stream's tails, and a launch of a graph all of its nodes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/array.h"
#include "nodes.h"
#include "../recipe/recipe.h"

#define MAX_NODES	(1u << 20)
#define MAX_DEPS	(1u << 28)

static struct gd_call *call_new(const struct gd_op *op)
{
	struct gd_call *call = malloc(sizeof(*call));

	if (!call)
		return NULL;
	atomic_init(&call->refs, 1);
	call->fn = op->fn;
	call->arg = op->arg;
	call->release = op->release;

	return call;
}

static void call_put(struct gd_call *call)
{
	if (!call || atomic_fetch_sub(&call->refs, 1) > 1)
		return;
	if (call->release)
		call->release(call->arg);
	free(call);
}

static void node_put(struct gd_node *node)
{
	gaudi_recipe_release(node->recipe);
	gd_constants_put(node->constants);
	gd_args_put(node->args);
	gd_link_work_put(node->links);
	call_put(node->call);
}

void gd_nodes_free(struct gd_node *nodes, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		node_put(&nodes[i]);
	free(nodes);
}

static struct gd_recording *recording_of(struct gd_capture *capture)
{
	return container_of(capture, struct gd_recording, capture);
}

static void recording_free(struct gd_capture *capture)
{
	struct gd_recording *c = recording_of(capture);

	gd_nodes_free(c->nodes, c->num_nodes);
	free(c->deps);
	gd_tails_clear(&c->capture.ends);
	free(c);
}

/* --- nodes --- */

/* Room for so many more. */
static int reserve(struct gd_recording *c, uint32_t nodes, uint64_t deps)
{
	if (nodes > MAX_NODES - c->num_nodes)
		return gd_capture_deny(&c->capture, "more than %u nodes",
				       MAX_NODES);
	if (deps > MAX_DEPS - c->num_deps)
		return gd_capture_deny(&c->capture,
				       "an order of more than %u pairs of nodes",
				       MAX_DEPS);
	while (c->num_nodes + nodes > c->room_nodes)
		if (!gd_grow((void **)&c->nodes, c->room_nodes, &c->room_nodes,
			     sizeof(*c->nodes)))
			return gd_no_memory("for a captured graph");
	while (c->num_deps + deps > c->room_deps)
		if (!gd_grow((void **)&c->deps, c->room_deps, &c->room_deps,
			     sizeof(*c->deps)))
			return gd_no_memory("for a captured graph");

	return 0;
}

/* Where there is room: @node, which comes after @num nodes from @base on. */
static void put_node(struct gd_recording *c, const struct gd_node *node,
		     const uint32_t *deps, uint32_t num, uint32_t base)
{
	struct gd_node *at = &c->nodes[c->num_nodes++];

	*at = *node;
	at->first_dep = c->num_deps;
	at->num_deps = num;
	for (uint32_t i = 0; i < num; i++)
		c->deps[c->num_deps++] = base + deps[i];
}

static int add_node(struct gd_recording *c, struct gaudi_stream *stream,
		    struct gd_node *node)
{
	const struct gd_tails *tails = &stream->tails;
	struct gd_tails now = { .at = malloc(sizeof(*now.at)), .num = 1 };
	int rc = now.at ? reserve(c, 1, tails->num) : gd_no_memory("for a captured graph");

	if (rc) {
		free(now.at);
		return rc;
	}
	now.at[0] = c->num_nodes;
	node->branch = stream->branch;
	put_node(c, node, tails->at, tails->num, 0);
	gd_tails_clear(&stream->tails);
	stream->tails = now;

	return 0;
}

/* Pinned memory, if @range is not NULL, or the device's. */
static int put_place(struct gd_place *place, struct gaudi_device *device,
		     uint64_t address, uint64_t pitch,
		     const struct gd_rect *rect, const struct gd_range *range)
{
	place->pitch = pitch;
	place->arg.address = address;
	place->arg.bytes = (rect->height - 1) * pitch + rect->width;
	if (!range)
		return gd_range_check(device, address, place->arg.bytes,
				      NULL, &place->arg.owner);
	place->arg.memory = (void *)(range->start + (address - range->address));
	place->arg.owner = range->number;

	return 0;
}

static int capture_work(struct gd_recording *c, struct gaudi_stream *stream,
			const struct gd_op *op)
{
	const struct gd_rect *rect = &op->rect;
	struct gd_node node = {
		.kind = GAUDI_NODE_COPY_DEVICE,
		.width = rect->width,
		.height = rect->height,
	};
	int rc;

	if (op->kind == GD_OP_FILL) {
		node.kind = GAUDI_NODE_FILL;
		node.pattern = rect->from;
	} else if (op->range) {
		node.kind = op->down ? GAUDI_NODE_COPY_TO_HOST :
				       GAUDI_NODE_COPY_TO_DEVICE;
	}
	rc = put_place(&node.to, stream->device, rect->to, rect->to_pitch, rect,
		       op->down ? op->range : NULL);
	if (!rc && node.kind != GAUDI_NODE_FILL)
		rc = put_place(&node.from, stream->device, rect->from,
			       rect->from_pitch, rect,
			       op->down ? NULL : op->range);

	return rc ? rc : add_node(c, stream, &node);
}

/* --- a graph becomes a part: its nodes, with the places that they have now --- */

/* Work of its own streams is never at the same time as that of the next graph's. */
static uint32_t inner_branch(struct gd_recording *c, struct gaudi_stream *stream,
			     uint32_t branch, uint32_t num_branches)
{
	if (!branch)
		return stream->branch;
	if (stream->num_inner < num_branches - 1) {
		stream->num_inner = num_branches - 1;
		stream->inner_branch = c->capture.num_streams;
		c->capture.num_streams += stream->num_inner;
	}

	return stream->inner_branch + branch - 1;
}

static int put_part(struct gd_recording *c, struct gaudi_stream *stream,
		    const struct gaudi_graph *g, uint32_t n,
		    const struct gd_arg *args, uint32_t base)
{
	const struct gd_tails *tails = &stream->tails;
	struct gd_node node = g->nodes[n];

	args += node.first_buffer;
	if (node.recipe || node.links) {
		uint32_t num = node.recipe ? node.recipe->num_tensors :
			       2 * node.links->count;

		node.args = gd_args_new(num);
		if (!node.args)
			return gd_no_memory("for a captured graph");
		memcpy(node.args->at, args, num * sizeof(*args));
		if (node.links)
			gd_link_work_get(node.links);
		if (node.recipe)
			gaudi_recipe_retain(node.recipe);
		gd_constants_get(node.constants);
	} else if (node.call) {
		atomic_fetch_add(&node.call->refs, 1);
	} else {
		node.to.arg = args[0];
		node.from.arg = args[1];
	}
	node.branch = inner_branch(c, stream, node.branch, g->num_branches);
	if (node.num_deps)
		put_node(c, &node, g->deps + node.first_dep, node.num_deps,
			 base);
	else
		put_node(c, &node, tails->at, tails->num, 0);

	return 0;
}

static int capture_graph(struct gd_recording *c, struct gaudi_stream *stream,
			 const struct gd_launch *launch)
{
	const struct gaudi_graph *g = gd_graph_of(launch->target);
	uint32_t base = c->num_nodes, num_deps = c->num_deps;
	struct gd_tails now = {};
	uint64_t deps = g->num_deps;
	int rc;

	/* An empty one does not change anything. */
	if (!g->num_nodes)
		return 0;
	for (uint32_t n = 0; n < g->num_nodes; n++)
		if (!g->nodes[n].num_deps)
			deps += stream->tails.num;
	rc = reserve(c, g->num_nodes, deps);
	if (!rc)
		rc = gd_tails_join(&now, &g->ends);
	for (uint32_t n = 0; !rc && n < g->num_nodes; n++)
		rc = put_part(c, stream, g, n, launch->args->at, base);
	if (rc) {
		while (c->num_nodes > base)
			node_put(&c->nodes[--c->num_nodes]);
		c->num_deps = num_deps;
		gd_tails_clear(&now);
		return rc;
	}
	for (uint32_t i = 0; i < now.num; i++)
		now.at[i] += base;
	gd_tails_clear(&stream->tails);
	stream->tails = now;

	return 0;
}

/* Its bound events stand for its end. */
static int capture_launch(struct gd_recording *c, struct gaudi_stream *stream,
			  struct gd_launch *launch)
{
	struct gd_node node = {
		.kind = GAUDI_NODE_LAUNCH,
		.recipe = launch->target->recipe,
		.constants = launch->target->constants,
		.args = launch->args,
	};
	int rc;

	if (!node.recipe)
		return capture_graph(c, stream, launch);
	rc = add_node(c, stream, &node);
	if (rc)
		return rc;
	gaudi_recipe_retain(node.recipe);
	gd_constants_get(node.constants);
	gd_args_get(node.args);
	for (uint32_t i = 0; !rc && i < launch->num_watched; i++)
		rc = gd_capture_record(&c->capture, stream,
				       launch->watched[i].event);

	return rc;
}

/* Where its writes are, and whose memory they read. */
static int put_link_ops(struct gd_node *node)
{
	const struct gd_link_work *work = node->links;
	int rc = 0;

	node->args = gd_args_new(2 * work->count);
	if (!node->args)
		return gd_no_memory("for captured work of links");
	for (uint32_t i = 0; !rc && i < work->count; i++) {
		uint64_t owner = 0;

		if (work->ops[i].kind == GAUDI_LINK_WAIT)
			continue;
		rc = gd_link_write_check(&work->ops[i], &owner);
		gd_node_link_put(node, i, &work->ops[i], owner, node->args);
	}

	return rc;
}

static int capture_links(struct gd_recording *c, struct gaudi_stream *stream,
			 const struct gd_job *job)
{
	struct gd_node node = { .kind = GAUDI_NODE_LINK };
	int rc;

	node.links = gd_link_work_new(job);
	rc = node.links ? put_link_ops(&node) : -ENOMEM;
	if (!rc)
		rc = add_node(c, stream, &node);
	if (rc)
		node_put(&node);

	return rc;
}

/* What fails leaves @arg to who calls. */
static int capture_call(struct gd_recording *c, struct gaudi_stream *stream,
			const struct gd_op *op)
{
	struct gd_node node = {
		.kind = GAUDI_NODE_HOST_FN,
		.call = call_new(op),
	};
	int rc = node.call ? add_node(c, stream, &node) :
		 gd_no_memory("for a captured host function");

	if (rc)
		free(node.call);

	return rc;
}

static int capture_op(struct gd_capture *capture, struct gaudi_stream *stream,
		      const struct gd_op *op)
{
	struct gd_recording *c = recording_of(capture);

	switch (op->kind) {
	case GD_OP_LAUNCH:
		return capture_launch(c, stream, gd_launch_of(op->job));
	case GD_OP_LINK:
		return capture_links(c, stream, op->job);
	case GD_OP_HOST_FN:
		return capture_call(c, stream, op);
	default:
		return capture_work(c, stream, op);
	}
}

static const struct gd_capture_ops ops = {
	.op = capture_op,
	.free = recording_free,
};

int gaudi_stream_begin_capture(struct gaudi_stream *stream)
{
	struct gd_recording *c;
	int rc = gd_stream_check(stream);

	if (rc)
		return rc;
	c = calloc(1, sizeof(*c));
	if (!c)
		return gd_fail(-ENOMEM, "no memory for a capture");
	c->capture.ops = &ops;
	rc = gd_capture_begin(&c->capture, stream);
	if (rc)
		recording_free(&c->capture);

	return rc;
}

/* Does everything come before its end? Nodes come after nodes before them. */
static int check_joined(const struct gd_recording *c)
{
	const struct gd_tails *tails = &c->capture.ends;
	bool *before = calloc((size_t)c->num_nodes + 1, sizeof(*before));
	uint32_t apart = UINT32_MAX;

	if (!before)
		return gd_no_memory("for a captured graph");
	for (uint32_t i = 0; i < tails->num; i++)
		before[tails->at[i]] = true;
	for (uint32_t i = c->num_nodes; i-- > 0;) {
		const struct gd_node *node = &c->nodes[i];

		if (!before[i]) {
			apart = i;
			continue;
		}
		for (uint32_t j = 0; j < node->num_deps; j++)
			before[c->deps[node->first_dep + j]] = true;
	}
	free(before);
	if (apart == UINT32_MAX)
		return 0;

	return gd_fail(GAUDI_ERR_CAPTURE,
		       "stream %u does not wait for all that was captured on others: node %u of %u",
		       c->capture.origin->number, apart, c->num_nodes);
}

int gaudi_stream_end_capture(struct gaudi_stream *stream,
			     struct gaudi_graph **graph)
{
	PROFILE_CALL();
	struct gd_capture *c;
	int rc = gd_stream_check(stream);

	if (!rc && !graph)
		rc = gd_fail(-EINVAL, "gaudi_stream_end_capture: graph is NULL");
	if (!rc)
		rc = gd_may_block(stream->device, "gaudi_stream_end_capture");
	if (!rc)
		rc = gd_capture_end(stream, &c);
	if (rc)
		return rc;
	if (c->invalid)
		rc = gd_capture_is_invalid(c);
	if (!rc)
		rc = check_joined(recording_of(c));
	if (!rc)
		rc = gd_graph_new(stream->device, recording_of(c), graph);
	recording_free(c);

	return rc;
}
