// SPDX-License-Identifier: MIT
/*
 * Structures that begin with their size, from programs that were compiled with an
 * older header, and with a newer one.
 */
#include <errno.h>

#include "../../unit.h"
#include "../demo.h"
#include "../object.h"

/* A later version's, with fields at the end that this library does not know. */
#define LATER(type)	struct { struct type now; uint32_t later[5]; }

static struct gaudi_builder *b;

static int begin(void **state)
{
	(void)state;

	return gaudi_builder_create("sized", &b);
}

static int end(void **state)
{
	(void)state;

	return gaudi_builder_destroy(b);
}

#define BUILDER_TEST(fn) TEST_WITH(fn, begin, end)

static uint32_t add(const char *name, uint32_t kind, uint64_t rows)
{
	struct gaudi_tensor_desc d = {
		.size = sizeof(d), .name = name, .kind = kind,
		.type = GAUDI_TYPE_F32, .rank = 4, .dims = { 1, rows, rows, 4 },
	};
	uint32_t tensor;

	WORKS(gaudi_builder_add_tensor(b, &d, &tensor));

	return tensor;
}

/*
 * @call with @arg, whose size is the newer one: done while all is 0 behind what is
 * known, refused for any byte that is not. A size that nobody has set is refused.
 */
#define TAKES(call, arg) do {						\
	unsigned char *behind_ = (unsigned char *)&(arg).later;		\
	size_t known_ = sizeof((arg).now), size_ = sizeof(arg);		\
									\
	(arg).now.size = size_;						\
	for (size_t i_ = 0; i_ < sizeof((arg).later); i_++) {		\
		behind_[i_] = 0x40;					\
		assert_int_equal(call, -EINVAL);			\
		assert_non_null(strstr(gaudi_last_error(NULL),		\
				       "in this version"));		\
		behind_[i_] = 0;					\
	}								\
	assert_int_equal(call, 0);					\
	(arg).now.size = sizeof(size_t) - 1;				\
	assert_int_equal(call, -EINVAL);				\
	(arg).now.size = 1 << 20;					\
	assert_int_equal(call, -EINVAL);				\
	assert_non_null(strstr(gaudi_last_error(NULL), "bad size"));	\
	(arg).now.size = known_;					\
} while (0)

BUILDER_TEST(tensors)
{
	LATER(gaudi_tensor_desc) d = { .now = {
		.name = "new", .kind = GAUDI_TENSOR_INPUT,
		.type = GAUDI_TYPE_F32, .rank = 2,
	} };
	const uint64_t dims[] = { 5, 7 };
	uint32_t t;

	memcpy(d.now.dims, dims, sizeof(dims));
	TAKES(gaudi_builder_add_tensor(b, &d.now, &t), d);
	/* From when there were no strides yet: what is behind is not looked at. */
	d.now.name = "old";
	memset(d.now.strides, 0xee, sizeof(d.now.strides));
	d.now.size = offsetof(struct gaudi_tensor_desc, strides);
	WORKS(gaudi_builder_add_tensor(b, &d.now, &t));
	d.now.size = sizeof(d.now);
	d.now.name = "now";
	assert_int_equal(gaudi_builder_add_tensor(b, &d.now, &t), -EINVAL);
	/* Up to rank: kind 0 is none. */
	d.now.size = offsetof(struct gaudi_tensor_desc, kind);
	assert_int_equal(gaudi_builder_add_tensor(b, &d.now, &t), -EINVAL);
	assert_int_equal(gaudi_builder_add_tensor(b, NULL, &t), -EINVAL);
}

BUILDER_TEST(convolutions)
{
	uint32_t x = add("x", GAUDI_TENSOR_INPUT, 6);
	uint32_t y = add("y", GAUDI_TENSOR_OUTPUT, 6), w;
	struct gaudi_tensor_desc filter = {
		.size = sizeof(filter), .name = "w", .type = GAUDI_TYPE_F32,
		.kind = GAUDI_TENSOR_INPUT, .rank = 4, .dims = { 1, 1, 4, 4 },
	};
	LATER(gaudi_conv2d) d = { .now = {
		.stride = { 1, 1 }, .dilation = { 1, 1 },
	} };

	WORKS(gaudi_builder_add_tensor(b, &filter, &w));
	TAKES(gaudi_builder_add_conv2d(b, y, x, w, &d.now, 0, NULL), d);
	d.now.reserved = 1;
	assert_int_equal(gaudi_builder_add_conv2d(b, y, x, w, &d.now, 0, NULL),
			 -EINVAL);
	assert_non_null(strstr(gaudi_last_error(NULL), "reserved is 0x1"));
	d.now.reserved = 0;
	d.now.groups = 99;
	d.now.extra_padding[0] = 99;
	assert_int_equal(gaudi_builder_add_conv2d(b, y, x, w, &d.now, 0, NULL),
			 -EINVAL);
	d.now.size = offsetof(struct gaudi_conv2d, groups);
	WORKS(gaudi_builder_add_conv2d(b, y, x, w, &d.now, 0, NULL));
	assert_int_equal(gaudi_builder_add_conv2d_data(b, y, x, w, NULL, 0,
						       NULL), -EINVAL);
}

BUILDER_TEST(kernels)
{
	LATER(gaudi_kernel) k = { .now = {
		.name = "twice", .object_size = sizeof(struct object),
		.num_tensors = 1, .num_scalars = 1, .rank = 1,
		.index_space = { 8 },
	} };
	struct object o = make_object();
	const uint32_t bad[] = { 77, 77, 77, 77 };

	k.now.object = &o;
	k.now.tensors[0].tensor = add("x", GAUDI_TENSOR_INPUT, 2);
	k.now.tensors[0].access = GAUDI_KERNEL_READS;
	TAKES(gaudi_builder_add_kernel(b, &k.now, NULL), k);
	k.now.tables = bad;
	assert_int_equal(gaudi_builder_add_kernel(b, &k.now, NULL), -EINVAL);
	k.now.size = offsetof(struct gaudi_kernel, tables);
	WORKS(gaudi_builder_add_kernel(b, &k.now, NULL));
}

/*
 * @call fills @arg: what is newer is 0, what is behind an older one's end stays, and
 * so does the size.
 */
#define GIVES(call, arg, older) do {					\
	unsigned char *bytes_ = (unsigned char *)&(arg);		\
	size_t known_ = sizeof((arg).now), i_;				\
									\
	memset(&(arg), 0xee, sizeof(arg));				\
	(arg).now.size = sizeof(arg);					\
	assert_int_equal(call, 0);					\
	assert_int_equal((arg).now.size, sizeof(arg));			\
	for (i_ = known_; i_ < sizeof(arg); i_++)			\
		assert_int_equal(bytes_[i_], 0);			\
	memset(&(arg), 0xee, sizeof(arg));				\
	(arg).now.size = older;						\
	assert_int_equal(call, 0);					\
	assert_int_equal((arg).now.size, older);			\
	for (i_ = older; i_ < sizeof(arg); i_++)			\
		assert_int_equal(bytes_[i_], 0xee);			\
	(arg).now.size = sizeof(size_t) - 1;				\
	assert_int_equal(call, -EINVAL);				\
	(arg).now.size = 1 << 20;					\
	assert_int_equal(call, -EINVAL);				\
	assert_non_null(strstr(gaudi_last_error(NULL), "bad size"));	\
	(arg).now.size = known_;					\
} while (0)

TEST(answers)
{
	LATER(gaudi_recipe_info) info;
	LATER(gaudi_tensor_desc) desc;
	LATER(gaudi_cache_stats) stats;
	struct gaudi_recipe *r;
	struct gaudi_cache *c;

	WORKS(demo_build(DEMO_CONSTANT, &r));
	GIVES(gaudi_recipe_get_info(r, &info.now), info,
	      offsetof(struct gaudi_recipe_info, num_events));
	assert_true(info.now.num_tensors > 0);
	GIVES(gaudi_recipe_get_tensor(r, 0, &desc.now), desc,
	      offsetof(struct gaudi_tensor_desc, dims));
	assert_int_equal(gaudi_recipe_get_info(r, NULL), -EINVAL);
	assert_int_equal(gaudi_recipe_get_info(NULL, &info.now), -EINVAL);
	gaudi_recipe_release(r);
	WORKS(gaudi_cache_open("", &c));
	GIVES(gaudi_cache_get_stats(c, &stats.now), stats,
	      offsetof(struct gaudi_cache_stats, puts));
	WORKS(gaudi_cache_close(c));
}
