// SPDX-License-Identifier: MIT
/*
 * The same training in plain C, number by number: what a card's losses are compared
 * with. Images are [sample][row][column][channel].
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "train.h"

struct reference {
	const struct network *network;
	struct digits *digits;
	const struct options *options;
	float *x;
	int32_t *label;
	size_t num_weights;
	float *weights;
	float *speed;
	float *slope;			/* of weights */
	float *read;			/* weights as products have them */
	/* For as many samples as are asked for at once. */
	float *out[MAX_LAYERS];
	float *pooled[MAX_LAYERS];
	float *d_out;			/* of the layer at hand */
	float *d_in;
};

/* To the nearest of bf16, ties to even, if products are of bf16. */
static void round_all(const struct reference *r, float *values, size_t count)
{
	uint32_t bits;

	for (size_t i = 0; r->options->bf16 && i < count; i++) {
		memcpy(&bits, &values[i], sizeof(bits));
		bits += 0x7fff + (bits >> 16 & 1);
		bits &= 0xffff0000;
		memcpy(&values[i], &bits, sizeof(bits));
	}
}

/* A bias is no product's. */
static void read_weights(struct reference *r)
{
	memcpy(r->read, r->weights, r->num_weights * sizeof(float));
	round_all(r, r->read, r->num_weights - CLASSES);
}

static size_t out_size(const struct layer *layer)
{
	return (size_t)layer->out_side * layer->out_side * layer->out;
}

static size_t in_size(const struct layer *layer)
{
	return (size_t)layer->side * layer->side * layer->in;
}

/*
 * Calls for each pair of a pixel that comes in and one that comes out of a sample,
 * with the weights between both.
 */
typedef void (*pair_fn)(const struct layer *layer, float *restrict in,
			float *restrict out, float *restrict weights);

static void each_pair(const struct layer *layer, float *in, float *out,
		      float *weights, pair_fn fn)
{
	unsigned int side = layer->out_side, filter = layer->filter;

	for (unsigned int at = 0; at < side * side * filter * filter; at++) {
		unsigned int k = at % (filter * filter);
		unsigned int place = at / (filter * filter);
		/* Wraps below 0, and is beyond the side then. */
		unsigned int row = place / side + k / filter - layer->padding;
		unsigned int column = place % side + k % filter -
				      layer->padding;

		if (row >= layer->side || column >= layer->side)
			continue;
		fn(layer, in + (size_t)(row * layer->side + column) * layer->in,
		   out + (size_t)place * layer->out,
		   weights + (size_t)k * layer->in * layer->out);
	}
}

static void pair_forward(const struct layer *layer, float *restrict in,
			 float *restrict out, float *restrict weights)
{
	for (unsigned int i = 0; i < layer->in; i++)
		for (unsigned int o = 0; o < layer->out; o++)
			out[o] += in[i] * weights[i * layer->out + o];
}

static void pair_data(const struct layer *layer, float *restrict in,
		      float *restrict out, float *restrict weights)
{
	for (unsigned int i = 0; i < layer->in; i++)
		for (unsigned int o = 0; o < layer->out; o++)
			in[i] += out[o] * weights[i * layer->out + o];
}

static void pair_weights(const struct layer *layer, float *restrict in,
			 float *restrict out, float *restrict weights)
{
	for (unsigned int i = 0; i < layer->in; i++)
		for (unsigned int o = 0; o < layer->out; o++)
			weights[i * layer->out + o] += in[i] * out[o];
}

/* Where the first of the largest of a window is. */
static size_t largest(const struct layer *layer, const float *out,
		      unsigned int row, unsigned int column,
		      unsigned int channel)
{
	size_t best = 0;

	for (unsigned int k = 0; k < 4; k++) {
		size_t at = ((size_t)(2 * row + k / 2) * layer->out_side +
			     2 * column + k % 2) * layer->out + channel;

		if (!k || out[at] > out[best])
			best = at;
	}

	return best;
}

static void pool(const struct layer *layer, const float *out, float *pooled)
{
	unsigned int side = layer->out_side / 2;

	for (unsigned int i = 0; i < side * side * layer->out; i++)
		pooled[i] = out[largest(layer, out, i / layer->out / side,
					i / layer->out % side,
					i % layer->out)];
}

static void unpool(const struct layer *layer, const float *out,
		   const float *back, float *spread)
{
	unsigned int side = layer->out_side / 2;

	memset(spread, 0, out_size(layer) * sizeof(*spread));
	for (unsigned int i = 0; i < side * side * layer->out; i++)
		spread[largest(layer, out, i / layer->out / side,
			       i / layer->out % side, i % layer->out)] = back[i];
}

static void forward(struct reference *r, float *x, unsigned int samples)
{
	float *weights = r->read;
	unsigned int last = r->network->layers - 1;

	for (unsigned int i = 0; i <= last; i++) {
		const struct layer *layer = &r->network->layer[i];
		size_t size = out_size(layer), pooled = size / 4;

		memset(r->out[i], 0, samples * size * sizeof(float));
		for (unsigned int s = 0; s < samples; s++) {
			float *out = r->out[i] + s * size;

			each_pair(layer, x + s * in_size(layer), out, weights,
				  pair_forward);
			for (size_t o = 0; o < size; o++)
				if (i == last)
					out[o] += r->read[r->num_weights -
							  CLASSES + o];
				else
					out[o] = fmaxf(out[o], 0);
			if (i < last)
				round_all(r, out, size);
			if (layer->pool)
				pool(layer, out, r->pooled[i] + s * pooled);
		}
		x = layer->pool ? r->pooled[i] : r->out[i];
		weights += layer_weights(layer);
	}
}

/* @z becomes its gradient. Returns the sum of losses. */
static double cross_entropy(float *z, const int32_t *label,
			    unsigned int samples)
{
	double loss = 0;

	for (unsigned int s = 0; s < samples; s++, z += CLASSES) {
		float high = z[0], sum = 0;

		for (unsigned int c = 1; c < CLASSES; c++)
			high = fmaxf(high, z[c]);
		for (unsigned int c = 0; c < CLASSES; c++)
			sum += expf(z[c] - high);
		loss += (double)(logf(sum) - (z[label[s]] - high));
		for (unsigned int c = 0; c < CLASSES; c++)
			z[c] = (expf(z[c] - high) / sum -
				(c == (unsigned int)label[s])) / (float)samples;
	}

	return loss;
}

/* The layer's weights, and its input's gradient, before the ReLU and pool below. */
static void layer_back(struct reference *r, unsigned int i, float *in,
		       float *weights, float *slope)
{
	const struct layer *layer = &r->network->layer[i];
	const struct layer *below = layer - 1;
	float *swap;

	memset(r->d_in, 0, BATCH * in_size(layer) * sizeof(float));
	for (unsigned int s = 0; s < BATCH; s++) {
		float *d_out = r->d_out + s * out_size(layer);

		each_pair(layer, in + s * in_size(layer), d_out, slope,
			  pair_weights);
		if (i)
			each_pair(layer, r->d_in + s * in_size(layer), d_out,
				  weights, pair_data);
	}
	round_all(r, slope, layer_weights(layer));
	if (!i)
		return;
	round_all(r, r->d_in, BATCH * in_size(layer));
	if (below->pool) {
		for (unsigned int s = 0; s < BATCH; s++)
			unpool(below, r->out[i - 1] + s * out_size(below),
			       r->d_in + s * in_size(layer),
			       r->d_out + s * out_size(below));
	} else {
		swap = r->d_in;
		r->d_in = r->d_out;
		r->d_out = swap;
	}
	for (size_t j = 0; j < BATCH * out_size(below); j++)
		if (!(r->out[i - 1][j] > 0))
			r->d_out[j] = 0;
}

static void backward(struct reference *r, float *x)
{
	unsigned int i = r->network->layers;
	size_t weights = r->num_weights - CLASSES;

	memset(r->slope, 0, r->num_weights * sizeof(float));
	for (unsigned int s = 0; s < BATCH * CLASSES; s++)
		r->slope[weights + s % CLASSES] += r->d_out[s];
	round_all(r, r->d_out, BATCH * CLASSES);
	while (i--) {
		const struct layer *layer = &r->network->layer[i];
		float *in = !i ? x : layer[-1].pool ? r->pooled[i - 1] :
						      r->out[i - 1];

		weights -= layer_weights(layer);
		layer_back(r, i, in, r->read + weights, r->slope + weights);
	}
}

struct reference *reference_begin(const struct network *network,
				  struct digits *digits,
				  const struct options *options)
{
	struct reference *r = allocate(1, sizeof(*r));
	size_t most = digits->held > BATCH ? digits->held : BATCH, largest = 0;
	size_t seen = (size_t)digits_steps(digits) * BATCH;

	r->network = network;
	r->digits = digits;
	r->options = options;
	r->x = allocate(seen * digits->inputs, sizeof(float));
	r->label = allocate(seen, sizeof(int32_t));
	r->weights = network_start(network, options->seed, &r->num_weights);
	r->speed = allocate(r->num_weights, sizeof(float));
	r->slope = allocate(r->num_weights, sizeof(float));
	r->read = allocate(r->num_weights, sizeof(float));
	read_weights(r);
	for (unsigned int i = 0; i < network->layers; i++) {
		const struct layer *layer = &network->layer[i];

		r->out[i] = allocate(most * out_size(layer), sizeof(float));
		r->pooled[i] = allocate(most * out_size(layer) / 4 + 1,
					sizeof(float));
		if (out_size(layer) > largest)
			largest = out_size(layer);
		if (in_size(layer) > largest)
			largest = in_size(layer);
	}
	r->d_out = allocate(BATCH * largest, sizeof(float));
	r->d_in = allocate(BATCH * largest, sizeof(float));

	return r;
}

double reference_epoch(struct reference *r, unsigned int epoch, step_fn step)
{
	unsigned int steps = digits_steps(r->digits);
	unsigned int last = r->network->layers - 1;
	float rate = rate_of(r->options, epoch);
	double loss = 0;

	digits_shuffle(r->digits, r->x, r->label);
	for (unsigned int i = 0; i < steps; i++) {
		float *x = r->x + (size_t)i * BATCH * r->digits->inputs;

		forward(r, x, BATCH);
		memcpy(r->d_out, r->out[last],
		       BATCH * CLASSES * sizeof(float));
		loss += cross_entropy(r->d_out, r->label + (size_t)i * BATCH,
				      BATCH);
		backward(r, x);
		for (size_t w = 0; w < r->num_weights; w++) {
			r->speed[w] = r->options->momentum * r->speed[w] +
				      r->slope[w];
			r->weights[w] -= rate * r->speed[w];
		}
		read_weights(r);
		step(i + 1, steps);
	}

	return loss / (steps * BATCH);
}

double reference_right(struct reference *r)
{
	const float *z = r->out[r->network->layers - 1];
	unsigned int right = 0, held = r->digits->held;

	forward(r, r->digits->x, held);
	for (unsigned int s = 0; s < held; s++, z += CLASSES) {
		unsigned int best = 0;

		for (unsigned int c = 1; c < CLASSES; c++)
			if (z[c] > z[best])
				best = c;
		right += best == (unsigned int)r->digits->label[s];
	}

	return (double)right / held;
}

uint32_t reference_end(struct reference *r)
{
	uint32_t crc = (uint32_t)crc32(0, (const Bytef *)r->weights,
				       (uInt)(r->num_weights * sizeof(float)));

	for (unsigned int i = 0; i < r->network->layers; i++) {
		free(r->out[i]);
		free(r->pooled[i]);
	}
	free(r->x);
	free(r->label);
	free(r->weights);
	free(r->speed);
	free(r->slope);
	free(r->read);
	free(r->d_out);
	free(r->d_in);
	free(r);

	return crc;
}
