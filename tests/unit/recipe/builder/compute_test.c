// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Nodes that compute: what the builder makes of them, run in many orders, and
 * which engines work side by side.
 */
#include <errno.h>

#include "../../unit.h"
#include "compute.h"
#include "../object.h"
#include "program/program_item.h"
#include "recipe/recipe.h"

/* --- matrices ------------------------------------------------------------- */

#define M	130
#define K	70
#define H	90
#define N	40

/* Two layers, and the result copied: each after the other, whoever is fast. */
COMPUTE_TEST(two_layers)
{
	uint32_t x, w, v, h, y, z, i, j, k;
	static double hidden[M][H], want[M][N];

	x = add("x", IN, F32, 2, M, K, 0, 0);
	w = add("w", IN, F32, 2, H, K, 0, 0);
	v = add("v", IN, F32, 2, H, N, 0, 0);
	h = add("h", WORK, F32, 2, M, H, 0, 0);
	y = add("y", OUT, F32, 2, M, N, 0, 0);
	z = add("z", OUT, F32, 2, M, N, 0, 0);
	WORKS(gaudi_builder_add_matmul(b, h, x, w, GAUDI_TRANSPOSE_B |
				       GAUDI_RELU, NULL));
	WORKS(gaudi_builder_add_matmul(b, y, h, v, 0, NULL));
	WORKS(gaudi_builder_add_copy(b, z, y, NULL));
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
COMPUTE_TEST(any_strides)
{
	struct gaudi_tensor_desc d = {
		.size = sizeof(d), .name = "part", .kind = IN, .type = F32,
		.rank = 2, .dims = { 20, 30 }, .strides = { 400, 4 },
	};
	uint32_t x, w, y, i, j, k;

	WORKS(gaudi_builder_add_tensor(b, &d, &x));
	d.name = "result";
	d.kind = OUT;
	d.dims[1] = 50;
	d.strides[0] = 4;
	d.strides[1] = 80;
	WORKS(gaudi_builder_add_tensor(b, &d, &y));
	w = add("w", IN, F32, 2, 30, 50, 0, 0);
	values[x] = calloc(2000, sizeof(float));
	values[y] = calloc(1000, sizeof(float));
	for (i = 0; i < 2000; i++)
		values[x][i] = (float)(i % 9) - 4;
	WORKS(gaudi_builder_add_matmul(b, y, x, w, 0, NULL));
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

COMPUTE_TEST(convolution_and_gradients)
{
	struct gaudi_conv2d d = {
		.size = sizeof(d), .stride = { 2, 1 }, .padding = { 1, 0 },
		.dilation = { 1, 1 },
	};
	uint32_t x, w, y, dx, dw;

	x = add("x", IN, F32, 4, 2, 7, 8, 3);
	w = add("w", IN, F32, 4, 3, 3, 3, 5);
	y = add("y", OUT, F32, 4, 2, 4, 6, 5);
	dx = add("dx", OUT, F32, 4, 2, 7, 8, 3);
	dw = add("dw", OUT, F32, 4, 3, 3, 3, 5);
	WORKS(gaudi_builder_add_conv2d(b, y, x, w, &d, 0, NULL));
	WORKS(gaudi_builder_add_conv2d_data(b, dx, y, w, &d, 0, NULL));
	WORKS(gaudi_builder_add_conv2d_weights(b, dw, x, y, &d, 0, NULL));
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

COMPUTE_TEST(refused)
{
	struct gaudi_conv2d d = {
		.size = sizeof(d), .stride = { 1, 1 }, .padding = { 0, 0 },
		.dilation = { 1, 1 },
	};
	uint32_t x, w, y, h, i, f;

	f = add("f", IN, GAUDI_TYPE_F64, 2, 5, 7, 0, 0);
	x = add("x", IN, F32, 2, 4, 5, 0, 0);
	w = add("w", IN, F32, 2, 6, 7, 0, 0);
	y = add("y", OUT, F32, 2, 4, 7, 0, 0);
	h = add("h", IN, GAUDI_TYPE_BF16, 2, 5, 7, 0, 0);
	i = add("i", IN, GAUDI_TYPE_I32, 2, 5, 7, 0, 0);
	SAYS(gaudi_builder_add_matmul(b, y, x, w, 0, NULL),
	     "node 0, matmul: 'x' has 5 columns and 'w' has 6 rows");
	SAYS(gaudi_builder_add_matmul(b, y, x, h, 0, NULL),
	     "'x' is f32 and 'h' is bf16");
	SAYS(gaudi_builder_add_matmul(b, y, x, i, 0, NULL), "'i' is i32");
	SAYS(gaudi_builder_add_matmul(b, y, x, f, 0, NULL),
	     "node 0, matmul: tensor 'f' is f64; matrix engines take bf16 and f32");
	SAYS(gaudi_builder_add_matmul(b, x, x, w, 0, NULL), "cannot be written");
	SAYS(gaudi_builder_add_matmul(b, y, y, w, 0, NULL), "read and written");
	SAYS(gaudi_builder_add_matmul(b, y, x, 9, 0, NULL), "tensor 9");
	SAYS(gaudi_builder_add_matmul(b, y, x, w, 64, NULL), "flags 0x40");
	SAYS(gaudi_builder_add_conv2d(b, y, x, w, &d, 0, NULL), "rank 2, not 4");
}

/* Groups, and zeros below only; three groups of four depths are none. */
COMPUTE_TEST(groups)
{
	struct gaudi_conv2d d = {
		.size = sizeof(d), .stride = { 1, 1 }, .dilation = { 1, 1 },
		.groups = 2, .extra_padding = { 1, 0 },
	};
	uint32_t x, w, y, p, q, k, c;

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
	WORKS(gaudi_builder_add_conv2d(b, y, x, w, &d, 0, NULL));
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
COMPUTE_TEST(side_by_side)
{
	struct object o = make_object();
	struct gaudi_kernel k = kernel_of(&o, 2);
	uint32_t x, y, z, u, v, copies = 0, i;
	struct engine_use use;

	k.rank = 2;
	k.index_space[0] = 4;
	k.index_space[1] = 256;
	x = add("x", IN, F32, 2, 256, 256, 0, 0);
	y = add("y", OUT, F32, 2, 256, 256, 0, 0);
	z = add("z", OUT, F32, 2, 256, 256, 0, 0);
	u = add("u", OUT, F32, 2, 256, 256, 0, 0);
	v = add("v", OUT, F32, 2, 256, 256, 0, 0);
	k.tensors[0] = (struct gaudi_kernel_tensor) { x, GAUDI_KERNEL_READS, 0 };
	k.tensors[1] = (struct gaudi_kernel_tensor) { z, GAUDI_KERNEL_WRITES, 0 };
	WORKS(gaudi_builder_add_matmul(b, y, x, x, 0, NULL));
	WORKS(gaudi_builder_add_kernel(b, &k, NULL));
	WORKS(gaudi_builder_add_copy(b, u, x, NULL));
	WORKS(gaudi_builder_add_matmul(b, v, y, z, 0, NULL));
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
