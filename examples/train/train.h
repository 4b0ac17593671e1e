/* SPDX-License-Identifier: MIT */
/*
 * A network learns handwritten digits on the card: what the files of this program
 * share. train.c: the command line; digits.c: the data; network.c: layers; recipe.c:
 * layers as nodes; card.c: a training on a card; shared.c: on several, ranks.c: how
 * these meet; reference.c: the same in plain C;
 * show.c: what is seen of it; curve.c: a picture of its losses.
 */
#ifndef TRAIN_H
#define TRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gaudi_graph.h>

#define BATCH		64u
#define SIDE		8u
#define PIXELS		(SIDE * SIDE)
#define CLASSES		10u
#define MAX_LAYERS	3u
#define MAX_EPOCHS	1000u
/* Exit status: it was the card, not what was asked for. */
#define CARD_FAILED	3

struct options {
	const char *digits;
	const char *model;
	const char *json;
	const char *png;
	bool bf16;
	bool reference;
	unsigned int ranks, parts;	/* of each batch; 0: it is not divided */
	bool behind, apart;		/* gradients are exchanged behind backward, or not at all */
	unsigned int epochs;
	unsigned int hidden;
	uint64_t seed;
	float rate;
	float momentum;
};

/* For a message without a place to go on from. */
void die(const char *format, ...)
	__attribute__((noreturn, format(printf, 1, 2)));
void *allocate(size_t count, size_t size);

/*
 * Digits: a fifth, the first after shuffling, is never trained with.
 */
struct digits {
	unsigned int held;		/* so many to be asked for */
	unsigned int learnt;		/* so many to learn */
	unsigned int inputs;		/* PIXELS, and a 1 if the network wants it */
	float *x;			/* [sample][input], the held ones first */
	int32_t *label;			/* [sample] */
	unsigned int *order;		/* of those to learn, changed by shuffling */
	uint64_t random;
};

uint64_t next_random(uint64_t *state);
void digits_load(struct digits *digits, const char *path, unsigned int inputs,
		 uint64_t seed);
void digits_free(struct digits *digits);
unsigned int digits_steps(const struct digits *digits);
/*
 * A new order; batch after batch, x[sample][input] and label[sample]. Every other digit,
 * by chance, is moved by a pixel.
 */
void digits_shuffle(struct digits *digits, float *x, int32_t *label);
/* Of an epoch: a tenth in the last fifth of them. */
float rate_of(const struct options *options, unsigned int epoch);

/*
 * Layers: a convolution, of 1 x 1 pixels if it is a plain product; all but the last
 * with ReLU, then perhaps the largest of each 2 x 2 pixels. The last one has a bias.
 */
struct layer {
	unsigned int side;		/* of the image that comes in */
	unsigned int in;		/* channels */
	unsigned int out;
	unsigned int filter;		/* side of it */
	unsigned int padding;
	bool pool;
	unsigned int out_side;		/* before the pool */
};

struct network {
	const char *name;
	unsigned int layers;
	unsigned int inputs;		/* numbers of a sample */
	bool image;			/* tensors have four dims, not two */
	struct layer layer[MAX_LAYERS];
};

/* False: no such model. */
bool network_make(struct network *network, const char *model,
		  unsigned int hidden);
size_t layer_weights(const struct layer *layer);
/* Weights as they begin, one layer behind the other, and the bias, which is 0. */
float *network_start(const struct network *network, uint64_t seed,
		     size_t *count);

/*
 * Recipes: one step (forward, backward, the optimiser), and one that asks. Their
 * tensors: x, label; loss or right (how many of the samples); w0, w1 ... and b, for
 * bf16 also h0, h1 ..., copies in bf16; v0, v1 ... and vb: momenta.
 */
struct gaudi_recipe *recipe_of_step(const struct network *network,
				    const struct options *options, float rate);
struct gaudi_recipe *recipe_of_question(const struct network *network,
					bool bf16, unsigned int samples);
/*
 * A step in parts, in f32: that of the last layer is the forward pass and its own gradients;
 * those below it follow, from the last one to the first. What they have in common is bound:
 * x, y0, pooled0, dy1 ... Gradients: dw0, dw1 ... and db. Then an update for each layer.
 */
struct gaudi_recipe *recipe_of_part(const struct network *network, unsigned int i,
				    unsigned int samples);
struct gaudi_recipe *recipe_of_update(const struct network *network, unsigned int i,
				      const struct options *options, float rate);
/* "sum" of "rows", in their order. */
struct gaudi_recipe *recipe_of_sum(unsigned int rows, size_t count);
/* Dies with CARD_FAILED if libgaudi has failed. */
void need(int rc);

/*
 * What has been seen so far.
 */
struct result {
	unsigned int epochs;
	double loss[MAX_EPOCHS];	/* the epochs' means */
	double right;			/* of those held, the last epoch */
	double speed;			/* steps/s of all epochs */
	uint32_t crc;			/* of all parameters */
};

typedef void (*step_fn)(unsigned int done, unsigned int steps);

/* Memory of a device, with what is at @data, or without. */
gaudi_ptr on_device(struct gaudi_device *device, const void *data, size_t size);
void bind_tensor(struct gaudi_launcher *launcher, gaudi_ptr address, const char *format,
		 unsigned int number);
/* Of a recipe, which it has then. */
struct gaudi_launcher *launcher(struct gaudi_device *device,
				struct gaudi_recipe *recipe);

struct training;
struct training *card_begin(const struct network *network,
			    struct digits *digits, const struct options *options);
/* The mean loss. */
double card_epoch(struct training *training, unsigned int epoch, step_fn step);
double card_right(struct training *training);
/* Of all parameters; ends the training. */
uint32_t card_end(struct training *training);

/*
 * A training whose batches are divided: among cards, each a process of its own, which
 * exchange gradients while they go on backward; or into parts that one card does one after
 * the other, and sums in the same order, to the same bits. In f32.
 */
struct shared;
/* One process goes in, and @ranks come back, each with its number. */
unsigned int shared_fork(unsigned int ranks);
struct shared *shared_begin(const struct network *network, struct digits *digits,
			    const struct options *options, unsigned int rank);
/* The mean loss, of all. */
double shared_epoch(struct shared *shared, unsigned int epoch, step_fn step);
double shared_right(struct shared *shared);
/* Of all parameters, which all ranks have alike; ends the training. */
uint32_t shared_end(struct shared *shared);
/* Of those that rank 0 has started. */
void shared_wait(unsigned int ranks);

struct reference;
struct reference *reference_begin(const struct network *network,
				  struct digits *digits,
				  const struct options *options);
double reference_epoch(struct reference *reference, unsigned int epoch,
		       step_fn step);
double reference_right(struct reference *reference);
uint32_t reference_end(struct reference *reference);

void show_step(unsigned int done, unsigned int steps);
void show_epoch(const struct options *options, unsigned int epoch, double loss,
		double right, double speed);
void write_png(const struct options *options, const struct result *result);
void write_json(const struct options *options, const struct result *result);

#endif /* TRAIN_H */
