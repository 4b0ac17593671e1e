// SPDX-License-Identifier: MIT
/*
 * Whether nodes that do not depend on each other run at the same time, and others do
 * not. A kernel, which is the first node, looks into the results of nodes behind it
 * until they are there: that ends well only if they need not wait for it, nor for
 * anything that has to. The builder does not know where it looks.
 *
 * KERNELS: the folder with the objects of kernels/meet.s and kernels/axpy.s
 */
#include "recipes.h"
#include "streams.h"

#define WIDTH		64u
#define SLOT		(WIDTH * WIDTH * 4)
/* Half a minute on a slow machine; then they do not meet, and the test fails. */
#define PATIENCE	20000000u
#define IMPATIENCE	20000u

/* f32, all in one piece of memory. @MET is what the kernel writes: 1, or 0. */
enum { X, W, MET, COPIED, PRODUCT, SUM, NUM };

static const struct {
	const char *name;
	uint32_t kind;
	uint64_t dims[2];
} layout[NUM] = {
	[X] = { "x", IN, { 1, WIDTH } }, [W] = { "w", IN, { WIDTH, WIDTH } },
	[MET] = { "met", OUT, { 1, WIDTH } },
	[COPIED] = { "copied", OUT, { 1, WIDTH } },
	[PRODUCT] = { "product", OUT, { 1, WIDTH } },
	[SUM] = { "sum", OUT, { 1, WIDTH } },
};

static struct making m;
static uint32_t ids[NUM];
static float values[NUM][WIDTH * WIDTH];

static void begin(void)
{
	struct gaudi_tensor_desc d = {
		.size = sizeof(d), .type = GAUDI_TYPE_F32, .rank = 2,
	};
	int i;

	m = begin_recipe("overlap");
	for (i = 0; i < NUM; i++) {
		d.name = layout[i].name;
		d.kind = layout[i].kind;
		memcpy(d.dims, layout[i].dims, sizeof(layout[i].dims));
		GOOD(gaudi_builder_add_tensor(m.b, &d, &ids[i]));
	}
}

static uint32_t add_kernel(const char *name, const struct gaudi_kernel *how)
{
	struct gaudi_kernel k = *how;
	char path[4096];
	uint32_t node;
	FILE *f;

	assert_non_null(getenv("KERNELS"));
	snprintf(path, sizeof(path), "%s/%s.o", getenv("KERNELS"), name);
	f = fopen(path, "rb");
	assert_non_null(f);
	k.size = sizeof(k);
	k.name = name;
	k.object = malloc(64 * KIB);
	assert_non_null(k.object);
	k.object_size = fread((void *)k.object, 1, 64 * KIB, f);
	fclose(f);
	GOOD(gaudi_builder_add_kernel(m.b, &k, &node));
	free((void *)k.object);

	return node;
}

/* Until both have something in them, of which the builder is not told. */
static uint32_t add_meet(int one, int two, uint32_t looks)
{
	return add_kernel("meet", &(struct gaudi_kernel) {
		.num_tensors = 2,
		.tensors = { { ids[X], GAUDI_KERNEL_READS, 0 },
			     { ids[MET], GAUDI_KERNEL_WRITES, 0 } },
		.num_scalars = 3,
		.scalars = { SLOT / 4 * (uint32_t)(one - X),
			     SLOT / 4 * (uint32_t)(two - X), looks },
		.rank = 1, .index_space = { 1 },
	});
}

/* @to = 2 * @from + @from */
static uint32_t add_sum(int to, int from)
{
	return add_kernel("axpy", &(struct gaudi_kernel) {
		.num_tensors = 3,
		.tensors = { { ids[from], GAUDI_KERNEL_READS, 0 },
			     { ids[from], GAUDI_KERNEL_READS, 0 },
			     { ids[to], GAUDI_KERNEL_WRITES, 0 } },
		.num_scalars = 1, .scalars = { 0x40000000 },
		.rank = 2, .index_space = { 1, 1 },
	});
}

static uint32_t add_copy(int to, int from)
{
	uint32_t node;

	GOOD(gaudi_builder_add_copy(m.b, ids[to], ids[from], &node));

	return node;
}

static uint32_t add_product(int to, int from)
{
	uint32_t node;

	GOOD(gaudi_builder_add_matmul(m.b, ids[to], ids[from], ids[W], 0,
				      &node));

	return node;
}

/* Once, from outputs of zero. What no node of the test writes, a copy does. */
static void launch(void)
{
	gaudi_ptr at = device_memory(NUM * SLOT);
	struct gaudi_binding b[NUM];
	struct gaudi_launcher *l;
	struct gaudi_recipe *r;
	int i;

	memset(values, 0, sizeof(values));
	for (i = 0; i < (int)WIDTH; i++) {
		values[X][i] = 1 + (float)i;
		values[W][WIDTH * i + i] = 4;
	}
	for (i = 0; i < NUM; i++)
		b[i] = (struct gaudi_binding) { .name = layout[i].name,
						.address = at + i * SLOT };
	GOOD(gaudi_copy_to_device(dev, at, values, sizeof(values)));
	r = end_recipe(&m);
	GOOD(gaudi_launcher_create(dev, r, &l));
	GOOD(gaudi_recipe_release(r));
	GOOD(gaudi_launch(l, b, NUM, stream));
	GOOD(gaudi_stream_synchronize(stream));
	GOOD(gaudi_copy_to_host(dev, values, at, sizeof(values)));
	GOOD(gaudi_launcher_destroy(l));
	GOOD(gaudi_free(dev, at));
}

/* @times what @from has, so that it comes after it; MET has the same everywhere. */
static void is_made_of(int to, int from, float times)
{
	for (uint32_t i = 0; i < WIDTH; i++)
		if (values[to][i] != times * values[from][i])
			fail_msg("element %u of '%s' is %g: '%s' has %g", i,
				 layout[to].name, values[to][i],
				 layout[from].name, values[from][i]);
}

/* Launches it: whether the kernel met another one, and what the others were made of. */
static void gives(float meets, int copied, int product, int sum)
{
	launch();
	for (uint32_t i = 0; i < WIDTH; i++)
		assert_true(values[MET][i] == meets);
	is_made_of(COPIED, copied, 1);
	is_made_of(PRODUCT, product, 4);
	is_made_of(SUM, sum, 3);
}

TEST(all_at_once)
{
	begin();
	add_meet(COPIED, PRODUCT, PATIENCE);
	add_copy(COPIED, X);
	add_product(PRODUCT, X);
	add_sum(SUM, X);
	gives(1, X, X, X);
}

/* The copy comes after the kernel, the product does neither after this nor that. */
TEST(product_beside_a_chain)
{
	begin();
	add_meet(PRODUCT, PRODUCT, PATIENCE);
	add_copy(COPIED, MET);
	add_sum(SUM, COPIED);
	add_product(PRODUCT, X);
	gives(1, MET, X, COPIED);
}

TEST(copy_beside_a_chain)
{
	begin();
	add_meet(COPIED, COPIED, PATIENCE);
	add_product(PRODUCT, MET);
	add_sum(SUM, PRODUCT);
	add_copy(COPIED, X);
	gives(1, X, MET, PRODUCT);
}

/* On another TPC. */
TEST(kernel_beside_a_chain)
{
	begin();
	add_meet(SUM, SUM, PATIENCE);
	add_copy(COPIED, MET);
	add_product(PRODUCT, COPIED);
	add_sum(SUM, X);
	gives(1, MET, COPIED, X);
}

/* What was told to come later does, and the kernel sees that it is alone. */
TEST(not_if_told)
{
	for (int which = 0; which < 3; which++) {
		uint32_t kernel, other[3];

		begin();
		kernel = add_meet(COPIED + which, COPIED + which, IMPATIENCE);
		other[0] = add_copy(COPIED, X);
		other[1] = add_product(PRODUCT, X);
		other[2] = add_sum(SUM, X);
		GOOD(gaudi_builder_add_order(m.b, kernel, other[which]));
		gives(0, X, X, X);
	}
}

GROUP(set_up_streams, tear_down_device)
