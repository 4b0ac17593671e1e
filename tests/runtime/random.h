/* SPDX-License-Identifier: MIT */
/* Operations that can be given to the library and done by a model. */
#ifndef RUNTIME_RANDOM_H
#define RUNTIME_RANDOM_H

#include "gaudi_graph.h"
#include "launchers.h"
#include "order.h"

enum kind { UP, DOWN, WITHIN, FILL, MIX, MIX_WIDE, SUM, EXPAND, GRAPH, KINDS };

struct part {
	struct buffer *buffer;
	size_t at;
};

struct op {
	enum kind kind;
	struct part to, from, second;
	size_t to_pitch, from_pitch;
	size_t width, height;		/* FILL: of values; the recipes: none */
	uint64_t value;
	uint32_t value_size;
	struct captured *captured;
	/* In a capture: by which stream, as which piece, and what came before. */
	uint32_t stream, number;
	struct knowledge before;
};

#define MAX_NODES	40u

struct captured {
	struct gaudi_graph *graph;
	struct op ops[MAX_NODES];
	unsigned int num_ops;
	bool nested;
};

/* Recipe MIX: rows of "in" on a background; WIDE: the same for all engines. */
#define MIX_ROWS	16u
#define WIDE		128u
#define MIX_IN		(15u * 300 + 200)
#define MIX_OUT		(MIX_ROWS * 512)
/* Recipe SUM: two of i32, each made f32, added by kernels. */
#define SUM_COUNT	3001u
/* Recipe EXPAND: one byte, whose stride is 0. */
#define EXPAND_COUNT	97u

static struct gaudi_launcher *launchers[KINDS];

static inline struct gaudi_recipe *mix_recipe(uint32_t scale)
{
	struct making m = begin_recipe("mix");
	uint32_t in = tensor(&m, "in", IN, DEVICE, scale * MIX_IN, NULL);
	uint32_t out = tensor(&m, "out", OUT, DEVICE, scale * MIX_OUT, NULL);
	uint32_t w = tensor(&m, "w", WORK, DEVICE, scale * MIX_OUT, NULL);

	GOOD(gaudi_builder_add_fill(m.b, w, 0xa5, NULL));
	GOOD(gaudi_builder_add_copy_2d(m.b, w, 64 * scale, 512 * scale, in, 0,
				       300 * scale, 200 * scale, MIX_ROWS,
				       NULL));
	GOOD(gaudi_builder_add_copy(m.b, out, w, NULL));

	return end_recipe(&m);
}

static inline void model_mix(const struct op *op, uint32_t scale)
{
	uint8_t *to = op->to.buffer->model + op->to.at;
	const uint8_t *from = op->from.buffer->model + op->from.at;

	memset(to, 0xa5, scale * MIX_OUT);
	for (unsigned int i = 0; i < MIX_ROWS; i++)
		memcpy(to + (64 + i * 512) * scale, from + i * 300 * scale,
		       200 * scale);
}

static inline struct gaudi_recipe *sum_recipe(void)
{
	static const char *const names[] = { "in", "second", "a", "b", "out" };
	struct making m = begin_recipe("sum");
	uint32_t t[5];

	for (unsigned int i = 0; i < 5; i++) {
		struct gaudi_tensor_desc d = {
			.size = sizeof(d),
			.name = names[i],
			.kind = i < 2 ? IN : i < 4 ? WORK : OUT,
			.type = i < 2 ? GAUDI_TYPE_I32 : GAUDI_TYPE_F32,
			.rank = 1,
			.dims = { SUM_COUNT },
		};

		GOOD(gaudi_builder_add_tensor(m.b, &d, &t[i]));
	}
	for (unsigned int i = 0; i < 2; i++)
		GOOD(gaudi_builder_add_library_kernel(m.b, "cast_i32_f32", 2,
				(uint32_t []){ t[i], t[2 + i] }, 0, NULL,
				NULL));
	GOOD(gaudi_builder_add_library_kernel(m.b, "add_f32", 3,
			(uint32_t []){ t[2], t[3], t[4] }, 0, NULL, NULL));

	return end_recipe(&m);
}

static inline void model_sum(const struct op *op)
{
	for (size_t i = 0; i < SUM_COUNT; i++) {
		int32_t a, b;
		float c;

		memcpy(&a, op->from.buffer->model + op->from.at + 4 * i, 4);
		memcpy(&b, op->second.buffer->model + op->second.at + 4 * i, 4);
		c = (float)a + (float)b;
		memcpy(op->to.buffer->model + op->to.at + 4 * i, &c, 4);
	}
}

static inline struct gaudi_recipe *expand_recipe(void)
{
	struct making m = begin_recipe("expand");
	struct gaudi_tensor_desc d = {
		.size = sizeof(d), .name = "in", .kind = IN,
		.type = GAUDI_TYPE_U8, .rank = 1, .dims = { EXPAND_COUNT },
		.num_strides = 1,
	};
	uint32_t in, out;

	GOOD(gaudi_builder_add_tensor(m.b, &d, &in));
	out = tensor(&m, "out", OUT, DEVICE, EXPAND_COUNT, NULL);
	GOOD(gaudi_builder_add_copy(m.b, out, in, NULL));

	return end_recipe(&m);
}

static inline void make_launchers(void)
{
	launchers[EXPAND] = launcher_of(expand_recipe());
	launchers[MIX] = launcher_of(mix_recipe(1));
	launchers[MIX_WIDE] = launcher_of(mix_recipe(WIDE));
	launchers[SUM] = launcher_of(sum_recipe());
}

static inline void destroy_launchers(void)
{
	for (unsigned int i = 0; i < KINDS; i++) {
		GOOD(gaudi_launcher_destroy(launchers[i]));
		launchers[i] = NULL;
	}
}

/* Bytes from the first to behind the last. */
static inline size_t extent(const struct op *op, bool to)
{
	switch (op->kind) {
	case FILL:
		return op->value_size * op->width;
	case MIX:
		return to ? MIX_OUT : MIX_IN;
	case MIX_WIDE:
		return WIDE * (to ? MIX_OUT : MIX_IN);
	case SUM:
		return 4 * SUM_COUNT;
	case EXPAND:
		return to ? EXPAND_COUNT : 1;
	default:
		return (op->height - 1) * (to ? op->to_pitch : op->from_pitch) +
		       op->width;
	}
}

static inline struct range range_of(const struct op *op,
				    const struct part *part)
{
	bool to = part == &op->to;

	return (struct range) {
		.buffer = part->buffer, .start = part->at,
		.end = part->at + extent(op, to), .writes = to,
	};
}

/* What @op touches: at most 3 ranges for each node. */
static inline unsigned int ranges_of(const struct op *op, struct range *ranges)
{
	const struct part *parts[] = { &op->to, &op->from, &op->second };
	unsigned int count = 0;

	if (op->kind == GRAPH) {
		for (unsigned int i = 0; i < op->captured->num_ops; i++)
			count += ranges_of(&op->captured->ops[i],
					   ranges + count);
		return count;
	}
	for (unsigned int i = 0; i < 3; i++)
		if (parts[i]->buffer)
			ranges[count++] = range_of(op, parts[i]);

	return count;
}

static inline bool touch(const struct range *a, const struct range *b)
{
	return a->buffer == b->buffer && a->start < b->end &&
	       b->start < a->end;
}

static inline bool uses(const struct captured *c, const struct buffer *b)
{
	for (unsigned int i = 0; i < c->num_ops; i++)
		if (c->ops[i].to.buffer == b || c->ops[i].from.buffer == b ||
		    c->ops[i].second.buffer == b)
			return true;

	return false;
}

static inline void do_model(const struct op *op)
{
	uint8_t *to = op->to.buffer ? op->to.buffer->model + op->to.at : NULL;
	const uint8_t *from = op->from.buffer ?
		op->from.buffer->model + op->from.at : NULL;

	switch (op->kind) {
	case FILL:
		for (size_t i = 0; i < op->width; i++)
			memcpy(to + i * op->value_size, &op->value,
			       op->value_size);
		break;
	case MIX:
		model_mix(op, 1);
		break;
	case MIX_WIDE:
		model_mix(op, WIDE);
		break;
	case SUM:
		model_sum(op);
		break;
	case EXPAND:
		memset(to, *from, EXPAND_COUNT);
		break;
	case GRAPH:
		for (unsigned int i = 0; i < op->captured->num_ops; i++)
			do_model(&op->captured->ops[i]);
		break;
	default:
		for (size_t i = 0; i < op->height; i++)
			memcpy(to + i * op->to_pitch, from + i * op->from_pitch,
			       op->width);
	}
}

static inline void launch_op(const struct op *op, struct gaudi_stream *on)
{
	struct gaudi_binding bindings[] = {
		on_device("out", op->to.buffer->address + op->to.at),
		on_device("in", op->from.buffer->address + op->from.at),
		on_device("second", op->second.buffer ?
			  op->second.buffer->address + op->second.at : 0),
	};

	GOOD(gaudi_launch(launchers[op->kind], bindings,
			  op->second.buffer ? 3 : 2, on));
}

static inline uint8_t *memory_of(const struct part *part)
{
	return part->buffer->memory ? part->buffer->memory + part->at : NULL;
}

/* A copy: by the call for rows if there is more than one. */
static inline void copy_op(const struct op *op, struct gaudi_stream *on)
{
	gaudi_ptr to = op->to.buffer->address + op->to.at;
	gaudi_ptr from = op->from.buffer->address + op->from.at;
	uint8_t *to_memory = memory_of(&op->to);
	uint8_t *from_memory = memory_of(&op->from);
	size_t w = op->width, h = op->height;

	if (op->kind == UP && h == 1)
		GOOD(gaudi_copy_to_device_async(on, to, from_memory, w));
	else if (op->kind == UP)
		GOOD(gaudi_copy_to_device_2d_async(on, to, op->to_pitch,
						   from_memory, op->from_pitch,
						   w, h));
	else if (op->kind == DOWN && h == 1)
		GOOD(gaudi_copy_to_host_async(on, to_memory, from, w));
	else if (op->kind == DOWN)
		GOOD(gaudi_copy_to_host_2d_async(on, to_memory, op->to_pitch,
						 from, op->from_pitch, w, h));
	else if (h == 1)
		GOOD(gaudi_copy_device_async(on, to, from, w));
	else
		GOOD(gaudi_copy_device_2d_async(on, to, op->to_pitch, from,
						op->from_pitch, w, h));
}

static inline void do_call(const struct op *op, struct gaudi_stream *on)
{
	switch (op->kind) {
	case FILL:
		GOOD(gaudi_fill_async(on, op->to.buffer->address + op->to.at,
				      op->value, op->value_size, op->width));
		break;
	case MIX:
	case MIX_WIDE:
	case SUM:
	case EXPAND:
		launch_op(op, on);
		break;
	case GRAPH:
		GOOD(gaudi_graph_launch(op->captured->graph, on));
		break;
	default:
		copy_op(op, on);
	}
}

#endif /* RUNTIME_RANDOM_H */
