// SPDX-License-Identifier: MIT
/*
 * gaudi-copy: a file through a Gaudi card and back.
 * Options, files and exit status; see gaudi-copy(1).
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "copy.h"
#include "text.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_SIGNAL = 130 };

static const char usage[] =
"Usage: gaudi-copy [OPTION...] FILE\n"
"Copy FILE (-: standard input) to the HBM of a Gaudi card, within the card by\n"
"way of its SRAM, and back; check that what comes back is what went in.\n"
"\n"
"  -d, --device N     the card of /dev/accel/accelN\n"
"  -p, --pci ADDRESS  the card at this PCI address\n"
"  -m, --module N     the card with this module id\n"
"                     (without these: the first card that is free)\n"
"  -c, --chunk SIZE   bytes per chunk, 4M if not given; K, M, G are known\n"
"  -n, --depth N      chunks under way at a time, 4 if not given\n"
"  -o, --output FILE  keep what came back\n"
"  -j, --json         the result for programs\n"
"  -q, --quiet        no progress\n"
"  -h, --help         this text\n"
"  -V, --version      version of the thunk\n"
"\n"
"Exit status: 0 equal, 1 not equal or failed, 2 wrong usage, 130 interrupted.\n";

static const struct option options[] = {
	{ "device", required_argument, NULL, 'd' },
	{ "pci", required_argument, NULL, 'p' },
	{ "module", required_argument, NULL, 'm' },
	{ "chunk", required_argument, NULL, 'c' },
	{ "depth", required_argument, NULL, 'n' },
	{ "output", required_argument, NULL, 'o' },
	{ "json", no_argument, NULL, 'j' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ }
};

struct settings {
	struct card_choice choice;
	uint64_t chunk;
	int depth;
	const char *file;
	const char *output;
	bool json;
	bool quiet;
};

static void show_version(void)
{
	char *version = hlthunk_get_version();

	printf("gaudi-copy %s\n", version ? version : "?");
	hlthunk_free(version);
}

static bool parse_value(int opt, const char *arg, struct settings *s)
{
	switch (opt) {
	case 'd':
		return !text_to_int(arg, 0, INT_MAX, &s->choice.index);
	case 'm':
		return !text_to_int(arg, 0, INT_MAX, &s->choice.module_id);
	case 'p':
		s->choice.busid = arg;
		return hlthunk_get_device_index_from_pci_bus_id(arg) != -EINVAL;
	case 'c':
		return !text_to_bytes(arg, &s->chunk) &&
		       s->chunk >= CHUNK_MIN && s->chunk <= CHUNK_MAX;
	case 'n':
		return !text_to_int(arg, 1, DEPTH_MAX, &s->depth);
	default:
		return false;
	}
}

/* Exits for --help, --version and what is wrong. */
static void parse(int argc, char **argv, struct settings *s)
{
	int opt;

	while ((opt = getopt_long(argc, argv, "d:p:m:c:n:o:jqhV", options,
				  NULL)) != -1) {
		switch (opt) {
		case 'o':
			s->output = optarg;
			break;
		case 'j':
			s->json = true;
			break;
		case 'q':
			s->quiet = true;
			break;
		case 'h':
			fputs(usage, stdout);
			exit(0);
		case 'V':
			show_version();
			exit(0);
		case '?':
			fputs(usage, stderr);
			exit(EXIT_USAGE);
		default:
			if (parse_value(opt, optarg, s))
				break;
			complain("-%c %s: out of range, see --help", opt,
				 optarg);
			exit(EXIT_USAGE);
		}
	}
	if (optind != argc - 1) {
		complain(optind < argc ? "one FILE at a time" :
					 "which FILE?");
		fputs(usage, stderr);
		exit(EXIT_USAGE);
	}
	s->file = argv[optind];
}

static int open_source(const struct settings *s, struct source *src)
{
	struct stat st;

	src->name = s->file;
	src->quiet = s->quiet;
	src->out_fd = -1;
	src->fd = strcmp(s->file, "-") ? open(s->file, O_RDONLY | O_CLOEXEC) :
					 STDIN_FILENO;
	if (src->fd < 0) {
		complain("%s: %s", s->file, strerror(errno));
		return -errno;
	}
	if (fstat(src->fd, &st)) {
		complain("%s: %s", s->file, strerror(errno));
		return -errno;
	}
	if (S_ISDIR(st.st_mode)) {
		complain("%s: %s", s->file, strerror(EISDIR));
		return -EISDIR;
	}
	if (S_ISREG(st.st_mode))
		src->size = (uint64_t)st.st_size;
	if (!s->output)
		return 0;

	src->out_fd = open(s->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
			   0666);
	if (src->out_fd < 0) {
		complain("%s: %s", s->output, strerror(errno));
		return -errno;
	}

	return 0;
}

static int finish(const struct settings *s, const struct rig *rig,
		  const struct source *src, const struct result *result, int rc)
{
	if (rc == -EINTR) {
		complain("interrupted; the card is as it was");
		return EXIT_SIGNAL;
	}
	if (rc)
		return EXIT_FAILED;
	if (src->out_fd >= 0 && close(src->out_fd)) {
		complain("%s: %s", s->output, strerror(errno));
		return EXIT_FAILED;
	}
	if (!s->json)
		report_text(stdout, rig, src, result);
	else if (report_json(stdout, rig, src, result))
		return EXIT_FAILED;
	if (fflush(stdout) || ferror(stdout)) {
		complain("cannot write: %s", strerror(errno));
		return EXIT_FAILED;
	}
	if (strcmp(result->sha_in, result->sha_out)) {
		complain("what came back is not what went in");
		return EXIT_FAILED;
	}

	return 0;
}

int main(int argc, char **argv)
{
	struct settings s = {
		.choice = { .index = -1, .module_id = -1 },
		.chunk = CHUNK_DEFAULT,
		.depth = DEPTH_DEFAULT,
	};
	static struct rig rig;
	struct result result;
	struct source src = {};
	int rc;

	parse(argc, argv, &s);
	if (open_source(&s, &src))
		return EXIT_FAILED;

	catch_signals();
	rc = rig_open(&rig, &s.choice, (uint32_t)s.chunk,
		      (unsigned int)s.depth);
	if (!rc)
		rc = pipeline_run(&rig, &src, &result);
	rig_close(&rig);

	return finish(&s, &rig, &src, &result, rc);
}
