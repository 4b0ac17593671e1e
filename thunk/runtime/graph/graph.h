/* SPDX-License-Identifier: MIT */
/* Graphs: what was captured, as a program. */
#ifndef GAUDI_RUNTIME_GRAPH_H
#define GAUDI_RUNTIME_GRAPH_H

#include "capture.h"

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
	return (void *)((char *)target - offsetof(struct gaudi_graph, target));
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
int gd_graph_make(struct gaudi_graph *graph, struct gd_capture *capture);
/* What a buffer is, for messages; as gd_runner's. */
void gd_graph_describe(const struct gaudi_graph *graph, uint32_t buffer,
		       char *text);

#endif /* GAUDI_RUNTIME_GRAPH_H */
