/* SPDX-License-Identifier: MIT */
/* What the files of the builder share. */
#ifndef GAUDI_RUNTIME_BUILDER_H
#define GAUDI_RUNTIME_BUILDER_H

#include "recipe.h"

#define BUILDER_MAX_NODES	65536u
#define BUILDER_MAX_ROWS	(1ull << 20)	/* of a node */

enum build_kind { BUILD_COPY, BUILD_FILL, BUILD_SIGNAL };

/* Rows of @width bytes in a tensor, at the steps of up to eight loops. */
struct build_region {
	uint32_t tensor;
	uint64_t offset;
	uint64_t strides[GAUDI_MAX_RANK];
};

struct build_node {
	enum build_kind kind;
	uint32_t event;
	uint64_t pattern;
	uint64_t width;
	uint32_t rank;
	uint64_t dims[GAUDI_MAX_RANK];
	struct build_region to;		/* SIGNAL: the tensor */
	struct build_region from;
};

struct build_tensor {
	struct recipe_tensor t;
	uint8_t *data;
	uint32_t first, last;	/* nodes; first > last: not used */
	bool written;
};

struct build_order {
	uint32_t first;
	uint32_t then;
};

struct gaudi_builder {
	char *name;
	struct build_tensor *tensors;
	size_t num_tensors, room_tensors;
	struct build_node *nodes;
	size_t num_nodes, room_nodes;
	char **events;
	size_t num_events, room_events;
	struct build_order *orders;
	size_t num_orders, room_orders;
};

/* builder_plan.c: offsets of workspace tensors and constants, and both sizes. */
int build_plan(const struct gaudi_builder *b, struct gaudi_recipe *r);
/* builder_emit.c: the program; the recipe has its tensors. */
int build_emit(const struct gaudi_builder *b, struct gaudi_recipe *r);

#endif /* GAUDI_RUNTIME_BUILDER_H */
