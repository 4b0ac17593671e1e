/* SPDX-License-Identifier: MIT */
/*
 * The builder: recipes from nodes and tensors. It offers what programs call, and nothing
 * else; here is what its files share. It has no locks: a builder is one thread's at a
 * time.
 */
#ifndef GAUDI_RUNTIME_BUILDER_H
#define GAUDI_RUNTIME_BUILDER_H

#include "../program/program_launch.h"
#include "../recipe/recipe.h"

#define BUILDER_MAX_NODES	65536u
#define BUILDER_MAX_ROWS	(1ull << 20)	/* of a node */

enum build_kind { BUILD_COPY, BUILD_FILL, BUILD_SIGNAL, BUILD_COMPUTE };

/* Rows of @width bytes in a tensor, at the steps of up to eight loops. */
struct build_region {
	uint32_t tensor;
	uint64_t offset;
	uint64_t strides[GAUDI_MAX_RANK];
};

/* What a node that computes does with a tensor, all of it. */
struct build_use {
	uint32_t tensor;
	bool read, write;
};

/* Launches in order, for one engine: this one, or any one of the TPCs. */
#define BUILD_ANY_TPC		PROG_NUM_ENGINES
#define BUILD_ANY_MME		(PROG_NUM_ENGINES + 1u)

struct build_part {
	uint32_t engine;
	uint64_t cost;
	struct prog_launch *launches;
	size_t num, room;
};

/* Matrix engines and TPCs (builder_mme.c, builder_tpc.c). */
struct build_compute {
	uint32_t num_uses;
	struct build_use uses[PROG_MAX_REFS];
	uint32_t num_parts;
	struct build_part parts[PROG_NUM_TPC];
};

struct build_node {
	enum build_kind kind;
	struct build_compute *compute;
	uint32_t event;
	uint64_t pattern;
	uint64_t width;
	uint32_t rank;
	uint64_t dims[GAUDI_MAX_RANK];
	struct build_region to;		/* SIGNAL: the tensor */
	struct build_region from;
};

#define BUILD_NONE	UINT32_MAX

/* By nodes so far. */
struct build_used {
	uint32_t first, last;	/* nodes; first > last: not used */
	uint32_t writes;	/* nodes that write to it */
};

struct build_tensor {
	struct recipe_tensor t;
	uint8_t *data;
	uint32_t next;		/* tensor in the same list of names */
	struct build_used used;
};

struct build_order {
	uint32_t first;
	uint32_t then;
};

struct gaudi_builder {
	char *name;
	struct build_tensor *tensors;
	size_t num_tensors, room_tensors;
	uint32_t *names;	/* by the names' hashes: tensors */
	size_t num_names;
	struct build_node *nodes;
	size_t num_nodes, room_nodes;
	char **events;
	size_t num_events, room_events;
	struct build_order *orders;
	size_t num_orders, room_orders;
	struct recipe_links links;
	uint32_t num_parts;		/* beyond the first one */
	size_t part_end[RECIPE_MAX_PARTS];	/* number of nodes, but of the last one */
};

/* builder_tensors.c. BUILD_NONE: there is none of this name. */
uint32_t build_find_tensor(const struct gaudi_builder *b, const char *name);
/* The one that was added last. */
void build_drop_tensor(struct gaudi_builder *b);
/* Node @node uses a tensor. */
void build_note_use(struct gaudi_builder *b, uint32_t tensor, uint32_t node,
		    bool writes);
/* builder.c: @tensor is one of the builder's; errors name it. */
int build_check_tensor(const struct gaudi_builder *b, uint32_t tensor);
/* ... and can be written, element by element. */
int build_check_written(const struct gaudi_builder *b, uint32_t tensor);
/* builder_compute.c: a new node, which takes @compute over in any case. */
int build_add_compute(struct gaudi_builder *b, struct build_compute *compute,
		      uint32_t *node);
void build_compute_free(struct build_compute *compute);
/* Another launch of a part; NULL: no memory. */
struct prog_launch *build_add_launch(struct build_part *part);
/*
 * builder_tpc.c: gaudi_builder_add_kernel() with no more TPCs than are worth it. @work:
 * bytes that go through the kernel; UINT64_MAX: nobody knows, as many as can share it.
 * @views, or NULL: other shapes and types of the same bytes for its tensors.
 */
int build_add_kernel(struct gaudi_builder *b, const struct gaudi_kernel *kernel,
		     const struct recipe_tensor *views, uint64_t work,
		     uint32_t *node);
/*
 * builder_copy.c: a copy element by element, by a kernel that moves or transposes.
 * 1: there is none for it.
 */
int build_copy_by_kernel(struct gaudi_builder *b, uint32_t to, uint32_t from,
			 uint32_t *node);

/*
 * builder_library.c: no element shares memory with another one: a dim steps over all
 * smaller ones.
 */
bool build_is_apart(const struct recipe_tensor *t);

/* builder_plan.c: offsets of workspace tensors and constants, and both sizes. */
int build_plan(const struct gaudi_builder *b, struct gaudi_recipe *r);
/* builder_emit.c: the program; there are the tensors. */
int build_emit(const struct gaudi_builder *b, struct gaudi_recipe *r);

#endif /* GAUDI_RUNTIME_BUILDER_H */
