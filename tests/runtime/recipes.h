/* SPDX-License-Identifier: MIT */
/* Recipes for the programs that launch them, with what must come out. */
#ifndef RUNTIME_RECIPES_H
#define RUNTIME_RECIPES_H

#include "common.h"
#include "gaudi_launch.h"

struct making {
	struct gaudi_builder *b;
};

static inline struct making begin_recipe(const char *name)
{
	struct making m;

	GOOD(gaudi_builder_create(name, &m.b));

	return m;
}

static inline struct gaudi_recipe *end_recipe(struct making *m)
{
	struct gaudi_recipe *r;

	GOOD(gaudi_builder_build(m->b, &r));
	gaudi_builder_destroy(m->b);

	return r;
}

static inline uint32_t tensor(struct making *m, const char *name, uint32_t kind,
			      uint32_t place, uint64_t bytes, const void *data)
{
	struct gaudi_tensor_desc d = {
		.size = sizeof(d),
		.name = name,
		.kind = kind,
		.type = GAUDI_TYPE_U8,
		.place = place,
		.rank = 1,
		.dims = { bytes },
		.data = data,
	};
	uint32_t t;

	GOOD(gaudi_builder_add_tensor(m->b, &d, &t));

	return t;
}

#define IN	GAUDI_TENSOR_INPUT
#define OUT	GAUDI_TENSOR_OUTPUT
#define WORK	GAUDI_TENSOR_WORKSPACE
#define DEVICE	GAUDI_PLACE_DEVICE
#define HOST	GAUDI_PLACE_HOST

/* "in" on the device to "out" on it, on DMA_1 alone. */
static inline struct gaudi_recipe *simple_recipe(uint64_t bytes)
{
	struct making m = begin_recipe("simple");
	uint32_t in = tensor(&m, "in", IN, DEVICE, bytes, NULL);
	uint32_t out = tensor(&m, "out", OUT, DEVICE, bytes, NULL);

	GOOD(gaudi_builder_add_copy(m.b, out, in, NULL));

	return end_recipe(&m);
}

/*
 * Pinned "in" to pinned "out" by way of the card, over all engines: parts that
 * are split, a chain of workspace, a fill, rows and a constant on top of it.
 */
#define WIDE_BYTES	(3 * (size_t)MIB)
#define WIDE_ROWS	50u

static inline struct gaudi_recipe *wide_recipe(void)
{
	struct making m = begin_recipe("wide");
	uint32_t in, out, copy, w1, w2, w3, table;
	uint8_t data[256];

	pattern(data, sizeof(data), 99);
	in = tensor(&m, "in", IN, HOST, WIDE_BYTES, NULL);
	table = tensor(&m, "table", GAUDI_TENSOR_CONSTANT, DEVICE,
		       sizeof(data), data);
	w1 = tensor(&m, "w1", WORK, DEVICE, WIDE_BYTES, NULL);
	w2 = tensor(&m, "w2", WORK, DEVICE, WIDE_BYTES, NULL);
	w3 = tensor(&m, "w3", WORK, DEVICE, WIDE_BYTES, NULL);
	copy = tensor(&m, "copy", OUT, DEVICE, WIDE_BYTES, NULL);
	out = tensor(&m, "out", OUT, HOST, WIDE_BYTES, NULL);
	GOOD(gaudi_builder_add_copy(m.b, w1, in, NULL));
	GOOD(gaudi_builder_add_copy(m.b, w2, w1, NULL));
	GOOD(gaudi_builder_add_copy(m.b, copy, w2, NULL));
	GOOD(gaudi_builder_add_fill(m.b, w3, 0x5a, NULL));
	GOOD(gaudi_builder_add_signal(m.b, "filled", w3, NULL));
	GOOD(gaudi_builder_add_copy_2d(m.b, w3, 64, 4096, w2, 0, 1000, 1000,
				       WIDE_ROWS, NULL));
	GOOD(gaudi_builder_add_copy_bytes(m.b, w3, WIDE_BYTES - 256, table, 0,
					  256, NULL));
	GOOD(gaudi_builder_add_copy(m.b, out, w3, NULL));
	GOOD(gaudi_builder_add_signal(m.b, "done", out, NULL));
	GOOD(gaudi_builder_add_signal(m.b, "done", copy, NULL));

	return end_recipe(&m);
}

static inline int wide_is_right(const uint8_t *in, const uint8_t *out)
{
	uint8_t *want = malloc(WIDE_BYTES);
	int same;

	memset(want, 0x5a, WIDE_BYTES);
	for (size_t row = 0; row < WIDE_ROWS; row++)
		memcpy(want + 64 + row * 4096, in + row * 1000, 1000);
	pattern(want + WIDE_BYTES - 256, 256, 99);
	same = !memcmp(want, out, WIDE_BYTES);
	free(want);

	return same;
}

/*
 * Elements turned round by way of the card: a packet for each on the way up and
 * one on the way down.
 */
static inline struct gaudi_recipe *turn_recipe(uint32_t elements)
{
	struct making m = begin_recipe("turn");
	struct gaudi_tensor_desc d = {
		.size = sizeof(d),
		.type = GAUDI_TYPE_U32,
		.rank = 2,
		.dims = { elements, 1 },
	};
	uint32_t in, mid, out;

	d.name = "in";
	d.kind = IN;
	d.place = HOST;
	GOOD(gaudi_builder_add_tensor(m.b, &d, &in));
	d.name = "out";
	d.kind = OUT;
	GOOD(gaudi_builder_add_tensor(m.b, &d, &out));
	d.name = "mid";
	d.kind = WORK;
	d.place = DEVICE;
	/* Gaps, so that rows are not joined. */
	d.strides[0] = 8;
	d.strides[1] = 4;
	GOOD(gaudi_builder_add_tensor(m.b, &d, &mid));
	GOOD(gaudi_builder_add_copy(m.b, mid, in, NULL));
	GOOD(gaudi_builder_add_copy(m.b, out, mid, NULL));

	return end_recipe(&m);
}

/* @nodes small copies, each after the one before: "in" ends in "out". */
static inline struct gaudi_recipe *chain_recipe(unsigned int nodes)
{
	struct making m = begin_recipe("chain");
	uint32_t in = tensor(&m, "in", IN, DEVICE, 64, NULL);
	uint32_t w[2] = {
		tensor(&m, "a", WORK, DEVICE, 64, NULL),
		tensor(&m, "b", WORK, DEVICE, 64, NULL),
	};
	uint32_t out = tensor(&m, "out", OUT, DEVICE, 64, NULL);

	GOOD(gaudi_builder_add_copy(m.b, w[0], in, NULL));
	for (unsigned int i = 1; i + 1 < nodes; i++)
		GOOD(gaudi_builder_add_copy(m.b, w[i % 2], w[(i + 1) % 2],
					    NULL));
	GOOD(gaudi_builder_add_copy(m.b, out, w[nodes % 2], NULL));

	return end_recipe(&m);
}

#endif /* RUNTIME_RECIPES_H */
