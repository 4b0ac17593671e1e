// SPDX-License-Identifier: GPL-2.0-or-later
/* Operations of the host: what each computes, of which types; and as nodes. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "builder.h"
#include "host_math.h"
#include "recipe.h"

#define F64	GAUDI_TYPE_F64
#define F32	GAUDI_TYPE_F32
#define F16	GAUDI_TYPE_F16
#define BF16	GAUDI_TYPE_BF16
#define I32	GAUDI_TYPE_I32
#define I64	GAUDI_TYPE_I64
#define U8	GAUDI_TYPE_U8

/* --- numbers ----------------------------------------------------------------- */

static double through(uint32_t type, double value)
{
	struct host_num n = { .f = value };
	uint64_t bits = 0;

	host_put(type, &bits, n, false);

	return host_get(type, &bits).f;
}

static uint16_t bits_of(uint32_t type, double value)
{
	struct host_num n = { .f = value };
	uint16_t bits = 0;

	host_put(type, &bits, n, false);

	return bits;
}

static void rounds(void **state)
{
	uint32_t i;

	(void)state;
	/* All that there are come out as they were. */
	for (i = 0; i < 65536; i++) {
		uint16_t half = (uint16_t)i;
		double f16 = host_get(F16, &half).f;
		double bf16 = host_get(BF16, &half).f;

		if (!isnan(f16))
			assert_int_equal(bits_of(F16, f16), half);
		if (!isnan(bf16))
			assert_int_equal(bits_of(BF16, bf16), half);
	}
	assert_int_equal(bits_of(F16, 1), 0x3c00);
	assert_int_equal(bits_of(F16, -65504), 0xfbff);
	assert_int_equal(bits_of(F16, 65519.99), 0x7bff);
	assert_int_equal(bits_of(F16, 65520), 0x7c00);
	assert_int_equal(bits_of(F16, 1e300), 0x7c00);
	assert_int_equal(bits_of(F16, 0x1p-24), 1);
	assert_int_equal(bits_of(F16, 0x1p-25), 0);
	assert_int_equal(bits_of(F16, 0x1.8p-24), 2);
	assert_int_equal(bits_of(BF16, 1 + 0x1p-8), 0x3f80);
	assert_int_equal(bits_of(BF16, 1 + 0x3p-8), 0x3f82);
	/* Once: by way of f32 this would be a tie. */
	assert_int_equal(bits_of(BF16, 1 + 0x1p-8 + 0x1p-40), 0x3f81);
	assert_int_equal(bits_of(BF16, -(double)INFINITY), 0xff80);
	assert_true(isnan(through(BF16, (double)NAN)));
	assert_true(through(I32, 2.9) == 2 && through(I32, -2.9) == -2);
	assert_true(through(I32, 1e10) == INT32_MAX);
	assert_true(through(I32, -1e10) == INT32_MIN);
	assert_true(through(U8, 300) == 255 && through(U8, -1) == 0);
	assert_true(through(I64, 1e30) == (double)INT64_MAX);
	assert_true(through(GAUDI_TYPE_U64, 1e30) == (double)UINT64_MAX);
	assert_true(through(I32, (double)NAN) == 0);
}

/* --- operations, without a builder ------------------------------------------- */

struct array {
	struct gaudi_host_tensor t;
	size_t num;
};

#define ARRAYS	4

static struct array arrays[ARRAYS];

static void forget(void)
{
	for (int i = 0; i < ARRAYS; i++)
		free(arrays[i].t.data);
	memset(arrays, 0, sizeof(arrays));
}

static void refill(int i, int seed)
{
	const struct gaudi_host_tensor *t = &arrays[i].t;

	for (size_t k = 0; k < arrays[i].num; k++) {
		struct host_num n = {
			.f = (double)((k * 37 + (size_t)seed * 11) % 23) - 7,
		};

		host_put(t->type, (uint8_t *)t->data +
			 k * gaudi_type_size(t->type), n, false);
	}
}

/* Dims are outermost first, and end with 0; filled with some numbers. */
static struct array *array(int i, uint32_t type, const uint64_t *dims)
{
	struct array *a = &arrays[i];
	uint64_t step = gaudi_type_size(type);

	free(a->t.data);
	*a = (struct array) { .t = { .type = type }, .num = 1 };
	while (dims[a->t.rank])
		a->t.rank++;
	for (uint32_t d = a->t.rank; d-- > 0;) {
		a->t.dims[d] = dims[d];
		a->t.strides[d] = step;
		step *= dims[d];
		a->num *= dims[d];
	}
	a->t.bytes = step;
	a->t.data = calloc(1, step);
	assert_non_null(a->t.data);
	refill(i, i);

	return a;
}

#define DIMS(...)	((const uint64_t []){ __VA_ARGS__, 0 })

static double at(int i, size_t k)
{
	const struct gaudi_host_tensor *t = &arrays[i].t;

	return host_get(t->type, (uint8_t *)t->data +
			k * gaudi_type_size(t->type)).f;
}

static bool apply(const char *op, uint32_t num, const void *params, size_t size)
{
	const struct host_builtin *b = host_builtin_find(op);
	struct gaudi_host_tensor t[ARRAYS];
	struct gaudi_host_call call = {
		.size = sizeof(call), .op = op, .tensors = t,
		.num_tensors = num, .params = params, .params_size = size,
	};
	uint32_t access[GAUDI_HOST_OP_TENSORS];

	if (!b)
		return false;
	for (uint32_t i = 0; i < num; i++)
		t[i] = arrays[i].t;
	if (!b->check(&call, access))
		return false;
	assert_int_equal(b->fn(&call, NULL), 0);

	return true;
}

static void near(double is, double want)
{
	if (fabs(is - want) > 1e-6 * (1 + fabs(want)))
		fail_msg("%.17g, not %.17g", is, want);
}

static void elementwise(void **state)
{
	float s = 3;

	(void)state;
	array(0, F64, DIMS(2, 3, 4));
	array(1, F16, DIMS(3, 1));
	array(2, F32, DIMS(2, 3, 4));
	assert_true(apply("mul", 3, NULL, 0));
	for (size_t i = 0; i < 24; i++)
		near(at(2, i), at(0, i) * at(1, i / 4 % 3));
	assert_true(apply("max", 3, NULL, 0));
	for (size_t i = 0; i < 24; i++)
		near(at(2, i), fmax(at(0, i), at(1, i / 4 % 3)));
	array(1, BF16, DIMS(2, 3, 4));
	assert_true(apply("rsub_scalar", 2, &s, sizeof(s)));
	for (size_t i = 0; i < 24; i++)
		near(at(1, i), 3 - at(0, i));
	array(1, F64, DIMS(2, 3, 4));
	assert_true(apply("tanh", 2, NULL, 0));
	for (size_t i = 0; i < 24; i++)
		near(at(1, i), tanh(at(0, i)));
	assert_true(apply("cast", 2, NULL, 0));
	for (size_t i = 0; i < 24; i++)
		near(at(1, i), at(0, i));
	/* What does not go together. */
	array(1, F64, DIMS(2, 3, 5));
	assert_false(apply("tanh", 2, NULL, 0));
	assert_false(apply("tanh", 3, NULL, 0));
	assert_false(apply("add_scalar", 2, NULL, 0));
	assert_false(apply("nothing", 2, NULL, 0));
	forget();
}

/* Beyond what a double can hold, and they wrap. */
static void integers(void **state)
{
	const int64_t big = INT64_MAX - 2;
	float s = 5;
	int64_t *p;

	(void)state;
	array(0, I64, DIMS(3));
	array(1, I64, DIMS(3));
	array(2, I64, DIMS(3));
	p = arrays[0].t.data;
	p[0] = big;
	p[1] = -1;
	p[2] = (1ll << 53) + 1;
	p = arrays[1].t.data;
	p[0] = 4;
	p[1] = -2;
	p[2] = 1ll << 53;
	assert_true(apply("add", 3, NULL, 0));
	p = arrays[2].t.data;
	assert_true(p[0] == INT64_MIN + 1 && p[1] == -3 &&
		    p[2] == (1ll << 54) + 1);
	assert_true(apply("max", 3, NULL, 0));
	assert_true(p[0] == big && p[1] == -1 && p[2] == (1ll << 53) + 1);
	assert_true(apply("min", 3, NULL, 0));
	assert_true(p[0] == 4 && p[1] == -2 && p[2] == 1ll << 53);
	p = arrays[1].t.data;
	assert_true(apply("add_scalar", 2, &s, sizeof(s)));
	assert_true(p[0] == INT64_MIN + 2 && p[1] == 4);
	assert_true(apply("max_scalar", 2, &s, sizeof(s)));
	assert_true(p[0] == big && p[1] == 5);
	array(1, I64, DIMS(1));
	assert_true(apply("sum_rows", 2, NULL, 0));
	p = arrays[1].t.data;
	assert_true(p[0] == (int64_t)((uint64_t)big + (1ull << 53)));
	assert_true(apply("max_rows", 2, NULL, 0));
	assert_true(p[0] == big);
	forget();
}

static void rows(void **state)
{
	double sum = 0;

	(void)state;
	array(0, F64, DIMS(2, 2, 1, 1, 3, 5));
	array(1, F32, DIMS(2, 2, 1, 1, 3, 1));
	assert_true(apply("mean_rows", 2, NULL, 0));
	for (size_t i = 0; i < 12; i++)
		near(at(1, i), (at(0, 5 * i) + at(0, 5 * i + 1) +
				at(0, 5 * i + 2) + at(0, 5 * i + 3) +
				at(0, 5 * i + 4)) / 5);
	array(1, F64, DIMS(1, 2, 1, 1, 3, 5));
	assert_true(apply("sum_dim5", 2, NULL, 0));
	for (size_t i = 0; i < 30; i++)
		near(at(1, i), at(0, i) + at(0, i + 30));
	array(1, F64, DIMS(2, 2, 1, 1, 3, 5));
	assert_true(apply("softmax", 2, NULL, 0));
	for (size_t i = 0; i < 5; i++)
		sum += at(1, i);
	near(sum, 1);
	near(at(1, 1) / at(1, 0), exp(at(0, 1) - at(0, 0)));
	assert_true(apply("log_softmax", 2, NULL, 0));
	near(at(1, 1) - at(1, 0), at(0, 1) - at(0, 0));
	assert_false(apply("sum_rows", 2, NULL, 0));
	assert_false(apply("sum_dim9", 2, NULL, 0));
	/* A loss of two rows, one with a label that is none. */
	array(0, F64, DIMS(2, 3));
	array(1, I32, DIMS(2, 1));
	array(2, F64, DIMS(2, 1));
	((int32_t *)arrays[1].t.data)[0] = 2;
	((int32_t *)arrays[1].t.data)[1] = -1;
	assert_true(apply("cross_entropy", 3, NULL, 0));
	near(at(2, 0), log(exp(at(0, 0)) + exp(at(0, 1)) + exp(at(0, 2))) -
		       at(0, 2));
	near(at(2, 1), 0);
	forget();
}

static void pools(void **state)
{
	(void)state;
	/* One image of 5 x 4, two channels; windows of 3 x 2. */
	array(0, F32, DIMS(1, 5, 4, 2));
	array(1, F32, DIMS(1, 2, 2, 2));
	assert_true(apply("max_pool_3x2", 2, NULL, 0));
	for (size_t i = 0; i < 8; i++) {
		size_t c = i % 2, x = i / 2 % 2, y = i / 4;
		double max = -100, sum = 0;

		for (size_t k = 0; k < 6; k++) {
			size_t row = 3 * y + k / 2, column = 2 * x + k % 2;

			if (row < 5) {
				double v = at(0, (row * 4 + column) * 2 + c);

				max = fmax(max, v);
				sum += v;
			}
		}
		near(at(1, i), max);
		array(2, F32, DIMS(1));
		((float *)arrays[2].t.data)[0] = (float)sum;
		assert_true(apply("avg_pool_3x2", 2, NULL, 0));
		near(at(1, i), at(2, 0) / 6);
		assert_true(apply("max_pool_3x2", 2, NULL, 0));
	}
	/* The gradient goes to the largest; all of it arrives. */
	array(2, F32, DIMS(1, 5, 4, 2));
	assert_true(apply("max_pool_3x2_grad", 3, NULL, 0));
	{
		double given = 0, got = 0;

		for (size_t i = 0; i < 8; i++)
			given += at(1, i);
		for (size_t i = 0; i < 40; i++)
			got += at(2, i);
		near(got, given);
	}
	array(1, F32, DIMS(1, 5, 4, 2));
	array(0, F32, DIMS(1, 1, 2, 2));
	assert_true(apply("avg_pool_3x2_grad", 2, NULL, 0));
	near(at(1, 0), at(0, 0) / 6);
	near(at(1, 39), 0);
	assert_false(apply("max_pool_3", 2, NULL, 0));
	assert_false(apply("max_pool_0x2", 2, NULL, 0));
	assert_false(apply("max_pool_3x2_f", 2, NULL, 0));
	assert_false(apply("avg_pool_2x2", 2, NULL, 0));
	forget();
}

static void products(void **state)
{
	struct host_matrix m = { .window.groups = 1 };
	double before;

	(void)state;
	/* Two batches, the second operand's is missing; ints that wrap. */
	array(0, I32, DIMS(2, 3, 4));
	array(1, I32, DIMS(2, 5, 3));
	array(2, U8, DIMS(5, 4));
	m.flags = GAUDI_TRANSPOSE_A;
	assert_true(apply("matmul", 3, &m, sizeof(m)));
	for (size_t i = 0; i < 24; i++) {
		double sum = 0;

		for (size_t k = 0; k < 5; k++)
			sum += at(1, i / 12 * 15 + k * 3 + i / 4 % 3) *
			       at(2, k * 4 + i % 4);
		near(at(0, i), sum);
	}
	m.flags = GAUDI_TRANSPOSE_A | GAUDI_ACCUMULATE;
	before = at(0, 3);
	assert_true(apply("matmul", 3, &m, sizeof(m)));
	near(at(0, 3), 2 * before);
	m.flags = GAUDI_TRANSPOSE_A | GAUDI_RELU;
	assert_true(apply("matmul", 3, &m, sizeof(m)));
	for (size_t i = 0; i < 24; i++)
		assert_true(at(0, i) >= 0);
	m.flags = 0;
	assert_false(apply("matmul", 3, &m, sizeof(m)));
	m.flags = 64;
	assert_false(apply("matmul", 3, &m, sizeof(m)));
	forget();
}

/* Sums of y * g by way of each gradient are the same number. */
static double dot(int i, int j)
{
	double sum = 0;

	for (size_t k = 0; k < arrays[i].num; k++)
		sum += at(i, k) * at(j, k);

	return sum;
}

/* Image 1, row 1, column 2, output 4, which is of the second group. */
static void check_pixel(void)
{
	double sum = 0;

	for (size_t r = 0; r < 3; r++)
		for (size_t s = 0; s < 2; s++)
			for (size_t c = 0; c < 2; c++)
				sum += at(1, ((5 + 1 + r) * 5 + 2 + 2 * s) * 4 +
					     2 + c) *
				       at(2, ((r * 2 + s) * 2 + c) * 6 + 4);
	near(at(0, ((3 + 1) * 3 + 2) * 6 + 4), sum);
}

static void swap(int i, int j)
{
	struct array a = arrays[i];

	arrays[i] = arrays[j];
	arrays[j] = a;
}

static void convolutions(void **state)
{
	struct host_matrix m = {
		.window = { .stride = { 2, 1 }, .padding = { 1, 0 },
			    .dilation = { 1, 2 }, .groups = 2 },
	};
	double by_y;

	(void)state;
	/* y, x, w; a gradient of y */
	array(0, F64, DIMS(2, 3, 3, 6));
	array(1, F64, DIMS(2, 5, 5, 4));
	array(2, F64, DIMS(3, 2, 2, 6));
	array(3, F64, DIMS(2, 3, 3, 6));
	assert_true(apply("conv2d", 3, &m, sizeof(m)));
	check_pixel();
	by_y = dot(0, 3);
	/* dx, dy, w; x, which was filled as array 1 is */
	swap(1, 3);
	swap(0, 3);
	array(0, F64, DIMS(2, 5, 5, 4));
	assert_true(apply("conv2d_data", 3, &m, sizeof(m)));
	array(3, F64, DIMS(2, 5, 5, 4));
	refill(3, 1);
	near(dot(0, 3), by_y);
	/* dw, x, dy; w */
	swap(0, 2);
	swap(2, 1);
	swap(1, 3);
	array(3, F64, DIMS(3, 2, 2, 6));
	refill(3, 2);
	array(0, F64, DIMS(3, 2, 2, 6));
	assert_true(apply("conv2d_weights", 3, &m, sizeof(m)));
	near(dot(0, 3), by_y);
	m.window.groups = 3;
	assert_false(apply("conv2d_weights", 3, &m, sizeof(m)));
	forget();
}

/* --- nodes --------------------------------------------------------------------- */

static struct gaudi_builder *b;

static int begin(void **state)
{
	(void)state;

	return gaudi_builder_create("host", &b);
}

static int end(void **state)
{
	(void)state;

	return gaudi_builder_destroy(b);
}

static uint32_t add(const char *name, uint32_t kind, uint32_t type,
		    uint64_t rows, uint64_t columns)
{
	struct gaudi_tensor_desc d = {
		.size = sizeof(d), .name = name, .kind = kind, .type = type,
		.rank = 2, .dims = { rows, columns },
	};
	uint32_t t;

	assert_int_equal(gaudi_builder_add_tensor(b, &d, &t), 0);

	return t;
}

#define IN	GAUDI_TENSOR_INPUT
#define OUT	GAUDI_TENSOR_OUTPUT
#define WORK	GAUDI_TENSOR_WORKSPACE

#define SAYS(call, code, text) do { \
		assert_int_equal(call, code); \
		if (!strstr(gaudi_last_error(NULL), text)) \
			fail_msg("%s", gaudi_last_error(NULL)); \
	} while (0)

static uint64_t nodes_of(const char *op)
{
	struct gaudi_host_op_stats s = { .size = sizeof(s) };

	assert_int_equal(gaudi_host_op_get_stats(op, &s), 0);

	return s.nodes;
}

static int nothing(const struct gaudi_host_call *call, void *arg)
{
	(void)call;
	(void)arg;

	return 0;
}

static void only_if_allowed(void **state)
{
	uint32_t x = add("x", IN, F64, 3, 4), y = add("y", OUT, F64, 3, 4);
	uint32_t w = add("w", IN, F64, 4, 4), z = add("z", OUT, F32, 3, 4);
	struct gaudi_host_operand o[] = { { x, GAUDI_KERNEL_READS },
					  { y, GAUDI_KERNEL_WRITES } };
	uint64_t before = nodes_of("matmul");

	(void)state;
	SAYS(gaudi_builder_add_matmul(b, y, x, w, 0, NULL), -EINVAL,
	     "'y' is f64; matrix engines take bf16 and f32");
	SAYS(gaudi_builder_add_host_op(b, "exp", 2, o, NULL, 0, NULL),
	     GAUDI_ERR_UNSUPPORTED, "operation 'exp' is one of the host, which builder 'host' is not allowed");
	assert_int_equal(gaudi_builder_allow_host(b, true), 0);
	assert_int_equal(gaudi_builder_add_matmul(b, y, x, w, 0, NULL), 0);
	assert_int_equal(gaudi_builder_add_matmul(b, z, x, w, GAUDI_RELU, NULL),
			 0);
	assert_int_equal(nodes_of("matmul"), before + 2);
	/* What makes no sense is refused as before. */
	SAYS(gaudi_builder_add_matmul(b, y, w, x, 0, NULL), -EINVAL,
	     "'y' is f64; matrix engines take");
	SAYS(gaudi_builder_add_matmul(b, x, x, w, 0, NULL), -EINVAL,
	     "'x' is an input");
	SAYS(gaudi_builder_add_matmul(b, y, x, w, 99, NULL), -EINVAL, "f64");
	assert_int_equal(b->num_nodes, 2);
	assert_int_equal(gaudi_builder_allow_host(b, false), 0);
	SAYS(gaudi_builder_add_matmul(b, y, x, w, 0, NULL), -EINVAL, "f64");
	SAYS(gaudi_builder_allow_host(NULL, true), -EINVAL, "no builder");
}

static void asked_for(void **state)
{
	uint32_t x = add("x", IN, F32, 3, 4), y = add("y", OUT, F32, 3, 4);
	struct gaudi_host_operand o[] = { { x, GAUDI_KERNEL_READS },
					  { y, GAUDI_KERNEL_WRITES } };
	uint32_t node;

	(void)state;
	assert_int_equal(gaudi_builder_allow_host(b, true), 0);
	SAYS(gaudi_builder_add_host_op(b, "own", 2, o, NULL, 0, NULL), -ENOENT,
	     "no operation 'own' on the host");
	assert_int_equal(gaudi_host_op_register("own", nothing, NULL), 0);
	assert_int_equal(gaudi_builder_add_host_op(b, "own", 2, o, "abc", 3,
						   &node), 0);
	assert_int_equal(node, 0);
	SAYS(gaudi_builder_add_host_op(b, "exp", 2, o, "abc", 3, NULL), -EINVAL,
	     "operation 'exp' on the host does not take");
	/* The program's own is asked nothing, here: not what it takes. */
	assert_int_equal(gaudi_host_op_register("exp", nothing, NULL), 0);
	assert_int_equal(gaudi_builder_add_host_op(b, "exp", 2, o, "abc", 3,
						   &node), 0);
	assert_int_equal(gaudi_host_op_register("exp", NULL, NULL), 0);
	o[0].access = 0;
	SAYS(gaudi_builder_add_host_op(b, "own", 2, o, NULL, 0, NULL), -EINVAL,
	     "operand 0: access 0 is unknown");
	o[0].access = GAUDI_KERNEL_WRITES;
	SAYS(gaudi_builder_add_host_op(b, "own", 2, o, NULL, 0, NULL), -EINVAL,
	     "'x' is an input");
	o[0].tensor = y;
	SAYS(gaudi_builder_add_host_op(b, "own", 2, o, NULL, 0, NULL), -EINVAL,
	     "'y' is two operands, of which one is written");
	o[0].tensor = 99;
	SAYS(gaudi_builder_add_host_op(b, "own", 2, o, NULL, 0, NULL), -EINVAL,
	     "tensor 99 of 2");
	SAYS(gaudi_builder_add_host_op(b, "own", 17, o, NULL, 0, NULL), -EINVAL,
	     "more than 16 operands");
	SAYS(gaudi_host_op_register("", nothing, NULL), -EINVAL, "1 to 255");
	SAYS(gaudi_host_op_register("none", NULL, NULL), -ENOENT, "'none'");
	assert_int_equal(gaudi_host_op_register("own", NULL, NULL), 0);
	SAYS(gaudi_host_op_register("own", NULL, NULL), -ENOENT, "'own'");
}

/* Steps: card, host, host, card; what was told to be in order is. */
static void steps(void **state)
{
	uint32_t a = add("a", WORK, F64, 3, 4), c = add("c", WORK, F64, 3, 4);
	uint32_t x, y;
	struct gaudi_host_operand o[] = { { a, GAUDI_KERNEL_READS },
					  { c, GAUDI_KERNEL_WRITES } };
	struct gaudi_recipe_info info = { .size = sizeof(info) };
	struct gaudi_cache *cache;
	struct gaudi_recipe *r;
	char *text = NULL;
	uint32_t first, last;
	size_t size;
	void *data;
	FILE *f;

	(void)state;
	assert_int_equal(gaudi_builder_allow_host(b, true), 0);
	assert_int_equal(gaudi_builder_add_host_op(b, "exp", 2, o, NULL, 0,
						   NULL), 0);
	SAYS(gaudi_builder_build(b, &r), -EINVAL,
	     "workspace tensor 'a' is read by node 0 before");
	gaudi_builder_destroy(b);
	assert_int_equal(begin(NULL), 0);
	assert_int_equal(gaudi_builder_allow_host(b, true), 0);
	x = add("x", IN, F64, 3, 4);
	a = add("a", WORK, F64, 3, 4);
	c = add("c", WORK, F64, 3, 4);
	y = add("y", OUT, F64, 3, 4);
	o[0].tensor = a;
	o[1].tensor = c;
	assert_int_equal(gaudi_builder_add_copy(b, a, x, &first), 0);
	assert_int_equal(gaudi_builder_add_host_op(b, "exp", 2, o, NULL, 0,
						   NULL), 0);
	o[0].tensor = c;
	o[1].tensor = a;
	assert_int_equal(gaudi_builder_add_host_op(b, "log", 2, o, NULL, 0,
						   NULL), 0);
	assert_int_equal(gaudi_builder_add_copy(b, y, a, &last), 0);
	assert_int_equal(gaudi_builder_add_order(b, first, last), 0);
	assert_int_equal(gaudi_builder_add_order(b, first, 1), 0);
	if (gaudi_builder_build(b, &r))
		fail_msg("%s", gaudi_last_error(NULL));
	assert_int_equal(gaudi_recipe_get_info(r, &info), 0);
	assert_int_equal(info.num_host_nodes, 2);
	assert_true(info.packets_size > 0);
	f = open_memstream(&text, &size);
	assert_non_null(f);
	assert_int_equal(gaudi_recipe_disassemble(r, f), 0);
	fclose(f);
	assert_non_null(strstr(text, "Step 1\nhost: operation 'exp' reads 'a', writes 'c'\n"));
	assert_non_null(strstr(text, "copy 0x60 bytes from 'a' to 'y'"));
	free(text);
	SAYS(gaudi_recipe_to_memory(r, &data, &size), GAUDI_ERR_UNSUPPORTED,
	     "recipe 'host' runs operation 'exp' on the host and cannot be in a file");
	SAYS(gaudi_recipe_save(r, "/nowhere/file"), GAUDI_ERR_UNSUPPORTED,
	     "in a file");
	assert_int_equal(gaudi_cache_open("", &cache), 0);
	SAYS(gaudi_cache_put(cache, "key", 3, r), GAUDI_ERR_UNSUPPORTED,
	     "in a cache");
	gaudi_cache_close(cache);
	gaudi_recipe_release(r);
}

/* --- the log ---------------------------------------------------------------------- */

static char logs[32];

/* Before the library looks: once. */
static void log_to_file(void)
{
	snprintf(logs, sizeof(logs), "/tmp/host_test.XXXXXX");
	if (!mkdtemp(logs) || setenv("HABANA_LOGS", logs, 1) ||
	    setenv("LOG_LEVEL_GAUDI", "3", 1) || unsetenv("ENABLE_CONSOLE"))
		exit(1);
}

static int forget_log(void **state)
{
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "%s/gaudi.log", logs);
	unlink(path);

	return rmdir(logs);
}

/* Lines so far that say that @op is on the host, with @why; NULL: any. */
static unsigned int lines_of(const char *op, const char *why)
{
	char path[64], line[512], text[300];
	unsigned int found = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/gaudi.log", logs);
	f = fopen(path, "r");
	assert_non_null(f);
	snprintf(text, sizeof(text), "[warning] operation '%s' runs on the host: ",
		 op);
	while (fgets(line, sizeof(line), f))
		found += strstr(line, text) && (!why || strstr(line, why));
	fclose(f);

	return found;
}

/* Nodes are counted all, and logged with the first one's reason; others are neither. */
static void logged_once(void **state)
{
	uint32_t x = add("x", IN, F64, 3, 4), y = add("y", OUT, F64, 3, 4);
	uint32_t w = add("w", IN, F64, 4, 4);
	struct gaudi_host_operand o[] = { { x, GAUDI_KERNEL_READS },
					  { y, GAUDI_KERNEL_WRITES } };
	uint64_t matmuls = nodes_of("matmul");

	(void)state;
	assert_int_equal(gaudi_builder_allow_host(b, true), 0);
	assert_int_equal(gaudi_host_op_register("one", nothing, NULL), 0);
	assert_int_equal(gaudi_host_op_register("two", nothing, NULL), 0);
	for (unsigned int i = 1; i <= 3; i++) {
		assert_int_equal(gaudi_builder_add_host_op(b, "one", 2, o, NULL,
							   0, NULL), 0);
		assert_int_equal(nodes_of("one"), i);
		assert_int_equal(lines_of("one", "the program asked for it"), 1);
		assert_int_equal(gaudi_builder_add_matmul(b, y, x, w, 0, NULL),
				 0);
		assert_int_equal(nodes_of("matmul"), matmuls + i);
	}
	assert_int_equal(lines_of("matmul", "matrix engines take bf16 and f32"),
			 1);
	assert_int_equal(lines_of("matmul", NULL), 1);
	/* In another builder, too. */
	assert_int_equal(gaudi_builder_destroy(b), 0);
	assert_int_equal(begin(NULL), 0);
	assert_int_equal(gaudi_builder_allow_host(b, true), 0);
	o[0].tensor = add("x", IN, F64, 3, 4);
	o[1].tensor = add("y", OUT, F64, 3, 4);
	assert_int_equal(gaudi_builder_add_host_op(b, "one", 2, o, NULL, 0,
						   NULL), 0);
	assert_int_equal(nodes_of("one"), 4);
	assert_int_equal(lines_of("one", NULL), 1);
	assert_int_equal(nodes_of("two"), 0);
	/* What was refused. */
	o[1].tensor = o[0].tensor;
	assert_int_equal(gaudi_builder_add_host_op(b, "two", 2, o, NULL, 0,
						   NULL), -EINVAL);
	assert_int_equal(nodes_of("two"), 0);
	assert_int_equal(lines_of("two", NULL), 0);
	assert_int_equal(gaudi_host_op_register("one", NULL, NULL), 0);
	assert_int_equal(gaudi_host_op_register("two", NULL, NULL), 0);
}

int main(void)
{
#define NODE(name)	cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rounds),
		cmocka_unit_test(elementwise),
		cmocka_unit_test(integers),
		cmocka_unit_test(rows),
		cmocka_unit_test(pools),
		cmocka_unit_test(products),
		cmocka_unit_test(convolutions),
		NODE(only_if_allowed),
		NODE(asked_for),
		NODE(steps),
		NODE(logged_once),
	};

	log_to_file();

	return cmocka_run_group_tests_name("host", tests, NULL, forget_log);
}
