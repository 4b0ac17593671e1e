// SPDX-License-Identifier: MIT
/*
 * gaudi-recipe: what is in a recipe file. Commands, options, exit status; see
 * gaudi-recipe(1).
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "show.h"
#include "text.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

static const char usage[] =
"Usage: gaudi-recipe list [-j] FILE\n"
"       gaudi-recipe disassemble FILE\n"
"       gaudi-recipe check [-q] FILE...\n"
"Look into recipe files of libgaudi. No card is needed.\n"
"\n"
"  list          tensors, events and what a launch needs\n"
"  disassemble   the packets of each engine\n"
"  check         load each FILE as a program would, and say what is wrong\n"
"\n"
"  -j, --json     the list for programs\n"
"  -q, --quiet    check: say nothing of good files\n"
"  -h, --help     this text\n"
"  -V, --version  version of libgaudi\n"
"\n"
"Exit status: 0 good, 1 a file is bad or cannot be read, 2 wrong usage.\n";

static const struct option options[] = {
	{ "json", no_argument, NULL, 'j' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ }
};

struct settings {
	bool json;
	bool quiet;
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
	if (!s->quiet)
		printf("%s: good\n", file);

	return 0;
}

static const struct command {
	const char *name;
	const char *options;	/* of all: those that it takes */
	bool many;
	int (*run)(struct gaudi_recipe *r, const char *file,
		   const struct settings *s);
} commands[] = {
	{ "list", "j", false, list },
	{ "disassemble", "", false, disassemble },
	{ "check", "q", true, check },
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

static void set_option(const struct command *c, int opt, struct settings *s)
{
	if (!strchr(c->options, opt)) {
		complain("%s has no option -%c", c->name, opt);
		exit(EXIT_USAGE);
	}
	if (opt == 'j')
		s->json = true;
	else
		s->quiet = true;
}

static void show_version(void)
{
	uint32_t v = gaudi_version();

	printf("gaudi-recipe %u.%u.%u\n", v >> 16, v >> 8 & 0xff, v & 0xff);
}

/* Exits for --help, --version and what is wrong. */
static const struct command *parse(int argc, char **argv, struct settings *s)
{
	const struct command *c = NULL;
	bool json = false, quiet = false;
	int opt;

	while ((opt = getopt_long(argc, argv, "jqhV", options, NULL)) != -1) {
		switch (opt) {
		case 'j':
			json = true;
			break;
		case 'q':
			quiet = true;
			break;
		case 'h':
			fputs(usage, stdout);
			exit(0);
		case 'V':
			show_version();
			exit(0);
		default:
			fputs(usage, stderr);
			exit(EXIT_USAGE);
		}
	}
	if (optind == argc) {
		fputs(usage, stderr);
		exit(EXIT_USAGE);
	}
	c = find_command(argv[optind++]);
	if (json)
		set_option(c, 'j', s);
	if (quiet)
		set_option(c, 'q', s);
	if (optind == argc || (!c->many && optind != argc - 1)) {
		complain(optind == argc ? "which FILE?" : "one FILE at a time");
		exit(EXIT_USAGE);
	}

	return c;
}

int main(int argc, char **argv)
{
	struct settings s = {};
	const struct command *c = parse(argc, argv, &s);
	int i, status = 0;

	for (i = optind; i < argc; i++) {
		struct gaudi_recipe *r;

		if (gaudi_recipe_load(argv[i], &r)) {
			const char *why = gaudi_last_error(NULL);

			/* What comes from the system has the name already. */
			if (!strncmp(why, argv[i], strlen(argv[i])))
				complain("%s", why);
			else
				complain("%s: %s", argv[i], why);
			status = EXIT_FAILED;
			continue;
		}
		if (c->run(r, argv[i], &s))
			status = EXIT_FAILED;
		gaudi_recipe_release(r);
	}
	if (fflush(stdout) || ferror(stdout)) {
		complain("cannot write: %s", strerror(errno));
		status = EXIT_FAILED;
	}

	return status;
}
