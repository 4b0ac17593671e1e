/* SPDX-License-Identifier: MIT */
/*
 * Graphs: what was captured (capture.c) as a program (graph_make.c), which is launched
 * like a recipe (graph.c), with other places for its nodes if need be (graph_places.c).
 * With work of links or host functions in it, nodes that are apart, a graph is several programs
 * and jobs (graph_steps.c, which makes and runs them; graph_cut.c: what belongs together).
 *
 * Nodes are written down with the lock of captures. A graph's are its target's, and that of
 * its steps, before the links' for work.
 */
#ifndef GAUDI_RUNTIME_GRAPH_H
#define GAUDI_RUNTIME_GRAPH_H

struct gaudi_device;

/* They end; may wait for the card. */
void gd_graphs_exit(struct gaudi_device *device);

#endif /* GAUDI_RUNTIME_GRAPH_H */
