// SPDX-License-Identifier: MIT
/* Copies between tensors whose dims lie in other orders, by the library's kernels. */
#include "recipes.h"
#include "streams.h"

struct order {
	uint32_t at[5];		/* dims, those with the largest steps first */
	uint64_t gap;		/* elements between elements */
};

static uint64_t lay_out(struct gaudi_tensor_desc *d, const struct order *o)
{
	uint64_t step = gaudi_type_size(d->type) * (1 + o->gap);
	uint32_t i;

	d->num_strides = d->rank;
	for (i = d->rank; i-- > 0;) {
		d->strides[o->at[i]] = step;
		step *= d->dims[o->at[i]];
	}

	return step;
}

static uint64_t offset_of(const struct gaudi_tensor_desc *d, uint64_t i)
{
	uint64_t offset = 0;
	uint32_t k;

	for (k = d->rank; k-- > 0; i /= d->dims[k])
		offset += i % d->dims[k] * d->strides[k];

	return offset;
}

static void one_order(struct gaudi_tensor_desc d, const struct order *to,
		      const struct order *from)
{
	struct gaudi_recipe_info info = { .size = sizeof(info) };
	struct gaudi_tensor_desc in = d, out = d;
	uint64_t size = gaudi_type_size(d.type), num = 1, i;
	uint64_t in_size = lay_out(&in, from), out_size = lay_out(&out, to);
	struct making m = begin_recipe("orders");
	uint8_t *host = malloc(in_size), *back = malloc(out_size);
	gaudi_ptr a = device_memory(in_size), b = device_memory(out_size);
	struct gaudi_launcher *l;
	struct gaudi_recipe *r;
	uint32_t x, y;

	for (i = 0; i < d.rank; i++)
		num *= d.dims[i];
	in.name = "in";
	in.kind = IN;
	out.name = "out";
	out.kind = OUT;
	GOOD(gaudi_builder_add_tensor(m.b, &in, &x));
	GOOD(gaudi_builder_add_tensor(m.b, &out, &y));
	GOOD(gaudi_builder_add_copy(m.b, y, x, NULL));
	r = end_recipe(&m);
	GOOD(gaudi_recipe_get_info(r, &info));
	/* Not a packet for each element. */
	assert_true(info.num_kernels);
	GOOD(gaudi_launcher_create(dev, r, &l));
	GOOD(gaudi_recipe_release(r));
	GOOD(gaudi_launcher_bind(l, (struct gaudi_binding[]) {
		{ .name = "in", .address = a }, { .name = "out", .address = b },
	}, 2));
	pattern(host, in_size, num);
	GOOD(gaudi_copy_to_device(dev, a, host, in_size));
	GOOD(gaudi_fill_async(stream, b, 0x77, 1, out_size));
	GOOD(gaudi_launch(l, NULL, 0, stream));
	GOOD(gaudi_stream_synchronize(stream));
	GOOD(gaudi_copy_to_host(dev, back, b, out_size));
	for (i = 0; i < num; i++) {
		uint8_t *at = back + offset_of(&out, i);

		assert_memory_equal(at, host + offset_of(&in, i), size);
		memset(at, 0x77, size);
	}
	for (i = 0; i < out_size; i++)
		assert_int_equal(back[i], 0x77);
	GOOD(gaudi_launcher_destroy(l));
	GOOD(gaudi_free(dev, a));
	GOOD(gaudi_free(dev, b));
	free(host);
	free(back);
}

/* Whatever the type; also of more elements than a node may have rows. */
TEST(orders_of_dims)
{
	static const struct order plain = { .at = { 0, 1, 2, 3, 4 } };
	static const struct order turned = { .at = { 1, 0 } };
	static const struct order mixed = { .at = { 3, 0, 2, 1 } };
	static const struct order gaps = { { 0, 1, 2, 3 }, 1 };
	static const uint32_t types[] = { GAUDI_TYPE_I16, GAUDI_TYPE_F32,
					  GAUDI_TYPE_F64 };
	struct gaudi_tensor_desc d = { .size = sizeof(d) };
	uint32_t i;

	for (i = 0; i < 3; i++) {
		d.type = types[i];
		d.rank = 2;
		memcpy(d.dims, (uint64_t[]){ 70, 131 }, 16);
		one_order(d, &turned, &plain);
		d.rank = 4;
		memcpy(d.dims, (uint64_t[]){ 5, 17, 9, 3 }, 32);
		one_order(d, &plain, &mixed);
		d.rank = 3;
		memcpy(d.dims, (uint64_t[]){ 9, 11, 21 }, 24);
		one_order(d, &plain, &gaps);
	}
	d.type = GAUDI_TYPE_U32;
	d.rank = 2;
	memcpy(d.dims, (uint64_t[]){ 1030, 1040 }, 16);
	one_order(d, &turned, &plain);
}

GROUP(set_up_streams, tear_down_device)
