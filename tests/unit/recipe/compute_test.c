// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Nodes that compute: what the builder makes of them, run on a machine of
 * threads' orders with the card's walk for matrix engines; objects of kernels;
 * launches that a file must not have.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine.h"
#include "mme_desc.h"
#include "mme_machine.h"
#include "object.h"
#include "program_item.h"
#include "recipe.h"

#define MAX_TENSORS	16

static struct gaudi_builder *b;
static struct gaudi_recipe *r;
static float *values[MAX_TENSORS];	/* of f32 tensors that are bound */

static int begin(void **state)
{
	(void)state;
	memset(values, 0, sizeof(values));

	return gaudi_builder_create("compute", &b);
}

static int end(void **state)
{
	(void)state;
	gaudi_builder_destroy(b);
	gaudi_recipe_release(r);
	b = NULL;
	r = NULL;
	for (int i = 0; i < MAX_TENSORS; i++)
		free(values[i]);

	return 0;
}

static uint32_t add(const char *name, uint32_t kind, uint32_t type,
		    uint32_t rank, uint64_t d0, uint64_t d1, uint64_t d2,
		    uint64_t d3)
{
	struct gaudi_tensor_desc d = {
		.size = sizeof(d), .name = name, .kind = kind, .type = type,
		.rank = rank, .dims = { d0, d1, d2, d3 },
	};
	uint64_t num = 1, i;
	uint32_t t;

	assert_int_equal(gaudi_builder_add_tensor(b, &d, &t), 0);
	for (i = 0; i < rank; i++)
		num *= d.dims[i];
	if (kind > GAUDI_TENSOR_OUTPUT || type != GAUDI_TYPE_F32)
		return t;
	values[t] = malloc(num * sizeof(float));
	for (i = 0; i < num; i++)
		values[t][i] = kind == GAUDI_TENSOR_INPUT ?
			       (float)((i * 7 + t) % 11) - 5 : -1000;

	return t;
}

#define IN	GAUDI_TENSOR_INPUT
#define OUT	GAUDI_TENSOR_OUTPUT
#define WORK	GAUDI_TENSOR_WORKSPACE
#define F32	GAUDI_TYPE_F32

/* Through a file, and back. */
static void build(void)
{
	struct gaudi_recipe *built;
	void *data;
	size_t size;

	assert_int_equal(gaudi_builder_build(b, &built), 0);
	assert_int_equal(gaudi_recipe_to_memory(built, &data, &size), 0);
	gaudi_recipe_release(built);
	if (gaudi_recipe_from_memory(data, size, &r))
		fail_msg("%s", gaudi_last_error(NULL));
	free(data);
}

static void run(uint32_t seed)
{
	uint64_t sizes[MAX_TENSORS + 1], addresses[MAX_TENSORS + 1];
	uint8_t *memory[MAX_TENSORS + 1], *packets[PROG_NUM_ENGINES];
	uint32_t sobs[PROG_MAX_SOBS], counts[MACHINE_SOBS] = {}, i;
	const struct program *p = &r->program;
	struct machine_memory mm = { p->num_buffers + 1, memory, sizes,
				     addresses };
	struct prog_resources res = { .sobs = sobs };
	const char *wrong;

	for (i = 0; i <= p->num_buffers; i++) {
		addresses[i] = 0x40000000ull * (i + 1);
		memory[i] = i < p->num_buffers ? (uint8_t *)values[i] : NULL;
		sizes[i] = memory[i] ? r->tensors[i].bytes : 0;
	}
	memory[p->num_buffers] = malloc(r->workspace_size + 1);
	sizes[p->num_buffers] = r->workspace_size;
	for (i = 0; i < p->num_sobs; i++)
		sobs[i] = i * 3;
	for (i = 0; i < p->num_streams; i++) {
		res.monitors[i] = i;
		packets[i] = malloc(p->streams[i].size + 1);
		res.addresses[i] = (uintptr_t)packets[i];
		assert_int_equal(program_instantiate(p, i, &res, packets[i]),
				 0);
	}
	for (i = 0; i < p->num_buffers; i++)
		assert_int_equal(program_bind(p, i, r->tensors[i].kind == WORK ?
					      addresses[p->num_buffers] +
					      r->tensors[i].offset :
					      addresses[i], (void **)packets),
				 0);
	wrong = machine_run(p, 0, packets, &mm, counts, seed);
	if (wrong)
		fail_msg("seed %u: %s", seed, wrong);
	for (i = 0; i < MACHINE_SOBS; i++)
		assert_int_equal(counts[i], 0);
	free(memory[p->num_buffers]);
	for (i = 0; i < p->num_streams; i++)
		free(packets[i]);
}

/* --- matrices ------------------------------------------------------------- */

#define M	130
#define K	70
#define H	90
#define N	40

/* Two layers, and the result copied: each after the other, whoever is fast. */
static void two_layers(void **state)
{
	uint32_t x, w, v, h, y, z, i, j, k;
	static double hidden[M][H], want[M][N];

	(void)state;
	x = add("x", IN, F32, 2, M, K, 0, 0);
	w = add("w", IN, F32, 2, H, K, 0, 0);
	v = add("v", IN, F32, 2, H, N, 0, 0);
	h = add("h", WORK, F32, 2, M, H, 0, 0);
	y = add("y", OUT, F32, 2, M, N, 0, 0);
	z = add("z", OUT, F32, 2, M, N, 0, 0);
	assert_int_equal(gaudi_builder_add_matmul(b, h, x, w,
						  GAUDI_TRANSPOSE_B |
						  GAUDI_RELU, NULL), 0);
	assert_int_equal(gaudi_builder_add_matmul(b, y, h, v, 0, NULL), 0);
	assert_int_equal(gaudi_builder_add_copy(b, z, y, NULL), 0);
	build();
	for (i = 0; i < M; i++) {
		for (j = 0; j < H; j++) {
			hidden[i][j] = 0;
			for (k = 0; k < K; k++)
				hidden[i][j] += values[x][i * K + k] *
						values[w][j * K + k];
			if (hidden[i][j] < 0)
				hidden[i][j] = 0;
		}
		for (j = 0; j < N; j++) {
			want[i][j] = 0;
			for (k = 0; k < H; k++)
				want[i][j] += hidden[i][k] *
					      values[v][k * N + j];
		}
	}
	for (k = 0; k < 20; k++) {
		memset(values[z], 0, sizeof(float) * M * N);
		run(k);
		for (i = 0; i < M * N; i++)
			assert_true(values[z][i] == want[i / N][i % N]);
	}
}

/* Strides of the caller's: the result by columns, a piece of a matrix. */
static void any_strides(void **state)
{
	struct gaudi_tensor_desc d = {
		.size = sizeof(d), .name = "part", .kind = IN, .type = F32,
		.rank = 2, .dims = { 20, 30 }, .strides = { 400, 4 },
	};
	uint32_t x, w, y, i, j, k;

	(void)state;
	assert_int_equal(gaudi_builder_add_tensor(b, &d, &x), 0);
	d.name = "result";
	d.kind = OUT;
	d.dims[1] = 50;
	d.strides[0] = 4;
	d.strides[1] = 80;
	assert_int_equal(gaudi_builder_add_tensor(b, &d, &y), 0);
	w = add("w", IN, F32, 2, 30, 50, 0, 0);
	values[x] = calloc(2000, sizeof(float));
	values[y] = calloc(1000, sizeof(float));
	for (i = 0; i < 2000; i++)
		values[x][i] = (float)(i % 9) - 4;
	assert_int_equal(gaudi_builder_add_matmul(b, y, x, w, 0, NULL), 0);
	build();
	run(1);
	for (i = 0; i < 20; i++) {
		for (j = 0; j < 50; j++) {
			double sum = 0;

			for (k = 0; k < 30; k++)
				sum += values[x][i * 100 + k] *
				       values[w][k * 50 + j];
			assert_true(values[y][j * 20 + i] == sum);
		}
	}
}

/* Launches of a stream; of the last of a matrix engine: does it store? */
static uint32_t count_launches(const struct prog_stream *s, bool *stores)
{
	uint32_t words[PROG_TPC_WORDS], num = 0;
	struct prog_cursor cursor = {};
	struct prog_item item;

	*stores = true;
	while (prog_item_next(s, &cursor, &item) == 1) {
		if (item.kind != PROG_ITEM_MME)
			continue;
		prog_launch_words(s, &item, words);
		*stores = mme_stores(words);
		num++;
	}

	return num;
}

/* What is between two parts may be another's work, which has no sums to spare. */
static void parts_keep_no_sums(void **state)
{
	uint32_t x, w, y, num, i, s, whole = 0, cut = 0;
	struct program *parts;
	bool stores;

	(void)state;
	x = add("x", IN, F32, 2, 300, 1100, 0, 0);
	w = add("w", IN, F32, 2, 1100, 300, 0, 0);
	y = add("y", OUT, F32, 2, 300, 300, 0, 0);
	assert_int_equal(gaudi_builder_add_matmul(b, y, x, w, 0, NULL), 0);
	build();
	assert_int_equal(program_cut(&r->program, 1, &parts, &num), 0);
	assert_true(num > 1);
	for (s = 0; s < r->program.num_streams; s++)
		whole += count_launches(&r->program.streams[s], &stores);
	for (i = 0; i < num; i++) {
		for (s = 0; s < parts[i].num_streams; s++) {
			cut += count_launches(&parts[i].streams[s], &stores);
			assert_true(stores);
		}
		program_free(&parts[i]);
	}
	free(parts);
	assert_int_equal(cut, whole);
	assert_true(whole > num);
}

static void convolution_and_gradients(void **state)
{
	struct gaudi_conv2d d = {
		.size = sizeof(d), .stride = { 2, 1 }, .padding = { 1, 0 },
		.dilation = { 1, 1 },
	};
	uint32_t x, w, y, dx, dw;

	(void)state;
	x = add("x", IN, F32, 4, 2, 7, 8, 3);
	w = add("w", IN, F32, 4, 3, 3, 3, 5);
	y = add("y", OUT, F32, 4, 2, 4, 6, 5);
	dx = add("dx", OUT, F32, 4, 2, 7, 8, 3);
	dw = add("dw", OUT, F32, 4, 3, 3, 3, 5);
	assert_int_equal(gaudi_builder_add_conv2d(b, y, x, w, &d, 0, NULL), 0);
	assert_int_equal(gaudi_builder_add_conv2d_data(b, dx, y, w, &d, 0,
						       NULL), 0);
	assert_int_equal(gaudi_builder_add_conv2d_weights(b, dw, x, y, &d, 0,
							  NULL), 0);
	build();
	run(3);
	/* <y, y> = <x, dx> = <w, dw>: all three are one sum. */
	double yy = 0, xx = 0, ww = 0;

	for (int i = 0; i < 2 * 4 * 6 * 5; i++)
		yy += values[y][i] * values[y][i];
	for (int i = 0; i < 2 * 7 * 8 * 3; i++)
		xx += values[x][i] * values[dx][i];
	for (int i = 0; i < 3 * 3 * 3 * 5; i++)
		ww += values[w][i] * values[dw][i];
	assert_true(yy > 0 && yy == xx && yy == ww);
}

static void refused(void **state)
{
	struct gaudi_conv2d d = {
		.size = sizeof(d), .stride = { 1, 1 }, .padding = { 0, 0 },
		.dilation = { 1, 1 },
	};
	uint32_t x, w, y, h, i;

	(void)state;
	x = add("x", IN, F32, 2, 4, 5, 0, 0);
	w = add("w", IN, F32, 2, 6, 7, 0, 0);
	y = add("y", OUT, F32, 2, 4, 7, 0, 0);
	h = add("h", IN, GAUDI_TYPE_BF16, 2, 5, 7, 0, 0);
	i = add("i", IN, GAUDI_TYPE_I32, 2, 5, 7, 0, 0);
#define SAYS(call, text) do { \
		assert_int_equal(call, -EINVAL); \
		if (!strstr(gaudi_last_error(NULL), text)) \
			fail_msg("%s", gaudi_last_error(NULL)); \
	} while (0)
	SAYS(gaudi_builder_add_matmul(b, y, x, w, 0, NULL),
	     "node 0, matmul: 'x' has 5 columns and 'w' has 6 rows");
	SAYS(gaudi_builder_add_matmul(b, y, x, h, 0, NULL),
	     "'x' is f32 and 'h' is bf16");
	SAYS(gaudi_builder_add_matmul(b, y, x, i, 0, NULL), "'i' is i32");
	SAYS(gaudi_builder_add_matmul(b, x, x, w, 0, NULL), "cannot be written");
	SAYS(gaudi_builder_add_matmul(b, y, y, w, 0, NULL), "read and written");
	SAYS(gaudi_builder_add_matmul(b, y, x, 9, 0, NULL), "tensor 9");
	SAYS(gaudi_builder_add_matmul(b, y, x, w, 64, NULL), "flags 0x40");
	SAYS(gaudi_builder_add_conv2d(b, y, x, w, &d, 0, NULL), "rank 2, not 4");
}

/* Groups, and zeros below only; three groups of four depths are none. */
static void groups(void **state)
{
	struct gaudi_conv2d d = {
		.size = sizeof(d), .stride = { 1, 1 }, .dilation = { 1, 1 },
		.groups = 2, .extra_padding = { 1, 0 },
	};
	uint32_t x, w, y, p, q, k, c;

	(void)state;
	x = add("x", IN, F32, 4, 1, 3, 3, 4);
	w = add("w", IN, F32, 4, 2, 1, 2, 6);
	y = add("y", OUT, F32, 4, 1, 3, 3, 6);
	d.groups = 3;
	SAYS(gaudi_builder_add_conv2d(b, y, x, w, &d, 0, NULL),
	     "3 groups: depths are 4 of 'x' and 6 of 'w'");
	d.groups = 1;
	SAYS(gaudi_builder_add_conv2d(b, y, x, w, &d, 0, NULL),
	     "the input's depth in a group is 4");
	d.groups = 2;
	assert_int_equal(gaudi_builder_add_conv2d(b, y, x, w, &d, 0, NULL), 0);
	build();
	run(1);
	for (p = 0; p < 3; p++) {
		for (q = 0; q < 9; q += 3) {
			for (k = 0; k < 6; k++) {
				float sum = 0;

				for (c = 0; c < 4; c++) {
					uint32_t row = p + c / 2;
					uint32_t in = k / 3 * 2 + c % 2;

					if (row < 3)
						sum += values[x][row * 12 + q / 3 * 4 + in] *
						       values[w][c * 6 + k];
				}
				assert_true(values[y][(p * 3 + q / 3) * 6 + k] ==
					    sum);
			}
		}
	}
}

/* --- side by side ----------------------------------------------------------- */

struct engine_use {
	uint32_t work;		/* launches or copies */
	uint32_t waits;		/* before the first of them */
	uint32_t more;		/* between it and the last */
};

static struct engine_use use_of(uint32_t engine)
{
	struct engine_use use = {};
	struct prog_cursor c = {};
	struct prog_item item;
	uint32_t i, waits = 0;

	for (i = 0; i < r->program.num_streams; i++)
		if (r->program.streams[i].engine == engine)
			break;
	if (i == r->program.num_streams)
		return use;
	while (prog_item_next(&r->program.streams[i], &c, &item) > 0) {
		if (item.kind == PROG_ITEM_WAIT)
			waits++;
		if (item.kind != PROG_ITEM_COPY &&
		    item.kind != PROG_ITEM_MME && item.kind != PROG_ITEM_TPC)
			continue;
		if (use.work++)
			use.more += waits;
		else
			use.waits = waits;
		waits = 0;
	}

	return use;
}

/*
 * A product, a kernel and a copy that know nothing of each other wait for the
 * beginning only: on both pairs, eight TPCs, a DMA engine. A product of both
 * results waits for all nine others.
 */
static void side_by_side(void **state)
{
	struct object o = make_object();
	struct gaudi_kernel k = {
		.size = sizeof(k), .name = "twice", .object = &o,
		.object_size = sizeof(o), .num_tensors = 2,
		.num_scalars = 1, .rank = 2, .index_space = { 4, 256 },
	};
	uint32_t x, y, z, u, v, copies = 0, i;
	struct engine_use use;

	(void)state;
	x = add("x", IN, F32, 2, 256, 256, 0, 0);
	y = add("y", OUT, F32, 2, 256, 256, 0, 0);
	z = add("z", OUT, F32, 2, 256, 256, 0, 0);
	u = add("u", OUT, F32, 2, 256, 256, 0, 0);
	v = add("v", OUT, F32, 2, 256, 256, 0, 0);
	k.tensors[0] = (struct gaudi_kernel_tensor) { x, GAUDI_KERNEL_READS, 0 };
	k.tensors[1] = (struct gaudi_kernel_tensor) { z, GAUDI_KERNEL_WRITES, 0 };
	assert_int_equal(gaudi_builder_add_matmul(b, y, x, x, 0, NULL), 0);
	assert_int_equal(gaudi_builder_add_kernel(b, &k, NULL), 0);
	assert_int_equal(gaudi_builder_add_copy(b, u, x, NULL), 0);
	assert_int_equal(gaudi_builder_add_matmul(b, v, y, z, 0, NULL), 0);
	build();
	for (i = 0; i < PROG_NUM_TPC; i++) {
		use = use_of(PROG_TPC_0 + i);
		assert_int_equal(use.work, 1);
		assert_int_equal(use.waits, 1);
	}
	for (i = 0; i < PROG_MME_0; i++) {
		use = use_of(i);
		copies += use.work;
		if (use.work)
			assert_int_equal(use.waits, i != PROG_LAST);
	}
	assert_true(copies > 0);
	for (i = 0; i < 2; i++) {
		use = use_of(PROG_MME_0 + i);
		assert_true(use.work >= 2);
		assert_int_equal(use.waits, 1);
		assert_int_equal(use.more, PROG_NUM_TPC + 1);
	}
}

/* --- kernels -------------------------------------------------------------- */

static void kernel_launches(void **state)
{
	struct object o = make_object();
	struct gaudi_kernel k = {
		.size = sizeof(k), .name = "twice", .object = &o,
		.object_size = sizeof(o), .num_tensors = 2,
		.num_scalars = 1, .scalars = { 0x40000000 },
		.rank = 2, .index_space = { 3, 20 },
	};
	struct gaudi_recipe_info info = { .size = sizeof(info) };
	uint32_t x, y, i, num = 0, done = 0;
	char *text;
	size_t size;
	FILE *f;

	(void)state;
	x = add("x", IN, F32, 2, 20, 100, 0, 0);
	y = add("y", OUT, F32, 2, 20, 100, 0, 0);
	k.tensors[0] = (struct gaudi_kernel_tensor) { x, GAUDI_KERNEL_READS, 0 };
	k.tensors[1] = (struct gaudi_kernel_tensor) { y, GAUDI_KERNEL_WRITES, 0 };
	assert_int_equal(gaudi_builder_add_kernel(b, &k, NULL), 0);
	/* The same code is there once. */
	assert_int_equal(gaudi_builder_add_kernel(b, &k, NULL), 0);
	build();
	assert_int_equal(gaudi_recipe_get_info(r, &info), 0);
	assert_int_equal(info.num_kernels, 16);
	assert_int_equal(info.num_tensors, 3);
	assert_int_equal(info.constants_size, 128);
	for (i = 0; i < r->program.num_streams; i++) {
		const struct prog_stream *s = &r->program.streams[i];
		struct prog_cursor c = {};
		struct prog_item item;
		uint32_t w[PROG_TPC_WORDS];

		while (prog_item_next(s, &c, &item) > 0) {
			if (item.kind != PROG_ITEM_TPC)
				continue;
			prog_launch_words(s, &item, w);
			num++;
			done += w[TPC_TID_SIZE(1)];
			assert_int_equal(w[TPC_TID_SIZE(0)], 3);
			assert_int_equal(w[TPC_SRF(0)], 0x40000000);
			assert_int_equal(w[TPC_TENSOR_SIZE(0)], 100);
			assert_int_equal(w[TPC_TENSOR_SIZE(1)], 20);
			assert_int_equal(w[TPC_TENSOR_STRIDE(1)], 100);
			assert_int_equal(item.num_refs, 4);
		}
	}
	assert_int_equal(num, 16);
	assert_int_equal(done, 40);
	f = open_memstream(&text, &size);
	assert_int_equal(gaudi_recipe_disassemble(r, f), 0);
	fclose(f);
	assert_non_null(strstr(text, "kernel reads 0='x', writes 1='y', runs 'kernel twice', tells sob"));
	assert_non_null(strstr(text, "tensor 1: f32"));
	free(text);
}

static void bad_objects(void **state)
{
	struct object o;
	struct gaudi_kernel k = {
		.size = sizeof(k), .name = "odd", .object = &o,
		.object_size = sizeof(o), .num_tensors = 1, .num_scalars = 1,
		.rank = 1, .index_space = { 1 },
	};
	uint32_t x, y, seed = 1, i;

	(void)state;
	x = add("x", OUT, F32, 1, 100, 0, 0, 0);
	y = add("y", OUT, GAUDI_TYPE_F64, 1, 100, 0, 0, 0);
	k.tensors[0] = (struct gaudi_kernel_tensor) { x, GAUDI_KERNEL_WRITES, 0 };
#define OBJECT(change, text) do { \
		o = make_object(); \
		change; \
		SAYS(gaudi_builder_add_kernel(b, &k, NULL), text); \
	} while (0)
	OBJECT(o.e.e_ident[4] = 2, "32 bits");
	OBJECT(o.e.e_machine = 62, "machine is 62");
	OBJECT(o.e.e_type = ET_EXEC, "type is 2");
	OBJECT(o.e.e_shnum = 5, "sections is 5");
	OBJECT(o.e.e_shstrndx = 4, "names is 4");
	OBJECT(o.s[1].sh_size = 63, "text is 63");
	OBJECT(o.s[1].sh_offset = 1u << 31, "beyond the object");
	OBJECT(o.s[2].sh_type = SHT_RELA, "relocations is 262");
	OBJECT(o.meta[8] = 3, "architecture is 3");
	OBJECT(o.meta[4] = 1, "special functions");
	OBJECT(o.meta[5] = 1, "printf");
	OBJECT(o.meta[12] = 2, "by its object it has 2");
	OBJECT(o.s[1].sh_name = 2, ".text is 0");
	k.tensors[0].tensor = y;
	OBJECT(, "'y' is f64");
	k.tensors[0].tensor = x;
	/* Anything at all: an error or not, but nothing beyond the object. */
	for (i = 0; i < 20000; i++) {
		void *copy = malloc(sizeof(o));

		o = make_object();
		((uint8_t *)&o)[next_random(&seed) % 52] =
			(uint8_t)next_random(&seed);
		((uint8_t *)&o.s)[next_random(&seed) % sizeof(o.s)] =
			(uint8_t)next_random(&seed);
		memcpy(copy, &o, sizeof(o));
		k.object = copy;
		if (next_random(&seed) % 8)
			k.index_space[0] = 0;
		gaudi_builder_add_kernel(b, &k, NULL);
		k.index_space[0] = 0;
		free(copy);
	}
}

/* --- hostile launches ------------------------------------------------------ */

static struct prog_stream *stream_of(uint32_t engine)
{
	uint32_t i;

	for (i = 0; i < r->program.num_streams; i++)
		if (r->program.streams[i].engine == engine)
			return &r->program.streams[i];
	fail_msg("no stream of engine %u", engine);

	return NULL;
}

/* The first launch, and a word of it. */
static uint32_t launch_at(const struct prog_stream *s)
{
	struct prog_cursor c = {};
	struct prog_item item;

	while (prog_item_next(s, &c, &item) > 0)
		if (item.kind == PROG_ITEM_MME || item.kind == PROG_ITEM_TPC)
			return item.offset;
	fail_msg("no launch");

	return 0;
}

/* As many as a launch has are passed, also those that the object does not name. */
static void more_scalars(void **state)
{
	struct object o = make_object();
	struct gaudi_kernel k = {
		.size = sizeof(k), .name = "glue", .object = &o,
		.object_size = sizeof(o), .num_tensors = 1,
		.num_scalars = GAUDI_KERNEL_SCALARS, .rank = 1,
		.index_space = { 1 },
	};
	const struct prog_stream *s;
	uint32_t i, word;

	(void)state;
	k.tensors[0] = (struct gaudi_kernel_tensor) {
		add("x", OUT, F32, 1, 100, 0, 0, 0), GAUDI_KERNEL_WRITES, 0,
	};
	for (i = 0; i < GAUDI_KERNEL_SCALARS; i++)
		k.scalars[i] = 0x100 + i;
	assert_int_equal(gaudi_builder_add_kernel(b, &k, NULL), 0);
	build();
	s = &r->program.streams[r->program.num_streams - 1];
	for (i = 0; i < GAUDI_KERNEL_SCALARS; i++) {
		memcpy(&word, s->packets + launch_at(s) + 8 + 4 * TPC_SRF(i),
		       sizeof(word));
		assert_int_equal(word, 0x100 + i);
	}
	k.num_scalars++;
	SAYS(gaudi_builder_add_kernel(b, &k, NULL), "at most 16 and 32");
}

static void spoil(uint32_t engine, uint32_t byte, uint32_t value,
		  const char *text)
{
	struct prog_stream *s = stream_of(engine);
	uint8_t *at = s->packets + launch_at(s) + byte;
	uint32_t old;

	memcpy(&old, at, sizeof(old));
	memcpy(at, &value, sizeof(value));
	assert_int_equal(recipe_check(r), GAUDI_ERR_RECIPE);
	if (!strstr(gaudi_last_error(NULL), text))
		fail_msg("'%s', not '%s'", gaudi_last_error(NULL), text);
	memcpy(at, &old, sizeof(old));
	assert_int_equal(recipe_check(r), 0);
}

static void hostile_launches(void **state)
{
	const uint32_t mme = 8 - MME_CTRL_ARCH, tpc = 8;
	struct object o = make_object();
	struct gaudi_kernel k = {
		.size = sizeof(k), .name = "twice", .object = &o,
		.object_size = sizeof(o), .num_tensors = 1,
		.num_scalars = 1, .rank = 1, .index_space = { 8 },
	};
	struct prog_patch *patch, old;
	uint32_t x, w, y, z, i;

	(void)state;
	x = add("x", IN, F32, 2, 80, 80, 0, 0);
	w = add("w", IN, F32, 2, 80, 80, 0, 0);
	y = add("y", OUT, F32, 2, 80, 80, 0, 0);
	z = add("z", OUT, F32, 2, 80, 80, 0, 0);
	k.tensors[0] = (struct gaudi_kernel_tensor) { z, GAUDI_KERNEL_WRITES, 0 };
	assert_int_equal(gaudi_builder_add_matmul(b, y, x, w, 0, NULL), 0);
	assert_int_equal(gaudi_builder_add_kernel(b, &k, NULL), 0);
	build();
	/* Other registers, or another size. */
	spoil(PROG_MME_0, 4, 0x02002800, "is not one of a program's");
	spoil(PROG_MME_0, 0, 67, "is not one of a program's");
	spoil(PROG_MME_0, 8 + 544 + 4, 0x01028800, "is not one of a program's");
	spoil(PROG_TPC_0, 4, 0x02640000, "is not one of a program's");
	/* Addresses of the file's choice. */
	spoil(PROG_MME_0, mme + MME_CTRL_ARCH_BASE_ADDR_LOW(0), 1, "is not one");
	spoil(PROG_MME_0, mme + MME_CTRL_ARCH_BASE_ADDR_HIGH(2), 1, "is not one");
	spoil(PROG_TPC_0, tpc + 4 * TPC_CODE, 8, "is not one of");
	spoil(PROG_TPC_0, tpc + 4, 1, "is not one of");
	spoil(PROG_TPC_0, tpc + 4 * TPC_SYNC_ADDRESS, 4, "is not one of");
	/* Beyond tensors. */
	spoil(PROG_MME_0, mme + MME_CTRL_ARCH_TENSOR_S +
	      MME_TENSOR_VALID_ELEMENTS(1), 1 << 20, "of tensor");
	spoil(PROG_MME_0, mme + MME_CTRL_ARCH_TENSOR_O +
	      MME_TENSOR_VALID_ELEMENTS(4), 1 << 20, "of tensor 'y'");
	spoil(PROG_TPC_0, tpc + 4 * TPC_TENSOR_SIZE(1), 81, "of tensor 'z'");
	spoil(PROG_TPC_0, tpc + 4 * TPC_TENSOR_STRIDE(1), ~0u, "of tensor 'z'");
	spoil(PROG_TPC_0, tpc + 4 * (14 + TPC_TENSOR_SIZE(0)), 1,
	      "tensor without an address");
	spoil(PROG_TPC_0, tpc + 4 * TPC_SYNC_MESSAGE, 1, "signals something");
	spoil(PROG_MME_0, mme + MME_CTRL_ARCH_DESC_SO_DATA, 1, "sync object");
	/* Patches: what is written must be an output, what runs must not. */
	patch = stream_of(PROG_MME_0)->patches;
	for (i = 0; patch[i].kind != PROG_PATCH_WRITE; i++)
		;
	old = patch[i];
	patch[i].buffer = x;
	assert_int_equal(recipe_check(r), GAUDI_ERR_RECIPE);
	assert_non_null(strstr(gaudi_last_error(NULL), "only read"));
	patch[i] = old;
	patch = stream_of(PROG_TPC_0)->patches;
	for (i = 0; patch[i].kind != PROG_PATCH_CODE; i++)
		;
	patch[i].buffer = y;
	assert_int_equal(recipe_check(r), GAUDI_ERR_RECIPE);
	assert_non_null(strstr(gaudi_last_error(NULL), "can be written"));
}

/* Nothing is written while a kernel may run: neither the first time nor later. */
static void launches_wait_for_the_tpc(void **state)
{
	struct object o = make_object();
	struct gaudi_kernel k = {
		.size = sizeof(k), .name = "twice", .object = &o,
		.object_size = sizeof(o), .num_tensors = 1,
		.num_scalars = 1, .rank = 1, .index_space = { 8 },
	};
	struct prog_cursor c = {};
	struct prog_item item;
	struct prog_stream *s;
	uint32_t num = 0;

	(void)state;
	k.tensors[0].tensor = add("x", IN, F32, 1, 64, 0, 0, 0);
	k.tensors[0].access = GAUDI_KERNEL_READS;
	assert_int_equal(gaudi_builder_add_kernel(b, &k, NULL), 0);
	assert_int_equal(gaudi_builder_add_kernel(b, &k, NULL), 0);
	build();
	s = stream_of(PROG_TPC_0);
	while (prog_item_next(s, &c, &item) > 0) {
		if (item.kind != PROG_ITEM_TPC)
			continue;
		assert_true(item.barrier);
		/* The byte with the bit. */
		s->packets[item.offset + 7] ^= 0x20;
		assert_int_equal(recipe_check(r), GAUDI_ERR_RECIPE);
		assert_non_null(strstr(gaudi_last_error(NULL),
				       "does not wait until its TPC is idle"));
		s->packets[item.offset + 7] ^= 0x20;
		assert_int_equal(recipe_check(r), 0);
		num++;
	}
	assert_int_equal(num, 2);
}

/* Any word of any launch: an error, or what stays within its tensors. */
static void random_launches(void **state)
{
	uint32_t x, w, y, i, seed = 5, passed = 0;
	struct prog_stream *s;

	(void)state;
	x = add("x", IN, F32, 2, 20, 30, 0, 0);
	w = add("w", IN, F32, 2, 30, 20, 0, 0);
	y = add("y", OUT, F32, 2, 20, 20, 0, 0);
	assert_int_equal(gaudi_builder_add_matmul(b, y, x, w, 0, NULL), 0);
	build();
	s = &r->program.streams[r->program.num_streams - 1];
	for (i = 0; i < 3000; i++) {
		uint8_t *at = s->packets + launch_at(s) + 8 +
			      4 * (next_random(&seed) % MME_DESC_WORDS);
		uint32_t old, new = next_random(&seed) >>
				    next_random(&seed) % 28;

		memcpy(&old, at, sizeof(old));
		memcpy(at, &new, sizeof(new));
		passed += !recipe_check(r);
		memcpy(at, &old, sizeof(old));
	}
	assert_in_range(passed, 100, 2900);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(two_layers, begin, end),
		cmocka_unit_test_setup_teardown(any_strides, begin, end),
		cmocka_unit_test_setup_teardown(parts_keep_no_sums, begin, end),
		cmocka_unit_test_setup_teardown(convolution_and_gradients,
						begin, end),
		cmocka_unit_test_setup_teardown(refused, begin, end),
		cmocka_unit_test_setup_teardown(groups, begin, end),
		cmocka_unit_test_setup_teardown(side_by_side, begin, end),
		cmocka_unit_test_setup_teardown(kernel_launches, begin, end),
		cmocka_unit_test_setup_teardown(bad_objects, begin, end),
		cmocka_unit_test_setup_teardown(more_scalars, begin, end),
		cmocka_unit_test_setup_teardown(hostile_launches, begin, end),
		cmocka_unit_test_setup_teardown(launches_wait_for_the_tpc,
						begin, end),
		cmocka_unit_test_setup_teardown(random_launches, begin, end),
	};

	return cmocka_run_group_tests_name("compute", tests, NULL, NULL);
}
