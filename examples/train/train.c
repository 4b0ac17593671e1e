// SPDX-License-Identifier: MIT
/*
 * A network learns handwritten digits, wholly on the card: forward, backward and the
 * optimiser are one recipe, captured as graphs that are replayed step by step.
 */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "train.h"

static const char usage[] =
	"usage: train [OPTION ...] DIGITS\n"
	"Learns the digits of DIGITS (digits.csv.gz: see \"scripts/setup digits\") on\n"
	"the first card that HABANA_VISIBLE_DEVICES and HABANA_VISIBLE_MODULES leave.\n"
	"  --model mlp|cnn   the network (mlp)\n"
	"  --type f32|bf16   what products are computed of (f32)\n"
	"  --hidden N        hidden units (96), or channels of the cnn's first layer (16)\n"
	"  --epochs N        how often all digits are seen (30, cnn: 8; at most 1000)\n"
	"  --rate X          how far a step goes (0.1; cnn: 0.05), and a tenth of it\n"
	"                    in the last fifth of the epochs\n"
	"  --momentum X      what is left of the step before (0.9)\n"
	"  --seed N          of weights and orders (1)\n"
	"  --ranks N         divided among N cards, each a process: 2, 4 or 8; f32\n"
	"  --exchange HOW    of gradients among them: beside backward (the default), behind\n"
	"                    it, or none: then each card learns what it has seen\n"
	"  --parts N         the same sums in the same order on one card\n"
	"  --reference       without a card, in plain C\n"
	"  --json FILE       what came of it\n"
	"  --png FILE        the loss curve\n";

enum option_number {
	OPT_MODEL = 256, OPT_TYPE, OPT_HIDDEN, OPT_EPOCHS, OPT_RATE,
	OPT_MOMENTUM, OPT_RANKS, OPT_EXCHANGE, OPT_PARTS, OPT_SEED, OPT_REFERENCE, OPT_JSON, OPT_PNG, OPT_HELP,
};

static const struct option long_options[] = {
	{ "model", required_argument, NULL, OPT_MODEL },
	{ "type", required_argument, NULL, OPT_TYPE },
	{ "hidden", required_argument, NULL, OPT_HIDDEN },
	{ "epochs", required_argument, NULL, OPT_EPOCHS },
	{ "rate", required_argument, NULL, OPT_RATE },
	{ "momentum", required_argument, NULL, OPT_MOMENTUM },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "ranks", required_argument, NULL, OPT_RANKS },
	{ "exchange", required_argument, NULL, OPT_EXCHANGE },
	{ "parts", required_argument, NULL, OPT_PARTS },
	{ "reference", no_argument, NULL, OPT_REFERENCE },
	{ "json", required_argument, NULL, OPT_JSON },
	{ "png", required_argument, NULL, OPT_PNG },
	{ "help", no_argument, NULL, OPT_HELP },
	{ 0 }
};

void die(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fputs("train: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

void *allocate(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	if (!memory)
		die("no memory for %zu times %zu bytes", count, size);

	return memory;
}

static uint64_t number(const char *name, const char *text, uint64_t min,
		       uint64_t max)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || end == text || *end || strchr(text, '-') || value < min ||
	    value > max)
		die("--%s %s: not a number from %llu to %llu", name, text,
		    (unsigned long long)min, (unsigned long long)max);

	return value;
}

static float fraction(const char *name, const char *text, float max)
{
	float value;
	char *end;

	value = strtof(text, &end);
	if (end == text || *end || !(value >= 0 && value <= max))
		die("--%s %s: not a number from 0 to %g", name, text,
		    (double)max);

	return value;
}

static void set_option(struct options *options, int option)
{
	switch (option) {
	case OPT_MODEL:
		options->model = optarg;
		break;
	case OPT_TYPE:
		options->bf16 = !strcmp(optarg, "bf16");
		if (!options->bf16 && strcmp(optarg, "f32"))
			die("--type %s: neither f32 nor bf16", optarg);
		break;
	case OPT_HIDDEN:
		options->hidden = (unsigned int)number("hidden", optarg, 1, 512);
		break;
	case OPT_EPOCHS:
		options->epochs = (unsigned int)number("epochs", optarg, 1,
						       MAX_EPOCHS);
		break;
	case OPT_RATE:
		options->rate = fraction("rate", optarg, 10);
		break;
	case OPT_MOMENTUM:
		options->momentum = fraction("momentum", optarg, 1);
		break;
	case OPT_SEED:
		options->seed = number("seed", optarg, 0, UINT32_MAX);
		break;
	case OPT_RANKS:
		options->ranks = (unsigned int)number("ranks", optarg, 2, 8);
		break;
	case OPT_EXCHANGE:
		options->behind = !strcmp(optarg, "behind");
		options->apart = !strcmp(optarg, "none");
		if (!options->behind && !options->apart && strcmp(optarg, "beside"))
			die("--exchange %s: neither beside, behind nor none", optarg);
		break;
	case OPT_PARTS:
		options->parts = (unsigned int)number("parts", optarg, 2, 8);
		break;
	case OPT_REFERENCE:
		options->reference = true;
		break;
	case OPT_JSON:
		options->json = optarg;
		break;
	case OPT_PNG:
		options->png = optarg;
		break;
	case OPT_HELP:
		fputs(usage, stdout);
		exit(0);
	default:
		fputs(usage, stderr);
		exit(2);
	}
}

static void parse(struct options *options, int argc, char **argv)
{
	int option;

	*options = (struct options){
		.model = "mlp", .seed = 1, .rate = -1,
		.momentum = 0.9f,
	};
	while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1)
		set_option(options, option);
	if (optind != argc - 1) {
		fputs(usage, stderr);
		exit(2);
	}
	options->digits = argv[optind];
	if ((options->ranks && BATCH % options->ranks) ||
	    (options->parts && BATCH % options->parts))
		die("a batch of %u is not divided evenly", BATCH);
	if (!!options->ranks + !!options->parts + options->reference +
	    ((options->ranks || options->parts) && options->bf16) > 1)
		die("--ranks, --parts and --reference exclude each other, and f32 is all that is divided");
	if (!options->hidden)
		options->hidden = strcmp(options->model, "cnn") ? 96 : 16;
	if (!options->epochs)
		options->epochs = strcmp(options->model, "cnn") ? 30 : 8;
	if (options->rate < 0)
		options->rate = strcmp(options->model, "cnn") ? 0.1f : 0.05f;
}

float rate_of(const struct options *options, unsigned int epoch)
{
	unsigned int slow = options->epochs / 5;

	return epoch < options->epochs - slow ? options->rate :
						options->rate / 10;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);

	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* All ways to train look alike. */
static void run(const struct options *options, const struct network *network,
		struct digits *digits, unsigned int rank, struct result *result)
{
	struct reference *reference = NULL;
	struct training *training = NULL;
	struct shared *shared = NULL;
	unsigned int steps = digits_steps(digits);
	double total = 0;

	if (options->ranks || options->parts)
		shared = shared_begin(network, digits, options, rank);
	else if (options->reference)
		reference = reference_begin(network, digits, options);
	else
		training = card_begin(network, digits, options);
	for (unsigned int i = 0; i < options->epochs; i++) {
		double begin = now(), time;

		result->loss[i] = shared ?
				  shared_epoch(shared, i, rank ? NULL : show_step) :
				  reference ?
				  reference_epoch(reference, i, show_step) :
				  card_epoch(training, i, show_step);
		time = now() - begin;
		total += time;
		result->right = shared ? shared_right(shared) :
				reference ? reference_right(reference) :
					    card_right(training);
		result->epochs = i + 1;
		if (!rank)
			show_epoch(options, i + 1, result->loss[i], result->right,
				   steps / time);
	}
	result->speed = steps * options->epochs / total;
	result->crc = shared ? shared_end(shared) :
		      reference ? reference_end(reference) : card_end(training);
}

int main(int argc, char **argv)
{
	static struct result result;
	struct network network;
	unsigned int rank = 0;
	struct options options;
	struct digits digits;

	parse(&options, argc, argv);
	if (!network_make(&network, options.model, options.hidden))
		die("--model %s: neither mlp nor cnn", options.model);
	digits_load(&digits, options.digits, network.inputs, options.seed);
	if (options.ranks)
		rank = shared_fork(options.ranks);
	run(&options, &network, &digits, rank, &result);
	if (options.ranks && !rank)
		shared_wait(options.ranks);
	if (options.json && !rank)
		write_json(&options, &result);
	if (options.png && !rank)
		write_png(&options, &result);
	digits_free(&digits);

	return 0;
}
