/* SPDX-License-Identifier: MIT */
/* What is written down while streams are captured. */
#ifndef GAUDI_RUNTIME_CAPTURE_H
#define GAUDI_RUNTIME_CAPTURE_H

#include "gaudi_graph.h"
#include "../launch/launch.h"

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

struct gd_capture {
	struct gaudi_stream *origin;
	bool invalid;
	char why[200];
	LIST_HEAD(, gaudi_stream) streams;
	LIST_HEAD(, gaudi_event) events;
	uint32_t num_streams;		/* that ever joined, and of graphs */
	struct gd_node *nodes;
	uint32_t num_nodes;
	size_t room_nodes;
	uint32_t *deps;
	uint32_t num_deps;
	size_t room_deps;
	/* When it has ended: all nodes come before these. */
	struct gd_tails ends;
};

void gd_node_put(struct gd_node *node);
void gd_nodes_free(struct gd_node *nodes, uint32_t count);

/* graph.c: it takes the nodes, and their order. */
int gd_graph_new(struct gaudi_device *device, struct gd_capture *capture,
		 struct gaudi_graph **graph);
void gd_graphs_exit(struct gaudi_device *device);

#endif /* GAUDI_RUNTIME_CAPTURE_H */
