/* SPDX-License-Identifier: MIT */
/*
 * Graphs: what was captured (capture.c) as a program (graph_make.c), which is launched
 * like a recipe, with other places for its nodes if need be (graph.c).
 *
 * No lock of its own: nodes are written down with that of captures, and a graph's is
 * its target's.
 */
#ifndef GAUDI_RUNTIME_GRAPH_H
#define GAUDI_RUNTIME_GRAPH_H

struct gaudi_device;

/* They end; may wait for the card. */
void gd_graphs_exit(struct gaudi_device *device);

#endif /* GAUDI_RUNTIME_GRAPH_H */
