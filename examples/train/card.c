// SPDX-License-Identifier: MIT
/*
 * A training on a card. Weights, momenta and an epoch's data are in its memory; for each
 * place of a batch there is a graph, captured once. The host shuffles, and looks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "train.h"

struct training {
	const struct network *network;
	struct digits *digits;
	const struct options *options;
	bool bf16;
	unsigned int steps;
	struct gaudi_device *device;
	struct gaudi_stream *stream;
	/* With the rate as it begins, and as it ends. */
	struct gaudi_launcher *step[2];
	struct gaudi_launcher *question;
	struct gaudi_graph **graphs[2];
	struct gaudi_event **events;
	float *drawn;			/* x in f32 */
	size_t x_size;			/* of a batch, bytes */
	/* Pinned, and on the card. */
	void *x, *label, *loss, *right;
	gaudi_ptr card_x, card_label, card_loss, card_right;
	float *start;
	size_t num_weights;
	gaudi_ptr weights[MAX_LAYERS + 1];	/* and the bias */
	gaudi_ptr copies[MAX_LAYERS];	/* in bf16 */
};

/* To the nearest, ties to even; there is nothing but numbers here. */
static uint16_t bf16(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));

	return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static void narrow(void *to, const float *from, size_t count)
{
	uint16_t *narrowed = to;

	for (size_t i = 0; i < count; i++)
		narrowed[i] = bf16(from[i]);
}

gaudi_ptr on_device(struct gaudi_device *device, const void *data, size_t size)
{
	gaudi_ptr address;

	need(gaudi_malloc(device, size, &address));
	if (data)
		need(gaudi_copy_to_device(device, address, data, size));

	return address;
}

static gaudi_ptr on_card(struct training *training, const void *data, size_t size)
{
	return on_device(training->device, data, size);
}

/* What products read, from numbers in f32. */
static gaudi_ptr on_card_as_read(struct training *training, const float *data,
				 size_t count)
{
	gaudi_ptr address;
	void *narrowed;

	if (!training->bf16)
		return on_card(training, data, count * sizeof(float));
	narrowed = allocate(count, 2);
	narrow(narrowed, data, count);
	address = on_card(training, narrowed, 2 * count);
	free(narrowed);

	return address;
}

void bind_tensor(struct gaudi_launcher *launcher, gaudi_ptr address, const char *format,
		 unsigned int number)
{
	char name[16];
	struct gaudi_binding binding = { .name = name, .address = address };

	snprintf(name, sizeof(name), format, number);
	need(gaudi_launcher_bind(launcher, &binding, 1));
}

static void bind_step(struct training *training, gaudi_ptr address,
		      const char *format, unsigned int number)
{
	for (unsigned int i = 0; i < 2; i++)
		bind_tensor(training->step[i], address, format, number);
}

static void bind_parameters(struct training *training)
{
	unsigned int layers = training->network->layers;
	const float *start = training->start;
	size_t count;
	void *zeros;

	for (unsigned int i = 0; i <= layers; i++) {
		bool bias = i == layers;

		count = bias ? CLASSES :
			       layer_weights(&training->network->layer[i]);
		zeros = allocate(count, sizeof(float));
		training->weights[i] = on_card(training, start,
					       count * sizeof(float));
		bind_step(training,
			  on_card(training, zeros, count * sizeof(float)),
			  bias ? "vb" : "v%u", i);
		bind_step(training, training->weights[i], bias ? "b" : "w%u", i);
		if (bias || !training->bf16) {
			bind_tensor(training->question, training->weights[i],
			     bias ? "b" : "w%u", i);
		} else {
			training->copies[i] = on_card_as_read(training, start,
							      count);
			bind_step(training, training->copies[i], "h%u", i);
			bind_tensor(training->question, training->copies[i], "h%u", i);
		}
		free(zeros);
		start += count;
	}
}

static void allocate_data(struct training *training)
{
	size_t steps = training->steps, batch = BATCH * sizeof(float);
	struct digits *digits = training->digits;
	struct gaudi_device *device = training->device;

	training->x_size = BATCH * digits->inputs * (training->bf16 ? 2u : 4u);
	training->drawn = allocate(steps * BATCH * digits->inputs,
				   sizeof(float));
	need(gaudi_host_alloc(device, steps * training->x_size, &training->x));
	need(gaudi_host_alloc(device, steps * batch, &training->label));
	need(gaudi_host_alloc(device, steps * batch, &training->loss));
	need(gaudi_host_alloc(device, digits->held * sizeof(float),
			      &training->right));
	training->card_x = on_card(training, NULL, steps * training->x_size);
	training->card_label = on_card(training, NULL, steps * batch);
	training->card_loss = on_card(training, NULL, steps * batch);
	training->card_right = on_card(training, NULL,
				       digits->held * sizeof(float));
}

static void capture(struct training *training, unsigned int step)
{
	size_t batch = BATCH * sizeof(float);
	struct gaudi_binding bindings[] = {
		{ .name = "x", .address = training->card_x +
					  step * training->x_size },
		{ .name = "label", .address = training->card_label +
					      step * batch },
		{ .name = "loss", .address = training->card_loss +
					     step * batch },
	};

	for (unsigned int i = 0; i < 2; i++) {
		need(gaudi_stream_begin_capture(training->stream));
		need(gaudi_launch(training->step[i], bindings, 3,
				  training->stream));
		need(gaudi_stream_end_capture(training->stream,
					      &training->graphs[i][step]));
	}
	need(gaudi_event_create(training->device, GAUDI_EVENT_NO_TIMING,
				&training->events[step]));
}

struct gaudi_launcher *launcher(struct gaudi_device *device,
				struct gaudi_recipe *recipe)
{
	struct gaudi_launcher *made;

	need(gaudi_launcher_create(device, recipe, &made));
	need(gaudi_recipe_release(recipe));

	return made;
}

static void make_steps(struct training *training)
{
	const struct options *options = training->options;

	for (unsigned int i = 0; i < 2; i++) {
		float rate = rate_of(options, i ? options->epochs - 1 : 0);

		training->step[i] = launcher(training->device,
					     recipe_of_step(training->network,
							    options, rate));
		training->graphs[i] = allocate(training->steps, sizeof(void *));
	}
}

struct training *card_begin(const struct network *network,
			    struct digits *digits,
			    const struct options *options)
{
	struct training *training = allocate(1, sizeof(*training));
	size_t held = digits->held;

	training->network = network;
	training->digits = digits;
	training->options = options;
	training->bf16 = options->bf16;
	training->steps = digits_steps(digits);
	need(gaudi_device_open(0, 60000, &training->device));
	need(gaudi_stream_create(training->device, &training->stream));
	make_steps(training);
	training->question = launcher(training->device,
				      recipe_of_question(network, options->bf16,
							 digits->held));
	training->start = network_start(network, options->seed,
					&training->num_weights);
	bind_parameters(training);
	allocate_data(training);
	bind_tensor(training->question,
	     on_card_as_read(training, digits->x, held * digits->inputs),
	     "x", 0);
	bind_tensor(training->question,
	     on_card(training, digits->label, held * sizeof(int32_t)),
	     "label", 0);
	bind_tensor(training->question, training->card_right, "right", 0);
	training->events = allocate(training->steps, sizeof(void *));
	for (unsigned int i = 0; i < training->steps; i++)
		capture(training, i);

	return training;
}

double card_epoch(struct training *training, unsigned int epoch, step_fn step)
{
	struct gaudi_stream *stream = training->stream;
	size_t batch = BATCH * sizeof(float), steps = training->steps;
	size_t count = steps * BATCH * training->digits->inputs;
	const struct options *options = training->options;
	bool slow = rate_of(options, epoch) < rate_of(options, 0);
	const float *loss = training->loss;
	double sum = 0;

	digits_shuffle(training->digits, training->drawn, training->label);
	if (training->bf16)
		narrow(training->x, training->drawn, count);
	else
		memcpy(training->x, training->drawn, count * sizeof(float));
	need(gaudi_copy_to_device_async(stream, training->card_x, training->x,
					steps * training->x_size));
	need(gaudi_copy_to_device_async(stream, training->card_label,
					training->label, steps * batch));
	for (unsigned int i = 0; i < steps; i++) {
		need(gaudi_graph_launch(training->graphs[slow][i], stream));
		need(gaudi_event_record(training->events[i], stream));
	}
	need(gaudi_copy_to_host_async(stream, training->loss,
				      training->card_loss, steps * batch));
	for (unsigned int i = 0; i < steps; i++) {
		need(gaudi_event_synchronize(training->events[i]));
		step(i + 1, training->steps);
	}
	need(gaudi_stream_synchronize(stream));
	for (size_t i = 0; i < steps * BATCH; i++)
		sum += (double)loss[i];

	return sum / (double)(steps * BATCH);
}

double card_right(struct training *training)
{
	unsigned int held = training->digits->held;
	const float *right = training->right;
	double sum = 0;

	need(gaudi_launch(training->question, NULL, 0, training->stream));
	need(gaudi_copy_to_host_async(training->stream, training->right,
				      training->card_right,
				      held * sizeof(float)));
	need(gaudi_stream_synchronize(training->stream));
	for (unsigned int i = 0; i < held; i++)
		sum += (double)right[i];

	return sum / held;
}

uint32_t card_end(struct training *training)
{
	uLong crc = crc32(0, NULL, 0);
	float *now = training->start;
	size_t count;

	for (unsigned int i = 0; i <= training->network->layers; i++) {
		count = i == training->network->layers ? CLASSES :
			layer_weights(&training->network->layer[i]);
		need(gaudi_copy_to_host(training->device, now,
					training->weights[i],
					count * sizeof(float)));
		crc = crc32(crc, (const Bytef *)now,
			    (uInt)(count * sizeof(float)));
	}
	need(gaudi_device_close(training->device));
	free(training->graphs[0]);
	free(training->graphs[1]);
	free(training->events);
	free(training->drawn);
	free(training->start);
	free(training);

	return (uint32_t)crc;
}
