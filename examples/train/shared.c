// SPDX-License-Identifier: MIT
/*
 * A training whose batches are divided, among ranks or into parts. Backward is a launch for
 * each layer, from the last one down; as soon as a layer's gradients are there, a second
 * stream sums them over all ranks, while the first one goes on. Then all have the same sums,
 * and update their weights alike. A step is a graph, exchange and all. To see what
 * that is worth, the exchange can come behind all of backward, or not at all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>
#include <habanalabs/hccl.h>
#include <habanalabs/synapse_gaudi.h>

#include "train.h"

#define ALIGN		32u		/* floats: where gradients begin */
#define NUMBER		sizeof(float)

struct shared {
	const struct network *network;
	struct digits *digits;
	const struct options *options;
	unsigned int rank, ranks, parts, samples, steps;
	synStreamHandle handle;			/* of @exchange */
	hcclComm_t comm;
	struct gaudi_device *device;
	struct gaudi_stream *stream, *exchange;
	struct gaudi_event *ready[MAX_LAYERS], *summed[MAX_LAYERS];
	struct gaudi_launcher *part[MAX_LAYERS], *update[2][MAX_LAYERS];
	struct gaudi_launcher *sum, *question;
	struct gaudi_graph **graphs[2];
	/* In numbers: where a layer's gradients begin, the bias', and the end. */
	size_t at[MAX_LAYERS], bias_at, end;
	gaudi_ptr slopes;			/* a row for each part */
	gaudi_ptr slope;			/* their sum, or this rank's */
	gaudi_ptr weights[MAX_LAYERS + 1];
	gaudi_ptr card_x, card_label, card_loss, card_right;
	void *x, *label;			/* pinned, and so are these */
	float *loss, *right;
	float *start;
};

static void must(unsigned int failed, const char *what)
{
	const char *why = hcclGetLastErrorMessage();

	if (!failed)
		return;
	fflush(stdout);
	fprintf(stderr, "train: %s: %s\n", what, why ? why : "Synapse's calls fail");
	exit(CARD_FAILED);
}

static void pin(struct shared *s, size_t size, void *at)
{
	need(gaudi_host_alloc(s->device, size, at));
}

/* With others: the first free card, and a communicator of all. */
static void open_card(struct shared *s)
{
	hcclUniqueId id = {};
	synDeviceId device;

	if (s->ranks == 1) {
		need(gaudi_device_open(0, 60000, &s->device));
		need(gaudi_stream_create(s->device, &s->stream));
		return;
	}
	must(synInitialize() || synDeviceAcquire(&device, NULL) ||
	     synDeviceGetGaudi(device, &s->device) ||
	     synStreamCreateGeneric(&s->handle, device, 0) ||
	     synStreamGetGaudi(s->handle, &s->exchange), "a card");
	need(gaudi_stream_create(s->device, &s->stream));
	if (!s->rank)
		must(hcclGetUniqueId(&id), "where ranks meet");
	must(hcclCommInitRank(&s->comm, (int)s->ranks, id, (int)s->rank),
	     "a communicator");
}

/*
 * Memory
 */
static void place_gradients(struct shared *s)
{
	unsigned int layers = s->network->layers;

	for (unsigned int i = 0; i < layers; i++) {
		s->at[i] = s->end;
		s->end += layer_weights(&s->network->layer[i]) + ALIGN - 1;
		s->end -= s->end % ALIGN;
	}
	s->bias_at = s->end;
	s->end += ALIGN;
	s->slopes = on_device(s->device, NULL, s->parts * s->end * NUMBER);
	need(gaudi_fill(s->device, s->slopes, 0, 4, s->parts * s->end));
	s->slope = s->parts == 1 ? s->slopes :
		   on_device(s->device, NULL, s->end * NUMBER);
}

/* What parts have in common, by the names that recipes have for it. */
static void bind_between(struct shared *s)
{
	for (unsigned int i = 0; i + 1 < s->network->layers; i++) {
		const struct layer *layer = &s->network->layer[i];
		size_t size = (size_t)s->samples * layer->out_side *
			      layer->out_side * layer->out * NUMBER;
		gaudi_ptr out = on_device(s->device, NULL, size);
		gaudi_ptr back = on_device(s->device, NULL, size);
		unsigned int last = s->network->layers - 1;

		bind_tensor(s->part[last], out, "y%u", i);
		if (i + 1 != last)
			bind_tensor(s->part[i + 1], out, "y%u", i);
		bind_tensor(s->part[i], back, "dy%u", i + 1);
		bind_tensor(s->part[i + 1], back, "dy%u", i + 1);
		if (!layer->pool)
			continue;
		out = on_device(s->device, NULL, size / 4);
		bind_tensor(s->part[last], out, "pooled%u", i);
		if (i + 1 != last)
			bind_tensor(s->part[i + 1], out, "pooled%u", i);
	}
}

static void bind_weights(struct shared *s, unsigned int i, const float *start)
{
	unsigned int last = s->network->layers - 1;
	bool bias = i > last;
	size_t size = NUMBER * (bias ? CLASSES : layer_weights(&s->network->layer[i]));
	const char *name = bias ? "b" : "w%u";
	void *zeros = allocate(1, size);
	gaudi_ptr speed = on_device(s->device, zeros, size);
	unsigned int layer = bias ? last : i;

	free(zeros);
	s->weights[i] = on_device(s->device, start, size);
	bind_tensor(s->part[last], s->weights[i], name, i);
	bind_tensor(s->question, s->weights[i], name, i);
	if (i && i < last)
		bind_tensor(s->part[i], s->weights[i], name, i);
	for (unsigned int k = 0; k < 2; k++) {
		bind_tensor(s->update[k][layer], s->weights[i], name, i);
		bind_tensor(s->update[k][layer], speed, bias ? "vb" : "v%u", i);
		bind_tensor(s->update[k][layer], s->slope + NUMBER *
		     (bias ? s->bias_at : s->at[i]), bias ? "db" : "dw%u", i);
	}
}

static void allocate_data(struct shared *s)
{
	size_t samples = (size_t)s->steps * BATCH, held = s->digits->held;
	size_t inputs = s->digits->inputs;

	pin(s, samples * inputs * NUMBER, &s->x);
	pin(s, samples * NUMBER, &s->label);
	pin(s, samples * NUMBER, &s->loss);
	pin(s, held * NUMBER, &s->right);
	s->card_x = on_device(s->device, NULL, samples * inputs * NUMBER);
	s->card_label = on_device(s->device, NULL, samples * NUMBER);
	s->card_loss = on_device(s->device, NULL, samples * NUMBER);
	s->card_right = on_device(s->device, NULL, held * NUMBER);
	bind_tensor(s->question, on_device(s->device, s->digits->x, held * inputs * NUMBER),
	     "x", 0);
	bind_tensor(s->question, on_device(s->device, s->digits->label, held * NUMBER),
	     "label", 0);
	bind_tensor(s->question, s->card_right, "right", 0);
}

/*
 * A step
 */

/* Layer @i's part of the gradients of part @p of the batch. */
static void launch_part(struct shared *s, unsigned int step, unsigned int i,
			unsigned int p)
{
	bool last = i == s->network->layers - 1;
	size_t sample = (size_t)step * BATCH + (s->rank + p) * s->samples;
	gaudi_ptr x = s->card_x + sample * s->digits->inputs * NUMBER;
	gaudi_ptr slope = s->slopes + p * s->end * NUMBER;
	char name[16];
	const struct gaudi_binding bindings[] = {
		{ .name = name, .address = slope + s->at[i] * NUMBER },
		{ .name = "x", .address = x },
		{ .name = "db", .address = slope + s->bias_at * NUMBER },
		{ .name = "label", .address = s->card_label + sample * NUMBER },
		{ .name = "loss", .address = s->card_loss + sample * NUMBER },
	};

	snprintf(name, sizeof(name), "dw%u", i);
	need(gaudi_launch(s->part[i], bindings, last ? 5 : i ? 1 : 2, s->stream));
}

static void sum_over_ranks(struct shared *s, unsigned int i)
{
	bool last = i == s->network->layers - 1;
	size_t end = last ? s->end : s->at[i + 1];
	void *at = (void *)(uintptr_t)(s->slope + s->at[i] * NUMBER);

	need(gaudi_event_record(s->ready[i], s->stream));
	need(gaudi_stream_wait_event(s->exchange, s->ready[i]));
	must(hcclAllReduce(at, at, end - s->at[i], hcclFloat32, hcclSum, s->comm,
			   s->handle), "an exchange of gradients");
	need(gaudi_event_record(s->summed[i], s->exchange));
}

static void do_step(struct shared *s, unsigned int step, unsigned int rate)
{
	const struct options *options = s->options;

	for (unsigned int p = 0; p < s->parts; p++)
		for (unsigned int i = s->network->layers; i--;) {
			launch_part(s, step, i, p);
			if (s->ranks > 1 && !options->behind && !options->apart)
				sum_over_ranks(s, i);
		}
	for (unsigned int i = s->network->layers; s->ranks > 1 && options->behind && i--;)
		sum_over_ranks(s, i);
	if (s->parts > 1)
		need(gaudi_launch(s->sum, NULL, 0, s->stream));
	for (unsigned int i = s->network->layers; i--;) {
		if (s->ranks > 1 && !options->apart)
			need(gaudi_stream_wait_event(s->stream, s->summed[i]));
		need(gaudi_launch(s->update[rate][i], NULL, 0, s->stream));
	}
}

static void capture_steps(struct shared *s)
{
	for (unsigned int k = 0; k < 2; k++) {
		s->graphs[k] = allocate(s->steps, sizeof(void *));
		for (unsigned int i = 0; i < s->steps; i++) {
			need(gaudi_stream_begin_capture(s->stream));
			do_step(s, i, k);
			need(gaudi_stream_end_capture(s->stream,
						      &s->graphs[k][i]));
		}
	}
}

static void make_launchers(struct shared *s)
{
	const struct options *options = s->options;

	for (unsigned int i = 0; i < s->network->layers; i++) {
		s->part[i] = launcher(s->device, recipe_of_part(s->network, i,
								s->samples));
		for (unsigned int k = 0; k < 2; k++) {
			float rate = rate_of(options, k ? options->epochs - 1 : 0);

			s->update[k][i] = launcher(s->device,
						   recipe_of_update(s->network, i,
								    options, rate));
		}
		need(gaudi_event_create(s->device, GAUDI_EVENT_NO_TIMING,
					&s->ready[i]));
		need(gaudi_event_create(s->device, GAUDI_EVENT_NO_TIMING,
					&s->summed[i]));
	}
	s->question = launcher(s->device, recipe_of_question(s->network, false,
							     s->digits->held));
}

struct shared *shared_begin(const struct network *network, struct digits *digits,
			    const struct options *options, unsigned int rank)
{
	struct shared *s = allocate(1, sizeof(*s));
	const float *start;
	size_t count;

	s->network = network;
	s->digits = digits;
	s->options = options;
	s->rank = rank;
	s->ranks = options->ranks ? options->ranks : 1;
	s->parts = options->parts ? options->parts : 1;
	s->samples = BATCH / s->ranks / s->parts;
	s->steps = digits_steps(digits);
	open_card(s);
	make_launchers(s);
	place_gradients(s);
	bind_between(s);
	s->start = network_start(network, options->seed, &count);
	start = s->start;
	for (unsigned int i = 0; i <= network->layers; i++) {
		bind_weights(s, i, start);
		if (i < network->layers)
			start += layer_weights(&network->layer[i]);
	}
	allocate_data(s);
	if (s->parts > 1) {
		s->sum = launcher(s->device, recipe_of_sum(s->parts, s->end));
		bind_tensor(s->sum, s->slopes, "rows", 0);
		bind_tensor(s->sum, s->slope, "sum", 0);
	}
	capture_steps(s);

	return s;
}

/* What each rank has of the losses; the others have 0 there. */
static void collect_losses(struct shared *s)
{
	void *at = (void *)(uintptr_t)s->card_loss;

	if (s->ranks == 1)
		return;
	need(gaudi_event_record(s->ready[0], s->stream));
	need(gaudi_stream_wait_event(s->exchange, s->ready[0]));
	must(hcclAllReduce(at, at, (size_t)s->steps * BATCH, hcclFloat32, hcclSum,
			   s->comm, s->handle), "losses");
	need(gaudi_event_record(s->summed[0], s->exchange));
	need(gaudi_stream_wait_event(s->stream, s->summed[0]));
}

double shared_epoch(struct shared *s, unsigned int epoch, step_fn step)
{
	size_t samples = (size_t)s->steps * BATCH;
	bool slow = rate_of(s->options, epoch) < rate_of(s->options, 0);
	double sum = 0;

	digits_shuffle(s->digits, s->x, s->label);
	need(gaudi_copy_to_device_async(s->stream, s->card_x, s->x,
					samples * s->digits->inputs * NUMBER));
	need(gaudi_copy_to_device_async(s->stream, s->card_label, s->label,
					samples * NUMBER));
	need(gaudi_fill_async(s->stream, s->card_loss, 0, 4, samples));
	for (unsigned int i = 0; i < s->steps; i++) {
		need(gaudi_graph_launch(s->graphs[slow][i], s->stream));
		if (step)
			step(i + 1, s->steps);
	}
	collect_losses(s);
	need(gaudi_copy_to_host_async(s->stream, s->loss, s->card_loss,
				      samples * NUMBER));
	need(gaudi_stream_synchronize(s->stream));
	for (size_t i = 0; i < samples; i++)
		sum += (double)s->loss[i];

	return sum / (double)samples;
}

double shared_right(struct shared *s)
{
	unsigned int held = s->digits->held;
	double sum = 0;

	need(gaudi_launch(s->question, NULL, 0, s->stream));
	need(gaudi_copy_to_host_async(s->stream, s->right, s->card_right,
				      held * NUMBER));
	need(gaudi_stream_synchronize(s->stream));
	for (unsigned int i = 0; i < held; i++)
		sum += (double)s->right[i];

	return sum / held;
}

/* All ranks' are the same. */
static void compare(struct shared *s, uint32_t crc)
{
	uint32_t all[8], size = sizeof(crc);
	gaudi_ptr own = on_device(s->device, &crc, size);
	gaudi_ptr others = on_device(s->device, NULL, s->ranks * size);

	must(hcclAllGather((void *)(uintptr_t)own, (void *)(uintptr_t)others, 1,
			   hcclUint32, s->comm, s->handle) ||
	     synStreamSynchronize(s->handle), "a last exchange");
	need(gaudi_copy_to_host(s->device, all, others, s->ranks * size));
	for (unsigned int i = 0; i < s->ranks; i++)
		if (all[i] != crc)
			die("rank %u has other weights than rank %u", i, s->rank);
}

uint32_t shared_end(struct shared *s)
{
	uLong crc = crc32(0, NULL, 0);

	for (unsigned int i = 0; i <= s->network->layers; i++) {
		size_t size = NUMBER * (i == s->network->layers ? CLASSES :
					layer_weights(&s->network->layer[i]));

		need(gaudi_copy_to_host(s->device, s->start, s->weights[i], size));
		crc = crc32(crc, (const Bytef *)s->start, (uInt)size);
	}
	if (s->ranks > 1 && !s->options->apart)
		compare(s, (uint32_t)crc);
	for (unsigned int k = 0; k < 2; k++) {
		for (unsigned int i = 0; i < s->steps; i++)
			need(gaudi_graph_destroy(s->graphs[k][i]));
		free(s->graphs[k]);
	}
	if (s->ranks > 1)
		must(hcclCommDestroy(s->comm) || synDestroy(), "the end");
	else
		need(gaudi_device_close(s->device));
	free(s->start);
	free(s);

	return (uint32_t)crc;
}
