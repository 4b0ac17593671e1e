/* SPDX-License-Identifier: MIT */
/* What the files of the room share: nodes, as captured and as a program. */
#ifndef GAUDI_RUNTIME_NODES_H
#define GAUDI_RUNTIME_NODES_H

#include "gaudi_graph.h"
#include "graph.h"
#include "../launch/launch.h"
#include "../link/link.h"
#include "../program/program.h"
#include "../streams/captures.h"

/* One side of a node. */
struct gd_place {
	struct gd_arg arg;		/* no address: there is no such side */
	uint64_t pitch;
};

/* A host function, of all nodes that it has become. */
struct gd_call {
	atomic_uint refs;
	gaudi_host_fn fn;
	void *arg;
	gaudi_release_fn release;	/* NULL: nothing */
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
	/* LINK; a reference, and @args as in the graph: see gd_node_link_op() */
	struct gd_link_work *links;
	struct gd_call *call;		/* HOST_FN; a reference */
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

/* It cannot be a part of a program. */
static inline bool gd_node_is_apart(const struct gd_node *node)
{
	return node->links || node->call;
}

/* One that has a place on either side, or one of them: a copy or fill. */
static inline bool gd_node_is_plain(const struct gd_node *node)
{
	return !node->recipe && !gd_node_is_apart(node);
}

void gd_nodes_free(struct gd_node *nodes, uint32_t count);

/* graph.c: it takes the nodes, and their order. */
int gd_graph_new(struct gaudi_device *device, struct gd_recording *recording,
		 struct gaudi_graph **graph);

/*
 * A part of a graph that is launched in several: one node that is apart, or a program.
 */
struct gd_step {
	uint32_t node;			/* of a program the first one */
	bool apart;
	uint32_t number;		/* while the graph is cut */
	/* Nodes apart that it comes after, in the order of these. */
	uint64_t *after;
	uint32_t num_after, last_after;	/* 1 + the last one; 0: none */
	uint32_t before;		/* the first one that comes after it */
	/* Earlier steps that it comes after. */
	uint32_t *deps;
	uint32_t num_deps;
	size_t room_deps;
	/* Of a program: */
	struct program program;
	uint32_t *bound;
	struct gd_target target;
	char name[GD_NAME];		/* for profiles */
	bool ready;
	/* Of the launch that is being given to the card: */
	struct gd_point end;
};

struct gaudi_graph {
	LIST_ENTRY(gaudi_graph) link;
	struct gaudi_device *device;
	char name[GD_NAME];		/* for profiles: nobody gives them one */
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
	/* If it is launched in steps, in this order; else no node is apart. */
	struct gd_step *steps;
	uint32_t num_steps;
	gaudi_ptr workspace;		/* of all steps; 0: none */
	pthread_mutex_t order;		/* of launches; of what follows, too */
	struct gd_point used;		/* by launches so far */
	struct gd_branches branches;
	struct gaudi_link_op *ops;	/* for one node */
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

/*
 * Of write @i of a node of links: where it goes, which is an address of the peer's and
 * as many bytes as the write has, and what is read.
 */
static inline uint32_t gd_node_link_to(const struct gd_node *node, uint32_t i)
{
	return node->first_buffer + 2 * i;
}

static inline uint32_t gd_node_link_from(const struct gd_node *node, uint32_t i)
{
	return node->first_buffer + 2 * i + 1;
}

/* As it is with these places. */
static inline struct gaudi_link_op
gd_node_link_op(const struct gd_node *node, uint32_t i,
		const struct gd_args *args)
{
	struct gaudi_link_op op = node->links->ops[i];

	if (op.kind == GAUDI_LINK_WAIT)
		return op;
	op.to = args->at[gd_node_link_to(node, i)].address;
	op.bytes = args->at[gd_node_link_to(node, i)].bytes;
	op.from = args->at[gd_node_link_from(node, i)].address;

	return op;
}

/* The other way round; @owner is the memory's that it reads. */
static inline void gd_node_link_put(const struct gd_node *node, uint32_t i,
				    const struct gaudi_link_op *op,
				    uint64_t owner, struct gd_args *args)
{
	args->at[gd_node_link_to(node, i)] = (struct gd_arg) {
		.address = op->to,
		.bytes = op->bytes,
	};
	args->at[gd_node_link_from(node, i)] = (struct gd_arg) {
		.address = op->from,
		.bytes = gd_link_op_reach(op),
		.owner = owner,
	};
}

/* graph.c */
int gd_graph_check(struct gaudi_graph *graph);
/* Is there node @number, and is @node one of a size that can be? */
int gd_graph_check_node(const struct gaudi_graph *graph, uint32_t number,
			const struct gaudi_graph_node *node);
/* The places, and what is before them. */
#define GD_LEAST_NODE	offsetof(struct gaudi_graph_node, to_pitch)

/* graph_make.c: all but the device and the target; it takes what was captured. */
int gd_graph_make(struct gaudi_graph *graph, struct gd_recording *recording);
/* The program of nodes with number @step in @step_of, or of all if that is NULL. */
int gd_graph_program(const struct gaudi_graph *graph, const uint32_t *step_of,
		     uint32_t step, struct program *program);
/* What is to be bound of a node: its buffers, into @bound; returns how many. */
uint32_t gd_node_bound(const struct gd_node *node, uint32_t *bound);
/* Tells the profile what engines do in the graph, and where. */
void gd_graph_profile(const struct gaudi_graph *graph);
/* What a buffer is, for messages; as gd_runner's. */
void gd_graph_describe(const struct gaudi_graph *graph, uint32_t buffer,
		       char *text);

/*
 * graph_cut.c: the graph's steps, without their programs, in an order in which they can
 * be launched; and by node the step that it is in, which is the caller's.
 */
int gd_graph_cut(struct gaudi_graph *graph, uint32_t num_apart,
		 uint32_t **step_of);

/* graph_steps.c: steps, ready to be launched; their end, NULL of steps is allowed. */
int gd_steps_make(struct gaudi_graph *graph, uint32_t num_apart);
int gd_steps_end(struct gaudi_graph *graph);
void gd_steps_free(struct gaudi_graph *graph);
/* As a launch's target has it. */
int gd_steps_run(struct gaudi_stream *stream, struct gd_launch *launch);

#endif /* GAUDI_RUNTIME_NODES_H */
