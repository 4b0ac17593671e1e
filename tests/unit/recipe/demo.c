// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "demo.h"
#include "gaudi_link.h"
#include "object.h"

#define MIB	(1u << 20)

struct make {
	struct gaudi_builder *b;
	int rc;
};

static uint32_t tensor(struct make *m, const char *name, uint32_t kind,
		       uint32_t place, uint32_t type, uint32_t rank,
		       const uint64_t *dims, const void *data)
{
	struct gaudi_tensor_desc d = {
		.size = sizeof(d),
		.name = name,
		.kind = kind,
		.type = type,
		.place = place,
		.rank = rank,
		.data = data,
	};
	uint32_t t = 0;

	memcpy(d.dims, dims, rank * sizeof(*dims));
	if (!m->rc)
		m->rc = gaudi_builder_add_tensor(m->b, &d, &t);

	return t;
}

static uint32_t bytes(struct make *m, const char *name, uint32_t kind,
		      uint32_t place, uint64_t size)
{
	return tensor(m, name, kind, place, GAUDI_TYPE_U8, 1, &size, NULL);
}

static void copy(struct make *m, uint32_t to, uint32_t from)
{
	if (!m->rc)
		m->rc = gaudi_builder_add_copy(m->b, to, from, NULL);
}

static void fill(struct make *m, uint32_t to, uint64_t value)
{
	if (!m->rc)
		m->rc = gaudi_builder_add_fill(m->b, to, value, NULL);
}

static void signal_event(struct make *m, const char *event, uint32_t t)
{
	if (!m->rc)
		m->rc = gaudi_builder_add_signal(m->b, event, t, NULL);
}

static void one(struct make *m)
{
	uint32_t in = bytes(m, "in", GAUDI_TENSOR_INPUT, 0, 1000);

	copy(m, bytes(m, "out", GAUDI_TENSOR_OUTPUT, 0, 1000), in);
}

static void constant(struct make *m)
{
	static const uint8_t data[300] = { 1, 2, 3, [299] = 4 };
	const uint64_t size = sizeof(data);
	uint32_t c = tensor(m, "table", GAUDI_TENSOR_CONSTANT, 0,
			    GAUDI_TYPE_U8, 1, &size, data);

	copy(m, bytes(m, "out", GAUDI_TENSOR_OUTPUT, 0, size), c);
}

static void host(struct make *m)
{
	uint32_t in = bytes(m, "in", GAUDI_TENSOR_INPUT, GAUDI_PLACE_HOST,
			    5000);
	uint32_t work = bytes(m, "work", GAUDI_TENSOR_WORKSPACE, 0, 5000);
	uint32_t out = bytes(m, "out", GAUDI_TENSOR_OUTPUT, GAUDI_PLACE_HOST,
			     5000);

	copy(m, work, in);
	copy(m, out, work);
}

static void wide(struct make *m)
{
	uint32_t in = bytes(m, "in", GAUDI_TENSOR_INPUT, 0, 3 * MIB);
	uint32_t w1 = bytes(m, "w1", GAUDI_TENSOR_WORKSPACE, 0, 3 * MIB);
	uint32_t w2 = bytes(m, "w2", GAUDI_TENSOR_WORKSPACE, 0, 3 * MIB);
	uint32_t w3 = bytes(m, "w3", GAUDI_TENSOR_WORKSPACE, 0, 3 * MIB);
	uint32_t out = bytes(m, "out", GAUDI_TENSOR_OUTPUT, GAUDI_PLACE_HOST,
			     3 * MIB);

	copy(m, w1, in);
	copy(m, w2, w1);
	fill(m, w3, 0x5a);
	if (!m->rc)
		m->rc = gaudi_builder_add_copy_2d(m->b, w3, 64, 4096, w2, 0,
						  1000, 1000, 50, NULL);
	signal_event(m, "half", w3);
	copy(m, out, w3);
	signal_event(m, "done", out);
}

static void strided(struct make *m)
{
	const uint64_t dims[] = { 12, 20 }, turned[] = { 4, 20, 12 };
	struct gaudi_tensor_desc d = {
		.size = sizeof(d),
		.name = "view",
		.kind = GAUDI_TENSOR_OUTPUT,
		.type = GAUDI_TYPE_F32,
		.rank = 2,
		.dims = { 12, 20 },
		.strides = { 4, 48 },
		.num_strides = 2,
	};
	uint32_t in, out, view = 0;

	in = tensor(m, "in", GAUDI_TENSOR_INPUT, 0, GAUDI_TYPE_F32, 2, dims,
		    NULL);
	out = tensor(m, "out", GAUDI_TENSOR_OUTPUT, 0, GAUDI_TYPE_BF16, 3,
		     turned, NULL);
	if (!m->rc)
		m->rc = gaudi_builder_add_tensor(m->b, &d, &view);
	copy(m, view, in);
	fill(m, out, 0x3f80);
	if (!m->rc)
		m->rc = gaudi_builder_add_copy_2d(m->b, out, 0, 480, view, 0,
						  240, 240, 4, NULL);
}

static void chain(struct make *m)
{
	uint32_t in, a, b, i;

	in = bytes(m, "in", GAUDI_TENSOR_INPUT, GAUDI_PLACE_HOST, 64);
	a = bytes(m, "a", GAUDI_TENSOR_WORKSPACE, 0, 64);
	b = bytes(m, "b", GAUDI_TENSOR_OUTPUT, GAUDI_PLACE_HOST, 64);
	for (i = 0; i < 40; i++) {
		copy(m, a, in);
		copy(m, b, a);
	}
}

static void compute(struct make *m)
{
	const uint64_t flat[] = { 70, 40 }, image[] = { 2, 6, 6, 3 };
	const uint64_t filter[] = { 3, 3, 3, 5 }, result[] = { 2, 4, 4, 5 };
	const struct gaudi_conv2d d = {
		.size = sizeof(d), .stride = { 1, 1 }, .padding = { 0, 0 },
		.dilation = { 1, 1 },
	};
	const struct object o = make_object();
	struct gaudi_kernel k = {
		.size = sizeof(k), .name = "halt", .object = &o,
		.object_size = sizeof(o), .num_tensors = 1, .num_scalars = 1,
		.rank = 1, .index_space = { 3 },
	};
	const uint32_t f32 = GAUDI_TYPE_F32;
	uint32_t a, b, c, x, w, y;

	a = tensor(m, "a", GAUDI_TENSOR_INPUT, 0, f32, 2, flat, NULL);
	b = tensor(m, "b", GAUDI_TENSOR_WORKSPACE, 0, f32, 2, flat, NULL);
	c = tensor(m, "c", GAUDI_TENSOR_OUTPUT, 0, f32, 2,
		   (const uint64_t[]) { 70, 70 }, NULL);
	x = tensor(m, "x", GAUDI_TENSOR_INPUT, 0, f32, 4, image, NULL);
	w = tensor(m, "w", GAUDI_TENSOR_INPUT, 0, f32, 4, filter, NULL);
	y = tensor(m, "y", GAUDI_TENSOR_OUTPUT, 0, f32, 4, result, NULL);
	copy(m, b, a);
	if (!m->rc)
		m->rc = gaudi_builder_add_matmul(m->b, c, a, b,
						 GAUDI_TRANSPOSE_B, NULL);
	if (!m->rc)
		m->rc = gaudi_builder_add_conv2d(m->b, y, x, w, &d, 0, NULL);
	k.tensors[0] = (struct gaudi_kernel_tensor) {
		c, GAUDI_KERNEL_READS | GAUDI_KERNEL_WRITES, 0,
	};
	if (!m->rc)
		m->rc = gaudi_builder_add_kernel(m->b, &k, NULL);
}

static void link_wait(struct make *m, const char *link, uint32_t count)
{
	if (!m->rc)
		m->rc = gaudi_builder_add_link_wait(m->b, link, count);
}

static void links(struct make *m)
{
	uint32_t in = bytes(m, "in", GAUDI_TENSOR_INPUT, 0, 1000);
	uint32_t out = bytes(m, "out", GAUDI_TENSOR_OUTPUT, 0, 1000);

	link_wait(m, "left", 1);
	link_wait(m, "right", 8192);
	copy(m, out, in);
	if (!m->rc)
		m->rc = gaudi_builder_add_link_write(m->b, "right", 64, out, 0,
						     1000, GAUDI_LINK_NOTIFY);
	if (!m->rc)
		m->rc = gaudi_builder_add_link_write(m->b, "left", 0, in, 999,
						     1, 0);
}

static void begin_part(struct make *m)
{
	if (!m->rc)
		m->rc = gaudi_builder_begin_part(m->b);
}

static void parts(struct make *m)
{
	uint32_t in = bytes(m, "in", GAUDI_TENSOR_INPUT, 0, 1000);
	uint32_t out = bytes(m, "out", GAUDI_TENSOR_OUTPUT, 0, 1000);
	uint32_t kept = bytes(m, "kept", GAUDI_TENSOR_WORKSPACE, 0, 1000);

	copy(m, kept, in);
	if (!m->rc)
		m->rc = gaudi_builder_add_link_write(m->b, "right", 0, in, 0,
						     1000, GAUDI_LINK_NOTIFY);
	begin_part(m);
	link_wait(m, "left", 1);
	begin_part(m);
	link_wait(m, "right", 2);
	copy(m, out, kept);
	if (!m->rc)
		m->rc = gaudi_builder_add_signal(m->b, "done", out, NULL);
	if (!m->rc)
		m->rc = gaudi_builder_add_link_write(m->b, "left", 0, out, 0,
						     0, GAUDI_LINK_NOTIFY);
}

static void (*const makers[NUM_DEMOS])(struct make *m) = {
	[DEMO_ONE]	= one,
	[DEMO_CONSTANT]	= constant,
	[DEMO_HOST]	= host,
	[DEMO_WIDE]	= wide,
	[DEMO_STRIDED]	= strided,
	[DEMO_CHAIN]	= chain,
	[DEMO_COMPUTE]	= compute,
	[DEMO_LINKS]	= links,
	[DEMO_PARTS]	= parts,
};

const char *demo_name(enum demo demo)
{
	static const char * const names[NUM_DEMOS] = {
		"empty", "one", "constant", "host", "wide", "strided", "chain",
		"compute", "links", "parts",
	};

	return names[demo];
}

int demo_build(enum demo demo, struct gaudi_recipe **recipe)
{
	struct make m = {};

	m.rc = gaudi_builder_create(demo_name(demo), &m.b);
	if (m.rc)
		return m.rc;
	if (makers[demo])
		makers[demo](&m);
	if (!m.rc)
		m.rc = gaudi_builder_build(m.b, recipe);
	gaudi_builder_destroy(m.b);

	return m.rc;
}
