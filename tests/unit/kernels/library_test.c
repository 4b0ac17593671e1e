// SPDX-License-Identifier: GPL-2.0-only
/* gaudi_builder_add_library_kernel(): what it takes, and each thing it refuses. */
#include <errno.h>

#include "program_launch.h"
#include "recipe.h"
#include "builder.h"
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

static void names_of_all(void **state)
{
	uint32_t i;

	(void)state;
	for (i = 0; gaudi_kernel_name(i); i++) {
		assert_non_null(kernel_lib_find(gaudi_kernel_name(i)));
		if (i)
			assert_true(strcmp(gaudi_kernel_name(i - 1),
					   gaudi_kernel_name(i)) < 0);
	}
	assert_int_equal(i, gaudi_kernel_lib_count);
	assert_null(gaudi_kernel_name(UINT32_MAX));
}

static void calls(void **state)
{
	uint32_t a, node;

	(void)state;
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

static void types_and_ranks(void **state)
{
	uint64_t many[6] = { 1, 1, 1, 1, 1, 4 };
	struct gaudi_tensor_desc d = {
		.size = sizeof(d), .name = "deep", .type = F32, .rank = 6,
		.kind = GAUDI_TENSOR_OUTPUT,
	};
	uint32_t a, deep, long_one;

	(void)state;
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

static void dims(void **state)
{
	uint32_t a, in;

	(void)state;
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

static void orders(void **state)
{
	const uint32_t good = 043102, bits = 0143102, twice = 043100;
	const uint32_t five = 053102, other = 043210;
	uint32_t a;

	(void)state;
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

/* What is read by addresses that nothing else checks. */
static void unchecked_addresses(void **state)
{
	uint32_t a, x, row, index;

	(void)state;
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

static void one_memory(void **state)
{
	uint32_t a, s, table, norm;

	(void)state;
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
static void rules_of_all(void **state)
{
	size_t i;
	uint32_t t;

	(void)state;
	for (i = 0; i < gaudi_kernel_lib_count; i++) {
		const struct kernel_lib *k = &gaudi_kernel_lib[i];

		assert_true(k->num_tensors <= KERNEL_LIB_TENSORS);
		assert_true(k->space_tensor < k->num_tensors);
		for (t = 0; t < k->num_tensors; t++) {
			uint32_t rule = k->tensors[t].rule;

			assert_true(rule <= KERNEL_LIB_POOLED);
			assert_true(k->tensors[t].of < 5 ||
				    rule != KERNEL_LIB_ALONG);
			if (rule == KERNEL_LIB_ROW)
				assert_true(k->tensors[t].of < k->num_tensors);
			if (rule == KERNEL_LIB_ORDER)
				assert_int_equal(k->num_scalars, 1);
		}
	}
}

int main(void)
{
#define TEST(name)	cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(names_of_all),
		TEST(calls),
		TEST(types_and_ranks),
		TEST(dims),
		TEST(orders),
		TEST(unchecked_addresses),
		TEST(one_memory),
		TEST(rules_of_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
