// SPDX-License-Identifier: GPL-2.0-only
/*
 * The builder: what it refuses, where it puts things, and that recipes of random
 * nodes do what the same nodes do one after the other.
 */
#include <errno.h>

#include "../../unit.h"
#include "base/array.h"
#include "builder/builder.h"
#include "../demo.h"
#include "../program/machine.h"
#include "recipe/recipe.h"

static struct gaudi_builder *b;
static struct gaudi_recipe *r;

static int begin(void **state)
{
	(void)state;

	return gaudi_builder_create("test", &b);
}

static int end(void **state)
{
	(void)state;
	gaudi_builder_destroy(b);
	gaudi_recipe_release(r);
	b = NULL;
	r = NULL;

	return 0;
}

#define BUILDER_TEST(fn) TEST_WITH(fn, begin, end)

static struct gaudi_tensor_desc desc(const char *name, uint32_t kind,
				     uint64_t size)
{
	return (struct gaudi_tensor_desc) {
		.size = sizeof(struct gaudi_tensor_desc),
		.name = name,
		.kind = kind,
		.type = GAUDI_TYPE_U8,
		.rank = 1,
		.dims = { size },
	};
}

static uint32_t add(struct gaudi_tensor_desc d)
{
	uint32_t t;

	if (gaudi_builder_add_tensor(b, &d, &t))
		fail_msg("%s", gaudi_last_error(NULL));

	return t;
}

static uint32_t tensor(const char *name, uint32_t kind, uint64_t size)
{
	return add(desc(name, kind, size));
}

static void build(void)
{
	if (gaudi_builder_build(b, &r))
		fail_msg("%s", gaudi_last_error(NULL));
}

/* The call fails with this code, and its message has this text. */
#define REFUSED(call, code, text) do { \
	assert_int_equal(call, code); \
	if (!strstr(gaudi_last_error(NULL), text)) \
		fail_msg("'%s' lacks '%s'", gaudi_last_error(NULL), text); \
} while (0)

BUILDER_TEST(tensors_are_checked)
{
	struct gaudi_tensor_desc d = desc("a", GAUDI_TENSOR_INPUT, 4);
	char longer[GAUDI_MAX_NAME + 2];
	uint32_t t;

	add(d);
	REFUSED(gaudi_builder_add_tensor(b, &d, &t), -EEXIST, "'a'");
	d.name = "";
	REFUSED(gaudi_builder_add_tensor(b, &d, &t), -EINVAL, "name");
	d.name = "x\ny";
	REFUSED(gaudi_builder_add_tensor(b, &d, &t), -EINVAL, "name");
	memset(longer, 'x', sizeof(longer));
	longer[GAUDI_MAX_NAME + 1] = '\0';
	d.name = longer;
	REFUSED(gaudi_builder_add_tensor(b, &d, &t), -EINVAL, "name");
	longer[GAUDI_MAX_NAME] = '\0';
	WORKS(gaudi_builder_add_tensor(b, &d, &t));
	d.name = "b";
	d.kind = 0;
	REFUSED(gaudi_builder_add_tensor(b, &d, &t), -EINVAL, "kind 0");
	d.kind = GAUDI_TENSOR_WORKSPACE;
	d.place = GAUDI_PLACE_HOST;
	REFUSED(gaudi_builder_add_tensor(b, &d, &t), -EINVAL, "place 1");
	d.place = 0;
	d.type = 99;
	REFUSED(gaudi_builder_add_tensor(b, &d, &t), -EINVAL, "'b'");
	d.type = GAUDI_TYPE_F32;
	d.rank = 9;
	REFUSED(gaudi_builder_add_tensor(b, &d, &t), -EINVAL, "rank 9");
	d.rank = 1;
	d.dims[0] = 0;
	REFUSED(gaudi_builder_add_tensor(b, &d, &t), -EINVAL, "'b'");
	d.dims[0] = 1ull << 62;
	REFUSED(gaudi_builder_add_tensor(b, &d, &t), -EINVAL, "bytes");
	d.dims[0] = 4;
	d.data = "x";
	REFUSED(gaudi_builder_add_tensor(b, &d, &t), -EINVAL, "constants");
	d.data = NULL;
	d.kind = GAUDI_TENSOR_CONSTANT;
	REFUSED(gaudi_builder_add_tensor(b, &d, &t), -EINVAL, "constants");
	d.size = 0;
	REFUSED(gaudi_builder_add_tensor(b, &d, &t), -EINVAL, "size");
}

BUILDER_TEST(nodes_are_checked)
{
	uint32_t in, out, work, f32, n;
	struct gaudi_tensor_desc d = desc("f32", GAUDI_TENSOR_OUTPUT, 100);

	in = tensor("in", GAUDI_TENSOR_INPUT, 100);
	out = tensor("out", GAUDI_TENSOR_OUTPUT, 100);
	work = tensor("work", GAUDI_TENSOR_WORKSPACE, 100);
	d.type = GAUDI_TYPE_F32;
	f32 = add(d);

	REFUSED(gaudi_builder_add_copy(b, out, 77, NULL), -EINVAL, "77");
	REFUSED(gaudi_builder_add_copy(b, in, out, NULL), -EINVAL, "'in'");
	REFUSED(gaudi_builder_add_copy(b, f32, in, NULL), -EINVAL, "f32");
	REFUSED(gaudi_builder_add_fill(b, in, 0, NULL), -EINVAL, "'in'");
	REFUSED(gaudi_builder_add_copy_bytes(b, out, 1, in, 0, 100, NULL),
		-EINVAL, "'out'");
	REFUSED(gaudi_builder_add_copy_bytes(b, out, 0, in, 1, 100, NULL),
		-EINVAL, "'in'");
	REFUSED(gaudi_builder_add_copy_bytes(b, out, UINT64_MAX, in, 0, 2,
					     NULL), -EINVAL, "'out'");
	REFUSED(gaudi_builder_add_copy_bytes(b, out, 0, out, 10, 20, NULL),
		-EINVAL, "within");
	WORKS(gaudi_builder_add_copy_bytes(b, out, 0, out, 20, 20, NULL));
	REFUSED(gaudi_builder_add_copy_2d(b, out, 0, 10, in, 0, 20, 10, 6,
					  NULL), -EINVAL, "'in'");
	REFUSED(gaudi_builder_add_copy_2d(b, out, 0, 9, in, 0, 10, 10, 6,
					  NULL), -EINVAL, "pitch");
	REFUSED(gaudi_builder_add_copy_2d(b, out, 0, 10, in, 0, 10, 0, 6,
					  NULL), -EINVAL, "0 bytes");
	REFUSED(gaudi_builder_add_copy_2d(b, out, 0, 1ull << 63, in, 0, 10, 1,
					  3, NULL), -EINVAL, "'out'");
	REFUSED(gaudi_builder_add_signal(b, "e", work, NULL), -EINVAL,
		"'work'");
	REFUSED(gaudi_builder_add_signal(b, "", out, NULL), -EINVAL, "name");
	WORKS(gaudi_builder_add_fill(b, out, 0, &n));
	REFUSED(gaudi_builder_add_order(b, n, n), -EINVAL, "after");
	REFUSED(gaudi_builder_add_order(b, n, n + 1), -EINVAL, "after");
}

BUILDER_TEST(work_of_links_is_checked)
{
	struct gaudi_recipe_info info = { .size = sizeof(info) };
	struct gaudi_tensor_desc d = desc("host", GAUDI_TENSOR_INPUT, 100);
	uint32_t in, work, host;

	in = tensor("in", GAUDI_TENSOR_INPUT, 100);
	work = tensor("work", GAUDI_TENSOR_WORKSPACE, 100);
	d.place = GAUDI_PLACE_HOST;
	host = add(d);
#define WRITE(name, to, from, offset, size, flags) \
	gaudi_builder_add_link_write(b, name, to, from, offset, size, flags)
	REFUSED(WRITE("x", 0, 3, 0, 1, 0), -EINVAL, "tensor 3 of 3");
	REFUSED(WRITE("x", 0, work, 0, 1, 0), -EINVAL, "no input or output");
	REFUSED(WRITE("x", 0, host, 0, 1, 0), -EINVAL, "on the device");
	REFUSED(WRITE("x", 0, in, 100, 1, 0), -EINVAL, "more than");
	REFUSED(WRITE("x", 0, in, UINT64_MAX, 2, 0), -EINVAL, "more than");
	REFUSED(WRITE("x", UINT64_MAX, in, 0, 1, 0), -EINVAL, "addresses");
	REFUSED(WRITE("x", 0, in, 0, 1, 8), -EINVAL, "flags");
	REFUSED(WRITE("", 0, in, 0, 1, 0), -EINVAL, "name");
	REFUSED(gaudi_builder_add_link_write(NULL, "x", 0, in, 0, 1, 0),
		-EINVAL, "no builder");
	REFUSED(gaudi_builder_add_link_wait(b, NULL, 1), -EINVAL, "name");
	REFUSED(gaudi_builder_add_link_wait(b, "x", 0), -EINVAL, "for no");
	REFUSED(gaudi_builder_add_link_wait(b, "x", 8193), -EINVAL, "too many");
	REFUSED(gaudi_builder_add_link_wait(NULL, "x", 1), -EINVAL, "no builder");
	for (uint32_t i = 0; i < 255; i++)
		WORKS(gaudi_builder_add_link_wait(b, "x", 1));
	WORKS(WRITE("y", 0, in, 100, 0, 1));
	REFUSED(WRITE("z", 0, in, 0, 1, 0), -EOVERFLOW, "256");
#undef WRITE
	build();
	WORKS(gaudi_recipe_get_info(r, &info));
	assert_int_equal(info.num_links, 2);
}

/* A signal that is refused leaves no event behind. */
BUILDER_TEST(limits)
{
	struct gaudi_recipe_info info = { .size = sizeof(info) };
	uint32_t out, i;

	out = tensor("out", GAUDI_TENSOR_OUTPUT, 100);
	for (i = 0; i < 65536; i++)
		WORKS(gaudi_builder_add_fill(b, out, i, NULL));
	REFUSED(gaudi_builder_add_fill(b, out, i, NULL), -EOVERFLOW, "65536");
	REFUSED(gaudi_builder_add_signal(b, "late", out, NULL), -EOVERFLOW,
		"65536");
	build();
	WORKS(gaudi_recipe_get_info(r, &info));
	assert_int_equal(info.num_events, 0);
}

BUILDER_TEST(flow_is_checked)
{
	uint32_t out, work;

	out = tensor("out", GAUDI_TENSOR_OUTPUT, 100);
	REFUSED(gaudi_builder_build(b, &r), -EINVAL, "'out'");
	work = tensor("work", GAUDI_TENSOR_WORKSPACE, 100);
	WORKS(gaudi_builder_add_copy(b, out, work, NULL));
	REFUSED(gaudi_builder_build(b, &r), -EINVAL, "'work'");
	assert_null(r);
}

/* Tensors that do not live at the same time share bytes; others do not. */
BUILDER_TEST(workspace_is_shared)
{
	uint32_t in, out, w[4], i;
	char name[16];

	in = tensor("in", GAUDI_TENSOR_INPUT, 1000);
	out = tensor("out", GAUDI_TENSOR_OUTPUT, 1000);
	for (i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "w%u", i);
		w[i] = tensor(name, GAUDI_TENSOR_WORKSPACE, 1000);
		WORKS(gaudi_builder_add_copy(b, w[i], i ? w[i - 1] : in, NULL));
	}
	WORKS(gaudi_builder_add_copy(b, out, w[3], NULL));
	build();
	assert_int_equal(r->workspace_size, 2 * 1024);
	for (i = 1; i < 4; i++)
		assert_int_not_equal(r->tensors[w[i]].offset,
				     r->tensors[w[i - 1]].offset);
	assert_int_equal(r->tensors[w[0]].offset, r->tensors[w[2]].offset);
}

/* A chain of small copies stays on one engine and needs no sync objects. */
BUILDER_TEST(small_chains_need_no_sync)
{
	uint32_t in, work, out;

	in = tensor("in", GAUDI_TENSOR_INPUT, 1000);
	work = tensor("work", GAUDI_TENSOR_WORKSPACE, 1000);
	out = tensor("out", GAUDI_TENSOR_OUTPUT, 1000);
	WORKS(gaudi_builder_add_copy(b, work, in, NULL));
	WORKS(gaudi_builder_add_copy(b, out, work, NULL));
	build();
	assert_int_equal(r->program.num_streams, 1);
	assert_int_equal(r->program.num_sobs, 0);
}

BUILDER_TEST(large_copies_use_all_engines)
{
	struct gaudi_recipe_info info = { .size = sizeof(info) };
	uint32_t in, out;

	in = tensor("in", GAUDI_TENSOR_INPUT, 8 << 20);
	out = tensor("out", GAUDI_TENSOR_OUTPUT, 8 << 20);
	WORKS(gaudi_builder_add_copy(b, out, in, NULL));
	build();
	WORKS(gaudi_recipe_get_info(r, &info));
	assert_int_equal(info.num_engines, 6);
}

BUILDER_TEST(questions)
{
	struct gaudi_tensor_desc d = { .size = sizeof(d) };
	uint32_t t;

	WORKS(demo_build(DEMO_CONSTANT, &r));
	WORKS(gaudi_recipe_find_tensor(r, "table", &t));
	WORKS(gaudi_recipe_get_tensor(r, t, &d));
	assert_string_equal(d.name, "table");
	assert_int_equal(d.bytes, 300);
	assert_int_equal(d.strides[0], 1);
	assert_int_equal(((const uint8_t *)d.data)[299], 4);
	REFUSED(gaudi_recipe_find_tensor(r, "no", &t), -ENOENT, "'no'");
	REFUSED(gaudi_recipe_get_tensor(r, 9, &d), -EINVAL, "9 of 2");
	assert_null(gaudi_recipe_get_event(r, 0));
	assert_string_equal(gaudi_type_name(GAUDI_TYPE_BF16), "bf16");
	assert_null(gaudi_type_name(99));
	assert_int_equal(gaudi_type_size(0), 0);
}

/* --- random recipes --------------------------------------------------- */

#define MAX_TENSORS	12u
#define LARGEST		(1100u << 10)

struct rt {
	struct gaudi_tensor_desc d;
	char name[16];
	uint64_t bytes;
	uint8_t *want;
	uint8_t *memory;	/* of what is bound */
};

struct random {
	uint32_t x, num, signals;
	struct rt t[MAX_TENSORS];
};

static void random_tensors(struct random *w, uint64_t largest)
{
	uint32_t i;
	uint64_t j;

	w->num = 4 + next_random(&w->x) % (MAX_TENSORS - 3);
	for (i = 0; i < w->num; i++) {
		struct rt *t = &w->t[i];
		uint32_t kind = i < 4 ? i + 1 : 1 + next_random(&w->x) % 4;

		snprintf(t->name, sizeof(t->name), "t%u", i);
		t->bytes = 1 + next_random(&w->x) % largest;
		t->d = desc(t->name, kind, t->bytes);
		if (kind <= GAUDI_TENSOR_OUTPUT)
			t->d.place = next_random(&w->x) % 2;
		t->want = malloc(t->bytes);
		t->memory = malloc(t->bytes);
		for (j = 0; j < t->bytes; j++)
			t->want[j] = (uint8_t)(next_random(&w->x) >> 4);
		memcpy(t->memory, t->want, t->bytes);
		if (kind == GAUDI_TENSOR_CONSTANT)
			t->d.data = t->want;
		assert_int_equal(add(t->d), i);
	}
}

static bool is_writable(const struct rt *t)
{
	return t->d.kind == GAUDI_TENSOR_OUTPUT ||
	       t->d.kind == GAUDI_TENSOR_WORKSPACE;
}

static void fill_all(struct random *w)
{
	uint32_t i;

	for (i = 0; i < w->num; i++) {
		if (!is_writable(&w->t[i]))
			continue;
		WORKS(gaudi_builder_add_fill(b, i, i, NULL));
		memset(w->t[i].want, (int)i, w->t[i].bytes);
	}
}

static void random_rows(struct random *w, uint32_t to, uint32_t from)
{
	struct rt *t = &w->t[to], *f = &w->t[from];
	uint64_t least = t->bytes < f->bytes ? t->bytes : f->bytes;
	uint64_t width = 1 + next_random(&w->x) % (least / 8 + 1);
	uint64_t height = 1 + next_random(&w->x) % 5, i;
	uint64_t tp = width, fp = width, to_at, from_at;

	while (height > 1 && width * height > least)
		height--;
	if (height > 1) {
		tp += next_random(&w->x) %
		      ((t->bytes - width * height) / (height - 1) + 1);
		fp = next_random(&w->x) % ((f->bytes - width) / (height - 1) + 1);
	}
	to_at = next_random(&w->x) % (t->bytes - tp * (height - 1) - width + 1);
	from_at = next_random(&w->x) % (f->bytes - fp * (height - 1) - width + 1);
	WORKS(gaudi_builder_add_copy_2d(b, to, to_at, tp, from, from_at, fp,
					width, height, NULL));
	for (i = 0; i < height; i++)
		memcpy(t->want + to_at + i * tp, f->want + from_at + i * fp,
		       width);
}

static void random_nodes(struct random *w)
{
	uint32_t i, n, to, from, last = 0, node = 0;

	n = 1 + next_random(&w->x) % 40;
	for (i = 0; i < n; i++) {
		to = next_random(&w->x) % w->num;
		from = next_random(&w->x) % w->num;
		if (!is_writable(&w->t[to]))
			continue;
		if (next_random(&w->x) % 8 == 0) {
			WORKS(gaudi_builder_add_signal(b, "event", to, &node));
			w->signals++;
		} else if (to == from) {
			WORKS(gaudi_builder_add_fill(b, to, i, &node));
			memset(w->t[to].want, (int)i, w->t[to].bytes);
		} else {
			random_rows(w, to, from);
		}
		if (node > last && next_random(&w->x) % 4 == 0)
			WORKS(gaudi_builder_add_order(b, last, node));
		last = node;
	}
}

static const char *run(struct random *w, uint32_t seed)
{
	uint8_t *bound[MAX_TENSORS] = {};
	uint32_t i;

	for (i = 0; i < w->num; i++)
		if (w->t[i].d.kind <= GAUDI_TENSOR_OUTPUT)
			bound[i] = w->t[i].memory;

	return machine_run_recipe(r, bound, w->signals, seed);
}

static void one_random(uint32_t seed, uint64_t largest)
{
	struct random w = { .x = seed * 747796405u + 1 };
	const char *wrong;
	uint32_t i;

	assert_int_equal(begin(NULL), 0);
	random_tensors(&w, largest);
	fill_all(&w);
	random_nodes(&w);
	build();
	wrong = run(&w, seed);
	if (wrong)
		fail_msg("seed %u: %s", seed, wrong);
	for (i = 0; i < w.num; i++) {
		if (w.t[i].d.kind <= GAUDI_TENSOR_OUTPUT &&
		    memcmp(w.t[i].want, w.t[i].memory, w.t[i].bytes))
			fail_msg("seed %u: tensor %u", seed, i);
		free(w.t[i].want);
		free(w.t[i].memory);
	}
	end(NULL);
}

TEST(random_recipes)
{
	uint32_t seed;

	for (seed = 1; seed <= 1000; seed++)
		one_random(seed, 3000);
}

TEST(random_large_recipes)
{
	uint32_t seed;

	for (seed = 1; seed <= 15; seed++)
		one_random(seed, 6 * LARGEST);
}

/* Copy @from, which is at @in, to @to, at @out: 24 elements, one packet each. */
static void copy_elements(uint32_t from, uint32_t to, uint32_t *in,
			  uint32_t *out)
{
	uint64_t addresses[] = { 0x1000, 0x9000 }, sizes[] = { 96, 96 };
	uint8_t *memory[] = { (uint8_t *)in, (uint8_t *)out }, packets[1024];
	struct machine_memory mm = { 2, memory, sizes, addresses };
	uint32_t sobs[MACHINE_SOBS] = {};
	struct prog_resources res = {};
	uint8_t *list[] = { packets };

	WORKS(gaudi_builder_add_copy(b, to, from, NULL));
	build();
	assert_int_equal(r->program.num_streams, 1);
	assert_int_equal(r->program.streams[0].size, 24 * 24);
	WORKS(program_instantiate(&r->program, 0, &res, packets));
	WORKS(program_bind(&r->program, from, 0x1000, (void **)list));
	WORKS(program_bind(&r->program, to, 0x9000, (void **)list));
	assert_null(machine_run(&r->program, &res, list, &mm, sobs, 1));
}

/* A transposition, element by element. */
BUILDER_TEST(strides)
{
	struct gaudi_tensor_desc d = desc("in", GAUDI_TENSOR_INPUT, 0);
	uint32_t in[4][6], out[6][4], i, j, from, to;

	d.type = GAUDI_TYPE_F32;
	d.rank = 2;
	d.dims[0] = 6;
	d.dims[1] = 4;
	d.strides[0] = 4;
	d.strides[1] = 24;
	from = add(d);
	d.name = "out";
	d.kind = GAUDI_TENSOR_OUTPUT;
	memset(d.strides, 0, sizeof(d.strides));
	to = add(d);
	for (i = 0; i < 4; i++)
		for (j = 0; j < 6; j++)
			in[i][j] = i * 10 + j;
	copy_elements(from, to, in[0], out[0]);
	for (i = 0; i < 4; i++)
		for (j = 0; j < 6; j++)
			assert_int_equal(out[j][i], in[i][j]);
}

/* An expanded scalar has no stride but 0; a count says that it is meant. */
BUILDER_TEST(expanded)
{
	struct gaudi_tensor_desc d = desc("in", GAUDI_TENSOR_INPUT, 0), asked;
	uint32_t in[24], out[24], i, from, to;

	d.type = GAUDI_TYPE_F32;
	d.rank = 2;
	d.dims[0] = 6;
	d.dims[1] = 4;
	d.num_strides = 1;
	REFUSED(gaudi_builder_add_tensor(b, &d, &from), -EINVAL,
		"1 strides for rank 2");
	d.num_strides = 2;
	from = add(d);
	d.name = "out";
	d.kind = GAUDI_TENSOR_OUTPUT;
	d.num_strides = 0;
	to = add(d);
	for (i = 0; i < 24; i++)
		in[i] = i + 10;
	copy_elements(from, to, in, out);
	for (i = 0; i < 24; i++)
		assert_int_equal(out[i], 10);
	/* What a recipe says of a tensor makes the same tensor again. */
	asked.size = sizeof(asked);
	WORKS(gaudi_recipe_get_tensor(r, from, &asked));
	assert_int_equal(asked.bytes, 4);
	asked.name = "again";
	from = add(asked);
	gaudi_recipe_release(r);
	build();
	WORKS(gaudi_recipe_get_tensor(r, from, &asked));
	assert_int_equal(asked.bytes, 4);
	asked.name = "written";
	asked.kind = GAUDI_TENSOR_OUTPUT;
	to = add(asked);
	REFUSED(gaudi_builder_add_fill(b, to, 1, NULL), -EINVAL, "is 0");
}

/* No byte is written twice by one node, whatever the order of the strides. */
BUILDER_TEST(elements_apart)
{
	static const struct { uint64_t strides[2]; bool good; } cases[] = {
		{ { 16, 4 }, true }, { { 4, 12 }, true }, { { 8, 12 }, true },
		{ { 4, 4 }, false }, { { 4, 8 }, false }, { { 12, 3 }, false },
		{ { 8, 4 }, false }, { { 11, 4 }, false }, { { 2, 100 }, false },
	};
	struct gaudi_tensor_desc d = desc("out", GAUDI_TENSOR_OUTPUT, 3);
	uint32_t from, to;
	char name[8];

	d.type = GAUDI_TYPE_F32;
	d.rank = 2;
	d.dims[1] = 3;
	d.name = "from";
	d.kind = GAUDI_TENSOR_INPUT;
	from = add(d);
	d.kind = GAUDI_TENSOR_OUTPUT;
	d.name = name;
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(name, sizeof(name), "to%u", i);
		memcpy(d.strides, cases[i].strides, sizeof(cases[i].strides));
		to = add(d);
		if (cases[i].good) {
			WORKS(gaudi_builder_add_copy(b, to, from, NULL));
			WORKS(gaudi_builder_add_fill(b, to, 1, NULL));
			continue;
		}
		REFUSED(gaudi_builder_add_copy(b, to, from, NULL), -EINVAL,
			"overlap");
		REFUSED(gaudi_builder_add_fill(b, to, 1, NULL), -EINVAL, name);
	}
	/* What is only read may overlap. */
	d.name = "window";
	d.kind = GAUDI_TENSOR_INPUT;
	from = add(d);
	d.name = "rows";
	d.kind = GAUDI_TENSOR_OUTPUT;
	memset(d.strides, 0, sizeof(d.strides));
	WORKS(gaudi_builder_add_copy(b, add(d), from, NULL));
}

/* Work in an order that no tensor asks for. */
BUILDER_TEST(orders)
{
	struct gaudi_tensor_desc d = desc("h1", GAUDI_TENSOR_OUTPUT, 64);
	uint32_t in, out, h1, first, then, plain;

	in = tensor("in", GAUDI_TENSOR_INPUT, 64);
	out = tensor("out", GAUDI_TENSOR_OUTPUT, 64);
	d.place = GAUDI_PLACE_HOST;
	h1 = add(d);
	d.name = "h2";
	d.kind = GAUDI_TENSOR_INPUT;
	WORKS(gaudi_builder_add_copy(b, h1, in, &first));
	WORKS(gaudi_builder_add_copy(b, out, add(d), &then));
	build();
	plain = r->program.streams[0].size;
	gaudi_recipe_release(r);
	WORKS(gaudi_builder_add_order(b, first, then));
	build();
	assert_int_equal(r->program.streams[0].size, plain + 40);
}

/*
 * A node whose parts run on several engines and whose rows lie between each
 * other's: a reader comes after all of them.
 */
BUILDER_TEST(interleaved_parts)
{
	enum { N = 4, ROWS = 512, WIDTH = 1024, ALL = N * ROWS * WIDTH };
	static uint8_t in[ALL], out[ALL];
	struct gaudi_tensor_desc d = desc("in", GAUDI_TENSOR_INPUT, 0);
	struct random w = { .num = 3 };
	uint32_t i, from, work, to, x = 1;

	d.rank = 3;
	d.dims[0] = N;
	d.dims[1] = ROWS;
	d.dims[2] = WIDTH;
	from = add(d);
	d.name = "work";
	d.kind = GAUDI_TENSOR_WORKSPACE;
	d.strides[0] = WIDTH;
	d.strides[1] = N * WIDTH;
	d.strides[2] = 1;
	w.t[1].d = d;
	work = add(d);
	w.t[2].d = desc("out", GAUDI_TENSOR_OUTPUT, ALL);
	to = add(w.t[2].d);
	w.t[0].d = desc("in", GAUDI_TENSOR_INPUT, ALL);
	w.t[0].memory = in;
	w.t[2].memory = out;
	for (i = 0; i < 3; i++)
		w.t[i].bytes = ALL;
	for (i = 0; i < ALL; i++)
		in[i] = (uint8_t)next_random(&x);
	WORKS(gaudi_builder_add_copy(b, work, from, NULL));
	WORKS(gaudi_builder_add_copy_bytes(b, to, 0, work, 0, 500000, NULL));
	build();
	assert_true(r->program.num_streams > 3);
	for (x = 1; x < 20; x++) {
		memset(out, 0, sizeof(out));
		assert_null(run(&w, x));
		for (i = 0; i < 500000; i += 256)
			if (out[i] != in[i / WIDTH % N * ROWS * WIDTH +
					 i / WIDTH / N * WIDTH + i % WIDTH])
				fail_msg("seed %u: byte %u", x, i);
	}
}

/* How many names are looked at for this one. */
static uint32_t steps_to(const char *name)
{
	uint32_t i = b->names[gd_hash(name, strlen(name)) &
			      (b->num_names - 1)], n = 1;

	for (; strcmp(b->tensors[i].t.name, name); i = b->tensors[i].next)
		n++;

	return n;
}

/*
 * A chain in which each node reads the same input, too. What a tensor costs does not
 * grow with the number of those that there are.
 */
BUILDER_TEST(as_many_as_there_may_be)
{
	enum { TENSORS = BUILDER_MAX_NODES / 2 };
	struct gaudi_tensor_desc d = {
		.size = sizeof(d), .type = GAUDI_TYPE_U8, .rank = 1,
		.dims = { 64 },
	};
	struct gaudi_recipe *r;
	uint32_t x, t, i, steps = 0;
	char name[16];

	d.name = "x";
	d.kind = GAUDI_TENSOR_INPUT;
	WORKS(gaudi_builder_add_tensor(b, &d, &x));
	d.name = name;
	for (i = 0; i < TENSORS; i++) {
		snprintf(name, sizeof(name), "t%u", i);
		d.kind = i + 1 < TENSORS ? GAUDI_TENSOR_WORKSPACE :
					 GAUDI_TENSOR_OUTPUT;
		WORKS(gaudi_builder_add_tensor(b, &d, &t));
		WORKS(gaudi_builder_add_copy_bytes(b, t, 0, x, 0, 32, NULL));
		WORKS(gaudi_builder_add_copy_bytes(b, t, 32, i ? t - 1 : x, 0,
						   32, NULL));
	}
	for (i = 0; i < b->num_tensors; i++) {
		uint32_t n = steps_to(b->tensors[i].t.name);

		steps += n;
		assert_true(n < 16);
	}
	assert_true(steps < 2 * b->num_tensors);
	snprintf(name, sizeof(name), "t%u", 77);
	assert_int_equal(gaudi_builder_add_tensor(b, &d, &t), -EEXIST);
	WORKS(gaudi_builder_build(b, &r));
	gaudi_recipe_release(r);
}
