// SPDX-License-Identifier: GPL-2.0-or-later
/* Autocast: lists of operations, and the nodes that the builder adds. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "gaudi_recipe.h"
#include "kernels/kernels.h"
#include "object.h"

#define IN	GAUDI_TENSOR_INPUT
#define OUT	GAUDI_TENSOR_OUTPUT
#define F32	GAUDI_TYPE_F32

#define SAYS(call, text) do { \
		assert_int_equal(call, -EINVAL); \
		if (!strstr(gaudi_last_error(NULL), text)) \
			fail_msg("%s", gaudi_last_error(NULL)); \
	} while (0)

static struct gaudi_builder *b;
static struct gaudi_recipe *r;

static int begin(void **state)
{
	(void)state;

	return gaudi_builder_create("autocast", &b);
}

static int end(void **state)
{
	(void)state;
	gaudi_builder_destroy(b);
	gaudi_recipe_release(r);
	r = NULL;

	return 0;
}

static uint32_t add(const char *name, uint32_t kind, uint32_t type,
		    uint64_t rows)
{
	struct gaudi_tensor_desc d = {
		.size = sizeof(d), .name = name, .kind = kind, .type = type,
		.rank = 2, .dims = { rows, 8 },
	};
	uint32_t t;

	assert_int_equal(gaudi_builder_add_tensor(b, &d, &t), 0);

	return t;
}

static struct object cast_object;

/* As the library has them, with code that does nothing. */
const struct kernel_lib *kernel_lib_find(const char *name)
{
	static const struct kernel_lib casts[] = {
		{ .name = "cast_f32_bf16", .object = &cast_object,
		  .object_size = sizeof(cast_object), .num_tensors = 2,
		  .tensors = { { "A", GAUDI_KERNEL_READS, F32, 0 },
			       { "OUT", GAUDI_KERNEL_WRITES,
				 GAUDI_TYPE_BF16, 0 } },
		  .step = { 128, 1, 1, 1, 1 } },
		{ .name = "cast_bf16_f32", .object = &cast_object,
		  .object_size = sizeof(cast_object), .num_tensors = 2,
		  .tensors = { { "A", GAUDI_KERNEL_READS, GAUDI_TYPE_BF16, 0 },
			       { "OUT", GAUDI_KERNEL_WRITES, F32, 0 } },
		  .step = { 128, 1, 1, 1, 1 } },
	};
	size_t i;

	for (i = 0; i < sizeof(casts) / sizeof(casts[0]); i++)
		if (!strcmp(casts[i].name, name))
			return &casts[i];

	return NULL;
}

static void set_lists(const char *bf16, const char *f32)
{
	struct gaudi_autocast a = { sizeof(a), bf16, f32 };

	cast_object = make_object();
	/* A cast has no scalars. */
	cast_object.meta[12] = 0;
	assert_int_equal(gaudi_builder_set_autocast(b, &a), 0);
}

static bool has(const char *tensor, uint32_t type)
{
	struct gaudi_tensor_desc d = { .size = sizeof(d) };
	uint32_t t;

	if (gaudi_recipe_find_tensor(r, tensor, &t))
		return false;
	assert_int_equal(gaudi_recipe_get_tensor(r, t, &d), 0);
	assert_int_equal(d.type, type);
	assert_int_equal(d.kind, GAUDI_TENSOR_WORKSPACE);

	return true;
}

static void autocast(void **state)
{
	uint32_t x, w, h, y, bad, t, node;

	(void)state;
	x = add("x", IN, F32, 8);
	w = add("w", IN, F32, 8);
	h = add("h", IN, GAUDI_TYPE_BF16, 8);
	t = add("t", OUT, F32, 8);
	y = add("y", OUT, F32, 8);
	bad = add("bad", IN, F32, 5);
	set_lists("mm matmul,addmm", "conv2d");
	assert_int_equal(gaudi_builder_add_matmul(b, y, x, w, 0, &node), 0);
	assert_int_equal(node, 2);
	/* Once, as long as nobody writes to it. */
	assert_int_equal(gaudi_builder_add_matmul(b, y, w, x, 0, &node), 0);
	assert_int_equal(node, 3);
	assert_int_equal(gaudi_builder_add_copy(b, t, x, NULL), 0);
	assert_int_equal(gaudi_builder_add_matmul(b, y, t, h, 0, &node), 0);
	assert_int_equal(node, 6);
	assert_int_equal(gaudi_builder_add_fill(b, t, 0, NULL), 0);
	assert_int_equal(gaudi_builder_add_matmul(b, y, t, h, 0, &node), 0);
	assert_int_equal(node, 9);
	/* What fails leaves nothing behind. */
	SAYS(gaudi_builder_add_matmul(b, y, x, bad, 0, NULL), "has 5 rows");
	assert_int_equal(gaudi_builder_add_fill(b, t, 0, &node), 0);
	assert_int_equal(node, 10);
	/* The wider one, if no list has it; then off. */
	set_lists("", "");
	assert_int_equal(gaudi_builder_add_matmul(b, y, w, h, 0, &node), 0);
	assert_int_equal(node, 12);
	/* Other lists know what was cast before; on and off, too. */
	set_lists("matmul", "");
	assert_int_equal(gaudi_builder_add_matmul(b, y, x, w, 0, &node), 0);
	assert_int_equal(node, 13);
	assert_int_equal(gaudi_builder_set_autocast(b, NULL), 0);
	set_lists("matmul", "");
	assert_int_equal(gaudi_builder_add_matmul(b, y, w, x, 0, &node), 0);
	assert_int_equal(node, 14);
	assert_int_equal(gaudi_builder_set_autocast(b, NULL), 0);
	SAYS(gaudi_builder_add_matmul(b, y, w, h, 0, NULL), "must be alike");
	assert_int_equal(gaudi_builder_build(b, &r), 0);
	assert_true(has("x as bf16, node 0", GAUDI_TYPE_BF16));
	assert_true(has("w as bf16, node 1", GAUDI_TYPE_BF16));
	assert_true(has("t as bf16, node 5", GAUDI_TYPE_BF16));
	assert_true(has("t as bf16, node 8", GAUDI_TYPE_BF16));
	assert_true(has("h as f32, node 11", F32));
	assert_false(has("bad as bf16, node 10", GAUDI_TYPE_BF16));
}

static void autocast_lists(void **state)
{
	struct gaudi_autocast a = { sizeof(a), "conv2d matmul", "x\nmatmul" };
	char path[] = "/tmp/autocast.XXXXXX";
	int fd = mkstemp(path);
	uint32_t x, y, node;

	(void)state;
	x = add("x", IN, F32, 8);
	y = add("y", OUT, F32, 8);
	SAYS(gaudi_builder_set_autocast(b, &a),
	     "operation 'matmul' is in both lists");
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "mm\nconv2d\n", 10), 10);
	close(fd);
	setenv("PT_HPU_AUTOCAST_LOWER_PRECISION_OPS_LIST", path, 1);
	set_lists(NULL, NULL);
	assert_int_equal(gaudi_builder_add_matmul(b, y, x, x, 0, &node), 0);
	assert_int_equal(node, 0);
	/* What the caller says is more; ours is more than what others know. */
	set_lists("matmul", NULL);
	assert_int_equal(gaudi_builder_add_matmul(b, y, x, x, 0, &node), 0);
	assert_int_equal(node, 2);
	setenv("GAUDI_AUTOCAST_BF16_OPS_LIST", "/nowhere", 1);
	a.bf16 = NULL;
	assert_int_equal(gaudi_builder_set_autocast(b, &a), -ENOENT);
	assert_non_null(strstr(gaudi_last_error(NULL), "'/nowhere'"));
	unsetenv("GAUDI_AUTOCAST_BF16_OPS_LIST");
	unsetenv("PT_HPU_AUTOCAST_LOWER_PRECISION_OPS_LIST");
	unlink(path);
	/* One list that is said is more than the default of the other. */
	set_lists(NULL, "matmul");
	assert_int_equal(gaudi_builder_add_matmul(b, y, x, x, 0, &node), 0);
	assert_int_equal(node, 3);
	/* By default, matmul reads bf16: as it was cast before. */
	set_lists(NULL, NULL);
	assert_int_equal(gaudi_builder_add_matmul(b, y, x, x, 0, &node), 0);
	assert_int_equal(node, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(autocast, begin, end),
		cmocka_unit_test_setup_teardown(autocast_lists, begin, end),
	};

	return cmocka_run_group_tests_name("autocast", tests, NULL, NULL);
}
