// SPDX-License-Identifier: GPL-2.0-only
/* One collective on one machine: its time and the bound, as a line of JSON. */
#include <cstdio>
#include <cstdlib>
#include <getopt.h>
#include <stdexcept>
#include <unistd.h>

#include "scale.hpp"

namespace sg4 = simgrid::s4u;

/* In seconds; SimGrid's own default is 1e-9. */
#if SIMGRID_VERSION < 33300
#define PRECISION	"--cfg=surf/precision:1e-13"
#else
#define PRECISION	"--cfg=precision/timing:1e-13"
#endif

static const char usage[] =
	"usage: gaudi-scale --kind allreduce --algorithm ring --cards 512 --bytes 1048576\n"
	"  --constants NAME   published (the default) or here\n"
	"  --row BYTES        of staging memory; 1 MiB if not given\n"
	"  --small BYTES      direct allreduce in one exchange up to so many; 32 KiB\n"
	"  --lost PART        of all cables, 0.001 for one in a thousand\n"
	"  --seed N           which ones\n"
	"  --full             each card by itself, even if boxes are alike\n"
	"  --whole            each exchange, even if they are alike\n";

template <typename Name>
static unsigned int find(const char *what, const char *name, unsigned int count,
			 Name names)
{
	for (unsigned int i = 0; i < count; i++)
		if (std::string(names(i)) == name)
			return i;
	throw std::runtime_error(std::string("there is no ") + what + " " + name);
}

static uint64_t number(const char *text, uint64_t most)
{
	char *end = nullptr;
	unsigned long long value = strtoull(text, &end, 10);

	if (!*text || *end || *text == '-' || value > most)
		throw std::runtime_error(std::string(text) + " is no number up to " +
					 std::to_string(most));

	return value;
}

static double part(const char *text)
{
	char *end = nullptr;
	double value = strtod(text, &end);

	if (!*text || *end || !(value >= 0 && value <= 0.1))
		throw std::runtime_error(std::string(text) + " is no part up to 0.1");

	return value;
}

static void read_options(int argc, char **argv, Options &options)
{
	static const struct option longs[] = {
		{ "kind", required_argument, nullptr, 'k' },
		{ "algorithm", required_argument, nullptr, 'a' },
		{ "cards", required_argument, nullptr, 'n' },
		{ "bytes", required_argument, nullptr, 'b' },
		{ "constants", required_argument, nullptr, 'c' },
		{ "row", required_argument, nullptr, 'r' },
		{ "small", required_argument, nullptr, 's' },
		{ "lost", required_argument, nullptr, 'l' },
		{ "seed", required_argument, nullptr, 'e' },
		{ "full", no_argument, nullptr, 'f' },
		{ "whole", no_argument, nullptr, 'w' },
		{ nullptr, 0, nullptr, 0 },
	};
	const uint64_t most = 1ull << 40;
	coll_call &call = options.call;
	std::string constants = "published";
	int letter;

	call.row = (1 << 20) / ELEMENT;
	call.small = (32 << 10) / ELEMENT;
	call.ranks = BOX;
	call.box = BOX;
	options.bytes = 1 << 20;
	while ((letter = getopt_long(argc, argv, "", longs, nullptr)) != -1)
		switch (letter) {
		case 'k':
			call.kind = (coll_kind)find("collective", optarg, COLL_KINDS,
						    coll_kind_name);
			break;
		case 'a':
			call.algorithm = (coll_algorithm)find("algorithm", optarg,
						COLL_ALGORITHMS, coll_algorithm_name);
			break;
		case 'n':
			call.ranks = (uint32_t)number(optarg, 1 << 20);
			break;
		case 'b':
			options.bytes = number(optarg, most);
			break;
		case 'c':
			constants = optarg;
			break;
		case 'r':
			call.row = number(optarg, most) / ELEMENT;
			break;
		case 's':
			call.small = number(optarg, most) / ELEMENT;
			break;
		case 'l':
			options.lost = part(optarg);
			break;
		case 'e':
			options.seed = (uint32_t)number(optarg, UINT32_MAX);
			break;
		case 'f':
			options.full = true;
			break;
		case 'w':
			options.whole = true;
			break;
		default:
			fputs(usage, stderr);
			exit(2);
		}
	if (optind < argc)
		throw std::runtime_error(std::string("what is ") + argv[optind]);
	options.constants = &constants_find(constants);
}

/* Elements as the collective counts them: of the buffer, or of each card's part. */
static void count_elements(Options &options)
{
	coll_call &call = options.call;
	const bool parts = call.kind == COLL_REDUCE_SCATTER ||
			   call.kind == COLL_ALLGATHER;
	const uint64_t unit = parts ? (uint64_t)ELEMENT * call.ranks : ELEMENT;

	if (!call.ranks)
		throw std::runtime_error("no cards");
	call.count = (options.bytes + unit - 1) / unit;
	options.bytes = call.count * unit;
}

int main(int argc, char **argv)
{
	/* Links are shared evenly, and nothing else slows a flow down. */
	char *settings[] = {
		argv[0],
		(char *)"--log=root.thres:warning",
		(char *)"--cfg=network/model:CM02",
		(char *)"--cfg=network/crosstraffic:0",
		(char *)"--cfg=network/TCP-gamma:0",
		(char *)PRECISION,
		nullptr,
	};
	int count = sizeof(settings) / sizeof(*settings) - 1;
	sg4::Engine engine(&count, settings);
	Options options;

	try {
		read_options(argc, argv, options);
		count_elements(options);

		const Programs programs = programs_make(options);
		const Platform platform(options, programs.symmetry);
		const Result result = run(options, programs, platform);

		printf("{\"kind\": \"%s\", \"algorithm\": \"%s\", \"cards\": %u, \"bytes\": %llu, \"constants\": \"%s\", \"lost\": %u, \"cables\": %u, \"seconds\": %.12g, \"bound\": %.12g, \"exchanges\": %llu, \"passes\": %llu, \"cards_simulated\": %u, \"passes_simulated\": %llu, \"messages_simulated\": %llu}\n",
		       coll_kind_name(options.call.kind),
		       coll_algorithm_name(options.call.algorithm),
		       options.call.ranks, (unsigned long long)options.bytes,
		       options.constants->name.c_str(), platform.lost(),
		       platform.cables(), result.seconds, bound(options),
		       (unsigned long long)result.steps,
		       (unsigned long long)programs.passes, programs.simulated(),
		       (unsigned long long)result.passes,
		       (unsigned long long)result.messages);
		/* To take a machine of this size apart takes longer than the run. */
		fflush(stdout);
		_exit(0);
	} catch (const std::exception &error) {
		fprintf(stderr, "gaudi-scale: %s\n", error.what());
		return 1;
	}

	return 0;
}
