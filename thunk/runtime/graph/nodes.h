/* SPDX-License-Identifier: MIT */
/* What the files of the room share: nodes, as captured and as a program. */
#ifndef GAUDI_RUNTIME_NODES_H
#define GAUDI_RUNTIME_NODES_H

#include "gaudi_graph.h"
#include "graph.h"
#include "../launch/launch.h"
#include "../program/program.h"
#include "../streams/captures.h"

/* One side of a node. */
struct gd_place {
	struct gd_arg arg;		/* no address: there is no such side */
	uint64_t pitch;
};

struct gd_node {
	uint32_t kind;			/* GAUDI_NODE_* */
	uint32_t branch;		/* of the stream */
	struct gd_place to, from;
	uint64_t width, height;
	uint64_t pattern;
	/* LAUNCH; references, and where its tensors are */
	struct gaudi_recipe *recipe;
	struct gd_constants *constants;
	struct gd_args *args;
	/* The graph's: the number of its first place. */
	uint32_t first_buffer;
	/* Nodes that it comes after: @num_deps from @first_dep on. */
	uint32_t first_dep, num_deps;
};

/* What becomes of a capture, in the order in which it was captured. */
struct gd_recording {
	struct gd_capture capture;
	struct gd_node *nodes;
	uint32_t num_nodes;
	size_t room_nodes;
	uint32_t *deps;
	uint32_t num_deps;
	size_t room_deps;
};

void gd_node_put(struct gd_node *node);
void gd_nodes_free(struct gd_node *nodes, uint32_t count);

/* graph.c: it takes the nodes, and their order. */
int gd_graph_new(struct gaudi_device *device, struct gd_recording *recording,
		 struct gaudi_graph **graph);

struct gaudi_graph {
	LIST_ENTRY(gaudi_graph) link;
	struct gaudi_device *device;
	struct gd_target target;
	struct program program;
	struct gd_node *nodes;
	uint32_t num_nodes;
	/* As in the capture, and for captures that it becomes a part of: */
	uint32_t *deps;
	uint32_t num_deps;
	struct gd_tails ends;
	uint32_t num_branches;
	/* The program's buffers: two of each node, the tensors of a launch. */
	uint32_t num_buffers;
	struct gd_buffer *buffers;
	uint32_t *node_of;		/* by buffer */
	uint32_t *bound;
	struct gd_args *args;		/* with the target's lock */
};

static inline struct gaudi_graph *gd_graph_of(const struct gd_target *target)
{
	return container_of(target, struct gaudi_graph, target);
}

/* Buffers of a node that is no launch. */
static inline uint32_t gd_node_to(const struct gd_node *node)
{
	return node->first_buffer;
}

static inline uint32_t gd_node_from(const struct gd_node *node)
{
	return node->first_buffer + 1;
}

/* graph_make.c: all but the device and the target; it takes what was captured. */
int gd_graph_make(struct gaudi_graph *graph, struct gd_recording *recording);
/* What a buffer is, for messages; as gd_runner's. */
void gd_graph_describe(const struct gaudi_graph *graph, uint32_t buffer,
		       char *text);

#endif /* GAUDI_RUNTIME_NODES_H */
