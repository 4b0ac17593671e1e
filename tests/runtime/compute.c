// SPDX-License-Identifier: MIT
/*
 * Recipes that compute, launched on a card.
 *
 * KERNEL: the object of kernels/axpy.s
 */
#include <errno.h>
#include <math.h>

#include "gaudi_graph.h"
#include "recipes.h"
#include "streams.h"

/* A tensor and its place on the card; f32 in the host, bf16 or f32 there. */
struct value {
	uint32_t tensor;
	const char *name;
	uint32_t type;
	size_t num;
	bool output;
	float *host;
	gaudi_ptr device;
};

#define MAX_VALUES	8

static struct value vals[MAX_VALUES];
static uint32_t num_vals;

static uint16_t to_bf16(float f)
{
	uint32_t u;

	memcpy(&u, &f, sizeof(u));

	return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

static float from_bf16(uint16_t half)
{
	uint32_t u = (uint32_t)half << 16;
	float f;

	memcpy(&f, &u, sizeof(f));

	return f;
}

/* A tensor of which @num elements are in memory. */
static struct value *value_of(struct making *m,
			      const struct gaudi_tensor_desc *d, size_t num)
{
	struct value *v = &vals[num_vals++];
	size_t i;

	assert_true(num_vals <= MAX_VALUES);
	*v = (struct value) { .name = d->name, .type = d->type, .num = num,
			      .output = d->kind == OUT };
	GOOD(gaudi_builder_add_tensor(m->b, d, &v->tensor));
	if (d->kind == WORK)
		return v;
	v->host = malloc(v->num * sizeof(float));
	assert_non_null(v->host);
	for (i = 0; i < v->num; i++) {
		float f = (float)(mix(i * 31 + v->tensor) % 1024) / 512 - 1;

		v->host[i] = v->type == GAUDI_TYPE_F32 ?
			     f : from_bf16(to_bf16(f));
	}
	v->device = device_memory(v->num * gaudi_type_size(v->type));

	return v;
}

static struct value *value(struct making *m, const char *name, uint32_t kind,
			   uint32_t type, uint32_t rank, const uint64_t *dims)
{
	struct gaudi_tensor_desc d = {
		.size = sizeof(d), .name = name, .kind = kind, .type = type,
		.rank = rank,
	};
	size_t i, num = 1;

	for (i = 0; i < rank; i++) {
		d.dims[i] = dims[i];
		num *= dims[i];
	}

	return value_of(m, &d, num);
}

static void to_card(const struct value *v)
{
	size_t i, size = v->num * gaudi_type_size(v->type);
	uint16_t *half;

	if (v->type == GAUDI_TYPE_F32) {
		GOOD(gaudi_copy_to_device(dev, v->device, v->host, size));
		return;
	}
	half = malloc(size);
	assert_non_null(half);
	for (i = 0; i < v->num; i++)
		half[i] = to_bf16(v->host[i]);
	GOOD(gaudi_copy_to_device(dev, v->device, half, size));
	free(half);
}

static void from_card(const struct value *v)
{
	size_t i, size = v->num * gaudi_type_size(v->type);
	uint16_t *half;

	if (v->type == GAUDI_TYPE_F32) {
		GOOD(gaudi_copy_to_host(dev, v->host, v->device, size));
		return;
	}
	half = malloc(size);
	assert_non_null(half);
	GOOD(gaudi_copy_to_host(dev, half, v->device, size));
	for (i = 0; i < v->num; i++)
		v->host[i] = from_bf16(half[i]);
	free(half);
}

/* The same as a part of a graph, twice in it. */
static void launch_graph(struct gaudi_launcher *l)
{
	struct gaudi_graph *g;

	GOOD(gaudi_stream_begin_capture(stream));
	GOOD(gaudi_launch(l, NULL, 0, stream));
	GOOD(gaudi_launch(l, NULL, 0, stream));
	GOOD(gaudi_stream_end_capture(stream, &g));
	GOOD(gaudi_graph_launch(g, stream));
	GOOD(gaudi_stream_synchronize(stream));
	GOOD(gaudi_graph_destroy(g));
}

static void clear_outputs(void)
{
	uint32_t i;

	for (i = 0; i < num_vals; i++)
		if (vals[i].output)
			GOOD(gaudi_fill(dev, vals[i].device, 0x55, 1,
					vals[i].num *
					gaudi_type_size(vals[i].type)));
}

/* With all values on the card. */
static struct gaudi_launcher *make_launcher(struct making *m)
{
	struct gaudi_recipe *r = end_recipe(m);
	struct gaudi_binding b[MAX_VALUES];
	struct gaudi_launcher *l;
	uint32_t i, num = 0;

	for (i = 0; i < num_vals; i++) {
		if (!vals[i].host)
			continue;
		to_card(&vals[i]);
		b[num++] = (struct gaudi_binding) {
			.name = vals[i].name, .address = vals[i].device,
		};
	}
	GOOD(gaudi_launcher_create(dev, r, &l));
	GOOD(gaudi_recipe_release(r));
	GOOD(gaudi_launcher_bind(l, b, num));

	return l;
}

static void launch(struct making *m, unsigned int times)
{
	struct gaudi_launcher *l = make_launcher(m);
	uint32_t i;

	for (i = 0; i < times; i++)
		GOOD(gaudi_launch(l, NULL, 0, stream));
	GOOD(gaudi_stream_synchronize(stream));
	clear_outputs();
	launch_graph(l);
	GOOD(gaudi_launcher_destroy(l));
	for (i = 0; i < num_vals; i++)
		if (vals[i].host)
			from_card(&vals[i]);
}

static int forget(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < num_vals; i++) {
		if (vals[i].host)
			GOOD(gaudi_free(dev, vals[i].device));
		free(vals[i].host);
	}
	num_vals = 0;

	return 0;
}

/* @scale: of the sum's terms, all positive. */
static void near(double is, double want, double scale, uint32_t type)
{
	double bound = scale * 1e-6 + (type == GAUDI_TYPE_BF16 ?
				       fabs(want) / 128 : 0) + 1e-30;

	if (!(fabs(is - want) <= bound))
		fail_msg("%g, not %g, bound %g", is, want, bound);
}

static void product(uint64_t m, uint64_t n, uint64_t k, uint32_t in,
		    uint32_t out, uint32_t flags)
{
	const uint64_t a_dims[] = { m, k }, at_dims[] = { k, m };
	const uint64_t b_dims[] = { k, n }, bt_dims[] = { n, k };
	const uint64_t c_dims[] = { m, n };
	struct making making = begin_recipe("product");
	bool ta = flags & GAUDI_TRANSPOSE_A, tb = flags & GAUDI_TRANSPOSE_B;
	struct value *a, *b, *c;
	uint64_t i, j, x;

	a = value(&making, "a", IN, in, 2, ta ? at_dims : a_dims);
	b = value(&making, "b", IN, in, 2, tb ? bt_dims : b_dims);
	c = value(&making, "c", OUT, out, 2, c_dims);
	GOOD(gaudi_builder_add_matmul(making.b, c->tensor, a->tensor,
				      b->tensor, flags, NULL));
	launch(&making, 3);
	for (i = 0; i < m; i++) {
		for (j = 0; j < n; j++) {
			double sum = 0, scale = 0, term;

			for (x = 0; x < k; x++) {
				term = (double)a->host[ta ? x * m + i :
						       i * k + x] *
				       b->host[tb ? j * k + x : x * n + j];
				sum += term;
				scale += fabs(term);
			}
			if (flags & GAUDI_RELU && sum < 0)
				sum = 0;
			near(c->host[i * n + j], sum, scale, out);
		}
	}
	forget(NULL);
}

TEST(products)
{
	const uint32_t f32 = GAUDI_TYPE_F32, bf16 = GAUDI_TYPE_BF16;
	uint32_t flags;

	for (flags = 0; flags < 8; flags++) {
		product(70, 130, 50, f32, f32, flags);
		product(100, 30, 1, bf16, f32, flags);
	}
	product(1, 1, 1, f32, bf16, 0);
	product(200, 300, 1100, f32, f32, 0);
	product(200, 300, 1100, bf16, bf16, GAUDI_TRANSPOSE_B);
}

/*
 * A scalar with strides of 0 is the same number for each element: a copy makes all of
 * them, and a kernel, which cannot read it so, says so.
 */
TEST(expanded)
{
	const uint64_t dims[] = { 3, 70 };
	struct gaudi_tensor_desc d = {
		.size = sizeof(d), .name = "scalar", .kind = IN,
		.type = GAUDI_TYPE_F32, .rank = 2, .dims = { 3, 70 },
		.num_strides = 2,
	};
	struct making making = begin_recipe("expanded");
	struct value *scalar, *all, *x, *y;
	uint64_t i;

	scalar = value_of(&making, &d, 1);
	all = value(&making, "all", WORK, GAUDI_TYPE_F32, 2, dims);
	x = value(&making, "x", IN, GAUDI_TYPE_F32, 2, dims);
	y = value(&making, "y", OUT, GAUDI_TYPE_F32, 2, dims);
	scalar->host[0] = 10;
	assert_int_equal(gaudi_builder_add_library_kernel(making.b, "add_f32", 3,
			(uint32_t []){ scalar->tensor, x->tensor, y->tensor },
			0, NULL, NULL), -EINVAL);
	assert_non_null(strstr(gaudi_last_error(NULL), "stride of 0 bytes"));
	GOOD(gaudi_builder_add_copy(making.b, all->tensor, scalar->tensor, NULL));
	GOOD(gaudi_builder_add_library_kernel(making.b, "add_f32", 3,
			(uint32_t []){ all->tensor, x->tensor, y->tensor }, 0,
			NULL, NULL));
	launch(&making, 2);
	for (i = 0; i < y->num; i++)
		near(y->host[i], 10 + (double)x->host[i], 11, GAUDI_TYPE_F32);
	forget(NULL);
}

/* What is there stays, and three launches add to it; once within one, too. */
TEST(sums)
{
	const uint64_t a_dims[] = { 70, 1100 }, b_dims[] = { 1100, 90 };
	const uint64_t c_dims[] = { 70, 90 };
	struct making making = begin_recipe("sums");
	struct value *a, *b, *c, *d;
	struct gaudi_launcher *l;
	float before[70 * 90];
	uint64_t i, k;

	a = value(&making, "a", IN, GAUDI_TYPE_F32, 2, a_dims);
	b = value(&making, "b", IN, GAUDI_TYPE_F32, 2, b_dims);
	c = value(&making, "c", OUT, GAUDI_TYPE_F32, 2, c_dims);
	d = value(&making, "d", OUT, GAUDI_TYPE_F32, 2, c_dims);
	memcpy(before, c->host, sizeof(before));
	GOOD(gaudi_builder_add_matmul(making.b, c->tensor, a->tensor,
				      b->tensor, GAUDI_ACCUMULATE, NULL));
	GOOD(gaudi_builder_add_matmul(making.b, d->tensor, a->tensor,
				      b->tensor, 0, NULL));
	GOOD(gaudi_builder_add_matmul(making.b, d->tensor, a->tensor,
				      b->tensor, GAUDI_ACCUMULATE, NULL));
	l = make_launcher(&making);
	for (i = 0; i < 3; i++)
		GOOD(gaudi_launch(l, NULL, 0, stream));
	GOOD(gaudi_stream_synchronize(stream));
	GOOD(gaudi_launcher_destroy(l));
	from_card(c);
	from_card(d);
	for (i = 0; i < c->num; i++) {
		double sum = 0;

		for (k = 0; k < 1100; k++)
			sum += (double)a->host[i / 90 * 1100 + k] *
			       b->host[k * 90 + i % 90];
		near(c->host[i], before[i] + 3 * sum, 3300, GAUDI_TYPE_F32);
		near(d->host[i], 2 * sum, 2200, GAUDI_TYPE_F32);
	}
	forget(NULL);
}

/* Each layer after the one before, the copies after both, many at a time. */
TEST(layers)
{
	const uint64_t dims[] = { 96, 96 };
	struct making making = begin_recipe("layers");
	struct value *x, *h[3], *y, *z;
	double *at, *next, *swap, sum;
	uint64_t i, j, k, layer;

	x = value(&making, "x", IN, GAUDI_TYPE_F32, 2, dims);
	h[0] = value(&making, "h0", WORK, GAUDI_TYPE_F32, 2, dims);
	h[1] = value(&making, "h1", WORK, GAUDI_TYPE_F32, 2, dims);
	h[2] = value(&making, "h2", WORK, GAUDI_TYPE_F32, 2, dims);
	y = value(&making, "y", OUT, GAUDI_TYPE_F32, 2, dims);
	z = value(&making, "z", OUT, GAUDI_TYPE_F32, 2, dims);
	GOOD(gaudi_builder_add_copy(making.b, h[0]->tensor, x->tensor, NULL));
	GOOD(gaudi_builder_add_matmul(making.b, h[1]->tensor, h[0]->tensor,
				      x->tensor, 0, NULL));
	GOOD(gaudi_builder_add_matmul(making.b, h[2]->tensor, h[1]->tensor,
				      x->tensor, GAUDI_RELU, NULL));
	GOOD(gaudi_builder_add_matmul(making.b, y->tensor, h[2]->tensor,
				      x->tensor, 0, NULL));
	GOOD(gaudi_builder_add_copy(making.b, z->tensor, y->tensor, NULL));
	launch(&making, 20);
	at = malloc(96 * 96 * sizeof(*at));
	next = malloc(96 * 96 * sizeof(*at));
	for (i = 0; i < 96 * 96; i++)
		at[i] = x->host[i];
	for (layer = 0; layer < 3; layer++) {
		for (i = 0; i < 96 * 96; i++) {
			for (k = 0, sum = 0; k < 96; k++)
				sum += at[i / 96 * 96 + k] *
				       x->host[k * 96 + i % 96];
			next[i] = layer == 1 && sum < 0 ? 0 : sum;
		}
		swap = at;
		at = next;
		next = swap;
	}
	for (j = 0; j < 96 * 96; j++) {
		near(y->host[j], at[j], 5e4, GAUDI_TYPE_F32);
		assert_true(y->host[j] == z->host[j]);
	}
	free(at);
	free(next);
	forget(NULL);
}

/* All three are one sum: <y, y> = <x, dx> = <w, dw>, if dy is y. */
TEST(convolutions)
{
	const uint64_t x_dims[] = { 4, 14, 14, 20 }, w_dims[] = { 3, 3, 20, 40 };
	const uint64_t y_dims[] = { 4, 7, 7, 40 };
	struct gaudi_conv2d d = {
		.size = sizeof(d), .stride = { 2, 2 }, .padding = { 1, 1 },
		.dilation = { 1, 1 },
	};
	struct making making = begin_recipe("convolution");
	struct value *x, *w, *y, *dx, *dw;
	double yy = 0, xx = 0, ww = 0, one = 0;
	size_t i;

	x = value(&making, "x", IN, GAUDI_TYPE_F32, 4, x_dims);
	w = value(&making, "w", IN, GAUDI_TYPE_F32, 4, w_dims);
	y = value(&making, "y", OUT, GAUDI_TYPE_F32, 4, y_dims);
	dx = value(&making, "dx", OUT, GAUDI_TYPE_F32, 4, x_dims);
	dw = value(&making, "dw", OUT, GAUDI_TYPE_F32, 4, w_dims);
	GOOD(gaudi_builder_add_conv2d(making.b, y->tensor, x->tensor,
				      w->tensor, &d, 0, NULL));
	GOOD(gaudi_builder_add_conv2d_data(making.b, dx->tensor, y->tensor,
					   w->tensor, &d, 0, NULL));
	GOOD(gaudi_builder_add_conv2d_weights(making.b, dw->tensor, x->tensor,
					      y->tensor, &d, 0, NULL));
	launch(&making, 2);
	for (i = 0; i < y->num; i++)
		yy += (double)y->host[i] * y->host[i];
	for (i = 0; i < x->num; i++)
		xx += (double)x->host[i] * dx->host[i];
	for (i = 0; i < w->num; i++)
		ww += (double)w->host[i] * dw->host[i];
	/* Pixel 2, 3 of image 1, depth 5. */
	for (i = 0; i < 9 * 20; i++)
		one += (double)x->host[((14 + 2 * 2 - 1 + i / 60) * 14 +
					2 * 3 - 1 + i / 20 % 3) * 20 + i % 20] *
		       w->host[i * 40 + 5];
	near(y->host[((7 + 2) * 7 + 3) * 40 + 5], one, 180, GAUDI_TYPE_F32);
	near(xx, yy, yy, GAUDI_TYPE_F32);
	near(ww, yy, yy, GAUDI_TYPE_F32);
	forget(NULL);
}

/* --- kernels ------------------------------------------------------------ */

static void *object;
static size_t object_size;

static void load_kernel(const char *path)
{
	FILE *f = fopen(path, "rb");

	assert_non_null(f);
	object = malloc(64 * KIB);
	assert_non_null(object);
	object_size = fread(object, 1, 64 * KIB, f);
	assert_in_range(object_size, 1, 64 * KIB - 1);
	fclose(f);
}

static void axpy(const struct making *m, const struct value *out,
		 const struct value *x, const struct value *y, float alpha,
		 uint32_t width, uint32_t height)
{
	struct gaudi_kernel k = {
		.size = sizeof(k), .name = "axpy", .object = object,
		.object_size = object_size, .num_tensors = 3,
		.num_scalars = 1, .rank = 2,
		.index_space = { (width + 63) / 64, height },
		.tensors = {
			{ x->tensor, GAUDI_KERNEL_READS, 0 },
			{ y->tensor, GAUDI_KERNEL_READS, 0 },
			{ out->tensor, GAUDI_KERNEL_WRITES, 0 },
		},
	};

	memcpy(k.scalars, &alpha, sizeof(alpha));
	GOOD(gaudi_builder_add_kernel(m->b, &k, NULL));
}

/* Widths that are no whole vectors, heights for one TPC and for all. */
TEST(kernels)
{
	static const uint32_t sizes[][2] = {
		{ 1, 1 }, { 64, 8 }, { 100, 3 }, { 1000, 37 }, { 3000, 1 },
	};
	size_t i, j;

	load_kernel(getenv("KERNEL"));
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const uint64_t dims[] = { sizes[i][1], sizes[i][0] };
		struct making m = begin_recipe("axpy");
		struct value *x, *y, *out;

		x = value(&m, "x", IN, GAUDI_TYPE_F32, 2, dims);
		y = value(&m, "y", IN, GAUDI_TYPE_F32, 2, dims);
		out = value(&m, "out", OUT, GAUDI_TYPE_F32, 2, dims);
		axpy(&m, out, x, y, 2.5, sizes[i][0], sizes[i][1]);
		launch(&m, 3);
		for (j = 0; j < out->num; j++)
			near(out->host[j], x->host[j] * 2.5 + y->host[j], 4,
			     GAUDI_TYPE_F32);
		forget(NULL);
	}
	free(object);
}

/* DMA, TPCs and matrix engines, each after the one before, again and again. */
TEST(all_engines)
{
	const uint64_t dims[] = { 96, 96 };
	struct making m = begin_recipe("all engines");
	struct value *x, *a, *b, *c, *out;
	uint64_t i, k;
	double sum;

	load_kernel(getenv("KERNEL"));
	x = value(&m, "x", IN, GAUDI_TYPE_F32, 2, dims);
	a = value(&m, "a", WORK, GAUDI_TYPE_F32, 2, dims);
	b = value(&m, "b", WORK, GAUDI_TYPE_F32, 2, dims);
	c = value(&m, "c", WORK, GAUDI_TYPE_F32, 2, dims);
	out = value(&m, "out", OUT, GAUDI_TYPE_F32, 2, dims);
	GOOD(gaudi_builder_add_copy(m.b, a->tensor, x->tensor, NULL));
	axpy(&m, b, a, x, 1, 96, 96);
	GOOD(gaudi_builder_add_matmul(m.b, c->tensor, b->tensor, x->tensor, 0,
				      NULL));
	axpy(&m, a, c, x, -1, 96, 96);
	GOOD(gaudi_builder_add_copy(m.b, out->tensor, a->tensor, NULL));
	launch(&m, 20);
	for (i = 0; i < 96 * 96; i++) {
		sum = x->host[i];
		for (k = 0; k < 96; k++)
			sum -= 2.0 * x->host[i / 96 * 96 + k] *
			       x->host[k * 96 + i % 96];
		near(out->host[i], sum, 200, GAUDI_TYPE_F32);
	}
	free(object);
	forget(NULL);
}

/* --- the library's kernels ---------------------------------------------------- */

#define RATE	0.25f
#define DECAY	0.5f

static void built_in(const struct making *m, const char *name,
		     const uint32_t *tensors, uint32_t num_tensors,
		     const float *scalars, uint32_t num_scalars)
{
	uint32_t bits[4];

	if (num_scalars)
		memcpy(bits, scalars, num_scalars * sizeof(*bits));
	if (gaudi_builder_add_library_kernel(m->b, name, num_tensors, tensors,
					     num_scalars, bits, NULL))
		fail_msg("%s", gaudi_last_error(NULL));
}

/* Rows of softmax add up to 1, whatever they are of. */
static void check_library(const struct value *x, const struct value *bias,
			  const struct value *soft, const struct value *sums,
			  const struct value *p, size_t width)
{
	double sum, exps;
	size_t i, j;

	for (i = 0; i < sums->num; i++) {
		sum = 0;
		exps = 0;
		for (j = 0; j < width; j++) {
			double a = x->host[i * width + j] + bias->host[j];

			a = a > 0 ? a : 0;
			sum += a;
			exps += exp(a);
		}
		near(sums->host[i], sum, 10 * sum, GAUDI_TYPE_F32);
		for (j = 0; j < width; j++) {
			float w = x->host[i * width + j];
			double a = w + bias->host[j];

			a = a > 0 ? a : 0;
			near(soft->host[i * width + j], exp(a) / exps, 1,
			     GAUDI_TYPE_F32);
			near(p->host[i * width + j], w - RATE * (a + DECAY * w),
			     4, GAUDI_TYPE_F32);
		}
	}
}

/* add, relu, sum_rows, softmax and sgd, of which each takes what others made. */
TEST(library)
{
	static const uint64_t sizes[][2] = { { 1, 1 }, { 9, 300 }, { 40, 64 } };
	const float rates[] = { RATE, DECAY };
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const uint64_t *dims = sizes[i], rows[] = { dims[0], 1 };
		struct making m = begin_recipe("library");
		struct value *x, *bias, *sum, *a, *soft, *sums, *p;

		x = value(&m, "x", IN, GAUDI_TYPE_F32, 2, dims);
		bias = value(&m, "bias", IN, GAUDI_TYPE_F32, 1, dims + 1);
		sum = value(&m, "sum", WORK, GAUDI_TYPE_F32, 2, dims);
		a = value(&m, "a", WORK, GAUDI_TYPE_F32, 2, dims);
		soft = value(&m, "soft", OUT, GAUDI_TYPE_F32, 2, dims);
		sums = value(&m, "sums", OUT, GAUDI_TYPE_F32, 2, rows);
		p = value(&m, "p", OUT, GAUDI_TYPE_F32, 2, dims);
#define NODE(name, scalars, num, ...) \
		built_in(&m, name, (const uint32_t []){ __VA_ARGS__ }, \
			 sizeof((const uint32_t []){ __VA_ARGS__ }) / 4, \
			 scalars, num)
		NODE("add_f32", NULL, 0, x->tensor, bias->tensor, sum->tensor);
		NODE("relu_f32", NULL, 0, sum->tensor, a->tensor);
		NODE("sum_rows_f32", NULL, 0, a->tensor, sums->tensor);
		NODE("softmax_f32", NULL, 0, a->tensor, soft->tensor);
		NODE("copy_f32", NULL, 0, x->tensor, p->tensor);
		NODE("sgd_f32", rates, 2, p->tensor, a->tensor);
#undef NODE
		launch(&m, 2);
		check_library(x, bias, soft, sums, p, dims[1]);
		forget(NULL);
	}
}

GROUP(set_up_streams, tear_down_device)
