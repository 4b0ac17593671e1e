// SPDX-License-Identifier: MIT
/*
 * Layers as nodes of a recipe. The largest steps are those of the matrix engines; the
 * kernels are libgaudi's own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "train.h"

struct plan {
	struct gaudi_builder *builder;
	const struct network *network;
	bool bf16;
	bool learns;
	bool split;			/* backward is several recipes */
	float rate;
	float momentum;
	uint32_t samples;
	/* Tensors of each layer: what comes in, with ReLU, and weights. */
	uint32_t in[MAX_LAYERS];
	uint32_t out[MAX_LAYERS];
	uint32_t weights[MAX_LAYERS];	/* as products have them */
	uint32_t exact[MAX_LAYERS];	/* as they are updated */
	uint32_t bias;
	uint32_t label;
	uint32_t z;			/* before the softmax */
};

void need(int rc)
{
	if (rc >= 0)
		return;
	fflush(stdout);
	fprintf(stderr, "train: %s\n", gaudi_last_error(NULL));
	exit(CARD_FAILED);
}

static uint32_t add(struct plan *plan, uint32_t kind, uint32_t type,
		    uint32_t rank, const uint64_t *dims, const char *format,
		    unsigned int number)
{
	char name[32];
	struct gaudi_tensor_desc desc = {
		.size = sizeof(desc), .name = name, .kind = kind, .type = type,
		.rank = rank,
	};
	uint32_t tensor;

	snprintf(name, sizeof(name), format, number);
	memcpy(desc.dims, dims, rank * sizeof(*dims));
	need(gaudi_builder_add_tensor(plan->builder, &desc, &tensor));

	return tensor;
}

/* Of all samples: an image of channels, or a vector. */
static uint32_t add_image(struct plan *plan, uint32_t kind, uint32_t type,
			  unsigned int side, unsigned int channels,
			  const char *format, unsigned int number)
{
	if (plan->network->image)
		return add(plan, kind, type, 4,
			   (uint64_t[]){ plan->samples, side, side, channels },
			   format, number);

	return add(plan, kind, type, 2,
		   (uint64_t[]){ plan->samples, channels }, format, number);
}

static uint32_t add_weights(struct plan *plan, uint32_t kind, uint32_t type,
			    const char *format, unsigned int number)
{
	const struct layer *layer = &plan->network->layer[number];

	if (plan->network->image)
		return add(plan, kind, type, 4,
			   (uint64_t[]){ layer->filter, layer->filter,
					 layer->in, layer->out },
			   format, number);

	return add(plan, kind, type, 2, (uint64_t[]){ layer->in, layer->out },
		   format, number);
}

static uint32_t add_work(struct plan *plan, uint32_t type, unsigned int side,
			 unsigned int channels, const char *format,
			 unsigned int number)
{
	return add_image(plan, GAUDI_TENSOR_WORKSPACE, type, side, channels,
			 format, number);
}

/* What the recipes of a split step have in common is in memory of their own. */
static uint32_t kept(const struct plan *plan)
{
	return plan->split ? GAUDI_TENSOR_OUTPUT : GAUDI_TENSOR_WORKSPACE;
}

/* Of the library, by its name. Scalars are given by their bits. */
static void add_kernel(struct plan *plan, const char *name,
		       const uint32_t *tensors, uint32_t num_tensors,
		       const float *scalars, uint32_t num_scalars)
{
	uint32_t bits[3];

	memcpy(bits, scalars ? scalars : (const float[]){ 0 },
	       num_scalars * sizeof(float));
	need(gaudi_builder_add_library_kernel(plan->builder, name, num_tensors,
					      tensors, num_scalars, bits,
					      NULL));
}

#define kernel(plan, name, ...) \
	add_kernel(plan, name, (uint32_t[]){ __VA_ARGS__ }, \
		   sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t), \
		   NULL, 0)

static uint32_t narrow(const struct plan *plan)
{
	return plan->bf16 ? GAUDI_TYPE_BF16 : GAUDI_TYPE_F32;
}

static const char *typed(const struct plan *plan, const char *f32,
			 const char *bf16)
{
	return plan->bf16 ? bf16 : f32;
}

static struct gaudi_conv2d conv(const struct layer *layer)
{
	return (struct gaudi_conv2d){
		.size = sizeof(struct gaudi_conv2d), .stride = { 1, 1 },
		.padding = { layer->padding, layer->padding },
		.dilation = { 1, 1 },
	};
}

/* Weights are read and written by a step; in bf16, a copy of them is read. */
static void add_parameters(struct plan *plan)
{
	uint32_t kind = plan->learns ? GAUDI_TENSOR_OUTPUT : GAUDI_TENSOR_INPUT;

	for (unsigned int i = 0; i < plan->network->layers; i++) {
		if (plan->learns || !plan->bf16)
			plan->exact[i] = add_weights(plan, kind, GAUDI_TYPE_F32,
						     "w%u", i);
		plan->weights[i] = plan->bf16 ?
			add_weights(plan, kind, GAUDI_TYPE_BF16, "h%u", i) :
			plan->exact[i];
	}
	plan->bias = add(plan, kind, GAUDI_TYPE_F32, 1,
			 (uint64_t[]){ CLASSES }, "b", 0);
}

/* Up to the logits, which are f32. */
static void forward(struct plan *plan)
{
	const struct network *network = plan->network;
	unsigned int last = network->layers - 1;
	uint32_t x = add_image(plan, GAUDI_TENSOR_INPUT, narrow(plan),
			       network->layer[0].side, network->layer[0].in,
			       "x", 0);

	for (unsigned int i = 0; i <= last; i++) {
		const struct layer *layer = &network->layer[i];
		uint32_t type = i < last ? narrow(plan) : GAUDI_TYPE_F32;
		uint32_t flags = i < last ? GAUDI_RELU : 0;
		struct gaudi_conv2d desc = conv(layer);
		uint32_t out = add_image(plan, i < last ? kept(plan) :
					 GAUDI_TENSOR_WORKSPACE, type,
					 layer->out_side, layer->out, "y%u", i);

		plan->in[i] = x;
		plan->out[i] = out;
		if (network->image)
			need(gaudi_builder_add_conv2d(plan->builder, out, x,
						      plan->weights[i], &desc,
						      flags, NULL));
		else
			need(gaudi_builder_add_matmul(plan->builder, out, x,
						      plan->weights[i], flags,
						      NULL));
		x = out;
		if (!layer->pool)
			continue;
		x = add_image(plan, kept(plan), type, layer->out_side / 2,
			      layer->out, "pooled%u", i);
		kernel(plan, typed(plan, "max_pool_2x2_f32",
				   "max_pool_2x2_bf16"), out, x);
	}
	plan->z = add_work(plan, GAUDI_TYPE_F32, 1, CLASSES, "z", 0);
	kernel(plan, "add_f32", x, plan->bias, plan->z);
	plan->label = network->image ?
		add(plan, GAUDI_TENSOR_INPUT, GAUDI_TYPE_I32, 4,
		    (uint64_t[]){ plan->samples, 1, 1, 1 }, "label", 0) :
		add(plan, GAUDI_TENSOR_INPUT, GAUDI_TYPE_I32, 2,
		    (uint64_t[]){ plan->samples, 1 }, "label", 0);
}

/* One number of each sample, as f32. */
static uint32_t add_numbers(struct plan *plan, uint32_t kind, const char *name)
{
	return add_image(plan, kind, GAUDI_TYPE_F32, 1, 1, name, 0);
}

static void update(struct plan *plan, const char *name, uint32_t *tensors,
		   uint32_t count)
{
	float scalars[] = { plan->rate, plan->momentum, 0 };

	add_kernel(plan, name, tensors, count, scalars, 3);
}

/* From the logits' gradient to that of a layer's result, before its ReLU. */
static uint32_t step_back(struct plan *plan, unsigned int i, uint32_t slope)
{
	const struct layer *layer = &plan->network->layer[i];
	const struct layer *below = &plan->network->layer[i - 1];
	struct gaudi_conv2d desc = conv(layer);
	uint32_t type = narrow(plan), back, masked;

	back = add_work(plan, type, layer->side, layer->in, "back%u", i);
	if (plan->network->image)
		need(gaudi_builder_add_conv2d_data(plan->builder, back, slope,
						   plan->weights[i], &desc, 0,
						   NULL));
	else
		need(gaudi_builder_add_matmul(plan->builder, back, slope,
					      plan->weights[i],
					      GAUDI_TRANSPOSE_B, NULL));
	if (below->pool) {
		uint32_t spread = add_work(plan, type, below->out_side,
					   below->out, "spread%u", i);

		kernel(plan, typed(plan, "max_pool_2x2_grad_f32",
				   "max_pool_2x2_grad_bf16"),
		       plan->out[i - 1], back, spread);
		back = spread;
	}
	masked = add_image(plan, kept(plan), type, below->out_side, below->out,
			   "dy%u", i);
	kernel(plan, typed(plan, "relu_grad_f32", "relu_grad_bf16"),
	       plan->out[i - 1], back, masked);

	return masked;
}

/* The gradient of a layer's weights. */
static uint32_t add_gradient(struct plan *plan, unsigned int i, uint32_t slope)
{
	struct gaudi_conv2d desc = conv(&plan->network->layer[i]);
	uint32_t by = add_weights(plan, kept(plan), narrow(plan), "dw%u", i);

	if (plan->network->image)
		need(gaudi_builder_add_conv2d_weights(plan->builder, by,
						      plan->in[i], slope, &desc,
						      0, NULL));
	else
		need(gaudi_builder_add_matmul(plan->builder, by, plan->in[i],
					      slope, GAUDI_TRANSPOSE_A, NULL));

	return by;
}

static void learn(struct plan *plan, unsigned int i, uint32_t by)
{
	uint32_t speed = add_weights(plan, GAUDI_TENSOR_OUTPUT, GAUDI_TYPE_F32,
				     "v%u", i);

	update(plan, typed(plan, "momentum_f32", "momentum_bf16"),
	       (uint32_t[]){ plan->exact[i], by, speed, plan->weights[i] },
	       plan->bf16 ? 4 : 3);
}

/* The logits' gradient; *@db: the bias'. */
static uint32_t begin_backward(struct plan *plan, uint32_t *db)
{
	float mean = 1.0f / (float)BATCH;
	uint32_t loss, slope;

	loss = add_numbers(plan, GAUDI_TENSOR_OUTPUT, "loss");
	kernel(plan, "cross_entropy_f32", plan->z, plan->label, loss);
	slope = add_work(plan, GAUDI_TYPE_F32, 1, CLASSES, "dz", 0);
	add_kernel(plan, "cross_entropy_grad_f32",
		   (uint32_t[]){ plan->z, plan->label, slope }, 3, &mean, 1);
	*db = add(plan, kept(plan), GAUDI_TYPE_F32, 1,
		  (uint64_t[]){ CLASSES }, "db", 0);
	kernel(plan, plan->network->image ? "sum_dim3_f32" : "sum_columns_f32",
	       slope, *db);
	if (plan->bf16) {
		uint32_t short_slope = add_work(plan, GAUDI_TYPE_BF16, 1,
						CLASSES, "dz16", 0);

		kernel(plan, "cast_f32_bf16", slope, short_slope);
		slope = short_slope;
	}

	return slope;
}

static void learn_bias(struct plan *plan, uint32_t db)
{
	uint32_t vb = add(plan, GAUDI_TENSOR_OUTPUT, GAUDI_TYPE_F32, 1,
			  (uint64_t[]){ CLASSES }, "vb", 0);

	update(plan, "momentum_f32",
	       (uint32_t[]){ plan->bias, db, vb }, 3);
}

static void backward(struct plan *plan)
{
	uint32_t db, slope = begin_backward(plan, &db);

	for (unsigned int i = plan->network->layers; i--;) {
		uint32_t below = i ? step_back(plan, i, slope) : 0;

		learn(plan, i, add_gradient(plan, i, slope));
		slope = below;
	}
	learn_bias(plan, db);
}

static struct gaudi_recipe *finish(struct plan *plan)
{
	struct gaudi_recipe *recipe;

	need(gaudi_builder_build(plan->builder, &recipe));
	need(gaudi_builder_destroy(plan->builder));

	return recipe;
}

struct gaudi_recipe *recipe_of_step(const struct network *network,
				    const struct options *options, float rate)
{
	struct plan plan = {
		.network = network, .bf16 = options->bf16, .learns = true,
		.rate = rate, .momentum = options->momentum, .samples = BATCH,
	};

	need(gaudi_builder_create("step", &plan.builder));
	add_parameters(&plan);
	forward(&plan);
	backward(&plan);

	return finish(&plan);
}

struct gaudi_recipe *recipe_of_question(const struct network *network,
					bool bf16, unsigned int samples)
{
	struct plan plan = {
		.network = network, .bf16 = bf16, .samples = samples,
	};
	uint32_t right;

	need(gaudi_builder_create("question", &plan.builder));
	add_parameters(&plan);
	forward(&plan);
	right = add_numbers(&plan, GAUDI_TENSOR_OUTPUT, "right");
	kernel(&plan, "correct_rows_f32", plan.z, plan.label, right);

	return finish(&plan);
}

/*
 * A step in parts, in f32
 */

/* What the layer's part needs of the forward pass and of the part above. */
static uint32_t add_inputs(struct plan *plan, unsigned int i)
{
	const struct layer *layer = &plan->network->layer[i];
	const uint32_t input = GAUDI_TENSOR_INPUT, f32 = GAUDI_TYPE_F32;

	if (i) {
		const struct layer *below = layer - 1;

		plan->out[i - 1] = add_image(plan, input, f32, below->out_side,
					     below->out, "y%u", i - 1);
		plan->in[i] = below->pool ?
			add_image(plan, input, f32, layer->side, layer->in,
				  "pooled%u", i - 1) : plan->out[i - 1];
		plan->weights[i] = add_weights(plan, input, f32, "w%u", i);
	} else {
		plan->in[0] = add_image(plan, input, f32, layer->side, layer->in,
					"x", 0);
	}

	return add_image(plan, input, f32, layer->out_side, layer->out, "dy%u",
			 i + 1);
}

struct gaudi_recipe *recipe_of_part(const struct network *network, unsigned int i,
				    unsigned int samples)
{
	struct plan plan = {
		.network = network, .samples = samples, .split = true,
	};
	uint32_t slope, db;

	need(gaudi_builder_create("part", &plan.builder));
	if (i == network->layers - 1) {
		add_parameters(&plan);
		forward(&plan);
		slope = begin_backward(&plan, &db);
	} else {
		slope = add_inputs(&plan, i);
	}
	if (i)
		step_back(&plan, i, slope);
	add_gradient(&plan, i, slope);

	return finish(&plan);
}

struct gaudi_recipe *recipe_of_update(const struct network *network, unsigned int i,
				      const struct options *options, float rate)
{
	struct plan plan = {
		.network = network, .rate = rate, .momentum = options->momentum,
	};
	const uint32_t input = GAUDI_TENSOR_INPUT, f32 = GAUDI_TYPE_F32;

	need(gaudi_builder_create("update", &plan.builder));
	plan.exact[i] = add_weights(&plan, GAUDI_TENSOR_OUTPUT, f32, "w%u", i);
	learn(&plan, i, add_weights(&plan, input, f32, "dw%u", i));
	if (i == network->layers - 1) {
		plan.bias = add(&plan, GAUDI_TENSOR_OUTPUT, f32, 1,
				(uint64_t[]){ CLASSES }, "b", 0);
		learn_bias(&plan, add(&plan, input, f32, 1,
				      (uint64_t[]){ CLASSES }, "db", 0));
	}

	return finish(&plan);
}

struct gaudi_recipe *recipe_of_sum(unsigned int rows, size_t count)
{
	struct plan plan = {};

	need(gaudi_builder_create("sum", &plan.builder));
	kernel(&plan, "sum_columns_f32",
	       add(&plan, GAUDI_TENSOR_INPUT, GAUDI_TYPE_F32, 2,
		   (uint64_t[]){ rows, count }, "rows", 0),
	       add(&plan, GAUDI_TENSOR_OUTPUT, GAUDI_TYPE_F32, 2,
		   (uint64_t[]){ 1, count }, "sum", 0));

	return finish(&plan);
}
