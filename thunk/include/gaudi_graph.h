/* SPDX-License-Identifier: MIT */
/*
 * Graphs: work of streams that is written down instead of done, and launched as
 * often as wanted, each time with one submission, or with a few if all of it might
 * take longer than the driver lets a submission take, or has work of links or host
 * functions in it.
 *
 * The conventions of gaudi.h hold.
 */
#ifndef GAUDI_GRAPH_H
#define GAUDI_GRAPH_H

#include "gaudi_launch.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gaudi_graph;
struct gaudi_link_op;

/*
 * Capture (capture.c)
 *
 * From here on @stream's work is captured: copies between the device and pinned
 * memory, copies within the device, fills; launches of recipes, with what is bound
 * at this moment; records of events, which order it; waits for events that were
 * recorded in the capture, by which other streams join it, and what is given to these
 * is captured as well. Nothing of it is done. Events that are bound to a launcher are
 * recorded in the capture, at the launch's end.
 *
 * A graph that is launched becomes a part: its nodes are nodes of this capture, in
 * their order, with the places that they have at this moment, each as often as the
 * graph is launched. Neither changes with the other afterwards.
 *
 * What gaudi_link_post_async() is given is a node, which takes the next places in the
 * links' queues with each launch, between whatever else they are given. It is not in one
 * submission with other nodes; these wait only for the links' work that they come after. The links
 * cannot be destroyed while the capture, or the graph, has them.
 *
 * A host function is called with each launch, on a thread of the stream's that it is launched on.
 * What it comes after has ended by then; what was captured after it, of links and host functions,
 * also on other streams, is done when it has returned, and so is all else that comes after it. Its
 * @error is 0, or that the launch's stream has failed; it is not called if the launch fails before.
 *
 * What cannot be captured returns GAUDI_ERR_CAPTURE and says why: copies of memory
 * that is not pinned, asynchronous allocation, waiting for a stream or
 * asking about it, waits for events from outside, and asking about, or waiting on the host for, an event of the capture.
 * After that the capture is invalid: its streams' calls return
 * GAUDI_ERR_CAPTURE_INVALID until it is ended.
 *
 * -EINVAL: it is captured already.
 */
gaudi_public int gaudi_stream_begin_capture(struct gaudi_stream *stream);
/*
 * All streams of the capture are as before it. All that was captured must come
 * before the end of @stream's work, by events: else GAUDI_ERR_CAPTURE. -EINVAL:
 * @stream is not captured, or joined another one's capture, which goes on. In all
 * other cases the capture has ended. May wait for the card.
 */
gaudi_public int gaudi_stream_end_capture(struct gaudi_stream *stream,
					  struct gaudi_graph **graph);
/* Also true if the capture is invalid. */
gaudi_public int gaudi_stream_is_capturing(struct gaudi_stream *stream,
					   bool *capturing);

/*
 * Graphs (graph.c)
 *
 * What runs side by side: work within the device of the stream that began the
 * capture is DMA_1's, that of streams that joined it is other engines'; what is large
 * is divided among engines. A recipe's nodes are on the engines that it has them on.
 * The graph has its own use of the recipe, constants included: the launcher may be
 * destroyed. Workspace is the graph's, and counts as memory in use.
 */

/* Blocks until its launches have ended. NULL is allowed. */
gaudi_public int gaudi_graph_destroy(struct gaudi_graph *graph);
/*
 * As one piece of work of @stream, which may be any of the device. Launches of one
 * graph on different streams are not ordered. Waits for an earlier launch if the
 * graph has many under way. If one that is launched in segments, or has work of links or host
 * functions, fails, some may have been done; one with these is given to the card by a thread
 * of the stream's, later, as work behind a host function is. Host functions of a launch have
 * been called before those of the graph's next launch are. GAUDI_ERR_LINK: a link has
 * failed. GAUDI_ERR_ADDRESS, GAUDI_ERR_BINDING: memory that it
 * uses was freed, or is no longer pinned, whoever has its place by now.
 */
gaudi_public int gaudi_graph_launch(struct gaudi_graph *graph,
				    struct gaudi_stream *stream);

enum gaudi_graph_node_kind {
	GAUDI_NODE_COPY_TO_DEVICE	= 1,
	GAUDI_NODE_COPY_TO_HOST		= 2,
	GAUDI_NODE_COPY_DEVICE		= 3,
	GAUDI_NODE_FILL			= 4,
	GAUDI_NODE_LAUNCH		= 5,
	GAUDI_NODE_LINK			= 6,
	GAUDI_NODE_HOST_FN		= 7,	/* all else is 0 */
};

/* Rows; what has no rows is a single one, whose pitches mean nothing. */
struct gaudi_graph_node {
	size_t size;
	uint32_t kind;
	uint32_t reserved;
	gaudi_ptr to;			/* on the device, else 0 */
	gaudi_ptr from;
	void *to_memory;		/* on the host, else NULL */
	void *from_memory;
	uint64_t to_pitch;
	uint64_t from_pitch;
	uint64_t width;			/* bytes */
	uint64_t height;
	uint64_t pattern;		/* FILL: 64 bits, repeated */
	/* LAUNCH: what is launched, while there is the graph; all else is 0 */
	struct gaudi_recipe *recipe;
	uint32_t num_ops;		/* LINK: writes and waits; all else is 0 */
	uint32_t reserved2;
};

/* How many nodes there are, in the order in which they were captured. */
gaudi_public int gaudi_graph_get_node_count(struct gaudi_graph *graph,
					    uint32_t *count);
/* @node->size is set by the caller. -EINVAL: no such node. */
gaudi_public int gaudi_graph_get_node(struct gaudi_graph *graph,
				      uint32_t number,
				      struct gaudi_graph_node *node);
/*
 * Other places for one node, for all launches from now on: addresses on the device,
 * or pinned memory; kind, sizes and pitches stay. Of @node only @to, @from,
 * @to_memory and @from_memory are looked at. GAUDI_ERR_BINDING: memory of the wrong
 * place, not pinned, or both places overlap. GAUDI_ERR_ADDRESS. -EINVAL: it is no copy
 * or fill. Nothing of the order changes: what nodes share through memory must be
 * ordered by the capture.
 */
gaudi_public int gaudi_graph_set_node(struct gaudi_graph *graph,
				      uint32_t number,
				      const struct gaudi_graph_node *node);
/*
 * Other memory for tensors of a launch, for all launches of the graph from now on; all
 * or none. GAUDI_ERR_BINDING, GAUDI_ERR_ADDRESS, -ENOENT: as for
 * gaudi_launcher_bind() and gaudi_launch(). -EINVAL: the node is no launch.
 */
gaudi_public int gaudi_graph_bind(struct gaudi_graph *graph, uint32_t number,
				  const struct gaudi_binding *bindings,
				  uint32_t count);
/*
 * Write or wait @i of a node of links, as gaudi_link_post_async() was given it but for
 * what was set since. -EINVAL: the node is of another kind, or has no such one.
 */
gaudi_public int gaudi_graph_get_link_op(struct gaudi_graph *graph,
					 uint32_t number, uint32_t i,
					 struct gaudi_link_op *op);
/*
 * Other places, and bytes, for a write, for all launches of the graph from now on: of
 * @op only @to, @from and @bytes are looked at. -EINVAL, GAUDI_ERR_ADDRESS: as for
 * gaudi_link_post_async(); it is a wait.
 */
gaudi_public int gaudi_graph_set_link_op(struct gaudi_graph *graph,
					 uint32_t number, uint32_t i,
					 const struct gaudi_link_op *op);
/*
 * What nodes have in the @size bytes at @old is at @to from now on. GAUDI_ERR_BINDING:
 * a node's place is in part in these bytes. -ENOENT: no node has anything there.
 */
gaudi_public int gaudi_graph_replace(struct gaudi_graph *graph, gaudi_ptr old,
				     gaudi_ptr to, uint64_t size);
/* The same for pinned memory. */
gaudi_public int gaudi_graph_replace_host(struct gaudi_graph *graph,
					  const void *old, void *to,
					  uint64_t size);

#ifdef __cplusplus
}
#endif

#endif /* GAUDI_GRAPH_H */
