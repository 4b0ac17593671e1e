// SPDX-License-Identifier: MIT
/*
 * gaudi-recipe: what is in a recipe file, and what it does. Commands, options,
 * exit status; see gaudi-recipe(1).
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hlthunk.h"
#include "progress.h"
#include "run.h"
#include "show.h"
#include "text.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

static const char usage[] =
"Usage: gaudi-recipe list [-j] FILE\n"
"       gaudi-recipe disassemble FILE\n"
"       gaudi-recipe check [-q] FILE...\n"
"       gaudi-recipe kernels [-j] [KERNEL]...\n"
"       gaudi-recipe run [-jq] [-d N | -p ADDRESS] [-i NAME=FILE]... [-o NAME=FILE]...\n"
"                        [-r N] FILE\n"
"Look into recipe files of libgaudi, and run them. Only run needs a card.\n"
"\n"
"  list          tensors, events and what a launch needs\n"
"  disassemble   the packets of each engine\n"
"  check         load each FILE as a program would, and say what is wrong\n"
"  kernels       what the library's own kernels compute and take: each, or KERNEL\n"
"  run           launch it on a card; inputs that are not given are 0\n"
"\n"
"  -d, --device N          run: the card of /dev/accel/accelN, else the first one\n"
"  -p, --pci ADDRESS       run: the card at this PCI address\n"
"  -i, --input NAME=FILE   run: the bytes of an input\n"
"  -o, --output NAME=FILE  run: where the bytes of an output go\n"
"  -r, --repeat N          run: launch it N times\n"
"  -j, --json              list, kernels, run: for programs\n"
"  -q, --quiet             no progress; check: say nothing of good files\n"
"  -h, --help              this text\n"
"  -V, --version           version of libgaudi\n"
"\n"
"Exit status: 0 good, 1 a file is bad or cannot be read, running it failed, or\n"
"there is no such kernel, 2 wrong usage.\n";

static const struct option options[] = {
	{ "device", required_argument, NULL, 'd' },
	{ "pci", required_argument, NULL, 'p' },
	{ "input", required_argument, NULL, 'i' },
	{ "output", required_argument, NULL, 'o' },
	{ "repeat", required_argument, NULL, 'r' },
	{ "json", no_argument, NULL, 'j' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ }
};

struct settings {
	bool json;
	bool quiet;
	struct run_settings run;
};

static int list(struct gaudi_recipe *r, const char *file,
		const struct settings *s)
{
	return s->json ? show_json(r, file) : show_text(r);
}

static int disassemble(struct gaudi_recipe *r, const char *file,
		       const struct settings *s)
{
	int rc = gaudi_recipe_disassemble(r, stdout);

	(void)s;
	if (rc)
		complain("%s: %s", file, gaudi_last_error(NULL));

	return rc;
}

static int check(struct gaudi_recipe *r, const char *file,
		 const struct settings *s)
{
	(void)r;
	if (s->quiet)
		return 0;
	/* The bar is below what is said. */
	if (isatty(STDOUT_FILENO))
		text_drop_line();
	printf("%s: good\n", file);

	return 0;
}

static int run(struct gaudi_recipe *r, const char *file,
	       const struct settings *s)
{
	struct run_settings how = s->run;

	how.json = s->json;
	how.quiet = s->quiet;

	return run_recipe(r, file, &how);
}

static const struct command {
	const char *name;
	const char *options;	/* of all: those that it takes */
	bool many;
	/* NULL: what follows are no files. */
	int (*run)(struct gaudi_recipe *r, const char *file,
		   const struct settings *s);
} commands[] = {
	{ "list", "j", false, list },
	{ "disassemble", "", false, disassemble },
	{ "check", "q", true, check },
	{ "kernels", "j", true, NULL },
	{ "run", "jqdpior", false, run },
};

static const struct command *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	complain("'%s' is no command", name);
	exit(EXIT_USAGE);
}

/* "NAME=FILE" of @text, which is cut at the "=". */
static bool add_file(struct run_file **files, uint32_t *num, char *text)
{
	char *file = strchr(text, '=');
	struct run_file *more;

	if (!file || file == text || !file[1])
		return false;
	more = reallocarray(*files, *num + 1u, sizeof(*more));
	if (!more) {
		complain("no memory");
		exit(EXIT_FAILED);
	}
	*file++ = '\0';
	more[*num] = (struct run_file) { .tensor = text, .path = file };
	*files = more;
	++*num;

	return true;
}

static bool set_option(int opt, char *arg, struct settings *s)
{
	switch (opt) {
	case 'j':
		s->json = true;
		return true;
	case 'q':
		s->quiet = true;
		return true;
	case 'd':
		return !text_to_int(arg, 0, INT_MAX, &s->run.device);
	case 'p':
		s->run.pci = arg;
		return hlthunk_get_device_index_from_pci_bus_id(arg) != -EINVAL;
	case 'i':
		return add_file(&s->run.inputs, &s->run.num_inputs, arg);
	case 'o':
		return add_file(&s->run.outputs, &s->run.num_outputs, arg);
	default:
		return !text_to_int(arg, 1, INT_MAX, &s->run.repeat);
	}
}

static void show_version(void)
{
	uint32_t v = gaudi_version();

	printf("gaudi-recipe %u.%u.%u\n", v >> 16, v >> 8 & 0xff, v & 0xff);
}

/* Options that the command does not take. */
static void check_options(const struct command *c, const char *seen)
{
	for (; *seen; seen++) {
		if (strchr(c->options, *seen))
			continue;
		complain("%s has no option -%c", c->name, *seen);
		exit(EXIT_USAGE);
	}
}

/* Exits for --help, --version and what is wrong. */
static const struct command *parse(int argc, char **argv, struct settings *s)
{
	const struct command *c;
	char seen[128] = "";
	int opt;

	while ((opt = getopt_long(argc, argv, "d:p:i:o:r:jqhV", options,
				  NULL)) != -1) {
		if (opt == 'h') {
			fputs(usage, stdout);
			exit(0);
		} else if (opt == 'V') {
			show_version();
			exit(0);
		} else if (opt == '?') {
			fputs(usage, stderr);
			exit(EXIT_USAGE);
		}
		if (!strchr(seen, opt))
			seen[strlen(seen)] = (char)opt;
		if (set_option(opt, optarg, s))
			continue;
		complain("-%c %s: see --help", opt, optarg);
		exit(EXIT_USAGE);
	}
	if (optind == argc) {
		fputs(usage, stderr);
		exit(EXIT_USAGE);
	}
	c = find_command(argv[optind++]);
	check_options(c, seen);
	if (c->run && (optind == argc || (!c->many && optind != argc - 1))) {
		complain(optind == argc ? "which FILE?" : "one FILE at a time");
		exit(EXIT_USAGE);
	}

	return c;
}

static int do_file(const struct command *c, const char *file,
		   const struct settings *s)
{
	struct gaudi_recipe *r;
	int rc = gaudi_recipe_load(file, &r);

	if (rc) {
		const char *why = gaudi_last_error(NULL);

		/* What comes from the system has the name already. */
		if (!strncmp(why, file, strlen(file)))
			complain("%s", why);
		else
			complain("%s: %s", file, why);
		return rc;
	}
	rc = c->run(r, file, s);
	gaudi_recipe_release(r);

	return rc;
}

static int end(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	complain("cannot write: %s", strerror(errno));

	return EXIT_FAILED;
}

int main(int argc, char **argv)
{
	struct settings s = { .run = { .device = -1, .repeat = 1 } };
	const struct command *c = parse(argc, argv, &s);
	uint64_t done = 0, num = (uint64_t)(argc - optind);
	struct progress progress;
	int status = 0;

	if (!c->run) {
		if (show_kernels(argv + optind, (uint32_t)num, s.json))
			status = EXIT_FAILED;
		return end(status);
	}
	progress_begin(&progress, num, s.quiet || !c->many);
	progress.unit = "files";
	for (; done < num; done++) {
		progress_show(&progress, done);
		if (do_file(c, argv[optind + (int)done], &s))
			status = EXIT_FAILED;
	}
	progress_end_shown(&progress, done);
	free(s.run.inputs);
	free(s.run.outputs);

	return end(status);
}
