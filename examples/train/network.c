// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "train.h"

static void set_layer(struct layer *layer, unsigned int side, unsigned int in,
		      unsigned int out, unsigned int filter,
		      unsigned int padding, bool pool)
{
	*layer = (struct layer){
		.side = side, .in = in, .out = out, .filter = filter,
		.padding = padding, .pool = pool,
		.out_side = side + 2 * padding - filter + 1,
	};
}

bool network_make(struct network *network, const char *model,
		  unsigned int hidden)
{
	struct layer *layer = network->layer;

	*network = (struct network){ .name = model };
	if (!strcmp(model, "mlp")) {
		/* The weights of the input that is always 1 are a bias. */
		network->layers = 2;
		network->inputs = PIXELS + 1;
		set_layer(&layer[0], 1, PIXELS + 1, hidden, 1, 0, false);
		set_layer(&layer[1], 1, hidden, CLASSES, 1, 0, false);
		return true;
	}
	if (!strcmp(model, "cnn")) {
		network->layers = 3;
		network->inputs = PIXELS;
		network->image = true;
		set_layer(&layer[0], SIDE, 1, hidden, 3, 1, true);
		set_layer(&layer[1], SIDE / 2, hidden, 2 * hidden, 3, 1, true);
		set_layer(&layer[2], SIDE / 4, 2 * hidden, CLASSES, SIDE / 4, 0,
			  false);
		return true;
	}

	return false;
}

size_t layer_weights(const struct layer *layer)
{
	return (size_t)layer->filter * layer->filter * layer->in * layer->out;
}

/* Evenly between +-sqrt(6 / inputs), which suits ReLU. */
float *network_start(const struct network *network, uint64_t seed,
		     size_t *count)
{
	uint64_t random = ~seed;
	float *start, *w;

	*count = CLASSES;
	for (unsigned int i = 0; i < network->layers; i++)
		*count += layer_weights(&network->layer[i]);
	start = w = allocate(*count, sizeof(*start));
	for (unsigned int i = 0; i < network->layers; i++) {
		const struct layer *layer = &network->layer[i];
		size_t weights = layer_weights(layer);
		double limit = sqrt(6.0 * layer->out / (double)weights);

		for (size_t j = 0; j < weights; j++)
			*w++ = (float)(limit * ((double)(int64_t)
					next_random(&random) * 0x1p-63));
	}

	return start;
}
