// SPDX-License-Identifier: MIT
/*
 * gaudi-coll: collectives of this machine's cards, measured, checked and explained.
 * Options and exit status; see gaudi-coll(1).
 */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

#include <cJSON.h>

#include "gaudi.h"
#include "gaudi_coll.h"
#include "json.h"
#include "text.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

static const char usage[] =
"Usage: gaudi-coll bench|check|explain [OPTION...]\n"
"Collectives of this machine's Gaudi cards by HCCL's calls, a process for each card:\n"
"how fast they are, whether all data are right, what each rank does.\n"
"\n"
"  -r, --ranks N         cards that take part (all; explain: 1 to 64)\n"
"  -o, --collective NAME allreduce, reducescatter, allgather, broadcast, reduce,\n"
"                        alltoall; all if not given\n"
"  -f, --first SIZE      smallest size, 1K if not given; K, M, G are known\n"
"  -s, --size SIZE       largest size, 16M if not given\n"
"  -n, --iterations N    calls of each size, 10 if not given\n"
"  -t, --type NAME       float32 (if not given), bfloat16, int32, uint32\n"
"  -b, --box N[,N...]    explain: ranks of each box, of several; 3,5 if they differ\n"
"  -p, --svg FILE        a picture: bandwidths; explain: how data move\n"
"  -k, --unchecked       bench: do not look at the data, which takes long if they are large\n"
"  -j, --json            for programs\n"
"  -h, --help            this text\n"
"  -V, --version         version of the library\n"
"\n"
"Exit status: 0 all data are right; 1 failed; 2 wrong usage.\n";

static const struct option options[] = {
	{ "ranks", required_argument, NULL, 'r' },
	{ "collective", required_argument, NULL, 'o' },
	{ "first", required_argument, NULL, 'f' },
	{ "size", required_argument, NULL, 's' },
	{ "iterations", required_argument, NULL, 'n' },
	{ "type", required_argument, NULL, 't' },
	{ "box", required_argument, NULL, 'b' },
	{ "svg", required_argument, NULL, 'p' },
	{ "unchecked", no_argument, NULL, 'k' },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ }
};

const char *shape_name(unsigned int shape)
{
	static const char * const names[SHAPES] = {
		"allreduce", "reducescatter", "allgather", "broadcast", "reduce",
		"alltoall",
	};

	return names[shape];
}

static const hcclDataType_t types[] = {
	hcclFloat32, hcclBfloat16, hcclInt32, hcclUint32,
};

const char *type_name(hcclDataType_t type)
{
	static const char * const names[] = {
		"float32", "bfloat16", "int32", "uint32",
	};

	for (unsigned int i = 0; i < 4; i++)
		if (types[i] == type)
			return names[i];

	return "?";
}

static bool parse_shape(const char *text, struct settings *s)
{
	s->shapes = 0;
	for (unsigned int i = 0; i < SHAPES; i++)
		if (!strcmp(text, shape_name(i)))
			s->shapes = 1u << i;

	return s->shapes;
}

static bool parse_type(const char *text, struct settings *s)
{
	for (unsigned int i = 0; i < 4; i++)
		if (!strcmp(text, type_name(types[i]))) {
			s->type = types[i];
			return true;
		}

	return false;
}

static bool parse_boxes(const char *text, struct settings *s)
{
	s->num_boxes = 0;
	for (const char *end = text; *end && s->num_boxes < COLL_MAX_RANKS;
	     text = end + 1) {
		char number[8];
		int ranks;

		end = text + strcspn(text, ",");
		snprintf(number, sizeof(number), "%.*s", (int)(end - text), text);
		if (text_to_int(number, 1, COLL_MAX_RANKS, &ranks))
			return false;
		s->boxes[s->num_boxes++] = (uint32_t)ranks;
		if (!*end)
			return true;
	}

	return false;
}

static bool parse_one(int opt, const char *arg, struct settings *s)
{
	switch (opt) {
	case 'r':
		return !text_to_int(arg, 1, 64, &s->ranks);
	case 'o':
		return parse_shape(arg, s);
	case 'f':
		return !text_to_bytes(arg, &s->first) && s->first;
	case 's':
		return !text_to_bytes(arg, &s->last) && s->last &&
		       s->last <= 1ull << 33;
	case 'n':
		return !text_to_int(arg, 1, 1000000, &s->iterations);
	case 't':
		return parse_type(arg, s);
	case 'b':
		return parse_boxes(arg, s);
	case 'p':
		s->svg = arg;
		return *arg;
	case 'k':
		s->unchecked = 1;
		return true;
	default:
		s->json = 1;
		return opt == 'j';
	}
}

static void parse(int argc, char **argv, struct settings *s)
{
	uint32_t v = gaudi_version();
	int opt;

	while ((opt = getopt_long(argc, argv, "r:o:f:s:n:t:b:p:kjhV", options,
				  NULL)) != -1) {
		if (opt == 'h') {
			fputs(usage, stdout);
			exit(0);
		}
		if (opt == 'V') {
			printf("gaudi-coll %u.%u.%u\n", v >> 16, v >> 8 & 0xff,
			       v & 0xff);
			exit(0);
		}
		if (opt == '?') {
			fputs(usage, stderr);
			exit(EXIT_USAGE);
		}
		if (parse_one(opt, optarg, s))
			continue;
		complain("-%c %s: out of range, see --help", opt, optarg);
		exit(EXIT_USAGE);
	}
	if (s->first > s->last)
		s->first = s->last;
}

double bus_factor(int shape, int ranks)
{
	double n = ranks;

	switch (shape) {
	case ALLREDUCE:
		return 2 * (n - 1) / n;
	case BROADCAST:
	case REDUCE:
		return 1;
	default:
		return (n - 1) / n;
	}
}

static double rate(const struct result *r)
{
	return r->seconds > 0 ? (double)r->bytes / r->seconds / 1e9 : 0;
}

static void show(const struct settings *s, const struct result *r)
{
	double alg = rate(r);

	printf("%-14s %11llu %11llu", shape_name((unsigned int)r->shape),
	       (unsigned long long)r->bytes, (unsigned long long)r->count);
	if (!s->check)
		printf(" %11.1f %8.3f %8.3f", r->seconds * 1e6, alg,
		       alg * bus_factor(r->shape, s->ranks));
	printf("  %s\n", r->wrong ? "WRONG" : s->unchecked ? "not checked" : "right");
}

static int show_json(const struct settings *s, const struct result *results,
		     int num)
{
	cJSON *root = cJSON_CreateObject();
	cJSON *list = cJSON_AddArrayToObject(root, "results");

	cJSON_AddNumberToObject(root, "ranks", s->ranks);
	cJSON_AddStringToObject(root, "type", type_name(s->type));
	for (int i = 0; i < num; i++) {
		const struct result *r = &results[i];
		cJSON *one = cJSON_CreateObject();

		cJSON_AddStringToObject(one, "collective",
					shape_name((unsigned int)r->shape));
		cJSON_AddNumberToObject(one, "bytes", (double)r->bytes);
		cJSON_AddNumberToObject(one, "count", (double)r->count);
		if (!s->unchecked)
			cJSON_AddBoolToObject(one, "right", !r->wrong);
		if (!s->check) {
			cJSON_AddNumberToObject(one, "seconds", r->seconds);
			cJSON_AddNumberToObject(one, "algbw_gbs", rate(r));
			cJSON_AddNumberToObject(one, "busbw_gbs", rate(r) *
						bus_factor(r->shape, s->ranks));
		}
		cJSON_AddItemToArray(list, one);
	}

	return json_print(stdout, root);
}

static int run(struct settings *s)
{
	static struct result results[MAX_RESULTS];
	int wrong = 0, num, cards = count_cards();

	if (!s->ranks)
		s->ranks = cards;
	if (!cards || s->ranks > cards || s->ranks > COLL_MOST) {
		complain("%d cards, %d ranks", cards, s->ranks);
		return EXIT_FAILED;
	}
	num = run_ranks(s, results);
	if (num < 0)
		return EXIT_FAILED;
	if (s->json && show_json(s, results, num))
		return EXIT_FAILED;
	if (s->svg && !s->check && draw_results(s, results, num, s->svg))
		return EXIT_FAILED;
	if (!s->json)
		printf("# %d ranks, %s\n# collective         bytes    elements%s\n",
		       s->ranks, type_name(s->type), s->check ? "  data" :
		       "          us algbw    busbw GB/s  data");
	for (int i = 0; i < num; i++) {
		if (!s->json)
			show(s, &results[i]);
		wrong += results[i].wrong;
	}

	return wrong ? EXIT_FAILED : 0;
}

int main(int argc, char **argv)
{
	struct settings s = {
		.first = 1024,
		.last = 16 << 20,
		.iterations = 10,
		.shapes = (1u << SHAPES) - 1,
		.type = hcclFloat32,
	};
	const char *command;

	parse(argc, argv, &s);
	command = optind + 1 == argc ? argv[optind] : "";
	if (!strcmp(command, "explain"))
		return explain(&s, s.ranks ? s.ranks : 8) ? EXIT_FAILED : 0;
	s.check = !strcmp(command, "check");
	if (s.check)
		s.unchecked = 0;
	if (!s.check && strcmp(command, "bench") != 0) {
		complain("bench, check or explain?");
		fputs(usage, stderr);
		return EXIT_USAGE;
	}

	return run(&s);
}
