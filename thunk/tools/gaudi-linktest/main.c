// SPDX-License-Identifier: MIT
/*
 * gaudi-linktest: how fast cards write to each other.
 * Options and exit status; see gaudi-linktest(1).
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "linktest.h"
#include "text.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

static const char usage[] =
"Usage: gaudi-linktest [OPTION...]\n"
"       gaudi-linktest --listen [OPTION...]\n"
"       gaudi-linktest [--connect] HOST [OPTION...]\n"
"Measure how fast Gaudi cards write to each other by their network ports, and\n"
"check that what comes is what was sent: all cards of this machine, pair by pair\n"
"and all at once; or one card here and one where gaudi-linktest --listen runs.\n"
"\n"
"  -c, --cards LIST     cards by module ids, \"0,1,5\" (all; of a side: the first)\n"
"  -s, --size SIZE      bytes of a write, 16M if not given; K, M, G are known;\n"
"                       with --latency of one there and back, else 4\n"
"  -a, --all-sizes      all powers of two from 2 up to that\n"
"  -n, --iterations N   writes of each size, 20 if not given\n"
"  -D, --duration N     seconds of each size instead\n"
"  -q, --qp N           links (queue pairs) of each wire that share the writes, 1\n"
"  -r, --rounds N       notifications there and back, 200 if not given\n"
"  -b, --both           each pair writes both ways at once\n"
"  -B, --bandwidth      measure bandwidth, not latency\n"
"  -l, --latency        measure latency, not bandwidth\n"
"  -H, --report-histogram  show the latency of each round, the least first\n"
"  -U, --report-unsorted   the same, the first one first\n"
"  -L, --listen         wait for another machine's gaudi-linktest, once\n"
"  -C, --connect HOST   which listens there\n"
"  -t, --tcp-port N     where both meet, 18515 if not given\n"
"  -p, --port N         the card's port (the first that is up, external before\n"
"                       internal); with --listen or --connect\n"
"      --report_gbits   Gb/s (10^9 bits) instead of GB/s (10^9 bytes)\n"
"  -j, --json           for programs\n"
"  -Q, --quiet          no progress\n"
"  -h, --help           this text\n"
"  -V, --version        version of the library\n"
"\n"
"Exit status: 0 measured, and all data right; 1 failed; 2 wrong usage.\n";

static const struct option options[] = {
	{ "cards", required_argument, NULL, 'c' },
	{ "size", required_argument, NULL, 's' },
	{ "all-sizes", no_argument, NULL, 'a' },
	{ "iterations", required_argument, NULL, 'n' },
	{ "duration", required_argument, NULL, 'D' },
	{ "qp", required_argument, NULL, 'q' },
	{ "rounds", required_argument, NULL, 'r' },
	{ "both", no_argument, NULL, 'b' },
	{ "bandwidth", no_argument, NULL, 'B' },
	{ "latency", no_argument, NULL, 'l' },
	{ "report-histogram", no_argument, NULL, 'H' },
	{ "report-unsorted", no_argument, NULL, 'U' },
	{ "listen", no_argument, NULL, 'L' },
	{ "connect", required_argument, NULL, 'C' },
	{ "tcp-port", required_argument, NULL, 't' },
	{ "port", required_argument, NULL, 'p' },
	{ "json", no_argument, NULL, 'j' },
	{ "report_gbits", no_argument, NULL, 'G' },
	{ "report-gbits", no_argument, NULL, 'G' },
	{ "quiet", no_argument, NULL, 'Q' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ }
};

/* Beside the settings: what becomes some of them in the end. */
struct wishes {
	uint64_t size;			/* 0: as usual */
	bool all_sizes;
};

static void __attribute__((noreturn)) refuse(const char *text)
{
	complain("%s", text);
	fputs(usage, stderr);
	exit(EXIT_USAGE);
}

static bool parse_cards(const char *text, struct settings *s)
{
	while (*text) {
		char *end;
		unsigned long id = strtoul(text, &end, 10);

		if (end == text || id > 255 || s->num_cards == MAX_CARDS ||
		    (*end && (*end != ',' || !end[1])))
			return false;
		for (unsigned int i = 0; i < s->num_cards; i++)
			if (s->cards[i] == id)
				return false;
		s->cards[s->num_cards++] = (uint32_t)id;
		text = *end ? end + 1 : end;
	}

	return s->num_cards;
}

static bool parse_value(int opt, const char *arg, struct settings *s,
			struct wishes *wishes)
{
	switch (opt) {
	case 'c':
		return parse_cards(arg, s);
	case 's':
		return !text_to_bytes(arg, &wishes->size) && wishes->size >= 1 &&
		       wishes->size <= SIZE_MAX_BYTES;
	case 'n':
		return !text_to_int(arg, 1, ITERATIONS_MAX, &s->iterations);
	case 'D':
		return !text_to_int(arg, 1, DURATION_MAX, &s->duration);
	case 'q':
		return !text_to_int(arg, 1, MAX_QPS, &s->qps);
	case 'r':
		return !text_to_int(arg, 1, ROUNDS_MAX, &s->rounds);
	case 't':
		return !text_to_int(arg, 1, 65535, &s->tcp_port);
	case 'p':
		return !text_to_int(arg, 0, 9, &s->port);
	default:
		return false;
	}
}

static bool parse_flag(int opt, struct settings *s, struct wishes *wishes)
{
	switch (opt) {
	case 'a':
		wishes->all_sizes = true;
		return true;
	case 'b':
		s->both = true;
		return true;
	case 'B':
		s->latency = false;
		return true;
	case 'l':
		s->bandwidth = false;
		return true;
	case 'L':
		s->listens = true;
		return true;
	case 'C':
		s->host = optarg;
		return true;
	case 'j':
		s->json = true;
		return true;
	case 'U':
		s->unsorted = true;
		/* fall through */
	case 'H':
		s->every_round = true;
		return true;
	case 'G':
		s->gbits = true;
		return true;
	case 'Q':
		s->quiet = true;
		return true;
	default:
		return false;
	}
}

static void show_version(void)
{
	uint32_t v = gaudi_version();

	printf("gaudi-linktest %u.%u.%u\n", v >> 16, v >> 8 & 0xff, v & 0xff);
}

static void parse(int argc, char **argv, struct settings *s,
		  struct wishes *wishes)
{
	int opt;

	while ((opt = getopt_long(argc, argv, "c:s:an:D:q:r:bBlHULC:t:p:jQhV",
				  options, NULL)) != -1) {
		if (opt == 'h') {
			fputs(usage, stdout);
			exit(0);
		}
		if (opt == 'V') {
			show_version();
			exit(0);
		}
		if (opt == '?') {
			fputs(usage, stderr);
			exit(EXIT_USAGE);
		}
		if (parse_flag(opt, s, wishes) ||
		    parse_value(opt, optarg, s, wishes))
			continue;
		complain("-%c %s: out of range, see --help", opt, optarg);
		exit(EXIT_USAGE);
	}
	/* As users of ib_write_bw name it. */
	if (optind < argc && !s->host && !s->listens)
		s->host = argv[optind++];
	if (optind < argc)
		refuse("unexpected argument");
	if (!s->bandwidth && !s->latency)
		refuse("--bandwidth and --latency leave nothing to measure");
	if (!s->latency && s->every_round)
		refuse("--bandwidth has no rounds to show");
	if (s->listens && s->host)
		refuse("--listen and --connect are two sides");
	if (s->port >= 0 && !s->listens && !s->host)
		refuse("--port is for --listen or --connect");
	if (s->num_cards > 1 && (s->listens || s->host))
		refuse("one card for --listen or --connect");
}

static void set_sizes(struct settings *s, const struct wishes *wishes)
{
	uint64_t largest = wishes->size;

	if (!largest)
		largest = s->bandwidth ? 16 << 20 : LATENCY_BYTES;
	for (uint64_t size = 2; wishes->all_sizes && size < largest; size *= 2)
		s->sizes[s->num_sizes++] = size;
	s->sizes[s->num_sizes++] = largest;
}

static int run_box(const struct settings *s)
{
	struct box *box = calloc(1, sizeof(*box));
	int rc;

	if (!box) {
		complain("out of memory");
		return -1;
	}
	rc = box_run(s, box);
	if (!rc && s->json)
		rc = report_box_json(stdout, s, box);
	else if (!rc)
		report_box(stdout, s, box);
	free(box);

	return rc;
}

static int run_remote(const struct settings *s)
{
	struct figures figures;
	int rc = remote_connect(s, &figures);

	if (!rc && s->json)
		return report_remote_json(stdout, s, &figures);
	if (!rc)
		report_remote(stdout, s, &figures);

	return rc;
}

int main(int argc, char **argv)
{
	struct settings s = {
		.iterations = 20,
		.qps = 1,
		.rounds = 200,
		.bandwidth = true,
		.latency = true,
		.tcp_port = 18515,
		.port = -1,
	};
	struct wishes wishes = {};
	int rc;

	parse(argc, argv, &s, &wishes);
	set_sizes(&s, &wishes);
	rc = s.listens ? remote_listen(&s) : s.host ? run_remote(&s) :
						      run_box(&s);
	if (fflush(stdout) || ferror(stdout)) {
		complain("cannot write: %s", strerror(errno));
		rc = -1;
	}

	return rc ? EXIT_FAILED : 0;
}
