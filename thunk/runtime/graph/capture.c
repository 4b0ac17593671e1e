// SPDX-License-Identifier: MIT
/*
 * Streams into graphs. While a stream is captured each of its operations becomes
 * a node, which comes after the stream's tails: the nodes that the stream, or an
 * event that it waited for, had come to. Events of the capture have tails as well.
 *
 * One lock for all captures of the process, as an event of one card may be waited
 * for on another one. It is taken before a device's lock and held for moments; for
 * a graph that becomes a part, as long as copying its nodes takes.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/array.h"
#include "graph.h"
#include "../recipe/recipe.h"

#define MAX_NODES	(1u << 20)
#define MAX_DEPS	(1u << 28)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Nobody has it when a child is made, which has only the thread that forked. */
static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

static void __attribute__((constructor)) set_up(void)
{
	pthread_atfork(before_fork, after_fork, after_fork);
}

static int no_memory(void)
{
	return gd_fail(-ENOMEM, "no memory for a node of a capture");
}

/* --- tails: sets of nodes, in order --- */

static void tails_clear(struct gd_tails *tails)
{
	free(tails->at);
	*tails = (struct gd_tails) {};
}

/* @tails and @others become @tails; what fails leaves it as it was. */
static int tails_join(struct gd_tails *tails, const struct gd_tails *others)
{
	uint32_t a = 0, b = 0, num = 0;
	uint32_t *both;

	both = calloc((size_t)tails->num + others->num + 1, sizeof(*both));
	if (!both)
		return no_memory();
	while (a < tails->num || b < others->num) {
		uint32_t x = a < tails->num ? tails->at[a] : UINT32_MAX;
		uint32_t y = b < others->num ? others->at[b] : UINT32_MAX;

		both[num++] = x < y ? x : y;
		a += x <= y;
		b += y <= x;
	}
	free(tails->at);
	tails->at = both;
	tails->num = num;

	return 0;
}

/* --- captures --- */

static int refuse(struct gd_capture *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int refuse(struct gd_capture *c, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(c->why, sizeof(c->why), fmt, args);
	va_end(args);
	c->invalid = true;

	return gd_fail(GAUDI_ERR_CAPTURE, "%s cannot be captured (stream %u)",
		       c->why, c->origin->number);
}

static int is_invalid(const struct gd_capture *c)
{
	return gd_fail(GAUDI_ERR_CAPTURE_INVALID,
		       "the capture of stream %u is invalid, since %s cannot be captured",
		       c->origin->number, c->why);
}

static int join(struct gd_capture *c, struct gaudi_stream *stream,
		const struct gd_tails *tails)
{
	int rc = tails_join(&stream->tails, tails);

	if (rc)
		return rc;
	stream->branch = c->num_streams++;
	stream->num_inner = 0;
	LIST_INSERT_HEAD(&c->streams, stream, captured);
	atomic_store(&stream->capture, c);

	return 0;
}

static void leave(struct gaudi_stream *stream)
{
	LIST_REMOVE(stream, captured);
	atomic_store(&stream->capture, NULL);
	tails_clear(&stream->tails);
}

static void drop_event(struct gaudi_event *event)
{
	LIST_REMOVE(event, captured);
	atomic_store(&event->capture, NULL);
	tails_clear(&event->tails);
}

/* Its streams and events are as before. */
static void detach(struct gd_capture *c)
{
	while (!LIST_EMPTY(&c->streams))
		leave(LIST_FIRST(&c->streams));
	while (!LIST_EMPTY(&c->events))
		drop_event(LIST_FIRST(&c->events));
}

void gd_node_put(struct gd_node *node)
{
	gaudi_recipe_release(node->recipe);
	gd_constants_put(node->constants);
	gd_args_put(node->args);
}

void gd_nodes_free(struct gd_node *nodes, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		gd_node_put(&nodes[i]);
	free(nodes);
}

static void capture_free(struct gd_capture *c)
{
	gd_nodes_free(c->nodes, c->num_nodes);
	free(c->deps);
	tails_clear(&c->ends);
	free(c);
}

/* --- nodes --- */

/* Room for so many more. */
static int reserve(struct gd_capture *c, uint32_t nodes, uint64_t deps)
{
	if (nodes > MAX_NODES - c->num_nodes)
		return refuse(c, "more than %u nodes", MAX_NODES);
	if (deps > MAX_DEPS - c->num_deps)
		return refuse(c, "an order of more than %u pairs of nodes",
			      MAX_DEPS);
	while (c->num_nodes + nodes > c->room_nodes)
		if (!gd_grow((void **)&c->nodes, c->room_nodes, &c->room_nodes,
			     sizeof(*c->nodes)))
			return no_memory();
	while (c->num_deps + deps > c->room_deps)
		if (!gd_grow((void **)&c->deps, c->room_deps, &c->room_deps,
			     sizeof(*c->deps)))
			return no_memory();

	return 0;
}

/* Where there is room: @node, which comes after @num nodes from @base on. */
static void put_node(struct gd_capture *c, const struct gd_node *node,
		     const uint32_t *deps, uint32_t num, uint32_t base)
{
	struct gd_node *at = &c->nodes[c->num_nodes++];

	*at = *node;
	at->first_dep = c->num_deps;
	at->num_deps = num;
	for (uint32_t i = 0; i < num; i++)
		c->deps[c->num_deps++] = base + deps[i];
}

static int add_node(struct gd_capture *c, struct gaudi_stream *stream,
		    struct gd_node *node)
{
	const struct gd_tails *tails = &stream->tails;
	struct gd_tails now = { .at = malloc(sizeof(*now.at)), .num = 1 };
	int rc = now.at ? reserve(c, 1, tails->num) : no_memory();

	if (rc) {
		free(now.at);
		return rc;
	}
	now.at[0] = c->num_nodes;
	node->branch = stream->branch;
	put_node(c, node, tails->at, tails->num, 0);
	tails_clear(&stream->tails);
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
				      &place->arg.owner);
	place->arg.memory = (void *)(range->start + (address - range->address));
	place->arg.owner = range->number;

	return 0;
}

static int capture_work(struct gd_capture *c, struct gaudi_stream *stream,
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

static int capture_record(struct gd_capture *c, struct gaudi_stream *stream,
			  struct gaudi_event *event)
{
	struct gd_tails now = {};
	int rc = tails_join(&now, &stream->tails);

	if (rc)
		return rc;
	if (event->capture)
		drop_event(event);
	event->tails = now;
	LIST_INSERT_HEAD(&c->events, event, captured);
	atomic_store(&event->capture, c);

	return 0;
}

/* --- a graph becomes a part: its nodes, with the places that they have now --- */

/* Work of its own streams is never at the same time as that of the next graph's. */
static uint32_t inner_branch(struct gd_capture *c, struct gaudi_stream *stream,
			     uint32_t branch, uint32_t num_branches)
{
	if (!branch)
		return stream->branch;
	if (stream->num_inner < num_branches - 1) {
		stream->num_inner = num_branches - 1;
		stream->inner_branch = c->num_streams;
		c->num_streams += stream->num_inner;
	}

	return stream->inner_branch + branch - 1;
}

static int put_part(struct gd_capture *c, struct gaudi_stream *stream,
		    const struct gaudi_graph *g, uint32_t n,
		    const struct gd_arg *args, uint32_t base)
{
	const struct gd_tails *tails = &stream->tails;
	struct gd_node node = g->nodes[n];

	args += node.first_buffer;
	if (node.recipe) {
		uint32_t num = node.recipe->num_tensors;

		node.args = gd_args_new(num);
		if (!node.args)
			return no_memory();
		memcpy(node.args->at, args, num * sizeof(*args));
		gaudi_recipe_retain(node.recipe);
		gd_constants_get(node.constants);
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

static int capture_graph(struct gd_capture *c, struct gaudi_stream *stream,
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
		rc = tails_join(&now, &g->ends);
	for (uint32_t n = 0; !rc && n < g->num_nodes; n++)
		rc = put_part(c, stream, g, n, launch->args->at, base);
	if (rc) {
		while (c->num_nodes > base)
			gd_node_put(&c->nodes[--c->num_nodes]);
		c->num_deps = num_deps;
		tails_clear(&now);
		return rc;
	}
	for (uint32_t i = 0; i < now.num; i++)
		now.at[i] += base;
	tails_clear(&stream->tails);
	stream->tails = now;

	return 0;
}

/* Its bound events stand for its end. */
static int capture_launch(struct gd_capture *c, struct gaudi_stream *stream,
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
		rc = capture_record(c, stream, launch->watched[i].event);

	return rc;
}

int gd_capture_op(struct gaudi_stream *stream, const struct gd_op *op)
{
	struct gd_capture *c;
	int rc = 1;

	pthread_mutex_lock(&lock);
	c = atomic_load(&stream->capture);
	if (c && c->invalid)
		rc = is_invalid(c);
	else if (c && (op->kind == GD_OP_RECT || op->kind == GD_OP_FILL))
		rc = capture_work(c, stream, op);
	else if (c && op->kind == GD_OP_RECORD)
		rc = capture_record(c, stream, op->event);
	else if (c && op->kind == GD_OP_LAUNCH)
		rc = capture_launch(c, stream, op->launch);
	else if (c)
		rc = refuse(c, "a host function");
	pthread_mutex_unlock(&lock);

	return rc;
}

int gd_capture_wait(struct gaudi_stream *stream, struct gaudi_event *event,
		    bool recorded)
{
	struct gd_capture *mine, *its;
	int rc;

	if (!atomic_load(&stream->capture) && !atomic_load(&event->capture))
		return 1;
	pthread_mutex_lock(&lock);
	mine = atomic_load(&stream->capture);
	its = atomic_load(&event->capture);
	if (!mine && !its)
		rc = 1;
	else if (mine && mine->invalid)
		rc = is_invalid(mine);
	else if (its && its->invalid)
		rc = is_invalid(its);
	else if (!its)
		rc = recorded ? refuse(mine, "a wait for an event that was recorded outside of the capture") :
				0;
	else if (stream->device != its->origin->device)
		rc = refuse(its, "a wait on a stream of another card");
	else if (!mine)
		rc = join(its, stream, &event->tails);
	else if (mine == its)
		rc = tails_join(&stream->tails, &event->tails);
	else {
		refuse(its, "a wait on a stream of another capture");
		rc = refuse(mine, "a wait for an event of another capture");
	}
	pthread_mutex_unlock(&lock);

	return rc;
}

static struct gd_capture *capture_of(struct gaudi_stream *stream,
				     struct gaudi_event *event)
{
	return atomic_load(stream ? &stream->capture : &event->capture);
}

int gd_capture_refuse_now(struct gaudi_stream *stream,
			  struct gaudi_event *event, const char *what)
{
	struct gd_capture *c;
	int rc = 0;

	pthread_mutex_lock(&lock);
	c = capture_of(stream, event);
	if (c)
		rc = c->invalid ? is_invalid(c) : refuse(c, "%s", what);
	pthread_mutex_unlock(&lock);

	return rc;
}

void gd_capture_forget_event(struct gaudi_event *event)
{
	if (!atomic_load(&event->capture))
		return;
	pthread_mutex_lock(&lock);
	if (atomic_load(&event->capture))
		drop_event(event);
	pthread_mutex_unlock(&lock);
}

void gd_capture_forget_stream(struct gaudi_stream *stream)
{
	struct gd_error_state state;
	struct gd_capture *c;

	pthread_mutex_lock(&lock);
	c = atomic_load(&stream->capture);
	if (c && c->origin == stream) {
		detach(c);
		capture_free(c);
	} else if (c) {
		gd_error_save(&state);
		if (!c->invalid)
			refuse(c, "the end of a stream that has joined");
		gd_error_restore(&state);
		leave(stream);
	}
	pthread_mutex_unlock(&lock);
}

int gaudi_stream_begin_capture(struct gaudi_stream *stream)
{
	const struct gd_tails none = {};
	struct gd_capture *c;
	int rc = gd_stream_check(stream);

	if (rc)
		return rc;
	/* What is open was given before. */
	pthread_mutex_lock(&stream->lock);
	if (gd_stream_idle(stream))
		rc = gd_flush(stream);
	pthread_mutex_unlock(&stream->lock);
	if (rc)
		return rc;
	c = calloc(1, sizeof(*c));
	if (!c)
		return gd_fail(-ENOMEM, "no memory for a capture");
	c->origin = stream;
	LIST_INIT(&c->streams);
	LIST_INIT(&c->events);
	pthread_mutex_lock(&lock);
	if (atomic_load(&stream->capture))
		rc = gd_fail(-EINVAL, "stream %u is captured already",
			     stream->number);
	else
		rc = join(c, stream, &none);
	pthread_mutex_unlock(&lock);
	if (rc)
		capture_free(c);

	return rc;
}

int gaudi_stream_is_capturing(struct gaudi_stream *stream, bool *capturing)
{
	int rc = gd_stream_check(stream);

	if (rc)
		return rc;
	if (!capturing)
		return gd_fail(-EINVAL, "gaudi_stream_is_capturing: capturing is NULL");
	*capturing = atomic_load(&stream->capture) != NULL;

	return 0;
}

/* Does everything come before its end? Nodes come after nodes before them. */
static int check_joined(const struct gd_capture *c)
{
	const struct gd_tails *tails = &c->ends;
	bool *before = calloc((size_t)c->num_nodes + 1, sizeof(*before));
	uint32_t loose = UINT32_MAX;

	if (!before)
		return no_memory();
	for (uint32_t i = 0; i < tails->num; i++)
		before[tails->at[i]] = true;
	for (uint32_t i = c->num_nodes; i-- > 0;) {
		const struct gd_node *node = &c->nodes[i];

		if (!before[i]) {
			loose = i;
			continue;
		}
		for (uint32_t j = 0; j < node->num_deps; j++)
			before[c->deps[node->first_dep + j]] = true;
	}
	free(before);
	if (loose == UINT32_MAX)
		return 0;

	return gd_fail(GAUDI_ERR_CAPTURE,
		       "stream %u does not wait for all that was captured on others: node %u of %u",
		       c->origin->number, loose, c->num_nodes);
}

/* With the lock: the capture that @stream began. */
static int take_out(struct gaudi_stream *stream, struct gd_capture **out)
{
	struct gd_capture *c = atomic_load(&stream->capture);

	if (!c)
		return gd_fail(-EINVAL, "stream %u is not captured",
			       stream->number);
	if (c->origin != stream)
		return gd_fail(-EINVAL, "stream %u has joined the capture of stream %u, which ends it",
			       stream->number, c->origin->number);
	c->ends = stream->tails;
	stream->tails = (struct gd_tails) {};
	detach(c);
	*out = c;

	return 0;
}

int gaudi_stream_end_capture(struct gaudi_stream *stream,
			     struct gaudi_graph **graph)
{
	struct gd_capture *c = NULL;
	int rc = gd_stream_check(stream);

	if (!rc && !graph)
		rc = gd_fail(-EINVAL, "gaudi_stream_end_capture: graph is NULL");
	if (!rc)
		rc = gd_may_block(stream->device, "gaudi_stream_end_capture");
	if (rc)
		return rc;
	pthread_mutex_lock(&lock);
	rc = take_out(stream, &c);
	pthread_mutex_unlock(&lock);
	if (rc)
		return rc;
	if (c->invalid)
		rc = is_invalid(c);
	if (!rc)
		rc = check_joined(c);
	if (!rc)
		rc = gd_graph_new(stream->device, c, graph);
	capture_free(c);

	return rc;
}
