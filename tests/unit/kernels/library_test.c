// SPDX-License-Identifier: GPL-2.0-only
/* gaudi_builder_add_library_kernel(): what it takes, and each thing it refuses. */
#include <errno.h>

#include "program/program_launch.h"
#include "recipe/recipe.h"
#include "builder/builder.h"
#include "run.h"

#define F32	GAUDI_TYPE_F32
#define BF16	GAUDI_TYPE_BF16
#define I32	GAUDI_TYPE_I32
#define U32	GAUDI_TYPE_U32

static struct gaudi_builder *b;
static unsigned int names;

static int begin(void **state)
{
	(void)state;
	names = 0;
	return gaudi_builder_create("library", &b);
}

static int end(void **state)
{
	(void)state;
	return gaudi_builder_destroy(b);
}

#define LIBRARY_TEST(fn) TEST_WITH(fn, begin, end)

/* Dims are outermost first; the first 0 ends them. */
static uint32_t tensor(uint32_t type, uint64_t d0, uint64_t d1, uint64_t d2,
		       uint64_t d3)
{
	char name[16];
	struct gaudi_tensor_desc d = {
		.size = sizeof(d), .name = name, .kind = GAUDI_TENSOR_OUTPUT,
		.type = type, .dims = { d0, d1, d2, d3 },
	};
	uint32_t t;

	while (d.rank < 4 && d.dims[d.rank])
		d.rank++;
	snprintf(name, sizeof(name), "t%u", names++);
	assert_int_equal(gaudi_builder_add_tensor(b, &d, &t), 0);
	return t;
}

static uint32_t two(uint32_t type, uint64_t d0, uint64_t d1)
{
	return tensor(type, d0, d1, 0, 0);
}

static uint32_t one(uint32_t type, uint64_t d0)
{
	return tensor(type, d0, 0, 0, 0);
}

static const uint32_t scalars[KERNEL_LIB_SCALARS];

#define IDS(...)	((const uint32_t []){ __VA_ARGS__ })
#define ADD(name, num_scalars, values, ...) \
	gaudi_builder_add_library_kernel(b, name, \
		sizeof(IDS(__VA_ARGS__)) / 4, IDS(__VA_ARGS__), num_scalars, \
		values, NULL)

#define GOOD(...) do { \
	if (ADD(__VA_ARGS__)) \
		fail_msg("%s", gaudi_last_error(NULL)); \
} while (0)

/* The message has these words, and nothing was added. */
#define REFUSED(words, ...) do { \
	size_t nodes = b->num_nodes; \
	assert_int_equal(ADD(__VA_ARGS__), -EINVAL); \
	assert_int_equal(nodes, b->num_nodes); \
	says(words); \
} while (0)

static void says(const char *words)
{
	if (!strstr(gaudi_last_error(NULL), words))
		fail_msg("'%s' has no '%s'", gaudi_last_error(NULL), words);
}

LIBRARY_TEST(names_of_all)
{
	uint32_t i;

	for (i = 0; gaudi_kernel_name(i); i++) {
		assert_non_null(kernel_lib_find(gaudi_kernel_name(i)));
		if (i)
			assert_true(strcmp(gaudi_kernel_name(i - 1),
					   gaudi_kernel_name(i)) < 0);
	}
	assert_int_equal(i, gaudi_kernel_lib_count);
	assert_null(gaudi_kernel_name(UINT32_MAX));
}

LIBRARY_TEST(calls)
{
	uint32_t a, node;

	a = two(F32, 3, 5);
	assert_int_equal(ADD("add", 0, NULL, a, a, a), -ENOENT);
	says("no built-in kernel 'add'");
	assert_int_equal(gaudi_builder_add_library_kernel(NULL, "add_f32", 0,
			 NULL, 0, NULL, NULL), -EINVAL);
	assert_int_equal(ADD(NULL, 0, NULL, a), -EINVAL);
	assert_int_equal(ADD("add_f32", 1, NULL, a, a, a), -EINVAL);
	assert_int_equal(gaudi_builder_add_library_kernel(b, "add_f32", 3,
			 NULL, 0, NULL, NULL), -EINVAL);
	REFUSED("2 tensors, not 3", "add_f32", 0, NULL, a, a);
	REFUSED("4 tensors, not 3", "add_f32", 0, NULL, a, a, a, a);
	REFUSED("1 scalars, not 0", "add_f32", 1, scalars, a, a, a);
	REFUSED("0 scalars, not 1", "add_scalar_f32", 0, NULL, a, a);
	REFUSED("99", "add_f32", 0, NULL, a, 99, a);
	GOOD("add_f32", 0, NULL, a, a, a);
	assert_int_equal(gaudi_builder_add_library_kernel(b, "relu_f32", 2,
			 IDS(a, two(F32, 3, 5)), 0, NULL, &node), 0);
	assert_int_equal(node, 1);
}

/* Those that may be missing have the value that the description tells. */
LIBRARY_TEST(defaults)
{
	struct gaudi_kernel_description d = { .size = sizeof(d) };
	const uint32_t half = bits_of(0.5f);
	uint32_t p, g;

	assert_int_equal(gaudi_kernel_describe("sgd_f32", &d), 0);
	assert_int_equal(d.num_scalars, 2);
	assert_int_equal(d.scalars[0].has_default, 0);
	assert_int_equal(d.scalars[1].has_default, 1);
	assert_int_equal(d.scalars[1].default_value, 0);
	p = two(F32, 3, 5);
	g = two(F32, 3, 5);
	GOOD("sgd_f32", 1, &half, p, g);
	REFUSED("0 scalars, not 2", "sgd_f32", 0, NULL, p, g);
	REFUSED("3 scalars, not 2", "sgd_f32", 3, scalars, p, g);
	assert_int_equal(gaudi_kernel_describe("layer_norm_f32", &d), 0);
	assert_int_equal(d.scalars[0].default_value, bits_of(1e-5f));
	GOOD("layer_norm_f32", 0, NULL, p, one(F32, 5), one(F32, 5), g,
	     two(F32, 3, 1), two(F32, 3, 1));
}

LIBRARY_TEST(describes)
{
	struct gaudi_kernel_description d = { .size = sizeof(d) };
	struct {
		size_t size;
		const char *name;
		const char *untouched;
	} old = { .size = 2 * sizeof(size_t) };
	uint32_t i, t;

	assert_int_equal(gaudi_kernel_describe("gather_bf16", &d), 0);
	assert_string_equal(d.name, "gather_bf16");
	assert_int_equal(d.num_tensors, 3);
	assert_int_equal(d.num_scalars, 0);
	assert_string_equal(d.tensors[0].name, "TABLE");
	assert_string_equal(d.tensors[0].shape,
			    "dim 0 as OUT; any dim 1; no others");
	assert_int_equal(d.tensors[0].rank, 2);
	assert_int_equal(d.tensors[0].access, GAUDI_KERNEL_READS);
	assert_int_equal(d.tensors[1].type, I32);
	assert_int_equal(d.tensors[2].access, GAUDI_KERNEL_WRITES);
	assert_string_equal(d.tensors[2].shape, "any");
	assert_int_equal(gaudi_kernel_describe("gather", &d), -ENOENT);
	says("no built-in kernel 'gather'");
	assert_int_equal(gaudi_kernel_describe(NULL, &d), -EINVAL);
	assert_int_equal(gaudi_kernel_describe("gather_f32", NULL), -EINVAL);
	d.size = 4;
	assert_int_equal(gaudi_kernel_describe("gather_f32", &d), -EINVAL);
	/* A program that was built when there was less. */
	assert_int_equal(gaudi_kernel_describe("gather_f32",
			 (struct gaudi_kernel_description *)&old), 0);
	assert_string_equal(old.name, "gather_f32");
	assert_null(old.untouched);
	for (i = 0; gaudi_kernel_name(i); i++) {
		d.size = sizeof(d);
		assert_int_equal(gaudi_kernel_describe(gaudi_kernel_name(i),
						       &d), 0);
		for (t = 0; t < d.num_tensors; t++) {
			assert_int_equal(d.tensors[t].access,
					 gaudi_kernel_lib[i].tensors[t].access);
			assert_int_equal(d.tensors[t].type,
					 gaudi_kernel_lib[i].tensors[t].type);
			assert_null(strchr(d.tensors[t].shape, '{'));
		}
		assert_null(strchr(d.computes, '{'));
	}
}

LIBRARY_TEST(types_and_ranks)
{
	uint64_t many[6] = { 1, 1, 1, 1, 1, 4 };
	struct gaudi_tensor_desc d = {
		.size = sizeof(d), .name = "deep", .type = F32, .rank = 6,
		.kind = GAUDI_TENSOR_OUTPUT,
	};
	uint32_t a, deep, long_one;

	a = two(F32, 3, 5);
	REFUSED("B 't1' is bf16, not f32", "add_f32", 0, NULL, a,
		two(BF16, 3, 5), a);
	REFUSED("is f32, not bf16", "add_bf16", 0, NULL, a, a, a);
	REFUSED("LABEL 't2' is u32, not i32", "cross_entropy_f32", 0, NULL, a,
		two(U32, 3, 1), two(F32, 3, 1));
	memcpy(d.dims, many, sizeof(many));
	assert_int_equal(gaudi_builder_add_tensor(b, &d, &deep), 0);
	REFUSED("OUT 'deep' has rank 6, at most 5", "relu_f32", 0, NULL, a,
		deep);
	long_one = one(F32, 2147483647);
	REFUSED("is 2147483647, at most 2147482624", "fill_f32", 1, scalars,
		long_one);
}

LIBRARY_TEST(dims)
{
	uint32_t a, in;

	a = two(F32, 3, 5);
	/* Fewer, but not other ones, and not ones instead. */
	GOOD("add_f32", 0, NULL, a, one(F32, 5), a);
	REFUSED("dim 0, from the innermost, is 3, not 5", "add_f32", 0, NULL,
		a, one(F32, 3), a);
	REFUSED("dim 1, from the innermost, is 1, not 3", "add_f32", 0, NULL,
		a, two(F32, 1, 5), a);
	REFUSED("dim 2, from the innermost, is 2, not 1", "add_f32", 0, NULL,
		a, tensor(F32, 2, 3, 5, 0), a);
	REFUSED("dim 0, from the innermost, is 1, not 5", "add_f32", 0, NULL,
		a, tensor(F32, 0, 0, 0, 0), a);
	GOOD("broadcast_f32", 0, NULL, two(F32, 1, 5), a);
	GOOD("broadcast_f32", 0, NULL, two(F32, 3, 1), a);
	REFUSED("is 2, not 3", "broadcast_f32", 0, NULL, two(F32, 2, 5), a);
	GOOD("gather_elements_f32", 0, NULL, two(F32, 3, 9), two(I32, 3, 5), a);
	REFUSED("A 't", "gather_elements_f32", 0, NULL, two(F32, 2, 9),
		two(I32, 3, 5), a);
	REFUSED("INDEX 't", "scatter_elements_f32", 0, NULL, a, two(I32, 3, 4),
		two(F32, 3, 9));
	GOOD("sgd_f32", 2, scalars, a, two(F32, 3, 5));
	REFUSED("G 't", "sgd_f32", 2, scalars, a, one(F32, 5));
	GOOD("sum_rows_f32", 0, NULL, a, two(F32, 3, 1));
	REFUSED("OUT 't", "sum_rows_f32", 0, NULL, a, one(F32, 3));
	REFUSED("is 3, not 4", "sum_rows_f32", 0, NULL, a, two(F32, 4, 1));
	GOOD("sum_columns_f32", 0, NULL, a, one(F32, 5));
	REFUSED("is 2, not 1", "sum_columns_f32", 0, NULL, a, two(F32, 2, 5));
	GOOD("transpose_f32", 0, NULL, a, two(F32, 5, 3));
	REFUSED("is 5, not 3", "transpose_f32", 0, NULL, a, two(F32, 3, 5));
	in = tensor(F32, 2, 5, 7, 3);
	GOOD("max_pool_2x2_f32", 0, NULL, in, tensor(F32, 2, 2, 3, 3));
	GOOD("max_pool_2x2_f32", 0, NULL, in, tensor(F32, 2, 3, 4, 3));
	REFUSED("A 't", "max_pool_2x2_f32", 0, NULL, in,
		tensor(F32, 2, 5, 3, 3));
	REFUSED("A 't", "max_pool_2x2_f32", 0, NULL, in,
		tensor(F32, 2, 2, 3, 4));
	GOOD("avg_pool_2x2_grad_f32", 0, NULL, tensor(F32, 2, 2, 4, 3), in);
	REFUSED("G 't", "avg_pool_2x2_grad_f32", 0, NULL,
		tensor(F32, 2, 4, 4, 3), in);
}

LIBRARY_TEST(orders)
{
	const uint32_t good = 043102, bits = 0143102, twice = 043100;
	const uint32_t five = 053102, other = 043210;
	uint32_t a;

	a = tensor(F32, 3, 5, 7, 0);
	/* Dim 0 of it is 3, dim 1 is 7, dim 2 is 5. */
	GOOD("permute2_f32", 1, &good, a,
	     tensor(F32, 5, 7, 3, 0));
	REFUSED("dim 2", "permute2_f32", 1, &good, a, tensor(F32, 6, 7, 3, 0));
	REFUSED("PERM is 0143102", "permute2_f32", 1, &bits, a, a);
	REFUSED("PERM is 043100", "permute2_f32", 1, &twice, a, a);
	REFUSED("PERM is 053102", "permute2_f32", 1, &five, a, a);
	REFUSED("ends with 2", "permute2_f32", 1, &other, a, a);
}

/* Width and height, steps, padding of windows along dims 1 and 2. */
#define WINDOW(...)	((const uint32_t []){ __VA_ARGS__ })

LIBRARY_TEST(windows)
{
	uint32_t in, at, large, out;

	/* Width 7, height 5. */
	in = tensor(F32, 2, 5, 7, 3);
	at = tensor(I32, 2, 3, 4, 3);
	GOOD("max_pool_f32", 6, WINDOW(3, 3, 2, 2, 1, 1), in,
	     tensor(F32, 2, 3, 4, 3), at);
	/* Rounded down, and up. */
	out = tensor(F32, 2, 2, 3, 3);
	GOOD("avg_pool_f32", 4, WINDOW(2, 2, 2, 2), in, out);
	GOOD("avg_pool_f32", 7, WINDOW(2, 2, 2, 2, 0, 0, 0), in,
	     tensor(F32, 2, 3, 4, 3));
	GOOD("avg_pool_grad_f32", 4, WINDOW(2, 2, 2, 2), out,
	     tensor(F32, 2, 5, 7, 3));
	GOOD("max_pool_grad_f32", 6, WINDOW(3, 3, 2, 2, 1, 1),
	     tensor(F32, 2, 3, 4, 3), tensor(I32, 2, 3, 4, 3),
	     tensor(F32, 2, 5, 7, 3));
	REFUSED("OUT 't3': dim 2, from the innermost, is 2, not 5",
		"avg_pool_f32", 4, WINDOW(2, 1, 2, 1), in, out);
	REFUSED("dim 1, from the innermost, is 3, not 6", "avg_pool_f32", 4,
		WINDOW(2, 2, 1, 2), in, out);
	/* The last window would begin behind the end. */
	REFUSED("is 4, not 3", "avg_pool_f32", 4, WINDOW(1, 2, 3, 2), in,
		tensor(F32, 2, 2, 4, 3));
	REFUSED("is 1, not 0", "avg_pool_f32", 4, WINDOW(8, 1, 1, 1), in,
		tensor(F32, 2, 5, 1, 3));
	REFUSED("AT 't", "max_pool_f32", 4, WINDOW(2, 2, 2, 2), in, out, at);
	REFUSED("KW is 0, not 1 to 32767", "avg_pool_f32", 4,
		WINDOW(0, 2, 2, 2), in, out);
	REFUSED("KH is 32768", "avg_pool_f32", 4, WINDOW(2, 32768, 2, 2), in,
		out);
	REFUSED("SW is 0", "avg_pool_f32", 4, WINDOW(2, 2, 0, 2), in, out);
	REFUSED("SH is 0", "avg_pool_f32", 4, WINDOW(2, 2, 2, 0), in, out);
	REFUSED("PW is 2, not less than KW, which is 2", "avg_pool_f32", 6,
		WINDOW(2, 2, 2, 2, 2, 0), in, out);
	REFUSED("PH is 4294967295", "avg_pool_f32", 6,
		WINDOW(2, 2, 2, 2, 0, UINT32_MAX), in, out);
	REFUSED("3 scalars, not 7", "avg_pool_f32", 3, WINDOW(2, 2, 2), in, out);
	large = tensor(BF16, 65536, 65536, 1, 0);
	REFUSED("has planes of 65536 by 65536, at most 1073741824 elements",
		"avg_pool_bf16", 4, WINDOW(1, 1, 1, 1), large,
		tensor(BF16, 65536, 65536, 1, 0));
	REFUSED("is both A and OUT", "avg_pool_f32", 4, WINDOW(1, 1, 1, 1), in,
		in);
}

/* What is read by addresses that nothing else checks. */
LIBRARY_TEST(unchecked_addresses)
{
	uint32_t a, x, row, index;

	a = two(F32, 3, 5);
	x = two(F32, 3, 5);
	row = two(F32, 3, 1);
	GOOD("scale_f32", 0, NULL, a, tensor(F32, 0, 0, 0, 0), x);
	REFUSED("FACTOR 't", "scale_f32", 0, NULL, a, one(F32, 2), x);
	GOOD("dropout_f32", 2, scalars, a, one(U32, 1), x);
	REFUSED("SEED 't", "dropout_f32", 2, scalars, a, one(U32, 2), x);
	GOOD("adamw_f32", 0, NULL, a, x, two(F32, 3, 5), two(F32, 3, 5),
	     one(F32, 8));
	REFUSED("H 't", "adamw_f32", 0, NULL, a, x, two(F32, 3, 5),
		two(F32, 3, 5), one(F32, 7));
	REFUSED("is 6, not 8", "adamw_step_f32", 0, NULL, one(F32, 6));
	GOOD("cross_entropy_f32", 0, NULL, a, two(I32, 3, 1), row);
	REFUSED("LABEL 't", "cross_entropy_f32", 0, NULL, a, two(I32, 2, 1),
		row);
	REFUSED("LABEL 't", "cross_entropy_grad_f32", 1, scalars, a,
		one(I32, 3), x);
	REFUSED("LABEL 't", "correct_rows_f32", 0, NULL, a, one(I32, 1), row);
	REFUSED("MEAN 't", "layer_norm_grad_f32", 0, NULL, a, one(F32, 5), a,
		two(F32, 1, 1), row, x, two(F32, 3, 5));
	REFUSED("RSTD 't", "layer_norm_grad_f32", 0, NULL, a, one(F32, 5), a,
		row, two(F32, 2, 1), x, two(F32, 3, 5));
	index = two(I32, 3, 1);
	GOOD("gather_f32", 0, NULL, two(F32, 9, 5), index, a);
	REFUSED("INDEX 't", "gather_f32", 0, NULL, two(F32, 9, 5),
		two(I32, 2, 1), a);
	REFUSED("TABLE 't", "gather_f32", 0, NULL, two(F32, 9, 4), index, a);
	GOOD("scatter_add_f32", 0, NULL, a, index, two(F32, 9, 5));
	REFUSED("INDEX 't", "scatter_add_f32", 0, NULL, a, two(I32, 9, 1),
		two(F32, 9, 5));
	REFUSED("INDEX 't", "scatter_add_f32", 0, NULL, a, two(I32, 2, 1),
		two(F32, 9, 5));
	REFUSED("TABLE 't", "scatter_add_f32", 0, NULL, a, index,
		tensor(F32, 2, 9, 5, 0));
}

LIBRARY_TEST(one_memory)
{
	uint32_t a, s, table, norm;

	a = two(F32, 3, 5);
	GOOD("softmax_f32", 0, NULL, a, a);
	GOOD("sgd_f32", 2, scalars, a, a);
	REFUSED("is both P and V", "momentum_f32", 3, scalars, a,
		two(F32, 3, 5), a);
	s = two(F32, 4, 4);
	REFUSED("is both A and OUT", "transpose_f32", 0, NULL, s, s);
	norm = one(F32, 1);
	REFUSED("is both NORM and FACTOR", "clip_norm_f32", 1, scalars,
		one(F32, 5), norm, norm);
	table = two(F32, 3, 5);
	REFUSED("is both A and TABLE", "scatter_add_f32", 0, NULL, table,
		two(I32, 3, 1), table);
}

/* Every rule that any kernel has makes sense, whatever the kernel. */
LIBRARY_TEST(rules_of_all)
{
	size_t i;
	uint32_t t;

	for (i = 0; i < gaudi_kernel_lib_count; i++) {
		const struct kernel_lib *k = &gaudi_kernel_lib[i];

		assert_true(k->num_tensors <= KERNEL_LIB_TENSORS);
		assert_true(k->space_tensor < k->num_tensors);
		for (t = 0; t < k->num_tensors; t++) {
			uint32_t rule = k->tensors[t].rule;

			assert_true(rule <= KERNEL_LIB_ANY);
			/* Window, step and padding, along dims 1 and 2. */
			if (rule == KERNEL_LIB_STRIDED)
				assert_true(k->num_scalars >= 6);
			if (rule != KERNEL_LIB_ALONG &&
			    rule != KERNEL_LIB_ORDER && rule != KERNEL_LIB_ANY)
				assert_true(k->tensors[t].of < k->num_tensors);
			assert_true(k->tensors[t].of < 5 ||
				    (rule != KERNEL_LIB_ALONG &&
				     rule != KERNEL_LIB_ANY));
			if (rule == KERNEL_LIB_ORDER)
				assert_int_equal(k->num_scalars, 1);
		}
	}
}

static uint32_t six(uint32_t type, uint64_t inner)
{
	char name[16];
	struct gaudi_tensor_desc d = {
		.size = sizeof(d), .name = name,
		.kind = GAUDI_TENSOR_OUTPUT, .type = type, .rank = 6,
		.dims = { 2, 1, 3, 1, 2, inner },
	};
	uint32_t t;

	snprintf(name, sizeof(name), "t%u", names++);
	assert_int_equal(gaudi_builder_add_tensor(b, &d, &t), 0);
	return t;
}

/* The program has to do these itself: the message names the node, and why. */
LIBRARY_TEST(not_on_the_card)
{
	uint32_t d = two(GAUDI_TYPE_F64, 3, 5), e = two(GAUDI_TYPE_F64, 3, 5);
	uint32_t x = two(F32, 3, 5), i = two(GAUDI_TYPE_I64, 3, 5);
	uint32_t big = tensor(F32, 1, 9, 7, 2), small = tensor(F32, 1, 3, 2, 2);
	uint32_t s6 = six(F32, 5), r6 = six(F32, 1);
	size_t tensors;

	GOOD("tanh_f32", 0, NULL, x, x);
	tensors = b->num_tensors;
	REFUSED("node 1, kernel 'add_f32': A 't0' is f64, not f32", "add_f32", 0,
		NULL, d, d, e);
	assert_int_equal(ADD("add_f64", 0, NULL, d, d, e), -ENOENT);
	says("node 1: no built-in kernel 'add_f64'");
	assert_int_equal(ADD("mul", 0, NULL, i, i, e), -ENOENT);
	says("node 1: no built-in kernel 'mul'");
	assert_int_equal(ADD("max_pool_3x3_f32", 0, NULL, big, small), -ENOENT);
	says("node 1: no built-in kernel 'max_pool_3x3_f32'");
	REFUSED("has rank 6, at most 5", "sum_rows_f32", 0, NULL, s6, r6);
	assert_int_equal(b->num_nodes, 1);
	assert_int_equal(b->num_tensors, tensors);
}

/* Of f32; strides in bytes, outermost first. */
static uint32_t strided(uint64_t d0, uint64_t d1, uint64_t d2, uint64_t s0,
			uint64_t s1, uint64_t s2)
{
	char name[16];
	struct gaudi_tensor_desc d = {
		.size = sizeof(d), .name = name, .kind = GAUDI_TENSOR_OUTPUT,
		.type = F32, .rank = 3, .dims = { d0, d1, d2 },
		.strides = { s0, s1, s2 },
	};
	uint32_t t;

	snprintf(name, sizeof(name), "t%u", names++);
	assert_int_equal(gaudi_builder_add_tensor(b, &d, &t), 0);
	return t;
}

/* Strides that the last node has for a tensor, innermost first, in elements. */
static void steps(uint32_t t, uint32_t s0, uint32_t s1, uint32_t s2)
{
	const struct build_compute *c = b->nodes[b->num_nodes - 1].compute;
	const uint32_t *w = c->parts[0].launches[0].words +
			    t * PROG_TPC_TENSOR_WORDS;

	assert_int_equal(w[TPC_TENSOR_STRIDE(0)], s0);
	assert_int_equal(w[TPC_TENSOR_STRIDE(1)], s1);
	assert_int_equal(w[TPC_TENSOR_STRIDE(2)], s2);
}

/* Any but those of dim 0; what is written has no two elements in one place. */
LIBRARY_TEST(strides)
{
	uint32_t x = tensor(F32, 3, 4, 5, 0), padded, turned, same;

	padded = strided(3, 4, 5, 104, 24, 4);
	turned = strided(3, 4, 5, 20, 60, 4);
	same = strided(3, 4, 5, 0, 20, 4);
	GOOD("add_f32", 0, NULL, padded, same, turned);
	steps(0, 1, 6, 26);
	steps(1, 1, 5, 0);
	steps(2, 1, 15, 5);
	GOOD("softmax_f32", 0, NULL, turned, padded);
	steps(1, 1, 6, 26);
	GOOD("relu_f32", 0, NULL, strided(3, 4, 1, 16, 4, 12),
	     strided(3, 4, 1, 4, 12, 0));
	REFUSED("'relu_f32': tensor 't", "relu_f32", 0, NULL,
		strided(3, 4, 5, 160, 40, 8), x);
	says("its last dim has a stride of 8 bytes, not 4");
	REFUSED("its last dim has a stride of 8 bytes, not 4", "relu_f32", 0,
		NULL, x, strided(3, 4, 5, 160, 40, 8));
	REFUSED("its stride 22 bytes", "relu_f32", 0, NULL, x,
		strided(3, 4, 5, 88, 22, 4));
	REFUSED("'relu_f32': OUT 't", "relu_f32", 0, NULL, x, same);
	says("some of its elements share memory");
	REFUSED("some of its elements share memory", "relu_f32", 0, NULL, x,
		strided(3, 4, 5, 80, 16, 4));
	REFUSED("some of its elements share memory", "relu_f32", 0, NULL, x,
		strided(3, 4, 5, 24, 24, 4));
	REFUSED("'sgd_f32': P 't", "sgd_f32", 2, scalars,
		strided(3, 4, 5, 76, 20, 4), x);
}

static uint32_t parts_of_last(void)
{
	return b->nodes[b->num_nodes - 1].compute->num_parts;
}

/* No more TPCs than the work is worth: by the code of all points, bytes and windows. */
LIBRARY_TEST(shared_by_worth)
{
	static const uint32_t alone[8] = { 1, 1, 1, 1, 0, 0 };
	static const uint32_t wide[8] = { 7, 7, 1, 1, 3, 3 };
	uint32_t a, out;

	a = two(F32, 64, 96);
	GOOD("relu_grad_f32", 0, NULL, a, a, a);
	assert_int_equal(parts_of_last(), 1);
	a = two(F32, 640, 96);
	GOOD("relu_grad_f32", 0, NULL, a, a, a);
	assert_in_range(parts_of_last(), 2, 7);
	a = two(F32, 4096, 96);
	GOOD("relu_grad_f32", 0, NULL, a, a, a);
	assert_int_equal(parts_of_last(), 8);
	/* Few points, but long ones; never more than points. */
	GOOD("sum_rows_f32", 0, NULL, two(F32, 8, 1 << 20), two(F32, 8, 1));
	assert_int_equal(parts_of_last(), 8);
	GOOD("sum_rows_f32", 0, NULL, two(F32, 3, 1 << 22), two(F32, 3, 1));
	assert_int_equal(parts_of_last(), 3);
	GOOD("sum_rows_f32", 0, NULL, two(F32, 8, 1 << 10), two(F32, 8, 1));
	assert_int_equal(parts_of_last(), 1);
	a = tensor(F32, 1, 6, 6, 128);
	out = tensor(F32, 1, 6, 6, 128);
	GOOD("avg_pool_f32", 6, alone, a, out);
	assert_int_equal(parts_of_last(), 1);
	GOOD("avg_pool_f32", 6, wide, a, out);
	assert_in_range(parts_of_last(), 2, 8);
}
